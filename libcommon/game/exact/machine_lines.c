#include "libcommon/game/exact/machine_lines.h"

#include <stdlib.h>
#include <string.h>

/* The progressive as a pay: above all sums of coins. */
#define JACKPOT_PAY (UINT64_C(1) << 40)
#define ALL_WILD GAME_SYMBOLS_MAX

/* The cells of a line so far: `lead` wilds, then the symbol (ALL_WILD: only wilds) with wilds that
 * substitute for it. `wilds`: number of wilds, counted only if wilds multiply. `since`: cells
 * before the first cover, + 1, if covers matter; 0: no cover yet. */
struct raw_state {
	uint32_t symbol, lead, wilds, since;
};

/* The future of a raw state at one reel of one line: the certain gain, and the rest. */
struct residue {
	uint64_t sure;
	uint32_t node;
	bool known;
};

struct line_builder {
	const struct machine_input *input;
	struct line_automaton *automaton;
	uint32_t line;
	/* [reel][line]: the residues shared by all lines that are equal from that reel on, kept at
	 * the first of these lines; computed at the first use */
	struct residue *known[GAME_REELS_MAX][GAME_LINES_MAX];
	uint8_t first_like[GAME_REELS_MAX][GAME_LINES_MAX];
	bool failed;
};

static uint64_t multiplied(const struct machine_input *input, uint64_t pay, uint32_t wilds)
{
	uint32_t last = input->wild_multiplier_count;

	if (last == 0)
		return pay;
	return pay * input->wild_multiplier[wilds < last ? wilds : last - 1];
}

static bool line_kind(const struct game *game, uint32_t symbol)
{
	return game->symbol[symbol].kind == SYMBOL_LINE;
}

/* What a line pays whose best run of `raw.symbol` ended after `length` cells: the best of all
 * symbols', as libcommon/game/lines.h has it. Other symbols have only the leading wilds. RULE
 * bewitched 2.2, 3.1 */
static uint64_t paid(
	const struct machine_input *input, const struct raw_state *raw, uint32_t length)
{
	const struct game *game = input->game;
	const struct jackpot_symbols *jackpot = &game->jackpot_symbols;
	uint64_t best = 0;

	for (uint32_t x = 0; x < game->symbol_count; x++) {
		uint32_t run = 0, wilds = raw->lead;
		uint64_t pay;

		if (x == raw->symbol) {
			run = length;
			wilds = raw->wilds;
		} else if (line_kind(game, x) || x == game->wild) {
			run = raw->lead;
		}
		if (game->symbol[x].kind == SYMBOL_SCATTER || run == 0)
			continue;
		if (input->no_jackpot_pay && x == jackpot->symbol && run >= jackpot->count)
			return JACKPOT_PAY;
		pay = multiplied(input, game->symbol[x].pay[run], wilds);
		if (pay > best)
			best = pay;
	}
	return best;
}

/* The part that counts: all of it, or only the increase by covers. */
static uint64_t finished(
	const struct machine_input *input, const struct raw_state *raw, uint32_t length)
{
	struct raw_state before = *raw;

	if (!input->extra)
		return paid(input, raw, length);
	if (raw->since == 0)
		return 0;
	if (raw->since - 1 == raw->lead)
		before.symbol = ALL_WILD;
	return paid(input, raw, length) - paid(input, &before, raw->since - 1);
}

/* The state after one more cell, or false: the line has ended before it. */
static bool follows(const struct machine_input *input, const struct raw_state *raw, uint32_t length,
	uint32_t symbol, struct raw_state *next_r)
{
	const struct game *game = input->game;
	bool pays = line_kind(game, symbol) || game->symbol[symbol].kind == SYMBOL_JACKPOT;
	bool count_wilds = input->wild_multiplier_count > 0;

	*next_r = *raw;
	if (input->extra && symbol == input->cover) {
		symbol = input->covers_for;
		pays = true;
		if (raw->since == 0)
			next_r->since = length + 1;
	}
	if (symbol == game->wild) {
		if (raw->symbol != ALL_WILD && !line_kind(game, raw->symbol))
			return false;
		if (raw->symbol == ALL_WILD)
			next_r->lead++;
		next_r->wilds += count_wilds || raw->symbol == ALL_WILD;
		return true;
	}
	if (raw->symbol == symbol)
		return true;
	if (raw->symbol != ALL_WILD || !pays || (length > 0 && !line_kind(game, symbol)))
		return false;
	next_r->symbol = symbol;
	return true;
}

static uint32_t hash_edges(const struct line_edge *edge, uint32_t count, uint32_t row)
{
	uint64_t hash = row + 1;

	for (uint32_t i = 0; i < count; i++) {
		hash = (hash ^ edge[i].gain) * UINT64_C(0x9e3779b97f4a7c15);
		hash = (hash ^ (hash >> 29) ^ edge[i].node) * UINT64_C(0xbf58476d1ce4e5b9);
	}
	return (uint32_t)(hash >> 32);
}

static void bucket_put(struct line_level *level, uint32_t node)
{
	uint32_t at = hash_edges(&level->edge[(size_t)node * level->symbols], level->symbols,
			      level->row[node]) &
		      (level->buckets - 1);

	while (level->bucket[at] != 0)
		at = (at + 1) & (level->buckets - 1);
	level->bucket[at] = node + 1;
}

static bool level_grow(struct line_level *level)
{
	uint32_t room = level->room == 0 ? 64 : level->room * 2;
	uint8_t *row = realloc(level->row, room);
	struct line_edge *edge;
	uint32_t *bucket;

	if (row == NULL)
		return false;
	level->row = row;
	edge = realloc(level->edge, (size_t)room * level->symbols * sizeof(*edge));
	if (edge == NULL)
		return false;
	level->edge = edge;
	bucket = calloc((size_t)room * 2, sizeof(*bucket));
	if (bucket == NULL)
		return false;
	free(level->bucket);
	level->bucket = bucket;
	level->buckets = room * 2;
	level->room = room;
	for (uint32_t node = 1; node < level->nodes; node++)
		bucket_put(level, node);
	return true;
}

/* The node with this row and these edges, which may exist already. Node 0 has no edges. */
static uint32_t node_of(
	struct line_builder *builder, uint32_t reel, uint32_t row, const struct line_edge *edge)
{
	struct line_level *level = &builder->automaton->level[reel];
	uint32_t at = hash_edges(edge, level->symbols, row) & (level->buckets - 1);
	size_t bytes = level->symbols * sizeof(*edge);

	for (; level->bucket[at] != 0; at = (at + 1) & (level->buckets - 1)) {
		uint32_t node = level->bucket[at] - 1;

		if (level->row[node] == row &&
			memcmp(&level->edge[(size_t)node * level->symbols], edge, bytes) == 0)
			return node;
	}
	if (level->nodes == level->room && !level_grow(level)) {
		builder->failed = true;
		return 0;
	}
	level->row[level->nodes] = (uint8_t)row;
	memcpy(&level->edge[(size_t)level->nodes * level->symbols], edge, bytes);
	bucket_put(level, level->nodes);
	return level->nodes++;
}

static struct residue resolve(
	struct line_builder *builder, uint32_t reel, const struct raw_state *raw);

/* The gain that is certain whatever follows. The progressive is not certain while anything else can
 * follow, and coins are not certain while the progressive can follow, because it replaces them. */
static uint64_t certain_coins(const struct residue *child, uint32_t count)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (child[i].sure < least)
			least = child[i].sure;
		if (child[i].sure > most)
			most = child[i].sure;
	}
	return most >= JACKPOT_PAY && least < JACKPOT_PAY ? 0 : least;
}

static struct residue resolve_new(
	struct line_builder *builder, uint32_t reel, const struct raw_state *raw)
{
	const struct machine_input *input = builder->input;
	struct line_level *level = &builder->automaton->level[reel];
	struct residue child[GAME_SYMBOLS_MAX], result = { 0, 0, true };
	struct residue ended = { finished(input, raw, reel), 0, true };
	struct line_edge edge[GAME_SYMBOLS_MAX];
	bool open = false;

	for (uint32_t i = 0; i < level->symbols; i++) {
		struct raw_state next;

		if (follows(input, raw, reel, level->symbol[i], &next))
			child[i] = resolve(builder, reel + 1, &next);
		else
			child[i] = ended;
	}
	result.sure = certain_coins(child, level->symbols);
	for (uint32_t i = 0; i < level->symbols; i++) {
		uint64_t gain = child[i].sure - result.sure;

		edge[i].gain = gain >= JACKPOT_PAY ? MACHINE_JACKPOT : (uint32_t)gain;
		edge[i].node = child[i].node;
		open = open || gain > 0 || child[i].node != 0;
	}
	if (open)
		result.node = node_of(builder, reel, input->game->line[builder->line][reel], edge);
	return result;
}

/* If wilds do not multiply, only leading wilds are counted; neither count exceeds the cells so
 * far. */
static struct residue resolve(
	struct line_builder *builder, uint32_t reel, const struct raw_state *raw)
{
	bool counted = builder->input->wild_multiplier_count > 0;
	uint32_t leads = reel + 1, wilds = counted ? reel + 1 : 1;
	uint32_t sinces = builder->input->extra ? reel + 1 : 1;
	uint32_t at =
		((raw->symbol * leads + raw->lead) * wilds + (counted ? raw->wilds : 0)) * sinces +
		raw->since;
	struct residue **known;

	if (reel == builder->automaton->reels)
		return (struct residue){ finished(builder->input, raw, reel), 0, true };
	known = &builder->known[reel][builder->first_like[reel][builder->line]];
	if (*known == NULL)
		*known = calloc((size_t)(ALL_WILD + 1) * leads * wilds * sinces, sizeof(**known));
	if (*known == NULL) {
		builder->failed = true;
		return (struct residue){ 0, 0, true };
	}
	if (!(*known)[at].known)
		(*known)[at] = resolve_new(builder, reel, raw);
	return (*known)[at];
}

static void find_likes(struct line_builder *builder)
{
	const struct game *game = builder->input->game;

	for (uint32_t line = 0; line < builder->input->lines; line++)
		for (uint32_t r = 0; r < game->reels; r++) {
			uint32_t first = 0;

			while (memcmp(&game->line[first][r], &game->line[line][r],
				       (game->reels - r) * sizeof(game->line[0][0])) != 0)
				first++;
			builder->first_like[r][line] = (uint8_t)first;
		}
}

static void builder_free(struct line_builder *builder)
{
	for (uint32_t r = 0; builder && r < GAME_REELS_MAX; r++)
		for (uint32_t line = 0; line < GAME_LINES_MAX; line++)
			free(builder->known[r][line]);
	free(builder);
}

/* The symbols that the columns of a reel show in any row. */
static void level_symbols(
	const struct machine_input *input, uint32_t reel, struct line_level *level)
{
	bool seen[GAME_SYMBOLS_MAX] = { false };

	for (uint32_t c = 0; c < input->reel[reel].count; c++)
		for (uint32_t row = 0; row < input->game->rows; row++)
			seen[input->reel[reel].column[c].symbol[row]] = true;
	for (uint32_t s = 0; s < GAME_SYMBOLS_MAX; s++)
		if (seen[s]) {
			level->index[s] = (uint8_t)level->symbols;
			level->symbol[level->symbols++] = (uint8_t)s;
		}
}

/* No edge leaves node 0, and it is not in the hash table. */
static bool level_open(struct line_level *level)
{
	if (!level_grow(level))
		return false;
	level->row[0] = 0;
	memset(level->edge, 0, level->symbols * sizeof(*level->edge));
	level->nodes = 1;
	return true;
}

static uint64_t pay_max(const struct machine_input *input)
{
	uint64_t most = 0, multiplier = 1;

	for (uint32_t i = 0; i < input->wild_multiplier_count; i++)
		if (input->wild_multiplier[i] > multiplier)
			multiplier = input->wild_multiplier[i];
	for (uint32_t s = 0; s < input->game->symbol_count; s++)
		for (uint32_t k = 1; k <= input->game->reels; k++)
			if (input->game->symbol[s].kind != SYMBOL_SCATTER &&
				input->game->symbol[s].pay[k] > most)
				most = input->game->symbol[s].pay[k];
	return most * multiplier;
}

bool line_automaton_build(const struct machine_input *input, struct line_automaton *automaton_r)
{
	const struct raw_state start = { ALL_WILD, 0, 0, 0 };
	struct line_builder *builder = calloc(1, sizeof(*builder));
	bool built = builder != NULL;

	*automaton_r = (struct line_automaton){ .reels = input->game->reels };
	automaton_r->win_max = pay_max(input) * input->lines;
	if (built) {
		builder->input = input;
		builder->automaton = automaton_r;
		find_likes(builder);
	}
	for (uint32_t r = 0; built && r < automaton_r->reels; r++) {
		level_symbols(input, r, &automaton_r->level[r]);
		built = level_open(&automaton_r->level[r]);
	}
	for (uint32_t line = 0; built && line < input->lines; line++) {
		struct residue root;

		builder->line = line;
		root = resolve(builder, 0, &start);
		automaton_r->root[line] = root.node;
		automaton_r->root_gain[line] =
			root.sure >= JACKPOT_PAY ? MACHINE_JACKPOT : (uint32_t)root.sure;
		built = !builder->failed;
	}
	builder_free(builder);
	return built;
}

void line_automaton_free(struct line_automaton *automaton)
{
	for (uint32_t r = 0; r < automaton->reels; r++) {
		free(automaton->level[r].row);
		free(automaton->level[r].edge);
		free(automaton->level[r].bucket);
		automaton->level[r] = (struct line_level){ 0 };
	}
}
