/* The JSON of what is pushed (docs/contracts.md, "WebSocket of notifications"). Pure: written into
 * the caller's buffer. All return the length, or 0 when the buffer is too small. */
#ifndef CARILLON_NOTIFICATIONS_CORE_FRAMES_H
#define CARILLON_NOTIFICATIONS_CORE_FRAMES_H

#include "services/notifications/core/counters.h"
#include "services/notifications/core/holdback.h"
#include "services/notifications/core/winners.h"

#define FRAME_EPOCH_MAX 64
/* All rows of all pools at most. */
#define FRAME_MAX (COUNTERS_POOLS_MAX * COUNTERS_ROWS_MAX * 192)
#define FRAME_WINNERS_SHOWN 20 /* in a snapshot */

#define CARD_NEWS_TURNED_MAX 12

/* A step of a round of Jackpot Cards, for its player. */
struct card_news {
	player_id player;
	const char *event; /* "opened", "picked", "won": static */
	uint64_t seq;	   /* of the set's facts */
	uint64_t move, number, hit, opened_us, expires_us;
	uint32_t index, pool, level, currency;
	int64_t paid_minor;
	bool won;
	char secret_hash[65], secret[65]; /* hex; secret empty until it is won */
	size_t turned;
	uint8_t position[CARD_NEWS_TURNED_MAX], suit[CARD_NEWS_TURNED_MAX];
};

/* epoch and offset stand in the frame as strings, so that clients hand them back untouched. */
struct frame_head {
	const char *epoch;
	const char *offset;
	uint64_t time_us; /* wall */
};

size_t frame_counters(char *out, size_t room, const struct frame_head *head,
	const struct counters *counters, bool snapshot);
size_t frame_winner(
	char *out, size_t room, const struct frame_head *head, const struct winner *winner);
/* The newest FRAME_WINNERS_SHOWN, newest last. */
size_t frame_winners(
	char *out, size_t room, const struct frame_head *head, const struct winners *winners);
size_t frame_recovered(
	char *out, size_t room, const struct frame_head *head, const char *channel, bool recovered);
size_t frame_card(
	char *out, size_t room, const struct frame_head *head, const struct card_news *news);
size_t frame_own(
	char *out, size_t room, const struct frame_head *head, const struct holdback_event *event);

#endif
