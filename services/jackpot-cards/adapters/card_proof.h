/* `carillon-jackpot-cards --verify`: deals card rounds again, with the key that dealt them, and
 * writes a verdict a round. It reads no database and takes no shard: who runs it sends the rows of
 * cards.round (proto/proof.proto) on standard input, as jackpotctl does. Source: docs/ledger.md,
 * "Every card round". */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_PROOF_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_CARD_PROOF_H

#include "proof.pb-c.h"
#include "services/jackpot-cards/adapters/card_keys.h"

#include <stdbool.h>

#define CARD_PROOF_TEXT_MAX 96

struct card_difference {
	const char *field; /* static: a column of cards.round */
	char found[CARD_PROOF_TEXT_MAX], expected[CARD_PROOF_TEXT_MAX];
};

/* Does the row follow from its claim, key, salt and weights? False: *difference_r is set. */
CARILLON_MUST_CHECK bool card_proof_judge(const struct numbered_keys *keys,
	const Carillon__ProofCardRound *row, struct card_difference *difference_r);

/* main() of --verify. Writes to standard output, parts separated by a tab:
 *
 *     ok SET NUMBER
 *     differs SET NUMBER FIELD FOUND EXPECTED
 *     end PROVEN DIFFERING 0 ROUNDS 0
 *
 * Returns PROOF_EXIT_.. or, if all is in order, 0. */
int card_proof_main(int argc, char **argv);

#endif
