/* A window of a player: one request at a time; what is not answered is asked again with the same
 * content, key and number, as a page does that lost its connection. */
#include "tests/sim/clients/clients.h"
#include "tests/sim/judge/judge.h"
#include "tests/sim/sim.h"

#include <string.h>

#define AGAIN_US 300000
#define BROKE_US 2000000

static void wake(void *context);

void window_wake_soon(struct window *window, uint64_t after_us)
{
	if (!window->asleep)
		return;
	window->asleep = false;
	crowd_at(after_us, wake, window);
}

static uint64_t thinking(const struct window *window)
{
	return 1 + sim_random(2 * window->think_us);
}

static void ask(struct window *window)
{
	window->asked_cards = false;
	if (!command_request(window, &window->request))
		window_wake_soon(window, AGAIN_US);
}

static void wake(void *context)
{
	struct window *window = context;

	window->asleep = true;
	if (window->requester.waiting || crowd.gone)
		return; /* the answer wakes it, or the end */
	if (window->has_request) {
		ask(window);
	} else if (choose_card(window)) {
		window->asked_cards = true;
	} else if (choose_request(window)) {
		window->has_request = true;
		ask(window);
	} else if (!crowd.draining) {
		window_wake_soon(window, 2 * thinking(window));
	}
}

/* ---- what it learns ------------------------------------------------------------------------- */

static void learn_round(struct view *view, const Carillon__RoundView *round)
{
	if (round == NULL) {
		view->round = 0;
		view->closed = true;
		strcpy(view->next, "bet");
		return;
	}
	if (round->round != view->round || round->cursor != view->cursor)
		view->tried = 0;
	view->round = round->round;
	view->cursor = round->cursor;
	view->picks_left = round->picks_left;
	view->closed = round->closed;
	strncpy(view->next, round->next, sizeof(view->next) - 1);
}

static void learn_cards(struct view *view, const Carillon__CardsClaim *cards)
{
	if (cards == NULL) {
		view->cards = false;
		return;
	}
	if (!view->cards || view->cards_move != cards->move || view->cards_index != cards->index) {
		view->turned_n = 0;
		view->cards_won = false;
	}
	view->cards = true;
	view->cards_move = cards->move;
	view->cards_index = cards->index;
}

static void learn_bonus_spins(struct window *window, const Carillon__SpinReply *reply)
{
	struct view *view = &window->view;

	view->bonus = false;
	for (size_t i = 0; i < reply->n_bonus_spins && !view->bonus; i++) {
		const Carillon__BonusSpins *bonus_spins = reply->bonus_spins[i];
		if (bonus_spins->left == 0 || strcmp(bonus_spins->game, window->game->id) != 0)
			continue;
		view->bonus = true;
		memcpy(view->bonus_id, bonus_spins->id.data, sizeof(view->bonus_id));
	}
}

static bool carries_state(const struct window *window, const Carillon__SpinReply *reply)
{
	return reply->account && window->request.kind != CARILLON__SPIN_KIND__SPIN_REPLAY &&
	       window->request.kind != CARILLON__SPIN_KIND__SPIN_OPEN;
}

static void learn(struct window *window, const Carillon__SpinReply *reply)
{
	struct view *view = &window->view;
	bool setting = window->request.kind == CARILLON__SPIN_KIND__SPIN_SETTING;

	if (!reply->account)
		return;
	view->expect = reply->expect;
	if (!carries_state(window, reply))
		return;
	/* A refusal of a game that is not served any more tells nothing of it; a setting shows an
	 * open round only. */
	view->known = reply->http_status == 200 || reply->round != NULL;
	if (!(setting && reply->round == NULL))
		learn_round(view, reply->round);
	learn_cards(view, reply->cards);
	learn_bonus_spins(window, reply);
	view->autoplay = reply->autoplay != NULL;
	if (view->autoplay)
		memcpy(view->autoplay_id, reply->autoplay->id.data, sizeof(view->autoplay_id));
}

/* ---- what becomes of its request ------------------------------------------------------------ */

#define REMEMBERED 16 /* moves for which a request is known by its key */

static bool is(const Carillon__SpinReply *reply, const char *code)
{
	return strcmp(reply->error, code) == 0;
}

/* A 409 carries the new number: a bet is then made under it, with the same key, unless the engine
 * may have forgotten that it was booked (docs/contracts.md). */
static bool can_retry(const struct window *window, const Carillon__SpinReply *reply)
{
	if (reply->http_status != 409 || !(is(reply, "move_spent") || is(reply, "move_ahead")))
		return false;
	return window->request.kind == CARILLON__SPIN_KIND__SPIN_BET && !window->request.again &&
	       reply->expect <= window->request.expect + REMEMBERED && !crowd.draining &&
	       sim_random(4) > 0;
}

/* Now and then it asks again what was decided, as it was or with other content. */
static bool asks_again(struct window *window)
{
	struct request *request = &window->request;

	if (request->again || crowd.draining || !sim_chance(crowd.again_ppm) ||
		request->number == 0)
		return false;
	request->again = true;
	request->other = request->kind == CARILLON__SPIN_KIND__SPIN_BET && !request->bonus &&
			 window->view.expect <= request->expect + REMEMBERED && sim_random(3) == 0;
	if (request->other) {
		request->coins = request->coins == 1 ? 2 : 1;
		request->expect = window->view.expect;
	}
	return true;
}

static uint64_t decided(struct window *window, const Carillon__SpinReply *reply)
{
	struct client *client = window->client;

	if (window->request.kind == CARILLON__SPIN_KIND__SPIN_OPEN)
		client->opened = client->opened || reply->http_status == 200;
	if (asks_again(window))
		return thinking(window);
	window->has_request = false;
	if (reply->http_status == 402) {
		client->wants_money = true;
		window->broke_until_us = sim_now_us() + BROKE_US / 8;
	}
	/* blocked, a pool that is paused, a game that is stopped */
	if (reply->http_status == 403 || reply->http_status == 503)
		window->broke_until_us = sim_now_us() + sim_random(BROKE_US);
	return thinking(window);
}

static uint64_t on_reply(struct window *window, const Carillon__SpinReply *reply)
{
	judge_reply_spin(window, reply);
	if (sim_tracing())
		sim_trace(
			"player %lld: kind %d, expect %llu in %s: %u %s, round %llu, %s, next is move "
			"%llu",
			(long long)window->requester.player, (int)window->request.kind,
			(unsigned long long)window->request.expect, window->game->id,
			reply->http_status, reply->error,
			(unsigned long long)(reply->round == NULL ? 0 : reply->round->round),
			reply->round == NULL ? "" : reply->round->next,
			(unsigned long long)reply->expect);
	learn(window, reply);
	if (can_retry(window, reply)) {
		window->request.expect = reply->expect;
		return thinking(window) / 4;
	}
	return decided(window, reply);
}

static uint64_t on_card(struct window *window, const Carillon__CardReply *reply)
{
	struct view *view = &window->view;

	judge_reply_card(window->client, reply);
	if (reply->round == NULL)
		return AGAIN_US; /* not known yet, or not to be priced now */
	if (reply->round->move != view->cards_move || reply->round->index != view->cards_index)
		sim_fail("player %lld: a pick of card round %llu-%u was answered with %llu-%u",
			(long long)window->requester.player, (unsigned long long)view->cards_move,
			view->cards_index, (unsigned long long)reply->round->move,
			reply->round->index);
	if (reply->http_status == 200 && crowd.picked != NULL)
		crowd.picked(reply->round);
	view->turned_n = 0;
	for (size_t i = 0; i < reply->round->n_turned && i < TURNED_MAX; i++)
		view->turned[view->turned_n++] = (uint8_t)reply->round->turned[i]->position;
	view->cards_won = reply->round->won;
	return thinking(window) / 2;
}

static void answered(struct requester *requester, const struct answer *answer)
{
	struct window *window = (struct window *)requester;
	uint64_t after_us = AGAIN_US;

	if (answer->card != NULL && window->asked_cards)
		after_us = on_card(window, answer->card);
	else if (answer->reply != NULL && !window->asked_cards)
		after_us = on_reply(window, answer->reply);
	else if (!sim_world.faulty && sim_world.scenario == NULL)
		sim_fail("player %lld: a request had no answer in a world without faults",
			(long long)requester->player);
	window_wake_soon(window, after_us);
}

bool window_settled(const struct window *window)
{
	return window->asleep && !window->requester.waiting && !window->has_request;
}

void window_begin(struct window *window, struct client *client, uint32_t number)
{
	*window = (struct window){ .requester = { .player = client->id, .answered = answered },
		.client = client,
		.game = &sim_games[(number + sim_random(SIM_GAMES)) % SIM_GAMES],
		.think_us = 1 + crowd.think_us / 2 + sim_random(crowd.think_us + 1),
		.asleep = true };
	window_wake_soon(window, sim_random(200000));
}
