/* RULE bewitched 7.3, RULE mona-lisa 6.3: which ends of a connection are losses. */
#include "services/notifications/core/ending.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_only_drops_seen_live_count(void **state)
{
	static const struct {
		const char *what;
		struct ending ending;
		bool loss;
	} TABLE[] = {
		{ "cut", { .plays = true }, true },
		{ "no answer to a ping", { .plays = true, .we_closed = true, .unanswered = true },
			true },
		{ "the page was closed or reloaded", { .plays = true, .peer_closed = true },
			false },
		{ "closed by us: token, slow, idle", { .plays = true, .we_closed = true }, false },
		{ "the server stops", { .plays = true, .draining = true }, false },
		{ "the server stops and a ping gets no answer",
			{ .plays = true, .we_closed = true, .unanswered = true, .draining = true },
			false },
		{ "the second window", { .plays = true, .another = true }, false },
		{ "only watches", { .plays = false }, false },
		{ "close frame after an unanswered ping",
			{ .plays = true,
				.we_closed = true,
				.unanswered = true,
				.peer_closed = true },
			false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++)
		if (ending_is_loss(&TABLE[i].ending) != TABLE[i].loss)
			fail_msg("%s: expected %d", TABLE[i].what, TABLE[i].loss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_drops_seen_live_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
