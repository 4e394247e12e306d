/* Dead letters: what services could not read, from the topic dead.letters into the table
 * gateway.dead_letter, for people. What a user wants sent again is sent to the service that could
 * not read it.
 *
 * Every gateway reads the topic and adds what is new to the table; a letter that another one has
 * added is known by its digest. */
#ifndef CARILLON_GATEWAY_ADAPTERS_LETTERS_H
#define CARILLON_GATEWAY_ADAPTERS_LETTERS_H

#include "services/gateway/adapters/gateway.h"

void letters_begin(struct gateway *gateway);
void letters_tick(void); /* every 50 ms */
/* A letter is to be sent again: takes it with the next tick. */
void letters_soon(void);
void letters_end(void);

/* letter_routes.c */
edge_handler on_letters, on_letter_send, on_letter_settle;

#endif
