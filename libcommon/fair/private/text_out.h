/* A text that grows: the report, as JSON. Objects and lists put their own commas. */
#ifndef CARILLON_FAIR_TEXT_OUT_H
#define CARILLON_FAIR_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_out {
	char *bytes; /* ends with a NUL; freed by the owner */
	size_t length, room;
	bool after_value; /* a comma comes before the next value */
	bool failed;	  /* out of memory: the text is worth nothing */
};

/* `name` NULL: an element of a list. */
void text_open(struct text_out *out, const char *name, char bracket);
void text_close(struct text_out *out, char bracket);
void text_int(struct text_out *out, const char *name, int64_t value);
void text_uint(struct text_out *out, const char *name, uint64_t value);
void text_bool(struct text_out *out, const char *name, bool value);
void text_null(struct text_out *out, const char *name);
/* A value that is JSON already. */
void text_raw(struct text_out *out, const char *name, const char *json, size_t length);
void text_string(struct text_out *out, const char *name, const char *text);
void text_hex(struct text_out *out, const char *name, const uint8_t *bytes, size_t length);

#endif
