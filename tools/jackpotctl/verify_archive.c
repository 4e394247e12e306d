#include "tools/jackpotctl/verify_archive.h"

#include "libcommon/base/sha256.h"
#include "tools/jackpotctl/archive_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define POINT 10
#define PATH_ROOM 4096
#define TEXT_MAX 160
#define SHOWN_BYTES 20

/* The columns of wallet.journal and of wallet.carried. A file may lack later ones. */
static const char *const columns[] = { "shard", "seq", "player", "kind", "move", "round", "game",
	"mode", "refusal", "currency", "release", "stake", "win_balance", "win_pending", "forfeit",
	"amount", "balance_after", "pending_after", "prev_seq", "claims", "tallies", "request_id",
	"outside_id", "record", "last_move", "time", "day", "prev_day" };
enum { SEQ = 1, MOVE = 4, CLAIMS = 19, TALLIES, REQUEST_ID, OUTSIDE_ID, RECORD, LAST_MOVE, TIME };
#define COLUMNS_N (sizeof(columns) / sizeof(columns[0]))

enum day_column { SHARD, DAY, NAME, FIRST_BATCH, LAST_BATCH, BEFORE, FIRST_SEQ, LAST_SEQ };
static const char days_sql[] =
	"select shard, day, format('journal_%s_%s', shard, to_char(day, 'YYYYMMDD')), first_batch, "
	"last_batch, encode(before, 'hex'), first_seq, last_seq from wallet.leaf where state = "
	"'dropped' order by shard, day";
static const char strays_sql[] =
	"select format('shard %s, seq %s', c.shard, c.seq), c.day::text from wallet.carried c where "
	"not exists (select from wallet.leaf l where l.shard = c.shard and l.day = c.day and l.state "
	"= 'dropped' and c.seq between l.first_seq and l.last_seq) order by c.shard, c.seq limit 20";

/* One dropped day while its file is read. */
struct day {
	const char *shard, *day;
	char path[PATH_ROOM];
	PGresult *batches; /* last_seq, digest in hex */
	int batch;
	struct sha256 sha;
	bool broken; /* told */
	struct verify_report *report;
};

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "jackpotctl: %s: %s\n", what, why);
	exit(EXIT_USAGE);
}

static PGresult *ask(PGconn *conn, const char *sql)
{
	PGresult *result = PQexec(conn, sql);

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		fail("the carried rows could not be read", PQerrorMessage(conn));
	return result;
}

static void columns_check(PGconn *conn)
{
	PGresult *found = ask(conn,
		"select attname from pg_attribute where attrelid = 'wallet.carried'::regclass and "
		"attnum > 0 and not attisdropped order by attnum");

	for (int i = 0; i < (int)COLUMNS_N; i++)
		if (i >= PQntuples(found) || strcmp(PQgetvalue(found, i, 0), columns[i]) != 0)
			fail("wallet.carried, columns: found another order, expected", columns[i]);
	PQclear(found);
}

/* ---- the chain of a file ---- */

static void add_number(struct sha256 *sha, int64_t number, size_t bytes)
{
	uint8_t out[8];

	for (size_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)((uint64_t)number >> (8 * (bytes - 1 - i)));
	sha256_add(sha, out, bytes);
}

static void add_bytes(struct sha256 *sha, const struct archive_row *row, size_t field)
{
	int32_t length = row->field[field].length > 0 ? row->field[field].length : 0;

	add_number(sha, length, 4);
	sha256_add(sha, archive_row_bytes(row, field), (size_t)length);
}

/* An array of integers as array_to_string(.., ',') writes it: three numbers and a pair a dimension
 * come before the elements, each behind its length. */
static void add_tallies(struct sha256 *sha, const struct archive_row *row)
{
	char text[TEXT_MAX];
	size_t length = 0;
	const uint8_t *bytes = archive_row_bytes(row, TALLIES);
	int32_t end = row->field[TALLIES].length;

	for (int32_t at = 20; at + 8 <= end && length < sizeof(text) - 16; at += 8)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%" PRId32,
			length == 0 ? "" : ",",
			(int32_t)((uint32_t)bytes[at + 4] << 24 | (uint32_t)bytes[at + 5] << 16 |
				  (uint32_t)bytes[at + 6] << 8 | (uint32_t)bytes[at + 7]));
	add_number(sha, (int64_t)length, 4);
	sha256_add(sha, text, length);
}

/* The same bytes as chain_digest of the wallet. */
static void add_row(struct sha256 *sha, const struct archive_row *row)
{
	for (size_t i = SEQ; i <= CLAIMS; i++)
		add_number(sha, archive_row_number(row, i), 8);
	add_number(sha,
		archive_row_number(row, row->field[LAST_MOVE].length < 0 ? MOVE : LAST_MOVE), 8);
	add_number(sha, archive_row_number(row, TIME), 8);
	add_tallies(sha, row);
	add_bytes(sha, row, REQUEST_ID);
	add_bytes(sha, row, OUTSIDE_ID);
	add_bytes(sha, row, RECORD);
}

static void sha_begin(struct sha256 *sha, const char *before)
{
	uint8_t bytes[SHA256_BYTES] = { 0 };
	unsigned value;

	for (size_t i = 0; i < sizeof(bytes) && sscanf(before + 2 * i, "%2x", &value) == 1; i++)
		bytes[i] = (uint8_t)value;
	sha256_begin(sha);
	sha256_add(sha, bytes, sizeof(bytes));
}

static void chain_broken(struct day *day, const char *found, const char *expected)
{
	char where[TEXT_MAX];

	if (day->broken)
		return;
	day->broken = true;
	(void)snprintf(where, sizeof(where), "archived day %.12s of shard %.12s, batch %d of it",
		day->day, day->shard, day->batch + 1);
	verify_breach_add(day->report, POINT, where, found, expected);
}

static void batch_end(struct day *day)
{
	const char *expected = PQgetvalue(day->batches, day->batch, 1);
	uint8_t digest[SHA256_BYTES];
	char found[2 * SHA256_BYTES + 1];

	sha256_end(&day->sha, digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		(void)snprintf(found + 2 * i, 3, "%02x", digest[i]);
	if (strcmp(found, expected) != 0)
		chain_broken(day, found, expected);
	day->batch++;
	sha_begin(&day->sha, expected);
}

static void chain_take(struct day *day, const struct archive_row *row)
{
	if (day->batch >= PQntuples(day->batches)) {
		chain_broken(day, "more rows in the file", "those of the day");
		return;
	}
	add_row(&day->sha, row);
	if (archive_row_number(row, SEQ) ==
		strtoll(PQgetvalue(day->batches, day->batch, 0), NULL, 10))
		batch_end(day);
}

/* ---- the carried rows ---- */

static void field_text(const struct archive_row *row, size_t field, char out[TEXT_MAX])
{
	int32_t length = row->field[field].length;
	bool number = field < TALLIES || field >= LAST_MOVE;
	size_t n = (size_t)snprintf(out, TEXT_MAX, "%s ", columns[field]);

	if (length < 0) {
		(void)snprintf(out + n, TEXT_MAX - n, "null");
	} else if (number) {
		(void)snprintf(out + n, TEXT_MAX - n, "%" PRId64, archive_row_number(row, field));
	} else {
		for (int32_t i = 0; i < length && i < SHOWN_BYTES; i++)
			n += (size_t)snprintf(
				out + n, TEXT_MAX - n, "%02x", archive_row_bytes(row, field)[i]);
		(void)snprintf(out + n, TEXT_MAX - n, "%s, %" PRId32 " bytes",
			length > SHOWN_BYTES ? ".." : "", length);
	}
}

static void carried_where(const struct day *day, int64_t seq, char out[TEXT_MAX])
{
	(void)snprintf(out, TEXT_MAX, "wallet.carried: shard %.12s, seq %" PRId64 ", day %.12s",
		day->shard, seq, day->day);
}

static void carried_compare(const struct day *day, const struct archive_row *carried,
	const struct archive_row *archived)
{
	char where[TEXT_MAX], found[TEXT_MAX], expected[TEXT_MAX];

	for (size_t i = 0; i < COLUMNS_N; i++) {
		if (archive_row_same(carried, archived, i))
			continue;
		carried_where(day, archive_row_number(carried, SEQ), where);
		field_text(carried, i, found);
		field_text(archived, i, expected);
		verify_breach_add(day->report, POINT, where, found, expected);
		return;
	}
}

static void carried_stray(const struct day *day, const struct archive_row *carried)
{
	char where[TEXT_MAX];

	carried_where(day, archive_row_number(carried, SEQ), where);
	verify_breach_add(
		day->report, POINT, where, "a carried row", "none: the day's file has no such row");
}

/* ---- a day ---- */

static bool next(struct archive_rows *rows, struct archive_row *row, const char *what)
{
	bool whole;
	bool more = archive_rows_next(rows, row, &whole);

	if ((!more && !whole) || (more && row->fields_n < COLUMNS_N))
		fail(what, "found bytes that are no rows of the journal, expected a file that "
			   "'ledger close' has written");
	return more;
}

/* Both are in the order of their seqs. */
static void day_compare(struct day *day, struct archive_rows *file, struct archive_rows *carried)
{
	static struct archive_row archived, kept;
	bool more = next(carried, &kept, "wallet.carried");

	while (next(file, &archived, day->path)) {
		int64_t seq = archive_row_number(&archived, SEQ);

		chain_take(day, &archived);
		for (; more && archive_row_number(&kept, SEQ) <= seq;
			more = next(carried, &kept, "wallet.carried")) {
			if (archive_row_number(&kept, SEQ) == seq)
				carried_compare(day, &kept, &archived);
			else
				carried_stray(day, &kept);
			day->report->archive.carried++;
		}
	}
	for (; more; more = next(carried, &kept, "wallet.carried"))
		carried_stray(day, &kept);
	if (day->batch < PQntuples(day->batches))
		chain_broken(day, "no more rows in the file", "those of this batch");
}

static void day_run(
	PGconn *conn, const PGresult *days, int i, const char *folder, struct verify_report *report)
{
	static struct day day;
	struct archive_rows *file, *carried;
	char sql[512];

	memset(&day, 0, sizeof(day));
	day.shard = PQgetvalue(days, i, SHARD);
	day.day = PQgetvalue(days, i, DAY);
	day.report = report;
	(void)snprintf(day.path, sizeof(day.path), "%.3900s/%s.copy.gz", folder,
		PQgetvalue(days, i, NAME));
	(void)snprintf(sql, sizeof(sql),
		"select last_seq, encode(digest, 'hex') from wallet.batch where shard = %s and "
		"batch between %s and %s order by batch",
		day.shard, PQgetvalue(days, i, FIRST_BATCH), PQgetvalue(days, i, LAST_BATCH));
	day.batches = ask(conn, sql);
	sha_begin(&day.sha, PQgetvalue(days, i, BEFORE));
	errno = 0;
	file = archive_rows_file(day.path);
	if (file == NULL)
		fail(day.path, errno == 0 ? "out of memory" : strerror(errno));
	(void)snprintf(sql, sizeof(sql),
		"copy (select * from wallet.carried where shard = %s and day = '%s' and seq between "
		"%s and %s order by seq) to stdout (format binary)",
		day.shard, day.day, PQgetvalue(days, i, FIRST_SEQ), PQgetvalue(days, i, LAST_SEQ));
	carried = archive_rows_query(conn, sql);
	if (carried == NULL)
		fail("the carried rows could not be read", PQerrorMessage(conn));
	day_compare(&day, file, carried);
	archive_rows_free(&carried);
	archive_rows_free(&file);
	PQclear(day.batches);
	report->archive.days++;
}

void verify_archive_run(
	PGconn *conn, const struct verify_options *options, struct verify_report *report)
{
	PGresult *days, *strays;

	if (options->archive == NULL) {
		PGresult *count = ask(conn, "select count(*) from wallet.carried");
		report->archive.not_compared = strtoull(PQgetvalue(count, 0, 0), NULL, 10);
		PQclear(count);
		return;
	}
	columns_check(conn);
	strays = ask(conn, strays_sql);
	for (int i = 0; i < PQntuples(strays); i++)
		verify_breach_add(report, POINT, PQgetvalue(strays, i, 0), PQgetvalue(strays, i, 1),
			"the dropped day that this seq belongs to");
	PQclear(strays);
	days = ask(conn, days_sql);
	for (int i = 0; i < PQntuples(days); i++)
		day_run(conn, days, i, options->archive, report);
	PQclear(days);
	report->points[POINT].checked += report->archive.carried;
}
