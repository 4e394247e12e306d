/* A thin layer over hiredis. */
#include "libcommon/io/redis_link.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/settings.h"

#include <hiredis/hiredis.h>

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_FIRST_US 100000u
#define PAUSE_MAX_US 2000000u

struct redis_link {
	char host[256];
	int port;
	struct timeval timeout;
	redisContext *context;
	size_t queued;
	uint64_t pause_us, next_try_us;
	struct metric *commands, *dropped, *errors;
};

struct redis_link *redis_link_new(const char *address, int timeout_ms)
{
	struct redis_link *link = calloc(1, sizeof(*link));
	const char *colon = strrchr(address, ':');
	if (link == NULL)
		fatal("redis: out of memory");
	int port = colon != NULL ? atoi(colon + 1) : 0;
	if (colon == NULL || colon == address || (size_t)(colon - address) >= sizeof(link->host) ||
		port < 1 || port > 65535)
		fatal("redis: found the address '%s', expected host:port", address);
	(void)snprintf(link->host, sizeof(link->host), "%.*s", (int)(colon - address), address);
	link->port = port;
	link->timeout =
		(struct timeval){ timeout_ms / 1000, (suseconds_t)(timeout_ms % 1000) * 1000 };
	link->commands =
		metric_counter("carillon_redis_commands_total", NULL, "Commands given to Redis.");
	link->dropped = metric_counter(
		"carillon_redis_dropped_total", NULL, "Commands dropped because Redis was down.");
	link->errors =
		metric_counter("carillon_redis_errors_total", NULL, "Error replies from Redis.");
	return link;
}

static void drop_connection(struct redis_link *link, const char *why)
{
	log_warn_as("redis.link.failed", "redis: %s:%d: %s; trying again in %u ms", link->host,
		link->port, why,
		(unsigned)((link->pause_us == 0 ? PAUSE_FIRST_US : link->pause_us) / 1000u));
	if (link->context != NULL)
		redisFree(link->context);
	metric_add(link->dropped, link->queued);
	link->context = NULL;
	link->queued = 0;
	if (link->pause_us == 0)
		link->pause_us = PAUSE_FIRST_US;
	link->next_try_us = clock_mono_us() + link->pause_us;
	link->pause_us = link->pause_us * 2 > PAUSE_MAX_US ? PAUSE_MAX_US : link->pause_us * 2;
}

/* Read anew for each connection, so that a new password needs no restart. */
static bool log_in(struct redis_link *link)
{
	char user[64], password[128], why[SETTING_TEXT_MAX + 128];
	FILE *file = fopen(common.redis_login, "re");
	if (file == NULL || fscanf(file, "%63s %127s", user, password) != 2) {
		(void)snprintf(why, sizeof(why),
			"CARILLON_REDIS_LOGIN: %s: found no readable file with a user and a "
			"password, expected one",
			common.redis_login);
		if (file != NULL)
			(void)fclose(file);
		drop_connection(link, why);
		return false;
	}
	(void)fclose(file);
	redisReply *reply = redisCommand(link->context, "AUTH %s %s", user, password);
	bool good = reply != NULL && reply->type != REDIS_REPLY_ERROR;
	explicit_bzero(password, sizeof(password));
	if (!good) {
		(void)snprintf(why, sizeof(why), "%.200s",
			reply != NULL ? reply->str : link->context->errstr);
		drop_connection(link, why);
	}
	freeReplyObject(reply);
	return good;
}

bool redis_link_up(struct redis_link *link)
{
	if (link->context != NULL)
		return true;
	if (clock_mono_us() < link->next_try_us)
		return false;
	link->context = redisConnectWithTimeout(link->host, link->port, link->timeout);
	if (link->context == NULL || link->context->err != 0) {
		drop_connection(
			link, link->context != NULL ? link->context->errstr : "out of memory");
		return false;
	}
	(void)redisSetTimeout(link->context, link->timeout);
	return common.redis_login[0] == '\0' || log_in(link);
}

static bool queued(struct redis_link *link, int status)
{
	if (status != REDIS_OK) {
		drop_connection(link, "the command is invalid");
		return false;
	}
	link->queued++;
	metric_add(link->commands, 1);
	return true;
}

bool redis_link_command(struct redis_link *link, const char *format, ...)
{
	va_list arguments;
	if (!redis_link_up(link)) {
		metric_add(link->dropped, 1);
		return false;
	}
	va_start(arguments, format);
	int status = redisvAppendCommand(link->context, format, arguments);
	va_end(arguments);
	return queued(link, status);
}

bool redis_link_flush(struct redis_link *link, redis_reply *on_reply, void *context)
{
	size_t n = link->queued;
	for (size_t i = 0; i < n; i++) {
		redisReply *reply = NULL;
		if (redisGetReply(link->context, (void **)&reply) != REDIS_OK || reply == NULL) {
			drop_connection(link, link->context->errstr);
			return false;
		}
		link->queued--;
		if (reply->type == REDIS_REPLY_ERROR) {
			metric_add(link->errors, 1);
			log_warn_as("redis.command.failed", "redis: %.200s", reply->str);
		}
		if (on_reply != NULL)
			on_reply(context, i, reply);
		freeReplyObject(reply);
	}
	if (n > 0)
		link->pause_us = 0;
	return link->context != NULL;
}

void redis_link_free(struct redis_link **link)
{
	if (*link == NULL)
		return;
	if ((*link)->context != NULL)
		redisFree((*link)->context);
	free(*link);
	*link = NULL;
}
