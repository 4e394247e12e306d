/* P(a spin wins the progressive on at least one line). Follows, reel by reel, the lines that so far
 * show only its symbol. Nothing substitutes for that symbol, so few sets of lines stay alive. */
#include "libcommon/game/exact/spins.h"

#include <stdlib.h>

struct alive {
	uint64_t lines; /* bits */
	exact_count n;
};

struct alive_set {
	size_t count, room;
	struct alive *of;
};

static void alive_add(struct alive_set *set, uint64_t lines, exact_count n)
{
	size_t i = 0;

	if (lines == 0 || n == 0)
		return;
	while (i < set->count && set->of[i].lines != lines)
		i++;
	if (i == set->count) {
		if (set->count == set->room) {
			size_t room = set->room == 0 ? 64 : set->room * 2;
			struct alive *of = realloc(set->of, room * sizeof(*of));

			if (of == NULL)
				abort(); /* as GMP does */
			set->of = of;
			set->room = room;
		}
		set->of[set->count++] = (struct alive){ lines, 0 };
	}
	set->of[i].n += n;
}

/* The lines, of the first `lines`, that pass through a cell of the column with the symbol. */
static uint64_t lines_through(
	const struct game *game, uint32_t lines, uint32_t reel, const struct machine_column *column)
{
	uint64_t through = 0;

	for (uint32_t l = 0; l < lines; l++)
		if (column->symbol[game->line[l][reel]] == game->jackpot_symbols.symbol)
			through |= UINT64_C(1) << l;
	return through;
}

/* The columns of a reel by the lines that they keep alive. */
static struct alive_set reel_keeps(const struct spin_figures *figures, uint32_t lines,
	uint32_t reel, uint32_t wild_reels, uint64_t *total_r)
{
	struct alive_set keeps = { 0 };
	struct machine_column column[GAME_STRIP_MAX];
	uint32_t columns =
		machine_columns(figures->game, figures->set, reel, wild_reels, NULL, column);

	*total_r = 0;
	for (uint32_t i = 0; i < columns; i++) {
		*total_r += column[i].weight;
		alive_add(&keeps, lines_through(figures->game, lines, reel, &column[i]),
			column[i].weight);
	}
	return keeps;
}

/* The number of windows of one position that win it; *total_r: of all windows. */
static exact_count position_wins(const struct spin_figures *figures, uint32_t lines,
	uint32_t wild_reels, exact_count *total_r)
{
	const struct game *game = figures->game;
	struct alive_set alive = { 0 };
	exact_count wins = 0, behind = 1;

	alive_add(&alive, lines < 64 ? (UINT64_C(1) << lines) - 1 : UINT64_MAX, 1);
	*total_r = 1;
	for (uint32_t r = 0; r < game->reels; r++) {
		struct alive_set next = { 0 };
		uint64_t total;
		struct alive_set keeps = reel_keeps(figures, lines, r, wild_reels, &total);

		*total_r *= total;
		if (r < game->jackpot_symbols.count) {
			for (size_t i = 0; i < alive.count; i++)
				for (size_t j = 0; j < keeps.count; j++)
					alive_add(&next, alive.of[i].lines & keeps.of[j].lines,
						alive.of[i].n * keeps.of[j].n);
			free(alive.of);
			alive = next;
		} else {
			behind *= total;
		}
		free(keeps.of);
	}
	for (size_t i = 0; i < alive.count; i++)
		wins += alive.of[i].n;
	free(alive.of);
	return wins * behind;
}

void jackpot_on_lines(const struct spin_figures *figures, uint32_t lines, mpq_t p_r)
{
	mpz_t sum, total, t;

	mpz_inits(sum, total, t, NULL);
	for (uint32_t i = 0; i < position_count(figures->mode); i++) {
		exact_count all, wins = position_wins(
					 figures, lines, position_reels(figures->mode, i), &all);
		uint64_t weight = position_weight(figures->mode, i);

		mpz_set_count(t, wins);
		mpz_addmul_ui(sum, t, weight);
		mpz_set_count(t, all);
		mpz_addmul_ui(total, t, weight);
	}
	mpq_set_z(p_r, sum);
	mpz_set(mpq_denref(p_r), total);
	mpq_canonicalize(p_r);
	mpz_clears(sum, total, t, NULL);
}
