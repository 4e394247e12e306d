/* The judge of a round's file against files that were written to mislead it. */
#include "libcommon/fair/private/json_same.h"
#include "libcommon/fair/round_proof.h"
#include "libcommon/game/definition_load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAVED "libcommon/fair/test/corpus/fuzz_round_proof/saved-3.json"
#define GAME "services/spin-engine/games/bewitched/definition.json"
#define SHOWN 512 /* phases in one answer */

static struct game game;

static int load(void **state)
{
	char error[DEFINITION_ERROR_MAX];

	(void)state;
	return definition_load_flags(GAME, DEFINITION_UNPROVEN | DEFINITION_SIMULATED, &game,
		       error) == DEFINITION_OK
		       ? 0
		       : -1;
}

static int unload(void **state)
{
	(void)state;
	definition_free(&game);
	return 0;
}

static json_t *saved(void)
{
	json_t *file = json_load_file(SAVED, 0, NULL);

	assert_non_null(file);
	return file;
}

static json_t *round_of(json_t *file)
{
	return json_object_get(json_object_get(file, "answer"), "round");
}

/* The report about the file. */
static json_t *judged(const json_t *file)
{
	char *text = json_dumps(file, 0), *report, error[ROUND_PROOF_ERROR_MAX];
	struct round_proof proof;
	json_t *json;

	assert_non_null(text);
	if (!round_proof_read(text, strlen(text), &proof, error))
		fail_msg("%s", error);
	(void)round_proof_check(&proof, &game, &report);
	assert_non_null(report);
	json = json_loads(report, 0, NULL);
	assert_non_null(json);
	free(report);
	free(text);
	round_proof_free(&proof);
	return json;
}

static const json_t *check_of(const json_t *report, const char *what)
{
	const json_t *checks = json_object_get(report, "checks");

	for (size_t i = 0; i < json_array_size(checks); i++) {
		const json_t *check = json_array_get(checks, i);

		if (strcmp(json_string_value(json_object_get(check, "what")), what) == 0)
			return check;
	}
	fail_msg("no check of %s", what);
	return NULL;
}

static const char *member(const json_t *check, const char *name)
{
	const char *text = json_string_value(json_object_get(check, name));

	return text ? text : "";
}

static void expect_state(const json_t *file, const char *what, const char *state)
{
	json_t *report = judged(file);

	assert_string_equal(member(check_of(report, what), "state"), state);
	json_decref(report);
}

/* 512 phases are whole only when the round has so many. */
static void test_phases_that_were_never_played(void **state)
{
	static const size_t counts[] = { 3, SHOWN - 1, SHOWN, SHOWN + 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		json_t *file = saved();
		json_t *phases = json_object_get(round_of(file), "phases");

		expect_state(file, "screens", "agrees");
		while (json_array_size(phases) < counts[i])
			assert_int_equal(json_array_append_new(phases, json_object()), 0);
		expect_state(file, "screens", "differs");
		json_decref(file);
	}
}

static void test_nothing_is_the_same_as_nothing(void **state)
{
	struct json_difference difference = { .where = "" };
	json_t *value = json_object();

	(void)state;
	assert_false(json_same(value, NULL, &difference));
	assert_string_equal(difference.expected, "nothing");
	assert_false(json_same(NULL, value, &difference));
	assert_false(json_same(NULL, NULL, &difference));
	assert_true(json_same(value, value, &difference));
	json_decref(value);
}

static void gamble_set(json_t *file, int64_t stake)
{
	json_t *gambles =
		json_pack("[{s:I, s:i, s:i, s:i, s:b, s:i}]", "stake_minor", (json_int_t)stake,
			"guess", 0, "attempt", 1, "card", 0, "won", 0, "pending_minor", 0);

	assert_non_null(gambles);
	assert_int_equal(json_object_set_new(round_of(file), "gambles", gambles), 0);
}

static void test_stakes_that_no_round_allows(void **state)
{
	static const int64_t stakes[] = { INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1,
		INT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(stakes) / sizeof(stakes[0]); i++) {
		json_t *file = saved();
		json_t *report;

		gamble_set(file, stakes[i]);
		report = judged(file);
		assert_string_equal(member(check_of(report, "gambles"), "state"), "differs");
		assert_string_equal(
			member(check_of(report, "gambles"), "where"), "/gambles/0/stake_minor");
		/* A stake that was refused changes no amount. */
		assert_string_equal(member(check_of(report, "amounts"), "state"), "agrees");
		json_decref(report);
		json_decref(file);
	}
}

/* Gives the round another nonce until it wins something that may be gambled; returns how much. */
static int64_t round_that_may_be_gambled(json_t *file)
{
	char nonce[33];

	for (uint32_t i = 0; i < 1000; i++) {
		json_t *report;
		int64_t most;

		(void)snprintf(nonce, sizeof(nonce), "%032" PRIx32, i);
		assert_int_equal(
			json_object_set_new(round_of(file), "client_nonce", json_string(nonce)), 0);
		gamble_set(file, INT64_MAX);
		report = judged(file);
		most = strtoll(member(check_of(report, "gambles"), "expected"), NULL, 10);
		assert_int_equal(json_object_set(round_of(file), "win_minor",
					 json_object_get(report, "win")),
			0);
		json_decref(report);
		if (most > 0)
			return most;
	}
	fail_msg("no round won");
	return 0;
}

/* Puts what the report expects in the place that it names. */
static void mend(json_t *file, const json_t *check)
{
	const char *name = strrchr(member(check, "where"), '/') + 1;
	const char *expected = member(check, "expected");
	json_t *step = json_array_get(json_object_get(round_of(file), "gambles"), 0);
	json_t *value = strcmp(expected, "true") == 0 ? json_true()
			: strcmp(expected, "false") == 0
				? json_false()
				: json_integer(strtoll(expected, NULL, 10));

	assert_int_equal(json_object_set_new(step, name, value), 0);
}

/* A gamble as it was drawn agrees, and the win is more or less by its stake. */
static void test_a_gamble_counts_in_the_win(void **state)
{
	json_t *file = saved();
	int64_t most = round_that_may_be_gambled(file);
	int64_t win = json_integer_value(json_object_get(round_of(file), "win_minor"));
	bool agrees = false;

	(void)state;
	gamble_set(file, most);
	for (int i = 0; i < 5 && !agrees; i++) {
		json_t *report = judged(file);

		agrees = strcmp(member(check_of(report, "gambles"), "state"), "agrees") == 0;
		if (!agrees)
			mend(file, check_of(report, "gambles"));
		json_decref(report);
	}
	assert_true(agrees);
	expect_state(file, "amounts", "differs");
	const json_t *step = json_array_get(json_object_get(round_of(file), "gambles"), 0);
	win += json_is_true(json_object_get(step, "won")) ? most : -most;
	assert_int_equal(json_object_set_new(round_of(file), "win_minor", json_integer(win)), 0);
	expect_state(file, "amounts", "agrees");
	json_decref(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases_that_were_never_played),
		cmocka_unit_test(test_nothing_is_the_same_as_nothing),
		cmocka_unit_test(test_stakes_that_no_round_allows),
		cmocka_unit_test(test_a_gamble_counts_in_the_win),
	};
	return cmocka_run_group_tests(tests, load, unload);
}
