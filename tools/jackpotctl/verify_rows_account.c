/* Accounts row by row: moves, balances and pendings follow from the row before, and are not
 * negative. The same rules as accounts_sql and pendings_sql of verify_ledger.c, which name what
 * breaks them. */
#include "tools/jackpotctl/verify_row.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define OPENING 1
#define SLOTS_FIRST 4096
#define ACCOUNT INT64_MIN /* in place of a game: the account itself */

/* The last row of an account; or of a game of it, whose amount is what is pending there. */
struct slot {
	int64_t player;
	int64_t game;
	int64_t seq, amount, move;
	int32_t shard, currency;
	bool used, seen; /* taken; had a row */
};
static struct slot *slots;
static size_t room, taken;
static bool whole;

/* ---- the table ---- */

static size_t place_of(int64_t player, int64_t game)
{
	uint64_t mixed = (uint64_t)player * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)game;

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return (size_t)(mixed ^ mixed >> 31) & (room - 1);
}

static struct slot *find(int64_t player, int64_t game)
{
	size_t at = place_of(player, game);

	while (slots[at].used && (slots[at].player != player || slots[at].game != game))
		at = (at + 1) & (room - 1);
	return &slots[at];
}

static void grow(void)
{
	struct slot *before = slots;
	size_t before_n = room;

	room = room == 0 ? SLOTS_FIRST : 2 * room;
	slots = pass_room(room, sizeof(*slots));
	for (size_t i = 0; i < before_n; i++)
		if (before[i].used)
			*find(before[i].player, before[i].game) = before[i];
	free(before);
}

/* Valid until the next call. */
static struct slot *slot_of(int64_t player, int64_t game)
{
	if (2 * taken >= room)
		grow();
	struct slot *slot = find(player, game);
	if (!slot->used) {
		*slot = (struct slot){ .player = player, .game = game, .used = true };
		taken++;
	}
	return slot;
}

/* ---- what the first rows stand on ---- */

/* The row before the first one in scope of each account. */
static const char joints_sql[] =
	"with firsts as (select distinct on (player) player, shard, prev_seq, prev_day from "
	"@journal@ j where not (currency = 0 or (kind = 1 and move = 0 and refusal <> 0)) order by "
	"player, shard, seq) select j.shard, j.seq, j.player, greatest(j.move, j.last_move), "
	"j.currency, j.balance_after from firsts f join @base@ b on b.shard = f.shard join "
	"wallet.entry j on j.shard = f.shard and j.seq = f.prev_seq and j.day = f.prev_day and "
	"j.seq <= b.seq order by 1, 2";

static void stand_on(
	int64_t player, int32_t shard, int64_t seq, int64_t move, int32_t currency, int64_t balance)
{
	struct slot *at = slot_of(player, ACCOUNT);

	at->move = at->seen && at->move > move ? at->move : move;
	at->seen = true;
	at->shard = shard;
	at->seq = seq;
	at->currency = currency;
	at->amount = balance;
}

static void pendings_take(const struct verify_scope *scope, bool *doubts)
{
	json_t *contents = json_loads(scope->state, 0, NULL);
	json_t *pendings = json_object_get(contents, "pendings");

	if (!json_is_object(contents) || (pendings != NULL && !json_is_array(pendings)))
		doubts[VERIFY_RULE_PENDINGS] = true;
	for (size_t i = 0; i < json_array_size(pendings); i++) {
		json_int_t player, game, amount;

		if (json_unpack(json_array_get(pendings, i), "[I,I,I]", &player, &game, &amount) ==
			0)
			slot_of(player, game)->amount = amount;
		else
			doubts[VERIFY_RULE_PENDINGS] = true;
	}
	json_decref(contents);
}

void rows_accounts_begin(PGconn *conn, const struct verify_scope *scope, bool *doubts)
{
	room = taken = 0;
	slots = NULL;
	whole = scope->shards_n == 0;
	grow();
	pendings_take(scope, doubts);
	if (whole)
		return;
	PGresult *rows = pass_ask(conn, scope, joints_sql);
	for (int i = 0; i < PQntuples(rows); i++)
		stand_on(pass_number(rows, i, 2), (int32_t)pass_number(rows, i, 0),
			pass_number(rows, i, 1), pass_number(rows, i, 3),
			(int32_t)pass_number(rows, i, 4), pass_number(rows, i, 5));
	PQclear(rows);
}

/* ---- rows ---- */

/* *sum_r + the parts; false: no sum of 64 bits. */
static bool add_to(int64_t *sum_r, int64_t part)
{
	return !__builtin_add_overflow(*sum_r, part, sum_r);
}

static bool take_from(int64_t *sum_r, int64_t part)
{
	return !__builtin_sub_overflow(*sum_r, part, sum_r);
}

static bool is_round(int64_t kind)
{
	return kind >= 2 && kind <= 7;
}

static bool balance_next(const struct verify_row *row, int64_t *balance_r)
{
	int64_t kind = row->number[ROW_KIND];

	if (row->number[ROW_REFUSAL] != 0)
		return true;
	if (is_round(kind))
		return add_to(balance_r, row->number[ROW_RELEASE]) &&
		       take_from(balance_r, row->number[ROW_STAKE]) &&
		       add_to(balance_r, row->number[ROW_WIN_BALANCE]);
	if ((kind >= 20 && kind <= 24) || kind == 28 || kind == 30 || kind == 31)
		return add_to(balance_r, row->number[ROW_AMOUNT]);
	return true;
}

static bool pending_next(const struct verify_row *row, int64_t *pending_r)
{
	if (row->number[ROW_REFUSAL] != 0 || !is_round(row->number[ROW_KIND]))
		return true;
	return add_to(pending_r, row->number[ROW_WIN_PENDING]) &&
	       take_from(pending_r, row->number[ROW_RELEASE]) &&
	       take_from(pending_r, row->number[ROW_FORFEIT]);
}

static bool account_follows(const struct verify_row *row, const struct slot *before)
{
	const int64_t *n = row->number;
	int64_t move_before = before->seen ? before->move : -1;
	int64_t balance = before->amount;

	if (n[ROW_MOVE] > 0 && n[ROW_MOVE] - 1 != move_before)
		return false;
	if ((move_before < 0) != (n[ROW_KIND] == OPENING && n[ROW_MOVE] == 0))
		return false;
	if (!balance_next(row, &balance) || n[ROW_BALANCE_AFTER] != balance || balance < 0)
		return false;
	return n[ROW_PREV_SEQ] == before->seq &&
	       (!before->seen ||
		       (row->shard == before->shard && n[ROW_CURRENCY] == before->currency));
}

static void account_row(const struct verify_row *row, bool *doubts)
{
	const int64_t *n = row->number;
	bool opening = n[ROW_KIND] == OPENING && n[ROW_MOVE] == 0;

	if (opening && !whole)
		doubts[VERIFY_RULE_REOPENED] = true; /* only the account tells */
	if (n[ROW_CURRENCY] == 0 || (opening && n[ROW_REFUSAL] != 0))
		return; /* refused for want of an account */
	if (!account_follows(row, slot_of(n[ROW_PLAYER], ACCOUNT)))
		doubts[VERIFY_RULE_ACCOUNTS] = true;
	stand_on(n[ROW_PLAYER], row->shard, n[ROW_SEQ], n[ROW_MOVE], (int32_t)n[ROW_CURRENCY],
		n[ROW_BALANCE_AFTER]);
}

void rows_accounts_row(const struct verify_row *row, bool *doubts)
{
	const int64_t *n = row->number;

	account_row(row, doubts);
	if (n[ROW_MOVE] <= 0)
		return;
	struct slot *at = slot_of(n[ROW_PLAYER], n[ROW_GAME]);
	int64_t pending = at->amount;
	if (!pending_next(row, &pending) || n[ROW_PENDING_AFTER] != pending || pending < 0)
		doubts[VERIFY_RULE_PENDINGS] = true;
	at->amount = n[ROW_PENDING_AFTER];
}

void rows_accounts_end(void)
{
	free(slots);
	slots = NULL;
}
