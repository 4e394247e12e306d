/* Arithmetic of yields: mixtures, and sums of independent ones. */
#include "libcommon/game/exact/yield.h"

#include <stdlib.h>

static bool is_zero(const mpq_t x)
{
	return mpq_sgn(x) == 0;
}

void mpz_set_count(mpz_t z, exact_count count)
{
	uint64_t limb[2] = { (uint64_t)count, (uint64_t)(count >> 64) };

	mpz_import(z, 2, -1, sizeof(limb[0]), 0, 0, limb);
}

void mpq_set_u64(mpq_t q, uint64_t num, uint64_t den)
{
	mpz_set_ui(mpq_numref(q), num);
	mpz_set_ui(mpq_denref(q), den);
	mpq_canonicalize(q);
}

void mpq_add_scaled(mpq_t sum, const mpq_t x, uint64_t num, uint64_t den)
{
	mpq_t t;

	if (num == 0 || is_zero(x))
		return;
	mpq_init(t);
	mpq_set_u64(t, num, den);
	mpq_mul(t, t, x);
	mpq_add(sum, sum, t);
	mpq_clear(t);
}

void mpq_add_product(mpq_t sum, const mpq_t x, const mpq_t y)
{
	mpq_t t;

	if (is_zero(x) || is_zero(y))
		return;
	mpq_init(t);
	mpq_mul(t, x, y);
	mpq_add(sum, sum, t);
	mpq_clear(t);
}

void yield_init(struct spin_yield *yield, enum exact_depth depth)
{
	yield->depth = depth;
	for (uint32_t i = 0; i < SOURCES; i++)
		mpq_init(yield->win[i]);
	for (uint32_t i = 0; i < EVENTS; i++)
		mpq_init(yield->event[i]);
	mpq_inits(yield->awards, yield->win2, yield->win_awards, yield->awards2, NULL);
	yield->zero_count = yield->zero_room = 0;
	yield->zero = NULL;
}

void yield_init_nothing(struct spin_yield *yield, enum exact_depth depth)
{
	mpq_t one;

	yield_init(yield, depth);
	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	yield_zero_add(yield, 0, one);
	mpq_clear(one);
}

static void zeros_free(struct spin_yield *yield)
{
	for (uint32_t i = 0; i < yield->zero_room; i++)
		mpq_clear(yield->zero[i].p);
	free(yield->zero);
	yield->zero_count = yield->zero_room = 0;
	yield->zero = NULL;
}

void yield_free(struct spin_yield *yield)
{
	for (uint32_t i = 0; i < SOURCES; i++)
		mpq_clear(yield->win[i]);
	for (uint32_t i = 0; i < EVENTS; i++)
		mpq_clear(yield->event[i]);
	mpq_clears(yield->awards, yield->win2, yield->win_awards, yield->awards2, NULL);
	zeros_free(yield);
}

/* Like GMP, this ends the process if memory ends. */
static void zeros_grow(struct spin_yield *yield)
{
	uint32_t room = yield->zero_room == 0 ? 8 : yield->zero_room * 2;
	struct yield_zero *zero = realloc(yield->zero, room * sizeof(*zero));

	if (zero == NULL)
		abort();
	for (uint32_t i = yield->zero_room; i < room; i++)
		mpq_init(zero[i].p);
	yield->zero = zero;
	yield->zero_room = room;
}

void yield_zero_add(struct spin_yield *yield, uint32_t awards, const mpq_t p)
{
	uint32_t at = 0;

	if (yield->depth != EXACT_ALL || is_zero(p))
		return;
	while (at < yield->zero_count && yield->zero[at].awards < awards)
		at++;
	if (at == yield->zero_count || yield->zero[at].awards != awards) {
		if (yield->zero_count == yield->zero_room)
			zeros_grow(yield);
		for (uint32_t i = yield->zero_count++; i > at; i--) {
			mpq_swap(yield->zero[i].p, yield->zero[i - 1].p);
			yield->zero[i].awards = yield->zero[i - 1].awards;
		}
		yield->zero[at].awards = awards;
		mpq_set_ui(yield->zero[at].p, 0, 1);
	}
	mpq_add(yield->zero[at].p, yield->zero[at].p, p);
}

void yield_total(const struct spin_yield *yield, mpq_t total_r)
{
	mpq_set_ui(total_r, 0, 1);
	for (uint32_t i = 0; i < SOURCES; i++)
		if (!is_zero(yield->win[i]))
			mpq_add(total_r, total_r, yield->win[i]);
}

void yield_mix(struct spin_yield *sum, const mpq_t p, const struct spin_yield *x)
{
	for (uint32_t i = 0; i < SOURCES; i++)
		mpq_add_product(sum->win[i], x->win[i], p);
	for (uint32_t i = 0; i < EVENTS; i++)
		mpq_add_product(sum->event[i], x->event[i], p);
	mpq_add_product(sum->awards, x->awards, p);
	if (sum->depth != EXACT_ALL)
		return;
	mpq_add_product(sum->win2, x->win2, p);
	mpq_add_product(sum->win_awards, x->win_awards, p);
	mpq_add_product(sum->awards2, x->awards2, p);
	for (uint32_t i = 0; i < x->zero_count; i++) {
		mpq_t t;

		mpq_init(t);
		mpq_mul(t, x->zero[i].p, p);
		yield_zero_add(sum, x->zero[i].awards, t);
		mpq_clear(t);
	}
}

/* sum += 2 x y */
static void add_twice(mpq_t sum, const mpq_t x, const mpq_t y)
{
	mpq_add_product(sum, x, y);
	mpq_add_product(sum, x, y);
}

/* Computes E[(Wy + Wx)^2] and so on from the moments of each, before it adds the means. */
static void moments_join(struct spin_yield *y, const struct spin_yield *x)
{
	mpq_t win_y, win_x;

	mpq_inits(win_y, win_x, NULL);
	yield_total(y, win_y);
	yield_total(x, win_x);
	mpq_add(y->win2, y->win2, x->win2);
	add_twice(y->win2, win_y, win_x);
	mpq_add(y->win_awards, y->win_awards, x->win_awards);
	mpq_add_product(y->win_awards, win_y, x->awards);
	mpq_add_product(y->win_awards, y->awards, win_x);
	mpq_add(y->awards2, y->awards2, x->awards2);
	add_twice(y->awards2, y->awards, x->awards);
	mpq_clears(win_y, win_x, NULL);
}

static void zeros_join(struct spin_yield *y, const struct spin_yield *x)
{
	struct yield_zero *old = y->zero;
	uint32_t count = y->zero_count, room = y->zero_room;
	mpq_t t;

	mpq_init(t);
	y->zero = NULL;
	y->zero_count = y->zero_room = 0;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < x->zero_count; j++) {
			mpq_mul(t, old[i].p, x->zero[j].p);
			yield_zero_add(y, old[i].awards + x->zero[j].awards, t);
		}
	for (uint32_t i = 0; i < room; i++)
		mpq_clear(old[i].p);
	free(old);
	mpq_clear(t);
}

void yield_join(struct spin_yield *y, const struct spin_yield *x)
{
	if (y->depth == EXACT_ALL) {
		moments_join(y, x);
		zeros_join(y, x);
	}
	for (uint32_t i = 0; i < SOURCES; i++)
		if (!is_zero(x->win[i]))
			mpq_add(y->win[i], y->win[i], x->win[i]);
	for (uint32_t i = 0; i < EVENTS; i++)
		if (!is_zero(x->event[i]))
			mpq_add(y->event[i], y->event[i], x->event[i]);
	mpq_add(y->awards, y->awards, x->awards);
}

void yield_add_win(struct spin_yield *yield, enum win_source source, const mpq_t win)
{
	struct spin_yield x;

	if (is_zero(win))
		return;
	yield_init(&x, yield->depth);
	mpq_set(x.win[source], win);
	mpq_mul(x.win2, win, win);
	yield_join(yield, &x); /* no zeros in x, so the sum has none either */
	yield_free(&x);
}

void yield_add_awards(struct spin_yield *yield, uint32_t awards)
{
	struct spin_yield x;
	mpq_t one;

	if (awards == 0)
		return;
	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	yield_init(&x, yield->depth);
	mpq_set_ui(x.awards, awards, 1);
	mpq_mul(x.awards2, x.awards, x.awards);
	mpq_set(x.event[EVENT_FREE_SPINS], one);
	yield_zero_add(&x, awards, one);
	yield_join(yield, &x);
	yield_free(&x);
	mpq_clear(one);
}
