/* A definition is taken whole or not at all. */
#include "services/progressive-pool/adapters/reconcile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define EUR 978
#define POOL 1

static struct game_links links;
static struct pool_instance instance;

static struct game_link_row row_of(int64_t coin, int64_t seed, int64_t share)
{
	return (struct game_link_row){ .currency = EUR,
		.exponent = 2,
		.coin_minor = coin,
		.seed_minor = seed,
		.row_rate_nano = POOL_NANO,
		.share_nano = share };
}

static void begin(void)
{
	struct game_link *link = &links.link[0];

	memset(&links, 0, sizeof(links));
	memset(&instance, 0, sizeof(instance));
	links.count = 1;
	strcpy(link->id, "a-game");
	link->jackpot.pool = POOL;
	link->jackpot.base_coin_minor = 1000;
	link->jackpot.row_count = 2;
	link->jackpot.row[0] = row_of(10, 1000, 300000000);
	link->jackpot.row[1] = row_of(20, 2000, 600000000);
	pool_begin(&instance.pool, POOL);
	reconcile_rows(&instance, &links);
	assert_false(instance.refused);
	assert_int_equal(instance.pool.row_count, 2);
}

static void test_reconcile_takes_a_definition_whole(void **state)
{
	struct game_link *link = &links.link[0];

	(void)state;
	begin();
	link->jackpot.row_count = 3;
	link->jackpot.row[0].seed_minor = 1100;
	link->jackpot.row[2] = row_of(30, 3000, 100000000);
	reconcile_rows(&instance, &links);
	assert_false(instance.refused);
	assert_int_equal(instance.pool.row_count, 3);
	assert_true(instance.pool.row[0].next_waits);
	assert_int_equal(instance.pool.row[0].next.seed_minor, 1100);
}

/* Alone each row has room; together, with the terms that wait, they have not. */
static void test_reconcile_keeps_the_old_rows_of_a_pool_that_is_full(void **state)
{
	struct game_link *link = &links.link[0];
	struct pool before;

	(void)state;
	begin();
	struct pool_terms waits = { 2000, POOL_NANO, 650000000 };
	assert_int_equal(pool_terms_change(&instance.pool, EUR, 20, &waits), POOL_OK);
	before = instance.pool;
	instance.rows_dirty = false;
	link->jackpot.row_count = 3;
	link->jackpot.row[0].seed_minor = 1100;
	link->jackpot.row[2] = row_of(30, 3000, 100000000); /* 0.3 + 0.65 + 0.1 */
	reconcile_rows(&instance, &links);
	assert_true(instance.refused);
	assert_false(instance.rows_dirty);
	assert_memory_equal(&instance.pool, &before, sizeof(before));
	assert_int_equal(instance.defined_count, 2);
	assert_int_equal(instance.defined[0].terms.seed_minor, 1000);

	/* When nothing waits any more it is taken, without a restart. */
	struct pool_terms now = { 2000, POOL_NANO, 600000000 };
	assert_int_equal(pool_terms_change(&instance.pool, EUR, 20, &now), POOL_OK);
	reconcile_rows(&instance, &links);
	assert_false(instance.refused);
	assert_int_equal(instance.pool.row_count, 3);
	assert_true(instance.rows_dirty);
}

static void test_reconcile_rejects_definitions_that_contradict_each_other(void **state)
{
	char wrong[RECONCILE_TEXT_MAX];
	(void)state;

	begin();
	links.count = 2;
	links.link[1] = links.link[0];
	strcpy(links.link[1].id, "b-game");
	assert_true(reconcile_check(&links, wrong));

	links.link[1].jackpot.row[1].seed_minor++;
	assert_false(reconcile_check(&links, wrong));
	assert_string_equal(wrong, "a-game: /jackpot: found rows of pool 1 that differ from those "
				   "in b-game, expected the same");

	/* A set has the number of the pool of an earlier, of a later, and of its own game. */
	for (size_t i = 0; i < 2; i++) {
		links.link[1].jackpot.pool = 2;
		links.link[1].cards.pool = i == 0 ? POOL : 2;
		links.link[0].cards.pool = 0;
		assert_false(reconcile_check(&links, wrong));
		assert_non_null(strstr(wrong, "the set of Jackpot Cards of b-game"));
		links.link[1].cards.pool = 3;
		assert_true(reconcile_check(&links, wrong));
		links.link[0].cards.pool = 2;
		assert_false(reconcile_check(&links, wrong));
		assert_non_null(strstr(wrong, "b-game: /jackpot/pool_number: found 2"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reconcile_takes_a_definition_whole),
		cmocka_unit_test(test_reconcile_keeps_the_old_rows_of_a_pool_that_is_full),
		cmocka_unit_test(test_reconcile_rejects_definitions_that_contradict_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
