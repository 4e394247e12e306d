/* The configuration of sets of Jackpot Cards: a folder with a file <name>.json for each set. The
 * service of Jackpot Cards uses the levels, the spin engine uses the odds. Both belong to the set
 * and not to a game, so changing them changes no math version.
 *
 *   {"set":"cards","set_number":2,
 *    "levels":[{"suit":"clubs","seed_eur_minor":2000,"wager_ppm":2500,"weight":900}, ..diamonds,
 *              hearts, spades],
 *    "odds":{"EUR":{"in":1,"of":1000000}, ..}}
 *
 * seed_eur_minor: the level's seed in euro cents, higher than that of the preceding suit.
 * wager_ppm: the part of each stake in the set's games that the house contributes to the level.
 * weight: the level's chance, out of the sum of all weights. odds: the chance of a trigger is
 * `in` / `of` for each minor unit of a stake in that currency; a game in the set needs odds for
 * every currency that it is offered in.
 *
 * RULE mystic-gem 6.1, 6.12. The error for an invalid file names the file and the JSON pointer,
 * what was found and what was expected. */
#ifndef CARILLON_JACKPOT_IO_CARD_SETS_H
#define CARILLON_JACKPOT_IO_CARD_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CARD_SETS_MAX 16
#define CARD_SET_ID_MAX 32
#define CARD_SETS_LEVELS 4
#define CARD_SETS_ODDS_MAX 32
#define CARD_SETS_SEED_MAX INT64_C(1000000000000)
#define CARD_SETS_WEIGHT_MAX 1000000000
#define CARD_SETS_OF_MAX INT64_C(1000000000000)
#define CARD_SETS_ERROR_MAX 512

struct card_set_odds {
	uint32_t currency; /* ISO 4217 */
	uint64_t in, of;   /* for one minor unit of the stake; 1 <= in <= of */
};

struct card_set_config {
	uint32_t number;
	char id[CARD_SET_ID_MAX];
	int64_t seed_minor[CARD_SETS_LEVELS]; /* clubs, diamonds, hearts, spades */
	int64_t wager_ppm[CARD_SETS_LEVELS];
	uint32_t weight[CARD_SETS_LEVELS]; /* not all 0 */
	size_t odds_count;
	struct card_set_odds odds[CARD_SETS_ODDS_MAX];
};

struct card_sets {
	size_t count;
	struct card_set_config set[CARD_SETS_MAX];
};

/* Loads all sets of a folder. `setting` names the folder's setting in errors. False with error set
 * (CARD_SETS_ERROR_MAX bytes); sets_r is then undefined. */
bool card_sets_load(const char *setting, const char *folder, struct card_sets *sets_r, char *error);
/* Reads one set from memory; errors show `name` instead of a file name. */
bool card_sets_parse(const char *name, const char *text, size_t length,
	struct card_set_config *set_r, char *error);
/* NULL: no such set, or no odds for the currency. */
const struct card_set_config *card_sets_find(const struct card_sets *sets, uint32_t number);
const struct card_set_odds *card_set_odds(const struct card_set_config *set, uint32_t currency);

#endif
