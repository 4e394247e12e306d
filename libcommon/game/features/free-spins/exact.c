/* Free spins as a branching process: each free spin may award further ones. With W and A the win
 * and awards of one free spin, its total including the free spins it awards is Y = W + Y_1 + .. +
 * Y_A, so
 *
 *     E Y   = E W / (1 - E A)
 *     E Y^2 = (E W^2 + 2 E[W A] E Y + E[A (A - 1)] (E Y)^2) / (1 - E A)
 *     P(Y = 0) = q, the least root of q = sum over a of P(W = 0, A = a) q^a
 *
 * and the paid spin the same, once, with its own W and A. All free spins are alike, so the order
 * does not matter and a single number of waiting free spins is enough. RULE bewitched 3.15, 3.17 */
#include "libcommon/game/exact/feature.h"

/* The win of one free spin and all free spins that follow from it. */
struct offspring {
	mpq_t win, win2;
	mpq_t nothing; /* q */
};

/* ---- q ---- */

#define FIXED_BITS 256
#define FIXED_ROUNDS 100000

/* sum of p_a q^a, in units of 2^-FIXED_BITS; p: the same, floored. */
static void fixed_apply(const struct spin_yield *yield, const mpz_t q, mpz_t sum_r)
{
	mpz_t power, p;
	uint32_t at = 0;

	mpz_inits(power, p, NULL);
	mpz_set_ui(sum_r, 0);
	mpz_set_ui(power, 1);
	mpz_mul_2exp(power, power, FIXED_BITS);
	for (uint32_t i = 0; i < yield->zero_count; i++) {
		for (; at < yield->zero[i].awards; at++) {
			mpz_mul(power, power, q);
			mpz_fdiv_q_2exp(power, power, FIXED_BITS);
		}
		mpz_mul(p, power, mpq_numref(yield->zero[i].p));
		mpz_fdiv_q(p, p, mpq_denref(yield->zero[i].p));
		mpz_add(sum_r, sum_r, p);
	}
	mpz_clears(power, p, NULL);
}

/* From q = 0 upwards, never above the least root. */
static void fixed_root(const struct spin_yield *yield, mpq_t q_r)
{
	mpz_t q, next;

	mpz_inits(q, next, NULL);
	for (uint32_t i = 0; i < FIXED_ROUNDS; i++) {
		fixed_apply(yield, q, next);
		if (mpz_cmp(next, q) == 0)
			break;
		mpz_swap(q, next);
	}
	mpq_set_z(q_r, q);
	mpq_div_2exp(q_r, q_r, FIXED_BITS);
	mpz_clears(q, next, NULL);
}

/* If at most one free spin is awarded at once, q = p_0 + p_1 q is rational. */
static void set_nothing(const struct spin_yield *free_spin, mpq_t q_r)
{
	mpq_t end;

	mpq_set_ui(q_r, 0, 1);
	if (free_spin->zero_count == 0 || free_spin->zero[0].awards > 0)
		return;
	if (free_spin->zero[free_spin->zero_count - 1].awards > 1) {
		fixed_root(free_spin, q_r);
		return;
	}
	mpq_init(end);
	mpq_set_ui(end, 1, 1);
	if (free_spin->zero_count == 2)
		mpq_sub(end, end, free_spin->zero[1].p);
	mpq_div(q_r, free_spin->zero[0].p, end);
	mpq_clear(end);
}

/* The sum of P(W = 0, A = a) q^a: rational as long as q is; a dyadic q is kept short. */
static void round_nothing(const struct spin_yield *paid, const mpq_t q, mpq_t p_r)
{
	mpq_t power, t;
	uint32_t at = 0;

	mpq_inits(power, t, NULL);
	mpq_set_ui(power, 1, 1);
	mpq_set_ui(p_r, 0, 1);
	for (uint32_t i = 0; i < paid->zero_count; i++) {
		for (; at < paid->zero[i].awards; at++)
			mpq_mul(power, power, q);
		mpq_add_product(p_r, paid->zero[i].p, power);
	}
	mpq_clears(power, t, NULL);
}

/* ---- moments ---- */

/* sum += E[W^2] + 2 E[W A] m + (E[A^2] - E[A]) m^2 */
static void add_second(mpq_t sum, const struct spin_yield *yield, const mpq_t m)
{
	mpq_t t;

	mpq_init(t);
	mpq_add(sum, sum, yield->win2);
	mpq_mul(t, yield->win_awards, m);
	mpq_add_scaled(sum, t, 2, 1);
	mpq_sub(t, yield->awards2, yield->awards);
	mpq_mul(t, t, m);
	mpq_add_product(sum, t, m);
	mpq_clear(t);
}

static void offspring_set(
	struct offspring *offspring, const struct spin_yield *free_spin, const mpq_t end)
{
	mpq_inits(offspring->win, offspring->win2, offspring->nothing, NULL);
	yield_total(free_spin, offspring->win);
	mpq_div(offspring->win, offspring->win, end);
	if (free_spin->depth != EXACT_ALL)
		return;
	add_second(offspring->win2, free_spin, offspring->win);
	mpq_div(offspring->win2, offspring->win2, end);
	set_nothing(free_spin, offspring->nothing);
}

static void offspring_clear(struct offspring *offspring)
{
	mpq_clears(offspring->win, offspring->win2, offspring->nothing, NULL);
}

/* Wins, events and number of all free spins of a round. */
static void add_free_spins(
	struct spin_yield *round, const struct spin_yield *free_spin, const mpq_t number)
{
	mpq_t wins;

	mpq_init(wins);
	yield_total(free_spin, wins);
	mpq_sub(wins, wins, free_spin->win[SOURCE_JACKPOT]);
	mpq_add_product(round->win[SOURCE_FREE_SPINS], wins, number);
	mpq_add_product(round->win[SOURCE_JACKPOT], free_spin->win[SOURCE_JACKPOT], number);
	for (uint32_t i = 0; i < EVENTS; i++)
		if (i != EVENT_FREE_SPINS)
			mpq_add_product(round->event[i], free_spin->event[i], number);
	mpq_set(round->awards, number);
	mpq_clear(wins);
}

static void round_moments(
	const struct spin_yield *paid, const struct offspring *offspring, struct spin_yield *round)
{
	mpq_t p;

	mpq_init(p);
	add_second(round->win2, paid, offspring->win);
	mpq_add_product(round->win2, paid->awards, offspring->win2);
	round_nothing(paid, offspring->nothing, p);
	yield_zero_add(round, 0, p);
	mpq_clear(p);
}

enum exact_status round_yield(const struct spin_yield *paid, const struct spin_yield *free_spin,
	struct spin_yield *round_r)
{
	struct offspring offspring;
	struct spin_yield none;
	mpq_t end, number;

	yield_init(round_r, paid->depth);
	yield_init(&none, paid->depth);
	mpq_inits(end, number, NULL);
	if (free_spin == NULL)
		free_spin = &none;
	mpq_set_ui(end, 1, 1);
	mpq_sub(end, end, free_spin->awards);
	if (mpq_sgn(end) <= 0) {
		mpq_clears(end, number, NULL);
		yield_free(&none);
		return EXACT_ENDLESS;
	}
	for (uint32_t i = 0; i < SOURCES; i++)
		mpq_set(round_r->win[i], paid->win[i]);
	for (uint32_t i = 0; i < EVENTS; i++)
		mpq_set(round_r->event[i], paid->event[i]);
	mpq_div(number, paid->awards, end);
	add_free_spins(round_r, free_spin, number);
	offspring_set(&offspring, free_spin, end);
	if (paid->depth == EXACT_ALL)
		round_moments(paid, &offspring, round_r);
	offspring_clear(&offspring);
	mpq_clears(end, number, NULL);
	yield_free(&none);
	return EXACT_OK;
}

/* Free spins are a context, not a yield of a single spin. */
const struct feature_exact free_spins_exact = { 0 };
