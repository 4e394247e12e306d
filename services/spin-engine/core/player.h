/* One player's play, as a state machine without I/O: which command is allowed now, what would be
 * booked for it, and what a booked row makes of the state. The engine proposes, the wallet decides:
 * nothing here changes money, and nothing but player_adopt() takes over the outcome of a move.
 * Time, keys and random bytes are handed in. RULE numbers are those of docs/rules/. */
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
#define PLAYER_PICKS_MAX 48 /* remembered for history; later ones are shown but not kept */
#define PLAYER_GAMBLES_MAX 10
#define PLAYER_CLAIMS_MAX 8 /* jackpots one round may hit: beyond it play of the game stops */
#define PLAYER_AWARDS_MAX 16
#define PLAYER_SEEN_MAX 16   /* requests known as moves, beside the last */
#define PLAYER_SEEN_BYTES 8  /* of an id or hash; the first of them */
#define PLAYER_FORCED_MAX 24 /* draws of a script, tests only */
#define PLAYER_REASON_MAX 80
#define PLAYER_SHOW_MAX 64 /* phases one step shows */
#define PLAYER_POOLS_MAX 2
#define PLAYER_BONUS_SPINS_MAX                                                                     \
	8 /* gifts of bonus spins; the wallet takes no more that are not over */
#define PLAYER_WALLET_NO_BONUS_SPINS 12 /* the wallet's refusal, as in proto/wallet.proto */

/* What makes the secret of a move, with the service key: drawn with the move before it. */
struct player_salt {
	uint8_t bytes[PLAYER_SALT_BYTES];
	uint32_t key; /* number of the service key */
};

struct gamble_step {
	struct money stake, pending; /* pending: after it */
	uint8_t guess, card;
	bool won;
};

/* The draw of Jackpot Cards at the end of a round. RULE mystic-gem 6.5 */
struct round_cards {
	struct cards_draw draw;
	uint32_t pool;
	uint32_t index; /* of the claim within move closed_by; 0: they did not begin */
	bool booked; /* the award has been booked; folded by the claim's id, so that no record that
			was proposed before it takes it back */
};

/* The last round of a game, open or closed: what is needed to play it again, screen by screen. */
struct play_round {
	uint64_t move;	    /* that opened it; 0: none yet */
	uint64_t closed_by; /* the move that closed it; 0: open */
	uint64_t opened_us;
	struct player_salt salt;
	uint8_t nonce[PLAYER_NONCE_MAX];
	uint32_t nonce_length;
	uint8_t math_version[GAME_DIGEST_BYTES];
	uint8_t digest[ROUND_DIGEST_BYTES]; /* of the result */
	struct bet bet;
	struct round_state before; /* what the bet value carried before it */
	struct money stake;
	struct money win_base_lines, win_feature;
	struct money feature_due; /* part of pending that waits for the feature to be watched; never
				     gambled. RULE bewitched 5.9 */
	struct money credited;	  /* what has reached the balance so far */
	uint32_t phases;
	uint32_t claims;       /* jackpots hit */
	uint32_t claims_shown; /* those whose phase the cursor has passed */
	bool autospin, has_feature, voided;
	bool bonus; /* an operator's bonus spin: stake is 0. RULE mystic-gem 7.1 */
	uint32_t pick_count;
	uint8_t pick[PLAYER_PICKS_MAX];
	uint32_t gamble_count;
	struct gamble_step gamble[PLAYER_GAMBLES_MAX];
	struct round_cards cards;
	struct cards_draw cards_before; /* of the round that this one's bet closed: it drew none */
	uint32_t forced_count;		/* tests only: the round was scripted */
	uint32_t forced[PLAYER_FORCED_MAX];
};

/* One player in one game. state.open mirrors the round while it is open. */
struct player_game {
	struct game_state state;
	struct play_round round;
	uint64_t move;	  /* the last move that changed this */
	uint64_t version; /* counts changes without a move: cursor, picks, witch */
};

struct player_award {
	uint64_t move;
	uint32_t index, pool;
	struct money paid;
};

/* An operator's bonus spins: so many spins of a game's base mode at one bet. */
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

/* The last move, for whoever asks it again. */
struct player_last {
	uint8_t request_id[PLAYER_ID_BYTES], content_hash[PLAYER_ID_BYTES];
	enum player_move kind;
	uint32_t refusal; /* of the wallet, 0: accepted */
	uint32_t game;
	uint64_t round;
	struct money collected; /* of an earlier round by this move */
};

/* An earlier request that became a move, accepted or refused by the wallet. The beginnings of id
 * and hash are enough: two that agree by chance refuse a request, and never book one. */
struct player_seen {
	uint64_t move;
	uint8_t request_id[PLAYER_SEEN_BYTES], content_hash[PLAYER_SEEN_BYTES];
};

struct player {
	player_id id;
	bool account; /* journal row 0 is known */
	bool blocked;
	uint32_t currency;
	uint64_t last_move;
	struct player_salt salt; /* of the next move */
	uint64_t money_seq;	 /* seq of the row the balance comes from */
	struct money balance;
	struct player_last last;
	uint32_t award_count; /* latest last */
	struct player_award award[PLAYER_AWARDS_MAX];
	uint32_t seen_count; /* latest last; the last move is not among them */
	struct player_seen seen[PLAYER_SEEN_MAX];
	uint32_t bonus_spins_count; /* with spins left; oldest first */
	struct player_bonus_spins bonus_spins[PLAYER_BONUS_SPINS_MAX];
};

/* A command, read and checked for form by the adapter. */
struct player_command {
	enum player_verb verb;
	uint64_t expect;
	bool has_request_id;
	uint8_t request_id[PLAYER_ID_BYTES], content_hash[PLAYER_ID_BYTES];
	uint64_t not_after_us; /* 0: none */
	uint32_t currency;     /* OPEN */
	struct bet bet; /* BET; its currency is the account's, filled by player_check's caller */
	char mode[GAME_ID_MAX]; /* BET: as the client named it; bet.mode is found by the caller too
				 */
	bool bonus; /* BET: one of these bonus spins; player_bonus_spins_bet fills the bet */
	uint8_t bonus_spin[PLAYER_ID_BYTES];
	bool autospin;
	uint8_t autoplay_id[AUTOPLAY_ID_BYTES];
	uint8_t nonce[PLAYER_NONCE_MAX];
	uint32_t nonce_length;
	uint64_t round;
	uint32_t choice, cursor;
	struct autoplay_settings autoplay; /* AUTOPLAY; spins 0 stops */
	char reason[PLAYER_REASON_MAX + 1];
};

enum player_outcome {
	PLAYER_ANSWER = 0, /* nothing to book: the present state is the answer */
	PLAYER_STORED,	   /* this request is the last move: answer its result */
	PLAYER_REFUSE,	   /* see the error; no number is spent */
	PLAYER_WAIT,	   /* it names a move this engine has not seen yet: facts may bring it */
	PLAYER_STEP,	   /* go on with player_step() */
	PLAYER_PROPOSE,	   /* go on with player_propose() */
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
	REFUSED_DONE, /* found: the move that it became */
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
	REFUSED_DRAWS, /* the caller's: the random numbers are not to be trusted */
	REFUSED_BONUS_SPINS_UNKNOWN,
	REFUSED_BONUS_SPINS_EXPIRED,
	REFUSED_BONUS_SPINS_GAME,
	REFUSED_BONUS_SPINS_AUTOPLAY,
	PLAYER_REFUSALS_N
};

/* Why, and where: numbers only, words are the adapter's. `detail` is the status of the module that
 * refused (bet, gamble, autoplay). */
struct player_error {
	enum player_refusal refusal;
	int detail;
	const char *field;	 /* static; NULL: the request as a whole */
	int64_t found, min, max; /* min > max: no range to tell */
};

struct player_claim {
	uint32_t index, pool;
	int64_t coin_minor;
	struct money stake; /* of the round it belongs to */
	bool cards;	    /* Jackpot Cards; else a progressive's hit */
};

/* What is asked of the wallet, and the state that is taken over if it is booked. */
struct player_proposal {
	enum player_move kind;
	uint64_t move, round;
	uint32_t game; /* 0: none */
	uint32_t currency;
	struct money pending_before, release, stake, win_balance, win_pending, forfeit;
	uint32_t pool_count;
	uint32_t pool[PLAYER_POOLS_MAX];
	uint32_t claim_count;
	struct player_claim claim[PLAYER_CLAIMS_MAX + 1]; /* the round's cards last */
	uint64_t not_after_us;
	uint64_t void_move;
	struct money collected;
	bool bonus; /* BET: of these bonus spins */
	uint8_t bonus_spin[PLAYER_ID_BYTES];
	bool has_game; /* false: OPEN */
	struct player_game after;
	struct player_salt next;
	struct round_sum sum; /* BET: for metrics */
};

/* Random bytes and keys of one move. */
struct player_entropy {
	uint8_t round_key[PLAYER_KEY_BYTES]; /* BET: game stream of this move. Else: of the open
						round; GAMBLE: its gamble stream */
	struct player_salt next;
	/* The cards stream of the round that is open, and of the one that a BET opens, with the
	 * odds of each: the move may close either. */
	uint8_t cards_key_open[PLAYER_KEY_BYTES], cards_key_new[PLAYER_KEY_BYTES];
	struct cards_odds cards_open, cards_new;
	struct rng_health *watch; /* is fed the streams that are drawn; NULL: nobody watches */
	uint32_t forced_count;	  /* tests only */
	uint32_t forced[PLAYER_FORCED_MAX];
};

/* A booked row, as far as play is concerned. */
struct player_fact {
	enum player_move kind; /* NONE: a row that is no move */
	uint64_t seq, move, round;
	uint32_t game, refusal, currency;
	struct money balance_after;
	uint8_t request_id[PLAYER_ID_BYTES];
	bool bonus; /* BET: of these bonus spins */
	uint8_t bonus_spin[PLAYER_ID_BYTES];
};

/* The engine's own part of a row, read back. */
struct player_record {
	uint8_t content_hash[PLAYER_ID_BYTES];
	struct player_salt next;
	struct money collected;
	char reason[PLAYER_REASON_MAX + 1];
	bool has_game;
	struct player_game game;
};

enum player_adopt {
	ADOPT_TAKEN = 0, /* the move is now the last */
	ADOPT_KNOWN,	 /* not newer than what is known; the balance may have moved */
	ADOPT_SKIPPED,	 /* taken, though moves before it were never seen */
};

/* A player of whom nothing is known, and a game never played. */
void player_init(player_id id, struct player *player_r);
void player_game_init(const struct game *game, struct player_game *play_r);
/* The next move: 0 opens the account. */
uint64_t player_expect(const struct player *player);
bool player_round_open(const struct player_game *play);
bool player_feature_open(const struct player_game *play);
/* Was it played as an operator's bonus spin? Such a round costs nothing, feeds no pool and no
 * level, and never begins Jackpot Cards. RULE mystic-gem 7.3, 7.4 */
static inline bool round_is_bonus(const struct play_round *round)
{
	return round->bonus;
}

/* The last round began Jackpot Cards whose award has not been booked: the game takes no bet. */
bool player_cards_open(const struct player_game *play);
/* Pending as the wallet must have it for this game. */
struct money player_pending(const struct player_game *play);

/* What became a move before starts nothing again, whatever number it names: whoever lost the reply
 * may have learned from elsewhere which number is next. PLAYER_STORED: the last move was this
 * request's; PLAYER_REFUSE with REFUSED_DONE or REFUSED_CONTENT in *error_r: an earlier one was;
 * PLAYER_PROPOSE: none of those remembered. */
enum player_outcome player_repeat(const struct player *player, const struct player_command *command,
	struct player_error *error_r);

/* Is this allowed now? `play` and `game` are NULL where no game is meant; game is the definition
 * the open round began with, or for a BET the one offered now. Changes nothing; *error_r is filled
 * on PLAYER_REFUSE. */
enum player_outcome player_check(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command, uint64_t now_us,
	struct player_error *error_r);

/* A round that is no longer at hand, as the journal has it: it is closed, for its game went on. */
struct past_round {
	uint32_t game; /* number */
	uint64_t round;
	struct money stake, credited; /* credited: all that came of it to the balance, but awards */
};
/* Makes good a past round, by compensating entries alone: no game's state changes. `play`: of its
 * game, NULL: none. That it is not void already is asked of the wallet. */
void player_propose_void_past(const struct player *player, const struct player_game *play,
	const struct past_round *past, const struct player_entropy *entropy,
	struct player_proposal *proposal_r);
/* The moves. After PLAYER_PROPOSE of player_check, or of player_step. REFUSED_NOTHING, or why
 * nothing can be proposed. */
enum player_refusal player_propose(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, uint64_t now_us, struct player_proposal *proposal_r);

/* PICK, NEXT and WITCH: moves the cursor in place (PLAYER_ANSWER, version raised), refuses, or -
 * when the feature's end is reached - leaves the state as it is and gives PLAYER_PROPOSE with the
 * proposal. round_key: game stream of the open round, unused by WITCH. *from_r: first phase the
 * answer should show. */
enum player_outcome player_step(const struct player *player, struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, uint32_t *from_r, struct player_proposal *proposal_r,
	struct player_error *error_r);

/* What the cursor stands before: fills needs and vials of the next phase. False when all is shown.
 */
bool player_next_phase(const struct player_game *play, const struct game *game,
	const uint8_t round_key[PLAYER_KEY_BYTES], struct phase *phase_r);
/* The stream of a round from its beginning, script included. */
void player_stream(const struct play_round *round, const uint8_t round_key[PLAYER_KEY_BYTES],
	struct rng *rng_r);

/* Was this row's move, if it is one, adopted before? Then its record is not needed any more. */
bool player_knows(const struct player *player, const struct player_fact *fact);
/* Takes over a row: the balance by seq, the state by move number. record NULL: the row has none
 * that can be read (a refused alien's): the number advances and the salt follows from what is
 * known. `play` is where the game's state goes, NULL when the row has no game. */
enum player_adopt player_adopt(struct player *player, struct player_game *play,
	const struct player_fact *fact, const struct player_record *record);
/* An award of the wallet: remembered by its claim, once. */
void player_award(struct player *player, const struct player_award *award);
/* The same for the game whose cards it was: true when it was this one, and it takes bets again. */
bool player_cards_booked(struct player_game *play, const struct player_award *award);
const struct player_award *player_award_of(
	const struct player *player, uint64_t move, uint32_t index);
/* Bonus spins: given; ended by the operator; the one of this id with spins left, or NULL. */
void player_bonus_spins(struct player *player, const struct player_bonus_spins *bonus_spins);
void player_bonus_spins_end(struct player *player, const uint8_t id[PLAYER_ID_BYTES]);
const struct player_bonus_spins *player_bonus_spins_of(
	const struct player *player, const uint8_t id[PLAYER_ID_BYTES]);
/* A bet with `bonus` set: fills the bet that was given, before player_check. */
void player_bonus_spins_bet(const struct player *player, struct player_command *command);
/* For player.c: may one be played in this game now; a bet that used one was booked or refused. */
enum player_refusal player_bonus_spins_check(const struct player *player, uint32_t game,
	const struct player_command *command, uint64_t now_us);
void player_bonus_spins_fold(struct player *player, const struct player_fact *fact);
/* Jackpots already in the balance that this game's cursor has not reached: held back from what is
 * shown. */
struct money player_hidden(const struct player *player, const struct player_game *play);

#endif
