/* Is the generator still one? A known answer at the start, and two continuous tests after NIST
 * SP 800-90B, 4.4, over what is really used (keys, salts, words of streams): any failure is final
 * and must stop play, for a broken generator is worse than none. Pure: the caller
 * feeds bytes and asks.
 *
 * False alarms, for uniform bytes: repetition 2^-64 a word, proportion 2^-47 a window of 512 bytes.
 * Far below the customary 2^-30, because an alarm stops all play: at 10^9 rounds a day 2^-30 would
 * be one every few weeks, this is one in thousands of years. */
#ifndef CARILLON_BASE_RNG_HEALTH_H
#define CARILLON_BASE_RNG_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RNG_HEALTH_WINDOW 512 /* bytes */
#define RNG_HEALTH_CUTOFF 22  /* of them equal to the first */
#define RNG_HEALTH_WORD 8

enum rng_fault {
	RNG_SOUND = 0,
	RNG_WRONG_ANSWER, /* the known answer did not come */
	RNG_REPEATED,	  /* a 64-bit word came twice in a row */
	RNG_UNEVEN,	  /* one byte value came too often in a window */
};

struct rng_health {
	enum rng_fault fault; /* the first; stays */
	uint64_t fed;	      /* bytes so far */
	uint64_t last_word;
	bool has_word;
	uint8_t part[RNG_HEALTH_WORD]; /* of the word being gathered */
	uint32_t part_count;
	uint8_t sample; /* first byte of the window */
	uint32_t window_at, window_same;
};

/* ChaCha20 by RFC 8439 (A.1, vectors 1 and 2) through rng_init and rng_bytes, and the first numbers
 * of a known stream through rng_below: the whole way from key to number. */
bool rng_known_answer(void);

/* Starts with the known answer. */
void rng_health_init(struct rng_health *health);
/* Feeds what was drawn; the verdict so far. */
enum rng_fault rng_health_feed(struct rng_health *health, const uint8_t *bytes, size_t count);

/* "repeated": stable, for alarms. Static. */
const char *rng_fault_text(enum rng_fault fault);

#endif
