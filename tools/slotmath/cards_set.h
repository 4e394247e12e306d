/* A set of Jackpot Cards as its file defines it, for `slotmath cards`. */
#ifndef CARILLON_SLOTMATH_CARDS_SET_H
#define CARILLON_SLOTMATH_CARDS_SET_H

#include "libcommon/jackpot/io/card_sets.h"

#include <stddef.h>
#include <stdint.h>

#define CARDS_LEVELS CARD_SETS_LEVELS
#define CARDS_CURRENCIES_MAX CARD_SETS_ODDS_MAX
#define CARDS_NAME_MAX 64
#define CARDS_CODE_MAX 8

struct cards_level {
	const char *suit;   /* static: "clubs" */
	int64_t seed_minor; /* euro cents */
	int64_t wager_ppm;  /* its part of every stake */
	/* of being drawn in a card round; at least one level has a weight above 0 */
	int64_t weight;
};

/* The probability that a stake begins a card round: stake x `in` / `of`, at most 1. */
struct cards_currency {
	char code[CARDS_CODE_MAX]; /* "EUR" */
	uint32_t exponent;	   /* decimals of its minor unit */
	int64_t in, of;
};

struct cards_set {
	char id[CARDS_NAME_MAX];
	int64_t number;
	struct cards_level level[CARDS_LEVELS]; /* clubs, diamonds, hearts, spades */
	size_t currency_count;
	struct cards_currency currency[CARDS_CURRENCIES_MAX];
};

/* Reads a file. If it is not a valid set, prints where, what was found and what was expected, and
 * exits with 2. */
void cards_set_read(const char *path, struct cards_set *set_r);

#endif
