/* Finds the successors of retired pools. */
#include "services/progressive-pool/adapters/successor.h"

static size_t found_before(const struct transfer_place *chain, size_t n, uint32_t pool)
{
	size_t i = 0;
	while (i < n && chain[i].pool != pool)
		i++;
	return i;
}

size_t successor_chain(uint32_t pool, const struct transfer_place *rest, successor_of *next,
	void *context, struct transfer_place chain_r[SUCCESSORS_MAX])
{
	size_t n = 0;
	struct transfer_place place = *rest;
	bool can_retry = true;
	while (can_retry && n < SUCCESSORS_MAX) {
		bool again = place.pool == pool || found_before(chain_r, n, place.pool) < n;
		chain_r[n++] = place;
		can_retry = !again && next(context, chain_r[n - 1].pool, &place);
	}
	return n;
}

bool successor_find(uint32_t pool, const struct transfer_place *rest, successor_of *next,
	void *context, struct transfer_place *place_r)
{
	struct transfer_place chain[SUCCESSORS_MAX];
	size_t n = successor_chain(pool, rest, next, context, chain);
	bool back = chain[n - 1].pool == pool;
	size_t first = back ? 0 : found_before(chain, n - 1, chain[n - 1].pool);
	*place_r = chain[n - 1];
	if (!back && first == n - 1)
		return true;
	for (size_t i = first; i < n; i++)
		if (chain[i].pool < place_r->pool)
			place_r->pool = chain[i].pool;
	/* Into its reserve: a retired pool has no rows. */
	*place_r = (struct transfer_place){ .pool = place_r->pool };
	return place_r->pool != pool;
}
