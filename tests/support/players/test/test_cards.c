/* Card rounds: what is wrong with one is found, a right one passes, and the players turn, repeat,
 * leave and take the prize into their record. */
#include "tests/support/players/player.h"
#include "tests/support/players/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HASH "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925" /* of 32 zeros */

/* A card round of claim 17-1 with these cards, as the gateway writes it. */
static json_t *round_of(const char *turned, int next, bool won, int level, int paid)
{
	char secret[65] = "", text[2048];

	if (won)
		memset(secret, '0', 64);
	snprintf(text, sizeof(text),
		"{\"id\":\"17-1\",\"move\":17,\"index\":1,\"pool\":2,\"number\":4,\"secret_hash\":"
		"\"" HASH "\",\"turned\":[%s],\"next_pick\":%d,\"won\":%s,\"level\":%d,\"suit\":"
		"\"\",\"paid_minor\":%d,\"currency\":\"EUR\",\"hit\":0,\"secret\":\"%s\","
		"\"booked\":false}",
		turned, next, won ? "true" : "false", level, paid, secret);
	return json_loads(text, 0, NULL);
}

static struct card_view view_of(const char *turned, int next, bool won, int level, int paid)
{
	json_t *json = round_of(turned, next, won, level, paid);
	struct card_view view;

	assert_non_null(json);
	card_view_read(json, &view);
	json_decref(json);
	return view;
}

#define C1 "{\"pick\":1,\"position\":5,\"suit\":\"hearts\"}"
#define C2 "{\"pick\":2,\"position\":0,\"suit\":\"clubs\"}"
#define C3 "{\"pick\":3,\"position\":11,\"suit\":\"hearts\"}"
#define C4 "{\"pick\":4,\"position\":1,\"suit\":\"hearts\"}"
#define C5 "{\"pick\":5,\"position\":2,\"suit\":\"clubs\"}"

/* RULE mystic-gem 6.8, 6.9 */
static void test_card_view_of_a_right_round(void **state)
{
	static const char *const turned[] = { "", C1, C1 "," C2, C1 "," C2 "," C3 };
	struct card_view before = { 0 }, view;

	(void)state;
	for (int i = 0; i < 4; i++) {
		view = view_of(turned[i], i + 1, false, 0, 0);
		assert_null(card_view_fault(&before, &view));
		assert_int_equal(view.turned_n, i);
		before = view;
	}
	view = view_of(C1 "," C2 "," C3 "," C4, 0, true, 3, 150000);
	assert_null(card_view_fault(&before, &view));
	assert_null(card_view_fault(NULL, &view));
	assert_true(view.won && view.has_secret && view.paid == 150000);
	assert_int_equal(view.turned[3].position, 1);
}

static void test_card_view_finds_each_fault(void **state)
{
	static const struct {
		const char *turned;
		int next;
		bool won;
		int level, paid;
		const char *fault;
	} cases[] = {
		{ C1 "," C1, 3, false, 0, 0, "twice at one" },
		{ "{\"pick\":1,\"position\":12,\"suit\":\"clubs\"}", 2, false, 0, 0, "not exist" },
		{ "{\"pick\":1,\"position\":1,\"suit\":\"stars\"}", 2, false, 0, 0, "no suit" },
		{ C1 "," C2 "," C3, 0, true, 3, 5, "without three" },
		{ C1 "," C3 "," C4, 4, false, 0, 0, "not won" },
		{ C1 "," C3 "," C4 "," C5, 0, true, 3, 5, "after three" },
		{ C1 "," C3 "," C4, 0, true, 4, 5, "its level" },
		{ C1 "," C3 "," C4, 0, true, 3, 0, "pays nothing" },
		{ C1 "," C2, 3, false, 2, 0, "its level" },
		{ C1 "," C2, 2, false, 0, 0, "next pick" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct card_view view = view_of(cases[i].turned, cases[i].next, cases[i].won,
			cases[i].level, cases[i].paid);
		const char *fault = card_view_fault(NULL, &view);

		if (!fault || !strstr(fault, cases[i].fault))
			fail_msg("case %zu: %s", i, fault ? fault : "nothing found");
	}
}

/* RULE mystic-gem 6.15 */
static void test_card_view_holds_to_what_was_told(void **state)
{
	struct card_view two = view_of(C1 "," C2, 3, false, 0, 0);
	struct card_view one = view_of(C1, 2, false, 0, 0);
	struct card_view other = view_of(C1 "," C5, 3, false, 0, 0);
	struct card_view won = view_of(C1 "," C3 "," C4, 0, true, 3, 5);
	struct card_view more = view_of(C1 "," C3 "," C4, 0, true, 3, 6);

	(void)state;
	assert_non_null(strstr(card_view_fault(&two, &one), "face down"));
	assert_non_null(strstr(card_view_fault(&two, &other), "another one"));
	assert_non_null(strstr(card_view_fault(&won, &more), "another level or amount"));
	one.secret_hash[0] ^= 1;
	assert_non_null(strstr(card_view_fault(&one, &two), "another secret"));
	two.has_secret = true;
	assert_non_null(strstr(card_view_fault(NULL, &two), "secret"));
}

static void test_card_view_place_is_face_down(void **state)
{
	struct card_view two = view_of(C1 "," C2, 3, false, 0, 0);
	bool seen[CARD_PLACES] = { false };

	(void)state;
	for (uint64_t random = 0; random < 100; random++)
		seen[card_view_place(&two, random)] = true;
	for (uint32_t place = 0; place < CARD_PLACES; place++)
		assert_true(seen[place] == (place != 5 && place != 0));
}

/* ---- a player ---- */

static struct options options = { .currency = "EUR" };

/* Answers one op as the service would: the cards of `deal` in the order of the picks. */
static json_t *served(const struct op *op, char *turned, size_t room, int *n)
{
	static const char *const deal[] = { "hearts", "clubs", "hearts", "spades", "hearts" };
	unsigned pick, position;
	bool won;

	if (op->kind == OP_CARD_PICK) {
		assert_int_equal(
			sscanf(op->body, "{\"pick\":%u,\"position\":%u}", &pick, &position), 2);
		assert_in_range(pick, 1, *n + 1);
		if (pick == (unsigned)*n + 1) {
			size_t length = strlen(turned);

			snprintf(turned + length, room - length,
				"%s{\"pick\":%u,\"position\":%u,\"suit\":\"%s\"}", *n ? "," : "",
				pick, position, deal[*n]);
			(*n)++;
		}
	}
	won = *n == 5;
	return json_pack(op->kind == OP_CARDS ? "{s:[o]}" : "{s:o}",
		op->kind == OP_CARDS ? "rounds" : "card_round",
		round_of(turned, won ? 0 : *n + 1, won, won ? 3 : 0, won ? 777 : 0));
}

/* RULE mystic-gem 6.10, 6.15 */
static void test_cards_are_played_to_their_end(void **state)
{
	static struct player *due[4];
	struct crowd crowd = { .options = &options, .due = due };
	struct view view = { .cards_told = true, .cards_open = true };
	uint64_t mismatches = stats.mismatches_n;

	(void)state;
	view.cards_move = 17;
	view.cards_index = 1;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct player player = { .crowd = &crowd, .game = &crowd.game[0], .random = seed };
		uint64_t wins = stats.card_wins;
		char turned[1024] = "";
		int n = 0, steps = 0;

		cards_adopt(&player, &view);
		cards_adopt(&player, &view); /* told again: the same */
		for (; !player.cards.known.won; steps++) {
			json_t *json;

			assert_true(steps < 200);
			assert_int_not_equal(cards_begin(&player, 1), CARDS_NONE);
			json = served(&player.op, turned, sizeof(turned), &n);
			cards_answered(&player, json);
			json_decref(json);
		}
		assert_int_equal(stats.card_wins, wins + 1);
		assert_int_equal(player.record.jackpots.n, 1);
		assert_int_equal(player.record.jackpots.at[0].paid, 777);
		assert_int_equal(player.record.jackpots.at[0].round, 17);
		assert_false(answer_absorb(&player, 776));
		assert_true(answer_absorb(&player, 777));
		assert_false(answer_absorb(&player, 777));
		view.cards_open = false;
		cards_adopt(&player, &view);
		assert_int_equal(cards_begin(&player, 1), CARDS_NONE);
		view.cards_open = true;
		record_free(&player.record);
	}
	assert_int_equal(stats.mismatches_n, mismatches);
	assert_true(stats.card_repeats > 20 && stats.card_recoveries > 20);
	assert_int_equal(stats.card_rounds, 200);
}

/* What is written beside. */
void crowd_progress(struct crowd *crowd)
{
	crowd->progress_us++;
}

void crowd_schedule(struct player *player, uint64_t due_us)
{
	player->due_us = due_us;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_card_view_of_a_right_round),
		cmocka_unit_test(test_card_view_finds_each_fault),
		cmocka_unit_test(test_card_view_holds_to_what_was_told),
		cmocka_unit_test(test_card_view_place_is_face_down),
		cmocka_unit_test(test_cards_are_played_to_their_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
