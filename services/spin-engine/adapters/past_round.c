/* Loads a past round, and the jackpots of a round, from the journal so that it can be voided. Uses
 * the read-only role and one statement with one short time-out, however many days are kept, because
 * the service loop waits for it. */
#include "libcommon/io/pg.h"
#include "services/spin-engine/adapters/engine.h"

#include <inttypes.h>
#include <stdio.h>

#define NUMBER_TEXT 24
#define WALK_ROWS "50000"

static const char past_sql[] =
	"select stake, credited, bets, ended::integer, too_many::integer from"
	" wallet.round_brought($1, $2, $3, $4, $5, " WALK_ROWS ")";

enum { PLAYER, SHARD, ROUND, GAME, FROM, PARAMETERS_N };

uint32_t past_round_read(struct engine *engine, const struct seat *seat, uint32_t game,
	uint64_t round, struct past_round *past_r)
{
	char text[PARAMETERS_N][NUMBER_TEXT];
	const char *parameters[PARAMETERS_N];
	int64_t bets;
	bool ended, too_many;
	PGresult *result;

	if (round > seat->player.last_move)
		return 404;
	if (!replay_connected(engine))
		return 503;
	snprintf(text[PLAYER], NUMBER_TEXT, "%" PRId64, seat->player.id);
	snprintf(text[SHARD], NUMBER_TEXT, "%" PRIu32, seat->shard);
	snprintf(text[ROUND], NUMBER_TEXT, "%" PRIu64, round);
	snprintf(text[GAME], NUMBER_TEXT, "%" PRIu32, game);
	snprintf(text[FROM], NUMBER_TEXT, "%" PRIu64, seat->player.money_seq);
	for (int i = 0; i < PARAMETERS_N; i++)
		parameters[i] = text[i];
	result = replay_query(engine, past_sql, PARAMETERS_N, parameters);
	if (result == NULL)
		return 503;
	*past_r = (struct past_round){ game, round, money_of(pg_number(result, 0, 0)),
		money_of(pg_number(result, 0, 1)), money_of(0) };
	bets = pg_number(result, 0, 2);
	ended = pg_number(result, 0, 3) == 1;
	too_many = pg_number(result, 0, 4) == 1;
	PQclear(result);
	if (too_many) /* even if the walk met a bet: it need not be the next one */
		return 409;
	if (bets == 1 && ended)
		return 200;
	return replay_days_dropped(engine, text[SHARD]) ? 410 : 404;
}

static const char awards_sql[] = "select paid, unpaid, seen::integer from "
				 "wallet.round_awards($1, $2, $3, $4)";

/* The player's newest row must be there: until then a claim or its award could be missing. */
uint32_t past_awards_read(
	struct engine *engine, const struct seat *seat, uint64_t round, struct money *awards_r)
{
	char text[4][NUMBER_TEXT];
	const char *parameters[] = { text[0], text[1], text[2], text[3] };
	int64_t unpaid;
	bool seen;
	PGresult *result;

	if (!replay_connected(engine))
		return 503;
	snprintf(text[0], NUMBER_TEXT, "%" PRId64, seat->player.id);
	snprintf(text[1], NUMBER_TEXT, "%" PRIu64, round);
	snprintf(text[2], NUMBER_TEXT, "%" PRIu32, seat->shard);
	snprintf(text[3], NUMBER_TEXT, "%" PRIu64, seat->player.money_seq);
	result = replay_query(engine, awards_sql, 4, parameters);
	if (result == NULL)
		return 503;
	*awards_r = money_of(pg_number(result, 0, 0));
	unpaid = pg_number(result, 0, 1);
	seen = pg_number(result, 0, 2) == 1;
	PQclear(result);
	if (!seen)
		return 503;
	if (unpaid > 0)
		return 409;
	return awards_r->minor == 0 ? 404 : 200;
}
