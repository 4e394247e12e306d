/* A journal for the tests of the proof: moves of one player in one shipped game, played with a real
 * key, as the messages that --verify reads. */
#ifndef CARILLON_SPIN_ENGINE_TEST_PROOF_WORLD_H
#define CARILLON_SPIN_ENGINE_TEST_PROOF_WORLD_H

#include "services/spin-engine/adapters/keys.h"
#include "services/spin-engine/core/player.h"

#include "proof.pb-c.h"

#define PROOF_GAMES "services/spin-engine/games"
#define PROOF_ROWS_MAX 4000
#define PROOF_PLAYER INT64_C(0x0001000000000007)

/* A row as it is booked: whatever a test changes here is forged. */
struct booked {
	Carillon__WalletFact fact;
	Carillon__Envelope envelope;
	Carillon__Claim claim[PLAYER_CLAIMS_MAX + 1], *claims[PLAYER_CLAIMS_MAX + 1];
	struct player_record record;
	bool proven;
	bool odds_known;
	uint64_t time_us; /* when it was booked */
	int64_t void_awards;
};

struct proof_world {
	struct game game;
	struct keys *keys;
	struct player player;
	struct player_game play;
	struct cards_odds cards;		/* of 0: none */
	uint64_t cards_from_us, cards_until_us; /* when the proof is told that they were in force */
	uint64_t now_us, random;
	size_t count;
	struct booked row[PROOF_ROWS_MAX];
};

/* Opens the account. `id`: folder of the game. The world is several megabytes. */
void proof_world_init(struct proof_world *world, const char *id);
void proof_world_free(struct proof_world *world);
/* Plays so many bets with all that follows them: features to their end, gambles, halves, collects,
 * settings, now and then a void and a refusal. */
void proof_world_play(struct proof_world *world, uint32_t bets);
/* Proves the rows from `first` on. Writes the verdicts, a line a row, to *text_r, which the caller
 * frees. Returns the number of rows that differ. */
uint64_t proof_world_prove(struct proof_world *world, size_t first, char **text_r);
/* The index of the n-th accepted row of a kind. Fails the test if there is none. */
size_t proof_world_find(const struct proof_world *world, enum player_move kind, uint32_t n);
/* A row as a message; returns its length. `out` has room for 4,096 bytes. */
size_t proof_world_message(const struct booked *row, uint8_t *out);

#endif
