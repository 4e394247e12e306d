/*~ Welcome to the spin engine. It draws and plays rounds, and decides nothing about money: what it
 * proposes counts only once the wallet has booked it.
 *
 * Read it in this order:
 *
 *  1. core/player.h: the state machine of one player. player_check() says whether a command is
 * allowed now, player_propose() what would be booked for it, player_adopt() what a booked row makes
 * of the state. Pure: time, keys and random bytes are handed in.
 *  2. libcommon/game/round.h: a round, phase by phase. A bet plays it whole at its birth; every
 * screen the player sees later is the same round played again from the same secret, so no result is
 * ever stored but its digest.
 *  3. adapters/play.c, adopt.c, answer.c: a command comes from Kafka, becomes a proposal to the
 * wallet, the row comes back (by nanomsg or by Kafka, whichever is first), its record becomes the
 * state, and only then is anybody told.
 *  4. adapters/keys.c: where secrets come from, and why a player can check them.
 *  5. adapters/store.c: the checkpoint, once a second. It may be late: facts are read again from
 * where it stands.
 *  6. adapters/engine.c: what the service loop calls. */
#include "services/spin-engine/adapters/engine.h"

static struct engine_settings settings;

/*~ Every setting is declared here; an unknown variable with our prefix refuses to start. */
static const struct setting table[] = {
	{ "SPIN_ENGINE_CARD_SETS", SETTING_TEXT, NULL, 0, 0, settings.card_sets,
		"Folder of the sets of Jackpot Cards, <name>.json a set: the odds of the cards" },
	{ "SPIN_ENGINE_FORCED_DRAWS", SETTING_BOOL, "0", 0, 1, &settings.forced_draws,
		"Take draws from engine.forced_draw; refused but on a test installation" },
	{ "SPIN_ENGINE_PLAYERS_MAX", SETTING_INT, "200000", 1000, 10000000, &settings.players_max,
		"Players kept in memory; idle ones beyond it are dropped and loaded again" },
	{ "SPIN_ENGINE_RESOLVE_EVERY_S", SETTING_INT, "60", 1, 86400, &settings.resolve_every_s,
		"How often to look for rounds that were left open too long" },
	{ "SPIN_ENGINE_SIMULATED_RETURNS", SETTING_BOOL, "0", 0, 1, &settings.simulated_returns,
		"On a live installation, offer games whose return is simulated, not proved" },
	{ 0 },
};

/*~ The loop owns everything else: leases, positions, the one transaction, draining. */
int main(int argc, char **argv)
{
	struct service_ops ops = engine_ops(table, &settings);

	return service_main(argc, argv, &ops);
}
