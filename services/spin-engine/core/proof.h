/* The proof of booked moves: each is proposed again by the same state machine, from the state that
 * the row before left and the same draws, and must come out as it was booked: money, claims, the
 * digest of the result, and every field of the state.
 *
 * A command is not stored, so it is read back from the record that it led to: the bet, the nonce,
 * the guess. Whatever a player is free to choose is taken from there; whatever follows from it is
 * computed. Fields that change without a move (how far a feature was watched, the chosen witch) are
 * marked in one table, proof_state.c, and not compared. Pure. Source: docs/ledger.md, "Every win".
 */
#ifndef CARILLON_SPIN_ENGINE_CORE_PROOF_H
#define CARILLON_SPIN_ENGINE_CORE_PROOF_H

#include "services/spin-engine/core/player.h"

#define PROOF_TEXT_MAX 96

/* A booked move. */
struct proof_row {
	struct player_fact fact; /* seq and balance_after are not read */
	uint32_t mode;
	struct money release, stake, win_balance, win_pending, forfeit, amount, pending_after;
	uint32_t claim_count;
	struct player_claim claim[PLAYER_CLAIMS_MAX + 1];
	const struct player_record *record; /* NULL: none that can be read */
	bool has_grant;			    /* a bonus spin, and its grant */
	struct player_bonus_spins grant;
	bool has_past; /* VOID of a round that was not the last of its game any more */
	struct past_round past;
	struct money awards;	  /* VOID: all jackpots paid to the round */
	struct money void_awards; /* VOID: those taken back, as the list of voids has them */
	bool scripts;		  /* draws may be scripted: a test installation */
};

/* The first field of a row that is not what it must be. Texts are for people. */
struct proof_difference {
	char field[40], found[PROOF_TEXT_MAX], expected[PROOF_TEXT_MAX];
};

/* Which streams a row needs: the caller makes their keys. */
struct proof_streams {
	bool game, gamble; /* of the round that this bet opens; of the open round */
	bool cards_open;   /* of the round that is open before the row */
	bool cards_new;	   /* of the round that this bet opens */
};
void proof_streams(const struct player_game *play, const struct proof_row *row,
	struct proof_streams *streams_r);

/* The definition a row was played with, by its math version: of the record's round for a bet, else
 * of the round before. NULL: none is needed. */
const uint8_t *proof_definition(const struct player_game *play, const struct proof_row *row);

/* Proposes the row again and compares. `play`: the game's state before the row, as player_game_init
 * made it if the game was never played; NULL: the row names no game. `game`: by proof_definition.
 * entropy: the keys that proof_streams asked for; the rest is filled in from the record. A refused
 * row moves nothing and draws nothing that counts: only its move number is compared. False: *_r
 * says what differs. Changes nothing; the caller adopts the row with player_adopt. */
bool proof_check(const struct player *player, const struct player_game *play,
	const struct game *game, const struct proof_row *row, struct player_entropy *entropy,
	struct proof_difference *difference_r);

/* For proof.c: compares the state that follows with the recorded one. */
bool proof_state_equal(const struct player_game *found, const struct player_game *expected,
	struct proof_difference *difference_r);
/* Takes over what changes without a move: `play` becomes as it was watched just before the row. */
void proof_state_watch(
	struct player_game *play, const struct player_game *recorded, enum player_move kind);
/* Sets a difference of numbers. Always false. */
bool proof_differs(
	struct proof_difference *difference, const char *field, int64_t found, int64_t expected);

#endif
