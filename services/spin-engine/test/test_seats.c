/* The list of changed seats: what a checkpoint writes in parts, while players go on. */
#include "services/spin-engine/adapters/seats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PLAYERS 1000

static struct seats seats;

static void begin(void)
{
	memset(&seats, 0, sizeof(seats));
	seats_init(&seats);
	for (player_id i = 1; i <= PLAYERS; i++)
		(void)seats_add(&seats, i, (uint32_t)(i % 4));
}

static void touch(player_id from, player_id to)
{
	for (player_id i = from; i <= to; i++)
		seat_touch(&seats, seats_find(&seats, i));
}

static void end(void)
{
	for (uint32_t shard = 0; shard < 4; shard++)
		seats_drop_shard(&seats, shard);
	assert_int_equal(seats.count, 0);
	assert_int_equal(seats.dirty_count, 0);
	assert_int_equal(seats.due_count, 0);
	free(seats.slot);
	free(seats.dirty);
}

/* changed at the mark, size of a part; parts that it takes, and the size of the first */
static const struct {
	size_t changed, part, parts, first;
} SIZES[] = { { 0, 256, 0, 0 }, { 1, 256, 1, 1 }, { 256, 256, 1, 256 }, { 257, 256, 2, 256 },
	{ 1000, 256, 4, 256 }, { 1000, 1, 30, 34 }, { 30, 1, 30, 1 }, { 31, 1, 16, 2 } };

static void test_seats_parts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
		size_t parts = 0, first = 0, written = 0;
		begin();
		touch(1, (player_id)SIZES[i].changed);
		seats_mark(&seats, SIZES[i].part);
		assert_int_equal(seats_parts_left(&seats), SIZES[i].parts);
		while (seats_parts_left(&seats) > 0) {
			size_t n = 0;
			while (n < seats.part && seats_take_due(&seats) != NULL)
				n++;
			first = parts == 0 ? n : first;
			written += n;
			parts++;
		}
		assert_int_equal(parts, SIZES[i].parts);
		assert_int_equal(first, SIZES[i].first);
		assert_int_equal(written, SIZES[i].changed);
		assert_int_equal(seats.dirty_count, 0);
		end();
	}
}

/* Who changes after the mark is due at the next one, once; who changes again is too. */
static void test_seats_change_after_mark(void **state)
{
	bool seen[PLAYERS + 1] = { false };
	struct seat *seat;
	(void)state;
	begin();
	touch(1, 100);
	seats_mark(&seats, 10);
	for (int i = 0; i < 50; i++)
		assert_non_null(seats_take_due(&seats));
	touch(1, 200);
	while ((seat = seats_take_due(&seats)) != NULL) {
		assert_true(seat->player.id <= 100);
		assert_false(seen[seat->player.id]);
		assert_false(seat->dirty);
		seen[seat->player.id] = true;
	}
	assert_int_equal(seats.dirty_count, 150); /* 50 written before they changed, 100 new ones */
	seats_mark(&seats, 10);
	memset(seen, 0, sizeof(seen));
	while ((seat = seats_take_due(&seats)) != NULL) {
		assert_false(seen[seat->player.id]);
		seen[seat->player.id] = true;
	}
	assert_int_equal(seats.dirty_count, 0);
	end();
}

/* A shard that is given up between two parts leaves the list, and what is due stays due. */
static void test_seats_drop_between_parts(void **state)
{
	size_t due = 0;
	struct seat *seat;
	(void)state;
	begin();
	touch(1, 100);
	seats_mark(&seats, 10);
	touch(101, 200);
	for (int i = 0; i < 20; i++)
		assert_non_null(seats_take_due(&seats));
	seats_drop_shard(&seats, 1);
	while ((seat = seats_take_due(&seats)) != NULL) {
		assert_true(seat->player.id <= 100 && seat->shard != 1);
		due++;
	}
	assert_int_equal(due, 60); /* of the 80 that were left, 20 were of that shard */
	assert_int_equal(seats.dirty_count, 75);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seats_parts),
		cmocka_unit_test(test_seats_change_after_mark),
		cmocka_unit_test(test_seats_drop_between_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
