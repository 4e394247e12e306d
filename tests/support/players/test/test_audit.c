/* A whole player against a small platform with a ledger of its own: its record is compared during
 * play, all of it and once; little is left for the end, and each fault is found. */
#include "tests/support/players/player.h"
#include "tests/support/players/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 240
#define ROWS_MAX 1000
#define EACH 20		/* rounds between comparisons */
#define JACKPOT_EVERY 7 /* rounds; it pays PRIZE */
#define PRIZE 500

enum fault {
	RIGHT,
	ROW_GONE,
	STAKE_BOOKED,
	AWARD_TWICE,
	AWARD_NEVER,
	HISTORY_WIN,
	HISTORY_GONE,
	FAULTS,
};

static struct {
	enum fault fault;
	uint64_t fault_at;   /* a round */
	uint64_t award_late; /* the jackpot of this round is booked so many rounds later */
	struct ledger_row rows[ROWS_MAX];
	size_t n, requests, rounds_in_record, jackpots_in_record;
	uint64_t expect, owed; /* owed: a round whose award is on its way */
	int64_t balance;
	bool asked;
	char path[200], body[600];
} world;

void http_send(struct http_line *line, const char *method, const char *path, const char *token,
	const char *key, const char *body)
{
	(void)line, (void)method, (void)token, (void)key;
	snprintf(world.path, sizeof(world.path), "%s", path);
	snprintf(world.body, sizeof(world.body), "%s", body ? body : "");
	world.asked = true;
	world.requests++;
}

bool http_line_busy(const struct http_line *line)
{
	(void)line;
	return world.asked;
}

void crowd_schedule(struct player *player, uint64_t due_us)
{
	player->due_us = due_us;
}

void crowd_progress(struct crowd *crowd)
{
	crowd->progress_us++;
}

/* ---- the platform -------------------------------------------------------------------------- */

static void book(struct ledger_row row)
{
	world.balance += row.amount - row.stake;
	row.balance_after = world.balance;
	row.seq = 10 + 2 * world.n;
	assert_true(world.n < ROWS_MAX);
	world.rows[world.n++] = row;
}

static void book_award(uint64_t round)
{
	const struct ledger_row award = {
		.kind = ROW_AWARD, .round = round, .award_index = 1, .amount = PRIZE
	};
	bool faulty = round == world.fault_at;
	if (!faulty || world.fault != AWARD_NEVER)
		book(award);
	if (faulty && world.fault == AWARD_TWICE)
		book(award);
}

static json_t *state(uint64_t round, int64_t stake, bool jackpot, bool booked)
{
	json_t *json = json_pack("{s:I,s:I}", "expect", (json_int_t)world.expect, "balance_minor",
		(json_int_t)world.balance);
	if (!round)
		return json;
	json_t *told = json_pack("{s:I,s:s,s:I,s:s,s:b,s:[]}", "round", (json_int_t)round, "game",
		"tests", "stake_minor", (json_int_t)stake, "next", "bet", "closed", 1, "jackpots");
	if (jackpot)
		json_array_append_new(json_object_get(told, "jackpots"),
			json_pack("{s:i,s:i,s:I,s:b}", "index", 1, "pool", 1, "paid_minor",
				(json_int_t)(booked ? PRIZE : 0), "booked", (int)booked));
	json_object_set_new(json, "round", told);
	return json;
}

static json_t *bet(void)
{
	json_t *asked = json_loads(world.body, 0, NULL);
	uint64_t round = (uint64_t)json_number(asked, "expect", 0);
	int64_t stake = 100;
	bool jackpot = round % JACKPOT_EVERY == 0, late = round == world.award_late;
	assert_int_equal(round, world.expect);
	json_decref(asked);
	if (world.owed && round == world.owed + 2 * EACH) {
		book_award(world.owed);
		world.owed = 0;
	}
	world.expect++;
	book((struct ledger_row){ .kind = ROW_BET, .move = round, .round = round, .stake = stake });
	if (late)
		world.owed = round;
	else if (jackpot)
		book_award(round);
	return state(round, stake, jackpot, !late);
}

/* limit and before of the path. */
static size_t page_of(size_t *end_r)
{
	const char *limit = strstr(world.path, "limit="), *before = strstr(world.path, "before=");
	*end_r = before ? strtoul(before + 7, NULL, 10) : world.n;
	size_t n = strtoul(limit + 6, NULL, 10);
	assert_true(n > 0 && n <= 100);
	return n < *end_r ? n : *end_r;
}

static bool is_hidden(const struct ledger_row *row)
{
	return world.fault == ROW_GONE && row->kind == ROW_BET && row->round == world.fault_at;
}

static json_t *journal(void)
{
	size_t end, n = page_of(&end);
	json_t *rows = json_array();
	for (size_t i = end; i-- > end - n;) {
		const struct ledger_row *row = &world.rows[i];
		int64_t more = world.fault == STAKE_BOOKED && row->kind == ROW_BET &&
					       row->round == world.fault_at
				       ? 1
				       : 0;
		json_t *json = json_pack("{s:I,s:s,s:I,s:I,s:I,s:I,s:I}", "seq",
			(json_int_t)row->seq, "kind", row_kind_text(row->kind), "move",
			(json_int_t)row->move, "round", (json_int_t)row->round, "stake_minor",
			(json_int_t)(row->stake + more), "amount_minor", (json_int_t)row->amount,
			"balance_after_minor", (json_int_t)row->balance_after);
		if (row->kind == ROW_AWARD)
			json_object_set_new(json, "award",
				json_pack("{s:I,s:i}", "round", (json_int_t)row->round, "index",
					(int)row->award_index));
		if (!is_hidden(row))
			json_array_append_new(rows, json);
		else
			json_decref(json);
	}
	return json_pack("{s:o,s:o}", "rows", rows, "next",
		end > n ? json_integer((json_int_t)(end - n)) : json_null());
}

/* The rounds whose bets are on this page of rows. */
static json_t *history(void)
{
	size_t end, n = page_of(&end);
	json_t *rounds = json_array();
	for (size_t i = end; i-- > end - n;) {
		const struct ledger_row *row = &world.rows[i];
		bool faulty = row->round == world.fault_at;
		int64_t win = faulty && world.fault == HISTORY_WIN ? 1 : 0;
		for (size_t j = 0; j < world.n; j++)
			if (world.rows[j].kind == ROW_AWARD && world.rows[j].round == row->round)
				win += world.rows[j].amount;
		if (row->kind == ROW_BET && !(faulty && world.fault == HISTORY_GONE))
			json_array_append_new(
				rounds, json_pack("{s:I,s:I,s:I}", "round", (json_int_t)row->round,
						"stake_minor", (json_int_t)row->stake, "win_minor",
						(json_int_t)win));
	}
	return json_pack("{s:o,s:o}", "rounds", rounds, "next",
		end > n ? json_integer((json_int_t)(end - n)) : json_null());
}

static json_t *answer(void)
{
	if (strcmp(world.path, "/v1/demo/sessions") == 0)
		return json_pack("{s:s,s:o}", "token", "t", "state", state(0, 0, false, false));
	if (strcmp(world.path, "/v1/rounds") == 0)
		return bet();
	if (strncmp(world.path, "/v1/journal?", 12) == 0)
		return journal();
	if (strncmp(world.path, "/v1/rounds?", 11) == 0)
		return history();
	return json_object(); /* a past round, without its secret */
}

/* ---- the play ------------------------------------------------------------------------------ */

static void step(struct player *player)
{
	player_act(player, player->due_us);
	if (!world.asked)
		return;
	json_t *json = answer();
	char *text = json_dumps(json, JSON_COMPACT);
	world.asked = false;
	player_answered(player, 200, text, strlen(text), NULL);
	free(text);
	json_decref(json);
	if (player->record.rounds.n > world.rounds_in_record)
		world.rounds_in_record = player->record.rounds.n;
	if (player->record.jackpots.n > world.jackpots_in_record)
		world.jackpots_in_record = player->record.jackpots.n;
}

struct result {
	uint64_t mismatches, early; /* early: before the end */
	size_t end_requests;
};

static struct result play(int64_t read_back, enum fault fault, uint64_t at, uint64_t award_late)
{
	static struct options options;
	static struct crowd crowd;
	struct player player = {
		.crowd = &crowd, .number = 3, .random = 1, .game = &crowd.game[0]
	};
	struct result result;
	options = (struct options){
		.events = "none", .currency = "EUR", .rounds = ROUNDS, .read_back = read_back
	};
	crowd = (struct crowd){ .options = &options, .players = &player, .n = 1, .active = 1 };
	crowd.games_n = 1;
	crowd.game[0] = (struct game_rules){ .id = "tests",
		.coin = { 100 },
		.coins_n = 1,
		.lines_min = 1,
		.lines_max = 1,
		.coins_min = 1,
		.coins_max = 1,
		.modes_n = 1,
		.mode = { { "base", 100 } } };
	memset(&stats, 0, sizeof(stats));
	memset(&world, 0, sizeof(world));
	world.fault = fault;
	world.fault_at = at;
	world.award_late = award_late;
	world.expect = 1;
	book((struct ledger_row){ .kind = ROW_DEPOSIT, .amount = 100000 });
	while (player.stage != PLAYER_DONE && !crowd.stopping)
		step(&player);
	result.early = stats.mismatches_n;
	result.end_requests = world.requests;
	while (player.stage != PLAYER_DONE)
		step(&player);
	result.end_requests = world.requests - result.end_requests;
	result.mismatches = stats.mismatches_n;
	assert_int_equal(stats.errors_n, 0);
	assert_int_equal(stats.rounds_settled, ROUNDS);
	assert_int_equal(crowd.active, 0);
	record_free(&player.record);
	free(player.rows.at);
	ledger_rounds_free(&player.ledger);
	return result;
}

static void assert_compared_once(const struct result *result)
{
	if (result->mismatches)
		fail_msg("%s", stats.mismatches[0]);
	assert_int_equal(stats.rounds_told, ROUNDS);
	assert_int_equal(stats.rounds_compared, ROUNDS);
	assert_int_equal(stats.rows_compared, world.n - 1); /* but the deposit before he came */
}

static void test_audit_compares_at_the_end(void **state)
{
	struct result result = play(0, RIGHT, 0, 0);
	(void)state;
	assert_compared_once(&result);
	assert_int_equal(world.rounds_in_record, ROUNDS);
}

/* Neither the memory nor the end grows with the play, and the requests are few. */
static void test_audit_compares_while_playing(void **state)
{
	struct result result = play(EACH, RIGHT, 0, 0);
	(void)state;
	assert_compared_once(&result);
	assert_true(world.rounds_in_record <= EACH + 3);
	assert_true(world.jackpots_in_record <= (EACH + 3) / JACKPOT_EVERY + 2);
	assert_true(result.end_requests <= 6);
	assert_true(world.requests <= ROUNDS + ROUNDS * 3 / EACH + 10);
}

/* An award on its way makes reading back wait, and nothing is held against anybody. */
static void test_pending_award_is_awaited(void **state)
{
	struct result result = play(EACH, RIGHT, 0, 20 * JACKPOT_EVERY);
	(void)state;
	assert_compared_once(&result);
	assert_true(world.rounds_in_record > 2 * EACH);
	assert_true(world.rounds_in_record < 5 * EACH);
	assert_true(result.end_requests <= 6);
}

static void test_each_fault_is_found(void **state)
{
	static const uint64_t rounds[] = { 1, 2 * JACKPOT_EVERY, 30 * JACKPOT_EVERY, ROUNDS - 1 };
	static const int64_t read_back[] = { 0, 1, EACH, 10 * ROUNDS };
	(void)state;
	for (enum fault fault = RIGHT + 1; fault < FAULTS; fault++)
		for (size_t i = 0; i < 4; i++)
			for (size_t j = 0; j < 4; j++) {
				uint64_t at = rounds[i];
				if (fault == AWARD_TWICE || fault == AWARD_NEVER)
					at += (JACKPOT_EVERY - at % JACKPOT_EVERY) % JACKPOT_EVERY;
				if (at > ROUNDS)
					at = ROUNDS / JACKPOT_EVERY * JACKPOT_EVERY;
				struct result result = play(read_back[j], fault, at, 0);
				if (!result.mismatches)
					fail_msg("fault %d of round %d was not seen", (int)fault,
						(int)at);
				/* What never comes can be told from what is late at the end only.
				 */
				if (read_back[j] == EACH && i < 3 && fault != AWARD_NEVER &&
					!result.early)
					fail_msg("fault %d of round %d was seen late", (int)fault,
						(int)at);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_audit_compares_at_the_end),
		cmocka_unit_test(test_audit_compares_while_playing),
		cmocka_unit_test(test_pending_award_is_awaited),
		cmocka_unit_test(test_each_fault_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
