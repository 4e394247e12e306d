/* The rules of the wallet: what a command does to an account, as a pure function of the account,
 * the command, the open tallies, the limits and the time. Every result is a journal row, accepted
 * or refused; the adapters write and send it.
 *
 * Two properties must hold, or money leaks:
 *  - acceptance checks the stake alone, as if the round won nothing (a check of stake less win
 * would accept only winning rounds);
 *  - a refusal changes nothing but the move number, which it spends. Amounts are minor units of the
 * account's currency. */
#ifndef CARILLON_WALLET_CORE_WALLET_H
#define CARILLON_WALLET_CORE_WALLET_H

#include "libcommon/base/ids.h"
#include "libcommon/base/money.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WALLET_ID_BYTES 16
#define WALLET_RECORD_MAX 1024 /* bytes of an engine's record */
#define WALLET_PENDINGS_MAX 8  /* games in which a player may have pending money at once */
#define WALLET_POOLS_MAX 4     /* pools one stake may feed */
#define WALLET_CLAIMS_MAX 256  /* prizes one move may claim */
#define WALLET_TALLIES_MAX                                                                         \
	1024 /* tallies that are open, or closed and not yet recorded by a pool */
#define WALLET_LINKED_POOLS_MAX                                                                    \
	128 /* pairs (pool, game) that no definition names: 64 games, 2 each */
#define WALLET_OPTED_OUT_MAX 4096 /* switches of operators who opted out */
#define WALLET_STOPS_MAX 64	  /* games stopped by kill switch */
#define WALLET_LEGS_MAX 4
#define WALLET_DAY_MAX 2932896 /* 9999-12-31, in days since 1970-01-01 */
#define WALLET_STAKE_MAX_N 64
#define WALLET_DEPOSIT_MAX_N 64	      /* operators' limits on one deposit */
#define WALLET_BONUS_SPINS_MAX 10000  /* bonus spins of one grant */
#define WALLET_BONUS_SPINS_LIVE_MAX 8 /* usable grants a player may have */
/* Largest stake, win, deposit or award: far above any real one. A sum of several fits, so no
 * overflow check depends on the win. */
#define WALLET_AMOUNT_MAX INT64_C(1000000000000000)
/* A balance or pending above this takes no more money: the rest up to INT64_MAX holds any win of
 * one move. */
#define WALLET_BALANCE_MAX INT64_C(9000000000000000000)

/* Numbers as in proto/wallet.proto; the adapters assert that they agree. */
enum wallet_kind {
	WALLET_KIND_OPEN = 1,
	WALLET_KIND_BET = 2,
	WALLET_KIND_RELEASE = 3,
	WALLET_KIND_GAMBLE = 4,
	WALLET_KIND_HALVE = 5,
	WALLET_KIND_COLLECT = 6,
	WALLET_KIND_VOID = 7,
	WALLET_KIND_SETTING = 8,
	WALLET_KIND_DEPOSIT = 20,
	WALLET_KIND_WITHDRAWAL = 21,
	WALLET_KIND_CORRECTION = 22,
	WALLET_KIND_GRANT = 23,
	WALLET_KIND_AWARD = 24,
	WALLET_KIND_BLOCK = 25,
	WALLET_KIND_BONUS_SPINS = 26,
	WALLET_KIND_BONUS_SPINS_END = 27,
	WALLET_KIND_HOLD = 28,
	WALLET_KIND_CAPTURE = 29,
	WALLET_KIND_HOLD_RELEASE = 30,
	WALLET_KIND_GRANT_BACK = 31,
	WALLET_KIND_LIMIT = 32,
};

enum wallet_refusal {
	WALLET_REFUSAL_NONE = 0,
	WALLET_REFUSAL_FUNDS = 1,
	WALLET_REFUSAL_LIMIT = 2,
	WALLET_REFUSAL_BLOCKED = 3,
	WALLET_REFUSAL_LATE = 4,
	WALLET_REFUSAL_PENDING = 5,
	WALLET_REFUSAL_ACCOUNT = 6,
	WALLET_REFUSAL_CONTENT = 7,
	WALLET_REFUSAL_TALLY = 8,
	WALLET_REFUSAL_KIND = 9,
	WALLET_REFUSAL_CLAIM = 10,
	WALLET_REFUSAL_AMOUNT = 11,
	WALLET_REFUSAL_BONUS_SPINS = 12,
	WALLET_REFUSAL_HOLD = 13,
	WALLET_REFUSAL_LIMIT_LOSS = 14,
	WALLET_REFUSAL_LIMIT_WAGER = 15,
	WALLET_REFUSAL_RATE = 16,
	WALLET_REFUSAL_LIMIT_TIME = 17,
	WALLET_REFUSAL_LIMIT_DEPOSIT = 18,
	WALLET_REFUSAL_EXCLUDED = 19,
	WALLET_REFUSAL_VOIDED = 20,
	WALLET_REFUSAL_CLAIM_OPEN = 21,
};
#define WALLET_REFUSALS_N 22

/* The result of a command. */
enum wallet_status {
	WALLET_BOOKED = 0, /* the row is to be journalled, accepted or refused */
	WALLET_SPENT,	   /* the move number or id is spent: reply with the row that spent it */
	WALLET_AHEAD,	   /* the move number is above last + 1: nothing is booked, an alarm */
	WALLET_CLOSED,	   /* an award for a paid claim: nothing is booked, a metric counts it */
};

/* Won or gambled money. Until its round closes it can be neither bet elsewhere nor withdrawn. */
struct wallet_pending {
	uint32_t game;
	uint64_t round;
	struct money amount; /* > 0 */
};

/* A player's limits (proto/wallet.proto, Limit) and how much of them is used. They exist from the
 * row that sets the player's first limit. Each row updates them as it updates the balance, so
 * recovery restores them exactly. */
enum wallet_limit_code {
	WALLET_LIMIT_LOSS_DAY = 1,
	WALLET_LIMIT_WAGER_DAY = 4,
	WALLET_LIMIT_DEPOSIT_DAY = 7,
	WALLET_LIMIT_TIME = 10,
	WALLET_LIMIT_EXCLUSION = 11,
};
/* Codes, 0 is none. A new one also changes: adapters/limits_text.h, the length of
 * wallet.player_limit.state (a new migration), the texts and SQL of the gateway's
 * adapters/limits.c, and the judge of the simulator (tests/sim/judge/limits.c). */
#define WALLET_LIMITS_N 12
#define WALLET_LIMIT_NONE (-1)
enum wallet_period { WALLET_DAY = 0, WALLET_WEEK, WALLET_MONTH, WALLET_PERIODS_N };
/* After this long without a bet the player has rested, and their play time starts again at 0. */
#define WALLET_REST_US (UINT64_C(15) * 60 * 1000000)

struct wallet_limit {
	int64_t value;	  /* WALLET_LIMIT_NONE: none */
	int64_t next;	  /* in force from next_us on, if that is not 0 */
	uint64_t next_us; /* when a pending raise takes effect */
};
struct wallet_used {
	int64_t period; /* number since 1970 */
	int64_t loss, wager, deposit;
};
struct wallet_limits {
	struct wallet_limit limit[WALLET_LIMITS_N];
	struct wallet_used used[WALLET_PERIODS_N];
	uint64_t play_began_us, play_last_us; /* first and last bet without a rest between */
};

struct wallet_account {
	player_id player;
	bool exists; /* false: never opened; only `player` is set */
	bool blocked;
	uint32_t currency;
	struct money balance;
	uint64_t last_move; /* 0 after the opening */
	uint64_t last_seq;  /* of the account's last row; 0: none */
	uint32_t last_day;  /* and its day */
	uint32_t pendings_n;
	struct wallet_pending pendings[WALLET_PENDINGS_MAX];
	struct wallet_limits *limits; /* owned by the adapter; NULL: none was ever set */
};

#define WALLET_CLAIM_KIND_HIT 1 /* of a progressive */
#define WALLET_CLAIM_KIND_CARDS 2

struct wallet_claim {
	uint32_t index; /* 1, 2, .. within the move */
	uint32_t pool;
	uint32_t kind; /* 1 hit, 2 cards */
	int64_t coin_minor;
	int64_t stake_minor;
};

/* An operator's grant of bonus spins: a number of spins of a game's base mode at one bet, paid by
 * the house. */
struct wallet_bonus_spins {
	uint8_t id[WALLET_ID_BYTES]; /* of the Outside that granted them */
	player_id player;
	uint32_t game, currency, lines, coins, spins, used;
	int64_t coin_minor;
	uint64_t expires_us; /* they cannot be played later */
	bool ended;	     /* the operator has taken back the rest */
};

/* A row that a later row settles: a withdrawal in flight, until it is captured or released; or
 * granted bonus funds, of which the operator may take back the unused part. */
struct wallet_hold {
	uint8_t id[WALLET_ID_BYTES]; /* of the Outside that booked it */
	player_id player;
	uint32_t kind, currency; /* kind: HOLD or GRANT */
	int64_t amount;		 /* > 0 */
	int64_t settled;	 /* HOLD: 0 or the amount; GRANT: the part taken back */
	uint32_t settled_kind;	 /* kind of the last row that settled it; 0: none */
};

struct wallet_proposal {
	uint64_t move, round;
	uint32_t game, mode, kind, currency;
	int64_t pending_before, release, stake, win_balance, win_pending, forfeit;
	int64_t awards; /* VOID: part of the stake, the round's jackpots; 0: they stay */
	uint32_t pools[WALLET_POOLS_MAX];
	uint32_t pools_n;
	uint32_t claims_n;
	const struct wallet_claim *claims; /* borrowed */
	uint64_t not_after_us;		   /* 0: never late */
	uint8_t request_id[WALLET_ID_BYTES];
	uint32_t request_id_length;
	uint32_t record_length;
	const uint8_t *record; /* borrowed, opaque */
	bool bonus;	       /* BET: a bonus spin of the grant with this id */
	uint8_t bonus_spin[WALLET_ID_BYTES];
};

struct wallet_outside {
	uint32_t kind, currency;
	uint8_t id[WALLET_ID_BYTES];
	uint8_t content_hash[WALLET_ID_BYTES];
	/* HOLD: hash of the same content as a WITHDRAWAL, for requests retried after an upgrade. */
	bool former;
	uint8_t former_hash[WALLET_ID_BYTES];
	int64_t amount;
	uint32_t record_length;
	const uint8_t *record;		 /* borrowed: who and why */
	struct wallet_bonus_spins spins; /* BONUS_SPINS: the grant; .._END: its id */
	uint32_t limit;			 /* LIMIT: enum wallet_limit_code plus the period */
	uint8_t of[WALLET_ID_BYTES]; /* CAPTURE, HOLD_RELEASE, GRANT_BACK: id of the wallet_hold */
};

struct wallet_award {
	uint64_t move; /* (player, move, index) names the claim */
	uint32_t index, pool, currency;
	int64_t paid;
	uint64_t hit;
};

/* One journal row. record and claims are borrowed from the command. */
struct wallet_row {
	uint64_t seq, prev_seq;
	uint32_t day, prev_day; /* since 1970-01-01: the partitions of the two rows */
	player_id player;
	uint32_t kind, refusal, currency, game, mode;
	uint64_t move, round, last_move;
	int64_t release, stake, win_balance, win_pending, forfeit;
	int64_t awards; /* VOID: as proposed; the journal has it in the record */
	int64_t amount; /* not moves: signed effect on the balance (BLOCK: 1 or 0; CAPTURE: the
			   amount paid out, with no effect on the balance). VOID: the part of the
			   clawback that became a receivable */
	int64_t balance_after, pending_after;
	uint32_t tallies[WALLET_POOLS_MAX];
	uint32_t tallies_n;
	uint32_t claims_n;
	const struct wallet_claim *claims;
	uint8_t request_id[WALLET_ID_BYTES]; /* CAPTURE, HOLD_RELEASE, GRANT_BACK: id of the row
						they settle */
	uint8_t outside_id[WALLET_ID_BYTES]; /* BET: id of the grant of a bonus spin */
	uint32_t request_id_length, outside_id_length; /* 0: none */
	uint32_t record_length;
	const uint8_t *record;
	struct wallet_award award; /* AWARD rows */
	bool award_lost; /* read from the journal: its record is no award and is passed on as it is
			  */
	uint64_t time_us;
};

/* A tally: the running total of the stakes of one game and currency that feed one pool at one rate.
 */
struct wallet_tally {
	uint32_t id, pool, game, currency;
	bool closed;
};

/* A pool that a game's paid stakes feed beside the pools that its definition names. */
struct wallet_linked_pool {
	uint32_t pool, game;
};

/* An operator who opted out of a pool. */
struct wallet_opted_out {
	uint32_t operator_id, pool; /* operator 0: all */
	uint32_t game;		    /* 0: all */
	bool stops; /* the pool is the game's own jackpot: without it the game takes no bets */
};

/* What the installation allows now. */
struct wallet_rules {
	const struct wallet_tally *tallies;
	size_t tallies_n;
	uint32_t stopped[WALLET_STOPS_MAX]; /* games that take no bets; 0: all games */
	size_t stopped_n;
	struct wallet_linked_pool linked_pools[WALLET_LINKED_POOLS_MAX]; /* of live pools only */
	int linked_pools_found, opted_out_found;			 /* in Postgres */
	size_t linked_pools_n;
	struct wallet_opted_out opted_out[WALLET_OPTED_OUT_MAX];
	size_t opted_out_n;
	uint32_t stale[WALLET_TALLIES_MAX]; /* open tallies with too old an FX rate */
	size_t stale_n;
	int64_t stake_max; /* of one bet, in euro cents, in currencies without a limit of their own
			    */
	struct wallet_stake_max {
		uint32_t currency;
		int64_t amount;
	} stake_max_of[WALLET_STAKE_MAX_N];
	size_t stake_max_n;
	int64_t outside_max; /* one deposit, withdrawal, correction or grant, in euro cents */
	/* An operator's own limits on one deposit. */
	struct wallet_deposit_max {
		uint32_t operator_id, currency;
		int64_t amount;
	} deposit_max[WALLET_DEPOSIT_MAX_N];
	size_t deposit_max_n;
	uint64_t limit_raise_us; /* delay before a player's raise of a limit takes effect */
};

/* What a row needs besides the command. */
struct wallet_moment {
	uint64_t now_us;
	uint64_t seq; /* of the row, if one is booked */
	uint32_t day; /* of the row: wallet_day */
	const struct wallet_rules *rules;
	/* The grant that a bet or a BONUS_SPINS_END names, as it is before the row; NULL: unknown
	 * id. The caller counts one spin as used when the bet's row is BOOKED without a refusal. */
	const struct wallet_bonus_spins *spins;
	uint32_t bonus_spins_live; /* BONUS_SPINS: the player's grants that are not over */
	/* The hold or grant that the command settles, as it is before the row; NULL: unknown id.
	 * The caller applies the row to it with wallet_hold_take when the row is BOOKED without a
	 * refusal. */
	const struct wallet_hold *hold;
	bool voided;	 /* VOID: the round is already void */
	bool claim_open; /* VOID: a claim of the round is not paid yet */
	int64_t awards;	 /* VOID that names them: all jackpots paid to the round */
};

/* The first booking of an id of outside money. */
struct wallet_known_id {
	uint8_t content_hash[WALLET_ID_BYTES];
	player_id player;
};

/* The claim an award names. */
enum wallet_claim_state { WALLET_CLAIM_UNKNOWN = 0, WALLET_CLAIM_OPEN, WALLET_CLAIM_PAID };
struct wallet_claim_view {
	enum wallet_claim_state state;
	uint32_t pool, currency; /* OPEN only */
};

/* Applies a proposed move. BOOKED: the account (at least its last move) has changed and the row is
 * filled; otherwise nothing has changed. */
enum wallet_status wallet_apply_proposal(struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment,
	struct wallet_row *row_r);
/* Applies outside money or a block. known: NULL if the id is new. */
enum wallet_status wallet_apply_outside(struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_known_id *known,
	const struct wallet_moment *moment, struct wallet_row *row_r);
/* Does the command repeat the first booking of its id? Then it is SPENT. */
bool wallet_outside_repeats(const struct wallet_known_id *known, player_id player,
	const struct wallet_outside *outside);
/* Applies a jackpot award. The caller closes the claim when the row is BOOKED without a refusal. */
enum wallet_status wallet_apply_award(struct wallet_account *account,
	const struct wallet_award *award, const struct wallet_claim_view *claim,
	const struct wallet_moment *moment, struct wallet_row *row_r);
/* Books a refused row for a command, not a move, of a kind that this build does not know. */
void wallet_apply_unknown(struct wallet_account *account, const struct wallet_moment *moment,
	struct wallet_row *row_r);
/* Sets all limits to none. */
void wallet_limits_init(struct wallet_limits *limits);
/* The value of a limit at that time. */
int64_t wallet_limit_at(const struct wallet_limit *limit, uint64_t now_us);
/* Number since 1970 of the UTC day, week (from Monday) or month. */
int64_t wallet_period_of(enum wallet_period period, uint64_t time_us);
/* True if a row of this kind begins, or settles, a wallet_hold. */
bool wallet_hold_begins(uint32_t kind);
bool wallet_hold_settles(uint32_t kind);
/* Applies an accepted row of those kinds to the hold (zeroed if the row begins it). */
void wallet_hold_take(struct wallet_hold *hold, const struct wallet_row *row);
/* True if the grant is used up, ended or expired. */
bool wallet_bonus_spins_over(const struct wallet_bonus_spins *spins, uint64_t now_us);
/* True if the id of an outside row must be kept for ever: yes, unless the account did not exist. */
bool wallet_outside_keeps_id(const struct wallet_row *row);

/* The day of a row booked now: the UTC day, the same for all rows of a batch, and never before
 * `last`. `last` is the later of the day of the shard's last row and its first day that is not
 * closed. */
uint32_t wallet_day(uint32_t last, bool batch_begun, uint64_t now_us);
/* `last` for a shard that has closed this day. */
uint32_t wallet_day_after_close(uint32_t last, uint32_t closed);

/* Applies a journal row to the account as it was before the row; used to roll forward after a
 * restart. */
void wallet_account_roll(struct wallet_account *account, const struct wallet_row *row);
/* The pending money of a game; amount and round are 0 if there is none. */
struct wallet_pending wallet_account_pending(const struct wallet_account *account, uint32_t game);

/* The open tally of (pool, game, currency): its index, or -1. */
int wallet_tally_find(
	const struct wallet_rules *rules, uint32_t pool, uint32_t game, uint32_t currency);
/* True if the row feeds a tally whose FX rate is too old. */
bool wallet_rate_stale(const struct wallet_rules *rules, const struct wallet_row *row);
bool wallet_game_stopped(const struct wallet_rules *rules, uint32_t game);

/* House accounts, each per shard and currency. */
enum wallet_leg_account {
	WALLET_LEG_PLAYER = 0, /* the sum of all balances */
	WALLET_LEG_PENDING,    /* the sum of all pendings */
	WALLET_LEG_HOUSE,      /* stakes less wins */
	WALLET_LEG_CASH,       /* deposits and withdrawals */
	WALLET_LEG_PROMO,      /* granted bonus funds */
	WALLET_LEG_JACKPOT,    /* JACKPOT:pool */
	WALLET_LEG_VOID, /* VOID_RECEIVABLE: clawback that the player's balance did not cover */
	WALLET_LEG_WITHDRAWAL, /* withdrawals in flight: off the balance, not paid yet */
};
struct wallet_leg {
	enum wallet_leg_account account;
	uint32_t pool;	/* JACKPOT only */
	int64_t amount; /* credit > 0 */
};
/* The legs of a row; they sum to zero. Returns how many; 0 for a refused row. */
size_t wallet_row_legs(const struct wallet_row *row, struct wallet_leg legs_r[WALLET_LEGS_MAX]);

#endif
