/* Means of products over windows weighed by the potions they show.
 *
 * Given the potion on each reel the reels are independent. Vectors (line_pairs.h) are linear, so
 * the weights of the rows of potions are applied where reels meet: behind a reel that shows no
 * potions there is one vector, behind one that does one for each colour, and a vector further left
 * is a sum of these with the weights of the potions already chosen. */
#include "services/spin-engine/exact/potion_windows.h"

#include <assert.h>
#include <string.h>

#define COLOURS (GAME_COLOURS + 1)

struct product_work {
	const struct potion_pair *pair;
	struct pair_space space;
	struct pair_reel reel[GAME_REELS_MAX][COLOURS];
	uint64_t weight[POTION_SPINS_MAX]; /* by the code of the colours, modulo the prime */
	uint32_t last;			   /* last reel with potions; its vectors are made once */
	struct pair_vector tail[COLOURS];  /* from that reel on, by its colour */
};

void potion_product_init(struct potion_product *product)
{
	mpq_inits(product->a, product->b, product->both, NULL);
}

void potion_product_clear(struct potion_product *product)
{
	mpq_clears(product->a, product->b, product->both, NULL);
}

static uint32_t spin_code(const struct game *game, const struct potion_spin *spin)
{
	uint32_t code = 0;

	for (uint32_t r = game->reels; r-- > 0;)
		code = code * COLOURS + spin->colour[r];
	return code;
}

static uint32_t place(uint32_t reel)
{
	return UINT32_C(1) << (2 * reel);
}

/* From the last reel back to the last one with potions, whatever they are. */
static void make_tail(struct product_work *work)
{
	struct pair_vector after, before;

	pair_vector_end(&work->space, &after);
	for (uint32_t r = work->space.reels; r-- > work->last + 1;) {
		pair_vector_init(&work->space, r, &before);
		pair_step(&work->space, &work->reel[r][0], &after, &before);
		pair_vector_free(&work->space, &after);
		after = before;
	}
	for (uint32_t c = 0; c < COLOURS; c++) {
		pair_vector_init(&work->space, work->last, &work->tail[c]);
		if (work->reel[work->last][c].total > 0)
			pair_step(&work->space, &work->reel[work->last][c], &after, &work->tail[c]);
	}
	pair_vector_free(&work->space, &after);
}

/* The weighed sum of all that reels `reel` .. may show behind potions `code` on those before. */
static void from_reel(
	const struct product_work *work, uint32_t reel, uint32_t code, struct pair_vector *vector_r)
{
	pair_vector_init(&work->space, reel, vector_r);
	for (uint32_t c = 0; c < COLOURS; c++) {
		struct pair_vector after;

		if (work->reel[reel][c].total == 0)
			continue;
		if (reel == work->last) {
			pair_add(&work->space, vector_r, &work->tail[c],
				work->weight[code + c * place(reel)]);
			continue;
		}
		from_reel(work, reel + 1, code + c * place(reel), &after);
		if (after.mass != 0)
			pair_step(&work->space, &work->reel[reel][c], &after, vector_r);
		pair_vector_free(&work->space, &after);
	}
}

struct product_residues {
	uint64_t a[RESIDUE_PRIMES], b[RESIDUE_PRIMES], both[RESIDUE_PRIMES];
};

static void with_prime(struct product_work *work, uint32_t index, struct product_residues *residues)
{
	const struct pair_space *space = &work->space;
	struct pair_vector first;
	struct pair_sums parts;

	make_tail(work);
	from_reel(work, 0, 0, &first);
	parts = pair_result(space, &first);
	residues->a[index] = parts.a;
	residues->b[index] = parts.b;
	residues->both[index] = parts.both;
	pair_vector_free(space, &first);
	for (uint32_t c = 0; c < COLOURS; c++)
		pair_vector_free(space, &work->tail[c]);
}

static void set_mean(const uint64_t *residue, uint32_t primes, const mpz_t scale, mpq_t mean_r)
{
	residue_join(residue, primes, mpq_numref(mean_r));
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
	const struct potion_pair *pair = work->pair;

	for (uint32_t r = 0; r < pair->game->reels; r++) {
		uint64_t total = 0;

		for (uint32_t c = 0; c < COLOURS; c++)
			total = potion_pair_reel(pair, r, c, &work->reel[r][c]);
		for (uint32_t c = 1; c < COLOURS; c++)
			if (work->reel[r][c].total > 0)
				work->last = r;
		mpz_mul_ui(scale, scale, total);
	}
}

void potion_product_by_spin(const struct potion_pair *pair, const struct potion_chain *chain,
	mpq_t *weight, struct potion_product *product_r)
{
	struct product_work *work = potion_take(sizeof(*work));
	mpz_t *whole = potion_take(chain->spin_count * sizeof(*whole));
	struct product_residues residues;
	uint32_t primes;
	mpz_t scale;

	memset(work, 0, sizeof(*work));
	work->pair = pair;
	work->space = (struct pair_space){
		.reels = pair->game->reels, .a = pair->a->side, .b = pair->b->side
	};
	mpz_init(scale);
	for (uint32_t i = 0; i < chain->spin_count; i++)
		mpz_init(whole[i]);
	common_weights(chain->spin_count, weight, whole, scale);
	open_reels(work, scale); /* weights are below the scale: it bounds the mass */
	primes = residue_primes_for(pair_bits(&work->space, NULL) + mpz_sizeinbase(scale, 2));
	for (uint32_t i = 0; i < primes; i++) {
		work->space.prime = residue_prime(i);
		for (uint32_t k = 0; k < chain->spin_count; k++)
			work->weight[spin_code(pair->game, &chain->spin[k])] =
				residue_of(whole[k], work->space.prime);
		with_prime(work, i, &residues);
	}
	set_mean(residues.a, primes, scale, product_r->a);
	set_mean(residues.b, primes, scale, product_r->b);
	set_mean(residues.both, primes, scale, product_r->both);
	for (uint32_t r = 0; r < pair->game->reels; r++)
		for (uint32_t c = 0; c < COLOURS; c++)
			pair_reel_free(&work->reel[r][c], &pair->a->side, &pair->b->side);
	for (uint32_t i = 0; i < chain->spin_count; i++)
		mpz_clear(whole[i]);
	mpz_clear(scale);
	potion_give(whole, chain->spin_count * sizeof(*whole));
	potion_give(work, sizeof(*work));
}

void potion_product_plain(const struct potion_pair *pair, mpq_t both_r)
{
	struct pair_space space = {
		.reels = pair->game->reels, .a = pair->a->side, .b = pair->b->side
	};
	struct pair_reel reel[GAME_REELS_MAX];

	mpz_set_ui(mpq_denref(both_r), 1);
	for (uint32_t r = 0; r < space.reels; r++)
		mpz_mul_ui(mpq_denref(both_r), mpq_denref(both_r),
			potion_pair_reel(pair, r, POTION_ANY, &reel[r]));
	pair_sum(&space, reel, mpq_numref(both_r));
	mpq_canonicalize(both_r);
	for (uint32_t r = 0; r < space.reels; r++)
		pair_reel_free(&reel[r], &space.a, &space.b);
}
