/* What operators offer their players: the rows of gateway.offer, read once a second, and what is
 * refused because of them. An operator without a row offers every game and every currency; before
 * the first read nobody knows, so what would begin something asks offers_wait first. */
#ifndef CARILLON_GATEWAY_ADAPTERS_OFFERS_H
#define CARILLON_GATEWAY_ADAPTERS_OFFERS_H

#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/currency.h"

void offers_tick(struct gateway *gateway); /* once a second: reads the rows */
/* True once they have been read: until then the gateway is not ready. */
bool offers_known(void);
/* True when the client was told 503 starting, because they have not been read yet. */
bool offers_wait(struct edge_request *request);

bool offers_game(uint32_t operator_id, const char *slug);
/* False: some games are not for the operator's players. */
bool offers_all_games(uint32_t operator_id);

/* 403 game_not_offered or currency_not_accepted. */
void offers_refuse_game(struct edge_request *request, uint32_t operator_id, const char *slug);
void offers_refuse_currency(
	struct edge_request *request, uint32_t operator_id, const struct currency *currency);
/* The engine's refusal of a bet that it was not to start, with the player's state. */
void offers_refuse_bet(struct gateway *gateway, struct edge_request *request, player_id player,
	const char *slug, const Carillon__SpinReply *reply);

/* Asks the engine to open the account of `sent.player` (query_open), unless its operator does not
 * offer the currency: then an account that is there is answered as ever, and a new one gets 403,
 * with a line in the audit log if a back end asked (`audited`). */
void offers_open(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const struct currency *currency, bool audited);

edge_handler on_offer, on_offer_set;

#endif
