/* A game as the engine plays it: the definition file compiled into one block of the caller's
 * memory, and the rules of a bet.
 *
 * The file carries the numbers, the code is written per feature (lines, wild, scatter, free spins,
 * pick bonus, progressive link, gamble, autoplay); nothing here knows a game by name. A struct game
 * is made by the loader (libcommon/game/definition_load.h), which refuses what cannot be played,
 * and is read-only from then on: any number of rounds and threads may share it. Counts are of
 * elements, money is in minor units of the currency named beside it, weights are relative. Source:
 * shared rules of the mathematics; requirement numbers in comments. */
#ifndef CARILLON_GAME_GAME_H
#define CARILLON_GAME_GAME_H

#include "libcommon/base/money.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAME_ID_MAX 32 /* bytes with the NUL: slugs and names of symbols */
#define GAME_NAME_MAX 48
#define GAME_REELS_MAX 6
#define GAME_ROWS_MAX 5
#define GAME_CELLS_MAX 30	  /* fits the bits of a cell mask */
#define GAME_STRIP_MAX 256	  /* stops of a strip */
#define GAME_STOP_WEIGHT_MAX 1024 /* the sum of the weights of a strip's stops */
#define GAME_STRIP_SETS_MAX 16
#define GAME_MODES_MAX 8 /* ways to pay for a round: the base game and what may be bought */
#define GAME_WILD_POSITIONS_MAX 8 /* sets of reels that a bought wild may cover */
#define GAME_PUBLISHED_MAX 2	  /* published returns of a mode */
#define GAME_SCATTERS_MAX 3
#define GAME_CHOICES_MAX 64 /* entries of one weighted table */
#define GAME_COLOURS 3	    /* of potions */
#define GAME_UNLOCK_STEPS_MAX 4
#define GAME_SYMBOLS_MAX 32
#define GAME_LINES_MAX 64
#define GAME_LINE_COINS_MAX 100 /* coins that may be bet on one line */
#define GAME_COINS_MAX 16	/* selectable coin values of a currency */
#define GAME_CURRENCIES_MAX 16
#define GAME_SCATTER_OUTCOMES_MAX 8 /* per number of scatters */
#define GAME_PICK_OUTCOMES_MAX 64
#define GAME_PICKS_OFFERED_MAX 16 /* shown for the player to pick from */
#define GAME_PICKS_MAX 5
#define GAME_WITCHES_MAX 4
#define GAME_JACKPOT_ROWS_MAX (GAME_CURRENCIES_MAX * GAME_COINS_MAX)
#define GAME_LEVELS_MAX 4    /* of a set of Jackpot Cards */
#define GAME_AWARD_MAX 1000  /* free spins awarded at once */
#define GAME_PAY_MAX 1000000 /* one entry of the paytable */
#define GAME_COIN_MINOR_MAX 1000000000
#define GAME_WEIGHT_MAX 1000000000 /* the sum of the weights of one draw */
#define GAME_ROUND_PHASES_MAX                                                                      \
	32768 /* the loader proves that a round needs more with a probability below 10^-18 */
#define GAME_DIGEST_BYTES 32

#define GAME_NO_SYMBOL 0xffu

/* RULE mystic-gem 2.1 */
enum symbol_kind {
	SYMBOL_LINE,	/* pays on lines; the wild stands in for it */
	SYMBOL_WILD,	/* stands in for line symbols; may have pays of its own */
	SYMBOL_SCATTER, /* counted anywhere; pays times the total bet, or awards free spins, or both
			 */
	SYMBOL_BONUS,	/* counted anywhere; opens the pick bonus or the hold and win */
	SYMBOL_JACKPOT, /* pays on lines, but nothing stands in for it */
	SYMBOL_COLLECTIBLE, /* collected; never pays */
};

struct game_symbol {
	char id[GAME_ID_MAX];
	char name[GAME_NAME_MAX]; /* shown to players */
	enum symbol_kind kind;
	uint32_t pay[GAME_REELS_MAX + 1]; /* coins by length of the combination; 0: none. Scatter:
					     times the total bet */
	bool wild_counts; /* scatter: a wild counts as one of it. RULE mystery-elves 2.7 */
};

/* One reel's strip. A stop is where the window's top row stands; it may weigh more than another. A
 * draw below `weight` is turned into a stop by stop_of. */
struct game_strip {
	uint32_t length;
	uint32_t weight; /* the sum of stop_weight; the length where all are 1 */
	uint8_t symbol[GAME_STRIP_MAX + GAME_ROWS_MAX]; /* the first rows again at the end: windows
							   need no modulo */
	uint16_t stop_weight[GAME_STRIP_MAX];
	uint8_t stop_of[GAME_STOP_WEIGHT_MAX];
};

struct game_strips {
	char id[GAME_ID_MAX];
	struct game_strip reel[GAME_REELS_MAX];
};

/* An entry of a weighted table: what a draw gives. `x` is a multiplier, a number of things, or an
 * index, as the table says. */
struct choice {
	uint32_t x;
	uint32_t weight;
};

struct choices {
	uint32_t count;
	uint32_t weight; /* the sum */
	struct choice of[GAME_CHOICES_MAX];
};

/* "in" of "of": a chance as two whole numbers, in <= of, of > 0. */
struct odds {
	uint32_t in, of;
};

/* ---- modes: how a round may be paid for ---- */

enum guarantee_kind {
	GUARANTEE_NONE,
	GUARANTEE_LINE_WIN, /* at least one line wins */
	GUARANTEE_SYMBOLS,  /* at least so many of a symbol are in the window */
};

/* Reels that are wild on all their cells, bought. */
struct wild_position {
	uint32_t weight;
	uint32_t reels; /* bit r: reel r, 0-based */
};

enum published_bets { PUBLISHED_ALL_BETS, PUBLISHED_BELOW_MAX_BET, PUBLISHED_MAX_BET };

/* A published return: the exact one is in [from_ppm, below_ppm). RULE mystic-gem 2.14; RULE
 * mystery-elves 2.8; RULE mona-lisa 1.9, 4.1; RULE witch-feature 1.6 */
struct published_rtp {
	enum published_bets bets;
	char percent[16]; /* as published: "96.08" */
	uint32_t from_ppm, below_ppm;
	/* Not proved: `percent` is the mean of so many simulated rounds (0: it is proved), right
	 * to half_width_ppm with a probability of 99.9 %. */
	uint64_t simulated_rounds;
	uint32_t half_width_ppm;
};

struct spin_rank; /* core/spin_rank.h */

struct game_mode {
	char id[GAME_ID_MAX]; /* "base" for the first */
	char name[GAME_NAME_MAX];
	uint32_t price_hundredths; /* of the total bet; 100 for the base game */
	uint8_t strips;		   /* the set its spin is played on: what must not occur in a bought
				      spin is not on it. RULE mystic-gem 3.11 */
	bool one_spin;		   /* bought for one spin: autoplay does not repeat it. RULE
				      mystery-elves 4.5 */
	uint32_t position_count;   /* 0: no bought wild reels */
	uint32_t position_weight;  /* the sum */
	struct wild_position position[GAME_WILD_POSITIONS_MAX];
	enum guarantee_kind guarantee;
	uint8_t guarantee_symbol; /* GUARANTEE_SYMBOLS */
	uint32_t guarantee_min;
	const struct spin_rank *rank; /* GUARANTEE_*: the combinations that keep it; the loader's
					 memory */
	uint32_t published_count;     /* 0 in a demo */
	struct published_rtp published[GAME_PUBLISHED_MAX];
};

/* One currency a game is offered in. */
struct game_currency {
	uint32_t number; /* ISO 4217 */
	uint32_t coin_count;
	int64_t coin_minor[GAME_COINS_MAX]; /* rising */
	bool coin_buys[GAME_COINS_MAX];	    /* may a mode be bought at that coin value? */
	struct money stake_min, stake_max;  /* of the total bet, inclusive */
	struct money price_max;		    /* of a bought mode */
	bool gamble_limited;
	struct money gamble_stake_max; /* of each attempt; meaningless unless gamble_limited */
};

/* A row of a progressive pool: one per currency and coin value, with a counter of its own. */
struct jackpot_row {
	uint32_t currency; /* ISO 4217 */
	int64_t coin_minor;
	int64_t seed_minor;    /* what the row starts from, in its own currency */
	int64_t row_rate_nano; /* EUR for one unit of the currency, x 10^9; EUR: 10^9 */
	int64_t share_nano;    /* of each contribution, x 10^9: coin value x row rate / base coin,
				  floored */
};

/* What the progressive pool needs to know of a game (shared rules of the progressive). */
struct jackpot_link {
	uint32_t pool; /* number of the pool; 0: the game has no progressive */
	char pool_id[GAME_ID_MAX];
	uint32_t contribution_ppm; /* of every stake. RULE mona-lisa 4.6 */
	int64_t base_coin_minor;   /* EUR cents: the coin value the pool is kept at */
	int64_t base_seed_minor;   /* EUR cents: seed at that coin value */
	uint32_t row_count;
	struct jackpot_row row[GAME_JACKPOT_ROWS_MAX];
};

/* The game's part in a set of Jackpot Cards. */
struct cards_link {
	uint32_t pool; /* number of the set; 0: the game is in none */
	char set_id[GAME_ID_MAX];
	bool eligible;
};

struct gamble_rules {
	bool offered;	      /* RULE mona-lisa 1.10: not in every game */
	bool halve;	      /* floor(pending / 2) may be banked between attempts */
	bool base_lines_only; /* else the whole win */
	uint32_t attempts_max;
	uint32_t suit_count; /* of the deck, 13 cards each; as many red as black */
	uint8_t suit[4];     /* 0 clubs, 1 diamonds, 2 hearts, 3 spades */
	uint32_t jokers;     /* in the deck. With any, the 50/50 is drawn first and the card shown
				decides nothing: the joker counts as the colour guessed */
};

/* ---- features ---- */

/* Where a spin is played, as far as awards depend on it. */
enum spin_context { CONTEXT_BASE, CONTEXT_FREE, CONTEXT_RESPIN };
#define SPIN_CONTEXTS 3

#include "libcommon/game/features/types.h"

/* Symbols that win the progressive by themselves. */
struct jackpot_symbols {
	uint8_t symbol; /* GAME_NO_SYMBOL: none do */
	uint32_t count;
	bool anywhere;	   /* else on one played line, from the left */
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
	uint32_t interval_min_ms; /* between two autospins */
};

struct game {
	char id[GAME_ID_MAX];
	char name[GAME_NAME_MAX];
	uint32_t number;		   /* of the game, > 0: what journals and tallies carry */
	uint32_t version;		   /* of the definition */
	bool demo;			   /* refused outside a demo installation */
	uint8_t digest[GAME_DIGEST_BYTES]; /* the math version: SHA-256 of the canonical definition
					    */

	uint32_t reels, rows;
	uint32_t symbol_count;
	struct game_symbol symbol[GAME_SYMBOLS_MAX];
	uint8_t wild, bonus; /* index of the symbol or GAME_NO_SYMBOL */
	uint32_t scatter_symbols;
	uint8_t scatter[GAME_SCATTERS_MAX]; /* the first is the one that starts battles */
	uint32_t strip_sets;
	struct game_strips strips[GAME_STRIP_SETS_MAX];
	uint32_t mode_count;
	struct game_mode mode[GAME_MODES_MAX];
	uint32_t expanding_reels; /* bit r: a wild on reel r covers it, scatters excepted, before
				     anything is paid */
	uint32_t line_count;
	uint8_t line[GAME_LINES_MAX][GAME_REELS_MAX]; /* the row on each reel, 0 at the top */

	/* derived: a line's cells, reel * rows + row, and the bits of its first n */
	uint8_t line_cell[GAME_LINES_MAX][GAME_REELS_MAX];
	uint32_t line_cells[GAME_LINES_MAX][GAME_REELS_MAX + 1];
	/* derived: the shortest combination of the symbol that wins on a line; GAME_REELS_MAX + 1:
	 * none does */
	uint8_t pays_from[GAME_SYMBOLS_MAX];
	/* derived from the paytable: what k wilds and nothing else pay best, and as which symbol
	 * (RULE bewitched 3.1) */
	uint32_t wild_pay[GAME_REELS_MAX + 1];
	uint8_t wild_as[GAME_REELS_MAX + 1];

	uint32_t lines_min, lines_max;
	uint32_t coins_min, coins_max;
	uint32_t currency_count;
	struct game_currency currency[GAME_CURRENCIES_MAX];

	uint32_t scatter_count_min; /* fewest that start a battle; 0: the game has none */
	uint32_t scatter_award_count[GAME_REELS_MAX + 1];  /* outcomes by number of scatters */
	uint32_t scatter_award_weight[GAME_REELS_MAX + 1]; /* sums */
	struct scatter_outcome scatter_award[GAME_REELS_MAX + 1][GAME_SCATTER_OUTCOMES_MAX];

	uint32_t bonus_count_min;
	uint32_t picks_offered, picks_made;
	uint32_t pick_outcome_count;
	uint32_t pick_weight; /* the sum, the same at every bet */
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

	uint32_t resolve_after_hours;  /* an abandoned round is played to its end and collected.
					  RULE mystic-gem 8.4; RULE mystery-elves 6.6, 6.7; RULE
					  mona-lisa 6.4; RULE witch-feature 8.5 */
	uint32_t rtp_contribution_ppm; /* published, contribution counted whole as returned; 0: none
					*/
};

/* ---- a bet ---- */

struct bet {
	uint32_t currency; /* ISO 4217 number, of the player's account */
	int64_t coin_minor;
	uint32_t lines;
	uint32_t coins; /* a line */
	uint32_t mode;	/* index of the definition's modes; 0: the base game */
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
	BET_MODE_NOT_OFFERED, /* no such mode */
	BET_BUY_NOT_OFFERED,  /* not at this coin value */
	BET_ABOVE_PRICE_MAX,  /* the price of the bought mode */
};

/* Where and why a bet was refused; min..max is what was expected (coin: the smallest and largest
 * selectable value). */
struct bet_error {
	enum bet_status status;
	const char *field; /* "currency", "coin", "lines", "coins", "total", "mode"; static */
	int64_t found, min, max;
};

/* BET_OK and *stake_r, or the first fault with *error_r filled and nothing else changed. */
enum bet_status bet_check(const struct game *game, const struct bet *bet, struct money *stake_r,
	struct bet_error *error_r);
/* The total bet: coin x coins x lines, or BET_TOTAL_OVERFLOW. Pays that are "times the total bet"
 * mean this, also where a mode is bought. */
enum bet_status bet_total(const struct bet *bet, struct money *total_r);
/* What the round costs: the total bet x the mode's price, whole by the loader's check. */
enum bet_status bet_stake(const struct game *game, const struct bet *bet, struct money *stake_r);
/* All lines and the most coins a line. */
bool bet_is_max(const struct game *game, const struct bet *bet);
/* "coin_not_selectable": stable, for errors to clients. Static. */
const char *bet_status_text(enum bet_status status);

/* The smallest bet that bet_check takes in a currency. BET_CURRENCY_NOT_OFFERED if
 * there is none. */
enum bet_status bet_smallest(
	const struct game *game, uint32_t currency, struct bet *bet_r, struct money *stake_r);

/* Is the return of this mode simulated rather than proved? Of any mode? */
bool game_mode_simulated(const struct game_mode *mode);
bool game_simulated(const struct game *game);

/* Bits of the symbols that count as `symbol` where cells are counted: itself, and the wild for a
 * scatter with wild_counts. None for GAME_NO_SYMBOL. */
uint32_t game_counts_as(const struct game *game, uint8_t symbol);

const struct game_currency *game_currency(const struct game *game, uint32_t currency);
/* The row a hit at this bet is paid from; NULL if the game has no progressive in that currency and
 * coin value. */
const struct jackpot_row *jackpot_row(
	const struct jackpot_link *link, uint32_t currency, int64_t coin_minor);

/* Derived tables (wild_pay, wild_as, line_cells, every sum of weights, wrapped strips, stop_of);
 * the loader calls it once all else is filled and checked. */
void game_compile(struct game *game);

#endif
