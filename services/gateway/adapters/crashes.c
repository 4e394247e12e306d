/* POST /v1/crashes: a page of ours, the player's or the console, has met an error that nothing
 * caught. It says which kind of error and where in its own modules, and nothing of the person.
 * Nobody needs a session for it, so an address may send only a few, and what it sends is held to
 * the characters of names and paths. Each is counted, and the log has at most ten a second. */
#include "services/gateway/adapters/gateway.h"

#include "services/gateway/core/requests.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <string.h>

#define ADDRESS_PER_S 1
#define ADDRESS_BURST 20
#define LINES_PER_S 10

static struct limit by_address;
static struct metric *counted[CRASH_PAGES];
static uint32_t lines; /* of the log, since the last tick */

void crashes_begin(void)
{
	static const char *const labels[CRASH_PAGES] = { "page=\"player\"", "page=\"console\"" };

	limit_init(&by_address, ADDRESS_PER_S, ADDRESS_BURST);
	for (size_t i = 0; i < CRASH_PAGES; i++)
		counted[i] = metric_counter("carillon_gateway_page_crashes_total", labels[i],
			"Errors in the player's page and in the console that nothing caught");
}

void crashes_tick(void)
{
	lines = 0;
}

/* The letters of an error's name, or of the path of a module. */
static bool text_ok(struct edge_request *request, const char *name, const char *text,
	const char *more, const char *expected)
{
	for (const char *c = text; *c != '\0'; c++) {
		bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');

		if (!letter && strchr(more, *c) == NULL) {
			answer_bad(request, name, text, expected);
			return false;
		}
	}
	return true;
}

static void crash_note(const struct edge_request *request, const struct crash_body *body)
{
	metric_add(counted[body->page], 1);
	if (lines++ >= LINES_PER_S)
		return;
	log_warn_as("gateway.page.crashed",
		"a page crashed: %s, %s at %s:%" PRId64 ":%" PRId64 " [%s]",
		body->page == CRASH_CONSOLE ? "the console" : "the player's", body->kind,
		body->file, body->line, body->column, edge_request_id(request));
}

void on_crash(struct edge_request *request, void *context)
{
	struct gateway *gateway = context;
	struct crash_body body = { 0 };
	struct json_out *out = &gateway->out;

	if (!auth_rate(gateway, request, &by_address) ||
		!answer_parse(request, crash_fields, &body) ||
		!text_ok(request, "kind", body.kind, "", "letters, such as TypeError") ||
		!text_ok(request, "file", body.file, "-./",
			"the path of a module, such as operator/reports.js"))
		return;
	crash_note(request, &body);
	out_begin(out);
	out_open(out, NULL, '{');
	out_bool(out, "counted", true);
	out_close(out, '}');
	answer_sent(gateway, request, 200);
}
