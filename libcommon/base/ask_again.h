/* When to repeat a command. A command to the owner of a shard may be lost, and so may its answer.
 * So the sender keeps the command and repeats it until it is answered. Pure. */
#ifndef CARILLON_BASE_ASK_AGAIN_H
#define CARILLON_BASE_ASK_AGAIN_H

#include <stdint.h>

/* The microseconds to wait for an answer after a command has been sent for the n-th time (`times`,
 * from 1): 250 ms, then twice as long each time, up to 4 s. `salt` (for example, the player)
 * lengthens the wait by less than a quarter, so that many senders do not retry at the same
 * moment. */
uint64_t ask_again_us(uint32_t times, uint64_t salt);

#endif
