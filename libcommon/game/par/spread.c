/* How wins are spread: the exact distribution of the paid spin's own win, and sessions. */
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

#include <math.h>
#include <string.h>

/* ---- the distribution ---- */

static void whole_distribution(struct par_mode *mode, json_t *section)
{
	struct par_texts *texts = mode->texts;
	json_t *table = par_table(section, "distribution", "Every win, in prices",
		"x=Win|p=Probability|x_exact=!|p_exact=!");

	for (uint32_t i = 0; i < mode->figures.win_count; i++) {
		const struct exact_win *win = &mode->figures.win[i];

		par_row(table, par_figure(texts, win->x),
			par_text(texts, "%.12e", mpq_get_d(win->probability)),
			par_fraction(texts, win->x), par_fraction(texts, win->probability), NULL);
	}
	json_object_set_new(table, "whole", json_true());
}

/* 1, 2 or 5 times a power of ten, from 1/100 on. */
static void edge(uint32_t index, mpq_t edge_r)
{
	static const unsigned long step[] = { 1, 2, 5 };
	mpz_t power;

	mpz_init(power);
	mpz_ui_pow_ui(power, 10, index / 3);
	mpz_mul_ui(power, power, step[index % 3]);
	mpq_set_z(edge_r, power);
	mpz_set_ui(mpq_denref(edge_r), 100);
	mpq_canonicalize(edge_r);
	mpz_clear(power);
}

static void bin_row(struct par_mode *mode, json_t *table, const char *range, const mpq_t p,
	const mpq_t part, const mpq_t above)
{
	struct par_texts *texts = mode->texts;

	par_row(table, range, par_figure(texts, p), par_one_in(texts, p), par_figure(texts, part),
		par_percent(texts, part), par_figure(texts, above), par_fraction(texts, p), NULL);
}

static void add_bins(struct par_mode *mode, json_t *section)
{
	const struct exact_mode *figures = &mode->figures;
	json_t *table = par_table(section, "bins", "Wins of the paid spin, in prices",
		"win=Win|p=Probability|one_in=One in, spins|return=Return|percent=In percent|"
		"or_more=This or more|p_exact=!");
	mpq_t p, part, above, low, high;
	uint32_t i = 0;

	mpq_inits(p, part, above, low, high, NULL);
	mpq_set_ui(above, 1, 1);
	for (uint32_t k = 0; i < figures->win_count; k++) {
		mpq_set(low, high);
		edge(k, high);
		mpq_set_ui(p, 0, 1);
		mpq_set_ui(part, 0, 1);
		if (i == 0 && mpq_sgn(figures->win[0].x) == 0) {
			bin_row(mode, table, "nothing", figures->win[0].probability, part, above);
			mpq_sub(above, above, figures->win[0].probability);
			i++;
		}
		for (; i < figures->win_count && mpq_cmp(figures->win[i].x, high) < 0; i++) {
			mpq_add(p, p, figures->win[i].probability);
			mpq_add_product(part, figures->win[i].x, figures->win[i].probability);
		}
		if (mpq_sgn(p) == 0)
			continue;
		bin_row(mode, table,
			par_text(mode->texts, "%.10g to below %.10g", mpq_get_d(low),
				mpq_get_d(high)),
			p, part, above);
		mpq_sub(above, above, p);
	}
	mpq_clears(p, part, above, low, high, NULL);
}

static void add_distribution(struct par_mode *mode, json_t *sections)
{
	json_t *section;

	if (mode->figures.win_count == 0)
		return;
	section = par_section(sections, "distribution", "Distribution of wins");
	par_words(section,
		"Exact: the sum of what the paid spin's own lines, scatters and line jackpots "
		"(at their seed) pay, %u different wins over the whole cycle, without features. "
		"The line shows the probability of at least a win, the bars the probability of a "
		"win in the range; both axes are logarithmic. The list of all wins is in the "
		"JSON and CSV sheets.",
		mode->figures.win_count);
	add_bins(mode, section);
	whole_distribution(mode, section);
	json_object_set_new(section, "chart", json_string("distribution"));
}

/* ---- sessions ---- */

#define Z_90 1.6448536269514727

static const char *percent_text(struct par_texts *texts, double x)
{
	return par_text(texts, "%.4f %%", 100 * (x > 0 ? x : 0));
}

static void session_row(
	struct par_mode *mode, json_t *table, double spins, double mean, double deviation)
{
	struct par_texts *texts = mode->texts;
	double root = deviation / sqrt(spins);

	par_row(table, par_text(texts, "%.0f", spins), percent_text(texts, mean),
		percent_text(texts, mean - Z_90 * root), percent_text(texts, mean + Z_90 * root),
		percent_text(texts, mean - Z_99 * root), percent_text(texts, mean + Z_99 * root),
		NULL);
}

static void add_sessions(struct par_mode *mode, json_t *sections)
{
	double mean = mpq_get_d(mode->figures.rtp);
	double deviation = sqrt(mpq_get_d(mode->figures.variance));
	json_t *section = par_section(sections, "sessions", "Volatility over sessions"), *table;

	par_words(section,
		"The return of a session of n rounds, as a normal approximation: mean %.6f, standard "
		"deviation %.6f / sqrt(n), both from the exact figures. 90 %% of the sessions lie within "
		"1.645 of these deviations, 99 %% within 2.576; a return cannot be below 0, so "
		"lower ends stop there. If large wins are rare, short sessions are skewed: most "
		"return less than the mean, a few return much more.",
		mean, deviation);
	par_words(section,
		"For 99 %% of the sessions to lie within one percentage point of the return, %.0f rounds "
		"are needed by that approximation.",
		ceil((Z_99 * deviation / 0.01) * (Z_99 * deviation / 0.01)));
	table = par_table(section, "sessions", "Return by rounds played",
		"spins=Rounds|mean=Mean|low_90=90 %, from|high_90=90 %, to|low_99=99 %, from|"
		"high_99=99 %, to");
	for (uint32_t decade = 100; decade < 1000000; decade *= 10) {
		session_row(mode, table, decade, mean, deviation);
		session_row(mode, table, 2 * decade, mean, deviation);
		session_row(mode, table, 5 * decade, mean, deviation);
	}
	session_row(mode, table, 1e6, mean, deviation);
	json_object_set_new(section, "chart", json_string("sessions"));
}

void par_spread_sections(struct par_mode *mode, json_t *sections)
{
	add_distribution(mode, sections);
	add_sessions(mode, sections);
}
