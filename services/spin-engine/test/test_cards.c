/* Jackpot Cards in the engine: the draw at the end of a round, and what is refused until they are
 * paid. */
#include "tests/support/game/game_fixture.h"
#include "services/spin-engine/test/player_world.h"

#include "services/spin-engine/adapters/cards.h"
#include "services/spin-engine/adapters/codec.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WIN_30 "MO FE TO MA LA/CT CT CT LA CA/CA LA MO FE GR"
#define NO_WIN "MO FE TO MA LA/CA LA MO FE GR/CT GR CT LA CA"
#define SURE                                                                                       \
	{                                                                                          \
		.pool = 2, .in = 9, .of = 9                                                        \
	}

/* RULE mystic-gem 6.12: in proportion to the stake, never above 1 */
static void test_cards_threshold_follows_the_stake(void **unused)
{
	static const struct {
		struct cards_odds odds;
		int64_t stake;
		uint64_t threshold;
	} rows[] = {
		{ { 2, 1, 1000000 }, 40, 40 },
		{ { 2, 1, 1000000 }, 80, 80 },
		{ { 2, 7, 80000000 }, 400, 2800 },
		{ { 2, 1, 1000000 }, 1000000, 1000000 },
		{ { 2, 1, 1000000 }, 1000001, 1000000 },
		{ { 2, 10000000000, 10000000000 }, INT64_MAX, 10000000000 },
		{ { 2, CARDS_OF_MAX, CARDS_OF_MAX }, INT64_MAX, CARDS_OF_MAX },
		{ { 2, 1, CARDS_OF_MAX }, INT64_MAX, CARDS_OF_MAX },
		{ { 2, 1, CARDS_OF_MAX }, INT64_C(1000000000000), CARDS_OF_MAX },
		{ { 2, 1, CARDS_OF_MAX }, INT64_C(999999999999), CARDS_OF_MAX - 1 },
		{ { 2, 1, 10 }, 0, 0 },
		{ { 2, 1, 10 }, -5, 0 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			cards_threshold(&rows[i].odds, money_of(rows[i].stake)), rows[i].threshold);
}

/* RULE mystic-gem 6.5: a stream of its own; RULE mystic-gem 7.3: no draw without a stake */
static void test_cards_draw_is_repeatable_from_its_key(void **unused)
{
	struct cards_odds odds = { 2, 1, 100 };
	uint32_t begun = 0;

	(void)unused;
	for (uint32_t i = 0; i < 20000; i++) {
		uint8_t key[RNG_KEY_BYTES] = { (uint8_t)i, (uint8_t)(i >> 8), 7 };
		struct cards_draw draw = cards_draw(&odds, money_of(25), key, NULL);
		struct rng rng;

		rng_init(&rng, key);
		assert_int_equal(draw.value, rng_below64(&rng, 100));
		assert_int_equal(draw.below, 100);
		assert_int_equal(draw.threshold, 25);
		assert_true(cards_draw_possible(&draw));
		begun += cards_triggered(&draw);
		assert_int_equal(cards_draw(&odds, money_of(0), key, NULL).below, 0);
	}
	assert_in_range(begun, 4700, 5300); /* 5,000 +- 5 sigma */
}

static void begin(struct world *world, const char *window, struct cards_odds odds)
{
	world_init(world, &window, 1, 100);
	world->cards = odds;
}

static const char *act(struct world *world, enum player_verb verb)
{
	static char result[200];
	struct player_command command = world_command(world, verb);

	if (verb == VERB_BET) {
		world->forced_count = world->game.reels;
		memset(world->forced, 0, sizeof(world->forced));
	}
	if (verb == VERB_AUTOPLAY)
		command.autoplay.spins = 5;
	world_do(world, &command, result, sizeof(result));
	world_check(world);
	return result;
}

static void book_award(struct world *world, uint64_t move, uint32_t index)
{
	struct player_award award = { move, index, 2, money_of(2000) };

	player_award(&world->player, &award);
	(void)player_cards_booked(&world->play, &award);
	player_award(&world->other, &award);
	(void)player_cards_booked(&world->other_play, &award);
}

/* RULE mystic-gem 6.5: a round without a win closes at once, with its claim. RULE mystic-gem 6.7:
 * the game goes on when the cards are played and paid; other awards change nothing */
static void test_cards_begin_with_the_bet_that_closes(void **unused)
{
	struct world world;
	struct cards_odds sure = SURE;

	(void)unused;
	begin(&world, NO_WIN, sure);
	assert_string_equal(act(&world, VERB_BET), "bet stake 1 claims 1");
	assert_int_equal(world.play.round.cards.index, 1);
	assert_int_equal(world.play.round.cards.pool, 2);
	assert_true(player_cards_open(&world.play));
	assert_string_equal(act(&world, VERB_BET), "409 cards_open");
	book_award(&world, world.play.round.closed_by, 2);
	book_award(&world, world.play.round.closed_by + 1, 1);
	assert_string_equal(act(&world, VERB_BET), "409 cards_open");
	book_award(&world, world.play.round.closed_by, 1);
	assert_false(player_cards_open(&world.play));
	assert_string_equal(act(&world, VERB_BET), "bet stake 1 claims 1");
}

/* RULE mystic-gem 6.5: the next bet collects first; if that begins cards, the bet is not placed */
static void test_cards_prevent_the_next_bet(void **unused)
{
	struct world world;
	struct cards_odds none = { .of = 0 }, sure = SURE;

	(void)unused;
	begin(&world, WIN_30, none);
	assert_string_equal(act(&world, VERB_BET), "bet stake 1 win 0+30 open");
	world.cards = sure;
	assert_string_equal(act(&world, VERB_BET), "collect release 30 claims 1");
	assert_int_equal(world.player.last.kind, PLAYER_MOVE_COLLECT);
	assert_int_equal(world.player.last.collected.minor, 30);
	assert_string_equal(act(&world, VERB_BET), "409 cards_open");
	assert_int_equal(world.balance, 129);
	book_award(&world, world.play.round.closed_by, 1);
	world.cards = none;
	assert_string_equal(act(&world, VERB_BET), "bet stake 1 win 0+30 open");
	world.cards = sure;
	assert_string_equal(act(&world, VERB_COLLECT), "collect release 30 claims 1");
}

/* The closing bet's record keeps a draw that did not begin the cards. */
static void test_cards_draw_without_cards_is_recorded(void **unused)
{
	struct world world;
	struct cards_odds none = { .of = 0 }, hardly = { 2, 1, CARDS_OF_MAX };

	(void)unused;
	begin(&world, WIN_30, none);
	(void)act(&world, VERB_BET);
	assert_int_equal(world.play.round.cards_before.below, 0);
	world.cards = hardly;
	assert_string_equal(act(&world, VERB_BET), "bet release 30 stake 1 win 0+30 open");
	assert_int_equal(world.play.round.cards_before.below, CARDS_OF_MAX);
	assert_int_equal(world.play.round.cards_before.threshold, 1);
	assert_int_equal(world.play.round.cards.draw.below, 0);
	(void)act(&world, VERB_COLLECT);
	assert_int_equal(world.play.round.cards.draw.below, CARDS_OF_MAX);
	assert_int_equal(world.play.round.cards.index, 0);
}

/* A setting proposed before the award and booked after it does not clear the award. */
static void test_cards_booked_is_not_overwritten(void **unused)
{
	struct world world;
	struct cards_odds sure = SURE;
	struct player_game before;

	(void)unused;
	begin(&world, NO_WIN, sure);
	(void)act(&world, VERB_BET);
	before = world.play;
	book_award(&world, world.play.round.closed_by, 1);
	struct player_fact fact = { .kind = PLAYER_MOVE_SETTING,
		.seq = world.seq + 1,
		.move = player_expect(&world.player) };
	struct player_record record = { .has_game = true, .game = before };
	assert_int_equal(player_adopt(&world.player, &world.play, &fact, &record), ADOPT_TAKEN);
	assert_false(player_cards_open(&world.play));
}

/* RULE mystic-gem 5.3: autoplay pauses and keeps its number of spins */
static void test_cards_pause_autoplay(void **unused)
{
	static char result[200];
	struct world world;
	struct cards_odds none = { .of = 0 }, sure = SURE;

	(void)unused;
	begin(&world, NO_WIN, none);
	(void)act(&world, VERB_AUTOPLAY);
	for (uint32_t i = 0; i < 3; i++) {
		struct player_command command = world_command(&world, VERB_BET);

		command.autospin = true;
		world.forced_count = world.game.reels;
		world.cards = i == 0 ? sure : none;
		if (i == 2)
			book_award(&world, world.play.round.closed_by, 1);
		world_do(&world, &command, result, sizeof(result));
		assert_string_equal(result, i == 0   ? "bet stake 1 claims 1"
					    : i == 1 ? "409 cards_open"
						     : "bet stake 1");
		assert_true(autoplay_running(&world.play.state.autoplay));
		assert_int_equal(world.play.state.autoplay.left, i == 2 ? 3 : 4);
	}
}

static const char *bonus_spin_bet(struct world *world)
{
	static char result[200];
	struct player_command command = world_command(world, VERB_BET);

	command.bonus = true;
	command.bonus_spin[0] = 9;
	player_bonus_spins_bet(&world->player, &command);
	world->forced_count = world->game.reels;
	memset(world->forced, 0, sizeof(world->forced));
	world_do(world, &command, result, sizeof(result));
	return result;
}

/* RULE mystic-gem 7.3: whatever the odds; a bonus spin that begins the previous round's cards is
 * neither placed nor used up */
static void test_cards_never_begin_with_a_bonus_spin(void **unused)
{
	struct player_bonus_spins bonus_spins = { .id = { 9 },
		.game = 1,
		.spins = 2,
		.expires_us = UINT64_MAX,
		.coin_minor = 1,
		.lines = 1,
		.coins = 1 };
	struct world world;
	struct cards_odds none = { .of = 0 }, sure = SURE;

	(void)unused;
	begin(&world, WIN_30, none);
	bonus_spins.game = world.game.number;
	player_bonus_spins(&world.player, &bonus_spins);
	player_bonus_spins(&world.other, &bonus_spins);
	(void)act(&world, VERB_BET);
	world.cards = sure;
	assert_string_equal(bonus_spin_bet(&world), "collect release 30 claims 1");
	assert_int_equal(world.player.bonus_spins[0].used, 0);
	assert_string_equal(bonus_spin_bet(&world), "409 cards_open");
	book_award(&world, world.play.round.closed_by, 1);
	assert_string_equal(bonus_spin_bet(&world), "bet win 0+30 open");
	assert_int_equal(world.player.bonus_spins[0].used, 1);
	assert_string_equal(act(&world, VERB_COLLECT), "collect release 30");
	assert_int_equal(world.play.round.cards.draw.below, 0);
	assert_false(player_cards_open(&world.play));
}

/* A void begins no cards and leaves open ones as they are. */
static void test_cards_and_voids(void **unused)
{
	struct world world;
	struct cards_odds none = { .of = 0 }, sure = SURE;

	(void)unused;
	begin(&world, WIN_30, none);
	(void)act(&world, VERB_BET);
	world.cards = sure;
	assert_string_equal(act(&world, VERB_VOID), "void win 1+0 forfeit 30");
	assert_false(player_cards_open(&world.play));
}

static void test_too_many_rules_start_no_cards(void **unused)
{
	static struct card_sets sets = { .count = 1,
		.set = { { .number = 2, .odds_count = 1, .odds = { { 978, 1, 10 } } } } };
	static struct cards_rules rules;
	static struct game game;

	(void)unused;
	game.cards.pool = 2;
	game.cards.eligible = true;
	rules.found = CARDS_RULES_MAX;
	assert_int_equal(cards_odds_of(&sets, &rules, &game, 7, 978).of, 10);
	rules.found = CARDS_RULES_MAX + 1;
	assert_int_equal(cards_odds_of(&sets, &rules, &game, 7, 978).of, 0);
}

/* The odds that jackpot-cards has put in force hold instead of the engine's file, and before them
 * those of operators. */
static void test_odds_in_force_override_the_file(void **unused)
{
	static struct card_sets sets = { .count = 1,
		.set = { { .number = 2, .odds_count = 1, .odds = { { 978, 1, 10 } } } } };
	static struct cards_rules rules = { .count = 1,
		.found = 1,
		.rule = { { 2, 0, 0, 978, 1, 20, true }, { 2, 0, 0, 978, 1, 30, false },
			{ 2, 1, 0, 978, 1, 40, false } } };
	static struct game game;
	const player_id own = INT64_C(1) << 48 | 7, other = INT64_C(2) << 48 | 7;

	(void)unused;
	game.cards.pool = 2;
	game.cards.eligible = true;
	assert_int_equal(cards_odds_of(&sets, &rules, &game, own, 978).of, 20);
	rules.count = rules.found = 3;
	assert_int_equal(cards_odds_of(&sets, &rules, &game, own, 978).of, 40);
	assert_int_equal(cards_odds_of(&sets, &rules, &game, other, 978).of, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cards_threshold_follows_the_stake),
		cmocka_unit_test(test_cards_draw_is_repeatable_from_its_key),
		cmocka_unit_test(test_cards_begin_with_the_bet_that_closes),
		cmocka_unit_test(test_cards_prevent_the_next_bet),
		cmocka_unit_test(test_cards_draw_without_cards_is_recorded),
		cmocka_unit_test(test_cards_booked_is_not_overwritten),
		cmocka_unit_test(test_cards_pause_autoplay),
		cmocka_unit_test(test_cards_never_begin_with_a_bonus_spin),
		cmocka_unit_test(test_cards_and_voids),
		cmocka_unit_test(test_odds_in_force_override_the_file),
		cmocka_unit_test(test_too_many_rules_start_no_cards),
	};

	return cmocka_run_group_tests_name("cards", tests, NULL, NULL);
}
