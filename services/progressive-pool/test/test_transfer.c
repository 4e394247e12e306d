/* Transfers between pools in the core: the other pool gets exactly what leaves the first one, to
 * 10^-27. The identities of both pools, and of both with the money in transit, hold at every step.
 */
#include "services/progressive-pool/adapters/successor.h"
#include "services/progressive-pool/core/pool.h"
#include "services/progressive-pool/test/decimal.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define EUR 978

static void launch(struct pool *pool, int64_t coin_minor, int64_t seed_minor)
{
	struct pool_terms terms = { .seed_minor = seed_minor, .row_rate_nano = POOL_NANO };
	assert_true(pool_row_share(coin_minor, 2, POOL_NANO, 1000, &terms.share_nano));
	assert_int_equal(pool_launch(pool, EUR, 2, coin_minor, &terms), POOL_OK);
}

/* A pool with two rows and a T of so many euros. */
static struct pool fresh(uint32_t number, const char *t)
{
	struct pool pool;
	pool_begin(&pool, number);
	launch(&pool, 20, 40000);
	launch(&pool, 100, 200000);
	assert_int_equal(pool_contribute_to(&pool, decimal(t, 18)), POOL_OK);
	return pool;
}

static void assert_holds(const struct pool *pool)
{
	const char *where;
	assert_true(pool_identities_hold(pool, &where));
}

static void pause(struct pool *pool)
{
	assert_int_equal(pool_pause(pool), POOL_OK);
	assert_true(pool_claims_closed(pool));
}

static void test_retired_pool_is_empty(void **state)
{
	(void)state;
	struct pool from = fresh(1, "500.000000000000000001"), to = fresh(2, "10");
	struct amount row, reserve;
	bool to_row;
	pause(&from);
	assert_int_equal(pool_retire(&from), POOL_WRONG_STATE); /* not while it holds money */
	assert_int_equal(pool_row_send(&from, EUR, 20, &row), POOL_OK);
	/* 400 + 500.000000000000000001 x 0.02 */
	assert_true(row.e27 == decimal("410.00000000000000000002", 27));
	assert_holds(&from);
	assert_int_equal(pool_receive(&to, EUR, 100, row, &to_row), POOL_OK);
	assert_true(to_row);
	int64_t value;
	assert_int_equal(pool_value(&to, pool_row_find(&to, EUR, 100), &value), POOL_OK);
	assert_int_equal(value, 200000 + 100 + 41000);
	assert_int_equal(pool_row_send(&from, EUR, 100, &row), POOL_OK);
	assert_int_equal(pool_reserve_send(&from, &reserve), POOL_OK);
	assert_true(reserve.e27 == decimal("440.00000000000000000088", 27));
	assert_int_equal(pool_retire(&from), POOL_OK);
	assert_holds(&from);
	assert_true(from.books.sent.e27 == decimal("2900.000000000000000001", 27));
	/* Contributions in flight follow. */
	assert_int_equal(pool_contribute_to(&from, decimal("501", 18)), POOL_OK);
	assert_int_equal(pool_reserve_send(&from, &reserve), POOL_OK);
	assert_true(reserve.e27 == decimal("0.999999999999999999", 27));
	assert_holds(&from);
	assert_holds(&to);
	/* The row no longer exists: the reserve receives the money. */
	assert_int_equal(pool_receive(&to, EUR, 7, reserve, &to_row), POOL_OK);
	assert_false(to_row);
	assert_int_equal(pool_receive(&to, 0, 0, row, &to_row), POOL_OK);
	assert_false(to_row);
	assert_holds(&to);
}

enum op { ROW_SEND, RESERVE_SEND, RETIRE, RECEIVE };

static void test_pool_transfers_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *label;
		enum op op;
		enum pool_state state;
		int64_t coin;
		const char *amount;
		enum pool_status expected;
	} rows[] = {
		{ "row of a live pool", ROW_SEND, POOL_LIVE, 20, NULL, POOL_WRONG_STATE },
		{ "row of a pausing pool", ROW_SEND, POOL_PAUSING, 20, NULL, POOL_WRONG_STATE },
		{ "no such row", ROW_SEND, POOL_PAUSED, 7, NULL, POOL_NO_ROW },
		{ "reserve of a live pool", RESERVE_SEND, POOL_LIVE, 0, NULL, POOL_WRONG_STATE },
		{ "retire a live pool", RETIRE, POOL_LIVE, 0, NULL, POOL_WRONG_STATE },
		{ "retire with rows", RETIRE, POOL_PAUSED, 0, NULL, POOL_WRONG_STATE },
		{ "a negative amount", RECEIVE, POOL_LIVE, 20, "-1", POOL_OVERFLOW },
		{ "an amount that overflows", RECEIVE, POOL_LIVE, 0, "170141183460",
			POOL_OVERFLOW },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pool pool = fresh(1, "500"), before;
		struct amount amount = { rows[i].amount ? decimal(rows[i].amount, 27) : 0 };
		enum pool_status status = POOL_OK;
		bool to_row;
		pool.state = rows[i].state;
		before = pool;
		if (rows[i].op == ROW_SEND)
			status = pool_row_send(&pool, EUR, rows[i].coin, &amount);
		else if (rows[i].op == RESERVE_SEND)
			status = pool_reserve_send(&pool, &amount);
		else if (rows[i].op == RETIRE)
			status = pool_retire(&pool);
		else
			status = pool_receive(&pool, EUR, rows[i].coin, amount, &to_row);
		if (status != rows[i].expected)
			fail_msg("%s: found \"%s\", expected \"%s\"", rows[i].label,
				pool_status_text(status), pool_status_text(rows[i].expected));
		assert_memory_equal(&pool, &before, sizeof(pool));
	}
}

#define POOLS 4

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Random play and retirements over a lossy link: each amount arrives once, in any order. */
static void test_pool_transfers_conserve(void **state)
{
	(void)state;
	uint64_t seed = (uint64_t)time(NULL);
	print_message("seed %llu\n", (unsigned long long)seed);
	for (int game = 0; game < 200; game++) {
		static struct pool pool[POOLS];
		struct amount way[4 * POOLS];
		uint32_t to[4 * POOLS];
		size_t on_way = 0;
		for (uint32_t i = 0; i < POOLS; i++)
			pool[i] = fresh(i + 1, "0.000000000000000007");
		for (int step = 0; step < 200; step++) {
			struct pool *p = &pool[next(&seed) % POOLS];
			uint32_t other = (uint32_t)(next(&seed) % POOLS);
			bool to_row;
			switch (next(&seed) % 4) {
			case 0:
				assert_int_equal(pool_contribute_to(p,
							 p->t_e18 + (int128)next(&seed) * 1000003),
					POOL_OK);
				break;
			case 1:
				if (p->state == POOL_LIVE && p != &pool[0] && on_way < 2 * POOLS &&
					next(&seed) % 4 == 0) {
					pause(p);
					while (p->row_count > 0) {
						assert_int_equal(
							pool_row_send(p, EUR, p->row[0].coin_minor,
								&way[on_way]),
							POOL_OK);
						to[on_way++] = other;
					}
					assert_int_equal(
						pool_reserve_send(p, &way[on_way]), POOL_OK);
					to[on_way++] = other;
					assert_int_equal(pool_retire(p), POOL_OK);
				}
				break;
			case 2:
				if (p->state == POOL_RETIRED && on_way < 3 * POOLS) {
					assert_int_equal(
						pool_reserve_send(p, &way[on_way]), POOL_OK);
					to[on_way++] = 0;
				}
				break;
			default:
				if (on_way > 0) {
					size_t one = next(&seed) % on_way;
					assert_int_equal(pool_receive(&pool[to[one]], EUR, 20,
								 way[one], &to_row),
						POOL_OK);
					on_way--;
					way[one] = way[on_way];
					to[one] = to[on_way];
				}
				break;
			}
			int128 sent = 0;
			for (uint32_t i = 0; i < POOLS; i++) {
				assert_holds(&pool[i]);
				sent += pool[i].books.sent.e27 - pool[i].books.received.e27;
			}
			for (size_t i = 0; i < on_way; i++)
				sent -= way[i].e27;
			assert_true(sent == 0);
		}
	}
}

/* Rest of each pool; 0: not retired. */
static bool rest_in_table(void *context, uint32_t pool, struct transfer_place *rest_r)
{
	const uint32_t *rests = context;
	*rest_r = (struct transfer_place){ rests[pool], EUR, 20 };
	return rests[pool] != 0;
}

static void test_successor_is_last_or_lowest(void **state)
{
	static const struct {
		uint32_t rests[8]; /* of pools 1, 2, .. from index 1 on */
		uint32_t pool;
		uint32_t to; /* 0: the money stays */
		bool row;    /* to the row that its predecessor named; else into the reserve */
	} rows[] = {
		{ { 0, 2 }, 1, 2, true },
		{ { 0, 2, 3, 4 }, 1, 4, true }, /* to the end of the chain */
		{ { 0, 2, 1 }, 1, 0, false },	/* each is the other's rest */
		{ { 0, 2, 1 }, 2, 1, false },
		{ { 0, 2, 3, 1 }, 1, 0, false }, /* three in a circle */
		{ { 0, 2, 3, 1 }, 2, 1, false },
		{ { 0, 2, 3, 1 }, 3, 1, false },
		{ { 0, 3, 0, 4, 5, 3 }, 1, 3, false }, /* into a circle that does not include it */
		{ { 0, 1 }, 1, 0, false },
		{ { 0, 0, 0, 6, 0, 0, 7, 6 }, 3, 6, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t rests[8];
		struct transfer_place to, rest = { rows[i].rests[rows[i].pool], EUR, 20 };
		memcpy(rests, rows[i].rests, sizeof(rests));
		bool goes = successor_find(rows[i].pool, &rest, rest_in_table, rests, &to);
		assert_int_equal(goes, rows[i].to != 0);
		if (goes)
			assert_int_equal(to.pool, rows[i].to);
		assert_int_equal(to.coin_minor, rows[i].row ? 20 : 0);
	}
}

static void test_successor_cycle_is_found(void **state)
{
	uint32_t rests[POOLS_MAX + 1] = { 0 };
	(void)state;
	for (uint32_t pool = 1; pool <= POOLS_MAX; pool++)
		rests[pool] = pool % POOLS_MAX + 1;
	for (uint32_t pool = 1; pool <= POOLS_MAX; pool++) {
		struct transfer_place to, rest = { rests[pool], EUR, 20 };
		assert_int_equal(successor_find(pool, &rest, rest_in_table, rests, &to), pool != 1);
		assert_int_equal(to.pool, 1);
		assert_int_equal(to.coin_minor, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_retired_pool_is_empty),
		cmocka_unit_test(test_pool_transfers_are_refused),
		cmocka_unit_test(test_pool_transfers_conserve),
		cmocka_unit_test(test_successor_is_last_or_lowest),
		cmocka_unit_test(test_successor_cycle_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
