/* Proves the bound on phases. No money depends on these probabilities, so floating point with a
 * wide margin is enough.
 *
 * A round is a paid spin and free spins. Each spin has some phases, and spins award free spins. For
 * every n there are two Chernoff bounds: on the probability of n or more free spins, and on the
 * probability that the paid spin and n free spins have more phases than the core allows. */
#include "libcommon/game/definition/feature.h"

#include "libcommon/game/exact/spin_rank_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOUND_LOG10 (-18.0)
#define SPLITS 64
#define THETA_LEAST 1e-5
#define THETA_GROWS 1.1

/* ---- what one spin awards ---- */

#define COUNTS (GAME_REELS_MAX + 1)

/* P(a awarding scatters, s scatters of the scatter award, b bonuses, sticky respins begin) in one
 * window. */
struct triggers {
	double p[COUNTS][COUNTS][COUNTS][2];
};

/* Does a stop show a symbol that counts as `symbol`? */
static bool counted(const struct game *game, const uint32_t *count, uint8_t symbol)
{
	uint32_t symbols = game_counts_as(game, symbol);

	for (uint32_t s = 0; s < game->symbol_count; s++)
		if ((symbols >> s & 1) != 0 && count[s] > 0)
			return true;
	return false;
}

static void add_stop(const struct game *game, const uint32_t *count, uint32_t reel, double part,
	const struct triggers *from, struct triggers *to)
{
	uint32_t a = counted(game, count, game->free_spins.award_symbol);
	uint32_t s = game->scatter_count_min > 0 && counted(game, count, game->scatter[0]);
	uint32_t b = game->pick_outcome_count > 0 && count[game->bonus] > 0;
	bool begins = game->sticky.offered && reel == game->sticky.reel &&
		      count[game->sticky.symbol] >= game->sticky.at_least;

	for (uint32_t i = 0; i <= reel; i++)
		for (uint32_t j = 0; j <= reel; j++)
			for (uint32_t k = 0; k <= reel; k++)
				for (uint32_t t = 0; t < 2; t++)
					to->p[i + a][j + s][k + b][begins ? 1 : t] +=
						from->p[i][j][k][t] * part;
}

/* Reels are independent. If a potion is removed, one more symbol comes in; counting it too never
 * awards less. */
static void count_stop(const struct game *game, const struct game_strip *strip, uint32_t stop,
	uint32_t count_r[GAME_SYMBOLS_MAX])
{
	uint32_t more = game->unlock.offered ? 1 : 0;

	memset(count_r, 0, GAME_SYMBOLS_MAX * sizeof(count_r[0]));
	for (uint32_t i = 0; i < game->rows + more; i++)
		count_r[strip->symbol[(stop + strip->length - more + i) % strip->length]]++;
}

/* Covered reels show no awarding symbols. */
static void spin_triggers(
	const struct game *game, uint32_t set, uint32_t wild_reels, struct triggers *triggers_r)
{
	struct triggers next;

	memset(triggers_r, 0, sizeof(*triggers_r));
	triggers_r->p[0][0][0][0] = 1;
	for (uint32_t r = 0; r < game->reels; r++) {
		const struct game_strip *strip = &game->strips[set].reel[r];

		if (wild_reels >> r & 1)
			continue;
		memset(&next, 0, sizeof(next));
		for (uint32_t stop = 0; stop < strip->length; stop++) {
			uint32_t count[GAME_SYMBOLS_MAX];

			count_stop(game, strip, stop, count);
			add_stop(game, count, r, (double)strip->stop_weight[stop] / strip->weight,
				triggers_r, &next);
		}
		*triggers_r = next;
	}
}

/* E[exp(theta x free spins)] of a scatter award and of a pick bonus. */
static double scatter_award_factor(const struct game *game, uint32_t scatters, double theta)
{
	double sum = 0;

	if (game->scatter_count_min == 0 || scatters < game->scatter_count_min)
		return 1;
	for (uint32_t i = 0; i < game->scatter_award_count[scatters]; i++)
		sum += game->scatter_award[scatters][i].weight *
		       exp(theta * game->scatter_award[scatters][i].free_spins);
	return sum / game->scatter_award_weight[scatters];
}

static double bonus_at(const struct game *game, uint32_t y, double theta)
{
	double sum = 0;

	for (uint32_t i = 0; i < game->pick_outcome_count; i++) {
		const struct pick_outcome *pick_outcome = &game->pick_outcome[i];
		double weight =
			(double)pick_outcome->weight + (double)pick_outcome->weight_per_coin * y;

		sum += weight * (pick_outcome->kind == PICK_FREE_SPINS
						? exp(theta * pick_outcome->value)
						: 1);
	}
	return sum / game->pick_weight;
}

/* Weights are linear in y, so the worse of the two ends is the worst of all bets. */
static double bonus_factor(const struct game *game, uint32_t bonuses, double theta)
{
	double least, most;

	if (game->pick_outcome_count == 0 || bonuses < game->bonus_count_min)
		return 1;
	least = bonus_at(game, game->lines_min * game->coins_min, theta);
	most = bonus_at(game, game->lines_max * game->coins_max, theta);
	return least > most ? least : most;
}

static bool shows(
	const struct game *game, const struct game_strip *strip, uint32_t stop, uint8_t symbol)
{
	return memchr(&strip->symbol[stop], symbol, game->rows) != NULL;
}

/* The same of one sticky respin. Held cells cover scatters and add none, so free reels are a bound;
 * the locked reel is assumed to show a scatter if it can. */
static double respin_factor(const struct game *game, double theta)
{
	const struct free_spins_rules *rules = &game->free_spins;
	double p[COUNTS] = { 1 }, sum = 0, locked;

	if (rules->award_symbol == GAME_NO_SYMBOL)
		return 1;
	locked = definition_locked_with(game, rules->award_symbol) ? 1 : 0;
	for (uint32_t r = 0; r < game->reels; r++) {
		const struct game_strip *strip = &game->strips[game->sticky.strips].reel[r];
		double seen = r == game->sticky.reel ? locked : 0;

		for (uint32_t i = 0; i < strip->length && r != game->sticky.reel; i++)
			if (shows(game, strip, i, rules->award_symbol))
				seen += (double)strip->stop_weight[i] / strip->weight;
		for (uint32_t n = r + 1; n > 0; n--)
			p[n] = p[n] * (1 - seen) + p[n - 1] * seen;
		p[0] *= 1 - seen;
	}
	for (uint32_t n = 0; n <= game->reels; n++)
		sum += p[n] * exp(theta * rules->award[CONTEXT_RESPIN][n]);
	return sum;
}

static double spin_factor(const struct game *game, const struct triggers *triggers,
	enum spin_context context, double theta)
{
	double respins =
		game->sticky.offered ? pow(respin_factor(game, theta), game->sticky.spins) : 1;
	double sum = 0;

	for (uint32_t a = 0; a <= game->reels; a++)
		for (uint32_t s = 0; s <= game->reels; s++)
			for (uint32_t b = 0; b <= game->reels; b++)
				sum += (triggers->p[a][s][b][0] +
					       triggers->p[a][s][b][1] * respins) *
				       exp(theta * game->free_spins.award[context][a]) *
				       scatter_award_factor(game, s, theta) *
				       bonus_factor(game, b, theta);
	return sum;
}

/* The probability that a spin without the guarantee keeps it. */
static double guarantee_share(const struct game *game, const struct game_mode *mode)
{
	double total = mode->position_count > 0 ? mode->position_weight : 1;

	if (!mode->rank)
		return 1;
	for (uint32_t r = 0; r < game->reels; r++)
		total *= game->strips[mode->strips].reel[r].weight;
	return (double)mode->rank->weight / total;
}

/* The worst of all modes and their wild reels. A guarantee raises probabilities by at most 1 / its
 * own probability. */
static double paid_factor(const struct game *game, double theta)
{
	struct triggers triggers;
	double most = 1;

	for (uint32_t m = 0; m < game->mode_count; m++) {
		const struct game_mode *mode = &game->mode[m];
		uint32_t positions = mode->position_count > 0 ? mode->position_count : 1;

		for (uint32_t i = 0; i < positions; i++) {
			double factor;

			spin_triggers(game, mode->strips,
				mode->position_count > 0 ? mode->position[i].reels : 0, &triggers);
			factor = spin_factor(game, &triggers, CONTEXT_BASE, theta) /
				 guarantee_share(game, mode);
			most = factor > most ? factor : most;
		}
	}
	return most;
}

/* ---- how many phases one spin has ---- */

struct phases {
	double paid, free; /* at most, without respins that continue until a win */
	/* P(no line wins) in a respin that continues until a win; 0: the game has none */
	double lose;
	double often; /* how often a free spin starts them; the paid spin is assumed to */
};

static void count_phases(const struct game *game, double lose, struct phases *phases_r)
{
	const struct unlock_rules *collectibles = &game->unlock;

	*phases_r = (struct phases){ .paid = 1, .free = 1, .lose = lose };
	for (uint32_t f = 0; f < FEATURES; f++)
		if (feature_definitions[f]->phases && feature_rules[f]->offered(game)) {
			phases_r->paid += feature_definitions[f]->phases(game, CONTEXT_BASE);
			phases_r->free += feature_definitions[f]->phases(game, CONTEXT_FREE);
		}
	if (!collectibles->offered)
		return;
	for (uint32_t i = 0; i < collectibles->free_set.count; i++)
		if (collectibles->free_set.of[i].x == UINT32_C(1) << UNLOCK_MULTIPLIER)
			phases_r->often = (double)collectibles->free_set.of[i].weight /
					  collectibles->free_set.weight *
					  collectibles->free_feature.in /
					  collectibles->free_feature.of;
}

/* log P(respins until a win make up `more` phases or more, in a round of n free spins). */
static double respins_log(const struct phases *phases, double n, double more)
{
	double best = 0;

	if (more < 0)
		return 0;
	if (phases->lose <= 0)
		return -INFINITY;
	for (int percent = 2; percent < 100; percent += 2) {
		double t = -log(phases->lose) * percent / 100;
		double factor = (1 - phases->lose) * exp(t) / (1 - phases->lose * exp(t));
		double bound = log(factor) + n * log(1 - phases->often + phases->often * factor) -
			       t * more;

		best = bound < best ? bound : best;
	}
	return best;
}

/* ---- the two together ---- */

/* log P(n free spins or more are played): the paid spin and the n - 1 after it awarded them. */
struct awarding {
	double theta[160], paid_log[160], free_log[160];
	uint32_t count;
};

static void weigh_awards(const struct game *game, struct awarding *awarding_r)
{
	struct triggers triggers;

	awarding_r->count = 0;
	if (game->free_spins.offered)
		spin_triggers(game, game->free_spins.strips, 0, &triggers);
	for (double theta = THETA_LEAST; game->free_spins.offered && theta < 1;
		theta *= THETA_GROWS) {
		uint32_t i = awarding_r->count++;

		awarding_r->theta[i] = theta;
		awarding_r->paid_log[i] = log(paid_factor(game, theta));
		awarding_r->free_log[i] = log(spin_factor(game, &triggers, CONTEXT_FREE, theta));
	}
}

static double awards_log(const struct awarding *awarding, double n)
{
	double best = awarding->count > 0 ? 0 : -INFINITY;

	for (uint32_t i = 0; i < awarding->count; i++) {
		double bound =
			awarding->paid_log[i] + n * awarding->free_log[i] - awarding->theta[i] * n;

		best = bound < best ? bound : best;
	}
	return best;
}

static double phases_log10(const struct game *game, double lose)
{
	struct awarding awarding;
	struct phases phases;
	double best = 0, most;

	count_phases(game, lose, &phases);
	weigh_awards(game, &awarding);
	most = (GAME_ROUND_PHASES_MAX - phases.paid) / phases.free;
	for (int i = 1; i <= SPLITS; i++) {
		double n = floor(most * i / SPLITS);
		double more = GAME_ROUND_PHASES_MAX - phases.paid - phases.free * n;
		double spins = awards_log(&awarding, n), respins = respins_log(&phases, n, more);
		double bound = (spins > respins ? spins : respins) + log(2);

		best = bound < best ? bound : best;
	}
	return best / log(10);
}

/* The mean number of free spins that a free spin awards, for the message. */
static double awards_mean(const struct game *game)
{
	struct triggers triggers;

	if (!game->free_spins.offered)
		return 0;
	spin_triggers(game, game->free_spins.strips, 0, &triggers);
	return (spin_factor(game, &triggers, CONTEXT_FREE, 1e-6) - 1) / 1e-6;
}

/* P(no line wins) in respins that continue until a win, with the fewest lines played. */
static bool lose_until_win(const struct node *root, const struct game *game, double *lose_r)
{
	struct node collectibles = node_member(root, "potions"), features, step;
	double share = 1;

	*lose_r = 0;
	for (uint32_t i = 0; i < game->unlock.step_count; i++) {
		if (game->unlock.step[i].kind != UNLOCK_MULTIPLIER)
			continue;
		features = node_member(&collectibles, "features");
		step = node_item(&features, i);
		if (spin_rank_win_share(game, game->unlock.step[i].strips, game->lines_min,
			    &share) != SPIN_RANK_OK) {
			node_fail(
				&step, "too little memory", "enough for the windows of its strips");
			return false;
		}
		if (share <= 0) {
			node_fail(&step, "respins until a win, although no window wins",
				"strips on which a line can win");
			return false;
		}
		*lose_r = 1 - share;
	}
	return true;
}

void definition_prove(const struct node *root, const struct game *game)
{
	struct node free_spins = *root;
	double lose, log10_p;
	char found[112];

	if (!lose_until_win(root, game, &lose))
		return;
	log10_p = phases_log10(game, lose);
	if (log10_p <= BOUND_LOG10)
		return;
	if (game->free_spins.offered)
		free_spins = node_member(root, "free_spins");
	snprintf(found, sizeof(found),
		"%.3f free spins won per free spin, and a probability of 10^%.1f that a round is "
		"too long",
		awards_mean(game), log10_p);
	node_fail(&free_spins, found,
		"a probability below 10^%.0f for rounds of more than %d phases: let free spins "
		"award fewer free spins, or award them less often",
		BOUND_LOG10, GAME_ROUND_PHASES_MAX);
}
