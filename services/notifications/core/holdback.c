#include "services/notifications/core/holdback.h"

#include <string.h>

_Static_assert(HOLDBACK_HELD_MAX < UINT16_MAX, "links are 16 bits");

static uint16_t *chain_of(struct holdback *holdback, player_id player)
{
	const uint64_t each = HOLDBACK_HELD_MAX / SHARDS_MAX;
	return &holdback->chain[shard_of_player(player, SHARDS_MAX) * each +
				(uint64_t)player % each];
}

static int64_t held_sum(struct holdback *holdback, player_id player)
{
	int64_t sum = 0;
	for (uint16_t at = *chain_of(holdback, player); at; at = holdback->held[at - 1].next)
		if (holdback->held[at - 1].player == player)
			sum += holdback->held[at - 1].paid;
	return sum;
}

static bool is_held(struct holdback *holdback, const struct holdback_fact *fact)
{
	for (uint16_t at = *chain_of(holdback, fact->player); at;
		at = holdback->held[at - 1].next) {
		const struct holdback_held *held = &holdback->held[at - 1];
		if (held->player == fact->player && held->move == fact->award_move &&
			held->index == fact->award_index)
			return true;
	}
	return false;
}

static bool hold(struct holdback *holdback, const struct holdback_fact *fact)
{
	if (holdback->n == HOLDBACK_HELD_MAX)
		return false;
	while (holdback->held[holdback->search].player)
		holdback->search = (holdback->search + 1) % HOLDBACK_HELD_MAX;
	uint16_t *chain = chain_of(holdback, fact->player);
	holdback->held[holdback->search] = (struct holdback_held){ .player = fact->player,
		.seq = fact->seq,
		.move = fact->award_move,
		.index = fact->award_index,
		.pool = fact->award_pool,
		.paid = fact->award_paid,
		.next = *chain };
	*chain = (uint16_t)(holdback->search + 1);
	holdback->n++;
	return true;
}

static struct holdback_event award_event(
	player_id player, uint64_t seq, uint64_t round, uint32_t index, uint32_t pool, int64_t paid)
{
	return (struct holdback_event){ .award = true,
		.player = player,
		.seq = seq,
		.round = round,
		.index = index,
		.pool = pool,
		.paid = paid };
}

/* Removes the player's earliest award that was won before `move`. */
static bool take_one(
	struct holdback *holdback, player_id player, uint64_t move, struct holdback_event *event_r)
{
	uint16_t *best = NULL;
	for (uint16_t *link = chain_of(holdback, player); *link;
		link = &holdback->held[*link - 1].next) {
		const struct holdback_held *held = &holdback->held[*link - 1];
		if (held->player != player || held->move >= move)
			continue;
		if (!best || held->seq < holdback->held[*best - 1].seq)
			best = link;
	}
	if (!best)
		return false;
	struct holdback_held *held = &holdback->held[*best - 1];
	*event_r = award_event(player, held->seq, held->move, held->index, held->pool, held->paid);
	*best = held->next;
	memset(held, 0, sizeof(*held));
	holdback->n--;
	return true;
}

void holdback_remember(struct holdback *holdback, const struct holdback_fact *award)
{
	if (!is_held(holdback, award) && !hold(holdback, award))
		holdback->lost++;
}

static struct holdback_event balance_event(
	struct holdback *holdback, const struct holdback_fact *fact)
{
	return (struct holdback_event){ .player = fact->player,
		.seq = fact->seq,
		.balance = fact->balance_after - held_sum(holdback, fact->player) };
}

static size_t offer_award(struct holdback *holdback, const struct holdback_fact *fact,
	struct holdback_event *events_r)
{
	/* The player is still in the round that won it: wait until they have seen it. */
	if (!fact->award_seen && fact->last_move <= fact->award_move) {
		if (is_held(holdback, fact) || hold(holdback, fact))
			return 0;
		holdback->lost++;
	}
	events_r[0] = award_event(fact->player, fact->seq, fact->award_move, fact->award_index,
		fact->award_pool, fact->award_paid);
	events_r[1] = balance_event(holdback, fact);
	return 2;
}

size_t holdback_offer(struct holdback *holdback, const struct holdback_fact *fact,
	struct holdback_event *events_r)
{
	if (fact->refused)
		return 0;
	if (fact->award)
		return offer_award(holdback, fact, events_r);
	size_t n = 0;
	if (fact->watched)
		while (n < HOLDBACK_EVENTS_MAX - 1 &&
			take_one(holdback, fact->player, fact->move, &events_r[n]))
			n++;
	events_r[n++] = balance_event(holdback, fact);
	return n;
}
