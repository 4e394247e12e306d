/* The wallet of this process; opens and closes its shards. */
#include "services/wallet/adapters/wallet_ops.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/wallet/adapters/app.h"
#include "services/wallet/adapters/close.h"
#include "services/wallet/adapters/heads.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wallet app;

const struct setting wallet_settings[] = {
	{ "WALLET_STAKE_MAX_MINOR", SETTING_INT, "100000000", 1, WALLET_AMOUNT_MAX, &app.stake_max,
		"largest stake of one bet; larger stakes are refused (LIMIT)" },
	{ "WALLET_OUTSIDE_MAX_MINOR", SETTING_INT, "100000000000", 1, WALLET_AMOUNT_MAX,
		&app.outside_max,
		"largest deposit, withdrawal, correction or grant; larger ones are refused (LIMIT)" },
	{ "WALLET_LIMIT_RAISE_S", SETTING_INT, "86400", 0, 31536000, &app.limit_raise_s,
		"seconds until a player's limit is raised or ended after their request" },
	{ "WALLET_DEPOSIT_MAX", SETTING_TEXT, "", 0, 0, app.deposit_max,
		"operators' own limits on one deposit: OPERATOR=CURRENCY:MINOR, separated by "
		"commas, such as "
		"1=EUR:500000,7=SEK:1000000" },
	{ "WALLET_ACCOUNTS_MAX", SETTING_INT, "1000000", 1000, 100000000, &app.accounts_max,
		"accounts kept in memory; above this number clean ones are unloaded" },
	{ "WALLET_HEADS", SETTING_TEXT, "heads", 0, 0, app.heads,
		"folder of the signed heads of the chain; empty: none are written" },
	{ "WALLET_HEADS_S", SETTING_INT, "60", 1, 120, &app.heads_s,
		"seconds between two signed heads of a shard" },
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

/* "1=EUR:500000,7=SEK:1000000" */
static void deposit_max_read(void)
{
	const char *at = app.deposit_max;

	while (*at != '\0') {
		unsigned operator_id;
		char code[4];
		long long amount;
		int length = 0;
		if (sscanf(at, "%5u=%3[A-Z]:%16lld%n", &operator_id, code, &amount, &length) != 3 ||
			currency_by_code(code) == NULL || operator_id == 0 || amount < 0 ||
			(at[length] != '\0' && at[length] != ',') ||
			app.rules.deposit_max_n == WALLET_DEPOSIT_MAX_N)
			fatal("WALLET_DEPOSIT_MAX: found '%s', expected at most %d of "
			      "OPERATOR=CURRENCY:MINOR, separated by commas, such as 1=EUR:500000",
				at, WALLET_DEPOSIT_MAX_N);
		app.rules.deposit_max[app.rules.deposit_max_n++] =
			(struct wallet_deposit_max){ operator_id, currency_by_code(code)->number,
				amount };
		at += length + (at[length] == ',');
	}
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
	accounts_init(&app.accounts, (size_t)app.accounts_max);
	wallet_metrics_open(&app.metrics);
	app.rules = (struct wallet_rules){ .tallies = app.tallies,
		.stake_max = app.stake_max,
		.outside_max = app.outside_max,
		.limit_raise_us = (uint64_t)app.limit_raise_s * 1000000 };
	deposit_max_read();
	heads_start(service, app.heads);
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
	wallet_open_state(service, held);
	wallet_publish_missing(&app, service, held);
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
	ids_drop_shard(&app.ids, held->shard);
	bonus_spins_drop_shard(&app.spins, held->shard);
	holds_drop_shard(&app.holds, held->shard);
	for (size_t i = 0; i < RING_N; i++)
		free(shard->ring[i].bytes);
	arena_free(&shard->arena);
	free(shard->rows);
	free(shard->claims);
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

void wallet_committed(struct service *service)
{
	uint64_t mono_us = clock_mono_us();

	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		struct wallet_shard *shard = held->state;
		if (shard == NULL)
			continue;
		shard->committed_seq = shard->last_seq;
		shard->rows_n = 0;
		arena_reset(&shard->arena);
		wallet_claims_forget_closed(shard);
		wallet_feed_due(&app, service, held, mono_us);
	}
}
