/* Operators of pools: pause and resume, adjustments, parameters, kill switches, new rates. Each
 * command to a pool carries an id and is sent until its fact is there; some twice. */
#include "tests/sim/clients/clients.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AGAIN_US 700000
#define PARAMETERS_MAX 600
#define CREATED_FIRST 10 /* numbers of pools that are made while it runs */
#define CREATED_MAX 8

/* A pool that operators have made. */
struct created {
	bool there, paused, retired;
};

static struct {
	Carillon__OperatorAction action;
	uint32_t pool;
	uint64_t number;
	uint8_t id[REQUEST_ID_BYTES];
	char parameters[PARAMETERS_MAX];
	bool busy, paused[SIM_GAMES + 1], stopped, only_make;
	struct created created[CREATED_MAX];
	size_t created_n;
} now;

static void wake(void *context);

static void send(void)
{
	Carillon__JackpotCommand command;
	Carillon__OperatorCommand body;
	char actor[] = "ada", second[] = "grace", reason[] = "simulated";

	carillon__jackpot_command__init(&command);
	carillon__operator_command__init(&body);
	body.action = now.action;
	body.actor = actor;
	body.second = second;
	body.reason = reason;
	body.id = (ProtobufCBinaryData){ REQUEST_ID_BYTES, now.id };
	body.parameters = now.parameters;
	command.pool = now.pool;
	command.body_case = CARILLON__JACKPOT_COMMAND__BODY_OPERATOR;
	command.operator_ = &body;
	request_pool(&command);
}

/* The row that the pool keeps of each action, done or refused. */
static bool answered(bool *done_r)
{
	const struct fake_pg_table *table = fake_pg_table("pool.operator_action");
	const struct fake_pg_row *row = NULL;

	while ((row = fake_pg_next(table, row)) != NULL) {
		size_t n;
		const void *id = fake_pg_bytes(row, COLUMN(table, "id"), &n);
		*done_r = fake_pg_int(row, COLUMN(table, "done"));
		if (n == REQUEST_ID_BYTES && memcmp(id, now.id, n) == 0)
			return true;
	}
	return false;
}

static void begin(Carillon__OperatorAction action, uint32_t pool)
{
	char key[32];

	now.action = action;
	now.pool = pool;
	now.busy = true;
	now.parameters[0] = '\0';
	(void)snprintf(key, sizeof(key), "action-%" PRIu64, ++now.number);
	requests_id(key, "pool", now.id);
}

static int64_t a_coin(bool eur)
{
	static const int64_t coins[COINS_MAX] = { 1, 2, 5, 10, 20, 50, 100 };

	return coins[sim_random(COINS_MAX)] * (eur ? 1 : 10);
}

static void adjust(uint32_t pool)
{
	bool eur = sim_random(2) == 0;
	int64_t coin = a_coin(eur), delta = 1 + (int64_t)sim_random(5000);

	begin(CARILLON__OPERATOR_ACTION__ACTION_ADJUST, pool);
	(void)snprintf(now.parameters, sizeof(now.parameters),
		"{\"currency\":\"%s\",\"coin_minor\":%" PRId64 ",\"delta_minor\":%" PRId64 "}",
		eur ? "EUR" : "SEK", coin, delta);
	pools_adjustment(pool, eur ? EUR : SEK, coin, delta);
}

static void parameters(uint32_t pool)
{
	bool eur = sim_random(2) == 0;

	begin(CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS, pool);
	(void)snprintf(now.parameters, sizeof(now.parameters),
		"{\"currency\":\"%s\",\"coin_minor\":%" PRId64 ",\"seed_minor\":%" PRIu64 "}",
		eur ? "EUR" : "SEK", a_coin(eur), 100 + sim_random(100000));
}

/* ---- pools that are made while the world runs ------------------------------------------------ */

static uint32_t created_pool_number(const struct created *created)
{
	return CREATED_FIRST + (uint32_t)(created - now.created);
}

/* As /jackpot of a definition; its games are one or two of those that pay into it. */
static void create(void)
{
	static const char *const games[] = { "\"solo\"", "\"duel\",\"solo\"", "\"duel\",\"mirror\"",
		"\"duel\",\"mirror\",\"solo\"" };

	begin(CARILLON__OPERATOR_ACTION__ACTION_CREATE, CREATED_FIRST + (uint32_t)now.created_n);
	(void)snprintf(now.parameters, sizeof(now.parameters),
		"{\"pool\":\"made-%zu\",\"contribution_ppm\":%" PRIu64
		",\"base_coin_eur_minor\":1000,\"games\":[%s],\"rows\":{\"EUR\":{"
		"\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":1,\"seed\":300},{\"coin\":10,"
		"\"seed\":3000}]},\"SEK\":{\"row_rate_nano\":90000000,\"seeds\":[{\"coin\":100,"
		"\"seed\":20000}]}}}",
		now.created_n + 1, 1000 + sim_random(20000), games[sim_random(4)]);
}

/* Its rest goes to a pool that stands, into the reserve or into a row; one row of its own at times
 * to another place. */
static void retire(const struct created *created)
{
	const struct created *other = &now.created[sim_random(CREATED_MAX)];
	uint32_t pool = sim_random(2) == 0 ? 1 : 3;
	char place[96], row[160] = "";

	if (other->there && !other->retired && other != created && sim_random(3) > 0)
		pool = created_pool_number(other);
	begin(CARILLON__OPERATOR_ACTION__ACTION_RETIRE, created_pool_number(created));
	(void)snprintf(place, sizeof(place), "{\"pool\":%" PRIu32 "%s}", pool,
		sim_random(2) == 0 ? "" : ",\"currency\":\"EUR\",\"coin_minor\":10");
	if (sim_random(2) == 0)
		(void)snprintf(row, sizeof(row),
			",\"rows\":[{\"currency\":\"SEK\",\"coin_minor\":100,\"to\":{\"pool\":%" PRIu32
			",\"currency\":\"SEK\",\"coin_minor\":100}}]",
			sim_random(2) == 0 ? 1U : 3U);
	(void)snprintf(now.parameters, sizeof(now.parameters), "{\"rest\":%s%s}", place, row);
}

/* The next step of one of them: it is paused, and when that has come into force it is retired. */
static bool choose_created_pool(void)
{
	struct created *created = &now.created[sim_random(CREATED_MAX)];

	if (!created->there && now.created_n < CREATED_MAX)
		create();
	else if (!created->there)
		return false;
	else if (!created->paused)
		begin(CARILLON__OPERATOR_ACTION__ACTION_PAUSE, created_pool_number(created));
	else
		retire(created);
	return true;
}

/* What was refused is tried again some time: a game feeds so many pools already, a pool is not
 * paused yet, where its money was to go is gone. */
static void created_pool_answered(bool done)
{
	struct created *created = &now.created[now.pool - CREATED_FIRST];

	if (!done)
		return;
	if (now.action == CARILLON__OPERATOR_ACTION__ACTION_CREATE) {
		created->there = true;
		now.created_n++;
	} else if (now.action == CARILLON__OPERATOR_ACTION__ACTION_PAUSE) {
		created->paused = true;
	} else {
		created->retired = true;
	}
}

/* Rows that operators' tools write themselves. */
static void stop_game(bool stop)
{
	(void)fake_pg_run(stop ? "insert into wallet.switch (game, reason, actor) values (1, "
				 "'simulated', 'ada')"
			       : "delete from wallet.switch where game = 1",
		0, NULL);
	now.stopped = stop;
}

static void new_rate(void)
{
	char rate[24];
	const char *parameters_of[] = { rate };

	(void)snprintf(rate, sizeof(rate), "%" PRIu64, 80000000 + sim_random(15000000));
	(void)fake_pg_run("insert into carillon.fx_rate (currency, rate_nano) values (752, $1)", 1,
		parameters_of);
}

static void choose(void)
{
	uint32_t pool = sim_random(2) == 0 ? 1 : 3;
	uint64_t dice = sim_random(13);

	if ((dice > 9 || now.only_make) && choose_created_pool())
		return;
	if (now.only_make)
		return;
	if (now.paused[pool] || dice < 2) {
		begin(now.paused[pool] ? CARILLON__OPERATOR_ACTION__ACTION_RESUME
				       : CARILLON__OPERATOR_ACTION__ACTION_PAUSE,
			pool);
		now.paused[pool] = !now.paused[pool];
	} else if (dice < 5) {
		adjust(pool);
	} else if (dice < 7) {
		parameters(pool);
	} else if (dice == 7) {
		stop_game(!now.stopped);
	} else {
		new_rate();
	}
}

/* At the end nothing stays paused or stopped. */
static bool finish(void)
{
	if (now.stopped)
		stop_game(false);
	for (uint32_t pool = 1; pool <= SIM_GAMES; pool++)
		if (now.paused[pool]) {
			begin(CARILLON__OPERATOR_ACTION__ACTION_RESUME, pool);
			now.paused[pool] = false;
			return true;
		}
	return false;
}

static void wake(void *context)
{
	bool done = false;

	(void)context;
	if (now.busy && answered(&done)) {
		now.busy = false;
		if (now.pool >= CREATED_FIRST)
			created_pool_answered(done);
		if (sim_random(4) == 0)
			send(); /* once more: nothing may come of it */
	}
	if (!now.busy) {
		if (!crowd.draining)
			choose();
		else if (!finish())
			return;
	}
	if (now.busy)
		send();
	crowd_at(now.busy ? AGAIN_US : 1 + sim_random(2 * crowd.operators_us), wake, NULL);
}

void operators_make(uint64_t us)
{
	now.only_make = true;
	crowd.operators_us = us;
	crowd_at(0, wake, NULL);
}

bool operators_settled(void)
{
	for (uint32_t pool = 1; pool <= SIM_GAMES; pool++)
		if (now.paused[pool])
			return false;
	return !now.busy && !now.stopped;
}

void operators_begin(void)
{
	memset(&now, 0, sizeof(now));
	if (crowd.operators_us > 0)
		crowd_at(sim_random(2 * crowd.operators_us), wake, NULL);
}
