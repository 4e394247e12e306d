/* A search: how the strips and the fine numbers of a definition are found again. The file stands
 * beside the definition, so that anyone can repeat it:
 *
 *   {"seed": 7, "stages": [
 *     {"kind": "strips", "mode": "base", "strips": "base", "target": "96.08",
 *      "reels": [{"wild": 0, "star": 1, "ruby": [3, 6], ...}, ...],
 *      "apart": {"star": 4}, "blocks": [{"reel": 1, "symbols": ["jewel", "jewel"]}],
 *      "hit_rate": ["20", "35"], "steps": 200000},
 *     {"kind": "number", "mode": "base", "target": "96.08",
 *      "pointer": "/vials/outcomes/4/weight", "from": 1, "to": 200000}]}
 *
 * Other members: "runs" of a strips stage, {"ruby": 3}: equal symbols stand in runs of about so
 * many, which the search keeps (not together with "blocks"); "weights" of a strips stage,
 * {"each": 5, "showing": {"red": 2}}: what a stop weighs, and what instead where its window shows
 * that symbol (1 without); "also" of a number stage, a list of further pointers that get the same
 * number (a table that two modes share); "state" of a number stage, "level 2": the return of that
 * state is the target's instead of the mode's; "seed" of a strips stage, instead of the file's +
 * the stage's index; "astray" of a strips stage, 50: one change in so many may lead away from the
 * target, for searches that get stuck where every single change is one for the worse.
 *
 * Stages are done in order, each on what the one before left. "strips": a strip is made for each
 * reel from so many of each symbol (a number, or the least and most), equal symbols at least
 * `apart` stops apart, `blocks` kept together; then symbols are exchanged until the mode's exact
 * return is the target. "number": the whole number at the JSON pointer whose exact return is
 * nearest to the target. A stage without a target only makes the strips. Same file, same seed:
 * same definition. */
#ifndef CARILLON_SLOTMATH_SEARCH_H
#define CARILLON_SLOTMATH_SEARCH_H

#include "libcommon/game/exact.h"
#include "tools/slotmath/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SEARCH_BLOCKS_MAX 16
#define SEARCH_ALSO_MAX 4
#define SEARCH_POINTER_MAX 256

/* Stops in a row that stay together on a reel. */
struct search_block {
	uint32_t reel; /* 0-based */
	uint32_t length;
	uint8_t symbol[GAME_ROWS_MAX * 2];
};

struct search_reel {
	uint32_t least[GAME_SYMBOLS_MAX], most[GAME_SYMBOLS_MAX];
};

/* One stage, read and checked against the definition. */
struct search_stage {
	bool number; /* else strips */
	uint32_t mode;
	bool has_target;
	mpq_t target; /* as a part of 1 */
	uint32_t set;
	uint32_t steps;
	uint32_t astray; /* 0: never */
	struct search_reel reel[GAME_REELS_MAX];
	uint32_t apart[GAME_SYMBOLS_MAX]; /* 1: no matter */
	bool has_seed;
	uint64_t seed;
	bool has_runs;
	uint32_t run[GAME_SYMBOLS_MAX];				/* 1: singles */
	uint32_t weight_each, weight_showing[GAME_SYMBOLS_MAX]; /* of stops; 0: as each */
	uint32_t block_count;
	struct search_block block[SEARCH_BLOCKS_MAX];
	bool has_hit_rate;
	mpq_t hit_least, hit_most;
	char state[EXACT_NAME_MAX]; /* whose return is searched; empty: the mode's */
	char pointer[SEARCH_POINTER_MAX];
	uint32_t also_count;
	char also[SEARCH_ALSO_MAX][SEARCH_POINTER_MAX];
	int64_t from, to;
};

/* A definition that is being worked on: its JSON and the game it makes. */
struct draft {
	json_t *json;	      /* owned */
	struct game *game;    /* owned; what json makes, unproven */
	uint64_t evaluations; /* of lines, so far */
};

/* Loads the definition without its published bands; exits with 2 if it is refused. */
void draft_open(struct draft *draft, const char *path);
void draft_close(struct draft *draft);
/* json has changed: the game anew. False, with the loader's words in `error`
 * (DEFINITION_ERROR_MAX), when it is no game any more. */
bool draft_renew(struct draft *draft, char *error);
/* The exact return of a mode at the largest bet of its first published class. */
void draft_return(const struct draft *draft, uint32_t mode, enum exact_depth depth, mpq_t rtp_r,
	mpq_t hit_rate_r);
/* The exact return of one of the mode's states, "level 2"; exits with 2 if it has none of that
 * name. */
void draft_state_return(const struct draft *draft, uint32_t mode, const char *state, mpq_t rtp_r);
/* Puts the strips of a set of the game into the JSON. */
void draft_put_strips(struct draft *draft, uint32_t set);

/* Writes a definition as people keep it. */
void definition_write(const json_t *json, FILE *out);

/* Reads stage `index` of the file; exits with 2 on anything wrong. */
void stage_read(const json_t *search, size_t index, const struct options *options,
	const struct draft *draft, struct search_stage *stage_r);
void stage_free(struct search_stage *stage);

struct progress;

/* Makes the strips of the stage. False when no arrangement was found: `why` says it. */
bool strips_search(struct draft *draft, const struct search_stage *stage, uint64_t seed,
	struct progress *progress, const char **why);
/* Finds the number of the stage. */
bool number_search(struct draft *draft, const struct search_stage *stage, struct progress *progress,
	const char **why);

#endif
