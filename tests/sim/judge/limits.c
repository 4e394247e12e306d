/* Limits of players, with books of the judge's own: no bet and no deposit beyond one, and none
 * refused within. Written from docs/contracts.md, "Limits of players". */
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <time.h>

#define CODES 12
#define PERIODS 3
#define NONE INT64_C(-1)
#define S UINT64_C(1000000)
#define REST_US (900 * S)

enum {
	LOSS = CARILLON__LIMIT__LIMIT_LOSS_DAY,
	WAGER = CARILLON__LIMIT__LIMIT_WAGER_DAY,
	DEPOSIT = CARILLON__LIMIT__LIMIT_DEPOSIT_DAY,
	TIME = CARILLON__LIMIT__LIMIT_TIME,
	EXCLUSION = CARILLON__LIMIT__LIMIT_EXCLUSION,
};

/* A player who has ever set one. */
struct limits {
	struct {
		int64_t value, next;
		uint64_t next_us; /* 0: nothing waits */
	} limit[CODES];
	struct {
		int64_t number; /* of the day, week or month */
		int64_t loss, wager, deposit;
	} used[PERIODS];
	uint64_t began_us, last_us; /* of his bets without a rest */
};

static struct map players;

#define ROW "shard %" PRIu32 ", seq %" PRIu64 ", player %" PRId64 ": "
#define OF(row) (row)->shard, (row)->seq, (row)->player

static struct limits *limits_of(int64_t player)
{
	return map_get(&players, (uint64_t)player, 0);
}

static int64_t limit_at(const struct limits *limits, uint32_t code, uint64_t time_us)
{
	bool changed = limits->limit[code].next_us != 0 && time_us >= limits->limit[code].next_us;

	return changed ? limits->limit[code].next : limits->limit[code].value;
}

/* ---- what is used --------------------------------------------------------------------------- */

static int64_t number_of(uint32_t period, uint64_t time_us)
{
	time_t seconds = (time_t)(time_us / S);
	struct tm civil;

	if (period == 0)
		return seconds / 86400;
	if (period == 1)
		return (seconds / 86400 + 3) / 7;
	(void)gmtime_r(&seconds, &civil);
	return civil.tm_year * INT64_C(12) + civil.tm_mon;
}

/* A period begins with nothing used. A clock that steps back begins none. */
static void periods_turn(struct limits *limits, uint64_t time_us)
{
	for (uint32_t period = 0; period < PERIODS; period++) {
		int64_t number = number_of(period, time_us);
		if (number <= limits->used[period].number)
			continue;
		limits->used[period].number = number;
		limits->used[period].loss = limits->used[period].wager = 0;
		limits->used[period].deposit = 0;
	}
}

static bool beyond(int64_t used, int64_t more, int64_t most)
{
	return most != NONE && used + more > most;
}

static bool excluded(const struct limits *limits, uint64_t time_us)
{
	int64_t until = limit_at(limits, EXCLUSION, time_us);

	return until > 0 && time_us < (uint64_t)until * S;
}

static bool too_long(const struct limits *limits, uint64_t time_us)
{
	int64_t most = limit_at(limits, TIME, time_us);

	return most != NONE && limits->last_us != 0 && time_us <= limits->last_us + REST_US &&
	       time_us >= limits->began_us + (uint64_t)most * S;
}

/* A limit of money that a row would go beyond, in any period; used: of the first period, then of
 * the others behind it. */
static bool over(const struct limits *limits, uint32_t code, int64_t more, uint64_t time_us)
{
	for (uint32_t period = 0; period < PERIODS; period++) {
		int64_t used = code == LOSS    ? limits->used[period].loss
			       : code == WAGER ? limits->used[period].wager
					       : limits->used[period].deposit;
		if (beyond(used, more, limit_at(limits, code + period, time_us)))
			return true;
	}
	return false;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* What may keep a row from being booked is so, or nothing does. */
static void check(const struct fake_journal *row, uint32_t refusal, bool is, const char *what)
{
	if (row->refusal == 0 && is)
		sim_fail(ROW "kind %" PRIu32 " was taken beyond the limit: %s", OF(row), row->kind,
			what);
	if (row->refusal == refusal && !is)
		sim_fail(ROW "kind %" PRIu32 " (stake %" PRId64 ", amount %" PRId64
			     ") was refused within the limit: %s",
			OF(row), row->kind, row->stake, row->amount, what);
}

/* A bonus spin and a gamble count as a bet of one; a gamble could collect first what is pending. */
static void check_bet(const struct limits *limits, const struct fake_journal *row)
{
	bool gamble = row->kind == KIND_GAMBLE;
	int64_t stake = row->stake > 0 ? row->stake : 1;
	int64_t release = gamble && row->refusal == 0 ? row->pending_after - row->win_pending +
								row->release + row->forfeit
			  : gamble ? row->pending_after
				   : row->release;

	check(row, CARILLON__REFUSAL__REFUSAL_EXCLUDED, excluded(limits, row->time_us), "excluded");
	check(row, CARILLON__REFUSAL__REFUSAL_LIMIT_TIME, too_long(limits, row->time_us), "time");
	check(row, CARILLON__REFUSAL__REFUSAL_LIMIT_LOSS,
		over(limits, LOSS, stake - release, row->time_us), "loss");
	check(row, CARILLON__REFUSAL__REFUSAL_LIMIT_WAGER, over(limits, WAGER, stake, row->time_us),
		"wager");
}

static void check_deposit(const struct limits *limits, const struct fake_journal *row)
{
	check(row, CARILLON__REFUSAL__REFUSAL_EXCLUDED, excluded(limits, row->time_us), "excluded");
	check(row, CARILLON__REFUSAL__REFUSAL_LIMIT_DEPOSIT,
		over(limits, DEPOSIT, row->amount, row->time_us), "deposit");
}

/* A lower limit holds at once, a higher one after a time; an exclusion is never shortened. */
static void check_set(const struct limits *limits, const struct fake_journal *row)
{
	int64_t now = limit_at(limits, row->mode, row->time_us);
	bool raises = now != NONE && (row->amount == NONE || row->amount > now);
	uint64_t wait_us = raises && row->mode != EXCLUSION ? LIMIT_RAISE_S * S : 0;

	if (row->mode == EXCLUSION)
		check(row, CARILLON__REFUSAL__REFUSAL_LIMIT,
			excluded(limits, row->time_us) && row->amount < now, "an exclusion");
	if (row->refusal == 0 && row->round != row->time_us + wait_us)
		sim_fail(ROW "limit %" PRIu32 " goes from %" PRId64 " to %" PRId64 " %" PRId64
			     " us from now, expected %" PRIu64,
			OF(row), row->mode, now, row->amount, (int64_t)(row->round - row->time_us),
			wait_us);
}

static void keep_set(struct limits *limits, const struct fake_journal *row)
{
	limits->limit[row->mode].value = limit_at(limits, row->mode, row->time_us);
	limits->limit[row->mode].next = row->amount;
	limits->limit[row->mode].next_us = row->round;
	if (row->round > row->time_us)
		return;
	limits->limit[row->mode].value = row->amount; /* for good, if the clock is set back */
	limits->limit[row->mode].next_us = 0;
}

static void keep_play(struct limits *limits, const struct fake_journal *row)
{
	if (row->time_us > limits->last_us + REST_US)
		limits->began_us = row->time_us;
	if (row->time_us > limits->last_us)
		limits->last_us = row->time_us;
}

/* Lost is what the balance has lost: money that waits in a round may still be gambled away. */
static void keep(struct limits *limits, const struct fake_journal *row)
{
	for (uint32_t period = 0; period < PERIODS; period++) {
		if (is_round_kind(row->kind))
			limits->used[period].loss += row->stake - row->win_balance - row->release;
		if (row->kind == KIND_AWARD)
			limits->used[period].loss -= row->amount;
		if (row->kind == KIND_BET)
			limits->used[period].wager += row->stake;
		if (row->kind == KIND_DEPOSIT)
			limits->used[period].deposit += row->amount;
	}
	if (row->kind == KIND_BET)
		keep_play(limits, row);
}

static struct limits *limits_new(int64_t player)
{
	struct limits *limits = judge_alloc(sizeof(*limits));

	for (uint32_t code = 0; code < CODES; code++)
		limits->limit[code].value = NONE;
	*map_at(&players, (uint64_t)player, 0) = limits;
	return limits;
}

void limits_row(const struct fake_journal *row)
{
	struct limits *limits = limits_of(row->player), then;

	if (limits == NULL && row->kind == KIND_LIMIT && row->refusal == 0)
		limits = limits_new(row->player);
	if (limits == NULL)
		return;
	then = *limits;
	periods_turn(&then, row->time_us);
	if (row->kind == KIND_BET || row->kind == KIND_GAMBLE)
		check_bet(&then, row);
	else if (row->kind == KIND_DEPOSIT)
		check_deposit(&then, row);
	else if (row->kind == KIND_LIMIT)
		check_set(&then, row);
	if (row->refusal != 0)
		return; /* begins no period, should the clock be set back */
	*limits = then;
	if (row->kind == KIND_LIMIT)
		keep_set(limits, row);
	else
		keep(limits, row);
}

void limits_end(void)
{
	map_clear(&players);
}
