/* GET /v1/config, the installation's settings for pages without a session, and the other server
 * that the pages may connect to. */
#include "services/gateway/adapters/gateway.h"

#include <stdio.h>
#include <string.h>

void on_config(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	struct gateway *gateway = context;
	struct json_out *out = &gateway->out;
	if (!answer_query(request, names))
		return;
	out_begin(out);
	out_open(out, NULL, '{');
	out_string(out, "kind", common.kind);
	out_string(out, "events_url", gateway->settings.events_url);
	out_open(out, "operators", '[');
	for (size_t i = 0; i < gateway->operators_n; i++) {
		bool again = false;
		for (size_t k = 0; k < i; k++)
			again = again || gateway->operators[k].id == gateway->operators[i].id;
		if (!again)
			out_uint(out, NULL, gateway->operators[i].id);
	}
	out_close(out, ']');
	out_uint(out, "shards", gateway->shards);
	out_int(out, "bet_gap_ms", common.bet_gap_ms);
	out_bool(out, "turbo", gateway->settings.turbo);
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}

/* /play/GAME/?operator=N: the sites of that operator. A page that names another operator than its
 * player's only cannot be shown at all. */
bool config_framers(void *context, const struct edge_request *request, char out[EDGE_FRAMERS_MAX])
{
	const struct gateway *gateway = context;
	char operator_text[16];
	const char *given = edge_query(request, "operator", operator_text, sizeof(operator_text));
	_Static_assert(FRAMES_TEXT_MAX <= EDGE_FRAMERS_MAX, "all origins of an operator fit");
	return given != NULL && frames_of(&gateway->frames, given, out);
}

void config_origin(const char *url, char *out, size_t room)
{
	const char *host = strstr(url, "://");
	size_t length = host == NULL ? 0 : (size_t)(host + 3 - url) + strcspn(host + 3, "/");
	(void)snprintf(out, room, "%.*s", (int)length, url);
}
