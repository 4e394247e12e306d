/* Scatter awards by the scatters that start them. */
#include "libcommon/game/par/feature.h"

static void scatter_award_row(struct par_mode *mode, const struct par_context *context,
	json_t *table, uint32_t count, mpq_t sum)
{
	const struct game *game = mode->game;
	uint8_t symbol = game->scatter[0];
	struct par_texts *texts = mode->texts;
	uint64_t spins = 0;
	uint32_t won = 0;
	mpz_t windows;
	mpq_t p, part, mean, wins;

	mpz_init(windows);
	mpq_inits(p, part, mean, wins, NULL);
	for (uint32_t i = 0; i < game->scatter_award_count[count]; i++) {
		const struct scatter_outcome *outcome = &game->scatter_award[count][i];

		spins += (uint64_t)outcome->weight * outcome->free_spins;
		won += outcome->free_spins > 0 ? outcome->weight : 0;
	}
	if (game->scatter_award_weight[count] > 0) {
		mpq_set_u64(mean, spins, game->scatter_award_weight[count]);
		mpq_set_u64(wins, won, game->scatter_award_weight[count]);
	}
	par_windows(context, symbol, count, false, windows);
	par_share(context, windows, p);
	mpq_add_scaled(part, p, game->symbol[symbol].pay[count], 1);
	mpq_add(sum, sum, part);
	par_per_round(mode, context, part, part);
	par_row(table, par_text(texts, "%u", count),
		par_text(texts, "%u", game->symbol[symbol].pay[count]), par_whole(texts, windows),
		par_figure(texts, p), par_one_in(texts, p), par_figure(texts, wins),
		par_figure(texts, mean), par_figure(texts, part), par_percent(texts, part),
		par_fraction(texts, part), NULL);
	mpz_clear(windows);
	mpq_clears(p, part, mean, wins, NULL);
}

static void scatter_outcomes(const struct game *game, struct par_texts *texts, json_t *section)
{
	json_t *table = par_table(section, "outcomes", "Outcomes of a battle",
		"count=Scatters|free_spins=Free spins|weight=Weight|p=Probability");
	mpq_t p;

	mpq_init(p);
	for (uint32_t n = game->scatter_count_min; n <= game->reels; n++)
		for (uint32_t i = 0; i < game->scatter_award_count[n]; i++) {
			mpq_set_u64(
				p, game->scatter_award[n][i].weight, game->scatter_award_weight[n]);
			par_row(table, par_text(texts, "%u", n),
				par_text(texts, "%u", game->scatter_award[n][i].free_spins),
				par_text(texts, "%u", game->scatter_award[n][i].weight),
				par_figure(texts, p), NULL);
		}
	mpq_clear(p);
}

static void add_scatter_award(
	struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	const struct game *game = mode->game;
	json_t *section, *table;
	mpq_t sum;

	mpq_init(sum);
	section = par_section(sections, par_text(mode->texts, "battle_%s", context->id),
		par_text(mode->texts, "Battles in %s", context->title));
	par_words(section,
		"At least %u of %s start a battle. The scatters pay whoever wins; the player's "
		"witch wins exactly if free spins are awarded.",
		game->scatter_count_min, game->symbol[game->scatter[0]].id);
	table = par_table(section, "battles", "Battles by scatters seen",
		"count=Scatters|pay=Pays, total bets|hits=Windows|p=Probability|one_in=One in, "
		"spins|won=Battle won|mean_spins=Free spins, mean|return=Return|percent=In "
		"percent|return_exact=!");
	for (uint32_t n = game->scatter_count_min; n <= game->reels; n++)
		scatter_award_row(mode, context, table, n, sum);
	par_prove("the battles", sum, context->yield->win[SOURCE_SCATTER_AWARD]);
	par_per_round(mode, context, sum, sum);
	par_total(table, "together", "", "", "", "", "", "", par_figure(mode->texts, sum),
		par_percent(mode->texts, sum), par_fraction(mode->texts, sum), NULL);
	if (context->context == CONTEXT_BASE)
		scatter_outcomes(game, mode->texts, section);
	mpq_clear(sum);
}

const struct feature_par scatter_award_par = { .context = add_scatter_award };
