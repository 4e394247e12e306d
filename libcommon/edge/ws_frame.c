/* Reads and writes frames of a WebSocket. */
#include "libcommon/edge/ws_frame.h"

#include <string.h>
#include <strings.h>

#define FINAL 0x80u
#define COMPRESSED 0x40u
#define RESERVED 0x30u
#define MASKED 0x80u

static bool opcode_known(unsigned opcode)
{
	return opcode <= WS_BINARY || (opcode >= WS_CLOSE && opcode <= WS_PONG);
}

/* The length is written in the fewest bytes that hold it. */
static enum ws_status length_read(
	const uint8_t *bytes, size_t length, struct ws_head *head, size_t *at)
{
	uint64_t value = bytes[1] & 0x7fu;
	size_t more = value == 126 ? 2 : value == 127 ? 8 : 0;
	if (length < 2 + more)
		return WS_MORE;
	uint64_t least = value == 126 ? 126 : UINT64_C(1) << 16;
	if (more > 0) {
		value = 0;
		for (size_t i = 0; i < more; i++)
			value = value << 8 | bytes[2 + i];
		if (value < least || value > INT64_MAX)
			return WS_BAD;
	}
	head->length = value;
	*at = 2 + more;
	return WS_OK;
}

enum ws_status ws_head_read(
	const uint8_t *bytes, size_t length, bool deflate, struct ws_head *head_r)
{
	if (length < 2)
		return WS_MORE;
	unsigned opcode = bytes[0] & 0x0fu;
	head_r->final = (bytes[0] & FINAL) != 0;
	head_r->compressed = (bytes[0] & COMPRESSED) != 0;
	/* Only the first frame of a message says that it is compressed. */
	if (!opcode_known(opcode) || (bytes[0] & RESERVED) != 0 || (bytes[1] & MASKED) == 0 ||
		(head_r->compressed && (!deflate || (opcode != WS_TEXT && opcode != WS_BINARY))))
		return WS_BAD;
	if (opcode >= WS_CLOSE && (!head_r->final || (bytes[1] & 0x7fu) > WS_CONTROL_MAX))
		return WS_BAD;
	head_r->opcode = (enum ws_opcode)opcode;
	size_t at = 0;
	enum ws_status status = length_read(bytes, length, head_r, &at);
	if (status != WS_OK)
		return status;
	if (length < at + 4)
		return WS_MORE;
	memcpy(head_r->mask, bytes + at, 4);
	head_r->size = at + 4;
	return WS_OK;
}

void ws_unmask(uint8_t *bytes, size_t length, const uint8_t mask[4])
{
	for (size_t i = 0; i < length; i++)
		bytes[i] ^= mask[i & 3u];
}

size_t ws_head_write(
	uint8_t out[WS_OUT_HEAD_MAX], enum ws_opcode opcode, bool compressed, uint64_t length)
{
	size_t more = length < 126 ? 0 : length < 65536 ? 2 : 8;
	out[0] = (uint8_t)(FINAL | (compressed ? COMPRESSED : 0u) | (unsigned)opcode);
	out[1] = (uint8_t)(more == 0 ? length : more == 2 ? 126 : 127);
	for (size_t i = 0; i < more; i++)
		out[2 + i] = (uint8_t)(length >> (8 * (more - 1 - i)));
	return 2 + more;
}

size_t ws_close_write(
	uint8_t out[WS_OUT_HEAD_MAX + WS_CONTROL_MAX], uint16_t code, const char *text)
{
	size_t length = strlen(text);
	if (length > WS_REASON_MAX)
		length = WS_REASON_MAX;
	while (length > 0 && !ws_utf8((const uint8_t *)text, length))
		length--;
	size_t at = ws_head_write(out, WS_CLOSE, false, length + 2);
	out[at++] = (uint8_t)(code >> 8);
	out[at++] = (uint8_t)code;
	memcpy(out + at, text, length);
	return at + length;
}

/* RFC 6455, 7.4: which codes a close frame may have. */
static bool code_valid(unsigned code)
{
	return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
	       (code >= 3000 && code <= 4999);
}

uint16_t ws_close_read(const uint8_t *payload, size_t length)
{
	if (length == 0)
		return WS_CLOSE_NO_CODE;
	unsigned code = length == 1 ? 0 : (unsigned)payload[0] << 8 | payload[1];
	return code_valid(code) && ws_utf8(payload + 2, length - 2) ? (uint16_t)code : 0;
}

/* The bytes that follow a first byte; 4: none may start with it. */
static size_t tail_of(uint8_t first)
{
	if (first < 0x80)
		return 0;
	if (first < 0xc2 || first > 0xf4)
		return 4;
	return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

bool ws_utf8(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length;) {
		uint8_t first = bytes[i];
		size_t tail = tail_of(first);
		if (tail == 4 || length - i <= tail)
			return false;
		for (size_t k = 1; k <= tail; k++)
			if ((bytes[i + k] & 0xc0u) != 0x80)
				return false;
		/* Written longer than needed, a surrogate, or above U+10FFFF. */
		if ((first == 0xe0 && bytes[i + 1] < 0xa0) ||
			(first == 0xed && bytes[i + 1] > 0x9f) ||
			(first == 0xf0 && bytes[i + 1] < 0x90) ||
			(first == 0xf4 && bytes[i + 1] > 0x8f))
			return false;
		i += 1 + tail;
	}
	return true;
}

/* The length of the next word, whose end is one of `ends`, without the blanks around it. */
static size_t word(const char **text, const char *ends, const char **word_r)
{
	*text += strspn(*text, " \t");
	size_t whole = strcspn(*text, ends), length = whole;
	*word_r = *text;
	while (length > 0 && ((*text)[length - 1] == ' ' || (*text)[length - 1] == '\t'))
		length--;
	*text += whole;
	return length;
}

static bool same(const char *name, size_t length, const char *wanted)
{
	return length == strlen(wanted) && strncasecmp(name, wanted, length) == 0;
}

/* One offer, up to a comma. A window for our side would need frames of its own. */
static bool offer_read(const char **text)
{
	const char *name;
	size_t length = word(text, ";,", &name);
	bool good = same(name, length, "permessage-deflate");
	while (**text == ';') {
		(*text)++;
		length = word(text, "=;,", &name);
		bool valued = **text == '=';
		good = good &&
		       (same(name, length, "client_max_window_bits") ||
			       (!valued &&
				       (same(name, length, "server_no_context_takeover") ||
					       same(name, length, "client_no_context_takeover"))));
		if (valued)
			(void)word(text, ";,", &name);
	}
	return good;
}

bool ws_deflate_offered(const char *extensions)
{
	while (*extensions != '\0') {
		if (offer_read(&extensions))
			return true;
		extensions += *extensions == ',';
	}
	return false;
}
