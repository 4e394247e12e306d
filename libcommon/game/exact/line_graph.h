/* Lines as a graph of rows: lines with the same beginning share a path, and lines with the same
 * remainder share a node. Summing, over all lines, a product of one factor per reel costs one
 * multiplication per edge; fifty lines on five reels have about 100 edges.
 *
 * Computed once a game; read-only after that. */
#ifndef CARILLON_GAME_EXACT_LINE_GRAPH_H
#define CARILLON_GAME_EXACT_LINE_GRAPH_H

#include "libcommon/game/game.h"

#define LINE_GRAPH_NODES (GAME_LINES_MAX * GAME_REELS_MAX + 1)
#define LINE_GRAPH_EDGES (GAME_LINES_MAX * GAME_REELS_MAX)

struct graph_edge {
	uint16_t row; /* on the reel after the node */
	uint16_t to;
};

/* Nodes first[level] .. first[level + 1] - 1 come before reel `level`. Nodes of the last level come
 * after all reels and have no edges. Edges of node i: edge_first[i] .. edge_first[i + 1] - 1. The
 * only node of level 0 stands for all lines. */
struct line_graph {
	uint32_t reels;
	uint16_t first[GAME_REELS_MAX + 2];
	uint16_t edge_first[LINE_GRAPH_NODES + 1];
	/* The number of lines that begin with one given path to the node; it is the same for every
	 * such path. Identical lines count separately. */
	uint16_t lines[LINE_GRAPH_NODES];
	struct graph_edge edge[LINE_GRAPH_EDGES];
};

/* The graph of all lines of the game. */
void line_graph_init(struct line_graph *graph, const struct game *game);

#endif
