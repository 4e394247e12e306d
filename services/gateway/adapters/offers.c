/* What operators offer their players. The database decides about bookings, in one statement with
 * their Idempotency-Keys (migrations/0034); bets and new accounts are decided here. Nothing that is
 * open or paid in is held back: steps, gambles, collecting and withdrawals ask for no offer. */
#include "services/gateway/adapters/offers.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/staff.h"

#include "services/gateway/core/offer.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_MS 1000
#define WRITE_MS 4000
#define NUMBER_MAX 24
#define EXPECTED_MAX 160
#define US(column) "(extract(epoch from " column ") * 1000000)::bigint"

/* ---- which there are ---- */

struct offer {
	uint32_t operator_id;
	char games[OFFER_LIST_MAX + 1], currencies[OFFER_LIST_MAX + 1];
};

static struct {
	struct offer *of;
	size_t n;
	bool reading, known;
} offers;

static void on_rows(void *context, PGresult *result, const char *error)
{
	(void)context;
	offers.reading = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.offers.unreadable",
			"cannot read what operators offer: %s; what is known stays in force",
			error != NULL ? error : PQresultErrorMessage(result));
		return;
	}
	free(offers.of);
	offers.n = (size_t)PQntuples(result);
	offers.of = calloc(offers.n + 1, sizeof(*offers.of));
	if (offers.of == NULL)
		fatal("out of memory");
	for (int i = 0; i < PQntuples(result); i++) {
		struct offer *offer = &offers.of[i];
		offer->operator_id = (uint32_t)pg_number(result, i, 0);
		(void)snprintf(offer->games, sizeof(offer->games), "%s", PQgetvalue(result, i, 1));
		(void)snprintf(offer->currencies, sizeof(offer->currencies), "%s",
			PQgetvalue(result, i, 2));
	}
	offers.known = true;
}

void offers_tick(struct gateway *gateway)
{
	if (offers.reading)
		return;
	offers.reading = true;
	pg_pool_query(gateway->pg_ro,
		"select operator, coalesce(games, ''), coalesce(currencies, '') from gateway.offer "
		"where games is not null or currencies is not null",
		0, NULL, READ_MS, on_rows, NULL);
}

bool offers_known(void)
{
	return offers.known;
}

bool offers_wait(struct edge_request *request)
{
	if (offers.known)
		return false;
	edge_answer_header(request, "Retry-After", "1");
	edge_answer_error(request, 503, "starting",
		"The gateway has just started. Nothing was done. Try again.", NULL, NULL, NULL);
	return true;
}

static const struct offer *find(uint32_t operator_id)
{
	static const struct offer all;

	for (size_t i = 0; i < offers.n; i++)
		if (offers.of[i].operator_id == operator_id)
			return &offers.of[i];
	return &all;
}

bool offers_game(uint32_t operator_id, const char *slug)
{
	return offer_has(find(operator_id)->games, slug);
}

bool offers_all_games(uint32_t operator_id)
{
	return find(operator_id)->games[0] == '\0';
}

/* ---- refusals ---- */

#define GAME_TEXT                                                                                  \
	"The player's operator does not offer this game. No round was begun; an open one can be "  \
	"finished."

/* "one of EUR,SEK", cut to what fits. */
static const char *expected(const char *list, const char *otherwise)
{
	static char text[EXPECTED_MAX];

	(void)snprintf(text, sizeof(text), list[0] == '\0' ? "%s" : "one of %s",
		list[0] == '\0' ? otherwise : list);
	return text;
}

void offers_refuse_game(struct edge_request *request, uint32_t operator_id, const char *slug)
{
	edge_answer_error(request, 403, "game_not_offered",
		"The player's operator does not offer this game. Nothing was done.", "game", slug,
		expected(find(operator_id)->games, "a game that the operator offers"));
}

void offers_refuse_currency(
	struct edge_request *request, uint32_t operator_id, const struct currency *currency)
{
	edge_answer_error(request, 403, "currency_not_accepted",
		"The operator does not accept this currency for new accounts and deposits. Nothing "
		"was done.",
		"currency", currency == NULL ? NULL : currency->code,
		expected(find(operator_id)->currencies, "a currency that the operator accepts"));
}

void offers_refuse_bet(struct gateway *gateway, struct edge_request *request, player_id player,
	const char *slug, const Carillon__SpinReply *reply)
{
	static char code[] = "game_not_offered", message[] = GAME_TEXT, where[] = "game";
	static char found[SLUG_MAX + 1], wanted[EXPECTED_MAX];
	Carillon__SpinReply refusal = *reply;

	(void)snprintf(found, sizeof(found), "%s", slug);
	(void)snprintf(wanted, sizeof(wanted), "%s",
		expected(find(player_operator(player))->games, "a game that the operator offers"));
	refusal.http_status = 403;
	refusal.error = code;
	refusal.message = message;
	refusal.where = where;
	refusal.found = found;
	refusal.expected = wanted;
	answer_reply(gateway, request, &refusal);
}

/* ---- new accounts ---- */

/* The ticket of the request that is handled again: its account is there. */
static uint64_t account_there;

static void refuse_account(
	struct gateway *gateway, struct edge_request *request, const struct service_request *sent)
{
	uint32_t operator_id = player_operator(sent->player);

	if (sent->text[0] != '\0')
		audit_write(gateway, sent->ticket, operator_id, sent->text, sent->player,
			"{\"refusal\":\"currency_not_accepted\"}", 403);
	offers_refuse_currency(request, operator_id, currency_by_number((uint32_t)sent->number));
}

/* The engine's state of a player: a table of accounts may lack one that was just opened. */
static void on_state_known(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	(void)fact;
	if (request != NULL && reply != NULL && !reply->account &&
		(reply->http_status == 200 || strcmp(reply->error, "no_account") == 0)) {
		refuse_account(gateway, request, sent);
	} else if (reply_accepted(gateway, request, sent, reply)) {
		account_there = sent->ticket;
		edge_again(request);
		account_there = 0;
	}
}

void offers_open(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const struct currency *currency, bool audited)
{
	struct service_request first = {
		.done = on_state_known, .player = sent->player, .number = currency->number
	};
	Carillon__SpinCommand command;
	char code[sizeof(currency->code)];

	if (offers_wait(request))
		return;
	if (account_there == edge_ticket(request) ||
		offer_has(find(player_operator(sent->player))->currencies, currency->code)) {
		memcpy(code, currency->code, sizeof(code));
		query_open(gateway, request, sent, code);
		return;
	}
	(void)snprintf(first.text, sizeof(first.text), "%s", audited ? "open" : "");
	carillon__spin_command__init(&command);
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	(void)request_spin(gateway, request, first, &command);
}

/* ---- reading and setting ---- */

/* null: all. */
static void list_json(struct json_out *out, const char *name, const char *list)
{
	char entry[OFFER_ENTRY_MAX + 1];

	if (list[0] == '\0') {
		out_null(out, name);
		return;
	}
	out_open(out, name, '[');
	while (offer_next(&list, entry))
		out_string(out, NULL, entry);
	out_close(out, ']');
}

static void on_row(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct json_out *out = &waiter->gateway->out;
	struct edge_request *request = waiter_rows(waiter, result, error);
	bool none = request == NULL || PQntuples(result) == 0;

	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		list_json(out, "games", none ? "" : PQgetvalue(result, 0, 0));
		list_json(out, "currencies", none ? "" : PQgetvalue(result, 0, 1));
		out_int(out, "changed_us", none ? 0 : pg_number(result, 0, 2));
		out_string(out, "changed_by", none ? "" : PQgetvalue(result, 0, 3));
		out_string(out, "reason", none ? "" : PQgetvalue(result, 0, 4));
		out_close(out, '}');
		answer_sent(waiter->gateway, request, 200);
	}
	free(waiter);
}

/* Of the database that is written: a form that was sent shows what it has set. */
void on_offer(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	struct gateway *gateway = context;
	char operator_text[NUMBER_MAX];
	const char *parameters[] = { operator_text };
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) || !answer_query(request, names))
		return;
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	pg_pool_query(gateway->pg,
		"select coalesce(games, ''), coalesce(currencies, ''), " US(
			"changed") ", "
				   "changed_by, reason from gateway.offer where operator = $1::integer",
		1, parameters, QUERY_MS, on_row,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}

static void on_set(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct json_out *out = &waiter->gateway->out;
	struct edge_request *request = waiter_rows(waiter, result, error);

	if (request != NULL)
		offers_tick(waiter->gateway); /* the other gateways read it within a second */
	if (request != NULL && !PQgetisnull(result, 0, 0)) {
		answer_bad(request, "games", PQgetvalue(result, 0, 0),
			"all, or ids from GET /v1/games, separated by commas");
	} else if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		list_json(out, "games", PQgetvalue(result, 0, 1));
		list_json(out, "currencies", PQgetvalue(result, 0, 2));
		out_close(out, '}');
		answer_sent(waiter->gateway, request, 200);
	}
	free(waiter);
}

static bool lists_ok(struct edge_request *request, const struct offer_body *body)
{
	char found[OFFER_ENTRY_MAX + 1];

	if (!body->has_games && !body->has_currencies) {
		answer_bad(request, "body", "neither games nor currencies", "at least one of them");
		return false;
	}
	if (body->has_games && !offer_games_read(body->games, found)) {
		answer_bad(request, "games", found[0] == '\0' ? "an empty entry" : found,
			"all, or ids from GET /v1/games, each once, separated by commas");
		return false;
	}
	if (body->has_currencies && !offer_currencies_read(body->currencies, found)) {
		answer_bad(request, "currencies", found[0] == '\0' ? "an empty entry" : found,
			"all, or ISO 4217 codes such as EUR,SEK, each once");
		return false;
	}
	return true;
}

void on_offer_set(struct edge_request *request, void *context)
{
	static struct offer_body body;
	static char numbers[OFFER_NUMBERS_MAX];
	struct gateway *gateway = context;
	char operator_text[NUMBER_MAX], actor[ACTOR_MAX], from[ASKER_FROM_MAX];
	struct asker asker;
	uint32_t operator_id;
	const char *parameters[8] = { operator_text };

	memset(&body, 0, sizeof(body));
	if (!auth_operator_path(gateway, request, &operator_id) ||
		!key_may_stop(gateway, request, operator_id) ||
		!answer_parse(request, offer_fields, &body) || !lists_ok(request, &body))
		return;
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	actor_of(gateway, request, operator_id, actor);
	(void)asker_of(gateway, request, &asker);
	asker_from(&asker, request, from);
	offer_numbers(body.has_currencies ? body.currencies : OFFER_ALL, numbers);
	parameters[1] = body.has_games ? body.games : NULL;
	parameters[2] = body.has_currencies ? body.currencies : NULL;
	parameters[3] = numbers;
	parameters[4] = actor;
	parameters[5] = from;
	parameters[6] = edge_request_id(request);
	parameters[7] = body.reason;
	pg_pool_query(gateway->pg,
		"select missing, coalesce(games, ''), coalesce(currencies, '') from "
		"gateway.offer_set($1::integer, $2, $3, $4::integer[], $5, $6, $7, $8)",
		8, parameters, WRITE_MS, on_set,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}
