/* The loader's refusals by feature: modes, wilds, scatters, free spins, sticky respins, hold and
 * win, potions, progressive symbols. A row changes one place of a small game. */
#include "libcommon/game/test/definition_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BAND(percent, tolerance)                                                                   \
	"[{\"bets\":\"all\",\"percent\":\"" percent "\",\"tolerance\":\"" tolerance "\"}]"

static void test_definition_refusals_of_modes(void **unused)
{
	static const struct refusal rows[] = {
		{ "/modes", "[]", "/modes: found an array of 0, expected an array of 1 to 8" },
		{ "/modes/0/id", "\"main\"", "/modes/0/id: found \"main\", expected \"base\"" },
		{ "/modes/0/price_hundredths", "101", "/modes/0/price_hundredths: found 101" },
		{ "/modes/0/guarantee", "{\"kind\":\"line_win\"}", "/modes/0/guarantee: found" },
		{ "/modes/0/wild_reels", "[{\"reels\":[2],\"weight\":1}]",
			"the base game has no bought wild reels" },
		{ "/modes/1/id", "\"base\"",
			"/modes/1/id: found \"base\", expected an id that no" },
		{ "/modes/1/id", NULL, "/modes/1/id: found nothing" },
		{ "/modes/1/colour", "1", "/modes/1/colour: found an unknown member" },
		{ "/modes/1/price_hundredths", "100", "/modes/1/price_hundredths: found 100" },
		{ "/modes/1/price_hundredths", "455",
			"a price in whole minor units at every bet, including EUR 30" },
		{ "/modes/1/price_hundredths", "100000",
			"/modes/1: found a mode that is too expensive at every bet" },
		{ "/modes/0/one_spin", "true",
			"/modes/0/one_spin: found true, expected false: the base game is not bought" },
		{ "/modes/1/one_spin", "1", "/modes/1/one_spin: found 1, expected true or false" },
		{ "/modes/1/strips", "\"other\"",
			"/modes/1/strips: found \"other\", expected the name of a strip set" },
		{ "/modes/1/wild_reels", "[]", "/modes/1/wild_reels: found an array of 0" },
		{ "/modes/1/wild_reels/0/reels", "[0]", "/reels/0: found 0" },
		{ "/modes/1/wild_reels/0/reels", "[4]", "/reels/0: found 4" },
		{ "/modes/1/wild_reels/0/reels", "[2,2]", "expected each reel only once" },
		{ "/modes/1/wild_reels/0/reels", "[1,2,3]", "an array of 1 to 2" },
		{ "/modes/1/wild_reels/1/reels", "[2]",
			"expected reels that differ from those at position 0" },
		{ "/modes/1/wild_reels/1/weight", "0", "/wild_reels/1/weight: found 0" },
		{ "/modes/1/wild_reels/1/weight", "1000000000",
			"expected weights that sum to at most 1000000000" },
		{ "/modes/2/guarantee/kind", "\"a_lot\"", "expected one of: line_win symbols" },
		{ "/modes/2/guarantee/symbol", "\"a\"", "/guarantee/symbol: found an unknown" },
		{ "/modes/2/guarantee", "{\"kind\":\"symbols\",\"symbol\":\"a\"}",
			"/guarantee/at_least: found nothing" },
		{ "/modes/2/guarantee", "{\"kind\":\"symbols\",\"symbol\":\"star\",\"at_least\":1}",
			"/modes/2/guarantee: found a guarantee that no combination keeps" },
		{ "/modes/2/guarantee", "{\"kind\":\"symbols\",\"symbol\":\"a\",\"at_least\":10}",
			"/at_least: found 10" },
		{ "/bet/lines/min", "1", "a line_win guarantee only if every bet plays all lines" },
		{ "/modes/0/published_rtp", BAND("96.08", "0.005"), "an empty array in a demo" },
		{ "/demo", "false", "/modes/0/published_rtp: found an array of 0" },
		{ "/strips/third", "[[\"a\",\"a\",\"b\"],[\"a\",\"a\",\"b\"],[\"a\",\"a\",\"b\"]]",
			"/strips/third: found a strip set that is not used" },
	};
	/* the band is read before anything is said about demos */
	static const struct refusal bands[] = {
		{ "/modes/0/published_rtp", BAND("96.085555", "0.005"), "a percentage as text" },
		{ "/modes/0/published_rtp", BAND("096", "0.005"), "a percentage as text" },
		{ "/modes/0/published_rtp", BAND("96.", "0.005"), "a percentage as text" },
		{ "/modes/0/published_rtp", BAND("0", "0.005"), "a percentage as text" },
		{ "/modes/0/published_rtp", BAND("96.08", "1.0001"), "from 0.0001 to 1.0000" },
		{ "/modes/0/published_rtp", BAND("99.999", "0.005"),
			"a band between 0 and 100 percent" },
		{ "/modes/0/published_rtp", BAND("0.005", "0.005"),
			"a band between 0 and 100 percent" },
		{ "/modes/0/published_rtp/-", "{\"bets\":\"some\"}", "/percent: found nothing" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_SMALL("buy"), rows);
	DEFINITION_REFUSALS(FIXTURE_SMALL("buy"), bands);
}

static void test_definition_refusals_of_bets(void **unused)
{
	static const struct refusal rows[] = {
		{ "/bet/currencies/EUR/no_buy_coins", "[30]",
			"/no_buy_coins/0: found 30, expected a selectable coin value" },
		{ "/bet/currencies/EUR/no_buy_coins", "[10,10]", "/no_buy_coins/1: found 10" },
		{ "/bet/currencies/EUR/no_buy_coins", "[10,20]",
			"a mode that is too expensive at every bet" },
		{ "/bet/currencies/EUR/price_max", "0", "/price_max: found 0" },
		{ "/bet/currencies/EUR/price_max", "134",
			"a mode that is too expensive at every bet" },
		{ "/bet/currencies/EUR/price_max", "null",
			"a mode that is too expensive at every bet" },
		{ "/bet/currencies/EUR/stake_min", "121", "/stake_max: found 120" },
		{ "/bet/currencies/EUR",
			"{\"coins\":[10,20],\"no_buy_coins\":[],\"stake_min\":31,\"stake_max\":59,"
			"\"price_max\":5000}",
			"at least one bet in EUR between stake_min and stake_max" },
		{ "/bet/currencies/EUR/no_buy_coins", NULL, "/no_buy_coins: found nothing" },
		{ "/gamble/jokers", "5", "/gamble/jokers: found 5" },
		{ "/gamble/jokers", NULL, "/gamble/jokers: found nothing" },
		{ "/autoplay/feature_stop", "1", "/feature_stop: found 1, expected true or false" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_SMALL("buy"), rows);
}

static void test_definition_refusals_of_wilds_and_scatters(void **unused)
{
	static const struct refusal rows[] = {
		{ "/expanding_wild/reels", "[1]",
			"/expanding_wild: found an object of 1 members, expected a wild on the "
			"strips "
			"of reel 1" },
		{ "/expanding_wild/reels", "[2,2]", "/expanding_wild/reels/1: found 2" },
		{ "/expanding_wild/reels", "[4]", "/expanding_wild/reels/0: found 4" },
		{ "/symbols/1/pays", "{\"2\":5,\"3\":1}",
			"/symbols/1: found pays that fall as the count grows" },
		{ "/symbols/1/pays", NULL, "/symbols/1: found a scatter without effect" },
		{ "/symbols/1/wild_counts", "1", "/wild_counts: found 1, expected true or false" },
		{ "/symbols/1/wild_counts", "true",
			"/symbols/1/wild_counts: found true, expected false in a game with "
			"expanding wilds" },
		{ "/symbols/0/wild_counts", "true",
			"/symbols/0/wild_counts: found true, expected false, because wild_counts "
			"is only for scatters" },
		{ "/symbols/-", "{\"id\":\"gift\",\"name\":\"Gift\",\"kind\":\"bonus\"}",
			"/symbols/5: found a symbol that is on no strip" },
	};
	static const struct refusal others[] = {
		{ "/strips/base/0/5", "\"star\"",
			"/strips/base/0/5: found \"star\", expected at least 2 other symbols" },
		{ "/symbols/4",
			"{\"id\":\"c\",\"name\":\"C\",\"kind\":\"potion\",\"pays\":{\"3\":1}}",
			"/symbols/4/pays: found" },
		{ "/symbols/4", "{\"id\":\"c\",\"name\":\"C\",\"kind\":\"bonus\"}",
			"/symbols/4: found a bonus symbol that starts nothing" },
		{ "/symbols/0/kind", "\"scatter\"", "null in a game without a wild" },
		{ "/vials",
			"{\"bonus_min\":1,\"shown\":3,\"picked\":1,\"outcomes\":[{\"kind\":"
			"\"money\","
			"\"value\":1,\"weight\":1,\"weight_per_coin\":0}]}",
			"/vials: found an object of 4 members, expected null in a game without a" },
		{ "/battle",
			"{\"symbol\":\"a\",\"scatters_min\":3,\"outcomes\":{\"3\":[{\"weight\":1,"
			"\"free_spins\":0}]}}",
			"/battle/symbol: found \"a\", expected the id of a symbol of the kind "
			"scatter" },
		{ "/battle",
			"{\"symbol\":\"star\",\"scatters_min\":3,\"outcomes\":{\"3\":[{\"weight\":"
			"1,"
			"\"free_spins\":8}]}}",
			"/free_spins: found null, expected free spins, because battles award them" },
		{ "/free_spins",
			"{\"strips\":\"base\",\"player_starts\":true,\"line_multiplier\":1,"
			"\"wild_multipliers\":null,\"awards\":null}",
			"/free_spins: found free spins that nothing awards" },
		{ "/progressive_symbols",
			"{\"symbol\":\"a\",\"count\":3,\"where\":\"line\",\"bets\":\"all\"}",
			"expected the id of a symbol of the kind jackpot" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_SMALL("buy"), rows);
	DEFINITION_REFUSALS(FIXTURE_SMALL("buy"), others);
}

static void test_definition_refusals_of_free_and_sticky_spins(void **unused)
{
	static const struct refusal rows[] = {
		{ "/free_spins/strips", "\"none\"", "/free_spins/strips: found \"none\"" },
		{ "/free_spins/player_starts", "1", "/free_spins/player_starts: found 1" },
		{ "/free_spins/line_multiplier", "0", "/free_spins/line_multiplier: found 0" },
		{ "/free_spins/wild_multipliers", "[1]", "/wild_multipliers: found an array of 1" },
		{ "/free_spins/wild_multipliers", "[1,4,2]", "/wild_multipliers/2: found 2" },
		{ "/free_spins/awards/symbol", "\"jewel\"", "of the kind scatter" },
		{ "/free_spins/awards/base", "{\"4\":5}",
			"/awards/base/4: found a member of this name" },
		{ "/free_spins/awards/base", "{\"3\":0}", "/awards/base/3: found 0" },
		{ "/free_spins/awards/base", "{\"2\":5}",
			"/awards/base: found awards that fall as the count grows" },
		{ "/strips/base/0",
			"[\"a\",\"jewel\",\"jewel\",\"c\",\"moon\",\"b\",\"b\",\"crown\"]",
			"/awards/respin: found an object of 1 members, expected awards for at "
			"most 2 symbols" },
		{ "/free_spins/awards/free", NULL, "/awards/free: found nothing" },
		{ "/free_spins/awards/free", "{\"1\":5,\"2\":5,\"3\":5}",
			"per free spin, and a probability of 10^" },
	};
	static const struct refusal sticky[] = {
		{ "/sticky_respins/symbol", "\"moon\"", "of the kind line" },
		{ "/sticky_respins/symbol", "\"a\"",
			"/sticky_respins/at_least: found 2, expected at most the 1 that reel 1" },
		{ "/sticky_respins/reel", "4", "/sticky_respins/reel: found 4" },
		{ "/sticky_respins/reel", "2",
			"/sticky_respins/at_least: found 2, expected at most the 1 that reel 2" },
		{ "/sticky_respins/at_least", "4", "/sticky_respins/at_least: found 4" },
		{ "/sticky_respins/spins", "0", "/sticky_respins/spins: found 0" },
		{ "/sticky_respins/sticky", "[\"jewel\",\"jewel\"]",
			"expected each symbol only once" },
		{ "/sticky_respins/sticky", "[\"moon\"]", "of the kind line or wild" },
		{ "/sticky_respins", "null", "/strips/jewel: found a strip set that is not used" },
		{ "/expanding_wild", "{\"reels\":[2]}",
			"/sticky_respins: found an object of 7 members, expected null in a game "
			"with "
			"expanding_wild" },
		{ "/battle",
			"{\"symbol\":\"moon\",\"scatters_min\":3,\"outcomes\":{\"3\":[{\"weight\":"
			"1,"
			"\"free_spins\":8}]}}",
			"expected null in a game with battle, because the engine cannot play both" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_SMALL("sticky"), rows);
	DEFINITION_REFUSALS(FIXTURE_SMALL("sticky"), sticky);
}

/* RULE bewitched 4.2 */
static void test_definition_refusals_of_progressives(void **unused)
{
	static const struct refusal rows[] = {
		{ "/progressive_symbols", "null", "/jackpot: found an object of 7 members" },
		{ "/jackpot", "null", "/progressive_symbols: found an object of 4 members" },
		{ "/progressive_symbols/count", "4", "/progressive_symbols/count: found 4" },
		{ "/progressive_symbols/where", "\"row\"", "expected one of: line anywhere" },
		{ "/progressive_symbols/bets", "\"big\"", "expected one of: all max" },
		{ "/progressive_symbols/symbol", "\"jewel\"", "of the kind jackpot" },
		{ "/strips/base/2", "[\"a\",\"b\",\"c\",\"moon\",\"b\",\"c\",\"jewel\"]",
			"/progressive_symbols/count: found 3, expected at most the 2 that the "
			"strips" },
		{ "/strips/base/0/9", "\"crown\"",
			"/strips/base/0/9: found \"crown\", expected at least 2 other symbols" },
		{ "/jackpot/published_with_contribution", "\"95.10\"",
			"expected null in a demo definition" },
		{ "/jackpot/base_coin_eur_minor", "10", "found shares that sum to over 2" },
		{ "/jackpot/base_coin_eur_minor", "29", "expected shares that sum to at most 1" },
		{ "/modes/-",
			"{\"id\":\"more\",\"name\":\"More\",\"price_hundredths\":200,\"strips\":"
			"\"base\",\"wild_reels\":null,\"guarantee\":null,\"published_rtp\":[]}",
			"no bought modes in a game with a progressive" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_SMALL("sticky"), rows);
}

static void test_definition_refusals_of_hold_and_win(void **unused)
{
	static const struct refusal rows[] = {
		{ "/hold_and_win/symbol", "\"a\"", "of the kind bonus" },
		{ "/hold_and_win/at_least", "7",
			"/hold_and_win/at_least: found 7, expected at most the 6 that mode base" },
		{ "/hold_and_win/respins", "0", "/hold_and_win/respins: found 0" },
		{ "/hold_and_win/cell/in", "0", "/hold_and_win/cell/in: found 0" },
		{ "/hold_and_win/cell/in", "13", "/hold_and_win/cell/in: found 13" },
		{ "/hold_and_win/values/1/x", "1", "expected each x only once" },
		{ "/hold_and_win/values/1/x", "0", "/values/1/x: found 0" },
		{ "/hold_and_win/values/1/weight", "0", "/values/1/weight: found 0" },
		{ "/hold_and_win/values/1/weight", "1000000000",
			"/values/1/weight: found 1000000000, expected weights that sum" },
		{ "/hold_and_win/mystery/weight", "999999999",
			"/hold_and_win/values: found an array of 3, expected weights that sum" },
		{ "/hold_and_win/mystery/awards/1/id", "\"mini\"",
			"an id that no earlier award has" },
		{ "/hold_and_win/mystery/awards/1/x", "1000001", "/awards/1/x: found 1000001" },
		{ "/hold_and_win/mystery/exclude", "[\"huge\"]",
			"/exclude/0: found \"huge\", expected the id of an award" },
		{ "/hold_and_win/mystery/exclude", "[\"grand\",\"mini\"]",
			"/exclude: found an array of 2, expected at least one award that is not excluded" },
		{ "/hold_and_win/mystery/exclude", "[]",
			"/exclude_from_multiplier: found 3, expected null" },
		{ "/hold_and_win/mystery/exclude_from_multiplier", "1",
			"/exclude_from_multiplier: found 1" },
		{ "/hold_and_win/multiplying/values/0/x", "1", "/multiplying/values/0/x: found 1" },
		{ "/hold_and_win/multiplying/values/0/x", "100",
			"a stake_max for EUR with which the largest win of a round fits 63 bits" },
		{ "/hold_and_win/full_screen_multiplier", "0", "/full_screen_multiplier: found 0" },
		{ "/hold_and_win", "null", "/symbols/1: found a bonus symbol that starts nothing" },
		{ "/modes/1/guarantee/at_least", "9",
			"/modes/1/guarantee: found a guarantee that no combination keeps" },
		{ "/modes/1/wild_reels", "[{\"reels\":[3],\"weight\":1}]",
			"null in a game with sticky respins, hold and win or progressive" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_SMALL("hold"), rows);
}

/* RULE witch-feature 3.4: two potions that one spin could show on a reel ("between two potions") */
static void test_definition_refusals_of_unlock(void **unused)
{
	static const struct refusal rows[] = {
		{ "/gamble",
			"{\"of\":\"win\",\"halve\":false,\"attempts_max\":1,\"suits\":[\"hearts\",\"spades\"],"
			"\"jokers\":0,\"stake_max\":{\"EUR\":null}}",
			"expected null in a game with gamble, because the engine cannot play both" },
		{ "/potions/symbols/1", "\"red\"", "/potions/symbols/1: found \"red\"" },
		{ "/potions/symbols/1", "\"a\"", "of the kind potion" },
		{ "/potions", "null", "/strips/respin: found a strip set that is not used" },
		{ "/bet/currencies/EUR/coins", "[10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]",
			"/bet/currencies: found more bet values, expected at most 16" },
		{ "/potions/features", "[]", "/potions/features: found an array of 0" },
		{ "/potions/features/1/kind", "\"high_symbols\"",
			"expected each feature only once" },
		{ "/potions/features/1/needs", "[1,1,1]",
			"/features/1/needs: found the same potions as another feature" },
		{ "/potions/features/1/needs", "[1,2,1]", "three potions in total, not 4" },
		{ "/potions/features/1/needs", "[1,2]", "/needs: found an array of 2" },
		{ "/potions/features/1/strips", "\"base\"", "/strips/base: found scatters" },
		{ "/potions/features/1", NULL,
			"/potions/random_wilds: found an array of 3, expected null in a game "
			"without" },
		{ "/potions/multipliers", "null",
			"/potions/multipliers: found null, expected the table of multiplier" },
		{ "/potions/random_wilds/1/0/count", "0",
			"a reel without the count 0, so that there is always a wild" },
		{ "/potions/random_wilds/1/0/count", "4", "/random_wilds/1/0/count: found 4" },
		{ "/potions/random_wilds/0/1/count", "0", "expected each count only once" },
		{ "/potions/random_wilds/2", NULL, "/random_wilds: found an array of 2" },
		{ "/potions/multipliers/0/x", "1", "/multipliers/0/x: found 1" },
		{ "/potions/mega_wild/0/blocks/0/reel", "2",
			"found a block that is not on the grid" },
		{ "/potions/mega_wild/0/blocks/0/row", "1",
			"found a block that is not on the grid" },
		{ "/potions/mega_wild/0/blocks/0/size", "4", "/size: found 4" },
		{ "/potions/mega_wild/1/blocks/1", "{\"reel\":2,\"row\":1,\"size\":2}",
			"/blocks/1: found a block that overlaps another" },
		{ "/potions/explosion/odds/of", "0", "/explosion/odds/of: found 0" },
		{ "/potions/explosion/odds/in", "4", "/explosion/odds/in: found 4" },
		{ "/potions/explosion/locked/multiplier", NULL, "/locked/multiplier: found" },
		{ "/potions/explosion/locked/high_symbols", "{\"in\":1,\"of\":2}",
			"/locked/high_symbols: found an unknown member" },
		{ "/potions/explosion/marks",
			"[[{\"count\":0,\"weight\":1}],[{\"count\":0,"
			"\"weight\":1}],[{\"count\":0,\"weight\":1}]]",
			"expected a reel with a count above 0" },
		{ "/potions/explosion/reveals/0/symbol", "\"owl\"", "of the kind line or wild" },
		{ "/potions/explosion/reveals/1/symbol", "\"wild\"",
			"expected each symbol only once" },
		{ "/potions/free_spins", "null",
			"/potions/free_spins: found null, expected the potion features of the" },
		{ "/potions/free_spins/odds/in", "0", "/potions/free_spins/odds/in: found 0" },
		{ "/potions/free_spins/sets/0/features", "[\"high_symbols\",\"mega_wild\"]",
			"one feature, or the multiplier and one other" },
		{ "/potions/free_spins/sets/1/features", "[\"high_symbols\"]",
			"found a set that already exists" },
		{ "/potions/free_spins/sets/0/features", "[\"multiplier\",\"multiplier\"]",
			"a feature of this game, listed only once" },
	};
	static const struct refusal strips[] = {
		{ "/strips/base/1/5", "\"blue\"",
			"/strips/base/1/5: found \"blue\", expected at least 3 other symbols "
			"between "
			"two potions" },
		{ "/strips/base/1/8", "\"a\"", "/symbols/3: found a symbol that is on no strip" },
		{ "/strips/free/1/3", "\"red\"",
			"/strips/free: found potions, expected no potions" },
		{ "/strips/respin/1/3", "\"owl\"",
			"/strips/respin: found scatters or bonus symbols, expected no" },
		{ "/expanding_wild", "{\"reels\":[2]}",
			"/potions: found an object of 7 members, expected null in a game with" },
		{ "/modes/-",
			"{\"id\":\"more\",\"name\":\"More\",\"price_hundredths\":200,\"strips\":"
			"\"base\",\"wild_reels\":null,\"guarantee\":null,\"published_rtp\":[]}",
			"only the base mode in a game with potions" },
		{ "/strips/respin", "[[\"a\",\"a\",\"a\"],[\"b\",\"b\",\"b\"],[\"c\",\"c\",\"c\"]]",
			"found respins until a win, although no window wins" },
	};

	(void)unused;
	DEFINITION_REFUSALS(FIXTURE_SMALL("potions"), rows);
	DEFINITION_REFUSALS(FIXTURE_SMALL("potions"), strips);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition_refusals_of_modes),
		cmocka_unit_test(test_definition_refusals_of_bets),
		cmocka_unit_test(test_definition_refusals_of_wilds_and_scatters),
		cmocka_unit_test(test_definition_refusals_of_free_and_sticky_spins),
		cmocka_unit_test(test_definition_refusals_of_progressives),
		cmocka_unit_test(test_definition_refusals_of_hold_and_win),
		cmocka_unit_test(test_definition_refusals_of_unlock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
