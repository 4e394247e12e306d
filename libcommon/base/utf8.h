/* Is text UTF-8 (RFC 3629)? Postgres and JSON take nothing else, so what comes from outside is
 * asked before it is kept, and a text is cut only between characters. Pure. */
#ifndef CARILLON_BASE_UTF8_H
#define CARILLON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at `text` (1 to 4; its end is a 0 byte); 0: none begins here. */
size_t utf8_length(const char *text);
/* Bytes of `text` that are UTF-8, from its beginning. */
size_t utf8_valid_length(const char *text);
bool utf8_valid(const char *text);
/* Each byte that is of no whole character, as where a text was shortened by bytes, becomes a
 * question mark. */
void utf8_whole(char *text);

#endif
