/* Counts how often each bet was placed through this gateway, and adds the counts to gateway.bet_mix
 * every few seconds. A statistic for forecasts: the journal has stakes, but not the coin values of
 * which they consist. */
#include "services/gateway/adapters/reports.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 512 /* of bets between two notes; others are not counted */
#define NOTE_US (5 * SECOND_US)

static struct {
	struct kind {
		char mode[SLUG_MAX + 1];
		uint32_t game, currency, lines, coins;
		int64_t coin_minor, rounds;
	} kind[KINDS_MAX];
	size_t n;
	bool asking;
	uint64_t next_us;
} mix;

static bool same(const struct kind *a, const struct kind *b)
{
	return a->game == b->game && a->currency == b->currency && a->lines == b->lines &&
	       a->coins == b->coins && a->coin_minor == b->coin_minor &&
	       strcmp(a->mode, b->mode) == 0;
}

static void count(const struct kind *bet)
{
	size_t i = 0;

	while (i < mix.n && !same(&mix.kind[i], bet))
		i++;
	if (i == KINDS_MAX)
		return;
	if (i == mix.n) {
		mix.kind[i] = *bet;
		mix.n++;
	}
	mix.kind[i].rounds++;
}

void bet_mix_count(const Carillon__SpinReply *reply)
{
	const Carillon__RoundView *round = reply->round;
	const struct currency *currency = currency_by_code(reply->currency);
	struct kind bet = { 0 };

	if (reply->http_status != 200 || reply->bet_not_placed || round == NULL ||
		round->bet == NULL || currency == NULL)
		return;
	bet.game = game_number(round->game);
	bet.currency = currency->number;
	bet.coin_minor = round->bet->coin_minor;
	bet.lines = round->bet->lines;
	bet.coins = round->bet->coins;
	(void)snprintf(bet.mode, sizeof(bet.mode), "%s", round->bet->mode);
	if (bet.game != 0)
		count(&bet);
}

static void on_noted(void *context, PGresult *result, const char *error)
{
	(void)context;
	mix.asking = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		log_warn_as("gateway.bet_mix.failed", "noting which bets were placed: %s",
			error != NULL ? error : PQresultErrorMessage(result));
}

void bet_mix_tick(void)
{
	uint64_t now_us = clock_mono_us();
	json_t *list;
	char *text;

	if (mix.n == 0 || mix.asking || now_us < mix.next_us)
		return;
	list = json_array();
	for (size_t i = 0; i < mix.n; i++) {
		const struct kind *bet = &mix.kind[i];

		json_array_append_new(
			list, json_pack("{s:I, s:s, s:I, s:I, s:I, s:I, s:I}", "game",
				      (json_int_t)bet->game, "mode", bet->mode, "currency",
				      (json_int_t)bet->currency, "coin_minor",
				      (json_int_t)bet->coin_minor, "lines", (json_int_t)bet->lines,
				      "coins", (json_int_t)bet->coins, "rounds",
				      (json_int_t)bet->rounds));
	}
	text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	if (text == NULL)
		fatal("out of memory");
	const char *parameters[] = { text };
	mix.n = 0;
	mix.asking = true;
	mix.next_us = now_us + NOTE_US;
	pg_pool_query(rollups_pool(), "select gateway.bets_note($1::json)", 1, parameters,
		REPORT_MS, on_noted, NULL);
	free(text);
}
