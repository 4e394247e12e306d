/* Reads symbols with the paytable, strip sets and lines. */
#include "libcommon/game/definition/parts.h"

#include <stdlib.h>
#include <string.h>

static void read_pays(const struct node *pays, const struct game *game, struct game_symbol *symbol)
{
	size_t count = node_object(pays, 1, game->reels);

	for (size_t i = 0; i < count; i++) {
		const char *key;
		struct node pay = node_nth(pays, i, &key);
		uint32_t length;

		if (node_number_key(&pay, key, 1, game->reels, &length))
			symbol->pay[length] = node_u32(&pay, 1, GAME_PAY_MAX);
	}
	/* how many scatters a window can show depends on the strips: see the check of scatters */
	for (uint32_t n = 1; n < game->reels && symbol->kind != SYMBOL_SCATTER; n++)
		if (symbol->pay[n + 1] < symbol->pay[n])
			node_fail(pays, "pays that fall as the length grows",
				"a longer combination to pay at least as much (%u pays %u, %u "
				"pays %u)",
				n, symbol->pay[n], n + 1, symbol->pay[n + 1]);
}

static void read_symbol(const struct node *node, struct game *game, uint32_t index)
{
	struct game_symbol *symbol = &game->symbol[index];
	struct node id = node_member(node, "id"), name = node_member(node, "name");
	struct node kind = node_member(node, "kind");
	bool has_pays = json_object_get(node->json, "pays") != NULL;

	node_keys(node, "id name kind pays wild_counts");
	node_slug(&id, symbol->id, sizeof(symbol->id));
	for (uint32_t i = 0; i < index; i++)
		if (strcmp(game->symbol[i].id, symbol->id) == 0)
			node_fail(&id, NULL, "an id that no earlier symbol has");
	node_text(&name, symbol->name, sizeof(symbol->name));
	symbol->kind = (enum symbol_kind)node_word(&kind, "line wild scatter bonus jackpot potion");
	if (node_has(node, "wild_counts")) {
		struct node counts = node_member(node, "wild_counts");

		symbol->wild_counts = node_bool(&counts);
		if (symbol->wild_counts && symbol->kind != SYMBOL_SCATTER)
			node_fail(&counts, NULL, "false, because wild_counts is only for scatters");
	}
	if (symbol->kind == SYMBOL_BONUS || symbol->kind == SYMBOL_COLLECTIBLE) {
		if (has_pays) {
			struct node pays = node_member(node, "pays");

			node_fail(&pays, NULL,
				"no pays, because bonus symbols and potions pay through their "
				"features");
		}
	} else if (has_pays || symbol->kind == SYMBOL_LINE) {
		struct node pays = node_member(node, "pays");

		read_pays(&pays, game, symbol);
	}
}

/* The game's only wild, its only bonus, its scatters. */
static void note_kind(const struct node *node, struct game *game, uint8_t index)
{
	uint8_t *one = game->symbol[index].kind == SYMBOL_WILD	  ? &game->wild
		       : game->symbol[index].kind == SYMBOL_BONUS ? &game->bonus
								  : NULL;

	if (game->symbol[index].kind == SYMBOL_SCATTER) {
		if (game->scatter_symbols == GAME_SCATTERS_MAX)
			node_fail(node, "too many scatters", "at most %d", GAME_SCATTERS_MAX);
		else
			game->scatter[game->scatter_symbols++] = index;
	} else if (one && *one != GAME_NO_SYMBOL) {
		node_fail(node, "a second symbol of its kind", "at most one wild and one bonus");
	} else if (one) {
		*one = index;
	}
}

void definition_read_symbols(const struct node *root, struct game *game)
{
	struct node symbols = node_member(root, "symbols");
	size_t count = node_array(&symbols, 1, GAME_SYMBOLS_MAX);

	game->wild = game->bonus = GAME_NO_SYMBOL;
	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		struct node node = node_item(&symbols, i);

		game->symbol_count = (uint32_t)i + 1;
		read_symbol(&node, game, (uint32_t)i);
		if (!root->reader->failed)
			note_kind(&node, game, (uint8_t)i);
	}
	for (size_t i = 0; i < game->symbol_count && game->wild == GAME_NO_SYMBOL; i++)
		if (game->symbol[i].wild_counts) {
			struct node node = node_item(&symbols, i);
			struct node counts = node_member(&node, "wild_counts");

			node_fail(&counts, NULL, "false in a game without a wild");
		}
}

static void read_weights(const struct node *weights, struct game_strip *strip)
{
	node_array(weights, strip->length, strip->length);
	strip->weight = 0;
	for (uint32_t i = 0; i < strip->length && !weights->reader->failed; i++) {
		struct node weight = node_item(weights, i);

		strip->stop_weight[i] = (uint16_t)node_u32(&weight, 1, GAME_STOP_WEIGHT_MAX);
		strip->weight += strip->stop_weight[i];
		if (strip->weight > GAME_STOP_WEIGHT_MAX)
			node_fail(&weight, NULL, "weights of a strip that sum to at most %d",
				GAME_STOP_WEIGHT_MAX);
	}
}

/* A list of symbols with equally likely stops, or symbols and weights. */
static void read_strip(const struct node *node, const struct game *game, struct game_strip *strip)
{
	bool weighted = json_is_object(node->json);
	struct node symbols = weighted ? node_member(node, "symbols") : *node;
	size_t length = node_array(&symbols, game->rows, GAME_STRIP_MAX);

	strip->length = strip->weight = (uint32_t)length;
	for (size_t i = 0; i < length; i++) {
		struct node stop = node_item(&symbols, i);

		strip->symbol[i] = definition_symbol(&stop, game, KINDS_ALL);
		strip->stop_weight[i] = 1;
	}
	if (weighted) {
		struct node weights = node_member(node, "weights");

		node_keys(node, "symbols weights");
		read_weights(&weights, strip);
	}
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct game_strips *)a)->id, ((const struct game_strips *)b)->id);
}

/* Sets are sorted by name: the order of members is not part of the math version, so it must not
 * affect a round's record. */
void definition_read_strips(const struct node *root, struct game *game)
{
	struct node strips = node_member(root, "strips");
	size_t count = node_object(&strips, 1, GAME_STRIP_SETS_MAX);

	for (size_t i = 0; i < count && !root->reader->failed; i++) {
		struct game_strips *set = &game->strips[i];
		const char *name;
		struct node node = node_nth(&strips, i, &name);
		struct node key = node;
		json_t *text = json_string(name);

		key.json = text;
		node_slug(&key, set->id, sizeof(set->id));
		json_decref(text);
		node_array(&node, game->reels, game->reels);
		for (uint32_t r = 0; r < game->reels && !root->reader->failed; r++) {
			struct node strip = node_item(&node, r);

			read_strip(&strip, game, &set->reel[r]);
		}
		game->strip_sets = (uint32_t)i + 1;
	}
	qsort(game->strips, game->strip_sets, sizeof(game->strips[0]), by_id);
}

void definition_read_lines(const struct node *root, struct game *game)
{
	struct node lines = node_member(root, "lines");
	size_t count = node_array(&lines, 1, GAME_LINES_MAX);

	game->line_count = (uint32_t)count;
	for (size_t l = 0; l < count && !root->reader->failed; l++) {
		struct node line = node_item(&lines, l);

		node_array(&line, game->reels, game->reels);
		for (uint32_t r = 0; r < game->reels && !root->reader->failed; r++) {
			struct node row = node_item(&line, r);

			game->line[l][r] = (uint8_t)node_u32(&row, 0, game->rows - 1);
		}
		for (size_t other = 0; other < l; other++)
			if (memcmp(game->line[other], game->line[l], game->reels) == 0)
				node_fail(&line, "a line that already exists",
					"a line that differs from line %zu", other);
	}
}
