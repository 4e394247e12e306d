/* The cursor and the CSV of the lists that operators read. */
#include "services/gateway/adapters/lists.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <jansson.h>
#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 12
#define VALUE_MAX 256
#define SCOPE_MAX 2048 /* above a whole path and query */
#define CURSOR_BYTES_MAX (TOKEN_SEAL_BYTES + LIST_POSITION_MAX)
#define CURSOR_MAX sodium_base64_ENCODED_LEN(CURSOR_BYTES_MAX, CURSOR_VARIANT)
#define CURSOR_VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

static const char *const formats[] = { "json", "csv", NULL };

/* ---- the cursor: a position, sealed together with the list that it is of ---- */

/* All that says which rows a list has, and the position: neither a path nor a query holds a line
 * break. */
static void seal_text(struct edge_request *request, const struct list *list, const char *position,
	char out[SCOPE_MAX])
{
	char value[VALUE_MAX];
	int n = snprintf(
		out, SCOPE_MAX, "carillon cursor 1\n%s\n", edge_route_of(request)->pattern);

	for (size_t i = 0; i < EDGE_PARAMETERS_MAX; i++)
		n += snprintf(out + n, SCOPE_MAX - (size_t)n, "%s\n", edge_parameter(request, i));
	for (size_t i = 0; list->filters != NULL && list->filters[i] != NULL; i++)
		if (edge_query(request, list->filters[i], value, sizeof(value)) != NULL)
			n += snprintf(
				out + n, SCOPE_MAX - (size_t)n, "%s=%s\n", list->filters[i], value);
	(void)snprintf(out + n, SCOPE_MAX - (size_t)n, "%s", position);
}

static void cursor_write(struct gateway *gateway, struct edge_request *request,
	const struct list *list, const char *position, char out[CURSOR_MAX])
{
	char text[SCOPE_MAX];
	uint8_t bytes[CURSOR_BYTES_MAX];
	size_t length = strnlen(position, LIST_POSITION_MAX - 1); /* a longer one is refused when it
								     comes back */

	seal_text(request, list, position, text);
	token_seal(gateway->token_key, clock_wall_us() / SECOND_US, text, bytes);
	memcpy(bytes + TOKEN_SEAL_BYTES, position, length);
	(void)sodium_bin2base64(out, CURSOR_MAX, bytes, TOKEN_SEAL_BYTES + length, CURSOR_VARIANT);
}

/* Cuts the position into its texts. */
static void position_split(struct list_page *page)
{
	char *rest = page->position, *one;

	for (size_t i = 0; i < LIST_KEYS_MAX && (one = strsep(&rest, " ")) != NULL; i++)
		page->after[i] = one;
}

static bool cursor_read(struct gateway *gateway, struct edge_request *request,
	const struct list *list, struct list_page *page)
{
	char cursor[CURSOR_MAX], text[SCOPE_MAX];
	uint8_t bytes[CURSOR_BYTES_MAX];
	size_t length = 0;

	if (edge_query(request, "cursor", cursor, sizeof(cursor)) == NULL)
		return true;
	if (sodium_base642bin(bytes, sizeof(bytes) - 1, cursor, strlen(cursor), NULL, &length, NULL,
		    CURSOR_VARIANT) == 0 &&
		length > TOKEN_SEAL_BYTES &&
		memchr(bytes + TOKEN_SEAL_BYTES, '\0', length - TOKEN_SEAL_BYTES) == NULL) {
		bytes[length] = '\0';
		(void)snprintf(page->position, sizeof(page->position), "%s",
			(const char *)bytes + TOKEN_SEAL_BYTES);
		seal_text(request, list, page->position, text);
		if (token_sealed(gateway->token_key, text, bytes)) {
			position_split(page);
			return true;
		}
	}
	answer_bad(request, "cursor", cursor,
		"next_cursor of a page of this list, with the same parameters");
	return false;
}

bool list_asked(struct gateway *gateway, struct edge_request *request, const struct list *list,
	struct list_page *page_r)
{
	const char *names[NAMES_MAX + 4] = { "format" };
	size_t n = 1;

	memset(page_r, 0, sizeof(*page_r));
	if (list->limit_max > 0) {
		names[n++] = "limit";
		names[n++] = "cursor";
	}
	for (size_t i = 0; list->filters != NULL && list->filters[i] != NULL && i < NAMES_MAX; i++)
		names[n++] = list->filters[i];
	if (!answer_query(request, names) || answer_word(request, "format", formats) == NULL)
		return false;
	if (list->limit_max == 0)
		return true;
	if (!answer_limit(request, list->limit, list->limit_max, &page_r->limit))
		return false;
	(void)snprintf(page_r->limit_text, sizeof(page_r->limit_text), "%" PRId64, page_r->limit);
	return cursor_read(gateway, request, list, page_r);
}

int64_t list_after(const struct list_page *page, int64_t none)
{
	return page->after[0] == NULL ? none : strtoll(page->after[0], NULL, 10);
}

/* ---- CSV (RFC 4180) ---- */

/* Digits, perhaps with a point and more digits. */
static bool is_decimal(const char *text)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits);

	if (whole > 0 && text[whole] == '.' && text[whole + 1] != '\0')
		return text[whole + 1 + strspn(text + whole + 1, digits)] == '\0';
	return whole > 0 && text[whole] == '\0';
}

/* A text that begins like a formula gets an apostrophe before it: a spreadsheet would calculate it.
 * A negative number is none. */
static bool like_formula(const char *text)
{
	return (text[0] != '\0' && strchr("=+@\t\r\n", text[0]) != NULL) ||
	       (text[0] == '-' && !is_decimal(text + 1));
}

static void text_csv(FILE *out, const char *text)
{
	(void)fputs(like_formula(text) ? "\"'" : "\"", out);
	for (; *text != '\0'; text++)
		(void)fputs(*text == '"' ? "\"\"" : (const char[]){ *text, '\0' }, out);
	(void)fputc('"', out);
}

/* Texts have quotes, numbers and booleans do not; null, and what a row does not have, is empty. An
 * object or a list is its JSON, as a text. */
static void cell_csv(FILE *out, const json_t *value)
{
	char *text;

	if (value == NULL || json_is_null(value))
		return;
	if (json_is_string(value)) {
		text_csv(out, json_string_value(value));
		return;
	}
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text == NULL)
		fatal("out of memory");
	if (json_is_object(value) || json_is_array(value))
		text_csv(out, text);
	else
		(void)fputs(text, out);
	free(text);
}

static const json_t *member_of(const json_t *row, const char *path, size_t length)
{
	char name[64];

	while (length > 0) {
		size_t n = strcspn(path, ". ");
		(void)snprintf(name, sizeof(name), "%.*s", (int)n, path);
		row = json_object_get(row, name);
		path += n + 1;
		length = n < length ? length - n - 1 : 0;
	}
	return row;
}

/* `row` NULL: the names of the columns. */
static void line_csv(FILE *out, const char *columns, const json_t *row)
{
	for (const char *at = columns; *at != '\0';) {
		size_t length = strcspn(at, " ");
		if (row == NULL)
			(void)fprintf(out, "%s%.*s", at == columns ? "" : ",", (int)length, at);
		else if (at != columns)
			(void)fputc(',', out);
		if (row != NULL)
			cell_csv(out, member_of(row, at, length));
		at += length + (at[length] == ' ');
	}
	(void)fputs("\r\n", out);
}

void list_csv(FILE *out, const char *columns, const json_t *rows)
{
	const json_t *row;
	size_t i;

	line_csv(out, columns, NULL);
	json_array_foreach(rows, i, row) line_csv(out, columns, row);
}

static void csv_send(struct gateway *gateway, struct edge_request *request, const struct list *list)
{
	json_t *answer = json_loadb(gateway->out.bytes, gateway->out.n, 0, NULL);
	const json_t *rows = json_object_get(answer, list->name);
	char *text = NULL, name[96];
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL)
		fatal("out of memory");
	list_csv(out, list->columns, rows);
	if (fclose(out) != 0)
		fatal("out of memory");
	if (json_is_array(rows)) {
		(void)snprintf(name, sizeof(name), "attachment; filename=\"%s.csv\"", list->name);
		edge_answer_header(request, "Content-Disposition", name);
		answer_text(request, text, length, true);
	} else {
		answer_unavailable(request, "an answer is not JSON with the rows of its list");
	}
	free(text);
	json_decref(answer);
}

/* ---- the answer ---- */

const char *list_next(
	struct edge_request *request, const struct list *list, const PGresult *result, int rows)
{
	char text[LIST_NUMBER_MAX];
	int64_t limit = list->limit;

	if (edge_query(request, "limit", text, sizeof(text)) != NULL)
		limit = strtoll(text, NULL, 10);
	return list->limit_max > 0 && rows > 0 && rows >= limit
		       ? PQgetvalue(result, rows - 1, PQnfields(result) - 1)
		       : NULL;
}

void list_next_header(struct gateway *gateway, struct edge_request *request,
	const struct list *list, const char *next)
{
	char cursor[CURSOR_MAX];

	if (next == NULL)
		return;
	cursor_write(gateway, request, list, next, cursor);
	edge_answer_header(request, "X-Next-Cursor", cursor);
}

void list_end(struct gateway *gateway, struct edge_request *request, const struct list *list,
	const char *next)
{
	char cursor[CURSOR_MAX] = "", format[8];
	const char *asked = edge_query(request, "format", format, sizeof(format));
	bool csv = asked != NULL && strcmp(asked, "csv") == 0;

	if (next != NULL)
		cursor_write(gateway, request, list, next, cursor);
	if (next != NULL)
		out_string(&gateway->out, "next_cursor", cursor);
	else if (list->limit_max > 0)
		out_null(&gateway->out, "next_cursor");
	out_close(&gateway->out, '}');
	if (!csv) {
		answer_sent(gateway, request, 200);
		return;
	}
	list_next_header(gateway, request, list, next);
	csv_send(gateway, request, list);
}

void list_answer(struct gateway *gateway, struct edge_request *request, const struct list *list,
	const PGresult *result, result_json *json)
{
	struct json_out *out = &gateway->out;
	int rows = PQntuples(result);

	out_begin(out);
	out_open(out, NULL, '{');
	out_open(out, list->name, '[');
	for (int i = 0; i < rows; i++)
		json(out, result, i);
	out_close(out, ']');
	list_end(gateway, request, list, list_next(request, list, result, rows));
}
