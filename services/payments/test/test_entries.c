/* Payments in memory by id: added ones are found and removed ones are not, in any order; 50,000
 * open payments stay fast. */
#include "services/payments/adapters/payments_service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define MANY 50000
#define FEW 300

/* The wallet's ids are hashes; `crowd` gives many of them the same first bytes. */
static struct payout payout_of(uint32_t number, uint32_t crowd)
{
	struct payout payout = { .amount = number };
	uint32_t mixed = crowd > 0 ? number % crowd : number * UINT32_C(2654435761);

	memcpy(payout.id, &mixed, sizeof(mixed));
	memcpy(payout.id + 12, &number, sizeof(number));
	return payout;
}

static struct payments_shard *shard_new(void)
{
	struct payments_shard *shard = calloc(1, sizeof(*shard));

	assert_non_null(shard);
	return shard;
}

static bool knows(struct payments_shard *shard, uint32_t number, uint32_t crowd)
{
	struct payout payout = payout_of(number, crowd);
	const struct payments_entry *entry = payments_find(shard, payout.id);

	assert_true(entry == NULL || entry->payout.amount == number);
	return entry != NULL;
}

static void test_entries_any_order(void **state)
{
	static const uint32_t crowds[] = { 0, 7, 1 };
	unsigned seed = 20260411;

	(void)state;
	for (size_t c = 0; c < sizeof(crowds) / sizeof(crowds[0]); c++) {
		struct payments_shard *shard = shard_new();
		bool in[FEW] = { false };
		size_t n = 0;
		for (int step = 0; step < 6000; step++) {
			uint32_t number = (uint32_t)rand_r(&seed) % FEW;
			struct payout payout = payout_of(number, crowds[c]);
			assert_int_equal(knows(shard, number, crowds[c]), in[number]);
			if (in[number])
				payments_remove(shard, payments_find(shard, payout.id));
			else
				(void)payments_add(shard, &payout);
			n = in[number] ? n - 1 : n + 1;
			in[number] = !in[number];
			assert_int_equal(shard->n, n);
			for (uint32_t i = 0; step % 100 == 0 && i < FEW; i++)
				assert_int_equal(knows(shard, i, crowds[c]), in[i]);
		}
		payments_free(shard);
	}
}

static void test_entries_many(void **state)
{
	struct payments_shard *shard = shard_new();
	struct timespec begin, end;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (uint32_t i = 0; i < MANY; i++) {
		struct payout payout = payout_of(i, 0);
		assert_null(payments_find(shard, payout.id));
		(void)payments_add(shard, &payout);
	}
	for (uint32_t i = 0; i < MANY; i++)
		assert_true(knows(shard, i, 0));
	while (shard->n > 0)
		payments_remove(shard, &shard->entries[shard->n / 2]);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_false(knows(shard, 0, 0));
	payments_free(shard);
	printf("measured: %d open payments added, found and removed in %.0f ms\n", MANY,
		(double)(end.tv_sec - begin.tv_sec) * 1e3 +
			(double)(end.tv_nsec - begin.tv_nsec) / 1e6);
}

/* The outcome and the reference come first, and are whole with the longest reference. */
static void test_entries_out_tell_the_outcome(void **state)
{
	struct payments_entry entry = { .payout = { .outcome = PAYOUT_PAID } };
	char text[PROVIDER_FOUND_MAX];

	(void)state;
	payments_out_text(&entry, "another amount", text);
	assert_string_equal(text, "another amount");
	entry.heard = true;
	payments_out_text(&entry, "another amount", text);
	assert_string_equal(text, "the provider has PAID, reference none; another amount");
	memset(entry.reference, 'r', PROVIDER_REFERENCE_MAX);
	entry.payout.outcome = PAYOUT_REFUSED;
	payments_out_text(&entry, "another amount or outcome in payments.payout", text);
	assert_non_null(strstr(text, "the provider has REFUSED, reference rrr"));
	assert_non_null(strstr(text, entry.reference));
	assert_non_null(strstr(text, "payments.payout"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_any_order),
		cmocka_unit_test(test_entries_many),
		cmocka_unit_test(test_entries_out_tell_the_outcome),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
