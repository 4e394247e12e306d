#include "services/spin-engine/adapters/definition_load.h"

#include "libcommon/base/currency.h"
#include "services/spin-engine/adapters/definition_check.h"
#include "services/spin-engine/adapters/definition_json.h"

#include <errno.h>
#include <sodium/crypto_hash_sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t symbol_index(const struct game *game, const char *id)
{
	for (uint32_t i = 0; id && i < game->symbol_count; i++)
		if (strcmp(game->symbol[i].id, id) == 0)
			return i;
	return GAME_NO_SYMBOL;
}

/* RULE bewitched 4.1. A demo publishes none: its odds are its own. */
static void read_published(const struct node *root, struct game *game)
{
	struct node rtp = node_member(root, "published_rtp"), seed, whole;

	if (game->demo) {
		if (!node_is_null(&rtp))
			node_fail(&rtp, NULL, "null in a demo definition");
		return;
	}
	seed = node_member(&rtp, "at_seed_ppm");
	whole = node_member(&rtp, "with_contribution_ppm");
	node_keys(&rtp, "at_seed_ppm with_contribution_ppm");
	game->rtp_seed_ppm = node_u32(&seed, 1, 1000000);
	game->rtp_contribution_ppm = node_u32(&whole, game->rtp_seed_ppm, 1000000);
}

static void read_head(const struct node *root, struct game *game)
{
	struct node format = node_member(root, "format"), id = node_member(root, "id");
	struct node number = node_member(root, "number"), name = node_member(root, "name");
	struct node version = node_member(root, "version"), demo = node_member(root, "demo");
	struct node grid = node_member(root, "grid");
	struct node reels = node_member(&grid, "reels"), rows = node_member(&grid, "rows");

	node_keys(root, "format id number name version demo published_rtp grid symbols strips "
			"lines bet battle vials free_spins witches gamble autoplay jackpot cards "
			"resolve_after_hours");
	node_integer(&format, 0, 0);
	node_slug(&id, game->id, sizeof(game->id));
	game->number = node_u32(&number, 1, 65535);
	node_text(&name, game->name, sizeof(game->name));
	game->version = node_u32(&version, 1, UINT32_MAX);
	game->demo = node_bool(&demo);
	read_published(root, game);
	node_keys(&grid, "reels rows");
	game->reels = node_u32(&reels, 3, GAME_REELS_MAX);
	game->rows = node_u32(&rows, 1, GAME_ROWS_MAX);
	if (game->reels * game->rows > GAME_CELLS_MAX)
		node_fail(&grid, NULL, "at most %d cells", GAME_CELLS_MAX);
}

static void read_pays(const struct node *pays, const struct game *game, struct game_symbol *symbol)
{
	size_t count = node_object(pays, 1, game->reels);

	for (size_t i = 0; i < count; i++) {
		const char *key;
		struct node pay = node_nth(pays, i, &key);
		uint32_t length;

		if (node_number_key(&pay, key, 1, game->reels, &length))
			symbol->pay[length] = node_u32(&pay, 1, GAME_PAY_MAX);
	}
	for (uint32_t n = 1; n < game->reels; n++)
		if (symbol->pay[n + 1] < symbol->pay[n])
			node_fail(pays, "pays that fall with the length",
				"each at least as much as the shorter one (%u pays %u, %u pays %u)",
				n, symbol->pay[n], n + 1, symbol->pay[n + 1]);
}

static void read_symbol(const struct node *node, struct game *game, uint32_t index)
{
	struct game_symbol *symbol = &game->symbol[index];
	struct node id = node_member(node, "id"), name = node_member(node, "name");
	struct node kind = node_member(node, "kind");

	node_keys(node, "id name kind pays");
	node_slug(&id, symbol->id, sizeof(symbol->id));
	if (symbol_index(game, symbol->id) < index)
		node_fail(&id, NULL, "an id that no symbol before it has");
	node_text(&name, symbol->name, sizeof(symbol->name));
	symbol->kind = (enum symbol_kind)node_word(&kind, "line wild scatter bonus");
	/* the wild may have pays of its own, line and scatter must, the bonus must not */
	if (symbol->kind == SYMBOL_LINE || symbol->kind == SYMBOL_SCATTER ||
		(symbol->kind == SYMBOL_WILD && json_object_get(node->json, "pays"))) {
		struct node pays = node_member(node, "pays");

		read_pays(&pays, game, symbol);
	} else if (json_object_get(node->json, "pays")) {
		struct node pays = node_member(node, "pays");

		node_fail(&pays, NULL, "no pays: bonus symbols pay by the vials");
	}
}

static void read_symbols(const struct node *root, struct game *game)
{
	struct node symbols = node_member(root, "symbols");
	size_t count = node_array(&symbols, 1, GAME_SYMBOLS_MAX);
	uint8_t *special[] = { [SYMBOL_LINE] = NULL,
		[SYMBOL_WILD] = &game->wild,
		[SYMBOL_SCATTER] = &game->scatter,
		[SYMBOL_BONUS] = &game->bonus };

	game->wild = game->scatter = game->bonus = GAME_NO_SYMBOL;
	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		struct node node = node_item(&symbols, i);
		uint8_t *index;

		game->symbol_count = (uint32_t)i + 1;
		read_symbol(&node, game, (uint32_t)i);
		index = special[game->symbol[i].kind];
		if (index && *index != GAME_NO_SYMBOL)
			node_fail(&node, "a second symbol of its kind",
				"at most one wild, one scatter, one bonus");
		else if (index)
			*index = (uint8_t)i;
	}
}

static void read_strips(const struct node *root, struct game *game)
{
	struct node strips = node_member(root, "strips");

	node_array(&strips, game->reels, game->reels);
	for (uint32_t r = 0; r < game->reels && !root->reader->failed; r++) {
		struct node strip = node_item(&strips, r);
		size_t length = node_array(&strip, game->rows, GAME_STRIP_MAX);

		game->strip_length[r] = (uint32_t)length;
		for (size_t i = 0; i < length; i++) {
			struct node stop = node_item(&strip, i);
			uint32_t symbol = symbol_index(game, json_string_value(stop.json));

			if (symbol == GAME_NO_SYMBOL)
				node_fail(&stop, NULL, "the id of a symbol");
			game->strip[r][i] = (uint8_t)symbol;
		}
	}
}

static void read_lines(const struct node *root, struct game *game)
{
	struct node lines = node_member(root, "lines");
	size_t count = node_array(&lines, 1, GAME_LINES_MAX);

	game->line_count = (uint32_t)count;
	for (size_t l = 0; l < count && !root->reader->failed; l++) {
		struct node line = node_item(&lines, l);

		node_array(&line, game->reels, game->reels);
		for (uint32_t r = 0; r < game->reels && !root->reader->failed; r++) {
			struct node row = node_item(&line, r);

			game->line[l][r] = (uint8_t)node_u32(&row, 0, game->rows - 1);
		}
		for (size_t other = 0; other < l; other++)
			if (memcmp(game->line[other], game->line[l], game->reels) == 0)
				node_fail(&line, "the same line as another",
					"a line that differs from line %zu", other);
	}
}

static void read_range(
	const struct node *object, const char *key, uint32_t most, uint32_t *min_r, uint32_t *max_r)
{
	struct node range = node_member(object, key);
	struct node min = node_member(&range, "min"), max = node_member(&range, "max");

	node_keys(&range, "min max");
	*min_r = node_u32(&min, 1, most);
	*max_r = node_u32(&max, *min_r, most);
}

static void read_currency(const struct node *node, const char *code, struct game *game)
{
	const struct currency *known = currency_by_code(code);
	struct game_currency *currency = &game->currency[game->currency_count];
	struct node coins = node_member(node, "coins");
	struct node min = node_member(node, "stake_min"), max = node_member(node, "stake_max");
	size_t count = node_array(&coins, 1, GAME_COINS_MAX);

	node_keys(node, "coins stake_min stake_max");
	if (!known) {
		node_fail(node, "this name", "the code of a currency, as EUR");
		return;
	}
	currency->number = known->number;
	currency->coin_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node coin = node_item(&coins, i);
		int64_t least = i > 0 ? currency->coin_minor[i - 1] + 1 : 1;

		currency->coin_minor[i] = node_integer(&coin, least, GAME_COIN_MINOR_MAX);
	}
	currency->stake_min.minor = node_integer(&min, 1, INT64_MAX / 4);
	currency->stake_max.minor = node_integer(&max, currency->stake_min.minor, INT64_MAX / 4);
	game->currency_count++;
}

static void read_bet(const struct node *root, struct game *game)
{
	struct node bet = node_member(root, "bet");
	struct node currencies = node_member(&bet, "currencies");
	size_t count = node_object(&currencies, 1, GAME_CURRENCIES_MAX);

	node_keys(&bet, "lines coins currencies");
	read_range(&bet, "lines", game->line_count ? game->line_count : 1, &game->lines_min,
		&game->lines_max);
	read_range(&bet, "coins", GAME_LINE_COINS_MAX, &game->coins_min, &game->coins_max);
	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		const char *code;
		struct node node = node_nth(&currencies, i, &code);

		read_currency(&node, code, game);
	}
}

static void read_battle_outcomes(const struct node *list, struct game *game, uint32_t scatters)
{
	size_t count = node_array(list, 1, GAME_BATTLE_OUTCOMES_MAX);

	game->battle_count[scatters] = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node outcome = node_item(list, i);
		struct node weight = node_member(&outcome, "weight");
		struct node spins = node_member(&outcome, "free_spins");

		node_keys(&outcome, "weight free_spins");
		/* eight of them stay below 2^32 together */
		game->battle[scatters][i].weight = node_u32(&weight, 1, GAME_WEIGHT_MAX / 8);
		game->battle[scatters][i].free_spins = node_u32(&spins, 0, GAME_AWARD_MAX);
	}
}

static void read_battle(const struct node *root, struct game *game)
{
	struct node battle = node_member(root, "battle");
	struct node min = node_member(&battle, "scatters_min");
	struct node outcomes = node_member(&battle, "outcomes");
	size_t count = node_object(&outcomes, 1, game->reels);

	node_keys(&battle, "scatters_min outcomes");
	game->scatter_count_min = node_u32(&min, 1, game->reels);
	for (size_t i = 0; i < count; i++) {
		const char *key;
		struct node list = node_nth(&outcomes, i, &key);
		uint32_t scatters;

		if (node_number_key(&list, key, game->scatter_count_min, game->reels, &scatters))
			read_battle_outcomes(&list, game, scatters);
	}
	for (uint32_t n = game->scatter_count_min; n <= game->reels; n++)
		if (game->battle_count[n] == 0)
			node_fail(&outcomes, NULL, "outcomes for %u scatters too", n);
}

static void read_vials(const struct node *root, struct game *game)
{
	struct node vials = node_member(root, "vials");
	struct node min = node_member(&vials, "bonus_min"), shown = node_member(&vials, "shown");
	struct node picked = node_member(&vials, "picked");
	struct node outcomes = node_member(&vials, "outcomes");
	size_t count = node_array(&outcomes, 1, GAME_VIAL_OUTCOMES_MAX);

	node_keys(&vials, "bonus_min shown picked outcomes");
	game->bonus_count_min = node_u32(&min, 1, game->reels);
	game->vials_shown = node_u32(&shown, 1, GAME_VIALS_MAX);
	game->vials_picked = node_u32(&picked, 1,
		game->vials_shown < GAME_PICKS_MAX ? game->vials_shown : GAME_PICKS_MAX);
	game->vial_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct vial_outcome *vial = &game->vial[i];
		struct node node = node_item(&outcomes, i);
		struct node kind = node_member(&node, "kind"), value = node_member(&node, "value");
		struct node weight = node_member(&node, "weight");
		struct node per_coin = node_member(&node, "weight_per_coin");

		node_keys(&node, "kind value weight weight_per_coin");
		vial->kind = (enum vial_kind)node_word(&kind, "money free_spins jackpot");
		vial->value = vial->kind == VIAL_JACKPOT ? node_u32(&value, 0, 0)
							 : node_u32(&value, 1, GAME_AWARD_MAX);
		vial->weight = node_integer(&weight, 0, GAME_WEIGHT_MAX);
		vial->weight_per_coin = node_integer(&per_coin, -GAME_WEIGHT_MAX, GAME_WEIGHT_MAX);
	}
}

static void read_features(const struct node *root, struct game *game)
{
	struct node free_spins = node_member(root, "free_spins");
	struct node multiplier = node_member(&free_spins, "line_multiplier");
	struct node witches = node_member(root, "witches");
	size_t count = node_array(&witches, 0, GAME_WITCHES_MAX);
	struct node hours = node_member(root, "resolve_after_hours");

	if (game->scatter == GAME_NO_SYMBOL || game->bonus == GAME_NO_SYMBOL) {
		struct node symbols = node_member(root, "symbols");

		node_fail(&symbols, NULL, "one symbol of the kind %s among them",
			game->scatter == GAME_NO_SYMBOL ? "scatter" : "bonus");
	}
	read_battle(root, game);
	read_vials(root, game);
	node_keys(&free_spins, "line_multiplier");
	game->free_spin_line_multiplier = node_u32(&multiplier, 1, 100);
	game->witch_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node witch = node_item(&witches, i);

		node_slug(&witch, game->witch[i], sizeof(game->witch[i]));
	}
	/* RULE bewitched 7.4 */
	game->resolve_after_hours = node_u32(&hours, 1, 24 * 365);
}

static void read_gamble_limits(const struct node *limits, struct game *game)
{
	size_t count = node_object(limits, game->currency_count, game->currency_count);

	for (size_t i = 0; i < count && !limits->reader->failed; i++) {
		const char *code;
		struct node limit = node_nth(limits, i, &code);
		const struct currency *known = currency_by_code(code);
		struct game_currency *currency = NULL;

		for (uint32_t c = 0; known && c < game->currency_count; c++)
			if (game->currency[c].number == known->number)
				currency = &game->currency[c];
		if (!currency) {
			node_fail(&limit, "this name", "a currency that bets are offered in");
			return;
		}
		currency->gamble_limited = !node_is_null(&limit);
		if (currency->gamble_limited)
			currency->gamble_stake_max.minor = node_integer(&limit, 1, INT64_MAX / 4);
	}
}

static void read_gamble(const struct node *root, struct game *game)
{
	struct gamble_rules *rules = &game->gamble;
	struct node gamble = node_member(root, "gamble");
	struct node of, halve, attempts, suits, limits;
	int balance = 0;
	size_t count;

	if (node_is_null(&gamble))
		return;
	of = node_member(&gamble, "of");
	halve = node_member(&gamble, "halve");
	attempts = node_member(&gamble, "attempts_max");
	suits = node_member(&gamble, "suits");
	limits = node_member(&gamble, "stake_max");
	node_keys(&gamble, "of halve attempts_max suits stake_max");
	rules->offered = true;
	rules->base_lines_only = node_word(&of, "win base_lines") == 1;
	rules->halve = node_bool(&halve);
	rules->attempts_max = node_u32(&attempts, 1, 100);
	count = node_array(&suits, 2, 4);
	rules->suit_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node suit = node_item(&suits, i);

		rules->suit[i] = (uint8_t)node_word(&suit, "clubs diamonds hearts spades");
		balance += rules->suit[i] == 1 || rules->suit[i] == 2 ? 1 : -1;
		for (size_t other = 0; other < i; other++)
			if (rules->suit[other] == rules->suit[i])
				node_fail(&suit, NULL, "each suit once");
	}
	if (balance != 0)
		node_fail(
			&suits, NULL, "as many red suits as black: each guess wins half the time");
	read_gamble_limits(&limits, game);
}

static void read_autoplay(const struct node *root, struct game *game)
{
	struct autoplay_rules *rules = &game->autoplay;
	struct node autoplay = node_member(root, "autoplay");
	struct node spins, loss, win, jackpot, interval;

	if (node_is_null(&autoplay))
		return;
	spins = node_member(&autoplay, "spins_max");
	loss = node_member(&autoplay, "loss_limit_stops");
	win = node_member(&autoplay, "single_win_stops");
	jackpot = node_member(&autoplay, "jackpot_stop");
	interval = node_member(&autoplay, "interval_min_ms");
	node_keys(&autoplay,
		"spins_max loss_limit_stops single_win_stops jackpot_stop interval_min_ms");
	rules->offered = true;
	rules->spins_max = node_u32(&spins, 1, 1000000);
	rules->loss_rule = (enum autoplay_loss_rule)node_word(&loss, "below_zero at_zero");
	rules->win_rule = (enum autoplay_win_rule)node_word(&win, "reaches exceeds");
	rules->jackpot_stop_offered = node_bool(&jackpot);
	rules->interval_min_ms = node_u32(&interval, 0, 60000);
}

/* RULE bewitched 4.5. share = coin value in EUR / base coin value, floored to 10^-9; all factors
 * are bounded, so the 128-bit product cannot overflow. */
static int64_t jackpot_share(
	const struct jackpot_row *row, uint32_t exponent, int64_t base_coin_minor)
{
	__extension__ unsigned __int128 value = (uint64_t)row->coin_minor;

	value *= (uint64_t)row->row_rate_nano;
	value *= 100; /* EUR cents */
	for (uint32_t i = 0; i < exponent; i++)
		base_coin_minor *= 10; /* at most 10^6 x 10^4 */
	value /= (uint64_t)base_coin_minor;
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void read_jackpot_rows(
	const struct node *node, const struct currency *currency, struct jackpot_link *link)
{
	struct node rate = node_member(node, "row_rate_nano"), seeds = node_member(node, "seeds");
	size_t count = node_array(&seeds, 1, GAME_COINS_MAX);

	node_keys(node, "row_rate_nano seeds");
	for (size_t i = 0; i < count && !node->reader->failed; i++) {
		struct jackpot_row *row = &link->row[link->row_count];
		struct node pair = node_item(&seeds, i);
		struct node coin = node_member(&pair, "coin"), seed = node_member(&pair, "seed");

		node_keys(&pair, "coin seed");
		row->currency = currency->number;
		row->coin_minor = node_integer(&coin, 1, GAME_COIN_MINOR_MAX);
		row->seed_minor = node_integer(&seed, 1, INT64_C(1000000000000));
		row->row_rate_nano = node_integer(&rate, 1, INT64_C(1000000000000));
		if (strcmp(currency->code, "EUR") == 0 && row->row_rate_nano != 1000000000)
			node_fail(&rate, NULL, "1000000000: pools are kept in EUR");
		if (jackpot_row(link, row->currency, row->coin_minor))
			node_fail(&coin, NULL, "each coin value once");
		row->share_nano = jackpot_share(row, currency->exponent, link->base_coin_minor);
		link->row_count++;
	}
}

static void read_jackpot(const struct node *root, struct game *game)
{
	struct jackpot_link *link = &game->jackpot;
	struct node jackpot = node_member(root, "jackpot");
	struct node id, pool, ppm, coin, seed, rows;
	size_t count;

	if (node_is_null(&jackpot))
		return;
	id = node_member(&jackpot, "pool");
	pool = node_member(&jackpot, "pool_number");
	ppm = node_member(&jackpot, "contribution_ppm");
	coin = node_member(&jackpot, "base_coin_eur_minor");
	seed = node_member(&jackpot, "base_seed_eur_minor");
	rows = node_member(&jackpot, "rows");
	node_keys(&jackpot, "pool pool_number contribution_ppm base_coin_eur_minor "
			    "base_seed_eur_minor rows");
	node_slug(&id, link->pool_id, sizeof(link->pool_id));
	/* RULE bewitched 4.3: of each bet, told to the pool by this link */
	link->contribution_ppm = node_u32(&ppm, 1, 100000);
	link->base_coin_minor = node_integer(&coin, 1, 1000000);
	link->base_seed_minor = node_integer(&seed, 1, INT64_C(1000000000000));
	link->pool = node_u32(&pool, 1, 65535);
	count = node_object(&rows, 1, GAME_CURRENCIES_MAX);
	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		const char *code;
		struct node node = node_nth(&rows, i, &code);
		const struct currency *currency = currency_by_code(code);

		if (!currency)
			node_fail(&node, "this name", "the code of a currency, as EUR");
		else
			read_jackpot_rows(&node, currency, link);
	}
}

static void read_cards(const struct node *root, struct game *game)
{
	struct node cards = node_member(root, "cards");
	struct node set, number, eligible;

	if (node_is_null(&cards))
		return;
	set = node_member(&cards, "set");
	number = node_member(&cards, "set_number");
	eligible = node_member(&cards, "eligible");
	node_keys(&cards, "set set_number eligible");
	node_slug(&set, game->cards.set_id, sizeof(game->cards.set_id));
	game->cards.pool = node_u32(&number, 1, 65535);
	game->cards.eligible = node_bool(&eligible);
	if (!root->reader->failed && game->cards.pool == game->jackpot.pool)
		node_fail(&number, NULL, "a number that the progressive pool does not have");
}

/* The math version is of the canonical form, so that white space and the order of members do not
 * make another game. */
static bool digest(json_t *json, uint8_t *out)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);

	if (!text)
		return false;
	crypto_hash_sha256(out, (const unsigned char *)text, strlen(text));
	free(text);
	return true;
}

static void read_definition(const struct node *root, struct game *game)
{
	read_head(root, game);
	read_symbols(root, game);
	read_strips(root, game);
	read_lines(root, game);
	read_bet(root, game);
	read_features(root, game);
	read_gamble(root, game);
	read_autoplay(root, game);
	read_jackpot(root, game);
	read_cards(root, game);
	if (root->reader->failed)
		return;
	/* the compiled tables are part of what is proved */
	definition_check(root, game);
	if (root->reader->failed)
		return;
	game_compile(game);
	definition_prove(root, game);
	if (!root->reader->failed && !digest(root->json, game->digest))
		node_fail(root, "no memory", "room for its canonical form");
}

enum definition_status definition_parse(
	const char *name, const char *text, size_t count, struct game *game_r, char *error)
{
	struct definition_reader reader = { .file = name, .error = error };
	struct node root = { .reader = &reader };
	json_error_t fault;
	json_t *json;

	error[0] = 0;
	if (count > DEFINITION_FILE_MAX) {
		snprintf(error, DEFINITION_ERROR_MAX,
			"%.200s: found %zu bytes, expected at most %d", name, count,
			DEFINITION_FILE_MAX);
		return DEFINITION_UNREADABLE;
	}
	json = json_loadb(text, count, JSON_REJECT_DUPLICATES, &fault);
	if (!json) {
		snprintf(error, DEFINITION_ERROR_MAX,
			"%.200s: at line %d, column %d: found %.160s, expected JSON", name,
			fault.line, fault.column, fault.text);
		return DEFINITION_UNREADABLE;
	}
	memset(game_r, 0, sizeof(*game_r));
	root.json = json;
	read_definition(&root, game_r);
	json_decref(json);
	return reader.failed ? DEFINITION_REFUSED : DEFINITION_OK;
}

enum definition_status definition_load(const char *path, struct game *game_r, char *error)
{
	enum definition_status status = DEFINITION_UNREADABLE;
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t count;

	if (!file) {
		snprintf(error, DEFINITION_ERROR_MAX,
			"%.200s: found %s, expected a definition file", path, strerror(errno));
		return status;
	}
	text = malloc(DEFINITION_FILE_MAX + 1);
	if (!text) {
		snprintf(error, DEFINITION_ERROR_MAX, "%.200s: no memory to read it", path);
		goto out;
	}
	count = fread(text, 1, DEFINITION_FILE_MAX + 1, file);
	if (ferror(file)) {
		snprintf(error, DEFINITION_ERROR_MAX, "%.200s: found %s, expected a readable file",
			path, strerror(errno));
		goto out;
	}
	status = definition_parse(path, text, count, game_r, error);
out:
	free(text);
	fclose(file);
	return status;
}
