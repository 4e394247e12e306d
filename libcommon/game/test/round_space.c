#include "libcommon/game/test/round_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DRAWS_MAX 128
#define STICKIES_MAX 8

/* The script of a round: what each draw gave and below what. */
struct script {
	uint32_t value[DRAWS_MAX];
	uint32_t below[DRAWS_MAX];
	uint32_t count;
};

void round_space_init(struct round_space *space)
{
	space->rounds = 0;
	mpq_inits(space->mass, space->win, space->win2, space->awards, space->awards2,
		space->win_awards, space->most, space->most_p, space->sticky_most, space->stickies,
		space->sticky_mosts, NULL);
	for (uint32_t i = 0; i < PHASE_KINDS; i++)
		mpq_init(space->kind[i]);
	for (uint32_t i = 0; i < SPACE_AWARDS_MAX; i++)
		mpq_init(space->nothing[i]);
	for (uint32_t i = 0; i < 27; i++)
		mpq_init(space->carried[i / 9][i / 3 % 3][i % 3]);
}

void round_space_free(struct round_space *space)
{
	mpq_clears(space->mass, space->win, space->win2, space->awards, space->awards2,
		space->win_awards, space->most, space->most_p, space->sticky_most, space->stickies,
		space->sticky_mosts, NULL);
	for (uint32_t i = 0; i < PHASE_KINDS; i++)
		mpq_clear(space->kind[i]);
	for (uint32_t i = 0; i < SPACE_AWARDS_MAX; i++)
		mpq_clear(space->nothing[i]);
	for (uint32_t i = 0; i < 27; i++)
		mpq_clear(space->carried[i / 9][i / 3 % 3][i % 3]);
}

/* The next script: the last draw that can goes one up, all behind it begin anew. */
static bool advance(struct script *script)
{
	while (script->count > 0) {
		uint32_t last = script->count - 1;

		if (++script->value[last] < script->below[last])
			return true;
		script->value[last] = 0;
		script->count--;
	}
	return false;
}

static void note_draws(struct script *script, const struct phase *phase)
{
	for (uint32_t i = 0; i < phase->draw_count; i++) {
		assert_true(script->count < DRAWS_MAX);
		assert_int_equal(script->value[script->count], phase->draw[i].value);
		script->below[script->count++] = (uint32_t)phase->draw[i].below;
	}
}

/* Nothing but free spins is left to play. */
static bool spin_is_over(const struct round *round)
{
	return round->sticky_left == 0 && round->features == 0 && !round->exploding &&
	       !round->hold_running && round->scatters == 0 && round->bonuses == 0;
}

struct spin_result {
	mpq_t win;
	uint32_t awards;
	struct round_state after;
	uint32_t stickies; /* played */
	mpq_t sticky[STICKIES_MAX];
};

static void play(const struct game *game, const struct bet *bet, const struct round_state *state,
	enum spin_context context, const mpq_t jackpot, struct script *script,
	struct spin_result *result, mpq_t kind[PHASE_KINDS])
{
	static struct phase phase;
	uint8_t key[RNG_KEY_BYTES] = { 7 };
	struct round round;
	struct rng rng;
	mpq_t x;

	mpq_init(x);
	rng_init(&rng, key);
	rng_force(&rng, script->value, DRAWS_MAX);
	script->count = 0;
	mpq_set_ui(result->win, 0, 1);
	result->awards = result->stickies = 0;
	assert_int_equal(round_begin(game, bet, state, &rng, &round), ROUND_OK);
	if (context == CONTEXT_FREE) {
		assert_int_equal(round_next(&round, &phase), ROUND_OK);
		assert_int_equal(phase.win_total.minor, 0);
		assert_true(spin_is_over(&round) && round.free_left > 0);
		note_draws(script, &phase);
	}
	do {
		assert_int_equal(round_next(&round, &phase), ROUND_OK);
		note_draws(script, &phase);
		mpq_set_si(x, phase.win_total.minor, (unsigned long)round.total.minor);
		mpq_canonicalize(x);
		if (phase.jackpot_hit)
			mpq_add(x, x, jackpot);
		mpq_add(result->win, result->win, x);
		if (phase.kind == PHASE_STICKY_SPIN) {
			assert_true(result->stickies < STICKIES_MAX);
			mpq_set(result->sticky[result->stickies++], x);
		}
		mpq_add(kind[phase.kind], kind[phase.kind], x);
		result->awards += phase.free_spins_awarded;
	} while (!spin_is_over(&round));
	result->after = phase.state;
	assert_false(rng_forced_misfit(&rng));
	mpq_clear(x);
}

static void add(mpq_t sum, const mpq_t p, const mpq_t x)
{
	mpq_t t;

	if (mpq_sgn(x) == 0)
		return;
	mpq_init(t);
	mpq_mul(t, p, x);
	mpq_add(sum, sum, t);
	mpq_clear(t);
}

void round_space_most(mpq_t most, mpq_t most_p, const mpq_t win, const mpq_t p)
{
	if (mpq_sgn(p) == 0 || (mpq_sgn(most_p) > 0 && mpq_cmp(win, most) < 0))
		return;
	if (mpq_sgn(most_p) == 0 || mpq_cmp(win, most) > 0) {
		mpq_set(most, win);
		mpq_set_ui(most_p, 0, 1);
	}
	mpq_add(most_p, most_p, p);
}

static void book(
	struct round_space *space, const struct script *script, const struct spin_result *result)
{
	const uint8_t *held = result->after.collectibles;
	mpq_t p, awards, x, *carried;

	mpq_inits(p, awards, x, NULL);
	mpq_set_ui(p, 1, 1);
	for (uint32_t i = 0; i < script->count; i++)
		mpz_mul_ui(mpq_denref(p), mpq_denref(p), script->below[i]);
	mpq_set_ui(awards, result->awards, 1);
	space->rounds++;
	mpq_add(space->mass, space->mass, p);
	round_space_most(space->most, space->most_p, result->win, p);
	for (uint32_t i = 0; i < result->stickies; i++) {
		mpq_add(space->stickies, space->stickies, p);
		round_space_most(space->sticky_most, space->sticky_mosts, result->sticky[i], p);
	}
	add(space->win, p, result->win);
	add(space->awards, p, awards);
	mpq_mul(x, result->win, result->win);
	add(space->win2, p, x);
	mpq_mul(x, result->win, awards);
	add(space->win_awards, p, x);
	mpq_mul(x, awards, awards);
	add(space->awards2, p, x);
	carried = &space->carried[held[0]][held[1]][held[2]];
	mpq_add(*carried, *carried, p);
	assert_true(result->awards < SPACE_AWARDS_MAX);
	if (mpq_sgn(result->win) == 0)
		mpq_add(space->nothing[result->awards], space->nothing[result->awards], p);
	mpq_clears(p, awards, x, NULL);
}

/* Wins by kind of phase, which are begun anew. */
static void book_kinds(
	struct round_space *space, const struct script *script, mpq_t kind[PHASE_KINDS])
{
	mpq_t p;

	mpq_init(p);
	mpq_set_ui(p, 1, 1);
	for (uint32_t i = 0; i < script->count; i++)
		mpz_mul_ui(mpq_denref(p), mpq_denref(p), script->below[i]);
	for (uint32_t i = 0; i < PHASE_KINDS; i++) {
		add(space->kind[i], p, kind[i]);
		mpq_set_ui(kind[i], 0, 1);
	}
	mpq_clear(p);
}

void round_space_walk(const struct game *game, const struct bet *bet,
	const struct round_state *state, enum spin_context context, const mpq_t jackpot,
	struct round_space *space)
{
	struct script script = { .count = 0 };
	mpq_t kind[PHASE_KINDS];
	struct spin_result result;

	mpq_init(result.win);
	for (uint32_t i = 0; i < STICKIES_MAX; i++)
		mpq_init(result.sticky[i]);
	for (uint32_t i = 0; i < PHASE_KINDS; i++)
		mpq_init(kind[i]);
	do {
		play(game, bet, state, context, jackpot, &script, &result, kind);
		book(space, &script, &result);
		book_kinds(space, &script, kind);
	} while (advance(&script));
	for (uint32_t i = 0; i < PHASE_KINDS; i++)
		mpq_clear(kind[i]);
	for (uint32_t i = 0; i < STICKIES_MAX; i++)
		mpq_clear(result.sticky[i]);
	mpq_clear(result.win);
}
