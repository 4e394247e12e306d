/* Hold and win: what starts it, how many cells fill, what they carry, and what it wins. */
#include "libcommon/game/features/hold-and-win/exact.h"
#include "libcommon/game/par/feature.h"

static void power(mpq_t result, const mpq_t x, uint32_t n)
{
	mpz_pow_ui(mpq_numref(result), mpq_numref(x), n);
	mpz_pow_ui(mpq_denref(result), mpq_denref(x), n);
}

/* P(a symbol lands in this number of free cells in one respin). */
static void landing(const struct hold_rules *hold, uint32_t free_cells, uint32_t lands, mpq_t p_r)
{
	mpq_t x;
	mpz_t ways;

	mpq_init(x);
	mpz_init(ways);
	mpz_bin_uiui(ways, free_cells, lands);
	mpq_set_u64(x, hold->cell.in, hold->cell.of);
	power(p_r, x, lands);
	mpq_set_u64(x, hold->cell.of - hold->cell.in, hold->cell.of);
	power(x, x, free_cells - lands);
	mpq_mul(p_r, p_r, x);
	mpz_mul(mpq_numref(p_r), mpq_numref(p_r), ways);
	mpq_canonicalize(p_r);
	mpq_clear(x);
	mpz_clear(ways);
}

/* One step of the chain: from f filled cells to the end, or to more of them. s is the chance that
 * nothing lands in one respin: the feature ends with s^R, and j cells land next with
 * P(j) (1 + s + .. + s^(R-1)). */
static void fill_step(const struct par_mode *mode, uint32_t f, mpq_t *reached, mpq_t *ended)
{
	const struct hold_rules *hold = &mode->game->hold;
	uint32_t cells = mode->game->reels * mode->game->rows;
	mpq_t vain, waits, p;

	if (f == cells) {
		mpq_set(ended[f], reached[f]);
		return;
	}
	mpq_inits(vain, waits, p, NULL);
	landing(hold, cells - f, 0, vain);
	for (uint32_t i = 0; i < hold->respins; i++) {
		power(p, vain, i);
		mpq_add(waits, waits, p);
	}
	power(p, vain, hold->respins);
	mpq_mul(ended[f], reached[f], p);
	mpq_mul(waits, waits, reached[f]);
	for (uint32_t j = 1; f + j <= cells; j++) {
		landing(hold, cells - f, j, p);
		mpq_add_product(reached[f + j], p, waits);
	}
	mpq_clears(vain, waits, p, NULL);
}

static void start_row(struct par_mode *mode, json_t *table, uint32_t count, mpq_t sum)
{
	const struct par_context *paid = &mode->context[0];
	const struct spin_yield *start = &hold_yields_of(paid->figures)->start[count];
	struct par_texts *texts = mode->texts;
	mpz_t windows;
	mpq_t p, part;

	mpz_init(windows);
	mpq_inits(p, part, NULL);
	par_windows(paid, mode->game->hold.symbol, count, false, windows);
	if (mpz_sgn(windows) > 0) {
		par_share(paid, windows, p);
		mpq_mul(part, p, start->win[SOURCE_HOLD]);
		mpq_add(sum, sum, part);
		exact_per_price(part, mode->rules);
		par_row(table, par_text(texts, "%u", count), par_whole(texts, windows),
			par_figure(texts, p), par_one_in(texts, p),
			par_figure(texts, start->event[EVENT_HOLD_FULL]),
			par_figure(texts, start->win[SOURCE_HOLD]), par_figure(texts, part),
			par_percent(texts, part), par_fraction(texts, part), NULL);
	}
	mpz_clear(windows);
	mpq_clears(p, part, NULL);
}

static void add_starts(struct par_mode *mode, json_t *section)
{
	uint32_t cells = mode->game->reels * mode->game->rows;
	const struct spin_yield *yield = mode->context[0].yield;
	json_t *table = par_table(section, "starts",
		par_text(mode->texts, "By the symbols that start it, in a cycle of %s",
			par_whole(mode->texts, mode->context[0].figures->total)),
		"count=Symbols|hits=Windows|p=Probability|one_in=One in, rounds|full=Full screen, "
		"then|win=Wins then, total bets|return=Return|percent=In percent|return_exact=!");
	mpq_t sum;

	mpq_init(sum);
	for (uint32_t n = mode->game->hold.at_least; n <= cells; n++)
		start_row(mode, table, n, sum);
	par_prove("the starts of hold and win", sum, yield->win[SOURCE_HOLD]);
	exact_per_price(sum, mode->rules);
	par_total(table, "together", "", par_figure(mode->texts, yield->event[EVENT_HOLD]),
		par_one_in(mode->texts, yield->event[EVENT_HOLD]), "", "",
		par_figure(mode->texts, sum), par_percent(mode->texts, sum),
		par_fraction(mode->texts, sum), NULL);
	mpq_clear(sum);
}

/* Computed differently from the analysis, which goes from the last cell to the first. */
static void add_ends(struct par_mode *mode, json_t *section)
{
	uint32_t cells = mode->game->reels * mode->game->rows;
	const struct spin_yield *yield = mode->context[0].yield;
	struct par_texts *texts = mode->texts;
	mpq_t reached[GAME_CELLS_MAX + 1], ended[GAME_CELLS_MAX + 1];
	json_t *table = par_table(section, "ends", "Cells filled at the end of a hold and win",
		"cells=Cells|p=Probability|one_in=One in|p_exact=!");
	mpz_t windows;

	mpz_init(windows);
	for (uint32_t f = 0; f <= cells; f++) {
		mpq_inits(reached[f], ended[f], NULL);
		par_windows(&mode->context[0], mode->game->hold.symbol, f, false, windows);
		if (f >= mode->game->hold.at_least)
			par_share(&mode->context[0], windows, reached[f]);
	}
	for (uint32_t f = mode->game->hold.at_least; f <= cells; f++)
		fill_step(mode, f, reached, ended);
	par_prove("the full screens", ended[cells], yield->event[EVENT_HOLD_FULL]);
	for (uint32_t f = 0; f <= cells; f++) {
		if (mpq_sgn(ended[f]) > 0) {
			mpq_div(ended[f], ended[f], yield->event[EVENT_HOLD]);
			par_row(table, par_text(texts, "%u", f), par_figure(texts, ended[f]),
				par_one_in(texts, ended[f]), par_fraction(texts, ended[f]), NULL);
		}
		mpq_clears(reached[f], ended[f], NULL);
	}
	mpz_clear(windows);
}

static void add_carried(struct par_mode *mode, json_t *section)
{
	const struct hold_rules *hold = &mode->game->hold;
	uint32_t all = hold->value.weight + hold->mystery_weight + hold->multiplier_weight;
	struct par_texts *texts = mode->texts;
	json_t *table = par_table(section, "carries", "What a symbol carries",
		"what=What|weight=Weight|p=Probability|p_exact=!");
	const char *const what[] = { "a value", "a mystery", "a multiplier" };
	const uint32_t weight[] = { hold->value.weight, hold->mystery_weight,
		hold->multiplier_weight };
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < 3; i++) {
		if (weight[i] == 0)
			continue;
		mpq_set_u64(p, weight[i], all);
		par_row(table, what[i], par_text(texts, "%u", weight[i]), par_figure(texts, p),
			par_fraction(texts, p), NULL);
	}
	par_choices(texts, section, "values", "Values, times the total bet", "Value", &hold->value);
	if (hold->multiplier_weight > 0)
		par_choices(texts, section, "multipliers", "Multipliers", "Multiplier",
			&hold->multiplier);
	mpq_clear(p);
}

static void add_awards(struct par_mode *mode, json_t *section)
{
	const struct hold_rules *hold = &mode->game->hold;
	const struct spin_yield *yield = mode->context[0].yield;
	struct par_texts *texts = mode->texts;
	uint32_t all = 0;
	json_t *table;
	mpq_t p;

	if (hold->award_count == 0)
		return;
	for (uint32_t i = 0; i < hold->award_count; i++)
		all += hold->award[i].weight;
	table = par_table(section, "awards", "Awards of mysteries",
		"award=Award|x=Times the total bet|weight=Weight|p=Probability, nothing "
		"excluded|number=In a round|one_in=One in, rounds|number_exact=!");
	mpq_init(p);
	for (uint32_t i = 0; i < hold->award_count; i++) {
		const struct hold_award *award = &hold->award[i];

		mpq_set_u64(p, award->weight, all);
		par_row(table, par_text(texts, "%s%s", award->name, award->excluded ? " *" : ""),
			par_text(texts, "%u", award->x), par_text(texts, "%u", award->weight),
			par_figure(texts, p), par_figure(texts, yield->event[EVENT_AWARD + i]),
			par_one_in(texts, yield->event[EVENT_AWARD + i]),
			par_fraction(texts, yield->event[EVENT_AWARD + i]), NULL);
		if (award->excluded)
			par_words(section,
				"* %s is not drawn if a multiplier of %u or more is on the screen.",
				award->name, hold->exclude_from);
	}
	mpq_clear(p);
}

static void add_sections(struct par_mode *mode, json_t *sections)
{
	const struct hold_rules *hold = &mode->game->hold;
	const struct spin_yield *yield = mode->context[0].yield;
	struct par_texts *texts = mode->texts;
	json_t *section;
	mpq_t mean;

	if (!hold->offered || hold_yields_of(mode->context[0].figures) == NULL ||
		mpq_sgn(yield->event[EVENT_HOLD]) == 0)
		return;
	mpq_init(mean);
	mpq_div(mean, yield->win[SOURCE_HOLD], yield->event[EVENT_HOLD]);
	section = par_section(sections, "hold_and_win", "Hold and win");
	par_words(section,
		"%u or more of %s in the paid spin start it. In a respin a symbol lands in each "
		"of the c free cells with probability %u/%u; s = (%u/%u)^c is the probability "
		"that none lands. Then the feature ends with probability s^%u, and j symbols "
		"land next with probability C(c, j) (%u/%u)^j (%u/%u)^(c - j) (1 + s + .. + "
		"s^%u), after which %u respins are left again.",
		hold->at_least, mode->game->symbol[hold->symbol].id, hold->cell.in, hold->cell.of,
		hold->cell.of - hold->cell.in, hold->cell.of, hold->respins, hold->cell.in,
		hold->cell.of, hold->cell.of - hold->cell.in, hold->cell.of, hold->respins - 1,
		hold->respins);
	par_words(section,
		"The value of m filled cells is X x B + O. X is the product of all multipliers, "
		"B the sum of values and awards, O the sum of the own values of mysteries and "
		"multipliers, which are not multiplied. If all %u cells are filled, it counts "
		"times %u. Its mean, weighted with the probability of m cells at the end, is %s "
		"total bets; the feature occurs once in %s rounds.",
		mode->game->reels * mode->game->rows, hold->full_multiplier,
		par_figure(texts, mean), par_one_in(texts, yield->event[EVENT_HOLD]));
	add_starts(mode, section);
	add_ends(mode, section);
	add_carried(mode, section);
	add_awards(mode, section);
	mpq_clear(mean);
}

const struct feature_par hold_and_win_par = { .mode = add_sections };
