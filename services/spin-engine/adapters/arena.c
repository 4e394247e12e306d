#include "services/spin-engine/adapters/arena.h"

#include "libcommon/io/log.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define ALIGN 16u

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, room;
	_Alignas(ALIGN) unsigned char bytes[];
};

static void chunk_add(struct arena *arena, size_t size)
{
	size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	struct arena_chunk *chunk = malloc(sizeof(*chunk) + room);

	if (!chunk)
		fatal("no memory for %zu bytes of a reply", room);
	chunk->next = arena->chunks;
	chunk->used = 0;
	chunk->room = room;
	arena->chunks = chunk;
}

void *arena_take(struct arena *arena, size_t size)
{
	size_t rounded = (size + ALIGN - 1) / ALIGN * ALIGN;
	void *taken;

	if (!arena->chunks || arena->chunks->room - arena->chunks->used < rounded)
		chunk_add(arena, rounded);
	taken = arena->chunks->bytes + arena->chunks->used;
	arena->chunks->used += rounded;
	memset(taken, 0, rounded);
	return taken;
}

char *arena_text(struct arena *arena, const char *text)
{
	size_t length = strlen(text) + 1;
	char *copy = arena_take(arena, length);

	memcpy(copy, text, length);
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
}

void arena_reset(struct arena *arena)
{
	struct arena_chunk *first = arena->chunks;

	if (!first)
		return;
	arena->chunks = first->next;
	arena_free(arena);
	first->next = NULL;
	first->used = 0;
	arena->chunks = first;
}

static void *take(void *data, size_t size)
{
	return arena_take(data, size);
}

static void not_freed(void *data, void *pointer)
{
	(void)data;
	(void)pointer;
}

ProtobufCAllocator arena_allocator(struct arena *arena)
{
	return (ProtobufCAllocator){ take, not_freed, arena };
}
