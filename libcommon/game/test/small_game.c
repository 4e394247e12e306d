#include "libcommon/game/test/small_game.h"

#include "tests/support/game/game_fixture.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REELS 5u

static void add_symbol(struct game *game, const char *text)
{
	static const char *const kinds[] = { "line", "wild", "scatter", "bonus", "jackpot",
		"potion" };
	struct game_symbol *symbol = &game->symbol[game->symbol_count];
	char kind[16] = "";

	symbol->id[0] = text[0];
	symbol->name[0] = text[0];
	assert_int_equal(sscanf(text + 1, " %15[a-z]", kind), 1);
	while (strcmp(kind, kinds[symbol->kind]) != 0)
		symbol->kind++;
	for (const char *p = text; *p && *p != ';'; p++)
		if (*p == ':')
			symbol->pay[p[-1] - '0'] = (uint32_t)atoi(p + 1);
	if (symbol->kind == SYMBOL_WILD)
		game->wild = (uint8_t)game->symbol_count;
	if (symbol->kind == SYMBOL_BONUS)
		game->bonus = (uint8_t)game->symbol_count;
	if (symbol->kind == SYMBOL_SCATTER)
		game->scatter[game->scatter_symbols++] = (uint8_t)game->symbol_count;
	game->symbol_count++;
}

void small_game(struct game *game, uint32_t rows, const char *symbols)
{
	static const int64_t coins[] = { 1, 2, 10, 100 };
	struct game_currency *currency = &game->currency[0];

	memset(game, 0, sizeof(*game));
	game->reels = REELS;
	game->rows = rows;
	game->wild = game->bonus = game->jackpot_symbols.symbol = GAME_NO_SYMBOL;
	game->free_spins.award_symbol = GAME_NO_SYMBOL;
	for (const char *p = symbols; p; p = strchr(p, ';') ? strchr(p, ';') + 1 : NULL)
		add_symbol(game, p);
	game->strip_sets = 1;
	game->mode_count = 1;
	strcpy(game->mode[0].id, "base");
	game->mode[0].price_hundredths = 100;
	game->line_count = game->lines_max = rows;
	for (uint32_t l = 0; l < rows; l++)
		memset(game->line[l], (int)l, REELS);
	game->lines_min = game->coins_min = 1;
	game->coins_max = 10;
	game->currency_count = 1;
	currency->number = SMALL_EUR;
	for (size_t i = 0; i < sizeof(coins) / sizeof(coins[0]); i++) {
		currency->coin_minor[i] = coins[i];
		currency->coin_buys[i] = true;
		currency->coin_count++;
	}
	currency->stake_min.minor = 1;
	currency->stake_max.minor = currency->price_max.minor = 1000000;
}

uint8_t small_symbol(const struct game *game, char letter)
{
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (game->symbol[s].id[0] == letter)
			return (uint8_t)s;
	fail_msg("no symbol for '%c'", letter);
	return 0;
}

void small_strips(struct game *game, uint32_t set, const char *const *windows, size_t count)
{
	for (uint32_t r = 0; r < game->reels; r++) {
		struct game_strip *strip = &game->strips[set].reel[r];

		strip->length = (uint32_t)count * game->rows;
		for (uint32_t i = 0; i < strip->length; i++) {
			const char *window = windows[i / game->rows];

			strip->stop_weight[i] = 1;
			strip->symbol[i] =
				small_symbol(game, window[i % game->rows * (game->reels + 1) + r]);
		}
	}
	if (set >= game->strip_sets)
		game->strip_sets = set + 1;
	game_compile(game);
}

size_t small_script(const struct game *game, const char *script, uint32_t *results)
{
	size_t count = 0;

	for (const char *p = script; *p; p += strcspn(p, " "), p += *p == ' ') {
		assert_true(count + game->reels < SMALL_SCRIPT_MAX);
		if (*p == '=')
			results[count++] = (uint32_t)atoi(p + 1);
		else
			for (uint32_t r = *p == '!'; r < game->reels; r++)
				results[count++] = (uint32_t)atoi(p + (*p == '!')) * game->rows;
	}
	return count;
}

void small_window(const struct game *game, const struct phase *phase, char *out, size_t room)
{
	assert_true(room > game->rows * (game->reels + 1));
	for (uint32_t row = 0; row < game->rows; row++) {
		for (uint32_t r = 0; r < game->reels; r++)
			*out++ = game->symbol[phase->window[r * game->rows + row]].id[0];
		*out++ = row + 1 < game->rows ? '/' : '\0';
	}
}

static bool same_bet(const struct bet *a, const struct bet *b)
{
	return a->currency == b->currency && a->coin_minor == b->coin_minor &&
	       a->lines == b->lines && a->coins == b->coins && a->mode == b->mode;
}

void small_round(const struct game *game, const struct bet *bet, const char *script, char *trace,
	size_t room)
{
	static struct phase phase;
	uint32_t results[SMALL_SCRIPT_MAX];
	size_t forced = small_script(game, script, results);
	uint8_t key[RNG_KEY_BYTES] = { 3 };
	enum round_status status;
	struct round round;
	struct rng rng;

	trace[0] = '\0';
	rng_init(&rng, key);
	rng_force(&rng, results, forced);
	assert_int_equal(round_begin(game, bet, NULL, &rng, &round), ROUND_OK);
	while ((status = round_next(&round, &phase)) == ROUND_OK) {
		/* RULE mona-lisa 3.19, 3.20; RULE witch-feature 6.13: one bet for all its spins */
		assert_true(same_bet(&round.bet, bet));
		assert_int_equal(round.line_bet.minor, bet->coin_minor * bet->coins);
		fixture_trace(game, &phase, trace, room);
		if (rng_drawn(&rng) > forced)
			break;
	}
	if (status != ROUND_DONE || rng_drawn(&rng) != forced || rng_forced_misfit(&rng))
		fail_msg("script \"%s\" of %zu draws, %llu drawn: %s", script, forced,
			(unsigned long long)rng_drawn(&rng), trace);
}
