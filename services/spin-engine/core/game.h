/* A game as the engine plays it: the definition file compiled into one block of the caller's
 * memory, and the rules of a bet.
 *
 * The file carries the numbers, the code is written per feature (lines, wild, scatter, free spins,
 * pick bonus, progressive link, gamble, autoplay); nothing here knows a game by name. A struct game
 * is made by the loader (adapters/definition_load.h), which refuses what cannot be played, and is
 * read-only from then on: any number of rounds and threads may share it. Counts are of elements,
 * money is in minor units of the currency named beside it, weights are relative. Source: shared
 * rules of the mathematics; requirement numbers in comments. */
#ifndef CARILLON_SPIN_ENGINE_GAME_H
#define CARILLON_SPIN_ENGINE_GAME_H

#include "libcommon/base/money.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAME_ID_MAX 32 /* bytes with the NUL: slugs and names of symbols */
#define GAME_NAME_MAX 48
#define GAME_REELS_MAX 6
#define GAME_ROWS_MAX 5
#define GAME_CELLS_MAX 30 /* fits the bits of a cell mask */
#define GAME_STRIP_MAX 256
#define GAME_SYMBOLS_MAX 32
#define GAME_LINES_MAX 64
#define GAME_LINE_COINS_MAX 100 /* coins that may be bet on one line */
#define GAME_COINS_MAX 16	/* selectable coin values of a currency */
#define GAME_CURRENCIES_MAX 16
#define GAME_BATTLE_OUTCOMES_MAX 8 /* per number of scatters */
#define GAME_VIAL_OUTCOMES_MAX 64
#define GAME_VIALS_MAX 16 /* shown for the player to pick from */
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

enum symbol_kind { SYMBOL_LINE, SYMBOL_WILD, SYMBOL_SCATTER, SYMBOL_BONUS };

struct game_symbol {
	char id[GAME_ID_MAX];
	char name[GAME_NAME_MAX]; /* shown to players */
	enum symbol_kind kind;
	uint32_t pay[GAME_REELS_MAX + 1]; /* coins by length of the combination; 0: none. Scatter:
					     times the total bet */
};

/* One currency a game is offered in. */
struct game_currency {
	uint32_t number; /* ISO 4217 */
	uint32_t coin_count;
	int64_t coin_minor[GAME_COINS_MAX]; /* rising */
	struct money stake_min, stake_max;  /* of one bet, inclusive */
	bool gamble_limited;
	struct money gamble_stake_max; /* of each attempt; meaningless unless gamble_limited */
};

/* Free spins a battle awards. The player's witch wins exactly when it awards some. */
struct battle_outcome {
	uint32_t weight;
	uint32_t free_spins;
};

enum vial_kind { VIAL_MONEY, VIAL_FREE_SPINS, VIAL_JACKPOT };

/* One result of the pick bonus. Its weight at a bet is weight + weight_per_coin * y, y = lines x
 * coins a line, so that the odds of the progressive follow the wager; the loader proves that no
 * weight is negative and that the sum does not depend on y (requirements 28, 46). */
struct vial_outcome {
	enum vial_kind kind;
	uint32_t value; /* MONEY: times the total bet; FREE_SPINS: how many; JACKPOT: 0 */
	int64_t weight;
	int64_t weight_per_coin;
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
	uint32_t contribution_ppm; /* of every stake */
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
	bool offered;
	bool halve;	      /* floor(pending / 2) may be banked between attempts */
	bool base_lines_only; /* requirement 29; else the whole win */
	uint32_t attempts_max;
	uint32_t suit_count; /* of the deck, 13 cards each; as many red as black */
	uint8_t suit[4];     /* 0 clubs, 1 diamonds, 2 hearts, 3 spades */
};

enum autoplay_loss_rule { LOSS_BELOW_ZERO, LOSS_AT_ZERO };
enum autoplay_win_rule { WIN_REACHES, WIN_EXCEEDS };

struct autoplay_rules {
	bool offered;
	uint32_t spins_max;
	enum autoplay_loss_rule loss_rule;
	enum autoplay_win_rule win_rule;
	bool jackpot_stop_offered;
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
	uint8_t wild, scatter, bonus; /* index of the symbol or GAME_NO_SYMBOL */
	uint32_t strip_length[GAME_REELS_MAX];
	uint8_t strip[GAME_REELS_MAX]
		     [GAME_STRIP_MAX + GAME_ROWS_MAX]; /* the first rows again at the end: windows
							  need no modulo */
	uint32_t line_count;
	uint8_t line[GAME_LINES_MAX][GAME_REELS_MAX]; /* the row on each reel, 0 at the top */

	/* derived from the paytable: what k wilds and nothing else pay best, and as which symbol
	 * (RULE bewitched 3.1) */
	uint32_t wild_pay[GAME_REELS_MAX + 1];
	uint8_t wild_as[GAME_REELS_MAX + 1];

	uint32_t lines_min, lines_max;
	uint32_t coins_min, coins_max;
	uint32_t currency_count;
	struct game_currency currency[GAME_CURRENCIES_MAX];

	uint32_t scatter_count_min;		    /* fewest that start a battle */
	uint32_t battle_count[GAME_REELS_MAX + 1];  /* outcomes by number of scatters */
	uint32_t battle_weight[GAME_REELS_MAX + 1]; /* sums */
	struct battle_outcome battle[GAME_REELS_MAX + 1][GAME_BATTLE_OUTCOMES_MAX];

	uint32_t bonus_count_min;
	uint32_t vials_shown, vials_picked;
	uint32_t vial_count;
	uint32_t vial_weight; /* the sum, the same at every bet */
	struct vial_outcome vial[GAME_VIAL_OUTCOMES_MAX];

	uint32_t free_spin_line_multiplier;

	uint32_t witch_count; /* 0: the game has no choice of witch */
	char witch[GAME_WITCHES_MAX][GAME_ID_MAX];

	struct gamble_rules gamble;
	struct autoplay_rules autoplay;
	struct jackpot_link jackpot;
	struct cards_link cards;

	uint32_t resolve_after_hours;  /* an abandoned round is played to its end and collected */
	uint32_t rtp_seed_ppm;	       /* published, jackpot at its seed */
	uint32_t rtp_contribution_ppm; /* published, contribution counted as returned */
};

/* ---- a bet ---- */

struct bet {
	uint32_t currency; /* ISO 4217 number, of the player's account */
	int64_t coin_minor;
	uint32_t lines;
	uint32_t coins; /* a line */
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
};

/* Where and why a bet was refused; min..max is what was expected (coin: the smallest and largest
 * selectable value). */
struct bet_error {
	enum bet_status status;
	const char *field; /* "currency", "coin", "lines", "coins", "total"; static */
	int64_t found, min, max;
};

/* BET_OK and *stake_r, or the first fault with *error_r filled and nothing else changed. */
enum bet_status bet_check(const struct game *game, const struct bet *bet, struct money *stake_r,
	struct bet_error *error_r);
/* The stake alone: coin x coins x lines, or BET_TOTAL_OVERFLOW. */
enum bet_status bet_stake(const struct bet *bet, struct money *stake_r);
/* "coin_not_selectable": stable, for errors to clients. Static. */
const char *bet_status_text(enum bet_status status);

/* The smallest bet that bet_check takes in a currency (requirement 40). BET_CURRENCY_NOT_OFFERED if
 * there is none. */
enum bet_status bet_smallest(
	const struct game *game, uint32_t currency, struct bet *bet_r, struct money *stake_r);

const struct game_currency *game_currency(const struct game *game, uint32_t currency);
/* The row a hit at this bet is paid from; NULL if the game has no progressive in that currency and
 * coin value. */
const struct jackpot_row *jackpot_row(
	const struct jackpot_link *link, uint32_t currency, int64_t coin_minor);

/* Derived tables (wild_pay, wild_as, sums of weights, wrapped strips); the loader calls it once all
 * else is filled and checked. */
void game_compile(struct game *game);

#endif
