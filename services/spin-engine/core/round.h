/* A round, phase by phase: one pure function of definition, bet, state and random stream.
 *
 *     struct round round; struct phase phase;
 *     round_begin(game, bet, state, rng, &round);
 *     while ((status = round_next(&round, &phase)) == ROUND_OK) ...
 *
 * All draws of a round are fixed by its stream: what the player chooses (witch, vials, when to go
 * on) never reaches this code, so a round can be played whole at its birth and again later for each
 * screen. Free spins are unlimited and memory is not: each phase overwrites the caller's one
 * buffer. No I/O, clock or allocation. RULE numbers are those of docs/rules/. */
#ifndef CARILLON_SPIN_ENGINE_ROUND_H
#define CARILLON_SPIN_ENGINE_ROUND_H

#include "libcommon/base/rng.h"
#include "services/spin-engine/core/game.h"
#include "services/spin-engine/core/game_state.h"

#include <sodium/crypto_hash_sha256.h>

#define PHASE_WINS_MAX (GAME_LINES_MAX + 2)
#define PHASE_DRAWS_MAX (GAME_REELS_MAX + 2)
#define PHASE_BYTES_MAX 2048 /* canonical form of one phase */
#define ROUND_DIGEST_BYTES 32

enum phase_kind {
	PHASE_SPIN,	 /* the paid spin: line wins */
	PHASE_BATTLE,	 /* scatters of the spin before it: pay and free spins */
	PHASE_BONUS,	 /* three vials, one outcome */
	PHASE_FREE_SPIN, /* line wins, multiplied */
};

enum win_what { WIN_LINE, WIN_SCATTER, WIN_BONUS };

struct win_item {
	uint8_t what;	/* enum win_what */
	uint8_t symbol; /* index in the definition: what was paid as (never the wild unless it has
			   pays of its own) */
	uint8_t count;
	uint8_t line;	     /* 1-based; 0 for scatter and bonus */
	uint32_t cells;	     /* bit reel * rows + row */
	uint32_t multiplier; /* already in the amount: 2 for a line in a free spin, times the bet
				for scatter and bonus */
	struct money amount;
};

enum draw_meaning { DRAW_STOP, DRAW_BATTLE, DRAW_VIAL };

struct draw {
	uint8_t meaning;       /* enum draw_meaning */
	uint8_t reel;	       /* STOP: 0-based */
	uint32_t below, value; /* value uniform in 0..below-1 */
};

/* What the player must do before a phase may be shown; never started by autoplay. RULE
 * bewitched 6.2 */
enum phase_needs { NEEDS_NOTHING, NEEDS_PICKS, NEEDS_START };

struct phase {
	uint32_t index; /* 0-based within the round */
	enum phase_kind kind;
	enum phase_needs needs_player;
	uint32_t picks_needed; /* NEEDS_PICKS: how many of vials_shown */
	uint32_t vials_shown;
	uint8_t reels, rows;
	uint16_t stop[GAME_REELS_MAX];	/* BATTLE and BONUS: those of the spin they belong to */
	uint8_t window[GAME_CELLS_MAX]; /* symbol at reel * rows + row */
	uint32_t win_count;
	struct win_item win[PHASE_WINS_MAX];
	struct money win_total;	      /* of this phase */
	uint32_t feature_cells;	      /* BATTLE: the scatters; BONUS: the bonus symbols; else 0 */
	uint32_t feature_count;	      /* how many */
	bool battle_won;	      /* BATTLE: the player's witch won */
	enum vial_kind outcome;	      /* BONUS */
	uint32_t outcome_value;	      /* BONUS: times the total bet, or free spins */
	uint32_t free_spins_awarded;  /* by this phase */
	uint32_t free_spins_left;     /* after it, of the set being played */
	uint32_t free_spins_appended; /* after it, won since and to be played after that set. RULE
					 bewitched 3.15 */
	uint32_t multiplier;	      /* on line wins of this phase */
	bool jackpot_hit;
	uint32_t claim_index; /* of the hit: 1, 2, .. within the round; 0: none */
	uint32_t draw_count;
	struct draw draw[PHASE_DRAWS_MAX];
};

enum round_status {
	ROUND_OK = 0,	   /* a phase was played */
	ROUND_DONE,	   /* there is none left; the phase buffer is untouched */
	ROUND_PHASE_LIMIT, /* GAME_ROUND_PHASES_MAX reached: nothing was drawn; play of the game
			      must stop, with an alarm */
	ROUND_BAD_BET,	   /* bet_check refuses it */
};

/* Opaque to callers; read it through phases. */
struct round {
	const struct game *game; /* borrowed */
	struct rng *rng;	 /* borrowed */
	struct bet bet;
	struct money stake;
	struct money line_bet; /* coin x coins a line */
	uint32_t phases;       /* played so far */
	uint32_t claims;
	uint32_t free_left, free_appended;
	bool spin_played; /* the paid spin is behind us */
	bool free_started;
	uint32_t scatters, bonuses; /* of the last spin, still to be answered by a phase; 0: none */
	uint32_t scatter_cells, bonus_cells;
	uint16_t stop[GAME_REELS_MAX];
	uint8_t window[GAME_CELLS_MAX];
};

/* `state` is the player's state of this game before the move; games without carried features read
 * nothing of it. Draws nothing yet. `game`, `rng` are borrowed until the last round_next. ROUND_OK
 * or ROUND_BAD_BET. */
enum round_status round_begin(const struct game *game, const struct bet *bet,
	const struct game_state *state, struct rng *rng, struct round *round_r);
enum round_status round_next(struct round *round, struct phase *phase_r);

/* ---- sums and the digest ---- */

/* Totals of a whole round. Jackpots are not in them: the pool prices those. */
struct round_sum {
	struct money stake;
	struct money win_total;	     /* base lines + feature */
	struct money win_base_lines; /* of the paid spin: the only part that may be gambled. RULE
					bewitched 5.9 */
	struct money win_feature;    /* scatter, bonus, free spins */
	uint32_t phases;
	uint32_t jackpot_hits;		    /* claims 1..jackpot_hits */
	uint32_t free_spins;		    /* played */
	bool has_feature;		    /* some phase needs the player */
	uint8_t digest[ROUND_DIGEST_BYTES]; /* SHA-256 over the phases' canonical bytes: what
					       history checks its replay against */
};

struct round_summing {
	struct round_sum sum;
	crypto_hash_sha256_state sha;
};

void round_sum_begin(struct round_summing *summing, struct money stake);
/* Adds the next phase. False when a total does not fit 64 bits: the loader's bounds make that
 * impossible for a definition it took. */
bool round_sum_add(struct round_summing *summing, const struct phase *phase) CARILLON_MUST_CHECK;
void round_sum_end(struct round_summing *summing, struct round_sum *sum_r);

/* A whole round at once: begin, every phase, sums and digest. ROUND_DONE when all went well.
 * `phase` is scratch, the last phase after it. */
enum round_status round_play(const struct game *game, const struct bet *bet,
	const struct game_state *state, struct rng *rng, struct phase *phase,
	struct round_sum *sum_r);

/* Plays again up to the phase `index` (0-based) and leaves it in *phase_r; ROUND_DONE if the round
 * is shorter. */
enum round_status round_replay(const struct game *game, const struct bet *bet,
	const struct game_state *state, struct rng *rng, uint32_t index, struct phase *phase_r);

/* The canonical bytes of a phase: every field that a screen shows and every draw, little-endian, as
 * the digest covers them. `out` holds PHASE_BYTES_MAX bytes; returns the length. */
size_t phase_encode(const struct phase *phase, uint8_t *out);

const char *phase_kind_text(enum phase_kind kind); /* "spin", "battle", "bonus", "free_spin" */
const char *win_what_text(enum win_what what);	   /* "line", "scatter", "bonus" */
const char *vial_kind_text(enum vial_kind kind);   /* "money", "free_spins", "jackpot" */
/* "stop reel 1", "battle outcome", "vial outcome". Static. */
const char *draw_text(const struct draw *draw);

#endif
