#include "tools/jackpotctl/quarantine.h"

#include "libcommon/base/ids.h"
#include "tools/jackpotctl/rows_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAIT_S 10
#define TRY_S 3 /* from the try to its commit */
#define PLAYER_TEXT 24
#define SQL_MAX 400
#define SAID_ROOM 1024
#define POOL_PREFIX "pool:"
#define PLAYERS                                                                                    \
	"(select 'spin-engine' as service, player, shard, seq, waits, found, since, released "     \
	"from engine.quarantine union all select 'wallet', player, shard, seq, false, found, "     \
	"since, released from wallet.quarantine) q"

static PGresult *ask(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	PGresult *result = PQexecParams(conn, sql, n, NULL, parameters, NULL, NULL, 0);
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return result;
	fprintf(stderr, "jackpotctl: a statement of the database failed: %s", PQerrorMessage(conn));
	exit(2);
}

static void print(const PGresult *result)
{
	PQprintOpt options;
	char separator[] = "  ";

	memset(&options, 0, sizeof(options));
	options.header = 1;
	options.align = 1;
	options.fieldSep = separator;
	PQprint(stdout, result, &options);
}

/* "1-17" is player 17 of operator 1. */
static void player_read(const char *text, char out[PLAYER_TEXT])
{
	player_id player;
	char *end;
	long long number = strtoll(text, &end, 10);

	if (player_id_parse(text, &player)) {
		snprintf(out, PLAYER_TEXT, "%" PRId64, player);
	} else if (*text != '\0' && *end == '\0' && number > 0) {
		snprintf(out, PLAYER_TEXT, "%lld", number);
	} else {
		fprintf(stderr,
			"jackpotctl: found '%s', expected a player such as 1-17, or a pool or set "
			"such as pool:3\n",
			text);
		exit(2);
	}
}

/* What a release names: a player, or a pool or set by its number. */
struct subject {
	const char *what;  /* for people */
	const char *table; /* NULL: it is not in quarantine */
	const char *column;
	char number[PLAYER_TEXT];
};

static bool is_pool(const char *text)
{
	return strncmp(text, POOL_PREFIX, strlen(POOL_PREFIX)) == 0;
}

/* The first of the two tables that has it; NULL: none. */
static const char *table_of(
	PGconn *conn, const struct subject *subject, const char *const tables[2])
{
	const char *const parameters[] = { subject->number };
	const char *table = NULL;
	char sql[SQL_MAX];

	for (int i = 0; i < 2 && table == NULL; i++) {
		snprintf(sql, sizeof(sql), "select from %s where %s = $1", tables[i],
			subject->column);
		PGresult *result = ask(conn, sql, 1, parameters);
		if (PQntuples(result) == 1)
			table = tables[i];
		PQclear(result);
	}
	return table;
}

/* A player may be in both tables: the engine continues from what the wallet has booked. Pools and
 * sets have numbers of their own, so a number is in one of the two at most. */
static struct subject subject_read(PGconn *conn, const char *text)
{
	static const char *const players[] = { "wallet.quarantine", "engine.quarantine" };
	static const char *const pools[] = { "pool.quarantine", "cards.quarantine" };
	struct subject subject = { "player", NULL, "player", "" };
	char *end;

	if (!is_pool(text)) {
		player_read(text, subject.number);
		subject.table = table_of(conn, &subject, players);
		return subject;
	}
	unsigned long number = strtoul(text + strlen(POOL_PREFIX), &end, 10);
	if (*end != '\0' || number == 0 || number > INT32_MAX) {
		fprintf(stderr, "jackpotctl: found '%s', expected a pool or set such as pool:3\n",
			text);
		exit(2);
	}
	snprintf(subject.number, sizeof(subject.number), "%lu", number);
	subject.what = "pool";
	subject.column = "pool";
	subject.table = table_of(conn, &subject, pools);
	return subject;
}

bool quarantine_list(PGconn *conn, bool json)
{
	PGresult *players = ask(conn,
		"select player, service, shard, seq, to_char(since, 'YYYY-MM-DD HH24:MI:SS') as "
		"since, case when released is not null then 'being tried' when waits then 'waits "
		"for another build' else 'waits for a release' end as state, found from " PLAYERS
		" order by q.since, player, service",
		0, NULL);
	PGresult *pools = ask(conn,
		"select pool, kind, shard, to_char(since, 'YYYY-MM-DD HH24:MI:SS') as since, case "
		"when released is not null then 'being tried' else 'waits for a release' end as "
		"state, found from (select *, 'progressive' as kind from pool.quarantine union all "
		"select *, 'Jackpot Cards' from cards.quarantine) q order by q.since, pool",
		0, NULL);
	bool none = PQntuples(players) == 0 && PQntuples(pools) == 0;

	if (json)
		json_print(json_pack(
			"{s:o,s:o}", "quarantined", rows_json(players), "pools", rows_json(pools)));
	else if (none)
		puts("nothing is in quarantine");
	if (!json && PQntuples(players) > 0)
		print(players);
	if (!json && PQntuples(pools) > 0)
		print(pools);
	PQclear(players);
	PQclear(pools);
	return none;
}

/* Of a player in both tables, the wallet's row comes first. */
static PGresult *ask_player(PGconn *conn, const struct subject *subject, PGresult **row_r)
{
	const char *const parameters[] = { subject->number };

	*row_r = ask(conn,
		"select service, r.seq, r.kind, r.move, r.round, r.game, r.refusal, r.stake, r.win_balance, "
		"r.win_pending, r.amount, r.balance_after, octet_length(r.record) as record_bytes, "
		"encode(substring(r.record for 32), 'hex') as record_begins, r.time from " PLAYERS
		", lateral wallet.rows_between(q.shard, q.seq, q.seq, 1) r "
		"where q.player = $1 order by service desc",
		1, parameters);
	return ask(conn,
		"select q.*, (select coalesce(max(a.last_seq), 0) from wallet.account a where "
		"a.player = q.player) as newest_row from " PLAYERS
		" where q.player = $1 order by service desc",
		1, parameters);
}

/* With how much is waiting for it. */
static PGresult *ask_pool(PGconn *conn, const struct subject *subject)
{
	const char *const parameters[] = { subject->number };
	char sql[SQL_MAX];

	snprintf(sql, sizeof(sql),
		"select q.*, (select count(*) from wallet.claim c where c.pool = q.pool and "
		"c.closed_seq is null) as claims_open from %s q where q.pool = $1",
		subject->table != NULL ? subject->table : "pool.quarantine");
	return ask(conn, sql, 1, parameters);
}

/* Of nobody in quarantine, all are empty. row: of the journal; NULL: of a pool. */
static void show(const PGresult *known, const PGresult *row, bool json)
{
	if (json && row != NULL)
		json_print(json_pack(
			"{s:o,s:o}", "quarantined", rows_json(known), "journal", rows_json(row)));
	else if (json)
		json_print(json_pack("{s:o}", "pools", rows_json(known)));
	else
		print(known);
	if (!json && row != NULL)
		print(row);
}

static bool is_not(const struct subject *subject, const char *text, bool json)
{
	return outcome_print(json, false, NULL, "%s %s is not in quarantine", subject->what,
		is_pool(text) ? subject->number : text);
}

bool quarantine_show(PGconn *conn, const char *text, bool json)
{
	struct subject subject = subject_read(conn, text);
	PGresult *row = NULL;
	PGresult *known =
		is_pool(text) ? ask_pool(conn, &subject) : ask_player(conn, &subject, &row);
	bool found = PQntuples(known) > 0;

	if (found || json)
		show(known, row, json);
	else
		(void)is_not(&subject, text, false);
	PQclear(known);
	PQclear(row);
	return found;
}

static PGresult *ask_of(
	PGconn *conn, const struct subject *subject, const char *before, const char *after)
{
	const char *const parameters[] = { subject->number };
	char sql[SQL_MAX];

	snprintf(sql, sizeof(sql), "%s %s %s where %s = $1", before, subject->table, after,
		subject->column);
	return ask(conn, sql, 1, parameters);
}

/* Waits for the service that owns it; what came of it, in words. */
static bool wait_tried(
	PGconn *conn, const struct subject *subject, const char *text, char said_r[SAID_ROOM])
{
	for (int i = 0, tried = 0; i < 5 * WAIT_S; i++) {
		usleep(200000);
		PGresult *result = ask_of(conn, subject, "select released is null, found from", "");
		bool back = PQntuples(result) == 0;
		/* An engine deletes the row in a later commit than the one that notes the try. */
		tried += !back && PQgetvalue(result, 0, 0)[0] == 't';
		bool stays = tried > 5 * TRY_S;
		if (back)
			(void)snprintf(said_r, SAID_ROOM, "%s %s can %s again", subject->what, text,
				is_pool(text) ? "be played for" : "play");
		else if (stays)
			(void)snprintf(said_r, SAID_ROOM, "%s %s stays in quarantine: %s",
				subject->what, text, PQgetvalue(result, 0, 1));
		PQclear(result);
		if (back || stays)
			return back;
	}
	(void)snprintf(said_r, SAID_ROOM,
		"no %s has tried %s %s within %d s; the next one that runs will",
		is_pool(text)				 ? "service"
		: subject->table[0] == 'w' /* wallet. */ ? "wallet"
							 : "engine",
		subject->what, text, WAIT_S);
	return false;
}

bool quarantine_release(PGconn *conn, const char *text, bool json)
{
	struct subject subject = subject_read(conn, text);
	char said[SAID_ROOM] = "";
	bool back = subject.table != NULL;

	if (!back)
		return is_not(&subject, text, json);
	/* Out of the first table, and then of the other one. */
	for (int i = 0; i < 2 && back && subject.table != NULL; i++) {
		PQclear(ask_of(conn, &subject, "update", "set released = now()"));
		back = wait_tried(conn, &subject, text, said);
		subject = subject_read(conn, text);
	}
	return outcome_print(json, back, NULL, "%s", said);
}
