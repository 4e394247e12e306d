/* The player's state machine: what each command does in each state, as text tables; and properties
 * over random play. */
#include "tests/support/game/game_fixture.h"
#include "services/spin-engine/test/player_world.h"

#include "services/spin-engine/adapters/codec.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define DULL "MO FE TO MA LA/FE TO MA LA CA/CA LA MO FE GR"
#define WIN_30 "MO FE TO MA LA/CT CT CT LA CA/CA LA MO FE GR"
#define BONUS_3 "MU FE MU MA LA/FE TO MA LA CA/CA LA MO FE MU"
#define BONUS_WIN "MU FE MU MA LA/CT CT CT LA CA/CA LA MO FE MU"
#define SCATTER_3 "BA FE BA MA BA/FE TO MA LA CA/CA LA MO FE GR"

static const char *const windows[] = { DULL, WIN_30, BONUS_3, BONUS_WIN, SCATTER_3 };

struct row {
	const char *what;
	const char *steps;    /* one per command, separated by ';' */
	const char *expected; /* the same */
};

static void bet_with(struct world *world, const char *script, struct player_command *command)
{
	uint32_t results[FIXTURE_SCRIPT_MAX];
	size_t count = fixture_script(&world->game, &command->bet, script, results);

	assert_true(count <= PLAYER_FORCED_MAX);
	world->forced_count = (uint32_t)count;
	memcpy(world->forced, results, count * sizeof(results[0]));
}

/* "bet 1 b0", "auto 1", "pick 2", "next", "collect", "win", "lose", "halve", "start 3", "stop",
 * "witch 1", "void", "resolve"; in front of it: "low", "high", "late", "same", "other" (the key of
 * the last move), "old" (another round), "refuse" (by the wallet), "blocked", "key1" (the key of
 * the first step), "changed" (its content is another), "twice" (two coins a line). */
static bool apply_word(struct world *world, char *word, struct player_command *command)
{
	if (strcmp(word, "low") == 0)
		command->expect--;
	else if (strcmp(word, "high") == 0)
		command->expect++;
	else if (strcmp(word, "late") == 0)
		command->not_after_us = world->now_us - 1;
	else if (strcmp(word, "same") == 0 || strcmp(word, "other") == 0) {
		memcpy(command->request_id, world->player.last.request_id, PLAYER_ID_BYTES);
		command->expect--;
		if (word[0] == 'o')
			command->content_hash[0] = 7;
	} else if (strcmp(word, "old") == 0)
		command->round++;
	else if (strcmp(word, "behind") == 0)
		command->cursor--;
	else if (strcmp(word, "ahead") == 0)
		command->cursor++;
	else if (strcmp(word, "refuse") == 0)
		world->refuse_next = 2;
	else if (strncmp(word, "key", 3) == 0) {
		memset(command->request_id, 0, PLAYER_ID_BYTES);
		command->request_id[0] = (uint8_t)atoi(word + 3);
	} else if (strcmp(word, "changed") == 0)
		command->content_hash[0] = 7;
	else if (strcmp(word, "twice") == 0)
		command->bet.coins = 2;
	else if (strcmp(word, "blocked") == 0)
		world->player.blocked = world->other.blocked = true;
	else
		return false;
	return true;
}

static void make_command(struct world *world, char *step, struct player_command *command)
{
	static const struct {
		const char *word;
		enum player_verb verb;
	} verbs[] = { { "bet", VERB_BET }, { "auto", VERB_BET }, { "pick", VERB_PICK },
		{ "next", VERB_NEXT }, { "collect", VERB_COLLECT }, { "win", VERB_GAMBLE },
		{ "lose", VERB_GAMBLE }, { "guess", VERB_GAMBLE }, { "halve", VERB_HALVE },
		{ "start", VERB_AUTOPLAY }, { "stop", VERB_AUTOPLAY }, { "witch", VERB_WITCH },
		{ "void", VERB_VOID }, { "resolve", VERB_RESOLVE }, { "state", VERB_STATE } };
	char *rest = strchr(step, ' ');
	size_t at = 0;

	if (rest)
		*rest++ = '\0';
	if (apply_word(world, step, command)) {
		make_command(world, rest, command);
		return;
	}
	while (at < sizeof(verbs) / sizeof(verbs[0]) && strcmp(verbs[at].word, step) != 0)
		at++;
	if (at == sizeof(verbs) / sizeof(verbs[0]))
		fail_msg("unknown word %s", step);
	command->verb = verbs[at].verb;
	command->autospin = strcmp(step, "auto") == 0;
	if (command->verb == VERB_BET)
		bet_with(world, rest ? rest : "0", command);
	else if (strcmp(step, "win") == 0 || strcmp(step, "lose") == 0)
		command->choice = world_guess(world, step[0] == 'w');
	else if (command->verb == VERB_AUTOPLAY)
		command->autoplay.spins = rest ? (uint32_t)atoi(rest) : 0;
	else if (rest)
		command->choice = (uint32_t)atoi(rest);
}

static void run_row(const struct row *row)
{
	static struct world world;
	char steps[400], trace[2000] = "", result[200], *save = NULL;

	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	snprintf(steps, sizeof(steps), "%s", row->steps);
	for (char *step = strtok_r(steps, ";", &save); step; step = strtok_r(NULL, ";", &save)) {
		struct player_command command = world_command(&world, VERB_STATE);
		size_t length = strlen(trace);

		while (*step == ' ')
			step++;
		make_command(&world, step, &command);
		world_do(&world, &command, result, sizeof(result));
		world_check(&world);
		snprintf(
			trace + length, sizeof(trace) - length, "%s%s", length ? "; " : "", result);
	}
	if (strcmp(trace, row->expected) != 0)
		fail_msg("%s:\n steps    %s\n found    %s\n expected %s", row->what, row->steps,
			trace, row->expected);
}

#define RUN(rows)                                                                                  \
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)                                \
	run_row(&rows[i])

/* Which commands are accepted, by move number and key. */
static void test_player_numbers(void **unused)
{
	static const struct row rows[] = {
		{ "a plain loss", "bet 0", "bet stake 1" },
		{ "a spent number", "bet 0; low bet 0", "bet stake 1; 409 move_spent" },
		{ "a move number ahead must wait", "high bet 0", "wait" },
		{ "the same request again", "bet 0; same bet 0", "bet stake 1; stored" },
		{ "the same key, different content", "bet 0; other bet 0",
			"bet stake 1; 422 other_content" },
		{ "too late", "late bet 0; bet 0", "409 too_late; bet stake 1" },
		{ "blocked", "blocked bet 0", "403 blocked" },
		{ "a blocked player may still collect", "bet 1; blocked collect",
			"bet stake 1 win 0+30 open; collect release 30" },
		{ "a refusal spends the number only", "bet 1; refuse bet 0; collect",
			"bet stake 1 win 0+30 open; 403 limit spent; collect release 30" },
		{ "a retry of a refused bet", "refuse bet 0; same bet 0",
			"403 limit spent; stored" },
	};
	(void)unused;
	RUN(rows);
}

/* A request that became a move is never started again, whatever number it names. */
static void test_player_repeats(void **unused)
{
	static const struct row rows[] = {
		{ "a retry of the last move with the next number", "bet 0; key1 bet 0",
			"bet stake 1; stored" },
		{ "an unchanged retry of an older move", "bet 0; bet 0; low low key1 bet 0",
			"bet stake 1; bet stake 1; 409 already_done" },
		{ "a retry of an older move with the next number",
			"bet 0; bet 0; key1 bet 0; bet 0",
			"bet stake 1; bet stake 1; 409 already_done; bet stake 1" },
		{ "a retry of an older move with a number ahead", "bet 0; bet 0; high key1 bet 0",
			"bet stake 1; bet stake 1; 409 already_done" },
		{ "the key of an older move, different content", "bet 0; bet 0; changed key1 bet 0",
			"bet stake 1; bet stake 1; 422 other_content" },
		{ "the house moved in between", "bet 1; resolve; key1 bet 1",
			"bet stake 1 win 0+30 open; collect release 30; 409 already_done" },
		{ "a collect", "bet 1; collect; bet 1; key2 collect",
			"bet stake 1 win 0+30 open; collect release 30; bet stake 1 win 0+30 open; "
			"409 already_done" },
		{ "a retry of a refused move while it is the last", "refuse bet 0; key1 bet 0",
			"403 limit spent; stored" },
		{ "a later retry of a refused move", "refuse bet 0; bet 0; key1 bet 0",
			"403 limit spent; bet stake 1; 403 limit" },
		{ "a later retry of a refused void", "bet 0; refuse void; bet 0; key2 old void",
			"bet stake 1; 403 limit spent; bet stake 1; 403 limit" },
		{ "a request refused by the engine became no move", "late bet 0; bet 0; key1 bet 0",
			"409 too_late; bet stake 1; bet stake 1" },
	};
	(void)unused;
	RUN(rows);
}

/* How many requests are remembered, with which move number, and that they survive a restart. */
static void test_player_remembers_repeats(void **unused)
{
	static struct world world;
	struct player_command command;
	struct player_error error;
	struct player back;
	uint8_t bytes[PLAYER_BYTES_MAX];
	char result[200], steps[] = "bet 0";
	uint64_t moves =
		PLAYER_SEEN_MAX + 2; /* the last, those before it, and one that is forgotten */

	(void)unused;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	for (uint64_t move = 1; move <= moves; move++) {
		snprintf(steps, sizeof(steps), "bet 0");
		command = world_command(&world, VERB_BET);
		make_command(&world, steps, &command);
		world_do(&world, &command, result, sizeof(result));
		world_check(&world);
	}
	back = (struct player){ .id = world.player.id, .account = true, .last_move = moves };
	assert_int_equal(
		player_decode(bytes, player_encode(&world.player, bytes), &back), CODEC_OK);
	assert_memory_equal(&back, &world.player, sizeof(back));
	for (uint64_t move = 1; move <= moves; move++) {
		memset(command.request_id, 0, PLAYER_ID_BYTES);
		command.request_id[0] = (uint8_t)move;
		command.expect = moves + 1;
		if (move == 1 || move == moves) {
			assert_int_equal(player_check(&back, &world.play, &world.game, &command,
						 world.now_us, &error),
				move == 1 ? PLAYER_PROPOSE : PLAYER_STORED);
			continue;
		}
		for (command.expect = 1; command.expect < moves + 4; command.expect++) {
			assert_int_equal(player_check(&back, &world.play, &world.game, &command,
						 world.now_us, &error),
				PLAYER_REFUSE);
			assert_int_equal(error.refusal, REFUSED_DONE);
			assert_string_equal(error.field, "Idempotency-Key");
			assert_int_equal(error.found, move);
		}
	}
}

/* What stays in pending, and which command releases it. RULE bewitched 5.9. RULE bewitched 5.12;
 * RULE mystic-gem 1.4; RULE mystery-elves 5.11: "the next bet collects". RULE mystic-gem 3.14: no
 * bet, bought or not, while a feature runs ("a feature must be watched"). RULE mystic-gem 8.1:
 * leaving is "collect", and a closed round cannot be doubled. RULE witch-feature 8.1, 8.3: what was
 * last stays as it is when nothing new arrives ("no round yet", "another round"). */
static void test_player_stages(void **unused)
{
	static const struct row rows[] = {
		{ "collect", "bet 1; collect; collect",
			"bet stake 1 win 0+30 open; collect release 30; 409 round_closed" },
		{ "the next bet collects", "bet 1; bet 1",
			"bet stake 1 win 0+30 open; bet release 30 stake 1 win 0+30 open" },
		{ "scatter pay is credited at once", "bet 4 b0", "bet stake 1 win 5+0" },
		{ "a feature must be watched", "bet 2 vm50; bet 0; collect; win",
			"bet stake 1 win 0+50 watch; 409 feature_open; 409 feature_open; 409 "
			"no_win_to_gamble" },
		{ "three picks end the bonus", "bet 2 vm50; pick 4; pick 4; pick 0; pick 8",
			"bet stake 1 win 0+50 watch; cursor 1/2 picks 1; cursor 1/2 picks 1;"
			" cursor 1/2 picks 2; collect release 50" },
		{ "no next while a pick is needed", "bet 2 vm50; next; pick 9; pick 1",
			"bet stake 1 win 0+50 watch; 409 pick_needed; 400 bad_choice; cursor 1/2 "
			"picks 1" },
		{ "the feature's part is released, the lines stay",
			"bet 3 vm50; pick 0; pick 1; pick 2; collect",
			"bet stake 1 win 0+80 watch; cursor 1/2 picks 1; cursor 1/2 picks 2;"
			" release release 50 open; collect release 30" },
		{ "a jackpot is a claim, not money", "bet 2 vj; pick 0; pick 1; pick 2",
			"bet stake 1 claims 1 watch; cursor 1/2 picks 1; cursor 1/2 picks 2; "
			"collect" },
		{ "a jackpot with a line win stays open for the lines",
			"bet 3 vj; pick 0; pick 1; pick 2; collect",
			"bet stake 1 win 0+30 claims 1 watch; cursor 1/2 picks 1; cursor 1/2 picks "
			"2;"
			" cursor 2/2 picks 0; collect release 30" },
		{ "free spins are started by hand (the last of them from the stream)",
			"bet 4 b8 0 0 1; auto 0; pick 0; next",
			"bet stake 1 win 0+66 watch; 409 feature_open; 409 no_pick; collect "
			"release 66" },
		{ "a pick behind the cursor", "bet 2 vm50; behind pick 0; ahead pick 0",
			"bet stake 1 win 0+50 watch; 409 other_cursor; 409 other_cursor" },
		{ "no round yet", "collect; resolve; next; win; void",
			"409 other_round; cursor 0/0 picks 0; 409 other_round; 409 other_round; "
			"409 other_round" },
		{ "another round", "bet 1; old collect",
			"bet stake 1 win 0+30 open; 409 other_round" },
	};
	(void)unused;
	RUN(rows);
}

/* RULE bewitched 5.6, 5.7, 5.10, 5.12 */
static void test_player_gamble(void **unused)
{
	static const struct row rows[] = {
		{ "lost", "bet 1; lose; win",
			"bet stake 1 win 0+30 open; gamble forfeit 30; 409 round_closed" },
		{ "won and collected", "bet 1; win; collect",
			"bet stake 1 win 0+30 open; gamble win 0+30 open; collect release 60" },
		{ "five times, then it is collected", "bet 1; win; win; win; win; win; win",
			"bet stake 1 win 0+30 open; gamble win 0+30 open; gamble win 0+60 open;"
			" gamble win 0+120 open; gamble win 0+240 open; gamble release 480 win "
			"480+0;"
			" 409 round_closed" },
		{ "a bad guess", "bet 1; guess 2", "bet stake 1 win 0+30 open; 400 bad_choice" },
		{ "this game has no halving", "bet 1; halve",
			"bet stake 1 win 0+30 open; 409 halve_not_offered" },
		{ "after a feature only the lines' win",
			"bet 3 vm50; pick 0; pick 1; pick 2; win; lose",
			"bet stake 1 win 0+80 watch; cursor 1/2 picks 1; cursor 1/2 picks 2;"
			" release release 50 open; gamble win 0+30 open; gamble forfeit 60" },
	};
	(void)unused;
	RUN(rows);
}

/* Moves that stake money have a latest time for the wallet; moves that pay the player have none. */
static void test_player_not_after(void **unused)
{
	static const struct {
		enum player_verb verb;
		bool timed;
	} cases[] = { { VERB_BET, true }, { VERB_GAMBLE, true }, { VERB_COLLECT, false },
		{ VERB_RESOLVE, false }, { VERB_VOID, false } };
	static struct world world;
	char steps[] = "bet 1", result[200];
	struct player_command command;
	struct player_entropy entropy = { .forced_count = 0 };
	struct player_proposal proposal;

	(void)unused;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	command = world_command(&world, VERB_BET);
	make_command(&world, steps, &command);
	world_do(&world, &command, result, sizeof(result));
	assert_string_equal(result, "bet stake 1 win 0+30 open");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		command = world_command(&world, cases[i].verb);
		command.not_after_us = world.now_us + 5;
		assert_int_equal(player_propose(&world.player, &world.play, &world.game, &command,
					 &entropy, world.now_us, &proposal),
			REFUSED_NOTHING);
		assert_int_equal(proposal.not_after_us, cases[i].timed ? command.not_after_us : 0);
	}
}

/* RULE witch-feature 1.5: a void restores the carried state of the round's bet value and does not
 * change that of other bet values. */
static void test_player_void_restores_carried_state(void **unused)
{
	static const struct round_state before = { .collectibles = { 1, 0, 1 }, .unlocked = 1 };
	static const struct round_state after = { .collectibles = { 0, 1, 0 }, .unlocked = 2 };
	static struct world world;
	struct player_command command;
	struct player_entropy entropy = { 0 };
	struct player_proposal proposal;
	struct round_state carried;
	struct bet other;

	(void)unused;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	world.game.unlock.offered = true;
	world.game.unlock.step_count = 4;
	command = world_command(&world, VERB_VOID);
	other = command.bet;
	other.coins = 2;
	world.play.round = (struct play_round){ .move = 1,
		.closed_by = 1,
		.bet = command.bet,
		.before = before,
		.stake = money_of(1) };
	command.round = 1;
	assert_true(game_state_carry(&world.game, &world.play.state, &command.bet, &after));
	assert_true(game_state_carry(&world.game, &world.play.state, &other, &after));
	assert_int_equal(player_propose(&world.player, &world.play, &world.game, &command, &entropy,
				 world.now_us, &proposal),
		REFUSED_NOTHING);
	assert_int_equal(proposal.kind, PLAYER_MOVE_VOID);
	assert_int_equal(proposal.stake.minor + proposal.awards.minor, 0);
	carried = game_state_carried(&world.game, &proposal.after.state, &command.bet);
	assert_memory_equal(&carried, &before, sizeof(carried));
	carried = game_state_carried(&world.game, &proposal.after.state, &other);
	assert_memory_equal(&carried, &after, sizeof(carried));
	command.awards = money_of(41000);
	assert_int_equal(player_propose(&world.player, &world.play, &world.game, &command, &entropy,
				 world.now_us, &proposal),
		REFUSED_NOTHING);
	assert_int_equal(proposal.stake.minor, 41000);
	assert_int_equal(proposal.awards.minor, 41000);
}

/* RULE mystery-elves 4.5: autoplay does not buy a mode for one spin; it continues the base game. */
static void test_player_autoplay_refuses_a_mode_of_one_spin(void **unused)
{
	static struct world world;
	struct player_command command;
	char step[] = "start 3", bet[] = "auto 0", result[200];

	(void)unused;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 1000);
	world.game.mode[1] = world.game.mode[0];
	world.game.mode[1].price_hundredths = 200;
	world.game.mode[1].one_spin = true;
	world.game.mode_count = 2;
	world.game.currency[0].coin_buys[0] = true;
	world.game.currency[0].price_max = money_of(1000);
	command = world_command(&world, VERB_STATE);
	make_command(&world, step, &command);
	world_do(&world, &command, result, sizeof(result));
	assert_string_equal(result, "setting");
	command = world_command(&world, VERB_STATE);
	make_command(&world, bet, &command);
	command.bet.mode = 1;
	world_do(&world, &command, result, sizeof(result));
	assert_string_equal(result, "409 autoplay_one_spin");
	command.bet.mode = 0;
	world_do(&world, &command, result, sizeof(result));
	assert_string_equal(result, "bet stake 1");
	world_check(&world);
}

/* RULE bewitched 5.3, 5.4, 6.2, 6.5 to 6.7; RULE mona-lisa 5.2, 5.7; RULE mystic-gem 4.11, 5.2;
 * RULE mystery-elves 5.10, 6.1; RULE witch-feature 7.6 */
static void test_player_autoplay(void **unused)
{
	static const struct row rows[] = {
		{ "not started", "auto 0", "409 autoplay_unknown_id" },
		{ "counted", "start 2; auto 0; auto 0; auto 0",
			"setting; bet stake 1; bet stake 1; 409 autoplay_stopped" },
		{ "a win waits until the next spin, and no gamble meanwhile",
			"start 5; auto 1; win; auto 0",
			"setting; bet stake 1 win 0+30 open; 409 autoplay_runs; bet release 30 "
			"stake 1" },
		{ "stopped, it may be gambled", "start 5; auto 1; stop; win; stop",
			"setting; bet stake 1 win 0+30 open; setting open; gamble win 0+30 open; "
			"cursor 1/1 picks 0" },
		{ "a manual spin ends it", "start 5; bet 0; auto 0",
			"setting; bet stake 1; 409 autoplay_stopped" },
		{ "a feature stops it", "start 5; auto 2 vm50; pick 0; pick 1; pick 2; auto 0",
			"setting; bet stake 1 win 0+50 watch; cursor 1/2 picks 1; cursor 1/2 picks "
			"2;"
			" collect release 50; 409 autoplay_stopped" },
		{ "a win of a manual spin waits too once it runs", "bet 1; start 5; win; stop; win",
			"bet stake 1 win 0+30 open; setting open; 409 autoplay_runs; setting open; "
			"gamble win 0+30 open" },
		{ "no other bet while it runs",
			"start 5; twice auto 0; auto 0; twice auto 0; bet 0",
			"setting; bet stake 2; 409 autoplay_other_bet; bet stake 2; bet stake 1" },
		{ "too many", "start 100000", "409 autoplay_spins_out_of_range" },
	};
	(void)unused;
	RUN(rows);
}

/* RULE bewitched 7.4; RULE mona-lisa 6.4; RULE mystery-elves 6.7; RULE mystic-gem 8.4; RULE
 * witch-feature 8.5: an abandoned round is played to its end and paid. Voids: RULE bewitched 1.8;
 * RULE mona-lisa 1.8; RULE mystic-gem 1.6; RULE mystery-elves 1.5; RULE witch-feature 1.5 */
static void test_player_house(void **unused)
{
	static const struct row rows[] = {
		{ "resolve plays to the end", "bet 2 vm50; resolve; resolve",
			"bet stake 1 win 0+50 watch; collect release 50; cursor 0/2 picks 0" },
		{ "resolve of a line win", "bet 1; resolve",
			"bet stake 1 win 0+30 open; collect release 30" },
		{ "void of an open round returns the stake", "bet 1; void; void",
			"bet stake 1 win 0+30 open; void win 1+0 forfeit 30; 409 void" },
		{ "void of a closed round takes the win back", "bet 1; collect; void",
			"bet stake 1 win 0+30 open; collect release 30; void stake 30 win 1+0" },
		{ "witch", "witch 1; witch 9; bet 0",
			"cursor 0/0 picks 0; 400 bad_witch; bet stake 1" },
	};
	(void)unused;
	RUN(rows);
}

/* RULE bewitched 1.8: a past round is voided while the present one keeps its state; a void of a
 * voided round books nothing. */
static void test_player_voids_past_round(void **unused)
{
	static struct world world;
	char result[200], bet[] = "bet 1";
	struct player_command command;
	struct player_entropy entropy = { .forced_count = 0 };
	struct player_proposal proposal;
	struct player_error error;
	struct past_round past = { 1, 1, money_of(7), money_of(90), money_of(0) };

	(void)unused;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	command = world_command(&world, VERB_BET);
	make_command(&world, bet, &command);
	world_do(&world, &command, result, sizeof(result));
	assert_string_equal(result, "bet stake 1 win 0+30 open");
	assert_true(
		player_propose_void_past(&world.player, &world.play, &past, &entropy, &proposal));
	assert_int_equal(proposal.kind, PLAYER_MOVE_VOID);
	assert_int_equal(proposal.move, player_expect(&world.player));
	assert_false(proposal.has_game);
	assert_int_equal(proposal.round, 1);
	assert_int_equal(proposal.win_balance.minor, 7);
	assert_int_equal(proposal.stake.minor, 90);
	assert_int_equal(proposal.pending_before.minor, 30);
	assert_int_equal(proposal.forfeit.minor + proposal.release.minor, 0);
	past.awards = money_of(41000); /* the order names the round's jackpots */
	assert_true(player_propose_void_past(&world.player, NULL, &past, &entropy, &proposal));
	assert_int_equal(proposal.pending_before.minor, 0);
	assert_int_equal(proposal.stake.minor, 41090);
	assert_int_equal(proposal.awards.minor, 41000);
	past.awards = money_of(INT64_MAX);
	assert_false(player_propose_void_past(&world.player, NULL, &past, &entropy, &proposal));

	command = world_command(&world, VERB_VOID);
	command.round = world.play.round.move;
	world.play.round.voided = true;
	command.has_request_id = false;
	assert_int_equal(player_check(&world.player, &world.play, &world.game, &command,
				 world.now_us, &error),
		PLAYER_ANSWER);
	command.round--;
	assert_int_equal(player_check(&world.player, &world.play, &world.game, &command,
				 world.now_us, &error),
		PLAYER_REFUSE);
	assert_int_equal(error.refusal, REFUSED_ROUND);
}

/* RULE bewitched 4.3, 4.10; RULE mystic-gem 6.17: which pools a bet's stake feeds. */
static void test_player_feeds_pools(void **unused)
{
	static struct world world;
	struct player_command command;
	struct player_entropy entropy = { .forced_count = 0 };
	struct player_proposal proposal;

	(void)unused;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	command = world_command(&world, VERB_BET);
	for (uint32_t in = 0; in < 4; in++) { /* bit 0: a progressive, bit 1: Jackpot Cards */
		world.game.jackpot.pool = in & 1 ? 1 : 0;
		world.game.cards.eligible = (in & 2) != 0;
		assert_int_equal(player_propose(&world.player, &world.play, &world.game, &command,
					 &entropy, world.now_us, &proposal),
			REFUSED_NOTHING);
		assert_int_equal(proposal.pool_count, (in & 1) + (in >> 1));
		if (in & 1)
			assert_int_equal(proposal.pool[0], 1);
		if (in & 2)
			assert_int_equal(proposal.pool[proposal.pool_count - 1], 2);
	}
}

/* ---- properties ---- */

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Any order of commands, with the shipped strips: after every row both engines and the wallet agree
 * and no money is lost. */
static void test_player_random_play(void **unused)
{
	static const enum player_verb verbs[] = { VERB_BET, VERB_BET, VERB_BET, VERB_PICK,
		VERB_PICK, VERB_PICK, VERB_NEXT, VERB_NEXT, VERB_COLLECT, VERB_GAMBLE,
		VERB_AUTOPLAY, VERB_WITCH, VERB_VOID, VERB_RESOLVE, VERB_STATE };
	static struct world world;
	uint64_t seed = (uint64_t)time(NULL), state = seed;
	char result[200];

	(void)unused;
	print_message("seed %" PRIu64 "\n", seed);
	world_init(&world, NULL, 0, 10000);
	world.salt = (uint8_t)seed;
	for (uint32_t i = 0; i < 20000; i++) {
		enum player_verb verb =
			verbs[next_random(&state) % (sizeof(verbs) / sizeof(verbs[0]))];
		struct player_command command = world_command(&world, verb);

		command.choice = (uint32_t)(next_random(&state) % 9);
		if (verb == VERB_GAMBLE || verb == VERB_WITCH)
			command.choice %= 2;
		command.autoplay.spins = (uint32_t)(next_random(&state) % 4);
		command.autospin = verb == VERB_BET && autoplay_running(&world.play.state.autoplay);
		world.refuse_next = next_random(&state) % 20 == 0 ? 2 : 0;
		world_do(&world, &command, result, sizeof(result));
		world_check(&world);
	}
	assert_true(world.player.last_move > 3000);
}

/* However a feature is watched, the round pays the same. */
static void test_player_watching_does_not_change_the_win(void **unused)
{
	static struct world watched, resolved;
	struct player_command command;
	char result[200];
	uint32_t features = 0;

	(void)unused;
	for (uint32_t salt = 0; salt < 250; salt++) {
		world_init(&watched, NULL, 0, 1000);
		watched.salt = (uint8_t)salt;
		command = world_command(&watched, VERB_BET);
		world_do(&watched, &command, result, sizeof(result));
		resolved = watched;
		features += player_feature_open(&watched.play);
		for (uint32_t i = 0; player_feature_open(&watched.play); i++) {
			assert_true(i < 10000);
			command = world_command(&watched, i % 4 < 3 ? VERB_PICK : VERB_NEXT);
			command.choice = (i * 5 + salt) % 9;
			world_do(&watched, &command, result, sizeof(result));
		}
		if (player_round_open(&watched.play)) {
			command = world_command(&watched, VERB_COLLECT);
			world_do(&watched, &command, result, sizeof(result));
		}
		command = world_command(&resolved, VERB_RESOLVE);
		world_do(&resolved, &command, result, sizeof(result));
		world_check(&watched);
		world_check(&resolved);
		assert_int_equal(watched.balance, resolved.balance);
		assert_int_equal(watched.play.round.claims_shown, resolved.play.round.claims_shown);
	}
	assert_true(features > 0);
}

/* ---- rows of other engines ---- */

static void test_player_adopts_other_engines_proposals(void **unused)
{
	static struct world world;
	struct player_fact fact = { .kind = PLAYER_MOVE_BET,
		.move = 1,
		.round = 1,
		.refusal = 9,
		.seq = 5,
		.balance_after = { 70 } };
	struct player one, two;

	(void)unused;
	world_init(&world, NULL, 0, 100);
	one = two = world.player;
	/* a refused row of another build: its record is unreadable, but the move number and the
	 * salt advance */
	assert_int_equal(player_adopt(&one, NULL, &fact, NULL), ADOPT_TAKEN);
	assert_int_equal(player_adopt(&two, NULL, &fact, NULL), ADOPT_TAKEN);
	assert_int_equal(player_expect(&one), 2);
	assert_memory_not_equal(&one.salt, &world.player.salt, sizeof(one.salt));
	assert_memory_equal(&one.salt, &two.salt, sizeof(one.salt));
	/* an older row changes nothing, not even the balance */
	fact.seq = 4;
	fact.balance_after = money_of(1);
	assert_int_equal(player_adopt(&one, NULL, &fact, NULL), ADOPT_KNOWN);
	assert_int_equal(one.balance.minor, 70);
	/* a gap in the moves is adopted and reported */
	fact.seq = 9;
	fact.move = 7;
	assert_int_equal(player_adopt(&one, NULL, &fact, NULL), ADOPT_SKIPPED);
	assert_int_equal(player_expect(&one), 8);
}

static void test_player_gap_between_bets(void **unused)
{
	static struct player_game play;
	uint64_t now_us = UINT64_C(1700000000000000), hour_us = UINT64_C(3600000000);

	(void)unused;
	memset(&play, 0, sizeof(play));
	play.round.opened_us = now_us;
	assert_int_equal(player_gap_left_us(&play, 100, now_us), 0); /* no round yet */
	play.round.move = 1;
	assert_int_equal(player_gap_left_us(&play, 0, now_us), 0);
	assert_int_equal(player_gap_left_us(&play, 100, now_us), 100);
	assert_int_equal(player_gap_left_us(&play, 100, now_us + 99), 1);
	assert_int_equal(player_gap_left_us(&play, 100, now_us + 100), 0);
	/* the clock was set back by an hour: the player may play at once */
	assert_int_equal(player_gap_left_us(&play, 100, now_us - hour_us), 0);
}

static void test_player_hides_jackpot(void **unused)
{
	static struct world world;
	struct player_award award = { 1, 1, 1, { 500 } };
	struct player_command command;
	char result[200];

	(void)unused;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	command = world_command(&world, VERB_BET);
	bet_with(&world, "2 vj", &command);
	world_do(&world, &command, result, sizeof(result));
	assert_int_equal(player_hidden(&world.player, &world.play).minor, 0);
	player_award(&world.player, &award);
	player_award(&world.player, &award); /* a repeated award */
	assert_int_equal(player_hidden(&world.player, &world.play).minor, 500);
	for (uint32_t pick = 0; pick < 3; pick++) {
		assert_int_equal(player_hidden(&world.player, &world.play).minor, 500);
		command = world_command(&world, VERB_PICK);
		command.choice = pick;
		world_do(&world, &command, result, sizeof(result));
	}
	assert_int_equal(player_hidden(&world.player, &world.play).minor, 0);
	for (uint32_t i = 0; i < 2 * PLAYER_AWARDS_MAX; i++) { /* the oldest are forgotten */
		award.move = 100 + i;
		player_award(&world.player, &award);
	}
	assert_int_equal(world.player.award_count, PLAYER_AWARDS_MAX);
	assert_null(player_award_of(&world.player, 1, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_player_numbers),
		cmocka_unit_test(test_player_repeats),
		cmocka_unit_test(test_player_remembers_repeats),
		cmocka_unit_test(test_player_stages),
		cmocka_unit_test(test_player_gamble),
		cmocka_unit_test(test_player_not_after),
		cmocka_unit_test(test_player_void_restores_carried_state),
		cmocka_unit_test(test_player_autoplay),
		cmocka_unit_test(test_player_autoplay_refuses_a_mode_of_one_spin),
		cmocka_unit_test(test_player_house),
		cmocka_unit_test(test_player_voids_past_round),
		cmocka_unit_test(test_player_feeds_pools),
		cmocka_unit_test(test_player_random_play),
		cmocka_unit_test(test_player_watching_does_not_change_the_win),
		cmocka_unit_test(test_player_adopts_other_engines_proposals),
		cmocka_unit_test(test_player_gap_between_bets),
		cmocka_unit_test(test_player_hides_jackpot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
