/* What the files of the fake Postgres share; not for others. In reading order: value.c (values,
 * their texts), json.c, lex.c, expression.c, parse.c, define.c, alter.c (SQL to trees), bind.c,
 * plan.c (names to columns, conditions to indexes), eval.c, function.c, routine.c, query.c,
 * change.c (carrying it out), row.c, index.c (rows, versions, transactions), session.c
 * (connections, locks, faults), schema.c (migrations), copy.c, result.c, client.c (libpq), judge.c.
 *
 * A new function: one that Postgres has is a row of FUNCTIONS in function.c. One of our migrations
 * in SQL is read as it is (alter.c); one in PL/pgSQL is a row of REPLACED in alter.c if it gives a
 * value, and of ROUTINES in routine.c if it gives rows. */
#ifndef CARILLON_SIM_POSTGRES_POSTGRES_H
#define CARILLON_SIM_POSTGRES_POSTGRES_H

#include "tests/sim/fake_pg.h"

#include <setjmp.h>

#define FPG_COLUMNS_MAX 64
#define FPG_KEYS_MAX 8
#define FPG_SOURCES_MAX 8
#define FPG_PARAMS_MAX 64
#define FPG_CTES_MAX 8
#define FPG_SQL_FUNCTIONS 1000 /* functions from here on are written in SQL */

/* ---- values (value.c) ---- */

enum fpg_type {
	FPG_UNKNOWN = 0, /* text that has not met a type yet: a parameter, a literal */
	FPG_BOOL,
	FPG_INT4,
	FPG_INT8,
	FPG_NUMERIC, /* whole numbers of 128 bits only */
	FPG_FLOAT,
	FPG_TEXT,
	FPG_BYTEA,
	FPG_TIME,     /* timestamptz: us since 1970 */
	FPG_DATE,     /* days since 1970 */
	FPG_INTERVAL, /* us */
	FPG_ARRAY,
	FPG_RECORD
};

/* Bytes with a NUL behind that is not counted. */
struct fpg_blob {
	uint32_t n;
	uint8_t bytes[];
};

struct fpg_array;

struct fpg_value {
	uint8_t type;
	uint8_t element; /* of an array */
	bool null;
	union {
		int64_t i; /* BOOL, INT4, INT8, TIME, DATE, INTERVAL */
		double f;
		const struct fpg_blob *b;  /* UNKNOWN, TEXT, BYTEA; NUMERIC: an int128 */
		const struct fpg_array *a; /* ARRAY, RECORD */
	};
};

struct fpg_array {
	uint32_t n;
	struct fpg_value v[];
};

/* Memory of the statement at hand, gone when the next begins; and for ever. */
void *fpg_temp(size_t n);
void fpg_temp_reset(void);
void *fpg_keep(size_t n);
char *fpg_keep_text(const char *text, size_t n);
/* Grows an array of elements kept for ever. */
void *fpg_keep_grow(void *array, size_t n, size_t size);

extern const uint8_t fpg_hex[256]; /* a digit's worth + 1; 0: none */
struct fpg_value fpg_null(enum fpg_type type);
struct fpg_value fpg_int(enum fpg_type type, int64_t i);
struct fpg_value fpg_bool(bool b);
struct fpg_value fpg_float(double f);
struct fpg_value fpg_bytes(enum fpg_type type, const void *bytes, size_t n);
struct fpg_value fpg_text(const char *text);
struct fpg_value fpg_numeric(int128 value);
int128 fpg_int128(const struct fpg_value *value); /* of any whole number */
struct fpg_value fpg_array_of(enum fpg_type element, const struct fpg_value *values, size_t n);
/* To another type; an error of SQL if it cannot be. */
struct fpg_value fpg_cast(struct fpg_value value, enum fpg_type type, enum fpg_type element);
/* -1, 0, 1; neither is null. Types that differ are brought together first. */
int fpg_compare(const struct fpg_value *a, const struct fpg_value *b);
/* As an index has them: nulls behind all else and equal. */
int fpg_compare_key(const struct fpg_value *a, const struct fpg_value *b);
/* The text that libpq would get; length without the NUL. */
const char *fpg_format(const struct fpg_value *value, size_t *n_r);
const char *fpg_type_name(enum fpg_type type);

/* ---- errors: they end the statement (row.c) ---- */

struct fpg_txn;

struct fpg_error {
	char sqlstate[6];
	char text[512];
	struct fpg_txn *blocker; /* not an error: the statement must wait for this one */
};

extern struct fpg_error fpg_error;
extern jmp_buf *fpg_error_to;
__attribute__((noreturn, format(printf, 2, 3))) void fpg_raise(
	const char *sqlstate, const char *format, ...);
__attribute__((noreturn)) void fpg_block(struct fpg_txn *blocker);

/* ---- trees ---- */

enum fpg_op {
	FPG_CONST,
	FPG_PARAM,
	FPG_COLUMN,
	FPG_STAR,
	FPG_AND,
	FPG_OR,
	FPG_NOT,
	FPG_EQ,
	FPG_NE,
	FPG_LT,
	FPG_LE,
	FPG_GT,
	FPG_GE,
	FPG_ADD,
	FPG_SUB,
	FPG_MUL,
	FPG_DIV,
	FPG_MOD,
	FPG_NEG,
	FPG_CONCAT,
	FPG_LIKE,
	FPG_MATCH, /* of a regular expression */
	FPG_IS_NULL,
	FPG_DISTINCT,
	FPG_ANY, /* arg[0] compare arg[1], an array, or select */
	FPG_ALL,
	FPG_CASE, /* when, then, .., else */
	FPG_CAST,
	FPG_CALL,
	FPG_AGGREGATE,
	FPG_EXISTS,
	FPG_SCALAR,   /* a select of one value */
	FPG_ARRAY_OF, /* elements, or a select */
	FPG_ROW,
	FPG_AT,	  /* arg[0][arg[1]] */
	FPG_SLICE /* arg[0][arg[1]:arg[2]] */
};

struct fpg_select;

struct fpg_expr {
	enum fpg_op op, compare; /* compare: of ANY, ALL */
	struct fpg_expr **arg;
	int n;
	struct fpg_value value;	      /* CONST */
	int param;		      /* from 0 */
	const char *qualifier, *name; /* COLUMN, CALL, STAR */
	int depth, source, column;    /* COLUMN, once bound */
	enum fpg_type type, element;  /* CAST; COLUMN once bound; UNKNOWN: not known */
	struct fpg_select *select;
	int function;		 /* of function.c */
	bool distinct;		 /* aggregate(distinct ..) */
	struct fpg_expr *filter; /* aggregate(..) filter (where ..) */
	struct fpg_expr *order;	 /* aggregate(.. order by ..) */
	bool descending;
};

struct fpg_index;
struct fpg_table;

enum fpg_source_kind { FPG_TABLE, FPG_FUNCTION, FPG_SUBQUERY, FPG_CTE };

/* How the rows of a table are found. */
struct fpg_path {
	struct fpg_index *index;
	int eq_n;
	struct fpg_expr *eq[FPG_KEYS_MAX];
	struct fpg_expr *any; /* of the column after: an array of what it may be */
	struct fpg_expr *low,
		*high; /* of the column after, both included (rows are tested again) */
};

struct fpg_conjunct {
	struct fpg_expr *expr;
	uint32_t mask; /* sources it needs */
	int left;      /* the source whose left join it is a condition of, -1: of all */
	bool selects;  /* there is a select in it */
};

struct fpg_source {
	enum fpg_source_kind kind;
	const char *alias;
	struct fpg_table *table;
	struct fpg_expr **functions; /* unnest of several arrays is several */
	int functions_n;
	struct fpg_select *select;
	struct fpg_cte *cte;
	const char *column[FPG_COLUMNS_MAX];
	enum fpg_type type[FPG_COLUMNS_MAX], element[FPG_COLUMNS_MAX];
	int columns_n;
	bool left, lateral, ordinality;
	struct fpg_expr *on;
	const char *using_column[FPG_KEYS_MAX];
	int using_n;
	struct fpg_path path;
	uint32_t mask; /* sources its functions need */
};

struct fpg_item {
	struct fpg_expr *expr;
	const char *name;
};

struct fpg_order {
	struct fpg_expr *expr;
	int output; /* of a name or number of the list; -1 */
	bool descending, nulls_first;
};

struct fpg_cte {
	const char *name;
	const char *column[FPG_COLUMNS_MAX];
	int columns_n;
	struct fpg_statement *statement;
	bool recursive;
	int number; /* in struct fpg_exec */
	int items_n;
	enum fpg_type type[FPG_COLUMNS_MAX], element[FPG_COLUMNS_MAX];
};

enum fpg_set { FPG_NO_SET, FPG_UNION, FPG_UNION_ALL, FPG_EXCEPT, FPG_INTERSECT };

struct fpg_select {
	struct fpg_item *item;
	int items_n;
	struct fpg_source source[FPG_SOURCES_MAX];
	int sources_n, order_of[FPG_SOURCES_MAX]; /* in which sources are joined */
	struct fpg_expr *where, *having, *limit, *offset;
	struct fpg_conjunct *conjunct;
	int conjuncts_n;
	struct fpg_expr **group;
	int group_n;
	struct fpg_order *order;
	int orders_n;
	struct fpg_expr **distinct_on;
	int distinct_on_n;
	bool distinct, for_update, skip_locked, aggregated, is_values;
	bool ordered;		   /* the one source's index has the order asked for */
	bool backwards;		   /* from its end */
	bool limit_stops;	   /* nothing must see all rows first */
	struct fpg_expr ***values; /* is_values: rows of items_n */
	int values_n;
	struct fpg_cte *cte[FPG_CTES_MAX];
	int ctes_n;
	enum fpg_set set;
	struct fpg_select *next; /* the other side of set */
	bool bound;
};

enum fpg_kind {
	FPG_SELECT,
	FPG_INSERT,
	FPG_UPDATE,
	FPG_DELETE,
	FPG_COPY_IN,
	FPG_BEGIN,
	FPG_COMMIT,
	FPG_ROLLBACK,
	FPG_LISTEN,
	FPG_NOTIFY,
	FPG_NOTHING, /* comments, privileges, settings */
	FPG_DEFINE   /* create, alter, drop */
};

struct fpg_statement {
	enum fpg_kind kind;
	const char *sql;
	struct fpg_select *select; /* also: what insert inserts; from and where of update, delete */
	struct fpg_table *table;
	int *column; /* insert, copy: given; update: set */
	int columns_n;
	struct fpg_expr **set; /* update, on conflict do update */
	int *set_column;
	int set_n;
	struct fpg_select *returning; /* NULL: none */
	bool conflict, conflict_nothing;
	const char *conflict_column[FPG_KEYS_MAX];
	int conflict_columns_n;
	struct fpg_expr *conflict_where, *conflict_index_where;
	struct fpg_index *conflict_index; /* NULL: any */
	struct fpg_expr **defaults;	  /* insert: of each column of the table, or NULL */
	const char *alias;
	struct fpg_cte *cte[FPG_CTES_MAX];
	int ctes_n;
	struct fpg_parser *define;  /* of create, alter, drop: where they begin */
	struct fpg_statement *next; /* after a semicolon */
	int params_n;
	bool writes;
};

/* ---- lexer, parser ---- */

enum fpg_token_kind {
	FPG_T_END,
	FPG_T_WORD,
	FPG_T_QUOTED,
	FPG_T_NUMBER,
	FPG_T_STRING,
	FPG_T_PARAM,
	FPG_T_SIGN
};

struct fpg_token {
	enum fpg_token_kind kind;
	const char *text; /* words in lower case */
	size_t at;	  /* in the SQL */
};

struct fpg_parser {
	const char *sql;
	struct fpg_token *token;
	int at;
	int params_n;
	bool writes;
	struct fpg_cte *cte[FPG_CTES_MAX * 2]; /* in sight */
	int ctes_n, ctes_all;
	bool define;	    /* a migration: tables come into being while it is read */
	const char *arg[8]; /* of the function whose body it is: they are parameters */
	int args_n;
};

void fpg_lex(struct fpg_parser *parser, const char *sql);
__attribute__((noreturn)) void fpg_not_known(const struct fpg_parser *parser, const char *what);
bool fpg_is(const struct fpg_parser *parser, const char *text); /* the next token, not a string */
bool fpg_is_2(const struct fpg_parser *parser, const char *first, const char *second);
bool fpg_take(struct fpg_parser *parser, const char *text); /* if it is next */
void fpg_expect(struct fpg_parser *parser, const char *text);
const char *fpg_name(struct fpg_parser *parser);      /* an identifier */
const char *fpg_qualified(struct fpg_parser *parser); /* "schema.name" or "name" */
bool fpg_reserved(const char *word);		      /* cannot be an alias */

struct fpg_expr *fpg_expr_new(enum fpg_op op, int n);
struct fpg_expr *fpg_parse_expr(struct fpg_parser *parser);
struct fpg_expr *fpg_expr_text(const char *text);
void fpg_parse_type(struct fpg_parser *parser, enum fpg_type *type_r, enum fpg_type *element_r);
bool fpg_type_next(const struct fpg_parser *parser); /* a type's name and a string follow */
struct fpg_select *fpg_parse_select(struct fpg_parser *parser);
bool fpg_select_next(const struct fpg_parser *parser);
struct fpg_statement *fpg_parse_statement(struct fpg_parser *parser);
struct fpg_statement *fpg_parse_define(struct fpg_parser *parser);
int fpg_parse_with(struct fpg_parser *parser, struct fpg_cte **cte);
void fpg_parse_items(struct fpg_parser *parser, struct fpg_select *select);
void fpg_parse_from(struct fpg_parser *parser, struct fpg_select *select);
void fpg_parse_source_table(
	struct fpg_parser *parser, struct fpg_source *source, const char *table);
/* The statements of a text, parsed and bound once. */
struct fpg_statement *fpg_prepare(const char *sql);

/* ---- binding ---- */

struct fpg_scope {
	struct fpg_scope *outer;
	struct fpg_select *select;
	uint32_t used;
};

void fpg_bind_expr(struct fpg_scope *scope, struct fpg_expr **expr);
void fpg_bind_select(struct fpg_scope *outer, struct fpg_select *select);
void fpg_bind_statement(struct fpg_statement *statement);
/* A condition or a default over a row of one table. */
void fpg_bind_over(struct fpg_table *table, struct fpg_expr **expr);
bool fpg_expr_same(const struct fpg_expr *a, const struct fpg_expr *b);
void fpg_plan(struct fpg_scope *scope, struct fpg_select *select);

/* ---- tables ---- */

struct fpg_column {
	const char *name;
	enum fpg_type type, element;
	bool not_null, identity;
	struct fpg_expr *initial; /* default */
};

struct fpg_index {
	const char *name;
	struct fpg_table *table;
	int column[FPG_KEYS_MAX];
	int columns_n;
	bool unique, primary;
	struct fpg_expr *where; /* partial */
	struct fpg_leaf **leaf;
	size_t leaves_n, leaves_room;
};

struct fpg_reference {
	int column[FPG_KEYS_MAX];
	int columns_n;
	struct fpg_index *index; /* of the other table; its columns in the order of ours */
};

struct fpg_check {
	const char *name;
	struct fpg_expr *expr;
};

struct fpg_table {
	const char *name; /* "wallet.journal" */
	struct fpg_column column[FPG_COLUMNS_MAX];
	int columns_n;
	struct fpg_index *index[16]; /* the first has all rows */
	int indexes_n;
	struct fpg_check check[16];
	int checks_n;
	struct fpg_reference reference[8];
	int references_n;
	uint64_t serial, identity;
	size_t count;	     /* committed */
	const char *part_by; /* "list", "range", "hash"; NULL: it has no partitions */
	int part_column;
	bool dropped, roomy; /* roomy: its pages are kept half empty (fillfactor) */
};

struct fpg_row {
	struct fpg_table *table;
	struct fpg_txn *creator; /* not committed yet */
	struct fpg_txn *deleter; /* not committed yet */
	struct fpg_txn *locker;
	struct fpg_row *old, *newer; /* versions of an update that is not committed yet */
	uint64_t serial;
	size_t class; /* of the allocator */
	struct fpg_value v[];
};

struct fpg_rows {
	struct fpg_row **row;
	size_t n, room;
};

struct fpg_txn {
	struct fpg_session *session;
	struct fpg_rows created, deleted, locked;
	uint64_t now_us; /* of its first statement */
	bool failed;
	bool notifies; /* once it has committed; channels are not told apart */
};

extern struct fpg_table *fpg_tables[128];
extern int fpg_tables_n;
struct fpg_table *fpg_table_find(const char *name);		      /* also a partition's; NULL */
int fpg_column_find(const struct fpg_table *table, const char *name); /* -1 */
struct fpg_table *fpg_table_new(const char *name);
struct fpg_index *fpg_index_new(struct fpg_table *table, const char *name, const int *columns,
	int n, bool unique, struct fpg_expr *where);
void fpg_column_add(struct fpg_table *table, const struct fpg_column *column);

bool fpg_visible(const struct fpg_row *row, const struct fpg_txn *txn);
/* Checks, unique keys, references; the row is a copy. blocks, raises. */
struct fpg_row *fpg_row_insert(struct fpg_txn *txn, struct fpg_table *table,
	const struct fpg_value *values, struct fpg_row *old);
void fpg_row_delete(struct fpg_txn *txn, struct fpg_row *row);
void fpg_row_lock(struct fpg_txn *txn, struct fpg_row *row); /* for update */
struct fpg_row *fpg_row_conflict(struct fpg_txn *txn, const struct fpg_index *index,
	const struct fpg_value *values); /* the row in the way of one with these, or NULL */
void fpg_txn_commit(struct fpg_txn *txn);
void fpg_txn_rollback(struct fpg_txn *txn, size_t created, size_t deleted, size_t locked);
void fpg_storage_reset(void);
void fpg_storage_keep(void); /* what is there stays for ever */

/* Positions in an index. */
struct fpg_at {
	size_t leaf, at;
};
void fpg_index_insert(struct fpg_index *index, struct fpg_row *row);
void fpg_index_remove(struct fpg_index *index, const struct fpg_row *row);
void fpg_index_clear(struct fpg_index *index);
/* The first entry whose key is not below the n values (or, above, the first that is above). */
struct fpg_at fpg_index_seek(
	const struct fpg_index *index, const struct fpg_value *key, int n, bool above);
struct fpg_row *fpg_index_get(const struct fpg_index *index, struct fpg_at *at); /* and move on */
struct fpg_row *fpg_index_get_back(const struct fpg_index *index, struct fpg_at *at);
int fpg_index_order(const struct fpg_row *a, const struct fpg_row *b); /* by the first index */
bool fpg_index_covers(const struct fpg_index *index, const struct fpg_row *row);

/* ---- carrying out ---- */

struct fpg_table_rows { /* of a CTE */
	struct fpg_value **row;
	size_t n, room;
	int columns_n;
	bool done;
};

struct fpg_exec {
	struct fpg_txn *txn;
	const char *const *param;
	const int *param_length, *param_format; /* NULL: all are text */
	const unsigned *param_oid;		/* types that were given with them, or NULL */
	int param_oids;
	struct fpg_value param_text[FPG_PARAMS_MAX], param_cast[FPG_PARAMS_MAX];
	bool param_read[FPG_PARAMS_MAX], param_known[FPG_PARAMS_MAX];
	struct fpg_table_rows cte[FPG_CTES_MAX * 2];
	uint32_t backend_pid;
	uint64_t clock_us;
};

struct fpg_frame {
	struct fpg_frame *outer;
	struct fpg_exec *exec;
	const struct fpg_select *select;
	const struct fpg_value *src[FPG_SOURCES_MAX];
	/* The tuples of the group at hand, for aggregates. */
	const struct fpg_value ***tuple;
	size_t tuples_n;
};

struct fpg_value fpg_eval(struct fpg_frame *frame, const struct fpg_expr *expr);
bool fpg_true(struct fpg_frame *frame, const struct fpg_expr *expr);
struct fpg_value fpg_call(struct fpg_frame *frame, const struct fpg_expr *expr);
struct fpg_value fpg_aggregate(struct fpg_frame *frame, const struct fpg_expr *expr);
int fpg_function_find(const char *name); /* -1 */
bool fpg_is_aggregate(const char *name);
bool fpg_is_set(const struct fpg_expr *expr); /* unnest, generate_series */
/* A function of the migrations in from, at its bracket (routine.c). */
struct fpg_select *fpg_routine_parse(struct fpg_parser *parser, const char *name);
/* json_populate_recordset (json.c): objects of an array as rows of a table. */
void fpg_json_rows(
	const struct fpg_table *table, const struct fpg_value *text, struct fpg_table_rows *rows_r);
/* The rows of unnest, generate_series. */
void fpg_set_rows(struct fpg_frame *frame, struct fpg_expr *const *functions, int n,
	bool ordinality, struct fpg_table_rows *rows_r);
bool fpg_like(const char *text, const char *pattern);

void fpg_rows_add(struct fpg_table_rows *rows, struct fpg_value *row);
void fpg_select_run(
	struct fpg_frame *outer, const struct fpg_select *select, struct fpg_table_rows *rows_r);
/* The rows of the join only: source pointers of each. */
size_t fpg_join(struct fpg_frame *frame, const struct fpg_select *select,
	const struct fpg_value ****tuples_r);
struct fpg_row *fpg_row_of(const struct fpg_value *values);
/* insert, update, delete: rows affected, and what they return. */
uint64_t fpg_change_run(struct fpg_exec *exec, const struct fpg_statement *statement,
	struct fpg_table_rows *returned_r);
void fpg_cte_run(struct fpg_frame *frame, struct fpg_cte *cte);
struct fpg_row *fpg_insert_values(
	struct fpg_exec *exec, const struct fpg_statement *statement, struct fpg_value *values);
/* COPY BINARY: the whole of it. */
uint64_t fpg_copy_run(struct fpg_exec *exec, const struct fpg_statement *statement,
	const uint8_t *bytes, size_t n);

/* A parameter or field in binary. */
struct fpg_value fpg_binary(const void *bytes, size_t n, enum fpg_type type, enum fpg_type element);

/* ---- schema ---- */

void fpg_schema_load(void); /* the migrations; once */
/* Create, alter and drop from the token at hand to the semicolon. */
void fpg_define_run(const struct fpg_parser *from);
void fpg_alter_table(struct fpg_parser *parser);
void fpg_constraint_parse(struct fpg_parser *parser, struct fpg_table *table);
void fpg_column_parse(struct fpg_parser *parser, struct fpg_table *table);
/* The rows of a table, out of it, and back. */
struct fpg_table_rows fpg_rows_out(struct fpg_table *table);
void fpg_rows_before(struct fpg_table *table, const struct fpg_table_rows *rows);
void fpg_partition_make(const char *name, const char *parent, struct fpg_value low,
	struct fpg_value high, const char *part_by, int part_column);
const char *fpg_view_find(const char *name); /* its select; NULL: there is none */
void fpg_view_make(const char *name, const char *sql);
/* create function: kept if it is in SQL; for others see the head of this file. */
void fpg_sql_function_parse(struct fpg_parser *parser);
int fpg_sql_function_find(const char *name); /* -1 */
struct fpg_value fpg_sql_function_call(
	struct fpg_frame *frame, int function, const struct fpg_value *arg, int n);
void fpg_name_add(const char *name); /* an index's or such, for to_regclass */
void fpg_sequence_make(const char *name);
void fpg_partition_check(const struct fpg_table *table, const struct fpg_value *values);
bool fpg_relation_known(const char *name);
uint64_t fpg_sequence_next(const char *name);
void fpg_world_reset(void); /* tables, sequences, partitions as the migrations left them */

/* ---- sessions ---- */

/* What a connection is on the server (session.c). */
struct fpg_session {
	struct fpg_session *next;
	struct sim_process *process;
	uint32_t pid;
	int fd;
	char application[64], error[600];
	bool broken, in_block, listed;
	bool listens, notified;
	uint64_t active_us; /* end of the last statement */
	struct fpg_txn txn;
	struct fpg_prepared {
		char name[64];
		const struct fpg_statement *statement;
		unsigned oid[16];
		int oids;
	} prepared[32];
	int prepared_n;
	const struct fpg_statement *copy; /* COPY has begun */
	uint8_t *copied;
	size_t copied_n, copied_room;
	bool pipeline, aborted, ended;	/* ended: a NULL is next */
	struct pg_result *first, *last; /* results that wait to be fetched */
};

struct fpg_session *fpg_session_new(const char *application);
void fpg_session_end(struct fpg_session *session);		      /* and frees */
void fpg_session_break(struct fpg_session *session, const char *why); /* rolls back */
struct fpg_params {
	int n;
	const char *const *value;
	const int *length, *format;
	const unsigned *oid; /* NULL: none are given */
	int oids;
};
/* One statement, with its effects, faults, waiting for locks. Never NULL. */
struct pg_result *fpg_session_run(struct fpg_session *session,
	const struct fpg_statement *statement, const struct fpg_params *params);
struct pg_result *fpg_session_copy(struct fpg_session *session);
bool fpg_backend_end(uint32_t pid);
bool fpg_disk_is_full(void);

/* ---- results (result.c) ---- */

struct pg_result *fpg_result_new(int status);
struct pg_result *fpg_result_error(const char *sqlstate, const char *text);
void fpg_result_command(struct pg_result *result, const char *command, int64_t rows); /* -1: none */
void fpg_result_rows(struct pg_result *result, const struct fpg_select *names,
	const struct fpg_table_rows *rows);
void fpg_results_died(const struct sim_process *process);
void *fpg_give(size_t bytes); /* zeroed; freed by PQfreemem, or with all of the process */
struct pg_result *fpg_result_next(const struct pg_result *result);
void fpg_result_chain(struct pg_result *result, struct pg_result *next);

#endif
