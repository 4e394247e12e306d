/* Proposals to the wallet: the money of each move, and the state once the move is booked. */
#include "services/spin-engine/core/player_move.h"

#include <assert.h>
#include <string.h>

static void begin(const struct player *player, const struct player_game *play,
	const struct player_entropy *entropy, enum player_move kind,
	struct player_proposal *proposal)
{
	memset(proposal, 0, sizeof(*proposal));
	proposal->kind = kind;
	proposal->move = player_expect(player);
	proposal->currency = player->currency;
	proposal->next = entropy->next;
	if (!play)
		return;
	proposal->has_game = true;
	proposal->after = *play;
	proposal->game = play->state.game;
	proposal->round = play->round.move;
	proposal->pending_before = player_pending(play);
}

/* RULE mystic-gem 6.5, 6.12: at the end of a round, after its wins are collected. The claim is this
 * move's last one. */
static void draw_cards(const struct player_entropy *entropy, struct player_proposal *proposal)
{
	struct play_round *round = &proposal->after.round;
	bool opened = round->move == proposal->move;
	const struct cards_odds *odds = opened ? &entropy->cards_new : &entropy->cards_open;

	if (round_is_bonus(round)) /* RULE mystic-gem 7.3 */
		return;
	round->cards.draw = cards_draw(odds, round->stake,
		opened ? entropy->cards_key_new : entropy->cards_key_open, entropy->watch);
	if (!cards_triggered(&round->cards.draw))
		return;
	round->cards.pool = odds->pool;
	round->cards.index = proposal->claim_count + 1;
	proposal->claim[proposal->claim_count++] = (struct player_claim){ round->cards.index,
		odds->pool, round->bet.coin_minor, round->stake, true };
}

/* The round ends with this move. */
static void end_round(struct player_proposal *proposal)
{
	struct play_round *round = &proposal->after.round;

	round->closed_by = proposal->move;
	round->feature_due = money_of(0);
	round->claims_shown = round->claims;
	memset(&proposal->after.state.open, 0, sizeof(proposal->after.state.open));
}

static void close_round(const struct player_entropy *entropy, struct player_proposal *proposal)
{
	end_round(proposal);
	draw_cards(entropy, proposal);
}

static bool credit(struct player_proposal *proposal, struct money amount)
{
	struct play_round *round = &proposal->after.round;

	return money_add(round->credited, amount, &round->credited);
}

/* All pending goes to the balance and the round closes, which also ends the gamble. RULE
 * mystic-gem 4.9; RULE mystery-elves 5.6 */
static bool collect_all(const struct player_entropy *entropy, struct player_proposal *proposal)
{
	proposal->release = proposal->pending_before;
	proposal->collected = proposal->release;
	if (!credit(proposal, proposal->release))
		return false;
	close_round(entropy, proposal);
	return true;
}

/* True if a gamble may be offered, now or once autoplay has stopped. */
static bool gamble_left(const struct game *game, const struct game_state *state)
{
	enum gamble_status status = gamble_check(game, state);

	return status == GAMBLE_OK || status == GAMBLE_AUTOPLAY_RUNS ||
	       (game->gamble.halve && gamble_halve_check(game, state) == GAMBLE_OK);
}

/* ---- a bet ---- */

/* Plays the whole round. *shown_r: phases before the first one that needs the player. */
static enum player_refusal play_round(const struct game *game, struct play_round *round,
	const struct player_entropy *entropy, uint32_t *shown_r, struct round_sum *sum_r)
{
	struct round_summing summing;
	struct round playing;
	struct phase phase;
	struct rng rng;
	enum round_status status;
	bool stopped = false;

	player_stream(round, entropy->round_key, &rng);
	rng_watch(&rng, entropy->watch);
	if (round_begin(game, &round->bet, &round->before, &rng, &playing) != ROUND_OK)
		return REFUSED_BET;
	round_sum_begin(&summing, round->stake);
	*shown_r = 0;
	while ((status = round_next(&playing, &phase)) == ROUND_OK) {
		stopped = stopped || phase.needs_player != NEEDS_NOTHING;
		if (!stopped)
			*shown_r = phase.index + 1;
		if (!round_sum_add(&summing, &phase))
			return REFUSED_OVERFLOW;
	}
	if (status != ROUND_DONE)
		return REFUSED_PHASE_LIMIT;
	round_sum_end(&summing, sum_r);
	if (sum_r->jackpot_hits > PLAYER_CLAIMS_MAX)
		return REFUSED_PHASE_LIMIT;
	return rng_forced_misfit(&rng) ? REFUSED_SCRIPT : REFUSED_NOTHING;
}

static void new_round(const struct player *player, const struct player_command *command,
	const struct game *game, const struct player_entropy *entropy, uint64_t now_us,
	struct play_round *round)
{
	memset(round, 0, sizeof(*round));
	round->move = player_expect(player);
	round->opened_us = now_us;
	round->salt = player->salt;
	memcpy(round->nonce, command->nonce, command->nonce_length);
	round->nonce_length = command->nonce_length;
	memcpy(round->math_version, game->digest, sizeof(round->math_version));
	round->bet = command->bet;
	round->autospin = command->autospin;
	round->bonus = command->bonus;
	round->forced_count = entropy->forced_count;
	memcpy(round->forced, entropy->forced, entropy->forced_count * sizeof(round->forced[0]));
}

static void mirror_open(struct play_round *round, const struct round_sum *sum, uint32_t shown,
	struct open_round *open)
{
	round->win_base_lines = sum->win_base_lines;
	round->win_feature = sum->win_feature;
	round->phases = sum->phases;
	round->claims = sum->jackpot_hits;
	round->has_feature = shown < sum->phases;
	memcpy(round->digest, sum->digest, sizeof(round->digest));
	memset(open, 0, sizeof(*open));
	open->move = round->move;
	open->bet = round->bet;
	open->autospin = round->autospin;
	open->has_feature = round->has_feature;
	open->phases = sum->phases;
	open->cursor = shown;
	open->win_total = sum->win_total;
	open->jackpot_hits = sum->jackpot_hits;
	memcpy(open->math_version, round->math_version, sizeof(open->math_version));
}

/* Splits the win: money that may be gambled goes to pending; with a feature to watch, all of it
 * does. The rest goes to the balance at once. */
static bool share_win(const struct game *game, const struct player_entropy *entropy,
	struct player_proposal *proposal)
{
	struct play_round *round = &proposal->after.round;
	struct game_state *state = &proposal->after.state;
	struct money total = state->open.win_total, rest;
	uint32_t cursor = state->open.cursor;
	bool watch = cursor < round->phases;

	state->open.gamble_pending = gamble_stake_of(game, round->win_base_lines, total);
	state->open.cursor = round->phases; /* the state when the gamble is offered */
	if (!gamble_left(game, state))
		state->open.gamble_pending = money_of(0);
	state->open.cursor = cursor;
	if (!money_sub(total, state->open.gamble_pending, &rest))
		return false;
	if (watch) {
		round->feature_due = rest;
		proposal->win_pending = total;
	} else {
		proposal->win_balance = rest;
		proposal->win_pending = state->open.gamble_pending;
		if (!credit(proposal, rest))
			return false;
	}
	if (!watch && state->open.gamble_pending.minor == 0)
		close_round(entropy, proposal);
	return true;
}

/* The certain part of the round's jackpots: the seed of each, whatever the pool adds. RULE
 * bewitched 6.1; RULE mona-lisa 5.1 */
static bool jackpot_seeds(
	const struct game *game, const struct bet *bet, uint32_t hits, struct money *seeds_r)
{
	const struct jackpot_row *row = jackpot_row(&game->jackpot, bet->currency, bet->coin_minor);

	*seeds_r = money_of(0);
	return hits == 0 || !row || money_mul(money_of(row->seed_minor), hits, seeds_r);
}

/* The pools that the stake feeds, and the round's claims on the first of them. RULE bewitched
 * 4.3, 4.10; RULE mystic-gem 6.17 */
static void add_claims(const struct game *game, struct player_proposal *proposal)
{
	const struct play_round *round = &proposal->after.round;

	/* RULE mystic-gem 7.4: a bonus spin feeds no pool and wins like any other */
	if (game->jackpot.pool != 0 && !round_is_bonus(round))
		proposal->pool[proposal->pool_count++] = game->jackpot.pool;
	if (game->cards.pool != 0 && game->cards.eligible && !round_is_bonus(round))
		proposal->pool[proposal->pool_count++] = game->cards.pool;
	for (uint32_t i = 0; i < round->claims; i++)
		proposal->claim[proposal->claim_count++] = (struct player_claim){ i + 1,
			game->jackpot.pool, round->bet.coin_minor, round->stake, false };
}

/* If the bet would close a round that ends with Jackpot Cards, this move books only the collect and
 * not the bet. The health tests do not see this draw: a bet that was refused for money and is tried
 * again repeats it, which is no fault. RULE mystic-gem 6.5 */
static bool closing_begins_cards(
	const struct player_game *play, const struct player_entropy *entropy)
{
	struct cards_draw draw =
		cards_draw(&entropy->cards_open, play->round.stake, entropy->cards_key_open, NULL);

	return cards_triggered(&draw);
}

static enum player_refusal propose_bet(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, uint64_t now_us, struct player_proposal *proposal)
{
	struct player_game *after = &proposal->after;
	enum player_refusal refusal;
	struct money jackpots;
	uint32_t shown;

	if (player_round_open(play) && closing_begins_cards(play, entropy)) {
		begin(player, play, entropy, PLAYER_MOVE_COLLECT, proposal);
		return collect_all(entropy, proposal) ? REFUSED_NOTHING : REFUSED_OVERFLOW;
	}
	begin(player, play, entropy, PLAYER_MOVE_BET, proposal);
	/* RULE bewitched 5.1, 5.12; RULE mystic-gem 1.4; RULE mystery-elves 5.11: if only gamble or
	 * collect is left, the next bet collects first. */
	proposal->release = proposal->pending_before;
	proposal->collected = proposal->release;
	new_round(player, command, game, entropy, now_us, &after->round);
	if (player_round_open(play))
		after->round.cards_before = cards_draw(
			&entropy->cards_open, play->round.stake, entropy->cards_key_open, NULL);
	proposal->round = after->round.move;
	proposal->not_after_us = command->not_after_us;
	if (bet_stake(game, &command->bet, &after->round.stake) != BET_OK)
		return REFUSED_BET;
	if (round_is_bonus(&after->round)) { /* RULE mystic-gem 7.1 */
		after->round.stake = money_of(0);
		proposal->bonus = true;
		memcpy(proposal->bonus_spin, command->bonus_spin, sizeof(proposal->bonus_spin));
	}
	proposal->stake = after->round.stake;
	/* RULE witch-feature 3.12, 3.13: the carried state belongs to the bet value */
	after->round.before = game_state_carried(game, &play->state, &command->bet);
	refusal = play_round(game, &after->round, entropy, &shown, &proposal->sum);
	if (refusal != REFUSED_NOTHING)
		return refusal;
	if (!game_state_carry(game, &after->state, &command->bet, &proposal->sum.state))
		return REFUSED_OVERFLOW;
	mirror_open(&after->round, &proposal->sum, shown, &after->state.open);
	if (!command->autospin) /* a manual spin ends autoplay */
		autoplay_stop(&after->state.autoplay);
	else if (!jackpot_seeds(game, &command->bet, proposal->sum.jackpot_hits, &jackpots) ||
		 autoplay_spun(game, &proposal->sum, jackpots, (int64_t)(now_us / 1000),
			 &after->state.autoplay) != AUTOPLAY_OK)
		return REFUSED_OVERFLOW;
	add_claims(game, proposal);
	return share_win(game, entropy, proposal) ? REFUSED_NOTHING : REFUSED_OVERFLOW;
}

/* ---- the end of a feature ---- */

bool player_propose_end(const struct player *player, const struct player_game *play,
	const struct player_game *watched, const struct game *game,
	const struct player_command *command, const struct player_entropy *entropy,
	struct player_proposal *proposal)
{
	struct play_round *round = &proposal->after.round;

	(void)command;
	begin(player, play, entropy, PLAYER_MOVE_COLLECT, proposal);
	proposal->after = *watched;
	if (!gamble_left(game, &watched->state))
		return collect_all(entropy, proposal);
	if (round->feature_due.minor == 0)
		return false;
	/* RULE bewitched 5.9: the feature's win is credited, the base lines' win may be gambled */
	proposal->kind = PLAYER_MOVE_RELEASE;
	proposal->release = round->feature_due;
	round->feature_due = money_of(0);
	return credit(proposal, proposal->release);
}

/* ---- gamble ---- */

/* The card of this attempt, from the round's gamble stream: each attempt takes the same number of
 * draws, whatever the guess. */
static bool draw_card(const struct game *game, const struct player_entropy *entropy,
	uint32_t attempt, uint32_t guess, struct gamble_card *card_r)
{
	struct rng rng;

	rng_init(&rng, entropy->round_key);
	if (attempt == 0) /* later attempts draw these blocks again */
		rng_watch(&rng, entropy->watch);
	for (uint32_t i = 0; i <= attempt; i++)
		if (gamble_draw(game, &rng, guess, card_r) != GAMBLE_OK)
			return false;
	return true;
}

static enum player_refusal propose_gamble(const struct player *player,
	const struct player_game *play, const struct game *game,
	const struct player_command *command, const struct player_entropy *entropy,
	struct player_proposal *proposal)
{
	struct player_game *after = &proposal->after;
	struct open_round *open = &after->state.open;
	struct gamble_step *step = &after->round.gamble[play->round.gamble_count];
	struct money stake = play->state.open.gamble_pending;
	struct gamble_card card;

	begin(player, play, entropy, PLAYER_MOVE_GAMBLE, proposal);
	proposal->not_after_us = command->not_after_us; /* a gamble stakes money, as a bet does */
	if (after->round.gamble_count >= PLAYER_GAMBLES_MAX ||
		!draw_card(game, entropy, open->gamble_attempts, command->choice, &card))
		return REFUSED_GAMBLE;
	open->gamble_attempts++;
	if (gamble_settle(stake, card.won, &open->gamble_pending) != GAMBLE_OK)
		return REFUSED_OVERFLOW;
	game_state_show_card(&after->state, card.card);
	*step = (struct gamble_step){ stake, open->gamble_pending, (uint8_t)command->choice,
		card.card, card.won };
	after->round.gamble_count++;
	if (!card.won) { /* RULE mystic-gem 4.5 */
		proposal->forfeit = stake;
		close_round(entropy, proposal);
	} else if (gamble_left(game, &after->state)) {
		proposal->win_pending = stake;
	} else { /* RULE bewitched 5.7, 5.12; RULE mystic-gem 4.12; RULE mystery-elves 5.11: the
		    last attempt is won, or pending is above the limit now */
		proposal->release = stake;
		proposal->win_balance = stake;
		proposal->collected = open->gamble_pending;
		if (!credit(proposal, proposal->collected))
			return REFUSED_OVERFLOW;
		close_round(entropy, proposal);
	}
	return REFUSED_NOTHING;
}

static enum player_refusal propose_halve(const struct player *player,
	const struct player_game *play, const struct player_entropy *entropy,
	struct player_proposal *proposal)
{
	struct open_round *open = &proposal->after.state.open;
	struct money banked;

	begin(player, play, entropy, PLAYER_MOVE_HALVE, proposal);
	gamble_halve(open->gamble_pending, &banked, &open->gamble_pending);
	proposal->release = banked;
	proposal->collected = banked;
	return credit(proposal, banked) ? REFUSED_NOTHING : REFUSED_OVERFLOW;
}

/* ---- the house ---- */

static bool take_back(struct player_proposal *proposal, struct money credited, struct money awards)
{
	proposal->awards = awards;
	return money_add(credited, awards, &proposal->stake);
}

/* RULE bewitched 1.8; RULE mona-lisa 1.8; RULE mystic-gem 1.6; RULE mystery-elves 1.5; RULE
 * witch-feature 1.5. Compensating entries for a malfunction: the stake is returned, the credited
 * money is taken back (the wallet stops at balance 0 and books the rest as a receivable), pending
 * is forfeited. Contributions stay, and so do awards unless the order names them. The bet value's
 * carried state (potions and unlocks) is again what it was before the round (RULE witch-feature
 * 1.5). */
static enum player_refusal propose_void(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, struct player_proposal *proposal)
{
	struct play_round *round = &proposal->after.round;

	begin(player, play, entropy, PLAYER_MOVE_VOID, proposal);
	proposal->void_move = command->round;
	proposal->forfeit = proposal->pending_before;
	proposal->win_balance = round->stake;
	if (!take_back(proposal, round->credited, command->awards))
		return REFUSED_OVERFLOW;
	round->voided = true;
	if (!game_state_carry(game, &proposal->after.state, &round->bet, &round->before))
		return REFUSED_OVERFLOW;
	if (round->closed_by == 0)
		end_round(proposal); /* a voided round begins no Jackpot Cards */
	return REFUSED_NOTHING;
}

bool player_propose_void_past(const struct player *player, const struct player_game *play,
	const struct past_round *past, const struct player_entropy *entropy,
	struct player_proposal *proposal_r)
{
	begin(player, NULL, entropy, PLAYER_MOVE_VOID, proposal_r);
	proposal_r->game = past->game;
	proposal_r->round = past->round;
	proposal_r->void_move = past->round;
	proposal_r->pending_before = play ? player_pending(play) : money_of(0);
	proposal_r->win_balance = past->stake;
	return take_back(proposal_r, past->credited, past->awards);
}

static enum player_refusal propose_setting(const struct player *player,
	const struct player_game *play, const struct game *game,
	const struct player_command *command, const struct player_entropy *entropy,
	struct player_proposal *proposal)
{
	struct autoplay *autoplay = &proposal->after.state.autoplay;

	begin(player, play, entropy, PLAYER_MOVE_SETTING, proposal);
	if (!player_round_open(play))
		proposal->round = 0; /* the move belongs to no round */
	if (command->autoplay.spins == 0)
		autoplay_stop(autoplay);
	else if (autoplay_start(game, &command->autoplay, autoplay) != AUTOPLAY_OK)
		return REFUSED_AUTOPLAY;
	return REFUSED_NOTHING;
}

enum player_refusal player_propose(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, uint64_t now_us, struct player_proposal *proposal_r)
{
	switch (command->verb) {
	case VERB_OPEN:
		begin(player, NULL, entropy, PLAYER_MOVE_OPEN, proposal_r);
		proposal_r->currency = command->currency;
		return REFUSED_NOTHING;
	case VERB_BET:
		return propose_bet(player, play, game, command, entropy, now_us, proposal_r);
	case VERB_COLLECT:
		begin(player, play, entropy, PLAYER_MOVE_COLLECT, proposal_r);
		return collect_all(entropy, proposal_r) ? REFUSED_NOTHING : REFUSED_OVERFLOW;
	case VERB_RESOLVE:
		begin(player, play, entropy, PLAYER_MOVE_COLLECT, proposal_r);
		player_watch_all(&proposal_r->after, game, entropy->round_key);
		return collect_all(entropy, proposal_r) ? REFUSED_NOTHING : REFUSED_OVERFLOW;
	case VERB_GAMBLE:
		return propose_gamble(player, play, game, command, entropy, proposal_r);
	case VERB_HALVE:
		return propose_halve(player, play, entropy, proposal_r);
	case VERB_VOID:
		return propose_void(player, play, game, command, entropy, proposal_r);
	case VERB_AUTOPLAY:
		return propose_setting(player, play, game, command, entropy, proposal_r);
	case VERB_PICK:
	case VERB_NEXT:
	case VERB_STATE:
	case VERB_WITCH:
	case VERB_REPLAY:
		break;
	}
	assert(!"a verb that is no move");
	return REFUSED_NO_GAME;
}
