/* The carried state from round to round: a Markov chain over at most two collectibles.
 *
 * A spin's collectibles are collected from left to right; the third completes a combination and all
 * three are used up, whatever they start. So the carried collectibles do not depend on what is
 * unlocked, and the long-run shares are the same at each level. */
#include "libcommon/game/core/reels.h"
#include "libcommon/game/features/collect-and-unlock/exact_parts.h"

#include <assert.h>
#include <string.h>

#define COMBINATION 3u

void *unlock_take(size_t bytes)
{
	void *(*allocate)(size_t);

	mp_get_memory_functions(&allocate, NULL, NULL);
	return allocate(bytes);
}

void unlock_give(void *block, size_t bytes)
{
	void (*release)(void *, size_t);

	mp_get_memory_functions(NULL, NULL, &release);
	release(block, bytes);
}

/* The states in order: none; R, B, G; RR, RB, RG, BB, BG, GG. Combinations likewise. */
static uint32_t index_of(const uint8_t colours[GAME_COLOURS], uint32_t from, uint32_t to)
{
	uint32_t index = 0;

	for (uint32_t sum = from; sum <= to; sum++)
		for (uint32_t red = sum + 1; red-- > 0;)
			for (uint32_t blue = sum - red + 1; blue-- > 0; index++)
				if (red == colours[0] && blue == colours[1] &&
					sum - red - blue == colours[2])
					return index;
	return index;
}

static void colours_of(uint32_t index, uint32_t from, uint8_t colours_r[GAME_COLOURS])
{
	for (uint32_t sum = from;; sum++)
		for (uint32_t red = sum + 1; red-- > 0;)
			for (uint32_t blue = sum - red + 1; blue-- > 0;)
				if (index-- == 0) {
					colours_r[0] = (uint8_t)red;
					colours_r[1] = (uint8_t)blue;
					colours_r[2] = (uint8_t)(sum - red - blue);
					return;
				}
}

void unlock_state_colours(uint32_t state, uint8_t colours_r[GAME_COLOURS])
{
	colours_of(state, 0, colours_r);
}

void unlock_combination_colours(uint32_t combination, uint8_t colours_r[GAME_COLOURS])
{
	colours_of(combination, COMBINATION, colours_r);
}

/* RULE witch-feature 3.6 to 3.11, 5.1 */
int unlock_outcome(const struct unlock_rules *rules, uint32_t level, uint32_t combination,
	struct odds *explosion_r)
{
	uint8_t colours[GAME_COLOURS];

	unlock_combination_colours(combination, colours);
	*explosion_r = rules->explosion;
	for (uint32_t i = 0; i < rules->step_count; i++) {
		if (memcmp(rules->step[i].needs, colours, sizeof(colours)) != 0)
			continue;
		if (i <= level)
			return (int)rules->step[i].kind;
		*explosion_r = rules->explosion_locked[rules->step[i].kind];
	}
	return -1;
}

/* RULE witch-feature 3.3, 3.5 */
static void collect(const struct game *game, struct unlock_spin *spin)
{
	for (uint32_t state = 0; state < UNLOCK_STATES; state++) {
		uint8_t held[GAME_COLOURS];

		spin->combination[state] = UNLOCK_NONE;
		unlock_state_colours(state, held);
		for (uint32_t r = 0; r < game->reels; r++) {
			if (spin->colour[r] == 0)
				continue;
			held[spin->colour[r] - 1]++;
			if (held[0] + held[1] + held[2] < (int)COMBINATION)
				continue;
			/* with two carried, a second combination needs collectibles on more than
			 * three reels, which the loader refuses */
			assert(spin->combination[state] == UNLOCK_NONE);
			spin->combination[state] =
				(uint8_t)index_of(held, COMBINATION, COMBINATION);
			memset(held, 0, sizeof(held));
		}
		spin->next[state] = (uint8_t)index_of(held, 0, COMBINATION - 1);
	}
}

static void add_spins(struct unlock_chain *chain, const struct game *game, uint32_t set)
{
	uint64_t weight[GAME_REELS_MAX][GAME_COLOURS + 1] = { 0 };
	uint32_t codes = 1;

	for (uint32_t r = 0; r < game->reels; r++, codes *= GAME_COLOURS + 1)
		for (uint32_t s = 0; s < game->strips[set].reel[r].length; s++) {
			struct reel_column column;

			reel_column(game, set, r, s, 0, &column);
			weight[r][column.collectible] += game->strips[set].reel[r].stop_weight[s];
		}
	for (uint32_t code = 0; code < codes; code++) {
		struct unlock_spin *spin = &chain->spin[chain->spin_count];
		uint64_t scale = 1, ways = 1;
		uint32_t rest = code;

		mpq_init(spin->p);
		for (uint32_t r = 0; r < game->reels; r++, rest /= GAME_COLOURS + 1) {
			spin->colour[r] = (uint8_t)(rest % (GAME_COLOURS + 1));
			ways *= weight[r][spin->colour[r]]; /* below 2^60 */
			scale *= game->strips[set].reel[r].weight;
		}
		if (ways == 0) {
			mpq_clear(spin->p);
			continue;
		}
		mpq_set_u64(spin->p, ways, scale);
		collect(game, spin);
		chain->spin_count++;
	}
}

/* Solves shares x (moves - 1) = 0 with the shares' sum 1, by elimination over the rationals.
 * `live`: the states reachable from the empty state; the others have no share. There is one
 * recurrent class, because each completed combination forgets everything before it. */
static void solve(mpq_t move[UNLOCK_STATES][UNLOCK_STATES + 1], const bool live[UNLOCK_STATES],
	mpq_t share[UNLOCK_STATES])
{
	mpq_t x;

	mpq_init(x);
	for (uint32_t i = 0; i < UNLOCK_STATES; i++) {
		uint32_t row = i;

		if (!live[i])
			continue;
		while (row < UNLOCK_STATES && (!live[row] || mpq_sgn(move[row][i]) == 0))
			row++;
		assert(row < UNLOCK_STATES);
		for (uint32_t k = 0; row != i && k <= UNLOCK_STATES; k++)
			mpq_swap(move[i][k], move[row][k]);
		for (uint32_t other = 0; other < UNLOCK_STATES; other++) {
			if (other == i || !live[other] || mpq_sgn(move[other][i]) == 0)
				continue;
			mpq_div(x, move[other][i], move[i][i]);
			for (uint32_t k = i; k <= UNLOCK_STATES; k++) {
				mpq_t product;

				mpq_init(product);
				mpq_mul(product, x, move[i][k]);
				mpq_sub(move[other][k], move[other][k], product);
				mpq_clear(product);
			}
		}
	}
	for (uint32_t i = 0; i < UNLOCK_STATES; i++)
		if (live[i])
			mpq_div(share[i], move[i][UNLOCK_STATES], move[i][i]);
	mpq_clear(x);
}

static void long_run(struct unlock_chain *chain)
{
	mpq_t move[UNLOCK_STATES][UNLOCK_STATES + 1];
	bool live[UNLOCK_STATES] = { true };

	for (uint32_t pass = 0; pass < UNLOCK_STATES; pass++)
		for (uint32_t state = 0; state < UNLOCK_STATES; state++)
			for (uint32_t i = 0; live[state] && i < chain->spin_count; i++)
				live[chain->spin[i].next[state]] = true;
	for (uint32_t i = 0; i < UNLOCK_STATES; i++)
		for (uint32_t k = 0; k <= UNLOCK_STATES; k++)
			mpq_init(move[i][k]);
	for (uint32_t state = 0; state < UNLOCK_STATES; state++) {
		mpq_set_si(move[state][state], -1, 1);
		for (uint32_t i = 0; i < chain->spin_count; i++) {
			uint32_t to = chain->spin[i].next[state];

			mpq_add(move[to][state], move[to][state], chain->spin[i].p);
		}
	}
	for (uint32_t k = 0; k <= UNLOCK_STATES;
		k++) /* one equation is redundant: the sum 1 replaces it */
		mpq_set_ui(move[0][k], 1, 1);
	solve(move, live, chain->carried);
	for (uint32_t i = 0; i < UNLOCK_STATES; i++)
		for (uint32_t k = 0; k <= UNLOCK_STATES; k++)
			mpq_clear(move[i][k]);
}

void unlock_chain_init(struct unlock_chain *chain, const struct game *game, uint32_t set)
{
	chain->spin_count = 0;
	chain->spin = unlock_take(UNLOCK_SPINS_MAX * sizeof(*chain->spin));
	for (uint32_t i = 0; i < UNLOCK_STATES; i++)
		mpq_init(chain->carried[i]);
	add_spins(chain, game, set);
	long_run(chain);
}

void unlock_chain_free(struct unlock_chain *chain)
{
	for (uint32_t i = 0; i < chain->spin_count; i++)
		mpq_clear(chain->spin[i].p);
	unlock_give(chain->spin, UNLOCK_SPINS_MAX * sizeof(*chain->spin));
	for (uint32_t i = 0; i < UNLOCK_STATES; i++)
		mpq_clear(chain->carried[i]);
}
