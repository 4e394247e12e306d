#include "services/spin-engine/adapters/proof_games.h"

#include "libcommon/game/definition_load.h"
#include "libcommon/io/log.h"
#include "services/spin-engine/adapters/proof.h"

#include <dirent.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAGS (DEFINITION_UNPROVEN | DEFINITION_SIMULATED) /* proved when they were offered */
#define OFFERS_MAX 4096

/* A definition: text alone until a row needs it. */
struct offer {
	uint32_t number;
	uint8_t digest[GAME_DIGEST_BYTES];
	char *text; /* NULL: it was read from a trusted file, or is loaded */
	size_t length;
	struct game *game; /* NULL: not loaded */
};

struct proof_games {
	bool trusted; /* the folder's alone */
	size_t count;
	const struct offer *last; /* found last: most rows need the same again */
	struct offer offer[OFFERS_MAX];
};

struct proof_games *proof_games_new(void)
{
	struct proof_games *games = calloc(1, sizeof(*games));

	if (!games)
		fatal("no memory for definitions");
	return games;
}

void proof_games_free(struct proof_games **games)
{
	for (size_t i = 0; i < (*games)->count; i++) {
		struct offer *offer = &(*games)->offer[i];

		if (offer->game)
			definition_free(offer->game);
		free(offer->game);
		free(offer->text);
	}
	free(*games);
	*games = NULL;
}

/* ---- a trusted folder ---- */

static bool trust_file(struct proof_games *games, const char *path, char *error)
{
	struct game *game = malloc(sizeof(*game));
	char why[DEFINITION_ERROR_MAX];
	struct offer *offer = &games->offer[games->count];

	if (!game)
		fatal("no memory for a definition");
	if (games->count == OFFERS_MAX ||
		definition_load_flags(path, FLAGS, game, why) != DEFINITION_OK) {
		free(game);
		(void)snprintf(error, PROVING_ERROR_MAX, "%.200s",
			games->count == OFFERS_MAX ? "too many definitions" : why);
		return false;
	}
	games->count++;
	offer->number = game->number;
	memcpy(offer->digest, game->digest, sizeof(offer->digest));
	offer->game = game;
	return true;
}

/* Files of a game's folder; other JSON files lie there too. */
static bool is_definition(const char *name)
{
	size_t length = strlen(name);

	return strncmp(name, "definition", 10) == 0 && length > 5 &&
	       strcmp(name + length - 5, ".json") == 0;
}

static bool trust_game(struct proof_games *games, const char *folder, char *error)
{
	DIR *dir = opendir(folder);
	struct dirent *item;
	char path[1200];
	bool good = true;

	while (dir && good && (item = readdir(dir)) != NULL) {
		(void)snprintf(path, sizeof(path), "%.900s/%.250s", folder, item->d_name);
		good = !is_definition(item->d_name) || trust_file(games, path, error);
	}
	if (dir)
		closedir(dir);
	return good;
}

bool proof_games_trust(struct proof_games *games, const char *folder, char *error)
{
	DIR *dir = opendir(folder);
	struct dirent *item;
	char path[1200];
	bool good = true;

	games->trusted = true;
	while (dir && good && (item = readdir(dir)) != NULL) {
		(void)snprintf(path, sizeof(path), "%.900s/%.250s", folder, item->d_name);
		good = item->d_name[0] == '.' || trust_game(games, path, error);
	}
	if (dir)
		closedir(dir);
	if (good && games->count == 0) {
		(void)snprintf(error, PROVING_ERROR_MAX, "%.180s: found no <game>/definition*.json",
			folder);
		return false;
	}
	return good;
}

/* ---- offers ---- */

bool proof_games_offer(
	struct proof_games *games, uint32_t number, const char *text, size_t length, char *error)
{
	struct offer *offer = &games->offer[games->count];

	if (games->trusted)
		return true;
	if (length == 0) {
		(void)snprintf(error, PROVING_ERROR_MAX,
			"definition of game %" PRIu32 ": found no text, expected a definition",
			number);
		return false;
	}
	if (games->count == OFFERS_MAX) {
		(void)snprintf(error, PROVING_ERROR_MAX,
			"definition of game %" PRIu32
			": found a definition after %zu others, expected at most %d in all",
			number, games->count, OFFERS_MAX);
		return false;
	}
	offer->number = number;
	crypto_hash_sha256(offer->digest, (const unsigned char *)text, length);
	offer->text = malloc(length);
	if (!offer->text)
		fatal("no memory for a definition");
	memcpy(offer->text, text, length);
	offer->length = length;
	games->count++;
	return true;
}

/* A text that is no definition, or another game's, is as good as none. */
static void load(struct offer *offer)
{
	struct game *game = malloc(sizeof(*game));
	char error[DEFINITION_ERROR_MAX];

	if (!game)
		fatal("no memory for a definition");
	if (definition_parse_flags("definition", offer->text, offer->length, FLAGS, game, error) ==
			DEFINITION_OK &&
		game->number == offer->number &&
		memcmp(game->digest, offer->digest, sizeof(offer->digest)) == 0) {
		offer->game = game;
	} else {
		log_error_as("engine.definition.unreadable", "a definition of game %" PRIu32 ": %s",
			offer->number, error);
		free(game);
	}
	free(offer->text);
	offer->text = NULL;
}

static bool matches(const struct offer *offer, uint32_t number, const uint8_t *digest)
{
	return offer->number == number && memcmp(offer->digest, digest, GAME_DIGEST_BYTES) == 0;
}

const struct game *proof_games_find(struct proof_games *games, uint32_t number,
	const uint8_t digest[GAME_DIGEST_BYTES], char *text)
{
	if (games->last && matches(games->last, number, digest))
		return games->last->game;
	for (size_t i = 0; i < games->count; i++) {
		struct offer *offer = &games->offer[i];

		if (!matches(offer, number, digest))
			continue;
		if (offer->text)
			load(offer);
		if (!offer->game)
			continue;
		games->last = offer;
		return offer->game;
	}
	sodium_bin2hex(text, 2 * GAME_DIGEST_BYTES + 1, digest, GAME_DIGEST_BYTES);
	return NULL;
}
