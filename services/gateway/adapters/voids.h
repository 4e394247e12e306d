/* Shared by voids of rounds and by those that wait for a second approver. */
#ifndef CARILLON_GATEWAY_ADAPTERS_VOIDS_H
#define CARILLON_GATEWAY_ADAPTERS_VOIDS_H

#include "services/gateway/adapters/staff.h"

/* A void as an operator orders it. */
struct void_order {
	player_id player;
	struct void_body body;
	uint8_t id[ID_BYTES], hash[ID_BYTES]; /* of the Idempotency-Key and of the content */
	int64_t awards;			      /* what the round's jackpots are */
	bool approved;			      /* it names them, and a second approver agreed */
	int64_t agreed;			      /* to this sum */
	uint64_t ticket;		      /* of the request that orders or approves it; 0: an
						 approved one is taken up again */
	/* Who asks, from when the request was accepted: the session may end before it is stored. */
	uint8_t asker[STAFF_DIGEST_BYTES];
	char actor[ASKER_MAX];
};

/* voids.c: carries the order out, or answers with what it became. An approved order is carried out
 * although its approver has gone meanwhile. */
void void_carry_out(struct gateway *gateway, const struct void_order *order);
/* Answers 422: the key was used for another order. */
void void_other_content(struct edge_request *request);
/* void_requests.c: may whoever asks name jackpots? Takes who it is; false when 401 or 403 was
 * answered. */
bool void_may_name(struct gateway *gateway, struct edge_request *request, uint32_t operator_id,
	struct void_order *order);
/* Stores the order and answers 202; an order that was approved is carried out. */
void void_ask_second(
	struct gateway *gateway, struct edge_request *request, const struct void_order *order);
/* Notes what has become of an approved order: "voided", or the code of the error that refused it.
 * `audited`: the audit log has it already. */
void void_note(struct gateway *gateway, player_id player, const uint8_t id[ID_BYTES],
	const char *outcome, uint32_t status, bool audited);
/* Once a second: carries out approved voids whose outcome is not known yet, because no service
 * answered, or a gateway ended first. */
void voids_tick(struct gateway *gateway);

#endif
