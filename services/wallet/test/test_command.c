/* The decoder of wallet.commands: accepts well-formed commands unchanged, rejects others with
 * where, found, expected. */
#include "services/wallet/adapters/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define PLAYER ((INT64_C(1) << 48) + 7)
#define WHY_MAX 256

/* A valid command of each kind, in which a case changes something. */
struct whole {
	Carillon__WalletCommand command;
	Carillon__Envelope envelope;
	Carillon__Proposal proposal;
	Carillon__Outside outside;
	Carillon__SpinGrant spins;
	Carillon__Award award;
	Carillon__Claim claim;
	Carillon__Claim *claims[WALLET_CLAIMS_MAX + 1];
	uint32_t pools[WALLET_POOLS_MAX + 1];
	uint8_t bytes[WALLET_RECORD_MAX + 1];
	char text[600];
};

static void whole_make(struct whole *w)
{
	memset(w, 0, sizeof(*w));
	carillon__wallet_command__init(&w->command);
	carillon__envelope__init(&w->envelope);
	carillon__proposal__init(&w->proposal);
	carillon__outside__init(&w->outside);
	carillon__spin_grant__init(&w->spins);
	carillon__award__init(&w->award);
	carillon__claim__init(&w->claim);
	w->command.envelope = &w->envelope;
	w->command.player = PLAYER;
	w->claim.index = 1;
	for (size_t i = 0; i <= WALLET_CLAIMS_MAX; i++)
		w->claims[i] = &w->claim;
	memset(w->text, 'x', sizeof(w->text) - 1);
	w->outside.id = w->outside.content_hash =
		(ProtobufCBinaryData){ WALLET_ID_BYTES, w->bytes };
}

static void as_proposal(struct whole *w)
{
	w->command.body_case = CARILLON__WALLET_COMMAND__BODY_PROPOSAL;
	w->command.proposal = &w->proposal;
}

static void as_outside(struct whole *w)
{
	w->command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	w->command.outside = &w->outside;
}

static void as_spins(struct whole *w)
{
	as_outside(w);
	w->outside.kind = CARILLON__MOVE_KIND__MOVE_SPINS;
	w->outside.spins = &w->spins;
	w->spins.game = 2;
}

static void as_end(struct whole *w)
{
	as_outside(w);
	w->outside.kind = CARILLON__MOVE_KIND__MOVE_SPINS_END;
	w->outside.spins = &w->spins;
	w->spins.grant = w->outside.id;
}

static void as_award(struct whole *w)
{
	w->command.body_case = CARILLON__WALLET_COMMAND__BODY_AWARD;
	w->command.award = &w->award;
}

static enum command_status read_back(
	const struct whole *w, struct arena *arena, struct command *command, char *why)
{
	size_t size = carillon__wallet_command__get_packed_size(&w->command);
	uint8_t *bytes = arena_alloc(arena, size + 1);

	(void)carillon__wallet_command__pack(&w->command, bytes);
	return command_read(bytes, size, arena, command, why, WHY_MAX);
}

#define SPOIL(name, kind, change)                                                                  \
	static void name(struct whole *w)                                                          \
	{                                                                                          \
		as_##kind(w);                                                                      \
		change;                                                                            \
	}
SPOIL(player_none, proposal, w->command.player = 0)
SPOIL(player_negative, proposal, w->command.player = -5)
SPOIL(player_no_operator, proposal, w->command.player = 7)
SPOIL(reply_long, proposal, w->command.reply_to = w->text)
SPOIL(move_huge, proposal, w->proposal.move = UINT64_MAX)
SPOIL(round_huge, proposal, w->proposal.round = UINT64_C(1) << 63)
SPOIL(game_huge, proposal, w->proposal.game = UINT32_MAX)
SPOIL(mode_huge, proposal, w->proposal.mode = UINT32_MAX)
SPOIL(kind_negative, proposal, w->proposal.kind = (Carillon__MoveKind)-1)
SPOIL(currency_huge, proposal, w->proposal.currency = UINT32_MAX)
SPOIL(record_long, proposal,
	(w->proposal.record = (ProtobufCBinaryData){ WALLET_RECORD_MAX + 1, w->bytes }))
SPOIL(request_long, proposal, (w->proposal.request_id = (ProtobufCBinaryData){ 17, w->bytes }))
SPOIL(pools_many, proposal, w->proposal.pools = w->pools;
	w->proposal.n_pools = WALLET_POOLS_MAX + 1)
SPOIL(pool_huge, proposal, w->proposal.pools = w->pools; w->pools[0] = UINT32_MAX;
	w->proposal.n_pools = 1)
SPOIL(claims_many, proposal, w->proposal.claims = w->claims;
	w->proposal.n_claims = WALLET_CLAIMS_MAX + 1)
SPOIL(claim_index, proposal, w->proposal.claims = w->claims; w->claim.index = UINT32_MAX;
	w->proposal.n_claims = 1)
SPOIL(id_none, outside, w->outside.id.len = 0)
SPOIL(id_short, outside, w->outside.id.len = 15)
SPOIL(hash_short, outside, w->outside.content_hash.len = 15)
SPOIL(former_short, outside, w->outside.kind = CARILLON__MOVE_KIND__MOVE_HOLD;
	(w->outside.former_hash = (ProtobufCBinaryData){ 15, w->bytes }))
SPOIL(former_deposit, outside, w->outside.former_hash = w->outside.id)
SPOIL(reason_long, outside, w->outside.reason = w->text)
SPOIL(actor_long, outside, w->outside.actor = w->text)
SPOIL(outside_currency, outside, w->outside.currency = UINT32_MAX)
SPOIL(bonus_short, proposal, (w->proposal.bonus_spin = (ProtobufCBinaryData){ 15, w->bytes }))
SPOIL(spins_game, spins, w->spins.game = UINT32_MAX)
SPOIL(spins_lines, spins, w->spins.lines = UINT32_MAX)
SPOIL(spins_coins, spins, w->spins.coins = UINT32_MAX)
SPOIL(spins_count, spins, w->spins.spins = UINT32_MAX)
SPOIL(spins_expires, spins, w->spins.expires_us = UINT64_MAX)
SPOIL(spins_grant, spins, w->spins.grant = w->outside.id)
SPOIL(spins_actor, spins, w->spins.actor = w->text)
SPOIL(spins_reason, spins, w->outside.reason = w->text)
SPOIL(end_none, end, w->outside.spins = NULL)
SPOIL(end_short, end, w->spins.grant.len = 3)
SPOIL(award_move, award, w->award.move = UINT64_MAX)
SPOIL(award_hit, award, w->award.hit = UINT64_MAX)

static void test_command_unreadable_table(void **state)
{
	static const struct {
		void (*spoil)(struct whole *w);
		const char *where;
	} cases[] = {
		{ player_none, "player: found 0" },
		{ player_negative, "player: found -5" },
		{ player_no_operator, "player: found 7" },
		{ reply_long, "reply_to: found 599 bytes" },
		{ move_huge, "proposal.move: found 18446744073709551615" },
		{ round_huge, "proposal.round: found 9223372036854775808" },
		{ game_huge, "proposal.game: found 4294967295" },
		{ mode_huge, "proposal.mode: " },
		{ kind_negative, "proposal.kind: found -1" },
		{ currency_huge, "proposal.currency: " },
		{ record_long, "proposal.record: found 1025 bytes, expected at most 1024" },
		{ request_long, "proposal.request_id: found 17 bytes" },
		{ pools_many, "proposal.pools: found 5" },
		{ pool_huge, "proposal.pools: found 4294967295" },
		{ claims_many, "proposal.claims: found 257" },
		{ claim_index, "proposal.claims.index: " },
		{ id_none, "outside.id: found 0 bytes, expected 16" },
		{ id_short, "outside.id: found 15 bytes" },
		{ hash_short, "outside.content_hash: found 15 bytes" },
		{ former_short, "outside.former_hash: found 15 bytes" },
		{ former_deposit, "outside.former_hash: found 16 bytes, expected none" },
		{ reason_long, "outside.reason: found 599 bytes" },
		{ actor_long, "outside.actor: found 599 bytes" },
		{ outside_currency, "outside.currency: " },
		{ bonus_short, "proposal.bonus_spin: found 15 bytes, expected 16" },
		{ spins_game, "outside.spins.game: found 4294967295" },
		{ spins_lines, "outside.spins.lines: " },
		{ spins_coins, "outside.spins.coins: " },
		{ spins_count, "outside.spins.spins: " },
		{ spins_expires, "outside.spins.expires_us: found 18446744073709551615" },
		{ spins_grant, "outside.spins.grant: found 16 bytes, expected none" },
		{ spins_actor, "outside.spins.actor, .reason: found 599 bytes" },
		{ spins_reason, "outside.reason: found 599 bytes" },
		{ end_none, "outside.spins: found nothing, expected" },
		{ end_short, "outside.spins.grant: found 3 bytes, expected 16" },
		{ award_move, "award.move: " },
		{ award_hit, "award.hit: " },
	};
	static struct whole whole;
	struct arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct command command;
		char why[WHY_MAX] = "";
		whole_make(&whole);
		cases[i].spoil(&whole);
		if (read_back(&whole, &arena, &command, why) != COMMAND_UNREADABLE)
			fail_msg("case %zu (%s) was read", i, cases[i].where);
		if (strncmp(why, cases[i].where, strlen(cases[i].where)) != 0 ||
			strstr(why, ", expected ") == NULL)
			fail_msg("case %zu: '%s', expected it to begin with '%s'", i, why,
				cases[i].where);
		arena_reset(&arena);
	}
	arena_free(&arena);
}

static void test_command_garbage_is_reported(void **state)
{
	static const uint8_t garbage[] = { 0xff, 0xff, 0xff, 0xff };
	struct arena arena = { 0 };
	struct command command;
	char why[WHY_MAX];

	(void)state;
	assert_int_equal(command_read(garbage, sizeof(garbage), &arena, &command, why, sizeof(why)),
		COMMAND_UNREADABLE);
	assert_string_equal(why, "found 4 bytes that are not a message, expected a WalletCommand");
	arena_free(&arena);
}

static void test_command_proposal_arrives_whole(void **state)
{
	static struct whole w;
	struct arena arena = { 0 };
	struct command command;
	char why[WHY_MAX];

	(void)state;
	whole_make(&w);
	as_proposal(&w);
	w.command.correlation = 99;
	w.command.reply_to = w.text + 595;
	w.proposal.move = 12;
	w.proposal.kind = CARILLON__MOVE_KIND__MOVE_BET;
	w.proposal.stake = -3; /* the decoder accepts any amount: the core refuses it, as a row */
	w.proposal.record = (ProtobufCBinaryData){ 3, w.bytes };
	w.proposal.claims = w.claims;
	w.proposal.n_claims = 1;
	w.claim.coin_minor = 20;
	assert_int_equal(read_back(&w, &arena, &command, why), COMMAND_OK);
	assert_int_equal(command.kind, COMMAND_PROPOSAL);
	assert_int_equal(command.correlation, 99);
	assert_string_equal(command.reply_to, "xxxx");
	assert_int_equal(command.proposal.move, 12);
	assert_int_equal(command.proposal.stake, -3);
	assert_int_equal(command.proposal.record_length, 3);
	assert_int_equal(command.proposal.claims_n, 1);
	assert_int_equal(command.proposal.claims[0].coin_minor, 20);
	arena_free(&arena);
}

static void test_command_reason_becomes_json(void **state)
{
	static const char expected[] = "{\"actor\":\"a\\\"b\",\"reason\":\"tab\\u0009end\"}";
	static struct whole w;
	char actor[] = "a\"b";
	char reason[] = "tab\tend";
	struct arena arena = { 0 };
	struct command command;
	char why[WHY_MAX];

	(void)state;
	whole_make(&w);
	as_outside(&w);
	w.outside.actor = actor;
	w.outside.reason = reason;
	assert_int_equal(read_back(&w, &arena, &command, why), COMMAND_OK);
	assert_int_equal(command.outside.record_length, sizeof(expected) - 1);
	assert_memory_equal(command.outside.record, expected, sizeof(expected) - 1);
	arena_free(&arena);
}

/* The engine reads the grant from the row, with actor and reason. */
static void test_command_bonus_spins_record(void **state)
{
	static struct whole w;
	char actor[] = "operator-1";
	char reason[] = "welcome";
	struct arena arena = { 0 };
	struct command command;
	Carillon__SpinGrant *record;
	char why[WHY_MAX];

	(void)state;
	whole_make(&w);
	as_spins(&w);
	w.outside.actor = actor;
	w.outside.reason = reason;
	w.outside.currency = 978;
	w.spins.coin_minor = 2;
	w.spins.lines = 40;
	w.spins.coins = 1;
	w.spins.spins = 10;
	w.spins.expires_us = 77;
	assert_int_equal(read_back(&w, &arena, &command, why), COMMAND_OK);
	assert_int_equal(command.outside.spins.game, 2);
	assert_int_equal(command.outside.spins.currency, 978);
	assert_int_equal(command.outside.spins.coin_minor, 2);
	assert_int_equal(command.outside.spins.lines, 40);
	assert_int_equal(command.outside.spins.spins, 10);
	assert_int_equal(command.outside.spins.expires_us, 77);
	record = carillon__spin_grant__unpack(
		NULL, command.outside.record_length, command.outside.record);
	assert_non_null(record);
	assert_int_equal(record->spins, 10);
	assert_int_equal(record->expires_us, 77);
	assert_string_equal(record->actor, "operator-1");
	assert_string_equal(record->reason, "welcome");
	carillon__spin_grant__free_unpacked(record, NULL);
	arena_free(&arena);
}

/* A body from a later version is not malformed: it is refused as a row. */
static void test_command_unknown_body(void **state)
{
	static struct whole w;
	struct arena arena = { 0 };
	struct command command;
	char why[WHY_MAX];

	(void)state;
	whole_make(&w);
	assert_int_equal(read_back(&w, &arena, &command, why), COMMAND_OK);
	assert_int_equal(command.kind, COMMAND_UNKNOWN);
	assert_int_equal(command.player, PLAYER);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_unreadable_table),
		cmocka_unit_test(test_command_garbage_is_reported),
		cmocka_unit_test(test_command_proposal_arrives_whole),
		cmocka_unit_test(test_command_reason_becomes_json),
		cmocka_unit_test(test_command_bonus_spins_record),
		cmocka_unit_test(test_command_unknown_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
