/* Clients of players: sessions that end while the connection is open, and lost connections. */
#include "services/notifications/adapters/clients_private.h"

#include "libcommon/edge/token.h"
#include "services/notifications/core/ending.h"

#include <string.h>

#define LOOK_AT_ONCE 512
#define LOOK_AGAIN_MS UINT64_C(15000) /* when the session is unknown or has no time-out */
/* Gateways write an action at most a second late, and check idle sessions themselves until then. So
 * allow for that second: a player who has just acted must not be closed here. */
#define LATE_MS UINT64_C(2000)

/* True when the player has another connection to the same game. */
static bool another(const struct client *client)
{
	const struct client *other = *clients_chain(client->clients, client->player);
	for (; other; other = other->same)
		if (other != client && other->player == client->player && !other->close_code &&
			strcmp(other->game, client->game) == 0)
			return true;
	return false;
}

/* RULE bewitched 7.3, RULE mona-lisa 6.3 */
void client_ended(struct client *client)
{
	struct clients *clients = client->clients;
	struct ending ending = { .plays = client->player && client->game[0],
		.peer_closed = client->peer_closed,
		.we_closed = client->close_code != 0,
		.unanswered = client->unanswered,
		.draining = clients->draining };
	if (!ending_is_loss(&ending))
		return;
	ending.another = another(client);
	if (ending_is_loss(&ending))
		clients->config.lost(clients->config.context, client->player, client->game);
}

static void judge(struct client *client, struct session_seen seen, uint64_t now_ms)
{
	if (!seen.acted_ms || !seen.idle_ms) {
		client->look_ms = now_ms + LOOK_AGAIN_MS;
		return;
	}
	seen.idle_ms += LATE_MS;
	if (session_idle(&seen, now_ms)) {
		metric_add(client->clients->metric.closed_idle, 1);
		client_close(client, CLOSE_IDLE, "session_idle");
		return;
	}
	client->look_ms = seen.acted_ms + seen.idle_ms + 1;
	if (client->look_ms > now_ms + LOOK_AGAIN_MS)
		client->look_ms = now_ms + LOOK_AGAIN_MS;
}

/* RULE bewitched 7.1, RULE mona-lisa 6.1 */
void clients_look_idle(struct clients *clients, uint64_t now_ms)
{
	struct client *due[LOOK_AT_ONCE];
	const char *names[LOOK_AT_ONCE];
	struct session_seen seen[LOOK_AT_ONCE];
	size_t n = 0;
	for (struct client *client = clients->first; client && n < LOOK_AT_ONCE;
		client = client->next) {
		if (!client->player || client->close_code || client->look_ms > now_ms)
			continue;
		names[n] = client->session;
		due[n++] = client;
	}
	if (n == 0)
		return;
	clients->config.look(clients->config.context, names, n, seen);
	for (size_t i = 0; i < n; i++)
		judge(due[i], seen[i], now_ms);
}

void clients_logged_out(struct clients *clients, const char *session)
{
	for (struct client *client = clients->first; client; client = client->next)
		if (client->player && !client->close_code && strcmp(client->session, session) == 0)
			client_close(client, CLOSE_LOGOUT, token_status_text(TOKEN_REVOKED));
}

void clients_all_logged_out(struct clients *clients, player_id player, uint64_t before_s)
{
	struct client *next;

	for (struct client *client = *clients_chain(clients, player); client; client = next) {
		next = client->same;
		if (client->player == player && !client->close_code &&
			client->life.issued_s <= before_s)
			client_close(client, CLOSE_LOGOUT, token_status_text(TOKEN_REVOKED));
	}
}
