/* Functions and aggregates. */
#include "tests/sim/postgres/postgres.h"
#include "tests/sim/sim.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_US INT64_C(86400000000)

/* Its arguments are evaluated; any null makes null unless the entry says otherwise. */
typedef struct fpg_value function(struct fpg_frame *frame, const struct fpg_value *arg, int n);

static const char *chars(const struct fpg_value *value)
{
	return (const char *)value->b->bytes;
}

static bool is_text(const struct fpg_value *value)
{
	return value->type == FPG_UNKNOWN || value->type == FPG_TEXT;
}

static double number(const struct fpg_value *value)
{
	struct fpg_value as = fpg_cast(*value, FPG_FLOAT, FPG_UNKNOWN);
	return as.f;
}

static int64_t whole(const struct fpg_value *value)
{
	return fpg_cast(*value, FPG_INT8, FPG_UNKNOWN).i;
}

static struct fpg_value f_now(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)arg;
	(void)n;
	return fpg_int(FPG_TIME, (int64_t)(frame->exec->txn != NULL ? frame->exec->txn->now_us
								    : frame->exec->clock_us));
}

static struct fpg_value f_clock(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)arg;
	(void)n;
	return fpg_int(FPG_TIME, (int64_t)frame->exec->clock_us);
}

static struct fpg_value f_today(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	return fpg_cast(f_now(frame, arg, n), FPG_DATE, FPG_UNKNOWN);
}

static struct fpg_value f_user(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)arg;
	(void)n;
	return fpg_text("carillon");
}

static struct fpg_value f_pid(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)arg;
	(void)n;
	return fpg_int(FPG_INT4, frame->exec->backend_pid);
}

static struct fpg_value f_terminate(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	return fpg_bool(fpg_backend_end((uint32_t)whole(&arg[0])));
}

/* make_interval(secs => x, hours => y): names and values by turns. */
static struct fpg_value f_make_interval(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	static const struct {
		const char *name;
		double us;
	} UNITS[] = { { "secs", 1e6 }, { "mins", 6e7 }, { "hours", 3.6e9 }, { "days", 8.64e10 },
		{ "weeks", 6.048e11 } };
	double sum = 0;
	(void)frame;
	for (int i = 0; i + 1 < n; i += 2) {
		size_t j = 0;
		while (j < 5 && strcmp(UNITS[j].name, chars(&arg[i])) != 0)
			j++;
		if (j == 5)
			fpg_raise("42883", "make_interval has no %s here", chars(&arg[i]));
		sum += number(&arg[i + 1]) * UNITS[j].us;
	}
	return fpg_int(FPG_INTERVAL, llround(sum));
}

static struct fpg_value f_coalesce(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	for (int i = 0; i < n; i++)
		if (!arg[i].null)
			return arg[i];
	return fpg_null(n > 0 ? arg[0].type : FPG_UNKNOWN);
}

static struct fpg_value extreme(const struct fpg_value *arg, int n, int sign)
{
	struct fpg_value best = fpg_null(FPG_UNKNOWN);
	for (int i = 0; i < n; i++)
		if (!arg[i].null && (best.null || fpg_compare(&arg[i], &best) * sign > 0))
			best = arg[i];
	return best;
}

static struct fpg_value f_greatest(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	return extreme(arg, n, 1);
}

static struct fpg_value f_least(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	return extreme(arg, n, -1);
}

static struct fpg_value f_nullif(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	if (!arg[0].null && !arg[1].null && fpg_compare(&arg[0], &arg[1]) == 0)
		return fpg_null(arg[0].type);
	return arg[0];
}

static struct fpg_value f_nextval(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	return fpg_int(FPG_INT8, (int64_t)fpg_sequence_next(chars(&arg[0])));
}

static struct fpg_value f_regclass(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	return fpg_relation_known(chars(&arg[0])) ? fpg_text(chars(&arg[0])) : fpg_null(FPG_TEXT);
}

static struct fpg_value f_array_to_string(
	struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	struct fpg_value text = fpg_text("");
	size_t length = 0, room = 1;
	(void)frame;
	(void)n;
	for (uint32_t i = 0; i < arg[0].a->n; i++) {
		size_t one;
		(void)fpg_format(&arg[0].a->v[i], &one);
		room += one + arg[1].b->n;
	}
	char *out = fpg_temp(room);
	for (uint32_t i = 0; i < arg[0].a->n; i++) {
		size_t one;
		const char *from = fpg_format(&arg[0].a->v[i], &one);
		if (i > 0) {
			memcpy(out + length, arg[1].b->bytes, arg[1].b->n);
			length += arg[1].b->n;
		}
		memcpy(out + length, from, one);
		length += one;
	}
	text = fpg_bytes(FPG_TEXT, out, length);
	return text;
}

static struct fpg_value f_cardinality(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	return fpg_int(FPG_INT4, arg[0].a->n);
}

static struct fpg_value f_array_append(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	struct fpg_value *all = fpg_temp((arg[0].a->n + (size_t)1) * sizeof(*all));
	(void)frame;
	(void)n;
	memcpy(all, arg[0].a->v, arg[0].a->n * sizeof(*all));
	all[arg[0].a->n] = arg[1];
	return fpg_array_of(arg[0].element, all, arg[0].a->n + (size_t)1);
}

static struct fpg_value f_to_timestamp(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	return fpg_int(FPG_TIME, llround(number(&arg[0]) * 1e6));
}

static struct fpg_value f_extract(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	if (strcmp(chars(&arg[0]), "epoch") != 0)
		fpg_raise("0A000", "extract(%s ..) is not known here", chars(&arg[0]));
	if (arg[1].type == FPG_DATE)
		return fpg_float((double)arg[1].i * 86400);
	return fpg_float((double)arg[1].i / 1e6);
}

static struct fpg_value f_date_trunc(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	static const struct {
		const char *name;
		int64_t us;
	} UNITS[] = { { "day", DAY_US }, { "hour", 3600000000 }, { "minute", 60000000 },
		{ "second", 1000000 } };
	(void)frame;
	(void)n;
	for (size_t i = 0; i < 4; i++)
		if (strcmp(UNITS[i].name, chars(&arg[0])) == 0)
			return fpg_int(arg[1].type, arg[1].i - arg[1].i % UNITS[i].us);
	fpg_raise("0A000", "date_trunc('%s', ..) is not known here", chars(&arg[0]));
}

static struct fpg_value by_pattern(const char *text, const char *pattern)
{
	regex_t regex;
	regmatch_t match[2];
	struct fpg_value found = fpg_null(FPG_TEXT);
	if (regcomp(&regex, pattern, REG_EXTENDED) != 0)
		fpg_raise("2201B", "invalid regular expression: %s", pattern);
	if (regexec(&regex, text, 2, match, 0) == 0) {
		const regmatch_t *part = regex.re_nsub > 0 ? &match[1] : &match[0];
		if (part->rm_so >= 0)
			found = fpg_bytes(
				FPG_TEXT, text + part->rm_so, (size_t)(part->rm_eo - part->rm_so));
	}
	regfree(&regex);
	return found;
}

static struct fpg_value f_substring(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	if (is_text(&arg[1]) && is_text(&arg[0]))
		return by_pattern(chars(&arg[0]), chars(&arg[1]));
	size_t length = arg[0].b->n;
	int64_t from = whole(&arg[1]) - 1;
	int64_t count = n > 2 ? whole(&arg[2]) : (int64_t)length;
	if (from < 0) {
		count += from;
		from = 0;
	}
	if ((uint64_t)from > length)
		from = (int64_t)length;
	if (count < 0)
		count = 0;
	if ((uint64_t)(from + count) > length)
		count = (int64_t)length - from;
	return fpg_bytes(arg[0].type, arg[0].b->bytes + from, (size_t)count);
}

static struct fpg_value f_length(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	return fpg_int(FPG_INT4, arg[0].b->n);
}

static struct fpg_value f_lower(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	struct fpg_value text = fpg_bytes(FPG_TEXT, arg[0].b->bytes, arg[0].b->n);
	uint8_t *bytes = (uint8_t *)(uintptr_t)text.b->bytes;
	(void)frame;
	(void)n;
	for (uint32_t i = 0; i < text.b->n; i++)
		bytes[i] = (uint8_t)tolower(bytes[i]);
	return text;
}

static struct fpg_value f_encode(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	size_t length;
	(void)frame;
	(void)n;
	if (strcmp(chars(&arg[1]), "hex") != 0)
		fpg_raise("0A000", "encode(.., '%s') is not known here", chars(&arg[1]));
	const char *hex = fpg_format(&arg[0], &length);
	return fpg_bytes(FPG_TEXT, hex + 2, length - 2);
}

static struct fpg_value f_decode(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	char *text = fpg_temp((size_t)arg[0].b->n + 3);
	(void)frame;
	(void)n;
	(void)strcat(strcpy(text, "\\x"), chars(&arg[0]));
	return fpg_cast(fpg_text(text), FPG_BYTEA, FPG_UNKNOWN);
}

static struct fpg_value f_abs(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	if (arg[0].type == FPG_FLOAT)
		return fpg_float(fabs(arg[0].f));
	int128 value = fpg_int128(&arg[0]);
	return fpg_cast(fpg_numeric(value < 0 ? -value : value), arg[0].type, FPG_UNKNOWN);
}

static struct fpg_value f_floor(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)n;
	return arg[0].type == FPG_FLOAT ? fpg_float(floor(arg[0].f)) : arg[0];
}

static struct fpg_value f_mod(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	int128 by = fpg_int128(&arg[1]);
	(void)frame;
	(void)n;
	if (by == 0)
		fpg_raise("22012", "division by zero");
	return fpg_cast(fpg_numeric(fpg_int128(&arg[0]) % by), arg[0].type, FPG_UNKNOWN);
}

/* wallet.leaves_make(shard, first day, days ahead) of the wallet's migration 0003. */
static struct fpg_value f_leaves_make(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	struct fpg_value shard = fpg_cast(arg[0], FPG_INT4, FPG_UNKNOWN);
	struct fpg_value ahead = fpg_cast(arg[2], FPG_INT4, FPG_UNKNOWN);
	char parent[64], leaf[96];
	(void)frame;
	(void)n;
	(void)snprintf(parent, sizeof(parent), "wallet.journal_%lld", (long long)shard.i);
	if (!fpg_relation_known(parent)) {
		int day = fpg_column_find(fpg_table_find("wallet.journal"), "day");
		fpg_partition_make(parent, "wallet.journal", shard, shard, "range", day);
	}
	for (int64_t i = arg[1].i; i <= arg[1].i + ahead.i; i++) {
		struct fpg_value day = fpg_int(FPG_DATE, i);
		size_t length;
		(void)snprintf(leaf, sizeof(leaf), "%s_%s", parent, fpg_format(&day, &length));
		if (!fpg_relation_known(leaf))
			fpg_partition_make(leaf, parent, day, fpg_int(FPG_DATE, i + 1), NULL, 0);
	}
	return fpg_null(FPG_TEXT);
}

static struct fpg_value f_true(struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)arg;
	(void)n;
	return fpg_bool(true);
}

/* A lock that a transaction beside this one has at times; of routine.c. */
static struct fpg_value f_somebody_decides(
	struct fpg_frame *frame, const struct fpg_value *arg, int n)
{
	(void)frame;
	(void)arg;
	(void)n;
	return fpg_bool(sim_chance(50000));
}

static const struct {
	const char *name;
	function *call;
	bool nulls; /* wants to see them */
} FUNCTIONS[] = {
	{ "now", f_now, false },
	{ "transaction_timestamp", f_now, false },
	{ "current_timestamp", f_now, false },
	{ "clock_timestamp", f_clock, false },
	{ "statement_timestamp", f_clock, false },
	{ "current_date", f_today, false },
	{ "current_user", f_user, false },
	{ "session_user", f_user, false },
	{ "pg_backend_pid", f_pid, false },
	{ "pg_terminate_backend", f_terminate, false },
	{ "make_interval", f_make_interval, false },
	{ "coalesce", f_coalesce, true },
	{ "greatest", f_greatest, true },
	{ "least", f_least, true },
	{ "nullif", f_nullif, true },
	{ "nextval", f_nextval, false },
	{ "to_regclass", f_regclass, false },
	{ "array_to_string", f_array_to_string, false },
	{ "cardinality", f_cardinality, false },
	{ "array_length", f_cardinality, false },
	{ "array_append", f_array_append, true },
	{ "to_timestamp", f_to_timestamp, false },
	{ "extract", f_extract, false },
	{ "date_trunc", f_date_trunc, false },
	{ "substring", f_substring, false },
	{ "substr", f_substring, false },
	{ "length", f_length, false },
	{ "octet_length", f_length, false },
	{ "lower", f_lower, false },
	{ "encode", f_encode, false },
	{ "decode", f_decode, false },
	{ "abs", f_abs, false },
	{ "floor", f_floor, false },
	{ "trunc", f_floor, false },
	{ "mod", f_mod, false },
	{ "pg_advisory_xact_lock", f_true, false },
	{ "pg_advisory_lock", f_true, false },
	{ "pg_try_advisory_xact_lock", f_true, false },
	{ "set_config", f_true, true },
	{ "somebody_decides", f_somebody_decides, false },
	{ "leaves_make", f_leaves_make, false },
};

int fpg_function_find(const char *name)
{
	for (size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++)
		if (strcmp(FUNCTIONS[i].name, name) == 0)
			return (int)i;
	return -1;
}

struct fpg_value fpg_call(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	struct fpg_value arg[16];
	bool null = false;
	if (expr->function < 0 || expr->n > 16)
		fpg_raise("0A000", "%s is not known here", expr->name);
	for (int i = 0; i < expr->n; i++) {
		arg[i] = fpg_eval(frame, expr->arg[i]);
		null = null || arg[i].null;
		/* all that has come before is enough */
		if (!arg[i].null && expr->function < FPG_SQL_FUNCTIONS &&
			FUNCTIONS[expr->function].call == f_coalesce)
			return arg[i];
	}
	if (expr->function >= FPG_SQL_FUNCTIONS)
		return fpg_sql_function_call(
			frame, expr->function - FPG_SQL_FUNCTIONS, arg, expr->n);
	if (null && !FUNCTIONS[expr->function].nulls)
		return fpg_null(FPG_UNKNOWN);
	return FUNCTIONS[expr->function].call(frame, arg, expr->n);
}

/* ---- sets ---- */

bool fpg_is_set(const struct fpg_expr *expr)
{
	return expr->op == FPG_CALL &&
	       (strcmp(expr->name, "unnest") == 0 || strcmp(expr->name, "generate_series") == 0);
}

static void series(
	struct fpg_frame *frame, const struct fpg_expr *call, struct fpg_table_rows *rows)
{
	struct fpg_value first = fpg_eval(frame, call->arg[0]);
	struct fpg_value last = fpg_eval(frame, call->arg[1]);
	struct fpg_value step = call->n > 2 ? fpg_eval(frame, call->arg[2]) : fpg_int(FPG_INT4, 1);
	if (first.type == FPG_UNKNOWN)
		first = fpg_cast(first, FPG_INT8, FPG_UNKNOWN);
	last = fpg_cast(last, first.type, FPG_UNKNOWN);
	if (first.null || last.null || step.null)
		return;
	int64_t by = first.type == FPG_DATE && step.type == FPG_INTERVAL ? step.i / DAY_US : step.i;
	for (int64_t i = first.i; by != 0 && (by > 0 ? i <= last.i : i >= last.i); i += by) {
		struct fpg_value *row = fpg_temp(sizeof(*row));
		*row = fpg_int(first.type, i);
		fpg_rows_add(rows, row);
	}
}

static void unnest(struct fpg_frame *frame, struct fpg_expr *const *functions, int n,
	bool ordinality, struct fpg_table_rows *rows)
{
	struct fpg_value array[FPG_COLUMNS_MAX];
	int columns = 0;
	uint32_t most = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < functions[i]->n && columns < FPG_COLUMNS_MAX - 1; j++) {
			array[columns] = fpg_eval(frame, functions[i]->arg[j]);
			if (!array[columns].null && array[columns].a->n > most)
				most = array[columns].a->n;
			columns++;
		}
	for (uint32_t r = 0; r < most; r++) {
		struct fpg_value *row = fpg_temp((size_t)(columns + 1) * sizeof(*row));
		for (int c = 0; c < columns; c++)
			row[c] = array[c].null || r >= array[c].a->n ? fpg_null(array[c].element)
								     : array[c].a->v[r];
		if (ordinality)
			row[columns] = fpg_int(FPG_INT8, r + 1);
		fpg_rows_add(rows, row);
	}
}

void fpg_set_rows(struct fpg_frame *frame, struct fpg_expr *const *functions, int n,
	bool ordinality, struct fpg_table_rows *rows_r)
{
	if (strcmp(functions[0]->name, "unnest") == 0) {
		unnest(frame, functions, n, ordinality, rows_r);
	} else if (strcmp(functions[0]->name, "generate_series") == 0) {
		series(frame, functions[0], rows_r);
	} else {
		struct fpg_value *row = fpg_temp(sizeof(*row));
		*row = fpg_eval(frame, functions[0]);
		fpg_rows_add(rows_r, row);
	}
}

/* ---- aggregates ---- */

static const char *const AGGREGATES[] = { "count", "sum", "min", "max", "avg", "bool_and",
	"bool_or", "every", "array_agg", "string_agg" };
enum { COUNT, SUM, MIN, MAX, AVG, BOOL_AND, BOOL_OR, EVERY, ARRAY_AGG, STRING_AGG, AGGREGATES_N };

static int aggregate_find(const char *name)
{
	for (int i = 0; i < AGGREGATES_N; i++)
		if (strcmp(AGGREGATES[i], name) == 0)
			return i;
	return -1;
}

bool fpg_is_aggregate(const char *name)
{
	return aggregate_find(name) >= 0;
}

struct gathered {
	struct fpg_value value, key;
};

static int gathered_compare(const void *a, const void *b)
{
	const struct gathered *x = a;
	const struct gathered *y = b;
	return fpg_compare_key(&x->key, &y->key);
}

/* The argument's values over the group, without nulls (but for array_agg). */
static size_t gather(
	struct fpg_frame *frame, const struct fpg_expr *expr, bool nulls, struct gathered *out)
{
	const struct fpg_value *kept[FPG_SOURCES_MAX];
	bool star = expr->n == 0 || expr->arg[0]->op == FPG_STAR;
	size_t n = 0;
	memcpy(kept, frame->src, sizeof(kept));
	for (size_t i = 0; i < frame->tuples_n; i++) {
		memcpy(frame->src, frame->tuple[i], sizeof(frame->src));
		if (expr->filter != NULL && !fpg_true(frame, expr->filter))
			continue;
		out[n].value = star ? fpg_bool(true) : fpg_eval(frame, expr->arg[0]);
		if (out[n].value.null && !nulls)
			continue;
		out[n].key = expr->order != NULL ? fpg_eval(frame, expr->order) : out[n].value;
		n++;
	}
	memcpy(frame->src, kept, sizeof(kept));
	if (expr->order != NULL || expr->distinct)
		qsort(out, n, sizeof(*out), gathered_compare);
	for (size_t i = 0; expr->descending && i < n / 2; i++) {
		struct gathered swap = out[i];
		out[i] = out[n - 1 - i];
		out[n - 1 - i] = swap;
	}
	if (!expr->distinct || n == 0)
		return n;
	size_t unique = 1;
	for (size_t i = 1; i < n; i++)
		if (fpg_compare_key(&out[i].value, &out[unique - 1].value) != 0)
			out[unique++] = out[i];
	return unique;
}

static struct fpg_value total(const struct gathered *all, size_t n, bool mean)
{
	int128 sum = 0;
	double f = 0;
	bool is_float = mean;
	for (size_t i = 0; i < n; i++) {
		is_float = is_float || all[i].value.type == FPG_FLOAT;
		f += number(&all[i].value);
		sum += fpg_int128(&all[i].value);
	}
	if (n == 0)
		return fpg_null(FPG_NUMERIC);
	if (is_float)
		return fpg_float(mean ? f / (double)n : f);
	if (all[0].value.type == FPG_INTERVAL)
		return fpg_int(FPG_INTERVAL, (int64_t)sum);
	return all[0].value.type == FPG_INT4 ? fpg_int(FPG_INT8, (int64_t)sum) : fpg_numeric(sum);
}

static struct fpg_value joined(
	struct fpg_frame *frame, const struct fpg_expr *expr, const struct gathered *all, size_t n)
{
	struct fpg_value array, *elements = fpg_temp(n * sizeof(*elements) + 1);
	for (size_t i = 0; i < n; i++)
		elements[i] = all[i].value;
	if (n == 0)
		return fpg_null(FPG_UNKNOWN);
	array = fpg_array_of(elements[0].type, elements, n);
	if (aggregate_find(expr->name) == ARRAY_AGG)
		return array;
	struct fpg_value both[2] = { array, fpg_eval(frame, expr->arg[1]) };
	return f_array_to_string(frame, both, 2);
}

struct fpg_value fpg_aggregate(struct fpg_frame *frame, const struct fpg_expr *expr)
{
	int kind = aggregate_find(expr->name);
	bool truth = kind != BOOL_OR;
	struct gathered *all = fpg_temp(frame->tuples_n * sizeof(*all) + 1);
	size_t n = gather(frame, expr, kind == ARRAY_AGG, all);
	struct fpg_value best = fpg_null(FPG_UNKNOWN);
	switch (kind) {
	case COUNT:
		return fpg_int(FPG_INT8, (int64_t)n);
	case SUM:
	case AVG:
		return total(all, n, kind == AVG);
	case MIN:
	case MAX:
		for (size_t i = 0; i < n; i++)
			if (best.null ||
				fpg_compare(&all[i].value, &best) * (kind == MAX ? 1 : -1) > 0)
				best = all[i].value;
		return best;
	case ARRAY_AGG:
	case STRING_AGG:
		return joined(frame, expr, all, n);
	default:
		break;
	}
	for (size_t i = 0; i < n; i++)
		if ((all[i].value.i != 0) != truth)
			return fpg_bool(!truth);
	return n == 0 ? fpg_null(FPG_BOOL) : fpg_bool(truth);
}
