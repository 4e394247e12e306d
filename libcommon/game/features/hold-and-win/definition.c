/* Reads hold and win: what its symbols carry and how cells fill. */
#include "libcommon/game/definition/feature.h"

#include <stdio.h>
#include <string.h>

#define HOLD_RESPINS_MAX 10
#define HOLD_MULTIPLIER_MAX 100

static void read_award(
	const struct node *node, struct hold_rules *rules, size_t index, uint32_t *weight_sum)
{
	struct hold_award *award = &rules->award[index];
	struct node id = node_member(node, "id"), name = node_member(node, "name");
	struct node x = node_member(node, "x"), weight = node_member(node, "weight");

	node_keys(node, "id name x weight");
	node_slug(&id, award->id, sizeof(award->id));
	for (size_t i = 0; i < index; i++)
		if (strcmp(rules->award[i].id, award->id) == 0)
			node_fail(&id, NULL, "an id that no earlier award has");
	node_text(&name, award->name, sizeof(award->name));
	award->x = node_u32(&x, 1, GAME_PAY_MAX);
	award->weight = node_u32(&weight, 1, GAME_WEIGHT_MAX);
	definition_add_weight(&weight, award->weight, weight_sum);
}

/* Awards that are not drawn with a large multiplier; at least one award must remain. */
static void read_excluded(const struct node *mystery, struct hold_rules *rules)
{
	struct node list = node_member(mystery, "exclude");
	struct node from = node_member(mystery, "exclude_from_multiplier");
	size_t count = node_array(&list, 0, HOLD_AWARDS_MAX);

	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(&list, i);
		const char *id = json_string_value(node.json);
		bool found = false;

		for (uint32_t a = 0; id && a < rules->award_count; a++)
			if (strcmp(rules->award[a].id, id) == 0 && !rules->award[a].excluded)
				found = rules->award[a].excluded = true;
		if (!found)
			node_fail(&node, NULL, "the id of an award, listed only once");
	}
	if (!list.reader->failed && count >= rules->award_count)
		node_fail(&list, NULL, "at least one award that is not excluded");
	if (count > 0)
		rules->exclude_from = node_u32(&from, 2, HOLD_MULTIPLIER_MAX);
	else if (!node_is_null(&from))
		node_fail(&from, NULL, "null, because no award is excluded");
}

static void read_mystery(const struct node *hold, struct hold_rules *rules)
{
	struct node mystery = node_member(hold, "mystery"), weight, awards;
	uint32_t sum = 0;
	size_t count;

	if (node_is_null(&mystery))
		return;
	weight = node_member(&mystery, "weight");
	awards = node_member(&mystery, "awards");
	node_keys(&mystery, "weight awards exclude exclude_from_multiplier");
	rules->mystery_weight = node_u32(&weight, 1, GAME_WEIGHT_MAX);
	count = node_array(&awards, 1, HOLD_AWARDS_MAX);
	rules->award_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct node node = node_item(&awards, i);

		read_award(&node, rules, i, &sum);
	}
	read_excluded(&mystery, rules);
}

static void read_multiplying(const struct node *hold, struct hold_rules *rules)
{
	struct node multiplying = node_member(hold, "multiplying"), weight, values;

	if (node_is_null(&multiplying))
		return;
	weight = node_member(&multiplying, "weight");
	values = node_member(&multiplying, "values");
	node_keys(&multiplying, "weight values");
	rules->multiplier_weight = node_u32(&weight, 1, GAME_WEIGHT_MAX);
	definition_choices(&values, "x", 2, HOLD_MULTIPLIER_MAX, &rules->multiplier);
}

static void without(struct game *game)
{
	game->hold.symbol = GAME_NO_SYMBOL;
	game->hold.cell = (struct odds){ 0, 1 };
}

static void read_hold(const struct node *hold, struct game *game)
{
	struct hold_rules *rules = &game->hold;
	struct node symbol = node_member(hold, "symbol"), least = node_member(hold, "at_least");
	struct node respins = node_member(hold, "respins"), cell = node_member(hold, "cell");
	struct node values = node_member(hold, "values");
	struct node full = node_member(hold, "full_screen_multiplier");
	uint32_t sum;

	node_keys(hold, "symbol at_least respins cell values mystery multiplying "
			"full_screen_multiplier");
	rules->offered = true;
	rules->symbol = definition_symbol(&symbol, game, KIND_BIT(SYMBOL_BONUS));
	rules->at_least = node_u32(&least, 1, game->reels * game->rows);
	rules->respins = node_u32(&respins, 1, HOLD_RESPINS_MAX);
	definition_odds(&cell, 1, &rules->cell);
	definition_choices(&values, "x", 1, GAME_PAY_MAX, &rules->value);
	read_mystery(hold, rules);
	read_multiplying(hold, rules);
	rules->full_multiplier = node_u32(&full, 1, HOLD_MULTIPLIER_MAX);
	/* one draw over all three tables */
	sum = rules->value.weight;
	definition_add_weight(&values, rules->mystery_weight, &sum);
	definition_add_weight(&values, rules->multiplier_weight, &sum);
}

static void check(const struct node *root, const struct game *game, const struct strips_seen *seen)
{
	struct node hold = node_member(root, "hold_and_win"), least;

	if (!game->hold.offered)
		return;
	definition_not_with(root, "hold_and_win", game->pick_outcome_count > 0, "vials");
	least = node_member(&hold, "at_least");
	for (uint32_t m = 0; m < game->mode_count; m++) {
		uint32_t cells = 0;

		for (uint32_t r = 0; r < game->reels; r++)
			cells += seen->most[game->mode[m].strips][r][game->hold.symbol];
		if (cells < game->hold.at_least)
			node_fail(&least, NULL, "at most the %u that mode %s can show", cells,
				game->mode[m].id);
	}
}

static uint32_t phases(const struct game *game, enum spin_context context)
{
	if (context != CONTEXT_BASE)
		return 0;
	return game->hold.respins * (game->reels * game->rows + 1) + 1;
}

const struct feature_definition hold_and_win_definition = { .member = "hold_and_win",
	.read = read_hold,
	.without = without,
	.check = check,
	.phases = phases };
