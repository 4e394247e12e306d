/* JSON read where it stands: nothing is allocated, and what nobody asks for is only passed over. A
 * tree of every answer took two thirds of what a player cost. Takes what RFC 8259 calls JSON, down
 * to JSON_WALK_DEPTH_MAX levels. */
#ifndef CARILLON_SUPPORT_PLAYERS_JSON_WALK_H
#define CARILLON_SUPPORT_PLAYERS_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_WALK_DEPTH_MAX 32

/* Set `at` and `end` to begin: at `end` stands a 0 byte. `failed` stays set: after it nothing more
 * is found. */
struct json_walk {
	const char *at, *end;
	unsigned depth;
	bool begun;  /* a member or element of the innermost object or array has been read */
	bool failed; /* no JSON */
};

/* Each of them takes one value, of whatever kind. False: it was of another kind, and is passed
 * over. */
bool json_walk_object(struct json_walk *walk); /* then members, until there is none */
bool json_walk_array(struct json_walk *walk);  /* then elements */
bool json_walk_int(
	struct json_walk *walk, int64_t *value_r); /* also a text of digits, as ids are */
bool json_walk_true(struct json_walk *walk);
/* The text with its escapes undone, as far as there is room, and a NUL. */
bool json_walk_text(struct json_walk *walk, char *text, size_t room);
void json_walk_skip(struct json_walk *walk);

/* The next member's name, as it is written, and its value is next. False: the object is over. */
bool json_walk_member(struct json_walk *walk, const char **name_r, size_t *n_r);
bool json_walk_element(struct json_walk *walk); /* the same of an array */

/* True where nothing but space is left. */
bool json_walk_over(struct json_walk *walk);

#endif
