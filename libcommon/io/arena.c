/* Chunks, newest first. A piece never spans two chunks. */
#include "libcommon/io/arena.h"

#include "libcommon/io/log.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)256 * 1024)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used;
	alignas(max_align_t) unsigned char bytes[];
};

static struct arena_chunk *chunk_new(size_t size, struct arena_chunk *next)
{
	struct arena_chunk *chunk = malloc(sizeof(*chunk) + size);

	if (chunk == NULL)
		fatal("out of memory: %zu bytes of an arena", size);
	chunk->next = next;
	chunk->size = size;
	chunk->used = 0;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t aligned =
		(size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
	struct arena_chunk *chunk = arena->chunks;

	if (chunk == NULL || chunk->size - chunk->used < aligned) {
		chunk = chunk_new(aligned > CHUNK_BYTES ? aligned : CHUNK_BYTES, chunk);
		arena->chunks = chunk;
	}
	void *bytes = chunk->bytes + chunk->used;
	chunk->used += aligned;
	return bytes;
}

void *arena_take(struct arena *arena, size_t size)
{
	return memset(arena_alloc(arena, size), 0, size);
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
	if (size == 0)
		return NULL;
	return memcpy(arena_alloc(arena, size), bytes, size);
}

char *arena_text(struct arena *arena, const char *text)
{
	return arena_copy(arena, text, strlen(text) + 1);
}

void arena_reset(struct arena *arena)
{
	while (arena->chunks != NULL && arena->chunks->next != NULL) {
		struct arena_chunk *chunk = arena->chunks;
		arena->chunks = chunk->next;
		free(chunk);
	}
	if (arena->chunks != NULL)
		arena->chunks->used = 0;
}

void arena_free(struct arena *arena)
{
	arena_reset(arena);
	free(arena->chunks);
	arena->chunks = NULL;
}

static void *alloc(void *data, size_t size)
{
	return arena_alloc(data, size);
}

static void free_nothing(void *data, void *pointer)
{
	(void)data;
	(void)pointer;
}

ProtobufCAllocator arena_allocator(struct arena *arena)
{
	return (ProtobufCAllocator){ alloc, free_nothing, arena };
}
