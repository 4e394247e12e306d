#include "tests/support/game/feature_game.h"

#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- making a game -----------------------------------------------------------------------------
 */

static void add_symbol(struct game *game, char letter, enum symbol_kind kind, uint32_t pay3,
	uint32_t pay4, uint32_t pay5)
{
	struct game_symbol *symbol = &game->symbol[game->symbol_count++];

	*symbol = (struct game_symbol){ .id = { letter }, .name = { letter }, .kind = kind };
	symbol->pay[3] = pay3;
	symbol->pay[4] = pay4;
	symbol->pay[5] = pay5;
}

static uint8_t symbol_of(const struct game *game, char letter)
{
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (game->symbol[s].id[0] == letter)
			return (uint8_t)s;
	fail_msg("no symbol '%c'", letter);
	return 0;
}

static void begin(struct game *game, uint32_t rows)
{
	memset(game, 0, sizeof(*game));
	*game = (struct game){ .id = "feature",
		.number = 9,
		.version = 1,
		.reels = 5,
		.rows = rows,
		.bonus = GAME_NO_SYMBOL,
		.strip_sets = SET_COUNT,
		.mode_count = 1,
		.line_count = 2,
		.line = { { 1, 1, 1, 1, 1 }, { 0, 0, 0, 0, 0 } },
		.lines_min = 2,
		.lines_max = 2,
		.coins_min = 1,
		.coins_max = 1,
		.currency_count = 1,
		.resolve_after_hours = 120 };
	game->mode[0].price_hundredths = 100;
	game->currency[0] = (struct game_currency){ .number = FEATURE_EUR,
		.coin_count = 1,
		.coin_minor = { 5 },
		.stake_min = { 1 },
		.stake_max = { 1000000 },
		.price_max = { 1000000 } };
	game->free_spins.award_symbol = GAME_NO_SYMBOL;
	game->free_spins.line_multiplier = 1;
	game->jackpot_symbols.symbol = GAME_NO_SYMBOL;
	game->gamble.offered = false;
}

static void fill(struct choices *choices, uint32_t from, uint32_t to)
{
	for (uint32_t x = from; x <= to; x++)
		choices->of[choices->count++] = (struct choice){ .x = x, .weight = 1 };
}

static void fill_lines(struct game *game)
{
	add_symbol(game, 'A', SYMBOL_LINE, 5, 20, 100);
	add_symbol(game, 'K', SYMBOL_LINE, 2, 5, 10);
	add_symbol(game, 'Q', SYMBOL_LINE, 2, 5, 10);
	add_symbol(game, 'J', SYMBOL_LINE, 2, 5, 10);
}

static uint32_t rows_of(const char *window)
{
	uint32_t rows = 1;

	for (; *window; window++)
		rows += *window == '/';
	return rows;
}

/* Each window takes rows + 1 stops: what is above it, then itself. */
static void put_windows(struct game *game, uint32_t set, const char *const *windows, uint32_t count)
{
	for (uint32_t w = 0; w < count; w++) {
		const char *p = windows[w];
		uint32_t rows = rows_of(p), skip = game->rows + 1 - rows;

		assert_true(rows == game->rows || rows == game->rows + 1);
		for (uint32_t row = 0; row < rows; row++, p++)
			for (uint32_t r = 0; r < game->reels; r++) {
				uint8_t *strip = game->strips[set].reel[r].symbol;
				uint32_t at = w * (game->rows + 1) + skip + row;

				strip[at] = symbol_of(game, *p++);
				if (row == 0 && skip == 1)
					strip[at - 1] = symbol_of(game, 'J');
			}
	}
	for (uint32_t r = 0; r < game->reels; r++) {
		struct game_strip *strip = &game->strips[set].reel[r];

		strip->length = count * (game->rows + 1);
		for (uint32_t stop = 0; stop < strip->length; stop++)
			strip->stop_weight[stop] = 1;
	}
}

static void dull_sets(struct game *game)
{
	static const char *const dull[] = { "AKQJA/AKQJA/AKQJA", "AKQJA/AKQJA/AKQJA/AKQJA" };

	for (uint32_t set = 0; set < SET_COUNT; set++)
		put_windows(game, set, &dull[game->rows == 4], 1);
	game_compile(game);
}

void feature_game_hold(struct game *game)
{
	static const struct hold_award awards[] = { { "mini", "Mini", 20, 1, false },
		{ "minor", "Minor", 50, 1, false }, { "major", "Major", 100, 1, false },
		{ "grand", "Grand", 1000, 1, true } };

	begin(game, 3);
	add_symbol(game, 'W', SYMBOL_WILD, 0, 0, 0);
	add_symbol(game, 'B', SYMBOL_BONUS, 0, 0, 0);
	fill_lines(game);
	game->wild = symbol_of(game, 'W');
	game->bonus = symbol_of(game, 'B');
	game->hold = (struct hold_rules){ .offered = true,
		.symbol = game->bonus,
		.at_least = 6,
		.respins = 3,
		.cell = { 1, 18 },
		.mystery_weight = 1,
		.multiplier_weight = 1,
		.award_count = 4,
		.exclude_from = 3,
		.full_multiplier = 2 };
	memcpy(game->hold.award, awards, sizeof(awards));
	fill(&game->hold.value, 1, 18);
	fill(&game->hold.multiplier, 2, 5);
	dull_sets(game);
}

static void fill_collected(struct game *game)
{
	static const uint32_t multipliers[] = { 2, 3, 5, 8, 10 };
	static const uint32_t sets[] = { 1u << UNLOCK_HIGH_SYMBOLS, 1u << UNLOCK_RANDOM_WILDS,
		1u << UNLOCK_MULTIPLIER, 1u << UNLOCK_MEGA_WILD,
		1u << UNLOCK_MULTIPLIER | 1u << UNLOCK_HIGH_SYMBOLS,
		1u << UNLOCK_MULTIPLIER | 1u << UNLOCK_RANDOM_WILDS,
		1u << UNLOCK_MULTIPLIER | 1u << UNLOCK_MEGA_WILD };
	struct unlock_rules *rules = &game->unlock;

	for (uint32_t r = 0; r < game->reels; r++) {
		fill(&rules->wilds[r], 0, 1);
		fill(&rules->marks[r], 0, 2);
	}
	for (size_t i = 0; i < sizeof(multipliers) / sizeof(multipliers[0]); i++)
		fill(&rules->multiplier, multipliers[i], multipliers[i]);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		fill(&rules->free_set, sets[i], sets[i]);
	for (const char *p = "WAK"; *p; p++)
		fill(&rules->revealed, symbol_of(game, *p), symbol_of(game, *p));
	rules->mega_count = 2;
	rules->mega[0] = (struct mega_wild){ 1, 0x7u | 0x7u << 4 | 0x7u << 8 };
	rules->mega[1] = (struct mega_wild){ 1, 0x3u | 0x3u << 4 | 0xcu << 12 | 0xcu << 16 };
}

void feature_game_unlock(struct game *game)
{
	static const struct unlock_step steps[] = { { UNLOCK_HIGH_SYMBOLS, { 1, 1, 1 }, SET_HIGH },
		{ UNLOCK_RANDOM_WILDS, { 1, 2, 0 }, SET_WILDS },
		{ UNLOCK_MULTIPLIER, { 1, 0, 2 }, SET_MULTIPLIER },
		{ UNLOCK_MEGA_WILD, { 0, 2, 1 }, SET_MEGA } };

	begin(game, 4);
	add_symbol(game, 'W', SYMBOL_WILD, 10, 40, 200);
	fill_lines(game);
	add_symbol(game, 'F', SYMBOL_SCATTER, 0, 0, 0);
	add_symbol(game, 'r', SYMBOL_COLLECTIBLE, 0, 0, 0);
	add_symbol(game, 'b', SYMBOL_COLLECTIBLE, 0, 0, 0);
	add_symbol(game, 'g', SYMBOL_COLLECTIBLE, 0, 0, 0);
	game->wild = symbol_of(game, 'W');
	game->scatter_symbols = 1;
	game->scatter[0] = symbol_of(game, 'F');
	game->free_spins = (struct free_spins_rules){ .offered = true,
		.strips = SET_FREE,
		.line_multiplier = 1,
		.award_symbol = game->scatter[0] };
	game->free_spins.award[CONTEXT_BASE][2] = 2;
	game->free_spins.award[CONTEXT_FREE][1] = 1;
	game->free_spins.award[CONTEXT_FREE][2] = 2;
	game->unlock = (struct unlock_rules){ .offered = true,
		.symbol = { symbol_of(game, 'r'), symbol_of(game, 'b'), symbol_of(game, 'g') },
		.step_count = 4,
		.explosion = { 1, 4 },
		.explosion_locked = { { 0, 1 }, { 1, 5 }, { 1, 6 }, { 1, 7 } },
		.free_feature = { 1, 8 } };
	memcpy(game->unlock.step, steps, sizeof(steps));
	fill_collected(game);
	dull_sets(game);
}

void feature_windows(
	struct game *game, enum feature_set set, const char *const *windows, uint32_t count)
{
	put_windows(game, set, windows, count);
	game_compile(game);
}

/* ---- scripts and traces ------------------------------------------------------------------------
 */

static uint32_t forced_value(const struct game *game, char letter, uint32_t number)
{
	switch (letter) {
	case 'w':
		return number * (game->rows + 1) + 1;
	case 'y':
		return 0;
	case 'n':
		return 1;
	case 'v':
	case 'o':
		return number - 1;
	case '*':
		return number - 2;
	case 'm':
		return 18;
	case 'x':
		return 19;
	default:
		return number;
	}
}

size_t feature_script(const struct game *game, const char *script, uint32_t *results)
{
	size_t count = 0;

	for (const char *p = script; *p; p += strcspn(p, " "), p += *p == ' ') {
		char letter = *p;
		bool has_number = isdigit((unsigned char)p[1]) != 0;
		uint32_t number = has_number ? (uint32_t)atoi(p + 1) : 0;
		uint32_t times = letter == 'w'		       ? game->reels
				 : letter == 'n' && has_number ? number
							       : 1;

		assert_true(count + times <= FEATURE_SCRIPT_MAX);
		for (uint32_t i = 0; i < times; i++)
			results[count++] = forced_value(game, letter, number);
	}
	return count;
}

struct text {
	char *out;
	size_t at, room;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	text->at += (size_t)vsnprintf(text->out + text->at, text->room - text->at, format, list);
	va_end(list);
	assert_true(text->at < text->room);
}

static void trace_load(struct text *text, const struct game *game, const struct phase *phase)
{
	uint32_t shown = phase->kind == PHASE_HOLD_RESPIN ? phase->landed : phase->loaded;

	for (uint32_t rest = shown; rest; rest &= rest - 1) {
		uint32_t cell = (uint32_t)__builtin_ctz(rest);
		const struct cell_load *load = &phase->load[cell];

		add(text, " %u:", cell);
		if (load->kind == HOLD_VALUE)
			add(text, "%u", load->x);
		else if (load->kind == HOLD_MYSTERY)
			add(text, "%s", load->award ? game->hold.award[load->award - 1].id : "?");
		else if (load->x)
			add(text, "x%u", load->x);
		else
			add(text, "x");
		if (load->own)
			add(text, "+%u", load->own);
	}
}

static void trace_wins(struct text *text, const struct game *game, const struct phase *phase)
{
	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *item = &phase->win[i];

		if (item->what == WIN_LINE)
			add(text, " L%u %s%u", item->line, game->symbol[item->symbol].id,
				item->count);
		else
			add(text, " %s %d", win_what_text((enum win_what)item->what),
				__builtin_ctz(item->cells));
		if (item->multiplier != 1)
			add(text, " x%u", item->multiplier);
		add(text, " =%" PRId64, item->amount.minor);
	}
}

static void trace_collected(struct text *text, const struct phase *phase)
{
	static const char colours[] = { '?', 'r', 'b', 'g' };

	for (uint32_t r = 0; r < phase->reels; r++)
		if (phase->collected_colour[r])
			add(text, " %c%u", colours[phase->collected_colour[r]], r + 1);
	for (uint32_t kind = 0; kind < UNLOCK_KINDS; kind++)
		if (phase->features & UINT32_C(1) << kind)
			add(text, " %s", unlock_kind_text((enum unlock_kind)kind));
	if (phase->explodes)
		add(text, " explodes");
	add(text, " {%u%u%u %u}", phase->state.collectibles[0], phase->state.collectibles[1],
		phase->state.collectibles[2], phase->state.unlocked);
}

void feature_trace(const struct game *game, const struct phase *phase, char *out, size_t room)
{
	struct text text = { out, strlen(out), room };

	add(&text, "%s", phase_kind_text(phase->kind));
	if (game->hold.offered)
		trace_load(&text, game, phase);
	if (phase->respins_left)
		add(&text, " left %u", phase->respins_left);
	if (game->unlock.offered && phase->covered)
		add(&text, " wild %05x", phase->covered);
	trace_wins(&text, game, phase);
	if (phase->free_spins_awarded)
		add(&text, " +%u", phase->free_spins_awarded);
	if (phase->free_spins_left || phase->free_spins_appended)
		add(&text, " free %u+%u", phase->free_spins_left, phase->free_spins_appended);
	if (game->unlock.offered)
		trace_collected(&text, phase);
	add(&text, "; ");
}

/* ---- rounds ------------------------------------------------------------------------------------
 */

void feature_check_phase(const struct game *game, const struct phase *phase)
{
	uint32_t cells = (UINT32_C(1) << game->reels * game->rows) - 1;
	uint32_t collectibles = 0;
	int64_t sum = 0;

	for (uint32_t i = 0; i < phase->win_count; i++) {
		assert_true(phase->win[i].amount.minor > 0);
		assert_true(phase->win[i].cells != 0 && (phase->win[i].cells & ~cells) == 0);
		sum += phase->win[i].amount.minor;
	}
	assert_int_equal(sum, phase->win_total.minor);
	for (uint32_t i = 0; i < phase->draw_count; i++)
		assert_true(phase->draw[i].value < phase->draw[i].below);
	for (uint32_t cell = 0; cell < game->reels * game->rows; cell++)
		assert_true(phase->window[cell] < game->symbol_count);
	assert_int_equal((phase->covered | phase->held | phase->landed) & ~cells, 0);
	for (uint32_t c = 0; c < GAME_COLOURS; c++)
		collectibles += phase->state.collectibles[c];
	assert_true(collectibles <= 2);
	assert_true(phase->state.unlocked == 0 || phase->state.unlocked < game->unlock.step_count);
}

void feature_round(const char *what, const struct game *game, struct round_state *state,
	const char *script, const char *expected)
{
	static struct phase phase;
	struct bet bet = { .currency = FEATURE_EUR, .coin_minor = 5, .lines = 2, .coins = 1 };
	uint32_t results[FEATURE_SCRIPT_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 7 };
	char trace[FEATURE_TRACE_MAX] = "";
	size_t forced = feature_script(game, script, results), drawn = 0;
	enum round_status status;
	struct round round;
	struct rng rng;

	rng_init(&rng, key);
	rng_force(&rng, results, forced);
	assert_int_equal(round_begin(game, &bet, state, &rng, &round), ROUND_OK);
	while ((status = round_next(&round, &phase)) == ROUND_OK) {
		feature_trace(game, &phase, trace, sizeof(trace));
		feature_check_phase(game, &phase);
		for (uint32_t i = 0; i < phase.draw_count && drawn < forced; i++)
			assert_int_equal(phase.draw[i].value, results[drawn++]);
		if (state)
			*state = phase.state;
		if (rng_drawn(&rng) > forced)
			break;
	}
	if (strcmp(trace, expected) != 0)
		fail_msg("%s:\n found    %s\n expected %s", what, trace, expected);
	if (rng_forced_misfit(&rng) || rng_drawn(&rng) != forced || status != ROUND_DONE)
		fail_msg("%s: misfit %d, drawn %" PRIu64 " of %zu, status %d", what,
			rng_forced_misfit(&rng), rng_drawn(&rng), forced, (int)status);
}
