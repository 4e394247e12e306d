/* WebSocket clients of notifications, in a thread of their own: they check what is pushed. */
#ifndef CARILLON_SUPPORT_PLAYERS_EVENTS_H
#define CARILLON_SUPPORT_PLAYERS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* url: "ws://127.0.0.1:1234/v1/events". tokens[i] is player i's or NULL: a client without it
 * listens to the public channels only. Starts `n` clients. False with a message on stderr. */
bool events_start(const char *url, size_t n, uint32_t seed);
/* Gives a client the token of a player; until then it listens to the public channels only. */
void events_set_token(size_t client, const char *token);
/* Has any client seen a winner with this pool, coin and amount? pool 0: any. */
bool events_saw_winner(uint32_t pool, int64_t coin_minor, int64_t paid_minor);
/* Is at least one client connected for `ms` without a break? */
bool events_settled(uint64_t ms);
void events_stop(void);

#endif
