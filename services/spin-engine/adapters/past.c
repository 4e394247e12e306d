/* What a round of before was and brought, from the journal, so that it can be made good. Closed
 * days have an index by player: the day of the round is found by the first move of each. What no
 * closed day has is found by walking back from the account's newest row. Read-only, by the
 * read-only role, and short: the loop waits for it. */
#include "libcommon/io/pg.h"
#include "services/spin-engine/adapters/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_TEXT 24
#define WALK_ROWS 50000
#define WALK_ROWS_TEXT "50000"

/* The round $4 of game $5, as far as the rows w have it: its stake, what it brought to the balance,
 * whether it begins here; and what the next bet of its game released, which was of this round. */
#define PART                                                                                       \
	" select coalesce(sum(stake) filter (where kind = 2 and round = $4), 0)::bigint,"          \
	" coalesce(sum(case when kind = 2 then win_balance else release + win_balance end)"        \
	" filter (where round = $4), 0)::bigint, count(*) filter (where kind = 2 and round = $4)," \
	" (select n.release from w n where n.kind = 2 and n.move > $4 order by n.move limit 1),"
#define ROUND_OR_LATER " round >= $4 and game = $5 and kind between 2 and 6 and refusal = 0"
#define OF_DAY " from wallet.journal where player = $1 and shard = $2 and day = $3::date"

static const char day_sql[] =
	"with w as (select *" OF_DAY " and" ROUND_OR_LATER ")" PART " 0::bigint from w";

/* Rows of days after $3, newest first, down to the first bet of a move up to $7. */
static const char walk_sql[] =
	"with b as (select * from wallet.rows_back($1, $2, $6, " WALK_ROWS_TEXT ", $7)), w as"
	" (select * from b where day > $3::date and" ROUND_OR_LATER ")" PART
	" (select count(*) from b) from w";

static const char days_sql[] =
	"select day from wallet.leaf where shard = $1 and state in ('closed', 'archived') order by"
	" day desc";

static const char ends_sql[] =
	"select (select move" OF_DAY " and move > 0 order by seq limit 1), (select move" OF_DAY
	" and move > 0 order by seq desc limit 1)";

enum { PLAYER, SHARD, DAY, ROUND, GAME, FROM, DOWN_TO, PARAMETERS_N };

struct search {
	struct engine *engine;
	char text[PARAMETERS_N][NUMBER_TEXT];
	int64_t stake, credited, bets;
	bool ended;    /* the next bet of the game was met */
	bool too_many; /* the walk had to end before it came to the round */
};

static PGresult *query(struct search *search, const char *sql, int n)
{
	const char *parameters[PARAMETERS_N];

	for (int i = 0; i < n; i++)
		parameters[i] = search->text[i];
	return replay_query(search->engine, sql, n, parameters);
}

/* Adds what these rows have of the round; false when they could not be read. */
static bool part_add(struct search *search, const char *sql, int parameters_n)
{
	PGresult *result = query(search, sql, parameters_n);

	if (result == NULL)
		return false;
	search->stake += pg_number(result, 0, 0);
	search->credited += pg_number(result, 0, 1) + pg_number(result, 0, 3);
	search->bets += pg_number(result, 0, 2);
	search->ended = !PQgetisnull(result, 0, 3);
	search->too_many = pg_number(result, 0, 4) >= WALK_ROWS;
	PQclear(result);
	return true;
}

/* The first and the last move that the player made on the day; 0: he made none. */
static bool day_ends(struct search *search, const char *day, uint64_t *first_r, uint64_t *last_r)
{
	snprintf(search->text[DAY], NUMBER_TEXT, "%s", day);
	PGresult *result = query(search, ends_sql, DAY + 1);

	if (result == NULL)
		return false;
	*first_r = (uint64_t)pg_number(result, 0, 0);
	*last_r = (uint64_t)pg_number(result, 0, 1);
	PQclear(result);
	return true;
}

/* Closed days, from the round's own on to the newest, until its end is met; then the walk. */
static bool search_run(struct search *search, const PGresult *days, uint64_t round)
{
	uint64_t first = 0, last = 0, newest = 0;
	int at = 0;

	for (; at < PQntuples(days); at++) {
		if (!day_ends(search, PQgetvalue(days, at, 0), &first, &last))
			return false;
		newest = newest == 0 ? last : newest;
		if (first > 0 && first <= round)
			break;
	}
	if (at == PQntuples(days))
		at--; /* of no day that is closed and kept */
	for (; at >= 0 && first > 0 && first <= round && !search->ended; at--) {
		snprintf(search->text[DAY], NUMBER_TEXT, "%s", PQgetvalue(days, at, 0));
		if (!part_add(search, day_sql, GAME + 1))
			return false;
	}
	if (search->ended)
		return true;
	snprintf(search->text[DAY], NUMBER_TEXT, "%s",
		PQntuples(days) == 0 ? "0001-01-01" : PQgetvalue(days, 0, 0));
	snprintf(search->text[DOWN_TO], NUMBER_TEXT, "%" PRIu64, newest > round ? newest : round);
	return part_add(search, walk_sql, PARAMETERS_N);
}

uint32_t past_read(struct engine *engine, const struct seat *seat, uint32_t game, uint64_t round,
	struct player_past *past_r)
{
	struct search search = { .engine = engine };
	const char *shard = search.text[SHARD];
	PGresult *days;
	bool read;

	if (!replay_connected(engine))
		return 503;
	snprintf(search.text[PLAYER], NUMBER_TEXT, "%" PRId64, seat->player.id);
	snprintf(search.text[SHARD], NUMBER_TEXT, "%" PRIu32, seat->shard);
	snprintf(search.text[ROUND], NUMBER_TEXT, "%" PRIu64, round);
	snprintf(search.text[GAME], NUMBER_TEXT, "%" PRIu32, game);
	snprintf(search.text[FROM], NUMBER_TEXT, "%" PRIu64, seat->player.money_seq);
	days = replay_query(engine, days_sql, 1, &shard);
	if (days == NULL)
		return 503;
	read = search_run(&search, days, round);
	PQclear(days);
	if (!read)
		return 503;
	*past_r = (struct player_past){ game, round, money_of(search.stake),
		money_of(search.credited) };
	if (search.too_many) /* also where a bet was met: it need not be the next one */
		return 409;
	if (search.bets == 1 && search.ended)
		return 200;
	return round <= seat->player.last_move && replay_days_dropped(engine, shard) ? 410 : 404;
}
