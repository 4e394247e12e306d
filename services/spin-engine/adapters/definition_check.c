#include "services/spin-engine/adapters/definition_check.h"

#include "libcommon/base/currency.h"
#include "services/spin-engine/core/game_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NANO 1000000000
#define BOUND_LOG10 (-18.0)
/* A free spin, the battle and the bonus it may bring. */
#define PHASES_A_SPIN 3

static const char *currency_code(uint32_t number)
{
	const struct currency *currency = currency_by_number(number);

	return currency ? currency->code : "?";
}

/* Scatters and bonus symbols are counted by reel, so a window may show one of each at most. */
static void check_spacing(const struct node *strip, const struct game *game, uint32_t reel)
{
	uint32_t length = game->strip_length[reel];

	for (uint32_t i = 0; i < length; i++) {
		uint8_t symbol = game->strip[reel][i];

		if (symbol != game->scatter && symbol != game->bonus)
			continue;
		for (uint32_t k = 1; k < game->rows; k++)
			if (game->strip[reel][(i + k) % length] == symbol) {
				struct node stop = node_item(strip, (i + k) % length);

				node_fail(&stop, NULL,
					"at least %u other symbols between two %s symbols",
					game->rows - 1, game->symbol[symbol].id);
			}
	}
}

static void check_strips(const struct node *root, const struct game *game)
{
	struct node strips = node_member(root, "strips"), symbols = node_member(root, "symbols");
	bool seen[GAME_SYMBOLS_MAX] = { false };

	for (uint32_t r = 0; r < game->reels; r++) {
		struct node strip = node_item(&strips, r);

		check_spacing(&strip, game, r);
		for (uint32_t i = 0; i < game->strip_length[r]; i++)
			seen[game->strip[r][i]] = true;
	}
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (!seen[s]) {
			struct node symbol = node_item(&symbols, s);

			node_fail(&symbol, "a symbol on no strip",
				"each symbol on one reel at least");
		}
}

/* RULE bewitched 3.9: odds of the progressive in proportion to the wager, all else balanced so that
 * the return does not depend on the bet. A demo shows more hits and is held to the sums only. */
static void check_vial(const struct node *outcomes, const struct game *game, size_t i)
{
	const struct vial_outcome *vial = &game->vial[i];
	struct node node = node_item(outcomes, i);
	int64_t y_min = (int64_t)game->lines_min * game->coins_min;
	int64_t y_max = (int64_t)game->lines_max * game->coins_max;

	if (vial->weight + vial->weight_per_coin * y_min < 0 ||
		vial->weight + vial->weight_per_coin * y_max < 0)
		node_fail(&node, NULL,
			"weight + weight_per_coin x y >= 0 for y from %" PRId64 " to %" PRId64,
			y_min, y_max);
	if (vial->kind != VIAL_JACKPOT)
		return;
	if (game->jackpot.pool == 0)
		node_fail(&node, NULL, "no jackpot outcome in a game without a pool");
	if (!game->demo && (vial->weight != 0 || vial->weight_per_coin <= 0))
		node_fail(&node, NULL,
			"odds in proportion to the wager: weight 0, weight_per_coin > 0");
}

static void check_vials(const struct node *root, const struct game *game)
{
	struct node vials = node_member(root, "vials");
	struct node outcomes = node_member(&vials, "outcomes");
	int64_t sum = 0, slope = 0, return_slope[3] = { 0 };
	bool jackpot = false;

	for (size_t i = 0; i < game->vial_count; i++) {
		const struct vial_outcome *vial = &game->vial[i];

		check_vial(&outcomes, game, i);
		sum += vial->weight;
		slope += vial->weight_per_coin;
		return_slope[vial->kind] += vial->weight_per_coin * vial->value;
		jackpot |= vial->kind == VIAL_JACKPOT;
	}
	if (game->jackpot.pool != 0 && !jackpot)
		node_fail(&outcomes, NULL, "an outcome that pays the jackpot bets contribute to");
	if (sum < 1 || sum > GAME_WEIGHT_MAX)
		node_fail(&outcomes, NULL, "weights that sum to 1 .. %d, not %" PRId64,
			GAME_WEIGHT_MAX, sum);
	if (slope != 0)
		node_fail(&outcomes, NULL, "weight_per_coin that sum to 0, not %" PRId64, slope);
	if (!game->demo && (return_slope[VIAL_MONEY] != 0 || return_slope[VIAL_FREE_SPINS] != 0))
		node_fail(&outcomes, NULL,
			"value x weight_per_coin that sum to 0 for money (%" PRId64
			") and for free spins (%" PRId64 "): the same return at every bet",
			return_slope[VIAL_MONEY], return_slope[VIAL_FREE_SPINS]);
}

/* RULE bewitched 4.2: a row for each selectable coin value and for no other; shares of all rows
 * together are at most the whole contribution, or the pool would promise more than it gets. */
static void check_jackpot(const struct node *root, const struct game *game)
{
	const struct jackpot_link *link = &game->jackpot;
	struct node jackpot, rows;
	int64_t shares = 0;
	uint32_t wanted = 0;
	char found[64];

	if (link->pool == 0)
		return;
	jackpot = node_member(root, "jackpot");
	rows = node_member(&jackpot, "rows");
	for (uint32_t c = 0; c < game->currency_count; c++)
		for (uint32_t i = 0; i < game->currency[c].coin_count; i++, wanted++)
			if (!jackpot_row(link, game->currency[c].number,
				    game->currency[c].coin_minor[i]))
				node_fail(&rows, NULL, "a row for %s and coin value %" PRId64,
					currency_code(game->currency[c].number),
					game->currency[c].coin_minor[i]);
	if (link->row_count != wanted)
		node_fail(&rows, NULL, "rows for the %u selectable coin values only, not %u",
			wanted, link->row_count);
	for (uint32_t i = 0; i < link->row_count; i++)
		shares = link->row[i].share_nano > 2 * (int64_t)NANO - shares
				 ? 2 * (int64_t)NANO
				 : shares + link->row[i].share_nano;
	snprintf(found, sizeof(found), "shares that sum to %s%.9f",
		shares >= 2 * (int64_t)NANO ? "over " : "", (double)shares / NANO);
	if (shares > NANO)
		node_fail(&rows, found, "at most 1: the rows would get more than is contributed");
}

/* The largest prize of one phase, times the phases of a round, must fit: the core adds and
 * multiplies within that and asserts. */
static void check_totals(const struct node *root, const struct game *game)
{
	struct node bet = node_member(root, "bet"), currencies = node_member(&bet, "currencies");
	__extension__ unsigned __int128 most;
	uint32_t best = 1;

	for (uint32_t s = 0; s < game->symbol_count; s++)
		for (uint32_t n = 1; n <= game->reels; n++) {
			uint32_t pay = game->symbol[s].pay[n];

			if (game->symbol[s].kind != SYMBOL_SCATTER)
				pay *= game->free_spin_line_multiplier;
			best = pay > best ? pay : best;
		}
	for (size_t i = 0; i < game->vial_count; i++)
		if (game->vial[i].kind == VIAL_MONEY && game->vial[i].value > best)
			best = game->vial[i].value;
	for (uint32_t c = 0; c < game->currency_count; c++) {
		const struct game_currency *currency = &game->currency[c];
		struct bet smallest;
		struct money stake;

		most = (uint64_t)currency->stake_max.minor;
		most = most * best * GAME_ROUND_PHASES_MAX;
		if (most > INT64_MAX / 2)
			node_fail(&currencies, NULL,
				"a stake_max of %s whose largest round fits 63 bits",
				currency_code(currency->number));
		if (bet_smallest(game, currency->number, &smallest, &stake) != BET_OK)
			node_fail(&currencies, NULL,
				"some bet of %s between stake_min and stake_max",
				currency_code(currency->number));
	}
}

void definition_check(const struct node *root, const struct game *game)
{
	check_strips(root, game);
	check_vials(root, game);
	check_jackpot(root, game);
	check_totals(root, game);
	if (game_state_bytes(game) > GAME_STATE_BYTES_MAX)
		node_fail(root, "a state of too many bytes", "at most %d", GAME_STATE_BYTES_MAX);
}

/* ---- the bound on phases ----
 * Probabilities of a proof, not money: floating point with a wide margin will do. */

/* P(scatters = s and bonuses = b) in one window; reels are independent. */
struct triggers {
	double p[GAME_REELS_MAX + 1][GAME_REELS_MAX + 1];
};

static void add_reel(const struct game *game, uint32_t reel, struct triggers *triggers)
{
	struct triggers next = { { { 0 } } };
	uint32_t length = game->strip_length[reel];

	for (uint32_t stop = 0; stop < length; stop++) {
		const uint8_t *window = &game->strip[reel][stop];
		bool scatter = memchr(window, game->scatter, game->rows) != NULL;
		bool bonus = memchr(window, game->bonus, game->rows) != NULL;

		for (uint32_t s = 0; s <= reel; s++)
			for (uint32_t b = 0; b <= reel; b++)
				next.p[s + scatter][b + bonus] += triggers->p[s][b] / length;
	}
	*triggers = next;
}

/* E[exp(theta x free spins)] of a battle and of a bonus. */
static double battle_factor(const struct game *game, uint32_t scatters, double theta)
{
	double sum = 0;

	if (scatters < game->scatter_count_min)
		return 1;
	for (uint32_t i = 0; i < game->battle_count[scatters]; i++)
		sum += game->battle[scatters][i].weight *
		       exp(theta * game->battle[scatters][i].free_spins);
	return sum / game->battle_weight[scatters];
}

static double bonus_factor(const struct game *game, uint32_t y, double theta)
{
	double sum = 0;

	for (uint32_t i = 0; i < game->vial_count; i++) {
		const struct vial_outcome *vial = &game->vial[i];
		double weight = (double)vial->weight + (double)vial->weight_per_coin * y;

		sum += weight * (vial->kind == VIAL_FREE_SPINS ? exp(theta * vial->value) : 1);
	}
	return sum / game->vial_weight;
}

/* Weights are linear in y, so the worse of the two ends is the worst of all bets. */
static double spin_factor(const struct game *game, const struct triggers *triggers, double theta)
{
	double least = bonus_factor(game, game->lines_min * game->coins_min, theta);
	double most = bonus_factor(game, game->lines_max * game->coins_max, theta);
	double bonus = least > most ? least : most, sum = 0;

	for (uint32_t s = 0; s <= game->reels; s++)
		for (uint32_t b = 0; b <= game->reels; b++)
			sum += triggers->p[s][b] * battle_factor(game, s, theta) *
			       (b >= game->bonus_count_min ? bonus : 1);
	return sum;
}

/* Chernoff: if n free spins are played, the paid spin and the first n of them awarded n at least,
 * so P <= M(theta)^(n+1) exp(-theta n) for every theta > 0. */
void definition_prove(const struct node *root, const struct game *game)
{
	struct triggers triggers = { { { 1 } } };
	double n = (double)GAME_ROUND_PHASES_MAX / PHASES_A_SPIN - 1, best = 0, mean;
	char found[96];

	for (uint32_t r = 0; r < game->reels; r++)
		add_reel(game, r, &triggers);
	for (double theta = 1e-5; theta < 1; theta *= 1.1) {
		double bound = (n + 1) * log(spin_factor(game, &triggers, theta)) - theta * n;

		if (bound < best)
			best = bound;
	}
	mean = (spin_factor(game, &triggers, 1e-6) - 1) / 1e-6;
	snprintf(found, sizeof(found),
		"%.3f free spins won by a free spin, long rounds of probability 10^%.1f", mean,
		best / log(10));
	if (best / log(10) > BOUND_LOG10)
		node_fail(root, found, "more than %d phases with a probability below 10^%.0f",
			GAME_ROUND_PHASES_MAX, BOUND_LOG10);
}
