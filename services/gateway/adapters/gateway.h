/* What the parts of the gateway share. One loop, one thread: nothing here is locked. */
#ifndef CARILLON_GATEWAY_ADAPTERS_GATEWAY_H
#define CARILLON_GATEWAY_ADAPTERS_GATEWAY_H

#include "libcommon/base/per_second.h"
#include "libcommon/base/ids.h"
#include "libcommon/base/session.h"
#include "libcommon/edge/door_settings.h"
#include "libcommon/edge/edge.h"
#include "libcommon/io/instance.h"
#include "libcommon/io/kafka.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/nn_bus.h"
#include "libcommon/io/owners.h"
#include "libcommon/io/pg.h"
#include "libcommon/io/redis_link.h"
#include "libcommon/io/settings.h"
#include "libcommon/edge/revoked.h"
#include "libcommon/edge/token.h"
#include "libcommon/edge/tries.h"
#include "services/gateway/adapters/json_out.h"
#include "services/gateway/adapters/parse.h"
#include "services/gateway/core/frames.h"
#include "services/gateway/core/admit.h"
#include "services/gateway/core/inflight.h"
#include "services/gateway/core/limit.h"
#include "services/gateway/core/presence.h"
#include "services/gateway/core/requests.h"
#include "services/gateway/core/scope.h"
#include "jackpot.pb-c.h"
#include "spin.pb-c.h"
#include "wallet.pb-c.h"

#define NOT_AFTER_US UINT64_C(10000000) /* the engine starts nothing for an older request */
#define SECOND_US UINT64_C(1000000)
#define OPERATORS_MAX 512 /* keys of all operators */
#define ID_BYTES 16
#define QUERY_MS 1500 /* a read for a player */

struct gateway;
struct service_request;

/* Called with the answer to a request, or with both NULL when no answer came in time. `request` is
 * NULL when the client has gone. */
typedef void service_done(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact);

/* A request to another service, sent by nanomsg to the owner of its shard. */
struct service_request {
	uint64_t ticket; /* of the client's request */
	player_id player;
	service_done *done;
	int64_t number, seq, until; /* for the handler's own use */
	char text[48];		    /* for the handler's own use */
	uint8_t id[ID_BYTES];	    /* for the handler's own use */
	uint8_t trace[EDGE_TRACE_BYTES];
	uint32_t pool; /* jackpot commands: the pool that selects the partition; 0: the player
			  selects it */
	const Carillon__CardReply *card; /* for `done`: the answer to a pick, NULL when none came */
	const Carillon__OperatorReply *action; /* the same of an operator's command */
	/* Kept to ask again: any message may be lost. */
	enum topic topic; /* the kind of command */
	const char *only; /* a constant: the one service that it goes to; NULL: all that may own it
			   */
	uint32_t shard;
	uint8_t *bytes; /* packed for nanomsg */
	size_t length;
	uint32_t times;	   /* sent so often */
	uint64_t again_us; /* then it is sent again */
	bool quarantined;  /* its service has died of it and does not look at it any more */
	bool account;	   /* not the request: the player's account is quarantined */
	uint64_t epochs;   /* of the owners that it was last sent to, added up */
	bool handed; /* an owner was handed the request, or it is recorded: what became of it is
			not known until the answer */
};

struct operator_key {
	uint32_t id;
	uint8_t digest[32];  /* SHA-256 of the key's text */
	uint8_t first[32];   /* digest of who has it, for approvals: its maker, or its line's first
				key */
	uint64_t expires_us; /* 0: never */
	struct scope scope;
};

struct gateway_settings {
	char listen[SETTING_TEXT_MAX], events_url[SETTING_TEXT_MAX], web[SETTING_TEXT_MAX];
	char card_sets[SETTING_TEXT_MAX];
	char frames[SETTING_TEXT_MAX];
	char pool_operators[SETTING_TEXT_MAX];
	char idle[SETTING_TEXT_MAX], reconnect[SETTING_TEXT_MAX];
	int64_t fx_operator, fx_jump_percent;
	char approve_above[SETTING_TEXT_MAX], approve_sum[SETTING_TEXT_MAX];
	int64_t approve_within_s;
	int64_t decide_after_s, report_grace_s;
	char large_wins[SETTING_TEXT_MAX];
	int64_t webhook_timeout_ms, webhook_retry_ms, webhook_give_up_s;
	bool webhook_internal;
	int64_t rate_per_s, burst, sessions_per_s, wait_ms, session_s, connections_max;
	int64_t wrong_per_min;
	int64_t traces_per_s;
	struct door_settings doors;
	int64_t reality_check_s;
	int64_t staff_idle_s, staff_session_s, staff_confirm_s, staff_lock_s;
	bool staff_second_factor; /* every user needs one */
	int64_t proof_age_s;
	bool definitions;
	bool turbo;
};

struct gateway {
	struct gateway_settings settings;
	struct edge *edge;
	struct nn_bus *bus;
	struct owners *owners;
	bool owners_waiting, owners_told; /* told: they have changed since they were asked for */
	uint64_t owners_asked_us;
	struct per_second traces; /* sampled requests */
	struct pg_pool *pg_ro, *pg;
	struct redis_link *redis;
	struct redis_link *sessions; /* a second link, because its commands may wait */
	struct instance *instance;
	struct token_key *token_key;
	struct revoked *revoked; /* sessions of players who have logged out */
	struct operator_key operators[OPERATORS_MAX];
	size_t operators_n;
	bool demo; /* demo sessions are allowed */
	uint32_t shards;

	struct limit by_player, by_address;
	struct tries *tries;		 /* wrong credentials by address */
	struct frames frames;		 /* who may show the games in a frame */
	struct timeouts idle, reconnect; /* by operator, by game */
	struct inflight inflight;
	struct admit admit; /* by how fast the services answer */
	struct service_request requests[INFLIGHT_MAX];
	uint64_t last_reply_us; /* when the last reply came, to any request; for the breaker */
	uint64_t expired_in_row;
	struct json_out out;
	struct {
		struct metric *expired, *again, *told, *late, *unreadable, *refused_rate, *open;
		struct metric *idle, *reconnects, *untraced;
	} metric;
};

/* ---- gateway.c ---- */

/* Sets up keys, limits, tables and counters from the settings; ends the process if they are
 * wrong. */
void gateway_begin(struct gateway *gateway);
/* Frees everything, the edge and the connections included. */
void gateway_end(struct gateway *gateway);

/* ---- service_requests.c: requests and replies over nanomsg ---- */

/* Fills sent.ticket and sent.trace, sends the command and keeps the request. Answers 503 and
 * returns false when too many requests are open. request_wallet: `request` may be NULL, when no
 * client waits. */
bool request_spin(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__SpinCommand *command);
bool request_wallet(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__WalletCommand *command);
bool request_cards(struct gateway *gateway, struct edge_request *request,
	struct service_request sent, Carillon__JackpotCommand *command);
/* Sends a command of sent.topic again as it was once sent, of at most LETTER_SENT_MAX bytes; behind
 * its bytes only the address and the number for the reply are added, which count as the last of
 * their fields. No client waits. False: too many requests are open. */
bool request_again(
	struct gateway *gateway, struct service_request sent, const uint8_t *bytes, size_t length);
/* For `done` functions that got no answer: 503, this request did nothing, if no owner was
 * handed it; else 504, because it may have been carried out. */
void answer_timed_out(struct edge_request *request, const struct service_request *sent);
uint32_t unanswered_status(const struct service_request *sent); /* that 503 or 504 */
void service_requests_on_bus(void *gateway);
void service_requests_flush(struct gateway *gateway); /* every turn */
/* Every 200 ms: reads who owns the shards. */
void service_requests_owners(struct gateway *gateway);
/* They have changed: reads them at once, or as soon as that may be. */
void service_requests_owners_told(void *gateway);
void service_requests_owners_soon(struct gateway *gateway); /* call it every 20 ms */
void service_requests_tick(struct gateway *gateway, uint64_t now_us);

/* ---- auth.c ---- */

void auth_load(struct gateway *gateway);
/* Reads the player of the token; false when 401 or 429 was answered. Does not count as activity of
 * the session. */
bool auth_player(struct gateway *gateway, struct edge_request *request, player_id *player_r);
/* The same for an action of the player, which keeps their session alive. */
bool auth_action(struct gateway *gateway, struct edge_request *request, player_id *player_r);
/* The session of the request's token, which auth_player or auth_action has just accepted. Times are
 * seconds since 1970. */
struct auth_session {
	char name[SESSION_NAME_MAX];
	uint64_t since_s, expires_s;
};
struct auth_session auth_session(struct gateway *gateway, struct edge_request *request);
/* Once a second: reads the token key's file again if it has changed. */
void auth_tick(struct gateway *gateway);
/* Reads the operator of the key or of the user's session, and checks that they may use this route;
 * `wanted` is the operator that it must be, 0: any. False when 401 or 403 was answered, or when the
 * request waits and is handled again. */
bool auth_operator(struct gateway *gateway, struct edge_request *request, uint32_t wanted,
	uint32_t *operator_r);
/* Names who asks, for the books: "operator-1" for a back end, whichever of its keys it uses;
 * "operator-1 anna" for a user. */
#define ACTOR_MAX 48
void actor_of(const struct gateway *gateway, const struct edge_request *request,
	uint32_t operator_id, char out[ACTOR_MAX]);
/* False when 429 was answered. by_address: the limit that the client's address must keep. */
bool auth_session_rate(struct gateway *gateway, struct edge_request *request);
bool auth_rate(struct gateway *gateway, struct edge_request *request, struct limit *by_address);
/* Reads the header Idempotency-Key; false when 400 was answered. */
bool auth_key(struct edge_request *request, const char **key_r);
/* The first ID_BYTES of SHA-256 over both texts with a NUL between them. */
void auth_id(const char *first, const char *second, uint8_t id_r[ID_BYTES]);
/* Reads {op} of the path and checks its key; false when an error was answered. */
bool auth_operator_path(
	struct gateway *gateway, struct edge_request *request, uint32_t *operator_r);

/* ---- wrong.c: wrong credentials ---- */

enum wrong_kind { WRONG_TOKEN, WRONG_KEY, WRONG_LOGIN, WRONG_PASSWORD, WRONG_KINDS };

void wrong_begin(struct gateway *gateway); /* the table and the metrics */
/* Call it before a password is checked, and again before the answer says whether it was right,
 * when that comes later: others may have been wrong meanwhile. False when 429 was answered: the
 * client's address has sent too many wrong ones. */
bool wrong_may_try(struct gateway *gateway, struct edge_request *request);
/* Notes a wrong credential, before the request is answered: in the log, in a metric, and against
 * the client's address. */
void wrong_note(struct gateway *gateway, const struct edge_request *request, enum wrong_kind kind);
/* A wrong token or key: notes it, or answers 429 and returns false if its address must wait. */
bool wrong_noted(struct gateway *gateway, struct edge_request *request, enum wrong_kind kind);
/* Notes in the log that who asks may not do what the route does, before a 403 with this code. */
void wrong_denied(const struct edge_request *request, const char *code);
void wrong_tick(struct gateway *gateway); /* once a second */

/* ---- answers.c ---- */

void answer_problem(struct edge_request *request, const struct problem *problem); /* 400 */
void answer_bad(struct edge_request *request, const char *where, const char *found,
	const char *expected); /* 400 */
/* 503: a query failed, or what the answer needs is not there yet; `error` is for the log. */
void answer_unavailable(struct edge_request *request, const char *error);
void answer_busy(struct edge_request *request); /* 503: would wait too long; nothing was done */
void answer_behind(
	struct edge_request *request); /* 503: an announced definition is not loaded here yet */
/* Reads the body by a table of fields; false when 400 was answered. */
bool answer_parse(struct edge_request *request, const struct field *fields, void *target);
/* Checks that the query has only these names (ended by NULL); false when 400 was answered. */
bool answer_query(struct edge_request *request, const char *const *names);
/* Reads a whole number from the query, `fallback` if it is missing; false when 400 was answered. */
bool answer_number(struct edge_request *request, const char *name, int64_t fallback, int64_t min,
	int64_t max, int64_t *value_r);
bool answer_limit(struct edge_request *request, int64_t fallback, int64_t max,
	int64_t *limit_r); /* ?limit= */
/* A word of a list (ended by NULL) from the query, the first where it is missing; NULL when 400 was
 * answered. */
const char *answer_word(struct edge_request *request, const char *name, const char *const *words);
/* Writes the members of a state: expect, balance, round and so on. */
void answer_state_members(struct json_out *out, const Carillon__SpinReply *reply);
/* Answers with the state, or with the engine's error and the state if the engine sent it. */
void answer_reply(
	struct gateway *gateway, struct edge_request *request, const Carillon__SpinReply *reply);
/* True when the engine replied with 200 and the client still waits. Otherwise a client that waits
 * has been answered: with 503 or 504 if no reply came (NULL), else with the engine's error. */
bool reply_accepted(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply);
/* Begins an error in an open object: the members of RFC 9457, and "error", open, with code and
 * message. The caller adds to it, closes it, and may put the player's state beside it. */
void answer_problem_open(
	struct json_out *out, uint32_t status, const char *code, const char *message);
/* The JSON of the engine's error up to its last member, with "error" and the whole open; the caller
 * adds members, closes both, and frees the text. */
char *answer_error_begun(struct gateway *gateway, const Carillon__SpinReply *reply);
/* Answers with a text as JSON or CSV and its ETag; 304 to a client that has it already. Browsers do
 * not keep it. */
void answer_text(struct edge_request *request, const char *text, size_t length, bool csv);
/* Answers with gateway->out, closed; a 200 to a read of an operator's as answer_text does. */
void answer_sent(struct gateway *gateway, struct edge_request *request, uint32_t status);
/* Writes a row as an object of the answer. */
typedef void result_json(struct json_out *out, const PGresult *result, int row);
/* Answers with the first row. */
void answer_row(struct gateway *gateway, struct edge_request *request, const PGresult *result,
	result_json *json);

/* A request that waits for a query: the first member of each handler's own struct. */
struct waiter {
	struct gateway *gateway;
	uint64_t ticket;
	player_id player; /* 0: none */
};
/* `size` is that of the handler's own struct, which is zeroed except for the waiter; `done` must
 * free() it. Never NULL. */
void *waiter_new(
	size_t size, struct gateway *gateway, struct edge_request *request, player_id player);
/* The request if it still waits and the query gave rows. Otherwise NULL, and a request that still
 * waits was answered with 503. */
struct edge_request *waiter_rows(
	const struct waiter *waiter, const PGresult *result, const char *error);

/* ---- pseudonyms.c ---- */

edge_handler on_pseudonymise, on_pseudonym_approve, on_pseudonym_refuse;
#define PSEUDONYMISED "The player was pseudonymised. Nothing was done."
/* Answers 409: the player was pseudonymised. */
void answer_pseudonymised(struct edge_request *request);
/* True when that was answered. A gateway knows of it within 250 ms. */
bool player_pseudonymised(
	const struct gateway *gateway, struct edge_request *request, player_id player);

/* ---- sessions.c ---- */

void sessions_tick(struct gateway *gateway); /* every 20 ms */

/* ---- presence.c: idle sessions and lost connections ---- */

void presence_begin(
	struct gateway *gateway); /* reads the settings; fatal when they are not valid */
/* False when 401 session_idle was answered. `name`: of the session (session_name). `acts`: the
 * request is an action of the player. */
bool presence_session(struct gateway *gateway, struct edge_request *request, player_id player,
	const char *name, uint64_t expires_s, bool acts);
/* A session begins. */
void presence_issued(
	struct gateway *gateway, player_id player, const char *token, uint64_t expires_s);
/* Of sessions by their names: since when each has ended by inactivity. 0: it has not, or that is
 * not known. */
void presence_idle(
	struct gateway *gateway, const char *const *names, size_t n, uint64_t *since_ms_r);
/* False when 429 reconnect_later was answered. `opens`: the player opens the game. */
bool presence_game(struct gateway *gateway, struct edge_request *request, player_id player,
	const char *game, bool opens);
void presence_flush(struct gateway *gateway); /* every 20 ms: writes to Redis */
void presence_read(struct gateway *gateway);  /* every 250 ms: reads lost connections from Redis */

/* ---- player_sessions.c: the list of a player's sessions ---- */

void player_session_begins(struct gateway *gateway, player_id player, const char *token,
	uint64_t since_s, uint64_t expires_s);
/* `name`: of the session (session_name). */
void player_session_idle(struct gateway *gateway, const char *name, uint64_t since_ms);

/* ---- readiness.c ---- */

/* Every 50 ms. A gateway that was ready stays ready when a shard changes its owner: all gateways
 * see the same change, so sending players elsewhere does not help. */
void readiness_tick(struct gateway *gateway);
bool readiness_reached(void);

/* ---- crashes.c: errors of pages ---- */

void crashes_begin(void); /* the limit and the metrics */
void crashes_tick(void);  /* once a second */

/* ---- config.c: GET /v1/config, which needs no session ---- */

/* "ws://host:port" of "ws://host:port/path": the other server that the pages may connect to. */
void config_origin(const char *url, char *out, size_t room);
/* For edge_pages_framed: the sites of the operator that the address of the page names. */
bool config_framers(void *context, const struct edge_request *request, char out[EDGE_FRAMERS_MAX]);

/* ---- routes.c: the table of routes, ended by a NULL path, and its handlers ---- */

extern const struct edge_route gateway_routes[];

edge_handler on_definition; /* definitions.c */
edge_handler on_config, on_games, on_game, on_demo_session, on_open_player, on_session, on_deposit,
	on_withdrawal, on_correction, on_grant, on_block, on_bonus_spins, on_bonus_spins_list,
	on_bonus_spins_end, on_withdrawals, on_withdrawal_look, on_withdrawal_decide,
	on_withdrawal_approve, on_grant_back, on_payment_call, on_limit, on_limits, on_own_limit,
	on_own_limits, on_void, on_voids, on_void_approve, on_void_refuse, on_void_requests,
	on_void_report;
edge_handler on_state, on_round, on_action, on_settings, on_rounds, on_journal, on_replay,
	on_jackpots, on_winners, on_status, on_cards, on_card, on_card_pick;
edge_handler on_pool_action, on_pool_approve, on_pool_refuse, on_pool_actions, on_pool_transfers;

edge_handler on_amount_approve, on_amount_refuse;		 /* amounts.c */
edge_handler on_game_start, on_game_stop, on_game_stops;	 /* game_stops.c */
edge_handler on_approvals;					 /* approvals.c */
edge_handler on_fx_set, on_fx_list, on_fx_approve, on_fx_refuse; /* fx.c */
edge_handler on_history;					 /* history_list.c */
edge_handler on_payout_queue;					 /* payout_queue.c */
edge_handler on_pool_view;					 /* pool_view.c */
edge_handler on_pool_history;					 /* pool_history.c */
edge_handler on_pool_forecast;					 /* pool_forecast.c */
edge_handler on_game_view;					 /* game_view.c */
edge_handler on_crash;						 /* crashes.c */
edge_handler on_note, on_notes;					 /* notes.c */
edge_handler on_player_sessions;				 /* player_sessions.c */
edge_handler on_player_export;					 /* export.c */
edge_handler on_logout, on_own_session, on_own_session_set;	 /* own_session.c */

/* ---- history.c: adds the rows of the round to a replay ---- */

service_done history_replay;

/* ---- games.c ---- */

/* Reads the folder of the Jackpot Cards sets, whose odds are shown with the games that take part;
 * "": no odds. Ends the process if the folder cannot be read. */
void games_card_sets(const char *folder);
/* Twice a second: reads the games again when new ones are announced, and every few seconds for
 * their odds. `soon`: each time, because engines are registering games now. */
void games_load(struct gateway *gateway, bool soon);
/* Call this before refusing a request because of its game's definition. True: the loaded games are
 * the announced ones, and were so after the request came. False: the handler must return; the
 * request waits for the games and is handled again or answered with 503. */
bool games_current(struct gateway *gateway, struct edge_request *request);
/* True when a read of the games that began after this time is complete. */
bool games_read_since(uint64_t us);
/* The slug of a game's number; "" when unknown. */
const char *game_slug(uint32_t number);
/* False when the game is not served; then the request is or will be answered: 404, or 503 until the
 * announced games are loaded. */
bool game_served(struct gateway *gateway, struct edge_request *request, const char *slug);
/* The number of a game; 0: not served. */
uint32_t game_number(const char *slug);
/* The possible bets of a game; NULL: not played in this currency. Valid until the next call. */
#define GAME_COINS_MAX 64
struct game_limits {
	int64_t coin_minor[GAME_COINS_MAX];
	size_t coins_n;
	int64_t lines_min, lines_max, coins_min, coins_max, stake_min, stake_max;
};
const struct game_limits *game_limits(const char *slug, const char *currency);
const char *game_first(void); /* "" while no game is known */

/* ---- counters.c, status.c, audit.c ---- */

void counters_tick(struct gateway *gateway); /* once a second */
/* True when a read of the pools that began after this time is complete. */
bool counters_read_since(uint64_t us);
/* When they were last read, by the clock of edge_now_us; 0: not yet. */
void counters_read_at(uint64_t *jackpots_us_r, uint64_t *winners_us_r);
/* Writes the current "levels" of a set. */
void counters_levels(struct json_out *out, uint32_t pool);
void status_tick(struct gateway *gateway); /* once a second */
bool status_owned(void); /* true when each shard of wallet and spin-engine has an owner */
/* Remembers who asks, for the line of the audit log that may come after the client has gone;
 * auth_operator calls it. */
void audit_asked(const struct gateway *gateway, struct edge_request *request, uint32_t operator_id);
/* Remembers the reason that was given with the request, for a line that comes with the answer of a
 * service; "" where none was given, or so many others have asked since. */
void audit_reason(struct edge_request *request, const char *reason);
const char *audit_reason_of(uint64_t ticket);
/* Records an operator's action and its outcome; `content` is JSON, `ticket` that of the request. */
void audit_write(struct gateway *gateway, uint64_t ticket, uint32_t operator_id, const char *action,
	player_id player, const char *content, uint32_t status);

/* The same for a subject other than a player: "pool 4". */
void audit_write_of(struct gateway *gateway, uint64_t ticket, uint32_t operator_id,
	const char *action, const char *subject, const char *content, uint32_t status);

/* ---- pool_actions.c ---- */

/* Reads GATEWAY_POOL_OPERATORS; fatal when it is not a list of operators. */
void pool_actions_begin(struct gateway *gateway);
/* Once a second: sends approved actions again that their service has not recorded, because it was
 * away, or a gateway ended first. */
void pool_actions_tick(struct gateway *gateway);

#endif
