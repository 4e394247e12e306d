#include "tools/jackpotctl/user.h"

#include "libcommon/edge/password.h"
#include "services/gateway/core/permits.h"
#include "tools/jackpotctl/rows_print.h"

#include <sodium.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define PASSWORD_ROOM (PASSWORD_MAX + 8) /* a longer line is refused, not cut */

static _Noreturn void wrong(const char *what, const char *found, const char *expected)
{
	fprintf(stderr, "jackpotctl: %s: found '%s', expected %s\n", what, found, expected);
	exit(EXIT_USAGE);
}

/* ---- the password ---- */

static void file_write(const char *path, const char *password)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (file == NULL || fprintf(file, "%s\n", password) < 0 || fclose(file) != 0)
		wrong("--password-file", path, strerror(errno));
}

/* Reads the file, or makes a password and writes it there. */
static void password_take(const struct user_options *options, char out[PASSWORD_ROOM])
{
	char found[PASSWORD_FOUND_MAX];
	const char *expected;
	FILE *file;

	password_invent(out);
	if (options->password_file == NULL)
		return;
	file = fopen(options->password_file, "re");
	if (file == NULL) {
		file_write(options->password_file, out);
		return;
	}
	if (fgets(out, PASSWORD_ROOM, file) == NULL)
		out[0] = '\0';
	(void)fclose(file);
	out[strcspn(out, "\r\n")] = '\0';
	if (!password_fits(out, found, &expected)) {
		fprintf(stderr,
			"jackpotctl: --password-file: found %s in the first line of '%s', expected "
			"%s, or a path where no file exists\n",
			found, options->password_file, expected);
		exit(EXIT_USAGE);
	}
}

static void hash_make(const char *password, char out[PASSWORD_HASH_MAX])
{
	if (!password_hash(password, out)) {
		fputs("jackpotctl: the password could not be hashed: 64 MiB of memory are not "
		      "available\n",
			stderr);
		exit(EXIT_USAGE);
	}
}

/* ---- the commands ---- */

static PGresult *rows(PGconn *conn, const char *sql, int n, const char *const *parameters)
{
	return rows_ask_with(conn, "the users could not be read or written", sql, n, parameters);
}

static void told(const struct user_options *options, const char *what, const char *password)
{
	if (options->password_file == NULL)
		(void)outcome_print(options->json, true,
			json_pack("{s:s,s:s}", "name", options->name, "password", password),
			"user %s %s; their password, to be changed at the first login: %s",
			options->name, what, password);
	else
		(void)outcome_print(options->json, true,
			json_pack(
				"{s:s,s:s}", "name", options->name, "file", options->password_file),
			"user %s %s; the password is in %s", options->name, what,
			options->password_file);
}

static role_set roles_take(const struct user_options *options)
{
	role_set roles;

	if (options->roles == NULL || !roles_read(options->roles, &roles))
		wrong("--roles", options->roles == NULL ? "" : options->roles,
			"viewer, support, finance, jackpots, administrator, separated by commas");
	return roles;
}

static json_t *roles_json(role_set roles)
{
	json_t *names = json_array();

	for (size_t role = 0; role < ROLES_N; role++)
		if ((roles & 1U << role) != 0)
			json_array_append_new(names, json_string(role_names[role]));
	return names;
}

static bool unknown(const struct user_options *options)
{
	return outcome_print(options->json, false, NULL,
		"user %s does not exist with this operator; nothing was changed", options->name);
}

/* The names of all roles, by their bits, as an array of Postgres. */
static const char *all_roles(void)
{
	static char text[160];
	size_t n = 0;

	for (size_t role = 0; role < ROLES_N; role++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", role == 0 ? "{" : ",",
			role_names[role]);
	(void)snprintf(text + n, sizeof(text) - n, "}");
	return text;
}

/* Parts of statements with $1 operator, $2 name: the names of the roles in `bits`, with all_roles()
 * as `all`; a line of the audit log; the user as they were, locked until the change is done. */
#define NAMED(bits, all)                                                                           \
	"(select coalesce(jsonb_agg(r.name order by r.n), '[]') from unnest(" all "::text[]) "     \
	"with ordinality r (name, n) where " bits " & (1 << (r.n::integer - 1)) <> 0)"
#define LINE(action)                                                                               \
	"a as (insert into gateway.audit (operator, actor, action, subject, request_id, content, " \
	"status) select $1::integer, 'jackpotctl', '" action "', 'user ' || $2::text, '', "
#define WAS                                                                                        \
	"with was as materialized (select s.id, s.roles, case when s.disabled is not null then "   \
	"'disabled' when s.locked_until > now() then 'locked' else 'active' end as state, s.totp " \
	"is not null as second_factor from gateway.staff s where s.operator = $1::integer and "    \
	"s.name = $2::text for update of s), "

static const char add_sql[] =
	"with u as (insert into gateway.staff (operator, name, password, roles, must_change, "
	"created_by) values ($1::integer, $2::text, $3, $4::integer, $5::boolean, 'jackpotctl') on "
	"conflict do nothing returning roles), " LINE(
		"user created") "jsonb_build_object('roles', " NAMED("u.roles",
		"$6") "), 200 from u) select 1 from u";

static const char reset_sql[] =
	WAS "u as (update gateway.staff t set password = $3, must_change = $4::boolean, totp = "
	    "null, recovery = '{}', failures = 0, locked_until = null, disabled = null from was "
	    "where t.id = was.id returning t.id), e as (update gateway.staff_session o set ended = "
	    "now() from was where o.staff = was.id and o.ended is null), " LINE(
		    "user reset") "jsonb_build_object('before', jsonb_build_object('state', state, "
				  "'second_factor', second_factor), 'after', "
				  "jsonb_build_object('state', 'active', 'second_factor', false, "
				  "'password', case when $4::boolean then 'to be changed' else "
				  "'set' end)), 200 from was) select 1 from u";

static const char roles_sql[] = WAS
	"u as (update gateway.staff t set roles = $3::integer from was where t.id = was.id "
	"returning t.roles), " LINE(
		"user roles") "jsonb_build_object('reason', $4::text, 'roles', " NAMED("u.roles",
		"$5") ", 'before', jsonb_build_object('roles', " NAMED("was.roles",
		"$5") "), 'after', jsonb_build_object('roles', " NAMED("u.roles",
		"$5") ")), 200 from u, was) select 1 from u";

bool user_add(PGconn *conn, const struct user_options *options)
{
	char password[PASSWORD_ROOM], hash[PASSWORD_HASH_MAX], roles_text[16];
	const char *parameters[] = { options->operator_id, options->name, hash, roles_text,
		options->password_file == NULL ? "t" : "f", all_roles() };
	role_set roles = roles_take(options);
	PGresult *result;
	bool added;

	password_take(options, password);
	hash_make(password, hash);
	(void)snprintf(roles_text, sizeof(roles_text), "%u", (unsigned)roles);
	result = rows(conn, add_sql, 6, parameters);
	added = PQntuples(result) == 1;
	PQclear(result);
	if (added)
		told(options, "added", password);
	else
		(void)outcome_print(options->json, false, NULL,
			"user %s exists already; nothing was changed", options->name);
	sodium_memzero(password, sizeof(password));
	return added;
}

bool user_reset(PGconn *conn, const struct user_options *options)
{
	char password[PASSWORD_ROOM], hash[PASSWORD_HASH_MAX];
	const char *parameters[] = { options->operator_id, options->name, hash,
		options->password_file == NULL ? "t" : "f" };
	PGresult *result;
	bool found;

	password_take(options, password);
	hash_make(password, hash);
	result = rows(conn, reset_sql, 4, parameters);
	found = PQntuples(result) == 1;
	PQclear(result);
	if (found)
		told(options, "reset, without a second factor", password);
	else
		(void)unknown(options);
	sodium_memzero(password, sizeof(password));
	return found;
}

bool user_roles(PGconn *conn, const struct user_options *options)
{
	role_set roles = roles_take(options);
	char number[16];
	const char *parameters[] = { options->operator_id, options->name, number, options->reason,
		all_roles() };
	PGresult *result;
	bool found;

	(void)snprintf(number, sizeof(number), "%u", (unsigned)roles);
	result = rows(conn, roles_sql, 5, parameters);
	found = PQntuples(result) == 1;
	PQclear(result);
	if (!found)
		return unknown(options);
	return outcome_print(options->json, true,
		json_pack("{s:s,s:o}", "name", options->name, "roles", roles_json(roles)),
		"user %s has the roles %s", options->name, options->roles);
}

static void users_text(const PGresult *result)
{
	for (int i = 0; i < PQntuples(result); i++) {
		role_set roles = (role_set)strtoul(PQgetvalue(result, i, 1), NULL, 10);
		printf("%-32s %-9s %-18s", PQgetvalue(result, i, 0), PQgetvalue(result, i, 2),
			PQgetvalue(result, i, 3));
		for (size_t role = 0; role < ROLES_N; role++)
			if ((roles & 1U << role) != 0)
				printf(" %s", role_names[role]);
		printf("\n");
	}
}

static void users_json(const PGresult *result)
{
	json_t *users = json_array();

	for (int i = 0; i < PQntuples(result); i++) {
		role_set roles = (role_set)strtoul(PQgetvalue(result, i, 1), NULL, 10);
		json_array_append_new(
			users, json_pack("{s:s,s:s,s:s,s:o}", "name", PQgetvalue(result, i, 0),
				       "state", PQgetvalue(result, i, 2), "login",
				       PQgetvalue(result, i, 3), "roles", roles_json(roles)));
	}
	json_print(json_pack("{s:o}", "users", users));
}

bool user_list(PGconn *conn, const struct user_options *options)
{
	const char *parameters[] = { options->operator_id };
	PGresult *result = rows(conn,
		"select name, roles, case when disabled is not null then 'disabled' when "
		"locked_until > now() then 'locked' else 'active' end, case when totp is null "
		"then 'password' else 'password and code' end from gateway.staff where operator = "
		"$1::integer order by name",
		1, parameters);

	if (options->json)
		users_json(result);
	else
		users_text(result);
	PQclear(result);
	return true;
}
