#include "tests/support/players/view.h"

#include "tests/support/players/json_walk.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t json_number(const json_t *object, const char *name, int64_t fallback)
{
	const json_t *value = json_object_get(object, name);
	if (json_is_integer(value))
		return json_integer_value(value);
	if (json_is_string(value)) {
		char *end;
		long long number = strtoll(json_string_value(value), &end, 10);
		if (end != json_string_value(value) && !*end)
			return number;
	}
	return fallback;
}

const char *json_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));
	return text ? text : "";
}

int64_t json_money(const json_t *object, const char *name)
{
	char minor[64];
	snprintf(minor, sizeof(minor), "%s_minor", name);
	return json_number(object, minor, json_number(object, name, 0));
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hex_read(const char *hex, uint8_t *out, size_t bytes)
{
	if (strlen(hex) != 2 * bytes)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

/* ---- an answer, without a tree of it ---- */

enum field_type { FIELD_INT64, FIELD_UINT32, FIELD_TRUE, FIELD_TEXT, FIELD_READ };

/* A member and where its value goes: to `at` of the struct, or to `read`. */
struct field {
	const char *name;
	enum field_type type;
	size_t at, room; /* room: of a text */
	void (*read)(struct json_walk *walk, void *into);
};

static void field_read(struct json_walk *walk, const struct field *field, void *into)
{
	char *at = (char *)into + field->at;
	int64_t number = 0;
	uint32_t small;
	bool is_true;
	switch (field->type) {
	case FIELD_INT64:
		(void)json_walk_int(walk, &number);
		memcpy(at, &number, sizeof(number));
		break;
	case FIELD_UINT32:
		(void)json_walk_int(walk, &number);
		small = (uint32_t)number;
		memcpy(at, &small, sizeof(small));
		break;
	case FIELD_TRUE:
		is_true = json_walk_true(walk);
		memcpy(at, &is_true, sizeof(is_true));
		break;
	case FIELD_TEXT:
		(void)json_walk_text(walk, at, field->room);
		break;
	case FIELD_READ:
		field->read(walk, into);
		break;
	}
}

static bool is_named(const struct field *field, const char *name, size_t n)
{
	return field->name[0] == name[0] && strncmp(field->name, name, n) == 0 && !field->name[n];
}

/* The members of an object that stand in the table, which ends with a name NULL. False: it is no
 * object. */
static bool object_read(struct json_walk *walk, const struct field *fields, void *into)
{
	const char *name;
	size_t n;
	if (!json_walk_object(walk))
		return false;
	while (json_walk_member(walk, &name, &n)) {
		const struct field *field = fields;
		while (field->name && !is_named(field, name, n))
			field++;
		if (field->name)
			field_read(walk, field, into);
		else
			json_walk_skip(walk);
	}
	return true;
}

/* 32 bytes in hexadecimal digits. */
static bool digest_read(struct json_walk *walk, uint8_t out[32])
{
	char text[72];
	return json_walk_text(walk, text, sizeof(text)) && hex_read(text, out, 32);
}

static void jackpots_read(struct json_walk *walk, void *into)
{
	static const struct field fields[] = {
		{ "index", FIELD_UINT32, offsetof(struct view_jackpot, index), 0, NULL },
		{ "pool", FIELD_UINT32, offsetof(struct view_jackpot, pool), 0, NULL },
		{ "paid_minor", FIELD_INT64, offsetof(struct view_jackpot, paid), 0, NULL },
		{ "booked", FIELD_TRUE, offsetof(struct view_jackpot, booked), 0, NULL },
		{ NULL, FIELD_READ, 0, 0, NULL },
	};
	struct round_view *view_r = into;
	if (!json_walk_array(walk))
		return;
	while (json_walk_element(walk))
		if (view_r->jackpots_n == VIEW_JACKPOTS_MAX)
			json_walk_skip(walk);
		else if (object_read(walk, fields, &view_r->jackpots[view_r->jackpots_n]))
			view_r->jackpots_n++;
}

static void bet_read(struct json_walk *walk, void *into)
{
	static const struct field fields[] = {
		{ "coin_minor", FIELD_INT64, offsetof(struct round_view, coin_minor), 0, NULL },
		{ NULL, FIELD_READ, 0, 0, NULL },
	};
	(void)object_read(walk, fields, into);
}

static void gambles_read(struct json_walk *walk, void *into)
{
	static const struct field fields[] = {
		{ "won", FIELD_TRUE, offsetof(struct round_view, gamble_won), 0, NULL },
		{ NULL, FIELD_READ, 0, 0, NULL },
	};
	struct round_view *view_r = into;
	if (!json_walk_array(walk))
		return;
	for (; json_walk_element(walk); view_r->gambles++) {
		view_r->gamble_won = false; /* the last one counts */
		(void)object_read(walk, fields, into);
	}
}

static void secret_read(struct json_walk *walk, void *into)
{
	struct round_view *view_r = into;
	view_r->has_secret = digest_read(walk, view_r->secret);
}

static void round_read(struct json_walk *walk, void *into)
{
#define ROUND(name, type, member)                                                                  \
	{                                                                                          \
		name, type, offsetof(struct round_view, member), 0, NULL                           \
	}
	static const struct field fields[] = {
		ROUND("round", FIELD_INT64, round),
		ROUND("stake_minor", FIELD_INT64, stake),
		ROUND("win_minor", FIELD_INT64, win),
		ROUND("pending_minor", FIELD_INT64, pending),
		ROUND("collected_minor", FIELD_INT64, collected),
		ROUND("cursor", FIELD_UINT32, cursor),
		ROUND("picks_left", FIELD_UINT32, picks_left),
		ROUND("gamble_attempts_left", FIELD_UINT32, gambles_left),
		ROUND("closed", FIELD_TRUE, closed),
		{ "game", FIELD_TEXT, offsetof(struct round_view, game), VIEW_GAME_MAX, NULL },
		{ "next", FIELD_TEXT, offsetof(struct round_view, next), VIEW_NEXT_MAX, NULL },
		{ "bet", FIELD_READ, 0, 0, bet_read },
		{ "secret", FIELD_READ, 0, 0, secret_read },
		{ "gambles", FIELD_READ, 0, 0, gambles_read },
		{ "jackpots", FIELD_READ, 0, 0, jackpots_read },
		{ NULL, FIELD_READ, 0, 0, NULL },
	};
#undef ROUND
	struct view *view_r = into;
	view_r->round_told = true;
	view_r->round = (struct round_view){ 0 };
	view_r->round.present = object_read(walk, fields, &view_r->round);
}

static void cards_read(struct json_walk *walk, void *into)
{
	static const struct field fields[] = {
		{ "move", FIELD_INT64, offsetof(struct view, cards_move), 0, NULL },
		{ "index", FIELD_UINT32, offsetof(struct view, cards_index), 0, NULL },
		{ "booked", FIELD_TRUE, offsetof(struct view, cards_booked), 0, NULL },
		{ NULL, FIELD_READ, 0, 0, NULL },
	};
	struct view *view_r = into;
	view_r->cards_told = true;
	view_r->cards_open = object_read(walk, fields, into) && !view_r->cards_booked;
}

static void expect_read(struct json_walk *walk, void *into)
{
	struct view *view_r = into;
	int64_t number = -1;
	(void)json_walk_int(walk, &number);
	view_r->has_expect = number >= 0;
	view_r->expect = number >= 0 ? (uint64_t)number : 0;
}

static void balance_read(struct json_walk *walk, void *into)
{
	struct view *view_r = into;
	int64_t number = -1;
	(void)json_walk_int(walk, &number);
	view_r->has_balance = number >= 0;
	view_r->balance = number >= 0 ? number : 0;
}

static void hash_read(struct json_walk *walk, void *into)
{
	struct view *view_r = into;
	view_r->has_hash = digest_read(walk, view_r->secret_hash);
}

static void error_read(struct json_walk *walk, void *into)
{
	static const struct field fields[] = {
		{ "code", FIELD_TEXT, offsetof(struct view, error), VIEW_ERROR_MAX, NULL },
		{ "message", FIELD_TEXT, offsetof(struct view, message), VIEW_MESSAGE_MAX, NULL },
		{ "found", FIELD_TEXT, offsetof(struct view, found), VIEW_ERROR_MAX, NULL },
		{ NULL, FIELD_READ, 0, 0, NULL },
	};
	(void)object_read(walk, fields, into);
}

/* A session's answer has the state inside; all others are the state. */
static void state_read(struct json_walk *walk, void *into)
{
	static const struct field fields[] = {
		{ "expect", FIELD_READ, 0, 0, expect_read },
		{ "balance_minor", FIELD_READ, 0, 0, balance_read },
		{ "balance_seq", FIELD_INT64, offsetof(struct view, balance_seq), 0, NULL },
		{ "secret_hash", FIELD_READ, 0, 0, hash_read },
		{ "smallest_bet_minor", FIELD_INT64, offsetof(struct view, smallest_bet), 0, NULL },
		{ "cards", FIELD_READ, 0, 0, cards_read },
		{ "bet_not_placed", FIELD_TRUE, offsetof(struct view, bet_not_placed), 0, NULL },
		{ "round", FIELD_READ, 0, 0, round_read },
		{ "error", FIELD_READ, 0, 0, error_read },
		{ "state", FIELD_READ, 0, 0, state_read },
		{ NULL, FIELD_READ, 0, 0, NULL },
	};
	(void)object_read(walk, fields, into);
}

bool view_read(const char *text, size_t n, struct view *view_r)
{
	struct json_walk walk = { .at = text, .end = text + n };
	memset(view_r, 0, sizeof(*view_r));
	if (n == 0 || *text != '{')
		return false;
	state_read(&walk, view_r);
	if (strcmp(view_r->error, "already_done") == 0)
		view_r->done = strtoull(view_r->found, NULL, 10);
	return json_walk_over(&walk);
}

/* ---- rows of a tree ---- */

static bool refusal(const json_t *value)
{
	if (json_is_integer(value))
		return json_integer_value(value) != 0;
	const char *text = json_string_value(value);
	return text && *text && strcmp(text, "none") != 0;
}

bool row_read(const json_t *json, struct ledger_row *row_r)
{
	memset(row_r, 0, sizeof(*row_r));
	const json_t *kind = json_object_get(json, "kind");
	row_r->kind = json_is_integer(kind) ? (enum row_kind)json_integer_value(kind)
					    : row_kind_parse(json_text(json, "kind"));
	row_r->seq = (uint64_t)json_number(json, "seq", 0);
	row_r->move = (uint64_t)json_number(json, "move", 0);
	row_r->round = (uint64_t)json_number(json, "round", 0);
	row_r->refused = refusal(json_object_get(json, "refusal"));
	row_r->release = json_money(json, "release");
	row_r->stake = json_money(json, "stake");
	row_r->win_balance = json_money(json, "win_balance");
	row_r->win_pending = json_money(json, "win_pending");
	row_r->forfeit = json_money(json, "forfeit");
	row_r->amount = json_money(json, "amount");
	row_r->balance_after = json_money(json, "balance_after");
	row_r->pending_after = json_money(json, "pending_after");
	const json_t *award = json_object_get(json, "award");
	if (json_is_object(award)) {
		row_r->award_index = (uint32_t)json_number(award, "index", 0);
		row_r->round = (uint64_t)json_number(award, "round", (int64_t)row_r->round);
	}
	return row_r->kind != ROW_ANY && row_r->seq > 0;
}
