/* The parser of the supervisor's set-up. */
#include "tools/carillon-supervisor/config.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct reader {
	struct sup_config_error *error;
	unsigned line;
	const char *at;
	const char *end; /* of the line */
};

__attribute__((format(printf, 2, 3))) static enum sup_config_status refuse(
	const struct reader *reader, const char *format, ...)
{
	va_list args;

	reader->error->line = reader->line;
	va_start(args, format);
	(void)vsnprintf(reader->error->text, sizeof(reader->error->text), format, args);
	va_end(args);
	return SUP_CONFIG_REFUSED;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Reads the next word into spec->text at *used. A word of no characters means the end of the line,
 * except `""`. */
static enum sup_config_status next_word(
	struct reader *reader, struct sup_spec *spec, size_t *used, bool *found_r)
{
	bool quoted = false;
	size_t at = *used;

	while (reader->at < reader->end && is_blank(*reader->at))
		reader->at++;
	*found_r = reader->at < reader->end;
	for (; reader->at < reader->end && (quoted || !is_blank(*reader->at)); reader->at++) {
		char c = *reader->at;

		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (c == '\0')
			return refuse(reader, "found a zero byte, expected text");
		if (quoted && c == '\\') {
			if (reader->at + 1 == reader->end ||
				(reader->at[1] != '"' && reader->at[1] != '\\'))
				return refuse(reader,
					"found a backslash in quotes, expected \\\" or \\\\");
			c = *++reader->at;
		}
		if (at + 2 > sizeof(spec->text))
			return refuse(reader, "found a line longer than %d bytes", SUP_LINE_MAX);
		spec->text[at++] = c;
	}
	if (quoted)
		return refuse(reader, "found no closing \" before the end of the line");
	if (*found_r) {
		if (at + 1 > sizeof(spec->text))
			return refuse(reader, "found a line longer than %d bytes", SUP_LINE_MAX);
		spec->text[at++] = '\0';
	}
	*used = at;
	return SUP_CONFIG_OK;
}

static enum sup_config_status parse_number(const struct reader *reader, const char *key,
	const char *value, unsigned max, unsigned *number_r)
{
	unsigned number = 0;
	const char *c;

	for (c = value; *c >= '0' && *c <= '9' && number <= max; c++)
		number = number * 10 + (unsigned)(*c - '0');
	if (c == value || *c != '\0' || number > max)
		return refuse(reader, "%s: found '%.40s', expected a whole number from 0 to %u",
			key, value, max);
	*number_r = number;
	return SUP_CONFIG_OK;
}

static enum sup_config_status parse_signal(
	const struct reader *reader, const char *value, int *signal_r)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = { { "TERM", SIGTERM }, { "INT", SIGINT }, { "QUIT", SIGQUIT } };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (strcmp(signals[i].name, value) == 0) {
			*signal_r = signals[i].number;
			return SUP_CONFIG_OK;
		}
	return refuse(reader, "signal: found '%.40s', expected TERM, INT or QUIT", value);
}

/* Nobody is given to root, which is 0. */
static enum sup_config_status parse_id(
	const struct reader *reader, const char *key, const char *value, unsigned *id_r)
{
	enum sup_config_status status = parse_number(reader, key, value, SUP_ID_MAX, id_r);

	if (status == SUP_CONFIG_OK && *id_r == 0)
		return refuse(reader, "%s: found 0, expected a number from 1", key);
	return status;
}

static enum sup_config_status take_group(
	const struct reader *reader, struct sup_spec *spec, const char *value)
{
	if (spec->group_count == SUP_GROUPS_MAX)
		return refuse(reader, "found more than %d groups", SUP_GROUPS_MAX);
	return parse_id(reader, "group", value, &spec->group[spec->group_count++]);
}

static bool is_variable(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isupper((unsigned char)word[i]) && word[i] != '_' &&
			(i == 0 || !isdigit((unsigned char)word[i])))
			return false;
	return len > 0;
}

/* A word between name and ':': an option in lower case, or a variable in capitals. */
static enum sup_config_status take_option(
	const struct reader *reader, struct sup_spec *spec, uint16_t offset)
{
	const char *word = spec->text + offset;
	const char *equals = strchr(word, '=');
	const char *value = equals == NULL ? NULL : equals + 1;
	size_t len = equals == NULL ? 0 : (size_t)(equals - word);

	if (equals != NULL && len == 5 && memcmp(word, "order", len) == 0)
		return parse_number(reader, "order", value, SUP_ORDER_MAX, &spec->order);
	if (equals != NULL && len == 8 && memcmp(word, "grace_ms", len) == 0)
		return parse_number(reader, "grace_ms", value, SUP_MS_MAX, &spec->grace_ms);
	if (equals != NULL && len == 10 && memcmp(word, "backoff_ms", len) == 0)
		return parse_number(reader, "backoff_ms", value, SUP_MS_MAX, &spec->backoff_ms);
	if (equals != NULL && len == 6 && memcmp(word, "signal", len) == 0)
		return parse_signal(reader, value, &spec->stop_signal);
	if (equals != NULL && len == 4 && memcmp(word, "user", len) == 0)
		return parse_id(reader, "user", value, &spec->user);
	if (equals != NULL && len == 5 && memcmp(word, "group", len) == 0)
		return take_group(reader, spec, value);
	if (equals == NULL || !is_variable(word, len))
		return refuse(reader,
			"found '%.60s', expected order=, signal=, grace_ms=, backoff_ms=, user=, "
			"group=, VARIABLE=value, or ':' and the command",
			word);
	if (spec->env_count == SUP_ENV_MAX)
		return refuse(reader, "found more than %d variables", SUP_ENV_MAX);
	spec->env[spec->env_count++] = offset;
	return SUP_CONFIG_OK;
}

static enum sup_config_status take_name(
	const struct reader *reader, const struct sup_config *config, struct sup_spec *spec)
{
	const char *word = spec->text;
	size_t len = strlen(word);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)word[i]) && (strchr("-_.", word[i]) == NULL || i == 0))
			return refuse(reader,
				"found the name '%.60s', expected letters, digits, '-', '_' and "
				"'.', a letter or digit first",
				word);
	if (len == 0 || len >= sizeof(spec->name))
		return refuse(reader, "found a name of %zu bytes, expected 1 to %d", len,
			SUP_NAME_MAX - 1);
	memcpy(spec->name, word, len + 1);
	for (unsigned i = 0; i < config->count; i++)
		if (strcmp(config->program[i].name, spec->name) == 0)
			return refuse(reader, "found the name '%s' twice, expected it once", word);
	return SUP_CONFIG_OK;
}

/* The words after the name. */
static enum sup_config_status parse_words(struct reader *reader, struct sup_spec *spec, size_t used)
{
	bool in_command = false;

	for (;;) {
		uint16_t offset = (uint16_t)used;
		bool found;
		enum sup_config_status status = next_word(reader, spec, &used, &found);

		if (status != SUP_CONFIG_OK)
			return status;
		if (!found)
			break;
		if (!in_command && strcmp(spec->text + offset, ":") == 0) {
			in_command = true;
		} else if (!in_command) {
			status = take_option(reader, spec, offset);
			if (status != SUP_CONFIG_OK)
				return status;
		} else if (spec->arg_count == SUP_ARGS_MAX) {
			return refuse(
				reader, "found more than %d words in the command", SUP_ARGS_MAX);
		} else {
			spec->arg[spec->arg_count++] = offset;
		}
	}
	if (spec->group_count > 0 && spec->user == 0)
		return refuse(reader, "%s: found group= without user=, expected both", spec->name);
	if (spec->arg_count == 0)
		return refuse(
			reader, "%s: found no command, expected ':' and a command", spec->name);
	return SUP_CONFIG_OK;
}

static enum sup_config_status parse_line(struct reader *reader, struct sup_config *config)
{
	struct sup_spec *spec;
	size_t used = 0;
	bool found;
	enum sup_config_status status;

	while (reader->at < reader->end && is_blank(*reader->at))
		reader->at++;
	if (reader->at == reader->end || *reader->at == '#')
		return SUP_CONFIG_OK;
	if (config->count == SUP_PROGRAMS_MAX)
		return refuse(reader, "found more than %d programs", SUP_PROGRAMS_MAX);
	spec = &config->program[config->count];
	memset(spec, 0, sizeof(*spec));
	spec->order = 50;
	spec->stop_signal = SIGTERM;
	spec->grace_ms = SUP_GRACE_MS_DEFAULT;
	spec->backoff_ms = SUP_BACKOFF_MS_DEFAULT;
	status = next_word(reader, spec, &used, &found);
	if (status == SUP_CONFIG_OK)
		status = take_name(reader, config, spec);
	if (status == SUP_CONFIG_OK)
		status = parse_words(reader, spec, used);
	if (status == SUP_CONFIG_OK)
		config->count++;
	return status;
}

enum sup_config_status sup_config_parse(
	const char *text, size_t len, struct sup_config *config_r, struct sup_config_error *error_r)
{
	const char *end = text + len;
	struct reader reader = { .error = error_r, .line = 0 };

	config_r->count = 0;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		enum sup_config_status status;

		reader.line++;
		reader.at = text;
		reader.end = newline == NULL ? end : newline;
		text = newline == NULL ? end : newline + 1;
		status = parse_line(&reader, config_r);
		if (status != SUP_CONFIG_OK)
			return status;
	}
	reader.line = 0;
	if (config_r->count == 0)
		return refuse(&reader, "found no program, expected at least one");
	return SUP_CONFIG_OK;
}

const char *sup_spec_word(const struct sup_spec *spec, uint16_t offset)
{
	return spec->text + offset;
}
