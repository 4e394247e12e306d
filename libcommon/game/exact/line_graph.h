/* Lines as a graph of rows: lines that begin alike are one path up to where they part, and what
 * comes is one node where it is the same lines from there on. A sum over all lines of a product of
 * one factor a reel costs one multiplication an edge; fifty lines of five reels have some 100.
 *
 * A pure table, found once a game. */
#ifndef CARILLON_GAME_EXACT_LINE_GRAPH_H
#define CARILLON_GAME_EXACT_LINE_GRAPH_H

#include "libcommon/game/game.h"

#define LINE_GRAPH_NODES (GAME_LINES_MAX * GAME_REELS_MAX + 1)
#define LINE_GRAPH_EDGES (GAME_LINES_MAX * GAME_REELS_MAX)

struct graph_edge {
	uint16_t row; /* of the reel the node stands before */
	uint16_t to;
};

/* Nodes of `level` stand before that reel: first[level] .. first[level + 1] - 1; those of the last
 * level, behind all reels, have no edges. Edges of node i: edge_first[i] .. edge_first[i + 1] - 1.
 * The only node of level 0 stands for all lines. */
struct line_graph {
	uint32_t reels;
	uint16_t first[GAME_REELS_MAX + 2];
	uint16_t edge_first[LINE_GRAPH_NODES + 1];
	uint16_t lines[LINE_GRAPH_NODES]; /* ends of lines beyond the node, same ones counted */
	struct graph_edge edge[LINE_GRAPH_EDGES];
};

/* Of all lines of the game. */
void line_graph_init(struct line_graph *graph, const struct game *game);

#endif
