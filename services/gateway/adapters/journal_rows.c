#include "services/gateway/adapters/journal_rows.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TOGETHER_MAX 64	 /* reads of one statement */
#define ROWS_MAX 4000	 /* rows that they may ask for together */
#define STATEMENTS_MAX 2 /* on their way; other reads of the gateway use the other connections */
#define NUMBER_TEXT 24
#define NUMBERS 5    /* of one read: see together_sql */
#define COLUMN_AT 24 /* the last column: which read of the statement the row is for, from 1 */

#define COLUMNS                                                                                    \
	"w.seq, w.kind, w.move, w.round, w.game, w.refusal, w.release, w.stake, w.win_balance, "   \
	"w.win_pending, w.forfeit, w.amount, w.balance_after, w.pending_after, w.prev_seq, "       \
	"w.claims, (extract(epoch from w.time) * 1000000)::bigint, w.award_move, "                 \
	"w.bonus_spin::integer, w.cards, w.archived::integer, w.award_index, w.award_pool, "       \
	"w.mode, a.at "

/* Row `start` of the account comes first. */
#define WALK(asked, down_to)                                                                       \
	"with a as (select *, case when from_seq > 0 then from_seq when until_us > 0 then "        \
	"wallet.history_start(player, shard, to_timestamp(until_us / 1000000.0)) else "            \
	"wallet.newest_of(player, shard) end as start from " asked ") "                            \
	"select " COLUMNS                                                                          \
	"from a, lateral wallet.history_rows(a.player, a.shard, a.start, a.most, " down_to ") w "

/* $1 players, $2 shards, $3 rows of the accounts or 0 for the newest, $4 numbers of rows, $5 times
 * or 0. */
static const char together_sql[] = WALK("unnest($1::bigint[], $2::integer[], $3::bigint[], "
					"$4::bigint[], $5::bigint[]) with ordinality as t(player, "
					"shard, from_seq, most, until_us, at)",
	"0") "order by a.at, w.seq desc";
/* The same for one player; $6 the round. Its awards belong to no move of it. */
static const char round_sql[] = WALK("(select $1::bigint as player, $2::integer as shard, "
				     "$3::bigint as from_seq, $4::bigint as most, $5::bigint as "
				     "until_us, 1 as at) t",
	"$6::bigint") "where w.round = $6::bigint or w.award_move = $6::bigint order by w.seq";

struct read {
	struct read *next;
	struct journal_wanted wanted;
	pg_done *done;
	void *context;
	uint64_t until_us;
};

/* One statement and those who wait for it. */
struct statement {
	struct read *reads;
	uint64_t sent_us;
};

static struct {
	struct gateway *gateway;
	struct read *first, **tail; /* not sent yet */
	size_t waiting, on_their_way;
	uint64_t read_us; /* what one read took lately, all statements together */
} all;

static void *must(void *memory)
{
	if (memory == NULL)
		fatal("out of memory");
	return memory;
}

uint64_t journal_rows_wait_us(void)
{
	return all.waiting * all.read_us / STATEMENTS_MAX;
}

/* ---- answers ---- */

/* The rows from..to as a result of their own. */
static PGresult *part(const PGresult *result, int from, int to)
{
	PGresult *own = must(PQcopyResult(result, PG_COPYRES_ATTRS));
	for (int row = from; row < to; row++)
		for (int column = 0; column < PQnfields(result); column++) {
			bool null = PQgetisnull(result, row, column) != 0;
			char *value = null ? NULL : PQgetvalue(result, row, column);
			int length = null ? -1 : PQgetlength(result, row, column);
			if (PQsetvalue(own, row - from, column, value, length) != 1)
				fatal("out of memory: %d rows of the journal", to - from);
		}
	return own;
}

static void send_waiting(void);

static void on_rows(void *context, PGresult *result, const char *error)
{
	struct statement *statement = context;
	int row = 0, rows = error == NULL ? PQntuples(result) : 0;
	uint64_t n = 0;
	int64_t at = 1;

	all.on_their_way--;
	for (struct read *read = statement->reads, *next; read != NULL; read = next, at++, n++) {
		int from = row;
		while (row < rows && pg_number(result, row, COLUMN_AT) == at)
			row++;
		PGresult *own = error == NULL ? part(result, from, row) : NULL;
		next = read->next;
		read->done(read->context, own, error);
		PQclear(own);
		free(read);
	}
	all.read_us = (3 * all.read_us + (clock_mono_us() - statement->sent_us) / n) / 4;
	free(statement);
	send_waiting();
}

/* ---- requests ---- */

static void number(char *text, size_t room, size_t *length, int64_t value)
{
	*length += (size_t)snprintf(
		text + *length, room - *length, "%c%" PRId64, *length == 0 ? '{' : ',', value);
}

/* Takes out as many as go together. */
static struct read *take(void)
{
	struct read *first = all.first;
	struct read **at = &all.first;
	int64_t rows = 0;
	for (size_t n = 0; *at != NULL && n < TOGETHER_MAX && (n == 0 || rows < ROWS_MAX); n++) {
		rows += (*at)->wanted.rows;
		all.waiting--;
		at = &(*at)->next;
	}
	all.first = *at;
	*at = NULL;
	if (all.first == NULL)
		all.tail = &all.first;
	return first;
}

static void send(struct read *reads)
{
	static char text[NUMBERS][TOGETHER_MAX * NUMBER_TEXT + 2];
	const char *parameters[] = { text[0], text[1], text[2], text[3], text[4] };
	struct statement *statement = must(calloc(1, sizeof(*statement)));
	size_t length[NUMBERS] = { 0 };

	for (const struct read *read = reads; read != NULL; read = read->next) {
		const int64_t values[] = { read->wanted.player, read->wanted.shard,
			read->wanted.from, read->wanted.rows, read->wanted.until_us };
		for (size_t i = 0; i < NUMBERS; i++)
			number(text[i], sizeof(text[i]), &length[i], values[i]);
	}
	for (size_t i = 0; i < NUMBERS; i++)
		(void)snprintf(text[i] + length[i], 2, "}");
	statement->reads = reads;
	statement->sent_us = clock_mono_us();
	all.on_their_way++;
	pg_pool_query(all.gateway->pg_ro, together_sql, NUMBERS, parameters, QUERY_MS, on_rows,
		statement);
}

static void send_waiting(void)
{
	while (all.waiting > 0 && all.on_their_way < STATEMENTS_MAX)
		send(take());
}

static void of_round(
	struct gateway *gateway, const struct journal_wanted *wanted, pg_done *done, void *context)
{
	char text[NUMBERS + 1][NUMBER_TEXT];
	const char *parameters[NUMBERS + 1];
	const int64_t values[] = { wanted->player, wanted->shard, wanted->from, wanted->rows, 0,
		wanted->round };

	for (size_t i = 0; i <= NUMBERS; i++) {
		(void)snprintf(text[i], NUMBER_TEXT, "%" PRId64, values[i]);
		parameters[i] = text[i];
	}
	pg_pool_query(gateway->pg_ro, round_sql, NUMBERS + 1, parameters, QUERY_MS, done, context);
}

void journal_rows(
	struct gateway *gateway, const struct journal_wanted *wanted, pg_done *done, void *context)
{
	if (wanted->round > 0) {
		of_round(gateway, wanted, done, context);
		return;
	}
	struct read *read = must(calloc(1, sizeof(*read)));
	*read = (struct read){ .wanted = *wanted,
		.done = done,
		.context = context,
		.until_us = clock_mono_us() + QUERY_MS * UINT64_C(1000) };
	if (all.first == NULL)
		all.tail = &all.first;
	all.gateway = gateway;
	*all.tail = read;
	all.tail = &read->next;
	all.waiting++;
	send_waiting();
}

void journal_rows_tick(void)
{
	uint64_t now_us = clock_mono_us();
	while (all.first != NULL && all.first->until_us <= now_us) {
		struct read *late = all.first;
		all.first = late->next;
		if (all.first == NULL)
			all.tail = &all.first;
		all.waiting--;
		late->done(late->context, NULL, "no free connection in time");
		free(late);
	}
}
