/* What an operator asks of a set of Jackpot Cards, read from the action's JSON (set_operator.h).
 * Pure. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_SET_REQUEST_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_SET_REQUEST_H

#include "libcommon/jackpot/io/game_links.h"
#include "services/jackpot-cards/adapters/set_store.h"

/* What any of the actions may say. */
struct set_request {
	bool has_seed, has_ppm, has_delta, has_weights, has_odds, has_part, takes_part;
	enum card_level level; /* 0: none */
	int64_t seed_minor, wager_ppm, delta_minor, odds_in, odds_of, operator_id;
	uint32_t game, currency, weight[CARD_LEVELS];
	char unknown[GAME_LINK_ID_MAX]; /* refused: named and no game of the set; "" */
};

/* Each member alone; which of them an action needs is its own to say. False with what was found or
 * expected in refusal (ACTION_TEXT_MAX bytes). */
bool set_request_read(const char *text, const struct game_links *links, uint32_t set,
	struct set_request *asked_r, char *refusal);
/* All that ODDS needs is there. */
bool set_request_odds(const struct set_request *asked, char *refusal);

#endif
