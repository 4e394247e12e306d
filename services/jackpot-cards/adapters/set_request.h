/* Reads the parameters of an operator's action on a set of Jackpot Cards from JSON
 * (set_operator.h). Pure. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_SET_REQUEST_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_SET_REQUEST_H

#include "libcommon/jackpot/io/game_links.h"
#include "services/jackpot-cards/adapters/set_store.h"

/* The parameters of all actions. */
struct set_request {
	bool has_seed, has_ppm, has_delta, has_weights, has_odds, has_part, takes_part;
	enum card_level level; /* 0: none */
	int64_t seed_minor, wager_ppm, delta_minor, odds_in, odds_of, operator_id;
	uint32_t game, currency, weight[CARD_LEVELS];
	char unknown[GAME_LINK_ID_MAX]; /* the refused name of a game that is not of the set; "":
					   none */
};

/* Checks each member alone; the action checks which members it needs. False with the reason in
 * `refusal` (ACTION_TEXT_MAX bytes). */
bool set_request_read(const char *text, const struct game_links *links, uint32_t set,
	struct set_request *asked_r, char *refusal);
/* True when all members that ODDS needs are present. */
bool set_request_odds(const struct set_request *asked, char *refusal);

#endif
