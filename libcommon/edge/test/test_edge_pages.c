/* The pages that the edge serves: in which coding, as which type, how long they are kept, and who
 * may frame them. */
#include "libcommon/edge/edge.h"
#include "libcommon/edge/test/edge_client.h"
#include "libcommon/edge/test/edge_server.h"
#include "libcommon/io/log.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct edge *edge;
static pthread_t thread;
static uint16_t port;

/* Pages in a folder of their own; their names in the order of the requests below. */
static const char *const pages[][2] = { { "index.html", "<p>home" }, { "app.js", "plain" },
	{ "app.js.br", "in brotli" }, { "app.js.gz", "in gzip" }, { "only.css", "plain" },
	{ "only.css.gz", "in gzip" }, { "art.0123abcd.js", "for ever" },
	{ "framed.html", "<p>game" }, { "a.0123456789ab.a/reels.js", "turn" },
	{ "icon.svg", "<svg/>" }, { "app.js~", "old" }, { "app.bak", "old" }, { "app", "old" } };

/* The site that the query names may frame the page. */
static bool framers(void *context, const struct edge_request *request, char out[EDGE_FRAMERS_MAX])
{
	(void)context;
	return edge_query(request, "site", out, EDGE_FRAMERS_MAX) != NULL;
}

static void pages_serve(void)
{
	char folder[] = "/tmp/carillon-pages-XXXXXX", path[128], lasting[64];
	assert_non_null(mkdtemp(folder));
	(void)snprintf(lasting, sizeof(lasting), "%s/a.0123456789ab.a", folder);
	assert_int_equal(mkdir(lasting, 0700), 0);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, pages[i][0]);
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		assert_true(fputs(pages[i][1], file) >= 0);
		assert_int_equal(fclose(file), 0);
	}
	assert_true(edge_pages(edge, folder, NULL, "/only"));
	edge_pages_framed(edge, "/framed", framers);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, pages[i][0]);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(lasting), 0);
	assert_int_equal(rmdir(folder), 0);
}

static int start(void **state)
{
	static const struct edge_route routes[] = { { EDGE_GET, NULL, NULL, false } };
	const struct edge_config config = {
		.service = "test",
		.listen = "127.0.0.1:0",
		.health_listen = "127.0.0.1:0",
		.routes = routes,
		.connections_max = 500,
	};
	(void)state;
	log_open("test", "test-1", LOG_ERROR);
	edge = edge_new(&config);
	pages_serve();
	port = edge_server_port(edge_address(edge));
	thread = edge_server_run(edge);
	return 0;
}

static int end(void **state)
{
	(void)state;
	edge_server_end(thread);
	edge_free(&edge);
	return 0;
}

static const struct {
	const char *path, *accepts, *answer, *coding; /* coding NULL: none */
	bool varies;
} codings[] = {
	{ "/", NULL, "<p>home", NULL, false }, { "/", "br", "<p>home", NULL, false },
	{ "/app.js", NULL, "plain", NULL, true },
	{ "/app.js", "gzip, deflate, br", "in brotli", "br", true },
	{ "/app.js", "gzip, br;q=0", "in gzip", "gzip", true },
	{ "/app.js", "*", "in brotli", "br", true },
	{ "/app.js", "identity, *;q=0", "plain", NULL, true },
	{ "/app.js", "deflate", "plain", NULL, true },
	{ "/only.css", "gzip, br", "in gzip", "gzip", true },
	{ "/app.js.br", "br", "{\"type\"", NULL, false }, /* no page of its own */
};

static void test_edge_pages_in_codings(void **state)
{
	char request[512], out[4096], line[64];
	(void)state;
	for (size_t i = 0; i < sizeof(codings) / sizeof(codings[0]); i++) {
		(void)snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: x\r\n%s%s%s\r\n",
			codings[i].path, codings[i].accepts != NULL ? "Accept-Encoding: " : "",
			codings[i].accepts != NULL ? codings[i].accepts : "",
			codings[i].accepts != NULL ? "\r\n" : "");
		ask(port, request, out, sizeof(out));
		const char *body = strstr(out, "\r\n\r\n");
		assert_non_null(body);
		if (strncmp(body + 4, codings[i].answer, strlen(codings[i].answer)) != 0)
			fail_msg("%s: %s", request, out);
		(void)snprintf(line, sizeof(line), "\r\nContent-Encoding: %s\r\n",
			codings[i].coding != NULL ? codings[i].coding : "");
		assert_true((strstr(out, line) != NULL) == (codings[i].coding != NULL));
		assert_true((strstr(out, "\r\nVary: Accept-Encoding\r\n") != NULL) ==
			    codings[i].varies);
	}
}

/* Text says its character set; what is no part of a page is not served. */
static void test_edge_types_of_pages(void **state)
{
	static const struct {
		const char *path, *type; /* NULL: not served */
	} TABLE[] = {
		{ "/", "text/html; charset=utf-8" },
		{ "/app.js", "text/javascript; charset=utf-8" },
		{ "/only.css", "text/css; charset=utf-8" },
		{ "/icon.svg", "image/svg+xml; charset=utf-8" },
		{ "/healthz", "text/plain; charset=utf-8" },
		{ "/readyz", "text/plain; charset=utf-8" },
		{ "/app.js~", NULL },
		{ "/app.bak", NULL },
		{ "/app", NULL },
		{ "/app.js.br", NULL },
	};
	char out[4096], line[96];
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		get(port, TABLE[i].path, out, sizeof(out));
		(void)snprintf(line, sizeof(line), "\r\nContent-Type: %s\r\n",
			TABLE[i].type != NULL ? TABLE[i].type : "application/problem+json");
		if (strstr(out, line) == NULL)
			fail_msg("%s: %.400s", TABLE[i].path, out);
	}
}

/* Each coding has a tag of its own; a name with a digest is kept for ever, and known by its tag. */
static void test_edge_pages_are_kept(void **state)
{
	char request[512], out[4096], other[4096], tag[64] = "";
	(void)state;
	ask(port, "GET /app.js HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\n\r\n", out,
		sizeof(out));
	ask(port, "GET /app.js HTTP/1.1\r\nHost: x\r\n\r\n", other, sizeof(other));
	assert_int_equal(sscanf(strstr(out, "ETag: "), "ETag: %63s", tag), 1);
	assert_null(strstr(other, tag));
	assert_non_null(strstr(out, "Cache-Control: no-cache\r\n"));
	(void)snprintf(request, sizeof(request),
		"GET /app.js HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\nIf-None-Match: %s\r\n\r\n",
		tag);
	ask(port, request, out, sizeof(out));
	assert_memory_equal(out, "HTTP/1.1 304", 12);
	assert_non_null(strstr(out, "Vary: Accept-Encoding\r\n"));
	ask(port, "GET /art.0123abcd.js HTTP/1.1\r\nHost: x\r\n\r\n", out, sizeof(out));
	assert_non_null(strstr(out, "Cache-Control: public, max-age=31536000, immutable\r\n"));
}

/* Only the folder's own build may be kept: another build's may hold another file under this name.
 */
static void test_edge_pages_of_another_build(void **state)
{
	static const struct {
		const char *path, *status, *kept;
	} TABLE[] = {
		{ "/a.0123456789ab.a/reels.js", "HTTP/1.1 200", "immutable" },
		{ "/a.fedcba9876543210.a/reels.js", "HTTP/1.1 200", "no-cache" },
		{ "/a.fedcba987654.a/lines.js", "HTTP/1.1 404", NULL },
		{ "/a.fedcba9.a/reels.js", "HTTP/1.1 404", NULL },
		{ "/a.fedcba987654/reels.js", "HTTP/1.1 404", NULL },
		{ "/b.fedcba987654.a/reels.js", "HTTP/1.1 404", NULL },
	};
	char out[4096];
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		get(port, TABLE[i].path, out, sizeof(out));
		assert_memory_equal(out, TABLE[i].status, 12);
		if (TABLE[i].kept != NULL) {
			assert_non_null(strstr(out, TABLE[i].kept));
			assert_non_null(strstr(out, "\r\n\r\nturn"));
		}
	}
}

static void test_edge_pages_are_framed_by_their_sites_alone(void **state)
{
	static const struct {
		const char *path, *ancestors;
		bool denied;
	} TABLE[] = {
		{ "/framed.html", "frame-ancestors 'none'\r\n", true },
		{ "/framed.html?site=https://a.example", "frame-ancestors https://a.example\r\n",
			false },
		{ "/index.html?site=https://a.example", "frame-ancestors 'none'\r\n", true },
	};
	char out[4096];
	(void)state;
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		get(port, TABLE[i].path, out, sizeof(out));
		assert_memory_equal(out, "HTTP/1.1 200", 12);
		assert_non_null(strstr(out, TABLE[i].ancestors));
		assert_true((strstr(out, "X-Frame-Options: DENY\r\n") != NULL) == TABLE[i].denied);
	}
}

/* Only pages below the one path may compile WebAssembly. */
static void test_edge_pages_compile_nothing(void **state)
{
	char out[4096];
	(void)state;
	ask(port, "GET /app.js HTTP/1.1\r\nHost: x\r\n\r\n", out, sizeof(out));
	assert_non_null(strstr(out, "default-src 'none'; script-src 'self'; style-src"));
	assert_non_null(strstr(out, "\r\nReferrer-Policy: no-referrer\r\n"));
	ask(port, "GET /only.css HTTP/1.1\r\nHost: x\r\n\r\n", out, sizeof(out));
	assert_non_null(strstr(out, "script-src 'self' 'wasm-unsafe-eval'; style-src"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edge_pages_in_codings),
		cmocka_unit_test(test_edge_types_of_pages),
		cmocka_unit_test(test_edge_pages_are_kept),
		cmocka_unit_test(test_edge_pages_of_another_build),
		cmocka_unit_test(test_edge_pages_are_framed_by_their_sites_alone),
		cmocka_unit_test(test_edge_pages_compile_nothing),
	};
	return cmocka_run_group_tests(tests, start, end);
}
