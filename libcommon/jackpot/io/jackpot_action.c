/* Operators' requests to pools and sets. */
#include "libcommon/jackpot/io/jackpot_action.h"

#include "bus.pb-c.h"
#include "libcommon/base/declined.h"
#include "libcommon/base/utf8.h"
#include "libcommon/io/clock.h"
#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/settings.h"
#include "libcommon/io/stored.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_HEX_MAX (2 * ACTION_ID_BYTES + 3)
#define SQL_MAX 512

/* ---- records ---- */

bool action_refuse(char *refusal, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(refusal, ACTION_TEXT_MAX, format, arguments);
	va_end(arguments);
	/* Postgres stores the refusal and takes no partial character, but a text found may be
	 * cut */
	utf8_whole(refusal);
	return false;
}

static bool take(const char *name, const char *in, char *out, size_t room, char *reason)
{
	size_t length = strlen(in);
	if (length >= room)
		return action_refuse(reason, "%s: found %zu bytes, expected at most %zu", name,
			length, room - 1);
	if (!utf8_valid(in))
		return action_refuse(reason, "%s: found byte 0x%02x at offset %zu, expected UTF-8",
			name, (unsigned char)in[utf8_valid_length(in)], utf8_valid_length(in));
	memcpy(out, in, length + 1);
	return true;
}

bool action_read(uint32_t pool, const Carillon__OperatorCommand *command,
	struct action_record *record_r, char *reason)
{
	memset(record_r, 0, sizeof(*record_r));
	if (command->id.len != ACTION_ID_BYTES)
		return action_refuse(reason, "operator.id: found %zu bytes, expected %d",
			command->id.len, ACTION_ID_BYTES);
	if ((int)command->action < 0)
		return action_refuse(reason, "operator.action: found %d, expected 0 or more",
			(int)command->action);
	if (command->actor[0] == '\0')
		return action_refuse(
			reason, "operator.actor: found nothing, expected the requester's name");
	memcpy(record_r->id, command->id.data, ACTION_ID_BYTES);
	record_r->pool = pool;
	record_r->action = (uint32_t)command->action;
	return take("operator.actor", command->actor, record_r->actor, ACTION_TEXT_MAX, reason) &&
	       take("operator.second", command->second, record_r->second, ACTION_TEXT_MAX,
		       reason) &&
	       take("operator.reason", command->reason, record_r->reason, ACTION_TEXT_MAX,
		       reason) &&
	       take("operator.parameters", command->parameters, record_r->parameters,
		       ACTION_PARAMETERS_MAX, reason);
}

bool action_second_given(const struct action_record *record, char *refusal)
{
	if (record->second[0] == '\0' || strcmp(record->second, record->actor) == 0)
		return action_refuse(refusal,
			"second: found %s, expected the name of a second approver",
			record->second[0] == '\0' ? "nothing" : "the requester again");
	return true;
}

bool action_same(const struct action_record *a, const struct action_record *b)
{
	return a->pool == b->pool && a->action == b->action && strcmp(a->actor, b->actor) == 0 &&
	       strcmp(a->second, b->second) == 0 && strcmp(a->reason, b->reason) == 0 &&
	       strcmp(a->parameters, b->parameters) == 0;
}

const struct action_record *action_list_find(const struct action_list *list, const uint8_t *id)
{
	for (size_t i = 0; i < list->n; i++)
		if (memcmp(list->record[i].id, id, ACTION_ID_BYTES) == 0)
			return &list->record[i];
	return NULL;
}

void action_list_add(struct action_list *list, const struct action_record *record)
{
	if (list->n == list->room) {
		list->room = list->room * 2 + 4;
		list->record = realloc(list->record, list->room * sizeof(*record));
		if (list->record == NULL)
			fatal("out of memory");
	}
	list->record[list->n++] = *record;
}

void action_list_free(struct action_list *list)
{
	free(list->record);
	memset(list, 0, sizeof(*list));
}

/* ---- Postgres ---- */

static void copy(char *out, size_t room, const PGresult *rows, int column)
{
	(void)snprintf(out, room, "%s", PQgetvalue(rows, 0, column));
}

bool action_find(
	PGconn *conn, const char *schema, const uint8_t *id, struct action_record *record_r)
{
	struct pg_args args = { 0 };
	char text[ID_HEX_MAX], sql[SQL_MAX];
	(void)snprintf(sql, sizeof(sql),
		"select action, actor, second, reason, parameters, done, refusal, before, after, "
		"fact_seq, (extract(epoch from time) * 1000000)::bigint, pool from %s.operator_action "
		"where id = $1",
		schema);
	pg_args_text(&args, jackpot_hex(id, ACTION_ID_BYTES, text));
	PGresult *rows = pg_args_query(&args, conn, sql);
	bool found = PQntuples(rows) == 1;
	if (found) {
		memset(record_r, 0, sizeof(*record_r));
		memcpy(record_r->id, id, ACTION_ID_BYTES);
		record_r->action = pg_u32(rows, 0, 0);
		copy(record_r->actor, sizeof(record_r->actor), rows, 1);
		copy(record_r->second, sizeof(record_r->second), rows, 2);
		copy(record_r->reason, sizeof(record_r->reason), rows, 3);
		copy(record_r->parameters, sizeof(record_r->parameters), rows, 4);
		record_r->done = PQgetvalue(rows, 0, 5)[0] == 't';
		copy(record_r->refusal, sizeof(record_r->refusal), rows, 6);
		copy(record_r->before, sizeof(record_r->before), rows, 7);
		copy(record_r->after, sizeof(record_r->after), rows, 8);
		record_r->fact_seq = pg_u64(rows, 0, 9);
		record_r->time_us = pg_u64(rows, 0, 10);
		record_r->pool = pg_u32(rows, 0, 11);
	}
	PQclear(rows);
	return found;
}

static void save(
	const struct action_record *record, PGconn *conn, const char *schema, uint32_t pool)
{
	struct pg_args args = { 0 };
	char id[ID_HEX_MAX], sql[SQL_MAX];
	(void)snprintf(sql, sizeof(sql),
		"insert into %s.operator_action (id, pool, action, actor, second, reason, "
		"parameters, done, refusal, before, after, fact_seq, time) values ($1, $2, $3, $4, "
		"$5, $6, $7, $8, $9, $10, $11, $12, 'epoch'::timestamptz + $13 * interval '1 "
		"microsecond')",
		schema);
	pg_args_text(&args, jackpot_hex(record->id, ACTION_ID_BYTES, id));
	pg_args_int(&args, pool);
	pg_args_int(&args, record->action);
	pg_args_text(&args, record->actor);
	pg_args_text(&args, record->second);
	pg_args_text(&args, record->reason);
	pg_args_text(&args, record->parameters);
	pg_args_text(&args, record->done ? "t" : "f");
	pg_args_text(&args, record->refusal);
	pg_args_text(&args, record->before);
	pg_args_text(&args, record->after);
	pg_args_int(&args, (int64_t)record->fact_seq);
	pg_args_int(&args, (int64_t)record->time_us);
	pg_args_run(&args, conn, sql);
}

void action_list_save(struct action_list *list, PGconn *conn, const char *schema, uint32_t pool)
{
	for (size_t i = 0; i < list->n; i++)
		save(&list->record[i], conn, schema, pool);
	list->n = 0;
}

/* ---- telling ---- */

/* The caller owns command and fact, and keeps them until the fact is packed. */
static void fact_fill(const struct action_record *record, Carillon__OperatorCommand *command,
	Carillon__OperatorFact *fact)
{
	carillon__operator_command__init(command);
	carillon__operator_fact__init(fact);
	command->action = (Carillon__OperatorAction)record->action;
	command->actor = jackpot_text(record->actor);
	command->second = jackpot_text(record->second);
	command->reason = jackpot_text(record->reason);
	command->id = jackpot_data(record->id, ACTION_ID_BYTES);
	command->parameters = jackpot_text(record->parameters);
	fact->command = command;
	fact->done = record->done;
	fact->refusal = jackpot_text(record->refusal);
	fact->before = jackpot_text(record->before);
	fact->after = jackpot_text(record->after);
}

/* Sends to jackpot.facts under the record's number. */
static void action_send(struct service *service, uint32_t pool, uint32_t shard,
	const struct action_record *record, bool now)
{
	struct jackpot_source source = { pool, shard, record->fact_seq };
	Carillon__OperatorCommand command;
	Carillon__OperatorFact action;
	Carillon__JackpotFact fact;
	carillon__jackpot_fact__init(&fact);
	fact_fill(record, &command, &action);
	fact.body_case = CARILLON__JACKPOT_FACT__BODY_OPERATOR;
	fact.operator_ = &action;
	jackpot_send_fact(service, &source, &fact, now);
}

enum reply { REPLY_RECORD, REPLY_OTHER_CONTENT, REPLY_BEHIND };

/* Replies to the sender of the command by nanomsg: now, or after the commit. */
static void action_reply(struct service *service, const Carillon__JackpotCommand *command,
	const struct action_record *record, enum reply kind, bool now)
{
	Carillon__Envelope envelope;
	Carillon__OperatorCommand asked;
	Carillon__OperatorFact action;
	Carillon__OperatorReply reply;
	Carillon__Bus bus;
	size_t length;
	if (command->reply_to[0] == '\0' || strlen(command->reply_to) >= ACTION_REPLY_TO_MAX)
		return;
	carillon__envelope__init(&envelope);
	carillon__operator_reply__init(&reply);
	carillon__bus__init(&bus);
	fact_fill(record, &asked, &action);
	service_envelope(service, &envelope, 0, 0);
	reply.correlation = command->correlation;
	reply.pool = command->pool;
	reply.fact = &action;
	reply.other_content = kind == REPLY_OTHER_CONTENT;
	reply.behind = kind == REPLY_BEHIND;
	reply.time_us = record->time_us;
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_OPERATOR;
	bus.operator_ = &reply;
	uint8_t *bytes = jackpot_pack(&bus.base, &length);
	if (now)
		service_bus_send_now(service, command->reply_to, bytes, length);
	else
		service_bus_send(service, command->reply_to, bytes, length);
	free(bytes);
}

/* The requests that were told to retry: nothing of them is stored. */
static struct declined declined;

/* One id is one request for all pools of an operator, which several instances may hold, and several
 * lists of this one. */
static bool id_reserve(struct service *service, const struct action_place *place,
	const struct action_record *record)
{
	struct service_id id = { .shard = service_shard(service, place->shard) };
	memcpy(id.bytes, record->id, ACTION_ID_BYTES);
	service_reserve(service, &id, 1);
	return id.reserved;
}

enum action_known action_again(struct service *service, const struct action_place *place,
	const Carillon__JackpotCommand *command, const struct action_record *record)
{
	static struct action_record found;
	const struct action_record *known = action_list_find(place->list, record->id);
	if (known == NULL && !id_reserve(service, place, record))
		return ACTION_TAKEN;
	bool durable = known == NULL &&
		       action_find(service_pg(service), place->schema, record->id, &found);
	if (!stored_good()) /* its row cannot be read: it is neither told nor done again */
		return ACTION_AGAIN;
	if (durable)
		known = &found;
	if (known == NULL)
		return declined_has(
			       &declined, command->reply_to, command->correlation, command->pool)
			       ? ACTION_AGAIN
			       : ACTION_NEW;
	if (durable && known->pool == command->pool)
		action_send(service, command->pool, place->shard, known, true);
	action_reply(service, command, known,
		action_same(known, record) ? REPLY_RECORD : REPLY_OTHER_CONTENT, durable);
	return ACTION_AGAIN;
}

/* ---- announced definitions ---- */

/* False when none is announced. */
static bool announced(PGconn *conn, const char *id, struct game_link *link_r)
{
	struct pg_args args = { 0 };
	char error[GAME_LINKS_ERROR_MAX];
	pg_args_text(&args, id);
	pg_args_text(&args, strcmp(common.kind, "live") != 0 ? "t" : "f");
	PGresult *rows = pg_args_query(&args, conn,
		"select definition from carillon.game where id = $1 and ($2::boolean or not demo) "
		"order by demo desc, first_seen desc limit 1");
	bool good = PQntuples(rows) == 1;
	if (good && !game_links_parse("carillon.game", PQgetvalue(rows, 0, 0),
			    (size_t)PQgetlength(rows, 0, 0), link_r, error)) {
		log_error_as("jackpot.definition.unreadable", "%s", error);
		good = false;
	}
	PQclear(rows);
	return good;
}

bool action_behind(struct service *service, const struct game_links *links,
	const Carillon__JackpotCommand *command, const struct action_record *record)
{
	static struct game_link link;
	if (record->done || record->game[0] == '\0' ||
		!announced(service_pg(service), record->game, &link))
		return false;
	for (size_t i = 0; i < links->count; i++)
		if (strcmp(links->link[i].id, link.id) == 0 &&
			/* game_links_parse clears the whole struct first.
			 * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
			memcmp(&links->link[i], &link, sizeof(link)) == 0)
			return false;
	declined_note(&declined, command->reply_to, command->correlation, command->pool);
	action_reply(service, command, record, REPLY_BEHIND, true);
	log_info("pool %u: action %u by %s must be retried: game %s has a newer definition",
		command->pool, record->action, record->actor, record->game);
	return true;
}

void action_keep(struct service *service, const struct action_place *place,
	const Carillon__JackpotCommand *command, struct action_record *record)
{
	record->time_us = clock_wall_us();
	action_list_add(place->list, record);
	action_send(service, command->pool, place->shard, record, false);
	action_reply(service, command, record, REPLY_RECORD, false);
	service_commit_soon(service);
	log_info("pool %u: action %u by %s: %s", command->pool, record->action, record->actor,
		record->done ? "done" : record->refusal);
}
