/* The message of a phase is enough to draw its screen: from the message and the public rules of the
 * game, the test rebuilds the bytes that the result digest covers. */
#include "libcommon/game/definition_load.h"
#include "services/spin-engine/adapters/view_phase.h"
#include "tests/support/game/feature_game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 1000
#define KINDS (PHASE_EXPLOSION + 1)

static struct arena arena;
static struct money total;

static uint32_t mask_of(const ProtobufCBinaryData *cells)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < cells->len; i++)
		mask |= UINT32_C(1) << cells->data[i];
	return mask;
}

/* The index of a text in a list that a function returns; fails if it is not in the list. */
static uint32_t index_of(const char *text, uint32_t count, const char *(*word)(uint32_t))
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(text, word(i)) == 0)
			return i;
	fail_msg("no such word: %s", text);
	return 0;
}

static const char *kind_word(uint32_t i)
{
	return phase_kind_text((enum phase_kind)i);
}

static const char *what_word(uint32_t i)
{
	return win_what_text((enum win_what)i);
}

static const char *unlock_word(uint32_t i)
{
	return unlock_kind_text((enum unlock_kind)i);
}

static const char *pick_word(uint32_t i)
{
	return pick_outcome_kind_text((enum pick_outcome_kind)i);
}

static const char *load_word(uint32_t i)
{
	static const char *const words[] = { "value", "mystery", "multiplier" };

	return words[i];
}

static void draws_back(const Carillon__Phase *message, struct phase *phase)
{
	char text[DRAW_TEXT_MAX];

	phase->draw_count = (uint32_t)message->n_draws;
	for (size_t i = 0; i < message->n_draws; i++) {
		struct draw *draw = &phase->draw[i];
		bool known = false;

		for (uint8_t meaning = 0; meaning <= DRAW_MEGA_WILD && !known; meaning++)
			for (uint8_t where = 0; where < GAME_CELLS_MAX && !known; where++) {
				*draw = (struct draw){ .meaning = meaning, .where = where };
				known = strcmp(draw_text(draw, text), message->draws[i]->meaning) ==
					0;
			}
		assert_true(known);
		draw->below = message->draws[i]->below;
		draw->value = message->draws[i]->value;
	}
}

static void wins_back(const Carillon__Phase *message, struct phase *phase)
{
	phase->win_count = (uint32_t)message->n_wins;
	for (size_t i = 0; i < message->n_wins; i++) {
		const Carillon__WinItem *item = message->wins[i];

		assert_true(item->name[0] != '\0');
		phase->win[i] = (struct win_item){ .what = (uint8_t)index_of(
							   item->what, WIN_JACKPOT + 1, what_word),
			.symbol = (uint8_t)item->symbol,
			.count = (uint8_t)item->count,
			.line = (uint8_t)item->line,
			.cells = mask_of(&item->cells),
			.multiplier = item->multiplier,
			.amount = money_of(item->amount_minor) };
	}
	phase->win_total = money_of(message->win_minor);
}

static void expect_loads(
	const struct game *game, const Carillon__Phase *message, struct phase *phase)
{
	for (size_t i = 0; i < message->n_loads; i++) {
		const Carillon__CellLoad *load = message->loads[i];
		struct cell_load *back = &phase->load[load->cell];

		phase->loaded |= UINT32_C(1) << load->cell;
		back->kind = (uint8_t)index_of(load->kind, HOLD_MULTIPLIER + 1, load_word);
		back->x = load->x;
		back->own = load->own;
		for (uint8_t a = 0; load->award[0] && a < game->hold.award_count; a++)
			if (strcmp(game->hold.award[a].id, load->award) == 0) {
				assert_string_equal(load->award_name, game->hold.award[a].name);
				assert_int_equal(load->award_x, game->hold.award[a].x);
				back->award = (uint8_t)(a + 1);
			}
	}
}

static void expect_collected(
	const struct game *game, const Carillon__Phase *message, struct phase *phase)
{
	for (size_t i = 0; i < message->n_features; i++)
		phase->features |= 1u << index_of(message->features[i], UNLOCK_KINDS, unlock_word);
	phase->explodes = message->explodes;
	for (size_t r = 0; r < message->potion_colours.len; r++)
		phase->collected_colour[r] = message->potion_colours.data[r];
	assert_int_equal(message->after != NULL, game->unlock.offered);
	if (!message->after)
		return;
	assert_true(message->after->stake_minor == total.minor);
	for (size_t i = 0; i < GAME_COLOURS; i++)
		phase->state.collectibles[i] = (uint8_t)message->after->potions[i];
	phase->state.unlocked = (uint8_t)(message->after->n_unlocked - 1);
	for (size_t i = 0; i < message->after->n_unlocked; i++)
		assert_string_equal(
			message->after->unlocked[i], unlock_kind_text(game->unlock.step[i].kind));
}

static void screen_back(
	const struct game *game, const Carillon__Phase *message, struct phase *phase)
{
	uint8_t set = 0;

	phase->reels = (uint8_t)game->reels;
	phase->rows = (uint8_t)game->rows;
	while (strcmp(game->strips[set].id, message->strips) != 0)
		assert_true(++set < game->strip_sets);
	phase->strips = set;
	for (size_t r = 0; r < game->reels; r++)
		phase->stop[r] = (uint16_t)(message->stops.data[2 * r] << 8 |
					    message->stops.data[2 * r + 1]);
	memcpy(phase->window, message->window.data, message->window.len);
	phase->covered = mask_of(&message->covered);
	phase->held = mask_of(&message->held);
	phase->landed = mask_of(&message->landed);
	phase->feature_cells = mask_of(&message->feature_cells);
}

/* What a client can derive from the rules: who must act before a phase, how many cells a mask has,
 * who won a battle. */
static void conclude(const struct game *game, const struct phase *was, struct phase *phase)
{
	phase->feature_count = (uint32_t)__builtin_popcount(phase->feature_cells);
	phase->scatter_award_won =
		phase->kind == PHASE_SCATTER_AWARD && phase->free_spins_awarded > 0;
	phase->needs_player = was->needs_player; /* sent as the round's `next`, before the phase */
	if (phase->kind == PHASE_BONUS) {
		phase->picks_needed = game->picks_made;
		phase->picks_offered = game->picks_offered;
	}
	phase->jackpot_hit = phase->claim_index > 0;
}

static void phase_back(const struct game *game, const Carillon__Phase *message,
	const struct phase *was, struct phase *phase)
{
	memset(phase, 0, sizeof(*phase));
	phase->index = message->index;
	phase->kind = (enum phase_kind)index_of(message->kind, KINDS, kind_word);
	screen_back(game, message, phase);
	wins_back(message, phase);
	draws_back(message, phase);
	expect_loads(game, message, phase);
	expect_collected(game, message, phase);
	phase->free_spins_awarded = message->free_spins_awarded;
	phase->free_spins_left = message->free_spins_left - message->free_spins_appended;
	phase->free_spins_appended = message->free_spins_appended;
	phase->respins_left = message->respins_left;
	phase->multiplier = message->multiplier;
	phase->claim_index = message->claim_index;
	if (phase->kind == PHASE_BONUS) {
		phase->outcome = (enum pick_outcome_kind)index_of(
			message->outcome, PICK_JACKPOT + 1, pick_word);
		phase->outcome_value = (uint32_t)message->outcome_value;
	}
	conclude(game, was, phase);
}

static void expect_same(const struct game *game, const struct phase *phase)
{
	static struct phase back;
	uint8_t was[PHASE_BYTES_MAX], is[PHASE_BYTES_MAX];
	Carillon__Phase *message = view_phase(&arena, game, total, phase);
	size_t length = phase_encode(phase, was);

	phase_back(game, message, phase, &back);
	if (phase_encode(&back, is) != length || memcmp(was, is, length) != 0)
		fail_msg("%s: a %s of bet %d cannot be put together again", game->id, message->kind,
			(int)total.minor);
	arena_reset(&arena);
}

/* Plays rounds of a mode one after the other with the carried state; adds the kinds of phases to
 * `seen`. */
static void play(const struct game *game, const struct bet *bet, uint32_t seen[KINDS])
{
	static struct phase phase;
	struct round_state state = { { 0 }, 0 };
	uint8_t key[RNG_KEY_BYTES] = { 9 };
	struct round round;
	struct rng rng;

	assert_int_equal(bet_total(bet, &total), BET_OK);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		key[1] = (uint8_t)i;
		key[2] = (uint8_t)(i >> 8);
		rng_init(&rng, key);
		assert_int_equal(round_begin(game, bet, &state, &rng, &round), ROUND_OK);
		while (round_next(&round, &phase) == ROUND_OK) {
			seen[phase.kind]++;
			expect_same(game, &phase);
			state = phase.state;
		}
	}
}

static void expect_kinds(const char *what, const uint32_t seen[KINDS], uint32_t kinds)
{
	for (uint32_t kind = 0; kind < KINDS; kind++)
		if ((kinds >> kind & 1) && seen[kind] == 0)
			fail_msg("%s: no %s came", what, kind_word(kind));
}

#define K(kind) (1u << (kind))

/* Every mode of the shipped games. */
static void test_view_phase_of_the_games(void **unused)
{
	static const struct {
		const char *id;
		uint32_t kinds;
	} rows[] = {
		{ "bewitched", K(PHASE_SCATTER_AWARD) | K(PHASE_BONUS) | K(PHASE_FREE_SPIN) },
		{ "mystic-gem", K(PHASE_SPIN) },
		{ "mystery-elves", K(PHASE_HOLD_RESPIN) | K(PHASE_HOLD_END) },
		{ "mona-lisa", K(PHASE_FREE_SPIN) | K(PHASE_STICKY_SPIN) },
		{ "witch-feature",
			K(PHASE_UNLOCK_RESPIN) | K(PHASE_EXPLOSION) | K(PHASE_FREE_SPIN) },
	};
	static struct game game;
	char path[256], error[DEFINITION_ERROR_MAX];

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t seen[KINDS] = { 0 };
		struct bet bet;
		struct money stake;

		snprintf(path, sizeof(path), "services/spin-engine/games/%s/definition.json",
			rows[i].id);
		if (definition_load(path, &game, error) != DEFINITION_OK)
			fail_msg("%s", error);
		assert_int_equal(bet_smallest(&game, FEATURE_EUR, &bet, &stake), BET_OK);
		bet.lines = game.lines_max;
		for (bet.mode = 0; bet.mode < game.mode_count; bet.mode++)
			play(&game, &bet, seen);
		expect_kinds(rows[i].id, seen, rows[i].kinds);
		definition_free(&game);
	}
}

/* A jackpot by symbols on a line: the message has the pool's name and no amount. */
static void test_view_phase_of_a_jackpot(void **unused)
{
	static struct game game;
	static struct phase phase;
	const Carillon__Phase *message;

	(void)unused;
	feature_game_hold(&game);
	strcpy(game.jackpot.pool_id, "the-pool");
	memset(&phase, 0, sizeof(phase));
	phase.reels = (uint8_t)game.reels;
	phase.rows = (uint8_t)game.rows;
	phase.win_count = 1;
	phase.win[0] = (struct win_item){ .what = WIN_JACKPOT, .count = 5, .line = 2, .cells = 9 };
	phase.jackpot_hit = true;
	phase.claim_index = 1;
	message = view_phase(&arena, &game, money_of(2), &phase);
	assert_int_equal(message->claim_index, 1);
	assert_string_equal(message->wins[0]->what, "jackpot");
	assert_string_equal(message->wins[0]->name, "the-pool");
	assert_int_equal(message->wins[0]->line, 2);
	assert_int_equal(mask_of(&message->wins[0]->cells), 9);
	arena_reset(&arena);
}

/* The carried state is absent in games without potions. */
static void test_view_carried(void **unused)
{
	static struct game game;
	const struct round_state state = { { 1, 0, 1 }, 2 };
	const Carillon__Carried *carried;

	(void)unused;
	feature_game_unlock(&game);
	carried = view_carried(&arena, &game, money_of(250), &state);
	assert_true(carried->stake_minor == 250 && carried->n_potions == GAME_COLOURS);
	assert_true(
		carried->potions[0] == 1 && carried->potions[1] == 0 && carried->potions[2] == 1);
	assert_int_equal(carried->n_unlocked, 3);
	assert_string_equal(carried->unlocked[2], unlock_kind_text(game.unlock.step[2].kind));
	arena_reset(&arena);
}

static int free_arena(void **unused)
{
	(void)unused;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_view_phase_of_the_games),
		cmocka_unit_test(test_view_phase_of_a_jackpot),
		cmocka_unit_test(test_view_carried),
	};

	return cmocka_run_group_tests(tests, NULL, free_arena);
}
