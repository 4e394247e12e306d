/* Means of products over windows, weighted by their collectibles.
 *
 * Given the collectible on each reel, the reels are independent. Vectors (line_pairs.h) are linear,
 * so the weights of the spins of the chain are applied between reels: after a reel without
 * collectibles there is one vector, after a reel with collectibles one for each colour, and a
 * vector further left is their sum, weighted by the collectibles already chosen. */
#include "libcommon/game/exact/line_pair_plan.h"
#include "libcommon/game/features/collect-and-unlock/exact_windows.h"

#include <assert.h>
#include <string.h>

#define COLOURS (GAME_COLOURS + 1)

struct product_work {
	const struct unlock_pair *pair;
	struct pair_space space;
	struct pair_reel reel[GAME_REELS_MAX][COLOURS];
	uint64_t *weight; /* by the code of the colours: limbs of each */
	uint32_t last;	  /* last reel with collectibles; its vectors are computed once */
	struct pair_vector tail[COLOURS];	 /* from that reel on, by its colour */
	struct pair_vector from[GAME_REELS_MAX]; /* [reel]: of the present codes */
};

void unlock_product_init(struct unlock_product *product)
{
	mpq_inits(product->a, product->b, product->both, NULL);
}

void unlock_product_clear(struct unlock_product *product)
{
	mpq_clears(product->a, product->b, product->both, NULL);
}

static struct pair_space space_of(const struct unlock_pair *pair)
{
	return (struct pair_space){ .reels = pair->game->reels,
		.a = pair->a->side,
		.b = pair->b->side,
		.alike = pair->a == pair->b,
		.means_only = pair->means_only || pair->a->nothing || pair->b->nothing };
}

static uint32_t spin_code(const struct game *game, const struct unlock_spin *spin)
{
	uint32_t code = 0;

	for (uint32_t r = game->reels; r-- > 0;)
		code = code * COLOURS + spin->colour[r];
	return code;
}

static uint64_t *weight_of(const struct product_work *work, uint32_t code)
{
	return work->weight + (size_t)code * work->space.limbs;
}

static uint32_t place(uint32_t reel)
{
	return UINT32_C(1) << (2 * reel);
}

/* From the last reel back to the last reel with collectibles, for any colours. */
static void make_tail(struct product_work *work)
{
	struct pair_vector after, before;

	pair_vector_end(&work->space, &after);
	for (uint32_t r = work->space.reels; r-- > work->last + 1;) {
		pair_vector_init(&work->space, r, &before);
		pair_step(&work->space, &work->reel[r][0], &after, &before);
		pair_finish(&work->space, &before);
		pair_vector_free(&work->space, &after);
		after = before;
	}
	for (uint32_t c = 0; c < COLOURS; c++) {
		pair_vector_init(&work->space, work->last, &work->tail[c]);
		if (work->reel[work->last][c].total > 0)
			pair_step(&work->space, &work->reel[work->last][c], &after, &work->tail[c]);
		pair_finish(&work->space, &work->tail[c]);
	}
	pair_vector_free(&work->space, &after);
}

/* The weighted sum of all that reels `reel` .. can show after collectibles `code` on the earlier
 * reels. */
static const struct pair_vector *sum_from_reel(
	struct product_work *work, uint32_t reel, uint32_t code)
{
	struct pair_vector *vector = &work->from[reel];

	pair_vector_clear(&work->space, vector);
	for (uint32_t c = 0; c < COLOURS; c++) {
		if (work->reel[reel][c].total == 0)
			continue;
		if (reel == work->last)
			pair_add(&work->space, vector, &work->tail[c],
				weight_of(work, code + c * place(reel)));
		else
			pair_step(&work->space, &work->reel[reel][c],
				sum_from_reel(work, reel + 1, code + c * place(reel)), vector);
	}
	if (reel != work->last)
		pair_finish(&work->space, vector);
	return vector;
}

static void set_mean(const uint64_t *sum, uint32_t limbs, const mpz_t scale, mpq_t mean_r)
{
	pair_limbs_get(sum, limbs, mpq_numref(mean_r));
	mpz_set(mpq_denref(mean_r), scale);
	mpq_canonicalize(mean_r);
}

/* Whole weights and their common denominator. */
static void common_weights(uint32_t count, mpq_t *weight, mpz_t *whole_r, mpz_t common_r)
{
	mpz_set_ui(common_r, 1);
	for (uint32_t i = 0; i < count; i++)
		mpz_lcm(common_r, common_r, mpq_denref(weight[i]));
	for (uint32_t i = 0; i < count; i++) {
		mpz_divexact(whole_r[i], common_r, mpq_denref(weight[i]));
		mpz_mul(whole_r[i], whole_r[i], mpq_numref(weight[i]));
	}
}

static void open_reels(struct product_work *work, mpz_t scale)
{
	const struct unlock_pair *pair = work->pair;

	for (uint32_t r = 0; r < pair->game->reels; r++) {
		uint64_t total = 0;

		for (uint32_t c = 0; c < COLOURS; c++)
			total = unlock_pair_reel(pair, r, c, &work->reel[r][c]);
		for (uint32_t c = 1; c < COLOURS; c++)
			if (work->reel[r][c].total > 0)
				work->last = r;
		mpz_mul_ui(scale, scale, total);
	}
}

/* The sums from the last reel to the first. */
static void all_reels(struct product_work *work, struct pair_sums *sums_r)
{
	make_tail(work);
	for (uint32_t r = 0; r <= work->last; r++)
		pair_vector_init(&work->space, r, &work->from[r]);
	pair_result(&work->space, sum_from_reel(work, 0, 0), sums_r);
	for (uint32_t r = 0; r <= work->last; r++)
		pair_vector_free(&work->space, &work->from[r]);
	for (uint32_t c = 0; c < COLOURS; c++)
		pair_vector_free(&work->space, &work->tail[c]);
}

/* Weights as limbs, and the number of limbs for the sums: weights are below the scale, so it bounds
 * the mass. */
static void open_weights(struct product_work *work, const struct unlock_chain *chain, mpz_t *whole,
	const mpz_t scale)
{
	struct pair_space *space = &work->space;

	space->limbs = pair_limbs_for(pair_bits(space, NULL) + mpz_sizeinbase(scale, 2));
	work->weight = pair_take((size_t)UNLOCK_SPINS_MAX * space->limbs * sizeof(*work->weight));
	for (uint32_t i = 0; i < chain->spin_count; i++)
		pair_limbs_set(weight_of(work, spin_code(work->pair->game, &chain->spin[i])),
			space->limbs, whole[i]);
}

void unlock_product_by_spin(const struct unlock_pair *pair, const struct unlock_chain *chain,
	mpq_t *weight, struct unlock_product *product_r)
{
	struct product_work *work = unlock_take(sizeof(*work));
	mpz_t *whole = unlock_take(chain->spin_count * sizeof(*whole));
	struct pair_sums sums;
	mpz_t scale;

	memset(work, 0, sizeof(*work));
	work->pair = pair;
	work->space = space_of(pair);
	mpz_init(scale);
	for (uint32_t i = 0; i < chain->spin_count; i++)
		mpz_init(whole[i]);
	common_weights(chain->spin_count, weight, whole, scale);
	open_reels(work, scale);
	open_weights(work, chain, whole, scale);
	all_reels(work, &sums);
	set_mean(sums.a, work->space.limbs, scale, product_r->a);
	set_mean(sums.b, work->space.limbs, scale, product_r->b);
	set_mean(sums.both, work->space.limbs, scale, product_r->both);
	for (uint32_t r = 0; r < pair->game->reels; r++)
		for (uint32_t c = 0; c < COLOURS; c++)
			pair_reel_free(&work->reel[r][c], &pair->a->side, &pair->b->side);
	for (uint32_t i = 0; i < chain->spin_count; i++)
		mpz_clear(whole[i]);
	mpz_clear(scale);
	pair_give(
		work->weight, (size_t)UNLOCK_SPINS_MAX * work->space.limbs * sizeof(*work->weight));
	unlock_give(whole, chain->spin_count * sizeof(*whole));
	unlock_give(work, sizeof(*work));
}

/* ---- respins, whose windows know no potions ---- */

struct respin_work {
	const struct unlock_pair *pair;
	struct pair_space space;
	const struct unlock_place *place;
	struct pair_vector from[GAME_REELS_MAX + 1]; /* [reel]: of the present places */
};

/* The weighted sum over the places of a list, which agree on the reels before `reel`. Places that
 * also agree on it share the remainder. */
static const struct pair_vector *sum_from_places(
	struct respin_work *work, uint32_t reel, const uint8_t *list, uint32_t count)
{
	struct pair_vector *vector = &work->from[reel];
	bool done[GAME_CHOICES_MAX] = { false };

	pair_vector_clear(&work->space, vector);
	for (uint32_t i = 0; i < count; i++) {
		const struct unlock_place *place = &work->place[list[i]];
		struct unlock_pair pair = *work->pair;
		struct pair_reel joint;
		uint8_t alike[GAME_CHOICES_MAX];
		uint32_t alikes = 0;

		if (reel == work->space.reels)
			vector->mass[0] += place->weight; /* below 2^64 by far */
		if (reel == work->space.reels || done[i])
			continue;
		for (uint32_t k = i; k < count; k++)
			if (work->place[list[k]].rows[reel] == place->rows[reel]) {
				done[k] = true;
				alike[alikes++] = list[k];
			}
		pair.forced = place->rows;
		(void)unlock_pair_reel(&pair, reel, UNLOCK_ANY, &joint);
		pair_step(&work->space, &joint, sum_from_places(work, reel + 1, alike, alikes),
			vector);
		pair_reel_free(&joint, &work->space.a, &work->space.b);
	}
	if (reel < work->space.reels)
		pair_finish(&work->space, vector);
	return vector;
}

/* The weight of all windows at all places. */
static void respin_scale(const struct respin_work *work, uint32_t count, mpz_t scale_r)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < count; i++)
		weight += work->place[i].weight;
	mpz_set_ui(scale_r, weight);
	for (uint32_t r = 0; r < work->space.reels; r++) {
		struct pair_reel joint;

		mpz_mul_ui(scale_r, scale_r, unlock_pair_reel(work->pair, r, UNLOCK_ANY, &joint));
		pair_reel_free(&joint, &work->space.a, &work->space.b);
	}
}

void unlock_product_places(const struct unlock_pair *pair, const struct unlock_place *place,
	uint32_t count, mpq_t both_r)
{
	struct respin_work *work = unlock_take(sizeof(*work));
	struct pair_sums sums;
	uint8_t list[GAME_CHOICES_MAX];

	assert(count <= GAME_CHOICES_MAX);
	work->pair = pair;
	work->space = space_of(pair);
	work->place = place;
	respin_scale(work, count, mpq_denref(both_r));
	work->space.limbs = pair_limbs_for(
		pair_bits(&work->space, NULL) + mpz_sizeinbase(mpq_denref(both_r), 2));
	for (uint32_t r = 0; r <= work->space.reels; r++)
		pair_vector_init(&work->space, r, &work->from[r]);
	for (uint32_t i = 0; i < count; i++)
		list[i] = (uint8_t)i;
	pair_result(&work->space, sum_from_places(work, 0, list, count), &sums);
	pair_limbs_get(sums.both, work->space.limbs, mpq_numref(both_r));
	mpq_canonicalize(both_r);
	for (uint32_t r = 0; r <= work->space.reels; r++)
		pair_vector_free(&work->space, &work->from[r]);
	unlock_give(work, sizeof(*work));
}
