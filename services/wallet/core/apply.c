/* What a command does to an account. Each rule is a small function that returns a refusal. The
 * order of the calls is the order of the rules. A rule reads the win only to check that it is a
 * valid amount. */
#include "services/wallet/core/wallet.h"

#include "libcommon/base/currency.h"
#include "services/wallet/core/account.h"
#include "services/wallet/core/holds.h"
#include "services/wallet/core/limits.h"
#include "services/wallet/core/bonus_spins.h"

#include <assert.h>
#include <string.h>

/* Which amounts a kind of move may have. An amount that is set but not allowed is refused, not
 * ignored. */
enum {
	MAY_RELEASE = 1,
	MAY_STAKE = 2,
	MAY_WIN_BALANCE = 4,
	MAY_WIN_PENDING = 8,
	MAY_FORFEIT = 16,
};

static const struct {
	bool known;
	unsigned may;
} moves[] = {
	[WALLET_KIND_OPEN] = { true, 0 },
	[WALLET_KIND_BET] = { true, MAY_RELEASE | MAY_STAKE | MAY_WIN_BALANCE | MAY_WIN_PENDING },
	[WALLET_KIND_RELEASE] = { true, MAY_RELEASE },
	[WALLET_KIND_GAMBLE] = { true,
		MAY_RELEASE | MAY_WIN_BALANCE | MAY_WIN_PENDING | MAY_FORFEIT },
	[WALLET_KIND_HALVE] = { true, MAY_RELEASE },
	[WALLET_KIND_COLLECT] = { true, MAY_RELEASE },
	[WALLET_KIND_VOID] = { true, MAY_RELEASE | MAY_STAKE | MAY_WIN_BALANCE | MAY_FORFEIT },
	[WALLET_KIND_SETTING] = { true, 0 },
};

static struct wallet_row row_begin(
	const struct wallet_account *account, const struct wallet_moment *moment, uint32_t kind)
{
	return (struct wallet_row){ .seq = moment->seq,
		.prev_seq = account->last_seq,
		.day = moment->day,
		.prev_day = account->last_day,
		.player = account->player,
		.kind = kind,
		.currency = account->currency,
		.time_us = moment->now_us };
}

/* Applies the row to the account and writes the new balance and pending into the row. RULE
 * witch-feature 8.2: a player who was away finds in the account what they won or lost. */
static void row_finish(struct wallet_account *account, struct wallet_row *row)
{
	wallet_account_roll(account, row);
	row->last_move = account->last_move;
}

/* ---- moves ---- */

static bool amount_is(int64_t amount, bool may)
{
	return amount >= 0 && amount <= (may ? WALLET_AMOUNT_MAX : 0);
}

static enum wallet_refusal check_amounts(const struct wallet_proposal *proposal)
{
	unsigned may = moves[proposal->kind].may;
	bool releases = (may & MAY_RELEASE) != 0;
	bool forfeits = (may & MAY_FORFEIT) != 0;

	if (proposal->pending_before < 0 || proposal->release < 0 || proposal->forfeit < 0)
		return WALLET_REFUSAL_AMOUNT;
	if ((proposal->release > 0 && !releases) || (proposal->forfeit > 0 && !forfeits))
		return WALLET_REFUSAL_AMOUNT;
	if (!amount_is(proposal->stake, (may & MAY_STAKE) != 0) ||
		!amount_is(proposal->win_balance, (may & MAY_WIN_BALANCE) != 0) ||
		!amount_is(proposal->win_pending, (may & MAY_WIN_PENDING) != 0))
		return WALLET_REFUSAL_AMOUNT;
	if (proposal->awards != 0 && proposal->kind != WALLET_KIND_VOID)
		return WALLET_REFUSAL_AMOUNT;
	if (proposal->bonus && proposal->kind != WALLET_KIND_BET)
		return WALLET_REFUSAL_BONUS_SPINS;
	if (proposal->kind == WALLET_KIND_BET && proposal->stake == 0 && !proposal->bonus)
		return WALLET_REFUSAL_AMOUNT;
	return WALLET_REFUSAL_NONE;
}

static enum wallet_refusal check_claims(const struct wallet_proposal *proposal)
{
	for (uint32_t i = 0; i < proposal->claims_n; i++) {
		const struct wallet_claim *claim = &proposal->claims[i];
		if (claim->index != i + 1 || claim->pool == 0 || claim->kind < 1 ||
			claim->kind > 2 || claim->coin_minor < 0 || claim->stake_minor < 0)
			return WALLET_REFUSAL_CLAIM;
	}
	return WALLET_REFUSAL_NONE;
}

static int64_t stake_max(const struct wallet_rules *rules, uint32_t currency)
{
	for (size_t i = 0; i < rules->stake_max_n; i++)
		if (rules->stake_max_of[i].currency == currency)
			return rules->stake_max_of[i].amount;
	return currency_from_cents(currency_by_number(currency), rules->stake_max);
}

/* A round is voided once, and only after all that it won is paid. Its jackpots are taken back as a
 * whole or not at all. */
static enum wallet_refusal check_void(
	const struct wallet_proposal *proposal, const struct wallet_moment *moment)
{
	if (moment->voided)
		return WALLET_REFUSAL_VOIDED;
	if (moment->claim_open)
		return WALLET_REFUSAL_CLAIM_OPEN;
	if (proposal->awards != 0 &&
		(proposal->awards != moment->awards || proposal->awards > proposal->stake))
		return WALLET_REFUSAL_AMOUNT;
	return WALLET_REFUSAL_NONE;
}

/* Everything that may prevent a player from starting a round. */
static enum wallet_refusal check_bet(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment)
{
	const struct wallet_rules *rules = moment->rules;

	if (account->blocked || wallet_game_stopped(rules, proposal->game))
		return WALLET_REFUSAL_BLOCKED;
	if (proposal->stake > stake_max(rules, account->currency))
		return WALLET_REFUSAL_LIMIT;
	/* The account needs room for pending, whether or not this round wins. */
	if (!wallet_account_pending_fits(account, proposal->game))
		return WALLET_REFUSAL_LIMIT;
	return limits_check_bet(
		account->limits, proposal->stake, proposal->release, moment->now_us);
}

/* A gamble risks money that the player has won. It is refused where a bet of one minor unit would
 * be, which first collects what is pending; the player may still collect it. */
static enum wallet_refusal check_gamble(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment)
{
	if (account->blocked)
		return WALLET_REFUSAL_BLOCKED;
	return limits_check_bet(account->limits, 1,
		wallet_account_pending(account, proposal->game).amount.minor, moment->now_us);
}

static enum wallet_refusal check_pending(
	const struct wallet_account *account, const struct wallet_proposal *proposal)
{
	struct wallet_pending held = wallet_account_pending(account, proposal->game);

	if (proposal->kind == WALLET_KIND_SETTING)
		return WALLET_REFUSAL_NONE; /* touches no money, whatever the game has pending */
	if (proposal->pending_before != held.amount.minor)
		return WALLET_REFUSAL_PENDING;
	if (proposal->release > held.amount.minor ||
		proposal->forfeit > held.amount.minor - proposal->release)
		return WALLET_REFUSAL_PENDING;
	if (proposal->kind == WALLET_KIND_BET) {
		/* The old round ends here: all its money leaves pending before the new round's
		 * money comes. */
		bool whole = proposal->release == held.amount.minor;
		return whole && proposal->round == proposal->move ? WALLET_REFUSAL_NONE
								  : WALLET_REFUSAL_PENDING;
	}
	/* Voiding a past round does not touch the money of the open round. */
	if (proposal->kind == WALLET_KIND_VOID && proposal->release == 0 && proposal->forfeit == 0)
		return proposal->round < proposal->move ? WALLET_REFUSAL_NONE
							: WALLET_REFUSAL_PENDING;
	if (proposal->kind == WALLET_KIND_GAMBLE && held.amount.minor == 0)
		return WALLET_REFUSAL_PENDING;
	if (held.amount.minor > 0 && proposal->round != held.round)
		return WALLET_REFUSAL_PENDING;
	return WALLET_REFUSAL_NONE;
}

/* Checks the stake alone, as if the round won nothing. */
static enum wallet_refusal check_funds(
	const struct wallet_account *account, const struct wallet_proposal *proposal)
{
	struct money available;

	if (!money_add(account->balance, money_of(proposal->release), &available) ||
		available.minor > WALLET_BALANCE_MAX ||
		proposal->pending_before > WALLET_BALANCE_MAX)
		return WALLET_REFUSAL_LIMIT;
	if (proposal->kind != WALLET_KIND_VOID && proposal->stake > available.minor)
		return WALLET_REFUSAL_FUNDS;
	return WALLET_REFUSAL_NONE;
}

/* The switch by which the player's operator, or all operators, opted out of a pool; NULL: none. */
static const struct wallet_opted_out *find_opted_out(
	const struct wallet_rules *rules, player_id player, uint32_t game, uint32_t pool)
{
	for (size_t i = 0; i < rules->opted_out_n; i++) {
		const struct wallet_opted_out *out = &rules->opted_out[i];
		if (out->pool == pool && (out->game == 0 || out->game == game) &&
			(out->operator_id == 0 || out->operator_id == player_operator(player)))
			return out;
	}
	return NULL;
}

static bool names(const struct wallet_proposal *proposal, uint32_t n, uint32_t pool)
{
	for (uint32_t i = 0; i < n; i++)
		if (proposal->pools[i] == pool)
			return true;
	return false;
}

/* Linked pools of the game. A pool without a tally in the currency is not fed in it. */
static void feed_linked_pools(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_rules *rules,
	struct wallet_row *row)
{
	for (size_t i = 0; i < rules->linked_pools_n && row->tallies_n < WALLET_POOLS_MAX; i++) {
		const struct wallet_linked_pool *linked_pools = &rules->linked_pools[i];
		if (linked_pools->game != proposal->game ||
			names(proposal, proposal->pools_n, linked_pools->pool) ||
			find_opted_out(
				rules, account->player, proposal->game, linked_pools->pool) != NULL)
			continue;
		int at = wallet_tally_find(
			rules, linked_pools->pool, proposal->game, account->currency);
		if (at >= 0)
			row->tallies[row->tallies_n++] = rules->tallies[at].id;
	}
}

/* A bonus spin feeds no pool and names none, but may win from the game's own pool; the tallies say
 * which pool that is. */
static bool bonus_stopped(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_rules *rules)
{
	for (size_t i = 0; i < rules->tallies_n; i++) {
		const struct wallet_tally *tally = &rules->tallies[i];
		const struct wallet_opted_out *out =
			tally->closed || tally->game != proposal->game
				? NULL
				: find_opted_out(
					  rules, account->player, proposal->game, tally->pool);
		if (out != NULL && out->stops)
			return true;
	}
	return false;
}

static enum wallet_refusal find_tallies(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_rules *rules,
	struct wallet_row *row)
{
	if (proposal->kind != WALLET_KIND_BET)
		return WALLET_REFUSAL_NONE; /* only a stake contributes */
	row->tallies_n = 0;
	for (uint32_t i = 0; i < proposal->pools_n; i++) {
		const struct wallet_opted_out *out =
			find_opted_out(rules, account->player, proposal->game, proposal->pools[i]);
		int at = wallet_tally_find(
			rules, proposal->pools[i], proposal->game, account->currency);
		if (out != NULL && out->stops)
			return WALLET_REFUSAL_BLOCKED;
		if (at < 0 || names(proposal, i, proposal->pools[i]))
			return WALLET_REFUSAL_TALLY; /* one stake counts once in a pool */
		if (out == NULL)
			row->tallies[row->tallies_n++] = rules->tallies[at].id;
	}
	if (proposal->bonus)
		return bonus_stopped(account, proposal, rules) ? WALLET_REFUSAL_BLOCKED
							       : WALLET_REFUSAL_NONE;
	feed_linked_pools(account, proposal, rules, row);
	if (wallet_rate_stale(rules, row))
		return WALLET_REFUSAL_RATE;
	return WALLET_REFUSAL_NONE;
}

static enum wallet_refusal judge(const struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment,
	struct wallet_row *row)
{
	enum wallet_refusal refusal;

	if (proposal->kind >= sizeof(moves) / sizeof(moves[0]) || !moves[proposal->kind].known)
		return WALLET_REFUSAL_KIND;
	if (proposal->kind == WALLET_KIND_OPEN)
		return WALLET_REFUSAL_ACCOUNT; /* it exists: openings are settled before */
	refusal = check_amounts(proposal);
	if (refusal == WALLET_REFUSAL_NONE)
		refusal = check_claims(proposal);
	if (refusal == WALLET_REFUSAL_NONE && proposal->not_after_us != 0 &&
		moment->now_us > proposal->not_after_us)
		refusal = WALLET_REFUSAL_LATE;
	if (refusal == WALLET_REFUSAL_NONE && proposal->kind == WALLET_KIND_VOID)
		refusal = check_void(proposal, moment);
	if (refusal == WALLET_REFUSAL_NONE && proposal->kind == WALLET_KIND_BET)
		refusal = check_bet(account, proposal, moment);
	if (refusal == WALLET_REFUSAL_NONE && proposal->kind == WALLET_KIND_GAMBLE)
		refusal = check_gamble(account, proposal, moment);
	if (refusal == WALLET_REFUSAL_NONE && proposal->bonus)
		refusal = bonus_spins_check_bet(account, proposal, moment);
	if (refusal == WALLET_REFUSAL_NONE)
		refusal = check_pending(account, proposal);
	if (refusal == WALLET_REFUSAL_NONE)
		refusal = find_tallies(account, proposal, moment->rules, row);
	if (refusal == WALLET_REFUSAL_NONE)
		refusal = check_funds(account, proposal);
	return refusal;
}

/* A malfunction voids the round: the stake is returned, the win is taken back. RULE bewitched 1.8;
 * RULE mona-lisa 1.8; RULE mystic-gem 1.6; RULE mystery-elves 1.5; RULE witch-feature 1.5. A
 * clawback stops at balance 0; the row's amount is the rest, which the player owes. */
static void void_limit(const struct wallet_account *account, struct wallet_row *row)
{
	int64_t available = account->balance.minor + row->release + row->win_balance;

	if (row->stake > available) {
		row->amount = row->stake - available;
		row->stake = available;
	}
}

/* Nothing here can overflow: check_amounts and check_funds left room for the largest win. */
static void settle(const struct wallet_account *account, struct wallet_row *row)
{
	if (row->kind == WALLET_KIND_VOID)
		void_limit(account, row);
	row->balance_after += row->release - row->stake + row->win_balance;
	row->pending_after += row->win_pending - row->release - row->forfeit;
	assert(row->balance_after >= 0 && row->pending_after >= 0);
}

static void row_take_proposal(struct wallet_row *row, const struct wallet_proposal *proposal)
{
	row->move = proposal->move;
	row->round = proposal->round;
	row->game = proposal->game;
	row->mode = proposal->mode;
	row->release = proposal->release;
	row->stake = proposal->stake;
	row->win_balance = proposal->win_balance;
	row->win_pending = proposal->win_pending;
	row->forfeit = proposal->forfeit;
	row->awards = proposal->awards;
	memcpy(row->request_id, proposal->request_id, sizeof(row->request_id));
	row->request_id_length = proposal->request_id_length;
	if (proposal->bonus) {
		memcpy(row->outside_id, proposal->bonus_spin, sizeof(row->outside_id));
		row->outside_id_length = WALLET_ID_BYTES;
	}
	row->record = proposal->record;
	row->record_length = proposal->record_length;
}

static bool opening_is_clean(const struct wallet_proposal *proposal)
{
	return proposal->kind == WALLET_KIND_OPEN &&
	       check_amounts(proposal) == WALLET_REFUSAL_NONE && proposal->pending_before == 0 &&
	       proposal->claims_n == 0;
}

/* There is no account: only its opening, move 0, is allowed. */
static enum wallet_status apply_opening(struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment,
	struct wallet_row *row_r)
{
	struct wallet_row row = row_begin(account, moment, proposal->kind);

	if (proposal->move != 0 || proposal->kind != WALLET_KIND_OPEN)
		return WALLET_AHEAD;
	row_take_proposal(&row, proposal);
	row.currency = proposal->currency;
	if (!opening_is_clean(proposal))
		row.refusal = WALLET_REFUSAL_AMOUNT;
	else if (proposal->currency == 0)
		row.refusal = WALLET_REFUSAL_ACCOUNT;
	row_finish(account, &row);
	*row_r = row;
	return WALLET_BOOKED;
}

enum wallet_status wallet_apply_proposal(struct wallet_account *account,
	const struct wallet_proposal *proposal, const struct wallet_moment *moment,
	struct wallet_row *row_r)
{
	struct wallet_row row;

	if (!account->exists)
		return apply_opening(account, proposal, moment, row_r);
	if (proposal->move <= account->last_move)
		return WALLET_SPENT;
	if (proposal->move > account->last_move + 1)
		return WALLET_AHEAD;
	row = row_begin(account, moment, proposal->kind);
	row_take_proposal(&row, proposal);
	row.balance_after = account->balance.minor;
	row.pending_after = wallet_account_pending(account, proposal->game).amount.minor;
	row.refusal = judge(account, proposal, moment, &row);
	if (row.refusal == WALLET_REFUSAL_NONE) {
		settle(account, &row);
		row.claims = proposal->claims;
		row.claims_n = proposal->claims_n;
	} else {
		row.tallies_n = 0;
	}
	row_finish(account, &row);
	*row_r = row;
	return WALLET_BOOKED;
}

/* ---- money from and to outside ---- */

/* The command names a positive amount that leaves the balance. */
static bool takes(uint32_t kind)
{
	return kind == WALLET_KIND_WITHDRAWAL || kind == WALLET_KIND_HOLD ||
	       kind == WALLET_KIND_GRANT_BACK;
}

static bool outside_kind(uint32_t kind)
{
	return (kind >= WALLET_KIND_DEPOSIT && kind <= WALLET_KIND_GRANT) ||
	       kind == WALLET_KIND_BLOCK || bonus_spins_kind(kind) || kind == WALLET_KIND_HOLD ||
	       wallet_hold_settles(kind) || kind == WALLET_KIND_LIMIT;
}

static enum wallet_refusal check_outside_amount(
	const struct wallet_outside *outside, const struct wallet_rules *rules)
{
	int64_t amount = outside->amount;
	int64_t most =
		currency_from_cents(currency_by_number(outside->currency), rules->outside_max);

	if (outside->kind == WALLET_KIND_BLOCK)
		return amount == 0 || amount == 1 ? WALLET_REFUSAL_NONE : WALLET_REFUSAL_AMOUNT;
	if (amount == 0 || (amount < 0 && outside->kind != WALLET_KIND_CORRECTION))
		return WALLET_REFUSAL_AMOUNT;
	if (amount > WALLET_AMOUNT_MAX || amount < -WALLET_AMOUNT_MAX)
		return WALLET_REFUSAL_AMOUNT;
	if (amount > most || -amount > most)
		return WALLET_REFUSAL_LIMIT;
	return WALLET_REFUSAL_NONE;
}

static enum wallet_refusal judge_outside(const struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_known_id *known,
	const struct wallet_moment *moment, struct money *after_r)
{
	bool block = outside->kind == WALLET_KIND_BLOCK;
	enum wallet_refusal refusal;

	if (known != NULL)
		return WALLET_REFUSAL_CONTENT; /* the same content is settled before */
	if (!outside_kind(outside->kind))
		return WALLET_REFUSAL_KIND;
	if (bonus_spins_kind(outside->kind))
		return bonus_spins_check_outside(account, outside, moment);
	if (wallet_hold_settles(outside->kind))
		return holds_check_settle(account, outside, moment, after_r);
	if (!account->exists || (!block && outside->currency != account->currency))
		return WALLET_REFUSAL_ACCOUNT;
	refusal = check_outside_amount(outside, moment->rules);
	if (refusal == WALLET_REFUSAL_NONE && outside->kind == WALLET_KIND_DEPOSIT)
		refusal = limits_check_deposit(account, outside->amount, moment);
	if (refusal != WALLET_REFUSAL_NONE || block)
		return refusal;
	if (!money_add(account->balance,
		    money_of(takes(outside->kind) ? -outside->amount : outside->amount), after_r))
		return WALLET_REFUSAL_LIMIT;
	if (after_r->minor < 0)
		return WALLET_REFUSAL_FUNDS;
	if (after_r->minor > WALLET_BALANCE_MAX && after_r->minor > account->balance.minor)
		return WALLET_REFUSAL_LIMIT;
	return WALLET_REFUSAL_NONE;
}

static int64_t outside_effect(const struct wallet_outside *outside)
{
	/* A refused amount may be any number, even INT64_MIN, which cannot be negated. */
	if (takes(outside->kind) && outside->amount != INT64_MIN)
		return -outside->amount;
	return outside->amount;
}

/* The hash covers the kind, so the former hash matches no other booking. */
bool wallet_outside_repeats(
	const struct wallet_known_id *known, player_id player, const struct wallet_outside *outside)
{
	return known->player == player &&
	       (memcmp(known->content_hash, outside->content_hash, WALLET_ID_BYTES) == 0 ||
		       (outside->former && memcmp(known->content_hash, outside->former_hash,
						   WALLET_ID_BYTES) == 0));
}

enum wallet_status wallet_apply_outside(struct wallet_account *account,
	const struct wallet_outside *outside, const struct wallet_known_id *known,
	const struct wallet_moment *moment, struct wallet_row *row_r)
{
	struct wallet_row row = row_begin(account, moment, outside->kind);
	struct money after = account->balance;

	if (known != NULL && wallet_outside_repeats(known, account->player, outside))
		return WALLET_SPENT;
	row.amount = outside_effect(outside);
	row.game = outside->kind == WALLET_KIND_BONUS_SPINS ? outside->spins.game : 0;
	row.mode = outside->kind == WALLET_KIND_LIMIT ? outside->limit : 0;
	row.refusal = outside->kind == WALLET_KIND_LIMIT && known == NULL
			      ? limits_check_set(account, outside, moment, &row.round)
			      : judge_outside(account, outside, known, moment, &after);
	row.balance_after =
		row.refusal == WALLET_REFUSAL_NONE ? after.minor : account->balance.minor;
	memcpy(row.outside_id, outside->id, sizeof(row.outside_id));
	row.outside_id_length = WALLET_ID_BYTES;
	if (wallet_hold_settles(outside->kind)) {
		memcpy(row.request_id, outside->of, sizeof(row.request_id));
		row.request_id_length = WALLET_ID_BYTES;
	}
	row.record = outside->record;
	row.record_length = outside->record_length;
	row_finish(account, &row);
	*row_r = row;
	return WALLET_BOOKED;
}

bool wallet_outside_keeps_id(const struct wallet_row *row)
{
	return row->outside_id_length > 0 && row->refusal != WALLET_REFUSAL_CONTENT &&
	       !(row->refusal == WALLET_REFUSAL_ACCOUNT && row->currency == 0);
}

/* ---- awards ---- */

static enum wallet_refusal judge_award(const struct wallet_account *account,
	const struct wallet_award *award, const struct wallet_claim_view *claim,
	struct money *after_r)
{
	if (!account->exists || award->currency != account->currency)
		return WALLET_REFUSAL_ACCOUNT;
	if (claim->state != WALLET_CLAIM_OPEN || claim->pool != award->pool ||
		claim->currency != award->currency)
		return WALLET_REFUSAL_CLAIM;
	if (award->paid < 0 || award->paid > WALLET_AMOUNT_MAX)
		return WALLET_REFUSAL_AMOUNT;
	if (!money_add(account->balance, money_of(award->paid), after_r))
		return WALLET_REFUSAL_LIMIT;
	return WALLET_REFUSAL_NONE;
}

enum wallet_status wallet_apply_award(struct wallet_account *account,
	const struct wallet_award *award, const struct wallet_claim_view *claim,
	const struct wallet_moment *moment, struct wallet_row *row_r)
{
	struct wallet_row row = row_begin(account, moment, WALLET_KIND_AWARD);
	struct money after = account->balance;

	if (claim->state == WALLET_CLAIM_PAID)
		return WALLET_CLOSED;
	row.refusal = judge_award(account, award, claim, &after);
	row.balance_after =
		row.refusal == WALLET_REFUSAL_NONE ? after.minor : account->balance.minor;
	row.amount = award->paid;
	row.award = *award;
	row_finish(account, &row);
	*row_r = row;
	return WALLET_BOOKED;
}

void wallet_apply_unknown(struct wallet_account *account, const struct wallet_moment *moment,
	struct wallet_row *row_r)
{
	struct wallet_row row = row_begin(account, moment, 0);

	row.refusal = WALLET_REFUSAL_KIND;
	row.balance_after = account->balance.minor;
	row_finish(account, &row);
	*row_r = row;
}
