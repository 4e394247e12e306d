#include "libcommon/service/command_about.h"

#include "libcommon/base/sha256.h"
#include "libcommon/base/wire.h"

#include <string.h>

/* Field numbers of proto/spin.proto, wallet.proto and jackpot.proto. */
#define ENVELOPE 1u
#define PLAYER 2u /* of a spin and of the wallet's commands */
#define SPIN_REQUEST_ID 5u
#define WALLET_PROPOSAL 3u
#define WALLET_OUTSIDE 4u
#define WALLET_AWARD 5u
#define PROPOSAL_MOVE 1u
#define PROPOSAL_REQUEST_ID 15u
#define OUTSIDE_ID 2u
#define AWARD_MOVE 1u
#define AWARD_INDEX 2u
#define AWARD_POOL 3u
#define JACKPOT_CLAIM 12u
#define FEED_CLAIM 5u
#define CLAIM_INDEX 1u
#define CLAIM_PLAYER 7u
#define CLAIM_MOVE 8u

/* Adds a field, or that there is none, so that two ids differ when one of their fields does. */
static void add(struct sha256 *sha, struct wire_bytes message, uint32_t number, enum wire_type type)
{
	struct wire_field field;
	uint64_t head[3] = { number, 0, 0 };
	head[1] = wire_find(message, number, type, &field);
	head[2] = type == WIRE_VARINT ? field.value : field.bytes.n;
	sha256_add(sha, head, sizeof(head));
	if (field.bytes.n > 0)
		sha256_add(sha, field.bytes.at, field.bytes.n);
}

static bool spin_id(struct sha256 *sha, struct wire_bytes message)
{
	struct wire_field field;
	if (!wire_find(message, SPIN_REQUEST_ID, WIRE_BYTES, &field) || field.bytes.n == 0)
		return false;
	add(sha, message, PLAYER, WIRE_VARINT);
	add(sha, message, SPIN_REQUEST_ID, WIRE_BYTES);
	return true;
}

static bool wallet_id(struct sha256 *sha, struct wire_bytes message)
{
	struct wire_field body;
	add(sha, message, PLAYER, WIRE_VARINT);
	if (wire_find(message, WALLET_PROPOSAL, WIRE_BYTES, &body)) {
		add(sha, body.bytes, PROPOSAL_MOVE, WIRE_VARINT);
		add(sha, body.bytes, PROPOSAL_REQUEST_ID, WIRE_BYTES);
	} else if (wire_find(message, WALLET_OUTSIDE, WIRE_BYTES, &body)) {
		add(sha, body.bytes, OUTSIDE_ID, WIRE_BYTES);
	} else if (wire_find(message, WALLET_AWARD, WIRE_BYTES, &body)) {
		add(sha, body.bytes, AWARD_MOVE, WIRE_VARINT);
		add(sha, body.bytes, AWARD_INDEX, WIRE_VARINT);
		add(sha, body.bytes, AWARD_POOL, WIRE_VARINT);
	} else {
		return false;
	}
	return true;
}

/* The totals beside a claim grow from one repeat to the next. */
static bool claim_id(struct sha256 *sha, struct wire_bytes message)
{
	struct wire_field feed, claim;
	if (!wire_find(message, JACKPOT_CLAIM, WIRE_BYTES, &feed) ||
		!wire_find(feed.bytes, FEED_CLAIM, WIRE_BYTES, &claim))
		return false;
	add(sha, claim.bytes, CLAIM_PLAYER, WIRE_VARINT);
	add(sha, claim.bytes, CLAIM_MOVE, WIRE_VARINT);
	add(sha, claim.bytes, CLAIM_INDEX, WIRE_VARINT);
	return true;
}

/* What an asker changes when it asks again. */
static bool of_the_try(enum topic kind, uint32_t number)
{
	if (number == ENVELOPE)
		return true;
	if (kind == TOPIC_SPIN_COMMANDS)
		return number >= 7 && number <= 9;
	if (kind == TOPIC_WALLET_COMMANDS)
		return number == 6 || number == 7;
	return number == 5 || number == 6;
}

static void content_id(struct sha256 *sha, enum topic kind, struct wire_bytes message)
{
	struct wire_bytes left = message;
	struct wire_field field;
	const uint8_t *at = left.at;
	for (; wire_next(&left, &field); at = left.at)
		if (!of_the_try(kind, field.number))
			sha256_add(sha, at, (size_t)(left.at - at));
	/* Whatever is no message counts as it is. */
	sha256_add(sha, left.at, left.n);
}

void command_id(
	enum topic kind, const uint8_t *bytes, size_t length, uint8_t id_r[COMMAND_ID_BYTES])
{
	uint8_t digest[SHA256_BYTES];
	uint8_t mark = (uint8_t)kind;
	struct wire_bytes message = { bytes, length };
	struct sha256 sha;
	sha256_begin(&sha);
	sha256_add(&sha, &mark, sizeof(mark));
	bool known = (kind == TOPIC_SPIN_COMMANDS && spin_id(&sha, message)) ||
		     (kind == TOPIC_WALLET_COMMANDS && wallet_id(&sha, message)) ||
		     (kind == TOPIC_JACKPOT_COMMANDS && claim_id(&sha, message));
	if (!known)
		content_id(&sha, kind, message);
	sha256_end(&sha, digest);
	memcpy(id_r, digest, COMMAND_ID_BYTES);
}

void command_asker(
	enum topic kind, const uint8_t *bytes, size_t length, struct command_asker *asker_r)
{
	static const struct {
		uint32_t reply_to, correlation, player;
	} FIELDS[TOPICS_N] = {
		[TOPIC_SPIN_COMMANDS] = { 8, 7, PLAYER },
		[TOPIC_WALLET_COMMANDS] = { 6, 7, PLAYER },
		[TOPIC_JACKPOT_COMMANDS] = { 5, 6, 0 },
	};
	struct wire_bytes message = { bytes, length };
	struct wire_field field;
	*asker_r = (struct command_asker){ 0 };
	if (FIELDS[kind].player != 0 &&
		wire_find(message, FIELDS[kind].player, WIRE_VARINT, &field))
		asker_r->player = field.value;
	if (wire_find(message, FIELDS[kind].correlation, WIRE_VARINT, &field))
		asker_r->correlation = field.value;
	if (wire_find(message, FIELDS[kind].reply_to, WIRE_BYTES, &field) &&
		field.bytes.n < COMMAND_ASKER_MAX)
		memcpy(asker_r->reply_to, field.bytes.at, field.bytes.n);
}
