#include "services/jackpot-cards/adapters/terms_store.h"

#include "libcommon/base/sha256.h"
#include "libcommon/io/log.h"
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

/* The newest row of a currency, beside the odds of a file. */
struct newest {
	int64_t number; /* 0: there is none */
	bool same_odds, same_file;
	bool older; /* the file was in force before this row, and was replaced */
};

static struct newest newest_of(
	PGconn *conn, uint32_t set, const struct card_set_odds *odds, const char *digest)
{
	struct pg_args args = { 0 };
	struct newest newest = { 0 };

	pg_args_int(&args, set);
	pg_args_int(&args, odds->currency);
	pg_args_text(&args, digest);
	PGresult *rows = pg_args_query(&args, conn,
		"select s.number, s.odds_in, s.odds_of, s.digest = $3, exists (select from "
		"cards.set_odds o where o.pool = s.pool and o.currency = s.currency and o.number < "
		"s.number and o.digest = $3) from cards.set_odds s where s.pool = $1 and "
		"s.currency = $2 order by s.number desc limit 1");
	if (PQntuples(rows) == 1) {
		newest.number = pg_number(rows, 0, 0);
		newest.same_odds = pg_u64(rows, 0, 1) == odds->in && pg_u64(rows, 0, 2) == odds->of;
		newest.same_file = PQgetvalue(rows, 0, 3)[0] == 't';
		newest.older = PQgetvalue(rows, 0, 4)[0] == 't';
	}
	PQclear(rows);
	return newest;
}

/* A file that was replaced is probably an old one on this machine: it changes no odds. */
static void odds_add(PGconn *conn, const struct card_set_config *set, const char *digest)
{
	for (size_t i = 0; i < set->odds_count; i++) {
		const struct card_set_odds *odds = &set->odds[i];
		const struct newest newest = newest_of(conn, set->number, odds, digest);
		struct pg_args args = { 0 };

		if (newest.same_odds && (newest.same_file || newest.older))
			continue;
		if (newest.older) {
			log_error_as("cards.terms.replaced",
				"ALARM set %" PRIu32 ": found a file whose odds of currency "
				"%" PRIu32 " were replaced, expected the newest file; the newer "
				"odds stay in force. To go back to these odds, write them as "
				"another fraction, such as 2 in 200 for 1 in 100",
				set->number, odds->currency);
			continue;
		}
		pg_args_int(&args, set->number);
		pg_args_int(&args, odds->currency);
		pg_args_int(&args, newest.number + 1);
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
