/* Expressions of SQL, by the precedence of Postgres
 * (https://www.postgresql.org/docs/15/sql-syntax-lexical.html#SQL-PRECEDENCE). */
#include "tests/sim/postgres/postgres.h"

#include <stdlib.h>
#include <string.h>

#define LIST_MAX 128

static struct fpg_expr *compare_parse(struct fpg_parser *parser);
static struct fpg_expr *concat_parse(struct fpg_parser *parser);

struct fpg_expr *fpg_expr_new(enum fpg_op op, int n)
{
	struct fpg_expr *expr = fpg_keep(sizeof(*expr));
	expr->op = op;
	expr->n = n;
	expr->arg = n > 0 ? fpg_keep((size_t)n * sizeof(struct fpg_expr *)) : NULL;
	return expr;
}

static struct fpg_expr *unary(enum fpg_op op, struct fpg_expr *a)
{
	struct fpg_expr *expr = fpg_expr_new(op, 1);
	expr->arg[0] = a;
	return expr;
}

static struct fpg_expr *binary(enum fpg_op op, struct fpg_expr *a, struct fpg_expr *b)
{
	struct fpg_expr *expr = fpg_expr_new(op, 2);
	expr->arg[0] = a;
	expr->arg[1] = b;
	return expr;
}

static struct fpg_value keep_bytes(enum fpg_type type, const void *bytes, size_t n)
{
	struct fpg_blob *blob = fpg_keep(sizeof(*blob) + n + 1);
	blob->n = (uint32_t)n;
	if (n > 0)
		memcpy(blob->bytes, bytes, n);
	return (struct fpg_value){ .type = (uint8_t)type, .b = blob };
}

struct fpg_expr *fpg_expr_text(const char *text)
{
	struct fpg_expr *expr = fpg_expr_new(FPG_CONST, 0);
	expr->value = keep_bytes(FPG_UNKNOWN, text, strlen(text));
	return expr;
}

static struct fpg_expr *cast(struct fpg_expr *a, enum fpg_type type, enum fpg_type element)
{
	struct fpg_expr *expr = unary(FPG_CAST, a);
	expr->type = type;
	expr->element = element;
	return expr;
}

static struct fpg_expr *constant(struct fpg_value value)
{
	struct fpg_expr *expr = fpg_expr_new(FPG_CONST, 0);
	expr->value = value;
	return expr;
}

/* ---- types ---- */

static const struct {
	const char *name;
	enum fpg_type type;
} TYPES[] = { { "int", FPG_INT4 }, { "integer", FPG_INT4 }, { "int4", FPG_INT4 },
	{ "smallint", FPG_INT4 }, { "int2", FPG_INT4 }, { "bigint", FPG_INT8 },
	{ "int8", FPG_INT8 }, { "oid", FPG_INT8 }, { "numeric", FPG_NUMERIC },
	{ "decimal", FPG_NUMERIC }, { "text", FPG_TEXT }, { "varchar", FPG_TEXT },
	{ "name", FPG_TEXT }, { "json", FPG_TEXT }, { "jsonb", FPG_TEXT }, { "uuid", FPG_TEXT },
	{ "regclass", FPG_TEXT }, { "bytea", FPG_BYTEA }, { "bool", FPG_BOOL },
	{ "boolean", FPG_BOOL }, { "timestamptz", FPG_TIME }, { "timestamp", FPG_TIME },
	{ "date", FPG_DATE }, { "interval", FPG_INTERVAL }, { "double", FPG_FLOAT },
	{ "float8", FPG_FLOAT }, { "real", FPG_FLOAT }, { NULL, FPG_UNKNOWN } };

static int type_find(const char *word)
{
	int i = 0;
	while (TYPES[i].name != NULL && strcmp(TYPES[i].name, word) != 0)
		i++;
	return TYPES[i].name == NULL ? -1 : i;
}

bool fpg_type_next(const struct fpg_parser *parser)
{
	const struct fpg_token *token = &parser->token[parser->at];
	return token->kind == FPG_T_WORD && token[1].kind == FPG_T_STRING &&
	       type_find(token->text) >= 0;
}

void fpg_parse_type(struct fpg_parser *parser, enum fpg_type *type_r, enum fpg_type *element_r)
{
	int i = type_find(fpg_name(parser));
	if (i < 0) {
		parser->at--;
		fpg_not_known(parser, "a type is expected");
	}
	*type_r = TYPES[i].type;
	*element_r = FPG_UNKNOWN;
	(void)fpg_take(parser, "precision");
	if (fpg_take(parser, "("))
		while (!fpg_take(parser, ")"))
			parser->at++;
	if (fpg_is(parser, "with") || fpg_is(parser, "without")) {
		if (strcmp(parser->token[parser->at + 1].text, "time") == 0)
			parser->at += 3;
	}
	while (fpg_take(parser, "[")) {
		fpg_expect(parser, "]");
		*element_r = TYPES[i].type;
		*type_r = FPG_ARRAY;
	}
}

/* ---- primaries ---- */

static int list_parse(struct fpg_parser *parser, const char *end, struct fpg_expr **list)
{
	int n = 0;
	if (fpg_take(parser, end))
		return 0;
	do {
		if (n == LIST_MAX)
			fpg_not_known(parser, "a shorter list is expected");
		list[n++] = fpg_parse_expr(parser);
	} while (fpg_take(parser, ","));
	fpg_expect(parser, end);
	return n;
}

static struct fpg_expr *with_list(enum fpg_op op, struct fpg_expr *const *list, int n)
{
	struct fpg_expr *expr = fpg_expr_new(op, n);
	for (int i = 0; i < n; i++)
		expr->arg[i] = list[i];
	return expr;
}

static struct fpg_expr *select_expr(struct fpg_parser *parser, enum fpg_op op)
{
	struct fpg_expr *expr = fpg_expr_new(op, 0);
	expr->select = fpg_parse_select(parser);
	return expr;
}

static struct fpg_expr *parenthesis(struct fpg_parser *parser)
{
	struct fpg_expr *list[LIST_MAX];
	struct fpg_expr *expr;
	if (fpg_select_next(parser)) {
		expr = select_expr(parser, FPG_SCALAR);
		fpg_expect(parser, ")");
		return expr;
	}
	int n = list_parse(parser, ")", list);
	return n == 1 ? list[0] : with_list(FPG_ROW, list, n);
}

static struct fpg_expr *case_parse(struct fpg_parser *parser)
{
	struct fpg_expr *list[LIST_MAX];
	struct fpg_expr *subject = NULL;
	int n = 0;
	if (!fpg_is(parser, "when"))
		subject = fpg_parse_expr(parser);
	while (fpg_take(parser, "when") && n + 2 < LIST_MAX) {
		struct fpg_expr *when = fpg_parse_expr(parser);
		list[n++] = subject == NULL ? when : binary(FPG_EQ, subject, when);
		fpg_expect(parser, "then");
		list[n++] = fpg_parse_expr(parser);
	}
	list[n++] =
		fpg_take(parser, "else") ? fpg_parse_expr(parser) : constant(fpg_null(FPG_UNKNOWN));
	fpg_expect(parser, "end");
	return with_list(FPG_CASE, list, n);
}

static struct fpg_expr *array_parse(struct fpg_parser *parser)
{
	struct fpg_expr *list[LIST_MAX];
	if (fpg_take(parser, "[")) {
		int n = list_parse(parser, "]", list);
		return with_list(FPG_ARRAY_OF, list, n);
	}
	fpg_expect(parser, "(");
	struct fpg_expr *expr = select_expr(parser, FPG_ARRAY_OF);
	fpg_expect(parser, ")");
	return expr;
}

/* extract(epoch from e), substring(e from e), and names of functions with their list. */
static struct fpg_expr *call_parse(struct fpg_parser *parser, const char *name)
{
	struct fpg_expr *list[LIST_MAX] = { NULL };
	struct fpg_expr *expr, *order = NULL;
	bool distinct = false, descending = false;
	int n = 0;
	if (strcmp(name, "extract") == 0) {
		list[n++] = fpg_expr_text(fpg_name(parser));
		fpg_expect(parser, "from");
	}
	distinct = fpg_take(parser, "distinct");
	if (fpg_is_2(parser, "*", ")")) {
		parser->at++;
		list[n++] = fpg_expr_new(FPG_STAR, 0);
	}
	while (!fpg_is(parser, ")") && n < LIST_MAX) {
		list[n] = fpg_parse_expr(parser);
		if (fpg_is(parser, "=>")) /* make_interval(secs => x): the name is an argument */
			list[n] = fpg_expr_text(list[n]->name);
		n++;
		if (fpg_take(parser, "order")) {
			fpg_expect(parser, "by");
			order = fpg_parse_expr(parser);
			descending = fpg_take(parser, "desc");
			break;
		}
		if (!fpg_take(parser, ",") && !fpg_take(parser, "from") &&
			!fpg_take(parser, "for") && !fpg_take(parser, "=>"))
			break;
	}
	fpg_expect(parser, ")");
	expr = with_list(fpg_is_aggregate(name) ? FPG_AGGREGATE : FPG_CALL, list, n);
	expr->name = name;
	expr->distinct = distinct;
	expr->order = order;
	expr->descending = descending;
	if (fpg_is_2(parser, "filter", "(")) {
		parser->at += 2;
		fpg_expect(parser, "where");
		expr->filter = fpg_parse_expr(parser);
		fpg_expect(parser, ")");
	}
	if (fpg_is(parser, "over"))
		fpg_not_known(parser, "a function without a window is expected");
	expr->function = expr->op == FPG_CALL ? fpg_function_find(name) : 0;
	if (expr->function < 0 && fpg_sql_function_find(name) >= 0)
		expr->function = FPG_SQL_FUNCTIONS + fpg_sql_function_find(name);
	if (expr->function < 0 && !fpg_is_set(expr))
		fpg_not_known(parser, name);
	return expr;
}

static struct fpg_expr *name_parse(struct fpg_parser *parser)
{
	const char *part[3] = { fpg_name(parser), NULL, NULL };
	struct fpg_expr *expr;
	int n = 1;
	while (fpg_is(parser, ".") && n < 3) {
		parser->at++;
		if (fpg_take(parser, "*")) {
			expr = fpg_expr_new(FPG_STAR, 0);
			expr->qualifier = part[n - 1];
			return expr;
		}
		part[n++] = fpg_name(parser);
	}
	if (fpg_take(parser, "("))
		return call_parse(parser, part[n - 1]);
	for (int i = 0; i < parser->args_n && n == 1; i++)
		if (strcmp(parser->arg[i], part[0]) == 0) {
			expr = fpg_expr_new(FPG_PARAM, 0);
			expr->param = i;
			return expr;
		}
	expr = fpg_expr_new(FPG_COLUMN, 0);
	expr->name = part[n - 1];
	expr->qualifier = n > 1 ? part[n - 2] : NULL;
	return expr;
}

static struct fpg_expr *word_parse(struct fpg_parser *parser)
{
	enum fpg_type type, element;
	struct fpg_expr *expr;
	if (fpg_take(parser, "null"))
		return constant(fpg_null(FPG_UNKNOWN));
	if (fpg_take(parser, "true"))
		return constant(fpg_bool(true));
	if (fpg_take(parser, "false"))
		return constant(fpg_bool(false));
	if (fpg_take(parser, "case"))
		return case_parse(parser);
	if (fpg_is_2(parser, "array", "[") || fpg_is_2(parser, "array", "(")) {
		parser->at++;
		return array_parse(parser);
	}
	if (fpg_is_2(parser, "exists", "(")) {
		parser->at += 2;
		expr = select_expr(parser, FPG_EXISTS);
		fpg_expect(parser, ")");
		return expr;
	}
	if (fpg_is_2(parser, "row", "(")) {
		struct fpg_expr *list[LIST_MAX];
		parser->at += 2;
		int n = list_parse(parser, ")", list);
		return with_list(FPG_ROW, list, n);
	}
	if (fpg_is_2(parser, "cast", "(")) {
		parser->at += 2;
		expr = fpg_parse_expr(parser);
		fpg_expect(parser, "as");
		fpg_parse_type(parser, &type, &element);
		fpg_expect(parser, ")");
		return cast(expr, type, element);
	}
	if (fpg_is(parser, "current_user") || fpg_is(parser, "current_timestamp") ||
		fpg_is(parser, "current_date") || fpg_is(parser, "session_user")) {
		expr = fpg_expr_new(FPG_CALL, 0);
		expr->name = fpg_name(parser);
		expr->function = fpg_function_find(expr->name);
		return expr;
	}
	if (fpg_type_next(parser)) {
		fpg_parse_type(parser, &type, &element);
		expr = fpg_expr_text(parser->token[parser->at++].text);
		return cast(expr, type, element);
	}
	return name_parse(parser);
}

static struct fpg_expr *number_parse(struct fpg_parser *parser)
{
	const char *text = parser->token[parser->at++].text;
	int128 number;
	if (strpbrk(text, ".e") != NULL)
		return constant(fpg_float(strtod(text, NULL)));
	if (!int128_parse(text, &number))
		fpg_not_known(parser, "a whole number of 128 bits is expected");
	if (number > INT64_MAX)
		return constant(keep_bytes(FPG_NUMERIC, &number, sizeof(number)));
	return constant(fpg_int(number > INT32_MAX ? FPG_INT8 : FPG_INT4, (int64_t)number));
}

static struct fpg_expr *primary(struct fpg_parser *parser)
{
	const struct fpg_token *token = &parser->token[parser->at];
	struct fpg_expr *expr;
	switch (token->kind) {
	case FPG_T_NUMBER:
		return number_parse(parser);
	case FPG_T_STRING:
		parser->at++;
		return fpg_expr_text(token->text);
	case FPG_T_PARAM:
		parser->at++;
		expr = fpg_expr_new(FPG_PARAM, 0);
		expr->param = atoi(token->text) - 1;
		if (expr->param < 0 || expr->param >= FPG_PARAMS_MAX)
			fpg_not_known(parser, "a parameter's number is expected");
		if (expr->param >= parser->params_n)
			parser->params_n = expr->param + 1;
		return expr;
	case FPG_T_WORD:
		return word_parse(parser);
	case FPG_T_QUOTED:
		return name_parse(parser);
	case FPG_T_SIGN:
	case FPG_T_END:
		break;
	}
	if (fpg_take(parser, "("))
		return parenthesis(parser);
	if (fpg_take(parser, "*"))
		return fpg_expr_new(FPG_STAR, 0);
	fpg_not_known(parser, "an expression is expected");
}

static struct fpg_expr *postfix(struct fpg_parser *parser)
{
	struct fpg_expr *expr = primary(parser);
	for (;;) {
		enum fpg_type type, element;
		if (fpg_take(parser, "::")) {
			fpg_parse_type(parser, &type, &element);
			expr = cast(expr, type, element);
		} else if (fpg_take(parser, "[")) {
			struct fpg_expr *at = fpg_parse_expr(parser);
			if (fpg_take(parser, ":")) {
				struct fpg_expr *array = expr;
				expr = fpg_expr_new(FPG_SLICE, 3);
				expr->arg[0] = array;
				expr->arg[2] = fpg_parse_expr(parser);
			} else {
				expr = binary(FPG_AT, expr, NULL);
			}
			expr->arg[1] = at;
			fpg_expect(parser, "]");
		} else {
			return expr;
		}
	}
}

/* ---- operators ---- */

static struct fpg_expr *sign_parse(struct fpg_parser *parser)
{
	if (fpg_take(parser, "-"))
		return unary(FPG_NEG, sign_parse(parser));
	(void)fpg_take(parser, "+");
	return postfix(parser);
}

static struct fpg_expr *product_parse(struct fpg_parser *parser)
{
	struct fpg_expr *expr = sign_parse(parser);
	for (;;) {
		if (fpg_take(parser, "*"))
			expr = binary(FPG_MUL, expr, sign_parse(parser));
		else if (fpg_take(parser, "/"))
			expr = binary(FPG_DIV, expr, sign_parse(parser));
		else if (fpg_take(parser, "%"))
			expr = binary(FPG_MOD, expr, sign_parse(parser));
		else
			return expr;
	}
}

static struct fpg_expr *sum_parse(struct fpg_parser *parser)
{
	struct fpg_expr *expr = product_parse(parser);
	for (;;) {
		if (fpg_take(parser, "+"))
			expr = binary(FPG_ADD, expr, product_parse(parser));
		else if (fpg_take(parser, "-"))
			expr = binary(FPG_SUB, expr, product_parse(parser));
		else
			return expr;
	}
}

static struct fpg_expr *concat_parse(struct fpg_parser *parser)
{
	struct fpg_expr *expr = sum_parse(parser);
	while (fpg_take(parser, "||"))
		expr = binary(FPG_CONCAT, expr, sum_parse(parser));
	return expr;
}

static struct fpg_expr *in_parse(struct fpg_parser *parser, struct fpg_expr *left)
{
	struct fpg_expr *list[LIST_MAX];
	struct fpg_expr *expr = binary(FPG_ANY, left, NULL);
	expr->compare = FPG_EQ;
	fpg_expect(parser, "(");
	if (fpg_select_next(parser)) {
		expr->select = fpg_parse_select(parser);
		expr->n = 1;
		fpg_expect(parser, ")");
		return expr;
	}
	int n = list_parse(parser, ")", list);
	expr->arg[1] = with_list(FPG_ARRAY_OF, list, n);
	return expr;
}

static struct fpg_expr *between_parse(struct fpg_parser *parser, struct fpg_expr *left)
{
	struct fpg_expr *low = concat_parse(parser);
	fpg_expect(parser, "and");
	struct fpg_expr *high = concat_parse(parser);
	return binary(FPG_AND, binary(FPG_GE, left, low), binary(FPG_LE, left, high));
}

/* between, in, like and ~, which bind closer than comparisons. */
static struct fpg_expr *range_parse(struct fpg_parser *parser)
{
	struct fpg_expr *expr = concat_parse(parser);
	for (;;) {
		bool not = fpg_is(parser, "not") &&
			   (fpg_is_2(parser, "not", "in") || fpg_is_2(parser, "not", "between") ||
				   fpg_is_2(parser, "not", "like"));
		parser->at += not ;
		if (fpg_take(parser, "in"))
			expr = in_parse(parser, expr);
		else if (fpg_take(parser, "between"))
			expr = between_parse(parser, expr);
		else if (fpg_take(parser, "like"))
			expr = binary(FPG_LIKE, expr, concat_parse(parser));
		else if (fpg_take(parser, "~"))
			expr = binary(FPG_MATCH, expr, concat_parse(parser));
		else
			return expr;
		if (not )
			expr = unary(FPG_NOT, expr);
	}
}

static bool comparison(struct fpg_parser *parser, enum fpg_op *op_r)
{
	static const struct {
		const char *sign;
		enum fpg_op op;
	} SIGNS[] = { { "=", FPG_EQ }, { "<>", FPG_NE }, { "!=", FPG_NE }, { "<", FPG_LT },
		{ "<=", FPG_LE }, { ">", FPG_GT }, { ">=", FPG_GE } };
	for (size_t i = 0; i < sizeof(SIGNS) / sizeof(SIGNS[0]); i++)
		if (fpg_take(parser, SIGNS[i].sign)) {
			*op_r = SIGNS[i].op;
			return true;
		}
	return false;
}

static struct fpg_expr *any_parse(
	struct fpg_parser *parser, struct fpg_expr *left, enum fpg_op compare)
{
	bool all = fpg_is(parser, "all");
	struct fpg_expr *expr = binary(all ? FPG_ALL : FPG_ANY, left, NULL);
	parser->at += 2;
	expr->compare = compare;
	if (fpg_select_next(parser)) {
		expr->select = fpg_parse_select(parser);
		expr->n = 1;
	} else {
		expr->arg[1] = fpg_parse_expr(parser);
	}
	fpg_expect(parser, ")");
	return expr;
}

static struct fpg_expr *is_parse(struct fpg_parser *parser, struct fpg_expr *expr)
{
	bool not = fpg_take(parser, "not");
	if (fpg_take(parser, "null"))
		expr = unary(FPG_IS_NULL, expr);
	else if (fpg_take(parser, "true"))
		expr = unary(FPG_NOT, binary(FPG_DISTINCT, expr, constant(fpg_bool(true))));
	else if (fpg_take(parser, "false"))
		expr = unary(FPG_NOT, binary(FPG_DISTINCT, expr, constant(fpg_bool(false))));
	else if (fpg_take(parser, "distinct")) {
		fpg_expect(parser, "from");
		expr = binary(FPG_DISTINCT, expr, concat_parse(parser));
	} else {
		fpg_not_known(parser, "null, true, false or distinct from is expected");
	}
	return not ? unary(FPG_NOT, expr) : expr;
}

static struct fpg_expr *compare_parse(struct fpg_parser *parser)
{
	struct fpg_expr *expr = range_parse(parser);
	for (;;) {
		enum fpg_op op;
		if (comparison(parser, &op))
			expr = fpg_is_2(parser, "any", "(") || fpg_is_2(parser, "all", "(") ||
					       fpg_is_2(parser, "some", "(")
				       ? any_parse(parser, expr, op)
				       : binary(op, expr, range_parse(parser));
		else if (fpg_take(parser, "is"))
			expr = is_parse(parser, expr);
		else
			return expr;
	}
}

static struct fpg_expr *not_parse(struct fpg_parser *parser)
{
	if (fpg_take(parser, "not"))
		return unary(FPG_NOT, not_parse(parser));
	return compare_parse(parser);
}

static struct fpg_expr *and_parse(struct fpg_parser *parser)
{
	struct fpg_expr *expr = not_parse(parser);
	while (fpg_take(parser, "and"))
		expr = binary(FPG_AND, expr, not_parse(parser));
	return expr;
}

struct fpg_expr *fpg_parse_expr(struct fpg_parser *parser)
{
	struct fpg_expr *expr = and_parse(parser);
	while (fpg_take(parser, "or"))
		expr = binary(FPG_OR, expr, and_parse(parser));
	return expr;
}
