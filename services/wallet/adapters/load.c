/* Loads the state of a shard that was just taken: the end of its journal, its totals and open
 * claims as last written, then applies every later row. The rows are the truth; what is written
 * behind them only shortens the way to the same state. */
#include "services/wallet/adapters/app.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/wallet/adapters/limits_text.h"
#include "services/wallet/adapters/pendings_text.h"
#include "services/wallet/adapters/quarantine.h"
#include "services/wallet/adapters/rows.h"
#include "services/wallet/adapters/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT 24
#define ROLL_CHUNK 5000

/* ---- accounts ---- */

static const char accounts_sql[] =
	"select player, currency, balance, last_move, last_seq, blocked::integer, pendings, "
	"last_day - date '1970-01-01', l.state, a.shard from wallet.account a left join "
	"wallet.player_limit l using (player) where player = any($1::bigint[])";

static void account_check(const struct account_entry *entry, uint32_t shard)
{
	const struct wallet_account *account = &entry->account;

	if (currency_by_number(account->currency) == NULL)
		stored_wrong("wallet.account: player %" PRId64
			     ": found currency %u, expected a known currency",
			account->player, account->currency);
	if (account->balance.minor < 0 || account->last_move > INT64_MAX ||
		account->last_seq == 0 || account->last_seq > INT64_MAX)
		stored_wrong("wallet.account: player %" PRId64 ": found balance %" PRId64
			     ", last_move %" PRId64 ", last_seq %" PRId64
			     ", expected at least 0, 0, 1",
			account->player, account->balance.minor, (int64_t)account->last_move,
			(int64_t)account->last_seq);
	if (shard != entry->shard)
		stored_wrong("wallet.account: player %" PRId64 ": found shard %u, expected %u",
			account->player, shard, entry->shard);
}

/* In a try. */
static void account_read(const PGresult *result, int at, struct account_entry *entry)
{
	struct wallet_account *account = &entry->account;

	*account = (struct wallet_account){
		.player = pg_number(result, at, 0),
		.exists = true,
		.currency = (uint32_t)pg_number(result, at, 1),
		.balance = { pg_number(result, at, 2) },
		.last_move = (uint64_t)pg_number(result, at, 3),
		.last_seq = (uint64_t)pg_number(result, at, 4),
		.blocked = pg_number(result, at, 5) != 0,
	};
	if (!pendings_read(PQgetvalue(result, at, 6), account))
		stored_wrong("wallet.account: player %" PRId64
			     ": pendings: found '%.80s', expected at most %d triples of game, "
			     "round and amount",
			account->player, PQgetvalue(result, at, 6), WALLET_PENDINGS_MAX);
	account->last_day = (uint32_t)pg_number(result, at, 7);
	account_check(entry, (uint32_t)pg_number(result, at, 9));
	if (PQgetisnull(result, at, 8))
		return;
	account_limits_make(entry);
	if (!limits_read(PQgetvalue(result, at, 8), account->limits))
		stored_wrong("wallet.player_limit: player %" PRId64
			     ": found '%.40s', expected %d numbers",
			account->player, PQgetvalue(result, at, 8), (int)LIMITS_NUMBERS);
}

/* As if nothing were known of the player. */
static void account_forget(struct account_entry *entry)
{
	account_limits_drop(entry);
	entry->account = (struct wallet_account){ .player = entry->account.player };
}

/* Is this row of the journal the player's? */
static bool has_row(
	struct wallet *wallet, PGconn *conn, const struct account_entry *entry, uint64_t seq)
{
	struct stored_fault fault;
	struct wallet_row *rows;
	size_t n;

	if (seq == 0 || seq > INT64_MAX)
		return false;
	stored_try(&fault);
	n = rows_read_back(
		conn, entry->shard, entry->account.player, seq, seq, &wallet->scratch, &rows);
	if (n == 0 && rows_read_carried(conn, entry->shard, seq, &wallet->scratch, &rows))
		n = rows[0].player == entry->account.player ? 1 : 0;
	return stored_tried(&fault) && n == 1;
}

/* What cannot be read stops its player alone. */
static void account_load(struct wallet *wallet, PGconn *conn, const PGresult *result, int at,
	struct account_entry *entry)
{
	struct stored_fault fault;
	uint64_t seq;

	stored_try(&fault);
	account_read(result, at, entry);
	entry->stored = true;
	if (stored_tried(&fault))
		return;
	seq = entry->account.last_seq;
	account_forget(entry);
	quarantine_put(wallet, entry, has_row(wallet, conn, entry, seq) ? seq : 0, fault.text);
}

void wallet_load_players(struct wallet *wallet, PGconn *conn, const player_id *players,
	const uint32_t *shards, size_t n)
{
	static struct text list;
	size_t missing = 0;

	text_clear(&list);
	for (size_t i = 0; i < n; i++) {
		if (accounts_find(&wallet->accounts, players[i]) != NULL)
			continue;
		(void)accounts_add(&wallet->accounts, players[i], shards[i]);
		text_add(&list, "%c%" PRId64, missing++ == 0 ? '{' : ',', players[i]);
	}
	if (missing == 0)
		return;
	text_add(&list, "}");
	const char *parameters[] = { list.bytes };
	PGresult *result = pg_query(conn, accounts_sql, 1, parameters);
	for (int i = 0; i < PQntuples(result); i++)
		account_load(wallet, conn, result, i,
			accounts_find(&wallet->accounts, pg_number(result, i, 0)));
	PQclear(result);
}

static void account_roll(struct account_entry *entry, const struct wallet_row *row)
{
	if (row->kind == WALLET_KIND_LIMIT && row->refusal == WALLET_REFUSAL_NONE)
		account_limits_make(entry);
	wallet_account_roll(&entry->account, row);
}

/* ---- a released account ---- */

/* The row that wallet.account names must say the same. */
static void account_compare(const struct wallet_account *account, const struct wallet_row *row)
{
	struct wallet_pending pending = wallet_account_pending(account, row->game);
	bool sets_pending = row->kind >= WALLET_KIND_BET && row->kind < WALLET_KIND_VOID;

	if (row->player == account->player && row->balance_after == account->balance.minor &&
		row->last_move == account->last_move && row->currency == account->currency &&
		row->day == account->last_day &&
		(!sets_pending || row->pending_after == pending.amount.minor))
		return;
	stored_wrong("wallet.account: player %" PRId64 ": found balance %" PRId64
		     ", last_move %" PRIu64
		     ", currency %u, last_day %u, expected those of row %" PRIu64
		     " of the journal: %" PRId64 ", %" PRIu64 ", %u, %u, and pending %" PRId64
		     " in game %u",
		account->player, account->balance.minor, account->last_move, account->currency,
		account->last_day, row->seq, row->balance_after, row->last_move, row->currency,
		row->day, sets_pending ? row->pending_after : 0, row->game);
}

/* A player must not get rid of an exclusion. */
static void limits_compare(const struct wallet_account *account, const struct rows_proof *proof)
{
	if (account->limits != NULL || proof->limited_by == 0 ||
		proof->limited_by > account->last_seq)
		return;
	stored_wrong("wallet.player_limit: player %" PRId64
		     ": found no row, expected one, for row %" PRIu64
		     " of the journal has set a limit",
		account->player, proof->limited_by);
}

/* Applies the rows up to the newest one. */
static void account_catch_up(
	struct wallet *wallet, PGconn *conn, struct account_entry *entry, uint64_t newest)
{
	struct wallet_account *account = &entry->account;
	struct wallet_row *rows, *carried;
	size_t at = 0;

	if (newest < entry->quarantine->seq)
		newest = entry->quarantine->seq;
	if (newest < account->last_seq)
		newest = account->last_seq;
	size_t n = rows_read_back(conn, entry->shard, account->player, newest, account->last_seq,
		&wallet->scratch, &rows);
	if (n > 0 && rows[0].seq == account->last_seq)
		account_compare(account, &rows[at++]);
	else if (account->exists && rows_read_carried(conn, entry->shard, account->last_seq,
					    &wallet->scratch, &carried))
		account_compare(account, &carried[0]);
	else if (account->exists)
		stored_wrong("wallet.account: player %" PRId64 ": found last_seq %" PRIu64
			     ", expected a row of the player in the journal",
			account->player, account->last_seq);
	for (; at < n && stored_good() && rows[at].prev_seq == account->last_seq; at++)
		account_roll(entry, &rows[at]);
	if (account->last_seq != newest)
		stored_wrong("wallet.journal: player %" PRId64 ": found no row after seq %" PRIu64
			     ", expected rows up to seq %" PRIu64,
			account->player, account->last_seq, newest);
}

/* An award of a claim that is lost would be refused, and one that passes for paid is not booked. */
static void claims_compare(player_id player, const struct rows_proof *proof)
{
	if (proof->claims_of != 0)
		stored_wrong("wallet.claim: player %" PRId64
			     ": found another number of claims with opened_seq %" PRIu64
			     ", expected as many as this row of the journal says",
			player, proof->claims_of);
	if (proof->closed_by != 0)
		stored_wrong("wallet.claim: player %" PRId64 ": found closed_seq %" PRIu64
			     ", expected an award of the player in the journal, and of one claim",
			player, proof->closed_by);
}

void wallet_load_again(struct wallet *wallet, PGconn *conn, struct account_entry *entry)
{
	char list[NUMBER_TEXT + 2];
	const char *parameters[] = { list };

	account_forget(entry);
	(void)snprintf(list, sizeof(list), "{%" PRId64 "}", entry->account.player);
	PGresult *result = pg_query(conn, accounts_sql, 1, parameters);
	entry->stored = PQntuples(result) == 1;
	if (entry->stored)
		account_read(result, 0, entry);
	else if (entry->quarantine->seq == 0) /* else it is that of a player who is new */
		stored_wrong("wallet.account: player %" PRId64 ": found no row, expected one",
			entry->account.player);
	PQclear(result);
	struct rows_proof proof = rows_prove(conn, entry->shard, entry->account.player);
	if (stored_good())
		limits_compare(&entry->account, &proof);
	if (stored_good())
		account_catch_up(wallet, conn, entry, proof.newest);
	claims_compare(entry->account.player, &proof);
	if (!stored_good())
		account_forget(entry);
}

/* ---- end of the journal ---- */

/* The seq up to which accounts and totals in Postgres are complete. */
static uint64_t position_read(PGconn *conn, struct wallet_shard *shard)
{
	char number[NUMBER_TEXT];
	const char *parameters[] = { number };
	uint64_t checkpoint = 0;

	(void)snprintf(number, sizeof(number), "%u", shard->shard);
	PGresult *result = pg_query(conn,
		"select batch, last_seq, checkpoint, digest from wallet.batch where shard = $1 "
		"order by batch desc limit 1",
		1, parameters);
	if (PQntuples(result) == 1) {
		size_t length;
		uint8_t *digest = pg_bytea(result, 0, 3, &length);
		if (length != DIGEST_BYTES)
			fatal("wallet.batch: shard %u: found a digest of %zu bytes, expected %d",
				shard->shard, length, DIGEST_BYTES);
		memcpy(shard->digest, digest, DIGEST_BYTES);
		PQfreemem(digest);
		shard->batch = (uint64_t)pg_number(result, 0, 0);
		shard->last_seq = (uint64_t)pg_number(result, 0, 1);
		checkpoint = (uint64_t)pg_number(result, 0, 2);
	}
	PQclear(result);
	shard->committed_seq = shard->last_seq;
	shard->checkpoint = checkpoint;
	return checkpoint;
}

/* Totals of a shard: of the tallies in memory and of those whose totals their pools have not
 * recorded; or of one tally. All others are folded. */
static void totals_read(struct wallet *wallet, struct service *service, struct wallet_shard *shard,
	uint32_t only, uint64_t *seqs_r)
{
	PGconn *conn = service_pg(service);
	char numbers[2][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1] };
	bool cards = wallet_table_exists(conn, "cards.vector");
	bool pools = wallet_table_exists(conn, "pool.vector");
	char sql[640];

	(void)snprintf(numbers[0], sizeof(numbers[0]), "%u", shard->shard);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%u", only);
	(void)snprintf(sql, sizeof(sql),
		"select w.tally, w.total, w.seq, (w.total <= greatest(0%s%s))::integer "
		"from wallet.tally_total w where w.shard = $1 and $2::integer in (0, w.tally)",
		pools ? ", (select max(total) from pool.vector v where v.shard = w.shard and "
			"v.tally = w.tally)"
		      : "",
		cards ? ", (select max(total) from cards.vector v where v.shard = w.shard and "
			"v.tally = w.tally)"
		      : "");
	PGresult *result = pg_query(conn, sql, 2, parameters);
	for (int i = 0; i < PQntuples(result); i++) {
		uint32_t id = (uint32_t)pg_number(result, i, 0);
		int at = wallet_tally_index(wallet, id);
		if (at < 0 && pg_number(result, i, 3) != 0)
			continue;
		if (at < 0)
			at = wallet_tally_load(wallet, service, id);
		shard->totals[at] = (uint64_t)pg_number(result, i, 1);
		seqs_r[at] = (uint64_t)pg_number(result, i, 2);
	}
	PQclear(result);
}

/* ---- rolling forward ---- */

static void row_roll(struct wallet *wallet, struct service *service, struct wallet_shard *shard,
	const struct wallet_row *row, uint64_t *seqs, uint64_t now_us)
{
	struct account_entry *entry = accounts_find(&wallet->accounts, row->player);

	quarantine_ahead(wallet, entry, shard->last_seq);
	if (account_aside(entry)) {
		quarantine_missed(entry, row->seq);
	} else if (row->seq > entry->account.last_seq) {
		account_roll(entry, row);
		if (entry->account.exists)
			dirty_mark(&shard->dirty, entry, row->seq, now_us);
	}
	for (uint32_t i = 0; i < row->tallies_n; i++) {
		struct wallet_row one = { .seq = row->seq,
			.stake = row->stake,
			.tallies = { row->tallies[i] },
			.tallies_n = 1 };
		int at = wallet_tally_index(wallet, row->tallies[i]);
		if (at < 0) { /* folded after this row was booked */
			at = wallet_tally_load(wallet, service, row->tallies[i]);
			totals_read(wallet, service, shard, row->tallies[i], seqs);
			wallet_feed_add_pool(shard, wallet->tallies[at].pool);
		}
		if (row->seq > seqs[at])
			wallet_totals_add(wallet, shard, &one);
	}
}

static void chunk_roll(struct wallet *wallet, struct service *service, struct wallet_shard *shard,
	const struct wallet_row *rows, size_t n, uint64_t *seqs)
{
	player_id *players = arena_alloc(&wallet->scratch, n * sizeof(*players));
	uint32_t *shards = arena_alloc(&wallet->scratch, n * sizeof(*shards));

	for (size_t i = 0; i < n; i++) {
		players[i] = rows[i].player;
		shards[i] = shard->shard;
	}
	wallet->accounts.turn++;
	wallet_load_players(wallet, service_pg(service), players, shards, n);
	for (size_t i = 0; i < n; i++)
		row_roll(wallet, service, shard, &rows[i], seqs, clock_mono_us());
}

static void roll_forward(struct wallet *wallet, struct service *service, struct wallet_shard *shard,
	uint64_t checkpoint, uint64_t *seqs)
{
	uint64_t next = checkpoint + 1;

	while (next <= shard->last_seq) {
		struct wallet_row *rows;
		size_t n = rows_read(service_pg(service), shard->shard, next, shard->last_seq,
			ROLL_CHUNK, &wallet->scratch, &rows);
		if (n == 0)
			fatal("wallet.journal: shard %u: found no row from seq %" PRIu64
			      " on, expected rows up to %" PRIu64 ", the end of the last batch",
				shard->shard, next, shard->last_seq);
		chunk_roll(wallet, service, shard, rows, n, seqs);
		next = rows[n - 1].seq + 1;
		arena_reset(&wallet->scratch);
	}
}

void wallet_load_shard(struct wallet *wallet, struct service *service, struct wallet_shard *shard)
{
	PGconn *conn = service_pg(service);
	static uint64_t seqs[WALLET_TALLIES_MAX];
	uint64_t began_us = clock_mono_us();
	uint64_t checkpoint;

	memset(seqs, 0, sizeof(seqs));
	checkpoint = position_read(conn, shard);
	wallet_days_load(wallet, service, shard);
	totals_read(wallet, service, shard, 0, seqs);
	quarantine_open(wallet, conn, shard->shard);
	wallet_claims_load(wallet, conn, shard);
	roll_forward(wallet, service, shard, checkpoint, seqs);
	shard->tallies_seq = checkpoint;
	log_info("shard %u: journal ends with seq %" PRIu64 ", rolled forward from seq %" PRIu64
		 ", %zu open claims, %" PRIu64 " ms",
		shard->shard, shard->last_seq, checkpoint, shard->claims_n,
		(clock_mono_us() - began_us) / 1000);
}
