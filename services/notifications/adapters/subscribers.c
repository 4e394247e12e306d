/* Callbacks of the clients: may a client connect, who is it, and what does it get first. A client
 * that subscribes gets the events it missed or the current state, then the stream. */
#include "services/notifications/adapters/subscribers.h"

#include "libcommon/io/clock.h"
#include "services/notifications/adapters/news.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where the frames of a greeting go. */
struct receiver {
	void (*each)(void *context, struct frame *frame);
	void *context;
};

/* The caller's reference goes with it. */
static void give(const struct receiver *receiver, struct frame *frame)
{
	receiver->each(receiver->context, frame);
	frame_release(&frame);
}

static struct frame *recovered_frame(struct hub *hub, const char *channel, const char *epoch,
	const char *offset, const char *id, bool recovered)
{
	struct frame_head head = { epoch, offset, clock_wall_us(), NULL };
	return hub_frame(hub,
		frame_recovered(hub->text, sizeof(hub->text), &head, channel, recovered),
		"recovered", id);
}

static void give_jackpots(struct hub *hub, const struct receiver *receiver, bool asked_resume)
{
	char offset[24];
	(void)snprintf(offset, sizeof(offset), "%" PRIu64, hub->pushes);
	if (asked_resume) /* the newest counters replace all missed ones */
		give(receiver,
			recovered_frame(hub, "jackpots", hub->process_epoch, offset, NULL, true));
	receiver->each(receiver->context, news_counters_snapshot(hub));
}

static void give_missed(
	struct hub *hub, const struct receiver *receiver, struct winners_position position)
{
	for (size_t i = 0; i < hub->winners.n; i++) {
		const struct winner *winner = winners_at(&hub->winners, i);
		if (!winners_is_after(winner, &position))
			continue;
		winners_position_pass(&position, winner);
		give(receiver, news_winner_frame(hub, winner, &position));
	}
}

static void give_winners(
	struct hub *hub, const struct receiver *receiver, const struct subscription *subscription)
{
	char offset[WINNERS_POSITION_TEXT_MAX], id[FRAME_EPOCH_MAX + WINNERS_POSITION_TEXT_MAX];
	bool asked = (subscription->resume & CHANNEL_WINNERS) != 0;
	bool recovered = asked && subscription->position_known &&
			 strcmp(subscription->epoch, hub->epoch) == 0 &&
			 winners_can_resume(&hub->winners, &subscription->position);
	winners_position_format(
		recovered ? &subscription->position : &hub->winners.position, offset);
	(void)snprintf(id, sizeof(id), "%s/%s", hub->epoch, offset);
	if (asked) {
		metric_add(hub->recovered, recovered);
		metric_add(hub->lost, !recovered);
		give(receiver, recovered_frame(hub, "winners", hub->epoch, offset, id, recovered));
	}
	if (recovered)
		give_missed(hub, receiver, subscription->position);
	else
		receiver->each(receiver->context, news_winners_snapshot(hub));
}

void subscribers_frames(struct hub *hub, const struct subscription *subscription,
	void (*each)(void *context, struct frame *frame), void *context)
{
	const struct receiver receiver = { each, context };
	if (subscription->channels & CHANNEL_JACKPOTS)
		give_jackpots(hub, &receiver, (subscription->resume & CHANNEL_JACKPOTS) != 0);
	if (subscription->channels & CHANNEL_WINNERS)
		give_winners(hub, &receiver, subscription);
}

/* A snapshot before everything is read back would be older than what clients have seen at another
 * instance; a token may be one whose player has logged out. */
bool subscribers_open(void *context)
{
	struct hub *hub = context;
	return feeds_caught_up(hub->feeds) && revoked_known(hub->revoked);
}

/* All of a greeting counts as backlog: it does not fill a queue. */
static void push_greeting(void *context, struct frame *frame)
{
	client_push(context, frame, true);
}

void subscribers_greet(
	void *context, struct client *client, const struct subscription *subscription)
{
	struct hub *hub = context;
	const struct receiver receiver = { push_greeting, client };
	subscribers_frames(hub, subscription, push_greeting, client);
	if (subscription->resume & CHANNEL_PLAYER) /* GET /v1/state has what the player missed */
		give(&receiver,
			recovered_frame(hub, "player", hub->process_epoch, "0", NULL, false));
}

enum token_status subscribers_identify(
	void *context, const char *token, player_id *player_r, struct token_life *life_r)
{
	struct hub *hub = context;
	char session[SESSION_NAME_MAX];
	enum token_status status = token_check(
		hub->key, token, clock_wall_us() / 1000000, player_r, &life_r->expires_s);
	if (status != TOKEN_OK)
		return status;
	life_r->issued_s = token_issued_s(hub->key, token);
	session_name(token, session);
	return revoked_has(hub->revoked, session) ||
			       life_r->issued_s <= revoked_before_s(hub->revoked, *player_r)
		       ? TOKEN_REVOKED
		       : TOKEN_OK;
}

uint32_t subscribers_wrong(void *context, const struct sender *sender)
{
	struct hub *hub = context;
	return wrong_token(hub->wrong, sender);
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
