/* A round of Jackpot Cards as the gateway tells it (docs/contracts.md, "Jackpot Cards"), and what a
 * player holds it to. No I/O. */
#ifndef CARILLON_SUPPORT_PLAYERS_CARD_VIEW_H
#define CARILLON_SUPPORT_PLAYERS_CARD_VIEW_H

#include <jansson.h>

#include <stdbool.h>
#include <stdint.h>

#define CARD_PLACES 12
#define CARD_SUITS 4
#define CARDS_OF_A_SUIT 3

struct card_view {
	bool present;
	uint64_t move; /* of its claim, as index and pool */
	uint32_t index, pool;
	uint32_t turned_n;
	struct {
		uint32_t position, suit; /* 0 to 11; 1 to 4, 0: no suit at all */
	} turned[CARD_PLACES];
	uint32_t next_pick; /* 0: it is won */
	bool won, booked, has_hash, has_secret;
	uint32_t level; /* 0: not told */
	int64_t paid;
	uint8_t secret_hash[32], secret[32];
};

/* `json` is a card round. */
void card_view_read(const json_t *json, struct card_view *view_r);
/* The same out of an answer: its "card_round", or the one of that claim among its "rounds". False:
 * it is not there. */
bool card_view_find(const json_t *answer, uint64_t move, uint32_t index, struct card_view *view_r);
/* What is wrong with it, by itself and as a successor of what was known before (NULL or not
 * present: nothing); NULL: all is well. Static. The secret is compared by the caller. */
const char *card_view_fault(const struct card_view *before, const struct card_view *view);
/* A place that is face down, by a number of any size. */
uint32_t card_view_place(const struct card_view *view, uint64_t random);

#endif
