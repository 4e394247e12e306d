#include "services/spin-engine/adapters/games.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "libcommon/game/definition_load.h"
#include "services/spin-engine/core/player.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
	struct game *game;
	char *canonical;
};

struct games {
	bool demo;	/* demo definitions may be played */
	uint32_t flags; /* from the loader */
	size_t count, old_count;
	struct entry entry[GAMES_MAX];
	struct game *old[GAMES_OLD_MAX];
};

/* The text whose SHA-256 is the math version. */
static char *canonical_of(const char *path, const struct game *game)
{
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	uint8_t digest[GAME_DIGEST_BYTES];

	json_decref(json);
	if (!text)
		fatal("%s: cannot read the file again", path);
	crypto_hash_sha256(digest, (const unsigned char *)text, strlen(text));
	if (memcmp(digest, game->digest, sizeof(digest)) != 0)
		fatal("%s: the file changed while it was read", path);
	return text;
}

static void check_bounds(const char *path, const struct game *game)
{
	if (game->gamble.offered && game->gamble.attempts_max > PLAYER_GAMBLES_MAX)
		fatal("%s: /gamble: found %" PRIu32
		      " attempts, expected at most %d: a record has room for no more",
			path, game->gamble.attempts_max, PLAYER_GAMBLES_MAX);
}

static void load_one(struct games *games, const char *path, const char *id)
{
	struct game *game = malloc(sizeof(*game));
	char error[DEFINITION_ERROR_MAX];

	if (!game)
		fatal("no memory for a game");
	if (definition_load_flags(path, games->flags, game, error) != DEFINITION_OK)
		fatal("%s", error);
	if (strcmp(game->id, id) != 0)
		fatal("%s: /id: found \"%s\", expected \"%s\", the name of its folder", path,
			game->id, id);
	check_bounds(path, game);
	if (games->count == GAMES_MAX)
		fatal("%s: found more than %d games", path, GAMES_MAX);
	if (games_by_number(games, game->number))
		fatal("%s: /number: found %" PRIu32
		      ", which another game has, expected another number",
			path, game->number);
	games->entry[games->count++] = (struct entry){ game, canonical_of(path, game) };
	log_info("game %s number %" PRIu32 " version %" PRIu32 "%s", game->id, game->number,
		game->version, game->demo ? " (demo)" : "");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

struct games *games_load(const char *folder, bool demo, bool simulated)
{
	struct games *games = calloc(1, sizeof(*games));
	char names[GAMES_MAX][GAME_ID_MAX], path[1200];
	size_t count = 0;
	DIR *dir = opendir(folder);
	struct dirent *item;

	if (!games || !dir)
		fatal("CARILLON_GAMES: cannot read the folder %s", folder);
	while ((item = readdir(dir)) != NULL && count < GAMES_MAX) {
		snprintf(path, sizeof(path), "%s/%.200s/definition.json", folder, item->d_name);
		if (item->d_name[0] != '.' && strlen(item->d_name) < GAME_ID_MAX &&
			access(path, R_OK) == 0)
			snprintf(names[count++], GAME_ID_MAX, "%.31s", item->d_name);
	}
	closedir(dir);
	games->demo = demo;
	games->flags = simulated ? DEFINITION_SIMULATED : 0;
	qsort(names, count, GAME_ID_MAX, by_name);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/definition.demo.json", folder, names[i]);
		if (!demo || access(path, R_OK) != 0)
			snprintf(path, sizeof(path), "%s/%s/definition.json", folder, names[i]);
		load_one(games, path, names[i]);
		if (!demo && games->entry[games->count - 1].game->demo)
			fatal("%s: /demo: found true, expected false on a live installation", path);
	}
	if (games->count == 0)
		fatal("CARILLON_GAMES: %s holds no <id>/definition.json", folder);
	return games;
}

static void forget(struct game *game)
{
	definition_free(game);
	free(game);
}

void games_free(struct games **games)
{
	for (size_t i = 0; i < (*games)->count; i++) {
		forget((*games)->entry[i].game);
		free((*games)->entry[i].canonical);
	}
	for (size_t i = 0; i < (*games)->old_count; i++)
		forget((*games)->old[i]);
	free(*games);
	*games = NULL;
}

static void hex_of(const uint8_t digest[GAME_DIGEST_BYTES], char out[2 * GAME_DIGEST_BYTES + 3])
{
	out[0] = '\\';
	out[1] = 'x';
	sodium_bin2hex(out + 2, 2 * GAME_DIGEST_BYTES + 1, digest, GAME_DIGEST_BYTES);
}

bool games_behind(const struct games *games, PGconn *conn, const char *id)
{
	const struct game *own = games_by_id(games, id);
	const char *const parameters[] = { id, games->demo ? "true" : "false" };
	PGresult *result = pg_query(conn,
		"select math_version from carillon.game where id = $1 and ($2::boolean or not demo)"
		" order by demo desc, first_seen desc limit 1",
		2, parameters);
	bool behind = false;

	if (PQntuples(result) == 1) {
		size_t length;
		uint8_t *digest = pg_bytea(result, 0, 0, &length);

		behind = !own || length != GAME_DIGEST_BYTES ||
			 memcmp(own->digest, digest, length) != 0;
		PQfreemem(digest);
	}
	PQclear(result);
	return behind;
}

/* This host's files are older than the announced definition, or an older file was restored without
 * a new version. Commands that only the announced definition accepts get the fault "not yet". */
static void warn_outdated_files(const struct games *games, PGconn *conn)
{
	for (size_t i = 0; i < games->count; i++)
		if (games_behind(games, conn, games->entry[i].game->id))
			log_warn_as("engine.game.differs",
				"game %s: found version %" PRIu32
				" here, but carillon.game announces a different definition",
				games->entry[i].game->id, games->entry[i].game->version);
}

void games_register(const struct games *games, PGconn *conn)
{
	char number[16], digest[2 * GAME_DIGEST_BYTES + 3];

	for (size_t i = 0; i < games->count; i++) {
		const struct game *game = games->entry[i].game;
		const char *const parameters[] = { number, game->id, digest,
			game->demo ? "true" : "false", games->entry[i].canonical };

		snprintf(number, sizeof(number), "%" PRIu32, game->number);
		hex_of(game->digest, digest);
		PQclear(pg_query(conn,
			"insert into carillon.game (number, id, math_version, demo, definition)"
			" values ($1, $2, $3, $4, $5) on conflict do nothing",
			5, parameters));
	}
	warn_outdated_files(games, conn);
}

size_t games_count(const struct games *games)
{
	return games->count;
}

const struct game *games_at(const struct games *games, size_t at)
{
	return games->entry[at].game;
}

const struct game *games_by_id(const struct games *games, const char *id)
{
	for (size_t i = 0; i < games->count; i++)
		if (strcmp(games->entry[i].game->id, id) == 0)
			return games->entry[i].game;
	return NULL;
}

const struct game *games_by_number(const struct games *games, uint32_t number)
{
	for (size_t i = 0; i < games->count; i++)
		if (games->entry[i].game->number == number)
			return games->entry[i].game;
	return NULL;
}

static const struct game *keep_old(struct games *games, struct game *game)
{
	if (games->old_count == GAMES_OLD_MAX) /* callers keep no pointer beyond a turn */
		forget(games->old[--games->old_count]);
	games->old[games->old_count++] = game;
	return game;
}

const struct game *games_by_digest(
	struct games *games, PGconn *conn, uint32_t number, const uint8_t digest[GAME_DIGEST_BYTES])
{
	const struct game *now = games_by_number(games, number);
	char number_text[16], digest_text[2 * GAME_DIGEST_BYTES + 3], error[DEFINITION_ERROR_MAX];
	const char *const parameters[] = { number_text, digest_text };
	struct game *game = NULL;
	PGresult *result;

	if (now && memcmp(now->digest, digest, GAME_DIGEST_BYTES) == 0)
		return now;
	for (size_t i = 0; i < games->old_count; i++)
		if (memcmp(games->old[i]->digest, digest, GAME_DIGEST_BYTES) == 0)
			return games->old[i];
	snprintf(number_text, sizeof(number_text), "%" PRIu32, number);
	hex_of(digest, digest_text);
	result = pg_query(conn,
		"select definition from carillon.game where number = $1 and math_version = $2", 2,
		parameters);
	if (PQntuples(result) == 1)
		game = malloc(sizeof(*game));
	/* its return was proved when it was offered */
	if (game &&
		definition_parse_flags("carillon.game", PQgetvalue(result, 0, 0),
			(size_t)PQgetlength(result, 0, 0),
			DEFINITION_UNPROVEN | DEFINITION_SIMULATED, game, error) != DEFINITION_OK) {
		log_error_as("engine.definition.unreadable",
			"an older definition of game %" PRIu32 ": %s", number, error);
		free(game);
		game = NULL;
	}
	PQclear(result);
	if (!game) {
		log_error_as("engine.definition.missing",
			"game %" PRIu32 ": definition %s is not in carillon.game", number,
			digest_text);
		return NULL;
	}
	return keep_old(games, game);
}
