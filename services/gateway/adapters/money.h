/* What accounts and sessions share. */
#ifndef CARILLON_GATEWAY_ADAPTERS_MONEY_H
#define CARILLON_GATEWAY_ADAPTERS_MONEY_H

#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"

/* {n} of the path as a player of the operator; false when 400 was answered. */
bool player_path(struct edge_request *request, uint32_t operator_id, player_id *player_r);
/* False when 400 was answered. */
bool currency_ok(
	struct edge_request *request, const char *code, const struct currency **currency_r);
/* HTTP status of a verdict of the wallet, 200 where it accepted; with the code and the words for
 * it. */
uint32_t refusal_status(Carillon__Refusal refusal, const char **code_r, const char **message_r);
/* The same, and the refusal is answered where somebody waits (request may be NULL). */
uint32_t refusal_answer(struct edge_request *request, const Carillon__WalletFact *fact);
/* Has the wallet accepted it, and does somebody wait to hear it? If not, who waits has been
 * answered: none came in time (fact NULL), or the refusal. */
bool fact_accepted(struct edge_request *request, const Carillon__WalletFact *fact);
/* HTTP status of a verdict, 504 where none came. */
uint32_t fact_status(const Carillon__WalletFact *fact);
/* What makes a booking this one and no other. */
struct outside_ids {
	uint8_t id[ID_BYTES];
	uint8_t hash[ID_BYTES], former[ID_BYTES]; /* of the content */
};
/* Sets the id and the hash of the content, which point into *ids; key: the caller's. A hold has a
 * second hash, of the withdrawal that it was before there were holds, so that a withdrawal of then
 * is answered now as it was then. */
void outside_identify(
	player_id player, Carillon__Outside *outside, const char *key, struct outside_ids *ids);
/* Sends money from or to outside; the id and the hash of the content are set here. key: the
 * caller's. */
bool outside_ask(struct gateway *gateway, struct edge_request *request, struct service_request sent,
	Carillon__Outside *outside, const char *key);
/* The verdict on a booking without a move: balance, seq and id; audited under the ask's text. */
service_done money_done;
/* The third {} of the path, an id as it was given; false when 400 was answered. */
bool id_path(struct edge_request *request, uint8_t id_r[ID_BYTES]);
/* Asks the engine to open the account of ask->player, where there is none. */
void query_open(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, char *currency);

#endif
