#include "services/spin-engine/adapters/keys.h"

#include "libcommon/base/sha256.h"
#include "libcommon/io/clock.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/* Allocated with sodium_malloc: locked, guarded, wiped when freed. */
struct keys {
	struct numbered_keys file;
	struct hmac256 hmac[NUMBERED_KEYS_MAX];
};

static struct keys *keys_new(void)
{
	struct keys *keys = sodium_malloc(sizeof(*keys));

	assert(keys);
	memset(keys, 0, sizeof(*keys));
	return keys;
}

void keys_free(struct keys **keys)
{
	sodium_free(*keys);
	*keys = NULL;
}

static void derive(struct keys *keys)
{
	for (size_t i = 0; i < keys->file.count; i++)
		hmac256_key(&keys->hmac[i], keys->file.key[i].bytes);
}

struct keys *keys_of(const uint8_t bytes[SECRET_BYTES])
{
	struct keys *keys = keys_new();

	keys->file.count = 1;
	keys->file.key[0].number = 1;
	memcpy(keys->file.key[0].bytes, bytes, SECRET_BYTES);
	derive(keys);
	return keys;
}

enum numbered_keys_status keys_load(const char *path, struct keys **keys_r, char *error)
{
	struct keys *keys = keys_new();
	enum numbered_keys_status status = numbered_keys_load(path, &keys->file, error);

	if (status != NUMBERED_KEYS_OK) {
		keys_free(&keys);
		return status;
	}
	derive(keys);
	*keys_r = keys;
	return NUMBERED_KEYS_OK;
}

bool keys_follow(const char *path, const struct keys *fresh, const struct keys *keys, char *error)
{
	return numbered_keys_follow(path, &fresh->file, &keys->file, error);
}

void keys_take(struct keys *keys, struct keys **fresh)
{
	*keys = **fresh;
	keys_free(fresh);
}

uint32_t keys_current(const struct keys *keys)
{
	return numbered_keys_current(&keys->file, clock_wall_us() / 1000000)->number;
}

size_t keys_count(const struct keys *keys)
{
	return keys->file.count;
}

uint32_t keys_number(const struct keys *keys, size_t at)
{
	return keys->file.key[at].number;
}

void keys_check(const struct keys *keys, size_t at, uint8_t check_r[KEY_CHECK_BYTES])
{
	static const char what[] = "carillon key check";
	uint8_t full[SECRET_BYTES];

	hmac256(&keys->hmac[at], NULL, 0, what, sizeof(what) - 1, full);
	memcpy(check_r, full, KEY_CHECK_BYTES);
}

static void put_number(uint64_t value, uint8_t out[8])
{
	for (int i = 0; i < 8; i++)
		out[i] = (uint8_t)(value >> (56 - 8 * i));
}

bool keys_secret(const struct keys *keys, player_id player, uint64_t move,
	const struct player_salt *salt, uint8_t secret_r[SECRET_BYTES])
{
	uint8_t head[16];
	const struct numbered_key *key = numbered_keys_find(&keys->file, salt->key);

	if (!key)
		return false;
	put_number((uint64_t)player, head);
	put_number(move, head + 8);
	hmac256(&keys->hmac[key - keys->file.key], head, sizeof(head), salt->bytes,
		PLAYER_SALT_BYTES, secret_r);
	return true;
}

void keys_secret_hash(const uint8_t secret[SECRET_BYTES], uint8_t hash_r[SECRET_BYTES])
{
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, secret, SECRET_BYTES);
	sha256_end(&sha, hash_r);
}

void keys_stream(const uint8_t secret[SECRET_BYTES], const uint8_t *nonce, size_t nonce_length,
	const char *purpose, uint8_t key_r[PLAYER_KEY_BYTES])
{
	struct hmac256 hmac;

	hmac256_key(&hmac, secret);
	hmac256(&hmac, nonce, nonce_length, purpose, strlen(purpose), key_r);
	sodium_memzero(&hmac, sizeof(hmac));
}

void keys_salt(const struct keys *keys, struct player_salt *salt_r)
{
	randombytes_buf(salt_r->bytes, sizeof(salt_r->bytes));
	salt_r->key = keys_current(keys);
}
