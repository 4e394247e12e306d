/* slotmath replay: a round again, from its file (libcommon/fair/round_proof.h). Exit status 0: all
 * that the file says of the round is so; 1: something differs. */
#include "libcommon/fair/round_proof.h"
#include "libcommon/game/definition_load.h"
#include "tools/slotmath/commands.h"
#include "tools/slotmath/games.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)256 << 20)

/* Definitions of the lines so far: the last one of each game. */
struct known {
	struct game *game;
	char *source; /* the file's name of the game, or the definition in the file */
};

struct replaying {
	const struct options *options;
	struct known known[GAMES_MAX];
	size_t count;
};

static char *file_text(const char *path, size_t *length_r)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	char *text = NULL;
	size_t room = 0;

	if (!file)
		refuse("PROOF: found no file '%s', expected a round's file", path);
	*length_r = 0;
	do {
		room = room ? 2 * room : 1 << 16;
		text = realloc(text, room + 1);
		if (!text || room > 2 * FILE_MAX)
			refuse("PROOF: %s: found more than %zu bytes", path, FILE_MAX);
		*length_r += fread(text + *length_r, 1, room - *length_r, file);
	} while (*length_r == room);
	text[*length_r] = 0;
	if (file != stdin)
		(void)fclose(file);
	return text;
}

/* A file's own definition is checked as the engine checks it, but for the return, which nobody
 * needs to know for a replay. */
static struct game *own_definition(const char *text)
{
	struct game *game = calloc(1, sizeof(*game));
	char error[DEFINITION_ERROR_MAX];

	if (!game)
		refuse("out of memory: needs %zu bytes", sizeof(*game));
	if (definition_parse_unproven("PROOF: /definition", text, strlen(text), game, error) !=
		DEFINITION_OK)
		refuse("%s", error);
	return game;
}

/* The definition in the file, or that of the game's folder. Most lines have the same again. */
static const struct game *game_of(struct replaying *replaying, const struct round_proof *proof)
{
	char *source = proof->definition
			       ? json_dumps(proof->definition, JSON_COMPACT | JSON_SORT_KEYS)
			       : strdup(proof->game);
	struct known *known = replaying->known;

	if (!source)
		refuse("out of memory");
	for (size_t i = 0; i < replaying->count; i++)
		if (strcmp(known[i].source, source) == 0) {
			free(source);
			return known[i].game;
		}
	if (replaying->count == GAMES_MAX)
		refuse("PROOF: found more than %d definitions", GAMES_MAX);
	known[replaying->count].source = source;
	known[replaying->count].game = proof->definition
					       ? own_definition(source)
					       : game_open(replaying->options, proof->game);
	return known[replaying->count++].game;
}

static const char *member(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void print_checks(const json_t *report)
{
	const json_t *checks = json_object_get(report, "checks");

	printf("%s: stake %lld, win %lld, %zu phases, %lld jackpot hits\n", member(report, "game"),
		(long long)json_integer_value(json_object_get(report, "stake")),
		(long long)json_integer_value(json_object_get(report, "win")),
		json_array_size(json_object_get(report, "phases")),
		(long long)json_integer_value(json_object_get(report, "jackpot_hits")));
	printf("result digest %s\n", member(report, "digest"));
	for (size_t i = 0; i < json_array_size(checks); i++) {
		const json_t *check = json_array_get(checks, i);
		const char *state = member(check, "state");

		if (strcmp(state, "differs") == 0)
			printf("%-10s DIFFERS at %s: found %s, expected %s\n",
				member(check, "what"), member(check, "where"),
				member(check, "found"), member(check, "expected"));
		else
			printf("%-10s %s\n", member(check, "what"),
				strcmp(state, "missing") == 0 ? "not in the file"
				: strcmp(state, "none") == 0  ? "the round had none"
							      : state);
	}
}

static void print_report(const struct options *options, const char *text)
{
	json_t *report;

	if (options->each) {
		puts(text);
		return;
	}
	report = json_loads(text, 0, NULL);
	if (options->json)
		json_print(json_incref(report));
	else
		print_checks(report);
	json_decref(report);
}

static bool replay_one(struct replaying *replaying, const char *text, size_t length)
{
	enum round_proof_status status;
	char error[ROUND_PROOF_ERROR_MAX], *report;
	struct round_proof proof;

	if (!round_proof_read(text, length, &proof, error))
		refuse("PROOF: %s", error);
	status = round_proof_check(&proof, game_of(replaying, &proof), &report);
	if (status == ROUND_PROOF_NO_BET)
		refuse("PROOF: /bet: found a bet or a mode ('%s') that the definition of %s does "
		       "not offer",
			proof.mode, proof.game);
	if (status == ROUND_PROOF_NO_STATE)
		refuse("PROOF: /state: found a state that no round of %s begins with", proof.game);
	if (status == ROUND_PROOF_NO_MEMORY)
		refuse("out of memory");
	print_report(replaying->options, report);
	free(report);
	round_proof_free(&proof);
	return status == ROUND_PROOF_AGREES;
}

static bool replay_lines(struct replaying *replaying, const char *text)
{
	bool agrees = true;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length > 0)
			agrees = replay_one(replaying, text, length) && agrees;
		text += length + (text[length] == '\n');
	}
	return agrees;
}

int command_replay(const struct options *options)
{
	struct replaying replaying = { .options = options };
	size_t length;
	char *text = file_text(options->subject, &length);
	bool agrees = options->each ? replay_lines(&replaying, text)
				    : replay_one(&replaying, text, length);

	free(text);
	for (size_t i = 0; i < replaying.count; i++) {
		free(replaying.known[i].source);
		game_release(&replaying.known[i].game);
	}
	return agrees ? 0 : SLOTMATH_EXIT_OUT_OF_BAND;
}
