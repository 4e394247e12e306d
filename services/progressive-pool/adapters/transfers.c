/* Transfers between pools. */
#include "services/progressive-pool/adapters/transfers.h"

#include "libcommon/base/currency.h"
#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/jackpot/io/jackpot_send.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/stored.h"
#include "services/progressive-pool/adapters/successor.h"

#include <jansson.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_US 2000000u
#define ID_HEX_MAX (2 * ACTION_ID_BYTES + 3)

/* ---- storage ---- */

static struct transfer_out *out_new(struct pool_transfers *transfers)
{
	if (transfers->out_n == transfers->out_room) {
		transfers->out_room = transfers->out_room * 2 + 8;
		transfers->out =
			realloc(transfers->out, transfers->out_room * sizeof(*transfers->out));
		if (transfers->out == NULL)
			fatal("out of memory");
	}
	struct transfer_out *out = &transfers->out[transfers->out_n++];
	memset(out, 0, sizeof(*out));
	return out;
}

void transfers_load(struct pool_instance *instance, PGconn *conn)
{
	struct pool_transfers *transfers = &instance->transfers;
	struct pg_args args = { 0 };
	pg_args_int(&args, instance->pool.number);
	PGresult *rows = pg_args_query(&args, conn,
		"select number, to_pool from pool.transfer_out where pool = $1 and booked is null "
		"order by number");
	for (int i = 0; i < PQntuples(rows); i++) {
		struct transfer_out *out = out_new(transfers);
		out->number = pg_u64(rows, i, 0);
		out->to.pool = pg_u32(rows, i, 1);
	}
	PQclear(rows);
	pg_args_int(&args, instance->pool.number);
	rows = pg_args_query(&args, conn,
		"select coalesce(max(number), 0) from pool.transfer_out where pool = $1");
	transfers->last = pg_u64(rows, 0, 0);
	PQclear(rows);
	pg_args_int(&args, instance->pool.number);
	rows = pg_args_query(&args, conn,
		"select p.rest_pool, p.rest_currency, p.rest_coin_minor, coalesce((select a.id from "
		"pool.operator_action a where a.pool = p.pool and a.done and a.action = 3 order by "
		"a.fact_seq desc limit 1), '\\x') from pool.pool p where p.pool = $1 and "
		"p.rest_pool is not null");
	if (PQntuples(rows) == 1) {
		size_t length;
		uint8_t *id = pg_bytea(rows, 0, 3, &length);
		transfers->rest = (struct transfer_place){ pg_u32(rows, 0, 0), pg_u32(rows, 0, 1),
			pg_number(rows, 0, 2) };
		memcpy(transfers->action, id, length < ACTION_ID_BYTES ? length : ACTION_ID_BYTES);
		PQfreemem(id);
	}
	PQclear(rows);
}

void transfers_free(struct pool_instance *instance)
{
	free(instance->transfers.out);
	free(instance->transfers.in);
}

static void save_out(const struct pool_instance *instance, struct transfer_out *out, PGconn *conn)
{
	struct pg_args args = { 0 };
	char id[ID_HEX_MAX];
	pg_args_int(&args, instance->pool.number);
	pg_args_int(&args, (int64_t)out->number);
	if (out->fresh) {
		pg_args_int(&args, out->from_currency);
		pg_args_int(&args, out->from_coin_minor);
		pg_args_int(&args, out->to.pool);
		pg_args_int(&args, out->to.currency);
		pg_args_int(&args, out->to.coin_minor);
		pg_args_int128(&args, out->amount.e27);
		pg_args_text(&args, jackpot_hex(out->action, ACTION_ID_BYTES, id));
		pg_args_run(&args, conn,
			"insert into pool.transfer_out (pool, number, from_currency, "
			"from_coin_minor, to_pool, to_currency, to_coin_minor, amount_e27, action) "
			"values ($1, $2, $3, $4, $5, $6, $7, $8, $9)");
		out->fresh = false;
		out->told_us = 0; /* durable: announced at the next tick */
	} else if (out->booked) {
		pg_args_run(&args, conn,
			"update pool.transfer_out set booked = now() where pool = $1 and number = "
			"$2 and booked is null");
	}
}

void transfers_save(struct pool_instance *instance, PGconn *conn)
{
	struct pool_transfers *transfers = &instance->transfers;
	size_t kept = 0;
	for (size_t i = 0; i < transfers->out_n; i++) {
		save_out(instance, &transfers->out[i], conn);
		if (!transfers->out[i].booked)
			transfers->out[kept++] = transfers->out[i];
	}
	transfers->out_n = kept;
	for (size_t i = 0; i < transfers->in_n; i++) {
		const struct transfer_in *in = &transfers->in[i];
		struct pg_args args = { 0 };
		pg_args_int(&args, in->from_pool);
		pg_args_int(&args, (int64_t)in->number);
		pg_args_int(&args, instance->pool.number);
		pg_args_int(&args, in->currency);
		pg_args_int(&args, in->coin_minor);
		pg_args_int128(&args, in->amount.e27);
		pg_args_run(&args, conn,
			"insert into pool.transfer_in (from_pool, number, pool, currency, "
			"coin_minor, amount_e27) values ($1, $2, $3, $4, $5, $6)");
	}
	transfers->in_n = 0;
}

/* ---- announcing ---- */

static void tell(struct service *service, uint32_t to, uint32_t from_pool, uint64_t number,
	uint32_t to_pool, bool booked, bool now)
{
	Carillon__Envelope envelope;
	Carillon__PoolTransfer transfer;
	Carillon__JackpotCommand command;
	carillon__envelope__init(&envelope);
	carillon__pool_transfer__init(&transfer);
	carillon__jackpot_command__init(&command);
	service_envelope(service, &envelope, 0, 0);
	transfer.from_pool = from_pool;
	transfer.number = number;
	transfer.to_pool = to_pool;
	command.envelope = &envelope;
	command.pool = to;
	command.body_case = booked ? CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED
				   : CARILLON__JACKPOT_COMMAND__BODY_TRANSFER;
	if (booked)
		command.transfer_booked = &transfer;
	else
		command.transfer = &transfer;
	jackpot_send(service, TOPIC_JACKPOT_COMMANDS, shard_of_pool(to, service_shards(service)),
		to, &command.base, now);
}

static struct transfer_out *move_out(struct pool_instance *instance, struct amount amount,
	uint32_t from_currency, int64_t from_coin_minor, const struct transfer_place *to)
{
	struct pool_transfers *transfers = &instance->transfers;
	struct transfer_out *out;
	if (amount.e27 == 0)
		return NULL;
	assert(to->pool != 0); /* its money would be nowhere */
	out = out_new(transfers);
	out->number = ++transfers->last;
	out->from_currency = from_currency;
	out->from_coin_minor = from_coin_minor;
	out->to = *to;
	out->amount = amount;
	memcpy(out->action, transfers->action, ACTION_ID_BYTES);
	out->fresh = true;
	return out;
}

/* Where the rests of retired pools are read, and what is wrong with one of them. */
struct rests {
	PGconn *conn;
	struct stored_fault fault;
};

/* Reads the durable state: a retirement that is not durable yet appears a second later. A row that
 * cannot be read ends the chain, and is not the fault of the pool that asks. */
static bool rest_of(void *context, uint32_t pool, struct transfer_place *rest_r)
{
	struct rests *rests = context;
	struct pg_args args = { 0 };
	pg_args_int(&args, pool);
	stored_try(&rests->fault);
	PGresult *row = pg_args_query(&args, rests->conn,
		"select rest_pool, rest_currency, rest_coin_minor from pool.pool where pool = $1 "
		"and state = 'retired' and rest_pool is not null");
	bool retired = PQntuples(row) == 1;
	if (retired)
		*rest_r = (struct transfer_place){ pg_u32(row, 0, 0), pg_u32(row, 0, 1),
			pg_number(row, 0, 2) };
	if (retired && rest_r->pool == 0)
		stored_wrong("pool.pool %u: found rest_pool 0, expected a pool", pool);
	PQclear(row);
	return stored_tried(&rests->fault) && retired;
}

/* False: a successor cannot be read, so the money waits for it. */
static bool readable(struct pool_instance *instance, const struct rests *rests)
{
	bool good = rests->fault.text[0] == '\0';
	if (!good && !instance->transfers.unreadable)
		log_error_as("pool.transfer.unreadable",
			"ALARM pool %u is retired, and its money stays in the reserve, because "
			"what is stored about a pool that follows it cannot be read: %s",
			instance->pool.number, rests->fault.text);
	instance->transfers.unreadable = !good;
	return good;
}

/* Money that arrives in a retired pool goes to the last of its successors. */
static void follow(struct service *service, struct pool_instance *instance)
{
	struct pool *pool = &instance->pool;
	struct rests rests = { .conn = service_pg(service) };
	struct transfer_place to;
	struct amount amount;
	if (pool->state != POOL_RETIRED || pool->books.jp_reserve.e27 == 0 ||
		instance->transfers.rest.pool == 0)
		return;
	bool goes = successor_find(pool->number, &instance->transfers.rest, rest_of, &rests, &to);
	if (!readable(instance, &rests))
		return;
	if (!goes && !instance->transfers.circle)
		log_error_as("pool.transfer.circular",
			"ALARM pool %u is retired, and its money would go to pool %u, but that "
			"pool is also retired, and from there the money would come back: it "
			"stays in the reserve until an action \"retire\" names another pool in /rest",
			pool->number, instance->transfers.rest.pool);
	instance->transfers.circle = !goes;
	if (!goes)
		return;
	if (pool_reserve_send(pool, &amount) != POOL_OK)
		fatal("pool %u: cannot send its reserve", pool->number);
	(void)move_out(instance, amount, 0, 0, &to);
	instance->dirty = true;
	instance->unshown = true;
	service_commit_soon(service);
}

void transfers_tick(struct service *service, struct pool_instance *instance, uint64_t mono_us)
{
	follow(service, instance);
	for (size_t i = 0; i < instance->transfers.out_n; i++) {
		struct transfer_out *out = &instance->transfers.out[i];
		if (out->fresh || out->booked ||
			(out->told_us != 0 && mono_us < out->told_us + AGAIN_US))
			continue;
		out->told_us = mono_us;
		tell(service, out->to.pool, instance->pool.number, out->number, out->to.pool, false,
			true);
	}
}

/* ---- booking ---- */

static bool already_received(const struct pool_instance *instance, PGconn *conn,
	const Carillon__PoolTransfer *transfer, bool *durable_r)
{
	const struct pool_transfers *transfers = &instance->transfers;
	struct pg_args args = { 0 };
	*durable_r = false;
	for (size_t i = 0; i < transfers->in_n; i++)
		if (transfers->in[i].from_pool == transfer->from_pool &&
			transfers->in[i].number == transfer->number)
			return true;
	pg_args_int(&args, transfer->from_pool);
	pg_args_int(&args, (int64_t)transfer->number);
	PGresult *rows = pg_args_query(
		&args, conn, "select 1 from pool.transfer_in where from_pool = $1 and number = $2");
	*durable_r = PQntuples(rows) == 1;
	PQclear(rows);
	return *durable_r;
}

/* Reads the row that the other pool has written. A message alone moves no money. False: there is
 * none, or it cannot be read, which is the other pool's fault. */
static bool written(PGconn *conn, const Carillon__PoolTransfer *transfer, struct transfer_in *in_r)
{
	struct pg_args args = { 0 };
	struct stored_fault fault;
	pg_args_int(&args, transfer->from_pool);
	pg_args_int(&args, (int64_t)transfer->number);
	pg_args_int(&args, transfer->to_pool);
	stored_try(&fault);
	PGresult *rows = pg_args_query(&args, conn,
		"select to_currency, to_coin_minor, amount_e27 from pool.transfer_out where pool = "
		"$1 and number = $2 and to_pool = $3");
	bool found = PQntuples(rows) == 1;
	if (found)
		*in_r = (struct transfer_in){ transfer->from_pool, transfer->number,
			pg_u32(rows, 0, 0), pg_number(rows, 0, 1), { pg_int128(rows, 0, 2) } };
	PQclear(rows);
	return stored_tried(&fault) && found;
}

static void keep_in(struct pool_transfers *transfers, const struct transfer_in *in)
{
	if (transfers->in_n == transfers->in_room) {
		transfers->in_room = transfers->in_room * 2 + 8;
		transfers->in = realloc(transfers->in, transfers->in_room * sizeof(*transfers->in));
		if (transfers->in == NULL)
			fatal("out of memory");
	}
	transfers->in[transfers->in_n++] = *in;
}

/* False: it is too large for the pool's books, and nothing has changed. */
static bool book(struct service *service, struct pool_instance *instance, struct transfer_in *in)
{
	char amount[AMOUNT_TEXT_MAX];
	bool to_row;
	if (pool_receive(&instance->pool, in->currency, in->coin_minor, in->amount, &to_row) !=
		POOL_OK)
		return false;
	if (!to_row) {
		in->currency = 0;
		in->coin_minor = 0;
	}
	keep_in(&instance->transfers, in);
	instance->dirty = true;
	instance->rows_dirty = true;
	instance->unshown = true;
	instance->show_now = true;
	service_commit_soon(service);
	(void)int128_format(in->amount.e27, amount);
	log_info("pool %u: received %s x 10^-27 EUR from pool %u, transfer %" PRIu64 ", into %s",
		instance->pool.number, amount, in->from_pool, in->number,
		to_row ? "a row" : "the reserve");
	return true;
}

enum service_message_status transfers_take(struct service *service, struct pool_instance *instance,
	const Carillon__PoolTransfer *transfer)
{
	struct transfer_in in;
	bool durable;
	bool known = already_received(instance, service_pg(service), transfer, &durable);
	if (!known && (transfer->to_pool != instance->pool.number ||
			      !written(service_pg(service), transfer, &in))) {
		service_reason(service,
			"transfer: found transfer %" PRIu64 " from pool %u to pool %u, "
			"expected one to pool %u that can be read in pool.transfer_out",
			transfer->number, transfer->from_pool, transfer->to_pool,
			instance->pool.number);
		return SERVICE_UNREADABLE;
	}
	if (!known && !book(service, instance, &in)) {
		service_reason(service,
			"transfer: found transfer %" PRIu64
			" from pool %u, which is too large for the books of pool %u",
			transfer->number, transfer->from_pool, instance->pool.number);
		return SERVICE_UNREADABLE;
	}
	/* The first acknowledgement is sent after the commit that books the transfer. */
	if (!known || durable)
		tell(service, transfer->from_pool, transfer->from_pool, transfer->number,
			instance->pool.number, true, durable);
	return SERVICE_TAKEN;
}

enum service_message_status transfers_acknowledged(struct service *service,
	struct pool_instance *instance, const Carillon__PoolTransfer *transfer)
{
	struct pool_transfers *transfers = &instance->transfers;
	bool durable;
	for (size_t i = 0; i < transfers->out_n; i++) {
		struct transfer_out *out = &transfers->out[i];
		if (out->number != transfer->number || out->fresh || out->booked)
			continue;
		if (transfer->from_pool != instance->pool.number ||
			!already_received(instance, service_pg(service), transfer, &durable)) {
			service_reason(service,
				"transfer_booked: found transfer %" PRIu64 " from pool %u, "
				"expected one from pool %u that is in pool.transfer_in",
				transfer->number, transfer->from_pool, instance->pool.number);
			return SERVICE_UNREADABLE;
		}
		out->booked = true;
		instance->dirty = true;
		service_commit_soon(service);
	}
	return SERVICE_TAKEN; /* known already */
}

/* ---- parameters of RETIRE ---- */

struct retire_row {
	uint32_t currency;
	int64_t coin_minor;
	struct transfer_place to;
};

struct retire {
	bool has_rest;
	struct transfer_place rest;
	size_t rows_n;
	struct retire_row rows[POOL_ROWS_MAX];
};

static bool say(char *refusal, const char *where, const char *expected)
{
	return action_refuse(refusal, "parameters %s: expected %s", where, expected);
}

static bool row_of(
	json_t *json, const char *where, uint32_t *currency_r, int64_t *coin_minor_r, char *refusal)
{
	json_t *code = json_object_get(json, "currency");
	json_t *coin = json_object_get(json, "coin_minor");
	const struct currency *currency =
		json_is_string(code) ? currency_by_code(json_string_value(code)) : NULL;
	if (currency == NULL || !json_is_integer(coin) || json_integer_value(coin) < 1)
		return say(refusal, where,
			"a row: /currency such as \"EUR\", and /coin_minor, a whole number above 0");
	*currency_r = currency->number;
	*coin_minor_r = json_integer_value(coin);
	return true;
}

/* {"pool"}: its reserve; {"pool","currency","coin_minor"}: a row. */
static bool place_of(json_t *json, const char *where, struct transfer_place *place_r, char *refusal)
{
	json_t *pool = json_object_get(json, "pool");
	memset(place_r, 0, sizeof(*place_r));
	if (!json_is_integer(pool) || json_integer_value(pool) < 1 ||
		json_integer_value(pool) > 65535 ||
		(json_object_size(json) != 1 && json_object_size(json) != 3))
		return say(refusal, where,
			"{\"pool\"} for its reserve or {\"pool\",\"currency\",\"coin_minor\"} for a "
			"row");
	place_r->pool = (uint32_t)json_integer_value(pool);
	return json_object_size(json) == 1 ||
	       row_of(json, where, &place_r->currency, &place_r->coin_minor, refusal);
}

static bool rows_of(json_t *rows, struct retire *retire, char *refusal)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		char where[64];
		json_t *json = json_array_get(rows, i);
		struct retire_row *row = &retire->rows[retire->rows_n];
		(void)snprintf(where, sizeof(where), "/rows/%zu", i);
		if (retire->rows_n == POOL_ROWS_MAX || json_object_size(json) != 3)
			return say(refusal, where, "{\"currency\",\"coin_minor\",\"to\"}");
		if (!row_of(json, where, &row->currency, &row->coin_minor, refusal))
			return false;
		(void)snprintf(where, sizeof(where), "/rows/%zu/to", i);
		if (!place_of(json_object_get(json, "to"), where, &row->to, refusal))
			return false;
		retire->rows_n++;
	}
	return true;
}

static bool retire_read(const char *text, struct retire *retire, char *refusal)
{
	json_error_t fault;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &fault);
	json_t *rest = json_object_get(json, "rest");
	json_t *rows = json_object_get(json, "rows");
	bool good = json_is_object(json) &&
		    json_object_size(json) == (rest != NULL ? 1u : 0u) + (rows != NULL ? 1u : 0u) &&
		    rest != NULL && (rows == NULL || json_is_array(rows));
	memset(retire, 0, sizeof(*retire));
	if (!good)
		(void)say(refusal, "/", "an object with \"rest\" and optionally \"rows\"");
	good = good && place_of(rest, "/rest", &retire->rest, refusal) &&
	       rows_of(rows, retire, refusal);
	json_decref(json);
	return good;
}

#define CHAIN_ENDS 4 /* a refusal has no room for more */

/* "5 -> 7 -> 4": the way of money that is sent to a retired pool. Of a long way only the first and
 * last pools. */
static const char *chain_text(PGconn *conn, uint32_t pool, char *out, size_t size)
{
	struct transfer_place chain[SUCCESSORS_MAX];
	struct rests rests = { .conn = conn };
	const struct transfer_place first = { .pool = pool };
	size_t n = successor_chain(0, &first, rest_of, &rests, chain);
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++) {
		if (i >= CHAIN_ENDS && i + CHAIN_ENDS < n)
			continue;
		used += (size_t)snprintf(out + used, size - used, "%s%s%" PRIu32,
			i == 0 ? "" : " -> ", i > CHAIN_ENDS && i + CHAIN_ENDS == n ? ".. -> " : "",
			chain[i].pool);
	}
	return out;
}

/* Checks that the other pool exists, is not this one, is not retired, and has the row. A retired
 * pool receives no transfers, so no later retirement can form a circle. */
static bool place_valid(const struct pool_instance *instance, const struct transfer_place *place,
	PGconn *conn, char *refusal)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, place->pool);
	pg_args_int(&args, place->currency);
	pg_args_int(&args, place->coin_minor);
	PGresult *rows = pg_args_query(&args, conn,
		"select p.state, $2::integer = 0 or exists (select 1 from pool.row r where r.pool = "
		"p.pool and r.currency = $2::integer and r.coin_minor = $3::bigint) from pool.pool "
		"p where p.pool = $1");
	const char *wrong = NULL;
	char retired[160], chain[100];
	(void)snprintf(retired, sizeof(retired),
		"a pool that is not retired; money of this pool is passed on: %s",
		chain_text(conn, place->pool, chain, sizeof(chain)));
	if (place->pool == instance->pool.number)
		wrong = "a pool other than the one to be retired";
	else if (PQntuples(rows) == 0)
		wrong = "an existing pool";
	else if (strcmp(PQgetvalue(rows, 0, 0), "retired") == 0)
		wrong = retired;
	else if (PQgetvalue(rows, 0, 1)[0] != 't')
		wrong = "an existing row of the pool";
	PQclear(rows);
	if (wrong != NULL)
		return action_refuse(refusal,
			"to pool %u, currency %u, coin %" PRId64 ": expected %s", place->pool,
			place->currency, place->coin_minor, wrong);
	return true;
}

static bool places_valid(const struct pool_instance *instance, const struct retire *retire,
	PGconn *conn, char *refusal)
{
	if (!place_valid(instance, &retire->rest, conn, refusal))
		return false;
	for (size_t i = 0; i < retire->rows_n; i++)
		if (!place_valid(instance, &retire->rows[i].to, conn, refusal))
			return false;
	return true;
}

/* ---- retiring ---- */

static void describe(const struct pool_instance *instance, char *out)
{
	const struct pool_books *books = &instance->pool.books;
	char reserve[AMOUNT_TEXT_MAX], pool[AMOUNT_TEXT_MAX], seed[AMOUNT_TEXT_MAX],
		sent[AMOUNT_TEXT_MAX];
	(void)int128_format(books->jp_reserve.e27, reserve);
	(void)int128_format(books->jp_pool.e27, pool);
	(void)int128_format(books->jp_seed.e27, seed);
	(void)int128_format(books->sent.e27, sent);
	(void)snprintf(out, ACTION_FIGURES_MAX,
		"{\"status\":\"%s\",\"jp_pool_e27\":\"%s\",\"jp_seed_e27\":\"%s\","
		"\"jp_reserve_e27\":\"%s\",\"sent_e27\":\"%s\"}",
		pool_state_text(instance->pool.state), pool, seed, reserve, sent);
}

static const struct transfer_place *place_for(
	const struct retire *retire, const struct pool_row *row)
{
	for (size_t i = 0; i < retire->rows_n; i++)
		if (retire->rows[i].currency == row->currency &&
			retire->rows[i].coin_minor == row->coin_minor)
			return &retire->rows[i].to;
	return &retire->rest;
}

static void row_removed(struct pool_instance *instance, uint32_t currency, int64_t coin_minor)
{
	instance->removed[instance->removed_count].currency = currency;
	instance->removed[instance->removed_count++].coin_minor = coin_minor;
}

/* Sends every row of the pool, then its reserve. The caller has checked everything, so nothing can
 * fail halfway. */
static void empty(struct pool_instance *instance, const struct retire *retire)
{
	struct pool *pool = &instance->pool;
	struct amount amount;
	while (pool->row_count > 0) {
		const struct pool_row row = pool->row[pool->row_count - 1];
		const struct transfer_place *to = place_for(retire, &row);
		if (pool_row_send(pool, row.currency, row.coin_minor, &amount) != POOL_OK)
			fatal("pool %u, currency %u, coin %" PRId64 ": cannot send its value",
				pool->number, row.currency, row.coin_minor);
		(void)move_out(instance, amount, row.currency, row.coin_minor, to);
		row_removed(instance, row.currency, row.coin_minor);
	}
	if (pool_reserve_send(pool, &amount) != POOL_OK || pool_retire(pool) != POOL_OK)
		fatal("pool %u: cannot send its reserve", pool->number);
	(void)move_out(instance, amount, 0, 0, &retire->rest);
}

static bool retire_pool(struct pool_instance *instance, const struct action_record *record,
	PGconn *conn, char *refusal)
{
	static struct retire retire;
	struct pool *pool = &instance->pool;
	if (!retire_read(record->parameters, &retire, refusal) ||
		!action_second_given(record, refusal) ||
		!places_valid(instance, &retire, conn, refusal))
		return false;
	if (pool->state != POOL_PAUSED && (pool->state != POOL_RETIRED || retire.rows_n > 0))
		return action_refuse(refusal, "the pool is %s, expected a paused pool",
			pool_state_text(pool->state));
	for (size_t i = 0; i < retire.rows_n; i++)
		if (pool_row_find(pool, retire.rows[i].currency, retire.rows[i].coin_minor) == NULL)
			return say(refusal, "/rows", "existing rows of the pool");
	instance->transfers.rest = retire.rest;
	memcpy(instance->transfers.action, record->id, ACTION_ID_BYTES);
	if (pool->state == POOL_PAUSED)
		empty(instance, &retire);
	return true;
}

void transfers_retire(struct pool_instance *instance, struct action_record *record, PGconn *conn)
{
	describe(instance, record->before);
	record->done = retire_pool(instance, record, conn, record->refusal);
	describe(instance, record->after);
}
