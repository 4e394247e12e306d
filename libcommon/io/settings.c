/* Settings from the environment: one table common to all services and one of the service's own.
 * Unknown settings are errors. */
#include "libcommon/io/settings.h"

#include "libcommon/base/ids.h"
#include "libcommon/io/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED_STATUS 2
#define COMMON_PREFIX "CARILLON_"

extern char **environ;

struct common_settings common;

static const struct setting COMMON[] = {
	{ "CARILLON_PG_DSN", SETTING_TEXT, NULL, 0, 0, common.pg_dsn, "Postgres, read and write" },
	{ "CARILLON_PG_RO_DSN", SETTING_TEXT, NULL, 0, 0, common.pg_ro_dsn,
		"Postgres, by the read-only role (a replica in a cluster)" },
	{ "CARILLON_REDIS", SETTING_TEXT, NULL, 0, 0, common.redis, "Redis, host:port" },
	{ "CARILLON_REDIS_LOGIN", SETTING_TEXT, "", 0, 0, common.redis_login,
		"file with the user and password for Redis; empty: no login" },
	{ "CARILLON_KAFKA", SETTING_TEXT, NULL, 0, 0, common.kafka,
		"Kafka, host:port[,host:port..]; none: run without Kafka" },
	{ "CARILLON_KAFKA_LOGIN", SETTING_TEXT, "", 0, 0, common.kafka_login,
		"file with the user and password for Kafka (SCRAM-SHA-256); empty: no login" },
	{ "CARILLON_INSTANCE", SETTING_TEXT, "", 0, 0, common.instance,
		"name of this instance, unique in the installation, the same after a restart (default: "
		"<service>-1)" },
	{ "CARILLON_SHARDS", SETTING_INT, "4", 1, SHARDS_MAX, &common.shards,
		"the installation's number of shards, as set when it was created" },
	{ "CARILLON_HEALTH", SETTING_TEXT, "127.0.0.1:0", 0, 0, common.health,
		"address:port for /healthz, /readyz, /metrics; port 0: any free port" },
	{ "CARILLON_NN_URL", SETTING_TEXT, "", 0, 0, common.nn_url,
		"where this instance listens on nanomsg (default: ipc://nn/<instance>)" },
	{ "CARILLON_HAND", SETTING_TEXT, "hand", 0, 0, common.hand,
		"folder where each instance keeps the file of its commands in hand, which it "
		"reads after a crash" },
	{ "CARILLON_GAMES", SETTING_TEXT, "games", 0, 0, common.games,
		"folder with the game definitions" },
	{ "CARILLON_KEYS", SETTING_TEXT, "keys", 0, 0, common.keys,
		"folder with the service keys" },
	{ "CARILLON_KIND", SETTING_TEXT, "live", 0, 0, common.kind,
		"the installation's kind, as set when it was created: live, demo or test" },
	{ "CARILLON_BET_GAP_MS", SETTING_INT, "2500", 0, 60000, &common.bet_gap_ms,
		"shortest time in milliseconds between two bets of a player; 0, the default "
		"of demo and test: no minimum" },
	{ "CARILLON_FX_MAX_AGE_S", SETTING_INT, "604800", 0, 31536000, &common.fx_max_age_s,
		"age in seconds from which an FX rate is too old: bets in its currency that "
		"would feed a pool are refused (default 7 days; use 129600, which is 36 h, if "
		"rates are set daily); 0, the default of demo: never" },
	{ "CARILLON_LOG", SETTING_TEXT, "info", 0, 0, common.log, "error, warn, info or debug" },
	{ NULL, SETTING_TEXT, NULL, 0, 0, NULL, NULL },
};

/* Settings of scripts and the supervisor, which pass their whole environment on: known here so that
 * they are not errors. */
static const char *const OF_SCRIPTS[] = { "CARILLON_DATA", "CARILLON_CACHE", "CARILLON_PG_BIN",
	"CARILLON_PG_PORT", "CARILLON_REDIS_PORT", "CARILLON_KAFKA_PORT", "CARILLON_HTTP_PORT",
	"CARILLON_HTTP_PORTS", "CARILLON_EVENTS_PORTS", "CARILLON_PG_PASSWORD", "CARILLON_PG_ROLES",
	"CARILLON_PG_ADMIN_DSN", "CARILLON_PG_ARCHIVE_DSN", "CARILLON_TEST_TMP",
	"CARILLON_TEST_SEED", "CARILLON_CARD_SETS", "CARILLON_MONITORING", "CARILLON_WATCH_MS",
	"CARILLON_ALERTS_URL", "CARILLON_USERS", "CARILLON_UID_BASE", "CARILLON_SECRETS", NULL };

__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...)
{
	char message[2 * SETTING_TEXT_MAX];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	(void)fprintf(stderr, "settings: %s\n", message);
	exit(REFUSED_STATUS);
}

static const char *type_name(enum setting_type type)
{
	static const char *const NAMES[] = { "text", "whole number", "true or false" };
	return NAMES[type];
}

static void help_table(const struct setting *table)
{
	for (const struct setting *s = table; s != NULL && s->name != NULL; s++) {
		printf("  %-28s %s", s->name, type_name(s->type));
		if (s->type == SETTING_INT)
			printf(" %" PRId64 "..%" PRId64, s->min, s->max);
		if (s->fallback == NULL)
			printf(", required\n");
		else if (s->fallback[0] == '\0')
			printf(", optional\n");
		else
			printf(", default %s\n", s->fallback);
		printf("  %-28s   %s\n", "", s->help);
	}
}

__attribute__((noreturn)) static void help(const char *service, const struct setting *own)
{
	printf("%s takes no arguments except --help; its settings are environment variables.\n\n",
		service);
	printf("Common to all services:\n");
	help_table(COMMON);
	if (own != NULL && own->name != NULL)
		printf("\nIts own:\n");
	help_table(own);
	exit(0);
}

static const struct setting *find(const struct setting *table, const char *name, size_t length)
{
	for (const struct setting *s = table; s != NULL && s->name != NULL; s++)
		if (strlen(s->name) == length && strncmp(s->name, name, length) == 0)
			return s;
	return NULL;
}

static bool of_scripts(const char *name, size_t length)
{
	for (const char *const *at = OF_SCRIPTS; *at != NULL; at++)
		if (strlen(*at) == length && strncmp(*at, name, length) == 0)
			return true;
	return false;
}

static void unknown_check(const char *prefix, const struct setting *own)
{
	for (char **at = environ; *at != NULL; at++) {
		size_t length = strcspn(*at, "=");
		bool ours = strncmp(*at, COMMON_PREFIX, strlen(COMMON_PREFIX)) == 0 ||
			    (prefix[0] != '\0' && strncmp(*at, prefix, strlen(prefix)) == 0);
		if (!ours || of_scripts(*at, length) || find(COMMON, *at, length) != NULL ||
			find(own, *at, length) != NULL)
			continue;
		refuse("%.*s: unknown setting; expected one that --help lists", (int)length, *at);
	}
}

static void int_set(const struct setting *s, const char *text)
{
	char *end;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	bool digits = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
	if (!digits || *end != '\0' || errno != 0 || value < s->min || value > s->max)
		refuse("%s: found '%s', expected a whole number from %" PRId64 " to %" PRId64,
			s->name, text, s->min, s->max);
	*(int64_t *)s->value = value;
}

static void bool_set(const struct setting *s, const char *text)
{
	bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
	bool no = strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
	if (!yes && !no)
		refuse("%s: found '%s', expected true or false (or 1 or 0)", s->name, text);
	*(bool *)s->value = yes;
}

static void text_set(const struct setting *s, const char *text)
{
	if (strlen(text) >= SETTING_TEXT_MAX)
		refuse("%s: found %zu bytes, expected at most %d", s->name, strlen(text),
			SETTING_TEXT_MAX - 1);
	if (s->fallback == NULL && text[0] == '\0')
		refuse("%s: found an empty value, expected some text (%s)", s->name, s->help);
	(void)snprintf((char *)s->value, SETTING_TEXT_MAX, "%s", text);
}

static void table_load(const struct setting *table)
{
	for (const struct setting *s = table; s != NULL && s->name != NULL; s++) {
		const char *text = getenv(s->name);
		if (text == NULL)
			text = s->fallback;
		if (text == NULL)
			refuse("%s: found nothing, expected a value (%s)", s->name, s->help);
		switch (s->type) {
		case SETTING_TEXT:
			text_set(s, text);
			break;
		case SETTING_INT:
			int_set(s, text);
			break;
		case SETTING_BOOL:
			bool_set(s, text);
			break;
		}
	}
}

/* Names are used in paths, in application_name and as labels of metrics. */
static bool name_valid(const char *name)
{
	size_t length =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
	return length >= 1 && length <= 48 && name[length] == '\0' && name[0] != '.' &&
	       name[0] != '-';
}

static void common_check(const char *service)
{
	enum log_level level;
	const char *colon = strrchr(common.health, ':');
	if (common.instance[0] == '\0')
		(void)snprintf(common.instance, sizeof(common.instance), "%s-1", service);
	if (!name_valid(common.instance))
		refuse("CARILLON_INSTANCE: found '%s', expected 1 to 48 letters, digits, '-', '_' "
		       "or '.'",
			common.instance);
	if (common.nn_url[0] == '\0')
		(void)snprintf(
			common.nn_url, sizeof(common.nn_url), "ipc://nn/%.48s", common.instance);
	if (strncmp(common.nn_url, "ipc://", 6) != 0 && strncmp(common.nn_url, "tcp://", 6) != 0)
		refuse("CARILLON_NN_URL: found '%s', expected ipc://path or tcp://address:port",
			common.nn_url);
	if (strcmp(common.kind, "live") != 0 && strcmp(common.kind, "demo") != 0 &&
		strcmp(common.kind, "test") != 0)
		refuse("CARILLON_KIND: found '%s', expected live, demo or test", common.kind);
	if (strcmp(common.kind, "live") != 0 && getenv("CARILLON_BET_GAP_MS") == NULL)
		common.bet_gap_ms = 0;
	/* A demo keeps the rates of its first day: nobody sets new ones. */
	if (strcmp(common.kind, "demo") == 0 && getenv("CARILLON_FX_MAX_AGE_S") == NULL)
		common.fx_max_age_s = 0;
	if (!log_level_parse(common.log, &level))
		refuse("CARILLON_LOG: found '%s', expected error, warn, info or debug", common.log);
	if (colon == NULL || colon == common.health || colon[1] == '\0' ||
		strspn(colon + 1, "0123456789") != strlen(colon + 1) || strlen(colon + 1) > 5 ||
		atoi(colon + 1) > 65535)
		refuse("CARILLON_HEALTH: found '%s', expected address:port", common.health);
}

void settings_load(
	int argc, char **argv, const char *service, const char *prefix, const struct setting *own)
{
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		help(service, own);
	if (argc > 1)
		refuse("found the argument '%s', expected none but --help", argv[1]);
	unknown_check(prefix, own);
	table_load(COMMON);
	table_load(own);
	common_check(service);
}
