/* Permissions: every route of the operator has one, every permission somebody, and no role gives
 * both users and money. */
#include "services/gateway/adapters/gateway.h"
#include "services/gateway/core/permits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static void test_permits_roles_are_read(void **state)
{
	static const char *const wrong[] = { "", "king", "viewer,", ",viewer", "viewer,,support",
		"Viewer", "viewer support" };
	role_set roles;

	(void)state;
	assert_true(roles_read("viewer", &roles));
	assert_int_equal(roles, 1U << ROLE_VIEWER);
	assert_true(roles_read("finance,administrator,finance", &roles));
	assert_int_equal(roles, 1U << ROLE_FINANCE | 1U << ROLE_ADMINISTRATOR);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(roles_read(wrong[i], &roles));
}

static void test_permits_no_role_makes_users_and_moves_money(void **state)
{
	(void)state;
	for (size_t role = 0; role < ROLES_N; role++) {
		role_set one = 1U << role;
		assert_true(roles_permit(one, PERMIT_SELF) && roles_permit(one, PERMIT_READ));
		assert_false(roles_permit(one, PERMIT_USERS) &&
			     (roles_permit(one, PERMIT_MONEY) || roles_permit(one, PERMIT_VOID) ||
				     roles_permit(one, PERMIT_JACKPOTS)));
		assert_false(roles_permit(one, PERMIT_OPEN)); /* for back ends */
	}
	assert_false(roles_permit(0, PERMIT_READ));
}

static void test_permits_somebody_has_each(void **state)
{
	const role_set all = (1U << ROLES_N) - 1;

	(void)state;
	for (size_t i = 0; i < PERMISSIONS_N; i++) {
		assert_true(
			roles_permit(all, (enum permission)i) || key_permits((enum permission)i));
		assert_non_null(permission_names[i]);
	}
	assert_false(key_permits(PERMIT_SELF));
}

static void test_permits_each_route_has_one(void **state)
{
	enum permission permission;
	size_t n = 0;

	(void)state;
	for (const struct edge_route *route = gateway_routes; route->pattern != NULL; route++) {
		bool operators = strncmp(route->pattern, "/v1/operator", 12) == 0 &&
				 strcmp(route->pattern, "/v1/operator/login") != 0;
		bool found =
			permit_of_route(route->method == EDGE_POST, route->pattern, &permission);
		if (operators != found)
			fail_msg("%s: found %s permission", route->pattern, found ? "a" : "no");
		n += found;
	}
	/* Each row is of a route that exists. */
	assert_int_equal(n, permits_count());
	assert_false(permit_of_route(false, "/v1/operator/none", &permission));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_permits_roles_are_read),
		cmocka_unit_test(test_permits_no_role_makes_users_and_moves_money),
		cmocka_unit_test(test_permits_somebody_has_each),
		cmocka_unit_test(test_permits_each_route_has_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
