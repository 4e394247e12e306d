/* Rounds of all players of an operator by player, game, time, win, jackpot, number or row
 * (migrations/0048_rounds.sql), and those that are open. A page reads so many rows at most, and
 * says how far it has looked.
 */
#include "services/gateway/adapters/lists.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/staff.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200
#define FIND_MS 10000
#define ROWS_MOST "40000"     /* of the journal, read for a page */
#define LOOKS_MOST "1000"     /* for a row of a shard by its time, for a page */
#define SUMS_MOST "200000"    /* quarters and minutes, of a shard, game, mode and currency each */
#define ACCOUNT_MOST "5000"   /* rows of an account, read for a page */
#define JACKPOTS_MOST "20000" /* looked at for a page */
#define OPEN_MOST "2000"      /* open rounds of all operators, looked at for a page */
#define TEXT_NUMBER 24
#define TIME_MAX INT64_C(253402300799000000) /* 9999-12-31 */

static const char *const filters[] = { "id", "player", "game", "currency", "win_minor", "jackpot",
	"round", "from_us", "to_us", NULL };

static const struct list rounds_list = { "rounds",
	"id time_us player round game mode bonus_spin currency stake_minor win_minor open void "
	"jackpot_minor pool",
	LIMIT_DEFAULT, LIMIT_MAX, filters };

struct sought {
	int64_t number, game, currency, win, round, from_us, to_us; /* 0: not asked for; number: of
								       the player */
	int64_t shard, seq;
	bool jackpot, row; /* row: shard and seq */
};

/* ---- answering ---- */

enum {
	TIME_US,
	SHARD,
	SEQ,
	PLAYER,
	ROUND,
	GAME,
	MODE,
	CURRENCY,
	BONUS,
	STAKE,
	WIN,
	OPEN,
	VOIDED,
	JACKPOT,
	POOL,
	MARK
};

/* MARK of the last row; the others are rounds. */
enum { MARK_ROUND, MARK_STOPPED, MARK_ARCHIVED };

static void number_json(
	struct json_out *out, const char *name, const PGresult *result, int row, int column)
{
	if (PQgetisnull(result, row, column))
		out_null(out, name);
	else
		out_int(out, name, pg_number(result, row, column));
}

static void round_json(struct json_out *out, const PGresult *result, int row)
{
	const struct currency *currency =
		currency_by_number((uint32_t)pg_number(result, row, CURRENCY));
	char player[PLAYER_TEXT_MAX], id[2 * TEXT_NUMBER];
	bool jackpot = !PQgetisnull(result, row, JACKPOT);

	player_id_format((player_id)pg_number(result, row, PLAYER), player);
	(void)snprintf(id, sizeof(id), "%s-%s", PQgetvalue(result, row, SHARD),
		PQgetvalue(result, row, SEQ));
	out_open(out, NULL, '{');
	if (jackpot)
		out_null(out, "id");
	else
		out_string(out, "id", id);
	out_int(out, "time_us", pg_number(result, row, TIME_US));
	out_string(out, "player", player);
	out_int(out, "round", pg_number(result, row, ROUND));
	out_string(out, "game", game_slug((uint32_t)pg_number(result, row, GAME)));
	number_json(out, "mode", result, row, MODE);
	if (jackpot)
		out_null(out, "bonus_spin");
	else
		out_bool(out, "bonus_spin", pg_number(result, row, BONUS) != 0);
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	number_json(out, "stake_minor", result, row, STAKE);
	number_json(out, "win_minor", result, row, WIN);
	out_bool(out, "open", pg_number(result, row, OPEN) != 0);
	out_bool(out, "void", pg_number(result, row, VOIDED) != 0);
	number_json(out, "jackpot_minor", result, row, JACKPOT);
	number_json(out, "pool", result, row, POOL);
	out_close(out, '}');
}

static void on_found(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);
	struct json_out *out = &waiter->gateway->out;
	int rows, last;
	int64_t mark;

	if (request != NULL) {
		last = PQntuples(result) - 1;
		mark = last < 0 ? MARK_ROUND : pg_number(result, last, MARK);
		rows = mark == MARK_ROUND ? last + 1 : last;
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, rounds_list.name, '[');
		for (int i = 0; i < rows; i++)
			round_json(out, result, i);
		out_close(out, ']');
		if (mark == MARK_STOPPED)
			out_int(out, "searched_until_us", pg_number(result, last, TIME_US));
		if (mark == MARK_ARCHIVED)
			out_bool(out, "archived", true);
		list_end(waiter->gateway, request, &rounds_list,
			mark == MARK_STOPPED ? PQgetvalue(result, last, MARK + 1)
					     : list_next(request, &rounds_list, result, rows));
	}
	free(waiter);
}

/* ---- asking ---- */

#define US(column) "(extract(epoch from " column ") * 1000000)::bigint"
#define MOMENT(parameter) "timestamptz 'epoch' + " parameter "::bigint * interval '1 microsecond'"
/* The last column is the position of the row. */
#define SELECT                                                                                     \
	"select " US(                                                                              \
		"r.time") ", r.shard, r.seq, r.player, r.round, r.game, r.mode, r.currency, "      \
			  "r.bonus_spin::integer, r.stake, r.win, r.is_open::integer, "            \
			  "r.is_void::integer, r.jackpot, r.pool, r.mark, concat_ws(' ', " US(     \
				  "r.time") ", r.shard, r.seq) from gateway."
#define FILTERS "$2::integer, $3::integer, $4::bigint, $5::bigint, " MOMENT("$6") ", " MOMENT("$7")
/* $8 to $10: time, shard and row behind which the page begins; $11 the limit; $12 the player. */
#define BEHIND MOMENT("$8") ", $9::integer, $10::bigint, $11::integer, "

/* All have the same twelve parameters, and name each. */
static const char rounds_sql[] =
	SELECT "rounds_find($1::integer, " FILTERS ", " BEHIND ROWS_MOST ", " LOOKS_MOST
	       ", " SUMS_MOST ") r where $12::bigint is not null";
static const char account_sql[] =
	SELECT "rounds_of_player($12::bigint, " FILTERS ", $10::bigint, $11::integer, " ACCOUNT_MOST
	       ") r where concat($1::integer, $8::bigint, $9::integer) is not null";
static const char jackpots_sql[] =
	SELECT "jackpots_find($1::integer, $12::bigint, " FILTERS ", " BEHIND JACKPOTS_MOST ") r";
static const char row_sql[] =
	SELECT "round_by_row($1::integer, $2::integer, $3::bigint) r limit $4::integer";

static void search_row(struct gateway *gateway, const char *operator_text,
	const struct sought *sought, const struct list_page *page, struct waiter *waiter)
{
	char shard[TEXT_NUMBER], seq[TEXT_NUMBER];
	/* The only row there may be was on the page before. */
	const char *parameters[] = { operator_text, shard, seq,
		page->after[0] == NULL ? page->limit_text : "0" };

	(void)snprintf(shard, sizeof(shard), "%" PRId64, sought->shard);
	(void)snprintf(seq, sizeof(seq), "%" PRId64, sought->seq);
	pg_pool_query(gateway->pg_ro, row_sql, 4, parameters, QUERY_MS, on_found, waiter);
}

static void search(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	const struct sought *sought, const struct list_page *page)
{
	char numbers[8][TEXT_NUMBER];
	player_id player = 0;
	const char *sql = sought->jackpot	? jackpots_sql
			  : sought->number != 0 ? account_sql
						: rounds_sql;
	struct waiter *waiter = waiter_new(sizeof(*waiter), gateway, request, 0);

	if (sought->number != 0)
		(void)player_id_make(operator_id, (uint64_t)sought->number, &player);
	const int64_t values[] = { operator_id, sought->game, sought->currency, sought->win,
		sought->round, sought->from_us, sought->to_us > 0 ? sought->to_us : TIME_MAX,
		player };
	for (size_t i = 0; i < 8; i++)
		(void)snprintf(numbers[i], TEXT_NUMBER, "%" PRId64, values[i]);
	if (sought->row) {
		search_row(gateway, numbers[0], sought, page, waiter);
		return;
	}
	const char *parameters[] = { numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
		numbers[5], numbers[6], page->after[0], page->after[1], page->after[2],
		page->limit_text, numbers[7] };
	pg_pool_query(gateway->pg_ro, sql, 12, parameters, FIND_MS, on_found, waiter);
}

/* ---- the request ---- */

/* "3-17": row 17 of shard 3. It is one round, whatever else is asked. */
static bool row_read(struct edge_request *request, struct sought *sought)
{
	char text[2 * TEXT_NUMBER], other[TEXT_NUMBER], *number;

	if (edge_query(request, "id", text, sizeof(text)) == NULL)
		return true;
	for (size_t i = 1; filters[i] != NULL; i++)
		if (edge_query(request, filters[i], other, sizeof(other)) != NULL) {
			answer_bad(request, filters[i], other, "no other filter beside id");
			return false;
		}
	number = strchr(text, '-');
	if (number != NULL)
		*number++ = '\0';
	sought->row = number != NULL && number_read(text, 0, INT32_MAX, &sought->shard) &&
		      number_read(number, 1, INT64_MAX, &sought->seq);
	if (!sought->row)
		answer_bad(request, "id", text, "the id of a round in this list, such as 3-17");
	return sought->row;
}

static bool game_read(struct edge_request *request, struct sought *sought)
{
	char slug[SLUG_MAX + 1];

	if (edge_query(request, "game", slug, sizeof(slug)) == NULL)
		return true;
	sought->game = game_number(slug);
	if (sought->game == 0)
		answer_bad(request, "game", slug, "the id of a game from GET /v1/games");
	return sought->game != 0;
}

static bool win_read(struct edge_request *request, struct sought *sought)
{
	char code[CURRENCY_MAX + 1];
	const struct currency *currency;

	if (edge_query(request, "currency", code, sizeof(code)) != NULL) {
		if (!currency_ok(request, code, &currency))
			return false;
		sought->currency = currency->number;
	}
	if (!answer_number(request, "win_minor", 0, 1, INT64_MAX, &sought->win))
		return false;
	if (sought->win == 0 || sought->currency != 0)
		return true;
	answer_bad(request, "currency", "nothing", "the currency of win_minor, such as EUR");
	return false;
}

static bool sought_read(struct edge_request *request, struct sought *sought_r)
{
	char text[TEXT_NUMBER];

	*sought_r = (struct sought){ .jackpot = edge_query(request, "jackpot", text,
							sizeof(text)) != NULL };
	if (sought_r->jackpot && strcmp(text, "true") != 0) {
		answer_bad(request, "jackpot", text, "true, or leave the parameter out");
		return false;
	}
	return row_read(request, sought_r) && game_read(request, sought_r) &&
	       answer_number(
		       request, "player", 0, 1, (int64_t)PLAYER_NUMBER_MAX, &sought_r->number) &&
	       win_read(request, sought_r) &&
	       answer_number(request, "round", 0, 1, MOVE_MAX, &sought_r->round) &&
	       answer_number(request, "from_us", 0, 1, TIME_MAX, &sought_r->from_us) &&
	       answer_number(request, "to_us", 0, 1, TIME_MAX, &sought_r->to_us);
}

void on_round_search(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct list_page page;
	struct sought sought;
	uint32_t operator_id;

	if (auth_operator_path(gateway, request, &operator_id) &&
		list_asked(gateway, request, &rounds_list, &page) && sought_read(request, &sought))
		search(gateway, request, operator_id, &sought, &page);
}

/* ---- open rounds ---- */

static const struct list open_list = { "rounds",
	"since_us player round game currency stake_minor pending_minor", LIMIT_DEFAULT, LIMIT_MAX,
	NULL };

enum {
	OPEN_SINCE,
	OPEN_PLAYER,
	OPEN_ROUND,
	OPEN_GAME,
	OPEN_CURRENCY,
	OPEN_STAKE,
	OPEN_PENDING,
	OPEN_MARK
};

static void open_json(struct json_out *out, const PGresult *result, int row)
{
	const struct currency *currency =
		currency_by_number((uint32_t)pg_number(result, row, OPEN_CURRENCY));
	char player[PLAYER_TEXT_MAX];

	player_id_format((player_id)pg_number(result, row, OPEN_PLAYER), player);
	out_open(out, NULL, '{');
	out_int(out, "since_us", pg_number(result, row, OPEN_SINCE));
	out_string(out, "player", player);
	out_int(out, "round", pg_number(result, row, OPEN_ROUND));
	out_string(out, "game", game_slug((uint32_t)pg_number(result, row, OPEN_GAME)));
	out_string(out, "currency", currency == NULL ? "" : currency->code);
	number_json(out, "stake_minor", result, row, OPEN_STAKE);
	out_int(out, "pending_minor", pg_number(result, row, OPEN_PENDING));
	out_close(out, '}');
}

static void on_open_found(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);
	struct json_out *out = &waiter->gateway->out;
	int rows, last;
	bool stopped;

	if (request != NULL) {
		last = PQntuples(result) - 1;
		stopped = last >= 0 && pg_number(result, last, OPEN_MARK) == MARK_STOPPED;
		rows = stopped ? last : last + 1;
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, open_list.name, '[');
		for (int i = 0; i < rows; i++)
			open_json(out, result, i);
		out_close(out, ']');
		list_end(waiter->gateway, request, &open_list,
			stopped ? PQgetvalue(result, last, OPEN_MARK + 1)
				: list_next(request, &open_list, result, rows));
	}
	free(waiter);
}

void on_open_rounds(struct edge_request *request, void *context)
{
	static const char sql[] = "select " US(
		"r.since") ", r.player, r.round, r.game, coalesce(r.currency, 0), "
			   "r.stake, coalesce(r.pending, 0), r.mark, concat_ws(' ', " US(
				   "r.since") ", r.player, r.game) from "
					      "gateway.rounds_open($1::integer, " MOMENT(
						      "$2") ", $3::bigint, $4::integer, "
							    "$5::integer, " OPEN_MOST ") r";
	struct gateway *gateway = context;
	struct list_page page;
	char operator_text[TEXT_NUMBER];
	uint32_t operator_id;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!list_asked(gateway, request, &open_list, &page))
		return;
	const char *parameters[] = { operator_text, page.after[0], page.after[1], page.after[2],
		page.limit_text };
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, operator_id);
	pg_pool_query(gateway->pg_ro, sql, 5, parameters, FIND_MS, on_open_found,
		waiter_new(sizeof(struct waiter), gateway, request, 0));
}
