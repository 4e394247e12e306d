#include "libcommon/game/exact/line_graph.h"

#include <stdlib.h>
#include <string.h>

/* Builds the graph from a tree: at each level the sorted lines form runs with the same beginning.
 * Finds the nodes from the last level to the first, then numbers them. */
struct folding {
	const struct game *game;
	const uint8_t *line[GAME_LINES_MAX]; /* sorted */
	uint32_t count;
	/* of the next level, by the place of the run's first line */
	uint16_t node_at[GAME_LINES_MAX];
	uint32_t nodes, edges;
	/* by node, in the order found */
	uint16_t first[GAME_REELS_MAX + 1]; /* of the level */
	uint16_t lines[LINE_GRAPH_NODES];
	uint16_t edge_first[LINE_GRAPH_NODES + 1];
	struct graph_edge edge[LINE_GRAPH_EDGES];
};

static int by_rows(const void *a, const void *b)
{
	return memcmp(*(const uint8_t *const *)a, *(const uint8_t *const *)b, GAME_REELS_MAX);
}

/* The end of the run of lines that begin like line `from`. */
static uint32_t run_end(const struct folding *folding, uint32_t from, uint32_t length)
{
	uint32_t end = from + 1;

	while (end < folding->count && memcmp(folding->line[end], folding->line[from], length) == 0)
		end++;
	return end;
}

/* The node just added, or an equal node of its level. */
static uint16_t node_settle(struct folding *folding, uint32_t level)
{
	uint32_t node = folding->nodes;
	uint32_t from = folding->edge_first[node], count = folding->edges - from;

	for (uint32_t i = folding->first[level]; i < node; i++) {
		uint32_t other = folding->edge_first[i];

		if (folding->lines[i] != folding->lines[node] ||
			folding->edge_first[i + 1] - other != count ||
			memcmp(&folding->edge[other], &folding->edge[from],
				count * sizeof(folding->edge[0])) != 0)
			continue;
		folding->edges = from;
		return (uint16_t)i;
	}
	folding->nodes++;
	folding->edge_first[node + 1] = (uint16_t)folding->edges;
	return (uint16_t)node;
}

static void fold_level(struct folding *folding, uint32_t level)
{
	uint32_t reels = folding->game->reels;

	folding->first[level] = (uint16_t)folding->nodes;
	for (uint32_t from = 0, end; from < folding->count; from = end) {
		end = run_end(folding, from, level);
		folding->lines[folding->nodes] = (uint16_t)(end - from);
		for (uint32_t at = from; level < reels && at < end;
			at = run_end(folding, at, level + 1))
			folding->edge[folding->edges++] =
				(struct graph_edge){ .row = folding->line[at][level],
					.to = folding->node_at[at] };
		/* Earlier places already belong to this level; later places are not read again. */
		folding->node_at[from] = node_settle(folding, level);
	}
}

/* Levels in the order of reels; within a level the order they were found in. */
static void lay_out(const struct folding *folding, struct line_graph *graph)
{
	uint16_t number[LINE_GRAPH_NODES];
	uint32_t node = 0, edge = 0, levels = graph->reels + 1;

	for (uint32_t level = 0; level < levels; level++) {
		uint32_t end = level > 0 ? folding->first[level - 1] : folding->nodes;

		graph->first[level] = (uint16_t)node;
		for (uint32_t i = folding->first[level]; i < end; i++)
			number[i] = (uint16_t)node++;
	}
	graph->first[levels] = (uint16_t)node;
	for (uint32_t level = 0; level < levels; level++) {
		for (uint32_t k = 0; k < graph->first[level + 1] - (uint32_t)graph->first[level];
			k++) {
			uint32_t i = folding->first[level] + k;

			node = graph->first[level] + k;
			graph->lines[node] = folding->lines[i];
			graph->edge_first[node] = (uint16_t)edge;
			for (uint32_t e = folding->edge_first[i]; e < folding->edge_first[i + 1];
				e++)
				graph->edge[edge++] =
					(struct graph_edge){ .row = folding->edge[e].row,
						.to = number[folding->edge[e].to] };
			graph->edge_first[node + 1] = (uint16_t)edge;
		}
	}
}

void line_graph_init(struct line_graph *graph, const struct game *game)
{
	struct folding folding = { .game = game, .count = game->line_count };

	memset(graph, 0, sizeof(*graph));
	graph->reels = game->reels;
	for (uint32_t l = 0; l < folding.count; l++)
		folding.line[l] = game->line[l];
	qsort(folding.line, folding.count, sizeof(folding.line[0]), by_rows);
	for (uint32_t level = game->reels + 1; level-- > 0;)
		fold_level(&folding, level);
	lay_out(&folding, graph);
}
