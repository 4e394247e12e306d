/* Operators' actions on a set: adjustments and terms in the core, weights by operator and game;
 * refusals say what was expected and change nothing. */
#include "services/jackpot-cards/adapters/set_operator.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct card_terms TERMS = { { 2000, 10000, 100000, 1000000 },
	{ 2500, 1500, 700, 300 } };
static struct game_links links = { .count = 2 };

static struct set_instance *fresh(void)
{
	static struct set_instance instance;
	memset(&instance, 0, sizeof(instance));
	assert_int_equal(card_set_launch(&instance.set, 2, &TERMS), CARD_SET_OK);
	instance.weight[0] = 7;
	links.link[0] = (struct game_link){ .game = 1, .id = "gem", .cards = { .pool = 2 } };
	links.link[1] = (struct game_link){ .game = 3, .id = "elves", .cards = { .pool = 9 } };
	return &instance;
}

static struct action_record *act(
	struct set_instance *instance, int action, const char *parameters, const char *second)
{
	static struct action_record record;
	memset(&record, 0, sizeof(record));
	record.action = (uint32_t)action;
	(void)snprintf(record.actor, sizeof(record.actor), "alice");
	(void)snprintf(record.second, sizeof(record.second), "%s", second);
	(void)snprintf(record.parameters, sizeof(record.parameters), "%s", parameters);
	set_operator_apply(instance, &links, &record, NULL);
	return &record;
}

#define PARAMETERS CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS
#define ADJUST CARILLON__OPERATOR_ACTION__ACTION_ADJUST
#define WEIGHTS CARILLON__OPERATOR_ACTION__ACTION_WEIGHTS
#define ODDS CARILLON__OPERATOR_ACTION__ACTION_ODDS
#define PART CARILLON__OPERATOR_ACTION__ACTION_TAKE_PART

static void test_set_operator_refuses(void **state)
{
	(void)state;
	static const struct {
		int action;
		const char *parameters, *says;
	} rows[] = {
		{ PARAMETERS, "", "/level" },
		{ PARAMETERS, "[]", "object" },
		{ PARAMETERS, "{\"level\":\"swords\",\"seed_minor\":1}", "clubs" },
		{ PARAMETERS, "{\"level\":\"clubs\"}", "/seed_minor" },
		{ PARAMETERS, "{\"level\":\"clubs\",\"seed_minor\":0}", "whole number" },
		{ PARAMETERS, "{\"level\":\"clubs\",\"seed_minor\":\"7\"}", "whole number" },
		{ PARAMETERS, "{\"level\":\"clubs\",\"seed_minor\":10000}", "do not rise" },
		{ PARAMETERS, "{\"level\":\"clubs\",\"wager_ppm\":1000000}", "whole wager" },
		{ PARAMETERS, "{\"level\":\"clubs\",\"sead_minor\":1}", "not expected" },
		{ ADJUST, "{\"level\":\"clubs\",\"delta_minor\":0}", "other than 0" },
		{ ADJUST, "{\"level\":\"clubs\",\"delta_minor\":5,\"seed_minor\":5}",
			"other than 0" },
		{ ADJUST, "{\"delta_minor\":5}", "/level" },
		{ WEIGHTS, "{}", "/weights" },
		{ WEIGHTS, "{\"weights\":[1,2,3]}", "4 whole numbers" },
		{ WEIGHTS, "{\"weights\":[0,0,0,0]}", "a sum of" },
		{ WEIGHTS, "{\"weights\":[1,2,3,-1]}", "whole number" },
		{ WEIGHTS, "{\"weights\":[1,2,3,4],\"game\":\"elves\"}", "game of this set" },
		{ WEIGHTS, "{\"weights\":[1,2,3,4],\"operator\":32768}", "whole number" },
		{ ODDS, "{\"currency\":\"EUR\",\"in\":1}", "/currency, /in and /of" },
		{ ODDS, "{\"currency\":\"EUR\",\"in\":2,\"of\":1}", "/currency, /in and /of" },
		{ ODDS, "{\"currency\":\"XYZ\",\"in\":1,\"of\":2}", "code" },
		{ ODDS, "{\"in\":1,\"of\":2}", "/currency, /in and /of" },
		{ PART, "{\"takes_part\":1}", "not expected" },
		{ PART, "{}", "/takes_part" },
		{ PART, "{\"takes_part\":true,\"operator\":0}", "1 to 32767" },
		{ CARILLON__OPERATOR_ACTION__ACTION_RETIRE, "{}", "not available for a set" },
		{ CARILLON__OPERATOR_ACTION__ACTION_CREATE, "{}", "not available for a set" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct set_instance *instance = fresh();
		struct card_set before = instance->set;
		const struct action_record *record =
			act(instance, rows[i].action, rows[i].parameters, "bob");
		if (record->done || strstr(record->refusal, rows[i].says) == NULL)
			fail_msg("%s: found \"%s\", expected something about \"%s\"",
				rows[i].parameters, record->refusal, rows[i].says);
		assert_memory_equal(&instance->set, &before, sizeof(before));
		assert_int_equal(instance->change_n, 0);
	}
}

static void test_set_operator_moves_money_with_two(void **state)
{
	(void)state;
	struct set_instance *instance = fresh();
	const char *where;
	int64_t value;
	static const char UP[] = "{\"level\":\"hearts\",\"delta_minor\":70}";
	assert_false(act(instance, ADJUST, UP, "")->done);
	assert_false(act(instance, ADJUST, UP, "alice")->done);
	assert_true(act(instance, ADJUST, UP, "bob")->done);
	assert_int_equal(card_set_value(&instance->set, CARD_HEARTS, &value), CARD_SET_OK);
	assert_int_equal(value, 100070);
	assert_false(
		act(instance, ADJUST, "{\"level\":\"hearts\",\"delta_minor\":-71}", "bob")->done);
	assert_true(
		act(instance, ADJUST, "{\"level\":\"hearts\",\"delta_minor\":-70}", "bob")->done);
	assert_true(card_set_identities_hold(&instance->set, &where));
}

static void test_set_operator_terms_wait(void **state)
{
	(void)state;
	struct set_instance *instance = fresh();
	struct card_payout payout = { CARD_SET_CURRENCY, 2, POOL_NANO };
	struct card_hit hit;
	int64_t value;
	assert_true(
		act(instance, PARAMETERS, "{\"level\":\"clubs\",\"seed_minor\":3000}", "")->done);
	assert_true(
		act(instance, PARAMETERS, "{\"level\":\"clubs\",\"wager_ppm\":2600}", "")->done);
	assert_int_equal(card_set_value(&instance->set, CARD_CLUBS, &value), CARD_SET_OK);
	assert_int_equal(value, 2000);
	assert_int_equal(card_set_hit(&instance->set, CARD_CLUBS, &payout, &hit), CARD_SET_OK);
	assert_int_equal(hit.price.paid_minor, 2000);
	assert_int_equal(card_set_value(&instance->set, CARD_CLUBS, &value), CARD_SET_OK);
	assert_int_equal(value, 3000);
	assert_int_equal(instance->set.level[0].terms.share_nano, 2600000);
	assert_int_equal(hit.next_share_nano, 2600000);
	assert_int_equal(card_set_hit(&instance->set, CARD_DIAMONDS, &payout, &hit), CARD_SET_OK);
	assert_int_equal(hit.next_share_nano, instance->set.level[1].terms.share_nano);
}

static void test_set_operator_weights_fit_best(void **state)
{
	(void)state;
	struct set_instance *instance = fresh();
	static const struct {
		uint32_t operator_id, game, first;
	} rows[] = { { 1, 1, 40 }, { 1, 5, 30 }, { 2, 1, 20 }, { 2, 5, 10 }, { 2, 0, 10 } };
	assert_int_equal(set_operator_weights(instance, 1, 1)[0], 7);
	assert_true(act(instance, WEIGHTS, "{\"weights\":[10,0,0,1]}", "")->done);
	assert_true(act(instance, WEIGHTS, "{\"weights\":[20,0,0,1],\"game\":\"gem\"}", "")->done);
	assert_true(act(instance, WEIGHTS, "{\"weights\":[30,0,0,1],\"operator\":1}", "")->done);
	const struct action_record *record = act(
		instance, WEIGHTS, "{\"weights\":[40,0,0,1],\"operator\":1,\"game\":\"gem\"}", "");
	assert_true(record->done);
	assert_string_equal(record->before, "{\"weights\":[30,0,0,1]}");
	assert_string_equal(record->after, "{\"weights\":[40,0,0,1]}");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			set_operator_weights(instance, rows[i].operator_id, rows[i].game)[0],
			rows[i].first);
	assert_int_equal(instance->change_n, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_operator_refuses),
		cmocka_unit_test(test_set_operator_moves_money_with_two),
		cmocka_unit_test(test_set_operator_terms_wait),
		cmocka_unit_test(test_set_operator_weights_fit_best),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
