/* Sticky respins: what triggers them and what they win. */
#include "libcommon/game/features/sticky-respins/exact_parts.h"
#include "libcommon/game/par/feature.h"

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
	json_t *table = par_table(section, "respins", "Wins of a trigger",
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

	sums = &sticky_of(&mode->work)->context[context->context];
	section = par_section(sections, par_text(texts, "sticky_%s", context->id),
		par_text(texts, "Sticky respins in %s", context->title));
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (rules->sticky >> s & 1)
			kept = par_text(
				texts, "%s%s%s", kept, *kept ? ", " : "", game->symbol[s].id);
	par_words(section,
		"%u or more of %s itself on reel %u lock that reel and start %u respins on the "
		"set %s; on the other reels %s stay in their cells. Probability %s, one in %s "
		"spins.",
		rules->at_least, game->symbol[rules->symbol].id, rules->reel + 1, rules->spins,
		game->strips[rules->strips].id, kept, par_figure(texts, sums->trigger),
		par_one_in(texts, sums->trigger));
	par_words(section,
		"Given the trigger, the reels are independent. For each reel the distribution of "
		"its held symbols is computed from the triggering window through every respin; "
		"each respin's lines are the sum, over combinations, of the products of the "
		"reels' weights. Return = "
		"probability of the trigger x the mean of all its respins. Respins award %s free spins "
		"a spin of this kind.",
		par_figure(texts, sums->awards));
	sticky_stops(mode, context, section);
	sticky_means(mode, context, section);
}

const struct feature_par sticky_respins_par = { .context = add_sticky };
