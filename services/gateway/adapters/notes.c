/* Notes about a player: plain text, added and never changed; pseudonyms.c removes the text of all.
 */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/staff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_NUMBER 24
#define ID_TEXT (2 * ID_BYTES + 3)
#define WRITE_MS 4000

#define COLUMNS                                                                                    \
	"id, (extract(epoch from time) * 1000000)::bigint, author, note, (extract(epoch from "     \
	"removed) * 1000000)::bigint, removed_by"
enum { ID, TIME_US, AUTHOR, NOTE, REMOVED_US, REMOVED_BY, KNOWN, GONE, SAME };

static void note_json(struct json_out *out, const PGresult *result, int row)
{
	out_open(out, NULL, '{');
	out_int(out, "id", pg_number(result, row, ID));
	out_int(out, "time_us", pg_number(result, row, TIME_US));
	out_string(out, "author", PQgetvalue(result, row, AUTHOR));
	out_string(out, "text", PQgetvalue(result, row, NOTE));
	if (!PQgetisnull(result, row, REMOVED_US)) {
		out_int(out, "removed_us", pg_number(result, row, REMOVED_US));
		out_string(out, "removed_by", PQgetvalue(result, row, REMOVED_BY));
	}
	out_close(out, '}');
}

/* ---- adding ---- */

/* The note and its line of the audit log are written together or not at all. A note that was there
 * before is found by its key and answered again. The insert locks the table before it looks for a
 * pseudonym: gateway.pseudonym_decide has removed all notes by then, or waits. */
static const char add_sql[] =
	"with account as (select 1 from wallet.account where player = $2::bigint), gone as (select "
	"1 from gateway.pseudonym where player = $2::bigint and status = 'done'), made as (insert "
	"into gateway.note (operator, player, key, content, author, note) select $1::integer, "
	"$2::bigint, $3::bytea, $4::bytea, $5::text, $6::text where exists (select from account) and "
	"not exists (select from gone) on conflict (operator, key) do nothing returning *), told as (insert into gateway.audit "
	"(operator, actor, action, subject, request_id, content, status) select operator, $7::text, "
	"'note', $8::text, $9::text, jsonb_build_object('note', id, 'bytes', octet_length(note)), "
	"200 from made), found as (select * from made union all select * from gateway.note where "
	"operator = $1::integer and key = $3::bytea and not exists (select from made)) select " COLUMNS
	", exists (select from account)::integer, exists (select from gone)::integer, (content = $4::bytea)::integer from (select 1) one "
	"left join found on true";

static void on_added(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request == NULL)
		;
	else if (PQgetisnull(result, 0, ID) && pg_number(result, 0, KNOWN) == 0)
		player_unknown(request);
	else if (pg_number(result, 0, GONE) != 0)
		answer_pseudonymised(request);
	else if (PQgetisnull(result, 0, ID)) /* the same request at the same moment */
		answer_unavailable(request, "the same request, which is still being handled");
	else if (pg_number(result, 0, SAME) == 0)
		edge_answer_error(request, 422, "other_content",
			"This Idempotency-Key was already used for a different request. Nothing "
			"was done.",
			"Idempotency-Key", NULL, "a new key for another note");
	else
		answer_row(waiter->gateway, request, result, note_json);
	free(waiter);
}

void on_note(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct note_body body = { 0 };
	struct asker asker = { 0 };
	uint8_t id[ID_BYTES], content[ID_BYTES];
	char operator_text[TEXT_NUMBER], player_text[TEXT_NUMBER], name[PLAYER_TEXT_MAX];
	char id_text[ID_TEXT], content_text[ID_TEXT], from[ASKER_FROM_MAX];
	uint32_t operator_id;
	player_id player;
	const char *key;

	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &player) ||
		!answer_parse(request, note_fields, &body))
		return;
	(void)asker_of(gateway, request, &asker);
	player_id_format(player, name);
	auth_id(key, "note", id);
	auth_id(name, body.text, content);
	pg_bytea_text(id, ID_BYTES, id_text);
	pg_bytea_text(content, ID_BYTES, content_text);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	(void)snprintf(player_text, sizeof(player_text), "%" PRId64, player);
	asker_from(&asker, request, from);
	const char *parameters[] = { operator_text, player_text, id_text, content_text, asker.name,
		body.text, from, name, edge_request_id(request) };
	pg_pool_query(gateway->pg, add_sql, 9, parameters, WRITE_MS, on_added,
		waiter_new(sizeof(struct waiter), gateway, request, player));
}

/* ---- reading ---- */

static const struct list notes_list = { "notes", "id time_us author text", 50, 200, NULL };

static void on_listed(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL)
		list_answer(waiter->gateway, request, &notes_list, result, note_json);
	free(waiter);
}

void on_notes(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	char player_text[TEXT_NUMBER];
	uint32_t operator_id;
	player_id player;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) ||
		!list_asked(gateway, request, &notes_list, &page))
		return;
	(void)snprintf(player_text, sizeof(player_text), "%" PRId64, player);
	const char *parameters[] = { player_text, page.after[0], page.limit_text };
	pg_pool_query(gateway->pg_ro,
		"select " COLUMNS
		", id from gateway.note where player = $1::bigint and ($2::bigint "
		"is null or id < $2::bigint) order by id desc limit $3::bigint",
		3, parameters, QUERY_MS, on_listed,
		waiter_new(sizeof(struct waiter), gateway, request, player));
}
