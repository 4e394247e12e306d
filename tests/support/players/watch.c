#include "tests/support/players/watch.h"

#include "tests/support/players/view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct watch *watch;
	watch_fault *fault;
	void *context;
	uint64_t mono_us, wall_us;
};

__attribute__((format(printf, 2, 3))) static void wrong(
	const struct reader *reader, const char *format, ...)
{
	char text[300];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	reader->fault(reader->context, text);
}

void watch_connected(struct watch *watch, uint64_t mono_us)
{
	watch->connected = true;
	watch->snapshot = false;
	watch->counters_us = watch->connected_us = mono_us;
}

void watch_closed(struct watch *watch)
{
	watch->connected = false;
}

static struct watch_row *row_of(
	struct watch *watch, uint32_t pool, const char *currency, int64_t coin)
{
	for (size_t i = 0; i < watch->rows.n; i++) {
		struct watch_row *row = &watch->rows.at[i];
		if (row->pool == pool && row->coin == coin && strcmp(row->currency, currency) == 0)
			return row;
	}
	struct watch_row *row = LIST_ADD(&watch->rows);
	*row = (struct watch_row){ .pool = pool, .coin = coin };
	snprintf(row->currency, sizeof(row->currency), "%s", currency);
	return row;
}

/* A counter never goes back, in version or value, but for a hit. */
static void take_row(const struct reader *reader, uint32_t pool, const json_t *json)
{
	int64_t level = json_number(json, "level", 0);
	int64_t coin = level ? -level : json_money(json, "coin");
	struct watch_row *row = row_of(reader->watch, pool, json_text(json, "currency"), coin);
	int64_t value = json_money(json, "value");
	uint64_t version = (uint64_t)json_number(json, "version", 0);
	uint64_t hits = (uint64_t)json_number(json, "hits", 0);
	if (version < row->version)
		wrong(reader, "counter %" PRIu32 "/%" PRId64 ": version %" PRIu64 " after %" PRIu64,
			pool, coin, version, row->version);
	if (hits < row->hits)
		wrong(reader, "counter %" PRIu32 "/%" PRId64 ": %" PRIu64 " hits after %" PRIu64,
			pool, coin, hits, row->hits);
	if (value < row->value && hits <= row->hits)
		wrong(reader,
			"counter %" PRIu32 "/%" PRId64 " went back from %" PRId64 " to %" PRId64
			" without a hit",
			pool, coin, row->value, value);
	row->value = value;
	row->version = version;
	row->hits = hits;
}

static void take_counters(const struct reader *reader, const json_t *frame, bool snapshot)
{
	struct watch *watch = reader->watch;
	const json_t *pool, *row;
	size_t i, j;
	if (!snapshot && !watch->snapshot)
		wrong(reader, "counters came before the snapshot");
	if (reader->mono_us - watch->counters_us > watch->max_gap_us)
		watch->max_gap_us = reader->mono_us - watch->counters_us;
	watch->counters_us = reader->mono_us;
	watch->snapshot = watch->snapshot || snapshot;
	*(snapshot ? &watch->snapshots : &watch->counters) += 1;
	json_array_foreach(json_object_get(frame, "pools"), i, pool)
	{
		uint32_t number = (uint32_t)json_number(pool, "pool", 0);
		json_array_foreach(json_object_get(pool, "rows"), j, row)
			take_row(reader, number, row);
	}
}

/* Every hit of a pool comes once and in order: the pool numbers them. */
static void take_winner(const struct reader *reader, const json_t *json, bool live)
{
	struct watch *watch = reader->watch;
	struct watch_winner winner = { .pool = (uint32_t)json_number(json, "pool", 0),
		.hit = (uint64_t)json_number(json, "hit", 0),
		.coin_minor = json_money(json, "coin"),
		.paid_minor = json_money(json, "paid") };
	uint64_t last = 0;
	for (size_t i = 0; i < watch->winners.n; i++)
		if (watch->winners.at[i].pool == winner.pool && watch->winners.at[i].hit > last)
			last = watch->winners.at[i].hit;
	if (last && winner.hit <= last) {
		if (live)
			wrong(reader, "winner %" PRIu64 " of pool %" PRIu32 " was pushed twice",
				winner.hit, winner.pool);
		return;
	}
	if (last && winner.hit != last + 1)
		wrong(reader, "winner %" PRIu64 " of pool %" PRIu32 " came after %" PRIu64,
			winner.hit, winner.pool, last);
	uint64_t time_us = (uint64_t)json_number(json, "time_us", 0);
	/* What came while nobody listened is late for another reason. */
	if (live && time_us && reader->wall_us > time_us &&
		reader->mono_us - watch->connected_us > 2000000)
		winner.late_us = reader->wall_us - time_us;
	snprintf(winner.player, sizeof(winner.player), "%s", json_text(json, "player"));
	snprintf(winner.currency, sizeof(winner.currency), "%s", json_text(json, "currency"));
	*LIST_ADD(&watch->winners) = winner;
}

static void take_own(const struct reader *reader, const json_t *frame)
{
	struct watch *watch = reader->watch;
	uint64_t seq = (uint64_t)json_number(frame, "seq", 0);
	const char *epoch = json_text(frame, "epoch");
	if (seq <= watch->own_seq && strcmp(epoch, watch->own_epoch) == 0)
		wrong(reader, "balance of row %" PRIu64 " came after row %" PRIu64, seq,
			watch->own_seq);
	if (json_number(frame, "balance_minor", -1) < 0)
		wrong(reader, "a balance event has no balance, or a negative one");
	watch->own_seq = seq;
	snprintf(watch->own_epoch, sizeof(watch->own_epoch), "%s", epoch);
}

void watch_frame(struct watch *watch, const json_t *frame, uint64_t mono_us, uint64_t wall_us,
	watch_fault *fault, void *context)
{
	struct reader reader = { watch, fault, context, mono_us, wall_us };
	const char *type = json_text(frame, "type"), *channel = json_text(frame, "channel");
	const json_t *winner;
	size_t i;
	if (strcmp(channel, "winners") == 0 && json_text(frame, "epoch")[0]) {
		snprintf(watch->winners_epoch, sizeof(watch->winners_epoch), "%s",
			json_text(frame, "epoch"));
		snprintf(watch->winners_offset, sizeof(watch->winners_offset), "%s",
			json_text(frame, "offset"));
	}
	if (strcmp(type, "snapshot") == 0 && strcmp(channel, "jackpots") == 0)
		take_counters(&reader, frame, true);
	else if (strcmp(type, "counters") == 0)
		take_counters(&reader, frame, false);
	else if (strcmp(type, "winner") == 0)
		take_winner(&reader, frame, watch->winners.n > 0 || watch->snapshot);
	else if (strcmp(type, "balance") == 0)
		take_own(&reader, frame);
	else if (strcmp(type, "snapshot") == 0 && strcmp(channel, "winners") == 0)
		json_array_foreach(json_object_get(frame, "winners"), i, winner)
			take_winner(&reader, winner, false);
	else if (strcmp(type, "error") == 0)
		wrong(&reader, "notifications answered with an error");
}

void watch_tick(struct watch *watch, uint64_t mono_us, watch_fault *fault, void *context)
{
	struct reader reader = { watch, fault, context, mono_us, 0 };
	if (!watch->connected || mono_us - watch->counters_us <= WATCH_GAP_MAX_US)
		return;
	wrong(&reader, "no %s for %" PRIu64 " ms, expected one every 3 s",
		watch->snapshot ? "counters" : "snapshot", (mono_us - watch->counters_us) / 1000);
	watch->counters_us = mono_us;
}

void watch_free(struct watch *watch)
{
	free(watch->rows.at);
	free(watch->winners.at);
	memset(watch, 0, sizeof(*watch));
}
