/* Tallies beside their rows: the stakes counted into each come to the totals that the wallet and
 * the pools have recorded. The same rules as tallies_sql and tally_rows_sql of verify_ledger.c and
 * the totals of verify_pool.c, which name what breaks them. */
#include "tools/jackpotctl/verify_row.h"

#include <stdlib.h>
#include <string.h>

/* Each total that was recorded, with what the rows in scope must add up to: what it is, without
 * what was proven before, and with the rows proven before that are behind it. */
static const char totals_sql[] =
	"with kept as (select (e->>0)::integer as shard, (e->>1)::integer as tally, "
	"(e->>2)::bigint as total, (e->>3)::bigint as seen, (e->>4)::bigint as seq from "
	"jsonb_array_elements($3::jsonb->'tallies') e), "
	"old as (select e->>0 as owner, (e->>1)::integer as pool, (e->>2)::integer as shard, "
	"(e->>3)::integer as tally, (e->>4)::bigint as total, (e->>5)::bigint as seq from "
	"jsonb_array_elements($3::jsonb->'vectors') e), "
	"vectors as (select 'pool' as owner, pool, shard, tally, total, seq from pool.vector union "
	"all select 'cards', pool, shard, tally, total, seq from cards.vector), "
	"told as (select 0 as owner, 0 as pool, w.shard, w.tally, w.total, w.seq, k.seq is null or (k.seen, "
	"k.seq) is distinct from (w.total, w.seq) as new from wallet.tally_total w left join kept "
	"k using (shard, tally) union all select case v.owner when 'pool' then 1 else 2 end, "
	"v.pool, v.shard, v.tally, v.total, v.seq, (v.total, v.seq) is distinct from (o.total, o.seq) from "
	"vectors v left join old o using (owner, pool, shard, tally)) "
	"select t.shard, t.tally, t.owner, t.seq, t.new::integer, case when d.due between "
	"-9223372036854775808 and 9223372036854775807 then d.due::bigint end, t.pool from told t left join "
	"kept k using (shard, tally) left join @base@ b using (shard), lateral (select "
	"t.total::numeric - coalesce(k.total, 0) + case when t.new and t.seq < coalesce(b.seq, 0) "
	"then (select coalesce(sum(j.stake), 0) from wallet.journal j where j.shard = t.shard and "
	"j.seq > t.seq and j.seq <= b.seq and t.tally = any(j.tallies)) else 0 end as due) d order "
	"by 1, 2, 3, 7";

static const char tallies_sql[] = "select id, game, currency from pool.tally order by id";

struct total {
	int32_t shard, tally;
	int32_t owner; /* index of `rules` */
	int64_t seq;   /* the rows up to here */
	int64_t due, sum;
	bool new, known; /* changed since the last proof; the sums are of 64 bits */
};
struct tally {
	int32_t id, game, currency;
};
static const enum verify_rule rules[] = { VERIFY_RULE_TALLIES, VERIFY_RULE_POOL_TOTALS,
	VERIFY_RULE_CARD_TOTALS };
static struct total *totals;
static struct tally *tallies;
static size_t totals_n, tallies_n;

/* A total that is there twice counts twice for a query. */
static bool is_twice(const PGresult *rows, int row)
{
	static const int key[] = { 0, 1, 2, 6 }; /* shard, tally, owner, pool */

	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		if (pass_number(rows, row, key[i]) != pass_number(rows, row - 1, key[i]))
			return false;
	return true;
}

static void totals_read(PGconn *conn, const struct verify_scope *scope, bool *doubts)
{
	PGresult *rows = pass_ask(conn, scope, totals_sql);

	totals_n = (size_t)PQntuples(rows);
	totals = pass_room(totals_n, sizeof(*totals));
	for (int i = 0; i < (int)totals_n; i++) {
		struct total *total = &totals[i];

		total->shard = (int32_t)pass_number(rows, i, 0);
		total->tally = (int32_t)pass_number(rows, i, 1);
		total->owner = (int32_t)pass_number(rows, i, 2);
		total->seq = pass_number(rows, i, 3);
		total->new = pass_number(rows, i, 4) != 0;
		total->known = PQgetisnull(rows, i, 5) == 0;
		total->due = total->known ? pass_number(rows, i, 5) : 0;
		if (i > 0 && is_twice(rows, i))
			doubts[rules[total->owner]] = true;
	}
	PQclear(rows);
}

void rows_tallies_begin(PGconn *conn, const struct verify_scope *scope, bool *doubts)
{
	totals_read(conn, scope, doubts);
	PGresult *rows = pass_ask(conn, scope, tallies_sql);
	tallies_n = (size_t)PQntuples(rows);
	tallies = pass_room(tallies_n, sizeof(*tallies));
	for (int i = 0; i < (int)tallies_n; i++)
		tallies[i] = (struct tally){ (int32_t)pass_number(rows, i, 0),
			(int32_t)pass_number(rows, i, 1), (int32_t)pass_number(rows, i, 2) };
	for (size_t i = 1; i < tallies_n; i++)
		if (tallies[i].id == tallies[i - 1].id)
			doubts[VERIFY_RULE_TALLY_ROWS] = true;
	PQclear(rows);
}

/* ---- rows ---- */

/* The first total of a tally, or where it would stand. */
static size_t totals_find(int32_t shard, int32_t tally)
{
	size_t low = 0, high = totals_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct total *at = &totals[middle];

		if (at->shard < shard || (at->shard == shard && at->tally < tally))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_tally_of(int32_t tally, const struct verify_row *row)
{
	size_t low = 0, high = tallies_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tallies[middle].id == tally)
			return tallies[middle].game == row->number[ROW_GAME] &&
			       tallies[middle].currency == row->number[ROW_CURRENCY];
		if (tallies[middle].id < tally)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static void count_into(int32_t tally, const struct verify_row *row, bool *doubts)
{
	size_t at = totals_find(row->shard, tally);
	bool wallet_has = false;

	for (; at < totals_n && totals[at].shard == row->shard && totals[at].tally == tally; at++) {
		struct total *total = &totals[at];

		wallet_has = wallet_has || total->owner == 0;
		if (row->number[ROW_SEQ] <= total->seq &&
			__builtin_add_overflow(total->sum, row->number[ROW_STAKE], &total->sum))
			total->known = false;
	}
	if (!wallet_has)
		doubts[VERIFY_RULE_TALLIES] = true; /* only the checkpoint tells */
}

void rows_tallies_row(const struct verify_row *row, bool *doubts)
{
	if (row->tallies_n > 0 && (row->number[ROW_KIND] != 2 || row->number[ROW_REFUSAL] != 0))
		doubts[VERIFY_RULE_TALLY_ROWS] = true;
	for (size_t i = 0; i < row->tallies_n; i++) {
		if (!is_tally_of(row->tallies[i], row))
			doubts[VERIFY_RULE_TALLY_ROWS] = true;
		count_into(row->tallies[i], row, doubts);
	}
}

void rows_tallies_end(bool *doubts)
{
	for (size_t i = 0; i < totals_n; i++)
		if (totals[i].new && (!totals[i].known || totals[i].sum != totals[i].due))
			doubts[rules[totals[i].owner]] = true;
	free(totals);
	free(tallies);
}
