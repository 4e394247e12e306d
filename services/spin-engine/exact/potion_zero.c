/* Windows that win nothing: how likely they are. */
#include "services/spin-engine/exact/potion_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Forward over the machine's states, along what gains nothing. */
static exact_count zero_ways(const struct reel_machine *machine)
{
	exact_count *mass = potion_take(sizeof(*mass)), zero = 0;
	uint32_t states = 1;

	mass[0] = 1;
	for (uint32_t r = 0; r < machine->reels; r++) {
		const struct machine_reel_states *reel = &machine->reel[r];
		bool last = r + 1 == machine->reels;
		uint32_t after = last ? 1 : machine->reel[r + 1].states;
		exact_count *next = potion_take(after * sizeof(*next));

		memset(next, 0, after * sizeof(*next));
		for (uint32_t s = 0; s < states; s++)
			for (uint32_t c = 0; mass[s] != 0 && c < reel->columns; c++) {
				size_t at = (size_t)s * reel->columns + c;

				if (reel->gain[at] == 0)
					next[reel->next[at]] += mass[s] * reel->weight[c];
			}
		potion_give(mass, states * sizeof(*mass));
		mass = next;
		states = after;
	}
	zero = mass[0];
	potion_give(mass, states * sizeof(*mass));
	return zero;
}

void potion_no_win(const struct game *game, uint32_t set, uint32_t lines, mpq_t p_r)
{
	struct machine_input input = { .game = game, .lines = lines };
	struct machine_column *columns =
		potion_take(GAME_REELS_MAX * GAME_STRIP_MAX * sizeof(*columns));
	struct reel_machine *machine;

	for (uint32_t r = 0; r < game->reels; r++)
		input.reel[r] = (struct machine_reel){ .column = columns + r * GAME_STRIP_MAX,
			.count = machine_columns(
				game, set, r, 0, NULL, columns + r * GAME_STRIP_MAX) };
	machine = reel_machine_new(&input);
	assert(machine != NULL);
	mpz_set_count(mpq_numref(p_r), zero_ways(machine));
	mpz_set_count(mpq_denref(p_r), machine->total);
	mpq_canonicalize(p_r);
	reel_machine_free(&machine);
	potion_give(columns, GAME_REELS_MAX * GAME_STRIP_MAX * sizeof(*columns));
}
