/* Bonus spins: an operator's back end grants, lists and ends them. */
#include "services/gateway/adapters/amounts.h"
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/operator_keys.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/clock.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- granting and ending
 * --------------------------------------------------------------------------
 */

static void audit(struct gateway *gateway, const struct service_request *sent,
	const Carillon__WalletFact *fact, uint32_t status)
{
	char content[320];
	char id[2 * ID_BYTES + 1] = "";
	Carillon__SpinGrant *grant = fact == NULL ? NULL
						  : carillon__spin_grant__unpack(NULL,
							    fact->record.len, fact->record.data);
	if (fact != NULL && fact->outside_id.len == ID_BYTES)
		hex_format(fact->outside_id.data, ID_BYTES, id);
	if (grant == NULL)
		(void)snprintf(content, sizeof(content), "{}");
	else
		(void)snprintf(content, sizeof(content),
			"{\"id\":\"%s\",\"game\":%" PRIu32 ",\"coin_minor\":%" PRId64
			",\"lines\":%" PRIu32 ",\"coins\":%" PRIu32 ",\"spins\":%" PRIu32
			",\"expires_us\":%" PRIu64 ",\"refusal\":%d}",
			id, grant->game, grant->coin_minor, grant->lines, grant->coins,
			grant->spins, grant->expires_us, (int)fact->refusal);
	if (grant != NULL)
		carillon__spin_grant__free_unpacked(grant, NULL);
	audit_write(gateway, sent->ticket, player_operator(sent->player), sent->text, sent->player,
		content, status);
}

static void on_bonus_spins_fact(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	(void)reply;
	audit(gateway, sent, fact, fact_status(sent, fact));
	if (!fact_accepted(request, sent, fact))
		return;
	out_begin(out);
	out_open(out, NULL, '{');
	out_hex(out, "id", fact->outside_id.data, fact->outside_id.len);
	out_uint(out, "seq", fact->envelope == NULL ? 0 : fact->envelope->seq);
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

static void spins_ask(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__Outside *outside, const char *reason_text,
	const struct amount *amount)
{
	char actor[ACTOR_MAX];
	char reason[REASON_MAX + 1];
	(void)snprintf(reason, sizeof(reason), "%s", reason_text);
	actor_of(gateway, request, player_operator(sent.player), actor);
	outside->actor = actor;
	outside->reason = reason;
	sent.done = on_bonus_spins_fact;
	if (amount->currency == NULL) /* nothing is given */
		(void)outside_ask(gateway, request, sent, outside, amount->key);
	else
		amounts_book(gateway, request, sent, outside, amount);
}

static void refuse(struct gateway *gateway, struct edge_request *request, const char *where,
	const char *found, const char *expected)
{
	if (games_current(gateway, request))
		answer_bad(request, where, found, expected);
}

static void refuse_number(struct gateway *gateway, struct edge_request *request, const char *where,
	int64_t found, const char *expected)
{
	char text[24];
	(void)snprintf(text, sizeof(text), "%" PRId64, found);
	refuse(gateway, request, where, text, expected);
}

/* The game must accept the bet, or the player could not use the spins. If the definition changes
 * later, the engine refuses the bonus spin. */
static bool bet_possible(
	struct gateway *gateway, struct edge_request *request, const struct bonus_body *body)
{
	char expected[96];
	const struct game_limits *limits = game_limits(body->game, body->currency);
	int64_t total;
	bool coin = false;
	if (limits == NULL) {
		refuse(gateway, request, "currency", body->currency, "a currency of the game");
		return false;
	}
	for (size_t i = 0; i < limits->coins_n; i++)
		coin = coin || limits->coin_minor[i] == body->coin_minor;
	(void)snprintf(expected, sizeof(expected),
		"%" PRId64 " to %" PRId64 " lines, %" PRId64 " to %" PRId64
		" coins, a bet of %" PRId64 " to %" PRId64,
		limits->lines_min, limits->lines_max, limits->coins_min, limits->coins_max,
		limits->stake_min, limits->stake_max);
	if (!coin)
		refuse_number(gateway, request, "coin_minor", body->coin_minor,
			"a coin value of the game in this currency (GET /v1/games/{id})");
	else if (body->lines < limits->lines_min || body->lines > limits->lines_max)
		refuse_number(gateway, request, "lines", body->lines, expected);
	else if (body->coins < limits->coins_min || body->coins > limits->coins_max)
		refuse_number(gateway, request, "coins", body->coins, expected);
	else if (__builtin_mul_overflow(body->coin_minor, body->lines * body->coins, &total) ||
		 total < limits->stake_min || total > limits->stake_max)
		refuse(gateway, request, "coin_minor", "a bet outside the game's range", expected);
	else
		return true;
	return false;
}

/* The bets of all the spins. */
static int64_t bonus_minor(const struct bonus_body *body)
{
	int64_t minor;

	if (__builtin_mul_overflow(body->coin_minor, body->lines * body->coins, &minor) ||
		__builtin_mul_overflow(minor, body->spins, &minor))
		return INT64_MAX;
	return minor;
}

void on_bonus_spins(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .text = "bonus spins" };
	struct bonus_body body = { 0 };
	Carillon__Outside outside;
	Carillon__SpinGrant grant;
	const struct currency *currency;
	uint32_t operator_id;
	const char *key;
	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &sent.player) ||
		!answer_parse(request, bonus_fields, &body) ||
		!currency_ok(request, body.currency, &currency) ||
		!game_served(gateway, request, body.game) ||
		!bet_possible(gateway, request, &body) ||
		!key_may_move(gateway, request, sent.player, currency, bonus_minor(&body)))
		return;
	carillon__outside__init(&outside);
	carillon__spin_grant__init(&grant);
	grant.game = game_number(body.game);
	grant.coin_minor = body.coin_minor;
	grant.lines = (uint32_t)body.lines;
	grant.coins = (uint32_t)body.coins;
	grant.spins = (uint32_t)body.spins;
	grant.expires_us = (uint64_t)body.expires_us;
	outside.kind = CARILLON__MOVE_KIND__MOVE_SPINS;
	outside.currency = currency->number;
	outside.spins = &grant;
	spins_ask(gateway, request, sent, &outside, body.reason,
		&(struct amount){ .currency = currency,
			.minor = bonus_minor(&body),
			.key = key,
			.game = body.game });
}

/* {id} of the path. */
bool id_path(struct edge_request *request, uint8_t id_r[ID_BYTES])
{
	const char *text = edge_parameter(request, 2);
	if (hex_parse(text, ID_BYTES, id_r))
		return true;
	answer_bad(request, "id", text, "the 32 lower-case hex digits of the id");
	return false;
}

void on_bonus_spins_end(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct service_request sent = { .text = "end of bonus spins" };
	struct reason_body body = { 0 };
	Carillon__Outside outside;
	Carillon__SpinGrant grant;
	uint8_t id[ID_BYTES];
	uint32_t operator_id;
	const char *key;
	if (!auth_operator_path(gateway, request, &operator_id) || !auth_key(request, &key) ||
		!player_path(request, operator_id, &sent.player) || !id_path(request, id) ||
		!answer_parse(request, reason_fields, &body))
		return;
	carillon__outside__init(&outside);
	carillon__spin_grant__init(&grant);
	grant.grant.data = id;
	grant.grant.len = ID_BYTES;
	outside.kind = CARILLON__MOVE_KIND__MOVE_SPINS_END;
	outside.spins = &grant;
	spins_ask(gateway, request, sent, &outside, body.reason, &(struct amount){ .key = key });
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static void one_json(struct json_out *out, const PGresult *result, int i)
{
	int64_t spins = pg_number(result, i, 6);
	int64_t used = pg_number(result, i, 7);
	int64_t expires_us = pg_number(result, i, 8);
	bool ended = pg_number(result, i, 10) != 0;
	bool over = ended || expires_us < (int64_t)clock_wall_us();
	const struct currency *currency = currency_by_number((uint32_t)pg_number(result, i, 2));
	out_open(out, NULL, '{');
	out_string(out, "id", PQgetvalue(result, i, 0));
	out_string(out, "game", game_slug((uint32_t)pg_number(result, i, 1)));
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	out_int(out, "coin_minor", pg_number(result, i, 3));
	out_int(out, "lines", pg_number(result, i, 4));
	out_int(out, "coins", pg_number(result, i, 5));
	out_int(out, "spins", spins);
	out_int(out, "used", used);
	out_int(out, "left", over ? 0 : spins - used);
	out_int(out, "expires_us", expires_us);
	out_int(out, "seq", pg_number(result, i, 9));
	out_bool(out, "ended", ended);
	out_close(out, '}');
}

static const struct list spins_list = { "bonus_spins",
	"id game currency coin_minor lines coins spins used left expires_us seq ended", 200, 200,
	NULL };

static void on_list(void *context, PGresult *result, const char *error)
{
	struct waiter *waiting = context;
	struct edge_request *request = waiter_rows(waiting, result, error);
	if (request != NULL)
		list_answer(waiting->gateway, request, &spins_list, result, one_json);
	free(waiting);
}

void on_bonus_spins_list(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	uint32_t operator_id;
	player_id player;
	char number[24];
	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) ||
		!list_asked(gateway, request, &spins_list, &page))
		return;
	const char *parameters[] = { number, page.after[0], page.limit_text };
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	pg_pool_query(gateway->pg_ro,
		"select encode(id, 'hex'), game, currency, coin_minor, lines, coins, spins, used, "
		"(extract(epoch from expires) * 1000000)::bigint, given_seq, (ended_seq is not "
		"null)::integer, given_seq from wallet.spin_grant where player = $1::bigint and "
		"($2::bigint is null or given_seq < $2::bigint) order by given_seq desc limit "
		"$3::bigint",
		3, parameters, QUERY_MS, on_list,
		waiter_new(sizeof(struct waiter), gateway, request, player));
}
