/* One simulated player: asks one thing at a time, asks it again with the same key until it is
 * answered, follows the stages of a round, checks every answer and keeps a record of it. */
#ifndef CARILLON_SUPPORT_PLAYERS_PLAYER_H
#define CARILLON_SUPPORT_PLAYERS_PLAYER_H

#include "tests/support/players/card_view.h"
#include "tests/support/players/http.h"
#include "tests/support/players/ledger_rounds.h"
#include "tests/support/players/options.h"
#include "tests/support/players/record.h"
#include "tests/support/players/stats.h"
#include "tests/support/players/view.h"

#define PLAYER_TOKEN_MAX 1024
#define PLAYER_DEPOSIT_MINOR 100000
#define PICKS_OFFERED_MAX 16
#define COINS_MAX 32

/* One game as GET /v1/games/{id} offers it. */
struct game_rules {
	char id[STATS_ID_MAX];
	size_t at; /* in stats.game */
	int64_t coin[COINS_MAX];
	bool sold[COINS_MAX]; /* may a mode be bought at that coin value? */
	size_t coins_n;
	int64_t stake_min, stake_max; /* of one bet; 0: not told */
	int64_t price_max;	      /* of a bought mode; 0: not told */
	int64_t lines_min, lines_max, coins_min, coins_max;
	uint32_t pick_outcomes;
	bool halves; /* the double-up has HALVE */
	size_t modes_n;
	struct {
		char id[STATS_ID_MAX];
		int64_t price_hundredths;
	} mode[STATS_MODES_MAX];
};

/* A bet that the options and the rules allow. */
struct bet_choice {
	int64_t coin, lines, coins, stake; /* stake: what it costs */
	size_t mode;
};

/* What all players share. */
struct crowd {
	const struct options *options;
	struct http *http;
	struct player *players;
	size_t n;
	struct player **due; /* heap, soonest first */
	size_t due_n;
	size_t active;	      /* players who have not reached PLAYER_DONE */
	bool stopping;	      /* no new rounds */
	uint64_t progress_us; /* the last step towards the end of anybody's play */
	uint64_t rounds_begun;
	struct game_rules game[STATS_GAMES_MAX];
	size_t games_n;
};

enum player_stage {
	PLAYER_JOINS, /* session, then where its ledger stands */
	PLAYER_PLAYS,
	PLAYER_READS_BACK, /* compares its record so far, and plays on */
	PLAYER_AUDITS,	   /* compares the rest */
	PLAYER_DONE,
};

enum op_kind {
	OP_SESSION,
	OP_BASE, /* the newest row of the journal */
	OP_STATE,
	OP_BET,
	OP_PICK,
	OP_NEXT,
	OP_COLLECT,
	OP_GAMBLE,
	OP_HALVE,
	OP_CARDS, /* his rounds of Jackpot Cards: after he has been away */
	OP_CARD,  /* one of them */
	OP_CARD_PICK,
	OP_DEPOSIT,
	OP_JOURNAL,
	OP_ROUNDS,
	OP_REVEAL, /* GET /v1/rounds/{round}: the secret of a closed round */
};

/* What is being asked; unchanged however often it is sent. */
struct op {
	enum op_kind kind;
	char path[160], body[512], key[48]; /* body "": GET */
	uint64_t first_us;		    /* sent first; 0: not yet */
	uint64_t sent_us;		    /* sent last */
	unsigned tries;
	uint64_t expect, round;
	int64_t stake, coin_minor, pending;
	size_t mode;
};

/* The Jackpot Cards that his game waits for. */
struct card_play {
	bool open;
	bool seen; /* `known` is how it stands now */
	uint64_t move;
	uint32_t index;
	struct card_view known; /* as last told */
	int64_t due;		/* won, and not seen in the balance yet */
};

struct player {
	struct crowd *crowd;
	int64_t number;
	struct http_line *line;
	char token[PLAYER_TOKEN_MAX];
	uint64_t random;
	enum player_stage stage;
	struct op op;
	bool asking;   /* op is not answered yet */
	bool renewing; /* a session is asked for in between: op waits */
	bool broke;
	bool has_bet; /* a bet of theirs was settled */

	uint64_t expect;
	uint8_t secret_hash[32];
	bool has_hash;
	int64_t balance;
	const struct game_rules *game; /* the one he sits at */
	struct round_view round;       /* the open or last one of it, as last told */
	struct card_play cards;
	uint32_t picks; /* made in the present bonus */
	unsigned refused_in_row, conflicts_in_row, strange_in_row;

	uint64_t due_us, next_spin_us;
	size_t heap_at; /* 1-based; 0: not in the heap */

	struct record record;
	LIST(struct ledger_row) rows; /* newest first while they are read */
	struct ledger_rounds ledger;  /* the same by rounds, once they were read */
	unsigned audit_tries;
	size_t read_back_at;	 /* so many rounds in the record, and it is time; 0: never */
	uint64_t compared_until; /* rounds before it are being compared */
	uint64_t shown[STATS_GAMES_MAX]; /* the newest round that was shown of each game */
	size_t history_n;
	size_t reveals;
};

/* The player's next request is due. */
void player_act(struct player *player, uint64_t now_us);
http_done player_answered;
/* Puts the player into the heap. */
void crowd_schedule(struct player *player, uint64_t due_us);
/* The player is a step nearer to the end of what he does: the crowd is waited for. */
void crowd_progress(struct crowd *crowd);

/* player.c, for audit.c: begins an op; body NULL for a GET. */
struct op *player_begin(struct player *player, enum op_kind kind);
void player_send(struct player *player, uint64_t now_us);

void player_begin_state(struct player *player);

/* cards.c */
#define CARDS_TRIES_MAX 1200 /* a minute and more: Kafka may be away for so long */
enum cards_next {
	CARDS_NONE, /* there are none to play */
	CARDS_ASK,  /* an op was begun */
	CARDS_WAIT, /* the same, and it is due later */
};
enum cards_next cards_begin(struct player *player, uint64_t now_us);
/* What an answer of the game says of them. */
void cards_adopt(struct player *player, const struct view *view);
void cards_answered(struct player *player, const json_t *json);
/* False: a refusal that nobody should get. */
bool cards_refused(struct player *player, long status, const struct view *view);
/* A rise of the balance that is the prize that was told. */
bool cards_take_due(struct player *player, int64_t rise);

/* audit.c */
/* The base is known: when is it time to read back? */
void audit_plan(struct player *player);
/* Is it, and may it be done now? */
bool audit_due(const struct player *player);
void audit_begin(struct player *player);
void audit_answered(struct player *player, const json_t *json);
void audit_finish(struct player *player);

/* answer.c: checks what an accepted request was answered against what was known before. */
void answer_check(struct player *player, const struct op *op, const struct view *view);
void answer_note_balance(struct player *player);
/* Jackpots newly shown in a round: what of them came into the balance with this answer. Negative
 * where an engine that died had forgotten how far the player watched, and hides one again. */
int64_t answer_take_jackpots(struct player *player, const struct round_view *round);
/* A rise that nothing explains may be an award that was on its way: true, and it is one. */
bool answer_absorb(struct player *player, int64_t rise);

/* bet.c */
uint64_t player_random(struct player *player);
void bet_choose(struct player *player, struct bet_choice *bet_r);
/* False when it says no id or offers nothing that could be bet. */
bool bet_rules_read(const struct options *options, const json_t *game, struct game_rules *rules_r);

#endif
