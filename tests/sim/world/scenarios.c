/* Named schedules, each seeded and with demands of its own: that what it is about has happened, and
 * often enough, and that the judge found nothing (docs/simulator.md). Players play as in any world;
 * filters and hooks see to the accident. Here is what they share, and the list. */
#include "tests/sim/world/scenario.h"
#include "tests/sim/sim.h"

#include "bus.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_US 10000

/* ---- what all of them need ------------------------------------------------------------------- */

uint64_t happened, also;
char scenario_source[] = "a schedule";

void scenario_run(uint64_t us)
{
	uint64_t until = sim_now_us() + us;

	while (sim_now_us() < until) {
		sim_run_until(sim_now_us() + STEP_US);
		judge_step();
	}
}

/* So many rounds more; a world that stands still fails. */
void scenario_play(uint64_t rounds)
{
	uint64_t until = judge_rounds() + rounds, limit = sim_now_us() + LIMIT_US;
	char what[256] = "nobody asks for anything";

	while (judge_rounds() < until) {
		scenario_run(STEP_US);
		if (sim_now_us() <= limit)
			continue;
		(void)crowd_waits(what, sizeof(what));
		sim_fail("play does not go on: %" PRIu64 " rounds are missing; %s",
			until - judge_rounds(), what);
	}
}

void scenario_begin(void)
{
	happened = also = 0;
	scenario_play(100); /* accounts are open, money is there */
}

void scenario_need(uint64_t count, uint64_t least, const char *what)
{
	if (count < least)
		sim_fail("the schedule did not come to its point: %s %" PRIu64
			 " times, expected at least %" PRIu64,
			what, count, least);
}

/* Nobody asks for anything: what is under way comes to its end. */
void scenario_rest(uint64_t us)
{
	crowd.gone = true;
	scenario_run(us);
}

void scenario_end(void)
{
	sim_filter(NULL, NULL);
	sim_effect_hook(NULL);
	scenario_play(100);
}

static void produce(
	enum topic topic, uint32_t partition, int64_t key, const uint8_t *bytes, size_t n)
{
	uint8_t key_bytes[8];

	for (int i = 0; i < 8; i++)
		key_bytes[i] = (uint8_t)((uint64_t)key >> (56 - 8 * i));
	sim_kafka_produce(topic, partition, key_bytes, sizeof(key_bytes), bytes, n);
}

static bool is_forged(const Carillon__Envelope *envelope)
{
	return envelope != NULL && strcmp(envelope->source, scenario_source) == 0;
}

/* A command to the wallet on its way; NULL: none, or one that a filter has made itself. */
Carillon__WalletCommand *scenario_command(enum topic topic, const uint8_t *bytes, size_t n)
{
	Carillon__WalletCommand *command;

	if (topic != TOPIC_WALLET_COMMANDS)
		return NULL;
	command = carillon__wallet_command__unpack(NULL, n, bytes);
	if (command == NULL || !is_forged(command->envelope))
		return command;
	scenario_command_free(command);
	return NULL;
}

/* The feed in a command; NULL: it is another command. */
static Carillon__JackpotFeed *claimed(const uint8_t *bytes, size_t n)
{
	Carillon__JackpotCommand *command = carillon__jackpot_command__unpack(NULL, n, bytes);
	Carillon__JackpotFeed *feed = NULL;

	if (command != NULL && command->body_case == CARILLON__JACKPOT_COMMAND__BODY_CLAIM) {
		feed = command->claim;
		command->claim = NULL; /* the caller's now */
	}
	if (command != NULL)
		carillon__jackpot_command__free_unpacked(command, NULL);
	return feed;
}

/* The same of a message to a pool. */
static Carillon__JackpotFeed *feed_of(enum topic topic, const uint8_t *bytes, size_t n, bool claim)
{
	Carillon__JackpotFeed *feed;

	if (topic != TOPIC_JACKPOT_FEED && topic != TOPIC_JACKPOT_COMMANDS)
		return NULL;
	feed = topic == TOPIC_JACKPOT_FEED ? carillon__jackpot_feed__unpack(NULL, n, bytes)
					   : claimed(bytes, n);
	if (feed == NULL || ((feed->claim != NULL) == claim && !is_forged(feed->envelope)))
		return feed;
	carillon__jackpot_feed__free_unpacked(feed, NULL);
	return NULL;
}

Carillon__JackpotFeed *scenario_feed(enum topic topic, const uint8_t *bytes, size_t n)
{
	return feed_of(topic, bytes, n, true);
}

Carillon__JackpotFeed *scenario_totals(enum topic topic, const uint8_t *bytes, size_t n)
{
	return feed_of(topic, bytes, n, false);
}

void scenario_command_free(Carillon__WalletCommand *command)
{
	if (command != NULL)
		carillon__wallet_command__free_unpacked(command, NULL);
}

bool scenario_is_bet(const Carillon__WalletCommand *command)
{
	return command != NULL && command->body_case == CARILLON__WALLET_COMMAND__BODY_PROPOSAL &&
	       command->proposal->kind == CARILLON__MOVE_KIND__MOVE_BET;
}

void scenario_sign(Carillon__Envelope *envelope)
{
	free(envelope->source); /* of the unpacked message */
	envelope->source = strdup(scenario_source);
	if (envelope->source == NULL)
		sim_fail("no memory for a source");
}

/* A filter's own messages go to the same shard, as if another instance had sent them. */
void scenario_send(const Carillon__WalletCommand *command)
{
	uint8_t bytes[8192];
	size_t n = carillon__wallet_command__get_packed_size(command);

	if (n > sizeof(bytes))
		sim_fail("a command of %zu bytes", n);
	(void)carillon__wallet_command__pack(command, bytes);
	requests_send(TOPIC_WALLET_COMMANDS, shard_of_player(command->player, sim_world.shards),
		bytes, n);
}

void scenario_send_feed(Carillon__JackpotFeed *feed)
{
	uint8_t bytes[8192];
	size_t n;

	if (!is_forged(feed->envelope))
		scenario_sign(feed->envelope);
	n = carillon__jackpot_feed__get_packed_size(feed);
	if (n > sizeof(bytes))
		sim_fail("a message of %zu bytes to a pool", n);
	(void)carillon__jackpot_feed__pack(feed, bytes);
	produce(TOPIC_JACKPOT_FEED, shard_of_pool(feed->pool, sim_world.shards), feed->pool, bytes,
		n);
}

static void release_feed(void *context)
{
	Carillon__JackpotFeed *feed = context;

	scenario_send_feed(feed);
	carillon__jackpot_feed__free_unpacked(feed, NULL);
}

void scenario_feed_later(Carillon__JackpotFeed *feed, uint64_t us)
{
	crowd_at(us, release_feed, feed);
}

static bool is_body(const uint8_t *bytes, size_t n, Carillon__Bus__BodyCase body)
{
	Carillon__Bus *bus = carillon__bus__unpack(NULL, n, bytes);
	bool is = bus != NULL && bus->body_case == body;

	if (bus != NULL)
		carillon__bus__free_unpacked(bus, NULL);
	return is;
}

bool scenario_is_verdict(const char *url, const uint8_t *bytes, size_t n)
{
	return strstr(url, "spin-engine") != NULL && is_body(bytes, n, CARILLON__BUS__BODY_VERDICT);
}

bool scenario_is_answer(const char *url, const uint8_t *bytes, size_t n)
{
	return (strstr(url, "progressive-pool") != NULL || strstr(url, "jackpot-cards") != NULL) &&
	       is_body(bytes, n, CARILLON__BUS__BODY_TOTALS_ANSWER);
}

const struct scenario sim_scenarios[] = {
	{ "two-builds", run_two_builds },
	{ "kafka-tail", run_kafka_tail },
	{ "no-kafka", run_no_kafka },
	{ "facts-lost", run_facts_lost },
	{ "unknown-kind", run_unknown_kind },
	{ "poison-row", run_poison_row },
	{ "poison-state", run_poison_state },
	{ "stakes-before", run_stakes_before },
	{ "commit-publish", run_commit_publish },
	{ "five-times", run_five_times },
	{ "grant-between", run_grant_between },
	{ "zombie", run_zombie },
	{ "expect-ahead", run_expect_ahead },
	{ "pick-early", run_pick_early },
	{ "postgres-away", run_postgres_away },
	{ "permute", run_permute },
	{ "abandoned", run_abandoned },
	{ "retired", run_retired },
	{ "poison", run_poison },
	{ "drained", run_drained },
	{ "poison-pool", run_poison_pool },
	{ "poison-account", run_poison_account },
	{ "poison-claim", run_poison_claim },
	{ "poison-award", run_poison_award },
	{ "poison-payout", run_poison_payout },
	{ NULL, NULL },
};
