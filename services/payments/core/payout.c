#include "services/payments/core/payout.h"

#include <assert.h>

#define DOUBLINGS_MAX 20
#define LOOKS_MAX 10   /* after the settlement, give up a silent provider after so many requests */
#define UNKNOWN_MAX 4  /* "unknown" may be about a request that is still on its way */
#define PENDING_MAX 16 /* settled by hand and pending: six days, starting at 30 s */
#define DAY_US UINT64_C(86400000000)

enum payout_settled payout_settle_kind(const struct payout *payout)
{
	assert(payout->outcome != PAYOUT_NONE);
	return payout->outcome == PAYOUT_PAID ? PAYOUT_CAPTURED : PAYOUT_RELEASED;
}

enum payout_act payout_due(const struct payout *payout, uint64_t now_us)
{
	if (now_us < payout->next_us)
		return PAYOUT_NOTHING;
	switch (payout->state) {
	case PAYOUT_REQUESTING:
		return PAYOUT_REQUEST;
	case PAYOUT_KNOWN:
		return PAYOUT_SETTLE;
	case PAYOUT_LOOKING:
	case PAYOUT_SETTLED:
		return PAYOUT_LOOK;
	case PAYOUT_DONE:
		break;
	}
	return PAYOUT_NOTHING;
}

void payout_noted(struct payout *payout)
{
	payout->asked = true;
}

void payout_told(struct payout *payout, const struct payout_times *times, uint64_t now_us)
{
	payout->next_us = now_us + times->settle_us;
}

static void enter(struct payout *payout, enum payout_state state, uint64_t next_us)
{
	payout->state = state;
	payout->asks = 0;
	payout->next_us = next_us;
}

static uint64_t doubled(uint64_t first_us, uint64_t most_us, uint32_t asks)
{
	uint64_t delay_us = first_us;

	for (uint32_t i = 1; i < asks && i < DOUBLINGS_MAX && delay_us < most_us; i++)
		delay_us *= 2;
	return delay_us < most_us ? delay_us : most_us;
}

/* Nothing waits for a payment that was settled by hand: the queries become rarer, down to one a
 * day. */
static void again(struct payout *payout, const struct payout_times *times, uint64_t now_us)
{
	bool waits = payout->state != PAYOUT_LOOKING || times->most_us > DAY_US;
	uint64_t most_us = waits ? times->most_us : DAY_US;

	payout->next_us = now_us + doubled(times->first_us, most_us, payout->asks);
}

/* Nothing new. Without an outcome the queries go on for ever: the service never guesses an
 * outcome. */
static void take_no_answer(struct payout *payout, const struct payout_times *times, uint64_t now_us)
{
	if (payout->state == PAYOUT_SETTLED && payout->asks >= LOOKS_MAX)
		enter(payout, PAYOUT_DONE, 0);
	else
		again(payout, times, now_us);
}

static enum payout_alarm take_outcome(
	struct payout *payout, enum payout_outcome outcome, uint64_t now_us)
{
	bool first = payout->outcome == PAYOUT_NONE;

	if (first)
		payout->outcome = outcome;
	if (payout->state == PAYOUT_REQUESTING)
		enter(payout, PAYOUT_KNOWN, now_us);
	else if (payout->state == PAYOUT_LOOKING || payout->state == PAYOUT_SETTLED)
		enter(payout, PAYOUT_DONE, 0);
	if (payout->outcome != outcome)
		return PAYOUT_CONTRADICTED;
	return first && payout->settled != PAYOUT_OPEN &&
			       payout->settled != payout_settle_kind(payout)
		       ? PAYOUT_BY_HAND
		       : PAYOUT_FINE;
}

/* The provider never got the request to pay, or has forgotten it. */
static enum payout_alarm take_unknown(
	struct payout *payout, const struct payout_times *times, uint64_t now_us)
{
	if (payout->outcome == PAYOUT_PAID && payout->state >= PAYOUT_SETTLED) {
		enter(payout, PAYOUT_DONE, 0);
		return PAYOUT_CONTRADICTED;
	}
	if (payout->state == PAYOUT_LOOKING && payout->asks >= UNKNOWN_MAX) {
		enter(payout, PAYOUT_DONE, 0);
		return payout->settled == PAYOUT_CAPTURED ? PAYOUT_BY_HAND : PAYOUT_FINE;
	}
	take_no_answer(payout, times, now_us);
	return PAYOUT_FINE;
}

/* The payment is pending. After the settlement nothing waits for it: the queries become rarer
 * and end, and an undecided payment is left to people. A call of the provider starts the queries
 * again. */
static enum payout_alarm take_pending(
	struct payout *payout, const struct payout_times *times, uint64_t now_us)
{
	uint64_t most_us = times->pending_us > DAY_US ? times->pending_us : DAY_US;
	bool first = payout->outcome == PAYOUT_NONE;

	if (payout->settled == PAYOUT_OPEN) {
		payout->next_us = now_us + times->pending_us;
	} else if (payout->asks < PENDING_MAX) {
		payout->next_us = now_us + doubled(times->pending_us, most_us, payout->asks);
	} else {
		enter(payout, PAYOUT_DONE, 0);
		return first ? PAYOUT_BY_HAND : PAYOUT_CONTRADICTED;
	}
	return first ? PAYOUT_FINE : PAYOUT_CONTRADICTED;
}

enum payout_alarm payout_answered(struct payout *payout, enum payout_answer answer,
	const struct payout_times *times, uint64_t now_us)
{
	payout->asks++;
	switch (answer) {
	case PAYOUT_SAID_PAID:
		return take_outcome(payout, PAYOUT_PAID, now_us);
	case PAYOUT_SAID_REFUSED:
		return take_outcome(payout, PAYOUT_REFUSED, now_us);
	case PAYOUT_SAID_UNKNOWN:
		return take_unknown(payout, times, now_us);
	case PAYOUT_SAID_PENDING:
		return take_pending(payout, times, now_us);
	case PAYOUT_SAID_OTHER:
		take_no_answer(payout, times, now_us);
		return PAYOUT_OTHER;
	case PAYOUT_NO_ANSWER:
		break;
	}
	take_no_answer(payout, times, now_us);
	return PAYOUT_FINE;
}

const char *payout_expected(const struct payout *payout, enum payout_alarm alarm)
{
	if (alarm == PAYOUT_OTHER)
		return "the id, amount and currency of this payment";
	if (alarm == PAYOUT_BY_HAND)
		return payout->settled == PAYOUT_CAPTURED
			       ? "paid, because the withdrawal was captured by hand"
			       : "refused, because the withdrawal was released by hand";
	return payout->outcome == PAYOUT_PAID ? "paid" : "refused";
}

enum payout_alarm payout_settled_by(struct payout *payout, enum payout_settled settled,
	const struct payout_times *times, uint64_t now_us)
{
	if (payout->settled != PAYOUT_OPEN)
		return PAYOUT_FINE;
	payout->settled = settled;
	if (payout->outcome == PAYOUT_NONE && !payout->asked) {
		enter(payout, PAYOUT_DONE, 0);
		return PAYOUT_FINE;
	}
	if (payout->outcome == PAYOUT_NONE) {
		enter(payout, PAYOUT_LOOKING, now_us);
		return PAYOUT_FINE;
	}
	enter(payout, PAYOUT_SETTLED, now_us + times->confirm_us);
	return settled == payout_settle_kind(payout) ? PAYOUT_FINE : PAYOUT_BY_HAND;
}

void payout_hint(struct payout *payout, const struct payout_times *times, uint64_t now_us)
{
	uint64_t soon_us = now_us + times->first_us;

	if (payout->state == PAYOUT_KNOWN)
		return;
	if (payout->state == PAYOUT_DONE)
		enter(payout, PAYOUT_SETTLED, soon_us);
	if (payout->next_us > soon_us)
		payout->next_us = soon_us;
}
