/* A jackpot holds every bet that was answered before the winning one was sent, on whatever shard,
 * and whoever was killed between. What counts is what a client has seen: the newest row of each
 * shard of which any player has been told, at the moment that a bet or a pick is first sent. */
#include "tests/sim/judge/pool.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <string.h>

static uint64_t told[JUDGE_SHARDS]; /* seq of the newest row that any client knows */

struct book_sent {
	uint64_t seq[JUDGE_SHARDS];
};

void judge_told(uint32_t shard, uint64_t seq)
{
	if (seq > told[shard])
		told[shard] = seq;
}

/* The first time counts: it is the earliest moment at which it can have won. */
static void sent(uint64_t a, uint64_t b)
{
	void **at = map_at(&book.sent, a, b);

	if (*at != NULL)
		return;
	*at = judge_alloc(sizeof(struct book_sent));
	memcpy(((struct book_sent *)*at)->seq, told, sizeof(told));
}

static const uint64_t *seqs(uint64_t a, uint64_t b)
{
	const struct book_sent *at = map_get(&book.sent, a, b);

	return at == NULL ? NULL : at->seq;
}

static void halves(const uint8_t id[REQUEST_ID_BYTES], uint64_t half_r[2])
{
	memcpy(half_r, id, 2 * sizeof(half_r[0]));
}

void judge_bet_sent(const uint8_t request_id[REQUEST_ID_BYTES])
{
	uint64_t half[2];

	halves(request_id, half);
	sent(half[0], half[1]);
}

/* A pick has no id. Its player's number is below 2^63, the half of a hash is not likely to be. */
static uint64_t pick_of(uint64_t move, uint32_t index, uint32_t pick)
{
	return move << 24 | (uint64_t)index << 8 | pick;
}

void judge_pick_sent(int64_t player, uint64_t move, uint32_t index, uint32_t pick)
{
	sent((uint64_t)player, pick_of(move, index, pick));
}

const uint64_t *before_pick(int64_t player, uint64_t move, uint32_t index, uint32_t pick)
{
	return seqs((uint64_t)player, pick_of(move, index, pick));
}

const uint64_t *before_bet(int64_t player, uint64_t move)
{
	const struct book_account *account = book_account(player);
	const struct book_row *row = account == NULL ? NULL : book_row_of_move(account, move);
	uint64_t half[2];

	if (row == NULL)
		return NULL; /* long ago */
	halves(row->request_id, half);
	return seqs(half[0], half[1]);
}

/* ---- what a pool knew at a hit: its events, in their order ------------------------------------
 */

static uint64_t *known_of(uint32_t pool, uint32_t shard, uint32_t tally)
{
	void **at = map_at(&book.known, pool, (uint64_t)shard << 32 | tally);

	if (*at == NULL)
		*at = judge_alloc(sizeof(uint64_t));
	return *at;
}

static void take_totals(const struct fake_pg_table *table, const struct fake_pg_row *new)
{
	uint32_t pool = (uint32_t)INT(new, table, "pool");
	int shards = COLUMN(table, "shards"), tallies = COLUMN(table, "tallies"),
	    totals = COLUMN(table, "totals");
	size_t n = fake_pg_null(new, shards) ? 0 : fake_pg_elements(new, shards);

	for (size_t i = 0; i < n; i++) {
		uint64_t total = (uint64_t)fake_pg_element(new, totals, i);
		uint64_t *known = known_of(pool, (uint32_t)fake_pg_element(new, shards, i),
			(uint32_t)fake_pg_element(new, tallies, i));
		if (total > *known)
			*known = total;
	}
}

static bool left_out(const struct fake_pg_row *hit, int column, uint32_t shard)
{
	size_t n = fake_pg_null(hit, column) ? 0 : fake_pg_elements(hit, column);

	for (size_t i = 0; i < n; i++)
		if (fake_pg_element(hit, column, i) == (int64_t)shard)
			return true;
	return false;
}

static void check_shard(uint32_t pool, uint64_t hit, uint32_t shard, uint64_t seq)
{
	const struct fake_pg_row *tally = NULL;

	while ((tally = fake_pg_next(pool_tables.tally, tally)) != NULL) {
		uint32_t id = (uint32_t)INT(tally, pool_tables.tally, "id");
		if (INT(tally, pool_tables.tally, "pool") != (int64_t)pool ||
			book_tally_at(shard, id, seq) <= *known_of(pool, shard, id))
			continue;
		sim_fail("pool %" PRIu32 ": hit %" PRIu64 " was priced with a total of %" PRIu64
			 " in tally %" PRIu32 " of shard %" PRIu32
			 ", but before it was sent players knew of %" PRIu64 " up to seq %" PRIu64,
			pool, hit, *known_of(pool, shard, id), id, shard,
			book_tally_at(shard, id, seq), seq);
	}
}

void before_event(const struct fake_pg_table *table, const struct fake_pg_row *new)
{
	uint32_t pool = (uint32_t)INT(new, table, "pool");
	uint64_t number = (uint64_t)INT(new, table, "hits");
	const struct fake_pool_hit *hit;
	const uint64_t *seq;
	size_t n;

	if (strcmp(fake_pg_bytes(new, COLUMN(table, "kind"), &n), "hit") != 0) {
		take_totals(table, new);
		return;
	}
	hit = hit_waiting(pool, number);
	if (hit == NULL)
		sim_fail("pool %" PRIu32 ": the event of hit %" PRIu64 " came without it", pool,
			number);
	seq = before_bet(hit->player, hit->move);
	for (uint32_t shard = 0; seq != NULL && shard < sim_world.shards; shard++)
		if (!left_out(new, COLUMN(table, "left_out"), shard))
			check_shard(pool, number, shard, seq[shard]);
}

void before_end(void)
{
	map_clear(&book.sent);
	map_clear(&book.known);
	memset(told, 0, sizeof(told));
}
