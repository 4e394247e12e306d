/* Limits that players set for themselves: how much to lose, stake and deposit in a day, a week and
 * a month, how long to play without a rest, and a day until which they are excluded. A lower limit
 * takes effect at once; a higher one, or none, only after a delay. An exclusion is never shortened.
 */
#include "services/wallet/core/limits.h"

#include <assert.h>

#define DAY_US (UINT64_C(86400) * 1000000)
#define SECOND_US UINT64_C(1000000)
#define SECONDS_MAX INT64_C(253402300799) /* the year 9999 */
#define TIME_MAX (INT64_C(366) * 86400)

void wallet_limits_init(struct wallet_limits *limits)
{
	*limits = (struct wallet_limits){ 0 };
	for (size_t i = 0; i < WALLET_LIMITS_N; i++)
		limits->limit[i].value = WALLET_LIMIT_NONE;
}

int64_t wallet_limit_at(const struct wallet_limit *limit, uint64_t now_us)
{
	return limit->next_us != 0 && now_us >= limit->next_us ? limit->next : limit->value;
}

/* The civil month of a day, by the proleptic Gregorian calendar: years are counted from March,
 * which makes the leap day the last day of a year. */
static int64_t month_of_day(int64_t day)
{
	int64_t shifted = day + 719468; /* since 0000-03-01 */
	int64_t era = shifted / 146097;
	int64_t of_era = shifted - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t from_march = (5 * of_year + 2) / 153;

	return (era * 400 + year) * 12 + from_march + 2 - INT64_C(1970) * 12;
}

int64_t wallet_period_of(enum wallet_period period, uint64_t time_us)
{
	int64_t day = (int64_t)(time_us / DAY_US);

	if (period == WALLET_WEEK)
		return (day + 3) / 7; /* 1970-01-01 was a Thursday */
	return period == WALLET_MONTH ? month_of_day(day) : day;
}

/* A new period starts with nothing used. A clock that steps back starts no period. */
static struct wallet_used used_at(
	const struct wallet_limits *limits, enum wallet_period period, uint64_t now_us)
{
	int64_t number = wallet_period_of(period, now_us);

	if (number > limits->used[period].period)
		return (struct wallet_used){ .period = number };
	return limits->used[period];
}

static bool exceeds(const struct wallet_limits *limits, uint32_t first, enum wallet_period period,
	int64_t used, int64_t more, uint64_t now_us)
{
	int64_t most = wallet_limit_at(&limits->limit[first + (uint32_t)period], now_us);
	int64_t sum;

	return most != WALLET_LIMIT_NONE &&
	       (__builtin_add_overflow(used, more, &sum) || sum > most);
}

static bool excluded(const struct wallet_limits *limits, uint64_t now_us)
{
	int64_t until = limits->limit[WALLET_LIMIT_EXCLUSION].value;

	return until > 0 && now_us < (uint64_t)until * SECOND_US;
}

static bool too_long(const struct wallet_limits *limits, uint64_t now_us)
{
	int64_t most = wallet_limit_at(&limits->limit[WALLET_LIMIT_TIME], now_us);

	return most != WALLET_LIMIT_NONE && limits->play_last_us != 0 &&
	       now_us <= limits->play_last_us + WALLET_REST_US &&
	       now_us >= limits->play_began_us + (uint64_t)most * SECOND_US;
}

enum wallet_refusal limits_check_bet(
	const struct wallet_limits *limits, int64_t stake, int64_t release, uint64_t now_us)
{
	if (limits == NULL)
		return WALLET_REFUSAL_NONE;
	if (stake == 0)
		stake = 1;
	if (excluded(limits, now_us))
		return WALLET_REFUSAL_EXCLUDED;
	if (too_long(limits, now_us))
		return WALLET_REFUSAL_LIMIT_TIME;
	for (int i = 0; i < WALLET_PERIODS_N; i++) {
		enum wallet_period period = (enum wallet_period)i;
		struct wallet_used used = used_at(limits, period, now_us);
		if (exceeds(limits, WALLET_LIMIT_LOSS_DAY, period, used.loss, stake - release,
			    now_us))
			return WALLET_REFUSAL_LIMIT_LOSS;
		if (exceeds(limits, WALLET_LIMIT_WAGER_DAY, period, used.wager, stake, now_us))
			return WALLET_REFUSAL_LIMIT_WAGER;
	}
	return WALLET_REFUSAL_NONE;
}

enum wallet_refusal limits_check_deposit(
	const struct wallet_account *account, int64_t amount, const struct wallet_moment *moment)
{
	const struct wallet_limits *limits = account->limits;
	const struct wallet_rules *rules = moment->rules;

	for (size_t i = 0; i < rules->deposit_max_n; i++)
		if (rules->deposit_max[i].operator_id == player_operator(account->player) &&
			rules->deposit_max[i].currency == account->currency &&
			amount > rules->deposit_max[i].amount)
			return WALLET_REFUSAL_LIMIT_DEPOSIT;
	if (limits == NULL)
		return WALLET_REFUSAL_NONE;
	if (excluded(limits, moment->now_us))
		return WALLET_REFUSAL_EXCLUDED;
	for (int i = 0; i < WALLET_PERIODS_N; i++) {
		struct wallet_used used = used_at(limits, (enum wallet_period)i, moment->now_us);
		if (exceeds(limits, WALLET_LIMIT_DEPOSIT_DAY, (enum wallet_period)i, used.deposit,
			    amount, moment->now_us))
			return WALLET_REFUSAL_LIMIT_DEPOSIT;
	}
	return WALLET_REFUSAL_NONE;
}

/* ---- setting a limit ---- */

static bool value_is(uint32_t code, int64_t value)
{
	if (code == WALLET_LIMIT_EXCLUSION)
		return value > 0 && value <= SECONDS_MAX;
	if (code == WALLET_LIMIT_TIME)
		return value == WALLET_LIMIT_NONE || (value > 0 && value <= TIME_MAX);
	return value >= WALLET_LIMIT_NONE && value <= WALLET_AMOUNT_MAX;
}

static bool raises(int64_t now, int64_t value)
{
	return now != WALLET_LIMIT_NONE && (value == WALLET_LIMIT_NONE || value > now);
}

enum wallet_refusal limits_check_set(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_moment *moment,
	uint64_t *from_us_r)
{
	int64_t now = WALLET_LIMIT_NONE;

	*from_us_r = moment->now_us;
	/* A player sets limits in the currency of the account, which they do not name. */
	if (!account->exists || (outside->currency != 0 && outside->currency != account->currency))
		return WALLET_REFUSAL_ACCOUNT;
	if (outside->limit == 0 || outside->limit >= WALLET_LIMITS_N ||
		!value_is(outside->limit, outside->amount))
		return WALLET_REFUSAL_AMOUNT;
	if (account->limits != NULL)
		now = wallet_limit_at(&account->limits->limit[outside->limit], moment->now_us);
	if (outside->limit == WALLET_LIMIT_EXCLUSION) {
		bool running = now > 0 && moment->now_us < (uint64_t)now * SECOND_US;
		if (running && outside->amount < now)
			return WALLET_REFUSAL_LIMIT; /* never shortened */
		return (uint64_t)outside->amount * SECOND_US > moment->now_us
			       ? WALLET_REFUSAL_NONE
			       : WALLET_REFUSAL_AMOUNT;
	}
	if (raises(now, outside->amount))
		*from_us_r = moment->now_us + moment->rules->limit_raise_us;
	return WALLET_REFUSAL_NONE;
}

/* ---- rows ---- */

static void sum_add(int64_t *sum, int64_t amount)
{
	if (__builtin_add_overflow(*sum, amount, sum))
		*sum = amount > 0 ? INT64_MAX : INT64_MIN;
}

static void limit_set(struct wallet_limits *limits, const struct wallet_row *row)
{
	struct wallet_limit *limit = &limits->limit[row->mode];

	assert(row->mode < WALLET_LIMITS_N);
	limit->value = wallet_limit_at(limit, row->time_us);
	limit->next_us = 0;
	if (row->round <= row->time_us) {
		limit->value = row->amount;
	} else {
		limit->next = row->amount;
		limit->next_us = row->round;
	}
}

/* Counts the balance alone: pending counts as won only when it moves to the balance. If it counted
 * earlier, a player could stake that much in another game, gamble the pending away, and lose more
 * than the limit. */
static int64_t lost(const struct wallet_row *row)
{
	if (row->kind >= WALLET_KIND_BET && row->kind <= WALLET_KIND_VOID)
		return row->stake - row->win_balance - row->release;
	return row->kind == WALLET_KIND_AWARD ? -row->amount : 0;
}

void limits_take(struct wallet_limits *limits, const struct wallet_row *row)
{
	if (row->kind == WALLET_KIND_LIMIT) {
		limit_set(limits, row);
		return;
	}
	if (limits == NULL)
		return;
	for (int i = 0; i < WALLET_PERIODS_N; i++) {
		struct wallet_used *used = &limits->used[i];
		*used = used_at(limits, (enum wallet_period)i, row->time_us);
		sum_add(&used->loss, lost(row));
		if (row->kind == WALLET_KIND_BET)
			sum_add(&used->wager, row->stake);
		if (row->kind == WALLET_KIND_DEPOSIT)
			sum_add(&used->deposit, row->amount);
	}
	if (row->kind != WALLET_KIND_BET)
		return;
	if (row->time_us > limits->play_last_us + WALLET_REST_US)
		limits->play_began_us = row->time_us;
	if (row->time_us > limits->play_last_us)
		limits->play_last_us = row->time_us;
}
