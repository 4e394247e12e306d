/* What is wrong with a request, for its client: a stable code, HTTP status, where, what was found
 * and what was expected. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_FAULT_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_FAULT_H

#include "services/spin-engine/core/player.h"

#include <stdbool.h>
#include <stdint.h>

struct fault {
	uint32_t http;	   /* 0: no fault */
	uint32_t retry_ms; /* 0: the client is not told when to try again */
	char code[40];
	char message[160];
	char where[40], found[80], expected[120];
};

void fault_set(struct fault *fault, uint32_t http, const char *code, const char *message);
__attribute__((format(printf, 2, 3))) void fault_found(
	struct fault *fault, const char *format, ...);
__attribute__((format(printf, 2, 3))) void fault_expected(
	struct fault *fault, const char *format, ...);
/* From an error of the state machine; from a wallet's refusal (proto/wallet.proto, Refusal). */
void fault_of_error(const struct player_error *error, struct fault *fault);
void fault_of_refusal(uint32_t refusal, struct fault *fault);
/* True if the definition is the reason: another definition might accept the command. */
bool fault_by_definition(const struct player_error *error);
/* For that case, if another definition is announced: the fault "not yet". */
void fault_behind(struct fault *fault);
/* Adds details of a refused bet: the coin values, the modes, and the coin values at which a mode is
 * sold. `currency`: NULL if the game is not offered in the account's currency. `mode`: the client's
 * name. */
void fault_of_bet(const struct game *game, const struct game_currency *currency,
	enum bet_status status, const struct bet *bet, const char *mode, struct fault *fault);

#endif
