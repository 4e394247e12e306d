/* Every field of a SpinCommand, wrong one at a time: a clear error or a dead letter. */
#include "services/spin-engine/adapters/command.h"

#include "spin.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PLAYER INT64_C(0x0001000000000007)

static uint8_t bytes_40[40];
static char long_text[200];

/* A valid bet; its parts live until the next call. */
static Carillon__SpinCommand *good(void)
{
	static Carillon__SpinCommand command;
	static Carillon__Bet bet;
	static Carillon__Autoplay autoplay;
	static char game[] = "bewitched", currency[] = "EUR", reason[] = "why",
		    reply[] = "ipc://nn/gateway-1";

	carillon__spin_command__init(&command);
	carillon__bet__init(&bet);
	carillon__autoplay__init(&autoplay);
	command.player = PLAYER;
	command.kind = CARILLON__SPIN_KIND__SPIN_BET;
	command.expect = 3;
	command.request_id = (ProtobufCBinaryData){ 16, bytes_40 };
	command.content_hash = (ProtobufCBinaryData){ 16, bytes_40 };
	command.client_nonce = (ProtobufCBinaryData){ 32, bytes_40 };
	command.correlation = 9;
	command.reply_to = reply;
	command.game = game;
	command.currency = currency;
	command.reason = reason;
	command.round = 2;
	bet.coin_minor = 1;
	bet.lines = bet.coins = 1;
	command.bet = &bet;
	autoplay.spins = 5;
	autoplay.id = (ProtobufCBinaryData){ 16, bytes_40 };
	command.autoplay = &autoplay;
	return &command;
}

static void check(
	const Carillon__SpinCommand *command, enum command_status status, const char *where)
{
	struct spin_command read;
	struct fault fault;
	char reason[160] = "";

	assert_int_equal(command_read(command, &read, &fault, reason), status);
	if (status == COMMAND_BAD) {
		assert_int_equal(fault.http, 400);
		assert_string_equal(fault.where, where);
		assert_true(fault.message[0] != '\0');
		assert_int_equal(read.correlation, 9);
		assert_string_equal(read.reply_to, "ipc://nn/gateway-1");
	} else if (status == COMMAND_UNREADABLE) {
		assert_non_null(strstr(reason, where));
	} else {
		assert_int_equal(fault.http, 0);
	}
}

#define ROW(change, status, where)                                                                 \
	do {                                                                                       \
		Carillon__SpinCommand *c = good();                                                 \
		change;                                                                            \
		check(c, status, where);                                                           \
	} while (0)

static void test_command_fields(void **unused)
{
	static char sideways[] = "sideways", empty[] = "", pick[] = "pick", witch[] = "witch",
		    autoplay[] = "autoplay", xyz[] = "XYZ";

	(void)unused;
	memset(long_text, 'x', sizeof(long_text) - 1);
	ROW((void)0, COMMAND_OK, "");
	ROW(c->player = 0, COMMAND_UNREADABLE, "player");
	ROW(c->player = -1, COMMAND_UNREADABLE, "player");
	ROW(c->reply_to = long_text, COMMAND_UNREADABLE, "reply_to");
	ROW(c->kind = 0, COMMAND_BAD, "kind");
	ROW(c->kind = (Carillon__SpinKind)77, COMMAND_BAD, "kind");
	ROW(c->request_id.len = 15, COMMAND_BAD, "request_id");
	ROW(c->request_id.len = 0, COMMAND_BAD, "request_id");
	ROW(c->content_hash.len = 40, COMMAND_BAD, "content_hash");
	ROW(c->client_nonce.len = 15, COMMAND_BAD, "client_nonce");
	ROW(c->client_nonce.len = 33, COMMAND_BAD, "client_nonce");
	ROW(c->bet = NULL, COMMAND_BAD, "bet");
	ROW(c->bet->autoplay_id = ((ProtobufCBinaryData){ 3, bytes_40 }), COMMAND_BAD,
		"bet.autoplay_id");
	/* RULE mystic-gem 7.2: a bonus spin comes without a bet */
	ROW(c->bet->bonus_spin = ((ProtobufCBinaryData){ 16, bytes_40 }), COMMAND_BAD, "bet");
	ROW(c->bet->bonus_spin = ((ProtobufCBinaryData){ 16, bytes_40 });
		c->bet->lines = c->bet->coins = 0, COMMAND_BAD, "bet");
	ROW(c->bet->bonus_spin = ((ProtobufCBinaryData){ 16, bytes_40 });
		c->bet->lines = c->bet->coins = 0; c->bet->coin_minor = 0;
		c->bet->mode = pick, COMMAND_BAD, "bet");
	ROW(c->bet->bonus_spin = ((ProtobufCBinaryData){ 16, bytes_40 });
		c->bet->lines = c->bet->coins = 0; c->bet->coin_minor = 0, COMMAND_OK, "");
	ROW(c->bet->bonus_spin = ((ProtobufCBinaryData){ 15, bytes_40 }), COMMAND_BAD,
		"bonus_spin");
	ROW(c->game = long_text, COMMAND_BAD, "game");
	ROW(c->game = empty, COMMAND_BAD, "game");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_OPEN; c->currency = xyz, COMMAND_BAD, "currency");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_OPEN; c->game = empty, COMMAND_OK, "");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_STEP; c->action = sideways, COMMAND_BAD, "action");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_STEP; c->action = pick, COMMAND_OK, "");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_SETTING; c->action = pick, COMMAND_BAD, "action");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_SETTING; c->action = witch, COMMAND_OK, "");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_SETTING; c->action = autoplay;
		c->autoplay = NULL, COMMAND_BAD, "autoplay");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_SETTING; c->action = autoplay;
		c->autoplay->id.len = 4, COMMAND_BAD, "autoplay.id");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_VOID; c->reason = empty, COMMAND_BAD, "reason");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_VOID; c->reason = long_text, COMMAND_BAD, "reason");
	ROW(c->kind = CARILLON__SPIN_KIND__SPIN_REPLAY; c->round = 0, COMMAND_BAD, "round");
}

/* Every refusal of a command has an HTTP status, a code and a message. */
static void test_command_every_refusal_has_text(void **unused)
{
	struct fault fault;

	(void)unused;
	for (int refusal = REFUSED_NO_ACCOUNT; refusal < PLAYER_REFUSALS_N; refusal++) {
		struct player_error error = {
			.refusal = (enum player_refusal)refusal, .detail = 1, .min = 1
		};

		fault_of_error(&error, &fault);
		assert_true(fault.http >= 400 && fault.http < 600);
		assert_true(fault.code[0] != '\0' && fault.message[0] != '\0');
	}
	for (uint32_t refusal = 1; refusal < 20; refusal++) {
		fault_of_refusal(refusal, &fault);
		assert_true(fault.http >= 400 && fault.code[0] != '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_fields),
		cmocka_unit_test(test_command_every_refusal_has_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
