/* The wallet of this process; opens and closes its shards. */
#include "services/wallet/adapters/wallet_ops.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/wallet/adapters/app.h"
#include "services/wallet/adapters/close.h"
#include "services/wallet/adapters/heads.h"
#include "services/wallet/adapters/quarantine.h"
#include "services/wallet/adapters/traced.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wallet app;

const struct setting wallet_settings[] = {
	{ "WALLET_STAKE_MAX_MINOR", SETTING_INT, "100000000", 1, WALLET_AMOUNT_MAX, &app.stake_max,
		"largest stake of one bet in euro cents, and of about that worth in the currencies "
		"that WALLET_STAKE_MAX does not name; larger stakes are refused (LIMIT)" },
	{ "WALLET_STAKE_MAX", SETTING_TEXT, "", 0, 0, app.stake_max_of,
		"largest stakes by currency: CURRENCY:MINOR, separated by commas, such as "
		"JPY:150000000,KWD:300000000,XBT:1500000000" },
	{ "WALLET_OUTSIDE_MAX_MINOR", SETTING_INT, "100000000000", 1, WALLET_AMOUNT_MAX,
		&app.outside_max,
		"largest deposit, withdrawal, correction or grant in euro cents, and of about that "
		"worth in other currencies; larger ones are refused (LIMIT)" },
	{ "WALLET_LIMIT_RAISE_S", SETTING_INT, "86400", 0, 31536000, &app.limit_raise_s,
		"seconds from a player's request to raise or end a limit until this takes effect" },
	{ "WALLET_DEPOSIT_MAX", SETTING_TEXT, "", 0, 0, app.deposit_max,
		"operators' own limits on one deposit: OPERATOR=CURRENCY:MINOR, separated by "
		"commas, such as "
		"1=EUR:500000,7=SEK:1000000" },
	{ "WALLET_ACCOUNTS_MAX", SETTING_INT, "1000000", 1000, 100000000, &app.accounts_max,
		"accounts kept in memory; above this number clean ones are unloaded" },
	{ "WALLET_HEADS", SETTING_TEXT, "heads", 0, 0, app.heads,
		"folder of the signed heads of the chain; empty: none are written" },
	{ "WALLET_HEADS_COPY", SETTING_TEXT, "", 0, 0, app.heads_copy,
		"second folder of the signed heads, which the database's owner cannot write; empty: "
		"none" },
	{ "WALLET_HEADS_S", SETTING_INT, "60", 1, 120, &app.heads_s,
		"seconds between two signed heads of the same shard" },
	{ "WALLET_DAY_SHIFT", SETTING_INT, "0", 0, 100000, &app.day_shift,
		"days added to the day of each row; only in test installations" },
	{ NULL, SETTING_INT, NULL, 0, 0, NULL, NULL },
};

struct wallet *wallet_app(void)
{
	return &app;
}

/* Every statement of the wallet finds its rows by key. By its estimates alone, the planner would
 * sometimes read the whole account table for a few thousand accounts, which costs more as the
 * installation grows. */
static const char by_key_sql[] =
	"set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off";

/* The currency whose code begins here, and how long its code is. */
static const struct currency *currency_named(const char *at, size_t *length_r)
{
	char code[sizeof(((struct currency *)NULL)->code)] = { 0 };
	size_t n = 0;

	while (n < sizeof(code) - 1 && at[n] >= 'A' && at[n] <= 'Z') {
		code[n] = at[n];
		n++;
	}
	*length_r = n;
	return currency_by_code(code);
}

/* The next entry of WALLET_DEPOSIT_MAX, and how long it is. */
static bool deposit_max_entry(const char *at, struct wallet_deposit_max *entry_r, size_t *length_r)
{
	char *end;
	size_t code;
	unsigned long operator_id;
	const struct currency *currency;
	long long amount;

	if (*at < '1' || *at > '9')
		return false;
	errno = 0;
	operator_id = strtoul(at, &end, 10);
	if (*end != '=' || errno != 0 || operator_id > OPERATOR_MAX)
		return false;
	currency = currency_named(end + 1, &code);
	end += 1 + code;
	if (currency == NULL || *end != ':' || end[1] < '0' || end[1] > '9')
		return false;
	amount = strtoll(end + 1, &end, 10);
	if (errno != 0 || amount > WALLET_AMOUNT_MAX)
		return false;
	*entry_r = (struct wallet_deposit_max){ (uint32_t)operator_id, currency->number, amount };
	*length_r = (size_t)(end - at);
	return *end == '\0' || (*end == ',' && end[1] != '\0');
}

bool wallet_deposit_max_read(struct wallet_rules *rules, const char *text)
{
	rules->deposit_max_n = 0;
	while (*text != '\0') {
		size_t length;

		if (rules->deposit_max_n == WALLET_DEPOSIT_MAX_N ||
			!deposit_max_entry(
				text, &rules->deposit_max[rules->deposit_max_n], &length))
			return false;
		rules->deposit_max_n++;
		text += length + (text[length] == ',');
	}
	return true;
}

/* "1=EUR:500000,7=SEK:1000000" */
static void deposit_max_read(void)
{
	if (!wallet_deposit_max_read(&app.rules, app.deposit_max))
		fatal("WALLET_DEPOSIT_MAX: found '%s', expected at most %d of "
		      "OPERATOR=CURRENCY:MINOR, separated by commas, such as 1=EUR:500000",
			app.deposit_max, WALLET_DEPOSIT_MAX_N);
}

bool wallet_stake_max_read(struct wallet_rules *rules, const char *text)
{
	for (rules->stake_max_n = 0; *text != '\0';) {
		size_t length;
		const struct currency *currency = currency_named(text, &length);
		char *end;
		if (currency == NULL || text[length] != ':' || text[length + 1] < '1' ||
			text[length + 1] > '9' || rules->stake_max_n == WALLET_STAKE_MAX_N)
			return false;
		errno = 0;
		long long amount = strtoll(text + length + 1, &end, 10);
		for (size_t i = 0; i < rules->stake_max_n; i++)
			if (rules->stake_max_of[i].currency == currency->number)
				return false;
		if (errno != 0 || amount > WALLET_AMOUNT_MAX || (*end != '\0' && *end != ',') ||
			(*end == ',' && end[1] == '\0'))
			return false;
		rules->stake_max_of[rules->stake_max_n++] =
			(struct wallet_stake_max){ currency->number, amount };
		text = end + (*end == ',');
	}
	return true;
}

static void stake_max_read(void)
{
	if (!wallet_stake_max_read(&app.rules, app.stake_max_of))
		fatal("WALLET_STAKE_MAX: found '%s', expected at most %d of CURRENCY:MINOR, each "
		      "currency once, separated by commas, such as JPY:150000000,XBT:1500000000",
			app.stake_max_of, WALLET_STAKE_MAX_N);
}

void wallet_start(struct service *service)
{
	if (sodium_init() < 0)
		fatal("cannot initialise libsodium");
	if (app.day_shift != 0 && strcmp(common.kind, "test") != 0)
		fatal("WALLET_DAY_SHIFT: found %lld, expected 0: the installation is '%s', not a "
		      "test",
			(long long)app.day_shift, common.kind);
	pg_exec(service_pg(service), by_key_sql);
	wallet_checkpoint_prepare(service_pg(service));
	wallet_write_prepare(service_pg(service));
	accounts_init(&app.accounts, (size_t)app.accounts_max);
	wallet_metrics_open(&app.metrics);
	app.rules = (struct wallet_rules){ .tallies = app.tallies,
		.stake_max = app.stake_max,
		.outside_max = app.outside_max,
		.limit_raise_us = (uint64_t)app.limit_raise_s * 1000000 };
	deposit_max_read();
	stake_max_read();
	heads_start(service, app.heads, app.heads_copy);
}

void wallet_open_state(struct service *service, struct service_shard *held)
{
	struct wallet_shard *shard = calloc(1, sizeof(*shard));

	if (shard == NULL)
		fatal("out of memory: shard %u", held->shard);
	shard->shard = held->shard;
	held->state = shard;
	wallet_poll_rules(&app, service, clock_mono_us());
	wallet_load_shard(&app, service, shard);
	for (size_t i = 0; i < app.rules.tallies_n; i++)
		if (app.tallies[i].id != 0)
			wallet_feed_add_pool(shard, app.tallies[i].pool);
}

void wallet_open(struct service *service, struct service_shard *held)
{
	accounts_drop_shard(&app.accounts, held->shard); /* another owner has changed them since */
	wallet_open_state(service, held);
	wallet_publish_begin(service, held);
}

void wallet_close(struct service *service, struct service_shard *held)
{
	struct wallet_shard *shard = held->state;

	(void)service;
	if (shard == NULL)
		return;
	heads_end(shard);
	/* Dirty accounts stay behind the journal; the next owner rolls them forward. */
	accounts_drop_shard(&app.accounts, held->shard);
	ids_clear(&app.ids); /* all of them are committed */
	bonus_spins_drop_shard(&app.spins, held->shard);
	holds_drop_shard(&app.holds, held->shard);
	for (size_t i = 0; i < RING_N; i++)
		free(shard->ring[i].bytes);
	arena_free(&shard->arena);
	free(shard->rows);
	free(shard->claims);
	free(shard->traced);
	free(shard);
	held->state = NULL;
}

static void gauges_set(struct service *service)
{
	uint64_t oldest_us = UINT64_MAX;
	uint64_t now_us = clock_wall_us();
	size_t open = 0;

	for (size_t i = 0; i < SHARDS_MAX; i++) {
		const struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		const struct wallet_shard *shard = held->state;
		for (size_t j = 0; shard != NULL && j < shard->claims_n; j++) {
			open++;
			if (shard->claims[j].claim.kind == 1 &&
				shard->claims[j].opened_us < oldest_us)
				oldest_us = shard->claims[j].opened_us;
		}
	}
	metric_set(app.metrics.claims_open, (int64_t)open);
	metric_set(app.metrics.claims_oldest_us,
		oldest_us < now_us ? (int64_t)(now_us - oldest_us) : 0);
	metric_set(app.metrics.accounts, (int64_t)app.accounts.entries_n);
}

void wallet_tick(struct service *service, uint64_t mono_us)
{
	heads_due(service, (uint64_t)app.heads_s * 1000000, mono_us);
	if (mono_us >= app.polled_us + WALLET_POLL_US) {
		wallet_poll_rules(&app, service, mono_us);
		gauges_set(service);
	}
	quarantine_tick(&app, service, mono_us);
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		if (held->state == NULL)
			continue;
		wallet_feed_due(&app, service, held, mono_us);
		wallet_republish_spent_due(&wallet_shard_of(held)->republish,
			wallet_shard_of(held)->committed_seq, mono_us);
		wallet_publish_due(&app, service, held);
	}
	wallet_days_tick(&app, service, mono_us);
}

void wallet_write_all(struct service *service)
{
	wallet_write(&app, service);
	close_due(&app, service);
}

bool wallet_fits_line(struct service *service)
{
	return wallet_write_fits_line(&app, service) && !close_is_due(&app, service);
}

void wallet_write_all_in_line(struct service *service, struct pg_line *line)
{
	wallet_write_in_line(&app, service, line);
}

void wallet_committed(struct service *service)
{
	uint64_t mono_us = clock_mono_us();

	ids_clear(&app.ids);
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		struct wallet_shard *shard = held->state;
		if (shard == NULL)
			continue;
		shard->committed_seq = shard->last_seq;
		shard->rows_n = 0;
		if (shard->traced_n > 0)
			traced_committed(shard);
		arena_reset(&shard->arena);
		wallet_claims_forget_closed(shard);
		wallet_publish_committed(&app, service, held);
		wallet_feed_due(&app, service, held, mono_us);
	}
}
