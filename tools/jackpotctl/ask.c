#include "tools/jackpotctl/ask.h"

#include "tools/jackpotctl/rows_print.h"

#include "libcommon/io/key_files.h"
#include "libcommon/io/proof_stream.h"

#include <curl/curl.h>
#include <sodium.h>

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STANDARD_GATEWAY "http://127.0.0.1:8080"
#define PATH_ROOM 4200
#define KEY_ROOM 256
#define KEY_DIGITS 64
#define ERROR_ROOM 512
#define HEADER_ROOM 320
#define REQUEST_BYTES 16
#define REQUEST_MAX 64
#define CONNECT_MS 10000
#define ANSWER_MS 120000 /* a report of a long time is added up first */
#define SECOND_US INT64_C(1000000)
#define TIME_ROOM 64

struct answer {
	long status;
	char *bytes;
	size_t length;
	json_t *json; /* NULL: it is none */
};

static _Noreturn void out_of_memory(void)
{
	fputs("jackpotctl: out of memory\n", stderr);
	exit(EXIT_USAGE);
}

/* ---- what is sent ---- */

static bool whole_read(const char *text, int64_t *number_r)
{
	char *end;

	errno = 0;
	*number_r = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0' && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

/* A 30th of February is none, and a year has four digits. */
static bool time_read(const char *text, int64_t *seconds_r)
{
	static const char *const forms[] = { "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S" };
	static const size_t lengths[] = { 10, 19 };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm when = { 0 };
		const char *end = strptime(text, forms[i], &when);
		char same[TIME_ROOM] = "";
		if (end == NULL || *end != '\0')
			continue;
		*seconds_r = (int64_t)timegm(&when);
		(void)(i == 0 ? strftime(same, sizeof(same), "%Y-%m-%d", &when)
			      : strftime(same, sizeof(same), "%Y-%m-%dT%H:%M:%S", &when));
		return strlen(text) == lengths[i] && strcmp(same, text) == 0;
	}
	return false;
}

/* The value of an option, as its row says. */
static json_t *member_of(const struct call *call, enum option_id option)
{
	const char *value = call->values[option];
	enum command_member member = command_options[option].member;
	bool whole = member == MEMBER_WHOLE;
	json_t *json = NULL;
	int64_t number = 0;

	if (member == MEMBER_TRUE)
		json = json_true();
	else if (member == MEMBER_TEXT)
		json = json_string(value);
	else if (member == MEMBER_JSON)
		json = json_loads(value, 0, NULL);
	else if (whole ? whole_read(value, &number) : time_read(value, &number))
		json = json_integer(member == MEMBER_TIME_US ? number * SECOND_US : number);
	if (json == NULL)
		call_wrong(call, option, NULL);
	return json;
}

/* "$2": the second argument; "#2": the same as a number. */
static json_t *argument_of(const struct call *call, const char *text)
{
	int i = text[1] - '1';
	json_t *json;
	int64_t number;

	if (text[0] == '$')
		json = json_string(call->arguments[i]);
	else
		json = whole_read(call->arguments[i], &number) ? json_integer(number) : NULL;
	if (json == NULL)
		call_wrong_argument(call, i, text[0] == '$' ? "text in UTF-8" : "a whole number");
	return json;
}

/* The body as text; NULL: the request has none. */
static char *body_of(const struct call *call)
{
	const char *standard = call->command->request.body;
	json_t *body = json_object(),
	       *given = standard == NULL ? NULL : json_loads(standard, 0, NULL);
	json_t *value;
	const char *name;
	char *text;

	json_object_foreach(given, name, value)
	{
		const char *is = json_string_value(value);
		if (is != NULL && (is[0] == '$' || is[0] == '#'))
			json_object_set_new(body, name, argument_of(call, is));
		else
			json_object_set(body, name, value);
	}
	for (size_t i = 0; i < OPTIONS_N; i++)
		if (call->values[i] != NULL && command_options[i].field != NULL)
			json_object_set_new(
				body, command_options[i].field, member_of(call, (enum option_id)i));
	text = given == NULL ? NULL : json_dumps(body, JSON_COMPACT);
	if (given != NULL && text == NULL)
		out_of_memory();
	json_decref(given);
	json_decref(body);
	return text;
}

static void escaped_write(CURL *curl, const char *text, FILE *out)
{
	char *escaped = curl_easy_escape(curl, text, 0);

	if (escaped == NULL)
		out_of_memory();
	fputs(escaped, out);
	curl_free(escaped);
}

static void path_write(const struct call *call, CURL *curl, FILE *out)
{
	int argument = 0;

	for (const char *at = call->command->request.path; *at != '\0'; at++) {
		if (strncmp(at, "{op}", 4) == 0) {
			fputs(call_operator(call), out);
			at += 3;
		} else if (strncmp(at, "{}", 2) == 0) {
			escaped_write(curl, call->arguments[argument++], out);
			at++;
		} else {
			fputc(*at, out);
		}
	}
}

/* The options of a GET. */
static void query_write(const struct call *call, CURL *curl, FILE *out)
{
	char separator = strchr(call->command->request.path, '?') == NULL ? '?' : '&';

	for (size_t i = 0; i < OPTIONS_N; i++) {
		json_t *json;
		if (call->values[i] == NULL || command_options[i].field == NULL)
			continue;
		json = member_of(call, (enum option_id)i);
		fprintf(out, "%c%s=", separator, command_options[i].field);
		if (json_is_integer(json))
			fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
		else if (json_is_true(json))
			fputs("true", out);
		else
			escaped_write(curl, call->values[i], out);
		json_decref(json);
		separator = '&';
	}
}

static const char *gateway_of(const struct call *call)
{
	const char *variable = getenv("JACKPOTCTL_GATEWAY");

	if (call_has(call, OPTION_GATEWAY))
		return call->values[OPTION_GATEWAY];
	return variable != NULL && variable[0] != '\0' ? variable : STANDARD_GATEWAY;
}

static bool is_loopback(const char *host)
{
	struct in_addr address;

	return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
	       (inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

/* The key crosses a network only under TLS. */
static void gateway_check(const struct call *call, const char *text)
{
	CURLU *url = curl_url();
	char *scheme = NULL, *host = NULL;
	bool good = url != NULL && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
		    curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
		    curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
		    (strcmp(scheme, "https") == 0 ||
			    (strcmp(scheme, "http") == 0 && is_loopback(host)));

	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(url);
	if (good)
		return;
	fprintf(stderr, "jackpotctl: %s: found '%s', expected %s\n",
		call_has(call, OPTION_GATEWAY) ? "--gateway" : "JACKPOTCTL_GATEWAY",
		gateway_of(call), command_options[OPTION_GATEWAY].expected);
	exit(EXIT_USAGE);
}

static char *url_of(const struct call *call, CURL *curl)
{
	const char *gateway = gateway_of(call);
	size_t length = strlen(gateway), written;
	char *url = NULL;
	FILE *out = open_memstream(&url, &written);

	if (out == NULL)
		out_of_memory();
	if (length > 0 && gateway[length - 1] == '/')
		length--;
	fprintf(out, "%.*s", (int)length, gateway);
	path_write(call, curl, out);
	if (!call->command->request.post)
		query_write(call, curl, out);
	(void)fclose(out);
	gateway_check(call, url);
	return url;
}

/* ---- the key ---- */

static const char *key_path(const struct call *call, char room[PATH_ROOM])
{
	const char *variable = getenv("JACKPOTCTL_KEY");
	char name[64];

	if (call_has(call, OPTION_KEY))
		return call->values[OPTION_KEY];
	if (variable != NULL && variable[0] != '\0')
		return variable;
	(void)snprintf(name, sizeof(name), "operator-%.8s.key", call_operator(call));
	return proof_key_path(NULL, "gateway", name, room, PATH_ROOM);
}

static _Noreturn void key_wrong(const char *where, const char *found)
{
	fprintf(stderr, "jackpotctl: the key in %s: found %s, expected %s\n", where, found,
		command_options[OPTION_KEY].expected);
	exit(EXIT_USAGE);
}

/* Whoever gives the key in place of its file must not find it in a log, too. */
static bool is_key(const char *text)
{
	return strlen(text) == KEY_DIGITS && strspn(text, "0123456789abcdefABCDEF") == KEY_DIGITS;
}

static FILE *key_open(const struct call *call)
{
	char room[PATH_ROOM], error[ERROR_ROOM];
	const char *path = key_path(call, room);
	struct stat about;
	FILE *file;

	if (is_key(path))
		key_wrong(call_has(call, OPTION_KEY) ? "--key" : "JACKPOTCTL_KEY",
			"what looks like the key itself");
	file = fopen(path, "re");
	if (file == NULL || fstat(fileno(file), &about) != 0)
		key_wrong(path, strerror(errno));
	if (key_file_closed(path, &about, error, sizeof(error)))
		return file;
	fprintf(stderr, "jackpotctl: the key in %s\n", error);
	exit(EXIT_USAGE);
}

static void key_read(const struct call *call, char key_r[KEY_ROOM])
{
	FILE *file = key_open(call);
	char room[PATH_ROOM];

	(void)setvbuf(file, NULL, _IONBF, 0); /* a buffer would keep a copy of the key */
	if (fgets(key_r, KEY_ROOM, file) == NULL)
		key_r[0] = '\0';
	(void)fclose(file);
	if (strlen(key_r) == KEY_ROOM - 1 && key_r[KEY_ROOM - 2] != '\n')
		key_wrong(key_path(call, room), "a longer line");
	key_r[strcspn(key_r, "\r\n")] = '\0';
	if (key_r[0] == '\0')
		key_wrong(key_path(call, room), "nothing in the first line");
}

/* ---- the request ---- */

static size_t on_bytes(char *bytes, size_t size, size_t n, void *context)
{
	return fwrite(bytes, size, n, context) * size;
}

static struct curl_slist *header_add(struct curl_slist *list, const char *name, const char *value)
{
	char header[HEADER_ROOM];
	struct curl_slist *longer;

	(void)snprintf(header, sizeof(header), "%s:%s%s", name, value[0] == '\0' ? "" : " ", value);
	longer = curl_slist_append(list, header);
	sodium_memzero(header, sizeof(header));
	if (longer == NULL)
		out_of_memory();
	return longer;
}

static bool is_keyed(const struct call *call)
{
	return (call->command->options >> OPTION_REQUEST & 1) != 0;
}

/* "" as a value removes the header that curl would send. */
static struct curl_slist *headers_of(const struct call *call, const char *request, bool body)
{
	char bearer[KEY_ROOM + 8] = "Bearer ";
	struct curl_slist *list = NULL;

	key_read(call, bearer + 7);
	list = header_add(list, "Authorization", bearer);
	sodium_memzero(bearer, sizeof(bearer));
	list = header_add(list, "Expect", "");
	list = header_add(list, "Content-Type", body ? "application/json" : "");
	return is_keyed(call) ? header_add(list, "Idempotency-Key", request) : list;
}

static const char *request_of(const struct call *call, char room[2 * REQUEST_BYTES + 1])
{
	const char *given = call->values[OPTION_REQUEST];
	uint8_t bytes[REQUEST_BYTES];

	if (given != NULL &&
		(given[0] == '\0' || strlen(given) > REQUEST_MAX || strpbrk(given, "\r\n") != NULL))
		call_wrong(call, OPTION_REQUEST, NULL);
	if (given != NULL)
		return given;
	randombytes_buf(bytes, sizeof(bytes));
	return sodium_bin2hex(room, 2 * REQUEST_BYTES + 1, bytes, sizeof(bytes));
}

/* ---- when nobody knows what became of it ---- */

/* Of what was sent and may have been carried out: how to go on. Empty: it changes nothing. */
static char uncertain[ERROR_ROOM];

static void on_signal(int number)
{
	(void)number;
	(void)!write(STDERR_FILENO, uncertain, strlen(uncertain));
	_exit(EXIT_USAGE);
}

/* From now on a signal that ends the process says it. */
static void uncertain_begin(const struct call *call, const char *request)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, before;

	if (!call->command->request.post)
		return;
	(void)snprintf(uncertain, sizeof(uncertain),
		"jackpotctl: it may have been done, or may still be: %s%s%s\n",
		is_keyed(call) ? "send it again with --request " : "look before you send it again",
		is_keyed(call) ? request : "", is_keyed(call) ? ", which does it once" : "");
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &action, NULL);
}

/* ---- sending it ---- */

static void options_set(const struct call *call, CURL *curl, const char *url, const char *body)
{
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* one of the environment would get the key */
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)ANSWER_MS);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
	if (call->command->request.post)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body == NULL ? "" : body);
}

/* Ends the process if there is no answer. */
static void send_it(
	const struct call *call, CURL *curl, const char *request, struct answer *answer_r)
{
	char *url = url_of(call, curl), *body = body_of(call);
	struct curl_slist *headers = headers_of(call, request, body != NULL);
	FILE *out = open_memstream(&answer_r->bytes, &answer_r->length);
	CURLcode code;

	if (out == NULL)
		out_of_memory();
	options_set(call, curl, url, body);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, out);
	uncertain_begin(call, request);
	code = curl_easy_perform(curl);
	(void)fclose(out);
	(void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer_r->status);
	curl_slist_free_all(headers);
	free(body);
	if (code != CURLE_OK) {
		fprintf(stderr, "jackpotctl: %s: found no answer (%s), expected a gateway\n", url,
			curl_easy_strerror(code));
		if (code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST)
			fputs(uncertain, stderr);
		exit(EXIT_USAGE);
	}
	free(url);
}

/* ---- what is answered ---- */

static const char *text_of(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* What was asked for, or an error of the gateway; else something between answers in its place. */
static bool is_the_gateways(const struct call *call, const struct answer *answer)
{
	const char *member = call->command->request.member;
	const json_t *error = json_object_get(answer->json, "error");

	if (answer->status >= 400)
		return text_of(error, "code") != NULL && text_of(error, "message") != NULL;
	return answer->status >= 200 && answer->status <= 299 && json_is_object(answer->json) &&
	       (member == NULL || json_object_get(answer->json, member) != NULL);
}

static int strange(const struct call *call, const struct answer *answer)
{
	fprintf(stderr, "jackpotctl: %s: found an answer with status %ld, expected a gateway's\n",
		call->command->words, answer->status);
	fputs(uncertain, stderr);
	return EXIT_USAGE;
}

/* What is wrong, where, what was found and what is expected, as far as the gateway says so. */
static int refused(const struct call *call, const struct answer *answer)
{
	const json_t *error = json_object_get(answer->json, "error");
	const char *where = text_of(error, "where");
	const char *found = text_of(error, "found"), *expected = text_of(error, "expected");
	bool wrong = answer->status == 400 || answer->status == 401 || answer->status >= 500;

	fprintf(stderr, "jackpotctl: %s: %s", call->command->words, text_of(error, "message"));
	if (where != NULL)
		fprintf(stderr, " %s: found %s%s%s", where, found == NULL ? "this" : found,
			expected == NULL ? "" : ", expected ", expected == NULL ? "" : expected);
	fprintf(stderr, " (%ld %s)\n", answer->status, text_of(error, "code"));
	if (answer->status >= 500)
		fputs(uncertain, stderr);
	return wrong ? EXIT_USAGE : EXIT_BROKEN;
}

static void shown(const struct call *call, const struct answer *answer)
{
	const char *member = call->command->request.member;
	json_t *one = member == NULL
			      ? json_incref(answer->json)
			      : json_pack("{s:O}", member, json_object_get(answer->json, member));

	if (call_has(call, OPTION_JSON))
		json_print(json_incref(one));
	else
		json_text(one);
	json_decref(one);
}

int run_ask(const struct call *call)
{
	char room[2 * REQUEST_BYTES + 1];
	struct answer answer = { 0 };
	const char *request;
	CURL *curl;
	int status;

	if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
		(curl = curl_easy_init()) == NULL)
		out_of_memory();
	request = request_of(call, room);
	send_it(call, curl, request, &answer);
	answer.json = json_loadb(answer.bytes, answer.length, 0, NULL);
	if (!is_the_gateways(call, &answer)) {
		status = strange(call, &answer);
	} else if (answer.status >= 400) {
		status = refused(call, &answer);
	} else {
		shown(call, &answer);
		status = answer.status == 202 ? EXIT_WAITS : 0;
	}
	if (status == EXIT_WAITS && !call_has(call, OPTION_JSON))
		puts("nothing is done yet: another user or key must approve it");
	json_decref(answer.json);
	free(answer.bytes);
	curl_easy_cleanup(curl);
	return status;
}
