/* `jackpotctl ledger verify`: proves the books from the rows themselves (docs/architecture.md, "The
 * ledger"). One read-only snapshot, so it may run beside live services. Points 1 to 8, the
 * unbroken chain of point 10, and the bonus spins of point 11; each breach names its row. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_H
#define CARILLON_JACKPOTCTL_VERIFY_H

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERIFY_POINTS 12       /* 1 to 11; 9 belongs to the daily close */
#define VERIFY_BREACHES_MAX 20 /* named a query; a broken book seldom has one */

/* One query of a point. It answers with a row a breach: point, where, found, expected. $1 and $2,
 * if it names them, are the currencies known and their decimals. */
struct verify_query {
	const char *sql;
	bool currencies;
};
extern const struct verify_query verify_ledger_queries[]; /* ends with a NULL sql */
extern const struct verify_query verify_pool_queries[];

struct verify_breach {
	char *where, *found, *expected;
};
struct verify_point {
	const char *title; /* NULL: no such point */
	uint64_t checked;
	size_t breaches_n;
	struct verify_breach breaches[4 * VERIFY_BREACHES_MAX];
};
struct verify_report {
	struct verify_point points[VERIFY_POINTS];
	bool ledger_ok, pools_ok;
	uint64_t rows, rounds, hits;
	double seconds;
};

/* Runs all points on one connection. Ends the process with a message when the database cannot be
 * read at all. */
void verify_run(PGconn *conn, struct verify_report *report_r);
void verify_print(const struct verify_report *report);
void verify_print_json(const struct verify_report *report);

#endif
