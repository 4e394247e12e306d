/* Callbacks of the clients: may a client connect, who is it, and what does it get first. A client
 * that subscribes gets the events it missed or the current state, then the stream. */
#include "services/notifications/adapters/subscribers.h"

#include "libcommon/io/clock.h"
#include "services/notifications/adapters/news.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void push_jackpots(struct hub *hub, struct client *client, bool asked_resume)
{
	char offset[24];
	(void)snprintf(offset, sizeof(offset), "%" PRIu64, hub->pushes);
	struct frame_head head = { hub->process_epoch, offset, clock_wall_us() };
	if (asked_resume) {
		/* The newest counters replace all missed ones. */
		struct frame *frame = hub_frame(hub,
			frame_recovered(hub->text, sizeof(hub->text), &head, "jackpots", true),
			"recovered", NULL);
		client_push(client, frame, false);
		frame_release(&frame);
	}
	struct frame *frame = hub_frame(hub,
		frame_counters(hub->text, sizeof(hub->text), &head, &hub->counters, true),
		"snapshot", NULL);
	client_push(client, frame, false);
	frame_release(&frame);
}

static void push_missed(struct hub *hub, struct client *client, struct winners_position position)
{
	for (size_t i = 0; i < hub->winners.n; i++) {
		const struct winner *winner = winners_at(&hub->winners, i);
		if (!winners_is_after(winner, &position))
			continue;
		winners_position_pass(&position, winner);
		struct frame *frame = news_winner_frame(hub, winner, &position);
		client_push(client, frame, true);
		frame_release(&frame);
	}
}

static void push_winners(
	struct hub *hub, struct client *client, const struct subscription *subscription)
{
	char offset[WINNERS_POSITION_TEXT_MAX], id[FRAME_EPOCH_MAX + WINNERS_POSITION_TEXT_MAX];
	bool asked = (subscription->resume & CHANNEL_WINNERS) != 0;
	bool recovered = asked && subscription->position_known &&
			 strcmp(subscription->epoch, hub->epoch) == 0 &&
			 winners_can_resume(&hub->winners, &subscription->position);
	winners_position_format(
		recovered ? &subscription->position : &hub->winners.position, offset);
	(void)snprintf(id, sizeof(id), "%s/%s", hub->epoch, offset);
	struct frame_head head = { hub->epoch, offset, clock_wall_us() };
	struct frame *frame;
	if (asked) {
		metric_add(hub->recovered, recovered);
		metric_add(hub->lost, !recovered);
		frame = hub_frame(hub,
			frame_recovered(hub->text, sizeof(hub->text), &head, "winners", recovered),
			"recovered", id);
		client_push(client, frame, false);
		frame_release(&frame);
	}
	if (recovered) {
		push_missed(hub, client, subscription->position);
		return;
	}
	frame = hub_frame(hub, frame_winners(hub->text, sizeof(hub->text), &head, &hub->winners),
		"snapshot", id);
	client_push(client, frame, false);
	frame_release(&frame);
}

/* A snapshot before everything is read back would be older than what clients have seen at another
 * instance. */
bool subscribers_open(void *context)
{
	struct hub *hub = context;
	return feeds_caught_up(hub->feeds);
}

void subscribers_greet(
	void *context, struct client *client, const struct subscription *subscription)
{
	struct hub *hub = context;
	if (subscription->channels & CHANNEL_JACKPOTS)
		push_jackpots(hub, client, (subscription->resume & CHANNEL_JACKPOTS) != 0);
	if (subscription->channels & CHANNEL_WINNERS)
		push_winners(hub, client, subscription);
	if (subscription->resume & CHANNEL_PLAYER) {
		/* The state from the gateway has what the player missed on their own channel. */
		struct frame_head head = { hub->process_epoch, "0", clock_wall_us() };
		struct frame *frame = hub_frame(hub,
			frame_recovered(hub->text, sizeof(hub->text), &head, "player", false),
			"recovered", NULL);
		client_push(client, frame, false);
		frame_release(&frame);
	}
}

enum token_status subscribers_identify(
	void *context, const char *token, player_id *player_r, uint64_t *expires_s_r)
{
	struct hub *hub = context;
	char session[SESSION_NAME_MAX];
	enum token_status status =
		token_check(hub->key, token, clock_wall_us() / 1000000, player_r, expires_s_r);
	if (status == TOKEN_OK)
		session_name(token, session);
	return status == TOKEN_OK && revoked_has(hub->revoked, session) ? TOKEN_REVOKED : status;
}

void subscribers_lost(void *context, player_id player, const char *game)
{
	struct hub *hub = context;
	presence_lost(hub->presence, player, game);
}

void subscribers_look(
	void *context, const char *const *names, size_t n, struct session_seen *seen_r)
{
	struct hub *hub = context;
	presence_look(hub->presence, names, n, seen_r);
}
