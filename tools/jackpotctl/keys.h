/* `jackpotctl keys ..`: replaces keys while the services run. Each service reads its file again
 * within a second (wallets: with their next heads); old keys stay readable for proofs. */
#ifndef CARILLON_JACKPOTCTL_KEYS_H
#define CARILLON_JACKPOTCTL_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#define KEYS_WAIT_S 10 /* until a new key is used: every service that draws has read it before */

/* Adds a key to spin-engine/spin-engine.key in CARILLON_KEYS, used from `wait_s` seconds on. Prints
 * what was done, or on standard error what is wrong; false then. */
bool keys_rotate_draw(uint64_t wait_s, bool json);
/* Likewise to jackpot-cards/jackpot-cards.key. */
bool keys_rotate_cards(uint64_t wait_s, bool json);
/* Replaces wallet/wallet-heads.key; its public half, signed by the earlier key, is added to
 * wallet-heads.pub in `heads`. Likewise. */
bool keys_rotate_heads(const char *heads, bool json);

#endif
