/*~ carillon-jackpot-cards: sets of Jackpot Cards. Wiring only; a tour in reading order:
 *
 *  1. libcommon/jackpot/pool_row.h   one counter, as of a progressive: seed +
 * (T - W) x share + r
 *  2. core/card_set.h             the four levels of a set, funded by the house
 *  3. libcommon/jackpot/io/card_sets.h    their configuration
 *  4. core/card_deal.h, card_round.h  the twelve cards, and picks that turn them up
 *  5. adapters/rounds.h           a round from its claim to its award
 *  6. adapters/cards_service.h    wagers, claims and picks in, levels shown, on the loop of
 * libcommon/service/service.h
 *  7. adapters/set_store.h, round_store.h  the same in Postgres
 *  8. adapters/terms_store.h     versions of odds and weights, kept for the proof
 *  9. adapters/card_proof.h       --verify: each card round dealt again, for the ledger's proof */
#include "services/jackpot-cards/adapters/card_proof.h"
#include "services/jackpot-cards/adapters/cards_service.h"

#include <string.h>

static const struct setting SETTINGS[] = {
	{ "JACKPOT_CARDS_SETS", SETTING_TEXT, NULL, 0, 0, cards_sets_folder,
		"folder with the configuration of each set, <name>.json" },
	{ "JACKPOT_CARDS_EXPIRE_S", SETTING_INT, "432000", 1, 31536000, &cards_expire_s,
		"seconds from opening a card round until the service plays and pays an abandoned one" },
	{ .name = NULL },
};

/*~ Sets share the topics with progressive pools but have other numbers; shard_of_pool(set) is their
 * shard. */
static const struct service_ops OPS = {
	.name = "jackpot-cards",
	.prefix = "JACKPOT_CARDS_",
	.settings = SETTINGS,
	.topics = { { .topic = TOPIC_JACKPOT_FEED, .pace = KAFKA_SLOW } },
	.topics_n = 1,
	.takes_commands = true,
	.command = TOPIC_JACKPOT_COMMANDS,
	.schema_min = 8,
	.schema_max = 8,
	.start = cards_service_start,
	.open = cards_service_open,
	.close = cards_service_close,
	.message = cards_service_message,
	.bus = cards_service_bus,
	.tick = cards_service_tick,
	.write = cards_service_write,
	.committed = cards_service_committed,
};

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--verify") == 0)
		return card_proof_main(argc, argv);
	return service_main(argc, argv, &OPS);
}
