/* Memory that goes with a death. Each slot has a piece of address space; what its instance
 * allocates is cut from it, kept in lists by size when freed, and forgotten as a whole when the
 * instance dies. */
#define _GNU_SOURCE
#include "tests/sim/world/kernel.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLOT_BYTES (UINT64_C(1) << 32)
#define KEEP_BYTES (UINT64_C(64) << 20)
#define CLASSES 160 /* four to each doubling */
#define HEAD 16	    /* before each piece: its class, and alignment */
#define CHUNK_BYTES (UINT64_C(1) << 20)

/* What the services' calls are renamed to. */
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);
char *__wrap_strdup(const char *text);
void *__wrap_sodium_malloc(size_t bytes);
void __wrap_sodium_free(void *memory);
int __wrap_sodium_mlock(void *memory, size_t bytes);

struct slot_memory {
	uint8_t *base;
	uint64_t used, touched; /* from base; what lies behind touched is zero */
	void *free[CLASSES];
};

static struct slot_memory slots[SLOTS_MAX];
static uint8_t *region;

void memory_begin(void)
{
	void *at = mmap(NULL, SLOTS_MAX * SLOT_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED) {
		(void)fprintf(
			stderr, "sim: address space for the instances: %s\n", strerror(errno));
		exit(2);
	}
	region = at;
	for (size_t i = 0; i < SLOTS_MAX; i++)
		slots[i].base = region + i * SLOT_BYTES;
	/* The one library that is shared by all instances and allocates. */
	json_set_alloc_funcs(__wrap_malloc, __wrap_free);
	json_object_seed(1);
}

/* 16, 32, 48, 64, then four sizes to each doubling. */
static size_t class_bytes(unsigned class)
{
	if (class < 4)
		return ((size_t) class + 1) * 16;
	return ((size_t)5 + class % 4) << (4 + class / 4 - 1);
}

static unsigned class_of(size_t bytes)
{
	if (bytes <= 64)
		return bytes == 0 ? 0 : (unsigned)(bytes - 1) / 16;
	unsigned top = 63u - (unsigned)__builtin_clzll(bytes - 1);
	return 4 + (top - 6) * 4 + (unsigned)(((bytes - 1) >> (top - 2)) & 3);
}

static void *piece_of(struct slot_memory *memory, size_t bytes, bool zero)
{
	unsigned class = class_of(bytes);
	size_t room = class_bytes(class);
	uint8_t *piece = memory->free[class];
	if (piece != NULL) {
		memcpy(&memory->free[class], piece, sizeof(void *));
		if (zero)
			memset(piece, 0, bytes);
		return piece;
	}
	if (memory->used + HEAD + room > SLOT_BYTES)
		sim_fail("an instance has used %llu bytes", (unsigned long long)memory->used);
	piece = memory->base + memory->used + HEAD;
	uint64_t end = memory->used + HEAD + room;
	if (zero && memory->used < memory->touched) {
		uint64_t dirty = memory->touched < end ? memory->touched : end;
		if (dirty > memory->used + HEAD) {
			uint64_t n = dirty - memory->used - HEAD;
			memset(piece, 0, n < bytes ? n : bytes);
		}
	}
	memory->used = end;
	if (end > memory->touched)
		memory->touched = end;
	memcpy(piece - HEAD, &class, sizeof(class));
	return piece;
}

static struct slot_memory *slot_of(const void *at)
{
	uintptr_t offset = (uintptr_t)at - (uintptr_t)region;
	return offset < SLOTS_MAX * SLOT_BYTES ? &slots[offset / SLOT_BYTES] : NULL;
}

static unsigned class_at(const void *at)
{
	unsigned class;
	memcpy(&class, (const uint8_t *)at - HEAD, sizeof(class));
	return class;
}

void *slot_alloc(uint32_t slot, size_t bytes)
{
	return piece_of(&slots[slot], bytes, true);
}

void slot_forget(uint32_t slot)
{
	struct slot_memory *memory = &slots[slot];
	if (memory->touched > KEEP_BYTES) {
		(void)madvise(
			memory->base + KEEP_BYTES, memory->touched - KEEP_BYTES, MADV_DONTNEED);
		memory->touched = KEEP_BYTES;
	}
	memory->used = 0;
	memset(memory->free, 0, sizeof(memory->free));
}

size_t slot_used(uint32_t slot)
{
	return slots[slot].used;
}

/* ---- what the services call -------------------------------------------------------------------
 */

void *__wrap_malloc(size_t bytes)
{
	const struct sim_process *process = sim_current();
	return process == NULL ? malloc(bytes) : piece_of(&slots[process->slot], bytes, false);
}

void *__wrap_calloc(size_t n, size_t size)
{
	const struct sim_process *process = sim_current();
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return process == NULL ? calloc(n, size) : piece_of(&slots[process->slot], bytes, true);
}

void __wrap_free(void *memory)
{
	struct slot_memory *slot = slot_of(memory);
	if (slot == NULL) {
		free(memory);
		return;
	}
	unsigned class = class_at(memory);
	memcpy(memory, &slot->free[class], sizeof(void *));
	slot->free[class] = memory;
}

void *__wrap_realloc(void *memory, size_t bytes)
{
	struct slot_memory *slot = slot_of(memory);
	if (memory == NULL)
		return __wrap_malloc(bytes);
	if (slot == NULL)
		return realloc(memory, bytes);
	size_t room = class_bytes(class_at(memory));
	if (bytes <= room)
		return memory;
	void *larger = piece_of(slot, bytes, false);
	memcpy(larger, memory, room);
	__wrap_free(memory);
	return larger;
}

char *__wrap_strdup(const char *text)
{
	size_t n = strlen(text) + 1;
	return memcpy(__wrap_malloc(n), text, n);
}

/* Guard pages and locked memory are no matter here, and would be left behind by each death. */
void *__wrap_sodium_malloc(size_t bytes)
{
	return __wrap_calloc(1, bytes);
}

void __wrap_sodium_free(void *memory)
{
	__wrap_free(memory);
}

int __wrap_sodium_mlock(void *memory, size_t bytes)
{
	(void)memory;
	(void)bytes;
	return 0;
}

void *sim_alloc(size_t bytes)
{
	void *memory = __wrap_calloc(1, bytes);
	if (memory == NULL)
		abort();
	return memory;
}

void sim_free(void *memory)
{
	__wrap_free(memory);
}

/* ---- the world's ------------------------------------------------------------------------------
 */

/* Chunks are kept from world to world. */
static struct {
	uint8_t **chunks;
	size_t chunks_n, chunk;
	size_t used; /* of chunks[chunk] */
	uint8_t **large;
	size_t large_n;
} kept;

void *world_alloc(size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > CHUNK_BYTES / 4) {
		kept.large = realloc(kept.large, (kept.large_n + 1) * sizeof(*kept.large));
		kept.large[kept.large_n] = malloc(bytes);
		return kept.large[kept.large_n++];
	}
	if (kept.chunks_n == 0 || kept.used + bytes > CHUNK_BYTES) {
		if (kept.chunks_n > 0)
			kept.chunk++;
		kept.used = 0;
		if (kept.chunk == kept.chunks_n) {
			kept.chunks =
				realloc(kept.chunks, (kept.chunks_n + 1) * sizeof(*kept.chunks));
			kept.chunks[kept.chunks_n++] = malloc(CHUNK_BYTES);
		}
	}
	void *at = kept.chunks[kept.chunk] + kept.used;
	kept.used += bytes;
	return at;
}

void world_forget(void)
{
	for (size_t i = 0; i < kept.large_n; i++)
		free(kept.large[i]);
	kept.large_n = 0;
	kept.chunk = 0;
	kept.used = 0;
}
