#include "libcommon/game/montecarlo.h"

void fast_stats_merge(struct fast_stats *into, const struct fast_stats *next)
{
	int64_t fall = into->peak - (into->net + next->trough);

	into->rounds += next->rounds;
	into->stake = next->stake;
	into->win += next->win;
	into->square += next->square;
	into->hits += next->hits;
	if (next->win_max > into->win_max)
		into->win_max = next->win_max;
	for (uint32_t i = 0; i < SOURCES; i++)
		into->source[i] += next->source[i];
	for (uint32_t i = 0; i < EVENTS; i++)
		into->event[i] += next->event[i];
	for (uint32_t i = 0; i < FAST_BINS; i++)
		into->histogram[i] += next->histogram[i];
	if (fall > into->drawdown)
		into->drawdown = fall;
	if (next->drawdown > into->drawdown)
		into->drawdown = next->drawdown;
	if (into->net + next->peak > into->peak)
		into->peak = into->net + next->peak;
	if (into->net + next->trough < into->trough)
		into->trough = into->net + next->trough;
	into->net += next->net;
}
