/* One player's play as a state machine without I/O: which command is allowed now, what to book for
 * it, and how a booked row changes the state. The engine proposes, the wallet decides: nothing here
 * changes money, and only player_adopt() applies the outcome of a move. The caller supplies time,
 * keys and random bytes. RULE numbers are those of docs/rules/. */
#ifndef CARILLON_SPIN_ENGINE_CORE_PLAYER_H
#define CARILLON_SPIN_ENGINE_CORE_PLAYER_H

#include "libcommon/base/ids.h"
#include "libcommon/base/money.h"
#include "libcommon/game/autoplay.h"
#include "libcommon/jackpot/cards_draw.h"
#include "libcommon/game/gamble.h"
#include "libcommon/game/game.h"
#include "libcommon/game/game_state.h"
#include "libcommon/game/round.h"

#define PLAYER_SALT_BYTES 16
#define PLAYER_KEY_BYTES 32
#define PLAYER_ID_BYTES 16 /* request id, content hash */
#define PLAYER_NONCE_MIN 16
#define PLAYER_NONCE_MAX 32
#define PLAYER_PICKS_MAX 48 /* kept for the history; later picks are shown but not kept */
#define PLAYER_GAMBLES_MAX 10
#define PLAYER_CLAIMS_MAX 8 /* jackpots one round may hit; a round with more stops the game */
#define PLAYER_AWARDS_MAX 16
#define PLAYER_SEEN_MAX 16   /* remembered requests that became moves, besides the last */
#define PLAYER_SEEN_BYTES 8  /* first bytes of an id or hash that are kept */
#define PLAYER_FORCED_MAX 24 /* scripted draws, tests only */
#define PLAYER_REASON_MAX 80
#define PLAYER_SHOW_MAX 64 /* phases that one step shows */
#define PLAYER_POOLS_MAX 2
#define PLAYER_BONUS_SPINS_MAX 8 /* grants of bonus spins; the wallet accepts no more live ones */
#define PLAYER_WALLET_NO_BONUS_SPINS 12 /* the wallet's refusal, as in proto/wallet.proto */

/* The secret of a move is made from this salt and the service key. The salt is drawn with the
 * previous move. */
struct player_salt {
	uint8_t bytes[PLAYER_SALT_BYTES];
	uint32_t key; /* number of the service key */
};

struct gamble_step {
	struct money stake, pending; /* pending: after the attempt */
	uint8_t guess, card;
	bool won;
};

/* The draw for Jackpot Cards at the end of a round. RULE mystic-gem 6.5 */
struct round_cards {
	struct cards_draw draw;
	uint32_t pool;
	uint32_t index; /* of the claim within move closed_by; 0: no Jackpot Cards */
	bool booked;	/* the award is booked; set by the claim's id, so that a record proposed
			   earlier cannot clear it */
};

/* The last round of a game, open or closed: all that is needed to replay it, phase by phase. */
struct play_round {
	uint64_t move;	    /* the move that opened it; 0: no round yet */
	uint64_t closed_by; /* the move that closed it; 0: open */
	uint64_t opened_us;
	struct player_salt salt;
	uint8_t nonce[PLAYER_NONCE_MAX];
	uint32_t nonce_length;
	uint8_t math_version[GAME_DIGEST_BYTES];
	uint8_t digest[ROUND_DIGEST_BYTES]; /* of the result */
	struct bet bet;
	struct round_state before; /* carried state of the bet value before it */
	struct money stake;
	struct money win_base_lines, win_feature;
	struct money feature_due; /* part of pending until the feature has been watched; never
				     gambled. RULE bewitched 5.9 */
	struct money credited;	  /* to the balance so far */
	uint32_t phases;
	uint32_t claims;       /* jackpots hit */
	uint32_t claims_shown; /* jackpots whose phase the cursor has passed */
	bool autospin, has_feature, voided;
	bool bonus; /* a bonus spin: stake is 0. RULE mystic-gem 7.1 */
	uint32_t pick_count;
	uint8_t pick[PLAYER_PICKS_MAX];
	uint32_t gamble_count;
	struct gamble_step gamble[PLAYER_GAMBLES_MAX];
	struct round_cards cards;
	struct cards_draw cards_before; /* draw of the round that this one's bet closed */
	uint32_t forced_count;		/* tests only: the round was scripted */
	uint32_t forced[PLAYER_FORCED_MAX];
};

/* One player in one game. state.open mirrors the round while it is open. */
struct player_game {
	struct game_state state;
	struct play_round round;
	uint64_t move;	  /* the last move that changed this game */
	uint64_t version; /* number of changes without a move: cursor, picks, witch */
};

struct player_award {
	uint64_t move;
	uint32_t index, pool;
	struct money paid;
};

/* An operator's grant of bonus spins: a number of spins of a game's base mode at one bet. */
struct player_bonus_spins {
	uint8_t id[PLAYER_ID_BYTES];
	uint32_t game, lines, coins, spins, used;
	int64_t coin_minor; /* in the account's currency */
	uint64_t expires_us;
};

enum player_verb {
	VERB_OPEN = 1,
	VERB_STATE,
	VERB_BET,
	VERB_PICK,
	VERB_NEXT,
	VERB_COLLECT,
	VERB_GAMBLE,
	VERB_HALVE,
	VERB_WITCH,
	VERB_AUTOPLAY,
	VERB_VOID,
	VERB_RESOLVE,
	VERB_REPLAY,
};

/* Numbers as in proto/wallet.proto: the adapter asserts that they agree. */
enum player_move {
	PLAYER_MOVE_NONE = 0,
	PLAYER_MOVE_OPEN = 1,
	PLAYER_MOVE_BET,
	PLAYER_MOVE_RELEASE,
	PLAYER_MOVE_GAMBLE,
	PLAYER_MOVE_HALVE,
	PLAYER_MOVE_COLLECT,
	PLAYER_MOVE_VOID,
	PLAYER_MOVE_SETTING,
};

/* The last move, to answer a retry of its request. */
struct player_last {
	uint8_t request_id[PLAYER_ID_BYTES], content_hash[PLAYER_ID_BYTES];
	enum player_move kind;
	uint32_t refusal; /* of the wallet, 0: accepted */
	uint32_t game;
	uint64_t round;
	struct money collected; /* from an earlier round, by this move */
};

/* An earlier request that became a move, accepted or refused by the wallet. The first bytes of id
 * and hash suffice: a chance match refuses a request, it never books one. */
struct player_seen {
	uint64_t move, refusal; /* refusal: the wallet's; 0: accepted */
	uint8_t request_id[PLAYER_SEEN_BYTES], content_hash[PLAYER_SEEN_BYTES];
};

struct player {
	player_id id;
	bool account; /* the account's opening row is known */
	bool blocked;
	uint32_t currency;
	uint64_t last_move;
	struct player_salt salt; /* of the next move */
	uint64_t money_seq;	 /* seq of the row that `balance` comes from */
	uint64_t taken_seq;	 /* seq of the newest row that was read in order */
	struct money balance;
	struct player_last last;
	uint32_t award_count; /* latest last */
	struct player_award award[PLAYER_AWARDS_MAX];
	uint32_t seen_count; /* latest last; the last move is not among them */
	struct player_seen seen[PLAYER_SEEN_MAX];
	uint32_t bonus_spins_count; /* grants with spins left, oldest first */
	struct player_bonus_spins bonus_spins[PLAYER_BONUS_SPINS_MAX];
};

/* A command, read and checked for form by the adapter. */
struct player_command {
	enum player_verb verb;
	uint64_t expect;
	bool has_request_id;
	uint8_t request_id[PLAYER_ID_BYTES], content_hash[PLAYER_ID_BYTES];
	uint64_t not_after_us;	/* 0: none */
	uint32_t currency;	/* OPEN */
	struct bet bet;		/* BET; player_check's caller sets its currency from the account */
	char mode[GAME_ID_MAX]; /* BET: the client's name; the caller also sets bet.mode */
	bool bonus; /* BET: a bonus spin of this grant; player_bonus_spins_bet fills the bet */
	uint8_t bonus_spin[PLAYER_ID_BYTES];
	bool autospin;
	uint8_t autoplay_id[AUTOPLAY_ID_BYTES];
	uint8_t nonce[PLAYER_NONCE_MAX];
	uint32_t nonce_length;
	uint64_t round;
	uint32_t choice, cursor;
	struct autoplay_settings autoplay; /* AUTOPLAY; spins 0: stop */
	bool awards_named;		   /* VOID: the round's jackpots are taken back too */
	struct money awards; /* set by the caller of player_propose if they are named */
	char reason[PLAYER_REASON_MAX + 1];
};

enum player_outcome {
	PLAYER_ANSWER = 0, /* nothing to book: reply with the present state */
	PLAYER_STORED,	   /* this request became the last move: reply with its result */
	PLAYER_REFUSE,	   /* see the error; no move number is spent */
	PLAYER_WAIT,	   /* it names a move that this engine has not seen: wait for its fact */
	PLAYER_STEP,	   /* continue with player_step() */
	PLAYER_PROPOSE,	   /* continue with player_propose() */
};

enum player_refusal {
	REFUSED_NOTHING = 0,
	REFUSED_NO_ACCOUNT,
	REFUSED_BLOCKED,
	REFUSED_CURRENCY,
	REFUSED_NO_GAME,
	REFUSED_GAME_STOPPED,
	REFUSED_MOVE_SPENT,
	REFUSED_MOVE_AHEAD,
	REFUSED_CONTENT,
	REFUSED_DONE,	/* found: the move that the request became */
	REFUSED_BEFORE, /* the wallet has refused this request; detail: its refusal */
	REFUSED_LATE,
	REFUSED_FEATURE_OPEN,
	REFUSED_CARDS_OPEN, /* found: the move of the claim */
	REFUSED_ROUND,
	REFUSED_CLOSED,
	REFUSED_CURSOR,
	REFUSED_PICK_NEEDED,
	REFUSED_NO_PICK,
	REFUSED_CHOICE,
	REFUSED_WITCH,
	REFUSED_BET,
	REFUSED_GAMBLE,
	REFUSED_AUTOPLAY,
	REFUSED_VOID,
	REFUSED_PHASE_LIMIT,
	REFUSED_OVERFLOW,
	REFUSED_SCRIPT,
	REFUSED_DRAWS, /* set by the caller: the random numbers cannot be trusted */
	REFUSED_BONUS_SPINS_UNKNOWN,
	REFUSED_BONUS_SPINS_EXPIRED,
	REFUSED_BONUS_SPINS_GAME,
	REFUSED_BONUS_SPINS_AUTOPLAY,
	PLAYER_REFUSALS_N
};

/* Why and where a command was refused, in numbers; the adapter writes the words. `detail` is the
 * status of the module that refused it (bet, gamble, autoplay). */
struct player_error {
	enum player_refusal refusal;
	int detail;
	const char *field;	 /* static; NULL: the whole request */
	int64_t found, min, max; /* min > max: no range */
};

struct player_claim {
	uint32_t index, pool;
	int64_t coin_minor;
	struct money stake; /* of its round */
	bool cards;	    /* Jackpot Cards; else a progressive's hit */
};

/* What the wallet should book, and the state to adopt once it is booked. */
struct player_proposal {
	enum player_move kind;
	uint64_t move, round;
	uint32_t game; /* 0: none */
	uint32_t currency;
	struct money pending_before, release, stake, win_balance, win_pending, forfeit;
	uint32_t pool_count;
	uint32_t pool[PLAYER_POOLS_MAX];
	uint32_t claim_count;
	struct player_claim claim[PLAYER_CLAIMS_MAX + 1]; /* the claim of Jackpot Cards is last */
	uint64_t not_after_us;
	uint64_t void_move;
	struct money collected, awards; /* awards: part of a VOID's stake */
	bool bonus;			/* BET: a bonus spin of this grant */
	uint8_t bonus_spin[PLAYER_ID_BYTES];
	bool has_game; /* false: OPEN */
	struct player_game after;
	struct player_salt next;
	struct round_sum sum; /* BET: for metrics */
};

/* Random bytes and keys of one move. */
struct player_entropy {
	uint8_t round_key[PLAYER_KEY_BYTES]; /* BET: game stream of this move. GAMBLE: gamble stream
						of the open round. Else: its game stream */
	struct player_salt next;
	/* Cards streams and odds of the open round and of the round that a BET opens: the move may
	 * close either. */
	uint8_t cards_key_open[PLAYER_KEY_BYTES], cards_key_new[PLAYER_KEY_BYTES];
	struct cards_odds cards_open, cards_new;
	struct rng_health *watch; /* receives every draw; NULL: no health test */
	uint32_t forced_count;	  /* tests only */
	uint32_t forced[PLAYER_FORCED_MAX];
};

/* The parts of a booked row that affect play. */
struct player_fact {
	enum player_move kind; /* NONE: the row is not a move */
	uint64_t seq, move, round;
	uint32_t game, refusal, currency;
	struct money balance_after;
	uint8_t request_id[PLAYER_ID_BYTES];
	bool bonus; /* BET: a bonus spin of this grant */
	uint8_t bonus_spin[PLAYER_ID_BYTES];
};

/* The engine's record in a row, decoded. */
struct player_record {
	uint8_t content_hash[PLAYER_ID_BYTES];
	struct player_salt next;
	struct money collected;
	struct money awards; /* VOID: the round's jackpots, taken back with the rest */
	char reason[PLAYER_REASON_MAX + 1];
	bool has_game;
	struct player_game game;
};

enum player_adopt {
	ADOPT_TAKEN = 0, /* the move is now the last one */
	ADOPT_KNOWN,	 /* not newer than the known state; the balance may have changed */
	ADOPT_SKIPPED,	 /* taken, although earlier moves were never seen */
};

/* A player with no known state; a game that was never played. */
void player_init(player_id id, struct player *player_r);
void player_game_init(const struct game *game, struct player_game *play_r);
/* The number of the next move; 0 opens the account. */
uint64_t player_expect(const struct player *player);
bool player_round_open(const struct player_game *play);
bool player_feature_open(const struct player_game *play);
/* True if the round is a bonus spin: it costs nothing, feeds no pool and no level, and never begins
 * Jackpot Cards. RULE mystic-gem 7.3, 7.4 */
static inline bool round_is_bonus(const struct play_round *round)
{
	return round->bonus;
}

/* True if the last round began Jackpot Cards whose award is not booked: the game takes no bet. */
bool player_cards_open(const struct player_game *play);
/* The pending that the wallet must have for this game. */
struct money player_pending(const struct player_game *play);

/* Recognizes a request that already became a move, whatever move number it names: a client that
 * lost the reply may have learned the next number elsewhere. PLAYER_STORED: the request became the
 * last move. PLAYER_REFUSE with REFUSED_DONE or REFUSED_CONTENT in *error_r: it became an earlier
 * move. PLAYER_PROPOSE: no remembered move has this request. */
enum player_outcome player_repeat(const struct player *player, const struct player_command *command,
	struct player_error *error_r);

/* Checks whether a command is allowed now. `play` and `game` are NULL if the command names no game;
 * `game` is the definition that the open round began with, or for a BET the one offered now.
 * Changes nothing; fills *error_r on PLAYER_REFUSE. */
enum player_outcome player_check(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command, uint64_t now_us,
	struct player_error *error_r);

/* A closed round that is not the last of its game, as loaded from the journal. */
struct past_round {
	uint32_t game; /* number */
	uint64_t round;
	struct money stake, credited; /* credited: paid to the balance, except awards */
	struct money awards;	      /* to take back too; 0: they stay */
};
/* Voids a past round by compensating entries alone: no game's state changes. `play`: of the round's
 * game; NULL: none. The wallet checks that the round is not void already. False: the amounts are
 * too large. */
bool player_propose_void_past(const struct player *player, const struct player_game *play,
	const struct past_round *past, const struct player_entropy *entropy,
	struct player_proposal *proposal_r);
/* Proposes a move. Call after PLAYER_PROPOSE of player_check or player_step. REFUSED_NOTHING, or
 * why it cannot be proposed. */
enum player_refusal player_propose(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, uint64_t now_us, struct player_proposal *proposal_r);

/* PICK, NEXT and WITCH: moves the cursor in place (PLAYER_ANSWER, version raised) or refuses. At
 * the end of the feature it leaves the state unchanged and returns PLAYER_PROPOSE with the
 * proposal. round_key: game stream of the open round, unused by WITCH. *from_r: first phase that
 * the reply should show. */
enum player_outcome player_step(const struct player *player, struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, uint32_t *from_r, struct player_proposal *proposal_r,
	struct player_error *error_r);

/* The phase after the cursor: fills its needs and vials. False: all phases are shown.
 */
bool player_next_phase(const struct player_game *play, const struct game *game,
	const uint8_t round_key[PLAYER_KEY_BYTES], struct phase *phase_r);
/* The stream of a round from its beginning, scripted draws included. */
void player_stream(const struct play_round *round, const uint8_t round_key[PLAYER_KEY_BYTES],
	struct rng *rng_r);

/* True if this row's move was adopted before; its record is then not needed. */
bool player_knows(const struct player *player, const struct player_fact *fact);
/* Adopts a row: the balance by seq, the state by move number. record NULL: the row has no readable
 * record (a refused foreign command); the move number advances and the salt is derived from the
 * known one. `play` receives the game's state; NULL if the row has no game. */
enum player_adopt player_adopt(struct player *player, struct player_game *play,
	const struct player_fact *fact, const struct player_record *record);
/* Stores an award of the wallet, once per claim. */
void player_award(struct player *player, const struct player_award *award);
/* Marks the award of the game's Jackpot Cards as booked. True: it was this game's, which takes bets
 * again. */
bool player_cards_booked(struct player_game *play, const struct player_award *award);
const struct player_award *player_award_of(
	const struct player *player, uint64_t move, uint32_t index);
/* Bonus spins: add a grant; end one; find one by id that has spins left, or NULL. */
void player_bonus_spins(struct player *player, const struct player_bonus_spins *bonus_spins);
void player_bonus_spins_end(struct player *player, const uint8_t id[PLAYER_ID_BYTES]);
const struct player_bonus_spins *player_bonus_spins_of(
	const struct player *player, const uint8_t id[PLAYER_ID_BYTES]);
/* For a command with `bonus` set: fills its bet from the grant, before player_check. */
void player_bonus_spins_bet(const struct player *player, struct player_command *command);
/* For player.c: checks whether a bonus spin may be played in this game now; counts a bet that was
 * booked or refused. */
enum player_refusal player_bonus_spins_check(const struct player *player, uint32_t game,
	const struct player_command *command, uint64_t now_us);
void player_bonus_spins_fold(struct player *player, const struct player_fact *fact);
/* How long after the beginning of the game's last round the gap between two bets lasts from now on;
 * 0: no longer. A beginning in the future is of a clock that was ahead: nobody waits for it. */
uint64_t player_gap_left_us(const struct player_game *play, uint64_t gap_us, uint64_t now_us);
/* Jackpots in the balance that this game's cursor has not reached; the balance is shown without
 * them. */
struct money player_hidden(const struct player *player, const struct player_game *play);

#endif
