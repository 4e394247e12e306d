#include "libcommon/game/game_state.h"

#include <assert.h>
#include <string.h>

#define STATE_FORMAT 2u
#define HAS_AUTOPLAY 1u
#define HAS_OPEN 2u
#define HAS_WITCH 4u
#define HAS_CARRIED 8u
#define CARDS_END 53u /* 52 and the joker */

#define HEAD_BYTES (1u + 1u + 4u + 1u + 1u)
#define AUTOPLAY_BYTES (AUTOPLAY_ID_BYTES + 4u + 4u + 8u + 8u + 1u + 1u + 8u + 8u + 8u)
#define OPEN_BYTES                                                                                 \
	(8u + 4u + 8u + 4u + 4u + 1u + 1u + 1u + 4u + 4u + 1u + GAME_PICKS_MAX + 8u + 8u + 4u +    \
		4u + GAME_DIGEST_BYTES)

_Static_assert(HEAD_BYTES + GAMBLE_CARDS_MAX + AUTOPLAY_BYTES + OPEN_BYTES + CARRIED_BYTES_MAX <=
		       GAME_STATE_BYTES_MAX,
	"a state fits its encoding");

void game_state_init(const struct game *game, struct game_state *state_r)
{
	memset(state_r, 0, sizeof(*state_r));
	state_r->game = game->number;
}

bool game_state_set_witch(const struct game *game, struct game_state *state, uint32_t witch)
{
	if (witch >= game->witch_count)
		return false;
	state->witch = (uint8_t)witch;
	state->witch_chosen = true;
	return true;
}

/* RULE witch-feature 3.12, 3.13: the bet value is the total bet. */
struct round_state game_state_carried(
	const struct game *game, const struct game_state *state, const struct bet *bet)
{
	struct money total;

	if (bet_total(bet, &total) != BET_OK)
		return (struct round_state){ .unlocked = 0 };
	return carried_state(&state->carried, game, total);
}

bool game_state_carry(const struct game *game, struct game_state *state, const struct bet *bet,
	const struct round_state *after)
{
	struct money total;

	if (!game->unlock.offered)
		return true;
	return bet_total(bet, &total) == BET_OK &&
	       carried_set(&state->carried, game, bet->currency, total, after);
}

/* RULE bewitched 5.8; RULE mystic-gem 4.8: the latest card comes first. */
void game_state_show_card(struct game_state *state, uint8_t card)
{
	if (state->card_count < GAMBLE_CARDS_MAX)
		state->card_count++;
	memmove(state->card + 1, state->card, state->card_count - 1u);
	state->card[0] = card;
}

static uint8_t *put(uint8_t *p, uint64_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		*p++ = (uint8_t)(value >> (8 * i));
	return p;
}

static uint8_t *put_bytes(uint8_t *p, const uint8_t *bytes, size_t count)
{
	memcpy(p, bytes, count);
	return p + count;
}

static uint8_t *put_money(uint8_t *p, struct money amount)
{
	return put(p, (uint64_t)amount.minor, 8);
}

static uint8_t *put_autoplay(uint8_t *p, const struct autoplay *autoplay)
{
	p = put_bytes(p, autoplay->id, AUTOPLAY_ID_BYTES);
	p = put(p, autoplay->spins, 4);
	p = put(p, autoplay->left, 4);
	p = put_money(p, autoplay->loss_limit);
	p = put_money(p, autoplay->single_win);
	p = put(p, (uint32_t)autoplay->stop_on_jackpot | (uint32_t)autoplay->stop_on_feature << 1,
		1);
	p = put(p, (uint32_t)autoplay->stopped, 1);
	p = put_money(p, autoplay->bets);
	p = put_money(p, autoplay->wins);
	return put(p, (uint64_t)autoplay->last_spin_ms, 8);
}

static uint8_t *put_open(uint8_t *p, const struct open_round *open)
{
	p = put(p, open->move, 8);
	p = put(p, open->bet.currency, 4);
	p = put(p, (uint64_t)open->bet.coin_minor, 8);
	p = put(p, open->bet.lines, 4);
	p = put(p, open->bet.coins, 4);
	p = put(p, open->bet.mode, 1);
	p = put(p, round_state_pack(&open->before), 1);
	p = put(p, (uint32_t)open->autospin | (uint32_t)open->has_feature << 1, 1);
	p = put(p, open->phases, 4);
	p = put(p, open->cursor, 4);
	p = put(p, open->picks, 1);
	p = put_bytes(p, open->pick, GAME_PICKS_MAX);
	p = put_money(p, open->win_total);
	p = put_money(p, open->gamble_pending);
	p = put(p, open->gamble_attempts, 4);
	p = put(p, open->jackpot_hits, 4);
	return put_bytes(p, open->math_version, GAME_DIGEST_BYTES);
}

size_t game_state_encode(const struct game_state *state, uint8_t *out)
{
	uint8_t *p = out;
	uint32_t flags = (state->autoplay.spins > 0 ? HAS_AUTOPLAY : 0) |
			 (state->open.move > 0 ? HAS_OPEN : 0) |
			 (state->witch_chosen ? HAS_WITCH : 0) |
			 (state->carried.count > 0 ? HAS_CARRIED : 0);

	assert(state->card_count <= GAMBLE_CARDS_MAX);
	p = put(p, STATE_FORMAT, 1);
	p = put(p, flags, 1);
	p = put(p, state->game, 4);
	p = put(p, state->witch, 1);
	p = put(p, state->card_count, 1);
	p = put_bytes(p, state->card, state->card_count);
	if (flags & HAS_AUTOPLAY)
		p = put_autoplay(p, &state->autoplay);
	if (flags & HAS_OPEN)
		p = put_open(p, &state->open);
	if (flags & HAS_CARRIED)
		p += carried_encode(&state->carried, p);
	return (size_t)(p - out);
}

/* The bytes left to read; the length of each part is checked once, before reading it. */
struct input {
	const uint8_t *at;
	size_t left;
};

static uint64_t get(struct input *in, uint32_t bytes)
{
	uint64_t value = 0;

	assert(in->left >= bytes);
	for (uint32_t i = 0; i < bytes; i++)
		value |= (uint64_t)in->at[i] << (8 * i);
	in->at += bytes;
	in->left -= bytes;
	return value;
}

static void get_bytes(struct input *in, uint8_t *out, size_t count)
{
	assert(in->left >= count);
	memcpy(out, in->at, count);
	in->at += count;
	in->left -= count;
}

static struct money get_money(struct input *in)
{
	return money_of((int64_t)get(in, 8));
}

static bool get_autoplay(struct input *in, struct autoplay *autoplay)
{
	uint64_t stops, stopped;

	if (in->left < AUTOPLAY_BYTES)
		return false;
	get_bytes(in, autoplay->id, AUTOPLAY_ID_BYTES);
	autoplay->spins = (uint32_t)get(in, 4);
	autoplay->left = (uint32_t)get(in, 4);
	autoplay->loss_limit = get_money(in);
	autoplay->single_win = get_money(in);
	stops = get(in, 1);
	stopped = get(in, 1);
	autoplay->bets = get_money(in);
	autoplay->wins = get_money(in);
	autoplay->last_spin_ms = (int64_t)get(in, 8);
	if (stops > 3 || stopped > AUTOPLAY_STOPPED_PLAYER)
		return false;
	autoplay->stop_on_jackpot = (stops & 1) != 0;
	autoplay->stop_on_feature = (stops & 2) != 0;
	autoplay->stopped = (enum autoplay_stop)stopped;
	return autoplay->spins > 0 && autoplay->left <= autoplay->spins &&
	       autoplay->loss_limit.minor >= -1 && autoplay->single_win.minor >= -1 &&
	       autoplay->bets.minor >= 0 && autoplay->wins.minor >= 0 &&
	       autoplay->last_spin_ms >= 0;
}

static bool get_open(struct input *in, struct open_round *open)
{
	uint64_t flags;
	bool legal;

	if (in->left < OPEN_BYTES)
		return false;
	open->move = get(in, 8);
	open->bet.currency = (uint32_t)get(in, 4);
	open->bet.coin_minor = (int64_t)get(in, 8);
	open->bet.lines = (uint32_t)get(in, 4);
	open->bet.coins = (uint32_t)get(in, 4);
	open->bet.mode = (uint32_t)get(in, 1);
	legal = round_state_unpack((uint8_t)get(in, 1), &open->before);
	flags = get(in, 1);
	open->phases = (uint32_t)get(in, 4);
	open->cursor = (uint32_t)get(in, 4);
	open->picks = (uint8_t)get(in, 1);
	get_bytes(in, open->pick, GAME_PICKS_MAX);
	open->win_total = get_money(in);
	open->gamble_pending = get_money(in);
	open->gamble_attempts = (uint32_t)get(in, 4);
	open->jackpot_hits = (uint32_t)get(in, 4);
	get_bytes(in, open->math_version, GAME_DIGEST_BYTES);
	open->autospin = (flags & 1) != 0;
	open->has_feature = (flags & 2) != 0;
	return legal && flags <= 3 && open->move > 0 && open->bet.mode < GAME_MODES_MAX &&
	       open->bet.coin_minor > 0 && open->bet.coin_minor <= GAME_COIN_MINOR_MAX &&
	       open->bet.lines > 0 && open->bet.lines <= GAME_LINES_MAX && open->bet.coins > 0 &&
	       open->bet.coins <= GAME_LINE_COINS_MAX && open->phases <= GAME_ROUND_PHASES_MAX &&
	       open->cursor <= open->phases && open->picks <= GAME_PICKS_MAX &&
	       open->win_total.minor >= 0 && open->gamble_pending.minor >= 0 &&
	       open->jackpot_hits <= open->phases;
}

bool game_state_decode(
	const struct game *game, const uint8_t *bytes, size_t count, struct game_state *state_r)
{
	struct input in = { bytes, count };
	struct game_state state;
	uint64_t flags;

	memset(&state, 0, sizeof(state));
	if (count < HEAD_BYTES || get(&in, 1) != STATE_FORMAT)
		return false;
	flags = get(&in, 1);
	state.game = (uint32_t)get(&in, 4);
	state.witch = (uint8_t)get(&in, 1);
	state.card_count = (uint8_t)get(&in, 1);
	state.witch_chosen = (flags & HAS_WITCH) != 0;
	if (flags > (HAS_AUTOPLAY | HAS_OPEN | HAS_WITCH | HAS_CARRIED) ||
		state.game != game->number || state.witch >= GAME_WITCHES_MAX ||
		(state.witch > 0 && !state.witch_chosen) || state.card_count > GAMBLE_CARDS_MAX ||
		in.left < state.card_count)
		return false;
	get_bytes(&in, state.card, state.card_count);
	for (uint32_t i = 0; i < state.card_count; i++)
		if (state.card[i] >= CARDS_END)
			return false;
	if ((flags & HAS_AUTOPLAY) && !get_autoplay(&in, &state.autoplay))
		return false;
	if ((flags & HAS_OPEN) && !get_open(&in, &state.open))
		return false;
	if (flags & HAS_CARRIED) {
		if (in.left == 0 || !carried_decode(in.at, in.left, &state.carried))
			return false;
	} else if (in.left != 0) {
		return false;
	}
	*state_r = state;
	return true;
}

size_t game_state_bytes(const struct game *game)
{
	return HEAD_BYTES + (game->gamble.offered ? GAMBLE_CARDS_MAX : 0u) +
	       (game->autoplay.offered ? AUTOPLAY_BYTES : 0u) +
	       (game->unlock.offered ? CARRIED_BYTES_MAX : 0u) + OPEN_BYTES;
}
