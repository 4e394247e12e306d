#include "libcommon/jackpot/io/asked_totals.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/stored.h"
#include "libcommon/jackpot/io/jackpot_list.h"
#include "libcommon/jackpot/io/jackpot_send.h"
#include "libcommon/jackpot/io/shard_totals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first number is the time: an answer to a question of a process before this one names another
 * number. */
uint64_t asked_totals_want(struct asked_totals *asked)
{
	if (asked->number == 0)
		asked->number = clock_wall_us();
	asked->wanted = true;
	return asked->number + 1;
}

bool asked_totals_complete(const struct asked_totals *asked, uint64_t number)
{
	return number < asked->number || (number == asked->number && asked->silent == 0);
}

/* ---- answers ---- */

static bool take(struct service *service, const struct asked_totals_pool *pool,
	const Carillon__JackpotFeed *feed)
{
	enum service_message_status status;
	bool taken =
		jackpot_totals_take(service, pool->source, feed, pool->taker, pool->dirty, &status);
	if (!taken)
		log_warn_as("jackpot.totals.uncounted",
			"%s %u: totals of wallet shard %u, incarnation %u, seq %" PRIu64 " "
			"were not counted",
			pool->taker->what, pool->source->pool, feed->shard,
			feed->envelope->incarnation, feed->envelope->seq);
	return taken;
}

static void answered(struct asked_totals *asked, uint32_t shard)
{
	if (asked->has[shard] || asked->silent == 0)
		return;
	asked->has[shard] = true;
	asked->silent--;
}

void asked_totals_answer(struct service *service, const struct asked_totals_pool *pool,
	const Carillon__TotalsAnswer *answer)
{
	if (take(service, pool, answer->feed) && answer->number == pool->asked->number)
		answered(pool->asked, answer->feed->shard);
}

static const Carillon__TotalsAnswer *answer_of(struct service *service, const Carillon__Bus *bus)
{
	char reason[POOL_FEED_REASON_MAX];

	if (bus->body_case != CARILLON__BUS__BODY_TOTALS_ANSWER)
		return NULL;
	const Carillon__JackpotFeed *feed = bus->totals_answer->feed;
	if (feed == NULL || feed->claim != NULL) {
		log_warn_as("jackpot.totals.no_totals",
			"nanomsg: totals_answer.feed: found %s, expected totals; ignored",
			feed == NULL ? "none" : "a claim");
		return NULL;
	}
	if (pool_feed_valid(feed, service_shards(service), reason))
		return bus->totals_answer;
	log_warn_as("jackpot.totals.unreadable", "nanomsg: totals_answer.feed.%s; ignored", reason);
	return NULL;
}

static void *instance_of(struct service *service, uint32_t pool)
{
	struct service_shard *held =
		service_shard(service, shard_of_pool(pool, service_shards(service)));

	return held == NULL ? NULL : jackpot_list_find(held, pool);
}

void *asked_totals_message(
	struct service *service, const uint8_t *bytes, size_t length, asked_totals_of *of)
{
	Carillon__Bus *bus = carillon__bus__unpack(NULL, length, bytes);
	const Carillon__TotalsAnswer *answer = bus == NULL ? NULL : answer_of(service, bus);
	void *instance = answer == NULL ? NULL : instance_of(service, answer->feed->pool);

	if (bus == NULL)
		log_warn_as("bus.message.unreadable",
			"nanomsg: found %zu bytes, expected a Bus message; ignored", length);
	if (instance != NULL) {
		const struct asked_totals_pool pool = of(instance);
		asked_totals_answer(service, &pool, answer);
	}
	if (bus != NULL)
		carillon__bus__free_unpacked(bus, NULL);
	return instance;
}

/* ---- silent shards ---- */

static bool read_shard(
	struct service *service, const struct asked_totals_pool *pool, uint32_t shard)
{
	struct stored_fault fault;
	stored_try(&fault);
	Carillon__JackpotFeed *feed = shard_totals_read(pool->source, service_pg(service), shard);
	bool readable = stored_tried(&fault);
	bool taken = readable && feed != NULL && take(service, pool, feed);

	if (!readable)
		log_error_as("jackpot.totals.bad_row", "wallet shard %u: %s", shard, fault.text);

	if (feed != NULL)
		carillon__jackpot_feed__free_unpacked(feed, NULL);
	if (taken)
		metric_add(pool->taker->silent, 1);
	return taken;
}

static void leave_out(const struct asked_totals_pool *pool, uint32_t shard)
{
	pool->asked->left_out[shard] = true;
	metric_add(pool->taker->left_out, 1);
	log_error_as("jackpot.price.without_stakes",
		"ALARM %s %u: wallet shard %u does not answer, and its rows cannot be read: "
		"the next hit is priced without the newest stakes of this shard",
		pool->taker->what, pool->source->pool, shard);
}

static void read_silent(
	struct service *service, const struct asked_totals_pool *pool, uint64_t mono_us)
{
	struct asked_totals *asked = pool->asked;
	bool silent = mono_us >= asked->asked_us + ASKED_TOTALS_SILENT_US;
	bool due = silent && mono_us >= asked->read_us + ASKED_TOTALS_SILENT_US;
	bool give_up = mono_us >= asked->asked_us + ASKED_TOTALS_GIVE_UP_US;

	for (uint32_t shard = 0; due && shard < service_shards(service); shard++) {
		if (asked->has[shard])
			continue;
		if (read_shard(service, pool, shard)) {
			answered(asked, shard);
		} else if (give_up) {
			leave_out(pool, shard);
			answered(asked, shard);
		}
	}
	if (due)
		asked->read_us = mono_us;
}

/* ---- asking ---- */

static void ask_owner(struct service *service, const struct asked_totals_pool *pool, uint32_t shard,
	const char *url)
{
	Carillon__Bus bus;
	Carillon__Envelope envelope;
	Carillon__TotalsQuestion question;
	size_t length;

	carillon__bus__init(&bus);
	carillon__envelope__init(&envelope);
	carillon__totals_question__init(&question);
	service_envelope(service, &envelope, 1, 0);
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_TOTALS_QUESTION;
	bus.totals_question = &question;
	question.pool = pool->source->pool;
	question.shard = shard;
	question.number = pool->asked->number;
	question.reply_to = jackpot_text(service_nn_url(service));
	uint8_t *bytes = jackpot_pack(&bus.base, &length);
	service_bus_send_now(service, url, bytes, length);
	free(bytes);
}

static void ask(struct service *service, const struct asked_totals_pool *pool, uint64_t mono_us)
{
	struct asked_totals *asked = pool->asked;
	uint32_t shards = service_shards(service);

	asked->wanted = false;
	asked->number++;
	asked->asked_us = mono_us;
	asked->read_us = 0;
	asked->silent = shards;
	memset(asked->has, 0, sizeof(asked->has));
	memset(asked->left_out, 0, sizeof(asked->left_out));
	for (uint32_t shard = 0; shard < shards; shard++) {
		const char *url = service_owner_url(service, "wallet", shard);
		if (url[0] != '\0')
			ask_owner(service, pool, shard, url);
		else if (read_shard(service, pool, shard))
			answered(asked, shard);
	}
}

void asked_totals_heard(struct asked_totals *asked, uint64_t mono_us)
{
	asked->heard_us = mono_us;
}

static void ask_in_place_of_the_feed(struct asked_totals *asked, uint64_t mono_us)
{
	if (asked->heard_us != 0 && mono_us < asked->heard_us + ASKED_TOTALS_QUIET_US)
		return;
	if (asked->heard_us != 0)
		(void)asked_totals_want(asked);
	asked->heard_us = mono_us;
}

void asked_totals_turn(
	struct service *service, const struct asked_totals_pool *pool, uint64_t mono_us)
{
	ask_in_place_of_the_feed(pool->asked, mono_us);
	if (pool->asked->silent > 0)
		read_silent(service, pool, mono_us);
	else if (pool->asked->wanted)
		ask(service, pool, mono_us);
}

const char *asked_totals_left_out(
	const struct asked_totals *asked, char text_r[ASKED_TOTALS_TEXT_MAX])
{
	size_t length = 0;

	for (uint32_t shard = 0; shard < SHARDS_MAX; shard++)
		if (asked->left_out[shard])
			length += (size_t)snprintf(text_r + length, ASKED_TOTALS_TEXT_MAX - length,
				"%c%u", length == 0 ? '{' : ',', shard);
	if (length == 0)
		return NULL;
	(void)snprintf(text_r + length, ASKED_TOTALS_TEXT_MAX - length, "}");
	return text_r;
}
