#include "services/payments/adapters/provider.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/log.h"

#include <curl/curl.h>
#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define URL_MAX 512
#define BODY_MAX 16384
#define CONNECT_MS 2000

struct question {
	struct payout payout; /* as it was at the request */
	enum payout_act act;
	CURL *curl;
	char sent[512], got[BODY_MAX + 1];
	size_t got_n;
	bool busy, too_long;
};

struct provider {
	char url[URL_MAX];
	struct curl_slist *headers;
	CURLM *multi;
	struct question *questions;
	size_t n, busy;
	long timeout_ms;
};

struct provider *provider_new(
	const char *url, const char *key, int64_t timeout_ms, int64_t parallel)
{
	struct provider *provider = calloc(1, sizeof(*provider));
	char header[256];

	if (provider == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		fatal("libcurl cannot be initialised");
	provider->n = (size_t)parallel;
	provider->timeout_ms = (long)timeout_ms;
	provider->questions = calloc(provider->n, sizeof(*provider->questions));
	provider->multi = curl_multi_init();
	if (provider->questions == NULL || provider->multi == NULL)
		fatal("out of memory: %zu requests to the provider", provider->n);
	(void)snprintf(provider->url, sizeof(provider->url), "%s", url);
	(void)snprintf(header, sizeof(header), "Authorization: Bearer %s", key);
	provider->headers = curl_slist_append(NULL, "Content-Type: application/json");
	provider->headers = curl_slist_append(provider->headers, "Expect:");
	if (key[0] != '\0')
		provider->headers = curl_slist_append(provider->headers, header);
	for (size_t i = 0; i < provider->n; i++)
		if ((provider->questions[i].curl = curl_easy_init()) == NULL)
			fatal("out of memory: a request to the provider");
	return provider;
}

static size_t on_bytes(char *bytes, size_t size, size_t n, void *context)
{
	struct question *question = context;
	size_t length = size * n;

	if (length > BODY_MAX - question->got_n) {
		question->too_long = true;
		return 0; /* makes the transfer fail */
	}
	memcpy(question->got + question->got_n, bytes, length);
	question->got_n += length;
	question->got[question->got_n] = '\0';
	return length;
}

static void id_text(const uint8_t *id, char text_r[2 * PAYOUT_ID_BYTES + 1])
{
	for (size_t i = 0; i < PAYOUT_ID_BYTES; i++)
		(void)snprintf(text_r + 2 * i, 3, "%02x", id[i]);
}

static const char *code_of(uint32_t currency)
{
	const struct currency *known = currency_by_number(currency);

	return known == NULL ? "" : known->code;
}

static void question_begin(struct provider *provider, struct question *question)
{
	CURL *curl = question->curl;
	char url[URL_MAX + 64], id[2 * PAYOUT_ID_BYTES + 1], player[PLAYER_TEXT_MAX];
	bool look = question->act == PAYOUT_LOOK;

	id_text(question->payout.id, id);
	player_id_format(question->payout.player, player);
	(void)snprintf(url, sizeof(url), "%s/v1/payouts%s%s", provider->url, look ? "/" : "",
		look ? id : "");
	(void)snprintf(question->sent, sizeof(question->sent),
		"{\"id\":\"%s\",\"player\":\"%s\",\"amount_minor\":%" PRId64
		",\"currency\":\"%s\"}",
		id, player, question->payout.amount, code_of(question->payout.currency));
	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, provider->timeout_ms);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, provider->headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, question);
	curl_easy_setopt(curl, CURLOPT_PRIVATE, question);
	if (!look)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, question->sent);
}

bool provider_full(const struct provider *provider)
{
	return provider->busy == provider->n;
}

bool provider_request(struct provider *provider, const struct payout *payout, enum payout_act act)
{
	struct question *question = NULL;

	for (size_t i = 0; question == NULL && i < provider->n; i++)
		if (!provider->questions[i].busy)
			question = &provider->questions[i];
	if (question == NULL)
		return false;
	question->payout = *payout;
	question->act = act;
	question->busy = true;
	question->too_long = false;
	question->got_n = 0;
	question->got[0] = '\0';
	question_begin(provider, question);
	if (curl_multi_add_handle(provider->multi, question->curl) != CURLM_OK)
		fatal("libcurl does not accept a request");
	provider->busy++;
	return true;
}

/* ---- answers ---- */

static const char *text_of(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text == NULL ? "" : text;
}

/* True when the answer is about the requested payment. */
static bool fits(const struct payout *payout, const json_t *json)
{
	const json_t *amount = json_object_get(json, "amount_minor");
	char id[2 * PAYOUT_ID_BYTES + 1];

	id_text(payout->id, id);
	return json_is_integer(amount) && json_integer_value(amount) == payout->amount &&
	       strcmp(text_of(json, "id"), id) == 0 &&
	       strcmp(text_of(json, "currency"), code_of(payout->currency)) == 0;
}

static enum payout_answer status_read(const char *status)
{
	if (strcmp(status, "paid") == 0)
		return PAYOUT_SAID_PAID;
	if (strcmp(status, "refused") == 0)
		return PAYOUT_SAID_REFUSED;
	return strcmp(status, "pending") == 0 ? PAYOUT_SAID_PENDING : PAYOUT_NO_ANSWER;
}

/* Makes short printable text for a log line and a column. */
static void found_copy(char *to, long status, const char *body, size_t length)
{
	size_t n = (size_t)snprintf(to, PROVIDER_FOUND_MAX, "%ld ", status);

	for (size_t i = 0; i < length && n + 1 < PROVIDER_FOUND_MAX; i++)
		to[n++] = (char)(body[i] >= 0x20 && body[i] < 0x7f ? body[i] : '?');
	to[n] = '\0';
}

/* Cuts the text at a whole character: Postgres rejects broken UTF-8, which would end the service at
 * every such answer. */
static void reference_copy(char to[PROVIDER_REFERENCE_MAX + 1], const char *from)
{
	size_t n = strnlen(from, PROVIDER_REFERENCE_MAX);

	while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80)
		n--;
	memcpy(to, from, n);
	to[n] = '\0';
}

enum payout_answer provider_read(const struct payout *payout, enum payout_act act, long status,
	const char *body, size_t length, struct provider_word *word_r)
{
	json_t *json;

	memset(word_r, 0, sizeof(*word_r));
	memcpy(word_r->id, payout->id, PAYOUT_ID_BYTES);
	found_copy(word_r->found, status, body, length);
	if (status == 404 && act == PAYOUT_LOOK)
		return word_r->answer = PAYOUT_SAID_UNKNOWN;
	if (status == 409 || status == 422) /* the provider knows the id with other content */
		return word_r->answer = PAYOUT_SAID_OTHER;
	if (status < 200 || status > 202)
		return PAYOUT_NO_ANSWER;
	json = json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL);
	word_r->answer = status_read(text_of(json, "status"));
	if (word_r->answer != PAYOUT_NO_ANSWER && !fits(payout, json))
		word_r->answer = PAYOUT_SAID_OTHER;
	if (word_r->answer != PAYOUT_NO_ANSWER && word_r->answer != PAYOUT_SAID_OTHER)
		reference_copy(word_r->reference, text_of(json, "reference"));
	json_decref(json);
	return word_r->answer;
}

static void question_end(struct provider *provider, struct question *question, CURLcode code,
	struct provider_word *word_r)
{
	long status = 0;

	curl_easy_getinfo(question->curl, CURLINFO_RESPONSE_CODE, &status);
	if (code == CURLE_OK) {
		(void)provider_read(&question->payout, question->act, status, question->got,
			question->got_n, word_r);
	} else {
		memset(word_r, 0, sizeof(*word_r));
		memcpy(word_r->id, question->payout.id, PAYOUT_ID_BYTES);
		(void)snprintf(word_r->found, sizeof(word_r->found), "%s",
			question->too_long ? "an answer that is too long"
					   : curl_easy_strerror(code));
	}
	curl_multi_remove_handle(provider->multi, question->curl);
	question->busy = false;
	provider->busy--;
}

bool provider_poll(struct provider *provider, struct provider_word *word_r)
{
	int running, left;
	CURLMsg *message;
	void *question;

	if (provider->busy == 0)
		return false;
	(void)curl_multi_perform(provider->multi, &running);
	while ((message = curl_multi_info_read(provider->multi, &left)) != NULL) {
		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &question);
		question_end(provider, question, message->data.result, word_r);
		return true;
	}
	return false;
}

bool provider_idle(const struct provider *provider)
{
	return provider->busy == 0;
}
