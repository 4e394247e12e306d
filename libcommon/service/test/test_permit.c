/* Who may say what: each kind of message, from each service to each other. */
#include "libcommon/service/permit.h"

#include "libcommon/service/direct.h"

#include "bus.pb-c.h"
#include "jackpot.pb-c.h"
#include "spin.pb-c.h"
#include "wallet.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES_MAX 512
#define SERVICES_N (sizeof(SERVICES) / sizeof(SERVICES[0]))

static const char *const SERVICES[] = { "gateway", "notifications", "spin-engine", "wallet",
	"progressive-pool", "jackpot-cards", "payments" };
static char own_url[] = "ipc://nn/own", other_url[] = "ipc://nn/other";

static const char *refusal(const char *from, const char *to, const uint8_t *bytes, size_t n)
{
	const struct nn_bus_instance sender = { .service = from, .url = own_url };
	return permit_refusal(&sender, to, bytes, n, 1000);
}

/* ---- messages ---- */

static uint8_t bytes[BYTES_MAX];
static size_t length;

static void plain(Carillon__Bus__BodyCase body)
{
	static Carillon__WalletFact fact;
	Carillon__Bus bus;
	Carillon__Envelope envelope;
	carillon__bus__init(&bus);
	carillon__envelope__init(&envelope);
	carillon__wallet_fact__init(&fact);
	bus.envelope = &envelope;
	bus.body_case = body;
	/* All bodies are messages behind one pointer; an empty one of any kind is packed alike. */
	const ProtobufCFieldDescriptor *field =
		protobuf_c_message_descriptor_get_field(&carillon__bus__descriptor, body);
	assert_non_null(field);
	ProtobufCMessage *inner = calloc(1, 1024);
	assert_non_null(inner);
	const ProtobufCMessageDescriptor *descriptor = field->descriptor;
	assert_true(descriptor->sizeof_message <= 1024);
	descriptor->message_init(inner);
	memcpy((uint8_t *)&bus + field->offset, &inner, sizeof(void *));
	length = carillon__bus__pack(&bus, bytes);
	free(inner);
}

static void command(enum topic kind, const ProtobufCMessage *message)
{
	uint8_t packed[BYTES_MAX];
	size_t n = protobuf_c_message_pack(message, packed);
	assert_true(n < BYTES_MAX - DIRECT_HEAD_MAX);
	length = direct_pack(kind, 1, packed, n, bytes);
}

static void spin(Carillon__SpinKind kind, char *reply_to)
{
	Carillon__SpinCommand spin;
	carillon__spin_command__init(&spin);
	spin.kind = kind;
	spin.reply_to = reply_to;
	command(TOPIC_SPIN_COMMANDS, &spin.base);
}

static void wallet(Carillon__WalletCommand__BodyCase body, Carillon__MoveKind kind, char *reply_to)
{
	Carillon__WalletCommand wallet;
	Carillon__Proposal proposal;
	Carillon__Outside outside;
	Carillon__Award award;
	carillon__wallet_command__init(&wallet);
	carillon__proposal__init(&proposal);
	carillon__outside__init(&outside);
	carillon__award__init(&award);
	outside.kind = kind;
	wallet.body_case = body;
	if (body == CARILLON__WALLET_COMMAND__BODY_PROPOSAL)
		wallet.proposal = &proposal;
	else if (body == CARILLON__WALLET_COMMAND__BODY_OUTSIDE)
		wallet.outside = &outside;
	else
		wallet.award = &award;
	wallet.reply_to = reply_to;
	command(TOPIC_WALLET_COMMANDS, &wallet.base);
}

static void jackpot(Carillon__JackpotCommand__BodyCase body)
{
	Carillon__JackpotCommand jackpot;
	Carillon__CardPick pick;
	Carillon__OperatorCommand operator;
	Carillon__PoolTransfer transfer;
	Carillon__JackpotFeed feed;
	carillon__jackpot_command__init(&jackpot);
	carillon__jackpot_feed__init(&feed);
	carillon__card_pick__init(&pick);
	carillon__operator_command__init(&operator);
	carillon__pool_transfer__init(&transfer);
	jackpot.pool = 7;
	jackpot.body_case = body;
	if (body == CARILLON__JACKPOT_COMMAND__BODY_PICK)
		jackpot.pick = &pick;
	else if (body == CARILLON__JACKPOT_COMMAND__BODY_OPERATOR)
		jackpot.operator_ = &operator;
	else if (body == CARILLON__JACKPOT_COMMAND__BODY_CLAIM)
		jackpot.claim = &feed;
	else
		jackpot.transfer = &transfer; /* and transfer_booked: one pointer */
	command(TOPIC_JACKPOT_COMMANDS, &jackpot.base);
}

/* The message at hand may be said by these alone: pairs "from>to", ended by NULL. */
static void only(const char *what, const char *const *pairs)
{
	for (size_t f = 0; f < SERVICES_N; f++)
		for (size_t t = 0; t < SERVICES_N; t++) {
			char pair[64];
			bool expected = false;
			(void)snprintf(pair, sizeof(pair), "%s>%s", SERVICES[f], SERVICES[t]);
			for (size_t i = 0; pairs[i] != NULL; i++)
				expected = expected || strcmp(pairs[i], pair) == 0;
			if ((refusal(SERVICES[f], SERVICES[t], bytes, length) == NULL) != expected)
				fail_msg("%s: %s: expected to be %s", what, pair,
					expected ? "taken" : "refused");
		}
}
#define ONLY(...) only(PAIRS_OF(__VA_ARGS__, NULL))
#define PAIRS_OF(what, ...)                                                                        \
	what, (const char *const[])                                                                \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static void test_each_kind_of_message_has_its_senders(void **state)
{
	(void)state;
	plain(CARILLON__BUS__BODY_VERDICT);
	ONLY("verdict", "wallet>gateway", "wallet>spin-engine");
	plain(CARILLON__BUS__BODY_REPLY);
	ONLY("reply", "spin-engine>gateway");
	plain(CARILLON__BUS__BODY_REPUBLISH);
	ONLY("republish", "notifications>wallet");
	plain(CARILLON__BUS__BODY_CARD);
	ONLY("card", "jackpot-cards>gateway");
	plain(CARILLON__BUS__BODY_HINT);
	ONLY("hint", "gateway>payments");
	plain(CARILLON__BUS__BODY_TOTALS_QUESTION);
	ONLY("totals asked", "progressive-pool>wallet", "jackpot-cards>wallet");
	plain(CARILLON__BUS__BODY_TOTALS_ANSWER);
	ONLY("totals answered", "wallet>progressive-pool", "wallet>jackpot-cards");
	plain(CARILLON__BUS__BODY_OPERATOR);
	ONLY("operator", "progressive-pool>gateway", "jackpot-cards>gateway");
}

static void test_each_command_has_its_senders(void **state)
{
	(void)state;
	for (unsigned i = 0; i < carillon__spin_kind__descriptor.n_values; i++) {
		int kind = carillon__spin_kind__descriptor.values[i].value;
		spin((Carillon__SpinKind)kind, own_url);
		if (kind == CARILLON__SPIN_KIND__SPIN_RESOLVE)
			ONLY("resolve", "gateway>spin-engine", "spin-engine>spin-engine");
		else
			ONLY("spin", "gateway>spin-engine");
	}
	wallet(CARILLON__WALLET_COMMAND__BODY_PROPOSAL, 0, own_url);
	ONLY("proposal", "spin-engine>wallet");
	wallet(CARILLON__WALLET_COMMAND__BODY_AWARD, 0, own_url);
	ONLY("award", "progressive-pool>wallet", "jackpot-cards>wallet");
	for (unsigned i = 1; i < carillon__move_kind__descriptor.n_values; i++) {
		Carillon__MoveKind kind =
			(Carillon__MoveKind)carillon__move_kind__descriptor.values[i].value;
		wallet(CARILLON__WALLET_COMMAND__BODY_OUTSIDE, kind, own_url);
		if (kind == CARILLON__MOVE_KIND__MOVE_CAPTURE ||
			kind == CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE)
			ONLY("settlement", "gateway>wallet", "payments>wallet");
		else
			ONLY("outside", "gateway>wallet");
	}
	jackpot(CARILLON__JACKPOT_COMMAND__BODY_PICK);
	ONLY("pick", "gateway>progressive-pool", "gateway>jackpot-cards");
	jackpot(CARILLON__JACKPOT_COMMAND__BODY_OPERATOR);
	ONLY("operator's", "gateway>progressive-pool", "gateway>jackpot-cards");
	jackpot(CARILLON__JACKPOT_COMMAND__BODY_TRANSFER);
	ONLY("transfer", "progressive-pool>progressive-pool");
	jackpot(CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED);
	ONLY("transfer booked", "progressive-pool>progressive-pool");
	jackpot(CARILLON__JACKPOT_COMMAND__BODY_CLAIM);
	ONLY("claim", "wallet>progressive-pool", "wallet>jackpot-cards");
}

/* Can anybody say this to anybody? */
static bool said(void)
{
	for (size_t f = 0; f < SERVICES_N; f++)
		for (size_t t = 0; t < SERVICES_N; t++)
			if (refusal(SERVICES[f], SERVICES[t], bytes, length) == NULL)
				return true;
	return false;
}

/* Of a command: a body of this field, whose field 1 is a deposit's kind. */
static void command_body(enum topic kind, uint32_t id)
{
	const uint8_t packed[] = { (uint8_t)(id << 3 | 2), 2, 8,
		CARILLON__MOVE_KIND__MOVE_DEPOSIT };
	length = direct_pack(kind, 1, packed, sizeof(packed), bytes);
}

/* Whoever adds a kind of message decides in permit.c who may send it. */
static void test_every_field_of_the_protocol_is_known(void **state)
{
	static const struct {
		const ProtobufCMessageDescriptor *message;
		enum topic kind;
	} COMMANDS[] = { { &carillon__wallet_command__descriptor, TOPIC_WALLET_COMMANDS },
		{ &carillon__jackpot_command__descriptor, TOPIC_JACKPOT_COMMANDS } };
	(void)state;
	for (unsigned i = 0; i < carillon__bus__descriptor.n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &carillon__bus__descriptor.fields[i];
		if (field->id == 1 || field->id == CARILLON__BUS__BODY_COMMAND)
			continue;
		plain((Carillon__Bus__BodyCase)field->id);
		if (!said())
			fail_msg("Bus.%s: nobody may send it: permit.c has no row", field->name);
	}
	for (size_t c = 0; c < sizeof(COMMANDS) / sizeof(COMMANDS[0]); c++)
		for (unsigned i = 0; i < COMMANDS[c].message->n_fields; i++) {
			const ProtobufCFieldDescriptor *field = &COMMANDS[c].message->fields[i];
			if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0)
				continue;
			command_body(COMMANDS[c].kind, field->id);
			if (!said())
				fail_msg("%s.%s: nobody may send it: permit.c has no row",
					COMMANDS[c].message->name, field->name);
		}
	/* The numbers that permit.c reads by hand. */
	assert_int_equal(protobuf_c_message_descriptor_get_field_by_name(
				 &carillon__spin_command__descriptor, "kind")
				 ->id,
		3);
	assert_int_equal(protobuf_c_message_descriptor_get_field_by_name(
				 &carillon__spin_command__descriptor, "reply_to")
				 ->id,
		8);
	assert_int_equal(protobuf_c_message_descriptor_get_field_by_name(
				 &carillon__wallet_command__descriptor, "reply_to")
				 ->id,
		6);
	assert_int_equal(protobuf_c_message_descriptor_get_field_by_name(
				 &carillon__jackpot_command__descriptor, "reply_to")
				 ->id,
		5);
	assert_int_equal(protobuf_c_message_descriptor_get_field_by_name(
				 &carillon__outside__descriptor, "kind")
				 ->id,
		1);
}

static void test_answers_go_to_who_asked(void **state)
{
	static char none[] = "", prefix[] = "ipc://nn/ow";
	(void)state;
	spin(CARILLON__SPIN_KIND__SPIN_BET, other_url);
	assert_non_null(
		strstr(refusal("gateway", "spin-engine", bytes, length), "an address other"));
	spin(CARILLON__SPIN_KIND__SPIN_BET, prefix);
	assert_non_null(refusal("gateway", "spin-engine", bytes, length));
	spin(CARILLON__SPIN_KIND__SPIN_BET, none);
	assert_null(refusal("gateway", "spin-engine", bytes, length));
	wallet(CARILLON__WALLET_COMMAND__BODY_PROPOSAL, 0, other_url);
	assert_non_null(refusal("spin-engine", "wallet", bytes, length));
}

static void test_old_commands_are_refused_and_old_answers_are_not(void **state)
{
	const struct nn_bus_instance gateway = { .service = "gateway", .url = own_url };
	const struct nn_bus_instance engine = { .service = "spin-engine", .url = own_url };
	(void)state;
	spin(CARILLON__SPIN_KIND__SPIN_BET, own_url);
	assert_null(permit_refusal(&gateway, "spin-engine", bytes, length, PERMIT_AGE_MAX_US));
	assert_null(permit_refusal(&gateway, "spin-engine", bytes, length, -PERMIT_AGE_MAX_US));
	assert_non_null(
		permit_refusal(&gateway, "spin-engine", bytes, length, PERMIT_AGE_MAX_US + 1));
	assert_non_null(
		permit_refusal(&gateway, "spin-engine", bytes, length, -PERMIT_AGE_MAX_US - 1));
	plain(CARILLON__BUS__BODY_REPLY);
	assert_null(permit_refusal(&engine, "gateway", bytes, length, 10 * PERMIT_AGE_MAX_US));
}

/* Readers of protobuf take the last of two: what decides must not come twice. */
static void test_what_comes_twice_is_refused(void **state)
{
	uint8_t first[BYTES_MAX];
	size_t first_n;
	Carillon__WalletCommand wallet_command;
	uint8_t inner[BYTES_MAX];
	(void)state;
	/* Two bodies of the bus: an answer, then a command. */
	plain(CARILLON__BUS__BODY_REPUBLISH);
	memcpy(first, bytes, first_n = length);
	wallet(CARILLON__WALLET_COMMAND__BODY_AWARD, 0, own_url);
	memcpy(first + first_n, bytes, length);
	assert_non_null(refusal("notifications", "wallet", first, first_n + length));
	/* A settlement, and a deposit behind it. */
	carillon__wallet_command__init(&wallet_command);
	Carillon__Outside outside;
	carillon__outside__init(&outside);
	wallet_command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	wallet_command.outside = &outside;
	outside.kind = CARILLON__MOVE_KIND__MOVE_CAPTURE;
	size_t n = carillon__wallet_command__pack(&wallet_command, inner);
	outside.kind = CARILLON__MOVE_KIND__MOVE_DEPOSIT;
	n += carillon__wallet_command__pack(&wallet_command, inner + n);
	length = direct_pack(TOPIC_WALLET_COMMANDS, 1, inner, n, bytes);
	assert_non_null(strstr(refusal("payments", "wallet", bytes, length), "repeats a field"));
}

/* Bytes that the decoder takes as a deposit. */
static void deposit_in_disguise(const uint8_t *packed, size_t n)
{
	Carillon__WalletCommand *read = carillon__wallet_command__unpack(NULL, n, packed);
	assert_non_null(read);
	assert_int_equal(read->body_case, CARILLON__WALLET_COMMAND__BODY_OUTSIDE);
	assert_int_equal(read->outside->kind, CARILLON__MOVE_KIND__MOVE_DEPOSIT);
	carillon__wallet_command__free_unpacked(read, NULL);
	length = direct_pack(TOPIC_WALLET_COMMANDS, 1, packed, n, bytes);
	assert_non_null(refusal("spin-engine", "wallet", bytes, length));
	assert_non_null(refusal("payments", "wallet", bytes, length));
	assert_non_null(refusal("progressive-pool", "wallet", bytes, length));
}

/* Where this reader and the decoder could differ, who may not send a deposit sends none. */
static void test_numbers_of_more_than_32_bits_hide_nothing(void **state)
{
	/* An Outside of the kind 2^32 + MOVE_DEPOSIT: the decoder takes the lower 32 bits. */
	static const uint8_t KIND[] = { 4 << 3 | 2, 6, 1 << 3,
		0x80 | CARILLON__MOVE_KIND__MOVE_DEPOSIT, 0x80, 0x80, 0x80, 0x10 };
	/* A settlement, a deposit, and a field 2^29 that the decoder does not know. */
	static const uint8_t TAG[] = { 4 << 3 | 2, 2, 1 << 3, CARILLON__MOVE_KIND__MOVE_CAPTURE,
		4 << 3 | 2, 2, 1 << 3, CARILLON__MOVE_KIND__MOVE_DEPOSIT, 0x80, 0x80, 0x80, 0x80,
		0x10, 0 };
	/* An answer to another address, and the same field. */
	static const uint8_t REPLY_TO[] = { 3 << 3, CARILLON__SPIN_KIND__SPIN_BET, 8 << 3 | 2, 1,
		'x', 0x80, 0x80, 0x80, 0x80, 0x10, 0 };
	(void)state;
	deposit_in_disguise(KIND, sizeof(KIND));
	assert_null(refusal("gateway", "wallet", bytes, length));
	deposit_in_disguise(TAG, sizeof(TAG));
	assert_non_null(strstr(refusal("payments", "wallet", bytes, length), "repeats a field"));
	length = direct_pack(TOPIC_SPIN_COMMANDS, 1, REPLY_TO, sizeof(REPLY_TO), bytes);
	assert_non_null(
		strstr(refusal("gateway", "spin-engine", bytes, length), "an address other"));
	/* Malformed bytes follow: a sender that may send every kind must still give its own
	 * address. */
	length = direct_pack(TOPIC_SPIN_COMMANDS, 1, REPLY_TO, sizeof(REPLY_TO) - 1, bytes);
	assert_non_null(
		strstr(refusal("gateway", "spin-engine", bytes, length), "an address other"));
}

static void question(char *reply_to)
{
	Carillon__Bus bus;
	Carillon__TotalsQuestion question;
	carillon__bus__init(&bus);
	carillon__totals_question__init(&question);
	question.pool = 7;
	question.reply_to = reply_to;
	bus.body_case = CARILLON__BUS__BODY_TOTALS_QUESTION;
	bus.totals_question = &question;
	length = carillon__bus__pack(&bus, bytes);
}

static void test_totals_go_to_who_asked(void **state)
{
	(void)state;
	question(own_url);
	ONLY("totals asked", "progressive-pool>wallet", "jackpot-cards>wallet");
	question(other_url);
	ONLY("totals asked for another");
	assert_int_equal(protobuf_c_message_descriptor_get_field_by_name(
				 &carillon__totals_question__descriptor, "reply_to")
				 ->id,
		4);
}

static void test_what_cannot_be_read_is_for_the_service(void **state)
{
	static const uint8_t BAD[] = { 0xff, 0xff, 0xff, 0xff };
	(void)state;
	/* The body of a command is for who may send every command of the kind. */
	length = direct_pack(TOPIC_SPIN_COMMANDS, 1, BAD, sizeof(BAD), bytes);
	ONLY("unreadable", "gateway>spin-engine");
	length = direct_pack(TOPIC_WALLET_COMMANDS, 1, BAD, sizeof(BAD), bytes);
	ONLY("unreadable");
	assert_non_null(refusal("gateway", "wallet", BAD, sizeof(BAD)));
	assert_non_null(refusal("gateway", "wallet", BAD, 0));
	assert_non_null(refusal("a stranger", "wallet", bytes, length));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_of_message_has_its_senders),
		cmocka_unit_test(test_each_command_has_its_senders),
		cmocka_unit_test(test_every_field_of_the_protocol_is_known),
		cmocka_unit_test(test_answers_go_to_who_asked),
		cmocka_unit_test(test_old_commands_are_refused_and_old_answers_are_not),
		cmocka_unit_test(test_what_comes_twice_is_refused),
		cmocka_unit_test(test_numbers_of_more_than_32_bits_hide_nothing),
		cmocka_unit_test(test_totals_go_to_who_asked),
		cmocka_unit_test(test_what_cannot_be_read_is_for_the_service),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
