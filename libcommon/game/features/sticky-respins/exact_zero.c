/* The probability that a spin and its sticky respins win nothing, by awards.
 *
 * Reel by reel, and on each reel time by time: the state consists of what the lines can still pay
 * at every time (a state of that time's machine), the counts of every time and, between two times
 * of a reel, its held cells. Ways with a gain are dropped at once, so few states remain. */
#include "libcommon/game/features/sticky-respins/exact_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MASS_LIMBS 7 /* reels x times of 10 bits each */

struct mass {
	mp_limb_t limb[MASS_LIMBS];
};

/* What a reel can show at one time, given its held cells. */
struct move {
	uint32_t column; /* of the time's machine */
	uint32_t held;	 /* afterwards: index of the pattern */
	uint32_t code;
	uint64_t weight;
};

struct moves {
	uint32_t count, room;
	struct move *move;
};

struct key {
	uint32_t state[STICKY_TIMES_MAX];
	uint32_t code[STICKY_TIMES_MAX];
	uint32_t held;
};

struct table {
	uint32_t count, room;
	struct key *key; /* [entry], in the order they came */
	struct mass *mass;
	uint32_t *slot; /* hash -> entry + 1; twice the capacity, a power of two */
};

struct zero_work {
	const struct game *game;
	uint32_t lines;
	bool live; /* the progressive can be won, if that matters here */
	enum spin_context context;
	const struct sticky_spin *spin;
	uint32_t times;
	struct counted counted[2]; /* at the trigger; in respins */
	bool *hopeless[2];	   /* [code]: something is paid, whatever follows */
	/* At the trigger; in respins. The second is the last respin's: a column that a respin shows
	 * the next one can show too, with the same cells spun beside what is held. */
	struct reel_machine *machine[2];
	struct sticky_ways ways[2]; /* the machine's columns of the present reel */
};

/* ---- tables of states ---- */

static void table_open(struct table *table, uint32_t room)
{
	*table = (struct table){ .room = room };
	table->key = sticky_take(room * sizeof(*table->key));
	table->mass = sticky_take(room * sizeof(*table->mass));
	table->slot = sticky_take((size_t)2 * room * sizeof(*table->slot));
	memset(table->slot, 0, (size_t)2 * room * sizeof(*table->slot));
}

static void table_close(struct table *table)
{
	sticky_give(table->key, table->room * sizeof(*table->key));
	sticky_give(table->mass, table->room * sizeof(*table->mass));
	sticky_give(table->slot, (size_t)2 * table->room * sizeof(*table->slot));
}

static uint64_t key_hash(const struct key *key)
{
	const uint32_t *word = key->state;
	uint64_t hash = key->held + 1;

	for (uint32_t i = 0; i < STICKY_TIMES_MAX; i++) {
		hash = (hash ^ (word[i] | (uint64_t)key->code[i] << 32)) *
		       UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static void table_put(struct table *table, uint32_t entry)
{
	uint32_t mask = 2 * table->room - 1;
	uint32_t at = (uint32_t)key_hash(&table->key[entry]) & mask;

	while (table->slot[at] != 0)
		at = (at + 1) & mask;
	table->slot[at] = entry + 1;
}

static void table_grow(struct table *table)
{
	struct table larger;

	table_open(&larger, table->room * 2);
	memcpy(larger.key, table->key, table->count * sizeof(*table->key));
	memcpy(larger.mass, table->mass, table->count * sizeof(*table->mass));
	larger.count = table->count;
	for (uint32_t i = 0; i < table->count; i++)
		table_put(&larger, i);
	table_close(table);
	*table = larger;
}

static void table_add(
	struct table *table, const struct key *key, const struct mass *mass, uint64_t weight)
{
	uint32_t mask = 2 * table->room - 1, at = (uint32_t)key_hash(key) & mask, entry;
	mp_limb_t carry;

	for (; table->slot[at] != 0; at = (at + 1) & mask) {
		entry = table->slot[at] - 1;
		if (memcmp(&table->key[entry], key, sizeof(*key)) == 0) {
			carry = mpn_addmul_1(
				table->mass[entry].limb, mass->limb, MASS_LIMBS, weight);
			assert(carry == 0);
			return;
		}
	}
	entry = table->count++;
	table->key[entry] = *key;
	carry = mpn_mul_1(table->mass[entry].limb, mass->limb, MASS_LIMBS, weight);
	assert(carry == 0);
	table->slot[at] = entry + 1;
	if (table->count == table->room)
		table_grow(table);
}

/* ---- machines ---- */

static struct reel_machine *machine_at(const struct zero_work *work, uint32_t time)
{
	const struct game *game = work->game;
	struct machine_input input = { .game = game,
		.lines = work->lines,
		.no_jackpot_pay = time == 0 && work->live && !game->jackpot_symbols.anywhere };
	struct reel_machine *machine;

	sticky_windows(work->spin, time, &input);
	machine = reel_machine_new(&input);
	assert(machine != NULL);
	sticky_windows_free(&input);
	return machine;
}

/* ---- moves ---- */

/* The place of a column among the sorted columns of its time. */
static uint32_t place_of(const struct sticky_ways *ways, uint64_t column)
{
	size_t low = 0, high = ways->count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (ways->way[middle].column <= column)
			low = middle;
		else
			high = middle;
	}
	assert(ways->way[low].column == column);
	return (uint32_t)low;
}

static void moves_add(struct moves *moves, struct move move)
{
	for (uint32_t i = 0; i < moves->count; i++) {
		struct move *other = &moves->move[i];

		if (other->column == move.column && other->held == move.held &&
			other->code == move.code) {
			other->weight += move.weight;
			return;
		}
	}
	assert(moves->count < moves->room);
	moves->move[moves->count++] = move;
}

static void moves_open(struct moves *moves, size_t room)
{
	*moves = (struct moves){ .room = (uint32_t)room };
	moves->move = sticky_take(room * sizeof(*moves->move));
}

static void moves_close(struct moves *moves)
{
	sticky_give(moves->move, moves->room * sizeof(*moves->move));
}

/* `held`: the sorted patterns that can be held afterwards. */
static struct move move_of(const struct zero_work *work, uint32_t reel, uint32_t time,
	const struct sticky_way *way, const struct sticky_ways *held)
{
	const struct machine_reel_states *states = &work->machine[time > 0]->reel[reel];
	const struct counted *counted = &work->counted[time > 0];
	struct move move = {
		.column = states->column_of[place_of(&work->ways[time > 0], way->column)],
		.code = counted_code(
			work->game, counted, counted_mask(work->game, counted, way->column)),
		.weight = way->weight,
	};

	move.held = place_of(held, sticky_held(work->spin, reel, way->column));
	return move;
}

static bool advance(const struct zero_work *work, uint32_t reel, uint32_t time,
	const struct move *move, struct key *key)
{
	const struct machine_reel_states *states = &work->machine[time > 0]->reel[reel];
	size_t at = (size_t)key->state[time] * states->columns + move->column;

	if (states->gain[at] != 0)
		return false;
	key->state[time] = states->next[at];
	key->code[time] += move->code;
	key->held = move->held;
	return !work->hopeless[time > 0][key->code[time]];
}

/* One time of one reel: every state with every move from its held cells. */
static void play_time(const struct zero_work *work, uint32_t reel, uint32_t time,
	const struct moves *moves, struct table *table)
{
	struct table next;

	table_open(&next, 64);
	for (uint32_t i = 0; i < table->count; i++) {
		const struct moves *from = &moves[table->key[i].held];

		for (uint32_t m = 0; m < from->count; m++) {
			struct key key = table->key[i];

			if (!advance(work, reel, time, &from->move[m], &key))
				continue;
			if (time + 1 == work->times)
				key.held = 0;
			table_add(&next, &key, &table->mass[i], from->move[m].weight);
		}
	}
	table_close(table);
	*table = next;
}

static void play_reel(struct zero_work *work, uint32_t reel, struct table *table)
{
	struct sticky_ways before = { 0 }, held;

	sticky_at(work->spin, reel, 0, &work->ways[0]);
	sticky_at(work->spin, reel, work->game->sticky.spins, &work->ways[1]);
	for (uint32_t time = 0; time < work->times; time++) {
		uint32_t sources = time == 0 ? 1 : (uint32_t)before.count;
		struct moves *moves = sticky_take(sources * sizeof(*moves));

		sticky_at(work->spin, reel, time, &held);
		sticky_hold(work->spin, reel, &held);
		for (uint32_t i = 0; i < sources; i++) {
			struct sticky_ways ways;

			if (time == 0)
				sticky_first(work->spin, reel, &ways);
			else
				sticky_from(work->spin, reel, before.way[i].column, &ways);
			moves_open(&moves[i], ways.count);
			for (size_t w = 0; w < ways.count; w++)
				moves_add(
					&moves[i], move_of(work, reel, time, &ways.way[w], &held));
			sticky_ways_free(&ways);
		}
		play_time(work, reel, time, moves, table);
		for (uint32_t i = 0; i < sources; i++)
			moves_close(&moves[i]);
		sticky_give(moves, sources * sizeof(*moves));
		sticky_ways_free(&before);
		before = held;
	}
	sticky_ways_free(&before);
	sticky_ways_free(&work->ways[0]);
	sticky_ways_free(&work->ways[1]);
}

/* ---- the result ---- */

static bool pays(const struct zero_work *work, bool respin, uint32_t code)
{
	struct counted_worth worth = counted_worth(
		work->game, &work->counted[respin], respin ? CONTEXT_RESPIN : work->context, code);

	return worth.pay > 0 || worth.jackpot;
}

/* A code is hopeless if it and all codes that include it pay. */
static void find_always_paying(struct zero_work *work, bool respin)
{
	const struct counted *counted = &work->counted[respin];
	bool *hopeless = sticky_take(counted->codes * sizeof(*hopeless));

	for (uint32_t code = counted->codes; code-- > 0;) {
		uint32_t place = 1, rest = code;

		hopeless[code] = pays(work, respin, code);
		for (uint32_t i = 0; i < counted->count; i++) {
			if (rest % (work->game->reels + 1) < work->game->reels)
				hopeless[code] &= hopeless[code + place];
			rest /= work->game->reels + 1;
			place *= work->game->reels + 1;
		}
	}
	work->hopeless[respin] = hopeless;
}

static uint32_t awards_of(const struct zero_work *work, uint32_t time, uint32_t code)
{
	return counted_worth(work->game, &work->counted[time > 0],
		time > 0 ? CONTEXT_RESPIN : work->context, code)
		.awards;
}

/* Adds sign * share * mass / scale for every state that pays nothing. */
static void book(const struct zero_work *work, const struct table *table, const mpq_t share,
	int sign, struct spin_yield *yield)
{
	mpq_t p, scale;

	mpq_inits(p, scale, NULL);
	mpq_set(scale, share);
	for (uint32_t r = 0; r < work->game->reels; r++)
		mpz_mul_ui(mpq_denref(scale), mpq_denref(scale),
			sticky_scale(work->spin, r, work->times - 1));
	mpq_canonicalize(scale);
	if (sign < 0)
		mpq_neg(scale, scale);
	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t awards = 0;
		bool paid = false;

		for (uint32_t t = 0; t < work->times; t++) {
			awards += awards_of(work, t, table->key[i].code[t]);
			paid |= pays(work, t > 0, table->key[i].code[t]);
		}
		if (paid)
			continue;
		mpz_import(mpq_numref(p), MASS_LIMBS, -1, sizeof(mp_limb_t), 0, 0,
			table->mass[i].limb);
		mpz_set_ui(mpq_denref(p), 1);
		mpq_mul(p, p, scale);
		yield_zero_add(yield, awards, p);
	}
	mpq_clears(p, scale, NULL);
}

/* Triggering spins that win nothing up to (times - 1) respins. */
static void zero_spin(struct zero_work *work, const mpq_t share, int sign, struct spin_yield *yield)
{
	struct table table;
	struct key none;
	struct mass one = { { 1 } };

	memset(&none, 0, sizeof(none));
	table_open(&table, 64);
	table_add(&table, &none, &one, 1);
	for (uint32_t r = 0; r < work->game->reels; r++)
		play_reel(work, r, &table);
	book(work, &table, share, sign, yield);
	table_close(&table);
}

/* A combination that wins the progressive on a line also counts as a win if the paytable pays
 * it. */
static bool live_affects_pay(const struct game *game, const struct exact_wager *wager)
{
	const struct jackpot_symbols *rules = &game->jackpot_symbols;
	bool pays = true;

	if (!wager_live(game, wager))
		return false;
	for (uint32_t k = rules->count; k <= game->reels; k++)
		pays &= game->symbol[rules->symbol].pay[k] > 0;
	return rules->anywhere || !pays;
}

static void find_change(const struct exact_work *work, uint32_t lines, bool live,
	enum spin_context context, struct spin_yield *change)
{
	const struct game *game = work->game;
	struct sticky_spin spin[GAME_WILD_POSITIONS_MAX];
	mpq_t share[GAME_WILD_POSITIONS_MAX];
	uint32_t count;

	for (uint32_t i = 0; i < GAME_WILD_POSITIONS_MAX; i++)
		mpq_init(share[i]);
	count = sticky_spins(work, context, spin, share);
	for (uint32_t i = 0; i < count; i++) {
		struct zero_work zero = { .game = game,
			.lines = lines,
			.live = live,
			.context = context,
			.spin = &spin[i] };

		if (!sticky_can_trigger(&spin[i]))
			continue;
		counted_init(game, live, &zero.counted[0]);
		counted_init(game, false, &zero.counted[1]);
		find_always_paying(&zero, false);
		find_always_paying(&zero, true);
		zero.machine[0] = machine_at(&zero, 0);
		zero.machine[1] = machine_at(&zero, game->sticky.spins);
		zero.times = 1; /* subtract the trigger alone, which the yield contains */
		zero_spin(&zero, share[i], -1, change);
		zero.times = game->sticky.spins + 1;
		zero_spin(&zero, share[i], 1, change);
		reel_machine_free(&zero.machine[0]);
		reel_machine_free(&zero.machine[1]);
		sticky_give(zero.hopeless[0], zero.counted[0].codes * sizeof(bool));
		sticky_give(zero.hopeless[1], zero.counted[1].codes * sizeof(bool));
	}
	for (uint32_t i = 0; i < GAME_WILD_POSITIONS_MAX; i++)
		mpq_clear(share[i]);
}

void sticky_zero(const struct exact_work *work, const struct exact_wager *wager,
	enum spin_context context, struct spin_yield *yield)
{
	struct sticky_zeros *zeros = &sticky_of(work)->zeros[context];
	bool live = live_affects_pay(work->game, wager);

	if (zeros->lines != wager->lines || zeros->live != live) {
		yield_free(&zeros->change);
		yield_init(&zeros->change, EXACT_ALL);
		find_change(work, wager->lines, live, context, &zeros->change);
		zeros->lines = wager->lines;
		zeros->live = live;
	}
	for (uint32_t i = 0; i < zeros->change.zero_count; i++)
		yield_zero_add(yield, zeros->change.zero[i].awards, zeros->change.zero[i].p);
}
