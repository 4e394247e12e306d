/* `jackpotctl user ..`: users of the operator's side, for the first administrator and for one who
 * is locked out. No key of a back end may do this, so the owner of the database does. Everything
 * else about users is done in the console. */
#ifndef CARILLON_JACKPOTCTL_USER_H
#define CARILLON_JACKPOTCTL_USER_H

#include <libpq-fe.h>

#include <stdbool.h>

struct user_options {
	const char *name;
	const char *roles;	 /* add, roles: names separated by commas */
	const char *reason;	 /* roles */
	const char *operator_id; /* a number */
	/* The password is read from there, or made and written there, mode 0600, and need not be
	 * changed. NULL: it is made and printed, and must be changed at the first login. */
	const char *password_file;
	bool json;
};

/* All return true when it was done, and say so. They end the process with a message when an
 * argument or the database is wrong. */
bool user_add(PGconn *conn, const struct user_options *options);   /* false: the name is taken */
bool user_reset(PGconn *conn, const struct user_options *options); /* false: nobody has the name */
bool user_roles(PGconn *conn, const struct user_options *options); /* false: the same */
bool user_list(PGconn *conn, const struct user_options *options);

#endif
