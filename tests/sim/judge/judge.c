/* The judge's books and what fills them: every row that a commit of the fake Postgres changes. */
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct book book;

static const struct fake_pg_table *journal, *claim, *batch, *leg, *total;

int book_column(const struct fake_pg_table *table, const char *name)
{
	int column = fake_pg_column(table, name);

	if (column < 0)
		sim_fail("the judge asks for a column %s that is not there", name);
	return column;
}

struct book_account *book_account(int64_t player)
{
	return map_get(&book.accounts, (uint64_t)player, 0);
}

struct book_claim *book_claim(int64_t player, uint64_t move, uint32_t index)
{
	return map_get(&book.claims, (uint64_t)player, move << 8 | index);
}

struct book_hit *book_hit(int64_t player, uint64_t move, uint32_t index)
{
	pools_hits();
	return map_get(&book.hits, (uint64_t)player, move << 8 | index);
}

/* 0: the newest; NULL: not kept any more, or there never was one. */
const struct book_row *book_row_at(const struct book_account *account, size_t back)
{
	if (back >= account->rows_n || back >= JUDGE_ROWS)
		return NULL;
	return &account->row[(account->rows_n - 1 - back) % JUDGE_ROWS];
}

const struct book_row *book_row_of_move(const struct book_account *account, uint64_t move)
{
	const struct book_row *row;

	for (size_t back = 0; (row = book_row_at(account, back)) != NULL; back++)
		if (row->move == move && row->kind <= KIND_SETTING)
			return row;
	return NULL;
}

uint64_t judge_a_round(int64_t player, uint32_t *game_r)
{
	const struct book_account *account = book_account(player);
	size_t skip = sim_random(2) == 0 ? 0 : sim_random(JUDGE_ROWS / 2);
	const struct book_row *row;

	for (size_t back = 0; account != NULL && (row = book_row_at(account, back)) != NULL; back++)
		if (back >= skip && row->kind == KIND_BET && row->refusal == 0) {
			*game_r = row->game;
			return row->move;
		}
	return 0;
}

static bool away;

void judge_look_away(bool from_now)
{
	away = from_now;
}

static void changed(void *context, const struct fake_pg_table *table, const struct fake_pg_row *old,
	const struct fake_pg_row *new)
{
	(void)context;
	if (away)
		return;
	if (table == journal) {
		if (old != NULL)
			sim_fail("a row of the journal was changed");
		ledger_row(new);
	} else if (table == claim) {
		ledger_claim(old, new);
	} else if (table == batch) {
		ledger_batch(old, new);
	} else if (table == leg) {
		ledger_leg(new);
	} else if (table == total) {
		ledger_total(new);
	} else if (!payments_changed(table, new)) {
		pools_changed(table, old, new);
	}
}

void judge_world_begin(void)
{
	journal = fake_pg_table("wallet.journal");
	claim = fake_pg_table("wallet.claim");
	batch = fake_pg_table("wallet.batch");
	leg = fake_pg_table("wallet.house_leg");
	total = fake_pg_table("wallet.tally_total");
	pools_begin();
	payments_begin();
	replies_begin();
	fake_pg_watch(changed, NULL);
}

void judge_world_end(void)
{
	fake_pg_watch(NULL, NULL);
	ledger_end();
	payments_end();
	pools_end();
	before_end();
	limits_end();
	voids_end();
	map_clear(&book.accounts);
	map_clear(&book.claims);
	map_clear(&book.hits);
	map_clear(&book.requests);
	map_clear(&book.outsides);
	memset(&book, 0, sizeof(book));
}

uint64_t judge_rounds(void)
{
	return book.rounds;
}

void judge_step(void)
{
	ledger_step();
	pools_step();
}

void judge_final(void)
{
	judge_step();
	ledger_final();
	pools_final();
	payments_final();
	voids_final();
	replies_final();
}

/* The oldest claim that nobody has paid. */
static const struct book_claim *oldest_open(void)
{
	const struct book_claim *oldest = NULL;

	for (size_t i = 0; i < book.claims.room; i++) {
		const struct book_claim *at = book.claims.entry[i].value;
		if (at != NULL && at->closed_seq == 0 &&
			(oldest == NULL || at->opened_us < oldest->opened_us))
			oldest = at;
	}
	return oldest;
}

bool judge_settled(char *what, size_t room)
{
	const struct book_claim *open = book.claims_open == 0 ? NULL : oldest_open();

	if (open == NULL)
		return pools_settled(what, room) && payments_settled_all(what, room);
	(void)snprintf(what, room,
		"claim %" PRIu64 "-%" PRIu32 " of player %" PRId64 " on pool %" PRIu32
		" has been open for %" PRIu64 " ms",
		open->move, open->index, open->player, open->pool,
		(sim_now_us() - open->opened_us) / 1000);
	return false;
}
