/* The definitions that a proof replays with, by number and digest. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_PROOF_GAMES_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_PROOF_GAMES_H

#include "libcommon/game/game.h"

#include <stdbool.h>
#include <stddef.h>

struct proof_games;

struct proof_games *proof_games_new(void);
void proof_games_free(struct proof_games **games);
/* Loads every <folder>/<name>/<any>.json that is a definition; from now on offers are ignored.
 * False: error (PROVING_ERROR_MAX bytes) names the file. */
bool proof_games_trust(struct proof_games *games, const char *folder, char *error);
/* Takes a definition, which is checked when a row first needs it. False: error says what is wrong
 * with the offer itself. */
bool proof_games_offer(
	struct proof_games *games, uint32_t number, const char *text, size_t length, char *error);
/* NULL: no definition of this game has this digest. The pointer holds until proof_games_free. text
 * (2 x GAME_DIGEST_BYTES + 1) receives the digest in hex then. */
const struct game *proof_games_find(struct proof_games *games, uint32_t number,
	const uint8_t digest[GAME_DIGEST_BYTES], char *text);

#endif
