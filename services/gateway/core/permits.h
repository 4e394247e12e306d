/* Who may do what on the operator's routes: each route needs one permission, each role gives some.
 * Pure.
 *
 * A back end's key (operator-<n>.key) has every permission but PERMIT_SELF, which is for people
 * alone. A person has the permissions of all their roles. No role gives both money and users: who
 * can make users cannot move money. */
#ifndef CARILLON_GATEWAY_CORE_PERMITS_H
#define CARILLON_GATEWAY_CORE_PERMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum permission {
	PERMIT_SELF,	 /* a person's own session, password and second factor */
	PERMIT_READ,	 /* state of services, games, pools, rates, reports */
	PERMIT_AUDIT,	 /* the audit log, the ledger */
	PERMIT_PLAYERS,	 /* search players, read their accounts */
	PERMIT_CARE,	 /* limits, blocks, bonus spins */
	PERMIT_NOTES,	 /* add notes about players */
	PERMIT_OPEN,	 /* open accounts and sessions of players */
	PERMIT_PAYOUTS,	 /* list the withdrawals of all players that are not settled */
	PERMIT_MONEY,	 /* deposits, withdrawals and their decisions, corrections, grants; to
			    pseudonymise a player, whose account must be empty */
	PERMIT_VOID,	 /* void a round */
	PERMIT_JACKPOTS, /* act on pools and sets of cards */
	PERMIT_RATES,	 /* set exchange rates */
	PERMIT_GAMES,	 /* stop games, start them again */
	PERMIT_LETTERS,	 /* read dead letters, send them again, settle them */
	PERMIT_USERS,	 /* users, keys of back ends, webhooks */
	PERMISSIONS_N
};

enum role { ROLE_VIEWER, ROLE_SUPPORT, ROLE_FINANCE, ROLE_JACKPOTS, ROLE_ADMINISTRATOR, ROLES_N };

/* A set of roles: bit 1 << role. */
typedef uint32_t role_set;

extern const char *const role_names[ROLES_N + 1];	      /* ended by NULL */
extern const char *const permission_names[PERMISSIONS_N + 1]; /* ended by NULL */

/* Reads names separated by commas ("support,finance"). False: an unknown name, or none. */
bool roles_read(const char *text, role_set *roles_r);
bool roles_permit(role_set roles, enum permission permission);
/* What a back end's key may do. */
bool key_permits(enum permission permission);
/* True where a person must have proved again, not long ago, that it is they: what cannot be taken
 * back. */
bool permission_confirms(enum permission permission);

/* The permission that a route needs. False: no row names the route, so nobody may use it.
 * `pattern` as in the table of routes. */
bool permit_of_route(bool post, const char *pattern, enum permission *permission_r);
/* The number of routes that have a row; for tests. */
size_t permits_count(void);

#endif
