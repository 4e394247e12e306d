/*~ The fairness page's module. The page writes a round's file into room from fair_room, calls
 * fair_check, and reads the report at fair_report, which lasts until the next check. Its C library
 * names three functions for files, and the page gives it none that work: the module can see neither
 * the page nor the network. */
#include "libcommon/base/portable_hash.h"
#include "libcommon/fair/round_proof.h"
#include "libcommon/game/definition_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

static char *report; /* owned */
static char message[DEFINITION_ERROR_MAX + 32];
/* The last definition, which the next round often needs again. */
static char *known_text;
static struct game *known;

/* ---- what the core takes from libraries elsewhere ---- */

_Static_assert(sizeof(struct portable_sha256) <= sizeof(struct sha256), "room for the state");

static struct portable_sha256 *portable(struct sha256 *sha)
{
	return (struct portable_sha256 *)(void *)sha->state;
}

void sha256_begin(struct sha256 *sha)
{
	portable_sha256_begin(portable(sha));
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t length)
{
	portable_sha256_add(portable(sha), bytes, length);
}

void sha256_end(struct sha256 *sha, uint8_t digest_r[SHA256_BYTES])
{
	portable_sha256_end(portable(sha), digest_r);
}

/* The secret of a closed round is public. */
void sha256_wipe(void *bytes, size_t length)
{
	memset(bytes, 0, length);
}

void chacha20_stream(
	uint8_t *out, size_t bytes, const uint8_t key[CHACHA20_KEY_BYTES], uint32_t block)
{
	portable_chacha20_stream(out, bytes, key, block);
}

/* A broken invariant ends the module; the page says that the check could not be made. */
_Noreturn void __assert_fail(const char *what, const char *file, int line, const char *function)
{
	(void)what;
	(void)file;
	(void)line;
	(void)function;
	__builtin_trap();
}

/* ---- the module's functions ---- */

EXPORT("fair_room") char *fair_room(size_t bytes);
EXPORT("fair_check") int fair_check(char *text, size_t length);
EXPORT("fair_report") const char *fair_report(void);

/* Room for a text; 0: there is no memory. */
char *fair_room(size_t bytes)
{
	return malloc(bytes + 1);
}

static int failed(const char *error)
{
	snprintf(message, sizeof(message), "%s", error);
	return -1;
}

/* Takes the text. NULL: `message` says why. */
static const struct game *game_of(char *text)
{
	char error[DEFINITION_ERROR_MAX];

	if (known && strcmp(known_text, text) == 0) {
		free(text);
		return known;
	}
	if (known)
		definition_free(known);
	free(known);
	free(known_text);
	known_text = text;
	known = calloc(1, sizeof(*known));
	if (!known) {
		(void)failed("there is too little memory");
		return NULL;
	}
	if (definition_parse_unproven("/definition", text, strlen(text), known, error) ==
		DEFINITION_OK)
		return known;
	(void)failed(error);
	free(known);
	known = NULL;
	return NULL;
}

static int check(const struct round_proof *proof)
{
	char *definition = proof->definition
				   ? json_dumps(proof->definition, JSON_COMPACT | JSON_SORT_KEYS)
				   : NULL;
	const struct game *game;

	if (!definition)
		return failed("/definition: found nothing that can be read, expected the game's "
			      "definition");
	game = game_of(definition);
	if (!game)
		return -1;
	switch (round_proof_check(proof, game, &report)) {
	case ROUND_PROOF_AGREES:
		return 1;
	case ROUND_PROOF_DIFFERS:
		return 0;
	case ROUND_PROOF_NO_BET:
		return failed("/answer/round/bet: found a bet that the definition does not offer");
	case ROUND_PROOF_NO_STATE:
		return failed("/answer/round/before: found a state that no round begins with");
	case ROUND_PROOF_NO_MEMORY:
		break;
	}
	return failed("the round is too long for the memory of this browser");
}

/* Takes the text that the page wrote into fair_room. 1: all of it agrees; 0: something differs; -1:
 * it cannot be checked. fair_report then has the report, as JSON, or why it cannot be checked, as a
 * text. */
int fair_check(char *text, size_t length)
{
	struct round_proof proof;
	char error[ROUND_PROOF_ERROR_MAX];
	int verdict;

	free(report);
	report = NULL;
	if (round_proof_read(text, length, &proof, error)) {
		verdict = check(&proof);
		round_proof_free(&proof);
	} else {
		verdict = failed(error);
	}
	free(text);
	return verdict;
}

const char *fair_report(void)
{
	return report ? report : message;
}
