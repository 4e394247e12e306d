/* The state machine of a payment as short stories: events, the next due act, alarms. With events in
 * any order: one outcome, one settlement, never a guess. */
#include "services/payments/core/payout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S UINT64_C(1000000)

static const struct payout_times times = { 1 * S, 8 * S, 30 * S, 60 * S, 2 * S };

static const char *const acts[] = { "nothing", "ask", "look", "settle" };
static const char *const alarms[] = { "", "contradicted", "by_hand", "other" };

/* Steps: a number of seconds that pass, or an event; then "=act" is the due act, "!alarm" the
 * event's alarm. */
static const struct {
	const char *what, *steps;
} stories[] = {
	{ "requested at once", "=ask" },
	{ "paid",
		"=ask paid =settle told =nothing captured =nothing 59 =nothing 1 =look paid =nothing "
		"999 =nothing" },
	{ "refused",
		"=ask refused =settle told =nothing released =nothing 60 =look refused =nothing" },
	{ "tell the wallet until it has booked", "paid =settle told 1 =nothing 1 =settle told 2 "
						 "=settle captured =nothing" },
	{ "a silent provider is asked for ever, but less often",
		"none =nothing 1 =ask none 1 =nothing 1 =ask none 3 =nothing 1 =ask none 7 =nothing 1 "
		"=ask none 8 =ask none 8 =ask none 8 =ask paid =settle" },
	{ "unknown is not a refusal",
		"unknown =nothing 1 =ask unknown 2 =ask unknown 4 =ask unknown 8 =ask "
		"unknown 8 =ask paid =settle" },
	{ "pending waits for a call", "pending =nothing 29 =nothing 1 =ask pending =nothing hint "
				      "=nothing 1 =ask refused =settle" },
	{ "a call is only a hint", "hint =ask none hint =nothing 1 =ask" },
	{ "calls do not raise the rate of requests", "none hint hint hint =nothing 1 =ask" },
	{ "an answer with another amount is no outcome",
		"other !other =nothing 1 =ask paid =settle" },
	{ "contradiction before the booking",
		"paid refused !contradicted =settle told captured =nothing" },
	{ "contradiction after the booking",
		"paid told captured hint 1 =look refused !contradicted "
		"=nothing hint 1 =look paid =nothing" },
	{ "paid after refused", "refused told released 60 =look paid !contradicted =nothing" },
	{ "forgotten", "paid told captured 60 =look unknown !contradicted =nothing" },
	{ "provider forgets a refused payment",
		"refused told released 60 =look unknown =nothing 1 =look refused "
		"=nothing" },
	{ "pending again",
		"refused told released 60 =look pending !contradicted =nothing 30 =look paid "
		"!contradicted =nothing" },
	{ "give up a silent provider after the settlement",
		"paid told captured 60 =look none 1 =look none 2 =look none 4 =look none 8 =look none 8 "
		"=look none 8 =look none 8 =look none 8 =look none 8 =look none =nothing 99 =nothing" },
	{ "released by hand, unknown to the provider",
		"noted none none released =look unknown 1 =look unknown 2 =look unknown 4 =look unknown "
		"=nothing 99 =nothing" },
	{ "released by hand, and refused", "noted none none released =look refused =nothing" },
	{ "released by hand, and paid", "noted none none released =look paid !by_hand =nothing" },
	{ "captured by hand, and paid",
		"noted none captured =look none =nothing 1 =look paid =nothing" },
	{ "captured by hand, and refused", "noted none captured refused !by_hand =nothing" },
	{ "captured by hand, and unknown",
		"noted captured unknown 1 unknown 2 unknown 4 =look unknown !by_hand =nothing" },
	{ "released by hand during a request",
		"noted released =look paid !by_hand =nothing 99 =nothing" },
	{ "released by hand before any request",
		"released =nothing 999 =nothing hint 1 =look paid !by_hand =nothing" },
	{ "captured by hand before any request", "captured =nothing 999 =nothing" },
	{ "released by hand, and pending for ever",
		"noted none released =look pending 29 =nothing 1 =look pending 59 =nothing 1 =look "
		"pending 120 =look pending 240 =look pending 480 =look pending 960 =look pending 1920 "
		"=look pending 3840 =look pending 7680 =look pending 15360 =look pending 30720 =look "
		"pending 61440 =look pending 86399 =nothing 1 =look pending 86400 =look pending 86400 "
		"=look pending !by_hand =nothing 999999 =nothing hint 1 =look paid !by_hand =nothing" },
	{ "released by hand, silent provider: ask for ever, at last once a day",
		"noted none none released =look none 1 =look none 2 =look none 4 =look none 8 =look "
		"none 15 =nothing 1 =look none 32 =look none 64 =look none 128 =look none 256 =look "
		"none 512 =look none 1024 =look none 2048 =look none 4096 =look none 8192 =look none "
		"16384 =look none 32768 =look none 65536 =look none 86399 =nothing 1 =look none 86400 "
		"=look paid !by_hand =nothing" },
	{ "pending for ever after refused",
		"refused told released 60 =look pending !contradicted 30 =look pending !contradicted "
		"hint 1 =look refused =nothing" },
	{ "by hand while an answer is on its way", "paid released !by_hand =nothing 60 =look paid "
						   "=nothing" },
	{ "a second settlement is ignored", "paid captured released =nothing 60 =look" },
};

static enum payout_alarm event(struct payout *payout, const char *word, uint64_t now_us)
{
	static const struct {
		const char *word;
		enum payout_answer answer;
	} answers[] = { { "none", PAYOUT_NO_ANSWER }, { "pending", PAYOUT_SAID_PENDING },
		{ "paid", PAYOUT_SAID_PAID }, { "refused", PAYOUT_SAID_REFUSED },
		{ "unknown", PAYOUT_SAID_UNKNOWN }, { "other", PAYOUT_SAID_OTHER } };

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (strcmp(word, answers[i].word) == 0)
			return payout_answered(payout, answers[i].answer, &times, now_us);
	if (strcmp(word, "captured") == 0)
		return payout_settled_by(payout, PAYOUT_CAPTURED, &times, now_us);
	if (strcmp(word, "released") == 0)
		return payout_settled_by(payout, PAYOUT_RELEASED, &times, now_us);
	if (strcmp(word, "noted") == 0)
		payout_noted(payout);
	else if (strcmp(word, "told") == 0)
		payout_told(payout, &times, now_us);
	else if (strcmp(word, "hint") == 0)
		payout_hint(payout, &times, now_us);
	else
		fail_msg("no event '%s'", word);
	return PAYOUT_FINE;
}

static void tell(const char *what, const char *steps)
{
	struct payout payout = { .amount = 5 };
	enum payout_alarm alarm = PAYOUT_FINE;
	uint64_t now_us = 100 * S;
	char text[1024];
	char *rest = text;

	(void)snprintf(text, sizeof(text), "%s", steps);
	for (char *word; (word = strsep(&rest, " ")) != NULL;) {
		if (word[0] == '=') {
			const char *due = acts[payout_due(&payout, now_us)];
			if (strcmp(due, word + 1) != 0)
				fail_msg("%s: found %s, expected %s before '%s'", what, due,
					word + 1, rest == NULL ? "" : rest);
		} else if (word[0] == '!') {
			assert_string_equal(alarms[alarm], word + 1);
			alarm = PAYOUT_FINE;
		} else {
			if (alarm != PAYOUT_FINE)
				fail_msg("%s: alarm %s before '%s'", what, alarms[alarm], word);
			if (word[0] >= '0' && word[0] <= '9')
				now_us += (uint64_t)atoi(word) * S;
			else
				alarm = event(&payout, word, now_us);
		}
	}
	if (alarm != PAYOUT_FINE)
		fail_msg("%s: alarm %s at the end", what, alarms[alarm]);
}

static void test_payout_stories(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
		tell(stories[i].what, stories[i].steps);
}

static void test_payout_alarm_says_what_was_expected(void **state)
{
	static const struct {
		const char *before, *answer, *expected;
	} rows[] = {
		{ "noted released", "paid",
			"refused, because the withdrawal was released by hand" },
		{ "noted captured", "refused",
			"paid, because the withdrawal was captured by hand" },
		{ "noted captured unknown unknown unknown", "unknown",
			"paid, because the withdrawal was captured by hand" },
		{ "noted released pending pending pending pending pending pending pending pending "
		  "pending pending pending pending pending pending pending",
			"pending", "refused, because the withdrawal was released by hand" },
		{ "paid", "refused", "paid" },
		{ "refused told released", "pending", "refused" },
		{ "noted", "other", "the id, amount and currency of this payment" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct payout payout = { .amount = 5 };
		char text[256], *rest = text;

		(void)snprintf(text, sizeof(text), "%s", rows[i].before);
		for (char *word; (word = strsep(&rest, " ")) != NULL;)
			assert_int_equal(event(&payout, word, S), PAYOUT_FINE);
		enum payout_alarm alarm = event(&payout, rows[i].answer, S);
		assert_int_not_equal(alarm, PAYOUT_FINE);
		assert_string_equal(payout_expected(&payout, alarm), rows[i].expected);
	}
}

/* For any events in any order: the first outcome stands, the wallet gets only that outcome, and no
 * payment is requested after the settlement. */
static void test_payout_any_order(void **state)
{
	static const char *const words[] = { "none", "pending", "paid", "refused", "unknown",
		"other", "hint", "captured", "released" };
	unsigned seed = 20260317;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct payout payout = { .amount = 5 };
		uint64_t now_us = S;
		enum payout_outcome first = PAYOUT_NONE;
		for (int i = 0; i < 12; i++) {
			unsigned at = (unsigned)rand_r(&seed) % 9;
			if (at >= 7 && payout.settled == PAYOUT_OPEN &&
				(unsigned)rand_r(&seed) % 3 > 0)
				continue;
			(void)event(&payout, words[at], now_us);
			if (first == PAYOUT_NONE && (at == 2 || at == 3))
				first = at == 2 ? PAYOUT_PAID : PAYOUT_REFUSED;
			assert_int_equal(payout.outcome, first);
			now_us += (uint64_t)((unsigned)rand_r(&seed) % 40) * S;
			enum payout_act due = payout_due(&payout, now_us);
			if (due == PAYOUT_SETTLE)
				assert_true(first != PAYOUT_NONE && payout.settled == PAYOUT_OPEN);
			if (due == PAYOUT_REQUEST)
				assert_true(first == PAYOUT_NONE && payout.settled == PAYOUT_OPEN);
			if (due == PAYOUT_REQUEST)
				payout_noted(&payout);
			if (payout.settled == PAYOUT_OPEN)
				assert_true(payout.state != PAYOUT_DONE || first != PAYOUT_NONE);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_payout_stories),
		cmocka_unit_test(test_payout_alarm_says_what_was_expected),
		cmocka_unit_test(test_payout_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
