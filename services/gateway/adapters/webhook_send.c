/* Webhooks over HTTP: each request is signed, bounded in time and size, and goes only where the
 * address of the connection itself may be sent to, whatever the name resolves to. */
#include "services/gateway/adapters/webhooks.h"

#include "libcommon/io/log.h"
#include "services/gateway/adapters/webhook_address.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <sodium.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define CONNECT_MS 5000
#define HEADER_MAX 512
#define EVENTS_MAX 32

struct sending {
	struct webhook_sender *sender;
	struct webhook_outcome outcome;
	CURL *curl;
	struct curl_slist *headers;
	char *body;
	size_t got;
	bool busy, internal_address;
};

struct webhook_sender {
	CURLM *multi;
	int epoll;
	const uint8_t *key;
	bool internal;
	long timeout_ms;
	webhook_done *done;
	void *context;
	size_t busy;
	struct sending sending[WEBHOOK_OPEN_MAX];
};

/* ---- the connection ---- */

static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct sending *sending = context;
	struct address to = { .bytes = { [10] = 0xff, [11] = 0xff } };
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	(void)purpose;
	if (address->family == AF_INET) {
		memcpy(&v4, &address->addr, sizeof(v4));
		memcpy(to.bytes + 12, &v4.sin_addr, 4);
	} else if (address->family == AF_INET6) {
		memcpy(&v6, &address->addr, sizeof(v6));
		memcpy(to.bytes, &v6.sin6_addr, sizeof(to.bytes));
	} else {
		return CURL_SOCKET_BAD;
	}
	if (!sending->sender->internal && !webhook_address_public(&to)) {
		sending->internal_address = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* The answer's body is read and thrown away; one that is too long ends the transfer. */
static size_t on_bytes(char *bytes, size_t size, size_t n, void *context)
{
	struct sending *sending = context;

	(void)bytes;
	sending->got += size * n;
	return sending->got > WEBHOOK_ANSWER_MAX ? 0 : size * n;
}

static int on_socket(CURL *curl, curl_socket_t fd, int what, void *context, void *known)
{
	struct webhook_sender *sender = context;
	struct epoll_event event = { .data.fd = fd };

	(void)curl;
	(void)known;
	if (what == CURL_POLL_REMOVE) {
		(void)epoll_ctl(sender->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	event.events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0U) |
		       (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0U);
	if (epoll_ctl(sender->epoll, EPOLL_CTL_MOD, fd, &event) != 0 && errno == ENOENT)
		(void)epoll_ctl(sender->epoll, EPOLL_CTL_ADD, fd, &event);
	return 0;
}

/* ---- a request ---- */

static void header_add(struct sending *sending, const char *text)
{
	struct curl_slist *longer = curl_slist_append(sending->headers, text);

	if (longer == NULL)
		fatal("out of memory: a webhook");
	sending->headers = longer;
}

static void signature_make(const struct webhook_sender *sender,
	const struct webhook_request *request, uint32_t version, uint64_t time_s, char *hex)
{
	uint8_t secret[WEBHOOK_SECRET_BYTES];

	webhook_secret(sender->key, request->salt, version, secret);
	webhook_sign(secret, time_s, request->body, strlen(request->body), hex);
	sodium_memzero(secret, sizeof(secret));
}

static void headers_make(
	struct sending *sending, const struct webhook_request *request, uint64_t time_s)
{
	char line[HEADER_MAX], hex[WEBHOOK_SIGNATURE_HEX + 1], old[HEADER_MAX / 2] = "";

	header_add(sending, "Content-Type: application/json");
	header_add(sending, "User-Agent: carillon-webhook/1");
	header_add(sending, "Expect:");
	(void)snprintf(line, sizeof(line), "Carillon-Event: %.100s", request->event);
	header_add(sending, line);
	(void)snprintf(line, sizeof(line), "Carillon-Attempt: %" PRIu32, request->attempt + 1);
	header_add(sending, line);
	(void)snprintf(line, sizeof(line), "Carillon-Time: %" PRIu64, time_s);
	header_add(sending, line);
	if (request->old_version > 0) {
		signature_make(sending->sender, request, request->old_version, time_s, hex);
		(void)snprintf(old, sizeof(old), ",%" PRIu32 ".%" PRIu32 "=%s", request->webhook,
			request->old_version, hex);
	}
	signature_make(sending->sender, request, request->version, time_s, hex);
	(void)snprintf(line, sizeof(line), "Carillon-Signature: %" PRIu32 ".%" PRIu32 "=%s%s",
		request->webhook, request->version, hex, old);
	header_add(sending, line);
}

static void options_set(struct sending *sending, const char *url)
{
	CURL *curl = sending->curl;

	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(
		curl, CURLOPT_PROTOCOLS_STR, sending->sender->internal ? "http,https" : "https");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, sending->sender->timeout_ms);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(curl, CURLOPT_MAXAGE_CONN, 60L);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, sending);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, sending->headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, sending);
	curl_easy_setopt(curl, CURLOPT_PRIVATE, sending);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, sending->body);
}

void webhook_sender_send(
	struct webhook_sender *sender, const struct webhook_request *request, uint64_t time_s)
{
	struct sending *sending = NULL;

	for (size_t i = 0; sending == NULL && i < WEBHOOK_OPEN_MAX; i++)
		if (!sender->sending[i].busy)
			sending = &sender->sending[i];
	if (sending == NULL)
		return; /* its time in hand runs out, and it is taken again */
	sending->outcome = (struct webhook_outcome){ .delivery = request->delivery,
		.attempt = request->attempt };
	sending->got = 0;
	sending->internal_address = false;
	sending->body = strdup(request->body);
	if (sending->body == NULL)
		fatal("out of memory: a webhook");
	headers_make(sending, request, time_s);
	options_set(sending, request->url);
	sending->busy = true;
	sender->busy++;
	if (curl_multi_add_handle(sender->multi, sending->curl) != CURLM_OK)
		fatal("libcurl does not accept a request");
}

static void sending_end(struct webhook_sender *sender, struct sending *sending)
{
	curl_multi_remove_handle(sender->multi, sending->curl);
	curl_slist_free_all(sending->headers);
	sending->headers = NULL;
	free(sending->body);
	sending->body = NULL;
	sending->busy = false;
	sender->busy--;
}

static void outcome_fill(struct sending *sending, CURLcode code)
{
	struct webhook_outcome *outcome = &sending->outcome;
	curl_off_t retry_after_s = 0;
	long status = 0;

	curl_easy_getinfo(sending->curl, CURLINFO_RESPONSE_CODE, &status);
	if (code == CURLE_OK || sending->got > WEBHOOK_ANSWER_MAX) {
		outcome->good = status >= 200 && status < 300;
		curl_easy_getinfo(sending->curl, CURLINFO_RETRY_AFTER, &retry_after_s);
		outcome->retry_after_s = (int64_t)retry_after_s;
		(void)snprintf(outcome->answer, sizeof(outcome->answer), "%ld", status);
	} else if (sending->internal_address) {
		(void)snprintf(outcome->answer, sizeof(outcome->answer),
			"the host has an internal address, which is not allowed");
	} else {
		(void)snprintf(
			outcome->answer, sizeof(outcome->answer), "%s", curl_easy_strerror(code));
	}
}

static void outcomes_read(struct webhook_sender *sender)
{
	CURLMsg *message;
	void *context;
	int left;

	while ((message = curl_multi_info_read(sender->multi, &left)) != NULL) {
		struct webhook_outcome outcome;
		struct sending *sending;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context);
		sending = context;
		outcome_fill(sending, message->data.result);
		outcome = sending->outcome;
		sending_end(sender, sending);
		sender->done(sender->context, &outcome);
	}
}

/* ---- the loop ---- */

static void on_ready(void *context)
{
	struct webhook_sender *sender = context;
	struct epoll_event events[EVENTS_MAX];
	int n = epoll_wait(sender->epoll, events, EVENTS_MAX, 0), running;

	for (int i = 0; i < n; i++)
		(void)curl_multi_socket_action(sender->multi, events[i].data.fd,
			(events[i].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) |
				(events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
				(events[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0),
			&running);
	outcomes_read(sender);
}

void webhook_sender_tick(struct webhook_sender *sender)
{
	int running;

	if (sender->busy == 0)
		return;
	(void)curl_multi_socket_action(sender->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	outcomes_read(sender);
}

size_t webhook_sender_room(const struct webhook_sender *sender)
{
	return WEBHOOK_OPEN_MAX - sender->busy;
}

struct webhook_sender *webhook_sender_new(struct edge *edge, const uint8_t *key, bool internal,
	int64_t timeout_ms, webhook_done *done, void *context)
{
	struct webhook_sender *sender = calloc(1, sizeof(*sender));

	if (sender == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		fatal("libcurl cannot be initialised");
	sender->multi = curl_multi_init();
	sender->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (sender->multi == NULL || sender->epoll < 0)
		fatal("webhooks: libcurl cannot be initialised");
	curl_multi_setopt(sender->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(sender->multi, CURLMOPT_SOCKETDATA, sender);
	curl_multi_setopt(sender->multi, CURLMOPT_MAXCONNECTS, (long)WEBHOOK_OPEN_MAX);
	sender->key = key;
	sender->internal = internal;
	sender->timeout_ms = (long)timeout_ms;
	sender->done = done;
	sender->context = context;
	for (size_t i = 0; i < WEBHOOK_OPEN_MAX; i++) {
		sender->sending[i].sender = sender;
		if ((sender->sending[i].curl = curl_easy_init()) == NULL)
			fatal("out of memory: a webhook");
	}
	edge_adopt(edge, sender->epoll, on_ready, sender);
	return sender;
}

void webhook_sender_free(struct webhook_sender **sender)
{
	if (*sender == NULL)
		return;
	for (size_t i = 0; i < WEBHOOK_OPEN_MAX; i++) {
		if ((*sender)->sending[i].busy)
			sending_end(*sender, &(*sender)->sending[i]);
		curl_easy_cleanup((*sender)->sending[i].curl);
	}
	(void)curl_multi_cleanup((*sender)->multi);
	(void)close((*sender)->epoll);
	free(*sender);
	*sender = NULL;
}
