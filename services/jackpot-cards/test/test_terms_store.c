/* The text of a set's terms: by it versions are told apart. */
#include "services/jackpot-cards/adapters/terms_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_terms_have_one_text(void **unused)
{
	struct card_set_config set = { .number = 2,
		.weight = { 900, 90, 9, 1 },
		.odds_count = 2,
		.odds = { { 978, 1, 1000000 }, { 752, 7, 80000000 } } };
	const struct card_set_odds first = set.odds[0];
	char text[TERMS_TEXT_MAX], again[TERMS_TEXT_MAX];

	(void)unused;
	terms_text(&set, text);
	assert_string_equal(text,
		"{\"odds\":{\"752\":[7,80000000],\"978\":[1,1000000]},\"weights\":[900,90,9,1]}");
	set.odds[0] = set.odds[1];
	set.odds[1] = first;
	terms_text(&set, again);
	assert_string_equal(text, again);
	set.weight[3] = 2;
	terms_text(&set, again);
	assert_string_not_equal(text, again);
}

static void test_terms_fit_their_room(void **unused)
{
	struct card_set_config set = { .weight = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX },
		.odds_count = CARD_SETS_ODDS_MAX };
	char text[TERMS_TEXT_MAX];

	(void)unused;
	for (uint32_t i = 0; i < CARD_SETS_ODDS_MAX; i++)
		set.odds[i] = (struct card_set_odds){ UINT32_MAX - i, UINT64_MAX, UINT64_MAX };
	terms_text(&set, text);
	assert_string_equal(text + strlen(text) - 2, "]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terms_have_one_text),
		cmocka_unit_test(test_terms_fit_their_room),
	};
	return cmocka_run_group_tests_name("terms", tests, NULL, NULL);
}
