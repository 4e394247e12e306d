/* RULE bewitched 7.1, 7.3, RULE mona-lisa 6.1, 6.3: how long a session may be idle, and how long a
 * game refuses a player after a lost connection. Neither is in a game's definition: they depend on
 * the jurisdiction or operator and must not change the math version. */
#include "services/gateway/core/presence.h"

#include <stdio.h>
#include <string.h>

/* Reads `length` characters such as "15m", "90s" or "0". */
static bool time_read(const char *text, size_t length, uint32_t max_s, uint32_t *s_r)
{
	uint64_t n = 0;
	size_t digits = 0;
	for (; digits < length && digits < 7 && text[digits] >= '0' && text[digits] <= '9';
		digits++)
		n = n * 10 + (uint64_t)(text[digits] - '0');
	if (digits == 0 || length - digits > 1)
		return false;
	char unit = '\0';
	if (digits < length)
		unit = text[digits];
	if (unit == 'm')
		n *= 60;
	*s_r = (uint32_t)n;
	return n <= max_s && (unit == 'm' || unit == 's' || (unit == '\0' && n == 0));
}

static bool name_read(const char *text, size_t length, char name_r[WAIT_NAME_MAX + 1])
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	if (length == 0 || length > WAIT_NAME_MAX || strspn(text, allowed) < length)
		return false;
	memcpy(name_r, text, length);
	name_r[length] = '\0';
	return true;
}

static bool part_read(struct timeouts *timeouts, const char *text, size_t length, uint32_t max_s,
	bool *otherwise_there)
{
	const char *equals = memchr(text, '=', length);
	char name[WAIT_NAME_MAX + 1];
	if (equals == NULL) {
		bool twice = *otherwise_there;
		*otherwise_there = true;
		return !twice && time_read(text, length, max_s, &timeouts->otherwise_s);
	}
	size_t before = (size_t)(equals - text);
	if (timeouts->n == WAITS_MAX || !name_read(text, before, name))
		return false;
	for (size_t i = 0; i < timeouts->n; i++)
		if (strcmp(timeouts->item[i].name, name) == 0)
			return false;
	memcpy(timeouts->item[timeouts->n].name, name, sizeof(name));
	return time_read(equals + 1, length - before - 1, max_s, &timeouts->item[timeouts->n++].s);
}

bool timeouts_parse(
	const char *text, uint32_t max_s, struct timeouts *waits_r, char error[WAIT_ERROR_MAX])
{
	bool otherwise_there = false;
	memset(waits_r, 0, sizeof(*waits_r));
	for (const char *at = text; *at != '\0';) {
		size_t length = strcspn(at, ",");
		if (!part_read(waits_r, at, length, max_s, &otherwise_there)) {
			(void)snprintf(error, WAIT_ERROR_MAX,
				"found '%.*s', expected TIME for all, NAME=TIME for one, or both, "
				"separated by commas, no name twice; TIME such as 0, 90s or 15m, "
				"at most %us",
				(int)(length > 40 ? 40 : length), at, (unsigned)max_s);
			return false;
		}
		at += length;
		if (*at == ',')
			at++;
	}
	return true;
}

uint32_t timeouts_of(const struct timeouts *timeouts, const char *name)
{
	for (size_t i = 0; i < timeouts->n; i++)
		if (strcmp(timeouts->item[i].name, name) == 0)
			return timeouts->item[i].s;
	return timeouts->otherwise_s;
}

bool timeouts_any(const struct timeouts *timeouts)
{
	bool any = timeouts->otherwise_s != 0;
	for (size_t i = 0; i < timeouts->n; i++)
		any = any || timeouts->item[i].s != 0;
	return any;
}

uint32_t reconnect_left_s(uint64_t dropped_ms, uint64_t now_ms, uint32_t wait_s)
{
	uint64_t wait_ms = (uint64_t)wait_s * 1000;
	uint64_t passed = now_ms > dropped_ms ? now_ms - dropped_ms : 0;
	if (dropped_ms == 0 || passed >= wait_ms)
		return 0;
	return (uint32_t)((wait_ms - passed + 999) / 1000);
}

/* ---- moments ---- */

static size_t set_of(uint64_t key)
{
	key = (key ^ (key >> 33)) * UINT64_C(0xff51afd7ed558ccd);
	return (size_t)((key ^ (key >> 33)) % (MOMENTS_SLOTS / MOMENTS_WAYS)) * MOMENTS_WAYS;
}

struct moment *moment_of(struct moments *moments, uint64_t key)
{
	struct moment *set = &moments->slot[set_of(key)];
	struct moment *oldest = set;
	for (size_t i = 0; i < MOMENTS_WAYS; i++) {
		if (set[i].key == key)
			return &set[i];
		if (set[i].ms < oldest->ms)
			oldest = &set[i];
	}
	*oldest = (struct moment){ .key = key };
	return oldest;
}

uint64_t moment_known(const struct moments *moments, uint64_t key)
{
	const struct moment *set = &moments->slot[set_of(key)];
	for (size_t i = 0; i < MOMENTS_WAYS; i++)
		if (set[i].key == key)
			return set[i].ms;
	return 0;
}
