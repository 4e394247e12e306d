#include "services/gateway/adapters/letter.h"

#include "jackpot.pb-c.h"
#include "wallet.pb-c.h"

#include <string.h>

#define OUTSIDE_ID_BYTES 16
/* Field numbers of proto/wallet.proto and jackpot.proto. */
#define PLAYER 2
#define POOL 2
#define OUTSIDE_KIND 1
#define OUTSIDE_ID 2
#define OUTSIDE_AMOUNT 4
#define OUTSIDE_CURRENCY 5
#define ACTION 1
#define ACTION_ID 5

/* ---- the bytes ---- */

struct bytes {
	const uint8_t *at;
	size_t n;
};

struct field {
	uint32_t number;
	bool is_bytes;
	uint64_t value; /* of a varint */
	struct bytes bytes;
};

static bool varint(struct bytes *left, uint64_t *value_r)
{
	*value_r = 0;
	for (unsigned shift = 0; shift < 64 && left->n > 0; shift += 7) {
		uint8_t byte = *left->at;
		left->at++;
		left->n--;
		*value_r |= (uint64_t)(byte & 0x7fu) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool skip(struct bytes *left, uint64_t n)
{
	if (n > left->n)
		return false;
	left->at += n;
	left->n -= (size_t)n;
	return true;
}

/* False at the end, and where the rest is malformed: then left->n is not 0. */
static bool next(struct bytes *left, struct field *field_r)
{
	struct bytes at = *left;
	uint64_t tag, length = 0;
	bool whole = false;

	*field_r = (struct field){ 0 };
	if (at.n == 0 || !varint(&at, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
		return false;
	field_r->number = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case 0:
		whole = varint(&at, &field_r->value);
		break;
	case 1:
		whole = skip(&at, 8);
		break;
	case 2:
		field_r->is_bytes = varint(&at, &length);
		field_r->bytes = (struct bytes){ at.at, (size_t)length };
		whole = field_r->is_bytes && skip(&at, length);
		break;
	case 5:
		whole = skip(&at, 4);
		break;
	default:
		break;
	}
	if (whole)
		*left = at;
	return whole;
}

/* The last field of this number, as decoders take it. */
static struct field find(struct bytes bytes, uint32_t number, bool is_bytes)
{
	struct field field, found = { 0 };

	while (next(&bytes, &field))
		if (field.number == number && field.is_bytes == is_bytes)
			found = field;
	return found;
}

/* Do these bytes end where a field ends? Then what is added behind them is read as fields. */
static bool is_whole(struct bytes bytes)
{
	struct field field;

	while (next(&bytes, &field))
		;
	return bytes.n == 0;
}

/* ---- commands to the wallet ---- */

static const struct {
	Carillon__MoveKind kind;
	const char *what, *why_not;
} BOOKINGS[] = {
	{ CARILLON__MOVE_KIND__MOVE_DEPOSIT, "deposit", NULL },
	{ CARILLON__MOVE_KIND__MOVE_WITHDRAWAL, "withdrawal", NULL },
	{ CARILLON__MOVE_KIND__MOVE_CORRECTION, "correction", NULL },
	{ CARILLON__MOVE_KIND__MOVE_GRANT, "grant", NULL },
	{ CARILLON__MOVE_KIND__MOVE_SPINS, "bonus spins", NULL },
	{ CARILLON__MOVE_KIND__MOVE_SPINS_END, "bonus spins ended", NULL },
	{ CARILLON__MOVE_KIND__MOVE_HOLD, "withdrawal", NULL },
	{ CARILLON__MOVE_KIND__MOVE_CAPTURE, "withdrawal paid", NULL },
	{ CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE, "withdrawal returned", NULL },
	{ CARILLON__MOVE_KIND__MOVE_GRANT_BACK, "grant taken back", NULL },
	{ CARILLON__MOVE_KIND__MOVE_BLOCK, "block", "newer" },
	{ CARILLON__MOVE_KIND__MOVE_LIMIT, "limit", "newer" },
};

static void booking(struct bytes body, struct letter_about *about)
{
	uint64_t kind = find(body, OUTSIDE_KIND, false).value;

	about->why_not = "unreadable";
	for (size_t i = 0; i < sizeof(BOOKINGS) / sizeof(BOOKINGS[0]); i++) {
		if (kind != (uint64_t)BOOKINGS[i].kind)
			continue;
		about->what = BOOKINGS[i].what;
		about->why_not = BOOKINGS[i].why_not;
		about->money = true;
		about->amount_minor = (int64_t)find(body, OUTSIDE_AMOUNT, false).value;
		about->currency = (uint32_t)find(body, OUTSIDE_CURRENCY, false).value;
		if (find(body, OUTSIDE_ID, true).bytes.n != OUTSIDE_ID_BYTES || !is_whole(body))
			about->why_not = "unreadable";
	}
}

static void wallet_read(struct bytes command, struct letter_about *about)
{
	struct field outside = find(command, CARILLON__WALLET_COMMAND__BODY_OUTSIDE, true);

	about->player = (player_id)find(command, PLAYER, false).value;
	if (outside.is_bytes) {
		booking(outside.bytes, about);
	} else if (find(command, CARILLON__WALLET_COMMAND__BODY_PROPOSAL, true).is_bytes) {
		about->what = "move";
		about->why_not = "sender";
	} else if (find(command, CARILLON__WALLET_COMMAND__BODY_AWARD, true).is_bytes) {
		about->what = "award";
		about->why_not = "sender";
	}
}

/* ---- commands to pools and sets ---- */

static const char *const ACTIONS[] = { "", "pause", "resume", "retire", "adjust", "parameters",
	"create", "take part", "odds", "weights" };

/* An adjustment moves an amount, once by its id. The others set what something newer may have set
 * since. */
static void action(struct bytes body, struct letter_about *about)
{
	uint64_t number = find(body, ACTION, false).value;

	if (number == 0 || number >= sizeof(ACTIONS) / sizeof(ACTIONS[0]))
		return;
	about->what = ACTIONS[number];
	about->why_not = "newer";
	if (number == CARILLON__OPERATOR_ACTION__ACTION_ADJUST && is_whole(body) &&
		find(body, ACTION_ID, true).bytes.n == OUTSIDE_ID_BYTES)
		about->why_not = NULL;
}

static void jackpot_read(struct bytes command, struct letter_about *about)
{
	struct field operator_ = find(command, CARILLON__JACKPOT_COMMAND__BODY_OPERATOR, true);

	about->pool = (uint32_t)find(command, POOL, false).value;
	if (operator_.is_bytes) {
		action(operator_.bytes, about);
	} else if (find(command, CARILLON__JACKPOT_COMMAND__BODY_PICK, true).is_bytes) {
		about->what = "pick";
		about->why_not = "player";
	} else if (find(command, CARILLON__JACKPOT_COMMAND__BODY_CLAIM, true).is_bytes) {
		about->what = "claim";
		about->why_not = "sender";
	} else if (find(command, CARILLON__JACKPOT_COMMAND__BODY_TRANSFER, true).is_bytes ||
		   find(command, CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED, true).is_bytes) {
		about->what = "transfer";
		about->why_not = "sender";
	}
}

/* ---- all kinds ---- */

static bool kind_of(const char *topic, enum topic *kind_r)
{
	for (int kind = 0; kind < TOPICS_N; kind++)
		if (strcmp(topic_name((enum topic)kind), topic) == 0) {
			*kind_r = (enum topic)kind;
			return true;
		}
	return false;
}

static const char *const WRITERS[] = { "wallet", "progressive-pool", "jackpot-cards" };

const char *letter_writer(const char *service)
{
	for (size_t i = 0; i < sizeof(WRITERS) / sizeof(WRITERS[0]); i++)
		if (strcmp(WRITERS[i], service) == 0)
			return WRITERS[i];
	return NULL;
}

/* Commands of this kind are this service's to carry out. */
static bool is_owner(enum topic kind, const char *service)
{
	const char *writer = letter_writer(service);

	return writer != NULL && (kind == TOPIC_WALLET_COMMANDS) == (writer == WRITERS[0]);
}

static void command_read(const struct letter *letter, struct letter_about *about)
{
	struct bytes command = { letter->bytes, letter->length };

	if (about->kind == TOPIC_WALLET_COMMANDS)
		wallet_read(command, about);
	else
		jackpot_read(command, about);
	if (!is_whole(command) ||
		(about->kind == TOPIC_WALLET_COMMANDS ? !player_id_valid(about->player)
						      : about->pool == 0))
		about->why_not = "unreadable";
	else if (!is_owner(about->kind, letter->service))
		about->why_not = "writer";
	else if (about->why_not == NULL && letter->length > LETTER_SENT_MAX)
		about->why_not = "long";
}

struct letter_about letter_read(const struct letter *letter)
{
	struct letter_about about = { .what = "", .why_not = "unreadable" };

	if (!kind_of(letter->topic, &about.kind))
		return about;
	if (about.kind == TOPIC_WALLET_COMMANDS || about.kind == TOPIC_JACKPOT_COMMANDS) {
		command_read(letter, &about);
	} else if (about.kind == TOPIC_SPIN_COMMANDS) {
		about.player = (player_id)find(
			(struct bytes){ letter->bytes, letter->length }, PLAYER, false)
				       .value;
		about.why_not = "player";
	} else {
		about.why_not = "fact";
	}
	if (!player_id_valid(about.player))
		about.player = 0;
	return about;
}
