/* What carillon-watch reads, and where it tells it. */
#ifndef CARILLON_WATCH_H
#define CARILLON_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WATCH_DISKS_MAX 7

/* From the command line and the environment; borrowed for the life of the process. NULL or empty:
 * not watched. */
struct watch_options {
	const char *dsn;			/* of a role that may read all tables */
	const char *listen;			/* "127.0.0.1:9400" */
	const char *targets;			/* file of targets for Prometheus' file_sd */
	const char *heads;			/* folder in which jackpotctl notes its proofs */
	const char *keys;			/* folder whose files are keys */
	const char *redis, *kafka;		/* host:port; kafka may be a list, or "none" */
	const char *disks[WATCH_DISKS_MAX + 1]; /* a path on each file system; ended by NULL */
	int64_t every_ms;			/* between two readings */
};

/* Reads the database into gauges and writes the targets; connects again where that is needed.
 * Takes some seconds at most. Also sets carillon_postgres_up. slowly: read also what costs more,
 * the returns of the games. Returns whether everything could be read. */
bool watch_rows(const struct watch_options *options, bool slowly);
/* Ages of keys and proofs, free space of file systems, and which of these cannot be read. Reads
 * nothing but names and times. */
void watch_files(const struct watch_options *options);
/* Whether Redis answers and Kafka takes connections; a second each at most. */
void watch_probes(const struct watch_options *options);
/* When the installation began, in seconds since 1970 UTC; 0: not read yet. */
int64_t watch_created_s(void);

#endif
