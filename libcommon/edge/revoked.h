/* Sessions that were ended before their token expires: a player has logged out. The gateway writes
 * them to gateway.revoked; every instance of gateway and notifications reads the new rows and
 * refuses their tokens. */
#ifndef CARILLON_EDGE_REVOKED_H
#define CARILLON_EDGE_REVOKED_H

#include "libcommon/io/pg.h"

#include <stdbool.h>
#include <stdint.h>

struct revoked;

/* `ended` is called for each session that revoked_read adds; NULL: nobody wants to know. */
struct revoked *revoked_new(void (*ended)(void *context, const char *session), void *context);
void revoked_free(struct revoked **revoked);

/* Adds a session by its name (session_name() of libcommon/base/session.h). expires_s is when its
 * token expires, in seconds since 1970; some time after that the session is forgotten. */
void revoked_add(struct revoked *revoked, const char *session, uint64_t now_s, uint64_t expires_s);
bool revoked_has(const struct revoked *revoked, const char *session);

/* Reads new rows; does nothing while a read is under way. Call it every 250 ms. */
void revoked_read(struct revoked *revoked, struct pg_pool *pool);
/* True once all rows written before the process started have been read. */
bool revoked_known(const struct revoked *revoked);

#endif
