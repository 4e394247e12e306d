#include "services/spin-engine/adapters/cards.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(CARD_SETS_OF_MAX == CARDS_OF_MAX, "a record holds the largest odds of a set");

static void check_game(const struct card_sets *sets, const struct game *game)
{
	const struct card_set_config *set = card_sets_find(sets, game->cards.pool);

	if (set == NULL || strcmp(set->id, game->cards.set_id) != 0)
		fatal("%s: /cards: found set %" PRIu32
		      " \"%s\", expected number and name of a set in SPIN_ENGINE_CARD_SETS",
			game->id, game->cards.pool, game->cards.set_id);
	for (uint32_t i = 0; i < game->currency_count; i++) {
		const struct currency *currency = currency_by_number(game->currency[i].number);

		if (card_set_odds(set, game->currency[i].number) == NULL)
			fatal("set \"%s\": /odds: found nothing for %s, expected odds: "
			      "the game %s of this set is offered in that currency",
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

void cards_rules_read(PGconn *conn, struct cards_rules *rules_r)
{
	PGresult *result = pg_again(conn,
		"select pool, 0, 0, 0, 0, 0, 0 from cards.card_set where state <> 'live' union all "
		"select pool, operator, game, 0, 0, 0, 0 from cards.participation where not "
		"takes_part union all (select distinct on (pool, operator, game, currency) pool, "
		"operator, game, currency, odds_in, odds_of, 0 from cards.odds order by pool, "
		"operator, game, currency, version desc) union all (select distinct on (pool, "
		"currency) pool, 0, 0, currency, odds_in, odds_of, 1 from cards.set_odds order by "
		"pool, currency, number desc)",
		0, NULL);
	int n = PQntuples(result);

	if (n > CARDS_RULES_MAX && n != rules_r->found)
		log_error_as("engine.cards.too_many_rules",
			"ALARM cards.odds, cards.participation: found %d rules, expected at most "
			"%d: no cards start until there are fewer",
			n, CARDS_RULES_MAX);
	rules_r->found = n;
	n = n <= CARDS_RULES_MAX ? n : 0;
	for (int i = 0; i < n; i++)
		rules_r->rule[i] = (struct cards_rule){ (uint32_t)pg_number(result, i, 0),
			(uint32_t)pg_number(result, i, 1), (uint32_t)pg_number(result, i, 2),
			(uint32_t)pg_number(result, i, 3), (uint64_t)pg_number(result, i, 4),
			(uint64_t)pg_number(result, i, 5), pg_number(result, i, 6) != 0 };
	rules_r->count = (size_t)n;
	PQclear(result);
}

/* The most specific rule applies: the operator's, then the game's, then the general one, then the
 * set's. An operator who opted out has no odds. */
static struct cards_odds odds_by_rules(const struct cards_rules *rules, uint32_t game,
	player_id player, uint32_t currency, struct cards_odds odds)
{
	int closest = -2;

	for (size_t i = 0; i < rules->count; i++) {
		const struct cards_rule *rule = &rules->rule[i];
		int close = rule->of_set
				    ? -1
				    : (rule->operator_id != 0 ? 2 : 0) + (rule->game != 0 ? 1 : 0);

		if (rule->pool != odds.pool ||
			(rule->operator_id != 0 && rule->operator_id != player_operator(player)) ||
			(rule->game != 0 && rule->game != game) ||
			(rule->currency != 0 && rule->currency != currency))
			continue;
		if (rule->of == 0)
			return (struct cards_odds){ .of = 0 };
		if (close <= closest)
			continue;
		closest = close;
		odds.in = rule->in;
		odds.of = rule->of;
	}
	return odds;
}

struct cards_odds cards_odds_of(const struct card_sets *sets, const struct cards_rules *rules,
	const struct game *game, player_id player, uint32_t currency)
{
	const struct card_set_config *set = NULL;
	const struct card_set_odds *odds;

	if (game->cards.pool != 0 && game->cards.eligible)
		set = card_sets_find(sets, game->cards.pool);
	odds = set ? card_set_odds(set, currency) : NULL;
	/* Too many rules: the one that forbids cards may be among those that do not fit. */
	if (rules->found > CARDS_RULES_MAX)
		return (struct cards_odds){ .of = 0 };
	if (!odds) /* an older definition's set may no longer exist: its rounds end without cards */
		return (struct cards_odds){ .of = 0 };
	return odds_by_rules(rules, game->number, player, currency,
		(struct cards_odds){ set->number, odds->in, odds->of });
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
