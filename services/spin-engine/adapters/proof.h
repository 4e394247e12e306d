/* `carillon-spin-engine --verify`: replays booked moves with the key that they were drawn with and
 * writes a verdict a row. It reads no database and takes no shard: who runs it sends the rows
 * (proto/proof.proto) on standard input, as jackpotctl does. Memory is that of one account and the
 * definitions. Source: docs/ledger.md, "Every win". */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_PROOF_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_PROOF_H

#include "libcommon/io/proof_stream.h"
#include "services/spin-engine/adapters/keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROVING_ERROR_MAX PROOF_ERROR_MAX

struct proving; /* a proof that is under way */

struct proving_counts {
	uint64_t proven, differing, skipped; /* rows */
	uint64_t rounds, scripted;	     /* bets replayed; those with scripted draws */
};

/* Borrows the keys. Verdicts go to `out`, a line a row, parts separated by a tab:
 *
 *     ok SHARD SEQ
 *     differs SHARD SEQ FIELD FOUND EXPECTED
 *     skipped SHARD SEQ                         a row that follows from one that is not known
 *
 * Never NULL: ends the process if there is no memory. */
struct proving *proving_new(const struct keys *keys, FILE *out);
void proving_free(struct proving **proving);
/* Only definitions of this folder are accepted from now on: <folder>/<game>/<any>.json. False:
 * error (PROVING_ERROR_MAX bytes) says which file is wrong. */
bool proving_trust(struct proving *proving, const char *folder, char *error);
/* Takes one message. False: error says what was found and expected; the stream cannot be trusted
 * any more. */
bool proving_take(struct proving *proving, const uint8_t *bytes, size_t length, char *error);
struct proving_counts proving_counts(const struct proving *proving);

/* main() of --verify: 0: all in order; 1: some row differs; 2: wrong arguments or input; 3: no key
 * can be read. Ends its output with "end PROVEN DIFFERING SKIPPED ROUNDS SCRIPTED". */
int proof_main(int argc, char **argv);

#endif
