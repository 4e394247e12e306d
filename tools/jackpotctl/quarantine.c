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
		fprintf(stderr, "jackpotctl: PLAYER: found '%s', expected a player such as 1-17\n",
			text);
		exit(2);
	}
}

bool quarantine_list(PGconn *conn, bool json)
{
	PGresult *result = ask(conn,
		"select player, shard, seq, to_char(since, 'YYYY-MM-DD HH24:MI:SS') as since, "
		"case when released is not null then 'being tried' when waits then 'waits for "
		"another build' else 'waits for a release' end as state, found from "
		"engine.quarantine order by since, player",
		0, NULL);
	bool none = PQntuples(result) == 0;

	if (json)
		json_print(json_pack("{s:o}", "quarantined", rows_json(result)));
	else if (none)
		puts("no player is in quarantine");
	else
		print(result);
	PQclear(result);
	return none;
}

/* Of nobody in quarantine, both are empty. */
static void show(const PGresult *player, const PGresult *row, bool json)
{
	if (json) {
		json_print(json_pack(
			"{s:o,s:o}", "quarantined", rows_json(player), "journal", rows_json(row)));
		return;
	}
	print(player);
	print(row);
}

bool quarantine_show(PGconn *conn, const char *player, bool json)
{
	char number[PLAYER_TEXT];
	const char *const parameters[] = { number };
	PGresult *known, *row;
	bool found;

	player_read(player, number);
	known = ask(conn,
		"select q.*, (select coalesce(max(a.last_seq), 0) from wallet.account a where "
		"a.player = q.player) as newest_row from engine.quarantine q where q.player = $1",
		1, parameters);
	row = ask(conn,
		"select r.seq, r.kind, r.move, r.round, r.game, r.refusal, r.stake, r.win_balance, "
		"r.win_pending, r.amount, r.balance_after, octet_length(r.record) as record_bytes, "
		"encode(substring(r.record for 32), 'hex') as record_begins, r.time from "
		"engine.quarantine q, lateral wallet.rows_between(q.shard, q.seq, q.seq, 1) r "
		"where q.player = $1",
		1, parameters);
	found = PQntuples(known) == 1;
	if (found || json)
		show(known, row, json);
	else
		printf("player %s is not in quarantine\n", player);
	PQclear(known);
	PQclear(row);
	return found;
}

bool quarantine_release(PGconn *conn, const char *player)
{
	char number[PLAYER_TEXT];
	const char *const parameters[] = { number };
	PGresult *result;

	player_read(player, number);
	result = ask(conn, "update engine.quarantine set released = now() where player = $1", 1,
		parameters);
	bool found = strcmp(PQcmdTuples(result), "1") == 0;
	PQclear(result);
	if (!found) {
		printf("player %s is not in quarantine\n", player);
		return false;
	}
	for (int i = 0, tried = 0; i < 5 * WAIT_S; i++) {
		usleep(200000);
		result = ask(conn,
			"select released is null, found from engine.quarantine where player = $1",
			1, parameters);
		bool back = PQntuples(result) == 0;
		/* The engine deletes the row in a later commit than the one that notes the try. */
		tried += !back && PQgetvalue(result, 0, 0)[0] == 't';
		bool stays = tried > 5 * TRY_S;
		if (back)
			printf("player %s can play again\n", player);
		else if (stays)
			printf("player %s stays in quarantine: %s\n", player,
				PQgetvalue(result, 0, 1));
		PQclear(result);
		if (back || stays)
			return back;
	}
	printf("no engine has tried player %s within %d s; the next one that runs will\n", player,
		WAIT_S);
	return false;
}
