/* Writes JSON into one growing buffer, without a tree. */
#ifndef CARILLON_GATEWAY_ADAPTERS_JSON_OUT_H
#define CARILLON_GATEWAY_ADAPTERS_JSON_OUT_H

#include <protobuf-c/protobuf-c.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_out {
	char *bytes;
	size_t n, room;
	bool comma; /* this level already has a member */
};

void out_begin(struct json_out *out);
/* `name` is NULL within an array and for the outermost value. */
void out_open(struct json_out *out, const char *name, char bracket); /* '{' or '[' */
void out_close(struct json_out *out, char bracket);		     /* '}' or ']' */
void out_int(struct json_out *out, const char *name, int64_t value);
void out_uint(struct json_out *out, const char *name, uint64_t value);
void out_bool(struct json_out *out, const char *name, bool value);
void out_null(struct json_out *out, const char *name);
void out_string(struct json_out *out, const char *name, const char *text);
void out_hex(struct json_out *out, const char *name, const uint8_t *bytes, size_t length);
/* Adds text that is already JSON. */
void out_raw(struct json_out *out, const char *name, const char *json);
/* Writes a protobuf message with its field names: bytes as hex, enums as numbers, absent messages
 * as null, empty lists as []. */
void out_message(struct json_out *out, const char *name, const ProtobufCMessage *message);
void out_free(struct json_out *out);

#endif
