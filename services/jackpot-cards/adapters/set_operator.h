/* Operators' actions on a set of Jackpot Cards
 * (libcommon/jackpot/io/jackpot_action.h).
 *
 *   PAUSE, RESUME  no parameters. While paused no card round starts and nothing accrues; open
 *                  rounds are played and paid
 *   PARAMETERS     {"level":"clubs","seed_minor":2000,"wager_ppm":2500}: one of the last two or
 *                  both, in euro cents; applies after the level's next win
 *   ADJUST         {"level":"clubs","delta_minor":-500}: changes what the level has accrued, in
 *                  euro cents; needs a second approver
 *   WEIGHTS        {"weights":[900,90,9,1]}, with "game" and "operator" for these only: a new
 *                  version; open rounds keep the old one
 *   ODDS           {"currency":"EUR","in":1,"of":1000000}, with "game" and "operator" for
 *                  these only: a new version, which the engine uses within a second
 *   TAKE_PART      {"takes_part":false,"operator":2}, with "game" for one game only; operator 0 is
 * all
 *
 * If several settings fit a round, the first of these applies: its operator and game, its operator,
 * its game, all, the configuration. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_SET_OPERATOR_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_SET_OPERATOR_H

#include "libcommon/jackpot/io/game_links.h"
#include "services/jackpot-cards/adapters/set_store.h"

/* Applies or refuses a whole action. `links` name the games. */
void set_operator_apply(struct set_instance *instance, const struct game_links *links,
	struct action_record *record, PGconn *conn);
/* Loads the weights that operators have set. */
void set_operator_load(struct set_instance *instance, PGconn *conn);
/* The weights for a card round of an operator's player in a game (0: not known). */
const uint32_t *set_operator_weights(
	const struct set_instance *instance, uint32_t operator_id, uint32_t game);
/* Inside the transaction. */
void set_operator_save(struct set_instance *instance, PGconn *conn);

#endif
