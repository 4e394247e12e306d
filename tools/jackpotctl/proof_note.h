/* The result of a proof, as the console shows it: jackpotctl signs it with the key of the marks
 * (verify_mark.h), where there is one, and adds it to gateway.proof.
 *
 * The content is one JSON object (docs/ledger.md, "What the console shows"). What a proof did not
 * look at is carried on from the one before: when each point last held, what was proven whole, and
 * the accounts' sums up to there.
 *
 *     signed: "carillon proof 1 " SHA256     the digest of the content, in hex */
#ifndef CARILLON_JACKPOTCTL_PROOF_NOTE_H
#define CARILLON_JACKPOTCTL_PROOF_NOTE_H

#include "libcommon/io/chain_head.h"

#include <jansson.h>
#include <libpq-fe.h>

#include <stdbool.h>

struct verify_report;

struct proof_note {
	bool has_key;
	struct chain_key key;
	json_t *before;	  /* the content before this one; NULL: none whose signature is good */
	json_t *shards;	  /* where each shard stood */
	json_t *accounts; /* what each account had come to */
};

/* Reads the key and the proof before. Nothing that is missing is an error. */
void proof_note_begin(PGconn *conn, struct proof_note *note_r);
/* In the snapshot of the proof. `since_last`: adds to the sums of the proof before. Ends the
 * process with a message when the database cannot be read. */
void proof_note_totals(PGconn *conn, bool since_last, struct proof_note *note);
/* Adds the result, after the snapshot; says on standard error if that cannot be done: the result
 * has been told anyway. `whole`: nothing was left out. Frees the note. */
void proof_note_keep(PGconn *conn, const struct verify_report *report, bool whole, bool since_last,
	struct proof_note *note);

#endif
