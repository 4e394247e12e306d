/* What the gateway says in JSON: the engine's replies and the wallet's verdicts. Field names are those of the messages (proto/spin.proto), bytes are
 * lower-case hex, players text. */
#ifndef CARILLON_GATEWAY_RENDER_H
#define CARILLON_GATEWAY_RENDER_H

#include "spin.pb-c.h"
#include "wallet.pb-c.h"

#include <jansson.h>

#include <stdbool.h>

/* The state every answer about play carries; with the round, or "round":null where there is none. With an error in the reply: the error object, and
 * beside it what the client needs to go on (expect, secret_hash, balance). Owned by the caller. */
json_t *render_reply(const Carillon__SpinReply *reply);
/* A round alone; replay: marked as such. */
json_t *render_round(const Carillon__RoundView *round);
/* {"error":{..}}; where, found, expected may be NULL. */
json_t *render_error(const char *code, const char *message, const char *where, const char *found, const char *expected);
/* Why the wallet refused money from or to outside: HTTP status, code and text. */
struct refusal_text {
	uint32_t status;
	const char *code, *message;
};
struct refusal_text render_refusal(Carillon__Refusal refusal);

#endif
