/* The random part of a card round: a salt from the system, the secret it makes and the deal under
 * it, all watched (libcommon/base/draw_health.h). A source at fault deals no cards any more. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_DRAW_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_DRAW_H

#include "libcommon/base/draw_health.h"
#include "services/jackpot-cards/adapters/card_keys.h"
#include "services/jackpot-cards/adapters/round_store.h"

/* Random bytes of the system; tests give others. */
typedef void card_source(void *out, size_t length);

enum card_draw_status {
	CARD_DRAW_OK = 0,
	CARD_DRAW_FAULT, /* of the random numbers, now or before: draw_health_text says which */
	CARD_DRAW_NO_KEY,
};

/* Before the first: known answers, and a sample of the source. Anything but RNG_SOUND: nothing may
 * be drawn. */
enum rng_fault card_draw_begin(struct draw_health *health, card_source *source);
/* Fills key, salt, weight, secret, its hash and the cards of a round whose id and number are set.
 * Where it is not OK nothing of the round has changed: what came of bad numbers is not shown. */
CARILLON_MUST_CHECK enum card_draw_status card_draw(struct draw_health *health,
	const struct card_keys *keys, card_source *source, const uint32_t weight[CARD_LEVELS],
	struct card_play *play);

#endif
