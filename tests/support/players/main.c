/*~ The players: a load generator, and the judge of the whole.
 *
 * It knows nothing but the public interface. Each player (player.c) asks one thing at a time, again
 * and again with the same key until it is answered, checks each answer's arithmetic (answer.c), and
 * keeps a record (record.c). That record is compared with the ledger and the history (audit.c),
 * from time to time where an option says so, and at the end. Beside it a few WebSocket clients
 * (events.c) hold notifications to its promises (watch.c).
 *
 * One thread turns the players: a heap of who is due, and HTTP over epoll (http.c, response.c). The
 * WebSocket clients have their own. What both cost is in the record: a measurement is of the
 * servers, so the players should take a small share of the machine. */
#include "tests/support/players/events.h"
#include "tests/support/players/player.h"
#include "tests/support/players/stats.h"

#include "libcommon/io/clock.h"

#include <sodium.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Players come one by one: a crowd that comes at once measures the queue at the door. */
#define ENTER_EACH_US 500u
/* How long a step of any player is waited for once playing is over. There is no limit to the whole:
 * the longer was played, the more there is to compare. */
#define STALL_MAX_US UINT64_C(45000000)
#define QUIET_END_US UINT64_C(2000000) /* an end that takes longer tells how far it is */
#define START_MAX_US UINT64_C(60000000)
#define NEWS_MAX_US UINT64_C(60000000)

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted++;
}

/* ---- the heap of players who wait for their time ---- */

static void heap_put(struct crowd *crowd, size_t at, struct player *player)
{
	crowd->due[at] = player;
	player->heap_at = at + 1;
}

static void heap_settle(struct crowd *crowd, size_t at)
{
	struct player *player = crowd->due[at];
	while (at > 0 && crowd->due[(at - 1) / 2]->due_us > player->due_us) {
		heap_put(crowd, at, crowd->due[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	for (;;) {
		size_t child = 2 * at + 1;
		if (child + 1 < crowd->due_n &&
			crowd->due[child + 1]->due_us < crowd->due[child]->due_us)
			child++;
		if (child >= crowd->due_n || crowd->due[child]->due_us >= player->due_us)
			break;
		heap_put(crowd, at, crowd->due[child]);
		at = child;
	}
	heap_put(crowd, at, player);
}

void crowd_schedule(struct player *player, uint64_t due_us)
{
	struct crowd *crowd = player->crowd;
	player->due_us = due_us;
	if (!player->heap_at)
		heap_put(crowd, crowd->due_n++, player);
	heap_settle(crowd, player->heap_at - 1);
}

void crowd_progress(struct crowd *crowd)
{
	crowd->progress_us = clock_mono_us();
}

static struct player *heap_take(struct crowd *crowd)
{
	struct player *first = crowd->due[0];
	first->heap_at = 0;
	struct player *last = crowd->due[--crowd->due_n];
	if (last != first) {
		heap_put(crowd, 0, last);
		heap_settle(crowd, 0);
	}
	return first;
}

/* ---- before: configuration ---- */

struct question {
	bool done;
	json_t *answer;
	const char *what;
};

static void question_answered(
	void *context, long status, const char *body, size_t length, const char *error)
{
	struct question *question = context;
	(void)error;
	question->done = true;
	if (status == 200)
		question->answer = json_loadb(body, length, 0, NULL);
}

/* Asks until there is an answer: the stack may still be starting. NULL after a minute. */
static json_t *ask(struct http *http, const char *path)
{
	struct question question = { .what = path };
	struct http_line *line = http_line_new(http, question_answered, &question);
	uint64_t end = clock_mono_us() + START_MAX_US;
	while (!question.answer && !interrupted && clock_mono_us() < end) {
		question.done = false;
		http_send(line, "GET", path, NULL, NULL, NULL);
		while (!question.done)
			http_turn(http, 100);
		if (!question.answer)
			http_turn(http, 50);
	}
	http_line_free(&line);
	if (!question.answer)
		fprintf(stderr, "players: GET %s: no usable answer\n", path);
	return question.answer;
}

static bool configure_game(struct crowd *crowd, const char *id)
{
	struct game_rules *rules = &crowd->game[crowd->games_n];
	struct stats_game *shown = &stats.game[crowd->games_n];
	char path[128];
	snprintf(path, sizeof(path), "/v1/games/%.64s", id);
	json_t *game = ask(crowd->http, path);
	bool good = game && bet_rules_read(crowd->options, game, rules);
	if (game && !good)
		fprintf(stderr, "players: GET %s: nothing to bet in %s\n", path,
			crowd->options->currency);
	json_decref(game);
	if (!good)
		return false;
	rules->at = crowd->games_n++;
	snprintf(shown->id, sizeof(shown->id), "%s", rules->id);
	for (size_t i = 0; i < rules->modes_n; i++)
		snprintf(shown->mode[i].id, STATS_ID_MAX, "%s", rules->mode[i].id);
	shown->modes_n = rules->modes_n;
	stats.games_n = crowd->games_n;
	return true;
}

/* The one of the options, or all there are. */
static bool configure_games(struct crowd *crowd)
{
	const json_t *game;
	size_t i;
	bool good = true;
	if (strcmp(crowd->options->game, "all") != 0)
		return configure_game(crowd, crowd->options->game);
	json_t *list = ask(crowd->http, "/v1/games");
	json_array_foreach(json_object_get(list, "games"), i, game)
	{
		good = good && crowd->games_n < STATS_GAMES_MAX &&
		       configure_game(crowd, json_text(game, "id"));
	}
	json_decref(list);
	return good && crowd->games_n > 0;
}

static bool configure(struct crowd *crowd)
{
	const struct options *options = crowd->options;
	char url[OPTIONS_TEXT_MAX];
	json_t *config = ask(crowd->http, "/v1/config");
	if (!config)
		return false;
	snprintf(url, sizeof(url), "%s",
		options->events[0] ? options->events : json_text(config, "events_url"));
	json_decref(config);
	if (!configure_games(crowd))
		return false;
	if (url[0] && strcmp(url, "none") != 0 && options->subscribers > 0)
		return events_start(url, (size_t)options->subscribers, (uint32_t)options->seed);
	return true;
}

static bool crowd_make(struct crowd *crowd, const struct options *options)
{
	*crowd = (struct crowd){ .options = options, .n = (size_t)options->players };
	crowd->http = http_new(
		options->url, crowd->n + (size_t)options->subscribers, (long)options->timeout_ms);
	if (!crowd->http)
		return false;
	crowd->players = calloc(crowd->n, sizeof(*crowd->players));
	crowd->due = calloc(crowd->n, sizeof(struct player *));
	if (!crowd->players || !crowd->due)
		fputs("players: out of memory\n", stderr);
	return crowd->players && crowd->due;
}

static void crowd_begin(struct crowd *crowd)
{
	uint64_t now = clock_mono_us();
	stats_start(now, (uint64_t)crowd->options->warm_up * 1000000);
	crowd->active = crowd->n;
	for (size_t i = 0; i < crowd->n; i++) {
		struct player *player = &crowd->players[i];
		player->crowd = crowd;
		player->number = crowd->options->first_player + (int64_t)i;
		player->game = &crowd->game[(uint64_t)player->number % crowd->games_n];
		player->random = (uint64_t)crowd->options->seed * UINT64_C(0xd1342543de82ef95) +
				 (uint64_t)player->number;
		player->line = http_line_new(crowd->http, player_answered, player);
		crowd_schedule(player, now + i * ENTER_EACH_US);
	}
}

/* ---- playing ---- */

/* The first clients listen to a player's own channel too, as soon as he has a token. */
static void share_tokens(const struct crowd *crowd, size_t *shared)
{
	while (*shared < crowd->n && *shared + 1 < (size_t)crowd->options->subscribers &&
		crowd->players[*shared].token[0]) {
		events_set_token(*shared + 1, crowd->players[*shared].token);
		(*shared)++;
	}
}

static void act_all(struct crowd *crowd, uint64_t now)
{
	/* As many as were due on entry: one who is due again at once waits for the next turn. */
	for (size_t n = crowd->due_n; n > 0 && crowd->due_n && crowd->due[0]->due_us <= now; n--)
		player_act(heap_take(crowd), now);
}

static int wait_ms(const struct crowd *crowd, uint64_t now, uint64_t step_us)
{
	uint64_t until = step_us;
	if (crowd->due_n && crowd->due[0]->due_us < until)
		until = crowd->due[0]->due_us;
	return until > now ? (int)((until - now + 999) / 1000) : 0;
}

static void play(struct crowd *crowd)
{
	const struct options *options = crowd->options;
	uint64_t begun = clock_mono_us(), step_us = begun, live_us = begun;
	size_t shared = 0;
	while (crowd->active > 0) {
		uint64_t now = clock_mono_us();
		if (interrupted ||
			(options->seconds && now >= begun + (uint64_t)options->seconds * 1000000))
			crowd->stopping = true;
		if (crowd->stopping && !stats.stopped_us) {
			crowd->progress_us = now;
			stats_stop(now);
		}
		if (stats.stopped_us &&
			(now > crowd->progress_us + STALL_MAX_US || interrupted > 1))
			break;
		act_all(crowd, now);
		if (now >= step_us) {
			stats_tick(now);
			share_tokens(crowd, &shared);
			step_us += 100000;
		}
		if (now >= live_us) {
			if (options->live[0])
				stats_write_live(options->live, now);
			if (stats.stopped_us && now > stats.stopped_us + QUIET_END_US &&
				!options->quiet)
				stats_print_progress();
			live_us += 1000000;
		}
		http_turn(crowd->http, wait_ms(crowd, now, step_us));
	}
	if (!stats.stopped_us)
		stats_stop(clock_mono_us());
	for (size_t i = 0; i < crowd->n; i++)
		if (crowd->players[i].stage != PLAYER_DONE)
			stats_mismatch("player %" PRId64 ": move %" PRIu64
				       " (%s) was never answered",
				crowd->players[i].number, crowd->players[i].op.expect,
				crowd->players[i].op.path);
}

/* ---- after ---- */

/* The jackpots paid to a player that no subscriber has seen; `tell`: each is a mismatch. */
static size_t jackpots_unseen(const struct player *player, bool tell)
{
	size_t unseen = 0;
	for (size_t i = 0; i < player->record.jackpots.n; i++) {
		const struct recorded_jackpot *told = &player->record.jackpots.at[i];
		if (!told->paid || events_saw_winner(told->pool, told->coin_minor, told->paid))
			continue;
		unseen++;
		if (tell)
			stats_mismatch("player %" PRId64 " round %" PRIu64
				       ": no subscriber saw this jackpot of %" PRId64,
				player->number, told->round, told->paid);
	}
	return unseen;
}

static size_t crowd_unseen(const struct crowd *crowd, bool tell)
{
	size_t unseen = 0;
	for (size_t p = 0; p < crowd->n; p++)
		unseen += jackpots_unseen(&crowd->players[p], tell);
	return unseen;
}

/* Each own jackpot that was paid must be in the news: once Kafka is back, if it was away. */
static void check_winners(const struct crowd *crowd)
{
	uint64_t end = clock_mono_us() + NEWS_MAX_US;
	if (!options_have_news(crowd->options))
		return;
	if (stats.jackpot_hits || stats.card_wins)
		while ((!events_settled(1000) || crowd_unseen(crowd, false) > 0) &&
			clock_mono_us() < end)
			http_turn(crowd->http, 50);
	(void)crowd_unseen(crowd, true);
}

static void crowd_free(struct crowd *crowd)
{
	for (size_t i = 0; i < crowd->n; i++) {
		http_line_free(&crowd->players[i].line);
		record_free(&crowd->players[i].record);
		free(crowd->players[i].rows.at);
		ledger_rounds_free(&crowd->players[i].ledger);
	}
	free(crowd->players);
	free(crowd->due);
	http_free(&crowd->http);
}

int main(int argc, char **argv)
{
	static struct options options;
	struct crowd crowd;
	options_read(argc, argv, &options);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	if (sodium_init() < 0 || !crowd_make(&crowd, &options))
		return 70;
	if (configure(&crowd)) {
		crowd_begin(&crowd);
		play(&crowd);
		check_winners(&crowd);
	} else {
		stats_error("the gateway at %s does not answer, or notifications cannot be reached",
			options.url);
	}
	events_stop();
	stats_tick(clock_mono_us());
	bool written = !options.record[0] || stats_write_record(options.record);
	if (options.live[0])
		stats_write_live(options.live, clock_mono_us());
	if (!options.quiet)
		stats_print();
	crowd_free(&crowd);
	return stats.mismatches_n || stats.errors_n || !written ? 1 : 0;
}
