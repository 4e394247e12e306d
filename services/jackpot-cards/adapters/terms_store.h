/* The odds and weights of the sets' files in Postgres (cards.terms): the proof of the ledger
 * compares with them what was drawn. The engine draws by the odds in force, and has no right to add
 * a version: whoever takes it over cannot make odds of their own look like those of a set. */
#ifndef CARILLON_JACKPOT_CARDS_ADAPTERS_TERMS_STORE_H
#define CARILLON_JACKPOT_CARDS_ADAPTERS_TERMS_STORE_H

#include "libcommon/jackpot/io/card_sets.h"

#include <libpq-fe.h>

#define TERMS_TEXT_MAX 4096

/* The text of a set's odds and weights, always the same for the same numbers. out holds
 * TERMS_TEXT_MAX bytes. */
void terms_text(const struct card_set_config *set, char *out);
/* Adds the versions that are not there yet, and puts their odds in force (cards.set_odds). */
void terms_store_add(PGconn *conn, const struct card_sets *sets);

#endif
