/* The program of --verify: keys, standard input, standard output. */
#include "services/spin-engine/adapters/proof.h"

#include "libcommon/io/log.h"
#include "libcommon/io/proof_stream.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#define PROGRAM "carillon-spin-engine --verify"
#define PATH_ROOM 1200

static const char usage[] =
	"usage: carillon-spin-engine --verify [--keys FILE] [--definitions FOLDER] <moves\n"
	"Replays the booked moves that `jackpotctl ledger verify` sends on stdin, and writes one line\n"
	"with the result for each row.\n"
	"--keys: the file with the engine's keys. Default: spin-engine/spin-engine.key or\n"
	"  spin-engine.key in CARILLON_KEYS; without CARILLON_KEYS, in keys in CARILLON_DATA or in\n"
	"  the current folder.\n"
	"--definitions: accepts only the definitions in this folder, <game>/definition*.json, and not\n"
	"  those that are sent.\n";

struct options {
	const char *keys, *definitions;
};

static int usage_wrong(const char *found)
{
	fprintf(stderr,
		PROGRAM ": found '%s', expected --keys FILE or "
			"--definitions FOLDER\n%s",
		found, usage);
	return PROOF_EXIT_USAGE;
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
	char room[PATH_ROOM], error[KEYS_ERROR_MAX];
	const char *path =
		proof_key_path(given, "spin-engine", "spin-engine.key", room, sizeof(room));
	struct keys *keys = NULL;

	if (keys_load(path, &keys, error) == NUMBERED_KEYS_OK)
		return keys;
	fprintf(stderr, PROGRAM ": no key: %s\n", error);
	return NULL;
}

static bool take(void *of, const uint8_t *bytes, size_t length, char *error)
{
	return proving_take(of, bytes, length, error);
}

static int run(struct proving *proving)
{
	struct proving_counts counts;

	if (!proof_stream_read(stdin, PROGRAM, take, proving))
		return PROOF_EXIT_USAGE;
	counts = proving_counts(proving);
	printf("end\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		counts.proven, counts.differing, counts.skipped, counts.rounds, counts.scripted);
	return fflush(stdout) != 0    ? PROOF_EXIT_USAGE
	       : counts.differing > 0 ? PROOF_EXIT_DIFFERS
				      : 0;
}

int proof_main(int argc, char **argv)
{
	struct options options = { NULL, NULL };
	struct proving *proving;
	struct keys *keys;
	char error[PROVING_ERROR_MAX];
	int status = PROOF_EXIT_USAGE;

	if (!options_read(argc, argv, &options))
		return PROOF_EXIT_USAGE;
	if (sodium_init() < 0)
		fatal("libsodium cannot be used");
	keys = keys_open(options.keys);
	if (!keys)
		return PROOF_EXIT_KEYLESS;
	proving = proving_new(keys, stdout);
	if (options.definitions && !proving_trust(proving, options.definitions, error))
		fprintf(stderr, PROGRAM ": %s\n", error);
	else
		status = run(proving);
	proving_free(&proving);
	keys_free(&keys);
	return status;
}
