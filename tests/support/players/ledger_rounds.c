#include "tests/support/players/ledger_rounds.h"

#include <stdlib.h>

static int by_move(const void *a, const void *b)
{
	const struct ledger_row *left = a, *right = b;
	return left->move < right->move ? -1 : left->move > right->move;
}

static int by_round(const void *a, const void *b)
{
	const struct ledger_share *left = a, *right = b;
	return left->round < right->round ? -1 : left->round > right->round;
}

static bool is_booked_move(const struct ledger_row *row)
{
	return row->kind < ROW_DEPOSIT && !row->refused;
}

/* The round that a prize belongs to: that of the move which claimed it. */
static uint64_t round_of_award(
	const struct ledger_row *moves, size_t n, const struct ledger_row *award)
{
	const struct ledger_row key = { .move = award->round };
	const struct ledger_row *claimed = n ? bsearch(&key, moves, n, sizeof(key), by_move) : NULL;
	return claimed ? claimed->round : award->round;
}

void ledger_rounds_make(struct ledger_rounds *rounds, const struct ledger_row *rows, size_t n)
{
	LIST(struct ledger_row) moves = { 0 };
	rounds->shares.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ledger_row *row = &rows[i];
		if (!is_booked_move(row))
			continue;
		*LIST_ADD(&moves) = *row;
		*LIST_ADD(&rounds->shares) = (struct ledger_share){ .round = row->round,
			.stake = row->stake,
			.win = row->win_balance + row->win_pending - row->forfeit };
	}
	/* A right ledger has them in this order; a wrong one must be judged as well. */
	if (moves.n)
		qsort(moves.at, moves.n, sizeof(*moves.at), by_move);
	for (size_t i = 0; i < n; i++)
		if (rows[i].kind == ROW_AWARD)
			*LIST_ADD(&rounds->shares) = (struct ledger_share){
				.round = round_of_award(moves.at, moves.n, &rows[i]),
				.award = rows[i].amount
			};
	free(moves.at);
	if (rounds->shares.n)
		qsort(rounds->shares.at, rounds->shares.n, sizeof(*rounds->shares.at), by_round);
}

void ledger_rounds_free(struct ledger_rounds *rounds)
{
	free(rounds->shares.at);
	*rounds = (struct ledger_rounds){ 0 };
}

/* Where the shares of a round begin. */
static size_t first_share(const struct ledger_rounds *rounds, uint64_t round)
{
	size_t low = 0, high = rounds->shares.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (rounds->shares.at[middle].round < round)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void ledger_round(const struct ledger_rounds *rounds, uint64_t round, int64_t *stake_r,
	int64_t *win_r, int64_t *awards_r)
{
	*stake_r = *win_r = *awards_r = 0;
	for (size_t i = first_share(rounds, round);
		i < rounds->shares.n && rounds->shares.at[i].round == round; i++) {
		*stake_r += rounds->shares.at[i].stake;
		*win_r += rounds->shares.at[i].win;
		*awards_r += rounds->shares.at[i].award;
	}
}

bool ledger_round_won(const struct ledger_rounds *rounds, uint64_t round, int64_t told)
{
	int64_t stake, win, awards;
	ledger_round(rounds, round, &stake, &win, &awards);
	if (told == win || told == win + awards)
		return true;
	for (size_t i = first_share(rounds, round);
		i < rounds->shares.n && rounds->shares.at[i].round == round; i++)
		if (rounds->shares.at[i].award && told == win + awards - rounds->shares.at[i].award)
			return true;
	return false;
}
