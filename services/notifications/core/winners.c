#include "services/notifications/core/winners.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t last_of(const struct winners_position *position, uint32_t pool)
{
	for (size_t i = 0; i < position->n; i++)
		if (position->last[i].pool == pool)
			return position->last[i].hit;
	return 0;
}

void winners_position_pass(struct winners_position *position, const struct winner *winner)
{
	size_t i = 0;
	while (i < position->n && position->last[i].pool != winner->pool)
		i++;
	if (i == WINNERS_POOLS_MAX)
		return;
	if (i == position->n)
		position->last[position->n++].pool = winner->pool;
	position->last[i].hit = winner->hit;
}

enum winners_status winners_offer(struct winners *winners, const struct winner *winner)
{
	uint64_t last = last_of(&winners->position, winner->pool);
	if (winner->hit <= last)
		return WINNERS_SEEN;
	if (!last && winners->position.n == WINNERS_POOLS_MAX)
		return WINNERS_FULL;
	winners->ring[winners->next] = *winner;
	winners->next = (winners->next + 1) % WINNERS_MAX;
	if (winners->n < WINNERS_MAX)
		winners->n++;
	winners_position_pass(&winners->position, winner);
	/* The first hit of a pool may have any number: the topic keeps only recent ones. */
	return last && winner->hit != last + 1 ? WINNERS_GAP : WINNERS_OK;
}

const struct winner *winners_at(const struct winners *winners, size_t i)
{
	return &winners->ring[(winners->next + WINNERS_MAX - winners->n + i) % WINNERS_MAX];
}

/* How many stored winners of the pool come after a hit. */
static uint64_t kept_after(const struct winners *winners, uint32_t pool, uint64_t hit)
{
	uint64_t kept = 0;
	for (size_t i = 0; i < winners->n; i++) {
		const struct winner *winner = winners_at(winners, i);
		kept += winner->pool == pool && winner->hit > hit;
	}
	return kept;
}

bool winners_can_resume(const struct winners *winners, const struct winners_position *from)
{
	/* The client has a hit that does not exist here: its position is from another
	 * installation. */
	for (size_t i = 0; i < from->n; i++)
		if (from->last[i].hit > last_of(&winners->position, from->last[i].pool))
			return false;
	for (size_t i = 0; i < winners->position.n; i++) {
		uint32_t pool = winners->position.last[i].pool;
		uint64_t told = last_of(from, pool), last = winners->position.last[i].hit;
		if (kept_after(winners, pool, told) != last - told)
			return false;
	}
	return true;
}

bool winners_is_after(const struct winner *winner, const struct winners_position *from)
{
	return winner->hit > last_of(from, winner->pool);
}

void winners_position_format(const struct winners_position *position, char *out)
{
	int n = 0;
	out[0] = 0;
	for (size_t i = 0; i < position->n; i++)
		n += snprintf(out + n, 32, "%s%" PRIu32 ":%" PRIu64, i ? "," : "",
			position->last[i].pool, position->last[i].hit);
}

/* Reads a number from 1 to max without a leading zero and moves *text past it. */
static bool number(const char **text, uint64_t max, uint64_t *value_r)
{
	const char *at = *text;
	uint64_t value = 0;
	if (*at < '1' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');
		if (value > (max - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*text = at;
	*value_r = value;
	return true;
}

bool winners_position_parse(const char *text, struct winners_position *position_r)
{
	struct winners_position position = { 0 };
	while (*text) {
		uint64_t pool, hit;
		if (position.n == WINNERS_POOLS_MAX || !number(&text, UINT32_MAX, &pool) ||
			*text++ != ':' || !number(&text, INT64_MAX, &hit))
			return false;
		if (last_of(&position, (uint32_t)pool))
			return false;
		position.last[position.n].pool = (uint32_t)pool;
		position.last[position.n++].hit = hit;
		if (*text == ',' && text[1])
			text++;
		else if (*text)
			return false;
	}
	*position_r = position;
	return true;
}
