/* The limits that players set for themselves, and what a refused bet is told about them. The wallet
 * stores and enforces limits; wallet.player_limit is up to a second behind it, so an answer that
 * follows a row of the journal waits until that table has the row. */
#include "services/gateway/adapters/own_limits.h"

#include "services/gateway/adapters/money.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_US UINT64_C(250000)
#define AGAIN_ATTEMPTS 8
#define EXCLUSION CARILLON__LIMIT__LIMIT_EXCLUSION
#define CODES_N 12

/* $1 player: a row for each limit. `rest`: the player has made a bet within the last 15 minutes,
 * the rest after which the time of play counts from 0 again. */
static const char limits_sql[] =
	"with n as (select now() at time zone 'UTC' as t, "
	"(extract(epoch from now()) * 1000000)::bigint as us), "
	"p as (select us, array[floor(us / 86400000000.0)::bigint, "
	"((floor(us / 86400000000.0)::bigint) + 3) / 7, "
	"(extract(year from t) * 12 + extract(month from t) - 23641)::bigint] as number, "
	"array[date_trunc('day', t) + interval '1 day', date_trunc('week', t) + interval '1 week', "
	"date_trunc('month', t) + interval '1 month'] as ends from n), "
	"s as (select a.last_seq, a.currency, l.state as s, g.pause, g.pause_s, "
	"coalesce(l.state[47] <> 0 and p.us <= l.state[47] + 900000000, false) as rest, p.* "
	"from wallet.account a left join wallet.player_limit l on l.player = a.player "
	"left join gateway.player g on g.player = a.player and g.pause_until = l.state[31], p "
	"where a.player = $1::bigint) "
	"select c, coalesce(case when s[3 * c] <> 0 and s[3 * c] <= us then s[3 * c - 1] "
	"else s[3 * c - 2] end, -1), coalesce(s[3 * c - 1], -1), "
	"case when s[3 * c] > us then s[3 * c] else 0 end, "
	"coalesce(case when c <= 9 and s[34 + 4 * ((c - 1) % 3)] >= number[(c - 1) % 3 + 1] then "
	"s[35 + 4 * ((c - 1) % 3) + (c - 1) / 3] when c = 10 and rest then (us - s[46]) / 1000000 "
	"end, 0), "
	"coalesce(case when c <= 9 then (extract(epoch from ends[(c - 1) % 3 + 1]) * "
	"1000000)::bigint when c = 10 and rest then s[47] + 900000000 when c = 11 and s[31] > 0 "
	"and s[31] * 1000000 > us then s[31] * 1000000 end, 0), "
	"last_seq, currency, coalesce(pause, 'exclusion'), coalesce(pause_s, 0), us "
	"from s, generate_series(1, 11) c order by c";

struct waiting {
	struct waiter waiter; /* first */
	uint64_t seq;	      /* the row that the answer must know */
	bool unseen;	      /* there may be a jackpot that the player has not seen */
	uint64_t due_us;
	uint32_t attempts, status;
	char *refused; /* the begun answer to a refused bet; NULL: the answer is the list */
	char error[32];
	char pause[48];
	int64_t pause_s, pause_until;
	struct waiting *next;
};

static struct waiting *again; /* those whose row was not there yet */

struct shown {
	uint32_t code; /* enum Limit */
	int64_t value, next, next_us, used, renews_us;
	const char *pause; /* what the player called their exclusion */
	int64_t pause_s;
	bool unseen; /* `used` would tell of a jackpot that the player has not seen */
};

static struct shown shown_read(const struct waiting *waiting, const PGresult *result, int i)
{
	uint32_t code = (uint32_t)pg_number(result, i, 0);

	return (struct shown){ code, pg_number(result, i, 1), pg_number(result, i, 2),
		pg_number(result, i, 3), pg_number(result, i, 4), pg_number(result, i, 5),
		PQgetvalue(result, i, 8), pg_number(result, i, 9),
		waiting->unseen && code <= CARILLON__LIMIT__LIMIT_LOSS_MONTH };
}

/* ---- writing ---- */

static void time_json(struct json_out *out, const char *name, int64_t time_us)
{
	if (time_us == 0)
		out_null(out, name);
	else
		out_int(out, name, time_us);
}

static void value_json(struct json_out *out, const char *name, bool known, int64_t value)
{
	if (known && value >= 0)
		out_int(out, name, value);
	else
		out_null(out, name);
}

static void names_json(struct json_out *out, const struct shown *limit)
{
	static const char *const names[] = { "loss", "wager", "deposit" };
	static const char *const periods[] = { "day", "week", "month" };
	bool money = limit->code <= CARILLON__LIMIT__LIMIT_DEPOSIT_MONTH;

	if (limit->code == EXCLUSION)
		out_string(out, "name", limit->pause);
	else
		out_string(out, "name", money ? names[(limit->code - 1) / 3] : "time");
	if (limit->code == EXCLUSION)
		out_null(out, "period");
	else
		out_string(out, "period", money ? periods[(limit->code - 1) % 3] : "session");
	if (limit->code == EXCLUSION)
		value_json(out, "limit", limit->pause_s > 0, limit->pause_s);
	else
		value_json(out, "limit", true, limit->value);
}

static void limit_json(struct json_out *out, const struct shown *limit)
{
	bool waits = limit->next_us != 0;

	out_open(out, NULL, '{');
	names_json(out, limit);
	if (limit->code == EXCLUSION || limit->unseen)
		out_null(out, "used");
	else
		out_int(out, "used", limit->used);
	time_json(out, "renews", limit->renews_us);
	value_json(out, "pending", waits, limit->next);
	time_json(out, "pending_from", limit->next_us);
	out_close(out, '}');
}

static void list_answer(struct gateway *gateway, struct edge_request *request,
	const struct waiting *waiting, const PGresult *result)
{
	struct json_out *out = &gateway->out;
	const struct currency *currency = currency_by_number((uint32_t)pg_number(result, 0, 7));

	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	out_open(out, "limits", '[');
	for (int i = 0; i < PQntuples(result); i++) {
		struct shown limit = shown_read(waiting, result, i);
		/* An exclusion is listed while it lasts; every other limit always. */
		if (limit.code != EXCLUSION || limit.renews_us != 0)
			limit_json(out, &limit);
	}
	out_close(out, ']');
	out_int(out, "time_us", pg_number(result, 0, 10));
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

/* The wallet has set the limit; what is in force now cannot be read. */
static void set_answer(struct gateway *gateway, struct edge_request *request)
{
	struct json_out *out = &gateway->out;

	out_begin(out);
	out_open(out, NULL, '{');
	out_null(out, "currency");
	out_null(out, "limits");
	out_uint(out, "time_us", clock_wall_us());
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

/* The first and last code of the limits that an error is about; false: it is about none. */
static bool codes_of(const char *error, uint32_t *first_r, uint32_t *last_r)
{
	static const struct {
		const char *error;
		uint32_t first, last;
	} known[] = {
		{ "limit_loss", CARILLON__LIMIT__LIMIT_LOSS_DAY,
			CARILLON__LIMIT__LIMIT_LOSS_MONTH },
		{ "limit_wager", CARILLON__LIMIT__LIMIT_WAGER_DAY,
			CARILLON__LIMIT__LIMIT_WAGER_MONTH },
		{ "limit_time", CARILLON__LIMIT__LIMIT_TIME, CARILLON__LIMIT__LIMIT_TIME },
		{ "excluded", EXCLUSION, EXCLUSION },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		*first_r = known[i].first;
		*last_r = known[i].last;
		if (strcmp(error, known[i].error) == 0)
			return true;
	}
	return false;
}

/* Of several periods the one with the least left: no other can have refused what it allows. Of
 * equals the longest, since the player must wait for that one. */
static bool refusing(const struct waiting *waiting, const PGresult *result, struct shown *limit_r)
{
	uint32_t first, last;
	bool found = false;

	if (result == NULL || !codes_of(waiting->error, &first, &last))
		return false;
	for (int i = 0; i < PQntuples(result); i++) {
		struct shown limit = shown_read(waiting, result, i);
		if (limit.code < first || limit.code > last || limit.value < 0 ||
			(found && limit.value - limit.used > limit_r->value - limit_r->used))
			continue;
		*limit_r = limit;
		found = true;
	}
	return found;
}

/* The answer begun when the bet was refused has "error" open. */
static void refusal_finish(struct gateway *gateway, struct edge_request *request,
	const struct waiting *waiting, const PGresult *result)
{
	struct json_out *out = &gateway->out;
	struct shown limit;

	out_begin(out);
	out_raw(out, NULL, waiting->refused);
	if (refusing(waiting, result, &limit)) {
		int64_t left = limit.code == EXCLUSION ? 0 : limit.value - limit.used;
		out_open(out, "limit", '{');
		names_json(out, &limit);
		if (limit.unseen)
			out_null(out, "left");
		else
			out_int(out, "left", left > 0 ? left : 0);
		time_json(out, "renews", limit.renews_us);
		out_close(out, '}');
	}
	out_close(out, '}');
	out_close(out, '}');
	answer_sent(gateway, request, waiting->status);
}

/* ---- reading ---- */

static void waiting_free(struct waiting *waiting)
{
	free(waiting->refused);
	free(waiting);
}

static bool retry(struct waiting *waiting)
{
	if (++waiting->attempts > AGAIN_ATTEMPTS)
		return false;
	waiting->due_us = clock_mono_us() + AGAIN_US;
	waiting->next = again;
	again = waiting;
	return true;
}

static void on_rows(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct gateway *gateway = waiting->waiter.gateway;
	struct edge_request *request = edge_find(gateway->edge, waiting->waiter.ticket);
	bool good = result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK;
	bool there = good && PQntuples(result) > 0;
	bool older = !there || (uint64_t)pg_number(result, 0, 6) < waiting->seq;

	if (request == NULL) {
		waiting_free(waiting);
		return;
	}
	if (good && older && retry(waiting))
		return;
	if (waiting->refused != NULL)
		refusal_finish(gateway, request, waiting, there ? result : NULL);
	else if (older && waiting->seq > 0)
		set_answer(gateway, request);
	else if (there)
		list_answer(gateway, request, waiting, result);
	else if (good)
		edge_answer_error(request, 404, "account_unknown", "This account does not exist.",
			"player", NULL, "a player with an account");
	else
		answer_unavailable(request, error);
	waiting_free(waiting);
}

static void ask(struct waiting *waiting)
{
	char player[24];
	const char *parameters[] = { player };

	(void)snprintf(player, sizeof(player), "%" PRId64, waiting->waiter.player);
	pg_pool_query(waiting->waiter.gateway->pg_ro, limits_sql, 1, parameters, QUERY_MS, on_rows,
		waiting);
}

void own_limits_tick(void)
{
	uint64_t now_us = clock_mono_us();
	struct waiting *list = again;

	again = NULL;
	while (list != NULL) {
		struct waiting *waiting = list;
		list = list->next;
		if (waiting->due_us <= now_us) {
			ask(waiting);
		} else {
			waiting->next = again;
			again = waiting;
		}
	}
}

bool own_limits_refused(struct gateway *gateway, struct edge_request *request, player_id player,
	const Carillon__SpinReply *reply)
{
	struct waiting *waiting;
	uint32_t first, last;

	if (reply->http_status != 403 || !codes_of(reply->error, &first, &last))
		return false;
	waiting = waiter_new(sizeof(*waiting), gateway, request, player);
	waiting->seq = reply->balance_seq;
	waiting->unseen = reply->n_hidden_rounds > 0;
	waiting->status = reply->http_status;
	(void)snprintf(waiting->error, sizeof(waiting->error), "%s", reply->error);
	waiting->refused = answer_error_begun(gateway, reply);
	ask(waiting);
	return true;
}

/* ---- listing and setting ---- */

/* Whether or not the name of the pause could be written, the wallet has the pause. */
static void on_named(void *context, PGresult *result, const char *error)
{
	if (result == NULL || PQresultStatus(result) != PGRES_COMMAND_OK)
		log_warn_as("gateway.player.unwritten", "cannot write gateway.player: %s",
			error == NULL ? "no result" : error);
	ask(context);
}

static void name_pause(struct waiting *waiting)
{
	char player[24], seconds[24], until[24];
	const char *parameters[] = { player, waiting->pause, seconds, until };

	(void)snprintf(player, sizeof(player), "%" PRId64, waiting->waiter.player);
	(void)snprintf(seconds, sizeof(seconds), "%" PRId64, waiting->pause_s);
	(void)snprintf(until, sizeof(until), "%" PRId64, waiting->pause_until);
	pg_pool_query(waiting->waiter.gateway->pg,
		"insert into gateway.player (player, pause, pause_s, pause_until) values "
		"($1::bigint, $2, $3::bigint, $4::bigint) on conflict (player) do update set "
		"pause = excluded.pause, pause_s = excluded.pause_s, pause_until = "
		"excluded.pause_until",
		4, parameters, QUERY_MS, on_named, waiting);
}

/* The engine has said, or could not, whether the player has seen everything that is booked. */
static void on_seen(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct waiting *waiting;

	(void)fact;
	if (request == NULL)
		return;
	waiting = waiter_new(sizeof(*waiting), gateway, request, sent->player);
	waiting->seq = (uint64_t)sent->seq;
	waiting->unseen = reply == NULL || reply->http_status != 200 || reply->n_hidden_rounds > 0;
	(void)snprintf(waiting->pause, sizeof(waiting->pause), "%s", sent->text);
	waiting->pause_s = sent->number;
	waiting->pause_until = sent->until;
	if (waiting->pause[0] != '\0')
		name_pause(waiting);
	else
		ask(waiting);
}

static void state_ask(
	struct gateway *gateway, struct edge_request *request, struct service_request sent)
{
	Carillon__SpinCommand command;

	carillon__spin_command__init(&command);
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	sent.done = on_seen;
	(void)request_spin(gateway, request, sent, &command);
}

void on_own_limits(struct edge_request *request, void *context)
{
	static const char *const none[] = { NULL };
	struct gateway *gateway = context;
	struct service_request sent = { 0 };

	if (auth_player(gateway, request, &sent.player) && answer_query(request, none))
		state_ask(gateway, request, sent);
}

/* The wallet's reply has just freed a place among the requests: the next is not refused. */
static void on_set(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct service_request state = { .player = sent->player };

	(void)reply;
	if (!fact_accepted(request, sent, fact))
		return;
	state.seq = fact->envelope == NULL ? 0 : (int64_t)fact->envelope->seq;
	if (fact->mode == EXCLUSION) {
		(void)snprintf(state.text, sizeof(state.text), "%s", sent->text);
		state.number = sent->number;
		state.until = fact->amount;
	}
	state_ask(gateway, request, state);
}

static Carillon__Limit code_of(const struct own_limit_body *body)
{
	static const Carillon__Limit first[] = { [OWN_DEPOSIT] = CARILLON__LIMIT__LIMIT_DEPOSIT_DAY,
		[OWN_LOSS] = CARILLON__LIMIT__LIMIT_LOSS_DAY,
		[OWN_WAGER] = CARILLON__LIMIT__LIMIT_WAGER_DAY,
		[OWN_TIME] = CARILLON__LIMIT__LIMIT_TIME };

	if (body->name > OWN_TIME)
		return EXCLUSION;
	return (Carillon__Limit)((int)first[body->name] +
				 (body->name == OWN_TIME ? 0 : (int)body->period));
}

/* The content of a pause is its length, not its end: a retry by the same key is the same request.
 * Without a key each request has its own id. */
static void set_ask(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, const struct own_limit_body *body, const char *key)
{
	static char actor[] = "player";
	Carillon__WalletCommand command;
	Carillon__Outside outside;
	struct outside_ids ids;
	char own_key[PLAYER_TEXT_MAX + KEY_MAX + 48];
	char player[PLAYER_TEXT_MAX];

	carillon__wallet_command__init(&command);
	carillon__outside__init(&outside);
	player_id_format(sent.player, player);
	if (key != NULL)
		(void)snprintf(own_key, sizeof(own_key), "limit of %s %s", player, key);
	else
		(void)snprintf(own_key, sizeof(own_key), "limit of %s %08" PRIx32 "%08" PRIx32,
			player, randombytes_random(), randombytes_random());
	outside.kind = CARILLON__MOVE_KIND__MOVE_LIMIT;
	outside.limit = code_of(body);
	outside.amount_minor = body->limit;
	outside.actor = actor;
	outside.reason = sent.text;
	outside_identify(sent.player, &outside, own_key, &ids);
	if (outside.limit == EXCLUSION)
		outside.amount_minor += (int64_t)(clock_wall_us() / SECOND_US);
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = &outside;
	(void)request_wallet(gateway, request, sent, &command);
}

void on_own_limit(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_set };
	struct own_limit_body body = { 0 };
	struct problem problem;
	const char *key = edge_header(request, EDGE_IDEMPOTENCY_KEY);

	if (!auth_action(gateway, request, &sent.player) ||
		(key != NULL && !auth_key(request, &key)) ||
		!answer_parse(request, own_limit_fields, &body))
		return;
	if (own_limit_check(&body, &problem) != FIELDS_OK) {
		answer_problem(request, &problem);
		return;
	}
	sent.number = body.limit;
	(void)snprintf(sent.text, sizeof(sent.text), "%s", own_limit_fields[0].choices[body.name]);
	set_ask(gateway, request, sent, &body, key);
}
