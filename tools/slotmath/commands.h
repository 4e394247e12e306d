/* The subcommands, one file each. Each function returns the exit status. */
#ifndef CARILLON_SLOTMATH_COMMANDS_H
#define CARILLON_SLOTMATH_COMMANDS_H

#include "tools/slotmath/options.h"

int command_rtp(const struct options *options);
int command_simulate(const struct options *options);
int command_par(const struct options *options);
int command_optimise(const struct options *options);
int command_replay(const struct options *options);
int command_rng(const struct options *options);
int command_cards(const struct options *options);
int command_check(const struct options *options);

#endif
