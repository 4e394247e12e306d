/* The tables. They reject only values that can never be valid. Other services decide what a game,
 * an account or a jurisdiction allows: for example, the engine refuses bets
 * (services/spin-engine/adapters/fault.c has the messages). */
#include "services/gateway/core/requests.h"

#include "libcommon/base/ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AT(type, field, has) offsetof(struct type, field), offsetof(struct type, has), NULL, NULL
#define END                                                                                        \
	{                                                                                          \
		NULL, FIELD_INT, false, 0, 0, 0, 0, NULL, NULL                                     \
	}

const struct field login_fields[] = {
	{ "operator", FIELD_INT, true, 1, OPERATOR_MAX, AT(login_body, operator_id, has_operator) },
	{ "name", FIELD_TEXT, true, 1, STAFF_NAME_MAX, AT(login_body, name, has_name) },
	{ "password", FIELD_TEXT, true, 1, SECRET_MAX, AT(login_body, password, has_password) },
	{ "code", FIELD_TEXT, false, 6, STAFF_NAME_MAX, AT(login_body, code, has_code) },
	END,
};

const struct field confirm_fields[] = {
	{ "password", FIELD_TEXT, true, 1, SECRET_MAX, AT(login_body, password, has_password) },
	END,
};

const struct field password_fields[] = {
	{ "password", FIELD_TEXT, true, 1, SECRET_MAX, AT(login_body, password, has_password) },
	{ "new_password", FIELD_TEXT, true, 1, SECRET_MAX, AT(login_body, fresh, has_fresh) },
	END,
};

const struct field totp_fields[] = {
	{ "secret", FIELD_HEX, false, TOTP_BYTES, TOTP_BYTES, AT(totp_body, secret, has_secret) },
	{ "code", FIELD_TEXT, false, 6, 6, AT(totp_body, code, has_code) },
	END,
};

const struct field staff_fields[] = {
	{ "name", FIELD_TEXT, true, 1, STAFF_NAME_MAX, AT(staff_body, name, has_name) },
	{ "roles", FIELD_TEXT, true, 1, REASON_MAX, AT(staff_body, roles, has_roles) },
	END,
};

const struct field key_fields[] = {
	{ "name", FIELD_TEXT, true, 1, KEY_NAME_MAX, AT(key_body, name, has_name) },
	{ "scopes", FIELD_TEXT, true, 1, REASON_MAX, AT(key_body, scopes, has_scopes) },
	{ "amounts", FIELD_TEXT, false, 1, KEY_LIST_MAX, AT(key_body, amounts, has_amounts) },
	{ "pools", FIELD_TEXT, false, 1, REASON_MAX, AT(key_body, pools, has_pools) },
	{ "days", FIELD_INT, false, 1, 3650, AT(key_body, days, has_days) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(key_body, reason, has_reason) },
	END,
};

const struct field offer_fields[] = {
	{ "games", FIELD_TEXT, false, 1, OFFER_LIST_MAX, AT(offer_body, games, has_games) },
	{ "currencies", FIELD_TEXT, false, 1, OFFER_LIST_MAX,
		AT(offer_body, currencies, has_currencies) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(offer_body, reason, has_reason) },
	END,
};

static const char *const key_actions[] = { "rotate", "expire", "revoke", NULL };

const struct field key_action_fields[] = {
	{ "action", FIELD_CHOICE, true, 0, 0, offsetof(struct key_body, action),
		offsetof(struct key_body, has_action), key_actions, NULL },
	{ "keep_s", FIELD_INT, false, 0, 2592000, AT(key_body, keep_s, has_keep_s) },
	{ "days", FIELD_INT, false, 1, 3650, AT(key_body, days, has_days) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(key_body, reason, has_reason) },
	END,
};

const struct field webhook_fields[] = {
	{ "url", FIELD_TEXT, true, 1, WEBHOOK_TEXT_MAX, AT(webhook_body, url, has_url) },
	{ "kinds", FIELD_TEXT, true, 1, REASON_MAX, AT(webhook_body, kinds, has_kinds) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(webhook_body, reason, has_reason) },
	END,
};

static const char *const webhook_actions[] = { "change", "rotate", "test", "end", NULL };

const struct field webhook_action_fields[] = {
	{ "action", FIELD_CHOICE, true, 0, 0, offsetof(struct webhook_body, action),
		offsetof(struct webhook_body, has_action), webhook_actions, NULL },
	{ "url", FIELD_TEXT, false, 1, WEBHOOK_TEXT_MAX, AT(webhook_body, url, has_url) },
	{ "kinds", FIELD_TEXT, false, 1, REASON_MAX, AT(webhook_body, kinds, has_kinds) },
	{ "keep_s", FIELD_INT, false, 0, 604800, AT(webhook_body, keep_s, has_keep_s) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(webhook_body, reason, has_reason) },
	END,
};

const struct field webhook_events_fields[] = {
	{ "event", FIELD_TEXT, true, 1, EVENT_MAX, AT(webhook_body, event, has_event) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(webhook_body, reason, has_reason) },
	END,
};

static const char *const staff_actions[] = { "roles", "reset", "disable", "enable", "end-sessions",
	NULL };

const struct field staff_action_fields[] = {
	{ "action", FIELD_CHOICE, true, 0, 0, offsetof(struct staff_body, action),
		offsetof(struct staff_body, has_action), staff_actions, NULL },
	{ "roles", FIELD_TEXT, false, 1, REASON_MAX, AT(staff_body, roles, has_roles) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(staff_body, reason, has_reason) },
	END,
};

const struct field demo_fields[] = {
	{ "player", FIELD_INT, false, 1, (int64_t)PLAYER_NUMBER_MAX,
		AT(account_body, player, has_player) },
	{ "currency", FIELD_TEXT, false, 1, CURRENCY_MAX,
		AT(account_body, currency, has_currency) },
	END,
};

const struct field account_fields[] = {
	{ "player", FIELD_INT, true, 1, (int64_t)PLAYER_NUMBER_MAX,
		AT(account_body, player, has_player) },
	{ "currency", FIELD_TEXT, true, 1, CURRENCY_MAX, AT(account_body, currency, has_currency) },
	END,
};

const struct field session_fields[] = {
	{ "player", FIELD_INT, true, 1, (int64_t)PLAYER_NUMBER_MAX,
		AT(account_body, player, has_player) },
	END,
};

const struct field money_fields[] = {
	{ "amount_minor", FIELD_INT, true, 1, MINOR_MAX, AT(money_body, amount_minor, has_amount) },
	{ "currency", FIELD_TEXT, true, 1, CURRENCY_MAX, AT(money_body, currency, has_currency) },
	{ "reason", FIELD_TEXT, false, 1, REASON_MAX, AT(money_body, reason, has_reason) },
	END,
};

/* Signed; a reason is required. */
const struct field correction_fields[] = {
	{ "amount_minor", FIELD_INT, true, -MINOR_MAX, MINOR_MAX,
		AT(money_body, amount_minor, has_amount) },
	{ "currency", FIELD_TEXT, true, 1, CURRENCY_MAX, AT(money_body, currency, has_currency) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(money_body, reason, has_reason) },
	END,
};

const struct field block_fields[] = {
	{ "blocked", FIELD_BOOL, true, 0, 0, AT(block_body, blocked, has_blocked) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(block_body, reason, has_reason) },
	END,
};

const struct field bonus_fields[] = {
	{ "game", FIELD_SLUG, true, 1, SLUG_MAX, AT(bonus_body, game, has_game) },
	{ "currency", FIELD_TEXT, true, 1, CURRENCY_MAX, AT(bonus_body, currency, has_currency) },
	{ "coin_minor", FIELD_INT, true, 1, MINOR_MAX, AT(bonus_body, coin_minor, has_coin) },
	{ "lines", FIELD_INT, true, 1, 1000, AT(bonus_body, lines, has_lines) },
	{ "coins", FIELD_INT, true, 1, 1000, AT(bonus_body, coins, has_coins) },
	{ "spins", FIELD_INT, true, 1, BONUS_SPINS_MAX, AT(bonus_body, spins, has_spins) },
	{ "expires_us", FIELD_INT, true, 1, MOVE_MAX, AT(bonus_body, expires_us, has_expires) },
	{ "reason", FIELD_TEXT, false, 1, REASON_MAX, AT(bonus_body, reason, has_reason) },
	END,
};

static const char *const CRASHED[] = { "player", "console", NULL };

const struct field crash_fields[] = {
	{ "page", FIELD_CHOICE, true, 0, 0, offsetof(struct crash_body, page),
		offsetof(struct crash_body, has_page), CRASHED, NULL },
	{ "kind", FIELD_TEXT, true, 1, CRASH_KIND_MAX, AT(crash_body, kind, has_kind) },
	{ "file", FIELD_TEXT, true, 1, CRASH_FILE_MAX, AT(crash_body, file, has_file) },
	{ "line", FIELD_INT, true, 0, CRASH_PLACE_MAX, AT(crash_body, line, has_line) },
	{ "column", FIELD_INT, true, 0, CRASH_PLACE_MAX, AT(crash_body, column, has_column) },
	END,
};

const struct field gaming_day_fields[] = {
	{ "zone", FIELD_TEXT, true, 1, ZONE_MAX, AT(gaming_day_body, zone, has_zone) },
	{ "start_hour", FIELD_INT, true, 0, 23, AT(gaming_day_body, start_hour, has_start_hour) },
	{ "from_day", FIELD_TEXT, true, 10, 10, AT(gaming_day_body, from_day, has_from_day) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(gaming_day_body, reason, has_reason) },
	END,
};

const struct field note_fields[] = {
	{ "text", FIELD_LINES, true, 1, NOTE_MAX, AT(note_body, text, has_text) },
	END,
};

const struct field reason_fields[] = {
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(reason_body, reason, has_reason) },
	END,
};

/* In the order of enum OperatorAction. */
static const char *const pool_actions[] = { "pause", "resume", "retire", "adjust", "parameters",
	"create", "take_part", "odds", "weights", NULL };

const struct field pool_action_fields[] = {
	{ "action", FIELD_CHOICE, true, 0, 0, offsetof(struct pool_action_body, action),
		offsetof(struct pool_action_body, has_action), pool_actions, NULL },
	{ "parameters", FIELD_JSON, false, 0, PARAMETERS_MAX,
		AT(pool_action_body, parameters, has_parameters) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(pool_action_body, reason, has_reason) },
	END,
};

static const char *const decisions[] = { "capture", "release", NULL };

/* A reason is required. */
const struct field decision_fields[] = {
	{ "decision", FIELD_CHOICE, true, 0, 0, offsetof(struct decision_body, decision),
		offsetof(struct decision_body, has_decision), decisions, NULL },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(decision_body, reason, has_reason) },
	{ "force", FIELD_BOOL, false, 0, 0, AT(decision_body, force, has_force) },
	END,
};

const struct field back_fields[] = {
	{ "amount_minor", FIELD_INT, true, 1, MINOR_MAX, AT(money_body, amount_minor, has_amount) },
	{ "currency", FIELD_TEXT, true, 1, CURRENCY_MAX, AT(money_body, currency, has_currency) },
	{ "reason", FIELD_TEXT, true, 1, REASON_MAX, AT(money_body, reason, has_reason) },
	END,
};

static const char *const limits[] = { "loss", "wager", "deposit", "time", "exclusion", NULL };
static const char *const periods[] = { "day", "week", "month", NULL };
#define UNTIL_MAX INT64_C(253402300799) /* the year 9999 */

/* -1: none. */
const struct field limit_fields[] = {
	{ "limit", FIELD_CHOICE, true, 0, 0, offsetof(struct limit_body, limit),
		offsetof(struct limit_body, has_limit), limits, NULL },
	{ "period", FIELD_CHOICE, false, 0, 0, offsetof(struct limit_body, period),
		offsetof(struct limit_body, has_period), periods, NULL },
	{ "amount_minor", FIELD_INT, false, -1, MINOR_MAX,
		AT(limit_body, amount_minor, has_amount) },
	{ "seconds", FIELD_INT, false, -1, 31622400, AT(limit_body, seconds, has_seconds) },
	{ "until_s", FIELD_INT, false, 1, UNTIL_MAX, AT(limit_body, until_s, has_until) },
	{ "currency", FIELD_TEXT, true, 1, CURRENCY_MAX, AT(limit_body, currency, has_currency) },
	{ "reason", FIELD_TEXT, false, 1, REASON_MAX, AT(limit_body, reason, has_reason) },
	END,
};

/* In the order of enum own_limit and enum own_period. */
static const char *const own_limits[] = { "deposit", "loss", "wager", "time", "break", "time_out",
	"exclusion", NULL };
static const char *const own_periods[] = { "day", "week", "month", "session", NULL };

const struct field own_limit_fields[] = {
	{ "name", FIELD_CHOICE, true, 0, 0, offsetof(struct own_limit_body, name),
		offsetof(struct own_limit_body, has_name), own_limits, NULL },
	{ "period", FIELD_CHOICE, false, 0, 0, offsetof(struct own_limit_body, period),
		offsetof(struct own_limit_body, has_period), own_periods, NULL },
	{ "limit", FIELD_INT, true, -1, MINOR_MAX, AT(own_limit_body, limit, has_limit) },
	END,
};

const struct field own_session_fields[] = {
	{ "reality_check_s", FIELD_INT, true, 0, 86400,
		AT(own_session_body, reality_check_s, has_reality_check) },
	END,
};

/* The move's record has room for a reason of this length. */
#define VOID_REASON_MAX 80

const struct field void_fields[] = {
	{ "game", FIELD_SLUG, true, 1, SLUG_MAX, AT(void_body, game, has_game) },
	{ "round", FIELD_INT, true, 1, MOVE_MAX, AT(void_body, round, has_round) },
	{ "reason", FIELD_TEXT, true, 1, VOID_REASON_MAX, AT(void_body, reason, has_reason) },
	{ "award", FIELD_BOOL, false, 0, 0, AT(void_body, award, has_award) },
	END,
};

const struct field call_fields[] = {
	{ "id", FIELD_HEX, true, 16, 16, AT(call_body, id, has_id) },
	END,
};

static const struct field bet_fields[] = {
	{ "coin_minor", FIELD_INT, true, 1, MINOR_MAX, AT(bet_body, coin_minor, has_coin) },
	{ "lines", FIELD_INT, true, 1, 1000, AT(bet_body, lines, has_lines) },
	{ "coins", FIELD_INT, true, 1, 1000, AT(bet_body, coins, has_coins) },
	{ "mode", FIELD_SLUG, false, 1, SLUG_MAX, AT(bet_body, mode, has_mode) },
	END,
};

const struct field round_fields[] = {
	{ "game", FIELD_SLUG, true, 1, SLUG_MAX, AT(round_body, game, has_game) },
	{ "expect", FIELD_INT, true, 1, MOVE_MAX, AT(round_body, expect, has_expect) },
	{ "bet", FIELD_OBJECT, false, 0, 0, offsetof(struct round_body, bet),
		offsetof(struct round_body, has_bet), NULL, bet_fields },
	{ "nonce", FIELD_HEX, true, 16, 32, AT(round_body, nonce, has_nonce) },
	{ "autoplay", FIELD_HEX, false, 16, 16, AT(round_body, autoplay, has_autoplay) },
	{ "bonus_spin", FIELD_HEX, false, 16, 16, AT(round_body, bonus_spin, has_bonus_spin) },
	END,
};

static const char *const actions[] = { "pick", "next", "collect", "gamble", "halve", NULL };

const struct field action_fields[] = {
	{ "game", FIELD_SLUG, true, 1, SLUG_MAX, AT(action_body, game, has_game) },
	{ "expect", FIELD_INT, true, 1, MOVE_MAX, AT(action_body, expect, has_expect) },
	{ "action", FIELD_CHOICE, true, 0, 0, offsetof(struct action_body, action),
		offsetof(struct action_body, has_action), actions, NULL },
	{ "cursor", FIELD_INT, false, 0, UINT32_MAX, AT(action_body, cursor, has_cursor) },
	{ "choice", FIELD_INT, false, 0, 255, AT(action_body, choice, has_choice) },
	END,
};

const struct field pick_fields[] = {
	{ "pick", FIELD_INT, true, 1, 12, AT(pick_body, pick, has_pick) },
	{ "position", FIELD_INT, true, 0, 11, AT(pick_body, position, has_position) },
	END,
};

static const struct field autoplay_fields[] = {
	{ "id", FIELD_HEX, false, 16, 16, AT(autoplay_body, id, has_id) },
	{ "spins", FIELD_INT, true, 0, 1000000, AT(autoplay_body, spins, has_spins) },
	{ "loss_limit_minor", FIELD_INT, false, -1, MINOR_MAX,
		AT(autoplay_body, loss_limit_minor, has_loss_limit) },
	{ "single_win_minor", FIELD_INT, false, -1, MINOR_MAX,
		AT(autoplay_body, single_win_minor, has_single_win) },
	{ "stop_on_jackpot", FIELD_BOOL, false, 0, 0,
		AT(autoplay_body, stop_on_jackpot, has_stop) },
	{ "stop_on_feature", FIELD_BOOL, false, 0, 0,
		AT(autoplay_body, stop_on_feature, has_feature_stop) },
	END,
};

const struct field settings_fields[] = {
	{ "game", FIELD_SLUG, true, 1, SLUG_MAX, AT(settings_body, game, has_game) },
	{ "expect", FIELD_INT, true, 1, MOVE_MAX, AT(settings_body, expect, has_expect) },
	{ "witch", FIELD_INT, false, 0, 255, AT(settings_body, witch, has_witch) },
	{ "autoplay", FIELD_OBJECT, false, 0, 0, offsetof(struct settings_body, autoplay),
		offsetof(struct settings_body, has_autoplay), NULL, autoplay_fields },
	END,
};

static enum fields_status fields_conflict(
	struct problem *problem, const char *where, const char *found, const char *expected)
{
	problem->code = "field_missing";
	problem->message =
		"A field is missing, does not go with the others, or has a value that is not allowed.";
	(void)snprintf(problem->where, sizeof(problem->where), "%s", where);
	(void)snprintf(problem->found, sizeof(problem->found), "%s", found);
	(void)snprintf(problem->expected, sizeof(problem->expected), "%s", expected);
	return FIELDS_MISSING;
}

static enum fields_status fields_out_of_range(
	struct problem *problem, const char *where, int64_t found, const char *expected)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, found);
	(void)fields_conflict(problem, where, text, expected);
	problem->code = "field_range";
	problem->message = "A value in the request is not allowed.";
	return FIELDS_RANGE;
}

/* RULE mystic-gem 7.2: a bonus spin has the bet of its grant. */
enum fields_status round_check(const struct round_body *body, struct problem *problem_r)
{
	if (!body->has_bet && !body->has_bonus_spin)
		return fields_conflict(problem_r, "bet", "nothing", "an object, or \"bonus_spin\"");
	if (body->has_bet && body->has_bonus_spin)
		return fields_conflict(problem_r, "bet", "a bet beside \"bonus_spin\"",
			"only one of them: a bonus spin already has its bet");
	return FIELDS_OK;
}

enum fields_status action_check(const struct action_body *body, struct problem *problem_r)
{
	bool step = body->action == ACTION_PICK || body->action == ACTION_NEXT;
	bool choice = body->action == ACTION_PICK || body->action == ACTION_GAMBLE;
	if (step && !body->has_cursor)
		return fields_conflict(problem_r, "cursor", "nothing",
			"the phase that the client shows, so that a retry has no second effect");
	if (choice && !body->has_choice)
		return fields_conflict(problem_r, "choice", "nothing",
			body->action == ACTION_PICK ? "the number of the pick, from 0"
						    : "0 for red, 1 for black");
	if (body->action == ACTION_GAMBLE && body->choice > 1)
		return fields_conflict(
			problem_r, "choice", "more than 1", "0 for red, 1 for black");
	return FIELDS_OK;
}

enum fields_status limit_check(const struct limit_body *body, struct problem *problem_r)
{
	bool money = body->limit <= LIMIT_OF_DEPOSIT;
	bool time = body->limit == LIMIT_OF_TIME;
	bool until = body->limit == LIMIT_OF_PLAY;

	if (body->has_period != money)
		return fields_conflict(problem_r, "period", money ? "nothing" : "a period",
			money ? "\"day\", \"week\" or \"month\""
			      : "nothing: this limit has no such field");
	if (body->has_amount != money)
		return fields_conflict(problem_r, "amount_minor", money ? "nothing" : "an amount",
			money ? "an amount, -1 for no limit"
			      : "nothing: this limit has no such field");
	if (body->has_seconds != time)
		return fields_conflict(problem_r, "seconds", time ? "nothing" : "seconds",
			time ? "seconds, -1 for no limit"
			     : "nothing: this limit has no such field");
	if (time && body->seconds == 0)
		return fields_conflict(problem_r, "seconds", "0", "at least 1, or -1 for no limit");
	if (body->has_until != until)
		return fields_conflict(problem_r, "until_s", until ? "nothing" : "a time",
			until ? "seconds since 1970" : "nothing: this limit has no such field");
	return FIELDS_OK;
}

#define DAY_S INT64_C(86400)

/* What a limit in seconds may be: a break of up to a day, a time-out of up to six weeks, an
 * exclusion of half a year to five years. */
static const struct {
	int64_t least, most;
	const char *expected;
} own_seconds[] = {
	[OWN_TIME] = { 60, 31622400, "60 to 31622400 seconds, or -1 for no limit" },
	[OWN_BREAK] = { 60, DAY_S, "60 to 86400 seconds" },
	[OWN_TIME_OUT] = { DAY_S, 42 * DAY_S, "86400 to 3628800 seconds" },
	[OWN_EXCLUSION] = { 180 * DAY_S, 1827 * DAY_S, "15552000 to 157852800 seconds" },
};

enum fields_status own_limit_check(const struct own_limit_body *body, struct problem *problem_r)
{
	bool money = body->name <= OWN_WAGER;
	bool session = body->period == OWN_SESSION;

	if (money && (!body->has_period || session))
		return fields_conflict(problem_r, "period", session ? "session" : "nothing",
			"\"day\", \"week\" or \"month\"");
	if (!money && body->has_period && (body->name != OWN_TIME || !session))
		return fields_conflict(problem_r, "period", own_periods[body->period],
			body->name == OWN_TIME ? "\"session\""
					       : "nothing: this limit has no such field");
	if (money || (body->name == OWN_TIME && body->limit == -1) ||
		(body->limit >= own_seconds[body->name].least &&
			body->limit <= own_seconds[body->name].most))
		return FIELDS_OK;
	return fields_out_of_range(
		problem_r, "limit", body->limit, own_seconds[body->name].expected);
}

enum fields_status own_session_check(const struct own_session_body *body, struct problem *problem_r)
{
	if (body->reality_check_s == 0 || body->reality_check_s >= 60)
		return FIELDS_OK;
	return fields_out_of_range(problem_r, "reality_check_s", body->reality_check_s,
		"60 to 86400 seconds, or 0 for never");
}

enum fields_status settings_check(const struct settings_body *body, struct problem *problem_r)
{
	if (body->has_witch == body->has_autoplay)
		return fields_conflict(problem_r, "body", body->has_witch ? "both" : "neither",
			"either \"witch\" or \"autoplay\"");
	if (body->has_autoplay && body->autoplay.spins > 0 && !body->autoplay.has_id)
		return fields_conflict(problem_r, "autoplay.id", "nothing",
			"32 lower-case hex digits, chosen by the client");
	return FIELDS_OK;
}

bool key_ok(const char *key)
{
	size_t n = 0;
	for (; key[n] != '\0'; n++)
		if (n >= KEY_MAX || key[n] <= 0x20 || key[n] >= 0x7f)
			return false;
	return n > 0;
}
