/* RULE bewitched 7.1, RULE mona-lisa 6.1: a session ends after some minutes without any action. An
 * open round stays open, because the engine keeps it, not the session. */
#include "libcommon/base/session.h"

#include "libcommon/base/sha256.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES ((SESSION_NAME_MAX - 1) / 2)
#define DIGITS_MAX 16 /* far beyond any date, without overflow */

void session_name(const char *token, char name_r[SESSION_NAME_MAX])
{
	static const char hex[] = "0123456789abcdef";
	struct sha256 sha;
	uint8_t digest[SHA256_BYTES];
	sha256_begin(&sha);
	sha256_add(&sha, token, strlen(token));
	sha256_end(&sha, digest);
	for (size_t i = 0; i < NAME_BYTES; i++) {
		name_r[2 * i] = hex[digest[i] >> 4];
		name_r[2 * i + 1] = hex[digest[i] & 15];
	}
	name_r[SESSION_NAME_MAX - 1] = '\0';
}

void session_seen_format(const struct session_seen *seen, char text_r[SESSION_SEEN_MAX])
{
	(void)snprintf(
		text_r, SESSION_SEEN_MAX, "%" PRIu64 ",%" PRIu64, seen->acted_ms, seen->idle_ms);
}

/* Reads digits up to `end`, which must follow them. NULL when there are none or too many. */
static const char *number(const char *text, char end, uint64_t *number_r)
{
	size_t n = strspn(text, "0123456789");
	*number_r = 0;
	if (n == 0 || n > DIGITS_MAX || text[n] != end)
		return NULL;
	for (size_t i = 0; i < n; i++)
		*number_r = *number_r * 10 + (uint64_t)(text[i] - '0');
	return text + n;
}

bool session_seen_parse(const char *text, struct session_seen *seen_r)
{
	struct session_seen seen;
	memset(seen_r, 0, sizeof(*seen_r));
	const char *at = number(text, ',', &seen.acted_ms);
	if (at == NULL || number(at + 1, '\0', &seen.idle_ms) == NULL)
		return false;
	*seen_r = seen;
	return true;
}

bool session_idle(const struct session_seen *seen, uint64_t now_ms)
{
	return seen->idle_ms != 0 && seen->acted_ms != 0 && now_ms > seen->acted_ms &&
	       now_ms - seen->acted_ms > seen->idle_ms;
}
