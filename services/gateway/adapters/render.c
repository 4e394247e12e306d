/* Replies and verdicts as JSON. */
#include "services/gateway/adapters/render.h"

#include "libcommon/base/ids.h"

#include <sodium.h>

#include <stdlib.h>

/* Every set here takes the value over and fails only without memory, which ends a process anyway: what is missing then is seen at once. */
static void set(json_t *object, const char *name, json_t *value)
{
	if (!value || json_object_set_new(object, name, value) != 0)
		abort();
}

static void set_int(json_t *object, const char *name, int64_t value)
{
	set(object, name, json_integer(value));
}

static void set_count(json_t *object, const char *name, uint64_t value)
{
	set(object, name, json_integer((json_int_t)value));
}

static void set_bool(json_t *object, const char *name, bool value)
{
	set(object, name, json_boolean(value));
}

/* Texts come from our own services; one that is no UTF-8 is shown as a question mark rather than failing the answer. */
static void set_text(json_t *object, const char *name, const char *text)
{
	json_t *value = json_string(text);
	set(object, name, value ? value : json_string("?"));
}

static void set_hex(json_t *object, const char *name, ProtobufCBinaryData bytes)
{
	char *text = malloc(bytes.len * 2 + 1);
	if (!text)
		abort();
	sodium_bin2hex(text, bytes.len * 2 + 1, bytes.data, bytes.len);
	set(object, name, json_string(text));
	free(text);
}

static json_t *win_item(const Carillon__WinItem *item)
{
	json_t *out = json_object();
	set_text(out, "what", item->what);
	set_count(out, "line", item->line);
	set_count(out, "symbol", item->symbol);
	set_count(out, "count", item->count);
	set_int(out, "amount_minor", item->amount_minor);
	set_hex(out, "cells", item->cells);
	set_count(out, "multiplier", item->multiplier);
	return out;
}

static json_t *draw_item(const Carillon__Draw *draw)
{
	json_t *out = json_object();
	set_text(out, "meaning", draw->meaning);
	set_count(out, "below", draw->below);
	set_count(out, "value", draw->value);
	return out;
}

static json_t *phase_item(const Carillon__Phase *phase)
{
	json_t *out = json_object(), *wins = json_array(), *draws = json_array();
	set_count(out, "index", phase->index);
	set_text(out, "kind", phase->kind);
	set_hex(out, "stops", phase->stops);
	set_hex(out, "window", phase->window);
	for (size_t i = 0; i < phase->n_wins; i++)
		(void)json_array_append_new(wins, win_item(phase->wins[i]));
	set(out, "wins", wins);
	set_int(out, "win_minor", phase->win_minor);
	set_count(out, "free_spins_awarded", phase->free_spins_awarded);
	set_count(out, "free_spins_left", phase->free_spins_left);
	set_count(out, "multiplier", phase->multiplier);
	set_text(out, "outcome", phase->outcome);
	set_int(out, "outcome_value", phase->outcome_value);
	set_hex(out, "picks", phase->picks);
	set_count(out, "claim_index", phase->claim_index);
	for (size_t i = 0; i < phase->n_draws; i++)
		(void)json_array_append_new(draws, draw_item(phase->draws[i]));
	set(out, "draws", draws);
	return out;
}

static json_t *bet_item(const Carillon__Bet *bet)
{
	json_t *out = json_object();
	set_int(out, "coin_minor", bet->coin_minor);
	set_count(out, "lines", bet->lines);
	set_count(out, "coins", bet->coins);
	set_hex(out, "autoplay_id", bet->autoplay_id);
	return out;
}

static json_t *gamble_item(const Carillon__GambleStep *step)
{
	json_t *out = json_object();
	set_count(out, "attempt", step->attempt);
	set_int(out, "stake_minor", step->stake_minor);
	set_count(out, "guess", step->guess);
	set_count(out, "card", step->card);
	set_bool(out, "won", step->won);
	set_int(out, "pending_minor", step->pending_minor);
	return out;
}

static json_t *jackpot_item(const Carillon__JackpotWin *win)
{
	json_t *out = json_object();
	set_count(out, "index", win->index);
	set_count(out, "pool", win->pool);
	set_int(out, "paid_minor", win->paid_minor);
	set_bool(out, "booked", win->booked);
	return out;
}

json_t *render_round(const Carillon__RoundView *round)
{
	json_t *out = json_object(), *phases = json_array(), *gambles = json_array(), *jackpots = json_array();
	set_count(out, "round", round->round);
	set_text(out, "game", round->game);
	set_hex(out, "math_version", round->math_version);
	set(out, "bet", round->bet ? bet_item(round->bet) : json_null());
	set_int(out, "stake_minor", round->stake_minor);
	for (size_t i = 0; i < round->n_phases; i++)
		(void)json_array_append_new(phases, phase_item(round->phases[i]));
	set(out, "phases", phases);
	set_count(out, "phase_from", round->phase_from);
	set_count(out, "cursor", round->cursor);
	set_text(out, "next", round->next);
	set_count(out, "picks_left", round->picks_left);
	set_int(out, "win_minor", round->win_minor);
	set_int(out, "pending_minor", round->pending_minor);
	set_count(out, "gamble_attempts_left", round->gamble_attempts_left);
	for (size_t i = 0; i < round->n_gambles; i++)
		(void)json_array_append_new(gambles, gamble_item(round->gambles[i]));
	set(out, "gambles", gambles);
	set_bool(out, "closed", round->closed);
	set_hex(out, "secret", round->secret);
	set_hex(out, "client_nonce", round->client_nonce);
	for (size_t i = 0; i < round->n_jackpots; i++)
		(void)json_array_append_new(jackpots, jackpot_item(round->jackpots[i]));
	set(out, "jackpots", jackpots);
	set_int(out, "collected_minor", round->collected_minor);
	set_hex(out, "result_digest", round->result_digest);
	return out;
}

static json_t *autoplay_item(const Carillon__Autoplay *autoplay)
{
	json_t *out = json_object();
	set_hex(out, "id", autoplay->id);
	set_count(out, "spins", autoplay->spins);
	set_int(out, "loss_limit_minor", autoplay->loss_limit_minor);
	set_int(out, "single_win_minor", autoplay->single_win_minor);
	set_bool(out, "stop_on_jackpot", autoplay->stop_on_jackpot);
	return out;
}

json_t *render_error(const char *code, const char *message, const char *where, const char *found, const char *expected)
{
	json_t *error = json_object(), *out = json_object();
	set_text(error, "code", code);
	set_text(error, "message", message);
	if (where && *where)
		set_text(error, "where", where);
	if (found && *found)
		set_text(error, "found", found);
	if (expected && *expected)
		set_text(error, "expected", expected);
	set(out, "error", error);
	return out;
}

json_t *render_reply(const Carillon__SpinReply *reply)
{
	bool failed = *reply->error != '\0';
	json_t *out = failed ? render_error(reply->error, reply->message, reply->where, reply->found, reply->expected) : json_object();
	if (!reply->account)
		return out;
	char player[PLAYER_TEXT_MAX];
	player_id_format(reply->player, player);
	set_text(out, "player", player);
	set_text(out, "currency", reply->currency);
	set_int(out, "balance_minor", reply->balance_minor);
	set_int(out, "pending_minor", reply->pending_minor);
	set_count(out, "expect", reply->expect);
	set_hex(out, "secret_hash", reply->secret_hash);
	set(out, "round", reply->round ? render_round(reply->round) : json_null());
	set(out, "autoplay", reply->autoplay ? autoplay_item(reply->autoplay) : json_null());
	set_count(out, "witch", reply->witch);
	if (reply->smallest_bet_minor)
		set_int(out, "smallest_bet_minor", reply->smallest_bet_minor);
	return out;
}

struct refusal_text render_refusal(Carillon__Refusal refusal)
{
	switch (refusal) {
	case CARILLON__REFUSAL__REFUSAL_NONE:
		return (struct refusal_text){ 200, "", "" };
	case CARILLON__REFUSAL__REFUSAL_FUNDS:
		return (struct refusal_text){ 402, "insufficient_funds", "The balance does not hold this amount." };
	case CARILLON__REFUSAL__REFUSAL_LIMIT:
		return (struct refusal_text){ 403, "limit", "A limit of the installation or of the player forbids this amount." };
	case CARILLON__REFUSAL__REFUSAL_BLOCKED:
		return (struct refusal_text){ 403, "blocked", "The player is blocked." };
	case CARILLON__REFUSAL__REFUSAL_LATE:
		return (struct refusal_text){ 504, "late", "The request came too late to be booked; nothing was changed." };
	case CARILLON__REFUSAL__REFUSAL_ACCOUNT:
		return (struct refusal_text){ 404, "no_account", "There is no such account in this currency." };
	case CARILLON__REFUSAL__REFUSAL_CONTENT:
		return (struct refusal_text){ 422, "other_content", "This Idempotency-Key was used before with other content; nothing was changed." };
	case CARILLON__REFUSAL__REFUSAL_AMOUNT:
		return (struct refusal_text){ 422, "amount", "The amount cannot be booked on this account." };
	case CARILLON__REFUSAL__REFUSAL_KIND:
		return (struct refusal_text){ 503, "not_supported", "The wallet in use does not know this kind of booking." };
	case CARILLON__REFUSAL__REFUSAL_PENDING:
	case CARILLON__REFUSAL__REFUSAL_TALLY:
	case CARILLON__REFUSAL__REFUSAL_CLAIM:
	case _CARILLON__REFUSAL_IS_INT_SIZE:
		break;
	}
	return (struct refusal_text){ 409, "refused", "The wallet refused this booking; nothing was changed." };
}
