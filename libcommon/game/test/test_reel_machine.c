/* The automaton of all windows against the engine's own line evaluation, window by window. */
#include "libcommon/game/lines.h"
#include "libcommon/game/core/reels.h"
#include "libcommon/game/reel_machine.h"
#include "libcommon/game/test/random_game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GAMES 300
#define FIRST_SEED 20240601u

struct row {
	uint64_t key; /* tag << 33 | jackpot << 32 | win */
	uint64_t count;
};

struct rows {
	struct row *row;
	size_t count, room;
};

static int by_key(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Sorts and joins. */
static void rows_join(struct rows *rows)
{
	size_t kept = 0;

	qsort(rows->row, rows->count, sizeof(*rows->row), by_key);
	for (size_t i = 0; i < rows->count; i++) {
		if (kept > 0 && rows->row[kept - 1].key == rows->row[i].key)
			rows->row[kept - 1].count += rows->row[i].count;
		else
			rows->row[kept++] = rows->row[i];
	}
	rows->count = kept;
}

static void rows_add(struct rows *rows, uint64_t key, uint64_t count)
{
	if (rows->count == rows->room) {
		rows->room = rows->room == 0 ? 4096 : rows->room * 2;
		rows->row = realloc(rows->row, rows->room * sizeof(*rows->row));
		assert_non_null(rows->row);
	}
	rows->row[rows->count++] = (struct row){ key, count };
}

struct sample {
	uint32_t seed;
	struct game *game;
	uint32_t wild_reels, lines;
	uint32_t tag_of[GAME_SYMBOLS_MAX];
	struct line_terms terms;
	struct machine_column column[GAME_REELS_MAX][GAME_STRIP_MAX];
	struct machine_input input;
};

static const uint32_t rising[] = { 1, 2, 3, 5 };

static void sample_make(struct sample *sample, uint32_t seed, struct game *game)
{
	static const struct random_shape shape = { 5, 4, 8, 12 };
	struct dice dice_at_seed = { seed }, *dice = &dice_at_seed;

	random_game(dice, &shape, game);
	*sample = (struct sample){
		.seed = seed, .game = game, .lines = 1 + dice_below(dice, game->line_count)
	};
	sample->wild_reels = dice_chance(dice, 1, 4) ? 1u << dice_below(dice, game->reels) : 0;
	sample->tag_of[1] = 1;
	sample->tag_of[2] = dice_chance(dice, 1, 2) ? 1u << 8 : 0;
	sample->terms =
		(struct line_terms){ .multiplier = 1, .progressive = dice_chance(dice, 1, 2) };
	sample->input = (struct machine_input){
		.game = game, .lines = sample->lines, .no_jackpot_pay = sample->terms.progressive
	};
	if (dice_chance(dice, 1, 3)) {
		sample->terms.wild_multiplier = sample->input.wild_multiplier = rising;
		sample->terms.wild_multiplier_count = sample->input.wild_multiplier_count =
			1 + dice_below(dice, 4);
	}
	for (uint32_t r = 0; r < game->reels; r++)
		sample->input.reel[r] = (struct machine_reel){ sample->column[r],
			machine_columns(game, 0, r, sample->wild_reels, sample->tag_of,
				sample->column[r]) };
}

/* What the engine pays in this window, as a key. */
static uint64_t window_key(const struct sample *sample, const uint8_t *window)
{
	const struct game *game = sample->game;
	uint64_t win = 0, jackpot = 0, tag = 0;

	for (uint32_t l = 0; l < sample->lines; l++) {
		struct line_pay pay = line_best(game, window, l, &sample->terms);

		win += pay.coins;
		jackpot |= pay.jackpot;
	}
	for (uint32_t cell = 0; cell < game->reels * game->rows; cell++)
		if ((sample->wild_reels >> (cell / game->rows) & 1) == 0)
			tag += sample->tag_of[window[cell]];
	return tag << 33 | jackpot << 32 | win;
}

/* Every combination of stops, plainly; also asks the machine about each. */
static void brute_force(
	const struct sample *sample, const struct reel_machine *machine, struct rows *rows)
{
	const struct game *game = sample->game;
	uint32_t stop[GAME_REELS_MAX] = { 0 }, r = 0;

	while (r < game->reels) {
		uint8_t window[GAME_CELLS_MAX];
		uint64_t weight = 1, key, gain = 0, jackpot = 0, tag = 0;
		uint32_t state = 0;

		for (r = 0; r < game->reels; r++) {
			const struct machine_reel_states *reel = &machine->reel[r];
			struct reel_column column;
			size_t at;

			reel_column(game, 0, r, stop[r], sample->wild_reels, &column);
			memcpy(&window[r * game->rows], column.symbol, game->rows);
			weight *= game->strips[0].reel[r].stop_weight[stop[r]];
			at = (size_t)state * reel->columns + reel->column_of[stop[r]];
			gain += reel->gain[at] & ~MACHINE_JACKPOT;
			jackpot |= reel->gain[at] / MACHINE_JACKPOT;
			tag += reel->tag[reel->column_of[stop[r]]];
			state = reel->next[at];
		}
		key = window_key(sample, window);
		if (key != (tag << 33 | jackpot << 32 | gain))
			fail_msg("seed %u: the engine pays %#lx, the machine %#lx", sample->seed,
				(unsigned long)key,
				(unsigned long)(tag << 33 | jackpot << 32 | gain));
		rows_add(rows, key, weight);
		for (r = 0; r < game->reels && ++stop[r] == game->strips[0].reel[r].length; r++)
			stop[r] = 0;
	}
	rows_join(rows);
}

static void compare(
	const struct sample *sample, const struct reel_machine *machine, const struct rows *rows)
{
	exact_count total = 0;
	size_t count;
	struct machine_outcome *outcome = reel_machine_distribution(machine, &count);
	uint64_t last = 0;

	assert_non_null(outcome);
	if (count != rows->count)
		fail_msg("seed %u: found %zu rows, expected %zu", sample->seed, count, rows->count);
	for (size_t i = 0; i < count; i++) {
		uint64_t key = (uint64_t)outcome[i].tag << 33 |
			       (uint64_t)outcome[i].jackpots << 32 | outcome[i].win;

		if (key != rows->row[i].key || outcome[i].count != rows->row[i].count ||
			(i > 0 && key <= last))
			fail_msg("seed %u: row %zu differs", sample->seed, i);
		last = key;
		total += outcome[i].count;
	}
	assert_true(total == machine->total);
	free(outcome);
}

static void test_machine_is_the_engine_window_by_window(void **unused)
{
	static struct game game;
	static struct sample sample;

	(void)unused;
	for (uint32_t seed = FIRST_SEED; seed < FIRST_SEED + GAMES; seed++) {
		struct rows rows = { 0 };
		struct reel_machine *machine;

		sample_make(&sample, seed, &game);
		machine = reel_machine_new(&sample.input);
		assert_non_null(machine);
		brute_force(&sample, machine, &rows);
		compare(&sample, machine, &rows);
		reel_machine_free(&machine);
		assert_null(machine);
		free(rows.row);
	}
}

/* Counts of more than 64 bits: weights of composed columns may be that large. */
static void test_counts_have_128_bits(void **unused)
{
	static struct game game;
	static struct sample sample;
	struct reel_machine *machine;
	struct machine_outcome *outcome;
	exact_count total = 0, expected = 1;
	size_t count;

	(void)unused;
	sample_make(&sample, 7, &game);
	for (uint32_t r = 0; r < game.reels; r++) {
		uint64_t weight = 0;

		for (uint32_t c = 0; c < sample.input.reel[r].count; c++) {
			sample.column[r][c].weight *= UINT64_C(1) << 20;
			weight += sample.column[r][c].weight;
		}
		expected *= weight;
	}
	machine = reel_machine_new(&sample.input);
	assert_non_null(machine);
	outcome = reel_machine_distribution(machine, &count);
	assert_non_null(outcome);
	for (size_t i = 0; i < count; i++)
		total += outcome[i].count;
	assert_true(total == expected && machine->total == expected);
	assert_true(expected >> 64 != 0);
	free(outcome);
	reel_machine_free(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine_is_the_engine_window_by_window),
		cmocka_unit_test(test_counts_have_128_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
