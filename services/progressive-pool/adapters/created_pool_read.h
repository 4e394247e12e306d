/* What operators ask with CREATE and TAKE_PART (created_pool.h), read from the action's JSON. Pure.
 */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_CREATED_POOL_READ_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_CREATED_POOL_READ_H

#include "services/progressive-pool/adapters/pool_state.h"

struct created_pool_request {
	uint32_t games_n, games[CREATED_GAMES_MAX];
	struct game_link link;		/* only its jackpot */
	char *text;			/* as it is kept; free() */
	char unknown[GAME_LINK_ID_MAX]; /* refused: named and not among the games; "" */
};

/* False with what was found or expected in refusal (ACTION_TEXT_MAX bytes); text is NULL then. */
bool created_pool_read(const char *parameters, uint32_t number, const struct game_links *links,
	struct created_pool_request *asked_r, char *refusal);
bool take_part_read(
	const char *parameters, uint32_t *operator_r, bool *takes_part_r, char *refusal);

#endif
