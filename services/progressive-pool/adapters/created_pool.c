/* Pools created by operators. */
#include "services/progressive-pool/adapters/created_pool.h"

#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/stored.h"
#include "services/progressive-pool/adapters/created_pool_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FURTHER_MAX 2 /* linked pools of a game, besides its own jackpot and its cards */
#define LINKS_MAX (FURTHER_MAX * GAME_LINKS_MAX) /* the wallet takes no more (test_pools) */
#define ID_HEX_MAX (2 * ACTION_ID_BYTES + 3)

/* ---- creating ---- */

static int64_t number_of(PGconn *conn, const char *sql, uint32_t argument)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, argument);
	PGresult *row = pg_args_query(&args, conn, sql);
	int64_t number = pg_number(row, 0, 0);
	PQclear(row);
	return number;
}

/* Checks that the number is free and that there is room for one more pool. */
static bool number_free(uint32_t pool, const struct game_links *links, PGconn *conn, char *refusal)
{
	bool taken =
		number_of(conn, "select count(*) from cards.card_set where pool = $1", pool) > 0;
	for (size_t i = 0; i < links->count; i++)
		taken = taken || links->link[i].jackpot.pool == pool ||
			links->link[i].cards.pool == pool;
	if (taken)
		return action_refuse(refusal, "pool: found %u, expected an unused number", pool);
	if (number_of(conn,
		    "select (select count(*) from pool.pool where pool <> $1) + (select count(*) "
		    "from cards.card_set)",
		    pool) >= POOLS_MAX)
		return action_refuse(refusal, "found %d pools and sets, expected fewer", POOLS_MAX);
	return true;
}

static const char *id_of(const struct game_links *links, uint32_t game)
{
	for (size_t i = 0; i < links->count; i++)
		if (links->link[i].game == game)
			return links->link[i].id;
	return "?";
}

/* Checks that each of the games may feed one more pool, and that the wallet has room for the links,
 * those of games that are no longer offered included. */
static bool games_free(const struct created_pool_request *asked, const struct game_links *links,
	PGconn *conn, char *refusal)
{
	if (number_of(conn,
		    "select count(*) + $1 from pool.link l join pool.pool p using (pool) where "
		    "p.state <> 'retired'",
		    asked->games_n) > LINKS_MAX)
		return action_refuse(refusal,
			"parameters /games: found too many, expected at most %d links of all "
			"games and linked pools together",
			LINKS_MAX);
	for (uint32_t i = 0; i < asked->games_n; i++)
		if (number_of(conn,
			    "select count(*) from pool.link l join pool.pool p using (pool) where "
			    "l.game = $1 and p.state <> 'retired'",
			    asked->games[i]) >= FURTHER_MAX)
			return action_refuse(refusal,
				"parameters /games/%" PRIu32
				": \"%.40s\" already feeds %d linked pools, the most it may feed",
				i, id_of(links, asked->games[i]), FURTHER_MAX);
	return true;
}

/* Launches all rows or fails; the caller then drops the instance. */
static bool launch(struct pool_instance *instance, const struct game_link *link, char *refusal)
{
	for (uint32_t i = 0; i < link->jackpot.row_count; i++) {
		const struct game_link_row *row = &link->jackpot.row[i];
		struct pool_terms terms = { row->seed_minor, row->row_rate_nano, row->share_nano };
		enum pool_status status = pool_launch(
			&instance->pool, row->currency, row->exponent, row->coin_minor, &terms);
		if (status != POOL_OK)
			return action_refuse(refusal,
				"parameters /rows, currency %u, coin %" PRId64 ": %s",
				row->currency, row->coin_minor, pool_status_text(status));
		instance->defined[instance->defined_count++] =
			(struct defined_terms){ row->currency, row->coin_minor, terms };
	}
	memcpy(instance->id, link->jackpot.id, sizeof(instance->id));
	instance->base_coin_minor = link->jackpot.base_coin_minor;
	return true;
}

bool created_pool_make(struct pool_instance *instance, struct action_record *record,
	const struct game_links *links, PGconn *conn)
{
	static struct created_pool_request asked;
	struct pool_created *created = &instance->created;
	char seed[AMOUNT_TEXT_MAX];
	memset(&asked, 0, sizeof(asked));
	bool good = number_free(instance->pool.number, links, conn, record->refusal) &&
		    created_pool_read(record->parameters, instance->pool.number, links, &asked,
			    record->refusal) &&
		    games_free(&asked, links, conn, record->refusal) &&
		    launch(instance, &asked.link, record->refusal);
	record->done = good;
	(void)snprintf(record->before, ACTION_FIGURES_MAX, "null");
	(void)snprintf(record->after, ACTION_FIGURES_MAX, "null");
	if (!good) {
		memcpy(record->game, asked.unknown, sizeof(record->game));
		free(asked.text);
		return false;
	}
	created->text = asked.text;
	created->ppm = asked.link.jackpot.ppm;
	created->games_n = asked.games_n;
	memcpy(created->games, asked.games, sizeof(created->games));
	(void)int128_format(instance->pool.books.jp_seed.e27, seed);
	(void)snprintf(record->after, ACTION_FIGURES_MAX,
		"{\"status\":\"live\",\"rows\":%u,\"jp_seed_e27\":\"%s\",\"house_seed_e27\":\"%s\"}",
		instance->pool.row_count, seed, seed);
	memcpy(created->action, record->id, ACTION_ID_BYTES);
	created->fresh = true;
	created->tallies_due = true;
	instance->rows_dirty = true;
	return true;
}

/* ---- loading, tallies ---- */

void created_pool_load(struct pool_instance *instance, PGconn *conn)
{
	static struct game_link link;
	struct pool_created *created = &instance->created;
	char error[GAME_LINKS_ERROR_MAX];
	struct pg_args args = { 0 };
	pg_args_int(&args, instance->pool.number);
	PGresult *rows =
		pg_args_query(&args, conn, "select jackpot from pool.made where pool = $1");
	if (PQntuples(rows) == 1) {
		const char *text = PQgetvalue(rows, 0, 0);
		if (game_links_parse_pool("pool.made", text, strlen(text), &link, error)) {
			memcpy(instance->id, link.jackpot.id, sizeof(instance->id));
			instance->base_coin_minor = link.jackpot.base_coin_minor;
			created->ppm = link.jackpot.ppm;
		} else {
			stored_wrong("pool %u: %.200s", instance->pool.number, error);
		}
	}
	PQclear(rows);
	pg_args_int(&args, instance->pool.number);
	rows = pg_args_query(
		&args, conn, "select game from pool.link where pool = $1 order by game");
	for (int i = 0; i < PQntuples(rows) && created->games_n < CREATED_GAMES_MAX; i++)
		created->games[created->games_n++] = pg_u32(rows, i, 0);
	PQclear(rows);
}

void created_pool_named(
	struct pool_instance *instance, const struct game_links *links, PGconn *conn)
{
	struct pool_created *created = &instance->created;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < created->games_n; i++) {
		bool named = false;
		for (size_t k = 0; k < links->count; k++)
			named = named ||
				(links->link[k].game == created->games[i] &&
					links->link[k].jackpot.pool == instance->pool.number);
		if (!named) {
			created->games[kept++] = created->games[i];
			continue;
		}
		struct pg_args args = { 0 };
		pg_args_int(&args, instance->pool.number);
		pg_args_int(&args, created->games[i]);
		pg_args_run(&args, conn, "delete from pool.link where pool = $1 and game = $2");
		log_info("pool %u: the definition of game %u now names this pool; its link is "
			 "deleted",
			instance->pool.number, created->games[i]);
	}
	created->games_n = kept;
}

void created_pool_tallies(
	struct pool_instance *instance, const struct game_links *links, PGconn *conn)
{
	const struct pool_created *created = &instance->created;
	if (instance->pool.state == POOL_RETIRED || created->fresh)
		return;
	instance->created.tallies_due = false;
	for (uint32_t i = 0; i < created->games_n; i++)
		for (size_t k = 0; k < links->count; k++) {
			const struct game_link *link = &links->link[k];
			for (uint32_t c = 0;
				link->game == created->games[i] && c < link->currency_count; c++)
				(void)pool_source_open(&instance->source, conn, link->game,
					link->currency[c], created->ppm);
		}
}

/* ---- opting out ---- */

static bool takes_part(const struct pool_instance *instance, uint32_t operator_id, PGconn *conn)
{
	struct pg_args args = { 0 };
	for (uint32_t i = instance->part_n; i > 0; i--)
		if (instance->part[i - 1].operator_id == operator_id)
			return instance->part[i - 1].takes_part;
	pg_args_int(&args, operator_id);
	pg_args_int(&args, instance->pool.number);
	PGresult *rows = pg_args_query(&args, conn,
		"select takes_part::int from pool.participation where operator = $1 and pool = $2");
	bool does = PQntuples(rows) == 0 || pg_number(rows, 0, 0) != 0;
	PQclear(rows);
	return does;
}

void pool_take_part(struct pool_instance *instance, struct action_record *record, PGconn *conn)
{
	uint32_t operator_id;
	bool part;
	if (!take_part_read(record->parameters, &operator_id, &part, record->refusal))
		return;
	if (!part && !jackpot_settings_room(conn,
			     "select count(*) from pool.participation where not takes_part",
			     record->refusal))
		return;
	if (instance->part_n == PARTS_MAX) {
		(void)action_refuse(record->refusal, "too many actions at once: try again");
	} else {
		struct pool_part *change = &instance->part[instance->part_n];
		(void)snprintf(record->before, ACTION_FIGURES_MAX,
			"{\"operator\":%" PRIu32 ",\"takes_part\":%s}", operator_id,
			takes_part(instance, operator_id, conn) ? "true" : "false");
		instance->part_n++;
		change->operator_id = operator_id;
		change->takes_part = part;
		memcpy(change->action, record->id, ACTION_ID_BYTES);
		(void)snprintf(record->after, ACTION_FIGURES_MAX,
			"{\"operator\":%" PRIu32 ",\"takes_part\":%s}", operator_id,
			change->takes_part ? "true" : "false");
		record->done = true;
	}
}

/* ---- writing ---- */

static void save_created(struct pool_instance *instance, PGconn *conn)
{
	struct pool_created *created = &instance->created;
	struct pg_args args = { 0 };
	char id[ID_HEX_MAX];
	pg_args_int(&args, instance->pool.number);
	pg_args_text(&args, created->text);
	pg_args_text(&args, jackpot_hex(created->action, ACTION_ID_BYTES, id));
	pg_args_run(
		&args, conn, "insert into pool.made (pool, jackpot, action) values ($1, $2, $3)");
	for (uint32_t i = 0; i < created->games_n; i++) {
		pg_args_int(&args, instance->pool.number);
		pg_args_int(&args, created->games[i]);
		pg_args_int(&args, created->ppm);
		pg_args_run(
			&args, conn, "insert into pool.link (pool, game, ppm) values ($1, $2, $3)");
	}
	created->fresh = false;
	free(created->text);
	created->text = NULL;
}

void created_pool_save(struct pool_instance *instance, PGconn *conn)
{
	if (instance->created.fresh)
		save_created(instance, conn);
	for (uint32_t i = 0; i < instance->part_n; i++) {
		const struct pool_part *part = &instance->part[i];
		struct pg_args args = { 0 };
		char id[ID_HEX_MAX];
		pg_args_int(&args, part->operator_id);
		pg_args_int(&args, instance->pool.number);
		pg_args_text(&args, part->takes_part ? "t" : "f");
		pg_args_text(&args, jackpot_hex(part->action, ACTION_ID_BYTES, id));
		pg_args_run(&args, conn,
			"insert into pool.participation (operator, pool, takes_part, action) values "
			"($1, $2, $3, $4) on conflict (operator, pool) do update set takes_part = "
			"excluded.takes_part, action = excluded.action, time = now()");
	}
	instance->part_n = 0;
}
