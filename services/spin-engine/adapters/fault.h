/* What is wrong, for the one who asked: a stable code, HTTP status, where, what was found and what
 * was expected. */
#ifndef CARILLON_SPIN_ENGINE_FAULT_H
#define CARILLON_SPIN_ENGINE_FAULT_H

#include "services/spin-engine/core/player.h"

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
/* The coin values that the game offers in a currency, as what was expected. */
void fault_expect_coins(const struct game_currency *currency, struct fault *fault);

#endif
