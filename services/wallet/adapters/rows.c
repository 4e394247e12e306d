#include "services/wallet/adapters/rows.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/stored.h"
#include "services/wallet/adapters/fact.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT 24
#define COLUMNS                                                                                    \
	"j.seq, j.player, j.kind, j.move, j.round, j.game, j.mode, j.refusal, j.currency, "        \
	"j.release, j.stake, j.win_balance, j.win_pending, "                                       \
	"j.forfeit, j.amount, j.balance_after, j.pending_after, j.prev_seq, j.claims, "            \
	"coalesce(j.last_move, j.move), "                                                          \
	"(extract(epoch from j.time) * 1000000)::bigint, j.tallies, j.request_id, j.outside_id, "  \
	"j.record, j.day - date '1970-01-01', j.prev_day - date '1970-01-01'"
enum {
	SEQ,
	PLAYER,
	KIND,
	MOVE,
	ROUND,
	GAME,
	MODE,
	REFUSAL,
	CURRENCY,
	RELEASE,
	STAKE,
	WIN_BALANCE,
	WIN_PENDING,
	FORFEIT,
	AMOUNT,
	BALANCE_AFTER,
	PENDING_AFTER,
	PREV_SEQ,
	CLAIMS,
	LAST_MOVE,
	TIME,
	TALLIES,
	REQUEST_ID,
	OUTSIDE_ID,
	RECORD,
	DAY,
	PREV_DAY
};

static uint32_t number_32(const PGresult *result, int at, int column)
{
	return (uint32_t)pg_number(result, at, column);
}

static uint32_t bytes_read(const PGresult *result, int at, int column, size_t max,
	struct arena *arena, const uint8_t **bytes_r)
{
	size_t length;
	uint8_t *bytes;

	if (PQgetisnull(result, at, column))
		return 0;
	bytes = pg_bytea(result, at, column, &length);
	if (length > max)
		stored_wrong("journal: column %s: found %zu bytes, expected at most %zu",
			PQfname(result, column), length, max);
	else
		*bytes_r = arena_copy(arena, bytes, length);
	PQfreemem(bytes);
	return length > max ? 0 : (uint32_t)length;
}

static uint32_t id_read(const PGresult *result, int at, int column, struct arena *arena,
	uint8_t id_r[WALLET_ID_BYTES])
{
	const uint8_t *bytes = NULL;
	uint32_t length = bytes_read(result, at, column, WALLET_ID_BYTES, arena, &bytes);

	if (bytes != NULL)
		memcpy(id_r, bytes, length);
	return length;
}

static void tallies_read(const char *text, struct wallet_row *row)
{
	char *end;

	for (text++; *text != '}' && *text != '\0'; text = *end == ',' ? end + 1 : end) {
		unsigned long id = strtoul(text, &end, 10);
		if (end == text || row->tallies_n == WALLET_POOLS_MAX) {
			stored_wrong("journal: tallies: found '%s', expected at most %d numbers",
				text, WALLET_POOLS_MAX);
			return;
		}
		row->tallies[row->tallies_n++] = (uint32_t)id;
	}
}

static struct wallet_row row_read(const PGresult *result, int at, struct arena *arena)
{
	struct wallet_row row = {
		.seq = (uint64_t)pg_number(result, at, SEQ),
		.prev_seq = (uint64_t)pg_number(result, at, PREV_SEQ),
		.day = number_32(result, at, DAY),
		.prev_day = number_32(result, at, PREV_DAY),
		.player = pg_number(result, at, PLAYER),
		.kind = number_32(result, at, KIND),
		.refusal = number_32(result, at, REFUSAL),
		.currency = number_32(result, at, CURRENCY),
		.game = number_32(result, at, GAME),
		.mode = number_32(result, at, MODE),
		.move = (uint64_t)pg_number(result, at, MOVE),
		.round = (uint64_t)pg_number(result, at, ROUND),
		.last_move = (uint64_t)pg_number(result, at, LAST_MOVE),
		.release = pg_number(result, at, RELEASE),
		.stake = pg_number(result, at, STAKE),
		.win_balance = pg_number(result, at, WIN_BALANCE),
		.win_pending = pg_number(result, at, WIN_PENDING),
		.forfeit = pg_number(result, at, FORFEIT),
		.amount = pg_number(result, at, AMOUNT),
		.balance_after = pg_number(result, at, BALANCE_AFTER),
		.pending_after = pg_number(result, at, PENDING_AFTER),
		.claims_n = number_32(result, at, CLAIMS),
		.time_us = (uint64_t)pg_number(result, at, TIME),
	};

	tallies_read(PQgetvalue(result, at, TALLIES), &row);
	row.request_id_length = id_read(result, at, REQUEST_ID, arena, row.request_id);
	row.outside_id_length = id_read(result, at, OUTSIDE_ID, arena, row.outside_id);
	row.record_length =
		bytes_read(result, at, RECORD, (size_t)8 * WALLET_RECORD_MAX, arena, &row.record);
	if (row.kind == WALLET_KIND_AWARD && row.move == 0 &&
		!fact_award_unpack(row.record, row.record_length, &row.award)) {
		row.award_lost = true; /* the engine quarantines the player */
		log_error_as("wallet.award.unreadable",
			"ALARM journal: player %" PRId64 ", seq %" PRIu64
			": record: found %u bytes, expected an Award; passed on as it is",
			row.player, row.seq, row.record_length);
	}
	return row;
}

static void claims_read(
	PGconn *conn, const char *shard, struct arena *arena, struct wallet_row *row)
{
	char seq[NUMBER_TEXT];
	const char *parameters[] = { shard, seq };

	(void)snprintf(seq, sizeof(seq), "%" PRIu64, row->seq);
	PGresult *result = pg_query(conn,
		"select index, pool, kind, coin_minor, stake_minor from wallet.claim where shard = "
		"$1 and opened_seq = $2 order by index",
		2, parameters);
	int n = PQntuples(result);
	if ((uint32_t)n != row->claims_n)
		stored_wrong("journal: shard %s, seq %s: found %d claims, expected %u", shard, seq,
			n, row->claims_n);
	row->claims_n = (uint32_t)n;
	struct wallet_claim *claims = arena_alloc(arena, row->claims_n * sizeof(*claims));
	for (int i = 0; i < n; i++)
		claims[i] = (struct wallet_claim){ number_32(result, i, 0), number_32(result, i, 1),
			number_32(result, i, 2), pg_number(result, i, 3), pg_number(result, i, 4) };
	row->claims = claims;
	PQclear(result);
}

static size_t rows_take(PGconn *conn, const char *shard, PGresult *result, struct arena *arena,
	struct wallet_row **rows_r)
{
	size_t n = (size_t)PQntuples(result);
	struct wallet_row *rows = arena_alloc(arena, (n + 1) * sizeof(*rows));

	for (size_t i = 0; i < n; i++)
		rows[i] = row_read(result, (int)i, arena);
	PQclear(result);
	for (size_t i = 0; i < n; i++)
		if (rows[i].claims_n > 0)
			claims_read(conn, shard, arena, &rows[i]);
	*rows_r = rows;
	return n;
}

size_t rows_read(PGconn *conn, uint32_t shard, uint64_t first, uint64_t last, size_t limit,
	struct arena *arena, struct wallet_row **rows_r)
{
	char numbers[4][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2], numbers[3] };

	(void)snprintf(numbers[0], NUMBER_TEXT, "%u", shard);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%" PRIu64, first);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%" PRIu64, last);
	(void)snprintf(numbers[3], NUMBER_TEXT, "%zu", limit);
	PGresult *result = pg_query(conn,
		"select " COLUMNS " from wallet.rows_between($1, $2, $3, $4) j", 4, parameters);
	return rows_take(conn, numbers[0], result, arena, rows_r);
}

size_t rows_read_back(PGconn *conn, uint32_t shard, player_id player, uint64_t from, uint64_t to,
	struct arena *arena, struct wallet_row **rows_r)
{
	static const char sql[] =
		"select " COLUMNS " from wallet.rows_back($1, $2, $3, $4, 0) j where j.seq >= $5 "
		"order by j.seq";
	char numbers[5][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2], numbers[3], numbers[4] };

	(void)snprintf(numbers[0], NUMBER_TEXT, "%" PRId64, player);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%u", shard);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%" PRIu64, from);
	(void)snprintf(numbers[3], NUMBER_TEXT, "%d", ROWS_WALK_MAX);
	(void)snprintf(numbers[4], NUMBER_TEXT, "%" PRIu64, to);
	return rows_take(conn, numbers[1], pg_query(conn, sql, 5, parameters), arena, rows_r);
}

bool rows_read_carried(
	PGconn *conn, uint32_t shard, uint64_t seq, struct arena *arena, struct wallet_row **rows_r)
{
	char numbers[2][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1] };

	(void)snprintf(numbers[0], NUMBER_TEXT, "%u", shard);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%" PRIu64, seq);
	PGresult *result = pg_query(conn,
		"select " COLUMNS " from wallet.carried j where shard = $1 and seq = $2", 2,
		parameters);
	return rows_take(conn, numbers[0], result, arena, rows_r) == 1;
}

bool rows_read_move(PGconn *conn, uint32_t shard, uint64_t last_seq, uint64_t move,
	struct arena *arena, struct wallet_row *row_r)
{
	static const char sql[] =
		"select " COLUMNS " from wallet.rows_back(null, $1, $2, $4, $3) j "
		"where move = $3 and (move > 0 or kind = 1) limit 1";
	char numbers[4][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2], numbers[3] };
	struct wallet_row *rows;
	size_t n;

	(void)snprintf(numbers[0], NUMBER_TEXT, "%u", shard);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%" PRIu64, last_seq);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%" PRIu64, move);
	(void)snprintf(numbers[3], NUMBER_TEXT, "%d", ROWS_WALK_MAX);
	n = rows_take(conn, numbers[0], pg_query(conn, sql, 4, parameters), arena, &rows);
	if (n > 0)
		*row_r = rows[0];
	return n > 0;
}

struct rows_proof rows_prove(PGconn *conn, uint32_t shard, player_id player)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, player);
	pg_args_int(&args, shard);
	PGresult *result = pg_args_query(&args, conn,
		"select newest, limited_by, claims_of, closed_by from "
		"wallet.rows_proof($1, $2)");
	struct rows_proof proof = { .newest = (uint64_t)pg_number(result, 0, 0),
		.limited_by = (uint64_t)pg_number(result, 0, 1),
		.claims_of = (uint64_t)pg_number(result, 0, 2),
		.closed_by = (uint64_t)pg_number(result, 0, 3) };
	PQclear(result);
	return proof;
}
