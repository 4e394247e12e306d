/* Levels and deals of Jackpot Cards. */
#include "services/jackpot-cards/core/card_deal.h"

#include <assert.h>

/* A state is the number of face-up cards of each suit, two bits a suit. */
#define STATES 256u
#define SUIT_BITS 2
#define SUIT_MASK 3u
#define ALL_OPEN (STATES - 1)

static uint32_t open_of(uint32_t state, uint32_t suit)
{
	return state >> SUIT_BITS * suit & SUIT_MASK;
}

static uint32_t state_with_card(uint32_t state, uint32_t suit)
{
	return state + (1u << SUIT_BITS * suit);
}

/* Another suit is complete before the wanted one. */
static bool lost(uint32_t state, uint32_t wanted)
{
	if (open_of(state, wanted) == DEAL_OF_A_SUIT)
		return false;
	for (uint32_t suit = 0; suit < CARD_LEVELS; suit++)
		if (open_of(state, suit) == DEAL_OF_A_SUIT)
			return true;
	return false;
}

/* For each state: the number of ways to lay the rest so that the wanted suit is complete first. */
static void count_ways(uint32_t wanted, uint32_t ways[STATES])
{
	ways[ALL_OPEN] = 1;
	for (uint32_t state = ALL_OPEN; state-- > 0;) {
		ways[state] = 0;
		for (uint32_t suit = 0; suit < CARD_LEVELS && !lost(state, wanted); suit++)
			if (open_of(state, suit) < DEAL_OF_A_SUIT)
				ways[state] += ways[state_with_card(state, suit)];
	}
	assert(ways[0] == DEAL_ARRANGEMENTS);
}

void card_deal_of(enum card_level level, uint32_t index, struct card_deal *deal_r)
{
	uint32_t ways[STATES], wanted = (uint32_t)level - CARD_CLUBS, state = 0;

	assert(level >= CARD_CLUBS && level <= CARD_SPADES && index < DEAL_ARRANGEMENTS);
	count_ways(wanted, ways);
	deal_r->level = level;
	deal_r->picks = 0;
	for (uint8_t card = 0; card < DEAL_CARDS; card++) {
		uint32_t suit = 0;

		for (; open_of(state, suit) == DEAL_OF_A_SUIT ||
			index >= ways[state_with_card(state, suit)];
			suit++)
			if (open_of(state, suit) < DEAL_OF_A_SUIT)
				index -= ways[state_with_card(state, suit)];
		state = state_with_card(state, suit);
		deal_r->suit[card] = (uint8_t)(CARD_CLUBS + suit);
		if (deal_r->picks == 0 && open_of(state, wanted) == DEAL_OF_A_SUIT)
			deal_r->picks = (uint8_t)(card + 1);
	}
}

void card_deal_draw(struct rng *rng, enum card_level level, struct card_deal *deal_r)
{
	card_deal_of(level, rng_below(rng, DEAL_ARRANGEMENTS), deal_r);
}

bool card_weights_valid(const uint32_t weight[CARD_LEVELS])
{
	bool any = false;

	for (uint32_t i = 0; i < CARD_LEVELS; i++) {
		if (weight[i] > CARD_WEIGHT_MAX)
			return false;
		any = any || weight[i] > 0;
	}
	return any;
}

enum card_level card_level_draw(struct rng *rng, const uint32_t weight[CARD_LEVELS])
{
	uint32_t sum = 0, value, level = 0;

	for (uint32_t i = 0; i < CARD_LEVELS; i++) {
		assert(weight[i] <= CARD_WEIGHT_MAX);
		sum += weight[i];
	}
	assert(sum > 0);
	for (value = rng_below(rng, sum); value >= weight[level]; level++)
		value -= weight[level];
	return (enum card_level)(CARD_CLUBS + level);
}
