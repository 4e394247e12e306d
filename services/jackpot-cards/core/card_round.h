/* A card round: the cards of one trigger, turned up one by one. Picks are numbered from 1 and
 * applied by compare-and-set: a pick sent twice, late or from two windows turns up one card. The
 * pick that completes the level ends the round. The caller prices the level in the commit of that
 * pick (card_set_hit), so if two rounds win the same level, the earlier third card gets it first.
 * Pure: no clock; requirements 11 to 13. */
#ifndef CARILLON_JACKPOT_CARDS_CORE_CARD_ROUND_H
#define CARILLON_JACKPOT_CARDS_CORE_CARD_ROUND_H

#include "services/jackpot-cards/core/card_deal.h"

enum card_pick_status {
	CARD_PICK_OK = 0,
	CARD_PICK_REPEATED, /* this pick was already made at this position: nothing changes */
	CARD_PICK_DIFFERS,  /* this pick was already made at another position */
	CARD_PICK_AHEAD,    /* earlier picks are missing */
	CARD_PICK_TURNED,   /* that card is already face up */
	CARD_PICK_OVER,	    /* the level is already won */
	CARD_PICK_POSITION, /* not 0 to 11; or the pick's number is 0 */
};

struct card_round {
	struct card_deal deal;
	uint8_t picked;		      /* so far */
	uint8_t position[DEAL_CARDS]; /* 0 to 11, of the first pick, the second, .. */
};

const char *card_pick_status_text(enum card_pick_status status);

void card_round_begin(struct card_round *round, const struct card_deal *deal);
/* Pick number `pick` (1, 2, ..) turns up the card at `position`. Anything but OK changes
 * nothing. */
CARILLON_MUST_CHECK enum card_pick_status card_round_pick(
	struct card_round *round, uint32_t pick, uint32_t position);
/* The level is complete: it is won. */
bool card_round_won(const struct card_round *round);
/* For an abandoned round: the lowest position that is still face down. */
uint32_t card_round_next_position(const struct card_round *round);

#endif
