/* Signed heads of the wallet's chain of batches: what a shard's journal ended with at a moment,
 * written outside the database, so that a database that was rewritten with a chain of its own is
 * found. A head is a line of text:
 *
 *     SHARD BATCH SEQ DIGEST TIME_US SIGNATURE
 *
 * DIGEST is wallet.batch.digest in hex, TIME_US microseconds since 1970, SIGNATURE in hex the
 * Ed25519 signature (libsodium, crypto_sign_detached) of "carillon head 1 " and the line up to
 * the space before it. */
#ifndef CARILLON_IO_CHAIN_HEAD_H
#define CARILLON_IO_CHAIN_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHAIN_DIGEST_BYTES 32
#define CHAIN_PUBLIC_BYTES 32
#define CHAIN_SECRET_BYTES 64 /* of libsodium: seed and public key */
#define CHAIN_HEAD_LINE_MAX 320
#define CHAIN_ERROR_MAX 256
#define CHAIN_PUBLIC_FILE "wallet-heads.pub"

struct chain_head {
	uint32_t shard;
	uint64_t batch, seq, time_us;
	uint8_t digest[CHAIN_DIGEST_BYTES];
};

struct chain_key {
	uint8_t public_key[CHAIN_PUBLIC_BYTES];
	uint8_t secret[CHAIN_SECRET_BYTES];
};

/* The line with its newline and NUL; returns its length without the NUL. */
size_t chain_head_format(const struct chain_head *head, const struct chain_key *key,
	char line_r[CHAIN_HEAD_LINE_MAX]);
/* Reads a line (without its newline) and checks its signature. False with what is wrong, static. */
bool chain_head_read(const char *line, const uint8_t public_key[CHAIN_PUBLIC_BYTES],
	struct chain_head *head_r, const char **wrong_r);

/* The key: a file of 64 hex digits, the seed, that only its owner may read. A missing one is made;
 * of several instances that start at once, one makes it. False with error set
 * (CHAIN_ERROR_MAX bytes). */
bool chain_key_load(const char *path, struct chain_key *key_r, char *error);
/* The public key, 64 hex digits: writes the file if it is missing or differs. */
bool chain_public_write(const char *path, const struct chain_key *key, char *error);
bool chain_public_read(const char *path, uint8_t public_key_r[CHAIN_PUBLIC_BYTES], char *error);

#endif
