/* libcurl as carillon-payments uses it (services/payments/adapters/provider.c), which is real up to
 * here. A question reaches the provider of the world (tests/sim/clients/provider.c) after its time
 * on the way, or never; so does the answer, perhaps when nobody waits for it any more. */
#define CURL_DISABLE_TYPECHECK
#include "tests/sim/world/kernel.h"
#include "tests/sim/fake.h"
#include "tests/sim/clients/provider.h"

#include <curl/curl.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

FAKE(curl_global_init);
FAKE(curl_easy_init);
FAKE(curl_easy_reset);
FAKE(curl_easy_setopt);
FAKE(curl_easy_getinfo);
FAKE(curl_easy_strerror);
FAKE(curl_slist_append);
FAKE(curl_multi_init);
FAKE(curl_multi_add_handle);
FAKE(curl_multi_remove_handle);
FAKE(curl_multi_perform);
FAKE(curl_multi_info_read);

#undef curl_easy_setopt
#undef curl_easy_getinfo

#define HANDLES_MAX 256
#define TEXT_MAX 1024
#define WAY_US UINT64_C(40000)	  /* at most, to the provider */
#define BACK_US UINT64_C(3000000) /* at most, from there */
#define LOST_PPM 20000		  /* each way */
#define LATE_PPM 50000

/* A question on its way; the world's, for it goes on when who asked is dead. */
struct exchange {
	struct sim_process *process;
	uint32_t pid;
	struct easy *easy;
	uint64_t number;
	bool look;
	char path[TEXT_MAX], body[TEXT_MAX];
	char answer[PROVIDER_ANSWER_MAX];
	long status;
};

/* A CURL of an instance: goes with its death. */
struct easy {
	char url[TEXT_MAX], body[TEXT_MAX];
	bool post;
	curl_write_callback write;
	void *data, *private;
	long timeout_ms, status;
	uint64_t number; /* of the exchange that counts; 0: none */
	uint64_t asked_us;
	const struct exchange *answered;
	CURLcode code;
	bool told;
};

struct multi {
	struct easy *handle[HANDLES_MAX];
	size_t n;
	CURLMsg message;
};

static uint64_t exchanges;

/* ---- on the way ----------------------------------------------------------------------------- */

static void arrives(void *context)
{
	struct exchange *exchange = context;
	struct sim_process *process = exchange->process;

	if (sim_process_pid(process) != exchange->pid || !sim_process_alive(process) ||
		exchange->easy->number != exchange->number)
		return; /* nobody waits for it */
	exchange->easy->answered = exchange;
}

static void at_provider(void *context)
{
	struct exchange *exchange = context;
	uint64_t us = sim_random_us(200, 20000);

	exchange->status = provider_asked(
		exchange->path, exchange->look ? NULL : exchange->body, exchange->answer);
	sim_trace("provider: %s%s is answered with %ld %s", exchange->path,
		exchange->look ? "" : exchange->body, exchange->status, exchange->answer);
	if (exchange->status == 0 || sim_chance(LOST_PPM))
		return;
	if (sim_chance(LATE_PPM))
		us = sim_random(BACK_US);
	sim_at(sim_now_us() + us, arrives, exchange);
}

static void exchange_begin(struct easy *easy)
{
	struct exchange *exchange = world_alloc(sizeof(*exchange));
	const char *path = strstr(easy->url, "/v1/");

	if (path == NULL)
		sim_fail("payments asks %s", easy->url);
	exchange->process = sim_current();
	exchange->pid = sim_process_pid(exchange->process);
	exchange->easy = easy;
	exchange->number = easy->number = ++exchanges;
	exchange->look = !easy->post;
	memcpy(exchange->path, path, strlen(path) + 1);
	memcpy(exchange->body, easy->body, sizeof(exchange->body));
	if (!sim_chance(LOST_PPM))
		sim_at(sim_now_us() + sim_random_us(200, WAY_US), at_provider, exchange);
}

/* ---- handles -------------------------------------------------------------------------------- */

CURLcode __wrap_curl_global_init(long flags)
{
	(void)flags;
	return CURLE_OK;
}

CURL *__wrap_curl_easy_init(void)
{
	return sim_alloc(sizeof(struct easy));
}

void __wrap_curl_easy_reset(CURL *curl)
{
	memset(curl, 0, sizeof(struct easy));
}

static void text_copy(char to[TEXT_MAX], const char *from)
{
	if (strlen(from) >= TEXT_MAX)
		sim_fail("a question to the provider of %zu bytes", strlen(from));
	memcpy(to, from, strlen(from) + 1);
}

CURLcode __wrap_curl_easy_setopt(CURL *curl, CURLoption option, ...)
{
	struct easy *easy = curl;
	va_list list;

	va_start(list, option);
	switch ((int)option) {
	case CURLOPT_URL:
		text_copy(easy->url, va_arg(list, const char *));
		break;
	case CURLOPT_POSTFIELDS:
		text_copy(easy->body, va_arg(list, const char *));
		easy->post = true;
		break;
	case CURLOPT_WRITEFUNCTION:
		easy->write = va_arg(list, curl_write_callback);
		break;
	case CURLOPT_WRITEDATA:
		easy->data = va_arg(list, void *);
		break;
	case CURLOPT_PRIVATE:
		easy->private = va_arg(list, void *);
		break;
	case CURLOPT_TIMEOUT_MS:
		easy->timeout_ms = va_arg(list, long);
		break;
	default: /* what has no part in money */
		break;
	}
	va_end(list);
	return CURLE_OK;
}

CURLcode __wrap_curl_easy_getinfo(CURL *curl, CURLINFO info, ...)
{
	const struct easy *easy = curl;
	va_list list;

	va_start(list, info);
	if (info == CURLINFO_RESPONSE_CODE)
		*va_arg(list, long *) = easy->status;
	else if (info == CURLINFO_PRIVATE)
		*va_arg(list, void **) = easy->private;
	else
		sim_fail("payments asks libcurl for %d, which is not made up here", (int)info);
	va_end(list);
	return CURLE_OK;
}

const char *__wrap_curl_easy_strerror(CURLcode code)
{
	return code == CURLE_OPERATION_TIMEDOUT ? "Timeout was reached" : "an error";
}

struct curl_slist *__wrap_curl_slist_append(struct curl_slist *list, const char *text)
{
	static struct curl_slist headers; /* nobody reads them */

	(void)text;
	return list == NULL ? &headers : list;
}

/* ---- many at once --------------------------------------------------------------------------- */

CURLM *__wrap_curl_multi_init(void)
{
	return sim_alloc(sizeof(struct multi));
}

CURLMcode __wrap_curl_multi_add_handle(CURLM *all, CURL *curl)
{
	struct multi *multi = all;
	struct easy *easy = curl;

	if (multi->n == HANDLES_MAX)
		return CURLM_OUT_OF_MEMORY;
	sim_effect("provider: a question leaves");
	easy->asked_us = sim_now_us();
	easy->answered = NULL;
	easy->told = false;
	multi->handle[multi->n++] = easy;
	exchange_begin(easy);
	sim_effect("provider: a question has left");
	return CURLM_OK;
}

CURLMcode __wrap_curl_multi_remove_handle(CURLM *all, CURL *curl)
{
	struct multi *multi = all;

	((struct easy *)curl)->number = 0;
	for (size_t i = 0; i < multi->n; i++)
		if (multi->handle[i] == curl)
			multi->handle[i] = multi->handle[--multi->n];
	return CURLM_OK;
}

/* In two pieces, as a network may bring it. */
static void deliver(struct easy *easy)
{
	char bytes[PROVIDER_ANSWER_MAX];
	size_t n = strlen(easy->answered->answer), half = n / 2;

	memcpy(bytes, easy->answered->answer, n + 1);
	easy->status = easy->answered->status;
	easy->code = CURLE_OK;
	if (easy->write(bytes, 1, half, easy->data) != half ||
		easy->write(bytes + half, 1, n - half, easy->data) != n - half)
		easy->code = CURLE_WRITE_ERROR;
}

CURLMcode __wrap_curl_multi_perform(CURLM *all, int *running_r)
{
	struct multi *multi = all;

	(void)multi;
	*running_r = (int)multi->n;
	return CURLM_OK;
}

CURLMsg *__wrap_curl_multi_info_read(CURLM *all, int *left_r)
{
	struct multi *multi = all;

	*left_r = 0;
	for (size_t i = 0; i < multi->n; i++) {
		struct easy *easy = multi->handle[i];
		uint64_t timeout_us = (uint64_t)easy->timeout_ms * 1000;
		if (easy->told ||
			(easy->answered == NULL && sim_now_us() < easy->asked_us + timeout_us))
			continue;
		sim_effect("provider: an answer is read");
		easy->told = true;
		if (easy->answered != NULL)
			deliver(easy);
		else
			easy->code = CURLE_OPERATION_TIMEDOUT;
		multi->message.msg = CURLMSG_DONE;
		multi->message.easy_handle = easy;
		multi->message.data.result = easy->code;
		return &multi->message;
	}
	return NULL;
}
