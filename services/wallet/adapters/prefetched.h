/* What the commands of a batch need beside the rules, as it was brought by wallet_handle_batch
 * (app.h), or, where it was not, by a query of its own. */
#ifndef CARILLON_WALLET_ADAPTERS_PREFETCHED_H
#define CARILLON_WALLET_ADAPTERS_PREFETCHED_H

#include "services/wallet/adapters/app.h"
#include "services/wallet/adapters/command.h"

/* The command of a message; NULL: it was not looked at, or could not be read. */
const struct command *prefetched_command(
	struct wallet *wallet, const struct kafka_message *message);
/* The bonus spins that the command names, also in the moment; for new ones, how many the player has
 * already. NULL: it names none, or there are none of this id. */
struct bonus_spins_entry *prefetched_bonus_spins(struct wallet *wallet, struct service *service,
	const struct command *command, struct wallet_moment *moment);
/* The hold or grant that the command settles, also in the moment. NULL: it settles none, or there
 * is none of this id. */
struct holds_entry *prefetched_hold(struct wallet *wallet, struct service *service,
	const struct wallet_outside *outside, struct wallet_moment *moment);
/* Who has used an id of outside money; NULL: nobody. Valid until the next one is asked for. */
const struct id_entry *prefetched_id(
	struct wallet *wallet, struct service *service, const uint8_t id[WALLET_ID_BYTES]);

#endif
