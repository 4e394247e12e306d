#include "libcommon/io/seal.h"

#include <sodium.h>
#include <string.h>

#define FORMAT 1
#define NONCE_BYTES crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define SALT_AT (SEAL_HEAD_BYTES - SEAL_SALT_BYTES)
#define COUNTER_AT 20

_Static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == SEAL_KEY_BYTES, "of libsodium");
_Static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == SEAL_TAG_BYTES, "of libsodium");
_Static_assert(NONCE_BYTES == SEAL_SALT_BYTES + 8, "salt and counter");

static void number_put(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t number_get(const uint8_t *at, int bytes)
{
	uint64_t value = 0;
	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static void nonce_of(const uint8_t *head, uint8_t nonce[NONCE_BYTES])
{
	memcpy(nonce, head + SALT_AT, SEAL_SALT_BYTES);
	memcpy(nonce + SEAL_SALT_BYTES, head + COUNTER_AT, 8);
}

size_t seal_close(const uint8_t key[SEAL_KEY_BYTES], const struct seal_head *head,
	const uint8_t *content, size_t n, uint8_t *out)
{
	uint8_t nonce[NONCE_BYTES];
	unsigned long long length = 0;
	out[0] = FORMAT;
	out[1] = 0;
	number_put(out + 2, head->key, 2);
	number_put(out + 4, head->from, 8);
	number_put(out + 12, head->to, 8);
	number_put(out + COUNTER_AT, head->counter, 8);
	number_put(out + 28, head->time_us, 8);
	memcpy(out + SALT_AT, head->salt, SEAL_SALT_BYTES);
	nonce_of(out, nonce);
	(void)crypto_aead_xchacha20poly1305_ietf_encrypt(
		out + SEAL_HEAD_BYTES, &length, content, n, out, SEAL_HEAD_BYTES, NULL, nonce, key);
	return SEAL_HEAD_BYTES + (size_t)length;
}

bool seal_head_read(const uint8_t *parcel, size_t n, struct seal_head *head_r)
{
	if (n < SEAL_MORE_BYTES || parcel[0] != FORMAT || parcel[1] != 0)
		return false;
	head_r->key = (uint32_t)number_get(parcel + 2, 2);
	head_r->from = number_get(parcel + 4, 8);
	head_r->to = number_get(parcel + 12, 8);
	head_r->counter = number_get(parcel + COUNTER_AT, 8);
	head_r->time_us = number_get(parcel + 28, 8);
	memcpy(head_r->salt, parcel + SALT_AT, SEAL_SALT_BYTES);
	return true;
}

const uint8_t *seal_open(const uint8_t key[SEAL_KEY_BYTES], uint8_t *parcel, size_t n)
{
	uint8_t nonce[NONCE_BYTES];
	uint8_t *content = parcel + SEAL_HEAD_BYTES;
	unsigned long long length = 0;
	if (n < SEAL_MORE_BYTES)
		return NULL;
	nonce_of(parcel, nonce);
	if (crypto_aead_xchacha20poly1305_ietf_decrypt(content, &length, NULL, content,
		    n - SEAL_HEAD_BYTES, parcel, SEAL_HEAD_BYTES, nonce, key) != 0)
		return NULL;
	return content;
}

/* The places of counters between the newest and this one are cleared as it moves on. */
static void window_move(struct seal_window *window, uint64_t counter)
{
	if (counter - window->newest >= SEAL_WINDOW)
		memset(window->seen, 0, sizeof(window->seen));
	else
		for (uint64_t i = 1; i <= counter - window->newest; i++) {
			uint64_t c = window->newest + i;
			window->seen[c % SEAL_WINDOW / 64] &= ~(UINT64_C(1) << (c % 64));
		}
	window->newest = counter;
}

bool seal_window_take(struct seal_window *window, uint64_t counter)
{
	uint64_t bit = UINT64_C(1) << (counter % 64);
	uint64_t *seen = &window->seen[counter % SEAL_WINDOW / 64];
	if (counter == 0 || (counter < window->newest && window->newest - counter >= SEAL_WINDOW))
		return false;
	if (counter > window->newest)
		window_move(window, counter);
	else if ((*seen & bit) != 0)
		return false;
	*seen |= bit;
	return true;
}
