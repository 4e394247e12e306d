/* slotmath rng: writes the generator's stream for test batteries, or checks its known answer. The
 * bytes are the ones that rounds draw from, with keys derived from --seed. It takes a new key every
 * 2^20 bytes, so no stream is longer than in play. */
#include "libcommon/base/rng.h"
#include "libcommon/base/rng_health.h"
#include "libcommon/base/sha256.h"
#include "tools/slotmath/commands.h"
#include "libcommon/game/rational.h"
#include "tools/slotmath/games.h"
#include "tools/slotmath/progress.h"

#include <stdio.h>
#include <string.h>

#define CHUNK 65536
#define REKEY_BYTES (UINT64_C(1) << 20)
#define JSON_BYTES_MAX (1 << 24)

/* SHA-256 of "slotmath rng", the seed and the number of the stream. */
static void rekey(struct rng *rng, int64_t seed, uint64_t number)
{
	static const char purpose[] = "slotmath rng";
	uint64_t words[2] = { (uint64_t)seed, number };
	uint8_t key[RNG_KEY_BYTES];
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, purpose, sizeof(purpose) - 1);
	sha256_add(&sha, words, sizeof(words));
	sha256_end(&sha, key);
	rng_init(rng, key);
}

static int known_answer(const struct options *options)
{
	bool good = rng_known_answer();

	if (options->json)
		json_print(json_pack("{s:s, s:b}", "generator", "ChaCha20, RFC 8439", "ok", good));
	else
		printf("ChaCha20 (RFC 8439): %s\n", good ? "gives the known answer"
							 : "DIFFERS "
							   "from the known answer");
	return good ? 0 : SLOTMATH_EXIT_OUT_OF_BAND;
}

static int write_bytes(const struct options *options)
{
	uint64_t left = options->bytes ? (uint64_t)options->bytes : UINT64_MAX;
	uint8_t chunk[CHUNK];
	struct rng rng;

	for (uint64_t number = 0; left > 0 && !interrupted(); number++) {
		rekey(&rng, options->seed, number);
		for (uint64_t at = 0; at < REKEY_BYTES && left > 0; at += CHUNK) {
			size_t count = left < CHUNK ? (size_t)left : CHUNK;

			rng_bytes(&rng, chunk, count);
			if (fwrite(chunk, 1, count, stdout) != count)
				return 0; /* the battery has enough */
			left -= count;
		}
	}
	return 0;
}

/* Writes everything at once, because a JSON document must be complete. */
static int numbers_json(const struct options *options)
{
	json_t *numbers = json_array();
	int64_t left = options->bytes / 4;
	struct rng rng;

	if (options->bytes < 4 || options->bytes > JSON_BYTES_MAX)
		refuse("--bytes: found %lld, expected 4 to %d with --json (four bytes for each "
		       "number)",
			(long long)options->bytes, JSON_BYTES_MAX);
	for (uint64_t number = 0; left > 0; number++) {
		rekey(&rng, options->seed, number);
		for (uint64_t at = 0; at < REKEY_BYTES / 4 && left > 0; at++, left--)
			json_array_append_new(
				numbers, json_integer(rng_below(&rng, (uint32_t)options->below)));
	}
	json_print(json_pack("{s:I, s:I, s:o}", "seed", (json_int_t)options->seed, "below",
		(json_int_t)options->below, "numbers", numbers));
	return 0;
}

static int write_numbers(const struct options *options)
{
	uint64_t left = options->bytes ? (uint64_t)options->bytes / 4 : UINT64_MAX;
	struct rng rng;

	if (options->json)
		return numbers_json(options);
	for (uint64_t number = 0; left > 0 && !interrupted(); number++) {
		rekey(&rng, options->seed, number);
		for (uint64_t at = 0; at < REKEY_BYTES / 4 && left > 0; at++, left--)
			if (printf("%u\n", rng_below(&rng, (uint32_t)options->below)) < 0)
				return 0;
	}
	return 0;
}

int command_rng(const struct options *options)
{
	if (options->known_answer)
		return known_answer(options);
	if (options->below)
		return write_numbers(options);
	if (!options->raw)
		refuse("rng: found neither --raw, --below nor --known-answer, expected one of them");
	if (options->json)
		refuse("--json: found together with --raw, expected only one of them: raw bytes "
		       "are not JSON");
	return write_bytes(options);
}
