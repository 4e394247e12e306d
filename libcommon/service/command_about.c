#include "libcommon/service/command_about.h"

#include "libcommon/base/sha256.h"

#include <string.h>

#define VARINT 0u
#define FIXED_64 1u
#define BYTES 2u
#define FIXED_32 5u
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

/* A field on the wire. Of a varint the value, of bytes where they are. `at` to `end`: all of it. */
struct field {
	uint32_t number, type;
	uint64_t value;
	const uint8_t *bytes;
	size_t length;
	const uint8_t *at, *end;
};

struct walk {
	const uint8_t *at, *end;
};

static bool varint(struct walk *walk, uint64_t *value_r)
{
	*value_r = 0;
	for (unsigned shift = 0; shift < 64 && walk->at < walk->end; shift += 7) {
		uint8_t byte = *walk->at++;
		*value_r |= (uint64_t)(byte & 0x7fu) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool skip(struct walk *walk, uint64_t length, struct field *field_r)
{
	if (length > (uint64_t)(walk->end - walk->at))
		return false;
	field_r->bytes = walk->at;
	field_r->length = (size_t)length;
	walk->at += length;
	return true;
}

/* False at the end, and where the bytes are no message. */
static bool next(struct walk *walk, struct field *field_r)
{
	uint64_t tag;
	uint64_t length;
	bool good;
	*field_r = (struct field){ .at = walk->at };
	if (walk->at == walk->end || !varint(walk, &tag))
		return false;
	field_r->number = (uint32_t)(tag >> 3);
	field_r->type = (uint32_t)(tag & 7u);
	if (field_r->type == VARINT)
		good = varint(walk, &field_r->value);
	else if (field_r->type == BYTES)
		good = varint(walk, &length) && skip(walk, length, field_r);
	else if (field_r->type == FIXED_64 || field_r->type == FIXED_32)
		good = skip(walk, field_r->type == FIXED_64 ? 8 : 4, field_r);
	else
		good = false;
	field_r->end = walk->at;
	return good;
}

/* The last field with this number, as decoders take it; false: none. */
static bool find(
	const uint8_t *bytes, size_t length, uint32_t number, uint32_t type, struct field *field_r)
{
	struct walk walk = { bytes, bytes + length };
	struct field field;
	bool found = false;
	while (next(&walk, &field))
		if (field.number == number && field.type == type) {
			*field_r = field;
			found = true;
		}
	return found;
}

/* Adds a field, or that there is none, so that two ids differ when one of their fields does. */
static void add(
	struct sha256 *sha, const uint8_t *bytes, size_t length, uint32_t number, uint32_t type)
{
	struct field field = { 0 };
	uint64_t head[3] = { number, 0, 0 };
	head[1] = find(bytes, length, number, type, &field);
	head[2] = type == VARINT ? field.value : field.length;
	sha256_add(sha, head, sizeof(head));
	if (field.length > 0)
		sha256_add(sha, field.bytes, field.length);
}

static bool spin_id(struct sha256 *sha, const uint8_t *bytes, size_t length)
{
	struct field field;
	if (!find(bytes, length, SPIN_REQUEST_ID, BYTES, &field) || field.length == 0)
		return false;
	add(sha, bytes, length, PLAYER, VARINT);
	add(sha, bytes, length, SPIN_REQUEST_ID, BYTES);
	return true;
}

static bool wallet_id(struct sha256 *sha, const uint8_t *bytes, size_t length)
{
	struct field body;
	add(sha, bytes, length, PLAYER, VARINT);
	if (find(bytes, length, WALLET_PROPOSAL, BYTES, &body)) {
		add(sha, body.bytes, body.length, PROPOSAL_MOVE, VARINT);
		add(sha, body.bytes, body.length, PROPOSAL_REQUEST_ID, BYTES);
	} else if (find(bytes, length, WALLET_OUTSIDE, BYTES, &body)) {
		add(sha, body.bytes, body.length, OUTSIDE_ID, BYTES);
	} else if (find(bytes, length, WALLET_AWARD, BYTES, &body)) {
		add(sha, body.bytes, body.length, AWARD_MOVE, VARINT);
		add(sha, body.bytes, body.length, AWARD_INDEX, VARINT);
		add(sha, body.bytes, body.length, AWARD_POOL, VARINT);
	} else {
		return false;
	}
	return true;
}

/* The totals beside a claim grow from one repeat to the next. */
static bool claim_id(struct sha256 *sha, const uint8_t *bytes, size_t length)
{
	struct field feed, claim;
	if (!find(bytes, length, JACKPOT_CLAIM, BYTES, &feed) ||
		!find(feed.bytes, feed.length, FEED_CLAIM, BYTES, &claim))
		return false;
	add(sha, claim.bytes, claim.length, CLAIM_PLAYER, VARINT);
	add(sha, claim.bytes, claim.length, CLAIM_MOVE, VARINT);
	add(sha, claim.bytes, claim.length, CLAIM_INDEX, VARINT);
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

static void content_id(struct sha256 *sha, enum topic kind, const uint8_t *bytes, size_t length)
{
	struct walk walk = { bytes, bytes + length };
	struct field field;
	while (next(&walk, &field))
		if (!of_the_try(kind, field.number))
			sha256_add(sha, field.at, (size_t)(field.end - field.at));
	/* Whatever is no message counts as it is. */
	sha256_add(sha, field.at, (size_t)(walk.end - field.at));
}

void command_id(
	enum topic kind, const uint8_t *bytes, size_t length, uint8_t id_r[COMMAND_ID_BYTES])
{
	uint8_t digest[SHA256_BYTES];
	uint8_t mark = (uint8_t)kind;
	struct sha256 sha;
	sha256_begin(&sha);
	sha256_add(&sha, &mark, sizeof(mark));
	bool known = (kind == TOPIC_SPIN_COMMANDS && spin_id(&sha, bytes, length)) ||
		     (kind == TOPIC_WALLET_COMMANDS && wallet_id(&sha, bytes, length)) ||
		     (kind == TOPIC_JACKPOT_COMMANDS && claim_id(&sha, bytes, length));
	if (!known)
		content_id(&sha, kind, bytes, length);
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
	struct field field;
	*asker_r = (struct command_asker){ 0 };
	if (FIELDS[kind].player != 0 && find(bytes, length, FIELDS[kind].player, VARINT, &field))
		asker_r->player = field.value;
	if (find(bytes, length, FIELDS[kind].correlation, VARINT, &field))
		asker_r->correlation = field.value;
	if (find(bytes, length, FIELDS[kind].reply_to, BYTES, &field) &&
		field.length < COMMAND_ASKER_MAX)
		memcpy(asker_r->reply_to, field.bytes, field.length);
}
