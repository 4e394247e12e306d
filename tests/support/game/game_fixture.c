#include "tests/support/game/game_fixture.h"

#include "libcommon/game/definition_load.h"

#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct game *fixture_game(void)
{
	static struct game game;
	static bool loaded;
	char error[DEFINITION_ERROR_MAX];

	if (!loaded && definition_load(FIXTURE_DEFINITION, &game, error) != DEFINITION_OK)
		fail_msg("%s", error);
	loaded = true;
	return &game;
}

uint8_t fixture_symbol(const struct game *game, const char *two)
{
	static const char *const names[][2] = { { "WI", "wild" }, { "BA", "battle" },
		{ "MU", "wizard" }, { "WA", "wand" }, { "OW", "owl" }, { "CT", "cat" },
		{ "GR", "grimoire" }, { "CA", "cauldron" }, { "LA", "lantern" },
		{ "MA", "mandrake" }, { "TO", "toadstool" }, { "FE", "feather" },
		{ "MO", "moonstone" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (uint32_t s = 0; s < game->symbol_count; s++)
			if (strncmp(two, names[i][0], 2) == 0 &&
				strcmp(game->symbol[s].id, names[i][1]) == 0)
				return (uint8_t)s;
	fail_msg("no symbol for %.2s", two);
	return 0;
}

void fixture_windows(struct game *game, const char *const *windows, size_t count)
{
	*game = *fixture_game();
	for (size_t w = 0; w < count; w++) {
		const char *p = windows[w];

		for (uint32_t row = 0; row < game->rows; row++)
			for (uint32_t r = 0; r < game->reels; r++) {
				struct game_strip *strip = &game->strips[0].reel[r];

				strip->symbol[w * game->rows + row] = fixture_symbol(game, p);
				strip->stop_weight[w * game->rows + row] = 1;
				p += 2;
				if (*p)
					p++;
			}
	}
	for (uint32_t r = 0; r < game->reels; r++)
		game->strips[0].reel[r].length = (uint32_t)count * game->rows;
	game->mode[0].strips = game->free_spins.strips = 0;
	game_compile(game);
}

static uint32_t scatter_award_value(const struct game *game, uint32_t spins)
{
	for (uint32_t n = 0; n <= game->reels; n++) {
		uint32_t below = 0;

		for (uint32_t i = 0; i < game->scatter_award_count[n]; i++) {
			if (game->scatter_award[n][i].free_spins == spins && spins > 0)
				return below;
			below += game->scatter_award[n][i].weight;
		}
	}
	return 0;
}

static uint32_t pick_value(
	const struct game *game, const struct bet *bet, enum pick_outcome_kind kind, uint32_t value)
{
	int64_t below = 0, y = (int64_t)bet->lines * bet->coins;

	for (uint32_t i = 0; i < game->pick_outcome_count; i++) {
		if (game->pick_outcome[i].kind == kind && game->pick_outcome[i].value == value)
			return (uint32_t)below;
		below += game->pick_outcome[i].weight + game->pick_outcome[i].weight_per_coin * y;
	}
	fail_msg("no vial of kind %d and value %u", (int)kind, value);
	return 0;
}

size_t fixture_script(
	const struct game *game, const struct bet *bet, const char *script, uint32_t *results)
{
	size_t count = 0;

	for (const char *p = script; *p; p += strcspn(p, " "), p += *p == ' ') {
		assert_true(count + game->reels < FIXTURE_SCRIPT_MAX);
		if (isdigit((unsigned char)*p))
			for (uint32_t r = 0; r < game->reels; r++)
				results[count++] = (uint32_t)atoi(p) * game->rows;
		else if (*p == 'b')
			results[count++] = scatter_award_value(game, (uint32_t)atoi(p + 1));
		else if (p[1] == 'j')
			results[count++] = pick_value(game, bet, PICK_JACKPOT, 0);
		else
			results[count++] = pick_value(game, bet,
				p[1] == 'm' ? PICK_MONEY : PICK_FREE_SPINS, (uint32_t)atoi(p + 2));
	}
	return count;
}

void fixture_trace(const struct game *game, const struct phase *phase, char *out, size_t room)
{
	static const char *const needs[] = { "", "!picks", "!start" };
	size_t at = strlen(out);

#define ADD(...) at += (size_t)snprintf(out + at, at < room ? room - at : 0, __VA_ARGS__)
	ADD("%s%s", phase_kind_text(phase->kind), needs[phase->needs_player]);
	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *item = &phase->win[i];

		if (item->what == WIN_LINE)
			ADD(" L%u %s %u =%" PRId64, item->line, game->symbol[item->symbol].id,
				item->count, item->amount.minor);
		else
			ADD(" %s %u =%" PRId64, win_what_text((enum win_what)item->what),
				item->count, item->amount.minor);
	}
	if (phase->free_spins_awarded)
		ADD(" +%u", phase->free_spins_awarded);
	if (phase->respins_left)
		ADD(" respins %u", phase->respins_left);
	if (phase->free_spins_left || phase->free_spins_appended)
		ADD(" left %u", phase->free_spins_left);
	if (phase->free_spins_appended)
		ADD(" then %u", phase->free_spins_appended);
	if (phase->jackpot_hit)
		ADD(" jackpot %u", phase->claim_index);
	ADD("; ");
#undef ADD
	assert_true(at < room);
}
