/* The sets of the owned shards: counts wagers, shows levels, opens card rounds. */
#include "services/jackpot-cards/adapters/cards_service.h"

#include "jackpot.pb-c.h"
#include "libcommon/jackpot/io/card_sets.h"
#include "libcommon/io/clock.h"
#include "libcommon/jackpot/io/fx_rates.h"
#include "libcommon/jackpot/io/game_links.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/jackpot/io/jackpot_message.h"
#include "libcommon/jackpot/io/jackpot_quarantine.h"
#include "libcommon/jackpot/io/jackpot_totals.h"
#include "services/jackpot-cards/adapters/cards_messages.h"
#include "services/jackpot-cards/adapters/rounds.h"
#include "services/jackpot-cards/adapters/set_operator.h"
#include "services/jackpot-cards/adapters/terms_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_US 1000000u
/* Shortest time between two published states; with the loop's one commit a second this gives one
 * state a second. */
#define SHOW_US 900000u
/* The tally counts the whole wager; each level takes its share. */
#define WHOLE_PPM 1000000
#define REDIS_TIMEOUT_MS 50

char cards_sets_folder[SETTING_TEXT_MAX];
int64_t cards_expire_s;

_Static_assert(
	CARD_SETS_LEVELS == CARD_LEVELS, "found a number of levels other than the number of suits");
_Static_assert(CARD_SETS_WEIGHT_MAX == CARD_WEIGHT_MAX,
	"the deal must accept every weight that a set may have");
_Static_assert(CARD_SETS_SEED_MAX == POOL_SEED_MINOR_MAX,
	"a level must accept every seed that a set may have");

static struct {
	struct game_links links;
	struct card_sets sets;
	struct numbered_keys keys;
	struct redis_link *redis;
	struct fx_rates rates;
	uint64_t second_us;
	struct jackpot_taker taker;
	struct metric *t, *waiting, *redis_age, *behind;
	struct jackpot_quarantine quarantine;
} self;

void cards_service_start(struct service *service)
{
	char error[GAME_LINKS_ERROR_MAX];
	if (!card_sets_load("JACKPOT_CARDS_SETS", cards_sets_folder, &self.sets, error) ||
		!game_links_load(
			common.games, strcmp(common.kind, "live") != 0, &self.links, error))
		fatal("%s", error);
	for (size_t i = 0; i < self.links.count; i++) {
		const struct game_link *link = &self.links.link[i];
		bool known = link->cards.pool == 0;
		for (size_t j = 0; j < self.sets.count; j++)
			known = known || self.sets.set[j].number == link->cards.pool;
		if (!known)
			fatal("%s: /cards/set_number: found %u, expected the number of a set in "
			      "JACKPOT_CARDS_SETS",
				link->id, link->cards.pool);
	}
	rounds_start(&self.keys);
	terms_store_add(service_pg(service), &self.sets);
	self.redis = redis_link_new(common.redis, REDIS_TIMEOUT_MS);
	self.t = metric_gauge("carillon_cards_wagers_microeuro", NULL,
		"T of the owned sets: all wagers so far, in 10^-6 EUR.");
	self.waiting = metric_gauge("carillon_cards_waiting_claims", NULL, "Open card rounds.");
	self.taker.what = "set";
	self.taker.old = metric_counter("carillon_cards_feed_old_total", NULL,
		"Dropped messages that a wallet shard sent before its restore.");
	self.taker.restored = metric_counter(
		"carillon_cards_wallet_restored_total", NULL, "New incarnations of wallet shards.");
	self.taker.silent = metric_counter("carillon_cards_totals_read_total", NULL,
		"Wallet shards that did not answer before a win, read from their database.");
	self.taker.left_out = metric_counter("carillon_cards_totals_left_out_total", NULL,
		"Wallet shards whose newest stakes are missing from the price of a level: an "
		"alarm.");
	self.redis_age = metric_gauge("carillon_cards_redis_age_us", NULL,
		"Age of the oldest counters in Redis of the owned sets.");
	jackpot_quarantine_start(&self.quarantine, "cards", "set",
		metric_gauge("carillon_cards_quarantined", NULL,
			"Sets of this instance's shards that are out of work, because what is "
			"stored about them cannot be read: an alarm."));
	self.behind = metric_gauge("carillon_cards_rates_behind", NULL,
		"Games and currencies whose new FX rate could not be applied: an alarm.");
}

/* ---- shards
 * -----------------------------------------------------------------------------------------------------------
 */

static void open_tallies(struct service *service, void *visited, uint64_t mono_us)
{
	struct set_instance *instance = visited;
	stored_try(&instance->link.fault);
	pool_source_look(&instance->source, mono_us);
	for (size_t i = 0; i < self.links.count; i++) {
		const struct game_link *link = &self.links.link[i];
		if (link->cards.pool != instance->set.number || !link->cards.eligible)
			continue;
		for (uint32_t c = 0; c < link->currency_count; c++)
			(void)pool_source_open(&instance->source, service_pg(service), link->game,
				link->currency[c], WHOLE_PPM);
	}
	(void)stored_tried(&instance->link.fault);
}

/* Only a configuration that has changed since the last start changes the levels, so operators'
 * settings survive a restart. */
static enum card_set_status configure(
	struct set_instance *instance, const struct card_terms *terms, bool *changed_r)
{
	*changed_r = false;
	if (instance->defined_known && memcmp(&instance->defined, terms, sizeof(*terms)) == 0)
		return CARD_SET_OK;
	enum card_set_status status = card_set_configure(&instance->set, terms, changed_r);
	*changed_r = *changed_r || !instance->defined_known;
	return status;
}

static void free_set(struct set_instance *instance)
{
	rounds_free(instance);
	action_list_free(&instance->actions);
	free(instance);
}

static struct set_instance *new_set(const struct card_set_config *config, uint32_t shard)
{
	struct set_instance *instance = calloc(1, sizeof(*instance));
	if (instance == NULL)
		fatal("out of memory");
	instance->set.number = config->number;
	instance->link = (struct jackpot_link){ .pool = config->number, .shard = shard };
	memcpy(instance->id, config->id, sizeof(instance->id));
	memcpy(instance->weight, config->weight, sizeof(instance->weight));
	instance->expire_us = (uint64_t)cards_expire_s * SECOND_US;
	return instance;
}

/* Reads all that is stored about a set, except its rounds, and compares it with the configuration.
 * A set that is stored keeps its terms if the new ones cannot be taken. */
static void load_set(struct service *service, struct set_instance *instance,
	const struct card_set_config *config)
{
	bool changed = true;
	struct card_terms terms;
	enum card_set_status status;
	memcpy(terms.seed_minor, config->seed_minor, sizeof(terms.seed_minor));
	memcpy(terms.wager_ppm, config->wager_ppm, sizeof(terms.wager_ppm));
	bool known = set_store_load(instance, service_pg(service));
	set_operator_load(instance, service_pg(service));
	if (known)
		status = configure(instance, &terms, &changed);
	else
		status = card_set_launch(&instance->set, config->number, &terms);
	if (status != CARD_SET_OK && known)
		log_error_as("cards.terms.refused",
			"ALARM set %u: the configuration is refused: %s. The set keeps the terms "
			"that it has",
			config->number, card_set_status_text(status));
	else if (status != CARD_SET_OK)
		stored_wrong(
			"set %u, which is new: %s", config->number, card_set_status_text(status));
	else
		instance->defined = terms;
	changed = changed && status == CARD_SET_OK;
	if (changed)
		log_info("set %u \"%s\" on shard %u: %s", config->number, config->id,
			instance->link.shard,
			known ? "known; changed terms apply after the levels' next wins" : "new");
	instance->dirty = changed;
	instance->levels_dirty = changed;
	instance->unshown = true;
}

/* False: it is quarantined. */
static bool open_set(
	struct service *service, struct service_shard *shard, const struct card_set_config *config)
{
	struct set_instance *instance = new_set(config, shard->shard);
	stored_try(&instance->link.fault);
	load_set(service, instance, config);
	if (stored_good())
		rounds_load(service, instance);
	if (!stored_tried(&instance->link.fault)) {
		jackpot_quarantine_put(&self.quarantine, service, config->number, shard->shard,
			instance->link.fault.text);
		free_set(instance);
		return false;
	}
	open_tallies(service, instance, clock_mono_us());
	jackpot_list_add(shard, &instance->link);
	return true;
}

void cards_service_open(struct service *service, struct service_shard *shard)
{
	shard->state = NULL;
	jackpot_quarantine_open(&self.quarantine, service, shard->shard);
	for (size_t i = 0; i < self.sets.count; i++) {
		const struct card_set_config *config = &self.sets.set[i];
		if (shard_of_pool(config->number, service_shards(service)) == shard->shard &&
			jackpot_quarantine_of(&self.quarantine, config->number) == NULL)
			(void)open_set(service, shard, config);
	}
	jackpot_quarantine_leave(&self.quarantine, service);
	service_commit_soon(service);
}

/* Loads sets again that an operator has released. */
static void try_again(struct service *service)
{
	uint32_t sets[JACKPOT_QUARANTINE_MAX];
	size_t n = jackpot_quarantine_released(
		&self.quarantine, service, sets, JACKPOT_QUARANTINE_MAX);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < self.sets.count; j++) {
			const struct card_set_config *config = &self.sets.set[j];
			struct service_shard *shard = service_shard(
				service, shard_of_pool(sets[i], service_shards(service)));
			if (config->number != sets[i] || shard == NULL ||
				!open_set(service, shard, config))
				continue;
			jackpot_quarantine_end(&self.quarantine, service, sets[i]);
			struct set_instance *instance = jackpot_list_find(shard, sets[i]);
			/* All totals that came meanwhile. */
			(void)asked_totals_want(&instance->asked);
		}
	jackpot_quarantine_leave(&self.quarantine, service);
}

void cards_service_close(struct service *service, struct service_shard *shard)
{
	struct set_instance *at;
	while ((at = shard->state) != NULL) {
		shard->state = at->link.next;
		free_set(at);
	}
	jackpot_quarantine_close(&self.quarantine, service, shard->shard);
}

/* ---- feed
 * -------------------------------------------------------------------------------------------------------------
 */

/* Raises the levels' T to that of their source, also after a fault: the source has then taken
 * nothing since, and is stored with what it took before. */
static void accrue(struct set_instance *instance)
{
	int128 t = instance->source.vector.t_e18;
	if (t == instance->set.t_e18)
		return;
	enum card_set_status accrued = card_set_accrue_to(&instance->set, t);
	if (accrued != CARD_SET_OK) {
		stored_wrong("set %u: %s", instance->set.number, card_set_status_text(accrued));
		return;
	}
	instance->dirty = true;
	instance->unshown = true;
}

static enum service_message_status take_feed(
	struct service *service, struct set_instance *instance, const Carillon__JackpotFeed *feed)
{
	if (feed->claim != NULL && feed->claim->kind != CARILLON__CLAIM_KIND__CLAIM_CARDS) {
		service_reason(service,
			"claim.kind: found a hit, expected cards, because pool %u is a set of "
			"Jackpot Cards",
			feed->pool);
		return SERVICE_UNREADABLE;
	}
	enum service_message_status status;
	bool taken = jackpot_totals_take(
		service, &instance->source, feed, &self.taker, &instance->dirty, &status);
	accrue(instance);
	if (!taken)
		return status;
	if (feed->claim == NULL)
		asked_totals_heard(&instance->asked, clock_mono_us());
	/* A wager contributes before its round is evaluated: its totals come with its claim. */
	if (feed->claim != NULL)
		rounds_claim(service, instance, feed);
	return SERVICE_TAKEN;
}

static enum service_message_status apply_feed(
	struct service *service, void *of, const Carillon__JackpotFeed *feed)
{
	struct set_instance *instance = of;
	stored_try(&instance->link.fault);
	enum service_message_status status = take_feed(service, instance, feed);
	/* With a fault the set leaves, and the message is not at fault: the wallet repeats it. */
	return stored_tried(&instance->link.fault) ? status : SERVICE_TAKEN;
}

/* ---- totals before a win ---- */

static struct asked_totals_pool asked_of(void *context)
{
	struct set_instance *instance = context;

	return (struct asked_totals_pool){ &instance->asked, &instance->source, &self.taker,
		&instance->dirty };
}

void cards_service_bus(struct service *service, const uint8_t *bytes, size_t length)
{
	struct stored_fault fault;
	stored_try(&fault);
	struct set_instance *instance = asked_totals_message(service, bytes, length, asked_of);

	if (instance != NULL)
		accrue(instance);
	if (!stored_tried(&fault) && instance != NULL)
		instance->link.fault = fault;
	jackpot_quarantine_leave(&self.quarantine, service);
}

/* Rounds whose question is answered come before the next question. */
static void tick_rounds(struct service *service, void *visited, uint64_t mono_us)
{
	struct set_instance *instance = visited;
	const struct asked_totals_pool pool = asked_of(instance);

	stored_try(&instance->link.fault);
	rounds_tick(service, instance, mono_us);
	asked_totals_turn(service, &pool, mono_us);
	accrue(instance);
	(void)stored_tried(&instance->link.fault);
}

/* ---- commands
 * ---------------------------------------------------------------------------------------------------------
 */

static enum service_message_status take_action(struct service *service,
	struct set_instance *instance, const Carillon__JackpotCommand *command,
	struct action_record *record)
{
	const struct action_place place = { "cards", &instance->actions, instance->link.shard };
	enum action_known known = action_again(service, &place, command, record);
	if (known != ACTION_NEW)
		return known == ACTION_TAKEN ? SERVICE_WAIT : SERVICE_TAKEN;
	set_operator_apply(instance, &self.links, record, service_pg(service));
	if (action_behind(service, &self.links, command, record))
		return SERVICE_TAKEN;
	record->fact_seq = ++instance->fact_seq;
	instance->dirty = true;
	instance->unshown = true;
	action_keep(service, &place, command, record);
	return SERVICE_TAKEN;
}

static enum service_message_status take_command(struct service *service,
	struct set_instance *instance, const Carillon__JackpotCommand *command)
{
	static struct action_record record;
	char reason[ACTION_TEXT_MAX];
	if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_PICK) {
		rounds_pick(service, instance, command);
		return SERVICE_TAKEN;
	}
	if (command->body_case != CARILLON__JACKPOT_COMMAND__BODY_OPERATOR) {
		service_reason(service, "body: found %d, expected a pick or an operator's command",
			(int)command->body_case);
		return SERVICE_UNREADABLE;
	}
	if (!action_read(command->pool, command->operator_, &record, reason)) {
		service_reason(service, "%s", reason);
		return SERVICE_UNREADABLE;
	}
	return take_action(service, instance, command, &record);
}

static enum service_message_status apply_command(
	struct service *service, struct service_shard *shard, Carillon__JackpotCommand *command)
{
	struct set_instance *instance = jackpot_list_find(shard, command->pool);
	if (instance == NULL) {
		/* Else of a progressive pool, which another service handles. */
		if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_PICK &&
			jackpot_quarantine_of(&self.quarantine, command->pool) != NULL)
			rounds_refuse(service, command);
		return SERVICE_TAKEN;
	}
	stored_try(&instance->link.fault);
	enum service_message_status status = take_command(service, instance, command);
	(void)stored_tried(&instance->link.fault);
	return status;
}

enum service_message_status cards_service_message(struct service *service,
	struct service_shard *shard, const struct kafka_message *message, uint64_t *seq_r)
{
	static const struct jackpot_readers READERS = { apply_feed, apply_command };
	*seq_r = 0;
	enum service_message_status status = jackpot_message(service, shard, message, &READERS);
	jackpot_quarantine_leave(&self.quarantine, service);
	return status;
}

/* ---- time and commits
 * -------------------------------------------------------------------------------------------------
 */

static struct {
	int128 t_e18;
	int64_t waiting;
	uint64_t counters_us;
	uint32_t behind;
} sums;

static void add_up(struct service *service, void *visited, uint64_t mono_us)
{
	struct set_instance *instance = visited;
	(void)service;
	(void)mono_us;
	sums.t_e18 += instance->set.t_e18;
	sums.waiting += rounds_open(instance);
	sums.behind += instance->source.behind;
	if (instance->counters_us < sums.counters_us)
		sums.counters_us = instance->counters_us;
}

static void look_again(struct service *service, void *visited, uint64_t mono_us)
{
	const struct set_instance *instance = visited;
	if (pool_source_retry_due(&instance->source, mono_us))
		open_tallies(service, visited, mono_us);
}

void cards_service_tick(struct service *service, uint64_t mono_us)
{
	jackpot_quarantine_each(&self.quarantine, service, tick_rounds, mono_us);
	if (fx_rates_changed(&self.rates, service_pg(service), mono_us, clock_wall_us()))
		jackpot_quarantine_each(&self.quarantine, service, open_tallies, mono_us);
	if (mono_us < self.second_us + SECOND_US)
		return;
	self.second_us = mono_us;
	rounds_refresh_keys();
	jackpot_quarantine_each(&self.quarantine, service, look_again, mono_us);
	try_again(service);
	memset(&sums, 0, sizeof(sums));
	sums.counters_us = mono_us;
	jackpot_list_each(service, add_up, mono_us);
	metric_set(self.t, (int64_t)(sums.t_e18 / 1000000000000));
	metric_set(self.waiting, sums.waiting);
	metric_set(self.redis_age, (int64_t)(mono_us - sums.counters_us));
	metric_set(self.behind, sums.behind);
}

static void write_set(struct service *service, void *visited, uint64_t mono_us)
{
	struct set_instance *instance = visited;
	instance->show = instance->unshown &&
			 (instance->show_now || mono_us >= instance->shown_us + SHOW_US);
	if (instance->show)
		instance->fact_seq++;
	if (!instance->dirty && !instance->show)
		return;
	/* From here on the published state differs from the last one. */
	instance->version++;
	set_store_save(instance, service_pg(service));
	rounds_write(service, instance);
	if (instance->show)
		cards_send_state(service, instance);
}

void cards_service_write(struct service *service)
{
	jackpot_list_each(service, write_set, clock_mono_us());
	for (struct jackpot_link *at = self.quarantine.leaving; at != NULL; at = at->next)
		write_set(service, at, clock_mono_us());
	jackpot_quarantine_save(&self.quarantine, service_pg(service));
}

static void show_set(struct service *service, void *visited, uint64_t mono_us)
{
	struct set_instance *instance = visited;
	(void)service;
	rounds_committed(instance);
	if (instance->show) {
		instance->shown_us = mono_us;
		instance->unshown = false;
		instance->show_now = false;
	}
	/* Write everything each second even without a change: Redis may have been emptied, and
	 * readers check the age. */
	if (mono_us >= instance->counters_us + SHOW_US && cards_show_counters(self.redis, instance))
		instance->counters_us = mono_us;
}

void cards_service_committed(struct service *service)
{
	struct jackpot_link *at;
	while ((at = jackpot_quarantine_left(&self.quarantine)) != NULL)
		free_set((struct set_instance *)at);
	jackpot_list_each(service, show_set, clock_mono_us());
}
