/* Signed heads of the wallet's chain of batches. A head states the digest of a shard's last batch
 * at a moment. Heads are kept outside the database: a database that somebody rewrote, chain
 * included, no longer agrees with them. A head is a line of text:
 *
 *     SHARD BATCH SEQ DIGEST TIME_US SIGNATURE
 *
 * DIGEST is wallet.batch.digest in hex, TIME_US is microseconds since 1970. SIGNATURE is an Ed25519
 * signature in hex (libsodium, crypto_sign_detached). It signs "carillon head 1 " followed by the
 * line up to the space before SIGNATURE. */
#ifndef CARILLON_IO_CHAIN_HEAD_H
#define CARILLON_IO_CHAIN_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHAIN_DIGEST_BYTES 32
#define CHAIN_PUBLIC_BYTES 32
#define CHAIN_SECRET_BYTES 64 /* libsodium's: seed and public key */
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

/* Writes the signed line with its newline and a NUL. Returns its length without the NUL. */
size_t chain_head_format(const struct chain_head *head, const struct chain_key *key,
	char line_r[CHAIN_HEAD_LINE_MAX]);
/* Reads a line (without its newline) and checks its signature. False with the reason, static. */
bool chain_head_read(const char *line, const uint8_t public_key[CHAIN_PUBLIC_BYTES],
	struct chain_head *head_r, const char **wrong_r);

/* Loads the key from a file that holds libsodium's seed as 64 hex digits. Only the file's owner may
 * be able to read it (mode 600, checked). Creates a missing file; when several instances start at
 * once, one creates it and the others read it. False with error set (CHAIN_ERROR_MAX bytes). */
bool chain_key_load(const char *path, struct chain_key *key_r, char *error);
/* Writes the public key, 64 hex digits, if the file is missing or differs. False with error set. */
bool chain_public_write(const char *path, const struct chain_key *key, char *error);
bool chain_public_read(const char *path, uint8_t public_key_r[CHAIN_PUBLIC_BYTES], char *error);

#endif
