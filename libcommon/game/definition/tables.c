/* Reads names and weighted tables for several parts of a definition. */
#include "libcommon/game/definition/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = { "line", "wild", "scatter", "bonus", "jackpot", "potion" };

uint8_t definition_symbol(const struct node *node, const struct game *game, uint32_t kinds)
{
	const char *id = json_string_value(node->json);
	char wanted[64] = "";

	for (uint32_t s = 0; id && s < game->symbol_count; s++)
		if (strcmp(game->symbol[s].id, id) == 0 && (KIND_BIT(game->symbol[s].kind) & kinds))
			return (uint8_t)s;
	for (uint32_t k = 0; k < sizeof(kind_names) / sizeof(kind_names[0]); k++)
		if ((KIND_BIT(k) & kinds) && kinds != KINDS_ALL) {
			size_t used = strlen(wanted);

			snprintf(wanted + used, sizeof(wanted) - used, "%s%s",
				used ? " or " : " of the kind ", kind_names[k]);
		}
	node_fail(node, NULL, "the id of a symbol%s", wanted);
	return GAME_NO_SYMBOL;
}

uint8_t definition_strips(const struct node *node, const struct game *game)
{
	const char *id = json_string_value(node->json);

	for (uint32_t s = 0; id && s < game->strip_sets; s++)
		if (strcmp(game->strips[s].id, id) == 0)
			return (uint8_t)s;
	node_fail(node, NULL, "the name of a strip set");
	return 0;
}

uint8_t definition_reel(const struct node *node, const struct game *game)
{
	return (uint8_t)(node_u32(node, 1, game->reels ? game->reels : 1) - 1);
}

void definition_add_weight(const struct node *node, uint32_t weight, uint32_t *sum)
{
	if (weight > GAME_WEIGHT_MAX - *sum)
		node_fail(node, NULL, "weights that sum to at most %d", GAME_WEIGHT_MAX);
	else
		*sum += weight;
}

void definition_choices(const struct node *list, const char *key, uint32_t min, uint32_t max,
	struct choices *choices_r)
{
	size_t count = node_array(list, 1, GAME_CHOICES_MAX);
	char keys[32];

	snprintf(keys, sizeof(keys), "%s weight", key);
	*choices_r = (struct choices){ .count = (uint32_t)count };
	for (size_t i = 0; i < count; i++) {
		struct choice *choice = &choices_r->of[i];
		struct node node = node_item(list, i);
		struct node x = node_member(&node, key), weight = node_member(&node, "weight");

		node_keys(&node, keys);
		choice->x = node_u32(&x, min, max);
		choice->weight = node_u32(&weight, 1, GAME_WEIGHT_MAX);
		for (size_t other = 0; other < i; other++)
			if (choices_r->of[other].x == choice->x)
				node_fail(&x, NULL, "each %s only once", key);
		definition_add_weight(&weight, choice->weight, &choices_r->weight);
	}
}

void definition_odds(const struct node *node, uint32_t least, struct odds *odds_r)
{
	struct node in = node_member(node, "in"), of = node_member(node, "of");

	node_keys(node, "in of");
	odds_r->of = node_u32(&of, 1, GAME_WEIGHT_MAX);
	odds_r->in = node_u32(&in, least, odds_r->of);
}
