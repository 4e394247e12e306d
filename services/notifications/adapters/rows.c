/* The wallet's rows in order. */
#include "services/notifications/adapters/rows.h"

#include "bus.pb-c.h"

#include "libcommon/base/ids.h"
#include "libcommon/base/seq_gate.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SCHEMA_KNOWN 1
#define QUERY_MS 1000
#define START_MS 30000
#define ASK_AFTER_US 1000000u
/* A row that Kafka has acknowledged is requested when it has not come for this long: no later row
 * of an idle shard would show that it is missing. */
#define LOST_US 3000000u
/* A lost fact must not stop a display for ever: after this time it continues after the gap. */
#define GIVE_UP_US 10000000u

/* `first` and `passed`, of `incarnation`: the rows that came before the start was known. `first` is
 * the first row that clients must get, `passed` the newest; 0: none. */
struct shard_rows {
	struct seq_gate gate;
	bool known, owed;
	uint32_t incarnation;
	uint64_t first, passed;
	uint64_t seen, seen_us; /* the newest row in Postgres then, until Kafka has brought it */
};

struct rows {
	struct rows_config config;
	bool shard_query, newest_query;
	struct shard_rows shard[SHARDS_MAX];
	struct metric *gaps, *skipped;
};

/* ---- start of the order ---- */

static bool answered(struct rows *rows, const char *error)
{
	if (error)
		log_warn_as("notifications.rows.unknown",
			"cannot read yet where the wallet's rows begin: %s", error);
	rows->shard_query = false;
	return !error;
}

/* Start after the newest row, but clients must get the rows that came while they listened. */
static void begin(struct shard_rows *shard)
{
	struct seq_gate *gate = &shard->gate;
	if (shard->incarnation == gate->incarnation) {
		if (shard->first && shard->first <= gate->last)
			gate->last = shard->first - 1;
		if (shard->passed > gate->last)
			gate->gap_since_us = clock_mono_us();
	}
	shard->first = shard->passed = 0;
	shard->owed = false;
	shard->known = true;
}

/* Jackpots booked before this process started whose winners have made no later move. */
static void on_unseen(void *context, PGresult *result, const char *error)
{
	struct rows *rows = context;
	if (!answered(rows, error))
		return;
	for (int i = 0; i < PQntuples(result); i++) {
		struct holdback_fact award = { .player = pg_number(result, i, 0),
			.award = true,
			.award_move = (uint64_t)pg_number(result, i, 1),
			.award_index = (uint32_t)pg_number(result, i, 2),
			.award_pool = (uint32_t)pg_number(result, i, 3),
			.award_paid = pg_number(result, i, 4),
			.seq = (uint64_t)pg_number(result, i, 5) };
		rows->config.unseen(rows->config.context, &award);
	}
	for (uint32_t i = 0; i < rows->config.shards; i++)
		if (!rows->shard[i].known)
			begin(&rows->shard[i]);
}

/* Query this after the start of the order, never before: an award between the two queries then
 * appears twice instead of being missed. */
static void query_unseen(struct rows *rows)
{
	rows->shard_query = true;
	pg_pool_query(rows->config.pg,
		"select c.player, c.move, c.index, c.pool, c.paid_minor, c.closed_seq from "
		"wallet.claim c join wallet.account a using (player)"
		" where c.kind = 1 and c.closed_seq is not null and c.paid_minor is not null and "
		"a.last_move <= c.move",
		0, NULL, START_MS, on_unseen, rows);
}

static void on_newest(void *context, PGresult *result, const char *error)
{
	struct rows *rows = context;
	uint32_t found = 0;
	if (!answered(rows, error))
		return;
	for (int i = 0; i < PQntuples(result); i++) {
		int64_t shard = pg_number(result, i, 0);
		if (shard < 0 || shard >= rows->config.shards)
			continue;
		found++;
		if (!rows->shard[shard].known)
			rows->shard[shard].gate =
				(struct seq_gate){ .incarnation = (uint32_t)pg_number(result, i, 1),
					.last = (uint64_t)pg_number(result, i, 2) };
	}
	/* Without any wallet yet nothing is booked: the order starts with its first row. */
	for (uint32_t i = 0; found == 0 && i < rows->config.shards; i++)
		if (!rows->shard[i].known)
			rows->shard[i].gate = (struct seq_gate){ .incarnation = 1 };
	if (found == 0 || found == rows->config.shards)
		query_unseen(rows);
}

static const char NEWEST_SQL[] =
	"select s.shard, s.incarnation, coalesce((select b.last_seq from wallet.batch b "
	"where b.shard = s.shard order by b.batch desc limit 1), 0), s.seq_1 from carillon.shard s "
	"where s.service = 'wallet'"; /* seq_1: what Kafka has acknowledged */

static void query_newest(struct rows *rows)
{
	rows->shard_query = true;
	pg_pool_query(rows->config.pg, NEWEST_SQL, 0, NULL, START_MS, on_newest, rows);
}

struct rows *rows_new(const struct rows_config *config)
{
	struct rows *rows = calloc(1, sizeof(*rows));
	if (!rows)
		fatal("out of memory");
	rows->config = *config;
	rows->gaps = metric_counter(
		"carillon_notifications_gaps_total", NULL, "Requests for missing wallet facts.");
	rows->skipped = metric_counter("carillon_notifications_skipped_total", NULL,
		"Gaps of wallet facts that were given up.");
	query_newest(rows);
	return rows;
}

void rows_free(struct rows **rows)
{
	free(*rows);
	*rows = NULL;
}

bool rows_known(const struct rows *rows)
{
	for (uint32_t i = 0; i < rows->config.shards; i++)
		if (!rows->shard[i].known)
			return false;
	return true;
}

void rows_heard(struct rows *rows)
{
	for (uint32_t i = 0; i < rows->config.shards; i++)
		rows->shard[i].owed = !rows->shard[i].known;
}

/* ---- the next row ---- */

static void pass(struct shard_rows *shard, uint32_t incarnation, uint64_t seq)
{
	if (incarnation > shard->incarnation)
		shard->first = shard->passed = 0;
	else if (incarnation < shard->incarnation)
		return;
	shard->incarnation = incarnation;
	if (shard->owed && shard->first == 0)
		shard->first = seq;
	if (seq > shard->passed)
		shard->passed = seq;
}

bool rows_take(struct rows *rows, uint32_t number, uint32_t incarnation, uint64_t seq)
{
	struct shard_rows *shard = &rows->shard[number];
	struct seq_gate *gate = &shard->gate;
	uint64_t now = clock_mono_us();
	if (!shard->known) {
		pass(shard, incarnation, seq);
		return false;
	}
	enum seq_gate_status status = seq_gate_offer(gate, incarnation, seq, now);
	if (status == SEQ_GATE_GAP && now - gate->gap_since_us > GIVE_UP_US) {
		metric_add(rows->skipped, 1);
		log_warn_as("notifications.rows.lost",
			"wallet.facts, shard %" PRIu32 ": rows %" PRIu64 " to %" PRIu64
			" did not arrive: clients do not get their events",
			number, gate->last + 1, seq - 1);
		*gate = (struct seq_gate){ .incarnation = incarnation, .last = seq };
		return true;
	}
	/* The wallet was restored: its first facts may be old ones. */
	if (status == SEQ_GATE_INCARNATION)
		shard->known = false;
	return status == SEQ_GATE_TAKE;
}

/* ---- missing rows ---- */

struct shard_query {
	struct rows *rows;
	uint32_t shard;
	uint64_t from_seq;
};

static void republish_send(
	struct nn_bus *bus, const PGresult *owner, const uint8_t *bytes, size_t n)
{
	const struct nn_bus_instance wallet = { .service = "wallet",
		.url = PQgetvalue(owner, 0, 0),
		.boot = (uint64_t)pg_number(owner, 0, 1) };
	nn_bus_list(bus, &wallet);
	(void)nn_bus_send(bus, wallet.url, bytes, n);
}

static void owner_known(void *context, PGresult *result, const char *error)
{
	struct shard_query *shard_query = context;
	Carillon__Envelope envelope;
	Carillon__Republish republish;
	Carillon__Bus bus;
	uint8_t bytes[512];
	char source[128];
	carillon__envelope__init(&envelope);
	carillon__republish__init(&republish);
	carillon__bus__init(&bus);
	if (error)
		log_warn_as("notifications.rows.unrequested", "cannot request missing facts: %s",
			error);
	if (!error && PQntuples(result) == 1) {
		(void)snprintf(source, sizeof(source), "%s", shard_query->rows->config.instance);
		envelope.schema = SCHEMA_KNOWN;
		envelope.time_us = clock_wall_us();
		envelope.source = source;
		republish.shard = shard_query->shard;
		republish.from_seq = shard_query->from_seq;
		bus.envelope = &envelope;
		bus.body_case = CARILLON__BUS__BODY_REPUBLISH;
		bus.republish = &republish;
		if (carillon__bus__get_packed_size(&bus) <= sizeof(bytes))
			republish_send(shard_query->rows->config.bus, result, bytes,
				carillon__bus__pack(&bus, bytes));
	}
	free(shard_query);
}

static void query_missing(struct rows *rows, uint32_t shard)
{
	char text[16];
	const char *parameters[] = { text };
	struct shard_query *shard_query = malloc(sizeof(*shard_query));
	if (!shard_query)
		fatal("out of memory");
	*shard_query = (struct shard_query){ rows, shard, rows->shard[shard].gate.last + 1 };
	(void)snprintf(text, sizeof(text), "%" PRIu32, shard);
	metric_add(rows->gaps, 1);
	pg_pool_query(rows->config.pg,
		"select i.nn_url, i.boot from carillon.shard s join carillon.instance i on i.name = "
		"s.owner "
		"where s.service = 'wallet' and s.shard = $1::integer",
		1, parameters, QUERY_MS, owner_known, shard_query);
}

/* ---- age ---- */

/* Postgres has the rows up to `newest`, and Kafka had them up to `acknowledged`. */
static void reached(struct shard_rows *shard, uint64_t newest, uint64_t acknowledged)
{
	uint64_t now = clock_mono_us();
	if (!shard->known)
		return;
	if (shard->gate.last >= shard->seen) {
		shard->seen = newest;
		shard->seen_us = now;
	}
	if (shard->gate.last < shard->seen && shard->gate.last < acknowledged &&
		now - shard->seen_us > LOST_US && shard->gate.gap_since_us == 0)
		shard->gate.gap_since_us = now;
}

static void on_reached(void *context, PGresult *result, const char *error)
{
	struct rows *rows = context;
	rows->newest_query = false;
	for (int i = 0; error == NULL && i < PQntuples(result); i++) {
		int64_t number = pg_number(result, i, 0);
		if (number < 0 || number >= rows->config.shards)
			continue;
		reached(&rows->shard[number], (uint64_t)pg_number(result, i, 2),
			(uint64_t)pg_number(result, i, 3));
	}
}

uint64_t rows_age_us(const struct rows *rows)
{
	uint64_t now = clock_mono_us(), age = 0;
	for (uint32_t i = 0; i < rows->config.shards; i++) {
		const struct shard_rows *shard = &rows->shard[i];
		if (shard->known && shard->gate.last < shard->seen && now - shard->seen_us > age)
			age = now - shard->seen_us;
	}
	return age;
}

static void query_reached(struct rows *rows)
{
	if (rows->newest_query || !rows_known(rows))
		return;
	rows->newest_query = true;
	pg_pool_query(rows->config.pg, NEWEST_SQL, 0, NULL, QUERY_MS, on_reached, rows);
}

void rows_tick(struct rows *rows)
{
	uint64_t now = clock_mono_us();
	query_reached(rows);
	if (!rows->shard_query && !rows_known(rows))
		query_newest(rows);
	for (uint32_t i = 0; i < rows->config.shards; i++)
		if (rows->shard[i].known &&
			seq_gate_should_request(&rows->shard[i].gate, ASK_AFTER_US, now))
			query_missing(rows, i);
}
