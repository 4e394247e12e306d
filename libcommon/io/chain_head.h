/* Signed heads of the wallet's chain of batches. A head states the digest of a shard's last batch
 * at a given time. Heads are kept outside the database: if somebody rewrites the database, even
 * with a consistent chain, it no longer agrees with them. A head is a line of text:
 *
 *     SHARD BATCH SEQ DIGEST TIME_US SIGNATURE
 *
 * DIGEST is wallet.batch.digest in hex, TIME_US is microseconds since 1970. SIGNATURE is an Ed25519
 * signature in hex (libsodium, crypto_sign_detached). It signs "carillon head 1 " followed by the
 * line up to the space before SIGNATURE.
 *
 * The key can be replaced while wallets run. A rotation only adds a line to the file of the public
 * keys. The file's first line is the first key (64 hex digits). Each further line is a later key:
 *
 *     HEX TIME_US SIGNATURE
 *
 * HEX is the later key. SIGNATURE is made with an earlier key; it signs "carillon head key 1 "
 * followed by the line up to the space before SIGNATURE. So whoever trusts the first key can trust
 * all of them, and heads signed by an old key stay readable. */
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
#define CHAIN_KEY_FILE "wallet-heads.key"
#define CHAIN_KEYS_MAX 64

struct chain_head {
	uint32_t shard;
	uint64_t batch, seq, time_us;
	uint8_t digest[CHAIN_DIGEST_BYTES];
};

struct chain_key {
	uint8_t public_key[CHAIN_PUBLIC_BYTES];
	uint8_t secret[CHAIN_SECRET_BYTES];
};

/* All public keys, the oldest first. */
struct chain_publics {
	size_t n;
	uint8_t key[CHAIN_KEYS_MAX][CHAIN_PUBLIC_BYTES];
};

/* Writes the signed line with its newline and a NUL. Returns its length without the NUL. */
size_t chain_head_format(const struct chain_head *head, const struct chain_key *key,
	char line_r[CHAIN_HEAD_LINE_MAX]);
/* Reads a line (without its newline) and checks its signature, by any of the keys. On failure:
 * false, with the reason in *wrong_r (static). */
bool chain_head_read(const char *line, const struct chain_publics *keys, struct chain_head *head_r,
	const char **wrong_r);

/* Loads the key from a file that holds libsodium's seed as 64 hex digits. Only the file's owner may
 * be able to read it (mode 600, checked). Creates a missing file; when several instances start at
 * once, one creates it and the others read it. False with error set (CHAIN_ERROR_MAX bytes). */
bool chain_key_load(const char *path, struct chain_key *key_r, char *error);
/* Makes the public key known: does nothing if the file has it, and fills a missing or empty file. A
 * file that holds one other key and nothing else is overwritten, because then somebody has replaced
 * the key by hand. Any other file is left as it is: false with error set. */
bool chain_public_write(const char *path, const struct chain_key *key, char *error);
/* The first key of the file. */
bool chain_public_read(const char *path, uint8_t public_key_r[CHAIN_PUBLIC_BYTES], char *error);
/* All keys of the file. False with error set: the file cannot be read, or it has a later key that
 * no earlier key signed; then keys_r has the keys before that one. */
bool chain_publics_read(const char *path, struct chain_publics *keys_r, char *error);
/* Do both begin with the same keys, as far as the shorter one goes? */
bool chain_publics_agree(const struct chain_publics *a, const struct chain_publics *b);
/* Replaces the key by a new one: adds the new public key, signed by the old key, to the file of the
 * public keys, then writes the new seed to key_path. A crash in between leaves a public key that
 * nobody uses. False with error set. */
bool chain_key_rotate(const char *key_path, const char *public_path, uint64_t time_us, char *error);

#endif
