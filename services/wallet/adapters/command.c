/* The decoder of commands to the wallet. */
#include "services/wallet/adapters/command.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The core has its own names for the wire's numbers, so it needs no generated code. */
_Static_assert((int)WALLET_KIND_OPEN == CARILLON__MOVE_KIND__MOVE_OPEN, "kinds");
_Static_assert((int)WALLET_KIND_BET == CARILLON__MOVE_KIND__MOVE_BET, "kinds");
_Static_assert((int)WALLET_KIND_RELEASE == CARILLON__MOVE_KIND__MOVE_RELEASE, "kinds");
_Static_assert((int)WALLET_KIND_GAMBLE == CARILLON__MOVE_KIND__MOVE_GAMBLE, "kinds");
_Static_assert((int)WALLET_KIND_HALVE == CARILLON__MOVE_KIND__MOVE_HALVE, "kinds");
_Static_assert((int)WALLET_KIND_COLLECT == CARILLON__MOVE_KIND__MOVE_COLLECT, "kinds");
_Static_assert((int)WALLET_KIND_VOID == CARILLON__MOVE_KIND__MOVE_VOID, "kinds");
_Static_assert((int)WALLET_KIND_SETTING == CARILLON__MOVE_KIND__MOVE_SETTING, "kinds");
_Static_assert((int)WALLET_KIND_DEPOSIT == CARILLON__MOVE_KIND__MOVE_DEPOSIT, "kinds");
_Static_assert((int)WALLET_KIND_WITHDRAWAL == CARILLON__MOVE_KIND__MOVE_WITHDRAWAL, "kinds");
_Static_assert((int)WALLET_KIND_CORRECTION == CARILLON__MOVE_KIND__MOVE_CORRECTION, "kinds");
_Static_assert((int)WALLET_KIND_GRANT == CARILLON__MOVE_KIND__MOVE_GRANT, "kinds");
_Static_assert((int)WALLET_KIND_AWARD == CARILLON__MOVE_KIND__MOVE_AWARD, "kinds");
_Static_assert((int)WALLET_KIND_BLOCK == CARILLON__MOVE_KIND__MOVE_BLOCK, "kinds");
_Static_assert((int)WALLET_KIND_BONUS_SPINS == CARILLON__MOVE_KIND__MOVE_SPINS, "kinds");
_Static_assert((int)WALLET_KIND_BONUS_SPINS_END == CARILLON__MOVE_KIND__MOVE_SPINS_END, "kinds");
_Static_assert((int)WALLET_KIND_HOLD == CARILLON__MOVE_KIND__MOVE_HOLD, "kinds");
_Static_assert((int)WALLET_KIND_CAPTURE == CARILLON__MOVE_KIND__MOVE_CAPTURE, "kinds");
_Static_assert((int)WALLET_KIND_HOLD_RELEASE == CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE, "kinds");
_Static_assert((int)WALLET_KIND_GRANT_BACK == CARILLON__MOVE_KIND__MOVE_GRANT_BACK, "kinds");
_Static_assert((int)WALLET_KIND_LIMIT == CARILLON__MOVE_KIND__MOVE_LIMIT, "kinds");
_Static_assert((int)WALLET_REFUSAL_VOIDED == CARILLON__REFUSAL__REFUSAL_VOIDED, "refusals");
_Static_assert((int)WALLET_REFUSAL_CLAIM_OPEN == CARILLON__REFUSAL__REFUSAL_CLAIM_OPEN, "refusals");
_Static_assert((int)WALLET_REFUSAL_EXCLUDED == CARILLON__REFUSAL__REFUSAL_EXCLUDED, "refusals");
_Static_assert((int)WALLET_REFUSAL_LIMIT_LOSS == CARILLON__REFUSAL__REFUSAL_LIMIT_LOSS, "refusals");
_Static_assert((int)WALLET_LIMIT_WAGER_DAY == CARILLON__LIMIT__LIMIT_WAGER_DAY, "limits");
_Static_assert((int)WALLET_LIMIT_DEPOSIT_DAY == CARILLON__LIMIT__LIMIT_DEPOSIT_DAY, "limits");
_Static_assert((int)WALLET_LIMIT_TIME == CARILLON__LIMIT__LIMIT_TIME, "limits");
_Static_assert((int)WALLET_LIMIT_EXCLUSION == CARILLON__LIMIT__LIMIT_EXCLUSION, "limits");
_Static_assert((int)WALLET_REFUSAL_HOLD == CARILLON__REFUSAL__REFUSAL_HOLD, "refusals");
_Static_assert((int)WALLET_REFUSAL_BONUS_SPINS == CARILLON__REFUSAL__REFUSAL_SPINS, "refusals");
_Static_assert((int)WALLET_REFUSAL_FUNDS == CARILLON__REFUSAL__REFUSAL_FUNDS, "refusals");
_Static_assert((int)WALLET_REFUSAL_LIMIT == CARILLON__REFUSAL__REFUSAL_LIMIT, "refusals");
_Static_assert((int)WALLET_REFUSAL_BLOCKED == CARILLON__REFUSAL__REFUSAL_BLOCKED, "refusals");
_Static_assert((int)WALLET_REFUSAL_LATE == CARILLON__REFUSAL__REFUSAL_LATE, "refusals");
_Static_assert((int)WALLET_REFUSAL_PENDING == CARILLON__REFUSAL__REFUSAL_PENDING, "refusals");
_Static_assert((int)WALLET_REFUSAL_ACCOUNT == CARILLON__REFUSAL__REFUSAL_ACCOUNT, "refusals");
_Static_assert((int)WALLET_REFUSAL_CONTENT == CARILLON__REFUSAL__REFUSAL_CONTENT, "refusals");
_Static_assert((int)WALLET_REFUSAL_TALLY == CARILLON__REFUSAL__REFUSAL_TALLY, "refusals");
_Static_assert((int)WALLET_REFUSAL_KIND == CARILLON__REFUSAL__REFUSAL_KIND, "refusals");
_Static_assert((int)WALLET_REFUSAL_CLAIM == CARILLON__REFUSAL__REFUSAL_CLAIM, "refusals");
_Static_assert((int)WALLET_REFUSAL_RATE == CARILLON__REFUSAL__REFUSAL_RATE, "refusals");
_Static_assert((int)WALLET_REFUSAL_AMOUNT == CARILLON__REFUSAL__REFUSAL_AMOUNT, "refusals");

/* The year 9999: Postgres and every date parser can represent it. */
#define BONUS_SPINS_EXPIRES_MAX_US UINT64_C(253402300799000000)

/* State of the decoder, and the first error. */
struct reading {
	struct arena *arena;
	char *why;
	size_t why_size;
	bool bad;
};

__attribute__((format(printf, 2, 3))) static void wrong(
	struct reading *reading, const char *format, ...)
{
	va_list arguments;

	if (reading->bad)
		return;
	reading->bad = true;
	va_start(arguments, format);
	(void)vsnprintf(reading->why, reading->why_size, format, arguments);
	va_end(arguments);
}

/* A number for a signed column of 32 or 64 bits. */
static uint32_t number_32(struct reading *reading, const char *where, int64_t value)
{
	if (value < 0 || value > INT32_MAX) {
		wrong(reading, "%s: found %" PRId64 ", expected 0 to %d", where, value, INT32_MAX);
		return 0;
	}
	return (uint32_t)value;
}

static uint64_t number_64(struct reading *reading, const char *where, uint64_t value)
{
	if (value > INT64_MAX) {
		wrong(reading, "%s: found %" PRIu64 ", expected 0 to %" PRId64, where, value,
			INT64_MAX);
		return 0;
	}
	return value;
}

static void id_read(
	struct reading *reading, const char *where, const ProtobufCBinaryData *bytes, uint8_t *id_r)
{
	if (bytes->len != WALLET_ID_BYTES) {
		wrong(reading, "%s: found %zu bytes, expected %d", where, bytes->len,
			WALLET_ID_BYTES);
		return;
	}
	memcpy(id_r, bytes->data, WALLET_ID_BYTES);
}

static void claims_read(
	struct reading *reading, const Carillon__Proposal *from, struct wallet_proposal *to)
{
	if (from->n_claims > WALLET_CLAIMS_MAX) {
		wrong(reading, "proposal.claims: found %zu, expected at most %d", from->n_claims,
			WALLET_CLAIMS_MAX);
		return;
	}
	if (from->n_claims == 0)
		return;
	struct wallet_claim *claims = arena_alloc(reading->arena, from->n_claims * sizeof(*claims));
	for (size_t i = 0; i < from->n_claims; i++) {
		const Carillon__Claim *claim = from->claims[i];
		claims[i] = (struct wallet_claim){
			.index = number_32(reading, "proposal.claims.index", claim->index),
			.pool = number_32(reading, "proposal.claims.pool", claim->pool),
			.kind = number_32(reading, "proposal.claims.kind", (int32_t)claim->kind),
			.coin_minor = claim->coin_minor,
			.stake_minor = claim->stake_minor,
		};
	}
	to->claims = claims;
	to->claims_n = (uint32_t)from->n_claims;
}

static void pools_read(
	struct reading *reading, const Carillon__Proposal *from, struct wallet_proposal *to)
{
	if (from->n_pools > WALLET_POOLS_MAX) {
		wrong(reading, "proposal.pools: found %zu, expected at most %d", from->n_pools,
			WALLET_POOLS_MAX);
		return;
	}
	for (size_t i = 0; i < from->n_pools; i++)
		to->pools[i] = number_32(reading, "proposal.pools", from->pools[i]);
	to->pools_n = (uint32_t)from->n_pools;
}

static void proposal_read(
	struct reading *reading, const Carillon__Proposal *from, struct wallet_proposal *to)
{
	*to = (struct wallet_proposal){
		.move = number_64(reading, "proposal.move", from->move),
		.round = number_64(reading, "proposal.round", from->round),
		.game = number_32(reading, "proposal.game", from->game),
		.mode = number_32(reading, "proposal.mode", from->mode),
		.kind = number_32(reading, "proposal.kind", (int32_t)from->kind),
		.currency = number_32(reading, "proposal.currency", from->currency),
		.pending_before = from->pending_before,
		.release = from->release,
		.stake = from->stake,
		.win_balance = from->win_balance,
		.win_pending = from->win_pending,
		.forfeit = from->forfeit,
		.awards = from->awards,
		.not_after_us = from->not_after_us,
		.record = from->record.data,
	};
	if (from->request_id.len > WALLET_ID_BYTES)
		wrong(reading, "proposal.request_id: found %zu bytes, expected at most %d",
			from->request_id.len, WALLET_ID_BYTES);
	else if (from->request_id.len > 0)
		memcpy(to->request_id, from->request_id.data, from->request_id.len);
	if (from->record.len > WALLET_RECORD_MAX)
		wrong(reading, "proposal.record: found %zu bytes, expected at most %d",
			from->record.len, WALLET_RECORD_MAX);
	to->bonus = from->bonus_spin.len > 0;
	if (to->bonus)
		id_read(reading, "proposal.bonus_spin", &from->bonus_spin, to->bonus_spin);
	if (reading->bad)
		return;
	to->request_id_length = (uint32_t)from->request_id.len;
	to->record_length = (uint32_t)from->record.len;
	claims_read(reading, from, to);
	pools_read(reading, from, to);
}

/* Text as JSON, so that people can read the journal without this program. */
static char *json_text(char *at, const char *text)
{
	*at++ = '"';
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			*at++ = '\\';
		if (c < 0x20)
			at += sprintf(at, "\\u%04x", c);
		else
			*at++ = (char)c;
	}
	*at++ = '"';
	return at;
}

/* The record of a bonus spins row is the grant, with actor and reason; the engine reads it. */
static void bonus_spins_pack(
	struct reading *reading, const Carillon__Outside *from, struct wallet_outside *to)
{
	Carillon__SpinGrant grant;

	carillon__spin_grant__init(&grant);
	if (from->spins != NULL)
		grant = *from->spins;
	grant.actor = from->actor;
	grant.reason = from->reason;
	uint8_t *bytes = arena_alloc(reading->arena, carillon__spin_grant__get_packed_size(&grant));
	to->record = bytes;
	to->record_length = (uint32_t)carillon__spin_grant__pack(&grant, bytes);
}

static void bonus_spins_read(
	struct reading *reading, const Carillon__Outside *from, struct wallet_outside *to)
{
	const Carillon__SpinGrant *spins = from->spins;
	bool end = from->kind == CARILLON__MOVE_KIND__MOVE_SPINS_END;

	if (spins == NULL && end)
		wrong(reading,
			"outside.spins: found nothing, expected the grant that is to be ended");
	if (spins == NULL)
		return; /* an empty grant: refused as a row */
	to->spins = (struct wallet_bonus_spins){
		.game = number_32(reading, "outside.spins.game", spins->game),
		.currency = to->currency,
		.lines = number_32(reading, "outside.spins.lines", spins->lines),
		.coins = number_32(reading, "outside.spins.coins", spins->coins),
		.spins = number_32(reading, "outside.spins.spins", spins->spins),
		.coin_minor = spins->coin_minor,
		.expires_us = spins->expires_us > BONUS_SPINS_EXPIRES_MAX_US
				      ? BONUS_SPINS_EXPIRES_MAX_US
				      : spins->expires_us,
	};
	if (spins->expires_us > BONUS_SPINS_EXPIRES_MAX_US)
		wrong(reading,
			"outside.spins.expires_us: found %" PRIu64 ", expected at most %" PRIu64,
			spins->expires_us, BONUS_SPINS_EXPIRES_MAX_US);
	if (end)
		id_read(reading, "outside.spins.grant", &spins->grant, to->spins.id);
	if (!end && spins->grant.len > 0)
		wrong(reading, "outside.spins.grant: found %zu bytes, expected none",
			spins->grant.len);
	if (strlen(spins->actor) + strlen(spins->reason) > 0)
		wrong(reading, "outside.spins.actor, .reason: found %zu bytes, expected none",
			strlen(spins->actor) + strlen(spins->reason));
}

static void reason_read(
	struct reading *reading, const Carillon__Outside *from, struct wallet_outside *to)
{
	size_t actor = strlen(from->actor);
	size_t reason = strlen(from->reason);

	if (actor > COMMAND_REASON_MAX || reason > COMMAND_REASON_MAX) {
		wrong(reading, "outside.%s: found %zu bytes, expected at most %d",
			actor > COMMAND_REASON_MAX ? "actor" : "reason",
			actor > COMMAND_REASON_MAX ? actor : reason, COMMAND_REASON_MAX);
		return;
	}
	if (from->kind == CARILLON__MOVE_KIND__MOVE_SPINS ||
		from->kind == CARILLON__MOVE_KIND__MOVE_SPINS_END) {
		bonus_spins_pack(reading, from, to);
		return;
	}
	if (actor + reason == 0)
		return;
	char *text = arena_alloc(reading->arena, 6 * (actor + reason) + 64);
	char *at = text + sprintf(text, "{\"actor\":");
	at = json_text(at, from->actor);
	at += sprintf(at, ",\"reason\":");
	at = json_text(at, from->reason);
	*at++ = '}';
	to->record = (const uint8_t *)text;
	to->record_length = (uint32_t)(at - text);
}

static void outside_read(
	struct reading *reading, const Carillon__Outside *from, struct wallet_outside *to)
{
	*to = (struct wallet_outside){
		.kind = number_32(reading, "outside.kind", (int32_t)from->kind),
		.currency = number_32(reading, "outside.currency", from->currency),
		.amount = from->amount_minor,
		.limit = number_32(reading, "outside.limit", (int32_t)from->limit),
	};
	id_read(reading, "outside.id", &from->id, to->id);
	id_read(reading, "outside.content_hash", &from->content_hash, to->content_hash);
	to->former = from->former_hash.len > 0;
	if (to->former && to->kind != WALLET_KIND_HOLD)
		wrong(reading, "outside.former_hash: found %zu bytes, expected none",
			from->former_hash.len);
	if (to->former)
		id_read(reading, "outside.former_hash", &from->former_hash, to->former_hash);
	reason_read(reading, from, to);
	if (wallet_hold_settles(to->kind))
		id_read(reading, "outside.of", &from->of, to->of);
	else if (from->of.len > 0)
		wrong(reading, "outside.of: found %zu bytes, expected none", from->of.len);
	if (from->kind == CARILLON__MOVE_KIND__MOVE_SPINS ||
		from->kind == CARILLON__MOVE_KIND__MOVE_SPINS_END)
		bonus_spins_read(reading, from, to);
}

static void award_read(
	struct reading *reading, const Carillon__Award *from, struct wallet_award *to)
{
	*to = (struct wallet_award){
		.move = number_64(reading, "award.move", from->move),
		.index = number_32(reading, "award.index", from->index),
		.pool = number_32(reading, "award.pool", from->pool),
		.currency = number_32(reading, "award.currency", from->currency),
		.paid = from->paid_minor,
		.hit = number_64(reading, "award.hit", from->hit),
	};
}

static void body_read(
	struct reading *reading, const Carillon__WalletCommand *from, struct command *to)
{
	switch (from->body_case) {
	case CARILLON__WALLET_COMMAND__BODY_PROPOSAL:
		to->kind = COMMAND_PROPOSAL;
		proposal_read(reading, from->proposal, &to->proposal);
		break;
	case CARILLON__WALLET_COMMAND__BODY_OUTSIDE:
		to->kind = COMMAND_OUTSIDE;
		outside_read(reading, from->outside, &to->outside);
		break;
	case CARILLON__WALLET_COMMAND__BODY_AWARD:
		to->kind = COMMAND_AWARD;
		award_read(reading, from->award, &to->award);
		break;
	case CARILLON__WALLET_COMMAND__BODY__NOT_SET:
	case _CARILLON__WALLET_COMMAND__BODY__CASE_IS_INT_SIZE:
	default:
		to->kind = COMMAND_UNKNOWN;
		break;
	}
}

enum command_status command_read(const uint8_t *bytes, size_t length, struct arena *arena,
	struct command *command_r, char *why_r, size_t why_size)
{
	struct reading reading = { .arena = arena, .why = why_r, .why_size = why_size };
	ProtobufCAllocator allocator = arena_allocator(arena);
	const Carillon__WalletCommand *from =
		carillon__wallet_command__unpack(&allocator, length, bytes);

	memset(command_r, 0, sizeof(*command_r));
	if (from == NULL) {
		wrong(&reading, "found %zu bytes that are not a message, expected a WalletCommand",
			length);
		return COMMAND_UNREADABLE;
	}
	command_r->player = from->player;
	command_r->envelope = from->envelope;
	command_r->reply_to = from->reply_to;
	command_r->correlation = from->correlation;
	if (!player_id_valid(from->player))
		wrong(&reading,
			"player: found %" PRId64 ", expected operator and number, each above 0",
			from->player);
	if (strlen(from->reply_to) >= COMMAND_URL_MAX)
		wrong(&reading, "reply_to: found %zu bytes, expected less than %d",
			strlen(from->reply_to), COMMAND_URL_MAX);
	body_read(&reading, from, command_r);
	return reading.bad ? COMMAND_UNREADABLE : COMMAND_OK;
}
