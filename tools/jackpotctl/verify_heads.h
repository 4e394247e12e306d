/* The signed heads of the chain: point 10's other half. They are read before the snapshot begins,
 * so that each is of a batch the snapshot must have. */
#ifndef CARILLON_JACKPOTCTL_VERIFY_HEADS_H
#define CARILLON_JACKPOTCTL_VERIFY_HEADS_H

#include "libcommon/io/chain_head.h"
#include "tools/jackpotctl/verify.h"
#include "tools/jackpotctl/verify_scope.h"

/* A last batch may be so much older than the newest head before it must have one. */
#define VERIFY_HEADS_LATE_S 300

struct verify_head {
	struct chain_head head;
	const char *file; /* where it stands */
	size_t line;
};
struct verify_heads {
	struct verify_head *head;
	size_t n, room;
	bool there; /* a folder with heads */
	bool is_copy;
};

/* All heads of both places behind the scope; lines that are none, or of another key, are breaches,
 * and so are keys that differ. Ends the process with a message when folder or key cannot be read
 * and were asked for. */
void verify_heads_read(const struct verify_options *options, const struct verify_scope *scope,
	struct verify_heads *heads_r, struct verify_heads *copy_r, struct verify_report *report);
/* In the snapshot: each head is in the chain, each shard's last batch has one in time, and both
 * places have the same ones. Sorts them. */
void verify_heads_check(PGconn *conn, struct verify_heads *heads, struct verify_heads *copy,
	struct verify_report *report);
void verify_heads_free(struct verify_heads *heads);

#endif
