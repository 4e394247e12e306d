/* The random part of a card round: a salt from the system, the secret made from it and the deal
 * drawn with the secret. Health tests watch all of it (libcommon/base/draw_health.h); after a fault
 * the service deals no cards. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_DRAW_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_DRAW_H

#include "libcommon/base/draw_health.h"
#include "services/jackpot-cards/adapters/card_keys.h"
#include "services/jackpot-cards/adapters/round_store.h"

/* Fills `out` with random bytes: from the system, or from a test. */
typedef void card_source(void *out, size_t length);

enum card_draw_status {
	CARD_DRAW_OK = 0,
	CARD_DRAW_FAULT, /* a health test failed, now or earlier: draw_health_text says which */
	CARD_DRAW_NO_KEY,
};

/* Call before the first draw: tests known answers and a sample of the source. On anything but
 * RNG_SOUND nothing may be drawn. */
enum rng_fault card_draw_begin(struct draw_health *health, card_source *source);
/* Fills key, salt, weight, secret, its hash and the cards of a round whose id, number and time of
 * opening are set. If the status is not OK, the round is unchanged. */
CARILLON_MUST_CHECK enum card_draw_status card_draw(struct draw_health *health,
	const struct numbered_keys *keys, card_source *source, const uint32_t weight[CARD_LEVELS],
	struct card_play *play);

#endif
