/* jackpot.feed, and the wallet's totals of a pool in Postgres. */
#include "libcommon/jackpot/io/pool_feed.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/settings.h"
#include "libcommon/io/stored.h"
#include "libcommon/jackpot/pool_row.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA_VERSION 1
/* A place becomes free ten minutes after its tally was closed. A pass costs a few index probes. */
#define RETRY_US 10000000u

static __attribute__((format(printf, 2, 3))) bool refuse(char *reason, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(reason, POOL_FEED_REASON_MAX, format, arguments);
	va_end(arguments);
	return false;
}

static bool claim_valid(const Carillon__JackpotFeed *feed, uint32_t shards, char *reason)
{
	const Carillon__Claim *claim = feed->claim;
	if (claim->pool != feed->pool)
		return refuse(reason, "claim.pool: found %u, expected %u", claim->pool, feed->pool);
	if (claim->index < 1 || claim->index > INT32_MAX)
		return refuse(reason, "claim.index: found %u, expected 1 to %" PRId32, claim->index,
			INT32_MAX);
	if (claim->move < 1 || claim->move > INT64_MAX)
		return refuse(reason, "claim.move: found %" PRIu64 ", expected 1 to %" PRId64,
			claim->move, INT64_MAX);
	if (claim->kind != CARILLON__CLAIM_KIND__CLAIM_HIT &&
		claim->kind != CARILLON__CLAIM_KIND__CLAIM_CARDS)
		return refuse(
			reason, "claim.kind: found %d, expected a hit or cards", (int)claim->kind);
	if (!player_id_valid(claim->player))
		return refuse(reason, "claim.player: found %" PRId64 ", expected a player",
			claim->player);
	if (shard_of_player(claim->player, shards) != feed->shard)
		return refuse(reason,
			"claim.player: found a player of shard %u, expected one of shard %u",
			shard_of_player(claim->player, shards), feed->shard);
	if (currency_by_number(claim->currency) == NULL)
		return refuse(
			reason, "claim.currency: found %u, expected a currency", claim->currency);
	if (claim->stake_minor < 0)
		return refuse(reason, "claim.stake_minor: found %" PRId64 ", expected 0 or more",
			claim->stake_minor);
	if (claim->kind == CARILLON__CLAIM_KIND__CLAIM_HIT && claim->coin_minor < 1)
		return refuse(reason, "claim.coin_minor: found %" PRId64 ", expected 1 or more",
			claim->coin_minor);
	if (claim->time_us > INT64_MAX)
		return refuse(reason, "claim.time_us: found %" PRIu64 ", expected a time",
			claim->time_us);
	return true;
}

bool pool_feed_valid(const Carillon__JackpotFeed *feed, uint32_t shards, char *reason)
{
	const Carillon__Envelope *envelope = feed->envelope;
	if (envelope == NULL)
		return refuse(reason, "envelope: found none, expected one");
	if (envelope->schema != SCHEMA_VERSION)
		return refuse(reason, "envelope.schema: found %u, expected %d", envelope->schema,
			SCHEMA_VERSION);
	if (envelope->incarnation < 1 || envelope->incarnation > INT32_MAX)
		return refuse(reason, "envelope.incarnation: found %u, expected 1 or more",
			envelope->incarnation);
	if (envelope->seq > INT64_MAX)
		return refuse(reason, "envelope.seq: found %" PRIu64 ", expected at most 2^63 - 1",
			envelope->seq);
	if (feed->pool < 1)
		return refuse(reason, "pool: found 0, expected the number of a pool");
	if (feed->shard >= shards)
		return refuse(reason, "shard: found %u, expected 0 to %u", feed->shard, shards - 1);
	if (feed->n_totals > POOL_TALLIES_MAX)
		return refuse(reason, "totals: found %zu, expected at most %d", feed->n_totals,
			POOL_TALLIES_MAX);
	for (size_t i = 0; i < feed->n_totals; i++)
		if (feed->totals[i]->total_minor > INT64_MAX)
			return refuse(reason,
				"totals[%zu].total_minor: found %" PRIu64
				", expected at most 2^63 - 1",
				i, feed->totals[i]->total_minor);
	return feed->claim == NULL || claim_valid(feed, shards, reason);
}

Carillon__JackpotFeed *pool_feed_read(
	const uint8_t *bytes, size_t length, uint32_t shards, char *reason)
{
	Carillon__JackpotFeed *feed = carillon__jackpot_feed__unpack(NULL, length, bytes);
	if (feed == NULL) {
		(void)refuse(reason,
			"found %zu bytes that are not a message, expected a JackpotFeed", length);
		return NULL;
	}
	if (!pool_feed_valid(feed, shards, reason)) {
		carillon__jackpot_feed__free_unpacked(feed, NULL);
		return NULL;
	}
	return feed;
}

/* ---- totals ---- */

static void touch_shard(struct pool_source *source, uint32_t shard)
{
	for (uint32_t i = 0; i < source->vector.entry_count; i++)
		if (source->vector.entry[i].shard == shard)
			source->vector.entry[i].dirty = true;
}

enum pool_source_status pool_source_take(
	struct pool_source *source, const Carillon__JackpotFeed *feed)
{
	uint32_t *incarnation = &source->incarnation[feed->shard];
	if (feed->envelope->incarnation < *incarnation)
		return POOL_SOURCE_OLD;
	if (feed->envelope->incarnation > *incarnation &&
		feed->envelope->incarnation > source->granted[feed->shard])
		return POOL_SOURCE_AHEAD;
	for (size_t i = 0; i < feed->n_totals; i++)
		if (pool_vector_tally(&source->vector, feed->totals[i]->tally) == NULL)
			return POOL_SOURCE_UNKNOWN;
	for (size_t i = 0; i < feed->n_totals; i++) {
		enum pool_vector_status status = pool_vector_offer(&source->vector, feed->shard,
			feed->totals[i]->tally, feed->totals[i]->total_minor, feed->envelope->seq);
		if (status != POOL_VECTOR_OK && status != POOL_VECTOR_SEEN)
			return POOL_SOURCE_OVERFLOW;
	}
	bool restored = *incarnation != 0 && feed->envelope->incarnation > *incarnation;
	*incarnation = feed->envelope->incarnation;
	if (restored)
		touch_shard(source, feed->shard);
	return restored ? POOL_SOURCE_RESTORED : POOL_SOURCE_OK;
}

/* ---- Postgres ---- */

#define TALLY_COLUMNS "t.id, t.game, t.currency, t.rate_nano, t.ppm, (t.closed is null)::integer"
/* An older closed tally is folded: the wallet notices a closing within seconds. */
#define LIVE "(t.closed is null or t.closed > now() - interval '10 minutes')"

/* False: nobody can count it. */
static bool read_tally(const PGresult *rows, int i, int at, struct pool_tally *tally_r)
{
	struct pool_tally tally = {
		.id = pg_u32(rows, i, at),
		.game = pg_u32(rows, i, at + 1),
		.currency = pg_u32(rows, i, at + 2),
		.rate_nano = pg_number(rows, i, at + 3),
		.ppm = pg_u32(rows, i, at + 4),
		.open = pg_number(rows, i, at + 5) != 0,
	};
	const struct currency *currency = currency_by_number(tally.currency);
	if (currency == NULL) {
		stored_wrong("pool.tally %u: found currency %u, expected a known currency",
			tally.id, tally.currency);
		return false;
	}
	tally.exponent = currency->exponent;
	*tally_r = tally;
	return true;
}

/* Restores the entries of a folded tally; T already includes them. */
static void unfold(struct pool_source *source, PGconn *conn, uint32_t tally)
{
	struct pg_args args = { 0 };
	char sql[120];
	(void)snprintf(sql, sizeof(sql),
		"select shard, total, seq from %s.vector where pool = $1 and tally = $2",
		source->schema);
	pg_args_int(&args, source->pool);
	pg_args_int(&args, tally);
	PGresult *rows = pg_args_query(&args, conn, sql);
	for (int i = 0; i < PQntuples(rows); i++) {
		enum pool_vector_status status = pool_vector_unfold(&source->vector,
			pg_u32(rows, i, 0), tally, pg_u64(rows, i, 1), pg_u64(rows, i, 2));
		if (status != POOL_VECTOR_OK)
			stored_wrong("%s.vector of pool %u, tally %u: its total cannot be counted "
				     "(status %d)",
				source->schema, source->pool, tally, (int)status);
	}
	if (PQntuples(rows) > 0)
		log_info("pool %u: folded tally %u is in use again", source->pool, tally);
	PQclear(rows);
}

static void add_tallies(struct pool_source *source, PGconn *conn, PGresult *rows, bool counted)
{
	for (int i = 0; i < PQntuples(rows); i++) {
		struct pool_tally tally;
		if (!read_tally(rows, i, 0, &tally) ||
			pool_vector_tally(&source->vector, tally.id) != NULL)
			continue;
		enum pool_vector_status status = pool_vector_add_tally(&source->vector, &tally);
		if (status != POOL_VECTOR_OK)
			stored_wrong("pool.tally %u of pool %u cannot be counted (status %d)",
				tally.id, source->pool, (int)status);
		else if (counted)
			unfold(source, conn, tally.id);
	}
	PQclear(rows);
}

static PGresult *live_tallies(const struct pool_source *source, PGconn *conn)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, source->pool);
	return pg_args_query(&args, conn,
		"select " TALLY_COLUMNS " from pool.tally t where t.pool = $1 and " LIVE
		" order by t.id");
}

void pool_source_tallies(struct pool_source *source, PGconn *conn)
{
	add_tallies(source, conn, live_tallies(source, conn), true);
}

/* Loads the tallies that a message names, folded ones too. */
static void load_named_tallies(
	struct pool_source *source, PGconn *conn, const Carillon__JackpotFeed *feed)
{
	for (size_t i = 0; i < feed->n_totals; i++) {
		struct pg_args args = { 0 };
		if (pool_vector_tally(&source->vector, feed->totals[i]->tally) != NULL)
			continue;
		pg_args_int(&args, source->pool);
		pg_args_int(&args, feed->totals[i]->tally);
		PGresult *rows = pg_args_query(&args, conn,
			"select " TALLY_COLUMNS
			" from pool.tally t where t.pool = $1 and t.id = $2");
		add_tallies(source, conn, rows, true);
	}
}

/* Frees places before another tally is opened. */
static void fold_tallies(struct pool_source *source, PGconn *conn)
{
	struct pg_args args = { 0 };
	uint32_t folded = 0;
	pg_args_int(&args, source->pool);
	PGresult *live = pg_args_query(&args, conn,
		"select t.id from pool.tally t where t.pool = $1 and " LIVE " order by t.id");
	for (uint32_t i = source->vector.tally_count; i > 0; i--) {
		uint32_t id = source->vector.tally[i - 1].id;
		bool stays = false;
		for (int j = 0; j < PQntuples(live) && !stays; j++)
			stays = pg_u32(live, j, 0) == id;
		if (!stays && pool_vector_fold(&source->vector, id))
			folded++;
	}
	PQclear(live);
	if (folded > 0)
		log_info("pool %u: %u closed tallies folded", source->pool, folded);
}

/* The wallet's shards raise their incarnation in carillon.shard before they use it. */
static void read_granted(struct pool_source *source, PGconn *conn, uint32_t shard)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, shard);
	PGresult *row = pg_args_query(&args, conn,
		"select incarnation from carillon.shard where service = 'wallet' and shard = $1");
	source->granted[shard] = PQntuples(row) == 1 ? pg_u32(row, 0, 0) : 0;
	PQclear(row);
}

/* Takes nothing after a fault: a tally that is restored in part would count its totals again. */
static enum pool_source_status take_readable(
	struct pool_source *source, const Carillon__JackpotFeed *feed)
{
	return stored_good() ? pool_source_take(source, feed) : POOL_SOURCE_UNKNOWN;
}

enum pool_source_status pool_source_take_or_load(
	struct pool_source *source, PGconn *conn, const Carillon__JackpotFeed *feed, char *reason)
{
	enum pool_source_status status = take_readable(source, feed);
	if (status == POOL_SOURCE_AHEAD) {
		read_granted(source, conn, feed->shard);
		status = take_readable(source, feed);
	}
	if (status == POOL_SOURCE_UNKNOWN && stored_good()) {
		load_named_tallies(source, conn, feed);
		status = take_readable(source, feed);
	}
	if (status == POOL_SOURCE_AHEAD)
		(void)refuse(reason,
			"envelope.incarnation: found %u, expected at most %u, as wallet shard "
			"%u has in carillon.shard",
			feed->envelope->incarnation, source->granted[feed->shard], feed->shard);
	if (status == POOL_SOURCE_UNKNOWN && !stored_good())
		(void)refuse(
			reason, "pool: what is stored about pool %u cannot be read", feed->pool);
	else if (status == POOL_SOURCE_UNKNOWN)
		(void)refuse(reason,
			"totals: found a tally of another pool, expected one of pool %u",
			feed->pool);
	return status;
}

/* Loads a stored total: into the entries, or as part of a folded tally. */
static void load_total(struct pool_source *source, const PGresult *rows, int i)
{
	uint32_t shard = pg_u32(rows, i, 0);
	uint32_t incarnation = pg_u32(rows, i, 3);
	struct pool_tally tally;
	uint64_t total = pg_u64(rows, i, 1);
	if (!read_tally(rows, i, 4, &tally))
		return;
	enum pool_vector_status status =
		pool_vector_tally(&source->vector, tally.id) == NULL
			? pool_vector_add_folded(&source->vector, &tally, total)
			: pool_vector_offer(
				  &source->vector, shard, tally.id, total, pg_u64(rows, i, 2));
	if (shard >= SHARDS_MAX || (status != POOL_VECTOR_OK && status != POOL_VECTOR_SEEN)) {
		stored_wrong("%s.vector of pool %u, shard %u: a total cannot be counted (status "
			     "%d)",
			source->schema, source->pool, shard, (int)status);
		return;
	}
	if (incarnation > source->incarnation[shard])
		source->incarnation[shard] = incarnation;
}

void pool_source_load(struct pool_source *source, PGconn *conn, const char *schema, uint32_t pool)
{
	struct pg_args args = { 0 };
	char sql[240];
	memset(source, 0, sizeof(*source));
	source->pool = pool;
	source->schema = schema;
	if (strcmp(schema, "cards") == 0)
		source->vector.most_e18 = POOL_WAGERS_E18_MAX;
	add_tallies(source, conn, live_tallies(source, conn), false);
	(void)snprintf(sql, sizeof(sql),
		"select v.shard, v.total, v.seq, v.incarnation, " TALLY_COLUMNS
		" from %s.vector v join pool.tally t on t.id = v.tally where v.pool = $1",
		schema);
	pg_args_int(&args, pool);
	PGresult *rows = pg_args_query(&args, conn, sql);
	for (int i = 0; i < PQntuples(rows); i++)
		load_total(source, rows, i);
	PQclear(rows);
	for (uint32_t i = 0; i < source->vector.entry_count; i++) {
		source->vector.entry[i].dirty = false;
		source->vector.entry[i].noted = true;
	}
}

void pool_source_save(struct pool_source *source, PGconn *conn, const char *schema)
{
	struct pg_args args = { 0 };
	char sql[400];
	(void)snprintf(sql, sizeof(sql),
		"insert into %s.vector (pool, shard, tally, total, seq, incarnation)"
		" values ($1, $2, $3, $4, $5, $6) on conflict (pool, shard, tally) do update"
		" set total = excluded.total, seq = excluded.seq, incarnation = "
		"excluded.incarnation",
		schema);
	for (uint32_t i = 0; i < source->vector.entry_count; i++) {
		struct pool_vector_entry *entry = &source->vector.entry[i];
		if (!entry->dirty)
			continue;
		pg_args_int(&args, source->pool);
		pg_args_int(&args, entry->shard);
		pg_args_int(&args, entry->tally);
		pg_args_int(&args, (int64_t)entry->total_minor);
		pg_args_int(&args, (int64_t)entry->seq);
		pg_args_int(&args, source->incarnation[entry->shard]);
		pg_args_run(&args, conn, sql);
		entry->dirty = false;
	}
}

static int64_t rate_of(PGconn *conn, uint32_t currency)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, currency);
	PGresult *rows = pg_args_query(&args, conn,
		"select rate_nano from carillon.fx_rate where currency = $1 and valid_from <= now()"
		" order by valid_from desc limit 1");
	int64_t rate = PQntuples(rows) == 1 ? pg_number(rows, 0, 0) : 0;
	PQclear(rows);
	if (rate >= 0 && rate <= POOL_RATE_NANO_MAX)
		return rate;
	log_error_as("jackpot.rate.bad",
		"ALARM carillon.fx_rate, currency %u: found %" PRId64 ", expected 1 to %" PRId64
		": the rate is not used",
		currency, rate, POOL_RATE_NANO_MAX);
	return 0;
}

static void replace_tally(PGconn *conn, uint32_t pool, struct pool_tally *tally)
{
	struct pg_args args = { 0 };
	pg_exec(conn, "begin");
	pg_args_int(&args, pool);
	pg_args_int(&args, tally->game);
	pg_args_int(&args, tally->currency);
	pg_args_run(&args, conn,
		"update pool.tally set closed = now() where pool = $1 and game = $2 and currency = "
		"$3"
		" and closed is null");
	pg_args_int(&args, pool);
	pg_args_int(&args, tally->game);
	pg_args_int(&args, tally->currency);
	pg_args_int(&args, tally->rate_nano);
	pg_args_int(&args, tally->ppm);
	PGresult *row = pg_args_query(&args, conn,
		"insert into pool.tally (id, pool, game, currency, rate_nano, ppm)"
		" values (nextval('pool.tally_id'), $1, $2, $3, $4, $5) returning id");
	tally->id = pg_u32(row, 0, 0);
	PQclear(row);
	pg_exec(conn, "commit");
}

void pool_source_look(struct pool_source *source, uint64_t mono_us)
{
	if (source->behind_before > 0 && source->behind == 0)
		log_info("pool %u: the newest FX rates of all games and currencies are in use "
			 "again",
			source->pool);
	source->behind_before = source->behind;
	source->behind = 0;
	source->looked_us = mono_us;
}

bool pool_source_retry_due(const struct pool_source *source, uint64_t mono_us)
{
	return source->behind > 0 && mono_us >= source->looked_us + RETRY_US;
}

enum pool_source_need pool_source_need(struct pool_source *source, uint32_t game, uint32_t currency,
	int64_t rate_nano, uint32_t ppm, uint32_t shards)
{
	const struct pool_tally *open = pool_vector_open_tally(&source->vector, game, currency);
	uint32_t room = POOL_VECTOR_MAX / (shards > 0 ? shards : 1);

	if (open != NULL && open->rate_nano == rate_nano && open->ppm == ppm)
		return POOL_SOURCE_HOLDS;
	if (source->vector.tally_count < (room < POOL_TALLIES_MAX ? room : POOL_TALLIES_MAX))
		return POOL_SOURCE_OPENS;
	source->behind++;
	return POOL_SOURCE_FULL;
}

/* A tally that cannot be counted must never be opened: a restart would fail on it again. The rate
 * in force is stored with each bet, so an old rate is exact, only out of date. */
static void report_behind(const struct pool_source *source, const struct currency *currency,
	const struct pool_tally *wanted, const struct pool_tally *old)
{
	if (source->behind <= source->behind_before)
		return; /* the pass before has reported this many */
	log_error_as("jackpot.tally.full",
		"ALARM pool %u, game %u, %s: found %u tallies, expected fewer: no tally can be "
		"opened for the rate %" PRId64 " x 10^-9 and %u ppm of each stake%s; next "
		"attempt in %u s",
		source->pool, wanted->game, currency->code, source->vector.tally_count,
		wanted->rate_nano, wanted->ppm,
		old != NULL
			? ", and the old rate stays in force"
			: "; bets do not feed the pool, and a game that must feed it refuses them",
		RETRY_US / 1000000u);
}

bool pool_source_open(
	struct pool_source *source, PGconn *conn, uint32_t game, uint32_t currency, uint32_t ppm)
{
	const struct currency *known = currency_by_number(currency);
	int64_t rate = rate_of(conn, currency);
	uint32_t shards = (uint32_t)common.shards;
	struct pool_tally *old = pool_vector_open_tally(&source->vector, game, currency);
	if (rate == 0 && old != NULL)
		return true; /* its rate stays in force */
	if (known == NULL || rate == 0) {
		log_error_as("jackpot.rate.missing",
			"pool %u, game %u: found no rate for currency %u in carillon.fx_rate, "
			"expected one: bets in this currency do not feed the pool, and a game "
			"that must feed it refuses them",
			source->pool, game, currency);
		return false;
	}
	if (old != NULL && old->rate_nano == rate && old->ppm == ppm)
		return true;
	fold_tallies(source, conn);
	old = pool_vector_open_tally(
		&source->vector, game, currency); /* folding may have moved it */
	struct pool_tally tally = { .game = game,
		.currency = currency,
		.exponent = known->exponent,
		.rate_nano = rate,
		.ppm = ppm,
		.open = true };
	if (pool_source_need(source, game, currency, rate, ppm, shards) == POOL_SOURCE_FULL) {
		report_behind(source, known, &tally, old);
		return old != NULL;
	}
	replace_tally(conn, source->pool, &tally);
	if (old != NULL)
		old->open = false;
	log_info("pool %u, game %u, %s: tally %u opened, rate %" PRId64 " x 10^-9, %u ppm of "
		 "each stake; tally before: %u",
		source->pool, game, known->code, tally.id, rate, ppm, old != NULL ? old->id : 0);
	enum pool_vector_status status = pool_vector_add_tally(&source->vector, &tally);
	if (status != POOL_VECTOR_OK)
		fatal("pool %u: tally %u cannot be counted (status %d)", source->pool, tally.id,
			(int)status);
	return true;
}
