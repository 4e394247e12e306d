/* Passes events from the feeds to the clients. `context` is the struct hub *; the first six
 * functions are the callbacks of feeds_config. */
#ifndef CARILLON_NOTIFICATIONS_ADAPTERS_NEWS_H
#define CARILLON_NOTIFICATIONS_ADAPTERS_NEWS_H

#include "services/notifications/adapters/hub.h"

void news_counter(void *context, uint32_t pool, const struct counter *row, uint32_t incarnation,
	uint64_t time_us);
void news_status(void *context, uint32_t pool, const char *status);
void news_id(void *context, uint32_t pool, const char *id);
void news_winner(void *context, const struct winner *winner);
void news_own(void *context, const struct holdback_fact *fact, uint32_t incarnation);
void news_card(void *context, const struct card_news *news, uint32_t incarnation);
void news_unseen(void *context, const struct holdback_fact *award);

/* How old what clients are told is now. */
struct frame_ages news_ages(const struct hub *hub);
/* Ten times a second: pushes the counters when they are due. */
void news_push_counters(struct hub *hub);
/* The snapshots in force, made once for all who subscribe; the hub keeps them. */
struct frame *news_counters_snapshot(struct hub *hub);
struct frame *news_winners_snapshot(struct hub *hub);
/* Makes the public frame of a winner at the position; the caller holds one reference. */
struct frame *news_winner_frame(
	struct hub *hub, const struct winner *winner, const struct winners_position *position);

#endif
