#include "services/notifications/adapters/presence.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/redis_link.h"

#include <hiredis/hiredis.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define REDIS_MS 50
#define KEPT_MS UINT64_C(3600000) /* no game refuses a player for longer */

struct presence {
	struct redis_link *redis;
	struct metric *lost;
	uint64_t trimmed_ms;
};

struct presence *presence_new(const char *redis)
{
	struct presence *presence = calloc(1, sizeof(*presence));
	if (!presence)
		fatal("out of memory");
	presence->redis = redis_link_new(redis, REDIS_MS);
	presence->lost = metric_counter("carillon_notifications_lost_total", NULL,
		"Players whose connection to a game was lost.");
	return presence;
}

void presence_free(struct presence **presence)
{
	if (*presence)
		redis_link_free(&(*presence)->redis);
	free(*presence);
	*presence = NULL;
}

void presence_lost(struct presence *presence, player_id player, const char *game)
{
	char name[PLAYER_TEXT_MAX];
	uint64_t now_ms = clock_wall_us() / 1000;
	player_id_format(player, name);
	metric_add(presence->lost, 1);
	(void)redis_link_command(
		presence->redis, "ZADD carillon:dropped %" PRIu64 " %s:%s", now_ms, name, game);
	if (now_ms - presence->trimmed_ms < 1000)
		return;
	presence->trimmed_ms = now_ms;
	(void)redis_link_command(presence->redis, "ZREMRANGEBYSCORE carillon:dropped -inf %" PRIu64,
		now_ms - KEPT_MS);
}

static void on_seen(void *context, size_t index, const struct redisReply *reply)
{
	struct session_seen *seen = context;
	if (reply->type == REDIS_REPLY_STRING)
		(void)session_seen_parse(reply->str, &seen[index]);
}

void presence_look(
	struct presence *presence, const char *const *names, size_t n, struct session_seen *seen_r)
{
	memset(seen_r, 0, n * sizeof(*seen_r));
	if (n == 0 || !redis_link_up(presence->redis) ||
		!redis_link_flush(presence->redis, NULL, NULL))
		return;
	for (size_t i = 0; i < n; i++)
		if (!redis_link_command(presence->redis, "GET carillon:session:%s", names[i]))
			return;
	(void)redis_link_flush(presence->redis, on_seen, seen_r);
}

void presence_flush(struct presence *presence)
{
	(void)redis_link_flush(presence->redis, NULL, NULL);
}
