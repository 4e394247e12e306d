/* Feature mathematics of the paid spin and of free spins: bought reels and guarantees, battles,
 * vials, sticky respins, symbols of the progressive. */
#include "libcommon/game/features/sticky-respins/exact_parts.h"
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

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
		"One row is drawn, and its reels are wild on every cell; the stops of "
		"those reels are drawn too and show nothing. Every figure of the paid spin "
		"is the mean over the rows by their weights.");
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
		"%s of the cycle's %s combinations keep it, a part of %s. One of these is drawn at "
		"once, each by its weight, so that the paid spin is what it would be without the "
		"guarantee on the condition that the guarantee is kept.",
		par_whole(texts, mode->context[0].figures->total), par_whole(texts, cycle),
		par_figure(texts, share));
	mpz_clear(cycle);
	mpq_clear(share);
}

/* ---- battles ---- */

static void battle_row(struct par_mode *mode, const struct par_context *context, json_t *table,
	uint32_t count, mpq_t sum)
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
	for (uint32_t i = 0; i < game->battle_count[count]; i++) {
		const struct battle_outcome *outcome = &game->battle[count][i];

		spins += (uint64_t)outcome->weight * outcome->free_spins;
		won += outcome->free_spins > 0 ? outcome->weight : 0;
	}
	if (game->battle_weight[count] > 0) {
		mpq_set_u64(mean, spins, game->battle_weight[count]);
		mpq_set_u64(wins, won, game->battle_weight[count]);
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

static void battle_outcomes(const struct game *game, struct par_texts *texts, json_t *section)
{
	json_t *table = par_table(section, "outcomes", "Outcomes of a battle",
		"count=Scatters|free_spins=Free spins|weight=Weight|p=Probability");
	mpq_t p;

	mpq_init(p);
	for (uint32_t n = game->scatter_count_min; n <= game->reels; n++)
		for (uint32_t i = 0; i < game->battle_count[n]; i++) {
			mpq_set_u64(p, game->battle[n][i].weight, game->battle_weight[n]);
			par_row(table, par_text(texts, "%u", n),
				par_text(texts, "%u", game->battle[n][i].free_spins),
				par_text(texts, "%u", game->battle[n][i].weight),
				par_figure(texts, p), NULL);
		}
	mpq_clear(p);
}

static void add_battle(struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	const struct game *game = mode->game;
	json_t *section, *table;
	mpq_t sum;

	if (game->scatter_count_min == 0 || context->figures == NULL)
		return;
	mpq_init(sum);
	section = par_section(sections, par_text(mode->texts, "battle_%s", context->id),
		par_text(mode->texts, "Battles in %s", context->title));
	par_words(section,
		"At least %u of %s start a battle. The scatters are paid whoever wins; the player's "
		"witch wins exactly when free spins are awarded.",
		game->scatter_count_min, game->symbol[game->scatter[0]].id);
	table = par_table(section, "battles", "Battles by scatters seen",
		"count=Scatters|pay=Pays, total bets|hits=Windows|p=Probability|one_in=One in, "
		"spins|won=Battle won|mean_spins=Free spins, mean|return=Return|percent=In "
		"percent|return_exact=!");
	for (uint32_t n = game->scatter_count_min; n <= game->reels; n++)
		battle_row(mode, context, table, n, sum);
	par_prove("the battles", sum, context->yield->win[SOURCE_BATTLE]);
	par_per_round(mode, context, sum, sum);
	par_total(table, "together", "", "", "", "", "", "", par_figure(mode->texts, sum),
		par_percent(mode->texts, sum), par_fraction(mode->texts, sum), NULL);
	if (context->context == CONTEXT_BASE)
		battle_outcomes(game, mode->texts, section);
	mpq_clear(sum);
}

/* ---- vials ---- */

static const char *vial_text(enum vial_kind kind)
{
	static const char *const text[] = { [VIAL_MONEY] = "times the total bet",
		[VIAL_FREE_SPINS] = "free spins",
		[VIAL_JACKPOT] = "jackpot at its seed, total bets" };

	return text[kind];
}

static void vial_row(struct par_mode *mode, const struct par_context *context, json_t *table,
	const struct vial_outcome *vial, const mpq_t opened, mpq_t money)
{
	struct par_texts *texts = mode->texts;
	int64_t bet = (int64_t)mode->wager.lines * mode->wager.coins;
	uint64_t weight = (uint64_t)(vial->weight + vial->weight_per_coin * bet);
	mpq_t p, part;

	mpq_inits(p, part, NULL);
	mpq_set_u64(p, weight, mode->game->vial_weight);
	mpq_mul(part, p, opened);
	if (vial->kind == VIAL_MONEY) {
		mpq_add_scaled(money, part, vial->value, 1);
		mpq_set_u64(part, vial->value, 1);
	} else if (vial->kind == VIAL_JACKPOT) {
		mpq_set(part, mode->wager.jackpot);
	} else {
		mpq_set_ui(part, 0, 1);
	}
	mpq_mul(part, part, p);
	mpq_mul(part, part, opened);
	par_per_round(mode, context, part, part);
	par_row(table, vial_text(vial->kind),
		vial->kind == VIAL_JACKPOT ? par_figure(texts, mode->wager.jackpot)
					   : par_text(texts, "%u", vial->value),
		par_text(texts, "%lld", (long long)vial->weight),
		par_text(texts, "%lld", (long long)vial->weight_per_coin),
		par_text(texts, "%llu", (unsigned long long)weight), par_figure(texts, p),
		par_one_in(texts, p), par_figure(texts, part), par_percent(texts, part),
		par_fraction(texts, part), NULL);
	mpq_clears(p, part, NULL);
}

static void add_vials(struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	const struct game *game = mode->game;
	struct par_texts *texts = mode->texts;
	json_t *section, *table;
	mpz_t windows;
	mpq_t opened, money;

	if (game->vial_count == 0 || context->figures == NULL)
		return;
	mpz_init(windows);
	mpq_inits(opened, money, NULL);
	par_windows(context, game->bonus, game->bonus_count_min, true, windows);
	par_share(context, windows, opened);
	section = par_section(sections, par_text(texts, "vials_%s", context->id),
		par_text(texts, "Pick bonus in %s", context->title));
	par_words(section,
		"%u or more of %s open it: %s windows of %s, a probability of %s, one in %s spins. The "
		"player picks %u of %u vials; what is won is drawn by the weights below before the "
		"first pick, so the picks change nothing.",
		game->bonus_count_min, game->symbol[game->bonus].id, par_whole(texts, windows),
		par_whole(texts, context->figures->total), par_figure(texts, opened),
		par_one_in(texts, opened), game->vials_picked, game->vials_shown);
	par_words(section,
		"Weights that follow lines x coins keep the jackpot's odds in proportion to the bet, so "
		"that its return is the same at every bet; the others balance them, so that the sum of "
		"all weights, %u, never changes. Shown at %u lines x %u coins.",
		game->vial_weight, mode->wager.lines, mode->wager.coins);
	table = par_table(section, "vials", "What is won",
		"kind=Win|value=Value|fixed=Weight, fixed|per_coin=for each line x coin|weight=at this "
		"bet|p=Probability|one_in=One in, bonus "
		"rounds|return=Return|percent=In percent|return_exact=!");
	for (uint32_t i = 0; i < game->vial_count; i++)
		vial_row(mode, context, table, &game->vial[i], opened, money);
	par_prove("the vials", money, context->yield->win[SOURCE_BONUS_MONEY]);
	mpz_clear(windows);
	mpq_clears(opened, money, NULL);
}

/* ---- sticky respins ---- */

/* Stops of the locked reel by how many of the symbol they show. */
static void sticky_stops(struct par_mode *mode, const struct par_context *context, json_t *section)
{
	const struct sticky_rules *rules = &mode->game->sticky;
	const struct game_strip *strip =
		&mode->game->strips[context->figures->set].reel[rules->reel];
	struct par_texts *texts = mode->texts;
	uint32_t weight[GAME_ROWS_MAX + 1] = { 0 };
	json_t *table = par_table(section, "trigger",
		par_text(texts, "Stops of reel %u by how many of %s they show", rules->reel + 1,
			mode->game->symbol[rules->symbol].id),
		"count=Shown|weight=Weight|p=Probability|triggers=Triggers");
	mpq_t p;

	mpq_init(p);
	for (uint32_t i = 0; i < strip->length; i++) {
		uint32_t count = 0;

		for (uint32_t row = 0; row < mode->game->rows; row++)
			count += strip->symbol[i + row] == rules->symbol ? 1 : 0;
		weight[count] += strip->stop_weight[i];
	}
	for (uint32_t n = 0; n <= mode->game->rows; n++) {
		mpq_set_u64(p, weight[n], strip->weight);
		par_row(table, par_text(texts, "%u", n), par_text(texts, "%u", weight[n]),
			par_figure(texts, p), n >= rules->at_least ? "yes" : "no", NULL);
	}
	mpq_clear(p);
}

static void sticky_means(struct par_mode *mode, const struct par_context *context, json_t *section)
{
	const struct sticky_context *sums = &sticky_of(&mode->work)->context[context->context];
	struct par_texts *texts = mode->texts;
	json_t *table = par_table(section, "respins", "What a trigger comes to",
		"what=What|per_trigger=A trigger, total bets|return=Return|percent=In "
		"percent|return_exact=!");
	mpq_t lines, part, each;

	mpq_inits(lines, part, each, NULL);
	mpq_add_scaled(lines, sums->coins[mode->wager.lines - 1], 1, mode->wager.lines);
	for (uint32_t i = 0; i < 3; i++) {
		const char *what[] = { "lines", "scatters", "together" };

		if (i == 0)
			mpq_set(part, lines);
		else if (i == 1)
			mpq_set(part, sums->scatter);
		else
			mpq_add(part, lines, sums->scatter);
		mpq_set_ui(each, 0, 1);
		if (mpq_sgn(sums->trigger) > 0)
			mpq_div(each, part, sums->trigger);
		if (i == 2)
			par_prove("the sticky respins", part, context->yield->win[SOURCE_STICKY]);
		par_per_round(mode, context, part, part);
		(i == 2 ? par_total : par_row)(table, what[i], par_figure(texts, each),
			par_figure(texts, part), par_percent(texts, part),
			par_fraction(texts, part), NULL);
	}
	mpq_clears(lines, part, each, NULL);
}

static void add_sticky(struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	const struct game *game = mode->game;
	const struct sticky_rules *rules = &game->sticky;
	struct par_texts *texts = mode->texts;
	const struct sticky_context *sums;
	const char *kept = "";
	json_t *section;

	if (!sticky_of(&mode->work) || context->figures == NULL)
		return;
	sums = &sticky_of(&mode->work)->context[context->context];
	section = par_section(sections, par_text(texts, "sticky_%s", context->id),
		par_text(texts, "Sticky respins in %s", context->title));
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (rules->sticky >> s & 1)
			kept = par_text(
				texts, "%s%s%s", kept, *kept ? ", " : "", game->symbol[s].id);
	par_words(section,
		"%u or more of %s itself on reel %u lock that reel and start %u respins on the set %s; on "
		"the other reels %s stay where they are seen. Probability %s, one in %s spins.",
		rules->at_least, game->symbol[rules->symbol].id, rules->reel + 1, rules->spins,
		game->strips[rules->strips].id, kept, par_figure(texts, sums->trigger),
		par_one_in(texts, sums->trigger));
	par_words(section,
		"Given the trigger the reels are independent: for each reel the distribution of what it "
		"holds is followed from the triggering window through every respin, and each respin's "
		"lines are the sum over combinations of the products of the reels' weights. Return = "
		"probability of the trigger x the mean of all its respins. Respins award %s free spins "
		"a spin of this kind.",
		par_figure(texts, sums->awards));
	sticky_stops(mode, context, section);
	sticky_means(mode, context, section);
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
			"At the bet of this figure it cannot be won: the combination pays "
			"as the paytable says.");
		return;
	}
	mpq_init(part);
	par_per_round(mode, context, context->yield->win[SOURCE_JACKPOT], part);
	par_words(section,
		"A spin wins it with probability %s, one in %s spins (at least one line: a spin wins it "
		"once). Its seed is %s total bets at this bet, so it returns %s = %s.",
		par_figure(texts, context->yield->event[EVENT_JACKPOT]),
		par_one_in(texts, context->yield->event[EVENT_JACKPOT]),
		par_figure(texts, mode->wager.jackpot), par_figure(texts, part),
		par_percent(texts, part));
	mpq_clear(part);
}

void par_feature_sections(struct par_mode *mode, json_t *sections)
{
	add_wild_reels(mode, sections);
	add_guarantee(mode, sections);
	for (uint32_t i = 0; i < PAR_CONTEXTS; i++) {
		add_battle(mode, &mode->context[i], sections);
		add_vials(mode, &mode->context[i], sections);
		add_sticky(mode, &mode->context[i], sections);
		add_jackpot(mode, &mode->context[i], sections);
	}
}
