/* The program of --verify: keys, standard input, standard output. */
#include "services/spin-engine/adapters/proof.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_DIFFERS 1
#define EXIT_USAGE 2
#define EXIT_KEYLESS 3
#define PATH_ROOM 1200

static const char usage[] =
	"usage: carillon-spin-engine --verify [--keys FILE] [--definitions FOLDER] <moves\n"
	"Replays booked moves and writes a verdict a row. `jackpotctl ledger verify` sends them.\n"
	"--keys: the service's keys, by default spin-engine.key in CARILLON_KEYS, or in keys in\n"
	"CARILLON_DATA (or here); --definitions: accept only definitions of this folder,\n"
	"<game>/definition*.json, instead of those that are sent.\n";

struct options {
	const char *keys, *definitions;
};

static int usage_wrong(const char *found)
{
	fprintf(stderr,
		"carillon-spin-engine --verify: found '%s', expected --keys FILE or "
		"--definitions FOLDER\n%s",
		found, usage);
	return EXIT_USAGE;
}

static bool options_read(int argc, char **argv, struct options *options)
{
	for (int i = 2; i < argc; i++) {
		const char **value = strcmp(argv[i], "--keys") == 0	     ? &options->keys
				     : strcmp(argv[i], "--definitions") == 0 ? &options->definitions
									     : NULL;

		if (!value || i + 1 == argc) {
			(void)usage_wrong(argv[i]);
			return false;
		}
		*value = argv[++i];
	}
	return true;
}

static struct keys *keys_open(const char *given)
{
	char path[PATH_ROOM], error[KEYS_ERROR_MAX];
	const char *folder = getenv("CARILLON_KEYS"), *data = getenv("CARILLON_DATA");
	struct keys *keys = NULL;

	if (given)
		(void)snprintf(path, sizeof(path), "%s", given);
	else if (folder && folder[0])
		(void)snprintf(path, sizeof(path), "%s/spin-engine.key", folder);
	else
		(void)snprintf(path, sizeof(path), "%s/keys/spin-engine.key",
			data && data[0] ? data : ".");
	if (keys_load(path, &keys, error) == KEYS_OK)
		return keys;
	fprintf(stderr, "carillon-spin-engine --verify: no key: %s\n", error);
	return NULL;
}

/* The next message. False: the end, or *error says what is wrong. */
static bool message_read(uint8_t *bytes, size_t *length_r, char *error)
{
	uint8_t head[4];
	size_t got = fread(head, 1, sizeof(head), stdin);

	error[0] = '\0';
	if (got == 0)
		return false;
	*length_r = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
	if (got < sizeof(head) || *length_r > PROVING_MESSAGE_MAX) {
		(void)snprintf(error, PROVING_ERROR_MAX,
			"found a message of %zu bytes, expected at most %u", *length_r,
			PROVING_MESSAGE_MAX);
		return false;
	}
	if (fread(bytes, 1, *length_r, stdin) == *length_r)
		return true;
	(void)snprintf(error, PROVING_ERROR_MAX,
		"found the end of the input within a message of %zu bytes", *length_r);
	return false;
}

static int run(struct proving *proving)
{
	uint8_t *bytes = malloc(PROVING_MESSAGE_MAX);
	char error[PROVING_ERROR_MAX] = "";
	struct proving_counts counts;
	uint64_t at = 0;
	size_t length;

	if (!bytes)
		fatal("no memory for messages");
	while (message_read(bytes, &length, error)) {
		at++;
		if (!proving_take(proving, bytes, length, error))
			break;
	}
	free(bytes);
	if (error[0]) {
		(void)fflush(stdout);
		fprintf(stderr, "carillon-spin-engine --verify: after %" PRIu64 " messages: %s\n",
			at, error);
		return EXIT_USAGE;
	}
	counts = proving_counts(proving);
	printf("end\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		counts.proven, counts.differing, counts.skipped, counts.rounds, counts.scripted);
	return fflush(stdout) != 0 ? EXIT_USAGE : counts.differing > 0 ? EXIT_DIFFERS : 0;
}

int proof_main(int argc, char **argv)
{
	struct options options = { NULL, NULL };
	struct proving *proving;
	struct keys *keys;
	char error[PROVING_ERROR_MAX];
	int status = EXIT_USAGE;

	if (!options_read(argc, argv, &options))
		return EXIT_USAGE;
	if (sodium_init() < 0)
		fatal("libsodium cannot be used");
	keys = keys_open(options.keys);
	if (!keys)
		return EXIT_KEYLESS;
	proving = proving_new(keys, stdout);
	if (options.definitions && !proving_trust(proving, options.definitions, error))
		fprintf(stderr, "carillon-spin-engine --verify: %s\n", error);
	else
		status = run(proving);
	proving_free(&proving);
	keys_free(&keys);
	return status;
}
