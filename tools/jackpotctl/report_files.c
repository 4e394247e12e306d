/* Reports in a folder, and the proof of what lies there. */
#include "tools/jackpotctl/report.h"

#include "tools/jackpotctl/rows_print.h"

#include "libcommon/base/sha256.h"
#include "libcommon/io/chain_head.h"

#include <sodium.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define PATH_ROOM 4096
#define FILE_MAX (64L << 20)
#define SIGNED_PREFIX "carillon report 1 "
#define HEX_ROOM 140

static bool told(const char *what, const char *why)
{
	fprintf(stderr, "jackpotctl: report: %s: %s\n", what, why);
	return false;
}

/* ---- files ---- */

/* The whole file with a NUL behind it; NULL: the file cannot be read, or it is too large. */
static char *file_read(const char *path, size_t *length_r)
{
	FILE *file = fopen(path, "re");
	long n = -1;
	char *text = NULL;

	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
		n = ftell(file);
	if (n >= 0 && n <= FILE_MAX && fseek(file, 0, SEEK_SET) == 0)
		text = malloc((size_t)n + 1);
	if (text != NULL) {
		*length_r = fread(text, 1, (size_t)n, file);
		text[*length_r] = '\0';
	}
	if (file != NULL)
		(void)fclose(file);
	return text;
}

/* Under another name first, so that a file that is there is whole. */
static bool file_settle(const char *path, const char *text, size_t length)
{
	char part[PATH_ROOM + 8];
	FILE *file;
	bool good;

	(void)snprintf(part, sizeof(part), "%s.part", path);
	file = fopen(part, "we");
	if (file == NULL)
		return told(part, strerror(errno));
	good = fwrite(text, 1, length, file) == length && fflush(file) == 0 &&
	       fsync(fileno(file)) == 0;
	good = fclose(file) == 0 && good;
	return (good && rename(part, path) == 0) || told(path, strerror(errno));
}

static bool kept(const char *path, const char *text, size_t length)
{
	size_t there_length = 0;
	char *there = access(path, F_OK) == 0 ? file_read(path, &there_length) : NULL;
	bool same = there != NULL && there_length == length && memcmp(there, text, length) == 0;

	if (there == NULL)
		return file_settle(path, text, length);
	free(there);
	return same ||
	       told(path,
		       "the file already exists and differs from the report; it was not changed");
}

/* ---- export ---- */

static char *html_make(const char *content, size_t *length_r)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length_r);
	json_t *report = json_loads(content, 0, NULL);

	if (out == NULL || report == NULL) {
		fputs("jackpotctl: report: out of memory, or a report is not JSON\n", stderr);
		exit(EXIT_USAGE);
	}
	report_html(report, out);
	(void)fclose(out);
	json_decref(report);
	return text;
}

/* Columns: period, day, content, signature, signer, CSV. */
static bool report_kept(const PGresult *result, int row, const char *folder)
{
	char path[PATH_ROOM], signature[2 * HEX_ROOM];
	const char *content = PQgetvalue(result, row, 2);
	size_t html_length;
	char *html = html_make(content, &html_length);
	int stem = snprintf(path, sizeof(path), "%.3900s/%s-%s", folder, PQgetvalue(result, row, 0),
		PQgetvalue(result, row, 1));
	int n = snprintf(signature, sizeof(signature), "ed25519 %s %s\n",
		PQgetvalue(result, row, 4), PQgetvalue(result, row, 3));
	const struct {
		const char *ending, *text;
		size_t length;
	} files[] = {
		{ ".sig", signature, (size_t)n },
		{ ".csv", PQgetvalue(result, row, 5), (size_t)PQgetlength(result, row, 5) },
		{ ".html", html, html_length },
		{ ".json", content, (size_t)PQgetlength(result, row, 2) },
	};
	bool good = true;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(path + stem, sizeof(path) - (size_t)stem, "%s", files[i].ending);
		good = kept(path, files[i].text, files[i].length) && good;
	}
	free(html);
	return good;
}

static bool folder_make(const char *folder)
{
	return mkdir(folder, 0750) == 0 || errno == EEXIST || told(folder, strerror(errno));
}

bool report_export(PGconn *conn, const struct report_options *options, const char *folder)
{
	const char *operator_id = options->operator_id;
	const char *parameters[] = { operator_id };
	char path[PATH_ROOM];
	PGresult *result;
	bool good;

	(void)snprintf(path, sizeof(path), "%.4000s/%s", folder, operator_id);
	if (!folder_make(folder) || !folder_make(path))
		return false;
	result = PQexecParams(conn,
		"select period, day, content, encode(signature, 'hex'), encode(signer, 'hex'), "
		"gateway.csv(content::json->'games') from gateway.report where operator = "
		"$1::integer and signature is not null order by day, period",
		1, NULL, parameters, NULL, NULL, 0);
	good = PQresultStatus(result) == PGRES_TUPLES_OK || told("Postgres", PQerrorMessage(conn));
	for (int i = 0; good && i < PQntuples(result); i++)
		good = report_kept(result, i, path);
	if (good)
		(void)outcome_print(options->json, true,
			json_pack("{s:i,s:s}", "reports", PQntuples(result), "folder", path),
			"%d reports are in %s", PQntuples(result), path);
	PQclear(result);
	return good;
}

/* ---- proof ---- */

static bool hex_read(const char *text, uint8_t *out, size_t n)
{
	size_t length = 0;

	return sodium_hex2bin(out, n, text, strlen(text), NULL, &length, NULL) == 0 && length == n;
}

static bool signature_read(
	const char *path, uint8_t signer[CHAIN_PUBLIC_BYTES], uint8_t signature[crypto_sign_BYTES])
{
	char sig[PATH_ROOM + 8], key_text[HEX_ROOM], signature_text[HEX_ROOM];
	size_t length;
	size_t stem = strlen(path);
	char *text;
	bool good;

	if (stem < 5 || strcmp(path + stem - 5, ".json") != 0)
		return told(path, "found a name with another ending, expected .json");
	(void)snprintf(sig, sizeof(sig), "%.*s.sig", (int)stem - 5, path);
	text = file_read(sig, &length);
	if (text == NULL)
		return told(sig, "the file cannot be read");
	good = sscanf(text, "ed25519 %139s %139s", key_text, signature_text) == 2 &&
	       hex_read(key_text, signer, CHAIN_PUBLIC_BYTES) &&
	       hex_read(signature_text, signature, crypto_sign_BYTES);
	free(text);
	return good || told(sig, "found no signature, expected 'ed25519 KEY SIGNATURE'");
}

static bool signer_known(const uint8_t signer[CHAIN_PUBLIC_BYTES], const char *public_key)
{
	uint8_t known[CHAIN_PUBLIC_BYTES];
	char error[CHAIN_ERROR_MAX];

	if (public_key == NULL)
		return true;
	if (!chain_public_read(public_key, known, error))
		return told("--public-key", error);
	return memcmp(known, signer, CHAIN_PUBLIC_BYTES) == 0 ||
	       told(public_key, "the report was signed with another key");
}

static bool signature_fits(const char *content, size_t length,
	const uint8_t signer[CHAIN_PUBLIC_BYTES], const uint8_t signature[crypto_sign_BYTES])
{
	char text[sizeof(SIGNED_PREFIX) + (size_t)2 * SHA256_BYTES + 1] = SIGNED_PREFIX;
	uint8_t digest[SHA256_BYTES];
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, content, length);
	sha256_end(&sha, digest);
	sodium_bin2hex(text + strlen(text), (size_t)2 * SHA256_BYTES + 1, digest, SHA256_BYTES);
	return crypto_sign_verify_detached(
		       signature, (const uint8_t *)text, strlen(text), signer) == 0;
}

bool report_verify(const char *path, const char *public_key, bool json)
{
	uint8_t signer[CHAIN_PUBLIC_BYTES], signature[crypto_sign_BYTES];
	size_t length;
	char *content = file_read(path, &length);
	bool good;

	if (content == NULL)
		return told(path, "the file cannot be read");
	good = signature_read(path, signer, signature) && signer_known(signer, public_key);
	if (good && !signature_fits(content, length, signer, signature))
		good = told(path, "the file differs from the signed report");
	free(content);
	if (good)
		(void)outcome_print(json, true, NULL, "%s: the signature is valid", path);
	return good;
}
