/* `jackpotctl ledger verify`: proves the books from the rows themselves (docs/ledger.md, "The
 * proof"). One read-only snapshot, so it may run beside live services. Points 1 to 10, the bonus
 * spins of point 11, the holds of point 12, as point 13 that nothing is negative, as point 14 every
 * move replayed and, as point 15, every card round dealt again; each breach names its row. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_H
#define CARILLON_JACKPOTCTL_VERIFY_H

#include "tools/jackpotctl/proof_note.h"

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERIFY_POINTS 16       /* 1 to 15 */
#define VERIFY_BREACHES_MAX 20 /* named a query; a broken book seldom has one */

/* Rules that one pass over the journal's rows keeps (verify_rows.h). The query of a rule is asked
 * only where the pass doubts that it holds. */
enum verify_rule {
	VERIFY_RULE_NONE, /* the query is always asked */
	VERIFY_RULE_ORDER,
	VERIFY_RULE_ACCOUNTS,
	VERIFY_RULE_REOPENED,
	VERIFY_RULE_PENDINGS,
	VERIFY_RULE_SUMS,
	VERIFY_RULE_CHAIN,
	VERIFY_RULE_TALLIES,
	VERIFY_RULE_TALLY_ROWS,
	VERIFY_RULE_POOL_TOTALS,
	VERIFY_RULE_CARD_TOTALS,
	VERIFY_RULE_SPIN_ROWS,
	VERIFY_RULE_HOLDS,
	VERIFY_RULE_DAYS,
	VERIFY_RULE_DAYS_BEFORE,
	VERIFY_RULES
};
/* One query of a point. It answers with a row a breach: point, where, found, expected. $1 and $2
 * are the currencies known and their decimals, $3 the state of the last proof; @names@ are filled
 * in by scope_expand. */
struct verify_query {
	const char *sql;
	enum verify_rule rule;
};
extern const struct verify_query verify_ledger_queries[]; /* ends with a NULL sql */
extern const struct verify_query verify_pool_queries[];
extern const struct verify_query verify_partitions_queries[];
extern const struct verify_query verify_close_queries[];

struct verify_breach {
	char *where, *found, *expected;
};
struct verify_point {
	const char *title; /* NULL: no such point */
	uint64_t checked;
	size_t breaches_n;
	struct verify_breach breaches[4 * VERIFY_BREACHES_MAX];
};
/* What point 14 replayed, or point 15 dealt again. */
struct verify_replay {
	const char *why_not; /* NULL: it was done */
	uint64_t moves, rounds;
	uint64_t skipped;  /* they follow from rows that are not in the database any more */
	uint64_t scripted; /* rounds of a test installation */
	uint64_t sample;   /* accounts asked for; 0: all */
};
struct verify_report {
	struct verify_point points[VERIFY_POINTS];
	bool ledger_ok, pools_ok;
	uint64_t rows, rounds, hits;
	uint64_t since;	       /* rows proven before, that were not looked at again */
	uint64_t heads;	       /* signed heads of the chain; 0: there are none to compare with */
	uint64_t heads_copied; /* of the copy */
	uint64_t mark;	       /* number of the mark that --since-last left or stands at; 0: none */
	double seconds;
	struct {
		uint64_t days, carried; /* files and carried rows that were compared */
		uint64_t not_compared;	/* carried rows; no archive was given */
	} archive;
	struct verify_replay replay;
	struct verify_replay cards; /* rounds: of cards */
	struct proof_note note;	    /* for the console, until proof_note_keep */
};

struct verify_options {
	const char *state; /* file of --since-last; NULL: everything, and no state is kept */
	const char *heads; /* folder of the signed heads; a missing one is an error if given */
	bool heads_given;
	const char *copy; /* folder of their copy, likewise */
	bool copy_given;
	const char *public_key;	 /* file of the key they are signed with; NULL: the one there */
	const char *archive;	 /* folder of the archived days; NULL: not looked at */
	bool no_replay;		 /* points 14 and 15 are left out */
	const char *engine;	 /* the program that replays; NULL: the one beside this program */
	const char *definitions; /* folder whose definitions alone count; NULL: the database's */
	const char *cards;	 /* the program that deals card rounds again; NULL likewise */
	const char *day;	 /* YYYY-MM-DD: replay the moves of this day; NULL: of all */
	uint64_t sample;	 /* accounts to replay, chosen by the seed; 0: all */
	uint64_t seed;
};

/* Runs all points on one connection. Ends the process with a message when the database, the state
 * or the heads cannot be read at all. A proof without a breach leaves its state. */
void verify_run(PGconn *conn, const struct verify_options *options, struct verify_report *report_r);
/* A breach of a point; copies the texts. */
void verify_breach_add(struct verify_report *report, int point, const char *where,
	const char *found, const char *expected);
/* Why a point was not proven; NULL: it was. */
const char *verify_why_not(const struct verify_report *report, size_t point);
void verify_print(const struct verify_report *report);
void verify_print_json(const struct verify_report *report);

#endif
