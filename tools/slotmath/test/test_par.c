/* The PAR sheet: its combinations against every window of small games, its tables against the
 * analysis to the last digit, its three forms against one another. */
#define _GNU_SOURCE
#include "libcommon/game/definition_load.h"
#include "libcommon/game/rational.h"
#include "tools/slotmath/games.h"
#include "libcommon/game/par.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct game *load(const char *path)
{
	struct game *game = calloc(1, sizeof(*game));
	char error[DEFINITION_ERROR_MAX];

	assert_non_null(game);
	if (definition_load_flags(path, DEFINITION_UNPROVEN, game, error) != DEFINITION_OK)
		fail_msg("%s: %s", path, error);
	return game;
}

static const char *const files[] = { "services/spin-engine/games/bewitched/definition.json",
	"services/spin-engine/games/bewitched/definition.demo.json",
	"services/spin-engine/games/mona-lisa/definition.json",
	"services/spin-engine/games/mystery-elves/definition.json",
	"services/spin-engine/games/mystic-gem/definition.json",
	"services/spin-engine/games/witch-feature/definition.json",
	"docs/example-game/definition.json" };
#define FILES (sizeof(files) / sizeof(files[0]))

/* ---- against every window ---- */

/* Small games out of docs/example-game: strips of a few weighted stops, and modes that are bought.
 */
#define STOPS 7

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

static json_t *random_strip(const struct game *game, uint32_t reel)
{
	json_t *symbols = json_array(), *weights = json_array();

	for (uint32_t i = 0; i < STOPS; i++) {
		uint32_t lines = game->symbol_count - 2;
		/* one scatter, and every line symbol somewhere; wilds behind the first reel only */
		uint32_t symbol = i == 0   ? game->scatter[0]
				  : i == 1 ? 2 + reel
				  : i == 2 ? 2 + (reel + game->reels) % lines
					   : 2 + draw(lines);

		if (reel > 0 && (i == 3 || (i > 3 && draw(4) == 0)))
			symbol = game->wild;
		json_array_append_new(symbols, json_string(game->symbol[symbol].id));
		json_array_append_new(weights, json_integer(1 + draw(3)));
	}
	return json_pack("{s:o, s:o}", "symbols", symbols, "weights", weights);
}

static struct game *small_game(const char *guarantee, bool wild_reels)
{
	struct game *whole = load("docs/example-game/definition.json");
	struct game *game = calloc(1, sizeof(*game));
	json_t *json = json_load_file("docs/example-game/definition.json", 0, NULL);
	json_t *reels = json_array(), *mode, *currency;
	char error[DEFINITION_ERROR_MAX], *text;
	const char *code;

	for (uint32_t r = 0; r < whole->reels; r++)
		json_array_append_new(reels, random_strip(whole, r));
	json_object_set_new(json_object_get(json, "strips"), "base", reels);
	mode = json_deep_copy(json_array_get(json_object_get(json, "modes"), 0));
	json_object_set_new(mode, "id", json_string("bought"));
	json_object_set_new(mode, "price_hundredths", json_integer(1000));
	if (wild_reels)
		json_object_set_new(mode, "wild_reels",
			json_pack("[{s:[i], s:i}, {s:[i, i], s:i}]", "reels", 2, "weight", 3,
				"reels", 3, 5, "weight", 2));
	if (guarantee)
		json_object_set_new(mode, "guarantee", json_loads(guarantee, 0, NULL));
	json_array_append_new(json_object_get(json, "modes"), mode);
	json_object_foreach(json_object_get(json_object_get(json, "bet"), "currencies"), code,
		currency) json_object_set_new(currency, "price_max", json_integer(1000000));
	json_object_set_new(json_object_get(json_object_get(json, "free_spins"), "awards"), "free",
		json_object());
	text = json_dumps(json, 0);
	if (definition_parse_flags("small", text, strlen(text), DEFINITION_UNPROVEN, game, error) !=
		DEFINITION_OK)
		fail_msg("%s", error);
	free(text);
	json_decref(json);
	game_release(&whole);
	return game;
}

struct tally {
	uint8_t symbol, count;
	uint32_t coins;
	uint64_t hits;
};

struct brute {
	struct tally of[PAR_COMBINATIONS_MAX];
	uint32_t count;
	uint64_t cycle;
};

static void tally_add(struct brute *brute, const struct line_pay *pay, uint64_t weight)
{
	uint32_t i = 0;

	while (i < brute->count &&
		(brute->of[i].symbol != pay->symbol || brute->of[i].count != pay->count ||
			brute->of[i].coins != pay->coins))
		i++;
	if (i == brute->count)
		brute->of[brute->count++] = (struct tally){
			.symbol = pay->symbol, .count = pay->count, .coins = pay->coins
		};
	brute->of[i].hits += weight;
}

static bool keeps(const struct game *game, const struct game_mode *mode, const uint8_t *window,
	const struct line_pay *pay)
{
	uint32_t seen = 0;

	if (mode->guarantee == GUARANTEE_LINE_WIN) {
		for (uint32_t l = 0; l < game->lines_max; l++)
			if (pay[l].coins > 0)
				return true;
		return false;
	}
	for (uint32_t i = 0; i < game->reels * game->rows; i++)
		seen += window[i] == mode->guarantee_symbol ? 1 : 0;
	return mode->guarantee == GUARANTEE_NONE || seen >= mode->guarantee_min;
}

static void count_window(struct brute *brute, const struct game *game, const struct game_mode *mode,
	const uint8_t *window, uint64_t weight)
{
	struct line_terms terms = line_terms_plain();
	struct line_pay pay[GAME_LINES_MAX];

	for (uint32_t l = 0; l < game->lines_max; l++)
		pay[l] = line_best(game, window, l, &terms);
	if (!keeps(game, mode, window, pay))
		return;
	brute->cycle += weight;
	for (uint32_t l = 0; l < game->lines_max; l++)
		if (pay[l].coins > 0)
			tally_add(brute, &pay[l], weight);
}

static void every_window(struct brute *brute, const struct game *game, const struct game_mode *mode,
	uint32_t wild_reels, uint32_t reel, uint8_t *window, uint64_t weight)
{
	const struct game_strip *strip = &game->strips[mode->strips].reel[reel];

	if (reel == game->reels) {
		count_window(brute, game, mode, window, weight);
		return;
	}
	for (uint32_t stop = 0; stop < strip->length; stop++) {
		for (uint32_t row = 0; row < game->rows; row++)
			window[reel * game->rows + row] =
				wild_reels >> reel & 1 ? game->wild : strip->symbol[stop + row];
		every_window(brute, game, mode, wild_reels, reel + 1, window,
			weight * strip->stop_weight[stop]);
	}
}

static void compare_mode(const struct game *game, uint32_t index)
{
	struct brute *brute = calloc(1, sizeof(*brute));
	struct par_mode *mode = calloc(1, sizeof(*mode));
	struct par_texts texts = { json_array() };
	const struct par_combinations *list;
	uint8_t window[GAME_CELLS_MAX];

	par_mode_init(mode, &texts, game, index);
	list = &mode->context[0].combinations;
	for (uint32_t i = 0; i < position_count(mode->rules); i++)
		every_window(brute, game, mode->rules, position_reels(mode->rules, i), 0, window,
			position_weight(mode->rules, i));
	assert_int_equal(mpz_cmp_ui(list->cycle, brute->cycle), 0);
	assert_int_equal(list->count, brute->count);
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t k = 0;

		while (k < brute->count && (brute->of[k].symbol != list->of[i].symbol ||
						   brute->of[k].count != list->of[i].count ||
						   brute->of[k].coins != list->of[i].coins))
			k++;
		assert_true(k < brute->count);
		assert_int_equal(mpz_cmp_ui(list->of[i].hits, brute->of[k].hits), 0);
		assert_true(mpz_cmp(list->of[i].with_wilds, list->of[i].hits) <= 0);
	}
	par_mode_clear(mode);
	json_decref(texts.kept);
	free(mode);
	free(brute);
}

static void test_combinations_every_window(void **state)
{
	static const struct {
		const char *guarantee;
		bool wild_reels;
	} rows[] = { { NULL, false }, { NULL, true }, { "{\"kind\": \"line_win\"}", false },
		{ "{\"kind\": \"line_win\"}", true },
		{ "{\"kind\": \"symbols\", \"symbol\": \"basket\", \"at_least\": 3}", false } };

	(void)state;
	random_state = 20240611;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct game *game = small_game(rows[i].guarantee, rows[i].wild_reels);

		for (uint32_t m = 0; m < exact_mode_count(game); m++)
			compare_mode(game, m);
		game_release(&game);
	}
}

/* ---- tables against the analysis ---- */

static const json_t *by_text(const json_t *list, const char *key, const char *value)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) if (strcmp(json_string_value(json_object_get(item, key)),
						      value) == 0) return item;
	return NULL;
}

static void add_fraction(mpq_t sum, const json_t *text)
{
	mpq_t x;

	mpq_init(x);
	assert_int_equal(mpq_set_str(x, json_string_value(text), 10), 0);
	mpq_canonicalize(x);
	mpq_add(sum, sum, x);
	mpq_clear(x);
}

/* Adds what the rows of a table return; sections that are not there add nothing. */
static void add_table(
	mpq_t sum, const json_t *mode, const char *section, const char *table, const char *column)
{
	const json_t *in = by_text(json_object_get(mode, "sections"), "id", section), *row;
	size_t i;

	if (!in)
		return;
	in = by_text(json_object_get(in, "tables"), "id", table);
	assert_non_null(in);
	json_array_foreach(json_object_get(in, "rows"), i, row)
		add_fraction(sum, json_object_get(row, column));
}

static void expect_part(const json_t *mode, const char *source, const mpq_t sum)
{
	const json_t *part = by_text(json_object_get(mode, "parts"), "source", source);
	mpq_t expected;

	mpq_init(expected);
	if (part)
		add_fraction(expected, json_object_get(part, "rtp_exact"));
	if (!mpq_equal(expected, sum))
		fail_msg("%s, %s: the rows sum to %f, expected %f",
			json_string_value(json_object_get(mode, "mode")), source, mpq_get_d(sum),
			mpq_get_d(expected));
	mpq_clear(expected);
}

static void check_mode(const json_t *mode)
{
	static const struct {
		const char *source, *section, *table;
	} rows[] = { { "lines", "lines_paid", "combinations" },
		{ "scatter", "scatter_paid", "scatters" }, { "battle", "battle_paid", "battles" },
		{ "hold_and_win", "hold_and_win", "starts" },
		{ "sticky_spins", "sticky_paid", "respins" },
		{ "high_symbols", "potion_1", "lines" }, { "multiplier", "potion_3", "lines" } };
	mpq_t sum;

	mpq_init(sum);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		mpq_set_ui(sum, 0, 1);
		add_table(sum, mode, rows[i].section, rows[i].table, "return_exact");
		expect_part(mode, rows[i].source, sum);
	}
	mpq_set_ui(sum, 0, 1);
	add_table(sum, mode, "parts", "parts", "return_exact");
	mpq_neg(sum, sum);
	add_fraction(sum, json_object_get(mode, "rtp_exact"));
	assert_int_equal(mpq_sgn(sum), 0);
	mpq_set_ui(sum, 0, 1);
	add_table(sum, mode, "distribution", "distribution", "p_exact");
	assert_int_equal(mpq_cmp_ui(sum, 1, 1), 0);
	mpq_clear(sum);
}

/* Money of vials and the jackpot's seed are two parts in one table. */
static void check_pick_outcomes(const json_t *mode)
{
	static const char *const section[] = { "vials_paid", "vials_free" };
	const json_t *part = by_text(json_object_get(mode, "parts"), "source", "jackpot_seed");
	mpq_t sum, money, jackpot, seed;

	mpq_inits(sum, money, jackpot, seed, NULL);
	for (size_t i = 0; i < 2; i++) {
		const json_t *in = by_text(json_object_get(mode, "sections"), "id", section[i]),
			     *row;
		size_t k;

		if (!in)
			continue;
		in = by_text(json_object_get(in, "tables"), "id", "vials");
		json_array_foreach(json_object_get(in, "rows"), k, row)
		{
			bool of_jackpot =
				strstr(json_string_value(json_object_get(row, "kind")), "jackpot");

			if (of_jackpot || i == 0)
				add_fraction(of_jackpot ? jackpot : money,
					json_object_get(row, "return_exact"));
		}
	}
	if (by_text(json_object_get(mode, "sections"), "id", section[0])) {
		expect_part(mode, "bonus_money", money);
		if (part)
			add_fraction(seed, json_object_get(part, "rtp_exact"));
		assert_true(mpq_equal(jackpot, seed));
	}
	mpq_clears(sum, money, jackpot, seed, NULL);
}

static void test_tables_sum_to_the_analysis(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		struct game *game = load(files[i]);
		json_t *document = par_document(game, files[i]);
		const json_t *mode;
		size_t k;

		assert_int_equal(json_array_size(json_object_get(document, "modes")),
			exact_mode_count(game));
		json_array_foreach(json_object_get(document, "modes"), k, mode)
		{
			check_mode(mode);
			check_pick_outcomes(mode);
		}
		json_decref(document);
		game_release(&game);
	}
}

/* ---- forms ---- */

static char *written(const json_t *document, void (*write)(const json_t *, FILE *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	write(document, out);
	fclose(out);
	return text;
}

static void test_html_escapes_text(void **state)
{
	struct game *game = load("docs/example-game/definition.json");
	json_t *document;
	char *html, *csv;

	(void)state;
	strcpy(game->name, "<b>\"A\" & 'B'</b>");
	strcpy(game->symbol[2].name, "x, \"y\"");
	document = par_document(game, "<script>");
	html = written(document, par_html);
	csv = written(document, par_csv);
	assert_null(strstr(html, "<b>"));
	assert_null(strstr(html, "<script"));
	assert_non_null(strstr(html, "&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;"));
	assert_non_null(strstr(csv, "\"x, \"\"y\"\"\""));
	free(html);
	free(csv);
	json_decref(document);
	game_release(&game);
}

static void test_sheet_is_deterministic(void **state)
{
	struct game *game = load("services/spin-engine/games/mystery-elves/definition.json");
	json_t *first = par_document(game, "mystery-elves"),
	       *second = par_document(game, "mystery-elves");

	(void)state;
	assert_true(json_equal(first, second));
	json_decref(first);
	json_decref(second);
	game_release(&game);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_combinations_every_window),
		cmocka_unit_test(test_tables_sum_to_the_analysis),
		cmocka_unit_test(test_html_escapes_text),
		cmocka_unit_test(test_sheet_is_deterministic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
