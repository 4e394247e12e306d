/* `jackpotctl webhooks ..`: lists webhooks with what waits and what is dead, sends a test event,
 * and lists dead events and sends them again. Webhooks are created and changed in the console or by
 * the HTTP interface. */
#ifndef CARILLON_JACKPOTCTL_WEBHOOKS_H
#define CARILLON_JACKPOTCTL_WEBHOOKS_H

#include <libpq-fe.h>

#include <stdbool.h>

/* Numbers as text: of an operator and of one of its webhooks. All end the process with a message
 * when an argument or the database is wrong. */
bool webhooks_list(PGconn *conn, const char *operator_id, bool json);
bool webhooks_dead(PGconn *conn, const char *operator_id, const char *webhook, bool json);
/* False: there is no such webhook. */
bool webhooks_test(PGconn *conn, const char *operator_id, const char *webhook, bool json);
/* Of one event, or of "all". False: there is no such dead event. */
bool webhooks_resend(
	PGconn *conn, const char *operator_id, const char *webhook, const char *event, bool json);

#endif
