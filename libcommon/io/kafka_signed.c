/* Events leave with a MAC and are taken with one alone (event_mac.h). */
#include "libcommon/io/private/kafka.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/event_mac.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"

#include <stdio.h>

#define SECOND_US 1000000u

rd_kafka_resp_err_t kafka_put(rd_kafka_t *rk, rd_kafka_topic_t *rkt, const struct event *event)
{
	uint8_t mac[EVENT_MAC_MAX];
	const struct seal_keys *keys = event_mac_keys();
	/* librdkafka copies the payload (F_COPY) and never writes to it; its parameters only lack
	 * the const. */
	void *payload = (void *)(uintptr_t)event->bytes;
	void *key = (void *)(uintptr_t)event->key;
	if (keys == NULL)
		return rd_kafka_produce(rkt, (int32_t)event->partition, RD_KAFKA_MSG_F_COPY,
			       payload, event->length, key, event->key_length, NULL) == 0
			       ? RD_KAFKA_RESP_ERR_NO_ERROR
			       : rd_kafka_last_error();
	size_t n =
		event_mac_make(keys, event_mac_service(), event, clock_wall_us() / SECOND_US, mac);
	if (n == 0)
		fatal("kafka: %s cannot sign a message for %s: it may not write to this topic, "
		      "or its bus.keys has no key for one of the readers (scripts/bus-keys.sh "
		      "make)",
			event_mac_service(), topic_name(event->topic));
	const rd_kafka_vu_t parts[] = { { .vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = rkt },
		{ .vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = (int32_t)event->partition },
		{ .vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY },
		{ .vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = { payload, event->length } },
		{ .vtype = RD_KAFKA_VTYPE_KEY, .u.mem = { key, event->key_length } },
		{ .vtype = RD_KAFKA_VTYPE_HEADER,
			.u.header = { EVENT_MAC_HEADER, mac, (ssize_t)n } } };
	rd_kafka_error_t *error = rd_kafka_produceva(rk, parts, sizeof(parts) / sizeof(parts[0]));
	rd_kafka_resp_err_t code =
		error == NULL ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
	rd_kafka_error_destroy(error);
	return code;
}

/* Whoever may write to a topic may fill no log. */
static void refused(const struct event *event, int64_t offset, enum event_mac_status status)
{
	static struct metric *metrics[TOPICS_N][EVENT_MAC_STATUS_N];
	static uint64_t logged_us;
	struct metric **metric = &metrics[event->topic][status];
	if (*metric == NULL) {
		char labels[96];
		(void)snprintf(labels, sizeof(labels), "topic=\"%s\",reason=\"%s\"",
			topic_name(event->topic), event_mac_status_name(status));
		*metric = metric_counter("carillon_events_refused_total", labels,
			"Messages on Kafka whose MAC is missing or wrong.");
	}
	metric_add(*metric, 1);
	uint64_t now_us = clock_mono_us();
	if (logged_us != 0 && now_us < logged_us + SECOND_US)
		return;
	logged_us = now_us;
	log_error_as("kafka.event.refused",
		"%s, partition %u, offset %lld: found a message without a valid MAC (%s), expected "
		"the MAC of a service that may write there; skipped (carillon_events_refused_total "
		"counts all)",
		topic_name(event->topic), event->partition, (long long)offset,
		status == EVENT_MAC_NONE ? "missing" : event_mac_status_name(status));
}

bool kafka_signed(const rd_kafka_message_t *message, enum topic topic, const char **sender_r)
{
	const struct seal_keys *keys = event_mac_keys();
	const struct event event = { .topic = topic,
		.partition = (uint32_t)message->partition,
		.key = message->key,
		.key_length = message->key_len,
		.bytes = message->payload,
		.length = message->len };
	rd_kafka_headers_t *headers;
	const void *value = NULL;
	size_t n = 0;
	*sender_r = NULL;
	if (keys == NULL)
		return true;
	if (rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR &&
		rd_kafka_header_get_last(headers, EVENT_MAC_HEADER, &value, &n) !=
			RD_KAFKA_RESP_ERR_NO_ERROR)
		value = NULL;
	enum event_mac_status status = event_mac_check(keys, event_mac_service(), &event, value, n);
	if (status == EVENT_MAC_NO_KEY && event_mac_keys_again())
		status = event_mac_check(event_mac_keys(), event_mac_service(), &event, value, n);
	if (status != EVENT_MAC_OK)
		refused(&event, message->offset, status);
	else
		*sender_r = event_mac_sender(topic, value, n);
	return status == EVENT_MAC_OK;
}
