/* A set of Jackpot Cards: four levels by suit, each funded by the house with its own part of every
 * wager of the games in the set. A level is a row like those of a progressive
 * (libcommon/jackpot/pool_row.h): value = seed + (T - W) x share + r, where T is all wagers in
 * euros and the share is the level's part; kept in EUR, shown floored to the cent. Nothing is
 * deducted from a wager, so the set has no reserve. Pure. RULE mystic-gem 6.1, 6.3, 6.4 */
#ifndef CARILLON_JACKPOT_CARDS_CORE_CARD_SET_H
#define CARILLON_JACKPOT_CARDS_CORE_CARD_SET_H

#include "libcommon/jackpot/pool_books.h"

#define CARD_LEVELS 4
#define CARD_SET_CURRENCY 978 /* EUR */
#define CARD_SET_EXPONENT 2

enum card_level { CARD_CLUBS = 1, CARD_DIAMONDS, CARD_HEARTS, CARD_SPADES };

enum card_set_status {
	CARD_SET_OK = 0,
	CARD_SET_TERMS,	 /* seed or share out of bounds, or a level that is worth less than the one
			    below it */
	CARD_SET_SHARES, /* the levels would take more than the whole wager */
	CARD_SET_BACKWARDS,  /* T would decrease */
	CARD_SET_RATE,	     /* a payout's exchange rate or exponent is out of bounds */
	CARD_SET_BELOW_SEED, /* an adjustment would take a level below its seed */
	CARD_SET_OVERFLOW,
};

/* The configured terms of the levels, in the order of card_level. */
struct card_terms {
	int64_t seed_minor[CARD_LEVELS]; /* EUR cents, rising */
	int64_t wager_ppm[CARD_LEVELS];
};

struct card_set {
	uint32_t number;
	int128 t_e18;
	struct pool_row level[CARD_LEVELS];
	struct pool_books books;
};

/* The currency a winner is paid in. */
struct card_payout {
	uint32_t currency; /* ISO 4217 */
	uint32_t exponent;
	int64_t rate_nano; /* EUR for one unit of it, x 10^9 */
};

/* A level's win, as stored for ever. */
struct card_hit {
	uint64_t number; /* 1, 2, .. in the order of this level */
	enum card_level level;
	struct card_payout payout;
	struct pool_price price; /* paid_minor in the payout's currency */
	struct amount seed, next_seed;
	struct pool_reseed reseed;
	int64_t next_share_nano; /* the level's share from now on */
	int128 t_e18;		 /* at the hit: the level's new W */
	int128 w_before_e18;
};

/* Static: "clubs". */
const char *card_level_text(enum card_level level);
const char *card_set_status_text(enum card_set_status status);

/* Makes a new set, seeded by the house, with T = 0. */
CARILLON_MUST_CHECK enum card_set_status card_set_launch(
	struct card_set *set, uint32_t number, const struct card_terms *terms);
/* Applies the configured terms: terms that differ from a level's own wait for its next win.
 * *changed_r says whether any did. */
CARILLON_MUST_CHECK enum card_set_status card_set_configure(
	struct card_set *set, const struct card_terms *terms, bool *changed_r);
/* The terms that apply after each level's next win. */
void card_set_terms(const struct card_set *set, struct card_terms *terms_r);
/* An operator changes what a level has accrued, with the house's money; not below its seed. */
CARILLON_MUST_CHECK enum card_set_status card_set_adjust(
	struct card_set *set, enum card_level level, struct amount delta);
/* Sets the sum of all wagers to T. */
CARILLON_MUST_CHECK enum card_set_status card_set_accrue_to(struct card_set *set, int128 t_e18);
/* The displayed value of a level, in cents. */
CARILLON_MUST_CHECK enum card_set_status card_set_value(
	const struct card_set *set, enum card_level level, int64_t *value_minor_r);
/* Prices a level when the third card of its suit is turned up: it pays its displayed value, in the
 * winner's currency, and the house seeds it again. The caller must price each round only once. */
CARILLON_MUST_CHECK enum card_set_status card_set_hit(struct card_set *set, enum card_level level,
	const struct card_payout *payout, struct card_hit *hit_r);
/* False: a stored set has a level that cannot be priced, or shares that could exceed 1 once all
 * waiting terms are in force. A set that is valid stays so: each change checks it. */
bool card_set_levels_valid(const struct card_set *set);
bool card_set_identities_hold(const struct card_set *set, const char **where_r);

#endif
