/* Records and states to bytes and back; the bound; what a decoder refuses. */
#include "services/spin-engine/adapters/codec.h"

#include "record.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct player_record full_record(bool open)
{
	struct player_record record = { .content_hash = { 1, 2 },
		.next = { { 3 }, 2 },
		.collected = { 40 },
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
		.bet = { 978, 20, 15, 2 },
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
		assert_memory_equal(&record.game.round, &back.game.round, sizeof(back.game.round));
		assert_memory_equal(&record.game.state.open, &back.game.state.open,
			sizeof(back.game.state.open));
		assert_int_equal(back.game.state.autoplay.loss_limit.minor, -1);
		assert_string_equal(back.reason, record.reason);
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
		.balance = { 1234 },
		.last = { { 1 }, { 2 }, PLAYER_MOVE_GAMBLE, 1, 2, 7, { 9 } },
		.award_count = 1,
		.award = { { 7, 1, 1, { 5000 } } },
		.seen_count = 2,
		.seen = { { 5, { 1, 9 }, { 2 } }, { 7, { 3 }, { 4, 9 } } } };
	struct player back = { .id = 5, .account = true, .last_move = 8 };
	uint8_t bytes[PLAYER_BYTES_MAX];
	size_t length = player_encode(&player, bytes);

	(void)unused;
	assert_int_equal(player_decode(bytes, length, &back), CODEC_OK);
	assert_memory_equal(&player, &back, sizeof(back));
}

/* A checkpoint has room for a player's every field at its longest; what he repeats must come in
 * order and whole. */
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
	for (uint32_t i = 0; i < PLAYER_SEEN_MAX; i++)
		player.seen[i].move = UINT64_MAX - PLAYER_SEEN_MAX + i;
	player.gift_count = PLAYER_GIFTS_MAX;
	memset(player.gift, 0, sizeof(player.gift));
	for (uint32_t i = 0; i < PLAYER_GIFTS_MAX; i++)
		player.gift[i] = (struct player_gift){ { (uint8_t)i }, UINT32_MAX, UINT32_MAX,
			UINT32_MAX, UINT32_MAX, UINT32_MAX - 1, INT64_MAX, UINT64_MAX };
	player.last.kind = PLAYER_MOVE_SETTING;
	player.last.collected = money_of(INT64_MAX);
	length = player_encode(&player, bytes);
	assert_in_range(length, 512, PLAYER_BYTES_MAX);
	assert_int_equal(player_decode(bytes, length, &back), CODEC_OK);
	assert_memory_equal(back.seen, player.seen, sizeof(back.seen));
	assert_memory_equal(back.gift, player.gift, sizeof(back.gift));
	player.seen[3].move = player.seen[2].move;
	length = player_encode(&player, bytes);
	assert_int_equal(player_decode(bytes, length, &back), CODEC_RANGE);
}

/* A record is never longer than the wallet takes, whatever the state. */
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
		32, 1, 40, 55, 58, 4, 8, 1, 48, 9, /* and a field of the future */ 250, 6, 1, 0 };
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

/* One thing is wrong in each. */
static void test_codec_refuses(void **unused)
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
		cmocka_unit_test(test_codec_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
