/* Potions: what the exact mathematics says of a spin, against all rounds of small games from every
 * state, at every level of unlocking. */
#include "libcommon/game/features/collect-and-unlock/exact_parts.h"
#include "libcommon/game/exact/spins.h"
#include "libcommon/game/test/random_game.h"
#include "libcommon/game/test/round_space.h"
#include "tests/support/effort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EUR 978u
#define GAMES 5
enum { WILD, HIGH, LOW, SCATTER, RED, BLUE, GREEN, SYMBOLS };
enum { BASE, FREE, SPICY, SURE, AWARDING, SETS };

/* ---- small games ---- */

static void strip_of(struct dice *dice, struct game *game, uint32_t set, uint32_t reel)
{
	struct game_strip *strip = &game->strips[set].reel[reel];

	strip->length = game->rows + 1 + dice_below(dice, 2);
	for (uint32_t i = 0; i < strip->length; i++) {
		strip->symbol[i] = (uint8_t)dice_below(dice, 3);
		strip->stop_weight[i] = 1;
	}
	strip->stop_weight[0] = (uint16_t)(1 + dice_below(dice, 2));
}

/* Potions on the last two reels, scatters on the outer ones, as far apart as the loader wants. */
static void strips(struct dice *dice, struct game *game)
{
	for (uint32_t r = 0; r < game->reels; r++) {
		struct game_strip *base = &game->strips[BASE].reel[r];

		for (uint32_t set = BASE; set <= SPICY; set++)
			strip_of(dice, game, set, r);
		strip_of(dice, game, SURE, r);
		for (uint32_t i = 0; r < 2 && i < game->strips[SURE].reel[r].length; i++)
			game->strips[SURE].reel[r].symbol[i] = HIGH;
		if (r != 1)
			game->strips[FREE].reel[r].symbol[1] = SCATTER;
		if (r == 0) {
			base->symbol[2] = SCATTER;
			continue;
		}
		if (r == 1)
			base->length = 2 * (game->rows + 1);
		else
			base->length = game->rows + 2;
		base->symbol[base->length - 1] = r == 2 ? SCATTER : LOW;
		for (uint32_t i = 0; i < base->length; i++)
			base->stop_weight[i] = 1;
		base->symbol[0] = (uint8_t)(RED + dice_below(dice, 3));
		if (r == 1)
			base->symbol[game->rows + 1] = (uint8_t)(RED + dice_below(dice, 3));
		for (uint32_t i = 1; i < base->length; i++)
			if (base->symbol[i] == RED - 1 && i + 1 < base->length)
				base->symbol[i] = HIGH;
	}
}

/* The paid spin of games whose free spin is looked at: it only awards. */
static void awarding_strips(struct game *game)
{
	for (uint32_t r = 0; r < game->reels; r++) {
		struct game_strip *strip = &game->strips[AWARDING].reel[r];

		strip->length = game->rows + 1;
		for (uint32_t i = 0; i < strip->length; i++) {
			strip->symbol[i] = i == 0 && r != 1 ? SCATTER : r % 2 ? HIGH : LOW;
			strip->stop_weight[i] = i == 0;
		}
	}
}

static void symbols(struct dice *dice, struct game *game)
{
	static const enum symbol_kind kind[SYMBOLS] = { SYMBOL_WILD, SYMBOL_LINE, SYMBOL_LINE,
		SYMBOL_SCATTER, SYMBOL_COLLECTIBLE, SYMBOL_COLLECTIBLE, SYMBOL_COLLECTIBLE };

	game->symbol_count = SYMBOLS;
	for (uint32_t s = 0; s < SYMBOLS; s++) {
		game->symbol[s].kind = kind[s];
		game->symbol[s].id[0] = (char)('a' + s);
		for (uint32_t k = s == HIGH ? 2 : 3; k <= game->reels && s < SCATTER; k++)
			game->symbol[s].pay[k] =
				game->symbol[s].pay[k - 1] + 1 + dice_below(dice, 9);
	}
	if (dice_chance(dice, 1, 2))
		game->symbol[SCATTER].pay[1] = 2;
	game->wild = WILD;
	game->bonus = GAME_NO_SYMBOL;
	game->scatter_symbols = 1;
	game->scatter[0] = SCATTER;
	game->jackpot_symbols.symbol = GAME_NO_SYMBOL;
	game->sticky.symbol = game->hold.symbol = GAME_NO_SYMBOL;
}

static void bets(struct dice *dice, struct game *game)
{
	struct game_currency *currency = &game->currency[0];

	game->line_count = 1 + dice_below(dice, 5);
	for (uint32_t l = 0; l < game->line_count; l++)
		for (uint32_t r = 0; r < game->reels; r++)
			game->line[l][r] = (uint8_t)dice_below(dice, game->rows);
	game->lines_min = game->coins_min = game->coins_max = 1;
	game->lines_max = game->line_count;
	game->currency_count = 1;
	currency->number = EUR;
	currency->coin_count = 1;
	currency->coin_minor[0] = 1;
	currency->stake_min.minor = 1;
	currency->stake_max.minor = currency->price_max.minor = 1000000;
}

static void choices(struct choices *table, const struct choice *of, uint32_t count)
{
	table->count = count;
	memcpy(table->of, of, count * sizeof(*of));
}

static void collectibles(struct dice *dice, struct game *game)
{
	static const struct choice some[] = { { 0, 2 }, { 1, 1 } }, more[] = { { 1, 1 }, { 2, 1 } };
	static const struct choice none[] = { { 0, 1 } }, times[] = { { 2, 2 }, { 5, 1 } };
	static const struct choice sets[] = { { 1u << UNLOCK_HIGH_SYMBOLS, 1 },
		{ 1u << UNLOCK_MULTIPLIER, 2 },
		{ 1u << UNLOCK_MULTIPLIER | 1u << UNLOCK_MEGA_WILD, 1 } };
	const struct choice shown[] = { { WILD, 1 }, { dice_chance(dice, 1, 2) ? HIGH : LOW, 2 } };
	struct unlock_rules *rules = &game->unlock;

	*rules = (struct unlock_rules){ .offered = true,
		.symbol = { RED, BLUE, GREEN },
		.step_count = 4,
		.step = { { UNLOCK_HIGH_SYMBOLS, { 1, 1, 1 }, SPICY },
			{ UNLOCK_RANDOM_WILDS, { 1, 2, 0 }, SPICY },
			{ UNLOCK_MULTIPLIER, { 1, 0, 2 }, SURE },
			{ UNLOCK_MEGA_WILD, { 0, 2, 1 }, FREE } },
		.mega_count = 2,
		.mega = { { .weight = 1, .cells = 0x3 }, { .weight = 2, .cells = 0x18 } },
		.explosion = { 1, 2 },
		.explosion_locked = { [UNLOCK_RANDOM_WILDS] = { 1, 3 },
			[UNLOCK_MEGA_WILD] = { 2, 3 } },
		.free_feature = { 1, 2 } };
	rules->explosion_locked[UNLOCK_HIGH_SYMBOLS].of = 1;
	rules->explosion_locked[UNLOCK_MULTIPLIER].of = 1;
	rules->step[3].strips = SPICY;
	choices(&rules->wilds[0], some, 2);
	choices(&rules->wilds[1], none, 1);
	choices(&rules->wilds[2], more, 2);
	choices(&rules->marks[0], some, 2);
	choices(&rules->marks[1], more, 2);
	choices(&rules->marks[2], dice_chance(dice, 1, 2) ? more : some, 2);
	choices(&rules->multiplier, times, 2);
	choices(&rules->revealed, shown, 2);
	choices(&rules->free_set, sets, 3);
}

static void tiny_game(struct dice *dice, struct game *game)
{
	memset(game, 0, sizeof(*game));
	game->reels = 3;
	game->rows = 2;
	symbols(dice, game);
	bets(dice, game);
	game->strip_sets = SETS;
	strips(dice, game);
	awarding_strips(game);
	collectibles(dice, game);
	game->mode_count = 1;
	game->mode[0].price_hundredths = 100;
	game->free_spins = (struct free_spins_rules){ .offered = true,
		.strips = FREE,
		.line_multiplier = 1 + dice_below(dice, 2),
		.award_symbol = SCATTER };
	game->free_spins.award[CONTEXT_BASE][2] = 3;
	game->free_spins.award[CONTEXT_FREE][1] = 1;
	game->free_spins.award[CONTEXT_FREE][2] = 2;
	game_compile(game);
}

/* ---- comparing ---- */

static void same(const char *what, uint64_t seed, const mpq_t exact, const mpq_t counted)
{
	if (!mpq_equal(exact, counted)) {
		gmp_printf("%s: exact %Qd, counted %Qd\n", what, exact, counted);
		fail_msg("%s, seed %llu", what, (unsigned long long)seed);
	}
}

static void scaled_add(mpq_t sum, const mpq_t p, const mpq_t x)
{
	mpq_t t;

	mpq_init(t);
	mpq_mul(t, p, x);
	mpq_add(sum, sum, t);
	mpq_clear(t);
}

/* sum += p * space */
static void space_mix(struct round_space *sum, const mpq_t p, const struct round_space *space)
{
	mpq_t most_p;

	mpq_init(most_p);
	mpq_mul(most_p, p, space->most_p);
	round_space_most(sum->most, sum->most_p, space->most, most_p);
	mpq_clear(most_p);
	scaled_add(sum->mass, p, space->mass);
	scaled_add(sum->win, p, space->win);
	scaled_add(sum->win2, p, space->win2);
	scaled_add(sum->awards, p, space->awards);
	scaled_add(sum->awards2, p, space->awards2);
	scaled_add(sum->win_awards, p, space->win_awards);
	for (uint32_t i = 0; i < PHASE_KINDS; i++)
		scaled_add(sum->kind[i], p, space->kind[i]);
	for (uint32_t i = 0; i < SPACE_AWARDS_MAX; i++)
		scaled_add(sum->nothing[i], p, space->nothing[i]);
	for (uint32_t i = 0; i < 27; i++)
		scaled_add(sum->carried[i / 9][i / 3 % 3][i % 3], p,
			space->carried[i / 9][i / 3 % 3][i % 3]);
}

static void check_yield(
	uint64_t seed, const struct spin_yield *yield, const struct round_space *space)
{
	mpq_t total, zero[SPACE_AWARDS_MAX];

	mpq_init(total);
	for (uint32_t i = 0; i < SPACE_AWARDS_MAX; i++)
		mpq_init(zero[i]);
	mpq_set_ui(total, 1, 1);
	same("mass", seed, total, space->mass);
	yield_total(yield, total);
	same("explosion", seed, yield->win[SOURCE_EXPLOSION], space->kind[PHASE_EXPLOSION]);
	same("win", seed, total, space->win);
	same("awards", seed, yield->awards, space->awards);
	same("win^2", seed, yield->win2, space->win2);
	same("win awards", seed, yield->win_awards, space->win_awards);
	same("awards^2", seed, yield->awards2, space->awards2);
	for (uint32_t i = 0; i < yield->zero_count; i++)
		mpq_set(zero[yield->zero[i].awards], yield->zero[i].p);
	for (uint32_t i = 0; i < SPACE_AWARDS_MAX; i++) {
		same("P(no win, awards)", seed, zero[i], space->nothing[i]);
		mpq_clear(zero[i]);
	}
	mpq_clear(total);
}

struct case_game {
	uint64_t seed;
	struct game game;
	struct bet bet;
	struct exact_wager wager;
	struct exact_work work;
};

static void context_yield(
	struct case_game *c, enum spin_context context, struct spin_yield *yield_r)
{
	struct spin_figures *figures = spin_figures_new(
		&c->game, context == CONTEXT_BASE ? &c->game.mode[0] : NULL, context, EXACT_ALL);

	assert_int_equal(spin_figures_yield(figures, &c->wager, yield_r), EXACT_OK);
	collect_and_unlock_exact.yield(&c->work, &c->wager, context, yield_r);
	spin_figures_free(&figures);
}

/* The most of a spin with its features, and how likely it is. The paid spin in the long run stands
 * alone, or beside the free spin if that is better. */
static void check_most(
	struct case_game *c, const struct round_space *paid, const struct round_space *free_spin)
{
	static struct exact_mode mode;
	bool is_free = free_spin && mpq_cmp(free_spin->most, paid->most) >= 0;
	const struct round_space *best = is_free ? free_spin : paid;
	struct spin_yield yield;

	mpq_inits(mode.max_win, mode.max_win_probability, NULL);
	if (free_spin) {
		c->work.spin[CONTEXT_FREE] =
			spin_figures_new(&c->game, NULL, CONTEXT_FREE, EXACT_ALL);
		assert_int_equal(spin_figures_yield(c->work.spin[CONTEXT_FREE], &c->wager, &yield),
			EXACT_OK);
		yield_free(&yield);
	}
	unlock_offer_most(&c->work, &c->wager, &mode);
	same("most", c->seed, mode.max_win, best->most);
	same("P(most)", c->seed, mode.max_win_probability, best->most_p);
	assert_string_equal(mode.max_win_where,
		is_free ? "free spin and its feature" : "base spin and its feature");
	spin_figures_free(&c->work.spin[CONTEXT_FREE]);
	mpq_clears(mode.max_win, mode.max_win_probability, NULL);
}

static struct round_state state_of(uint32_t carried, uint32_t level)
{
	struct round_state state = { .unlocked = (uint8_t)level };

	unlock_state_colours(carried, state.collectibles);
	return state;
}

/* RULE witch-feature 1.6: every state at every level, and its share. */
static void check_levels(struct case_game *c)
{
	static struct exact_mode mode;
	const struct unlock_chain *chain = &unlock_of(&c->work)->chain;
	struct spin_figures *figures =
		spin_figures_new(&c->game, &c->game.mode[0], CONTEXT_BASE, EXACT_RETURN);
	struct round_space space;
	struct round_yields yields; /* the round without what potions give */
	uint32_t at = 0;
	mpq_t low, high;

	mpq_inits(yields.total, low, high, NULL);
	assert_int_equal(spin_figures_yield(figures, &c->wager, &yields.paid), EXACT_OK);
	yield_total(&yields.paid, yields.total);
	mode.state_count = 0;
	collect_and_unlock_exact.levels(&c->work, &c->wager, &yields, &mode, low, high);
	for (uint32_t level = 0; level < c->game.unlock.step_count; level++, at++)
		for (uint32_t s = 0; s < UNLOCK_STATES; s++) {
			struct round_state state = state_of(s, level);

			if (mpq_sgn(chain->carried[s]) == 0)
				continue;
			round_space_init(&space);
			round_space_walk(&c->game, &c->bet, &state, CONTEXT_BASE, low, &space);
			same(mode.state[at].name, c->seed, mode.state[at].rtp, space.win);
			round_space_free(&space);
			at++;
		}
	assert_int_equal(at, mode.state_count);
	for (uint32_t i = 0; i < mode.state_count; i++)
		mpq_clear(mode.state[i].rtp);
	yield_free(&yields.paid);
	spin_figures_free(&figures);
	mpq_clears(yields.total, low, high, NULL);
}

/* The long run: rounds from every state, weighed with the chain's shares, lead to the same shares.
 */
static void walk_long_run(struct case_game *c, struct round_space *sum_r)
{
	const struct unlock_chain *chain = &unlock_of(&c->work)->chain;

	round_space_init(sum_r);
	for (uint32_t s = 0; s < UNLOCK_STATES; s++) {
		struct round_state state = state_of(s, c->game.unlock.step_count - 1);
		struct round_space space;

		if (mpq_sgn(chain->carried[s]) == 0)
			continue;
		round_space_init(&space);
		round_space_walk(&c->game, &c->bet, &state, CONTEXT_BASE, c->wager.jackpot, &space);
		space_mix(sum_r, chain->carried[s], &space);
		round_space_free(&space);
	}
}

static void check_long_run(struct case_game *c)
{
	const struct unlock_chain *chain = &unlock_of(&c->work)->chain;
	struct round_space sum;
	struct spin_yield yield;

	walk_long_run(c, &sum);
	for (uint32_t s = 0; s < UNLOCK_STATES; s++) {
		uint8_t held[GAME_COLOURS];

		unlock_state_colours(s, held);
		same("share", c->seed, chain->carried[s], sum.carried[held[0]][held[1]][held[2]]);
	}
	context_yield(c, CONTEXT_BASE, &yield);
	check_yield(c->seed, &yield, &sum);
	check_most(c, &sum, NULL);
	yield_free(&yield);
	round_space_free(&sum);
}

static void check_free_spin(struct case_game *c)
{
	struct round_space space, paid;
	struct spin_yield yield;

	walk_long_run(c, &paid);
	context_yield(c, CONTEXT_FREE, &yield);
	c->game.mode[0].strips = AWARDING;
	game_compile(&c->game);
	round_space_init(&space);
	round_space_walk(&c->game, &c->bet, NULL, CONTEXT_FREE, c->wager.jackpot, &space);
	check_yield(c->seed, &yield, &space);
	c->game.mode[0].strips = BASE;
	game_compile(&c->game);
	check_most(c, &paid, &space);
	yield_free(&yield);
	round_space_free(&space);
	round_space_free(&paid);
}

static void with_game(uint64_t seed, void (*check)(struct case_game *))
{
	static struct case_game c;
	struct dice dice = { seed };

	c = (struct case_game){ .seed = seed };
	tiny_game(&dice, &c.game);
	c.bet = (struct bet){
		.currency = EUR, .coin_minor = 1, .coins = 1, .lines = c.game.lines_max
	};
	c.wager = (struct exact_wager){ .lines = c.bet.lines, .coins = 1, .max = true };
	mpq_init(c.wager.jackpot);
	c.work = (struct exact_work){ .game = &c.game, .depth = EXACT_ALL };
	assert_int_equal(collect_and_unlock_exact.prepare(&c.work), EXACT_OK);
	check(&c);
	collect_and_unlock_exact.free(&c.work);
	mpq_clear(c.wager.jackpot);
}

/* RULE witch-feature 3.5, 3.7 to 3.11, 4.1 to 4.9, 5.1 to 5.8 */
static void test_states_are_those_of_all_rounds(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(GAMES); seed++)
		with_game(seed, check_levels);
}

static void test_long_run_is_that_of_all_rounds(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(GAMES); seed++)
		with_game(seed, check_long_run);
}

/* RULE witch-feature 6.3 to 6.8 */
static void test_free_spin_is_that_of_all_rounds(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(GAMES); seed++)
		with_game(seed, check_free_spin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states_are_those_of_all_rounds),
		cmocka_unit_test(test_long_run_is_that_of_all_rounds),
		cmocka_unit_test(test_free_spin_is_that_of_all_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
