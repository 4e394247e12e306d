/* Strips on which equal symbols stand together in runs (stacked symbols). */
#include "tools/slotmath/strips_runs.h"

#include <string.h>

#define SWAPS 20000

struct run {
	uint8_t symbol;
	uint32_t length;
};

/* Splits the count of each symbol into runs of about the wanted length, as equal as possible. */
static uint32_t split(const uint32_t count[GAME_SYMBOLS_MAX], const uint32_t run[GAME_SYMBOLS_MAX],
	struct run out[GAME_STRIP_MAX])
{
	uint32_t runs = 0;

	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++) {
		uint32_t parts = (2 * count[s] + run[s]) / (2 * run[s]); /* to the nearest */

		if (count[s] == 0)
			continue;
		if (parts == 0)
			parts = 1;
		for (uint32_t i = 0; i < parts && runs < GAME_STRIP_MAX; i++)
			out[runs++] = (struct run){ .symbol = (uint8_t)s,
				.length = count[s] / parts + (i < count[s] % parts) };
	}
	return runs;
}

/* Finds a random order in which no two runs of the same symbol touch; the strip is circular. */
static bool shuffle(struct rng *rng, struct run *run, uint32_t runs)
{
	uint32_t good = 0;

	for (uint32_t i = runs - 1; i > 0; i--) {
		uint32_t k = (uint32_t)rng_below(rng, i + 1);
		struct run kept = run[i];

		run[i] = run[k];
		run[k] = kept;
	}
	for (uint32_t tries = 0, at = 0; tries < SWAPS; tries++, at = (at + 1) % runs) {
		uint32_t other = (uint32_t)rng_below(rng, runs);
		struct run kept = run[at];

		if (run[at].symbol != run[(at + 1) % runs].symbol) {
			if (++good >= runs)
				return true;
			continue;
		}
		good = 0;
		run[at] = run[other];
		run[other] = kept;
	}
	return false;
}

bool runs_lay(struct rng *rng, const uint32_t count[GAME_SYMBOLS_MAX],
	const uint32_t run[GAME_SYMBOLS_MAX], uint8_t symbol_r[GAME_STRIP_MAX], uint32_t *length_r)
{
	struct run order[GAME_STRIP_MAX];
	uint32_t sum = 0, runs;

	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++)
		sum += count[s];
	if (sum == 0 || sum > GAME_STRIP_MAX)
		return false;
	runs = split(count, run, order);
	if (runs < 2 || !shuffle(rng, order, runs))
		return false;
	*length_r = 0;
	for (uint32_t i = 0; i < runs; i++)
		for (uint32_t k = 0; k < order[i].length; k++)
			symbol_r[(*length_r)++] = order[i].symbol;
	return true;
}

uint8_t runs_candidate(struct rng *rng, const struct game_strip *strip, uint32_t at,
	const uint32_t run[GAME_SYMBOLS_MAX], uint32_t symbols)
{
	uint32_t n = strip->length;
	uint8_t here = strip->symbol[at], before = strip->symbol[(at + n - 1) % n];
	uint8_t after = strip->symbol[(at + 1) % n], any = (uint8_t)rng_below(rng, symbols);

	if (before == here && after != here)
		return after;
	if (after == here && before != here)
		return before;
	if (before == here || run[here] != 1 || run[any] != 1 || any == before || any == after)
		return here;
	return any;
}
