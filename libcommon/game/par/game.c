/* The sections of a PAR sheet on the whole game: identity, bets, paytable, the progressive, the
 * gamble, and how to verify every figure. */
#include "libcommon/base/currency.h"
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

#include <string.h>

static const char *kind_text(enum symbol_kind kind)
{
	static const char *const text[] = { [SYMBOL_LINE] = "line",
		[SYMBOL_WILD] = "wild",
		[SYMBOL_SCATTER] = "scatter",
		[SYMBOL_BONUS] = "bonus",
		[SYMBOL_JACKPOT] = "jackpot",
		[SYMBOL_COLLECTIBLE] = "potion" };

	return text[kind];
}

static const char *code_of(uint32_t number)
{
	const struct currency *currency = currency_by_number(number);

	return currency ? currency->code : "?";
}

/* Minor units as a decimal amount: "1.25". */
static const char *money_text(struct par_texts *texts, uint32_t number, int64_t minor)
{
	const struct currency *currency = currency_by_number(number);
	uint32_t digits = currency ? currency->exponent : 0;
	int64_t unit = 1;

	for (uint32_t i = 0; i < digits; i++)
		unit *= 10;
	if (digits == 0)
		return par_text(texts, "%lld", (long long)minor);
	return par_text(texts, "%lld.%0*lld", (long long)(minor / unit), (int)digits,
		(long long)(minor % unit));
}

/* "1 to 15 lines", "40 lines", "1 coin". */
static const char *range_text(struct par_texts *texts, uint32_t min, uint32_t max, const char *what)
{
	if (min < max)
		return par_text(texts, "%u to %u %ss", min, max, what);
	return par_text(texts, "%u %s%s", min, what, min == 1 ? "" : "s");
}

/* ---- head ---- */

static void add_head(const struct game *game, struct par_texts *texts, json_t *sections)
{
	char digest[2 * GAME_DIGEST_BYTES + 1];
	json_t *section = par_section(sections, "game", "The game"), *table;

	hex_text(game->digest, GAME_DIGEST_BYTES, digest);
	table = par_table(section, "facts", "Identity", "what=What|found=Is");
	par_row(table, "Game", game->name, NULL);
	par_row(table, "Id and number", par_text(texts, "%s, %u", game->id, game->number), NULL);
	par_row(table, "Definition",
		par_text(texts, "version %u, format 1%s", game->version,
			game->demo ? ", for demo installations only" : ""),
		NULL);
	par_row(table, "Math version", digest, NULL);
	par_row(table, "Grid", par_text(texts, "%u reels of %u rows", game->reels, game->rows),
		NULL);
	par_row(table, "Lines",
		par_text(texts,
			"%s, from the first reel on; only the best combination of a line is "
			"paid, and the wins of all lines are added",
			range_text(texts, game->lines_min, game->lines_max, "line")),
		NULL);
	json_object_set_new(table, "facts", json_true());
	par_table(section, "returns", "Published and exact return",
		"mode=Figure|price=Price, total bets|published=Published|band=Band|rtp=Exact "
		"return|percent=In percent|verdict=Verdict|rtp_exact=!");
	par_words(section,
		"The math version is the SHA-256 of the definition in its canonical form (members "
		"sorted, no white space). Every played round records it, so a round can be "
		"checked against this sheet.");
	par_words(section,
		"Every figure is an exact quotient of whole numbers, computed from the "
		"definition that the server plays; decimals are rounded to twelve digits. "
		"Returns are parts of the price of a round. Only the intervals over sessions are "
		"approximate; the sheet says so there.");
}

/* ---- bets ---- */

static void list_coins(const struct game_currency *currency, bool buying, char *list, size_t size)
{
	size_t used = 0;

	list[0] = 0;
	for (uint32_t i = 0; i < currency->coin_count && used + 32 < size; i++)
		if (buying || !currency->coin_buys[i])
			used += (size_t)snprintf(list + used, size - used, "%s%lld",
				used ? " " : "", (long long)currency->coin_minor[i]);
}

static void add_bets(const struct game *game, struct par_texts *texts, json_t *sections)
{
	json_t *section = par_section(sections, "bets", "Bets"), *table;
	bool sells = game->mode_count > 1;

	par_words(section,
		"The total bet is the coin value x coins a line x lines: %s of %s. Pays \"times "
		"the total bet\" multiply this, also in a bought mode.",
		range_text(texts, game->lines_min, game->lines_max, "line"),
		range_text(texts, game->coins_min, game->coins_max, "coin"));
	table = par_table(section, "currencies", "Currencies",
		sells ? "currency=Currency|coins=Coin values, minor units|min=Least total bet|max="
			"Most total bet|price_max=Highest price bought|no_buy=Coins that buy nothing"
		      : "currency=Currency|coins=Coin values, minor units|min=Least total bet|max="
			"Most total bet");
	for (uint32_t i = 0; i < game->currency_count; i++) {
		const struct game_currency *currency = &game->currency[i];
		char coins[512], no_buy[512];

		list_coins(currency, true, coins, sizeof(coins));
		list_coins(currency, false, no_buy, sizeof(no_buy));
		par_row(table, code_of(currency->number), par_text(texts, "%s", coins),
			money_text(texts, currency->number, currency->stake_min.minor),
			money_text(texts, currency->number, currency->stake_max.minor),
			sells ? money_text(texts, currency->number, currency->price_max.minor)
			      : NULL,
			par_text(texts, "%s", no_buy[0] ? no_buy : "none"), NULL);
	}
	table = par_table(section, "modes", "Modes",
		"mode=Mode|name=Name|price=Price, total bets|strips=Strips");
	for (uint32_t i = 0; i < game->mode_count; i++)
		par_row(table, game->mode[i].id, game->mode[i].name,
			par_hundredths(texts, game->mode[i].price_hundredths),
			game->strips[game->mode[i].strips].id, NULL);
}

/* ---- paytable and lines ---- */

static void add_paytable(const struct game *game, struct par_texts *texts, json_t *sections)
{
	json_t *section = par_section(sections, "paytable", "Symbols and pays"), *table;
	char columns[512] = "symbol=Symbol|name=Name|kind=Kind";
	const char *row[4 + GAME_REELS_MAX];

	for (uint32_t n = 1; n <= game->reels; n++) {
		size_t used = strlen(columns);

		snprintf(columns + used, sizeof(columns) - used, "|of_%u=%u of it", n, n);
	}
	par_words(section,
		"Line symbols, wilds and jackpot symbols pay coins for one coin a line; scatters "
		"times the total bet. %s",
		game->wild != GAME_NO_SYMBOL ? "On lines the wild substitutes for line symbols "
					       "only."
					     : "");
	for (uint32_t i = 0; i < game->scatter_symbols; i++)
		if (game->symbol[game->scatter[i]].wild_counts)
			par_words(section, "A wild also counts as one scatter %s.",
				game->symbol[game->scatter[i]].id);
	if (game->expanding_reels)
		par_words(section,
			"A wild on reel %s covers the whole reel, except scatters, before wins "
			"are paid.",
			par_reels(texts, game, game->expanding_reels));
	table = par_table(section, "symbols", "Paytable", columns);
	for (uint32_t s = 0; s < game->symbol_count; s++) {
		const struct game_symbol *symbol = &game->symbol[s];

		row[0] = symbol->id;
		row[1] = symbol->name;
		row[2] = kind_text(symbol->kind);
		for (uint32_t n = 1; n <= game->reels; n++)
			row[2 + n] = symbol->pay[n] ? par_text(texts, "%u", symbol->pay[n]) : "";
		par_row_of(table, row, 3 + game->reels);
	}
	table = par_table(section, "lines", "Lines: the row on each reel, 0 at the top",
		"line=Line|rows=Rows");
	for (uint32_t l = 0; l < game->line_count; l++) {
		char rows[4 * GAME_REELS_MAX + 1] = "";

		for (uint32_t r = 0; r < game->reels; r++) {
			size_t used = strlen(rows);

			snprintf(rows + used, sizeof(rows) - used, "%s%u", r ? " " : "",
				game->line[l][r]);
		}
		par_row(table, par_text(texts, "%u", l + 1), par_text(texts, "%s", rows), NULL);
	}
	json_object_set_new(table, "dense", json_true());
}

/* ---- the progressive ---- */

static void contribution_figures(const struct game *game, struct par_texts *texts, json_t *section)
{
	struct exact_contribution contribution;
	json_t *table = par_table(section, "contribution", "Contribution, beside the return",
		"what=What|part=Part of the stake|percent=In percent|exact=!");

	exact_contribution(game, &contribution);
	par_row(table, "counted at most: the whole contribution",
		par_figure(texts, contribution.counted_whole),
		par_percent(texts, contribution.counted_whole),
		par_fraction(texts, contribution.counted_whole), NULL);
	par_row(table, "what the live rows of all currencies return",
		par_figure(texts, contribution.live_rows),
		par_percent(texts, contribution.live_rows),
		par_fraction(texts, contribution.live_rows), NULL);
	for (uint32_t i = 0; i < contribution.currency_count; i++)
		par_row(table,
			par_text(texts, "of these the rows in %s",
				code_of(contribution.currency[i])),
			par_figure(texts, contribution.by_currency[i]),
			par_percent(texts, contribution.by_currency[i]),
			par_fraction(texts, contribution.by_currency[i]), NULL);
	exact_contribution_free(&contribution);
}

static const char *nano_text(struct par_texts *texts, int64_t nano)
{
	return par_text(texts, "%lld.%09lld", (long long)(nano / 1000000000),
		(long long)(nano % 1000000000));
}

static void add_progressive(const struct game *game, struct par_texts *texts, json_t *sections)
{
	const struct jackpot_link *link = &game->jackpot;
	json_t *section, *table;

	if (link->pool == 0)
		return;
	section = par_section(sections, "progressive", "The progressive jackpot");
	par_words(section,
		"Pool %s (number %u) takes %u.%04u %% of every stake. In the returns of this "
		"sheet the jackpot counts at its seed: %s EUR at a coin value of %s EUR, and in "
		"proportion at other coin values. The players' contribution comes on top; it is "
		"shown here and is not part of those returns.",
		link->pool_id, link->pool, link->contribution_ppm / 10000,
		link->contribution_ppm % 10000, money_text(texts, 978, link->base_seed_minor),
		money_text(texts, 978, link->base_coin_minor));
	par_words(section,
		"Each currency and coin value has a row with its own counter. A row's share is "
		"its coin value in EUR divided by the base coin, rounded down to nine decimals; "
		"it gets this part of each contribution. The shares of all rows sum to at most "
		"1. The rows do not return the rest of the contribution.");
	if (game->rtp_contribution_ppm)
		par_words(section, "Published with the contribution counted whole: %u.%02u %%.",
			game->rtp_contribution_ppm / 10000, game->rtp_contribution_ppm / 100 % 100);
	contribution_figures(game, texts, section);
	table = par_table(section, "rows", "Rows of the pool",
		"currency=Currency|coin=Coin|seed=Seed|rate=EUR for one unit|share=Share of each "
		"contribution");
	for (uint32_t i = 0; i < link->row_count; i++) {
		const struct jackpot_row *row = &link->row[i];

		par_row(table, code_of(row->currency),
			money_text(texts, row->currency, row->coin_minor),
			money_text(texts, row->currency, row->seed_minor),
			nano_text(texts, row->row_rate_nano), nano_text(texts, row->share_nano),
			NULL);
	}
}

/* ---- the gamble ---- */

/* The player gambles everything each time: after k attempts the win is 2^k times as high with
 * probability 2^-k, else 0. */
static void gamble_table(uint32_t attempts, struct par_texts *texts, json_t *section)
{
	json_t *table = par_table(section, "attempts",
		"A win of 1, every guess taken up to that attempt",
		"attempts=Attempts|p=Probability to win all|pays=Pays|mean=Mean|variance=Variance");
	mpz_t power;

	mpz_init(power);
	for (uint32_t k = 1; k <= attempts && k <= 64; k++) {
		const char *pays;
		mpq_t p;

		mpq_init(p);
		mpz_ui_pow_ui(power, 2, k);
		pays = par_whole(texts, power);
		mpz_set(mpq_denref(p), power);
		mpz_set_ui(mpq_numref(p), 1);
		mpz_sub_ui(power, power, 1);
		par_row(table, par_text(texts, "%u", k), par_fraction(texts, p), pays, "1",
			par_whole(texts, power), NULL);
		mpq_clear(p);
	}
	mpz_clear(power);
}

static void add_gamble(const struct game *game, struct par_texts *texts, json_t *sections)
{
	const struct gamble_rules *gamble = &game->gamble;
	json_t *section;

	if (!gamble->offered)
		return;
	section = par_section(sections, "gamble", "The gamble");
	par_words(section,
		"After a round the player may stake %s on the colour of a card, up to %u times: "
		"a right guess doubles the stake, a wrong guess loses it.",
		gamble->base_lines_only ? "the line wins of the paid spin" : "the whole win",
		gamble->attempts_max);
	par_words(section,
		"%u suits of 13 cards, as many red as black%s: each guess is right with "
		"probability 1/2, so an attempt returns 1/2 x 2 + 1/2 x 0 = 1 times its stake on "
		"average. Gambling never changes the return; it only increases the variance. The "
		"figures of the modes therefore do not include it.",
		gamble->suit_count,
		gamble->jokers ? par_text(texts,
					 "; the half is drawn before the card, so that each of the "
					 "%u jokers counts as the colour guessed",
					 gamble->jokers)
			       : "");
	if (gamble->halve)
		par_words(section,
			"Between attempts the player may bank half of the pending win, rounded "
			"down to whole minor units. An odd minor unit stays at stake, so "
			"rounding loses nothing and the mean stays 1.");
	for (uint32_t i = 0; i < game->currency_count; i++)
		if (game->currency[i].gamble_limited)
			par_words(section, "In %s at most %s may be staked on an attempt.",
				code_of(game->currency[i].number),
				money_text(texts, game->currency[i].number,
					game->currency[i].gamble_stake_max.minor));
	gamble_table(gamble->attempts_max, texts, section);
}

/* ---- how to have every figure again ---- */

static void add_verify(
	const struct game *game, const char *subject, struct par_texts *texts, json_t *sections)
{
	json_t *section = par_section(sections, "verify", "How to verify each figure"), *table;

	par_words(section,
		"This sheet applies only to the definition with the digest above. Anyone who has "
		"the definition file can compute everything in it again:");
	table = par_table(section, "commands", "Commands", "what=What|command=Command");
	par_row(table, "digest; the definition as the server loads it",
		par_text(texts, "slotmath check %s",
			strchr(subject, '/')
				? subject
				: par_text(texts, "services/spin-engine/games/%s/definition.json",
					  game->id)),
		NULL);
	par_row(table, "returns, parts, features, hit rate, variance, largest win",
		par_text(texts, "slotmath rtp %s --json", subject), NULL);
	par_row(table, "the return of one bet",
		par_text(texts, "slotmath rtp %s --lines %u --coins %u", subject, game->lines_max,
			game->coins_max),
		NULL);
	par_row(table, "every win of the paid spin, exactly",
		par_text(texts, "slotmath rtp %s --json --distribution", subject), NULL);
	par_row(table, "the mean and variance by play, with its interval",
		par_text(texts, "slotmath simulate %s --rounds 1000000000", subject), NULL);
	par_row(table, "one round as it was played, from its proof", "slotmath replay PROOF.json",
		NULL);
	par_row(table, "the generator's known answer and its bytes for batteries",
		"slotmath rng --known-answer; slotmath rng --raw", NULL);
	par_row(table, "every table of this sheet for machines, with the exact quotients",
		par_text(texts, "slotmath par %s --format json (or csv)", subject), NULL);
	par_words(section,
		"A proof of a round names the game, the bet, the state before the round, the "
		"digest, the secret and the nonce. A replay gives the same draws and wins, or "
		"shows where they differ.");
	if (game->cards.pool != 0 && game->cards.eligible)
		par_words(section,
			"Rounds of this game may also win Jackpot Cards (set %s). Their own pool "
			"pays them for all games of the set; they are not part of these figures.",
			game->cards.set_id);
}

void par_game_sections(
	const struct game *game, const char *subject, struct par_texts *texts, json_t *sections)
{
	add_head(game, texts, sections);
	add_bets(game, texts, sections);
	add_paytable(game, texts, sections);
	add_progressive(game, texts, sections);
	add_gamble(game, texts, sections);
	add_verify(game, subject, texts, sections);
}
