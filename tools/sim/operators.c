/* Operators of pools: pause and resume, adjustments, parameters, kill switches, new rates. Each
 * command to a pool carries an id and is sent until its fact is there; some twice. */
#include "tools/sim/clients.h"
#include "tools/sim/fake_pg.h"
#include "tools/sim/judge_book.h"
#include "tools/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AGAIN_US 700000
#define PARAMETERS_MAX 160

static struct {
	Carillon__OperatorAction action;
	uint32_t pool;
	uint64_t number;
	uint8_t id[ASK_ID_BYTES];
	char parameters[PARAMETERS_MAX];
	bool busy, paused[SIM_GAMES + 1], stopped;
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
	body.id = (ProtobufCBinaryData){ ASK_ID_BYTES, now.id };
	body.parameters = now.parameters;
	command.pool = now.pool;
	command.body_case = CARILLON__JACKPOT_COMMAND__BODY_OPERATOR;
	command.operator_ = &body;
	ask_pool(&command);
}

/* The row that the pool keeps of each action, done or refused. */
static bool answered(void)
{
	const struct fake_pg_table *table = fake_pg_table("pool.operator_action");
	const struct fake_pg_row *row = NULL;

	while ((row = fake_pg_next(table, row)) != NULL) {
		size_t n;
		const void *id = fake_pg_bytes(row, COLUMN(table, "id"), &n);
		if (n == ASK_ID_BYTES && memcmp(id, now.id, n) == 0)
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
	asks_id(key, "pool", now.id);
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
	uint64_t dice = sim_random(10);

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
	(void)context;
	if (now.busy && answered()) {
		now.busy = false;
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
