/* The players in memory: one seat each, with his state, the command that is being decided and those
 * that wait behind it. Made on demand, given up when clean. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_SEATS_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_SEATS_H

#include "services/spin-engine/adapters/command.h"
#include "services/spin-engine/core/player.h"

#include <stddef.h>
#include <stdint.h>

#define SEAT_GAMES_MAX 8
#define SEAT_QUEUE_MAX 8 /* commands of one player, the one being decided included */

/* A command that is not decided yet. */
struct request {
	struct spin_command command;
	uint32_t shard;
	int64_t offset;	      /* in spin.commands: where a restart must begin */
	uint64_t arrived_us;  /* monotonic */
	uint64_t deadline_us; /* PLAYER_WAIT: until when facts may come; 0: not waiting. Held
				 replies: until when the award may come */
	struct request *next; /* behind it in the player's queue */
	struct request *older, *newer; /* of the same shard, by offset */
	/* of a reply that is held back for an award */
	uint64_t round;
	uint32_t from;
	bool result;
};

/* A proposal on its way. */
struct flight {
	bool open;
	uint64_t move;
	uint32_t from;	  /* first phase of the answer */
	uint64_t sent_us; /* last, monotonic */
	size_t length;
	uint8_t *bytes; /* the WalletCommand, to be sent again */
};

struct seat {
	struct player player;
	uint32_t shard;
	size_t game_count;
	struct player_game *game[SEAT_GAMES_MAX];
	bool dirty; /* in the list of what the next checkpoint writes */
	size_t queue_count;
	struct request *head, *tail;
	struct flight flight;
	struct seat *busy_before, *busy_after; /* seats with a queue */
};

struct seats {
	struct seat **slot; /* open addressing, a power of two */
	size_t room, count;
	struct seat *busy; /* head of the list */
	size_t busy_count;
	struct seat **dirty;
	size_t dirty_count, dirty_room;
};

void seats_init(struct seats *seats);
struct seat *seats_find(const struct seats *seats, player_id player);
/* There must be none yet. */
struct seat *seats_add(struct seats *seats, player_id player, uint32_t shard);
/* Frees every seat of a shard, with what waits there. */
void seats_drop_shard(struct seats *seats, uint32_t shard);
/* Frees clean and idle seats until at most `keep` are left. */
void seats_trim(struct seats *seats, size_t keep);

/* The play of a game; NULL if never played (and not to be made). */
struct player_game *seat_game(const struct seat *seat, uint32_t number);
struct player_game *seat_game_add(struct seat *seat, const struct player_game *play);
void seat_touch(struct seats *seats, struct seat *seat);
/* False when the queue is full. Takes the ask over. */
bool seat_push(struct seats *seats, struct seat *seat, struct request *request);
/* Takes the head off; it is the caller's. */
struct request *seat_pop(struct seats *seats, struct seat *seat);
void seat_land(struct seat *seat);

#endif
