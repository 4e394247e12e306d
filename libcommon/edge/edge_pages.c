/* Static pages, read at the start. A request for a page reads no disk and can name no file outside
 * the folder. */
#include "libcommon/edge/private/server.h"

#include "libcommon/io/log.h"

#include <sodium.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PAGES_MAX 768 /* each in up to three codings */
#define PAGES_BYTES_MAX (32u << 20)
#define DIGEST_MIN 8 /* hexadecimal digits of a digest in a name */
#define FOLDER_DEPTH_MAX 6

static const struct {
	const char *ending, *type;
} TYPES[] = {
	{ ".html", "text/html; charset=utf-8" },
	{ ".js", "text/javascript; charset=utf-8" },
	{ ".mjs", "text/javascript; charset=utf-8" },
	{ ".css", "text/css; charset=utf-8" },
	{ ".json", "application/json" },
	{ ".svg", "image/svg+xml; charset=utf-8" },
	{ ".png", "image/png" },
	{ ".jpg", "image/jpeg" },
	{ ".webp", "image/webp" },
	{ ".ico", "image/x-icon" },
	{ ".woff2", "font/woff2" },
	{ ".wasm", "application/wasm" },
	{ ".mp3", "audio/mpeg" },
	{ ".txt", "text/plain; charset=utf-8" },
	{ ".md", "text/plain; charset=utf-8" },
};

static const char *type_of(const char *name)
{
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot != NULL && i < sizeof(TYPES) / sizeof(TYPES[0]); i++)
		if (strcmp(dot, TYPES[i].ending) == 0)
			return TYPES[i].type;
	return NULL;
}

/* The codings of prepared pages, the better one first: app.js.br is app.js in brotli. */
static const struct {
	const char *ending, *name;
} CODINGS[2] = { { ".br", "br" }, { ".gz", "gzip" } };

static const char *coding_of(const char *path)
{
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot != NULL && i < 2; i++)
		if (strcmp(dot, CODINGS[i].ending) == 0)
			return CODINGS[i].name;
	return NULL;
}

/* "reels.0123abcd.js": part of the name is a digest of what is in the file. */
static bool has_digest(const char *path)
{
	for (const char *dot = strchr(path, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
		size_t n = strspn(dot + 1, "0123456789abcdef");
		if (n >= DIGEST_MIN && dot[1 + n] == '.')
			return true;
	}
	return false;
}

/* In "/a.0123456789ab.a/reels.js" the slash after the folder's name; NULL in any other path. */
static const char *folder_end(const char *path)
{
	size_t n = strncmp(path, "/a.", 3) == 0 ? strspn(path + 3, "0123456789abcdef") : 0;
	return n >= DIGEST_MIN && strncmp(path + 3 + n, ".a/", 3) == 0 ? path + 3 + n + 2 : NULL;
}

static bool page_read(struct edge *edge, const char *file, const char *path, size_t *total)
{
	/* What lies there by mistake, such as an editor's copy, stays in the folder. */
	if (type_of(path) == NULL && coding_of(path) == NULL) {
		log_warn_as("edge.page.unknown_type",
			"pages: %s is not served: found no name ending of a page or picture", path);
		return true;
	}
	FILE *in = fopen(file, "rb");
	struct stat st;
	bool ok = false;
	if (in == NULL || fstat(fileno(in), &st) != 0)
		goto out;
	size_t length = (size_t)st.st_size;
	if (edge->pages_n == PAGES_MAX || *total + length > PAGES_BYTES_MAX ||
		strlen(path) >= sizeof(edge->pages[0].path)) {
		log_warn_as("edge.page.limit",
			"pages: %s exceeds a limit (%d files, %u bytes in all, %zu bytes of path)",
			path, PAGES_MAX, PAGES_BYTES_MAX, sizeof(edge->pages[0].path) - 1);
		goto out;
	}
	struct edge_page *page = &edge->pages[edge->pages_n];
	page->bytes = malloc(length + 1);
	if (page->bytes == NULL)
		fatal("pages: out of memory");
	page->length = fread(page->bytes, 1, length, in);
	memcpy(page->path, path, strlen(path) + 1); /* the length was checked above */
	page->type = type_of(path);
	page->coding = coding_of(path);
	page->lasts = has_digest(path);
	unsigned char digest[crypto_hash_sha256_BYTES];
	char hex[17];
	(void)crypto_hash_sha256(digest, (const unsigned char *)page->bytes, page->length);
	(void)sodium_bin2hex(hex, sizeof(hex), digest, 8);
	(void)snprintf(page->etag, sizeof(page->etag), "\"%s\"", hex);
	*total += length;
	edge->pages_n++;
	ok = true;
out:
	if (in != NULL)
		(void)fclose(in);
	return ok;
}

static bool folder_read(
	struct edge *edge, const char *folder, const char *prefix, int depth, size_t *total)
{
	DIR *dir = opendir(folder);
	if (dir == NULL) {
		log_warn_as("edge.page.unreadable", "pages: cannot read %s: %s", folder,
			strerror(errno));
		return false;
	}
	bool ok = true;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		char file[1024];
		char path[256];
		struct stat st;
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(file, sizeof(file), "%s/%s", folder, entry->d_name) >=
				(int)sizeof(file) ||
			snprintf(path, sizeof(path), "%s%s", prefix, entry->d_name) >=
				(int)sizeof(path) ||
			stat(file, &st) != 0)
			continue;
		if (S_ISREG(st.st_mode)) {
			ok = page_read(edge, file, path, total) && ok;
		} else if (S_ISDIR(st.st_mode) && depth < FOLDER_DEPTH_MAX &&
			   strlen(path) + 2 < sizeof(path)) {
			memcpy(path + strlen(path), "/", sizeof("/"));
			ok = folder_read(edge, file, path, depth + 1, total) && ok;
		}
	}
	(void)closedir(dir);
	return ok;
}

/* Each page knows the same page in the codings that were prepared. */
static void codings_join(struct edge *edge)
{
	char path[sizeof(edge->pages[0].path) + 4];
	for (size_t p = 0; p < edge->pages_n; p++)
		for (size_t i = 0; i < 2; i++) {
			(void)snprintf(
				path, sizeof(path), "%s%s", edge->pages[p].path, CODINGS[i].ending);
			for (size_t c = 0; c < edge->pages_n; c++)
				if (strcmp(edge->pages[c].path, path) == 0)
					edge->pages[p].coded[i] = &edge->pages[c];
		}
}

static void policy_write(char *out, size_t room, const char *scripts, const char *connect)
{
	(void)snprintf(out, room,
		"default-src 'none'; script-src 'self'%s; style-src 'self'; img-src 'self' data:; "
		"font-src 'self'; media-src 'self'; manifest-src 'self'; connect-src "
		"'self'%s%.400s; "
		"base-uri 'none'; form-action 'none'",
		scripts, connect != NULL && connect[0] != '\0' ? " " : "",
		connect != NULL ? connect : "");
}

bool edge_pages(struct edge *edge, const char *folder, const char *connect, const char *modules)
{
	size_t total = 0;
	policy_write(edge->policy, sizeof(edge->policy), "", connect);
	policy_write(
		edge->modules_policy, sizeof(edge->modules_policy), " 'wasm-unsafe-eval'", connect);
	edge->modules = modules;
	edge->pages = calloc(PAGES_MAX, sizeof(edge->pages[0]));
	if (edge->pages == NULL)
		fatal("pages: out of memory");
	bool ok = folder_read(edge, folder, "/", 0, &total);
	codings_join(edge);
	log_info("%zu pages, %zu bytes, from %s", edge->pages_n, total, folder);
	return ok;
}

/* What pages load lies in one folder, "/a.DIGEST.a/". Gateways are replaced one by one: where a
 * page of another build asks, it gets the file of this build, if there is one. Returns the path in
 * this build's folder, or NULL. */
static const char *path_here(const struct edge *edge, const char *path, char out[EDGE_PATH_MAX])
{
	const char *theirs = folder_end(path);
	for (size_t i = 0; theirs != NULL && i < edge->pages_n; i++) {
		const char *ours = folder_end(edge->pages[i].path);
		if (ours == NULL)
			continue;
		(void)snprintf(out, EDGE_PATH_MAX, "%.*s%s", (int)(ours - edge->pages[i].path),
			edge->pages[i].path, theirs);
		return out;
	}
	return NULL;
}

static const struct edge_page *page_at(const struct edge *edge, const char *path)
{
	for (size_t i = 0; i < edge->pages_n; i++)
		if (edge->pages[i].coding == NULL && strcmp(edge->pages[i].path, path) == 0)
			return &edge->pages[i];
	return NULL;
}

const struct edge_page *edge_page_find(const struct edge *edge, const char *path, bool *redirect_r)
{
	char index[EDGE_PATH_MAX + 16];
	char here[EDGE_PATH_MAX];
	size_t length = strlen(path);
	*redirect_r = false;
	if (length > 0 && path[length - 1] == '/') {
		(void)snprintf(index, sizeof(index), "%sindex.html", path);
		return page_at(edge, index);
	}
	const struct edge_page *page = page_at(edge, path);
	if (page == NULL && path_here(edge, path, here) != NULL)
		return page_at(edge, here);
	if (page == NULL) {
		(void)snprintf(index, sizeof(index), "%s/index.html", path);
		*redirect_r = page_at(edge, index) != NULL;
	}
	return page;
}

/* The bytes that the client may get: of the page in the best coding that it accepts. */
static const struct edge_page *bytes_for(struct edge_request *request, const struct edge_page *page)
{
	const char *accepted = edge_header(request, EDGE_ACCEPT_ENCODING);
	const struct edge_page *bytes = page;
	for (size_t i = 2; i-- > 0;)
		if (page->coded[i] != NULL && accepted != NULL &&
			http_accepts(accepted, page->coded[i]->coding))
			bytes = page->coded[i];
	if (page->coded[0] != NULL || page->coded[1] != NULL)
		edge_answer_header(request, "Vary", "Accept-Encoding");
	return bytes;
}

static bool may_compile(const struct edge *edge, const struct edge_page *page)
{
	return edge->modules != NULL &&
	       strncmp(page->path, edge->modules, strlen(edge->modules)) == 0;
}

void edge_pages_framed(struct edge *edge, const char *prefix, edge_framers *framers)
{
	edge->framed = prefix;
	edge->framers = framers;
}

/* The policy, and the older header for browsers that do not know frame-ancestors. */
static void policy_answer(struct edge_request *request, const struct edge_page *page)
{
	const struct edge *edge = request->edge;
	char framers[EDGE_FRAMERS_MAX];
	char policy[sizeof(edge->policy) + sizeof(framers) + 24];
	bool framed = edge->framed != NULL &&
		      strncmp(request->path, edge->framed, strlen(edge->framed)) == 0 &&
		      edge->framers(edge->config.context, request, framers);
	(void)snprintf(policy, sizeof(policy), "%s; frame-ancestors %s",
		may_compile(edge, page) ? edge->modules_policy : edge->policy,
		framed ? framers : "'none'");
	edge_answer_header(request, "Content-Security-Policy", policy);
	if (!framed)
		edge_answer_header(request, "X-Frame-Options", "DENY");
}

void edge_page_answer(struct edge_request *request, const struct edge_page *page)
{
	const struct edge_page *bytes = bytes_for(request, page);
	request->lasts = page->lasts && strcmp(request->path, page->path) == 0;
	if (edge_answer_etag(request, bytes->etag))
		return;
	if (bytes->coding != NULL)
		edge_answer_header(request, "Content-Encoding", bytes->coding);
	/* The policy is the longest header; EDGE_MORE_HEADERS_MAX has room for it. */
	policy_answer(request, page);
	edge_answer_header(request, "Referrer-Policy", "no-referrer");
	/* The proof of a round hears the game that opened it, also from another site's frame: any
	 * other policy would part the two. */
	edge_answer_header(request, "Cross-Origin-Opener-Policy",
		may_compile(request->edge, page) ? "unsafe-none" : "same-origin");
	edge_answer(request, 200, page->type, bytes->bytes, bytes->length);
}

void edge_pages_free(struct edge *edge)
{
	for (size_t i = 0; i < edge->pages_n; i++)
		free(edge->pages[i].bytes);
	free(edge->pages);
	edge->pages = NULL;
	edge->pages_n = 0;
}
