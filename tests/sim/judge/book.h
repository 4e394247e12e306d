/* What the judge keeps, shared by its files: books of its own, made from journal rows alone. */
#ifndef CARILLON_SIM_JUDGE_BOOK_H
#define CARILLON_SIM_JUDGE_BOOK_H

#include "tests/sim/fake_pg.h"
#include "tests/sim/judge/judge.h"
#include "tests/sim/judge/map.h"

#define JUDGE_SHARDS 16
#define JUDGE_PENDINGS 8
#define JUDGE_ROWS 256 /* of a player, the newest */
#define JUDGE_TALLIES 1024
#define JUDGE_LEGS 64
#define JUDGE_AWARDS 64

enum {
	KIND_OPEN = CARILLON__MOVE_KIND__MOVE_OPEN,
	KIND_BET = CARILLON__MOVE_KIND__MOVE_BET,
	KIND_GAMBLE = CARILLON__MOVE_KIND__MOVE_GAMBLE,
	KIND_VOID = CARILLON__MOVE_KIND__MOVE_VOID,
	KIND_SETTING = CARILLON__MOVE_KIND__MOVE_SETTING,
	KIND_DEPOSIT = CARILLON__MOVE_KIND__MOVE_DEPOSIT,
	KIND_WITHDRAWAL = CARILLON__MOVE_KIND__MOVE_WITHDRAWAL,
	KIND_CORRECTION = CARILLON__MOVE_KIND__MOVE_CORRECTION,
	KIND_GRANT = CARILLON__MOVE_KIND__MOVE_GRANT,
	KIND_AWARD = CARILLON__MOVE_KIND__MOVE_AWARD,
	KIND_BLOCK = CARILLON__MOVE_KIND__MOVE_BLOCK,
	KIND_SPINS = CARILLON__MOVE_KIND__MOVE_SPINS,
	KIND_SPINS_END = CARILLON__MOVE_KIND__MOVE_SPINS_END,
	KIND_HOLD = 28,
	KIND_CAPTURE = 29,
	KIND_HOLD_RELEASE = 30,
	KIND_GRANT_BACK = 31,
	KIND_LIMIT = CARILLON__MOVE_KIND__MOVE_LIMIT,
};

/* Kinds that move a round's money, and those that move a balance without a round. */
static inline bool is_round_kind(uint32_t kind)
{
	return kind >= KIND_BET && kind <= KIND_VOID;
}

static inline bool moves_balance(uint32_t kind)
{
	return (kind >= KIND_DEPOSIT && kind <= KIND_AWARD) || kind == KIND_HOLD ||
	       kind == KIND_HOLD_RELEASE || kind == KIND_GRANT_BACK;
}

struct book_row {
	uint64_t seq, move, last_move, round;
	uint32_t kind, refusal, game;
	int64_t stake, win_balance, release, amount, balance;
	uint8_t request_id[REQUEST_ID_BYTES];
};

/* The last round of a player in a game. */
struct book_round {
	uint64_t round;
	int64_t stake, win;
	bool voided;
};

struct book_account {
	int64_t player;
	uint32_t shard, currency;
	bool blocked;
	int64_t balance;
	uint64_t last_move, last_seq;
	struct {
		uint32_t game;
		uint64_t round;
		int64_t amount;
	} pending[JUDGE_PENDINGS];
	struct book_round round[SIM_GAMES + 1]; /* by game's number */
	size_t rows_n;				/* in all */
	struct book_row row[JUDGE_ROWS];	/* a ring */
};

struct book_claim {
	int64_t player;
	uint64_t move;
	uint32_t index, shard, pool, kind, currency;
	int64_t coin_minor, stake_minor, paid_minor;
	uint64_t opened_seq, closed_seq, hit;
	uint64_t opened_us; /* by the world's time */
};

/* A hit of a pool or of a set, as the judge has priced it. */
struct book_hit {
	int64_t player, paid_minor;
	uint64_t move, hit;
	uint32_t index, pool, currency;
};

/* Totals of one tally in one shard, after each row that was counted. */
struct book_tally {
	size_t n, room;
	struct {
		uint64_t seq, total;
	} * step;
};

struct book_leg {
	uint32_t currency;
	char account[24];
	int64_t amount; /* by the rows */
	int64_t booked; /* by wallet.house_leg */
};

struct book_shard {
	uint64_t last_seq, last_batch, last_batch_seq;
	struct book_tally tally[JUDGE_TALLIES];
	size_t legs_n; /* since the batch row before */
	struct book_leg leg[JUDGE_LEGS];
};

struct book {
	struct book_shard shard[JUDGE_SHARDS];
	struct map accounts; /* (player, 0) */
	struct map claims;   /* (player, move << 8 | index) */
	struct map hits;     /* likewise */
	struct map requests; /* halves of a request's id */
	struct map outsides; /* halves of an outside id: struct book_outside */
	struct map sent;     /* of bets and picks, by their ids: struct book_sent (before.c) */
	struct map known;    /* (pool, shard << 32 | tally): totals by a pool's events (before.c) */
	uint64_t rounds, claims_open, hits_n, awards_n;
	bool forged;	     /* a schedule exchanges wins: what a round shows is not what it won */
	uint32_t newer_kind; /* facts may have this kind, for which the journal has another; 0: none
			      */
};
extern struct book book;

struct book_outside {
	int64_t player, amount;
	uint64_t seq; /* of the row that keeps the id */
	uint32_t shard, kind, refusal;
	uint32_t given, spins; /* of a gift: in all; not played yet */
	int64_t open;	       /* of a hold or a grant: neither settled nor taken back */
	uint32_t settled_kind; /* of a hold */
	bool by_hand;
	uint64_t settled_us; /* by the world's time */
};

/* judge.c */
struct book_account *book_account(int64_t player);
struct book_claim *book_claim(int64_t player, uint64_t move, uint32_t index);
struct book_hit *book_hit(int64_t player, uint64_t move, uint32_t index);
const struct book_row *book_row_at(const struct book_account *account, size_t back);
const struct book_row *book_row_of_move(const struct book_account *account, uint64_t move);
/* What the tally stood at just after a row of the shard. */
uint64_t book_tally_at(uint32_t shard, uint32_t tally, uint64_t seq);
/* A column by its name, looked up once: COLUMN(table, "name"). */
int book_column(const struct fake_pg_table *table, const char *name);
#define COLUMN(table, name)                                                                        \
	__extension__({                                                                            \
		static int column = -1;                                                            \
		if (column < 0)                                                                    \
			column = book_column(table, name);                                         \
		column;                                                                            \
	})

/* ledger.c: a row of the journal, and what is written with it. */
void ledger_row(const struct fake_pg_row *row);
/* The claims that rows said they open are there. */
void ledger_opened(void);
void ledger_forget(void);
void ledger_claim(const struct fake_pg_row *old, const struct fake_pg_row *new);
/* batch.c */
void batch_row(const struct fake_journal *row);
void ledger_batch(const struct fake_pg_row *old, const struct fake_pg_row *new);
void ledger_leg(const struct fake_pg_row *new);
void ledger_total(const struct fake_pg_row *new);
void ledger_step(void); /* what needs the whole of a commit */
void ledger_final(void);
void ledger_end(void);

/* pool.c: pools and sets. */
void pools_changed(const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new);
void pools_step(void);
void pools_final(void);
/* Takes the hits of commits that are whole. */
void pools_hits(void);
void pools_begin(void);
bool pools_settled(char *what, size_t room);
void pools_end(void);
/* transfer.c: a pool that was made feeds on the game; one that must feed on a stake there and
 * is not among these, 0: none. */
bool created_pool_feeds(uint32_t pool, uint32_t game);
uint32_t created_pool_unfed(uint32_t game, const uint32_t *pools, size_t n);
/* An operator asks for an adjustment, which may be done from now on, once. */
void pools_adjustment(uint32_t pool, uint32_t currency, int64_t coin_minor, int64_t delta_minor);

/* before.c: a jackpot holds every bet that was answered before the winning one was sent. */
void before_event(const struct fake_pg_table *table, const struct fake_pg_row *new);
/* The seqs up to which players had been told of bets when this was first sent, by shard. NULL: it
 * was not sent by a client. */
const uint64_t *before_bet(int64_t player, uint64_t move);
const uint64_t *before_pick(int64_t player, uint64_t move, uint32_t index, uint32_t pick);
void before_end(void);

/* limits.c: a row, before it is kept. */
void limits_row(const struct fake_journal *row);
void limits_end(void);

/* void.c: a row, before it is kept; what the player has pending in its game. */
void voids_row(const struct book_account *account, const struct fake_journal *row, int64_t pending);
void voids_final(void);
void voids_end(void);

/* payments.c: a row that settles a hold; true where the table is its own. */
void payments_settled(const struct fake_journal *row, struct book_outside *held);
bool payments_changed(const struct fake_pg_table *table, const struct fake_pg_row *new);
void payments_begin(void);
void payments_end(void);
bool payments_settled_all(char *what, size_t room);
void payments_final(void);

/* replies.c */
void replies_begin(void);
void replies_final(void);

#endif
