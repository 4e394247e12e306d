/* Running totals of stakes, and the sum of their contributions. */
#include "libcommon/jackpot/pool_tally.h"

#define EXACT_EXPONENT 3 /* 3 + 9 + 6 = 18 decimals: exact in 10^-18 EUR */

bool pool_tally_contribution(const struct pool_tally *tally, uint64_t total_minor, int128 *e18_r)
{
	int128 product;
	int128 factor = 1;
	uint32_t exponent = tally->exponent;
	uint32_t steps =
		exponent > EXACT_EXPONENT ? exponent - EXACT_EXPONENT : EXACT_EXPONENT - exponent;
	for (uint32_t i = 0; i < steps; i++)
		factor *= 10;
	if (!int128_mul((int128)total_minor, (int128)tally->rate_nano * tally->ppm, &product))
		return false;
	if (exponent > EXACT_EXPONENT) {
		*e18_r = product / factor; /* floors, once, from the running total */
		return true;
	}
	return int128_mul(product, factor, e18_r);
}

const struct pool_tally *pool_vector_tally(const struct pool_vector *vector, uint32_t id)
{
	for (uint32_t i = 0; i < vector->tally_count; i++)
		if (vector->tally[i].id == id)
			return &vector->tally[i];
	return NULL;
}

struct pool_tally *pool_vector_open_tally(
	struct pool_vector *vector, uint32_t game, uint32_t currency)
{
	for (uint32_t i = 0; i < vector->tally_count; i++) {
		struct pool_tally *tally = &vector->tally[i];
		if (tally->open && tally->game == game && tally->currency == currency)
			return tally;
	}
	return NULL;
}

enum pool_vector_status pool_vector_add_tally(
	struct pool_vector *vector, const struct pool_tally *tally)
{
	if (tally->rate_nano < 1 || tally->ppm < 1 || tally->ppm > POOL_PPM_MAX ||
		tally->exponent > POOL_TALLY_EXPONENT_MAX ||
		pool_vector_tally(vector, tally->id) != NULL)
		return POOL_VECTOR_TALLY;
	if (vector->tally_count == POOL_TALLIES_MAX)
		return POOL_VECTOR_FULL;
	vector->tally[vector->tally_count++] = *tally;
	return POOL_VECTOR_OK;
}

static struct pool_vector_entry *find(struct pool_vector *vector, uint32_t shard, uint32_t tally)
{
	for (uint32_t i = 0; i < vector->entry_count; i++)
		if (vector->entry[i].shard == shard && vector->entry[i].tally == tally)
			return &vector->entry[i];
	return NULL;
}

static bool beyond(const struct pool_vector *vector, int128 t)
{
	return t > (vector->most_e18 != 0 ? vector->most_e18 : POOL_T_E18_MAX);
}

enum pool_vector_status pool_vector_offer(struct pool_vector *vector, uint32_t shard,
	uint32_t tally_id, uint64_t total_minor, uint64_t seq)
{
	const struct pool_tally *tally = pool_vector_tally(vector, tally_id);
	if (tally == NULL)
		return POOL_VECTOR_UNKNOWN;
	struct pool_vector_entry *entry = find(vector, shard, tally_id);
	uint64_t known = entry != NULL ? entry->total_minor : 0;
	if (total_minor <= known)
		return POOL_VECTOR_SEEN;
	int128 before;
	int128 after;
	int128 t;
	if (!pool_tally_contribution(tally, known, &before) ||
		!pool_tally_contribution(tally, total_minor, &after) ||
		__builtin_add_overflow(vector->t_e18, after - before, &t) || beyond(vector, t))
		return POOL_VECTOR_OVERFLOW;
	if (entry == NULL) {
		if (vector->entry_count == POOL_VECTOR_MAX)
			return POOL_VECTOR_FULL;
		entry = &vector->entry[vector->entry_count++];
		entry->shard = shard;
		entry->tally = tally_id;
	}
	entry->total_minor = total_minor;
	entry->seq = seq;
	entry->dirty = true;
	entry->noted = false;
	vector->t_e18 = t;
	return POOL_VECTOR_OK;
}

bool pool_vector_fold(struct pool_vector *vector, uint32_t id)
{
	const struct pool_tally *tally = pool_vector_tally(vector, id);
	int128 sum = 0;
	uint32_t kept = 0;

	if (tally == NULL || tally->open)
		return false;
	for (uint32_t i = 0; i < vector->entry_count; i++) {
		const struct pool_vector_entry *entry = &vector->entry[i];
		int128 part;
		if (entry->tally != id)
			continue;
		/* It fitted when it was offered. */
		if (entry->dirty || !pool_tally_contribution(tally, entry->total_minor, &part))
			return false;
		sum += part;
	}
	for (uint32_t i = 0; i < vector->entry_count; i++)
		if (vector->entry[i].tally != id)
			vector->entry[kept++] = vector->entry[i];
	vector->entry_count = kept;
	vector->folded_e18 += sum;
	uint32_t at = (uint32_t)(tally - vector->tally);
	vector->tally[at] = vector->tally[--vector->tally_count];
	return true;
}

enum pool_vector_status pool_vector_add_folded(
	struct pool_vector *vector, const struct pool_tally *tally, uint64_t total_minor)
{
	int128 part;
	int128 t;

	if (!pool_tally_contribution(tally, total_minor, &part) ||
		__builtin_add_overflow(vector->t_e18, part, &t) || beyond(vector, t))
		return POOL_VECTOR_OVERFLOW;
	vector->t_e18 = t;
	vector->folded_e18 += part; /* never more than T */
	return POOL_VECTOR_OK;
}

enum pool_vector_status pool_vector_unfold(
	struct pool_vector *vector, uint32_t shard, uint32_t id, uint64_t total_minor, uint64_t seq)
{
	const struct pool_tally *tally = pool_vector_tally(vector, id);
	int128 part;

	if (tally == NULL)
		return POOL_VECTOR_UNKNOWN;
	if (find(vector, shard, id) != NULL)
		return POOL_VECTOR_SEEN;
	if (vector->entry_count == POOL_VECTOR_MAX)
		return POOL_VECTOR_FULL;
	if (!pool_tally_contribution(tally, total_minor, &part) || part > vector->folded_e18)
		return POOL_VECTOR_OVERFLOW;
	vector->folded_e18 -= part;
	vector->entry[vector->entry_count++] = (struct pool_vector_entry){
		.shard = shard, .tally = id, .total_minor = total_minor, .seq = seq, .noted = true
	};
	return POOL_VECTOR_OK;
}
