/* Publishes wallet.facts again, from the journal: facts that a crash or Kafka has lost, and those
 * that a consumer requests. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/kafka.h"
#include "libcommon/io/log.h"
#include "services/wallet/adapters/fact.h"
#include "services/wallet/adapters/rows.h"

#include "wallet.pb-c.h"

#include <inttypes.h>

#define PUBLISH_NEWEST_ROWS 10000  /* at opening, if it is unknown what was published */
#define PUBLISH_AT_ONCE_ROWS 20000 /* at opening; the rest follows in later turns */
#define KAFKA_WAIT_MS 2000	   /* at opening: play does not wait for Kafka */
#define KAFKA_AWAY_US 10000000u	   /* so long no other shard waits for it */

/* Publishes rows first..last, at most limit. Returns the next row to publish. */
static uint64_t publish_chunk(struct wallet *wallet, struct service *service,
	struct service_shard *held, uint64_t first, uint64_t last, size_t limit)
{
	struct wallet_row *rows;
	size_t n = rows_read(
		service_pg(service), held->shard, first, last, limit, &wallet->scratch, &rows);
	/* Skips rows whose days are no longer in the journal. */
	uint64_t next = n > 0 ? rows[n - 1].seq + 1 : last + 1;

	for (size_t i = 0; i < n; i++) {
		uint8_t key[PLAYER_KEY_BYTES];
		size_t length;
		const uint8_t *fact = fact_pack(service, held, &rows[i], &length);
		fact_player_key(rows[i].player, key);
		service_send_now(
			service, TOPIC_WALLET_FACTS, held->shard, key, sizeof(key), fact, length);
	}
	arena_reset(&wallet->scratch);
	return next;
}

void wallet_publish_due(struct wallet *wallet, struct service *service, struct service_shard *held)
{
	struct wallet_shard *shard = wallet_shard_of(held);
	struct wallet_republish *republish = &shard->republish;
	size_t rows = wallet_republish_turn(republish, shard->committed_seq);

	if (rows == 0)
		return;
	republish->next =
		publish_chunk(wallet, service, held, republish->next, republish->end, rows);
	/* After a restart, the last message of the partition says what was published: it must not
	 * be an old row from a request. */
	if (republish->next > republish->end && republish->end < shard->committed_seq)
		(void)publish_chunk(
			wallet, service, held, shard->committed_seq, shard->committed_seq, 1);
}

/* False: Kafka does not answer. */
static bool facts_bounds(uint32_t shard, int64_t *first_r, int64_t *next_r)
{
	static uint64_t away_us;
	uint64_t now_us = clock_mono_us();
	bool answered = false;

	if (away_us != 0 && now_us < away_us + KAFKA_AWAY_US)
		return false;
	struct kafka_consumer *consumer = kafka_consumer_new(common.kafka, KAFKA_SLOW);
	answered = kafka_bounds_within(
		consumer, TOPIC_WALLET_FACTS, shard, KAFKA_WAIT_MS, first_r, next_r);
	kafka_consumer_free(&consumer);
	away_us = answered ? 0 : clock_mono_us();
	if (!answered)
		log_warn("wallet.facts, partition %u: Kafka at %s does not answer; the newest rows "
			 "are published again",
			shard, common.kafka);
	return answered;
}

/* The seq of the last message of the shard's partition; 0: no readable one, or not known. */
static uint64_t last_published(uint32_t shard, uint32_t incarnation)
{
	int64_t first;
	int64_t next;
	uint64_t seq = 0;

	if (!facts_bounds(shard, &first, &next) || next <= first)
		return 0;
	struct kafka_batch batch = kafka_read_at(common.kafka, TOPIC_WALLET_FACTS, shard, next - 1);
	if (batch.n == 1) {
		Carillon__WalletFact *fact = carillon__wallet_fact__unpack(
			NULL, batch.messages[0].length, batch.messages[0].bytes);
		if (fact != NULL && fact->envelope != NULL &&
			fact->envelope->incarnation == incarnation)
			seq = fact->envelope->seq;
		if (fact != NULL)
			carillon__wallet_fact__free_unpacked(fact, NULL);
	}
	kafka_batch_free(&batch);
	return seq;
}

void wallet_publish_missing(
	struct wallet *wallet, struct service *service, struct service_shard *held)
{
	struct wallet_shard *shard = wallet_shard_of(held);
	struct wallet_republish *republish = &shard->republish;
	uint64_t seq = last_published(held->shard, held->incarnation);
	uint64_t sent = 0;

	/* A new topic, or all messages have expired: publish the newest rows; consumers that miss
	 * older ones request them. */
	if (seq == 0 && shard->last_seq > PUBLISH_NEWEST_ROWS)
		seq = shard->last_seq - PUBLISH_NEWEST_ROWS;
	*republish = (struct wallet_republish){
		.next = seq + 1, .end = shard->last_seq, .seen = shard->last_seq
	};
	while (republish->next <= republish->end && sent < PUBLISH_AT_ONCE_ROWS) {
		uint64_t before = republish->next;
		wallet_publish_due(wallet, service, held);
		sent += republish->next - before;
	}
	if (sent > 0)
		log_info("shard %u: published %" PRIu64 " facts again, from seq %" PRIu64,
			held->shard, sent, seq + 1);
}
