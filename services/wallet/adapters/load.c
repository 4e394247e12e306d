/* Loads the state of a shard that was just taken: the end of its journal, its totals and open
 * claims as last written, then applies every later row. The rows are the truth; what is written
 * behind them only shortens the way to the same state. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/wallet/adapters/limits_text.h"
#include "services/wallet/adapters/rows.h"
#include "services/wallet/adapters/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT 24
#define ROLL_CHUNK 5000

/* ---- accounts ---- */

/* "{5,3,100,7,9,40}": triples of game, round, amount. */
static void pendings_read(const char *text, struct wallet_account *account)
{
	const char *all = text;
	char *end;
	long long numbers[3];
	int n = 0;

	for (text++; *text != '}' && *text != '\0'; text = *end == ',' ? end + 1 : end) {
		numbers[n++] = strtoll(text, &end, 10);
		if (end == text)
			break;
		if (n < 3)
			continue;
		n = 0;
		if (account->pendings_n == WALLET_PENDINGS_MAX)
			fatal("wallet.account: player %" PRId64 ": found more than %d pendings",
				account->player, WALLET_PENDINGS_MAX);
		account->pendings[account->pendings_n++] =
			(struct wallet_pending){ (uint32_t)numbers[0], (uint64_t)numbers[1],
				{ numbers[2] } };
	}
	if (n != 0 || *text != '}')
		fatal("wallet.account: player %" PRId64 ": pendings: found '%.80s', expected "
		      "triples of numbers",
			account->player, all);
}

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
	pendings_read(PQgetvalue(result, at, 6), account);
	account->last_day = (uint32_t)pg_number(result, at, 7);
	if (PQgetisnull(result, at, 8))
		return;
	account_limits_make(entry);
	if (!limits_read(PQgetvalue(result, at, 8), account->limits))
		fatal("wallet.player_limit: player %" PRId64 ": found '%.40s', expected %d numbers",
			account->player, PQgetvalue(result, at, 8), (int)LIMITS_NUMBERS);
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
	PGresult *result = pg_query(conn,
		"select player, currency, balance, last_move, last_seq, blocked::integer, "
		"pendings, last_day - date '1970-01-01', l.state from wallet.account left join "
		"wallet.player_limit l using (player) where player = any($1::bigint[])",
		1, parameters);
	for (int i = 0; i < PQntuples(result); i++) {
		struct account_entry *entry =
			accounts_find(&wallet->accounts, pg_number(result, i, 0));
		account_read(result, i, entry);
		entry->stored = true;
	}
	PQclear(result);
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

static void claims_read(PGconn *conn, struct wallet_shard *shard)
{
	char number[NUMBER_TEXT];
	const char *parameters[] = { number };

	(void)snprintf(number, sizeof(number), "%u", shard->shard);
	PGresult *result = pg_query(conn,
		"select player, move, index, pool, kind, currency, coin_minor, stake_minor, "
		"opened_seq, (extract(epoch from opened) * 1000000)::bigint, "
		"(select j.round from wallet.rows_between(c.shard, c.opened_seq, c.opened_seq, 1) "
		"j) from wallet.claim c where shard = $1 and closed_seq is null order by opened_seq, "
		"index",
		1, parameters);
	for (int i = 0; i < PQntuples(result); i++) {
		/* next_send_us 0: all open claims are sent again at once. */
		struct open_claim claim = { .player = pg_number(result, i, 0),
			.move = (uint64_t)pg_number(result, i, 1),
			.claim = { (uint32_t)pg_number(result, i, 2),
				(uint32_t)pg_number(result, i, 3),
				(uint32_t)pg_number(result, i, 4), pg_number(result, i, 6),
				pg_number(result, i, 7) },
			.currency = (uint32_t)pg_number(result, i, 5),
			.opened_seq = (uint64_t)pg_number(result, i, 8),
			.opened_us = (uint64_t)pg_number(result, i, 9),
			.round = (uint64_t)pg_number(result, i, 10),
			.delay_us = 1000000 };
		wallet_claims_add(shard, &claim);
	}
	PQclear(result);
}

/* ---- rolling forward ---- */

static void row_roll(struct wallet *wallet, struct service *service, struct wallet_shard *shard,
	const struct wallet_row *row, uint64_t *seqs, uint64_t now_us)
{
	struct account_entry *entry = accounts_find(&wallet->accounts, row->player);

	if (row->seq > entry->account.last_seq) {
		if (row->kind == WALLET_KIND_LIMIT && row->refusal == WALLET_REFUSAL_NONE)
			account_limits_make(entry);
		wallet_account_roll(&entry->account, row);
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
	claims_read(conn, shard);
	roll_forward(wallet, service, shard, checkpoint, seqs);
	shard->tallies_seq = checkpoint;
	log_info("shard %u: journal ends with seq %" PRIu64 ", rolled forward from seq %" PRIu64
		 ", %zu open claims, %" PRIu64 " ms",
		shard->shard, shard->last_seq, checkpoint, shard->claims_n,
		(clock_mono_us() - began_us) / 1000);
}
