/* The players in memory: a seat holds a player's state, the command being decided and the commands
 * queued after it. Seats are created on demand; clean ones may be freed. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_SEATS_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_SEATS_H

#include "services/spin-engine/adapters/command.h"
#include "services/spin-engine/core/player.h"

#include <stddef.h>
#include <stdint.h>

#define SEAT_GAMES_MAX 32  /* games that a player has ever played, retired ones included */
#define SEATS_PARTS_MAX 30 /* of a checkpoint: at ten a second it takes 3 s */
#define SEAT_QUEUE_MAX 8   /* commands of one player, including the one being decided */

/* A command that is not decided yet. */
struct request {
	struct spin_command command;
	uint64_t arrived_us;  /* monotonic */
	uint64_t deadline_us; /* PLAYER_WAIT: how long to wait for facts; 0: not waiting. Held
				 reply: how long to wait for the award */
	struct request *next; /* next in the player's queue */
	/* of a held reply */
	uint64_t round;
	uint32_t from;
	bool result;
};

/* A proposal in flight. */
struct flight {
	bool open;
	uint64_t move;
	uint32_t from;	      /* first phase of the reply */
	uint64_t again_us;    /* monotonic: then it is sent again */
	uint32_t sent;	      /* how often */
	uint64_t owner_epoch; /* of the wallet that it was last sent to */
	size_t length;
	uint8_t *bytes; /* the WalletCommand, to be sent again */
};

/* Why a player is quarantined (quarantine.h). */
struct seat_quarantine {
	uint64_t seq; /* the row that cannot be read; 0: a stored state */
	bool waits;   /* for a build that can read it */
	bool stored;  /* the table has it */
	bool ended;   /* the player is back; the next checkpoint deletes the row of the table */
	char found[160];
};

struct seat {
	struct player player;
	uint32_t shard;
	size_t game_count;
	struct player_game *game[SEAT_GAMES_MAX];
	bool dirty; /* the next checkpoint writes it */
	bool soon;  /* the next transaction does: no fact says what has changed */
	size_t queue_count;
	struct request *head, *tail;
	struct flight flight;
	uint32_t refused; /* bets and gambles that the wallet refused, since the seat was loaded */
	uint64_t refused_us;		       /* when the last of them was */
	struct seat_quarantine *quarantine;    /* NULL: none */
	struct seat *busy_before, *busy_after; /* seats with a queue */
};

struct seats {
	struct seat **slot; /* open addressing, a power of two */
	size_t room, count;
	struct seat *busy; /* head of the list */
	size_t busy_count;
	struct seat **dirty;
	size_t dirty_count, dirty_room;
	size_t due_count; /* the first of them: changed before the mark of the checkpoint */
	size_t part;	  /* how many of those a transaction writes */
	size_t aside_count;
};

void seats_init(struct seats *seats);
struct seat *seats_find(const struct seats *seats, player_id player);
/* Adds a seat; the player must not have one. */
struct seat *seats_add(struct seats *seats, player_id player, uint32_t shard);
/* Frees every seat of a shard with its queued commands. */
void seats_drop_shard(struct seats *seats, uint32_t shard);
/* Frees clean and idle seats until at most `keep` are left. */
void seats_trim(struct seats *seats, size_t keep);

/* The play of a game; NULL if never played. */
struct player_game *seat_game(const struct seat *seat, uint32_t number);
/* NULL: the player has played SEAT_GAMES_MAX games. */
struct player_game *seat_game_add(struct seat *seat, const struct player_game *play);
/* The player is quarantined. */
bool seat_aside(const struct seat *seat);
/* An empty quarantine for the seat, which is not stored. A seat with a quarantine is not trimmed.
 */
struct seat_quarantine *seat_set_aside(struct seats *seats, struct seat *seat);
void seat_take_back(struct seats *seats, struct seat *seat);
/* Frees a seat that is neither dirty nor busy. */
void seats_drop(struct seats *seats, struct seat *seat);
void seat_touch(struct seats *seats, struct seat *seat);
/* The same of a change that is no row of the journal. */
void seat_touch_soon(struct seats *seats, struct seat *seat);
/* All that are changed now are due, in parts of `part`, or larger if there were more than
 * SEATS_PARTS_MAX of them. */
void seats_mark(struct seats *seats, size_t part);
size_t seats_parts_left(const struct seats *seats);
/* Takes one of those that are due from the list, as unchanged. NULL: none is due. */
struct seat *seats_take_due(struct seats *seats);
/* Takes ownership of the request. False: the queue is full. */
bool seat_push(struct seats *seats, struct seat *seat, struct request *request);
/* The command in the queue that this one repeats; NULL: none. A repeat asks for the same answer. */
const struct request *seat_queued(const struct seat *seat, const struct spin_command *command);
/* Is the command this request again: for the same player, asker and id? */
bool request_repeats(const struct request *request, const struct spin_command *command);
/* Removes the head; the caller owns it. */
struct request *seat_pop(struct seats *seats, struct seat *seat);
void seat_land(struct seat *seat);

#endif
