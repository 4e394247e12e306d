/* slotmath: the mathematics of a game, for its designers, certifiers and auditors.
 *
 * It computes everything from the definition file that the server plays (same loader, same core).
 * Results are exact unless marked "simulated". Exit status: 0 success; 1 a return is out of its
 * published band, or a test failed; 2 the arguments or the file are wrong. Ctrl-C stops a long run
 * and prints its results so far. */
#include "tools/slotmath/commands.h"
#include "tools/slotmath/progress.h"

#include <malloc.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define KEPT_BYTES (256 << 20)

static const struct command commands[] = {
	{ "rtp", "GAME", "all mode json quick distribution draft games lines coins",
		"The exact return of each mode, part by part, with hit rate, features, variance and "
		"largest win.",
		command_rtp },
	{ "simulate", "GAME", "mode rounds threads seed json quiet draft games lines coins level",
		"Plays random rounds (Monte Carlo) and compares the mean with the exact return.",
		command_simulate },
	{ "par", "GAME", "format output json draft games",
		"The PAR sheet: strips, every combination with its hits and return, feature "
		"mathematics, charts.",
		command_par },
	{ "optimise", "GAME",
		"mode input output target-rtp hit-rate volatility seed steps json quiet games",
		"Finds strips (and weights) with the target return, by the rules of a search file.",
		command_optimise },
	{ "replay", "PROOF", "json each games",
		"Replays a round from its file (as the fairness page saves it) and compares all "
		"of it.",
		command_replay },
	{ "cards", "SET", "json levels rates stakes sets",
		"A set of Jackpot Cards: odds by stake, probability of each level, cards to "
		"turn, returns.",
		command_cards },
	{ "rng", NULL, "raw bytes below seed known-answer json",
		"The random generator: raw bytes for dieharder and other batteries, numbers "
		"below N, or the check of its known answer.",
		command_rng },
	{ "check", "FILE", "json draft games",
		"Loads a definition as the server does and shows the first mistake.",
		command_check },
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int usage(FILE *out)
{
	fputs("slotmath COMMAND ...; slotmath COMMAND --help shows the options of a "
	      "command\n\n",
		out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s %-6s %s\n", commands[i].name,
			commands[i].subject ? commands[i].subject : "", commands[i].help);
	fputs("\nGAME is the id of a folder under --games, or a definition file; SET is the same "
	      "under --sets.\n",
		out);
	return out == stdout ? 0 : SLOTMATH_EXIT_WRONG;
}

int main(int argc, char **argv)
{
	struct options options;

	/* The exact analysis constantly allocates and frees tables of megabytes. Asking the kernel
	 * for them each time took a fifth of the run time. */
	(void)mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	if (sodium_init() < 0)
		refuse("libsodium: found no working random generator, expected one");
	if (argc < 2)
		return usage(stderr);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return usage(stdout);
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(argv[1], commands[i].name) == 0) {
			options_read(&commands[i], argc, argv, &options);
			interrupt_watch();
			return commands[i].run(&options);
		}
	fprintf(stderr, "slotmath: command: found '%s', expected one of these\n\n", argv[1]);
	return usage(stderr);
}
