/* The pure core beside a plain loop that does the same sums without checks, rows looked up, hits
 * recorded or books kept whole: what exactness costs. */
#include "tests/bench/pool-bench/bench.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/progressive-pool/core/pool.h"

#include <inttypes.h>
#include <stdio.h>

#define EUR 978u
#define DELTA_E18 INT64_C(75000000000000000) /* 0.5 % of 15 EUR */
#define ROUND 4096u
#define ROWS 7

static const int64_t coins[ROWS] = { 1, 2, 5, 10, 20, 50, 100 };

struct plain {
	int128 t, jp_pool, jp_reserve, jp_seed, house_seed, paid;
	int128 w[ROWS], r[ROWS], seed[ROWS];
	int64_t share[ROWS], shares;
};

static const struct pool_hit *find_none(void *context, const struct claim_id *id)
{
	(void)context;
	(void)id;
	return NULL;
}

static void begin(struct pool *pool, struct plain *plain)
{
	pool_begin(pool, 1);
	*plain = (struct plain){ 0 };
	for (int i = 0; i < ROWS; i++) {
		struct pool_terms terms = { 2000 * coins[i], POOL_NANO, 0 };
		struct amount seed;
		if (!pool_row_share(coins[i], 2, POOL_NANO, 1000, &terms.share_nano) ||
			!pool_seed(&terms, 2, &seed) ||
			pool_launch(pool, EUR, 2, coins[i], &terms) != POOL_OK)
			fatal("a row that cannot be");
		plain->seed[i] = seed.e27;
		plain->share[i] = terms.share_nano;
		plain->shares += terms.share_nano;
		plain->house_seed += seed.e27;
		plain->jp_seed += seed.e27;
	}
}

static void core_contribute(struct pool *pool)
{
	if (pool_contribute_to(pool, pool->t_e18 + DELTA_E18) != POOL_OK)
		fatal("T does not fit");
}

static void core_hit(struct pool *pool, uint64_t n)
{
	struct pool_claim claim = { { 1, n + 1, 1 }, EUR, coins[n % ROWS] };
	struct pool_hit hit;
	core_contribute(pool);
	if (pool_hit(pool, &claim, find_none, NULL, &hit) != POOL_OK)
		fatal("a hit that cannot be");
}

static void plain_contribute(struct plain *p)
{
	p->t += DELTA_E18;
	p->jp_pool += (int128)DELTA_E18 * p->shares;
	p->jp_reserve += (int128)DELTA_E18 * (POOL_NANO - p->shares);
}

static void plain_hit(struct plain *p, uint64_t n)
{
	const int128 cent = (int128)POOL_NANO * 10000000000000000;
	size_t i = n % ROWS;
	plain_contribute(p);
	int128 value = p->seed[i] + (p->t - p->w[i]) * p->share[i] + p->r[i];
	int128 cost = value / cent * cent;
	int128 reserve = p->jp_reserve < p->seed[i] ? p->jp_reserve : p->seed[i];
	p->jp_pool -= cost - p->seed[i];
	p->paid += cost;
	p->jp_reserve -= reserve;
	p->house_seed += p->seed[i] - reserve;
	p->w[i] = p->t;
	p->r[i] = value - cost;
}

enum what { CORE_CONTRIBUTE, CORE_HIT, PLAIN_CONTRIBUTE, PLAIN_HIT, WHATS };

static double rate(enum what what, uint64_t us)
{
	static struct pool pool;
	static struct plain plain;
	uint64_t n = 0;
	begin(&pool, &plain);
	uint64_t began_us = clock_mono_us();
	while (clock_mono_us() < began_us + us)
		for (uint64_t i = 0; i < ROUND; i++, n++) {
			if (what == CORE_CONTRIBUTE)
				core_contribute(&pool);
			else if (what == CORE_HIT)
				core_hit(&pool, n);
			else if (what == PLAIN_CONTRIBUTE)
				plain_contribute(&plain);
			else
				plain_hit(&plain, n);
			__asm__ volatile("" : : "r"(&plain) : "memory"); /* nothing is left out */
		}
	const char *broken;
	if (!pool_identities_hold(&pool, &broken))
		fatal("the books are broken at %s", broken);
	return (double)n / ((double)(clock_mono_us() - began_us) / 1e6);
}

void bench_core(uint64_t seconds)
{
	static const char *const names[WHATS] = { "contributions_per_s", "hits_per_s",
		"plain_contributions_per_s", "plain_hits_per_s" };
	printf("{\"step\":\"core\"");
	for (int what = 0; what < WHATS; what++)
		printf(",\"%s\":%.0f", names[what],
			rate((enum what)what, seconds * 1000000 / WHATS));
	printf("}\n");
}
