/* The accounts in memory: those of quarantined players stay there until they are taken back. */
#include "services/wallet/adapters/accounts.h"
#include "services/wallet/adapters/pendings_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define ILL 7
#define OTHERS 200

static struct accounts accounts;

static struct account_entry *begin(void)
{
	accounts_init(&accounts, 4);
	return accounts_add(&accounts, ILL, 1);
}

static void end(void)
{
	accounts_drop_shard(&accounts, 1);
	accounts_drop_shard(&accounts, 2);
	free(accounts.aside);
	free(accounts.buckets);
}

/* More than there is room for. */
static void crowd(void)
{
	for (player_id i = 0; i < OTHERS; i++) {
		accounts.turn++;
		(void)accounts_add(&accounts, 1000 + i, 2);
	}
}

static void test_account_is_evicted(void **state)
{
	(void)state;
	(void)begin();
	crowd();
	assert_null(accounts_find(&accounts, ILL));
	end();
}

static void test_quarantined_account_is_not_evicted(void **state)
{
	struct account_entry *entry = begin();

	(void)state;
	account_set_aside(&accounts, entry)->seq = 12;
	assert_true(account_aside(entry));
	crowd();
	assert_ptr_equal(accounts_find(&accounts, ILL), entry);
	assert_int_equal(accounts.aside_n, 1);
	account_take_back(&accounts, entry);
	assert_false(account_aside(entry));
	assert_int_equal(accounts.aside_n, 0);
	crowd();
	assert_null(accounts_find(&accounts, ILL));
	end();
}

static void test_quarantine_again_keeps_its_row(void **state)
{
	struct account_entry *entry = begin();
	struct account_quarantine *quarantine = account_set_aside(&accounts, entry);

	(void)state;
	quarantine->seq = 12;
	quarantine->stored = quarantine->ended = quarantine->gathered = true;
	assert_false(account_aside(entry)); /* ended */
	assert_ptr_equal(account_set_aside(&accounts, entry), quarantine);
	assert_int_equal(quarantine->seq, 12);
	assert_false(quarantine->stored || quarantine->ended || quarantine->gathered);
	assert_int_equal(accounts.aside_n, 1);
	end();
}

static void test_lost_shard_takes_its_quarantines_along(void **state)
{
	struct account_entry *here = begin(), *other = accounts_add(&accounts, 8, 2);

	(void)state;
	for (player_id i = 0; i < 40; i++)
		(void)account_set_aside(&accounts, accounts_add(&accounts, 100 + i, 1));
	(void)account_set_aside(&accounts, here);
	(void)account_set_aside(&accounts, other);
	assert_int_equal(accounts.aside_n, 42);
	accounts_drop_shard(&accounts, 1);
	assert_int_equal(accounts.aside_n, 1);
	assert_ptr_equal(accounts.aside[0], other);
	end();
}

static void test_pendings_are_read_or_rejected(void **state)
{
	static const struct {
		const char *text;
		int n; /* -1: rejected */
	} cases[] = {
		{ "{}", 0 }, { "{5,3,100}", 1 }, { "{5,3,100,7,9,40}", 2 }, { "", -1 },
		{ "5,3,100", -1 }, { "{", -1 }, { "{7}", -1 }, { "{5,3}", -1 },
		{ "{5,3,100,7}", -1 }, { "{5,3,100", -1 }, { "{5,3,100}}", -1 },
		{ "{5,3,100,}", -1 }, { "{NULL,3,100}", -1 }, { "{5,3,NULL}", -1 },
		{ "{5,3,0}", -1 }, { "{5,3,-1}", -1 }, { "{0,3,100}", -1 },
		{ "{4294967296,3,100}", -1 }, { "{5,0,100}", -1 },
		{ "{5,3,9223372036854775808}", -1 },
		{ "{5,3,100,5,4,100}", -1 }, /* one game twice */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wallet_account account = { .player = ILL };
		bool read = pendings_read(cases[i].text, &account);
		if (read != (cases[i].n >= 0) ||
			(read && account.pendings_n != (uint32_t)cases[i].n))
			fail_msg("'%s': found %d, %u pendings, expected %d", cases[i].text, read,
				account.pendings_n, cases[i].n);
	}
}

static void test_too_many_pendings_are_rejected(void **state)
{
	struct wallet_account account = { .player = ILL };
	char text[64 * (WALLET_PENDINGS_MAX + 1)];
	size_t n = 0;

	(void)state;
	for (int i = 0; i <= WALLET_PENDINGS_MAX; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, "%c%d,3,100", i == 0 ? '{' : ',', i + 1);
	(void)snprintf(text + n, sizeof(text) - n, "}");
	assert_false(pendings_read(text, &account));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_account_is_evicted),
		cmocka_unit_test(test_quarantined_account_is_not_evicted),
		cmocka_unit_test(test_quarantine_again_keeps_its_row),
		cmocka_unit_test(test_lost_shard_takes_its_quarantines_along),
		cmocka_unit_test(test_pendings_are_read_or_rejected),
		cmocka_unit_test(test_too_many_pendings_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
