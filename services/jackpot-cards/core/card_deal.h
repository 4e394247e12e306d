/* The twelve cards of a card round: three of each suit, in the order in which they will be turned
 * up. The set's weights draw the level (a suit) when Jackpot Cards are triggered. The deal is then
 * uniform among the arrangements in which that suit is the first to be complete; with equal weights
 * this is exactly the deal of a shuffled pack. One uniform index selects the arrangement, so no
 * draw is rejected. The positions that the player touches do not matter; the help says so. Pure;
 * requirement 11. */
#ifndef CARILLON_JACKPOT_CARDS_CORE_CARD_DEAL_H
#define CARILLON_JACKPOT_CARDS_CORE_CARD_DEAL_H

#include "libcommon/base/rng.h"
#include "services/jackpot-cards/core/card_set.h"

#define DEAL_CARDS 12
#define DEAL_OF_A_SUIT 3
/* 12! / 3!^4 = 369,600 arrangements of the suits; by symmetry one in four completes a given suit
 * first. */
#define DEAL_ARRANGEMENTS 92400u
#define DEAL_PICKS_MIN 3 /* at best the first three cards */
#define DEAL_PICKS_MAX 9 /* at worst after two of each other suit */
#define CARD_WEIGHT_MAX 1000000000u

struct card_deal {
	enum card_level level;
	uint8_t suit[DEAL_CARDS]; /* enum card_level of the first card turned up, the second, .. */
	uint8_t picks;		  /* the pick that completes the level: 3 to 9 */
};

/* Can a level be drawn by them? */
bool card_weights_valid(const uint32_t weight[CARD_LEVELS]);
/* Draws a level by the weights: one draw below their sum. Each weight is at most CARD_WEIGHT_MAX,
 * and at least one is not 0. */
enum card_level card_level_draw(struct rng *rng, const uint32_t weight[CARD_LEVELS]);
/* Draws a deal for that level: one draw below DEAL_ARRANGEMENTS. */
void card_deal_draw(struct rng *rng, enum card_level level, struct card_deal *deal_r);
/* The arrangement of an index below DEAL_ARRANGEMENTS, in lexical order. */
void card_deal_of(enum card_level level, uint32_t index, struct card_deal *deal_r);

#endif
