/* The random stream of a round: ChaCha20 (RFC 8439, nonce of zeros, block counter from 0) under a
 * 32-byte key, and unbiased numbers from it.
 *
 * Anyone who has the key must be able to draw the same numbers, so the way from stream to number is
 * part of the contract: the stream is read as little-endian 32-bit words, one after the other (a
 * 64-bit word is the next two, the low half first), and a number below n is taken by Lemire's
 * method: the high half of word * n, the word being replaced by the next one only while the low
 * half is < 2^k mod n. A draw is never discarded because of its value. Pure: no allocation, no
 * clock, no state but the caller's. The program calls sodium_init() once at its start (the stream
 * is right without it, only slower). */
#ifndef CARILLON_BASE_RNG_H
#define CARILLON_BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RNG_KEY_BYTES 32
#define RNG_BUFFER_BYTES                                                                           \
	256 /* four blocks of ChaCha20: what one vectorised call makes at little more than the     \
	       price of one */

struct rng_health; /* libcommon/base/rng_health.h */

struct rng {
	uint8_t key[RNG_KEY_BYTES];
	uint8_t buffer[RNG_BUFFER_BYTES];
	uint32_t at;	 /* next unread byte of the buffer */
	uint32_t filled; /* bytes of the buffer that hold stream */
	uint32_t block;	 /* counter of the next block to make */
	uint64_t drawn;
	const uint32_t *forced; /* tests only: results handed out before the stream is touched; the
				   caller's */
	size_t forced_count;
	size_t forced_at;
	bool forced_misfit;
	struct rng_health *watch; /* NULL: nobody's */
};

void rng_init(struct rng *rng, const uint8_t key[RNG_KEY_BYTES]);

/* Tests only; whether a script is permitted is the caller's to decide. The next `count` draws give
 * these results and leave the stream where it is. A result that does not fit its draw's range is a
 * mistake in the script: the stream answers instead and rng_forced_misfit() stays true, so that the
 * caller can refuse the round. `results` is borrowed until the script is used up. */
void rng_force(struct rng *rng, const uint32_t *results, size_t count);
bool rng_forced_misfit(const struct rng *rng);

/* Uniform in 0..n-1. n > 0. rng_below(rng, 1) is 0 and is a draw like any other. */
uint32_t rng_below(struct rng *rng, uint32_t n);
uint64_t rng_below64(struct rng *rng, uint64_t n);

/* Every block that is made from now on is fed to `health` (borrowed) before a number is taken from
 * it; whoever draws asks it for its verdict afterwards. The numbers are the same. */
void rng_watch(struct rng *rng, struct rng_health *health);

/* Results given since rng_init, forced ones too. */
uint64_t rng_drawn(const struct rng *rng);

/* The next bytes of the stream itself, for batteries of tests and known answers. Not a draw. */
void rng_bytes(struct rng *rng, uint8_t *out, size_t count);

#endif
