/* Which sites may show the games in a frame: the operators' own, by a setting. Pure. */
#ifndef CARILLON_GATEWAY_CORE_FRAMES_H
#define CARILLON_GATEWAY_CORE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAMES_MAX 64	    /* origins of all operators */
#define FRAMES_OF_ONE_MAX 8 /* origins of one operator */
#define FRAME_ORIGIN_MAX 63 /* characters of one origin */
#define FRAMES_ERROR_MAX 256
/* Room for the origins of one operator, with the NUL. */
#define FRAMES_TEXT_MAX ((FRAME_ORIGIN_MAX + 1) * FRAMES_OF_ONE_MAX)

struct frames {
	size_t n;
	struct {
		uint32_t operator_id;
		char origin[FRAME_ORIGIN_MAX + 1];
	} item[FRAMES_MAX];
};

/* Reads "1=https://casino.example,1=https://m.casino.example,2=http://localhost:8000": an
 * operator's number and one origin (scheme, host and port, without a path) in each part. An empty
 * text has no parts. Otherwise false, and `error` says what was found and expected. */
bool frames_parse(const char *text, struct frames *frames_r, char error[FRAMES_ERROR_MAX]);

/* Writes the origins of the operator whose number is in `operator_text`, space-separated; false
 * when the text is no number or that operator has none. */
bool frames_of(const struct frames *frames, const char *operator_text, char out[FRAMES_TEXT_MAX]);

#endif
