/* A player's session as gateway and notifications see it: one token, from its issue to its expiry
 * or to the end by inactivity. What they keep of it together lies in Redis (docs/contracts.md,
 * "Sessions"): under the session's name, when its player acted last and how long he may rest. Pure;
 * times are milliseconds since 1970, handed in. */
#ifndef CARILLON_BASE_SESSION_H
#define CARILLON_BASE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#define SESSION_NAME_MAX 33 /* 32 hex digits and the NUL */
#define SESSION_SEEN_MAX 48 /* "1760000000000,900000" */

struct session_seen {
	uint64_t acted_ms; /* 0: not known */
	uint64_t idle_ms;  /* rest that is allowed; 0: any */
};

/* The first 16 bytes of the SHA-256 of the token, in hex: what is kept cannot be used to play. */
void session_name(const char *token, char name_r[SESSION_NAME_MAX]);
void session_seen_format(const struct session_seen *seen, char text_r[SESSION_SEEN_MAX]);
/* False for anything that session_seen_format does not write; *seen_r is then zero. */
bool session_seen_parse(const char *text, struct session_seen *seen_r);

/* Has the session ended? A clock that is behind the one that wrote ends nothing. */
bool session_idle(const struct session_seen *seen, uint64_t now_ms);

#endif
