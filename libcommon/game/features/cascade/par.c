/* Cascades: how often and how far a spin tumbles, and what the tumbles win. */
#include "libcommon/game/features/cascade/exact.h"
#include "libcommon/game/par/feature.h"

static void say_rules(struct par_mode *mode, const struct par_context *context, json_t *section)
{
	const struct cascade_rules *rules = &mode->game->own.cascade;
	struct par_texts *texts = mode->texts;
	const char *multipliers = "";

	for (uint32_t i = 0; i < rules->multiplier_count[context->context]; i++)
		multipliers = par_text(texts, "%s%s%u", multipliers, i ? ", " : "",
			rules->multiplier[context->context][i]);
	par_words(section,
		"After a line win the winning symbols leave, the symbols above them fall, and "
		"the strip's next symbols come in. The lines are paid again, times %s for the "
		"first tumble, the second and so on (the last for all later ones), until no line "
		"wins, at most %u times. Tumbles draw nothing: these figures come from playing "
		"every combination of stops, by weight. Scatters and bonus symbols count only in "
		"the spin's own window.",
		multipliers, rules->tumbles_max);
}

static void tumble_row(
	struct par_mode *mode, const struct cascade_cycle *cycle, json_t *table, uint32_t tumbles)
{
	struct par_texts *texts = mode->texts;
	mpz_t n;
	mpq_t p;

	mpz_init(n);
	mpq_init(p);
	mpz_set_count(n, cycle->by_tumbles[tumbles]);
	mpq_set_z(p, n);
	mpz_set_count(mpq_denref(p), cycle->total);
	mpq_canonicalize(p);
	par_row(table, par_text(texts, "%u", tumbles), par_whole(texts, n), par_figure(texts, p),
		par_one_in(texts, p), NULL);
	mpz_clear(n);
	mpq_clear(p);
}

static void add_cascades(struct par_mode *mode, const struct par_context *context, json_t *sections)
{
	const struct cascade_cycle *cycle =
		cascade_cycle_of(&mode->work, &mode->wager, context->context);
	struct par_texts *texts = mode->texts;
	json_t *section, *table;
	mpq_t part;

	mpq_init(part);
	section = par_section(sections, par_text(texts, "cascades_%s", context->id),
		par_text(texts, "Cascades in %s", context->title));
	say_rules(mode, context, section);
	par_per_round(mode, context, context->yield->win[SOURCE_CASCADE], part);
	par_words(section,
		"A spin tumbles with probability %s, one in %s; the tumbles win %s total bets a spin and "
		"return %s = %s.",
		par_figure(texts, context->yield->event[EVENT_CASCADE]),
		par_one_in(texts, context->yield->event[EVENT_CASCADE]),
		par_figure(texts, context->yield->win[SOURCE_CASCADE]), par_figure(texts, part),
		par_percent(texts, part));
	table = par_table(section, "tumbles", "Combinations of stops by their tumbles",
		"tumbles=Tumbles|hits=Combinations|p=Probability|one_in=One in, spins");
	for (uint32_t i = 0; i <= CASCADE_TUMBLES_MAX; i++)
		if (cycle->by_tumbles[i] > 0)
			tumble_row(mode, cycle, table, i);
	mpq_clear(part);
}

const struct feature_par cascade_par = { .context = add_cascades };
