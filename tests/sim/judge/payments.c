/* Withdrawals and their provider: each hold is settled once, by the provider's word or by hand, and
 * what the provider has paid is what was captured. Three books are held against each other: the
 * wallet's rows, the provider's own (tests/sim/clients/provider.h), and payments.payout. */
#include "tests/sim/judge/book.h"
#include "tests/sim/clients/provider.h"
#include "tests/sim/sim.h"

#include "libcommon/base/currency.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

enum { OUTCOME_NONE = 0, OUTCOME_PAID, OUTCOME_REFUSED };
enum { ALARM_CONTRADICTED = 1, ALARM_BY_HAND = 2, ALARM_OTHER = 4 };
#define STATE_DONE 4

/* A row of payments.payout, and what was alarmed and decided about it. */
struct payout_book {
	bool there;
	int64_t outcome, settled, state;
	bool asked;	  /* it may have been asked: written before it is */
	int64_t decision; /* by hand, MoveKind; 0: none */
	bool never;	  /* decided before anything was asked: nothing may be */
	uint32_t alarms;
};

static struct map payouts;
static uint64_t payouts_open;
static const struct fake_pg_table *payout_table, *alarm_table, *decision_table;

#define HOLD "withdrawal at shard %" PRIu32 ", seq %" PRIu64 " of player %" PRId64 ": "
#define OF(held) (held)->shard, (held)->seq, (held)->player

static void halves(const uint8_t *id, uint64_t *a_r, uint64_t *b_r)
{
	memcpy(a_r, id, sizeof(*a_r));
	memcpy(b_r, id + sizeof(*a_r), sizeof(*b_r));
}

static struct book_outside *hold_of(const uint8_t *id)
{
	struct book_outside *held;
	uint64_t a, b;

	halves(id, &a, &b);
	held = map_get(&book.outsides, a, b);
	return held != NULL && held->kind == KIND_HOLD && held->refusal == 0 ? held : NULL;
}

bool judge_hold_open(const uint8_t id[REQUEST_ID_BYTES])
{
	const struct book_outside *held = hold_of(id);

	return held != NULL && held->open != 0;
}

int64_t judge_holder(const uint8_t id[REQUEST_ID_BYTES])
{
	const struct book_outside *held = hold_of(id);

	return held == NULL ? 0 : held->player;
}

/* NULL: nothing was ever written about it. */
static struct payout_book *payout_of(const uint8_t *id)
{
	uint64_t a, b;

	halves(id, &a, &b);
	return map_get(&payouts, a, b);
}

static struct payout_book *payout_at(const uint8_t *id)
{
	uint64_t a, b;
	void **at;

	halves(id, &a, &b);
	at = map_at(&payouts, a, b);
	if (*at == NULL)
		*at = judge_alloc(sizeof(struct payout_book));
	return *at;
}

int64_t judge_payout_outcome(const uint8_t id[REQUEST_ID_BYTES])
{
	const struct payout_book *payout = payout_of(id);

	return payout == NULL ? OUTCOME_NONE : payout->outcome;
}

bool judge_payout_asked(const uint8_t id[REQUEST_ID_BYTES])
{
	const struct payout_book *payout = payout_of(id);

	return payout != NULL && payout->asked;
}

int64_t judge_decision(const uint8_t id[REQUEST_ID_BYTES])
{
	const struct payout_book *payout = payout_of(id);

	return payout == NULL ? 0 : payout->decision;
}

/* ---- asked ---------------------------------------------------------------------------------- */

void judge_pay_request(const uint8_t id[REQUEST_ID_BYTES], int64_t amount, const char *currency)
{
	const struct book_outside *held = hold_of(id);
	const struct payout_book *payout = payout_of(id);
	const struct book_account *account;

	if (held == NULL)
		sim_fail("the provider is asked to pay %" PRId64 " %s that nobody holds", amount,
			currency);
	account = book_account(held->player);
	if (amount != -held->amount ||
		strcmp(currency_by_number(account->currency)->code, currency) != 0)
		sim_fail(HOLD "the provider is asked to pay %" PRId64 " %s, %" PRId64 " are held",
			OF(held), amount, currency, -held->amount);
	if (payout == NULL || !payout->asked)
		sim_fail(
			HOLD "the provider is asked to pay before that was written down", OF(held));
	if (payout->never)
		sim_fail(HOLD "the provider is asked to pay what was decided by hand", OF(held));
}

/* ---- settled -------------------------------------------------------------------------------- */

/* The id by which payments settles a hold: docs/contracts.md. */
static bool by_payments(const struct fake_journal *row)
{
	crypto_hash_sha256_state state;
	uint8_t digest[crypto_hash_sha256_BYTES];

	(void)crypto_hash_sha256_init(&state);
	(void)crypto_hash_sha256_update(&state, (const unsigned char *)"settle", 7);
	(void)crypto_hash_sha256_update(&state, row->request_id, REQUEST_ID_BYTES);
	(void)crypto_hash_sha256_final(&state, digest);
	return row->outside_id != NULL && memcmp(row->outside_id, digest, REQUEST_ID_BYTES) == 0;
}

/* What payments books the provider has said, and it was written down before. */
void payments_settled(const struct fake_journal *row, struct book_outside *held)
{
	const struct paid *paid = provider_paid(row->request_id);
	const struct payout_book *payout = payout_of(row->request_id);
	bool capture = row->kind == KIND_CAPTURE;

	held->settled_kind = row->kind;
	held->by_hand = !by_payments(row);
	if (held->by_hand)
		return;
	if (paid == NULL || (capture ? !paid->said_paid : !paid->said_refused))
		sim_fail(HOLD "%s, and the provider has not said so", OF(held),
			capture ? "captured" : "released");
	if (payout == NULL || payout->outcome != (capture ? OUTCOME_PAID : OUTCOME_REFUSED))
		sim_fail(HOLD "%s before the provider's word was written down", OF(held),
			capture ? "captured" : "released");
}

/* ---- written down --------------------------------------------------------------------------- */

static const uint8_t *id_of(const struct fake_pg_row *row, int column)
{
	size_t n;
	const uint8_t *id = fake_pg_bytes(row, column, &n);

	if (id == NULL || n != REQUEST_ID_BYTES)
		sim_fail("payments: an id of %zu bytes", n);
	return id;
}

static bool spoiled; /* an amount may be one more */

void judge_payout_spoiled(bool from_now)
{
	spoiled = from_now;
}

static bool amount_differs(const struct book_outside *held, const struct fake_pg_row *new)
{
	int64_t more = fake_pg_int(new, COLUMN(payout_table, "amount")) + held->amount;

	return more != 0 && !(spoiled && more == 1);
}

static void payout_changed(const struct fake_pg_row *new)
{
	const uint8_t *id = id_of(new, COLUMN(payout_table, "id"));
	int64_t outcome = fake_pg_int(new, COLUMN(payout_table, "outcome"));
	int64_t settled = fake_pg_int(new, COLUMN(payout_table, "settled"));
	int64_t state = fake_pg_int(new, COLUMN(payout_table, "state"));
	const struct book_outside *held = hold_of(id);
	const struct paid *paid = provider_paid(id);
	struct payout_book *payout = payout_at(id);
	bool asked = fake_pg_int(new, COLUMN(payout_table, "asked"));

	if (held == NULL || amount_differs(held, new))
		sim_fail("payments.payout: a row of player %" PRId64 " of no withdrawal",
			fake_pg_int(new, COLUMN(payout_table, "player")));
	payouts_open += !payout->there;
	payout->there = true;
	if (payout->asked && !asked)
		sim_fail(HOLD "it was noted that the provider was asked, and now it is not",
			OF(held));
	if (payout->outcome != OUTCOME_NONE && outcome != payout->outcome)
		sim_fail(HOLD "the provider's first word was %" PRId64 ", now it is %" PRId64,
			OF(held), payout->outcome, outcome);
	if ((outcome == OUTCOME_PAID && (paid == NULL || !paid->said_paid)) ||
		(outcome == OUTCOME_REFUSED && (paid == NULL || !paid->said_refused)))
		sim_fail(HOLD "outcome %" PRId64 ", which the provider has not said", OF(held),
			outcome);
	if (settled != 0 && (held->open != 0 || settled != (int64_t)held->settled_kind))
		sim_fail(HOLD "payments takes it for settled by kind %" PRId64 ", it is %" PRIu32,
			OF(held), settled, held->settled_kind);
	payouts_open += (payout->state == STATE_DONE) - (uint64_t)(state == STATE_DONE);
	payout->outcome = outcome;
	payout->settled = settled;
	payout->state = state;
	payout->asked = asked;
}

/* Nothing is alarmed without cause. */
static void alarm_new(const struct fake_pg_row *new)
{
	const uint8_t *id = id_of(new, COLUMN(alarm_table, "payout"));
	const struct book_outside *held = hold_of(id);
	const struct paid *paid = provider_paid(id);
	struct payout_book *payout = payout_of(id);
	size_t n;
	const char *kind = fake_pg_bytes(new, COLUMN(alarm_table, "kind"), &n);
	uint32_t alarm = strcmp(kind, "contradicted") == 0 ? ALARM_CONTRADICTED
			 : strcmp(kind, "by_hand") == 0	   ? ALARM_BY_HAND
							   : ALARM_OTHER;

	if (held == NULL || payout == NULL)
		sim_fail("payments.alarm: %s of no withdrawal", kind);
	if (strcmp(kind, "unreadable") == 0 && spoiled)
		return;
	if ((alarm == ALARM_CONTRADICTED && (paid == NULL || !paid->lied)) ||
		(alarm == ALARM_OTHER && (paid == NULL || !paid->other)) ||
		(alarm == ALARM_BY_HAND && !held->by_hand))
		sim_fail(HOLD "an alarm \"%s\" without a cause", OF(held), kind);
	payout->alarms |= alarm;
}

static void decision_new(const struct fake_pg_row *new)
{
	struct payout_book *payout = payout_at(id_of(new, COLUMN(decision_table, "hold")));

	payout->decision = fake_pg_int(new, COLUMN(decision_table, "kind"));
	payout->never = !payout->asked;
}

bool payments_changed(const struct fake_pg_table *table, const struct fake_pg_row *new)
{
	if (table != payout_table && table != alarm_table && table != decision_table)
		return false;
	if (new == NULL)
		sim_fail("payments: a row was deleted");
	if (table == payout_table)
		payout_changed(new);
	else if (table == alarm_table)
		alarm_new(new);
	else
		decision_new(new);
	return true;
}

void payments_begin(void)
{
	payout_table = fake_pg_table("payments.payout");
	alarm_table = fake_pg_table("payments.alarm");
	decision_table = fake_pg_table("gateway.decision");
	payouts_open = 0;
}

void payments_end(void)
{
	map_clear(&payouts);
}

/* ---- at rest -------------------------------------------------------------------------------- */

bool payments_settled_all(char *what, size_t room)
{
	if (payouts_open == 0)
		return true;
	(void)snprintf(what, room, "%" PRIu64 " payments are not done", payouts_open);
	return false;
}

/* A payment that was asked for only when its hold was settled by hand may be unknown to the looks
 * behind that. */
static void check_paid(const struct paid *paid)
{
	const struct book_outside *held = hold_of(paid->id);
	const struct payout_book *payout = payout_of(paid->id);
	uint32_t kind = paid->status == PAID_PAID ? KIND_CAPTURE : KIND_HOLD_RELEASE;

	if (held == NULL || held->open != 0)
		sim_fail("the provider knows of %" PRId64 " %s that are not settled", paid->amount,
			paid->currency);
	if (paid->status == PAID_PENDING && !held->by_hand)
		sim_fail(HOLD "settled, and the provider has not decided", OF(held));
	if (paid->status == PAID_PENDING || held->settled_kind == kind)
		return;
	if (!held->by_hand)
		sim_fail(HOLD "the provider has %s, it is settled by kind %" PRIu32, OF(held),
			paid->status == PAID_PAID ? "paid" : "refused", held->settled_kind);
	if ((payout == NULL || (payout->alarms & ALARM_BY_HAND) == 0) &&
		paid->known_us < held->settled_us)
		sim_fail(HOLD "settled by hand otherwise than the provider says, and no alarm",
			OF(held));
}

void payments_final(void)
{
	const struct paid *paid;
	size_t at = 0;

	while ((paid = provider_next(&at)) != NULL)
		check_paid(paid);
	for (size_t i = 0; i < book.outsides.room; i++) {
		const struct book_outside *held = book.outsides.entry[i].value;
		uint64_t id[2] = { book.outsides.entry[i].a, book.outsides.entry[i].b };
		if (held == NULL || held->kind != KIND_HOLD || held->refusal != 0)
			continue;
		paid = provider_paid((const uint8_t *)id);
		if (held->settled_kind == KIND_CAPTURE && !held->by_hand &&
			(paid == NULL || paid->status != PAID_PAID))
			sim_fail(HOLD "captured, and the provider has not paid", OF(held));
	}
}
