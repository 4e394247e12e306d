/* Pools that operators create at run time, the games that feed them, and which operators opted out.
 *
 * CREATE takes {"pool":"winter","contribution_ppm":1000,"base_coin_eur_minor":1000,"rows":{..},
 * "games":["bewitched"]}: name, contribution, base coin and rows as in /jackpot of a definition,
 * and the games whose paid stakes feed the pool. The games do not change: a game's definition says
 * which pool its jackpot claims. A pool that no definition names is only fed, until a definition
 * names it or it is retired and its money transferred.
 *
 * TAKE_PART takes {"operator":2,"takes_part":false}. The wallet reads the switch within a second:
 * stakes of that operator's players no longer feed the pool. If a game's jackpot claims the pool,
 * they cannot bet in that game. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_CREATED_POOL_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_CREATED_POOL_H

#include "services/progressive-pool/adapters/pool_state.h"

/* Creates the pool in an instance that is zeroed except for its number; the next commit writes it.
 * False: record->refusal says why not. */
bool created_pool_make(struct pool_instance *instance, struct action_record *record,
	const struct game_links *links, PGconn *conn);
/* Loads the games and base coin of a stored pool, if it was created at run time. */
void created_pool_load(struct pool_instance *instance, PGconn *conn);
/* If a definition now names the pool for a game, that definition replaces the created link. */
void created_pool_named(
	struct pool_instance *instance, const struct game_links *links, PGconn *conn);
/* Opens the tallies of the games that feed the pool, each in its own transaction. Only once the
 * pool is durable. */
void created_pool_tallies(
	struct pool_instance *instance, const struct game_links *links, PGconn *conn);
void pool_take_part(struct pool_instance *instance, struct action_record *record, PGconn *conn);
/* Inside the transaction. */
void created_pool_save(struct pool_instance *instance, PGconn *conn);

#endif
