/* What the commands of a batch need besides the rules: looked up by wallet_handle_batch (app.h) for
 * the whole batch, or else by a query of its own. */
#ifndef CARILLON_WALLET_ADAPTERS_PREFETCHED_H
#define CARILLON_WALLET_ADAPTERS_PREFETCHED_H

#include "services/wallet/adapters/app.h"
#include "services/wallet/adapters/command.h"

/* The decoded command of a message; NULL: it was not prefetched, or it is malformed. */
const struct command *prefetched_command(
	struct wallet *wallet, const struct kafka_message *message);
/* The bonus spins that the command names, also set in the moment; for a new grant, the moment gets
 * the number of the player's grants. NULL: the command names none, or the id is unknown. */
struct bonus_spins_entry *prefetched_bonus_spins(struct wallet *wallet, struct service *service,
	const struct command *command, struct wallet_moment *moment);
/* The hold or grant that the command settles, also set in the moment. NULL: the command settles
 * none, or the id is unknown. */
struct holds_entry *prefetched_hold(struct wallet *wallet, struct service *service,
	const struct wallet_outside *outside, struct wallet_moment *moment);
/* The first use of an id of outside money; NULL: the id is new, or taken. Valid until the next
 * call. */
const struct id_entry *prefetched_id(struct wallet *wallet, struct service *service,
	const struct service_shard *held, const uint8_t id[WALLET_ID_BYTES]);
/* True if another instance is deciding about a command with this id: this one must wait. */
bool prefetched_id_taken(struct wallet *wallet, struct service *service,
	const struct service_shard *held, const uint8_t id[WALLET_ID_BYTES]);

#endif
