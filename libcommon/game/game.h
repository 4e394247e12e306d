/* A game in memory, compiled from its definition file, and the rules of a bet.
 *
 * The definition has the numbers; the code implements features such as lines, free spins and the
 * gamble. No code depends on the name of a game. The loader (libcommon/game/definition_load.h)
 * fills a struct game and refuses definitions that cannot be played. After that the struct is
 * read-only: any number of rounds and threads may share it. Money is in minor units of the currency
 * named beside it; weights are relative. RULE numbers refer to docs/rules/. */
#ifndef CARILLON_GAME_GAME_H
#define CARILLON_GAME_GAME_H

#include "libcommon/base/money.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAME_ID_MAX 32 /* bytes with the NUL: slugs, ids of symbols */
#define GAME_NAME_MAX 48
#define GAME_REELS_MAX 6
#define GAME_ROWS_MAX 5
#define GAME_CELLS_MAX 30	  /* fits the bits of a cell mask */
#define GAME_STRIP_MAX 256	  /* stops of a strip */
#define GAME_STOP_WEIGHT_MAX 1024 /* the sum of the weights of a strip's stops */
#define GAME_STRIP_SETS_MAX 16
#define GAME_MODES_MAX 8	  /* the base game and the modes that can be bought */
#define GAME_WILD_POSITIONS_MAX 8 /* sets of reels that bought wilds may cover */
#define GAME_PUBLISHED_MAX 2	  /* published returns of a mode */
#define GAME_SCATTERS_MAX 3
#define GAME_CHOICES_MAX 64 /* entries of one weighted table */
#define GAME_COLOURS 3	    /* of collectibles */
#define GAME_UNLOCK_STEPS_MAX 4
#define GAME_SYMBOLS_MAX 32
#define GAME_LINES_MAX 64
#define GAME_LINE_COINS_MAX 100 /* coins that may be bet on one line */
#define GAME_COINS_MAX 16	/* selectable coin values of a currency */
#define GAME_CURRENCIES_MAX 16
#define GAME_SCATTER_OUTCOMES_MAX 8 /* per number of scatters */
#define GAME_PICK_OUTCOMES_MAX 64
#define GAME_PICKS_OFFERED_MAX 16 /* objects the player picks from */
#define GAME_PICKS_MAX 5
#define GAME_WITCHES_MAX 4
#define GAME_JACKPOT_ROWS_MAX (GAME_CURRENCIES_MAX * GAME_COINS_MAX)
#define GAME_LEVELS_MAX 4    /* levels of a set of Jackpot Cards */
#define GAME_AWARD_MAX 1000  /* free spins awarded at once */
#define GAME_PAY_MAX 1000000 /* one entry of the paytable */
#define GAME_COIN_MINOR_MAX 1000000000
#define GAME_WEIGHT_MAX 1000000000 /* the sum of the weights of one draw */
#define GAME_ROUND_PHASES_MAX                                                                      \
	32768 /* the loader proves that the probability that a round needs more is below 10^-18 */
#define GAME_DIGEST_BYTES 32

#define GAME_NO_SYMBOL 0xffu

/* RULE mystic-gem 2.1 */
enum symbol_kind {
	SYMBOL_LINE,	/* pays on lines; the wild substitutes for it */
	SYMBOL_WILD,	/* substitutes for line symbols; may have pays of its own */
	SYMBOL_SCATTER, /* counted anywhere; pays multiples of the total bet, awards free spins, or
			   both */
	SYMBOL_BONUS,	/* counted anywhere; starts the pick bonus or hold and win */
	SYMBOL_JACKPOT, /* pays on lines, but nothing substitutes for it */
	SYMBOL_COLLECTIBLE, /* collected; never pays */
};

struct game_symbol {
	char id[GAME_ID_MAX];
	char name[GAME_NAME_MAX]; /* shown to players */
	enum symbol_kind kind;
	uint32_t pay[GAME_REELS_MAX + 1]; /* by length of the combination: coins; for scatters,
					     multiples of the total bet; 0: no pay */
	bool wild_counts; /* scatter: each wild counts as this symbol too. RULE mystery-elves 2.7 */
};

/* One reel's strip. A stop is the strip position shown in the window's top row. Stops may have
 * different weights: stop_of turns a draw below `weight` into a stop. */
struct game_strip {
	uint32_t length;
	uint32_t weight; /* the sum of stop_weight; equal to length if all are 1 */
	/* the symbols of the first stops are repeated after the last stop, so that reading a window
	 * needs no modulo */
	uint8_t symbol[GAME_STRIP_MAX + GAME_ROWS_MAX];
	uint16_t stop_weight[GAME_STRIP_MAX];
	uint8_t stop_of[GAME_STOP_WEIGHT_MAX];
};

struct game_strips {
	char id[GAME_ID_MAX];
	struct game_strip reel[GAME_REELS_MAX];
};

/* An entry of a weighted table: a draw gives `x`, which is a multiplier, a count or an index,
 * depending on the table. */
struct choice {
	uint32_t x;
	uint32_t weight;
};

struct choices {
	uint32_t count;
	uint32_t weight; /* the sum */
	struct choice of[GAME_CHOICES_MAX];
};

/* A chance of `in` in `of`; in <= of, of > 0. */
struct odds {
	uint32_t in, of;
};

/* ---- modes: the ways to pay for a round ---- */

enum guarantee_kind {
	GUARANTEE_NONE,
	GUARANTEE_LINE_WIN, /* at least one line wins */
	GUARANTEE_SYMBOLS,  /* the window shows at least a given number of a symbol */
};

/* Bought wild reels: all their cells are wild. */
struct wild_position {
	uint32_t weight;
	uint32_t reels; /* bit r: reel r, 0-based */
};

enum published_bets { PUBLISHED_ALL_BETS, PUBLISHED_BELOW_MAX_BET, PUBLISHED_MAX_BET };

/* A published return: the exact return is in [from_ppm, below_ppm). RULE mystic-gem 2.14; RULE
 * mystery-elves 2.8; RULE mona-lisa 1.9, 4.1; RULE witch-feature 1.6 */
struct published_rtp {
	enum published_bets bets;
	char percent[16]; /* as published: "96.08" */
	uint32_t from_ppm, below_ppm;
	/* 0: the return is proved. Else `percent` is the mean of this many simulated rounds, and
	 * its 99.9 % confidence interval is +- half_width_ppm. */
	uint64_t simulated_rounds;
	uint32_t half_width_ppm;
};

struct spin_rank; /* core/spin_rank.h */

struct game_mode {
	char id[GAME_ID_MAX]; /* "base" for the first */
	char name[GAME_NAME_MAX];
	uint32_t price_hundredths; /* of the total bet; 100 for the base game */
	uint8_t strips; /* the strip set of its spin; it lacks the symbols that a bought spin must
			   not show. RULE mystic-gem 3.11 */
	/* applies to one spin: autoplay does not repeat it. RULE mystery-elves 4.5 */
	bool one_spin;
	uint32_t position_count;  /* 0: no bought wild reels */
	uint32_t position_weight; /* the sum */
	struct wild_position position[GAME_WILD_POSITIONS_MAX];
	enum guarantee_kind guarantee;
	uint8_t guarantee_symbol; /* GUARANTEE_SYMBOLS */
	uint32_t guarantee_min;
	/* the combinations that keep the guarantee; owned by the loader */
	const struct spin_rank *rank;
	uint32_t published_count; /* 0 in a demo */
	struct published_rtp published[GAME_PUBLISHED_MAX];
};

/* A currency that the game is offered in. */
struct game_currency {
	uint32_t number; /* ISO 4217 */
	uint32_t coin_count;
	int64_t coin_minor[GAME_COINS_MAX]; /* rising */
	bool coin_buys[GAME_COINS_MAX];	    /* can modes be bought at this coin value? */
	struct money stake_min, stake_max;  /* of the total bet, inclusive */
	struct money price_max;		    /* of a bought mode */
	bool gamble_limited;
	struct money gamble_stake_max; /* of each attempt; valid if gamble_limited */
};

/* A row of a progressive: one per currency and coin value, with its own counter. */
struct jackpot_row {
	uint32_t currency; /* ISO 4217 */
	int64_t coin_minor;
	int64_t seed_minor;    /* in the row's currency */
	int64_t row_rate_nano; /* EUR for one unit of the currency, x 10^9 (EUR: 10^9) */
	int64_t share_nano;    /* of each contribution, x 10^9: coin value x row rate / base coin,
				  floored */
};

/* The game's link to its progressive. */
struct jackpot_link {
	uint32_t pool; /* its number; 0: the game has no progressive */
	char pool_id[GAME_ID_MAX];
	uint32_t contribution_ppm; /* of every stake. RULE mona-lisa 4.6 */
	int64_t base_coin_minor;   /* EUR cents: the coin value that shares are relative to */
	int64_t base_seed_minor;   /* EUR cents: the seed at that coin value */
	uint32_t row_count;
	struct jackpot_row row[GAME_JACKPOT_ROWS_MAX];
};

/* The game's link to a set of Jackpot Cards. */
struct cards_link {
	uint32_t pool; /* the set's number; 0: the game has no Jackpot Cards */
	char set_id[GAME_ID_MAX];
	bool eligible; /* may its rounds start Jackpot Cards? */
};

struct gamble_rules {
	bool offered;	      /* RULE mona-lisa 1.10 */
	bool halve;	      /* the player may bank floor(pending / 2) between attempts */
	bool base_lines_only; /* only line wins of the paid spin can be gambled; false: the whole
				 win */
	uint32_t attempts_max;
	uint32_t suit_count; /* suits in the deck, 13 cards each; as many red as black */
	uint8_t suit[4];     /* 0 clubs, 1 diamonds, 2 hearts, 3 spades */
	uint32_t jokers; /* in the deck. If > 0, the 50/50 outcome is drawn first and the card only
			    illustrates it; a joker counts as the guessed colour */
};

/* ---- features ---- */

/* The kind of a spin. Awards depend on it. */
enum spin_context { CONTEXT_BASE, CONTEXT_FREE, CONTEXT_RESPIN };
#define SPIN_CONTEXTS 3

#include "libcommon/game/features/types.h"

/* Symbols whose combination wins the progressive. */
struct jackpot_symbols {
	uint8_t symbol; /* GAME_NO_SYMBOL: the game has none */
	uint32_t count;
	bool anywhere;	   /* false: on one played line, from the left */
	bool max_bet_only; /* all lines, most coins a line */
};

enum autoplay_loss_rule { LOSS_BELOW_ZERO, LOSS_AT_ZERO };
enum autoplay_win_rule { WIN_REACHES, WIN_EXCEEDS };

struct autoplay_rules {
	bool offered;
	uint32_t spins_max;
	enum autoplay_loss_rule loss_rule;
	enum autoplay_win_rule win_rule;
	bool jackpot_stop_offered;
	bool feature_stop_offered;
	uint32_t interval_min_ms; /* between two bets */
};

struct game {
	char id[GAME_ID_MAX];
	char name[GAME_NAME_MAX];
	uint32_t number;  /* of the game, > 0; identifies it in journals and tallies */
	uint32_t version; /* of the definition */
	bool demo;	  /* live installations refuse it */
	/* the math version: SHA-256 of the canonical definition */
	uint8_t digest[GAME_DIGEST_BYTES];

	uint32_t reels, rows;
	uint32_t symbol_count;
	struct game_symbol symbol[GAME_SYMBOLS_MAX];
	uint8_t wild, bonus; /* index of the symbol or GAME_NO_SYMBOL */
	uint32_t scatter_symbols;
	uint8_t scatter[GAME_SCATTERS_MAX]; /* the first one starts the scatter award */
	uint32_t strip_sets;
	struct game_strips strips[GAME_STRIP_SETS_MAX];
	uint32_t mode_count;
	struct game_mode mode[GAME_MODES_MAX];
	uint32_t expanding_reels; /* bit r: a wild on reel r expands over the reel, except over
				     scatters, before wins are paid */
	uint32_t line_count;
	uint8_t line[GAME_LINES_MAX][GAME_REELS_MAX]; /* the line's row on each reel, 0: top */

	/* derived: a line's cells (reel * rows + row), and a mask of its first n cells */
	uint8_t line_cell[GAME_LINES_MAX][GAME_REELS_MAX];
	uint32_t line_cells[GAME_LINES_MAX][GAME_REELS_MAX + 1];
	/* derived: the length of the symbol's shortest paying combination; GAME_REELS_MAX + 1: it
	 * has none */
	uint8_t pays_from[GAME_SYMBOLS_MAX];
	/* derived from the paytable: the best pay of k wilds alone, and the symbol they count as
	 * (RULE bewitched 3.1) */
	uint32_t wild_pay[GAME_REELS_MAX + 1];
	uint8_t wild_as[GAME_REELS_MAX + 1];

	uint32_t lines_min, lines_max;
	uint32_t coins_min, coins_max;
	uint32_t currency_count;
	struct game_currency currency[GAME_CURRENCIES_MAX];

	uint32_t scatter_count_min; /* fewest scatters that start the scatter award; 0: the game has
				       none */
	/* by number of scatters: how many outcomes, and the sum of their weights */
	uint32_t scatter_award_count[GAME_REELS_MAX + 1];
	uint32_t scatter_award_weight[GAME_REELS_MAX + 1];
	struct scatter_outcome scatter_award[GAME_REELS_MAX + 1][GAME_SCATTER_OUTCOMES_MAX];

	uint32_t bonus_count_min;
	uint32_t picks_offered, picks_made;
	uint32_t pick_outcome_count;
	uint32_t pick_weight; /* the sum of the outcomes' weights, the same at every bet */
	struct pick_outcome pick_outcome[GAME_PICK_OUTCOMES_MAX];

	struct free_spins_rules free_spins;
	struct sticky_rules sticky;
	struct hold_rules hold;
	struct unlock_rules unlock;
	struct jackpot_symbols jackpot_symbols;
	struct feature_rules_own own;

	uint32_t witch_count; /* 0: the game has no choice of witch */
	char witch[GAME_WITCHES_MAX][GAME_ID_MAX];

	struct gamble_rules gamble;
	struct autoplay_rules autoplay;
	struct jackpot_link jackpot;
	struct cards_link cards;

	/* An abandoned round is played to its end and collected after this time. RULE
	 * mystic-gem 8.4; RULE mystery-elves 6.6, 6.7; RULE mona-lisa 6.4; RULE witch-feature 8.5
	 */
	uint32_t resolve_after_hours;
	/* published return with the whole contribution counted as returned; 0: none */
	uint32_t rtp_contribution_ppm;
};

/* ---- a bet ---- */

struct bet {
	uint32_t currency; /* ISO 4217 number, of the player's account */
	int64_t coin_minor;
	uint32_t lines;
	uint32_t coins; /* a line */
	uint32_t mode;	/* index into game->mode; 0: the base game */
};

enum bet_status {
	BET_OK = 0,
	BET_CURRENCY_NOT_OFFERED,
	BET_COIN_NOT_SELECTABLE,
	BET_LINES_OUT_OF_RANGE,
	BET_COINS_OUT_OF_RANGE,
	BET_TOTAL_OVERFLOW,
	BET_BELOW_MINIMUM,
	BET_ABOVE_MAXIMUM,
	BET_MODE_NOT_OFFERED, /* the game has no such mode */
	BET_BUY_NOT_OFFERED,  /* modes cannot be bought at this coin value */
	BET_ABOVE_PRICE_MAX,  /* price of the bought mode */
};

/* Why a bet was refused. min..max is the allowed range (coin: the smallest and largest selectable
 * value). */
struct bet_error {
	enum bet_status status;
	const char *field; /* "currency", "coin", "lines", "coins", "total", "mode"; static */
	int64_t found, min, max;
};

/* Returns BET_OK and sets *stake_r, or returns the first fault and sets *error_r. Leaves the other
 * one unchanged. */
enum bet_status bet_check(const struct game *game, const struct bet *bet, struct money *stake_r,
	struct bet_error *error_r);
/* The total bet: coin value x coins x lines, or BET_TOTAL_OVERFLOW. Pays that are multiples of the
 * total bet are multiples of this, also in a bought mode. */
enum bet_status bet_total(const struct bet *bet, struct money *total_r);
/* The price of the round: the total bet x the mode's price. The loader checks that it is whole. */
enum bet_status bet_stake(const struct game *game, const struct bet *bet, struct money *stake_r);
/* All lines and the most coins a line. */
bool bet_is_max(const struct game *game, const struct bet *bet);
/* "coin_not_selectable", ..: stable codes for clients. Static. */
const char *bet_status_text(enum bet_status status);

/* The smallest bet that bet_check accepts in a currency. BET_CURRENCY_NOT_OFFERED if there is
 * none. */
enum bet_status bet_smallest(
	const struct game *game, uint32_t currency, struct bet *bet_r, struct money *stake_r);

/* Is the return of this mode, or of any mode of the game, simulated instead of proved? */
bool game_mode_simulated(const struct game_mode *mode);
bool game_simulated(const struct game *game);

/* Mask of the symbols that count as `symbol`: itself and, for a scatter with wild_counts, the wild.
 * 0 for GAME_NO_SYMBOL. */
uint32_t game_counts_as(const struct game *game, uint8_t symbol);

const struct game_currency *game_currency(const struct game *game, uint32_t currency);
/* The row that pays a hit at this currency and coin value; NULL if the progressive has none. */
const struct jackpot_row *jackpot_row(
	const struct jackpot_link *link, uint32_t currency, int64_t coin_minor);

/* Fills the derived tables (wild_pay, wild_as, pays_from, line_cells, every sum of weights, wrapped
 * strips, stop_of). The loader calls it after it has read and checked all members, before it proves
 * the returns. */
void game_compile(struct game *game);

#endif
