/* The sections on one figure: its return by source, how often events occur, how much wins vary, and
 * the largest win. */
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

#include <stdlib.h>
#include <string.h>

static const char *root_text(struct par_texts *texts, const mpq_t x, const char *factor)
{
	char *root = rational_root_decimals(x, factor, DIGITS);
	const char *kept = par_text(texts, "%s", root);

	free(root);
	return kept;
}

static void add_return(struct par_mode *mode, json_t *table)
{
	const struct exact_mode *figures = &mode->figures;
	struct par_texts *texts = mode->texts;

	par_row(table, "bet that is analysed",
		par_text(texts, "%u line%s, %u coin%s a line", figures->lines,
			figures->lines == 1 ? "" : "s", figures->coins,
			figures->coins == 1 ? "" : "s"),
		par_text(texts, "price %s total bets",
			par_hundredths(texts, mode->rules->price_hundredths)),
		NULL);
	par_row(table, "return", par_figure(texts, figures->rtp), par_percent(texts, figures->rtp),
		par_fraction(texts, figures->rtp), NULL);
	if (figures->published)
		par_row(table, "published", par_text(texts, "%s %%", figures->published->percent),
			par_text(texts, "%s: %u.%04u %% to below %u.%04u %%, for %s",
				figures->in_band ? "in band" : "OUT OF BAND",
				figures->published->from_ppm / 10000,
				figures->published->from_ppm % 10000,
				figures->published->below_ppm / 10000,
				figures->published->below_ppm % 10000,
				figures->published->bets == PUBLISHED_ALL_BETS ? "every bet"
				: figures->published->bets == PUBLISHED_MAX_BET
					? "the maximum bet"
					: "every bet below the maximum"),
			NULL);
	else
		par_row(table, "published", "none", "a demo", NULL);
	par_row(table, "return, as a quotient", par_fraction(texts, figures->rtp), "", NULL);
}

static void add_spread(struct par_mode *mode, json_t *table)
{
	const struct exact_mode *figures = &mode->figures;
	struct par_texts *texts = mode->texts;

	par_row(table, "hit rate", par_figure(texts, figures->hit_rate),
		par_text(texts, "%s; one round in %s wins", par_percent(texts, figures->hit_rate),
			par_one_in(texts, figures->hit_rate)),
		par_fraction(texts, figures->hit_rate), NULL);
	par_row(table, "variance of a round's win", par_figure(texts, figures->variance),
		"in squares of the price", par_fraction(texts, figures->variance), NULL);
	par_row(table, "standard deviation", root_text(texts, figures->variance, "1"),
		"the root of the variance, in prices", NULL);
	par_row(table, "volatility index", root_text(texts, figures->variance, VOLATILITY_Z),
		"1.644853626951 standard deviations: a two-sided 90 % interval", NULL);
	par_row(table, "largest win of one spin",
		par_text(texts, "%s x the price",
			mpz_cmp_ui(mpq_denref(figures->max_win), 1) == 0
				? par_whole(texts, mpq_numref(figures->max_win))
				: par_figure(texts, figures->max_win)),
		par_text(texts, "in a %s, one in %s of its kind", figures->max_win_where,
			par_one_in(texts, figures->max_win_probability)),
		par_fraction(texts, figures->max_win), NULL);
	par_row(table, "its probability, as a quotient",
		par_fraction(texts, figures->max_win_probability),
		par_text(texts, "in a %s", figures->max_win_where),
		par_fraction(texts, figures->max_win_probability), NULL);
}

static void add_figures(struct par_mode *mode, json_t *sections)
{
	json_t *section = par_section(sections, "figures", "Figures");
	json_t *table = par_table(
		section, "figures", "Figures", "what=What|figure=Exact|note=Note|exact=!");

	json_object_set_new(table, "facts", json_true());
	add_return(mode, table);
	add_spread(mode, table);
	par_words(section,
		"A hit is a round with a win, features included. The win may be less than the "
		"price of the round; the distribution below shows this for the paid spin.");
	par_words(section,
		"The return holds for all bets it is published for. Hit rate, variance, "
		"volatility, distribution and largest win are for the bet named here: with "
		"fewer lines, hits are rarer. The largest win is of one spin, and its "
		"probability is per spin of its kind; if the number of free spins has no "
		"limit, a round has no largest win.");
}

static void add_parts(struct par_mode *mode, json_t *sections)
{
	const struct exact_mode *figures = &mode->figures;
	struct par_texts *texts = mode->texts;
	json_t *section = par_section(sections, "parts", "The return by source"), *table;
	mpq_t share, sum;

	mpq_inits(share, sum, NULL);
	table = par_table(section, "parts", "Return by source",
		"source=Source|return=Return|percent=In percent|share=Of all|return_exact=!");
	for (uint32_t i = 0; i < figures->part_count; i++) {
		const struct exact_part *part = &figures->part[i];

		mpq_div(share, part->rtp, figures->rtp);
		mpq_add(sum, sum, part->rtp);
		par_row(table, par_label(texts, part->source), par_figure(texts, part->rtp),
			par_percent(texts, part->rtp), par_percent(texts, share),
			par_fraction(texts, part->rtp), NULL);
	}
	par_prove("the parts of the return", sum, figures->rtp);
	par_total(table, "together", par_figure(texts, sum), par_percent(texts, sum), "",
		par_fraction(texts, sum), NULL);
	par_words(section,
		"All features in free spins count as free spins. Progressive jackpots count as "
		"jackpots wherever they are won.");
	json_object_set_new(section, "chart", json_string("parts"));
	mpq_clears(share, sum, NULL);
}

static void add_events(struct par_mode *mode, json_t *sections)
{
	const struct exact_mode *figures = &mode->figures;
	struct par_texts *texts = mode->texts;
	json_t *section, *table;

	if (figures->feature_count == 0)
		return;
	section = par_section(sections, "features", "How often features occur");
	par_words(section, "Expected number in a round, free spins included. \"Free spins\" counts "
			   "the awards of the paid spin and its features.");
	table = par_table(section, "features", "Features",
		"feature=Feature|number=In a round|one_in=One in, rounds|number_exact=!");
	for (uint32_t i = 0; i < figures->feature_count; i++) {
		const struct exact_feature *feature = &figures->feature[i];

		par_row(table, par_label(texts, feature->name),
			par_figure(texts, feature->frequency),
			par_one_in(texts, feature->frequency),
			par_fraction(texts, feature->frequency), NULL);
	}
}

void par_mode_sections(struct par_mode *mode, json_t *sections)
{
	add_figures(mode, sections);
	add_parts(mode, sections);
	add_events(mode, sections);
}
