/* The canonical form of a phase: every field that a screen shows is in it, the largest phase fits,
 * and the words for its parts. */
#include "libcommon/game/round.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A phase with every part: no round makes it, and each field of it counts. */
static void full_phase(struct phase *phase)
{
	memset(phase, 0, sizeof(*phase));
	phase->index = 3;
	phase->kind = PHASE_BONUS;
	phase->needs_player = NEEDS_PICKS;
	phase->picks_needed = 3;
	phase->picks_offered = 9;
	phase->reels = 5;
	phase->rows = 3;
	phase->strips = 1;
	phase->covered = 1;
	phase->held = 2;
	phase->landed = 4;
	phase->loaded = 1;
	phase->load[0] = (struct cell_load){ HOLD_MYSTERY, 1, 20, 2 };
	phase->win_count = 1;
	phase->win[0] = (struct win_item){ WIN_LINE, 1, 3, 1, 7, 2, { 100 } };
	phase->win_total.minor = 100;
	phase->feature_cells = 7;
	phase->feature_count = 3;
	phase->scatter_award_won = true;
	phase->outcome = PICK_FREE_SPINS;
	phase->outcome_value = 15;
	phase->free_spins_awarded = 1;
	phase->free_spins_left = 2;
	phase->free_spins_appended = 3;
	phase->respins_left = 1;
	phase->multiplier = 2;
	phase->features = 1;
	phase->explodes = true;
	phase->collected_colour[1] = 1;
	phase->state = (struct round_state){ { 1, 0, 0 }, 1 };
	phase->jackpot_hit = true;
	phase->claim_index = 1;
	phase->draw_count = 1;
	phase->draw[0] = (struct draw){ DRAW_CELL_LANDS, 3, UINT64_C(1) << 40, 5 };
}

#define FIELD(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct phase, name)                                                \
	}

/* The lowest bit of each field changes the bytes. */
static void test_phase_encode_covers_every_field(void **unused)
{
	static const struct {
		const char *name;
		size_t at;
	} fields[] = { FIELD(index), FIELD(kind), FIELD(needs_player), FIELD(picks_needed),
		FIELD(picks_offered), FIELD(strips), FIELD(stop[0]), FIELD(stop[4]),
		FIELD(window[0]), FIELD(window[14]), FIELD(covered), FIELD(held), FIELD(landed),
		FIELD(loaded), FIELD(load[0].kind), FIELD(load[0].award), FIELD(load[0].x),
		FIELD(load[0].own), FIELD(win_count), FIELD(win[0].what), FIELD(win[0].symbol),
		FIELD(win[0].count), FIELD(win[0].line), FIELD(win[0].cells),
		FIELD(win[0].multiplier), FIELD(win[0].amount), FIELD(win_total),
		FIELD(feature_cells), FIELD(feature_count), FIELD(scatter_award_won),
		FIELD(outcome), FIELD(outcome_value), FIELD(free_spins_awarded),
		FIELD(free_spins_left), FIELD(free_spins_appended), FIELD(respins_left),
		FIELD(multiplier), FIELD(features), FIELD(explodes), FIELD(collected_colour[0]),
		FIELD(collected_colour[4]), FIELD(state.collectibles[0]),
		FIELD(state.collectibles[2]), FIELD(state.unlocked), FIELD(jackpot_hit),
		FIELD(claim_index), FIELD(draw_count), FIELD(draw[0].meaning), FIELD(draw[0].where),
		FIELD(draw[0].below), FIELD(draw[0].value), FIELD(reels), FIELD(rows) };
	static struct phase phase;
	uint8_t bytes[PHASE_BYTES_MAX], other[PHASE_BYTES_MAX];
	size_t count;

	(void)unused;
	full_phase(&phase);
	count = phase_encode(&phase, bytes);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t again;

		full_phase(&phase);
		((uint8_t *)&phase)[fields[i].at] ^= 1;
		again = phase_encode(&phase, other);
		if (again == count && memcmp(bytes, other, count) == 0)
			fail_msg("%s is not in the canonical form", fields[i].name);
	}
}

/* Fields that a phase lacks are not in it, so that one of them cannot pass for another. */
static void test_phase_encode_of_a_plain_spin(void **unused)
{
	static struct phase phase;
	uint8_t bytes[PHASE_BYTES_MAX];
	static const uint8_t expected[] = { 0, 0, 0, 0x31, 0, /* kind, index, parts, grid, set */
		9, 8, 7,				      /* window */
		3, 0, 10, 7, 1, 0xac, 4, 0xac, 2, 2, 9, 0 };  /* draws: 7 of 10, 300 of 556, .. */
	static const uint8_t weighted[] = { 0, 0, 2, 0x31, 0, 7, 0x80, 1, 0 }; /* stops 7, 128, 0 */

	(void)unused;
	memset(&phase, 0, sizeof(phase));
	phase.reels = 3;
	phase.rows = 1;
	phase.multiplier = 1;
	phase.stop[0] = 7;
	phase.stop[1] = 300;
	memcpy(phase.window, "\11\10\7", 3);
	phase.draw_count = 3;
	phase.draw[0] = (struct draw){ DRAW_STOP, 0, 10, 7 };
	phase.draw[1] = (struct draw){ DRAW_STOP, 1, 556, 300 };
	phase.draw[2] = (struct draw){ DRAW_STOP, 2, 9, 0 };
	assert_int_equal(phase_encode(&phase, bytes), sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
	phase.stop[1] = 128; /* the draw of 300 means another stop on a weighted strip */
	assert_int_equal(phase_encode(&phase, bytes), sizeof(expected) + 4);
	assert_memory_equal(bytes, weighted, sizeof(weighted));
}

static void test_phase_encode_largest(void **unused)
{
	static struct phase phase;
	static uint8_t bytes[PHASE_BYTES_MAX];

	(void)unused;
	full_phase(&phase);
	phase.reels = GAME_REELS_MAX;
	phase.rows = GAME_CELLS_MAX / GAME_REELS_MAX;
	phase.index = phase.covered = phase.held = phase.landed = UINT32_MAX;
	phase.feature_cells = phase.features = phase.claim_index = UINT32_MAX;
	phase.free_spins_awarded = phase.free_spins_left = UINT32_MAX;
	phase.free_spins_appended = phase.respins_left = phase.multiplier = UINT32_MAX;
	phase.picks_needed = phase.picks_offered = phase.outcome_value = UINT32_MAX;
	phase.feature_count = phase.loaded = UINT32_MAX;
	phase.win_total.minor = -1;
	memset(phase.stop, 0xff, sizeof(phase.stop));
	memset(phase.load, 0xff, sizeof(phase.load));
	memset(phase.win, 0xff, sizeof(phase.win));
	memset(phase.draw, 0xff, sizeof(phase.draw));
	for (uint32_t i = 0; i < PHASE_DRAWS_MAX; i++)
		phase.draw[i].where = GAME_CELLS_MAX - 1;
	phase.win_count = PHASE_WINS_MAX;
	phase.draw_count = PHASE_DRAWS_MAX;
	assert_true(phase_encode(&phase, bytes) <= PHASE_BYTES_MAX);
}

static void test_draw_texts(void **unused)
{
	char text[DRAW_TEXT_MAX];

	(void)unused;
	for (uint32_t m = 0; m <= DRAW_MEGA_WILD; m++)
		for (uint32_t w = 0; w < GAME_CELLS_MAX; w++) {
			struct draw draw = { (uint8_t)m, (uint8_t)w, 2, 1 };

			assert_true(strlen(draw_text(&draw, text)) < DRAW_TEXT_MAX - 1);
			assert_string_not_equal(text, "unknown");
		}
	assert_string_equal(draw_text(&(struct draw){ DRAW_STOP, 0, 2, 1 }, text), "stop reel 1");
	assert_string_equal(draw_text(&(struct draw){ DRAW_CELL_OWN_VALUE, 29, 2, 1 }, text),
		"own value of cell 30");
	assert_string_equal(draw_text(&(struct draw){ 99, 0, 2, 1 }, text), "unknown");
	for (int k = PHASE_SPIN; k <= PHASE_EXPLOSION; k++)
		assert_string_not_equal(phase_kind_text((enum phase_kind)k), "unknown");
	for (int w = WIN_LINE; w <= WIN_JACKPOT; w++)
		assert_string_not_equal(win_what_text((enum win_what)w), "unknown");
	for (int k = 0; k < UNLOCK_KINDS; k++)
		assert_string_not_equal(unlock_kind_text((enum unlock_kind)k), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phase_encode_covers_every_field),
		cmocka_unit_test(test_phase_encode_of_a_plain_spin),
		cmocka_unit_test(test_phase_encode_largest),
		cmocka_unit_test(test_draw_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
