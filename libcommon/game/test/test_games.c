/* What holds for every round of every game in every mode, on random ones: each phase against the
 * definition alone, the order of phases, free spins, held cells, the state from round to round, and
 * the replay. The seed is printed; CARILLON_TEST_SEED plays it again. */
#include "libcommon/game/definition_load.h"
#include "libcommon/game/round.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <sodium.h>

#define GAMES "services/spin-engine/games"
#define ROUNDS 4000 /* a mode */

struct watching {
	const struct game *game;
	struct bet bet;
	int64_t total;
	struct phase before;
	uint32_t phases, claims;
	uint64_t draws, awarded, played;
	struct round_state state;
};

static uint32_t popcount(uint32_t cells)
{
	return (uint32_t)__builtin_popcount(cells);
}

static uint32_t seen(const struct phase *phase, uint8_t symbol)
{
	uint32_t count = 0;

	for (uint32_t cell = 0; cell < (uint32_t)phase->reels * phase->rows; cell++)
		count += phase->window[cell] == symbol;
	return count;
}

/* ---- what a phase pays, from its window ---- */

/* Best of every symbol's own run, in coins. */
static uint64_t reference_line(
	const struct game *game, const struct phase *phase, uint32_t line, bool progressive)
{
	const struct free_spins_rules *free_spins = &game->free_spins;
	uint64_t best = 0;

	for (uint32_t s = 0; s < game->symbol_count; s++) {
		const struct game_symbol *symbol = &game->symbol[s];
		uint32_t run = 0, wilds = 0, last = free_spins->wild_multiplier_count;
		uint64_t worth;

		if (symbol->kind != SYMBOL_LINE && symbol->kind != SYMBOL_WILD &&
			symbol->kind != SYMBOL_JACKPOT)
			continue;
		for (; run < game->reels; run++) {
			uint8_t on = phase->window[run * game->rows + game->line[line][run]];

			if (on != s && !(on == game->wild && symbol->kind == SYMBOL_LINE))
				break;
			wilds += on == game->wild;
		}
		if (progressive && s == game->jackpot_symbols.symbol &&
			run >= game->jackpot_symbols.count)
			return 0;
		worth = symbol->pay[run];
		if (phase->kind == PHASE_FREE_SPIN && last > 0)
			worth *= free_spins->wild_multiplier[wilds < last ? wilds : last - 1];
		if (worth > best)
			best = worth;
	}
	return best * phase->multiplier;
}

static void check_lines(const struct watching *watching, const struct phase *phase)
{
	const struct game *game = watching->game;
	const struct bet *bet = &watching->bet;
	bool spin = phase->kind == PHASE_SPIN || phase->kind == PHASE_FREE_SPIN;
	bool progressive =
		spin && (!game->jackpot_symbols.max_bet_only ||
				(bet->lines == game->lines_max && bet->coins == game->coins_max));
	int64_t paid[GAME_LINES_MAX] = { 0 };

	for (uint32_t i = 0; i < phase->win_count; i++)
		if (phase->win[i].what == WIN_LINE) {
			assert_int_equal(paid[phase->win[i].line - 1], 0);
			paid[phase->win[i].line - 1] = phase->win[i].amount.minor;
		}
	for (uint32_t l = 0; l < game->line_count; l++) {
		uint64_t coins = 0;

		if (l < bet->lines && (spin || phase->kind == PHASE_STICKY_SPIN ||
					      phase->kind == PHASE_UNLOCK_RESPIN ||
					      phase->kind == PHASE_EXPLOSION))
			coins = reference_line(game, phase, l, progressive);
		assert_int_equal(paid[l], (int64_t)coins * bet->coin_minor * bet->coins);
	}
}

static void check_scatters(const struct watching *watching, const struct phase *phase)
{
	const struct game *game = watching->game;
	enum spin_context context = phase->kind == PHASE_SPIN	     ? CONTEXT_BASE
				    : phase->kind == PHASE_FREE_SPIN ? CONTEXT_FREE
								     : CONTEXT_RESPIN;
	uint32_t awarded = 0;

	if (phase->kind != PHASE_SPIN && phase->kind != PHASE_FREE_SPIN &&
		phase->kind != PHASE_STICKY_SPIN)
		return;
	for (uint32_t i = 0; i < game->scatter_symbols; i++) {
		uint8_t symbol = game->scatter[i];
		uint32_t count = seen(phase, symbol), pay;
		int64_t paid = 0;

		if (game->symbol[symbol].wild_counts) /* RULE mystery-elves 2.7 */
			count += seen(phase, game->wild);
		pay = game->symbol[symbol].pay[count];

		for (uint32_t w = 0; w < phase->win_count; w++)
			if (phase->win[w].what == WIN_SCATTER && phase->win[w].symbol == symbol)
				paid += phase->win[w].amount.minor;
		if (i == 0 && game->scatter_count_min > 0)
			pay = 0; /* paid by its battle */
		assert_int_equal(paid, watching->total * pay);
		if (symbol == game->free_spins.award_symbol)
			awarded = game->free_spins.award[context][count];
	}
	assert_int_equal(phase->free_spins_awarded, awarded);
}

static void check_items(const struct watching *watching, const struct phase *phase)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *item = &phase->win[i];

		sum += item->amount.minor;
		assert_true(item->amount.minor > 0 || item->what == WIN_JACKPOT);
		assert_int_equal(popcount(item->cells), item->count);
		if (item->what == WIN_SCATTER || item->what == WIN_BONUS)
			assert_int_equal(item->amount.minor, watching->total * item->multiplier);
	}
	assert_int_equal(sum, phase->win_total.minor);
	for (uint32_t i = 0; i < phase->draw_count; i++)
		assert_true(phase->draw[i].value < phase->draw[i].below);
}

/* ---- windows and order ---- */

/* RULE witch-feature 3.2; RULE mona-lisa 3.4 to 3.6. Cells that are neither covered nor held show
 * the strip, but for what fell into a potion's gap. */
static void check_window(const struct watching *watching, const struct phase *phase)
{
	const struct game *game = watching->game;

	for (uint32_t cell = 0; cell < (uint32_t)phase->reels * phase->rows; cell++) {
		uint32_t r = cell / game->rows, row = cell % game->rows;
		const struct game_strip *strip = &game->strips[phase->strips].reel[r];
		uint32_t at = (phase->stop[r] + row) % strip->length;
		uint32_t above = (at + strip->length - 1) % strip->length;

		assert_true(phase->window[cell] < game->symbol_count);
		assert_true(game->symbol[phase->window[cell]].kind != SYMBOL_COLLECTIBLE);
		if (phase->held >> cell & 1) {
			if (phase->kind == PHASE_STICKY_SPIN || phase->kind == PHASE_HOLD_RESPIN)
				assert_int_equal(
					phase->window[cell], watching->before.window[cell]);
			continue;
		}
		if (phase->covered >> cell & 1 || phase->kind == PHASE_HOLD_RESPIN ||
			phase->kind == PHASE_HOLD_END)
			continue;
		assert_true(phase->window[cell] == strip->symbol[at] ||
			    (game->unlock.offered && phase->window[cell] == strip->symbol[above]));
	}
}

/* What a spin started comes in one order, and all before the next spin. */
static void check_order(const struct watching *watching, const struct phase *phase)
{
	static const uint32_t rank[] = {
		[PHASE_SPIN] = 0,
		[PHASE_FREE_SPIN] = 0,
		[PHASE_SCATTER_AWARD] = 1,
		[PHASE_BONUS] = 2,
		[PHASE_HOLD_RESPIN] = 3,
		[PHASE_HOLD_END] = 4,
		[PHASE_EXPLOSION] = 5,
		[PHASE_UNLOCK_RESPIN] = 5,
		[PHASE_STICKY_SPIN] = 6,
	};
	const struct phase *before = &watching->before;

	assert_int_equal(phase->index, watching->phases);
	assert_int_equal(phase->kind == PHASE_SPIN, phase->index == 0);
	if (phase->index == 0)
		return;
	if (phase->kind != PHASE_FREE_SPIN)
		assert_true(rank[phase->kind] >= rank[before->kind]);
	else /* nothing else is left to be played */
		assert_true(before->respins_left == 0 && !before->explodes);
	if (before->kind == PHASE_SPIN && before->explodes)
		assert_int_equal(phase->kind, PHASE_EXPLOSION);
}

static void check_state(struct watching *watching, const struct phase *phase)
{
	const struct unlock_rules *collectibles = &watching->game->unlock;
	const struct round_state *state = &phase->state;

	assert_true(state->collectibles[0] + state->collectibles[1] + state->collectibles[2] <= 2);
	assert_true(state->unlocked >= watching->state.unlocked);
	assert_true(state->unlocked < (collectibles->offered ? collectibles->step_count : 1));
	if (phase->kind != PHASE_SPIN)
		assert_memory_equal(state, &watching->state, sizeof(*state));
	watching->state = *state;
}

/* RULE mystic-gem 3.5; RULE mystery-elves 4.3 */
static void check_guarantee(const struct watching *watching, const struct phase *phase)
{
	const struct game_mode *mode = &watching->game->mode[watching->bet.mode];
	uint32_t lines = 0;

	if (phase->kind != PHASE_SPIN)
		return;
	for (uint32_t i = 0; i < phase->win_count; i++)
		lines += phase->win[i].what == WIN_LINE;
	if (mode->guarantee == GUARANTEE_LINE_WIN)
		assert_true(lines > 0);
	if (mode->guarantee == GUARANTEE_SYMBOLS)
		assert_true(seen(phase, mode->guarantee_symbol) >= mode->guarantee_min);
	if (mode->position_count > 0)
		assert_int_equal(phase->draw[0].meaning, DRAW_WILD_REELS);
}

static void check_phase(struct watching *watching, const struct phase *phase)
{
	check_items(watching, phase);
	check_lines(watching, phase);
	check_scatters(watching, phase);
	check_window(watching, phase);
	check_order(watching, phase);
	check_state(watching, phase);
	check_guarantee(watching, phase);
	watching->phases++;
	watching->draws += phase->draw_count;
	watching->awarded += phase->free_spins_awarded;
	watching->played += phase->kind == PHASE_FREE_SPIN;
	assert_int_equal(watching->awarded - watching->played,
		phase->free_spins_left + phase->free_spins_appended);
	if (phase->jackpot_hit)
		assert_int_equal(phase->claim_index, ++watching->claims);
	watching->before = *phase;
}

/* ---- rounds: RULE mystic-gem 2.13, 8.3; RULE mystery-elves 6.8; RULE mona-lisa 3.14, 3.18, 3.20,
 * 6.2; RULE witch-feature 3.4, 3.12, 3.15, 6.9, 6.12, 6.13, 8.4 ---- */

static void key_of(uint32_t seed, uint32_t number, uint8_t key[RNG_KEY_BYTES])
{
	memset(key, 0, RNG_KEY_BYTES);
	memcpy(key, &seed, sizeof(seed));
	memcpy(key + 8, &number, sizeof(number));
}

/* A bet of the mode that the game takes; false if this one is not. */
static bool random_bet(const struct game *game, uint32_t mode, struct rng *rng, struct bet *bet_r)
{
	const struct game_currency *currency =
		&game->currency[rng_below(rng, game->currency_count)];
	struct bet_error error;
	struct money stake;

	*bet_r = (struct bet){ currency->number,
		currency->coin_minor[rng_below(rng, currency->coin_count)],
		game->lines_min + rng_below(rng, game->lines_max - game->lines_min + 1),
		game->coins_min + rng_below(rng, game->coins_max - game->coins_min + 1), mode };
	if (rng_below(rng, 2) == 0) {
		bet_r->lines = game->lines_max;
		bet_r->coins = game->coins_max;
	}
	return bet_check(game, bet_r, &stake, &error) == BET_OK;
}

static void play_one(const struct game *game, const struct bet *bet,
	const struct round_state *state, const uint8_t key[RNG_KEY_BYTES], struct round_sum *sum_r)
{
	static struct phase phase, again;
	static struct watching watching;
	struct round_summing summing;
	enum round_status status;
	struct round round;
	struct rng rng;

	watching = (struct watching){ .game = game,
		.bet = *bet,
		.total = bet->coin_minor * bet->lines * bet->coins,
		.state = *state };
	rng_init(&rng, key);
	assert_int_equal(round_begin(game, bet, state, &rng, &round), ROUND_OK);
	round_sum_begin(&summing, round.stake);
	while ((status = round_next(&round, &phase)) == ROUND_OK) {
		check_phase(&watching, &phase);
		assert_true(round_sum_add(&summing, &phase));
	}
	round_sum_end(&summing, sum_r);
	assert_int_equal(status, ROUND_DONE);
	assert_int_equal(watching.draws, rng_drawn(&rng));
	assert_int_equal(watching.awarded, watching.played);
	assert_int_equal(
		sum_r->win_total.minor, sum_r->win_base_lines.minor + sum_r->win_feature.minor);
	assert_int_equal(sum_r->jackpot_hits, watching.claims);
	assert_memory_equal(&sum_r->state, &watching.state, sizeof(watching.state));
	/* the last phase again, from the key alone */
	rng_init(&rng, key);
	assert_int_equal(round_replay(game, bet, state, &rng, sum_r->phases - 1, &again), ROUND_OK);
	{
		uint8_t one[PHASE_BYTES_MAX], other[PHASE_BYTES_MAX];
		size_t count = phase_encode(&phase, one);

		assert_true(count <= PHASE_BYTES_MAX);
		assert_int_equal(count, phase_encode(&again, other));
		assert_memory_equal(one, other, count);
	}
}

static void play_mode(const struct game *game, uint32_t mode, uint32_t seed)
{
	struct round_state state = { 0 };
	uint8_t key[RNG_KEY_BYTES];
	uint32_t features = 0, played = 0;
	struct rng bets;

	key_of(seed, UINT32_MAX - mode, key);
	rng_init(&bets, key);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct round_sum sum;
		struct bet bet;

		if (!random_bet(game, mode, &bets, &bet))
			continue;
		key_of(seed, i * GAME_MODES_MAX + mode, key);
		play_one(game, &bet, &state, key, &sum);
		features += sum.phases > 1;
		played++;
		state = sum.state;
		if (i % 500 == 499)
			state = (struct round_state){ 0 };
	}
	print_message("%s %s: %u rounds, %u with features\n", game->id, game->mode[mode].id, played,
		features);
	assert_true(played > ROUNDS / 10);
}

static void test_rounds_of_every_game(void **unused)
{
	const char *given = getenv("CARILLON_TEST_SEED");
	uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 10) : (uint32_t)time(NULL);
	static struct game game;
	uint32_t games = 0;
	struct dirent *entry;
	DIR *folder = opendir(GAMES);

	(void)unused;
	print_message("CARILLON_TEST_SEED=%u\n", seed);
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		char path[512], error[DEFINITION_ERROR_MAX];
		FILE *file;

		snprintf(path, sizeof(path), GAMES "/%s/definition.json", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		fclose(file);
		if (definition_load(path, &game, error) != DEFINITION_OK)
			fail_msg("%s", error);
		for (uint32_t mode = 0; mode < game.mode_count; mode++)
			play_mode(&game, mode, seed);
		definition_free(&game);
		games++;
	}
	closedir(folder);
	assert_true(games > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds_of_every_game),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
