/* Memory for one message or one batch: taken piece by piece, freed all at once by arena_reset.
 * Pieces never move. A zeroed struct is an empty arena. */
#ifndef CARILLON_IO_ARENA_H
#define CARILLON_IO_ARENA_H

#include <protobuf-c/protobuf-c.h>

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* the one in use is first */
};

/* Aligned for any type. Ends the process when memory runs out. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_take(struct arena *arena, size_t size);		       /* the same, zeroed */
void *arena_copy(struct arena *arena, const void *bytes, size_t size); /* NULL for size 0 */
char *arena_text(struct arena *arena, const char *text);
/* Frees every piece; keeps one chunk for reuse. */
void arena_reset(struct arena *arena);
void arena_free(struct arena *arena);
/* For unpacking messages into the arena: protobuf-c's own frees do nothing, arena_reset frees
 * all. */
ProtobufCAllocator arena_allocator(struct arena *arena);

#endif
