#include "tests/support/players/card_view.h"

#include "tests/support/players/view.h"

#include <string.h>

static uint32_t suit_of(const char *text)
{
	static const char *const suits[CARD_SUITS] = { "clubs", "diamonds", "hearts", "spades" };
	for (uint32_t i = 0; i < CARD_SUITS; i++)
		if (strcmp(text, suits[i]) == 0)
			return i + 1;
	return 0;
}

void card_view_read(const json_t *json, struct card_view *view_r)
{
	const json_t *turned = json_object_get(json, "turned"), *card;
	size_t i;
	memset(view_r, 0, sizeof(*view_r));
	view_r->present = json_is_object(json);
	view_r->move = (uint64_t)json_number(json, "move", 0);
	view_r->index = (uint32_t)json_number(json, "index", 0);
	view_r->pool = (uint32_t)json_number(json, "pool", 0);
	json_array_foreach(turned, i, card)
	{
		if (view_r->turned_n == CARD_PLACES)
			break;
		view_r->turned[i].position = (uint32_t)json_number(card, "position", CARD_PLACES);
		view_r->turned[i].suit = suit_of(json_text(card, "suit"));
		view_r->turned_n++;
	}
	view_r->next_pick = (uint32_t)json_number(json, "next_pick", 0);
	view_r->won = json_is_true(json_object_get(json, "won"));
	view_r->booked = json_is_true(json_object_get(json, "booked"));
	view_r->level = (uint32_t)json_number(json, "level", 0);
	view_r->paid = json_money(json, "paid");
	view_r->has_hash = hex_read(json_text(json, "secret_hash"), view_r->secret_hash, 32);
	view_r->has_secret = hex_read(json_text(json, "secret"), view_r->secret, 32);
}

bool card_view_find(const json_t *answer, uint64_t move, uint32_t index, struct card_view *view_r)
{
	const json_t *round = json_object_get(answer, "card_round");
	size_t i;
	if (round) {
		card_view_read(round, view_r);
		return view_r->move == move && view_r->index == index;
	}
	json_array_foreach(json_object_get(answer, "rounds"), i, round)
	{
		card_view_read(round, view_r);
		if (view_r->move == move && view_r->index == index)
			return true;
	}
	return false;
}

/* Cards by themselves: places and suits, three of a suit end it. */
static const char *cards_fault(const struct card_view *view)
{
	uint32_t of_suit[CARD_SUITS + 1] = { 0 }, complete = 0;
	bool taken[CARD_PLACES] = { false };
	for (uint32_t i = 0; i < view->turned_n; i++) {
		uint32_t position = view->turned[i].position, suit = view->turned[i].suit;
		if (position >= CARD_PLACES || taken[position])
			return "a card lies at a place that does not exist, or twice at one";
		if (suit == 0)
			return "a card is of no suit";
		if (complete)
			return "a card was turned after three of a suit lay open";
		taken[position] = true;
		if (++of_suit[suit] == CARDS_OF_A_SUIT)
			complete = suit;
	}
	if (view->won != (complete != 0))
		return view->won ? "it is won without three of a suit"
				 : "three of a suit lie open and it is not won";
	if (view->won ? view->level != complete || view->paid <= 0 : view->level != 0)
		return "its level is not that of the suit that is complete, or pays nothing";
	if (view->next_pick != (view->won ? 0 : view->turned_n + 1))
		return "the next pick is not the one after the last";
	return NULL;
}

const char *card_view_fault(const struct card_view *before, const struct card_view *view)
{
	const char *fault = cards_fault(view);
	if (fault)
		return fault;
	if (!view->has_hash || view->has_secret != view->won)
		return view->has_hash ? "its secret is not shown when it is won, or before"
				      : "it promises no secret";
	if (!before || !before->present)
		return NULL;
	if (view->turned_n < before->turned_n)
		return "cards that lay open are face down";
	for (uint32_t i = 0; i < before->turned_n; i++)
		if (view->turned[i].position != before->turned[i].position ||
			view->turned[i].suit != before->turned[i].suit)
			return "a card that lay open is another one";
	if (memcmp(before->secret_hash, view->secret_hash, sizeof(view->secret_hash)) != 0)
		return "it promises another secret";
	if (before->won && (before->paid != view->paid || before->level != view->level))
		return "what was won is another level or amount";
	return NULL;
}

uint32_t card_view_place(const struct card_view *view, uint64_t random)
{
	uint32_t down[CARD_PLACES], n = 0;
	for (uint32_t place = 0; place < CARD_PLACES; place++) {
		uint32_t i = 0;
		while (i < view->turned_n && view->turned[i].position != place)
			i++;
		if (i == view->turned_n)
			down[n++] = place;
	}
	return n ? down[random % n] : 0;
}
