/* Answers shared by several handlers. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/sha256.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ETAG_BYTES 16

void answer_problem(struct edge_request *request, const struct problem *problem)
{
	edge_answer_error(request, 400, problem->code, problem->message, problem->where,
		problem->found, problem->expected);
}

void answer_bad(
	struct edge_request *request, const char *where, const char *found, const char *expected)
{
	edge_answer_error(request, 400, "field_range", "A value in the request is not allowed.",
		where, found, expected);
}

void answer_unavailable(struct edge_request *request, const char *error)
{
	/* A crowd's requests fail together: one line a second says it, with how many there were. */
	static uint64_t told_us, failed;
	uint64_t now_us = clock_mono_us();
	failed++;
	if (told_us == 0 || now_us >= told_us + SECOND_US) {
		log_warn_as("gateway.requests.unavailable",
			"%" PRIu64 " requests could not be answered, most recently: %s", failed,
			error == NULL ? "no result" : error);
		told_us = now_us;
		failed = 0;
	}
	edge_answer_header(request, "Retry-After", "1");
	edge_answer_error(request, 503, "not_available",
		"The server cannot do this now. Try again.", NULL, NULL, NULL);
}

void answer_busy(struct edge_request *request)
{
	edge_answer_header(request, "Retry-After", "1");
	edge_answer_error(request, 503, "busy",
		"Too many requests are waiting for an answer, so this request had no effect. If "
		"an earlier request with the same key was answered 504, it may have taken "
		"effect. Try again with the same key.",
		NULL, NULL, NULL);
}

void answer_behind(struct edge_request *request)
{
	edge_answer_header(request, "Retry-After", "1");
	edge_answer_error(request, 503, "definition_behind",
		"A newer game definition is still being loaded. Try again.", NULL, NULL, NULL);
}

bool answer_parse(struct edge_request *request, const struct field *fields, void *target)
{
	struct problem problem;
	size_t length;
	const char *body = edge_body(request, &length);
	if (parse_body(body, length, fields, target, &problem))
		return true;
	answer_problem(request, &problem);
	return false;
}

bool answer_query(struct edge_request *request, const char *const *names)
{
	char name[64];
	char before[64];
	for (size_t i = 0; edge_query_name(request, i, name, sizeof(name))[0] != '\0'; i++) {
		bool known = false;
		for (size_t n = 0; names[n] != NULL; n++)
			known = known || strcmp(names[n], name) == 0;
		for (size_t n = 0; n < i; n++)
			known = known && strcmp(edge_query_name(request, n, before, sizeof(before)),
						 name) != 0;
		if (known)
			continue;
		edge_answer_error(request, 400, "field_unknown",
			"A query parameter is unknown or appears twice.", "query", name,
			names[0] == NULL ? "no parameters"
					 : "only the parameters of this route, each at most once");
		return false;
	}
	return true;
}

bool answer_number(struct edge_request *request, const char *name, int64_t fallback, int64_t min,
	int64_t max, int64_t *value_r)
{
	char text[32];
	char expected[64];
	*value_r = fallback;
	if (edge_query(request, name, text, sizeof(text)) == NULL ||
		number_read(text, min, max, value_r))
		return true;
	(void)snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64,
		min, max);
	answer_bad(request, name, text, expected);
	return false;
}

bool answer_limit(struct edge_request *request, int64_t fallback, int64_t max, int64_t *limit_r)
{
	return answer_number(request, "limit", fallback, 1, max, limit_r);
}

const char *answer_word(struct edge_request *request, const char *name, const char *const *words)
{
	char text[32];
	char expected[160] = "one of";

	if (edge_query(request, name, text, sizeof(text)) == NULL)
		return words[0];
	for (size_t i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], text) == 0)
			return words[i];
	for (size_t i = 0; words[i] != NULL; i++) {
		size_t n = strlen(expected);
		(void)snprintf(
			expected + n, sizeof(expected) - n, "%s %s", i == 0 ? "" : ",", words[i]);
	}
	answer_bad(request, name, text, expected);
	return NULL;
}

void answer_state_members(struct json_out *out, const Carillon__SpinReply *reply)
{
	char player[PLAYER_TEXT_MAX];
	player_id_format(reply->player, player);
	out_string(out, "player", player);
	out_string(out, "currency", reply->currency);
	out_int(out, "balance_minor", reply->balance_minor);
	out_uint(out, "balance_seq", reply->balance_seq);
	out_int(out, "pending_minor", reply->pending_minor);
	out_uint(out, "expect", reply->expect);
	out_hex(out, "secret_hash", reply->secret_hash.data, reply->secret_hash.len);
	out_message(out, "round", reply->round == NULL ? NULL : &reply->round->base);
	if (reply->last_round != NULL)
		out_message(out, "last_round", &reply->last_round->base);
	out_open(out, "gamble_cards", '[');
	for (size_t i = 0; i < reply->n_gamble_cards; i++)
		out_uint(out, NULL, reply->gamble_cards[i]);
	out_close(out, ']');
	out_uint(out, "witch", reply->witch);
	out_message(out, "autoplay", reply->autoplay == NULL ? NULL : &reply->autoplay->base);
	if (reply->autoplay_stopped[0] != '\0')
		out_string(out, "autoplay_stopped", reply->autoplay_stopped);
	out_message(out, "cards", reply->cards == NULL ? NULL : &reply->cards->base);
	if (reply->bet_not_placed)
		out_bool(out, "bet_not_placed", true);
	out_open(out, "carried", '[');
	for (size_t i = 0; i < reply->n_carried; i++)
		out_message(out, NULL, &reply->carried[i]->base);
	out_close(out, ']');
	out_open(out, "bonus_spins", '[');
	for (size_t i = 0; i < reply->n_bonus_spins; i++)
		out_message(out, NULL, &reply->bonus_spins[i]->base);
	out_close(out, ']');
}

void answer_text(struct edge_request *request, const char *text, size_t length, bool csv)
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 sha;
	char etag[2 * ETAG_BYTES + 3] = "\"";

	sha256_begin(&sha);
	sha256_add(&sha, text, length);
	sha256_end(&sha, digest);
	for (size_t i = 0; i < ETAG_BYTES; i++)
		(void)snprintf(etag + 1 + 2 * i, 3, "%02x", digest[i]);
	(void)snprintf(etag + 1 + (size_t)2 * ETAG_BYTES, 2, "\"");
	edge_answer_unkept(request);
	if (edge_answer_etag(request, etag))
		return;
	if (csv)
		edge_answer(request, 200, "text/csv; charset=utf-8", text, length);
	else
		edge_answer_json(request, 200, text, length);
}

static bool operator_reads(const struct edge_request *request)
{
	const struct edge_route *route = edge_route_of(request);

	return route->method == EDGE_GET &&
	       strncmp(route->pattern, "/v1/operator", strlen("/v1/operator")) == 0;
}

void answer_sent(struct gateway *gateway, struct edge_request *request, uint32_t status)
{
	if (status == 200 && operator_reads(request))
		answer_text(request, gateway->out.bytes, gateway->out.n, false);
	else
		edge_answer_json(request, status, gateway->out.bytes, gateway->out.n);
}

void answer_problem_open(
	struct json_out *out, uint32_t status, const char *code, const char *message)
{
	char type[128];
	(void)snprintf(type, sizeof(type), EDGE_PROBLEM_TYPE "%.64s", code);
	out_string(out, "type", type);
	out_string(out, "title", edge_status_title(status));
	out_uint(out, "status", status);
	out_string(out, "detail", message);
	out_open(out, "error", '{');
	out_string(out, "code", code);
	out_string(out, "message", message);
}

/* The statuses that the engine may reply with; any other is a bug. */
static uint32_t status_of(const Carillon__SpinReply *reply)
{
	static const uint32_t known[] = { 200, 400, 402, 403, 404, 409, 422, 429, 500, 503, 504 };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (reply->http_status == known[i])
			return reply->http_status;
	log_error_as("gateway.reply.bad_status", "the engine answered with status %" PRIu32,
		reply->http_status);
	return 500;
}

/* Translates the engine's field names to the names of the client's request. */
static const char *where_of(const char *where)
{
	static const char *const names[][2] = { { "coin", "bet.coin_minor" },
		{ "lines", "bet.lines" }, { "coins", "bet.coins" }, { "total", "bet" },
		{ "client_nonce", "nonce" }, { "bet.autoplay_id", "autoplay" } };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (where != NULL && strcmp(where, names[i][0]) == 0)
			return names[i][1];
	return where;
}

static void member(struct json_out *out, const char *name, const char *text)
{
	if (text != NULL && text[0] != '\0')
		out_string(out, name, text);
}

/* Leaves "error", if there is one, and the whole open. */
static void reply_begin(struct json_out *out, const Carillon__SpinReply *reply, uint32_t status)
{
	out_begin(out);
	out_open(out, NULL, '{');
	if (status == 200 || reply->account)
		answer_state_members(out, reply);
	if (status == 200)
		return;
	if (reply->smallest_bet_minor > 0)
		out_int(out, "smallest_bet_minor", reply->smallest_bet_minor);
	answer_problem_open(out, status, reply->error, reply->message);
	member(out, "where", where_of(reply->where));
	member(out, "found", reply->found);
	member(out, "expected", reply->expected);
	if (reply->retry_after_ms > 0)
		out_uint(out, "retry_after_ms", reply->retry_after_ms);
}

void answer_reply(
	struct gateway *gateway, struct edge_request *request, const Carillon__SpinReply *reply)
{
	struct json_out *out = &gateway->out;
	uint32_t status = status_of(reply);
	if (strcmp(reply->error, "definition_behind") == 0)
		edge_answer_header(request, "Retry-After", "1");
	if (reply->retry_after_ms > 0) {
		char seconds[16];
		(void)snprintf(
			seconds, sizeof(seconds), "%" PRIu32, (reply->retry_after_ms + 999) / 1000);
		edge_answer_header(request, "Retry-After", seconds);
	}
	reply_begin(out, reply, status);
	if (status != 200)
		out_close(out, '}');
	out_close(out, '}');
	answer_sent(gateway, request, status);
}

bool reply_accepted(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply)
{
	if (request == NULL)
		return false;
	if (reply == NULL)
		answer_timed_out(request, sent);
	else if (reply->http_status != 200)
		answer_reply(gateway, request, reply);
	return reply != NULL && reply->http_status == 200;
}

char *answer_error_begun(struct gateway *gateway, const Carillon__SpinReply *reply)
{
	struct json_out *out = &gateway->out;
	reply_begin(out, reply, status_of(reply));
	char *text = strndup(out->bytes, out->n);
	if (text == NULL)
		fatal("out of memory");
	return text;
}

void *waiter_new(
	size_t size, struct gateway *gateway, struct edge_request *request, player_id player)
{
	struct waiter *waiter = calloc(1, size);
	if (waiter == NULL)
		fatal("out of memory");
	waiter->gateway = gateway;
	waiter->ticket = edge_ticket(request);
	waiter->player = player;
	return waiter;
}

struct edge_request *waiter_rows(
	const struct waiter *waiter, const PGresult *result, const char *error)
{
	struct edge_request *request = edge_find(waiter->gateway->edge, waiter->ticket);
	if (request == NULL || (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK))
		return request;
	answer_unavailable(request, error != NULL ? error : PQresultErrorMessage(result));
	return NULL;
}

void answer_row(struct gateway *gateway, struct edge_request *request, const PGresult *result,
	result_json *json)
{
	out_begin(&gateway->out);
	json(&gateway->out, result, 0);
	answer_sent(gateway, request, 200);
}
