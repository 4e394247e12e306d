/* Values of expressions, with SQL's third truth value: null. */
#include "tests/sim/postgres/postgres.h"

#include <math.h>
#include <regex.h>
#include <string.h>

/* A parameter's type, if it was given with it. */
static void given_type(
	const struct fpg_exec *exec, int i, enum fpg_type *type_r, enum fpg_type *element_r)
{
	static const struct {
		unsigned oid;
		enum fpg_type type, element;
	} TYPES[] = { { 16, FPG_BOOL, FPG_UNKNOWN }, { 17, FPG_BYTEA, FPG_UNKNOWN },
		{ 20, FPG_INT8, FPG_UNKNOWN }, { 23, FPG_INT4, FPG_UNKNOWN },
		{ 25, FPG_TEXT, FPG_UNKNOWN }, { 1001, FPG_ARRAY, FPG_BYTEA },
		{ 1007, FPG_ARRAY, FPG_INT4 }, { 1009, FPG_ARRAY, FPG_TEXT },
		{ 1016, FPG_ARRAY, FPG_INT8 } };
	*type_r = *element_r = FPG_UNKNOWN;
	for (size_t j = 0; j < sizeof(TYPES) / sizeof(TYPES[0]) && i < exec->param_oids; j++)
		if (TYPES[j].oid == exec->param_oid[i]) {
			*type_r = TYPES[j].type;
			*element_r = TYPES[j].element;
		}
}

static struct fpg_value param_as(
	const struct fpg_exec *exec, int i, enum fpg_type type, enum fpg_type element)
{
	const char *text = exec->param == NULL ? NULL : exec->param[i];
	bool binary = exec->param_format != NULL && exec->param_format[i] == 1;
	if (text == NULL)
		return fpg_cast(fpg_null(FPG_UNKNOWN), type, element);
	if (!binary)
		return fpg_cast(fpg_bytes(FPG_UNKNOWN, text, strlen(text)), type, element);
	if (type == FPG_UNKNOWN)
		fpg_raise("0A000", "parameter $%d in binary has no type here", i + 1);
	return fpg_binary(text, (size_t)exec->param_length[i], type, element);
}

static struct fpg_value param(struct fpg_exec *exec, int i)
{
	if (!exec->param_read[i]) {
		enum fpg_type type, element;
		given_type(exec, i, &type, &element);
		exec->param_text[i] = param_as(exec, i, type, element);
		exec->param_read[i] = true;
	}
	return exec->param_text[i];
}

/* A parameter is read as its type once a statement. */
static struct fpg_value cast(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	const struct fpg_expr *of = expr->arg[0];
	struct fpg_exec *exec = frame->exec;
	if (of->op != FPG_PARAM)
		return fpg_cast(fpg_eval(frame, of), expr->type, expr->element);
	struct fpg_value *known = &exec->param_cast[of->param];
	if (!exec->param_known[of->param] || known->type != expr->type ||
		known->element != expr->element) {
		enum fpg_type type, element;
		given_type(exec, of->param, &type, &element);
		*known = exec->param_read[of->param] || type != FPG_UNKNOWN
				 ? fpg_cast(param(exec, of->param), expr->type, expr->element)
				 : param_as(exec, of->param, expr->type, expr->element);
		exec->param_known[of->param] = true;
	}
	return *known;
}

static struct fpg_value column(const struct fpg_frame *frame, const struct fpg_expr *expr)
{
	for (int i = 0; i < expr->depth; i++)
		frame = frame->outer;
	const struct fpg_value *row = frame->src[expr->source];
	return row == NULL ? fpg_null(expr->type) : row[expr->column];
}

static bool order_means(enum fpg_op op, int order)
{
	switch ((int)op) {
	case FPG_EQ:
		return order == 0;
	case FPG_NE:
		return order != 0;
	case FPG_LT:
		return order < 0;
	case FPG_LE:
		return order <= 0;
	case FPG_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

/* (a, b) = (c, d), <, ..: the first pair that differs decides; a null there, or any null of an
 * equality that is not refuted, gives null. */
static struct fpg_value rows_compare(
	enum fpg_op op, const struct fpg_array *a, const struct fpg_array *b)
{
	bool null = false;
	int order = 0;
	if (a->n != b->n)
		fpg_raise("42601", "unequal number of entries in row expressions");
	for (uint32_t i = 0; i < a->n && order == 0; i++) {
		if (a->v[i].null || b->v[i].null) {
			null = true;
			if (op != FPG_EQ && op != FPG_NE)
				break;
			continue;
		}
		order = fpg_compare(&a->v[i], &b->v[i]);
	}
	if (null && order == 0)
		return fpg_null(FPG_BOOL);
	return fpg_bool(order_means(op, order));
}

static struct fpg_value compare(
	enum fpg_op op, const struct fpg_value *a, const struct fpg_value *b)
{
	if (a->null || b->null)
		return fpg_null(FPG_BOOL);
	if (a->type == FPG_RECORD && b->type == FPG_RECORD)
		return rows_compare(op, a->a, b->a);
	return fpg_bool(order_means(op, fpg_compare(a, b)));
}

static struct fpg_value any_all(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	struct fpg_value left = fpg_eval(frame, expr->arg[0]);
	bool any = expr->op == FPG_ANY, null = false;
	struct fpg_table_rows rows = { 0 };
	size_t n;
	struct fpg_value array = fpg_null(FPG_ARRAY);
	if (expr->select != NULL) {
		fpg_select_run(frame, expr->select, &rows);
		n = rows.n;
	} else {
		array = fpg_eval(frame, expr->arg[1]);
		if (array.null)
			return fpg_null(FPG_BOOL);
		if (array.type == FPG_UNKNOWN)
			array = fpg_cast(array, FPG_ARRAY, left.type);
		n = array.a->n;
	}
	for (size_t i = 0; i < n; i++) {
		const struct fpg_value *one =
			expr->select != NULL ? &rows.row[i][0] : &array.a->v[i];
		struct fpg_value held = compare(expr->compare, &left, one);
		null = null || held.null;
		if (!held.null && (held.i != 0) == any)
			return fpg_bool(any);
	}
	return null ? fpg_null(FPG_BOOL) : fpg_bool(!any);
}

static struct fpg_value both(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	bool is_and = expr->op == FPG_AND, null = false;
	for (int i = 0; i < 2; i++) {
		struct fpg_value side = fpg_eval(frame, expr->arg[i]);
		null = null || side.null;
		if (!side.null && (side.i != 0) != is_and)
			return fpg_bool(!is_and);
	}
	return null ? fpg_null(FPG_BOOL) : fpg_bool(is_and);
}

/* ---- arithmetic ---- */

static bool is_int(const struct fpg_value *value)
{
	return value->type == FPG_INT4 || value->type == FPG_INT8;
}

static double double_of(const struct fpg_value *value)
{
	return value->type == FPG_FLOAT ? value->f : (double)fpg_int128(value);
}

static struct fpg_value float_op(enum fpg_op op, double a, double b)
{
	if ((op == FPG_DIV || op == FPG_MOD) && !(b < 0 || b > 0))
		fpg_raise("22012", "division by zero");
	switch ((int)op) {
	case FPG_ADD:
		return fpg_float(a + b);
	case FPG_SUB:
		return fpg_float(a - b);
	case FPG_MUL:
		return fpg_float(a * b);
	case FPG_DIV:
		return fpg_float(a / b);
	default:
		return fpg_float(fmod(a, b));
	}
}

static struct fpg_value whole_op(
	enum fpg_op op, const struct fpg_value *a, const struct fpg_value *b)
{
	int128 x = fpg_int128(a), y = fpg_int128(b), result = 0;
	bool over = false;
	if ((op == FPG_DIV || op == FPG_MOD) && y == 0)
		fpg_raise("22012", "division by zero");
	if (op == FPG_DIV && !(is_int(a) && is_int(b)) && x % y != 0)
		return fpg_float((double)x / (double)y);
	switch ((int)op) {
	case FPG_ADD:
		over = __builtin_add_overflow(x, y, &result);
		break;
	case FPG_SUB:
		over = __builtin_sub_overflow(x, y, &result);
		break;
	case FPG_MUL:
		over = __builtin_mul_overflow(x, y, &result);
		break;
	case FPG_DIV:
		result = x / y;
		break;
	default:
		result = x % y;
		break;
	}
	if (over)
		fpg_raise("22003", "numeric field overflow");
	if (a->type == FPG_NUMERIC || b->type == FPG_NUMERIC)
		return fpg_numeric(result);
	struct fpg_value wide = fpg_numeric(result);
	return fpg_cast(wide, a->type == FPG_INT8 || b->type == FPG_INT8 ? FPG_INT8 : FPG_INT4,
		FPG_UNKNOWN);
}

/* Times, dates and intervals. */
static struct fpg_value time_op(
	enum fpg_op op, const struct fpg_value *a, const struct fpg_value *b)
{
	bool scale = op == FPG_MUL || op == FPG_DIV;
	if (scale && a->type == FPG_INTERVAL)
		return fpg_int(FPG_INTERVAL,
			(int64_t)llround(op == FPG_MUL ? (double)a->i * double_of(b)
						       : (double)a->i / double_of(b)));
	if (op == FPG_MUL && b->type == FPG_INTERVAL)
		return time_op(op, b, a);
	int64_t y = op == FPG_SUB ? -b->i : b->i;
	if (a->type == FPG_DATE && is_int(b))
		return fpg_int(FPG_DATE, a->i + y);
	if (a->type == FPG_DATE && b->type == FPG_DATE && op == FPG_SUB)
		return fpg_int(FPG_INT4, a->i - b->i);
	if (a->type == FPG_TIME && b->type == FPG_TIME && op == FPG_SUB)
		return fpg_int(FPG_INTERVAL, a->i - b->i);
	if (b->type == FPG_INTERVAL && (a->type == FPG_TIME || a->type == FPG_INTERVAL))
		return fpg_int(a->type, a->i + y);
	if (b->type == FPG_INTERVAL && a->type == FPG_DATE)
		return fpg_int(FPG_TIME, a->i * INT64_C(86400000000) + y);
	if (a->type == FPG_INTERVAL && b->type == FPG_TIME && op == FPG_ADD)
		return time_op(op, b, a);
	fpg_raise("42883", "operator does not exist: %s and %s", fpg_type_name(a->type),
		fpg_type_name(b->type));
}

static enum fpg_type type_of_untyped(enum fpg_op op, const struct fpg_value *other)
{
	if (other->type == FPG_INTERVAL && (op == FPG_MUL || op == FPG_DIV))
		return FPG_FLOAT;
	if (other->type == FPG_TIME)
		return FPG_INTERVAL;
	return other->type == FPG_UNKNOWN ? FPG_INT4 : other->type;
}

static struct fpg_value arithmetic(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	struct fpg_value a = fpg_eval(frame, expr->arg[0]);
	struct fpg_value b = fpg_eval(frame, expr->arg[1]);
	if (a.null || b.null)
		return fpg_null(a.type != FPG_UNKNOWN ? a.type : b.type);
	if (a.type == FPG_UNKNOWN)
		a = fpg_cast(a, type_of_untyped(expr->op, &b), FPG_UNKNOWN);
	if (b.type == FPG_UNKNOWN)
		b = fpg_cast(b, type_of_untyped(expr->op, &a), FPG_UNKNOWN);
	if (a.type >= FPG_TEXT || b.type >= FPG_TEXT)
		return time_op(expr->op, &a, &b);
	if (a.type == FPG_FLOAT || b.type == FPG_FLOAT)
		return float_op(expr->op, double_of(&a), double_of(&b));
	return whole_op(expr->op, &a, &b);
}

static struct fpg_value negative(struct fpg_value value)
{
	if (value.null)
		return value;
	if (value.type == FPG_FLOAT)
		return fpg_float(-value.f);
	if (value.type == FPG_NUMERIC)
		return fpg_numeric(-fpg_int128(&value));
	value.i = -value.i;
	return value;
}

static struct fpg_value concat(const struct fpg_value *a, const struct fpg_value *b)
{
	if (a->null || b->null)
		return fpg_null(FPG_TEXT);
	if (a->type == FPG_ARRAY || b->type == FPG_ARRAY) {
		enum fpg_type element = a->type == FPG_ARRAY ? a->element : b->element;
		size_t x = a->type == FPG_ARRAY ? a->a->n : 1;
		size_t y = b->type == FPG_ARRAY ? b->a->n : 1;
		struct fpg_value *all = fpg_temp((x + y) * sizeof(*all) + 1);
		memcpy(all, a->type == FPG_ARRAY ? a->a->v : a, x * sizeof(*all));
		memcpy(all + x, b->type == FPG_ARRAY ? b->a->v : b, y * sizeof(*all));
		return fpg_array_of(element, all, x + y);
	}
	bool bytea = a->type == FPG_BYTEA || b->type == FPG_BYTEA;
	struct fpg_value x = fpg_cast(*a, bytea ? FPG_BYTEA : FPG_TEXT, FPG_UNKNOWN);
	struct fpg_value y = fpg_cast(*b, bytea ? FPG_BYTEA : FPG_TEXT, FPG_UNKNOWN);
	struct fpg_value both_value = fpg_bytes(x.type, x.b->bytes, (size_t)x.b->n + y.b->n);
	struct fpg_blob *blob = (struct fpg_blob *)(uintptr_t)both_value.b;
	memcpy(blob->bytes + x.b->n, y.b->bytes, (size_t)y.b->n + 1);
	return both_value;
}

/* ---- the rest ---- */

bool fpg_like(const char *text, const char *pattern)
{
	for (; *pattern != '\0'; pattern++, text++) {
		if (*pattern == '%') {
			while (*pattern == '%')
				pattern++;
			for (;; text++) {
				if (fpg_like(text, pattern))
					return true;
				if (*text == '\0')
					return false;
			}
		}
		if (*pattern == '\\' && pattern[1] != '\0')
			pattern++;
		else if (*pattern == '_' && *text != '\0')
			continue;
		if (*pattern != *text)
			return false;
	}
	return *text == '\0';
}

static struct fpg_value like(const struct fpg_value *a, const struct fpg_value *b)
{
	if (a->null || b->null)
		return fpg_null(FPG_BOOL);
	return fpg_bool(fpg_like((const char *)a->b->bytes, (const char *)b->b->bytes));
}

/* POSIX's extended expressions: what the schema asks for means the same in Postgres' own. */
static struct fpg_value match(const struct fpg_value *a, const struct fpg_value *b)
{
	regex_t pattern;
	bool found;

	if (a->null || b->null)
		return fpg_null(FPG_BOOL);
	if (regcomp(&pattern, (const char *)b->b->bytes, REG_EXTENDED | REG_NOSUB) != 0)
		fpg_raise("2201B", "invalid regular expression: %s", (const char *)b->b->bytes);
	found = regexec(&pattern, (const char *)a->b->bytes, 0, NULL, 0) == 0;
	regfree(&pattern);
	return fpg_bool(found);
}

static struct fpg_value distinct(const struct fpg_value *a, const struct fpg_value *b)
{
	if (a->null || b->null)
		return fpg_bool(a->null != b->null);
	return fpg_bool(fpg_compare(a, b) != 0);
}

static struct fpg_value list(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	struct fpg_value value;
	if (expr->select != NULL) {
		struct fpg_table_rows rows = { 0 };
		fpg_select_run(frame, expr->select, &rows);
		struct fpg_value *all = fpg_temp(rows.n * sizeof(*all) + 1);
		for (size_t i = 0; i < rows.n; i++)
			all[i] = rows.row[i][0];
		return fpg_array_of(rows.n > 0 ? all[0].type : FPG_UNKNOWN, all, rows.n);
	}
	struct fpg_value *all = fpg_temp((size_t)expr->n * sizeof(*all) + 1);
	for (int i = 0; i < expr->n; i++)
		all[i] = fpg_eval(frame, expr->arg[i]);
	value = fpg_array_of(expr->n > 0 ? all[0].type : FPG_UNKNOWN, all, (size_t)expr->n);
	if (expr->op == FPG_ROW)
		value.type = FPG_RECORD;
	return value;
}

static struct fpg_value choose(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	for (int i = 0; i + 1 < expr->n; i += 2)
		if (fpg_true(frame, expr->arg[i]))
			return fpg_eval(frame, expr->arg[i + 1]);
	return fpg_eval(frame, expr->arg[expr->n - 1]);
}

static struct fpg_value scalar(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	struct fpg_table_rows rows = { 0 };
	fpg_select_run(frame, expr->select, &rows);
	if (expr->op == FPG_EXISTS)
		return fpg_bool(rows.n > 0);
	if (rows.n > 1)
		fpg_raise(
			"21000", "more than one row returned by a subquery used as an expression");
	return rows.n == 0 ? fpg_null(FPG_UNKNOWN) : rows.row[0][0];
}

static struct fpg_value element(struct fpg_value array, struct fpg_value at)
{
	if (array.null || at.null || at.i < 1 || at.i > array.a->n)
		return fpg_null(array.element);
	return array.a->v[at.i - 1];
}

/* array[from:to], counted from 1. */
static struct fpg_value slice(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	struct fpg_value array = fpg_eval(frame, expr->arg[0]);
	struct fpg_value from = fpg_cast(fpg_eval(frame, expr->arg[1]), FPG_INT8, FPG_UNKNOWN);
	struct fpg_value to = fpg_cast(fpg_eval(frame, expr->arg[2]), FPG_INT8, FPG_UNKNOWN);
	if (array.null || from.null || to.null)
		return fpg_cast(fpg_null(FPG_UNKNOWN), FPG_ARRAY, array.element);
	if (from.i < 1)
		from.i = 1;
	if (to.i > array.a->n)
		to.i = array.a->n;
	return fpg_array_of(array.element, from.i > to.i ? NULL : array.a->v + from.i - 1,
		from.i > to.i ? 0 : (size_t)(to.i - from.i + 1));
}

static struct fpg_value two_sided(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	struct fpg_value a = fpg_eval(frame, expr->arg[0]);
	struct fpg_value b = fpg_eval(frame, expr->arg[1]);
	switch ((int)expr->op) {
	case FPG_CONCAT:
		return concat(&a, &b);
	case FPG_LIKE:
		return like(&a, &b);
	case FPG_MATCH:
		return match(&a, &b);
	case FPG_DISTINCT:
		return distinct(&a, &b);
	case FPG_AT:
		return element(a, fpg_cast(b, FPG_INT8, FPG_UNKNOWN));
	default:
		return compare(expr->op, &a, &b);
	}
}

static struct fpg_value not(struct fpg_value value)
{
	if (value.type == FPG_UNKNOWN)
		value = fpg_cast(value, FPG_BOOL, FPG_UNKNOWN);
	if (!value.null)
		value.i = value.i == 0;
	return value;
}

struct fpg_value fpg_eval(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	switch (expr->op) {
	case FPG_CONST:
		return expr->value;
	case FPG_PARAM:
		return param(frame->exec, expr->param);
	case FPG_COLUMN:
		return column(frame, expr);
	case FPG_AND:
	case FPG_OR:
		return both(frame, expr);
	case FPG_NOT:
		return not(fpg_eval(frame, expr->arg[0]));
	case FPG_EQ:
	case FPG_NE:
	case FPG_LT:
	case FPG_LE:
	case FPG_GT:
	case FPG_GE:
	case FPG_CONCAT:
	case FPG_LIKE:
	case FPG_MATCH:
	case FPG_DISTINCT:
	case FPG_AT:
		return two_sided(frame, expr);
	case FPG_ADD:
	case FPG_SUB:
	case FPG_MUL:
	case FPG_DIV:
	case FPG_MOD:
		return arithmetic(frame, expr);
	case FPG_NEG:
		return negative(fpg_eval(frame, expr->arg[0]));
	case FPG_IS_NULL:
		return fpg_bool(fpg_eval(frame, expr->arg[0]).null);
	case FPG_ANY:
	case FPG_ALL:
		return any_all(frame, expr);
	case FPG_CASE:
		return choose(frame, expr);
	case FPG_CAST:
		return cast(frame, expr);
	case FPG_CALL:
		return fpg_call(frame, expr);
	case FPG_AGGREGATE:
		return fpg_aggregate(frame, expr);
	case FPG_SLICE:
		return slice(frame, expr);
	case FPG_EXISTS:
	case FPG_SCALAR:
		return scalar(frame, expr);
	case FPG_ARRAY_OF:
	case FPG_ROW:
		return list(frame, expr);
	case FPG_STAR:
		break;
	}
	fpg_raise("42601", "* is not a value");
}

bool fpg_true(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	struct fpg_value value = fpg_eval(frame, expr);
	if (value.type == FPG_UNKNOWN && !value.null)
		value = fpg_cast(value, FPG_BOOL, FPG_UNKNOWN);
	return !value.null && value.i != 0;
}
