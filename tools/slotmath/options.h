/* Arguments of slotmath: one table defines the parser, the limits and the help. */
#ifndef CARILLON_SLOTMATH_OPTIONS_H
#define CARILLON_SLOTMATH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_TEXT_MAX 512
#define SLOTMATH_EXIT_OUT_OF_BAND 1
#define SLOTMATH_EXIT_WRONG 2

struct options {
	char subject[OPTIONS_TEXT_MAX]; /* GAME, FILE or PROOF; empty: none given */
	char games[OPTIONS_TEXT_MAX];	/* folder of definitions */
	char mode[OPTIONS_TEXT_MAX];	/* empty: every mode */
	char format[OPTIONS_TEXT_MAX];
	char output[OPTIONS_TEXT_MAX]; /* empty: stdout */
	char input[OPTIONS_TEXT_MAX];  /* the optimiser's search file */
	/* cards: the folder of sets, and lists with commas */
	char sets[OPTIONS_TEXT_MAX], levels[OPTIONS_TEXT_MAX], rates[OPTIONS_TEXT_MAX];
	char stakes[OPTIONS_TEXT_MAX];
	char target_rtp[OPTIONS_TEXT_MAX], hit_rate[OPTIONS_TEXT_MAX], volatility[OPTIONS_TEXT_MAX];
	int64_t rounds, threads, seed, lines, coins, level, bytes, below, steps;
	bool all, json, quick, raw, known_answer, quiet, draft, distribution, each;
};

/* A subcommand: its name, its arguments and its function. */
struct command {
	const char *name;
	const char *subject; /* "GAME", "FILE", NULL: none */
	const char *options; /* names of its options, separated by blanks */
	const char *help;
	int (*run)(const struct options *options); /* exit status */
};

/* Reads argv[2..] for the command. On an error prints what was found and what was expected on
 * stderr and exits with 2; --help prints the command's options and exits with 0. */
void options_read(const struct command *command, int argc, char **argv, struct options *options_r);

/* "slotmath: WHERE: found .., expected ..", then exit 2. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
