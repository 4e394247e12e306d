/* Broken random sources: after the first fault no cards are dealt, and the round is unchanged. */
#include "services/jackpot-cards/adapters/card_draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 5000

static uint32_t calls;

static void sound(void *out, size_t length)
{
	uint8_t key[RNG_KEY_BYTES] = { (uint8_t)calls, (uint8_t)(calls >> 8), 1 };
	struct rng rng;
	calls++;
	rng_init(&rng, key);
	rng_bytes(&rng, out, length);
}

static void zeros(void *out, size_t length)
{
	memset(out, 0, length);
}

static void repeated_seed(void *out, size_t length)
{
	calls = 77;
	sound(out, length);
}

static void stuck_byte(void *out, size_t length)
{
	uint8_t *bytes = out;
	sound(out, length);
	for (size_t i = 0; i < length; i += 16)
		bytes[i] = 0xa5;
}

static const struct numbered_keys KEYS = { .count = 1,
	.key = { { .number = 1, .bytes = { 5, 6, 7 } } } };
static const uint32_t WEIGHT[CARD_LEVELS] = { 900, 90, 9, 1 };

static struct card_play claimed(uint64_t number)
{
	return (struct card_play){ .id = { INT64_C(0x0001000000000007), number / 2 + 1, 1 },
		.number = number };
}

/* Number of rounds dealt before the first failure; after it none is dealt. */
static uint32_t rounds_dealt(struct draw_health *health, card_source *source)
{
	uint32_t dealt = 0;
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		struct card_play play = claimed(i), before = play;
		enum card_draw_status status = card_draw(health, &KEYS, source, WEIGHT, &play);
		if (status == CARD_DRAW_FAULT) {
			assert_memory_equal(&play, &before, sizeof(play));
			break;
		}
		assert_int_equal(status, CARD_DRAW_OK);
		assert_int_equal(play.key, 1);
		assert_int_equal(play.weight[0], 900);
		assert_in_range(play.round.deal.picks, DEAL_PICKS_MIN, DEAL_PICKS_MAX);
		dealt++;
	}
	for (uint32_t i = 0; dealt < ROUNDS && i < 100; i++) {
		struct card_play play = claimed(ROUNDS + i), before = play;
		assert_int_equal(card_draw(health, &KEYS, sound, WEIGHT, &play), CARD_DRAW_FAULT);
		assert_memory_equal(&play, &before, sizeof(play));
	}
	return dealt;
}

static void test_card_draw_stops_at_a_fault(void **state)
{
	static const struct {
		const char *what, *text;
		card_source *source;
		uint32_t at_most; /* rounds that may be dealt */
	} rows[] = {
		{ "sound", "sound", sound, ROUNDS },
		{ "zeros", "salts: repeated", zeros, 0 },
		{ "the same", "salts: repeated", repeated_seed, 1 },
		{ "a stuck byte", "salts: uneven", stuck_byte, 64 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct draw_health health;
		char text[DRAW_HEALTH_TEXT_MAX];
		print_message("%s\n", rows[i].what);
		calls = 0;
		assert_int_equal(card_draw_begin(&health, sound), RNG_SOUND);
		uint32_t dealt = rounds_dealt(&health, rows[i].source);
		assert_true(dealt <= rows[i].at_most);
		assert_true(rows[i].source != sound || dealt == ROUNDS);
		assert_string_equal(draw_health_text(&health, text), rows[i].text);
	}
}

/* Each deal feeds the tests of salts, secrets and streams; a fault of the streams alone is
 * enough. */
static void test_card_draw_watches_the_stream(void **state)
{
	struct draw_health health;
	struct card_play play = claimed(1), before = play;
	(void)state;
	calls = 0;
	assert_int_equal(card_draw_begin(&health, sound), RNG_SOUND);
	assert_int_equal(card_draw(&health, &KEYS, sound, WEIGHT, &play), CARD_DRAW_OK);
	assert_true(health.streams.fed >= 64);
	assert_true(health.keys.fed == CARD_SECRET_BYTES);
	static const uint8_t STUCK[2 * RNG_HEALTH_WORD] = { 0 };
	(void)rng_health_feed(&health.streams, STUCK, sizeof(STUCK));
	play = before;
	assert_int_equal(card_draw(&health, &KEYS, sound, WEIGHT, &play), CARD_DRAW_FAULT);
	assert_memory_equal(&play, &before, sizeof(play));
}

static void test_card_draw_begins_with_a_sample(void **state)
{
	struct draw_health health;
	(void)state;
	calls = 0;
	assert_int_equal(card_draw_begin(&health, stuck_byte), RNG_UNEVEN);
	assert_int_equal(card_draw_begin(&health, zeros), RNG_REPEATED);
	struct card_play play = claimed(1);
	assert_int_equal(card_draw(&health, &KEYS, sound, WEIGHT, &play), CARD_DRAW_FAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_card_draw_stops_at_a_fault),
		cmocka_unit_test(test_card_draw_watches_the_stream),
		cmocka_unit_test(test_card_draw_begins_with_a_sample),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
