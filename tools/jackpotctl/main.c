/* jackpotctl: proves and tends an installation's ledger, pools, players and users. command_table.c
 * has all that it can do. */
#include "tools/jackpotctl/command.h"

int main(int argc, char **argv)
{
	struct call call;

	return command_read(argc, argv, &call, stderr) ? call.command->run(&call) : EXIT_USAGE;
}
