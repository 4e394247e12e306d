/* Batches beside their rows: the digest and the sums that each has are made anew. The same rules as
 * chain_sql and sums_sql of verify_ledger.c, which name what breaks them. */
#include "tools/jackpotctl/verify_row.h"

#include "libcommon/base/sha256.h"

#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define FETCH "fetch 500 from batches"
#define GROUPS_MAX 1024
#define SUMS 8 /* rows, refused ones, and six amounts of the accepted ones */
#define KEYS 4
#define TALLY_TEXT_MAX 12

static const char batches_sql[] =
	"declare batches no scroll cursor for select w.shard, w.batch, w.day, w.first_seq, "
	"w.last_seq, w.digest, coalesce(lag(w.digest) over s, o.digest, decode(repeat('00', 32), "
	"'hex')), coalesce(lag(w.last_seq) over s, o.seq, 0), w.sums::text from @batch@ w left join "
	"@base@ o on o.shard = w.shard window s as (partition by w.shard order by w.batch) order by "
	"w.shard, w.batch";

enum batch_column { SHARD, BATCH, DAY, FIRST, LAST, DIGEST, BEFORE, LAST_BEFORE, BATCH_SUMS };

/* What a batch sums by: game, mode, currency, kind. */
struct group {
	int64_t key[KEYS];
	int64_t sums[SUMS];
	bool found; /* among the sums of the batch */
};

static PGconn *connection;
static const struct verify_scope *looked_at;
static PGresult *batches; /* of one fetch */
static int at;
static int32_t shard, day;
static int64_t first, last;
static struct sha256 hash;
static int64_t hashed; /* rows of the batch */
static struct group groups[GROUPS_MAX];
static size_t groups_n, group_last;
static bool sums_known; /* no sum of 64 bits was too small, and there was room */

/* ---- the batch that rows are of ---- */

static void batch_begin(bool *doubts)
{
	if (at >= PQntuples(batches)) {
		PQclear(batches);
		batches = pass_ask(connection, looked_at, FETCH);
		at = 0;
	}
	if (PQntuples(batches) == 0)
		return;
	struct row_bytes before = pass_bytes(batches, at, BEFORE);
	shard = (int32_t)pass_number(batches, at, SHARD);
	day = (int32_t)pass_number(batches, at, DAY);
	first = pass_number(batches, at, FIRST);
	last = pass_number(batches, at, LAST);
	/* Rows pass once: those of a batch that overlaps another one would not be whole. */
	if ((uint64_t)first - 1 != (uint64_t)pass_number(batches, at, LAST_BEFORE) || last < first)
		doubts[VERIFY_RULE_CHAIN] = doubts[VERIFY_RULE_SUMS] = true;
	sha256_begin(&hash);
	sha256_add(&hash, before.bytes, before.length);
	groups_n = group_last = 0;
	hashed = 0;
	sums_known = true;
}

static bool batches_left(void)
{
	return PQntuples(batches) > 0;
}

/* ---- its digest: the same bytes as chain_digest of the wallet ---- */

static void hash_bytes(const char *bytes, size_t length)
{
	uint32_t big = htonl((uint32_t)length);

	sha256_add(&hash, &big, sizeof(big));
	sha256_add(&hash, bytes, length);
}

static void hash_row(const struct verify_row *row)
{
	static char tallies[ROW_TALLIES_MAX * TALLY_TEXT_MAX + 1];
	uint64_t numbers[ROW_NUMBERS];
	size_t length = 0;

	for (size_t i = 0; i < ROW_NUMBERS; i++)
		numbers[i] = htobe64((uint64_t)row->number[i]);
	hashed++;
	sha256_add(&hash, numbers, sizeof(numbers));
	for (size_t i = 0; i < row->tallies_n; i++)
		length += (size_t)snprintf(tallies + length, sizeof(tallies) - length,
			i == 0 ? "%" PRId32 : ",%" PRId32, row->tallies[i]);
	hash_bytes(tallies, length);
	hash_bytes(row->request.bytes, row->request.length);
	hash_bytes(row->outside.bytes, row->outside.length);
	hash_bytes(row->record.bytes, row->record.length);
}

static bool digest_matches(void)
{
	uint8_t made[SHA256_BYTES];
	struct row_bytes kept = pass_bytes(batches, at, DIGEST);

	sha256_end(&hash, made);
	return kept.length == sizeof(made) && memcmp(kept.bytes, made, sizeof(made)) == 0;
}

/* ---- its sums ---- */

static struct group *group_find(const int64_t key[KEYS])
{
	if (group_last < groups_n && memcmp(groups[group_last].key, key, KEYS * sizeof(*key)) == 0)
		return &groups[group_last];
	for (group_last = 0; group_last < groups_n; group_last++)
		if (memcmp(groups[group_last].key, key, KEYS * sizeof(*key)) == 0)
			return &groups[group_last];
	return NULL;
}

static struct group *group_of(const struct verify_row *row)
{
	const int64_t *n = row->number;
	const int64_t key[KEYS] = { n[ROW_GAME], n[ROW_MODE], n[ROW_CURRENCY], n[ROW_KIND] };
	struct group *group = group_find(key);

	if (group == NULL && groups_n < GROUPS_MAX) {
		group_last = groups_n++;
		group = &groups[group_last];
		memset(group, 0, sizeof(*group));
		memcpy(group->key, key, sizeof(key));
	}
	return group;
}

static void sums_row(const struct verify_row *row)
{
	static const enum row_column columns[] = { ROW_RELEASE, ROW_STAKE, ROW_WIN_BALANCE,
		ROW_WIN_PENDING, ROW_FORFEIT, ROW_AMOUNT };
	struct group *group = group_of(row);

	if (group == NULL) {
		sums_known = false;
		return;
	}
	group->sums[0]++;
	if (row->number[ROW_REFUSAL] != 0) {
		group->sums[1]++;
		return;
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (__builtin_add_overflow(
			    group->sums[2 + i], row->number[columns[i]], &group->sums[2 + i]))
			sums_known = false;
}

/* An entry is the group's key and then its sums. */
static bool entry_matches(const json_t *entry)
{
	int64_t value[KEYS + SUMS];

	if (json_array_size(entry) != KEYS + SUMS)
		return false;
	for (size_t i = 0; i < KEYS + SUMS; i++) {
		if (!json_is_integer(json_array_get(entry, i)))
			return false;
		value[i] = json_integer_value(json_array_get(entry, i));
	}
	struct group *group = group_find(value);
	if (group == NULL || group->found)
		return false;
	group->found = true;
	return memcmp(group->sums, value + KEYS, sizeof(group->sums)) == 0;
}

static bool sums_match(void)
{
	struct row_bytes text = pass_bytes(batches, at, BATCH_SUMS);
	json_t *kept = json_loadb(text.bytes, text.length, 0, NULL);
	bool match = json_is_array(kept) && json_array_size(kept) == groups_n;

	for (size_t i = 0; match && i < groups_n; i++)
		match = entry_matches(json_array_get(kept, i));
	json_decref(kept);
	return match;
}

/* ---- rows ---- */

/* A digest of no rows can be made as well as one of some. */
static void batch_end(bool *doubts)
{
	if (!digest_matches() || hashed != last - first + 1)
		doubts[VERIFY_RULE_CHAIN] = true;
	if (!sums_known || !sums_match() || hashed != last - first + 1)
		doubts[VERIFY_RULE_SUMS] = true;
	at++;
	batch_begin(doubts);
}

void rows_batches_begin(PGconn *conn, const struct verify_scope *scope, bool *doubts)
{
	connection = conn;
	looked_at = scope;
	at = 0;
	PQclear(pass_ask(conn, scope, batches_sql));
	batches = pass_ask(conn, scope, FETCH);
	batch_begin(doubts);
}

/* A row that no batch has is of no digest and no sum. */
void rows_batches_row(const struct verify_row *row, bool *doubts)
{
	int64_t seq = row->number[ROW_SEQ];

	while (batches_left() && (shard < row->shard || (shard == row->shard && last < seq)))
		batch_end(doubts);
	if (!batches_left() || shard != row->shard || seq < first || day != row->day) {
		doubts[VERIFY_RULE_CHAIN] = doubts[VERIFY_RULE_SUMS] = true;
		return;
	}
	hash_row(row);
	sums_row(row);
}

void rows_batches_end(bool *doubts)
{
	while (batches_left())
		batch_end(doubts);
	PQclear(batches);
	PQclear(pass_ask(connection, looked_at, "close batches"));
}
