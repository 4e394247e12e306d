/* The tables of Monte Carlo and the interface between its files. */
#ifndef CARILLON_GAME_MONTECARLO_INTERNAL_H
#define CARILLON_GAME_MONTECARLO_INTERNAL_H

#include "libcommon/game/core/reels.h"
#include "libcommon/game/core/spin_rank.h"
#include "libcommon/game/montecarlo.h"
#include "libcommon/game/montecarlo_stream.h"

#define PREFIXES_MAX (1u << 18)	     /* entries of a prefix table: 512 KiB, fits the L2 cache */
#define PAIR_PREFIXES_MAX (1u << 21) /* for weighted reels: 4 MiB, fits the L3 cache */
#define SUFFIXES_MAX (1u << 20)
#define SUFFIX_CLASSES 16u
#define QUIET_CLASSES 32u /* fit two AVX-512 registers */
#define TAG_BITS_MAX 16u
#define BATCH 2048u

/* ---- tags: counts beside the lines' pay ---- */

/* The place of each count in a tag; bits 0: not counted. The jackpot flag of lines comes first. */
struct tag_field {
	uint8_t shift, bits;
};

struct tag_plan {
	uint32_t bits;
	struct tag_field jackpot; /* lines that won the progressive */
	struct tag_field scatter[GAME_SCATTERS_MAX];
	struct tag_field anywhere; /* progressive symbols, if they count anywhere */
	struct tag_field feature[FEATURES][GAME_REELS_MAX];
};

static inline uint32_t tag_get(struct tag_field field, uint32_t tag)
{
	return tag >> field.shift & ((1u << field.bits) - 1);
}

/* What a tag means in a context. */
struct tag_info {
	uint64_t pay; /* of scatters, in minor units */
	uint32_t awards;
	uint32_t features; /* bits: features it starts */
	bool jackpot;
};

/* ---- one set of reels ---- */

struct step {
	uint32_t row; /* where the state's entries for the next reel begin; 0: no line is alive */
	uint32_t sum; /* coins in the low gain_bits, the tag above them */
};

/* All spins of one strip set in one context, with some bought wild reels. A draw value v of reel r
 * is below weight[r] and means stop stop_of[v] of the reel's strip (game.h). */
struct spin_table {
	const struct game *game;
	uint32_t set, wild_reels;
	uint32_t reels, prefix_reels;
	uint32_t weight[GAME_REELS_MAX];
	uint64_t cycle; /* product of the weights */
	/* How a spin is drawn. If neither `pair` nor `wide` is set: one word of 32 bits for all
	 * reels. pair: one word for the prefix and one for the other reels. wide: one word of 64
	 * bits, reel by reel, without a prefix table. */
	bool pair, wide;
	uint64_t reject;	/* redraw if the low half of the last product is below this */
	uint32_t reject_prefix; /* pair: redraw also if the low half of the first word's product is
				   below this */
	uint32_t prefixes, suffixes;
	uint32_t gain_bits;
	uint16_t *prefix; /* [index of the first reels] class of their step */
	struct step *prefix_class;
	uint32_t classes;
	/* [class] bit b: a suffix of class b needs a closer look */
	uint32_t quiet_mask[QUIET_CLASSES + 1]; /* the last entry: all other classes */
	/* [index of the other reels] class of their tag, for when no line is alive */
	uint8_t *suffix;
	uint8_t column[GAME_REELS_MAX]
		      [GAME_STOP_WEIGHT_MAX]; /* v -> column of the reel; columns with the same
						 effect on lines are one */
	struct step *step[GAME_REELS_MAX];    /* [row + column]; without the last reel */
	uint32_t *last; /* [row + column] coins and tag that the last reel adds */
	uint16_t first[GAME_REELS_MAX][GAME_STRIP_MAX]; /* lowest v of a stop */
};

/* Steps over one reel. */
static inline struct step table_step(
	const struct spin_table *table, uint32_t reel, struct step at, uint32_t v)
{
	uint32_t place = at.row + table->column[reel][v];
	struct step step;

	if (reel + 1 == table->reels)
		return (struct step){ 0, at.sum + table->last[place] };
	step = table->step[reel][place];
	return (struct step){ step.row, at.sum + step.sum };
}

/* How a table's lines pay. */
struct table_terms {
	uint32_t lines;
	uint32_t wild_multiplier_count;
	const uint32_t *wild_multiplier;
	bool progressive;
	bool tagged;
};

/* `quiet`: [tag] true if a tag neither pays nor starts anything (NULL: no tag is quiet). FAST_OK,
 * FAST_TOO_LARGE or FAST_NO_MEMORY; call table_free in every case. */
enum fast_status table_build(const struct game *game, uint32_t set, uint32_t wild_reels,
	const struct table_terms *terms, const struct tag_plan *plan, const uint8_t *quiet,
	struct spin_table *table_r);
void table_free(struct spin_table *table);
/* The sum of a spin with these stops; for ranks and tests. */
uint32_t table_sum_of_stops(const struct spin_table *table, const uint16_t *stop);

/* How a spin was drawn; place_stops computes its stops from this. */
struct place {
	const struct spin_table *table;
	uint64_t word;	      /* pair: the second word in the high half */
	const uint16_t *stop; /* if not NULL: the stops, instead of the word */
};

void place_stops(const struct place *place, uint16_t stop_r[GAME_REELS_MAX]);

/* ---- windows with cells of several spins ---- */

struct window_lines {
	uint64_t through[GAME_REELS_MAX][GAME_ROWS_MAX]; /* lines through the cell, a bit each */
};

/* The sum of all lines' pays in coins a line, as in libcommon/game/lines.h, without multiplier and
 * progressive. */
uint32_t window_pay(
	const struct game *game, const struct window_lines *lines, const uint8_t *window);

/* ---- a game, a mode, a bet ---- */

struct fast_sim {
	const struct game *game; /* borrowed */
	struct bet bet;
	struct round_state start;
	uint64_t stake, total, line_bet; /* minor units */
	uint64_t jackpot;		 /* seed of this bet's row; 0: none */
	struct tag_plan plan;
	struct tag_info *info[SPIN_CONTEXTS]; /* [tag] */
	uint8_t *quiet[SPIN_CONTEXTS];	      /* [tag] */
	uint8_t *unpaid; /* [tag] true if the tag pays nothing in the paid spin */
	uint32_t bases;	 /* number of tables: one per position of bought reels */
	struct spin_table base[GAME_WILD_POSITIONS_MAX];
	struct spin_table free_spins;
	struct window_lines lines;
	uint64_t bin_from[FAST_BINS]; /* minor units */
	void *own[FEATURES];	      /* tables of features */
	uint32_t on_win;	      /* bits: features that every line win starts */
};

#define PLAIN_MAX 4096u

struct round_run {
	uint64_t win;
	uint32_t free_left;
	bool in_free;
};

struct fast_player {
	const struct fast_sim *sim; /* borrowed */
	bool avx512;
	bool features;		  /* false: only paid spins */
	const uint8_t *quiet;	  /* [tag] of the paid spin; owned by sim */
	struct word_stream words; /* paid spins */
	struct word_stream draws; /* everything else */
	struct round_state state;
	struct round_run run;
	struct fast_stats *stats;
	uint32_t plain_max;	   /* line wins below this are counted in plain */
	uint64_t plain[PLAIN_MAX]; /* [coins] rounds that won only these coins, on lines */
};

/* Plays the rest of a round after its paid spin: lines, scatters and features. The round's win is
 * in player->run. settle.c */
void settle_round(struct fast_player *player, uint32_t sum, const struct place *place);
/* Draws a spin and returns its sum. */
uint32_t table_spin(
	const struct spin_table *table, struct word_stream *stream, struct place *place_r);
uint32_t choice_draw(struct word_stream *stream, const struct choices *choices);
void run_add(struct fast_player *player, enum win_source source, uint64_t amount);

/* ---- batches ---- */

/* The spins of a batch that need a closer look. */
struct batch {
	uint32_t word[BATCH], other[BATCH]; /* other: second words of pairs */
	uint32_t count;			    /* spins: words that were not rejected */
	uint32_t listed;
	uint32_t place[BATCH + 16]; /* index of the word << 16 | index of the spin in the batch */
	uint32_t fraction[BATCH + 16]; /* of the word, after the prefix */
	uint32_t class[BATCH + 16];
};

/* Fills the lists from batch->word[0 .. words - 1]. Both functions give the same result. */
void batch_scan(const struct spin_table *table, struct batch *batch, uint32_t words);
void batch_scan_avx512(const struct spin_table *table, struct batch *batch, uint32_t words);

#endif
