#include "services/wallet/adapters/text.h"

#include "libcommon/io/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void room_make(struct text *text, size_t more)
{
	size_t room = text->room == 0 ? 256 : text->room;

	if (text->room - text->length > more)
		return;
	while (room - text->length <= more)
		room *= 2;
	text->bytes = realloc(text->bytes, room);
	if (text->bytes == NULL)
		fatal("out of memory: %zu bytes of text", room);
	text->room = room;
}

void text_add(struct text *text, const char *format, ...)
{
	va_list arguments;
	int n;

	room_make(text, 64);
	va_start(arguments, format);
	n = vsnprintf(text->bytes + text->length, text->room - text->length, format, arguments);
	va_end(arguments);
	if (n < 0)
		fatal("text: cannot format: %s", format);
	if ((size_t)n >= text->room - text->length) {
		room_make(text, (size_t)n + 1);
		va_start(arguments, format);
		(void)vsnprintf(
			text->bytes + text->length, text->room - text->length, format, arguments);
		va_end(arguments);
	}
	text->length += (size_t)n;
}

void text_clear(struct text *text)
{
	text->length = 0;
	if (text->bytes != NULL)
		text->bytes[0] = '\0';
}

void text_free(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ 0 };
}
