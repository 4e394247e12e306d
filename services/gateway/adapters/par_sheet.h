/* The exact figures of a definition, for the operators of an installation: computed once for each
 * definition (docs/mathematics.md) and kept in gateway.par. */
#ifndef CARILLON_GATEWAY_ADAPTERS_PAR_SHEET_H
#define CARILLON_GATEWAY_ADAPTERS_PAR_SHEET_H

#include <stddef.h>

/* {"game","modes":[{"mode_id","mode_index","lines","coins","bets", and the members of `slotmath rtp
 * --json`}],"contribution"?,"jackpot":[{"mode_id","of","lines","coins","base_exact",
 * "chance_exact"}]} as text
 * that the caller frees; {"error"} if the definition cannot be read or has no finite return.
 * Takes a second and more: never call it where players wait. Shares nothing with other threads.
 *
 * "jackpot" says how a paid round of each mode wins the progressive, free spins included. "of":
 * - "coins": the chance is base_exact + chance_exact x lines x coins; where a bonus wins it, the
 *   base is usually 0
 * - "max": chance_exact at the largest bet (`lines` x `coins`), 0 at every other bet
 * - "unknown": it depends on the bet in another way; both are "0/1" */
char *par_sheet(const char *definition, size_t length);

#endif
