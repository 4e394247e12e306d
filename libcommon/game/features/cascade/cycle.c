#include "libcommon/game/features/cascade/cycle.h"

#include <string.h>

uint64_t cycle_stops(const struct game *game, uint32_t set)
{
	uint64_t stops = 1;

	for (uint32_t r = 0; r < game->reels; r++)
		if (__builtin_mul_overflow(stops, game->strips[set].reel[r].length, &stops))
			return UINT64_MAX;
	return stops;
}

void cycle_terms_init(const struct game *game, uint32_t set, uint32_t lines,
	enum spin_context context, struct cycle_terms *terms_r)
{
	*terms_r = (struct cycle_terms){ .game = game,
		.set = set,
		.lines = lines,
		.context = context,
		.plain = { .multiplier = 1 } };
	if (context != CONTEXT_FREE)
		return;
	terms_r->plain.multiplier = game->free_spins.line_multiplier;
	terms_r->plain.wild_multiplier_count = game->free_spins.wild_multiplier_count;
	terms_r->plain.wild_multiplier = game->free_spins.wild_multiplier;
}

/* Each reel as the list of its remaining symbols, bottom first. Symbols that leave are removed, and
 * the window shows the first ones. */
struct reel_stack {
	const struct game_strip *strip;
	uint32_t next; /* place on the strip of the symbol above the top one */
	uint8_t symbol[GAME_ROWS_MAX];
};

static void stack_push(struct reel_stack *stack, uint32_t place)
{
	stack->symbol[place] = stack->strip->symbol[stack->next];
	stack->next = stack->next > 0 ? stack->next - 1 : stack->strip->length - 1;
}

static void stack_open(
	const struct cycle_terms *terms, uint32_t reel, uint32_t stop, struct reel_stack *stack)
{
	const struct game *game = terms->game;

	stack->strip = &game->strips[terms->set].reel[reel];
	stack->next = (stop + game->rows - 1) % stack->strip->length;
	for (uint32_t place = 0; place < game->rows; place++)
		stack_push(stack, place);
	if (terms->wild_reels >> reel & 1) /* covered cells; the strip follows them */
		memset(stack->symbol, game->wild, game->rows);
}

static void stack_take(struct reel_stack *stack, uint32_t rows, uint32_t cells)
{
	uint32_t kept = 0;

	for (uint32_t place = 0; place < rows; place++)
		if ((cells >> (rows - 1 - place) & 1) == 0)
			stack->symbol[kept++] = stack->symbol[place];
	while (kept < rows)
		stack_push(stack, kept++);
}

static void show(const struct game *game, const struct reel_stack *stacks, uint8_t *window)
{
	for (uint32_t r = 0; r < game->reels; r++)
		for (uint32_t row = 0; row < game->rows; row++)
			window[r * game->rows + row] = stacks[r].symbol[game->rows - 1 - row];
}

static uint64_t pay(const struct cycle_terms *terms, const uint8_t *window, uint32_t *cells_r)
{
	uint64_t coins = 0;

	*cells_r = 0;
	for (uint32_t l = 0; l < terms->lines; l++) {
		struct line_pay best = line_best(terms->game, window, l, &terms->plain);

		if (best.coins == 0)
			continue;
		coins += best.coins;
		*cells_r |= terms->game->line_cells[l][best.count];
	}
	return coins;
}

static uint32_t multiplier_of(const struct cycle_terms *terms, uint32_t tumble)
{
	const struct cascade_rules *rules = &terms->game->own.cascade;
	uint32_t count = rules->multiplier_count[terms->context];

	return rules->multiplier[terms->context][tumble < count ? tumble : count - 1];
}

void cycle_play(const struct cycle_terms *terms, const uint16_t stop[GAME_REELS_MAX],
	struct cycle_spin *spin_r)
{
	const struct game *game = terms->game;
	struct reel_stack stacks[GAME_REELS_MAX];
	uint8_t window[GAME_CELLS_MAX];
	uint32_t cells, column = (1u << game->rows) - 1;

	for (uint32_t r = 0; r < game->reels; r++)
		stack_open(terms, r, stop[r], &stacks[r]);
	show(game, stacks, spin_r->window);
	spin_r->first = pay(terms, spin_r->window, &cells);
	spin_r->rest = 0;
	spin_r->tumbles = 0;
	while (cells != 0 && spin_r->tumbles < game->own.cascade.tumbles_max) {
		for (uint32_t r = 0; r < game->reels; r++)
			stack_take(&stacks[r], game->rows, cells >> (r * game->rows) & column);
		show(game, stacks, window);
		spin_r->rest += pay(terms, window, &cells) * multiplier_of(terms, spin_r->tumbles);
		spin_r->tumbles++;
	}
}
