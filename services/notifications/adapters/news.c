/* Events from the feeds: the core decides which are new, and the clients concerned get a frame. */
#include "services/notifications/adapters/news.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>

struct frame *news_winner_frame(
	struct hub *hub, const struct winner *winner, const struct winners_position *position)
{
	char offset[WINNERS_POSITION_TEXT_MAX], id[FRAME_EPOCH_MAX + WINNERS_POSITION_TEXT_MAX];
	winners_position_format(position, offset);
	(void)snprintf(id, sizeof(id), "%s/%s", hub->epoch, offset);
	struct frame_head head = { hub->epoch, offset, winner->time_us, NULL };
	return hub_frame(
		hub, frame_winner(hub->text, sizeof(hub->text), &head, winner), "winner", id);
}

struct frame_ages news_ages(const struct hub *hub)
{
	return feeds_ages(hub->feeds, counters_age_us(&hub->counters, clock_wall_us()));
}

struct frame *news_counters_snapshot(struct hub *hub)
{
	char offset[24];
	if (hub->counters_snapshot && hub->snapshot_revision == hub->counters.revision)
		return hub->counters_snapshot;
	frame_release(&hub->counters_snapshot);
	hub->snapshot_revision = hub->counters.revision;
	(void)snprintf(offset, sizeof(offset), "%" PRIu64, hub->pushes);
	const struct frame_ages ages = news_ages(hub);
	struct frame_head head = { hub->process_epoch, offset, clock_wall_us(), &ages };
	size_t length = frame_counters(hub->text, sizeof(hub->text), &head, &hub->counters, true);
	hub->counters_snapshot = hub_frame(hub, length, "snapshot", NULL);
	return hub->counters_snapshot;
}

struct frame *news_winners_snapshot(struct hub *hub)
{
	char offset[WINNERS_POSITION_TEXT_MAX], id[FRAME_EPOCH_MAX + WINNERS_POSITION_TEXT_MAX];
	if (hub->winners_snapshot)
		return hub->winners_snapshot;
	winners_position_format(&hub->winners.position, offset);
	(void)snprintf(id, sizeof(id), "%s/%s", hub->epoch, offset);
	struct frame_head head = { hub->epoch, offset, clock_wall_us(), NULL };
	size_t length = frame_winners(hub->text, sizeof(hub->text), &head, &hub->winners);
	hub->winners_snapshot = hub_frame(hub, length, "snapshot", id);
	return hub->winners_snapshot;
}

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define POOLS_FULL                                                                                 \
	"found more pools or rows than fit, expected at most " TEXT(                               \
		COUNTERS_POOLS_MAX) " pools and sets with " TEXT(COUNTERS_ROWS_MAX) " rows each"
_Static_assert(COUNTERS_POOLS_MAX == WINNERS_POOLS_MAX,
	"found a different number of pools in counters and winners");

void news_counter(void *context, uint32_t pool, const struct counter *row, uint32_t incarnation,
	uint64_t time_us)
{
	struct hub *hub = context;
	enum counters_status status =
		counters_offer(&hub->counters, pool, row, incarnation, time_us);
	if (status == COUNTERS_BAD || status == COUNTERS_FULL)
		log_warn_as("notifications.counter.bad",
			"pool %" PRIu32 " currency %" PRIu32 " coin %" PRId64 " level %" PRIu32
			": %s",
			pool, row->currency, row->coin_minor, row->level,
			status == COUNTERS_FULL ? POOLS_FULL
						: "found a value that a counter cannot have");
}

void news_status(void *context, uint32_t pool, const char *status)
{
	struct hub *hub = context;
	if (!counters_offer_status(&hub->counters, pool, status))
		log_warn_as("notifications.pool.bad_status",
			"pool %" PRIu32
			": found status '%.20s', expected live, pausing, paused or retired",
			pool, status);
}

/* The list has all pools; this ignores those that are not shown here. */
void news_id(void *context, uint32_t pool, const char *id)
{
	struct hub *hub = context;
	bool shown = false;

	for (size_t i = 0; i < hub->counters.n; i++)
		shown = shown || hub->counters.pools[i].pool == pool;
	if (shown && !counters_offer_id(&hub->counters, pool, id))
		log_warn_as("notifications.pool.bad_name",
			"pool %" PRIu32 ": found the name '%.48s', expected a slug", pool, id);
}

/* RULE mystic-gem 6.16: all clients get a won level, with the player masked. */
void news_winner(void *context, const struct winner *winner)
{
	struct hub *hub = context;
	enum winners_status status = winners_offer(&hub->winners, winner);
	frame_release(&hub->winners_snapshot);
	hub->winners_taken++;
	if (status == WINNERS_GAP)
		log_warn_as("notifications.hit.gap",
			"pool %" PRIu32 ": hit %" PRIu64 " came, but the hit before it is "
			"missing",
			winner->pool, winner->hit);
	if (status == WINNERS_FULL)
		log_error_as("notifications.hit.untold",
			"pool %" PRIu32 ", hit %" PRIu64 ": clients do not get it: " POOLS_FULL,
			winner->pool, winner->hit);
	if (status == WINNERS_SEEN || status == WINNERS_FULL || !feeds_caught_up(hub->feeds))
		return;
	struct frame *frame = news_winner_frame(hub, winner, &hub->winners.position);
	clients_broadcast(hub->clients, CHANNEL_WINNERS, frame, false);
	frame_release(&frame);
	metric_add(hub->winners_told, 1);
}

void news_own(void *context, const struct holdback_fact *fact, uint32_t incarnation)
{
	struct hub *hub = context;
	struct holdback_event events[HOLDBACK_EVENTS_MAX];
	size_t n = holdback_offer(&hub->holdback, fact, events);
	struct own_position row = { incarnation, fact->seq };
	if (n == 0 || !clients_has_player(hub->clients, fact->player))
		return;
	for (size_t i = 0; i < n; i++) {
		char epoch[16], offset[24];
		(void)snprintf(epoch, sizeof(epoch), "%" PRIu32, incarnation);
		(void)snprintf(offset, sizeof(offset), "%" PRIu64, fact->seq);
		struct frame_head head = { epoch, offset, clock_wall_us(), NULL };
		struct frame *frame =
			hub_frame(hub, frame_own(hub->text, sizeof(hub->text), &head, &events[i]),
				events[i].award ? "award" : "balance", NULL);
		clients_push_player(hub->clients, fact->player, &row, frame);
		frame_release(&frame);
	}
}

/* RULE mystic-gem 6.15: every window of the player sees the same cards. */
void news_card(void *context, const struct card_news *news, uint32_t incarnation)
{
	struct hub *hub = context;
	char epoch[32], offset[24];
	if (!clients_has_player(hub->clients, news->player))
		return;
	(void)snprintf(epoch, sizeof(epoch), "cards-%" PRIu32, incarnation);
	(void)snprintf(offset, sizeof(offset), "%" PRIu64, news->seq);
	struct frame_head head = { epoch, offset, clock_wall_us(), NULL };
	struct frame *frame = hub_frame(
		hub, frame_card(hub->text, sizeof(hub->text), &head, news), "cards", NULL);
	clients_push_player(hub->clients, news->player, NULL, frame);
	frame_release(&frame);
}

void news_unseen(void *context, const struct holdback_fact *award)
{
	struct hub *hub = context;
	holdback_remember(&hub->holdback, award);
}

void news_push_counters(struct hub *hub)
{
	char offset[24];
	uint64_t now = clock_mono_us();
	counters_drop_gone(&hub->counters);
	if (!counters_due(&hub->counters, now))
		return;
	frame_release(&hub->counters_snapshot); /* its times grow old */
	(void)snprintf(offset, sizeof(offset), "%" PRIu64, ++hub->pushes);
	const struct frame_ages ages = news_ages(hub);
	struct frame_head head = { hub->process_epoch, offset, clock_wall_us(), &ages };
	struct frame *frame = hub_frame(hub,
		frame_counters(hub->text, sizeof(hub->text), &head, &hub->counters, false),
		"counters", NULL);
	clients_broadcast(hub->clients, CHANNEL_JACKPOTS, frame, true);
	frame_release(&frame);
	counters_pushed(&hub->counters, now);
	metric_add(hub->counters_told, 1);
}
