/* Checks for UTF-8 (RFC 3629). Postgres and JSON accept nothing else, so text from outside is
 * checked before it is stored, and a text that is cut to fit must not end with part of a character.
 * Pure. */
#ifndef CARILLON_BASE_UTF8_H
#define CARILLON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length in bytes (1 to 4) of the character at `text`, which ends in a 0 byte. 0: no character
 * begins here. */
size_t utf8_length(const char *text);
/* Length in bytes of the valid UTF-8 at the beginning of `text`. */
size_t utf8_valid_length(const char *text);
bool utf8_valid(const char *text);
/* Replaces each byte that is not part of a complete character with a question mark, for instance at
 * the end of a text that was cut in the middle of a character. */
void utf8_whole(char *text);

#endif
