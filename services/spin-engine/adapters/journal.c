#include "services/spin-engine/adapters/journal.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/spin-engine/adapters/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_TEXT 24

static const char rows_sql[] =
	"select j.seq, j.player, j.kind, j.move, j.round, j.game, j.refusal, j.currency, j.amount, "
	"j.balance_after, j.pending_after, coalesce(j.last_move, j.move), "
	"(extract(epoch from j.time) * 1000000)::bigint, j.request_id, j.outside_id, j.record "
	"from wallet.rows_between($1, $2, $3, $4) j";
enum {
	SEQ,
	PLAYER,
	KIND,
	MOVE,
	ROUND,
	GAME,
	REFUSAL,
	CURRENCY,
	AMOUNT,
	BALANCE_AFTER,
	PENDING_AFTER,
	LAST_MOVE,
	TIME,
	REQUEST_ID,
	OUTSIDE_ID,
	RECORD
};

static ProtobufCBinaryData bytes_of(
	const PGresult *result, int row, int column, struct arena *arena)
{
	ProtobufCBinaryData out = { 0, NULL };
	uint8_t *bytes;

	if (PQgetisnull(result, row, column))
		return out;
	bytes = pg_bytea(result, row, column, &out.len);
	out.data = arena_copy(arena, bytes, out.len);
	PQfreemem(bytes);
	return out;
}

/* The record of an award's row is the award. One that cannot be read is left out: its player is
 * quarantined when the row is adopted. */
static void award_read(struct journal_fact *to, struct arena *arena)
{
	ProtobufCAllocator allocator = arena_allocator(arena);
	Carillon__Award *award =
		carillon__award__unpack(&allocator, to->fact.record.len, to->fact.record.data);

	if (!award)
		return;
	to->award = *award;
	to->fact.award = &to->award;
	to->fact.record.len = 0;
}

static void fact_read(const PGresult *result, int row, struct arena *arena, struct journal_fact *to)
{
	Carillon__WalletFact *fact = &to->fact;

	fact->envelope = &to->envelope;
	to->envelope.schema = 1;
	to->envelope.seq = (uint64_t)pg_number(result, row, SEQ);
	to->envelope.time_us = (uint64_t)pg_number(result, row, TIME);
	fact->player = pg_number(result, row, PLAYER);
	fact->kind = (Carillon__MoveKind)pg_number(result, row, KIND);
	fact->move = (uint64_t)pg_number(result, row, MOVE);
	fact->round = (uint64_t)pg_number(result, row, ROUND);
	fact->game = (uint32_t)pg_number(result, row, GAME);
	fact->refusal = (Carillon__Refusal)pg_number(result, row, REFUSAL);
	fact->currency = (uint32_t)pg_number(result, row, CURRENCY);
	fact->amount = pg_number(result, row, AMOUNT);
	fact->balance_after = pg_number(result, row, BALANCE_AFTER);
	fact->pending_after = pg_number(result, row, PENDING_AFTER);
	fact->last_move = (uint64_t)pg_number(result, row, LAST_MOVE);
	fact->request_id = bytes_of(result, row, REQUEST_ID, arena);
	fact->outside_id = bytes_of(result, row, OUTSIDE_ID, arena);
	fact->record = bytes_of(result, row, RECORD, arena);
	if (fact->kind == CARILLON__MOVE_KIND__MOVE_AWARD && fact->move == 0)
		award_read(to, arena);
}

size_t journal_read(PGconn *conn, uint32_t shard, uint64_t after_seq, size_t most,
	struct arena *arena, struct journal_fact **facts_r)
{
	char numbers[4][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2], numbers[3] };

	(void)snprintf(numbers[0], NUMBER_TEXT, "%" PRIu32, shard);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%" PRIu64, after_seq + 1);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%" PRId64, INT64_MAX);
	(void)snprintf(numbers[3], NUMBER_TEXT, "%zu", most);
	PGresult *result = pg_query(conn, rows_sql, 4, parameters);
	size_t n = (size_t)PQntuples(result);
	struct journal_fact *facts = arena_alloc(arena, (n + 1) * sizeof(*facts));
	/* Read after the rows: if it is still the known one, the rows are of it too. */
	uint32_t incarnation = n > 0 ? store_wallet_incarnation(conn, shard) : 0;

	for (size_t i = 0; i < n; i++) {
		carillon__wallet_fact__init(&facts[i].fact);
		carillon__envelope__init(&facts[i].envelope);
		facts[i].fact.shard = shard;
		facts[i].envelope.incarnation = incarnation;
		fact_read(result, (int)i, arena, &facts[i]);
	}
	PQclear(result);
	*facts_r = facts;
	return n;
}
