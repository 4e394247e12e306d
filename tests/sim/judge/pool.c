/* Progressive pools and sets of Jackpot Cards: T from the wallet's own rows, every hit priced
 * again, every identity of docs/progressive.md with integers of 128 bits. Rows and levels are kept
 * as the hits leave them and compared with what the services have written. */
#include "libcommon/base/currency.h"
#include "tests/sim/judge/pool.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOLS_MAX 16
#define NANO INT64_C(1000000000)

static struct pool_book pools[POOLS_MAX];
static size_t pools_n;

struct pool_tables pool_tables;

static int128 power(uint32_t exponent)
{
	int128 out = 1;

	while (exponent-- > 0)
		out *= 10;
	return out;
}

int128 pool_unit_of(int64_t rate, uint32_t exponent)
{
	return rate * power(18 - exponent);
}

const char *big_text(int128 value)
{
	static char ring[8][AMOUNT_TEXT_MAX];
	static size_t at;

	at = (at + 1) % 8;
	(void)int128_format(value, ring[at]);
	return ring[at];
}

void pool_same(const struct pool_book *pool, const char *what, int128 found, int128 expected)
{
	if (found != expected)
		sim_fail("pool %" PRIu32 ": %s is %s, expected %s", pool->number, what,
			big_text(found), big_text(expected));
}

struct pool_book *pool_of(uint32_t number, bool cards)
{
	for (size_t i = 0; i < pools_n; i++)
		if (pools[i].number == number)
			return &pools[i];
	if (pools_n == POOLS_MAX)
		sim_fail("more than %d pools", POOLS_MAX);
	pools[pools_n] = (struct pool_book){ .number = number, .cards = cards };
	return &pools[pools_n++];
}

struct counter_row *pool_row_of(struct pool_book *pool, uint32_t currency, int64_t what)
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

/* A set has no reserve. */
void pool_grow(struct pool_book *pool, int128 t)
{
	if (t < pool->t)
		sim_fail("pool %" PRIu32 ": T falls from %s to %s", pool->number, big_text(pool->t),
			big_text(t));
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
			pool->number, big_text(row->db_r), row->db_hits);
}

/* All money of a row that is taken off is the reserve's, or leaves from there: transfers_leave. Of
 * the same commit the pool's own row has T, and is told before what was deleted. */
static void row_gone(struct pool_book *pool, struct counter_row *row)
{
	pools_hits();
	pool_grow(pool, pool->t_written);
	row->gone = true;
	row->gone_t = pool->t;
}

static void row_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new, bool cards)
{
	const struct fake_pg_row *any = new == NULL ? old : new;
	struct pool_book *pool = pool_of((uint32_t)number(any, table, "pool"), cards);
	uint32_t currency = (uint32_t)number(any, table, "currency");
	int64_t what = cards ? number(any, table, "level") : number(any, table, "coin_minor");
	struct counter_row *row = pool_row_of(pool, currency, what);

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
	}
	row_read(table, new, row);
	row->changed = true;
}

/* ---- T -------------------------------------------------------------------------------------- */

static int128 contribution(const struct fake_pg_row *tally, uint64_t total)
{
	const struct currency *currency =
		currency_by_number((uint32_t)INT(tally, pool_tables.tally, "currency"));
	int128 sum = (int128)total * INT(tally, pool_tables.tally, "rate_nano") *
		     INT(tally, pool_tables.tally, "ppm");

	return currency->exponent > 3 ? sum / power(currency->exponent - 3)
				      : sum * power(3 - currency->exponent);
}

int128 pool_contributed(uint32_t shard, uint64_t seq, uint32_t number)
{
	const struct fake_pg_row *tally = NULL;
	int128 sum = 0;

	while ((tally = fake_pg_next(pool_tables.tally, tally)) != NULL) {
		uint32_t id = (uint32_t)INT(tally, pool_tables.tally, "id");
		if (INT(tally, pool_tables.tally, "pool") == (int64_t)number)
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
	const struct fake_pg_table *table =
		pool->cards ? pool_tables.card_vector : pool_tables.vector;
	const struct fake_pg_row *row = NULL;
	int128 sum = 0;

	while ((row = fake_pg_next(table, row)) != NULL) {
		int64_t id = number(row, table, "tally");
		if (number(row, table, "pool") == (int64_t)pool->number)
			sum += contribution(fake_pg_find(pool_tables.tally, &id, 1),
				(uint64_t)number(row, table, "total"));
	}
	return sum;
}

/* ---- after a commit ------------------------------------------------------------------------- */

static void check_row(struct pool_book *pool, struct counter_row *row)
{
	if (row->gone)
		return;
	while (row->arrivals.n > 0)
		row->r += arrival_take(&row->arrivals);
	if (!row->changed)
		return;
	row->changed = false;
	pool_same(pool, "W of a row", row->db_w, row->w);
	pool_same(pool, "the carry of a row", row->db_r, row->r);
	pool_same(pool, "the hits of a row", (int128)row->db_hits, (int128)row->hits);
	if (!pool->terms_may_change) {
		pool_same(pool, "the seed of a row", row->db.seed, row->terms.seed);
		pool_same(pool, "the rate of a row", row->db.rate, row->terms.rate);
		pool_same(pool, "the share of a row", row->db.share, row->terms.share);
	}
	row->terms = row->db;
}

static void check_books(struct pool_book *pool, const struct fake_pg_table *table,
	const struct fake_pg_row *written)
{
	int128 jp_pool = 0, jp_seed = 0;
	int128 in = big(written, table, "contributions_e27") +
		    big(written, table, "house_seed_e27") + pool->received;

	for (size_t i = 0; i < pool->rows_n; i++) {
		const struct counter_row *row = &pool->row[i];
		if (row->gone)
			continue;
		jp_pool += (pool->t - row->w) * row->terms.share + row->r;
		jp_seed += row->terms.seed * pool_unit_of(row->terms.rate, row->exponent);
	}
	pool_same(pool, "JP_POOL", big(written, table, "jp_pool_e27"), jp_pool);
	pool_same(pool, "JP_SEED", big(written, table, "jp_seed_e27"), jp_seed);
	pool_same(pool, "JP_RESERVE", big(written, table, "jp_reserve_e27"), pool->reserve);
	pool_same(pool, "paid", big(written, table, "paid_e27"), pool->paid);
	pool_same(pool, "contributions + house seed", in,
		jp_pool + jp_seed + pool->reserve + pool->paid + pool->sent);
	if (!pool->cards) {
		pool_same(pool, "contributions", big(written, table, "contributions_e27"),
			pool->t * NANO);
		pool_same(pool, "received of other pools", big(written, table, "received_e27"),
			pool->received);
		pool_same(pool, "sent to other pools", big(written, table, "sent_e27"), pool->sent);
		pool_same(pool, "the number of hits", INT(written, pool_tables.pool, "hits"),
			(int128)pool->hits);
	}
}

static void check_pool(struct pool_book *pool)
{
	const struct fake_pg_table *table = pool->cards ? pool_tables.set : pool_tables.pool;
	int64_t key = pool->number;
	const struct fake_pg_row *written = fake_pg_find(table, &key, 1);
	int128 t;

	if (written == NULL)
		sim_fail("pool %" PRIu32 ": rows without a pool", pool->number);
	t = big(written, table, "t_e18");
	pool_grow(pool, t);
	pool_same(pool, "T", t, t_of(pool));
	while (pool->arrivals.n > 0)
		pool->reserve += arrival_take(&pool->arrivals);
	if (!pool->cards)
		transfers_leave(pool);
	for (size_t i = 0; i < pool->rows_n; i++)
		check_row(pool, &pool->row[i]);
	check_books(pool, table, written);
	pool->dirty = false;
}

static uint32_t spoiled;

void judge_pool_spoiled(uint32_t pool)
{
	spoiled = pool;
}

struct pool_book *pool_at(size_t at)
{
	return at < pools_n ? &pools[at] : NULL;
}

void pools_step(void)
{
	pools_hits();
	for (size_t i = 0; i < pools_n; i++)
		if (pools[i].dirty && pools[i].number != spoiled)
			check_pool(&pools[i]);
}

/* ---- operators ------------------------------------------------------------------------------ */

/* Adjustments that an operator has asked for and that are not done. */
#define ASKED_MAX 256
struct adjustment {
	uint32_t pool, currency;
	int64_t coin_minor, delta_minor;
};
static struct {
	struct adjustment of[ASKED_MAX];
	size_t n;
} asked;

void pools_adjustment(uint32_t number, uint32_t currency, int64_t coin_minor, int64_t delta_minor)
{
	if (asked.n == ASKED_MAX) /* the oldest was refused */
		memmove(asked.of, asked.of + 1, --asked.n * sizeof(asked.of[0]));
	asked.of[asked.n++] = (struct adjustment){ number, currency, coin_minor, delta_minor };
}

/* Each is done once at most. */
static bool asked_take(const struct adjustment *done)
{
	for (size_t i = 0; i < asked.n; i++) {
		const struct adjustment *one = &asked.of[i];
		if (one->pool != done->pool || one->currency != done->currency ||
			one->coin_minor != done->coin_minor ||
			one->delta_minor != done->delta_minor)
			continue;
		asked.of[i] = asked.of[--asked.n];
		return true;
	}
	return false;
}

static void adjustment_done(const struct fake_pg_row *new)
{
	struct pool_book *pool = pool_of((uint32_t)INT(new, pool_tables.action, "pool"), false);
	size_t n;
	const char *text = fake_pg_bytes(new, COLUMN(pool_tables.action, "parameters"), &n);
	struct adjustment done = { .pool = pool->number };
	struct counter_row *row;
	char currency[4];

	if (sscanf(text,
		    "{\"currency\":\"%3s\",\"coin_minor\":%" SCNd64 ",\"delta_minor\":%" SCNd64,
		    currency, &done.coin_minor, &done.delta_minor) != 3)
		sim_fail("pool %" PRIu32 ": an adjustment of parameters %s", pool->number, text);
	done.currency = strcmp(currency, "EUR") == 0 ? EUR : SEK;
	row = pool_row_of(pool, done.currency, done.coin_minor);
	if (!asked_take(&done) || row == NULL)
		sim_fail("pool %" PRIu32 ": an adjustment %s: %s", pool->number, text,
			row == NULL ? "there is no such row" : "nobody has asked for it");
	arrival_add(
		&row->arrivals, done.delta_minor * pool_unit_of(row->terms.rate, row->exponent));
}

static void action_new(const struct fake_pg_row *new)
{
	int64_t action = INT(new, pool_tables.action, "action");

	if (!INT(new, pool_tables.action, "done"))
		return;
	if (action == CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS)
		pool_of((uint32_t)INT(new, pool_tables.action, "pool"), false)->terms_may_change =
			true;
	if (action == CARILLON__OPERATOR_ACTION__ACTION_ADJUST)
		adjustment_done(new);
}

static void written(const struct fake_pg_table *table, const struct fake_pg_row *new)
{
	uint32_t pool = (uint32_t)number(new, table, "pool");
	size_t n;

	pool_of(pool, table == pool_tables.set)->dirty = true;
	pool_of(pool, table == pool_tables.set)->t_written = big(new, table, "t_e18");
	if (table == pool_tables.pool)
		created_pool_seen(pool, fake_pg_bytes(new, COLUMN(table, "state"), &n));
}

/* ---- what changed --------------------------------------------------------------------------- */

void pools_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new)
{
	if (table == pool_tables.hit || table == pool_tables.card_hit)
		hit_changed(table, old, new, table == pool_tables.card_hit);
	else if (table == pool_tables.row || table == pool_tables.level)
		row_changed(table, old, new, table == pool_tables.level);
	else if (table == pool_tables.vector || table == pool_tables.card_vector)
		vector_changed(table, old, new, table == pool_tables.card_vector);
	else if (table == pool_tables.round)
		card_round_changed(old, new);
	else if (table == pool_tables.action)
		action_new(new);
	else if (table == pool_tables.event && new != NULL)
		before_event(table, new);
	else if (table == pool_tables.pool || table == pool_tables.set)
		written(table, new);
	else
		(void)transfers_changed(table, old, new);
}

void pools_begin(void)
{
	pools_n = asked.n = 0;
	spoiled = 0;
	hits_begin();
	pool_tables = (struct pool_tables){ .pool = fake_pg_table("pool.pool"),
		.row = fake_pg_table("pool.row"),
		.hit = fake_pg_table("pool.hit"),
		.vector = fake_pg_table("pool.vector"),
		.action = fake_pg_table("pool.operator_action"),
		.tally = fake_pg_table("pool.tally"),
		.set = fake_pg_table("cards.card_set"),
		.level = fake_pg_table("cards.level"),
		.card_hit = fake_pg_table("cards.hit"),
		.card_vector = fake_pg_table("cards.vector"),
		.round = fake_pg_table("cards.round"),
		.out = fake_pg_table("pool.transfer_out"),
		.in = fake_pg_table("pool.transfer_in"),
		.link = fake_pg_table("pool.link"),
		.event = fake_pg_table("pool.event") };
	transfers_begin();
}

void pools_end(void)
{
	transfers_end();
}

/* ---- at rest -------------------------------------------------------------------------------- */

/* Every stake has reached every pool it feeds. */
bool pools_settled(char *what, size_t room)
{
	for (size_t i = 0; i < pools_n; i++) {
		int128 sum = 0;
		for (uint32_t shard = 0; shard < sim_world.shards; shard++)
			sum += pool_contributed(shard, book.shard[shard].last_seq, pools[i].number);
		if (sum == pools[i].t)
			continue;
		(void)snprintf(what, room, "pool %" PRIu32 " has T %s, the stakes sum to %s",
			pools[i].number, big_text(pools[i].t), big_text(sum));
		return false;
	}
	return transfers_settled(what, room);
}

void pools_final(void)
{
	char what[160];

	for (size_t i = 0; i < pools_n; i++)
		check_pool(&pools[i]);
	if (!pools_settled(what, sizeof(what)))
		sim_fail("%s", what);
	if (book.hits_n != book.awards_n)
		sim_fail("%" PRIu64 " hits and %" PRIu64 " awards", book.hits_n, book.awards_n);
	card_rounds_final();
}
