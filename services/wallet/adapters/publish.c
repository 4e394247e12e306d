/* Publishes wallet.facts from the journal: the rows that could not be given to Kafka when they were
 * booked, and those that a consumer requests. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/log.h"
#include "services/wallet/adapters/fact.h"
#include "services/wallet/adapters/rows.h"

#include <inttypes.h>

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
		const uint8_t *fact = fact_pack(service, held, &rows[i], NULL, &length);
		fact_player_key(rows[i].player, key);
		service_send_now(
			service, TOPIC_WALLET_FACTS, held->shard, key, sizeof(key), fact, length);
	}
	arena_reset(&wallet->scratch);
	return next;
}

static struct wallet_outflow_kafka kafka_of(struct service *service, uint32_t shard)
{
	struct wallet_outflow_kafka kafka = { .lost = service_lost(service, TOPIC_WALLET_FACTS) };

	service_sent(service, TOPIC_WALLET_FACTS, shard, &kafka.given, &kafka.acknowledged);
	return kafka;
}

static void publish_missing(
	struct wallet *wallet, struct service *service, struct service_shard *held)
{
	struct wallet_shard *shard = wallet_shard_of(held);
	struct wallet_outflow *flow = &shard->outflow;

	if (!flow->behind)
		return;
	const struct wallet_outflow_kafka kafka = kafka_of(service, held->shard);
	size_t rows = wallet_outflow_missing(flow, shard->committed_seq, &kafka);
	if (rows == 0)
		return;
	uint64_t next =
		publish_chunk(wallet, service, held, flow->handed + 1, flow->handed + rows, rows);
	wallet_outflow_given(flow, next, shard->committed_seq, wallet_shard_settled(shard));
	if (!flow->behind)
		log_info("shard %u: Kafka has been sent all facts, up to seq %" PRIu64, held->shard,
			flow->handed);
}

void wallet_publish_due(struct wallet *wallet, struct service *service, struct service_shard *held)
{
	struct wallet_shard *shard = wallet_shard_of(held);
	struct wallet_republish *republish = &shard->republish;
	size_t rows = wallet_republish_turn(republish, shard->committed_seq);

	publish_missing(wallet, service, held);
	if (rows > 0)
		republish->next =
			publish_chunk(wallet, service, held, republish->next, republish->end, rows);
}

void wallet_publish_begin(struct service *service, struct service_shard *held)
{
	struct wallet_shard *shard = wallet_shard_of(held);
	const struct wallet_outflow_kafka kafka = kafka_of(service, held->shard);

	wallet_outflow_begin(&shard->outflow, held->position[0].seq, shard->last_seq, &kafka);
	if (shard->outflow.behind)
		log_info("shard %u: Kafka may lack facts from seq %" PRIu64 " on; the journal's "
			 "last seq is %" PRIu64,
			held->shard, shard->outflow.handed + 1, shard->last_seq);
}

void wallet_publish_committed(
	struct wallet *wallet, struct service *service, struct service_shard *held)
{
	struct wallet_shard *shard = wallet_shard_of(held);
	const struct wallet_outflow_kafka kafka = kafka_of(service, held->shard);
	bool was_behind = shard->outflow.behind;

	wallet_outflow_committed(&shard->outflow, shard->committed_seq, &kafka);
	if (!was_behind && shard->outflow.behind)
		log_warn_as("wallet.facts.held_back",
			"shard %u: Kafka takes no facts; from seq %" PRIu64
			" on they are read from the journal",
			held->shard, shard->outflow.handed + 1);
	/* Under load, only at this point are no rows under way: publish the missing ones now. */
	if (shard->outflow.behind &&
		shard->committed_seq - shard->outflow.handed <= WALLET_OUTFLOW_CHUNK)
		publish_missing(wallet, service, held);
	held->position[0].seq = shard->outflow.acked;
}
