/* Shared by the handlers of accounts, sessions and bookings. */
#ifndef CARILLON_GATEWAY_ADAPTERS_MONEY_H
#define CARILLON_GATEWAY_ADAPTERS_MONEY_H

#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"

/* Reads {n} of the path as a player of the operator; false when 400 was answered. */
bool player_path(struct edge_request *request, uint32_t operator_id, player_id *player_r);
/* False when 400 was answered. */
bool currency_ok(
	struct edge_request *request, const char *code, const struct currency **currency_r);
/* HTTP status, error code and message for the wallet's verdict; 200 if it accepted. */
uint32_t refusal_status(Carillon__Refusal refusal, const char **code_r, const char **message_r);
/* The same, and answers the request with the refusal (`request` may be NULL). */
uint32_t refusal_answer(struct edge_request *request, const Carillon__WalletFact *fact);
/* True when the wallet accepted and the client still waits. Otherwise a client that waits has been
 * answered: with 503 or 504 if no verdict came (fact NULL), else with the
 * refusal. */
bool fact_accepted(struct edge_request *request, const struct service_request *sent,
	const Carillon__WalletFact *fact);
/* HTTP status of a verdict; 503 or 504 if none came. */
uint32_t fact_status(const struct service_request *sent, const Carillon__WalletFact *fact);
/* The identity of a booking. */
struct outside_ids {
	uint8_t id[ID_BYTES];
	uint8_t hash[ID_BYTES], former[ID_BYTES]; /* of the content */
};
/* Sets the id and the hash of the content, which point into *ids; `key` is the client's
 * Idempotency-Key. A hold has a second hash, of the same request as an old withdrawal, so that a
 * retry of a withdrawal booked before holds existed gets its old answer. */
void outside_identify(
	player_id player, Carillon__Outside *outside, const char *key, struct outside_ids *ids);
/* Sends a booking of an operator to the wallet; sets its id and the hash of its content. `key` is
 * the client's Idempotency-Key. */
bool outside_ask(struct gateway *gateway, struct edge_request *request, struct service_request sent,
	Carillon__Outside *outside, const char *key);
/* Answers with the verdict on a booking: balance, seq and id. The audit entry is named by the
 * request's text. */
service_done money_done;
/* Reads the third {} of the path, an id in hex; false when 400 was answered. */
bool id_path(struct edge_request *request, uint8_t id_r[ID_BYTES]);
/* Asks the engine to open the account of sent->player if it does not exist. */
void query_open(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, char *currency);

#endif
