/* Health tests of a random generator: a known-answer test at the start, and the two continuous
 * tests of NIST SP 800-90B, section 4.4 (repetition and proportion), over the bytes in actual use
 * (keys, salts, words of streams). Any fault is final and must stop play. Pure: the caller feeds
 * bytes and reads the result.
 *
 * The chance of a false alarm on uniform bytes is 2^-64 per 64-bit word for the repetition test and
 * 2^-47.8 per window of 512 bytes for the proportion test. Both are far below the usual 2^-30,
 * because an alarm stops all play. At 10^9 rounds a day (about 300 bytes each), 2^-30 per window
 * would mean a false alarm every other day. The chances above mean one in about a thousand
 * years. */
#ifndef CARILLON_BASE_RNG_HEALTH_H
#define CARILLON_BASE_RNG_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RNG_HEALTH_WINDOW 512 /* bytes */
/* A window with this many bytes equal to its first byte is a fault. The first byte counts too. */
#define RNG_HEALTH_CUTOFF 22
#define RNG_HEALTH_WORD 8

enum rng_fault {
	RNG_SOUND = 0,
	RNG_WRONG_ANSWER, /* the known-answer test failed */
	RNG_REPEATED,	  /* a 64-bit word came twice in a row */
	RNG_UNEVEN,	  /* one byte value came too often in a window */
};

struct rng_health {
	enum rng_fault fault; /* the first fault; stays */
	uint64_t fed;	      /* bytes so far */
	uint64_t last_word;
	bool has_word;
	uint8_t part[RNG_HEALTH_WORD]; /* of the word being collected */
	uint32_t part_count;
	uint8_t sample; /* first byte of the window */
	uint32_t window_at, window_same;
};

/* Tests every step from a key to a number: ChaCha20 by RFC 8439 (A.1, vectors 1 and 2) through
 * rng_init and rng_bytes, then the first numbers of a known stream through rng_below. False when
 * any differs. */
bool rng_known_answer(void);

/* Empties `health` and runs the known-answer test; if it fails, the fault is RNG_WRONG_ANSWER. */
void rng_health_init(struct rng_health *health);
/* Tests bytes that were drawn and returns the result of all tests so far. */
enum rng_fault rng_health_feed(struct rng_health *health, const uint8_t *bytes, size_t count);

/* Text for alarms: "repeated". Never changes. Static. */
const char *rng_fault_text(enum rng_fault fault);

#endif
