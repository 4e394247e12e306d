/* Ranks of guaranteed spins against plain counting: every number means a combination that keeps the
 * guarantee, and every combination that does is meant as often as it weighs. */
#include "libcommon/game/test/definition_fixture.h"

#include "libcommon/game/lines.h"
#include "libcommon/game/core/reels.h"
#include "libcommon/game/core/spin_rank.h"
#include "libcommon/game/exact/spin_rank_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct game small;

static const struct game_mode *load(const char *path, uint32_t mode)
{
	char error[DEFINITION_ERROR_MAX];

	if (definition_load_flags(path, DEFINITION_UNPROVEN, &small, error) != DEFINITION_OK)
		fail_msg("%s", error);
	assert_true(mode < small.mode_count);
	assert_non_null(small.mode[mode].rank);
	return &small.mode[mode];
}

/* The small games have three reels. */
static bool keeps(const struct game_mode *mode, uint32_t wild_reels, const uint16_t *stop)
{
	const struct line_terms plain = { .multiplier = 1 };
	uint8_t window[GAME_CELLS_MAX];
	uint32_t count = 0;

	for (uint32_t r = 0; r < small.reels; r++) {
		struct reel_column column;

		reel_column(&small, mode->strips, r, stop[r], wild_reels, &column);
		memcpy(window + r * small.rows, column.symbol, small.rows);
	}
	for (uint32_t i = 0; i < small.reels * small.rows; i++)
		count += window[i] == mode->guarantee_symbol;
	if (mode->guarantee == GUARANTEE_SYMBOLS)
		return count >= mode->guarantee_min;
	for (uint32_t l = 0; l < small.line_count; l++)
		if (line_best(&small, window, l, &plain).coins > 0)
			return true;
	return false;
}

static uint64_t weight_of(const struct game_mode *mode, const uint16_t *stop)
{
	uint64_t weight = 1;

	for (uint32_t r = 0; r < small.reels; r++)
		weight *= small.strips[mode->strips].reel[r].stop_weight[stop[r]];
	return weight;
}

static void check_position(const struct game_mode *mode, uint32_t position)
{
	static uint32_t meant[32][32][32];
	const struct spin_rank_position *of = &mode->rank->position[position];
	const struct game_strip *reel = small.strips[mode->strips].reel;
	uint64_t kept = 0;
	uint16_t stop[GAME_REELS_MAX];

	memset(meant, 0, sizeof(meant));
	for (uint64_t value = 0; value < of->count; value++) {
		spin_rank_stops(mode->rank, position, value, stop);
		meant[stop[0]][stop[1]][stop[2]]++;
	}
	for (stop[0] = 0; stop[0] < reel[0].length; stop[0]++)
		for (stop[1] = 0; stop[1] < reel[1].length; stop[1]++)
			for (stop[2] = 0; stop[2] < reel[2].length; stop[2]++) {
				uint64_t weight =
					keeps(mode, of->reels, stop) ? weight_of(mode, stop) : 0;

				assert_int_equal(meant[stop[0]][stop[1]][stop[2]], weight);
				kept += weight;
			}
	assert_int_equal(kept, of->count);
}

static void test_spin_rank_build_line_win(void **unused)
{
	const struct game_mode *mode = load(FIXTURE_SMALL("buy"), 2);

	(void)unused;
	assert_int_equal(mode->rank->position_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(mode->rank->position[i].reels, mode->position[i].reels);
		assert_int_equal(mode->rank->position[i].weight,
			mode->rank->position[i].count * mode->position[i].weight);
		check_position(mode, i);
	}
	definition_free(&small);
	assert_null(small.mode[2].rank);
}

static void test_spin_rank_build_symbols(void **unused)
{
	const struct game_mode *mode = load(FIXTURE_SMALL("hold"), 1);

	(void)unused;
	assert_int_equal(mode->rank->position_count, 1);
	assert_int_equal(mode->rank->position[0].reels, 0);
	check_position(mode, 0);
	definition_free(&small);
}

/* With weights of the stops on the strips too. */
static void test_spin_rank_build_weights(void **unused)
{
	json_t *root = json_load_file(FIXTURE_SMALL("buy"), 0, NULL);
	char error[DEFINITION_ERROR_MAX];

	(void)unused;
	assert_non_null(root);
	definition_change(root, "/strips/sold/0",
		"{\"symbols\":[\"a\",\"b\",\"c\",\"wild\"],\"weights\":[3,1,7,2]}");
	definition_change(root, "/strips/sold/2",
		"{\"symbols\":[\"a\",\"b\",\"b\",\"c\",\"wild\"],\"weights\":[1,1,5,2,9]}");
	assert_int_equal(
		definition_of_json(root, DEFINITION_UNPROVEN, &small, error), DEFINITION_OK);
	json_decref(root);
	check_position(&small.mode[2], 0);
	check_position(&small.mode[2], 1);
	definition_free(&small);
}

static void test_spin_rank_build_win_share(void **unused)
{
	const struct game_mode *mode = load(FIXTURE_SMALL("buy"), 2);
	const struct game_mode plain = { .strips = mode->strips,
		.guarantee = GUARANTEE_LINE_WIN,
		.guarantee_symbol = GAME_NO_SYMBOL };
	const struct game_strip *reel = small.strips[mode->strips].reel;
	double share = 0, kept = 0, all = 0;
	uint16_t stop[GAME_REELS_MAX];

	(void)unused;
	for (stop[0] = 0; stop[0] < reel[0].length; stop[0]++)
		for (stop[1] = 0; stop[1] < reel[1].length; stop[1]++)
			for (stop[2] = 0; stop[2] < reel[2].length; stop[2]++) {
				double weight = (double)weight_of(mode, stop);

				all += weight;
				kept += keeps(&plain, 0, stop) ? weight : 0;
			}
	assert_int_equal(spin_rank_win_share(&small, mode->strips, 3, &share), SPIN_RANK_OK);
	assert_true(share > kept / all - 1e-12 && share < kept / all + 1e-12);
	definition_free(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spin_rank_build_line_win),
		cmocka_unit_test(test_spin_rank_build_symbols),
		cmocka_unit_test(test_spin_rank_build_weights),
		cmocka_unit_test(test_spin_rank_build_win_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
