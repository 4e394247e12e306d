/* What a window does next. Mostly it bets; what a round offers on the way it takes by chance. */
#include "tests/sim/clients/clients.h"
#include "tests/sim/judge/judge.h"
#include "tests/sim/sim.h"

#include <string.h>

const struct sim_game sim_games[SIM_GAMES] = {
	{ "duel", 1, 1, false, true },
	{ "mirror", 2, 1, true, true },
	{ "solo", 3, 3, false, false },
};

static const int64_t coins_eur[COINS_MAX] = { 1, 2, 5, 10, 20, 50, 100 };

static struct request begin(struct window *window, Carillon__SpinKind kind)
{
	return (struct request){ .kind = kind,
		.game = window->game,
		.number = ++window->client->requests,
		.expect = window->view.expect,
		.round = window->view.round,
		.cursor = window->view.cursor };
}

static void fill_random(uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t random = sim_random(UINT64_MAX);
		memcpy(bytes + i, &random, n - i < 8 ? n - i : 8);
	}
}

/* Small stakes mostly, so that money lasts; now and then one that the balance may not hold. */
static struct request bet(struct window *window)
{
	struct request request = begin(window, CARILLON__SPIN_KIND__SPIN_BET);
	struct view *view = &window->view;
	uint64_t place = sim_random(8) == 0 ? sim_random(COINS_MAX) : sim_random(3);

	fill_random(request.nonce, sizeof(request.nonce));
	if (view->bonus && sim_random(2) == 0) {
		request.bonus = true;
		memcpy(request.id, view->bonus_id, sizeof(request.id));
		return request;
	}
	request.coin_minor = coins_eur[place] * (window->client->currency == EUR ? 1 : 10);
	request.lines = sim_random(6) == 0 ? 1 + (uint32_t)sim_random(15) : 15;
	request.coins = sim_random(6) == 0 ? 1 + (uint32_t)sim_random(10) : 1;
	if (view->autoplay && sim_random(8) > 0) {
		request.autospin = true;
		memcpy(request.id, view->autoplay_id, sizeof(request.id));
	}
	return request;
}

static struct request setting(struct window *window)
{
	struct request request = begin(window, CARILLON__SPIN_KIND__SPIN_SETTING);

	request.witch = sim_random(3) == 0;
	if (request.witch) {
		request.choice = (uint32_t)sim_random(2);
		return request;
	}
	fill_random(request.id, sizeof(request.id));
	request.spins =
		window->view.autoplay && sim_random(2) == 0 ? 0 : 1 + (uint32_t)sim_random(20);
	return request;
}

/* "next" begins free spins and the like; vials are touched one by one, sometimes the same again. */
static struct request step(struct window *window, bool pick)
{
	struct request request = begin(window, CARILLON__SPIN_KIND__SPIN_STEP);

	request.pick = pick;
	request.choice = (uint32_t)sim_random(9);
	if (!pick)
		return request;
	while ((window->view.tried >> request.choice & 1) != 0 && sim_random(16) > 0)
		request.choice = (request.choice + 1) % 9;
	window->view.tried |= 1u << request.choice;
	return request;
}

static struct request offered(struct window *window)
{
	struct request request;
	uint64_t dice = sim_random(10);

	if (dice < 4)
		return bet(window); /* collects by itself */
	if (dice < 6)
		return begin(window, CARILLON__SPIN_KIND__SPIN_COLLECT);
	if (dice == 6 && window->game->halve)
		return begin(window, CARILLON__SPIN_KIND__SPIN_HALVE);
	request = begin(window, CARILLON__SPIN_KIND__SPIN_GAMBLE);
	request.choice = (uint32_t)sim_random(2);
	return request;
}

/* Another game is entered by asking for its state; the round of the old one stays as it is. */
static struct request look(struct window *window, bool another)
{
	struct request request;

	if (another) {
		window->game = &sim_games[sim_random(SIM_GAMES)];
		window->view.known = window->view.cards = window->view.autoplay = false;
		window->view.round = 0;
	}
	request = begin(window, CARILLON__SPIN_KIND__SPIN_STATE);
	request.number = 0;
	return request;
}

static struct request replay(struct window *window)
{
	struct request request = begin(window, CARILLON__SPIN_KIND__SPIN_REPLAY);

	request.number = 0;
	return request;
}

static struct request choose_idle(struct window *window)
{
	uint64_t dice = sim_random(1000);

	if (dice < 6)
		return look(window, true);
	if (dice < 12)
		return look(window, false);
	if (dice < 24)
		return setting(window);
	if (dice < 27 && window->view.round > 0)
		return replay(window);
	return bet(window);
}

/* ---- the end: everything that is open is finished, game by game ------------------------------ */

static bool finish(struct window *window, struct request *request_r)
{
	const struct view *view = &window->view;

	if (!view->known) {
		*request_r = look(window, false);
		return true;
	}
	if (view->cards) {
		*request_r = look(window, false); /* played: the award is waited for */
		return true;
	}
	if (view->round > 0 && !view->closed) {
		bool step_next = strcmp(view->next, "next") == 0;
		*request_r = step_next || strcmp(view->next, "pick") == 0
				     ? step(window, !step_next)
				     : begin(window, CARILLON__SPIN_KIND__SPIN_COLLECT);
		return true;
	}
	if (window != &window->client->window[0] || window->finished == SIM_GAMES)
		return false;
	/* the first window sees to all games */
	window->game = &sim_games[window->finished++];
	window->view.known = window->view.cards = window->view.autoplay = false;
	window->view.round = 0;
	*request_r = look(window, false);
	return true;
}

bool choose_request(struct window *window)
{
	const struct view *view = &window->view;
	struct request *request = &window->request;

	if (!window->client->opened) {
		*request = begin(window, CARILLON__SPIN_KIND__SPIN_OPEN);
		request->number = 0;
		return true;
	}
	if (crowd.draining)
		return finish(window, request);
	if (window->broke_until_us > sim_now_us())
		return false;
	if (!view->known)
		*request = look(window, false);
	else if (view->cards) /* played: the game waits for the award */
		*request = look(window, sim_random(6) == 0);
	else if (strcmp(view->next, "pick") == 0)
		*request = step(window, true);
	else if (strcmp(view->next, "next") == 0)
		*request = step(window, false);
	else if (strcmp(view->next, "gamble") == 0)
		*request = offered(window);
	else
		*request = choose_idle(window);
	return true;
}

bool choose_card(struct window *window)
{
	struct view *view = &window->view;
	Carillon__JackpotCommand command;
	Carillon__CardPick pick;

	if (!view->known || !view->cards || view->cards_won || crowd.untouched)
		return false;
	carillon__jackpot_command__init(&command);
	carillon__card_pick__init(&pick);
	pick.player = window->requester.player;
	pick.round = view->cards_move;
	pick.index = view->cards_index;
	pick.pick = view->turned_n + 1;
	pick.position = (uint32_t)sim_random(12);
	for (uint32_t i = 0; i < view->turned_n; i++)
		if (view->turned[i] == pick.position) {
			pick.position = (pick.position + 1) % 12;
			i = UINT32_MAX; /* from the beginning */
		}
	if (view->turned_n > 0 && sim_random(10) == 0) { /* the same pick twice */
		pick.pick = view->turned_n;
		pick.position = view->turned[view->turned_n - 1];
	}
	command.pool = CARDS_POOL;
	command.body_case = CARILLON__JACKPOT_COMMAND__BODY_PICK;
	command.pick = &pick;
	judge_pick_sent(pick.player, pick.round, pick.index, pick.pick);
	return request_cards(&window->requester, &command);
}
