/* The world's clients, shared by their files: players with one or two windows each, operators' back
 * ends that move money, operators of pools. In reading order: clients.c (the crowd), window.c (a
 * window's questions and answers), choose.c (what it does next), command.c (a request as the
 * gateway makes it), backend.c, operators.c. */
#ifndef CARILLON_SIM_CLIENTS_CLIENTS_H
#define CARILLON_SIM_CLIENTS_CLIENTS_H

#include "tests/sim/clients/requests.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLIENTS_MAX 256
#define WINDOWS_MAX 2
#define COINS_MAX 7
#define TURNED_MAX 12
#define LIMIT_RAISE_S 5 /* WALLET_LIMIT_RAISE_S: long enough to be seen, short enough to end */
#define EUR 978
#define SEK 752

/* As in tests/sim/games/. */
struct sim_game {
	const char *id;
	uint32_t number;
	uint32_t pool;
	bool halve, cards;
};
#define SIM_GAMES 3
extern const struct sim_game sim_games[SIM_GAMES];
#define CARDS_POOL 2

/* A request of a player, kept so that it can be asked again byte by byte. */
struct request {
	Carillon__SpinKind kind;
	const struct sim_game *game;
	uint64_t number; /* of the client; the Idempotency-Key is made of it */
	uint64_t expect, round;
	int64_t coin_minor;
	uint32_t lines, coins;
	uint8_t nonce[16];
	bool autospin, bonus;
	uint8_t id[16]; /* of the autoplay, or of the bonus spins */
	bool pick;	/* STEP: a pick, else "next" */
	bool witch;	/* SETTING: the witch, else autoplay */
	uint32_t choice, cursor, spins;
	bool again; /* decided before: asked again to see that nothing happens twice */
	bool other; /* with that, other content under the same key */
};

/* What a window knows of its game. */
struct view {
	bool known;
	uint64_t expect, round;
	char next[8];
	uint32_t cursor, picks_left, tried; /* vials touched, one bit each */
	bool closed, autoplay;
	uint8_t autoplay_id[16];
	bool cards; /* a card round waits */
	uint64_t cards_move;
	uint32_t cards_index;
	uint32_t turned_n;
	uint8_t turned[TURNED_MAX]; /* positions */
	bool cards_won;
	bool bonus;
	uint8_t bonus_id[16];
};

struct client;
struct window {
	struct requester requester; /* first: an asker is a window */
	struct client *client;
	const struct sim_game *game;
	struct view view;
	struct request request, last;	      /* in hand; the last that was decided */
	uint8_t request_id[REQUEST_ID_BYTES]; /* of the command sent last */
	bool has_request, asked_cards;
	uint64_t think_us, broke_until_us;
	bool asleep;	   /* no wake is due */
	uint32_t finished; /* games seen to at the end */
	void *pair;	   /* of a scenario that asks by it */
};

struct client {
	player_id id;
	uint32_t currency;
	bool opened;
	uint64_t requests; /* numbers given */
	uint32_t windows_n;
	struct window window[WINDOWS_MAX];
	struct backend *backend;
	bool wants_money;
	bool limited; /* sets limits of his own */
};

/* One request to the wallet at a time for a player: deposits and their like. */
struct backend {
	struct requester requester;
	struct client *client;
	uint64_t keys;
	Carillon__MoveKind kind;
	int64_t amount;
	uint64_t key;	/* number of the request in hand */
	uint32_t spins; /* SPINS: given */
	uint64_t spins_until_us;
	uint8_t grant[16];     /* SPINS_END */
	Carillon__Limit limit; /* LIMIT */
	uint64_t round;	       /* VOID */
	uint32_t game;
	/* A withdrawal in flight, and bonus funds that may be taken back in part. */
	struct {
		uint8_t id[REQUEST_ID_BYTES];
		int64_t amount; /* 0: none */
		uint64_t since_us;
	} hold, funds;
	const uint8_t *of; /* CAPTURE, HOLD_RELEASE, GRANT_BACK: what is settled */
	bool has_grant, blocked;
	bool busy, again, other; /* as in struct request */
	bool asleep;
};

/* What the world's clients do, drawn for each world. */
struct crowd {
	size_t clients_n;
	struct client client[CLIENTS_MAX];
	uint64_t think_us;     /* between two requests of a window, about */
	uint64_t backend_us;   /* between two of a back end */
	uint64_t operators_us; /* between two of the operators of pools; 0: never */
	uint64_t life;	       /* of the world: events of the last one do nothing */
	bool draining;
	bool untouched; /* nobody turns cards */
	bool gone;	/* the players have left, whatever is open */
	void (*picked)(const Carillon__CardRound *round); /* a schedule's; NULL: none */
	uint32_t two_windows_ppm, again_ppm;
	uint32_t limited_ppm;
	uint32_t void_ppm;    /* of what back ends do */
	uint32_t by_hand_ppm; /* withdrawals that people decide, each time they look */
};
extern struct crowd crowd;

/* clients.c */
struct client *crowd_find(player_id player);
/* Somebody has a request in hand: who and which. */
bool crowd_waits(char *what, size_t room);
/* Finishes what is open and begins nothing new, until all windows are at rest. */
void crowd_rest(void);
/* An event of this world. */
void crowd_at(uint64_t after_us, void (*call)(void *context), void *context);

/* window.c */
void window_begin(struct window *window, struct client *client, uint32_t number);
void window_wake_soon(struct window *window, uint64_t after_us);
bool window_settled(const struct window *window);

/* choose.c: the next request of a window whose last one is decided, into window->request; false:
 * nothing for now. A pick of a card is asked at once (asked_cards). */
bool choose_request(struct window *window);
/* Card rounds: sends the next pick; false when there is nothing to pick. */
bool choose_card(struct window *window);

/* command.c: as services/gateway/adapters/play.c makes it of the same fields. */
bool command_request(struct window *window, const struct request *request);

/* backend.c */
void backend_begin(struct backend *backend, struct client *client);
void backend_id(const struct backend *backend, uint8_t id_r[REQUEST_ID_BYTES]);
bool backend_settled(const struct backend *backend);

/* operators.c */
void operators_begin(void);
bool operators_settled(void);
/* From now on they do nothing but make pools and retire them, each so many microseconds. */
void operators_make(uint64_t us);

#endif
