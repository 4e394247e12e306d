/* Makes the entries of a history. */
#include "services/gateway/adapters/history_entries.h"

#include <stdlib.h>

#define MONEY_FIRST HISTORY_DEPOSIT
#define MONEY_LAST HISTORY_GRANT_TAKEN_BACK

static const struct {
	int32_t kind; /* of the row */
	enum history_kind shown;
} KINDS[] = {
	{ CARILLON__MOVE_KIND__MOVE_GAMBLE, HISTORY_DOUBLE },
	{ CARILLON__MOVE_KIND__MOVE_HALVE, HISTORY_HALVE },
	{ CARILLON__MOVE_KIND__MOVE_VOID, HISTORY_VOID },
	{ CARILLON__MOVE_KIND__MOVE_DEPOSIT, HISTORY_DEPOSIT },
	{ CARILLON__MOVE_KIND__MOVE_WITHDRAWAL, HISTORY_WITHDRAWAL },
	{ CARILLON__MOVE_KIND__MOVE_HOLD, HISTORY_WITHDRAWAL },
	{ CARILLON__MOVE_KIND__MOVE_CAPTURE, HISTORY_WITHDRAWAL_PAID },
	{ CARILLON__MOVE_KIND__MOVE_HOLD_RELEASE, HISTORY_WITHDRAWAL_RETURNED },
	{ CARILLON__MOVE_KIND__MOVE_CORRECTION, HISTORY_CORRECTION },
	{ CARILLON__MOVE_KIND__MOVE_GRANT, HISTORY_GRANT },
	{ CARILLON__MOVE_KIND__MOVE_GRANT_BACK, HISTORY_GRANT_TAKEN_BACK },
	{ CARILLON__MOVE_KIND__MOVE_SPINS, HISTORY_BONUS_SPINS },
	{ CARILLON__MOVE_KIND__MOVE_SPINS_END, HISTORY_BONUS_SPINS_ENDED },
};

const char *history_kind_text(enum history_kind kind)
{
	static const char *const texts[HISTORY_KINDS] = { "", "round", "jackpot", "card_prize",
		"double", "halve", "void", "deposit", "withdrawal", "withdrawal_paid",
		"withdrawal_returned", "correction", "grant", "grant_taken_back", "bonus_spins",
		"bonus_spins_ended" };
	return kind < HISTORY_KINDS ? texts[kind] : "";
}

enum history_kind history_kind_of(const struct history_row *row)
{
	if (row->refusal != 0)
		return HISTORY_NONE;
	if (row->award)
		return row->cards > 0 ? HISTORY_CARD_PRIZE : HISTORY_JACKPOT;
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		if (KINDS[i].kind == row->kind)
			return KINDS[i].shown;
	return HISTORY_NONE;
}

bool history_counts(const struct history_row *row)
{
	return history_kind_of(row) != HISTORY_NONE;
}

/* What the row did to the balance; of a double to what is pending, and of a paid withdrawal what
 * was paid. */
static int64_t amount_of(const struct history_row *row, enum history_kind kind)
{
	if (kind == HISTORY_DOUBLE)
		return row->win_pending - row->forfeit;
	if (kind == HISTORY_HALVE)
		return row->release;
	if (kind == HISTORY_VOID)
		return row->release - row->stake + row->win_balance;
	return row->amount;
}

static bool moves_balance(enum history_kind kind)
{
	return kind != HISTORY_DOUBLE && kind != HISTORY_WITHDRAWAL_PAID &&
	       kind != HISTORY_BONUS_SPINS && kind != HISTORY_BONUS_SPINS_ENDED;
}

/* Cards are dealt for the move that closed a round, which is not the round's number. */
static int64_t round_of(const struct history_row *row)
{
	if (row->award)
		return row->cards > 0 ? 0 : row->award_round;
	return row->move > 0 ? row->round : 0;
}

static void entry_of_row(const struct history_row *row, enum history_kind kind, int64_t hidden_from,
	struct history_entry *entry_r)
{
	int64_t amount = amount_of(row, kind);

	*entry_r = (struct history_entry){ .kind = kind,
		.seq = row->seq,
		.time_us = row->time_us,
		.round = round_of(row),
		.game = row->game,
		.amount = amount,
		.balance_before = row->balance_after - (moves_balance(kind) ? amount : 0),
		.balance_after = row->balance_after,
		.before_known = row->seq <= hidden_from,
		.after_known = row->seq < hidden_from,
		.pool = row->award ? row->award_pool : 0 };
}

static void entry_of_round(const struct history_round *round, struct history_entry *entry_r)
{
	*entry_r = (struct history_entry){ .kind = HISTORY_ROUND,
		.seq = round->bet_seq,
		.time_us = round->time_us,
		.round = round->round,
		.game = round->game,
		.amount = round->win - round->stake,
		.balance_before = round->balance_before,
		.balance_after = round->balance_after,
		.before_known = round->before_known,
		.after_known = round->after_known,
		.past = *round };
}

static int newer_first(const void *a, const void *b)
{
	const struct history_entry *left = a;
	const struct history_entry *right = b;
	return left->seq < right->seq ? 1 : left->seq > right->seq ? -1 : 0;
}

static uint32_t game_of_round(const struct history_made *made, int64_t round, uint32_t fallback)
{
	for (size_t i = 0; i < made->rounds_n; i++)
		if (made->rounds[i].round == round)
			return made->rounds[i].game;
	return fallback;
}

static uint32_t mode_of(const struct history_made *made, int64_t seq)
{
	for (size_t i = 0; i < made->n; i++)
		if (made->rows[i].seq == seq)
			return made->rows[i].mode;
	return 0;
}

size_t history_entries(const struct history_made *made, const struct hiding *hiding,
	struct history_entry *entries_r)
{
	size_t n = 0;

	for (size_t i = made->first; i < made->n; i++) {
		const struct history_row *row = &made->rows[i];
		enum history_kind kind = history_kind_of(row);
		if (kind == HISTORY_NONE || history_hides_award(hiding, row))
			continue;
		entry_of_row(row, kind, made->hidden_from, &entries_r[n]);
		if (entries_r[n].round > 0)
			entries_r[n].game = game_of_round(made, entries_r[n].round, row->game);
		n++;
	}
	for (size_t i = 0; i < made->rounds_n; i++) {
		if (made->rounds[i].refused)
			continue;
		entry_of_round(&made->rounds[i], &entries_r[n]);
		entries_r[n++].mode = mode_of(made, made->rounds[i].bet_seq);
	}
	qsort(entries_r, n, sizeof(entries_r[0]), newer_first);
	return n;
}

/* The player's newest move is not among the rows. */
static bool is_past(const struct history_row *rows, size_t n, int64_t before, int64_t expect)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].move > 0)
			return rows[i].move + 1 < expect;
	return before > 0;
}

size_t history_page_entries(const struct history_row *rows, size_t n,
	const struct history_place *place, const struct hiding *hiding, struct history_page *page_r,
	struct history_entry *entries_r)
{
	static struct history_round rounds[HISTORY_ROUNDS_MAX];
	bool continued = place->before > 0;
	size_t rounds_n;

	*page_r = (struct history_page){ .continued = continued,
		.past = is_past(rows, n, place->before, hiding->expect),
		.counts = history_counts,
		.limit = place->limit };
	rounds_n = history_page(rows, n, page_r, rounds);
	history_rounds_hide(rounds, rounds_n, rows, n, hiding);
	return history_entries(&(struct history_made){ .rows = rows,
				       .first = continued ? 1 : 0,
				       .n = page_r->used_r,
				       .rounds = rounds,
				       .rounds_n = rounds_n,
				       .hidden_from = history_hidden_from(rows, n, hiding) },
		hiding, entries_r);
}

static bool is_win(const struct history_entry *entry)
{
	switch (entry->kind) {
	case HISTORY_ROUND:
		return entry->past.win - entry->past.doubled > 0;
	case HISTORY_JACKPOT:
	case HISTORY_CARD_PRIZE:
		return true;
	case HISTORY_DOUBLE:
		return entry->amount > 0;
	case HISTORY_NONE:
	case HISTORY_HALVE:
	case HISTORY_VOID:
	case HISTORY_DEPOSIT:
	case HISTORY_WITHDRAWAL:
	case HISTORY_WITHDRAWAL_PAID:
	case HISTORY_WITHDRAWAL_RETURNED:
	case HISTORY_CORRECTION:
	case HISTORY_GRANT:
	case HISTORY_GRANT_TAKEN_BACK:
	case HISTORY_BONUS_SPINS:
	case HISTORY_BONUS_SPINS_ENDED:
	case HISTORY_KINDS:
		break;
	}
	return false;
}

bool history_shows(const struct history_filter *filter, const struct history_entry *entry)
{
	if (filter->game != 0 && entry->game != filter->game)
		return false;
	if (filter->wins && !is_win(entry))
		return false;
	if (filter->money && (entry->kind < MONEY_FIRST || entry->kind > MONEY_LAST))
		return false;
	if (filter->kind == HISTORY_BONUS_SPINS) {
		/* With the spins themselves. */
		if (entry->kind != HISTORY_BONUS_SPINS &&
			entry->kind != HISTORY_BONUS_SPINS_ENDED &&
			!(entry->kind == HISTORY_ROUND && entry->past.bonus_spin))
			return false;
	} else if (filter->kind != HISTORY_NONE && entry->kind != filter->kind) {
		return false;
	}
	return (filter->from_us == 0 || entry->time_us >= filter->from_us) &&
	       (filter->to_us == 0 || entry->time_us <= filter->to_us);
}
