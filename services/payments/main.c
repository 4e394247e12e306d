/*~ carillon-payments: withdrawals, from the wallet's hold to the payment provider and back. Wiring
 * only; a tour in reading order:
 *
 *  1. core/payout.h                 one payment as a state machine: it queries the provider until
 * the outcome is known and tells the wallet until it is booked; the first outcome stands
 *  2. adapters/provider.h           the provider over HTTP
 *  3. adapters/store.h              payments in Postgres, and the wallet's holds
 *  4. adapters/payments_service.c   each turn: new holds, requests, outcomes, settlements, alarms
 */
#include "services/payments/adapters/payments_service.h"

/*~ The service reads no topic: wallet.hold is the truth about open and settled holds, and reading
 * it cannot lose a message. */
static const struct service_ops OPS = {
	.name = "payments",
	.prefix = "PAYMENTS_",
	.settings = payments_settings,
	.topics_n = 0,
	.schema_min = 4,
	.schema_max = 4,
	.start = payments_start,
	.open = payments_open,
	.close = payments_close,
	.bus = payments_bus,
	.tick = payments_tick,
	.write = payments_write,
	.drained = payments_drained,
};

int main(int argc, char **argv)
{
	return service_main(argc, argv, &OPS);
}
