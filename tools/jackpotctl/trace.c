#include "tools/jackpotctl/trace.h"

#include "tools/jackpotctl/rows_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECTS_MAX 32
#define SUBJECT_TEXT (PLAYER_TEXT_MAX + 32)
#define INSTANCE_WIDTH 20
#define EVENT_WIDTH 29
#define FAULT "the journal could not be read"

/* How far a round may lie behind the player's newest row. */
#define ROWS_BACK "20000"
#define KIND                                                                                       \
	"coalesce((array['open', 'bet', 'release', 'gamble', 'halve', 'collect', 'void', "         \
	"'setting'])[j.kind], (array['deposit', 'withdrawal', 'correction', 'grant', 'award', "    \
	"'block', 'spins', 'spins_end', 'hold', 'capture', 'hold_release', 'grant_back', "         \
	"'limit'])[j.kind - 19], j.kind::text) as kind"
#define COLUMNS                                                                                    \
	"j.shard, j.seq, " KIND ", j.move, j.round, j.game, j.refusal, j.release, j.stake, "       \
	"j.win_balance, j.win_pending, j.forfeit, j.amount, j.balance_after, j.pending_after, "    \
	"coalesce(c.pool::text, '') as pool, to_char(j.time at time zone 'UTC', "                  \
	"'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') as time"
#define CLAIMED                                                                                    \
	" left join wallet.claim c on j.kind = 24 and c.shard = j.shard and c.closed_seq = j.seq "

/* $1 player, $2 shard, $3 round or seq */
static const char ROUND_SQL[] =
	"with j as materialized (select * from wallet.rows_back($1::bigint, $2::integer, "
	"wallet.newest_of($1::bigint, $2::integer), " ROWS_BACK ", $3::bigint)) select " COLUMNS
	" from j" CLAIMED "where (j.round = $3::bigint and j.kind between 2 and 8) or c.move in "
	"(select m.move from j m where m.round = $3::bigint and m.claims > 0) order by j.seq";
static const char ROW_SQL[] =
	"select " COLUMNS " from wallet.rows_between($2::integer, $3::bigint, $3::bigint, 1) "
	"j" CLAIMED "where j.player = $1::bigint";

/* What the lines and the database say. */
struct found {
	struct trace_lines lines;
	struct trace_subject subject[SUBJECTS_MAX];
	PGresult *rows[SUBJECTS_MAX];
	size_t subjects_n;
	bool subjects_more; /* some were left out */
	int rows_n;
};

/* "1-17/42"; a row without a round: "1-17 row 900". */
static void subject_text(const struct trace_subject *subject, char out[SUBJECT_TEXT])
{
	char player[PLAYER_TEXT_MAX];

	player_id_format(subject->player, player);
	if (subject->round != 0)
		(void)snprintf(out, SUBJECT_TEXT, "%s/%" PRId64, player, subject->round);
	else
		(void)snprintf(out, SUBJECT_TEXT, "%s row %" PRId64, player, subject->seq);
}

static uint32_t shards_of(PGconn *conn)
{
	PGresult *result =
		rows_ask_with(conn, FAULT, "select shards from carillon.installation", 0, NULL);
	uint32_t shards =
		PQntuples(result) == 1 ? (uint32_t)strtoul(PQgetvalue(result, 0, 0), NULL, 10) : 1;

	PQclear(result);
	return shards;
}

static PGresult *rows_of(PGconn *conn, const struct trace_subject *subject, uint32_t shards)
{
	char player[24], shard[16], number[24];
	const char *const parameters[] = { player, shard, number };

	(void)snprintf(player, sizeof(player), "%" PRId64, subject->player);
	(void)snprintf(shard, sizeof(shard), "%" PRIu32, shard_of_player(subject->player, shards));
	(void)snprintf(number, sizeof(number), "%" PRId64,
		subject->round != 0 ? subject->round : subject->seq);
	return rows_ask_with(conn, FAULT, subject->round != 0 ? ROUND_SQL : ROW_SQL, 3, parameters);
}

static void find(
	PGconn *conn, const struct trace_sought *sought, const char *folder, struct found *found)
{
	uint32_t shards = shards_of(conn);
	char why[256];

	if (!trace_lines_read(folder, sought, &found->lines, why)) {
		fprintf(stderr, "jackpotctl: %s\n", why);
		exit(2);
	}
	if (sought->by_round)
		found->subject[found->subjects_n++] = sought->subject;
	found->subjects_n = trace_subjects(&found->lines, found->subject, found->subjects_n,
		SUBJECTS_MAX, &found->subjects_more);
	for (size_t i = 0; i < found->subjects_n; i++) {
		found->rows[i] = rows_of(conn, &found->subject[i], shards);
		found->rows_n += PQntuples(found->rows[i]);
	}
}

/* ---- text ---- */

/* A message may quote what came from outside: nothing of it may move the cursor. */
static void text_put(const char *text, int width)
{
	int n = 0;

	for (; text[n] != '\0'; n++)
		putchar(text[n] < 0x20 || text[n] > 0x7e ? '?' : text[n]);
	printf("%*s", width > n ? width - n : 0, "");
}

static void number_print(const struct trace_line *line, const char *name)
{
	int64_t number = trace_number(line, name);

	if (number != 0)
		printf(", %s %" PRId64, name, number);
}

static void line_print(const struct trace_line *line, int64_t began_us)
{
	const char *player = trace_text(line, "player");
	int64_t us = trace_number(line, "us");

	text_put(trace_text(line, "time"), 0);
	printf(" %+10.3f ms  ", (double)(line->at_us - began_us) / 1000.0);
	text_put(trace_text(line, "instance"), INSTANCE_WIDTH);
	text_put(trace_text(line, "event"), EVENT_WIDTH);
	text_put(trace_text(line, "message"), 0);
	if (player[0] != '\0') {
		fputs(" [player ", stdout);
		text_put(player, 0);
	}
	number_print(line, "round");
	number_print(line, "move");
	number_print(line, "seq");
	if (us != 0)
		printf(", after %" PRId64 " us", us);
	puts(player[0] != '\0' ? "]" : "");
}

static void text_print(const struct found *found)
{
	const struct trace_lines *lines = &found->lines;
	char subject[SUBJECT_TEXT], title[SUBJECT_TEXT + 16];

	for (size_t i = 0; i < lines->ids_n && lines->n > 0; i++)
		printf("trace %s\n", lines->id[i]);
	if (lines->more)
		printf("and further traces, which are left out\n");
	if (lines->n == 0)
		puts("no line of the logs belongs to it");
	for (size_t i = 0; i < lines->n; i++)
		line_print(&lines->line[i], lines->line[0].at_us);
	putchar('\n');
	for (size_t i = 0; i < found->subjects_n; i++) {
		subject_text(&found->subject[i], subject);
		(void)snprintf(title, sizeof(title), "rows of %s", subject);
		if (PQntuples(found->rows[i]) > 0)
			rows_text(found->rows[i], title);
		else
			printf("%s: none among the player's last " ROWS_BACK " rows\n", title);
	}
	if (found->subjects_more)
		printf("the lines name further rounds and rows, which are left out\n");
}

/* ---- JSON ---- */

/* The fields that a service writes, and no others: a log may hold lines of other programs. */
static json_t *line_json(const struct trace_line *line, int64_t began_us)
{
	static const char *const FIELDS[] = { "time", "level", "service", "instance", "event",
		"trace", "player", "round", "move", "seq", "us", "message" };
	json_t *out = json_object();

	for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
		json_t *value = json_object_get(line->json, FIELDS[i]);
		if (value != NULL)
			json_object_set(out, FIELDS[i], value);
	}
	json_object_set_new(out, "offset_us", json_integer(line->at_us - began_us));
	return out;
}

static void json_write(const struct found *found)
{
	const struct trace_lines *lines = &found->lines;
	json_t *traces = json_array(), *way = json_array(), *ledger = json_array();
	char subject[SUBJECT_TEXT];

	for (size_t i = 0; i < lines->ids_n; i++)
		json_array_append_new(traces, json_string(lines->id[i]));
	for (size_t i = 0; i < lines->n; i++)
		json_array_append_new(way, line_json(&lines->line[i], lines->line[0].at_us));
	for (size_t i = 0; i < found->subjects_n; i++) {
		subject_text(&found->subject[i], subject);
		json_array_append_new(ledger,
			json_pack("{s:s,s:o}", "of", subject, "rows", rows_json(found->rows[i])));
	}
	json_print(json_pack("{s:o,s:b,s:o,s:o}", "traces", traces, "more",
		lines->more || found->subjects_more, "lines", way, "ledger", ledger));
}

bool trace_run(PGconn *conn, const struct trace_sought *sought, const char *folder, bool json)
{
	static struct found found;
	bool any;

	find(conn, sought, folder, &found);
	if (json)
		json_write(&found);
	else
		text_print(&found);
	any = found.lines.n > 0 || found.rows_n > 0;
	for (size_t i = 0; i < found.subjects_n; i++)
		PQclear(found.rows[i]);
	trace_lines_free(&found.lines);
	return any;
}
