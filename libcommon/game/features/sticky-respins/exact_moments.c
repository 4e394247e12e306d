/* Second moments of the sum of a spin and its sticky respins.
 *
 * The screens of a trigger share held symbols and the locked reel. Products of two lines at two
 * times, of a line and a count of scatters, and of two counts are summed (line_pairs.h) for each
 * pair of times; given the trigger, the reels are independent. */
#include "libcommon/game/exact/line_pairs.h"
#include "libcommon/game/features/sticky-respins/exact_parts.h"

#include <assert.h>
#include <string.h>

/* The aspects summed at one time: lines and pays by count, both in coins for one coin a line, and
 * awards by count. */
enum aspect { ASPECT_LINES, ASPECT_PAYS, ASPECT_AWARDS, ASPECTS };

struct screen_time {
	struct line_automaton automaton[ASPECTS];
	struct pair_side side[ASPECTS];
	bool nothing[ASPECTS]; /* no count pays or awards anything */
};

struct moments_work {
	const struct game *game;
	const struct exact_wager *wager;
	enum spin_context context;
	const struct sticky_spin *spin;
	bool progressive; /* of the triggering spin */
	uint64_t unit, jackpot;
	struct counted counted;
	struct screen_time time[STICKY_TIMES_MAX];
};

/* ---- counts as an automaton ---- */

static uint32_t count_gain(
	const struct moments_work *work, uint32_t time, bool awards, uint32_t code)
{
	enum spin_context context = time > 0 ? CONTEXT_RESPIN : work->context;
	struct counted_worth worth = counted_worth(work->game, &work->counted, context, code);

	if (awards)
		return worth.awards;
	return worth.pay * work->wager->lines | (worth.jackpot ? MACHINE_JACKPOT : 0);
}

static void count_level(const struct moments_work *work, uint32_t time, bool awards, uint32_t reel,
	uint32_t codes, struct line_level *level)
{
	const struct game *game = work->game;
	bool last = reel + 1 == game->reels;

	level->symbols = 1u << work->counted.count;
	level->nodes = level->room = codes + 1;
	level->row = sticky_take(level->nodes * sizeof(*level->row));
	level->edge = sticky_take((size_t)level->nodes * level->symbols * sizeof(*level->edge));
	memset(level->row, 0, level->nodes * sizeof(*level->row));
	memset(level->edge, 0, (size_t)level->nodes * level->symbols * sizeof(*level->edge));
	for (uint32_t mask = 0; mask < level->symbols; mask++) {
		uint32_t more = counted_code(game, &work->counted, (uint8_t)mask);

		level->symbol[mask] = level->index[mask] = (uint8_t)mask;
		for (uint32_t code = 0; code + more < codes; code++) {
			struct line_edge *edge =
				&level->edge[(size_t)(code + 1) * level->symbols + mask];

			if (last)
				edge->gain = count_gain(work, time, awards, code + more);
			else
				edge->node = code + more + 1;
		}
	}
}

static void count_automaton(const struct moments_work *work, uint32_t time, bool awards,
	struct line_automaton *automaton)
{
	uint32_t codes = work->counted.codes;

	memset(automaton, 0, sizeof(*automaton));
	automaton->reels = work->game->reels;
	for (uint32_t r = 0; r < work->game->reels; r++)
		count_level(work, time, awards, r, codes, &automaton->level[r]);
	automaton->root[0] = 1;
	for (uint32_t code = 0; code < codes; code++) {
		uint32_t gain = count_gain(work, time, awards, code) & ~MACHINE_JACKPOT;

		if (gain > automaton->win_max)
			automaton->win_max = gain;
	}
}

static void count_automaton_free(struct line_automaton *automaton)
{
	for (uint32_t r = 0; r < automaton->reels; r++) {
		struct line_level *level = &automaton->level[r];

		sticky_give(level->row, level->nodes * sizeof(*level->row));
		sticky_give(
			level->edge, (size_t)level->nodes * level->symbols * sizeof(*level->edge));
	}
}

static bool counts_nothing(const struct moments_work *work, uint32_t time, bool awards)
{
	for (uint32_t code = 0; code < work->counted.codes; code++)
		if (count_gain(work, time, awards, code) != 0)
			return false;
	return true;
}

/* ---- lines at a time ---- */

static void line_side(struct moments_work *work, uint32_t time)
{
	const struct game *game = work->game;
	const struct free_spins_rules *free_spins = &game->free_spins;
	struct machine_input input = { .game = game, .lines = work->wager->lines };
	bool built;

	if (time == 0) {
		input.no_jackpot_pay = work->progressive && !game->jackpot_symbols.anywhere;
		if (work->context == CONTEXT_FREE) {
			input.wild_multiplier_count = free_spins->wild_multiplier_count;
			input.wild_multiplier = free_spins->wild_multiplier;
		}
	}
	sticky_windows(work->spin, time, &input);
	built = line_automaton_build(&input, &work->time[time].automaton[ASPECT_LINES]);
	assert(built);
	sticky_windows_free(&input);
}

static void time_open(struct moments_work *work, uint32_t time)
{
	const struct game *game = work->game;
	struct screen_time *screen = &work->time[time];
	bool flat = time == 0 && work->context == CONTEXT_FREE;

	line_side(work, time);
	count_automaton(work, time, false, &screen->automaton[ASPECT_PAYS]);
	count_automaton(work, time, true, &screen->automaton[ASPECT_AWARDS]);
	screen->nothing[ASPECT_PAYS] = counts_nothing(work, time, false);
	screen->nothing[ASPECT_AWARDS] = counts_nothing(work, time, true);
	for (uint32_t i = 0; i < ASPECTS; i++)
		screen->side[i] = (struct pair_side){ .lines = &screen->automaton[i],
			.line_count = i == ASPECT_LINES ? work->wager->lines : 1,
			.rows = i == ASPECT_LINES ? game->rows : 1,
			.symbols =
				i == ASPECT_LINES ? game->symbol_count : 1u << work->counted.count,
			.unit = work->unit,
			.jackpot = work->jackpot };
	if (flat)
		screen->side[ASPECT_LINES].unit *= game->free_spins.line_multiplier;
	screen->side[ASPECT_AWARDS].unit = 1;
	for (uint32_t i = 0; i < ASPECTS; i++)
		pair_side_open(&screen->side[i]);
}

static void time_close(struct moments_work *work, uint32_t time)
{
	struct screen_time *screen = &work->time[time];

	for (uint32_t i = 0; i < ASPECTS; i++)
		pair_side_close(&screen->side[i]);
	line_automaton_free(&screen->automaton[ASPECT_LINES]);
	count_automaton_free(&screen->automaton[ASPECT_PAYS]);
	count_automaton_free(&screen->automaton[ASPECT_AWARDS]);
}

/* ---- products ---- */

/* The two shapes of a side: a reel as lines see it, and as counts see it. (A game may have one row,
 * so the rows of a side do not tell them apart.) */
enum shape { SHAPE_LINES, SHAPE_COUNTS, SHAPES };

static enum shape shape_of(enum aspect aspect)
{
	return aspect == ASPECT_LINES ? SHAPE_LINES : SHAPE_COUNTS;
}

/* Two times: the joint weights of their reels, for each pair of shapes, and their scale. */
struct two_times {
	uint32_t earlier, later;
	struct pair_reel reel[SHAPES][SHAPES][GAME_REELS_MAX];
	mpz_t scale;
};

static const struct pair_side *side_of(
	const struct moments_work *work, uint32_t time, enum shape shape)
{
	return &work->time[time].side[shape == SHAPE_LINES ? ASPECT_LINES : ASPECT_PAYS];
}

static void two_open(
	const struct moments_work *work, uint32_t earlier, uint32_t later, struct two_times *two)
{
	two->earlier = earlier;
	two->later = later;
	mpz_init_set_ui(two->scale, 1);
	for (uint32_t i = 0; i < SHAPES * SHAPES * work->game->reels; i++)
		pair_reel_init(&two->reel[i / SHAPES % SHAPES][i % SHAPES][i / SHAPES / SHAPES],
			side_of(work, earlier, (enum shape)(i / SHAPES % SHAPES)),
			side_of(work, later, (enum shape)(i % SHAPES)));
	for (uint32_t r = 0; r < work->game->reels; r++) {
		struct sticky_ways ways;

		sticky_between(work->spin, r, earlier, later, &ways);
		for (size_t w = 0; w < ways.count; w++) {
			const struct sticky_way *way = &ways.way[w];
			uint64_t before[SHAPES] = { way->before,
				counted_mask(work->game, &work->counted, way->before) };
			uint64_t column[SHAPES] = { way->column,
				counted_mask(work->game, &work->counted, way->column) };

			for (uint32_t a = 0; a < SHAPES; a++)
				for (uint32_t b = 0; b < SHAPES; b++)
					pair_reel_add(&two->reel[a][b][r],
						side_of(work, earlier, (enum shape)a),
						side_of(work, later, (enum shape)b), before[a],
						column[b], way->weight);
		}
		sticky_ways_free(&ways);
		mpz_mul_ui(two->scale, two->scale, sticky_scale(work->spin, r, later));
	}
}

static void two_close(const struct moments_work *work, struct two_times *two)
{
	for (uint32_t i = 0; i < SHAPES * SHAPES * work->game->reels; i++)
		pair_reel_free(&two->reel[i / SHAPES % SHAPES][i % SHAPES][i / SHAPES / SHAPES],
			side_of(work, two->earlier, (enum shape)(i / SHAPES % SHAPES)),
			side_of(work, two->later, (enum shape)(i % SHAPES)));
	mpz_clear(two->scale);
}

/* E[aspect x at the earlier time, aspect y at the later; triggered], before units. */
static void product(const struct moments_work *work, const struct two_times *two, enum aspect x,
	enum aspect y, mpq_t mean_r)
{
	struct pair_space space = { .reels = work->game->reels,
		.a = work->time[two->earlier].side[x],
		.b = work->time[two->later].side[y],
		.alike = two->earlier == two->later && x == y };

	mpq_set_ui(mean_r, 0, 1);
	if (work->time[two->earlier].nothing[x] || work->time[two->later].nothing[y])
		return;
	pair_sum(&space, two->reel[shape_of(x)][shape_of(y)], mpq_numref(mean_r));
	mpz_set(mpq_denref(mean_r), two->scale);
	mpq_canonicalize(mean_r);
}

/* E[win win], E[win awards], E[awards win], E[awards awards], in total bets: the first factor at
 * the earlier time. */
enum moment { WIN_WIN, WIN_AWARDS, AWARDS_WIN, AWARDS_AWARDS, MOMENTS };

static void time_moments(
	const struct moments_work *work, uint32_t earlier, uint32_t later, mpq_t moment_r[MOMENTS])
{
	struct two_times two;
	uint64_t coins = work->unit * work->wager->lines;
	mpq_t x;

	mpq_init(x);
	two_open(work, earlier, later, &two);
	for (uint32_t a = 0; a < ASPECTS; a++)
		for (uint32_t b = 0; b < ASPECTS; b++) {
			uint32_t to = (a == ASPECT_AWARDS ? AWARDS_WIN : WIN_WIN) +
				      (b == ASPECT_AWARDS ? 1u : 0u);

			product(work, &two, (enum aspect)a, (enum aspect)b, x);
			if (a != ASPECT_AWARDS)
				mpz_mul_ui(mpq_denref(x), mpq_denref(x), coins);
			if (b != ASPECT_AWARDS)
				mpz_mul_ui(mpq_denref(x), mpq_denref(x), coins);
			mpq_canonicalize(x);
			mpq_add(moment_r[to], moment_r[to], x);
		}
	mpq_clear(x);
	two_close(work, &two);
}

/* The yield already contains the spin's own win and awards, but not products of times. */
static void add_times(const struct moments_work *work, const mpq_t share, struct spin_yield *yield)
{
	uint32_t spins = work->game->sticky.spins;
	mpq_t moment[MOMENTS];

	for (uint32_t i = 0; i < MOMENTS; i++)
		mpq_init(moment[i]);
	for (uint32_t later = 1; later <= spins; later++)
		for (uint32_t earlier = 0; earlier <= later; earlier++) {
			uint64_t twice = earlier < later ? 2 : 1;

			for (uint32_t i = 0; i < MOMENTS; i++)
				mpq_set_ui(moment[i], 0, 1);
			time_moments(work, earlier, later, moment);
			for (uint32_t i = 0; i < MOMENTS; i++)
				mpq_mul(moment[i], moment[i], share);
			mpq_add_scaled(yield->win2, moment[WIN_WIN], twice, 1);
			mpq_add_scaled(yield->awards2, moment[AWARDS_AWARDS], twice, 1);
			mpq_add(yield->win_awards, yield->win_awards, moment[WIN_AWARDS]);
			if (earlier < later)
				mpq_add(yield->win_awards, yield->win_awards, moment[AWARDS_WIN]);
		}
	for (uint32_t i = 0; i < MOMENTS; i++)
		mpq_clear(moment[i]);
}

/* A jackpot may be a fraction of coins for one coin a line, so everything is counted in parts of a
 * coin. */
static void set_units(struct moments_work *work)
{
	mpq_t coins;

	mpq_init(coins);
	mpq_set_u64(coins, work->wager->lines, 1);
	mpq_mul(coins, coins, work->wager->jackpot);
	work->unit = work->jackpot = 1;
	if (work->progressive) {
		assert(mpz_fits_ulong_p(mpq_numref(coins)) && mpz_fits_ulong_p(mpq_denref(coins)));
		work->jackpot = mpz_get_ui(mpq_numref(coins));
		work->unit = mpz_get_ui(mpq_denref(coins));
	}
	mpq_clear(coins);
}

void sticky_moments(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield)
{
	const struct game *game = work->game;
	struct sticky_spin spin[GAME_WILD_POSITIONS_MAX];
	mpq_t share[GAME_WILD_POSITIONS_MAX];
	uint32_t count;

	for (uint32_t i = 0; i < GAME_WILD_POSITIONS_MAX; i++)
		mpq_init(share[i]);
	count = sticky_spins(work, context, spin, share);
	for (uint32_t i = 0; i < count; i++) {
		struct moments_work moments = { .game = game,
			.wager = wager,
			.context = context,
			.spin = &spin[i],
			.progressive = wager_live(game, wager) };

		if (!sticky_can_trigger(&spin[i]))
			continue;
		set_units(&moments);
		counted_init(game, moments.progressive, &moments.counted);
		for (uint32_t time = 0; time <= game->sticky.spins; time++)
			time_open(&moments, time);
		add_times(&moments, share[i], yield);
		for (uint32_t time = 0; time <= game->sticky.spins; time++)
			time_close(&moments, time);
	}
	for (uint32_t i = 0; i < GAME_WILD_POSITIONS_MAX; i++)
		mpq_clear(share[i]);
}
