/* Reads any bytes as an opened message. Whatever is taken from a sender, the decoder of the bus
 * reads as what that sender may say, or not at all: two readers never differ. */
#include "libcommon/service/permit.h"

#include "bus.pb-c.h"
#include "wallet.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static bool taken(const char *from, const uint8_t *bytes, size_t length)
{
	const struct nn_bus_instance sender = { .service = from, .url = "ipc://a" };
	return permit_refusal(&sender, "wallet", bytes, length, 0) == NULL;
}

/* The act of a command as the wallet's own decoder tells it. */
static void compare(const Carillon__Bus *bus, const uint8_t *bytes, size_t length)
{
	if (bus->body_case == CARILLON__BUS__BODY_REPLY ||
		bus->body_case == CARILLON__BUS__BODY_HINT)
		assert(!taken("spin-engine", bytes, length));
	if (bus->body_case != CARILLON__BUS__BODY_COMMAND ||
		bus->command->kind != CARILLON__COMMAND_KIND__COMMAND_WALLET)
		return;
	Carillon__WalletCommand *command = carillon__wallet_command__unpack(
		NULL, bus->command->body.len, bus->command->body.data);
	if (command == NULL)
		return;
	if (taken("spin-engine", bytes, length))
		assert(command->body_case == CARILLON__WALLET_COMMAND__BODY_PROPOSAL ||
			command->body_case == CARILLON__WALLET_COMMAND__BODY__NOT_SET);
	if (taken("progressive-pool", bytes, length))
		assert(command->body_case == CARILLON__WALLET_COMMAND__BODY_AWARD ||
			command->body_case == CARILLON__WALLET_COMMAND__BODY__NOT_SET);
	if (taken("payments", bytes, length) &&
		command->body_case == CARILLON__WALLET_COMMAND__BODY_OUTSIDE)
		assert(command->outside->kind == CARILLON__MOVE_KIND__MOVE_CAPTURE ||
			command->outside->kind == CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE ||
			command->outside->kind == CARILLON__MOVE_KIND__MOVE_UNKNOWN);
	if (taken("gateway", bytes, length))
		assert(command->body_case == CARILLON__WALLET_COMMAND__BODY_OUTSIDE ||
			command->body_case == CARILLON__WALLET_COMMAND__BODY__NOT_SET);
	carillon__wallet_command__free_unpacked(command, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	Carillon__Bus *bus = carillon__bus__unpack(NULL, length, bytes);
	if (bus == NULL) {
		(void)taken("gateway", bytes, length);
		return 0;
	}
	compare(bus, bytes, length);
	carillon__bus__free_unpacked(bus, NULL);
	return 0;
}
