/* COPY .. FROM STDIN BINARY, and parameters in binary
 * (https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format"). */
#include "tests/sim/postgres/postgres.h"

#include <endian.h>
#include <string.h>

#define EPOCH_2000_US INT64_C(946684800000000)
#define EPOCH_2000_DAYS 10957

struct reader {
	const uint8_t *at, *end;
	const char *what;
};

static const uint8_t *take(struct reader *reader, size_t n)
{
	if ((size_t)(reader->end - reader->at) < n)
		fpg_raise("22P04", "unexpected end of binary data of %s", reader->what);
	reader->at += n;
	return reader->at - n;
}

static uint16_t take_16(struct reader *reader)
{
	uint16_t big;
	memcpy(&big, take(reader, sizeof(big)), sizeof(big));
	return be16toh(big);
}

static uint32_t take_32(struct reader *reader)
{
	uint32_t big;
	memcpy(&big, take(reader, sizeof(big)), sizeof(big));
	return be32toh(big);
}

static int64_t take_64(struct reader *reader)
{
	uint64_t big;
	memcpy(&big, take(reader, sizeof(big)), sizeof(big));
	return (int64_t)be64toh(big);
}

static void length_check(const struct reader *reader, uint32_t found, uint32_t expected)
{
	if (found != expected)
		fpg_raise("22P03", "incorrect binary data format in %s: %u bytes", reader->what,
			found);
}

static int64_t whole(struct reader *reader, uint32_t n)
{
	if (n == 2)
		return (int16_t)take_16(reader);
	if (n == 4)
		return (int32_t)take_32(reader);
	length_check(reader, n, 8);
	return take_64(reader);
}

static struct fpg_value field(
	struct reader *reader, enum fpg_type type, enum fpg_type element, uint32_t n);

static struct fpg_value array(struct reader *reader, enum fpg_type element, uint32_t bytes)
{
	const uint8_t *from = reader->at;
	uint32_t dimensions = take_32(reader);
	(void)take_32(reader); /* whether there are nulls */
	(void)take_32(reader); /* the elements' type */
	if (dimensions == 0)
		return fpg_array_of(element, NULL, 0);
	if (dimensions != 1)
		fpg_raise("22P03", "an array of %u dimensions is not known here", dimensions);
	uint32_t n = take_32(reader);
	(void)take_32(reader); /* the first index */
	if (n > bytes)
		fpg_raise("22P03", "an array of %u elements in %u bytes", n, bytes);
	struct fpg_value *values = fpg_temp(n * sizeof(*values) + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t length = take_32(reader);
		values[i] = length == UINT32_MAX ? fpg_null(element)
						 : field(reader, element, FPG_UNKNOWN, length);
	}
	length_check(reader, (uint32_t)(reader->at - from), bytes);
	return fpg_array_of(element, values, n);
}

static struct fpg_value field(
	struct reader *reader, enum fpg_type type, enum fpg_type element, uint32_t n)
{
	switch (type) {
	case FPG_BOOL:
		length_check(reader, n, 1);
		return fpg_bool(*take(reader, 1) != 0);
	case FPG_INT4:
	case FPG_INT8:
		return fpg_cast(fpg_int(FPG_INT8, whole(reader, n)), type, FPG_UNKNOWN);
	case FPG_TIME:
		length_check(reader, n, 8);
		return fpg_int(FPG_TIME, take_64(reader) + EPOCH_2000_US);
	case FPG_DATE:
		length_check(reader, n, 4);
		return fpg_int(FPG_DATE, (int32_t)take_32(reader) + EPOCH_2000_DAYS);
	case FPG_ARRAY:
		return array(reader, element, n);
	case FPG_TEXT:
	case FPG_BYTEA:
	case FPG_UNKNOWN:
		return fpg_bytes(type, take(reader, n), n);
	case FPG_NUMERIC:
	case FPG_FLOAT:
	case FPG_INTERVAL:
	case FPG_RECORD:
		break;
	}
	fpg_raise("22P03", "%s in binary is not known here", fpg_type_name(type));
}

/* The first byte of a jsonb is its version. */
static struct fpg_value json_stripped(struct fpg_value value)
{
	if (!value.null && value.b->n > 0 && value.b->bytes[0] == 1)
		return fpg_bytes(FPG_TEXT, value.b->bytes + 1, value.b->n - 1u);
	return value;
}

struct fpg_value fpg_binary(const void *bytes, size_t n, enum fpg_type type, enum fpg_type element)
{
	struct reader reader = { bytes, (const uint8_t *)bytes + n, "a parameter" };
	struct fpg_value value = field(&reader, type, element, (uint32_t)n);
	return type == FPG_TEXT ? json_stripped(value) : value;
}

uint64_t fpg_copy_run(struct fpg_exec *exec, const struct fpg_statement *statement,
	const uint8_t *bytes, size_t n)
{
	static const char HEADER[] = "PGCOPY\n\377\r\n";
	struct reader reader = { bytes, bytes + n, statement->table->name };
	const struct fpg_table *table = statement->table;
	struct fpg_value value[FPG_COLUMNS_MAX];
	uint64_t rows = 0;
	if (memcmp(take(&reader, sizeof(HEADER)), HEADER, sizeof(HEADER)) != 0)
		fpg_raise("22P04", "COPY file signature not recognized");
	(void)take_32(&reader);
	(void)take(&reader, take_32(&reader));
	for (;; rows++) {
		uint16_t fields = take_16(&reader);
		if (fields == UINT16_MAX)
			break;
		if (fields != statement->columns_n)
			fpg_raise("22P04", "row field count is %u, expected %d", fields,
				statement->columns_n);
		for (int i = 0; i < fields; i++) {
			const struct fpg_column *column = &table->column[statement->column[i]];
			uint32_t length = take_32(&reader);
			value[i] = length == UINT32_MAX
					   ? fpg_null(column->type)
					   : field(&reader, column->type, column->element, length);
			if (column->type == FPG_TEXT)
				value[i] = json_stripped(value[i]);
		}
		(void)fpg_insert_values(exec, statement, value);
	}
	if (reader.at != reader.end)
		fpg_raise("22P04", "received copy data after EOF marker");
	return rows;
}
