/* Bytes to lower-case hex digits, and back. */
#ifndef CARILLON_BASE_HEX_H
#define CARILLON_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* out holds 2 * n + 1 bytes. */
void hex_format(const uint8_t *bytes, size_t n, char *out);
/* Reads exactly 2 * n digits. On anything else: false, and bytes_r is undefined. */
bool hex_parse(const char *text, size_t n, uint8_t *bytes_r);

#endif
