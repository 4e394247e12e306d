/* People who use the operator's side, and who asks: a person with a session, or a back end with a
 * key.
 *
 * Every gateway keeps the live sessions in memory and reads them four times a second. So the end of
 * a session, a disabled user and a withdrawn role take effect everywhere within 250 ms. */
#ifndef CARILLON_GATEWAY_ADAPTERS_STAFF_H
#define CARILLON_GATEWAY_ADAPTERS_STAFF_H

#include "libcommon/edge/password.h"
#include "services/gateway/adapters/gateway.h"
#include "services/gateway/core/permits.h"

#define STAFF_DIGEST_BYTES 32
#define STAFF_CSRF_MAX 48
#define ASKER_FROM_MAX 144
#define ASKER_MAX 64

struct staff_session {
	uint8_t digest[STAFF_DIGEST_BYTES]; /* of the cookie's text */
	int64_t staff;
	uint32_t operator_id;
	char name[STAFF_NAME_MAX + 1];
	role_set roles;
	char csrf[STAFF_CSRF_MAX];
	uint64_t seen_us, confirmed_us, expires_us;
	bool must_change, has_totp;
};

/* Who asks. */
struct asker {
	uint32_t operator_id;
	const struct staff_session *session; /* NULL: a back end's key */
	/* Of the key, or of the user: a second approver must have another one. */
	uint8_t digest[STAFF_DIGEST_BYTES];
	char name[ASKER_MAX]; /* "operator-1 key 0123abcd", "operator-1 anna" */
};

/* Where the answers of passwords are worked out; created by staff_begin. */
extern struct password *staff_passwords;
/* What is verified where nobody has the name, so that the answer takes as long. */
extern char staff_nobody[PASSWORD_HASH_MAX];

void staff_begin(struct gateway *gateway);
void staff_end(void);
void staff_read(struct gateway *gateway); /* every 250 ms */

/* Browsers keep a Secure cookie from https alone. A console on the machine itself has no https. */
bool staff_on_this_machine(const struct edge_request *request);
/* The session's cookie up to its value. By https its name begins with __Host-: browsers then take
 * it from this host alone, with Secure and for all paths, so no other site of the domain sets it.
 */
const char *staff_cookie(const struct edge_request *request);
/* The session of the request's cookie; NULL: none that lives. Valid until the loop turns; asked
 * again in the same turn, the answer is the same. */
const struct staff_session *staff_session_of(
	const struct gateway *gateway, const struct edge_request *request);
/* True: the cookie is unknown, its session may have begun at another gateway, and the request waits
 * for the next read and is handled again; or it was answered 429 or 503. */
bool staff_waits(struct gateway *gateway, struct edge_request *request);
/* A change of this process's own counts at once: reads again, and forgets the session named. */
void staff_forget(const uint8_t digest[STAFF_DIGEST_BYTES]);

/* Checks a session for the route: CSRF token, roles, and that the user has confirmed of late. False
 * when the request was answered. */
bool staff_may(struct gateway *gateway, struct edge_request *request,
	const struct staff_session *session, enum permission permission);

/* True when the user must set a second factor before anything else. */
bool staff_factor_needed(const struct gateway *gateway, const struct staff_session *session);
/* True when the user has entered their password of late; else 403 confirm_needed was answered. */
bool staff_confirmed(
	struct gateway *gateway, struct edge_request *request, const struct staff_session *session);
void staff_roles_json(struct json_out *out, role_set roles); /* the member "roles" */

/* Who asks, for handlers whose request auth_operator has accepted. False: the session has ended
 * meanwhile. */
bool asker_of(
	const struct gateway *gateway, const struct edge_request *request, struct asker *asker_r);
/* The asker with their address, as the audit log names them. */
void asker_from(
	const struct asker *asker, const struct edge_request *request, char from_r[ASKER_FROM_MAX]);

/* staff_login.c */
edge_handler on_staff_login, on_staff_session, on_staff_logout, on_staff_confirm, on_staff_password,
	on_staff_totp;
/* Sets the cookie of a session in the answer; "" and 0 s take it away. */
void staff_cookie_set(struct edge_request *request, const char *value, int64_t life_s);
/* staff_sessions.c */
edge_handler on_own_sessions, on_own_session_end, on_user_sessions, on_user_session_end;
/* staff_users.c */
edge_handler on_staff_list, on_staff_new, on_staff_action;
/* operator_reads.c */
edge_handler on_audit, on_player_search, on_player_view;
/* A player's account; $1 the player. */
extern const char player_sql[];
/* The members of its row in the interface. */
result_json player_members;
/* 404: the player of the path has no account. */
void player_unknown(struct edge_request *request);
/* player_past.c */
edge_handler on_player_history, on_player_round;
/* round_search.c */
edge_handler on_round_search, on_open_rounds;
/* reports.c */
edge_handler on_series, on_reports, on_report, on_gaming_day;

#endif
