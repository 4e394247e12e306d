/* Sealed parcels: what was changed, comes again, or was sealed for another or by a stranger is not
 * taken; keys change without a stop. */
#include "libcommon/io/seal_box.h"

#include "tests/support/effort.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#define NOW_US UINT64_C(1800000000000000)
#define NOW_S (NOW_US / 1000000)
#define CONTENT_MAX 2048

static const char HEX_1[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
static const char HEX_2[] = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
static const uint8_t SALT_A[SEAL_SALT_BYTES] = { 1 }, SALT_B[SEAL_SALT_BYTES] = { 2 };

/* Deterministic: the seed repeats a failing case. */
static uint64_t random_state;
static uint32_t random_below(uint32_t bound)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % bound;
}

static void keys_of(struct seal_box *box, const char *text)
{
	char error[SEAL_ERROR_MAX] = "";
	if (!seal_keys_parse(text, strlen(text), box->service, &box->keys, error))
		fail_msg("%s", error);
}

static struct seal_box engine, wallet;

static void pair_begin(uint64_t engine_boot, uint64_t wallet_boot)
{
	char text[512];
	(void)snprintf(text, sizeof(text), "spin-engine wallet 1 %s 0\nwallet spin-engine 1 %s 0\n",
		HEX_1, HEX_2);
	seal_box_begin(&engine, "spin-engine", "ipc://engine", engine_boot, SALT_A);
	seal_box_begin(&wallet, "wallet", "ipc://wallet", wallet_boot, SALT_B);
	keys_of(&engine, text);
	keys_of(&wallet, text);
	seal_box_list(&engine, "wallet", "ipc://wallet", wallet_boot, NOW_US);
	seal_box_list(&wallet, "spin-engine", "ipc://engine", engine_boot, NOW_US);
}

static size_t say(const char *text, uint8_t *parcel)
{
	size_t n = seal_box_close(
		&engine, "ipc://wallet", (const uint8_t *)text, strlen(text), NOW_US, parcel);
	assert_int_equal(n, strlen(text) + SEAL_MORE_BYTES);
	return n;
}

/* Opens a copy: an open parcel is another one. */
static enum seal_status hear(const uint8_t *parcel, size_t n, struct seal_opened *opened)
{
	static uint8_t copy[CONTENT_MAX + SEAL_MORE_BYTES];
	memcpy(copy, parcel, n);
	return seal_box_open(&wallet, copy, n, NOW_US + 5000, opened);
}

static void test_what_is_sealed_is_opened_by_the_other_alone(void **state)
{
	uint8_t parcel[256], mine[256];
	struct seal_opened opened;
	(void)state;
	pair_begin(100, 200);
	size_t n = say("a proposal", parcel);
	assert_null(memmem(parcel, n, "proposal", 8));
	assert_int_equal(hear(parcel, n, &opened), SEAL_OK);
	assert_int_equal(opened.n, 10);
	assert_memory_equal(opened.content, "a proposal", 10);
	assert_string_equal(opened.from, "spin-engine");
	assert_string_equal(opened.from_url, "ipc://engine");
	assert_int_equal(opened.age_us, 5000);
	memcpy(mine, parcel, n);
	assert_int_equal(seal_box_open(&engine, mine, n, NOW_US, &opened), SEAL_RECEIVER);
	/* An empty content is a content. */
	n = say("", parcel);
	assert_int_equal(hear(parcel, n, &opened), SEAL_OK);
	assert_int_equal(opened.n, 0);
}

static void test_every_changed_bit_is_refused(void **state)
{
	uint8_t parcel[256];
	struct seal_opened opened;
	(void)state;
	pair_begin(100, 200);
	size_t n = say("100 EUR", parcel);
	for (size_t bit = 0; bit < 8 * n; bit++) {
		parcel[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		assert_int_not_equal(hear(parcel, n, &opened), SEAL_OK);
		parcel[bit / 8] ^= (uint8_t)(1u << (bit % 8));
	}
	for (size_t cut = 0; cut < n; cut++)
		assert_int_not_equal(hear(parcel, cut, &opened), SEAL_OK);
	/* None of them has used up its counter. */
	assert_int_equal(hear(parcel, n, &opened), SEAL_OK);
}

static void test_a_recorded_parcel_is_worth_nothing(void **state)
{
	uint8_t first[256], second[256];
	struct seal_opened opened;
	(void)state;
	pair_begin(100, 200);
	size_t n = say("a proposal", first);
	assert_int_equal(hear(first, n, &opened), SEAL_OK);
	assert_int_equal(hear(first, n, &opened), SEAL_REPLAYED);
	assert_int_equal(say("a proposal", second), n);
	/* The receiver starts again. */
	seal_box_begin(&wallet, "wallet", "ipc://wallet", 201, SALT_B);
	wallet.keys = engine.keys;
	assert_int_equal(hear(second, n, &opened), SEAL_RECEIVER);
	/* The sender starts again: its former boot is not listed any more. */
	pair_begin(100, 200);
	n = say("a proposal", first);
	seal_box_list(&wallet, "spin-engine", "ipc://engine", 101, NOW_US);
	assert_int_equal(hear(first, n, &opened), SEAL_UNLISTED);
}

static void test_strangers_are_not_taken(void **state)
{
	static struct seal_box stranger;
	uint8_t parcel[256];
	struct seal_opened opened;
	char text[256];
	(void)state;
	pair_begin(100, 200);
	/* With the keys of another service, as the engine. */
	seal_box_begin(&stranger, "spin-engine", "ipc://engine", 100, SALT_A);
	(void)snprintf(text, sizeof(text), "spin-engine wallet 1 %s 0\n", HEX_2);
	keys_of(&stranger, text);
	seal_box_list(&stranger, "wallet", "ipc://wallet", 200, NOW_US);
	size_t n =
		seal_box_close(&stranger, "ipc://wallet", (const uint8_t *)"x", 1, NOW_US, parcel);
	assert_int_equal(hear(parcel, n, &opened), SEAL_FORGED);
	/* The same bytes as a key are another one in the other direction, and for another pair. */
	(void)snprintf(text, sizeof(text), "spin-engine wallet 1 %s 0\n", HEX_1);
	keys_of(&stranger, text);
	stranger.boot = 105; /* not listed */
	n = seal_box_close(&stranger, "ipc://wallet", (const uint8_t *)"x", 1, NOW_US, parcel);
	assert_int_equal(hear(parcel, n, &opened), SEAL_UNLISTED);
	(void)snprintf(text, sizeof(text), "spin-engine wallet 7 %s 0\n", HEX_1);
	keys_of(&stranger, text);
	stranger.boot = 100;
	n = seal_box_close(&stranger, "ipc://wallet", (const uint8_t *)"x", 1, NOW_US, parcel);
	assert_int_equal(hear(parcel, n, &opened), SEAL_NO_KEY);
	/* Who is not listed, or of an older build, gets nothing. */
	assert_int_equal(
		seal_box_close(&engine, "ipc://nobody", (const uint8_t *)"x", 1, NOW_US, parcel),
		0);
	seal_box_list(&engine, "wallet", "ipc://older", 0, NOW_US);
	assert_int_equal(
		seal_box_close(&engine, "ipc://older", (const uint8_t *)"x", 1, NOW_US, parcel), 0);
}

static void test_keys_change_without_a_stop(void **state)
{
	uint8_t old[256], new[256];
	struct seal_opened opened;
	char text[512];
	(void)state;
	pair_begin(100, 200);
	(void)snprintf(text, sizeof(text),
		"spin-engine wallet 1 %s 0\nspin-engine wallet 2 %s %llu\n", HEX_1, HEX_2,
		(unsigned long long)NOW_S + 10);
	keys_of(&engine, text);
	keys_of(&wallet, text);
	size_t n = say("before", old);
	assert_int_equal(old[2], 1);
	assert_int_equal(seal_box_close(&engine, "ipc://wallet", (const uint8_t *)"behind", 6,
				 NOW_US + 10000000, new),
		n);
	assert_int_equal(new[2], 2);
	assert_int_equal(hear(new, n, &opened), SEAL_OK);
	assert_int_equal(hear(old, n, &opened), SEAL_OK);
	/* Without the former one. */
	n = say("before", old);
	(void)snprintf(text, sizeof(text), "spin-engine wallet 2 %s 0\n", HEX_2);
	keys_of(&wallet, text);
	assert_int_equal(hear(old, n, &opened), SEAL_NO_KEY);
}

/* Against a set of all that was taken, in any order. */
static void test_a_window_takes_each_counter_once(void **state)
{
	static uint8_t taken[1 << 16];
	(void)state;
	for (uint32_t seed = 0; seed < effort(200); seed++) {
		struct seal_window window = { 0 };
		uint64_t newest = 0, top = 1;
		memset(taken, 0, sizeof(taken));
		random_state = seed;
		for (int i = 0; i < 3000; i++) {
			uint32_t back = random_below(seed % 3 == 0 ? 3000 : 300);
			top += random_below(seed % 5 == 0 ? 40 : 3);
			if (top >= sizeof(taken))
				break;
			uint64_t counter = top > back ? top - back : 0;
			bool expected = counter > 0 && !taken[counter] &&
					(counter > newest || newest - counter < SEAL_WINDOW);
			if (seal_window_take(&window, counter) != expected)
				fail_msg("seed %u, try %d: counter %llu, newest %llu", seed, i,
					(unsigned long long)counter, (unsigned long long)newest);
			taken[counter] |= expected;
			newest = counter > newest && expected ? counter : newest;
		}
	}
}

static void test_a_jump_of_counters_clears_the_window(void **state)
{
	struct seal_window window = { 0 };
	(void)state;
	assert_true(seal_window_take(&window, 1));
	assert_true(seal_window_take(&window, UINT64_MAX));
	assert_false(seal_window_take(&window, UINT64_MAX));
	assert_true(seal_window_take(&window, UINT64_MAX - SEAL_WINDOW + 1));
	assert_false(seal_window_take(&window, UINT64_MAX - SEAL_WINDOW));
	assert_false(seal_window_take(&window, 0));
	/* The last counter, by small steps. */
	window = (struct seal_window){ 0 };
	assert_true(seal_window_take(&window, UINT64_MAX - 3));
	assert_true(seal_window_take(&window, UINT64_MAX));
	assert_false(seal_window_take(&window, UINT64_MAX));
	assert_true(seal_window_take(&window, UINT64_MAX - 1));
}

static void test_more_instances_than_places(void **state)
{
	uint8_t parcel[256];
	struct seal_opened opened;
	char url[32];
	(void)state;
	pair_begin(100, 200);
	for (uint64_t i = 0; i < 2 * SEAL_PEERS_MAX; i++) {
		(void)snprintf(url, sizeof(url), "ipc://%llu", (unsigned long long)i);
		seal_box_list(&wallet, "gateway", url, 1000 + i, NOW_US);
		seal_box_list(&wallet, "spin-engine", "ipc://engine", 100, NOW_US);
	}
	/* The one that is listed again and again has kept its place and its window. */
	size_t n = say("x", parcel);
	assert_int_equal(hear(parcel, n, &opened), SEAL_OK);
	for (uint64_t i = 0; i < SEAL_PEERS_MAX; i++) {
		(void)snprintf(url, sizeof(url), "ipc://more-%llu", (unsigned long long)i);
		seal_box_list(&wallet, "gateway", url, 5000 + i, NOW_US);
		seal_box_list(&wallet, "spin-engine", "ipc://engine", 100, NOW_US);
	}
	assert_int_equal(hear(parcel, n, &opened), SEAL_REPLAYED);
	assert_int_equal(wallet.peers[0].boot, 200);
}

/* A service that may write to carillon.instance. */
static void test_an_address_stays_with_its_service(void **state)
{
	uint8_t parcel[256];
	struct seal_opened opened;
	char url[32];
	(void)state;
	pair_begin(100, 200);
	size_t n = say("x", parcel);
	assert_int_equal(hear(parcel, n, &opened), SEAL_OK);
	seal_box_list(&wallet, "gateway", "ipc://engine", 300, NOW_US + 2999999);
	assert_int_equal(hear(parcel, n, &opened), SEAL_REPLAYED);
	seal_box_list(&wallet, "gateway", "ipc://wallet", 300, NOW_US + 9000000);
	assert_int_equal(wallet.peers[0].boot, 200);
	/* It has gone; and comes back, with its window. */
	seal_box_list(&wallet, "gateway", "ipc://engine", 300, NOW_US + 3000000);
	assert_int_equal(hear(parcel, n, &opened), SEAL_UNLISTED);
	seal_box_list(&wallet, "spin-engine", "ipc://engine", 100, NOW_US + 6000000);
	assert_int_equal(hear(parcel, n, &opened), SEAL_REPLAYED);
	seal_box_list(&wallet, "spin-engine", "ipc://engine", 101, NOW_US + 6000000);
	assert_int_equal(hear(parcel, n, &opened), SEAL_UNLISTED);
	seal_box_list(&wallet, "spin-engine", "ipc://engine", 100, NOW_US + 6000000);
	assert_int_equal(hear(parcel, n, &opened), SEAL_REPLAYED);
	/* One service takes its own places alone. */
	for (uint64_t i = 0; i < 2 * SEAL_PEERS_MAX; i++) {
		(void)snprintf(url, sizeof(url), "ipc://%llu", (unsigned long long)i);
		seal_box_list(&wallet, "gateway", url, 1000 + i, NOW_US + 6000000);
	}
	assert_int_equal(hear(parcel, n, &opened), SEAL_REPLAYED);
	assert_true(wallet.peers_n <= SEAL_SERVICE_PEERS_MAX + 3);
}

/* ---- the file of keys ---- */

static void test_lines_that_are_no_keys_are_named(void **state)
{
	static const char *const BAD[] = { "", "\n", "wallet wallet", "wallet wallet 0 %s 0\n",
		"wallet wallet 65536 %s 0\n", "wallet wallet 1 %sf 0\n", "wallet wallet 1 %s\n",
		"wallet wallet 1 %s 0 more\n", "wallet wallet 1 zz%s 0\n",
		"gateway payments 1 %s 0\n", "wallet a-service-with-too-long-a-name 1 %s 0\n" };
	struct seal_keys keys;
	char text[512], error[SEAL_ERROR_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		char *at = strstr(BAD[i], "%s");
		(void)snprintf(text, sizeof(text), "%.*s%s%s",
			at == NULL ? (int)strlen(BAD[i]) : (int)(at - BAD[i]), BAD[i],
			at == NULL ? "" : HEX_1, at == NULL ? "" : at + 2);
		error[0] = '\0';
		assert_false(seal_keys_parse(text, strlen(text), "wallet", &keys, error));
		assert_non_null(strstr(error, "expected"));
		assert_null(strstr(error, HEX_1));
		assert_int_equal(keys.n, 0);
	}
}

/* The limit is one of keys: empty lines are not counted. */
static void test_more_keys_than_fit_are_refused(void **state)
{
	struct seal_keys keys;
	char text[(SEAL_KEYS_MAX + 1) * 128], error[SEAL_ERROR_MAX] = "";
	size_t n = 1;
	(void)state;
	(void)snprintf(text, sizeof(text), "\n");
	for (size_t i = 0; i < SEAL_KEYS_MAX; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, "wallet wallet %zu %s 0\n", i + 1, HEX_1);
	assert_true(seal_keys_parse(text, n, "wallet", &keys, error));
	assert_int_equal(keys.n, SEAL_KEYS_MAX);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "wallet wallet 999 %s 0\n", HEX_1);
	assert_false(seal_keys_parse(text, n, "wallet", &keys, error));
	assert_non_null(strstr(error, "line 130: found a further line, expected at most 128 keys"));
	assert_int_equal(keys.n, 0);
}

static bool load(const char *folder, struct timespec *changed, bool *read, char *error)
{
	static struct seal_keys keys;
	return seal_keys_load(folder, "wallet", changed, &keys, read, error);
}

/* text NULL: a key. */
static void keys_file_write(const char *path, const char *text, const struct timespec times[2])
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	if (text == NULL)
		(void)fprintf(file, "wallet spin-engine 1 %s 0\n", HEX_1);
	else
		(void)fputs(text, file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_files_that_others_may_read_are_refused(void **state)
{
	char folder[] = "/tmp/carillon-seal-XXXXXX", path[128], inner[64], error[SEAL_ERROR_MAX];
	struct timespec changed = { 0 };
	bool read;
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(inner, sizeof(inner), "%s/wallet", folder);
	(void)snprintf(path, sizeof(path), "%s/bus.keys", inner);
	assert_false(load(folder, &changed, &read, error));
	assert_non_null(strstr(error, "bus-keys.sh make"));
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_false(load(folder, &changed, &read, error));
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	(void)fprintf(file, "wallet spin-engine 1 %s 0\n", HEX_1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0640), 0);
	assert_false(load(folder, &changed, &read, error));
	assert_non_null(strstr(error, "found mode 640, expected 600"));
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(chmod(inner, 0750), 0);
	assert_false(load(folder, &changed, &read, error));
	assert_non_null(strstr(error, "found mode 750, expected 700"));
	assert_int_equal(chmod(inner, 0700), 0);
	assert_true(load(folder, &changed, &read, error));
	assert_true(read);
	assert_true(load(folder, &changed, &read, error));
	assert_false(read); /* not changed since */
	/* A file that is half written is read again, though its time does not change any more. */
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	keys_file_write(path, "wallet spin-engine", times);
	assert_false(load(folder, &changed, &read, error));
	assert_false(read);
	keys_file_write(path, NULL, times);
	assert_true(load(folder, &changed, &read, error));
	assert_true(read);
	(void)unlink(path);
	(void)rmdir(inner);
	(void)rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_sealed_is_opened_by_the_other_alone),
		cmocka_unit_test(test_every_changed_bit_is_refused),
		cmocka_unit_test(test_a_recorded_parcel_is_worth_nothing),
		cmocka_unit_test(test_strangers_are_not_taken),
		cmocka_unit_test(test_keys_change_without_a_stop),
		cmocka_unit_test(test_a_window_takes_each_counter_once),
		cmocka_unit_test(test_a_jump_of_counters_clears_the_window),
		cmocka_unit_test(test_more_instances_than_places),
		cmocka_unit_test(test_an_address_stays_with_its_service),
		cmocka_unit_test(test_lines_that_are_no_keys_are_named),
		cmocka_unit_test(test_more_keys_than_fit_are_refused),
		cmocka_unit_test(test_files_that_others_may_read_are_refused),
	};
	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
