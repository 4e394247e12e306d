/* What happened over all players: counts, latencies, the timeline, and the first of everything that
 * went wrong. One thread writes; the WebSocket thread goes through the locked functions. */
#ifndef CARILLON_SUPPORT_PLAYERS_STATS_H
#define CARILLON_SUPPORT_PLAYERS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_TEXTS_MAX 20
#define STATS_TEXT_MAX 400
#define STATS_BUCKETS 2048
#define STATS_GAMES_MAX 16
#define STATS_MODES_MAX 8
#define STATS_ID_MAX 32
#define STATS_REASONS_MAX 8

/* Of latencies, logarithmic. */
struct stats_latency {
	uint64_t bucket[STATS_BUCKETS];
	uint64_t samples;
};

struct stats {
	uint64_t started_us;	      /* play began */
	uint64_t started_wall_us;     /* the same by the clock of the wall */
	uint64_t counts_from_us;      /* warm: latencies and costs count from here on */
	uint64_t rounds_before;	      /* settled until then */
	uint64_t stopped_us;	      /* play ended */
	uint64_t cpu_us;	      /* of this process between those two */
	uint64_t entered, entered_us; /* players who have come to play; when the last one did */
	uint64_t rounds_settled, rounds_refused, jackpot_hits;
	uint64_t retries, conflicts, deposits, gambles, steps, unanswered;
	uint64_t card_rounds, card_wins, card_picks, card_repeats, card_recoveries;
	uint64_t rounds_told, rows_compared, rounds_compared, secrets_checked;
	uint64_t first_round_us, last_round_us, max_gap_us;
	struct stats_latency rounds; /* until they were told, asked again in between or not */
	struct stats_latency firsts; /* the same of each player's first round */
	uint64_t wait_max_us;	     /* the longest that one request was without an answer */
	uint64_t later;		     /* answers that said "later" */
	struct stats_reason {
		char code[STATS_ID_MAX];
		uint64_t answers;
	} reason[STATS_REASONS_MAX]; /* by their codes; the last one has those without room */
	/* Each 100 ms since started_us: what is settled, and the longest that a round told since
	 * the point before was waited for. */
	struct stats_point {
		uint32_t settled, slowest_us;
	} * timeline;
	uint32_t slowest_us; /* since the newest point */
	size_t timeline_n, timeline_room;
	char winner[200]; /* the last one, as JSON; "" */
	size_t games_n;
	struct stats_game {
		char id[STATS_ID_MAX];
		size_t modes_n;
		struct {
			char id[STATS_ID_MAX];
			uint64_t rounds;
		} mode[STATS_MODES_MAX];
	} game[STATS_GAMES_MAX];

	/* Under the lock. */
	uint64_t errors_n, mismatches_n;
	char errors[STATS_TEXTS_MAX][STATS_TEXT_MAX];
	char mismatches[STATS_TEXTS_MAX][STATS_TEXT_MAX];
	uint64_t events_snapshots, events_counters, events_winners, events_reconnects;
	uint64_t events_max_gap_ms, events_winner_ms;
};

extern struct stats stats;

/* Play begins, and ends. What is told in the first `warm_up_us` has no part in latencies, rates and
 * costs. */
void stats_start(uint64_t now_us, uint64_t warm_up_us);
void stats_stop(uint64_t now_us);
/* A player has a session and plays from now on. */
void stats_entered(uint64_t now_us);
/* A round was accepted and told at `now`; it had been asked for first at `asked_us`. `first`: it is
 * the player's first. */
void stats_round(uint64_t asked_us, uint64_t now_us, bool first);
/* A request was answered, or given up. Those that were sent after play had ended are not counted.
 */
void stats_answered(uint64_t sent_us, uint64_t now_us);
/* The answer says to come back, for the reason with this code. Counted while all play. */
void stats_later(const char *code);
/* Fills the timeline up to now. Call at least every 100 ms. */
void stats_tick(uint64_t now_us);
/* The microseconds below which `share` (0..1) of the latencies stayed; within 2 %. */
uint64_t stats_quantile_us(const struct stats_latency *latency, double share);

/* Locked. An answer nobody should get; what was told is not what the ledger has. */
__attribute__((format(printf, 1, 2))) void stats_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void stats_mismatch(const char *format, ...);
void stats_lock(void);
void stats_unlock(void);

/* Written beside and renamed, so that a reader never sees half. False with a message on stderr. */
bool stats_write_record(const char *path);
void stats_write_live(const char *path, uint64_t now_us);
void stats_print(void);
/* On stderr: how much of what was told has been compared. */
void stats_print_progress(void);

#endif
