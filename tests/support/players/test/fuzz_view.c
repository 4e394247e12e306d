/* Answers: with any bytes, reading stays inside the text and ends; what is read is what a parser
 * that makes a tree finds there. */
#include "tests/support/players/json_walk.h"
#include "tests/support/players/view.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void compare(const json_t *json, const struct view *view)
{
	const json_t *round = json_object_get(json, "round");
	const json_t *move = json_object_get(json, "expect");
	if (json_object_get(json, "state"))
		return; /* it would have been read, too */
	if (json_is_integer(move) && json_integer_value(move) >= 0)
		expect(view->has_expect && view->expect == (uint64_t)json_integer_value(move));
	expect(view->round_told == (round != NULL));
	expect(view->round.present == json_is_object(round));
	if (json_is_integer(json_object_get(round, "win_minor")))
		expect(view->round.win == json_integer_value(json_object_get(round, "win_minor")));
	expect(view->round.closed == json_is_true(json_object_get(round, "closed")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view view;
	json_error_t error;
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	bool good = view_read(text, size, &view);
	json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	/* Alike, but for names that come twice, numbers that no tree can hold, and depth. Space
	 * before the object is not taken. */
	if (json_is_object(json) && size > 0 && text[0] == '{') {
		if (good && !strchr(text, '\\')) /* names are compared as they are written */
			compare(json, &view);
	} else if (good) {
		enum json_error_code code = json_error_code(&error);
		expect(code == json_error_duplicate_key || code == json_error_numeric_overflow);
	}
	json_decref(json);
	free(text);
	return 0;
}
