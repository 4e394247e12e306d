/* Progressive pools and sets of Jackpot Cards: T from the wallet's own rows, every hit priced
 * again, every identity of docs/progressive.md with integers of 128 bits. Rows and levels are kept
 * as the hits leave them and compared with what the services have written. */
#include "libcommon/base/currency.h"
#include "tools/sim/judge_book.h"
#include "tools/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOLS_MAX 8
#define ROWS_MAX 64
#define ADJUSTMENTS_MAX 32
#define HITS_MAX 4096
#define NANO INT64_C(1000000000)

struct terms {
	int64_t seed, rate, share;
};

/* One counter, as the judge has it. */
struct counter_row {
	uint32_t currency, exponent;
	int64_t what; /* coin value, or level */
	struct terms terms;
	int128 w, r;
	uint64_t hits;
	struct terms db; /* as it is written */
	int128 db_w, db_r;
	uint64_t db_hits;
	bool gone, changed;
	int128 adjusted; /* by operators, perhaps not done yet */
};

struct pool_book {
	uint32_t number;
	bool cards;
	size_t rows_n;
	struct counter_row row[ROWS_MAX];
	int128 t, reserve, paid;
	uint64_t hits;
	bool terms_may_change; /* an operator has changed some */
	bool dirty;
	const struct fake_pg_row *written; /* of pool.pool or cards.card_set */
};

static struct pool_book pools[POOLS_MAX];
static size_t pools_n;

static struct tables {
	const struct fake_pg_table *pool, *row, *hit, *vector, *action, *tally;
	const struct fake_pg_table *set, *level, *card_hit, *card_vector, *round;
} tables;

#define INT(row, table, name) fake_pg_int(row, COLUMN(table, name))

/* Of one table or another. */
static int64_t number(
	const struct fake_pg_row *row, const struct fake_pg_table *table, const char *name)
{
	return fake_pg_int(row, book_column(table, name));
}

static int128 big(
	const struct fake_pg_row *row, const struct fake_pg_table *table, const char *name)
{
	return fake_pg_int128(row, book_column(table, name));
}

static int128 power(uint32_t exponent)
{
	int128 out = 1;

	while (exponent-- > 0)
		out *= 10;
	return out;
}

static int128 unit_of(int64_t rate, uint32_t exponent)
{
	return rate * power(18 - exponent);
}

static const char *text(int128 value)
{
	static char ring[8][AMOUNT_TEXT_MAX];
	static size_t at;

	at = (at + 1) % 8;
	(void)int128_format(value, ring[at]);
	return ring[at];
}

static void same(const struct pool_book *pool, const char *what, int128 found, int128 expected)
{
	if (found != expected)
		sim_fail("pool %" PRIu32 ": %s is %s, expected %s", pool->number, what, text(found),
			text(expected));
}

static struct pool_book *pool_of(uint32_t number, bool cards)
{
	for (size_t i = 0; i < pools_n; i++)
		if (pools[i].number == number)
			return &pools[i];
	if (pools_n == POOLS_MAX)
		sim_fail("more than %d pools", POOLS_MAX);
	pools[pools_n] = (struct pool_book){ .number = number, .cards = cards };
	return &pools[pools_n++];
}

static struct counter_row *row_of(struct pool_book *pool, uint32_t currency, int64_t what)
{
	for (size_t i = 0; i < pool->rows_n; i++)
		if (pool->row[i].currency == currency && pool->row[i].what == what &&
			!pool->row[i].gone)
			return &pool->row[i];
	return NULL;
}

static int64_t shares(const struct pool_book *pool)
{
	int64_t sum = 0;

	for (size_t i = 0; i < pool->rows_n; i++)
		sum += pool->row[i].gone ? 0 : pool->row[i].terms.share;
	return sum;
}

/* T has grown: what the rows do not get of it is the reserve's. A set has none. */
static void grow(struct pool_book *pool, int128 t)
{
	if (t < pool->t)
		sim_fail("pool %" PRIu32 ": T falls from %s to %s", pool->number, text(pool->t),
			text(t));
	if (!pool->cards)
		pool->reserve += (t - pool->t) * (NANO - shares(pool));
	pool->t = t;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void row_read(
	const struct fake_pg_table *table, const struct fake_pg_row *from, struct counter_row *row)
{
	row->db = (struct terms){ number(from, table, "seed_minor"),
		number(from, table, "row_rate_nano"), number(from, table, "share_nano") };
	row->db_w = big(from, table, "w_e18");
	row->db_r = big(from, table, "r_e27");
	row->db_hits = (uint64_t)number(from, table, "hits");
}

static void row_launched(struct pool_book *pool, struct counter_row *row)
{
	row->terms = row->db;
	row->w = row->db_w;
	row->r = row->db_r;
	if (row->db_r != 0 || row->db_hits != 0)
		sim_fail("pool %" PRIu32 ": a new row with %s carried and %" PRIu64 " hits",
			pool->number, text(row->db_r), row->db_hits);
}

/* What a row held is the reserve's. */
static void row_gone(struct pool_book *pool, struct counter_row *row)
{
	row->gone = true;
	pool->reserve += (pool->t - row->w) * row->terms.share + row->r +
			 row->terms.seed * unit_of(row->terms.rate, row->exponent);
}

/* Adjustments that were asked for before the row was seen. */
#define EARLY_MAX 64
static struct {
	struct {
		uint32_t pool, currency;
		int64_t coin_minor, delta_minor;
	} of[EARLY_MAX];
	size_t n;
} early;

static void early_take(const struct pool_book *pool, struct counter_row *row)
{
	for (size_t i = 0; i < early.n && !pool->cards; i++)
		if (early.of[i].pool == pool->number && early.of[i].currency == row->currency &&
			early.of[i].coin_minor == row->what)
			row->adjusted =
				early.of[i].delta_minor * unit_of(row->terms.rate, row->exponent);
}

static void row_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new, bool cards)
{
	const struct fake_pg_row *any = new == NULL ? old : new;
	struct pool_book *pool = pool_of((uint32_t)number(any, table, "pool"), cards);
	uint32_t currency = (uint32_t)number(any, table, "currency");
	int64_t what = cards ? number(any, table, "level") : number(any, table, "coin_minor");
	struct counter_row *row = row_of(pool, currency, what);

	pool->dirty = true;
	if (new == NULL) {
		if (row != NULL)
			row_gone(pool, row);
		return;
	}
	if (row == NULL) {
		if (pool->rows_n == ROWS_MAX)
			sim_fail("pool %" PRIu32 ": more than %d rows", pool->number, ROWS_MAX);
		row = &pool->row[pool->rows_n++];
		*row = (struct counter_row){ .currency = currency,
			.exponent = (uint32_t)number(new, table, "exponent"),
			.what = what };
		row_read(table, new, row);
		row_launched(pool, row);
		early_take(pool, row);
	}
	row_read(table, new, row);
	row->changed = true;
}

/* ---- hits ----------------------------------------------------------------------------------- */

/* What a shard's rows up to a seq put into a pool. */
static int128 contributed(uint32_t shard, uint64_t seq, uint32_t number);

/* A row of pool.hit or cards.hit. */
struct hit_row {
	struct fake_pool_hit of;
	bool cards;
	int64_t what; /* coin value, or level */
	int128 value, w_before, cost, carry, next_seed, from_reserve, from_house, t, unit;
	uint32_t shard;
	uint64_t seq;
};

/* Hits of one commit are written in any order; they are priced in their own. */
static struct {
	size_t n;
	struct hit_row row[HITS_MAX];
} waiting;

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

/* What the row must have been worth, and what is left of it. */
static void price(struct pool_book *pool, struct counter_row *row, const struct hit_row *hit)
{
	int128 own = unit_of(row->terms.rate, row->exponent);
	int128 unit = pool->cards ? hit->unit : own;
	int128 value = row->terms.seed * own + (pool->t - row->w) * row->terms.share + row->r;
	int64_t paid = hit->of.paid_minor;

	if (row->adjusted != 0 && hit->value == value + row->adjusted) {
		value = hit->value; /* an adjustment of this very commit */
		row->adjusted = 0;
	}
	same(pool, "the value of a hit", hit->value, value);
	same(pool, "W before a hit", hit->w_before, row->w);
	same(pool, "what a hit pays", paid, value / unit);
	same(pool, "what a hit costs", hit->cost, paid * unit);
	same(pool, "what a hit carries", hit->carry, value - paid * unit);
	pool->paid += paid * unit;
	row->w = pool->t;
	row->r = value - paid * unit;
	row->hits++;
}

static void reseed(struct pool_book *pool, struct counter_row *row, const struct hit_row *hit)
{
	int128 due = pool->reserve < hit->next_seed ? pool->reserve : hit->next_seed;
	int128 seed = row->terms.seed * unit_of(row->terms.rate, row->exponent);

	if (!pool->terms_may_change)
		same(pool, "the next seed", hit->next_seed, seed);
	else if (hit->next_seed != seed) /* what waited for this win; another may be behind it */
		row->terms = row->db;
	same(pool, "what the reserve pays of a seed", hit->from_reserve, due);
	same(pool, "what the house pays of a seed", hit->from_house, hit->next_seed - due);
	pool->reserve -= due;
}

static void hit_take(const struct hit_row *hit)
{
	struct pool_book *pool = pool_of(hit->of.pool, hit->cards);
	struct counter_row *row = row_of(pool, hit->cards ? EUR : hit->of.currency, hit->what);

	hit_known(pool, &hit->of);
	if (hit->of.hit != pool->hits + 1)
		sim_fail("pool %" PRIu32 ": hit %" PRIu64 " behind hit %" PRIu64, pool->number,
			hit->of.hit, pool->hits);
	pool->hits = hit->of.hit;
	if (row == NULL)
		sim_fail("pool %" PRIu32 ": hit %" PRIu64 " of no row", pool->number, hit->of.hit);
	grow(pool, hit->t);
	/* A round contributes before it is evaluated: T holds the stakes of the claim's shard. */
	if (!hit->cards && hit->t < contributed(hit->shard, hit->seq, hit->of.pool))
		sim_fail("pool %" PRIu32 ": hit %" PRIu64 " before its own round contributed",
			pool->number, hit->of.hit);
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

static void hit_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
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
		hit->unit = unit_of(INT(new, tables.card_hit, "rate_nano"),
			(uint32_t)INT(new, tables.card_hit, "exponent"));
	} else {
		hit->shard = (uint32_t)INT(new, tables.hit, "wallet_shard");
		hit->seq = (uint64_t)INT(new, tables.hit, "wallet_seq");
	}
}

/* ---- T -------------------------------------------------------------------------------------- */

static int128 contribution(const struct fake_pg_row *tally, uint64_t total)
{
	const struct currency *currency =
		currency_by_number((uint32_t)INT(tally, tables.tally, "currency"));
	int128 sum = (int128)total * INT(tally, tables.tally, "rate_nano") *
		     INT(tally, tables.tally, "ppm");

	return currency->exponent > 3 ? sum / power(currency->exponent - 3)
				      : sum * power(3 - currency->exponent);
}

static int128 contributed(uint32_t shard, uint64_t seq, uint32_t number)
{
	const struct fake_pg_row *tally = NULL;
	int128 sum = 0;

	while ((tally = fake_pg_next(tables.tally, tally)) != NULL) {
		uint32_t id = (uint32_t)INT(tally, tables.tally, "id");
		if (INT(tally, tables.tally, "pool") == (int64_t)number)
			sum += contribution(tally, book_tally_at(shard, id, seq));
	}
	return sum;
}

static void vector_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new, bool cards)
{
	uint32_t shard = (uint32_t)number(new, table, "shard");
	uint32_t tally = (uint32_t)number(new, table, "tally");
	uint64_t total = (uint64_t)number(new, table, "total");
	uint64_t seq = (uint64_t)number(new, table, "seq");
	struct pool_book *pool = pool_of((uint32_t)number(new, table, "pool"), cards);

	pool->dirty = true;
	if (total != book_tally_at(shard, tally, seq))
		sim_fail("pool %" PRIu32 ": shard %" PRIu32 ", tally %" PRIu32 ": total %" PRIu64
			 " at seq %" PRIu64 ", the journal says %" PRIu64,
			pool->number, shard, tally, total, seq, book_tally_at(shard, tally, seq));
	if (old != NULL && total < (uint64_t)number(old, table, "total"))
		sim_fail("pool %" PRIu32 ": shard %" PRIu32 ", tally %" PRIu32 ": the total falls",
			pool->number, shard, tally);
}

/* By the totals that stand in the pool's own vector. */
static int128 t_of(const struct pool_book *pool)
{
	const struct fake_pg_table *table = pool->cards ? tables.card_vector : tables.vector;
	const struct fake_pg_row *row = NULL;
	int128 sum = 0;

	while ((row = fake_pg_next(table, row)) != NULL) {
		int64_t id = number(row, table, "tally");
		if (number(row, table, "pool") == (int64_t)pool->number)
			sum += contribution(fake_pg_find(tables.tally, &id, 1),
				(uint64_t)number(row, table, "total"));
	}
	return sum;
}

/* ---- after a commit ------------------------------------------------------------------------- */

static void check_row(struct pool_book *pool, struct counter_row *row)
{
	if (!row->changed || row->gone)
		return;
	row->changed = false;
	if (row->adjusted != 0 && row->db_r == row->r + row->adjusted) {
		row->r = row->db_r;
		row->adjusted = 0;
	}
	same(pool, "W of a row", row->db_w, row->w);
	same(pool, "the carry of a row", row->db_r, row->r);
	same(pool, "the hits of a row", (int128)row->db_hits, (int128)row->hits);
	if (!pool->terms_may_change) {
		same(pool, "the seed of a row", row->db.seed, row->terms.seed);
		same(pool, "the rate of a row", row->db.rate, row->terms.rate);
		same(pool, "the share of a row", row->db.share, row->terms.share);
	}
	row->terms = row->db;
}

static void check_books(struct pool_book *pool, const struct fake_pg_table *table,
	const struct fake_pg_row *written)
{
	int128 jp_pool = 0, jp_seed = 0;
	int128 in =
		big(written, table, "contributions_e27") + big(written, table, "house_seed_e27");

	for (size_t i = 0; i < pool->rows_n; i++) {
		const struct counter_row *row = &pool->row[i];
		if (row->gone)
			continue;
		jp_pool += (pool->t - row->w) * row->terms.share + row->r;
		jp_seed += row->terms.seed * unit_of(row->terms.rate, row->exponent);
	}
	same(pool, "JP_POOL", big(written, table, "jp_pool_e27"), jp_pool);
	same(pool, "JP_SEED", big(written, table, "jp_seed_e27"), jp_seed);
	same(pool, "JP_RESERVE", big(written, table, "jp_reserve_e27"), pool->reserve);
	same(pool, "paid", big(written, table, "paid_e27"), pool->paid);
	same(pool, "contributions + house seed", in,
		jp_pool + jp_seed + pool->reserve + pool->paid);
	if (!pool->cards) {
		same(pool, "contributions", big(written, table, "contributions_e27"),
			pool->t * NANO);
		same(pool, "the number of hits", INT(written, tables.pool, "hits"),
			(int128)pool->hits);
	}
}

static void check_pool(struct pool_book *pool)
{
	const struct fake_pg_table *table = pool->cards ? tables.set : tables.pool;
	int64_t key = pool->number;
	const struct fake_pg_row *written = fake_pg_find(table, &key, 1);
	int128 t;

	if (written == NULL)
		sim_fail("pool %" PRIu32 ": rows without a pool", pool->number);
	t = big(written, table, "t_e18");
	grow(pool, t);
	same(pool, "T", t, t_of(pool));
	for (size_t i = 0; i < pool->rows_n; i++)
		check_row(pool, &pool->row[i]);
	check_books(pool, table, written);
	pool->dirty = false;
}

void pools_step(void)
{
	pools_hits();
	for (size_t i = 0; i < pools_n; i++)
		if (pools[i].dirty)
			check_pool(&pools[i]);
}

/* ---- rounds of Jackpot Cards ---------------------------------------------------------------- */

static void round_changed(const struct fake_pg_row *old, const struct fake_pg_row *new)
{
	int positions = COLUMN(tables.round, "positions"), suits = COLUMN(tables.round, "suits");
	int64_t player = INT(new, tables.round, "player");
	uint64_t move = (uint64_t)INT(new, tables.round, "move");
	uint32_t index = (uint32_t)INT(new, tables.round, "index");
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
	if (old != NULL && INT(old, tables.round, "won") &&
		INT(old, tables.round, "hit") != INT(new, tables.round, "hit"))
		sim_fail("card round %" PRIu64 "-%" PRIu32 " of player %" PRId64 " is won twice",
			move, index, player);
}

/* ---- operators ------------------------------------------------------------------------------ */

void pools_adjustment(uint32_t number, uint32_t currency, int64_t coin_minor, int64_t delta_minor)
{
	struct counter_row *row = row_of(pool_of(number, false), currency, coin_minor);

	if (row != NULL) {
		row->adjusted = delta_minor * unit_of(row->terms.rate, row->exponent);
		return;
	}
	if (early.n == EARLY_MAX)
		sim_fail("more than %d adjustments of rows that are not there", EARLY_MAX);
	early.of[early.n].pool = number;
	early.of[early.n].currency = currency;
	early.of[early.n].coin_minor = coin_minor;
	early.of[early.n++].delta_minor = delta_minor;
}

static void action_new(const struct fake_pg_row *new)
{
	if (INT(new, tables.action, "action") == CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS &&
		INT(new, tables.action, "done"))
		pool_of((uint32_t)INT(new, tables.action, "pool"), false)->terms_may_change = true;
}

/* ---- what changed --------------------------------------------------------------------------- */

void pools_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new)
{
	if (table == tables.hit || table == tables.card_hit)
		hit_changed(table, old, new, table == tables.card_hit);
	else if (table == tables.row || table == tables.level)
		row_changed(table, old, new, table == tables.level);
	else if (table == tables.vector || table == tables.card_vector)
		vector_changed(table, old, new, table == tables.card_vector);
	else if (table == tables.round)
		round_changed(old, new);
	else if (table == tables.action)
		action_new(new);
	else if (table == tables.pool || table == tables.set)
		pool_of((uint32_t)number(new, table, "pool"), table == tables.set)->dirty = true;
}

void pools_begin(void)
{
	pools_n = waiting.n = early.n = 0;
	tables = (struct tables){ .pool = fake_pg_table("pool.pool"),
		.row = fake_pg_table("pool.row"),
		.hit = fake_pg_table("pool.hit"),
		.vector = fake_pg_table("pool.vector"),
		.action = fake_pg_table("pool.operator_action"),
		.tally = fake_pg_table("pool.tally"),
		.set = fake_pg_table("cards.card_set"),
		.level = fake_pg_table("cards.level"),
		.card_hit = fake_pg_table("cards.hit"),
		.card_vector = fake_pg_table("cards.vector"),
		.round = fake_pg_table("cards.round") };
}

/* ---- at rest -------------------------------------------------------------------------------- */

/* Every stake has reached every pool it feeds. */
bool pools_settled(char *what, size_t room)
{
	for (size_t i = 0; i < pools_n; i++) {
		int128 sum = 0;
		for (uint32_t shard = 0; shard < sim_world.shards; shard++)
			sum += contributed(shard, book.shard[shard].last_seq, pools[i].number);
		if (sum == pools[i].t)
			continue;
		(void)snprintf(what, room, "pool %" PRIu32 " has T %s, the stakes sum to %s",
			pools[i].number, text(pools[i].t), text(sum));
		return false;
	}
	return true;
}

void pools_final(void)
{
	const struct fake_pg_row *round = NULL;
	char what[160];

	for (size_t i = 0; i < pools_n; i++)
		check_pool(&pools[i]);
	if (!pools_settled(what, sizeof(what)))
		sim_fail("%s", what);
	if (book.hits_n != book.awards_n)
		sim_fail("%" PRIu64 " hits and %" PRIu64 " awards", book.hits_n, book.awards_n);
	while ((round = fake_pg_next(tables.round, round)) != NULL) {
		const struct book_hit *hit = book_hit(INT(round, tables.round, "player"),
			(uint64_t)INT(round, tables.round, "move"),
			(uint32_t)INT(round, tables.round, "index"));
		if (INT(round, tables.round, "won") != (hit != NULL) ||
			(hit != NULL && hit->paid_minor != INT(round, tables.round, "paid_minor")))
			sim_fail("card round %" PRId64 " of player %" PRId64
				 " and its hit do not agree",
				INT(round, tables.round, "move"),
				INT(round, tables.round, "player"));
	}
}
