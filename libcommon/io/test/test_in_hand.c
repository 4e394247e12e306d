/* The mapped file: what a process that dies has left. */
#include "libcommon/io/in_hand.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static struct in_hand_command command_of(uint32_t n)
{
	struct in_hand_command command = { .shard = n % 4 };
	memcpy(command.id, &n, sizeof(n));
	return command;
}

/* A process that takes some, decides one of them (0: none) and is killed. */
static void process_dies(uint32_t takes, uint32_t decides)
{
	pid_t child = fork();
	int status;
	assert_true(child >= 0);
	if (child == 0) {
		struct in_hand *hand = in_hand_open(folder, "wallet-1");
		in_hand_clear(hand);
		for (uint32_t i = 1; i <= takes; i++) {
			struct in_hand_command command = command_of(i);
			in_hand_take(hand, &command);
		}
		struct in_hand_command decided = command_of(decides);
		if (decides > 0)
			in_hand_decide(hand, &decided);
		(void)kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static int make_folder(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/in-hand-XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int drop_folder(void **state)
{
	char path[128];
	(void)state;
	(void)snprintf(path, sizeof(path), "%s/wallet-1.hand", folder);
	(void)unlink(path);
	return rmdir(folder);
}

static void test_a_new_file_is_empty(void **state)
{
	const struct in_hand_command *left;
	struct in_hand *hand = in_hand_open(folder, "wallet-1");
	(void)state;
	assert_int_equal(in_hand_left(hand, &left), 0);
	assert_null(in_hand_left_deciding(hand));
	in_hand_close(&hand);
	assert_null(hand);
}

static void test_the_next_process_reads_what_was_in_hand(void **state)
{
	const struct in_hand_command *left;
	struct in_hand_command second = command_of(2);
	(void)state;
	process_dies(3, 2);
	struct in_hand *hand = in_hand_open(folder, "wallet-1");
	assert_int_equal(in_hand_left(hand, &left), 3);
	assert_memory_equal(&left[1], &second, sizeof(second));
	assert_memory_equal(in_hand_left_deciding(hand), &second, sizeof(second));
	in_hand_clear(hand);
	in_hand_close(&hand);
	hand = in_hand_open(folder, "wallet-1");
	assert_int_equal(in_hand_left(hand, &left), 0);
	assert_null(in_hand_left_deciding(hand));
	in_hand_close(&hand);
}

/* A process that tries an event, and is killed in the try or after it. */
static void try_dies(const struct in_hand_event *event, bool tried)
{
	pid_t child = fork();
	int status;
	assert_true(child >= 0);
	if (child == 0) {
		struct in_hand *hand = in_hand_open(folder, "wallet-1");
		(void)in_hand_try(hand, event);
		if (tried)
			in_hand_tried(hand);
		(void)kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
}

static unsigned deaths_of(const struct in_hand_event *event)
{
	struct in_hand *hand = in_hand_open(folder, "wallet-1");
	unsigned deaths = in_hand_try(hand, event);
	in_hand_tried(hand);
	in_hand_close(&hand);
	return deaths;
}

static void test_deaths_of_an_event(void **state)
{
	const struct in_hand_event one = { .shard = 255, .topic = 1, .offset = 7 };
	const struct in_hand_event next = { .shard = 255, .topic = 1, .offset = 8 };
	const struct in_hand_event other = { .shard = 255, .topic = 0, .offset = 7 };
	(void)state;
	assert_int_equal(deaths_of(&one), 0);
	try_dies(&one, false);
	try_dies(&other, true); /* of another topic, and for another reason */
	try_dies(&one, false);
	assert_int_equal(deaths_of(&one), 2);
	assert_int_equal(deaths_of(&other), 0);
	assert_int_equal(deaths_of(&next), 0);
	assert_int_equal(deaths_of(&one), 0);
}

static void test_of_too_many_the_latest_are_kept(void **state)
{
	const struct in_hand_command *left;
	uint32_t found = 0;
	(void)state;
	process_dies(IN_HAND_MAX + 10, 0);
	struct in_hand *hand = in_hand_open(folder, "wallet-1");
	size_t n = in_hand_left(hand, &left);
	assert_int_equal(n, IN_HAND_MAX);
	assert_null(in_hand_left_deciding(hand));
	for (size_t i = 0; i < n; i++) {
		uint32_t number;
		memcpy(&number, left[i].id, sizeof(number));
		assert_true(number > 10 && number <= IN_HAND_MAX + 10);
		found += number > IN_HAND_MAX;
	}
	assert_int_equal(found, 10);
	in_hand_close(&hand);
}

static void test_a_file_of_another_form_is_empty(void **state)
{
	const struct in_hand_command *left;
	char path[128];
	(void)state;
	(void)snprintf(path, sizeof(path), "%s/wallet-1.hand", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	for (int i = 0; i < 200; i++)
		(void)fputc('x', file);
	(void)fclose(file);
	struct in_hand *hand = in_hand_open(folder, "wallet-1");
	assert_int_equal(in_hand_left(hand, &left), 0);
	assert_null(in_hand_left_deciding(hand));
	in_hand_close(&hand);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_new_file_is_empty, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(
			test_the_next_process_reads_what_was_in_hand, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(test_deaths_of_an_event, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(
			test_of_too_many_the_latest_are_kept, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(
			test_a_file_of_another_form_is_empty, make_folder, drop_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
