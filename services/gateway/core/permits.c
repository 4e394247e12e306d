#include "services/gateway/core/permits.h"

#include <string.h>

#define BIT(permission) (1U << (permission))
#define READS (BIT(PERMIT_SELF) | BIT(PERMIT_READ))

const char *const role_names[ROLES_N + 1] = { "viewer", "support", "finance", "jackpots",
	"administrator", NULL };

const char *const permission_names[PERMISSIONS_N + 1] = { "self", "read", "audit", "players",
	"care", "notes", "open", "payouts", "money", "void", "jackpots", "rates", "games",
	"letters", "users", NULL };

static const uint32_t of_role[ROLES_N] = {
	[ROLE_VIEWER] = READS | BIT(PERMIT_AUDIT),
	[ROLE_SUPPORT] = READS | BIT(PERMIT_PLAYERS) | BIT(PERMIT_CARE) | BIT(PERMIT_NOTES),
	[ROLE_FINANCE] = READS | BIT(PERMIT_AUDIT) | BIT(PERMIT_PLAYERS) | BIT(PERMIT_NOTES) |
			 BIT(PERMIT_PAYOUTS) | BIT(PERMIT_MONEY) | BIT(PERMIT_VOID) |
			 BIT(PERMIT_RATES),
	[ROLE_JACKPOTS] = READS | BIT(PERMIT_AUDIT) | BIT(PERMIT_JACKPOTS) | BIT(PERMIT_GAMES) |
			  BIT(PERMIT_LETTERS),
	[ROLE_ADMINISTRATOR] = READS | BIT(PERMIT_AUDIT) | BIT(PERMIT_PAYOUTS) | BIT(PERMIT_GAMES) |
			       BIT(PERMIT_LETTERS) | BIT(PERMIT_USERS),
};

#define PLAYER "/v1/operators/{}/players/{}"

static const struct {
	bool post;
	const char *pattern;
	enum permission permission;
} rows[] = {
	{ false, "/v1/operator/session", PERMIT_SELF },
	{ true, "/v1/operator/logout", PERMIT_SELF },
	{ true, "/v1/operator/confirm", PERMIT_SELF },
	{ true, "/v1/operator/password", PERMIT_SELF },
	{ true, "/v1/operator/totp", PERMIT_SELF },
	{ false, "/v1/operator/sessions", PERMIT_SELF },
	{ true, "/v1/operator/sessions/{}", PERMIT_SELF },
	{ false, "/v1/operator/status", PERMIT_READ },
	{ false, "/v1/operator/proof", PERMIT_READ },
	{ false, "/v1/operators/{}/ledger", PERMIT_AUDIT },
	{ false, "/v1/operators/{}/unfinished", PERMIT_AUDIT },
	{ false, "/v1/operators/{}/postings", PERMIT_AUDIT },
	{ false, "/v1/operators/{}/dead-letters", PERMIT_LETTERS },
	{ true, "/v1/operators/{}/dead-letters/{}/send", PERMIT_LETTERS },
	{ true, "/v1/operators/{}/dead-letters/{}/settle", PERMIT_LETTERS },
	{ false, "/v1/operators/{}/audit", PERMIT_AUDIT },
	{ false, "/v1/operators/{}/series", PERMIT_READ },
	{ false, "/v1/operators/{}/reports", PERMIT_READ },
	{ false, "/v1/operators/{}/reports/{}/{}", PERMIT_READ },
	{ true, "/v1/operators/{}/gaming-day", PERMIT_MONEY },
	{ false, "/v1/operators/{}/user-sessions", PERMIT_USERS },
	{ true, "/v1/operators/{}/user-sessions/{}", PERMIT_USERS },
	{ false, "/v1/operators/{}/users", PERMIT_USERS },
	{ true, "/v1/operators/{}/users", PERMIT_USERS },
	{ true, "/v1/operators/{}/users/{}", PERMIT_USERS },
	{ false, "/v1/operators/{}/keys", PERMIT_USERS },
	{ true, "/v1/operators/{}/keys", PERMIT_USERS },
	{ true, "/v1/operators/{}/keys/{}", PERMIT_USERS },
	{ false, "/v1/operators/{}/webhooks", PERMIT_READ },
	{ true, "/v1/operators/{}/webhooks", PERMIT_USERS },
	{ true, "/v1/operators/{}/webhooks/{}", PERMIT_USERS },
	{ false, "/v1/operators/{}/webhooks/{}/dead", PERMIT_USERS },
	{ true, "/v1/operators/{}/webhooks/{}/dead", PERMIT_USERS },
	{ false, "/v1/operators/{}/webhooks/{}/waiting", PERMIT_USERS },
	{ true, "/v1/operators/{}/webhooks/{}/waiting", PERMIT_USERS },
	{ false, "/v1/operators/{}/webhooks/{}/sent", PERMIT_USERS },
	{ false, "/v1/operators/{}/players", PERMIT_PLAYERS },
	{ true, "/v1/operators/{}/players", PERMIT_OPEN },
	{ true, "/v1/operators/{}/sessions", PERMIT_OPEN },
	{ false, PLAYER, PERMIT_PLAYERS },
	{ false, PLAYER "/history", PERMIT_PLAYERS },
	{ false, PLAYER "/rounds/{}", PERMIT_PLAYERS },
	{ false, PLAYER "/sessions", PERMIT_PLAYERS },
	{ false, "/v1/operators/{}/rounds", PERMIT_PLAYERS },
	{ false, "/v1/operators/{}/unfinished/rounds", PERMIT_PLAYERS },
	{ true, PLAYER "/deposits", PERMIT_MONEY },
	{ true, PLAYER "/withdrawals", PERMIT_MONEY },
	{ false, PLAYER "/withdrawals", PERMIT_PLAYERS },
	{ false, PLAYER "/withdrawals/{}", PERMIT_PLAYERS },
	{ true, PLAYER "/withdrawals/{}/decisions", PERMIT_MONEY },
	{ true, PLAYER "/withdrawals/{}/approve", PERMIT_MONEY },
	{ false, "/v1/operators/{}/withdrawals", PERMIT_PAYOUTS },
	{ true, PLAYER "/grants/{}/back", PERMIT_MONEY },
	{ true, PLAYER "/corrections", PERMIT_MONEY },
	{ true, PLAYER "/grants", PERMIT_MONEY },
	{ false, PLAYER "/export", PERMIT_PLAYERS },
	{ true, PLAYER "/notes", PERMIT_NOTES },
	{ false, PLAYER "/notes", PERMIT_PLAYERS },
	{ true, PLAYER "/limits", PERMIT_CARE },
	{ false, PLAYER "/limits", PERMIT_PLAYERS },
	{ true, PLAYER "/block", PERMIT_CARE },
	{ true, PLAYER "/bonus-spins", PERMIT_CARE },
	{ false, PLAYER "/bonus-spins", PERMIT_PLAYERS },
	{ true, PLAYER "/bonus-spins/{}/end", PERMIT_CARE },
	{ true, PLAYER "/pseudonymise", PERMIT_MONEY },
	{ true, PLAYER "/pseudonymise/{}/approve", PERMIT_MONEY },
	{ true, PLAYER "/pseudonymise/{}/refuse", PERMIT_MONEY },
	{ true, PLAYER "/voids", PERMIT_VOID },
	{ true, PLAYER "/voids/{}/approve", PERMIT_VOID },
	{ true, PLAYER "/voids/{}/refuse", PERMIT_VOID },
	{ false, PLAYER "/voids", PERMIT_PLAYERS },
	{ false, "/v1/operators/{}/voids/requests", PERMIT_VOID },
	{ false, "/v1/operators/{}/voids", PERMIT_READ },
	{ true, "/v1/operators/{}/amounts/{}/approve", PERMIT_MONEY },
	{ true, "/v1/operators/{}/amounts/{}/refuse", PERMIT_MONEY },
	{ false, "/v1/operators/{}/offer", PERMIT_READ },
	{ true, "/v1/operators/{}/offer", PERMIT_GAMES },
	{ false, "/v1/operators/{}/games", PERMIT_READ },
	{ true, "/v1/operators/{}/games/{}/stop", PERMIT_GAMES },
	{ true, "/v1/operators/{}/games/{}/start", PERMIT_GAMES },
	{ false, "/v1/operators/{}/games/{}", PERMIT_READ },
	{ false, "/v1/operators/{}/pools/{}", PERMIT_READ },
	{ true, "/v1/operators/{}/pools/{}/actions", PERMIT_JACKPOTS },
	{ true, "/v1/operators/{}/pools/{}/actions/{}/approve", PERMIT_JACKPOTS },
	{ true, "/v1/operators/{}/pools/{}/actions/{}/refuse", PERMIT_JACKPOTS },
	{ false, "/v1/operators/{}/pools/{}/actions", PERMIT_READ },
	{ false, "/v1/operators/{}/pools/{}/transfers", PERMIT_READ },
	{ false, "/v1/operators/{}/pools/{}/history", PERMIT_READ },
	{ false, "/v1/operators/{}/pools/{}/forecast", PERMIT_READ },
	{ true, "/v1/operators/{}/fx-rates", PERMIT_RATES },
	{ false, "/v1/operators/{}/fx-rates", PERMIT_READ },
	{ true, "/v1/operators/{}/fx-rates/{}/approve", PERMIT_RATES },
	{ true, "/v1/operators/{}/fx-rates/{}/refuse", PERMIT_RATES },
	{ false, "/v1/operators/{}/approvals", PERMIT_READ },
};

bool roles_read(const char *text, role_set *roles_r)
{
	*roles_r = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		size_t role = 0;
		while (role < ROLES_N && (strlen(role_names[role]) != length ||
						 memcmp(role_names[role], text, length) != 0))
			role++;
		if (role == ROLES_N)
			return false;
		*roles_r |= 1U << role;
		if (text[length] == '\0')
			return true;
		text += length + 1;
	}
}

bool roles_permit(role_set roles, enum permission permission)
{
	for (size_t role = 0; role < ROLES_N; role++)
		if ((roles & 1U << role) != 0 && (of_role[role] & BIT(permission)) != 0)
			return true;
	return false;
}

bool key_permits(enum permission permission)
{
	return permission != PERMIT_SELF;
}

bool permission_confirms(enum permission permission)
{
	static const uint32_t grave = BIT(PERMIT_MONEY) | BIT(PERMIT_VOID) | BIT(PERMIT_JACKPOTS) |
				      BIT(PERMIT_RATES) | BIT(PERMIT_LETTERS) | BIT(PERMIT_USERS);
	return (grave & BIT(permission)) != 0;
}

size_t permits_count(void)
{
	return sizeof(rows) / sizeof(rows[0]);
}

bool permit_of_route(bool post, const char *pattern, enum permission *permission_r)
{
	for (size_t i = 0; i < permits_count(); i++) {
		if (rows[i].post != post || strcmp(rows[i].pattern, pattern) != 0)
			continue;
		*permission_r = rows[i].permission;
		return true;
	}
	return false;
}
