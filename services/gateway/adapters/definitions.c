/* GET /v1/definitions/{digest}: the definition that a round was played with, so that its player can
 * play it again. An operator may keep definitions to themselves (GATEWAY_DEFINITIONS). A definition
 * never changes, so the last ones stay in memory, and clients may keep them for ever. */
#include "services/gateway/adapters/gateway.h"

#include "libcommon/base/hex.h"
#include "libcommon/base/sha256.h"
#include "libcommon/io/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 32
#define DIGEST_TEXT (2 * SHA256_BYTES)

struct kept {
	char digest[DIGEST_TEXT + 1];
	char *json;
};

static struct kept kept[KEPT];
static size_t kept_next;

struct waiting {
	struct waiter waiter; /* first */
	char digest[DIGEST_TEXT + 1];
};

static void answer(struct edge_request *request, const char *digest, const char *json)
{
	char etag[DIGEST_TEXT + 3];
	(void)snprintf(etag, sizeof(etag), "\"%s\"", digest);
	if (!edge_answer_etag(request, etag))
		edge_answer_json(request, 200, json, strlen(json));
}

static const char *keep(const char *digest, const char *json)
{
	struct kept *place = &kept[kept_next++ % KEPT];
	free(place->json);
	(void)snprintf(place->digest, sizeof(place->digest), "%s", digest);
	place->json = strdup(json);
	if (place->json == NULL)
		fatal("out of memory");
	return place->json;
}

/* What is in the table is what its digest says, or it is not told. */
static bool is_whole(const char *digest, const char *json)
{
	uint8_t bytes[SHA256_BYTES];
	char text[DIGEST_TEXT + 1];
	struct sha256 sha;
	sha256_begin(&sha);
	sha256_add(&sha, json, strlen(json));
	sha256_end(&sha, bytes);
	hex_format(bytes, sizeof(bytes), text);
	return strcmp(text, digest) == 0;
}

static void on_definition_row(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	if (request == NULL)
		goto out;
	if (PQntuples(result) == 0) {
		edge_answer_error(request, 404, "definition_unknown",
			"No definition with this digest was ever registered here.", "digest",
			waiting->digest, "\"math_version\" of a round");
		goto out;
	}
	const char *json = PQgetvalue(result, 0, 0);
	if (is_whole(waiting->digest, json)) {
		answer(request, waiting->digest, keep(waiting->digest, json));
	} else {
		log_error_as("gateway.definition.wrong_digest",
			"carillon.game: the definition stored under the digest %s has a "
			"different digest",
			waiting->digest);
		answer_unavailable(request, "the stored definition does not match its digest");
	}
out:
	free(waiting);
}

void on_definition(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	struct gateway *gateway = context;
	const char *digest = edge_parameter(request, 0);
	const char *parameters[] = { digest };
	uint8_t bytes[SHA256_BYTES];
	if (!answer_query(request, names))
		return;
	if (!gateway->settings.definitions) {
		edge_answer_error(request, 403, "not_published",
			"This operator does not publish the definitions of games.", "digest",
			digest, "the definition in the saved file of a round");
		return;
	}
	if (!hex_parse(digest, SHA256_BYTES, bytes)) {
		answer_bad(request, "digest", digest, "64 digits 0-9a-f");
		return;
	}
	for (size_t i = 0; i < KEPT; i++)
		if (strcmp(kept[i].digest, digest) == 0) {
			answer(request, digest, kept[i].json);
			return;
		}
	if (!auth_session_rate(gateway, request))
		return;
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, 0);
	memcpy(waiting->digest, digest, DIGEST_TEXT + 1);
	pg_pool_query(gateway->pg_ro,
		"select definition from carillon.game where math_version = decode($1, 'hex') "
		"limit 1",
		1, parameters, QUERY_MS, on_definition_row, waiting);
}
