/*
 * The supervisor's set-up: which programs run on this machine, one a line:
 *
 *     NAME [order=N] [signal=TERM|INT|QUIT] [grace_ms=N] [backoff_ms=N] [user=UID] [group=GID]...
 * [VARIABLE=value]... : COMMAND [ARGUMENT]...
 *
 * Words are separated by blanks; "double quotes" keep blanks inside a word, with \" and \\ for the
 * two characters. Empty lines and lines that begin with # are passed over. Pure: text in, table
 * out.
 */
#ifndef CARILLON_CARILLON_SUPERVISOR_CONFIG_H
#define CARILLON_CARILLON_SUPERVISOR_CONFIG_H

#include <stddef.h>
#include <stdint.h>

enum {
	SUP_PROGRAMS_MAX = 128,
	SUP_NAME_MAX = 48, /* bytes with the final NUL */
	SUP_LINE_MAX = 4096,
	SUP_ARGS_MAX = 32,
	SUP_ENV_MAX = 48,
	SUP_ORDER_MAX = 99,
	SUP_GRACE_MS_DEFAULT = 10000,
	SUP_BACKOFF_MS_DEFAULT = 2000,
	SUP_MS_MAX = 600000,
	SUP_GROUPS_MAX = 16,
	SUP_ID_MAX = 2000000000, /* of users and groups */
};

/* One program. Words live in `text`, NUL-terminated; env[] and arg[] are offsets into it, so that
 * the struct can be copied and compared byte by byte (the parser clears it first). */
struct sup_spec {
	char name[SUP_NAME_MAX]; /* letters, digits, '-', '_' and '.'; also the name of its log */
	unsigned order;		 /* programs of a lower order are stopped first; default 50 */
	int stop_signal;	 /* default SIGTERM */
	unsigned grace_ms;	 /* from the stop signal to SIGKILL */
	unsigned backoff_ms; /* the longest pause between restarts of a program that dies at once */
	unsigned user;	     /* number of its user and its group; 0: those of the supervisor */
	unsigned group_count;
	unsigned group[SUP_GROUPS_MAX]; /* further groups of a program with a user of its own */
	unsigned env_count;
	unsigned arg_count;
	uint16_t env[SUP_ENV_MAX]; /* "NAME=value" */
	uint16_t arg[SUP_ARGS_MAX];
	char text[SUP_LINE_MAX];
};

struct sup_config {
	unsigned count;
	struct sup_spec program[SUP_PROGRAMS_MAX];
};

struct sup_config_error {
	unsigned line;	/* from 1; 0 if the fault is in no single line */
	char text[256]; /* what was found, and what was expected */
};

enum sup_config_status {
	SUP_CONFIG_OK = 0,
	SUP_CONFIG_REFUSED, /* error_r says where and why; config_r is not to be used */
};

/* Reads the whole set-up. `text` need not end with NUL. */
enum sup_config_status sup_config_parse(const char *text, size_t len, struct sup_config *config_r,
	struct sup_config_error *error_r);

/* The word at an offset of env[] or arg[]. Borrowed from `spec`. */
const char *sup_spec_word(const struct sup_spec *spec, uint16_t offset);

#endif
