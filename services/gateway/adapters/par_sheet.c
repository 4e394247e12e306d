#include "services/gateway/adapters/par_sheet.h"

#include "libcommon/game/bets.h"
#include "libcommon/game/definition_load.h"
#include "libcommon/game/mode_json.h"
#include "libcommon/game/rational.h"
#include "libcommon/io/log.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static char *text_of(json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);

	if (text == NULL)
		fatal("out of memory");
	json_decref(json);
	return text;
}

/* ---- modes ---- */

static const char *bets_of(const struct published_rtp *published)
{
	if (published != NULL && published->bets == PUBLISHED_MAX_BET)
		return "max";
	return published != NULL && published->bets == PUBLISHED_BELOW_MAX_BET ? "below_max"
									       : "all";
}

static json_t *simulated_json(const struct exact_mode *mode)
{
	return json_pack("{s:s, s:s, s:I}", "mode", mode->mode, "simulated",
		mode->published->percent, "rounds", (json_int_t)mode->published->simulated_rounds);
}

/* NULL on success, or what is wrong. */
static const char *modes_put(const struct game *game, json_t *modes)
{
	struct exact_analysis *analysis = exact_open(game, EXACT_ALL);
	const char *wrong = NULL;

	if (analysis == NULL)
		fatal("out of memory");
	for (uint32_t i = 0; wrong == NULL && i < exact_mode_count(game); i++) {
		struct exact_mode mode;
		enum exact_status status = exact_figure(analysis, i, &mode);

		if (status == EXACT_OK || status == EXACT_SIMULATED) {
			json_t *json = status == EXACT_OK ? mode_json(&mode, false)
							  : simulated_json(&mode);
			json_object_set_new(
				json, "mode_id", json_string(game->mode[mode.mode_index].id));
			json_object_set_new(json, "mode_index", json_integer(mode.mode_index));
			json_object_set_new(json, "lines", json_integer(mode.lines));
			json_object_set_new(json, "coins", json_integer(mode.coins));
			json_object_set_new(json, "bets", json_string(bets_of(mode.published)));
			json_array_append_new(modes, json);
			exact_mode_free(&mode);
		} else {
			wrong = status == EXACT_NO_MEMORY ? "there is not enough memory"
							  : "it has no finite return";
		}
	}
	exact_close(&analysis);
	return wrong;
}

/* ---- the chance to win the progressive ---- */

/* Expected jackpots in a paid round of this bet, free spins included. */
static bool chance_at(const struct exact_work *work, uint32_t lines, uint32_t coins, mpq_t chance_r)
{
	struct exact_wager wager;
	struct round_yields yields;
	bool good;

	exact_wager_init(&wager, work->game, lines, coins);
	good = round_yields_of(work, &wager, &yields) == EXACT_OK;
	if (good) {
		mpq_set(chance_r, yields.round.event[EVENT_JACKPOT]);
		round_yields_free(&yields);
	}
	exact_wager_clear(&wager);
	return good;
}

/* y = base_r + slope_r x through two points; without the first one, through 0. */
static void line_through(mpq_srcptr first, unsigned long first_x, const mpq_t second,
	unsigned long second_x, mpq_t base_r, mpq_t slope_r)
{
	mpq_t x;

	mpq_init(x);
	mpq_set_ui(base_r, 0, 1);
	mpq_set(slope_r, second);
	if (first != NULL)
		mpq_sub(slope_r, second, first);
	mpq_set_ui(x, second_x - first_x, 1);
	mpq_div(slope_r, slope_r, x);
	if (first != NULL) {
		mpq_set_ui(x, first_x, 1);
		mpq_mul(x, x, slope_r);
		mpq_sub(base_r, first, x);
	}
	mpq_clear(x);
}

static bool is_on_line(const mpq_t base, const mpq_t slope, const mpq_t y, unsigned long at)
{
	mpq_t x;
	bool same;

	mpq_init(x);
	mpq_set_ui(x, at, 1);
	mpq_mul(x, x, slope);
	mpq_add(x, x, base);
	same = mpq_equal(x, y) != 0;
	mpq_clear(x);
	return same;
}

/* The chance of every bet is base_r + chance_r x the coins of the bet, or false. A pick bonus wins
 * with (a + b y) / (c + d y) for y coins, as often as symbols that no bet changes start it; so
 * three bets on one line prove it for all, if the free spins that the bonus awards do not follow y.
 */
static bool is_by_coins(const struct exact_work *work, mpq_t base_r, mpq_t chance_r)
{
	const struct game *game = work->game;
	const uint32_t bet[3][2] = { { game->lines_min, game->coins_min },
		{ game->lines_max, game->coins_max }, { game->lines_max, game->coins_min } };
	unsigned long coins[3];
	bool good = game->jackpot_symbols.symbol == GAME_NO_SYMBOL;
	mpq_t chance[3];

	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		if (game->pick_outcome[i].kind == PICK_FREE_SPINS &&
			game->pick_outcome[i].weight_per_coin != 0)
			good = false;
	for (uint32_t i = 0; i < 3; i++) {
		mpq_init(chance[i]);
		coins[i] = (unsigned long)bet[i][0] * bet[i][1];
		good = good && chance_at(work, bet[i][0], bet[i][1], chance[i]);
	}
	if (coins[0] == coins[1]) {
		line_through(NULL, 0, chance[0], coins[0], base_r, chance_r);
	} else {
		line_through(chance[0], coins[0], chance[1], coins[1], base_r, chance_r);
		good = good && is_on_line(base_r, chance_r, chance[2], coins[2]);
	}
	for (uint32_t i = 0; i < 3; i++)
		mpq_clear(chance[i]);
	return good;
}

static bool is_at_max(const struct exact_work *work, mpq_t chance_r)
{
	const struct game *game = work->game;
	bool at_max = game->jackpot_symbols.symbol != GAME_NO_SYMBOL &&
		      game->jackpot_symbols.max_bet_only;

	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		if (game->pick_outcome[i].kind == PICK_JACKPOT)
			at_max = false;
	return at_max && chance_at(work, game->lines_max, game->coins_max, chance_r);
}

static json_t *chance_json(const struct game *game, uint32_t mode)
{
	struct exact_work work;
	const char *of = "unknown";
	json_t *json;
	mpq_t base, chance;

	mpq_inits(base, chance, NULL);
	if (exact_work_init(&work, game, mode, EXACT_RETURN) == EXACT_OK) {
		if (is_at_max(&work, chance))
			of = "max";
		else if (is_by_coins(&work, base, chance))
			of = "coins";
		exact_work_free(&work);
	}
	if (strcmp(of, "unknown") == 0) {
		mpq_set_ui(base, 0, 1);
		mpq_set_ui(chance, 0, 1);
	}
	json = json_pack("{s:s, s:s, s:i, s:i, s:o, s:o}", "mode_id", game->mode[mode].id, "of", of,
		"lines", (int)game->lines_max, "coins", (int)game->coins_max, "base_exact",
		json_fraction(base), "chance_exact", json_fraction(chance));
	mpq_clears(base, chance, NULL);
	return json;
}

char *par_sheet(const char *definition, size_t length)
{
	char error[DEFINITION_ERROR_MAX];
	struct game *game = calloc(1, sizeof(*game));
	json_t *modes = json_array(), *chances = json_array(), *json;
	const char *wrong = NULL;

	if (game == NULL)
		fatal("out of memory");
	if (definition_parse_flags("definition", definition, length,
		    DEFINITION_UNPROVEN | DEFINITION_SIMULATED, game, error) != DEFINITION_OK) {
		wrong = error;
	} else {
		wrong = modes_put(game, modes);
		for (uint32_t m = 0;
			wrong == NULL && game->jackpot.pool != 0 && m < game->mode_count; m++)
			json_array_append_new(chances, chance_json(game, m));
		definition_free(game);
	}
	if (wrong != NULL) {
		json = json_pack("{s:s}", "error", wrong);
		json_decref(modes);
	} else {
		json = game_json(game, modes, 0);
		json_object_del(json, "elapsed_ms");
		json_object_set(json, "jackpot", chances);
	}
	json_decref(chances);
	free(game);
	return text_of(json);
}
