/* What is wrong, for the one who asked: a stable code, HTTP status, where, what was found and what
 * was expected. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_FAULT_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_FAULT_H

#include "services/spin-engine/core/player.h"

#include <stdbool.h>
#include <stdint.h>

struct fault {
	uint32_t http; /* 0: nothing is wrong */
	char code[40];
	char message[160];
	char where[40], found[80], expected[120];
};

void fault_set(struct fault *fault, uint32_t http, const char *code, const char *message);
__attribute__((format(printf, 2, 3))) void fault_found(
	struct fault *fault, const char *format, ...);
__attribute__((format(printf, 2, 3))) void fault_expected(
	struct fault *fault, const char *format, ...);
/* Of the state machine; of the wallet (proto/wallet.proto, Refusal). */
void fault_of_error(const struct player_error *error, struct fault *fault);
void fault_of_refusal(uint32_t refusal, struct fault *fault);
/* Is it for the definition's sake that this was refused, so that another one might take it? */
bool fault_by_definition(const struct player_error *error);
/* Then, where another one is announced: not yet. */
void fault_behind(struct fault *fault);
/* What the numbers of a refused bet leave unsaid: which coin values there are, which modes, and at
 * which coin values one is sold. `currency`: NULL where the game is not offered in the account's.
 * `mode`: as the client named it. */
void fault_of_bet(const struct game *game, const struct game_currency *currency,
	enum bet_status status, const struct bet *bet, const char *mode, struct fault *fault);

#endif
