/* Messages in from Kafka: which topics of which shards are read, which shard a message belongs to,
 * and which messages are kept for later. */
#include "libcommon/service/loop.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOUNDS_WAIT_MS 200
/* While Kafka does not answer and the loop has shards that take commands. */
#define BOUNDS_SERVING_MS 100
#define BOUNDS_AGAIN_US 1000000u
#define END_ASK_US 500000u
#define OFFER_AGAIN 64	     /* kept messages offered as one batch */
#define POLL_US 20000u	     /* without a message from Kafka */
#define ALONE_TURN_US 20000u /* messages tried alone in one turn of the loop */

static struct kafka_consumer *consumer_of(const struct service *service, int topic)
{
	return service->consumers[service->ops->topics[topic].pace];
}

void service_kept_push(struct kept *kept, const struct kafka_message *message)
{
	if (kept->n == kept->room) {
		size_t room = kept->room == 0 ? 64 : kept->room * 2;
		struct kafka_message *larger = realloc(kept->messages, room * sizeof(*larger));
		if (larger == NULL)
			fatal("kept messages: out of memory");
		kept->messages = larger;
		kept->room = room;
	}
	uint8_t *copy = malloc(message->key_length + message->length + 1);
	if (copy == NULL)
		fatal("kept messages: out of memory");
	if (message->key_length > 0)
		memcpy(copy, message->key, message->key_length);
	if (message->length > 0)
		memcpy(copy + message->key_length, message->bytes, message->length);
	struct kafka_message *to = &kept->messages[kept->n++];
	*to = *message;
	to->key = copy;
	to->bytes = copy + message->key_length;
}

void service_kept_free(struct kept *kept)
{
	for (size_t i = 0; i < kept->n; i++)
		free((void *)(uintptr_t)kept->messages[i].key);
	free(kept->messages);
	*kept = (struct kept){ 0 };
}

static void kept_push(
	struct service *service, struct reading *reading, const struct kafka_message *message)
{
	service_kept_push(&reading->kept, message);
	service->kept_n++;
}

/* Drops the first n messages. */
static void kept_drop(struct service *service, struct reading *reading, size_t n)
{
	struct kept *kept = &reading->kept;
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)kept->messages[i].key);
	memmove(kept->messages, kept->messages + n, (kept->n - n) * sizeof(*kept->messages));
	kept->n -= n;
	service->kept_n -= n;
}

void service_reading_stop(struct service *service, struct holding *holding, int topic)
{
	struct reading *reading = &holding->readings[topic];
	if (reading->started)
		kafka_consume_stop(consumer_of(service, topic), service->ops->topics[topic].topic,
			holding->shard.shard);
	service->kept_n -= reading->kept.n;
	service_kept_free(&reading->kept);
	reading->started = false;
}

void service_reading_free(struct service *service, struct holding *holding)
{
	for (int t = 0; t < service->ops->topics_n; t++)
		service_reading_stop(service, holding, t);
	service->waiting_n -= holding->waiting.n;
	service_kept_free(&holding->waiting);
}

static bool serving(const struct service *service)
{
	for (size_t i = 0; i < service->held_n; i++)
		if (service_direct_ready(service, service->held[i]))
			return true;
	return false;
}

/* Kafka does not answer: tries again soon, but renews the lease first. Shards that take commands
 * are not held up: the pause begins now, after the wait. */
static void bounds_later(struct service *service)
{
	service->opening_us = clock_mono_us() + (serving(service) ? BOUNDS_AGAIN_US : 0u);
}

static bool bounds(
	struct service *service, enum topic topic, uint32_t shard, int64_t *first_r, int64_t *end_r)
{
	bool brief = service->opening_us != 0 && serving(service);
	if (!kafka_bounds_within(service->asker, topic, shard,
		    brief ? BOUNDS_SERVING_MS : BOUNDS_WAIT_MS, first_r, end_r)) {
		bounds_later(service);
		return false;
	}
	service->opening_us = 0;
	return true;
}

/* Requests the topic's end again: a topic that has lost its tail now ends earlier, and the old end
 * would never be reached. */
static void end_ask(struct service *service, struct holding *holding, int topic)
{
	struct reading *reading = &holding->readings[topic];
	uint64_t now = clock_mono_us();
	int64_t first;
	int64_t end;
	if (now < reading->end_asked_us + END_ASK_US || now < service->opening_us)
		return;
	reading->end_asked_us = now;
	if (bounds(service, service->ops->topics[topic].topic, holding->shard.shard, &first,
		    &end) &&
		end < reading->end)
		reading->end = end;
}

static bool reading_reached(struct service *service, struct holding *holding, int topic)
{
	struct reading *reading = &holding->readings[topic];
	if (!service->ops->topics[topic].to_end_first || reading->reached)
		return true;
	if (service->ops->facts != NULL)
		return false; /* service_facts.c */
	if (reading->started && reading->next < reading->end)
		end_ask(service, holding, topic);
	if (!reading->started || reading->next < reading->end || reading->kept.n > 0)
		return false;
	reading->reached = true;
	log_info("shard %u: %s is read up to its end, offset %lld", holding->shard.shard,
		topic_name(service->ops->topics[topic].topic), (long long)reading->end);
	return true;
}

static bool end_matters(const struct service *service, const struct holding *holding, int topic)
{
	return holding->one_by_one ||
	       (service->ops->topics[topic].to_end_first && service->ops->facts == NULL);
}

static bool reading_start(struct service *service, struct holding *holding, int topic)
{
	struct reading *reading = &holding->readings[topic];
	enum topic name = service->ops->topics[topic].topic;
	uint32_t shard = holding->shard.shard;
	int64_t offset = holding->shard.position[topic].offset;
	int64_t first;
	/* Nobody waits for Kafka who need not know its end: an offset that it does not have moves
	 * once it says so. */
	if (end_matters(service, holding, topic)) {
		if (!bounds(service, name, shard, &first, &reading->end))
			return false;
		offset = kafka_offset_near(name, shard, offset, first, reading->end);
	}
	reading->alone_end = reading->end < offset + BATCH_MAX ? reading->end : offset + BATCH_MAX;
	kafka_consume_at(consumer_of(service, topic), name, shard, offset);
	holding->shard.position[topic].offset = offset;
	reading->next = offset;
	reading->end_asked_us = clock_mono_us();
	reading->started = true;
	return true;
}

void service_reading_start(struct service *service)
{
	if (clock_mono_us() < service->opening_us)
		return;
	for (size_t i = 0; i < service->held_n; i++) {
		struct holding *holding = service->held[i];
		for (int t = 0; t < service->ops->topics_n; t++) {
			if (!holding->readings[t].started && !reading_start(service, holding, t))
				return;
			if (!reading_reached(service, holding, t))
				break;
		}
	}
}

bool service_reading_all_started(const struct service *service)
{
	for (size_t i = 0; i < service->held_n; i++)
		for (int t = 0; t < service->ops->topics_n; t++)
			if (!service->held[i]->readings[t].started)
				return false;
	return true;
}

bool service_reading_all_reached(const struct service *service)
{
	for (size_t i = 0; i < service->held_n; i++)
		for (int t = 0; t < service->ops->topics_n; t++)
			if (service->ops->topics[t].to_end_first &&
				!service->held[i]->readings[t].reached)
				return false;
	return true;
}

/* A command that came by nanomsg has no place in a topic. */
static void position_move(struct holding *holding, int topic, int64_t offset, uint64_t seq)
{
	if (topic == COMMANDS) {
		holding->progress = true;
		return;
	}
	holding->shard.position[topic].offset = offset + 1;
	if (seq > holding->shard.position[topic].seq)
		holding->shard.position[topic].seq = seq;
}

/* A message whose MAC is missing or wrong is passed over, as if it were not there. */
static enum service_message_status taken(struct service *service, struct holding *holding,
	const struct kafka_message *message, uint64_t *seq_r)
{
	if (message->refused)
		return SERVICE_TAKEN;
	return service->ops->message(service, &holding->shard, message, seq_r);
}

bool service_offer(struct service *service, struct holding *holding, int topic,
	const struct kafka_message *message)
{
	uint64_t seq = 0;
	(void)snprintf(service->reason, sizeof(service->reason), "no reason given");
	switch (taken(service, holding, message, &seq)) {
	case SERVICE_TAKEN:
		if (topic != COMMANDS && seq > holding->shard.position[topic].seq)
			service_facts_heard(service, holding, topic);
		position_move(holding, topic, message->offset,
			topic != COMMANDS && service->ops->topics[topic].sequenced ? seq : 0);
		break;
	case SERVICE_UNREADABLE:
		service_dead_letter(service, message, service->reason);
		position_move(holding, topic, message->offset, 0);
		service_commit_soon(service);
		break;
	case SERVICE_GAP:
		metric_add(service->metrics.gaps, 1);
		service_facts_soon(service, &holding->shard);
		break;
	case SERVICE_WAIT:
		metric_add(service->metrics.waits, 1);
		return false;
	}
	log_trace(NULL, 0);
	if (topic != COMMANDS)
		holding->readings[topic].next = message->offset + 1;
	metric_add(service->metrics.messages[topic], 1);
	return true;
}

static int topic_index(const struct service *service, enum topic topic)
{
	for (int t = 0; t < service->ops->topics_n; t++)
		if (service->ops->topics[t].topic == topic)
			return t;
	return -1;
}

/* The reading that a message belongs to; NULL when its shard was given up or its topic stopped. */
static struct holding *holding_of(
	const struct service *service, const struct kafka_message *message, int *topic_r)
{
	struct holding *holding =
		message->partition < SHARDS_MAX ? service->by_shard[message->partition] : NULL;
	*topic_r = topic_index(service, message->topic);
	if (holding == NULL || *topic_r < 0 || !holding->readings[*topic_r].started)
		return NULL;
	return holding;
}

/* Leaves in the batch the messages that can be offered now. Keeps those that must follow kept
 * messages or be tried one by one. */
static size_t batch_sift(struct service *service, struct kafka_batch *batch)
{
	size_t n = 0;
	for (size_t i = 0; i < batch->n; i++) {
		int topic;
		struct holding *holding = holding_of(service, &batch->messages[i], &topic);
		if (holding == NULL)
			continue;
		if (holding->one_by_one || holding->readings[topic].kept.n > 0)
			kept_push(service, &holding->readings[topic], &batch->messages[i]);
		else
			batch->messages[n++] = batch->messages[i];
	}
	return n;
}

/* Gives the messages to ops->batch, which may load for them all at once; those that are passed over
 * are none. */
static void batch_prepare(struct service *service, const struct kafka_message *messages, size_t n)
{
	for (size_t i = 0; service->ops->batch != NULL && i < n;) {
		size_t from = i;
		while (i < n && !messages[i].refused)
			i++;
		if (i > from)
			service->ops->batch(service, messages + from, i - from);
		while (i < n && messages[i].refused)
			i++;
	}
}

static void batch_offer(struct service *service, struct kafka_batch *batch)
{
	size_t n = batch_sift(service, batch);
	if (n == 0)
		return;
	metric_observe_us(service->metrics.batch, n);
	batch_prepare(service, batch->messages, n);
	for (size_t i = 0; i < n; i++) {
		int topic;
		struct holding *holding = holding_of(service, &batch->messages[i], &topic);
		if (holding == NULL)
			continue;
		struct reading *reading = &holding->readings[topic];
		if (reading->kept.n > 0 ||
			!service_offer(service, holding, topic, &batch->messages[i]))
			kept_push(service, reading, &batch->messages[i]);
	}
}

/* Its descriptor tells of each message. Errors and offsets that must move tell nothing. */
static bool poll_due(const struct service *service, int pace)
{
	return service->consumers[pace] != NULL && service->kept_n < KEPT_MAX &&
	       (service->told[pace] || clock_mono_us() >= service->polled_us[pace] + POLL_US);
}

void service_reading_poll(struct service *service)
{
	for (int pace = KAFKA_FAST; pace <= KAFKA_SLOW; pace++) {
		if (!poll_due(service, pace))
			continue;
		service->told[pace] = false;
		service->polled_us[pace] = clock_mono_us();
		struct kafka_batch batch = kafka_poll(service->consumers[pace], BATCH_MAX);
		if (pace == KAFKA_FAST)
			service->taken += batch.n;
		batch_offer(service, &batch);
		kafka_batch_free(&batch);
	}
}

static void kept_offer(struct service *service, struct holding *holding, int topic)
{
	struct reading *reading = &holding->readings[topic];
	bool going = true;
	while (going && reading->kept.n > 0) {
		size_t n = reading->kept.n < OFFER_AGAIN ? reading->kept.n : OFFER_AGAIN;
		size_t done = 0;
		batch_prepare(service, reading->kept.messages, n);
		while (done < n && (going = service_offer(service, holding, topic,
					    &reading->kept.messages[done])))
			done++;
		kept_drop(service, reading, done);
	}
}

/* Tries one message alone: records the attempt, offers the message, commits. A message that has
 * killed the process three times is not offered again. Deaths of which Postgres is the cause are no
 * evidence against it (service_poison.c). */
static void kept_try_one(struct service *service, struct holding *holding, int topic)
{
	struct reading *reading = &holding->readings[topic];
	const struct kafka_message *message = &reading->kept.messages[0];
	const struct in_hand_event event = {
		.shard = holding->shard.shard, .topic = (uint32_t)topic, .offset = message->offset
	};
	bool taken = true;
	if (service_poison_event(service, &event) >= DEATHS_MAX) {
		service_poison_event_end(service);
		log_error_as("service.message.skipped",
			"shard %u: %s, offset %lld has killed the process %d times and is skipped",
			holding->shard.shard, topic_name(message->topic),
			(long long)message->offset, DEATHS_MAX);
		service_dead_letter(service, message, "killed the process three times");
		position_move(holding, topic, message->offset, 0);
		reading->next = message->offset + 1;
	} else {
		batch_prepare(service, message, 1);
		taken = service_offer(service, holding, topic, message);
	}
	if (taken) {
		kept_drop(service, reading, 1);
		service_commit(service);
	}
	service_poison_event_end(service);
}

/* A commit follows each batch, so what kills is among the first BATCH_MAX messages of its topic.
 * The rest of a long backlog need not be tried alone. */
static void finish_one_by_one(struct service *service, struct holding *holding)
{
	for (int t = 0; t < service->ops->topics_n; t++) {
		const struct reading *reading = &holding->readings[t];
		if (!reading->started || reading->next < reading->alone_end)
			return;
	}
	holding->one_by_one = false;
	log_info("shard %u: past the messages that killed the process, reading in batches again",
		holding->shard.shard);
}

/* One message of each topic in turn, for as long as a turn may take. */
static void kept_try(struct service *service, struct holding *holding)
{
	uint64_t until = clock_mono_us() + ALONE_TURN_US;
	uint64_t before;
	do {
		before = service->kept_n;
		for (int t = 0; t < service->ops->topics_n; t++)
			if (holding->readings[t].kept.n > 0)
				kept_try_one(service, holding, t);
		finish_one_by_one(service, holding);
	} while (holding->one_by_one && service->kept_n < before && clock_mono_us() < until);
}

void service_reading_kept(struct service *service)
{
	for (size_t i = 0; i < service->held_n; i++) {
		struct holding *holding = service->held[i];
		if (holding->one_by_one) {
			kept_try(service, holding);
			continue;
		}
		for (int t = 0; t < service->ops->topics_n; t++)
			if (holding->readings[t].kept.n > 0)
				kept_offer(service, holding, t);
	}
}

void service_reading_lag(struct service *service)
{
	for (int t = 0; t < service->ops->topics_n; t++) {
		int64_t lag = 0;
		for (size_t i = 0; i < service->held_n; i++) {
			int64_t one = kafka_lag(consumer_of(service, t),
				service->ops->topics[t].topic, service->held[i]->shard.shard);
			lag += one > 0 ? one : 0;
		}
		metric_set(service->metrics.lag[t], lag);
	}
}
