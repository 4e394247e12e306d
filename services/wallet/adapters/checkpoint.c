/* Writes accounts and totals behind the journal rows: a few accounts per transaction, so that a
 * restart has little to roll forward. It updates existing accounts by binary arrays: no text is
 * formatted or parsed, and no insert looks for conflicts. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg_line.h"
#include "services/wallet/adapters/limits_text.h"
#include "services/wallet/adapters/text.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROLL_AFTER_US 800000 /* later writes cover more rows each; at most 1 s */
#define ROLL_FROM_US 700000  /* with the first that is due all of this age: fewer statements */
#define ROLL_AFTER_ROWS 80000
#define ROLL_MAX 2000 /* accounts per transaction, unless some are very late */
#define ROLL_LATE_US 900000
#define ROLL_LATE_ROWS 95000
#define ROLL_LATE_MAX 20000

/* ---- arrays of 64 bits as Postgres sends and receives them ---- */

#define INT8_OID 20u
#define INT8_ARRAY_OID 1016u
#define ARRAY_HEADER 20u /* dimensions, nulls, type, length, first index */
#define ELEMENT_BYTES 12u

struct column {
	uint8_t *bytes;
	size_t n, room; /* elements */
};

static void column_add(struct column *column, int64_t value)
{
	uint32_t length = htobe32(sizeof(value));
	uint64_t big = htobe64((uint64_t)value);
	uint8_t *at;

	if (column->n == column->room) {
		column->room = column->room == 0 ? 256 : column->room * 2;
		column->bytes = realloc(column->bytes, ARRAY_HEADER + column->room * ELEMENT_BYTES);
		if (column->bytes == NULL)
			fatal("out of memory: %zu accounts to write", column->room);
	}
	at = column->bytes + ARRAY_HEADER + column->n++ * ELEMENT_BYTES;
	memcpy(at, &length, sizeof(length));
	memcpy(at + sizeof(length), &big, sizeof(big));
}

/* The column as a parameter, which borrows its bytes. */
static const char *column_end(struct column *column, int *length_r)
{
	static const uint8_t none[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, INT8_OID };
	const uint32_t header[] = { htobe32(1), 0, htobe32(INT8_OID), htobe32((uint32_t)column->n),
		htobe32(1) };

	*length_r = (int)(column->n == 0 ? sizeof(none) : ARRAY_HEADER + column->n * ELEMENT_BYTES);
	if (column->n == 0)
		return (const char *)none;
	memcpy(column->bytes, header, sizeof(header));
	return (const char *)column->bytes;
}

/* ---- late accounts ---- */

enum {
	PLAYER,
	SHARD,
	CURRENCY,
	BALANCE,
	LAST_MOVE,
	LAST_SEQ,
	BLOCKED,
	DAY,
	FROM,
	TO,
	FLAT,
	COLUMNS
};

struct accounts_checkpoint {
	/* FROM and TO: the range in FLAT of the account's triples (game, round, amount). */
	struct column columns[COLUMNS];
};

static struct {
	struct wallet *wallet;
	uint64_t now_us;
	struct accounts_checkpoint known, new;
	struct text tally_columns[4]; /* shard, tally, total, seq */
	size_t tallies_n;
	struct text limits[3]; /* player, shard, state: of accounts that have limits */
	size_t limits_n;
} late;

static void accounts_clear(struct accounts_checkpoint *accounts)
{
	for (size_t i = 0; i < COLUMNS; i++)
		accounts->columns[i].n = 0;
}

static void checkpoint_add_limits(const struct account_entry *entry)
{
	char separator = late.limits_n++ == 0 ? '{' : ',';

	text_add(&late.limits[0], "%c%" PRId64, separator, entry->account.player);
	text_add(&late.limits[1], "%c%u", separator, entry->shard);
	text_add(&late.limits[2], "%c\"", separator);
	limits_text(&late.limits[2], entry->account.limits);
	text_add(&late.limits[2], "\"");
}

static void checkpoint_add(struct account_entry *entry)
{
	const struct wallet_account *account = &entry->account;
	struct accounts_checkpoint *to = entry->stored ? &late.known : &late.new;
	struct column *flat = &to->columns[FLAT];
	const int64_t values[] = { account->player, entry->shard, account->currency,
		account->balance.minor, (int64_t)account->last_move, (int64_t)account->last_seq,
		account->blocked, (int64_t)account->last_day, (int64_t)flat->n + 1,
		(int64_t)flat->n + 3 * (int64_t)account->pendings_n };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		column_add(&to->columns[i], values[i]);
	for (uint32_t i = 0; i < account->pendings_n; i++) {
		column_add(flat, account->pendings[i].game);
		column_add(flat, (int64_t)account->pendings[i].round);
		column_add(flat, account->pendings[i].amount.minor);
	}
	if (account->limits != NULL)
		checkpoint_add_limits(entry);
	if (entry->quarantine != NULL)
		entry->quarantine->gathered = true;
	entry->stored = true;
}

static bool checkpoint_due(const struct wallet_shard *shard, uint64_t age_us, uint64_t rows)
{
	const struct account_entry *first = shard->dirty.first;

	return first != NULL && (late.now_us > first->dirty_us + age_us ||
					shard->last_seq > first->dirty_seq + rows);
}

static void roll_accounts(struct wallet_shard *shard, void *context)
{
	(void)context;
	if (checkpoint_due(shard, ROLL_AFTER_US, ROLL_AFTER_ROWS))
		for (size_t n = 0;
			n < ROLL_MAX && checkpoint_due(shard, ROLL_FROM_US, ROLL_AFTER_ROWS); n++)
			checkpoint_add(dirty_take(&shard->dirty));
	for (size_t n = 0; n < ROLL_LATE_MAX && checkpoint_due(shard, ROLL_LATE_US, ROLL_LATE_ROWS);
		n++)
		checkpoint_add(dirty_take(&shard->dirty));
}

/* Released accounts, which may be newer than the shard's checkpoint tells: in the transaction that
 * deletes their quarantine. */
static void roll_released(const struct accounts *accounts)
{
	for (size_t i = 0; i < accounts->aside_n; i++) {
		struct account_entry *entry = accounts->aside[i];
		if (entry->quarantine->ended && !entry->quarantine->gathered)
			checkpoint_add(entry);
	}
}

static void roll_tallies(struct wallet_shard *shard, void *context)
{
	(void)context;
	if (!shard->tallies_dirty ||
		(late.now_us < shard->tallies_us + ROLL_AFTER_US &&
			shard->last_seq < shard->tallies_seq + ROLL_AFTER_ROWS))
		return;
	for (size_t i = 0; i < late.wallet->rules.tallies_n; i++) {
		const int64_t values[] = { shard->shard, late.wallet->tallies[i].id,
			(int64_t)shard->totals[i], (int64_t)shard->last_seq };
		char separator = late.tallies_n == 0 ? '{' : ',';
		if (shard->totals[i] == 0)
			continue;
		for (size_t j = 0; j < 4; j++)
			text_add(&late.tally_columns[j], "%c%" PRId64, separator, values[j]);
		late.tallies_n++;
	}
	shard->tallies_dirty = false;
	shard->tallies_seq = shard->last_seq;
	shard->tallies_us = late.now_us;
}

void wallet_checkpoint_gather(struct wallet *wallet, struct service *service, uint64_t now_us)
{
	late.wallet = wallet;
	late.now_us = now_us;
	late.tallies_n = late.limits_n = 0;
	accounts_clear(&late.known);
	accounts_clear(&late.new);
	for (size_t i = 0; i < 4; i++)
		text_clear(&late.tally_columns[i]);
	for (size_t i = 0; i < 3; i++)
		text_clear(&late.limits[i]);
	wallet_each_shard(service, roll_accounts, NULL);
	roll_released(&wallet->accounts);
	wallet_each_shard(service, roll_tallies, NULL);
}

/* ---- writing ---- */

#define ACCOUNTS_GIVEN                                                                             \
	"unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as v(player, shard, currency, balance, "  \
	"last_move, last_seq, blocked, day, first, last)"

#define DAY_GIVEN "date '1970-01-01' + v.day::integer"

enum { KNOWN, NEW, TALLIES, LIMITS, STATEMENTS };

static const struct {
	const char *name, *sql;
} statements[STATEMENTS] = {
	[KNOWN] = { "account_known",
		"update wallet.account a set balance = v.balance, last_move = v.last_move, "
		"last_seq = v.last_seq, last_day = " DAY_GIVEN
		", blocked = v.blocked <> 0, pendings = "
		"($11::bigint[])[v.first:v.last] from " ACCOUNTS_GIVEN
		" where a.player = v.player and a.shard = v.shard and a.currency = v.currency" },
	[NEW] = { "account_new",
		"insert into wallet.account (player, shard, currency, balance, last_move, "
		"last_seq, blocked, last_day, pendings) select player, shard, currency, balance, "
		"last_move, last_seq, blocked <> 0, " DAY_GIVEN
		", ($11::bigint[])[first:last] from " ACCOUNTS_GIVEN },
	[TALLIES] = { "tally_totals",
		"insert into wallet.tally_total (shard, tally, total, seq) "
		"select * from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[]) "
		"on conflict (shard, tally) do update set total = excluded.total, seq = "
		"excluded.seq" },
	[LIMITS] = { "player_limits",
		"insert into wallet.player_limit (player, shard, state) select p, s, t::bigint[] "
		"from unnest($1::bigint[], $2::integer[], $3::text[]) as v(p, s, t) on conflict "
		"(player) do update set state = excluded.state" },
};

void wallet_checkpoint_prepare(PGconn *conn)
{
	static const Oid types[COLUMNS] = { INT8_ARRAY_OID, INT8_ARRAY_OID, INT8_ARRAY_OID,
		INT8_ARRAY_OID, INT8_ARRAY_OID, INT8_ARRAY_OID, INT8_ARRAY_OID, INT8_ARRAY_OID,
		INT8_ARRAY_OID, INT8_ARRAY_OID, INT8_ARRAY_OID };

	for (size_t i = 0; i < STATEMENTS; i++)
		pg_line_prepare(conn, statements[i].name, statements[i].sql,
			i == KNOWN || i == NEW ? COLUMNS : 0,
			i == KNOWN || i == NEW ? types : NULL);
}

static void accounts_send(
	struct pg_line *line, struct accounts_checkpoint *accounts, const char *statement)
{
	static const int formats[COLUMNS] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	const char *values[COLUMNS];
	int lengths[COLUMNS];
	size_t n = accounts->columns[PLAYER].n;

	if (n == 0)
		return;
	for (size_t i = 0; i < COLUMNS; i++)
		values[i] = column_end(&accounts->columns[i], &lengths[i]);
	pg_line_send(
		line, "wallet.account", (int64_t)n, statement, COLUMNS, values, lengths, formats);
}

static void texts_send(
	struct pg_line *line, struct text *texts, int n, const char *what, const char *statement)
{
	const char *values[4];

	for (int i = 0; i < n; i++) {
		text_add(&texts[i], "}");
		values[i] = texts[i].bytes;
	}
	pg_line_send(line, what, PG_LINE_ANY, statement, n, values, NULL, NULL);
}

void wallet_checkpoint_in_line(struct pg_line *line)
{
	accounts_send(line, &late.known, statements[KNOWN].name);
	accounts_send(line, &late.new, statements[NEW].name);
	if (late.limits_n > 0)
		texts_send(line, late.limits, 3, "wallet.player_limit", statements[LIMITS].name);
	if (late.tallies_n > 0)
		texts_send(line, late.tally_columns, 4, "wallet.tally_total",
			statements[TALLIES].name);
}

void wallet_checkpoint_write(PGconn *conn)
{
	struct pg_line line;

	if (late.known.columns[PLAYER].n + late.new.columns[PLAYER].n + late.limits_n +
			late.tallies_n ==
		0)
		return;
	pg_line_begin(&line, conn);
	wallet_checkpoint_in_line(&line);
	pg_line_end(&line);
}
