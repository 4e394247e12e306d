/* Configuration of sets: what is rejected, and that the reason names the place. */
#include "libcommon/jackpot/io/card_sets.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LEVEL(suit, seed, ppm)                                                                     \
	"{\"suit\":\"" suit "\",\"seed_eur_minor\":" seed ",\"wager_ppm\":" ppm ",\"weight\":3}"
#define SET(number, levels) SET_ODDS(number, levels, "{\"EUR\":{\"in\":1,\"of\":9}}")
#define SET_ODDS(number, levels, odds)                                                             \
	"{\"set\":\"cards\",\"set_number\":" number ",\"levels\":[" levels "],\"odds\":" odds "}"
#define FOUR THREE LEVEL("spades", "4", "1")
#define THREE                                                                                      \
	LEVEL("clubs", "1", "1") "," LEVEL("diamonds", "2", "1") "," LEVEL("hearts", "3", "1") ","

static void test_card_sets_reject_bad_files(void **state)
{
	(void)state;
	static const struct {
		const char *text, *pointer; /* NULL: valid */
	} rows[] = {
		{ SET("2", THREE LEVEL("spades", "4", "1")), NULL },
		{ "", "line" },
		{ "[]", "/" },
		{ "{}", "/set_number" },
		{ SET("0", THREE LEVEL("spades", "4", "1")), "/set_number" },
		{ SET("\"2\"", THREE LEVEL("spades", "4", "1")), "/set_number" },
		{ "{\"set\":\"\",\"set_number\":2,\"levels\":[]}", "/set" },
		{ "{\"set\":\"a\",\"set_number\":2,\"levels\":[]}", "/levels" },
		{ "{\"set\":\"a\",\"set_number\":2,\"levels\":[],\"x\":1}", "no member \"x\"" },
		{ SET("2", THREE "7"), "/levels/3" },
		{ SET("2", THREE LEVEL("clubs", "4", "1")), "/levels/3/suit" },
		{ SET("2", THREE LEVEL("spades", "3", "1")), "/levels/3/seed_eur_minor" },
		{ SET("2", THREE LEVEL("spades", "9999999999999", "1")),
			"/levels/3/seed_eur_minor" },
		{ SET("2", THREE LEVEL("spades", "4.5", "1")), "/levels/3/seed_eur_minor" },
		{ SET("2", THREE LEVEL("spades", "4", "-1")), "/levels/3/wager_ppm" },
		{ SET("2", THREE LEVEL("spades", "4", "1000001")), "/levels/3/wager_ppm" },
		{ SET("2", THREE LEVEL("spades", "4", "999998")), "sum to at most" },
		{ SET("2", THREE "{\"suit\":\"spades\",\"seed_eur_minor\":9,\"wager_ppm\":1}"),
			"/levels/3/weight" },
		{ SET_ODDS("2", FOUR, "{}"), "/odds" },
		{ SET_ODDS("2", FOUR, "[]"), "/odds" },
		{ SET_ODDS("2", FOUR, "{\"EUR\":{\"in\":1}}"), "/odds/EUR/of" },
		{ SET_ODDS("2", FOUR, "{\"EUR\":{\"in\":0,\"of\":9}}"), "/odds/EUR/in" },
		{ SET_ODDS("2", FOUR, "{\"EUR\":{\"in\":10,\"of\":9}}"), "/odds/EUR/in" },
		{ SET_ODDS("2", FOUR,
			  "{\"JPY\":{\"in\":1,\"of\":6000},\"ETH\":{\"in\":1,\"of\":1000000000000}}"),
			NULL },
		{ SET_ODDS("2", FOUR, "{\"EUR\":{\"in\":1,\"of\":1000000000001}}"),
			"/odds/EUR/of" },
		{ SET_ODDS("2", FOUR, "{\"EUR\":{\"in\":1,\"of\":9,\"x\":1}}"), "no member \"x\"" },
		{ SET_ODDS("2", FOUR, "{\"EURO\":{\"in\":1,\"of\":9}}"), "/odds/EURO" },
		{ SET_ODDS("2", FOUR, "{\"EUR\":{\"in\":1,\"of\":9},\"SEK\":{\"in\":9,\"of\":9}}"),
			NULL },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct card_set_config set;
		char error[CARD_SETS_ERROR_MAX];
		bool good =
			card_sets_parse("file", rows[i].text, strlen(rows[i].text), &set, error);
		assert_int_equal(good, rows[i].pointer == NULL);
		if (!good &&
			(strstr(error, rows[i].pointer) == NULL || strstr(error, "found") == NULL ||
				strstr(error, "expected") == NULL))
			fail_msg("row %zu: expected %s, found: %s", i, rows[i].pointer, error);
	}
}

static void test_card_sets_of_the_project_load(void **state)
{
	(void)state;
	struct card_sets sets;
	char error[CARD_SETS_ERROR_MAX];
	if (!card_sets_load("SETS", "services/jackpot-cards/sets", &sets, error))
		fail_msg("%s", error);
	assert_int_equal(sets.count, 1);
	assert_int_equal(sets.set[0].number, 2);
	assert_int_equal(sets.set[0].seed_minor[CARD_SETS_LEVELS - 1], 1000000);
	assert_ptr_equal(card_sets_find(&sets, 2), &sets.set[0]);
	assert_null(card_sets_find(&sets, 3));
	assert_int_equal(card_set_odds(&sets.set[0], 978)->in, 1);
	assert_null(card_set_odds(&sets.set[0], 840));
	assert_false(card_sets_load("SETS", "/nonexistent", &sets, error));
	assert_false(card_sets_load("SETS", "docs", &sets, error));
}

static void file_write(const char *path, const char *text, size_t padding)
{
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	(void)fputs(text, file);
	for (size_t i = 0; i < padding; i++)
		(void)fputc(' ', file);
	assert_int_equal(fclose(file), 0);
}

/* The message says what is wrong with the file, and not what the system did well. */
static void test_card_sets_load_says_what_is_wrong_with_a_file(void **state)
{
	(void)state;
	static const char valid[] = SET("2", THREE LEVEL("spades", "4", "1"));
	char folder[] = "/tmp/card-sets-XXXXXX", path[64], error[CARD_SETS_ERROR_MAX];
	struct card_sets sets;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/big.json", folder);

	file_write(path, valid, 16 * 1024 - strlen(valid) - 1);
	assert_true(card_sets_load("SETS", folder, &sets, error));
	file_write(path, valid, 20000);
	assert_false(card_sets_load("SETS", folder, &sets, error));
	assert_non_null(
		strstr(error, "/big.json: found a file of 16384 bytes or more, expected fewer"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0); /* can be opened, and not read */
	assert_false(card_sets_load("SETS", folder, &sets, error));
	assert_non_null(strstr(error, "/big.json: found Is a directory, expected a readable file"));
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_card_sets_reject_bad_files),
		cmocka_unit_test(test_card_sets_of_the_project_load),
		cmocka_unit_test(test_card_sets_load_says_what_is_wrong_with_a_file),
	};
	return cmocka_run_group_tests_name("sets", tests, NULL, NULL);
}
