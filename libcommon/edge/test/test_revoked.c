/* Ended sessions, one by one and all of a player, while the table grows and forgets. */
#include "libcommon/edge/revoked.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>

#define NOW 1000000
#define MANY 1000

static void name_of(uint32_t i, char out[33])
{
	(void)snprintf(out, 33, "%08" PRIx32 "%024d", i * UINT32_C(2654435761), 7);
}

static void test_sessions_one_by_one(void **state)
{
	struct revoked *revoked = revoked_new(NULL, NULL);
	char name[33];

	(void)state;
	name_of(1, name);
	assert_false(revoked_has(revoked, name));
	revoked_add(revoked, name, NOW, NOW); /* it has expired already */
	assert_false(revoked_has(revoked, name));
	for (uint32_t i = 0; i < MANY; i++) {
		name_of(i, name);
		revoked_add(revoked, name, NOW, NOW + 1 + i % 2);
	}
	for (uint32_t i = 0; i < 2 * MANY; i++) {
		name_of(i, name);
		assert_int_equal(revoked_has(revoked, name), i < MANY);
	}
	revoked_free(&revoked);
	assert_null(revoked);
}

/* An earlier logout, read late, never brings sessions back that a later one has ended. */
static void test_all_sessions_of_a_player(void **state)
{
	static const struct {
		player_id player;
		uint64_t before_s, expected_s;
	} rows[] = { { 7, 100, 100 }, { 7, 90, 100 }, { 7, 120, 120 }, { 8, 50, 50 } };
	struct revoked *revoked = revoked_new(NULL, NULL);
	char name[33];

	(void)state;
	assert_int_equal(revoked_before_s(revoked, 7), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		revoked_add_player(revoked, rows[i].player, rows[i].before_s, NOW, NOW + 10);
		assert_int_equal(revoked_before_s(revoked, rows[i].player), rows[i].expected_s);
	}
	assert_int_equal(revoked_before_s(revoked, 9), 0);
	for (uint32_t i = 0; i < MANY; i++) { /* the table grows */
		name_of(i, name);
		revoked_add(revoked, name, NOW, NOW + 1);
		assert_int_equal(revoked_before_s(revoked, 7), 120);
	}
	for (uint32_t i = MANY; i < 4 * MANY; i++) { /* and forgets what has expired */
		name_of(i, name);
		revoked_add(revoked, name, NOW + 20, NOW + 30);
	}
	assert_int_equal(revoked_before_s(revoked, 7), 0);
	revoked_free(&revoked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sessions_one_by_one),
		cmocka_unit_test(test_all_sessions_of_a_player),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
