/* What the console shows of the ledger and of its last proof, which jackpotctl has signed and added
 * to gateway.proof (docs/ledger.md). */
#ifndef CARILLON_GATEWAY_ADAPTERS_LEDGER_H
#define CARILLON_GATEWAY_ADAPTERS_LEDGER_H

#include "services/gateway/adapters/gateway.h"

#include <jansson.h>

enum proof_state {
	PROOF_GOOD,
	PROOF_NONE,	/* none yet, and the installation is young */
	PROOF_OLD,	/* the last whole proof is too old, or there is none */
	PROOF_BROKEN,	/* a proof found a breach, and none has been whole since */
	PROOF_UNSIGNED, /* it is not signed by the key that the gateway knows */
};

enum proof_signed {
	SIGNED_GOOD,
	SIGNED_NOT,	/* no signature */
	SIGNED_WRONG,	/* by another key, or of another content */
	SIGNED_UNKNOWN, /* signed, but the gateway has no public key to compare with */
};

struct proof {
	json_t *content; /* NULL: there is no proof */
	enum proof_state state;
	enum proof_signed is_signed;
	uint64_t time_us, held_us; /* of the last proof; of the last whole one that held. 0: none */
	uint64_t age_s;		   /* since then, or of the installation */
};

/* Reads three columns of the first row, from `column` on: content and signature of the newest
 * proof, and when the installation began. */
void proof_read(
	const struct gateway *gateway, const PGresult *result, int column, struct proof *proof_r);
void proof_free(struct proof *proof);
void proof_json(const struct gateway *gateway, struct json_out *out, const struct proof *proof);

edge_handler on_proof, on_ledger, on_unfinished, on_postings;

#endif
