/* The numbered keys of a service that draws: a file that only its owner may read, with lines
 * "number hex64" or "number hex64 since" and rising numbers. A key without `since` has always been
 * in use; any other is in use from `since` on (seconds since 1970). The newest key in use is the
 * current one. Proofs need every older key for ever. `jackpotctl keys rotate` replaces the file in
 * one step, some seconds before its new key is current; running services read it again. */
#ifndef CARILLON_IO_NUMBERED_KEYS_H
#define CARILLON_IO_NUMBERED_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define NUMBERED_KEY_BYTES 32
#define NUMBERED_KEYS_MAX 16
#define NUMBERED_KEYS_ERROR_MAX 256

struct numbered_key {
	uint32_t number; /* 1 to INT32_MAX */
	uint64_t since_s;
	uint8_t bytes[NUMBERED_KEY_BYTES];
};

struct numbered_keys {
	size_t count;
	struct numbered_key key[NUMBERED_KEYS_MAX];
};

enum numbered_keys_status { NUMBERED_KEYS_OK = 0, NUMBERED_KEYS_MISSING, NUMBERED_KEYS_REFUSED };

/* Reads the file. The caller, not this function, locks the memory of keys_r (sodium_mlock). Unless
 * OK, keys_r is wiped, and `error` (NUMBERED_KEYS_ERROR_MAX bytes) says what is wrong. */
enum numbered_keys_status numbered_keys_load(
	const char *path, struct numbered_keys *keys_r, char *error);
/* If there is no file, creates it with key 1, which the system draws at random. If several
 * instances do this at once, only one file is made, and all of them return true. False: `error`
 * says why not. */
bool numbered_keys_create(const char *path, char *error);
/* Has the file been replaced since `seen`? Updates `seen`. A missing file counts as not replaced
 * and leaves `seen` as it is. Call this once before the first load. */
bool numbered_keys_changed(const char *path, struct stat *seen);
/* Does a file that was read again still have every key of `known`, unchanged? False: `error` names
 * one that is missing or differs. */
bool numbered_keys_follow(const char *path, const struct numbered_keys *fresh,
	const struct numbered_keys *known, char *error);

/* The newest key whose `since` has come, or the first. There is at least one key. */
const struct numbered_key *numbered_keys_current(const struct numbered_keys *keys, uint64_t now_s);
/* NULL: there is no key with this number. */
const struct numbered_key *numbered_keys_find(const struct numbered_keys *keys, uint32_t number);

#endif
