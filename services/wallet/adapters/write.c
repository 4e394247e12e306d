/* Writes one transaction: the rows of the batch, the claims they open and close, one batch row per
 * shard with its sums, legs and digest. Then a few accounts and the totals, so that a restart has
 * little to roll forward. Many rows go by COPY; a few go as inserts in one round trip with the
 * fence. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_line.h"
#include "services/wallet/adapters/digest.h"
#include "services/wallet/adapters/limits_text.h"
#include "services/wallet/adapters/quarantine.h"
#include "services/wallet/adapters/sums.h"
#include "services/wallet/adapters/text.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE_ROWS_MAX 8 /* more are fewer microseconds each by COPY */
#define LINE_OTHERS 8	/* beside the rows: begin, fence, reserved ids, checkpoints, legs */

enum table { JOURNAL, OUTSIDE, CLAIM, VOID, BATCH, LEG, TABLES };

static wallet_shard_function copy_rows, copy_ids, copy_claims, copy_voids, copy_batch, copy_legs;

/* What is inserted, and into which columns. */
static const struct {
	const char *statement; /* of a row in a line */
	const char *columns;
	int fields;
	wallet_shard_function *rows;
} tables[TABLES] = {
	[JOURNAL] = { "journal_row",
		"wallet.journal (shard, seq, player, kind, move, round, game, mode, refusal, "
		"currency, release, stake, win_balance, win_pending, forfeit, amount, "
		"balance_after, pending_after, prev_seq, claims, tallies, request_id, outside_id, "
		"record, last_move, time, day, prev_day)",
		28, copy_rows },
	[OUTSIDE] = { "outside_row", "wallet.outside (id, content_hash, shard, seq, player)", 5,
		copy_ids },
	[CLAIM] = { "claim_row",
		"wallet.claim (player, move, index, shard, pool, kind, currency, "
		"coin_minor, stake_minor, opened_seq, opened)",
		11, copy_claims },
	[VOID] = { "void_row",
		"wallet.void (player, round, shard, seq, move, game, currency, "
		"stake_returned, win_taken, receivable, pending_taken, time, awards)",
		13, copy_voids },
	[BATCH] = { "batch_row",
		"wallet.batch (shard, batch, first_seq, last_seq, checkpoint, epoch, digest, sums, "
		"time, day)",
		10, copy_batch },
	[LEG] = { "leg_row", "wallet.house_leg (shard, batch, currency, account, amount)", 5,
		copy_legs },
};

void wallet_each_shard(struct service *service, wallet_shard_function *function, void *context)
{
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			return;
		if (held->state != NULL)
			function(wallet_shard_of(held), context);
	}
}

/* ---- rows ---- */

static void copy_optional(struct pg_copy *copy, const uint8_t *bytes, size_t length)
{
	if (length == 0)
		pg_copy_null(copy);
	else
		pg_copy_bytes(copy, bytes, length);
}

static void copy_money(struct pg_copy *copy, const struct wallet_row *row)
{
	const int64_t amounts[] = { row->release, row->stake, row->win_balance, row->win_pending,
		row->forfeit, row->amount, row->balance_after, row->pending_after,
		(int64_t)row->prev_seq };

	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
		pg_copy_int64(copy, amounts[i]);
}

static void copy_row(struct pg_copy *copy, uint32_t shard, const struct wallet_row *row)
{
	int32_t tallies[WALLET_POOLS_MAX];

	for (uint32_t i = 0; i < row->tallies_n; i++)
		tallies[i] = (int32_t)row->tallies[i];
	pg_copy_row(copy, tables[JOURNAL].fields);
	pg_copy_int32(copy, (int32_t)shard);
	pg_copy_int64(copy, (int64_t)row->seq);
	pg_copy_int64(copy, row->player);
	pg_copy_int32(copy, (int32_t)row->kind);
	pg_copy_int64(copy, (int64_t)row->move);
	pg_copy_int64(copy, (int64_t)row->round);
	pg_copy_int32(copy, (int32_t)row->game);
	pg_copy_int32(copy, (int32_t)row->mode);
	pg_copy_int32(copy, (int32_t)row->refusal);
	pg_copy_int32(copy, (int32_t)row->currency);
	copy_money(copy, row);
	pg_copy_int32(copy, (int32_t)row->claims_n);
	pg_copy_int32_array(copy, tallies, row->tallies_n);
	copy_optional(copy, row->request_id, row->request_id_length);
	copy_optional(copy, row->outside_id, row->outside_id_length);
	copy_optional(copy, row->record, row->record_length);
	if (row->move > 0)
		pg_copy_null(copy);
	else
		pg_copy_int64(copy, (int64_t)row->last_move);
	pg_copy_time_us(copy, row->time_us);
	pg_copy_int32(copy, (int32_t)row->day - WALLET_EPOCH_2000_DAYS);
	if (row->prev_seq > 0)
		pg_copy_int32(copy, (int32_t)row->prev_day - WALLET_EPOCH_2000_DAYS);
	else
		pg_copy_null(copy);
}

static void copy_rows(struct wallet_shard *shard, void *context)
{
	for (size_t i = 0; i < shard->rows_n; i++)
		copy_row(context, shard->shard, &shard->rows[i].row);
}

static void copy_ids(struct wallet_shard *shard, void *context)
{
	struct pg_copy *copy = context;

	for (size_t i = 0; i < shard->rows_n; i++) {
		const struct booked *booked = &shard->rows[i];
		if (!booked->keeps_id)
			continue;
		pg_copy_row(copy, tables[OUTSIDE].fields);
		pg_copy_bytes(copy, booked->row.outside_id, WALLET_ID_BYTES);
		pg_copy_bytes(copy, booked->content_hash, WALLET_ID_BYTES);
		pg_copy_int32(copy, (int32_t)shard->shard);
		pg_copy_int64(copy, (int64_t)booked->row.seq);
		pg_copy_int64(copy, booked->row.player);
	}
}

static void copy_claims(struct wallet_shard *shard, void *context)
{
	struct pg_copy *copy = context;

	for (size_t i = 0; i < shard->rows_n; i++) {
		const struct wallet_row *row = &shard->rows[i].row;
		for (uint32_t j = 0; j < row->claims_n; j++) {
			pg_copy_row(copy, tables[CLAIM].fields);
			pg_copy_int64(copy, row->player);
			pg_copy_int64(copy, (int64_t)row->move);
			pg_copy_int32(copy, (int32_t)row->claims[j].index);
			pg_copy_int32(copy, (int32_t)shard->shard);
			pg_copy_int32(copy, (int32_t)row->claims[j].pool);
			pg_copy_int32(copy, (int32_t)row->claims[j].kind);
			pg_copy_int32(copy, (int32_t)row->currency);
			pg_copy_int64(copy, row->claims[j].coin_minor);
			pg_copy_int64(copy, row->claims[j].stake_minor);
			pg_copy_int64(copy, (int64_t)row->seq);
			pg_copy_time_us(copy, row->time_us);
		}
	}
}

static bool is_void(const struct wallet_row *row)
{
	return row->kind == WALLET_KIND_VOID && row->refusal == WALLET_REFUSAL_NONE;
}

static void copy_voids(struct wallet_shard *shard, void *context)
{
	struct pg_copy *copy = context;

	for (size_t i = 0; i < shard->rows_n; i++) {
		const struct wallet_row *row = &shard->rows[i].row;
		if (!is_void(row))
			continue;
		pg_copy_row(copy, tables[VOID].fields);
		pg_copy_int64(copy, row->player);
		pg_copy_int64(copy, (int64_t)row->round);
		pg_copy_int32(copy, (int32_t)shard->shard);
		pg_copy_int64(copy, (int64_t)row->seq);
		pg_copy_int64(copy, (int64_t)row->move);
		pg_copy_int32(copy, (int32_t)row->game);
		pg_copy_int32(copy, (int32_t)row->currency);
		pg_copy_int64(copy, row->win_balance);
		pg_copy_int64(copy, row->stake);
		pg_copy_int64(copy, row->amount);
		pg_copy_int64(copy, row->forfeit);
		pg_copy_time_us(copy, row->time_us);
		pg_copy_int64(copy, row->awards);
	}
}

static void close_claims(struct wallet_shard *shard, void *context)
{
	static const char sql[] =
		"update wallet.claim set closed_seq = $4, paid_minor = $5, hit = $6 "
		"where player = $1 and move = $2 and index = $3 and closed_seq is null";
	char numbers[6][24];
	const char *parameters[6];

	for (size_t i = 0; shard->claims_closing > 0 && i < shard->claims_n; i++) {
		const struct open_claim *claim = &shard->claims[i];
		if (claim->closed_seq == 0)
			continue;
		const int64_t values[] = { claim->player, (int64_t)claim->move, claim->claim.index,
			(int64_t)claim->closed_seq, claim->paid, (int64_t)claim->hit };
		for (size_t j = 0; j < 6; j++) {
			(void)snprintf(numbers[j], sizeof(numbers[j]), "%" PRId64, values[j]);
			parameters[j] = numbers[j];
		}
		PGresult *result = pg_query(context, sql, 6, parameters);
		if (PQcmdTuples(result)[0] != '1')
			fatal("wallet.claim: player %" PRId64 ", move %" PRIu64
			      ": found no open claim to close",
				claim->player, claim->move);
		PQclear(result);
	}
}

/* ---- batch rows and legs ---- */

static uint64_t checkpoint_of(const struct wallet_shard *shard)
{
	uint64_t checkpoint = shard->last_seq;

	if (shard->dirty.first != NULL && shard->dirty.first->dirty_seq - 1 < checkpoint)
		checkpoint = shard->dirty.first->dirty_seq - 1;
	if (shard->tallies_dirty && shard->tallies_seq < checkpoint)
		checkpoint = shard->tallies_seq;
	return checkpoint;
}

/* An idle shard has no new batch row for its checkpoint: update that of its last batch row. */
static void checkpoint_move(struct wallet_shard *shard, void *context)
{
	char numbers[3][24];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2] };
	uint64_t checkpoint = checkpoint_of(shard);

	if (shard->rows_n > 0 || shard->batch == 0 || checkpoint <= shard->checkpoint)
		return;
	(void)snprintf(numbers[0], sizeof(numbers[0]), "%u", shard->shard);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRIu64, shard->batch);
	(void)snprintf(numbers[2], sizeof(numbers[2]), "%" PRIu64, checkpoint);
	PQclear(pg_query(context,
		"update wallet.batch set checkpoint = $3 where shard = $1 and batch = $2", 3,
		parameters));
	shard->checkpoint = checkpoint;
}

static void digest_make(struct wallet_shard *shard, void *context)
{
	(void)context;
	if (shard->rows_n > 0)
		chain_digest(shard->digest, shard->rows, shard->rows_n, shard->digest);
}

static struct service *batch_service; /* whose batch rows are being written, and when */
static uint64_t batch_us;

static void copy_batch(struct wallet_shard *shard, void *context)
{
	struct pg_copy *copy = context;
	struct text *sums;

	if (shard->rows_n == 0)
		return;
	shard->batch++;
	shard->checkpoint = checkpoint_of(shard);
	sums = sums_text(shard->rows, shard->rows_n);
	pg_copy_row(copy, tables[BATCH].fields);
	pg_copy_int32(copy, (int32_t)shard->shard);
	pg_copy_int64(copy, (int64_t)shard->batch);
	pg_copy_int64(copy, (int64_t)shard->rows[0].row.seq);
	pg_copy_int64(copy, (int64_t)shard->last_seq);
	pg_copy_int64(copy, (int64_t)shard->checkpoint);
	pg_copy_int64(copy, (int64_t)service_shard(batch_service, shard->shard)->epoch);
	pg_copy_bytes(copy, shard->digest, DIGEST_BYTES);
	pg_copy_bytes(copy, sums->bytes, sums->length);
	pg_copy_time_us(copy, batch_us);
	pg_copy_int32(copy, (int32_t)shard->rows[0].row.day - WALLET_EPOCH_2000_DAYS);
}

static void copy_legs(struct wallet_shard *shard, void *context)
{
	struct pg_copy *copy = context;
	const struct leg_sum *legs;
	size_t n = shard->rows_n == 0 ? 0 : legs_sum(shard->rows, shard->rows_n, &legs);

	for (size_t i = 0; i < n; i++) {
		char name[LEG_NAME_MAX];
		if (legs[i].amount == 0)
			continue;
		size_t length = leg_name(&legs[i], name);
		pg_copy_row(copy, tables[LEG].fields);
		pg_copy_int32(copy, (int32_t)shard->shard);
		pg_copy_int64(copy, (int64_t)shard->batch);
		pg_copy_int32(copy, (int32_t)legs[i].currency);
		pg_copy_bytes(copy, name, length);
		pg_copy_int64(copy, legs[i].amount);
	}
}

struct counts {
	size_t rows, ids, claims, closing, voids;
};

static void count(struct wallet_shard *shard, void *context)
{
	struct counts *counts = context;

	counts->rows += shard->rows_n;
	counts->closing += shard->claims_closing;
	for (size_t i = 0; i < shard->rows_n; i++) {
		counts->ids += shard->rows[i].keeps_id;
		counts->claims += shard->rows[i].row.claims_n;
		counts->voids += is_void(&shard->rows[i].row);
	}
}

/* ---- many rows: COPY, table by table ---- */

static uint64_t copy_all(struct service *service, enum table table)
{
	struct pg_copy *copy = pg_copy_begin(service_pg(service), tables[table].columns);

	wallet_each_shard(service, tables[table].rows, copy);
	return pg_copy_end(copy);
}

/* Postgres receives the rows while this process computes the digest and gathers late accounts:
 * Postgres takes longer. */
static void write_journal(struct wallet *wallet, struct service *service, uint64_t now_us)
{
	wallet_days_write(service);
	struct pg_copy *copy = pg_copy_begin(service_pg(service), tables[JOURNAL].columns);

	wallet_each_shard(service, copy_rows, copy);
	pg_copy_sent(copy);
	wallet_each_shard(service, digest_make, NULL);
	wallet_checkpoint_gather(wallet, service, now_us);
	(void)pg_copy_end(copy);
}

void wallet_write(struct wallet *wallet, struct service *service)
{
	uint64_t began_us = clock_mono_us();
	struct counts counts = { 0 };

	wallet_each_shard(service, count, &counts);
	if (counts.rows > 0)
		write_journal(wallet, service, began_us);
	else
		wallet_checkpoint_gather(wallet, service, began_us);
	wallet_checkpoint_write(service_pg(service));
	if (counts.ids > 0)
		(void)copy_all(service, OUTSIDE);
	if (counts.claims > 0)
		(void)copy_all(service, CLAIM);
	if (counts.voids > 0)
		(void)copy_all(service, VOID);
	if (counts.closing > 0)
		wallet_each_shard(service, close_claims, service_pg(service));
	quarantine_save(wallet, service_pg(service));
	bonus_spins_write(&wallet->spins, service_pg(service));
	holds_write(&wallet->holds, service_pg(service));
	if (counts.rows == 0) {
		wallet_each_shard(service, checkpoint_move, service_pg(service));
		return;
	}
	batch_service = service;
	batch_us = clock_wall_us();
	metric_add(wallet->metrics.batch_rows, copy_all(service, BATCH));
	(void)copy_all(service, LEG);
	metric_observe_us(wallet->metrics.write_us, clock_mono_us() - began_us);
}

/* ---- a few rows: in one round trip with the fence ---- */

/* A bet has two to four legs: one statement takes them all. */
static const Oid leg_types[] = { 23, 20, 23, 25, 20 }; /* int4, int8, int4, text, int8 */
static const Oid leg_arrays[] = { 1007, 1016, 1007, 1009, 1016 };

static void legs_prepare(PGconn *conn)
{
	char sql[256];

	(void)snprintf(sql, sizeof(sql), "insert into %s select * from unnest($1, $2, $3, $4, $5)",
		tables[LEG].columns);
	pg_line_prepare(conn, tables[LEG].statement, sql, tables[LEG].fields, leg_arrays);
}

void wallet_write_prepare(PGconn *conn)
{
	char sql[1024];

	legs_prepare(conn);
	for (size_t i = 0; i < LEG; i++) {
		int n = snprintf(sql, sizeof(sql), "insert into %s values (", tables[i].columns);
		for (int field = 1; field <= tables[i].fields; field++)
			n += snprintf(sql + n, sizeof(sql) - (size_t)n, "$%d%s", field,
				field < tables[i].fields ? ", " : ")");
		pg_line_prepare(conn, tables[i].statement, sql, tables[i].fields, NULL);
	}
}

static void day_begins(struct wallet_shard *shard, void *context)
{
	bool *begins = context;

	*begins = *begins || (shard->rows_n > 0 && shard->rows[0].row.day != shard->partition_day);
}

bool wallet_write_fits_line(struct wallet *wallet, struct service *service)
{
	struct counts counts = { 0 };
	bool begins = false;

	wallet_each_shard(service, count, &counts);
	if (counts.rows == 0 || counts.rows > LINE_ROWS_MAX || counts.closing > 0)
		return false;
	wallet_each_shard(service, day_begins, &begins);
	/* A batch row a shard at most, of which each has rows. */
	return !begins && !quarantine_dirty(wallet) && !bonus_spins_dirty(&wallet->spins) &&
	       !holds_dirty(&wallet->holds) &&
	       2 * counts.rows + counts.ids + counts.claims + counts.voids <=
		       PG_LINE_MAX - LINE_OTHERS;
}

static struct pg_copy *rows_of(struct service *service, enum table table)
{
	struct pg_copy *copy = pg_copy_gather();

	wallet_each_shard(service, tables[table].rows, copy);
	return copy;
}

static uint64_t rows_in_line(struct service *service, struct pg_line *line, enum table table)
{
	struct pg_copy *copy = rows_of(service, table);

	return pg_copy_in_line(copy, line, tables[table].statement);
}

void wallet_write_in_line(struct wallet *wallet, struct service *service, struct pg_line *line)
{
	uint64_t began_us = clock_mono_us();

	(void)rows_in_line(service, line, JOURNAL);
	wallet_each_shard(service, digest_make, NULL);
	wallet_checkpoint_gather(wallet, service, began_us);
	wallet_checkpoint_in_line(line);
	(void)rows_in_line(service, line, OUTSIDE);
	(void)rows_in_line(service, line, CLAIM);
	(void)rows_in_line(service, line, VOID);
	batch_service = service;
	batch_us = clock_wall_us();
	metric_add(wallet->metrics.batch_rows, rows_in_line(service, line, BATCH));
	(void)pg_copy_in_arrays(rows_of(service, LEG), line, tables[LEG].statement, leg_types);
	metric_observe_us(wallet->metrics.write_us, clock_mono_us() - began_us);
}
