/* The command line of jackpotctl as one table: a row a command, a row an option. Parsing, errors,
 * help, the manual page and the completion of a shell follow from it, so that none of them says
 * what another does not do. */
#ifndef CARILLON_JACKPOTCTL_COMMAND_H
#define CARILLON_JACKPOTCTL_COMMAND_H

#include "libcommon/base/amount.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXIT_BROKEN 1
#define EXIT_USAGE 2
#define EXIT_WAITS 3
#define COMMAND_WORDS_MAX 8

/* In the order in which help shows them. */
enum option_id {
	OPTION_NOW,
	OPTION_SINCE_LAST,
	OPTION_STATE,
	OPTION_HEADS,
	OPTION_HEADS_COPY,
	OPTION_PUBLIC_KEY,
	OPTION_NO_REPLAY,
	OPTION_ENGINE,
	OPTION_DEFINITIONS,
	OPTION_CARDS,
	OPTION_DAY,
	OPTION_SAMPLE,
	OPTION_SEED,
	OPTION_ARCHIVE,
	OPTION_RETAIN,
	OPTION_AT,
	OPTION_IN,
	OPTION_CSV,
	OPTION_FOLDER,
	OPTION_ROLES,
	OPTION_OPERATOR,
	OPTION_PASSWORD_FILE,
	OPTION_READ_ONLY,
	OPTION_SCOPES,
	OPTION_AMOUNTS,
	OPTION_POOLS,
	OPTION_DAYS,
	OPTION_KEY_FILE,
	OPTION_AMOUNT,
	OPTION_CURRENCY,
	OPTION_PERIOD,
	OPTION_SECONDS,
	OPTION_UNTIL,
	OPTION_GAME,
	OPTION_COIN,
	OPTION_LINES,
	OPTION_COINS,
	OPTION_SPINS,
	OPTION_EXPIRES,
	OPTION_AWARD,
	OPTION_FORCE,
	OPTION_PARAMETERS,
	OPTION_VALID_FROM,
	OPTION_KEEP,
	OPTION_URL,
	OPTION_KINDS,
	OPTION_KIND,
	OPTION_WINS,
	OPTION_ROUND,
	OPTION_WIN,
	OPTION_JACKPOT,
	OPTION_ACTOR,
	OPTION_ACTION,
	OPTION_SUBJECT,
	OPTION_ACCOUNT,
	OPTION_PLAYER,
	OPTION_STATUS,
	OPTION_IN_STATE,
	OPTION_PLAYED_FROM,
	OPTION_PLAYED_BEFORE,
	OPTION_STEP,
	OPTION_BY,
	OPTION_HOURS,
	OPTION_FROM,
	OPTION_TO,
	OPTION_BEFORE,
	OPTION_AFTER,
	OPTION_CURSOR,
	OPTION_LIMIT,
	OPTION_REASON,
	OPTION_REQUEST,
	OPTION_GATEWAY,
	OPTION_KEY,
	OPTION_LOGS,
	OPTION_JSON,
	OPTION_DSN,
	OPTIONS_N
};
_Static_assert(OPTIONS_N <= 128, "a command has a bit for each");
/* How a request has an option's value. */
enum command_member {
	MEMBER_TEXT,
	MEMBER_WHOLE,	/* may be below 0 */
	MEMBER_TIME_S,	/* a time in UTC, as seconds since 1970 */
	MEMBER_TIME_US, /* the same in microseconds */
	MEMBER_TRUE,
	MEMBER_JSON
};
struct command_option {
	const char *name;     /* "--day" */
	const char *value;    /* "DATE"; NULL: it has none */
	const char *expected; /* what the value is, in words */
	const char *help;     /* one sentence */
	const char *standard; /* what holds without it; NULL: nothing to say */
	int64_t least, most;  /* the value is a whole number, if most is not 0 */
	const char *field;    /* what requests to the gateway call it; NULL: they have it not */
	enum command_member member;
};
extern const struct command_option command_options[OPTIONS_N];

enum command_database { DATABASE_NONE, DATABASE_READER, DATABASE_ARCHIVER, DATABASE_OWNER };
/* The variables with an address of each, the first before the second. */
extern const char *const command_addresses[][2];

/* What a command asks of the gateway. */
struct command_request {
	/* "/v1/operators/{op}/players/{}": {op} is --operator, each {} the next argument. NULL: it
	 * asks the gateway nothing. */
	const char *path;
	bool post;
	/* A JSON object that options with a field are added to; "$2" is the second argument, "#2"
	 * the same as a number. NULL: a POST without a body. */
	const char *body;
	const char *member; /* of the answer, which alone is printed; NULL: all of it */
	bool waits;	    /* it may have to wait for another user or key */
};

struct call;
struct command {
	const char *group; /* of help; rows of a group follow each other */
	const char *words; /* "ledger verify"; rows with the same first word follow each other */
	const char *arguments;	/* "ID EVENT|all"; "": none; in []: any number */
	const char *help;	/* one sentence */
	const char *more;	/* further ones; NULL: none */
	const char *broken;	/* what exit status 1 means; NULL: it never ends with 1 */
	uint128 options, needs; /* a bit for each that it takes; for each that must be given */
	enum command_database database;
	struct command_request request;
	int (*run)(const struct call *call); /* returns the exit status */
};
extern const struct command command_rows[]; /* ends with NULL words */

/* A row with what was given to it. */
struct call {
	const struct command *command;
	const char *arguments[COMMAND_WORDS_MAX];
	int arguments_n;
	const char *values[OPTIONS_N]; /* NULL: not given; of an option without a value: its name */
};

/* Arguments may stand in any order. --help anywhere is the command "help" with the words as its
 * arguments. False: what was found and expected is written to errors. Borrows argv. */
bool command_read(int argc, char **argv, struct call *call_r, FILE *errors);
bool call_has(const struct call *call, enum option_id option);
/* The value of an option that takes a number. */
int64_t call_number(const struct call *call, enum option_id option, int64_t standard);
/* The value of an option is wrong: says so and ends the process. expected NULL: as in the table. */
_Noreturn void call_wrong(const struct call *call, enum option_id option, const char *expected);
/* The same for an argument, counted from 0. */
_Noreturn void call_wrong_argument(const struct call *call, int argument, const char *expected);
/* The operator in --operator; 1 without it. Ends the process if it is none. */
const char *call_operator(const struct call *call);

/* ---- between the files of the table ---- */

/* The length of the first n words; 0: there are not so many. */
size_t words_length(const char *words, int n);
/* Is this the first row with the first so many bytes of its words? */
bool words_are_new(const struct command *row, size_t length);
/* Do the row's words begin with those? */
bool words_begin(const struct command *row, const char *words, size_t length);
/* Are the first words of the row all of those given? */
bool words_given(const struct command *row, const char *const *given, int n);
/* The row with the most words at the beginning of those given, and how many they are. NULL: none.
 */
const struct command *command_of(const char *const *given, int n, int *used_r);
/* Writes that there is no such command, and which begin like it; false. */
bool command_refused(const char *const *given, int n, FILE *errors);

#endif
