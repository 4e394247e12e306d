/* What one player was told, and whether the ledger says the same. No I/O: the rows are handed in.
 *
 * Amounts are minor units of the account's currency, signed. Everything before the base (the newest
 * row when the player came) is taken as given, so that an account from an earlier run may play on.
 */
#ifndef CARILLON_SUPPORT_PLAYERS_RECORD_H
#define CARILLON_SUPPORT_PLAYERS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of MoveKind in proto/wallet.proto. */
enum row_kind {
	ROW_ANY = 0, /* told: some move of ours, its kind is the engine's choice */
	ROW_OPEN = 1,
	ROW_BET,
	ROW_RELEASE,
	ROW_GAMBLE,
	ROW_HALVE,
	ROW_COLLECT,
	ROW_VOID,
	ROW_SETTING,
	ROW_DEPOSIT = 20,
	ROW_WITHDRAWAL,
	ROW_CORRECTION,
	ROW_GRANT,
	ROW_AWARD,
	ROW_BLOCK,
	ROW_HOLD = 28,
	ROW_CAPTURE,
	ROW_HOLD_RELEASE,
	ROW_GRANT_BACK,
};
enum row_kind row_kind_parse(const char *text); /* "bet"; ROW_ANY when unknown */
const char *row_kind_text(enum row_kind kind);

/* A journal row as GET /v1/journal tells it. */
struct ledger_row {
	uint64_t seq, move, round;
	enum row_kind kind;
	bool refused;
	uint32_t award_index;
	int64_t release, stake, win_balance, win_pending, forfeit, amount;
	int64_t balance_after, pending_after;
};

struct recorded_move {
	uint64_t move, round;
	enum row_kind kind;
	bool refused;
	int64_t stake;
	bool unsure; /* told by its number alone: whether it was refused is looked up at the end */
};
struct recorded_balance {
	uint64_t move; /* the last one booked then: expect - 1 */
	int64_t balance;
	uint64_t open_round; /* whose jackpots may still be hidden; 0: none */
};
struct recorded_jackpot {
	uint64_t round;
	uint32_t index, pool, cursor; /* cursor: the round's, when it was first shown */
	int64_t paid, coin_minor;     /* paid 0: on its way when it was told */
	uint64_t told_us;
	bool absorbed;	/* a rise of the balance was taken for it before its price was told */
	bool compared;	/* with its award, which was folded */
	int64_t booked; /* compared: the award's amount; 0: an award that names no jackpot */
};
struct recorded_round {
	uint64_t round;
	int64_t stake;
	uint8_t secret_hash[32];
	bool has_hash, checked;
};
struct recorded_deposit {
	uint64_t seq;
	int64_t amount;
};

/* A growing array; fails by abort(), for a judge without memory judges nothing. */
#define LIST(type)                                                                                 \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t n, room;                                                                    \
	}
void *list_grow(void *at, size_t n, size_t *room, size_t size);
#define LIST_ADD(list)                                                                             \
	((list)->at = list_grow((list)->at, (list)->n, &(list)->room, sizeof(*(list)->at)),        \
		&(list)->at[(list)->n++])

struct record {
	uint64_t base_seq, base_move; /* what was compared up to here may be forgotten */
	uint64_t start_move;	      /* base_move when the player came */
	int64_t base_balance;
	LIST(struct recorded_move) moves;
	LIST(struct recorded_balance) balances;
	LIST(struct recorded_jackpot) jackpots;
	LIST(struct recorded_round) rounds;
	LIST(struct recorded_deposit) deposits;
};
void record_free(struct record *record);
/* NULL: not told. */
struct recorded_jackpot *record_jackpot(struct record *record, uint64_t round, uint32_t index);
struct recorded_round *record_round(struct record *record, uint64_t round);
/* They are kept in the order of their numbers. */
struct recorded_round *record_round_add(struct record *record, uint64_t round, int64_t stake);

/* What was left unsure is taken from the ledger; such a bet, if accepted, is a round that was told.
 */
void record_settle(struct record *record, const struct ledger_row *rows, size_t n);

/* Called for everything that does not fit. */
typedef void record_mismatch(void *context, const char *text);

/* rows: oldest first, all of those after the base. Returns the number of mismatches. */
size_t record_compare(const struct record *record, const struct ledger_row *rows, size_t n,
	record_mismatch *mismatch, void *context);
/* What was told before this move was compared with these rows: it is forgotten, and the row before
 * the move is the new base. Jackpots stay, marked. Returns how many rows are done with; 0, and
 * nothing is changed, where the ledger does not have the move or nothing lies before it. */
size_t record_fold(struct record *record, const struct ledger_row *rows, size_t n, uint64_t move);
/* Told jackpots whose award the ledger does not have yet. */
size_t record_awards_missing(const struct record *record, const struct ledger_row *rows, size_t n);

#endif
