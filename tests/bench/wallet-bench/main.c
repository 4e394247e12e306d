/*~ wallet-bench --players=N [--held=SHARDS] STEP...: how many rounds a second the wallet books
 * durably. Its settings are the wallet's own, from the environment. Each step prints one line of
 * JSON:
 *
 *     open                     accounts of all players, and a deposit for each
 *     load                     all accounts into memory as for a batch of cold players; what one
 * takes there play:ACTIVE:BATCH:S      bets of the first ACTIVE players in turn, BATCH of them on
 * their way at a time, for S seconds rounds:ACTIVE:BATCH:N    the same, N of them one one bet: done
 * as soon as it is committed wait                     for a line on standard input
 *
 * play is a closed loop: each batch is offered when the commit before it has returned, as the
 * service loop does under load. Making the commands is part of the time, and told (make_us).
 * tests/bench/wallet.py runs this beside pgbench. */
#include "tests/bench/wallet-bench/bench.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/wallet/adapters/app.h"
#include "services/wallet/adapters/wallet_ops.h"
#include "tests/bench/bench-loop/loop.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LATENCIES_MAX 4000000
#define SETUP_BATCH 4000
#define WAIT_MS 5
#define EXIT_USAGE 2

static const struct service_ops wallet_ops = {
	.name = "wallet",
	.prefix = "WALLET_",
	.settings = wallet_settings,
	.topics = { { .topic = TOPIC_WALLET_COMMANDS, .pace = KAFKA_FAST } },
	.topics_n = 1,
	.start = wallet_start,
	.open = wallet_open_state,
	.close = wallet_close,
	.batch = wallet_handle_batch,
	.message = wallet_handle_message,
	.tick = wallet_tick,
	.write = wallet_write_all,
	.fits_line = wallet_fits_line,
	.write_in_line = wallet_write_all_in_line,
	.committed = wallet_committed,
};

static uint32_t commits_us[LATENCIES_MAX], turns_us[LATENCIES_MAX];

static _Noreturn void refuse(const char *what, const char *found, const char *expected)
{
	fprintf(stderr, "wallet-bench: %s: found '%s', expected %s\n", what, found, expected);
	exit(EXIT_USAGE);
}

static size_t number_of(const char *what, const char *text, size_t max)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (end == text || (*end != '\0' && *end != ':') || value == 0 || value > max)
		refuse(what, text, "a whole number above 0 that is not too large");
	return (size_t)value;
}

static int up(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

/* In ms. Sorts. */
static void percentiles_print(const char *name, uint32_t *us, size_t n)
{
	qsort(us, n, sizeof(*us), up);
	printf(",\"%s_p50_ms\":%.3f,\"%s_p99_ms\":%.3f,\"%s_max_ms\":%.3f", name,
		n == 0 ? 0.0 : us[n / 2] / 1e3, name, n == 0 ? 0.0 : us[n * 99 / 100] / 1e3, name,
		n == 0 ? 0.0 : us[n - 1] / 1e3);
}

/* ---- steps ---- */

static void find_own_players(struct bench_players *players, struct service *service)
{
	players->ours_n = players->next = 0;
	for (size_t i = 0; i < players->n; i++)
		if (service_shard(service, shard_of_player(bench_player_id(i), players->shards)) !=
			NULL)
			players->ours[players->ours_n++] = (uint32_t)i;
}

/* Accounts are opened in the order of their numbers and play in no order: as in life, those that
 * play one after the other lie on different pages. */
static void ours_shuffle(struct bench_players *players)
{
	uint64_t state = 1;

	for (size_t i = players->ours_n; i > 1; i--) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		size_t j = (size_t)((state >> 33) % i);
		uint32_t one = players->ours[i - 1];
		players->ours[i - 1] = players->ours[j];
		players->ours[j] = one;
	}
}

static void step_open(struct bench_players *players, struct service *service)
{
	uint64_t began_us = clock_mono_us();

	for (int what = BENCH_OPEN; what <= BENCH_DEPOSIT; what++)
		for (size_t done = 0; done < players->ours_n;) {
			size_t n = players->ours_n - done < SETUP_BATCH ? players->ours_n - done
									: SETUP_BATCH;
			(void)bench_loop_turn(
				service, bench_commands(players, (enum bench_command)what, n), n);
			done += n;
		}
	printf("{\"step\":\"open\",\"players\":%zu,\"seconds\":%.3f}\n", players->ours_n,
		(double)(clock_mono_us() - began_us) / 1e6);
}

static void player_learn(struct bench_player *player, player_id id)
{
	const struct account_entry *entry = accounts_find(&wallet_app()->accounts, id);

	if (entry == NULL || !entry->account.exists)
		return;
	player->move = (uint32_t)entry->account.last_move;
	player->pending = (uint32_t)wallet_account_pending(&entry->account, 1).amount.minor;
}

/* The first n of ours; also the accounts of a batch of cold players. */
static void players_load(struct bench_players *players, struct service *service, size_t n)
{
	static player_id ids[SETUP_BATCH];
	static uint32_t shards[SETUP_BATCH];

	for (size_t at = 0; at < n;) {
		size_t some = n - at < SETUP_BATCH ? n - at : SETUP_BATCH;
		for (size_t i = 0; i < some; i++) {
			ids[i] = bench_player_id(players->ours[at + i]);
			shards[i] = shard_of_player(ids[i], players->shards);
		}
		wallet_app()->accounts.turn++;
		wallet_load_players(wallet_app(), service_pg(service), ids, shards, some);
		for (size_t i = 0; i < some; i++)
			player_learn(&players->player[players->ours[at + i]], ids[i]);
		(void)bench_loop_turn(service, NULL, 0); /* the lease */
		at += some;
	}
}

static void step_load(struct bench_players *players, struct service *service)
{
	uint64_t before = bench_rss_bytes();
	uint64_t began_us = clock_mono_us();
	double cpu = bench_cpu_us();

	players_load(players, service, players->ours_n);
	printf("{\"step\":\"load\",\"players\":%zu,\"in_memory\":%zu,\"seconds\":%.3f,"
	       "\"cpu_us_player\":%.3f,\"rss_before\":%" PRIu64 ",\"rss_after\":%" PRIu64 "}\n",
		players->ours_n, wallet_app()->accounts.entries_n,
		(double)(clock_mono_us() - began_us) / 1e6,
		(bench_cpu_us() - cpu) / (double)players->ours_n, before, bench_rss_bytes());
}

static void step_one(struct bench_players *players, struct service *service)
{
	players_load(players, service, 1);
	players->next = 0;
	(void)bench_loop_turn(service, bench_commands(players, BENCH_BET, 1), 1);
	printf("{\"step\":\"one\"}\n");
}

/* The lease is kept meanwhile. */
static void step_wait(struct service *service)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	while (poll(&input, 1, WAIT_MS) == 0)
		(void)bench_loop_turn(service, NULL, 0);
	while (getchar() != '\n' && !feof(stdin))
		continue;
}

struct play {
	size_t active, batch;
	uint64_t rounds, until_us; /* whichever comes first */
};

static void step_play(
	struct bench_players *players, struct service *service, const struct play *play)
{
	struct bench_sent sent = bench_loop_sent();
	size_t all = players->ours_n;
	size_t n = 0;
	uint64_t rounds = 0;
	uint64_t make_us = 0;
	uint64_t began_us = clock_mono_us();
	double cpu = bench_cpu_us();

	players->ours_n = play->active < all ? play->active : all;
	players->records_n = players->records_bytes = 0;
	players->next %= players->ours_n;
	while (rounds < play->rounds && clock_mono_us() < play->until_us) {
		uint64_t made_us = clock_mono_us();
		const struct kafka_message *messages =
			bench_commands(players, BENCH_BET, play->batch);
		uint64_t turn_us = clock_mono_us();
		uint64_t commit = bench_loop_turn(service, messages, play->batch);
		make_us += turn_us - made_us;
		if (n < LATENCIES_MAX) {
			commits_us[n] = (uint32_t)commit;
			turns_us[n++] = (uint32_t)(clock_mono_us() - turn_us);
		}
		rounds += play->batch;
	}
	double seconds = (double)(clock_mono_us() - began_us) / 1e6;
	double many = (double)rounds;
	printf("{\"step\":\"play\",\"active\":%zu,\"batch\":%zu,\"rounds\":%" PRIu64
	       ",\"seconds\":%.3f,\"rounds_per_s\":%.1f,\"cpu_us\":%.3f,\"make_us\":%.3f,"
	       "\"record_bytes\":%.1f,\"sent_bytes\":%.1f,\"rss\":%" PRIu64 ",\"in_memory\":%zu",
		players->ours_n, play->batch, rounds, seconds, many / seconds,
		(bench_cpu_us() - cpu) / many, (double)make_us / many,
		(double)players->records_bytes / (double)players->records_n,
		(double)(bench_loop_sent().bytes - sent.bytes) / many, bench_rss_bytes(),
		wallet_app()->accounts.entries_n);
	percentiles_print("commit", commits_us, n);
	percentiles_print("turn", turns_us, n);
	printf("}\n");
	players->ours_n = all;
}

/* ---- what is asked for ---- */

static const char *after_colon(const char *step, const char *text)
{
	const char *colon = strchr(text, ':');

	if (colon == NULL)
		refuse("step", step, "play:ACTIVE:BATCH:SECONDS or rounds:ACTIVE:BATCH:N");
	return colon + 1;
}

static void step_play_read(
	struct bench_players *players, struct service *service, const char *step, bool seconds)
{
	const char *active = after_colon(step, step);
	const char *batch = after_colon(step, active);
	const char *last = after_colon(step, batch);
	struct play play = { .active = number_of("active", active, players->n),
		.batch = number_of("batch", batch, BENCH_BATCH_MAX),
		.rounds = UINT64_MAX,
		.until_us = UINT64_MAX };

	if (seconds)
		play.until_us = clock_mono_us() + 1000000 * number_of("seconds", last, 3600);
	else
		play.rounds = number_of("rounds", last, SIZE_MAX);
	if (play.batch > play.active || play.active > players->ours_n)
		refuse("play", step, "BATCH <= ACTIVE <= players of the shards held");
	step_play(players, service, &play);
}

static void step_run(struct bench_players *players, struct service *service, const char *step)
{
	if (strcmp(step, "open") == 0)
		step_open(players, service);
	else if (strcmp(step, "load") == 0)
		step_load(players, service);
	else if (strcmp(step, "one") == 0)
		step_one(players, service);
	else if (strcmp(step, "wait") == 0)
		step_wait(service);
	else if (strncmp(step, "play:", 5) == 0)
		step_play_read(players, service, step, true);
	else if (strncmp(step, "rounds:", 7) == 0)
		step_play_read(players, service, step, false);
	else
		refuse("step", step, "open, load, play:.., rounds:.., one or wait");
	(void)fflush(stdout);
}

int main(int argc, char **argv)
{
	struct bench_players players = { .n = 0 };
	size_t held = 0;
	int at = 1;

	for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
		if (strncmp(argv[at], "--players=", 10) == 0)
			players.n = number_of("--players", argv[at] + 10, 100000000);
		else if (strncmp(argv[at], "--held=", 7) == 0)
			held = number_of("--held", argv[at] + 7, SHARDS_MAX);
		else
			refuse("option", argv[at], "--players=N or --held=SHARDS");
	}
	if (players.n == 0)
		refuse("--players", "", "a number of players");
	players.player = calloc(players.n, sizeof(*players.player));
	players.ours = calloc(players.n, sizeof(*players.ours));
	if (players.player == NULL || players.ours == NULL)
		fatal("out of memory: %zu players", players.n);
	const char *shards = getenv("CARILLON_SHARDS");
	players.shards =
		(uint32_t)number_of("CARILLON_SHARDS", shards == NULL ? "4" : shards, SHARDS_MAX);
	struct service *service = bench_loop_start(&wallet_ops, LOG_WARN, held);
	find_own_players(&players, service);
	bool shuffled = false;
	printf("{\"step\":\"taken\",\"rss\":%" PRIu64 "}\n", bench_rss_bytes());
	(void)fflush(stdout);
	for (; at < argc; at++) {
		if (!shuffled && strcmp(argv[at], "open") != 0) {
			ours_shuffle(&players);
			shuffled = true;
		}
		step_run(&players, service, argv[at]);
	}
	bench_loop_end(service);
	free(players.player);
	free(players.ours);
	return 0;
}
