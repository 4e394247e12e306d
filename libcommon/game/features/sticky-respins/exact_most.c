/* The largest win of one sticky respin. Each respin counts as a spin of its own, because the player
 * starts it like a free spin. Given the trigger, the reels are independent, held cells included. */
#include "libcommon/game/exact/most.h"
#include "libcommon/game/features/sticky-respins/exact_parts.h"

struct respin_most {
	const struct game *game;
	uint32_t lines;
	struct counted counted;
};

static bool beside_lines(const void *of, uint32_t tag, uint64_t *coins_r)
{
	const struct respin_most *most = of;

	*coins_r = (uint64_t)counted_worth(most->game, &most->counted, CONTEXT_RESPIN, tag).pay *
		   most->lines;
	return true;
}

static void open_input(struct respin_most *most, const struct sticky_spin *spin, uint32_t time,
	struct most_input *input)
{
	const struct game *game = most->game;

	*input = (struct most_input){
		.game = game, .lines = most->lines, .sides = 1, .beside = beside_lines, .of = most
	};
	for (uint32_t r = 0; r < game->reels; r++) {
		struct sticky_ways ways;

		sticky_at(spin, r, time, &ways);
		for (size_t i = 0; i < ways.count; i++) {
			uint64_t column = ways.way[i].column;
			uint8_t mask = counted_mask(game, &most->counted, column);

			most_reel_add(&input->reel[r],
				&(struct most_column){ .seen = { column },
					.tag = counted_code(game, &most->counted, mask),
					.weight = ways.way[i].weight });
		}
		sticky_ways_free(&ways);
	}
	for (uint32_t code = 0; code < most->counted.codes; code++) {
		uint64_t coins;

		if (beside_lines(most, code, &coins) && coins > input->beside_max)
			input->beside_max = coins;
	}
}

/* The best of all respins of a context: its coins, and the sum of the respins' probabilities of it,
 * each times the probability of a trigger. */
struct best_respin {
	uint64_t coins;
	mpq_t p;
};

/* One respin of one position of bought wild reels, with the probability share of the position. */
static void add_respin(struct respin_most *most, const struct sticky_spin *spin, uint32_t time,
	const mpq_t share, struct best_respin *best)
{
	struct most_input input;
	struct most found;
	mpq_t p;

	mpq_init(p);
	open_input(most, spin, time, &input);
	input.floor = best->coins;
	if (most_bound(&input) >= best->coins) {
		most_find(&input, &found);
		if (found.count > 0 && found.coins > best->coins)
			mpq_set_ui(best->p, 0, 1);
		for (size_t i = 0; i < found.count; i++)
			mpz_add(mpq_numref(p), mpq_numref(p), found.row[i].ways);
		for (uint32_t r = 0; r < most->game->reels; r++)
			mpz_mul_ui(mpq_denref(p), mpq_denref(p), sticky_scale(spin, r, time));
		mpq_canonicalize(p);
		mpq_mul(p, p, share);
		if (found.count > 0) {
			best->coins = found.coins;
			mpq_add(best->p, best->p, p);
		}
		most_free(&found);
	}
	most_input_free(&input);
	mpq_clear(p);
}

static void find_best(const struct exact_work *work, uint32_t lines, enum spin_context context,
	struct sticky_best *best_r)
{
	const struct game *game = work->game;
	struct respin_most most = { .game = game, .lines = lines };
	struct sticky_spin spin[GAME_WILD_POSITIONS_MAX];
	mpq_t share[GAME_WILD_POSITIONS_MAX];
	struct best_respin best = { .coins = best_r->floor };
	uint32_t count;

	mpq_init(best.p);
	for (uint32_t i = 0; i < GAME_WILD_POSITIONS_MAX; i++)
		mpq_init(share[i]);
	counted_init(game, false, &most.counted);
	count = sticky_spins(work, context, spin, share);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t time = game->sticky.spins; time > 0; time--)
			if (sticky_can_trigger(&spin[i]))
				add_respin(&most, &spin[i], time, share[i], &best);
	mpq_set_u64(best_r->x, best.coins, lines);
	mpq_set(best_r->p, best.p);
	if (mpq_sgn(best.p) > 0)
		mpq_div(best_r->p, best.p, sticky_of(work)->context[context].trigger);
	mpz_mul_ui(mpq_denref(best_r->p), mpq_denref(best_r->p), game->sticky.spins);
	mpq_canonicalize(best_r->p);
	for (uint32_t i = 0; i < GAME_WILD_POSITIONS_MAX; i++)
		mpq_clear(share[i]);
	mpq_clear(best.p);
}

void sticky_offer_most(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct exact_mode *mode_r)
{
	struct sticky_best *best = &sticky_of(work)->best[context];
	uint64_t floor = exact_max_coins(mode_r, wager->lines);

	if (best->lines != wager->lines || best->floor > floor) {
		best->lines = wager->lines;
		best->floor = floor;
		find_best(work, wager->lines, context, best);
	}
	exact_offer_max(mode_r,
		context == CONTEXT_BASE ? "sticky respin" : "sticky respin in free spins", best->x,
		best->p);
}
