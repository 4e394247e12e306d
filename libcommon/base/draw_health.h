/* Is what draws are made of still random? The known answer and a sample of the source at the start,
 * and the continuous tests over every salt from the OS, every key of a round and every block of the
 * streams that are drawn, each on a line of its own: mixed, a source that is stuck would hide
 * between the bytes of the other. A fault is final for the process. All of it
 * costs about 0.1 us a round. Pure: the caller draws. */
#ifndef CARILLON_BASE_DRAW_HEALTH_H
#define CARILLON_BASE_DRAW_HEALTH_H

#include "libcommon/base/ids.h"
#include "libcommon/base/rng_health.h"

#define DRAW_HEALTH_SAMPLE 4096 /* bytes of the source that are tested before anything is drawn */
#define DRAW_HEALTH_SALT 16
#define DRAW_HEALTH_KEY 32
#define DRAW_HEALTH_TEXT_MAX 64

struct draw_health {
	struct rng_health salts, keys, streams;
	uint8_t salt[DRAW_HEALTH_SALT]; /* the last */
	uint8_t key[DRAW_HEALTH_KEY];
	player_id player; /* whose key it was, */
	uint64_t move;	  /* and of which move; 0: none yet */
	bool has_salt;
	bool told; /* the alarm was raised */
};

/* RNG_SOUND, or RNG_WRONG_ANSWER: nothing may be drawn. */
enum rng_fault draw_health_init(struct draw_health *health);
/* Before the first salt: bytes of the source that salts come from. */
enum rng_fault draw_health_sample(
	struct draw_health *health, const uint8_t sample[DRAW_HEALTH_SAMPLE]);
/* Feeds what was drawn; the verdict on all so far. The same salt twice in a row is a fault
 * (2^-128). */
enum rng_fault draw_health_salt(struct draw_health *health, const uint8_t salt[DRAW_HEALTH_SALT]);
/* The key of a round: the same for two moves in a row is a fault; a move that is tried again has
 * the same key. */
enum rng_fault draw_health_key(struct draw_health *health, player_id player, uint64_t move,
	const uint8_t key[DRAW_HEALTH_KEY]);
/* Of salts, keys and the streams that `streams` has watched. */
enum rng_fault draw_health_fault(const struct draw_health *health);
/* "salts: repeated", for the alarm and the reason of the stop; "sound". `out` holds
 * DRAW_HEALTH_TEXT_MAX bytes; returned. */
const char *draw_health_text(const struct draw_health *health, char *out);

#endif
