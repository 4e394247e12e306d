/* Feature mathematics of the paid spin and of free spins: bought reels and guarantees, features,
 * symbols of the progressive. */
#include "libcommon/game/par/feature.h"

#include "libcommon/game/exact/feature.h"

#include <string.h>

void par_choices(struct par_texts *texts, json_t *section, const char *id, const char *caption,
	const char *what, const struct choices *choices)
{
	json_t *table;
	mpq_t p, mean;

	mpq_inits(p, mean, NULL);
	for (uint32_t i = 0; i < choices->count; i++) {
		mpq_set_u64(p, choices->of[i].weight, choices->weight);
		mpq_add_scaled(mean, p, choices->of[i].x, 1);
	}
	table = par_table(section, id,
		par_text(texts, "%s (mean %s)", caption, par_figure(texts, mean)),
		par_text(texts, "x=%s|weight=Weight|p=Probability|p_exact=!", what));
	for (uint32_t i = 0; i < choices->count; i++) {
		mpq_set_u64(p, choices->of[i].weight, choices->weight);
		par_row(table, par_text(texts, "%u", choices->of[i].x),
			par_text(texts, "%u", choices->of[i].weight), par_figure(texts, p),
			par_fraction(texts, p), NULL);
	}
	mpq_clears(p, mean, NULL);
}

/* ---- what is bought ---- */

static void add_wild_reels(struct par_mode *mode, json_t *sections)
{
	const struct game_mode *rules = mode->rules;
	struct par_texts *texts = mode->texts;
	json_t *section, *table;
	mpq_t p;

	if (rules->position_count == 0)
		return;
	section = par_section(sections, "wild_reels", "Bought wild reels");
	par_words(section,
		"One row is drawn, and all cells of its reels are wild. The stops of these reels "
		"are drawn too but do not show. Every figure of the paid spin is the mean over "
		"the rows by their weights.");
	table = par_table(
		section, "positions", "Reels", "reels=Wild reels|weight=Weight|p=Probability");
	mpq_init(p);
	for (uint32_t i = 0; i < rules->position_count; i++) {
		mpq_set_u64(p, rules->position[i].weight, rules->position_weight);
		par_row(table, par_reels(texts, mode->game, rules->position[i].reels),
			par_text(texts, "%u", rules->position[i].weight), par_figure(texts, p),
			NULL);
	}
	mpq_clear(p);
}

/* The cycle as it were without the guarantee. */
static void whole_cycle(const struct par_mode *mode, mpz_t cycle)
{
	const struct game_mode *rules = mode->rules;

	mpz_set_ui(cycle, rules->position_count ? rules->position_weight : 1);
	for (uint32_t r = 0; r < mode->game->reels; r++)
		mpz_mul_ui(cycle, cycle, mode->game->strips[rules->strips].reel[r].weight);
}

static void add_guarantee(struct par_mode *mode, json_t *sections)
{
	const struct game_mode *rules = mode->rules;
	struct par_texts *texts = mode->texts;
	json_t *section;
	mpz_t cycle;
	mpq_t share;

	if (rules->guarantee == GUARANTEE_NONE)
		return;
	mpz_init(cycle);
	mpq_init(share);
	whole_cycle(mode, cycle);
	mpq_set_z(share, mode->context[0].figures->total);
	mpz_set(mpq_denref(share), cycle);
	mpq_canonicalize(share);
	section = par_section(sections, "guarantee", "Guarantee");
	par_words(section, "Guaranteed: %s.",
		rules->guarantee == GUARANTEE_LINE_WIN
			? "at least one line wins"
			: par_text(texts, "at least %u of %s", rules->guarantee_min,
				  mode->game->symbol[rules->guarantee_symbol].id));
	par_words(section,
		"%s of the cycle's %s combinations keep the guarantee, a part of %s. One draw "
		"selects one of these by weight, so the paid spin has the distribution of a spin "
		"without the guarantee, given that the guarantee is kept.",
		par_whole(texts, mode->context[0].figures->total), par_whole(texts, cycle),
		par_figure(texts, share));
	mpz_clear(cycle);
	mpq_clear(share);
}

/* ---- symbols of the progressive ---- */

static void add_jackpot(struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	const struct game *game = mode->game;
	const struct jackpot_symbols *rules = &game->jackpot_symbols;
	struct par_texts *texts = mode->texts;
	json_t *section;
	mpq_t part;

	if (rules->symbol == GAME_NO_SYMBOL || context->figures == NULL)
		return;
	section = par_section(sections, par_text(texts, "jackpot_%s", context->id),
		par_text(texts, "Progressive jackpot in %s", context->title));
	par_words(section, "%u of %s %s win it, at %s.", rules->count,
		game->symbol[rules->symbol].id,
		rules->anywhere ? "anywhere in the window" : "on a played line",
		rules->max_bet_only ? "the maximum bet only (all lines, most coins a line)"
				    : "every bet");
	if (!wager_live(game, &mode->wager)) {
		par_words(section,
			"At the bet of this figure it cannot be won: the combination has its pay "
			"from the paytable.");
		return;
	}
	mpq_init(part);
	par_per_round(mode, context, context->yield->win[SOURCE_JACKPOT], part);
	par_words(section,
		"A spin wins it with probability %s, one in %s spins (on at least one line; a "
		"spin wins it at most once). Its seed is %s total bets at this bet, so it "
		"returns %s = %s.",
		par_figure(texts, context->yield->event[EVENT_JACKPOT]),
		par_one_in(texts, context->yield->event[EVENT_JACKPOT]),
		par_figure(texts, mode->wager.jackpot), par_figure(texts, part),
		par_percent(texts, part));
	mpq_clear(part);
}

const struct feature_par *const feature_pars[FEATURES] = {
#define FEATURE(name) [FEATURE_##name] = &name##_par,
#include "libcommon/game/features.def"
};

void par_feature_sections(struct par_mode *mode, json_t *sections)
{
	add_wild_reels(mode, sections);
	add_guarantee(mode, sections);
	for (uint32_t i = 0; i < PAR_CONTEXTS; i++) {
		for (uint32_t f = 0; f < FEATURES; f++)
			if (feature_pars[f]->context && exact_offered(mode->game, f) &&
				mode->context[i].figures)
				feature_pars[f]->context(mode, &mode->context[i], sections);
		add_jackpot(mode, &mode->context[i], sections);
	}
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_pars[f]->mode && exact_offered(mode->game, f))
			feature_pars[f]->mode(mode, sections);
}
