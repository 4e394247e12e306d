/* What a back end's key is limited to, beside the permissions that every key has. Pure.
 *
 * A key without a limit may do what core/permits.h says. A key with scopes may use only the routes
 * that one of its scopes opens. Each limit holds by itself: one of amounts says nothing about
 * pools. What a limit cannot be compared with is refused. */
#ifndef CARILLON_GATEWAY_CORE_SCOPE_H
#define CARILLON_GATEWAY_CORE_SCOPE_H

#include "libcommon/base/currency.h"
#include "services/gateway/core/permits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_AMOUNTS_MAX 16
#define SCOPE_POOLS_MAX 32
#define SCOPE_TEXT_MAX 400 /* a list as text, with the NUL */

/* Each route needs one of them; changing users, making keys and webhooks, and dealing with dead
 * letters needs a key without limits. No key makes users. */
enum scope_kind {
	SCOPE_READ,    /* every GET */
	SCOPE_PLAYERS, /* accounts and sessions of players, limits, blocks, bonus spins, notes */
	SCOPE_MONEY,   /* money of players, voids, exchange rates, the gaming day */
	SCOPE_POOLS,   /* pools and sets of cards, games */
	SCOPE_KINDS_N
};

extern const char *const scope_kind_names[SCOPE_KINDS_N + 1]; /* ended by NULL */

struct scope {
	bool by_kind, by_amount, by_pool; /* false: not limited by these */
	uint32_t kinds;			  /* bits 1 << enum scope_kind */
	size_t amounts_n, pools_n;
	struct {
		const struct currency *currency;
		int64_t minor; /* the largest amount of a request */
	} amounts[SCOPE_AMOUNTS_MAX];
	uint32_t pools[SCOPE_POOLS_MAX];
};

/* Read "EUR:50000,SEK:600000" (minor units; a currency that is not named: nothing) and "1,4".
 * False: a list that is none, an unknown currency, an entry named twice, or more entries than fit.
 */
bool scope_amounts_read(const char *text, struct scope *scope);
bool scope_pools_read(const char *text, struct scope *scope);
/* Reads names of scopes, "read,money", each at most once. */
bool scope_kinds_read(const char *text, struct scope *scope);

bool scope_is_limited(const struct scope *scope);
/* False: no scope opens such a route, only a key without limits. */
bool scope_kind_of(bool post, enum permission permission, enum scope_kind *kind_r);
bool scope_has(const struct scope *scope, enum scope_kind kind);
/* May the key use such a route at all? A limited key makes no users: they would not be limited. One
 * that is limited to amounts neither voids rounds nor sets rates: these name no amount. */
bool scope_permits(const struct scope *scope, bool post, enum permission permission);
/* `minor` may be below 0: then what it takes away counts. */
bool scope_permits_amount(
	const struct scope *scope, const struct currency *currency, int64_t minor);
bool scope_permits_pool(const struct scope *scope, uint32_t pool);

/* Writes what is allowed, for people: "read,money"; "at most 50000 EUR"; "an amount in EUR or SEK";
 * "pool 1, 4". */
void scope_kinds_text(const struct scope *scope, char out[SCOPE_TEXT_MAX]);
void scope_amount_text(
	const struct scope *scope, const struct currency *currency, char out[SCOPE_TEXT_MAX]);
void scope_pools_text(const struct scope *scope, char out[SCOPE_TEXT_MAX]);

#endif
