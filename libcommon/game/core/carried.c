#include "libcommon/game/carried.h"

#include <assert.h>
#include <string.h>

#define ENTRY_BYTES 7u
#define TOTAL_MAX ((UINT64_C(1) << 48) - 1)
#define COLLECTED_MAX 2u /* the third completes a combination */

_Static_assert((uint64_t)GAME_COIN_MINOR_MAX *GAME_LINES_MAX *GAME_LINE_COINS_MAX <= TOTAL_MAX,
	"a total bet fits six bytes");
_Static_assert(GAME_COLOURS == 3 && GAME_UNLOCK_STEPS_MAX == 4, "a state fits a byte");

uint8_t round_state_pack(const struct round_state *state)
{
	uint32_t byte = 0, collectibles = 0;

	for (uint32_t c = 0; c < GAME_COLOURS; c++) {
		collectibles += state->collectibles[c];
		byte |= (uint32_t)state->collectibles[c] << (2 * c);
	}
	assert(collectibles <= COLLECTED_MAX && state->unlocked < GAME_UNLOCK_STEPS_MAX);
	return (uint8_t)(byte | (uint32_t)state->unlocked << (2 * GAME_COLOURS));
}

bool round_state_unpack(uint8_t byte, struct round_state *state_r)
{
	struct round_state state = { .unlocked = byte >> (2 * GAME_COLOURS) };
	uint32_t collectibles = 0;

	for (uint32_t c = 0; c < GAME_COLOURS; c++) {
		state.collectibles[c] = byte >> (2 * c) & 3;
		collectibles += state.collectibles[c];
	}
	if (collectibles > COLLECTED_MAX)
		return false;
	*state_r = state;
	return true;
}

static uint64_t total_of(uint64_t entry)
{
	return entry >> 8;
}

/* The index of the entry with this total bet, or where to insert it. */
static uint32_t place_of(const struct carried *carried, uint64_t total)
{
	uint32_t i = 0;

	while (i < carried->count && total_of(carried->entry[i]) < total)
		i++;
	return i;
}

static bool is_at(const struct carried *carried, uint32_t place, uint64_t total)
{
	return place < carried->count && total_of(carried->entry[place]) == total;
}

struct round_state carried_state(
	const struct carried *carried, const struct game *game, struct money total)
{
	uint32_t place = place_of(carried, (uint64_t)total.minor);
	struct round_state state = { .unlocked = 0 };
	bool legal;

	if (!game->unlock.offered || !is_at(carried, place, (uint64_t)total.minor))
		return state;
	legal = round_state_unpack((uint8_t)carried->entry[place], &state);
	assert(legal); /* entries were packed, so they unpack */
	if (state.unlocked >= game->unlock.step_count)
		state.unlocked = (uint8_t)(game->unlock.step_count - 1);
	return state;
}

struct money carried_total(const struct carried *carried, uint32_t i)
{
	assert(i < carried->count);
	return money_of((int64_t)total_of(carried->entry[i]));
}

static void take_out(struct carried *carried, uint32_t place)
{
	carried->count--;
	memmove(carried->entry + place, carried->entry + place + 1,
		(carried->count - place) * sizeof(carried->entry[0]));
	carried->entry[carried->count] = 0;
}

static bool is_offered(const struct game *game, uint32_t currency, uint64_t total)
{
	const struct game_currency *offer = game_currency(game, currency);

	for (uint32_t i = 0; offer && i < offer->coin_count; i++)
		for (uint32_t lines = game->lines_min; lines <= game->lines_max; lines++)
			for (uint32_t coins = game->coins_min; coins <= game->coins_max; coins++)
				if ((uint64_t)offer->coin_minor[i] * lines * coins == total)
					return true;
	return false;
}

static bool make_room(struct carried *carried, const struct game *game, uint32_t currency)
{
	for (uint32_t i = 0; i < carried->count; i++)
		if (!is_offered(game, currency, total_of(carried->entry[i]))) {
			take_out(carried, i);
			return true;
		}
	return false;
}

bool carried_set(struct carried *carried, const struct game *game, uint32_t currency,
	struct money total, const struct round_state *state)
{
	uint64_t key = (uint64_t)total.minor, packed = round_state_pack(state);
	uint32_t place = place_of(carried, key);

	assert(total.minor > 0 && key <= TOTAL_MAX);
	if (is_at(carried, place, key))
		take_out(carried, place);
	if (packed == 0)
		return true;
	if (carried->count == CARRIED_MAX && !make_room(carried, game, currency))
		return false;
	place = place_of(carried, key);
	memmove(carried->entry + place + 1, carried->entry + place,
		(carried->count - place) * sizeof(carried->entry[0]));
	carried->entry[place] = key << 8 | packed;
	carried->count++;
	return true;
}

size_t carried_encode(const struct carried *carried, uint8_t *out)
{
	uint8_t *p = out;

	assert(carried->count <= CARRIED_MAX);
	if (carried->count == 0)
		return 0;
	*p++ = (uint8_t)carried->count;
	for (uint32_t i = 0; i < carried->count; i++)
		for (uint32_t byte = 0; byte < ENTRY_BYTES; byte++)
			*p++ = (uint8_t)(carried->entry[i] >> (8 * byte));
	return (size_t)(p - out);
}

bool carried_decode(const uint8_t *bytes, size_t count, struct carried *carried_r)
{
	struct carried carried = { .count = 0 };
	struct round_state state;

	if (count == 0) {
		*carried_r = carried;
		return true;
	}
	if (bytes[0] == 0 || bytes[0] > CARRIED_MAX || count != 1u + bytes[0] * ENTRY_BYTES)
		return false;
	for (carried.count = 0; carried.count < bytes[0]; carried.count++) {
		const uint8_t *at = bytes + 1 + (size_t)carried.count * ENTRY_BYTES;
		uint64_t entry = 0;

		for (uint32_t byte = 0; byte < ENTRY_BYTES; byte++)
			entry |= (uint64_t)at[byte] << (8 * byte);
		if ((uint8_t)entry == 0 || !round_state_unpack((uint8_t)entry, &state) ||
			total_of(entry) <=
				(carried.count ? total_of(carried.entry[carried.count - 1]) : 0))
			return false;
		carried.entry[carried.count] = entry;
	}
	*carried_r = carried;
	return true;
}
