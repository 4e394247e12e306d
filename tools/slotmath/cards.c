/* slotmath cards: odds and returns of a set of Jackpot Cards. */
#include "tools/slotmath/cards_math.h"
#include "tools/slotmath/commands.h"
#include "libcommon/game/rational.h"
#include "tools/slotmath/games.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAKES_MAX 64
#define RATE_DIGITS_MAX 9

/* The set, its figures and the arguments. */
struct report {
	struct cards_set set;
	struct cards_math math;
	size_t stakes_n;
	int64_t stake[STAKES_MAX];
	bool has_levels;
	int64_t level[CARDS_LEVELS]; /* --levels, euro cents */
	mpq_t level_mean;
	const char *rates; /* "SEK=0.0875,.." */
};

/* "a,b,c": whole numbers above 0. */
static size_t numbers_read(const char *option, const char *text, int64_t *out, size_t room)
{
	size_t n = 0;
	char *end;

	for (;; text = end + 1) {
		errno = 0;
		if (n == room || text[0] < '0' || text[0] > '9')
			refuse("--%s: found '%s', expected at most %zu whole numbers, separated "
			       "by commas",
				option, text, room);
		out[n] = strtoll(text, &end, 10);
		if (errno || out[n] < 1 || (*end && *end != ','))
			refuse("--%s: found '%s', expected a whole number above 0", option, text);
		n++;
		if (!*end)
			return n;
	}
}

/* Reads "0.0875" exactly; false if it is not a decimal number above 0. */
static bool decimal_read(const char *text, size_t length, mpq_t out)
{
	char digits[32] = "";
	size_t n = 0, behind = 0;
	bool point = false;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9' || n + 1 == sizeof(digits))
			return false;
		digits[n++] = text[i];
		behind += point;
	}
	if (n == 0 || behind > RATE_DIGITS_MAX)
		return false;
	mpz_set_str(mpq_numref(out), digits, 10);
	mpz_ui_pow_ui(mpq_denref(out), 10, behind);
	mpq_canonicalize(out);
	return mpq_sgn(out) > 0;
}

/* Euros for one unit of the currency, from --rates; 1 for the euro. False: unknown. */
static bool rate_of(const struct report *report, const char *code, mpq_t rate_r)
{
	size_t length = strlen(code);
	const char *at = report->rates;

	while (at && *at) {
		const char *equals = strchr(at, '=');
		size_t value = equals ? strcspn(equals + 1, ",") : 0;

		if (!equals || !decimal_read(equals + 1, value, rate_r))
			refuse("--rates: found '%s', expected CODE=EUROS, separated by commas, "
			       "such as SEK=0.0875",
				at);
		if ((size_t)(equals - at) == length && strncmp(at, code, length) == 0)
			return true;
		at = equals + 1 + value + (equals[1 + value] == ',');
	}
	mpq_set_ui(rate_r, 1, 1);
	return strcmp(code, "EUR") == 0;
}

/* ---- JSON ---- */

static void put(json_t *object, const char *name, const mpq_t value)
{
	char exact[64];

	snprintf(exact, sizeof(exact), "%s_exact", name);
	json_object_set_new(object, name, json_decimals(value));
	json_object_set_new(object, exact, json_fraction(value));
}

static json_t *levels_json(const struct report *report)
{
	json_t *levels = json_array();

	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		const struct cards_level *level = &report->set.level[i];
		json_t *json = json_pack("{s:s, s:I, s:I, s:I}", "suit", level->suit, "weight",
			(json_int_t)level->weight, "seed_eur_minor", (json_int_t)level->seed_minor,
			"wager_ppm", (json_int_t)level->wager_ppm);

		put(json, "probability", report->math.level[i]);
		put(json, "contribution", report->math.contribution[i]);
		json_array_append_new(levels, json);
	}
	return levels;
}

static json_t *picks_json(void)
{
	json_t *picks = json_array();
	mpq_t probability;

	mpq_init(probability);
	for (uint32_t pick = CARDS_PICKS_MIN; pick <= CARDS_PICKS_MAX; pick++) {
		json_t *json = json_pack("{s:i, s:i, s:i}", "picks", (int)pick, "ways",
			(int)cards_ways(pick), "of", CARDS_WAYS);

		mpq_set_ui(probability, cards_ways(pick), CARDS_WAYS);
		mpq_canonicalize(probability);
		put(json, "probability", probability);
		json_array_append_new(picks, json);
	}
	mpq_clear(probability);
	return picks;
}

static json_t *stakes_json(const struct report *report, const struct cards_currency *currency)
{
	json_t *stakes = json_array();
	mpq_t odds;

	mpq_init(odds);
	for (size_t i = 0; i < report->stakes_n; i++) {
		json_t *json = json_pack("{s:I}", "stake_minor", (json_int_t)report->stake[i]);
		char *often;

		cards_odds_at(currency, report->stake[i], odds);
		often = one_in(odds, 3);
		put(json, "probability", odds);
		json_object_set_new(json, "one_in", json_string(often));
		json_array_append_new(stakes, json);
		free(often);
	}
	mpq_clear(odds);
	return stakes;
}

/* The present value of a card round for each minor unit staked, as a part of the stake. */
static void return_now(const struct report *report, const struct cards_return *of, mpq_t out)
{
	mpq_mul(out, report->level_mean, of->odds);
	mpq_div(out, out, of->unit);
}

static void returns_json(
	const struct report *report, const struct cards_currency *currency, json_t *json)
{
	struct cards_return of;
	json_t *prizes = json_array();
	mpq_t value;

	mpq_init(value);
	if (!rate_of(report, currency->code, value)) {
		json_object_set_new(json, "rate", json_null());
		json_decref(prizes);
		mpq_clear(value);
		return;
	}
	put(json, "rate", value);
	cards_return_of(&report->set, &report->math, currency, value, &of);
	put(json, "contribution", report->math.contribution_sum);
	put(json, "seeds", of.seeds);
	put(json, "long_run", of.long_run);
	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		json_t *prize = json_pack("{s:s}", "suit", report->set.level[i].suit);

		put(prize, "eur_minor", of.prize[i]);
		json_array_append_new(prizes, prize);
	}
	json_object_set_new(json, "mean_prizes", prizes);
	if (report->has_levels) {
		return_now(report, &of, value);
		put(json, "now", value);
	}
	cards_return_free(&of);
	mpq_clear(value);
}

static void print_json(const struct report *report)
{
	const struct cards_set *set = &report->set;
	json_t *currencies = json_array();
	json_t *json = json_pack("{s:s, s:I, s:o, s:o}", "set", set->id, "set_number",
		(json_int_t)set->number, "levels", levels_json(report), "picks", picks_json());

	put(json, "picks_mean", report->math.picks_mean);
	put(json, "contribution", report->math.contribution_sum);
	put(json, "seed_mean_eur_minor", report->math.seed_mean);
	if (report->has_levels)
		put(json, "value_mean_eur_minor", report->level_mean);
	for (size_t i = 0; i < set->currency_count; i++) {
		const struct cards_currency *currency = &set->currency[i];
		int64_t certain =
			currency->in > 0 ? (currency->of + currency->in - 1) / currency->in : 0;
		json_t *of = json_pack("{s:s, s:I, s:I, s:I, s:o}", "currency", currency->code,
			"in", (json_int_t)currency->in, "of", (json_int_t)currency->of,
			"certain_minor", (json_int_t)certain, "stakes",
			stakes_json(report, currency));

		returns_json(report, currency, of);
		json_array_append_new(currencies, of);
	}
	json_object_set_new(json, "currencies", currencies);
	json_print(json);
}

/* ---- text ---- */

static void print_percent(const char *label, const mpq_t value)
{
	char *percent = rational_percent(value, 6), *exact = mpq_get_str(NULL, 10, value);

	printf("  %-34s %14s %%  %s\n", label, percent, exact);
	free(percent);
	free(exact);
}

static void print_euros(const char *label, const mpq_t cents)
{
	mpq_t euros, hundredth;
	char *text;

	mpq_inits(euros, hundredth, NULL);
	mpq_set_ui(hundredth, 1, 100);
	mpq_mul(euros, cents, hundredth);
	text = rational_decimals(euros, 4);
	printf("  %-34s %14s EUR\n", label, text);
	free(text);
	mpq_clears(euros, hundredth, NULL);
}

static void print_levels(const struct report *report)
{
	printf("%s, number %lld\nProbability of each level in a card round, and its part of each "
	       "stake\n",
		report->set.id, (long long)report->set.number);
	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		print_percent(report->set.level[i].suit, report->math.level[i]);
		print_percent("  of each stake", report->math.contribution[i]);
	}
	print_euros("mean seed of a win", report->math.seed_mean);
	if (report->has_levels)
		print_euros("mean win at --levels", report->level_mean);
	printf("Cards turned until three of a suit are seen\n");
	for (uint32_t pick = CARDS_PICKS_MIN; pick <= CARDS_PICKS_MAX; pick++)
		printf("  %-34u %14.6f %%  %u/%u\n", pick, 100.0 * cards_ways(pick) / CARDS_WAYS,
			cards_ways(pick), CARDS_WAYS);
}

static void print_returns(const struct report *report, const struct cards_currency *currency)
{
	struct cards_return of;
	mpq_t value;

	mpq_init(value);
	if (!rate_of(report, currency->code, value)) {
		printf("  no rate: give --rates %s=EUROS for the return\n", currency->code);
		mpq_clear(value);
		return;
	}
	cards_return_of(&report->set, &report->math, currency, value, &of);
	if (of.certain_minor)
		printf("  %-34s %14lld\n", "smallest certain stake", (long long)of.certain_minor);
	print_percent("returned by contributions", report->math.contribution_sum);
	print_percent("returned by seeds", of.seeds);
	print_percent("returned in the long run", of.long_run);
	if (report->has_levels) {
		return_now(report, &of, value);
		print_percent("present value at --levels", value);
	}
	for (size_t i = 0; i < CARDS_LEVELS; i++) {
		char label[64];

		snprintf(label, sizeof(label), "mean win of %s, this currency alone",
			report->set.level[i].suit);
		print_euros(label, of.prize[i]);
	}
	cards_return_free(&of);
	mpq_clear(value);
}

static void print_text(const struct report *report)
{
	mpq_t odds;

	print_levels(report);
	mpq_init(odds);
	for (size_t i = 0; i < report->set.currency_count; i++) {
		const struct cards_currency *currency = &report->set.currency[i];

		printf("%s: %lld in %lld for each minor unit of the stake\n", currency->code,
			(long long)currency->in, (long long)currency->of);
		for (size_t s = 0; s < report->stakes_n; s++) {
			char *often;

			cards_odds_at(currency, report->stake[s], odds);
			often = one_in(odds, 2);
			printf("  stake %-28lld one in %9s\n", (long long)report->stake[s], often);
			free(often);
		}
		print_returns(report, currency);
	}
	mpq_clear(odds);
}

/* A subject with a slash or ".json" is a file; any other is a name in --sets. */
static void read_subject(const struct options *options, struct cards_set *set_r)
{
	const char *subject = options->subject;
	size_t length = strlen(subject);
	char path[2 * OPTIONS_TEXT_MAX + 32];

	if (strchr(subject, '/') || (length > 5 && strcmp(subject + length - 5, ".json") == 0))
		snprintf(path, sizeof(path), "%s", subject);
	else
		snprintf(path, sizeof(path), "%s/%s.json", options->sets, subject);
	cards_set_read(path, set_r);
}

int command_cards(const struct options *options)
{
	struct report report = { .rates = options->rates[0] ? options->rates : NULL };

	read_subject(options, &report.set);
	report.stakes_n = numbers_read("stakes", options->stakes, report.stake, STAKES_MAX);
	if (options->levels[0]) {
		size_t n = numbers_read("levels", options->levels, report.level, CARDS_LEVELS);

		if (n != CARDS_LEVELS)
			refuse("--levels: found %zu amounts, expected four in euro cents: clubs, "
			       "diamonds, hearts, spades",
				n);
		report.has_levels = true;
	}
	cards_math_of(&report.set, &report.math);
	mpq_init(report.level_mean);
	(void)rate_of(&report, "", report.level_mean); /* refuses unreadable rates */
	cards_mean(&report.math, report.level, report.level_mean);
	if (options->json)
		print_json(&report);
	else
		print_text(&report);
	mpq_clear(report.level_mean);
	cards_math_free(&report.math);
	return 0;
}
