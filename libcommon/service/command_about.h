/* Reads a command's id and the address for its reply without the service's decoder, because the
 * command may be one that crashes that decoder. It walks over the bytes and reads only a few
 * fields. */
#ifndef CARILLON_SERVICE_COMMAND_ABOUT_H
#define CARILLON_SERVICE_COMMAND_ABOUT_H

#include "libcommon/io/in_hand.h"
#include "libcommon/io/kafka.h"

#include <stdint.h>

#define COMMAND_ASKER_MAX 256

/* Computes the id that a command and all its repeats share. If the sender gave the command an id,
 * the result is derived from that: (player, request_id) of a spin, (player, move, request_id) of a
 * proposal, (player, id) of outside money, (player, move, index, pool) of an award, (player, move,
 * index) of a claim that the wallet sends to a pool. So a player's retry with the same
 * Idempotency-Key has the same id. A repeated claim also has the same id, even if the totals beside
 * it have grown. For any other command, the result is derived from its bytes without envelope,
 * correlation, reply_to and not_after. */
void command_id(
	enum topic kind, const uint8_t *bytes, size_t length, uint8_t id_r[COMMAND_ID_BYTES]);

struct command_asker {
	uint64_t player; /* 0: the command names none */
	uint64_t correlation;
	char reply_to[COMMAND_ASKER_MAX]; /* "": nobody waits for a reply */
};
void command_asker(
	enum topic kind, const uint8_t *bytes, size_t length, struct command_asker *asker_r);

#endif
