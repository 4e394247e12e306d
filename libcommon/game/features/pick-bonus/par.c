/* The pick bonus by its outcomes. */
#include "libcommon/game/par/feature.h"

static const char *pick_text(enum pick_outcome_kind kind)
{
	static const char *const text[] = { [PICK_MONEY] = "times the total bet",
		[PICK_FREE_SPINS] = "free spins",
		[PICK_JACKPOT] = "jackpot at its seed, total bets" };

	return text[kind];
}

static void pick_row(struct par_mode *mode, const struct par_context *context, json_t *table,
	const struct pick_outcome *pick_outcome, const mpq_t opened, mpq_t money)
{
	struct par_texts *texts = mode->texts;
	int64_t bet = (int64_t)mode->wager.lines * mode->wager.coins;
	uint64_t weight = (uint64_t)(pick_outcome->weight + pick_outcome->weight_per_coin * bet);
	mpq_t p, part;

	mpq_inits(p, part, NULL);
	mpq_set_u64(p, weight, mode->game->pick_weight);
	mpq_mul(part, p, opened);
	if (pick_outcome->kind == PICK_MONEY) {
		mpq_add_scaled(money, part, pick_outcome->value, 1);
		mpq_set_u64(part, pick_outcome->value, 1);
	} else if (pick_outcome->kind == PICK_JACKPOT) {
		mpq_set(part, mode->wager.jackpot);
	} else {
		mpq_set_ui(part, 0, 1);
	}
	mpq_mul(part, part, p);
	mpq_mul(part, part, opened);
	par_per_round(mode, context, part, part);
	par_row(table, pick_text(pick_outcome->kind),
		pick_outcome->kind == PICK_JACKPOT ? par_figure(texts, mode->wager.jackpot)
						   : par_text(texts, "%u", pick_outcome->value),
		par_text(texts, "%lld", (long long)pick_outcome->weight),
		par_text(texts, "%lld", (long long)pick_outcome->weight_per_coin),
		par_text(texts, "%llu", (unsigned long long)weight), par_figure(texts, p),
		par_one_in(texts, p), par_figure(texts, part), par_percent(texts, part),
		par_fraction(texts, part), NULL);
	mpq_clears(p, part, NULL);
}

static void add_picks(struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	const struct game *game = mode->game;
	struct par_texts *texts = mode->texts;
	json_t *section, *table;
	mpz_t windows;
	mpq_t opened, money;

	mpz_init(windows);
	mpq_inits(opened, money, NULL);
	par_windows(context, game->bonus, game->bonus_count_min, true, windows);
	par_share(context, windows, opened);
	section = par_section(sections, par_text(texts, "vials_%s", context->id),
		par_text(texts, "Pick bonus in %s", context->title));
	par_words(section,
		"%u or more of %s open it: %s windows of %s, a probability of %s, one in %s "
		"spins. The player picks %u of %u vials. The outcome is drawn by the weights "
		"below before the first pick, so the picks do not change it.",
		game->bonus_count_min, game->symbol[game->bonus].id, par_whole(texts, windows),
		par_whole(texts, context->figures->total), par_figure(texts, opened),
		par_one_in(texts, opened), game->picks_made, game->picks_offered);
	par_words(section,
		"Weights that follow lines x coins keep the jackpot's odds in proportion to the bet, so "
		"that its return is the same at every bet; the others balance them, so that the sum of "
		"all weights, %u, never changes. Shown at %u lines x %u coins.",
		game->pick_weight, mode->wager.lines, mode->wager.coins);
	table = par_table(section, "vials", "Outcomes",
		"kind=Win|value=Value|fixed=Weight, fixed|per_coin=for each line x coin|weight=at this "
		"bet|p=Probability|one_in=One in, bonus "
		"rounds|return=Return|percent=In percent|return_exact=!");
	for (uint32_t i = 0; i < game->pick_outcome_count; i++)
		pick_row(mode, context, table, &game->pick_outcome[i], opened, money);
	par_prove("the vials", money, context->yield->win[SOURCE_BONUS_MONEY]);
	mpz_clear(windows);
	mpq_clears(opened, money, NULL);
}

const struct feature_par pick_bonus_par = { .context = add_picks };
