/* An operator's requests after a malfunction: void rounds. The engine proposes the compensating
 * rows and the wallet books them once; the answer is read from the wallet's rows. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/voids.h"

#include "record.pb-c.h"
#include "libcommon/base/hex.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct waiting {
	struct gateway *gateway;
	uint64_t ticket;
	bool one;
	struct void_order order; /* a requested void */
};

static struct waiting *waiting_new(struct gateway *gateway, uint64_t ticket)
{
	struct waiting *waiting = calloc(1, sizeof(*waiting));

	if (waiting == NULL)
		fatal("out of memory");
	waiting->gateway = gateway;
	waiting->ticket = ticket;
	return waiting;
}

/* The waiting request; NULL if it has gone, or was answered because the query failed. */
static struct edge_request *request_of(
	const struct waiting *waiting, const PGresult *result, const char *error)
{
	struct edge_request *request = edge_find(waiting->gateway->edge, waiting->ticket);

	if (request == NULL || (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK))
		return request;
	answer_unavailable(request, error);
	return NULL;
}

/* Does it end here? Who approved it may have gone; it is carried out all the same. */
static bool is_over(
	const struct waiting *waiting, const struct edge_request *request, const PGresult *result)
{
	return request == NULL && (!waiting->order.approved || result == NULL ||
					  PQresultStatus(result) != PGRES_TUPLES_OK);
}

/* ---- rounds ---- */

#define VOID_COLUMNS                                                                               \
	"v.round, v.game, v.currency, v.seq, v.move, v.stake_returned, v.win_taken, "              \
	"v.receivable, v.pending_taken, (extract(epoch from v.time) * 1000000)::bigint, v.awards"
#define VOIDS_SQL                                                                                  \
	"select " VOID_COLUMNS ", v.seq from wallet.void v where v.player = $1::bigint and "

static const struct list voids_list = { "voids",
	"round game currency seq move stake_returned_minor win_taken_minor receivable_minor "
	"pending_taken_minor time_us awards_minor",
	200, 200, NULL };

/* The void with this key, else the void of this round, with the id and the record of its row (null
 * if the row's day was dropped). Reads the row from its partition: planning a query over all
 * partitions takes too long (wallet's migrations/0007). */
static const char known_sql[] =
	"select " VOID_COLUMNS ", e.request_id = $3::bytea, e.record from wallet.void v left join "
	"lateral gateway.void_row(v.shard, v.seq) e on true where v.player = $1::bigint and (v.round = $2::bigint or "
	"e.request_id = $3::bytea) order by (e.request_id = $3::bytea) desc nulls last limit 1";
enum { KNOWN_GAME = 1, KNOWN_SAME_ID = 11, KNOWN_RECORD = 12 };

static void void_json(struct json_out *out, const PGresult *result, int i)
{
	const struct currency *currency = currency_by_number((uint32_t)pg_number(result, i, 2));

	out_open(out, NULL, '{');
	out_int(out, "round", pg_number(result, i, 0));
	out_string(out, "game", game_slug((uint32_t)pg_number(result, i, 1)));
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	out_int(out, "seq", pg_number(result, i, 3));
	out_int(out, "move", pg_number(result, i, 4));
	out_int(out, "stake_returned_minor", pg_number(result, i, 5));
	out_int(out, "win_taken_minor", pg_number(result, i, 6));
	out_int(out, "receivable_minor", pg_number(result, i, 7));
	out_int(out, "pending_taken_minor", pg_number(result, i, 8));
	out_int(out, "time_us", pg_number(result, i, 9));
	out_int(out, "awards_minor", pg_number(result, i, 10));
	out_close(out, '}');
}

static void on_rows(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = request_of(waiting, result, error);

	if (request != NULL && waiting->one && PQntuples(result) == 0) {
		edge_answer_error(request, 503, "not_read_yet",
			"The round is void, but its row cannot be read yet. Read it later in the "
			"list of voids.",
			NULL, NULL, NULL);
	} else if (request != NULL && waiting->one) {
		answer_row(waiting->gateway, request, result, void_json);
	} else if (request != NULL) {
		list_answer(waiting->gateway, request, &voids_list, result, void_json);
	}
	free(waiting);
}

static void row_query(struct waiting *waiting, player_id player, int64_t round)
{
	char numbers[2][24];
	const char *parameters[] = { numbers[0], numbers[1] };

	(void)snprintf(numbers[0], sizeof(numbers[0]), "%" PRId64, player);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRId64, round);
	waiting->one = true;
	pg_pool_query(waiting->gateway->pg_ro, VOIDS_SQL "v.round = $2::bigint", 2, parameters,
		QUERY_MS, on_rows, waiting);
}

static void void_audit(struct gateway *gateway, uint64_t ticket, player_id player, int64_t round,
	const char *game, uint32_t status)
{
	char content[160];

	(void)snprintf(
		content, sizeof(content), "{\"round\":%" PRId64 ",\"game\":\"%s\"}", round, game);
	audit_write(gateway, ticket, player_operator(player), "void", player, content, status);
}

/* Of an approved order that nobody waits for, the outcome's note has its line of the log. */
static void order_audit(const struct waiting *waiting, uint32_t status)
{
	const struct void_order *order = &waiting->order;

	if (waiting->ticket != 0)
		void_audit(waiting->gateway, waiting->ticket, order->player, order->body.round,
			order->body.game, status);
}

/* What has become of an approved order is noted with it. */
static void order_note(const struct waiting *waiting, const char *outcome, uint32_t status)
{
	const struct void_order *order = &waiting->order;

	if (order->approved)
		void_note(waiting->gateway, order->player, order->id, outcome, status,
			waiting->ticket != 0);
}

/* A jackpot is paid within about this time. */
static void retry_hint(struct edge_request *request)
{
	if (request != NULL)
		edge_answer_header(request, "Retry-After", "2");
}

/* Otherwise an approved order is taken up again. */
static bool is_final(uint32_t status, const char *code)
{
	static const char *const passing[] = { "claim_open", "too_late", "game_stopped" };

	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		if (status != 200 && strcmp(code, passing[i]) == 0)
			return false;
	return status < 500 && status != 429;
}

/* A retry with the same key is the same void, even after later moves of the player. */
static void on_voided(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	bool again = reply != NULL && strcmp(reply->error, "already_done") == 0;
	bool approved = sent->seq != 0;
	uint32_t status = reply == NULL ? unanswered_status(sent)
			  : again	? 200
					: reply->http_status;

	(void)fact;
	if (!approved || sent->ticket != 0)
		void_audit(gateway, sent->ticket, sent->player, sent->number, sent->text, status);
	if (approved && reply != NULL && is_final(status, reply->error))
		void_note(gateway, sent->player, sent->id, status == 200 ? "voided" : reply->error,
			status, sent->ticket != 0);
	if (request == NULL)
		return;
	if (reply == NULL) {
		answer_timed_out(request, sent);
	} else if (status != 200) {
		if (strcmp(reply->error, "claim_open") == 0)
			retry_hint(request);
		answer_reply(gateway, request, reply);
	} else {
		row_query(waiting_new(gateway, edge_ticket(request)), sent->player, sent->number);
	}
}

static void content_hash(player_id player, const struct void_body *body, uint8_t hash_r[ID_BYTES])
{
	char text[PLAYER_TEXT_MAX], content[SLUG_MAX + REASON_MAX + 96];

	player_id_format(player, text);
	(void)snprintf(content, sizeof(content), "%s %s %" PRId64 " %s",
		body->award ? "void-and-award" : "void", body->game, body->round, body->reason);
	auth_id(text, content, hash_r);
}

static void request_void(struct waiting *waiting, struct edge_request *request)
{
	struct void_order *order = &waiting->order;
	/* An approved order is recorded, so it takes effect even if no service hears of it here. */
	struct service_request sent = { .done = on_voided,
		.player = order->player,
		.seq = order->approved,
		.handed = order->approved };
	Carillon__SpinCommand command;

	carillon__spin_command__init(&command);
	sent.number = order->body.round;
	memcpy(sent.id, order->id, ID_BYTES);
	(void)snprintf(sent.text, sizeof(sent.text), "%s", order->body.game);
	command.kind = CARILLON__SPIN_KIND__SPIN_VOID;
	command.game = order->body.game;
	command.round = (uint64_t)order->body.round;
	command.reason = order->body.reason;
	command.awards = order->approved;
	command.request_id.data = order->id;
	command.request_id.len = ID_BYTES;
	command.content_hash.data = order->hash;
	command.content_hash.len = ID_BYTES;
	(void)request_spin(waiting->gateway, request, sent, &command);
}

static bool same_content(const struct waiting *waiting, const PGresult *result)
{
	size_t length;
	uint8_t *bytes = pg_bytea(result, 0, KNOWN_RECORD, &length);
	Carillon__Record *record = carillon__record__unpack(NULL, length, bytes);
	bool same = record != NULL && record->content_hash.len == ID_BYTES &&
		    memcmp(record->content_hash.data, waiting->order.hash, ID_BYTES) == 0;

	if (record != NULL)
		carillon__record__free_unpacked(record, NULL);
	PQfreemem(bytes);
	return same;
}

/* A claim is opened with its round's row and only ever closed, so none is missed once the round
 * can be read; the wallet checks again. Read where requests are written: a copy may be behind. */
static const char claims_sql[] =
	"select gateway.claims_open($1::bigint, $2::bigint), 0::bigint, exists (select from "
	"gateway.void_request where operator = $3::integer and id = $4::bytea), false";
/* The jackpots of a round are looked for in the rows of all later claims of the player, also by the
 * engine and the wallet, which wait for that. */
static const char awards_sql[] =
	"select a.unpaid, a.paid, false, n.later > 1000 from (select count(*) as later from (select "
	"from wallet.claim where player = $1::bigint and move > $2::bigint limit 1001) c) n cross "
	"join lateral wallet.round_awards(case when n.later <= 1000 then $1::bigint end, "
	"$2::bigint, 0, 0) a";

static void refuse_void(const struct waiting *waiting, struct edge_request *request,
	const char *code, const char *message)
{
	order_audit(waiting, 409);
	if (is_final(409, code))
		order_note(waiting, code, 409);
	if (request != NULL)
		edge_answer_error(request, 409, code, message, "round", NULL, NULL);
}

static void on_claims(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = request_of(waiting, result, error);
	struct void_order *order = &waiting->order;

	if (is_over(waiting, request, result))
		goto out;
	order->awards = pg_number(result, 0, 1);
	if (PQgetvalue(result, 0, 2)[0] == 't') {
		/* the key has requested a void that names jackpots, and this one does not */
		order_audit(waiting, 422);
		void_other_content(request);
	} else if (PQgetvalue(result, 0, 3)[0] == 't') {
		refuse_void(waiting, request, "claims_later",
			"The player has won more than 1000 jackpots and Jackpot Cards since this "
			"round. Void it without \"award\", and book a correction.");
	} else if (pg_number(result, 0, 0) > 0) {
		retry_hint(request);
		refuse_void(waiting, request, "claim_open",
			"This round has won a jackpot or Jackpot Cards that are not paid yet. It "
			"can be voided once they have been paid. Try again then, with a new "
			"Idempotency-Key.");
	} else if (order->body.award && order->awards == 0) {
		refuse_void(waiting, request, "no_award",
			"No jackpot was paid to this round. Void it without \"award\".");
	} else if (order->approved && order->awards != order->agreed) {
		refuse_void(waiting, request, "awards_changed",
			"More jackpots or Jackpot Cards were paid to this round after the request. "
			"Nothing was done. Request the void again, with a new Idempotency-Key.");
	} else if (order->body.award && !order->approved) {
		void_ask_second(waiting->gateway, request, order);
	} else {
		request_void(waiting, request);
	}
out:
	free(waiting);
}

static void claims_query(struct waiting *waiting)
{
	const struct void_order *order = &waiting->order;
	char numbers[3][24], id[2 * ID_BYTES + 3] = "\\x";
	const char *parameters[] = { numbers[0], numbers[1], numbers[2], id };

	(void)snprintf(numbers[0], sizeof(numbers[0]), "%" PRId64, order->player);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRId64, order->body.round);
	(void)snprintf(numbers[2], sizeof(numbers[2]), "%" PRIu32, player_operator(order->player));
	hex_format(order->id, ID_BYTES, id + 2);
	pg_pool_query(waiting->gateway->pg, order->body.award ? awards_sql : claims_sql,
		order->body.award ? 2 : 4, parameters, QUERY_MS, on_claims, waiting);
}

void void_other_content(struct edge_request *request)
{
	edge_answer_error(request, 422, "other_content",
		"This Idempotency-Key was already used for a different request. Nothing was done.",
		"Idempotency-Key", NULL, NULL);
}

/* The engine knows only a player's last requests and can read back only so far; the wallet's own
 * table has all voids for ever. */
static void on_known(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = request_of(waiting, result, error);
	bool over = is_over(waiting, request, result);
	bool known = !over && PQntuples(result) == 1;
	bool same_id = known && PQgetvalue(result, 0, KNOWN_SAME_ID)[0] == 't';
	bool other_game = known && strcmp(game_slug((uint32_t)pg_number(result, 0, KNOWN_GAME)),
					   waiting->order.body.game) != 0;

	if (over) {
		free(waiting);
		return;
	}
	if (!known || (!same_id && other_game)) {
		claims_query(waiting);
		return;
	}
	bool again = same_id && same_content(waiting, result);
	uint32_t status = again ? 200 : same_id ? 422 : 409;
	order_audit(waiting, status);
	order_note(waiting, again ? "voided" : same_id ? "other_content" : "void", status);
	if (request == NULL)
		;
	else if (again)
		answer_row(waiting->gateway, request, result, void_json);
	else if (same_id)
		void_other_content(request);
	else
		edge_answer_error(
			request, 409, "void", "This round is already void.", "round", NULL, NULL);
	free(waiting);
}

void void_carry_out(struct gateway *gateway, const struct void_order *order)
{
	struct waiting *waiting = waiting_new(gateway, order->ticket);
	char numbers[2][24], id[2 * ID_BYTES + 3] = "\\x";
	const char *parameters[] = { numbers[0], numbers[1], id };

	waiting->order = *order;
	hex_format(order->id, ID_BYTES, id + 2);
	(void)snprintf(numbers[0], sizeof(numbers[0]), "%" PRId64, order->player);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRId64, order->body.round);
	pg_pool_query(gateway->pg_ro, known_sql, 3, parameters, QUERY_MS, on_known, waiting);
}

void on_void(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct void_order order = { 0 };
	uint32_t operator_id;
	const char *key;

	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &order.player) ||
		!answer_parse(request, void_fields, &order.body) ||
		!game_served(gateway, request, order.body.game) ||
		(order.body.award && !void_may_name(gateway, request, operator_id, &order)))
		return;
	auth_id(key, "void", order.id);
	content_hash(order.player, &order.body, order.hash);
	order.ticket = edge_ticket(request);
	void_carry_out(gateway, &order);
}

void on_voids(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	uint32_t operator_id;
	player_id player;
	char number[24];

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) ||
		!list_asked(gateway, request, &voids_list, &page))
		return;
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	const char *parameters[] = { number, page.after[0], page.limit_text };
	pg_pool_query(gateway->pg_ro,
		VOIDS_SQL "($2::bigint is null or v.seq < $2::bigint) order by v.seq desc limit "
			  "$3::bigint",
		3, parameters, QUERY_MS, on_rows, waiting_new(gateway, edge_ticket(request)));
}

/* ---- the report ---- */

/* After the line of a day ($2), game, currency and size of the win. */
static const char report_sql[] =
	"select day, game, currency, win, rounds, stakes_returned, won, taken, receivable, day || "
	"' ' || game || ' ' || currency || ' ' || replace(win, ' ', '_') from wallet.void_report "
	"where operator = $1::integer and ($2::date is null or day < $2::date or (day = $2::date "
	"and (game, currency, win) > ($3::integer, $4::integer, replace($5, '_', ' ')))) order by "
	"day desc, game, currency, win limit $6::bigint";

static const struct list report_list = { "voids",
	"day game currency win rounds stakes_returned_minor won_minor taken_minor receivable_minor",
	1000, 1000, NULL };

static void sum_json(struct json_out *out, const PGresult *result, int i)
{
	out_open(out, NULL, '{');
	out_string(out, "day", PQgetvalue(result, i, 0));
	out_int(out, "game", pg_number(result, i, 1));
	out_int(out, "currency", pg_number(result, i, 2));
	out_string(out, "win", PQgetvalue(result, i, 3));
	out_int(out, "rounds", pg_number(result, i, 4));
	out_raw(out, "stakes_returned_minor", PQgetvalue(result, i, 5));
	out_raw(out, "won_minor", PQgetvalue(result, i, 6));
	out_raw(out, "taken_minor", PQgetvalue(result, i, 7));
	out_raw(out, "receivable_minor", PQgetvalue(result, i, 8));
	out_close(out, '}');
}

static void on_summed(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = request_of(waiting, result, error);

	if (request != NULL)
		list_answer(waiting->gateway, request, &report_list, result, sum_json);
	free(waiting);
}

void on_void_report(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	uint32_t operator_id;
	char number[16];

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &report_list, &page))
		return;
	(void)snprintf(number, sizeof(number), "%" PRIu32, operator_id);
	const char *parameters[] = { number, page.after[0], page.after[1], page.after[2],
		page.after[3], page.limit_text };
	pg_pool_query(gateway->pg_ro, report_sql, 6, parameters, QUERY_MS, on_summed,
		waiting_new(gateway, edge_ticket(request)));
}
