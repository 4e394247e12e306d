/* What operators offer their players: lists of games and of currencies, "bewitched,mona-lisa" and
 * "EUR,SEK". An empty list is all. Pure. */
#ifndef CARILLON_GATEWAY_CORE_OFFER_H
#define CARILLON_GATEWAY_CORE_OFFER_H

#include <stdbool.h>
#include <stddef.h>

#define OFFER_ENTRY_MAX 31
#define OFFER_LIST_MAX 999
#define OFFER_ALL "all" /* as requests name the empty list */

/* True when the list is empty or has exactly this entry. */
bool offer_has(const char *list, const char *entry);

/* Takes the next entry of *list, and moves *list behind it. False at the end. */
bool offer_next(const char **list, char entry_r[OFFER_ENTRY_MAX + 1]);

/* Check what a client sends: "all", or entries separated by single commas, each once. Games: texts
 * that may be ids of games, whether or not there are such; currencies: codes that are known.
 * Otherwise false, and `found_r` is the entry that is wrong; "" for one that is empty. */
bool offer_games_read(const char *text, char found_r[OFFER_ENTRY_MAX + 1]);
bool offer_currencies_read(const char *text, char found_r[OFFER_ENTRY_MAX + 1]);

/* "{978,752}" of "EUR,SEK", as Postgres reads it; "{}" of "all". */
#define OFFER_NUMBERS_MAX (2 * OFFER_LIST_MAX)
void offer_numbers(const char *currencies, char out[OFFER_NUMBERS_MAX]);

#endif
