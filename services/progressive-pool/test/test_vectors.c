/* The worked vectors of the progressive (docs/progressive.md, V0 to V9) and a few rows of our own
 * as a text table: every step runs through tallies, pool and books, and every figure is compared
 * exactly.
 *
 *   launch CUR COIN SEED       a row; share = coin x row rate / 10
 *   rate CUR RATE [ROWRATE]    rate of bets from now on (a new tally), and of rows launched from
 * now on bet CUR AMOUNT             through the running totals of two wallet shards hit ID CUR COIN
 * a claim; `again ID CUR COIN` must be known already = WHAT [CUR COIN] VALUE    T, value, share (of
 * a row), shows, S, jp_pool, ..; of the last hit: pays, costs, carry, from_reserve, from_house
 */
#include "libcommon/base/currency.h"
#include "libcommon/jackpot/pool_tally.h"
#include "services/progressive-pool/core/pool.h"
#include "services/progressive-pool/test/decimal.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char BEWITCHED[] = "V0 launch EUR 0.01 20\n"
				"V0 launch EUR 0.02 40\n"
				"V0 launch EUR 0.05 100\n"
				"V0 launch EUR 0.1 200\n"
				"V0 launch EUR 0.2 400\n"
				"V0 launch EUR 0.5 1000\n"
				"V0 launch EUR 1 2000\n"
				"V0 = T 0\n"
				"V0 = S 0.188\n"
				"V0 = value EUR 0.01 20\n"
				"V0 = value EUR 0.2 400\n"
				"V0 = value EUR 1 2000\n"
				"V0 = jp_seed 3760\n"
				"V0 = house_seed 3760\n"
				"V1 bet EUR 100000\n"
				"V1 = T 500\n"
				"V1 = value EUR 0.01 20.50\n"
				"V1 = value EUR 0.2 410\n"
				"V1 = value EUR 1 2050\n"
				"V1 = jp_pool 94\n"
				"V1 = jp_reserve 406\n"
				"V2 hit A EUR 0.2\n"
				"V2 = pays 410\n"
				"V2 = costs 410\n"
				"V2 = carry 0\n"
				"V2 = jp_pool 84\n"
				"V2 = jp_reserve 6\n"
				"V2 = from_reserve 400\n"
				"V2 = from_house 0\n"
				"V2 = value EUR 0.01 20.50\n"
				"V2 = value EUR 1 2050\n"
				"V2 = value EUR 0.2 400\n"
				"V9 again A EUR 0.2\n"
				"V9 again A EUR 0.2\n"
				"V9 again A EUR 0.2\n"
				"V9 again A EUR 0.2\n"
				"V9 = pays 410\n"
				"V9 = paid 410\n"
				"V9 = jp_pool 84\n"
				"V9 = jp_reserve 6\n"
				"V3 bet EUR 300\n"
				"V3 hit B EUR 0.2\n"
				"V3 = pays 400.03\n"
				"V3 = from_reserve 7.218\n"
				"V3 = from_house 392.782\n"
				"V3 = jp_pool 84.252\n"
				"V3 = jp_reserve 0\n"
				"V4 = value EUR 0.01 20.5015\n"
				"V4 hit C EUR 0.01\n"
				"V4 = pays 20.50\n"
				"V4 = carry 0.0015\n"
				"V4 = from_reserve 0\n"
				"V4 = from_house 20\n"
				"V4 = jp_pool 83.752\n"
				"V4 = value EUR 0.01 20.0015\n"
				"V5 bet EUR 0.01\n"
				"V5 = T 501.50005\n"
				"V5 = jp_pool 83.7520094\n"
				"V5 = jp_reserve 0.0000406\n"
				"V7 bet EUR 30\n"
				"V7 = T 501.65005\n"
				"V7 hit D1 EUR 0.2\n"
				"V7 = pays 400.00\n"
				"V7 = carry 0.003001\n"
				"V7 = from_reserve 0.1218406\n"
				"V7 = from_house 399.8781594\n"
				"V7 hit D2 EUR 0.2\n"
				"V7 = pays 400.00\n"
				"V7 = carry 0.003001\n"
				"V7 = from_reserve 0\n"
				"V7 = from_house 400\n"
				"V7 = jp_pool 83.7802094\n"
				"V7 = paid 1630.53\n"
				"V7 = house_seed 4972.6601594\n"
				"V8 rate SEK 0.0875 0.09\n"
				"V8 launch SEK 0.2 400\n"
				"V8 = share SEK 0.2 0.0018\n"
				"V8 = S 0.1898\n"
				"V8 = value SEK 0.2 36\n"
				"V8 = jp_seed 3796\n"
				"V8 bet SEK 10000\n"
				"V8 = T 506.02505\n"
				"V8 = jp_pool 84.6105844\n"
				"V8 = jp_reserve 3.544625\n"
				"V8 = shows SEK 0.2 400.08\n"
				"V8 = value SEK 0.2 36.007875\n"
				"V8 hit E SEK 0.2\n"
				"V8 = pays 400.08\n"
				"V8 = costs 36.0072\n"
				"V8 = carry 0.000675\n"
				"V9 again A EUR 0.2\n"
				"V9 again E SEK 0.2\n";

static const char MONA_LISA[] = "V6 launch EUR 0.01 500\n"
				"V6 launch EUR 0.02 1000\n"
				"V6 launch EUR 0.05 2500\n"
				"V6 launch EUR 0.1 5000\n"
				"V6 launch EUR 0.2 10000\n"
				"V6 launch EUR 0.5 25000\n"
				"V6 launch EUR 1 50000\n"
				"V6 bet EUR 100000\n"
				"V6 = T 500\n"
				"V6 = value EUR 0.01 500.50\n"
				"V6 = value EUR 0.2 10010\n"
				"V6 = value EUR 1 50050\n"
				"V6 = jp_seed 94000\n"
				"two hit A EUR 0.2\n"
				"two = pays 10010\n"
				"two bet EUR 300\n"
				"two hit B EUR 0.2\n"
				"two = pays 10000.03\n"
				"two = value EUR 1 50050.15\n";

#define HITS_MAX 16
#define PPM 5000
#define BASE_COIN_MINOR 1000

struct bench {
	struct pool pool;
	struct pool_vector vector;
	struct pool_hit hits[HITS_MAX];
	char names[HITS_MAX][8];
	size_t hit_count;
	struct pool_hit last;
	int64_t row_rate[1024]; /* by currency number */
	uint64_t totals[2][8];	/* by wallet shard and tally */
	uint64_t seq;
};

static const struct pool_hit *find(void *context, const struct claim_id *id)
{
	struct bench *bench = context;
	for (size_t i = 0; i < bench->hit_count; i++)
		if (bench->hits[i].claim.id.move == id->move)
			return &bench->hits[i];
	return NULL;
}

static const struct currency *currency_of(const char *code)
{
	const struct currency *currency = currency_by_code(code);
	assert_non_null(currency);
	return currency;
}

static int64_t minor(const char *text, const struct currency *currency)
{
	return (int64_t)decimal(text, currency->exponent);
}

static void do_rate(struct bench *bench, const char *code, const char *rate, const char *row_rate)
{
	const struct currency *currency = currency_of(code);
	struct pool_tally *old = pool_vector_open_tally(&bench->vector, 5, currency->number);
	if (old != NULL)
		old->open = false;
	struct pool_tally tally = {
		.id = bench->vector.tally_count + 1,
		.game = 5,
		.currency = currency->number,
		.exponent = currency->exponent,
		.rate_nano = (int64_t)decimal(rate, 9),
		.ppm = PPM,
		.open = true,
	};
	assert_int_equal(pool_vector_add_tally(&bench->vector, &tally), POOL_VECTOR_OK);
	bench->row_rate[currency->number] = (int64_t)decimal(row_rate, 9);
}

static void do_launch(struct bench *bench, const char *code, const char *coin, const char *seed)
{
	const struct currency *currency = currency_of(code);
	struct pool_terms terms = {
		.seed_minor = minor(seed, currency),
		.row_rate_nano = bench->row_rate[currency->number],
	};
	assert_true(pool_row_share(minor(coin, currency), currency->exponent, terms.row_rate_nano,
		BASE_COIN_MINOR, &terms.share_nano));
	assert_int_equal(pool_launch(&bench->pool, currency->number, currency->exponent,
				 minor(coin, currency), &terms),
		POOL_OK);
}

static void do_bet(struct bench *bench, const char *code, const char *amount)
{
	const struct currency *currency = currency_of(code);
	struct pool_tally *tally = pool_vector_open_tally(&bench->vector, 5, currency->number);
	assert_non_null(tally);
	/* Split between two wallet shards: only the sum counts. */
	uint64_t stake = (uint64_t)minor(amount, currency);
	uint64_t parts[2] = { stake / 3, stake - stake / 3 };
	for (uint32_t shard = 0; shard < 2; shard++) {
		if (parts[shard] == 0)
			continue;
		uint64_t *total = &bench->totals[shard][tally->id];
		*total += parts[shard];
		bench->seq++;
		assert_int_equal(
			pool_vector_offer(&bench->vector, shard, tally->id, *total, bench->seq),
			POOL_VECTOR_OK);
		/* A repeated message and an older one change nothing. */
		assert_int_equal(
			pool_vector_offer(&bench->vector, shard, tally->id, *total, bench->seq),
			POOL_VECTOR_SEEN);
		assert_int_equal(pool_vector_offer(&bench->vector, shard, tally->id, *total / 2, 1),
			POOL_VECTOR_SEEN);
	}
	assert_int_equal(pool_contribute_to(&bench->pool, bench->vector.t_e18), POOL_OK);
}

static void do_hit(struct bench *bench, const char *name, const char *code, const char *coin,
	enum pool_status expected)
{
	const struct currency *currency = currency_of(code);
	struct pool_claim claim = { .currency = currency->number,
		.coin_minor = minor(coin, currency) };
	for (size_t i = 0; name[i] != '\0'; i++)
		claim.id.move = claim.id.move * 256 + (unsigned char)name[i];
	claim.id.player = 1;
	claim.id.index = 1;
	assert_int_equal(pool_hit(&bench->pool, &claim, find, bench, &bench->last), expected);
	if (expected == POOL_OK)
		bench->hits[bench->hit_count++] = bench->last;
}

static void expect_row(struct bench *bench, char **word)
{
	const struct currency *currency = currency_of(word[1]);
	struct pool_row *row =
		pool_row_find(&bench->pool, currency->number, minor(word[2], currency));
	assert_non_null(row);
	struct pool_price price;
	int64_t shown;
	assert_int_equal(pool_row_price(row, bench->pool.t_e18, &price), POOL_ROW_OK);
	assert_int_equal(pool_value(&bench->pool, row, &shown), POOL_OK);
	if (strcmp(word[0], "value") == 0)
		assert_true(price.value.e27 == decimal(word[3], 27));
	else if (strcmp(word[0], "shows") == 0)
		assert_int_equal(shown, minor(word[3], currency));
	else
		assert_true(row->terms.share_nano == decimal(word[3], 9));
}

static void expect_figure(struct bench *bench, char **word)
{
	const struct pool *pool = &bench->pool;
	const struct pool_hit *hit = &bench->last;
	const struct {
		const char *name;
		int128 found;
		unsigned scale;
	} figures[] = {
		{ "T", pool->t_e18, 18 },
		{ "S", pool_rows_share(pool->row, pool->row_count), 9 },
		{ "jp_pool", pool->books.jp_pool.e27, 27 },
		{ "jp_reserve", pool->books.jp_reserve.e27, 27 },
		{ "jp_seed", pool->books.jp_seed.e27, 27 },
		{ "house_seed", pool->books.house_seed.e27, 27 },
		{ "paid", pool->books.paid.e27, 27 },
		{ "pays", hit->price.paid_minor, 2 },
		{ "costs", hit->price.cost.e27, 27 },
		{ "carry", hit->price.carry.e27, 27 },
		{ "from_reserve", hit->reseed.from_reserve.e27, 27 },
		{ "from_house", hit->reseed.from_house.e27, 27 },
	};
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (strcmp(word[0], figures[i].name) != 0)
			continue;
		assert_true(figures[i].found == decimal(word[1], figures[i].scale));
		return;
	}
	fail_msg("no figure \"%s\"", word[0]);
}

static void step(struct bench *bench, char **word, size_t n)
{
	if (strcmp(word[1], "launch") == 0)
		do_launch(bench, word[2], word[3], word[4]);
	else if (strcmp(word[1], "rate") == 0)
		do_rate(bench, word[2], word[3], word[4]);
	else if (strcmp(word[1], "bet") == 0)
		do_bet(bench, word[2], word[3]);
	else if (strcmp(word[1], "hit") == 0)
		do_hit(bench, word[2], word[3], word[4], POOL_OK);
	else if (strcmp(word[1], "again") == 0)
		do_hit(bench, word[2], word[3], word[4], POOL_REPEATED);
	else if (strcmp(word[1], "=") == 0 && n == 6)
		expect_row(bench, word + 2);
	else
		expect_figure(bench, word + 2);
}

static void play(const char *table)
{
	static struct bench bench;
	memset(&bench, 0, sizeof(bench));
	pool_begin(&bench.pool, 1);
	do_rate(&bench, "EUR", "1", "1");
	char line[128];
	while (*table != '\0') {
		size_t length = strcspn(table, "\n");
		assert_true(length < sizeof(line));
		memcpy(line, table, length);
		line[length] = '\0';
		table += length + 1;
		print_message("  %s\n", line);
		char *word[8] = { 0 };
		size_t n = 0;
		for (char *at = strtok(line, " "); at != NULL && n < 8; at = strtok(NULL, " "))
			word[n++] = at;
		step(&bench, word, n);
		const char *broken;
		if (!pool_identities_hold(&bench.pool, &broken))
			fail_msg("identity \"%s\" is broken", broken);
	}
}

/* RULE bewitched 4.4, 4.6, 4.9: two winners in V3 and in V7 */
static void test_vectors_bewitched(void **state)
{
	(void)state;
	play(BEWITCHED);
}

/* RULE mona-lisa 4.7, 4.9, 4.12: two winners in the last rows */
static void test_vectors_mona_lisa(void **state)
{
	(void)state;
	play(MONA_LISA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors_bewitched),
		cmocka_unit_test(test_vectors_mona_lisa),
	};
	return cmocka_run_group_tests_name("vectors of the progressive", tests, NULL, NULL);
}
