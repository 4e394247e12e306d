/* A search file: it defines how `slotmath optimise` finds the strips and fine numbers of a
 * definition. The file is kept beside the definition, so that anyone can repeat the search:
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
 * many, which the search keeps (not together with "blocks"); "weights" of a strips stage, {"each":
 * 5, "showing": {"red": 2}}: what a stop weighs, and what instead where its window shows that
 * symbol (1 without); "also" of a number stage, a list of further pointers that get the same number
 * (a table that two modes share); "state" of a number stage, "level 2": the return of that state is
 * the target's instead of the mode's; "seed" of a strips stage, instead of the file's + the stage's
 * index; "astray" of a strips stage, 50: one change in so many may lead away from the target, for
 * searches that get stuck where every single change is one for the worse.
 *
 * Stages are done in order, each on what the one before left. "strips": a strip is made for each
 * reel from so many of each symbol (a number, or the least and most), equal symbols at least
 * `apart` stops apart, `blocks` kept together; then symbols are exchanged until the mode's exact
 * return is the target. "number": the whole number at the JSON pointer whose exact return is
 * nearest to the target. A stage without a target only makes the strips. Same file, same seed: same
 * definition. */
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

/* Adjacent stops that stay together on a reel. */
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
	size_t index; /* of the file's stages, for messages */
	bool number;  /* else strips */
	uint32_t mode;
	bool has_target;
	mpq_t target; /* as a fraction, 0.96 for 96 % */
	uint32_t set;
	uint32_t steps;
	uint32_t astray; /* 0: never */
	struct search_reel reel[GAME_REELS_MAX];
	uint32_t apart[GAME_SYMBOLS_MAX]; /* 1: no restriction */
	bool has_seed;
	uint64_t seed;
	bool has_runs;
	uint32_t run[GAME_SYMBOLS_MAX];				/* 1: singles */
	uint32_t weight_each, weight_showing[GAME_SYMBOLS_MAX]; /* of stops; 0: weight_each */
	uint32_t block_count;
	struct search_block block[SEARCH_BLOCKS_MAX];
	bool has_hit_rate;
	mpq_t hit_least, hit_most;
	char state[EXACT_NAME_MAX]; /* the state whose return is the target; empty: the mode's
				       return */
	char pointer[SEARCH_POINTER_MAX];
	uint32_t also_count;
	char also[SEARCH_ALSO_MAX][SEARCH_POINTER_MAX];
	int64_t from, to;
};

/* A definition during a search: its JSON and its game. */
struct draft {
	json_t *json;	      /* owned */
	struct game *game;    /* owned; loaded from json, unproven */
	uint64_t evaluations; /* of lines so far */
};

/* Loads the definition without its published bands; exits with 2 if it is refused. */
void draft_open(struct draft *draft, const char *path);
void draft_close(struct draft *draft);
/* Loads the game again after `json` has changed. False, with the loader's message in `error`
 * (DEFINITION_ERROR_MAX), if it is no longer a valid game. */
bool draft_renew(struct draft *draft, char *error);
/* The exact return of a mode at the largest bet of its first published class. */
void draft_return(const struct draft *draft, uint32_t mode, enum exact_depth depth, mpq_t rtp_r,
	mpq_t hit_rate_r);
/* The exact return of the state that the stage names, such as "level 2"; exits with 2 if its mode
 * does not have it. */
void draft_state_return(const struct draft *draft, const struct search_stage *stage, mpq_t rtp_r);
/* Copies the strips of a set from the game to the JSON. */
void draft_put_strips(struct draft *draft, uint32_t set);

/* Writes a definition in the layout of the definition files. */
void definition_write(const json_t *json, FILE *out);

/* Reads stage `index` of the file; exits with 2 on an error. */
void stage_read(const json_t *search, size_t index, const struct options *options,
	const struct draft *draft, struct search_stage *stage_r);
void stage_free(struct search_stage *stage);

struct progress;

/* Makes the strips of the stage. False, with the reason in `why`, if it finds none. */
bool strips_search(struct draft *draft, const struct search_stage *stage, uint64_t seed,
	struct progress *progress, const char **why);
/* Finds the number of the stage. False as above. */
bool number_search(struct draft *draft, const struct search_stage *stage, struct progress *progress,
	const char **why);

#endif
