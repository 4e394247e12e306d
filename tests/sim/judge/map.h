/* A hash map from a key of 128 bits to a pointer, for the judge. Entries are never taken out. */
#ifndef CARILLON_SIM_JUDGE_MAP_H
#define CARILLON_SIM_JUDGE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t a, b;
	void *value; /* NULL: free */
};
struct map {
	struct map_entry *entry;
	size_t n, room;
};

void *map_get(const struct map *map, uint64_t a, uint64_t b); /* NULL: none */
/* The place of a value; NULL there: new. */
void **map_at(struct map *map, uint64_t a, uint64_t b);
/* Frees the values too, which must be from malloc. */
void map_clear(struct map *map);
/* calloc that fails the run. */
void *judge_alloc(size_t bytes);

#endif
