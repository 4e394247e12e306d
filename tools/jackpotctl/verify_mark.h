/* The mark of `ledger verify --since-last`: who wrote the state of a proof, and which proof it was.
 *
 * The state is a file beside the heads, so whoever can write there could change it, or put an older
 * one back. It is therefore numbered and signed (Ed25519) with ledger-verify.key in CARILLON_KEYS,
 * which the first such proof creates: a key of its own, so that whoever proves needs no key of a
 * service, and no service can move the mark. Beside the key, ledger-verify.last keeps the number
 * and digest of the last mark of each file, so an older mark is named.
 *
 *     signed: "carillon mark 1 " NUMBER " " SHA256     the digest of the contents, in hex
 *     ledger-verify.last: lines of NUMBER SHA256 PATH   the path as given, made absolute */
#ifndef CARILLON_JACKPOTCTL_VERIFY_MARK_H
#define CARILLON_JACKPOTCTL_VERIFY_MARK_H

#include "libcommon/io/chain_head.h"

#include <jansson.h>

#include <stdbool.h>
#include <stdint.h>

#define MARK_PATH_MAX 4352
#define MARK_ERROR_MAX 512

struct verify_mark {
	char path[MARK_PATH_MAX];   /* of the state, absolute */
	char record[MARK_PATH_MAX]; /* ledger-verify.last */
	struct chain_key key;
	int lock;	 /* held until mark_close: one proof moves the marks at a time */
	uint64_t number; /* of the last mark of this path; 0: none */
	char digest[65]; /* of that mark; hex */
};

/* Loads or creates the key, waits until no other proof holds it, and reads the record of this
 * state. False with error set (MARK_ERROR_MAX bytes). */
bool mark_open(const char *state, struct verify_mark *mark_r, char *error);
/* Is the state with this digest signed, and not older than the last one? *unsigned_r: it comes from
 * a build that did not sign, and none was signed since; do not build on it. The next mark's number
 * follows this one's. False: error names what is wrong. */
bool mark_check(struct verify_mark *mark, const json_t *root, const char *digest, bool *unsigned_r,
	char *error);
/* Adds the next number and the signature to the state. */
void mark_sign(struct verify_mark *mark, json_t *root, const char *digest);
/* Keeps number and digest of the signed state, once its file is written. False with error set. */
bool mark_keep(const struct verify_mark *mark, char *error);
void mark_close(struct verify_mark *mark);

#endif
