/* Fuzzes the decoder from the bytes of a SpinCommand to a command of the state machine. */
#include "services/spin-engine/adapters/command.h"

#include "spin.pb-c.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Carillon__SpinCommand *message = carillon__spin_command__unpack(NULL, size, data);
	struct spin_command command;
	struct fault fault;
	char reason[160] = "";

	if (!message)
		return 0;
	switch (command_read(message, &command, &fault, reason)) {
	case COMMAND_OK:
		assert(command.core.verb >= VERB_OPEN && command.core.verb <= VERB_REPLAY);
		assert(fault.http == 0);
		break;
	case COMMAND_BAD:
		assert(fault.http == 400 && fault.code[0] && fault.message[0]);
		break;
	case COMMAND_UNREADABLE:
		assert(reason[0]);
		break;
	}
	carillon__spin_command__free_unpacked(message, NULL);
	return 0;
}
