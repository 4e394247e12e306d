#include "services/payments/adapters/store.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT 24
#define ID_TEXT (2 * PAYOUT_ID_BYTES + 3)
#define HOLDS_AT_ONCE 500
#define IDS_AT_ONCE 1000

static void id_hex(const uint8_t *id, char text_r[ID_TEXT])
{
	(void)snprintf(text_r, 3, "\\x");
	for (size_t i = 0; i < PAYOUT_ID_BYTES; i++)
		(void)snprintf(text_r + 2 + 2 * i, 3, "%02x", id[i]);
}

/* False: it cannot be an id; its row is left out. */
static bool id_read(const PGresult *result, int at, int column, uint8_t *id_r)
{
	size_t length;
	uint8_t *bytes = pg_bytea(result, at, column, &length);
	bool good = length == PAYOUT_ID_BYTES;

	if (good)
		memcpy(id_r, bytes, PAYOUT_ID_BYTES);
	else
		log_error_as("payments.row.bad_id",
			"ALARM payments: found an id of %zu bytes, expected %d: its row is left "
			"out",
			length, PAYOUT_ID_BYTES);
	PQfreemem(bytes);
	return good;
}

/* With whether the hold says the same: it is the wallet's, and what may be paid. */
#define PAYOUT_READ                                                                                \
	"select p.id, p.player, p.currency, p.amount, p.state, p.outcome, p.settled, p.asks, "     \
	"p.reference, p.asked, (select count(*) from wallet.hold h where h.id = p.id and "         \
	"h.player = p.player and h.currency = p.currency and h.amount = p.amount) from "           \
	"payments.payout p where "
/* NULL: its id cannot be read. */
static struct payments_entry *entry_read(
	const PGresult *result, int at, struct payments_shard *shard)
{
	struct payout payout = {
		.player = pg_number(result, at, 1),
		.currency = (uint32_t)pg_number(result, at, 2),
		.amount = pg_number(result, at, 3),
		.state = (enum payout_state)pg_number(result, at, 4),
		.outcome = (enum payout_outcome)pg_number(result, at, 5),
		.settled = (enum payout_settled)pg_number(result, at, 6),
		.asks = (uint32_t)pg_number(result, at, 7),
		.asked = PQgetvalue(result, at, 9)[0] == 't',
	};
	struct payments_entry *entry;

	if (!id_read(result, at, 0, payout.id))
		return NULL;
	entry = payments_add(shard, &payout);
	entry->out = pg_number(result, at, 10) != 1;
	(void)snprintf(entry->reference, sizeof(entry->reference), "%s", PQgetvalue(result, at, 8));
	return entry;
}

void store_load(PGconn *conn, struct payments_shard *shard)
{
	char number[NUMBER_TEXT];
	const char *parameters[] = { number };

	(void)snprintf(number, sizeof(number), "%u", shard->shard);
	PGresult *result =
		pg_query(conn, PAYOUT_READ "p.shard = $1 and p.state < 4", 1, parameters);
	for (int i = 0; i < PQntuples(result); i++)
		(void)entry_read(result, i, shard);
	PQclear(result);
	shard->cursor = 0; /* all open holds, also new ones */
}

struct payments_entry *store_load_missing(
	PGconn *conn, struct payments_shard *shard, const uint8_t id[PAYOUT_ID_BYTES])
{
	char text[ID_TEXT];
	const char *parameters[] = { text };
	struct payments_entry *entry = NULL;

	id_hex(id, text);
	PGresult *result =
		pg_query(conn, PAYOUT_READ "p.id = $1::bytea and p.state = 4", 1, parameters);
	if (PQntuples(result) == 1)
		entry = entry_read(result, 0, shard);
	PQclear(result);
	return entry;
}

enum store_verdict store_may_request(
	PGconn *conn, const uint8_t id[PAYOUT_ID_BYTES], enum payout_settled *settled_r)
{
	static const char *const verdicts[] = { "ask", "settled", "decided", "busy" };
	char text[ID_TEXT];
	const char *parameters[] = { text };
	size_t verdict = 0;

	id_hex(id, text);
	PGresult *result = pg_query(
		conn, "select verdict, settled from payments.may_ask($1::bytea)", 1, parameters);
	while (verdict <= STORE_BUSY && strcmp(PQgetvalue(result, 0, 0), verdicts[verdict]) != 0)
		verdict++;
	if (verdict > STORE_BUSY) {
		log_warn_as("payments.verdict.unknown",
			"payments.may_ask: found the verdict \"%s\", which is unknown: nothing "
			"is asked",
			PQgetvalue(result, 0, 0));
		verdict = STORE_BUSY;
	}
	if (verdict == STORE_SETTLED)
		*settled_r = (enum payout_settled)pg_number(result, 0, 1);
	PQclear(result);
	return (enum store_verdict)verdict;
}

bool store_reviewed(PGconn *conn, const uint8_t id[PAYOUT_ID_BYTES], int64_t most)
{
	char text[ID_TEXT], number[NUMBER_TEXT];
	const char *parameters[] = { text, number };

	id_hex(id, text);
	(void)snprintf(number, sizeof(number), "%" PRId64, most);
	PGresult *result =
		pg_query(conn, "select payments.may_review($1::bytea, $2::bigint)", 2, parameters);
	bool reviewed = PQgetvalue(result, 0, 0)[0] == 't';
	PQclear(result);
	if (!reviewed)
		PQclear(pg_query(conn,
			"insert into payments.review (hold) values ($1::bytea) on conflict do "
			"nothing",
			1, parameters));
	return reviewed;
}

bool store_write(PGconn *conn, uint32_t shard, const struct payments_entry *entry)
{
	static const char sql[] =
		"insert into payments.payout as p (id, reference, shard, player, currency, amount, "
		"state, outcome, settled, asks, asked) values ($1::bytea, $2, $3, $4, $5, $6, $7, $8, "
		"$9, $10, $11) on conflict (id) do update set state = excluded.state, outcome = "
		"excluded.outcome, settled = excluded.settled, asks = excluded.asks, reference = "
		"excluded.reference, updated = now() "
		"where p.amount = excluded.amount and p.outcome in (0, excluded.outcome)";
	const struct payout *payout = &entry->payout;
	const int64_t values[] = { shard, payout->player, payout->currency, payout->amount,
		payout->state, payout->outcome, payout->settled, payout->asks };
	char id[ID_TEXT];
	char numbers[sizeof(values) / sizeof(values[0])][NUMBER_TEXT];
	const char *parameters[3 + sizeof(values) / sizeof(values[0])] = { id, entry->reference };

	id_hex(payout->id, id);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		(void)snprintf(numbers[i], NUMBER_TEXT, "%" PRId64, values[i]);
		parameters[2 + i] = numbers[i];
	}
	parameters[2 + sizeof(values) / sizeof(values[0])] = payout->asked ? "t" : "f";
	PGresult *result =
		pg_query(conn, sql, (int)(sizeof(parameters) / sizeof(parameters[0])), parameters);
	bool written = PQcmdTuples(result)[0] == '1';
	PQclear(result);
	return written;
}

void store_alarm(PGconn *conn, const struct payments_alarm *alarm)
{
	char id[ID_TEXT], shard[NUMBER_TEXT], player[NUMBER_TEXT];
	const char *parameters[] = { id, shard, player, alarm->kind, alarm->found,
		alarm->expected };

	id_hex(alarm->payout.id, id);
	(void)snprintf(shard, sizeof(shard), "%u", alarm->shard);
	(void)snprintf(player, sizeof(player), "%" PRId64, alarm->payout.player);
	PQclear(pg_query(conn,
		"insert into payments.alarm (payout, shard, player, kind, found, expected) select "
		"$1::bytea, $2, $3, $4, $5, $6 where not exists (select from payments.alarm where "
		"payout = $1::bytea and kind = $4 and found = $5)",
		6, parameters));
}

static struct payments_shard *shard_of(
	struct payments_shard *const *shards, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (shards[i]->shard == number)
			return shards[i];
	fatal("wallet.hold: found shard %u, which was not requested", number);
}

bool store_new_holds(PGconn *conn, struct payments_shard *const *shards, size_t n)
{
	static char numbers[SHARDS_MAX * NUMBER_TEXT], cursors[SHARDS_MAX * NUMBER_TEXT];
	char limit[NUMBER_TEXT];
	const char *parameters[] = { numbers, cursors, limit };
	size_t numbers_n = 0, cursors_n = 0;

	for (size_t i = 0; i < n; i++) {
		char separator = i == 0 ? '{' : ',';
		numbers_n += (size_t)snprintf(numbers + numbers_n, sizeof(numbers) - numbers_n,
			"%c%u", separator, shards[i]->shard);
		cursors_n += (size_t)snprintf(cursors + cursors_n, sizeof(cursors) - cursors_n,
			"%c%" PRIu64, separator, shards[i]->cursor);
	}
	(void)snprintf(numbers + numbers_n, sizeof(numbers) - numbers_n, "}");
	(void)snprintf(cursors + cursors_n, sizeof(cursors) - cursors_n, "}");
	(void)snprintf(limit, sizeof(limit), "%d", HOLDS_AT_ONCE);
	PGresult *result = pg_query(conn,
		"select h.id, h.player, h.currency, h.amount, h.booked_seq, h.shard from "
		"unnest($1::integer[], $2::bigint[]) c(shard, after), lateral (select * from "
		"wallet.hold where shard = c.shard and booked_seq > c.after and kind = 28 and "
		"settled_kind = 0 order by booked_seq limit $3::bigint) h order by h.shard, "
		"h.booked_seq",
		3, parameters);
	for (int i = 0; i < PQntuples(result); i++) {
		struct payments_shard *shard =
			shard_of(shards, n, (uint32_t)pg_number(result, i, 5));
		struct payout payout = { .player = pg_number(result, i, 1),
			.currency = (uint32_t)pg_number(result, i, 2),
			.amount = pg_number(result, i, 3) };
		shard->cursor = (uint64_t)pg_number(result, i, 4);
		if (id_read(result, i, 0, payout.id) && payments_find(shard, payout.id) == NULL)
			payments_add(shard, &payout)->dirty = true;
	}
	bool more = PQntuples(result) >= HOLDS_AT_ONCE; /* of one shard, or of all shards */
	PQclear(result);
	return more;
}

static void decision_read(struct service *service, struct payments_shard *shard,
	struct payments_entry *entry, const PGresult *result, int at, store_decided *decided)
{
	size_t length;
	uint8_t *command = pg_bytea(result, at, 2, &length);

	decided(service, shard, entry, command, length);
	PQfreemem(command);
}

void store_settlements(struct service *service, struct payments_shard *shard,
	store_settled *settled, store_decided *decided)
{
	static char list[IDS_AT_ONCE * (ID_TEXT + 4) + 8];
	const char *parameters[] = { list };
	size_t length = 0, n = 0;
	uint8_t id[PAYOUT_ID_BYTES];

	for (size_t i = 0; i < shard->n && n < IDS_AT_ONCE; i++) {
		const struct payments_entry *entry = &shard->entries[shard->looked++ % shard->n];
		char text[ID_TEXT];
		if (entry->payout.settled != PAYOUT_OPEN)
			continue;
		id_hex(entry->payout.id, text);
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s\"\\%s\"",
			n++ == 0 ? "{" : ",", text);
	}
	if (n == 0)
		return;
	(void)snprintf(list + length, sizeof(list) - length, "}");
	PGresult *result = pg_query(service_pg(service),
		"select h.id, h.settled_kind, d.command from wallet.hold h left join "
		"gateway.decision d on d.hold = h.id where h.id = any($1::bytea[]) and "
		"(h.settled_kind <> 0 or d.hold is not null)",
		1, parameters);
	for (int i = 0; i < PQntuples(result); i++) {
		enum payout_settled how = (enum payout_settled)pg_number(result, i, 1);
		if (!id_read(result, i, 0, id))
			continue;
		if (how != PAYOUT_OPEN)
			settled(shard, payments_find(shard, id), how);
		else
			decision_read(service, shard, payments_find(shard, id), result, i, decided);
	}
	PQclear(result);
}
