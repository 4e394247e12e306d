/* The arithmetic of an answer: what was known before, what was asked, and what is told now must
 * fit, without looking at the ledger. */
#include "tests/support/players/player.h"

#include "libcommon/io/clock.h"
#include "tests/support/players/stats.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool still_open(const struct round_view *round)
{
	return round->present && !round->closed;
}

void answer_note_balance(struct player *player)
{
	if (player->stage == PLAYER_JOINS)
		return;
	struct recorded_balance *told = LIST_ADD(&player->record.balances);
	*told = (struct recorded_balance){ .move = player->expect ? player->expect - 1 : 0,
		.balance = player->balance,
		.open_round = player->round.present ? player->round.round : 0 };
}

/* The secret of a closed round must hash to what was told before its bet. */
static void check_secret(struct player *player, const struct round_view *round)
{
	struct recorded_round *told = record_round(&player->record, round->round);
	uint8_t hash[32];
	if (!told || !told->has_hash || told->checked || !round->has_secret)
		return;
	crypto_hash_sha256(hash, round->secret, sizeof(round->secret));
	told->checked = true;
	stats.secrets_checked++;
	if (memcmp(hash, told->secret_hash, sizeof(hash)) != 0)
		stats_mismatch("player %" PRId64 " round %" PRIu64
			       ": the secret shown does not have the hash told before the bet",
			player->number, round->round);
}

static void note_shown(struct player *player, const struct round_view *round)
{
	const struct crowd *crowd = player->crowd;
	for (size_t i = 0; i < crowd->games_n; i++)
		if (strcmp(crowd->game[i].id, round->game) == 0)
			player->shown[i] = round->round;
}

static bool shows(const struct round_view *round, uint32_t index)
{
	for (size_t i = 0; i < round->jackpots_n; i++)
		if (round->jackpots[i].index == index)
			return true;
	return false;
}

/* An engine that died less than a second after a pick may have forgotten how far the player had
 * watched. The round is then short of its reveal again, and round and balance hide the jackpot
 * until the player has watched it once more. Returns what is hidden again, as a negative amount. */
static int64_t hide_jackpots(struct player *player, const struct round_view *round)
{
	int64_t hidden = 0;
	for (size_t i = 0; !round->closed && i < player->record.jackpots.n; i++) {
		struct recorded_jackpot *told = &player->record.jackpots.at[i];
		if (told->round != round->round || !told->paid || shows(round, told->index) ||
			round->cursor >= told->cursor)
			continue;
		hidden -= told->paid;
		told->paid = 0;
		told->absorbed = false;
	}
	return hidden;
}

int64_t answer_take_jackpots(struct player *player, const struct round_view *round)
{
	int64_t paid = hide_jackpots(player, round);
	note_shown(player, round);
	for (size_t i = 0; i < round->jackpots_n; i++) {
		struct recorded_jackpot *told =
			record_jackpot(&player->record, round->round, round->jackpots[i].index);
		if (!told) {
			told = LIST_ADD(&player->record.jackpots);
			*told = (struct recorded_jackpot){ .round = round->round,
				.index = round->jackpots[i].index,
				.pool = round->jackpots[i].pool,
				.cursor = round->cursor,
				.coin_minor = round->coin_minor,
				.told_us = clock_wall_us() };
			stats.jackpot_hits++;
		}
		if (told->paid || !round->jackpots[i].booked)
			continue;
		told->paid = round->jackpots[i].paid;
		paid += told->absorbed ? 0 : told->paid;
		if (told->booked && told->booked != told->paid)
			stats_mismatch("player %" PRId64 ": jackpot %" PRIu32 " of round %" PRIu64
				       ": told %" PRId64 ", the ledger %" PRId64,
				player->number, told->index, told->round, told->paid, told->booked);
	}
	return paid;
}

bool answer_absorb(struct player *player, int64_t rise)
{
	if (cards_take_due(player, rise))
		return true;
	for (size_t i = 0; rise > 0 && i < player->record.jackpots.n; i++) {
		struct recorded_jackpot *told = &player->record.jackpots.at[i];
		if (told->paid || told->absorbed)
			continue;
		told->absorbed = true;
		return true;
	}
	return false;
}

static void check_bet(struct player *player, const struct op *op, const struct round_view *round)
{
	struct recorded_round *told = record_round_add(&player->record, op->expect, op->stake);
	stats.rounds_told++;
	if (player->has_hash) {
		memcpy(told->secret_hash, player->secret_hash, sizeof(told->secret_hash));
		told->has_hash = true;
	}
	if (round->round != op->expect)
		stats_mismatch("player %" PRId64 ": the bet of move %" PRIu64
			       " opened round %" PRIu64,
			player->number, op->expect, round->round);
	if (round->stake != op->stake)
		stats_mismatch("player %" PRId64 " round %" PRIu64 ": stake %" PRId64
			       ", expected %" PRId64,
			player->number, round->round, round->stake, op->stake);
}

/* What the balance should have become by this answer, jackpots apart. */
static int64_t expected_change(const struct op *op, const struct round_view *round)
{
	bool watched = round->closed || strcmp(round->next, "gamble") == 0 ||
		       strcmp(round->next, "bet") == 0;
	switch (op->kind) {
	case OP_BET:
		/* What may be gambled waits; with a feature to watch, all of it does. */
		return round->collected - op->stake +
		       (watched ? round->win - (round->closed ? 0 : round->pending) : 0);
	case OP_PICK:
	case OP_NEXT:
		/* Seen to its end: what may not be gambled goes to the balance. */
		return watched ? round->win - (round->closed ? 0 : round->pending) : 0;
	case OP_COLLECT:
		return op->pending;
	case OP_GAMBLE:
		return round->closed && round->gamble_won ? 2 * op->pending : 0;
	case OP_HALVE:
		return op->pending / 2;
	case OP_SESSION:
	case OP_BASE:
	case OP_STATE:
	case OP_CARDS:
	case OP_CARD:
	case OP_CARD_PICK:
	case OP_DEPOSIT:
	case OP_JOURNAL:
	case OP_ROUNDS:
	case OP_REVEAL:
		break;
	}
	return 0;
}

static void check_gamble(struct player *player, const struct op *op, const struct round_view *round)
{
	if (round->gambles != player->round.gambles + 1)
		stats_mismatch("player %" PRId64 " round %" PRIu64 ": %" PRIu32
			       " gambles after one more than %" PRIu32,
			player->number, round->round, round->gambles, player->round.gambles);
	int64_t pending = round->gamble_won ? 2 * op->pending : 0;
	if (!round->closed && round->pending != pending)
		stats_mismatch("player %" PRId64 " round %" PRIu64 ": a gamble of %" PRId64
			       " was %s and left %" PRId64 ", expected %" PRId64,
			player->number, round->round, op->pending,
			round->gamble_won ? "won" : "lost", round->pending, pending);
}

void answer_check(struct player *player, const struct op *op, const struct view *view)
{
	const struct round_view *round = &view->round;
	if (!round->present || !view->has_balance || !view->has_expect) {
		stats_error("player %" PRId64 ": an accepted move %" PRIu64
			    " was answered without round, balance or expect",
			player->number, op->expect);
		return;
	}
	if (op->kind == OP_BET)
		check_bet(player, op, round);
	else if (op->kind == OP_GAMBLE)
		check_gamble(player, op, round);
	int64_t paid = answer_take_jackpots(player, round);
	int64_t expected = player->balance + expected_change(op, round) + paid;
	int64_t late = view->balance - expected;
	/* An award that was still on its way when its jackpot was shown. The ledger knows how much.
	 */
	if (late != 0 && !answer_absorb(player, late))
		stats_mismatch("player %" PRId64 " round %" PRIu64 " (op %d, cursor %" PRIu32
			       ", next %s): balance %" PRId64 " told, expected %" PRId64
			       " %+" PRId64 " and jackpots %" PRId64,
			player->number, round->round, (int)op->kind, round->cursor, round->next,
			view->balance, player->balance, expected_change(op, round), paid);
	if (still_open(round) && round->has_secret)
		stats_mismatch("player %" PRId64 " round %" PRIu64
			       ": the secret of an open round was shown",
			player->number, round->round);
	if (round->closed)
		check_secret(player, round);
}
