/* The random stream of a round: ChaCha20 (RFC 8439, nonce of zeros, block counter from 0) under a
 * 32-byte key, and unbiased numbers from it.
 *
 * Anyone with the key must be able to draw the same numbers, so the method is part of the contract.
 * The stream is read as consecutive little-endian 32-bit words. A 64-bit word is the next two
 * words, the low half first. A number below n is the high half of word * n (Lemire's method). While
 * that product's low half is < 2^k mod n, where k is the width of the word (32 or 64), the word is
 * skipped and the next one is used. Words may be skipped; a number, once drawn, is never discarded.
 *
 * Pure: no allocation, no clock, no state but the caller's. The program calls sodium_init() once at
 * its start; without it the stream is the same but slower. */
#ifndef CARILLON_BASE_RNG_H
#define CARILLON_BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RNG_KEY_BYTES 32
#define RNG_BUFFER_BYTES                                                                           \
	256 /* four blocks of ChaCha20: one vectorised call makes them at little more than the     \
	       price of one */

struct rng_health; /* libcommon/base/rng_health.h */

struct rng {
	uint8_t key[RNG_KEY_BYTES];
	uint8_t buffer[RNG_BUFFER_BYTES];
	uint32_t at;	 /* next unread byte of the buffer */
	uint32_t filled; /* bytes of stream in the buffer */
	uint32_t block;	 /* counter of the next block to make */
	uint64_t drawn;
	const uint32_t *forced; /* tests only: results of the next draws; borrowed */
	size_t forced_count;
	size_t forced_at;
	bool forced_misfit;
	struct rng_health *watch; /* NULL: no health test */
};

void rng_init(struct rng *rng, const uint8_t key[RNG_KEY_BYTES]);

/* Tests only; the caller decides whether a script is permitted. The next `count` draws return these
 * results and leave the stream where it is. A result outside the range of its draw is a mistake in
 * the script: the draw then uses the stream, and rng_forced_misfit() stays true, so the caller can
 * refuse the round. `results` is borrowed until the script is used up. */
void rng_force(struct rng *rng, const uint32_t *results, size_t count);
bool rng_forced_misfit(const struct rng *rng);

/* Uniform in 0..n-1; n > 0. rng_below(rng, 1) is 0 and counts as a draw. */
uint32_t rng_below(struct rng *rng, uint32_t n);
uint64_t rng_below64(struct rng *rng, uint64_t n);

/* From now on `health` (borrowed) tests every new block before a number is taken from the block.
 * The caller reads the result (health->fault) after drawing. The numbers stay the same. */
void rng_watch(struct rng *rng, struct rng_health *health);

/* Draws since rng_init, forced ones included. */
uint64_t rng_drawn(const struct rng *rng);

/* The next bytes of the stream itself, for statistical tests and known answers. Not a draw. */
void rng_bytes(struct rng *rng, uint8_t *out, size_t count);

#endif
