/* Decodes a SpinCommand into the state machine's player_command and checks every field. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_COMMAND_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_COMMAND_H

#include "services/spin-engine/adapters/fault.h"
#include "services/spin-engine/core/player.h"

#include <stddef.h>
#include <stdint.h>

#define COMMAND_REPLY_TO_MAX 120
#define COMMAND_TRACE_MAX 25

struct spin_command {
	player_id player;
	uint64_t correlation;
	char reply_to[COMMAND_REPLY_TO_MAX]; /* empty: nobody waits for a reply */
	char game[GAME_ID_MAX];		     /* empty: none */
	uint32_t trace_length;
	uint8_t trace[COMMAND_TRACE_MAX];
	struct player_command core;
};

enum command_status {
	COMMAND_OK = 0,
	COMMAND_UNREADABLE, /* malformed, or without a player: a dead letter */
	COMMAND_BAD, /* a field is wrong: reply with *fault_r; player, correlation and reply_to are
			set */
};

struct Carillon__SpinCommand;
/* Reads an unpacked message. reason (160 bytes) is set with COMMAND_UNREADABLE. */
enum command_status command_read(const struct Carillon__SpinCommand *message,
	struct spin_command *command_r, struct fault *fault_r, char *reason);

#endif
