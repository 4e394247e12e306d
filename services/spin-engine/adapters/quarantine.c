/* Quarantines players, and releases them. */
#include "services/spin-engine/adapters/quarantine.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT 24
#define NOTE_MAX 160
#define ROWS_MAX 10000 /* that a release takes */
#define ROWS_TEXT "10000"

/* ---- quarantining ---- */

void quarantine_answer(struct engine *engine, struct seat *seat, struct request *request)
{
	struct fault fault;

	fault_set(&fault, 503, "account_quarantined",
		"This account is quarantined: a record of it cannot be read. The operator has "
		"been alerted.");
	answer_fault(engine, seat, request, &fault);
}

void quarantine_put(
	struct engine *engine, struct seat *seat, uint64_t seq, bool waits, const char *format, ...)
{
	struct seat_quarantine *quarantine = seat_set_aside(&engine->seats, seat);
	va_list arguments;

	quarantine->seq = seq;
	quarantine->waits = waits;
	va_start(arguments, format);
	(void)vsnprintf(quarantine->found, sizeof(quarantine->found), format, arguments);
	va_end(arguments);
	log_error_as("engine.player.quarantined",
		"ALARM player %" PRId64 " is quarantined at row %" PRIu64 " of shard %" PRIu32
		": %s; all others play on; see: jackpotctl quarantine show %" PRId64,
		seat->player.id, seq, seat->shard, quarantine->found, seat->player.id);
	seat_touch_soon(&engine->seats, seat);
	seat_land(seat);
	while (seat->head)
		quarantine_answer(engine, seat, play_decided(engine, seat));
}

/* ---- in the checkpoint ---- */

static void write_one(PGconn *conn, const struct seat *seat)
{
	char player[NUMBER_TEXT], shard[NUMBER_TEXT], seq[NUMBER_TEXT];
	const char *const parameters[] = { player, shard, seq, seat->quarantine->waits ? "t" : "f",
		seat->quarantine->found };

	snprintf(player, sizeof(player), "%" PRId64, seat->player.id);
	snprintf(shard, sizeof(shard), "%" PRIu32, seat->shard);
	snprintf(seq, sizeof(seq), "%" PRIu64, seat->quarantine->seq);
	if (seat->quarantine->ended)
		PQclear(pg_query(
			conn, "delete from engine.quarantine where player = $1", 1, parameters));
	else
		PQclear(pg_query(conn,
			"insert into engine.quarantine (player, shard, seq, waits, found) values "
			"($1, $2, $3, $4, $5) on conflict (player) do update set seq = excluded.seq, "
			"waits = excluded.waits, found = excluded.found",
			5, parameters));
}

void quarantine_save(PGconn *conn, struct seats *seats)
{
	for (size_t i = 0; i < seats->dirty_count; i++) {
		struct seat *seat = seats->dirty[i];

		if (!seat->quarantine || seat->quarantine->stored)
			continue;
		write_one(conn, seat);
		seat->soon = true; /* the state belongs to what the row says was missed */
		seat->quarantine->stored = true;
		if (seat->quarantine->ended)
			seat_take_back(seats, seat);
	}
}

/* ---- taking back ---- */

/* Rows of the journal, as the engine takes them from Kafka. */
enum { SEQ, KIND, MOVE, ROUND, GAME, REFUSAL, CURRENCY, AMOUNT, BALANCE, REQUEST, OUTSIDE, RECORD };

static const char rows_sql[] =
	"select seq, kind, move, round, game, refusal, currency, amount, balance_after, request_id,"
	" outside_id, record from wallet.rows_back($1, $2, $3, " ROWS_TEXT ", 0)";

static ProtobufCBinaryData bytes_of(const PGresult *result, int row, int column)
{
	ProtobufCBinaryData data = { 0, NULL };

	if (!PQgetisnull(result, row, column))
		data.data = pg_bytea(result, row, column, &data.len);
	return data;
}

/* Takes one row. False: the player is quarantined again. */
static bool take_row(struct engine *engine, struct seat *seat, const PGresult *result, int row)
{
	Carillon__WalletFact fact;
	Carillon__Envelope envelope;

	carillon__wallet_fact__init(&fact);
	carillon__envelope__init(&envelope);
	envelope.seq = (uint64_t)pg_number(result, row, SEQ);
	fact.envelope = &envelope;
	fact.shard = seat->shard;
	fact.player = seat->player.id;
	fact.kind = (Carillon__MoveKind)pg_number(result, row, KIND);
	fact.move = (uint64_t)pg_number(result, row, MOVE);
	fact.round = (uint64_t)pg_number(result, row, ROUND);
	fact.game = (uint32_t)pg_number(result, row, GAME);
	fact.refusal = (Carillon__Refusal)pg_number(result, row, REFUSAL);
	fact.currency = (uint32_t)pg_number(result, row, CURRENCY);
	fact.amount = pg_number(result, row, AMOUNT);
	fact.balance_after = pg_number(result, row, BALANCE);
	fact.request_id = bytes_of(result, row, REQUEST);
	fact.outside_id = bytes_of(result, row, OUTSIDE);
	fact.record = bytes_of(result, row, RECORD);
	if (fact.kind == CARILLON__MOVE_KIND__MOVE_AWARD && fact.move == 0)
		fact.award = carillon__award__unpack(NULL, fact.record.len, fact.record.data);
	bool taken = adopt_row(engine, seat, &fact);
	if (fact.award)
		carillon__award__free_unpacked(fact.award, NULL);
	PQfreemem(fact.request_id.data);
	PQfreemem(fact.outside_id.data);
	PQfreemem(fact.record.data);
	return taken;
}

static PGresult *rows_of(struct engine *engine, const struct seat *seat)
{
	char player[NUMBER_TEXT], shard[NUMBER_TEXT], newest[NUMBER_TEXT];
	const char *const parameters[] = { player, shard, newest };
	PGconn *conn = service_pg(engine->service);
	PGresult *result;

	snprintf(player, sizeof(player), "%" PRId64, seat->player.id);
	snprintf(shard, sizeof(shard), "%" PRIu32, seat->shard);
	result = pg_query(conn, "select newest_of from wallet.newest_of($1, $2)", 2, parameters);
	snprintf(newest, sizeof(newest), "%" PRId64, pg_number(result, 0, 0));
	PQclear(result);
	return pg_query(conn, rows_sql, 3, parameters);
}

/* Takes the rows from `from` up to the last one that came by Kafka: later ones come by Kafka. */
static void take_rows(struct engine *engine, struct seat *seat, uint64_t from, uint64_t last)
{
	PGresult *result = rows_of(engine, seat);
	int n = PQntuples(result);

	if (n == ROWS_MAX && (uint64_t)pg_number(result, n - 1, SEQ) > from) {
		quarantine_put(
			engine, seat, from, false, "more than " ROWS_TEXT " rows have been missed");
		n = 0;
	}
	for (int row = n - 1; row >= 0; row--) {
		uint64_t seq = (uint64_t)pg_number(result, row, SEQ);

		if (seq >= from && seq <= last && !take_row(engine, seat, result, row))
			break;
	}
	PQclear(result);
}

static uint64_t last_taken(const struct engine *engine, uint32_t shard)
{
	struct service_shard *held;

	for (size_t i = 0; (held = service_shard_at(engine->service, i)) != NULL; i++)
		if (held->shard == shard)
			return ((struct engine_shard *)held->state)->gate.last;
	return 0;
}

/* Before it is tried: an operator who puts more right meanwhile releases the player again. */
static void note_tried(PGconn *conn, player_id player)
{
	char number[NUMBER_TEXT];
	const char *const parameters[] = { number };

	snprintf(number, sizeof(number), "%" PRId64, player);
	PQclear(pg_query(conn, "update engine.quarantine set released = null where player = $1", 1,
		parameters));
}

/* The state is loaded again, and the rows that were missed are taken. */
static void try_again(struct engine *engine, player_id player)
{
	struct seat *seat = seats_find(&engine->seats, player);
	uint64_t from;
	uint32_t shard;

	if (!seat || !seat->quarantine || seat->dirty || seat->head)
		return; /* soon */
	note_tried(service_pg(engine->service), player);
	from = seat->quarantine->seq;
	shard = seat->shard;
	seats_drop(&engine->seats, seat);
	store_load(service_pg(engine->service), &engine->seats, service_shards(engine->service),
		&player, 1);
	seat = seats_find(&engine->seats, player);
	seat_touch_soon(&engine->seats, seat);
	if (seat_aside(seat)) {
		log_error_as("engine.player.stays_quarantined",
			"player %" PRId64 " stays in quarantine: %s", player,
			seat->quarantine->found);
		return;
	}
	if (from == 0)
		from = (seat->player.taken_seq > 0 ? seat->player.taken_seq
						   : seat->player.money_seq) +
		       1;
	take_rows(engine, seat, from, last_taken(engine, shard));
	if (seat_aside(seat))
		return;
	seat_set_aside(&engine->seats, seat)->ended = true; /* until the row is deleted */
	log_warn_as("engine.player.released",
		"player %" PRId64 " plays again: all their rows are read", player);
}

void quarantine_open(struct engine *engine, uint32_t shard)
{
	char number[NUMBER_TEXT];
	const char *const parameters[] = { number };
	PGconn *conn = service_pg(engine->service);
	PGresult *result;

	snprintf(number, sizeof(number), "%" PRIu32, shard);
	PQclear(pg_query(conn,
		"update engine.quarantine set released = now() where shard = $1 and waits", 1,
		parameters));
	result = pg_query(conn,
		"select player, seq, waits::integer, found from engine.quarantine where shard = $1",
		1, parameters);
	for (int i = 0; i < PQntuples(result); i++) {
		player_id player = pg_number(result, i, 0);
		struct seat *seat;

		store_load(conn, &engine->seats, service_shards(engine->service), &player, 1);
		seat = seats_find(&engine->seats, player);
		struct seat_quarantine *quarantine = seat_set_aside(&engine->seats, seat);
		quarantine->seq = (uint64_t)pg_number(result, i, 1);
		quarantine->waits = pg_number(result, i, 2) == 1;
		quarantine->stored = true;
		snprintf(quarantine->found, sizeof(quarantine->found), "%s",
			PQgetvalue(result, i, 3));
	}
	PQclear(result);
}

static void tell(struct engine *engine, size_t n)
{
	char note[NOTE_MAX] = "";

	metric_set(engine->metrics.quarantined, (int64_t)n);
	if (n > 0)
		(void)snprintf(note, sizeof(note),
			"%zu players are quarantined, because what is stored about them cannot be "
			"read; list them with: jackpotctl quarantine list",
			n);
	service_note(engine->service, note);
}

void quarantine_tick(struct engine *engine)
{
	struct seats *seats = &engine->seats;
	player_id released[16];
	size_t n = 0;

	tell(engine, seats->aside_count);
	if (seats->aside_count == 0)
		return;
	PGresult *result = pg_query(service_pg(engine->service),
		"select player from engine.quarantine where released is not null order by released "
		"limit 16",
		0, NULL);
	for (int i = 0; i < PQntuples(result); i++)
		released[n++] = pg_number(result, i, 0);
	PQclear(result);
	for (size_t i = 0; i < n; i++)
		try_again(engine, released[i]);
}
