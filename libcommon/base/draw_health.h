/* Health tests of the random numbers behind draws. At the start, they run the known-answer test
 * (rng_known_answer) and test a sample of the operating system's random bytes, from which salts are
 * made. From then on, they test every salt, every round key and every block of the random streams.
 * Salts, keys and streams are tested separately, because a good source would mask a stuck one in a
 * shared test. A fault is final for the process. Costs about 0.1 us a round. Pure: the caller draws
 * and passes the bytes. */
#ifndef CARILLON_BASE_DRAW_HEALTH_H
#define CARILLON_BASE_DRAW_HEALTH_H

#include "libcommon/base/ids.h"
#include "libcommon/base/rng_health.h"

#define DRAW_HEALTH_SAMPLE 4096 /* bytes tested before the first draw */
#define DRAW_HEALTH_SALT 16
#define DRAW_HEALTH_KEY 32
#define DRAW_HEALTH_TEXT_MAX 64

struct draw_health {
	struct rng_health salts, keys, streams;
	uint8_t salt[DRAW_HEALTH_SALT]; /* the last one */
	uint8_t key[DRAW_HEALTH_KEY];
	player_id player; /* of the last key */
	uint64_t move;	  /* of the last key; 0: no key yet */
	bool has_salt;
	bool told; /* the alarm has been raised */
};

/* Runs the known-answer test. RNG_WRONG_ANSWER: nothing may be drawn; else RNG_SOUND. */
enum rng_fault draw_health_init(struct draw_health *health);
/* Call before the first salt, with bytes from the source of salts. */
enum rng_fault draw_health_sample(
	struct draw_health *health, const uint8_t sample[DRAW_HEALTH_SAMPLE]);
/* Tests a new salt and returns the result of all tests so far. The same salt twice in a row is a
 * fault (chance 2^-128). */
enum rng_fault draw_health_salt(struct draw_health *health, const uint8_t salt[DRAW_HEALTH_SALT]);
/* Tests a round key. The same key for two moves in a row is a fault; a retried move may have the
 * same key. */
enum rng_fault draw_health_key(struct draw_health *health, player_id player, uint64_t move,
	const uint8_t key[DRAW_HEALTH_KEY]);
/* Returns the fault of the salts, else that of the keys, else that of the streams; RNG_SOUND if
 * there is none. Streams are tested only if rng_watch passes their blocks to `health->streams`. */
enum rng_fault draw_health_fault(const struct draw_health *health);
/* Text for the alarm and for the reason why play stopped: "salts: repeated". If there is no fault:
 * "sound". `out` holds DRAW_HEALTH_TEXT_MAX bytes and is returned. */
const char *draw_health_text(const struct draw_health *health, char *out);

#endif
