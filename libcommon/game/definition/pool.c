/* Reads a game's links to its progressive and its set of Jackpot Cards. */
#include "libcommon/game/definition/parts.h"

#include "libcommon/base/currency.h"

#include <string.h>

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
		row->row_rate_nano = node_integer(&rate, 1, CURRENCY_RATE_NANO_MAX);
		if (strcmp(currency->code, "EUR") == 0 && row->row_rate_nano != 1000000000)
			node_fail(&rate, NULL, "1000000000, because pools are kept in EUR");
		if (jackpot_row(link, row->currency, row->coin_minor))
			node_fail(&coin, NULL, "each coin value only once");
		row->share_nano = jackpot_share(row, currency->exponent, link->base_coin_minor);
		link->row_count++;
	}
}

/* RULE bewitched 4.1: the return with the whole contribution counted as returned. Published with
 * two decimals, it must equal the highest published return plus the contribution, to two
 * decimals. */
static void read_whole(const struct node *node, struct game *game)
{
	uint32_t most = 0, ppm, sum;

	if (node_is_null(node))
		return;
	if (game->demo)
		node_fail(node, NULL, "null in a demo definition");
	ppm = node_percent_ppm(node, 1, 1000000);
	for (uint32_t m = 0; m < game->mode_count; m++)
		for (uint32_t p = 0; p < game->mode[m].published_count; p++) {
			const struct published_rtp *rtp = &game->mode[m].published[p];
			uint32_t middle = (rtp->from_ppm + rtp->below_ppm) / 2;

			most = middle > most ? middle : most;
		}
	sum = most + game->jackpot.contribution_ppm;
	if (!node->reader->failed && (ppm + 50 < sum || ppm > sum + 50))
		node_fail(node, NULL,
			"the sum of the highest published return and the contribution, %u.%04u",
			sum / 10000, sum % 10000);
	game->rtp_contribution_ppm = ppm;
}

void definition_read_jackpot(const struct node *root, struct game *game)
{
	struct jackpot_link *link = &game->jackpot;
	struct node jackpot = node_member(root, "jackpot");
	struct node id, pool, ppm, coin, seed, whole, rows;
	size_t count;

	if (node_is_null(&jackpot))
		return;
	id = node_member(&jackpot, "pool");
	pool = node_member(&jackpot, "pool_number");
	ppm = node_member(&jackpot, "contribution_ppm");
	coin = node_member(&jackpot, "base_coin_eur_minor");
	seed = node_member(&jackpot, "base_seed_eur_minor");
	whole = node_member(&jackpot, "published_with_contribution");
	rows = node_member(&jackpot, "rows");
	node_keys(&jackpot, "pool pool_number contribution_ppm base_coin_eur_minor "
			    "base_seed_eur_minor published_with_contribution rows");
	node_slug(&id, link->pool_id, sizeof(link->pool_id));
	/* RULE bewitched 4.3: the part of each bet, which this link tells the pool */
	link->contribution_ppm = node_u32(&ppm, 1, 100000);
	link->base_coin_minor = node_integer(&coin, 1, 1000000);
	link->base_seed_minor = node_integer(&seed, 1, INT64_C(1000000000000));
	link->pool = node_u32(&pool, 1, 65535);
	read_whole(&whole, game);
	count = node_object(&rows, 1, GAME_CURRENCIES_MAX);
	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		const char *code;
		struct node node = node_nth(&rows, i, &code);
		const struct currency *currency = currency_by_code(code);

		if (!currency)
			node_fail(&node, "a member of this name", "a currency code such as EUR");
		else
			read_jackpot_rows(&node, currency, link);
	}
}

void definition_read_cards(const struct node *root, struct game *game)
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
		node_fail(&number, NULL, "a number other than that of the progressive");
}
