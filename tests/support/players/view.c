#include "tests/support/players/view.h"

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

static void jackpots_read(const json_t *list, struct round_view *view_r)
{
	size_t i;
	const json_t *jackpot;
	json_array_foreach(list, i, jackpot)
	{
		if (view_r->jackpots_n == VIEW_JACKPOTS_MAX)
			return;
		size_t at = view_r->jackpots_n++;
		view_r->jackpots[at].index = (uint32_t)json_number(jackpot, "index", 0);
		view_r->jackpots[at].pool = (uint32_t)json_number(jackpot, "pool", 0);
		view_r->jackpots[at].paid = json_money(jackpot, "paid");
		view_r->jackpots[at].booked = json_is_true(json_object_get(jackpot, "booked"));
	}
}

static void round_read(const json_t *json, struct round_view *view_r)
{
	if (!json_is_object(json))
		return;
	view_r->present = true;
	view_r->round = (uint64_t)json_number(json, "round", 0);
	view_r->stake = json_money(json, "stake");
	view_r->win = json_money(json, "win");
	view_r->pending = json_money(json, "pending");
	view_r->collected = json_money(json, "collected");
	view_r->coin_minor = json_money(json_object_get(json, "bet"), "coin");
	view_r->cursor = (uint32_t)json_number(json, "cursor", 0);
	view_r->picks_left = (uint32_t)json_number(json, "picks_left", 0);
	view_r->gambles_left = (uint32_t)json_number(json, "gamble_attempts_left", 0);
	snprintf(view_r->game, sizeof(view_r->game), "%s", json_text(json, "game"));
	snprintf(view_r->next, sizeof(view_r->next), "%s", json_text(json, "next"));
	view_r->closed = json_is_true(json_object_get(json, "closed"));
	view_r->has_secret = hex_read(json_text(json, "secret"), view_r->secret, 32);
	const json_t *gambles = json_object_get(json, "gambles");
	view_r->gambles = (uint32_t)json_array_size(gambles);
	if (view_r->gambles)
		view_r->gamble_won = json_is_true(
			json_object_get(json_array_get(gambles, view_r->gambles - 1), "won"));
	jackpots_read(json_object_get(json, "jackpots"), view_r);
}

void view_read(const json_t *answer, struct view *view_r)
{
	memset(view_r, 0, sizeof(*view_r));
	const json_t *error = json_object_get(answer, "error");
	snprintf(view_r->error, sizeof(view_r->error), "%s", json_text(error, "code"));
	snprintf(view_r->message, sizeof(view_r->message), "%s", json_text(error, "message"));
	if (strcmp(view_r->error, "already_done") == 0)
		view_r->done = strtoull(json_text(error, "found"), NULL, 10);
	/* A session's answer has the state inside; all others are the state. */
	const json_t *state = json_object_get(answer, "state");
	if (json_is_object(state))
		answer = state;
	view_r->has_expect = json_number(answer, "expect", -1) >= 0;
	view_r->expect = (uint64_t)json_number(answer, "expect", 0);
	view_r->has_balance = json_number(answer, "balance_minor", -1) >= 0;
	view_r->balance = json_number(answer, "balance_minor", 0);
	view_r->has_hash = hex_read(json_text(answer, "secret_hash"), view_r->secret_hash, 32);
	view_r->smallest_bet = json_number(
		answer, "smallest_bet_minor", json_number(error, "smallest_bet_minor", 0));
	const json_t *cards = json_object_get(answer, "cards");
	view_r->cards_told = cards != NULL;
	view_r->cards_open =
		json_is_object(cards) && !json_is_true(json_object_get(cards, "booked"));
	view_r->cards_move = (uint64_t)json_number(cards, "move", 0);
	view_r->cards_index = (uint32_t)json_number(cards, "index", 0);
	view_r->bet_not_placed = json_is_true(json_object_get(answer, "bet_not_placed"));
	view_r->round_told = json_object_get(answer, "round") != NULL;
	round_read(json_object_get(answer, "round"), &view_r->round);
}

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
