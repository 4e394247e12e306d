/*~ seal-bench: what a sealed parcel and a signed event cost, in CPU of one core, by the code of the
 * services. Prints one JSON object: microseconds to seal and to open a parcel of so many bytes, and
 * to make and to check the MACs of a row of the journal. */
#include "libcommon/io/event_mac.h"
#include "libcommon/io/seal_box.h"

#include <sodium.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 20000
#define CONTENT_MAX 32768
#define ROW_BYTES 700
#define NOW_US UINT64_C(1800000000000000)

static struct seal_box from, to;

static double cpu_us(void)
{
	return (double)clock() * 1e6 / CLOCKS_PER_SEC;
}

static void keys_of(struct seal_box *box)
{
	static const char *const READERS[] = { "spin-engine", "notifications", "wallet" };
	char text[1024], error[SEAL_ERROR_MAX];
	size_t n = 0;
	for (size_t i = 0; i < 3; i++)
		if (strcmp(box->service, "wallet") == 0 || i == 0)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "wallet %s 1 %064zx 0\n",
				READERS[i], i + 1);
	if (!seal_keys_parse(text, n, box->service, &box->keys, error)) {
		(void)fprintf(stderr, "seal-bench: %s\n", error);
		exit(1);
	}
}

static void parcels(size_t bytes, double *seal_r, double *open_r)
{
	static uint8_t content[CONTENT_MAX], parcel[CONTENT_MAX + SEAL_MORE_BYTES];
	struct seal_opened opened;
	double seal = 0, open = 0;
	for (int i = 0; i < ROUNDS; i++) {
		double began = cpu_us();
		size_t n = seal_box_close(&from, "ipc://b", content, bytes, NOW_US, parcel);
		double sealed = cpu_us();
		if (seal_box_open(&to, parcel, n, NOW_US, &opened) != SEAL_OK)
			abort();
		open += cpu_us() - sealed;
		seal += sealed - began;
	}
	*seal_r = seal / ROUNDS;
	*open_r = open / ROUNDS;
}

static void events(double *make_r, double *check_r)
{
	static uint8_t row[ROW_BYTES];
	uint8_t header[EVENT_MAC_MAX];
	const struct event event = { TOPIC_WALLET_FACTS, 1, "12345678", row, 8, sizeof(row) };
	double make = 0, check = 0;
	for (int i = 0; i < ROUNDS; i++) {
		double began = cpu_us();
		size_t n = event_mac_make(&from.keys, "wallet", &event, NOW_US / 1000000, header);
		double made = cpu_us();
		if (event_mac_check(&to.keys, "spin-engine", &event, header, n) != EVENT_MAC_OK)
			abort();
		check += cpu_us() - made;
		make += made - began;
	}
	*make_r = make / ROUNDS;
	*check_r = check / ROUNDS;
}

int main(void)
{
	static const size_t SIZES[] = { 100, 1000, CONTENT_MAX };
	static const uint8_t SALT[SEAL_SALT_BYTES] = { 1 };
	double one, other, began = cpu_us();
	if (sodium_init() < 0)
		return 1;
	for (int i = 0; i < ROUNDS; i++)
		(void)cpu_us();
	double clock_us = (cpu_us() - began) / ROUNDS;
	seal_box_begin(&from, "wallet", "ipc://a", 1, SALT);
	seal_box_begin(&to, "spin-engine", "ipc://b", 2, SALT);
	seal_box_list(&from, "spin-engine", "ipc://b", 2, 0);
	seal_box_list(&to, "wallet", "ipc://a", 1, 0);
	keys_of(&from);
	keys_of(&to);
	printf("{");
	for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
		parcels(SIZES[i], &one, &other);
		printf("\"seal_%zu_us\":%.2f,\"open_%zu_us\":%.2f,", SIZES[i], one - clock_us,
			SIZES[i], other - clock_us);
	}
	events(&one, &other);
	printf("\"mac_make_us\":%.2f,\"mac_check_us\":%.2f}\n", one - clock_us, other - clock_us);
	return 0;
}
