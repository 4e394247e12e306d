/* What a commit writes beside the rows: batches, double entry, totals, and accounts behind them.
 * Legs are made anew from the rows. */
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of wallet.tally_total, likewise: they may be written before the rows they are of. */
#define TOTALS_MAX 8192
static struct {
	size_t n;
	struct total {
		uint32_t shard, tally;
		uint64_t total, seq;
	} row[TOTALS_MAX];
} totals;

/* ---- double entry --------------------------------------------------------------------------- */

static struct book_leg *leg_of(uint32_t shard, uint32_t currency, const char *account)
{
	struct book_shard *of = &book.shard[shard];
	size_t i = 0;

	while (i < of->legs_n &&
		(of->leg[i].currency != currency || strcmp(of->leg[i].account, account) != 0))
		i++;
	if (i == of->legs_n) {
		if (i == JUDGE_LEGS)
			sim_fail("shard %" PRIu32 ": more than %d legs in a batch", shard,
				JUDGE_LEGS);
		of->leg[of->legs_n++] = (struct book_leg){ .currency = currency };
		(void)snprintf(of->leg[i].account, sizeof(of->leg[i].account), "%s", account);
	}
	return &of->leg[i];
}

static void leg(const struct fake_journal *row, const char *account, int64_t amount)
{
	leg_of(row->shard, row->currency, account)->amount += amount;
}

static void legs_of_round(const struct fake_journal *row)
{
	int64_t owed = row->kind == KIND_VOID ? row->amount : 0;

	leg(row, "PLAYER", row->release - row->stake + row->win_balance);
	leg(row, "PENDING", row->win_pending - row->release - row->forfeit);
	leg(row, "HOUSE", row->stake - row->win_balance - row->win_pending + row->forfeit + owed);
	if (owed != 0)
		leg(row, "VOID_RECEIVABLE", -owed);
}

static void leg_against(const struct fake_journal *row, const struct book_claim *claim)
{
	char jackpot[24];

	(void)snprintf(
		jackpot, sizeof(jackpot), "JACKPOT:%" PRIu32, claim == NULL ? 0 : claim->pool);
	if (row->kind == KIND_AWARD)
		leg(row, jackpot, -row->amount);
	else if (row->kind == KIND_GRANT || row->kind == KIND_GRANT_BACK)
		leg(row, "PROMO", -row->amount);
	else if (row->kind == KIND_CORRECTION)
		leg(row, "HOUSE", -row->amount);
	else if (row->kind == KIND_HOLD || row->kind == KIND_HOLD_RELEASE)
		leg(row, "WITHDRAWAL", -row->amount);
	else
		leg(row, "CASH", -row->amount);
}

static void legs_of(const struct fake_journal *row, const struct book_claim *claim)
{
	if (row->refusal != 0)
		return;
	if (is_round_kind(row->kind)) {
		legs_of_round(row);
	} else if (row->kind == KIND_CAPTURE) {
		leg(row, "WITHDRAWAL", -row->amount);
		leg(row, "CASH", row->amount);
	} else if (moves_balance(row->kind)) {
		leg(row, "PLAYER", row->amount);
		leg_against(row, claim);
	}
}

static const struct book_claim *claim_of_award(const struct fake_journal *row)
{
	const struct book_claim *claim = NULL;
	Carillon__Award *award;

	if (row->kind != KIND_AWARD || row->refusal != 0)
		return NULL;
	award = carillon__award__unpack(NULL, row->record_n, row->record);
	if (award != NULL)
		claim = book_claim(row->player, award->move, award->index);
	carillon__award__free_unpacked(award, NULL);
	return claim;
}

void batch_row(const struct fake_journal *row)
{
	legs_of(row, claim_of_award(row));
}

/* ---- batches -------------------------------------------------------------------------------- */

void ledger_leg(const struct fake_pg_row *new)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.house_leg");
	uint32_t shard = (uint32_t)fake_pg_int(new, COLUMN(table, "shard"));
	size_t n;
	const char *account = fake_pg_bytes(new, COLUMN(table, "account"), &n);
	int close = fake_pg_column(table, "close"); /* of the daily close */
	struct book_leg *to;

	to = leg_of(shard, (uint32_t)fake_pg_int(new, COLUMN(table, "currency")), account);
	to->booked += fake_pg_int(new, COLUMN(table, "amount"));
	if (close >= 0 && !fake_pg_null(new, close)) /* no row's, but it sums to zero like them */
		to->amount += fake_pg_int(new, COLUMN(table, "amount"));
}

void ledger_batch(const struct fake_pg_row *old, const struct fake_pg_row *new)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.batch");
	uint32_t number = (uint32_t)fake_pg_int(new, COLUMN(table, "shard"));
	uint64_t batch = (uint64_t)fake_pg_int(new, COLUMN(table, "batch"));
	uint64_t first = (uint64_t)fake_pg_int(new, COLUMN(table, "first_seq"));
	uint64_t last = (uint64_t)fake_pg_int(new, COLUMN(table, "last_seq"));
	struct book_shard *shard = &book.shard[number];

	if (old != NULL)
		return; /* the checkpoint moved */
	if (batch != shard->last_batch + 1 || first != shard->last_batch_seq + 1 || last < first)
		sim_fail("shard %" PRIu32 ", batch %" PRIu64 ": seq %" PRIu64 " to %" PRIu64
			 " behind batch %" PRIu64 ", seq %" PRIu64,
			number, batch, first, last, shard->last_batch, shard->last_batch_seq);
	shard->last_batch = batch;
	shard->last_batch_seq = last;
}

/* Each leg as its rows have it; and each currency sums to zero. */
static void check_legs(uint32_t number)
{
	struct book_shard *shard = &book.shard[number];

	for (size_t i = 0; i < shard->legs_n; i++) {
		const struct book_leg *of = &shard->leg[i];
		int64_t sum = 0;
		if (of->amount != of->booked)
			sim_fail("shard %" PRIu32 ", batch %" PRIu64 ", currency %" PRIu32
				 ": %s is booked %" PRId64 ", its rows say %" PRId64,
				number, shard->last_batch, of->currency, of->account, of->booked,
				of->amount);
		for (size_t j = 0; j < shard->legs_n; j++)
			if (shard->leg[j].currency == of->currency)
				sum += shard->leg[j].booked;
		if (sum != 0)
			sim_fail("shard %" PRIu32 ", batch %" PRIu64 ", currency %" PRIu32
				 ": legs sum to %" PRId64,
				number, shard->last_batch, of->currency, sum);
	}
	shard->legs_n = 0;
}

void ledger_total(const struct fake_pg_row *new)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.tally_total");
	struct total *total;

	if (totals.n == TOTALS_MAX)
		sim_fail("more than %d totals between two looks of the judge", TOTALS_MAX);
	total = &totals.row[totals.n++];
	total->shard = (uint32_t)fake_pg_int(new, COLUMN(table, "shard"));
	total->tally = (uint32_t)fake_pg_int(new, COLUMN(table, "tally"));
	total->total = (uint64_t)fake_pg_int(new, COLUMN(table, "total"));
	total->seq = (uint64_t)fake_pg_int(new, COLUMN(table, "seq"));
}

static void check_total(const struct total *total)
{
	uint64_t sum = book_tally_at(total->shard, total->tally, total->seq);

	if (total->seq > book.shard[total->shard].last_seq)
		sim_fail("shard %" PRIu32 ", tally %" PRIu32 ": a total at seq %" PRIu64
			 ", which is not booked",
			total->shard, total->tally, total->seq);
	if (total->total != sum)
		sim_fail("shard %" PRIu32 ", tally %" PRIu32 ": total %" PRIu64 " at seq %" PRIu64
			 ", its rows say %" PRIu64,
			total->shard, total->tally, total->total, total->seq, sum);
}

void ledger_step(void)
{
	ledger_opened();
	for (size_t i = 0; i < totals.n; i++)
		check_total(&totals.row[i]);
	totals.n = 0;
	for (uint32_t i = 0; i < sim_world.shards; i++) {
		const struct book_shard *shard = &book.shard[i];
		if (shard->last_batch_seq != shard->last_seq)
			sim_fail("shard %" PRIu32 ": batches end with seq %" PRIu64
				 ", the journal with %" PRIu64,
				i, shard->last_batch_seq, shard->last_seq);
		check_legs(i);
	}
}

/* ---- at rest -------------------------------------------------------------------------------- */

/* wallet.account may lag, but what it says must have been true at the row it names. */
static void check_written(void)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.account");
	const struct fake_pg_row *row = NULL;

	while ((row = fake_pg_next(table, row)) != NULL) {
		struct fake_account account;
		struct fake_journal at;
		fake_account_read(row, &account);
		if (!fake_pg_journal(account.shard, account.last_seq, &at) ||
			at.player != account.player || at.balance_after != account.balance)
			sim_fail("wallet.account: player %" PRId64 " has %" PRId64
				 " at seq %" PRIu64 ", the row there says otherwise",
				account.player, account.balance, account.last_seq);
	}
}

static void check_claims_rows(void)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.claim");
	const struct fake_pg_row *row = NULL;

	while ((row = fake_pg_next(table, row)) != NULL) {
		struct fake_claim there;
		const struct book_claim *claim;
		fake_claim_read(row, &there);
		claim = book_claim(there.player, there.move, there.index);
		if (claim == NULL || claim->closed_seq != there.closed_seq ||
			claim->paid_minor != there.paid_minor || claim->hit != there.hit)
			sim_fail("wallet.claim: player %" PRId64 ", claim %" PRIu64 "-%" PRIu32
				 " says it is closed by seq %" PRIu64,
				there.player, there.move, there.index, there.closed_seq);
	}
}

/* As many of a gift are used as bets name it. */
static void check_bonus_spins(void)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.spin_grant");
	const struct fake_pg_row *row = NULL;

	while ((row = fake_pg_next(table, row)) != NULL) {
		size_t n;
		uint64_t halves[2];
		const void *id = fake_pg_bytes(row, COLUMN(table, "id"), &n);
		int64_t used = fake_pg_int(row, COLUMN(table, "used"));
		const struct book_outside *bonus_spins;
		memcpy(halves, id, sizeof(halves));
		bonus_spins = map_get(&book.outsides, halves[0], halves[1]);
		if (bonus_spins == NULL || used != (int64_t)bonus_spins->given - bonus_spins->spins)
			sim_fail("wallet.spin_grant: %" PRId64 " used of the gift at seq %" PRId64
				 " of player %" PRId64 ", %" PRId64 " bets name it",
				used, fake_pg_int(row, COLUMN(table, "given_seq")),
				fake_pg_int(row, COLUMN(table, "player")),
				bonus_spins == NULL
					? -1
					: (int64_t)bonus_spins->given - bonus_spins->spins);
	}
}

/* Withdrawals in flight: what is settled of each is what its rows say, and none is left at rest. */
static void check_holds(void)
{
	const struct fake_pg_table *table = fake_pg_table("wallet.hold");
	const struct fake_pg_row *row = NULL;

	while ((row = fake_pg_next(table, row)) != NULL) {
		size_t n;
		uint64_t halves[2];
		const void *id = fake_pg_bytes(row, COLUMN(table, "id"), &n);
		int64_t open = fake_pg_int(row, COLUMN(table, "amount")) -
			       fake_pg_int(row, COLUMN(table, "settled"));
		const struct book_outside *held;
		memcpy(halves, id, sizeof(halves));
		held = map_get(&book.outsides, halves[0], halves[1]);
		if (held == NULL || held->open != open)
			sim_fail("wallet.hold: %" PRId64 " are open of what seq %" PRId64
				 " holds for player %" PRId64 ", its rows say %" PRId64,
				open, fake_pg_int(row, COLUMN(table, "booked_seq")),
				fake_pg_int(row, COLUMN(table, "player")),
				held == NULL ? -1 : held->open);
		if (held->kind == KIND_HOLD && open != 0)
			sim_fail("wallet.hold: the withdrawal at seq %" PRIu64 " of player %" PRId64
				 " is still in flight",
				held->seq, held->player);
	}
}

void ledger_final(void)
{
	check_holds();
	check_bonus_spins();
	check_written();
	check_claims_rows();
	for (uint32_t i = 0; i < sim_world.shards; i++)
		if (fake_pg_journal_last(i) != book.shard[i].last_seq)
			sim_fail("shard %" PRIu32 ": the judge missed rows", i);
}

void ledger_end(void)
{
	totals.n = 0;
	ledger_forget();
	for (size_t i = 0; i < JUDGE_SHARDS; i++)
		for (size_t j = 0; j < JUDGE_TALLIES; j++)
			free(book.shard[i].tally[j].step);
	memset(book.shard, 0, sizeof(book.shard));
}
