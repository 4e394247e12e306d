#include "services/spin-engine/core/round.h"

#include <assert.h>
#include <string.h>

/* The loader's bounds (GAME_PAY_MAX, GAME_COIN_MINOR_MAX, ...) keep every product and every sum of
 * a round far from 2^63; a definition that could reach it never gets here. */
static struct money times(struct money amount, uint32_t factor)
{
	struct money product;
	bool fits = money_mul(amount, factor, &product);

	assert(fits);
	return product;
}

static void add_draw(struct phase *phase, enum draw_meaning meaning, uint32_t reel, uint32_t below,
	uint32_t value)
{
	assert(phase->draw_count < PHASE_DRAWS_MAX);
	phase->draw[phase->draw_count++] = (struct draw){
		.meaning = (uint8_t)meaning, .reel = (uint8_t)reel, .below = below, .value = value
	};
}

/* RULE bewitched 2.3, 2.8: wins are added. */
static void add_win(struct phase *phase, struct win_item item)
{
	bool fits = money_add(phase->win_total, item.amount, &phase->win_total);

	assert(fits && phase->win_count < PHASE_WINS_MAX);
	phase->win[phase->win_count++] = item;
}

enum round_status round_begin(const struct game *game, const struct bet *bet,
	const struct game_state *state, struct rng *rng, struct round *round_r)
{
	struct bet_error error;
	struct money stake, line_bet;

	(void)state; /* RULE bewitched 2.7: neither the witch nor anything else carried changes a
			round */
	if (bet_check(game, bet, &stake, &error) != BET_OK)
		return ROUND_BAD_BET;
	line_bet = times(money_of(bet->coin_minor), bet->coins);
	*round_r = (struct round){
		.game = game, .rng = rng, .bet = *bet, .stake = stake, .line_bet = line_bet
	};
	return ROUND_OK;
}

/* Fields that every kind of phase has; the arrays are filled only as far as their counts. */
static void phase_open(struct round *round, enum phase_kind kind, struct phase *phase)
{
	const struct game *game = round->game;

	phase->index = round->phases++;
	phase->kind = kind;
	phase->needs_player = NEEDS_NOTHING;
	phase->picks_needed = 0;
	phase->vials_shown = 0;
	phase->reels = (uint8_t)game->reels;
	phase->rows = (uint8_t)game->rows;
	phase->win_count = 0;
	phase->win_total = money_of(0);
	phase->feature_cells = 0;
	phase->feature_count = 0;
	phase->battle_won = false;
	phase->outcome = VIAL_MONEY;
	phase->outcome_value = 0;
	phase->free_spins_awarded = 0;
	phase->multiplier = 1;
	phase->jackpot_hit = false;
	phase->claim_index = 0;
	phase->draw_count = 0;
}

static void phase_close(const struct round *round, struct phase *phase)
{
	memcpy(phase->stop, round->stop, sizeof(phase->stop));
	memcpy(phase->window, round->window, sizeof(phase->window));
	phase->free_spins_left = round->free_left;
	phase->free_spins_appended = round->free_appended;
}

static void spin_reels(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;

	round->scatters = round->bonuses = 0;
	round->scatter_cells = round->bonus_cells = 0;
	for (uint32_t r = 0; r < game->reels; r++) {
		uint32_t stop = rng_below(round->rng, game->strip_length[r]);
		const uint8_t *symbols = &game->strip[r][stop];

		add_draw(phase, DRAW_STOP, r, game->strip_length[r], stop);
		round->stop[r] = (uint16_t)stop;
		for (uint32_t row = 0; row < game->rows; row++) {
			uint32_t cell = r * game->rows + row;
			uint8_t symbol = symbols[row];

			round->window[cell] = symbol;
			if (symbol == game->scatter) {
				round->scatters++;
				round->scatter_cells |= UINT32_C(1) << cell;
			} else if (symbol == game->bonus) {
				round->bonuses++;
				round->bonus_cells |= UINT32_C(1) << cell;
			}
		}
	}
	if (round->scatters < game->scatter_count_min) /* RULE bewitched 3.2 */
		round->scatters = 0;
	if (round->bonuses < game->bonus_count_min) /* RULE bewitched 3.5 */
		round->bonuses = 0;
}

/* One line, from the leftmost reel on (RULE bewitched 2.1), the best combination only (RULE
 * bewitched 2.2). The wild stands for every line symbol, never for scatter or bonus, which end a
 * run like any other stranger (RULE bewitched 3.1). */
static bool line_win(const struct game *game, const uint8_t *window, uint32_t line, uint32_t *pay_r,
	uint32_t *symbol_r, uint32_t *count_r)
{
	const uint8_t *row = game->line[line];
	uint32_t wilds = 0, count;
	uint32_t symbol = GAME_NO_SYMBOL;

	while (wilds < game->reels && window[wilds * game->rows + row[wilds]] == game->wild)
		wilds++;
	count = wilds;
	if (wilds < game->reels) {
		symbol = window[wilds * game->rows + row[wilds]];
		if (game->symbol[symbol].kind == SYMBOL_LINE)
			for (count++; count < game->reels; count++) {
				uint8_t next = window[count * game->rows + row[count]];

				if (next != symbol && next != game->wild)
					break;
			}
		else
			symbol = GAME_NO_SYMBOL;
	}
	*pay_r = symbol == GAME_NO_SYMBOL ? 0 : game->symbol[symbol].pay[count];
	*symbol_r = symbol;
	*count_r = count;
	if (game->wild_pay[wilds] > *pay_r) {
		*pay_r = game->wild_pay[wilds];
		*symbol_r = game->wild_as[wilds];
		*count_r = wilds;
	}
	return *pay_r > 0;
}

static void pay_lines(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;

	for (uint32_t l = 0; l < round->bet.lines; l++) { /* RULE bewitched 1.1: selected lines */
		uint32_t pay, symbol, count;
		uint32_t cells = 0;

		if (!line_win(game, round->window, l, &pay, &symbol, &count))
			continue;
		for (uint32_t r = 0; r < count; r++)
			cells |= UINT32_C(1) << (r * game->rows + game->line[l][r]);
		/* RULE bewitched 2.4, 3.12 */
		add_win(phase,
			(struct win_item){ .what = WIN_LINE,
				.symbol = (uint8_t)symbol,
				.count = (uint8_t)count,
				.line = (uint8_t)(l + 1),
				.cells = cells,
				.multiplier = phase->multiplier,
				.amount = times(times(round->line_bet, pay), phase->multiplier) });
	}
}

/* RULE bewitched 3.11: called for battles and bonus rounds alone. RULE bewitched 3.15: what is won
 * while free spins are played is played after them; together what one paid spin awards is one set.
 */
static void award_free_spins(struct round *round, struct phase *phase, uint32_t count)
{
	phase->free_spins_awarded = count;
	if (round->free_started)
		round->free_appended += count;
	else
		round->free_left += count;
}

static void play_spin(struct round *round, struct phase *phase)
{
	phase_open(round, PHASE_SPIN, phase);
	round->spin_played = true;
	spin_reels(round, phase);
	pay_lines(round, phase);
}

/* RULE bewitched 3.12, 3.16: doubled, also in free spins won by free spins. RULE bewitched 3.14:
 * the bet is that of the round. RULE bewitched 6.2: the first waits for the player.
 * RULE bewitched 3.18: no stake is taken, so nothing is contributed either. */
static void play_free_spin(struct round *round, struct phase *phase)
{
	phase_open(round, PHASE_FREE_SPIN, phase);
	if (round->free_left == 0) {
		round->free_left = round->free_appended;
		round->free_appended = 0;
	}
	round->free_left--;
	if (!round->free_started)
		phase->needs_player = NEEDS_START;
	round->free_started = true;
	phase->multiplier = round->game->free_spin_line_multiplier;
	spin_reels(round, phase);
	pay_lines(round, phase);
}

/* RULE bewitched 3.2 to 3.4; never multiplied by the free spins, RULE bewitched 3.13. */
static void play_battle(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	uint32_t count = round->scatters;
	uint32_t pay = game->symbol[game->scatter].pay[count];
	uint32_t value = rng_below(round->rng, game->battle_weight[count]);
	uint32_t below = 0, i = 0;

	phase_open(round, PHASE_BATTLE, phase);
	add_draw(phase, DRAW_BATTLE, 0, game->battle_weight[count], value);
	while (value >= below + game->battle[count][i].weight)
		below += game->battle[count][i++].weight;
	phase->feature_cells = round->scatter_cells;
	phase->feature_count = count;
	phase->battle_won = game->battle[count][i].free_spins > 0;
	if (pay > 0)
		add_win(phase, (struct win_item){ .what = WIN_SCATTER,
				       .symbol = game->scatter,
				       .count = (uint8_t)count,
				       .cells = round->scatter_cells,
				       .multiplier = pay,
				       .amount = times(round->stake, pay) });
	award_free_spins(round, phase, game->battle[count][i].free_spins);
	round->scatters = 0;
}

/* RULE bewitched 3.7, 3.9: one draw over all outcomes, with weights by y = lines x coins. */
static const struct vial_outcome *draw_vial(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	int64_t y = (int64_t)round->bet.lines * round->bet.coins;
	uint32_t value = rng_below(round->rng, game->vial_weight), i = 0;
	int64_t below = game->vial[0].weight + game->vial[0].weight_per_coin * y;

	add_draw(phase, DRAW_VIAL, 0, game->vial_weight, value);
	while (value >= below) {
		i++;
		assert(i < game->vial_count); /* the loader proved the sum */
		below += game->vial[i].weight + game->vial[i].weight_per_coin * y;
	}
	return &game->vial[i];
}

/* RULE bewitched 3.5 to 3.10: the outcome is drawn; which vials the player then picks is his to
 * choose and changes nothing. RULE bewitched 3.13: never multiplied. */
static void play_bonus(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	const struct vial_outcome *vial;

	phase_open(round, PHASE_BONUS, phase);
	phase->needs_player = NEEDS_PICKS;
	phase->picks_needed = game->vials_picked;
	phase->vials_shown = game->vials_shown;
	phase->feature_cells = round->bonus_cells;
	phase->feature_count = round->bonuses;
	vial = draw_vial(round, phase);
	phase->outcome = vial->kind;
	phase->outcome_value = vial->value;
	switch (vial->kind) {
	case VIAL_MONEY: /* RULE bewitched 3.8 */
		add_win(phase, (struct win_item){ .what = WIN_BONUS,
				       .symbol = game->bonus,
				       .count = (uint8_t)round->bonuses,
				       .cells = round->bonus_cells,
				       .multiplier = vial->value,
				       .amount = times(round->stake, vial->value) });
		break;
	case VIAL_FREE_SPINS: /* RULE bewitched 3.10 */
		award_free_spins(round, phase, vial->value);
		break;
	case VIAL_JACKPOT: /* RULE bewitched 3.9, 3.19: priced by the pool, in the order of the
			      round */
		phase->jackpot_hit = true;
		phase->claim_index = ++round->claims;
		break;
	}
	round->bonuses = 0;
}

enum round_status round_next(struct round *round, struct phase *phase_r)
{
	bool free_spins = round->free_left > 0 || round->free_appended > 0;

	if (round->spin_played && !round->scatters && !round->bonuses && !free_spins)
		return ROUND_DONE;
	/* RULE bewitched 3.17: free spins have no limit, memory and time have. */
	if (round->phases >= GAME_ROUND_PHASES_MAX)
		return ROUND_PHASE_LIMIT;
	if (!round->spin_played)
		play_spin(round, phase_r);
	else if (round->scatters)
		play_battle(round, phase_r);
	else if (round->bonuses)
		play_bonus(round, phase_r);
	else
		play_free_spin(round, phase_r);
	phase_close(round, phase_r);
	return ROUND_OK;
}

/* RULE bewitched 7.2: the point a player had reached is played again from the same stream. */
enum round_status round_replay(const struct game *game, const struct bet *bet,
	const struct game_state *state, struct rng *rng, uint32_t index, struct phase *phase_r)
{
	struct round round;
	enum round_status status = round_begin(game, bet, state, rng, &round);

	for (uint32_t i = 0; status == ROUND_OK && i <= index; i++)
		status = round_next(&round, phase_r);
	return status;
}
