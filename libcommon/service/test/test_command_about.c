/* Ids of commands: repeats have one id, different commands have different ones, and bytes that no
 * decoder takes have one too. */
#include "libcommon/service/command_about.h"

#include "jackpot.pb-c.h"
#include "spin.pb-c.h"
#include "wallet.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct id {
	uint8_t bytes[COMMAND_ID_BYTES];
};

static struct id id_of(enum topic kind, const ProtobufCMessage *message)
{
	uint8_t packed[1024];
	struct id id;
	assert_true(protobuf_c_message_get_packed_size(message) <= sizeof(packed));
	command_id(kind, packed, protobuf_c_message_pack(message, packed), id.bytes);
	return id;
}

#define SAME(a, b) assert_memory_equal((a).bytes, (b).bytes, COMMAND_ID_BYTES)
#define DIFFER(a, b) assert_memory_not_equal((a).bytes, (b).bytes, COMMAND_ID_BYTES)

static uint8_t key[16] = "one key";
static uint8_t other_key[16] = "another key";

static Carillon__SpinCommand spin_of(Carillon__Envelope *envelope, uint64_t correlation)
{
	static char url[] = "ipc://nn/gateway-1";
	Carillon__SpinCommand spin;
	carillon__spin_command__init(&spin);
	carillon__envelope__init(envelope);
	envelope->time_us = correlation;
	spin.envelope = envelope;
	spin.player = 17;
	spin.kind = CARILLON__SPIN_KIND__SPIN_BET;
	spin.correlation = correlation;
	spin.reply_to = url;
	spin.request_id = (ProtobufCBinaryData){ sizeof(key), key };
	return spin;
}

static void test_a_spin_is_named_by_player_and_request(void **state)
{
	Carillon__Envelope envelope;
	Carillon__SpinCommand spin = spin_of(&envelope, 5);
	struct id first = id_of(TOPIC_SPIN_COMMANDS, &spin.base);

	(void)state;
	spin = spin_of(&envelope, 6);
	spin.expect = 3; /* the number was taken: the same request under the next */
	spin.not_after_us = 99;
	SAME(first, id_of(TOPIC_SPIN_COMMANDS, &spin.base));
	spin.request_id.data = other_key;
	DIFFER(first, id_of(TOPIC_SPIN_COMMANDS, &spin.base));
	spin = spin_of(&envelope, 5);
	spin.player = 18;
	DIFFER(first, id_of(TOPIC_SPIN_COMMANDS, &spin.base));
}

static void test_a_question_is_named_by_its_content(void **state)
{
	Carillon__Envelope envelope;
	Carillon__SpinCommand spin = spin_of(&envelope, 5);
	char game[] = "bewitched";
	struct id first;

	(void)state;
	spin.request_id.len = 0;
	spin.game = game;
	first = id_of(TOPIC_SPIN_COMMANDS, &spin.base);
	envelope.time_us = 7;
	spin.correlation = 8;
	SAME(first, id_of(TOPIC_SPIN_COMMANDS, &spin.base));
	spin.round = 4;
	DIFFER(first, id_of(TOPIC_SPIN_COMMANDS, &spin.base));
}

static void test_a_proposal_is_named_by_move_and_request(void **state)
{
	Carillon__WalletCommand command;
	Carillon__Proposal proposal;
	struct id first;

	(void)state;
	carillon__wallet_command__init(&command);
	carillon__proposal__init(&proposal);
	command.player = 17;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_PROPOSAL;
	command.proposal = &proposal;
	proposal.move = 9;
	proposal.request_id = (ProtobufCBinaryData){ sizeof(key), key };
	first = id_of(TOPIC_WALLET_COMMANDS, &command.base);
	proposal.win_balance = 1000; /* drawn again by another engine */
	command.correlation = 9;
	SAME(first, id_of(TOPIC_WALLET_COMMANDS, &command.base));
	proposal.move = 10;
	DIFFER(first, id_of(TOPIC_WALLET_COMMANDS, &command.base));
	proposal.move = 9;
	proposal.request_id.data = other_key;
	DIFFER(first, id_of(TOPIC_WALLET_COMMANDS, &command.base));
}

static void test_money_and_awards_are_named_by_their_ids(void **state)
{
	Carillon__WalletCommand command;
	Carillon__Outside outside;
	Carillon__Award award;
	struct id money, first;

	(void)state;
	carillon__wallet_command__init(&command);
	carillon__outside__init(&outside);
	carillon__award__init(&award);
	command.player = 17;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = &outside;
	outside.id = (ProtobufCBinaryData){ sizeof(key), key };
	money = id_of(TOPIC_WALLET_COMMANDS, &command.base);
	outside.amount_minor = 5;
	SAME(money, id_of(TOPIC_WALLET_COMMANDS, &command.base));
	command.body_case = CARILLON__WALLET_COMMAND__BODY_AWARD;
	command.award = &award;
	award.move = 3;
	award.index = 1;
	first = id_of(TOPIC_WALLET_COMMANDS, &command.base);
	DIFFER(money, first);
	award.paid_minor = 100;
	SAME(first, id_of(TOPIC_WALLET_COMMANDS, &command.base));
	award.index = 2;
	DIFFER(first, id_of(TOPIC_WALLET_COMMANDS, &command.base));
}

static void test_a_claim_is_named_by_its_id(void **state)
{
	Carillon__JackpotCommand command;
	Carillon__JackpotFeed feed;
	Carillon__Claim claim;
	Carillon__Envelope envelope;

	(void)state;
	carillon__jackpot_command__init(&command);
	carillon__jackpot_feed__init(&feed);
	carillon__claim__init(&claim);
	carillon__envelope__init(&envelope);
	command.pool = feed.pool = claim.pool = 4;
	command.body_case = CARILLON__JACKPOT_COMMAND__BODY_CLAIM;
	command.claim = &feed;
	feed.claim = &claim;
	claim.player = 17;
	claim.move = 9;
	claim.index = 1;
	struct id first = id_of(TOPIC_JACKPOT_COMMANDS, &command.base);
	feed.envelope = &envelope;
	envelope.seq = 88; /* the totals of a repeat are newer */
	SAME(first, id_of(TOPIC_JACKPOT_COMMANDS, &command.base));
	claim.index = 2;
	DIFFER(first, id_of(TOPIC_JACKPOT_COMMANDS, &command.base));
	claim.index = 1;
	claim.move = 10;
	DIFFER(first, id_of(TOPIC_JACKPOT_COMMANDS, &command.base));
	claim.move = 9;
	claim.player = 18;
	DIFFER(first, id_of(TOPIC_JACKPOT_COMMANDS, &command.base));
}

static void test_bytes_that_are_no_message_have_an_id(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
	} ROWS[] = { { "", 0 }, { "\xff", 1 },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11 }, { "\x12\x7f", 2 },
		{ "\x0b", 1 }, { "\x10\x01\x12", 3 }, { "\x10\x01\x1b", 3 } };
	struct id seen[3][sizeof(ROWS) / sizeof(ROWS[0])];
	static const enum topic KINDS[] = { TOPIC_SPIN_COMMANDS, TOPIC_WALLET_COMMANDS,
		TOPIC_JACKPOT_COMMANDS };
	struct command_asker asker;

	(void)state;
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
			uint8_t *exact = malloc(ROWS[i].length + 1);
			memcpy(exact, ROWS[i].bytes, ROWS[i].length);
			command_id(KINDS[k], exact, ROWS[i].length, seen[k][i].bytes);
			command_asker(KINDS[k], exact, ROWS[i].length, &asker);
			assert_string_equal(asker.reply_to, "");
			free(exact);
			for (size_t j = 0; j < i; j++)
				DIFFER(seen[k][i], seen[k][j]);
			for (size_t j = 0; j < k; j++)
				DIFFER(seen[k][i], seen[j][i]);
		}
}

static void test_the_asker_of_each_kind(void **state)
{
	Carillon__Envelope envelope;
	Carillon__SpinCommand spin = spin_of(&envelope, 5);
	Carillon__JackpotCommand pick;
	struct command_asker asker;
	uint8_t packed[1024];
	size_t n = carillon__spin_command__pack(&spin, packed);

	(void)state;
	command_asker(TOPIC_SPIN_COMMANDS, packed, n, &asker);
	assert_int_equal(asker.player, 17);
	assert_int_equal(asker.correlation, 5);
	assert_string_equal(asker.reply_to, "ipc://nn/gateway-1");
	carillon__jackpot_command__init(&pick);
	pick.pool = 4;
	pick.correlation = 6;
	pick.reply_to = spin.reply_to;
	n = carillon__jackpot_command__pack(&pick, packed);
	command_asker(TOPIC_JACKPOT_COMMANDS, packed, n, &asker);
	assert_int_equal(asker.player, 0);
	assert_int_equal(asker.correlation, 6);
	assert_string_equal(asker.reply_to, "ipc://nn/gateway-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_spin_is_named_by_player_and_request),
		cmocka_unit_test(test_a_question_is_named_by_its_content),
		cmocka_unit_test(test_a_proposal_is_named_by_move_and_request),
		cmocka_unit_test(test_money_and_awards_are_named_by_their_ids),
		cmocka_unit_test(test_a_claim_is_named_by_its_id),
		cmocka_unit_test(test_bytes_that_are_no_message_have_an_id),
		cmocka_unit_test(test_the_asker_of_each_kind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
