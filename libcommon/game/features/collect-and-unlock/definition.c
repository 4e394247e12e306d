/* Reads collect and unlock ("potions"): collectibles, respin features, explosions. */
#include "libcommon/game/definition/feature.h"

#include <stdio.h>
#include <string.h>

#define UNLOCK_WORDS "high_symbols random_wilds multiplier mega_wild"
#define UNLOCK_MULTIPLIER_MAX 1000

static const char *const kind_words[UNLOCK_KINDS] = { "high_symbols", "random_wilds", "multiplier",
	"mega_wild" };

static void read_colours(const struct node *collectibles, struct game *game)
{
	struct node list = node_member(collectibles, "symbols");

	node_array(&list, GAME_COLOURS, GAME_COLOURS);
	for (uint32_t c = 0; c < GAME_COLOURS && !list.reader->failed; c++) {
		struct node node = node_item(&list, c);

		game->unlock.symbol[c] =
			definition_symbol(&node, game, KIND_BIT(SYMBOL_COLLECTIBLE));
		for (uint32_t other = 0; other < c; other++)
			if (game->unlock.symbol[other] == game->unlock.symbol[c])
				node_fail(&node, NULL, "each potion only once");
	}
}

/* Three potions are a combination; no two features have the same combination. */
static void read_needs(const struct node *node, struct unlock_rules *rules, size_t index)
{
	uint8_t *needs = rules->step[index].needs;
	uint32_t sum = 0;

	node_array(node, GAME_COLOURS, GAME_COLOURS);
	for (uint32_t c = 0; c < GAME_COLOURS && !node->reader->failed; c++) {
		struct node need = node_item(node, c);

		needs[c] = (uint8_t)node_u32(&need, 0, 3);
		sum += needs[c];
	}
	if (sum != 3)
		node_fail(node, NULL, "three potions in total, not %u", sum);
	for (size_t i = 0; i < index; i++)
		if (memcmp(rules->step[i].needs, needs, GAME_COLOURS) == 0)
			node_fail(node, "the same potions as another feature",
				"potions that differ from those of feature %zu", i);
}

static void read_steps(const struct node *collectibles, struct game *game)
{
	struct unlock_rules *rules = &game->unlock;
	struct node list = node_member(collectibles, "features");
	size_t count = node_array(&list, 1, GAME_UNLOCK_STEPS_MAX);

	rules->step_count = (uint32_t)count;
	for (size_t i = 0; i < count && !list.reader->failed; i++) {
		struct unlock_step *step = &rules->step[i];
		struct node node = node_item(&list, i);
		struct node kind = node_member(&node, "kind"), needs = node_member(&node, "needs");
		struct node strips = node_member(&node, "strips");

		node_keys(&node, "kind needs strips");
		step->kind = (enum unlock_kind)node_word(&kind, UNLOCK_WORDS);
		for (size_t other = 0; other < i; other++)
			if (rules->step[other].kind == step->kind)
				node_fail(&kind, NULL, "each feature only once");
		read_needs(&needs, rules, i);
		step->strips = definition_strips(&strips, game);
	}
}

/* The step of a kind; -1: the game does not have it. */
static int step_of(const struct unlock_rules *rules, uint32_t kind)
{
	for (uint32_t i = 0; i < rules->step_count; i++)
		if ((uint32_t)rules->step[i].kind == kind)
			return (int)i;
	return -1;
}

/* A feature's table: required with the feature, null without it. */
static bool wanted(const struct node *table, const struct unlock_rules *rules, uint32_t kind)
{
	bool offered = step_of(rules, kind) >= 0;

	if (!table->reader->failed && offered == node_is_null(table))
		node_fail(table, NULL, offered ? "the table of %s" : "null in a game without %s",
			kind_words[kind]);
	return offered && !table->reader->failed;
}

/* How many cells of each reel; `sure`: at least one reel always has one. */
static void read_cells(
	const struct node *list, const struct game *game, struct choices *reels, bool sure)
{
	bool some = false;

	node_array(list, game->reels, game->reels);
	for (uint32_t r = 0; r < game->reels && !list->reader->failed; r++) {
		struct node node = node_item(list, r);
		bool zero = false, more = false;

		definition_choices(&node, "count", 0, game->rows, &reels[r]);
		for (uint32_t i = 0; i < reels[r].count; i++) {
			zero |= reels[r].of[i].x == 0;
			more |= reels[r].of[i].x > 0;
		}
		some |= sure ? !zero : more;
	}
	if (!list->reader->failed && !some)
		node_fail(list, NULL,
			sure ? "a reel without the count 0, so that there is always a wild"
			     : "a reel with a count above 0");
}

static void read_block(const struct node *node, const struct game *game, struct mega_wild *mega)
{
	struct node reel = node_member(node, "reel"), row = node_member(node, "row");
	struct node size = node_member(node, "size");
	uint32_t left, top, side, smaller = game->reels < game->rows ? game->reels : game->rows;

	node_keys(node, "reel row size");
	side = node_u32(&size, 1, smaller);
	left = definition_reel(&reel, game);
	top = node_u32(&row, 0, game->rows - 1);
	if (node->reader->failed)
		return;
	if (left + side > game->reels || top + side > game->rows) {
		node_fail(node, "a block that is not on the grid",
			"a block within %u reels and %u rows", game->reels, game->rows);
		return;
	}
	for (uint32_t r = left; r < left + side; r++)
		for (uint32_t i = top; i < top + side; i++) {
			uint32_t cell = UINT32_C(1) << (r * game->rows + i);

			if (mega->cells & cell)
				node_fail(node, "a block that overlaps another",
					"blocks that do not overlap");
			mega->cells |= cell;
		}
}

static void read_mega(const struct node *list, struct game *game)
{
	struct unlock_rules *rules = &game->unlock;
	size_t count = node_array(list, 1, GAME_CHOICES_MAX);

	rules->mega_count = (uint32_t)count;
	for (size_t i = 0; i < count && !list->reader->failed; i++) {
		struct mega_wild *mega = &rules->mega[i];
		struct node node = node_item(list, i);
		struct node weight = node_member(&node, "weight");
		struct node blocks = node_member(&node, "blocks");
		size_t of = node_array(&blocks, 1, 4);

		node_keys(&node, "weight blocks");
		mega->weight = node_u32(&weight, 1, GAME_WEIGHT_MAX);
		definition_add_weight(&weight, mega->weight, &rules->mega_weight);
		for (size_t b = 0; b < of; b++) {
			struct node block = node_item(&blocks, b);

			read_block(&block, game, mega);
		}
	}
}

/* Symbols that the marks can become. */
static void read_reveals(const struct node *list, struct game *game)
{
	struct choices *revealed = &game->unlock.revealed;
	size_t count = node_array(list, 1, GAME_SYMBOLS_MAX);

	revealed->count = (uint32_t)count;
	for (size_t i = 0; i < count && !list->reader->failed; i++) {
		struct node node = node_item(list, i);
		struct node symbol = node_member(&node, "symbol");
		struct node weight = node_member(&node, "weight");

		node_keys(&node, "symbol weight");
		revealed->of[i].x = definition_symbol(
			&symbol, game, KIND_BIT(SYMBOL_LINE) | KIND_BIT(SYMBOL_WILD));
		revealed->of[i].weight = node_u32(&weight, 1, GAME_WEIGHT_MAX);
		definition_add_weight(&weight, revealed->of[i].weight, &revealed->weight);
		for (size_t other = 0; other < i; other++)
			if (revealed->of[other].x == revealed->of[i].x)
				node_fail(&symbol, NULL, "each symbol only once");
	}
}

/* Odds for the combination of each feature that can be locked: every feature except the first. */
static void read_locked(const struct node *locked, struct unlock_rules *rules, bool *possible)
{
	char keys[64] = "";

	for (uint32_t i = 1; i < rules->step_count && !locked->reader->failed; i++) {
		const char *word = kind_words[rules->step[i].kind];
		struct node odds = node_member(locked, word);
		size_t used = strlen(keys);

		snprintf(keys + used, sizeof(keys) - used, "%s%s", used ? " " : "", word);
		definition_odds(&odds, 0, &rules->explosion_locked[rules->step[i].kind]);
		*possible |= rules->explosion_locked[rules->step[i].kind].in > 0;
	}
	node_keys(locked, keys);
}

static void read_explosion(const struct node *collectibles, struct game *game)
{
	struct unlock_rules *rules = &game->unlock;
	struct node explosion = node_member(collectibles, "explosion"), odds, locked, marks,
		    reveals;
	bool possible;

	rules->explosion = (struct odds){ 0, 1 };
	for (uint32_t k = 0; k < UNLOCK_KINDS; k++)
		rules->explosion_locked[k] = (struct odds){ 0, 1 };
	if (node_is_null(&explosion))
		return;
	odds = node_member(&explosion, "odds");
	locked = node_member(&explosion, "locked");
	marks = node_member(&explosion, "marks");
	reveals = node_member(&explosion, "reveals");
	node_keys(&explosion, "odds locked marks reveals");
	definition_odds(&odds, 0, &rules->explosion);
	possible = rules->explosion.in > 0;
	read_locked(&locked, rules, &possible);
	read_cells(&marks, game, rules->marks, false);
	read_reveals(&reveals, game);
	if (!possible)
		node_fail(&explosion, "odds that are all 0",
			"odds above 0, or null for no explosions");
}

/* A set of features that a free spin can start: one feature, or the multiplier with one other. */
static uint32_t read_set(const struct node *list, const struct unlock_rules *rules)
{
	size_t count = node_array(list, 1, 2);
	uint32_t set = 0;

	for (size_t i = 0; i < count && !list->reader->failed; i++) {
		struct node node = node_item(list, i);
		uint32_t kind = node_word(&node, UNLOCK_WORDS);

		if (step_of(rules, kind) < 0 || (set & (UINT32_C(1) << kind)))
			node_fail(&node, NULL, "a feature of this game, listed only once");
		set |= UINT32_C(1) << kind;
	}
	if (!list->reader->failed && count == 2 && !(set & (UINT32_C(1) << UNLOCK_MULTIPLIER)))
		node_fail(list, NULL, "one feature, or the multiplier and one other");
	return set;
}

static void read_free_features(const struct node *collectibles, struct game *game)
{
	struct unlock_rules *rules = &game->unlock;
	struct node free_spins = node_member(collectibles, "free_spins"), odds, sets;
	size_t count;

	rules->free_feature = (struct odds){ 0, 1 };
	if (node_is_null(&free_spins))
		return;
	odds = node_member(&free_spins, "odds");
	sets = node_member(&free_spins, "sets");
	node_keys(&free_spins, "odds sets");
	definition_odds(&odds, 1, &rules->free_feature);
	count = node_array(&sets, 1, GAME_CHOICES_MAX);
	rules->free_set.count = (uint32_t)count;
	for (size_t i = 0; i < count && !sets.reader->failed; i++) {
		struct choice *choice = &rules->free_set.of[i];
		struct node node = node_item(&sets, i);
		struct node features = node_member(&node, "features");
		struct node weight = node_member(&node, "weight");

		node_keys(&node, "features weight");
		choice->x = read_set(&features, rules);
		choice->weight = node_u32(&weight, 1, GAME_WEIGHT_MAX);
		definition_add_weight(&weight, choice->weight, &rules->free_set.weight);
		for (size_t other = 0; other < i; other++)
			if (rules->free_set.of[other].x == choice->x)
				node_fail(&features, "a set that already exists",
					"each set only once");
	}
}

static void without(struct game *game)
{
	memset(game->unlock.symbol, GAME_NO_SYMBOL, sizeof(game->unlock.symbol));
}

static void read_unlock(const struct node *collectibles, struct game *game)
{
	struct unlock_rules *rules = &game->unlock;
	struct node wilds, multipliers, mega;

	node_keys(collectibles, "symbols features random_wilds multipliers mega_wild explosion "
				"free_spins");
	rules->offered = true;
	read_colours(collectibles, game);
	read_steps(collectibles, game);
	wilds = node_member(collectibles, "random_wilds");
	multipliers = node_member(collectibles, "multipliers");
	mega = node_member(collectibles, "mega_wild");
	if (wanted(&wilds, rules, UNLOCK_RANDOM_WILDS))
		read_cells(&wilds, game, rules->wilds, true);
	if (wanted(&multipliers, rules, UNLOCK_MULTIPLIER))
		definition_choices(&multipliers, "x", 2, UNLOCK_MULTIPLIER_MAX, &rules->multiplier);
	if (wanted(&mega, rules, UNLOCK_MEGA_WILD))
		read_mega(&mega, game);
	if ((rules->mega_count > 0 || rules->wilds[0].count > 0) && game->wild == GAME_NO_SYMBOL)
		node_fail(collectibles, "random or mega wilds in a game without a wild symbol",
			"a symbol of kind wild");
	read_explosion(collectibles, game);
	read_free_features(collectibles, game);
}

/* Every potion is collected and on some strip, and only strips of paid spins have potions. So every
 * step can be unlocked, one after another. */
static void check(const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	struct node symbols = node_member(root, "symbols"), modes = node_member(root, "modes");
	struct node collectibles = node_member(root, "potions"), free_spins;

	(void)seen;
	for (uint32_t s = 0; s < game->symbol_count; s++)
		if (game->symbol[s].kind == SYMBOL_COLLECTIBLE &&
			!memchr(game->unlock.symbol, (int)s, GAME_COLOURS)) {
			struct node node = node_item(&symbols, s);

			node_fail(&node, "a potion that the game does not collect",
				"only the three potions of /potions/symbols");
		}
	if (!game->unlock.offered)
		return;
	free_spins = node_member(&collectibles, "free_spins");
	definition_not_with(root, "potions", game->scatter_count_min > 0, "battle");
	definition_not_with(root, "potions", game->pick_outcome_count > 0, "vials");
	definition_not_with(root, "potions", game->sticky.offered, "sticky_respins");
	definition_not_with(root, "potions", game->hold.offered, "hold_and_win");
	definition_not_with(root, "potions", game->gamble.offered, "gamble");
	definition_not_with(root, "potions", game->expanding_reels != 0, "expanding_wild");
	definition_not_with(root, "potions", game->jackpot_symbols.symbol != GAME_NO_SYMBOL,
		"progressive_symbols");
	if (game->mode_count > 1)
		node_fail(&modes, NULL,
			"only the base mode in a game with potions, because collected potions "
			"belong to one mode");
	if (game->free_spins.offered && game->unlock.free_feature.in == 0)
		node_fail(&free_spins, NULL, "the potion features of the free spins");
	if (!game->free_spins.offered && game->unlock.free_feature.in > 0)
		node_fail(&free_spins, NULL, "null in a game without free spins");
}

static uint32_t line_factor(const struct game *game)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < game->unlock.multiplier.count; i++)
		if (game->unlock.multiplier.of[i].x > most)
			most = game->unlock.multiplier.of[i].x;
	return most;
}

static uint32_t phases(const struct game *game, enum spin_context context)
{
	(void)game;
	(void)context;
	return 1;
}

const struct feature_definition collect_and_unlock_definition = { .member = "potions",
	.read = read_unlock,
	.without = without,
	.check = check,
	.line_factor = line_factor,
	.phases = phases };
