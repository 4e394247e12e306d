/* One payment to the outside, from the withdrawal that the wallet holds to the row that settles it,
 * as a pure state machine. The provider may answer late, twice, never, or differently the second
 * time; it is always asked by the same id, and an outcome is what it has said, never what its
 * silence may mean.
 *
 *     ASKING --said paid or refused--> KNOWN --booked by the wallet--> SETTLED --confirmed--> DONE
 *        \--an operator has settled it by hand--> LOOKING --the provider's word is known--> DONE
 *
 * What was settled by hand before anything was asked is DONE at once: nobody can have paid it.
 *
 * The first word stands: what contradicts it is an alarm for people and has no effect. Every change
 * must be durable before anything is done about it: the caller asks payout_due only of a payout
 * whose last change is committed. Times are microseconds of the monotonic clock, for a clock that
 * is set back must not keep a withdrawal waiting; they are not kept. Amounts are minor units. */
#ifndef CARILLON_PAYMENTS_CORE_PAYOUT_H
#define CARILLON_PAYMENTS_CORE_PAYOUT_H

#include "libcommon/base/ids.h"

#include <stdbool.h>
#include <stdint.h>

#define PAYOUT_ID_BYTES 16

/* Numbers of payments.payout.state. */
enum payout_state {
	PAYOUT_REQUESTING = 0, /* the outcome is unknown: the provider is asked until it is not */
	PAYOUT_KNOWN,	       /* it is known; the wallet is told until it has booked it */
	PAYOUT_LOOKING, /* settled by hand: the provider is only looked at, nothing is asked for */
	PAYOUT_SETTLED, /* booked as the provider has said; looked at once more later */
	PAYOUT_DONE,
};
#define PAYOUT_STATES_N 5

/* Numbers of payments.payout.outcome: the provider's first word. */
enum payout_outcome { PAYOUT_NONE = 0, PAYOUT_PAID, PAYOUT_REFUSED };

/* How the wallet's hold was settled; numbers of MoveKind in proto/wallet.proto. */
enum payout_settled { PAYOUT_OPEN = 0, PAYOUT_CAPTURED = 29, PAYOUT_RELEASED = 30 };

struct payout {
	uint8_t id[PAYOUT_ID_BYTES]; /* of the hold, and of the payment at the provider */
	player_id player;
	uint32_t currency;
	int64_t amount;
	enum payout_state state;
	enum payout_outcome outcome;
	enum payout_settled settled;
	bool asked;	  /* durable before the first question to pay: it may have been asked */
	uint32_t asks;	  /* questions answered or given up, of the present state */
	uint64_t next_us; /* nothing is due before */
};

/* What came of a question to the provider. */
enum payout_answer {
	PAYOUT_NO_ANSWER = 0, /* no connection, a time-out, an error of its own, unreadable */
	PAYOUT_SAID_PENDING,  /* it knows of the payment, and not yet what becomes of it */
	PAYOUT_SAID_PAID,
	PAYOUT_SAID_REFUSED,
	PAYOUT_SAID_UNKNOWN, /* it has never heard of this id */
	PAYOUT_SAID_OTHER,   /* it speaks of another id, amount or currency */
};

/* For people: what must not happen, and has. */
enum payout_alarm {
	PAYOUT_FINE = 0,
	PAYOUT_CONTRADICTED, /* the provider has said otherwise before */
	PAYOUT_BY_HAND,	     /* it was settled otherwise by hand, or nobody knows to the last */
	PAYOUT_OTHER,	     /* see PAYOUT_SAID_OTHER */
};

/* What is to be done now. */
enum payout_act {
	PAYOUT_NOTHING = 0,
	PAYOUT_REQUEST, /* ask the provider to pay; the same id again asks for nothing new */
	PAYOUT_LOOK,	/* ask it only what it knows */
	PAYOUT_SETTLE,	/* tell the wallet, by payout_settle_kind */
};

struct payout_times {
	uint64_t first_us, most_us; /* between two questions: doubling from the first to the most;
					settled by hand, to a day */
	uint64_t pending_us;	    /* after "pending": the provider calls back, or is asked then;
					after the settlement doubling, to a day, and not for ever */
	uint64_t confirm_us;	    /* after the settlement: looked at once more */
	uint64_t settle_us;	    /* the wallet is told again */
};

enum payout_act payout_due(const struct payout *payout, uint64_t now_us);
/* PAYOUT_CAPTURED or PAYOUT_RELEASED, of a payout that is KNOWN. */
enum payout_settled payout_settle_kind(const struct payout *payout);

/* It is noted for good that the provider may have been asked to pay. */
void payout_noted(struct payout *payout);
/* The wallet was told. */
void payout_told(struct payout *payout, const struct payout_times *times, uint64_t now_us);
enum payout_alarm payout_answered(struct payout *payout, enum payout_answer answer,
	const struct payout_times *times, uint64_t now_us);
/* The wallet's hold is settled, by whomever. */
enum payout_alarm payout_settled_by(struct payout *payout, enum payout_settled settled,
	const struct payout_times *times, uint64_t now_us);
/* Somebody says that the provider has news; whoever he is, and whatever he says, it is only asked
 * again, and not more often than every first_us. */
void payout_hint(struct payout *payout, const struct payout_times *times, uint64_t now_us);

#endif
