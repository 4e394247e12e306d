#include "tools/jackpotctl/verify_mark.h"

#include "libcommon/io/proof_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define KEY_FILE "ledger-verify.key"
#define RECORD_FILE "ledger-verify.last"
#define SIGNATURE_HEX (2 * (size_t)crypto_sign_BYTES)
#define LINE_ROOM (MARK_PATH_MAX + 96)
#define TEXT_ROOM 128

static __attribute__((format(printf, 2, 3))) bool say(char *error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(error, MARK_ERROR_MAX, format, arguments);
	va_end(arguments);
	return false;
}

/* ---- the record of the last marks ---- */

/* A line as number, digest and path (in the line). False: it is none. */
static bool line_read(char *line, uint64_t *number_r, char digest_r[65], const char **path_r)
{
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNu64 " %64[0-9a-f] %n", number_r, digest_r, &at) != 2 || at == 0 ||
		strlen(digest_r) != 64)
		return false;
	*path_r = line + at;
	return true;
}

/* Finds the record of the mark's path; copies the lines of other paths to `to`, if not NULL. */
static bool record_read(struct verify_mark *mark, FILE *to, char *error)
{
	char line[LINE_ROOM], digest[65];
	const char *path;
	uint64_t number;
	FILE *file = fopen(mark->record, "re");
	bool good = true;

	if (file == NULL)
		return errno == ENOENT || say(error, "%.200s: %s", mark->record, strerror(errno));
	while (good && fgets(line, sizeof(line), file) != NULL) {
		good = line_read(line, &number, digest, &path);
		if (good && strcmp(path, mark->path) != 0 && to != NULL)
			(void)fprintf(to, "%" PRIu64 " %s %s\n", number, digest, path);
		if (good && strcmp(path, mark->path) == 0 && to == NULL) {
			mark->number = number;
			memcpy(mark->digest, digest, sizeof(digest));
		}
	}
	(void)fclose(file);
	return good ||
	       say(error, "%.200s: found a line of another form, expected NUMBER SHA256 PATH",
		       mark->record);
}

bool mark_keep(const struct verify_mark *mark, char *error)
{
	struct verify_mark others = *mark;
	char temporary[MARK_PATH_MAX + 32];
	FILE *to;
	bool good;

	(void)snprintf(temporary, sizeof(temporary), "%s.%ld", mark->record, (long)getpid());
	to = fopen(temporary, "we");
	if (to == NULL)
		return say(error, "%.200s: %s", temporary, strerror(errno));
	good = record_read(&others, to, error);
	sodium_memzero(&others.key, sizeof(others.key));
	if (good)
		(void)fprintf(to, "%" PRIu64 " %s %s\n", mark->number, mark->digest, mark->path);
	if (good && (fflush(to) != 0 || fsync(fileno(to)) != 0))
		good = say(error, "%.200s: %s", temporary, strerror(errno));
	if (fclose(to) != 0 && good)
		good = say(error, "%.200s: %s", temporary, strerror(errno));
	if (good && rename(temporary, mark->record) != 0)
		good = say(error, "%.200s: %s", mark->record, strerror(errno));
	if (!good)
		(void)unlink(temporary);
	return good;
}

/* ---- the key ---- */

static bool lock_take(struct verify_mark *mark, const char *path, char *error)
{
	mark->lock = open(path, O_RDONLY | O_CLOEXEC);
	if (mark->lock < 0)
		return say(error, "%.200s: %s", path, strerror(errno));
	if (flock(mark->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (isatty(STDERR_FILENO) == 1)
		fprintf(stderr, "waiting for another proof with --since-last\n");
	while (flock(mark->lock, LOCK_EX) != 0)
		if (errno != EINTR)
			return say(error, "%.200s: %s", path, strerror(errno));
	return true;
}

bool mark_open(const char *state, struct verify_mark *mark_r, char *error)
{
	char room[MARK_PATH_MAX], folder[MARK_PATH_MAX] = "", why[CHAIN_ERROR_MAX];
	const char *path = proof_key_path(NULL, "", KEY_FILE, room, sizeof(room));
	int length;

	memset(mark_r, 0, sizeof(*mark_r));
	mark_r->lock = -1;
	if (sodium_init() < 0)
		return say(error, "libsodium cannot be initialised");
	if (state[0] != '/' && getcwd(folder, sizeof(folder)) == NULL)
		return say(error, "the current folder: %s", strerror(errno));
	length = snprintf(mark_r->path, sizeof(mark_r->path), "%s%s%s", folder,
		folder[0] != '\0' ? "/" : "", state);
	if (length >= (int)sizeof(mark_r->path) || strchr(mark_r->path, '\n') != NULL)
		return say(error, "--state: found a path that is too long or has a line break");
	length = snprintf(mark_r->record, sizeof(mark_r->record), "%.*s" RECORD_FILE,
		(int)(strlen(path) - strlen(KEY_FILE)), path);
	if (length >= (int)sizeof(mark_r->record))
		return say(error, "CARILLON_KEYS: found a path that is too long");
	if (!chain_key_load(path, &mark_r->key, why))
		return say(error, "--since-last needs a key to sign its mark: %s", why);
	if (lock_take(mark_r, path, error) && record_read(mark_r, NULL, error))
		return true;
	mark_close(mark_r);
	return false;
}

void mark_close(struct verify_mark *mark)
{
	sodium_memzero(&mark->key, sizeof(mark->key));
	if (mark->lock >= 0)
		(void)close(mark->lock); /* gives the lock back */
	mark->lock = -1;
}

/* ---- the signature ---- */

static size_t signed_text(uint64_t number, const char *digest, char text_r[TEXT_ROOM])
{
	return (size_t)snprintf(
		text_r, TEXT_ROOM, "carillon mark 1 %" PRIu64 " %.64s", number, digest);
}

bool mark_check(struct verify_mark *mark, const json_t *root, const char *digest, bool *unsigned_r,
	char *error)
{
	const char *anew = "to prove from the beginning, leave out --since-last or remove the file";
	const char *hex = json_string_value(json_object_get(root, "signature"));
	uint64_t number = (uint64_t)json_integer_value(json_object_get(root, "number"));
	uint8_t signature[crypto_sign_BYTES];
	char text[TEXT_ROOM];
	size_t length, got;

	*unsigned_r = hex == NULL && mark->number == 0;
	if (*unsigned_r)
		return true;
	length = signed_text(number, digest, text);
	if (hex == NULL || strlen(hex) != SIGNATURE_HEX ||
		sodium_hex2bin(
			signature, sizeof(signature), hex, SIGNATURE_HEX, NULL, &got, NULL) != 0 ||
		got != sizeof(signature) ||
		crypto_sign_verify_detached(
			signature, (const unsigned char *)text, length, mark->key.public_key) != 0)
		return say(error,
			"%.200s: found a forged mark, expected one signed with " KEY_FILE "; %s",
			mark->path, anew);
	if (number < mark->number || (number == mark->number && strcmp(digest, mark->digest) != 0))
		return say(error,
			"%.200s: found mark %" PRIu64 ", expected mark %" PRIu64
			" or later: an older mark was put back; %s",
			mark->path, number, mark->number, anew);
	mark->number = number;
	return true;
}

void mark_sign(struct verify_mark *mark, json_t *root, const char *digest)
{
	uint8_t signature[crypto_sign_BYTES];
	char text[TEXT_ROOM], hex[SIGNATURE_HEX + 1];
	size_t length;

	mark->number++;
	(void)snprintf(mark->digest, sizeof(mark->digest), "%.64s", digest);
	length = signed_text(mark->number, digest, text);
	(void)crypto_sign_detached(
		signature, NULL, (const unsigned char *)text, length, mark->key.secret);
	(void)sodium_bin2hex(hex, sizeof(hex), signature, sizeof(signature));
	json_object_set_new(root, "number", json_integer((json_int_t)mark->number));
	json_object_set_new(root, "signature", json_string(hex));
}
