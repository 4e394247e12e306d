/* The program of --verify: keys, standard input, standard output. */
#include "libcommon/io/log.h"
#include "libcommon/io/proof_stream.h"
#include "services/jackpot-cards/adapters/card_proof.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM "carillon-jackpot-cards --verify"
#define PATH_ROOM 1200

static const char usage[] =
	"usage: " PROGRAM " [--keys FILE] <rounds\n"
	"Deals the card rounds again that `jackpotctl ledger verify` sends on stdin, and writes one\n"
	"line with the result for each.\n"
	"--keys: the file with the keys. Default: jackpot-cards/jackpot-cards.key or\n"
	"  jackpot-cards.key in CARILLON_KEYS; without CARILLON_KEYS, in keys in CARILLON_DATA or in\n"
	"  the current folder.\n";

struct proof {
	struct numbered_keys keys;
	uint64_t proven, differing;
};

static bool take(void *of, const uint8_t *bytes, size_t length, char *error)
{
	struct proof *proof = of;
	Carillon__ProofInput *input = carillon__proof_input__unpack(NULL, length, bytes);
	const Carillon__ProofCardRound *row =
		input && input->body_case == CARILLON__PROOF_INPUT__BODY_CARD_ROUND
			? input->card_round
			: NULL;
	struct card_difference difference;
	bool known = row != NULL;

	if (!known) {
		(void)snprintf(error, PROOF_ERROR_MAX, "found %s, expected a card round",
			input ? "another message" : "bytes that cannot be read");
	} else if (card_proof_judge(&proof->keys, row, &difference)) {
		proof->proven++;
		printf("ok\t%u\t%" PRIu64 "\n", row->pool, row->number);
	} else {
		proof->differing++;
		printf("differs\t%u\t%" PRIu64 "\t%s\t%s\t%s\n", row->pool, row->number,
			difference.field, difference.found, difference.expected);
	}
	if (input)
		carillon__proof_input__free_unpacked(input, NULL);
	return known;
}

static int run(struct proof *proof)
{
	if (!proof_stream_read(stdin, PROGRAM, take, proof))
		return PROOF_EXIT_USAGE;
	printf("end\t%" PRIu64 "\t%" PRIu64 "\t0\t%" PRIu64 "\t0\n", proof->proven,
		proof->differing, proof->proven + proof->differing);
	return fflush(stdout) != 0    ? PROOF_EXIT_USAGE
	       : proof->differing > 0 ? PROOF_EXIT_DIFFERS
				      : 0;
}

/* Of words that are not "--keys FILE", or are more than that. */
static int usage_wrong(int argc, char **argv)
{
	if (strcmp(argv[2], "--keys") != 0)
		fprintf(stderr, PROGRAM ": found '%s', expected --keys FILE\n%s", argv[2], usage);
	else if (argc == 3)
		fprintf(stderr, PROGRAM ": found no word after --keys, expected FILE\n%s", usage);
	else
		fprintf(stderr, PROGRAM ": found '%s' after --keys FILE, expected nothing\n%s",
			argv[4], usage);
	return PROOF_EXIT_USAGE;
}

int card_proof_main(int argc, char **argv)
{
	static struct proof proof;
	char room[PATH_ROOM], error[NUMBERED_KEYS_ERROR_MAX];
	bool given = argc == 4 && strcmp(argv[2], "--keys") == 0;
	int status;

	if (argc != 2 && !given)
		return usage_wrong(argc, argv);
	if (sodium_init() < 0)
		fatal("libsodium cannot be used");
	const char *path = proof_key_path(
		given ? argv[3] : NULL, "jackpot-cards", "jackpot-cards.key", room, sizeof(room));
	enum numbered_keys_status loaded = numbered_keys_load(path, &proof.keys, error);
	if (loaded != NUMBERED_KEYS_OK) {
		fprintf(stderr, PROGRAM ": no key: %s\n",
			loaded == NUMBERED_KEYS_MISSING ? path : error);
		return PROOF_EXIT_KEYLESS;
	}
	(void)sodium_mlock(&proof.keys, sizeof(proof.keys)); /* if the system permits it */
	status = run(&proof);
	sodium_munlock(&proof.keys, sizeof(proof.keys));
	return status;
}
