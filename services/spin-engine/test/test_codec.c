/* Encodes and decodes records and states; checks the bound and what a decoder rejects. */
#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/test/player_world.h"

#include "record.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Compares field by field: padding may differ. */
struct field {
	const char *name;
	size_t at, size;
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(of, name)                                                                            \
	{                                                                                          \
#name, offsetof(struct of, name), sizeof(((struct of *)0)->name)                   \
	}

static const struct field round_fields[] = {
	FIELD(play_round, move),
	FIELD(play_round, closed_by),
	FIELD(play_round, opened_us),
	FIELD(play_round, salt.bytes),
	FIELD(play_round, salt.key),
	FIELD(play_round, nonce),
	FIELD(play_round, nonce_length),
	FIELD(play_round, math_version),
	FIELD(play_round, digest),
	FIELD(play_round, bet.currency),
	FIELD(play_round, bet.coin_minor),
	FIELD(play_round, bet.lines),
	FIELD(play_round, bet.coins),
	FIELD(play_round, bet.mode),
	FIELD(play_round, before),
	FIELD(play_round, stake),
	FIELD(play_round, win_base_lines),
	FIELD(play_round, win_feature),
	FIELD(play_round, feature_due),
	FIELD(play_round, credited),
	FIELD(play_round, phases),
	FIELD(play_round, claims),
	FIELD(play_round, claims_shown),
	FIELD(play_round, autospin),
	FIELD(play_round, has_feature),
	FIELD(play_round, voided),
	FIELD(play_round, bonus),
	FIELD(play_round, pick_count),
	FIELD(play_round, pick),
	FIELD(play_round, gamble_count),
	FIELD(play_round, gamble[0].stake),
	FIELD(play_round, gamble[0].pending),
	FIELD(play_round, gamble[0].guess),
	FIELD(play_round, gamble[0].card),
	FIELD(play_round, gamble[0].won),
	FIELD(play_round, cards.draw),
	FIELD(play_round, cards.pool),
	FIELD(play_round, cards.index),
	FIELD(play_round, cards.booked),
	FIELD(play_round, cards_before),
	FIELD(play_round, forced_count),
	FIELD(play_round, forced),
};

static const struct field open_fields[] = {
	FIELD(open_round, move),
	FIELD(open_round, bet.currency),
	FIELD(open_round, bet.coin_minor),
	FIELD(open_round, bet.lines),
	FIELD(open_round, bet.coins),
	FIELD(open_round, bet.mode),
	FIELD(open_round, before),
	FIELD(open_round, autospin),
	FIELD(open_round, has_feature),
	FIELD(open_round, phases),
	FIELD(open_round, cursor),
	FIELD(open_round, picks),
	FIELD(open_round, pick),
	FIELD(open_round, win_total),
	FIELD(open_round, gamble_pending),
	FIELD(open_round, gamble_attempts),
	FIELD(open_round, jackpot_hits),
	FIELD(open_round, math_version),
};

static void assert_same_fields(
	const void *found, const void *expected, const struct field *field, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (memcmp((const char *)found + field[i].at, (const char *)expected + field[i].at,
			    field[i].size) != 0)
			fail_msg("%s differs", field[i].name);
}

static struct player_record full_record(bool open)
{
	struct player_record record = { .content_hash = { 1, 2 },
		.next = { { 3 }, 2 },
		.collected = { 40 },
		.awards = { 41000 },
		.reason = "a reel stuck",
		.has_game = true };
	struct player_game *play = &record.game;
	struct play_round *round = &play->round;

	play->move = 12;
	play->version = 5;
	play->state.game = 1;
	play->state.witch_chosen = true;
	play->state.witch = 1;
	play->state.card_count = 2;
	play->state.card[0] = 51;
	play->state.autoplay = (struct autoplay){ .id = { 7 },
		.spins = 10,
		.left = 4,
		.loss_limit = { -1 },
		.single_win = { 500 },
		.stop_on_jackpot = true,
		.stopped = AUTOPLAY_STOPPED_WIN,
		.bets = { 60 },
		.wins = { 90 },
		.last_spin_ms = 123456 };
	*round = (struct play_round){ .move = 11,
		.closed_by = open ? 0 : 12,
		.opened_us = 99,
		.salt = { { 4 }, 1 },
		.nonce = { 5 },
		.nonce_length = 16,
		.math_version = { 6 },
		.digest = { 8 },
		.bet = { .currency = 978, .coin_minor = 20, .lines = 15, .coins = 2 },
		.stake = { 600 },
		.win_base_lines = { 30 },
		.win_feature = { 70 },
		.feature_due = { open ? 70 : 0 },
		.credited = { open ? 0 : 100 },
		.phases = 9,
		.claims = 2,
		.claims_shown = 1,
		.autospin = true,
		.has_feature = true,
		.pick_count = 3,
		.pick = { 8, 1, 2 },
		.gamble_count = 1,
		.gamble = { { { 30 }, { 60 }, 1, 26, true } },
		.forced_count = 2,
		.forced = { 1, 300 } };
	round->cards_before = (struct cards_draw){ 1000, 40, 41 };
	if (!open)
		round->cards = (struct round_cards){ { 1000, 40, 39 }, 2, 3, true };
	if (open)
		play->state.open = (struct open_round){ .move = 11,
			.bet = round->bet,
			.autospin = true,
			.has_feature = true,
			.phases = 9,
			.cursor = 4,
			.picks = 1,
			.pick = { 3 },
			.win_total = { 100 },
			.gamble_pending = { 30 },
			.gamble_attempts = 1,
			.jackpot_hits = 2,
			.math_version = { 6 } };
	return record;
}

static void test_codec_record_round_trip(void **unused)
{
	(void)unused;
	for (int open = 0; open < 2; open++) {
		struct player_record record = full_record(open == 1), back;
		uint8_t bytes[RECORD_BYTES_MAX], again[RECORD_BYTES_MAX];
		size_t length = record_encode(&record, bytes);

		assert_int_equal(record_decode(bytes, length, &back), CODEC_OK);
		assert_int_equal(record_encode(&back, again), length);
		assert_memory_equal(bytes, again, length);
		assert_same_fields(
			&record.game.round, &back.game.round, round_fields, COUNT(round_fields));
		assert_same_fields(&record.game.state.open, &back.game.state.open, open_fields,
			COUNT(open_fields));
		assert_int_equal(back.game.state.autoplay.loss_limit.minor, -1);
		assert_string_equal(back.reason, record.reason);
		assert_int_equal(back.awards.minor, record.awards.minor);
	}
}

static void test_codec_player_round_trip(void **unused)
{
	struct player player = { .id = 5,
		.account = true,
		.blocked = true,
		.currency = 978,
		.last_move = 8,
		.salt = { { 1 }, 3 },
		.money_seq = 77,
		.taken_seq = 76,
		.balance = { 1234 },
		.last = { { 1 }, { 2 }, PLAYER_MOVE_GAMBLE, 1, 2, 7, { 9 } },
		.award_count = 1,
		.award = { { 7, 1, 1, { 5000 } } },
		.seen_count = 2,
		.seen = { { 5, 0, { 1, 9 }, { 2 } }, { 7, 21, { 3 }, { 4, 9 } } } };
	struct player back = { .id = 5, .account = true, .last_move = 8 };
	uint8_t bytes[PLAYER_BYTES_MAX];
	size_t length = player_encode(&player, bytes);

	(void)unused;
	assert_int_equal(player_decode(bytes, length, &back), CODEC_OK);
	assert_memory_equal(&player, &back, sizeof(back));
}

/* A checkpoint has room for a player with every field at its longest; repeated fields must be
 * complete and in order. */
static void test_codec_player_bound(void **unused)
{
	struct player player, back = { .id = 5 };
	uint8_t bytes[PLAYER_BYTES_MAX];
	size_t length;

	(void)unused;
	memset(&player, 0xff, sizeof(player));
	player.account = player.blocked = true;
	player.award_count = PLAYER_AWARDS_MAX;
	player.seen_count = PLAYER_SEEN_MAX;
	for (uint32_t i = 0; i < PLAYER_SEEN_MAX; i++) {
		player.seen[i].move = UINT64_MAX - PLAYER_SEEN_MAX + i;
		player.seen[i].refusal = UINT32_MAX;
	}
	player.bonus_spins_count = PLAYER_BONUS_SPINS_MAX;
	memset(player.bonus_spins, 0, sizeof(player.bonus_spins));
	for (uint32_t i = 0; i < PLAYER_BONUS_SPINS_MAX; i++)
		player.bonus_spins[i] = (struct player_bonus_spins){ { (uint8_t)i }, UINT32_MAX,
			UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX - 1, INT64_MAX, UINT64_MAX };
	player.last.kind = PLAYER_MOVE_SETTING;
	player.last.collected = money_of(INT64_MAX);
	length = player_encode(&player, bytes);
	assert_in_range(length, 512, PLAYER_BYTES_MAX);
	assert_int_equal(player_decode(bytes, length, &back), CODEC_OK);
	assert_memory_equal(back.seen, player.seen, sizeof(back.seen));
	assert_same_bonus_spins(back.bonus_spins, player.bonus_spins);
	player.seen[3].move = player.seen[2].move;
	length = player_encode(&player, bytes);
	assert_int_equal(player_decode(bytes, length, &back), CODEC_RANGE);
}

/* A record never exceeds the wallet's limit, whatever the state. */
static void test_codec_bound(void **unused)
{
	(void)unused;
	assert_in_range(record_bytes_worst(), 512, RECORD_BYTES_MAX);
}

/* Old bytes still read: a record as the first version wrote it. */
static void test_codec_first_format(void **unused)
{
	static const uint8_t bytes[] = { 8, 1, 18, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		14, 15, 16, 26, 16, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36,
		32, 1, 40, 55, 58, 4, 8, 1, 48, 9, /* and a field of a later version */ 250, 6, 1,
		0 };
	struct player_record record;

	(void)unused;
	assert_int_equal(record_decode(bytes, sizeof(bytes), &record), CODEC_OK);
	assert_int_equal(record.content_hash[15], 16);
	assert_int_equal(record.next.bytes[0], 21);
	assert_int_equal(record.next.key, 1);
	assert_int_equal(record.collected.minor, 55);
	assert_int_equal(record.game.state.game, 1);
	assert_int_equal(record.game.move, 9);
}

/* Each case has one error. */
static void test_codec_rejects_malformed(void **unused)
{
	struct player_record record = full_record(true), back;
	uint8_t bytes[RECORD_BYTES_MAX];
	size_t length = record_encode(&record, bytes);

	(void)unused;
	assert_int_equal(record_decode(bytes, length - 1, &back), CODEC_MALFORMED);
	assert_int_equal(record_decode(bytes, 0, &back), CODEC_FORMAT);
#define REFUSED(change)                                                                            \
	do {                                                                                       \
		record = full_record(true);                                                        \
		change;                                                                            \
		length = record_encode(&record, bytes);                                            \
		assert_int_equal(record_decode(bytes, length, &back), CODEC_RANGE);                \
	} while (0)
	REFUSED(record.collected.minor = -1);
	REFUSED(record.awards.minor = -1);
	REFUSED(record.game.round.cards.draw = ((struct cards_draw){ 10, 5, 7 }));
	REFUSED(record.game.round.cards.booked = true);
	REFUSED(record.game.round.cards.index = 1);
	REFUSED(record.game.round.cards_before.value = 1000);
	REFUSED(record.game.round.cards_before.value = 39);
	REFUSED(record.game.round.cards_before.threshold = 1001);
	REFUSED(record.game.round.cards_before.below = 0);
	REFUSED(record.game.round.cards_before.below = CARDS_OF_MAX + 1);
	REFUSED(record.game.state.game = 0);
	REFUSED(record.game.state.witch = GAME_WITCHES_MAX);
	REFUSED(record.game.state.card[1] = 53);
	REFUSED(record.game.state.autoplay.left = 11);
	REFUSED(record.game.state.autoplay.loss_limit.minor = -2);
	REFUSED(record.game.state.autoplay.stopped = (enum autoplay_stop)99);
	REFUSED(record.game.state.open.cursor = 10);
	REFUSED(record.game.state.open.gamble_pending.minor = -1);
	REFUSED(record.game.state.open.gamble_attempts = PLAYER_GAMBLES_MAX + 1);
	REFUSED(record.game.round.bet.coin_minor = 0);
	REFUSED(record.game.round.stake.minor = 0);
	REFUSED(record.game.round.bonus = true); /* it has a stake */
	REFUSED(record.game.round.bet.lines = GAME_LINES_MAX + 1);
	REFUSED(record.game.round.bet.coins = GAME_LINE_COINS_MAX + 1);
	REFUSED(record.game.round.phases = GAME_ROUND_PHASES_MAX + 1);
	REFUSED(record.game.round.claims = PLAYER_CLAIMS_MAX + 1);
	REFUSED(record.game.round.claims_shown = 3);
	REFUSED(record.game.round.credited.minor = -5);
	REFUSED(record.game.round.feature_due.minor = -5);
	REFUSED(record.game.round.win_base_lines.minor = INT64_MAX);
	REFUSED(record.game.round.gamble[0].card = 53);
	REFUSED(record.game.round.gamble[0].guess = 2);
	REFUSED(record.game.round.closed_by = 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codec_record_round_trip),
		cmocka_unit_test(test_codec_player_round_trip),
		cmocka_unit_test(test_codec_player_bound),
		cmocka_unit_test(test_codec_bound),
		cmocka_unit_test(test_codec_first_format),
		cmocka_unit_test(test_codec_rejects_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
