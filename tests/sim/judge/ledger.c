/* The wallet's journal, row by row as its commits bring them. Each rule is written here anew, from
 * the description of the ledger (docs/contracts.md), not taken from the wallet. */
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMEMBERED 16	     /* requests of a player that the engine knows, besides the last */
#define OPEN_CLAIMS_MAX 4096 /* of rows of one commit, waiting for their rows in wallet.claim */

/* Rows that said how many claims they open, until the commit they came with is whole. */
static struct {
	size_t n;
	struct {
		int64_t player;
		uint64_t move, seq;
		uint32_t claims;
	} row[OPEN_CLAIMS_MAX];
} opened;

#define ROW "shard %" PRIu32 ", seq %" PRIu64 ", player %" PRId64 ": "
#define OF(row) (row)->shard, (row)->seq, (row)->player

/* ---- what a row does ------------------------------------------------------------------------ */

static int64_t effect_of(const struct fake_journal *row)
{
	if (row->refusal != 0)
		return 0;
	if (is_round_kind(row->kind))
		return row->release - row->stake + row->win_balance;
	return moves_balance(row->kind) ? row->amount : 0;
}

static int64_t pending_of(const struct book_account *account, uint32_t game)
{
	for (size_t i = 0; i < JUDGE_PENDINGS; i++)
		if (account->pending[i].amount != 0 && account->pending[i].game == game)
			return account->pending[i].amount;
	return 0;
}

static void pending_set(struct book_account *account, const struct fake_journal *row)
{
	size_t at = JUDGE_PENDINGS;

	for (size_t i = 0; i < JUDGE_PENDINGS; i++)
		if (account->pending[i].amount == 0 || account->pending[i].game == row->game)
			at = at == JUDGE_PENDINGS || account->pending[i].game == row->game ? i : at;
	if (at == JUDGE_PENDINGS)
		sim_fail(ROW "pending in more than %d games", OF(row), JUDGE_PENDINGS);
	account->pending[at].game = row->game;
	account->pending[at].round = row->round;
	account->pending[at].amount = row->pending_after;
}

/* ---- the order of rows ---------------------------------------------------------------------- */

static void check_order(const struct book_account *account, const struct fake_journal *row)
{
	struct book_shard *shard = &book.shard[row->shard];
	bool opening = row->kind == KIND_OPEN && row->move == 0;

	if (row->seq != shard->last_seq + 1)
		sim_fail(ROW "the row before it was seq %" PRIu64, OF(row), shard->last_seq);
	if (shard_of_player(row->player, sim_world.shards) != row->shard)
		sim_fail(ROW "a player of another shard", OF(row));
	if (account == NULL ? !opening && row->currency != 0 : opening && row->refusal == 0)
		sim_fail(ROW "kind %" PRIu32 " %s", OF(row), row->kind,
			account == NULL ? "before the opening" : "opens an account twice");
	if (account == NULL)
		return;
	if (row->move > 0 && row->move != account->last_move + 1)
		sim_fail(ROW "move %" PRIu64 " behind move %" PRIu64, OF(row), row->move,
			account->last_move);
	if (row->prev_seq != account->last_seq)
		sim_fail(ROW "prev_seq %" PRIu64 ", expected %" PRIu64, OF(row), row->prev_seq,
			account->last_seq);
	if (row->currency != account->currency)
		sim_fail(ROW "currency %" PRIu32 ", expected %" PRIu32, OF(row), row->currency,
			account->currency);
}

/* ---- money ---------------------------------------------------------------------------------- */

static void check_money(const struct book_account *account, const struct fake_journal *row)
{
	int64_t pending = pending_of(account, row->game);

	if (row->balance_after != account->balance + effect_of(row) || row->balance_after < 0)
		sim_fail(ROW "balance %" PRId64 ", expected %" PRId64 " + %" PRId64, OF(row),
			row->balance_after, account->balance, effect_of(row));
	if (row->move == 0)
		return;
	if (row->refusal == 0 && is_round_kind(row->kind))
		pending += row->win_pending - row->release - row->forfeit;
	if (row->pending_after != pending || pending < 0)
		sim_fail(ROW "pending %" PRId64 ", expected %" PRId64, OF(row), row->pending_after,
			pending);
}

/* Acceptance looks at the stake alone, as if the win were nothing, and so does refusal. */
static void check_stake(const struct book_account *account, const struct fake_journal *row)
{
	int64_t there = account->balance + row->release;

	if (row->kind == KIND_GAMBLE && row->refusal == 0 && account->blocked)
		sim_fail(ROW "a gamble of a player who is blocked", OF(row));
	if (row->kind != KIND_BET)
		return;
	if (row->refusal == 0 && row->stake > there)
		sim_fail(ROW "a stake of %" PRId64 " was taken where %" PRId64 " were there, the "
			     "win being %" PRId64,
			OF(row), row->stake, there, row->win_balance + row->win_pending);
	if (row->refusal == CARILLON__REFUSAL__REFUSAL_FUNDS && row->stake <= there)
		sim_fail(ROW "a stake of %" PRId64 " was refused where %" PRId64 " were there",
			OF(row), row->stake, there);
	if (row->refusal == 0 && account->blocked)
		sim_fail(ROW "a bet of a player who is blocked", OF(row));
	if (row->refusal == 0 && row->stake == 0 && row->outside_id == NULL)
		sim_fail(ROW "a bet that costs nothing and is no bonus spin", OF(row));
	if (row->refusal == 0 &&
		(row->release != pending_of(account, row->game) || row->round != row->move))
		sim_fail(ROW "a bet leaves pending of the round before it", OF(row));
}

/* ---- tallies -------------------------------------------------------------------------------- */

static void tally_add(struct book_shard *shard, uint32_t tally, uint64_t seq, int64_t stake)
{
	struct book_tally *to;
	uint64_t before;

	if (tally >= JUDGE_TALLIES)
		sim_fail("tally %" PRIu32 ": more than the judge keeps", tally);
	to = &shard->tally[tally];
	before = to->n == 0 ? 0 : to->step[to->n - 1].total;
	if (to->n == to->room) {
		to->room = to->room == 0 ? 256 : 2 * to->room;
		to->step = realloc(to->step, to->room * sizeof(*to->step));
		if (to->step == NULL)
			sim_fail("the judge has no memory for tallies");
	}
	to->step[to->n].seq = seq;
	to->step[to->n++].total = before + (uint64_t)stake;
}

uint64_t book_tally_at(uint32_t shard, uint32_t tally, uint64_t seq)
{
	const struct book_tally *of = &book.shard[shard].tally[tally];
	size_t low = 0, high = of->n;

	while (low < high) { /* the first step behind seq */
		size_t middle = (low + high) / 2;
		if (of->step[middle].seq <= seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? 0 : of->step[low - 1].total;
}

static const struct sim_game *game_of(uint32_t number)
{
	for (size_t i = 0; i < SIM_GAMES; i++)
		if (sim_games[i].number == number)
			return &sim_games[i];
	return NULL;
}

static bool among(uint32_t pool, const uint32_t *pools, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pools[i] == pool)
			return true;
	return false;
}

/* The pool that a tally of the row counts for: one of its game's. */
static uint32_t tally_pool(const struct fake_journal *row, int64_t id)
{
	const struct fake_pg_table *table = fake_pg_table("pool.tally");
	const struct fake_pg_row *tally = fake_pg_find(table, &id, 1);
	const struct sim_game *game = game_of(row->game);
	uint32_t pool;

	if (tally == NULL || fake_pg_int(tally, COLUMN(table, "game")) != (int64_t)row->game ||
		fake_pg_int(tally, COLUMN(table, "currency")) != (int64_t)row->currency)
		sim_fail(ROW "tally %" PRId64 " is not of its game and currency", OF(row), id);
	pool = (uint32_t)fake_pg_int(tally, COLUMN(table, "pool"));
	if (game == NULL || (pool != game->pool && !(pool == CARDS_POOL && game->cards) &&
				    !created_pool_feeds(pool, row->game)))
		sim_fail(ROW "counted into pool %" PRIu32 ", which does not feed on game %" PRIu32,
			OF(row), pool, row->game);
	return pool;
}

/* Each stake feeds each pool of its game once, by the tally of its game and currency. */
static void check_tallies(const struct fake_journal *row)
{
	const struct sim_game *game = game_of(row->game);
	bool pays = row->kind == KIND_BET && row->refusal == 0 && row->stake > 0;
	uint32_t pools[FAKE_PG_TALLIES_MAX], unfed;

	if (!pays && row->tallies_n > 0)
		sim_fail(ROW "counted into tallies, and nothing was staked", OF(row));
	for (uint32_t i = 0; i < row->tallies_n; i++) {
		pools[i] = tally_pool(row, row->tallies[i]);
		if (among(pools[i], pools, i))
			sim_fail(ROW "counted into pool %" PRIu32 " twice", OF(row), pools[i]);
		tally_add(&book.shard[row->shard], row->tallies[i], row->seq, row->stake);
	}
	if (!pays)
		return;
	if (game == NULL)
		sim_fail(ROW "a stake in no game", OF(row));
	unfed = !among(game->pool, pools, row->tallies_n) ? game->pool
		: game->cards && !among(CARDS_POOL, pools, row->tallies_n)
			? CARDS_POOL
			: created_pool_unfed(row->game, pools, row->tallies_n);
	if (unfed != 0)
		sim_fail(ROW "a stake that does not feed pool %" PRIu32, OF(row), unfed);
}

/* ---- one effect an id ----------------------------------------------------------------------- */

static void halves(const uint8_t *id, uint64_t *a_r, uint64_t *b_r)
{
	memcpy(a_r, id, sizeof(*a_r));
	memcpy(b_r, id + sizeof(*a_r), sizeof(*b_r));
}

/* A row by the id of its request. */
struct requested {
	uint64_t seq, move;
	bool open_claim; /* a void that must wait for a claim */
};

/* The engine remembers the last requests of a player, by their moves. A void that was refused for
 * an open claim, and whose answer was lost until it was forgotten, is decided anew by the same key.
 */
static bool forgotten(const struct fake_journal *row, const struct requested *before)
{
	return before->open_claim && row->kind == CARILLON__MOVE_KIND__MOVE_VOID &&
	       row->move > before->move + REMEMBERED;
}

static void check_request(const struct fake_journal *row)
{
	uint64_t a, b;
	void **at;
	struct requested *request;

	/* A void that is asked for long after is known by its round, not by its key. */
	if (row->move == 0 || row->request_id == NULL ||
		row->refusal == CARILLON__REFUSAL__REFUSAL_VOIDED)
		return;
	halves(row->request_id, &a, &b);
	at = map_at(&book.requests, a, b);
	request = *at;
	if (request != NULL && !forgotten(row, request))
		sim_fail(ROW "move %" PRIu64 " is a request that was booked at seq %" PRIu64
			     " already",
			OF(row), row->move, request->seq);
	if (request == NULL)
		*at = request = judge_alloc(sizeof(*request));
	*request = (struct requested){ row->seq, row->move,
		row->refusal == CARILLON__REFUSAL__REFUSAL_CLAIM_OPEN };
}

/* An id of outside money has one row that answers for it for ever; with other content it is
 * refused and alarmed. */
static void check_outside(const struct fake_journal *row)
{
	struct book_outside *known;
	uint64_t a, b;
	void **at;

	if (row->outside_id == NULL || row->kind == KIND_BET)
		return;
	halves(row->outside_id, &a, &b);
	at = map_at(&book.outsides, a, b);
	if (row->refusal == CARILLON__REFUSAL__REFUSAL_CONTENT) {
		if (*at == NULL)
			sim_fail(
				ROW "refused as other content of an id that is not known", OF(row));
		return;
	}
	known = *at;
	if (known != NULL && known->seq != 0)
		sim_fail(ROW "an id whose row is shard %" PRIu32 ", seq %" PRIu64, OF(row),
			known->shard, known->seq);
	if (known == NULL)
		*at = known = judge_alloc(sizeof(*known));
	*known = (struct book_outside){ .player = row->player,
		.amount = row->amount,
		.seq = row->currency == 0 ? 0 : row->seq, /* no account: the id is not kept */
		.shard = row->shard,
		.kind = row->kind,
		.refusal = row->refusal,
		.open = row->refusal != 0	 ? 0
			: row->kind == KIND_HOLD ? -row->amount
						 : row->amount };
}

/* A bonus spin is one of those given, and none is played twice. */
static void check_spins(const struct fake_journal *row)
{
	Carillon__SpinGrant *grant;
	struct book_outside *bonus_spins;
	uint64_t a, b;

	if (row->refusal != 0 || row->outside_id == NULL)
		return;
	halves(row->outside_id, &a, &b);
	bonus_spins = map_get(&book.outsides, a, b);
	if (row->kind == KIND_SPINS) {
		grant = carillon__spin_grant__unpack(NULL, row->record_n, row->record);
		if (grant == NULL)
			sim_fail(ROW "bonus spins without their record", OF(row));
		bonus_spins->spins = bonus_spins->given = grant->spins;
		carillon__spin_grant__free_unpacked(grant, NULL);
	}
	if (row->kind != KIND_BET)
		return;
	if (bonus_spins == NULL || bonus_spins->kind != KIND_SPINS ||
		bonus_spins->player != row->player || row->stake != 0)
		sim_fail(ROW "a bonus spin of a gift that he has not", OF(row));
	if (bonus_spins->spins == 0)
		sim_fail(ROW "a bonus spin more than were given", OF(row));
	bonus_spins->spins--;
}

/* A withdrawal in flight is settled once and whole; of a grant no more is taken back than was
 * given. The row names it by its request's id. */
static void check_hold(const struct fake_journal *row)
{
	struct book_outside *held;
	uint64_t a, b;
	bool capture = row->kind == KIND_CAPTURE || row->kind == KIND_HOLD_RELEASE;
	int64_t amount = row->kind == KIND_GRANT_BACK ? -row->amount : row->amount;

	if (row->refusal != 0 || (!capture && row->kind != KIND_GRANT_BACK))
		return;
	if (row->request_id == NULL)
		sim_fail(ROW "settles nothing that it names", OF(row));
	halves(row->request_id, &a, &b);
	held = map_get(&book.outsides, a, b);
	if (held == NULL || held->player != row->player ||
		held->kind != (capture ? KIND_HOLD : KIND_GRANT))
		sim_fail(ROW "settles what the player does not have", OF(row));
	if (amount <= 0 || amount > held->open || (capture && amount != held->open))
		sim_fail(ROW "settles %" PRId64 " of what has %" PRId64 " open", OF(row), amount,
			held->open);
	held->open -= amount;
	if (capture) {
		held->settled_us = sim_now_us();
		payments_settled(row, held);
	}
}

/* ---- claims and awards ---------------------------------------------------------------------- */

/* The row's record is the award as it came. */
static void check_award(const struct fake_journal *row)
{
	Carillon__Award *award;
	struct book_claim *claim;
	const struct book_hit *hit;

	if (row->kind != KIND_AWARD || row->refusal != 0)
		return;
	award = carillon__award__unpack(NULL, row->record_n, row->record);
	if (award == NULL)
		sim_fail(ROW "an award without its record", OF(row));
	claim = book_claim(row->player, award->move, award->index);
	hit = book_hit(row->player, award->move, award->index);
	if (claim == NULL)
		sim_fail(ROW "pays claim %" PRIu64 "-%" PRIu32 " that nobody has", OF(row),
			award->move, award->index);
	if (claim->closed_seq != 0)
		sim_fail(ROW "pays claim %" PRIu64 "-%" PRIu32 " that seq %" PRIu64 " has paid",
			OF(row), award->move, award->index, claim->closed_seq);
	if (hit == NULL || hit->paid_minor != row->amount || award->paid_minor != row->amount ||
		hit->pool != claim->pool || hit->hit != award->hit)
		sim_fail(ROW "pays %" PRId64 " for claim %" PRIu64 "-%" PRIu32
			     ", whose hit is %" PRId64,
			OF(row), row->amount, award->move, award->index,
			hit == NULL ? -1 : hit->paid_minor);
	claim->closed_seq = row->seq;
	claim->paid_minor = row->amount;
	claim->hit = award->hit;
	book.claims_open--;
	book.awards_n++;
	carillon__award__free_unpacked(award, NULL);
}

static void note_claims(const struct fake_journal *row)
{
	if (row->claims == 0)
		return;
	if (row->refusal != 0)
		sim_fail(ROW "a refused move opens claims", OF(row));
	if (opened.n == OPEN_CLAIMS_MAX)
		sim_fail("more than %d rows with claims between two looks of the judge",
			OPEN_CLAIMS_MAX);
	opened.row[opened.n].player = row->player;
	opened.row[opened.n].move = row->move;
	opened.row[opened.n].seq = row->seq;
	opened.row[opened.n++].claims = row->claims;
}

static void claim_new(const struct fake_claim *row)
{
	void **at;
	struct book_claim *claim;

	at = map_at(&book.claims, (uint64_t)row->player, row->move << 8 | row->index);
	if (*at != NULL)
		sim_fail("player %" PRId64 ": claim %" PRIu64 "-%" PRIu32 " twice", row->player,
			row->move, row->index);
	*at = claim = judge_alloc(sizeof(*claim));
	*claim = (struct book_claim){ .player = row->player,
		.move = row->move,
		.index = row->index,
		.shard = row->shard,
		.pool = row->pool,
		.kind = row->kind,
		.currency = row->currency,
		.coin_minor = row->coin_minor,
		.stake_minor = row->stake_minor,
		.opened_seq = row->opened_seq,
		.opened_us = sim_now_us() };
	book.claims_open++;
}

void ledger_claim(const struct fake_pg_row *old, const struct fake_pg_row *new)
{
	struct fake_claim row;
	struct book_claim *claim;

	if (new == NULL)
		sim_fail("a row of wallet.claim was deleted");
	fake_claim_read(new, &row);
	if (old == NULL)
		claim_new(&row);
	claim = book_claim(row.player, row.move, row.index);
	if (claim == NULL || claim->opened_seq != row.opened_seq)
		sim_fail("player %" PRId64 ": claim %" PRIu64 "-%" PRIu32 " changed", row.player,
			row.move, row.index);
}

/* ---- a row ---------------------------------------------------------------------------------- */

static struct book_account *account_open(const struct fake_journal *row)
{
	struct book_account *account = judge_alloc(sizeof(*account));

	account->player = row->player;
	account->shard = row->shard;
	account->currency = row->currency;
	*map_at(&book.accounts, (uint64_t)row->player, 0) = account;
	return account;
}

static void keep_round(struct book_account *account, const struct fake_journal *row)
{
	struct book_round *round;

	if (row->refusal != 0 || !is_round_kind(row->kind) || row->game > SIM_GAMES)
		return;
	round = &account->round[row->game];
	if (row->kind == KIND_BET)
		*round = (struct book_round){ .round = row->round, .stake = row->stake };
	if (row->round != round->round)
		return;
	round->win += row->win_balance + row->win_pending - row->forfeit;
	round->voided |= row->kind == KIND_VOID;
}

static void keep(struct book_account *account, const struct fake_journal *row)
{
	struct book_row *kept = &account->row[account->rows_n++ % JUDGE_ROWS];

	account->balance = row->balance_after;
	account->last_seq = row->seq;
	if (row->move > 0)
		account->last_move = row->move;
	if (row->refusal == 0 && row->kind == KIND_BLOCK)
		account->blocked = row->amount != 0;
	if (row->refusal == 0 && is_round_kind(row->kind))
		pending_set(account, row);
	keep_round(account, row);
	*kept = (struct book_row){ .seq = row->seq,
		.move = row->move,
		.last_move = account->last_move,
		.round = row->round,
		.kind = row->kind,
		.refusal = row->refusal,
		.game = row->game,
		.stake = row->stake,
		.win_balance = row->win_balance,
		.release = row->release,
		.amount = row->amount,
		.balance = row->balance_after };
	if (row->request_id != NULL)
		memcpy(kept->request_id, row->request_id, sizeof(kept->request_id));
}

void ledger_row(const struct fake_pg_row *pg_row)
{
	struct fake_journal row;
	struct book_account *account;

	fake_journal_read(pg_row, &row);
	account = book_account(row.player);
	check_order(account, &row);
	book.shard[row.shard].last_seq = row.seq;
	check_outside(&row);
	if (account == NULL && row.currency == 0)
		return; /* refused for want of an account */
	if (account == NULL)
		account = account_open(&row);
	check_money(account, &row);
	check_stake(account, &row);
	limits_row(&row);
	voids_row(account, &row, pending_of(account, row.game));
	check_tallies(&row);
	check_request(&row);
	check_spins(&row);
	check_hold(&row);
	check_award(&row);
	note_claims(&row);
	batch_row(&row);
	keep(account, &row);
	book.rounds += row.kind == KIND_BET && row.refusal == 0;
}

void ledger_opened(void)
{
	for (size_t i = 0; i < opened.n; i++)
		for (uint32_t index = 1; index <= opened.row[i].claims; index++) {
			const struct book_claim *claim =
				book_claim(opened.row[i].player, opened.row[i].move, index);
			if (claim == NULL || claim->opened_seq != opened.row[i].seq)
				sim_fail("player %" PRId64 ": seq %" PRIu64 " opens %" PRIu32
					 " claims, and there is no %" PRIu64 "-%" PRIu32,
					opened.row[i].player, opened.row[i].seq,
					opened.row[i].claims, opened.row[i].move, index);
		}
	opened.n = 0;
}

void ledger_forget(void)
{
	opened.n = 0;
}
