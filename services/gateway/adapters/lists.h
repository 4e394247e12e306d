/* Lists that operators read: a cursor leads from page to page, `format=csv` gives the same rows as
 * a table (docs/lists.md). */
#ifndef CARILLON_GATEWAY_ADAPTERS_LISTS_H
#define CARILLON_GATEWAY_ADAPTERS_LISTS_H

#include "services/gateway/adapters/gateway.h"

#include <stdio.h>

#define LIST_POSITION_MAX 200 /* bytes of a row's position, with the NUL */
#define LIST_KEYS_MAX 4	      /* texts of a position, separated by spaces */
#define LIST_NUMBER_MAX 24

struct list {
	const char *name;	  /* the member of the answer that has the rows */
	const char *columns;	  /* of CSV, separated by spaces: members of a row; "provider.state"
				     is a member of an object */
	int64_t limit, limit_max; /* rows of a page: unless `limit` says, and at most; limit_max
				     0: the list is short by its nature and has no pages */
	const char *const
		*filters; /* the other parameters of the query, ended by NULL; NULL: none */
};

/* Where a page begins. */
struct list_page {
	int64_t limit;
	char limit_text[LIST_NUMBER_MAX];
	char position[LIST_POSITION_MAX];
	const char *after[LIST_KEYS_MAX]; /* of the last row of the page before; NULL: none, the
					     page is the first one */
};

/* Checks the query and reads `limit`, `cursor` and `format`; false when 400 was answered. *page_r
 * must stay where it is. */
bool list_asked(struct gateway *gateway, struct edge_request *request, const struct list *list,
	struct list_page *page_r);
/* The position of the page before as one number, `none` without a cursor. */
int64_t list_after(const struct list_page *page, int64_t none);
/* Answers with all rows. The last column of the result is the position of a row, if the list has
 * pages. */
void list_answer(struct gateway *gateway, struct edge_request *request, const struct list *list,
	const PGresult *result, result_json *json);
/* The position behind a page of `rows` rows, for list_end; NULL: a page that is not full is the
 * last one. */
const char *list_next(
	struct edge_request *request, const struct list *list, const PGresult *result, int rows);
/* Ends an answer that was begun in gateway->out, up to the `}`: adds `next_cursor` for the position
 * `next` (NULL: the list ends) and sends it, or its rows as CSV. */
void list_end(struct gateway *gateway, struct edge_request *request, const struct list *list,
	const char *next);

/* Adds X-Next-Cursor to a CSV that is made elsewhere, unless the list ends. */
void list_next_header(struct gateway *gateway, struct edge_request *request,
	const struct list *list, const char *next);

struct json_t;
/* Writes the objects of a list as CSV: a header row, then one row each. */
void list_csv(FILE *out, const char *columns, const struct json_t *rows);

#endif
