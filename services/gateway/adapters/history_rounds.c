/* Makes rounds from journal rows. */
#include "services/gateway/adapters/history_rounds.h"

#include <stdlib.h>
#include <string.h>

#define GAMES_SEEN_MAX 64
#define VOIDS_SEEN_MAX 64

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
	size_t games, others;		/* others: rows that count besides rounds */
	int64_t voided[VOIDS_SEEN_MAX]; /* rounds, from newer rows */
	size_t voids, refused;
	bool past, entries; /* entries: the page shows more than rounds */
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
		.last_seq = row->seq,
		.before_known = true,
		.after_known = true,
	};
	work->open++;
	return round;
}

/* A void may come long after its round: where it is an entry of its own, it is no part of it. */
static void note_void(struct work *work, int64_t round)
{
	if (work->voids < VOIDS_SEEN_MAX)
		work->voided[work->voids++] = round;
}

static bool is_void(const struct work *work, int64_t round)
{
	for (size_t i = 0; i < work->voids; i++)
		if (work->voided[i] == round)
			return true;
	return false;
}

static void bet(struct work *work, struct history_round *round, const struct history_row *row)
{
	struct seen_game *game = game_of(work, row->game);
	round->opened = true;
	round->bet_seq = row->seq;
	work->open--;
	round->game = row->game;
	round->time_us = row->time_us;
	round->refused = row->refusal != 0;
	round->bonus_spin = row->bonus_spin;
	work->refused += round->refused;
	if (round->refused)
		return;
	round->voided = is_void(work, row->round);
	round->closed = round->closed || game->newer || work->past || round->voided;
	round->balance_before = row->balance_after + row->stake - row->win_balance;
	round->balance_after += game->collected;
	/* What came of the rest, later rows say. */
	round->after_known = game->newer || !round->unsettled || !round->closed;
	game->newer = true;
	game->collected = row->release;
	if (!round->closed) {
		/* Wins of a feature and jackpots are shown only after the player has watched
		 * them. */
		round->balance_after = round->balance_before - round->stake;
		round->win = round->jackpots = round->doubled = 0;
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
	if (work->entries && row->kind == CARILLON__MOVE_KIND__MOVE_VOID) {
		if (row->refusal == 0)
			note_void(work, number);
		return;
	}
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
		round->awards++;
		return; /* its pending_after is not the round's */
	}
	if (row->refusal == 0) {
		round->stake += row->stake;
		round->win += row->win_balance + row->win_pending - row->forfeit;
		if (row->kind == CARILLON__MOVE_KIND__MOVE_GAMBLE)
			round->doubled += row->win_pending - row->forfeit;
		/* A jackpot is won in a feature: the player has not watched it until a later row
		 * ends the feature, even if nothing is pending. */
		if (!round->moved) {
			round->closed = row->pending_after == 0 && row->claims == row->cards;
			round->unsettled =
				row->pending_after != 0 || row->claims - row->cards > round->awards;
		}
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

/* What the last row of the page before says of the round before it. */
static void continue_from(struct work *work, const struct history_row *row)
{
	if (row->kind != CARILLON__MOVE_KIND__MOVE_BET || row->refusal != 0)
		return;
	struct seen_game *game = game_of(work, row->game);
	game->newer = true;
	game->collected = row->release;
}

/* Bets that were refused are no entries. */
static size_t items_of(const struct work *work)
{
	return work->entries ? work->n - work->refused + work->others : work->n;
}

size_t history_page(const struct history_row *rows, size_t n, struct history_page *page,
	struct history_round *rounds_r)
{
	struct work work = {
		.rounds = rounds_r, .past = page->past, .entries = page->counts != NULL
	};
	size_t taken = 0; /* number of rounds at the last possible end of the page */
	page->next_r = 0;
	page->used_r = page->items_r = 0;
	if (page->continued && n > 0)
		continue_from(&work, &rows[0]);
	for (size_t i = page->continued ? 1 : 0; i < n; i++) {
		apply(&work, &rows[i]);
		work.others += page->counts != NULL && page->counts(&rows[i]);
		if (work.open > 0)
			continue;
		if (items_of(&work) > page->limit && page->items_r > 0)
			break;
		taken = work.n;
		page->items_r = items_of(&work);
		page->used_r = i + 1;
		page->next_r = rows[i].prev_seq > 0 ? rows[i].seq : 0;
		if (page->items_r >= page->limit)
			break;
	}
	qsort(rounds_r, taken, sizeof(rounds_r[0]), newer_first);
	return taken;
}

size_t history_rounds(const struct history_row *rows, size_t n, bool continued, size_t limit,
	struct history_round *rounds_r, int64_t *next_r)
{
	struct history_page page = { .continued = continued, .limit = limit };
	size_t taken = history_page(rows, n, &page, rounds_r);
	*next_r = page.next_r;
	return taken;
}

/* ---- what the player has not seen ---- */

bool history_hides(const struct hiding *hiding, int64_t round)
{
	for (size_t i = 0; i < hiding->n; i++)
		if (hiding->round[i] == round)
			return true;
	return false;
}

bool history_hides_award(const struct hiding *hiding, const struct history_row *row)
{
	return row->award && (history_hides(hiding, row->award_round) ||
				     (hiding->expect != 0 && row->award_round >= hiding->expect));
}

int64_t history_may_hide_from(const struct hiding *hiding)
{
	if (hiding->n == 0)
		return INT64_MAX;
	return hiding->minor != 0 ? 0 : hiding->seq + 1;
}

int64_t history_hidden_from(const struct history_row *rows, size_t n, const struct hiding *hiding)
{
	int64_t from = INT64_MAX, may = history_may_hide_from(hiding);
	bool whole = hiding->n == 0;

	for (size_t i = 0; i < n; i++) {
		if (history_hides_award(hiding, &rows[i]))
			from = rows[i].seq;
		whole = whole || (rows[i].move > 0 && rows[i].move <= hiding->oldest) ||
			rows[i].prev_seq <= 0;
	}
	return !whole && may < from ? may : from;
}

void history_rounds_hide(struct history_round *rounds, size_t n, const struct history_row *rows,
	size_t rows_n, const struct hiding *hiding)
{
	int64_t from = history_hidden_from(rows, rows_n, hiding);

	for (size_t i = 0; i < n; i++) {
		struct history_round *round = &rounds[i];

		if (history_hides(hiding, round->round)) {
			round->closed = false;
			round->win = round->jackpots = round->doubled = 0;
			round->balance_after = round->balance_before - round->stake;
		}
		round->before_known = round->bet_seq <= from;
		/* of an open round it is made from the balance before */
		round->after_known = round->closed ? round->last_seq < from && round->after_known
						   : round->before_known;
	}
}
