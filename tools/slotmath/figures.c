#include "tools/slotmath/figures.h"

#include "services/spin-engine/adapters/definition_load.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ROOT_BITS 256

/* The digits of round(value * 10^digits), with the point put in. */
static char *place_point(const mpz_t scaled, unsigned digits)
{
	char *plain = mpz_get_str(NULL, 10, scaled), *out;
	bool negative = plain[0] == '-';
	const char *figures = plain + negative;
	size_t length = strlen(figures), pad = length <= digits ? digits + 1 - length : 0;

	out = calloc(1, length + pad + 3);
	if (!out)
		refuse("memory: found none, expected a few bytes");
	sprintf(out, "%s%0*d", negative ? "-" : "", (int)pad, 0);
	if (pad == 0)
		out[negative] = 0;
	strcat(out, figures);
	if (digits > 0) {
		size_t point = strlen(out) - digits;

		memmove(out + point + 1, out + point, digits + 1);
		out[point] = '.';
	}
	free(plain);
	return out;
}

char *rational_decimals(const mpq_t value, unsigned digits)
{
	mpz_t scaled, twice;
	char *text;

	mpz_init(scaled);
	mpz_init(twice);
	mpz_ui_pow_ui(scaled, 10, digits);
	mpz_mul(scaled, scaled, mpq_numref(value));
	mpz_mul_ui(scaled, scaled, 2);
	if (mpz_sgn(scaled) < 0)
		mpz_sub(scaled, scaled, mpq_denref(value));
	else
		mpz_add(scaled, scaled, mpq_denref(value));
	mpz_mul_ui(twice, mpq_denref(value), 2);
	mpz_tdiv_q(scaled, scaled, twice);
	text = place_point(scaled, digits);
	mpz_clear(scaled);
	mpz_clear(twice);
	return text;
}

char *rational_root_decimals(const mpq_t value, const char *factor, unsigned digits)
{
	mpf_t root, times;
	mpq_t exact;
	char *text;

	mpf_init2(root, ROOT_BITS);
	mpf_init2(times, ROOT_BITS);
	mpq_init(exact);
	mpf_set_q(root, value);
	mpf_sqrt(root, root);
	mpf_set_str(times, factor, 10);
	mpf_mul(root, root, times);
	mpq_set_f(exact, root);
	text = rational_decimals(exact, digits);
	mpq_clear(exact);
	mpf_clear(root);
	mpf_clear(times);
	return text;
}

char *rational_percent(const mpq_t value, unsigned digits)
{
	mpq_t percent, hundred;
	char *text;

	mpq_init(percent);
	mpq_init(hundred);
	mpq_set_ui(hundred, 100, 1);
	mpq_mul(percent, value, hundred);
	text = rational_decimals(percent, digits);
	mpq_clear(percent);
	mpq_clear(hundred);
	return text;
}

json_t *json_decimals(const mpq_t value)
{
	char *text = rational_decimals(value, DIGITS);
	json_t *json = json_string(text);

	free(text);
	return json;
}

json_t *json_fraction(const mpq_t value)
{
	char *text = mpq_get_str(NULL, 10, value);
	json_t *json = mpz_cmp_ui(mpq_denref(value), 1) == 0 ? json_sprintf("%s/1", text)
							     : json_string(text);

	free(text);
	return json;
}

char *one_in(const mpq_t frequency, unsigned digits)
{
	mpq_t inverse;
	char *text;

	mpq_init(inverse);
	if (mpq_sgn(frequency) != 0)
		mpq_inv(inverse, frequency);
	text = rational_decimals(inverse, digits);
	mpq_clear(inverse);
	return text;
}

void hex_text(const uint8_t *bytes, size_t count, char *out)
{
	for (size_t i = 0; i < count; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

/* A subject with a slash or ".json" is a file, all else an id. */
static void path_of(const struct options *options, const char *subject, char *path, size_t size)
{
	size_t length = strlen(subject);
	bool file =
		strchr(subject, '/') || (length > 5 && strcmp(subject + length - 5, ".json") == 0);
	struct stat about;

	if (file)
		snprintf(path, size, "%s", subject);
	else
		snprintf(path, size, "%s/%s/definition.json", options->games, subject);
	if (!file && stat(path, &about) != 0)
		refuse("GAME: found '%s', expected a file, or the id of a folder in %s with a "
		       "definition.json",
			subject, options->games);
}

struct game *game_open(const struct options *options, const char *subject)
{
	struct game *game = calloc(1, sizeof(*game));
	char path[2 * OPTIONS_TEXT_MAX + 32], error[DEFINITION_ERROR_MAX];

	if (!game)
		refuse("memory: found none, expected %zu bytes", sizeof(*game));
	path_of(options, subject, path, sizeof(path));
	if (definition_load_flags(path, options->draft ? DEFINITION_UNPROVEN : 0, game, error) !=
		DEFINITION_OK)
		refuse("%s", error);
	return game;
}

void game_release(struct game **game)
{
	if (*game)
		definition_free(*game);
	free(*game);
	*game = NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

size_t games_list(const struct options *options, char ids_r[GAMES_MAX][GAME_ID_MAX])
{
	DIR *folder = opendir(options->games);
	const struct dirent *entry;
	size_t count = 0;

	if (!folder)
		refuse("--games: found '%s', expected a folder", options->games);
	while ((entry = readdir(folder)) != NULL) {
		char path[2 * OPTIONS_TEXT_MAX + 32];
		struct stat about;

		snprintf(path, sizeof(path), "%s/%.*s/definition.json", options->games,
			OPTIONS_TEXT_MAX, entry->d_name);
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= GAME_ID_MAX ||
			stat(path, &about) != 0)
			continue;
		if (count == GAMES_MAX)
			refuse("--games: found more than %d games in '%s'", GAMES_MAX,
				options->games);
		strcpy(ids_r[count++], entry->d_name);
	}
	closedir(folder);
	if (count == 0)
		refuse("--games: found no ID/definition.json in '%s', expected some",
			options->games);
	qsort(ids_r, count, sizeof(ids_r[0]), by_text);
	return count;
}

int mode_wanted(const struct options *options, const struct game *game)
{
	char known[GAME_MODES_MAX * (GAME_ID_MAX + 2) + 1] = "";

	if (!options->mode[0])
		return -1;
	for (uint32_t m = 0; m < game->mode_count; m++) {
		if (strcmp(options->mode, game->mode[m].id) == 0)
			return (int)m;
		strcat(strcat(known, m ? ", " : ""), game->mode[m].id);
	}
	refuse("--mode: found '%s', expected one of %s", options->mode, known);
}

void json_print(json_t *json)
{
	json_dumpf(json, stdout, JSON_INDENT(2));
	fputs("\n", stdout);
	json_decref(json);
}
