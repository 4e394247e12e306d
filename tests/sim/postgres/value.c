/* Values: memory, making, casts, order. */
#include "tests/sim/postgres/postgres.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (UINT64_C(1) << 20)
#define DAY_US INT64_C(86400000000)

struct block {
	struct block *next;
	size_t room, used;
	_Alignas(16) uint8_t bytes[];
};

static struct block *temp_first, *temp_now, *keep_now;

static struct block *block_new(size_t n)
{
	size_t room = n > BLOCK_BYTES ? n : BLOCK_BYTES;
	struct block *block = malloc(sizeof(*block) + room);
	if (block == NULL)
		sim_fail("fake Postgres: out of memory: %zu bytes", room);
	block->next = NULL;
	block->room = room;
	block->used = 0;
	return block;
}

static void *block_take(struct block *block, size_t n)
{
	void *memory = block->bytes + block->used;
	block->used += n;
	return memory;
}

void *fpg_temp(size_t n)
{
	n = (n + 15) & ~(size_t)15;
	if (temp_now == NULL)
		temp_now = temp_first = block_new(n);
	while (temp_now->room - temp_now->used < n) {
		if (temp_now->next == NULL)
			temp_now->next = block_new(n);
		temp_now = temp_now->next;
		temp_now->used = 0;
	}
	return block_take(temp_now, n);
}

void fpg_temp_reset(void)
{
	temp_now = temp_first;
	if (temp_now != NULL)
		temp_now->used = 0;
}

void *fpg_keep(size_t n)
{
	n = (n + 15) & ~(size_t)15;
	if (keep_now == NULL || keep_now->room - keep_now->used < n) {
		struct block *block = block_new(n);
		block->next = keep_now;
		keep_now = block;
	}
	void *memory = block_take(keep_now, n);
	memset(memory, 0, n);
	return memory;
}

char *fpg_keep_text(const char *text, size_t n)
{
	char *copy = fpg_keep(n + 1);
	memcpy(copy, text, n);
	return copy;
}

void *fpg_keep_grow(void *array, size_t n, size_t size)
{
	if (n != 0 && (n < 4 || (n & (n - 1)) != 0))
		return array;
	void *larger = fpg_keep((n == 0 ? 4 : 2 * n) * size);
	if (n > 0)
		memcpy(larger, array, n * size);
	return larger;
}

/* ---- making ---- */

struct fpg_value fpg_null(enum fpg_type type)
{
	return (struct fpg_value){ .type = (uint8_t)type, .null = true };
}

struct fpg_value fpg_int(enum fpg_type type, int64_t i)
{
	return (struct fpg_value){ .type = (uint8_t)type, .i = i };
}

struct fpg_value fpg_bool(bool b)
{
	return fpg_int(FPG_BOOL, b ? 1 : 0);
}

struct fpg_value fpg_float(double f)
{
	return (struct fpg_value){ .type = FPG_FLOAT, .f = f };
}

struct fpg_value fpg_bytes(enum fpg_type type, const void *bytes, size_t n)
{
	struct fpg_blob *blob = fpg_temp(sizeof(*blob) + n + 1);
	blob->n = (uint32_t)n;
	if (n > 0)
		memcpy(blob->bytes, bytes, n);
	blob->bytes[n] = 0;
	return (struct fpg_value){ .type = (uint8_t)type, .b = blob };
}

struct fpg_value fpg_text(const char *text)
{
	return fpg_bytes(FPG_TEXT, text, strlen(text));
}

struct fpg_value fpg_numeric(int128 value)
{
	return fpg_bytes(FPG_NUMERIC, &value, sizeof(value));
}

int128 fpg_int128(const struct fpg_value *value)
{
	int128 number;
	if (value->type != FPG_NUMERIC)
		return value->type == FPG_FLOAT ? (int128)value->f : value->i;
	memcpy(&number, value->b->bytes, sizeof(number));
	return number;
}

struct fpg_value fpg_array_of(enum fpg_type element, const struct fpg_value *values, size_t n)
{
	struct fpg_array *array = fpg_temp(sizeof(*array) + n * sizeof(*values));
	array->n = (uint32_t)n;
	if (n > 0)
		memcpy(array->v, values, n * sizeof(*values));
	return (struct fpg_value){ .type = FPG_ARRAY, .element = (uint8_t)element, .a = array };
}

/* ---- from text ---- */

static const char *chars(const struct fpg_value *value)
{
	return (const char *)value->b->bytes;
}

__attribute__((noreturn)) static void malformed(enum fpg_type type, const char *text)
{
	fpg_raise(
		"22P02", "invalid input syntax for type %s: \"%.100s\"", fpg_type_name(type), text);
}

static int64_t int_read(enum fpg_type type, const char *text)
{
	char *end;
	int128 wide = 0;
	bool minus = *text == '-';
	const char *at = text + (minus || *text == '+' ? 1 : 0);
	for (; *at >= '0' && *at <= '9' && at - text < 25; at++)
		wide = wide * 10 + (*at - '0');
	end = (char *)(uintptr_t)at;
	if (*end != '\0' || at == text + (minus ? 1 : 0))
		malformed(type, text);
	wide = minus ? -wide : wide;
	if (wide < INT64_MIN || wide > INT64_MAX ||
		(type == FPG_INT4 && (wide < INT32_MIN || wide > INT32_MAX)))
		fpg_raise("22003", "value \"%.50s\" is out of range for type %s", text,
			fpg_type_name(type));
	return (int64_t)wide;
}

/* What a digit of hex is worth, plus one; 0: it is none. */
const uint8_t fpg_hex[256] = { ['0'] = 1,
	['1'] = 2,
	['2'] = 3,
	['3'] = 4,
	['4'] = 5,
	['5'] = 6,
	['6'] = 7,
	['7'] = 8,
	['8'] = 9,
	['9'] = 10,
	['a'] = 11,
	['b'] = 12,
	['c'] = 13,
	['d'] = 14,
	['e'] = 15,
	['f'] = 16,
	['A'] = 11,
	['B'] = 12,
	['C'] = 13,
	['D'] = 14,
	['E'] = 15,
	['F'] = 16 };

static struct fpg_value bytea_read(const char *text, size_t n)
{
	if (n < 2 || text[0] != '\\' || text[1] != 'x') {
		if (memchr(text, '\\', n) != NULL)
			malformed(FPG_BYTEA, text);
		return fpg_bytes(FPG_BYTEA, text, n);
	}
	size_t length = (n - 2) / 2;
	struct fpg_blob *blob = fpg_temp(sizeof(*blob) + length + 1);
	for (size_t i = 0; i < length; i++) {
		unsigned high = fpg_hex[(uint8_t)text[2 + 2 * i]];
		unsigned low = fpg_hex[(uint8_t)text[3 + 2 * i]];
		if (high == 0 || low == 0)
			malformed(FPG_BYTEA, text);
		blob->bytes[i] = (uint8_t)((high - 1) << 4 | (low - 1));
	}
	if (n % 2 != 0)
		malformed(FPG_BYTEA, text);
	blob->n = (uint32_t)length;
	blob->bytes[length] = 0;
	return (struct fpg_value){ .type = FPG_BYTEA, .b = blob };
}

/* Days since 1970 of a day of the Gregorian calendar (days_from_civil by Howard Hinnant, public
 * domain: https://howardhinnant.github.io/date_algorithms.html). */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;
	int64_t era = (year >= 0 ? year : year - 399) / 400;
	int64_t in_era = year - era * 400;
	int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

static void civil_of(int64_t days, int *year, int *month, int *day)
{
	days += 719468;
	int64_t era = (days >= 0 ? days : days - 146096) / 146097;
	int64_t of_era = days - era * 146097;
	int64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * years + years / 4 - years / 100);
	int64_t m = (5 * of_year + 2) / 153;
	*day = (int)(of_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = (int)(years + era * 400 + (*month <= 2));
}

static struct fpg_value time_read(enum fpg_type type, const char *text)
{
	int year, month, day, hour = 0, minute = 0, n = 0;
	double second = 0;
	if (strcmp(text, "epoch") == 0)
		return fpg_int(type, 0);
	if (strcmp(text, "infinity") == 0 || strcmp(text, "-infinity") == 0)
		return fpg_int(type, *text == '-' ? INT64_MIN : INT64_MAX);
	if (sscanf(text, "%d-%d-%d%n", &year, &month, &day, &n) != 3)
		malformed(type, text);
	int64_t days = days_of(year, month, day);
	if (type == FPG_DATE)
		return fpg_int(FPG_DATE, days);
	if (text[n] != '\0' && sscanf(text + n + 1, "%d:%d:%lf", &hour, &minute, &second) < 2)
		malformed(type, text);
	return fpg_int(type, days * DAY_US + (hour * 60 + minute) * INT64_C(60000000) +
				     (int64_t)(second * 1e6 + 0.5));
}

static struct fpg_value interval_read(const char *text)
{
	static const struct {
		const char *name;
		int64_t us;
	} UNITS[] = { { "microsecond", 1 }, { "millisecond", 1000 }, { "ms", 1000 },
		{ "minute", 60000000 }, { "min", 60000000 }, { "second", 1000000 },
		{ "sec", 1000000 }, { "s", 1000000 }, { "hour", 3600000000 }, { "h", 3600000000 },
		{ "day", DAY_US }, { "week", 7 * DAY_US } };
	int64_t sum = 0;
	const char *at = text;
	while (*at != '\0') {
		char *end;
		double count = strtod(at, &end);
		size_t i = 0;
		if (end == at)
			malformed(FPG_INTERVAL, text);
		end += strspn(end, " ");
		size_t n = strspn(end, "abcdefghijklmnopqrstuvwxyz");
		size_t word = n > 1 && end[n - 1] == 's' && n > 2 ? n - 1 : n;
		while (i < sizeof(UNITS) / sizeof(UNITS[0]) &&
			!(strlen(UNITS[i].name) == word && strncmp(UNITS[i].name, end, word) == 0))
			i++;
		if (i == sizeof(UNITS) / sizeof(UNITS[0]))
			malformed(FPG_INTERVAL, text);
		sum += (int64_t)(count * (double)UNITS[i].us);
		at = end + n + strspn(end + n, " ");
	}
	return fpg_int(FPG_INTERVAL, sum);
}

static size_t elements_count(const char *text)
{
	size_t n = 1;
	bool quoted = false;
	for (; *text != '\0'; text++) {
		if (*text == '\\')
			text += text[1] != '\0';
		else if (*text == '"')
			quoted = !quoted;
		else
			n += *text == ',' && !quoted;
	}
	return n;
}

/* One element behind *at, which moves to the comma or brace after it. */
static struct fpg_value element_read(const char **at, enum fpg_type type, char *scratch)
{
	const char *from = *at;
	size_t n = 0;
	bool quoted = *from == '"';
	if (quoted) {
		for (from++; *from != '"' && *from != '\0'; from++) {
			if (*from == '\\')
				from++;
			scratch[n++] = *from;
		}
		from += *from == '"';
	} else {
		while (*from != ',' && *from != '}' && *from != '\0')
			scratch[n++] = *from++;
	}
	scratch[n] = '\0';
	*at = from;
	if (!quoted && (strcmp(scratch, "null") == 0 || strcmp(scratch, "NULL") == 0))
		return fpg_null(type);
	if (type == FPG_INT4 || type == FPG_INT8)
		return fpg_int(type, int_read(type, scratch));
	if (type == FPG_BYTEA)
		return bytea_read(scratch, n);
	return fpg_cast(fpg_bytes(FPG_UNKNOWN, scratch, n), type, FPG_UNKNOWN);
}

static struct fpg_value array_read(const char *text, enum fpg_type element)
{
	size_t room = elements_count(text);
	struct fpg_array *array = fpg_temp(sizeof(*array) + room * sizeof(array->v[0]));
	char *scratch = fpg_temp(strlen(text) + 1);
	const char *at = text + 1;
	array->n = 0;
	if (*text != '{')
		malformed(FPG_ARRAY, text);
	while (*at != '}' && array->n < room) {
		array->v[array->n++] = element_read(&at, element, scratch);
		at += *at == ',';
	}
	if (at[0] != '}' || at[1] != '\0')
		malformed(FPG_ARRAY, text);
	return (struct fpg_value){ .type = FPG_ARRAY, .element = (uint8_t)element, .a = array };
}

static bool bool_read(const char *text)
{
	static const char *const TRUE[] = { "t", "true", "yes", "on", "1", "y" };
	static const char *const FALSE[] = { "f", "false", "no", "off", "0", "n" };
	for (size_t i = 0; i < 6; i++) {
		if (strcmp(text, TRUE[i]) == 0)
			return true;
		if (strcmp(text, FALSE[i]) == 0)
			return false;
	}
	malformed(FPG_BOOL, text);
}

static struct fpg_value numeric_read(const char *text)
{
	int128 number;
	if (!int128_parse(text, &number))
		malformed(FPG_NUMERIC, text);
	return fpg_numeric(number);
}

static struct fpg_value text_cast(
	const struct fpg_value *value, enum fpg_type type, enum fpg_type element)
{
	const char *text = chars(value);
	char *end;
	switch (type) {
	case FPG_BOOL:
		return fpg_bool(bool_read(text));
	case FPG_INT4:
	case FPG_INT8:
		return fpg_int(type, int_read(type, text));
	case FPG_NUMERIC:
		return numeric_read(text);
	case FPG_FLOAT: {
		double f = strtod(text, &end);
		if (end == text || *end != '\0')
			malformed(type, text);
		return fpg_float(f);
	}
	case FPG_BYTEA:
		return bytea_read(text, value->b->n);
	case FPG_TIME:
	case FPG_DATE:
		return time_read(type, text);
	case FPG_INTERVAL:
		return interval_read(text);
	case FPG_ARRAY:
		return array_read(text, element);
	case FPG_TEXT:
	case FPG_UNKNOWN:
	case FPG_RECORD:
		break;
	}
	struct fpg_value same = *value;
	same.type = (uint8_t)type;
	return same;
}

/* ---- casts ---- */

static struct fpg_value range_checked(enum fpg_type type, int128 number)
{
	if (number < INT64_MIN || number > INT64_MAX ||
		(type == FPG_INT4 && (number < INT32_MIN || number > INT32_MAX)))
		fpg_raise("22003", "%s out of range", fpg_type_name(type));
	return fpg_int(type, (int64_t)number);
}

static struct fpg_value number_cast(const struct fpg_value *value, enum fpg_type type)
{
	if (type == FPG_FLOAT)
		return fpg_float(
			value->type == FPG_NUMERIC ? (double)fpg_int128(value) : (double)value->i);
	if (type == FPG_NUMERIC && value->type == FPG_FLOAT)
		return fpg_numeric((int128)value->f);
	if (type == FPG_NUMERIC)
		return fpg_numeric(fpg_int128(value));
	if (value->type == FPG_FLOAT) /* rounds, as Postgres does */
		return range_checked(type, (int128)(value->f + (value->f < 0 ? -0.5 : 0.5)));
	return range_checked(type, fpg_int128(value));
}

static bool is_whole(unsigned type)
{
	return type == FPG_INT4 || type == FPG_INT8 || type == FPG_NUMERIC;
}

static bool is_number(unsigned type)
{
	return is_whole(type) || type == FPG_FLOAT;
}

static struct fpg_value elements_cast(const struct fpg_value *value, enum fpg_type element)
{
	struct fpg_value *to = fpg_temp(value->a->n * sizeof(*to) + 1);
	for (uint32_t i = 0; i < value->a->n; i++)
		to[i] = fpg_cast(value->a->v[i], element, FPG_UNKNOWN);
	return fpg_array_of(element, to, value->a->n);
}

struct fpg_value fpg_cast(struct fpg_value value, enum fpg_type type, enum fpg_type element)
{
	if (value.null) {
		value.type = (uint8_t)type;
		value.element = (uint8_t)element;
		return value;
	}
	if (value.type == type && (type != FPG_ARRAY || value.element == element))
		return value;
	if (value.type == FPG_UNKNOWN || (value.type == FPG_TEXT && type != FPG_TEXT))
		return text_cast(&value, type, element);
	if (type == FPG_TEXT || type == FPG_UNKNOWN) {
		size_t n;
		const char *text = fpg_format(&value, &n);
		return fpg_bytes(type, text, n);
	}
	if (is_number(value.type) && is_number(type))
		return number_cast(&value, type);
	if (value.type == FPG_BOOL && is_whole(type))
		return fpg_int(type, value.i);
	if (value.type == FPG_INT4 && type == FPG_BOOL)
		return fpg_bool(value.i != 0);
	if (value.type == FPG_TIME && type == FPG_DATE)
		return fpg_int(
			type, value.i >= 0 ? value.i / DAY_US : -((DAY_US - 1 - value.i) / DAY_US));
	if (value.type == FPG_DATE && type == FPG_TIME)
		return fpg_int(type, value.i * DAY_US);
	if (value.type == FPG_ARRAY && type == FPG_ARRAY)
		return elements_cast(&value, element);
	fpg_raise("42846", "cannot cast type %s to %s", fpg_type_name(value.type),
		fpg_type_name(type));
}

/* ---- order ---- */

static int sign(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int arrays_compare(const struct fpg_array *a, const struct fpg_array *b)
{
	uint32_t n = a->n < b->n ? a->n : b->n;
	for (uint32_t i = 0; i < n; i++) {
		int order = fpg_compare_key(&a->v[i], &b->v[i]);
		if (order != 0)
			return order;
	}
	return sign(a->n, b->n);
}

static int same_type_compare(const struct fpg_value *a, const struct fpg_value *b)
{
	if (a->type == FPG_FLOAT)
		return (a->f > b->f) - (a->f < b->f);
	if (a->type == FPG_NUMERIC) {
		int128 x = fpg_int128(a);
		int128 y = fpg_int128(b);
		return (x > y) - (x < y);
	}
	if (a->type == FPG_ARRAY || a->type == FPG_RECORD)
		return arrays_compare(a->a, b->a);
	uint32_t n = a->b->n < b->b->n ? a->b->n : b->b->n;
	int order = memcmp(a->b->bytes, b->b->bytes, n);
	return order != 0 ? sign(order, 0) : sign(a->b->n, b->b->n);
}

static enum fpg_type common_type(const struct fpg_value *a, const struct fpg_value *b)
{
	if (a->type == FPG_UNKNOWN)
		return b->type == FPG_UNKNOWN ? FPG_TEXT : b->type;
	if (b->type == FPG_UNKNOWN)
		return a->type;
	if (a->type == FPG_FLOAT || b->type == FPG_FLOAT)
		return FPG_FLOAT;
	if (a->type == FPG_NUMERIC || b->type == FPG_NUMERIC)
		return FPG_NUMERIC;
	if (a->type == FPG_TIME || b->type == FPG_TIME)
		return FPG_TIME;
	if (is_whole(a->type) && is_whole(b->type))
		return FPG_INT8;
	return a->type;
}

int fpg_compare(const struct fpg_value *a, const struct fpg_value *b)
{
	static const bool PLAIN[] = { [FPG_BOOL] = true,
		[FPG_INT4] = true,
		[FPG_INT8] = true,
		[FPG_TIME] = true,
		[FPG_DATE] = true,
		[FPG_INTERVAL] = true,
		[FPG_RECORD] = false };
	if (PLAIN[a->type] && PLAIN[b->type] && (a->type == b->type || is_whole(a->type)))
		return sign(a->i, b->i);
	if (a->type == b->type && a->type != FPG_ARRAY)
		return same_type_compare(a, b);
	enum fpg_type type = common_type(a, b);
	enum fpg_type element = a->type == FPG_ARRAY ? a->element : b->element;
	struct fpg_value x = fpg_cast(*a, type, element);
	struct fpg_value y = fpg_cast(*b, type, element);
	return PLAIN[type] ? sign(x.i, y.i) : same_type_compare(&x, &y);
}

int fpg_compare_key(const struct fpg_value *a, const struct fpg_value *b)
{
	if (a->null || b->null)
		return (int)a->null - (int)b->null;
	return fpg_compare(a, b);
}

/* ---- to text ---- */

const char *fpg_type_name(enum fpg_type type)
{
	static const char *const NAMES[] = { [FPG_UNKNOWN] = "unknown",
		[FPG_BOOL] = "boolean",
		[FPG_INT4] = "integer",
		[FPG_INT8] = "bigint",
		[FPG_NUMERIC] = "numeric",
		[FPG_FLOAT] = "double precision",
		[FPG_TEXT] = "text",
		[FPG_BYTEA] = "bytea",
		[FPG_TIME] = "timestamp with time zone",
		[FPG_DATE] = "date",
		[FPG_INTERVAL] = "interval",
		[FPG_ARRAY] = "array",
		[FPG_RECORD] = "record" };
	return NAMES[type];
}

static const char *int_format(int64_t i, size_t *n_r)
{
	char *text = fpg_temp(24);
	char *at = text + 23;
	uint64_t rest = i < 0 ? (uint64_t)0 - (uint64_t)i : (uint64_t)i;
	*at = '\0';
	do
		*--at = (char)('0' + rest % 10);
	while ((rest /= 10) != 0);
	if (i < 0)
		*--at = '-';
	*n_r = (size_t)(text + 23 - at);
	return at;
}

static const char *bytea_format(const struct fpg_blob *blob, size_t *n_r)
{
	static const char DIGITS[] = "0123456789abcdef";
	char *text = fpg_temp(2 * (size_t)blob->n + 3);
	text[0] = '\\';
	text[1] = 'x';
	for (uint32_t i = 0; i < blob->n; i++) {
		text[2 + 2 * i] = DIGITS[blob->bytes[i] >> 4];
		text[3 + 2 * i] = DIGITS[blob->bytes[i] & 15];
	}
	*n_r = 2 + 2 * (size_t)blob->n;
	text[*n_r] = '\0';
	return text;
}

static const char *array_format(const struct fpg_value *value, size_t *n_r)
{
	const struct fpg_array *array = value->a;
	bool quote = value->element == FPG_TEXT || value->element == FPG_BYTEA;
	size_t room = 3;
	char *text, *at;
	for (uint32_t i = 0; i < array->n; i++) {
		size_t n = 4;
		if (!array->v[i].null)
			(void)fpg_format(&array->v[i], &n);
		room += 2 * n + 3;
	}
	text = at = fpg_temp(room);
	*at++ = value->type == FPG_RECORD ? '(' : '{';
	for (uint32_t i = 0; i < array->n; i++) {
		size_t n = 4;
		const char *one = array->v[i].null ? "NULL" : fpg_format(&array->v[i], &n);
		bool quoted = quote && !array->v[i].null;
		if (i > 0)
			*at++ = ',';
		if (quoted)
			*at++ = '"';
		for (size_t j = 0; j < n; j++) {
			if (quoted && (one[j] == '"' || one[j] == '\\'))
				*at++ = '\\';
			*at++ = one[j];
		}
		if (quoted)
			*at++ = '"';
	}
	*at++ = value->type == FPG_RECORD ? ')' : '}';
	*at = '\0';
	*n_r = (size_t)(at - text);
	return text;
}

static const char *time_format(const struct fpg_value *value, size_t *n_r)
{
	char *text = fpg_temp(48);
	int year, month, day, n;
	int64_t days = value->type == FPG_DATE ? value->i
		       : value->i >= 0	       ? value->i / DAY_US
					       : -((DAY_US - 1 - value->i) / DAY_US);
	civil_of(days, &year, &month, &day);
	n = snprintf(text, 48, "%04d-%02d-%02d", year, month, day);
	if (value->type == FPG_TIME) {
		int64_t us = value->i - days * DAY_US;
		int64_t second = us / 1000000;
		n += snprintf(text + n, 48 - (size_t)n, " %02d:%02d:%02d.%06d+00",
			(int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60),
			(int)(us % 1000000));
	}
	*n_r = (size_t)n;
	return text;
}

const char *fpg_format(const struct fpg_value *value, size_t *n_r)
{
	char *text;
	switch ((enum fpg_type)value->type) {
	case FPG_BOOL:
		*n_r = 1;
		return value->i != 0 ? "t" : "f";
	case FPG_INT4:
	case FPG_INT8:
	case FPG_INTERVAL:
		return int_format(value->i, n_r);
	case FPG_NUMERIC:
		text = fpg_temp(AMOUNT_TEXT_MAX);
		*n_r = int128_format(fpg_int128(value), text);
		return text;
	case FPG_FLOAT:
		text = fpg_temp(40);
		*n_r = (size_t)snprintf(text, 40, "%.17g", value->f);
		return text;
	case FPG_BYTEA:
		return bytea_format(value->b, n_r);
	case FPG_TIME:
	case FPG_DATE:
		return time_format(value, n_r);
	case FPG_ARRAY:
	case FPG_RECORD:
		return array_format(value, n_r);
	case FPG_TEXT:
	case FPG_UNKNOWN:
		break;
	}
	*n_r = value->b->n;
	return (const char *)value->b->bytes;
}
