/* Builds the document of a PAR sheet from its sections. */
#include "libcommon/game/par.h"

#include "libcommon/game/rational.h"
#include "libcommon/game/mode_json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void par_refuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("PAR sheet: ", stderr);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("\n", stderr);
	exit(2);
}

/* ---- one figure ---- */

static void context_init(struct par_mode *mode, struct par_context *context)
{
	context->figures = mode->work.spin[context->context];
	mpq_init(context->spins);
	if (context->figures == NULL)
		return;
	par_combinations_init(&context->combinations, context->figures, &mode->wager);
	par_prove("the combinations", context->combinations.return_,
		context->yield->win[SOURCE_LINES]);
}

void par_mode_init(
	struct par_mode *mode, struct par_texts *texts, const struct game *game, uint32_t index)
{
	struct par_context *paid = &mode->context[0], *free_spin = &mode->context[1];
	bool good;

	*mode = (struct par_mode){ .game = game, .texts = texts };
	good = exact_mode(game, index, EXACT_ALL, &mode->figures) == EXACT_OK &&
	       exact_work_init(&mode->work, game, mode->figures.mode_index, EXACT_RETURN) ==
		       EXACT_OK;
	if (game_mode_simulated(&game->mode[mode->figures.mode_index]))
		par_refuse(
			"%s: the return of mode %s is simulated, so there are no exact figures to show",
			game->id, mode->figures.mode);
	if (!good)
		par_refuse("out of memory for %s", game->id);
	mode->rules = &game->mode[mode->figures.mode_index];
	exact_wager_init(&mode->wager, game, mode->figures.lines, mode->figures.coins);
	if (round_yields_of(&mode->work, &mode->wager, &mode->yields) != EXACT_OK)
		par_refuse("out of memory for %s", game->id);
	*paid = (struct par_context){ .context = CONTEXT_BASE,
		.id = "paid",
		.title = "the paid spin",
		.yield = &mode->yields.paid };
	*free_spin = (struct par_context){ .context = CONTEXT_FREE,
		.id = "free",
		.title = "free spins",
		.yield = &mode->yields.free_spin };
	context_init(mode, paid);
	context_init(mode, free_spin);
	mpq_set_ui(paid->spins, 1, 1);
	mpq_set(free_spin->spins, mode->yields.round.awards);
}

void par_mode_clear(struct par_mode *mode)
{
	for (uint32_t i = 0; i < PAR_CONTEXTS; i++) {
		if (mode->context[i].figures)
			par_combinations_clear(&mode->context[i].combinations);
		mpq_clear(mode->context[i].spins);
	}
	round_yields_free(&mode->yields);
	exact_wager_clear(&mode->wager);
	exact_work_free(&mode->work);
	exact_mode_free(&mode->figures);
	*mode = (struct par_mode){ .game = NULL };
}

void par_per_round(const struct par_mode *mode, const struct par_context *context, const mpq_t x,
	mpq_t return_r)
{
	mpq_mul(return_r, x, context->spins);
	exact_per_price(return_r, mode->rules);
}

void par_windows(const struct par_context *context, uint8_t symbol, uint32_t count, bool or_more,
	mpz_t windows_r)
{
	const struct spin_figures *figures = context->figures;

	mpz_set_ui(windows_r, 0);
	for (uint32_t i = 0; i < figures->row_count; i++) {
		uint32_t seen = tag_count(&figures->counters, figures->row[i].tag, symbol);

		if (seen == count || (or_more && seen > count))
			mpz_add(windows_r, windows_r, figures->row[i].n);
	}
}

void par_share(const struct par_context *context, const mpz_t windows, mpq_t share_r)
{
	mpq_set_z(share_r, windows);
	mpz_set(mpq_denref(share_r), context->figures->total);
	mpq_canonicalize(share_r);
}

/* ---- the document ---- */

static void add_return(struct par_mode *mode, json_t *sections)
{
	const struct published_rtp *published = mode->figures.published;
	json_t *section = json_array_get(sections, 0), *table = NULL;
	const json_t *each;
	size_t i;

	json_array_foreach(json_object_get(section, "tables"), i,
		each) if (strcmp(json_string_value(json_object_get(each, "id")), "returns") == 0)
		table = json_array_get(json_object_get(section, "tables"), i);
	if (!table)
		return;
	par_row(table, mode->figures.mode,
		par_hundredths(mode->texts, mode->rules->price_hundredths),
		published ? par_text(mode->texts, "%s %%", published->percent) : "none (demo)",
		published ? par_text(mode->texts, "%u.%04u %% to below %u.%04u %%",
				    published->from_ppm / 10000, published->from_ppm % 10000,
				    published->below_ppm / 10000, published->below_ppm % 10000)
			  : "",
		par_figure(mode->texts, mode->figures.rtp),
		par_percent(mode->texts, mode->figures.rtp),
		!published		? "no band"
		: mode->figures.in_band ? "in band"
					: "OUT OF BAND",
		par_fraction(mode->texts, mode->figures.rtp), NULL);
}

static json_t *mode_document(
	const struct game *game, uint32_t index, struct par_texts *texts, json_t *game_sections)
{
	struct par_mode *mode = calloc(1, sizeof(*mode));
	json_t *json, *sections = json_array();

	if (!mode)
		par_refuse("out of memory: needs %zu bytes", sizeof(*mode));
	par_mode_init(mode, texts, game, index);
	add_return(mode, game_sections);
	json = mode_json(&mode->figures, false);
	json_object_set_new(json, "title", json_string(mode->rules->name));
	json_object_set_new(json, "price_hundredths", json_integer(mode->rules->price_hundredths));
	json_object_set_new(json, "lines", json_integer(mode->figures.lines));
	json_object_set_new(json, "coins", json_integer(mode->figures.coins));
	par_mode_sections(mode, sections);
	par_paytable_sections(mode, sections);
	par_feature_sections(mode, sections);
	par_spread_sections(mode, sections);
	json_object_set_new(json, "sections", sections);
	par_mode_clear(mode);
	free(mode);
	return json;
}

json_t *par_document(const struct game *game, const char *subject)
{
	json_t *modes = json_array(), *sections = json_array(), *appendix = json_array();
	struct par_texts texts = { json_array() };
	json_t *document;

	par_game_sections(game, subject, &texts, sections);
	for (uint32_t i = 0; i < exact_mode_count(game); i++)
		json_array_append_new(modes, mode_document(game, i, &texts, sections));
	par_strip_sections(game, &texts, appendix);
	document = game_json(game, modes, 0);
	json_object_del(document, "elapsed_ms"); /* the same definition gives the same bytes */
	json_object_set_new(document, "name", json_string(game->name));
	json_object_set_new(document, "definition_version", json_integer(game->version));
	json_object_set_new(document, "definition_format", json_integer(1));
	json_object_set_new(document, "demo", json_boolean(game->demo));
	json_object_set_new(document, "sections", sections);
	json_object_set_new(document, "appendix", appendix);
	json_decref(texts.kept);
	return document;
}
