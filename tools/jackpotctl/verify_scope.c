#include "tools/jackpotctl/verify_scope.h"

#include "libcommon/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATE_VERSION 1

/* ---- text that grows ---- */

struct buffer {
	char *bytes;
	size_t length, room;
};

static void add_bytes(struct buffer *buffer, const char *bytes, size_t length)
{
	if (buffer->room - buffer->length <= length) {
		buffer->room = 2 * (buffer->length + length + 64);
		buffer->bytes = realloc(buffer->bytes, buffer->room);
		if (buffer->bytes == NULL) {
			fprintf(stderr, "jackpotctl: out of memory\n");
			exit(2);
		}
	}
	memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
	buffer->bytes[buffer->length] = '\0';
}

static __attribute__((format(printf, 2, 3))) void add(
	struct buffer *buffer, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	add_bytes(buffer, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* ---- names in queries ---- */

enum part { PART_SEQ, PART_BATCH, PART_CLOSE };

static const struct {
	const char *name, *table, *column;
	enum part part;
} tables[] = {
	{ "journal", "wallet.journal", "seq", PART_SEQ },
	{ "batch", "wallet.batch", "batch", PART_BATCH },
	{ "run", "wallet.close_run", "number", PART_CLOSE },
	{ "close", "wallet.close", "number", PART_CLOSE },
	{ "close_tally", "wallet.close_tally", "number", PART_CLOSE },
	{ "opened", "wallet.claim", "opened_seq", PART_SEQ },
	{ "closed", "wallet.claim", "closed_seq", PART_SEQ },
	{ "given", "wallet.spin_grant", "given_seq", PART_SEQ },
	{ "ended", "wallet.spin_grant", "ended_seq", PART_SEQ },
	{ "voided", "wallet.void", "seq", PART_SEQ },
};

static uint64_t part_of(const struct scope_shard *shard, enum part part)
{
	return part == PART_SEQ ? shard->seq : part == PART_BATCH ? shard->batch : shard->close;
}

/* An arm a shard, so that each is a range of an index and a partition by itself; and one for shards
 * that had nothing then. */
static void add_table(
	struct buffer *out, const struct verify_scope *scope, const char *table, const char *where)
{
	add(out, "select * from %s where shard not in (", table);
	for (size_t i = 0; i < scope->shards_n; i++)
		add(out, "%s%u", i == 0 ? "" : ",", scope->shards[i].shard);
	add(out, ")%s", where);
}

static void add_rows(struct buffer *out, const struct verify_scope *scope, size_t at)
{
	if (scope->shards_n == 0) {
		add(out, "%s", tables[at].table);
		return;
	}
	add(out, "(");
	add_table(out, scope, tables[at].table, "");
	for (size_t i = 0; i < scope->shards_n; i++)
		add(out, " union all select * from %s where shard = %u and %s > %" PRIu64,
			tables[at].table, scope->shards[i].shard, tables[at].column,
			part_of(&scope->shards[i], tables[at].part));
	add(out, ")");
}

/* Legs of a close may stand behind a batch that was proven before it. */
static void add_legs(struct buffer *out, const struct verify_scope *scope)
{
	if (scope->shards_n == 0) {
		add(out, "wallet.house_leg");
		return;
	}
	add(out, "(");
	add_table(out, scope, "wallet.house_leg", "");
	for (size_t i = 0; i < scope->shards_n; i++) {
		const struct scope_shard *shard = &scope->shards[i];
		add(out,
			" union all select * from wallet.house_leg where shard = %u and batch > %" PRIu64
			" and close is null",
			shard->shard, shard->batch);
		add(out,
			" union all select * from wallet.house_leg where shard = %u and close > %" PRIu64,
			shard->shard, shard->close);
	}
	add(out, ")");
}

static void add_base(struct buffer *out, const struct verify_scope *scope)
{
	add(out, "(select null::integer as shard, 0::bigint as batch, 0::bigint as seq, 0::bigint "
		 "as close, null::bytea as digest where false");
	for (size_t i = 0; i < scope->shards_n; i++) {
		const struct scope_shard *shard = &scope->shards[i];
		add(out,
			" union all values (%u, %" PRIu64 "::bigint, %" PRIu64 "::bigint, %" PRIu64
			"::bigint, '\\x%s'::bytea)",
			shard->shard, shard->batch, shard->seq, shard->close, shard->digest);
	}
	add(out, ")");
}

static void add_named(
	struct buffer *out, const struct verify_scope *scope, const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (strlen(tables[i].name) == length && memcmp(tables[i].name, name, length) == 0) {
			add_rows(out, scope, i);
			return;
		}
	if (length == 3 && memcmp(name, "leg", 3) == 0)
		add_legs(out, scope);
	else if (length == 4 && memcmp(name, "base", 4) == 0)
		add_base(out, scope);
	else if (length == 5 && memcmp(name, "whole", 5) == 0)
		add(out, "%s", scope->shards_n == 0 ? "true" : "false");
	else
		abort(); /* a query of ours names what there is not */
}

char *scope_expand(const struct verify_scope *scope, const char *sql)
{
	struct buffer out = { 0 };

	for (;;) {
		const char *at = strchr(sql, '@');
		const char *end = at == NULL ? NULL : strchr(at + 1, '@');
		if (end == NULL)
			break;
		add_bytes(&out, sql, (size_t)(at - sql));
		add_named(&out, scope, at + 1, (size_t)(end - at - 1));
		sql = end + 1;
	}
	add_bytes(&out, sql, strlen(sql));
	return out.bytes;
}

/* ---- the state's file ---- */

static bool say(char *error, const char *path, const char *found, const char *expected)
{
	(void)snprintf(error, SCOPE_ERROR_MAX, "%.200s: found %.120s, expected %.120s", path, found,
		expected);
	return false;
}

static void digest_of(const json_t *contents, char hex_r[2 * SHA256_BYTES + 1])
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 state;
	char *text = json_dumps(contents, JSON_COMPACT | JSON_SORT_KEYS);

	if (text == NULL) {
		fprintf(stderr, "jackpotctl: out of memory\n");
		exit(2);
	}
	sha256_begin(&state);
	sha256_add(&state, text, strlen(text));
	sha256_end(&state, digest);
	free(text);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		(void)snprintf(hex_r + 2 * i, 3, "%02x", digest[i]);
}

static bool shard_take(struct verify_scope *scope, json_t *entry)
{
	struct scope_shard *shard = &scope->shards[scope->shards_n];
	int number;
	json_int_t batch, seq, close_number;
	const char *digest;

	if (scope->shards_n == SCOPE_SHARDS_MAX ||
		json_unpack(entry, "{s:i,s:I,s:I,s:I,s:s}", "shard", &number, "batch", &batch,
			"seq", &seq, "close", &close_number, "digest", &digest) != 0 ||
		number < 0 || batch < 0 || seq < 0 || close_number < 0 || strlen(digest) != 64 ||
		strspn(digest, "0123456789abcdef") != 64)
		return false;
	shard->shard = (uint32_t)number;
	shard->batch = (uint64_t)batch;
	shard->seq = (uint64_t)seq;
	shard->close = (uint64_t)close_number;
	memcpy(shard->digest, digest, sizeof(shard->digest));
	scope->shards_n++;
	return true;
}

static bool contents_take(struct verify_scope *scope, json_t *contents)
{
	json_t *shards = json_object_get(contents, "shards");

	if (!json_is_array(shards) ||
		json_integer_value(json_object_get(contents, "version")) != STATE_VERSION)
		return false;
	for (size_t i = 0; i < json_array_size(shards); i++)
		if (!shard_take(scope, json_array_get(shards, i)))
			return false;
	return true;
}

void scope_whole(struct verify_scope *scope_r)
{
	memset(scope_r, 0, sizeof(*scope_r));
	scope_r->state = strdup("{\"tallies\":[],\"pendings\":[],\"spins\":[],\"vectors\":[]}");
}

/* The contents of the mark's file, once it is sure who wrote them. *contents_r is NULL, and so the
 * proof whole, for a file of a build that did not sign. */
static bool root_check(struct verify_mark *mark, json_t *root, json_t **contents_r, char *error)
{
	json_t *contents = json_object_get(root, "contents");
	const char *kept = json_string_value(json_object_get(root, "sha256"));
	char digest[2 * SHA256_BYTES + 1];
	bool unsigned_state;

	*contents_r = NULL;
	if (contents == NULL || kept == NULL)
		return say(error, mark->path, "something else", "the state of a proof");
	digest_of(contents, digest);
	if (strcmp(kept, digest) != 0)
		return say(error, mark->path, "contents that do not match the digest in the file",
			"an unchanged file; to prove from the beginning, leave out --since-last "
			"or remove the file");
	if (!mark_check(mark, root, digest, &unsigned_state, error))
		return false;
	if (unsigned_state)
		fprintf(stderr, "jackpotctl: %s is not signed: proving from the beginning\n",
			mark->path);
	else
		*contents_r = contents;
	return true;
}

bool scope_load(struct verify_mark *mark, struct verify_scope *scope_r, char *error)
{
	json_error_t why;
	json_t *root, *contents;
	bool good;

	scope_whole(scope_r);
	if (access(mark->path, F_OK) != 0)
		return true;
	root = json_load_file(mark->path, 0, &why);
	if (root == NULL) {
		char found[sizeof(why.text) + 16];

		(void)snprintf(found, sizeof(found), "no JSON (%s)", why.text);
		return say(error, mark->path, found, "the state of a proof");
	}
	good = root_check(mark, root, &contents, error);
	if (good && contents != NULL) {
		good = contents_take(scope_r, contents) ||
		       say(error, mark->path, "a state of another version", "one of this build");
		free(scope_r->state);
		scope_r->state = json_dumps(contents, JSON_COMPACT);
	}
	json_decref(root);
	return good;
}

void scope_free(struct verify_scope *scope)
{
	free(scope->state);
	scope->state = NULL;
}

/* ---- days that were dropped ---- */

/* The same document as of where the dropped leaves end; null where there are none. */
static const char dropped_sql[] =
	"with last as (select distinct on (shard) * from wallet.leaf where state = 'dropped' order "
	"by shard, day desc), "
	"sums as (select l.shard, t.key as tally, sum(t.value::bigint) as total from wallet.leaf l, "
	"jsonb_each_text(l.tallies) t where l.state = 'dropped' group by 1, 2), "
	"pendings as (select distinct on (player, game) player, game, pending_after as amount from "
	"wallet.carried where move > 0 order by player, game, shard desc, seq desc), "
	"spins as (select outside_id as id, count(*) as used from wallet.carried where kind = 2 and "
	"refusal = 0 and outside_id is not null group by 1) "
	"select json_build_object('shards', json_agg(json_build_object('shard', shard, 'batch', "
	"last_batch, 'seq', last_seq, 'close', coalesce((select max(number) from wallet.close_run "
	"r where r.shard = last.shard and r.seq <= last.last_seq), 0), 'digest', encode(head, "
	"'hex')) order by shard), "
	"'tallies', (select coalesce(json_agg(json_build_array(shard, tally::integer, total, null, "
	"null)), '[]') from sums), "
	"'pendings', (select coalesce(json_agg(json_build_array(player, game, amount)), '[]') from "
	"pendings where amount <> 0), "
	"'spins', (select coalesce(json_agg(json_build_array(encode(id, 'hex'), used)), '[]') from "
	"spins), 'vectors', json_build_array()) from last having count(*) > 0";

/* Does the scope begin behind all that is gone? */
static bool reaches(const struct verify_scope *scope, const struct verify_scope *dropped)
{
	for (size_t i = 0; i < dropped->shards_n; i++) {
		size_t at = 0;
		while (at < scope->shards_n && scope->shards[at].shard != dropped->shards[i].shard)
			at++;
		if (at == scope->shards_n || scope->shards[at].seq < dropped->shards[i].seq)
			return true;
	}
	return false;
}

bool scope_after_dropped(PGconn *conn, struct verify_scope *scope, char *error)
{
	static struct verify_scope dropped;
	PGresult *result = PQexec(conn, dropped_sql);
	json_t *contents = NULL;
	bool good = PQresultStatus(result) == PGRES_TUPLES_OK;

	memset(&dropped, 0, sizeof(dropped));
	if (!good)
		(void)snprintf(error, SCOPE_ERROR_MAX, "wallet.leaf: %s", PQerrorMessage(conn));
	if (good && PQntuples(result) == 1)
		contents = json_loads(PQgetvalue(result, 0, 0), 0, NULL);
	if (contents != NULL) {
		json_object_set_new(contents, "version", json_integer(STATE_VERSION));
		dropped.state = json_dumps(contents, JSON_COMPACT);
		good = contents_take(&dropped, contents) ||
		       say(error, "wallet.leaf", "partitions dropped that were not closed",
			       "closed ones");
	}
	if (good && contents != NULL && reaches(scope, &dropped)) {
		scope_free(scope);
		*scope = dropped;
	} else {
		scope_free(&dropped);
	}
	json_decref(contents);
	PQclear(result);
	return good;
}

/* ---- what was replayed ---- */

static json_t *replayed_of(const struct verify_scope *scope)
{
	json_t *contents = json_loads(scope->state, 0, NULL);
	json_t *replayed = json_incref(json_object_get(contents, "replayed"));

	json_decref(contents);
	return replayed;
}

/* A state that was kept by a build without a replay: nothing was replayed. */
bool scope_of_replay(
	PGconn *conn, const struct verify_scope *scope, struct verify_scope *own_r, char *error)
{
	json_t *replayed = replayed_of(scope);

	if (scope->shards_n == 0 || replayed == NULL) {
		json_decref(replayed);
		scope_whole(own_r);
		return scope_after_dropped(conn, own_r, error);
	}
	*own_r = *scope;
	own_r->state = strdup(scope->state);
	for (size_t i = 0; i < own_r->shards_n; i++) {
		char name[16];
		(void)snprintf(name, sizeof(name), "%" PRIu32, own_r->shards[i].shard);
		own_r->shards[i].seq =
			(uint64_t)json_integer_value(json_object_get(replayed, name));
	}
	json_decref(replayed);
	return scope_after_dropped(conn, own_r, error);
}

/* The last rows of the shards now, or of the replay before. */
static void replayed_keep(json_t *contents, const struct verify_scope *scope, bool replayed)
{
	json_t *kept = replayed ? json_object() : replayed_of(scope);
	json_t *shards = json_object_get(contents, "shards");

	for (size_t i = 0; replayed && i < json_array_size(shards); i++) {
		json_t *shard = json_array_get(shards, i);
		char name[16];
		(void)snprintf(name, sizeof(name), "%d",
			(int)json_integer_value(json_object_get(shard, "shard")));
		json_object_set(kept, name, json_object_get(shard, "seq"));
	}
	if (kept != NULL)
		json_object_set_new(contents, "replayed", kept);
}

/* ---- the state of a snapshot ---- */

/* One JSON document. Totals of tallies: what is written, and the rows behind it, for rows up to a
 * batch's checkpoint are in it. Money pending: what the state before said, and the rows since. */
static const char state_sql[] =
	"with last as (select distinct on (shard) shard, batch, last_seq, checkpoint, digest from "
	"wallet.batch order by shard, batch desc), "
	"late as (select j.shard, t.tally, j.seq, j.stake from last l join wallet.journal j on "
	"j.shard = l.shard and j.seq > l.checkpoint, unnest(j.tallies) t(tally)), "
	"totals as (select shard, tally, coalesce(w.total, 0) + coalesce(sum(l.stake) filter "
	"(where l.seq > coalesce(w.seq, 0)), 0) as total, w.total as seen, w.seq from "
	"wallet.tally_total w full join late l using (shard, tally) group by shard, tally, "
	"w.total, w.seq), "
	"moved as (select distinct on (player, game) player, game, pending_after from @journal@ j "
	"where move > 0 order by player, game, shard desc, seq desc), "
	"kept as (select (e->>0)::bigint as player, (e->>1)::integer as game, (e->>2)::bigint as "
	"amount from jsonb_array_elements($3::jsonb->'pendings') e), "
	"pendings as (select player, game, coalesce(m.pending_after, k.amount) as amount from kept "
	"k full join moved m using (player, game)), "
	"vectors as (select 'pool' as owner, * from pool.vector union all select 'cards', * from "
	"cards.vector) "
	"select json_build_object('shards', (select coalesce(json_agg(json_build_object('shard', "
	"shard, 'batch', batch, 'seq', last_seq, 'close', coalesce((select max(number) from "
	"wallet.close_run r where r.shard = last.shard), 0), 'digest', encode(digest, 'hex')) order "
	"by shard), '[]') from last), "
	"'tallies', (select coalesce(json_agg(json_build_array(shard, tally, total, seen, seq)), "
	"'[]') from totals), "
	"'pendings', (select coalesce(json_agg(json_build_array(player, game, amount)), '[]') from "
	"pendings where amount <> 0), "
	"'spins', (select coalesce(json_agg(json_build_array(encode(id, 'hex'), used)), '[]') from "
	"wallet.spin_grant where used < spins and ended_seq is null), "
	"'vectors', (select coalesce(json_agg(json_build_array(owner, pool, shard, tally, total, "
	"seq)), '[]') from vectors))";

static json_t *query_contents(PGconn *conn, const struct verify_scope *scope)
{
	static const Oid types[] = { 1007, 1007, 3802 };
	const char *parameters[] = { NULL, NULL, scope->state };
	char *sql = scope_expand(scope, state_sql);
	PGresult *result = PQexecParams(conn, sql, 3, types, parameters, NULL, NULL, 0);
	json_t *contents = NULL;

	free(sql);
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		contents = json_loads(PQgetvalue(result, 0, 0), 0, NULL);
	else
		fprintf(stderr, "jackpotctl: %s", PQerrorMessage(conn));
	PQclear(result);
	if (contents != NULL)
		json_object_set_new(contents, "version", json_integer(STATE_VERSION));
	return contents;
}

static bool write_whole(const char *path, const char *text)
{
	size_t length = strlen(text);
	size_t done = 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);

	while (fd >= 0 && done < length) {
		ssize_t n = write(fd, text + done, length - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	bool good = fd >= 0 && done == length && fsync(fd) == 0;
	if (fd >= 0 && close(fd) != 0)
		good = false;
	return good;
}

bool scope_save(PGconn *conn, struct verify_mark *mark, const struct verify_scope *scope,
	bool replayed, char *error)
{
	char digest[2 * SHA256_BYTES + 1];
	char temporary[MARK_PATH_MAX + 32];
	json_t *contents = query_contents(conn, scope);
	json_t *root;
	char *text;
	bool good;

	if (contents == NULL)
		return say(error, mark->path, "no answer from the database",
			"the contents to write to this file");
	replayed_keep(contents, scope, replayed);
	digest_of(contents, digest);
	root = json_pack("{s:o,s:s}", "contents", contents, "sha256", digest);
	mark_sign(mark, root, digest);
	text = json_dumps(root, JSON_COMPACT);
	(void)snprintf(temporary, sizeof(temporary), "%s.%ld", mark->path, (long)getpid());
	good = text != NULL && write_whole(temporary, text) && rename(temporary, mark->path) == 0;
	free(text);
	json_decref(root);
	if (!good)
		return say(error, mark->path, strerror(errno), "a file that can be written");
	return mark_keep(mark, error);
}
