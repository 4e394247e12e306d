/* slotmath replay: a round again, from its proof. The proof is what a closed round discloses:
 *
 *   {"game": "mystic-gem", "math_version": "<hex>", "bet": {"currency": "EUR", "coin_minor": 1,
 *    "lines": 40, "coins": 1, "mode": "base"}, "state": {"potions": [0, 0, 0], "unlocked": 0},
 *    "secret": "<hex>", "secret_hash": "<hex>", "nonce": "<hex>", "digest": "<hex>"}
 *
 * `state` may be left out where nothing is carried; `secret_hash` is what was promised before the
 * bet. Without `digest`, `secret_hash` or `math_version` there is nothing to hold that against: the
 * digest that comes out is said in any case. Exit status 0: the round is as was said; 1: it is not.
 */
#include "libcommon/base/currency.h"
#include "libcommon/base/sha256.h"
#include "libcommon/game/round.h"
#include "tools/slotmath/commands.h"
#include "libcommon/game/rational.h"
#include "tools/slotmath/games.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 32
#define NONCE_MAX 32
#define PURPOSE "game" /* the engine's name for the stream of spins */

struct proof {
	char game[OPTIONS_TEXT_MAX];
	struct bet bet;
	struct round_state state;
	uint8_t math_version[KEY_BYTES], secret[KEY_BYTES], secret_hash[KEY_BYTES],
		digest[KEY_BYTES];
	uint8_t nonce[NONCE_MAX];
	size_t nonce_length;
	bool has_digest, has_hash, has_version;
};

static const char *proof_text(const json_t *root, const char *key, bool needed)
{
	const json_t *value = json_object_get(root, key);

	if (!value && !needed)
		return NULL;
	if (!json_is_string(value))
		refuse("PROOF: /%s: found %s, expected a string", key,
			value ? "another type" : "nothing");
	return json_string_value(value);
}

static size_t proof_hex(const json_t *root, const char *key, uint8_t *out, size_t min, size_t max)
{
	const char *text = proof_text(root, key, true), *end;
	size_t length = 0;

	if (sodium_hex2bin(out, max, text, strlen(text), NULL, &length, &end) != 0 || *end ||
		length < min)
		refuse("PROOF: /%s: found '%s', expected %zu to %zu bytes in hexadecimal", key,
			text, min, max);
	return length;
}

static uint32_t proof_number(
	const json_t *object, const char *where, const char *key, json_int_t max)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
		json_integer_value(value) > max)
		refuse("PROOF: /%s/%s: found %s, expected a whole number from 0 to %lld", where,
			key, value ? "something else" : "nothing", (long long)max);
	return (uint32_t)json_integer_value(value);
}

static void read_state(const json_t *root, struct proof *proof)
{
	const json_t *state = json_object_get(root, "state"),
		     *collectibles = json_object_get(state, "potions");

	if (!state)
		return;
	proof->state.unlocked = (uint8_t)proof_number(state, "state", "unlocked", UNLOCK_KINDS - 1);
	if (json_array_size(collectibles) != GAME_COLOURS)
		refuse("PROOF: /state/potions: found %zu entries, expected %d",
			json_array_size(collectibles), GAME_COLOURS);
	for (size_t i = 0; i < GAME_COLOURS; i++) {
		const json_t *count = json_array_get(collectibles, i);

		if (!json_is_integer(count) || json_integer_value(count) < 0 ||
			json_integer_value(count) > 2)
			refuse("PROOF: /state/potions/%zu: expected 0, 1 or 2", i);
		proof->state.collectibles[i] = (uint8_t)json_integer_value(count);
	}
}

static void read_proof(const char *path, struct proof *proof)
{
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *bet;
	const struct currency *currency;
	const char *code;

	if (!json_is_object(root))
		refuse("PROOF: %s: found no JSON object (%s), expected a proof", path, error.text);
	snprintf(proof->game, sizeof(proof->game), "%s", proof_text(root, "game", true));
	bet = json_object_get(root, "bet");
	code = json_string_value(json_object_get(bet, "currency"));
	currency = code ? currency_by_code(code) : NULL;
	if (!currency)
		refuse("PROOF: /bet/currency: found '%s', expected an ISO 4217 code",
			code ? code : "nothing");
	proof->bet = (struct bet){ .currency = currency->number,
		.coin_minor = proof_number(bet, "bet", "coin_minor", GAME_COIN_MINOR_MAX),
		.lines = proof_number(bet, "bet", "lines", GAME_LINES_MAX),
		.coins = proof_number(bet, "bet", "coins", GAME_LINE_COINS_MAX) };
	proof_hex(root, "secret", proof->secret, KEY_BYTES, KEY_BYTES);
	proof->has_digest = proof_text(root, "digest", false) != NULL;
	if (proof->has_digest)
		proof_hex(root, "digest", proof->digest, KEY_BYTES, KEY_BYTES);
	proof->nonce_length = proof_hex(root, "nonce", proof->nonce, 16, NONCE_MAX);
	proof->has_hash = proof_text(root, "secret_hash", false) != NULL;
	if (proof->has_hash)
		proof_hex(root, "secret_hash", proof->secret_hash, KEY_BYTES, KEY_BYTES);
	proof->has_version = proof_text(root, "math_version", false) != NULL;
	if (proof->has_version)
		proof_hex(root, "math_version", proof->math_version, KEY_BYTES, KEY_BYTES);
	read_state(root, proof);
	json_decref(root);
}

/* The bet names its mode by id. */
static uint32_t mode_of(const char *path, const struct game *game)
{
	json_t *root = json_load_file(path, 0, NULL);
	const json_t *mode = json_object_get(json_object_get(root, "bet"), "mode");
	const char *id = mode ? json_string_value(mode) : "base";
	uint32_t index = 0;

	while (index < game->mode_count && (!id || strcmp(id, game->mode[index].id) != 0))
		index++;
	if (index == game->mode_count)
		refuse("PROOF: /bet/mode: found '%s', expected the id of a mode of %s",
			id ? id : "no text", game->id);
	json_decref(root);
	return index;
}

/* HMAC-SHA-256 under the secret, over the client's nonce and the purpose. */
static void stream_of(const struct proof *proof, struct rng *rng)
{
	uint8_t key[RNG_KEY_BYTES];
	struct hmac256 hmac;

	hmac256_key(&hmac, proof->secret);
	hmac256(&hmac, proof->nonce, proof->nonce_length, PURPOSE, sizeof(PURPOSE) - 1, key);
	rng_init(rng, key);
}

static json_t *phase_json(const struct game *game, const struct phase *phase)
{
	json_t *window = json_array(), *wins = json_array(), *draws = json_array();
	char text[DRAW_TEXT_MAX];

	for (uint32_t i = 0; i < game->reels * game->rows; i++)
		json_array_append_new(window, json_string(game->symbol[phase->window[i]].id));
	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *item = &phase->win[i];

		json_array_append_new(
			wins, json_pack("{s:s, s:s, s:i, s:i, s:i, s:I}", "what",
				      win_what_text((enum win_what)item->what), "symbol",
				      game->symbol[item->symbol].id, "count", item->count, "line",
				      item->line, "multiplier", (int)item->multiplier, "amount",
				      (json_int_t)item->amount.minor));
	}
	for (uint32_t i = 0; i < phase->draw_count; i++)
		json_array_append_new(draws,
			json_pack("{s:s, s:I, s:I}", "meaning", draw_text(&phase->draw[i], text),
				"below", (json_int_t)phase->draw[i].below, "value",
				(json_int_t)phase->draw[i].value));
	return json_pack("{s:i, s:s, s:o, s:o, s:o, s:I}", "index", (int)phase->index, "kind",
		phase_kind_text(phase->kind), "window", window, "wins", wins, "draws", draws, "win",
		(json_int_t)phase->win_total.minor);
}

static void play(
	const struct game *game, const struct proof *proof, struct round_sum *sum, json_t *phases)
{
	struct round_summing summing;
	struct round round;
	struct phase phase;
	struct rng rng;

	stream_of(proof, &rng);
	if (round_begin(game, &proof->bet, &proof->state, &rng, &round) != ROUND_OK)
		refuse("PROOF: /bet: found a bet that %s does not offer", game->id);
	round_sum_begin(&summing, round.stake);
	while (round_next(&round, &phase) == ROUND_OK) {
		if (!round_sum_add(&summing, &phase))
			refuse("PROOF: /bet: found a win beyond 63 bits");
		json_array_append_new(phases, phase_json(game, &phase));
	}
	round_sum_end(&summing, sum);
}

/* "result digest 12ab..: agrees with the proof" */
static void print_check(const char *what, bool given, bool good)
{
	printf("%s: %s\n", what,
		!given ? "not in the proof"
		: good ? "agrees with the proof"
		       : "DIFFERS from the proof");
}

/* Do all three values agree with the proof, as far as it gives them? */
static bool report(const struct options *options, const struct game *game,
	const struct proof *proof, const struct round_sum *sum, json_t *phases)
{
	uint8_t hash[KEY_BYTES];
	char text[sizeof("result digest ") + (size_t)2 * KEY_BYTES],
		*hex = text + strlen("result digest ");
	struct sha256 sha;
	bool digest, promise, version;

	sha256_begin(&sha);
	sha256_add(&sha, proof->secret, KEY_BYTES);
	sha256_end(&sha, hash);
	digest = !proof->has_digest || memcmp(sum->digest, proof->digest, KEY_BYTES) == 0;
	promise = !proof->has_hash || memcmp(hash, proof->secret_hash, KEY_BYTES) == 0;
	version = !proof->has_version || memcmp(game->digest, proof->math_version, KEY_BYTES) == 0;
	strcpy(text, "result digest ");
	hex_text(sum->digest, KEY_BYTES, hex);
	if (options->json) {
		json_print(json_pack("{s:s, s:s, s:b, s:b, s:b, s:I, s:I, s:i, s:O}", "game",
			game->id, "digest", hex, "digest_matches", digest,
			"secret_matches_its_hash", promise, "math_version_matches", version,
			"stake", (json_int_t)sum->stake.minor, "win",
			(json_int_t)sum->win_total.minor, "jackpot_hits", (int)sum->jackpot_hits,
			"phases", phases));
	} else {
		printf("%s: stake %lld, win %lld, %u phases, %u jackpot hits\n", game->id,
			(long long)sum->stake.minor, (long long)sum->win_total.minor, sum->phases,
			sum->jackpot_hits);
		print_check(text, proof->has_digest, digest);
		print_check("hash of the secret", proof->has_hash, promise);
		print_check("math version", proof->has_version, version);
	}
	return digest && promise && version;
}

int command_replay(const struct options *options)
{
	struct proof proof = { .game = "" };
	struct round_sum sum;
	json_t *phases = json_array();
	struct game *game;
	bool good;

	read_proof(options->subject, &proof);
	game = game_open(options, proof.game);
	proof.bet.mode = mode_of(options->subject, game);
	play(game, &proof, &sum, phases);
	good = report(options, game, &proof, &sum, phases);
	json_decref(phases);
	game_release(&game);
	return good ? 0 : SLOTMATH_EXIT_OUT_OF_BAND;
}
