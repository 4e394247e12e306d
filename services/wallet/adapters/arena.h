/* Memory for one batch: given out piece by piece, taken back all at once. Pointers stay where they
 * are until then. */
#ifndef CARILLON_WALLET_ADAPTERS_ARENA_H
#define CARILLON_WALLET_ADAPTERS_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena {
	struct arena_chunk *chunks; /* the one in use first */
};

/* Aligned for any type; ends the process when there is no memory. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *bytes, size_t size); /* NULL for size 0 */
void arena_reset(struct arena *arena);				       /* keeps one chunk */
void arena_free(struct arena *arena);

#endif
