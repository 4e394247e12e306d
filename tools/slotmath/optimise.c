/* slotmath optimise: runs a search and writes the definition it finds. */
#include "libcommon/io/clock.h"
#include "libcommon/game/definition_load.h"
#include "tools/slotmath/commands.h"
#include "libcommon/game/rational.h"
#include "tools/slotmath/progress.h"
#include "tools/slotmath/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void paths_of(const struct options *options, char *definition, char *search, size_t size)
{
	const char *subject = options->subject;
	bool file = strchr(subject, '/') != NULL;
	int length;

	if (file)
		snprintf(definition, size, "%s", subject);
	else
		snprintf(definition, size, "%s/%s/definition.json", options->games, subject);
	if (options->input[0]) {
		snprintf(search, size, "%s", options->input);
		return;
	}
	length = (int)(strrchr(definition, '/') - definition);
	snprintf(search, size, "%.*s/search.json", length, definition);
}

static json_t *load(const char *path)
{
	json_error_t error;
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *member;
	json_t *stages = json_object_get(json, "stages");
	const char *name;

	if (!json) {
		char line[24] = "";

		if (error.line > 0)
			snprintf(line, sizeof(line), ":%d", error.line);
		refuse("%s%s: found %s, expected a search file; docs/mathematics.md describes it",
			path, line, error.text);
	}
	if (!json_is_array(stages))
		refuse("%s: /stages: found %s, expected an array, as docs/mathematics.md "
		       "describes it",
			path, stages ? "another type" : "nothing");
	json_object_foreach(
		json, name, member) if (strcmp(name, "stages") != 0 && strcmp(name, "seed") != 0)
		refuse("%s: /%s: found an unknown member, expected seed and stages", path, name);
	return json;
}

/* `why`: NULL if the target was reached. If the search ended with a draft that is not a valid game,
 * there are no figures to print. */
static void say_stage(
	struct draft *draft, size_t index, const struct search_stage *stage, const char *why)
{
	char error[DEFINITION_ERROR_MAX], *percent, *hits;
	mpq_t rtp, hit_rate;

	fprintf(stderr, "stage %zu, mode %s: %s", index, draft->game->mode[stage->mode].id,
		why ? why : "");
	if (why && !draft_renew(draft, error)) {
		fputs("\n", stderr);
		return;
	}
	mpq_inits(rtp, hit_rate, NULL);
	draft_return(draft, stage->mode, EXACT_ALL, rtp, hit_rate);
	percent = rational_percent(rtp, 6);
	hits = rational_percent(hit_rate, 2);
	fprintf(stderr, "%s%s %%, hit rate %s %%\n", why ? "; left at " : "", percent, hits);
	if (why && !stage->number && !interrupted())
		fputs("a solution may still exist: try another seed, a fixed number of scatters on "
		      "each reel, the setting \"astray\", or other symbol counts in \"reels\"\n",
			stderr);
	free(percent);
	free(hits);
	mpq_clears(rtp, hit_rate, NULL);
}

/* Runs one stage and prints its result in one line on stderr. */
static bool do_stage(const struct options *options, const json_t *search, size_t index,
	struct draft *draft, uint64_t seed)
{
	struct search_stage stage;
	struct progress progress;
	const char *why = "interrupted";
	bool good;

	stage_read(search, index, options, draft, &stage);
	seed = stage.has_seed && options->seed == 1 ? stage.seed : seed + index;
	progress_begin(&progress, "searching", options->quiet);
	good = stage.number ? number_search(draft, &stage, &progress, &why)
			    : strips_search(draft, &stage, seed, &progress, &why);
	progress_end(&progress);
	if (!good || !options->quiet)
		say_stage(draft, index, &stage, good ? NULL : why);
	stage_free(&stage);
	return good;
}

/* Writes the definition. The result of an unfinished search goes to a file beside the output file,
 * because the output may be the search's own input. */
static void write_definition(const struct options *options, const struct draft *draft, bool found)
{
	char path[OPTIONS_TEXT_MAX + 16];
	FILE *out = stdout;

	snprintf(path, sizeof(path), "%s%s", options->output, found ? "" : ".unfinished");
	if (options->output[0])
		out = fopen(path, "w");
	if (!out)
		refuse("--output: found '%s', expected a file that can be written", path);
	definition_write(draft->json, out);
	if (out == stdout)
		return;
	fclose(out);
	if (!found)
		fprintf(stderr, "%s is unchanged; the unfinished result is in %s\n",
			options->output, path);
}

int command_optimise(const struct options *options)
{
	char definition[2 * OPTIONS_TEXT_MAX + 32], search_path[2 * OPTIONS_TEXT_MAX + 32];
	uint64_t began = clock_mono_us(), took;
	struct draft draft;
	json_t *search;
	size_t count, done = 0;
	uint64_t seed;

	paths_of(options, definition, search_path, sizeof(definition));
	search = load(search_path);
	draft_open(&draft, definition);
	seed = (uint64_t)json_integer_value(json_object_get(search, "seed"));
	count = json_array_size(json_object_get(search, "stages"));
	while (done < count && !interrupted() &&
		do_stage(options, search, done, &draft,
			options->seed == 1 ? seed : (uint64_t)options->seed))
		done++;
	took = clock_mono_us() - began;
	if (!options->quiet && took > 0)
		fprintf(stderr, "%llu exact evaluations of lines, %.1f s, %.0f a second\n",
			(unsigned long long)draft.evaluations, (double)took / 1e6,
			(double)draft.evaluations / ((double)took / 1e6));
	write_definition(options, &draft, done == count);
	json_decref(search);
	draft_close(&draft);
	return done == count ? 0 : SLOTMATH_EXIT_OUT_OF_BAND;
}
