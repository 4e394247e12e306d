/* The last proof of the ledger: its signature, its age, and whether people must be told. */
#include "services/gateway/adapters/ledger.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/clock.h"

#include <sodium.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC_BYTES 32
#define PUBLIC_FILE "ledger-verify.pub"

static const char *const state_names[] = { "good", "none", "old", "broken", "unsigned" };
static const char *const signed_names[] = { "good", "no", "wrong", "unknown" };

/* jackpotctl writes the key there after a proof. False: there is none yet, or none that can be
 * read. */
static bool public_read(uint8_t key_r[PUBLIC_BYTES])
{
	char path[SETTING_TEXT_MAX + 64], text[2 * PUBLIC_BYTES + 1];
	FILE *file;
	size_t n, got = 0;

	(void)snprintf(path, sizeof(path), "%s/gateway/" PUBLIC_FILE, common.keys);
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	n = fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	return n == 2 * PUBLIC_BYTES &&
	       sodium_hex2bin(key_r, PUBLIC_BYTES, text, n, NULL, &got, NULL) == 0 &&
	       got == PUBLIC_BYTES;
}

static bool signature_good(
	const char *content, const uint8_t *signature, const uint8_t key[PUBLIC_BYTES])
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	char hex[2 * crypto_hash_sha256_BYTES + 1], text[128];
	int length;

	(void)crypto_hash_sha256(digest, (const unsigned char *)content, strlen(content));
	(void)sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest));
	length = snprintf(text, sizeof(text), "carillon proof 1 %s", hex);
	return crypto_sign_verify_detached(signature, (const unsigned char *)text,
		       (unsigned long long)length, key) == 0;
}

/* `known`: the gateway has a public key. */
static enum proof_signed signed_of(const PGresult *result, int column, bool *known_r)
{
	uint8_t key[PUBLIC_BYTES], *signature;
	enum proof_signed found = SIGNED_WRONG;
	size_t length;

	*known_r = public_read(key);
	if (PQgetisnull(result, 0, column + 1))
		return SIGNED_NOT;
	if (!*known_r)
		return SIGNED_UNKNOWN;
	signature = pg_bytea(result, 0, column + 1, &length);
	if (length == crypto_sign_BYTES &&
		signature_good(PQgetvalue(result, 0, column), signature, key))
		found = SIGNED_GOOD;
	PQfreemem(signature);
	return found;
}

static uint64_t member_us(const json_t *json, const char *name)
{
	json_int_t value = json_integer_value(json_object_get(json, name));

	return value < 0 ? 0 : (uint64_t)value;
}

static uint64_t age_s(uint64_t since_us)
{
	uint64_t now_us = clock_wall_us();

	return now_us > since_us ? (now_us - since_us) / SECOND_US : 0;
}

void proof_read(
	const struct gateway *gateway, const PGresult *result, int column, struct proof *proof_r)
{
	bool known = false;
	bool old;

	memset(proof_r, 0, sizeof(*proof_r));
	if (!PQgetisnull(result, 0, column)) {
		proof_r->content = json_loads(PQgetvalue(result, 0, column), 0, NULL);
		proof_r->is_signed = signed_of(result, column, &known);
		proof_r->time_us = member_us(proof_r->content, "time_us");
		proof_r->held_us =
			member_us(json_object_get(proof_r->content, "proven"), "time_us");
	}
	proof_r->age_s = age_s(proof_r->held_us != 0 ? proof_r->held_us
						     : (uint64_t)pg_number(result, 0, column + 2));
	old = proof_r->age_s > (uint64_t)gateway->settings.proof_age_s;
	if (proof_r->content != NULL && known && proof_r->is_signed != SIGNED_GOOD)
		proof_r->state = PROOF_UNSIGNED;
	else if (json_is_true(json_object_get(proof_r->content, "broken")))
		proof_r->state = PROOF_BROKEN;
	else if (old)
		proof_r->state = PROOF_OLD;
	else
		proof_r->state = proof_r->held_us == 0 ? PROOF_NONE : PROOF_GOOD;
}

void proof_free(struct proof *proof)
{
	json_decref(proof->content);
	proof->content = NULL;
}

void proof_json(const struct gateway *gateway, struct json_out *out, const struct proof *proof)
{
	out_string(out, "state", state_names[proof->state]);
	if (proof->content == NULL)
		out_null(out, "signed");
	else
		out_string(out, "signed", signed_names[proof->is_signed]);
	out_uint(out, "time_us", proof->time_us);
	out_uint(out, "held_us", proof->held_us);
	out_uint(out, "age_s", proof->age_s);
	out_uint(out, "age_max_s", (uint64_t)gateway->settings.proof_age_s);
}

/* ---- the route ---- */

static void on_row(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct gateway *gateway = waiter->gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL && PQntuples(result) == 1) {
		struct proof proof;
		proof_read(gateway, result, 0, &proof);
		out_begin(out);
		out_open(out, NULL, '{');
		proof_json(gateway, out, &proof);
		out_close(out, '}');
		answer_sent(gateway, request, 200);
		proof_free(&proof);
	} else if (request != NULL) {
		answer_unavailable(request, "the installation has no row");
	}
	free(waiter);
}

void on_proof(struct edge_request *request, void *context)
{
	static const char *const none[] = { NULL };
	struct gateway *gateway = context;
	uint32_t operator_id;

	if (!auth_operator(gateway, request, 0, &operator_id) || !answer_query(request, none))
		return;
	pg_pool_query(gateway->pg,
		"select p.content, p.signature, (extract(epoch from i.created) * 1000000)::bigint "
		"from carillon.installation i left join lateral (select * from gateway.proof order "
		"by id desc limit 1) p on true",
		0, NULL, QUERY_MS, on_row, waiter_new(sizeof(struct waiter), gateway, request, 0));
}
