/* Text that grows, for array parameters of SQL and for JSON. */
#ifndef CARILLON_WALLET_ADAPTERS_TEXT_H
#define CARILLON_WALLET_ADAPTERS_TEXT_H

#include <stddef.h>

struct text {
	char *bytes; /* ends with NUL after the first text_add */
	size_t length, room;
};

__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);
void text_clear(struct text *text);
void text_free(struct text *text);

#endif
