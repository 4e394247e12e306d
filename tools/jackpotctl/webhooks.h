/* `jackpotctl webhooks ..`: lists webhooks with what waits and what is dead, sends a test event,
 * and lists dead events and sends them again. Webhooks are created and changed in the console or by
 * the HTTP interface. */
#ifndef CARILLON_JACKPOTCTL_WEBHOOKS_H
#define CARILLON_JACKPOTCTL_WEBHOOKS_H

#include <libpq-fe.h>

#include <stdbool.h>
#include <stddef.h>

/* True when the words are one of: list; test ID; dead ID; resend ID EVENT|all. */
bool webhooks_words(const char *const *words, int words_n);
/* Runs the command; `operator_text` NULL: operator 1. False: the operator has no such webhook, or
 * no such dead event. Ends the process with a message when an argument or the database is wrong. */
bool webhooks_run(PGconn *conn, const char *const *words, int words_n, const char *operator_text);

#endif
