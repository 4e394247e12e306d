/* Memory for building one reply: taken piece by piece, given back all at once. */
#ifndef CARILLON_SPIN_ENGINE_ARENA_H
#define CARILLON_SPIN_ENGINE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* the one in use first */
};

/* Zeroed; never NULL. */
void *arena_take(struct arena *arena, size_t size);
char *arena_text(struct arena *arena, const char *text);
/* Everything taken is gone; one chunk is kept for the next time. */
void arena_reset(struct arena *arena);
void arena_free(struct arena *arena);

#endif
