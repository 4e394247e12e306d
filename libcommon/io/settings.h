/* The settings of a service, in one declarative table (docs/contracts.md, "Settings"): typed
 * environment variables with defaults and help. */
#ifndef CARILLON_IO_SETTINGS_H
#define CARILLON_IO_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

enum setting_type { SETTING_TEXT, SETTING_INT, SETTING_BOOL };

#define SETTING_TEXT_MAX 1024

struct setting {
	const char *name; /* environment variable: "WALLET_BATCH_MAX" */
	enum setting_type type;
	const char *fallback; /* default as text; NULL: the setting is required */
	int64_t min, max;     /* INT only */
	void *value;	      /* where the value goes: char[SETTING_TEXT_MAX], int64_t or bool */
	const char *help;
};

/* The settings that every service has, set by settings_load. */
struct common_settings {
	char pg_dsn[SETTING_TEXT_MAX], pg_ro_dsn[SETTING_TEXT_MAX], redis[SETTING_TEXT_MAX],
		redis_login[SETTING_TEXT_MAX], kafka[SETTING_TEXT_MAX],
		kafka_login[SETTING_TEXT_MAX];
	char instance[SETTING_TEXT_MAX], health[SETTING_TEXT_MAX], nn_url[SETTING_TEXT_MAX];
	char hand[SETTING_TEXT_MAX];
	char games[SETTING_TEXT_MAX], keys[SETTING_TEXT_MAX], kind[SETTING_TEXT_MAX],
		log[SETTING_TEXT_MAX];
	int64_t shards;
	int64_t bet_gap_ms; /* smallest time between two bets of a player; 0 (default unless live):
			       none */
	int64_t fx_max_age_s; /* 0 (default of a demo): a rate is never too old */
};
extern struct common_settings common;

/* Reads the common table and the service's own (ended by a NULL name) from the environment. --help
 * prints both and exits with 0. Refuses a missing or invalid value, an unknown argument, and an
 * unknown variable that begins with CARILLON_ or with `prefix` (the scripts' own variables are
 * known): says on stderr what was found and what was expected, and exits with 2. service: "wallet";
 * prefix: "WALLET_". */
void settings_load(
	int argc, char **argv, const char *service, const char *prefix, const struct setting *own);

#endif
