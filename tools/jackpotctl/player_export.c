#include "tools/jackpotctl/player_export.h"

#include "tools/jackpotctl/rows_print.h"

#include "libcommon/base/currency.h"
#include "libcommon/base/ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_WRONG 2
#define NUMBER_TEXT 24
#define PLACE_MAX 80

/* The parts of gateway.player_part, in the order of the document. The gateway has the player's
 * history in place of the rows: whoever runs this may know what the player has not seen yet. */
static const char *const parts[] = { "rows", "settings", "limits", "limit_history", "bookings",
	"withdrawals", "bonus_funds", "bonus_spins", "jackpots", "card_rounds", "voids", "sessions",
	"notes", "requests", "actions" };

static PGresult *ask(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return rows_ask_with(conn, "the player could not be read", sql, n, parameters);
}

static player_id player_of(const char *text)
{
	player_id player;

	if (player_id_parse(text, &player))
		return player;
	fprintf(stderr, "jackpotctl: found '%s', expected a player such as 1-17\n", text);
	exit(EXIT_WRONG);
}

/* Who has taken the data out is known before any is written. */
static void note(PGconn *conn, const char *number, const char *name)
{
	const char *const parameters[] = { number, name };

	PQclear(ask(conn,
		"insert into gateway.audit (operator, actor, action, subject, request_id, content, "
		"status) values (($1::bigint >> 48)::integer, 'jackpotctl', 'export', $2, '', "
		"'{\"format\": \"carillon-player-1\"}', 200) returning id",
		2, parameters));
}

static bool account_write(PGconn *conn, const char *number, const char *name)
{
	const char *parameters[] = { number, name, "" };
	const struct currency *currency;
	PGresult *result = ask(conn,
		"select currency from wallet.account where player = $1::bigint", 1, parameters);
	bool known = PQntuples(result) == 1;

	if (known) {
		currency =
			currency_by_number((uint32_t)strtoul(PQgetvalue(result, 0, 0), NULL, 10));
		parameters[2] = currency == NULL ? "" : currency->code;
		note(conn, number, name);
		PQclear(result);
		result = ask(conn,
			"select (extract(epoch from now()) * 1000000)::bigint, "
			"json_build_object('player', $2::text, 'currency', $3::text, "
			"'balance_minor', balance, 'pending_minor', coalesce((select sum(p) from "
			"unnest(pendings) with ordinality u (p, n) where n % 3 = 0), 0)::bigint, "
			"'moves', last_move, 'blocked', blocked, 'opened_us', (extract(epoch from "
			"opened) * 1000000)::bigint, 'pseudonymised_us', (select (extract(epoch "
			"from decided) * 1000000)::bigint from gateway.pseudonym p where p.player "
			"= a.player and p.status = 'done')) from wallet.account a where player = "
			"$1::bigint",
			3, parameters);
		printf("{\"format\":\"carillon-player-1\",\"time_us\":%s,\"account\":%s",
			PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 1));
	} else {
		fprintf(stderr, "jackpotctl: %s has no account\n", name);
	}
	PQclear(result);
	return known;
}

static void part_write(PGconn *conn, const char *number, const char *part)
{
	char place[PLACE_MAX] = "", last[NUMBER_TEXT];
	const char *const parameters[] = { part, number, place, last };
	bool comma = false;
	int rows = 1;

	(void)snprintf(last, sizeof(last), "%" PRId64, INT64_MAX);
	printf(",\"%s\":[", part);
	while (rows > 0) {
		PGresult *result = ask(conn,
			"select item, next from gateway.player_part($1, $2::bigint, $3, $4::bigint)",
			4, parameters);
		rows = PQntuples(result);
		for (int i = 0; i < rows; i++) {
			if (PQgetisnull(result, i, 0))
				continue;
			printf("%s%s", comma ? "," : "", PQgetvalue(result, i, 0));
			comma = true;
		}
		if (rows > 0)
			(void)snprintf(place, sizeof(place), "%s", PQgetvalue(result, rows - 1, 1));
		PQclear(result);
	}
	printf("]");
}

bool player_export(PGconn *conn, const char *player)
{
	char number[NUMBER_TEXT], name[PLAYER_TEXT_MAX];
	player_id id = player_of(player);

	(void)snprintf(number, sizeof(number), "%" PRId64, id);
	player_id_format(id, name);
	if (!account_write(conn, number, name))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		part_write(conn, number, parts[i]);
	printf(",\"complete\":true}\n");
	if (fflush(stdout) == 0 && ferror(stdout) == 0)
		return true;
	fprintf(stderr, "jackpotctl: the document could not be written whole\n");
	exit(EXIT_WRONG);
}
