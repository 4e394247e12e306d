#include "libcommon/game/test/definition_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void definition_change(json_t *root, const char *pointer, const char *value)
{
	char path[256], *last;
	json_t *at = root, *new_value = NULL;

	snprintf(path, sizeof(path), "%s", pointer);
	last = strrchr(path, '/');
	*last++ = 0;
	for (char *name = strtok(path, "/"); name; name = strtok(NULL, "/"))
		at = json_is_array(at) ? json_array_get(at, (size_t)atoi(name))
				       : json_object_get(at, name);
	if (!at)
		fail_msg("%s: no such place in the definition", pointer);
	if (value) {
		new_value = json_loads(value, JSON_DECODE_ANY, NULL);
		if (!new_value)
			fail_msg("%s: not JSON: %s", pointer, value);
	}
	if (json_is_array(at) && strcmp(last, "-") == 0)
		assert_int_equal(json_array_append_new(at, new_value), 0);
	else if (json_is_array(at) && !value)
		assert_int_equal(json_array_remove(at, (size_t)atoi(last)), 0);
	else if (json_is_array(at))
		assert_int_equal(json_array_set_new(at, (size_t)atoi(last), new_value), 0);
	else if (!value)
		assert_int_equal(json_object_del(at, last), 0);
	else
		assert_int_equal(json_object_set_new(at, last, new_value), 0);
}

enum definition_status definition_of_json(
	json_t *root, uint32_t flags, struct game *game, char *error)
{
	char *text = json_dumps(root, JSON_COMPACT);
	enum definition_status status;

	assert_non_null(text);
	status = definition_parse_flags("file.json", text, strlen(text), flags, game, error);
	free(text);
	return status;
}

static bool refused_as_expected(const char *path, const struct refusal *row)
{
	static struct game game;
	json_t *root = json_load_file(path, 0, NULL);
	char error[DEFINITION_ERROR_MAX];
	enum definition_status status;

	assert_non_null(root);
	definition_change(root, row->pointer, row->value);
	status = definition_of_json(root, DEFINITION_UNPROVEN, &game, error);
	json_decref(root);
	if (status != DEFINITION_REFUSED || strncmp(error, "file.json: at /", 15) != 0 ||
		!strstr(error, row->says)) {
		print_error("%s: %s = %s:\n found    %s\n expected %s\n", path, row->pointer,
			row->value, error[0] ? error : "no refusal", row->says);
		if (status == DEFINITION_OK)
			definition_free(&game);
		return false;
	}
	return true;
}

void definition_refusals(const char *path, const struct refusal *rows, size_t count)
{
	static struct game game;
	char error[DEFINITION_ERROR_MAX];
	size_t failed = 0;

	if (definition_load_flags(path, DEFINITION_UNPROVEN, &game, error) != DEFINITION_OK)
		fail_msg("unchanged: %s", error);
	definition_free(&game);
	for (size_t i = 0; i < count; i++)
		failed += !refused_as_expected(path, &rows[i]);
	assert_int_equal(failed, 0);
}
