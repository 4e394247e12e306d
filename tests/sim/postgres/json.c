/* json_populate_recordset: objects of an array as rows of a table. */
#include "tests/sim/postgres/postgres.h"

#include <jansson.h>
#include <string.h>

static struct fpg_value of_array(json_t *json, const struct fpg_column *column)
{
	size_t n = json_array_size(json);
	struct fpg_value *value = fpg_temp((n + 1) * sizeof(*value));

	for (size_t i = 0; i < n; i++)
		value[i] = fpg_cast(fpg_int(FPG_INT8, json_integer_value(json_array_get(json, i))),
			column->element, FPG_UNKNOWN);
	return fpg_array_of(column->element, value, n);
}

static struct fpg_value of_text(const char *text, const struct fpg_column *column)
{
	return fpg_cast(fpg_bytes(FPG_UNKNOWN, text, strlen(text)), column->type, column->element);
}

static struct fpg_value of_json(json_t *json, const struct fpg_column *column)
{
	size_t n;
	char *text;

	if (json == NULL || json_is_null(json))
		return fpg_null(column->type);
	if (column->type == FPG_ARRAY)
		return of_array(json, column);
	if (json_is_integer(json))
		return fpg_cast(
			fpg_int(FPG_INT8, json_integer_value(json)), column->type, column->element);
	if (json_is_string(json))
		return of_text(json_string_value(json), column);
	/* a column of json */
	n = json_dumpb(json, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
	text = fpg_temp(n + 1);
	(void)json_dumpb(json, text, n, JSON_COMPACT | JSON_ENCODE_ANY);
	text[n] = '\0';
	return of_text(text, column);
}

void fpg_json_rows(
	const struct fpg_table *table, const struct fpg_value *text, struct fpg_table_rows *rows_r)
{
	json_error_t fault;
	json_t *array, *object;
	size_t i;

	if (text->null)
		return;
	array = json_loadb((const char *)text->b->bytes, text->b->n, 0, &fault);
	if (!json_is_array(array))
		fpg_raise("22P02", "invalid input syntax for type json: %s", fault.text);
	json_array_foreach(array, i, object)
	{
		struct fpg_value *row = fpg_temp((size_t)table->columns_n * sizeof(*row));
		for (int c = 0; c < table->columns_n; c++)
			row[c] = of_json(
				json_object_get(object, table->column[c].name), &table->column[c]);
		fpg_rows_add(rows_r, row);
	}
	json_decref(array);
}
