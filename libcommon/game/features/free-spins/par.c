/* Free spins: their number in a round, and the win of one free spin. */
#include "libcommon/game/par/feature.h"

#include <string.h>

static void say_number(struct par_mode *mode, json_t *section)
{
	const struct spin_yield *paid = mode->context[0].yield, *free_spin = mode->context[1].yield;
	struct par_texts *texts = mode->texts;
	mpq_t left;

	mpq_init(left);
	mpq_set_ui(left, 1, 1);
	mpq_sub(left, left, free_spin->awards);
	par_words(section,
		"A paid spin with its features awards a = %s free spins on average, and a free spin "
		"awards r = %s further ones. All free spins are alike, so a round has a / (1 - "
		"r) = %s / %s = %s free spins. The number is finite because r is below 1.",
		par_figure(texts, paid->awards), par_figure(texts, free_spin->awards),
		par_figure(texts, paid->awards), par_figure(texts, left),
		par_figure(texts, mode->context[1].spins));
	par_words(section,
		"Free spins are awarded by the paid spin or its features %s times a round on "
		"average, one in %s rounds.",
		par_figure(texts, paid->event[EVENT_FREE_SPINS]),
		par_one_in(texts, paid->event[EVENT_FREE_SPINS]));
	mpq_clear(left);
}

static void say_rules(struct par_mode *mode, json_t *section)
{
	const struct free_spins_rules *rules = &mode->game->free_spins;
	struct par_texts *texts = mode->texts;
	const char *multipliers = "";

	for (uint32_t i = 0; i < rules->wild_multiplier_count; i++)
		multipliers = par_text(
			texts, "%s%s%u", multipliers, i ? ", " : "", rules->wild_multiplier[i]);
	par_words(section, "Played on the set %s.%s%s Scatters are never multiplied.",
		mode->game->strips[rules->strips].id,
		rules->line_multiplier > 1 ? par_text(texts, " Line wins are multiplied by %u.",
						     rules->line_multiplier)
					   : "",
		rules->wild_multiplier_count
			? par_text(texts,
				  " Line wins are multiplied by the wilds in the paid combination: %s "
				  "with 0, 1, .. of them, the last for more.",
				  multipliers)
			: "");
}

static void add_sections(struct par_mode *mode, json_t *sections)
{
	const struct par_context *context = &mode->context[1];
	struct par_texts *texts = mode->texts;
	json_t *section, *table;
	mpq_t part, win, sum;

	if (context->figures == NULL)
		return;
	section = par_section(sections, "free_spins", "Free spins");
	say_rules(mode, section);
	say_number(mode, section);
	par_words(section, "Return = free spins in a round x the mean win of one free spin.");
	table = par_table(section, "sources", "Wins of one free spin",
		"source=Source|win=A free spin, total bets|return=Return|percent=In "
		"percent|return_exact=!");
	mpq_inits(part, win, sum, NULL);
	for (uint32_t i = 0; i < SOURCES; i++) {
		if (mpq_sgn(context->yield->win[i]) == 0)
			continue;
		par_per_round(mode, context, context->yield->win[i], part);
		if (i != SOURCE_JACKPOT) {
			mpq_add(win, win, context->yield->win[i]);
			mpq_add_product(sum, context->yield->win[i], context->spins);
		}
		par_row(table, source_words((enum win_source)i),
			par_figure(texts, context->yield->win[i]), par_figure(texts, part),
			par_percent(texts, part), par_fraction(texts, part), NULL);
	}
	par_prove("the free spins", sum, mode->yields.round.win[SOURCE_FREE_SPINS]);
	exact_per_price(sum, mode->rules);
	par_total(table, "free spins' part", par_figure(texts, win), par_figure(texts, sum),
		par_percent(texts, sum), par_fraction(texts, sum), NULL);
	mpq_clears(part, win, sum, NULL);
}

const struct feature_par free_spins_par = { .mode = add_sections };
