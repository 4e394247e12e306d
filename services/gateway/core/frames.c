#include "services/gateway/core/frames.h"

#include <stdio.h>
#include <string.h>

#define OPERATOR_DIGITS_MAX 9

/* The number in `length` characters; 0 when they are none. */
static uint32_t number_read(const char *text, size_t length)
{
	uint32_t n = 0;
	if (length == 0 || length > OPERATOR_DIGITS_MAX)
		return 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		n = n * 10 + (uint32_t)(text[i] - '0');
	}
	return n;
}

/* "https://casino.example:8443": nothing that could add a directive or a source to the policy. */
static bool origin_ok(const char *text, size_t length)
{
	static const char *const schemes[] = { "https://", "http://" };
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
	for (size_t i = 0; i < 2; i++) {
		size_t scheme = strlen(schemes[i]);
		if (length <= scheme || length > FRAME_ORIGIN_MAX ||
			strncmp(text, schemes[i], scheme) != 0)
			continue;
		size_t host = strspn(text + scheme, allowed);
		if (host == 0)
			return false;
		if (scheme + host >= length)
			return true;
		size_t port = scheme + host + 1;
		return text[port - 1] == ':' && length > port && length - port <= 5 &&
		       number_read(text + port, length - port) > 0;
	}
	return false;
}

static bool part_read(struct frames *frames, const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	size_t before = equals == NULL ? 0 : (size_t)(equals - text);
	uint32_t operator_id = number_read(text, before);
	size_t of_one = 0;
	if (operator_id == 0 || frames->n == FRAMES_MAX ||
		!origin_ok(equals + 1, length - before - 1))
		return false;
	for (size_t i = 0; i < frames->n; i++)
		of_one += frames->item[i].operator_id == operator_id;
	if (of_one == FRAMES_OF_ONE_MAX)
		return false;
	frames->item[frames->n].operator_id = operator_id;
	memcpy(frames->item[frames->n].origin, equals + 1, length - before - 1);
	frames->item[frames->n++].origin[length - before - 1] = '\0';
	return true;
}

bool frames_parse(const char *text, struct frames *frames_r, char error[FRAMES_ERROR_MAX])
{
	memset(frames_r, 0, sizeof(*frames_r));
	while (*text != '\0') {
		size_t length = strcspn(text, ",");
		if (!part_read(frames_r, text, length)) {
			(void)snprintf(error, FRAMES_ERROR_MAX,
				"found '%.*s', expected OPERATOR=ORIGIN such as "
				"1=https://casino.example, at most %d origins of an operator and "
				"%d in all",
				(int)(length > 80 ? 80 : length), text, FRAMES_OF_ONE_MAX,
				FRAMES_MAX);
			return false;
		}
		text += length;
		text += *text == ',';
	}
	return true;
}

bool frames_of(const struct frames *frames, const char *operator_text, char out[FRAMES_TEXT_MAX])
{
	uint32_t operator_id = number_read(operator_text, strlen(operator_text));
	size_t length = 0;
	out[0] = '\0';
	for (size_t i = 0; operator_id != 0 && i < frames->n; i++)
		if (frames->item[i].operator_id == operator_id) {
			int n = snprintf(out + length, FRAMES_TEXT_MAX - length, "%s%s",
				length == 0 ? "" : " ", frames->item[i].origin);
			length += (size_t)n; /* fits: both numbers are bounded above */
		}
	return length > 0;
}
