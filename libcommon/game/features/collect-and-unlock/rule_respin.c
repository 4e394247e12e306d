/* What collectibles start: respins with better strips, random wilds, a multiplier or mega wilds;
 * and the explosion, which puts question marks on the spin just paid. */
#include "libcommon/game/features/collect-and-unlock/rule.h"

#include <assert.h>

#define KIND_BIT(kind) (UINT32_C(1) << (kind))

/* Draws how many cells of a reel, then their rows. Returns the cells. A reel with none draws no
 * rows. RULE witch-feature 4.4, 5.3 */
static uint32_t draw_rows(struct round *round, struct phase *phase, uint32_t reel,
	const struct choices *counts, enum draw_meaning count_meaning,
	enum draw_meaning rows_meaning)
{
	uint32_t rows = round->game->rows;
	uint32_t count = draw_choice(round, phase, count_meaning, reel, counts);
	uint32_t index;

	assert(count <= rows);
	if (count == 0)
		return 0;
	index = draw_below(round, phase, rows_meaning, reel, row_sets(rows, count));
	return row_set(rows, count, index) << (reel * rows);
}

static uint32_t draw_random_wilds(struct round *round, struct phase *phase)
{
	uint32_t cells = 0;

	for (uint32_t r = 0; r < round->game->reels; r++)
		cells |= draw_rows(round, phase, r, &round->game->unlock.wilds[r], DRAW_WILD_COUNT,
			DRAW_WILD_ROWS);
	return cells;
}

/* RULE witch-feature 4.8, 4.9: the table has only whole blocks that do not overlap. */
static uint32_t draw_mega_wild(struct round *round, struct phase *phase)
{
	const struct unlock_rules *rules = &round->game->unlock;
	uint32_t value = draw_below(round, phase, DRAW_MEGA_WILD, 0, rules->mega_weight), i = 0;

	while (value >= rules->mega[i].weight) {
		value -= rules->mega[i++].weight;
		assert(i < rules->mega_count);
	}
	return rules->mega[i].cells;
}

static void cover(struct round *round, uint32_t cells, uint8_t symbol)
{
	for (uint32_t rest = cells; rest; rest &= rest - 1)
		round->window[__builtin_ctz(rest)] = symbol;
	round->covered |= cells;
}

static const struct unlock_step *step_for(const struct unlock_rules *rules, enum unlock_kind kind)
{
	uint32_t i = 0;

	while (i < rules->step_count && rules->step[i].kind != kind)
		i++;
	assert(i < rules->step_count); /* the loader checks each feature that can be drawn */
	return &rules->step[i];
}

/* The feature whose strips are spun: if there are two, the one that is not the multiplier. RULE
 * witch-feature 4.3: High Symbols only has its own strips. */
static enum unlock_kind spun_kind(uint32_t features)
{
	uint32_t other = features & ~KIND_BIT(UNLOCK_MULTIPLIER);

	assert((other & (other - 1)) == 0 && features != 0);
	return other ? (enum unlock_kind)__builtin_ctz(other) : UNLOCK_MULTIPLIER;
}

/* RULE witch-feature 4.5: drawn once, before the first of its respins, and kept until one wins. */
static void open_multiplier(struct round *round, struct phase *phase)
{
	if (!(round->features & KIND_BIT(UNLOCK_MULTIPLIER)))
		round->feature_multiplier = 1;
	else if (round->feature_multiplier == 0)
		round->feature_multiplier = draw_choice(
			round, phase, DRAW_MULTIPLIER, 0, &round->game->unlock.multiplier);
	phase->multiplier = round->feature_multiplier;
}

/* RULE witch-feature 4.6, 4.7: the multiplier alone is played until a win. RULE witch-feature 6.5,
 * 6.6: all others, also together with it, are one respin. RULE witch-feature 4.10, 6.10: nothing is
 * triggered, collected or awarded here. RULE witch-feature 4.2, 5.7: the bet is that of the round.
 */
void unlock_respin(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	enum unlock_kind kind;
	uint32_t wilds = 0;

	phase_open(round, PHASE_UNLOCK_RESPIN, phase);
	kind = spun_kind(round->features);
	phase->features = round->features;
	open_multiplier(round, phase);
	if (kind == UNLOCK_RANDOM_WILDS)
		wilds = draw_random_wilds(round, phase);
	else if (kind == UNLOCK_MEGA_WILD)
		wilds = draw_mega_wild(round, phase);
	spin_reels(round, phase, step_for(&game->unlock, kind)->strips, NULL);
	cover(round, wilds, game->wild);
	pay_lines(round, phase, &(struct line_terms){ .multiplier = round->feature_multiplier });
	if (kind == UNLOCK_MULTIPLIER && phase->win_count == 0)
		return;
	round->features = 0;
}

/* RULE witch-feature 5.8: a mark that falls on the free-spin symbol is void, and the symbol stays.
 * RULE witch-feature 5.4: all others become the same symbol. RULE witch-feature 5.2, 5.6: all lines
 * of the whole window are paid again, in addition to the spin's wins. */
void unlock_explode(struct round *round, struct phase *phase)
{
	const struct game *game = round->game;
	uint32_t marks = 0;

	assert(round->exploding);
	phase_open(round, PHASE_EXPLOSION, phase);
	for (uint32_t r = 0; r < game->reels; r++)
		marks |= draw_rows(
			round, phase, r, &game->unlock.marks[r], DRAW_MARK_COUNT, DRAW_MARK_ROWS);
	if (game->free_spins.award_symbol != GAME_NO_SYMBOL)
		marks &= ~cells_of(round, game->free_spins.award_symbol);
	cover(round, marks,
		(uint8_t)draw_choice(round, phase, DRAW_REVEALED, 0, &game->unlock.revealed));
	pay_lines(round, phase, &(struct line_terms){ .multiplier = 1 });
	round->exploding = false;
}
