#include "libcommon/edge/revoked.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_MIN 64
#define READ_MS 1000
#define ROWS_MAX 10000
#define NAME_BYTES 16

struct entry {
	uint8_t name[NAME_BYTES];
	uint64_t expires_s; /* 0: empty */
	uint64_t before_s;  /* of a player; 0: a session's */
};

struct revoked {
	struct entry *entries; /* open addressing; room is a power of two, at most half full */
	size_t n, room;
	void (*ended)(void *context, const struct revocation *revocation);
	void *context;
	uint64_t newest; /* number of the newest row read */
	bool reading, known;
};

struct revoked *revoked_new(
	void (*ended)(void *context, const struct revocation *revocation), void *context)
{
	struct revoked *revoked = calloc(1, sizeof(*revoked));

	if (revoked == NULL)
		fatal("out of memory");
	revoked->ended = ended;
	revoked->context = context;
	return revoked;
}

void revoked_free(struct revoked **revoked)
{
	if (*revoked == NULL)
		return;
	free((*revoked)->entries);
	free(*revoked);
	*revoked = NULL;
}

/* The slot of the name, or the empty slot where it belongs. Names are parts of digests: their own
 * first bytes spread them. */
static struct entry *slot_of(const struct revoked *revoked, const uint8_t name[NAME_BYTES])
{
	uint64_t hash;
	struct entry *entry;

	memcpy(&hash, name, sizeof(hash));
	for (;; hash++) {
		entry = &revoked->entries[hash & (revoked->room - 1)];
		if (entry->expires_s == 0 || memcmp(entry->name, name, NAME_BYTES) == 0)
			return entry;
	}
}

static void put(struct revoked *revoked, const struct entry *entry)
{
	struct entry *slot = slot_of(revoked, entry->name);

	revoked->n += slot->expires_s == 0;
	*slot = *entry;
}

/* Makes room for another entry; those whose token has expired are forgotten on the way. */
static void grow(struct revoked *revoked, uint64_t now_s)
{
	struct revoked before = *revoked;
	size_t live = 0;

	if (2 * (revoked->n + 1) <= revoked->room)
		return;
	for (size_t i = 0; i < before.room; i++)
		live += before.entries[i].expires_s > now_s;
	revoked->room = ROOM_MIN;
	while (revoked->room < 4 * (live + 1))
		revoked->room *= 2;
	revoked->n = 0;
	revoked->entries = calloc(revoked->room, sizeof(*revoked->entries));
	if (revoked->entries == NULL)
		fatal("out of memory: %zu ended sessions", live);
	for (size_t i = 0; i < before.room; i++)
		if (before.entries[i].expires_s > now_s)
			put(revoked, &before.entries[i]);
	free(before.entries);
}

static bool name_read(const char *session, uint8_t name_r[NAME_BYTES])
{
	return hex_parse(session, NAME_BYTES, name_r);
}

void revoked_add(struct revoked *revoked, const char *session, uint64_t now_s, uint64_t expires_s)
{
	struct entry entry = { .expires_s = expires_s };

	if (expires_s <= now_s || !name_read(session, entry.name))
		return;
	grow(revoked, now_s);
	put(revoked, &entry);
}

/* Players share the table: a digest does not begin with a player and end with zeros. */
static void player_name(player_id player, uint8_t name_r[NAME_BYTES])
{
	memset(name_r, 0, NAME_BYTES);
	memcpy(name_r, &player, sizeof(player));
}

uint64_t revoked_before_s(const struct revoked *revoked, player_id player)
{
	uint8_t name[NAME_BYTES];

	player_name(player, name);
	return revoked->n > 0 ? slot_of(revoked, name)->before_s : 0;
}

void revoked_add_player(struct revoked *revoked, player_id player, uint64_t before_s,
	uint64_t now_s, uint64_t expires_s)
{
	struct entry entry = { .expires_s = expires_s, .before_s = before_s };

	if (expires_s <= now_s || before_s <= revoked_before_s(revoked, player))
		return;
	player_name(player, entry.name);
	grow(revoked, now_s);
	put(revoked, &entry);
}

bool revoked_has(const struct revoked *revoked, const char *session)
{
	uint8_t name[NAME_BYTES];

	return revoked->n > 0 && name_read(session, name) && slot_of(revoked, name)->expires_s != 0;
}

bool revoked_known(const struct revoked *revoked)
{
	return revoked->known;
}

/* ---- reading ---- */

static void take(struct revoked *revoked, const PGresult *result, int i)
{
	bool all = PQgetisnull(result, i, 1) != 0;
	const struct revocation told = { .session = all ? NULL : PQgetvalue(result, i, 1),
		.player = pg_number(result, i, 3),
		.before_s = (uint64_t)pg_number(result, i, 4) };
	uint64_t number = (uint64_t)pg_number(result, i, 0), now_s = clock_wall_us() / 1000000;
	uint64_t expires_s = (uint64_t)pg_number(result, i, 2);
	bool new = all ? told.before_s > revoked_before_s(revoked, told.player)
		       : !revoked_has(revoked, told.session);

	if (number > revoked->newest)
		revoked->newest = number;
	if (!new)
		return;
	if (all)
		revoked_add_player(revoked, told.player, told.before_s, now_s, expires_s);
	else
		revoked_add(revoked, told.session, now_s, expires_s);
	if (revoked->ended != NULL)
		revoked->ended(revoked->context, &told);
}

static void on_rows(void *context, PGresult *result, const char *error)
{
	struct revoked *revoked = context;

	revoked->reading = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("edge.revoked.unreadable", "cannot read gateway.revoked: %s",
			error != NULL ? error : "no result");
		return;
	}
	for (int i = 0; i < PQntuples(result); i++)
		take(revoked, result, i);
	if (PQntuples(result) < ROWS_MAX)
		revoked->known = true;
}

/* Rows get their numbers before their commits, so a row may appear after a later one: the last 1000
 * numbers are read again each time. */
void revoked_read(struct revoked *revoked, struct pg_pool *pool)
{
	char newest[24], most[24];
	const char *parameters[] = { newest, most };

	if (revoked->reading)
		return;
	revoked->reading = true;
	(void)snprintf(newest, sizeof(newest), "%" PRIu64, revoked->newest);
	(void)snprintf(most, sizeof(most), "%d", ROWS_MAX);
	pg_pool_query(pool,
		"select number, encode(session, 'hex'), ceil(extract(epoch from expires))::bigint, "
		"player, coalesce(extract(epoch from before), 0)::bigint from gateway.revoked where number > $1::bigint - 1000 and expires > now() "
		"order by number limit $2::integer",
		2, parameters, READ_MS, on_rows, revoked);
}
