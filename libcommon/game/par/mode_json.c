#include "libcommon/game/mode_json.h"

#include "libcommon/base/currency.h"
#include "libcommon/game/rational.h"

#include <stdlib.h>

static json_t *parts_json(const struct exact_mode *mode)
{
	json_t *parts = json_array();

	for (uint32_t i = 0; i < mode->part_count; i++)
		json_array_append_new(
			parts, json_pack("{s:s, s:o, s:o}", "source", mode->part[i].source, "rtp",
				       json_decimals(mode->part[i].rtp), "rtp_exact",
				       json_fraction(mode->part[i].rtp)));
	return parts;
}

static json_t *features_json(const struct exact_mode *mode)
{
	json_t *features = json_array();

	for (uint32_t i = 0; i < mode->feature_count; i++) {
		char *text = one_in(mode->feature[i].frequency, DIGITS);

		json_array_append_new(features,
			json_pack("{s:s, s:s}", "name", mode->feature[i].name, "one_in", text));
		free(text);
	}
	return features;
}

static void put_states(json_t *json, const struct exact_mode *mode)
{
	json_t *states;

	if (mode->state_count == 0)
		return;
	states = json_array();
	for (uint32_t i = 0; i < mode->state_count; i++)
		json_array_append_new(states, json_pack("{s:s, s:o}", "state", mode->state[i].name,
						      "rtp", json_decimals(mode->state[i].rtp)));
	json_object_set_new(json, "states", states);
}

static void put_spread(json_t *json, const struct exact_mode *mode)
{
	char *index = rational_root_decimals(mode->variance, VOLATILITY_Z, DIGITS);

	json_object_set_new(json, "hit_rate", json_decimals(mode->hit_rate));
	json_object_set_new(json, "variance", json_decimals(mode->variance));
	json_object_set_new(json, "volatility_index", json_string(index));
	json_object_set_new(json, "max_win_x", json_decimals(mode->max_win));
	json_object_set_new(json, "max_win_where", json_string(mode->max_win_where));
	json_object_set_new(
		json, "max_win_probability_exact", json_fraction(mode->max_win_probability));
	free(index);
}

json_t *mode_json(const struct exact_mode *mode, bool quick)
{
	json_t *json = json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o}", "mode", mode->mode, "published",
		mode->published ? mode->published->percent : NULL, "rtp", json_decimals(mode->rtp),
		"rtp_exact", json_fraction(mode->rtp), "parts", parts_json(mode), "features",
		features_json(mode));

	put_states(json, mode);
	if (!quick)
		put_spread(json, mode);
	json_object_set_new(json, "in_band", json_boolean(mode->in_band));
	return json;
}

json_t *distribution_json(const struct exact_mode *mode)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < mode->win_count; i++)
		json_array_append_new(
			rows, json_pack("{s:o, s:o}", "x", json_fraction(mode->win[i].x),
				      "probability", json_fraction(mode->win[i].probability)));
	return rows;
}

/* The progressive's contribution, in addition to the return at seed. */
static json_t *contribution_json(const struct game *game)
{
	struct exact_contribution contribution;
	json_t *json, *by_currency = json_object();

	exact_contribution(game, &contribution);
	for (uint32_t i = 0; i < contribution.currency_count; i++) {
		const struct currency *currency = currency_by_number(contribution.currency[i]);

		json_object_set_new(by_currency, currency ? currency->code : "?",
			json_decimals(contribution.by_currency[i]));
	}
	json = json_pack("{s:o, s:o, s:o}", "counted_whole",
		json_decimals(contribution.counted_whole), "live_rows",
		json_decimals(contribution.live_rows), "live_rows_by_currency", by_currency);
	exact_contribution_free(&contribution);
	return json;
}

json_t *game_json(const struct game *game, json_t *modes, uint64_t elapsed_us)
{
	char digest[2 * GAME_DIGEST_BYTES + 1];
	json_t *json;

	hex_text(game->digest, GAME_DIGEST_BYTES, digest);
	json = json_pack(
		"{s:s, s:s, s:o}", "game", game->id, "math_version", digest, "modes", modes);
	if (game->jackpot.pool != 0)
		json_object_set_new(json, "contribution", contribution_json(game));
	json_object_set_new(json, "elapsed_ms", json_real((double)elapsed_us / 1000));
	return json;
}
