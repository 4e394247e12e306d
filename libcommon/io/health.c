/* The health thread: a small HTTP server by libwebsockets beside the service's loop. */
#include "libcommon/io/health.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"

#include <libwebsockets.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STUCK_US 5000000u
#define SMALL_BODY_MAX 768

struct health {
	struct lws_context *context;
	pthread_t thread;
	char host[256];
	char address[300];
	_Atomic bool stop;
	_Atomic uint64_t ticked_us;
	pthread_mutex_t lock; /* protects the members below */
	bool ready;
	char why_not[256];
	char failed[256];		/* empty: no failure */
	char note[HEALTH_NOTES_N][256]; /* empty: none */
};

/* The answer in progress to one client. */
struct answer {
	char *body; /* with LWS_PRE free bytes before it */
	size_t length;
};

static unsigned body_healthz(struct health *health, char *out)
{
	/* The tick first: one that came after the clock was read would lie in the future, and the
	 * difference wraps. */
	uint64_t ticked_us = atomic_load(&health->ticked_us);
	uint64_t silent_us = clock_mono_us() - ticked_us;
	(void)pthread_mutex_lock(&health->lock);
	bool failed = health->failed[0] != '\0';
	(void)snprintf(out, SMALL_BODY_MAX, "%s\n", health->failed);
	(void)pthread_mutex_unlock(&health->lock);
	if (failed)
		return HTTP_STATUS_SERVICE_UNAVAILABLE;
	if (silent_us < STUCK_US) {
		(void)snprintf(out, SMALL_BODY_MAX, "ok\n");
		return HTTP_STATUS_OK;
	}
	(void)snprintf(out, SMALL_BODY_MAX,
		"the event loop has not run for %llu ms; expected less than %u ms\n",
		(unsigned long long)(silent_us / 1000u), STUCK_US / 1000u);
	return HTTP_STATUS_SERVICE_UNAVAILABLE;
}

static unsigned body_readyz(struct health *health, char *out)
{
	(void)pthread_mutex_lock(&health->lock);
	bool ready = health->ready;
	int n = snprintf(out, SMALL_BODY_MAX, "%.200s", ready ? "ok" : health->why_not);
	for (int i = 0; i < HEALTH_NOTES_N; i++)
		if (health->note[i][0] != '\0')
			n += snprintf(out + n, SMALL_BODY_MAX - (size_t)n, "; %s", health->note[i]);
	(void)snprintf(out + n, SMALL_BODY_MAX - (size_t)n, "\n");
	(void)pthread_mutex_unlock(&health->lock);
	return ready ? HTTP_STATUS_OK : HTTP_STATUS_SERVICE_UNAVAILABLE;
}

/* The same as gauges, for whoever only reads /metrics. */
static void gauges_set(struct health *health)
{
	char unused[SMALL_BODY_MAX];
	metric_set(metric_gauge("carillon_healthy", NULL,
			   "1: /healthz is good; 0: the loop is stuck, or has a fault."),
		body_healthz(health, unused) == HTTP_STATUS_OK);
	metric_set(metric_gauge("carillon_ready", NULL, "1: the instance takes requests."),
		body_readyz(health, unused) == HTTP_STATUS_OK);
}

static unsigned body_make(struct health *health, const char *path, struct answer *answer)
{
	char small[SMALL_BODY_MAX];
	char *text = NULL;
	unsigned status = HTTP_STATUS_OK;
	size_t length = 0;
	if (strcmp(path, "/metrics") == 0) {
		gauges_set(health);
		text = metrics_text(&length);
	} else if (strcmp(path, "/healthz") == 0) {
		status = body_healthz(health, small);
	} else if (strcmp(path, "/readyz") == 0) {
		status = body_readyz(health, small);
	} else {
		status = HTTP_STATUS_NOT_FOUND;
		(void)snprintf(small, sizeof(small),
			"found another path, expected /healthz, /readyz or /metrics\n");
	}
	if (text == NULL)
		length = strlen(small);
	answer->body = malloc(LWS_PRE + length);
	if (answer->body == NULL)
		fatal("health: out of memory");
	memcpy(answer->body + LWS_PRE, text != NULL ? text : small, length);
	answer->length = length;
	free(text);
	return status;
}

static int answer_begin(
	struct health *health, struct lws *wsi, const char *path, struct answer *answer)
{
	uint8_t headers[LWS_PRE + 1024];
	uint8_t *at = headers + LWS_PRE;
	uint8_t *start = at;
	uint8_t *end = headers + sizeof(headers);
	free(answer->body);
	unsigned status = body_make(health, path, answer);
	const char *type = strcmp(path, "/metrics") == 0
				   ? "text/plain; version=0.0.4; charset=utf-8"
				   : "text/plain; charset=utf-8";
	if (lws_add_http_common_headers(wsi, status, type, answer->length, &at, end) != 0 ||
		lws_finalize_write_http_header(wsi, start, &at, end) != 0)
		return 1;
	(void)lws_callback_on_writable(wsi);
	return 0;
}

static int answer_write(struct lws *wsi, struct answer *answer)
{
	uint8_t *body = (uint8_t *)answer->body + LWS_PRE;
	if (answer->body == NULL)
		return 0;
	/* libwebsockets keeps the bytes that the socket does not take. */
	if (lws_write(wsi, body, answer->length, LWS_WRITE_HTTP_FINAL) != (int)answer->length)
		return 1;
	free(answer->body);
	*answer = (struct answer){ 0 };
	return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int on_event(
	struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
	struct answer *answer = user;
	/* NOLINTNEXTLINE(clang-diagnostic-switch-enum): libwebsockets has a hundred reasons */
	if (reason == LWS_CALLBACK_HTTP)
		return answer_begin(lws_context_user(lws_get_context(wsi)), wsi, in, answer);
	if (reason == LWS_CALLBACK_HTTP_WRITEABLE)
		return answer_write(wsi, answer);
	if (reason == LWS_CALLBACK_CLOSED_HTTP && answer != NULL) {
		free(answer->body);
		*answer = (struct answer){ 0 };
		return 0;
	}
	return lws_callback_http_dummy(wsi, reason, user, in, length);
}

static void on_log(int level, const char *line)
{
	size_t length = strcspn(line, "\n");
	log_line(level == LLL_ERR ? LOG_WARN : LOG_DEBUG,
		LOG_EVENT("health.library.message") "libwebsockets: %.*s", (int)length, line);
}

static void *run(void *context)
{
	struct health *health = context;
	while (!atomic_load(&health->stop))
		if (lws_service(health->context, 0) < 0)
			break;
	return NULL;
}

static int listen_parse(struct health *health, const char *listen)
{
	const char *colon = strrchr(listen, ':');
	if (colon == NULL || (size_t)(colon - listen) >= sizeof(health->host))
		fatal("health: found '%s', expected address:port", listen);
	(void)snprintf(health->host, sizeof(health->host), "%.*s", (int)(colon - listen), listen);
	return atoi(colon + 1);
}

static void server_start(struct health *health, int port)
{
	static const struct lws_protocols PROTOCOLS[] = {
		{ "http", on_event, sizeof(struct answer), 0, 0, NULL, 0 },
		{ NULL, NULL, 0, 0, 0, NULL, 0 },
	};
	bool everywhere = strcmp(health->host, "0.0.0.0") == 0 || strcmp(health->host, "*") == 0;
	struct lws_context_creation_info info = {
		.port = port,
		.iface = everywhere ? NULL : health->host,
		.protocols = PROTOCOLS,
		.user = health,
		.gid = -1,
		.uid = -1,
		.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6,
	};
	lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
	health->context = lws_create_context(&info);
	struct lws_vhost *vhost =
		health->context == NULL ? NULL : lws_create_vhost(health->context, &info);
	int bound = vhost == NULL ? 0 : lws_get_vhost_listen_port(vhost);
	if (bound <= 0)
		fatal("health: listening on %s:%d failed; expected an address of this machine and "
		      "a free port",
			health->host, port);
	(void)snprintf(health->address, sizeof(health->address), "%s:%d", health->host, bound);
}

struct health *health_start(const char *listen)
{
	sigset_t all;
	sigset_t before;
	struct health *health = calloc(1, sizeof(*health));
	if (health == NULL)
		fatal("health: out of memory");
	int port = listen_parse(health, listen);
	(void)pthread_mutex_init(&health->lock, NULL);
	(void)snprintf(health->why_not, sizeof(health->why_not), "starting");
	atomic_store(&health->ticked_us, clock_mono_us());
	server_start(health, port);
	/* Signals belong to the loop: this thread must never receive one. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&health->thread, NULL, run, health);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0)
		fatal("health: cannot start the thread: %s", strerror(error));
	return health;
}

const char *health_address(const struct health *health)
{
	return health->address;
}

void health_tick(struct health *health)
{
	atomic_store(&health->ticked_us, clock_mono_us());
}

void health_ready(struct health *health, bool ready, const char *why_not)
{
	(void)pthread_mutex_lock(&health->lock);
	health->ready = ready;
	(void)snprintf(health->why_not, sizeof(health->why_not), "%s",
		why_not != NULL ? why_not : "not ready");
	(void)pthread_mutex_unlock(&health->lock);
}

void health_note(struct health *health, enum health_about about, const char *note)
{
	(void)pthread_mutex_lock(&health->lock);
	(void)snprintf(health->note[about], sizeof(health->note[about]), "%s", note);
	(void)pthread_mutex_unlock(&health->lock);
}

void health_fail(struct health *health, const char *why)
{
	(void)pthread_mutex_lock(&health->lock);
	(void)snprintf(health->failed, sizeof(health->failed), "%s", why);
	(void)pthread_mutex_unlock(&health->lock);
}

void health_stop(struct health **health)
{
	struct health *h = *health;
	if (h == NULL)
		return;
	atomic_store(&h->stop, true);
	lws_cancel_service(h->context);
	(void)pthread_join(h->thread, NULL);
	lws_context_destroy(h->context);
	(void)pthread_mutex_destroy(&h->lock);
	free(h);
	*health = NULL;
}
