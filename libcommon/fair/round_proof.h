/* Proves a round from the file that its player saved: plays the round again and compares the result
 * with the file.
 *
 *     if (!round_proof_read(text, length, &proof, error)) ...
 *     agrees = round_proof_check(&proof, game, &report);     report: JSON, freed by the caller
 *     round_proof_free(&proof);
 *
 * There are two forms of file. The short one has only what is needed and is easy to write by hand:
 *
 *     {"game": "mystic-gem", "math_version"?: "<hex>", "bet": {"currency": "EUR", "coin_minor": 1,
 *      "lines": 40, "coins": 1, "mode"?: "base"}, "state"?: {"potions": [0, 0, 0], "unlocked": 0},
 *      "secret": "<hex>", "secret_hash"?: "<hex>", "nonce": "<hex>", "digest"?: "<hex>"}
 *
 * The page saves the long one: {"carillon_round": 1, "promised": "<hex>" or null, "answer": the
 * answer of GET /v1/rounds/{round}, "definition"?: the definition}. It contains every screen, so
 * more can be compared. Members that are not named here are ignored. */
#ifndef CARILLON_FAIR_ROUND_PROOF_H
#define CARILLON_FAIR_ROUND_PROOF_H

#include "libcommon/game/round.h"

#include <jansson.h>

#define ROUND_PROOF_ERROR_MAX 256
#define ROUND_PROOF_NONCE_MAX 32
#define ROUND_PROOF_HASH_BYTES 32
#define ROUND_PROOF_PATH_MAX 64

struct round_proof {
	json_t *root;		  /* owned */
	const json_t *shown;	  /* the round as its player saw it; NULL in the short form */
	const json_t *definition; /* NULL: the file has none */
	char game[ROUND_PROOF_PATH_MAX * 8]; /* its id; in the short form perhaps a file's name */
	char mode[GAME_ID_MAX];
	struct bet bet; /* without the mode, whose number depends on the definition */
	struct round_state state;
	uint8_t secret[ROUND_PROOF_HASH_BYTES], nonce[ROUND_PROOF_NONCE_MAX];
	size_t nonce_length;
	uint8_t secret_hash[ROUND_PROOF_HASH_BYTES], math_version[ROUND_PROOF_HASH_BYTES],
		digest[ROUND_PROOF_HASH_BYTES];
	bool has_hash, has_version, has_digest;
};

/* Reads the file. False: `error` (ROUND_PROOF_ERROR_MAX bytes) names the place, what was found and
 * what was expected, and *proof_r holds nothing to free. */
bool round_proof_read(const char *text, size_t length, struct round_proof *proof_r, char *error);
void round_proof_free(struct round_proof *proof);

enum round_proof_status {
	ROUND_PROOF_AGREES,
	ROUND_PROOF_DIFFERS,  /* the report names each difference */
	ROUND_PROOF_NO_BET,   /* the definition does not offer the bet or its mode; no report */
	ROUND_PROOF_NO_STATE, /* no round of this definition begins with this state; no report */
	ROUND_PROOF_NO_MEMORY,
};

/* Plays the round with `game` and writes the report, to be freed with free(). Its members:
 *
 *     {"game", "stake", "win", "jackpot_hits", "digest", "secret_hash", "math_version", "agrees",
 *      "checks": [{"what", "state", "where"?, "found"?, "expected"?}], "phases": [..]}
 *
 * `what` names the check: "definition" (is it the one that was named before the bet?), "secret"
 * (does it match the hash that was promised?), "result" (is it the digest that was booked?),
 * "screens", "amounts", "gambles" or "cards". `state` is "agrees", "differs", "missing" (the file
 * has nothing to compare with) or "none" (the round had none). `found` is the file's value,
 * `expected` the value from the replay. Phases have the same members as in the API, without
 * picks. */
enum round_proof_status round_proof_check(
	const struct round_proof *proof, const struct game *game, char **report_r);

#endif
