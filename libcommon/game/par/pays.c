/* What windows pay: every combination on lines, and scatters. */
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

#include <string.h>

#define COMBINATION_COLUMNS                                                                        \
	"symbol=Symbol|count=Of it|pay=Pay|multiplier=x|coins=Coins|hits=Hits|with_wilds=With "    \
	"wilds|p=Chance on a line|one_in=One in, lines|return=Return|percent=In "                  \
	"percent|return_exact=!"

/* Sums of a table, exactly. */
struct sums {
	mpz_t hits;
	mpq_t part;
};

static void combination_row(struct par_mode *mode, json_t *table,
	const struct par_combinations *list, const struct par_combination *of, const mpq_t spins,
	struct sums *sums)
{
	struct par_texts *texts = mode->texts;
	mpq_t p, part;

	mpq_inits(p, part, NULL);
	mpq_set_z(p, of->hits);
	mpz_mul_ui(mpq_denref(p), list->cycle, list->lines);
	mpq_canonicalize(p);
	mpq_add_scaled(part, p, of->coins, 1);
	mpq_mul(part, part, spins);
	exact_per_price(part, mode->rules);
	mpq_add(sums->part, sums->part, part);
	mpz_add(sums->hits, sums->hits, of->hits);
	par_row(table, mode->game->symbol[of->symbol].id, par_text(texts, "%u", of->count),
		of->jackpot ? "progressive" : par_text(texts, "%u", of->coins / of->multiplier),
		par_text(texts, "%u", of->multiplier), par_text(texts, "%u", of->coins),
		par_whole(texts, of->hits), par_whole(texts, of->with_wilds), par_figure(texts, p),
		par_one_in(texts, p), par_figure(texts, part), par_percent(texts, part),
		par_fraction(texts, part), NULL);
	mpq_clears(p, part, NULL);
}

void par_combination_table(struct par_mode *mode, json_t *section,
	const struct par_combinations *list, const mpq_t spins, const char *id)
{
	struct par_texts *texts = mode->texts;
	json_t *table;
	struct sums sums;
	mpq_t whole;

	mpz_init(sums.hits);
	mpq_inits(sums.part, whole, NULL);
	table = par_table(section, id,
		par_text(texts, "Every combination: hits on %u lines in a cycle of %s", list->lines,
			par_whole(texts, list->cycle)),
		COMBINATION_COLUMNS);
	for (uint32_t i = 0; i < list->count; i++)
		combination_row(mode, table, list, &list->of[i], spins, &sums);
	mpq_mul(whole, list->return_, spins);
	exact_per_price(whole, mode->rules);
	par_prove("the rows of combinations", sums.part, whole);
	par_total(table, "together", "", "", "", "", par_whole(texts, sums.hits), "", "", "",
		par_figure(texts, sums.part), par_percent(texts, sums.part),
		par_fraction(texts, sums.part), NULL);
	mpz_clear(sums.hits);
	mpq_clears(sums.part, whole, NULL);
}

static void say_cycle(struct par_mode *mode, const struct par_context *context, json_t *section)
{
	struct par_texts *texts = mode->texts;
	bool paid = context->context == CONTEXT_BASE;
	const char *cycle = par_whole(texts, context->combinations.cycle);

	par_words(section,
		"Strips: set %s. The full cycle is %s combinations of stops (weights%s multiplied "
		"in)%s.",
		mode->game->strips[context->figures->set].id, cycle,
		paid && mode->rules->position_count ? ", and those of the bought reels," : "",
		paid && mode->rules->guarantee != GUARANTEE_NONE
			? "; only those that keep the guarantee are counted"
			: "");
	par_words(section,
		"Hits are summed over all %u lines. Return = hits x coins / (cycle x lines)%s%s. "
		"Wilds at the start of a line count as the symbol the line pays; \"with wilds\" "
		"are the hits with at least one wild.",
		mode->wager.lines,
		paid ? ""
		     : par_text(texts, " x %s free spins in a round",
			       par_figure(texts, context->spins)),
		mode->rules->price_hundredths == 100
			? ""
			: par_text(texts, " / %s, the price",
				  par_hundredths(texts, mode->rules->price_hundredths)));
}

static void add_combinations(
	struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	json_t *section;

	if (context->combinations.count == 0)
		return;
	section = par_section(sections, par_text(mode->texts, "lines_%s", context->id),
		par_text(mode->texts, "Lines in %s", context->title));
	say_cycle(mode, context, section);
	par_combination_table(
		mode, section, &context->combinations, context->spins, "combinations");
}

/* ---- scatters ---- */

/* The scatter of the scatter award pays there. */
static bool pays_by_itself(const struct game *game, uint32_t scatter)
{
	return scatter > 0 || game->scatter_count_min == 0;
}

static void scatter_row(struct par_mode *mode, const struct par_context *context, json_t *table,
	uint8_t symbol, uint32_t count, mpq_t sum)
{
	const struct game *game = mode->game;
	const struct free_spins_rules *free_spins = &game->free_spins;
	struct par_texts *texts = mode->texts;
	uint32_t pay = game->symbol[symbol].pay[count], awards = 0;
	mpz_t windows;
	mpq_t p, part;

	if (free_spins->offered && symbol == free_spins->award_symbol)
		awards = free_spins->award[context->context][count];
	mpz_init(windows);
	mpq_inits(p, part, NULL);
	par_windows(context, symbol, count, false, windows);
	if (mpz_sgn(windows) > 0) {
		par_share(context, windows, p);
		mpq_add_scaled(sum, p, pay, 1);
		mpq_add_scaled(part, p, pay, 1);
		par_per_round(mode, context, part, part);
		par_row(table, game->symbol[symbol].id, par_text(texts, "%u", count),
			par_text(texts, "%u", pay), par_text(texts, "%u", awards),
			par_whole(texts, windows), par_figure(texts, p), par_one_in(texts, p),
			par_figure(texts, part), par_percent(texts, part),
			par_fraction(texts, part), NULL);
	}
	mpz_clear(windows);
	mpq_clears(p, part, NULL);
}

static void add_scatters(struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	const struct game *game = mode->game;
	json_t *section = NULL, *table = NULL;
	mpq_t sum;

	if (context->figures == NULL)
		return;
	mpq_init(sum);
	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		if (!pays_by_itself(game, i))
			continue;
		if (section == NULL) {
			section = par_section(sections,
				par_text(mode->texts, "scatter_%s", context->id),
				par_text(mode->texts, "Scatters in %s", context->title));
			table = par_table(section, "scatters",
				par_text(mode->texts, "Windows in a cycle of %s",
					par_whole(mode->texts, context->figures->total)),
				"symbol=Symbol|count=Seen|pay=Pays, total bets|awards=Free "
				"spins|hits=Windows|p=Probability|one_in=One in, spins|return="
				"Return|percent=In percent|return_exact=!");
		}
		for (uint32_t n = 1; n <= game->reels; n++)
			scatter_row(mode, context, table, game->scatter[i], n, sum);
	}
	par_prove("the scatters", sum, context->yield->win[SOURCE_SCATTER]);
	if (section) {
		par_per_round(mode, context, sum, sum);
		par_total(table, "together", "", "", "", "", "", "", par_figure(mode->texts, sum),
			par_percent(mode->texts, sum), par_fraction(mode->texts, sum), NULL);
		par_words(section,
			"Scatters are counted on all cells that show them. Return = "
			"probability x pay%s.",
			context->context == CONTEXT_BASE ? "" : " x free spins in a round");
	}
	mpq_clear(sum);
}

void par_paytable_sections(struct par_mode *mode, json_t *sections)
{
	for (uint32_t i = 0; i < PAR_CONTEXTS; i++) {
		add_combinations(mode, &mode->context[i], sections);
		add_scatters(mode, &mode->context[i], sections);
	}
}
