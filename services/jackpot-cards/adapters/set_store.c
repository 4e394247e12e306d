/* Sets of Jackpot Cards in Postgres. */
#include "services/jackpot-cards/adapters/set_store.h"

#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/stored.h"
#include "services/jackpot-cards/adapters/set_operator.h"

#include <string.h>

#define NANO_PER_PPM 1000

const char *set_state_text(const struct set_instance *instance)
{
	return instance->paused ? "paused" : "live";
}

static bool load_set(struct set_instance *instance, PGconn *conn)
{
	struct card_set *set = &instance->set;
	struct pg_args args = { 0 };
	pg_args_int(&args, set->number);
	PGresult *row = pg_args_query(&args, conn,
		"select t_e18, " JACKPOT_BOOKS
		", version, fact_seq, state from cards.card_set where pool = $1");
	bool known = PQntuples(row) == 1;
	if (known) {
		set->t_e18 = pg_int128(row, 0, 0);
		set->books = jackpot_books(row, 0, 1);
		instance->version = pg_u64(row, 0, 7);
		instance->fact_seq = pg_u64(row, 0, 8);
		instance->paused = strcmp(PQgetvalue(row, 0, 9), "paused") == 0;
	}
	PQclear(row);
	return known;
}

static void load_levels(struct set_instance *instance, PGconn *conn)
{
	struct card_set *set = &instance->set;
	struct pg_args args = { 0 };
	pg_args_int(&args, set->number);
	PGresult *rows = pg_args_query(&args, conn,
		"select level, currency, exponent, " JACKPOT_ROW_READ
		", defined_seed_minor, defined_share_nano from cards.level where pool = $1 order by level");
	int n = PQntuples(rows);
	if (n != CARD_LEVELS) {
		stored_wrong("cards.level: found %d levels of set %u, expected %d", n, set->number,
			CARD_LEVELS);
		n = 0;
	}
	for (int i = 0; i < n; i++) {
		set->level[i] = (struct pool_row){
			.level = pg_u32(rows, i, 0),
			.currency = pg_u32(rows, i, 1),
			.exponent = pg_u32(rows, i, 2),
		};
		jackpot_pg_row(rows, i, 3, &set->level[i]);
		instance->defined_known = !PQgetisnull(rows, i, 13);
		instance->defined.seed_minor[i] = pg_number(rows, i, 13);
		instance->defined.wager_ppm[i] = pg_number(rows, i, 14) / NANO_PER_PPM;
	}
	PQclear(rows);
}

/* Nothing may be paid from books that do not add up, or from levels that cannot be priced. */
static void check(const struct set_instance *instance)
{
	const char *broken;
	if (!card_set_levels_valid(&instance->set))
		stored_wrong("set %u: the stored levels are not valid", instance->set.number);
	else if (!card_set_identities_hold(&instance->set, &broken))
		stored_wrong(
			"set %u: the stored books are broken at %s", instance->set.number, broken);
	if (instance->source.vector.t_e18 != instance->set.t_e18)
		stored_wrong("set %u: the stored totals do not add up to the stored T",
			instance->set.number);
}

bool set_store_load(struct set_instance *instance, PGconn *conn)
{
	pool_source_load(&instance->source, conn, "cards", instance->set.number);
	if (!load_set(instance, conn))
		return false;
	load_levels(instance, conn);
	check(instance);
	return true;
}

static void save_set(const struct set_instance *instance, PGconn *conn)
{
	const struct card_set *set = &instance->set;
	struct pg_args args = { 0 };
	pg_args_int(&args, set->number);
	pg_args_text(&args, instance->id);
	pg_args_int(&args, instance->link.shard);
	pg_args_int128(&args, set->t_e18);
	jackpot_args_books(&args, &set->books);
	pg_args_int(&args, (int64_t)instance->version);
	pg_args_int(&args, (int64_t)instance->fact_seq);
	pg_args_text(&args, set_state_text(instance));
	pg_args_run(&args, conn,
		"insert into cards.card_set (pool, id, shard, t_e18, " JACKPOT_BOOKS
		", version, fact_seq, state)"
		" values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
		" on conflict (pool) do update set id = excluded.id, shard = excluded.shard, t_e18 "
		"= excluded.t_e18, " JACKPOT_BOOKS_SET
		", version = excluded.version, fact_seq = excluded.fact_seq, state = excluded.state, updated = now()");
}

static void save_level(const struct set_instance *instance, int at, PGconn *conn)
{
	const struct pool_row *row = &instance->set.level[at];
	struct pg_args args = { 0 };
	pg_args_int(&args, instance->set.number);
	pg_args_int(&args, row->level);
	pg_args_int(&args, row->currency);
	pg_args_int(&args, row->exponent);
	jackpot_args_row(&args, row);
	pg_args_int(&args, instance->defined.seed_minor[at]);
	/* A new level starts with it. */
	pg_args_int(&args, instance->defined.wager_ppm[at] * NANO_PER_PPM);
	pg_args_run(&args, conn,
		"insert into cards.level (pool, level, currency, exponent, " JACKPOT_ROW
		", defined_seed_minor, defined_share_nano, launch_share_nano)"
		" values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)"
		" on conflict (pool, level) do update set " JACKPOT_ROW_SET
		", defined_seed_minor = excluded.defined_seed_minor, defined_share_nano = excluded.defined_share_nano");
}

void set_store_save(struct set_instance *instance, PGconn *conn)
{
	save_set(instance, conn);
	pool_source_save(&instance->source, conn, "cards");
	if (instance->levels_dirty)
		for (int i = 0; i < CARD_LEVELS; i++)
			save_level(instance, i, conn);
	set_operator_save(instance, conn);
	instance->levels_dirty = false;
	instance->dirty = false;
}
