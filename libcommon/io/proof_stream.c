#include "libcommon/io/proof_stream.h"

#include "libcommon/io/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* The next message. False: the end, or *error says what is wrong. */
static bool message_read(FILE *in, uint8_t *bytes, size_t *length_r, char *error)
{
	uint8_t head[4];
	size_t got = fread(head, 1, sizeof(head), in);

	error[0] = '\0';
	if (got == 0)
		return false;
	*length_r = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
	if (got < sizeof(head)) {
		(void)snprintf(error, PROOF_ERROR_MAX,
			"found the end of the input within a length, expected 4 bytes");
		return false;
	}
	if (*length_r > PROOF_MESSAGE_MAX) {
		(void)snprintf(error, PROOF_ERROR_MAX,
			"found a message of %zu bytes, expected at most %u", *length_r,
			PROOF_MESSAGE_MAX);
		return false;
	}
	if (fread(bytes, 1, *length_r, in) == *length_r)
		return true;
	(void)snprintf(error, PROOF_ERROR_MAX,
		"found the end of the input within a message of %zu bytes", *length_r);
	return false;
}

bool proof_stream_read(FILE *in, const char *program, proof_take *take, void *of)
{
	uint8_t *bytes = malloc(PROOF_MESSAGE_MAX);
	char error[PROOF_ERROR_MAX] = "";
	uint64_t at = 0;
	size_t length;

	if (!bytes)
		fatal("no memory for messages");
	while (message_read(in, bytes, &length, error)) {
		at++;
		if (!take(of, bytes, length, error))
			break;
	}
	free(bytes);
	if (!error[0])
		return true;
	(void)fflush(stdout);
	fprintf(stderr, "%s: after %" PRIu64 " messages: %s\n", program, at, error);
	return false;
}

const char *proof_key_path(
	const char *given, const char *service, const char *name, char *path, size_t size)
{
	const char *folder = getenv("CARILLON_KEYS"), *data = getenv("CARILLON_DATA");
	char keys[4096];

	if (given)
		return given;
	if (folder && folder[0])
		(void)snprintf(keys, sizeof(keys), "%s", folder);
	else
		(void)snprintf(keys, sizeof(keys), "%s/keys", data && data[0] ? data : ".");
	(void)snprintf(path, size, "%s/%s/%s", keys, service, name);
	/* A copy that somebody keeps may be one folder for all. */
	if (service[0] == '\0' || (access(path, F_OK) != 0 && errno == ENOENT))
		(void)snprintf(path, size, "%s/%s", keys, name);
	return path;
}
