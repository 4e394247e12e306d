/* The numbers that the published rules give, in the shipped definitions: what no other test holds
 * because it makes its own game. Drafts are read too: whether the returns are right is asked
 * elsewhere. Tests run from the project's root. */
#include "libcommon/game/game.h"

#include "libcommon/game/definition_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EUR 978u

static const struct game *load(const char *id)
{
	static struct game game;
	char path[128], error[DEFINITION_ERROR_MAX];

	definition_free(&game);
	snprintf(path, sizeof(path), "services/spin-engine/games/%s/definition.json", id);
	if (definition_load_flags(path, DEFINITION_UNPROVEN, &game, error) != DEFINITION_OK)
		fail_msg("%s", error);
	return &game;
}

static void expect_choices(const struct choices *choices, const uint32_t *x, uint32_t count)
{
	assert_int_equal(choices->count, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(choices->of[i].x, x[i]);
		assert_true(choices->of[i].weight > 0);
	}
}

/* RULE mystery-elves 1.1, 3.1, 3.2, 3.5, 3.9 to 3.11, 3.13, 4.1, 4.3 */
static void test_numbers_of_hold_and_win(void **unused)
{
	static const uint32_t values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
		17, 18 };
	static const uint32_t multipliers[] = { 2, 3, 4, 5 };
	static const char *const awards[] = { "mini", "minor", "major", "grand" };
	const struct game *game = load("mystery-elves");
	const struct hold_rules *hold = &game->hold;

	(void)unused;
	assert_int_equal(game->reels * game->rows, 15);
	assert_int_equal(game->line_count, 10);
	assert_true(hold->offered);
	assert_int_equal(hold->at_least, 6);
	assert_int_equal(hold->respins, 3);
	assert_int_equal(hold->full_multiplier, 2);
	assert_int_equal(hold->exclude_from, 3);
	expect_choices(&hold->value, values, 18);
	expect_choices(&hold->multiplier, multipliers, 4);
	assert_true(hold->mystery_weight > 0 && hold->multiplier_weight > 0);
	assert_int_equal(hold->award_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_string_equal(hold->award[i].id, awards[i]);
		assert_int_equal(hold->award[i].excluded, i == 3);
		assert_true(i == 0 || hold->award[i].x > hold->award[i - 1].x);
		assert_true(hold->award[i].weight > 0);
	}
	assert_int_equal(game->mode_count, 2);
	assert_int_equal(game->mode[1].price_hundredths, 7000);
	assert_int_equal(game->mode[1].guarantee, GUARANTEE_SYMBOLS);
	assert_int_equal(game->mode[1].guarantee_symbol, hold->symbol);
	assert_int_equal(game->mode[1].guarantee_min, 6);
}

static void expect_gamble(
	const struct game *game, uint32_t attempts, int64_t limit, uint32_t jokers, bool halve)
{
	const struct game_currency *currency = game_currency(game, EUR);

	assert_true(game->gamble.offered);
	assert_false(game->gamble.base_lines_only);
	assert_int_equal(game->gamble.attempts_max, attempts);
	assert_int_equal(game->gamble.suit_count, 4);
	assert_int_equal(game->gamble.jokers, jokers);
	assert_int_equal(game->gamble.halve, halve);
	assert_true(currency->gamble_limited);
	assert_int_equal(currency->gamble_stake_max.minor, limit);
}

/* RULE mystic-gem 4.1 to 4.3, 4.7; RULE mystery-elves 5.1, 5.5, 5.7, 5.9 */
static void test_numbers_of_gambles(void **unused)
{
	(void)unused;
	expect_gamble(load("mystic-gem"), 5, 4200, 0, false);
	expect_gamble(load("mystery-elves"), 10, 12500000, 2, true);
}

/* ---- potions -----------------------------------------------------------------------------------
 */

static bool has_kind(const struct game *game, uint32_t set, uint32_t reel, enum symbol_kind kind)
{
	const struct game_strip *strip = &game->strips[set].reel[reel];

	for (uint32_t i = 0; i < strip->length; i++)
		if (game->symbol[strip->symbol[i]].kind == kind)
			return true;
	return false;
}

/* RULE witch-feature 1.1, 3.1, 4.10, 6.1, 6.2: where potions and free-spin symbols are found at all
 */
static void test_numbers_of_unlock_strips(void **unused)
{
	const struct game *game = load("witch-feature");

	(void)unused;
	assert_int_equal(game->reels, 5);
	assert_int_equal(game->rows, 4);
	assert_int_equal(game->line_count, 50);
	for (uint32_t r = 0; r < 5; r++) {
		bool inner = r >= 1 && r <= 3;
		uint32_t base = game->mode[0].strips, free = game->free_spins.strips;

		assert_int_equal(has_kind(game, base, r, SYMBOL_COLLECTIBLE), inner);
		assert_int_equal(has_kind(game, base, r, SYMBOL_SCATTER), !inner);
		assert_false(has_kind(game, free, r, SYMBOL_COLLECTIBLE));
		assert_int_equal(has_kind(game, free, r, SYMBOL_SCATTER), !inner);
		for (uint32_t i = 0; i < game->unlock.step_count; i++) {
			uint32_t set = game->unlock.step[i].strips;

			assert_false(has_kind(game, set, r, SYMBOL_COLLECTIBLE));
			assert_false(has_kind(game, set, r, SYMBOL_SCATTER));
		}
	}
	assert_int_equal(game->free_spins.award[CONTEXT_BASE][1], 0);
	assert_int_equal(game->free_spins.award[CONTEXT_BASE][2], 10);
	assert_int_equal(game->free_spins.award[CONTEXT_FREE][1], 1);  /* RULE witch-feature 6.7 */
	assert_int_equal(game->free_spins.award[CONTEXT_FREE][2], 10); /* RULE witch-feature 6.8 */
}

/* RULE witch-feature 3.6 to 3.10, 4.5, 5.1, 6.3, 6.4 */
static void test_numbers_of_unlock_features(void **unused)
{
	static const struct unlock_step steps[] = { { UNLOCK_HIGH_SYMBOLS, { 1, 1, 1 }, 0 },
		{ UNLOCK_RANDOM_WILDS, { 1, 2, 0 }, 0 }, { UNLOCK_MULTIPLIER, { 1, 0, 2 }, 0 },
		{ UNLOCK_MEGA_WILD, { 0, 2, 1 }, 0 } };
	static const uint32_t multipliers[] = { 2, 3, 5, 8, 10 };
	const struct game *game = load("witch-feature");
	const struct unlock_rules *rules = &game->unlock;
	uint32_t sets = 0;

	(void)unused;
	assert_int_equal(rules->step_count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(rules->step[i].kind, steps[i].kind);
		assert_memory_equal(rules->step[i].needs, steps[i].needs, GAME_COLOURS);
		assert_true(i == 0 || rules->explosion_locked[rules->step[i].kind].in > 0);
	}
	expect_choices(&rules->multiplier, multipliers, 5);
	assert_true(rules->explosion.in > 0 && rules->explosion.in < rules->explosion.of);
	assert_true(rules->free_feature.in > 0 && rules->free_feature.in < rules->free_feature.of);
	/* each alone, and the multiplier with each of the others */
	for (uint32_t i = 0; i < rules->free_set.count; i++)
		sets |= UINT32_C(1) << rules->free_set.of[i].x;
	for (uint32_t kind = 0; kind < UNLOCK_KINDS; kind++) {
		uint32_t alone = UINT32_C(1) << kind, both = alone | 1u << UNLOCK_MULTIPLIER;

		assert_true(sets >> alone & 1);
		assert_true(sets >> both & 1);
	}
	assert_int_equal(__builtin_popcount(sets), 7);
}

/* The blocks of a mega wild: each cell of a square of the size. */
static uint32_t square(uint32_t reel, uint32_t row, uint32_t size)
{
	uint32_t cells = 0;

	for (uint32_t r = reel; r < reel + size; r++)
		for (uint32_t i = row; i < row + size; i++)
			cells |= UINT32_C(1) << (r * 4 + i);
	return cells;
}

static bool is_mega(uint32_t cells)
{
	for (uint32_t reel = 0; reel < 3; reel++)
		for (uint32_t row = 0; row < 2; row++)
			if (cells == square(reel, row, 3))
				return true;
	for (uint32_t a = 0; a < 12; a++)
		for (uint32_t b = 0; b < a; b++) {
			uint32_t first = square(a / 3, a % 3, 2), second = square(b / 3, b % 3, 2);

			if ((first & second) == 0 && cells == (first | second))
				return true;
		}
	return false;
}

/* RULE witch-feature 4.4, 4.8, 4.9 */
static void test_numbers_of_wilds(void **unused)
{
	const struct game *game = load("witch-feature");
	const struct unlock_rules *rules = &game->unlock;
	uint32_t three = 0, least = 0;

	(void)unused;
	for (uint32_t i = 0; i < rules->mega_count; i++) {
		assert_true(is_mega(rules->mega[i].cells));
		three += __builtin_popcount(rules->mega[i].cells) == 9;
	}
	assert_true(three > 0 && three < rules->mega_count);
	for (uint32_t r = 0; r < 5; r++) { /* at least one wild lands */
		uint32_t fewest = game->rows;

		for (uint32_t i = 0; i < rules->wilds[r].count; i++)
			if (rules->wilds[r].of[i].x < fewest)
				fewest = rules->wilds[r].of[i].x;
		least += fewest;
	}
	assert_true(least >= 1);
}

/* RULE witch-feature 4.3, 5.4, 5.5: the six high symbols, on the strips of their respin and under
 * the question marks; no two of them pay alike */
static void test_numbers_of_high_symbols(void **unused)
{
	const struct game *game = load("witch-feature");
	const struct choices *six = &game->unlock.revealed;
	uint32_t high = 0, seen = 0;

	(void)unused;
	assert_int_equal(six->count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		high |= UINT32_C(1) << six->of[i].x;
		for (uint32_t j = 0; j < i; j++)
			for (uint32_t n = 3; n <= 5; n++)
				assert_int_not_equal(game->symbol[six->of[i].x].pay[n],
					game->symbol[six->of[j].x].pay[n]);
	}
	assert_true(high >> game->wild & 1);
	for (uint32_t r = 0; r < 5; r++) {
		const struct game_strip *strip = &game->strips[game->unlock.step[0].strips].reel[r];

		for (uint32_t i = 0; i < strip->length; i++)
			seen |= UINT32_C(1) << strip->symbol[i];
	}
	assert_int_equal(seen & ~high, 0);
	assert_int_equal(high & ~seen, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_of_hold_and_win),
		cmocka_unit_test(test_numbers_of_gambles),
		cmocka_unit_test(test_numbers_of_unlock_strips),
		cmocka_unit_test(test_numbers_of_unlock_features),
		cmocka_unit_test(test_numbers_of_wilds),
		cmocka_unit_test(test_numbers_of_high_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
