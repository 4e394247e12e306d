/* The configuration of sets of Jackpot Cards: one file <name>.json a set in the folder
 * JACKPOT_CARDS_SETS.
 *
 *   {"set":"cards","set_number":2,"levels":[{"suit":"clubs","seed_eur_minor":2000,"wager_ppm":2500},
 * ..diamonds, hearts, spades]}
 *
 * seed_eur_minor: what the level starts from, in euro cents, rising with the suits; wager_ppm: its
 * part of every wager of the games in the set, put in by the house. A file that does not say
 * clearly what is meant is refused with the file, the JSON pointer, what was found and what was
 * expected. */
#ifndef CARILLON_JACKPOT_CARDS_SETS_LOAD_H
#define CARILLON_JACKPOT_CARDS_SETS_LOAD_H

#include "services/jackpot-cards/core/card_set.h"

#define CARD_SETS_MAX 16
#define CARD_SET_ID_MAX 32
#define SETS_ERROR_MAX 512

struct card_set_config {
	uint32_t number;
	char id[CARD_SET_ID_MAX];
	struct card_terms terms;
};

struct card_sets {
	size_t count;
	struct card_set_config set[CARD_SETS_MAX];
};

/* error holds SETS_ERROR_MAX bytes. False with error set; then sets_r is undefined. */
bool sets_load(const char *folder, struct card_sets *sets_r, char *error);
/* One set from memory; `name` stands for the file in errors. */
bool sets_parse(const char *name, const char *text, size_t length, struct card_set_config *set_r,
	char *error);

#endif
