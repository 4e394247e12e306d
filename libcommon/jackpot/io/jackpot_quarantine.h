/* Pools and sets that are out of work: something stored about them cannot be read. Each stays where
 * it is, in the table `quarantine` of its schema, until an operator releases it (jackpotctl
 * quarantine release); the service then loads it again.
 *
 * Meanwhile it has no instance, and nothing is lost: the wallet keeps the totals of stakes, repeats
 * claims until they are paid, and other pools repeat their transfers. All other pools, and all
 * play, go on. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_QUARANTINE_H
#define CARILLON_JACKPOT_IO_JACKPOT_QUARANTINE_H

#include "libcommon/io/metrics.h"
#include "libcommon/jackpot/io/jackpot_list.h"

#define JACKPOT_QUARANTINE_MAX 64 /* more than an installation has pools and sets */

enum jackpot_out_write { OUT_STORED = 0, OUT_PUT, OUT_DELETE };

struct jackpot_out {
	uint32_t pool, shard;
	enum jackpot_out_write write; /* what the next transaction does */
	struct stored_fault fault;
};

struct jackpot_quarantine {
	const char *schema; /* "pool", "cards" */
	const char *what;   /* "pool", "set" */
	struct metric *count;
	struct jackpot_link *leaving; /* instances with a fault, until the next commit */
	size_t n;
	struct jackpot_out out[JACKPOT_QUARANTINE_MAX];
};

void jackpot_quarantine_start(struct jackpot_quarantine *quarantine, const char *schema,
	const char *what, struct metric *count);
/* When a shard is opened, before its pools: reads which of them are out. One that has been released
 * is not among them. */
void jackpot_quarantine_open(
	struct jackpot_quarantine *quarantine, struct service *service, uint32_t shard);
void jackpot_quarantine_close(
	struct jackpot_quarantine *quarantine, struct service *service, uint32_t shard);
/* What is wrong; NULL: the pool is not out. */
const char *jackpot_quarantine_of(const struct jackpot_quarantine *quarantine, uint32_t pool);
/* Raises an alarm. The next transaction writes it. */
void jackpot_quarantine_put(struct jackpot_quarantine *quarantine, struct service *service,
	uint32_t pool, uint32_t shard, const char *found);
/* Instances with a fault (jackpot_link.fault) leave their shards' lists and are put out: they take
 * nothing from now on. Whoever notes a fault changes nothing after it (stored_good), so what they
 * had taken before is complete. The next transaction still writes those in `leaving`, with the
 * position in the feed and the messages that wait for the commit; after the commit
 * jackpot_quarantine_left gives each to the caller, who frees it, then NULL. */
void jackpot_quarantine_leave(struct jackpot_quarantine *quarantine, struct service *service);
struct jackpot_link *jackpot_quarantine_left(struct jackpot_quarantine *quarantine);
/* As jackpot_list_each; then those with a fault leave. */
void jackpot_quarantine_each(struct jackpot_quarantine *quarantine, struct service *service,
	jackpot_visit *visit, uint64_t mono_us);
/* The pool could be loaded. */
void jackpot_quarantine_end(
	struct jackpot_quarantine *quarantine, struct service *service, uint32_t pool);
/* Pools that are out and that an operator has released, at most max: to be loaded again. Takes
 * their releases back, so that one made while they are loaded is not lost. Reads them from Postgres
 * only while a pool is out. */
size_t jackpot_quarantine_released(struct jackpot_quarantine *quarantine, struct service *service,
	uint32_t *pools_r, size_t max);
/* Inside the transaction. */
void jackpot_quarantine_save(struct jackpot_quarantine *quarantine, PGconn *conn);

#endif
