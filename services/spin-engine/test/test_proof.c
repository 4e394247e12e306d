/* The proof of booked moves: what was played is in order, and each way to forge a row is found. */
#include "services/spin-engine/test/proof_world.h"

#include "services/spin-engine/adapters/proof.h"

#include <inttypes.h>
#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct proof_world world;

static void test_proof_honest_moves_are_in_order(void **unused)
{
	static const char *const games[] = { "bewitched", "mona-lisa", "mystery-elves",
		"mystic-gem", "witch-feature" };

	(void)unused;
	for (size_t i = 0; i < sizeof(games) / sizeof(games[0]); i++) {
		char *text;

		proof_world_init(&world, games[i]);
		world.cards = (struct cards_odds){ world.game.cards.pool, 1,
			world.game.cards.eligible ? 5000 : 0 };
		proof_world_play(&world, 400);
		for (size_t j = 0; j < world.count; j++)
			world.row[j].odds_known = true;
		if (proof_world_prove(&world, 0, &text) != 0)
			fail_msg("%s: %s", games[i], strstr(text, "differs"));
		assert_null(strstr(text, "skipped"));
		free(text);
		proof_world_free(&world);
	}
}

/* ---- forgeries ---- */

static void win_raised(struct booked *row)
{
	row->fact.win_pending += 100;
	row->fact.pending_after += 100;
}

static void win_and_state_raised(struct booked *row)
{
	win_raised(row);
	row->record.game.round.win_base_lines.minor += 100;
	row->record.game.state.open.win_total.minor += 100;
	row->record.game.state.open.gamble_pending.minor += 100;
}

static void win_and_digest_raised(struct booked *row)
{
	win_and_state_raised(row);
	row->record.game.round.digest[0] ^= 1;
}

static void digest_changed(struct booked *row)
{
	row->record.game.round.digest[31] ^= 1;
}

static void stake_lowered(struct booked *row)
{
	row->fact.stake--;
}

static void stake_and_record_lowered(struct booked *row)
{
	row->fact.stake--;
	row->record.game.round.stake.minor--;
}

static void bet_lowered(struct booked *row)
{
	row->record.game.round.bet.lines--;
	row->record.game.state.open.bet.lines--;
}

static void nonce_changed(struct booked *row)
{
	row->record.game.round.nonce[0] ^= 1;
}

static void salt_changed(struct booked *row)
{
	row->record.game.round.salt.bytes[0] ^= 1;
}

static void key_changed(struct booked *row)
{
	row->record.game.round.salt.key = 2;
}

static void definition_changed(struct booked *row)
{
	row->record.game.round.math_version[0] ^= 1;
}

static void claim_added(struct booked *row)
{
	carillon__claim__init(&row->claim[row->fact.n_claims]);
	row->claim[row->fact.n_claims].index = (uint32_t)row->fact.n_claims + 1;
	row->claim[row->fact.n_claims].pool = 1;
	row->claim[row->fact.n_claims].kind = CARILLON__CLAIM_KIND__CLAIM_HIT;
	row->fact.n_claims++;
}

static void claim_and_state_added(struct booked *row)
{
	claim_added(row);
	row->record.game.round.claims++;
	row->record.game.state.open.jackpot_hits++;
}

static void script_added(struct booked *row)
{
	row->record.game.round.forced_count = 1;
}

static void game_changed(struct booked *row)
{
	row->fact.game++;
}

static void carried_changed(struct booked *row)
{
	row->record.game.state.carried.count = 1;
	row->record.game.state.carried.entry[0] = UINT64_C(2000) << 8 | 1;
}

static void collected_twice(struct booked *row)
{
	row->fact.release += 10;
	row->record.collected.minor += 10;
}

static void gamble_flipped(struct booked *row)
{
	struct play_round *round = &row->record.game.round;
	struct gamble_step *step = &round->gamble[round->gamble_count - 1];

	step->won = !step->won;
}

static void gamble_card_changed(struct booked *row)
{
	struct play_round *round = &row->record.game.round;

	round->gamble[round->gamble_count - 1].card ^= 1;
}

static void move_changed(struct booked *row)
{
	row->fact.move++;
}

static void pending_changed(struct booked *row)
{
	row->fact.pending_after++;
}

static void awards_taken(struct booked *row)
{
	row->fact.stake += 500;
	row->record.awards.minor += 500;
}

static void awards_listed(struct booked *row)
{
	row->void_awards += 500;
}

static const struct forgery {
	const char *name;
	enum player_move kind;
	void (*forge)(struct booked *row);
	const char *field;
} forgeries[] = {
	{ "win raised", PLAYER_MOVE_BET, win_raised, "win_pending" },
	{ "win and state raised", PLAYER_MOVE_BET, win_and_state_raised, "win_pending" },
	{ "win, state and digest", PLAYER_MOVE_BET, win_and_digest_raised, "win_pending" },
	{ "digest", PLAYER_MOVE_BET, digest_changed, "round.digest" },
	{ "stake lowered", PLAYER_MOVE_BET, stake_lowered, "stake" },
	{ "stake lowered in both", PLAYER_MOVE_BET, stake_and_record_lowered, "stake" },
	{ "bet lowered", PLAYER_MOVE_BET, bet_lowered, NULL },
	{ "nonce", PLAYER_MOVE_BET, nonce_changed, NULL },
	{ "salt", PLAYER_MOVE_BET, salt_changed, "round.salt" },
	{ "key", PLAYER_MOVE_BET, key_changed, "round.salt.key" },
	{ "definition", PLAYER_MOVE_BET, definition_changed, "round.math_version" },
	{ "claim added", PLAYER_MOVE_BET, claim_added, "claims" },
	{ "claim and state added", PLAYER_MOVE_BET, claim_and_state_added, "claims" },
	{ "script on a live installation", PLAYER_MOVE_BET, script_added, "round.forced_count" },
	{ "another game", PLAYER_MOVE_BET, game_changed, NULL },
	{ "a carried state", PLAYER_MOVE_BET, carried_changed, "carried.count" },
	{ "pending", PLAYER_MOVE_BET, pending_changed, "pending_after" },
	{ "move", PLAYER_MOVE_BET, move_changed, "move" },
	{ "collected more", PLAYER_MOVE_COLLECT, collected_twice, "release" },
	{ "gamble flipped", PLAYER_MOVE_GAMBLE, gamble_flipped, "gamble.won" },
	{ "gamble's card", PLAYER_MOVE_GAMBLE, gamble_card_changed, "gamble.card" },
	{ "halved wrongly", PLAYER_MOVE_HALVE, collected_twice, "release" },
	{ "jackpots that were not paid", PLAYER_MOVE_VOID, awards_taken, "stake" },
	{ "jackpots of the list alone", PLAYER_MOVE_VOID, awards_listed, "void.awards" },
};

/* A bet that left a round open, so that each field of it is in the record. */
static size_t row_for(enum player_move kind)
{
	for (uint32_t n = 3;; n++) {
		size_t at = proof_world_find(&world, kind, n);

		if (kind != PLAYER_MOVE_BET || world.row[at].fact.pending_after > 0)
			return at;
	}
}

static void check_found(const struct forgery *forgery, size_t at)
{
	char line[80], *text, *found;
	struct booked kept = world.row[at];

	forgery->forge(&world.row[at]);
	if (proof_world_prove(&world, 0, &text) == 0)
		fail_msg("%s: not found", forgery->name);
	(void)snprintf(line, sizeof(line), "differs\t0\t%" PRIu64 "\t", world.row[at].envelope.seq);
	found = strstr(text, line);
	if (!found)
		fail_msg(
			"%s: another row is named: %.200s", forgery->name, strstr(text, "differs"));
	else if (forgery->field &&
		 strncmp(found + strlen(line), forgery->field, strlen(forgery->field)) != 0)
		fail_msg("%s: %.200s", forgery->name, found);
	free(text);
	world.row[at] = kept;
}

static void test_proof_finds_each_forgery(void **unused)
{
	char *text;

	(void)unused;
	proof_world_init(&world, "mystery-elves");
	proof_world_play(&world, 200);
	for (size_t i = 0; i < sizeof(forgeries) / sizeof(forgeries[0]); i++)
		check_found(&forgeries[i], row_for(forgeries[i].kind));
	assert_int_equal(proof_world_prove(&world, 0, &text), 0);
	free(text);
	proof_world_free(&world);
}

/* What changes without a move is the player's own: it is not compared. */
static void test_proof_leaves_the_watching_to_the_player(void **unused)
{
	char *text;
	size_t at;

	(void)unused;
	proof_world_init(&world, "mystery-elves");
	proof_world_play(&world, 60);
	at = row_for(PLAYER_MOVE_BET);
	world.row[at].record.game.version += 3;
	world.row[at].record.game.state.witch_chosen = true;
	assert_int_equal(proof_world_prove(&world, 0, &text), 0);
	free(text);
	proof_world_free(&world);
}

/* A proof of what is new: the rows before say what it follows from, and are not judged again. */
static void test_proof_goes_on_from_proven_rows(void **unused)
{
	char *text, line[60];
	size_t at;

	(void)unused;
	proof_world_init(&world, "bewitched");
	proof_world_play(&world, 100);
	at = proof_world_find(&world, PLAYER_MOVE_BET, 60);
	world.row[at - 1].proven = true;
	while (world.row[at - 1].fact.refusal != 0 || world.row[at - 1].fact.game == 0) {
		at--;
		world.row[at - 1].proven = true;
	}
	assert_int_equal(proof_world_prove(&world, at - 1, &text), 0);
	(void)snprintf(line, sizeof(line), "\t%" PRIu64 "\n", world.row[at - 1].envelope.seq);
	assert_null(strstr(text, line));
	assert_null(strstr(text, "skipped"));
	free(text);
	/* with the account's opening missing, the first row cannot follow from anything */
	assert_true(proof_world_prove(&world, at, &text) > 0);
	free(text);
	proof_world_free(&world);
}

static void test_proof_refuses_what_it_cannot_read(void **unused)
{
	static const uint8_t key[SECRET_BYTES] = { 1 };
	static const uint8_t bytes[][4] = { { 0xff, 0xff, 0xff, 0xff }, { 0x12, 0x00 },
		{ 0x0a, 0x00 } };
	static const size_t lengths[] = { 4, 2, 2 };
	struct keys *keys = keys_of(key);
	struct proving *proving = proving_new(keys, stdout);
	char error[PROVING_ERROR_MAX];

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		error[0] = '\0';
		assert_false(proving_take(proving, bytes[i], lengths[i], error));
		assert_non_null(strstr(error, i == 1 ? "move without a row" : "found"));
	}
	assert_false(proving_trust(proving, "proto", error));
	proving_free(&proving);
	keys_free(&keys);
}

/* A draw that was made with odds of the forger's own: the number is the one that the secret gives,
 * but any number would have begun the cards. */
static void test_proof_finds_odds_of_ones_own(void **unused)
{
	uint32_t found = 0;

	(void)unused;
	proof_world_init(&world, "mystic-gem");
	world.cards = (struct cards_odds){ world.game.cards.pool, 1, 1 };
	proof_world_play(&world, 40);
	world.cards = (struct cards_odds){ world.game.cards.pool, 1, 1000000 };
	for (int known = 0; known < 2; known++) {
		char *text;

		for (size_t i = 0; i < world.count; i++)
			world.row[i].odds_known = known;
		found = (uint32_t)proof_world_prove(&world, 0, &text);
		assert_int_equal(found > 0, known);
		assert_int_equal(strstr(text, "cards\t") != NULL, known);
		free(text);
	}
	proof_world_free(&world);
}

#define MINUTE_US UINT64_C(60000000)

/* Odds that were in force once, but not at the time of the draw. */
static void test_proof_finds_odds_of_another_time(void **unused)
{
	static const struct {
		uint64_t time_us, from_us, until_us;
		bool found;
	} cases[] = {
		{ 100 * MINUTE_US, 0, 0, false },
		{ 100 * MINUTE_US, 50 * MINUTE_US, 0, false },
		{ 100 * MINUTE_US, 101 * MINUTE_US, 0, false }, /* the clocks */
		{ 100 * MINUTE_US, 102 * MINUTE_US, 0, true },
		{ 100 * MINUTE_US, 0, 99 * MINUTE_US + 1, false },
		{ 100 * MINUTE_US, 0, 98 * MINUTE_US, true },
	};

	(void)unused;
	proof_world_init(&world, "mystic-gem");
	world.cards = (struct cards_odds){ world.game.cards.pool, 1, 5000 };
	proof_world_play(&world, 40);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text;

		for (size_t j = 0; j < world.count; j++) {
			world.row[j].odds_known = true;
			world.row[j].time_us = cases[i].time_us;
		}
		world.cards_from_us = cases[i].from_us;
		world.cards_until_us = cases[i].until_us;
		if ((proof_world_prove(&world, 0, &text) > 0) != cases[i].found)
			fail_msg("case %zu: %s", i, text);
		assert_int_equal(strstr(text, "in force at that time") != NULL, cases[i].found);
		free(text);
	}
	proof_world_free(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proof_honest_moves_are_in_order),
		cmocka_unit_test(test_proof_finds_each_forgery),
		cmocka_unit_test(test_proof_finds_odds_of_ones_own),
		cmocka_unit_test(test_proof_finds_odds_of_another_time),
		cmocka_unit_test(test_proof_leaves_the_watching_to_the_player),
		cmocka_unit_test(test_proof_goes_on_from_proven_rows),
		cmocka_unit_test(test_proof_refuses_what_it_cannot_read),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
