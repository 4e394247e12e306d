#include "tools/jackpotctl/backend_key.h"

#include "services/gateway/core/scope.h"
#include "tools/jackpotctl/rows_print.h"

#include <sodium.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define KEY_BYTES 32
#define DIGITS_MAX (2 * crypto_hash_sha256_BYTES + 1)
#define NAME_MAX_BYTES 64
#define ID_DIGITS 8
#define MORE_ROOM 128

static _Noreturn void wrong(const char *what, const char *found, const char *expected)
{
	fprintf(stderr, "jackpotctl: %s: found '%s', expected %s\n", what, found, expected);
	exit(EXIT_USAGE);
}

static PGresult *rows(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return rows_ask_with(conn, "the keys could not be read or written", sql, n, parameters);
}

/* ---- making one ---- */

static void limits_check(const struct backend_key_options *options)
{
	struct scope scope = { 0 };
	size_t length = strlen(options->name);

	if (length < 1 || length > NAME_MAX_BYTES)
		wrong("NAME", options->name, "1 to 64 bytes");
	if (options->scopes != NULL && !scope_kinds_read(options->scopes, &scope))
		wrong("--scopes", options->scopes,
			"names of read, players, money and pools, separated by commas, each once");
	if (options->amounts != NULL && !scope_amounts_read(options->amounts, &scope))
		wrong("--amounts", options->amounts,
			"up to 16 currencies, each once, with an amount in minor units, such as "
			"EUR:50000,SEK:600000");
	if (options->pools != NULL && !scope_pools_read(options->pools, &scope))
		wrong("--pools", options->pools,
			"the numbers of up to 32 pools and sets, each once, such as 1,4");
}

/* The key as text, and the digest of this text in hex. */
static void key_invent(char text[2 * KEY_BYTES + 1], char digits[DIGITS_MAX])
{
	uint8_t bytes[KEY_BYTES], digest[crypto_hash_sha256_BYTES];

	randombytes_buf(bytes, sizeof(bytes));
	(void)sodium_bin2hex(text, 2 * KEY_BYTES + 1, bytes, sizeof(bytes));
	(void)crypto_hash_sha256(digest, (const unsigned char *)text, strlen(text));
	(void)sodium_bin2hex(digits, DIGITS_MAX, digest, sizeof(digest));
	sodium_memzero(bytes, sizeof(bytes));
}

/* Before the key is in the database: one that nobody has is worth nothing. */
static void file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (file == NULL || fprintf(file, "%s\n", text) < 0 || fclose(file) != 0)
		wrong("--key-file", path, strerror(errno));
}

/* Tells where the key is, or that there is none; then the key is in no memory any more. */
static void told(const struct backend_key_options *options, bool added, const char *digits,
	const char *name, char text[2 * KEY_BYTES + 1], const char *more)
{
	if (!added && options->file != NULL)
		(void)unlink(options->file);
	if (added && options->file != NULL)
		(void)outcome_print(options->json, true,
			json_pack("{s:s%,s:s,s:s}", "id", digits, (size_t)ID_DIGITS, "name", name,
				"file", options->file),
			"key %.8s %s added; it is in %s%s", digits, name, options->file, more);
	else if (added)
		(void)outcome_print(options->json, true,
			json_pack("{s:s%,s:s,s:s}", "id", digits, (size_t)ID_DIGITS, "name", name,
				"key", text),
			"key %.8s %s added; it is shown this once: %s%s", digits, name, text, more);
	sodium_memzero(text, 2 * KEY_BYTES + 1);
}

#define EXPIRES_US(column) "(extract(epoch from " column ") * 1000000)::bigint"

bool backend_key_add(PGconn *conn, const struct backend_key_options *options)
{
	char text[2 * KEY_BYTES + 1], digits[DIGITS_MAX];
	const char *parameters[] = { options->operator_id, digits, options->name, options->days,
		options->read_only ? "t" : "f", options->amounts, options->pools, options->scopes };
	PGresult *result;
	bool added;

	limits_check(options);
	key_invent(text, digits);
	if (options->file != NULL)
		file_write(options->file, text);
	result = rows(conn,
		"with k as (insert into gateway.operator_key (operator, digest, note, expires, "
		"read_only, amounts, pools, scopes, created_by) select $1::integer, decode($2, "
		"'hex'), $3, now() + $4::integer * interval '1 day', $5::boolean, $6, $7, $8, "
		"'jackpotctl' where not exists (select from gateway.operator_key o where o.operator "
		"= $1::integer and o.revoked is null and ((o.note = $3 and coalesce(o.expires > "
		"now(), true)) or left(encode(o.digest, 'hex'), 8) = left($2, 8))) returning *), a "
		"as (insert into gateway.audit (operator, actor, action, subject, request_id, "
		"content, status) select operator, 'jackpotctl', 'key created', 'key ' || left($2, "
		"8), '', jsonb_build_object('name', note, 'expires', expires, 'read_only', "
		"read_only, 'amounts', amounts, 'pools', pools, 'scopes', scopes), 200 from k) "
		"select 1 from k",
		8, parameters);
	added = PQntuples(result) == 1;
	PQclear(result);
	if (!added)
		(void)outcome_print(options->json, false, NULL,
			"the operator has a key %s already; nothing was changed", options->name);
	told(options, added, digits, options->name, text, "");
	return added;
}

bool backend_key_rotate(PGconn *conn, const struct backend_key_options *options)
{
	char text[2 * KEY_BYTES + 1], digits[DIGITS_MAX];
	const char *parameters[] = { options->operator_id, options->id, digits, options->days };
	const char *verdict;
	char more[MORE_ROOM];
	PGresult *result;
	bool made;

	key_invent(text, digits);
	if (options->file != NULL)
		file_write(options->file, text);
	result = rows(conn,
		"with k as (select r.*, w.expires from gateway.key_was($1::integer, $2) w, lateral "
		"gateway.key_rotate($1::integer, w.id, decode($3, 'hex'), 86400, $4::integer, "
		"'jackpotctl') r), a as (insert into gateway.audit (operator, "
		"actor, action, subject, request_id, content, status) select $1::integer, "
		"'jackpotctl', 'key rotated', 'key ' || $2, '', jsonb_build_object('name', name, "
		"'keep_s', 86400, 'successor', left($3, 8), 'before', jsonb_build_object('state', "
		"'active', 'expires_us', " EXPIRES_US(
			"expires") "), 'after', "
				   "jsonb_build_object('state', 'active', 'expires_us', " EXPIRES_US(
					   "least(expires, now() + interval '1 day')") ")), 200 from k where verdict = 'made') "
										       "select verdict, name from k",
		4, parameters);
	verdict = PQgetvalue(result, 0, 0);
	made = strcmp(verdict, "made") == 0;
	if (strcmp(verdict, "rotated") == 0)
		(void)outcome_print(options->json, false, NULL,
			"another key replaces %s already; nothing was changed", options->id);
	else if (strcmp(verdict, "full") == 0)
		(void)outcome_print(options->json, false, NULL,
			"the operator has twenty keys in force; nothing was changed");
	else if (!made)
		(void)outcome_print(options->json, false, NULL,
			"the operator has no key %s that is in force; nothing was changed",
			options->id);
	(void)snprintf(more, sizeof(more),
		"\nkey %.8s ends in a day; jackpotctl key end %.8s ends it sooner", options->id,
		options->id);
	told(options, made, digits, PQgetvalue(result, 0, 1), text, more);
	PQclear(result);
	return made;
}

bool backend_key_end(PGconn *conn, const struct backend_key_options *options)
{
	const char *parameters[] = { options->operator_id, options->id };
	PGresult *result = rows(conn,
		"with k as (update gateway.operator_key set revoked = now() where operator = "
		"$1::integer and left(encode(digest, 'hex'), 8) = $2 and revoked is null returning "
		"*), a as (insert into gateway.audit (operator, actor, action, subject, request_id, "
		"content, status) select operator, 'jackpotctl', 'key ended', 'key ' || $2, '', "
		"jsonb_build_object('name', note, 'before', jsonb_build_object('state', 'active', "
		"'expires_us', " EXPIRES_US(
			"expires") "), 'after', jsonb_build_object('state', "
				   "'ended', 'expires_us', " EXPIRES_US(
					   "expires") ")), 200 from k) select note from k",
		2, parameters);
	bool ended = PQntuples(result) > 0;

	if (ended)
		(void)outcome_print(options->json, true, NULL, "key %s %s has ended", options->id,
			PQgetvalue(result, 0, 0));
	else
		(void)outcome_print(options->json, false, NULL,
			"the operator has no key %s that is in force; nothing was changed",
			options->id);
	PQclear(result);
	return ended;
}

/* ---- listing ---- */

/* Columns of the list. */
enum { ID, NAME, STATE, READ_ONLY, AMOUNTS, POOLS, EXPIRES, CREATED, SCOPES, USED, SUCCESSOR };

static const char *text_of(const PGresult *result, int row, int column)
{
	return PQgetisnull(result, row, column) ? NULL : PQgetvalue(result, row, column);
}

static void list_text(const PGresult *result)
{
	for (int i = 0; i < PQntuples(result); i++) {
		const char *amounts = text_of(result, i, AMOUNTS);
		const char *pools = text_of(result, i, POOLS);
		const char *expires = text_of(result, i, EXPIRES);
		const char *scopes = text_of(result, i, SCOPES);
		bool reads = strcmp(text_of(result, i, READ_ONLY), "t") == 0;
		printf("%s %-24s %-8s%s%s%s%s%s%s%s%s%s%s%s\n", text_of(result, i, ID),
			text_of(result, i, NAME), text_of(result, i, STATE),
			reads ? " reads only;" : "", scopes != NULL ? " scopes " : "",
			scopes != NULL ? scopes : "", scopes != NULL ? ";" : "",
			amounts != NULL ? " up to " : "", amounts != NULL ? amounts : "",
			amounts != NULL ? ";" : "", pools != NULL ? " pools " : "",
			pools != NULL ? pools : "", pools != NULL ? ";" : "",
			reads || scopes != NULL || amounts != NULL || pools != NULL
				? ""
				: " no limits;");
		if (expires != NULL)
			printf("%34s until %s\n", "", expires);
	}
	if (PQntuples(result) == 0)
		puts("the operator has no keys in the database");
}

static json_t *text_json(const char *text)
{
	return text == NULL ? json_null() : json_string(text);
}

static void list_json(const PGresult *result)
{
	json_t *list = json_array();

	for (int i = 0; i < PQntuples(result); i++)
		json_array_append_new(
			list, json_pack("{s:s,s:s,s:s,s:b,s:o,s:o,s:o,s:s,s:o,s:o,s:o}", "id",
				      text_of(result, i, ID), "name", text_of(result, i, NAME),
				      "state", text_of(result, i, STATE), "read_only",
				      strcmp(text_of(result, i, READ_ONLY), "t") == 0, "amounts",
				      text_json(text_of(result, i, AMOUNTS)), "pools",
				      text_json(text_of(result, i, POOLS)), "expires",
				      text_json(text_of(result, i, EXPIRES)), "created",
				      text_of(result, i, CREATED), "scopes",
				      text_json(text_of(result, i, SCOPES)), "used",
				      text_json(text_of(result, i, USED)), "successor",
				      text_json(text_of(result, i, SUCCESSOR))));
	json_print(json_pack("{s:o}", "keys", list));
}

bool backend_key_list(PGconn *conn, const struct backend_key_options *options)
{
	const char *parameters[] = { options->operator_id };
	PGresult *result = rows(conn,
		"select left(encode(digest, 'hex'), 8), note, case when revoked is not null then "
		"'ended' when expires <= now() then 'expired' else 'active' end, read_only, amounts, "
		"pools, expires, created, scopes, used, left(encode(successor, 'hex'), 8) from "
		"gateway.operator_key where operator = $1::integer order by created, digest",
		1, parameters);

	if (options->json)
		list_json(result);
	else
		list_text(result);
	PQclear(result);
	return true;
}
