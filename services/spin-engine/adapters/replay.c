/* Replays a past round from the journal: its record says how to draw it again, and the replay must
 * give the booked digest of the result. Uses the read-only role with short time-outs, because the
 * service loop waits for it. */
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/adapters/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT 24

/* Walks by primary key from the account's latest row back to the row that opened the round. It
 * includes the game's next bet, which closed the round if nothing else did and records the draw of
 * cards. */
static const char walk_sql[] =
	"with walk as (select * from wallet.rows_back($1, $3, $4, 1000000, $2))"
	" select record, (select n.record from walk n where n.kind = 2 and n.refusal = 0 and n.move"
	" > $2 and n.game = walk.game order by n.move limit 1)"
	" from walk where round = $2 and refusal = 0 and move > 0 order by seq desc";

static const char awards_sql[] =
	"select index, pool, paid_minor from wallet.claim"
	" where player = $1 and move = $2 and closed_seq is not null order by index limit 16";

bool replay_connected(struct engine *engine)
{
	if (engine->replica && PQstatus(engine->replica) != CONNECTION_OK) {
		PQfinish(engine->replica);
		engine->replica = NULL;
	}
	if (engine->replica)
		return true;
	engine->replica = PQconnectdb(common.pg_ro_dsn);
	if (PQstatus(engine->replica) != CONNECTION_OK) {
		log_warn_as(
			"engine.replica.failed", "replays: %s", PQerrorMessage(engine->replica));
		return false;
	}
	PQclear(PQexec(engine->replica, "set statement_timeout = '400ms'"));
	return true;
}

PGresult *replay_query(
	struct engine *engine, const char *sql, int count, const char *const *parameters)
{
	PGresult *result = pg_try(engine->replica, sql, count, parameters);

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	log_warn_as("engine.replica.failed", "replays: %s", PQresultErrorMessage(result));
	PQclear(result);
	return NULL;
}

static bool read_record(const PGresult *result, int row, int column, struct player_record *record_r)
{
	size_t length;
	uint8_t *bytes;
	enum codec_status status;

	if (PQgetisnull(result, row, column))
		return false;
	bytes = pg_bytea(result, row, column, &length);
	status = record_decode(bytes, length, record_r);
	PQfreemem(bytes);
	return status == CODEC_OK && record_r->has_game;
}

/* The latest record that still has this round; if the next bet closed it, with the draw of cards
 * from that bet. */
static bool find_record(const PGresult *result, uint64_t move, struct player_record *record_r)
{
	struct player_record next;
	struct play_round *round = &record_r->game.round;

	for (int row = 0; row < PQntuples(result); row++) {
		if (!read_record(result, row, 0, record_r) || round->move != move)
			continue;
		if (round->closed_by == 0 && read_record(result, row, 1, &next)) {
			round->closed_by = next.game.round.move;
			round->cards.draw = next.game.round.cards_before;
			memset(&record_r->game.state.open, 0, sizeof(record_r->game.state.open));
		}
		return true;
	}
	return false;
}

static bool read_awards(struct engine *engine, player_id id, uint64_t move, struct player *player)
{
	char texts[2][NUMBER_TEXT];
	const char *const parameters[] = { texts[0], texts[1] };
	PGresult *result;

	snprintf(texts[0], NUMBER_TEXT, "%" PRId64, id);
	snprintf(texts[1], NUMBER_TEXT, "%" PRIu64, move);
	result = replay_query(engine, awards_sql, 2, parameters);
	if (!result)
		return false;
	for (int row = 0; row < PQntuples(result); row++) {
		struct player_award award = { move, (uint32_t)pg_number(result, row, 0),
			(uint32_t)pg_number(result, row, 1), money_of(pg_number(result, row, 2)) };

		player_award(player, &award);
	}
	PQclear(result);
	return true;
}

/* Rounds of dropped days can be replayed only from the archive. */
bool replay_days_dropped(struct engine *engine, const char *shard)
{
	PGresult *result = replay_query(engine,
		"select from wallet.leaf where shard = $1 and state = 'dropped' limit 1", 1,
		&shard);
	bool dropped = result != NULL && PQntuples(result) > 0;

	PQclear(result);
	return dropped;
}

/* Loads the round as it ended: 200, 404, 410 (in the archive) or 503. */
static uint32_t read_round(struct engine *engine, const struct seat *seat, uint64_t move,
	struct player *player, struct player_game *play)
{
	char texts[4][NUMBER_TEXT];
	const char *const parameters[] = { texts[0], texts[1], texts[2], texts[3] };
	const struct player_game *now;
	struct player_record record;
	PGresult *result;
	bool found;

	if (!replay_connected(engine))
		return 503;
	snprintf(texts[0], NUMBER_TEXT, "%" PRId64, seat->player.id);
	snprintf(texts[1], NUMBER_TEXT, "%" PRIu64, move);
	snprintf(texts[2], NUMBER_TEXT, "%" PRIu32, seat->shard);
	snprintf(texts[3], NUMBER_TEXT, "%" PRIu64, seat->player.money_seq);
	result = replay_query(engine, walk_sql, 4, parameters);
	if (!result)
		return 503;
	found = find_record(result, move, &record);
	PQclear(result);
	if (!found)
		return move <= seat->player.last_move && replay_days_dropped(engine, texts[2])
			       ? 410
			       : 404;
	if (!read_awards(engine, seat->player.id, move, player))
		return 503;
	*play = record.game;
	now = seat_game(seat, play->state.game);
	/* no later round begins before the cards of this one are paid */
	if (now && now->round.move > move)
		play->round.cards.booked = play->round.cards.index != 0;
	if (play->round.closed_by == 0 && now && now->round.move > move) {
		play->round.closed_by = now->round.move; /* the next bet collected it */
		memset(&play->state.open, 0, sizeof(play->state.open));
	}
	return 200;
}

static void refuse(struct engine *engine, struct seat *seat, struct request *request, uint32_t http)
{
	struct fault fault;

	if (http == 404)
		fault_set(&fault, 404, "no_round", "This player has no such round.");
	else if (http == 410)
		fault_set(&fault, 404, "archived",
			"This round is no longer in the database. It is in the archive.");
	else if (http == 503)
		fault_set(&fault, 503, "replay_unavailable",
			"The round cannot be read now. Try again.");
	else
		fault_set(&fault, 500, "replay_differs",
			"The replay differs from the recorded result. The operator has been "
			"informed.");
	snprintf(fault.where, sizeof(fault.where), "round");
	fault_found(&fault, "%" PRIu64, request->command.core.round);
	answer_fault(engine, seat, request, &fault);
}

void replay_answer(struct engine *engine, struct seat *seat, struct request *request)
{
	uint64_t move = request->command.core.round;
	struct player player = seat->player;
	struct player_game play;
	Carillon__RoundView *view = NULL;
	enum view_status status;
	uint32_t http = 200;
	bool here = false;

	metric_add(engine->metrics.replays, 1);
	for (size_t i = 0; i < seat->game_count && !here; i++) {
		here = seat->game[i]->round.move == move;
		if (here)
			play = *seat->game[i];
	}
	if (!here)
		http = player.account ? read_round(engine, seat, move, &player, &play) : 404;
	if (http != 200) {
		refuse(engine, seat, request, http);
		return;
	}
	status = view_round(&engine->sources, &player, &play, request->command.core.cursor,
		VIEW_PHASES_MAX, &view);
	if (status != VIEW_OK) {
		metric_add(engine->metrics.replay_differs, 1);
		log_error_as("engine.replay.differs",
			"ALARM replay of player %" PRId64 " round %" PRIu64 ": %s", player.id, move,
			view_status_text(status));
		arena_reset(&engine->arena);
		refuse(engine, seat, request, status == VIEW_DIFFERS ? 500 : 503);
		return;
	}
	answer_replay(engine, seat, &request->command, &play, view);
	free(request);
}
