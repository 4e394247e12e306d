/* The bodies of requests (docs/contracts.md, "HTTP of the gateway"), as structs and as tables. */
#ifndef CARILLON_GATEWAY_CORE_REQUESTS_H
#define CARILLON_GATEWAY_CORE_REQUESTS_H

#include "libcommon/base/currency.h"
#include "libcommon/base/number.h"
#include "services/gateway/core/fields.h"
#include "services/gateway/core/offer.h"

#define SLUG_MAX 31
#define CURRENCY_MAX 7
#define REASON_MAX 200
#define BONUS_SPINS_MAX 10000		   /* in one grant */
#define KEY_MAX 64			   /* an Idempotency-Key */
#define MOVE_MAX INT64_C(9007199254740991) /* what a browser's number holds exactly */

/* POST /v1/demo/sessions, /v1/operators/{op}/players, /v1/operators/{op}/sessions */
struct account_body {
	int64_t player;
	char currency[CURRENCY_MAX + 1];
	bool has_player, has_currency;
};

/* deposits, withdrawals, corrections, grants */
struct money_body {
	int64_t amount_minor;
	char currency[CURRENCY_MAX + 1];
	char reason[REASON_MAX + 1];
	bool has_amount, has_currency, has_reason;
};

struct block_body {
	bool blocked;
	char reason[REASON_MAX + 1];
	bool has_blocked, has_reason;
};

/* POST /v1/operators/{op}/players/{n}/bonus-spins */
struct bonus_body {
	char game[SLUG_MAX + 1];
	char currency[CURRENCY_MAX + 1];
	char reason[REASON_MAX + 1];
	int64_t coin_minor, lines, coins, spins, expires_us;
	bool has_game, has_currency, has_reason, has_coin, has_lines, has_coins, has_spins,
		has_expires;
};

/* .../bonus-spins/{id}/end */
struct reason_body {
	char reason[REASON_MAX + 1];
	bool has_reason;
};

#define NOTE_MAX 2000 /* bytes */

/* POST /v1/operators/{op}/players/{n}/notes */
struct note_body {
	char text[NOTE_MAX + 1];
	bool has_text;
};

#define CRASH_KIND_MAX 40
#define CRASH_FILE_MAX 64
#define CRASH_PLACE_MAX 1000000 /* lines, columns */
enum crash_page { CRASH_PLAYER, CRASH_CONSOLE, CRASH_PAGES };

/* POST /v1/crashes */
struct crash_body {
	int64_t page; /* enum crash_page */
	char kind[CRASH_KIND_MAX + 1];
	char file[CRASH_FILE_MAX + 1];
	int64_t line, column;
	bool has_page, has_kind, has_file, has_line, has_column;
};

/* POST /v1/operators/{op}/gaming-day */
#define ZONE_MAX 64
struct gaming_day_body {
	char zone[ZONE_MAX + 1];
	int64_t start_hour;
	char from_day[11];
	char reason[REASON_MAX + 1];
	bool has_zone, has_start_hour, has_from_day, has_reason;
};

#define PARAMETERS_MAX 8000

/* POST /v1/operators/{op}/pools/{pool}/actions */
struct pool_action_body {
	int64_t action; /* OperatorAction of jackpot.proto - 1 */
	char parameters[PARAMETERS_MAX + 1];
	char reason[REASON_MAX + 1];
	bool has_action, has_parameters, has_reason;
};

enum decision { DECISION_CAPTURE, DECISION_RELEASE };

/* .../withdrawals/{id}/decisions */
struct decision_body {
	int64_t decision; /* enum decision */
	char reason[REASON_MAX + 1];
	bool force; /* decide even though the provider may still pay */
	bool has_decision, has_reason, has_force;
};

enum limit_name { LIMIT_OF_LOSS, LIMIT_OF_WAGER, LIMIT_OF_DEPOSIT, LIMIT_OF_TIME, LIMIT_OF_PLAY };
enum limit_period { LIMIT_DAY, LIMIT_WEEK, LIMIT_MONTH };

/* POST .../limits */
struct limit_body {
	int64_t limit;	/* enum limit_name */
	int64_t period; /* enum limit_period; of money only */
	int64_t amount_minor, seconds, until_s;
	char currency[CURRENCY_MAX + 1];
	char reason[REASON_MAX + 1];
	bool has_limit, has_period, has_amount, has_seconds, has_until, has_currency, has_reason;
};

enum own_limit {
	OWN_DEPOSIT,
	OWN_LOSS,
	OWN_WAGER,
	OWN_TIME,
	OWN_BREAK, /* these and the following end all play until a time */
	OWN_TIME_OUT,
	OWN_EXCLUSION,
};
enum own_period { OWN_DAY, OWN_WEEK, OWN_MONTH, OWN_SESSION };

/* POST /v1/limits, by the player */
struct own_limit_body {
	int64_t name;	/* enum own_limit */
	int64_t period; /* enum own_period */
	int64_t limit;	/* minor units of the account's currency, or seconds; -1: none */
	bool has_name, has_period, has_limit;
};

/* POST /v1/session */
struct own_session_body {
	int64_t reality_check_s; /* 0: never */
	bool has_reality_check;
};

/* POST .../voids */
struct void_body {
	char game[SLUG_MAX + 1];
	int64_t round;
	char reason[REASON_MAX + 1];
	bool award; /* the round's jackpots are taken back too */
	bool has_game, has_round, has_reason, has_award;
};

/* POST /v1/payments/calls */
struct call_body {
	struct field_bytes id;
	bool has_id;
};

struct bet_body {
	int64_t coin_minor, lines, coins;
	char mode[SLUG_MAX + 1];
	bool has_coin, has_lines, has_coins, has_mode;
};

/* POST /v1/rounds: exactly one of bet and bonus_spin */
struct round_body {
	char game[SLUG_MAX + 1];
	int64_t expect;
	struct bet_body bet;
	struct field_bytes nonce, autoplay, bonus_spin;
	bool has_game, has_expect, has_bet, has_nonce, has_autoplay, has_bonus_spin;
};

enum action { ACTION_PICK, ACTION_NEXT, ACTION_COLLECT, ACTION_GAMBLE, ACTION_HALVE };

/* POST /v1/rounds/{round}/actions */
struct action_body {
	char game[SLUG_MAX + 1];
	int64_t expect;
	int64_t action; /* enum action */
	int64_t cursor, choice;
	bool has_game, has_expect, has_action, has_cursor, has_choice;
};

/* POST /v1/cards/{id}/picks */
struct pick_body {
	int64_t pick, position;
	bool has_pick, has_position;
};

struct autoplay_body {
	struct field_bytes id;
	int64_t spins, loss_limit_minor, single_win_minor;
	bool stop_on_jackpot, stop_on_feature;
	bool has_id, has_spins, has_loss_limit, has_single_win, has_stop, has_feature_stop;
};

/* POST /v1/settings: exactly one of witch and autoplay */
struct settings_body {
	char game[SLUG_MAX + 1];
	int64_t expect;
	int64_t witch;
	struct autoplay_body autoplay;
	bool has_game, has_expect, has_witch, has_autoplay;
};

#define STAFF_NAME_MAX 32
#define SECRET_MAX 512 /* bytes of a password */
#define EVENT_MAX 128  /* bytes of the id of a webhook's event */
#define TOTP_BYTES 20

/* POST /v1/operator/login, /confirm, /password: which fields are needed differs */
struct login_body {
	int64_t operator_id;
	char name[STAFF_NAME_MAX + 1];
	char password[SECRET_MAX + 1];
	char code[STAFF_NAME_MAX + 1]; /* one-time code or recovery code */
	char fresh[SECRET_MAX + 1];    /* the new password */
	bool has_operator, has_name, has_password, has_code, has_fresh;
};

/* POST /v1/operator/totp: empty, for a new secret; or the secret and its code */
struct totp_body {
	struct field_bytes secret;
	char code[STAFF_NAME_MAX + 1];
	bool has_secret, has_code;
};

enum staff_action {
	STAFF_ROLES,
	STAFF_RESET, /* a new password, no second factor, no session */
	STAFF_DISABLE,
	STAFF_ENABLE,
	STAFF_END_SESSIONS,
};

/* POST /v1/operators/{op}/users and /users/{name} */
struct staff_body {
	char name[STAFF_NAME_MAX + 1];
	char roles[REASON_MAX + 1]; /* names of core/permits.h, separated by commas */
	char reason[REASON_MAX + 1];
	int64_t action; /* enum staff_action */
	bool has_name, has_roles, has_reason, has_action;
};

enum webhook_action { WEBHOOK_CHANGE, WEBHOOK_ROTATE, WEBHOOK_TEST, WEBHOOK_END };

#define WEBHOOK_TEXT_MAX 500

/* POST /v1/operators/{op}/webhooks, /webhooks/{id}, /webhooks/{id}/dead and
 * /webhooks/{id}/waiting */
struct webhook_body {
	char url[WEBHOOK_TEXT_MAX + 1];
	char kinds[REASON_MAX + 1]; /* separated by commas */
	char event[EVENT_MAX + 1];  /* the id of a dead or waiting event, or "all" */
	char reason[REASON_MAX + 1];
	int64_t action; /* enum webhook_action */
	int64_t keep_s; /* ROTATE: how long the secret before stays in use */
	bool has_url, has_kinds, has_event, has_reason, has_action, has_keep_s;
};

/* POST /v1/operators/{op}/offer: lists of core/offer.h; one that is missing stays as it is */
struct offer_body {
	char games[OFFER_LIST_MAX + 1], currencies[OFFER_LIST_MAX + 1];
	char reason[REASON_MAX + 1];
	bool has_games, has_currencies, has_reason;
};

#define KEY_NAME_MAX 64
#define KEY_LIST_MAX 399

enum key_action { KEY_ROTATE, KEY_EXPIRE, KEY_REVOKE };

/* POST /v1/operators/{op}/keys and /keys/{id} */
struct key_body {
	char name[KEY_NAME_MAX + 1];
	char scopes[REASON_MAX + 1]; /* "all", or names of core/scope.h, separated by commas */
	char amounts[KEY_LIST_MAX + 1], pools[REASON_MAX + 1]; /* as in core/scope.h */
	char reason[REASON_MAX + 1];
	int64_t days;	/* it ends after so many */
	int64_t action; /* enum key_action */
	int64_t keep_s; /* ROTATE, EXPIRE: how long the key stays in force */
	bool has_name, has_scopes, has_amounts, has_pools, has_reason, has_days, has_action,
		has_keep_s;
};

extern const struct field key_fields[], key_action_fields[];
extern const struct field webhook_fields[], webhook_action_fields[], webhook_events_fields[];
extern const struct field login_fields[], confirm_fields[], password_fields[], totp_fields[],
	staff_fields[], staff_action_fields[];
extern const struct field demo_fields[], account_fields[], session_fields[], money_fields[],
	correction_fields[], block_fields[], bonus_fields[], reason_fields[], round_fields[],
	action_fields[], settings_fields[], pick_fields[], pool_action_fields[], decision_fields[],
	back_fields[], call_fields[], limit_fields[], own_limit_fields[], own_session_fields[],
	void_fields[], gaming_day_fields[], offer_fields[], note_fields[], crash_fields[];

/* Check which fields go together; the tables cannot express that. */
enum fields_status round_check(const struct round_body *body, struct problem *problem_r);
enum fields_status action_check(const struct action_body *body, struct problem *problem_r);
enum fields_status limit_check(const struct limit_body *body, struct problem *problem_r);
enum fields_status own_limit_check(const struct own_limit_body *body, struct problem *problem_r);
enum fields_status own_session_check(
	const struct own_session_body *body, struct problem *problem_r);
enum fields_status settings_check(const struct settings_body *body, struct problem *problem_r);

/* 1 to KEY_MAX printable characters without spaces. */
bool key_ok(const char *key);

#endif
