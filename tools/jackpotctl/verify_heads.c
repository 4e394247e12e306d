#include "tools/jackpotctl/verify_heads.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define SUFFIX ".heads"
#define COPY_OF "the copy of "
#define PATH_ROOM 4352
#define CHUNK 5000 /* heads asked of the database at once */

/* ---- files ---- */

static void wrong(const char *text)
{
	fprintf(stderr, "jackpotctl: %s\n", text);
	exit(EXIT_USAGE);
}

static void *grown(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room == 0 ? 256 : *room * 2;
	array = realloc(array, *room * size);
	if (array == NULL)
		wrong("out of memory");
	return array;
}

static bool proven_before(const struct verify_scope *scope, const struct chain_head *head)
{
	for (size_t i = 0; i < scope->shards_n; i++)
		if (scope->shards[i].shard == head->shard)
			return head->batch < scope->shards[i].batch;
	return false;
}

static void line_take(struct verify_heads *heads, const struct verify_scope *scope,
	const struct verify_head *at, const char *line, const struct chain_publics *keys,
	struct verify_report *report)
{
	struct verify_head head = *at;
	const char *why;
	char where[256];

	if (!chain_head_read(line, keys, &head.head, &why)) {
		(void)snprintf(where, sizeof(where), "%.200s, line %zu", at->file, at->line);
		verify_breach_add(report, 10, where, why, "a head signed by the wallet");
		return;
	}
	heads->there = true;
	if (proven_before(scope, &head.head))
		return;
	heads->head = grown(heads->head, heads->n, &heads->room, sizeof(*heads->head));
	heads->head[heads->n++] = head;
}

/* The name of a file as breaches say it. */
static char *named(const struct verify_heads *heads, const char *name)
{
	char text[320];
	char *copy;

	(void)snprintf(text, sizeof(text), "%s%.250s", heads->is_copy ? COPY_OF : "", name);
	copy = strdup(text);
	if (copy == NULL)
		wrong("out of memory");
	return copy;
}

static void file_take(struct verify_heads *heads, const struct verify_scope *scope,
	const char *folder, const char *name, const struct chain_publics *keys,
	struct verify_report *report)
{
	char path[PATH_ROOM];
	char line[CHAIN_HEAD_LINE_MAX + 2];
	char *file_name = named(heads, name);
	struct verify_head at = { .file = file_name };
	size_t before = heads->n;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%.4000s/%.250s", folder, name);
	file = fopen(path, "re");
	if (file == NULL)
		wrong("the heads cannot be read");
	while (fgets(line, sizeof(line), file) != NULL) {
		size_t length = strcspn(line, "\n");
		at.line++;
		if (line[length] == '\0' && feof(file))
			break; /* it is being written */
		line[length] = '\0';
		line_take(heads, scope, &at, line, keys, report);
	}
	(void)fclose(file);
	if (heads->n == before)
		free(file_name);
}

static bool is_heads(const char *name)
{
	size_t length = strlen(name);

	return length > sizeof(SUFFIX) - 1 &&
	       strcmp(name + length - (sizeof(SUFFIX) - 1), SUFFIX) == 0;
}

/* All heads of a folder. Of a missing folder only if it was `given` is anything said. */
static void folder_take(struct verify_heads *heads, const struct verify_scope *scope,
	const char *option, const char *path, bool given, const struct chain_publics *keys,
	struct verify_report *report)
{
	const struct dirent *entry;
	DIR *folder = opendir(path);
	char text[PATH_ROOM];

	if (folder == NULL && given) {
		(void)snprintf(
			text, sizeof(text), "%s: %.4000s: %s", option, path, strerror(errno));
		wrong(text);
	}
	while (folder != NULL && (entry = readdir(folder)) != NULL)
		if (is_heads(entry->d_name))
			file_take(heads, scope, path, entry->d_name, keys, report);
	if (folder != NULL)
		(void)closedir(folder);
	(void)snprintf(text, sizeof(text), "%s: found no heads in the folder", option);
	if (!heads->there && given)
		wrong(text);
}

static bool has_heads(const char *path)
{
	const struct dirent *entry;
	DIR *folder = opendir(path);
	bool found = false;

	while (folder != NULL && !found && (entry = readdir(folder)) != NULL)
		found = is_heads(entry->d_name);
	if (folder != NULL)
		(void)closedir(folder);
	return found;
}

/* The keys to trust: those that were named, else those of the copy, else those beside the heads. A
 * copy may lack the newest keys; it never has others. */
static void keys_read(const struct verify_options *options, bool heads, bool copy,
	struct chain_publics *keys_r, struct verify_report *report)
{
	char path[PATH_ROOM], second_path[PATH_ROOM], error[CHAIN_ERROR_MAX];
	struct chain_publics second = { .n = 0 };

	keys_r->n = 0;
	(void)snprintf(path, sizeof(path), "%.4000s/" CHAIN_PUBLIC_FILE, options->heads);
	(void)snprintf(
		second_path, sizeof(second_path), "%.4000s/" CHAIN_PUBLIC_FILE, options->copy);
	if (options->public_key != NULL) {
		if (!chain_publics_read(options->public_key, keys_r, error))
			wrong(error);
		return;
	}
	if (copy && !chain_publics_read(second_path, &second, error))
		wrong(error);
	if (heads && !chain_publics_read(path, keys_r, error)) {
		if (!copy)
			wrong(error);
		verify_breach_add(report, 10, path, error, "the keys that the copy has");
	} else if (heads && copy && !chain_publics_agree(keys_r, &second)) {
		verify_breach_add(report, 10, path, "other keys", "the keys that the copy has");
		*keys_r = second;
	}
	if (second.n > keys_r->n)
		*keys_r = second;
}

void verify_heads_read(const struct verify_options *options, const struct verify_scope *scope,
	struct verify_heads *heads_r, struct verify_heads *copy_r, struct verify_report *report)
{
	struct chain_publics keys;
	bool heads = has_heads(options->heads), copy = has_heads(options->copy);

	memset(heads_r, 0, sizeof(*heads_r));
	memset(copy_r, 0, sizeof(*copy_r));
	copy_r->is_copy = true;
	if (sodium_init() < 0)
		wrong("libsodium cannot be initialised");
	if (heads || copy)
		keys_read(options, heads, copy, &keys, report);
	/* The copy first: whatever it has, the other had before. */
	folder_take(
		copy_r, scope, "--heads-copy", options->copy, options->copy_given, &keys, report);
	folder_take(heads_r, scope, "--heads", options->heads, options->heads_given, &keys, report);
}

/* ---- the two places ---- */

static int by_head(const void *a, const void *b)
{
	const struct chain_head *x = &((const struct verify_head *)a)->head;
	const struct chain_head *y = &((const struct verify_head *)b)->head;

	if (x->shard != y->shard)
		return x->shard < y->shard ? -1 : 1;
	if (x->batch != y->batch)
		return x->batch < y->batch ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return memcmp(x->digest, y->digest, sizeof(x->digest));
}

/* Has the copy a file of this name? Heads of an instance that ended before there was a copy are not
 * in it. Heads of one file share the pointer to its name. */
static bool file_copied(const struct verify_heads *copy, const char *file)
{
	const char *last = NULL;

	for (size_t i = 0; i < copy->n; i++) {
		if (copy->head[i].file == last)
			continue;
		last = copy->head[i].file;
		if (strcmp(last + sizeof(COPY_OF) - 1, file) == 0)
			return true;
	}
	return false;
}

/* Names heads of one place that the other lacks; only those signed before `before_us`. */
static void lacking(const struct verify_heads *has, struct verify_heads *lacks, uint64_t before_us,
	const char *expected, struct verify_report *report)
{
	const char *asked = NULL;
	bool copied = true;
	size_t said = 0;
	char where[320];

	if (lacks->n > 0)
		qsort(lacks->head, lacks->n, sizeof(*lacks->head), by_head);
	for (size_t i = 0; i < has->n && said < VERIFY_BREACHES_MAX; i++) {
		const struct verify_head *at = &has->head[i];

		if (lacks->is_copy && at->file != asked)
			copied = file_copied(lacks, asked = at->file);
		if (!copied || at->head.time_us >= before_us ||
			(lacks->n > 0 && bsearch(at, lacks->head, lacks->n, sizeof(*at), by_head)))
			continue;
		said++;
		(void)snprintf(where, sizeof(where),
			"shard %u, batch %" PRIu64 ", by the head in %.200s, line %zu",
			at->head.shard, at->head.batch, at->file, at->line);
		verify_breach_add(report, 10, where, "no such head", expected);
	}
}

static void places_compare(
	struct verify_heads *heads, struct verify_heads *copy, struct verify_report *report)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < heads->n; i++)
		if (heads->head[i].head.time_us > newest)
			newest = heads->head[i].head.time_us;
	lacking(copy, heads, UINT64_MAX, "the same head in the folder of the heads", report);
	if (newest > VERIFY_HEADS_LATE_S * UINT64_C(1000000))
		lacking(heads, copy, newest - VERIFY_HEADS_LATE_S * UINT64_C(1000000),
			"the same head in the copy", report);
}

/* ---- the chain ---- */

static PGresult *ask(PGconn *conn, const char *sql, const char *parameter)
{
	const char *const parameters[] = { parameter };
	PGresult *result = PQexecParams(conn, sql, 1, NULL, parameters, NULL, NULL, 0);

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	fprintf(stderr, "jackpotctl: the database could not be read: %s", PQerrorMessage(conn));
	exit(EXIT_USAGE);
}

static char *chunk_text(const struct verify_heads *heads, size_t first, size_t n)
{
	char *text = malloc(n * 192 + 16);
	size_t length = 0;

	if (text == NULL)
		wrong("out of memory");
	text[length++] = '[';
	for (size_t i = first; i < first + n; i++) {
		const struct chain_head *head = &heads->head[i].head;
		length += (size_t)sprintf(text + length, "%s[%zu,%u,%" PRIu64 ",%" PRIu64 ",\"",
			i == first ? "" : ",", i, head->shard, head->batch, head->seq);
		for (size_t j = 0; j < CHAIN_DIGEST_BYTES; j++)
			length += (size_t)sprintf(text + length, "%02x", head->digest[j]);
		length += (size_t)sprintf(text + length, "\"]");
	}
	memcpy(text + length, "]", 2);
	return text;
}

static void chunk_check(PGconn *conn, const struct verify_heads *heads, size_t first, size_t n,
	struct verify_report *report)
{
	static const char sql[] =
		"select (e->>0)::bigint, format('seq %s, digest %s', coalesce(b.last_seq::text, "
		"'none'), coalesce(encode(b.digest, 'hex'), 'none')), format('seq %s, digest %s, as "
		"signed', e->>3, e->>4) from jsonb_array_elements($1::jsonb) e left join "
		"wallet.batch b on b.shard = (e->>1)::integer and b.batch = (e->>2)::bigint where "
		"b.digest is distinct from decode(e->>4, 'hex') or b.last_seq is distinct from "
		"(e->>3)::bigint limit 20";
	char *text = chunk_text(heads, first, n);
	PGresult *result = ask(conn, sql, text);

	for (int i = 0; i < PQntuples(result); i++) {
		const struct verify_head *at =
			&heads->head[strtoull(PQgetvalue(result, i, 0), NULL, 10)];
		char where[320];
		(void)snprintf(where, sizeof(where),
			"shard %u, batch %" PRIu64 ", by the head in %.200s, line %zu",
			at->head.shard, at->head.batch, at->file, at->line);
		verify_breach_add(
			report, 10, where, PQgetvalue(result, i, 1), PQgetvalue(result, i, 2));
	}
	PQclear(result);
	free(text);
}

/* Heads that were taken away at the end leave a chain that goes on without any. */
static void missing_heads_check(
	PGconn *conn, const struct verify_heads *heads, struct verify_report *report)
{
	static const char sql[] =
		"with h as (select (e->>0)::integer as shard, (e->>1)::bigint as batch from "
		"jsonb_array_elements($1::jsonb->'last') e), newest as (select 'epoch'::timestamptz "
		"+ ($1::jsonb->>'newest')::bigint * interval '1 microsecond' as time), last as "
		"(select distinct on (shard) shard, batch, time from wallet.batch order by shard, "
		"batch desc) select format('shard %s, batch %s', shard, l.batch), format('last head "
		"of batch %s', coalesce(h.batch::text, 'none')), format('a head of batch %s: that "
		"batch is of %s, the newest head of %s', l.batch, l.time, n.time) from last l "
		"left join h using (shard) cross join newest n where coalesce(h.batch, 0) < "
		"l.batch and l.time < n.time - interval '1 second' * ($1::jsonb->>'late')::integer";
	struct chain_head last[SCOPE_SHARDS_MAX];
	char text[SCOPE_SHARDS_MAX * 40 + 128];
	uint64_t newest = 0;
	size_t length, n = 0;
	PGresult *result;

	for (size_t i = 0; i < heads->n; i++) {
		const struct chain_head *head = &heads->head[i].head;
		size_t at = 0;
		while (at < n && last[at].shard != head->shard)
			at++;
		if (at == SCOPE_SHARDS_MAX)
			continue;
		if (at == n || head->batch > last[at].batch)
			last[at] = *head;
		n += at == n;
		if (head->time_us > newest)
			newest = head->time_us;
	}
	length = (size_t)snprintf(text, sizeof(text),
		"{\"newest\":%" PRIu64 ",\"late\":%d,\"last\":[", newest, VERIFY_HEADS_LATE_S);
	for (size_t i = 0; i < n; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
			"%s[%u,%" PRIu64 "]", i == 0 ? "" : ",", last[i].shard, last[i].batch);
	(void)snprintf(text + length, sizeof(text) - length, "]}");
	result = ask(conn, sql, text);
	for (int i = 0; i < PQntuples(result); i++)
		verify_breach_add(report, 10, PQgetvalue(result, i, 0), PQgetvalue(result, i, 1),
			PQgetvalue(result, i, 2));
	PQclear(result);
}

static void place_check(
	PGconn *conn, const struct verify_heads *heads, struct verify_report *report)
{
	for (size_t i = 0; i < heads->n; i += CHUNK)
		chunk_check(conn, heads, i, heads->n - i < CHUNK ? heads->n - i : CHUNK, report);
	if (heads->n > 0)
		missing_heads_check(conn, heads, report);
}

void verify_heads_check(PGconn *conn, struct verify_heads *heads, struct verify_heads *copy,
	struct verify_report *report)
{
	report->heads = heads->n;
	report->heads_copied = copy->n;
	place_check(conn, heads, report);
	if (!copy->there)
		return;
	place_check(conn, copy, report);
	places_compare(heads, copy, report);
}

void verify_heads_free(struct verify_heads *heads)
{
	free(heads->head); /* the names of the files live as long as the process */
	memset(heads, 0, sizeof(*heads));
}
