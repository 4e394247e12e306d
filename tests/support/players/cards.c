/* Jackpot Cards as one player plays them: a card at a time at random places; now and then the same
 * pick twice, now and then he goes away and comes back to what he left. */
#include "tests/support/players/player.h"

#include "libcommon/io/clock.h"
#include "tests/support/players/stats.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POLL_US 50000
#define AWAY_MIN_US 200000
#define AWAY_MAX_US 1200000
#define ONE_IN 12 /* picks that are repeated; and as many before which he goes away */

void cards_adopt(struct player *player, const struct view *view)
{
	struct card_play *cards = &player->cards;
	if (!view->cards_told)
		return;
	if (view->cards_open) {
		if (cards->open && cards->move == view->cards_move &&
			cards->index == view->cards_index)
			return;
		*cards = (struct card_play){ .open = true,
			.move = view->cards_move,
			.index = view->cards_index,
			.due = cards->due };
		stats.card_rounds++;
	} else if (cards->open && cards->known.won) {
		cards->open = false;
	} else {
		cards->seen = false; /* the house may have played it */
	}
}

bool cards_take_due(struct player *player, int64_t rise)
{
	if (!player->cards.due || rise != player->cards.due)
		return false;
	player->cards.due = 0;
	return true;
}

static struct op *begin(struct player *player, enum op_kind kind)
{
	const struct card_play *cards = &player->cards;
	struct op *op = player_begin(player, kind);
	op->round = cards->move;
	if (kind == OP_CARDS)
		snprintf(op->path, sizeof(op->path), "/v1/cards");
	else
		snprintf(op->path, sizeof(op->path), "/v1/cards/%" PRIu64 "-%" PRIu32 "%s",
			cards->move, cards->index, kind == OP_CARD_PICK ? "/picks" : "");
	return op;
}

static void begin_pick(struct player *player, uint32_t pick, uint32_t position)
{
	struct op *op = begin(player, OP_CARD_PICK);
	snprintf(op->body, sizeof(op->body), "{\"pick\":%" PRIu32 ",\"position\":%" PRIu32 "}",
		pick, position);
}

/* What is asked next is the list of his rounds, as a page does that is loaded again. */
static void reload_page(struct player *player, uint64_t now_us)
{
	player->cards.seen = false;
	stats.card_recoveries++;
	begin(player, OP_CARDS);
	crowd_schedule(
		player, now_us + AWAY_MIN_US + player_random(player) % (AWAY_MAX_US - AWAY_MIN_US));
}

enum cards_next cards_begin(struct player *player, uint64_t now_us)
{
	struct card_play *cards = &player->cards;
	const struct card_view *known = &cards->known;
	uint64_t dice = player_random(player) % ONE_IN;
	if (!cards->open)
		return CARDS_NONE;
	if (!cards->seen) {
		begin(player, OP_CARD);
	} else if (known->won) {
		player_begin_state(player);
		crowd_schedule(player, now_us + POLL_US);
		return CARDS_WAIT;
	} else if (dice == 0) {
		reload_page(player, now_us);
		return CARDS_WAIT;
	} else if (dice == 1 && known->turned_n > 0) {
		stats.card_repeats++;
		begin_pick(player, known->turned_n, known->turned[known->turned_n - 1].position);
	} else {
		begin_pick(player, known->next_pick, card_view_place(known, player_random(player)));
	}
	return CARDS_ASK;
}

/* The prize goes into the record like any other jackpot: it must be booked, once, as told. */
static void note_win(struct player *player, const struct card_view *view)
{
	struct recorded_jackpot *told = LIST_ADD(&player->record.jackpots);
	*told = (struct recorded_jackpot){ .round = view->move,
		.index = view->index,
		.pool = view->pool,
		.paid = view->paid,
		.told_us = clock_wall_us() };
	player->cards.due += view->paid;
	stats.card_wins++;
}

static void check_secret(const struct player *player, const struct card_view *view)
{
	uint8_t hash[32];
	crypto_hash_sha256(hash, view->secret, sizeof(view->secret));
	stats.secrets_checked++;
	if (memcmp(hash, view->secret_hash, sizeof(hash)) != 0)
		stats_mismatch("player %" PRId64 " cards %" PRIu64 "-%" PRIu32
			       ": the secret shown does not have the hash told before",
			player->number, view->move, view->index);
}

/* The card that this pick turned lies where he touched; a repeated one turned none. */
static bool pick_lies(const struct op *op, const struct card_view *view)
{
	unsigned pick, position;
	return sscanf(op->body, "{\"pick\":%u,\"position\":%u}", &pick, &position) == 2 &&
	       pick >= 1 && pick <= view->turned_n && view->turned[pick - 1].position == position;
}

void cards_answered(struct player *player, const json_t *json)
{
	struct card_play *cards = &player->cards;
	struct card_view view;
	const char *fault;
	player->strange_in_row = 0;
	if (!card_view_find(json, cards->move, cards->index, &view)) {
		if (player->op.kind != OP_CARDS)
			stats_error("player %" PRId64
				    ": %s was answered without the card round asked for",
				player->number, player->op.path);
		crowd_schedule(player, clock_mono_us() + POLL_US);
		return;
	}
	fault = card_view_fault(&cards->known, &view);
	if (!fault && player->op.kind == OP_CARD_PICK && !pick_lies(&player->op, &view))
		fault = "the card picked does not lie where it was picked";
	if (fault)
		stats_mismatch("player %" PRId64 " cards %" PRIu64 "-%" PRIu32 ": %s",
			player->number, view.move, view.index, fault);
	if (view.won && !cards->known.won) {
		note_win(player, &view);
		check_secret(player, &view);
	}
	stats.card_picks += player->op.kind == OP_CARD_PICK;
	if (view.turned_n > cards->known.turned_n)
		crowd_progress(player->crowd);
	cards->known = view;
	cards->seen = true;
}

bool cards_refused(struct player *player, long status, const struct view *view)
{
	/* The draw is told before the round of the cards is known everywhere. */
	bool early = status == 404 && strcmp(view->error, "card_round_unknown") == 0;
	bool over = status == 409 && strcmp(view->error, "card_round_over") == 0;
	if (early && player->op.tries < CARDS_TRIES_MAX) {
		crowd_schedule(player, clock_mono_us() + POLL_US);
		return true;
	}
	if (!over || player->cards.known.won)
		return false;
	player->cards.seen = false;
	player->asking = false;
	crowd_schedule(player, clock_mono_us());
	return true;
}
