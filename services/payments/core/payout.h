/* One payment to a player, from the wallet's hold to the row that settles it, as a pure state
 * machine. The provider may answer late, twice, never, or differently the second time. Every
 * request has the same id. Only an answer of the provider is an outcome, never its silence.
 *
 *     ASKING --said paid or refused--> KNOWN --booked by the wallet--> SETTLED --confirmed--> DONE
 *        \--an operator settles it by hand--> LOOKING --the provider's outcome is known--> DONE
 *
 * A hold that was settled by hand before the first request is DONE at once: it cannot have been
 * paid.
 *
 * The first outcome stands: a contradicting answer raises an alarm for people and has no other
 * effect. Every change must be durable before the next act: the caller calls payout_due only for a
 * payout whose last change is committed. Times are microseconds of the monotonic clock, because a
 * clock that is set back must not delay a withdrawal; they are not stored. Amounts are in minor
 * units. */
#ifndef CARILLON_PAYMENTS_CORE_PAYOUT_H
#define CARILLON_PAYMENTS_CORE_PAYOUT_H

#include "libcommon/base/ids.h"

#include <stdbool.h>
#include <stdint.h>

#define PAYOUT_ID_BYTES 16

/* Numbers of payments.payout.state. */
enum payout_state {
	PAYOUT_REQUESTING = 0, /* the outcome is unknown: keep asking the provider */
	PAYOUT_KNOWN,	       /* the outcome is known: tell the wallet until it has booked it */
	PAYOUT_LOOKING,	       /* settled by hand: only query the provider, do not ask it to pay */
	PAYOUT_SETTLED,	       /* booked as the provider said; query it once more later */
	PAYOUT_DONE,
};
#define PAYOUT_STATES_N 5

/* Numbers of payments.payout.outcome: the provider's first outcome. */
enum payout_outcome { PAYOUT_NONE = 0, PAYOUT_PAID, PAYOUT_REFUSED };

/* How the wallet's hold was settled; numbers of MoveKind in proto/wallet.proto. */
enum payout_settled { PAYOUT_OPEN = 0, PAYOUT_CAPTURED = 29, PAYOUT_RELEASED = 30 };

struct payout {
	uint8_t id[PAYOUT_ID_BYTES]; /* of the hold and of the payment at the provider */
	player_id player;
	uint32_t currency;
	int64_t amount;
	enum payout_state state;
	enum payout_outcome outcome;
	enum payout_settled settled;
	bool asked; /* the provider may have been asked to pay; durable before the first request */
	uint32_t asks;	  /* requests answered or given up in the present state */
	uint64_t next_us; /* nothing is due before this time */
};

/* The result of a request to the provider. */
enum payout_answer {
	PAYOUT_NO_ANSWER = 0, /* no connection, a time-out, the provider's own error, or an
				 unreadable answer */
	PAYOUT_SAID_PENDING,  /* it knows the payment, but not yet the outcome */
	PAYOUT_SAID_PAID,
	PAYOUT_SAID_REFUSED,
	PAYOUT_SAID_UNKNOWN, /* it does not know this id */
	PAYOUT_SAID_OTHER,   /* the answer has another id, amount or currency */
};

/* Alarms for people. */
enum payout_alarm {
	PAYOUT_FINE = 0,
	PAYOUT_CONTRADICTED, /* the provider contradicts its earlier outcome */
	PAYOUT_BY_HAND,	   /* settled by hand against the outcome, or the outcome stayed unknown */
	PAYOUT_OTHER,	   /* see PAYOUT_SAID_OTHER */
	PAYOUT_UNREADABLE, /* what is stored about it cannot be right: nothing is done for it */
};

/* What the caller must do now. */
enum payout_act {
	PAYOUT_NOTHING = 0,
	PAYOUT_REQUEST, /* ask the provider to pay; repeating the id pays nothing more */
	PAYOUT_LOOK,	/* only query the payment */
	PAYOUT_SETTLE,	/* tell the wallet, by payout_settle_kind */
};

struct payout_times {
	uint64_t first_us, most_us; /* between two requests: doubles from first_us to most_us, or to
				       a day after a settlement by hand */
	uint64_t pending_us; /* after "pending", if the provider does not call back; after the
				settlement it doubles to a day and then ends */
	uint64_t confirm_us; /* after the settlement, until the last query */
	uint64_t settle_us;  /* until the wallet is told again */
};

enum payout_act payout_due(const struct payout *payout, uint64_t now_us);
/* PAYOUT_CAPTURED or PAYOUT_RELEASED, for a payout in state KNOWN. */
enum payout_settled payout_settle_kind(const struct payout *payout);

/* It is durable that the provider may have been asked to pay. */
void payout_noted(struct payout *payout);
/* The wallet was told. */
void payout_told(struct payout *payout, const struct payout_times *times, uint64_t now_us);
enum payout_alarm payout_answered(struct payout *payout, enum payout_answer answer,
	const struct payout_times *times, uint64_t now_us);
/* The answer that would not have raised this alarm of payout_answered, in words for people. */
const char *payout_expected(const struct payout *payout, enum payout_alarm alarm);
/* The wallet's hold is settled, by the service or by hand. */
enum payout_alarm payout_settled_by(struct payout *payout, enum payout_settled settled,
	const struct payout_times *times, uint64_t now_us);
/* A call says that the provider has news. The call is not trusted: it only triggers another query,
 * at most every first_us. */
void payout_hint(struct payout *payout, const struct payout_times *times, uint64_t now_us);

#endif
