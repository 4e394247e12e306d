/* What players and back ends were told is what the ledger says, at the very moment they are told:
 * nothing is told before its commit, and nothing else than what was committed. */
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <string.h>

#define SUMS_MAX 64
#define HIDDEN_MOVES 32 /* a round that is still watched began at most so many moves ago */

#define PLAYER "player %" PRId64 ": "

void replies_begin(void)
{
}

/* ---- bets and other moves ------------------------------------------------------------------- */

static bool placed_bet(const struct window *window, const Carillon__SpinReply *reply)
{
	return window->request.kind == CARILLON__SPIN_KIND__SPIN_BET && reply->http_status == 200 &&
	       reply->round != NULL && !reply->bet_not_placed;
}

/* A bet that was told is booked: this very request, with this stake. */
static void check_bet(const struct window *window, const struct book_account *account,
	const Carillon__SpinReply *reply)
{
	const Carillon__RoundView *round = reply->round;
	const struct book_row *row = book_row_of_move(account, round->round);

	if (window->request.other && round->bet->coins != window->request.coins)
		sim_fail(PLAYER "a key with other content was answered with round %" PRIu64
				" of the first content",
			account->player, round->round);
	if (row == NULL) {
		if (round->round > account->last_move)
			sim_fail(PLAYER "was told of round %" PRIu64 ", which is not booked",
				account->player, round->round);
		return; /* long ago */
	}
	judge_told(account->shard, row->seq);
	if (row->kind != KIND_BET || row->refusal != 0)
		sim_fail(PLAYER "was told of round %" PRIu64 ", but move %" PRIu64
				" is no bet that was taken",
			account->player, round->round, round->round);
	if (row->stake != round->stake_minor && !book.forged)
		sim_fail(PLAYER "was told that round %" PRIu64 " cost %" PRId64
				", the ledger has %" PRId64,
			account->player, round->round, round->stake_minor, row->stake);
	if (!window->request.again &&
		memcmp(row->request_id, window->request_id, REQUEST_ID_BYTES) != 0)
		sim_fail(PLAYER "was told that round %" PRIu64 " is his request, and it is not",
			account->player, round->round);
}

/* What a closed round has brought, jackpots apart. */
static void check_win(const struct book_account *account, const Carillon__RoundView *round)
{
	const struct sim_game *game = NULL;

	for (size_t i = 0; i < SIM_GAMES; i++)
		if (strcmp(sim_games[i].id, round->game) == 0)
			game = &sim_games[i];
	if (game == NULL || !round->closed || book.forged)
		return;
	const struct book_round *booked = &account->round[game->number];
	if (booked->round != round->round || booked->voided)
		return;
	if (booked->win != round->win_minor)
		sim_fail(PLAYER "was told that round %" PRIu64 " won %" PRId64
				", the ledger has %" PRId64,
			account->player, round->round, round->win_minor, booked->win);
}

static void check_jackpots(const struct book_account *account, const Carillon__RoundView *round)
{
	for (size_t i = 0; i < round->n_jackpots; i++) {
		const Carillon__JackpotWin *win = round->jackpots[i];
		const struct book_claim *claim =
			book_claim(account->player, round->round, win->index);
		if (claim == NULL || claim->pool != win->pool)
			sim_fail(PLAYER "was told of jackpot %" PRIu64 "-%" PRIu32
					", which is no claim",
				account->player, round->round, win->index);
		if (win->paid_minor != 0 &&
			(claim->closed_seq == 0 || claim->paid_minor != win->paid_minor))
			sim_fail(PLAYER "was told that jackpot %" PRIu64 "-%" PRIu32
					" paid %" PRId64 ", the ledger has %" PRId64,
				account->player, round->round, win->index, win->paid_minor,
				claim->paid_minor);
	}
}

/* With each sum also that without the jackpots of a round. */
static size_t hidden_add(
	const struct book_account *account, uint64_t round, int64_t *sums, size_t n)
{
	for (uint32_t index = 1; round > 0 && index <= 9; index++) {
		const struct book_claim *claim = book_claim(account->player, round, index);
		size_t before = n;
		if (claim == NULL)
			break;
		if (claim->closed_seq == 0 || claim->kind != 1)
			continue;
		for (size_t j = 0; j < before && n < SUMS_MAX; j++)
			sums[n++] = sums[j] + claim->paid_minor;
	}
	return n;
}

/* Awards of rounds that may not be shown yet: any of them may be kept back from a balance. An
 * engine that has lost a moment tells an older state, in which rounds that are over were still
 * watched. */
static size_t hidden_sums(const struct book_account *account, uint64_t expect, int64_t *sums)
{
	size_t n = 1;
	const struct book_row *row;

	sums[0] = 0;
	for (size_t i = 1; i <= SIM_GAMES; i++)
		n = hidden_add(account, account->round[i].round, sums, n);
	for (size_t back = 0;
		expect <= account->last_move && (row = book_row_at(account, back)) != NULL &&
		row->last_move + HIDDEN_MOVES >= expect;
		back++)
		if (row->kind == CARILLON__MOVE_KIND__MOVE_BET && row->refusal == 0)
			n = hidden_add(account, row->round, sums, n);
	return n;
}

/* The balance he was told has stood in a row behind his last move, or stands without a jackpot that
 * he has not seen yet. */
static void check_balance(const struct book_account *account, const Carillon__SpinReply *reply)
{
	int64_t sums[SUMS_MAX];
	size_t n = hidden_sums(account, reply->expect, sums);
	const struct book_row *row;

	for (size_t back = 0; (row = book_row_at(account, back)) != NULL; back++) {
		if (row->last_move + 1 < reply->expect)
			break;
		for (size_t i = 0; i < n; i++)
			if (row->balance - sums[i] == reply->balance_minor)
				return;
	}
	if (row != NULL || account->rows_n <= JUDGE_ROWS)
		sim_fail(PLAYER "was told a balance of %" PRId64 " behind move %" PRIu64
				", which no row has; now it is %" PRId64 " behind move %" PRIu64,
			account->player, reply->balance_minor, reply->expect - 1, account->balance,
			account->last_move);
}

void judge_reply_spin(const struct window *window, const Carillon__SpinReply *reply)
{
	const struct book_account *account = book_account(reply->player);

	if (!reply->account)
		return;
	if (account == NULL)
		sim_fail(PLAYER "was told of an account that is not booked", reply->player);
	if (reply->expect > account->last_move + 1)
		sim_fail(PLAYER "was told that move %" PRIu64 " is next, the last is %" PRIu64,
			reply->player, reply->expect, account->last_move);
	check_balance(account, reply);
	if (reply->round != NULL) {
		check_win(account, reply->round);
		check_jackpots(account, reply->round);
	}
	if (placed_bet(window, reply))
		check_bet(window, account, reply);
}

/* ---- Jackpot Cards -------------------------------------------------------------------------- */

void judge_reply_card(const struct client *client, const Carillon__CardReply *reply)
{
	const struct fake_pg_table *table = fake_pg_table("cards.round");
	const Carillon__CardRound *told = reply->round;
	const struct fake_pg_row *row;
	int64_t key[3];

	if (told == NULL)
		return;
	key[0] = client->id;
	key[1] = (int64_t)told->move;
	key[2] = told->index;
	row = fake_pg_find(table, key, 3);
	if (row == NULL)
		sim_fail(PLAYER "was told of card round %" PRIu64 "-%" PRIu32
				", which is not written",
			client->id, told->move, told->index);
	if (told->n_turned > fake_pg_elements(row, COLUMN(table, "suits")))
		sim_fail(PLAYER "was shown card %zu of card round %" PRIu64 " before its commit",
			client->id, told->n_turned, told->move);
	for (size_t i = 0; i < told->n_turned; i++)
		if (fake_pg_element(row, COLUMN(table, "suits"), i) != told->turned[i]->suit ||
			fake_pg_element(row, COLUMN(table, "positions"), i) !=
				told->turned[i]->position)
			sim_fail(PLAYER "was shown another card %zu of card round %" PRIu64
					" than is written",
				client->id, i + 1, told->move);
	if (told->won && fake_pg_int(row, COLUMN(table, "paid_minor")) != told->paid_minor)
		sim_fail(PLAYER "was told that card round %" PRIu64 " pays %" PRId64 ", %" PRId64
				" is written",
			client->id, told->move, told->paid_minor,
			fake_pg_int(row, COLUMN(table, "paid_minor")));
}

/* ---- back ends ------------------------------------------------------------------------------ */

void judge_reply_fact(const struct backend *backend, const uint8_t id[REQUEST_ID_BYTES],
	const Carillon__WalletFact *fact)
{
	struct fake_journal row;
	bool content = fact->refusal == CARILLON__REFUSAL__REFUSAL_CONTENT;

	if (!fake_pg_journal(fact->shard, fact->envelope->seq, &row))
		sim_fail(PLAYER "a back end was told of shard %" PRIu32 ", seq %" PRIu64
				", which is not booked",
			backend->client->id, fact->shard, fact->envelope->seq);
	if (row.player != fact->player || row.kind != (uint32_t)fact->kind ||
		row.amount != fact->amount || row.balance_after != fact->balance_after ||
		row.refusal != (uint32_t)fact->refusal)
		sim_fail(PLAYER "a back end was told otherwise than shard %" PRIu32 ", seq %" PRIu64
				" says",
			backend->client->id, fact->shard, fact->envelope->seq);
	if (row.outside_id == NULL || memcmp(row.outside_id, id, REQUEST_ID_BYTES) != 0)
		sim_fail(PLAYER "a back end was told of another's booking: shard %" PRIu32
				", seq %" PRIu64,
			backend->client->id, fact->shard, fact->envelope->seq);
	if (backend->other != content && !(backend->other && fact->refusal != 0))
		sim_fail(PLAYER "a back end's key with %s content was answered with refusal %d",
			backend->client->id, backend->other ? "other" : "the same",
			(int)fact->refusal);
}

void replies_final(void)
{
}
