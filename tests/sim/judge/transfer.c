/* Money between pools, and pools that operators have made: what leaves one pool's books is what
 * leaves its rows and its reserve, it enters one other once, and what still comes in behind the end
 * follows. */
#include "tests/sim/judge/pool.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEAVING_MAX 64 /* transfers of a few commits */
#define CREATED_MAX 16
#define FED_US UINT64_C(15000000) /* until engines and wallets know of a pool that was made */

/* A row of pool.transfer_out. */
struct transfer {
	uint32_t from, to, from_currency, to_currency;
	int64_t from_coin, to_coin;
	uint64_t number;
	int128 amount;
	bool in, booked;
};

static struct map transfers;  /* (pool, number) */
static uint64_t on_their_way; /* not known to have arrived */

/* Those that have left since the last look. */
static struct {
	size_t n;
	const struct transfer *of[LEAVING_MAX];
} leaving;

static struct {
	size_t n;
	struct created {
		uint32_t pool, games; /* one bit a game */
		uint64_t since_us;
		bool stopped; /* at least once */
	} of[CREATED_MAX];
} created;

#define TRANSFER "transfer %" PRIu64 " of pool %" PRIu32 ": "
#define OF(transfer) (transfer)->number, (transfer)->from

/* ---- on their way --------------------------------------------------------------------------- */

int128 arrival_take(struct arrivals *arrivals)
{
	int128 first = arrivals->amount[0];

	memmove(arrivals->amount, arrivals->amount + 1,
		--arrivals->n * sizeof(arrivals->amount[0]));
	return first;
}

void arrival_add(struct arrivals *arrivals, int128 amount)
{
	if (arrivals->n == ARRIVALS_MAX)
		sim_fail("more than %d transfers and adjustments at once", ARRIVALS_MAX);
	arrivals->amount[arrivals->n++] = amount;
}

static void out_new(struct transfer *transfer, const struct fake_pg_row *new)
{
	*transfer = (struct transfer){ .from = (uint32_t)INT(new, pool_tables.out, "pool"),
		.number = (uint64_t)INT(new, pool_tables.out, "number"),
		.from_currency = (uint32_t)INT(new, pool_tables.out, "from_currency"),
		.from_coin = INT(new, pool_tables.out, "from_coin_minor"),
		.to = (uint32_t)INT(new, pool_tables.out, "to_pool"),
		.to_currency = (uint32_t)INT(new, pool_tables.out, "to_currency"),
		.to_coin = INT(new, pool_tables.out, "to_coin_minor"),
		.amount = big(new, pool_tables.out, "amount_e27") };
	if (leaving.n == LEAVING_MAX)
		sim_fail("more than %d transfers between two looks of the judge", LEAVING_MAX);
	leaving.of[leaving.n++] = transfer;
	on_their_way++;
	pool_of(transfer->from, false)->dirty = true;
}

static void out_changed(const struct fake_pg_row *old, const struct fake_pg_row *new)
{
	struct transfer *transfer;
	void **at = map_at(&transfers, (uint64_t)INT(new, pool_tables.out, "pool"),
		(uint64_t)INT(new, pool_tables.out, "number"));

	if (*at == NULL)
		*at = judge_alloc(sizeof(*transfer));
	transfer = *at;
	if (old == NULL)
		out_new(transfer, new);
	if (transfer->amount != big(new, pool_tables.out, "amount_e27"))
		sim_fail(TRANSFER "its amount has changed", OF(transfer));
	if (transfer->booked || fake_pg_null(new, COLUMN(pool_tables.out, "booked")))
		return;
	if (!transfer->in)
		sim_fail(TRANSFER "taken for booked, and pool %" PRIu32 " has not booked it",
			OF(transfer), transfer->to);
	transfer->booked = true;
	on_their_way--;
}

/* Into the row that was named, or into the reserve where that is not there any more. */
static void in_new(const struct fake_pg_row *new)
{
	uint32_t currency = (uint32_t)INT(new, pool_tables.in, "currency");
	int64_t coin = INT(new, pool_tables.in, "coin_minor");
	struct pool_book *pool = pool_of((uint32_t)INT(new, pool_tables.in, "pool"), false);
	struct transfer *transfer =
		map_get(&transfers, (uint64_t)INT(new, pool_tables.in, "from_pool"),
			(uint64_t)INT(new, pool_tables.in, "number"));
	struct counter_row *row = currency == 0 ? NULL : pool_row_of(pool, currency, coin);

	if (transfer == NULL || transfer->to != pool->number ||
		transfer->amount != big(new, pool_tables.in, "amount_e27"))
		sim_fail("pool %" PRIu32 ": received what nobody has sent", pool->number);
	if (transfer->in)
		sim_fail(TRANSFER "booked twice", OF(transfer));
	if (currency != 0 &&
		(row == NULL || currency != transfer->to_currency || coin != transfer->to_coin))
		sim_fail(TRANSFER "booked into a row that it was not sent to", OF(transfer));
	if (currency == 0 && transfer->to_currency != 0 &&
		pool_row_of(pool, transfer->to_currency, transfer->to_coin) != NULL)
		sim_fail(TRANSFER "booked into the reserve, and its row is there", OF(transfer));
	transfer->in = true;
	pool->received += transfer->amount;
	pool->dirty = true;
	arrival_add(row == NULL ? &pool->arrivals : &row->arrivals, transfer->amount);
}

/* ---- leaving -------------------------------------------------------------------------------- */

static int128 value_of(struct counter_row *row)
{
	while (row->arrivals.n > 0)
		row->r += arrival_take(&row->arrivals);
	return (row->gone_t - row->w) * row->terms.share + row->r +
	       row->terms.seed * pool_unit_of(row->terms.rate, row->exponent);
}

/* The pool ends at one T for all its rows, which may be that before the last stakes of the commit:
 * those are the reserve's. */
static void check_value(struct pool_book *pool, const struct counter_row *row, int128 value)
{
	for (size_t i = 0; i < leaving.n; i++) {
		const struct transfer *transfer = leaving.of[i];
		int128 later = value - transfer->amount;
		if (transfer->from != pool->number || transfer->from_currency != row->currency ||
			transfer->from_coin != row->what)
			continue;
		if (later < 0 || row->terms.share == 0 || later % row->terms.share != 0)
			pool_same(pool, "what a row sends", transfer->amount, value);
		if (row->terms.share == 0)
			continue;
		later /= row->terms.share;
		if (pool->ended)
			pool_same(pool, "what came behind the end", later, pool->later);
		pool->ended = true;
		pool->later = later;
	}
}

void transfers_leave(struct pool_book *pool)
{
	size_t kept = 0;

	for (size_t i = 0; i < pool->rows_n; i++) {
		struct counter_row *row = &pool->row[i];
		if (!row->gone || row->emptied)
			continue;
		int128 value = value_of(row);
		check_value(pool, row, value);
		pool->reserve += value;
		row->emptied = true;
	}
	for (size_t i = 0; i < leaving.n; i++) {
		const struct transfer *transfer = leaving.of[i];
		if (transfer->from != pool->number) {
			leaving.of[kept++] = transfer;
			continue;
		}
		pool->reserve -= transfer->amount;
		pool->sent += transfer->amount;
	}
	leaving.n = kept;
	if (pool->reserve < 0)
		sim_fail("pool %" PRIu32 ": more has left it than there was", pool->number);
}

/* ---- pools that were made ------------------------------------------------------------------- */

static struct created *created_pool_of(uint32_t pool)
{
	for (size_t i = 0; i < created.n; i++)
		if (created.of[i].pool == pool)
			return &created.of[i];
	return NULL;
}

static void link_new(const struct fake_pg_row *new)
{
	uint32_t pool = (uint32_t)INT(new, pool_tables.link, "pool");
	struct created *of = created_pool_of(pool);

	if (of == NULL && created.n == CREATED_MAX)
		sim_fail("more than %d pools were made", CREATED_MAX);
	if (of == NULL) {
		of = &created.of[created.n++];
		*of = (struct created){ .pool = pool, .since_us = sim_now_us() };
	}
	of->games |= 1U << INT(new, pool_tables.link, "game");
}

void created_pool_seen(uint32_t pool, const char *state)
{
	struct created *of = created_pool_of(pool);

	if (of != NULL && strcmp(state, "live") != 0)
		of->stopped = true;
	pool_of(pool, false)->retired = strcmp(state, "retired") == 0;
}

bool created_pool_feeds(uint32_t pool, uint32_t game)
{
	const struct created *of = created_pool_of(pool);

	return of != NULL && (of->games & 1U << game) != 0;
}

/* One that must be fed by a stake now, and is not among these; 0: none. Where something fails it
 * may take longer until everybody knows of it. */
uint32_t created_pool_unfed(uint32_t game, const uint32_t *pools, size_t n)
{
	for (size_t i = 0; i < created.n; i++) {
		const struct created *of = &created.of[i];
		bool fed = false;
		for (size_t j = 0; j < n; j++)
			fed = fed || pools[j] == of->pool;
		if (!fed && (of->games & 1U << game) != 0 && !of->stopped && !sim_world.faulty &&
			sim_now_us() > of->since_us + FED_US)
			return of->pool;
	}
	return 0;
}

/* ---- what changed --------------------------------------------------------------------------- */

bool transfers_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new)
{
	if (table != pool_tables.out && table != pool_tables.in && table != pool_tables.link)
		return false;
	if (new == NULL || (old != NULL && table == pool_tables.in))
		sim_fail("a row of pool.transfer_out, transfer_in or link was taken away");
	if (table == pool_tables.out)
		out_changed(old, new);
	else if (table == pool_tables.in)
		in_new(new);
	else
		link_new(new);
	return true;
}

bool transfers_settled(char *what, size_t room)
{
	for (size_t i = 0; i < created.n; i++) {
		const struct pool_book *pool = pool_of(created.of[i].pool, false);
		if (!pool->retired || pool->reserve == 0)
			continue;
		(void)snprintf(what, room, "pool %" PRIu32 " is retired and holds %s", pool->number,
			big_text(pool->reserve));
		return false;
	}
	if (on_their_way > 0)
		(void)snprintf(what, room, "%" PRIu64 " transfers between pools are on their way",
			on_their_way);
	return on_their_way == 0;
}

void transfers_begin(void)
{
	leaving.n = created.n = 0;
	on_their_way = 0;
}

void transfers_end(void)
{
	map_clear(&transfers);
}
