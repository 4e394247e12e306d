/* Formats the JSON of pushed messages (docs/contracts.md, "WebSocket of notifications"). Pure:
 * writes into the caller's buffer. All functions return the length, or 0 when the buffer is too
 * small. */
#ifndef CARILLON_NOTIFICATIONS_CORE_FRAMES_H
#define CARILLON_NOTIFICATIONS_CORE_FRAMES_H

#include "services/notifications/core/counters.h"
#include "services/notifications/core/holdback.h"
#include "services/notifications/core/winners.h"

#define FRAME_EPOCH_MAX 64
/* Enough for all rows of all pools. */
#define FRAME_MAX (COUNTERS_POOLS_MAX * COUNTERS_ROWS_MAX * 192)
#define FRAME_WINNERS_SHOWN 20 /* in a snapshot */

#define CARD_NEWS_TURNED_MAX 12

/* An event of a card round, for its player. */
struct card_news {
	player_id player;
	const char *event; /* "opened", "picked", "won": static */
	uint64_t seq;	   /* of the set's facts */
	uint64_t move, number, hit, opened_us, expires_us;
	uint32_t index, pool, level, currency;
	int64_t paid_minor;
	bool won;
	char secret_hash[65], secret[65]; /* hex; `secret` is empty until the round is won */
	size_t turned;
	uint8_t position[CARD_NEWS_TURNED_MAX], suit[CARD_NEWS_TURNED_MAX];
};

/* How old what is told is, in microseconds: the counter that was confirmed longest ago; since when
 * winners may be missing; and for how long a row of the journal has waited whose event belongs to a
 * player (0: none does). */
struct frame_ages {
	uint64_t jackpots_us, winners_us, events_us;
};
#define FRAME_LATE_US 5000000u
/* Is any of it so old that people should be told? */
bool frame_late(const struct frame_ages *ages);

/* The frame has epoch and offset as strings, which clients send back unchanged. */
struct frame_head {
	const char *epoch;
	const char *offset;
	uint64_t time_us;	       /* wall */
	const struct frame_ages *ages; /* of frame_counters; NULL: not told */
};

size_t frame_counters(char *out, size_t room, const struct frame_head *head,
	const struct counters *counters, bool snapshot);
size_t frame_winner(
	char *out, size_t room, const struct frame_head *head, const struct winner *winner);
/* The newest FRAME_WINNERS_SHOWN winners, newest last. */
size_t frame_winners(
	char *out, size_t room, const struct frame_head *head, const struct winners *winners);
size_t frame_recovered(
	char *out, size_t room, const struct frame_head *head, const char *channel, bool recovered);
size_t frame_card(
	char *out, size_t room, const struct frame_head *head, const struct card_news *news);
size_t frame_own(
	char *out, size_t room, const struct frame_head *head, const struct holdback_event *event);

#endif
