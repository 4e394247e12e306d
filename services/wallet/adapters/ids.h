/* The ids of outside money that the commands of this turn name, and what is known of them: looked
 * up in wallet.outside once a batch, and those booked since. */
#ifndef CARILLON_WALLET_ADAPTERS_IDS_H
#define CARILLON_WALLET_ADAPTERS_IDS_H

#include "services/wallet/core/wallet.h"

struct id_entry {
	uint8_t id[WALLET_ID_BYTES];
	bool used;
	bool known; /* false: looked up, nobody has used it */
	struct wallet_known_id first;
	uint32_t shard; /* known: where the row is */
	uint64_t seq;
};

struct ids {
	struct id_entry *entries;
	size_t room, n;
};

struct id_entry *ids_find(
	struct ids *ids, const uint8_t id[WALLET_ID_BYTES]); /* NULL: not looked up */
/* Adds it as one that nobody has used. Pointers into the table end here. */
struct id_entry *ids_add(struct ids *ids, const uint8_t id[WALLET_ID_BYTES]);
void ids_clear(struct ids *ids);

#endif
