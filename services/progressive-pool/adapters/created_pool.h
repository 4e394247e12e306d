/* Pools that operators make while the services run, the games that feed them, and who takes part.
 *
 * CREATE takes {"pool":"winter","contribution_ppm":1000,"base_coin_eur_minor":1000,"rows":{..},
 * "games":["bewitched"]}: name, contribution, base coin and rows as in /jackpot of a definition,
 * and the games whose paid stakes feed the pool. Nothing of the games changes: which pool a game's
 * jackpot claims is in its definition, so that a pool which none names is only fed, until a
 * definition names it or it is retired and its money moves on.
 *
 * TAKE_PART takes {"operator":2,"takes_part":false}. The wallet reads the switch within a second:
 * stakes of that operator's players do not feed the pool any more; where the pool is the one that a
 * game's jackpot claims, they cannot bet in that game. */
#ifndef CARILLON_PROGRESSIVE_POOL_ADAPTERS_CREATED_POOL_H
#define CARILLON_PROGRESSIVE_POOL_ADAPTERS_CREATED_POOL_H

#include "services/progressive-pool/adapters/pool_state.h"

/* Into an instance that is zeroed but for its number; false with record->refusal when it cannot be
 * made. What it is launched with is written by the next commit. */
bool created_pool_make(struct pool_instance *instance, struct action_record *record,
	const struct game_links *links, PGconn *conn);
/* Of a stored pool: its links and base coin, where it was made so. */
void created_pool_load(struct pool_instance *instance, PGconn *conn);
/* A definition has come to name the pool for a game: the link is the definition's from now on. */
void created_pool_named(
	struct pool_instance *instance, const struct game_links *links, PGconn *conn);
/* Opens the tallies of the games that feed it, each in a transaction of its own; not before the
 * pool is durable. */
void created_pool_tallies(
	struct pool_instance *instance, const struct game_links *links, PGconn *conn);
void pool_take_part(struct pool_instance *instance, struct action_record *record, PGconn *conn);
/* Inside the transaction. */
void created_pool_save(struct pool_instance *instance, PGconn *conn);

#endif
