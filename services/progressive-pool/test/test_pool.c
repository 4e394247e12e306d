/* The pool's refusals, one line per status, and properties under random play (printed seed). */
#include "libcommon/jackpot/pool_tally.h"
#include "services/progressive-pool/core/pool.h"
#include "services/progressive-pool/test/decimal.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define EUR 978
#define SEK 752

static const struct pool_hit *find_none(void *context, const struct claim_id *id)
{
	(void)context;
	(void)id;
	return NULL;
}

static struct pool_terms terms_of(int64_t coin_minor, int64_t seed_minor, int64_t rate)
{
	struct pool_terms terms = { .seed_minor = seed_minor, .row_rate_nano = rate };
	assert_true(pool_row_share(coin_minor, 2, rate, 1000, &terms.share_nano));
	return terms;
}

static enum pool_status launch(struct pool *pool, int64_t coin_minor, int64_t seed_minor)
{
	struct pool_terms terms = terms_of(coin_minor, seed_minor, POOL_NANO);
	return pool_launch(pool, EUR, 2, coin_minor, &terms);
}

static struct pool fresh(void)
{
	struct pool pool;
	pool_begin(&pool, 1);
	assert_int_equal(launch(&pool, 20, 40000), POOL_OK);
	assert_int_equal(launch(&pool, 100, 200000), POOL_OK);
	assert_int_equal(pool_contribute_to(&pool, decimal("500", 18)), POOL_OK);
	return pool;
}

static void assert_same(const struct pool *a, const struct pool *b)
{
	assert_true(a->state == b->state && a->t_e18 == b->t_e18 && a->hits == b->hits &&
		    a->row_count == b->row_count);
	assert_memory_equal(&a->books, &b->books, sizeof(a->books));
	for (uint32_t i = 0; i < a->row_count; i++) {
		assert_true(a->row[i].w_e18 == b->row[i].w_e18);
		assert_true(a->row[i].r.e27 == b->row[i].r.e27);
		assert_int_equal(a->row[i].next_waits, b->row[i].next_waits);
		assert_int_equal(a->row[i].terms.share_nano, b->row[i].terms.share_nano);
	}
}

enum op { OP_LAUNCH, OP_T, OP_HIT, OP_TERMS, OP_ADJUST, OP_REMOVE, OP_PAUSE, OP_RESUME };

static const struct refusal {
	const char *label;
	enum op op;
	enum pool_state state;
	int64_t coin, seed, rate, share;
	const char *amount;
	enum pool_status expected;
} REFUSALS[] = {
	{ "row twice", OP_LAUNCH, POOL_LIVE, 20, 1, POOL_NANO, 1, NULL, POOL_ROW_EXISTS },
	{ "coin zero", OP_LAUNCH, POOL_LIVE, 0, 1, POOL_NANO, 1, NULL, POOL_TERMS },
	{ "seed zero", OP_LAUNCH, POOL_LIVE, 5, 0, POOL_NANO, 1, NULL, POOL_TERMS },
	{ "seed huge", OP_LAUNCH, POOL_LIVE, 5, INT64_MAX, POOL_NANO, 1, NULL, POOL_TERMS },
	{ "rate zero", OP_LAUNCH, POOL_LIVE, 5, 1, 0, 1, NULL, POOL_TERMS },
	{ "rate huge", OP_LAUNCH, POOL_LIVE, 5, 1, INT64_MAX, 1, NULL, POOL_TERMS },
	{ "rate above", OP_LAUNCH, POOL_LIVE, 5, 1, POOL_RATE_NANO_MAX + 1, 1, NULL, POOL_TERMS },
	{ "share negative", OP_LAUNCH, POOL_LIVE, 5, 1, POOL_NANO, -1, NULL, POOL_TERMS },
	{ "share above 1", OP_LAUNCH, POOL_LIVE, 5, 1, POOL_NANO, POOL_NANO + 1, NULL, POOL_TERMS },
	{ "sum above 1", OP_LAUNCH, POOL_LIVE, 5, 1, POOL_NANO, 880000001, NULL, POOL_INSOLVENT },
	{ "launch retired", OP_LAUNCH, POOL_RETIRED, 5, 1, POOL_NANO, 1, NULL, POOL_WRONG_STATE },
	{ "T falls", OP_T, POOL_LIVE, 0, 0, 0, 0, "499.999999999999999999", POOL_BACKWARDS },
	{ "T overflows", OP_T, POOL_LIVE, 0, 0, 0, 0, "100000000000000000000", POOL_OVERFLOW },
	{ "hit without row", OP_HIT, POOL_LIVE, 7, 0, 0, 0, NULL, POOL_NO_ROW },
	{ "terms without row", OP_TERMS, POOL_LIVE, 7, 1, POOL_NANO, 1, NULL, POOL_NO_ROW },
	{ "terms bad", OP_TERMS, POOL_LIVE, 20, 0, POOL_NANO, 1, NULL, POOL_TERMS },
	{ "terms insolvent", OP_TERMS, POOL_LIVE, 20, 1, POOL_NANO, 900000001, NULL,
		POOL_INSOLVENT },
	{ "adjust without row", OP_ADJUST, POOL_LIVE, 7, 0, 0, 0, "1", POOL_NO_ROW },
	{ "adjust below seed", OP_ADJUST, POOL_LIVE, 20, 0, 0, 0, "-10.01", POOL_BELOW_SEED },
	{ "adjust overflow", OP_ADJUST, POOL_LIVE, 20, 0, 0, 0, "170141183460", POOL_OVERFLOW },
	{ "remove while live", OP_REMOVE, POOL_LIVE, 20, 0, 0, 0, NULL, POOL_WRONG_STATE },
	{ "remove while pausing", OP_REMOVE, POOL_PAUSING, 20, 0, 0, 0, NULL, POOL_WRONG_STATE },
	{ "remove without row", OP_REMOVE, POOL_PAUSED, 7, 0, 0, 0, NULL, POOL_NO_ROW },
	{ "pause retired", OP_PAUSE, POOL_RETIRED, 0, 0, 0, 0, NULL, POOL_WRONG_STATE },
	{ "resume retired", OP_RESUME, POOL_RETIRED, 0, 0, 0, 0, NULL, POOL_WRONG_STATE },
};

static enum pool_status refuse(struct pool *pool, const struct refusal *row)
{
	struct pool_terms terms = { row->seed, row->rate, row->share };
	struct pool_claim claim = { { 1, 1, 1 }, EUR, row->coin };
	struct pool_hit hit;
	switch (row->op) {
	case OP_LAUNCH:
		return pool_launch(pool, EUR, 2, row->coin, &terms);
	case OP_T:
		return pool_contribute_to(pool, decimal(row->amount, 18));
	case OP_HIT:
		return pool_hit(pool, &claim, find_none, NULL, &hit);
	case OP_TERMS:
		return pool_terms_change(pool, EUR, row->coin, &terms);
	case OP_ADJUST:
		return pool_adjust(
			pool, EUR, row->coin, (struct amount){ decimal(row->amount, 27) });
	case OP_REMOVE:
		return pool_row_remove(pool, EUR, row->coin);
	case OP_PAUSE:
		return pool_pause(pool);
	case OP_RESUME:
		return pool_resume(pool);
	}
	return POOL_OK;
}

static void test_pool_refuses_and_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(REFUSALS) / sizeof(REFUSALS[0]); i++) {
		struct pool pool = fresh();
		pool.state = REFUSALS[i].state;
		struct pool before = pool;
		enum pool_status found = refuse(&pool, &REFUSALS[i]);
		if (found != REFUSALS[i].expected)
			fail_msg("%s: found \"%s\", expected \"%s\"", REFUSALS[i].label,
				pool_status_text(found), pool_status_text(REFUSALS[i].expected));
		assert_same(&before, &pool);
	}
}

/* One stored figure of a row at a time. */
static void test_pool_rows_that_cannot_be_are_not_valid(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct pool pool = fresh();
		struct pool_row *row = &pool.row[1];
		char where[POOL_WHERE_MAX];
		assert_true(pool_rows_valid(&pool, where));
		row->coin_minor = i == 0 ? 0 : row->coin_minor;
		row->exponent = i == 1 ? UINT32_MAX : row->exponent;
		row->terms.seed_minor = i == 2 ? 0 : row->terms.seed_minor;
		row->terms.row_rate_nano = i == 3 ? -1 : row->terms.row_rate_nano;
		row->w_e18 = i == 4 ? pool.t_e18 + 1 : row->w_e18;
		row->r.e27 = i == 5 ? -decimal("100", 27) : row->r.e27;
		row->next_waits = i == 6 || i == 7;
		row->next = (struct pool_terms){ 1, POOL_NANO, i == 6 ? -1 : POOL_NANO };
		assert_false(pool_rows_valid(&pool, where));
		assert_string_equal(where, i == 7   ? "shares above 1"
					   : i == 0 ? "row 978:0"
						    : "row 978:100");
	}
}

static void test_pool_terms_at_their_bounds(void **state)
{
	static const struct {
		int64_t seed, rate, share;
		uint32_t exponent;
		bool valid;
	} rows[] = {
		{ 1, 1, 0, 2, true }, { 1, POOL_RATE_NANO_MAX, POOL_NANO, 8, true },
		{ 1, CURRENCY_RATE_NANO_MAX, 0, 0, true },
		{ POOL_SEED_MINOR_MAX, POOL_NANO, POOL_NANO, 2, true },
		{ 1, POOL_NANO, 1, POOL_EXPONENT_MAX, true }, { 0, POOL_NANO, 1, 2, false },
		{ POOL_SEED_MINOR_MAX + 1, POOL_NANO, 1, 2, false }, { 1, 0, 1, 2, false },
		{ 1, POOL_RATE_NANO_MAX + 1, 1, 8, false }, { 1, POOL_NANO, -1, 2, false },
		{ 1, POOL_NANO, POOL_NANO + 1, 2, false },
		{ 1, POOL_NANO, 1, POOL_EXPONENT_MAX + 1, false },
		{ POOL_SEED_MINOR_MAX, POOL_RATE_NANO_MAX, 1, 0, false }, /* a seed of 10^18 EUR */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct pool_terms terms = { rows[i].seed, rows[i].rate, rows[i].share };

		if (pool_terms_valid(&terms, rows[i].exponent) != rows[i].valid)
			fail_msg("row %zu: expected %d", i, rows[i].valid);
	}
}

static void test_pool_solvency_of_coin_sets(void **state)
{
	(void)state;
	/* {.01 .02 .05 .1 .2 .5 1} gives 0.188; 2 and 5 make it 0.888; 10 is refused. */
	static const int64_t coins[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500 };
	struct pool pool;
	pool_begin(&pool, 1);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(launch(&pool, coins[i], 100), POOL_OK);
		if (i == 6)
			assert_int_equal(pool_rows_share(pool.row, pool.row_count), 188000000);
	}
	assert_int_equal(pool_rows_share(pool.row, pool.row_count), 888000000);
	assert_int_equal(launch(&pool, 1000, 100), POOL_INSOLVENT);
}

static void test_pool_terms_take_effect_after_the_next_hit(void **state)
{
	(void)state;
	struct pool pool = fresh();
	struct pool_terms terms = terms_of(20, 50000, POOL_NANO);
	assert_int_equal(pool_terms_change(&pool, EUR, 20, &terms), POOL_OK);
	int64_t value;
	struct pool_row *row = pool_row_find(&pool, EUR, 20);
	assert_int_equal(pool_value(&pool, row, &value), POOL_OK);
	assert_int_equal(value, 41000);
	struct pool_hit hit;
	struct pool_claim claim = { { 1, 1, 1 }, EUR, 20 };
	assert_int_equal(pool_hit(&pool, &claim, find_none, NULL, &hit), POOL_OK);
	assert_int_equal(hit.price.paid_minor, 41000);
	assert_int_equal(pool_value(&pool, row, &value), POOL_OK);
	assert_int_equal(value, 50000);
	assert_false(row->next_waits);
	const char *where;
	assert_true(pool_identities_hold(&pool, &where));
	/* The terms in force: no terms are pending, and they take back what is. */
	assert_int_equal(pool_terms_change(&pool, EUR, 20, &terms), POOL_OK);
	assert_false(row->next_waits);
	struct pool_terms other = terms_of(20, 60000, POOL_NANO);
	assert_int_equal(pool_terms_change(&pool, EUR, 20, &other), POOL_OK);
	assert_true(row->next_waits);
	assert_int_equal(pool_terms_change(&pool, EUR, 20, &terms), POOL_OK);
	assert_false(row->next_waits);
}

static void test_pool_paused_may_be_adjusted(void **state)
{
	(void)state;
	struct pool pool = fresh();
	struct amount cent;
	const char *where;
	int64_t before, after;
	assert_int_equal(pool_pause(&pool), POOL_OK);
	assert_true(pool_claims_closed(&pool));
	assert_int_equal(pool.state, POOL_PAUSED);
	struct pool_row *row = pool_row_find(&pool, EUR, 20);
	assert_int_equal(pool_value(&pool, row, &before), POOL_OK);
	assert_true(pool_unit(POOL_NANO, 2, &cent));
	assert_int_equal(pool_adjust(&pool, EUR, 20, cent), POOL_OK);
	assert_int_equal(pool_value(&pool, row, &after), POOL_OK);
	assert_int_equal(after, before + 1);
	assert_int_equal(pool.state, POOL_PAUSED);
	assert_true(pool_identities_hold(&pool, &where));
}

static void test_pool_states(void **state)
{
	(void)state;
	struct pool pool = fresh();
	assert_false(pool_claims_closed(&pool));
	assert_int_equal(pool_pause(&pool), POOL_OK);
	assert_int_equal(pool.state, POOL_PAUSING);
	/* A round booked before the pause still contributes and is paid. */
	assert_int_equal(pool_contribute_to(&pool, decimal("501", 18)), POOL_OK);
	struct pool_hit hit;
	struct pool_claim claim = { { 1, 1, 1 }, EUR, 20 };
	assert_int_equal(pool_hit(&pool, &claim, find_none, NULL, &hit), POOL_OK);
	assert_true(pool_claims_closed(&pool));
	assert_int_equal(pool.state, POOL_PAUSED);
	assert_int_equal(pool_pause(&pool), POOL_OK);
	assert_int_equal(pool.state, POOL_PAUSED);
	/* A removed row's value goes to the reserve. */
	struct amount reserve = pool.books.jp_reserve;
	assert_int_equal(pool_row_remove(&pool, EUR, 100), POOL_OK);
	assert_true(pool.books.jp_reserve.e27 - reserve.e27 == decimal("2050.1", 27));
	const char *where;
	assert_true(pool_identities_hold(&pool, &where));
	assert_int_equal(pool_resume(&pool), POOL_OK);
	assert_int_equal(pool.state, POOL_LIVE);
	for (int i = 0; i <= POOL_RETIRED; i++) {
		enum pool_state back;
		assert_true(pool_state_parse(pool_state_text((enum pool_state)i), &back));
		assert_int_equal(back, i);
	}
	enum pool_state none;
	assert_false(pool_state_parse("open", &none));
}

/* ---- properties ---- */

#define HITS_MAX 4096

struct world {
	uint64_t random;
	struct pool pool;
	struct pool_vector vector;
	struct pool_hit hits[HITS_MAX];
	uint32_t hit_count;
	uint64_t totals[4][4];
	int128 paid_by_currency[2]; /* EUR, SEK: minor units */
};

static uint64_t draw(struct world *world, uint64_t below)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return world->random % below;
}

static const struct pool_hit *find_in_world(void *context, const struct claim_id *id)
{
	struct world *world = context;
	for (uint32_t i = 0; i < world->hit_count; i++) {
		const struct claim_id *known = &world->hits[i].claim.id;
		if (known->player == id->player && known->move == id->move &&
			known->index == id->index)
			return &world->hits[i];
	}
	return NULL;
}

static void world_begin(struct world *world, uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	world->random = seed * 2 + 1;
	pool_begin(&world->pool, 1);
	static const int64_t coins[] = { 1, 2, 5, 10, 20, 50, 100 };
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(launch(&world->pool, coins[i], coins[i] * 2000), POOL_OK);
	const struct pool_tally tallies[] = {
		{ 1, 5, EUR, 2, 1000000000, 5000, true }, { 2, 5, SEK, 2, 87500000, 5000, true },
		{ 3, 5, 1001, 8, INT64_C(60123456789012), 5000,
			true }, /* more than three decimals */
	};
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			pool_vector_add_tally(&world->vector, &tallies[i]), POOL_VECTOR_OK);
}

static void random_bet(struct world *world)
{
	uint32_t shard = (uint32_t)draw(world, 4);
	uint32_t tally = 1 + (uint32_t)draw(world, 3);
	uint64_t *total = &world->totals[shard][tally];
	*total += draw(world, 100000);
	/* A third of the messages is lost; later ones carry the totals again. Some come late. */
	if (draw(world, 3) == 0)
		return;
	uint64_t told = draw(world, 4) == 0 ? *total / 2 : *total;
	enum pool_vector_status status =
		pool_vector_offer(&world->vector, shard, tally, told, world->hit_count);
	assert_true(status == POOL_VECTOR_OK || status == POOL_VECTOR_SEEN);
	assert_int_equal(pool_contribute_to(&world->pool, world->vector.t_e18), POOL_OK);
}

static void random_hit(struct world *world)
{
	const struct pool_row *row = &world->pool.row[draw(world, world->pool.row_count)];
	struct pool_claim claim = { { 1 + (player_id)draw(world, 5), 1 + draw(world, 40),
					    1 + (uint32_t)draw(world, 2) },
		row->currency, row->coin_minor };
	const struct pool_hit *known = find_in_world(world, &claim.id);
	struct pool before = world->pool;
	struct pool_hit hit;
	enum pool_status status = pool_hit(&world->pool, &claim, find_in_world, world, &hit);
	if (known != NULL) {
		assert_true(status == POOL_REPEATED || status == POOL_CLAIM_DIFFERS);
		assert_same(&before, &world->pool);
		if (status == POOL_REPEATED)
			assert_int_equal(hit.price.paid_minor, known->price.paid_minor);
		return;
	}
	assert_int_equal(status, POOL_OK);
	assert_int_equal(hit.number, world->hit_count + 1);
	assert_true(hit.price.value.e27 == hit.price.cost.e27 + hit.price.carry.e27);
	world->hits[world->hit_count++] = hit;
	world->paid_by_currency[claim.currency == SEK] += hit.price.paid_minor;
	/* A hit changes only its own row. */
	for (uint32_t i = 0; i < before.row_count; i++)
		if (&world->pool.row[i] != row)
			assert_true(before.row[i].w_e18 == world->pool.row[i].w_e18);
}

static void random_operator(struct world *world)
{
	const struct pool_row *row = &world->pool.row[draw(world, world->pool.row_count)];
	struct pool_terms terms = terms_of(row->coin_minor, 1 + (int64_t)draw(world, 100000),
		row->currency == SEK ? 80000000 + (int64_t)draw(world, 20000000) : POOL_NANO);
	struct amount delta = { (int128)draw(world, 1000000) * 1000000000000 - 500000000000000000 };
	switch (draw(world, 4)) {
	case 0:
		assert_int_equal(
			pool_terms_change(&world->pool, row->currency, row->coin_minor, &terms),
			POOL_OK);
		break;
	case 1:
		/* Refused if the row would fall below its seed; the identities check the rest. */
		(void)!pool_adjust(&world->pool, row->currency, row->coin_minor, delta);
		break;
	case 2:
		terms = terms_of(20, 40000, 90000000);
		(void)!pool_launch(&world->pool, SEK, 2, 20, &terms);
		break;
	default:
		(void)!pool_pause(&world->pool);
		(void)pool_claims_closed(&world->pool);
		if (world->pool.row_count > 3 && draw(world, 4) == 0)
			(void)!pool_row_remove(&world->pool, EUR, 50);
		(void)!pool_resume(&world->pool);
		break;
	}
}

static void check(struct world *world, uint64_t seed, int step, int128 *t_before)
{
	const char *where;
	if (!pool_identities_hold(&world->pool, &where))
		fail_msg("seed %llu, step %d: identity \"%s\" is broken", (unsigned long long)seed,
			step, where);
	assert_true(world->pool.t_e18 >= *t_before);
	*t_before = world->pool.t_e18;
	/* T computed anew: the sum over all messages. */
	int128 t = 0;
	for (uint32_t i = 0; i < world->vector.entry_count; i++) {
		const struct pool_vector_entry *entry = &world->vector.entry[i];
		int128 part;
		assert_true(pool_tally_contribution(pool_vector_tally(&world->vector, entry->tally),
			entry->total_minor, &part));
		t += part;
	}
	assert_true(t == world->pool.t_e18);
}

static void test_pool_properties_under_random_play(void **state)
{
	(void)state;
	static struct world world;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		int128 t_before = 0;
		world_begin(&world, seed);
		for (int i = 0; i < 1500; i++) {
			uint64_t what = draw(&world, 20);
			if (what < 13)
				random_bet(&world);
			else if (what < 19)
				random_hit(&world);
			else
				random_operator(&world);
			check(&world, seed, i, &t_before);
		}
		assert_true(world.hit_count > 20);
	}
}

/* After the last message T is the same, whatever was lost, late or repeated before. */
static void test_pool_vector_ends_the_same(void **state)
{
	(void)state;
	static struct world world;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		world_begin(&world, seed);
		for (int i = 0; i < 500; i++)
			random_bet(&world);
		int128 expected = 0;
		for (uint32_t shard = 0; shard < 4; shard++) {
			for (uint32_t tally = 1; tally <= 3; tally++) {
				uint64_t total = world.totals[shard][tally];
				int128 part;
				(void)!pool_vector_offer(&world.vector, shard, tally, total, 1);
				assert_true(pool_tally_contribution(
					pool_vector_tally(&world.vector, tally), total, &part));
				expected += part;
			}
		}
		assert_true(world.vector.t_e18 == expected);
	}
}

static void test_vector_refusals(void **state)
{
	(void)state;
	static struct pool_vector vector;
	memset(&vector, 0, sizeof(vector));
	static const struct {
		struct pool_tally tally;
		enum pool_vector_status expected;
	} rows[] = {
		{ { 1, 5, EUR, 2, 1000000000, 5000, true }, POOL_VECTOR_OK },
		{ { 1, 5, EUR, 2, 1000000000, 5000, true }, POOL_VECTOR_TALLY },
		{ { 2, 5, EUR, 2, 0, 5000, true }, POOL_VECTOR_TALLY },
		{ { 2, 5, EUR, 2, 1, 0, true }, POOL_VECTOR_TALLY },
		{ { 2, 5, EUR, 2, 1, 1000001, true }, POOL_VECTOR_TALLY },
		{ { 2, 5, EUR, 19, 1, 1, true }, POOL_VECTOR_TALLY },
		{ { 2, 5, EUR, 0, INT64_MAX, 1000000, true }, POOL_VECTOR_OK },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(pool_vector_add_tally(&vector, &rows[i].tally), rows[i].expected);
	assert_int_equal(pool_vector_offer(&vector, 0, 3, 1, 1), POOL_VECTOR_UNKNOWN);
	assert_int_equal(pool_vector_offer(&vector, 0, 1, 0, 1), POOL_VECTOR_SEEN);
	assert_int_equal(pool_vector_offer(&vector, 0, 2, UINT64_MAX, 1), POOL_VECTOR_OVERFLOW);
	assert_int_equal(vector.entry_count, 0);
	assert_true(vector.t_e18 == 0);
	for (uint32_t i = 0; i < POOL_VECTOR_MAX; i++)
		assert_int_equal(pool_vector_offer(&vector, i, 1, 1, 1), POOL_VECTOR_OK);
	assert_int_equal(pool_vector_offer(&vector, POOL_VECTOR_MAX, 1, 1, 1), POOL_VECTOR_FULL);
	assert_true(vector.t_e18 == POOL_VECTOR_MAX * decimal("0.00005", 18));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_refuses_and_changes_nothing),
		cmocka_unit_test(test_pool_rows_that_cannot_be_are_not_valid),
		cmocka_unit_test(test_pool_terms_at_their_bounds),
		cmocka_unit_test(test_pool_solvency_of_coin_sets),
		cmocka_unit_test(test_pool_terms_take_effect_after_the_next_hit),
		cmocka_unit_test(test_pool_paused_may_be_adjusted),
		cmocka_unit_test(test_pool_states),
		cmocka_unit_test(test_pool_properties_under_random_play),
		cmocka_unit_test(test_pool_vector_ends_the_same),
		cmocka_unit_test(test_vector_refusals),
	};
	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
