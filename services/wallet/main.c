/*~ The wallet keeps the journal: one row for every move and every other booking, accepted or
 * refused, with the money and the engine's record of the round in it. The round exists once that
 * row is committed.
 *
 * Read on in this order:
 *   core/wallet.h           the types: accounts, commands, rows, refusals
 *   core/apply.c            the rules, in the order of the checks
 *   adapters/command.c      bytes of a command into the core's structs
 *   adapters/prefetched.c   looks up what the commands of a batch need
 *   adapters/handle.c       from a command to a queued row
 *   adapters/write.c        the one transaction: rows, claims, ids, batch, legs
 *   adapters/checkpoint.c   accounts and totals, written behind the rows
 *   adapters/days.c         partitions of the journal: created ahead, closed after their day
 *   adapters/wallet_app.c   taking a shard, ticking, after the commit
 *   adapters/load.c         a shard's state from Postgres, rolled forward from the journal
 *   adapters/quarantine.c   players of whom something cannot be read
 *   adapters/feed.c         running totals and claims for the jackpot services
 *   adapters/publish.c      publishes again the facts that a consumer missed
 */
#include "services/wallet/adapters/wallet_ops.h"

int main(int argc, char **argv)
{
	static const struct service_ops ops = {
		.name = "wallet",
		.prefix = "WALLET_",
		.settings = wallet_settings,
		.schema_min = 13,
		.schema_max = 13,
		.takes_commands = true,
		.command = TOPIC_WALLET_COMMANDS,
		.start = wallet_start,
		.open = wallet_open,
		.close = wallet_close,
		.batch = wallet_handle_batch,
		.message = wallet_handle_message,
		.bus = wallet_handle_bus,
		.tick = wallet_tick,
		.write = wallet_write_all,
		.fits_line = wallet_fits_line,
		.write_in_line = wallet_write_all_in_line,
		.committed = wallet_committed,
	};

	return service_main(argc, argv, &ops);
}
