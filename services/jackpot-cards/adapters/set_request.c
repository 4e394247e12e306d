/* Parameters of operators' actions on a set. */
#include "services/jackpot-cards/adapters/set_request.h"

#include "libcommon/base/currency.h"

#include <jansson.h>

#include <inttypes.h>
#include <string.h>

static bool whole(
	json_t *json, const char *name, int64_t min, int64_t max, int64_t *value_r, char *refusal)
{
	bool good = json_is_integer(json) && json_integer_value(json) >= min &&
		    json_integer_value(json) <= max;
	if (good)
		*value_r = json_integer_value(json);
	else
		action_refuse(refusal,
			"parameters /%s: expected a whole number, %" PRId64 " to %" PRId64, name,
			min, max);
	return good;
}

static bool level_of(json_t *json, struct set_request *asked, char *refusal)
{
	for (int i = CARD_CLUBS; json_is_string(json) && i <= (int)CARD_SPADES; i++)
		if (strcmp(json_string_value(json), card_level_text((enum card_level)i)) == 0)
			asked->level = (enum card_level)i;
	return asked->level != 0 ||
	       action_refuse(refusal,
		       "parameters /level: expected \"clubs\", \"diamonds\", \"hearts\" or "
		       "\"spades\"");
}

static bool game_of(json_t *json, const struct game_links *links, uint32_t set,
	struct set_request *asked, char *refusal)
{
	for (size_t i = 0; json_is_string(json) && i < links->count; i++)
		if (strcmp(json_string_value(json), links->link[i].id) == 0 &&
			links->link[i].cards.pool == set)
			asked->game = links->link[i].game;
	if (asked->game == 0 && json_is_string(json) &&
		json_string_length(json) < sizeof(asked->unknown))
		memcpy(asked->unknown, json_string_value(json), json_string_length(json) + 1);
	return asked->game != 0 ||
	       action_refuse(refusal, "parameters /game: expected the id of a game of this set");
}

static bool weights_of(json_t *json, struct set_request *asked, char *refusal)
{
	int64_t sum = 0, weight;
	if (json_array_size(json) != CARD_LEVELS)
		return action_refuse(
			refusal, "parameters /weights: expected %d whole numbers", CARD_LEVELS);
	for (size_t i = 0; i < CARD_LEVELS; i++) {
		if (!whole(json_array_get(json, i), "weights", 0, CARD_WEIGHT_MAX, &weight,
			    refusal))
			return false;
		asked->weight[i] = (uint32_t)weight;
		sum += weight;
	}
	if (sum < 1 || sum > (int64_t)CARD_WEIGHT_MAX)
		return action_refuse(
			refusal, "parameters /weights: expected a sum of 1 to %u", CARD_WEIGHT_MAX);
	return asked->has_weights = true;
}

static bool currency_of(json_t *json, struct set_request *asked, char *refusal)
{
	const struct currency *currency =
		json_is_string(json) ? currency_by_code(json_string_value(json)) : NULL;
	if (currency == NULL)
		return action_refuse(
			refusal, "parameters /currency: expected a code, such as \"EUR\"");
	asked->currency = currency->number;
	return true;
}

static bool read_member(const char *name, json_t *json, const struct game_links *links,
	uint32_t set, struct set_request *asked, char *refusal)
{
	if (strcmp(name, "level") == 0)
		return level_of(json, asked, refusal);
	if (strcmp(name, "game") == 0)
		return game_of(json, links, set, asked, refusal);
	if (strcmp(name, "weights") == 0)
		return weights_of(json, asked, refusal);
	if (strcmp(name, "currency") == 0)
		return currency_of(json, asked, refusal);
	if (strcmp(name, "operator") == 0)
		return whole(json, name, 0, (int64_t)OPERATOR_MAX, &asked->operator_id, refusal);
	if (strcmp(name, "seed_minor") == 0)
		return asked->has_seed = whole(
			       json, name, 1, POOL_SEED_MINOR_MAX, &asked->seed_minor, refusal);
	if (strcmp(name, "wager_ppm") == 0)
		return asked->has_ppm = whole(json, name, 0, 1000000, &asked->wager_ppm, refusal);
	if (strcmp(name, "delta_minor") == 0)
		return asked->has_delta = whole(json, name, -POOL_SEED_MINOR_MAX,
			       POOL_SEED_MINOR_MAX, &asked->delta_minor, refusal);
	if (strcmp(name, "of") == 0)
		return asked->has_odds =
			       whole(json, name, 1, CARD_SETS_OF_MAX, &asked->odds_of, refusal);
	if (strcmp(name, "in") == 0)
		return whole(json, name, 1, CARD_SETS_OF_MAX, &asked->odds_in, refusal);
	if (strcmp(name, "takes_part") == 0 && json_is_boolean(json)) {
		asked->takes_part = json_is_true(json);
		return asked->has_part = true;
	}
	return action_refuse(
		refusal, "parameters /%.64s: this member or its value is not expected", name);
}

bool set_request_read(const char *text, const struct game_links *links, uint32_t set,
	struct set_request *asked_r, char *refusal)
{
	json_t *json = json_loads(text[0] != '\0' ? text : "{}", JSON_REJECT_DUPLICATES, NULL);
	const char *name;
	json_t *value;
	bool good = json_is_object(json) ||
		    action_refuse(refusal, "parameters: expected a JSON object");
	memset(asked_r, 0, sizeof(*asked_r));
	if (good)
		json_object_foreach(json, name, value)
		{
			good = good && read_member(name, value, links, set, asked_r, refusal);
		}
	json_decref(json);
	return good;
}

bool set_request_odds(const struct set_request *asked, char *refusal)
{
	if (asked->currency == 0 || !asked->has_odds || asked->odds_in < 1 ||
		asked->odds_in > asked->odds_of)
		return action_refuse(refusal,
			"parameters: expected /currency, /in and /of, with /in at most /of");
	return true;
}
