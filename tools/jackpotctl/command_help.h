/* What the table says, for people, for man and for bash. */
#ifndef CARILLON_JACKPOTCTL_COMMAND_HELP_H
#define CARILLON_JACKPOTCTL_COMMAND_HELP_H

#include "tools/jackpotctl/command.h"

int help_run(const struct call *call);
int manual_run(const struct call *call);
int completion_run(const struct call *call);

/* One sentence on the option, and what holds without it; of --dsn that is the command's. Any
 * command if NULL. */
void option_help_write(FILE *out, enum option_id option, const struct command *command);
/* "--heads FOLDER" */
void option_name_write(FILE *out, enum option_id option);

#endif
