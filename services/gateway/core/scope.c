#include "services/gateway/core/scope.h"

#include "services/gateway/core/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POOL_NUMBER_MAX 65535
#define ENTRY_MAX 32

const char *const scope_kind_names[SCOPE_KINDS_N + 1] = { "read", "players", "money", "pools",
	NULL };

/* Takes the next entry of a list off its front. False: it is empty or too long. */
static bool entry_take(const char **text, char out[ENTRY_MAX])
{
	size_t length = strcspn(*text, ",");

	if (length == 0 || length >= ENTRY_MAX)
		return false;
	memcpy(out, *text, length);
	out[length] = '\0';
	*text += length;
	if (**text == '\0')
		return true;
	(*text)++;
	return **text != '\0'; /* a comma at the end */
}

static bool amount_add(char entry[ENTRY_MAX], struct scope *scope)
{
	char *colon = strchr(entry, ':');
	const struct currency *currency;
	int64_t minor;

	if (colon == NULL || scope->amounts_n == SCOPE_AMOUNTS_MAX)
		return false;
	*colon = '\0';
	currency = currency_by_code(entry);
	if (currency == NULL || !number_read(colon + 1, 0, MINOR_MAX, &minor))
		return false;
	for (size_t i = 0; i < scope->amounts_n; i++)
		if (scope->amounts[i].currency == currency)
			return false;
	scope->amounts[scope->amounts_n].currency = currency;
	scope->amounts[scope->amounts_n++].minor = minor;
	return true;
}

bool scope_amounts_read(const char *text, struct scope *scope)
{
	char entry[ENTRY_MAX];

	scope->by_amount = true;
	scope->amounts_n = 0;
	do {
		if (!entry_take(&text, entry) || !amount_add(entry, scope))
			return false;
	} while (*text != '\0');
	return true;
}

bool scope_pools_read(const char *text, struct scope *scope)
{
	char entry[ENTRY_MAX];
	int64_t pool;

	scope->by_pool = true;
	scope->pools_n = 0;
	do {
		if (!entry_take(&text, entry) || !number_read(entry, 1, POOL_NUMBER_MAX, &pool) ||
			scope->pools_n == SCOPE_POOLS_MAX ||
			scope_permits_pool(scope, (uint32_t)pool))
			return false;
		scope->pools[scope->pools_n++] = (uint32_t)pool;
	} while (*text != '\0');
	return true;
}

static bool kind_add(const char *entry, struct scope *scope)
{
	for (size_t kind = 0; kind < SCOPE_KINDS_N; kind++) {
		uint32_t bit = 1U << kind;
		if (strcmp(entry, scope_kind_names[kind]) != 0)
			continue;
		if ((scope->kinds & bit) != 0)
			return false;
		scope->kinds |= bit;
		return true;
	}
	return false;
}

bool scope_kinds_read(const char *text, struct scope *scope)
{
	char entry[ENTRY_MAX];

	scope->by_kind = true;
	scope->kinds = 0;
	do {
		if (!entry_take(&text, entry) || !kind_add(entry, scope))
			return false;
	} while (*text != '\0');
	return true;
}

bool scope_is_limited(const struct scope *scope)
{
	return scope->by_kind || scope->by_amount || scope->by_pool;
}

bool scope_kind_of(bool post, enum permission permission, enum scope_kind *kind_r)
{
	static const enum scope_kind kinds[PERMISSIONS_N] = {
		[PERMIT_CARE] = SCOPE_PLAYERS,
		[PERMIT_NOTES] = SCOPE_PLAYERS,
		[PERMIT_OPEN] = SCOPE_PLAYERS,
		[PERMIT_MONEY] = SCOPE_MONEY,
		[PERMIT_VOID] = SCOPE_MONEY,
		[PERMIT_RATES] = SCOPE_MONEY,
		[PERMIT_JACKPOTS] = SCOPE_POOLS,
		[PERMIT_GAMES] = SCOPE_POOLS,
	};

	*kind_r = post ? kinds[permission] : SCOPE_READ;
	return !post || *kind_r != SCOPE_READ;
}

bool scope_has(const struct scope *scope, enum scope_kind kind)
{
	return !scope->by_kind || (scope->kinds & 1U << kind) != 0;
}

bool scope_permits(const struct scope *scope, bool post, enum permission permission)
{
	enum scope_kind kind;

	if (!scope_is_limited(scope))
		return true;
	if (!scope_kind_of(post, permission, &kind) || !scope_has(scope, kind))
		return false;
	return !post || !scope->by_amount ||
	       (permission != PERMIT_VOID && permission != PERMIT_RATES);
}

static const int64_t *amount_of(const struct scope *scope, const struct currency *currency)
{
	for (size_t i = 0; i < scope->amounts_n; i++)
		if (scope->amounts[i].currency == currency)
			return &scope->amounts[i].minor;
	return NULL;
}

bool scope_permits_amount(const struct scope *scope, const struct currency *currency, int64_t minor)
{
	const int64_t *most = amount_of(scope, currency);

	if (!scope->by_amount)
		return true;
	return most != NULL && minor <= *most && minor >= -*most;
}

bool scope_permits_pool(const struct scope *scope, uint32_t pool)
{
	for (size_t i = 0; i < scope->pools_n; i++)
		if (scope->pools[i] == pool)
			return true;
	return !scope->by_pool;
}

void scope_kinds_text(const struct scope *scope, char out[SCOPE_TEXT_MAX])
{
	int n = 0;

	out[0] = '\0';
	for (size_t kind = 0; kind < SCOPE_KINDS_N; kind++)
		if (scope_has(scope, (enum scope_kind)kind))
			n += snprintf(out + n, SCOPE_TEXT_MAX - (size_t)n, "%s%s",
				n == 0 ? "" : ",", scope_kind_names[kind]);
}

void scope_amount_text(
	const struct scope *scope, const struct currency *currency, char out[SCOPE_TEXT_MAX])
{
	const int64_t *most = amount_of(scope, currency);
	int n;

	if (most != NULL) {
		(void)snprintf(
			out, SCOPE_TEXT_MAX, "at most %" PRId64 " %s", *most, currency->code);
		return;
	}
	n = snprintf(out, SCOPE_TEXT_MAX, "an amount in");
	for (size_t i = 0; i < scope->amounts_n; i++)
		n += snprintf(out + n, SCOPE_TEXT_MAX - (size_t)n, "%s %s", i == 0 ? "" : " or",
			scope->amounts[i].currency->code);
}

void scope_pools_text(const struct scope *scope, char out[SCOPE_TEXT_MAX])
{
	int n = snprintf(out, SCOPE_TEXT_MAX, "pool");

	for (size_t i = 0; i < scope->pools_n; i++)
		n += snprintf(out + n, SCOPE_TEXT_MAX - (size_t)n, "%s %" PRIu32, i == 0 ? "" : ",",
			scope->pools[i]);
}
