#include "libcommon/game/core/spin_rank.h"

#include <assert.h>

uint32_t spin_rank_position_of(const struct spin_rank *rank, uint64_t value)
{
	uint32_t i = 0;

	while (value >= rank->position[i].weight) {
		value -= rank->position[i++].weight;
		assert(i < rank->position_count);
	}
	return i;
}

/* The first stop whose running count exceeds the value, found by bisection, because sums rise. It
 * does not branch on the result, which the processor could not predict. */
static uint32_t stop_at(const uint64_t *below, uint32_t stops, uint64_t value)
{
	const uint64_t *from = below;

	assert(value < below[stops - 1]);
	for (uint32_t left = stops, half; left > 1; left -= half) {
		half = left / 2;
		from += half & (0u - (uint32_t)(value >= from[half - 1]));
	}
	return (uint32_t)(from - below);
}

void spin_rank_stops(const struct spin_rank *rank, uint32_t position, uint64_t value,
	uint16_t stop_r[GAME_REELS_MAX])
{
	const struct spin_rank_reel *reel = rank->position[position].reel;
	uint32_t state = 0;

	for (uint32_t r = 0; r < rank->reels; r++) {
		size_t row = (size_t)state * reel[r].stops;
		const uint64_t *below = reel[r].below + row;
		uint64_t follow; /* combinations of the reels that follow */
		uint32_t stop = stop_at(below, reel[r].stops, value);

		stop_r[r] = (uint16_t)stop;
		if (r + 1 == rank->reels)
			break;
		state = reel[r].next[row + stop];
		/* a stop of weight w stands for w blocks, each with as many combinations as the
		 * following reels have */
		value -= stop > 0 ? below[stop - 1] : 0;
		follow = reel[r + 1].below[(size_t)(state + 1) * reel[r + 1].stops - 1];
		if (value >= follow)
			value %= follow;
	}
}
