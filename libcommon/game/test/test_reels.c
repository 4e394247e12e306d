/* From stops to windows: bought and expanding wilds, falling symbols, sets of rows. */
#include "libcommon/game/core/reels.h"
#include "libcommon/game/test/small_game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SYMBOLS                                                                                    \
	"A line 3:5;B line 3:4;C line 3:3;D line 3:2;W wild;S scatter 3:2;R potion;Q potion;G potion"

/* One reel's strip, its stop and what it shows. RULE mystic-gem 2.9 to 2.11, 3.4; RULE
 * witch-feature 3.2 */
static void test_reel_column(void **unused)
{
	static const struct {
		const char *what, *strip;
		uint32_t stop, wild_reels, expanding;
		const char *shows;
		uint32_t covered;
		uint8_t collectible;
	} rows[] = {
		{ "as the strip is", "ABCDAB", 1, 0, 0, "BCDA", 0, 0 },
		{ "over the end of the strip", "ABCDAB", 4, 0, 0, "ABAB", 0, 0 },
		{ "a wild that does not expand", "AWCDAB", 0, 0, 0, "AWCD", 0, 0 },
		{ "a wild covers its reel", "AWCDAB", 0, 0, 4, "WWWW", 13, 0 },
		{ "not its scatters", "AWSDAB", 0, 0, 4, "WWSW", 9, 0 },
		{ "on its own reel only", "AWSDAB", 0, 0, 11, "AWSD", 0, 0 },
		{ "one just below the window does nothing", "ABCDWB", 0, 0, 4, "ABCD", 0, 0 },
		{ "two wilds", "WACWAB", 0, 0, 4, "WWWW", 6, 0 },
		{ "bought: all cells, scatters too", "ABSDAB", 0, 4, 0, "WWWW", 15, 0 },
		{ "bought on another reel", "ABSDAB", 0, 2, 0, "ABSD", 0, 0 },
		{ "a potion on the top row is replaced", "RABCDB", 0, 0, 0, "BABC", 0, 1 },
		{ "a potion at the bottom: all fall", "ABCRDB", 0, 0, 0, "BABC", 0, 1 },
		{ "in the middle: those above fall", "ABQCDB", 0, 0, 0, "BABC", 0, 2 },
		{ "the strip's last stop comes in at stop 0", "AGBCDC", 0, 0, 0, "CABC", 0, 3 },
		{ "at another stop", "AABCGDBBBB", 2, 0, 0, "ABCD", 0, 3 },
		{ "just below the window: none", "ABCDGB", 0, 0, 0, "ABCD", 0, 0 },
		{ "bought wilds hide a potion", "ARCDAB", 0, 4, 0, "WWWW", 15, 0 },
	};
	static struct game game;

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct game_strip *strip = &game.strips[0].reel[2];
		struct reel_column column;
		char shows[5] = "";

		small_game(&game, 4, SYMBOLS);
		game.expanding_reels = rows[i].expanding;
		game.unlock.offered = true;
		memcpy(game.unlock.symbol, "\6\7\10", GAME_COLOURS);
		for (uint32_t r = 0; r < game.reels; r++)
			game.strips[0].reel[r].length = 1;
		strip->length = (uint32_t)strlen(rows[i].strip);
		for (uint32_t s = 0; s < strip->length; s++)
			strip->symbol[s] = small_symbol(&game, rows[i].strip[s]);
		game_compile(&game);
		reel_column(&game, 0, 2, rows[i].stop, rows[i].wild_reels, &column);
		for (uint32_t row = 0; row < 4; row++)
			shows[row] = game.symbol[column.symbol[row]].id[0];
		if (strcmp(shows, rows[i].shows) != 0 || column.covered != rows[i].covered ||
			column.collectible != rows[i].collectible)
			fail_msg("%s: found %s, covered %u, potion %u", rows[i].what, shows,
				column.covered, column.collectible);
	}
}

/* RULE witch-feature 4.4, 5.3: every set of rows of one size is one number. */
static void test_row_sets(void **unused)
{
	static const uint32_t sets[5][6] = { { 1, 0 }, { 1, 1, 0 }, { 1, 2, 1, 0 },
		{ 1, 3, 3, 1, 0 }, { 1, 4, 6, 4, 1, 0 } };

	(void)unused;
	for (uint32_t rows = 0; rows < 5; rows++)
		for (uint32_t count = 0; count <= rows + 1; count++) {
			uint32_t before = 0;

			assert_int_equal(row_sets(rows, count), sets[rows][count]);
			for (uint32_t i = 0; i < row_sets(rows, count); i++) {
				uint32_t set = row_set(rows, count, i);

				assert_int_equal(__builtin_popcount(set), count);
				assert_true(set < 1u << rows);
				assert_true(i == 0 || set > before);
				before = set;
			}
		}
	assert_int_equal(row_sets(5, 2), 10);
	assert_int_equal(row_set(4, 2, 0), 3);
	assert_int_equal(row_set(4, 2, 5), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reel_column),
		cmocka_unit_test(test_row_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
