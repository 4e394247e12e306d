/* GET /v1/history: all that moved a player's money, by filters, page by page. Rounds are made from
 * the rows that are read; what a filter leaves out is read too, so a page reads at most so many
 * rows and says how far it has looked. */
#include "services/gateway/adapters/history_entries.h"
#include "services/gateway/adapters/history_read.h"
#include "services/gateway/adapters/journal_rows.h"
#include "services/gateway/adapters/lists.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200
#define FILTERED_ROWS_MAX 500 /* rows read for one page with a filter */
#define CHUNK_MIN 8
#define TEXT_NUMBER 24
#define TIME_MAX INT64_C(253402300799000000) /* 9999-12-31 */

static const struct list entries_list = { "entries",
	"kind seq time_us round game amount_minor balance_before_minor balance_after_minor "
	"stake_minor win_minor jackpots_minor doubled_minor mode bonus_spin closed void pool",
	LIMIT_DEFAULT, LIMIT_MAX,
	(const char *const[]){ "before", "game", "wins", "kind", "from_us", "to_us", NULL } };

struct listing {
	struct waiter waiter; /* first */
	int64_t limit, before;
	struct history_filter filter;
	struct hiding hiding;
	int64_t asked, rows_max; /* rows of the last query; of all queries at most */
	struct history_row *rows;
	size_t n;
};

/* A page made of the rows read so far. */
struct made_page {
	struct history_page page;
	struct history_entry *entries;
	size_t n;   /* entries, shown or not */
	bool full;  /* it shows as many as it may */
	bool ended; /* what comes after it is older than the filter's from_us */
};

static bool filtered(const struct history_filter *filter)
{
	return filter->game != 0 || filter->wins || filter->money || filter->kind != HISTORY_NONE ||
	       filter->from_us != 0 || filter->to_us != 0;
}

/* ---- the page ---- */

static void page_of(struct listing *listing, size_t limit, struct made_page *made)
{
	made->n = history_page_entries(listing->rows, listing->n,
		&(struct history_place){ .before = listing->before, .limit = limit },
		&listing->hiding, &made->page, made->entries);
}

static void page_make(struct listing *listing, struct made_page *made)
{
	size_t limit = (size_t)listing->limit, shown = 0, walked = 0;

	if (!filtered(&listing->filter)) {
		page_of(listing, limit, made);
		made->full = made->page.items_r >= limit;
		return;
	}
	page_of(listing, HISTORY_ROUNDS_MAX - 1, made);
	while (walked < made->n && shown < limit)
		shown += history_shows(&listing->filter, &made->entries[walked++]);
	made->full = shown == limit;
	/* The next page goes on behind the last entry that this one has looked at. */
	if (walked < made->n)
		page_of(listing, walked, made);
	made->ended = made->page.used_r > 0 &&
		      listing->rows[made->page.used_r - 1].time_us < listing->filter.from_us;
}

/* ---- the answer ---- */

static void round_members(struct json_out *out, const struct history_entry *entry)
{
	out_int(out, "stake_minor", entry->past.stake);
	out_int(out, "win_minor", entry->past.win);
	out_int(out, "jackpots_minor", entry->past.jackpots);
	out_int(out, "doubled_minor", entry->past.doubled);
	out_uint(out, "mode", entry->mode);
	out_bool(out, "bonus_spin", entry->past.bonus_spin);
	out_bool(out, "closed", entry->past.closed);
	out_bool(out, "void", entry->past.voided);
}

void history_entry_json(struct json_out *out, const struct history_entry *entry)
{
	out_open(out, NULL, '{');
	out_string(out, "kind", history_kind_text(entry->kind));
	out_int(out, "seq", entry->seq);
	out_int(out, "time_us", entry->time_us);
	out_int(out, "round", entry->round);
	out_string(out, "game", game_slug(entry->game));
	out_int(out, "amount_minor", entry->amount);
	history_known_json(out, "balance_before_minor", entry->before_known, entry->balance_before);
	history_known_json(out, "balance_after_minor", entry->after_known, entry->balance_after);
	if (entry->kind == HISTORY_ROUND)
		round_members(out, entry);
	if (entry->pool != 0)
		out_uint(out, "pool", entry->pool);
	out_close(out, '}');
}

/* How far the page has looked; 0: it has looked at nothing. */
static int64_t looked_until(const struct listing *listing, const struct made_page *made)
{
	return made->page.used_r == 0 ? 0 : listing->rows[made->page.used_r - 1].time_us;
}

static bool operator_asks(const struct edge_request *request)
{
	return edge_route_of(request)->handler != on_history;
}

static void listing_answer(struct listing *listing, struct edge_request *request,
	const struct made_page *made, bool bounded)
{
	struct json_out *out = &listing->waiter.gateway->out;
	int64_t next = made->ended ? 0 : made->page.next_r;
	char position[TEXT_NUMBER];

	out_begin(out);
	out_open(out, NULL, '{');
	out_open(out, "entries", '[');
	for (size_t i = 0; i < made->n; i++)
		if (history_shows(&listing->filter, &made->entries[i]))
			history_entry_json(out, &made->entries[i]);
	out_close(out, ']');
	if (next > 0)
		out_int(out, "next", next);
	else
		out_null(out, "next");
	if (next == 0 && !made->ended && listing->n > 0 && listing->rows[listing->n - 1].archived)
		out_bool(out, "archived", true);
	if (bounded && next > 0)
		out_int(out, "searched_until_us", looked_until(listing, made));
	if (operator_asks(request)) {
		(void)snprintf(position, sizeof(position), "%" PRId64, next);
		list_end(listing->waiter.gateway, request, &entries_list,
			next > 0 ? position : NULL);
		return;
	}
	out_close(out, '}');
	answer_sent(listing->waiter.gateway, request, 200);
}

/* ---- reading ---- */

static void on_listing_rows(void *context, PGresult *result, const char *error);

static void rows_read(struct listing *listing, int64_t from)
{
	int64_t left = listing->rows_max - (int64_t)listing->n;
	int64_t chunk = listing->limit + listing->limit / 8 + CHUNK_MIN;
	struct gateway *gateway = listing->waiter.gateway;

	/* A filter leaves most rows out: few statements for many rows. */
	if (filtered(&listing->filter))
		chunk *= 2;
	listing->asked = left < chunk ? left : chunk;
	journal_rows(gateway,
		&(struct journal_wanted){ .player = listing->waiter.player,
			.shard = shard_of_player(listing->waiter.player, gateway->shards),
			.from = from,
			.until_us = listing->filter.to_us,
			.rows = listing->asked },
		on_listing_rows, listing);
}

static void rows_take(struct listing *listing, const PGresult *result)
{
	size_t n = (size_t)PQntuples(result);
	listing->rows = realloc(listing->rows, (listing->n + n + 1) * sizeof(*listing->rows));
	if (listing->rows == NULL)
		fatal("out of memory: %zu rows", listing->n + n);
	for (size_t i = 0; i < n; i++)
		history_row_read(result, (int)i, &listing->rows[listing->n++]);
}

static void on_listing_rows(void *context, PGresult *result, const char *error)
{
	static struct history_entry
		entries[FILTERED_ROWS_MAX + LIMIT_MAX * 4 + 64 + HISTORY_ROUNDS_MAX];
	struct listing *listing = context;
	struct edge_request *request = waiter_rows(&listing->waiter, result, error);
	struct made_page made = { .entries = entries };
	int64_t last;
	bool more;

	if (request == NULL)
		goto out;
	rows_take(listing, result);
	page_make(listing, &made);
	last = listing->n > 0 ? listing->rows[listing->n - 1].prev_seq : 0;
	more = !made.full && !made.ended && last > 0 && PQntuples(result) == listing->asked;
	if (more && (int64_t)listing->n < listing->rows_max) {
		rows_read(listing, last);
		return;
	}
	listing_answer(listing, request, &made, more && filtered(&listing->filter));
out:
	free(listing->rows);
	free(listing);
}

/* ---- the request ---- */

static bool time_read(struct edge_request *request, const char *name, int64_t *us_r)
{
	char text[TEXT_NUMBER];

	*us_r = 0;
	if (edge_query(request, name, text, sizeof(text)) == NULL ||
		number_read(text, 1, TIME_MAX, us_r))
		return true;
	answer_bad(request, name, text, "microseconds since 1970");
	return false;
}

static bool kind_read(struct edge_request *request, struct history_filter *filter_r)
{
	char text[TEXT_NUMBER];

	if (edge_query(request, "kind", text, sizeof(text)) == NULL)
		return true;
	filter_r->money = strcmp(text, "money") == 0;
	for (enum history_kind kind = HISTORY_ROUND; kind < HISTORY_KINDS; kind++)
		if (strcmp(history_kind_text(kind), text) == 0)
			filter_r->kind = kind;
	if (filter_r->money || filter_r->kind != HISTORY_NONE)
		return true;
	answer_bad(request, "kind", text, "money, or the kind of an entry, such as round");
	return false;
}

static bool filter_read(
	struct edge_request *request, struct gateway *gateway, struct history_filter *filter_r)
{
	char text[SLUG_MAX + 1];

	*filter_r = (struct history_filter){ .wins = edge_query(request, "wins", text,
							     sizeof(text)) != NULL };
	if (filter_r->wins && strcmp(text, "true") != 0) {
		answer_bad(request, "wins", text, "true, or leave the parameter out");
		return false;
	}
	if (!time_read(request, "from_us", &filter_r->from_us) ||
		!time_read(request, "to_us", &filter_r->to_us) || !kind_read(request, filter_r))
		return false;
	if (edge_query(request, "game", text, sizeof(text)) == NULL)
		return true;
	if (!game_served(gateway, request, text))
		return false;
	filter_r->game = game_number(text);
	return true;
}

/* The engine has said what the player has seen. The request is read again: it was checked before
 * the engine was asked. */
static void on_listing_state(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct history_filter filter;
	struct listing *listing;

	(void)fact;
	if (!reply_accepted(gateway, request, sent, reply) ||
		!filter_read(request, gateway, &filter))
		return;
	listing = waiter_new(sizeof(*listing), gateway, request, sent->player);
	listing->limit = sent->number;
	listing->before = sent->seq;
	listing->filter = filter;
	history_hiding_read(reply, &listing->hiding);
	listing->rows_max = filtered(&filter) ? FILTERED_ROWS_MAX : listing->limit * 4 + 50;
	rows_read(listing, listing->before);
}

void history_list(struct gateway *gateway, struct edge_request *request, player_id player)
{
	static const char *const names[] = { "limit", "before", "game", "wins", "kind", "from_us",
		"to_us", NULL };
	struct service_request sent = { .done = on_listing_state, .player = player };
	struct history_filter filter;
	Carillon__SpinCommand command;
	struct list_page page = { 0 };
	char text[TEXT_NUMBER];

	carillon__spin_command__init(&command);
	if (!history_reads_soon(gateway, request) ||
		!(operator_asks(request) ? list_asked(gateway, request, &entries_list, &page)
					 : answer_query(request, names)) ||
		!answer_limit(request, LIMIT_DEFAULT, LIMIT_MAX, &sent.number) ||
		!filter_read(request, gateway, &filter))
		return;
	if (edge_query(request, "before", text, sizeof(text)) != NULL &&
		!number_read(text, 1, MOVE_MAX, &sent.seq)) {
		answer_bad(request, "before", text, "\"next\" of the previous page");
		return;
	}
	sent.seq = list_after(&page, sent.seq);
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	(void)request_spin(gateway, request, sent, &command);
}

void on_history(struct edge_request *request, void *context)
{
	player_id player;

	if (auth_player(context, request, &player))
		history_list(context, request, player);
}
