#include "services/payments/adapters/payments_service.h"

#include "libcommon/io/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 64

/* A hash table by id: places[] holds the index of an entry + 1, 0 is a free place. With twice as
 * many places as entries every search soon meets a free one. */

static size_t place_first(const struct payments_shard *shard, const uint8_t *id)
{
	uint64_t hash;

	memcpy(&hash, id, sizeof(hash)); /* the ids are hashes */
	return (size_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (2 * shard->room - 1);
}

/* The place of the id, or the free place for it. */
static size_t place_of(const struct payments_shard *shard, const uint8_t *id)
{
	size_t at = place_first(shard, id);

	while (shard->places[at] != 0 &&
		memcmp(shard->entries[shard->places[at] - 1].payout.id, id, PAYOUT_ID_BYTES) != 0)
		at = (at + 1) & (2 * shard->room - 1);
	return at;
}

static void grow(struct payments_shard *shard)
{
	shard->room = shard->room == 0 ? ROOM_FIRST : shard->room * 2;
	shard->entries = realloc(shard->entries, shard->room * sizeof(*shard->entries));
	free(shard->places);
	shard->places = calloc(2 * shard->room, sizeof(*shard->places));
	if (shard->entries == NULL || shard->places == NULL)
		fatal("out of memory: %zu payments", shard->room);
	for (size_t i = 0; i < shard->n; i++)
		shard->places[place_of(shard, shard->entries[i].payout.id)] = (uint32_t)i + 1;
}

struct payments_entry *payments_find(
	struct payments_shard *shard, const uint8_t id[PAYOUT_ID_BYTES])
{
	size_t at;

	if (shard->n == 0)
		return NULL;
	at = place_of(shard, id);
	return shard->places[at] == 0 ? NULL : &shard->entries[shard->places[at] - 1];
}

struct payments_entry *payments_add(struct payments_shard *shard, const struct payout *payout)
{
	if (shard->n == shard->room)
		grow(shard);
	shard->entries[shard->n] = (struct payments_entry){ .payout = *payout };
	shard->places[place_of(shard, payout->id)] = (uint32_t)shard->n + 1;
	return &shard->entries[shard->n++];
}

/* Frees a place and moves up later entries that belong there. */
static void place_free(struct payments_shard *shard, size_t hole)
{
	size_t mask = 2 * shard->room - 1;

	for (size_t at = (hole + 1) & mask; shard->places[at] != 0; at = (at + 1) & mask) {
		size_t first = place_first(shard, shard->entries[shard->places[at] - 1].payout.id);
		if (((at - first) & mask) < ((at - hole) & mask))
			continue; /* its own search starts after the hole */
		shard->places[hole] = shard->places[at];
		hole = at;
	}
	shard->places[hole] = 0;
}

void payments_remove(struct payments_shard *shard, struct payments_entry *entry)
{
	struct payments_entry *last = &shard->entries[shard->n - 1];

	place_free(shard, place_of(shard, entry->payout.id));
	if (entry != last) {
		shard->places[place_of(shard, last->payout.id)] =
			(uint32_t)(entry - shard->entries) + 1;
		*entry = *last;
	}
	shard->n--;
}

void payments_free(struct payments_shard *shard)
{
	free(shard->entries);
	free(shard->places);
	free(shard);
}

void payments_out_text(
	const struct payments_entry *entry, const char *found, char text_r[PROVIDER_FOUND_MAX])
{
	if (!entry->heard)
		(void)snprintf(text_r, PROVIDER_FOUND_MAX, "%s", found);
	else
		(void)snprintf(text_r, PROVIDER_FOUND_MAX, "the provider has %s, reference %s; %s",
			entry->payout.outcome == PAYOUT_PAID ? "PAID" : "REFUSED",
			entry->reference[0] != '\0' ? entry->reference : "none", found);
}
