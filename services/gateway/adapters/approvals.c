/* The list of all that waits for a second person: amounts, actions on pools, rates, voids that name
 * a jackpot, players to be pseudonymised, and withdrawals that may be decided by hand. */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/operator_keys.h"
#include "services/gateway/adapters/pool_actions.h"
#include "services/gateway/adapters/staff.h"

#include "services/gateway/core/fx.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_NUMBER 24
#define DIGEST_TEXT (2 * STAFF_DIGEST_BYTES + 3)

/* Withdrawals come last: an outage of the provider makes many of them. One of which a decision
 * waits is not listed twice. $1 the operator, $2 the digest of who asks, $3 to $5 whether they
 * decide about amounts and withdrawals, pools, rates; $6 and $7 the operator's first and last
 * player; $8 the age from which a withdrawal is decided by hand; $9 to $11 the position:
 * withdrawals, the time, the id; $12 the rows of a page; $13 whether they decide about voids. Who
 * decides about a kind sees all of it; everybody sees what they asked for. */
static const char list_sql[] =
	"with every as (select 'amount' as kind, a.id, a.action, a.player, 0 as pool, a.currency, "
	"a.amount_minor as amount, coalesce(w.balance, 0) as before, '' as parameters, a.reason, "
	"a.asked_by, a.asked, a.expires, a.asked_key = $2::bytea as mine, $3::boolean as may, a.hold from "
	"gateway.amount_request a left join wallet.account w on w.player = a.player where "
	"a.operator = $1::integer and a.status = 'waiting' and a.expires > now() union all select "
	"'pool', id, action::text, 0, pool, 0, 0, 0, parameters, reason, asked_by, asked, null, "
	"asked_key = $2::bytea, $4::boolean, null from gateway.pool_request where operator = $1::integer "
	"and status = 'waiting' union all select 'rate', id, 'rate', 0, 0, currency, rate_nano, "
	"coalesce(before_rate_nano, 0), '', reason, asked_by, asked, null, asked_key = $2::bytea, "
	"$5::boolean, null from gateway.fx_request where operator = $1::integer and status = 'waiting' "
	"union all select 'void', v.id, 'void', v.player, 0, coalesce(w.currency, 0), v.awards, 0, "
	"json_build_object('game', v.game, 'round', v.round)::text, v.reason, v.asked_by, v.asked, "
	"null, v.asked_key = $2::bytea, $13::boolean, null from gateway.void_request v left join "
	"wallet.account w on w.player = v.player where v.operator = $1::integer and v.status = "
	"'waiting' union all select 'pseudonym', p.id, 'pseudonymise', p.player, 0, "
	"coalesce(w.currency, 0), 0, 0, '', p.reason, p.asked_by, p.asked, null, p.asked_key = "
	"$2::bytea, $3::boolean, null from gateway.pseudonym p left join wallet.account w on "
	"w.player = p.player where p.operator = $1::integer and p.status = 'waiting' "
	"union all select 'withdrawal', h.id, case when v.hold is null then 'withdrawal' else 'withdrawal to approve' end, h.player, 0, h.currency, h.amount, 0, "
	"'', '', 'player', h.booked, null, false, $3::boolean, h.id from wallet.hold h left join "
	"payments.review v on v.hold = h.id and v.approved is null where h.kind = 28 "
	"and h.settled_kind = 0 and h.player between $6::bigint and $7::bigint and (h.booked <= "
	"now() - $8::bigint * interval '1 second' or v.hold is not null) and not exists (select from "
	"gateway.amount_request a where a.operator = $1::integer and a.hold = h.id and a.status = "
	"'waiting' and a.expires > now())) select kind, encode(id, 'hex'), action, player, pool, "
	"currency, amount, before, parameters, reason, asked_by, (extract(epoch from asked) * "
	"1000000)::bigint, coalesce((extract(epoch from expires) * 1000000)::bigint, 0), "
	"mine::integer, coalesce(encode(hold, 'hex'), ''), (kind = 'withdrawal') || ' ' || (extract(epoch from asked) * "
	"1000000)::bigint || ' ' || encode(id, 'hex') from every where (may or mine) and "
	"($9::boolean is null or (kind = 'withdrawal', extract(epoch from asked) * 1000000, id) > "
	"($9::boolean, $10::bigint, decode($11, 'hex'))) order by kind = 'withdrawal', asked, id "
	"limit $12::bigint";

static const struct list approvals_list = { "approvals",
	"kind id action currency player withdrawal pool amount_minor balance_minor rate before_rate "
	"parameters reason asked_by asked_us expires_us mine",
	200, 200, NULL };

enum {
	KIND,
	ID,
	ACTION,
	PLAYER,
	POOL,
	CURRENCY,
	AMOUNT,
	BEFORE,
	PARAMETERS,
	REASON,
	BY,
	ASKED,
	EXPIRES,
	MINE,
	WITHDRAWAL
};

static void rate_member(struct json_out *out, const char *name, int64_t nano)
{
	char text[FX_RATE_MAX + 1];

	if (nano == 0) {
		out_null(out, name);
		return;
	}
	fx_rate_format(nano, text);
	out_string(out, name, text);
}

/* What would change, and where. */
static void matter_json(struct json_out *out, const PGresult *rows, int i)
{
	bool rate = strcmp(PQgetvalue(rows, i, KIND), "rate") == 0;
	bool amount = strcmp(PQgetvalue(rows, i, KIND), "amount") == 0;
	bool pool = strcmp(PQgetvalue(rows, i, KIND), "pool") == 0;
	bool pseudonym = strcmp(PQgetvalue(rows, i, KIND), "pseudonym") == 0;
	char player[PLAYER_TEXT_MAX];

	player_id_format((player_id)pg_number(rows, i, PLAYER), player);
	if (rate || pool)
		out_null(out, "player");
	else
		out_string(out, "player", player);
	if (PQgetvalue(rows, i, WITHDRAWAL)[0] == '\0')
		out_null(out, "withdrawal");
	else
		out_string(out, "withdrawal", PQgetvalue(rows, i, WITHDRAWAL));
	if (pool)
		out_int(out, "pool", pg_number(rows, i, POOL));
	else
		out_null(out, "pool");
	if (rate || pool || pseudonym)
		out_null(out, "amount_minor");
	else
		out_int(out, "amount_minor", pg_number(rows, i, AMOUNT));
	if (amount)
		out_int(out, "balance_minor", pg_number(rows, i, BEFORE));
	else
		out_null(out, "balance_minor");
	rate_member(out, "rate", rate ? pg_number(rows, i, AMOUNT) : 0);
	rate_member(out, "before_rate", rate ? pg_number(rows, i, BEFORE) : 0);
	out_raw(out, "parameters", pool_figures(PQgetvalue(rows, i, PARAMETERS)));
}

static void approval_json(struct json_out *out, const PGresult *rows, int i)
{
	const struct currency *currency =
		currency_by_number((uint32_t)pg_number(rows, i, CURRENCY));
	bool pool = strcmp(PQgetvalue(rows, i, KIND), "pool") == 0;

	out_open(out, NULL, '{');
	out_string(out, "kind", PQgetvalue(rows, i, KIND));
	out_string(out, "id", PQgetvalue(rows, i, ID));
	out_string(out, "action",
		pool ? pool_action_text((uint32_t)pg_number(rows, i, ACTION))
		     : PQgetvalue(rows, i, ACTION));
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	matter_json(out, rows, i);
	out_string(out, "reason", PQgetvalue(rows, i, REASON));
	out_string(out, "asked_by", PQgetvalue(rows, i, BY));
	out_int(out, "asked_us", pg_number(rows, i, ASKED));
	out_int(out, "expires_us", pg_number(rows, i, EXPIRES));
	out_bool(out, "mine", pg_number(rows, i, MINE) != 0);
	out_close(out, '}');
}

/* A key that is limited to some pools does not see the others'. */
static bool shown(const struct gateway *gateway, const struct edge_request *request,
	const PGresult *rows, int i)
{
	int64_t pool = pg_number(rows, i, POOL);

	return pool == 0 || key_sees_pool(gateway, request, (uint32_t)pool);
}

static void on_list(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct json_out *out = &waiter->gateway->out;
	struct edge_request *request = waiter_rows(waiter, result, error);
	int waiting = 0;

	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "approvals", '[');
		for (int i = 0; i < PQntuples(result); i++)
			if (shown(waiter->gateway, request, result, i)) {
				approval_json(out, result, i);
				waiting += pg_number(result, i, MINE) == 0;
			}
		out_close(out, ']');
		out_int(out, "waiting", waiting);
		list_end(waiter->gateway, request, &approvals_list,
			list_next(request, &approvals_list, result, PQntuples(result)));
	}
	free(waiter);
}

void on_approvals(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	const char *may[PERMISSIONS_N];
	char operator_text[TEXT_NUMBER], digest[DIGEST_TEXT], first[TEXT_NUMBER], last[TEXT_NUMBER];
	char age[TEXT_NUMBER];
	struct asker asker;
	player_id players[2];
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &approvals_list, &page))
		return;
	(void)asker_of(gateway, request, &asker);
	for (enum permission one = 0; one < PERMISSIONS_N; one++)
		may[one] = asker.session == NULL || roles_permit(asker.session->roles, one)
				   ? "true"
				   : "false";
	if (!pool_operator(operator_id))
		may[PERMIT_JACKPOTS] = may[PERMIT_VOID] = "false";
	if (gateway->settings.fx_operator != 0 && gateway->settings.fx_operator != operator_id)
		may[PERMIT_RATES] = "false";
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	pg_bytea_text(asker.digest, sizeof(asker.digest), digest);
	(void)player_id_make(operator_id, 1, &players[0]);
	(void)player_id_make(operator_id, PLAYER_NUMBER_MAX, &players[1]);
	(void)snprintf(first, sizeof(first), "%" PRId64, players[0]);
	(void)snprintf(last, sizeof(last), "%" PRId64, players[1]);
	(void)snprintf(age, sizeof(age), "%" PRId64, gateway->settings.decide_after_s);
	const char *parameters[] = { operator_text, digest, may[PERMIT_MONEY], may[PERMIT_JACKPOTS],
		may[PERMIT_RATES], first, last, age, page.after[0], page.after[1], page.after[2],
		page.limit_text, may[PERMIT_VOID] };
	pg_pool_query(gateway->pg_ro, list_sql, 13, parameters, QUERY_MS, on_list,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}
