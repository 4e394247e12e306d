/* Bonus spins in the player's state machine: text tables of what may be played, and that a grant's
 * state comes from its rows, whatever the records say. */
#include "services/spin-engine/adapters/codec.h"
#include "tests/support/game/feature_game.h"
#include "tests/support/game/game_fixture.h"
#include "services/spin-engine/test/player_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DULL "MO FE TO MA LA/FE TO MA LA CA/CA LA MO FE GR"
#define WIN_30 "MO FE TO MA LA/CT CT CT LA CA/CA LA MO FE GR"
#define BONUS_3 "MU FE MU MA LA/FE TO MA LA CA/CA LA MO FE MU"

static const char *const windows[] = { DULL, WIN_30, BONUS_3 };

static struct world world;

/* Gives both engines a row of the wallet that is not a move. */
static void give(uint8_t id, uint32_t game, uint32_t spins, uint64_t expires_us)
{
	struct player_bonus_spins bonus_spins = { .id = { id },
		.game = game,
		.lines = 1,
		.coins = 1,
		.spins = spins,
		.coin_minor = 2,
		.expires_us = expires_us };

	player_bonus_spins(&world.player, &bonus_spins);
	player_bonus_spins(&world.other, &bonus_spins);
}

static void end(uint8_t id)
{
	uint8_t bytes[PLAYER_ID_BYTES] = { id };

	player_bonus_spins_end(&world.player, bytes);
	player_bonus_spins_end(&world.other, bytes);
}

static void spin(
	uint8_t id, const char *script, bool autospin, const char *mode, char *out, size_t room)
{
	struct player_command command = world_command(&world, VERB_BET);
	uint32_t results[FIXTURE_SCRIPT_MAX];

	if (id > 0) {
		command.bonus = true;
		command.bonus_spin[0] = id;
		snprintf(command.mode, sizeof(command.mode), "%s", mode);
		player_bonus_spins_bet(&world.player, &command);
		assert_string_equal(command.mode, ""); /* RULE mystic-gem 7.2 */
	}
	command.autospin = autospin;
	if (command.bet.lines > 0) {
		size_t count = fixture_script(&world.game, &command.bet, script, results);

		world.forced_count = (uint32_t)count;
		memcpy(world.forced, results, count * sizeof(results[0]));
	}
	world_do(&world, &command, out, room);
}

/* "give 1 3" (id, spins), "other 1 3" (of another game), "short 1 3" (expires before the second
 * spin), "end 1", "spin 1 0" (id, window), "auto 1 0", "pay 0", "refuse 1 0" and "none 1 0" (by the
 * wallet: a limit, or that there are none), "collect", "win", "lose", "void", "left 1". */
static void step(char *text, char *out, size_t room)
{
	char *save = NULL, *word = strtok_r(text, " ", &save), *rest = NULL;
	uint8_t id = 0;
	struct player_command command;

	out[0] = '\0';
	rest = strtok_r(NULL, " ", &save);
	if (rest && strcmp(word, "pay") != 0) {
		id = (uint8_t)atoi(rest);
		rest = strtok_r(NULL, "", &save);
	}
	if (strcmp(word, "refuse") == 0 || strcmp(word, "none") == 0)
		world.refuse_next = word[0] == 'r' ? 2 : PLAYER_WALLET_NO_BONUS_SPINS;
	if (strcmp(word, "give") == 0) {
		give(id, world.game.number, (uint32_t)atoi(rest), UINT64_MAX);
	} else if (strcmp(word, "other") == 0) {
		give(id, world.game.number + 1, (uint32_t)atoi(rest), UINT64_MAX);
	} else if (strcmp(word, "short") == 0) {
		give(id, world.game.number, (uint32_t)atoi(rest), world.now_us);
	} else if (strcmp(word, "end") == 0) {
		end(id);
	} else if (strcmp(word, "left") == 0) {
		uint8_t bytes[PLAYER_ID_BYTES] = { id };
		const struct player_bonus_spins *bonus_spins =
			player_bonus_spins_of(&world.player, bytes);

		snprintf(out, room, "%u", bonus_spins ? bonus_spins->spins - bonus_spins->used : 0);
	} else if (strcmp(word, "collect") == 0 || strcmp(word, "win") == 0 ||
		   strcmp(word, "lose") == 0 || strcmp(word, "void") == 0) {
		command = world_command(&world, word[0] == 'c'	 ? VERB_COLLECT
						: word[0] == 'v' ? VERB_VOID
								 : VERB_GAMBLE);
		if (command.verb == VERB_GAMBLE)
			command.choice = world_guess(&world, word[0] == 'w');
		world_do(&world, &command, out, room);
	} else {
		spin(id, rest ? rest : "0", strcmp(word, "auto") == 0, "bought", out, room);
	}
}

static const struct {
	const char *what, *steps, *expected;
} rows[] = {
	/* RULE mystic-gem 7.1: it costs nothing, and its wins are ordinary wins */
	{ "a spin that loses", "give 1 2;spin 1 0;left 1", "; bet; 1" },
	{ "a spin that wins", "give 1 2;spin 1 1;collect;left 1",
		"; bet win 0+60 open; collect release 60; 1" },
	{ "its win is doubled", "give 1 1;spin 1 1;win;collect",
		"; bet win 0+60 open; gamble win 0+60 open; collect release 120" },
	{ "its win is lost", "give 1 1;spin 1 1;lose", "; bet win 0+60 open; gamble forfeit 60" },
	{ "it collects first", "give 1 1;pay 1;spin 1 0",
		"; bet stake 1 win 0+30 open; bet release 30" },
	{ "a paid bet after it collects", "give 1 1;spin 1 1;pay 0",
		"; bet win 0+60 open; bet release 60 stake 1" },
	{ "a void returns no bonus spin", "give 1 2;spin 1 0;void;left 1", "; bet; void; 1" },
	{ "up to the last spin", "give 1 2;spin 1 0;spin 1 0;spin 1 0;left 1",
		"; bet; bet; 409 bonus_spin_unknown; 0" },
	{ "two grants", "give 1 1;give 2 1;spin 2 0;spin 2 0;spin 1 0",
		"; ; bet; 409 bonus_spin_unknown; bet" },
	{ "granted twice with one id", "give 1 1;give 1 1;spin 1 0;spin 1 0",
		"; ; bet; 409 bonus_spin_unknown" },

	{ "unknown", "spin 1 0", "409 bonus_spin_unknown" },
	{ "of another game", "other 1 2;spin 1 0", "; 409 bonus_spin_other_game" },
	{ "expired", "short 1 2;spin 1 0;spin 1 0", "; bet; 409 bonus_spin_expired" },
	{ "ended", "give 1 2;spin 1 0;end 1;spin 1 0", "; bet; ; 409 bonus_spin_unknown" },
	{ "by autoplay", "give 1 2;auto 1 0;left 1", "; 409 bonus_spin_autoplay; 2" },
	{ "during a feature", "give 1 2;spin 1 2 vm50;spin 1 0;left 1",
		"; bet win 0+100 watch; 409 feature_open; 1" },
	{ "refused by the wallet: not used", "give 1 2;refuse 1 0;left 1", "; 403 limit spent; 2" },
	{ "the wallet refuses: none left", "give 1 2;none 1 0;left 1;spin 1 0",
		"; 409 bonus_spin_unknown spent; 0; 409 bonus_spin_unknown" },
};

static void test_bonus_spins_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char steps[200], trace[1000] = "", result[200], *save = NULL;

		world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
		snprintf(steps, sizeof(steps), "%s", rows[i].steps);
		for (char *text = strtok_r(steps, ";", &save); text;
			text = strtok_r(NULL, ";", &save)) {
			size_t length = strlen(trace);

			step(text, result, sizeof(result));
			world_check(&world);
			snprintf(trace + length, sizeof(trace) - length, "%s%s",
				text == steps ? "" : "; ", result);
		}
		if (strcmp(trace, rows[i].expected) != 0)
			fail_msg("%s:\n steps    %s\n found    %s\n expected %s", rows[i].what,
				rows[i].steps, trace, rows[i].expected);
	}
}

/* RULE mystic-gem 7.3, 7.4: it feeds neither the progressive nor the levels of the cards, and the
 * round is marked as a bonus spin. A hit is claimed as usual. */
static void test_bonus_spins_feed_nothing(void **state)
{
	struct player_entropy entropy = { .forced_count = 0 };
	uint32_t results[FIXTURE_SCRIPT_MAX];
	struct player_proposal proposal;
	struct player_command command;

	(void)state;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	give(1, world.game.number, 5, UINT64_MAX);
	world.game.jackpot.pool = 1;
	world.game.cards.pool = 2;
	world.game.cards.eligible = true;
	for (uint32_t bonus = 0; bonus < 2; bonus++) {
		command = world_command(&world, VERB_BET);
		command.bonus = bonus;
		command.bonus_spin[0] = 1;
		if (bonus)
			player_bonus_spins_bet(&world.player, &command);
		entropy.forced_count =
			(uint32_t)fixture_script(&world.game, &command.bet, "2 vj", results);
		memcpy(entropy.forced, results, entropy.forced_count * sizeof(results[0]));
		assert_int_equal(player_propose(&world.player, &world.play, &world.game, &command,
					 &entropy, world.now_us, &proposal),
			REFUSED_NOTHING);
		assert_int_equal(proposal.pool_count, bonus ? 0 : 2);
		assert_int_equal(proposal.stake.minor, bonus ? 0 : 1);
		assert_int_equal(proposal.claim_count, 1);
		assert_int_equal(proposal.claim[0].coin_minor, bonus ? 2 : 1);
		assert_int_equal(round_is_bonus(&proposal.after.round), bonus);
		assert_int_equal(proposal.bonus, bonus);
	}
}

/* The same draws make the same round, paid or not: it uses and leaves the same carried state. */
static void test_bonus_spins_play_as_paid(void **state)
{
	static const char *const potions[] = { "AQQJA/AAQJA/ArAJA/AKQJA/AKQJA",
		"AKQJA/AKQJA/AKQJA/AKQJA/AbgJA" };
	static struct game game;
	static struct player_proposal paid, given;
	struct player_entropy entropy = { .forced_count = 0 };
	struct player_command command;
	uint32_t carried = 0;

	(void)state;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	feature_game_unlock(&game);
	feature_windows(&game, SET_BASE, potions, 2);
	player_game_init(&game, &world.play);
	command = world_command(&world, VERB_BET);
	command.bonus_spin[0] = 1;
	command.bet = (struct bet){ FEATURE_EUR, 5, 2, 1, 0 };
	for (uint32_t i = 0; i < 200; i++) {
		memcpy(entropy.round_key, &i, sizeof(i));
		command.bonus = false;
		assert_int_equal(player_propose(&world.player, &world.play, &game, &command,
					 &entropy, world.now_us, &paid),
			REFUSED_NOTHING);
		command.bonus = true;
		assert_int_equal(player_propose(&world.player, &world.play, &game, &command,
					 &entropy, world.now_us, &given),
			REFUSED_NOTHING);
		assert_int_equal(given.stake.minor, 0);
		assert_true(paid.stake.minor > 0);
		assert_memory_equal(paid.after.round.digest, given.after.round.digest,
			sizeof(given.after.round.digest));
		assert_int_equal(round_state_pack(&paid.after.round.before),
			round_state_pack(&given.after.round.before));
		assert_memory_equal(&paid.after.state.carried, &given.after.state.carried,
			sizeof(given.after.state.carried));
		assert_int_equal(paid.win_pending.minor, given.win_pending.minor);
		assert_int_equal(paid.win_balance.minor, given.win_balance.minor);
		world.play.state.carried = given.after.state.carried;
		carried += given.after.state.carried.count;
	}
	assert_true(carried > 0);
}

/* Grants survive a restart; bytes that no engine wrote are rejected. */
static void test_bonus_spins_round_trip(void **state)
{
	static struct player back, full;
	uint8_t bytes[PLAYER_BYTES_MAX];
	size_t length;

	(void)state;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	for (uint8_t id = 1; id <= PLAYER_BONUS_SPINS_MAX + 2;
		id++) /* the first to expire are dropped */
		give(id, INT32_MAX, INT32_MAX, UINT64_MAX / 2 + id);
	assert_int_equal(world.player.bonus_spins_count, PLAYER_BONUS_SPINS_MAX);
	assert_int_equal(world.player.bonus_spins[0].id[0], 3);
	length = player_encode(&world.player, bytes);
	player_init(world.player.id, &back);
	back.account = true;
	back.last_move = world.player.last_move;
	assert_int_equal(player_decode(bytes, length, &back), CODEC_OK);
	assert_same_bonus_spins(back.bonus_spins, world.player.bonus_spins);
	memcpy(back.bonus_spins, world.player.bonus_spins, sizeof(back.bonus_spins));
	assert_memory_equal(&back, &world.player, sizeof(back));
	full = world.player;
	full.bonus_spins[1].used =
		full.bonus_spins[1].spins; /* used up: an engine would have dropped it */
	length = player_encode(&full, bytes);
	assert_int_equal(player_decode(bytes, length, &back), CODEC_RANGE);
}

/* The record of a round keeps that it was a bonus spin. */
static void test_bonus_spins_in_the_record(void **state)
{
	char result[200];
	struct player_record record = { .has_game = true }, read;
	uint8_t bytes[RECORD_BYTES_MAX], again[RECORD_BYTES_MAX];
	size_t length;

	(void)state;
	world_init(&world, windows, sizeof(windows) / sizeof(windows[0]), 100);
	give(1, world.game.number, 5, UINT64_MAX);
	spin(1, "1", false, "", result, sizeof(result));
	assert_true(round_is_bonus(&world.play.round));
	record.game = world.play;
	length = record_encode(&record, bytes);
	assert_int_equal(record_decode(bytes, length, &read), CODEC_OK);
	assert_true(round_is_bonus(&read.game.round));
	assert_int_equal(record_encode(&read, again), length);
	assert_memory_equal(again, bytes, length);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bonus_spins_table),
		cmocka_unit_test(test_bonus_spins_feed_nothing),
		cmocka_unit_test(test_bonus_spins_play_as_paid),
		cmocka_unit_test(test_bonus_spins_round_trip),
		cmocka_unit_test(test_bonus_spins_in_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
