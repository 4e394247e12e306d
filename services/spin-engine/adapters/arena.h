/* Memory for one message, read or built: taken piece by piece, given back all at once. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_ARENA_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_ARENA_H

#include <protobuf-c/protobuf-c.h>

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
/* For unpacking into the arena: nothing is freed one by one, arena_reset ends it all. */
ProtobufCAllocator arena_allocator(struct arena *arena);

#endif
