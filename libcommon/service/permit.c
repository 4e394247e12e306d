#include "libcommon/service/permit.h"

#include "libcommon/base/wire.h"

#include "bus.pb-c.h"

#include <stdbool.h>
#include <string.h>

/* What a command of a kind does, as a bit. Of a wallet's money from outside it is its MoveKind,
 * which is below 40; of a spin its SpinKind; of a jackpot's the field of its body. */
#define BIT(n) (UINT64_C(1) << (n))
#define ANY (~UINT64_C(0))
#define WALLET_PROPOSAL 40
#define WALLET_AWARD 41
#define MOVE_KINDS (BIT(40) - 1)
#define UNTOLD 63 /* malformed or unknown: only a sender with ANY may send it */

enum body {
	VERDICT = CARILLON__BUS__BODY_VERDICT,
	REPLY = CARILLON__BUS__BODY_REPLY,
	REPUBLISH = CARILLON__BUS__BODY_REPUBLISH,
	CARD = CARILLON__BUS__BODY_CARD,
	HINT = CARILLON__BUS__BODY_HINT,
	OPERATOR = CARILLON__BUS__BODY_OPERATOR,
	COMMAND = CARILLON__BUS__BODY_COMMAND,
	TOTALS_QUESTION = CARILLON__BUS__BODY_TOTALS_QUESTION,
	TOTALS_ANSWER = CARILLON__BUS__BODY_TOTALS_ANSWER,
	QUARANTINED = 20,
};
#define SPIN CARILLON__COMMAND_KIND__COMMAND_SPIN
#define WALLET CARILLON__COMMAND_KIND__COMMAND_WALLET
#define JACKPOT CARILLON__COMMAND_KIND__COMMAND_JACKPOT

static const struct rule {
	const char *from, *to;
	uint32_t body, kind; /* kind: of a command */
	uint64_t acts;	     /* of that kind */
} RULES[] = {
	{ "gateway", "spin-engine", COMMAND, SPIN, ANY },
	{ "gateway", "wallet", COMMAND, WALLET, MOVE_KINDS },
	{ "gateway", "progressive-pool", COMMAND, JACKPOT,
		BIT(CARILLON__JACKPOT_COMMAND__BODY_PICK) |
			BIT(CARILLON__JACKPOT_COMMAND__BODY_OPERATOR) },
	{ "gateway", "jackpot-cards", COMMAND, JACKPOT,
		BIT(CARILLON__JACKPOT_COMMAND__BODY_PICK) |
			BIT(CARILLON__JACKPOT_COMMAND__BODY_OPERATOR) },
	{ "gateway", "payments", HINT, 0, 0 },
	{ "spin-engine", "spin-engine", COMMAND, SPIN, BIT(CARILLON__SPIN_KIND__SPIN_RESOLVE) },
	{ "spin-engine", "wallet", COMMAND, WALLET, BIT(WALLET_PROPOSAL) },
	{ "spin-engine", "gateway", REPLY, 0, 0 },
	{ "notifications", "wallet", REPUBLISH, 0, 0 },
	{ "payments", "wallet", COMMAND, WALLET,
		BIT(CARILLON__MOVE_KIND__MOVE_CAPTURE) |
			BIT(CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE) },
	{ "progressive-pool", "wallet", COMMAND, WALLET, BIT(WALLET_AWARD) },
	{ "jackpot-cards", "wallet", COMMAND, WALLET, BIT(WALLET_AWARD) },
	{ "progressive-pool", "progressive-pool", COMMAND, JACKPOT,
		BIT(CARILLON__JACKPOT_COMMAND__BODY_TRANSFER) |
			BIT(CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED) },
	{ "wallet", "progressive-pool", COMMAND, JACKPOT,
		BIT(CARILLON__JACKPOT_COMMAND__BODY_CLAIM) },
	{ "wallet", "jackpot-cards", COMMAND, JACKPOT, BIT(CARILLON__JACKPOT_COMMAND__BODY_CLAIM) },
	{ "progressive-pool", "gateway", OPERATOR, 0, 0 },
	{ "jackpot-cards", "gateway", OPERATOR, 0, 0 },
	{ "jackpot-cards", "gateway", CARD, 0, 0 },
	{ "wallet", "gateway", VERDICT, 0, 0 },
	{ "wallet", "spin-engine", VERDICT, 0, 0 },
	{ "progressive-pool", "wallet", TOTALS_QUESTION, 0, 0 },
	{ "jackpot-cards", "wallet", TOTALS_QUESTION, 0, 0 },
	{ "wallet", "progressive-pool", TOTALS_ANSWER, 0, 0 },
	{ "wallet", "jackpot-cards", TOTALS_ANSWER, 0, 0 },
	/* The sender of a command that kills its service gets an answer. */
	{ "spin-engine", "gateway", QUARANTINED, 0, 0 },
	{ "wallet", "gateway", QUARANTINED, 0, 0 },
	{ "wallet", "spin-engine", QUARANTINED, 0, 0 },
	{ "progressive-pool", "gateway", QUARANTINED, 0, 0 },
	{ "jackpot-cards", "gateway", QUARANTINED, 0, 0 },
};
#define RULES_N (sizeof(RULES) / sizeof(RULES[0]))

/* ---- what a message is ---- */

struct told {
	uint32_t body, kind;
	unsigned act;
	struct wire_bytes reply_to;
	bool twice; /* a field that decides comes twice: two readers might differ */
};

/* As the decoder of protobuf takes it: the lower 32 bits. */
static uint32_t enum_of(const struct wire_field *field)
{
	return (uint32_t)field->value;
}

static void note(uint32_t *kept, uint32_t value, struct told *told)
{
	told->twice = told->twice || *kept != 0;
	*kept = value;
}

/* The kind in an Outside. */
static unsigned outside_act(struct wire_bytes left, struct told *told)
{
	struct wire_field field;
	uint32_t kind = 0;
	while (wire_next(&left, &field))
		if (field.number == 1 && field.type != WIRE_BYTES)
			note(&kind, enum_of(&field) < WALLET_PROPOSAL ? enum_of(&field) : UNTOLD,
				told);
	return left.n == 0 && kind != 0 ? kind : UNTOLD;
}

/* SpinCommand: kind 3, reply_to 8. */
static void spin_read(const struct wire_field *field, uint32_t *act, struct told *told)
{
	if (field->number == 3 && field->type != WIRE_BYTES)
		note(act, enum_of(field) < UNTOLD ? enum_of(field) : UNTOLD, told);
	else if (field->number == 8 && field->type == WIRE_BYTES)
		told->reply_to = field->bytes;
}

/* WalletCommand: a body in 3 to 5, reply_to 6. */
static void wallet_read(const struct wire_field *field, uint32_t *act, struct told *told)
{
	if (field->number == CARILLON__WALLET_COMMAND__BODY_PROPOSAL)
		note(act, WALLET_PROPOSAL, told);
	else if (field->number == CARILLON__WALLET_COMMAND__BODY_AWARD)
		note(act, WALLET_AWARD, told);
	else if (field->number == CARILLON__WALLET_COMMAND__BODY_OUTSIDE)
		note(act, outside_act(field->bytes, told), told);
	else if (field->number == 6 && field->type == WIRE_BYTES)
		told->reply_to = field->bytes;
}

/* JackpotCommand: envelope 1, pool 2, reply_to 5, correlation 6; all else is a body. */
static void jackpot_read(const struct wire_field *field, uint32_t *act, struct told *told)
{
	if (field->number == 5 && field->type == WIRE_BYTES)
		told->reply_to = field->bytes;
	else if (field->number > 2 && field->number != 5 && field->number != 6)
		note(act, field->number < UNTOLD ? field->number : UNTOLD, told);
}

static unsigned act_of(uint32_t kind, struct wire_bytes left, struct told *told)
{
	struct wire_field field;
	uint32_t act = 0;
	while (wire_next(&left, &field))
		if (kind == SPIN)
			spin_read(&field, &act, told);
		else if (kind == WALLET)
			wallet_read(&field, &act, told);
		else if (kind == JACKPOT)
			jackpot_read(&field, &act, told);
	return left.n == 0 && act != 0 ? act : UNTOLD;
}

/* Command: kind 1, body 3. */
static bool command_read(struct wire_bytes left, struct told *told)
{
	struct wire_field field;
	struct wire_bytes body = { 0 };
	uint32_t bodies = 0;
	while (wire_next(&left, &field)) {
		if (field.number == 1 && field.type != WIRE_BYTES)
			note(&told->kind, enum_of(&field), told);
		else if (field.number == 3 && field.type == WIRE_BYTES) {
			note(&bodies, 1, told);
			body = field.bytes;
		}
	}
	told->act = act_of(told->kind, body, told);
	return left.n == 0;
}

/* TotalsQuestion: reply_to 4. */
static bool question_read(struct wire_bytes left, struct told *told)
{
	struct wire_field field;
	while (wire_next(&left, &field))
		if (field.number == 4 && field.type == WIRE_BYTES)
			told->reply_to = field.bytes;
	return left.n == 0;
}

static bool message_read(struct wire_bytes left, struct told *told)
{
	struct wire_field field;
	bool ok = true;
	while (wire_next(&left, &field)) {
		if (field.number == 1)
			continue;
		note(&told->body, field.number, told);
		if (field.number == COMMAND)
			ok = ok && field.type == WIRE_BYTES && command_read(field.bytes, told);
		else if (field.number == TOTALS_QUESTION)
			ok = ok && field.type == WIRE_BYTES && question_read(field.bytes, told);
	}
	return ok && left.n == 0 && told->body != 0;
}

/* ---- the decision ---- */

static bool ruled(const char *from, const char *to, const struct told *told)
{
	for (size_t i = 0; i < RULES_N; i++) {
		const struct rule *rule = &RULES[i];
		if (rule->body == told->body && rule->kind == told->kind &&
			strcmp(rule->from, from) == 0 && strcmp(rule->to, to) == 0 &&
			(told->body != COMMAND || (rule->acts & BIT(told->act)) != 0))
			return true;
	}
	return false;
}

static const char *body_name(const struct told *told)
{
	if (told->body != COMMAND)
		return "a message of a kind that it may not send";
	return told->kind == SPIN     ? "a spin command that it may not send"
	       : told->kind == WALLET ? "a wallet command that it may not send"
				      : "a jackpot command that it may not send";
}

const char *permit_refusal(const struct nn_bus_instance *from, const char *to,
	const uint8_t *message, size_t n, int64_t age_us)
{
	struct told told = { 0 };
	if (!message_read((struct wire_bytes){ message, n }, &told))
		return "bytes that are not a message";
	if (told.twice)
		return "a message that repeats a field which decides whether it may be sent";
	if (!ruled(from->service, to, &told))
		return body_name(&told);
	if (told.body == COMMAND && (age_us > PERMIT_AGE_MAX_US || age_us < -PERMIT_AGE_MAX_US))
		return "a command sealed more than 10 s in the past or future: compare the "
		       "two machines' clocks";
	if (told.reply_to.n > 0 &&
		(told.reply_to.n != strlen(from->url) ||
			memcmp(told.reply_to.at, from->url, told.reply_to.n) != 0))
		return "a message that requests its reply at an address other than its sender's";
	return NULL;
}
