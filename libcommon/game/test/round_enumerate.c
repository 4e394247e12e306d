#include "libcommon/game/test/round_enumerate.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DRAWS_MAX 1024

/* A round as a path in the tree of draws: the values so far, then all zeros. */
struct path {
	uint32_t count;
	uint32_t value[DRAWS_MAX];
	uint64_t below[DRAWS_MAX];
};

/* What one round came to. */
struct played {
	mpq_t win, first;
	uint32_t jackpots, free_spins;
	bool hold, full;
};

/* Progressives that lines or symbols of the phase won, not its vials. */
static bool wins_on_screen(const struct phase *phase)
{
	for (uint32_t i = 0; i < phase->win_count; i++)
		if (phase->win[i].what == WIN_JACKPOT)
			return true;
	return false;
}

static void jackpot_value(const struct round *round, mpq_t value_r)
{
	const struct jackpot_link *link = &round->game->jackpot;

	mpq_set_si(value_r, 0, 1);
	if (link->pool == 0)
		return;
	mpq_set_si(value_r, link->base_seed_minor, 1);
	mpz_set_si(
		mpq_denref(value_r), link->base_coin_minor * round->bet.lines * round->bet.coins);
	mpq_canonicalize(value_r);
}

static void phase_count(const struct round *round, const struct phase *phase, struct played *played,
	bool free_started)
{
	mpq_t x;

	mpq_init(x);
	mpq_set_si(x, phase->win_total.minor, (unsigned long)round->total.minor);
	mpq_canonicalize(x);
	mpq_add(played->win, played->win, x);
	if (phase->kind == PHASE_SPIN || (phase->kind == PHASE_SCATTER_AWARD && !free_started))
		mpq_add(played->first, played->first, x);
	jackpot_value(round, x);
	if (phase->jackpot_hit) {
		played->jackpots++;
		mpq_add(played->win, played->win, x);
		if (phase->kind == PHASE_SPIN && wins_on_screen(phase))
			mpq_add(played->first, played->first, x);
	}
	played->free_spins += phase->kind == PHASE_FREE_SPIN;
	if (phase->kind == PHASE_HOLD_END) {
		played->hold = true;
		played->full = phase->held ==
			       (UINT32_C(1) << (round->game->reels * round->game->rows)) - 1;
	}
	mpq_clear(x);
}

static void play_path(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct path *path, struct played *played)
{
	static const uint8_t key[RNG_KEY_BYTES];
	static struct phase phase;
	struct rng rng;
	struct round round;
	enum round_status status;
	bool free_started = false;

	memset(path->value + path->count, 0, (DRAWS_MAX - path->count) * sizeof(uint32_t));
	path->count = 0;
	rng_init(&rng, key);
	rng_force(&rng, path->value, DRAWS_MAX);
	assert_int_equal(round_begin(game, bet, state, &rng, &round), ROUND_OK);
	while ((status = round_next(&round, &phase)) == ROUND_OK) {
		for (uint32_t i = 0; i < phase.draw_count; i++) {
			assert_true(path->count < DRAWS_MAX);
			assert_int_equal(phase.draw[i].value, path->value[path->count]);
			path->below[path->count++] = phase.draw[i].below;
		}
		free_started = free_started || phase.kind == PHASE_FREE_SPIN;
		phase_count(&round, &phase, played, free_started);
	}
	assert_int_equal(status, ROUND_DONE);
	assert_false(rng_forced_misfit(&rng));
}

/* To the next leaf of the tree. False after the last. */
static bool path_next(struct path *path)
{
	while (path->count > 0) {
		uint32_t last = path->count - 1;

		if (path->value[last] + UINT64_C(1) < path->below[last]) {
			path->value[last]++;
			return true;
		}
		path->count--;
	}
	return false;
}

static void path_probability(const struct path *path, mpq_t p_r)
{
	mpq_set_ui(p_r, 1, 1);
	for (uint32_t i = 0; i < path->count; i++)
		mpz_mul_ui(mpq_denref(p_r), mpq_denref(p_r), path->below[i]);
}

static void add_times(mpq_t sum, const mpq_t p, const mpq_t x)
{
	mpq_t t;

	if (mpq_sgn(x) == 0)
		return;
	mpq_init(t);
	mpq_mul(t, p, x);
	mpq_add(sum, sum, t);
	mpq_clear(t);
}

static void add_number(mpq_t sum, const mpq_t p, uint32_t n)
{
	mpq_t x;

	mpq_init(x);
	mpq_set_ui(x, n, 1);
	add_times(sum, p, x);
	mpq_clear(x);
}

static void count_round(struct enumerated *e, const struct path *path, const struct played *played)
{
	mpq_t p, square;

	mpq_inits(p, square, NULL);
	path_probability(path, p);
	mpq_mul(square, played->win, played->win);
	add_times(e->win, p, played->win);
	add_times(e->win2, p, square);
	add_number(e->hit, p, mpq_sgn(played->win) > 0);
	add_number(e->jackpots, p, played->jackpots);
	add_number(e->free_spins, p, played->free_spins);
	add_number(e->hold, p, played->hold);
	add_number(e->full, p, played->full);
	add_times(e->first, p, played->first);
	if (mpq_cmp(played->first, e->first_most) > 0)
		mpq_set(e->first_most, played->first);
	mpq_add(e->probability, e->probability, p);
	e->rounds++;
	mpq_clears(p, square, NULL);
}

void enumerate_rounds(const struct game *game, const struct bet *bet,
	const struct round_state *state, uint64_t limit, struct enumerated *e_r)
{
	static struct path path;

	e_r->rounds = 0;
	mpq_inits(e_r->win, e_r->win2, e_r->hit, e_r->jackpots, e_r->free_spins, e_r->hold,
		e_r->full, e_r->first, e_r->first_most, e_r->probability, NULL);
	path.count = 0;
	do {
		struct played played = { .jackpots = 0 };

		mpq_inits(played.win, played.first, NULL);
		play_path(game, bet, state, &path, &played);
		count_round(e_r, &path, &played);
		mpq_clears(played.win, played.first, NULL);
		if (e_r->rounds > limit)
			fail_msg("more than %" PRIu64 " rounds", limit);
	} while (path_next(&path));
	assert_int_equal(mpq_cmp_ui(e_r->probability, 1, 1), 0);
}

void enumerated_free(struct enumerated *e)
{
	mpq_clears(e->win, e->win2, e->hit, e->jackpots, e->free_spins, e->hold, e->full, e->first,
		e->first_most, e->probability, NULL);
}

void assert_same(const char *what, const mpq_t found, const mpq_t expected)
{
	char *text;

	if (mpq_equal(found, expected))
		return;
	text = malloc(mpz_sizeinbase(mpq_numref(found), 10) +
		      mpz_sizeinbase(mpq_denref(found), 10) +
		      mpz_sizeinbase(mpq_numref(expected), 10) +
		      mpz_sizeinbase(mpq_denref(expected), 10) + 64);
	assert_non_null(text);
	(void)gmp_sprintf(text, "found %Qd, expected %Qd", found, expected);
	fail_msg("%s: %s", what, text);
}
