/* Reads any bytes as a sealed parcel: without the key nothing is opened. Seals the same bytes as a
 * content: they come out as they went in, and a changed byte anywhere, told by the input, is
 * refused. Reads them as a file of keys, too: what is taken is within its bounds. */
#include "libcommon/io/seal_box.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define KEYS "gateway wallet 1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 0\n"

static struct seal_box from, to;

static void begin(void)
{
	static const uint8_t SALT[SEAL_SALT_BYTES] = { 7 };
	char error[SEAL_ERROR_MAX];
	assert(sodium_init() >= 0);
	seal_box_begin(&from, "gateway", "ipc://a", 11, SALT);
	seal_box_begin(&to, "wallet", "ipc://b", 12, SALT);
	assert(seal_keys_parse(KEYS, sizeof(KEYS) - 1, "gateway", &from.keys, error));
	assert(seal_keys_parse(KEYS, sizeof(KEYS) - 1, "wallet", &to.keys, error));
	seal_box_list(&from, "wallet", "ipc://b", 12, 1);
	seal_box_list(&to, "gateway", "ipc://a", 11, 1);
}

/* As it is, and with a head that leads to the key. */
static void unsealed(const uint8_t *bytes, size_t length)
{
	struct seal_opened opened;
	uint8_t *copy = malloc(length + 1);
	assert(copy != NULL);
	memcpy(copy, bytes, length);
	assert(seal_box_open(&to, copy, length, 1, &opened) != SEAL_OK);
	if (length >= SEAL_MORE_BYTES) {
		memcpy(copy, "\1\0\1\0\13\0\0\0\0\0\0\0\14\0\0\0\0\0\0\0", 20);
		assert(seal_box_open(&to, copy, length, 1, &opened) == SEAL_FORGED);
	}
	free(copy);
}

static void sealed(const uint8_t *bytes, size_t length)
{
	struct seal_opened opened;
	uint8_t *parcel = malloc(length + SEAL_MORE_BYTES), *changed;
	assert(parcel != NULL);
	size_t n = seal_box_close(&from, "ipc://b", bytes, length, 1000, parcel);
	assert(n == length + SEAL_MORE_BYTES);
	changed = malloc(n);
	assert(changed != NULL);
	memcpy(changed, parcel, n);
	changed[(length > 1 ? (size_t)bytes[0] << 8 | bytes[1] : 0) % n] ^=
		(uint8_t)(length > 2 && bytes[2] != 0 ? bytes[2] : 1);
	assert(seal_box_open(&to, changed, n, 2000, &opened) != SEAL_OK);
	free(changed);
	assert(seal_box_open(&to, parcel, n, 2000, &opened) == SEAL_OK);
	assert(opened.n == length && memcmp(opened.content, bytes, length) == 0);
	free(parcel);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct seal_keys keys;
	char error[SEAL_ERROR_MAX];
	if (from.boot == 0)
		begin();
	unsealed(bytes, length);
	sealed(bytes, length);
	if (seal_keys_parse((const char *)bytes, length, "wallet", &keys, error))
		assert(keys.n >= 1 && keys.n <= SEAL_KEYS_MAX);
	else
		assert(keys.n == 0 && memchr(error, '\0', sizeof(error)) != NULL);
	return 0;
}
