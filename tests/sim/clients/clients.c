/* The crowd of a world: who plays, how fast, and when it is done. */
#include "tests/sim/clients/clients.h"
#include "tests/sim/judge/judge.h"
#include "tests/sim/clients/news.h"
#include "tests/sim/clients/provider.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEWS_US 250000
#define SETTLE_US UINT64_C(120000000) /* of the world, plus as long again as it lasted */

struct crowd crowd;
static struct backend backends[CLIENTS_MAX];
static uint64_t drained_us;

/* ---- events --------------------------------------------------------------------------------- */

/* The event queue forgets nothing at the end of a world, so each event knows whose it is. */
struct event {
	uint64_t life;
	void (*call)(void *context);
	void *context;
};

static void on_event(void *context)
{
	struct event event = *(struct event *)context;

	free(context);
	if (event.life == crowd.life)
		event.call(event.context);
}

void crowd_at(uint64_t after_us, void (*call)(void *context), void *context)
{
	struct event *event = malloc(sizeof(*event));

	if (event == NULL)
		sim_fail("no memory for an event");
	*event = (struct event){ crowd.life, call, context };
	sim_at(sim_now_us() + after_us, on_event, event);
}

/* ---- who ------------------------------------------------------------------------------------ */

struct client *crowd_find(player_id player)
{
	for (size_t i = 0; i < crowd.clients_n; i++)
		if (crowd.client[i].id == player)
			return &crowd.client[i];
	return NULL;
}

static void client_begin(size_t at)
{
	struct client *client = &crowd.client[at];

	*client = (struct client){ .currency = sim_random(3) == 0 ? SEK : EUR,
		.windows_n = sim_chance(crowd.two_windows_ppm) ? 2 : 1,
		.limited = sim_chance(crowd.limited_ppm),
		.backend = &backends[at] };
	if (!player_id_make(at % 3 == 0 ? 7 : 1, at + 1, &client->id))
		sim_fail("no player's id for number %zu", at + 1);
	for (uint32_t i = 0; i < client->windows_n; i++)
		window_begin(&client->window[i], client, i);
	backend_begin(&backends[at], client);
}

static void news_wake(void *context)
{
	(void)context;
	news_step();
	crowd_at(NEWS_US, news_wake, NULL);
}

static void gateway_wake(void *context)
{
	(void)context;
	if (crowd.draining)
		return;
	requests_gateway_dies();
	crowd_at(1000000 + sim_random(8000000), gateway_wake, NULL);
}

void workload_world_begin(void)
{
	uint64_t life = crowd.life + 1;

	memset(&crowd, 0, sizeof(crowd));
	crowd.life = life;
	crowd.clients_n = 16 + sim_random(sim_random(2) == 0 ? CLIENTS_MAX - 16 : 64);
	crowd.think_us = sim_random_us(300, 20000);
	crowd.backend_us = sim_random_us(200000, 5000000);
	crowd.operators_us = sim_random(2) == 0 ? 0 : sim_random_us(300000, 5000000);
	crowd.two_windows_ppm = sim_random(2) == 0 ? 0 : 300000;
	crowd.again_ppm = 20000;
	crowd.limited_ppm = sim_random(3) == 0 ? 0 : 100000;
	crowd.void_ppm = sim_random(3) == 0 ? 0 : 80000;
	crowd.by_hand_ppm = sim_random(3) == 0 ? 300000 : 0;
	if (sim_world.scenario != NULL) {
		crowd.clients_n = 24;
		crowd.think_us = 10000;
		crowd.backend_us = 500000;
		crowd.operators_us = 0;
	}
	requests_begin();
	judge_world_begin();
	news_begin();
	provider_begin();
	for (size_t i = 0; i < crowd.clients_n; i++)
		client_begin(i);
	operators_begin();
	crowd_at(NEWS_US, news_wake, NULL);
	if (sim_world.faulty)
		crowd_at(sim_random(4000000), gateway_wake, NULL);
}

void workload_world_end(void)
{
	crowd.life++;
	requests_end();
	news_end();
	provider_end();
	judge_world_end();
}

uint64_t workload_rounds(void)
{
	return judge_rounds();
}

bool workload_done(void)
{
	return judge_rounds() >= sim_world.rounds;
}

/* ---- the end -------------------------------------------------------------------------------- */

void workload_drain(void)
{
	crowd.draining = true;
	crowd.gone = crowd.untouched = false;
	drained_us = sim_now_us();
	for (size_t i = 0; i < crowd.clients_n; i++) {
		struct client *client = &crowd.client[i];
		for (uint32_t j = 0; j < client->windows_n; j++) {
			client->window[j].broke_until_us = 0;
			window_wake_soon(&client->window[j], sim_random(100000));
		}
	}
}

static bool windows_idle(void)
{
	for (size_t i = 0; i < crowd.clients_n; i++)
		for (uint32_t j = 0; j < crowd.client[i].windows_n; j++)
			if (!window_settled(&crowd.client[i].window[j]))
				return false;
	return true;
}

void crowd_rest(void)
{
	workload_drain();
	for (int i = 0; i < 30000 && !windows_idle(); i++)
		sim_run_until(sim_now_us() + 10000);
	if (!windows_idle())
		sim_fail("players do not come to rest");
}

static bool unsettled(const struct client *client, char *what, size_t room)
{
	for (uint32_t i = 0; i < client->windows_n; i++) {
		const struct window *window = &client->window[i];
		if (window_settled(window))
			continue;
		(void)snprintf(what, room,
			"player %" PRId64 ", window %" PRIu32 ": request kind %d in %s, expect "
			"%" PRIu64 ", next \"%s\"%s",
			client->id, i + 1, (int)window->request.kind, window->game->id,
			window->request.expect, window->view.next,
			window->view.cards ? ", cards wait" : "");
		return true;
	}
	if (backend_settled(client->backend))
		return false;
	(void)snprintf(what, room, "player %" PRId64 ": a booking of kind %d", client->id,
		(int)client->backend->kind);
	return true;
}

bool crowd_waits(char *what, size_t room)
{
	for (size_t i = 0; i < crowd.clients_n; i++)
		if (unsettled(&crowd.client[i], what, room))
			return true;
	return false;
}

static bool settled(char *what, size_t room)
{
	if (crowd_waits(what, room))
		return false;
	if (!operators_settled()) {
		(void)snprintf(what, room, "an operator's command to a pool");
		return false;
	}
	return judge_settled(what, room) && news_settled(what, room);
}

/* Nothing stays stuck: once faults have ended, everything is done within a bounded time. */
bool workload_settled(void)
{
	uint64_t limit_us = SETTLE_US + (drained_us - sim_world.begin_us);
	char what[256] = "";

	if (settled(what, sizeof(what)))
		return true;
	if (sim_now_us() > drained_us + limit_us)
		sim_fail("stuck for %" PRIu64 " s after the last fault: %s",
			(sim_now_us() - drained_us) / 1000000, what);
	return false;
}
