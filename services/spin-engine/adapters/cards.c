#include "services/spin-engine/adapters/cards.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(CARD_SETS_OF_MAX == CARDS_OF_MAX, "what a set may say, a record holds");

static void check_game(const struct card_sets *sets, const struct game *game)
{
	const struct card_set_config *set = card_sets_find(sets, game->cards.pool);

	if (set == NULL || strcmp(set->id, game->cards.set_id) != 0)
		fatal("%s: /cards: found set %" PRIu32
		      " \"%s\", expected one of SPIN_ENGINE_CARD_SETS by number and name",
			game->id, game->cards.pool, game->cards.set_id);
	for (uint32_t i = 0; i < game->currency_count; i++) {
		const struct currency *currency = currency_by_number(game->currency[i].number);

		if (card_set_odds(set, game->currency[i].number) == NULL)
			fatal("set \"%s\": /odds: found nothing for %s, expected odds: %s is "
			      "offered in it and takes part",
				set->id, currency ? currency->code : "?", game->id);
	}
}

void cards_load(const char *folder, const struct games *games, struct card_sets *sets_r)
{
	char error[CARD_SETS_ERROR_MAX];

	if (!card_sets_load("SPIN_ENGINE_CARD_SETS", folder, sets_r, error))
		fatal("%s", error);
	for (size_t i = 0; i < games_count(games); i++)
		if (games_at(games, i)->cards.pool != 0 && games_at(games, i)->cards.eligible)
			check_game(sets_r, games_at(games, i));
}

struct cards_odds cards_odds_of(
	const struct card_sets *sets, const struct game *game, uint32_t currency)
{
	const struct card_set_config *set = NULL;
	const struct card_set_odds *odds;

	if (game->cards.pool != 0 && game->cards.eligible)
		set = card_sets_find(sets, game->cards.pool);
	odds = set ? card_set_odds(set, currency) : NULL;
	if (!odds) /* an older definition's set may be gone: its rounds end without cards */
		return (struct cards_odds){ .of = 0 };
	return (struct cards_odds){ set->number, odds->in, odds->of };
}

static Carillon__CardsClaim *claim_of(struct arena *arena, const struct play_round *round)
{
	Carillon__CardsClaim *claim = arena_take(arena, sizeof(*claim));

	carillon__cards_claim__init(claim);
	claim->move = round->closed_by;
	claim->index = round->cards.index;
	claim->pool = round->cards.pool;
	claim->booked = round->cards.booked;
	return claim;
}

Carillon__CardsClaim *cards_waiting(struct arena *arena, const struct player_game *play)
{
	return player_cards_open(play) ? claim_of(arena, &play->round) : NULL;
}

Carillon__CardsDraw *cards_drawn(struct arena *arena, const struct play_round *round)
{
	Carillon__CardsDraw *message;

	if (round->cards.draw.below == 0)
		return NULL;
	message = arena_take(arena, sizeof(*message));
	carillon__cards_draw__init(message);
	message->draw = arena_take(arena, sizeof(*message->draw));
	carillon__draw__init(message->draw);
	message->draw->meaning = arena_text(arena, "cards");
	message->draw->below = round->cards.draw.below;
	message->draw->value = round->cards.draw.value;
	message->threshold = round->cards.draw.threshold;
	message->triggered = round->cards.index != 0;
	if (message->triggered)
		message->claim = claim_of(arena, round);
	return message;
}
