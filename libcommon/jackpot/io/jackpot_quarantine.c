/* Pools and sets that are out of work. */
#include "libcommon/jackpot/io/jackpot_quarantine.h"

#include "libcommon/base/utf8.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"

#include <stdio.h>
#include <string.h>

#define SQL_MAX 320
#define NOTE_MAX 160

void jackpot_quarantine_start(struct jackpot_quarantine *quarantine, const char *schema,
	const char *what, struct metric *count)
{
	quarantine->schema = schema;
	quarantine->what = what;
	quarantine->count = count;
}

/* ---- what is out ---- */

static struct jackpot_out *find(struct jackpot_quarantine *quarantine, uint32_t pool)
{
	for (size_t i = 0; i < quarantine->n; i++)
		if (quarantine->out[i].pool == pool)
			return &quarantine->out[i];
	return NULL;
}

const char *jackpot_quarantine_of(const struct jackpot_quarantine *quarantine, uint32_t pool)
{
	for (size_t i = 0; i < quarantine->n; i++)
		if (quarantine->out[i].pool == pool && quarantine->out[i].write != OUT_DELETE)
			return quarantine->out[i].fault.text;
	return NULL;
}

static void tell(struct jackpot_quarantine *quarantine, struct service *service)
{
	char note[NOTE_MAX] = "";
	int64_t count = 0;

	for (size_t i = 0; i < quarantine->n; i++)
		count += quarantine->out[i].write != OUT_DELETE;
	if (count > 0)
		(void)snprintf(note, sizeof(note),
			"%lld %ss are quarantined, because what is stored about them cannot be "
			"read; list them with: jackpotctl quarantine list",
			(long long)count, quarantine->what);
	service_note(service, note);
	metric_set(quarantine->count, count);
}

static struct jackpot_out *add(
	struct jackpot_quarantine *quarantine, uint32_t pool, uint32_t shard, const char *found)
{
	struct jackpot_out *out = find(quarantine, pool);

	if (out == NULL && quarantine->n < JACKPOT_QUARANTINE_MAX)
		out = &quarantine->out[quarantine->n++];
	if (out == NULL) { /* rows of pools that an installation cannot have */
		log_error_as("jackpot.quarantine.full",
			"ALARM %s.quarantine: found more than %d rows", quarantine->schema,
			JACKPOT_QUARANTINE_MAX);
		out = &quarantine->out[quarantine->n - 1];
	}
	*out = (struct jackpot_out){ .pool = pool, .shard = shard };
	(void)snprintf(out->fault.text, sizeof(out->fault.text), "%s", found);
	utf8_whole(out->fault.text);
	return out;
}

void jackpot_quarantine_put(struct jackpot_quarantine *quarantine, struct service *service,
	uint32_t pool, uint32_t shard, const char *found)
{
	add(quarantine, pool, shard, found)->write = OUT_PUT;
	log_error_as("jackpot.quarantined",
		"ALARM %s %u is quarantined: %s; all others go on; what is staked for it and won "
		"from it waits; see: jackpotctl quarantine show pool:%u",
		quarantine->what, pool, found, pool);
	tell(quarantine, service);
	service_commit_soon(service);
}

void jackpot_quarantine_end(
	struct jackpot_quarantine *quarantine, struct service *service, uint32_t pool)
{
	struct jackpot_out *out = find(quarantine, pool);

	if (out == NULL)
		return;
	out->write = OUT_DELETE;
	log_warn_as("jackpot.released",
		"%s %u works again: all that is stored about it can be read", quarantine->what,
		pool);
	tell(quarantine, service);
	service_commit_soon(service);
}

/* ---- instances with a fault ---- */

static bool has_fault(const struct service_shard *shard)
{
	for (const struct jackpot_link *at = shard->state; at != NULL; at = at->next)
		if (at->fault.text[0] != '\0')
			return true;
	return false;
}

static void leave(
	struct jackpot_quarantine *quarantine, struct service *service, struct service_shard *shard)
{
	struct jackpot_link *kept = NULL, *at = shard->state, *next;

	for (; at != NULL; at = next) {
		bool leaves = at->fault.text[0] != '\0';
		struct jackpot_link **list = leaves ? &quarantine->leaving : &kept;
		next = at->next;
		at->next = *list;
		*list = at;
		if (leaves)
			jackpot_quarantine_put(
				quarantine, service, at->pool, at->shard, at->fault.text);
	}
	shard->state = kept;
}

void jackpot_quarantine_leave(struct jackpot_quarantine *quarantine, struct service *service)
{
	struct service_shard *shard;

	for (size_t i = 0; (shard = service_shard_at(service, i)) != NULL; i++)
		if (has_fault(shard))
			leave(quarantine, service, shard);
}

struct jackpot_link *jackpot_quarantine_left(struct jackpot_quarantine *quarantine)
{
	struct jackpot_link *left = quarantine->leaving;

	if (left != NULL)
		quarantine->leaving = left->next;
	return left;
}

void jackpot_quarantine_each(struct jackpot_quarantine *quarantine, struct service *service,
	jackpot_visit *visit, uint64_t mono_us)
{
	jackpot_list_each(service, visit, mono_us);
	jackpot_quarantine_leave(quarantine, service);
}

/* ---- Postgres ---- */

/* The schema's name goes between the two parts of the statement. */
static PGresult *ask(const struct jackpot_quarantine *quarantine, PGconn *conn,
	struct pg_args *args, const char *before, const char *after)
{
	char sql[SQL_MAX];

	(void)snprintf(sql, sizeof(sql), "%s %s.quarantine %s", before, quarantine->schema, after);
	return pg_args_query(args, conn, sql);
}

/* Takes a release before the pool is loaded, so that one made from now on is tried again. */
static void take_release(
	const struct jackpot_quarantine *quarantine, struct service *service, uint32_t pool)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, pool);
	PQclear(ask(quarantine, service_pg(service), &args, "update",
		"set released = null where pool = $1"));
}

void jackpot_quarantine_open(
	struct jackpot_quarantine *quarantine, struct service *service, uint32_t shard)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, shard);
	PGresult *rows = ask(quarantine, service_pg(service), &args,
		"select pool, (released is not null)::integer, found from", "where shard = $1");
	for (int i = 0; i < PQntuples(rows); i++) {
		struct jackpot_out *out =
			add(quarantine, pg_u32(rows, i, 0), shard, PQgetvalue(rows, i, 2));
		/* Tried now: put again if it still cannot be read. */
		if (pg_number(rows, i, 1) != 0) {
			out->write = OUT_DELETE;
			take_release(quarantine, service, out->pool);
		}
	}
	PQclear(rows);
	tell(quarantine, service);
}

void jackpot_quarantine_close(
	struct jackpot_quarantine *quarantine, struct service *service, uint32_t shard)
{
	size_t kept = 0;

	for (size_t i = 0; i < quarantine->n; i++)
		if (quarantine->out[i].shard != shard)
			quarantine->out[kept++] = quarantine->out[i];
	quarantine->n = kept;
	tell(quarantine, service);
}

size_t jackpot_quarantine_released(struct jackpot_quarantine *quarantine, struct service *service,
	uint32_t *pools_r, size_t max)
{
	struct pg_args args = { 0 };
	size_t n = 0;

	if (quarantine->n == 0)
		return 0;
	PGresult *rows = ask(quarantine, service_pg(service), &args, "select pool from",
		"where released is not null order by pool");
	for (int i = 0; i < PQntuples(rows) && n < max; i++) {
		uint32_t pool = pg_u32(rows, i, 0);
		const struct jackpot_out *out = find(quarantine, pool);
		/* Else what it did before is not written yet. */
		if (out == NULL || out->write != OUT_STORED)
			continue;
		take_release(quarantine, service, pool);
		pools_r[n++] = pool;
	}
	PQclear(rows);
	return n;
}

static void save_one(
	const struct jackpot_quarantine *quarantine, const struct jackpot_out *out, PGconn *conn)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, out->pool);
	if (out->write == OUT_DELETE) {
		PQclear(ask(quarantine, conn, &args, "delete from", "where pool = $1"));
		return;
	}
	pg_args_int(&args, out->shard);
	pg_args_text(&args, out->fault.text);
	PQclear(ask(quarantine, conn, &args, "insert into",
		"(pool, shard, found) values ($1, $2, $3) on conflict (pool) do update set found = "
		"excluded.found"));
}

void jackpot_quarantine_save(struct jackpot_quarantine *quarantine, PGconn *conn)
{
	size_t kept = 0;

	for (size_t i = 0; i < quarantine->n; i++) {
		struct jackpot_out *out = &quarantine->out[i];
		bool deleted = out->write == OUT_DELETE;

		if (out->write != OUT_STORED)
			save_one(quarantine, out, conn);
		out->write = OUT_STORED;
		if (!deleted)
			quarantine->out[kept++] = *out;
	}
	quarantine->n = kept;
}
