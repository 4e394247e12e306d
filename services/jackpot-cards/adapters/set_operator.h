/* What operators ask of a set of Jackpot Cards on jackpot.commands
 * (libcommon/jackpot/io/jackpot_action.h).
 *
 *   PAUSE, RESUME  no parameters. Paused: no card round begins and nothing accrues; rounds that are
 *                  open are played and paid
 *   PARAMETERS     {"level":"clubs","seed_minor":2000,"wager_ppm":2500}: one of the last two or
 *                  both, in euro cents; waits for the level's next win
 *   ADJUST         {"level":"clubs","delta_minor":-500}: what the level has accrued, in euro cents;
 *                  needs a second approver
 *   WEIGHTS        {"weights":[900,90,9,1]}, with "game" and "operator" for some only: a new
 *                  version; rounds that are open keep theirs
 *   ODDS           {"currency":"EUR","in":1,"of":1000000}, with "game" and "operator" for some
 *                  only: a new version, which the engine takes up within a second
 *   TAKE_PART      {"takes_part":false,"operator":2}, with "game" for one only; operator 0 is all
 *
 * Of several that fit a round, that of its operator and game holds, then of its operator, then of
 * its game, then of all, then the configuration's. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_SET_OPERATOR_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_SET_OPERATOR_H

#include "libcommon/jackpot/io/game_links.h"
#include "services/jackpot-cards/adapters/set_store.h"

/* Done or refused, all of it. Links name the games. */
void set_operator_apply(struct set_instance *instance, const struct game_links *links,
	struct action_record *record, PGconn *conn);
/* Weights that operators have set. */
void set_operator_load(struct set_instance *instance, PGconn *conn);
/* Those for a round that a player of an operator has begun in a game (0: not known). */
const uint32_t *set_operator_weights(
	const struct set_instance *instance, uint32_t operator_id, uint32_t game);
/* Inside the transaction. */
void set_operator_save(struct set_instance *instance, PGconn *conn);

#endif
