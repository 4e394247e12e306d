/*~ Welcome to the spin engine. It draws and plays rounds and decides nothing about money: a
 * proposal counts only once the wallet has booked it.
 *
 * Read it in this order:
 *
 *  1. core/player.h: the state machine of one player. player_check() says whether a command is
 * allowed now, player_propose() what to book for it, player_adopt() applies a booked row to the
 * state. Pure: the caller supplies time, keys and random bytes.
 *  2. libcommon/game/round.h: a round, phase by phase. A bet plays the whole round; every screen
 * the player sees later replays it from the same secret. Only a digest of the result is stored.
 *  3. adapters/play.c, adopt.c, answer.c: a command comes from Kafka and becomes a proposal to the
 * wallet. The row comes back by nanomsg or by Kafka, whichever is first; its record becomes the
 * state. Only then is the reply sent.
 *  4. adapters/keys.c: where secrets come from, and why a player can check them.
 *  5. adapters/store.c: the checkpoint, every three seconds, in parts so that no bet waits for all
 * of it. It may be late: after a restart, facts are read again from the checkpoint on. What is no
 * fact (how far a feature has been watched) is written within a second.
 *  6. adapters/engine.c: what the service loop calls.
 *  7. core/proof.h: each booked move proposed again, for the proof of the ledger. */
#include "services/spin-engine/adapters/engine.h"
#include "services/spin-engine/adapters/proof.h"

#include <string.h>

static struct engine_settings settings;

/*~ Every setting is declared here; the service refuses to start with an unknown variable of our
 * prefix. */
static const struct setting table[] = {
	{ "SPIN_ENGINE_CARD_SETS", SETTING_TEXT, NULL, 0, 0, settings.card_sets,
		"Folder with one file <name>.json per set of Jackpot Cards: the odds of the cards" },
	{ "SPIN_ENGINE_FORCED_DRAWS", SETTING_BOOL, "0", 0, 1, &settings.forced_draws,
		"Take draws from engine.forced_draw; allowed only in a test installation" },
	{ "SPIN_ENGINE_PART_PLAYERS", SETTING_INT, "256", 1, 100000, &settings.part_players,
		"Players in one part of a checkpoint, or more if 30 parts would not hold all" },
	{ "SPIN_ENGINE_PLAYERS_MAX", SETTING_INT, "200000", 1000, 10000000, &settings.players_max,
		"Players kept in memory; above this number idle players are unloaded" },
	{ "SPIN_ENGINE_RESOLVE_EVERY_S", SETTING_INT, "60", 1, 86400, &settings.resolve_every_s,
		"Seconds between searches for rounds that have been open too long" },
	{ "SPIN_ENGINE_SIMULATED_RETURNS", SETTING_BOOL, "0", 0, 1, &settings.simulated_returns,
		"In a live installation, offer games whose return is simulated, not proved" },
	{ 0 },
};

/*~ The service loop does everything else: leases, positions, the one transaction, draining. With
 * --verify nothing is served: rows that are booked are proven, with the key that drew them. */
int main(int argc, char **argv)
{
	struct service_ops ops = engine_ops(table, &settings);

	if (argc > 1 && strcmp(argv[1], "--verify") == 0)
		return proof_main(argc, argv);
	return service_main(argc, argv, &ops);
}
