/*~ carillon-payments: withdrawals, from the wallet's hold to the provider of payments and back.
 * Wiring only; a tour in reading order:
 *
 *  1. core/payout.h                 one payment as a state machine: asked until its outcome is
 * known, told to the wallet until it is booked, never guessed, the first word stands
 *  2. adapters/provider.h           the provider over HTTP
 *  3. adapters/store.h              payments in Postgres, and the wallet's holds
 *  4. adapters/payments_service.c   the turns: new holds, questions, words, settlements, alarms */
#include "services/payments/adapters/payments_service.h"

/*~ No topic is read: wallet.hold is the truth about what is to be paid and what is settled, and a
 * look at it cannot be lost. */
static const struct service_ops OPS = {
	.name = "payments",
	.prefix = "PAYMENTS_",
	.settings = payments_settings,
	.topics_n = 0,
	.schema_min = 3,
	.schema_max = 3,
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
