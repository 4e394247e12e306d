/* What the first rounds at a new bet value return: nothing is collected, the first step alone is
 * open, and both change from round to round. The long run is exact_chain.c's; here the chain over
 * (level, carried) is walked spin by spin, in whole numbers over a power of one denominator. */
#include "libcommon/game/features/collect-and-unlock/exact_parts.h"

#include <stdio.h>

#define CELLS (GAME_UNLOCK_STEPS_MAX * UNLOCK_STATES)

struct early {
	const struct unlock_rules *rules;
	const struct unlock_chain *chain;
	mpz_t whole;		       /* the denominator of every spin's chance */
	mpz_t now[CELLS], next[CELLS]; /* / whole^spins: where a player is */
	mpz_t been[CELLS];	       /* the sum of all `now`, over the newest denominator */
};

static uint32_t cell_of(uint32_t level, uint32_t state)
{
	return level * UNLOCK_STATES + state;
}

/* RULE witch-feature 3.7 to 3.11: the last open step opens the next when it is triggered. */
static uint32_t level_after(const struct early *early, uint32_t level, uint32_t combination)
{
	const struct unlock_rules *rules = early->rules;
	struct odds explosion;

	if (combination == UNLOCK_NONE || level + 1 >= rules->step_count ||
		unlock_outcome(rules, level, combination, &explosion) !=
			(int)rules->step[level].kind)
		return level;
	return level + 1;
}

static void walk_from(struct early *early, uint32_t level, uint32_t state)
{
	mpz_t *now = &early->now[cell_of(level, state)];
	mpz_t ways;

	if (mpz_sgn(*now) == 0)
		return;
	mpz_init(ways);
	for (uint32_t i = 0; i < early->chain->spin_count; i++) {
		const struct unlock_spin *spin = &early->chain->spin[i];
		uint32_t to = cell_of(
			level_after(early, level, spin->combination[state]), spin->next[state]);

		mpz_divexact(ways, early->whole, mpq_denref(spin->p));
		mpz_mul(ways, ways, mpq_numref(spin->p));
		mpz_addmul(early->next[to], *now, ways);
	}
	mpz_clear(ways);
}

static void walk(struct early *early)
{
	for (uint32_t level = 0; level < early->rules->step_count; level++)
		for (uint32_t state = 0; state < UNLOCK_STATES; state++)
			walk_from(early, level, state);
	for (uint32_t i = 0; i < CELLS; i++) {
		mpz_swap(early->now[i], early->next[i]);
		mpz_set_ui(early->next[i], 0);
		mpz_mul(early->been[i], early->been[i], early->whole);
		mpz_add(early->been[i], early->been[i], early->now[i]);
	}
}

/* The mean of the first `spins`, after as many rounds were looked at. */
static void mean_of(const struct early *early, uint32_t spins, mpq_t rtp[CELLS], mpq_t mean_r)
{
	mpq_t part;
	mpz_t scale;

	mpq_init(part);
	mpz_init(scale);
	mpz_pow_ui(scale, early->whole, spins - 1);
	mpz_mul_ui(scale, scale, spins);
	mpq_set_ui(mean_r, 0, 1);
	for (uint32_t i = 0; i < CELLS; i++) {
		if (mpz_sgn(early->been[i]) == 0)
			continue;
		mpq_set_z(part, early->been[i]);
		mpq_mul(part, part, rtp[i]);
		mpq_add(mean_r, mean_r, part);
	}
	mpq_set_z(part, scale);
	mpq_div(mean_r, mean_r, part);
	mpq_clear(part);
	mpz_clear(scale);
}

void unlock_early(const struct unlock_rules *rules, const struct unlock_chain *chain,
	mpq_t rtp[CELLS], struct exact_mode *mode_r)
{
	static const uint32_t told[] = { 1, 10, 100 };
	struct early early = { .rules = rules, .chain = chain };
	char name[EXACT_NAME_MAX];
	uint32_t spins = 1;
	mpq_t mean;

	mpq_init(mean);
	mpz_init_set_ui(early.whole, 1);
	for (uint32_t i = 0; i < chain->spin_count; i++)
		mpz_lcm(early.whole, early.whole, mpq_denref(chain->spin[i].p));
	for (uint32_t i = 0; i < CELLS; i++)
		mpz_inits(early.now[i], early.next[i], early.been[i], NULL);
	mpz_set_ui(early.now[0], 1);
	mpz_set_ui(early.been[0], 1);
	for (uint32_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		for (; spins < told[i]; spins++)
			walk(&early);
		mean_of(&early, spins, rtp, mean);
		snprintf(name, sizeof(name), "first %u", spins);
		exact_add_state(mode_r, name, mean);
	}
	for (uint32_t i = 0; i < CELLS; i++)
		mpz_clears(early.now[i], early.next[i], early.been[i], NULL);
	mpz_clear(early.whole);
	mpq_clear(mean);
}
