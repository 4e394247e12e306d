#include "services/spin-engine/adapters/fault.h"

#include "libcommon/base/currency.h"
#include "wallet.pb-c.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fault_set(struct fault *fault, uint32_t http, const char *code, const char *message)
{
	memset(fault, 0, sizeof(*fault));
	fault->http = http;
	snprintf(fault->code, sizeof(fault->code), "%s", code);
	snprintf(fault->message, sizeof(fault->message), "%s", message);
}

void fault_found(struct fault *fault, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault->found, sizeof(fault->found), format, arguments);
	va_end(arguments);
}

void fault_expected(struct fault *fault, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault->expected, sizeof(fault->expected), format, arguments);
	va_end(arguments);
}

struct text {
	uint32_t http;
	const char *code, *message;
};

static const struct text errors[PLAYER_REFUSALS_N] = {
	[REFUSED_NOTHING] = { 0, "", "" },
	[REFUSED_NO_ACCOUNT] = { 404, "no_account", "This player has no account." },
	[REFUSED_BLOCKED] = { 403, "blocked", "Play is blocked for this account." },
	[REFUSED_CURRENCY] = { 409, "currency",
		"The account already exists in another currency; \"expected\" is its ISO 4217 number." },
	[REFUSED_NO_GAME] = { 404, "no_game", "This game is not offered here." },
	[REFUSED_GAME_STOPPED] = { 503, "game_stopped", "This game is stopped." },
	[REFUSED_MOVE_SPENT] = { 409, "move_spent",
		"This move number is already used. Load the state again." },
	[REFUSED_MOVE_AHEAD] = { 409, "move_ahead",
		"This move number is too high. Load the state again." },
	[REFUSED_CONTENT] = { 422, "other_content",
		"This Idempotency-Key was already used for a different request." },
	[REFUSED_DONE] = { 409, "already_done",
		"An earlier move already handled this request. Nothing was done again." },
	[REFUSED_BEFORE] = { 0, "", "" }, /* told as the refusal itself */
	[REFUSED_LATE] = { 409, "too_late", "The request arrived too late. Nothing was done." },
	[REFUSED_FEATURE_OPEN] = { 409, "feature_open",
		"Finish the feature of your last round first." },
	[REFUSED_CARDS_OPEN] = { 409, "cards_open",
		"Finish your Jackpot Cards first. This game takes bets again when they are paid." },
	[REFUSED_ROUND] = { 409, "other_round", "This is not your open round." },
	[REFUSED_CLOSED] = { 409, "round_closed", "This round is closed." },
	[REFUSED_CURSOR] = { 409, "other_cursor", "The round is at a different phase." },
	[REFUSED_PICK_NEEDED] = { 409, "pick_needed", "Make your pick to continue the round." },
	[REFUSED_NO_PICK] = { 409, "no_pick", "There is nothing to pick in this phase." },
	[REFUSED_CHOICE] = { 400, "bad_choice", "This choice is not allowed." },
	[REFUSED_WITCH] = { 400, "bad_witch", "This game has no such witch." },
	[REFUSED_BET] = { 400, "bad_bet", "This game does not accept this bet." },
	[REFUSED_GAMBLE] = { 409, "gamble", "You cannot gamble now." },
	[REFUSED_AUTOPLAY] = { 409, "autoplay", "Autoplay did not accept this request." },
	[REFUSED_VOID] = { 409, "void", "This round is already void." },
	[REFUSED_PHASE_LIMIT] = { 503, "game_stopped",
		"The game was stopped because a round was longer than the proven maximum. "
		"Nothing was booked." },
	[REFUSED_OVERFLOW] = { 409, "overflow", "An amount is too large. Nothing was booked." },
	[REFUSED_DRAWS] = { 503, "draws_stopped",
		"Play is stopped because the random numbers failed a health test. You can "
		"finish an open round." },
	[REFUSED_BONUS_SPINS_UNKNOWN] = { 409, "bonus_spin_unknown",
		"No bonus spins are left under this id." },
	[REFUSED_BONUS_SPINS_EXPIRED] = { 409, "bonus_spin_expired",
		"These bonus spins have expired." },
	[REFUSED_BONUS_SPINS_GAME] = { 409, "bonus_spin_other_game",
		"These bonus spins are for another game." },
	[REFUSED_BONUS_SPINS_AUTOPLAY] = { 409, "bonus_spin_autoplay",
		"Autoplay cannot play bonus spins. Start them by hand." },
	[REFUSED_SCRIPT] = { 409, "script", "The forced draws do not fit this round." },
};

/* The request's names for the fields of a bet; a total refers to the whole bet. */
static void bet_where(const char *field, struct fault *fault)
{
	if (strcmp(field, "total") == 0)
		snprintf(fault->where, sizeof(fault->where), "bet");
	else if (strcmp(field, "currency") == 0) /* the account's currency */
		snprintf(fault->where, sizeof(fault->where), "currency");
	else
		snprintf(fault->where, sizeof(fault->where), "bet.%s%s", field,
			strcmp(field, "coin") == 0 ? "_minor" : "");
}

void fault_of_error(const struct player_error *error, struct fault *fault)
{
	const struct text *text = &errors[error->refusal];
	const char *detail = NULL;

	if (error->refusal == REFUSED_BEFORE) {
		fault_of_refusal((uint32_t)error->detail, fault);
		return;
	}
	fault_set(fault, text->http, text->code, text->message);
	if (error->field && error->refusal == REFUSED_BET)
		bet_where(error->field, fault);
	else if (error->field)
		snprintf(fault->where, sizeof(fault->where), "%s", error->field);
	if (error->refusal == REFUSED_BET)
		detail = bet_status_text((enum bet_status)error->detail);
	else if (error->refusal == REFUSED_GAMBLE)
		detail = gamble_status_text((enum gamble_status)error->detail);
	else if (error->refusal == REFUSED_AUTOPLAY)
		detail = autoplay_status_text((enum autoplay_status)error->detail);
	if (detail)
		snprintf(fault->code, sizeof(fault->code), "%s", detail);
	if (error->min > error->max) {
		if (error->found != 0)
			fault_found(fault, "%" PRId64, error->found);
		return;
	}
	fault_found(fault, "%" PRId64, error->found);
	if (error->min == error->max)
		fault_expected(fault, "%" PRId64, error->min);
	else
		fault_expected(fault, "%" PRId64 "..%" PRId64, error->min, error->max);
}

bool fault_by_definition(const struct player_error *error)
{
	static const enum autoplay_status of_game[] = { AUTOPLAY_NOT_OFFERED,
		AUTOPLAY_SPINS_OUT_OF_RANGE, AUTOPLAY_JACKPOT_STOP_NOT_OFFERED,
		AUTOPLAY_FEATURE_STOP_NOT_OFFERED };

	for (size_t i = 0;
		error->refusal == REFUSED_AUTOPLAY && i < sizeof(of_game) / sizeof(of_game[0]); i++)
		if (error->detail == (int)of_game[i])
			return true;
	return error->refusal == REFUSED_NO_GAME || error->refusal == REFUSED_BET ||
	       error->refusal == REFUSED_WITCH;
}

void fault_behind(struct fault *fault)
{
	fault_set(fault, 503, "definition_behind",
		"A newer definition of this game is still being loaded. Try again.");
}

/* Lists coin values: "one of 1, 2, 5"; "nothing is" if there are none. */
static void list_coins(const struct game_currency *currency, bool sold, struct fault *fault)
{
	size_t at = 0, room = sizeof(fault->expected);

	for (uint32_t i = 0; i < currency->coin_count && at < room; i++)
		if (!sold || currency->coin_buys[i])
			at += (size_t)snprintf(fault->expected + at, room - at, "%s%" PRId64,
				at == 0 ? sold ? "a coin value of " : "one of " : ", ",
				currency->coin_minor[i]);
	if (at == 0)
		fault_expected(
			fault, "mode \"base\", because no mode can be bought in this currency");
}

static void list_modes(const struct game *game, struct fault *fault)
{
	size_t at = 0, room = sizeof(fault->expected);

	for (uint32_t i = 0; i < game->mode_count && at < room; i++)
		at += (size_t)snprintf(fault->expected + at, room - at, "%s%s",
			i == 0 ? "one of " : ", ", game->mode[i].id);
}

static const char *code_of(uint32_t number)
{
	const struct currency *currency = currency_by_number(number);

	return currency ? currency->code : "unknown";
}

static void list_currencies(const struct game *game, uint32_t found, struct fault *fault)
{
	size_t at = 0, room = sizeof(fault->expected);

	fault_found(fault, "%s", code_of(found));
	for (uint32_t i = 0; i < game->currency_count && at < room; i++)
		at += (size_t)snprintf(fault->expected + at, room - at, "%s%s",
			i == 0 ? "one of " : ", ", code_of(game->currency[i].number));
}

void fault_of_bet(const struct game *game, const struct game_currency *currency,
	enum bet_status status, const struct bet *bet, const char *mode, struct fault *fault)
{
	if (!currency) {
		list_currencies(game, bet->currency, fault);
	} else if (status == BET_COIN_NOT_SELECTABLE) {
		list_coins(currency, false, fault);
	} else if (status == BET_BUY_NOT_OFFERED) {
		fault_found(fault, "%s at a coin value of %" PRId64, mode, bet->coin_minor);
		list_coins(currency, true, fault);
	} else if (status == BET_MODE_NOT_OFFERED) {
		fault_found(fault, "%s", mode);
		list_modes(game, fault);
	} else if (status == BET_ABOVE_PRICE_MAX) {
		snprintf(fault->where, sizeof(fault->where), "bet.mode");
	}
}

/* The wallet's refusals. The move number is spent, nothing else has changed. */
static const struct text refusals[] = {
	[CARILLON__REFUSAL__REFUSAL_NONE] = { 0, "", "" },
	[CARILLON__REFUSAL__REFUSAL_FUNDS] = { 402, "insufficient_funds",
		"You do not have enough money for this bet." },
	[CARILLON__REFUSAL__REFUSAL_LIMIT] = { 403, "limit",
		"A limit of the account has been reached." },
	[CARILLON__REFUSAL__REFUSAL_BLOCKED] = { 403, "blocked",
		"Play is blocked for this account or this game." },
	[CARILLON__REFUSAL__REFUSAL_LATE] = { 409, "too_late",
		"The request arrived too late. Nothing was done." },
	[CARILLON__REFUSAL__REFUSAL_PENDING] = { 409, "pending",
		"The round's pending amount differs from the expected one. Load the state again." },
	[CARILLON__REFUSAL__REFUSAL_ACCOUNT] = { 409, "account",
		"The account does not exist or has another currency." },
	[CARILLON__REFUSAL__REFUSAL_CONTENT] = { 422, "other_content",
		"This id was already used for a different request." },
	[CARILLON__REFUSAL__REFUSAL_TALLY] = { 503, "jackpot_not_offered",
		"This game's jackpot cannot take contributions in this currency now, so no bets "
		"are accepted." },
	[CARILLON__REFUSAL__REFUSAL_KIND] = { 503, "not_supported",
		"The wallet does not support this kind of move yet." },
	[CARILLON__REFUSAL__REFUSAL_CLAIM] = { 409, "claim", "The jackpot claim is not valid." },
	[CARILLON__REFUSAL__REFUSAL_AMOUNT] = { 400, "amount",
		"An amount is outside the allowed range." },
	[CARILLON__REFUSAL__REFUSAL_RATE] = { 503, "rate_stale",
		"The FX rate of this currency is too old. Bets that feed a jackpot are refused "
		"until a rate is set again." },
	[CARILLON__REFUSAL__REFUSAL_SPINS] = { 409, "bonus_spin_unknown",
		"No bonus spins are left under this id, or they have expired." },
	[CARILLON__REFUSAL__REFUSAL_VOIDED] = { 409, "void", "This round is already void." },
	[CARILLON__REFUSAL__REFUSAL_CLAIM_OPEN] = { 409, "claim_open",
		"This round has won a jackpot or Jackpot Cards that are not paid yet. It can be "
		"voided once they have been paid. Try again then, with a new Idempotency-Key." },
	[CARILLON__REFUSAL__REFUSAL_HOLD] = { 409, "settled",
		"This withdrawal or grant is already settled." },
	[CARILLON__REFUSAL__REFUSAL_LIMIT_LOSS] = { 403, "limit_loss",
		"This bet could exceed your loss limit for a day, week or month." },
	[CARILLON__REFUSAL__REFUSAL_LIMIT_WAGER] = { 403, "limit_wager",
		"This bet would exceed your wager limit for a day, week or month." },
	[CARILLON__REFUSAL__REFUSAL_LIMIT_TIME] = { 403, "limit_time",
		"You have reached your time limit. Take a break before you play again." },
	[CARILLON__REFUSAL__REFUSAL_LIMIT_DEPOSIT] = { 403, "limit_deposit",
		"The player has reached their deposit limit." },
	[CARILLON__REFUSAL__REFUSAL_EXCLUDED] = { 403, "excluded",
		"You are excluded from play for a time." },
};

void fault_of_refusal(uint32_t refusal, struct fault *fault)
{
	if (refusal >= sizeof(refusals) / sizeof(refusals[0]) || refusals[refusal].code == NULL) {
		fault_set(fault, 503, "refused", "The wallet refused the move.");
		fault_found(fault, "refusal %" PRIu32, refusal);
		return;
	}
	fault_set(fault, refusals[refusal].http, refusals[refusal].code, refusals[refusal].message);
}
