/* Parses the JSON parameters of CREATE and TAKE_PART (created_pool.h). Pure.
 */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_CREATED_POOL_READ_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_CREATED_POOL_READ_H

#include "services/progressive-pool/adapters/pool_state.h"

struct created_pool_request {
	uint32_t games_n, games[CREATED_GAMES_MAX];
	struct game_link link;		/* only its jackpot is set */
	char *text;			/* as it is stored; free() */
	char unknown[GAME_LINK_ID_MAX]; /* refused: the unknown game that it names; else "" */
};

/* False: refusal (ACTION_TEXT_MAX bytes) says what was found or expected, and text is NULL. */
bool created_pool_read(const char *parameters, uint32_t number, const struct game_links *links,
	struct created_pool_request *asked_r, char *refusal);
bool take_part_read(
	const char *parameters, uint32_t *operator_r, bool *takes_part_r, char *refusal);

#endif
