/* Windows by tag: their number, and what their lines pay. */
#include "libcommon/game/exact/spins.h"

#include <stdlib.h>
#include <string.h>

void spin_rows_clear(struct spin_figures *figures)
{
	for (uint32_t i = 0; i < figures->row_count; i++) {
		struct spin_row *row = &figures->row[i];

		mpz_clears(row->n, row->coins, row->coins2, row->jackpots, row->jackpot_coins,
			row->nothing, NULL);
	}
	figures->row_count = 0;
	figures->win_count = 0;
	figures->has_rows = false;
	mpz_set_ui(figures->total, 0);
}

static struct spin_row *row_of(struct spin_figures *figures, uint32_t tag)
{
	struct spin_row *row;

	for (uint32_t i = 0; i < figures->row_count; i++)
		if (figures->row[i].tag == tag)
			return &figures->row[i];
	if (figures->row_count == figures->row_room) {
		uint32_t room = figures->row_room == 0 ? 32 : figures->row_room * 2;

		row = realloc(figures->row, room * sizeof(*row));
		if (row == NULL)
			return NULL;
		figures->row = row;
		figures->row_room = room;
	}
	row = &figures->row[figures->row_count++];
	row->tag = tag;
	mpz_inits(row->n, row->coins, row->coins2, row->jackpots, row->jackpot_coins, row->nothing,
		NULL);
	return row;
}

/* ---- tags alone: reel by reel ---- */

struct tags {
	uint32_t count, room;
	struct tag {
		uint32_t tag;
		exact_count n;
	} * of;
};

static bool tags_add(struct tags *tags, uint32_t tag, exact_count n)
{
	uint32_t i = 0;

	while (i < tags->count && tags->of[i].tag != tag)
		i++;
	if (i == tags->count) {
		if (tags->count == tags->room) {
			uint32_t room = tags->room == 0 ? 32 : tags->room * 2;
			struct tag *of = realloc(tags->of, room * sizeof(*of));

			if (of == NULL)
				return false;
			tags->of = of;
			tags->room = room;
		}
		tags->of[tags->count++] = (struct tag){ tag, 0 };
	}
	tags->of[i].n += n;
	return true;
}

static bool reel_tags(
	const struct spin_figures *figures, uint32_t reel, uint32_t wild_reels, struct tags *tags)
{
	struct machine_column column[GAME_STRIP_MAX];
	uint32_t columns = machine_columns(
		figures->game, figures->set, reel, wild_reels, figures->counters.tag_of, column);
	bool added = true;

	for (uint32_t i = 0; added && i < columns; i++)
		added = tags_add(tags, column[i].tag, column[i].weight);
	return added;
}

static bool position_tags(
	const struct spin_figures *figures, uint32_t wild_reels, struct tags *tags_r)
{
	bool added = tags_add(tags_r, 0, 1);

	for (uint32_t r = 0; added && r < figures->game->reels; r++) {
		struct tags reel = { 0 }, sum = { 0 };

		added = reel_tags(figures, r, wild_reels, &reel);
		for (uint32_t i = 0; added && i < tags_r->count; i++)
			for (uint32_t j = 0; added && j < reel.count; j++)
				added = tags_add(&sum, tags_r->of[i].tag + reel.of[j].tag,
					tags_r->of[i].n * reel.of[j].n);
		free(tags_r->of);
		free(reel.of);
		*tags_r = sum;
	}
	return added;
}

enum exact_status spin_tags(struct spin_figures *figures)
{
	bool added = true;
	mpz_t n;

	mpz_init(n);
	spin_rows_clear(figures);
	for (uint32_t i = 0; added && i < position_count(figures->mode); i++) {
		struct tags tags = { 0 };

		added = position_tags(figures, position_reels(figures->mode, i), &tags);
		for (uint32_t j = 0; added && j < tags.count; j++) {
			struct spin_row *row = row_of(figures, tags.of[j].tag);

			added = row != NULL;
			if (!added)
				break;
			mpz_set_count(n, tags.of[j].n);
			mpz_mul_ui(n, n, position_weight(figures->mode, i));
			mpz_add(row->n, row->n, n);
			mpz_add(figures->total, figures->total, n);
		}
		free(tags.of);
	}
	mpz_clear(n);
	return added ? EXACT_OK : EXACT_NO_MEMORY;
}

/* ---- tags with the lines ---- */

static struct machine_outcome *position_outcomes(const struct spin_figures *figures,
	uint32_t wild_reels, uint32_t lines, bool live, size_t *count_r)
{
	const struct game *game = figures->game;
	struct machine_column(*column)[GAME_STRIP_MAX] = malloc(game->reels * sizeof(*column));
	struct machine_input input = { .game = game,
		.lines = lines,
		.wild_multiplier_count = figures->terms.wild_multiplier_count,
		.wild_multiplier = figures->terms.wild_multiplier,
		.no_jackpot_pay = live };
	struct machine_outcome *outcome = NULL;
	struct reel_machine *machine;

	if (column == NULL)
		return NULL;
	for (uint32_t r = 0; r < game->reels; r++) {
		input.reel[r].column = column[r];
		input.reel[r].count = machine_columns(
			game, figures->set, r, wild_reels, figures->counters.tag_of, column[r]);
	}
	machine = reel_machine_new(&input);
	if (machine) {
		outcome = reel_machine_distribution(machine, count_r);
		reel_machine_free(&machine);
	}
	free(column);
	return outcome;
}

/* Does the spin keep the mode's guarantee? */
static bool is_kept(const struct spin_figures *figures, const struct machine_outcome *outcome)
{
	const struct game_mode *mode = figures->mode;

	if (mode == NULL)
		return true;
	switch (mode->guarantee) {
	case GUARANTEE_NONE:
		return true;
	case GUARANTEE_LINE_WIN:
		return outcome->win > 0 || outcome->jackpots > 0;
	case GUARANTEE_SYMBOLS:
		return tag_count(&figures->counters, outcome->tag, mode->guarantee_symbol) >=
		       mode->guarantee_min;
	}
	return true;
}

static bool win_add(struct spin_figures *figures, struct spin_win win)
{
	if (figures->win_count == figures->win_room) {
		size_t room = figures->win_room == 0 ? 1024 : figures->win_room * 2;
		struct spin_win *list = realloc(figures->win, room * sizeof(*list));

		if (list == NULL)
			return false;
		figures->win = list;
		figures->win_room = room;
	}
	figures->win[figures->win_count++] = win;
	return true;
}

static void row_add(struct spin_row *row, exact_count n, uint64_t coins, bool jackpot)
{
	mpz_t count, product;

	mpz_inits(count, product, NULL);
	mpz_set_count(count, n);
	mpz_add(row->n, row->n, count);
	mpz_mul_ui(product, count, coins);
	mpz_add(row->coins, row->coins, product);
	if (jackpot) {
		mpz_add(row->jackpots, row->jackpots, count);
		mpz_add(row->jackpot_coins, row->jackpot_coins, product);
	}
	mpz_addmul_ui(row->coins2, product, coins);
	if (coins == 0 && !jackpot)
		mpz_add(row->nothing, row->nothing, count);
	mpz_clears(count, product, NULL);
}

/* tag_yield counts the progressive by symbols anywhere, from the tag. */
static bool wins_anywhere(const struct spin_figures *figures, uint32_t tag)
{
	const struct jackpot_symbols *rules = &figures->game->jackpot_symbols;

	return rules->anywhere && figures->row_live &&
	       tag_count(&figures->counters, tag, rules->symbol) >= rules->count;
}

static bool outcome_add(
	struct spin_figures *figures, const struct machine_outcome *outcome, uint64_t weight)
{
	struct spin_row *row = row_of(figures, outcome->tag);
	exact_count n = outcome->count * weight;
	uint64_t coins = outcome->win * figures->terms.multiplier;
	bool jackpot = outcome->jackpots > 0 && !figures->game->jackpot_symbols.anywhere;

	if (row == NULL)
		return false;
	row_add(row, n, coins, jackpot);
	if (figures->depth != EXACT_ALL)
		return true;
	coins += tag_scatter_pay(figures, outcome->tag) * figures->row_lines;
	jackpot = jackpot || wins_anywhere(figures, outcome->tag);
	return win_add(figures, (struct spin_win){ .coins = coins, .jackpot = jackpot, .n = n });
}

static int by_win(const void *a, const void *b)
{
	const struct spin_win *x = a, *y = b;

	if (x->jackpot != y->jackpot)
		return x->jackpot ? 1 : -1;
	return (x->coins > y->coins) - (x->coins < y->coins);
}

static void wins_merge(struct spin_figures *figures)
{
	size_t kept = 0;

	if (figures->win_count == 0)
		return;
	qsort(figures->win, figures->win_count, sizeof(*figures->win), by_win);
	for (size_t i = 0; i < figures->win_count; i++)
		if (kept > 0 && by_win(&figures->win[kept - 1], &figures->win[i]) == 0)
			figures->win[kept - 1].n += figures->win[i].n;
		else
			figures->win[kept++] = figures->win[i];
	figures->win_count = kept;
}

enum exact_status spin_rows(struct spin_figures *figures, uint32_t lines, bool live)
{
	bool added = true;

	spin_rows_clear(figures);
	figures->row_lines = lines;
	figures->row_live = live;
	for (uint32_t i = 0; added && i < position_count(figures->mode); i++) {
		size_t count;
		struct machine_outcome *outcome = position_outcomes(
			figures, position_reels(figures->mode, i), lines, live, &count);

		added = outcome != NULL;
		for (size_t j = 0; added && j < count; j++)
			if (is_kept(figures, &outcome[j]))
				added = outcome_add(
					figures, &outcome[j], position_weight(figures->mode, i));
		free(outcome);
	}
	wins_merge(figures);
	for (uint32_t i = 0; i < figures->row_count; i++)
		mpz_add(figures->total, figures->total, figures->row[i].n);
	figures->has_rows = added;
	return added ? EXACT_OK : EXACT_NO_MEMORY;
}
