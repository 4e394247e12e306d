/* Hits of pools and of Jackpot Cards: each is priced again from its row as the hits before it left
 * it. */
#include "tests/sim/judge/pool.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdlib.h>

#define HITS_MAX 4096

/* ---- pricing -------------------------------------------------------------------------------- */

/* A row of pool.hit or cards.hit. */
struct hit_row {
	struct fake_pool_hit of;
	bool cards;
	int64_t what; /* coin value, or level */
	int128 value, w_before, cost, carry, next_seed, from_reserve, from_house, t, unit;
	uint32_t shard;
	uint64_t seq;
	bool left_out; /* a level's: some shard of the wallet */
};

/* Hits of one commit are written in any order; they are priced in their own. */
static struct {
	size_t n;
	struct hit_row row[HITS_MAX];
} waiting;

void hits_begin(void)
{
	waiting.n = 0;
}

const struct fake_pool_hit *hit_waiting(uint32_t pool, uint64_t number)
{
	for (size_t i = 0; i < waiting.n; i++)
		if (!waiting.row[i].cards && waiting.row[i].of.pool == pool &&
			waiting.row[i].of.hit == number)
			return &waiting.row[i].of;
	return NULL;
}

static void hit_known(const struct pool_book *pool, const struct fake_pool_hit *from)
{
	void **at = map_at(&book.hits, (uint64_t)from->player, from->move << 8 | from->index);
	const struct book_claim *claim = book_claim(from->player, from->move, from->index);
	struct book_hit *hit;

	if (*at != NULL)
		sim_fail("pool %" PRIu32 ": claim %" PRIu64 "-%" PRIu32 " of player %" PRId64
			 " is priced twice",
			pool->number, from->move, from->index, from->player);
	if (claim == NULL || claim->pool != pool->number || claim->currency != from->currency ||
		claim->kind != (pool->cards ? 2 : 1) ||
		(!pool->cards && claim->coin_minor != from->coin_minor))
		sim_fail("pool %" PRIu32 ": hit %" PRIu64 " of a claim that the wallet has not",
			pool->number, from->hit);
	*at = hit = judge_alloc(sizeof(*hit));
	*hit = (struct book_hit){ .player = from->player,
		.paid_minor = from->paid_minor,
		.move = from->move,
		.hit = from->hit,
		.index = from->index,
		.pool = pool->number,
		.currency = from->currency };
	book.hits_n++;
}

/* A level holds every bet that was answered before the winning pick was sent. Its house plays what
 * is abandoned. */
static void level_holds(const struct pool_book *pool, const struct hit_row *hit)
{
	const struct fake_pool_hit *of = &hit->of;
	int64_t key[] = { of->player, (int64_t)of->move, of->index };
	const struct fake_pg_row *round = fake_pg_find(pool_tables.round, key, 3);
	const uint64_t *seq = round == NULL || INT(round, pool_tables.round, "by_house")
				      ? NULL
				      : before_pick(of->player, of->move, of->index,
						(uint32_t)fake_pg_elements(round,
							COLUMN(pool_tables.round, "positions")));
	int128 sum = 0;

	for (uint32_t shard = 0; seq != NULL && shard < sim_world.shards; shard++)
		sum += pool_contributed(shard, seq[shard], pool->number);
	if (hit->t < sum && !hit->left_out)
		sim_fail("set %" PRIu32 ": hit %" PRIu64 " was priced at T %s, but before its pick "
			 "was sent players knew of %s",
			pool->number, of->hit, big_text(hit->t), big_text(sum));
}

/* What the row must have been worth, and what is left of it. */
static void price(struct pool_book *pool, struct counter_row *row, const struct hit_row *hit)
{
	int128 own = pool_unit_of(row->terms.rate, row->exponent);
	int128 unit = pool->cards ? hit->unit : own;
	int128 value = row->terms.seed * own + (pool->t - row->w) * row->terms.share + row->r;
	int64_t paid = hit->of.paid_minor;

	while (row->arrivals.n > 0 && hit->value != value)
		value += arrival_take(&row->arrivals);
	pool_same(pool, "the value of a hit", hit->value, value);
	pool_same(pool, "W before a hit", hit->w_before, row->w);
	pool_same(pool, "what a hit pays", paid, value / unit);
	pool_same(pool, "what a hit costs", hit->cost, paid * unit);
	pool_same(pool, "what a hit carries", hit->carry, value - paid * unit);
	pool->paid += paid * unit;
	row->w = pool->t;
	row->r = value - paid * unit;
	row->hits++;
}

static void reseed(struct pool_book *pool, struct counter_row *row, const struct hit_row *hit)
{
	int128 due;
	int128 seed = row->terms.seed * pool_unit_of(row->terms.rate, row->exponent);

	while (pool->arrivals.n > 0 && hit->from_reserve > pool->reserve)
		pool->reserve += arrival_take(&pool->arrivals);
	due = pool->reserve < hit->next_seed ? pool->reserve : hit->next_seed;
	if (!pool->terms_may_change)
		pool_same(pool, "the next seed", hit->next_seed, seed);
	else if (hit->next_seed != seed) /* what waited for this win; another may be behind it */
		row->terms = row->db;
	pool_same(pool, "what the reserve pays of a seed", hit->from_reserve, due);
	pool_same(pool, "what the house pays of a seed", hit->from_house, hit->next_seed - due);
	pool->reserve -= due;
}

static void hit_take(const struct hit_row *hit)
{
	struct pool_book *pool = pool_of(hit->of.pool, hit->cards);
	struct counter_row *row = pool_row_of(pool, hit->cards ? EUR : hit->of.currency, hit->what);

	hit_known(pool, &hit->of);
	if (hit->of.hit != pool->hits + 1)
		sim_fail("pool %" PRIu32 ": hit %" PRIu64 " behind hit %" PRIu64, pool->number,
			hit->of.hit, pool->hits);
	pool->hits = hit->of.hit;
	if (row == NULL)
		sim_fail("pool %" PRIu32 ": hit %" PRIu64 " of no row", pool->number, hit->of.hit);
	pool_grow(pool, hit->t);
	/* A round contributes before it is evaluated: T holds the stakes of the claim's shard. */
	if (!hit->cards && hit->t < pool_contributed(hit->shard, hit->seq, hit->of.pool))
		sim_fail("pool %" PRIu32 ": hit %" PRIu64 " before its own round contributed",
			pool->number, hit->of.hit);
	if (hit->cards)
		level_holds(pool, hit);
	price(pool, row, hit);
	reseed(pool, row, hit);
	pool->dirty = true;
}

static int by_number(const void *a, const void *b)
{
	const struct hit_row *x = a, *y = b;

	return (x->of.hit > y->of.hit) - (x->of.hit < y->of.hit);
}

void pools_hits(void)
{
	size_t n = waiting.n;

	if (n == 0)
		return;
	waiting.n = 0;
	qsort(waiting.row, n, sizeof(waiting.row[0]), by_number);
	for (size_t i = 0; i < n; i++)
		hit_take(&waiting.row[i]);
}

void hit_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new, bool cards)
{
	struct hit_row *hit = &waiting.row[waiting.n];

	if (old != NULL)
		sim_fail("a hit was changed");
	if (waiting.n++ == HITS_MAX)
		sim_fail("more than %d hits at once", HITS_MAX);
	*hit = (struct hit_row){ .cards = cards,
		.what = number(new, table, cards ? "level" : "coin_minor"),
		.value = big(new, table, "value_e27"),
		.w_before = big(new, table, "w_before_e18"),
		.cost = big(new, table, "cost_e27"),
		.carry = big(new, table, "carry_e27"),
		.next_seed = big(new, table, "next_seed_e27"),
		.from_reserve = big(new, table, "from_reserve_e27"),
		.from_house = big(new, table, "from_house_e27"),
		.t = big(new, table, "t_e18") };
	(cards ? fake_cards_hit_read : fake_pool_hit_read)(new, &hit->of);
	if (cards) {
		hit->left_out = !fake_pg_null(new, COLUMN(table, "left_out"));
		hit->unit = pool_unit_of(INT(new, pool_tables.card_hit, "rate_nano"),
			(uint32_t)INT(new, pool_tables.card_hit, "exponent"));
	} else {
		hit->shard = (uint32_t)INT(new, pool_tables.hit, "wallet_shard");
		hit->seq = (uint64_t)INT(new, pool_tables.hit, "wallet_seq");
	}
}

/* ---- rounds of Jackpot Cards ---------------------------------------------------------------- */

void card_round_changed(const struct fake_pg_row *old, const struct fake_pg_row *new)
{
	int positions = COLUMN(pool_tables.round, "positions"),
	    suits = COLUMN(pool_tables.round, "suits");
	int64_t player = INT(new, pool_tables.round, "player");
	uint64_t move = (uint64_t)INT(new, pool_tables.round, "move");
	uint32_t index = (uint32_t)INT(new, pool_tables.round, "index");
	const struct book_claim *claim = book_claim(player, move, index);
	size_t before = old == NULL ? 0 : fake_pg_elements(old, positions);
	size_t after = fake_pg_elements(new, positions);

	if (claim == NULL || claim->kind != 2)
		sim_fail("card round %" PRIu64 "-%" PRIu32 " of player %" PRId64 " of no claim",
			move, index, player);
	if (after < before || after != fake_pg_elements(new, suits))
		sim_fail("card round %" PRIu64 "-%" PRIu32 " of player %" PRId64
			 ": from %zu cards to %zu",
			move, index, player, before, after);
	for (size_t i = 0; i < before; i++)
		if (fake_pg_element(old, positions, i) != fake_pg_element(new, positions, i) ||
			fake_pg_element(old, suits, i) != fake_pg_element(new, suits, i))
			sim_fail("card round %" PRIu64 "-%" PRIu32 " of player %" PRId64
				 ": card %zu is another",
				move, index, player, i + 1);
	if (old != NULL && INT(old, pool_tables.round, "won") &&
		INT(old, pool_tables.round, "hit") != INT(new, pool_tables.round, "hit"))
		sim_fail("card round %" PRIu64 "-%" PRIu32 " of player %" PRId64 " is won twice",
			move, index, player);
}

void card_rounds_final(void)
{
	const struct fake_pg_row *round = NULL;

	while ((round = fake_pg_next(pool_tables.round, round)) != NULL) {
		const struct book_hit *hit = book_hit(INT(round, pool_tables.round, "player"),
			(uint64_t)INT(round, pool_tables.round, "move"),
			(uint32_t)INT(round, pool_tables.round, "index"));
		if (INT(round, pool_tables.round, "won") != (hit != NULL) ||
			(hit != NULL &&
				hit->paid_minor != INT(round, pool_tables.round, "paid_minor")))
			sim_fail("card round %" PRId64 " of player %" PRId64
				 " and its hit do not agree",
				INT(round, pool_tables.round, "move"),
				INT(round, pool_tables.round, "player"));
	}
}
