#include "services/gateway/core/webhook.h"

#include "libcommon/base/alone.h"
#include "libcommon/base/hex.h"
#include "libcommon/base/sha256.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* ---- secrets and signatures ---- */

void webhook_secret(const uint8_t key[WEBHOOK_SECRET_BYTES], const char *salt, uint32_t version,
	uint8_t secret_r[WEBHOOK_SECRET_BYTES])
{
	struct hmac256 hmac;
	char text[96];
	int length = snprintf(text, sizeof(text), "carillon webhook %.48s %" PRIu32, salt, version);

	hmac256_key(&hmac, key);
	hmac256(&hmac, text, (size_t)length, "", 0, secret_r);
	sha256_wipe(&hmac, sizeof(hmac));
}

void webhook_sign(const uint8_t secret[WEBHOOK_SECRET_BYTES], uint64_t time_s, const char *body,
	size_t length, char hex_r[WEBHOOK_SIGNATURE_HEX + 1])
{
	struct hmac256 hmac;
	uint8_t code[SHA256_BYTES];
	char time[24];
	int n = snprintf(time, sizeof(time), "%" PRIu64 ".", time_s);

	hmac256_key(&hmac, secret);
	hmac256(&hmac, time, (size_t)n, body, length, code);
	hex_format(code, sizeof(code), hex_r);
	sha256_wipe(&hmac, sizeof(hmac));
}

/* ---- retries ---- */

int64_t webhook_delay_ms(uint32_t attempt, int64_t first_ms, uint64_t random)
{
	int64_t delay = first_ms;

	for (uint32_t i = 0; i < attempt && delay < WEBHOOK_DELAY_MS_MAX; i++)
		delay *= 2;
	if (delay > WEBHOOK_DELAY_MS_MAX)
		delay = WEBHOOK_DELAY_MS_MAX;
	delay += (int64_t)(random % (uint64_t)(delay / 2 + 1)) - delay / 4;
	return delay < 1 ? 1 : delay;
}

int64_t webhook_rest_ms(int64_t retry_after_s)
{
	if (retry_after_s <= 0)
		return 0;
	return retry_after_s > WEBHOOK_REST_MS_MAX / 1000 ? WEBHOOK_REST_MS_MAX
							  : retry_after_s * 1000;
}

/* ---- addresses ---- */

/* As gateway.webhook_url_shown of the database. */
void webhook_url_shown(const char *url, char shown_r[WEBHOOK_URL_MAX + 1])
{
	const char *host = strstr(url, "://"), *end, *user = NULL;
	size_t n;

	host = host == NULL ? url : host + 3;
	end = host + strcspn(host, "/?#");
	for (const char *at = host; at < end; at++)
		if (*at == '@')
			user = at;
	n = strcspn(url, "?");
	(void)snprintf(shown_r, WEBHOOK_URL_MAX + 1, "%.*s%s%.*s%s", (int)(host - url), url,
		user == NULL ? "" : "..", (int)(url + n - (user == NULL ? host : user)),
		user == NULL ? host : user, url[n] == '?' ? "?.." : "");
}

static bool refused(const char **expected_r, const char *expected)
{
	*expected_r = expected;
	return false;
}

static bool local_host(const char *host, size_t length)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && memcmp(host, names[i], length) == 0)
			return true;
	return false;
}

/* Length of the host at the beginning of `text`; 0: it is none. */
static size_t host_length(const char *text)
{
	size_t n;

	if (text[0] != '[') {
		n = strspn(text, LETTERS DIGITS ".-");
		return strchr(".-", text[0]) == NULL && n <= 253 ? n : 0;
	}
	n = 1 + strspn(text + 1, DIGITS "abcdefABCDEF:.");
	return n > 2 && text[n] == ']' ? n + 1 : 0;
}

/* Skips ":443". False: what follows the colon is no port. */
static bool port_skip(const char **text)
{
	uint32_t port = 0;
	size_t n;

	if (**text != ':')
		return true;
	n = strspn(*text + 1, DIGITS);
	if (n < 1 || n > 5)
		return false;
	for (size_t i = 1; i <= n; i++)
		port = port * 10 + (uint32_t)((*text)[i] - '0');
	*text += n + 1;
	return port >= 1 && port <= 65535;
}

bool webhook_url_ok(const char *url, bool internal, const char **expected_r)
{
	bool tls = strncmp(url, "https://", 8) == 0;
	const char *at = url + (tls ? 8 : 7);
	size_t host;

	if (!tls && strncmp(url, "http://", 7) != 0)
		return refused(expected_r, "an address that begins with https://");
	if (strlen(url) > WEBHOOK_URL_MAX)
		return refused(expected_r, "at most 500 characters");
	host = host_length(at);
	if (host == 0)
		return refused(expected_r, "a host after https://, without a user or password");
	if (!tls && !(internal && local_host(at, host)))
		return refused(expected_r, "an address that begins with https://");
	if (!internal && local_host(at, host))
		return refused(expected_r, "a host outside this machine");
	at += host;
	if (!port_skip(&at))
		return refused(expected_r, "a port from 1 to 65535");
	if (*at != '\0' && *at != '/' && *at != '?')
		return refused(expected_r, "a path that begins with / after the host");
	for (; *at != '\0'; at++)
		if (*at <= ' ' || *at > '~' || strchr("\"#<>\\^`{|}", *at) != NULL)
			return refused(expected_r, "only characters of a URL, without a fragment");
	return true;
}

/* ---- settings ---- */

bool webhook_kinds_read(const char *text, char array_r[WEBHOOK_KINDS_MAX + 2])
{
	static const char *const kinds[] = { "hit", "large_win", "payout", "limit", "game" };
	uint32_t seen = 0;

	if (strlen(text) >= WEBHOOK_KINDS_MAX)
		return false;
	(void)snprintf(array_r, WEBHOOK_KINDS_MAX + 2, "{%s}", text);
	for (;;) {
		size_t length = strcspn(text, ","), i = 0;
		while (i < 5 && (strlen(kinds[i]) != length || memcmp(kinds[i], text, length) != 0))
			i++;
		if (i == 5 || (seen & 1U << i) != 0)
			return false;
		seen |= 1U << i;
		if (text[length] == '\0')
			return true;
		text += length + 1;
	}
}

bool webhook_large_read(const char *text, char *json_r, size_t room, char *error_r)
{
	struct alone least;
	size_t n = (size_t)snprintf(json_r, room, "{");

	if (!alone_read(text, &least, error_r))
		return false;
	for (size_t i = 0; i < least.n; i++)
		if (least.most[i].minor == 0) {
			(void)snprintf(error_r, ALONE_ERROR_MAX,
				"found \"%.40s\", expected amounts from 1", text);
			return false;
		}
	for (size_t i = 0; least.n > 0 && currency_at(i) != NULL; i++) {
		int64_t minor = alone_most(&least, currency_at(i));

		if (minor == 0)
			continue;
		n += (size_t)snprintf(json_r + n, room - n, "%s\"%" PRIu32 "\":%" PRId64,
			n == 1 ? "" : ",", currency_at(i)->number, minor);
		if (n + 2 > room) {
			(void)snprintf(error_r, ALONE_ERROR_MAX,
				"found more currencies than fit, expected fewer");
			return false;
		}
	}
	memcpy(json_r + n, "}", 2);
	return true;
}
