/* Makes rounds from journal rows. */
#include "services/gateway/adapters/history_rounds.h"

#include <stdlib.h>
#include <string.h>

#define GAMES_SEEN_MAX 64

/* Facts about the previous round of the same game, from newer rows. */
struct seen_game {
	uint32_t game;
	bool newer;	   /* the game has a newer round, so this one is closed */
	int64_t collected; /* the older round's pending that the newer bet collected */
};

struct work {
	struct history_round *rounds;
	size_t n, open; /* open: rounds whose bet row has not come yet */
	struct seen_game game[GAMES_SEEN_MAX];
	size_t games;
};

static struct seen_game *game_of(struct work *work, uint32_t number)
{
	for (size_t i = 0; i < work->games; i++)
		if (work->game[i].game == number)
			return &work->game[i];
	if (work->games == GAMES_SEEN_MAX)
		return &work->game[GAMES_SEEN_MAX - 1];
	work->game[work->games] = (struct seen_game){ .game = number };
	return &work->game[work->games++];
}

static struct history_round *round_of(
	struct work *work, int64_t number, const struct history_row *row)
{
	for (size_t i = 0; i < work->n; i++)
		if (work->rounds[i].round == number)
			return &work->rounds[i];
	if (work->n == HISTORY_ROUNDS_MAX)
		return NULL;
	struct history_round *round = &work->rounds[work->n++];
	*round = (struct history_round){
		.round = number,
		.balance_after = row->balance_after,
	};
	work->open++;
	return round;
}

static void bet(struct work *work, struct history_round *round, const struct history_row *row)
{
	struct seen_game *game = game_of(work, row->game);
	round->opened = true;
	work->open--;
	round->game = row->game;
	round->time_us = row->time_us;
	round->refused = row->refusal != 0;
	round->bonus_spin = row->bonus_spin;
	if (round->refused)
		return;
	round->closed = round->closed || game->newer;
	round->balance_before = row->balance_after + row->stake - row->win_balance;
	round->balance_after += game->collected;
	game->newer = true;
	game->collected = row->release;
	if (!round->closed) {
		/* Wins of a feature and jackpots are shown only after the player has watched
		 * them. */
		round->balance_after = round->balance_before - round->stake;
		round->win = round->jackpots = 0;
	}
}

static bool is_move(const struct history_row *row)
{
	return row->kind >= CARILLON__MOVE_KIND__MOVE_BET &&
	       row->kind <= CARILLON__MOVE_KIND__MOVE_VOID;
}

static void apply(struct work *work, const struct history_row *row)
{
	int64_t number = row->award ? row->award_round : row->round;
	if (number <= 0 || (!row->award && !is_move(row)))
		return;
	/* Jackpot Cards are played after a round has closed; their claim has the number of the move
	 * that closed it. */
	if (row->award && row->cards > 0)
		return;
	struct history_round *round = round_of(work, number, row);
	if (round == NULL)
		return;
	if (row->award) {
		round->win += row->amount;
		round->jackpots += row->amount;
		return; /* its pending_after is not the round's */
	}
	if (row->refusal == 0) {
		round->stake += row->stake;
		round->win += row->win_balance + row->win_pending - row->forfeit;
		/* A jackpot is won in a feature: the player has not watched it until a later row
		 * ends the feature, even if nothing is pending. */
		if (!round->moved)
			round->closed = row->pending_after == 0 && row->claims == row->cards;
		round->moved = true;
	}
	if (row->kind == CARILLON__MOVE_KIND__MOVE_BET && !round->opened)
		bet(work, round, row);
}

static int newer_first(const void *a, const void *b)
{
	const struct history_round *left = a;
	const struct history_round *right = b;
	return left->round < right->round ? 1 : left->round > right->round ? -1 : 0;
}

size_t history_rounds(const struct history_row *rows, size_t n, bool continued, size_t limit,
	struct history_round *rounds_r, int64_t *next_r)
{
	struct work work = { .rounds = rounds_r };
	size_t taken = 0; /* number of rounds at the last possible end of the page */
	*next_r = 0;
	size_t i = 0;
	if (continued && n > 0) {
		if (rows[0].kind == CARILLON__MOVE_KIND__MOVE_BET && rows[0].refusal == 0) {
			struct seen_game *game = game_of(&work, rows[0].game);
			game->newer = true;
			game->collected = rows[0].release;
		}
		i = 1;
	}
	for (; i < n; i++) {
		apply(&work, &rows[i]);
		if (work.open > 0)
			continue;
		if (work.n > limit && taken > 0)
			break;
		taken = work.n;
		*next_r = rows[i].prev_seq > 0 ? rows[i].seq : 0;
		if (work.n >= limit)
			break;
	}
	qsort(rounds_r, taken, sizeof(rounds_r[0]), newer_first);
	return taken;
}
