/* Reads a JSON document node by node and knows the position of each node. It keeps the first
 * mistake with the file, the JSON pointer, the value found and the values expected. After a mistake
 * every step gives harmless values, so callers read on and check for a mistake once at the end. */
#ifndef CARILLON_GAME_DEFINITION_JSON_H
#define CARILLON_GAME_DEFINITION_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_POINTER_MAX 160

struct definition_reader {
	const char *file;
	char *error; /* DEFINITION_ERROR_MAX bytes */
	bool failed;
};

struct node {
	struct definition_reader *reader;
	json_t *json; /* borrowed; NULL after a mistake */
	char pointer[NODE_POINTER_MAX];
};

/* Keeps the first mistake. `found` NULL: shows the node's own value. */
void node_fail(const struct node *node, const char *found, const char *expected, ...)
	__attribute__((format(printf, 3, 4)));

/* A required member. A mistake if it is missing or `object` is not an object. */
struct node node_member(const struct node *object, const char *key);
/* Does the object have this member? False after a mistake. */
bool node_has(const struct node *object, const char *key);
/* A mistake if a member's name is not one of the words in `keys`. */
void node_keys(const struct node *object, const char *keys);
/* Element or member by position; *key_r is the member's name. */
struct node node_item(const struct node *array, size_t i);
struct node node_nth(const struct node *object, size_t i, const char **key_r);

/* The length, which must be in min..max; 0 after a mistake. */
size_t node_array(const struct node *node, size_t min, size_t max);
size_t node_object(const struct node *node, size_t min, size_t max);

int64_t node_integer(const struct node *node, int64_t min, int64_t max);
uint32_t node_u32(const struct node *node, uint32_t min, uint32_t max);
bool node_bool(const struct node *node);
bool node_is_null(const struct node *node);
/* Copies a text, which must have 1..room-1 bytes. */
void node_text(const struct node *node, char *out, size_t room);
/* Copies a slug: a-z, 0-9, '-' and '_', beginning with a letter. */
void node_slug(const struct node *node, char *out, size_t room);
/* The index of the text in the words of `words`. */
uint32_t node_word(const struct node *node, const char *words);
/* A percentage written as a decimal text ("96.08", at most four decimals, no leading zeros), in
 * millionths; min..max in millionths too. A text, because most JSON readers turn fractions into
 * floats. */
uint32_t node_percent_ppm(const struct node *node, uint32_t min, uint32_t max);
/* Reads a member's name as a whole number. False and a mistake if it is not a number in the
 * range. */
bool node_number_key(
	const struct node *member, const char *key, uint32_t min, uint32_t max, uint32_t *value_r);

#endif
