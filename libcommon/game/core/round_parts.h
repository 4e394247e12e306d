/* What the features of a round share. Only the core and the features' rule.c (through core/rule.h)
 * call these functions; all other code reads phases (libcommon/game/round.h). Every draw goes
 * through draw_*, which records it. */
#ifndef CARILLON_GAME_CORE_ROUND_PARTS_H
#define CARILLON_GAME_CORE_ROUND_PARTS_H

#include "libcommon/game/lines.h"
#include "libcommon/game/core/reels.h"
#include "libcommon/game/round.h"

/* ---- phases: round_parts.c ---- */

/* Begins every phase: takes the next index and sets defaults (no wins, no draws, multiplier 1,
 * nothing needed). */
void phase_open(struct round *round, enum phase_kind kind, struct phase *phase);
/* Copies what the round shows now (stops, window, covered, held, loads, spins left, state). Only
 * round_next calls it, after the feature. */
void phase_close(const struct round *round, struct phase *phase);

/* ---- draws: round_parts.c ---- */

/* Draws a uniform value in 0..below-1 and records it. `where` is a 0-based reel or cell if the
 * meaning has one, else 0. */
uint32_t draw_below(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, uint32_t below);
uint64_t draw_below64(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, uint64_t below);
/* Draws a value below the sum of the weights. Returns the x of the first entry at which the running
 * sum of weights exceeds that value. */
uint32_t draw_choice(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, const struct choices *choices);
/* The same lookup for a value that the caller drew from a larger range than this table's; here
 * value < choices->weight. */
uint32_t choice_of(const struct choices *choices, uint32_t value);
/* True with chance in/of: if the value, drawn below `of`, is less than `in`. Always one draw. */
bool draw_odds(struct round *round, struct phase *phase, enum draw_meaning meaning, uint32_t where,
	struct odds odds);

/* ---- wins: wins.c ---- */

/* amount x factor. The loader's bounds keep every product and sum of a round far below 2^63. */
struct money times(struct money amount, uint64_t factor);
void add_win(struct phase *phase, struct win_item item);
/* Pays the best combination of every played line on round->window. A line that wins the progressive
 * (terms->progressive) claims it, once a phase. */
void pay_lines(struct round *round, struct phase *phase, const struct line_terms *terms);
/* Pays each scatter by the number of its cells, times the total bet; the scatter that
 * starts a scatter award is left out, because the phase of that award pays it. Then awards the free
 * spins that the awarding scatter gives in this context. */
void pay_scatters(struct round *round, struct phase *phase, enum spin_context context);
/* Awards free spins: adds to phase->free_spins_awarded and to the round. Before
 * the round's first free spin they join the series to be played; after that they form a new series,
 * played when the present one ends. */
void award_free_spins(struct round *round, struct phase *phase, uint32_t count);
/* This phase wins the progressive; further calls in the same phase change nothing. */
void claim_jackpot(struct round *round, struct phase *phase);
/* Can symbols win the progressive in this context at this bet? */
bool progressive_live(const struct round *round, enum spin_context context);
/* Claims the progressive if its symbols count anywhere and the window shows enough of them. */
void claim_anywhere(struct round *round, struct phase *phase, enum spin_context context);

/* ---- reels: round_parts.c ---- */

/* The cells (bits) of round->window that show the symbol. */
uint32_t cells_of(const struct round *round, uint8_t symbol);
/* The cells (bits) of round->window that count as the symbol (game_counts_as). */
uint32_t cells_counting(const struct round *round, uint8_t symbol);
/* Counts the cells that count as the symbol and sets *cells_r to their bits. Returns 0 if there are
 * fewer than `least`. */
uint32_t enough_cells(const struct round *round, uint8_t symbol, uint32_t least, uint32_t *cells_r);
/* Mask of all cells of a reel. */
uint32_t cells_of_reel(const struct game *game, uint32_t reel);
/* Draws a stop of one reel of a set, by the weights of its stops. */
uint16_t draw_stop(struct round *round, struct phase *phase, uint32_t set, uint32_t reel);
/* Draws a stop for every reel, in order, on set `set`, and sets the round's stop, strips, window
 * and covered; clears held and the loads of hold and win. columns_r may be NULL; else it receives
 * `reels` columns. */
void spin_reels(
	struct round *round, struct phase *phase, uint32_t set, struct reel_column *columns_r);
/* The same for the stops already in round->stop, with bought wild reels. */
void show_reels(
	struct round *round, uint32_t set, uint32_t wild_reels, struct reel_column *columns_r);

/* ---- spins: spin.c ---- */

/* The paid spin, in every mode. */
void play_spin(struct round *round, struct phase *phase);
/* Ends every paid or free spin: calls each feature's after_spin. `columns`: of the paid spin; NULL
 * in a free spin. */
void end_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context);

#endif
