#include "tools/jackpotctl/proof_note.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/proof_stream.h"
#include "tools/jackpotctl/verify.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_FILE "ledger-verify.key"
#define PUBLIC_FILE "ledger-verify.pub"
#define PATH_MAX_BYTES 4352
#define TEXT_ROOM 128
#define BYTEA_ROOM (2 * (size_t)crypto_sign_BYTES + 3)

/* ---- the signature ---- */

static size_t signed_text(const char *content, char text_r[TEXT_ROOM])
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	char hex[2 * crypto_hash_sha256_BYTES + 1];

	(void)crypto_hash_sha256(digest, (const unsigned char *)content, strlen(content));
	(void)sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest));
	return (size_t)snprintf(text_r, TEXT_ROOM, "carillon proof 1 %s", hex);
}

static bool is_signed(const struct proof_note *note, const char *content, const char *signature_hex)
{
	uint8_t signature[crypto_sign_BYTES];
	char text[TEXT_ROOM];
	size_t length = signed_text(content, text), got;

	return sodium_hex2bin(signature, sizeof(signature), signature_hex, strlen(signature_hex),
		       NULL, &got, NULL) == 0 &&
	       got == sizeof(signature) &&
	       crypto_sign_verify_detached(
		       signature, (const unsigned char *)text, length, note->key.public_key) == 0;
}

/* Hands the gateways the public key, in their folder, readable by their user alone. The folder is
 * theirs: a link that they put there is not followed. */
static void public_write(const struct chain_key *key)
{
	char room[PATH_MAX_BYTES], path[PATH_MAX_BYTES + 32], hex[2 * CHAIN_PUBLIC_BYTES + 2];
	const char *of_key = proof_key_path(NULL, "", KEY_FILE, room, sizeof(room));
	struct stat folder;
	int fd;

	(void)snprintf(path, sizeof(path), "%.*sgateway", (int)(strlen(of_key) - strlen(KEY_FILE)),
		of_key);
	if (stat(path, &folder) != 0 || !S_ISDIR(folder.st_mode))
		return;
	(void)strncat(path, "/" PUBLIC_FILE, sizeof(path) - strlen(path) - 1);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	(void)sodium_bin2hex(hex, sizeof(hex), key->public_key, sizeof(key->public_key));
	hex[2 * CHAIN_PUBLIC_BYTES] = '\n';
	if (fchown(fd, folder.st_uid, folder.st_gid) != 0 ||
		write(fd, hex, 2 * CHAIN_PUBLIC_BYTES + 1) != 2 * CHAIN_PUBLIC_BYTES + 1)
		fprintf(stderr, "jackpotctl: %s: cannot be written\n", path);
	(void)close(fd);
}

/* ---- the proof before ---- */

void proof_note_begin(PGconn *conn, struct proof_note *note_r)
{
	char room[PATH_MAX_BYTES], error[CHAIN_ERROR_MAX];
	const char *path = proof_key_path(NULL, "", KEY_FILE, room, sizeof(room));
	PGresult *result;

	memset(note_r, 0, sizeof(*note_r));
	note_r->has_key = sodium_init() >= 0 && access(path, R_OK) == 0 &&
			  chain_key_load(path, &note_r->key, error);
	result = PQexec(conn, "select content, coalesce(encode(signature, 'hex'), '') from "
			      "gateway.proof order by id desc limit 1");
	if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1 &&
		(!note_r->has_key ||
			is_signed(note_r, PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 1))))
		note_r->before = json_loads(PQgetvalue(result, 0, 0), 0, NULL);
	PQclear(result);
}

/* ---- sums ---- */

/* The legs of a close are added behind the last batch, so `settled` ends before that one. */
static const char totals_sql[] =
	"with last as (select s.shard, b.batch, b.last_seq from carillon.installation i, "
	"generate_series(0, i.shards - 1) s (shard), lateral (select batch, last_seq from "
	"wallet.batch b where b.shard = s.shard order by batch desc limit 1) b), "
	"at as (select (s->>'shard')::integer as shard, (s->>'batch')::bigint as batch from "
	"jsonb_array_elements($1::jsonb->'shards') s), "
	"legs as (select l.currency, l.account, sum(l.amount) as amount, coalesce(sum(l.amount) "
	"filter (where l.batch < last.batch), 0) as settled from last left join at using (shard) "
	"join wallet.house_leg l on l.shard = last.shard and l.batch >= coalesce(at.batch, 0) "
	"group by 1, 2), "
	"before as (select (a->>'currency')::integer as currency, a->>'account' as account, "
	"(a->>'settled')::numeric as settled from jsonb_array_elements($1::jsonb->'accounts') a), "
	"total as (select currency, account, coalesce(l.amount, 0) + coalesce(b.settled, 0) as "
	"amount, coalesce(l.settled, 0) + coalesce(b.settled, 0) as settled from legs l full join "
	"before b using (currency, account)) "
	"select (select coalesce(jsonb_agg(jsonb_build_object('shard', shard, 'batch', batch, "
	"'seq', last_seq) order by shard), '[]') from last), (select coalesce(jsonb_agg("
	"jsonb_build_object('currency', currency, 'account', account, 'amount', amount::text, "
	"'settled', settled::text) order by currency, account), '[]') from total)";

void proof_note_totals(PGconn *conn, bool since_last, struct proof_note *note)
{
	json_t *from = json_pack("{s:O*,s:O*}", "shards",
		since_last ? json_object_get(note->before, "shards") : NULL, "accounts",
		since_last ? json_object_get(note->before, "accounts") : NULL);
	char *text = json_dumps(from, JSON_COMPACT);
	bool sums = since_last && note->has_key && json_object_size(from) == 2;
	const char *parameters[] = { sums ? text : "{\"shards\":[],\"accounts\":[]}" };
	PGresult *result = PQexecParams(conn, totals_sql, 1, NULL, parameters, NULL, NULL, 0);

	if (PQresultStatus(result) != PGRES_TUPLES_OK) {
		fprintf(stderr, "jackpotctl: the accounts' sums could not be read: %s",
			PQerrorMessage(conn));
		exit(2);
	}
	note->shards = json_loads(PQgetvalue(result, 0, 0), 0, NULL);
	note->accounts = json_loads(PQgetvalue(result, 0, 1), 0, NULL);
	PQclear(result);
	free(text);
	json_decref(from);
}

/* ---- the content ---- */

/* What the proof before says of a point; NULL: nothing. */
static json_t *point_before(const struct proof_note *note, size_t point)
{
	json_t *points = json_object_get(note->before, "points"), *one;
	size_t i;

	json_array_foreach(points, i, one) if (json_integer_value(json_object_get(one, "point")) ==
					       (json_int_t)point) return one;
	return NULL;
}

static json_t *point_json(const struct proof_note *note, const struct verify_report *report,
	size_t i, json_int_t now_us)
{
	const struct verify_point *point = &report->points[i];
	const char *why_not = verify_why_not(report, i);
	json_t *json = json_pack("{s:i,s:s,s:o,s:I,s:s?}", "point", (int)i, "title", point->title,
		"holds", why_not != NULL ? json_null() : json_boolean(point->breaches_n == 0),
		"checked", (json_int_t)point->checked, "why_not", why_not);
	const json_t *before = point_before(note, i);

	if (why_not == NULL && point->breaches_n == 0) {
		json_object_set_new(json, "held_us", json_integer(now_us));
		json_object_set_new(json, "held_checked", json_integer((json_int_t)point->checked));
		json_object_set_new(json, "held_rows",
			json_integer((json_int_t)(report->rows + report->since)));
		return json;
	}
	for (size_t n = 0; n < 3; n++) {
		static const char *const names[] = { "held_us", "held_checked", "held_rows" };
		json_object_set_new(json, names[n],
			json_integer(json_integer_value(json_object_get(before, names[n]))));
	}
	return json;
}

static json_t *content_json(const struct proof_note *note, const struct verify_report *report,
	bool whole, bool since_last)
{
	bool holds = report->ledger_ok && report->pools_ok;
	json_int_t now_us = (json_int_t)clock_wall_us();
	json_t *points = json_array(), *proven;
	bool broken = !holds || (!whole && json_is_true(json_object_get(note->before, "broken")));

	for (size_t i = 1; i < VERIFY_POINTS; i++)
		if (report->points[i].title != NULL)
			json_array_append_new(points, point_json(note, report, i, now_us));
	if (holds && whole)
		proven = json_pack("{s:I,s:I,s:O}", "time_us", now_us, "rows",
			(json_int_t)(report->rows + report->since), "shards", note->shards);
	else
		proven = json_incref(json_object_get(note->before, "proven"));
	return json_pack("{s:I,s:b,s:b,s:b,s:b,s:I,s:I,s:I,s:I,s:I,s:f,s:o,s:o?,s:O,s:O}",
		"time_us", now_us, "whole", whole, "since_last", since_last, "holds", holds,
		"broken", broken, "rows", (json_int_t)report->rows, "since",
		(json_int_t)report->since, "rounds", (json_int_t)report->rounds, "hits",
		(json_int_t)report->hits, "mark", (json_int_t)report->mark, "seconds",
		report->seconds, "points", points, "proven", proven, "shards", note->shards,
		"accounts", note->accounts);
}

static void hex_text(const uint8_t *bytes, size_t n, char out[BYTEA_ROOM])
{
	memcpy(out, "\\x", 2);
	(void)sodium_bin2hex(out + 2, BYTEA_ROOM - 2, bytes, n);
}

/* The role that proves only reads, so the transaction says that it writes. */
static bool note_write(PGconn *conn, const struct proof_note *note, const char *content)
{
	uint8_t signature[crypto_sign_BYTES];
	char text[TEXT_ROOM], signature_text[BYTEA_ROOM], signer_text[BYTEA_ROOM];
	size_t length = signed_text(content, text);
	const char *parameters[] = { content, note->has_key ? signature_text : NULL,
		note->has_key ? signer_text : NULL };
	PGresult *result = PQexec(conn, "begin transaction read write");
	bool good;

	if (note->has_key) {
		(void)crypto_sign_detached(
			signature, NULL, (const unsigned char *)text, length, note->key.secret);
		hex_text(signature, sizeof(signature), signature_text);
		hex_text(note->key.public_key, sizeof(note->key.public_key), signer_text);
	}
	PQclear(result);
	result = PQexecParams(conn, "select gateway.proof_note($1, $2::bytea, $3::bytea)", 3, NULL,
		parameters, NULL, NULL, 0);
	good = PQresultStatus(result) == PGRES_TUPLES_OK;
	if (!good)
		fprintf(stderr, "jackpotctl: the console will not show this proof: %s",
			PQerrorMessage(conn));
	PQclear(result);
	PQclear(PQexec(conn, good ? "commit" : "rollback"));
	return good;
}

void proof_note_keep(PGconn *conn, const struct verify_report *report, bool whole, bool since_last,
	struct proof_note *note)
{
	json_t *json = content_json(note, report, whole, since_last);
	char *content = json == NULL ? NULL : json_dumps(json, JSON_COMPACT);

	if (content == NULL)
		fprintf(stderr,
			"jackpotctl: the console will not show this proof: out of memory\n");
	else if (note_write(conn, note, content) && note->has_key)
		public_write(&note->key);
	free(content);
	json_decref(json);
	json_decref(note->before);
	json_decref(note->shards);
	json_decref(note->accounts);
	sodium_memzero(note, sizeof(*note));
}
