/* What is rejected in the jackpot parts of a definition, and that the reason names the place. */
#include "libcommon/jackpot/io/game_links.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
	"{\"id\":\"bewitched\",\"number\":5,\"demo\":false,"                                       \
	"\"bet\":{\"currencies\":{\"EUR\":{},\"SEK\":{}}},"
#define CARDS "\"cards\":{\"set\":\"cards\",\"set_number\":2,\"eligible\":true}}"
#define LINK                                                                                       \
	"\"jackpot\":{\"pool\":\"bewitched\",\"pool_number\":1,\"contribution_ppm\":5000,"         \
	"\"base_coin_eur_minor\":1000,\"rows\":"

static const char GOOD[] = HEAD LINK
	"{\"EUR\":{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":20,\"seed\":40000}]},"
	"\"SEK\":{\"row_rate_nano\":90000000,\"seeds\":[{\"coin\":20,\"seed\":40000}]}}}," CARDS;

static void test_game_links_read(void **state)
{
	(void)state;
	struct game_link link;
	char error[GAME_LINKS_ERROR_MAX];
	assert_true(game_links_parse("file", GOOD, strlen(GOOD), &link, error));
	assert_int_equal(link.game, 5);
	assert_int_equal(link.currency_count, 2);
	assert_int_equal(link.jackpot.pool, 1);
	assert_int_equal(link.jackpot.ppm, 5000);
	assert_int_equal(link.jackpot.row_count, 2);
	assert_int_equal(link.jackpot.row[0].share_nano, 20000000);
	assert_int_equal(link.jackpot.row[1].share_nano, 1800000); /* V8: .0018 */
	assert_int_equal(link.cards.pool, 2);
	static const char NONE[] = HEAD "\"jackpot\":null,\"cards\":null}";
	assert_true(game_links_parse("file", NONE, strlen(NONE), &link, error));
	assert_int_equal(link.jackpot.pool, 0);
	assert_int_equal(link.cards.pool, 0);
}

#define ROWS(text) HEAD LINK text "}," CARDS
#define EUR(text) ROWS("{\"EUR\":" text "}")

static void test_game_links_reject_bad_definitions(void **state)
{
	(void)state;
	static const struct {
		const char *text, *pointer;
	} rows[] = {
		{ "", "line" },
		{ "{", "line" },
		{ "[]", "file: /" },
		{ "{\"id\":\"x\"}", "/number" },
		{ "{\"id\":7,\"number\":5}", "/demo" },
		{ "{\"id\":\"A b\",\"number\":5,\"demo\":false}", "/id" },
		{ "{\"id\":\"x\",\"number\":0,\"demo\":false}", "/number" },
		{ "{\"id\":\"x\",\"number\":5,\"demo\":1}", "/demo" },
		{ "{\"id\":\"x\",\"number\":5,\"demo\":false}", "/bet" },
		{ "{\"id\":\"x\",\"number\":5,\"demo\":false,\"bet\":{\"currencies\":{}}}",
			"/bet/currencies" },
		{ "{\"id\":\"x\",\"number\":5,\"demo\":false,\"bet\":{\"currencies\":{\"QQQ\":{}}}"
		  "}",
			"/bet/currencies/QQQ" },
		{ HEAD CARDS, "/jackpot" },
		{ HEAD "\"jackpot\":null}", "/cards" },
		{ HEAD "\"jackpot\":7," CARDS, "/jackpot" },
		{ ROWS("{}"), "/jackpot/rows" },
		{ ROWS("[]"), "/jackpot/rows" },
		{ ROWS("{\"QQQ\":{}}"), "/jackpot/rows/QQQ" },
		{ EUR("{\"seeds\":[{\"coin\":20,\"seed\":1}]}"),
			"/jackpot/rows/EUR/row_rate_nano" },
		{ EUR("{\"row_rate_nano\":2,\"seeds\":[{\"coin\":20,\"seed\":1}]}"),
			"/jackpot/rows/EUR/row_rate_nano" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[]}"), "/jackpot/rows/EUR/seeds" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":0,\"seed\":1}]}"),
			"/jackpot/rows/EUR/seeds/0/coin" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":\"20\",\"seed\":1}]}"),
			"/jackpot/rows/EUR/seeds/0/coin" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":1001,\"seed\":1}]}"),
			"/jackpot/rows/EUR/seeds/0/coin" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":20,\"seed\":0}]}"),
			"/jackpot/rows/EUR/seeds/0/seed" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":20,\"seed\":1.5}]}"),
			"/jackpot/rows/EUR/seeds/0/seed" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":20,\"seed\":"
		      "99999999999999}]}"),
			"/jackpot/rows/EUR/seeds/0/seed" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":20,\"seed\":1},"
		      "{\"coin\":20,\"seed\":1}]}"),
			"/jackpot/rows/EUR/seeds/1/coin" },
		{ EUR("{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":900,\"seed\":1},"
		      "{\"coin\":200,\"seed\":1}]}"),
			"/jackpot/rows:" },
		{ HEAD "\"jackpot\":null,\"cards\":{\"set\":\"cards\",\"set_number\":0,"
		       "\"eligible\":true}}",
			"/cards/set_number" },
		{ HEAD "\"jackpot\":null,\"cards\":{\"set\":\"cards\",\"set_number\":2,"
		       "\"eligible\":1}}",
			"/cards/eligible" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct game_link link;
		char error[GAME_LINKS_ERROR_MAX];
		assert_false(
			game_links_parse("file", rows[i].text, strlen(rows[i].text), &link, error));
		if (strstr(error, rows[i].pointer) == NULL || strstr(error, "found") == NULL ||
			strstr(error, "expected") == NULL)
			fail_msg("row %zu: expected %s, found: %s", i, rows[i].pointer, error);
	}
}

static void test_game_links_load_rejects_bad_folders(void **state)
{
	(void)state;
	static struct game_links links;
	char error[GAME_LINKS_ERROR_MAX];
	assert_false(game_links_load("/nonexistent", true, &links, error));
	assert_non_null(strstr(error, "CARILLON_GAMES"));
	assert_false(game_links_load("proto", true, &links, error));
	assert_non_null(strstr(error, "definition.json"));
}

/* An operator's request for a new pool is read like a definition's pool. */
static void test_game_links_pool(void **state)
{
	(void)state;
	struct game_link link;
	char error[GAME_LINKS_ERROR_MAX];
	static const char POOL[] =
		"{\"pool\":\"winter\",\"pool_number\":30,\"contribution_ppm\":1000,"
		"\"base_coin_eur_minor\":1000,\"rows\":{\"JPY\":{\"row_rate_nano\":6000000,"
		"\"seeds\":[{\"coin\":100,\"seed\":50000}]}},\"games\":[\"gem\"]}";
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "{", "line" },
		{ "[]", "an object" },
		{ "{\"pool_number\":30}", "/pool" },
		{ "{\"pool_number\":30,\"pool\":\"x\",\"contribution_ppm\":1000001,"
		  "\"base_coin_eur_minor\":1,\"rows\":{}}",
			"/contribution_ppm" },
		{ "{\"pool_number\":30,\"pool\":\"x\",\"contribution_ppm\":1,"
		  "\"base_coin_eur_minor\":1000,\"rows\":{\"EUR\":{\"row_rate_nano\":"
		  "1000000000,\"seeds\":[{\"coin\":1000,\"seed\":1},{\"coin\":1,\"seed\":1}]}}}",
			"at most 1" },
	};
	assert_true(game_links_parse_pool("file", POOL, strlen(POOL), &link, error));
	assert_int_equal(link.jackpot.pool, 30);
	assert_int_equal(link.jackpot.row[0].exponent, 0);
	assert_int_equal(link.jackpot.row[0].share_nano, 60000000); /* 100 x .006 / 10 */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_false(game_links_parse_pool(
			"file", rows[i].text, strlen(rows[i].text), &link, error));
		if (strstr(error, rows[i].says) == NULL)
			fail_msg("row %zu: expected %s, found: %s", i, rows[i].says, error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_game_links_read),
		cmocka_unit_test(test_game_links_reject_bad_definitions),
		cmocka_unit_test(test_game_links_pool),
		cmocka_unit_test(test_game_links_load_rejects_bad_folders),
	};
	return cmocka_run_group_tests_name("game links", tests, NULL, NULL);
}
