#include "services/gateway/adapters/letter.h"

#include "libcommon/base/wire.h"

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

/* Do these bytes end where a field ends? Then what is added behind them is read as fields.
 * Number 0 is no field of the format. */
static bool is_whole(struct wire_bytes bytes)
{
	struct wire_field field;
	bool known = true;

	while (wire_next(&bytes, &field))
		known = known && field.number != 0;
	return known && bytes.n == 0;
}

static bool has(struct wire_bytes message, uint32_t number)
{
	struct wire_field field;

	return wire_find(message, number, WIRE_BYTES, &field);
}

static bool has_id(struct wire_bytes message, uint32_t number)
{
	struct wire_field field;

	return wire_find(message, number, WIRE_BYTES, &field) && field.bytes.n == OUTSIDE_ID_BYTES;
}

/* 0: none. */
static uint64_t value_of(struct wire_bytes message, uint32_t number)
{
	struct wire_field field;

	(void)wire_find(message, number, WIRE_VARINT, &field);
	return field.value;
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

static void booking(struct wire_bytes body, struct letter_about *about)
{
	uint64_t kind = value_of(body, OUTSIDE_KIND);

	about->why_not = "unreadable";
	for (size_t i = 0; i < sizeof(BOOKINGS) / sizeof(BOOKINGS[0]); i++) {
		if (kind != (uint64_t)BOOKINGS[i].kind)
			continue;
		about->what = BOOKINGS[i].what;
		about->why_not = BOOKINGS[i].why_not;
		about->money = true;
		about->amount_minor = (int64_t)value_of(body, OUTSIDE_AMOUNT);
		about->currency = (uint32_t)value_of(body, OUTSIDE_CURRENCY);
		if (!has_id(body, OUTSIDE_ID) || !is_whole(body))
			about->why_not = "unreadable";
	}
}

static void wallet_read(struct wire_bytes command, struct letter_about *about)
{
	struct wire_field outside;

	about->player = (player_id)value_of(command, PLAYER);
	if (wire_find(command, CARILLON__WALLET_COMMAND__BODY_OUTSIDE, WIRE_BYTES, &outside)) {
		booking(outside.bytes, about);
	} else if (has(command, CARILLON__WALLET_COMMAND__BODY_PROPOSAL)) {
		about->what = "move";
		about->why_not = "sender";
	} else if (has(command, CARILLON__WALLET_COMMAND__BODY_AWARD)) {
		about->what = "award";
		about->why_not = "sender";
	}
}

/* ---- commands to pools and sets ---- */

static const char *const ACTIONS[] = { "", "pause", "resume", "retire", "adjust", "parameters",
	"create", "take part", "odds", "weights" };

/* An adjustment moves an amount, once by its id. The others set what something newer may have set
 * since. */
static void action(struct wire_bytes body, struct letter_about *about)
{
	uint64_t number = value_of(body, ACTION);

	if (number == 0 || number >= sizeof(ACTIONS) / sizeof(ACTIONS[0]))
		return;
	about->what = ACTIONS[number];
	about->why_not = "newer";
	if (number == CARILLON__OPERATOR_ACTION__ACTION_ADJUST && is_whole(body) &&
		has_id(body, ACTION_ID))
		about->why_not = NULL;
}

static void jackpot_read(struct wire_bytes command, struct letter_about *about)
{
	struct wire_field operator_;

	about->pool = (uint32_t)value_of(command, POOL);
	if (wire_find(command, CARILLON__JACKPOT_COMMAND__BODY_OPERATOR, WIRE_BYTES, &operator_)) {
		action(operator_.bytes, about);
	} else if (has(command, CARILLON__JACKPOT_COMMAND__BODY_PICK)) {
		about->what = "pick";
		about->why_not = "player";
	} else if (has(command, CARILLON__JACKPOT_COMMAND__BODY_CLAIM)) {
		about->what = "claim";
		about->why_not = "sender";
	} else if (has(command, CARILLON__JACKPOT_COMMAND__BODY_TRANSFER) ||
		   has(command, CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED)) {
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

static void command_read(
	const struct letter *letter, struct wire_bytes command, struct letter_about *about)
{
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
	struct wire_bytes bytes = { letter->bytes, letter->length };

	if (!kind_of(letter->topic, &about.kind))
		return about;
	if (about.kind == TOPIC_WALLET_COMMANDS || about.kind == TOPIC_JACKPOT_COMMANDS) {
		command_read(letter, bytes, &about);
	} else if (about.kind == TOPIC_SPIN_COMMANDS) {
		about.player = (player_id)value_of(bytes, PLAYER);
		about.why_not = "player";
	} else {
		about.why_not = "fact";
	}
	if (!player_id_valid(about.player))
		about.player = 0;
	return about;
}
