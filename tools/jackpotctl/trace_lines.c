#include "tools/jackpotctl/trace_lines.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SOURCES_MAX 512
#define PATH_ROOM 4400
#define WHY_MAX 256
#define FIELD_TRACE "\"trace\":\""

/* The files, open: a round is looked for twice, first its traces and then their lines. */
struct sources {
	FILE *file[SOURCES_MAX];
	size_t n;
};

/* ---- what to look for ---- */

static bool is_id(const char *text)
{
	return strlen(text) == TRACE_ID_DIGITS &&
	       strspn(text, "0123456789abcdef") == TRACE_ID_DIGITS;
}

bool trace_sought_read(const char *text, struct trace_sought *sought_r)
{
	char player[PLAYER_TEXT_MAX];
	const char *slash = strchr(text, '/');
	char *end;

	memset(sought_r, 0, sizeof(*sought_r));
	if (is_id(text)) {
		memcpy(sought_r->id, text, sizeof(sought_r->id));
		return true;
	}
	if (slash == NULL || (size_t)(slash - text) >= sizeof(player) || slash[1] < '1' ||
		slash[1] > '9')
		return false;
	(void)snprintf(player, sizeof(player), "%.*s", (int)(slash - text), text);
	errno = 0;
	sought_r->subject.round = strtoll(slash + 1, &end, 10);
	sought_r->by_round = true;
	return errno == 0 && *end == '\0' && player_id_parse(player, &sought_r->subject.player);
}

/* ---- files ---- */

static bool wrong(char *why, const char *what, const char *path)
{
	(void)snprintf(why, WHY_MAX, "%s %.150s: %s", what, path, strerror(errno));
	return false;
}

/* A pipe cannot be read twice. */
static FILE *copied(FILE *from)
{
	char bytes[65536];
	FILE *to = tmpfile();
	size_t n;

	while (to != NULL && (n = fread(bytes, 1, sizeof(bytes), from)) > 0) {
		if (fwrite(bytes, 1, n, to) != n) {
			(void)fclose(to);
			return NULL;
		}
	}
	return to;
}

static bool is_file(const char *path)
{
	struct stat at;

	return stat(path, &at) == 0 && S_ISREG(at.st_mode);
}

static bool sources_open(const char *folder, struct sources *sources, char *why)
{
	struct dirent **names;
	int n;

	if (strcmp(folder, "-") == 0) {
		sources->file[sources->n++] = copied(stdin);
		return sources->file[0] != NULL || wrong(why, "standard input", "cannot be kept");
	}
	n = scandir(folder, &names, NULL, alphasort);
	if (n < 0)
		return wrong(why, "cannot read the folder", folder);
	bool good = true;
	for (int i = 0; i < n; i++) {
		char path[PATH_ROOM];
		(void)snprintf(path, sizeof(path), "%.4000s/%.255s", folder, names[i]->d_name);
		free(names[i]);
		if (!good || !is_file(path) || sources->n == SOURCES_MAX)
			continue;
		sources->file[sources->n] = fopen(path, "re");
		good = sources->file[sources->n] != NULL || wrong(why, "cannot read", path);
		if (good)
			sources->n++;
	}
	free(names);
	return good;
}

static void sources_close(struct sources *sources)
{
	for (size_t i = 0; i < sources->n; i++)
		if (sources->file[i] != NULL)
			(void)fclose(sources->file[i]);
}

typedef void line_function(void *context, const char *line);

static void sources_walk(struct sources *sources, line_function *function, void *context)
{
	char *line = NULL;
	size_t room = 0;

	for (size_t i = 0; i < sources->n; i++) {
		rewind(sources->file[i]);
		while (getline(&line, &room, sources->file[i]) > 0)
			function(context, line);
	}
	free(line);
}

/* ---- lines ---- */

/* NULL: the line is not one of a service. */
static json_t *parsed(const char *line)
{
	const char *brace = strchr(line, '{');
	json_t *json = brace == NULL ? NULL : json_loads(brace, JSON_DISABLE_EOF_CHECK, NULL);

	if (json != NULL && json_is_string(json_object_get(json, "time")) &&
		json_is_string(json_object_get(json, "message")))
		return json;
	json_decref(json);
	return NULL;
}

const char *trace_text(const struct trace_line *line, const char *name)
{
	const char *text = json_string_value(json_object_get(line->json, name));

	return text == NULL ? "" : text;
}

int64_t trace_number(const struct trace_line *line, const char *name)
{
	return json_integer_value(json_object_get(line->json, name));
}

static int64_t time_of(const char *text)
{
	struct tm tm = { 0 };
	int us = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%6dZ", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		    &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us) != 7)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (int64_t)timegm(&tm) * 1000000 + us;
}

static bool knows(const struct trace_lines *lines, const char *id)
{
	for (size_t i = 0; i < lines->ids_n; i++)
		if (strncmp(lines->id[i], id, TRACE_ID_DIGITS) == 0)
			return true;
	return false;
}

static void add_id(struct trace_lines *lines, const char *id)
{
	if (!is_id(id) || knows(lines, id))
		return;
	lines->more = lines->more || lines->ids_n == TRACES_MAX;
	if (lines->ids_n < TRACES_MAX)
		memcpy(lines->id[lines->ids_n++], id, TRACE_ID_DIGITS + 1);
}

/* The first pass for a round. */
struct round_search {
	char player[PLAYER_TEXT_MAX + 16], round[48];
	const struct trace_subject *subject;
	struct trace_lines *lines;
};

static void line_of_round(void *context, const char *line)
{
	struct round_search *search = context;
	struct trace_line found = { 0 };
	player_id player;

	if (strstr(line, search->player) == NULL || strstr(line, search->round) == NULL)
		return;
	found.json = parsed(line);
	if (found.json == NULL)
		return;
	if (player_id_parse(trace_text(&found, "player"), &player) &&
		player == search->subject->player &&
		trace_number(&found, "round") == search->subject->round)
		add_id(search->lines, trace_text(&found, "trace"));
	json_decref(found.json);
}

static void ids_of_round(
	struct sources *sources, const struct trace_subject *subject, struct trace_lines *lines)
{
	struct round_search search = { .subject = subject, .lines = lines };
	char player[PLAYER_TEXT_MAX];

	player_id_format(subject->player, player);
	(void)snprintf(search.player, sizeof(search.player), "\"player\":\"%s\"", player);
	(void)snprintf(search.round, sizeof(search.round), "\"round\":%" PRId64, subject->round);
	sources_walk(sources, line_of_round, &search);
}

static void keep(struct trace_lines *lines, json_t *json)
{
	if (lines->n == lines->room) {
		lines->room = lines->room == 0 ? 64 : 2 * lines->room;
		lines->line = realloc(lines->line, lines->room * sizeof(*lines->line));
		if (lines->line == NULL) {
			fputs("jackpotctl: out of memory\n", stderr);
			exit(2);
		}
	}
	struct trace_line *line = &lines->line[lines->n];
	*line = (struct trace_line){ .json = json, .order = lines->n };
	line->at_us = time_of(trace_text(line, "time"));
	lines->n++;
}

static void line_of_trace(void *context, const char *line)
{
	struct trace_lines *lines = context;
	const char *at = strstr(line, FIELD_TRACE);
	json_t *json;

	if (at == NULL || !knows(lines, at + strlen(FIELD_TRACE)))
		return;
	json = parsed(line);
	if (json != NULL)
		keep(lines, json);
}

static int by_time(const void *first, const void *second)
{
	const struct trace_line *a = first, *b = second;

	if (a->at_us != b->at_us)
		return a->at_us < b->at_us ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

bool trace_lines_read(const char *folder, const struct trace_sought *sought,
	struct trace_lines *lines_r, char *why_r)
{
	struct sources sources = { .n = 0 };
	bool good;

	memset(lines_r, 0, sizeof(*lines_r));
	good = sources_open(folder, &sources, why_r);
	if (good) {
		if (sought->by_round)
			ids_of_round(&sources, &sought->subject, lines_r);
		else
			add_id(lines_r, sought->id);
		sources_walk(&sources, line_of_trace, lines_r);
		if (lines_r->n > 0)
			qsort(lines_r->line, lines_r->n, sizeof(*lines_r->line), by_time);
	}
	sources_close(&sources);
	return good;
}

void trace_lines_free(struct trace_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		json_decref(lines->line[i].json);
	free(lines->line);
	memset(lines, 0, sizeof(*lines));
}

/* ---- what they are about ---- */

static bool is_there(const struct trace_subject *out, size_t n, const struct trace_subject *one)
{
	for (size_t i = 0; i < n; i++)
		if (out[i].player == one->player && out[i].round == one->round &&
			out[i].seq == one->seq)
			return true;
	return false;
}

size_t trace_subjects(const struct trace_lines *lines, struct trace_subject *out, size_t n,
	size_t most, bool *more_r)
{
	*more_r = false;
	for (size_t i = 0; i < lines->n && !*more_r; i++) {
		const struct trace_line *line = &lines->line[i];
		struct trace_subject one = { .round = trace_number(line, "round") };
		if (one.round == 0)
			one.seq = trace_number(line, "seq");
		if ((one.round == 0 && one.seq == 0) ||
			!player_id_parse(trace_text(line, "player"), &one.player) ||
			is_there(out, n, &one))
			continue;
		if (n < most)
			out[n++] = one;
		else
			*more_r = true;
	}
	return n;
}
