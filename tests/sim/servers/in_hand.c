/* The mapped file of the commands in hand: it outlives the process of its instance. A scenario may
 * have the process die of a command. */
#include "tests/sim/world/kernel.h"
#include "tests/sim/fake.h"

#include "libcommon/io/in_hand.h"

#include <string.h>

FAKE(in_hand_open);
FAKE(in_hand_left);
FAKE(in_hand_left_deciding);
FAKE(in_hand_take);
FAKE(in_hand_decide);
FAKE(in_hand_clear);
FAKE(in_hand_server_failed);
FAKE(in_hand_server_failed_us);
FAKE(in_hand_close);

struct in_hand {
	size_t taken;
	bool deciding;
	uint64_t server_failed_us;
	struct in_hand_command decided;
	struct in_hand_command commands[IN_HAND_MAX];
};

static struct in_hand files[SLOTS_MAX];
static sim_poison *poison;

void sim_poison_hook(sim_poison *kills)
{
	poison = kills;
}

bool sim_in_hand(const struct sim_process *process, const uint8_t id[SIM_ID_BYTES])
{
	const struct in_hand *hand = &files[process->slot];
	for (size_t i = 0; i < hand->taken && i < IN_HAND_MAX; i++)
		if (memcmp(hand->commands[i].id, id, SIM_ID_BYTES) == 0)
			return true;
	return false;
}

void in_hand_world_begin(void)
{
	for (size_t i = 0; i < SLOTS_MAX; i++) {
		files[i].taken = 0;
		files[i].deciding = false;
		files[i].server_failed_us = 0;
	}
	poison = NULL;
}

struct in_hand *__wrap_in_hand_open(const char *folder, const char *instance)
{
	(void)folder;
	(void)instance;
	return &files[sim_current()->slot];
}

size_t __wrap_in_hand_left(const struct in_hand *hand, const struct in_hand_command **commands_r)
{
	*commands_r = hand->commands;
	return hand->taken < IN_HAND_MAX ? hand->taken : IN_HAND_MAX;
}

const struct in_hand_command *__wrap_in_hand_left_deciding(const struct in_hand *hand)
{
	return hand->deciding ? &hand->decided : NULL;
}

void __wrap_in_hand_take(struct in_hand *hand, const struct in_hand_command *command)
{
	hand->commands[hand->taken++ % IN_HAND_MAX] = *command;
}

void __wrap_in_hand_decide(struct in_hand *hand, const struct in_hand_command *command)
{
	hand->deciding = command != NULL;
	if (command == NULL)
		return;
	hand->decided = *command;
	if (poison != NULL && poison(sim_current(), command->id))
		sim_die("a command has killed it");
}

void __wrap_in_hand_clear(struct in_hand *hand)
{
	hand->deciding = false;
	hand->taken = 0;
}

void __wrap_in_hand_server_failed(struct in_hand *hand, uint64_t wall_us)
{
	hand->server_failed_us = wall_us;
}

uint64_t __wrap_in_hand_server_failed_us(const struct in_hand *hand)
{
	return hand->server_failed_us;
}

void __wrap_in_hand_close(struct in_hand **hand)
{
	*hand = NULL;
}
