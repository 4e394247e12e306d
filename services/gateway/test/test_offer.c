/* Lists of what operators offer their players. */
#include "services/gateway/core/offer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LONG "a-name-of-more-than-thirty-one-bytes"

static const struct {
	const char *list, *entry;
	bool has;
} HAS[] = {
	{ "", "bewitched", true }, { "bewitched", "bewitched", true },
	{ "bewitched", "mona-lisa", false }, { "bewitched", "bewitche", false },
	{ "bewitched", "bewitched2", false }, { "bewitched", "", false },
	{ "mona-lisa,bewitched", "bewitched", true }, { "mona-lisa,bewitched", "mona-lisa", true },
	{ "mona-lisa,bewitched", "mona-lisa,bewitched", false }, { "EUR,SEK", "EUR", true },
	{ "EUR,SEK", "DKK", false },
	{ LONG, "a-name-of-more-than-thirty-one-", true }, /* the table cannot hold such a list */
};

static const struct {
	const char *text, *found; /* NULL: it is right */
} READ[] = {
	{ "all", NULL },
	{ "EUR", NULL },
	{ "EUR,SEK,DKK", NULL },
	{ "", "" },
	{ ",", "" },
	{ "EUR,", "" },
	{ ",EUR", "" },
	{ "EUR,,SEK", "" },
	{ "eur", "eur" },
	{ "EUR,all", "all" },
	{ "all,EUR", "all" },
	{ "EUR, SEK", " SEK" },
	{ "EUR,SEK,EUR", "EUR" },
	{ "EUR,EUR,SEK", "EUR" },
	{ "EUR,XXX,SEK", "XXX" },
	{ "EUR," LONG, "a-name-of-more-than-thirty-one-" },
};

static void test_offer_has_whole_entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(HAS) / sizeof(HAS[0]); i++)
		if (offer_has(HAS[i].list, HAS[i].entry) != HAS[i].has)
			fail_msg("'%s' of '%s'", HAS[i].entry, HAS[i].list);
}

static void test_offer_reads_lists_of_what_is_known(void **state)
{
	char found[OFFER_ENTRY_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(READ) / sizeof(READ[0]); i++) {
		if (offer_currencies_read(READ[i].text, found) != (READ[i].found == NULL))
			fail_msg("'%s': '%s'", READ[i].text, found);
		if (READ[i].found != NULL)
			assert_string_equal(found, READ[i].found);
	}
}

/* Ids of games are not known here: their shape is. */
static void test_offer_reads_ids_of_games(void **state)
{
	char found[OFFER_ENTRY_MAX + 1];

	(void)state;
	assert_true(offer_games_read("all", found));
	assert_true(offer_games_read("bewitched,mona-lisa,a_2", found));
	assert_false(offer_games_read("bewitched,Mona", found));
	assert_string_equal(found, "Mona");
	assert_false(offer_games_read("bewitched,all", found));
	assert_string_equal(found, "all");
	assert_false(offer_games_read("bewitched,bewitched", found));
	assert_string_equal(found, "bewitched");
}

static void test_offer_numbers_of_currencies(void **state)
{
	char out[OFFER_NUMBERS_MAX];

	(void)state;
	offer_numbers("EUR,SEK,XBT", out);
	assert_string_equal(out, "{978,752,1001}");
	offer_numbers("EUR", out);
	assert_string_equal(out, "{978}");
	offer_numbers(OFFER_ALL, out);
	assert_string_equal(out, "{}");
}

static void test_offer_names_each_entry(void **state)
{
	const char *list = "EUR,SEK,DKK";
	char one[OFFER_ENTRY_MAX + 1], all[64] = "";

	(void)state;
	while (offer_next(&list, one)) {
		strcat(all, one);
		strcat(all, ";");
	}
	assert_string_equal(all, "EUR;SEK;DKK;");
	assert_false(offer_next(&list, one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offer_has_whole_entries),
		cmocka_unit_test(test_offer_reads_lists_of_what_is_known),
		cmocka_unit_test(test_offer_reads_ids_of_games),
		cmocka_unit_test(test_offer_numbers_of_currencies),
		cmocka_unit_test(test_offer_names_each_entry),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
