/* The engine's part of Jackpot Cards: the odds of each set and a card round's part of a reply. The
 * jackpot-cards service plays the card rounds. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_CARDS_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_CARDS_H

#include "libcommon/jackpot/io/card_sets.h"
#include "libcommon/io/arena.h"
#include "services/spin-engine/adapters/games.h"
#include "services/spin-engine/core/player.h"

#include "spin.pb-c.h"

#include <libpq-fe.h>

/* Loads the sets. Fatal, with found and expected, unless each game of a set has odds in every
 * currency it is offered in. */
void cards_load(const char *folder, const struct games *games, struct card_sets *sets_r);
#define CARDS_RULES_MAX 4096

/* Operators' rules and the odds that jackpot-cards has put in force, which override the
 * configuration; read every second. 0 in operator, game or currency: all. */
struct cards_rule {
	uint32_t pool, operator_id, game, currency;
	uint64_t in, of; /* `of` is 0: no cards */
	bool of_set;	 /* the odds of the set itself, in force before any operator's */
};
struct cards_rules {
	size_t count;
	int found; /* in Postgres */
	struct cards_rule rule[CARDS_RULES_MAX];
};

/* More than CARDS_RULES_MAX: an alarm, and no cards start, for nobody. */
void cards_rules_read(PGconn *conn, struct cards_rules *rules_r);
/* The odds of a game for a player, in a currency. `of` is 0 if no cards may begin: the game is in
 * no set, the set is paused, or the operator opted out. RULE mystic-gem 6.17 */
struct cards_odds cards_odds_of(const struct card_sets *sets, const struct cards_rules *rules,
	const struct game *game, player_id player, uint32_t currency);

/* The open claim of Jackpot Cards; NULL: none. */
Carillon__CardsClaim *cards_waiting(struct arena *arena, const struct player_game *play);
/* The draw of a closed round; NULL: none was made. */
Carillon__CardsDraw *cards_drawn(struct arena *arena, const struct play_round *round);

#endif
