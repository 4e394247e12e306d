/* Commands to pools. */
#include "services/progressive-pool/adapters/pool_commands.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/progressive-pool/adapters/claims.h"
#include "services/progressive-pool/adapters/created_pool.h"
#include "services/progressive-pool/adapters/operator.h"
#include "services/progressive-pool/adapters/pool_log.h"
#include "services/progressive-pool/adapters/transfers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const struct game_links *links;
	const struct jackpot_quarantine *quarantine;
} self;

struct pool_instance *pool_instance_new(uint32_t number, uint32_t shard)
{
	struct pool_instance *instance = calloc(1, sizeof(*instance));
	if (instance == NULL)
		fatal("out of memory");
	pool_begin(&instance->pool, number);
	instance->link = (struct jackpot_link){ .pool = number, .shard = shard };
	return instance;
}

void pool_instance_free(struct pool_instance *instance)
{
	free(instance->hits);
	claims_free(instance);
	pool_log_free(instance);
	action_list_free(&instance->actions);
	transfers_free(instance);
	free(instance->created.text);
	free(instance);
}

/* ---- operators ---- */

static bool in_definition(
	const struct pool_instance *instance, uint32_t currency, int64_t coin_minor)
{
	for (size_t i = 0; i < self.links->count; i++) {
		const struct game_link *link = &self.links->link[i];
		if (link->jackpot.pool != instance->pool.number)
			continue;
		for (uint32_t j = 0; j < link->jackpot.row_count; j++)
			if (link->jackpot.row[j].currency == currency &&
				link->jackpot.row[j].coin_minor == coin_minor)
				return true;
	}
	return false;
}

/* Refused actions without an instance to store them with: CREATE, and any on a pool that is
 * quarantined. */
static struct {
	struct action_list records;
	uint32_t pool;
} unknown_pool;

/* Everything except CREATE. */
static void apply_action(
	struct service *service, struct pool_instance *instance, struct action_record *record)
{
	pool_log_sync(instance);
	switch (record->action) {
	case CARILLON__OPERATOR_ACTION__ACTION_CREATE:
		(void)action_refuse(record->refusal, "pool: found %u, expected an unused number",
			instance->pool.number);
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_RETIRE:
		transfers_retire(instance, record, service_pg(service));
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_TAKE_PART:
		pool_take_part(instance, record, service_pg(service));
		break;
	default:
		operator_apply(instance, record, in_definition);
		break;
	}
	if (record->done)
		pool_log_action(instance, record->id);
	if (record->done && record->action == CARILLON__OPERATOR_ACTION__ACTION_PAUSE)
		instance->paused_us = clock_mono_us();
}

/* There are no figures before and after it. */
static void refuse_whole(struct action_record *record, const char *why, const char *found)
{
	(void)action_refuse(record->refusal, "%s: %.160s", why, found);
	(void)snprintf(record->before, ACTION_FIGURES_MAX, "null");
	(void)snprintf(record->after, ACTION_FIGURES_MAX, "null");
}

static struct pool_instance *make_pool(struct service *service, struct service_shard *shard,
	uint32_t number, struct action_record *record)
{
	struct pool_instance *instance = pool_instance_new(number, shard->shard);
	stored_try(&instance->link.fault);
	pool_source_load(&instance->source, service_pg(service), "pool", number);
	pool_log_open(instance, service_pg(service));
	if (!stored_tried(&instance->link.fault)) {
		refuse_whole(record, "pool: it cannot be made", instance->link.fault.text);
		pool_instance_free(instance);
		return NULL;
	}
	if (!created_pool_make(instance, record, self.links, service_pg(service))) {
		pool_instance_free(instance);
		return NULL;
	}
	pool_log_begin(instance, false);
	log_info("pool %u \"%s\" was created by %s, on shard %u", number, instance->id,
		record->actor, shard->shard);
	jackpot_list_add(shard, &instance->link);
	return instance;
}

/* A refusal may concern the pool's rows, which a game's definition names. */
static void name_game(const struct pool_instance *instance, struct action_record *record)
{
	for (size_t i = 0; i < self.links->count && record->game[0] == '\0'; i++)
		if (self.links->link[i].jackpot.pool == instance->pool.number)
			memcpy(record->game, self.links->link[i].id, sizeof(record->game));
}

static enum service_message_status take_action(struct service *service, struct service_shard *shard,
	struct pool_instance *instance, const Carillon__JackpotCommand *command,
	struct action_record *record)
{
	struct action_place place = { "pool",
		instance != NULL ? &instance->actions : &unknown_pool.records, shard->shard };
	enum action_known known = action_again(service, &place, command, record);
	if (known != ACTION_NEW)
		return known == ACTION_TAKEN ? SERVICE_WAIT : SERVICE_TAKEN;
	const char *out = jackpot_quarantine_of(self.quarantine, command->pool);
	if (instance != NULL)
		apply_action(service, instance, record);
	else if (unknown_pool.records.n > 0)
		return SERVICE_TAKEN; /* retried soon */
	else if (out != NULL)
		refuse_whole(record, "pool: it is quarantined", out);
	else
		instance = make_pool(service, shard, command->pool, record);
	if (instance != NULL)
		name_game(instance, record);
	if (action_behind(service, self.links, command, record))
		return SERVICE_TAKEN;
	if (instance != NULL) {
		place.list = &instance->actions;
		record->fact_seq = ++instance->fact_seq;
		instance->dirty = true;
		instance->rows_dirty = true;
		instance->unshown = true;
	} else {
		unknown_pool.pool = command->pool;
	}
	action_keep(service, &place, command, record);
	return SERVICE_TAKEN;
}

static enum service_message_status take_operator(struct service *service,
	struct service_shard *shard, struct pool_instance *instance,
	const Carillon__JackpotCommand *command)
{
	static struct action_record record;
	char reason[ACTION_TEXT_MAX];
	if (!action_read(command->pool, command->operator_, &record, reason)) {
		service_reason(service, "%s", reason);
		return SERVICE_UNREADABLE;
	}
	/* Otherwise the action is for a set: the set's service replies, whatever this one knows of
	 * the id. */
	if (instance != NULL || record.action == CARILLON__OPERATOR_ACTION__ACTION_CREATE ||
		jackpot_quarantine_of(self.quarantine, command->pool) != NULL)
		return take_action(service, shard, instance, command, &record);
	return SERVICE_TAKEN;
}

enum service_message_status pool_command_apply(struct service *service, struct service_shard *shard,
	const struct game_links *links, const struct jackpot_quarantine *quarantine,
	const Carillon__JackpotCommand *command)
{
	self.links = links;
	self.quarantine = quarantine;
	struct pool_instance *instance = jackpot_list_find(shard, command->pool);
	bool operator_asks = command->body_case == CARILLON__JACKPOT_COMMAND__BODY_OPERATOR;
	if (instance == NULL && !operator_asks)
		return SERVICE_TAKEN;
	if (operator_asks)
		return take_operator(service, shard, instance, command);
	pool_log_sync(instance);
	if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_TRANSFER)
		return transfers_take(service, instance, command->transfer);
	if (command->body_case == CARILLON__JACKPOT_COMMAND__BODY_TRANSFER_BOOKED)
		return transfers_acknowledged(service, instance, command->transfer_booked);
	service_reason(service,
		"body: found %d, expected an operator's command or a transfer: pool %u is a "
		"progressive",
		(int)command->body_case, command->pool);
	return SERVICE_UNREADABLE;
}

void pool_commands_save(PGconn *conn)
{
	action_list_save(&unknown_pool.records, conn, "pool", unknown_pool.pool);
}
