/*~ carillon-jackpot-cards: sets of Jackpot Cards. Wiring only; a tour in reading order:
 *
 *  1. libcommon/base/pool_row.h   one counter, the same as a progressive's: seed + (T - W) x share
 * + r
 *  2. core/card_set.h             the four levels of a set, funded by the house
 *  3. adapters/sets_load.h        their configuration
 *  4. adapters/cards_service.h    wagers in, levels shown, triggers kept, on the loop of
 * libcommon/io/service.h
 *  5. adapters/set_store.h        the same in Postgres
 *
 * This build accrues and shows the levels and keeps every trigger; it deals no cards yet. */
#include "services/jackpot-cards/adapters/cards_service.h"

static const struct setting SETTINGS[] = {
	{ "JACKPOT_CARDS_SETS", SETTING_TEXT, NULL, 0, 0, cards_sets_folder,
		"folder of the sets' configuration, <name>.json a set" },
	{ .name = NULL },
};

/*~ Sets live on the same topics as progressive pools, told apart by number; shard_of_pool(set) says
 * whose they are. */
static const struct service_ops OPS = {
	.name = "jackpot-cards",
	.prefix = "JACKPOT_CARDS_",
	.settings = SETTINGS,
	.topics = { { .topic = TOPIC_JACKPOT_FEED, .pace = KAFKA_FAST },
		{ .topic = TOPIC_JACKPOT_COMMANDS, .pace = KAFKA_FAST } },
	.topics_n = 2,
	.schema_min = 1,
	.schema_max = 1,
	.start = cards_service_start,
	.open = cards_service_open,
	.close = cards_service_close,
	.message = cards_service_message,
	.tick = cards_service_tick,
	.write = cards_service_write,
	.committed = cards_service_committed,
};

int main(int argc, char **argv)
{
	return service_main(argc, argv, &OPS);
}
