/* What the features of a round share. Only what plays a round includes this (the core, and rule.c
 * of each feature, by core/rule.h); everyone else reads phases (libcommon/game/round.h). Every draw
 * goes through draw_*: what is drawn is recorded. */
#ifndef CARILLON_GAME_CORE_ROUND_PARTS_H
#define CARILLON_GAME_CORE_ROUND_PARTS_H

#include "libcommon/game/lines.h"
#include "libcommon/game/core/reels.h"
#include "libcommon/game/round.h"

/* ---- phases: round_parts.c ---- */

/* Takes the next index and sets every field of the phase that a feature may leave alone to nothing:
 * no wins, no draws, multiplier 1, nothing needed. The first call of every phase. */
void phase_open(struct round *round, enum phase_kind kind, struct phase *phase);
/* Copies what the round shows now (stops, window, covered, held, loads, spins left, state).
 * round_next calls it after the feature; features do not. */
void phase_close(const struct round *round, struct phase *phase);

/* ---- draws: round_parts.c ---- */

/* Uniform in 0..below-1, recorded. `where` is a 0-based reel or cell where the meaning says so,
 * else 0. */
uint32_t draw_below(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, uint32_t below);
uint64_t draw_below64(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, uint64_t below);
/* x of the entry drawn by weight: the first whose running sum exceeds the value. */
uint32_t draw_choice(struct round *round, struct phase *phase, enum draw_meaning meaning,
	uint32_t where, const struct choices *choices);
/* The same lookup for a value drawn over more than this table; value < choices->weight. */
uint32_t choice_of(const struct choices *choices, uint32_t value);
/* True with chance in/of: the value drawn below `of` is less than `in`. Always one draw. */
bool draw_odds(struct round *round, struct phase *phase, enum draw_meaning meaning, uint32_t where,
	struct odds odds);

/* ---- wins: wins.c ---- */

/* amount x factor. The loader's bounds keep every product and sum of a round far from 2^63. */
struct money times(struct money amount, uint64_t factor);
void add_win(struct phase *phase, struct win_item item);
/* All played lines on round->window, each its best combination. A line that wins the progressive
 * (terms->progressive) claims it, once a phase. */
void pay_lines(struct round *round, struct phase *phase, const struct line_terms *terms);
/* Every scatter's pay by the cells it is seen on, times the total bet; the scatter that starts
 * battles pays in them. Then the free spins that the awarding scatter gives in this context. */
void pay_scatters(struct round *round, struct phase *phase, enum spin_context context);
/* Free spins won by this phase: adds to phase->free_spins_awarded and to the set being played next:
 * the one to come, or once that has begun the one after it. */
void award_free_spins(struct round *round, struct phase *phase, uint32_t count);
/* The progressive is won by this phase; further calls in the same phase change nothing. */
void claim_jackpot(struct round *round, struct phase *phase);
/* May the progressive symbols win the progressive in this context at this bet? */
bool progressive_live(const struct round *round, enum spin_context context);
/* Claims where the rules count the progressive symbols anywhere and enough are seen. */
void claim_anywhere(struct round *round, struct phase *phase, enum spin_context context);

/* ---- reels: round_parts.c ---- */

/* Cells of round->window that show the symbol. */
uint32_t cells_of(const struct round *round, uint8_t symbol);
/* Cells of round->window that count as the symbol (game_counts_as). */
uint32_t cells_counting(const struct round *round, uint8_t symbol);
/* How many they are, and their bits in *cells_r; 0 where they are fewer than `least`. */
uint32_t enough_cells(const struct round *round, uint8_t symbol, uint32_t least, uint32_t *cells_r);
/* Bits of all cells of reel `reel`. */
uint32_t cells_of_reel(const struct game *game, uint32_t reel);
/* A stop of one reel of a set, by the weights of its stops. */
uint16_t draw_stop(struct round *round, struct phase *phase, uint32_t set, uint32_t reel);
/* Draws a stop for every reel, in order, on set `set`, and puts what they show into round: stop,
 * strips, window, covered; held and the loads of hold and win become nothing. columns_r may be
 * NULL; else it takes `reels` columns. */
void spin_reels(
	struct round *round, struct phase *phase, uint32_t set, struct reel_column *columns_r);
/* The same from stops that are in round->stop already, with bought wild reels. */
void show_reels(
	struct round *round, uint32_t set, uint32_t wild_reels, struct reel_column *columns_r);

/* ---- spins: spin.c ---- */

/* The paid spin, in every mode. */
void play_spin(struct round *round, struct phase *phase);
/* What every spin of reels (base, free) ends with: each feature looks at what it shows. `columns`:
 * of the paid spin; NULL in a free spin. */
void end_spin(struct round *round, struct phase *phase, const struct reel_column *columns,
	enum spin_context context);

#endif
