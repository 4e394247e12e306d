/* Sessions that end by inactivity, and games that refuse a player for some time after a lost
 * connection. The data is in Redis and in a local table. An active player needs no read from Redis;
 * a player who is new here or seems idle does. If Redis is away or has lost the data, no player is
 * refused. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/session.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <hiredis/hiredis.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TELL_MS UINT64_C(1000) /* shortest time between two writes of a session's last action */
#define OVERLAP_MS                                                                                 \
	UINT64_C(5000) /* overlap of two reads, for clock differences between machines             \
			*/
#define DROPS_KEY "carillon:dropped" /* a sorted set: "<player>:<game>" by milliseconds */
#define DROPS_AT_ONCE 4096
#define IDLE_S_MAX 86400
#define RECONNECT_S_MAX 3600 /* how long notifications keeps a lost connection */

static struct moments acted, dropped;
static uint64_t newest_drop_ms;

static uint64_t now_ms(void)
{
	return clock_wall_us() / 1000;
}

static void waits_set(const char *name, const char *text, uint32_t max_s, struct timeouts *waits_r)
{
	char error[WAIT_ERROR_MAX];
	if (!timeouts_parse(text, max_s, waits_r, error))
		fatal("%s: %s", name, error);
}

void presence_begin(struct gateway *gateway)
{
	waits_set("GATEWAY_IDLE", gateway->settings.idle, IDLE_S_MAX, &gateway->idle);
	waits_set("GATEWAY_RECONNECT", gateway->settings.reconnect, RECONNECT_S_MAX,
		&gateway->reconnect);
}

/* True when Redis can be read: all queued commands are sent, so the next answer belongs to the next
 * command. */
static bool asking(struct gateway *gateway)
{
	return redis_link_up(gateway->sessions) && redis_link_flush(gateway->sessions, NULL, NULL);
}

/* ---- inactivity ---- */

static uint64_t idle_ms_of(const struct gateway *gateway, player_id player)
{
	char name[16];
	(void)snprintf(name, sizeof(name), "%" PRIu32, player_operator(player));
	return (uint64_t)timeouts_of(&gateway->idle, name) * 1000;
}

static void on_seen(void *context, size_t index, const struct redisReply *reply)
{
	struct session_seen *seen = context;
	(void)index;
	if (reply->type == REDIS_REPLY_STRING)
		(void)session_seen_parse(reply->str, seen);
}

/* When the player last acted at any gateway, as far as known. */
static uint64_t told(struct gateway *gateway, const char *name)
{
	struct session_seen seen = { 0, 0 };
	if (asking(gateway) &&
		redis_link_command(gateway->sessions, "GET carillon:session:%s", name))
		(void)redis_link_flush(gateway->sessions, on_seen, &seen);
	return seen.acted_ms;
}

static void tell(struct gateway *gateway, const char *name, struct moment *moment, uint64_t idle_ms,
	uint64_t expires_s)
{
	const struct session_seen seen = { moment->ms, idle_ms };
	char text[SESSION_SEEN_MAX];
	uint64_t now = now_ms();
	if (moment->ms < moment->told_ms + TELL_MS && moment->told_ms != 0)
		return;
	moment->told_ms = moment->ms;
	session_seen_format(&seen, text);
	/* Keep it as long as the token is valid: forgetting it earlier would revive an ended
	 * session. */
	if (expires_s * 1000 > now)
		(void)redis_link_command(gateway->sessions,
			"SET carillon:session:%s %s PX %" PRIu64, name, text,
			expires_s * 1000 - now);
}

/* Of a session: `moment` is told once that it has ended. */
static bool ended(struct gateway *gateway, struct edge_request *request, const char *name,
	struct moment *moment, uint64_t idle_ms)
{
	char found[64];
	uint64_t idle_s = idle_ms / 1000;
	(void)snprintf(found, sizeof(found), "no action for %" PRIu64 " %s",
		idle_s % 60 == 0 ? idle_s / 60 : idle_s, idle_s % 60 == 0 ? "minutes" : "seconds");
	metric_add(gateway->metric.idle, 1);
	if (moment->told_ms <= moment->ms) {
		moment->told_ms = moment->ms + idle_ms; /* so it is told once */
		player_session_idle(gateway, name, moment->ms + idle_ms);
	}
	edge_answer_header(request, "WWW-Authenticate", "Bearer");
	edge_answer_error(request, 401, "session_idle",
		"Your session ended because you were inactive. An open round is kept.",
		"Authorization", found, "a new session");
	return false;
}

static uint64_t key_of(const char *name)
{
	char first[17];
	memcpy(first, name, 16);
	first[16] = '\0';
	uint64_t key = strtoull(first, NULL, 16);
	return key != 0 ? key : 1;
}

/* RULE bewitched 7.1, RULE mona-lisa 6.1 */
bool presence_session(struct gateway *gateway, struct edge_request *request, player_id player,
	const char *name, uint64_t expires_s, bool acts)
{
	uint64_t idle_ms = idle_ms_of(gateway, player);
	uint64_t now = now_ms();
	if (idle_ms == 0)
		return true;
	struct moment *moment = moment_of(&acted, key_of(name));
	struct session_seen seen = { moment->ms, idle_ms };
	if (moment->ms == 0 || session_idle(&seen, now)) {
		/* The player is new here, or acted at another gateway. */
		uint64_t elsewhere = told(gateway, name);
		if (elsewhere > moment->ms)
			moment->ms = moment->told_ms = elsewhere;
		seen.acted_ms = moment->ms;
	}
	if (session_idle(&seen, now))
		return ended(gateway, request, name, moment, idle_ms);
	if (acts || moment->ms == 0)
		moment->ms = now;
	tell(gateway, name, moment, idle_ms, expires_s);
	return true;
}

void presence_issued(
	struct gateway *gateway, player_id player, const char *token, uint64_t expires_s)
{
	char name[SESSION_NAME_MAX];
	uint64_t idle_ms = idle_ms_of(gateway, player);
	if (idle_ms == 0)
		return;
	session_name(token, name);
	struct moment *moment = moment_of(&acted, key_of(name));
	moment->ms = now_ms();
	tell(gateway, name, moment, idle_ms, expires_s);
}

static void on_acted(void *context, size_t index, const struct redisReply *reply)
{
	uint64_t *since_ms = context;
	struct session_seen seen = { 0, 0 };

	if (reply->type == REDIS_REPLY_STRING && session_seen_parse(reply->str, &seen) &&
		session_idle(&seen, now_ms()))
		since_ms[index] = seen.acted_ms + seen.idle_ms;
}

void presence_idle(
	struct gateway *gateway, const char *const *names, size_t n, uint64_t *since_ms_r)
{
	for (size_t i = 0; i < n; i++)
		since_ms_r[i] = 0;
	if (n == 0 || !asking(gateway))
		return;
	for (size_t i = 0; i < n; i++)
		if (!redis_link_command(gateway->sessions, "GET carillon:session:%s", names[i]))
			n = i;
	(void)redis_link_flush(gateway->sessions, on_acted, since_ms_r);
}

/* ---- lost connections ---- */

static uint64_t drop_key(const char *member)
{
	uint64_t key = limit_key(member);
	return key != 0 ? key : 1;
}

static void note(const char *member, const char *score)
{
	uint64_t ms = strtoull(score, NULL, 10);
	struct moment *moment = moment_of(&dropped, drop_key(member));
	if (ms > moment->ms)
		moment->ms = ms;
	if (ms > newest_drop_ms)
		newest_drop_ms = ms;
}

static void on_drops(void *context, size_t index, const struct redisReply *reply)
{
	(void)context;
	(void)index;
	if (reply->type != REDIS_REPLY_ARRAY)
		return;
	for (size_t i = 0; i + 1 < reply->elements; i += 2)
		if (reply->element[i]->str != NULL && reply->element[i + 1]->str != NULL)
			note(reply->element[i]->str, reply->element[i + 1]->str);
}

static void on_drop(void *context, size_t index, const struct redisReply *reply)
{
	(void)index;
	if (reply->type == REDIS_REPLY_STRING)
		note(context, reply->str);
}

/* Opening a game reads Redis; a move is checked against the last read. */
static uint64_t dropped_ms(struct gateway *gateway, char *member, bool opens)
{
	if (opens && asking(gateway) &&
		redis_link_command(gateway->sessions, "ZSCORE " DROPS_KEY " %s", member))
		(void)redis_link_flush(gateway->sessions, on_drop, member);
	return moment_known(&dropped, drop_key(member));
}

static void reconnect_later(
	struct gateway *gateway, struct edge_request *request, const char *game, uint32_t left_s)
{
	struct json_out *out = &gateway->out;
	char text[16];
	(void)snprintf(text, sizeof(text), "%" PRIu32, left_s);
	metric_add(gateway->metric.reconnects, 1);
	edge_answer_header(request, "Retry-After", text);
	out_begin(out);
	out_open(out, NULL, '{');
	answer_problem_open(out, 429, "reconnect_later",
		"The connection to this game was lost. Nothing was done. Wait before you "
		"return; an open round is kept.");
	out_string(out, "where", "game");
	out_string(out, "found", game);
	out_string(out, "expected", "the same request after retry_s seconds");
	out_close(out, '}');
	out_uint(out, "retry_s", left_s);
	out_close(out, '}');
	answer_sent(gateway, request, 429);
}

/* RULE bewitched 7.3, RULE mona-lisa 6.3 */
bool presence_game(struct gateway *gateway, struct edge_request *request, player_id player,
	const char *game, bool opens)
{
	char member[PLAYER_TEXT_MAX + SLUG_MAX + 2];
	char name[PLAYER_TEXT_MAX];
	uint32_t wait_s = timeouts_of(&gateway->reconnect, game);
	if (wait_s == 0)
		return true;
	player_id_format(player, name);
	(void)snprintf(member, sizeof(member), "%s:%s", name, game);
	uint32_t left_s = reconnect_left_s(dropped_ms(gateway, member, opens), now_ms(), wait_s);
	if (left_s == 0)
		return true;
	reconnect_later(gateway, request, game, left_s);
	return false;
}

/* ---- in the background ---- */

void presence_flush(struct gateway *gateway)
{
	(void)redis_link_flush(gateway->sessions, NULL, NULL);
}

void presence_read(struct gateway *gateway)
{
	uint64_t now = now_ms();
	uint64_t oldest = now - (uint64_t)RECONNECT_S_MAX * 1000;
	uint64_t since =
		newest_drop_ms > oldest + OVERLAP_MS ? newest_drop_ms - OVERLAP_MS : oldest;
	if (!timeouts_any(&gateway->reconnect) || !asking(gateway))
		return;
	if (redis_link_command(gateway->sessions,
		    "ZREVRANGEBYSCORE " DROPS_KEY " +inf %" PRIu64 " WITHSCORES LIMIT 0 %d", since,
		    DROPS_AT_ONCE))
		(void)redis_link_flush(gateway->sessions, on_drops, NULL);
}
