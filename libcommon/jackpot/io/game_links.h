/* Reads from the games' definitions what the jackpot services need: the links to pools and sets,
 * and their figures. For each game it reads CARILLON_GAMES/<id>/definition.json; where demo
 * definitions are allowed, a definition.demo.json in the same folder is read instead. The spin
 * engine reads the rest. The error for an invalid definition names the file and the JSON pointer,
 * what was found and what was expected. */
#ifndef CARILLON_JACKPOT_IO_GAME_LINKS_H
#define CARILLON_JACKPOT_IO_GAME_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAME_LINKS_MAX 64
#define GAME_LINK_ID_MAX 32
#define GAME_LINK_CURRENCIES_MAX 32
#define GAME_LINK_ROWS_MAX 256
#define GAME_LINKS_ERROR_MAX 1024

struct game_link_row {
	uint32_t currency; /* ISO 4217 */
	uint32_t exponent;
	int64_t coin_minor;
	int64_t seed_minor;
	int64_t row_rate_nano;
	int64_t share_nano; /* coin x row rate / base coin */
};

struct game_link {
	uint32_t game;
	char id[GAME_LINK_ID_MAX];
	bool demo;
	uint32_t currency_count; /* the game is offered in these: each needs a tally */
	uint32_t currency[GAME_LINK_CURRENCIES_MAX];
	struct {
		uint32_t pool; /* 0: the game has no progressive */
		char id[GAME_LINK_ID_MAX];
		uint32_t ppm;		 /* of each stake */
		int64_t base_coin_minor; /* EUR cents */
		uint32_t row_count;
		struct game_link_row row[GAME_LINK_ROWS_MAX];
	} jackpot;
	struct {
		uint32_t pool; /* 0: the game is in no set of Jackpot Cards */
		char id[GAME_LINK_ID_MAX];
		bool eligible;
	} cards;
};

struct game_links {
	size_t count;
	struct game_link link[GAME_LINKS_MAX]; /* sorted by id */
};

/* False with error set (GAME_LINKS_ERROR_MAX bytes); links_r is then undefined. */
bool game_links_load(
	const char *folder, bool demo_allowed, struct game_links *links_r, char *error);
/* Reads one definition from memory; errors show `name` instead of a file name. */
bool game_links_parse(
	const char *name, const char *text, size_t length, struct game_link *link_r, char *error);

/* Reads an operator's request for a new pool: an object with pool_number, pool, contribution_ppm,
 * base_coin_eur_minor and rows as in /jackpot of a definition. Fills only link_r->jackpot. */
bool game_links_parse_pool(
	const char *name, const char *text, size_t length, struct game_link *link_r, char *error);

#endif
