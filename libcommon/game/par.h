/* The PAR sheet: what a mathematician who certifies a game reads.
 *
 * It is made once, as a document of sections (words and tables), and then written as HTML, CSV or
 * JSON; so the three say the same. Every number is exact and comes from the definition that the
 * server plays; only the intervals over sessions are approximate, and say so. */
#ifndef CARILLON_GAME_PAR_H
#define CARILLON_GAME_PAR_H

#include "libcommon/game/bets.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Says what is wrong on stderr and ends the program with status 2: a sheet whose tables do not
 * agree with the analysis, or that memory cannot hold, is not to be had in part. */
_Noreturn void par_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- combinations.c: what a line pays, combination by combination ---- */

#define PAR_COMBINATIONS_MAX 1024

/* A combination as it is paid: wilds that lead a line count as what they are paid as. */
struct par_combination {
	uint8_t symbol, count; /* "five of it" */
	bool jackpot;	       /* wins the progressive; coins is 0 */
	uint32_t multiplier;   /* flat and by wilds; 1 */
	uint32_t coins;	       /* for one coin a line, multiplier included */
	mpz_t hits;	       /* weighted combinations of stops, summed over the lines */
	mpz_t with_wilds;      /* of them those that hold at least one wild */
};

struct par_combinations {
	uint32_t lines;
	mpz_t cycle; /* weighted combinations of stops that may come: those that keep a guarantee */
	mpq_t return_; /* of all lines, in total bets: the sum over the list */
	uint32_t count;
	struct par_combination *of; /* owned; by symbol, length downwards, multiplier */
};

/* Every combination of the paid spin of a mode, or of a free spin (`context`). `figures` holds that
 * context's cycle, as round_yields_of leaves it. */
void par_combinations_init(struct par_combinations *list, const struct spin_figures *figures,
	const struct exact_wager *wager);
void par_combinations_clear(struct par_combinations *list);

/* ---- texts.c: numbers as they are read ---- */

/* Texts that live as long as this; made with json_array(), given back with json_decref. */
struct par_texts {
	json_t *kept;
};

const char *par_figure(struct par_texts *texts, const mpq_t x); /* 12 digits behind the point */
const char *par_percent(struct par_texts *texts, const mpq_t x);
const char *par_fraction(struct par_texts *texts, const mpq_t x); /* "p/q" */
const char *par_one_in(struct par_texts *texts, const mpq_t x);	  /* "12.34", "2.1e+88", "never" */
const char *par_whole(struct par_texts *texts, const mpz_t x);
const char *par_hundredths(struct par_texts *texts, uint32_t hundredths); /* "4.50" */
/* As printf. */
const char *par_text(struct par_texts *texts, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* An id as people read it: "bonus_money" -> "bonus money". */
const char *par_label(struct par_texts *texts, const char *id);
/* Bits of reels: "2, 3, 4". */
const char *par_reels(struct par_texts *texts, const struct game *game, uint32_t reels);
/* Exits with 2 unless both are the same: what a table sums to, and the analysis by another way. */
void par_prove(const char *what, const mpq_t table, const mpq_t analysis);

/* ---- one figure of a game, with all that its sections are written from ---- */

/* The paid spin of a mode, or its free spins. */
struct par_context {
	enum spin_context context;
	const char *id, *title;		    /* "paid", "the paid spin" */
	const struct spin_figures *figures; /* NULL: the game has no such spins */
	const struct spin_yield *yield;
	struct par_combinations combinations; /* of nothing without figures */
	mpq_t spins;			      /* expected number of such spins in a round */
};

#define PAR_CONTEXTS 2

struct par_mode {
	const struct game *game;
	const struct game_mode *rules;
	struct par_texts *texts;
	struct exact_mode figures;
	struct exact_work work; /* means: counts by tag are right, moments are not there */
	struct exact_wager wager;
	struct round_yields yields;
	struct par_context context[PAR_CONTEXTS];
};

/* Exits with 2 when memory ends. Proves that the combinations sum to the lines' return. */
void par_mode_init(
	struct par_mode *mode, struct par_texts *texts, const struct game *game, uint32_t index);
void par_mode_clear(struct par_mode *mode);

/* x total bets in each spin of the context -> the part of the return. */
void par_per_round(const struct par_mode *mode, const struct par_context *context, const mpq_t x,
	mpq_t return_r);
/* Windows of the context in which `symbol` is seen `count` times (or, `or_more`, oftener). */
void par_windows(const struct par_context *context, uint8_t symbol, uint32_t count, bool or_more,
	mpz_t windows_r);
/* windows / all windows of the context. */
void par_share(const struct par_context *context, const mpz_t windows, mpq_t share_r);

/* ---- section.c: words and tables ----
 *
 * {"id", "title", "words": [..], "tables": [{"id", "caption", "whole": bool, "columns": [{"id",
 * "title", "exact": bool}], "rows": [{column: text}], "total": {column: text} or absent}], "chart":
 * name or absent}. `whole` tables and `exact` columns are for machines: HTML leaves them out. */
#define PAR_COLUMNS_MAX 16

json_t *par_section(json_t *sections, const char *id, const char *title);
void par_words(json_t *section, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `columns`: "id=Title|id=Title"; a title of "!" makes an exact column. */
json_t *par_table(json_t *section, const char *id, const char *caption, const char *columns);
/* As many texts as there are columns, and NULL; fewer leave the last ones out. */
void par_row(json_t *table, ...) __attribute__((sentinel));
void par_row_of(json_t *table, const char *const *texts, size_t count);
/* The sum below the rows; not counted among them. */
void par_total(json_t *table, ...) __attribute__((sentinel));

/* ---- the document ---- */

/* {"game", .., "sections": [..], "modes": [{.. as in rtp --json, "title", "sections"}], "appendix":
 * [..]}; the caller frees it. `subject`: how the command names the game. */
json_t *par_document(const struct game *game, const char *subject);
void par_game_sections(const struct game *game, const char *subject, struct par_texts *texts,
	json_t *sections); /* game.c */
void par_strip_sections(const struct game *game, struct par_texts *texts, json_t *appendix);
void par_mode_sections(struct par_mode *mode, json_t *sections);     /* mode.c */
void par_paytable_sections(struct par_mode *mode, json_t *sections); /* pays.c */
void par_feature_sections(struct par_mode *mode, json_t *sections);  /* features.c */
void par_spread_sections(struct par_mode *mode, json_t *sections);   /* spread.c */

/* A table of combinations. `only`: NULL, or the spins that the table is about. */
void par_combination_table(struct par_mode *mode, json_t *section,
	const struct par_combinations *list, const mpq_t spins, const char *id);
/* Each entry of a weighted table with its chance. `what`: the title of x. */
void par_choices(struct par_texts *texts, json_t *section, const char *id, const char *caption,
	const char *what, const struct choices *choices);

void par_html(const json_t *document, FILE *out);
/* Text with <, >, & and quotes written as entities. */
void par_escape(const char *text, FILE *out);
/* SVG of the section's chart: "parts", "distribution" or "sessions". */
void par_chart(const char *chart, const json_t *section, FILE *out);
void par_csv(const json_t *document, FILE *out);

#endif
