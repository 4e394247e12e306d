/* Collect and unlock: the carried state, the combinations, the features and explosions. */
#include "libcommon/game/features/collect-and-unlock/exact_parts.h"
#include "libcommon/game/par/feature.h"

#include <string.h>

static const char *kind_text(enum unlock_kind kind)
{
	static const char *const text[UNLOCK_KINDS] = { "high symbols", "random wilds",
		"multiplier", "mega wild" };

	return text[kind];
}

static const char *colours_text(const struct par_mode *mode, const uint8_t colours[GAME_COLOURS])
{
	const char *text = "";

	for (uint32_t c = 0; c < GAME_COLOURS; c++)
		for (uint32_t i = 0; i < colours[c]; i++)
			text = par_text(mode->texts, "%s%s%s", text, *text ? " " : "",
				mode->game->symbol[mode->game->unlock.symbol[c]].id);
	return *text ? text : "nothing";
}

static const char *odds_text(struct par_texts *texts, struct odds odds)
{
	return odds.in == 0 ? "nothing" : par_text(texts, "explosion %u/%u", odds.in, odds.of);
}

/* ---- what is carried ---- */

static void add_carried(struct par_mode *mode, json_t *section)
{
	const struct unlock_chain *chain = &unlock_of(&mode->work)->chain;
	struct par_texts *texts = mode->texts;
	json_t *table = par_table(section, "carried", "Carried into a round, in the long run",
		"potions=Potions|share=Share of the rounds|one_in=One in|share_exact=!");

	par_words(section,
		"Potions are collected from left to right and kept from round to round, "
		"separately for each bet value. The third potion completes a combination and all "
		"three are used up, whatever the combination starts. So the carried potions are "
		"a Markov chain that is the same at every level: the shares solve share = share "
		"x transition, and sum to 1.");
	for (uint32_t state = 0; state < UNLOCK_STATES; state++) {
		uint8_t colours[GAME_COLOURS];

		if (mpq_sgn(chain->carried[state]) == 0)
			continue;
		unlock_state_colours(state, colours);
		par_row(table, colours_text(mode, colours),
			par_figure(texts, chain->carried[state]),
			par_one_in(texts, chain->carried[state]),
			par_fraction(texts, chain->carried[state]), NULL);
	}
}

/* ---- combinations ---- */

/* The long-run chance that a round completes it, and the mean win of an explosion then, times that
 * chance. */
static void combination_means(const struct par_mode *mode, const struct unlock_figures *figures,
	uint32_t combination, mpq_t p, mpq_t exploded)
{
	const struct unlock_chain *chain = &unlock_of(&mode->work)->chain;

	mpq_set_ui(p, 0, 1);
	mpq_set_ui(exploded, 0, 1);
	for (uint32_t state = 0; state < UNLOCK_STATES; state++)
		for (uint32_t i = 0; i < chain->spin_count; i++) {
			if (chain->spin[i].combination[state] != combination)
				continue;
			mpq_add_product(p, chain->carried[state], chain->spin[i].p);
			mpq_add_product(exploded, chain->carried[state], figures->exploded[i]);
		}
}

struct combination_sums {
	mpq_t win[SOURCES];
};

static void combination_row(struct par_mode *mode, const struct unlock_figures *figures,
	json_t *table, uint32_t combination, struct combination_sums *sums)
{
	const struct unlock_rules *rules = &mode->game->unlock;
	struct par_texts *texts = mode->texts;
	const char *row[5 + GAME_UNLOCK_STEPS_MAX + 2];
	enum win_source source = SOURCE_EXPLOSION;
	uint8_t colours[GAME_COLOURS];
	uint32_t at = 0;
	mpq_t p, part, chance;

	mpq_inits(p, part, chance, NULL);
	combination_means(mode, figures, combination, p, part);
	if (mpq_sgn(p) > 0) {
		unlock_combination_colours(combination, colours);
		row[at++] = colours_text(mode, colours);
		row[at++] = par_figure(texts, p);
		row[at++] = par_one_in(texts, p);
		for (uint32_t level = 0; level < rules->step_count; level++) {
			struct odds odds;
			int kind = unlock_outcome(rules, level, combination, &odds);

			row[at++] = kind >= 0 ? kind_text((enum unlock_kind)kind)
					      : odds_text(texts, odds);
			if (level + 1 < rules->step_count)
				continue;
			if (kind >= 0) {
				source = unlock_source((enum unlock_kind)kind);
				mpq_mul(part, p, figures->value[kind]);
			} else {
				mpq_set_u64(chance, odds.in, odds.of);
				mpq_mul(part, part, chance);
			}
		}
		mpq_add(sums->win[source], sums->win[source], part);
		exact_per_price(part, mode->rules);
		row[at++] = par_figure(texts, part);
		row[at++] = par_percent(texts, part);
		row[at++] = par_fraction(texts, part);
		par_row_of(table, row, at);
	}
	mpq_clears(p, part, chance, NULL);
}

static void add_combinations(
	struct par_mode *mode, const struct unlock_figures *figures, json_t *section)
{
	const struct unlock_rules *rules = &mode->game->unlock;
	const struct spin_yield *yield = mode->context[0].yield;
	char columns[512] = "potions=Potions|p=In a round|one_in=One in, rounds";
	struct combination_sums sums;
	json_t *table;
	size_t used;

	for (uint32_t level = 1; level <= rules->step_count; level++) {
		used = strlen(columns);
		snprintf(columns + used, sizeof(columns) - used, "|level_%u=At level %u", level,
			level);
	}
	used = strlen(columns);
	snprintf(columns + used, sizeof(columns) - used,
		"|return=Return, last level|percent=In percent|return_exact=!");
	par_words(section,
		"What a completed combination starts depends on the level: a feature is unlocked "
		"from the level of its number on, and triggering the last unlocked feature "
		"unlocks the next one permanently. Probabilities of combinations are for the "
		"long run and the same at every level; returns are for the last level, like the "
		"figure above.");
	table = par_table(section, "combinations", "Combinations of three potions", columns);
	for (uint32_t i = 0; i < SOURCES; i++)
		mpq_init(sums.win[i]);
	for (uint32_t c = 0; c < UNLOCK_COMBINATIONS; c++)
		combination_row(mode, figures, table, c, &sums);
	for (uint32_t i = SOURCE_HIGH_SYMBOLS; i <= SOURCE_EXPLOSION; i++)
		par_prove("the combinations of potions", sums.win[i], yield->win[i]);
	for (uint32_t i = 0; i < SOURCES; i++)
		mpq_clear(sums.win[i]);
}

/* ---- features ---- */

/* A spin on a strip set alone, as played by a feature that changes no cells. */
static void plain_combinations(struct par_mode *mode, uint32_t set, struct par_combinations *list)
{
	struct spin_figures spin = { .game = mode->game,
		.context = CONTEXT_RESPIN,
		.set = set,
		.terms = line_terms_plain() };

	mpz_init_set_ui(spin.total, 1);
	for (uint32_t r = 0; r < mode->game->reels; r++)
		mpz_mul_ui(spin.total, spin.total, mode->game->strips[set].reel[r].weight);
	par_combinations_init(list, &spin, &mode->wager);
	mpz_clear(spin.total);
}

static void add_high_symbols(struct par_mode *mode, const struct unlock_step *step,
	const struct unlock_figures *figures, json_t *section)
{
	struct par_combinations list;

	par_words(section,
		"One respin on the set %s, in which only lines pay. Its mean is the sum over the "
		"combinations below.",
		mode->game->strips[step->strips].id);
	plain_combinations(mode, step->strips, &list);
	par_prove("the high symbols", list.return_, figures->value[step->kind]);
	par_combination_table(
		mode, section, &list, mode->yields.paid.event[unlock_event(step->kind)], "lines");
	par_combinations_clear(&list);
}

static void add_random_wilds(struct par_mode *mode, const struct unlock_step *step, json_t *section)
{
	const struct unlock_rules *rules = &mode->game->unlock;

	par_words(section,
		"One respin on the set %s. On each reel a number of rows is drawn by the weights "
		"below, then one of the equally likely sets of that many rows; these cells "
		"become wild. So a cell is wild with probability (mean number) / %u, and the "
		"lines' mean is the sum, over combinations, of the products of such cells.",
		mode->game->strips[step->strips].id, mode->game->rows);
	for (uint32_t r = 0; r < mode->game->reels; r++)
		par_choices(mode->texts, section, par_text(mode->texts, "wilds_%u", r + 1),
			par_text(mode->texts, "Wilds on reel %u", r + 1), "Wilds",
			&rules->wilds[r]);
}

static void add_multiplier(struct par_mode *mode, const struct unlock_step *step,
	const struct unlock_figures *figures, json_t *section)
{
	struct par_texts *texts = mode->texts;
	struct par_combinations list;
	mpq_t wins, spin, proof;

	mpq_inits(wins, spin, proof, NULL);
	unlock_no_win(mode->game, step->strips, mode->wager.lines, wins);
	mpq_neg(wins, wins);
	mpz_add(mpq_numref(wins), mpq_numref(wins), mpq_denref(wins));
	plain_combinations(mode, step->strips, &list);
	mpq_set(spin, list.return_);
	if (mpq_sgn(wins) > 0)
		mpq_div(proof, spin, wins);
	mpq_mul(proof, proof, figures->multiplier);
	par_prove("the multiplier's respins", proof, figures->value[step->kind]);
	par_words(section,
		"A multiplier x is drawn, then respins are played on the set %s until a line wins; that "
		"win is multiplied. A respin wins with probability w = %s (over the full cycle) and pays "
		"m = %s total bets on average, so the respin that ends it pays m / w, and the feature "
		"E[x] x m / w = %s x %s / %s = %s total bets, after 1 / w = %s respins on average.",
		mode->game->strips[step->strips].id, par_figure(texts, wins),
		par_figure(texts, spin), par_figure(texts, figures->multiplier),
		par_figure(texts, spin), par_figure(texts, wins),
		par_figure(texts, figures->value[step->kind]), par_one_in(texts, wins));
	par_choices(texts, section, "multipliers", "Multipliers", "Multiplier",
		&mode->game->unlock.multiplier);
	mpq_div(spin, mode->yields.paid.event[unlock_event(step->kind)], wins);
	mpq_mul(spin, spin, figures->multiplier);
	par_combination_table(mode, section, &list, spin, "lines");
	par_combinations_clear(&list);
	mpq_clears(wins, spin, proof, NULL);
}

/* The cells of a placement, reel by reel: "3: 0 1 2". */
static const char *cells_text(struct par_mode *mode, uint32_t cells)
{
	const char *text = "";

	for (uint32_t r = 0; r < mode->game->reels; r++) {
		const char *rows = "";

		for (uint32_t row = 0; row < mode->game->rows; row++)
			if (cells >> (r * mode->game->rows + row) & 1)
				rows = par_text(mode->texts, "%s %u", rows, row);
		if (*rows)
			text = par_text(mode->texts, "%s%sreel %u:%s", text, *text ? "; " : "",
				r + 1, rows);
	}
	return text;
}

static void add_mega_wild(struct par_mode *mode, const struct unlock_step *step, json_t *section)
{
	const struct unlock_rules *rules = &mode->game->unlock;
	struct par_texts *texts = mode->texts;
	json_t *table;
	mpq_t p;

	mpq_init(p);
	par_words(section,
		"One respin on the set %s, in which the cells of a placement are wild. Its mean "
		"is the weighted mean of the placements' lines.",
		mode->game->strips[step->strips].id);
	table = par_table(
		section, "placements", "Placements", "cells=Wild rows|weight=Weight|p=Probability");
	for (uint32_t i = 0; i < rules->mega_count; i++) {
		mpq_set_u64(p, rules->mega[i].weight, rules->mega_weight);
		par_row(table, cells_text(mode, rules->mega[i].cells),
			par_text(texts, "%u", rules->mega[i].weight), par_figure(texts, p), NULL);
	}
	mpq_clear(p);
}

static void add_feature(struct par_mode *mode, uint32_t index, const struct unlock_figures *figures,
	json_t *sections)
{
	const struct unlock_step *step = &mode->game->unlock.step[index];
	const struct spin_yield *paid = mode->context[0].yield;
	struct par_texts *texts = mode->texts;
	json_t *section = par_section(sections, par_text(texts, "potion_%u", index + 1),
		par_text(texts, "Potion feature: %s", kind_text(step->kind)));
	mpq_t part;

	mpq_init(part);
	mpq_set(part, paid->win[unlock_source(step->kind)]);
	exact_per_price(part, mode->rules);
	par_words(section,
		"Triggered by %s, open from level %u on. At the last level a paid spin triggers it with probability %s, "
		"one in %s; alone it wins %s total bets on average, so it returns %s x %s = %s = "
		"%s.",
		colours_text(mode, step->needs), index + 1,
		par_figure(texts, paid->event[unlock_event(step->kind)]),
		par_one_in(texts, paid->event[unlock_event(step->kind)]),
		par_figure(texts, figures->value[step->kind]),
		par_figure(texts, paid->event[unlock_event(step->kind)]),
		par_figure(texts, figures->value[step->kind]), par_figure(texts, part),
		par_percent(texts, part));
	switch (step->kind) {
	case UNLOCK_HIGH_SYMBOLS:
		add_high_symbols(mode, step, figures, section);
		break;
	case UNLOCK_RANDOM_WILDS:
		add_random_wilds(mode, step, section);
		break;
	case UNLOCK_MULTIPLIER:
		add_multiplier(mode, step, figures, section);
		break;
	case UNLOCK_MEGA_WILD:
		add_mega_wild(mode, step, section);
		break;
	}
	mpq_clear(part);
}

/* ---- explosions ---- */

static void add_revealed(struct par_mode *mode, json_t *section)
{
	const struct choices *revealed = &mode->game->unlock.revealed;
	struct par_texts *texts = mode->texts;
	json_t *table = par_table(section, "reveals", "What all marks become",
		"symbol=Symbol|weight=Weight|p=Probability");
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < revealed->count; i++) {
		mpq_set_u64(p, revealed->of[i].weight, revealed->weight);
		par_row(table, mode->game->symbol[revealed->of[i].x].id,
			par_text(texts, "%u", revealed->of[i].weight), par_figure(texts, p), NULL);
	}
	mpq_clear(p);
}

static void add_explosion(struct par_mode *mode, json_t *sections)
{
	const struct spin_yield *paid = mode->context[0].yield;
	struct par_texts *texts = mode->texts;
	json_t *section;
	mpq_t part, mean;

	if (mpq_sgn(paid->event[EVENT_EXPLOSION]) == 0)
		return;
	mpq_inits(part, mean, NULL);
	mpq_div(mean, paid->win[SOURCE_EXPLOSION], paid->event[EVENT_EXPLOSION]);
	mpq_set(part, paid->win[SOURCE_EXPLOSION]);
	exact_per_price(part, mode->rules);
	section = par_section(sections, "explosion", "Explosion");
	par_words(section,
		"Combinations that trigger no feature explode with the odds of the table "
		"above. Question marks fall on the spin's own window: on each reel their "
		"number is drawn by the weights below, then that many rows, all equally "
		"likely (never on the free-spin scatter). All of them become one symbol, and "
		"all lines are paid again, in addition to the spin's wins.");
	par_words(section,
		"The window is the one whose potions started the explosion. So the mean is "
		"computed for each row of potions that a spin can show; given these, the reels "
		"are independent: %s total bets on average, one in %s rounds, a return of %s = %s.",
		par_figure(texts, mean), par_one_in(texts, paid->event[EVENT_EXPLOSION]),
		par_figure(texts, part), par_percent(texts, part));
	for (uint32_t r = 0; r < mode->game->reels; r++)
		par_choices(texts, section, par_text(texts, "marks_%u", r + 1),
			par_text(texts, "Marks on reel %u", r + 1), "Marks",
			&mode->game->unlock.marks[r]);
	add_revealed(mode, section);
	mpq_clears(part, mean, NULL);
}

/* ---- features of free spins ---- */

static void free_set_row(struct par_mode *mode, const struct unlock_figures *figures, json_t *table,
	uint32_t index, mpq_t sum)
{
	const struct choices *sets = &mode->game->unlock.free_set;
	struct unlock_free_set set = unlock_free_set(&mode->game->unlock, index);
	struct par_texts *texts = mode->texts;
	const char *kinds = "";
	mpq_t mean, part;

	mpq_inits(mean, part, NULL);
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		if (set.kinds >> k & 1)
			kinds = par_text(texts, "%s%s%s", kinds, *kinds ? ", " : "",
				kind_text((enum unlock_kind)k));
	mpq_set(mean, figures->value[set.kind]);
	if (set.multiplied)
		mpq_mul(mean, mean, figures->multiplier);
	mpq_mul(part, mean, set.p);
	mpq_add(sum, sum, part);
	par_per_round(mode, &mode->context[1], part, part);
	par_row(table, kinds, par_text(texts, "%u", sets->of[index].weight),
		par_figure(texts, set.p), par_one_in(texts, set.p), par_figure(texts, mean),
		par_figure(texts, part), par_percent(texts, part), par_fraction(texts, part), NULL);
	mpq_clears(set.p, mean, part, NULL);
}

static void add_free_sets(
	struct par_mode *mode, const struct unlock_figures *figures, json_t *sections)
{
	const struct unlock_rules *rules = &mode->game->unlock;
	const struct spin_yield *yield = mode->context[1].yield;
	json_t *section, *table;
	mpq_t sum, all;

	if (rules->free_set.count == 0 || rules->free_feature.in == 0 ||
		mode->context[1].figures == NULL)
		return;
	mpq_inits(sum, all, NULL);
	section = par_section(sections, "free_features", "Potion features in free spins");
	par_words(section,
		"A free spin starts features with probability %u/%u, whatever is unlocked, "
		"and unlocks none. One set of the table is drawn by weight. The multiplier "
		"alone is played as above; with another feature it multiplies that feature's "
		"respin.",
		rules->free_feature.in, rules->free_feature.of);
	table = par_table(section, "sets", "Sets of features",
		"features=Features|weight=Weight|p=Probability in a free spin|one_in=One in, free "
		"spins|mean=Wins, total bets|return=Return|percent=In percent|return_exact=!");
	for (uint32_t i = 0; i < rules->free_set.count; i++)
		free_set_row(mode, figures, table, i, sum);
	for (uint32_t i = SOURCE_HIGH_SYMBOLS; i <= SOURCE_MEGA_WILD; i++)
		mpq_add(all, all, yield->win[i]);
	par_prove("the features of free spins", sum, all);
	mpq_clears(sum, all, NULL);
}

/* ---- states ---- */

static void add_states(struct par_mode *mode, json_t *sections)
{
	const struct exact_mode *figures = &mode->figures;
	struct par_texts *texts = mode->texts;
	json_t *section, *table;

	if (figures->state_count == 0)
		return;
	section = par_section(sections, "states", "Return by carried state");
	par_words(section,
		"The return of the next round from each state, and of each level in the long run. Every "
		"level is within the published band; a single state need not be, because earlier "
		"rounds paid for the carried potions.");
	table = par_table(section, "states", "States",
		"state=State|return=Return|percent=In percent|return_exact=!");
	for (uint32_t i = 0; i < figures->state_count; i++)
		par_row(table, figures->state[i].name, par_figure(texts, figures->state[i].rtp),
			par_percent(texts, figures->state[i].rtp),
			par_fraction(texts, figures->state[i].rtp), NULL);
}

static void add_sections(struct par_mode *mode, json_t *sections)
{
	const struct unlock_figures *figures;
	json_t *section;

	if (!unlock_of(&mode->work))
		return;
	figures = unlock_figures(&mode->work, mode->wager.lines);
	section = par_section(sections, "potions", "Potions");
	add_carried(mode, section);
	add_combinations(mode, figures, section);
	for (uint32_t i = 0; i < mode->game->unlock.step_count; i++)
		add_feature(mode, i, figures, sections);
	add_explosion(mode, sections);
	add_free_sets(mode, figures, sections);
	add_states(mode, sections);
}

const struct feature_par collect_and_unlock_par = { .mode = add_sections };
