#include "libcommon/base/draw_health.h"

#include <stdio.h>
#include <string.h>

enum rng_fault draw_health_init(struct draw_health *health)
{
	memset(health, 0, sizeof(*health));
	rng_health_init(&health->salts);
	health->keys = health->streams = health->salts;
	return draw_health_fault(health);
}

static const struct rng_health *at_fault(const struct draw_health *health)
{
	if (health->salts.fault != RNG_SOUND)
		return &health->salts;
	return health->keys.fault != RNG_SOUND ? &health->keys : &health->streams;
}

enum rng_fault draw_health_fault(const struct draw_health *health)
{
	return at_fault(health)->fault;
}

enum rng_fault draw_health_sample(
	struct draw_health *health, const uint8_t sample[DRAW_HEALTH_SAMPLE])
{
	(void)rng_health_feed(&health->salts, sample, DRAW_HEALTH_SAMPLE);
	return draw_health_fault(health);
}

/* Only the first fault is kept. */
static void found_repeated(struct rng_health *line)
{
	if (line->fault == RNG_SOUND)
		line->fault = RNG_REPEATED;
}

enum rng_fault draw_health_salt(struct draw_health *health, const uint8_t salt[DRAW_HEALTH_SALT])
{
	if (health->has_salt && memcmp(salt, health->salt, DRAW_HEALTH_SALT) == 0)
		found_repeated(&health->salts);
	(void)rng_health_feed(&health->salts, salt, DRAW_HEALTH_SALT);
	memcpy(health->salt, salt, DRAW_HEALTH_SALT);
	health->has_salt = true;
	return draw_health_fault(health);
}

enum rng_fault draw_health_key(struct draw_health *health, player_id player, uint64_t move,
	const uint8_t key[DRAW_HEALTH_KEY])
{
	bool again = player == health->player && move == health->move;

	if (again)
		return draw_health_fault(health);
	if (health->move != 0 && memcmp(key, health->key, DRAW_HEALTH_KEY) == 0)
		found_repeated(&health->keys);
	(void)rng_health_feed(&health->keys, key, DRAW_HEALTH_KEY);
	memcpy(health->key, key, DRAW_HEALTH_KEY);
	health->player = player;
	health->move = move;
	return draw_health_fault(health);
}

const char *draw_health_text(const struct draw_health *health, char *out)
{
	const struct rng_health *line = at_fault(health);
	const char *source = line == &health->salts  ? "salts"
			     : line == &health->keys ? "round keys"
						     : "streams";

	if (line->fault == RNG_SOUND)
		snprintf(out, DRAW_HEALTH_TEXT_MAX, "%s", rng_fault_text(line->fault));
	else
		snprintf(out, DRAW_HEALTH_TEXT_MAX, "%s: %s", source, rng_fault_text(line->fault));
	return out;
}
