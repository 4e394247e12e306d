/* What the load generator is told on its command line. */
#ifndef CARILLON_SUPPORT_PLAYERS_OPTIONS_H
#define CARILLON_SUPPORT_PLAYERS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_TEXT_MAX 512

struct options {
	char url[OPTIONS_TEXT_MAX];    /* of the gateway, without a slash at the end */
	char events[OPTIONS_TEXT_MAX]; /* WebSocket; "": what GET /v1/config says; "none": none */
	char game[64];		       /* slug, or "all" */
	char record[OPTIONS_TEXT_MAX]; /* file of the result; "": none */
	char live[OPTIONS_TEXT_MAX];   /* file of the live line; "": none */
	char operator_key[OPTIONS_TEXT_MAX]; /* the key itself, read from its file; "": none */
	char currency[8];
	int64_t operator_id;
	int64_t players, first_player;
	int64_t seconds; /* 0: until the rounds are played */
	int64_t warm_up; /* the first of these seconds, whose rounds and cost do not count */
	int64_t rounds;	 /* over all players; 0: until the seconds are over */
	int64_t rate;	 /* spins a second over all players; 0: as fast as answers come */
	int64_t think_ms;
	int64_t read_back; /* rounds of a player between comparisons; 0: one at the end */
	int64_t seed;
	int64_t coin_minor, lines, coins; /* 0: a seeded mix */
	int64_t gamble_percent;
	int64_t subscribers; /* WebSocket clients */
	int64_t timeout_ms;  /* of one request */
	bool quiet;
};

/* Are the notifications listened to? */
bool options_have_news(const struct options *options);
/* Fills *options_r; --help prints and exits 0; anything wrong is said on stderr and exits 2. */
void options_read(int argc, char **argv, struct options *options_r);

#endif
