/*~ pool-bench STEP...: what progressive-pool does in a second, durably. Its settings are the
 * service's own, from the environment. Each step prints one line of JSON:
 *
 *     core:S               the pure core and a plain loop, S seconds in all; needs no database
 *     create:N             N pools of seven rows beside those of the definitions, made as an
 * operator makes them feed:POOLS:BATCH:S   stakes told to POOLS pools in turn, BATCH messages a
 * turn of the loop, for S seconds, and the commit that makes the last of them durable
 * hits:POOLS:BATCH:S   the same, each message with a claim: each turn is a commit
 *
 * The loop is closed: the next batch is offered when the commit before it has returned, as the
 * service does under load. Making the messages is part of the time, and told (make_us).
 * tests/bench/pool.py runs this. */
#include "tests/bench/pool-bench/bench.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "services/progressive-pool/adapters/pool_service.h"
#include "tests/bench/bench-loop/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define COMMITS_MAX 1000000
#define NUMBERS_MAX 3

static const struct setting SETTINGS[] = { { .name = NULL } };

static const struct service_ops pool_ops = {
	.name = "progressive-pool",
	.prefix = "PROGRESSIVE_POOL_",
	.settings = SETTINGS,
	.topics = { { .topic = TOPIC_JACKPOT_FEED, .pace = KAFKA_FAST },
		{ .topic = TOPIC_JACKPOT_COMMANDS, .pace = KAFKA_FAST } },
	.topics_n = 2,
	.start = pool_service_start,
	.open = pool_service_open,
	.close = pool_service_close,
	.message = pool_service_message,
	.tick = pool_service_tick,
	.write = pool_service_write,
	.committed = pool_service_committed,
};

static uint32_t commits_us[COMMITS_MAX];
static struct bench_pools pools;

static _Noreturn void refuse(const char *found, const char *expected)
{
	fprintf(stderr, "pool-bench: step: found '%s', expected %s\n", found, expected);
	exit(EXIT_USAGE);
}

static int up(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

/* ---- pools ---- */

/* Open tallies of game 1 in EUR, one a pool, with what their pools have recorded. */
static void pools_read(struct service *service)
{
	PGresult *rows = pg_query(service_pg(service),
		"select t.pool, t.id, v.shard, coalesce(v.total, 0), (select coalesce(max(seq), 0) "
		"from pool.vector), (select coalesce(max(move), 0) from pool.hit) from pool.tally t "
		"left join pool.vector v on v.tally = t.id where t.closed is null and t.game = 1 and "
		"t.currency = 978 and t.ppm < 1000000 order by t.pool",
		0, NULL);
	pools.n = pools.next = 0;
	for (int i = 0; i < PQntuples(rows); i++) {
		uint32_t pool = pg_u32(rows, i, 0);
		if (pools.n == 0 || pools.pool[pools.n - 1].pool != pool) {
			if (pools.n == BENCH_POOLS_MAX)
				fatal("more than %d pools", BENCH_POOLS_MAX);
			pools.pool[pools.n++] =
				(struct bench_pool){ .pool = pool, .tally = pg_u32(rows, i, 1) };
		}
		if (!PQgetisnull(rows, i, 2))
			pools.pool[pools.n - 1].total[pg_u32(rows, i, 2)] = pg_u64(rows, i, 3);
		pools.seq = pg_u64(rows, i, 4);
		pools.move = pg_u64(rows, i, 5);
	}
	PQclear(rows);
}

/* A game feeds a few pools at most, so that so many are laid by hand, like pool 1 at its start:
 * with the seven EUR rows of Bewitched. The next process finds them. */
static const char *const lay_sql[] = {
	"insert into pool.pool (pool, id, shard, state, t_e18, contributions_e27, jp_pool_e27, "
	"jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27, hits, version, fact_seq) select "
	"$1::integer, 'bench-' || $1, $2::integer, 'live', 0, 0, 0, 0, s.seed, s.seed, 0, 0, 0, 0 from "
	"(select sum(seed_minor * unit_e27) as seed from pool.row where pool = 1 and currency = 978) s",
	"insert into pool.row (pool, currency, coin_minor, exponent, seed_minor, row_rate_nano, "
	"share_nano, unit_e27, w_e18, r_e27, hits, defined_seed_minor, defined_row_rate_nano, "
	"defined_share_nano) select $1::integer, currency, coin_minor, exponent, seed_minor, "
	"row_rate_nano, share_nano, unit_e27, 0, 0, 0, seed_minor, row_rate_nano, share_nano from "
	"pool.row where pool = 1 and currency = 978 and $2::integer >= 0",
	"insert into pool.event (pool, event, kind, t_e18, state, hits, jp_pool_e27, jp_reserve_e27, "
	"jp_seed_e27, house_seed_e27, paid_e27, rows) select p.pool, 1, 'begin', 0, p.state, 0, 0, 0, "
	"p.jp_seed_e27, p.house_seed_e27, 0, (select jsonb_agg(jsonb_build_object('currency', "
	"currency, 'coin_minor', coin_minor, 'exponent', exponent, 'seed_minor', seed_minor, "
	"'row_rate_nano', row_rate_nano, 'share_nano', share_nano, 'w_e18', '0', 'r_e27', '0', 'hits', "
	"0, 'next', null)) from pool.row r where r.pool = p.pool) from pool.pool p where p.pool = "
	"$1::integer and $2::integer >= 0",
	("insert into pool.tally (id, pool, game, currency, rate_nano, ppm) select "
	 "nextval('pool.tally_id'), $1::integer, 1, 978, 1000000000, 5000 where $2::integer >= 0"),
};

static void step_create(struct service *service, uint64_t n)
{
	uint64_t began_us = clock_mono_us();
	pg_exec(service_pg(service), "begin");
	for (uint32_t i = 0; i < n; i++) {
		for (size_t k = 0; k < sizeof(lay_sql) / sizeof(lay_sql[0]); k++) {
			struct pg_args args = { 0 };
			pg_args_int(&args, BENCH_MADE_FROM + i);
			pg_args_int(&args, shard_of_pool(BENCH_MADE_FROM + i, pools.shards));
			pg_args_run(&args, service_pg(service), lay_sql[k]);
		}
	}
	pg_exec(service_pg(service), "commit");
	printf("{\"step\":\"create\",\"pools\":%" PRIu64 ",\"seconds\":%.3f}\n", n,
		(double)(clock_mono_us() - began_us) / 1e6);
}

static void step_play(struct service *service, const char *name, const uint64_t numbers[3])
{
	bool claims = name[0] == 'h';
	size_t all;
	size_t commits = 0;
	uint64_t count = 0, make_us = 0, commit_us;
	pools_read(service);
	all = pools.n;
	if (numbers[0] == 0 || numbers[0] > all || numbers[1] == 0 || numbers[1] > BENCH_BATCH_MAX)
		refuse(name, "POOLS that there are, BATCH of 1 to 4096");
	pools.n = numbers[0];
	double cpu = bench_cpu_us();
	uint64_t began_us = clock_mono_us();
	while (clock_mono_us() < began_us + numbers[2] * 1000000) {
		uint64_t made_us = clock_mono_us();
		const struct kafka_message *messages = bench_feed(&pools, numbers[1], claims);
		make_us += clock_mono_us() - made_us;
		commit_us = bench_loop_turn(service, messages, numbers[1]);
		if (commit_us > 0 && commits < COMMITS_MAX)
			commits_us[commits++] = (uint32_t)commit_us;
		count += numbers[1];
	}
	service_commit_soon(service);
	commit_us = bench_loop_turn(service, NULL, 0);
	commits_us[commits++ % COMMITS_MAX] = (uint32_t)commit_us;
	double seconds = (double)(clock_mono_us() - began_us) / 1e6;
	qsort(commits_us, commits, sizeof(*commits_us), up);
	printf("{\"step\":\"%s\",\"pools\":%zu,\"batch\":%" PRIu64 ",\"count\":%" PRIu64
	       ",\"seconds\":%.3f,\"per_s\":%.1f,\"cpu_us\":%.3f,\"make_us\":%.3f,\"commits\":%zu,"
	       "\"commit_p50_ms\":%.3f,\"commit_p99_ms\":%.3f,\"rss\":%" PRIu64 "}\n",
		name, pools.n, numbers[1], count, seconds, (double)count / seconds,
		(bench_cpu_us() - cpu) / (double)count, (double)make_us / (double)count, commits,
		commits_us[commits / 2] / 1e3, commits_us[commits * 99 / 100] / 1e3,
		bench_rss_bytes());
	pools.n = all;
}

/* ---- what is asked for ---- */

/* "name:1:2:3" */
static size_t numbers_of(const char *step, char name[16], uint64_t numbers[NUMBERS_MAX])
{
	size_t n = 0;
	const char *at = strchr(step, ':');
	(void)snprintf(
		name, 16, "%.*s", at == NULL ? 15 : (int)(at - step < 15 ? at - step : 15), step);
	while (at != NULL && *at == ':' && n < NUMBERS_MAX) {
		char *end;
		numbers[n++] = strtoull(at + 1, &end, 10);
		at = end;
	}
	return at != NULL && *at != '\0' ? 0 : n;
}

int main(int argc, char **argv)
{
	struct service *service = NULL;
	const char *shards = getenv("CARILLON_SHARDS");
	pools.shards = shards == NULL ? 4 : (uint32_t)strtoul(shards, NULL, 10);
	for (int i = 1; i < argc; i++) {
		char name[16];
		uint64_t numbers[NUMBERS_MAX] = { 0 };
		size_t n = numbers_of(argv[i], name, numbers);
		if (strcmp(name, "core") == 0 && n == 1 && numbers[0] > 0) {
			bench_core(numbers[0]);
			(void)fflush(stdout);
			continue;
		}
		if (service == NULL)
			service = bench_loop_start(&pool_ops, LOG_ERROR, 0);
		if (strcmp(name, "create") == 0 && n == 1 && numbers[0] > 0 &&
			numbers[0] < BENCH_POOLS_MAX)
			step_create(service, numbers[0]);
		else if ((strcmp(name, "feed") == 0 || strcmp(name, "hits") == 0) && n == 3)
			step_play(service, name, numbers);
		else
			refuse(argv[i],
				"core:S, create:N, feed:POOLS:BATCH:S or hits:POOLS:BATCH:S");
		(void)fflush(stdout);
	}
	if (service != NULL)
		bench_loop_end(service);
	return 0;
}
