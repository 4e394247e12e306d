/* Memory for one message or one batch: taken piece by piece, given back all at once. Pointers stay
 * where they are until then. A zeroed struct is an empty arena. */
#ifndef CARILLON_IO_ARENA_H
#define CARILLON_IO_ARENA_H

#include <protobuf-c/protobuf-c.h>

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* the one in use first */
};

/* Aligned for any type; ends the process when there is no memory. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_take(struct arena *arena, size_t size);		       /* the same, zeroed */
void *arena_copy(struct arena *arena, const void *bytes, size_t size); /* NULL for size 0 */
char *arena_text(struct arena *arena, const char *text);
/* Everything taken is gone; one chunk is kept for the next time. */
void arena_reset(struct arena *arena);
void arena_free(struct arena *arena);
/* For unpacking into the arena: nothing is freed one by one, arena_reset ends it all. */
ProtobufCAllocator arena_allocator(struct arena *arena);

#endif
