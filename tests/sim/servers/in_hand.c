/* The mapped file of the commands in hand: it outlives the process of its instance. A scenario may
 * have the process die of a command. */
#include "tests/sim/world/kernel.h"
#include "tests/sim/fake.h"

#include "libcommon/base/ids.h"
#include "libcommon/io/in_hand.h"

#include <string.h>

FAKE(in_hand_open);
FAKE(in_hand_left);
FAKE(in_hand_left_deciding);
FAKE(in_hand_take);
FAKE(in_hand_decide);
FAKE(in_hand_clear);
FAKE(in_hand_try);
FAKE(in_hand_tried);
FAKE(in_hand_close);

struct in_hand {
	size_t taken;
	bool deciding;
	size_t trying; /* 1 + the place in `events`; 0: none */
	struct {
		int64_t offset;
		unsigned deaths;
	} events[SHARDS_MAX * IN_HAND_TOPICS];
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
		files[i].trying = 0;
		memset(files[i].events, 0, sizeof(files[i].events));
	}
	poison = NULL;
}

struct in_hand *__wrap_in_hand_open(const char *folder, const char *instance)
{
	(void)folder;
	(void)instance;
	struct in_hand *hand = &files[sim_current()->slot];
	if (hand->trying > 0)
		hand->events[hand->trying - 1].deaths++;
	hand->trying = 0;
	return hand;
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

unsigned __wrap_in_hand_try(struct in_hand *hand, const struct in_hand_event *event)
{
	size_t at = (size_t)event->shard * IN_HAND_TOPICS + event->topic;
	if (hand->events[at].offset != event->offset)
		hand->events[at].deaths = 0;
	hand->events[at].offset = event->offset;
	hand->trying = at + 1;
	return hand->events[at].deaths;
}

void __wrap_in_hand_tried(struct in_hand *hand)
{
	hand->trying = 0;
}

void __wrap_in_hand_close(struct in_hand **hand)
{
	*hand = NULL;
}
