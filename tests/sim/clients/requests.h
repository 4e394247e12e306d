/* The gateways between the world's clients and the services: questions with their correlation
 * numbers and time-outs by the gateway's own core (services/gateway/core/inflight.c), sent to the
 * owners of the shards and answered by nanomsg, asked again while no answer comes. What HTTP and
 * sessions add has no part in money. */
#ifndef CARILLON_SIM_CLIENTS_REQUESTS_H
#define CARILLON_SIM_CLIENTS_REQUESTS_H

#include "libcommon/base/ids.h"

#include "libcommon/io/kafka.h"

#include "jackpot.pb-c.h"
#include "spin.pb-c.h"
#include "wallet.pb-c.h"

#define REQUEST_ID_BYTES 16

/* At most one of them; none: no answer came in time, and nobody knows what became of it. Gone when
 * the call returns. */
struct answer {
	const Carillon__SpinReply *reply;
	const Carillon__WalletFact *fact;
	const Carillon__CardReply *card;
};

/* Who waits: the first member of what a client is. At most one question of his is on its way. */
struct requester {
	player_id player;
	void (*answered)(struct requester *requester, const struct answer *answer);
	bool waiting;
	uint64_t asked_us; /* by the world's time */
};

void requests_begin(void);
void requests_end(void);
size_t requests_open(void);	   /* on their way */
uint64_t requests_oldest_us(void); /* how long the oldest of them has been on its way; 0: none is */
/* A gateway dies: everybody who waits at it is told that no answer came, and answers that still
 * come find nobody. */
void requests_gateway_dies(void);

/* Sent now, with envelope, player, correlation and the gateway's address filled in. False: too many
 * are on their way; nothing was sent. */
bool request_spin(struct requester *requester, Carillon__SpinCommand *command);
bool request_wallet(struct requester *requester, Carillon__WalletCommand *command);
bool request_cards(struct requester *requester, Carillon__JackpotCommand *command);
/* An operator's command to a pool: nobody answers it but a fact. */
void request_pool(Carillon__JackpotCommand *command);
/* The provider of payments has called about a withdrawal: told to payments. */
void request_payments(player_id player, const uint8_t hold[REQUEST_ID_BYTES]);
/* A command of this kind goes to whoever owns the shard as far as gateways know, if anybody. */
void requests_send(enum topic kind, uint32_t shard, const uint8_t *bytes, size_t n);
/* The address of the instance that holds a shard of a service, NULL when nobody does. */
const char *requests_owner_url(const char *service, uint32_t shard);

/* The gateway's wall clock: the world's and its own error. */
uint64_t requests_wall_us(void);
/* SHA-256 of two texts, cut: ids of requests as the gateway derives them from the Idempotency-Key
 * and the player. */
void requests_id(const char *first, const char *second, uint8_t id_r[REQUEST_ID_BYTES]);
void requests_hash(const void *bytes, size_t n, uint8_t hash_r[REQUEST_ID_BYTES]);

#endif
