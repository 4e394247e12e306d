/* Checking the bodies of requests by tables: one row a field, with its type, range and place in a
 * struct. Pure. The adapter (adapters/parse.c) walks the JSON and passes each member as a value;
 * these functions check it against the table. They reject unknown fields: ignoring a misspelt limit
 * would cost a player money. */
#ifndef CARILLON_GATEWAY_CORE_FIELDS_H
#define CARILLON_GATEWAY_CORE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIELDS_MAX 16	   /* rows of one table */
#define FIELD_BYTES_MAX 32 /* of a hex field */
#define PROBLEM_TEXT_MAX 160

enum field_type {
	FIELD_INT,    /* int64_t, min..max */
	FIELD_BOOL,   /* bool */
	FIELD_TEXT,   /* char[max + 1], min..max bytes, printable */
	FIELD_LINES,  /* the same, with line breaks */
	FIELD_SLUG,   /* text, of a-z, 0-9, "-" and "_" only */
	FIELD_HEX,    /* struct field_bytes, min..max bytes, two lower-case hex digits each */
	FIELD_CHOICE, /* int64_t: the index in choices */
	FIELD_OBJECT, /* a struct with a table of its own */
	FIELD_JSON,   /* char[max + 1]: an object as compact JSON, which another service reads */
};

struct field_bytes {
	uint8_t bytes[FIELD_BYTES_MAX];
	size_t length;
};

struct field {
	const char *name; /* NULL ends a table */
	enum field_type type;
	bool required;
	int64_t min, max;
	size_t at;		    /* offsetof the value */
	size_t has_at;		    /* offsetof the bool that is set when the field is present */
	const char *const *choices; /* CHOICE: ended by NULL */
	const struct field *fields; /* OBJECT */
};

/* A member of the request's JSON. */
enum value_kind {
	VALUE_NULL,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_REAL, /* also a number beyond 64 bits */
	VALUE_TEXT,
	VALUE_ARRAY,
	VALUE_OBJECT,
};

struct value {
	enum value_kind kind;
	int64_t number;	  /* INT, BOOL */
	const char *text; /* TEXT; length bytes, may hold NULs */
	size_t length;
};

enum fields_status {
	FIELDS_OK = 0,
	FIELDS_UNKNOWN,
	FIELDS_MISSING,
	FIELDS_TYPE,
	FIELDS_RANGE, /* wrong number, length, choice or characters */
};

/* An error for the client: `code` is stable ("field_range"), the rest is text for people. */
struct problem {
	const char *code, *message;
	char where[PROBLEM_TEXT_MAX], found[PROBLEM_TEXT_MAX], expected[PROBLEM_TEXT_MAX];
};

/* Finds the row of a member; NULL with *problem_r filled when there is none. `where` is `prefix`
 * ("bet." or "") and the name. */
const struct field *fields_find(const struct field *fields, const char *prefix, const char *name,
	size_t name_length, struct problem *problem_r);
/* Checks a member against its row and stores it; checks only the type of an OBJECT. */
enum fields_status field_check(const struct field *field, const char *prefix,
	const struct value *value, void *target, struct problem *problem_r);
/* Describes what a row expects; `out` holds PROBLEM_TEXT_MAX bytes. For NULL it is empty. */
void field_expected(const struct field *field, char *out);
/* Checks that all required fields are present. */
enum fields_status fields_complete(const struct field *fields, const char *prefix,
	const void *target, struct problem *problem_r);

#endif
