/* Asks the database, again and again, to add new rows of the journal to the sums, to seal reports
 * that are due, and signs those; and to note what the jackpots show. */
#include "services/gateway/adapters/reports.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/chain_head.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STEP_ROWS 4000 /* of each shard, in one transaction */
#define STEP_TEXT "4000"
#define STEP_US (2 * SECOND_US)
#define TROUBLE_US (10 * SECOND_US)
#define SEAL_US (2 * SECOND_US)
#define SHOWN_US (5 * SECOND_US)
#define CODES_MAX 8192
#define DIGEST_HEX 64
#define SIGNED_MAX 128

static struct {
	struct pg_pool *pool;
	struct chain_key key;
	char codes[CODES_MAX], grace[24];
	bool asking;
	uint64_t asked_us, next_us, seal_us, shown_us; /* by the monotonic clock */
} rollups;

static bool good(const PGresult *result, const char *error, const char *what)
{
	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK)
		return true;
	log_warn_as("gateway.reports.failed", "%s: %s", what,
		error != NULL ? error : PQresultErrorMessage(result));
	return false;
}

/* True: the second column says what stops a shard or an operator; it is in the log. */
static bool troubled(const PGresult *result, const char *what)
{
	if (PQgetisnull(result, 0, 1))
		return false;
	log_warn_as("gateway.reports.failed", "%s: %s", what, PQgetvalue(result, 0, 1));
	return true;
}

/* ---- adding up ---- */

/* While there is more to add, the connection rests as long as it has worked: one that catches up
 * takes half a processor at most. */
static void on_steps(void *context, PGresult *result, const char *error)
{
	uint64_t now_us = clock_mono_us();

	(void)context;
	rollups.asking = false;
	if (!good(result, error, "adding up the journal") ||
		troubled(result, "adding up the journal"))
		rollups.next_us = now_us + TROUBLE_US;
	else if (pg_number(result, 0, 0) >= STEP_ROWS)
		rollups.next_us = now_us + (now_us - rollups.asked_us);
	else
		rollups.next_us = now_us + STEP_US;
}

/* ---- sealing and signing ---- */

static void on_signed(void *context, PGresult *result, const char *error)
{
	(void)context;
	(void)good(result, error, "signing a report");
}

static void sign(const char *operator_id, const char *period, const char *day, const char *digest)
{
	char text[SIGNED_MAX];
	uint8_t signature[crypto_sign_BYTES];
	char signature_text[2 * crypto_sign_BYTES + 3], signer[2 * CHAIN_PUBLIC_BYTES + 3];
	const char *parameters[] = { operator_id, period, day, signature_text, signer };
	int length = snprintf(text, sizeof(text), "carillon report 1 %s", digest);

	(void)crypto_sign_detached(signature, NULL, (const uint8_t *)text,
		(unsigned long long)length, rollups.key.secret);
	pg_bytea_text(signature, sizeof(signature), signature_text);
	pg_bytea_text(rollups.key.public_key, CHAIN_PUBLIC_BYTES, signer);
	pg_pool_query(rollups.pool,
		"select gateway.report_sign($1::integer, $2, $3::date, $4::bytea, $5::bytea)", 5,
		parameters, REPORT_MS, on_signed, NULL);
}

static void on_unsigned(void *context, PGresult *result, const char *error)
{
	(void)context;
	rollups.asking = false;
	if (!good(result, error, "reading reports that are not signed"))
		return;
	for (int i = 0; i < PQntuples(result); i++)
		if (PQgetlength(result, i, 3) == DIGEST_HEX)
			sign(PQgetvalue(result, i, 0), PQgetvalue(result, i, 1),
				PQgetvalue(result, i, 2), PQgetvalue(result, i, 3));
}

static void on_sealed(void *context, PGresult *result, const char *error)
{
	uint64_t now_us = clock_mono_us();
	bool done = good(result, error, "sealing reports");

	(void)context;
	rollups.seal_us = now_us + (done ? SEAL_US : TROUBLE_US);
	if (done && troubled(result, "sealing reports"))
		rollups.seal_us = now_us + TROUBLE_US;
	else if (done && pg_number(result, 0, 0) > 0) {
		log_info("sealed the reports of one gaming day for each of %" PRId64 " operators",
			pg_number(result, 0, 0));
		rollups.seal_us = now_us; /* there may be more */
	}
	if (!done) {
		rollups.asking = false;
		return;
	}
	pg_pool_query(rollups.pool,
		"select operator, period, day, encode(digest, 'hex') from gateway.report where "
		"signature is null limit 20",
		0, NULL, REPORT_MS, on_unsigned, NULL);
}

/* ---- what jackpots show ---- */

static void on_shown(void *context, PGresult *result, const char *error)
{
	(void)context;
	rollups.asking = false;
	rollups.shown_us =
		clock_mono_us() +
		(good(result, error, "noting what the jackpots show") ? SHOWN_US : TROUBLE_US);
}

void rollups_tick(void)
{
	const char *seal[] = { rollups.codes, rollups.grace };
	const char *step[] = { STEP_TEXT };
	uint64_t now_us = clock_mono_us();

	pg_pool_poll(rollups.pool);
	if (rollups.asking)
		return;
	rollups.asked_us = now_us;
	if (now_us >= rollups.next_us) {
		rollups.asking = true;
		pg_pool_query(rollups.pool,
			"select rows, trouble from gateway.rollup_steps($1::bigint)", 1, step,
			REPORT_MS, on_steps, NULL);
	} else if (now_us >= rollups.seal_us) {
		rollups.asking = true;
		pg_pool_query(rollups.pool,
			"select days, trouble from gateway.report_seal($1::json, $2::integer)", 2,
			seal, REPORT_MS, on_sealed, NULL);
	} else if (now_us >= rollups.shown_us) {
		rollups.asking = true;
		pg_pool_query(rollups.pool, "select gateway.jackpot_step()", 0, NULL, REPORT_MS,
			on_shown, NULL);
	}
}

/* ---- begin and end ---- */

static void codes_make(void)
{
	const struct currency *currency;
	size_t length = 1;

	rollups.codes[0] = '{';
	for (size_t i = 0; (currency = currency_at(i)) != NULL; i++) {
		int n = snprintf(rollups.codes + length, CODES_MAX - length,
			"%s\"%" PRIu32 "\":\"%s\"", i == 0 ? "" : ",", currency->number,
			currency->code);
		length += (size_t)n;
		if (length + 2 >= CODES_MAX)
			fatal("the list of currencies is longer than %d bytes", CODES_MAX);
	}
	memcpy(rollups.codes + length, "}", 2);
}

static void key_take(void)
{
	char path[SETTING_TEXT_MAX + 64];
	char error[CHAIN_ERROR_MAX];

	(void)snprintf(path, sizeof(path), "%s/gateway/report.key", common.keys);
	(void)sodium_mlock(&rollups.key, sizeof(rollups.key)); /* where the system lets us */
	if (!chain_key_load(path, &rollups.key, error))
		fatal("CARILLON_KEYS: %s", error);
}

void rollups_begin(struct gateway *gateway)
{
	key_take();
	codes_make();
	(void)snprintf(
		rollups.grace, sizeof(rollups.grace), "%" PRId64, gateway->settings.report_grace_s);
	rollups.pool = pg_pool_new_writing(common.pg_dsn, common.instance, 1);
}

void rollups_end(void)
{
	pg_pool_free(&rollups.pool);
	sodium_memzero(&rollups.key, sizeof(rollups.key));
}

struct pg_pool *rollups_pool(void)
{
	return rollups.pool;
}

const char *rollups_currencies(void)
{
	return rollups.codes;
}
