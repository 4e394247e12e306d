#include "services/spin-engine/adapters/view.h"

#include "services/spin-engine/adapters/cards.h"
#include "services/spin-engine/adapters/view_phase.h"

#include <sodium.h>

struct showing {
	const struct view_sources *sources;
	const struct player *player;
	const struct player_game *play;
	const struct game *game;
	Carillon__RoundView *view;
	uint32_t from, cursor, most;
	size_t picks_at;    /* of the next bonus, in round.pick */
	int64_t win;	    /* sum over the shown phases */
	struct money total; /* the total bet */
	struct round_summing summing;
};

/* A jackpot won by symbols is already among the wins, without amount; one won by vials is not. */
static void price_jackpot(const struct showing *showing, const struct phase *phase, int64_t paid,
	Carillon__Phase *message)
{
	struct arena *arena = showing->sources->arena;
	const struct game *game = showing->game;
	Carillon__WinItem *item = NULL;

	for (uint32_t i = 0; i < phase->win_count; i++)
		if (phase->win[i].what == WIN_JACKPOT)
			item = message->wins[i];
	if (!item) {
		item = view_win(arena, win_what_text(WIN_JACKPOT), game->jackpot.pool_id);
		item->cells = view_cells(arena, phase->feature_cells);
		item->symbol = game->bonus;
		item->count = phase->feature_count;
		message->wins[message->n_wins++] = item;
	}
	item->amount_minor = paid;
}

/* Adds a jackpot to its phase, with the amount paid once that is known. */
static void put_jackpot(
	struct showing *showing, const struct phase *phase, Carillon__Phase *message)
{
	struct arena *arena = showing->sources->arena;
	Carillon__RoundView *view = showing->view;
	Carillon__JackpotWin *jackpot = arena_take(arena, sizeof(*jackpot));
	const struct player_award *award =
		player_award_of(showing->player, showing->play->round.move, phase->claim_index);

	carillon__jackpot_win__init(jackpot);
	jackpot->index = phase->claim_index;
	jackpot->pool = showing->game->jackpot.pool;
	jackpot->booked = award != NULL;
	jackpot->paid_minor = award ? award->paid.minor : 0;
	view->jackpots[view->n_jackpots++] = jackpot;
	if (message)
		price_jackpot(showing, phase, jackpot->paid_minor, message);
}

/* The picks of this bonus, as far as they are kept. */
static ProtobufCBinaryData picks_of(struct showing *showing, const struct phase *phase)
{
	const struct play_round *round = &showing->play->round;
	size_t at = showing->picks_at, count = phase->picks_needed;

	showing->picks_at += count;
	if (at + count > round->pick_count)
		return view_bytes(showing->sources->arena, NULL, 0);
	return view_bytes(showing->sources->arena, round->pick + at, count);
}

static void show_phase(struct showing *showing, const struct phase *phase)
{
	Carillon__RoundView *view = showing->view;
	Carillon__Phase *message = NULL;
	ProtobufCBinaryData picks = { 0 };

	if (phase->needs_player == NEEDS_PICKS)
		picks = picks_of(showing, phase);
	showing->win += phase->win_total.minor;
	if (phase->index >= showing->from && view->n_phases < showing->most) {
		message = view_phase(showing->sources->arena, showing->game, showing->total, phase);
		message->picks = picks;
		view->phases[view->n_phases++] = message;
	}
	if (phase->jackpot_hit)
		put_jackpot(showing, phase, message);
}

/* How far the player is with the picks of the phase that waits for them. */
static void put_picks(struct showing *showing, const struct phase *phase)
{
	const struct open_round *open = &showing->play->state.open;

	showing->view->picks_left = phase->picks_needed - open->picks;
	showing->view->picked = view_bytes(showing->sources->arena, open->pick, open->picks);
}

/* Replays up to the cursor. Of the first phase after it, the view shows only what the player must
 * do. */
static enum view_status show_phases(struct showing *showing, const uint8_t *key)
{
	const struct play_round *about = &showing->play->round;
	struct round_sum sum;
	struct round round;
	struct phase phase;
	struct rng rng;

	player_stream(about, key, &rng);
	round_sum_begin(&showing->summing, about->stake);
	if (round_begin(showing->game, &about->bet, &about->before, &rng, &round) != ROUND_OK)
		return VIEW_DIFFERS;
	while (round_next(&round, &phase) == ROUND_OK) {
		if (!round_sum_add(&showing->summing, &phase))
			return VIEW_DIFFERS;
		if (phase.index < showing->cursor) {
			show_phase(showing, &phase);
			continue;
		}
		showing->view->next = arena_text(showing->sources->arena,
			phase.needs_player == NEEDS_PICKS ? "pick" : "next");
		if (phase.needs_player == NEEDS_PICKS)
			put_picks(showing, &phase);
		return VIEW_OK;
	}
	round_sum_end(&showing->summing, &sum);
	return sodium_memcmp(sum.digest, about->digest, sizeof(sum.digest)) == 0 ? VIEW_OK
										 : VIEW_DIFFERS;
}

static void put_gambles(struct showing *showing)
{
	struct arena *arena = showing->sources->arena;
	const struct play_round *round = &showing->play->round;
	Carillon__RoundView *view = showing->view;

	view->gambles =
		arena_take(arena, (round->gamble_count + 1) * sizeof(Carillon__GambleStep *));
	for (uint32_t i = 0; i < round->gamble_count; i++) {
		const struct gamble_step *step = &round->gamble[i];
		Carillon__GambleStep *message = arena_take(arena, sizeof(*message));

		carillon__gamble_step__init(message);
		message->attempt = i + 1;
		message->stake_minor = step->stake.minor;
		message->guess = step->guess;
		message->card = step->card;
		message->won = step->won;
		message->pending_minor = step->pending.minor;
		view->gambles[view->n_gambles++] = message;
		showing->win += step->won ? step->stake.minor : -step->stake.minor;
	}
}

/* What an open round offers after its last phase. */
static void put_offer(struct showing *showing)
{
	const struct open_round *open = &showing->play->state.open;
	const struct game *game = showing->game;
	Carillon__RoundView *view = showing->view;
	bool gamble = gamble_check(game, &showing->play->state) == GAMBLE_OK ||
		      gamble_halve_check(game, &showing->play->state) == GAMBLE_OK;

	view->pending_minor = open->gamble_pending.minor;
	view->next = arena_text(showing->sources->arena, gamble ? "gamble" : "bet");
	if (game->gamble.offered && game->gamble.attempts_max > open->gamble_attempts)
		view->gamble_attempts_left = game->gamble.attempts_max - open->gamble_attempts;
}

/* The round is closed: anybody may verify it now. */
static enum view_status put_proof(struct showing *showing)
{
	struct arena *arena = showing->sources->arena;
	const struct play_round *round = &showing->play->round;
	Carillon__RoundView *view = showing->view;
	uint8_t secret[SECRET_BYTES];

	if (!keys_secret(
		    showing->sources->keys, showing->player->id, round->move, &round->salt, secret))
		return VIEW_NO_KEY;
	view->closed = true;
	view->secret = view_bytes(arena, secret, sizeof(secret));
	view->result_digest = view_bytes(arena, round->digest, sizeof(round->digest));
	view->cards = cards_drawn(arena, round);
	view->next = arena_text(arena, player_cards_open(showing->play) ? "cards" : "bet");
	return VIEW_OK;
}

static void put_head(struct showing *showing)
{
	struct arena *arena = showing->sources->arena;
	const struct play_round *round = &showing->play->round;
	Carillon__RoundView *view = showing->view;

	view->round = round->move;
	view->game = arena_text(arena, showing->game->id);
	view->math_version = view_bytes(arena, round->math_version, sizeof(round->math_version));
	view->bet = arena_take(arena, sizeof(*view->bet));
	carillon__bet__init(view->bet);
	view->bet->coin_minor = round->bet.coin_minor;
	view->bet->lines = round->bet.lines;
	view->bet->coins = round->bet.coins;
	view->bet->mode = arena_text(arena, showing->game->mode[round->bet.mode].id);
	if (round->autospin)
		view->bet->autoplay_id =
			view_bytes(arena, showing->play->state.autoplay.id, AUTOPLAY_ID_BYTES);
	view->stake_minor = round->stake.minor;
	view->bonus_spin = round_is_bonus(round);
	view->client_nonce = view_bytes(arena, round->nonce, round->nonce_length);
	if (showing->game->unlock.offered)
		view->before = view_carried(arena, showing->game, showing->total, &round->before);
	view->phase_from = showing->from;
	view->cursor = showing->cursor;
	view->phases = arena_take(arena, (showing->most + 1) * sizeof(Carillon__Phase *));
	view->jackpots =
		arena_take(arena, (PLAYER_CLAIMS_MAX + 1) * sizeof(Carillon__JackpotWin *));
}

enum view_status view_key(const struct view_sources *sources, player_id player,
	const struct play_round *round, uint32_t number, const char *purpose,
	const struct game **game_r, uint8_t key_r[PLAYER_KEY_BYTES])
{
	uint8_t secret[SECRET_BYTES];

	*game_r = games_by_digest(sources->games, sources->conn, number, round->math_version);
	if (!*game_r)
		return VIEW_NO_DEFINITION;
	if (!keys_secret(sources->keys, player, round->move, &round->salt, secret))
		return VIEW_NO_KEY;
	keys_stream(secret, round->nonce, round->nonce_length, purpose, key_r);
	return VIEW_OK;
}

enum view_status view_round(const struct view_sources *sources, const struct player *player,
	const struct player_game *play, uint32_t from, uint32_t most, Carillon__RoundView **view_r)
{
	struct showing showing = { .sources = sources, .player = player, .play = play };
	bool open = player_round_open(play);
	uint8_t key[PLAYER_KEY_BYTES];
	enum view_status status = view_key(
		sources, player->id, &play->round, play->state.game, "game", &showing.game, key);

	if (status != VIEW_OK)
		return status;
	if (bet_total(&play->round.bet, &showing.total) != BET_OK)
		return VIEW_DIFFERS;
	showing.cursor = open ? play->state.open.cursor : play->round.phases;
	showing.from = from < showing.cursor ? from : showing.cursor;
	showing.most = most < VIEW_PHASES_MAX ? most : VIEW_PHASES_MAX;
	showing.view = arena_take(sources->arena, sizeof(*showing.view));
	carillon__round_view__init(showing.view);
	put_head(&showing);
	status = show_phases(&showing, key);
	if (status != VIEW_OK)
		return status;
	put_gambles(&showing);
	showing.view->win_minor = showing.win;
	if (!open)
		status = put_proof(&showing);
	else if (!player_feature_open(play))
		put_offer(&showing);
	*view_r = showing.view;
	return status;
}

const char *view_status_text(enum view_status status)
{
	switch (status) {
	case VIEW_OK:
		return "ok";
	case VIEW_NO_DEFINITION:
		return "the round's definition is not registered";
	case VIEW_NO_KEY:
		return "the service key of the round is not in the key file";
	case VIEW_DIFFERS:
		return "the replay differs from the recorded result";
	}
	return "unknown";
}
