/* The identity of a booking: its id and the hash of its content. A withdrawal booked before holds
 * existed is recognised by both. */
#include "services/gateway/adapters/money.h"

#include <sodium.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void hex_is(const uint8_t *bytes, const char *expected)
{
	char text[2 * ID_BYTES + 1];

	(void)sodium_bin2hex(text, sizeof(text), bytes, ID_BYTES);
	assert_string_equal(text, expected);
}

static Carillon__Outside outside_of(Carillon__MoveKind kind, char *actor, char *reason)
{
	Carillon__Outside outside;

	carillon__outside__init(&outside);
	outside.kind = kind;
	outside.amount_minor = 1000;
	outside.currency = 978;
	outside.actor = actor;
	outside.reason = reason;
	return outside;
}

/* Digests as an old installation has them in wallet.outside: they must never change. */
static void test_withdrawal_before_upgrade(void **state)
{
	char actor[] = "operator-1", reason[] = "";
	Carillon__Outside hold = outside_of(CARILLON__MOVE_KIND__MOVE_HOLD, actor, reason);
	Carillon__Outside before = outside_of(CARILLON__MOVE_KIND__MOVE_WITHDRAWAL, actor, reason);
	struct outside_ids ids, ids_before;
	player_id player;

	(void)state;
	assert_true(player_id_make(1, 17, &player));
	outside_identify(player, &hold, "w-1", &ids);
	outside_identify(player, &before, "w-1", &ids_before);
	hex_is(before.id.data, "ba010ac445383a389c113337d5573490");
	hex_is(before.content_hash.data, "c6e0b2e1c866b0e1f5efffbea11a0857");
	assert_memory_equal(hold.id.data, before.id.data, ID_BYTES);
	assert_memory_not_equal(hold.content_hash.data, before.content_hash.data, ID_BYTES);
	assert_int_equal(hold.former_hash.len, ID_BYTES);
	assert_memory_equal(hold.former_hash.data, before.content_hash.data, ID_BYTES);
	assert_int_equal(before.former_hash.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_withdrawal_before_upgrade) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
