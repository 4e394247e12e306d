/* The engine's state, shared by its files. In reading order: engine.c (what the service loop
 * calls), play.c (from a command to a proposal), adopt.c (from a booked row to the state), answer.c
 * (replies), replay.c and past_round.c (rounds of the past). */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_ENGINE_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_ENGINE_H

#include "libcommon/base/declined.h"
#include "libcommon/base/draw_health.h"
#include "libcommon/base/seq_gate.h"
#include "libcommon/jackpot/io/card_sets.h"
#include "libcommon/io/metrics.h"
#include "libcommon/service/service.h"
#include "libcommon/io/arena.h"
#include "services/spin-engine/adapters/cards.h"
#include "services/spin-engine/adapters/games.h"
#include "services/spin-engine/adapters/keys.h"
#include "services/spin-engine/adapters/seats.h"
#include "services/spin-engine/adapters/store.h"
#include "services/spin-engine/adapters/view.h"

#include "bus.pb-c.h"
#include "wallet.pb-c.h"

#include <sys/stat.h>

#define ENGINE_WAIT_US UINT64_C(2000000) /* how long to wait for the fact of an unseen move */
#define ENGINE_REPEATS_MAX                                                                         \
	256 /* proposals sent again in one tick: the others wait for the next                      \
	     */
#define ENGINE_AWARD_US                                                                            \
	UINT64_C(1000000) /* how long a reply that reveals a jackpot waits for the award */
#define ENGINE_ALARM_US UINT64_C(5000000) /* after a gap in the facts: raise an alarm */

/* The engine's own settings; the table is in main.c. */
struct engine_settings {
	bool forced_draws, simulated_returns;
	char card_sets[SETTING_TEXT_MAX]; /* folder */
	int64_t part_players, players_max, resolve_every_s;
};

struct engine_shard {
	struct seq_gate gate;
};

struct engine_metrics {
	struct metric *rounds, *hits, *verdict_us, *in_flight, *waiting, *repeats, *gap_alarm,
		*asked_twice, *refused, *declined, *busy, *seats, *lost_pending, *skipped,
		*quarantined, *resolved, *stopped, *draw_fault, *replays, *replay_differs, *forced,
		*cards;
};

struct engine {
	struct service *service;
	const struct engine_settings *settings;
	struct keys *keys;
	struct stat keys_file; /* of spin-engine.key when it was read */
	struct draw_health health;
	struct games *games;
	struct card_sets card_sets;
	struct cards_rules cards_rules;
	struct seats seats;
	struct arena arena; /* for a reply */
	struct arena inbox; /* for the message in hand */
	struct arena rows;  /* for rows of the journal */
	struct view_sources sources;
	struct request *held; /* decided; the reply waits for an award */
	struct declined declined;
	size_t stopped_count;
	uint32_t stopped[STORE_STOPPED_MAX];
	uint64_t tick_us, second_us, resolve_us;
	PGconn *replica; /* read-only, for replays; NULL: to be connected */
	struct engine_metrics metrics;
};

/* The service's hooks; `settings` is borrowed. */
struct service_ops engine_ops(const struct setting *table, const struct engine_settings *settings);

/* play.c */
void play_command(struct engine *engine, const struct spin_command *command);
/* Decides the commands queued at this seat, until one is in flight or must wait. */
void play_run(struct engine *engine, struct seat *seat);
void play_tick(struct engine *engine, uint64_t mono_us);
/* The seat of a player, loaded if necessary. */
struct seat *play_seat(struct engine *engine, player_id player);
/* Removes the decided head from the queue; the caller replies and frees it. */
struct request *play_decided(struct engine *engine, struct seat *seat);
bool play_stopped(const struct engine *engine, uint32_t game);

/* adopt.c */
void adopt_fact(struct engine *engine, const Carillon__WalletFact *fact);
/* Takes a row of the player. False: it cannot be read, and the player is quarantined. */
bool adopt_row(struct engine *engine, struct seat *seat, const Carillon__WalletFact *fact);
void adopt_verdict(struct engine *engine, const Carillon__WalletFact *fact);
void adopt_quarantined(struct engine *engine, const Carillon__Quarantined *quarantined);

/* answer.c: each replies to the request and frees it. */
void answer_fault(struct engine *engine, struct seat *seat, struct request *request,
	const struct fault *fault);
void answer_error(struct engine *engine, struct seat *seat, struct request *request,
	const struct player_error *error);
/* Replies with the present state. `result`: after a move or its retry; shows a closed round too. */
void answer_state(struct engine *engine, struct seat *seat, struct request *request, uint32_t from,
	bool result);
/* Replies to a command that has no seat yet. */
void answer_bad(
	struct engine *engine, const struct spin_command *command, const struct fault *fault);
/* Sends the held replies whose award has come or whose time is up. */
void answer_held(struct engine *engine, uint64_t mono_us, bool all);
/* Replies with a replayed past round; `play`: its game as it was then. */
void answer_replay(struct engine *engine, struct seat *seat, const struct spin_command *command,
	const struct player_game *play, Carillon__RoundView *view);

/* Reads a closed round from the journal. 200; 404; 410: its day may have been dropped; 409: too
 * many rows of an open day come before it; 503. */
uint32_t past_round_read(struct engine *engine, const struct seat *seat, uint32_t game,
	uint64_t round, struct past_round *past_r);
/* Reads the sum of the jackpots paid to a round. 200; 404: none; 409: a claim is not paid yet; 503.
 */
uint32_t past_awards_read(
	struct engine *engine, const struct seat *seat, uint64_t round, struct money *awards_r);

/* replay.c */
void replay_answer(struct engine *engine, struct seat *seat, struct request *request);
/* Connects to the journal by the read-only role, with short timeouts. */
bool replay_connected(struct engine *engine);
/* NULL: the query failed. Needs the connection. */
PGresult *replay_query(
	struct engine *engine, const char *sql, int count, const char *const *parameters);
/* True if some days of the shard are only in the archive. */
bool replay_days_dropped(struct engine *engine, const char *shard);

#endif
