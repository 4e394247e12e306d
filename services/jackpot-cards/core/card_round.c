/* Picks of a card round. */
#include "services/jackpot-cards/core/card_round.h"

#include <assert.h>
#include <string.h>

static const char *const STATUSES[] = {
	[CARD_PICK_OK] = "ok",
	[CARD_PICK_REPEATED] = "This pick was already made.",
	[CARD_PICK_DIFFERS] = "This pick was already made at another position.",
	[CARD_PICK_AHEAD] = "Earlier picks are missing.",
	[CARD_PICK_TURNED] = "This card is already face up.",
	[CARD_PICK_OVER] = "This card round is over: a level is won.",
	[CARD_PICK_POSITION] = "Positions are 0 to 11 and picks are numbered from 1.",
};

const char *card_pick_status_text(enum card_pick_status status)
{
	return STATUSES[status];
}

void card_round_begin(struct card_round *round, const struct card_deal *deal)
{
	memset(round, 0, sizeof(*round));
	round->deal = *deal;
}

static bool turned(const struct card_round *round, uint32_t position)
{
	for (uint8_t i = 0; i < round->picked; i++)
		if (round->position[i] == position)
			return true;
	return false;
}

enum card_pick_status card_round_pick(struct card_round *round, uint32_t pick, uint32_t position)
{
	if (pick == 0 || position >= DEAL_CARDS)
		return CARD_PICK_POSITION;
	if (pick <= round->picked)
		return round->position[pick - 1] == position ? CARD_PICK_REPEATED
							     : CARD_PICK_DIFFERS;
	if (card_round_won(round))
		return CARD_PICK_OVER;
	if (pick != round->picked + 1u)
		return CARD_PICK_AHEAD;
	if (turned(round, position))
		return CARD_PICK_TURNED;
	round->position[round->picked++] = (uint8_t)position;
	return CARD_PICK_OK;
}

bool card_round_won(const struct card_round *round)
{
	return round->picked == round->deal.picks;
}

uint32_t card_round_next_position(const struct card_round *round)
{
	uint32_t position = 0;

	assert(round->picked < DEAL_CARDS);
	while (turned(round, position))
		position++;
	return position;
}
