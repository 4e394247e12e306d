/* A definition's text to a struct game: everything but the published bands, which need the exact
 * mathematics. This file and what it calls also run in a browser. */
#include "libcommon/game/definition_load.h"

#include "libcommon/base/sha256.h"
#include "libcommon/game/definition/check.h"
#include "libcommon/game/definition/parts.h"
#include "libcommon/game/exact/spin_rank_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In addition to the features' members. */
#define MEMBERS                                                                                    \
	"format id number name version demo grid symbols strips lines modes bet expanding_wild "   \
	"progressive_symbols witches gamble autoplay jackpot cards resolve_after_hours"

static void read_head(const struct node *root, struct game *game)
{
	struct node format = node_member(root, "format"), id = node_member(root, "id");
	struct node number = node_member(root, "number"), name = node_member(root, "name");
	struct node version = node_member(root, "version"), demo = node_member(root, "demo");
	struct node grid = node_member(root, "grid");
	struct node reels = node_member(&grid, "reels"), rows = node_member(&grid, "rows");
	char members[DEFINITION_MEMBERS_MAX] = MEMBERS;

	node_integer(&format, 1, 1);
	definition_members(members);
	node_keys(root, members);
	node_slug(&id, game->id, sizeof(game->id));
	game->number = node_u32(&number, 1, 65535);
	node_text(&name, game->name, sizeof(game->name));
	game->version = node_u32(&version, 1, UINT32_MAX);
	game->demo = node_bool(&demo);
	node_keys(&grid, "reels rows");
	game->reels = node_u32(&reels, 3, GAME_REELS_MAX);
	game->rows = node_u32(&rows, 1, GAME_ROWS_MAX);
	if (game->reels * game->rows > GAME_CELLS_MAX)
		node_fail(&grid, NULL, "at most %d cells", GAME_CELLS_MAX);
}

/* The math version is computed from the canonical form, so white space and the order of members do
 * not change it. */
static bool digest(json_t *json, uint8_t *out)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	struct sha256 sha;

	if (!text)
		return false;
	sha256_begin(&sha);
	sha256_add(&sha, text, strlen(text));
	sha256_end(&sha, out);
	free(text);
	return true;
}

/* A guaranteed spin is drawn from the combinations that keep its guarantee, so there must be at
 * least one. */
static void build_ranks(const struct node *root, struct game *game)
{
	struct node modes = node_member(root, "modes");

	for (uint32_t m = 0; m < game->mode_count && !root->reader->failed; m++) {
		struct node mode = node_item(&modes, m);
		struct node guarantee = node_member(&mode, "guarantee");

		if (game->mode[m].guarantee == GUARANTEE_NONE)
			continue;
		switch (spin_rank_build(game, m, &game->mode[m].rank)) {
		case SPIN_RANK_OK:
			break;
		case SPIN_RANK_NONE:
			node_fail(&guarantee, "a guarantee that no combination keeps",
				"a guarantee that the mode's strips can keep");
			break;
		case SPIN_RANK_TOO_MANY:
			node_fail(&guarantee, "2^63 or more combinations that keep the guarantee",
				"fewer combinations: use shorter strips or smaller weights");
			break;
		case SPIN_RANK_NO_MEMORY:
			node_fail(&guarantee, "too little memory",
				"enough for the combinations that keep the guarantee");
			break;
		}
	}
}

static void read_parts(const struct node *root, struct game *game)
{
	read_head(root, game);
	definition_read_symbols(root, game);
	definition_read_strips(root, game);
	definition_read_lines(root, game);
	definition_read_modes(root, game);
	definition_read_bet(root, game);
	definition_read_features(root, game);
	definition_read_gamble(root, game);
	definition_read_autoplay(root, game);
	definition_read_jackpot(root, game);
	definition_read_cards(root, game);
}

/* Operators decide whether to allow simulated returns, not the game. */
static void refuse_simulated(const struct node *root, const struct game *game)
{
	struct node modes = node_member(root, "modes");

	for (uint32_t m = 0; m < game->mode_count && !root->reader->failed; m++) {
		struct node mode = node_item(&modes, m), published;

		published = node_member(&mode, "published_rtp");
		if (game_mode_simulated(&game->mode[m]))
			node_fail(&published, "a simulated return",
				"a proved return (SPIN_ENGINE_SIMULATED_RETURNS allows simulated "
				"ones)");
	}
}

static void read_definition(
	const struct node *root, uint32_t flags, definition_proof *returns, struct game *game)
{
	read_parts(root, game);
	if (root->reader->failed)
		return;
	/* the proofs cover the compiled tables */
	definition_check(root, game);
	if (root->reader->failed)
		return;
	game_compile(game);
	build_ranks(root, game);
	if (root->reader->failed)
		return;
	definition_prove(root, game);
	if (!(flags & DEFINITION_SIMULATED))
		refuse_simulated(root, game);
	if (!root->reader->failed && returns)
		returns(root, game);
	if (!root->reader->failed && !digest(root->json, game->digest))
		node_fail(root, "too little memory", "enough for its canonical form");
}

enum definition_status definition_read(const char *name, const char *text, size_t count,
	uint32_t flags, definition_proof *returns, struct game *game_r, char *error)
{
	struct definition_reader reader = { .file = name, .error = error };
	struct node root = { .reader = &reader };
	json_error_t fault;
	json_t *json;

	error[0] = 0;
	if (count > DEFINITION_FILE_MAX) {
		snprintf(error, DEFINITION_ERROR_MAX,
			"%.200s: found %zu bytes, expected at most %d", name, count,
			DEFINITION_FILE_MAX);
		return DEFINITION_UNREADABLE;
	}
	json = json_loadb(text, count, JSON_REJECT_DUPLICATES, &fault);
	if (!json) {
		snprintf(error, DEFINITION_ERROR_MAX,
			"%.200s: at line %d, column %d: found %.160s, expected JSON", name,
			fault.line, fault.column, fault.text);
		return DEFINITION_UNREADABLE;
	}
	memset(game_r, 0, sizeof(*game_r));
	root.json = json;
	read_definition(&root, flags, returns, game_r);
	json_decref(json);
	if (!reader.failed)
		return DEFINITION_OK;
	definition_free(game_r);
	return DEFINITION_REFUSED;
}

enum definition_status definition_parse_unproven(
	const char *name, const char *text, size_t count, struct game *game_r, char *error)
{
	return definition_read(
		name, text, count, DEFINITION_UNPROVEN | DEFINITION_SIMULATED, NULL, game_r, error);
}

void definition_free(struct game *game)
{
	for (uint32_t m = 0; m < GAME_MODES_MAX; m++)
		spin_rank_free(&game->mode[m].rank);
}
