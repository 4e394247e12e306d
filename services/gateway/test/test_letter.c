/* Dead letters: what each kind of message is, and whether it may be sent again. */
#include "services/gateway/adapters/letter.h"

#include "jackpot.pb-c.h"
#include "spin.pb-c.h"
#include "wallet.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES_MAX 512
#define PLAYER ((INT64_C(1) << 48) + 17)

static uint8_t id[16], bytes[BYTES_MAX];

static struct letter_about about(const char *service, const char *topic, size_t length)
{
	const struct letter letter = { service, topic, bytes, length };

	return letter_read(&letter);
}

static void is(const struct letter_about *found, const char *what, const char *why_not)
{
	assert_string_equal(found->what, what);
	assert_string_equal(found->why_not == NULL ? "" : found->why_not, why_not);
}

static size_t booking(Carillon__MoveKind kind)
{
	Carillon__WalletCommand command;
	Carillon__Outside outside;

	carillon__wallet_command__init(&command);
	carillon__outside__init(&outside);
	outside.kind = kind;
	outside.id = (ProtobufCBinaryData){ sizeof(id), id };
	outside.amount_minor = -1250;
	outside.currency = 978;
	command.player = PLAYER;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = &outside;
	return carillon__wallet_command__pack(&command, bytes);
}

/* What the gateway may send, takes effect once by its id, and sets nothing. */
static void test_bookings_may_be_sent_again(void **state)
{
	static const struct {
		Carillon__MoveKind kind;
		const char *what, *why_not;
	} KINDS[] = {
		{ CARILLON__MOVE_KIND__MOVE_DEPOSIT, "deposit", "" },
		{ CARILLON__MOVE_KIND__MOVE_CORRECTION, "correction", "" },
		{ CARILLON__MOVE_KIND__MOVE_GRANT, "grant", "" },
		{ CARILLON__MOVE_KIND__MOVE_HOLD, "withdrawal", "" },
		{ CARILLON__MOVE_KIND__MOVE_SPINS, "bonus spins", "" },
		{ CARILLON__MOVE_KIND__MOVE_BLOCK, "block", "newer" },
		{ CARILLON__MOVE_KIND__MOVE_LIMIT, "limit", "newer" },
		{ CARILLON__MOVE_KIND__MOVE_AWARD, "", "unreadable" },
		{ CARILLON__MOVE_KIND__MOVE_BET, "", "unreadable" },
		{ CARILLON__MOVE_KIND__MOVE_UNKNOWN, "", "unreadable" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
		struct letter_about found =
			about("wallet", "wallet.commands", booking(KINDS[i].kind));
		is(&found, KINDS[i].what, KINDS[i].why_not);
		assert_true(found.player == PLAYER);
		if (found.why_not == NULL) {
			assert_true(found.money && found.amount_minor == -1250);
			assert_int_equal(found.currency, 978);
		}
	}
}

/* A service that invents a letter gets at most what it could have told itself. */
static void test_only_the_owner_gets_its_own_letter_back(void **state)
{
	static const char *const OTHERS[] = { "spin-engine", "progressive-pool", "jackpot-cards",
		"payments", "gateway", "notifications", "" };
	size_t n = booking(CARILLON__MOVE_KIND__MOVE_DEPOSIT);

	(void)state;
	for (size_t i = 0; i < sizeof(OTHERS) / sizeof(OTHERS[0]); i++) {
		struct letter_about found = about(OTHERS[i], "wallet.commands", n);
		is(&found, "deposit", "writer");
	}
	struct letter_about found = about("wallet", "jackpot.commands", n);
	assert_non_null(found.why_not);
	assert_string_equal(letter_writer("wallet"), "wallet");
	assert_null(letter_writer("spin-engine"));
}

/* Behind whole bytes alone may more be added, as the address of the reply is. */
static void test_bytes_that_are_cut_are_not_sent(void **state)
{
	size_t n = booking(CARILLON__MOVE_KIND__MOVE_DEPOSIT);
	size_t sendable = 0;

	(void)state;
	for (size_t cut = 0; cut < n; cut++)
		sendable += about("wallet", "wallet.commands", cut).why_not == NULL;
	assert_int_equal(sendable, 0);
	bytes[n] = 0x32; /* a reply_to without its length */
	assert_string_equal(about("wallet", "wallet.commands", n + 1).why_not, "unreadable");
	bytes[n + 1] = 0x7f; /* longer than what is there: it would swallow what is added */
	assert_string_equal(about("wallet", "wallet.commands", n + 2).why_not, "unreadable");
}

static void test_every_byte_may_be_wrong(void **state)
{
	(void)state;
	srand(1);
	for (int run = 0; run < 20000; run++) {
		size_t n = booking(CARILLON__MOVE_KIND__MOVE_DEPOSIT);
		for (int changes = 0; changes < 3; changes++)
			bytes[(size_t)rand() % n] = (uint8_t)rand();
		struct letter_about found = about("wallet", "wallet.commands", n);
		assert_non_null(found.what);
		if (found.why_not == NULL)
			assert_true(found.player > 0);
	}
}

static size_t pool_action(Carillon__OperatorAction action)
{
	Carillon__JackpotCommand command;
	Carillon__OperatorCommand body;

	carillon__jackpot_command__init(&command);
	carillon__operator_command__init(&body);
	body.action = action;
	body.id = (ProtobufCBinaryData){ sizeof(id), id };
	command.pool = 4;
	command.body_case = CARILLON__JACKPOT_COMMAND__BODY_OPERATOR;
	command.operator_ = &body;
	return carillon__jackpot_command__pack(&command, bytes);
}

static void test_of_a_pool_only_adjustments_are_sent_again(void **state)
{
	struct letter_about found = about("progressive-pool", "jackpot.commands",
		pool_action(CARILLON__OPERATOR_ACTION__ACTION_ADJUST));

	(void)state;
	is(&found, "adjust", "");
	assert_int_equal(found.pool, 4);
	found = about("wallet", "jackpot.commands",
		pool_action(CARILLON__OPERATOR_ACTION__ACTION_ADJUST));
	is(&found, "adjust", "writer");
	found = about("jackpot-cards", "jackpot.commands",
		pool_action(CARILLON__OPERATOR_ACTION__ACTION_PAUSE));
	is(&found, "pause", "newer");
}

static void test_other_kinds_are_never_sent(void **state)
{
	Carillon__SpinCommand bet;
	Carillon__WalletCommand move;
	Carillon__Proposal proposal;

	carillon__spin_command__init(&bet);
	carillon__wallet_command__init(&move);
	carillon__proposal__init(&proposal);
	(void)state;
	bet.player = PLAYER;
	bet.kind = CARILLON__SPIN_KIND__SPIN_BET;
	struct letter_about found =
		about("spin-engine", "spin.commands", carillon__spin_command__pack(&bet, bytes));
	is(&found, "", "player");
	assert_true(found.player == PLAYER);
	proposal.move = 3;
	move.player = PLAYER;
	move.body_case = CARILLON__WALLET_COMMAND__BODY_PROPOSAL;
	move.proposal = &proposal;
	found = about("wallet", "wallet.commands", carillon__wallet_command__pack(&move, bytes));
	is(&found, "move", "sender");
	found = about("spin-engine", "wallet.facts", 0);
	is(&found, "", "fact");
	found = about("wallet", "nothing", 0);
	is(&found, "", "unreadable");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bookings_may_be_sent_again),
		cmocka_unit_test(test_only_the_owner_gets_its_own_letter_back),
		cmocka_unit_test(test_bytes_that_are_cut_are_not_sent),
		cmocka_unit_test(test_every_byte_may_be_wrong),
		cmocka_unit_test(test_of_a_pool_only_adjustments_are_sent_again),
		cmocka_unit_test(test_other_kinds_are_never_sent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
