/* Functions of the migrations that services read rows by. Their bodies are PL/pgSQL over the leaves
 * of days, which is not read here: each is written as the select that it stands for. */
#include "tests/sim/postgres/postgres.h"

#include <stdio.h>
#include <string.h>

#define SQL_MAX 2048

/* %1 is the first argument, and so on. */
static const struct {
	const char *name, *sql;
} ROUTINES[] = {
	{ "wallet.rows_between",
		"select * from wallet.journal where shard = %1 and seq between %2 and %3 order by "
		"seq limit %4" },
	{ "wallet.rows_back",
		"with recursive w as (select j.* from wallet.journal j where j.shard = %2 and "
		"j.seq = %3 and (%1::bigint is null or j.player = %1::bigint) union all select "
		"b.* from w join wallet.journal b on b.shard = %2 and b.seq = w.prev_seq where not "
		"(w.kind = 2 and w.move <= %5)) select * from w limit %4" },
	{ "wallet.newest_of",
		"select coalesce(max(seq), 0)::bigint as newest_of from wallet.journal where player "
		"= %1 and shard = %2" },
	{ "wallet.rows_proof",
		"select coalesce(max(j.seq), 0)::bigint as newest, min(j.seq) filter (where "
		"j.kind = 32 and j.refusal = 0) as limited_by, min(j.seq) filter (where "
		"j.claims > 0 and j.claims <> (select count(*) from wallet.claim c where "
		"c.shard = j.shard and c.opened_seq = j.seq and c.player = j.player)) as "
		"claims_of, (select min(c.closed_seq) from wallet.claim c where c.player = %1 "
		"and c.closed_seq is not null and (1 <> (select count(*) from wallet.claim d "
		"where d.shard = c.shard and d.closed_seq = c.closed_seq) or not exists (select "
		"1 from wallet.journal a where a.shard = %2 and a.seq = c.closed_seq and "
		"a.player = %1 and a.kind = 24 and a.refusal = 0))) as closed_by from "
		"wallet.journal j where j.player = %1 and j.shard = %2" },
	{ "wallet.round_brought",
		"with w as (select * from wallet.journal where player = %1 and shard = %2 and "
		"round >= %3 and game = %4 and kind between 2 and 6 and refusal = 0), n as (select "
		"release from w where kind = 2 and move > %3 order by move limit 1) "
		"select coalesce(sum(stake) filter (where kind = 2 and round = %3), 0)::bigint as "
		"stake, coalesce(sum(case when kind = 2 then win_balance else release + "
		"win_balance end) filter (where round = %3), 0)::bigint + coalesce((select release "
		"from n), 0) as credited, count(*) filter (where kind = 2 and round = %3) as bets, "
		"exists (select from n) as ended, false as too_many from w" },
	/* Its lock is the statement itself, for nobody else runs meanwhile; that somebody has it is
	 * a matter of chance. What changes rows is done when it is asked for. */
	{ "payments.may_ask",
		"with u as (update payments.payout set asked = true where id = %1 and not asked and "
		"exists (select from wallet.hold h where h.id = %1 and h.settled_kind = 0) and not "
		"exists (select from gateway.decision d where d.hold = %1) returning 1) "
		"select case when somebody_decides() then 'busy' when h.settled_kind is distinct "
		"from 0 then 'settled' when d.hold is not null then 'decided' when (select count(*) "
		"from u) < 2 then 'ask' end as verdict, h.settled_kind as settled, d.command as "
		"command from (select %1 as id) k left join wallet.hold h on h.id = k.id left join "
		"gateway.decision d on d.hold = k.id" },
};

/* The argument at the parser's place as text, up to the comma or the closing bracket. */
static void argument(struct fpg_parser *parser, char *out, size_t room)
{
	size_t n = 0;

	out[0] = '\0';
	while (!fpg_is(parser, ",") && !fpg_is(parser, ")")) {
		const struct fpg_token *token = &parser->token[parser->at++];
		if (token->kind == FPG_T_STRING || token->kind == FPG_T_END ||
			strcmp(token->text, "(") == 0)
			fpg_not_known(parser, "a parameter or a number is expected before");
		if (token->kind == FPG_T_PARAM && token->text[0] != '$')
			n += (size_t)snprintf(out + n, room - n, "$");
		n += (size_t)snprintf(out + n, room - n, "%s ", token->text);
	}
}

static void expand(const char *sql, char args[FPG_KEYS_MAX][64], char *out)
{
	size_t n = 0;

	for (; *sql != '\0' && n < SQL_MAX - 64; sql++) {
		if (*sql != '%') {
			out[n++] = *sql;
			continue;
		}
		n += (size_t)snprintf(out + n, SQL_MAX - n, "%s", args[*++sql - '1']);
	}
	out[n] = '\0';
}

struct fpg_select *fpg_routine_parse(struct fpg_parser *parser, const char *name)
{
	char args[FPG_KEYS_MAX][64] = { "" };
	char sql[SQL_MAX];
	struct fpg_parser inside;
	struct fpg_select *select;
	int n = 0;

	fpg_expect(parser, "(");
	do
		argument(parser, args[n], sizeof(args[n]));
	while (++n < FPG_KEYS_MAX && fpg_take(parser, ","));
	fpg_expect(parser, ")");
	for (size_t i = 0; i < sizeof(ROUTINES) / sizeof(ROUTINES[0]); i++) {
		if (strcmp(ROUTINES[i].name, name) != 0)
			continue;
		expand(ROUTINES[i].sql, args, sql);
		fpg_lex(&inside, fpg_keep_text(sql, strlen(sql)));
		select = fpg_parse_select(&inside);
		if (inside.params_n > parser->params_n)
			parser->params_n = inside.params_n;
		return select;
	}
	fpg_not_known(parser, name);
}
