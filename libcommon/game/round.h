/* A round, phase by phase: a pure function of definition, bet, state and random stream.
 *
 *     struct round round; struct phase phase;
 *     round_begin(game, bet, state, rng, &round);       state: carried at this bet value
 *     while ((status = round_next(&round, &phase)) == ROUND_OK) ...
 *
 * The stream fixes all draws of a round: the player's choices (witch, picks, timing) never reach
 * this code. So the engine plays the whole round when it is opened, and again later for each
 * screen. The number of free spins has no bound, so each phase overwrites the same buffer of the
 * caller. No I/O, clock or allocation. RULE numbers refer to docs/rules/. */
#ifndef CARILLON_GAME_ROUND_H
#define CARILLON_GAME_ROUND_H

#include "libcommon/base/rng.h"
#include "libcommon/base/sha256.h"
#include "libcommon/game/game.h"

#define PHASE_WINS_MAX (GAME_LINES_MAX + GAME_SCATTERS_MAX)
#define PHASE_DRAWS_MAX (GAME_REELS_MAX + 2 * GAME_CELLS_MAX + 4)
#define PHASE_BYTES_MAX 4096 /* canonical form of one phase */
#define ROUND_DIGEST_BYTES 32

/* Carried state of one bet value: collectibles and unlocked features. All zero at first, and in
 * games without these features. */
struct round_state {
	uint8_t collectibles[GAME_COLOURS]; /* by colour; at most two in all between rounds */
	uint8_t unlocked;		    /* features unlocked besides the first */
};

enum phase_kind {
#define PHASE(id, text, source, event) PHASE_##id,
#include "libcommon/game/features.def"
	PHASE_KINDS
};

enum win_what {
	WIN_LINE,
	WIN_SCATTER,
	WIN_BONUS, /* money from the pick bonus */
	WIN_CELL,  /* one held symbol of hold and win */
	/* the symbols that won the progressive; amount 0, because the pool prices it */
	WIN_JACKPOT,
};

struct win_item {
	uint8_t what;	/* enum win_what */
	uint8_t symbol; /* index of the symbol that was paid; the wild only if it has pays of its
			   own */
	uint8_t count;
	uint8_t line;	     /* WIN_LINE: 1-based; else 0 */
	uint32_t cells;	     /* bit reel * rows + row */
	uint32_t multiplier; /* included in the amount. Line: its multiplier; scatter, bonus: times
				the total bet; cell: the product of all multipliers */
	struct money amount;
};

enum draw_meaning {
#define DRAW(id, text) DRAW_##id,
#include "libcommon/game/features.def"
	DRAW_MEANINGS
};

struct draw {
	uint8_t meaning;       /* enum draw_meaning */
	uint8_t where;	       /* 0-based reel or cell if the meaning has one; else 0 */
	uint64_t below, value; /* value uniform in 0..below-1 */
};

/* What the player must do before a phase is shown; autoplay never does it. RULE bewitched 6.2 */
enum phase_needs { NEEDS_NOTHING, NEEDS_PICKS, NEEDS_START };

/* The contents of a cell in hold and win, as far as the player has seen them. */
struct cell_load {
	uint8_t kind;  /* enum hold_kind; valid only for cells that hold the feature's symbol */
	uint8_t award; /* MYSTERY: index of the award + 1; 0: not resolved yet */
	/* VALUE: times the total bet; MULTIPLIER: the multiplier, 0: not resolved yet */
	uint32_t x;
	uint32_t own; /* MYSTERY, MULTIPLIER: the value it turns into; 0: not resolved yet */
};

struct phase {
	uint32_t index; /* 0-based within the round */
	enum phase_kind kind;
	enum phase_needs needs_player;
	uint32_t picks_needed; /* NEEDS_PICKS: how many the player picks */
	uint32_t picks_offered;
	uint8_t reels, rows;
	uint8_t strips; /* the strip set that `stop` refers to */
	/* a phase that does not spin the reels keeps the stops of the last spin before it */
	uint16_t stop[GAME_REELS_MAX];
	/* The symbols as they are paid, by reel * rows + row: all wilds are in place, the symbols
	 * of a cascade have fallen, and each cell that an explosion has marked (docs/definition.md)
	 * has the symbol that the explosion revealed. */
	uint8_t window[GAME_CELLS_MAX];
	uint32_t covered; /* cells that do not show the strip's symbol, such as expanded, bought or
			     random wilds and cells that an explosion has marked */
	uint32_t held;	  /* cells that did not spin (sticky, locked, hold and win); TUMBLE: cells
			     whose symbol stayed */
	uint32_t landed; /* HOLD_RESPIN: cells that it filled; TUMBLE: cells whose symbol fell there
			    or is new */
	uint32_t loaded; /* cells with a valid load */
	uint32_t win_count;
	struct win_item win[PHASE_WINS_MAX];
	struct money win_total;		/* of this phase */
	uint32_t feature_cells;		/* SCATTER_AWARD: cells of the scatters; BONUS: of the bonus
					   symbols; else 0 */
	uint32_t feature_count;		/* how many cells */
	bool scatter_award_won;		/* SCATTER_AWARD: free spins were awarded */
	enum pick_outcome_kind outcome; /* BONUS */
	uint32_t outcome_value;		/* BONUS: times the total bet, or free spins */
	uint32_t free_spins_awarded;	/* by this phase */
	uint32_t free_spins_left;	/* after this phase, of the series being played */
	uint32_t free_spins_appended;	/* after this phase: won during a series, and played after
					   it. RULE bewitched 3.15 */
	uint32_t respins_left;		/* sticky or hold respins after this phase */
	uint32_t multiplier;		/* on line wins of this phase */
	struct cell_load load[GAME_CELLS_MAX]; /* games with hold and win */
	uint32_t features; /* bit k: unlock_kind k. In the phase UNLOCK_RESPIN: the features played;
			      in SPIN and FREE_SPIN: the features triggered */
	bool explodes;	   /* SPIN: an explosion follows */
	/* SPIN: 1 + the colour of the symbol collected on the reel; 0: none */
	uint8_t collected_colour[GAME_REELS_MAX];
	struct round_state state; /* after this phase */
	bool jackpot_hit;
	uint32_t claim_index; /* the hit's number in the round: 1, 2, ..; 0: no hit */
	uint32_t draw_count;
	struct draw draw[PHASE_DRAWS_MAX];
};

enum round_status {
	ROUND_OK = 0,	   /* a phase was played */
	ROUND_DONE,	   /* no phase is left; the phase buffer is unchanged */
	ROUND_PHASE_LIMIT, /* GAME_ROUND_PHASES_MAX reached, nothing was drawn: the caller must stop
			      the game and raise an alarm */
	ROUND_BAD_BET,	   /* bet_check refuses it */
};

/* Opaque to callers; read it through phases. */
struct round {
	const struct game *game; /* borrowed */
	struct rng *rng;	 /* borrowed */
	struct bet bet;
	struct money stake;    /* the price of the round */
	struct money total;    /* the total bet: scatters and features multiply it */
	struct money line_bet; /* coin value x coins a line */
	struct round_state state;
	uint32_t phases; /* played so far */
	uint32_t claims;
	uint32_t free_left, free_appended;
	bool spin_played; /* the paid spin is over */
	bool free_started;
	/* how many scatters and bonus symbols the last spin has; 0 if these are too few to start
	 * their phase, or if that phase has been played */
	uint32_t scatters, bonuses;
	uint32_t scatter_cells, bonus_cells; /* where they are in the last spin */
	uint32_t sticky_left, sticky_cells;
	bool sticky_started;
	bool hold_running;
	uint32_t hold_left;
	uint32_t hold_cells; /* cells with a load: those of the paid spin, later also those that
				respins have filled */
	struct cell_load load[GAME_CELLS_MAX];
	uint32_t features; /* unlocked respins still to be played: bits of unlock_kind */
	uint32_t feature_multiplier;
	bool exploding;
	uint8_t strips;
	uint16_t stop[GAME_REELS_MAX];
	uint8_t window[GAME_CELLS_MAX];
	uint32_t covered, held;
	struct feature_state_own own;
};

/* `state`: the carried state of this bet value before the round (NULL: none); games without carried
 * state ignore it. Draws nothing. Borrows `game` and `rng` until the last round_next. ROUND_OK or
 * ROUND_BAD_BET. */
enum round_status round_begin(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, struct round *round_r);
enum round_status round_next(struct round *round, struct phase *phase_r);

/* ---- sums and the digest ---- */

/* Totals of a whole round, without jackpots: the pool prices those. */
struct round_sum {
	struct money stake;
	struct money win_total;	     /* base lines + feature */
	struct money win_base_lines; /* line wins of the paid spin; in some games only these can be
					gambled. RULE bewitched 5.9 */
	struct money win_feature;    /* all other wins */
	struct round_state state;    /* after the round */
	uint32_t phases;
	uint32_t jackpot_hits;		    /* claims 1..jackpot_hits */
	uint32_t free_spins;		    /* played */
	bool has_feature;		    /* a phase needs the player */
	uint8_t digest[ROUND_DIGEST_BYTES]; /* SHA-256 of the phases' canonical bytes; whoever
					       replays a round from the history compares the
					       digests */
};

struct round_summing {
	struct round_sum sum;
	struct sha256 sha;
};

void round_sum_begin(struct round_summing *summing, struct money stake);
/* Adds the next phase. False if a total does not fit 64 bits, which the loader's bounds make
 * impossible. */
bool round_sum_add(struct round_summing *summing, const struct phase *phase) CARILLON_MUST_CHECK;
void round_sum_end(struct round_summing *summing, struct round_sum *sum_r);

/* Plays a whole round: begin, every phase, sums and digest. ROUND_DONE on success. `phase` is a
 * buffer; afterwards it holds the last phase. */
enum round_status round_play(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, struct phase *phase,
	struct round_sum *sum_r);

/* Replays the round up to phase `index` (0-based) and leaves that phase in *phase_r; ROUND_DONE if
 * the round is shorter. */
enum round_status round_replay(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, uint32_t index, struct phase *phase_r);

/* The canonical bytes of a phase, which the digest covers: every field that a screen shows and
 * every draw. `out` holds PHASE_BYTES_MAX bytes; returns the length. */
size_t phase_encode(const struct phase *phase, uint8_t *out);

/* "spin", "battle", ..: features.def */
const char *phase_kind_text(enum phase_kind kind);
const char *win_what_text(enum win_what what); /* "line", "scatter", "bonus", "cell", "jackpot" */
const char *unlock_kind_text(enum unlock_kind kind); /* "high_symbols", "random_wilds", .. */
const char *pick_outcome_kind_text(
	enum pick_outcome_kind kind); /* "money", "free_spins", "jackpot" */
/* "stop reel 1", "own value of cell 7", ..: writes it to `out` (DRAW_TEXT_MAX bytes) and returns
 * `out`. */
const char *draw_text(const struct draw *draw, char *out);
#define DRAW_TEXT_MAX 40

#endif
