/* A request of a player, through the gateway's own tables and rules (services/gateway/core), into
 * the command that services/gateway/adapters/play.c makes of it. */
#include "services/gateway/core/requests.h"
#include "tests/sim/clients/clients.h"
#include "tests/sim/judge/judge.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOT_AFTER_US UINT64_C(10000000)

/* ---- bodies, member by member --------------------------------------------------------------- */

static void check(
	const struct field *fields, const char *name, const struct value *value, void *body)
{
	struct problem problem;
	const struct field *field = fields_find(fields, "", name, strlen(name), &problem);

	if (field == NULL || field_check(field, "", value, body, &problem) != FIELDS_OK)
		sim_fail("the gateway's table refuses %s: found %s, expected %s", name,
			problem.found, problem.expected);
}

static void number(const struct field *fields, const char *name, int64_t value, void *body)
{
	check(fields, name, &(struct value){ .kind = VALUE_INT, .number = value }, body);
}

static void text(const struct field *fields, const char *name, const char *value, void *body)
{
	check(fields, name,
		&(struct value){ .kind = VALUE_TEXT, .text = value, .length = strlen(value) },
		body);
}

static void hex(
	const struct field *fields, const char *name, const uint8_t *bytes, size_t n, void *body)
{
	static const char digits[] = "0123456789abcdef";
	char out[2 * FIELD_BYTES_MAX + 1];

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[2 * n] = '\0';
	text(fields, name, out, body);
}

static void complete(const struct field *fields, const void *body, enum fields_status status,
	struct problem *problem)
{
	if (status == FIELDS_OK)
		status = fields_complete(fields, "", body, problem);
	if (status != FIELDS_OK)
		sim_fail("the gateway refuses a request: %s: found %s, expected %s", problem->where,
			problem->found, problem->expected);
}

/* ---- commands ------------------------------------------------------------------------------- */

/* All that a command points to. */
struct building {
	Carillon__SpinCommand command;
	Carillon__Bet bet;
	Carillon__Autoplay autoplay;
	uint8_t id[REQUEST_ID_BYTES], hash[REQUEST_ID_BYTES];
	struct round_body round;
	struct action_body action;
	struct settings_body settings;
	char currency[8];
};

static char *writable(const char *constant)
{
	return (char *)(uintptr_t)constant; /* the generated code does not write */
}

static ProtobufCBinaryData data(struct field_bytes *bytes, bool has)
{
	return (ProtobufCBinaryData){ has ? bytes->length : 0, bytes->bytes };
}

static const struct field *table_of(const struct field *fields, const char *name)
{
	struct problem problem;

	return fields_find(fields, "", name, strlen(name), &problem)->fields;
}

static void fill_bet(const struct request *request, struct building *to)
{
	struct round_body *body = &to->round;
	struct problem problem;

	text(round_fields, "game", request->game->id, body);
	number(round_fields, "expect", (int64_t)request->expect, body);
	hex(round_fields, "nonce", request->nonce, sizeof(request->nonce), body);
	if (request->autospin)
		hex(round_fields, "autoplay", request->id, sizeof(request->id), body);
	if (request->bonus) {
		hex(round_fields, "bonus_spin", request->id, sizeof(request->id), body);
	} else {
		const struct field *bet = table_of(round_fields, "bet");
		number(bet, "coin_minor", request->coin_minor, &body->bet);
		number(bet, "lines", request->lines, &body->bet);
		number(bet, "coins", request->coins, &body->bet);
		body->has_bet = true;
	}
	complete(round_fields, body, round_check(body, &problem), &problem);
	to->bet.coin_minor = body->bet.coin_minor;
	to->bet.lines = (uint32_t)body->bet.lines;
	to->bet.coins = (uint32_t)body->bet.coins;
	to->bet.mode = body->bet.mode;
	to->bet.autoplay_id = data(&body->autoplay, body->has_autoplay);
	to->bet.bonus_spin = data(&body->bonus_spin, body->has_bonus_spin);
	to->command.bet = &to->bet;
	to->command.client_nonce = data(&body->nonce, true);
}

static const char *action_of(const struct request *request)
{
	if (request->kind == CARILLON__SPIN_KIND__SPIN_COLLECT)
		return "collect";
	if (request->kind == CARILLON__SPIN_KIND__SPIN_GAMBLE)
		return "gamble";
	if (request->kind == CARILLON__SPIN_KIND__SPIN_HALVE)
		return "halve";
	return request->pick ? "pick" : "next";
}

static void fill_action(const struct request *request, struct building *to)
{
	struct action_body *body = &to->action;
	struct problem problem;

	text(action_fields, "game", request->game->id, body);
	number(action_fields, "expect", (int64_t)request->expect, body);
	text(action_fields, "action", action_of(request), body);
	number(action_fields, "cursor", request->cursor, body);
	number(action_fields, "choice", request->choice, body);
	complete(action_fields, body, action_check(body, &problem), &problem);
	if (request->kind == CARILLON__SPIN_KIND__SPIN_STEP)
		to->command.action = writable(request->pick ? "pick" : "next");
	to->command.round = request->round;
	to->command.choice = (uint32_t)body->choice;
	to->command.cursor = (uint32_t)body->cursor;
}

static void fill_setting(const struct request *request, struct building *to)
{
	struct settings_body *body = &to->settings;
	struct problem problem;

	body->autoplay.loss_limit_minor = body->autoplay.single_win_minor = -1;
	text(settings_fields, "game", request->game->id, body);
	number(settings_fields, "expect", (int64_t)request->expect, body);
	if (request->witch) {
		number(settings_fields, "witch", request->choice, body);
	} else {
		const struct field *autoplay = table_of(settings_fields, "autoplay");
		hex(autoplay, "id", request->id, sizeof(request->id), &body->autoplay);
		number(autoplay, "spins", request->spins, &body->autoplay);
		body->has_autoplay = true;
	}
	complete(settings_fields, body, settings_check(body, &problem), &problem);
	to->command.action = writable(request->witch ? "witch" : "autoplay");
	to->command.choice = (uint32_t)body->witch;
	if (request->witch)
		return;
	to->autoplay.id = data(&body->autoplay.id, true);
	to->autoplay.spins = (uint32_t)body->autoplay.spins;
	to->autoplay.loss_limit_minor = body->autoplay.loss_limit_minor;
	to->autoplay.single_win_minor = body->autoplay.single_win_minor;
	to->command.autoplay = &to->autoplay;
}

/* The content is hashed before the move number and the time are added, which another try may have
 * differently. */
static void ids_set(const struct client *client, const struct request *request, struct building *to)
{
	uint8_t packed[1024];
	char player[PLAYER_TEXT_MAX], key[KEY_MAX];
	size_t n;

	to->command.player = client->id;
	n = carillon__spin_command__get_packed_size(&to->command);
	if (n > sizeof(packed))
		sim_fail("a command of %zu bytes", n);
	(void)carillon__spin_command__pack(&to->command, packed);
	requests_hash(packed, n, to->hash);
	player_id_format(client->id, player);
	(void)snprintf(key, sizeof(key), "key-%" PRIu64, request->number);
	if (!key_ok(key))
		sim_fail("the gateway refuses the key %s", key);
	requests_id(key, player, to->id);
	to->command.request_id = (ProtobufCBinaryData){ REQUEST_ID_BYTES, to->id };
	to->command.content_hash = (ProtobufCBinaryData){ REQUEST_ID_BYTES, to->hash };
}

static void fill_open(const struct client *client, struct building *to)
{
	char player[PLAYER_TEXT_MAX];

	player_id_format(client->id, player);
	requests_id("open", player, to->id);
	memcpy(to->hash, to->id, sizeof(to->hash));
	(void)snprintf(to->currency, sizeof(to->currency), client->currency == EUR ? "EUR" : "SEK");
	to->command.currency = to->currency;
	to->command.request_id = (ProtobufCBinaryData){ REQUEST_ID_BYTES, to->id };
	to->command.content_hash = (ProtobufCBinaryData){ REQUEST_ID_BYTES, to->hash };
}

static bool stakes(const struct request *request)
{
	return request->kind == CARILLON__SPIN_KIND__SPIN_BET ||
	       request->kind == CARILLON__SPIN_KIND__SPIN_GAMBLE;
}

static void fill(const struct client *client, const struct request *request, struct building *to)
{
	to->command.kind = request->kind;
	if (request->kind == CARILLON__SPIN_KIND__SPIN_OPEN) {
		fill_open(client, to);
		return;
	}
	to->command.game = writable(request->game->id);
	if (request->kind == CARILLON__SPIN_KIND__SPIN_STATE)
		return;
	if (request->kind == CARILLON__SPIN_KIND__SPIN_REPLAY) {
		to->command.round = request->round;
		return;
	}
	if (request->kind == CARILLON__SPIN_KIND__SPIN_BET)
		fill_bet(request, to);
	else if (request->kind == CARILLON__SPIN_KIND__SPIN_SETTING)
		fill_setting(request, to);
	else
		fill_action(request, to);
	ids_set(client, request, to);
	to->command.expect = request->expect;
	if (stakes(request))
		to->command.not_after_us = requests_wall_us() + NOT_AFTER_US;
}

bool command_request(struct window *window, const struct request *request)
{
	struct building to = { 0 };

	carillon__spin_command__init(&to.command);
	carillon__bet__init(&to.bet);
	carillon__autoplay__init(&to.autoplay);
	fill(window->client, request, &to);
	memcpy(window->request_id, to.id, sizeof(window->request_id));
	if (request->kind == CARILLON__SPIN_KIND__SPIN_BET)
		judge_bet_sent(to.id);
	return request_spin(&window->requester, &to.command);
}
