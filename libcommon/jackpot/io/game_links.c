/* Reads the links of games to pools with jansson. A `struct at` knows its JSON pointer. The first
 * mistake is kept and later steps return harmless values, so readers need only one check at the
 * end. */
#include "libcommon/jackpot/io/game_links.h"

#include "libcommon/base/currency.h"
#include "libcommon/base/utf8.h"
#include "libcommon/jackpot/pool_row.h"

#include <jansson.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFINITION_MAX (1 << 20)
#define POINTER_MAX 160
#define FOUND_MAX 96

struct walk {
	const char *name;
	char *error;
	bool failed;
};

struct at {
	struct walk *walk;
	json_t *json; /* borrowed; NULL after a mistake */
	char pointer[POINTER_MAX];
};

static void describe(json_t *json, char *out)
{
	if (json == NULL) {
		(void)snprintf(out, FOUND_MAX, "nothing");
		return;
	}
	char *text = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
	(void)snprintf(out, FOUND_MAX, "%.80s%s", text != NULL ? text : "?",
		text != NULL && strlen(text) > 80 ? ".." : "");
	free(text);
}

static __attribute__((format(printf, 2, 3))) void fail(
	const struct at *at, const char *expected, ...)
{
	if (at->walk->failed)
		return;
	at->walk->failed = true;
	char found[FOUND_MAX];
	char wanted[160];
	va_list arguments;
	describe(at->json, found);
	va_start(arguments, expected);
	(void)vsnprintf(wanted, sizeof(wanted), expected, arguments);
	va_end(arguments);
	(void)snprintf(at->walk->error, GAME_LINKS_ERROR_MAX,
		"%.150s: %.150s: found %s, expected %s", at->walk->name,
		at->pointer[0] == '\0' ? "/" : at->pointer, found, wanted);
	utf8_whole(at->walk->error); /* each part may be cut */
}

static struct at below(const struct at *at, json_t *json, const char *key)
{
	struct at next = { .walk = at->walk, .json = at->walk->failed ? NULL : json };
	(void)snprintf(next.pointer, sizeof(next.pointer), "%.120s/%.36s", at->pointer, key);
	return next;
}

static struct at member(const struct at *at, const char *key)
{
	if (at->json != NULL && !json_is_object(at->json))
		fail(at, "an object");
	struct at next = below(at, json_object_get(at->json, key), key);
	if (next.json == NULL)
		fail(&next, "this member");
	return next;
}

static struct at item(const struct at *at, size_t i)
{
	char key[24];
	(void)snprintf(key, sizeof(key), "%zu", i);
	return below(at, json_array_get(at->json, i), key);
}

static int64_t integer(const struct at *at, int64_t min, int64_t max)
{
	if (!json_is_integer(at->json) || json_integer_value(at->json) < min ||
		json_integer_value(at->json) > max) {
		fail(at, "a whole number, %" PRId64 " to %" PRId64, min, max);
		return min;
	}
	return json_integer_value(at->json);
}

static bool boolean(const struct at *at)
{
	if (!json_is_boolean(at->json))
		fail(at, "true or false");
	return json_is_true(at->json);
}

static void slug(const struct at *at, char *out)
{
	const char *text = json_is_string(at->json) ? json_string_value(at->json) : "";
	size_t length = strlen(text);
	if (length < 1 || length >= GAME_LINK_ID_MAX ||
		strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_") != length)
		fail(at, "a name of 1 to %d characters of a-z, 0-9, - and _", GAME_LINK_ID_MAX - 1);
	else
		memcpy(out, text, length + 1);
}

static const struct currency *currency(const struct at *at, const char *code)
{
	const struct currency *known = currency_by_code(code);
	if (known == NULL)
		fail(at, "the code of a currency, such as EUR, as this member's name");
	return known;
}

static void read_row(const struct at *pair, const struct currency *of, int64_t rate_nano,
	int64_t base_coin_minor, struct game_link *link)
{
	struct at coin = member(pair, "coin");
	struct at seed = member(pair, "seed");
	struct game_link_row row = {
		.currency = of->number,
		.exponent = of->exponent,
		.coin_minor = integer(&coin, 1, INT32_MAX),
		.seed_minor = integer(&seed, 1, POOL_SEED_MINOR_MAX),
		.row_rate_nano = rate_nano,
	};
	if (!pool_row_share(
		    row.coin_minor, row.exponent, rate_nano, base_coin_minor, &row.share_nano))
		fail(&coin, "a coin value of at most the base coin value");
	for (uint32_t i = 0; i < link->jackpot.row_count; i++)
		if (link->jackpot.row[i].currency == row.currency &&
			link->jackpot.row[i].coin_minor == row.coin_minor)
			fail(&coin, "each coin value once");
	if (link->jackpot.row_count == GAME_LINK_ROWS_MAX)
		fail(pair, "at most %d rows in all", GAME_LINK_ROWS_MAX);
	else
		link->jackpot.row[link->jackpot.row_count++] = row;
}

static void read_rows(const struct at *rows, int64_t base_coin_minor, struct game_link *link)
{
	if (!json_is_object(rows->json) || json_object_size(rows->json) == 0)
		fail(rows, "an object with a member for each currency");
	const char *code;
	json_t *value;
	json_object_foreach(rows->json, code, value)
	{
		struct at of_currency = below(rows, value, code);
		const struct currency *known = currency(&of_currency, code);
		struct at rate = member(&of_currency, "row_rate_nano");
		struct at seeds = member(&of_currency, "seeds");
		int64_t rate_nano = integer(&rate, 1, POOL_RATE_NANO_MAX);
		if (!json_is_array(seeds.json) || json_array_size(seeds.json) == 0)
			fail(&seeds, "an array of coin values and their seeds");
		if (strcmp(code, "EUR") == 0 && rate_nano != POOL_NANO)
			fail(&rate, "1000000000: pools are kept in EUR");
		for (size_t i = 0; i < json_array_size(seeds.json) && !rows->walk->failed; i++) {
			struct at pair = item(&seeds, i);
			read_row(&pair, known, rate_nano, base_coin_minor, link);
		}
		if (rows->walk->failed)
			return;
	}
}

static void read_pool(const struct at *jackpot, struct game_link *link)
{
	struct at number = member(jackpot, "pool_number");
	struct at id = member(jackpot, "pool");
	struct at ppm = member(jackpot, "contribution_ppm");
	struct at coin = member(jackpot, "base_coin_eur_minor");
	struct at rows = member(jackpot, "rows");
	link->jackpot.pool = (uint32_t)integer(&number, 1, 65535);
	slug(&id, link->jackpot.id);
	link->jackpot.ppm = (uint32_t)integer(&ppm, 1, 1000000);
	link->jackpot.base_coin_minor = integer(&coin, 1, INT32_MAX);
	if (jackpot->walk->failed)
		return;
	read_rows(&rows, link->jackpot.base_coin_minor, link);
	int64_t sum = 0;
	for (uint32_t i = 0; i < link->jackpot.row_count; i++)
		sum += link->jackpot.row[i].share_nano;
	if (sum > POOL_NANO)
		fail(&rows, "coin values whose shares sum to at most 1, not %" PRId64 ".%09" PRId64,
			sum / POOL_NANO, sum % POOL_NANO);
}

static void read_jackpot(const struct at *root, struct game_link *link)
{
	struct at jackpot = member(root, "jackpot");
	if (!json_is_null(jackpot.json))
		read_pool(&jackpot, link);
}

static void read_cards(const struct at *root, struct game_link *link)
{
	struct at cards = member(root, "cards");
	if (json_is_null(cards.json))
		return;
	struct at number = member(&cards, "set_number");
	struct at id = member(&cards, "set");
	struct at eligible = member(&cards, "eligible");
	link->cards.pool = (uint32_t)integer(&number, 1, 65535);
	slug(&id, link->cards.id);
	link->cards.eligible = boolean(&eligible);
	if (link->cards.pool == link->jackpot.pool)
		fail(&number, "a number other than the progressive's");
}

static void read_currencies(const struct at *root, struct game_link *link)
{
	struct at bet = member(root, "bet");
	struct at currencies = member(&bet, "currencies");
	if (!json_is_object(currencies.json) || json_object_size(currencies.json) == 0 ||
		json_object_size(currencies.json) > GAME_LINK_CURRENCIES_MAX)
		fail(&currencies, "an object of 1 to %d currencies", GAME_LINK_CURRENCIES_MAX);
	const char *code;
	json_t *value;
	json_object_foreach(currencies.json, code, value)
	{
		struct at of_currency = below(&currencies, value, code);
		const struct currency *known = currency(&of_currency, code);
		if (root->walk->failed)
			return;
		link->currency[link->currency_count++] = known->number;
	}
}

/* NULL with error set when the text is not JSON. */
static json_t *parse(const char *name, const char *text, size_t length, char *error)
{
	json_error_t fault;
	error[0] = '\0';
	json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
	if (json == NULL) {
		(void)snprintf(error, GAME_LINKS_ERROR_MAX,
			"%.150s: at line %d, column %d: found %.160s, expected JSON", name,
			fault.line, fault.column, fault.text);
	}
	return json;
}

bool game_links_parse_pool(
	const char *name, const char *text, size_t length, struct game_link *link_r, char *error)
{
	struct walk walk = { .name = name, .error = error };
	struct at root = { .walk = &walk, .json = parse(name, text, length, error) };
	memset(link_r, 0, sizeof(*link_r));
	if (root.json == NULL)
		return false;
	json_t *json = root.json;
	read_pool(&root, link_r);
	json_decref(json);
	return !walk.failed;
}

bool game_links_parse(
	const char *name, const char *text, size_t length, struct game_link *link_r, char *error)
{
	struct walk walk = { .name = name, .error = error };
	memset(link_r, 0, sizeof(*link_r));
	json_t *json = parse(name, text, length, error);
	if (json == NULL)
		return false;
	struct at root = { .walk = &walk, .json = json };
	struct at number = member(&root, "number");
	struct at id = member(&root, "id");
	struct at demo = member(&root, "demo");
	link_r->game = (uint32_t)integer(&number, 1, 65535);
	slug(&id, link_r->id);
	link_r->demo = boolean(&demo);
	read_currencies(&root, link_r);
	read_jackpot(&root, link_r);
	read_cards(&root, link_r);
	json_decref(json);
	return !walk.failed;
}

/* ---- the folder ---- */

static bool file_read(const char *path, char **text_r, size_t *length_r, char *error)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(DEFINITION_MAX + 1);
	bool read = false;
	if (file == NULL || text == NULL) {
		(void)snprintf(error, GAME_LINKS_ERROR_MAX,
			"%.300s: found %s, expected a definition", path, strerror(errno));
		goto out;
	}
	*length_r = fread(text, 1, DEFINITION_MAX + 1, file);
	if (ferror(file) || *length_r > DEFINITION_MAX) {
		(void)snprintf(error, GAME_LINKS_ERROR_MAX,
			"%.300s: found %s, expected a file of at most %d bytes", path,
			ferror(file) ? strerror(errno) : "more", DEFINITION_MAX);
		goto out;
	}
	*text_r = text;
	text = NULL;
	read = true;
out:
	free(text);
	if (file != NULL)
		(void)fclose(file);
	return read;
}

static bool load_one(const char *path, bool demo_allowed, struct game_links *links, char *error)
{
	char *text;
	size_t length;
	if (links->count == GAME_LINKS_MAX) {
		(void)snprintf(error, GAME_LINKS_ERROR_MAX,
			"%.300s: found too many games, expected at most %d", path, GAME_LINKS_MAX);
		return false;
	}
	struct game_link *link = &links->link[links->count];
	if (!file_read(path, &text, &length, error))
		return false;
	bool good = game_links_parse(path, text, length, link, error);
	free(text);
	if (!good)
		return false;
	if (link->demo && !demo_allowed) {
		(void)snprintf(error, GAME_LINKS_ERROR_MAX,
			"%.300s: /demo: found true, expected false on a live installation", path);
		return false;
	}
	for (size_t i = 0; i < links->count; i++) {
		if (links->link[i].game != link->game)
			continue;
		(void)snprintf(error, GAME_LINKS_ERROR_MAX,
			"%.300s: /number: found %u, which game \"%s\" already has, expected "
			"another number",
			path, link->game, links->link[i].id);
		return false;
	}
	links->count++;
	return true;
}

static bool exists(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

bool game_links_load(const char *folder, bool demo_allowed, struct game_links *links_r, char *error)
{
	struct dirent **names;
	char path[PATH_MAX];
	error[0] = '\0';
	links_r->count = 0;
	int n = scandir(folder, &names, visible, alphasort);
	if (n < 0) {
		(void)snprintf(error, GAME_LINKS_ERROR_MAX,
			"CARILLON_GAMES: found %.300s (%s), expected a folder of games", folder,
			strerror(errno));
		return false;
	}
	bool good = true;
	for (int i = 0; i < n; i++) {
		(void)snprintf(
			path, sizeof(path), "%s/%s/definition.demo.json", folder, names[i]->d_name);
		if (!demo_allowed || !exists(path))
			(void)snprintf(path, sizeof(path), "%s/%s/definition.json", folder,
				names[i]->d_name);
		/* A plain file beside the games, such as a README, is not a game. */
		if (good && exists(path))
			good = load_one(path, demo_allowed, links_r, error);
		free(names[i]);
	}
	free(names);
	if (good && links_r->count == 0) {
		(void)snprintf(error, GAME_LINKS_ERROR_MAX,
			"CARILLON_GAMES: found no <id>/definition.json in %.300s, expected at "
			"least one",
			folder);
		return false;
	}
	return good;
}
