/* Writes a definition as text: indents two blanks a level, and puts lists of plain values on as few
 * lines as possible. */
#include "tools/slotmath/search.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 120

static void put(const json_t *json, FILE *out, int depth);

static bool fits(const json_t *json, int depth, char **text_r)
{
	char *text = json_dumps(json, JSON_ENCODE_ANY);

	*text_r = text;
	return text && strlen(text) + (size_t)depth * 2 < WIDTH;
}

/* Writes plain values, with line breaks at the width. */
static void put_plain_list(const json_t *json, FILE *out, int depth)
{
	const json_t *value;
	int column = WIDTH;
	size_t i;

	fputs("[", out);
	json_array_foreach(json, i, value)
	{
		char *text = json_dumps(value, JSON_ENCODE_ANY);
		int length = (int)strlen(text) + 2;

		if (column + length > WIDTH) {
			column = fprintf(out, "\n%*s", depth * 2 + 2, "") - 1;
		} else {
			fputs(" ", out);
			column++;
		}
		column += fprintf(out, "%s%s", text, i + 1 < json_array_size(json) ? "," : "");
		free(text);
	}
	fprintf(out, "\n%*s]", depth * 2, "");
}

static void put_object(const json_t *json, FILE *out, int depth)
{
	size_t left = json_object_size(json);
	const json_t *value;
	const char *key;

	fputs("{\n", out);
	json_object_foreach((json_t *)(uintptr_t)json, key, value)
	{
		fprintf(out, "%*s\"%s\": ", depth * 2 + 2, "", key);
		put(value, out, depth + 1);
		fputs(--left ? ",\n" : "\n", out);
	}
	fprintf(out, "%*s}", depth * 2, "");
}

static void put(const json_t *json, FILE *out, int depth)
{
	const json_t *value;
	char *text;
	size_t i;

	if (fits(json, depth, &text)) {
		fputs(text, out);
	} else if (json_is_object(json)) {
		put_object(json, out, depth);
	} else if (json_is_array(json) && !json_is_object(json_array_get(json, 0)) &&
		   !json_is_array(json_array_get(json, 0))) {
		put_plain_list(json, out, depth);
	} else {
		fputs("[\n", out);
		json_array_foreach(json, i, value)
		{
			fprintf(out, "%*s", depth * 2 + 2, "");
			put(value, out, depth + 1);
			fputs(i + 1 < json_array_size(json) ? ",\n" : "\n", out);
		}
		fprintf(out, "%*s]", depth * 2, "");
	}
	free(text);
}

void definition_write(const json_t *json, FILE *out)
{
	put(json, out, 0);
	fputs("\n", out);
}
