/* Journal rows as messages: facts for wallet.facts, verdicts for nanomsg. */
#ifndef CARILLON_WALLET_ADAPTERS_FACT_H
#define CARILLON_WALLET_ADAPTERS_FACT_H

#include "libcommon/service/service.h"
#include "services/wallet/core/wallet.h"

#include "envelope.pb-c.h"

#include <stddef.h>
#include <stdint.h>

#define PLAYER_KEY_BYTES 8
#define POOL_KEY_BYTES 4

/* Keys of Kafka messages: big endian. */
void fact_player_key(player_id player, uint8_t key_r[PLAYER_KEY_BYTES]);
void fact_pool_key(uint32_t pool, uint8_t key_r[POOL_KEY_BYTES]);

/* Packs a row as a WalletFact. The bytes are static: valid until the next call of a function of
 * this file. asked: the envelope of the row's command, whose trace the fact carries if it is
 * sampled; NULL: the fact is published again. */
const uint8_t *fact_pack(struct service *service, const struct service_shard *shard,
	const struct wallet_row *row, const Carillon__Envelope *asked, size_t *length_r);
/* Packs the verdict on a command, a Bus message, around the bytes of its row's fact. The result is
 * static too, in a buffer of its own. */
const uint8_t *fact_verdict(struct service *service, const struct service_shard *shard,
	const uint8_t *fact, size_t fact_length, uint64_t correlation, size_t *length_r);
/* Converts an award to and from the record of its journal row. */
size_t fact_award_pack(const struct wallet_award *award, uint8_t *bytes_r, size_t size);
bool fact_award_unpack(const uint8_t *bytes, size_t length, struct wallet_award *award_r);
#define FACT_AWARD_MAX 64

#endif
