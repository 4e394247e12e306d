/* The state at the end of a replay. */
#include "tools/jackpotctl/replay_print.h"

#include "libcommon/base/currency.h"
#include "tools/jackpotctl/rows_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#define BOOKS 8

static void books_of(const struct replay *replay, const char *names[BOOKS], int128 values[BOOKS])
{
	const struct pool_books *books = &replay->pool.books;
	static const char *const all[BOOKS] = { "contributions", "jp_pool", "jp_reserve", "jp_seed",
		"house_seed", "paid", "received", "sent" };
	const int128 amounts[BOOKS] = { books->contributions.e27, books->jp_pool.e27,
		books->jp_reserve.e27, books->jp_seed.e27, books->house_seed.e27, books->paid.e27,
		books->received.e27, books->sent.e27 };
	for (int i = 0; i < BOOKS; i++) {
		names[i] = all[i];
		values[i] = amounts[i];
	}
}

static const char *code_of(const struct pool_row *row)
{
	const struct currency *currency = currency_by_number(row->currency);
	return currency != NULL ? currency->code : "?";
}

static int64_t shown(const struct replay *replay, const struct pool_row *row)
{
	int64_t value = 0;
	return pool_value(&replay->pool, row, &value) == POOL_OK ? value : -1;
}

void replay_print(const struct replay *replay)
{
	const char *names[BOOKS];
	int128 values[BOOKS];
	char text[REPLAY_DECIMAL_MAX], w[REPLAY_DECIMAL_MAX];
	if (replay->where[0] != '\0') {
		printf("BROKEN  %s: found %s, expected %s\n", replay->where, replay->found,
			replay->expected);
		printf("pool %u: the %" PRIu64 " events before it are right\n", replay->number,
			replay->events);
		return;
	}
	replay_decimal(replay->pool.t_e18, 18, text);
	printf("pool %u, %s, as of %s: %" PRIu64 " events, %" PRIu64 " hits, all as recorded",
		replay->number, pool_state_text(replay->pool.state), replay->last_time,
		replay->events, replay->pool.hits);
	if (replay->folded > 0)
		printf(", the first %" PRIu64 " folded", replay->folded);
	printf("\nT %s\n", text);
	books_of(replay, names, values);
	for (int i = 0; i < BOOKS; i++) {
		replay_decimal(values[i], 27, text);
		printf("%-14s %s\n", names[i], text);
	}
	for (uint32_t i = 0; i < replay->pool.row_count; i++) {
		const struct pool_row *row = &replay->pool.row[i];
		replay_decimal(row->w_e18, 18, w);
		replay_decimal(row->r.e27, 27, text);
		printf("row %s %" PRId64 ": shows %" PRId64 ", seed %" PRId64
		       ", W %s, r %s, hits %" PRIu64 "%s\n",
			code_of(row), row->coin_minor, shown(replay, row), row->terms.seed_minor, w,
			text, row->hits, row->next_waits ? ", new terms wait" : "");
	}
}

static json_t *decimal(int128 value, uint32_t decimals)
{
	char text[REPLAY_DECIMAL_MAX];
	replay_decimal(value, decimals, text);
	return json_string(text);
}

static json_t *row_json(const struct replay *replay, const struct pool_row *row)
{
	json_t *next = !row->next_waits ? json_null()
					: json_pack("{s:I,s:o,s:o}", "seed_minor",
						  (json_int_t)row->next.seed_minor, "row_rate",
						  decimal(row->next.row_rate_nano, 9), "share",
						  decimal(row->next.share_nano, 9));
	return json_pack("{s:s,s:I,s:I,s:o,s:o,s:o,s:o,s:I,s:I,s:o}", "currency", code_of(row),
		"coin_minor", (json_int_t)row->coin_minor, "seed_minor",
		(json_int_t)row->terms.seed_minor, "row_rate", decimal(row->terms.row_rate_nano, 9),
		"share", decimal(row->terms.share_nano, 9), "w", decimal(row->w_e18, 18), "r",
		decimal(row->r.e27, 27), "value_minor", (json_int_t)shown(replay, row), "hits",
		(json_int_t)row->hits, "next", next);
}

void replay_print_json(const struct replay *replay)
{
	const char *names[BOOKS];
	int128 values[BOOKS];
	bool ok = replay->where[0] == '\0';
	json_t *books = json_object();
	json_t *rows = json_array();
	books_of(replay, names, values);
	for (int i = 0; i < BOOKS; i++)
		json_object_set_new(books, names[i], decimal(values[i], 27));
	for (uint32_t i = 0; i < replay->pool.row_count; i++)
		json_array_append_new(rows, row_json(replay, &replay->pool.row[i]));
	json_t *difference = ok ? json_null()
				: json_pack("{s:s,s:s,s:s}", "where", replay->where, "found",
					  replay->found, "expected", replay->expected);
	json_t *root = json_pack("{s:i,s:b,s:I,s:I,s:s,s:o,s:s,s:I,s:o,s:o,s:o}", "pool",
		(int)replay->number, "ok", ok, "events", (json_int_t)replay->events, "folded",
		(json_int_t)replay->folded, "as_of", replay->last_time, "difference", difference,
		"status", pool_state_text(replay->pool.state), "hits",
		(json_int_t)replay->pool.hits, "t", decimal(replay->pool.t_e18, 18), "books", books,
		"rows", rows);
	json_print(root);
}
