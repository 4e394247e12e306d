/* GET ..players/{n}/export: all that the network holds about a player, as one JSON document. It is
 * written page by page while it is read, so its size does not matter here. A document that cannot
 * be finished ends in the middle: only a whole one ends with "complete". */
#include "services/gateway/adapters/export.h"

#include "services/gateway/adapters/history_entries.h"
#include "services/gateway/adapters/history_read.h"
#include "services/gateway/adapters/journal_rows.h"
#include "services/gateway/adapters/money.h"
#include "services/gateway/adapters/staff.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTS_MAX 4 /* at once; each holds one connection to the database */
#define OPERATOR_EXPORTS_MAX                                                                       \
	(EXPORTS_MAX / 2) /* of them: readers of one operator leave room for others */
#define TRIES_MAX 8	  /* of one page */
#define PART_MS 10000
#define RETRY_S "5"
#define PAGE_ITEMS 100 /* of the history */
#define PAGE_ROWS_MAX (4 * PAGE_ITEMS + 50)
#define PLACE_MAX 80
#define TEXT_NUMBER 24

/* Of gateway.player_part, in the order of the document. */
static const char *const parts[] = { "settings", "limits", "limit_history", "bookings",
	"withdrawals", "bonus_funds", "bonus_spins", "jackpots", "card_rounds", "voids", "sessions",
	"notes", "requests", "actions" };
#define PARTS_N (sizeof(parts) / sizeof(parts[0]))

enum stage { STAGE_ACCOUNT, STAGE_HISTORY, STAGE_PARTS, STAGE_ENDED };

struct export
{
	struct gateway *gateway;
	player_id player;
	size_t slot;
	struct edge_stream *stream; /* NULL: the client has gone */
	bool asking;		    /* a query is on its way */
	uint32_t failed;	    /* times that the page was asked for in vain */
	enum stage stage;
	bool begun; /* the list of this stage or part is open */
	bool comma; /* the open list or object has a member */
	/* the history */
	struct hiding hiding;
	int64_t before;
	struct history_row *rows;
	size_t rows_n;
	int64_t asked;
	/* the parts */
	size_t part;
	char place[PLACE_MAX];
};

/* The operators whose documents are being written; 0: a free place. */
static uint32_t slots[EXPORTS_MAX];

static size_t slots_of(uint32_t operator_id)
{
	size_t n = 0;

	for (size_t i = 0; i < EXPORTS_MAX; i++)
		n += slots[i] == operator_id;
	return n;
}

static size_t slot_take(uint32_t operator_id)
{
	size_t slot = 0;

	while (slots[slot] != 0)
		slot++;
	slots[slot] = operator_id;
	return slot;
}

bool exports_open(void)
{
	return slots_of(0) < EXPORTS_MAX;
}

static void export_free(struct export *export)
{
	slots[export->slot] = 0;
	free(export->rows);
	free(export);
}

/* ---- writing ---- */

static struct json_out *page_begin(struct export *export)
{
	struct json_out *out = &export->gateway->out;

	out_begin(out);
	out->comma = export->comma;
	return out;
}

/* What comes next is asked for when the client has taken this. */
static void page_end(struct export *export)
{
	struct json_out *out = &export->gateway->out;

	export->comma = out->comma;
	export->failed = 0;
	if (edge_stream_write(export->stream, (const uint8_t *)out->bytes, out->n))
		edge_stream_wake(export->stream);
}

/* True when the page came and the client is still there. A page that did not come is asked for
 * again, and at last the document ends unfinished. */
static bool page_came(struct export *export, const PGresult *result, const char *error)
{
	export->asking = false;
	if (export->stream == NULL) {
		export_free(export);
		return false;
	}
	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK)
		return true;
	if (++export->failed < TRIES_MAX) {
		edge_stream_wake(export->stream);
		return false;
	}
	log_warn_as("gateway.export.unfinished", "the export of a player could not be finished: %s",
		error != NULL ? error : PQresultErrorMessage(result));
	export->stage = STAGE_ENDED;
	edge_stream_close(export->stream);
	return false;
}

/* ---- the account ---- */

static void on_account(void *context, PGresult *result, const char *error)
{
	struct export *export = context;
	struct json_out *out;

	if (!page_came(export, result, error))
		return;
	out = page_begin(export);
	out_open(out, NULL, '{');
	out_string(out, "format", "carillon-player-1");
	out_uint(out, "time_us", clock_wall_us());
	out_open(out, "account", '{');
	if (PQntuples(result) > 0)
		player_members(out, result, 0);
	out_close(out, '}');
	export->stage = STAGE_HISTORY;
	page_end(export);
}

static void account_ask(struct export *export)
{
	char number[TEXT_NUMBER];
	const char *parameters[] = { number };

	(void)snprintf(number, sizeof(number), "%" PRId64, export->player);
	pg_pool_query(
		export->gateway->pg_ro, player_sql, 1, parameters, PART_MS, on_account, export);
}

/* ---- the history, as the player sees it ---- */

static void history_ask(struct export *export, int64_t from);

static void rows_take(struct export *export, const PGresult *result)
{
	size_t n = (size_t)PQntuples(result);

	export->rows = realloc(export->rows, (export->rows_n + n + 1) * sizeof(*export->rows));
	if (export->rows == NULL)
		fatal("out of memory: %zu rows", export->rows_n + n);
	for (size_t i = 0; i < n; i++)
		history_row_read(result, (int)i, &export->rows[export->rows_n++]);
}

/* Where the next page begins; 0: this was the last one. */
static int64_t history_next(const struct export *export, const struct history_page *page)
{
	if (page->next_r > 0 && export->before > 0 && page->next_r >= export->before) {
		log_error_as("gateway.export.stuck",
			"ALARM the history of a player does not go on behind row %" PRId64,
			export->before);
		return 0;
	}
	return page->next_r;
}

static void history_write(struct export *export, const struct history_page *page,
	const struct history_entry *entries, size_t n)
{
	struct json_out *out = page_begin(export);
	bool archived = export->rows_n > 0 && export->rows[export->rows_n - 1].archived;

	if (!export->begun)
		out_open(out, "history", '[');
	export->begun = true;
	for (size_t i = 0; i < n; i++)
		history_entry_json(out, &entries[i]);
	export->before = history_next(export, page);
	if (export->before == 0) {
		out_close(out, ']');
		out_bool(out, "history_archived", archived);
		export->begun = false;
		export->stage = STAGE_PARTS;
	}
	export->rows_n = 0;
	page_end(export);
}

static void on_history_rows(void *context, PGresult *result, const char *error)
{
	static struct history_entry entries[PAGE_ROWS_MAX + HISTORY_ROUNDS_MAX + 64];
	struct export *export = context;
	struct history_page page;
	int64_t last;
	size_t n;

	if (!page_came(export, result, error))
		return;
	rows_take(export, result);
	n = history_page_entries(export->rows, export->rows_n,
		&(struct history_place){ .before = export->before, .limit = PAGE_ITEMS },
		&export->hiding, &page, entries);
	last = export->rows_n > 0 ? export->rows[export->rows_n - 1].prev_seq : 0;
	if (page.items_r < PAGE_ITEMS && last > 0 && PQntuples(result) == export->asked &&
		export->rows_n < PAGE_ROWS_MAX)
		history_ask(export, last);
	else
		history_write(export, &page, entries, n);
}

static void history_ask(struct export *export, int64_t from)
{
	int64_t left = PAGE_ROWS_MAX - (int64_t) export->rows_n;

	export->asking = true;
	export->asked = left < 2 * PAGE_ITEMS ? left : 2 * PAGE_ITEMS;
	journal_rows(export->gateway,
		&(struct journal_wanted){ .player = export->player,
			.shard = shard_of_player(export->player, export->gateway->shards),
			.from = from,
			.rows = export->asked },
		on_history_rows, export);
}

/* ---- the parts ---- */

enum { ITEM, NEXT };

static void part_end(struct export *export, struct json_out *out)
{
	out_close(out, ']');
	export->begun = false;
	export->place[0] = '\0';
	if (++export->part < PARTS_N)
		return;
	out_bool(out, "complete", true);
	out_close(out, '}');
	export->stage = STAGE_ENDED;
}

static void on_part(void *context, PGresult *result, const char *error)
{
	struct export *export = context;
	struct json_out *out;
	int rows;

	if (!page_came(export, result, error))
		return;
	rows = PQntuples(result);
	out = page_begin(export);
	if (!export->begun)
		out_open(out, parts[export->part], '[');
	export->begun = true;
	for (int i = 0; i < rows; i++)
		if (!PQgetisnull(result, i, ITEM))
			out_raw(out, NULL, PQgetvalue(result, i, ITEM));
	if (rows > 0)
		(void)snprintf(export->place, sizeof(export->place), "%s",
			PQgetvalue(result, rows - 1, NEXT));
	else
		part_end(export, out);
	page_end(export);
}

/* The first move that the player may not have seen to its end when the document began: what they
 * have played since is as new as a round that is open. */
static int64_t seen_before(const struct hiding *hiding)
{
	if (hiding->n > 0)
		return hiding->oldest;
	return hiding->expect != 0 ? hiding->expect : INT64_MAX;
}

static void part_ask(struct export *export)
{
	char player[TEXT_NUMBER], seen[TEXT_NUMBER];
	const char *parameters[] = { parts[export->part], player, export->place, seen };

	(void)snprintf(player, sizeof(player), "%" PRId64, export->player);
	(void)snprintf(seen, sizeof(seen), "%" PRId64, seen_before(&export->hiding));
	pg_pool_query(export->gateway->pg_ro,
		"select item, next from gateway.player_part($1, $2::bigint, $3, $4::bigint)", 4,
		parameters, PART_MS, on_part, export);
}

/* ---- the stream ---- */

static void step(struct export *export)
{
	export->asking = true;
	switch (export->stage) {
	case STAGE_ACCOUNT:
		account_ask(export);
		break;
	case STAGE_HISTORY:
		export->rows_n = 0;
		history_ask(export, export->before);
		break;
	case STAGE_PARTS:
		part_ask(export);
		break;
	case STAGE_ENDED:
		export->asking = false;
		edge_stream_close(export->stream);
		break;
	}
}

static void on_writable(struct edge_stream *stream, void *context)
{
	struct export *export = context;

	(void)stream;
	if (!export->asking)
		step(export);
}

static void on_closed(struct edge_stream *stream, void *context)
{
	struct export *export = context;

	(void)stream;
	export->stream = NULL;
	if (!export->asking)
		export_free(export);
}

/* A client that reads slowly keeps its place, so an operator's clients get only some of them. */
static bool too_many(struct edge_request *request, uint32_t operator_id)
{
	if (slots_of(operator_id) >= OPERATOR_EXPORTS_MAX) {
		edge_answer_header(request, "Retry-After", RETRY_S);
		edge_answer_error(request, 429, "too_many_exports",
			"This gateway already writes two exports for this operator. Try again when "
			"one of them has ended.",
			NULL, NULL, NULL);
		return true;
	}
	if (slots_of(0) > 0)
		return false;
	edge_answer_header(request, "Retry-After", RETRY_S);
	edge_answer_error(request, 503, "busy",
		"This gateway already writes as many exports as it can. Try again later.", NULL,
		NULL, NULL);
	return true;
}

/* The engine has said what the player has seen: the document begins. */
static void on_seen(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	static const struct edge_stream_ops ops = { .writable = on_writable, .closed = on_closed };
	char name[PLAYER_TEXT_MAX], file[96];
	struct export *export;

	(void)fact;
	if (!reply_accepted(gateway, request, sent, reply) ||
		too_many(request, player_operator(sent->player)))
		return;
	export = calloc(1, sizeof(*export));
	if (export == NULL)
		fatal("out of memory");
	export->gateway = gateway;
	export->player = sent->player;
	export->slot = slot_take(player_operator(sent->player));
	history_hiding_read(reply, &export->hiding);
	player_id_format(sent->player, name);
	(void)snprintf(file, sizeof(file), "attachment; filename=\"player-%s.json\"", name);
	audit_write(gateway, sent->ticket, player_operator(sent->player), "export", sent->player,
		"{\"format\":\"carillon-player-1\"}", 200);
	edge_answer_header(request, "Content-Disposition", file);
	export->stream = edge_answer_stream(request, "application/json", &ops, export);
	edge_stream_wake(export->stream);
}

static void on_known(void *context, PGresult *result, const char *error)
{
	struct waiter *waiter = context;
	struct edge_request *request = waiter_rows(waiter, result, error);
	struct service_request sent = { .done = on_seen, .player = waiter->player };
	Carillon__SpinCommand command;

	carillon__spin_command__init(&command);
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	if (request != NULL && PQntuples(result) == 0)
		player_unknown(request);
	else if (request != NULL)
		(void)request_spin(waiter->gateway, request, sent, &command);
	free(waiter);
}

void on_player_export(struct edge_request *request, void *context)
{
	static const char *const none[] = { NULL };
	struct gateway *gateway = context;
	char number[TEXT_NUMBER];
	const char *parameters[] = { number };
	uint32_t operator_id;
	player_id player;

	if (!auth_operator_path(gateway, request, &operator_id) ||
		!player_path(request, operator_id, &player) || !answer_query(request, none) ||
		!history_reads_soon(gateway, request) || too_many(request, operator_id))
		return;
	audit_asked(gateway, request, operator_id);
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	pg_pool_query(gateway->pg_ro, player_sql, 1, parameters, QUERY_MS, on_known,
		waiter_new(sizeof(struct waiter), gateway, request, player));
}
