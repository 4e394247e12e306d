#include "services/notifications/core/frames.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct text {
	char *out;
	size_t room, n;
	bool full;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
	if (text->full)
		return;
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(text->out + text->n, text->room - text->n, format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= text->room - text->n)
		text->full = true;
	else
		text->n += (size_t)n;
}

static struct text begin(char *out, size_t room, const struct frame_head *head, const char *type,
	const char *channel)
{
	struct text text = { out, room, 0, room == 0 };
	put(&text,
		"{\"type\":\"%s\",\"channel\":\"%s\",\"epoch\":\"%s\",\"offset\":\"%s\",\"time_"
		"us\":%" PRIu64,
		type, channel, head->epoch, head->offset, head->time_us);
	return text;
}

static size_t end(struct text *text)
{
	put(text, "}");
	return text->full ? 0 : text->n;
}

static const char *code(uint32_t number)
{
	const struct currency *currency = currency_by_number(number);
	return currency ? currency->code : "?";
}

static void put_row(struct text *text, const struct counter *row)
{
	put(text, "{\"currency\":\"%s\",", code(row->currency));
	if (row->level)
		put(text, "\"level\":%" PRIu32, row->level);
	else
		put(text, "\"coin_minor\":%" PRId64, row->coin_minor);
	put(text,
		",\"value_minor\":%" PRId64 ",\"seed_minor\":%" PRId64 ",\"version\":%" PRIu64
		",\"hits\":%" PRIu64 "}",
		row->value_minor, row->seed_minor, row->version, row->hits);
}

/* Named as in GET /v1/jackpots, by its number until the name is known. */
static void put_pool(struct text *text, const struct counter_pool *pool)
{
	bool cards = pool->n && pool->rows[0].level;
	put(text, "{\"pool\":%" PRIu32 ",\"id\":\"", pool->pool);
	if (pool->id[0])
		put(text, "%s", pool->id);
	else
		put(text, "pool-%" PRIu32, pool->pool);
	put(text, "\",\"kind\":\"%s\",\"status\":\"%s\",\"time_us\":%" PRIu64 ",\"rows\":[",
		cards ? "cards" : "progressive", pool->status, pool->time_us);
	for (size_t i = 0; i < pool->n; i++) {
		put(text, i ? "," : "");
		put_row(text, &pool->rows[i]);
	}
	put(text, "]}");
}

bool frame_late(const struct frame_ages *ages)
{
	return ages->jackpots_us >= FRAME_LATE_US || ages->winners_us >= FRAME_LATE_US ||
	       ages->events_us >= FRAME_LATE_US;
}

static void put_ages(struct text *text, const struct frame_ages *ages)
{
	if (ages != NULL)
		put(text,
			",\"age_ms\":{\"jackpots\":%" PRIu64 ",\"winners\":%" PRIu64
			",\"events\":%" PRIu64 "},\"late\":%s",
			ages->jackpots_us / 1000, ages->winners_us / 1000, ages->events_us / 1000,
			frame_late(ages) ? "true" : "false");
}

size_t frame_counters(char *out, size_t room, const struct frame_head *head,
	const struct counters *counters, bool snapshot)
{
	struct text text = begin(out, room, head, snapshot ? "snapshot" : "counters", "jackpots");
	put_ages(&text, head->ages);
	put(&text, ",\"pools\":[");
	for (size_t i = 0; i < counters->n; i++) {
		put(&text, i ? "," : "");
		put_pool(&text, &counters->pools[i]);
	}
	put(&text, "]");
	return end(&text);
}

static void put_winner(struct text *text, const struct winner *winner)
{
	char mask[PLAYER_TEXT_MAX];
	player_id_mask(winner->player, mask);
	put(text, "\"pool\":%" PRIu32 ",\"hit\":%" PRIu64, winner->pool, winner->hit);
	if (winner->level)
		put(text, ",\"level\":%" PRIu32, winner->level);
	else
		put(text, ",\"coin_minor\":%" PRId64, winner->coin_minor);
	put(text, ",\"currency\":\"%s\",\"paid_minor\":%" PRId64 ",\"player\":\"%s\"",
		code(winner->currency), winner->paid_minor, mask);
}

size_t frame_winner(
	char *out, size_t room, const struct frame_head *head, const struct winner *winner)
{
	struct text text = begin(out, room, head, "winner", "winners");
	put(&text, ",");
	put_winner(&text, winner);
	return end(&text);
}

size_t frame_winners(
	char *out, size_t room, const struct frame_head *head, const struct winners *winners)
{
	struct text text = begin(out, room, head, "snapshot", "winners");
	put(&text, ",\"winners\":[");
	size_t first = winners->n > FRAME_WINNERS_SHOWN ? winners->n - FRAME_WINNERS_SHOWN : 0;
	for (size_t i = first; i < winners->n; i++) {
		const struct winner *winner = winners_at(winners, i);
		put(&text, "%s{\"time_us\":%" PRIu64 ",", i > first ? "," : "", winner->time_us);
		put_winner(&text, winner);
		put(&text, "}");
	}
	put(&text, "]");
	return end(&text);
}

size_t frame_recovered(
	char *out, size_t room, const struct frame_head *head, const char *channel, bool recovered)
{
	struct text text = begin(out, room, head, "recovered", channel);
	put(&text, ",\"recovered\":%s", recovered ? "true" : "false");
	return end(&text);
}

size_t frame_own(
	char *out, size_t room, const struct frame_head *head, const struct holdback_event *event)
{
	struct text text = begin(out, room, head, event->award ? "award" : "balance", "player");
	put(&text, ",\"seq\":%" PRIu64, event->seq);
	if (event->award)
		put(&text,
			",\"round\":%" PRIu64 ",\"index\":%" PRIu32 ",\"pool\":%" PRIu32
			",\"paid_minor\":%" PRId64,
			event->round, event->index, event->pool, event->paid);
	else
		put(&text, ",\"balance_minor\":%" PRId64, event->balance);
	return end(&text);
}

static const char *suit_text(uint32_t suit)
{
	static const char *const SUITS[] = { "", "clubs", "diamonds", "hearts", "spades" };
	return suit <= 4 ? SUITS[suit] : "";
}

/* In the format of the gateway's answers. */
size_t frame_card(
	char *out, size_t room, const struct frame_head *head, const struct card_news *news)
{
	struct text text = begin(out, room, head, "cards", "player");
	put(&text,
		",\"event\":\"%s\",\"card_round\":{\"id\":\"%" PRIu64 "-%" PRIu32
		"\",\"move\":%" PRIu64 ",\"index\":%" PRIu32 ",\"pool\":%" PRIu32
		",\"number\":%" PRIu64 ",\"secret_hash\":\"%s\",\"turned\":[",
		news->event, news->move, news->index, news->move, news->index, news->pool,
		news->number, news->secret_hash);
	for (size_t i = 0; i < news->turned && i < CARD_NEWS_TURNED_MAX; i++)
		put(&text, "%s{\"pick\":%zu,\"position\":%u,\"suit\":\"%s\"}", i ? "," : "", i + 1,
			news->position[i], suit_text(news->suit[i]));
	put(&text,
		"],\"next_pick\":%zu,\"won\":%s,\"level\":%" PRIu32
		",\"suit\":\"%s\",\"paid_minor\":%" PRId64 ",\"currency\":\"%s\",\"hit\":%" PRIu64
		",\"secret\":\"%s\",\"opened_us\":%" PRIu64 ",\"expires_us\":%" PRIu64
		",\"booked\":false}",
		news->won ? 0 : news->turned + 1, news->won ? "true" : "false", news->level,
		suit_text(news->level), news->paid_minor, code(news->currency), news->hit,
		news->secret, news->opened_us, news->expires_us);
	return end(&text);
}
