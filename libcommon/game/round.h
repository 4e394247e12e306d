/* A round, phase by phase: one pure function of definition, bet, state and random stream.
 *
 *     struct round round; struct phase phase;
 *     round_begin(game, bet, state, rng, &round);       state: what the player's bet value carries
 *     while ((status = round_next(&round, &phase)) == ROUND_OK) ...
 *
 * All draws of a round are fixed by its stream: what the player chooses (witch, vials, when to go
 * on) never reaches this code, so a round can be played whole at its birth and again later for each
 * screen. Free spins are unlimited and memory is not: each phase overwrites the caller's one
 * buffer. No I/O, clock or allocation. RULE numbers are those of docs/rules/. */
#ifndef CARILLON_GAME_ROUND_H
#define CARILLON_GAME_ROUND_H

#include "libcommon/base/rng.h"
#include "libcommon/base/sha256.h"
#include "libcommon/game/game.h"

#define PHASE_WINS_MAX (GAME_LINES_MAX + GAME_SCATTERS_MAX)
#define PHASE_DRAWS_MAX (GAME_REELS_MAX + 2 * GAME_CELLS_MAX + 4)
#define PHASE_BYTES_MAX 4096 /* canonical form of one phase */
#define ROUND_DIGEST_BYTES 32

/* What a bet value carries from round to round (Collected potions and unlocked features): all zero
 * for a new one, and for games without such features. */
struct round_state {
	uint8_t collectibles[GAME_COLOURS]; /* collected, by colour; two in all at most between
					       rounds */
	uint8_t unlocked;		    /* steps open beyond the first */
};

enum phase_kind {
#define PHASE(id, text, source, event) PHASE_##id,
#include "libcommon/game/features.def"
	PHASE_KINDS
};

enum win_what {
	WIN_LINE,
	WIN_SCATTER,
	WIN_BONUS,   /* a vial's money */
	WIN_CELL,    /* one symbol of the hold and win */
	WIN_JACKPOT, /* the symbols that won the progressive; amount 0: the pool prices it */
};

struct win_item {
	uint8_t what;	/* enum win_what */
	uint8_t symbol; /* index in the definition: what was paid as (never the wild unless it has
			   pays of its own) */
	uint8_t count;
	uint8_t line;	     /* 1-based; 0 for all but lines */
	uint32_t cells;	     /* bit reel * rows + row */
	uint32_t multiplier; /* already in the amount: of a line; times the bet for scatter and
				bonus; of a cell all that multiplied it */
	struct money amount;
};

enum draw_meaning {
#define DRAW(id, text) DRAW_##id,
#include "libcommon/game/features.def"
	DRAW_MEANINGS
};

struct draw {
	uint8_t meaning;       /* enum draw_meaning */
	uint8_t where;	       /* 0-based reel or cell, where the meaning says so; else 0 */
	uint64_t below, value; /* value uniform in 0..below-1 */
};

/* What the player must do before a phase may be shown; never started by autoplay. RULE
 * bewitched 6.2 */
enum phase_needs { NEEDS_NOTHING, NEEDS_PICKS, NEEDS_START };

/* What a cell of the hold and win carries, as far as it is shown. */
struct cell_load {
	uint8_t kind;  /* enum hold_kind; meaningless for a cell without the symbol */
	uint8_t award; /* MYSTERY, resolved: index of the award + 1; 0: not yet */
	uint32_t x; /* VALUE: times the total bet; MULTIPLIER, resolved: the multiplier; 0: not yet
		     */
	uint32_t own; /* MYSTERY, MULTIPLIER, resolved: the value it turns into; 0: not yet */
};

struct phase {
	uint32_t index; /* 0-based within the round */
	enum phase_kind kind;
	enum phase_needs needs_player;
	uint32_t picks_needed; /* NEEDS_PICKS: how many of picks_offered */
	uint32_t picks_offered;
	uint8_t reels, rows;
	uint8_t strips;			/* the set the stops are of */
	uint16_t stop[GAME_REELS_MAX];	/* phases without stops of their own: those of the spin they
					   belong to */
	uint8_t window[GAME_CELLS_MAX]; /* symbol at reel * rows + row, as it is paid: after
					   expansion, falling, marks and wilds */
	uint32_t covered;		/* cells whose symbol is not the strip's: expanded or bought
					   wilds, random wilds, marks */
	uint32_t held;			/* cells that did not spin: sticky, locked, hold and win */
	uint32_t landed;		/* HOLD_RESPIN: cells filled by it */
	uint32_t loaded;		/* cells whose load is meaningful */
	uint32_t win_count;
	struct win_item win[PHASE_WINS_MAX];
	struct money win_total;		/* of this phase */
	uint32_t feature_cells;		/* BATTLE: the scatters; BONUS: the bonus symbols; else 0 */
	uint32_t feature_count;		/* how many */
	bool scatter_award_won;		/* BATTLE: the player's witch won */
	enum pick_outcome_kind outcome; /* BONUS */
	uint32_t outcome_value;		/* BONUS: times the total bet, or free spins */
	uint32_t free_spins_awarded;	/* by this phase */
	uint32_t free_spins_left;	/* after it, of the set being played */
	uint32_t free_spins_appended;	/* after it, won since and to be played after that set. RULE
					   bewitched 3.15 */
	uint32_t respins_left;		/* sticky or hold respins, after this phase */
	uint32_t multiplier;		/* on line wins of this phase */
	struct cell_load load[GAME_CELLS_MAX]; /* games with hold and win */
	uint32_t features; /* UNLOCK_RESPIN: bit k: unlock_kind k is played; SPIN and
			      FREE_SPIN: those it triggered */
	bool explodes;	   /* SPIN: an explosion follows */
	uint8_t collected_colour[GAME_REELS_MAX]; /* SPIN: colour + 1 collected there; 0: none */
	struct round_state state;		  /* after this phase */
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
	struct money stake;    /* what it costs */
	struct money total;    /* the total bet: what pays are times of */
	struct money line_bet; /* coin x coins a line */
	struct round_state state;
	uint32_t phases; /* played so far */
	uint32_t claims;
	uint32_t free_left, free_appended;
	bool spin_played; /* the paid spin is behind us */
	bool free_started;
	uint32_t scatters, bonuses; /* of the last spin, still to be answered by a phase; 0: none */
	uint32_t scatter_cells, bonus_cells;
	uint32_t sticky_left, sticky_cells;
	bool sticky_started;
	bool hold_running;
	uint32_t hold_left, hold_cells; /* cells that carry a load, of the paid spin or held */
	struct cell_load load[GAME_CELLS_MAX];
	uint32_t features; /* potion respins still to be played: bits of unlock_kind */
	uint32_t feature_multiplier;
	bool exploding;
	uint8_t strips;
	uint16_t stop[GAME_REELS_MAX];
	uint8_t window[GAME_CELLS_MAX];
	uint32_t covered, held;
	struct feature_state_own own;
};

/* `state` is what this bet value carries before the round (NULL: nothing); games without carried
 * features read nothing of it. Draws nothing yet. `game`, `rng` are borrowed until the last
 * round_next. ROUND_OK or ROUND_BAD_BET. */
enum round_status round_begin(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, struct round *round_r);
enum round_status round_next(struct round *round, struct phase *phase_r);

/* ---- sums and the digest ---- */

/* Totals of a whole round. Jackpots are not in them: the pool prices those. */
struct round_sum {
	struct money stake;
	struct money win_total;	     /* base lines + feature */
	struct money win_base_lines; /* line wins of the paid spin: the only part that may be
					gambled where the rules say so. RULE bewitched 5.9 */
	struct money win_feature;    /* all else */
	struct round_state state;    /* after the round */
	uint32_t phases;
	uint32_t jackpot_hits;		    /* claims 1..jackpot_hits */
	uint32_t free_spins;		    /* played */
	bool has_feature;		    /* some phase needs the player */
	uint8_t digest[ROUND_DIGEST_BYTES]; /* SHA-256 over the phases' canonical bytes: what
					       history checks its replay against */
};

struct round_summing {
	struct round_sum sum;
	struct sha256 sha;
};

void round_sum_begin(struct round_summing *summing, struct money stake);
/* Adds the next phase. False when a total does not fit 64 bits: the loader's bounds make that
 * impossible for a definition it took. */
bool round_sum_add(struct round_summing *summing, const struct phase *phase) CARILLON_MUST_CHECK;
void round_sum_end(struct round_summing *summing, struct round_sum *sum_r);

/* A whole round at once: begin, every phase, sums and digest. ROUND_DONE when all went well.
 * `phase` is scratch, the last phase after it. */
enum round_status round_play(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, struct phase *phase,
	struct round_sum *sum_r);

/* Plays again up to the phase `index` (0-based) and leaves it in *phase_r; ROUND_DONE if the round
 * is shorter. */
enum round_status round_replay(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, uint32_t index, struct phase *phase_r);

/* The canonical bytes of a phase: every field that a screen shows and every draw, as the digest
 * covers them. `out` holds PHASE_BYTES_MAX bytes; returns the length. */
size_t phase_encode(const struct phase *phase, uint8_t *out);

/* "spin", "battle", ..: features.def */
const char *phase_kind_text(enum phase_kind kind);
const char *win_what_text(enum win_what what); /* "line", "scatter", "bonus", "cell", "jackpot" */
const char *unlock_kind_text(enum unlock_kind kind); /* "high_symbols", "random_wilds", .. */
const char *pick_outcome_kind_text(
	enum pick_outcome_kind kind); /* "money", "free_spins", "jackpot" */
/* "stop reel 1", "vial outcome", "own value of cell 7": written to `out` (DRAW_TEXT_MAX), returned.
 */
const char *draw_text(const struct draw *draw, char *out);
#define DRAW_TEXT_MAX 40

#endif
