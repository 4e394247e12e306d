/* The callbacks of clients_config. `context` is the struct hub *. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_SUBSCRIBERS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_SUBSCRIBERS_H

#include "services/notifications/adapters/hub.h"

bool subscribers_open(void *context);
/* Passes on the public frames that a subscription begins with: what was missed, or snapshots. */
void subscribers_frames(struct hub *hub, const struct subscription *subscription,
	void (*each)(void *context, struct frame *frame), void *context);
void subscribers_greet(
	void *context, struct client *client, const struct subscription *subscription);
enum token_status subscribers_identify(
	void *context, const char *token, player_id *player_r, struct token_life *life_r);
uint32_t subscribers_wrong(void *context, const struct sender *sender);
void subscribers_lost(void *context, player_id player, const char *game);
void subscribers_look(
	void *context, const char *const *names, size_t n, struct session_seen *seen_r);

#endif
