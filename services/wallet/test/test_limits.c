/* Limits that players set for themselves, as short stories: what is refused and by which limit,
 * when a change takes effect, what the calendar does. Each story also runs from the rows alone and
 * gives the same limits and sums. */
#include "services/wallet/adapters/limits_text.h"
#include "services/wallet/core/wallet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define EUR 978
#define GAME 5
#define GAME_OTHER 6
#define PLAYER ((INT64_C(1) << 48) + 7)
#define S UINT64_C(1000000)
#define BEGIN INT64_C(1769900400) /* Saturday, 2026-01-31 23:00 UTC */
#define ROWS_MAX 64

static const struct wallet_rules rules = { .stake_max = 50000,
	.outside_max = 1000000,
	.limit_raise_us = 86400 * S,
	.deposit_max = { { 1, EUR, 5000 }, { 1, 752, 1 }, { 2, EUR, 1 } },
	.deposit_max_n = 3 };

static const char *const codes[WALLET_LIMITS_N] = { "", "loss_day", "loss_week", "loss_month",
	"wager_day", "wager_week", "wager_month", "deposit_day", "deposit_week", "deposit_month",
	"time", "exclusion" };
static const char *const refusals[WALLET_REFUSALS_N] = { [WALLET_REFUSAL_NONE] = "ok",
	[WALLET_REFUSAL_FUNDS] = "funds",
	[WALLET_REFUSAL_LIMIT] = "limit",
	[WALLET_REFUSAL_AMOUNT] = "amount",
	[WALLET_REFUSAL_LIMIT_LOSS] = "loss",
	[WALLET_REFUSAL_LIMIT_WAGER] = "wager",
	[WALLET_REFUSAL_LIMIT_TIME] = "time",
	[WALLET_REFUSAL_LIMIT_DEPOSIT] = "deposit",
	[WALLET_REFUSAL_EXCLUDED] = "excluded" };

/* Steps: "+N" seconds pass; "bet STAKE WIN", "other STAKE WIN" in another game, "pending STAKE
 * WIN", "collect", "gamble" of all pending, lost, "void STAKE WIN", "award N", "deposit N",
 * "CODE N" sets a limit ("exclusion N": for N seconds from now); then the result. */
static const struct {
	const char *what, *steps;
} stories[] = {
	{ "no limit at all", "bet 50000 0 ok, deposit 5000 ok" },
	{ "a loss of a day",
		"loss_day 100 ok, bet 60 0 ok, bet 41 0 loss, bet 40 0 ok, bet 1 0 loss" },
	{ "a win does not pay for its own stake", "loss_day 100 ok, bet 101 5000 loss" },
	{ "wins count",
		"loss_day 100 ok, bet 60 30 ok, bet 70 0 ok, bet 1 0 loss, award 5 ok, bet 5 0 "
		"ok, bet 1 0 loss" },
	{ "pending that is gambled away was never won",
		"loss_day 100 ok, pending 60 50 ok, gamble ok, bet 41 0 loss, bet 40 0 ok" },
	{ "pending does not raise what may be staked in another game",
		"loss_day 100 ok, pending 60 5000 ok, other 41 0 loss, other 40 0 ok, gamble ok, bet 1 0 "
		"loss" },
	{ "a pending win counts once it is collected",
		"loss_day 100 ok, pending 60 50 ok, collect ok, bet 91 0 loss, bet 90 0 ok" },
	{ "a bet that collects first counts the win",
		"loss_day 100 ok, pending 60 50 ok, bet 91 0 loss, bet 90 0 ok, bet 1 0 loss" },
	{ "a stake counts, whatever the bet collects",
		"wager_day 100 ok, pending 60 50 ok, bet 41 0 wager, bet 40 0 ok" },
	{ "a void reduces the loss",
		"loss_day 100 ok, bet 100 0 ok, bet 1 0 loss, void 0 100 ok, bet 100 0 ok" },
	{ "a loss limit of 0", "loss_day 0 ok, bet 1 0 loss" },
	{ "use before the first limit does not count",
		"bet 500 0 ok, loss_day 100 ok, bet 100 0 ok" },
	{ "the day ends at midnight of UTC",
		"loss_day 100 ok, bet 100 0 ok, +3599, bet 1 0 loss, +1, bet 100 0 ok, bet 1 0 loss" },
	{ "the week ends on Sunday",
		"loss_week 100 ok, bet 100 0 ok, +3600, bet 1 0 loss, +86399, bet 1 0 loss, +1, bet 100 0 ok" },
	{ "the month ends with January",
		"loss_month 100 ok, bet 100 0 ok, +3600, bet 100 0 ok, +2419199, bet 1 0 loss, +1, bet 1 0 ok" },
	{ "a clock that steps back begins no new day",
		"loss_day 100 ok, +3600, bet 100 0 ok, +-1, bet 1 0 loss, +1, bet 1 0 loss" },
	{ "stakes of a day", "wager_day 100 ok, bet 60 1000 ok, bet 41 0 wager, bet 40 0 ok" },
	{ "stakes of a week",
		"wager_week 100 ok, bet 100 0 ok, +3600, bet 1 0 wager, +86400, bet 1 0 ok" },
	{ "stakes of a month", "wager_month 100 ok, bet 100 0 ok, +3600, bet 1 0 ok" },
	{ "a refused bet does not count", "wager_day 100 ok, bet 101 0 wager, bet 100 0 ok" },
	{ "deposits of a day",
		"deposit_day 100 ok, deposit 60 ok, deposit 41 deposit, deposit 40 ok, +3600, deposit 100 ok" },
	{ "deposits of a week and a month",
		"deposit_week 100 ok, deposit_month 150 ok, deposit 100 ok, +3600, deposit 1 deposit, +86400, "
		"deposit 100 ok, deposit 1 deposit" },
	{ "the operator's limit on one deposit", "deposit 5000 ok, deposit 5001 deposit" },
	{ "a lower limit takes effect at once",
		"loss_day 100 ok, loss_day 50 ok, bet 51 0 loss, bet 50 0 ok" },
	{ "a limit below the loss so far",
		"loss_day 100 ok, bet 80 0 ok, loss_day 50 ok, bet 1 0 loss" },
	{ "a higher limit takes effect after a day",
		"wager_month 100 ok, +7200, wager_month 200 ok, bet 101 0 wager, bet 100 0 ok, +86399, bet 1 0 "
		"wager, +1, bet 100 0 ok, bet 1 0 wager" },
	{ "the end of a limit is a raise",
		"wager_month 100 ok, +7200, wager_month -1 ok, bet 101 0 wager, +86400, bet 50000 0 ok" },
	{ "a lower limit cancels a pending raise",
		"wager_month 100 ok, +7200, wager_month 200 ok, +3600, wager_month 90 ok, +86400, bet 91 0 "
		"wager" },
	{ "a second raise starts a new delay",
		"wager_month 100 ok, +7200, wager_month 200 ok, +3600, wager_month 300 ok, +82800, bet 101 0 "
		"wager, +3600, bet 300 0 ok" },
	{ "a raise in force can be lowered",
		"wager_month 100 ok, +7200, wager_month 200 ok, +90000, wager_month 150 ok, bet 151 0 wager, "
		"bet 150 0 ok" },
	{ "removing no limit is not a raise", "loss_day -1 ok, bet 5000 0 ok" },
	{ "played too long",
		"time 600 ok, bet 1 0 ok, +599, bet 1 0 ok, +1, bet 1 0 time, +899, bet 1 0 time, "
		"+2, bet 1 0 ok" },
	{ "a rest restarts the play time",
		"time 600 ok, bet 1 0 ok, +500, bet 1 0 ok, +901, bet 1 0 ok, +599, bet 1 0 ok, "
		"+1, bet 1 0 time" },
	{ "excluded",
		"exclusion 7200 ok, bet 1 0 excluded, deposit 1 excluded, +7199, bet 1 0 excluded, +1, bet "
		"1 0 ok, deposit 1 ok" },
	{ "an exclusion is never shortened",
		"exclusion 7200 ok, exclusion 7199 limit, exclusion 7200 ok, exclusion 9000 ok, exclusion 7200 "
		"limit, +8999, bet 1 0 excluded, +1, bet 1 0 ok, exclusion 5 ok, bet 1 0 excluded" },
	{ "an exclusion in the past", "exclusion 0 amount, exclusion -5 amount" },
	{ "invalid values", "loss_day -2 amount, time 0 amount, time 99999999 amount, loss_day "
			    "1000000000000001 amount" },
};

struct world {
	struct wallet_account account;
	struct wallet_limits limits;
	uint64_t now_us;
	uint8_t id;
	struct wallet_row rows[ROWS_MAX];
	size_t rows_n;
};

static struct wallet_account account_new(struct wallet_limits *limits)
{
	wallet_limits_init(limits);
	return (struct wallet_account){ .player = PLAYER,
		.exists = true,
		.currency = EUR,
		.balance = { 1000000 },
		.limits = limits };
}

static void move(struct world *world, uint32_t game, uint32_t kind, int64_t stake, int64_t win,
	const struct wallet_moment *moment, struct wallet_row *row)
{
	struct wallet_pending held = wallet_account_pending(&world->account, game);
	struct wallet_proposal proposal = { .move = world->account.last_move + 1,
		.round = held.round,
		.game = game,
		.kind = kind,
		.pending_before = held.amount.minor,
		.stake = stake };

	if (kind == WALLET_KIND_BET) {
		proposal.round = proposal.move;
		proposal.release = held.amount.minor;
	}
	if (kind == WALLET_KIND_COLLECT)
		proposal.release = held.amount.minor;
	if (kind == WALLET_KIND_GAMBLE)
		proposal.forfeit = held.amount.minor;
	else if (win < 0)
		proposal.win_pending = -win;
	else
		proposal.win_balance = win;
	assert_int_equal(wallet_apply_proposal(&world->account, &proposal, moment, row), 0);
}

static void outside(struct world *world, uint32_t kind, uint32_t code, int64_t amount,
	const struct wallet_moment *moment, struct wallet_row *row)
{
	struct wallet_outside command = { .kind = kind,
		.currency = EUR,
		.id = { ++world->id },
		.amount = amount,
		.limit = code };

	assert_int_equal(wallet_apply_outside(&world->account, &command, NULL, moment, row), 0);
}

static uint32_t code_of(const char *name)
{
	for (uint32_t i = 1; i < WALLET_LIMITS_N; i++)
		if (strcmp(codes[i], name) == 0)
			return i;
	fail_msg("no limit %s", name);
	return 0;
}

static void act(struct world *world, const char *word, int64_t first, int64_t second,
	const struct wallet_moment *moment, struct wallet_row *row)
{
	if (strcmp(word, "bet") == 0) {
		move(world, GAME, WALLET_KIND_BET, first, second, moment, row);
	} else if (strcmp(word, "other") == 0) {
		move(world, GAME_OTHER, WALLET_KIND_BET, first, second, moment, row);
	} else if (strcmp(word, "collect") == 0) {
		move(world, GAME, WALLET_KIND_COLLECT, 0, 0, moment, row);
	} else if (strcmp(word, "pending") == 0) {
		move(world, GAME, WALLET_KIND_BET, first, -second, moment, row);
	} else if (strcmp(word, "gamble") == 0) {
		move(world, GAME, WALLET_KIND_GAMBLE, 0, 0, moment, row);
	} else if (strcmp(word, "void") == 0) {
		move(world, GAME, WALLET_KIND_VOID, first, second, moment, row);
	} else if (strcmp(word, "deposit") == 0) {
		outside(world, WALLET_KIND_DEPOSIT, 0, first, moment, row);
	} else if (strcmp(word, "award") == 0) {
		struct wallet_award award = { 1, 1, 1, EUR, first, 1 };
		struct wallet_claim_view claim = { WALLET_CLAIM_OPEN, 1, EUR };
		assert_int_equal(
			wallet_apply_award(&world->account, &award, &claim, moment, row), 0);
	} else {
		uint32_t code = code_of(word);
		if (code == WALLET_LIMIT_EXCLUSION)
			first += (int64_t)(world->now_us / S);
		outside(world, WALLET_KIND_LIMIT, code, first, moment, row);
	}
}

static void step(struct world *world, const char *what, const char *text)
{
	char word[24], result[16];
	long long first = 0, second = 0;
	struct wallet_moment moment = {
		.now_us = world->now_us, .seq = world->rows_n + 1, .rules = &rules
	};
	struct wallet_row *row = &world->rows[world->rows_n];

	if (sscanf(text, " +%lld", &first) == 1) {
		world->now_us += (uint64_t)first * S;
		return;
	}
	if (sscanf(text, " %23s %lld %lld %15s", word, &first, &second, result) != 4 &&
		sscanf(text, " %23s %lld %15s", word, &first, result) != 3 &&
		sscanf(text, " %23s %15s", word, result) != 2)
		fail_msg("%s: '%s' is no step", what, text);
	assert_true(world->rows_n < ROWS_MAX);
	act(world, word, first, second, &moment, row);
	world->rows_n++;
	const char *came = refusals[row->refusal];
	if (strcmp(came == NULL ? "?" : came, result) != 0)
		fail_msg("%s: '%s': found %s (%u)", what, text, came == NULL ? "?" : came,
			row->refusal);
}

/* From the rows alone, once by way of the text that Postgres stores. */
static void retell(const struct world *world, size_t kept_at)
{
	struct wallet_limits limits, again;
	struct wallet_account account = account_new(&limits);
	int64_t told[LIMITS_NUMBERS], rolled[LIMITS_NUMBERS];
	static struct text text;

	for (size_t i = 0; i < world->rows_n; i++) {
		if (i == kept_at) {
			text_clear(&text);
			limits_text(&text, &limits);
			assert_true(limits_read(text.bytes, &again));
			limits = again;
		}
		wallet_account_roll(&account, &world->rows[i]);
	}
	limits_pack(&world->limits, told);
	limits_pack(&limits, rolled);
	assert_memory_equal(told, rolled, sizeof(told));
	assert_int_equal(account.balance.minor, world->account.balance.minor);
}

static void test_limits_stories(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		struct world world = { .now_us = (uint64_t)BEGIN * S };
		char text[512];
		char *rest = text;
		world.account = account_new(&world.limits);
		if (strncmp(stories[i].steps, "bet 500 ", 8) == 0)
			world.account.limits = NULL;
		(void)snprintf(text, sizeof(text), "%s", stories[i].steps);
		for (char *one; (one = strsep(&rest, ",")) != NULL;) {
			if (strstr(one, "loss_day") != NULL)
				world.account.limits = &world.limits;
			step(&world, stories[i].what, one);
		}
		for (size_t at = 0; world.rows[0].kind == WALLET_KIND_LIMIT && at < world.rows_n;
			at++)
			retell(&world, at);
	}
}

/* Compares the calendar with the C library's, day by day over four hundred years. */
static void test_limits_periods_follow_the_calendar(void **state)
{
	int64_t week = 0, months = 0, month_before = 0;

	(void)state;
	for (int64_t day = 0; day < 146100; day++) {
		time_t seconds = (time_t)(day * 86400);
		struct tm tm;
		uint64_t time_us = (uint64_t)seconds * S;
		gmtime_r(&seconds, &tm);
		months = (int64_t)tm.tm_year * 12 + tm.tm_mon;
		if (day == 0)
			month_before = months;
		assert_int_equal(wallet_period_of(WALLET_DAY, time_us + 86399 * S), day);
		assert_int_equal(wallet_period_of(WALLET_MONTH, time_us), months - month_before);
		week += day > 0 && tm.tm_wday == 1;
		assert_int_equal(wallet_period_of(WALLET_WEEK, time_us), week);
	}
}

static void test_limits_text_rejects_malformed(void **state)
{
	static const char *const texts[] = { "{}", "{1,2}", "", "{", "{x}" };
	struct wallet_limits limits;
	static struct text text;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(limits_read(texts[i], &limits));
	wallet_limits_init(&limits);
	text_clear(&text);
	limits_text(&text, &limits);
	text.bytes[text.length - 1] = ',';
	assert_false(limits_read(text.bytes, &limits));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits_stories),
		cmocka_unit_test(test_limits_periods_follow_the_calendar),
		cmocka_unit_test(test_limits_text_rejects_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
