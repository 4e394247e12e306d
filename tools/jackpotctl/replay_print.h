/* What a replay has found, for people and for programs. */
#ifndef CARILLON_JACKPOTCTL_REPLAY_PRINT_H
#define CARILLON_JACKPOTCTL_REPLAY_PRINT_H

#include "tools/jackpotctl/replay.h"

void replay_print(const struct replay *replay);
/* One object; amounts in the form of GET /v1/operators/{op}/pools/{pool}. */
void replay_print_json(const struct replay *replay);

#endif
