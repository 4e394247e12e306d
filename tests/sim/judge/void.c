/* Voided rounds: the stake back once, what the round brought taken as far as the
 * balance holds it, the rest owed, what is pending forfeited; all of it by the rows of the round.
 */
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include <inttypes.h>

static struct map voids; /* (player, round): the seq of the row */

#define ROW "shard %" PRIu32 ", seq %" PRIu64 ", player %" PRId64 ": "
#define OF(row) (row)->shard, (row)->seq, (row)->player

bool judge_is_void(int64_t player, uint64_t round)
{
	return map_get(&voids, (uint64_t)player, round) != NULL;
}

/* What the rows of a round say together. */
struct round_sum {
	bool found;	/* its bet is among the rows that are kept */
	bool collected; /* a later bet of the game has ended it */
	int64_t stake, brought;
	int64_t later; /* released by the next bet of the game */
};

/* A bet collects what the round before it left pending. */
static void add(struct round_sum *sum, const struct book_row *row, const struct fake_journal *at)
{
	bool bet = row->kind == KIND_BET;

	if (row->refusal != 0 || !is_round_kind(row->kind) || row->kind == KIND_VOID ||
		row->game != at->game)
		return;
	if (row->round == at->round) {
		sum->stake += row->stake;
		sum->brought += row->win_balance + (bet ? 0 : row->release);
		sum->found |= bet;
	} else if (bet && row->move > at->round) {
		sum->later = row->release;
		sum->collected = true;
	}
}

static struct round_sum sum_of(const struct book_account *account, const struct fake_journal *at)
{
	struct round_sum sum = { 0 };
	const struct book_row *row;

	for (size_t back = 0; !sum.found && (row = book_row_at(account, back)) != NULL; back++)
		add(&sum, row, at);
	sum.brought += sum.later;
	return sum;
}

static void check_sums(
	const struct book_account *account, const struct fake_journal *row, int64_t pending)
{
	struct round_sum sum = sum_of(account, row);
	int64_t there = account->balance + row->win_balance;
	int64_t taken = sum.brought < there ? sum.brought : there;

	if (!sum.found || book.forged)
		return; /* too long ago */
	if (row->win_balance != sum.stake)
		sim_fail(ROW "round %" PRIu64 " is void: %" PRId64 " go back, %" PRId64
			     " were staked",
			OF(row), row->round, row->win_balance, sum.stake);
	if (row->stake != taken || row->amount != sum.brought - taken)
		sim_fail(ROW "round %" PRIu64 " is void: %" PRId64 " are taken and %" PRId64
			     " owed of %" PRId64 " that it brought",
			OF(row), row->round, row->stake, row->amount, sum.brought);
	if (row->release != 0 || row->win_pending != 0 ||
		row->forfeit != (sum.collected ? 0 : pending))
		sim_fail(ROW "round %" PRIu64 " is void: %" PRId64 " of %" PRId64
			     " pending are forfeited",
			OF(row), row->round, row->forfeit, pending);
}

static bool claim_open(const struct fake_journal *row)
{
	const struct book_account *account = book_account(row->player);

	for (size_t i = 0; i < book.claims.room; i++) {
		const struct book_claim *claim = book.claims.entry[i].value;
		const struct book_row *opened =
			claim == NULL || claim->player != row->player || claim->closed_seq != 0
				? NULL
				: book_row_of_move(account, claim->move);
		if (opened != NULL && opened->round == row->round)
			return true;
	}
	return false;
}

/* A round is voided only after all that it won is paid. */
static void claims_of(const struct fake_journal *row)
{
	bool refused = row->refusal == CARILLON__REFUSAL__REFUSAL_CLAIM_OPEN;

	if (row->refusal == 0 && claim_open(row))
		sim_fail(ROW "round %" PRIu64 " is void, and a claim of it is open", OF(row),
			row->round);
	if (refused && !claim_open(row))
		sim_fail(ROW "the void of round %" PRIu64
			     " is refused for an open claim, and none is open",
			OF(row), row->round);
}

void voids_row(const struct book_account *account, const struct fake_journal *row, int64_t pending)
{
	uint64_t *seq;
	void **at;

	if (row->kind != KIND_VOID)
		return;
	at = map_at(&voids, (uint64_t)row->player, row->round);
	if (row->refusal == CARILLON__REFUSAL__REFUSAL_VOIDED && *at == NULL)
		sim_fail(ROW "round %" PRIu64 " is refused as void, and is not", OF(row),
			row->round);
	claims_of(row);
	if (row->refusal != 0)
		return;
	if (*at != NULL)
		sim_fail(ROW "round %" PRIu64 " is void since seq %" PRIu64, OF(row), row->round,
			*(uint64_t *)*at);
	check_sums(account, row, pending);
	seq = judge_alloc(sizeof(*seq));
	*seq = row->seq;
	*at = seq;
}

void judge_reply_void(int64_t player, uint64_t round)
{
	if (!judge_is_void(player, round))
		sim_fail("player %" PRId64 ": a back end was told that round %" PRIu64
			 " is void, and it is not",
			player, round);
}

/* wallet.void says the same. */
void voids_final(void)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.void");
	const struct fake_pg_row *row = NULL;
	size_t n = 0, known = 0;

	while ((row = fake_pg_next(table, row)) != NULL) {
		const uint64_t *seq =
			map_get(&voids, (uint64_t)fake_pg_int(row, COLUMN(table, "player")),
				(uint64_t)fake_pg_int(row, COLUMN(table, "round")));
		if (seq == NULL || *seq != (uint64_t)fake_pg_int(row, COLUMN(table, "seq")))
			sim_fail("wallet.void: a row of player %" PRId64
				 " that the journal has not",
				fake_pg_int(row, COLUMN(table, "player")));
		n++;
	}
	for (size_t i = 0; i < voids.room; i++)
		known += voids.entry[i].value != NULL;
	if (n != known)
		sim_fail("wallet.void has %zu rounds, the journal %zu", n, known);
}

void voids_end(void)
{
	map_clear(&voids);
}
