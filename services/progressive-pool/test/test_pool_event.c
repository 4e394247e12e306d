/* Events of a pool under random play with a printed seed: whatever happens between two comparisons,
 * the derived events lead from one state to the next, and all events lead from an empty pool to the
 * last state. */
#include "services/progressive-pool/core/pool_event.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define EUR 978
#define STEPS 4000
#define COINS 12

static uint64_t random_state;
static uint64_t moves;
static struct pool_event events[POOL_EVENTS_MAX];

static uint64_t below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static const struct pool_hit *find_none(void *context, const struct claim_id *id)
{
	(void)context;
	(void)id;
	return NULL;
}

static struct pool_terms some_terms(void)
{
	return (struct pool_terms){ 100 + (int64_t)below(100000), POOL_NANO,
		(int64_t)below(POOL_NANO / COINS) };
}

/* Any action, even a refused one. */
static bool do_something(struct pool *pool)
{
	int64_t coin = 1 + (int64_t)below(COINS);
	struct pool_terms terms = some_terms();
	struct amount amount = { (int128)below(1000000) * 1000000000000000000 };
	bool to_row;

	switch (below(9)) {
	case 0:
		return pool_launch(pool, EUR, 2, coin, &terms) == POOL_OK;
	case 1:
		return pool_terms_change(pool, EUR, coin, &terms) == POOL_OK;
	case 2:
		amount.e27 -= (int128)500000 * 1000000000000000000;
		return pool_adjust(pool, EUR, coin, amount) == POOL_OK;
	case 3:
		return pool_row_remove(pool, EUR, coin) == POOL_OK;
	case 4:
		return pool_pause(pool) == POOL_OK;
	case 5:
		return pool_claims_closed(pool);
	case 6:
		return pool_resume(pool) == POOL_OK;
	case 7:
		return pool_row_send(pool, EUR, coin, &amount) == POOL_OK;
	default:
		return pool_receive(pool, below(3) == 0 ? 0 : EUR, coin, amount, &to_row) ==
		       POOL_OK;
	}
}

static void same(const struct pool *a, const struct pool *b)
{
	char where[POOL_WHERE_MAX];
	bool good = pool_same(a, b, where);
	assert_string_equal(where, "");
	assert_true(good && pool_same(b, a, where));
}

static void follow(struct pool *log, const struct pool *pool)
{
	struct pool_hit hit;
	size_t n = pool_event_between(log, pool, events);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(pool_event_apply(log, &events[i], &hit), POOL_OK);
	same(log, pool);
}

static void play_hit(struct pool *pool, struct pool *log)
{
	struct pool_event event = { .kind = POOL_EVENT_HIT, .t_e18 = pool->t_e18 };
	struct pool_hit one, other;
	event.claim = (struct pool_claim){ { 1, ++moves, 1 }, EUR, 1 + (int64_t)below(COINS) };
	if (pool_hit(pool, &event.claim, find_none, NULL, &one) != POOL_OK)
		return;
	assert_int_equal(pool_event_apply(log, &event, &other), POOL_OK);
	assert_true(one.price.value.e27 == other.price.value.e27 &&
		    one.price.carry.e27 == other.price.carry.e27);
	assert_int_equal(one.price.paid_minor, other.price.paid_minor);
	assert_int_equal(one.number, other.number);
	same(log, pool);
}

static void test_event_log_leads_from_state_to_state(void **state)
{
	static struct pool pool, log;
	const char *given = getenv("CARILLON_TEST_SEED");
	random_state = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) | 1;
	(void)state;
	print_message("CARILLON_TEST_SEED=%llu\n", (unsigned long long)random_state);
	pool_begin(&pool, 1);
	log = pool;
	for (int step = 0; step < STEPS; step++) {
		follow(&log, &pool); /* as the service does before it changes anything */
		if (below(3) == 0)
			play_hit(&pool, &log);
		else
			(void)do_something(&pool);
		/* Contributions follow the change. */
		assert_int_equal(
			pool_contribute_to(&pool, pool.t_e18 + (int128)below(1000000000000000)),
			POOL_OK);
	}
	follow(&log, &pool);
	assert_true(pool.hits > 0);
}

static void test_event_retirement_sends_rows_then_reserve(void **state)
{
	static const enum pool_event_kind wanted[] = { POOL_EVENT_SEND, POOL_EVENT_SEND,
		POOL_EVENT_SEND_RESERVE, POOL_EVENT_STATE, POOL_EVENT_TOTALS };
	static struct pool pool, log;
	struct pool_terms terms = { 5000, POOL_NANO, 2000000 };
	struct amount sent;
	struct pool_hit hit;
	(void)state;
	pool_begin(&pool, 1);
	for (int64_t coin = 1; coin <= 2; coin++)
		assert_int_equal(pool_launch(&pool, EUR, 2, coin, &terms), POOL_OK);
	assert_int_equal(pool_contribute_to(&pool, 1000000), POOL_OK);
	assert_int_equal(pool_pause(&pool), POOL_OK);
	assert_true(pool_claims_closed(&pool));
	log = pool;
	for (int64_t coin = 1; coin <= 2; coin++)
		assert_int_equal(pool_row_send(&pool, EUR, coin, &sent), POOL_OK);
	assert_int_equal(pool_reserve_send(&pool, &sent), POOL_OK);
	assert_int_equal(pool_retire(&pool), POOL_OK);
	assert_int_equal(pool_contribute_to(&pool, 2000000), POOL_OK);
	assert_int_equal(pool_event_between(&log, &pool, events), 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(events[i].kind, wanted[i]);
		assert_int_equal(pool_event_apply(&log, &events[i], &hit), POOL_OK);
	}
	same(&log, &pool);
}

static void test_event_unexplained_change_is_found(void **state)
{
	static struct pool pool, log;
	struct pool_terms terms = { 5000, POOL_NANO, 2000000 };
	char where[POOL_WHERE_MAX];
	enum pool_event_kind kind;
	(void)state;
	pool_begin(&pool, 1);
	assert_int_equal(pool_launch(&pool, EUR, 2, 20, &terms), POOL_OK);
	log = pool;
	pool.books.jp_reserve.e27++;
	assert_int_equal(pool_event_between(&log, &pool, events), 0);
	assert_false(pool_same(&log, &pool, where));
	assert_string_equal(where, "jp_reserve");
	pool = log;
	pool.row[0].w_e18++;
	assert_false(pool_same(&log, &pool, where));
	assert_string_equal(where, "row 978:20 W");
	for (int i = 0; i < POOL_EVENT_KINDS; i++) {
		assert_true(pool_event_parse(pool_event_text((enum pool_event_kind)i), &kind));
		assert_int_equal(kind, i);
	}
	assert_false(pool_event_parse("begin", &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_log_leads_from_state_to_state),
		cmocka_unit_test(test_event_retirement_sends_rows_then_reserve),
		cmocka_unit_test(test_event_unexplained_change_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
