#include "tests/sim/judge/map.h"

#include "tests/sim/sim.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024

void *judge_alloc(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (memory == NULL)
		sim_fail("the judge has no memory for %zu bytes", bytes);
	return memory;
}

static size_t place(const struct map *map, uint64_t a, uint64_t b)
{
	uint64_t hash = (a ^ (b * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);
	size_t at = (size_t)((hash ^ hash >> 32) & (map->room - 1));

	while (map->entry[at].value != NULL && (map->entry[at].a != a || map->entry[at].b != b))
		at = (at + 1) & (map->room - 1);
	return at;
}

void *map_get(const struct map *map, uint64_t a, uint64_t b)
{
	return map->room == 0 ? NULL : map->entry[place(map, a, b)].value;
}

static void grow(struct map *map)
{
	struct map old = *map;

	map->room = old.room == 0 ? FIRST_ROOM : 2 * old.room;
	map->entry = judge_alloc(map->room * sizeof(*map->entry));
	for (size_t i = 0; i < old.room; i++)
		if (old.entry[i].value != NULL)
			map->entry[place(map, old.entry[i].a, old.entry[i].b)] = old.entry[i];
	free(old.entry);
}

void **map_at(struct map *map, uint64_t a, uint64_t b)
{
	struct map_entry *entry;

	if (map->n * 2 >= map->room)
		grow(map);
	entry = &map->entry[place(map, a, b)];
	if (entry->value == NULL) {
		entry->a = a;
		entry->b = b;
		map->n++;
	}
	return &entry->value;
}

void map_clear(struct map *map)
{
	for (size_t i = 0; i < map->room; i++)
		free(map->entry[i].value);
	free(map->entry);
	*map = (struct map){ 0 };
}
