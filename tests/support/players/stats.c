#include "tests/support/players/stats.h"

#include "libcommon/io/clock.h"

#include <jansson.h>

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STEP_US 100000u
#define SUB_BITS 6 /* 64 buckets for each power of two */

struct stats stats;
static uint64_t cpu_started_us;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void stats_lock(void)
{
	pthread_mutex_lock(&lock);
}

void stats_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* All threads, user and system. */
static uint64_t cpu_now_us(void)
{
	struct rusage usage;
	(void)getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void stats_start(uint64_t now_us, uint64_t warm_up_us)
{
	stats.started_us = now_us;
	stats.started_wall_us = clock_wall_us();
	stats.counts_from_us = now_us + warm_up_us;
	cpu_started_us = cpu_now_us();
}

static bool is_warm(uint64_t now_us)
{
	return now_us >= stats.counts_from_us;
}

void stats_stop(uint64_t now_us)
{
	stats.stopped_us = now_us;
	stats.cpu_us = cpu_now_us() - cpu_started_us;
}

void stats_entered(uint64_t now_us)
{
	stats.entered++;
	stats.entered_us = now_us - stats.started_us;
}

static size_t bucket_of(uint64_t us)
{
	if (us < (1u << SUB_BITS))
		return (size_t)us;
	unsigned top = 63u - (unsigned)__builtin_clzll(us);
	size_t sub = (size_t)(us >> (top - SUB_BITS)) & ((1u << SUB_BITS) - 1);
	size_t at = ((size_t)(top - SUB_BITS + 1) << SUB_BITS) + sub;
	return at < STATS_BUCKETS ? at : STATS_BUCKETS - 1;
}

/* The upper end of a bucket. */
static uint64_t bucket_us(size_t at)
{
	if (at < (1u << SUB_BITS))
		return at;
	unsigned top = (unsigned)(at >> SUB_BITS) + SUB_BITS - 1;
	uint64_t sub = at & ((1u << SUB_BITS) - 1);
	return ((UINT64_C(1) << SUB_BITS) + sub + 1) << (top - SUB_BITS);
}

uint64_t stats_quantile_us(const struct stats_latency *latency, double share)
{
	uint64_t wanted = (uint64_t)(share * (double)latency->samples), seen = 0;
	for (size_t i = 0; i < STATS_BUCKETS; i++) {
		seen += latency->bucket[i];
		if (seen > wanted)
			return bucket_us(i);
	}
	return 0;
}

static void latency_add(struct stats_latency *latency, uint64_t us)
{
	latency->bucket[bucket_of(us)]++;
	latency->samples++;
}

void stats_answered(uint64_t sent_us, uint64_t now_us)
{
	bool played = stats.stopped_us == 0 || sent_us < stats.stopped_us;
	if (played && now_us - sent_us > stats.wait_max_us)
		stats.wait_max_us = now_us - sent_us;
}

void stats_later(const char *code)
{
	size_t at = 0;
	if (stats.stopped_us > 0)
		return; /* when all compare at once, many come back */
	while (at < STATS_REASONS_MAX - 1 && stats.reason[at].answers > 0 &&
		strcmp(stats.reason[at].code, code) != 0)
		at++;
	(void)snprintf(stats.reason[at].code, sizeof(stats.reason[at].code), "%.31s", code);
	stats.reason[at].answers++;
	stats.later++;
}

void stats_round(uint64_t asked_us, uint64_t now_us, bool first)
{
	uint64_t since = stats.last_round_us ? stats.last_round_us : stats.started_us;
	if (!stats.first_round_us)
		stats.first_round_us = now_us - stats.started_us;
	else if (now_us - since > stats.max_gap_us)
		stats.max_gap_us = now_us - since;
	stats.last_round_us = now_us;
	stats.rounds_settled++;
	if (now_us - asked_us > stats.slowest_us)
		stats.slowest_us = (uint32_t)(now_us - asked_us);
	if (is_warm(now_us))
		latency_add(&stats.rounds, now_us - asked_us);
	else
		stats.rounds_before++;
	if (first)
		latency_add(&stats.firsts, now_us - asked_us);
}

void stats_tick(uint64_t now_us)
{
	uint64_t end = stats.stopped_us ? stats.stopped_us : now_us;
	if (!stats.started_us || end < stats.started_us)
		return;
	size_t wanted = (size_t)((end - stats.started_us) / STEP_US);
	if (!is_warm(now_us))
		cpu_started_us = cpu_now_us();
	while (stats.timeline_n <= wanted) {
		if (stats.timeline_n == stats.timeline_room) {
			stats.timeline_room = stats.timeline_room ? 2 * stats.timeline_room : 1024;
			stats.timeline = realloc(
				stats.timeline, stats.timeline_room * sizeof(*stats.timeline));
			if (!stats.timeline)
				abort();
		}
		stats.timeline[stats.timeline_n++] =
			(struct stats_point){ (uint32_t)stats.rounds_settled, stats.slowest_us };
		stats.slowest_us = 0;
	}
}

__attribute__((format(printf, 3, 0))) static void note(
	char texts[][STATS_TEXT_MAX], uint64_t *n, const char *format, va_list arguments)
{
	stats_lock();
	if (*n < STATS_TEXTS_MAX)
		vsnprintf(texts[*n], STATS_TEXT_MAX, format, arguments);
	(*n)++;
	stats_unlock();
}

void stats_error(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	note(stats.errors, &stats.errors_n, format, arguments);
	va_end(arguments);
}

void stats_mismatch(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	note(stats.mismatches, &stats.mismatches_n, format, arguments);
	va_end(arguments);
}

static double seconds_since(uint64_t began_us, uint64_t now_us)
{
	uint64_t end = stats.stopped_us ? stats.stopped_us : now_us;
	return end > began_us ? (double)(end - began_us) / 1e6 : 0;
}

static double rounds_a_second(double seconds)
{
	return seconds > 0 ? (double)(stats.rounds_settled - stats.rounds_before) / seconds : 0;
}

static void put(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void put_texts(json_t *object, const char *name, char texts[][STATS_TEXT_MAX], uint64_t n)
{
	json_t *array = json_array();
	for (uint64_t i = 0; i < n && i < STATS_TEXTS_MAX; i++) {
		/* An answer's bytes may be quoted in it and need not be UTF-8. */
		json_t *text = json_string(texts[i]);
		json_array_append_new(array, text ? text : json_string("(not UTF-8)"));
	}
	json_object_set_new(object, name, array);
}

static bool write_file(const char *path, const json_t *json, size_t flags)
{
	char beside[4096];
	snprintf(beside, sizeof(beside), "%s.new", path);
	FILE *file = fopen(beside, "w");
	bool ok = file && json_dumpf(json, file, flags | JSON_REAL_PRECISION(6)) == 0 &&
		  fputc('\n', file) != EOF;
	if (file && fclose(file) != 0)
		ok = false;
	if (!ok || rename(beside, path) != 0) {
		fprintf(stderr, "players: cannot write %s: %s\n", path, strerror(errno));
		return false;
	}
	return true;
}

/* What the players themselves took while they played: of the machine's processors, and a round. */
static void put_cost(json_t *json, double seconds)
{
	double machine = seconds * 1e6 * (double)sysconf(_SC_NPROCESSORS_ONLN);
	double rounds = (double)(stats.rounds_settled - stats.rounds_before);
	double cpu = (double)stats.cpu_us;
	json_object_set_new(json, "client_cpu_share", json_real(machine > 0 ? cpu / machine : 0));
	json_object_set_new(json, "client_cpu_us", json_real(rounds > 0 ? cpu / rounds : 0));
}

static json_t *reasons(void)
{
	json_t *json = json_object();
	for (size_t i = 0; i < STATS_REASONS_MAX; i++)
		if (stats.reason[i].answers > 0)
			put(json, stats.reason[i].code, stats.reason[i].answers);
	return json;
}

static json_t *summary(uint64_t now_us)
{
	json_t *json = json_object();
	double seconds = seconds_since(stats.counts_from_us, now_us);
	put(json, "rounds_settled", stats.rounds_settled);
	put(json, "rounds_refused", stats.rounds_refused);
	put(json, "jackpot_hits", stats.jackpot_hits);
	put(json, "card_rounds", stats.card_rounds);
	put(json, "card_wins", stats.card_wins);
	put(json, "errors_n", stats.errors_n);
	put(json, "mismatches_n", stats.mismatches_n);
	json_object_set_new(
		json, "p50_ms", json_real((double)stats_quantile_us(&stats.rounds, 0.50) / 1000));
	json_object_set_new(
		json, "p99_ms", json_real((double)stats_quantile_us(&stats.rounds, 0.99) / 1000));
	json_object_set_new(json, "first_p50_ms",
		json_real((double)stats_quantile_us(&stats.firsts, 0.50) / 1000));
	json_object_set_new(json, "first_p99_ms",
		json_real((double)stats_quantile_us(&stats.firsts, 0.99) / 1000));
	put(json, "wait_max_ms", stats.wait_max_us / 1000);
	put(json, "later", stats.later);
	json_object_set_new(json, "later_by", reasons());
	put(json, "max_gap_ms", stats.max_gap_us / 1000);
	put(json, "first_round_ms", stats.first_round_us / 1000);
	json_object_set_new(json, "rounds_per_s", json_real(rounds_a_second(seconds)));
	json_object_set_new(json, "seconds", json_real(seconds_since(stats.started_us, now_us)));
	put(json, "started_us", stats.started_wall_us);
	put(json, "entered", stats.entered);
	put(json, "entered_ms", stats.entered_us / 1000);
	put_cost(json, seconds);
	return json;
}

/* {"bewitched":{"base":120},..}: rounds of each mode. */
static json_t *rounds_of_games(void)
{
	json_t *games = json_object();
	for (size_t i = 0; i < stats.games_n; i++) {
		const struct stats_game *game = &stats.game[i];
		json_t *modes = json_object();
		for (size_t m = 0; m < game->modes_n; m++)
			put(modes, game->mode[m].id, game->mode[m].rounds);
		json_object_set_new(games, game->id, modes);
	}
	return games;
}

bool stats_write_record(const char *path)
{
	stats_lock();
	json_t *json = summary(0);
	json_object_set_new(json, "games", rounds_of_games());
	put(json, "retries", stats.retries);
	put(json, "conflicts", stats.conflicts);
	put(json, "unanswered", stats.unanswered);
	put(json, "deposits", stats.deposits);
	put(json, "gambles", stats.gambles);
	put(json, "steps", stats.steps);
	put(json, "card_picks", stats.card_picks);
	put(json, "card_repeats", stats.card_repeats);
	put(json, "card_recoveries", stats.card_recoveries);
	put(json, "rounds_told", stats.rounds_told);
	put(json, "rows_compared", stats.rows_compared);
	put(json, "rounds_compared", stats.rounds_compared);
	put(json, "secrets_checked", stats.secrets_checked);
	json_t *events = json_object();
	put(events, "snapshots", stats.events_snapshots);
	put(events, "counters", stats.events_counters);
	put(events, "winners", stats.events_winners);
	put(events, "reconnects", stats.events_reconnects);
	put(events, "max_gap_ms", stats.events_max_gap_ms);
	put(events, "winner_ms", stats.events_winner_ms);
	json_object_set_new(json, "events", events);
	put_texts(json, "errors", stats.errors, stats.errors_n);
	put_texts(json, "mismatches", stats.mismatches, stats.mismatches_n);
	stats_unlock();
	json_t *timeline = json_array();
	for (size_t i = 0; i < stats.timeline_n; i++) {
		json_t *point = json_object();
		put(point, "t_ms", i * (STEP_US / 1000));
		put(point, "settled", stats.timeline[i].settled);
		put(point, "slowest_us", stats.timeline[i].slowest_us);
		json_array_append_new(timeline, point);
	}
	json_object_set_new(json, "timeline", timeline);
	bool ok = write_file(path, json, JSON_COMPACT);
	json_decref(json);
	return ok;
}

void stats_write_live(const char *path, uint64_t now_us)
{
	stats_lock();
	json_t *json = json_object();
	put(json, "rounds", stats.rounds_settled);
	put(json, "settled", stats.rounds_settled);
	put(json, "refused", stats.rounds_refused);
	put(json, "jackpots", stats.jackpot_hits);
	put(json, "errors", stats.errors_n + stats.mismatches_n);
	put(json, "retries", stats.retries);
	put(json, "rounds_told", stats.rounds_told);
	put(json, "rounds_compared", stats.rounds_compared);
	json_object_set_new(json, "play_over", json_boolean(stats.stopped_us != 0));
	json_object_set_new(
		json, "p50_ms", json_real((double)stats_quantile_us(&stats.rounds, 0.50) / 1000));
	json_object_set_new(
		json, "p99_ms", json_real((double)stats_quantile_us(&stats.rounds, 0.99) / 1000));
	json_object_set_new(json, "warm", json_boolean(is_warm(now_us)));
	json_object_set_new(json, "rounds_per_s",
		json_real(rounds_a_second(seconds_since(stats.counts_from_us, now_us))));
	json_t *winner = stats.winner[0] ? json_loads(stats.winner, 0, NULL) : NULL;
	json_object_set_new(json, "last_winner", winner ? winner : json_null());
	stats_unlock();
	write_file(path, json, JSON_COMPACT);
	json_decref(json);
}

void stats_print(void)
{
	json_t *json = summary(0);
	json_dumpf(json, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(json);
	for (uint64_t i = 0; i < stats.errors_n && i < STATS_TEXTS_MAX; i++)
		fprintf(stderr, "players: error: %s\n", stats.errors[i]);
	for (uint64_t i = 0; i < stats.mismatches_n && i < STATS_TEXTS_MAX; i++)
		fprintf(stderr, "players: mismatch: %s\n", stats.mismatches[i]);
}

void stats_print_progress(void)
{
	fprintf(stderr, "players: %llu rounds compared of %llu\n",
		(unsigned long long)stats.rounds_compared, (unsigned long long)stats.rounds_told);
}
