/* The part of jansson's interface that the definition loader and libcommon/fair use, for
 * WebAssembly, where the library itself does not exist. Same names and meanings as jansson 2.14;
 * json_read.c implements it. Everything is read only, so json_decref frees the whole document and
 * is called for a root alone. */
#ifndef CARILLON_FAIRNESS_WASM_JANSSON_H
#define CARILLON_FAIRNESS_WASM_JANSSON_H

#include <stdbool.h>
#include <stddef.h>

typedef long long json_int_t;
#define JSON_INTEGER_FORMAT "lld"

typedef enum {
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_INTEGER,
	JSON_REAL,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL
} json_type;

/* Members and elements are in a linked list, in the order of the text. */
typedef struct json_t {
	json_type type;
	size_t size; /* members or elements */
	union {
		json_int_t integer;
		double real;
		char *text;
		struct json_t *first;
	} as;
	struct json_t *next;	  /* in its object or array */
	struct json_t **by_place; /* arrays: the elements by index; NULL if there are none */
	char *key;		  /* of a member; NULL otherwise */
} json_t;

typedef struct {
	int line, column;
	char text[160];
} json_error_t;

#define JSON_REJECT_DUPLICATES 1u
#define JSON_COMPACT 2u
#define JSON_SORT_KEYS 4u

/* Always rejects a member that comes twice. */
json_t *json_loadb(const char *text, size_t length, size_t flags, json_error_t *error);
void json_decref(json_t *root);
/* A text of its own; NULL: no memory. */
json_t *json_string(const char *text);
/* Always compact, with sorted keys. NULL for a document with a fraction: definitions have none. */
char *json_dumps(const json_t *json, size_t flags);

static inline json_type json_typeof(const json_t *json)
{
	return json->type;
}
static inline bool json_is_object(const json_t *json)
{
	return json && json->type == JSON_OBJECT;
}
static inline bool json_is_array(const json_t *json)
{
	return json && json->type == JSON_ARRAY;
}
static inline bool json_is_string(const json_t *json)
{
	return json && json->type == JSON_STRING;
}
static inline bool json_is_integer(const json_t *json)
{
	return json && json->type == JSON_INTEGER;
}
static inline bool json_is_true(const json_t *json)
{
	return json && json->type == JSON_TRUE;
}
static inline bool json_is_false(const json_t *json)
{
	return json && json->type == JSON_FALSE;
}
static inline bool json_is_boolean(const json_t *json)
{
	return json_is_true(json) || json_is_false(json);
}
static inline bool json_is_null(const json_t *json)
{
	return json && json->type == JSON_NULL;
}
static inline const char *json_string_value(const json_t *json)
{
	return json_is_string(json) ? json->as.text : NULL;
}
static inline json_int_t json_integer_value(const json_t *json)
{
	return json_is_integer(json) ? json->as.integer : 0;
}
static inline double json_real_value(const json_t *json)
{
	return json && json->type == JSON_REAL ? json->as.real : 0;
}
static inline size_t json_array_size(const json_t *json)
{
	return json_is_array(json) ? json->size : 0;
}
static inline size_t json_object_size(const json_t *json)
{
	return json_is_object(json) ? json->size : 0;
}
json_t *json_array_get(const json_t *json, size_t index);
json_t *json_object_get(const json_t *json, const char *key);

static inline void *json_object_iter(json_t *object)
{
	return json_is_object(object) ? object->as.first : NULL;
}
static inline void *json_object_iter_next(json_t *object, void *iter)
{
	(void)object;
	return ((json_t *)iter)->next;
}
static inline const char *json_object_iter_key(void *iter)
{
	return ((json_t *)iter)->key;
}
static inline json_t *json_object_iter_value(void *iter)
{
	return iter;
}

#define json_object_foreach(object, member, found)                                                 \
	for (void *member##_at = json_object_iter(object);                                         \
		member##_at && ((member) = json_object_iter_key(member##_at),                      \
			       (found) = json_object_iter_value(member##_at), true);               \
		member##_at = json_object_iter_next(object, member##_at))

#endif
