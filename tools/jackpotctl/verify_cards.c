#include "tools/jackpotctl/verify_cards.h"

#include "tools/jackpotctl/verify_engine.h"

#include "proof.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define FETCH "fetch 2000 from cards_proof"
#define CARDS_MAX 16 /* numbers of one array; more are no card round's */
#define BYTES_MAX 64 /* of a salt, hash or secret; more are cut, and so differ */
#define MESSAGE_ROOM 2048

/* A round whose claim the wallet does not know is a breach of point 8; it is dealt all the same. */
static const char rounds_sql[] =
	"declare cards_proof no scroll cursor for select r.pool, r.number, r.player, r.move, "
	"r.index, r.key, encode(r.salt, 'hex'), encode(r.secret_hash, 'hex'), "
	"array_to_string(r.weights, ' ', '-1'), array_to_string(r.positions, ' ', '-1'), "
	"array_to_string(r.suits, ' ', '-1'), r.won, coalesce(r.level, 0), "
	"encode(coalesce(r.secret, ''), 'hex') from cards.round r where @whole@ or exists (select "
	"from @opened@ c where (c.player, c.move, c.index) = (r.player, r.move, r.index)) or "
	"exists (select from @closed@ c where (c.player, c.move, c.index) = (r.player, r.move, "
	"r.index)) order by r.pool, r.number";

/* A level is drawn by the weights that were in force when its round was opened: those of a version
 * of the set's file, or of an operator. Clocks may differ by a minute. */
static const char weights_sql[] =
	"select format('set %s, card round %s', r.pool, r.number), format('weights %s', r.weights), "
	"'weights of the set or of an operator' from cards.round r where r.opened >= (select "
	"min(first_seen) from cards.terms) and not exists (select from cards.terms t where t.pool = "
	"r.pool and t.terms->'weights' = to_jsonb(r.weights)) and not exists (select from "
	"cards.weights w where w.pool = r.pool and w.weights = r.weights and w.operator in (0, "
	"r.player >> 48) and w.time <= r.opened + interval '1 minute') order by r.pool, r.number "
	"limit 20";

/* A card round names the version of the odds that were in force when its claim was booked. Builds
 * that name none open the rounds of a set until the first one that does, whatever other instances
 * have written meanwhile. */
static const char odds_sql[] =
	"with s as (select pool, currency, digest as odds, 0 as operator, since, lead(since) over "
	"(partition by pool, currency order by number) as until from cards.set_odds union all "
	"select pool, currency, action, operator, time, lead(time) over (partition by pool, "
	"operator, game, currency order by version) from cards.odds), began as (select pool, "
	"min(claimed) as at from cards.round where odds is not null group by pool) "
	"select format('set %s, card round %s', r.pool, r.number), format('odds of version %s', "
	"coalesce(encode(r.odds, 'hex'), 'none')), 'the version in force at its claim' from "
	"cards.round r where (r.odds is not null or r.claimed > (select at from began b where b.pool "
	"= r.pool)) and not exists (select from s where s.pool = r.pool and s.odds = r.odds and "
	"s.currency = r.currency and s.operator in (0, r.player >> 48) and s.since <= r.claimed + "
	"interval '1 minute' and (s.until is null or r.claimed < s.until + interval '1 minute')) "
	"order by r.pool, r.number limit 20";

enum column {
	POOL,
	NUMBER,
	PLAYER,
	MOVE,
	INDEX,
	KEY,
	SALT,
	HASH,
	WEIGHTS,
	POSITIONS,
	SUITS,
	WON,
	LEVEL,
	SECRET
};

/* Memory of one message. */
struct room {
	uint8_t salt[BYTES_MAX], hash[BYTES_MAX], secret[BYTES_MAX];
	uint32_t weights[CARDS_MAX], positions[CARDS_MAX], suits[CARDS_MAX];
};

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "jackpotctl: %s: %s\n", what, why);
	exit(EXIT_USAGE);
}

static PGresult *ask(PGconn *conn, const char *sql)
{
	PGresult *result = PQexec(conn, sql);
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
		fail("the card rounds could not be read", PQerrorMessage(conn));
	return result;
}

/* ---- a row as a message ---- */

static int64_t number(const PGresult *rows, int row, enum column column)
{
	return strtoll(PQgetvalue(rows, row, (int)column), NULL, 10);
}

static ProtobufCBinaryData bytes_of(
	const PGresult *rows, int row, enum column column, uint8_t bytes[BYTES_MAX])
{
	const char *hex = PQgetvalue(rows, row, (int)column);
	size_t length = 0;
	unsigned value;

	for (; length < BYTES_MAX && sscanf(hex + 2 * length, "%2x", &value) == 1; length++)
		bytes[length] = (uint8_t)value;
	return (ProtobufCBinaryData){ .len = length, .data = bytes };
}

static size_t numbers_of(const PGresult *rows, int row, enum column column, uint32_t out[CARDS_MAX])
{
	const char *text = PQgetvalue(rows, row, (int)column);
	char *end;
	size_t n = 0;

	for (; n < CARDS_MAX; n++, text = end) {
		out[n] = (uint32_t)strtol(text, &end, 10);
		if (end == text)
			break;
	}
	return n;
}

static bool send_row(struct engine *engine, const PGresult *rows, int row)
{
	Carillon__ProofInput input = CARILLON__PROOF_INPUT__INIT;
	Carillon__ProofCardRound round = CARILLON__PROOF_CARD_ROUND__INIT;
	struct room room;
	uint8_t bytes[MESSAGE_ROOM];

	input.body_case = CARILLON__PROOF_INPUT__BODY_CARD_ROUND;
	input.card_round = &round;
	round.pool = (uint32_t)number(rows, row, POOL);
	round.number = (uint64_t)number(rows, row, NUMBER);
	round.player = number(rows, row, PLAYER);
	round.move = (uint64_t)number(rows, row, MOVE);
	round.index = (uint32_t)number(rows, row, INDEX);
	round.key = (uint32_t)number(rows, row, KEY);
	round.salt = bytes_of(rows, row, SALT, room.salt);
	round.secret_hash = bytes_of(rows, row, HASH, room.hash);
	round.weights = room.weights;
	round.n_weights = numbers_of(rows, row, WEIGHTS, room.weights);
	round.positions = room.positions;
	round.n_positions = numbers_of(rows, row, POSITIONS, room.positions);
	round.suits = room.suits;
	round.n_suits = numbers_of(rows, row, SUITS, room.suits);
	round.won = PQgetvalue(rows, row, WON)[0] == 't';
	round.level = (uint32_t)number(rows, row, LEVEL);
	round.secret = bytes_of(rows, row, SECRET, room.secret);
	return engine_send(engine, bytes, carillon__proof_input__pack(&input, bytes));
}

/* ---- the run ---- */

static void send_rows(PGconn *conn, struct engine *engine)
{
	bool more = true;

	while (more) {
		PGresult *rows = ask(conn, FETCH);

		more = PQntuples(rows) > 0;
		for (int i = 0; i < PQntuples(rows) && more; i++)
			more = send_row(engine, rows, i);
		PQclear(rows);
	}
	PQclear(ask(conn, "close cards_proof"));
}

static void check_terms(PGconn *conn, const char *sql, struct verify_report *report)
{
	PGresult *rows = ask(conn, sql);

	for (int i = 0; i < PQntuples(rows); i++)
		verify_breach_add(report, VERIFY_POINT_CARDS, PQgetvalue(rows, i, 0),
			PQgetvalue(rows, i, 1), PQgetvalue(rows, i, 2));
	PQclear(rows);
}

/* Without card rounds nobody needs their key. */
static bool any(PGconn *conn)
{
	PGresult *result = ask(conn, "select exists (select from cards.round)");
	bool found = PQgetvalue(result, 0, 0)[0] == 't';

	PQclear(result);
	return found;
}

static void not_dealt(
	const struct verify_options *options, struct verify_report *report, const char *why)
{
	if (options->cards != NULL)
		fail("--cards", why);
	report->cards.why_not = why;
}

void verify_cards_run(PGconn *conn, const struct verify_options *options,
	const struct verify_scope *scope, struct verify_report *report)
{
	const struct engine_subject subject = { VERIFY_POINT_CARDS, "set", "card round",
		&report->cards };
	struct engine *engine;
	char *sql;
	int status;

	if (options->no_replay) {
		report->cards.why_not = "--no-replay was given";
		return;
	}
	if (!any(conn) && options->cards == NULL)
		return;
	engine = engine_start(
		engine_path(options->cards, "carillon-jackpot-cards"), NULL, &subject, report);
	if (engine == NULL) {
		not_dealt(options, report,
			"found no carillon-jackpot-cards beside jackpotctl; name one with --cards");
		return;
	}
	sql = scope_expand(scope, rounds_sql);
	PQclear(ask(conn, sql));
	free(sql);
	send_rows(conn, engine);
	status = engine_end(&engine);
	report->points[VERIFY_POINT_CARDS].checked = report->cards.rounds;
	if (status == ENGINE_KEYLESS)
		not_dealt(options, report,
			"found no key of card rounds (jackpot-cards.key) on this machine");
	else if (status != 0 && status != 1)
		fail("the program that deals card rounds", "it failed; its messages are above");
	else {
		check_terms(conn, weights_sql, report);
		check_terms(conn, odds_sql, report);
	}
}
