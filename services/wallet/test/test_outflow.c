/* Every row reaches Kafka, in whatever way Kafka stops, and what is stored is never more than what
 * Kafka has. */
#include "services/wallet/core/outflow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROWS 60000

/* A wallet, and a Kafka that acknowledges in order. queue[i] is the row of the i-th message. */
struct world {
	struct wallet_outflow flow;
	struct wallet_outflow_kafka kafka;
	uint64_t queue[4 * ROWS];
	bool has[ROWS + 1];
	uint64_t committed, stored, queued; /* queued: rows that wait for the commit */
};
static struct world world;

static void give(uint64_t row)
{
	world.queue[world.kafka.given++] = row;
}

static void acknowledge(uint64_t n)
{
	for (; n > 0 && world.kafka.acknowledged < world.kafka.given; n--)
		world.has[world.queue[world.kafka.acknowledged++]] = true;
}

/* Broken for good: what was on its way is gone, and counts as acknowledged. */
static void lose(void)
{
	world.kafka.acknowledged = world.kafka.given;
	world.kafka.lost++;
}

static void read_rows(bool settled)
{
	size_t rows = wallet_outflow_missing(&world.flow, world.committed, &world.kafka);

	if (rows == 0)
		return;
	for (uint64_t row = world.flow.handed + 1; row <= world.flow.handed + rows; row++)
		give(row);
	wallet_outflow_given(&world.flow, world.flow.handed + 1 + rows, world.committed, settled);
}

/* One turn of the loop: rows are booked, the journal is read, the commit comes, messages leave. */
static void turn(uint64_t rows)
{
	bool queues = !world.flow.behind;
	uint64_t first = world.committed + 1;

	read_rows(rows == 0);
	world.stored = world.flow.acked;
	world.committed += rows;
	wallet_outflow_committed(&world.flow, world.committed, &world.kafka);
	if (world.flow.behind && world.committed - world.flow.handed <= WALLET_OUTFLOW_CHUNK)
		read_rows(true);
	for (uint64_t row = first; queues && row <= world.committed; row++)
		give(row);
}

static void kafka_has(uint64_t last)
{
	for (uint64_t row = 1; row <= last; row++)
		if (!world.has[row])
			fail_msg("row %llu is not in Kafka, %llu are stored as acknowledged",
				(unsigned long long)row, (unsigned long long)last);
}

static void begin(void)
{
	memset(&world, 0, sizeof(world));
	wallet_outflow_begin(&world.flow, 0, 0, &world.kafka);
}

static void settle(void)
{
	for (int i = 0; i < 200; i++) {
		acknowledge(UINT64_MAX);
		turn((uint64_t)(i % 2));
	}
	acknowledge(UINT64_MAX);
	turn(0);
	turn(0);
	assert_false(world.flow.behind);
	assert_int_equal(world.flow.acked, world.committed);
	kafka_has(world.committed);
}

static void test_outflow_follows_while_kafka_is_there(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 1000; i++) {
		turn(3);
		assert_false(world.flow.behind);
		acknowledge(3);
		kafka_has(world.flow.acked);
		assert_true(world.flow.acked + 20 > world.committed || i < 10);
	}
	settle();
}

static void test_outflow_waits_for_a_kafka_that_is_away(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 2000; i++) {
		turn(10);
		assert_true(world.kafka.given - world.kafka.acknowledged <=
			    WALLET_OUTFLOW_WAITING_MAX + 20); /* the commit that noticed, too */
		kafka_has(world.flow.acked);
	}
	assert_true(world.flow.behind);
	/* It is back, while rows are booked as before. */
	for (int i = 0; i < 100; i++) {
		acknowledge(5000);
		turn(10);
		kafka_has(world.flow.acked);
	}
	assert_false(world.flow.behind);
	settle();
}

static void test_outflow_gives_again_what_is_lost(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 2000; i++) {
		turn((uint64_t)(i % 7));
		acknowledge((uint64_t)(i % 11));
		if (i % 97 == 0)
			lose();
		kafka_has(world.flow.acked);
	}
	settle();
}

/* The next owner knows only what was stored. */
static void test_outflow_begins_at_what_is_stored(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 40; i++) {
		for (int j = 0; j < 50; j++) {
			turn(5);
			acknowledge((uint64_t)(i % 3) * 3);
		}
		/* Dies: what waits is lost. */
		world.kafka = (struct wallet_outflow_kafka){ 0 };
		kafka_has(world.stored);
		wallet_outflow_begin(&world.flow, world.stored, world.committed, &world.kafka);
	}
	settle();
}

static void test_outflow_begins_where_nothing_is_known(void **state)
{
	struct wallet_outflow flow;
	const struct wallet_outflow_kafka kafka = { 7, 5, 1 };

	(void)state;
	wallet_outflow_begin(&flow, 0, WALLET_OUTFLOW_NEWEST + 5, &kafka);
	assert_true(flow.behind);
	assert_int_equal(flow.handed, 5);
	assert_int_equal(wallet_outflow_missing(&flow, WALLET_OUTFLOW_NEWEST + 5, &kafka),
		WALLET_OUTFLOW_CHUNK);
	wallet_outflow_begin(&flow, 9, 4, &kafka); /* the journal was restored */
	assert_false(flow.behind);
	assert_int_equal(flow.acked, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outflow_follows_while_kafka_is_there),
		cmocka_unit_test(test_outflow_waits_for_a_kafka_that_is_away),
		cmocka_unit_test(test_outflow_gives_again_what_is_lost),
		cmocka_unit_test(test_outflow_begins_at_what_is_stored),
		cmocka_unit_test(test_outflow_begins_where_nothing_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
