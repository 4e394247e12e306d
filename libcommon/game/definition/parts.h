/* The parts of a definition, each with its function; read.c calls them all. A function fills its
 * part of the game and records the first mistake in root->reader; after a mistake the values it
 * fills in are harmless. Symbols, strips and lines come first, because all other parts name them.
 * Only the loader includes this file. */
#ifndef CARILLON_GAME_DEFINITION_PARTS_H
#define CARILLON_GAME_DEFINITION_PARTS_H

#include "libcommon/game/definition/json.h"
#include "libcommon/game/game.h"

/* symbols.c */
void definition_read_symbols(const struct node *root, struct game *game);
void definition_read_strips(const struct node *root, struct game *game);
void definition_read_lines(const struct node *root, struct game *game);

/* mode.c */
void definition_read_modes(const struct node *root, struct game *game);

/* bet.c */
void definition_read_bet(const struct node *root, struct game *game);
void definition_read_gamble(const struct node *root, struct game *game);
void definition_read_autoplay(const struct node *root, struct game *game);

/* pool.c */
void definition_read_jackpot(const struct node *root, struct game *game);
void definition_read_cards(const struct node *root, struct game *game);

/* features.c: every feature of features.def, and members that are not features (expanding wilds,
 * symbols that win the progressive, witches). */
void definition_read_features(const struct node *root, struct game *game);
/* Appends the features' members to a list of names. */
#define DEFINITION_MEMBERS_MAX 512
void definition_members(char out[DEFINITION_MEMBERS_MAX]);

/* ---- shared by several parts (tables.c) ---- */

#define KIND_BIT(kind) (1u << (kind))
#define KINDS_ALL 0x3fu

/* The index of the symbol that the node names; its kind must be one of `kinds` (bits).
 * GAME_NO_SYMBOL after a mistake. */
uint8_t definition_symbol(const struct node *node, const struct game *game, uint32_t kinds);
/* The index of the set of strips that the node names; 0 after a mistake. */
uint8_t definition_strips(const struct node *node, const struct game *game);
/* Reads a reel number of the file (from 1); returns the core's (from 0). */
uint8_t definition_reel(const struct node *node, const struct game *game);
/* Reads a table of `key` (min..max, each value once) and "weight"; the weights sum to at most
 * GAME_WEIGHT_MAX. */
void definition_choices(const struct node *list, const char *key, uint32_t min, uint32_t max,
	struct choices *choices_r);
/* Adds a weight to *sum; a mistake at `node` if the sum passes GAME_WEIGHT_MAX. */
void definition_add_weight(const struct node *node, uint32_t weight, uint32_t *sum);
/* Reads {"in", "of"}: `in` from `least` to `of`. */
void definition_odds(const struct node *node, uint32_t least, struct odds *odds_r);

#endif
