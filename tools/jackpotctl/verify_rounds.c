#include "tools/jackpotctl/verify_rounds.h"

#include "libcommon/io/arena.h"
#include "libcommon/io/clock.h"
#include "tools/jackpotctl/verify_engine.h"
#include "tools/jackpotctl/verify_row.h"

#include "proof.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define FETCH "fetch 2000 from proof"
#define SQL_ROOM 65536
#define PROGRESS_US 2000000
#define CLAIMS_MAX 16

/* Rows of moves in scope, account by account; before them, where there are any, the rows that the
 * first of them follow from: the account's last one, and the last accepted one of each game. What a
 * row does not say itself stands behind it as text: its claims, the grant of a bonus spin, what a
 * round that is voided later had brought. */
static const char columns[] =
	"j.shard, j.seq, j.player, j.kind, j.move, j.round, j.game, j.mode, j.refusal, j.currency, "
	"j.release, j.stake, j.win_balance, j.win_pending, j.forfeit, j.amount, j.pending_after, "
	"j.outside_id, j.record";
static const char extras[] =
	"case when j.claims > 0 then (select string_agg(format('%s %s %s %s %s ', c.index, c.pool, "
	"c.kind, c.coin_minor, c.stake_minor), '' order by c.index) from wallet.claim c where "
	"c.player = j.player and c.move = j.move and c.opened_seq = j.seq) end, "
	"case when j.kind = 2 and j.outside_id is not null then (select format('%s %s %s %s', "
	"g.game, g.coin_minor, g.lines, g.coins) from wallet.spin_grant g where g.id = "
	"j.outside_id and g.player = j.player and g.currency = j.currency) end, "
	"case when j.kind = 7 and j.refusal = 0 then (select case when r.bets = 1 then format('%s "
	"%s', r.stake, r.credited) when exists (select from wallet.leaf l where l.shard = j.shard "
	"and l.state = 'dropped') then '' else '0 0' end from wallet.round_brought(j.player, "
	"j.shard, j.round, j.game, j.prev_seq, 1000000) r) end, "
	"j.time >= (select coalesce(min(first_seen), 'infinity') from cards.terms), "
	"case when j.kind = 7 and j.refusal = 0 then (select a.paid from "
	"wallet.round_awards(j.player, j.round, j.shard, j.seq) a) end, "
	"(extract(epoch from j.time) * 1000000)::bigint, "
	"case when j.kind = 7 and j.refusal = 0 then (select v.awards from wallet.void v where "
	"v.player = j.player and v.round = j.round and v.seq = j.seq) end";
static const char moves_only[] = "(j.move > 0 or j.kind = 1)";

enum column {
	SHARD,
	SEQ,
	PLAYER,
	KIND,
	MOVE,
	ROUND,
	GAME,
	MODE,
	REFUSAL,
	CURRENCY,
	RELEASE,
	STAKE,
	WIN_BALANCE,
	WIN_PENDING,
	FORFEIT,
	AMOUNT,
	PENDING_AFTER,
	OUTSIDE,
	RECORD,
	PROVEN,
	CLAIMS,
	GRANT,
	PAST,
	ODDS_KNOWN,
	AWARDS,
	TIME,
	VOID_AWARDS
};

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "jackpotctl: %s: %s\n", what, why);
	exit(EXIT_USAGE);
}

static PGresult *ask(PGconn *conn, const char *sql, int format)
{
	PGresult *result = PQexecParams(conn, sql, 0, NULL, NULL, NULL, NULL, format);
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
		fail("the moves could not be read", PQerrorMessage(conn));
	return result;
}

/* ---- a row as a message ---- */

static ProtobufCBinaryData bytes_of(const PGresult *rows, int row, enum column column)
{
	return (ProtobufCBinaryData){ .len = (size_t)PQgetlength(rows, row, (int)column),
		.data = (uint8_t *)PQgetvalue(rows, row, (int)column) };
}

static const char *text(const PGresult *rows, int row, enum column column)
{
	return PQgetisnull(rows, row, (int)column) ? NULL : PQgetvalue(rows, row, (int)column);
}

static void fact_fill(const PGresult *rows, int row, Carillon__WalletFact *fact)
{
	fact->envelope->seq = (uint64_t)pass_number(rows, row, SEQ);
	fact->shard = (uint32_t)pass_number(rows, row, SHARD);
	fact->player = pass_number(rows, row, PLAYER);
	fact->kind = (Carillon__MoveKind)pass_number(rows, row, KIND);
	fact->move = (uint64_t)pass_number(rows, row, MOVE);
	fact->round = (uint64_t)pass_number(rows, row, ROUND);
	fact->game = (uint32_t)pass_number(rows, row, GAME);
	fact->mode = (uint32_t)pass_number(rows, row, MODE);
	fact->refusal = (Carillon__Refusal)pass_number(rows, row, REFUSAL);
	fact->currency = (uint32_t)pass_number(rows, row, CURRENCY);
	fact->release = pass_number(rows, row, RELEASE);
	fact->stake = pass_number(rows, row, STAKE);
	fact->win_balance = pass_number(rows, row, WIN_BALANCE);
	fact->win_pending = pass_number(rows, row, WIN_PENDING);
	fact->forfeit = pass_number(rows, row, FORFEIT);
	fact->amount = pass_number(rows, row, AMOUNT);
	fact->pending_after = pass_number(rows, row, PENDING_AFTER);
	fact->outside_id = bytes_of(rows, row, OUTSIDE);
	fact->record = bytes_of(rows, row, RECORD);
}

static void claims_fill(const char *from, Carillon__WalletFact *fact, Carillon__Claim *claim,
	Carillon__Claim **claims)
{
	int length = 0;
	int64_t value[5];

	fact->claims = claims;
	while (from != NULL && fact->n_claims < CLAIMS_MAX &&
		sscanf(from, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %n",
			&value[0], &value[1], &value[2], &value[3], &value[4], &length) == 5) {
		Carillon__Claim *at = &claim[fact->n_claims];

		carillon__claim__init(at);
		at->index = (uint32_t)value[0];
		at->pool = (uint32_t)value[1];
		at->kind = (Carillon__ClaimKind)value[2];
		at->coin_minor = value[3];
		at->stake_minor = value[4];
		claims[fact->n_claims++] = at;
		from += length;
	}
}

static void grant_fill(const char *from, Carillon__ProofMove *move, Carillon__SpinGrant *grant)
{
	carillon__spin_grant__init(grant);
	if (from == NULL ||
		sscanf(from, "%" SCNu32 " %" SCNd64 " %" SCNu32 " %" SCNu32, &grant->game,
			&grant->coin_minor, &grant->lines, &grant->coins) != 4)
		return;
	move->grant = grant;
}

static void past_fill(const char *from, Carillon__ProofMove *move)
{
	if (from == NULL)
		return;
	move->past_unknown = from[0] == '\0';
	move->past =
		sscanf(from, "%" SCNd64 " %" SCNd64, &move->past_stake, &move->past_credited) == 2;
}

static bool message_send(struct engine *engine, const Carillon__ProofInput *input)
{
	static uint8_t *bytes;
	static size_t room;
	size_t length = carillon__proof_input__get_packed_size(input);

	if (length > room) {
		room = 2 * length;
		bytes = realloc(bytes, room);
		if (bytes == NULL)
			fail("moves", "out of memory");
	}
	carillon__proof_input__pack(input, bytes);
	return engine_send(engine, bytes, length);
}

static bool send_row(struct engine *engine, const PGresult *rows, int row)
{
	Carillon__ProofInput input = CARILLON__PROOF_INPUT__INIT;
	Carillon__ProofMove move = CARILLON__PROOF_MOVE__INIT;
	Carillon__WalletFact fact = CARILLON__WALLET_FACT__INIT;
	Carillon__Envelope envelope;
	Carillon__SpinGrant grant;
	Carillon__Claim claim[CLAIMS_MAX], *claims[CLAIMS_MAX];

	carillon__envelope__init(&envelope);
	input.body_case = CARILLON__PROOF_INPUT__BODY_MOVE;
	input.move = &move;
	move.row = &fact;
	fact.envelope = &envelope;
	fact_fill(rows, row, &fact);
	claims_fill(text(rows, row, CLAIMS), &fact, claim, claims);
	grant_fill(text(rows, row, GRANT), &move, &grant);
	past_fill(text(rows, row, PAST), &move);
	move.proven = PQgetvalue(rows, row, PROVEN)[0] != 0;
	move.odds_known = PQgetvalue(rows, row, ODDS_KNOWN)[0] != 0;
	move.awards = PQgetisnull(rows, row, AWARDS) ? 0 : pass_number(rows, row, AWARDS);
	move.time_us = PQgetisnull(rows, row, TIME) ? 0 : (uint64_t)pass_number(rows, row, TIME);
	move.void_awards =
		PQgetisnull(rows, row, VOID_AWARDS) ? 0 : pass_number(rows, row, VOID_AWARDS);
	return message_send(engine, &input);
}

/* ---- what comes before the rows ---- */

/* Of the sets' files, before their history began, all versions are taken. */
static const char odds_sql[] =
	"with began as (select pool, (extract(epoch from min(since)) * 1000000)::bigint as us from "
	"cards.set_odds group by pool) "
	"select t.pool, 0, 0, o.key::integer, (o.value->>0)::bigint, (o.value->>1)::bigint, 1, "
	"0::bigint, coalesce(b.us, 0) from cards.terms t cross join jsonb_each(t.terms->'odds') o "
	"left join began b on b.pool = t.pool union all select pool, 0, 0, currency, odds_in, "
	"odds_of, 1, (extract(epoch from since) * 1000000)::bigint, coalesce((extract(epoch from "
	"lead(since) over (partition by pool, currency order by number)) * 1000000)::bigint, 0) "
	"from cards.set_odds union all select pool, operator, game, currency, odds_in, odds_of, 0, "
	"(extract(epoch from time) * 1000000)::bigint, coalesce((extract(epoch from lead(time) over "
	"(partition by pool, operator, game, currency order by version)) * 1000000)::bigint, 0) "
	"from cards.odds";

static void send_odds(PGconn *conn, struct engine *engine)
{
	PGresult *rows = ask(conn, odds_sql, 1);
	Carillon__ProofInput input = CARILLON__PROOF_INPUT__INIT;

	input.body_case = CARILLON__PROOF_INPUT__BODY_ODDS;
	for (int i = 0; i < PQntuples(rows); i++) {
		Carillon__ProofOdds odds = CARILLON__PROOF_ODDS__INIT;

		odds.pool = (uint32_t)pass_number(rows, i, 0);
		odds.operator_id = (uint32_t)pass_number(rows, i, 1);
		odds.game = (uint32_t)pass_number(rows, i, 2);
		odds.currency = (uint32_t)pass_number(rows, i, 3);
		odds.in = (uint64_t)pass_number(rows, i, 4);
		odds.of = (uint64_t)pass_number(rows, i, 5);
		odds.of_set = pass_number(rows, i, 6) != 0;
		odds.from_us = (uint64_t)pass_number(rows, i, 7);
		odds.until_us = (uint64_t)pass_number(rows, i, 8);
		input.odds = &odds;
		(void)message_send(engine, &input);
	}
	PQclear(rows);
}

static void send_start(PGconn *conn, struct engine *engine)
{
	PGresult *kind = ask(conn, "select kind from carillon.installation", 0);
	PGresult *games = ask(conn,
		"select number, math_version, convert_to(definition, 'UTF8') from carillon.game "
		"order by first_seen desc",
		1);
	Carillon__ProofInput input = CARILLON__PROOF_INPUT__INIT;

	input.body_case = CARILLON__PROOF_INPUT__BODY_SCRIPTS;
	input.scripts = PQntuples(kind) == 1 && strcmp(PQgetvalue(kind, 0, 0), "test") == 0;
	(void)message_send(engine, &input);
	input.body_case = CARILLON__PROOF_INPUT__BODY_DEFINITION;
	for (int i = 0; i < PQntuples(games); i++) {
		Carillon__ProofDefinition definition = CARILLON__PROOF_DEFINITION__INIT;

		definition.game = (uint32_t)pass_number(games, i, 0);
		definition.digest = bytes_of(games, i, (enum column)1);
		definition.text = bytes_of(games, i, (enum column)2);
		input.definition = &definition;
		(void)message_send(engine, &input);
	}
	PQclear(kind);
	PQclear(games);
}

/* The day in SQL, checked to be one. */
static void day_check(PGconn *conn, const char *day)
{
	const char *parameters[] = { day };
	PGresult *result = PQexecParams(conn,
		"select count(*) filter (where state = 'dropped'), count(*) from wallet.leaf where "
		"to_char(day, 'YYYY-MM-DD') = $1",
		1, NULL, parameters, NULL, NULL, 0);

	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		fail("--day", PQerrorMessage(conn));
	if (strcmp(PQgetvalue(result, 0, 1), "0") == 0)
		fail("--day",
			"found no day of the journal with this date, expected the date of one (YYYY-MM-DD)");
	if (strcmp(PQgetvalue(result, 0, 0), "0") != 0)
		fail("--day", "this day is now only in the archive");
	PQclear(result);
}

static char *cursor_sql(const struct verify_options *options, const struct verify_scope *scope)
{
	static char sql[SQL_ROOM];
	char part[160] = "", day[80] = "", base[160] = "@base@";

	if (options->sample > 0)
		(void)snprintf(part, sizeof(part),
			" order by hashint8extended(player, %" PRId64 "), player limit %" PRIu64,
			(int64_t)options->seed, options->sample);
	if (options->day != NULL) {
		(void)snprintf(day, sizeof(day), " and j.day = '%.10s'", options->day);
		(void)snprintf(base, sizeof(base),
			"(select shard, first_seq - 1 as seq from wallet.leaf where day = '%.10s')",
			options->day);
	}
	(void)snprintf(sql, sizeof(sql),
		"declare proof no scroll cursor for with base as materialized (select shard, seq from "
		"%s b), chosen as materialized (select shard, player from (select distinct j.shard, "
		"j.player from @journal@ j where %s%s) p%s), before as (select e.shard, e.player, max(array["
		"e.seq, e.day - date '2000-01-01']) as last, max(array[e.seq, e.day - date "
		"'2000-01-01']) filter (where e.refusal = 0) as accepted from wallet.entry e join base b "
		"on b.shard = e.shard and e.seq <= b.seq join chosen c on c.shard = e.shard and c.player "
		"= e.player where e.move > 0 or e.kind = 1 group by e.shard, e.player, e.game), lasts as "
		"(select shard, accepted as row from before where accepted is not null union select "
		"shard, max(last) from before group by shard, player) "
		"select %s, false, %s from @journal@ j%s where %s%s "
		"union all select %s, true, null, null, null, false, null, null, null from lasts l join wallet.entry j on "
		"j.shard = l.shard and j.seq = l.row[1] and j.day = date '2000-01-01' + "
		"l.row[2]::integer order by 1, 3, 2",
		base, moves_only, day, part, columns, extras,
		options->sample > 0 ? " join chosen using (shard, player)" : "", moves_only, day,
		columns);
	return scope_expand(scope, sql);
}

/* ---- the run ---- */

static void progress(const struct engine *engine, uint64_t rows, uint64_t *told_us, bool last)
{
	uint64_t now = clock_mono_us();

	if (isatty(STDERR_FILENO) != 1 || (!last && now - *told_us < PROGRESS_US))
		return;
	*told_us = now;
	if (last)
		fprintf(stderr, "\r%60s\r", "");
	else
		fprintf(stderr, "\rreplayed %" PRIu64 " of at most %" PRIu64 " rows ",
			engine_judged(engine), rows);
}

static void send_rows(PGconn *conn, struct engine *engine, const struct verify_report *report)
{
	uint64_t told_us = clock_mono_us();
	bool more = true;

	while (more) {
		PGresult *rows = ask(conn, FETCH, 1);

		more = PQntuples(rows) > 0;
		for (int i = 0; i < PQntuples(rows) && more; i++)
			more = send_row(engine, rows, i);
		PQclear(rows);
		progress(engine, report->rows, &told_us, false);
	}
	PQclear(ask(conn, "close proof", 0));
	progress(engine, report->rows, &told_us, true);
}

static void not_replayed(
	const struct verify_options *options, struct verify_report *report, const char *why)
{
	if (options->engine != NULL)
		fail("--engine", why);
	report->replay.why_not = why;
}

void verify_rounds_run(PGconn *conn, const struct verify_options *options,
	const struct verify_scope *scope, struct verify_report *report)
{
	const struct engine_subject subject = { VERIFY_POINT_ROUNDS, "shard", "seq",
		&report->replay };
	struct engine *engine = NULL;
	static struct verify_scope own;
	char error[SCOPE_ERROR_MAX], *sql;
	int status;

	report->replay.sample = options->sample;
	if (options->no_replay) {
		report->replay.why_not = "--no-replay was given";
		return;
	}
	if (options->day != NULL)
		day_check(conn, options->day);
	engine = engine_start(engine_path(options->engine, "carillon-spin-engine"),
		options->definitions, &subject, report);
	if (engine == NULL) {
		not_replayed(options, report,
			"found no carillon-spin-engine beside jackpotctl; name "
			"one with --engine");
		return;
	}
	if (!scope_of_replay(conn, scope, &own, error))
		fail("the state of the proof", error);
	sql = cursor_sql(options, &own);
	scope_free(&own);
	PQclear(ask(conn, sql, 0));
	free(sql);
	send_start(conn, engine);
	send_odds(conn, engine);
	send_rows(conn, engine, report);
	status = engine_end(&engine);
	report->points[VERIFY_POINT_ROUNDS].checked = report->replay.moves;
	if (status == ENGINE_KEYLESS)
		not_replayed(options, report,
			"found no key of the draws (spin-engine.key) on "
			"this machine");
	else if (status != 0 && status != 1)
		fail("the engine that replays", "it failed; its messages are above");
}

bool verify_rounds_all(const struct verify_options *options, const struct verify_report *report)
{
	return report->replay.why_not == NULL && options->sample == 0 && options->day == NULL;
}
