/* Reads both forms of a round's file into a struct round_proof. */
#include "libcommon/fair/round_proof.h"

#include "libcommon/base/currency.h"
#include "libcommon/base/hex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NONCE_MIN 16

/* Where each part stands in the file, and the first mistake. */
struct reading {
	const json_t *root, *round; /* `round` is the root in the short form */
	const char *at;		    /* the pointer of `round`: "" or "/answer/round" */
	bool saved;
	char *error;
	bool failed;
};

__attribute__((format(printf, 2, 3))) static void fail(
	struct reading *reading, const char *format, ...)
{
	va_list args;

	if (reading->failed)
		return;
	reading->failed = true;
	va_start(args, format);
	(void)vsnprintf(reading->error, ROUND_PROOF_ERROR_MAX, format, args);
	va_end(args);
}

static const char *text_of(struct reading *reading, const json_t *object, const char *at,
	const char *key, const char *missing)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_string(value))
		return json_string_value(value);
	if (!value && missing)
		return missing;
	fail(reading, "%s/%s: found %s, expected a string", at, key,
		value ? "another type" : "nothing");
	return "";
}

static void copy_text(struct reading *reading, const char *at, const char *key, const char *text,
	char *out, size_t room)
{
	if (strlen(text) >= room)
		fail(reading, "%s/%s: found %zu bytes, expected at most %zu", at, key, strlen(text),
			room - 1);
	else
		memcpy(out, text, strlen(text) + 1);
}

static size_t hex_of(struct reading *reading, const json_t *object, const char *at, const char *key,
	uint8_t *out, size_t min, size_t max)
{
	const char *text = text_of(reading, object, at, key, NULL);
	size_t length = strlen(text) / 2;

	if (reading->failed)
		return 0;
	if (length >= min && length <= max && hex_parse(text, length, out))
		return length;
	if (min == max)
		fail(reading, "%s/%s: found '%.80s', expected %zu bytes in hexadecimal", at, key,
			text, min);
	else
		fail(reading, "%s/%s: found '%.80s', expected %zu to %zu bytes in hexadecimal", at,
			key, text, min, max);
	return length;
}

/* A hash that may be missing or null. */
static bool hash_of(struct reading *reading, const json_t *object, const char *at, const char *key,
	uint8_t out[ROUND_PROOF_HASH_BYTES])
{
	const json_t *value = json_object_get(object, key);

	if (!value || json_is_null(value))
		return false;
	(void)hex_of(reading, object, at, key, out, ROUND_PROOF_HASH_BYTES, ROUND_PROOF_HASH_BYTES);
	return true;
}

static uint32_t number_of(struct reading *reading, const json_t *value, const char *at,
	const char *key, json_int_t max)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
		json_integer_value(value) > max) {
		fail(reading, "%s/%s: found %s, expected a whole number from 0 to %lld", at, key,
			value ? "something else" : "nothing", (long long)max);
		return 0;
	}
	return (uint32_t)json_integer_value(value);
}

/* The short form counts the unlocked features beside the first; the API lists all. */
static uint32_t unlocked_of(struct reading *reading, const json_t *state, const char *at)
{
	const json_t *unlocked = json_object_get(state, "unlocked");

	if (!reading->saved)
		return number_of(reading, unlocked, at, "unlocked", GAME_UNLOCK_STEPS_MAX - 1);
	if (json_array_size(unlocked) < 1 || json_array_size(unlocked) > GAME_UNLOCK_STEPS_MAX) {
		fail(reading, "%s/unlocked: found %zu features, expected 1 to %d", at,
			json_array_size(unlocked), GAME_UNLOCK_STEPS_MAX);
		return 0;
	}
	return (uint32_t)json_array_size(unlocked) - 1;
}

static void read_state(struct reading *reading, struct round_proof *proof)
{
	const char *key = reading->saved ? "before" : "state";
	const json_t *state = json_object_get(reading->round, key), *collectibles;
	char at[ROUND_PROOF_PATH_MAX], name[16];

	if (!state || json_is_null(state))
		return;
	snprintf(at, sizeof(at), "%.40s/%s", reading->at, key);
	proof->state.unlocked = (uint8_t)unlocked_of(reading, state, at);
	collectibles = json_object_get(state, "potions");
	if (json_array_size(collectibles) != GAME_COLOURS)
		fail(reading, "%s/potions: found %zu entries, expected %d", at,
			json_array_size(collectibles), GAME_COLOURS);
	for (size_t i = 0; i < GAME_COLOURS; i++) {
		snprintf(name, sizeof(name), "potions/%zu", i);
		proof->state.collectibles[i] =
			(uint8_t)number_of(reading, json_array_get(collectibles, i), at, name, 2);
	}
}

static void read_bet(struct reading *reading, struct round_proof *proof)
{
	const json_t *bet = json_object_get(reading->round, "bet"),
		     *money = reading->saved ? json_object_get(reading->root, "answer") : bet;
	char at[ROUND_PROOF_PATH_MAX];
	const struct currency *currency;
	const char *code;

	snprintf(at, sizeof(at), "%.40s/bet", reading->at);
	code = text_of(reading, money, reading->saved ? "/answer" : at, "currency", NULL);
	currency = currency_by_code(code);
	if (!currency)
		fail(reading, "%s/currency: found '%.20s', expected an ISO 4217 code",
			reading->saved ? "/answer" : at, code);
	else
		proof->bet.currency = currency->number;
	proof->bet.coin_minor = number_of(
		reading, json_object_get(bet, "coin_minor"), at, "coin_minor", GAME_COIN_MINOR_MAX);
	proof->bet.lines =
		number_of(reading, json_object_get(bet, "lines"), at, "lines", GAME_LINES_MAX);
	proof->bet.coins =
		number_of(reading, json_object_get(bet, "coins"), at, "coins", GAME_LINE_COINS_MAX);
	copy_text(reading, at, "mode", text_of(reading, bet, at, "mode", "base"), proof->mode,
		sizeof(proof->mode));
}

static void read_members(struct reading *reading, struct round_proof *proof)
{
	const json_t *round = reading->round;
	const char *at = reading->at;

	copy_text(reading, at, "game", text_of(reading, round, at, "game", NULL), proof->game,
		sizeof(proof->game));
	read_bet(reading, proof);
	read_state(reading, proof);
	(void)hex_of(reading, round, at, "secret", proof->secret, ROUND_PROOF_HASH_BYTES,
		ROUND_PROOF_HASH_BYTES);
	proof->nonce_length = hex_of(reading, round, at, reading->saved ? "client_nonce" : "nonce",
		proof->nonce, NONCE_MIN, ROUND_PROOF_NONCE_MAX);
	proof->has_hash = hash_of(reading, reading->root, "",
		reading->saved ? "promised" : "secret_hash", proof->secret_hash);
	proof->has_version = hash_of(reading, round, at, "math_version", proof->math_version);
	proof->has_digest = hash_of(
		reading, round, at, reading->saved ? "result_digest" : "digest", proof->digest);
	proof->definition = json_object_get(reading->root, "definition");
	if (reading->saved)
		proof->shown = round;
}

bool round_proof_read(const char *text, size_t length, struct round_proof *proof_r, char *error)
{
	struct reading reading = { .error = error, .at = "" };
	json_error_t fault;

	memset(proof_r, 0, sizeof(*proof_r));
	proof_r->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
	if (!json_is_object(proof_r->root)) {
		fail(&reading, "found no JSON object (%.160s), expected a round's file",
			proof_r->root ? "another value" : fault.text);
		round_proof_free(proof_r);
		return false;
	}
	reading.root = reading.round = proof_r->root;
	reading.saved = json_object_get(reading.root, "answer") != NULL;
	if (reading.saved) {
		reading.at = "/answer/round";
		reading.round = json_object_get(json_object_get(reading.root, "answer"), "round");
		if (!json_is_object(reading.round))
			fail(&reading, "/answer/round: found %s, expected a round",
				reading.round ? "another type" : "nothing");
		else if (!json_is_true(json_object_get(reading.round, "closed")))
			fail(&reading, "/answer/round/closed: found an open round, expected a "
				       "closed one: the secret is published when the round "
				       "closes");
	}
	read_members(&reading, proof_r);
	if (reading.failed)
		round_proof_free(proof_r);
	return !reading.failed;
}

void round_proof_free(struct round_proof *proof)
{
	json_decref(proof->root);
	proof->root = NULL;
}
