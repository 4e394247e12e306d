#include "libcommon/game/exact/most.h"

#include "libcommon/game/exact/line_pair_plan.h"
#include "libcommon/game/exact/machine_lines.h"
#include "libcommon/game/exact/window_waits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MASS_LIMBS 7 /* reels of 64 bits at most */
#define NARROW 16    /* states of a level that the first search keeps */

struct mass {
	mp_limb_t limb[MASS_LIMBS];
};

/* The lines that are alive: rising nodes, each with its number of lines. */
struct alive {
	uint32_t count;
	uint16_t node[GAME_LINES_MAX];
	uint16_t lines[GAME_LINES_MAX];
};

struct prefix {
	uint64_t coins, bound; /* won; won at most in the end */
	uint32_t tag;
	struct alive alive[MOST_SIDES];
	struct mass mass;
};

/* Open addressing; half of the buckets are used at most. */
struct prefixes {
	uint32_t count, room;
	struct prefix *of;
	uint32_t *bucket; /* place + 1; 2 room of them */
};

struct search {
	struct most_input *input;
	struct line_automaton lines;
	uint32_t *best[GAME_REELS_MAX + 1]; /* [node]: the most that a line in it can still win */
};

/* ---- input ---- */

void most_reel_add(struct most_reel *reel, const struct most_column *column)
{
	if (reel->count == reel->room) {
		uint32_t room = reel->room == 0 ? 256 : 2 * reel->room;
		struct most_column *larger = pair_take(room * sizeof(*larger));

		if (reel->count > 0)
			memcpy(larger, reel->column, reel->count * sizeof(*larger));
		pair_give(reel->column, reel->room * sizeof(*larger));
		reel->column = larger;
		reel->room = room;
	}
	reel->column[reel->count++] = *column;
}

void most_input_free(struct most_input *input)
{
	for (uint32_t r = 0; r < GAME_REELS_MAX; r++) {
		struct most_reel *reel = &input->reel[r];

		pair_give(reel->column, reel->room * sizeof(*reel->column));
		*reel = (struct most_reel){ 0 };
	}
}

void most_scale(const struct most_input *input, mpz_t scale_r)
{
	mpz_set_ui(scale_r, 1);
	for (uint32_t r = 0; r < input->game->reels; r++) {
		uint64_t weight = 0;

		for (uint32_t i = 0; i < input->reel[r].count; i++)
			weight += input->reel[r].column[i].weight;
		mpz_mul_ui(scale_r, scale_r, weight);
	}
}

static int by_column(const void *a, const void *b)
{
	const struct most_column *x = a, *y = b;

	for (uint32_t i = 0; i < MOST_SIDES; i++)
		if (x->seen[i] != y->seen[i])
			return x->seen[i] < y->seen[i] ? -1 : 1;
	return x->tag < y->tag ? -1 : x->tag > y->tag;
}

static void merge_columns(struct most_reel *reel)
{
	uint32_t kept = 0;

	if (reel->count == 0)
		return;
	qsort(reel->column, reel->count, sizeof(*reel->column), by_column);
	for (uint32_t i = 1; i < reel->count; i++)
		if (by_column(&reel->column[kept], &reel->column[i]) == 0)
			reel->column[kept].weight += reel->column[i].weight;
		else
			reel->column[++kept] = reel->column[i];
	reel->count = kept + 1;
}

/* ---- lines ---- */

static void open_lines(struct search *search)
{
	const struct most_input *input = search->input;
	struct machine_input machine = { .game = input->game, .lines = input->lines };
	struct machine_column *columns[GAME_REELS_MAX];
	const uint32_t reels = input->game->reels;
	bool built;

	for (uint32_t r = 0; r < reels; r++) {
		uint32_t count = input->reel[r].count * input->sides;

		columns[r] = pair_take(count * sizeof(*columns[r]));
		for (uint32_t i = 0; i < count; i++) {
			uint64_t seen =
				input->reel[r].column[i / input->sides].seen[i % input->sides];

			columns[r][i].weight = 1;
			for (uint32_t row = 0; row < input->game->rows; row++)
				columns[r][i].symbol[row] = (uint8_t)(seen >> (8 * row));
		}
		machine.reel[r] = (struct machine_reel){ .column = columns[r], .count = count };
	}
	built = line_automaton_build(&machine, &search->lines);
	assert(built);
	for (uint32_t r = 0; r < reels; r++)
		pair_give(columns[r], machine.reel[r].count * sizeof(*columns[r]));
}

static void open_best(struct search *search)
{
	uint32_t reels = search->lines.reels;

	search->best[reels] = pair_take(sizeof(uint32_t));
	for (uint32_t r = reels; r-- > 0;) {
		const struct line_level *level = &search->lines.level[r];

		search->best[r] = pair_take(level->nodes * sizeof(uint32_t));
		for (uint32_t node = 1; node < level->nodes; node++)
			for (uint32_t s = 0; s < level->symbols; s++) {
				const struct line_edge *edge =
					&level->edge[(size_t)node * level->symbols + s];
				uint32_t most = edge->gain + search->best[r + 1][edge->node];

				if (most > search->best[r][node])
					search->best[r][node] = most;
			}
	}
}

static void search_open(struct search *search, struct most_input *input)
{
	*search = (struct search){ .input = input };
	for (uint32_t r = 0; r < input->game->reels; r++)
		merge_columns(&input->reel[r]);
	open_lines(search);
	open_best(search);
}

static void search_close(struct search *search)
{
	for (uint32_t r = 0; r <= search->lines.reels; r++)
		pair_give(search->best[r],
			(r < search->lines.reels ? search->lines.level[r].nodes : 1) *
				sizeof(uint32_t));
	line_automaton_free(&search->lines);
}

/* ---- prefixes ---- */

static void prefixes_open(struct prefixes *prefixes, uint32_t room)
{
	*prefixes = (struct prefixes){ .room = room };
	prefixes->of = waits_take(room * sizeof(*prefixes->of));
	prefixes->bucket = pair_take((size_t)2 * room * sizeof(*prefixes->bucket));
}

static void prefixes_close(struct prefixes *prefixes)
{
	waits_give(prefixes->of, prefixes->room * sizeof(*prefixes->of));
	pair_give(prefixes->bucket, (size_t)2 * prefixes->room * sizeof(*prefixes->bucket));
}

static bool same_alive(const struct alive *x, const struct alive *y)
{
	return x->count == y->count && memcmp(x->node, y->node, x->count * sizeof(*x->node)) == 0 &&
	       memcmp(x->lines, y->lines, x->count * sizeof(*x->lines)) == 0;
}

static uint32_t bucket_of(const struct prefixes *prefixes, const struct prefix *key)
{
	uint64_t hash = key->coins * 64 + key->tag;
	uint32_t at;

	for (uint32_t side = 0; side < MOST_SIDES; side++)
		for (uint32_t i = 0; i < key->alive[side].count; i++) {
			hash = (hash ^ ((uint64_t)key->alive[side].node[i] << 16 |
					       key->alive[side].lines[i])) *
			       UINT64_C(0x9e3779b97f4a7c15);
			hash ^= hash >> 32;
		}
	hash *= UINT64_C(0xbf58476d1ce4e5b9);
	at = (uint32_t)(hash >> 32) & (2 * prefixes->room - 1);
	for (; prefixes->bucket[at] != 0; at = (at + 1) & (2 * prefixes->room - 1)) {
		const struct prefix *other = &prefixes->of[prefixes->bucket[at] - 1];

		if (other->coins == key->coins && other->tag == key->tag &&
			same_alive(&other->alive[0], &key->alive[0]) &&
			same_alive(&other->alive[1], &key->alive[1]))
			break;
	}
	return at;
}

static void prefixes_grow(struct prefixes *prefixes)
{
	struct prefixes larger;

	prefixes_open(&larger, 2 * prefixes->room);
	memcpy(larger.of, prefixes->of, prefixes->count * sizeof(*larger.of));
	larger.count = prefixes->count;
	for (uint32_t i = 0; i < larger.count; i++)
		larger.bucket[bucket_of(&larger, &larger.of[i])] = i + 1;
	prefixes_close(prefixes);
	*prefixes = larger;
}

static void prefixes_add(struct prefixes *prefixes, const struct prefix *key,
	const struct mass *mass, uint64_t weight)
{
	uint32_t at = bucket_of(prefixes, key);
	struct prefix *prefix;
	mp_limb_t carry;

	if (prefixes->bucket[at] == 0) {
		if (prefixes->count == prefixes->room) {
			prefixes_grow(prefixes);
			at = bucket_of(prefixes, key);
		}
		prefix = &prefixes->of[prefixes->count];
		*prefix = *key;
		memset(&prefix->mass, 0, sizeof(prefix->mass));
		prefixes->bucket[at] = ++prefixes->count;
	}
	prefix = &prefixes->of[prefixes->bucket[at] - 1];
	carry = mpn_addmul_1(prefix->mass.limb, mass->limb, MASS_LIMBS, weight);
	assert(carry == 0);
}

/* ---- one reel ---- */

static void alive_add(struct alive *alive, uint32_t node, uint32_t lines)
{
	uint32_t at = alive->count;

	while (at > 0 && alive->node[at - 1] > node)
		at--;
	if (at > 0 && alive->node[at - 1] == node) {
		alive->lines[at - 1] = (uint16_t)(alive->lines[at - 1] + lines);
		return;
	}
	for (uint32_t i = alive->count++; i > at; i--) {
		alive->node[i] = alive->node[i - 1];
		alive->lines[i] = alive->lines[i - 1];
	}
	alive->node[at] = (uint16_t)node;
	alive->lines[at] = (uint16_t)lines;
}

/* One side: adds the column's gains and its living lines to `next`; returns the most that these can
 * still win. */
static uint64_t pass_side(const struct search *search, uint32_t reel, const struct alive *from,
	uint64_t seen, struct prefix *next, struct alive *to)
{
	const struct line_level *level = &search->lines.level[reel];
	uint64_t bound = 0;

	to->count = 0;
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t node = from->node[i], symbol = (uint8_t)(seen >> (8 * level->row[node]));
		const struct line_edge *edge =
			&level->edge[(size_t)node * level->symbols + level->index[symbol]];

		next->coins += (uint64_t)edge->gain * from->lines[i];
		bound += (uint64_t)search->best[reel + 1][edge->node] * from->lines[i];
		if (edge->node != 0)
			alive_add(to, edge->node, from->lines[i]);
	}
	return bound;
}

/* The largest bounds so far, falling; room 0: keep all. */
struct beam {
	uint32_t count, room;
	uint64_t bound[NARROW];
};

/* False: the beam is full of larger ones. */
static bool beam_takes(struct beam *beam, uint64_t bound)
{
	uint32_t at = beam->count;

	if (beam->room == 0)
		return true;
	if (at == beam->room && bound <= beam->bound[--at])
		return false;
	for (; at > 0 && beam->bound[at - 1] < bound; at--)
		beam->bound[at] = beam->bound[at - 1];
	beam->bound[at] = bound;
	beam->count += beam->count < beam->room;
	return true;
}

static void pass_reel(const struct search *search, uint32_t reel, bool narrow,
	const struct prefixes *from, struct prefixes *to)
{
	const struct most_input *input = search->input;
	struct beam beam = { .room = narrow ? NARROW : 0 };
	struct prefix next;

	next.alive[0].count = next.alive[1].count = 0;
	for (uint32_t i = 0; i < from->count; i++) {
		const struct prefix *prefix = &from->of[i];

		for (uint32_t c = 0; c < input->reel[reel].count; c++) {
			const struct most_column *column = &input->reel[reel].column[c];
			uint64_t still = input->beside_max;

			next.coins = prefix->coins;
			next.tag = prefix->tag + column->tag;
			for (uint32_t side = 0; side < input->sides; side++)
				still += pass_side(search, reel, &prefix->alive[side],
					column->seen[side], &next, &next.alive[side]);
			next.bound = next.coins + still;
			if (next.bound >= input->floor && beam_takes(&beam, next.bound))
				prefixes_add(to, &next, &prefix->mass, column->weight);
		}
	}
}

static int by_bound(const void *a, const void *b)
{
	const struct prefix *x = a, *y = b;

	return x->bound > y->bound ? -1 : x->bound < y->bound;
}

/* ---- the search ---- */

static void first_prefix(const struct search *search, struct prefixes *prefixes)
{
	const struct most_input *input = search->input;
	struct mass one = { { 1 } };
	struct prefix first;

	memset(&first, 0, sizeof(first));
	first.bound = input->beside_max;
	for (uint32_t side = 0; side < input->sides; side++)
		for (uint32_t line = 0; line < input->lines; line++) {
			uint32_t node = search->lines.root[line];

			first.coins += search->lines.root_gain[line];
			first.bound += search->lines.root_gain[line] + search->best[0][node];
			if (node != 0)
				alive_add(&first.alive[side], node, 1);
		}
	prefixes_add(prefixes, &first, &one, 1);
}

/* `narrow`: keeps only the most promising prefixes of a level. */
static void all_reels(const struct search *search, bool narrow, struct prefixes *prefixes)
{
	prefixes_open(prefixes, 64);
	first_prefix(search, prefixes);
	for (uint32_t r = 0; r < search->lines.reels; r++) {
		struct prefixes next;

		prefixes_open(&next, 64);
		if (narrow && prefixes->count > NARROW) {
			qsort(prefixes->of, prefixes->count, sizeof(*prefixes->of), by_bound);
			prefixes->count = NARROW;
		}
		pass_reel(search, r, narrow, prefixes, &next);
		prefixes_close(prefixes);
		*prefixes = next;
	}
}

/* The win of a whole window; false: ignore the window. */
static bool worth(const struct most_input *input, const struct prefix *window, uint64_t *coins_r)
{
	uint64_t beside = 0;

	if (input->beside && !input->beside(input->of, window->tag, &beside))
		return false;
	*coins_r = window->coins + beside;
	return *coins_r >= input->floor;
}

static void add_row(struct most *most, const struct prefix *window)
{
	struct most_row *row = &most->row[most->count++];

	row->tag = window->tag;
	mpz_init(row->ways);
	mpz_import(row->ways, MASS_LIMBS, -1, sizeof(mp_limb_t), 0, 0, window->mass.limb);
}

static void find_rows(
	const struct most_input *input, const struct prefixes *windows, struct most *most_r)
{
	uint64_t coins;
	bool found = false;

	*most_r = (struct most){ .room = windows->count };
	for (uint32_t i = 0; i < windows->count; i++)
		if (worth(input, &windows->of[i], &coins) && (!found || coins > most_r->coins)) {
			most_r->coins = coins;
			found = true;
		}
	most_r->row = pair_take(most_r->room * sizeof(*most_r->row));
	for (uint32_t i = 0; found && i < windows->count; i++)
		if (worth(input, &windows->of[i], &coins) && coins == most_r->coins)
			add_row(most_r, &windows->of[i]);
}

uint64_t most_bound(struct most_input *input)
{
	struct search search;
	struct prefixes first;
	uint64_t bound;

	search_open(&search, input);
	prefixes_open(&first, 64);
	first_prefix(&search, &first);
	bound = first.of[0].bound;
	prefixes_close(&first);
	search_close(&search);
	return bound;
}

/* The floor, or the win of some window if that is more. */
static uint64_t guess(const struct search *search)
{
	struct prefixes windows;
	struct most most;
	uint64_t coins;

	all_reels(search, true, &windows);
	find_rows(search->input, &windows, &most);
	prefixes_close(&windows);
	coins = most.count > 0 ? most.coins : search->input->floor;
	most_free(&most);
	return coins;
}

uint64_t most_guess(struct most_input *input)
{
	struct search search;
	uint64_t coins;

	search_open(&search, input);
	coins = guess(&search);
	search_close(&search);
	return coins;
}

void most_find(struct most_input *input, struct most *most_r)
{
	struct search search;
	struct prefixes windows;

	search_open(&search, input);
	if (input->floor == 0)
		input->floor = guess(&search);
	all_reels(&search, false, &windows);
	find_rows(input, &windows, most_r);
	prefixes_close(&windows);
	search_close(&search);
}

void most_free(struct most *most)
{
	for (size_t i = 0; i < most->count; i++)
		mpz_clear(most->row[i].ways);
	pair_give(most->row, most->room * sizeof(*most->row));
	*most = (struct most){ 0 };
}
