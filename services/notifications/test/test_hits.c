/* Winners of a pool without gaps: hits missing from the facts are read from Postgres, which here is
 * a fake that answers when the test lets it. Each story lists what is offered and answered, and
 * what is told, in order. */
#include "services/notifications/adapters/hits.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COLUMNS 8
#define SECOND UINT64_C(1000000)

/* The one query that may be open for each pool. */
static struct {
	pg_done *done;
	void *context;
	uint64_t pool, after, up_to;
	bool waiting;
} question[2];
static int questions_n;
static uint64_t stored; /* hits 1..stored are in Postgres */
static char told[1024];

/* The look: what it says is told, as an array. */
static struct {
	pg_done *done;
	void *context;
	char lasts[64];
	bool waiting;
} look;

static void look_asked(const char *const *parameters, pg_done *done, void *context)
{
	assert_false(look.waiting);
	look.done = done;
	look.context = context;
	(void)snprintf(look.lasts, sizeof(look.lasts), "%s %s", parameters[0], parameters[1]);
	look.waiting = true;
}

/* Replaces the connection pool. */
void pg_pool_query(struct pg_pool *pool, const char *sql, int n, const char *const *parameters,
	int timeout_ms, pg_done *done, void *context)
{
	size_t i = (size_t)atoi(parameters[0]) - 1;

	assert_null(pool);
	if (parameters[0][0] == '{') {
		look_asked(parameters, done, context);
		return;
	}
	assert_non_null(strstr(sql, "order by hit limit 200"));
	assert_int_equal(n, 3);
	assert_true(timeout_ms > 0);
	assert_false(question[i].waiting);
	question[i].done = done;
	question[i].context = context;
	question[i].pool = i + 1;
	question[i].after = strtoull(parameters[1], NULL, 10);
	question[i].up_to = strtoull(parameters[2], NULL, 10);
	question[i].waiting = true;
	questions_n++;
}

static PGresult *rows_of(uint64_t after, uint64_t up_to)
{
	static PGresAttDesc columns[COLUMNS];
	static char names[COLUMNS][2];
	PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
	char text[24];
	int row = 0;

	for (int i = 0; i < COLUMNS; i++) {
		names[i][0] = (char)('a' + i);
		columns[i].name = names[i];
	}
	assert_true(PQsetResultAttrs(result, COLUMNS, columns));
	for (uint64_t hit = after + 1; hit <= up_to && hit <= stored && row < 200; hit++, row++)
		for (int i = 0; i < COLUMNS; i++) {
			int length = snprintf(text, sizeof(text), "%" PRIu64,
				i == 0	 ? hit
				: i == 7 ? UINT64_C(1)
					 : 7);
			assert_true(PQsetvalue(result, row, i, text, length));
		}
	return result;
}

static void answer(size_t pool, bool fails)
{
	PGresult *result;

	assert_true(question[pool - 1].waiting);
	question[pool - 1].waiting = false;
	if (fails) {
		question[pool - 1].done(question[pool - 1].context, NULL, "the server is away");
		return;
	}
	result = rows_of(question[pool - 1].after, question[pool - 1].up_to);
	question[pool - 1].done(question[pool - 1].context, result, NULL);
	PQclear(result);
}

static void tell(void *context, const struct winner *winner)
{
	size_t n = strlen(told);

	(void)context;
	(void)snprintf(told + n, sizeof(told) - n, "%s%" PRIu32 ":%" PRIu64, n == 0 ? "" : " ",
		winner->pool, winner->hit);
}

/* The answer to a look has the hits of pool 1 after the last one that it named. */
static void answer_look(bool fails)
{
	const char *brace = strchr(strchr(look.lasts, ' '), '{');
	PGresult *result = rows_of(strtoull(brace + 1, NULL, 10), stored);

	assert_true(look.waiting);
	look.waiting = false;
	look.done(look.context, fails ? NULL : result, fails ? "the server is away" : NULL);
	PQclear(result);
}

/* "look" and "looked": Postgres is asked for what no fact has brought, and answers; "blind": it
 * does not. "1:5" is a fact, "in5": Postgres has hits up to 5, "ok1" and "bad1": the answer for
 * pool 1, "5s": a tick so many seconds later, "?": a query for pool 1 is open, "!": none is. */
static const struct {
	const char *what, *steps, *told;
} stories[] = {
	{ "in order", "1:1 1:2 1:3 !", "1:1 1:2 1:3" },
	{ "any first number", "1:7 1:8 !", "1:7 1:8" },
	{ "missing hits come first", "1:1 in5 1:4 ? ok1 ! 1:5", "1:1 1:2 1:3 1:4 1:5" },
	{ "repeated hits are told again", "1:1 1:2 1:1 1:2 !", "1:1 1:2 1:1 1:2" },
	{ "a later hit during the query", "1:1 in6 1:3 1:6 ok1 ? ok1 !",
		"1:1 1:2 1:3 1:4 1:5 1:6" },
	{ "the next hit during the query", "1:1 in4 1:3 1:2 1:4 ok1 ? ok1 !", "1:1 1:2 1:3 1:4" },
	{ "an old hit during the query", "1:5 in9 1:9 1:4 ok1 !", "1:5 1:6 1:7 1:8 1:9" },
	{ "pools are independent", "1:1 2:1 in3 1:3 2:2 ok1", "1:1 2:1 2:2 1:2 1:3" },
	{ "Postgres was away", "1:1 in3 1:3 bad1 ! 1s ? ok1 !", "1:1 1:2 1:3" },
	{ "one hit not there yet", "1:1 in2 1:3 ok1 ? in3 ok1 !", "1:1 1:2 1:3" },
	{ "nothing there yet", "1:1 in1 1:3 ok1 ! 1s ? in3 ok1 !", "1:1 1:2 1:3" },
	{ "not a hit", "1:1 in1 1:9 ok1 9s ? ok1 11s ! 1s ! 1:2 1:3", "1:1 1:2 1:3" },
	{ "number out of range", "1:1 1:18446744073709551615 !", "1:1" },
	{ "unknown pool", "0:5 0:9 !", "0:5 0:9" },
	{ "no facts at all", "in2 look looked in3 look looked look looked !", "1:1 1:2 1:3" },
	{ "a fact after its look", "in2 look looked 1:1 1:2 1:3", "1:1 1:2 1:1 1:2 1:3" },
	{ "a fact during the look", "1:1 in3 look 1:2 looked 1:4", "1:1 1:2 1:3 1:4" },
	{ "a look during a gap", "1:1 in5 1:4 look looked ok1 look looked", "1:1 1:2 1:3 1:4 1:5" },
	{ "a look that fails", "in2 look blind look looked", "1:1 1:2" },
	{ "one look at a time", "in2 look look looked", "1:1 1:2" },
};

static void run(const char *what, const char *steps, const char *expected)
{
	struct hits *hits = hits_new(NULL, tell, NULL);
	uint64_t now_us = 100 * SECOND, number;
	uint32_t pool;
	char text[256], *rest = text;

	memset(question, 0, sizeof(question));
	memset(&look, 0, sizeof(look));
	told[0] = '\0';
	stored = 0;
	(void)snprintf(text, sizeof(text), "%s", steps);
	for (char *word; (word = strsep(&rest, " ")) != NULL;) {
		if (sscanf(word, "%" SCNu32 ":%" SCNu64, &pool, &number) == 2) {
			struct winner winner = { .pool = pool, .hit = number };
			hits_offer(hits, &winner, now_us);
		} else if (sscanf(word, "in%" SCNu64, &number) == 1) {
			stored = number;
		} else if (sscanf(word, "ok%" SCNu64, &number) == 1) {
			answer(number, false);
		} else if (sscanf(word, "bad%" SCNu64, &number) == 1) {
			answer(number, true);
		} else if (strcmp(word, "look") == 0) {
			hits_look(hits, 200);
		} else if (strcmp(word, "looked") == 0 || strcmp(word, "blind") == 0) {
			bool known = hits_known(hits);
			answer_look(word[0] == 'b');
			assert_int_equal(hits_known(hits), known || word[0] == 'l');
		} else if (sscanf(word, "%" SCNu64 "s", &number) == 1) {
			now_us += number * SECOND;
			hits_tick(hits, now_us);
		} else if (question[0].waiting != (word[0] == '?')) {
			fail_msg("%s: before '%s': found %s, expected the other", what,
				rest == NULL ? "the end" : rest,
				question[0].waiting ? "a question" : "no question");
		}
	}
	if (strcmp(told, expected) != 0)
		fail_msg("%s: found '%s', expected '%s'", what, told, expected);
	hits_free(&hits);
	assert_null(hits);
}

static void test_hits_stories(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
		run(stories[i].what, stories[i].steps, stories[i].told);
}

/* More hits than one answer holds: repeats the query until all are there, in order. */
static void test_hits_many(void **state)
{
	struct hits *hits = hits_new(NULL, tell, NULL);
	struct winner first = { .pool = 1, .hit = 1 }, last = { .pool = 1, .hit = 450 };

	(void)state;
	memset(question, 0, sizeof(question));
	questions_n = 0;
	stored = 450;
	hits_offer(hits, &first, SECOND);
	hits_offer(hits, &last, SECOND);
	while (question[0].waiting) {
		told[0] = '\0';
		answer(1, false);
	}
	assert_int_equal(questions_n, 3);
	assert_non_null(strstr(told, " 1:449 1:450"));
	hits_free(&hits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hits_stories),
		cmocka_unit_test(test_hits_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
