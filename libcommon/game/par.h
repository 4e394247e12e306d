/* The PAR sheet: the document that a mathematician uses to certify a game.
 *
 * par_document builds it once, as sections of words and tables. HTML, CSV and JSON are written
 * from the same document, so they agree. Every number is computed exactly from the definition
 * that the server plays, and decimals are rounded. Two exceptions: some hit rates (exact.h,
 * correct to 2^-200), and the intervals over sessions, which are approximate; the sheet says so. */
#ifndef CARILLON_GAME_PAR_H
#define CARILLON_GAME_PAR_H

#include "libcommon/game/bets.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Prints the error on stderr and exits with 2. The PAR code calls it before it writes anything, if
 * a table does not agree with the analysis or memory runs out. So it never writes part of a wrong
 * sheet. */
_Noreturn void par_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- combinations.c: what a line pays, combination by combination ---- */

#define PAR_COMBINATIONS_MAX 1024

/* A combination as paid: wilds at the start of a line count as the symbol they are paid as. */
struct par_combination {
	uint8_t symbol, count; /* "five of it" */
	bool jackpot;	       /* wins the progressive; coins is 0 */
	uint32_t multiplier;   /* flat and by wilds; usually 1 */
	uint32_t coins;	       /* for one coin a line, multiplier included */
	mpz_t hits;	       /* weighted combinations of stops, summed over the lines */
	mpz_t with_wilds;      /* the hits with at least one wild */
};

struct par_combinations {
	uint32_t lines;
	mpz_t cycle;   /* combinations of stops that can occur, weighted; with a guarantee, only
			  those that keep it */
	mpq_t return_; /* of all lines, in multiples of the total bet: the sum over the
			  combinations below */
	uint32_t count;
	struct par_combination *of; /* owned; by symbol, falling length, multiplier */
};

/* Lists every combination that a spin can pay. The spin is a mode's paid spin or a free spin,
 * whichever `figures` describes. round_yields_of must have filled `figures`. */
void par_combinations_init(struct par_combinations *list, const struct spin_figures *figures,
	const struct exact_wager *wager);
void par_combinations_clear(struct par_combinations *list);

/* ---- texts.c: numbers as text ---- */

/* Owns the texts that the functions below return. Create `kept` with json_array(), free it with
 * json_decref. */
struct par_texts {
	json_t *kept;
};

const char *par_figure(struct par_texts *texts, const mpq_t x); /* 12 decimals */
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
/* Reels given as bits: "2, 3, 4". */
const char *par_reels(struct par_texts *texts, const struct game *game, uint32_t reels);
/* Exits with 2 unless the sum of a table equals the figure from the analysis. */
void par_prove(const char *what, const mpq_t table, const mpq_t analysis);

/* ---- one mode and class of bets (exact_mode), and the data for its sections ---- */

/* The paid spin of a mode, or its free spins. */
struct par_context {
	enum spin_context context;
	const char *id, *title;		    /* "paid", "the paid spin" */
	const struct spin_figures *figures; /* NULL: the game has no such spins */
	const struct spin_yield *yield;
	struct par_combinations combinations; /* empty without figures */
	mpq_t spins;			      /* expected number of such spins in a round */
};

#define PAR_CONTEXTS 2

struct par_mode {
	const struct game *game;
	const struct game_mode *rules;
	struct par_texts *texts;
	struct exact_mode figures;
	struct exact_work work; /* for EXACT_RETURN: has counts by tag, but no second moments */
	struct exact_wager wager;
	struct round_yields yields;
	struct par_context context[PAR_CONTEXTS];
};

/* Exits with 2 if memory runs out, or if the combinations do not sum to the lines' return. */
void par_mode_init(
	struct par_mode *mode, struct par_texts *texts, const struct game *game, uint32_t index);
void par_mode_clear(struct par_mode *mode);

/* Converts `x`, in multiples of the total bet for one spin of the context, to its part of the
 * round's return. */
void par_per_round(const struct par_mode *mode, const struct par_context *context, const mpq_t x,
	mpq_t return_r);
/* The number of windows of the context that show `symbol` `count` times (with `or_more`: at least
 * `count` times). */
void par_windows(const struct par_context *context, uint8_t symbol, uint32_t count, bool or_more,
	mpz_t windows_r);
/* Divides `windows` by the number of all windows of the context. */
void par_share(const struct par_context *context, const mpz_t windows, mpq_t share_r);

/* ---- section.c: words and tables ----
 *
 * {"id", "title", "words": [..], "tables": [{"id", "caption", "whole": bool, "columns": [{"id",
 * "title", "exact": bool}], "rows": [{column: text}], "total": {column: text} or absent}], "chart":
 * name or absent}. HTML leaves out `whole` tables and `exact` columns: they are for programs. */
#define PAR_COLUMNS_MAX 16

json_t *par_section(json_t *sections, const char *id, const char *title);
void par_words(json_t *section, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `columns`: "id=Title|id=Title"; the title "!" makes an exact column. */
json_t *par_table(json_t *section, const char *id, const char *caption, const char *columns);
/* One text per column, then NULL. Columns left out at the end stay empty. */
void par_row(json_t *table, ...) __attribute__((sentinel));
void par_row_of(json_t *table, const char *const *texts, size_t count);
/* The sum below the rows; it is not one of the rows. */
void par_total(json_t *table, ...) __attribute__((sentinel));

/* ---- the document ---- */

/* {"game", .., "sections": [..], "modes": [{.. as in rtp --json, "title", "sections"}], "appendix":
 * [..]}; the caller frees it. `subject`: the game as the user named it on the command line: an id
 * or a path. */
json_t *par_document(const struct game *game, const char *subject);
void par_game_sections(const struct game *game, const char *subject, struct par_texts *texts,
	json_t *sections); /* game.c */
void par_strip_sections(const struct game *game, struct par_texts *texts, json_t *appendix);
void par_mode_sections(struct par_mode *mode, json_t *sections);     /* mode.c */
void par_paytable_sections(struct par_mode *mode, json_t *sections); /* pays.c */
void par_feature_sections(struct par_mode *mode, json_t *sections);  /* features.c */
void par_spread_sections(struct par_mode *mode, json_t *sections);   /* spread.c */

/* Adds a table of combinations. `spins`: the expected number of the list's spins in a round. */
void par_combination_table(struct par_mode *mode, json_t *section,
	const struct par_combinations *list, const mpq_t spins, const char *id);
/* Lists each entry of a weighted table with its chance. `what`: the title of the column
 * with the entries' x. */
void par_choices(struct par_texts *texts, json_t *section, const char *id, const char *caption,
	const char *what, const struct choices *choices);

void par_html(const json_t *document, FILE *out);
/* Text with <, >, & and quotes written as entities. */
void par_escape(const char *text, FILE *out);
/* SVG of the section's chart: "parts", "distribution" or "sessions". */
void par_chart(const char *chart, const json_t *section, FILE *out);
void par_csv(const json_t *document, FILE *out);

#endif
