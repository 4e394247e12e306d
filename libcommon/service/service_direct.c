/* Commands in from nanomsg. Each is a question whose asker repeats it: one that comes for a shard
 * held elsewhere, or while too many wait, is dropped. No order is kept between commands, so one
 * that must wait holds up no other. */
#include "libcommon/service/loop.h"

#include "libcommon/io/log.h"
#include "libcommon/service/direct.h"

#include <stdlib.h>
#include <string.h>

void service_direct_arrived(struct service *service, const uint8_t *bytes, size_t length)
{
	struct arrivals *arrivals = &service->arrivals;
	if (arrivals->n == arrivals->room) {
		size_t room = arrivals->room == 0 ? 256 : arrivals->room * 2;
		arrivals->messages =
			realloc(arrivals->messages, room * sizeof(*arrivals->messages));
		if (arrivals->messages == NULL)
			fatal("commands: out of memory");
		arrivals->room = room;
	}
	if (direct_read(bytes, length, &arrivals->arena, &arrivals->messages[arrivals->n]))
		arrivals->n++;
	else
		log_warn_as("bus.command.unreadable",
			"nanomsg: found %zu bytes, expected a command; dropped", length);
}

/* While the process drains, the next owner takes it. */
struct holding *service_direct_holding(
	const struct service *service, const struct kafka_message *message)
{
	if (service->draining || !service->ops->takes_commands ||
		message->topic != service->ops->command || message->partition >= SHARDS_MAX)
		return NULL;
	return service->by_shard[message->partition];
}

/* A service that has not read its facts to the end knows a state older than the journal. A shard
 * whose messages are tried one by one takes no others meanwhile. */
bool service_direct_ready(const struct service *service, const struct holding *holding)
{
	for (int t = 0; t < service->ops->topics_n; t++)
		if (service->ops->topics[t].to_end_first && !holding->readings[t].reached)
			return false;
	return !holding->one_by_one;
}

/* A repeat has the same bytes as the command that waits, and takes its place. */
bool service_kept_has(const struct kept *waiting, const struct kafka_message *message)
{
	for (size_t i = 0; i < waiting->n; i++)
		if (waiting->messages[i].length == message->length &&
			memcmp(waiting->messages[i].bytes, message->bytes, message->length) == 0)
			return true;
	return false;
}

static void wait(
	struct service *service, struct holding *holding, const struct kafka_message *message)
{
	if (holding->waiting.n >= WAITING_MAX || service_kept_has(&holding->waiting, message))
		return;
	service_kept_push(&holding->waiting, message);
	service->waiting_n++;
}

static void in_hand_room(struct arrivals *arrivals, size_t n)
{
	if (arrivals->in_hand_room >= n)
		return;
	free(arrivals->in_hand);
	arrivals->in_hand_room = 2 * n;
	arrivals->in_hand = calloc(arrivals->in_hand_room, sizeof(*arrivals->in_hand));
	if (arrivals->in_hand == NULL)
		fatal("commands: out of memory");
}

/* Leaves in the array the commands that can be offered now. */
static size_t sift(struct service *service, struct kafka_message *messages, size_t n)
{
	struct arrivals *arrivals = &service->arrivals;
	size_t left = 0;
	in_hand_room(arrivals, n);
	for (size_t i = 0; i < n; i++) {
		struct holding *holding = service_direct_holding(service, &messages[i]);
		if (holding == NULL)
			metric_add(service->metrics.astray, 1);
		else if (!service_direct_ready(service, holding))
			wait(service, holding, &messages[i]);
		else if (!service_poison_apart(service, &messages[i], &arrivals->in_hand[left]))
			messages[left++] = messages[i];
	}
	return left;
}

static void offer(struct service *service, struct kafka_message *messages, size_t n)
{
	n = sift(service, messages, n);
	if (n == 0)
		return;
	metric_observe_us(service->metrics.batch, n);
	if (service->ops->batch != NULL)
		service->ops->batch(service, messages, n);
	for (size_t i = 0; i < n; i++) {
		struct holding *holding = service_direct_holding(service, &messages[i]);
		if (holding != NULL && !service_poison_offer(service, holding, &messages[i],
					       &service->arrivals.in_hand[i]))
			wait(service, holding, &messages[i]);
	}
}

/* Those that must still wait come into the list again. */
static void offer_waiting(struct service *service, struct holding *holding)
{
	struct kept was = holding->waiting;
	if (was.n == 0)
		return;
	holding->waiting = (struct kept){ 0 };
	service->waiting_n -= was.n;
	/* The copies must outlive their list, whose order `sift` changes. */
	struct kafka_message *messages = malloc(was.n * sizeof(*messages));
	if (messages == NULL)
		fatal("commands: out of memory");
	memcpy(messages, was.messages, was.n * sizeof(*messages));
	offer(service, messages, was.n);
	free(messages);
	service_kept_free(&was);
}

void service_direct_offer(struct service *service)
{
	struct arrivals *arrivals = &service->arrivals;
	for (size_t i = 0; service->waiting_n > 0 && i < service->held_n; i++)
		if (service_direct_ready(service, service->held[i]))
			offer_waiting(service, service->held[i]);
	if (arrivals->n > 0) {
		offer(service, arrivals->messages, arrivals->n);
		arrivals->n = 0;
		arena_reset(&arrivals->arena);
	}
	service_poison_try(service);
}

void service_direct_end(struct service *service)
{
	free(service->arrivals.messages);
	free(service->arrivals.in_hand);
	arena_free(&service->arrivals.arena);
}
