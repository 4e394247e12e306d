/* Loads what the commands of a batch need besides the rules: before their turns, with one query per
 * table; at a command's turn, for what could not be foreseen. */
#include "services/wallet/adapters/prefetched.h"

#include "libcommon/io/log.h"

#include <stdlib.h>

#define WHY_MAX 256
#define BATCH_MAX 4096 /* commands prefetched at once */

/* The id of the bonus spins that a command names; NULL: none. */
static const uint8_t *bonus_spins_named(const struct command *command)
{
	if (command->kind == COMMAND_PROPOSAL && command->proposal.bonus)
		return command->proposal.bonus_spin;
	if (command->kind == COMMAND_OUTSIDE &&
		command->outside.kind == WALLET_KIND_BONUS_SPINS_END)
		return command->outside.spins.id;
	return NULL;
}

static void bonus_spins_prefetch(struct wallet *wallet, const struct command *command)
{
	if (bonus_spins_named(command) != NULL)
		bonus_spins_want(&wallet->spins, bonus_spins_named(command));
}

struct bonus_spins_entry *prefetched_bonus_spins(struct wallet *wallet, struct service *service,
	const struct command *command, struct wallet_moment *moment)
{
	struct bonus_spins_entry *entry;

	if (command->kind == COMMAND_OUTSIDE && command->outside.kind == WALLET_KIND_BONUS_SPINS) {
		bonus_spins_load_player(&wallet->spins, service_pg(service), command->player);
		moment->bonus_spins_live =
			bonus_spins_live(&wallet->spins, command->player, moment->now_us);
	}
	if (bonus_spins_named(command) == NULL)
		return NULL;
	bonus_spins_prefetch(wallet, command);
	bonus_spins_load(&wallet->spins, service_pg(service));
	entry = bonus_spins_find(&wallet->spins, bonus_spins_named(command));
	moment->spins = entry == NULL ? NULL : &entry->spins;
	return entry;
}

struct holds_entry *prefetched_hold(struct wallet *wallet, struct service *service,
	const struct wallet_outside *outside, struct wallet_moment *moment)
{
	struct holds_entry *entry;

	if (!wallet_hold_settles(outside->kind))
		return NULL;
	holds_want(&wallet->holds, outside->of);
	holds_load(&wallet->holds, service_pg(service));
	entry = holds_find(&wallet->holds, outside->of);
	moment->hold = entry == NULL ? NULL : &entry->hold;
	return entry;
}

const struct id_entry *prefetched_id(struct wallet *wallet, struct service *service,
	const struct service_shard *held, const uint8_t id[WALLET_ID_BYTES])
{
	ids_want(&wallet->ids, id, held);
	ids_load(&wallet->ids, service);
	return ids_find(&wallet->ids, id);
}

bool prefetched_id_taken(struct wallet *wallet, struct service *service,
	const struct service_shard *held, const uint8_t id[WALLET_ID_BYTES])
{
	(void)prefetched_id(wallet, service, held, id);
	return ids_taken(&wallet->ids, id);
}

static void decoded_add(
	struct wallet *wallet, const struct kafka_message *message, const struct command *command)
{
	if (wallet->decoded_n == wallet->decoded_room) {
		wallet->decoded_room = wallet->decoded_room == 0 ? 1024 : wallet->decoded_room * 2;
		wallet->decoded =
			realloc(wallet->decoded, wallet->decoded_room * sizeof(*wallet->decoded));
		if (wallet->decoded == NULL)
			fatal("out of memory: %zu commands", wallet->decoded_room);
	}
	wallet->decoded[wallet->decoded_n++] = (struct decoded){ message->bytes, command };
}

/* Messages come in the order of the batch; some may be left out. */
const struct command *prefetched_command(struct wallet *wallet, const struct kafka_message *message)
{
	for (size_t i = wallet->decoded_next; i < wallet->decoded_n; i++) {
		if (wallet->decoded[i].bytes != message->bytes)
			continue;
		wallet->decoded_next = i + 1;
		return wallet->decoded[i].command;
	}
	return NULL;
}

static void prefetch(struct service *service, const struct kafka_message *messages, size_t n)
{
	struct wallet *wallet = wallet_app();
	player_id *players = arena_alloc(&wallet->scratch, n * sizeof(*players));
	uint32_t *shards = arena_alloc(&wallet->scratch, n * sizeof(*shards));
	size_t players_n = 0;
	char why[WHY_MAX];

	for (size_t i = 0; i < n; i++) {
		struct command *command = arena_alloc(&wallet->ahead, sizeof(*command));
		if (command_read(messages[i].bytes, messages[i].length, &wallet->ahead, command,
			    why, sizeof(why)) != COMMAND_OK ||
			shard_of_player(command->player, service_shards(service)) !=
				messages[i].partition)
			continue; /* reported when its turn comes */
		decoded_add(wallet, &messages[i], command);
		players[players_n] = command->player;
		shards[players_n++] = messages[i].partition;
		if (command->kind == COMMAND_OUTSIDE) {
			ids_want(&wallet->ids, command->outside.id,
				service_shard(service, messages[i].partition));
			if (wallet_hold_settles(command->outside.kind))
				holds_want(&wallet->holds, command->outside.of);
		}
		bonus_spins_prefetch(wallet, command);
	}
	wallet_load_players(wallet, service_pg(service), players, shards, players_n);
	ids_load(&wallet->ids, service);
	bonus_spins_load(&wallet->spins, service_pg(service));
	holds_load(&wallet->holds, service_pg(service));
	arena_reset(&wallet->scratch);
}

static bool any_uncommitted(struct service *service)
{
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		const struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		if (held->state != NULL && !wallet_shard_settled(held->state))
			return true;
	}
	return false;
}

void wallet_handle_batch(struct service *service, const struct kafka_message *messages, size_t n)
{
	struct wallet *wallet = wallet_app();

	wallet->accounts.turn++;
	arena_reset(&wallet->ahead);
	wallet->decoded_n = wallet->decoded_next = 0;
	if (!any_uncommitted(service)) {
		bonus_spins_clear(&wallet->spins);
		holds_clear(&wallet->holds);
	}
	for (size_t at = 0; at < n; at += BATCH_MAX)
		prefetch(service, messages + at, n - at < BATCH_MAX ? n - at : BATCH_MAX);
}
