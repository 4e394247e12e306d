/* payment-stub: a payment provider that pays nothing, for tests and demonstrations. It behaves as
 * --behave says or, by default, as the last two digits of the amount say:
 *
 *     00  answers   pays at once           05  late_no   pending, refuses by a call after --late-ms
 *     01  refuses   refuses at once        06  twice     pays, and calls back as well
 *     02  slow      pays, but the first    07  turns     pays, and says "refused" when asked again
 *                   two answers never come 08  turns_no  refuses, and says "paid" when asked again
 *     03  busy      503 twice, then pays   09  other     speaks of another amount, twice, then pays
 *     04  late      pending, pays by a     10  silent    never answers, and never pays
 *                   call after --late-ms   11  mute      pays, and never answers but to a look
 *                                          12  garbage   no JSON twice, then pays
 *
 * A payment is known by its id: the same id asked for again is the same payment, with other content
 * it is refused with 422. GET /v1/payouts tells all of them, oldest first. What it knows is kept in
 * the file --state, so that it may be killed like everybody else. */
#include "libcommon/io/clock.h"
#include "libcommon/edge/edge.h"
#include "libcommon/io/log.h"

#include <curl/curl.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define PAYOUTS_MAX 100000
#define ID_MAX 64
#define CALL_TRIES 5
#define CALL_AGAIN_US 500000
#define CALL_TIMEOUT_MS 2000L
#define CALLS_MAX 64

enum behaviour {
	ANSWERS,
	REFUSES,
	SLOW,
	BUSY,
	LATE,
	LATE_NO,
	TWICE,
	TURNS,
	TURNS_NO,
	OTHER,
	SILENT,
	MUTE,
	GARBAGE,
	BEHAVES_N
};
static const char *const behave_names[BEHAVES_N + 1] = { "answers", "refuses", "slow", "busy",
	"late", "late_no", "twice", "turns", "turns_no", "other", "silent", "mute", "garbage",
	NULL };

enum status { PENDING, PAID, REFUSED };
static const char *const status_names[] = { "pending", "paid", "refused" };

struct payout {
	char id[ID_MAX + 1], player[32], currency[8];
	json_int_t amount;
	enum behaviour behaviour;
	enum status status;
	int asked;	  /* POST */
	uint64_t call_us; /* the next call; 0: none */
	int calls;
	bool calling;
};

static struct {
	const char *listen, *callback, *state;
	int behaviour; /* -1: by amount */
	uint64_t late_us;
	struct edge *edge;
	struct payout *payouts;
	size_t n;
	CURLM *multi;
	int calling;
} stub = { "127.0.0.1:0", "", "", -1, 1500000, NULL, NULL, 0, NULL, 0 };

/* ---- what it knows ---- */

static struct payout *find(const char *id)
{
	for (size_t i = stub.n; i-- > 0;)
		if (strcmp(stub.payouts[i].id, id) == 0)
			return &stub.payouts[i];
	return NULL;
}

static json_t *payout_json(const struct payout *payout)
{
	char reference[ID_MAX + 8];

	(void)snprintf(reference, sizeof(reference), "stub-%.12s", payout->id);
	return json_pack("{s:s, s:s, s:I, s:s, s:s, s:s}", "id", payout->id, "player",
		payout->player, "amount_minor", payout->amount, "currency", payout->currency,
		"status", status_names[payout->status], "reference", reference);
}

static void keep(void)
{
	char path[1024];
	json_t *all = json_array();

	for (size_t i = 0; stub.state[0] != '\0' && i < stub.n; i++) {
		json_t *one = payout_json(&stub.payouts[i]);
		json_object_set_new(one, "behave", json_integer(stub.payouts[i].behaviour));
		json_object_set_new(one, "asked", json_integer(stub.payouts[i].asked));
		json_array_append_new(all, one);
	}
	(void)snprintf(path, sizeof(path), "%s.new", stub.state);
	if (stub.state[0] != '\0' &&
		(json_dump_file(all, path, JSON_COMPACT) != 0 || rename(path, stub.state) != 0))
		fatal("%s: cannot be written", path);
	json_decref(all);
}

static void text_copy(char *to, size_t size, const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	(void)snprintf(to, size, "%s", text == NULL ? "" : text);
}

static struct payout *add(const json_t *json)
{
	struct payout *payout;

	if (stub.n == PAYOUTS_MAX)
		fatal("more than %d payments: this is only a stub", PAYOUTS_MAX);
	payout = &stub.payouts[stub.n++];
	memset(payout, 0, sizeof(*payout));
	text_copy(payout->id, sizeof(payout->id), json, "id");
	text_copy(payout->player, sizeof(payout->player), json, "player");
	text_copy(payout->currency, sizeof(payout->currency), json, "currency");
	payout->amount = json_integer_value(json_object_get(json, "amount_minor"));
	return payout;
}

static void remember(void)
{
	json_t *all = stub.state[0] == '\0' ? NULL : json_load_file(stub.state, 0, NULL);
	json_t *one;
	size_t i;

	json_array_foreach(all, i, one)
	{
		struct payout *payout = add(one);
		char status[16];
		text_copy(status, sizeof(status), one, "status");
		payout->behaviour =
			(enum behaviour)json_integer_value(json_object_get(one, "behave"));
		payout->asked = (int)json_integer_value(json_object_get(one, "asked"));
		payout->status = strcmp(status, "paid") == 0	  ? PAID
				 : strcmp(status, "refused") == 0 ? REFUSED
								  : PENDING;
		if (payout->status == PENDING)
			payout->call_us = clock_mono_us() + stub.late_us;
	}
	json_decref(all);
}

/* ---- what it answers ---- */

static void send_json(struct edge_request *request, uint32_t status, json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);

	edge_answer_json(request, status, text, strlen(text));
	free(text);
	json_decref(json);
}

static void decide(struct payout *payout, json_int_t amount)
{
	payout->behaviour =
		(enum behaviour)(stub.behaviour >= 0 ? stub.behaviour : (int)(amount % 100));
	if (payout->behaviour >= BEHAVES_N)
		payout->behaviour = ANSWERS;
	payout->status = PAID;
	if (payout->behaviour == REFUSES || payout->behaviour == TURNS_NO)
		payout->status = REFUSED;
	if (payout->behaviour == LATE || payout->behaviour == LATE_NO ||
		payout->behaviour == SILENT || payout->behaviour == BUSY)
		payout->status = PENDING;
	if (payout->behaviour == LATE || payout->behaviour == LATE_NO || payout->behaviour == TWICE)
		payout->call_us = clock_mono_us() + stub.late_us;
}

/* Never answered: the edge ends it with 504 after 30 s, long after whoever asked has given up. */
static void answer(struct edge_request *request, struct payout *payout)
{
	json_t *json;
	bool again = payout->asked > 1;

	if (payout->behaviour == BUSY && payout->asked > 2)
		payout->status = PAID;
	if (payout->behaviour == SILENT || payout->behaviour == MUTE ||
		(payout->behaviour == SLOW && payout->asked <= 2))
		return;
	if (payout->behaviour == BUSY && payout->asked <= 2) {
		edge_answer_error(request, 503, "busy", "Later.", NULL, NULL, NULL);
		return;
	}
	if (payout->behaviour == GARBAGE && payout->asked <= 2) {
		edge_answer(request, 200, "text/html", "<html>paid</html>", 17);
		return;
	}
	json = payout_json(payout);
	if (again && payout->behaviour == TURNS)
		json_object_set_new(json, "status", json_string("refused"));
	if (again && payout->behaviour == TURNS_NO)
		json_object_set_new(json, "status", json_string("paid"));
	if (payout->behaviour == OTHER && payout->asked <= 2)
		json_object_set_new(json, "amount_minor", json_integer(payout->amount + 1));
	send_json(request, 200, json);
}

static void on_ask(struct edge_request *request, void *context)
{
	size_t length;
	const char *body = edge_body(request, &length);
	json_t *json = json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL);
	const char *id = json_string_value(json_object_get(json, "id"));
	struct payout *payout = id == NULL ? NULL : find(id);

	(void)context;
	if (id == NULL || id[0] == '\0' || strlen(id) > ID_MAX ||
		!json_is_integer(json_object_get(json, "amount_minor"))) {
		edge_answer_error(request, 400, "bad_request", "An id and an amount are needed.",
			"body", NULL, "{\"id\",\"player\",\"amount_minor\",\"currency\"}");
		json_decref(json);
		return;
	}
	if (payout == NULL) {
		payout = add(json);
		decide(payout, payout->amount);
	}
	payout->asked++;
	json_int_t amount = json_integer_value(json_object_get(json, "amount_minor"));
	json_decref(json);
	if (amount != payout->amount) {
		edge_answer_error(request, 422, "other_content",
			"The id is known with another amount.", "amount_minor", NULL, NULL);
		return;
	}
	keep();
	answer(request, payout);
}

static void on_look(struct edge_request *request, void *context)
{
	struct payout *payout = find(edge_parameter(request, 0));

	(void)context;
	if (payout == NULL || payout->behaviour == SILENT) {
		edge_answer_error(
			request, 404, "unknown", "There is no such payment.", "id", NULL, NULL);
		return;
	}
	json_t *json = payout_json(payout);
	if (payout->behaviour == TURNS)
		json_object_set_new(json, "status", json_string("refused"));
	if (payout->behaviour == TURNS_NO)
		json_object_set_new(json, "status", json_string("paid"));
	send_json(request, 200, json);
}

static void on_list(struct edge_request *request, void *context)
{
	json_t *all = json_array();

	(void)context;
	for (size_t i = 0; i < stub.n; i++) {
		json_t *one = payout_json(&stub.payouts[i]);
		json_object_set_new(one, "asked", json_integer(stub.payouts[i].asked));
		json_object_set_new(
			one, "behave", json_string(behave_names[stub.payouts[i].behaviour]));
		json_array_append_new(all, one);
	}
	send_json(request, 200, json_pack("{s:o}", "payouts", all));
}

/* ---- what it calls ---- */

static size_t on_called(char *bytes, size_t size, size_t n, void *context)
{
	(void)bytes;
	(void)context;
	return size * n;
}

static struct curl_slist *json_header(void)
{
	static struct curl_slist *header;

	if (header == NULL)
		header = curl_slist_append(NULL, "Content-Type: application/json");
	return header;
}

static void call(struct payout *payout)
{
	CURL *curl = curl_easy_init();
	char body[ID_MAX + 64];

	if (curl == NULL)
		fatal("out of memory");
	if (payout->status == PENDING) {
		payout->status = payout->behaviour == LATE_NO ? REFUSED : PAID;
		keep();
	}
	(void)snprintf(body, sizeof(body), "{\"id\":\"%s\"}", payout->id);
	curl_easy_setopt(curl, CURLOPT_URL, stub.callback);
	curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, json_header());
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, CALL_TIMEOUT_MS);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_called);
	curl_easy_setopt(curl, CURLOPT_PRIVATE, payout);
	curl_multi_add_handle(stub.multi, curl);
	payout->calling = true;
	payout->calls++;
	stub.calling++;
}

static void called(CURL *curl, CURLcode code)
{
	struct payout *payout;
	void *private;
	long status = 0;

	curl_easy_getinfo(curl, CURLINFO_PRIVATE, &private);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	payout = private;
	payout->calling = false;
	payout->call_us = code == CURLE_OK && status / 100 == 2 ? 0
			  : payout->calls < CALL_TRIES		? clock_mono_us() + CALL_AGAIN_US
								: 0;
	curl_multi_remove_handle(stub.multi, curl);
	curl_easy_cleanup(curl);
	stub.calling--;
}

static void on_tick(void *context)
{
	int running, left;
	CURLMsg *message;
	uint64_t now_us = clock_mono_us();

	(void)context;
	for (size_t i = 0; i < stub.n && stub.calling < CALLS_MAX; i++) {
		struct payout *payout = &stub.payouts[i];
		if (payout->call_us == 0 || payout->calling || now_us < payout->call_us)
			continue;
		if (payout->behaviour == LATE || payout->behaviour == LATE_NO ||
			payout->behaviour == TWICE)
			call(payout);
		else
			payout->call_us = 0;
	}
	(void)curl_multi_perform(stub.multi, &running);
	while ((message = curl_multi_info_read(stub.multi, &left)) != NULL)
		if (message->msg == CURLMSG_DONE)
			called(message->easy_handle, message->data.result);
}

/* ---- start ---- */

static _Noreturn void usage(const char *found)
{
	(void)fprintf(stderr,
		"payment-stub: found %s, expected --listen=ADDRESS:PORT, --callback=URL, "
		"--state=FILE, --late-ms=N or --behave=NAME, one of answers, refuses, slow, busy, "
		"late, late_no, twice, turns, turns_no, other, silent, mute, garbage\n",
		found);
	exit(EXIT_USAGE);
}

static int behaviour_of(const char *name)
{
	for (int i = 0; i < BEHAVES_N; i++)
		if (strcmp(behave_names[i], name) == 0)
			return i;
	usage(name);
}

static void option(const char *argument)
{
	const char *value = strchr(argument, '=');

	if (value == NULL)
		usage(argument);
	value++;
	if (strncmp(argument, "--listen=", 9) == 0)
		stub.listen = value;
	else if (strncmp(argument, "--callback=", 11) == 0)
		stub.callback = value;
	else if (strncmp(argument, "--state=", 8) == 0)
		stub.state = value;
	else if (strncmp(argument, "--late-ms=", 10) == 0)
		stub.late_us = (uint64_t)strtoul(value, NULL, 10) * 1000;
	else if (strncmp(argument, "--behave=", 9) == 0)
		stub.behaviour = behaviour_of(value);
	else
		usage(argument);
}

int main(int argc, char **argv)
{
	static const struct edge_route routes[] = {
		{ EDGE_POST, "/v1/payouts", on_ask, true },
		{ EDGE_GET, "/v1/payouts/{}", on_look, false },
		{ EDGE_GET, "/v1/payouts", on_list, false },
		{ EDGE_GET, NULL, NULL, false },
	};

	for (int i = 1; i < argc; i++)
		option(argv[i]);
	log_open("payment-stub", "payment-stub", LOG_INFO);
	stub.payouts = calloc(PAYOUTS_MAX, sizeof(*stub.payouts));
	if (stub.payouts == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		fatal("out of memory");
	stub.multi = curl_multi_init();
	remember();
	const struct edge_config config = {
		.service = "payment-stub", .listen = stub.listen, .routes = routes, .drain_ms = 100
	};
	stub.edge = edge_new(&config);
	edge_every(stub.edge, 50, on_tick, NULL);
	edge_ready(stub.edge, true, NULL);
	log_info("a stub of a payment provider at %s: it pays nothing", edge_address(stub.edge));
	int status = edge_run(stub.edge);
	edge_free(&stub.edge);
	free(stub.payouts);
	return status;
}
