#include "services/jackpot-cards/adapters/terms_store.h"

#include "libcommon/base/sha256.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/jackpot/io/jackpot_pg.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* 32 currencies of at most 50 bytes, and four weights. */
_Static_assert(TERMS_TEXT_MAX > 64 * CARD_SETS_ODDS_MAX + 128, "the text of a set fits");

static __attribute__((format(printf, 3, 4))) void add(
	char *out, size_t *length, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	*length += (size_t)vsnprintf(out + *length, TERMS_TEXT_MAX - *length, format, arguments);
	va_end(arguments);
}

/* Currencies in rising order, whatever their order in the file. */
static const struct card_set_odds *next_odds(const struct card_set_config *set, uint32_t after)
{
	const struct card_set_odds *next = NULL;

	for (size_t i = 0; i < set->odds_count; i++)
		if (set->odds[i].currency > after &&
			(next == NULL || set->odds[i].currency < next->currency))
			next = &set->odds[i];
	return next;
}

void terms_text(const struct card_set_config *set, char *out)
{
	size_t length = 0;
	uint32_t last = 0;

	add(out, &length, "{\"odds\":{");
	for (const struct card_set_odds *odds; (odds = next_odds(set, last)) != NULL;
		last = odds->currency)
		add(out, &length, "%s\"%" PRIu32 "\":[%" PRIu64 ",%" PRIu64 "]",
			last == 0 ? "" : ",", odds->currency, odds->in, odds->of);
	add(out, &length, "},\"weights\":[");
	for (int i = 0; i < CARD_SETS_LEVELS; i++)
		add(out, &length, "%s%" PRIu32, i == 0 ? "" : ",", set->weight[i]);
	add(out, &length, "]}");
}

/* Are these the odds that the newest row says? *number_r: of that row; 0: there is none. */
static bool in_force(PGconn *conn, uint32_t set, const struct card_set_odds *odds,
	const char *digest, int64_t *number_r)
{
	struct pg_args args = { 0 };
	bool same;

	pg_args_int(&args, set);
	pg_args_int(&args, odds->currency);
	pg_args_text(&args, digest);
	PGresult *rows = pg_args_query(&args, conn,
		"select number, odds_in, odds_of, digest = $3 from cards.set_odds where pool = $1 "
		"and currency = $2 order by number desc limit 1");
	same = PQntuples(rows) == 1 && pg_u64(rows, 0, 1) == odds->in &&
	       pg_u64(rows, 0, 2) == odds->of && PQgetvalue(rows, 0, 3)[0] == 't';
	*number_r = PQntuples(rows) == 1 ? pg_number(rows, 0, 0) : 0;
	PQclear(rows);
	return same;
}

static void odds_add(PGconn *conn, const struct card_set_config *set, const char *digest)
{
	for (size_t i = 0; i < set->odds_count; i++) {
		const struct card_set_odds *odds = &set->odds[i];
		struct pg_args args = { 0 };
		int64_t number;

		if (in_force(conn, set->number, odds, digest, &number))
			continue;
		pg_args_int(&args, set->number);
		pg_args_int(&args, odds->currency);
		pg_args_int(&args, number + 1);
		pg_args_int(&args, (int64_t)odds->in);
		pg_args_int(&args, (int64_t)odds->of);
		pg_args_text(&args, digest);
		pg_args_run(&args, conn,
			"insert into cards.set_odds (pool, currency, number, odds_in, odds_of, "
			"digest) values ($1, $2, $3, $4, $5, $6) on conflict do nothing");
	}
}

void terms_store_add(PGconn *conn, const struct card_sets *sets)
{
	char text[TERMS_TEXT_MAX], hex[2 * SHA256_BYTES + 3];
	uint8_t digest[SHA256_BYTES];

	for (size_t i = 0; i < sets->count; i++) {
		struct pg_args args = { 0 };
		struct sha256 sha;

		terms_text(&sets->set[i], text);
		sha256_begin(&sha);
		sha256_add(&sha, text, strlen(text));
		sha256_end(&sha, digest);
		pg_args_int(&args, sets->set[i].number);
		pg_args_text(&args, jackpot_hex(digest, sizeof(digest), hex));
		pg_args_text(&args, text);
		pg_args_run(&args, conn,
			"insert into cards.terms (pool, digest, terms) values ($1, $2, $3) on "
			"conflict do nothing");
		odds_add(conn, &sets->set[i], hex);
	}
}
