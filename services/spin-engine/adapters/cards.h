/* The engine's side of Jackpot Cards: the odds of each set, and what a reply says of a card round.
 * The rounds themselves are the jackpot-cards service's. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_CARDS_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_CARDS_H

#include "libcommon/jackpot/io/card_sets.h"
#include "libcommon/io/arena.h"
#include "services/spin-engine/adapters/games.h"
#include "services/spin-engine/core/player.h"

#include "spin.pb-c.h"

#include <libpq-fe.h>

/* Loads the sets and checks that each game in one has odds in every currency it is offered in.
 * Fatal, with what was found and expected, where not. */
void cards_load(const char *folder, const struct games *games, struct card_sets *sets_r);
#define CARDS_RULES_MAX 4096

/* What operators have set, over the configuration: read every second. 0 in operator, game or
 * currency: all. */
struct cards_rule {
	uint32_t pool, operator_id, game, currency;
	uint64_t in, of; /* of 0: no cards */
};
struct cards_rules {
	size_t count;
	struct cards_rule rule[CARDS_RULES_MAX];
};

/* Fatal when there are more than fit. */
void cards_rules_read(PGconn *conn, struct cards_rules *rules_r);
/* Those of a game for a player, in a currency; of 0 where no cards may begin: the game is in no
 * set, the set is paused, or the operator takes no part. RULE mystic-gem 6.17 */
struct cards_odds cards_odds_of(const struct card_sets *sets, const struct cards_rules *rules,
	const struct game *game, player_id player, uint32_t currency);

/* NULL: the game waits for no cards. */
Carillon__CardsClaim *cards_waiting(struct arena *arena, const struct player_game *play);
/* The draw of a closed round; NULL: none was made. */
Carillon__CardsDraw *cards_drawn(struct arena *arena, const struct play_round *round);

#endif
