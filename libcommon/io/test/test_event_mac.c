/* Events on Kafka: who said it, to each reader by itself. */
#include "libcommon/io/event_mac.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#define NOW_S 1800000000

static const char *const SERVICES[] = { "wallet", "spin-engine", "notifications",
	"progressive-pool", "jackpot-cards", "gateway", "payments" };
#define SERVICES_N (sizeof(SERVICES) / sizeof(SERVICES[0]))
static struct seal_keys keys[SERVICES_N];

static size_t index_of(const char *service)
{
	for (size_t i = 0; i < SERVICES_N; i++)
		if (strcmp(SERVICES[i], service) == 0)
			return i;
	fail();
	return 0;
}

static int keys_make(void **state)
{
	static char text[SERVICES_N * 2 * 160];
	char error[SEAL_ERROR_MAX];
	(void)state;
	for (size_t own = 0; own < SERVICES_N; own++) {
		size_t n = 0;
		for (size_t i = 0; i < SERVICES_N; i++) {
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s 1 %064zx 0\n",
				SERVICES[own], SERVICES[i], 1 + own * SERVICES_N + i);
			if (i != own)
				n += (size_t)snprintf(text + n, sizeof(text) - n,
					"%s %s 1 %064zx 0\n", SERVICES[i], SERVICES[own],
					1 + i * SERVICES_N + own);
		}
		assert_true(seal_keys_parse(text, n, SERVICES[own], &keys[own], error));
	}
	return 0;
}

static size_t made(const char *sender, const struct event *event, uint8_t *header)
{
	return event_mac_make(&keys[index_of(sender)], sender, event, NOW_S, header);
}

static enum event_mac_status checked(
	const char *reader, const struct event *event, const uint8_t *header, size_t n)
{
	return event_mac_check(&keys[index_of(reader)], reader, event, header, n);
}

static void test_each_topic_has_its_writers_and_readers(void **state)
{
	static const struct {
		enum topic topic;
		const char *writers, *readers;
	} TOPICS[] = {
		{ TOPIC_WALLET_FACTS, "wallet", "spin-engine notifications wallet" },
		{ TOPIC_JACKPOT_FEED, "wallet", "progressive-pool jackpot-cards" },
		{ TOPIC_JACKPOT_FACTS, "progressive-pool jackpot-cards", "notifications" },
		{ TOPIC_DEAD_LETTERS, "wallet spin-engine progressive-pool jackpot-cards payments",
			"gateway" },
	};
	uint8_t header[EVENT_MAC_MAX];
	(void)state;
	for (size_t t = 0; t < sizeof(TOPICS) / sizeof(TOPICS[0]); t++)
		for (size_t w = 0; w < SERVICES_N; w++) {
			const struct event event = { TOPICS[t].topic, 3, "key", "a message", 3, 9 };
			size_t n = made(SERVICES[w], &event, header);
			assert_true(n <= EVENT_MAC_MAX);
			assert_int_equal(n > 0, strstr(TOPICS[t].writers, SERVICES[w]) != NULL);
			for (size_t r = 0; n > 0 && r < SERVICES_N; r++)
				assert_int_equal(checked(SERVICES[r], &event, header, n),
					strstr(TOPICS[t].readers, SERVICES[r]) != NULL
						? EVENT_MAC_OK
						: EVENT_MAC_SENDER);
		}
}

static void test_what_is_changed_or_moved_is_refused(void **state)
{
	char key[] = "key", bytes[] = "a message";
	struct event event = { TOPIC_WALLET_FACTS, 3, key, bytes, 3, 9 };
	uint8_t header[EVENT_MAC_MAX];
	(void)state;
	size_t n = made("wallet", &event, header);
	assert_int_equal(checked("spin-engine", &event, header, n), EVENT_MAC_OK);
	assert_int_equal(checked("spin-engine", &event, NULL, 0), EVENT_MAC_NONE);
	for (size_t bit = 0; bit < 8 * n; bit++) {
		header[bit / 8] ^= (uint8_t)(1u << bit % 8);
		/* The entries of other readers are theirs to check. */
		bool ours = bit / 8 < 2 + 6 + 18;
		assert_int_equal(checked("spin-engine", &event, header, n) == EVENT_MAC_OK, !ours);
		header[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t cut = 0; cut < n; cut++)
		assert_int_equal(checked("spin-engine", &event, header, cut), EVENT_MAC_MALFORMED);
	bytes[0] ^= 1;
	assert_int_equal(checked("spin-engine", &event, header, n), EVENT_MAC_FORGED);
	bytes[0] ^= 1;
	key[2] ^= 1;
	assert_int_equal(checked("spin-engine", &event, header, n), EVENT_MAC_FORGED);
	key[2] ^= 1;
	event.partition = 2;
	assert_int_equal(checked("spin-engine", &event, header, n), EVENT_MAC_FORGED);
	event.partition = 3;
	/* A byte moved from the key to the message. */
	event.key_length = 2;
	assert_int_equal(checked("spin-engine", &event, header, n), EVENT_MAC_FORGED);
	event.key_length = 3;
	event.topic = TOPIC_JACKPOT_FEED;
	assert_int_not_equal(checked("progressive-pool", &event, header, n), EVENT_MAC_OK);
}

static void test_a_reader_cannot_speak_for_the_writer(void **state)
{
	const struct event event = { TOPIC_WALLET_FACTS, 0, "", "a win", 0, 5 };
	uint8_t header[EVENT_MAC_MAX];
	(void)state;
	/* The engine has its own keys, and those that the wallet shares with it. */
	assert_int_equal(made("spin-engine", &event, header), 0);
	size_t n = event_mac_make(&keys[index_of("wallet")], "wallet", &event, NOW_S, header);
	struct seal_keys stolen = keys[index_of("spin-engine")];
	/* What it can make for notifications is by its own key with notifications. */
	for (size_t i = 0; i < stolen.n; i++)
		if (strcmp(stolen.key[i].with, "notifications") == 0 && stolen.key[i].from_us)
			(void)crypto_generichash(header + 2 + 6 + 18 + 2, 16,
				(const uint8_t *)"0123456789abcdef0123456789abcdef", 32,
				stolen.key[i].event, SEAL_KEY_BYTES);
	assert_int_equal(checked("notifications", &event, header, n), EVENT_MAC_FORGED);
}

static void test_a_key_that_is_gone(void **state)
{
	const struct event event = { TOPIC_JACKPOT_FEED, 0, "", "totals", 0, 6 };
	uint8_t header[EVENT_MAC_MAX];
	(void)state;
	size_t n = made("wallet", &event, header);
	header[2 + 6] = 9;
	assert_int_equal(checked("progressive-pool", &event, header, n), EVENT_MAC_NO_KEY);
	assert_int_equal(checked("jackpot-cards", &event, header, n), EVENT_MAC_OK);
}

static void test_services_of_the_tests_neither_sign_nor_check(void **state)
{
	(void)state;
	event_mac_use(&keys[0], "echo");
	assert_null(event_mac_keys());
	event_mac_use(&keys[0], "wallet");
	assert_ptr_equal(event_mac_keys(), &keys[0]);
	assert_string_equal(event_mac_service(), "wallet");
	event_mac_use(NULL, NULL);
	assert_null(event_mac_keys());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_topic_has_its_writers_and_readers),
		cmocka_unit_test(test_what_is_changed_or_moved_is_refused),
		cmocka_unit_test(test_a_reader_cannot_speak_for_the_writer),
		cmocka_unit_test(test_a_key_that_is_gone),
		cmocka_unit_test(test_services_of_the_tests_neither_sign_nor_check),
	};
	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, keys_make, NULL);
}
