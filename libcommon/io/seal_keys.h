/* The keys that services share in pairs. Only the two services of a pair, SENDER and RECEIVER, hold
 * its key. With it, SENDER seals parcels for RECEIVER and signs events for it on Kafka. The keys
 * are in KEYS/<service>/bus.keys, one per line:
 *
 *     SENDER RECEIVER NUMBER HEX SINCE
 *
 * HEX is 32 bytes in hex digits. SINCE (seconds since 1970) is when SENDER begins to seal with the
 * key. RECEIVER opens parcels with the key as soon as it has read the file. A key of the same pair
 * with a later SINCE replaces it (scripts/bus-keys.sh). */
#ifndef CARILLON_IO_SEAL_KEYS_H
#define CARILLON_IO_SEAL_KEYS_H

#include "libcommon/io/seal.h"

#include <time.h>

#define SEAL_NAME_BYTES 24 /* of a service, with its NUL */
#define SEAL_KEYS_MAX 128
#define SEAL_ERROR_MAX 256

struct seal_key {
	char with[SEAL_NAME_BYTES]; /* the other service */
	bool to_us;		    /* the other service seals for us */
	bool from_us; /* we seal for it; both are set in a service's key with itself */
	uint32_t number;
	uint64_t since_s;
	/* Derived from the line's key and both names. */
	uint8_t parcel[SEAL_KEY_BYTES], event[SEAL_KEY_BYTES];
};

struct seal_keys {
	size_t n;
	struct seal_key key[SEAL_KEYS_MAX];
};

/* Parses the n bytes of a key file for `service`. Pure. On failure: false, and error
 * (SEAL_ERROR_MAX bytes) names the line. */
bool seal_keys_parse(
	const char *text, size_t n, const char *service, struct seal_keys *keys_r, char *error);
/* The key with which we seal for a service: the one with the latest SINCE that has passed, or if
 * none has passed, the one with the earliest SINCE. NULL: there is no key. */
const struct seal_key *seal_key_out(const struct seal_keys *keys, const char *to, uint64_t now_s);
/* The key with this number with which a service seals for us. NULL: there is none. */
const struct seal_key *seal_key_in(const struct seal_keys *keys, const char *from, uint32_t number);

/* Reads KEYS/<service>/bus.keys if it has changed since *changed, the file's time of change at the
 * last reading. *changed_r tells whether it was read. Folder and file must belong to this process's
 * user or to root, and nobody else may read them (modes 700 and 600). On failure: false, with error
 * set. */
bool seal_keys_load(const char *folder, const char *service, struct timespec *changed,
	struct seal_keys *keys_r, bool *changed_r, char *error);

#endif
