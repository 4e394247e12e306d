/* `jackpotctl key ..`: keys of operators' back ends, with a name, an end and limits. The gateways
 * take a change within two seconds. */
#ifndef CARILLON_JACKPOTCTL_BACKEND_KEY_H
#define CARILLON_JACKPOTCTL_BACKEND_KEY_H

#include <libpq-fe.h>

#include <stdbool.h>

struct backend_key_options {
	const char *operator_id; /* a number */
	const char *name;	 /* add: of the new key */
	const char *id; /* rotate, end: the first eight digits of its digest, as in the audit log */
	bool read_only;
	/* add: as in services/gateway/core/scope.h; NULL: no limit */
	const char *scopes, *amounts, *pools;
	/* add, rotate: it ends after so many. NULL: it does not; a successor lives as long as the
	 * key that it replaces. */
	const char *days;
	const char
		*file; /* add, rotate: the key is written there, mode 0600. NULL: it is printed */
	bool json;     /* list */
};

/* All return true when it was done, and say so; each is a line in the audit log. They end the
 * process with a message when an argument or the database is wrong. */
bool backend_key_add(PGconn *conn, const struct backend_key_options *options); /* false: the name
										  is taken */
/* False: no such key is in force, or it has a successor already. */
bool backend_key_rotate(PGconn *conn, const struct backend_key_options *options);
bool backend_key_end(PGconn *conn, const struct backend_key_options *options); /* false: there is no
										  such key */
bool backend_key_list(PGconn *conn, const struct backend_key_options *options);

#endif
