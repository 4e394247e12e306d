/* A player's session, for the gateway and the notifications service. A session belongs to one
 * token. It begins when the token is issued. It ends when the token expires, when the player logs
 * out, or when the player has been inactive too long. Redis holds, under the session's name,
 * the time of the player's last action and how long the player may be inactive (docs/contracts.md,
 * "Sessions"); both services use this entry. Pure; times are milliseconds since 1970, from the
 * caller. */
#ifndef CARILLON_BASE_SESSION_H
#define CARILLON_BASE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#define SESSION_NAME_MAX 33 /* 32 hex digits and the NUL */
#define SESSION_SEEN_MAX 48 /* "1760000000000,900000" */

struct session_seen {
	uint64_t acted_ms; /* 0: not known */
	uint64_t idle_ms;  /* permitted inactivity; 0: no limit */
};

/* The session's name: the first 16 bytes of the token's SHA-256, in hex. It may be stored, because,
 * unlike the token, it cannot be used to play. */
void session_name(const char *token, char name_r[SESSION_NAME_MAX]);
void session_seen_format(const struct session_seen *seen, char text_r[SESSION_SEEN_MAX]);
/* False, with *seen_r zero, on any text that session_seen_format does not write. */
bool session_seen_parse(const char *text, struct session_seen *seen_r);

/* Has the session ended by inactivity? False while acted_ms is later than now_ms, which happens
 * when the reader's clock is behind the writer's. */
bool session_idle(const struct session_seen *seen, uint64_t now_ms);

#endif
