/* A definition during a search. */
#include "libcommon/game/definition_load.h"
#include "tools/slotmath/search.h"

#include <stdlib.h>
#include <string.h>

bool draft_renew(struct draft *draft, char *error)
{
	char *text = json_dumps(draft->json, JSON_COMPACT);
	bool good;

	definition_free(draft->game);
	good = text && definition_parse_flags("draft", text, strlen(text), DEFINITION_UNPROVEN,
			       draft->game, error) == DEFINITION_OK;
	free(text);
	return good;
}

void draft_open(struct draft *draft, const char *path)
{
	char error[DEFINITION_ERROR_MAX];
	json_error_t where;

	*draft = (struct draft){ .json = json_load_file(path, JSON_REJECT_DUPLICATES, &where),
		.game = calloc(1, sizeof(*draft->game)) };
	if (!draft->json)
		refuse("%s: line %d: %s", path, where.line, where.text);
	if (!draft->game)
		refuse("out of memory: needs %zu bytes", sizeof(*draft->game));
	if (!draft_renew(draft, error))
		refuse("%s: %s", path, error);
}

void draft_close(struct draft *draft)
{
	json_decref(draft->json);
	definition_free(draft->game);
	free(draft->game);
	*draft = (struct draft){ .json = NULL };
}

void draft_return(const struct draft *draft, uint32_t mode, enum exact_depth depth, mpq_t rtp_r,
	mpq_t hit_rate_r)
{
	for (uint32_t i = 0; i < exact_mode_count(draft->game); i++) {
		struct exact_mode figures;

		if (exact_mode(draft->game, i, depth, &figures) != EXACT_OK)
			refuse("out of memory for the exact return");
		if (figures.mode_index == mode) {
			mpq_set(rtp_r, figures.rtp);
			if (depth == EXACT_ALL)
				mpq_set(hit_rate_r, figures.hit_rate);
			exact_mode_free(&figures);
			return;
		}
		exact_mode_free(&figures);
	}
	refuse("mode: found no exact figure for mode %u, expected one", mode);
}

void draft_state_return(const struct draft *draft, const struct search_stage *stage, mpq_t rtp_r)
{
	bool found = false;

	for (uint32_t i = 0; i < exact_mode_count(draft->game) && !found; i++) {
		struct exact_mode figures;

		if (exact_mode(draft->game, i, EXACT_RETURN, &figures) != EXACT_OK)
			refuse("out of memory for the exact return");
		for (uint32_t k = 0; k < figures.state_count && !found; k++) {
			found = figures.mode_index == stage->mode &&
				strcmp(figures.state[k].name, stage->state) == 0;
			if (found)
				mpq_set(rtp_r, figures.state[k].rtp);
		}
		exact_mode_free(&figures);
	}
	if (!found)
		refuse("search: /stages/%zu/state: found '%s', expected a state of mode %s",
			stage->index, stage->state, draft->game->mode[stage->mode].id);
}

/* A list of symbols; with weights if the stops have different weights. */
static json_t *strip_json(const struct game *game, const struct game_strip *strip)
{
	json_t *symbols = json_array(), *weights = json_array();
	bool even = true;

	for (uint32_t i = 0; i < strip->length; i++) {
		json_array_append_new(symbols, json_string(game->symbol[strip->symbol[i]].id));
		json_array_append_new(weights, json_integer(strip->stop_weight[i]));
		even = even && strip->stop_weight[i] == strip->stop_weight[0];
	}
	if (!even)
		return json_pack("{s:o, s:o}", "symbols", symbols, "weights", weights);
	json_decref(weights);
	return symbols;
}

void draft_put_strips(struct draft *draft, uint32_t set)
{
	const struct game *game = draft->game;
	const struct game_strips *strips = &game->strips[set];
	json_t *reels = json_array();

	for (uint32_t r = 0; r < game->reels; r++)
		json_array_append_new(reels, strip_json(game, &strips->reel[r]));
	json_object_set_new(json_object_get(draft->json, "strips"), strips->id, reels);
}
