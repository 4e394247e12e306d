#include "services/wallet/adapters/ids.h"

#include "libcommon/io/log.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256

static struct id_entry *slot_of(const struct ids *ids, const uint8_t *id)
{
	uint64_t hash;
	size_t at;

	memcpy(&hash, id, sizeof(hash)); /* the ids are hashes */
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	for (at = (size_t)(hash >> 20) & (ids->room - 1); ids->entries[at].used;
		at = (at + 1) & (ids->room - 1))
		if (memcmp(ids->entries[at].id, id, WALLET_ID_BYTES) == 0)
			break;
	return &ids->entries[at];
}

static void grow(struct ids *ids)
{
	struct ids bigger = { .room = ids->room == 0 ? ROOM_FIRST : ids->room * 2, .n = ids->n };

	bigger.entries = calloc(bigger.room, sizeof(*bigger.entries));
	if (bigger.entries == NULL)
		fatal("out of memory: %zu ids", bigger.room);
	for (size_t i = 0; i < ids->room; i++)
		if (ids->entries[i].used)
			*slot_of(&bigger, ids->entries[i].id) = ids->entries[i];
	free(ids->entries);
	*ids = bigger;
}

struct id_entry *ids_find(struct ids *ids, const uint8_t id[WALLET_ID_BYTES])
{
	struct id_entry *entry;

	if (ids->room == 0)
		return NULL;
	entry = slot_of(ids, id);
	return entry->used ? entry : NULL;
}

struct id_entry *ids_add(struct ids *ids, const uint8_t id[WALLET_ID_BYTES])
{
	struct id_entry *entry;

	if (ids->n * 2 >= ids->room)
		grow(ids);
	entry = slot_of(ids, id);
	*entry = (struct id_entry){ .used = true };
	memcpy(entry->id, id, WALLET_ID_BYTES);
	ids->n++;
	return entry;
}

void ids_clear(struct ids *ids)
{
	if (ids->n > 0)
		memset(ids->entries, 0, ids->room * sizeof(*ids->entries));
	ids->n = 0;
}
