/* Open claims: what pools owe. There are few at any time, so a plain list is enough. */
#include "services/wallet/adapters/app.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/stored.h"
#include "services/wallet/adapters/quarantine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_TEXT 24

void wallet_claims_add(struct wallet_shard *shard, const struct open_claim *claim)
{
	if (shard->claims_n == shard->claims_room) {
		shard->claims_room = shard->claims_room == 0 ? 64 : shard->claims_room * 2;
		shard->claims = realloc(shard->claims, shard->claims_room * sizeof(*shard->claims));
		if (shard->claims == NULL)
			fatal("out of memory: %zu open claims", shard->claims_room);
	}
	shard->claims[shard->claims_n++] = *claim;
}

void wallet_claims_open(struct wallet_shard *shard, const struct wallet_row *row, uint64_t mono_us)
{
	for (uint32_t i = 0; i < row->claims_n; i++) {
		struct open_claim claim = { .player = row->player,
			.move = row->move,
			.round = row->round,
			.claim = row->claims[i],
			.currency = row->currency,
			.opened_seq = row->seq,
			.opened_us = row->time_us,
			.next_send_us = mono_us + WALLET_CLAIM_DELAY_US,
			.delay_us = WALLET_CLAIM_DELAY_US };
		wallet_claims_add(shard, &claim);
	}
}

struct open_claim *wallet_claims_find(
	struct wallet_shard *shard, player_id player, uint64_t move, uint32_t index)
{
	for (size_t i = 0; i < shard->claims_n; i++) {
		struct open_claim *claim = &shard->claims[i];
		if (claim->player == player && claim->move == move && claim->claim.index == index)
			return claim;
	}
	return NULL;
}

bool wallet_claims_of_round(const struct wallet_shard *shard, player_id player, uint64_t round)
{
	for (size_t i = 0; i < shard->claims_n; i++)
		if (shard->claims[i].player == player && shard->claims[i].round == round &&
			shard->claims[i].closed_seq == 0)
			return true;
	return false;
}

void wallet_claims_forget_closed(struct wallet_shard *shard)
{
	size_t kept = 0;

	if (shard->claims_closing == 0)
		return;
	for (size_t i = 0; i < shard->claims_n; i++)
		if (shard->claims[i].closed_seq == 0)
			shard->claims[kept++] = shard->claims[i];
	shard->claims_n = kept;
	shard->claims_closing = 0;
}

/* ---- in Postgres ---- */

enum {
	PLAYER,
	MOVE,
	INDEX,
	POOL,
	KIND,
	CURRENCY,
	COIN,
	STAKE,
	OPENED_SEQ,
	OPENED_US,
	ROUND,
	ROW_PLAYER,
	ROW_MOVE,
	ROW_CURRENCY,
};

/* Of the journal's row that opened the claim; null: it is not there. */
#define OF_ROW(column)                                                                             \
	"coalesce((select j." column " from wallet.rows_between(c.shard, c.opened_seq, "           \
	"c.opened_seq, 1) j), (select k." column " from wallet.carried k where k.shard = c.shard " \
	"and k.seq = c.opened_seq))"

#define ROW_COLUMNS                                                                                \
	OF_ROW("round") ", " OF_ROW("player") ", " OF_ROW("move") ", " OF_ROW("currency")

static const char claims_sql[] =
	"select player, move, index, pool, kind, currency, coin_minor, stake_minor, opened_seq, "
	"(extract(epoch from opened) * 1000000)::bigint, " ROW_COLUMNS " from wallet.claim c "
	"where shard = $1 and $2::bigint in (0, player) and closed_seq is null "
	"order by opened_seq, index";

/* Open claims of a shard; of one player, or of all (0). */
static PGresult *claims_ask(PGconn *conn, uint32_t shard, player_id player)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, shard);
	pg_args_int(&args, player);
	return pg_args_query(&args, conn, claims_sql);
}

static bool claim_good(const struct open_claim *open)
{
	const struct wallet_claim *claim = &open->claim;

	return claim->index > 0 && claim->pool > 0 &&
	       (claim->kind == WALLET_CLAIM_KIND_HIT || claim->kind == WALLET_CLAIM_KIND_CARDS) &&
	       claim->coin_minor >= 0 && claim->stake_minor >= 0 &&
	       currency_by_number(open->currency) != NULL && open->opened_seq > 0 &&
	       open->opened_seq <= INT64_MAX;
}

/* Else it would be priced and paid to somebody else, or as another one. */
static void claim_compare(const PGresult *result, int at, const struct open_claim *open)
{
	if (pg_number(result, at, ROW_PLAYER) == open->player &&
		(uint64_t)pg_number(result, at, ROW_MOVE) == open->move &&
		pg_u32(result, at, ROW_CURRENCY) == open->currency)
		return;
	stored_wrong("wallet.claim: found player %" PRId64 ", move %" PRIu64
		     ", currency %u, expected those of row %" PRIu64
		     " of the journal: player %s, move %s, currency %s",
		open->player, open->move, open->currency, open->opened_seq,
		PQgetvalue(result, at, ROW_PLAYER), PQgetvalue(result, at, ROW_MOVE),
		PQgetvalue(result, at, ROW_CURRENCY));
}

/* In a try. */
static struct open_claim claim_read(const PGresult *result, int at)
{
	/* next_send_us 0: all open claims are sent again at once. */
	struct open_claim open = { .player = pg_number(result, at, PLAYER),
		.move = (uint64_t)pg_number(result, at, MOVE),
		.claim = { pg_u32(result, at, INDEX), pg_u32(result, at, POOL),
			pg_u32(result, at, KIND), pg_number(result, at, COIN),
			pg_number(result, at, STAKE) },
		.currency = pg_u32(result, at, CURRENCY),
		.opened_seq = (uint64_t)pg_number(result, at, OPENED_SEQ),
		.opened_us = (uint64_t)pg_number(result, at, OPENED_US),
		.round = (uint64_t)pg_number(result, at, ROUND),
		.delay_us = WALLET_CLAIM_DELAY_US / 2 };

	if (!claim_good(&open))
		stored_wrong("wallet.claim: player %" PRId64 ", move %" PRIu64
			     ": found index %s, pool %s, kind %s, currency %s, coin %s, stake %s, "
			     "opened_seq %s, expected an open claim",
			open.player, open.move, PQgetvalue(result, at, INDEX),
			PQgetvalue(result, at, POOL), PQgetvalue(result, at, KIND),
			PQgetvalue(result, at, CURRENCY), PQgetvalue(result, at, COIN),
			PQgetvalue(result, at, STAKE), PQgetvalue(result, at, OPENED_SEQ));
	claim_compare(result, at, &open);
	return open;
}

/* The player who is to get it: that of the row, if it is known. */
static void quarantine_of_claim(struct wallet *wallet, struct wallet_shard *shard,
	const PGresult *result, int at, const char *found)
{
	bool known = !PQgetisnull(result, at, ROW_PLAYER);
	player_id player = pg_number(result, at, known ? ROW_PLAYER : PLAYER);
	struct account_entry *entry = accounts_find(&wallet->accounts, player);

	if (entry == NULL)
		entry = accounts_add(&wallet->accounts, player, shard->shard);
	quarantine_put(wallet, entry, 0, found);
}

void wallet_claims_load(struct wallet *wallet, PGconn *conn, struct wallet_shard *shard)
{
	PGresult *result = claims_ask(conn, shard->shard, 0);

	for (int i = 0; i < PQntuples(result); i++) {
		struct stored_fault fault;
		stored_try(&fault);
		struct open_claim open = claim_read(result, i);
		if (stored_tried(&fault))
			wallet_claims_add(shard, &open);
		else
			quarantine_of_claim(wallet, shard, result, i, fault.text);
	}
	PQclear(result);
}

void wallet_claims_load_again(PGconn *conn, struct wallet_shard *shard, player_id player)
{
	PGresult *result = claims_ask(conn, shard->shard, player);
	size_t kept = 0;

	for (size_t i = 0; i < shard->claims_n; i++)
		if (shard->claims[i].player != player)
			shard->claims[kept++] = shard->claims[i];
	shard->claims_n = kept;
	for (int i = 0; i < PQntuples(result); i++) {
		struct open_claim open = claim_read(result, i);
		if (stored_good())
			wallet_claims_add(shard, &open);
	}
	PQclear(result);
}

bool wallet_claims_stored(PGconn *conn, const struct open_claim *open)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, open->player);
	pg_args_int(&args, (int64_t)open->move);
	pg_args_int(&args, open->claim.index);
	PGresult *result = pg_args_query(&args, conn,
		"select 1 from wallet.claim where player = $1 and move = $2 and index = $3 and "
		"closed_seq is null");
	bool stored = PQntuples(result) == 1;
	PQclear(result);
	return stored;
}

bool wallet_claims_was_paid(PGconn *conn, player_id player, uint64_t move, uint32_t index)
{
	char numbers[3][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2] };

	(void)snprintf(numbers[0], NUMBER_TEXT, "%" PRId64, player);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%" PRIu64, move);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%u", index);
	PGresult *result = pg_query(conn,
		"select 1 from wallet.claim where player = $1 and move = $2 and index = $3 and "
		"closed_seq is not null",
		3, parameters);
	bool paid = PQntuples(result) == 1;
	PQclear(result);
	return paid;
}
