#include "services/spin-engine/adapters/seats.h"

#include "libcommon/io/log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 1024u

static void *zeroed(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		fatal("no memory for %zu x %zu bytes", count, size);
	return memory;
}

void seats_init(struct seats *seats)
{
	memset(seats, 0, sizeof(*seats));
	seats->room = ROOM_FIRST;
	seats->slot = zeroed(seats->room, sizeof(struct seat *));
}

static size_t slot_of(const struct seats *seats, player_id player)
{
	uint64_t mixed = (uint64_t)player * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(mixed >> 32) & (seats->room - 1);
}

struct seat *seats_find(const struct seats *seats, player_id player)
{
	for (size_t at = slot_of(seats, player);; at = (at + 1) & (seats->room - 1)) {
		if (!seats->slot[at])
			return NULL;
		if (seats->slot[at]->player.id == player)
			return seats->slot[at];
	}
}

static void slot_put(struct seats *seats, struct seat *seat)
{
	size_t at = slot_of(seats, seat->player.id);

	while (seats->slot[at])
		at = (at + 1) & (seats->room - 1);
	seats->slot[at] = seat;
}

/* Moves all seats into a table of another size. */
static void rebuild(struct seats *seats, size_t room)
{
	struct seat **old = seats->slot;
	size_t old_room = seats->room;

	seats->slot = zeroed(room, sizeof(struct seat *));
	seats->room = room;
	for (size_t i = 0; i < old_room; i++)
		if (old[i])
			slot_put(seats, old[i]);
	free(old);
}

struct seat *seats_add(struct seats *seats, player_id player, uint32_t shard)
{
	struct seat *seat = zeroed(1, sizeof(*seat));

	player_init(player, &seat->player);
	seat->shard = shard;
	if (2 * (seats->count + 1) > seats->room)
		rebuild(seats, 2 * seats->room);
	slot_put(seats, seat);
	seats->count++;
	return seat;
}

static void busy_leave(struct seats *seats, struct seat *seat)
{
	if (seat->busy_before)
		seat->busy_before->busy_after = seat->busy_after;
	else
		seats->busy = seat->busy_after;
	if (seat->busy_after)
		seat->busy_after->busy_before = seat->busy_before;
	seat->busy_before = seat->busy_after = NULL;
	seats->busy_count--;
}

bool seat_aside(const struct seat *seat)
{
	return seat->quarantine && !seat->quarantine->ended;
}

struct seat_quarantine *seat_set_aside(struct seats *seats, struct seat *seat)
{
	if (!seat->quarantine) {
		seat->quarantine = zeroed(1, sizeof(*seat->quarantine));
		seats->aside_count++;
	}
	memset(seat->quarantine, 0, sizeof(*seat->quarantine));
	return seat->quarantine;
}

void seat_take_back(struct seats *seats, struct seat *seat)
{
	if (!seat->quarantine)
		return;
	free(seat->quarantine);
	seat->quarantine = NULL;
	seats->aside_count--;
}

static void seat_free(struct seats *seats, struct seat *seat)
{
	if (seat->head)
		busy_leave(seats, seat);
	while (seat->head) {
		struct request *request = seat->head;

		seat->head = request->next;
		free(request);
	}
	for (size_t i = 0; i < seat->game_count; i++)
		free(seat->game[i]);
	seat_take_back(seats, seat);
	free(seat->flight.bytes);
	free(seat);
}

static void forget_dirty(struct seats *seats, uint32_t shard)
{
	size_t kept = 0, due = 0;

	for (size_t i = 0; i < seats->dirty_count; i++) {
		if (seats->dirty[i]->shard == shard)
			continue;
		due += i < seats->due_count;
		seats->dirty[kept++] = seats->dirty[i];
	}
	seats->dirty_count = kept;
	seats->due_count = due;
}

void seats_drop_shard(struct seats *seats, uint32_t shard)
{
	forget_dirty(seats, shard);
	for (size_t i = 0; i < seats->room; i++) {
		if (!seats->slot[i] || seats->slot[i]->shard != shard)
			continue;
		seat_free(seats, seats->slot[i]);
		seats->slot[i] = NULL;
		seats->count--;
	}
	rebuild(seats, seats->room);
}

void seats_trim(struct seats *seats, size_t keep)
{
	bool some = false;

	for (size_t i = 0; i < seats->room && seats->count > keep; i++) {
		struct seat *seat = seats->slot[i];

		if (!seat || seat->dirty || seat->head || seat->quarantine)
			continue;
		seat_free(seats, seat);
		seats->slot[i] = NULL;
		seats->count--;
		some = true;
	}
	if (some)
		rebuild(seats, seats->room);
}

void seats_drop(struct seats *seats, struct seat *seat)
{
	for (size_t i = 0; i < seats->room; i++)
		if (seats->slot[i] == seat)
			seats->slot[i] = NULL;
	seat_free(seats, seat);
	seats->count--;
	rebuild(seats, seats->room);
}

struct player_game *seat_game(const struct seat *seat, uint32_t number)
{
	for (size_t i = 0; i < seat->game_count; i++)
		if (seat->game[i]->state.game == number)
			return seat->game[i];
	return NULL;
}

struct player_game *seat_game_add(struct seat *seat, const struct player_game *play)
{
	struct player_game *copy;

	if (seat->game_count == SEAT_GAMES_MAX)
		return NULL;
	copy = zeroed(1, sizeof(*copy));
	*copy = *play;
	seat->game[seat->game_count++] = copy;
	return copy;
}

void seat_touch(struct seats *seats, struct seat *seat)
{
	if (seat->dirty)
		return;
	if (seats->dirty_count == seats->dirty_room) {
		size_t room = seats->dirty_room ? 2 * seats->dirty_room : ROOM_FIRST;

		seats->dirty = realloc(seats->dirty, room * sizeof(struct seat *));
		if (!seats->dirty)
			fatal("no memory for %zu changed seats", room);
		seats->dirty_room = room;
	}
	seat->dirty = true;
	seats->dirty[seats->dirty_count++] = seat;
}

void seats_mark(struct seats *seats, size_t part)
{
	seats->due_count = seats->dirty_count;
	seats->part = (seats->due_count + SEATS_PARTS_MAX - 1) / SEATS_PARTS_MAX;
	if (seats->part < part)
		seats->part = part;
}

size_t seats_parts_left(const struct seats *seats)
{
	return seats->part == 0 ? 0 : (seats->due_count + seats->part - 1) / seats->part;
}

struct seat *seats_take_due(struct seats *seats)
{
	struct seat *seat;

	if (seats->due_count == 0)
		return NULL;
	seat = seats->dirty[--seats->due_count];
	seats->dirty[seats->due_count] = seats->dirty[--seats->dirty_count];
	seat->dirty = false;
	return seat;
}

void seat_touch_soon(struct seats *seats, struct seat *seat)
{
	seat_touch(seats, seat);
	seat->soon = true;
}

bool seat_push(struct seats *seats, struct seat *seat, struct request *request)
{
	if (seat->queue_count == SEAT_QUEUE_MAX)
		return false;
	request->next = NULL;
	if (seat->tail)
		seat->tail->next = request;
	else
		seat->head = request;
	seat->tail = request;
	if (seat->queue_count++ == 0) {
		seat->busy_after = seats->busy;
		if (seats->busy)
			seats->busy->busy_before = seat;
		seats->busy = seat;
		seats->busy_count++;
	}
	return true;
}

bool request_repeats(const struct request *request, const struct spin_command *command)
{
	const struct player_command *first = &request->command.core, *second = &command->core;

	return request->command.player == command->player &&
	       request->command.correlation == command->correlation &&
	       strcmp(request->command.reply_to, command->reply_to) == 0 &&
	       first->has_request_id == second->has_request_id &&
	       memcmp(first->request_id, second->request_id, PLAYER_ID_BYTES) == 0;
}

const struct request *seat_queued(const struct seat *seat, const struct spin_command *command)
{
	const struct request *request = seat->head;

	while (request && !request_repeats(request, command))
		request = request->next;
	return request;
}

struct request *seat_pop(struct seats *seats, struct seat *seat)
{
	struct request *request = seat->head;

	assert(request);
	seat->head = request->next;
	if (!seat->head)
		seat->tail = NULL;
	if (--seat->queue_count == 0)
		busy_leave(seats, seat);
	request->next = NULL;
	return request;
}

void seat_land(struct seat *seat)
{
	free(seat->flight.bytes);
	memset(&seat->flight, 0, sizeof(seat->flight));
}
