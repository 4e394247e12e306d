#include "services/spin-engine/adapters/codec.h"

#include "libcommon/io/arena.h"

#include "record.pb-c.h"
#include "wallet.pb-c.h"

#include <assert.h>
#include <string.h>

#define FORMAT 1u
#define CARDS (GAMBLE_JOKER + 1u)

_Static_assert((int)PLAYER_MOVE_OPEN == (int)CARILLON__MOVE_KIND__MOVE_OPEN, "kinds agree");
_Static_assert((int)PLAYER_MOVE_BET == (int)CARILLON__MOVE_KIND__MOVE_BET, "kinds agree");
_Static_assert((int)PLAYER_MOVE_RELEASE == (int)CARILLON__MOVE_KIND__MOVE_RELEASE, "kinds agree");
_Static_assert((int)PLAYER_MOVE_GAMBLE == (int)CARILLON__MOVE_KIND__MOVE_GAMBLE, "kinds agree");
_Static_assert((int)PLAYER_MOVE_HALVE == (int)CARILLON__MOVE_KIND__MOVE_HALVE, "kinds agree");
_Static_assert((int)PLAYER_MOVE_COLLECT == (int)CARILLON__MOVE_KIND__MOVE_COLLECT, "kinds agree");
_Static_assert((int)PLAYER_MOVE_VOID == (int)CARILLON__MOVE_KIND__MOVE_VOID, "kinds agree");
_Static_assert((int)PLAYER_MOVE_SETTING == (int)CARILLON__MOVE_KIND__MOVE_SETTING, "kinds agree");
_Static_assert((int)PLAYER_WALLET_NO_BONUS_SPINS == (int)CARILLON__REFUSAL__REFUSAL_SPINS,
	"refusals agree");

/* ---- encoding ---- */

/* protobuf-c's structs are not const, though packing only reads. */
static ProtobufCBinaryData data_of(const uint8_t *bytes, size_t count)
{
	union {
		const uint8_t *in;
		uint8_t *out;
	} pointer = { .in = bytes };

	return (ProtobufCBinaryData){ .len = count, .data = pointer.out };
}

struct state_out {
	Carillon__PlayState state;
	Carillon__PlayRound round;
	Carillon__PlayAutoplay autoplay;
	uint8_t carried[CARRIED_BYTES_MAX];
	Carillon__PlayGamble gamble[PLAYER_GAMBLES_MAX];
	Carillon__PlayGamble *gambles[PLAYER_GAMBLES_MAX];
	uint32_t forced[PLAYER_FORCED_MAX];
};

static void put_gambles(const struct play_round *round, struct state_out *out)
{
	for (uint32_t i = 0; i < round->gamble_count; i++) {
		const struct gamble_step *step = &round->gamble[i];
		Carillon__PlayGamble *gamble = &out->gamble[i];

		carillon__play_gamble__init(gamble);
		gamble->stake_minor = step->stake.minor;
		gamble->pending_minor = step->pending.minor;
		gamble->guess = step->guess;
		gamble->card = step->card;
		gamble->won = step->won;
		out->gambles[i] = gamble;
	}
	out->round.n_gambles = round->gamble_count;
	out->round.gambles = out->gambles;
}

static void put_open(const struct open_round *open, Carillon__PlayRound *message)
{
	message->cursor = open->cursor;
	message->picks_now = data_of(open->pick, open->picks);
	message->gamble_pending = open->gamble_pending.minor;
	message->gamble_attempts = open->gamble_attempts;
}

static void put_cards(const struct play_round *round, Carillon__PlayRound *message)
{
	message->cards_below = round->cards.draw.below;
	message->cards_threshold = round->cards.draw.threshold;
	message->cards_value = round->cards.draw.value;
	message->cards_index = round->cards.index;
	message->cards_pool = round->cards.pool;
	message->cards_booked = round->cards.booked;
	message->before_below = round->cards_before.below;
	message->before_threshold = round->cards_before.threshold;
	message->before_value = round->cards_before.value;
}

static void put_round(const struct play_round *round, struct state_out *out)
{
	Carillon__PlayRound *message = &out->round;

	carillon__play_round__init(message);
	message->move = round->move;
	message->closed_by = round->closed_by;
	message->opened_us = round->opened_us;
	message->salt = data_of(round->salt.bytes, PLAYER_SALT_BYTES);
	message->key = round->salt.key;
	message->nonce = data_of(round->nonce, round->nonce_length);
	message->math_version = data_of(round->math_version, sizeof(round->math_version));
	message->digest = data_of(round->digest, sizeof(round->digest));
	message->coin_minor = round->bet.coin_minor;
	message->lines = round->bet.lines;
	message->coins = round->bet.coins;
	message->currency = round->bet.currency;
	message->mode = round->bet.mode;
	message->stake = round->stake.minor;
	message->before = round_state_pack(&round->before);
	message->win_base_lines = round->win_base_lines.minor;
	message->win_feature = round->win_feature.minor;
	message->feature_due = round->feature_due.minor;
	message->credited = round->credited.minor;
	message->phases = round->phases;
	message->claims = round->claims;
	message->claims_shown = round->claims_shown;
	message->autospin = round->autospin;
	message->has_feature = round->has_feature;
	message->voided = round->voided;
	message->bonus = round->bonus;
	message->picks = data_of(round->pick, round->pick_count);
	put_cards(round, message);
	put_gambles(round, out);
	memcpy(out->forced, round->forced, round->forced_count * sizeof(out->forced[0]));
	message->forced = out->forced;
	message->n_forced = round->forced_count;
}

static void put_autoplay(const struct autoplay *autoplay, Carillon__PlayAutoplay *message)
{
	carillon__play_autoplay__init(message);
	message->id = data_of(autoplay->id, sizeof(autoplay->id));
	message->spins = autoplay->spins;
	message->left = autoplay->left;
	message->loss_limit = autoplay->loss_limit.minor;
	message->single_win = autoplay->single_win.minor;
	message->stop_on_jackpot = autoplay->stop_on_jackpot;
	message->stopped = (uint32_t)autoplay->stopped;
	message->bets = autoplay->bets.minor;
	message->wins = autoplay->wins.minor;
	message->last_spin_ms = autoplay->last_spin_ms;
	message->stop_on_feature = autoplay->stop_on_feature;
}

static void put_state(const struct player_game *play, struct state_out *out)
{
	const struct game_state *state = &play->state;
	Carillon__PlayState *message = &out->state;

	carillon__play_state__init(message);
	message->game = state->game;
	message->witch = state->witch_chosen ? state->witch + 1u : 0;
	message->cards = data_of(state->card, state->card_count);
	message->carried = data_of(out->carried, carried_encode(&state->carried, out->carried));
	message->move = play->move;
	message->version = play->version;
	if (state->autoplay.spins > 0) {
		put_autoplay(&state->autoplay, &out->autoplay);
		message->autoplay = &out->autoplay;
	}
	if (play->round.move > 0) {
		put_round(&play->round, out);
		if (play->round.closed_by == 0)
			put_open(&state->open, &out->round);
		message->round = &out->round;
	}
}

static size_t record_pack(const struct player_record *record, uint8_t *out)
{
	Carillon__Record message;
	struct state_out state;
	char reason[PLAYER_REASON_MAX + 1];

	carillon__record__init(&message);
	message.format = FORMAT;
	message.content_hash = data_of(record->content_hash, PLAYER_ID_BYTES);
	message.next_salt = data_of(record->next.bytes, PLAYER_SALT_BYTES);
	message.next_key = record->next.key;
	message.collected = record->collected.minor;
	message.awards = record->awards.minor;
	memcpy(reason, record->reason, sizeof(reason));
	if (reason[0] != '\0')
		message.reason = reason;
	if (record->has_game) {
		put_state(&record->game, &state);
		message.state = &state.state;
	}
	return out ? carillon__record__pack(&message, out)
		   : carillon__record__get_packed_size(&message);
}

size_t record_encode(const struct player_record *record, uint8_t out[RECORD_BYTES_MAX])
{
	assert(record_pack(record, NULL) <= RECORD_BYTES_MAX);
	return record_pack(record, out);
}

size_t player_game_encode(const struct player_game *play, uint8_t out[STATE_BYTES_MAX])
{
	struct state_out state;

	put_state(play, &state);
	assert(carillon__play_state__get_packed_size(&state.state) <= STATE_BYTES_MAX);
	return carillon__play_state__pack(&state.state, out);
}

struct seen_out {
	uint64_t move[PLAYER_SEEN_MAX];
	uint32_t refusal[PLAYER_SEEN_MAX];
	uint8_t request_id[PLAYER_SEEN_MAX * PLAYER_SEEN_BYTES];
	uint8_t content_hash[PLAYER_SEEN_MAX * PLAYER_SEEN_BYTES];
};

static void put_seen(
	const struct player *player, struct seen_out *out, Carillon__PlayerState *message)
{
	size_t count = player->seen_count;

	for (size_t i = 0; i < count; i++) {
		size_t at = i * PLAYER_SEEN_BYTES;

		out->move[i] = player->seen[i].move;
		out->refusal[i] = (uint32_t)player->seen[i].refusal;
		memcpy(out->request_id + at, player->seen[i].request_id, PLAYER_SEEN_BYTES);
		memcpy(out->content_hash + at, player->seen[i].content_hash, PLAYER_SEEN_BYTES);
	}
	message->n_seen_moves = count;
	message->seen_moves = out->move;
	message->n_seen_refusals = count;
	message->seen_refusals = out->refusal;
	message->seen_request_ids = data_of(out->request_id, count * PLAYER_SEEN_BYTES);
	message->seen_content_hashes = data_of(out->content_hash, count * PLAYER_SEEN_BYTES);
}

struct bonus_spins_out {
	Carillon__KeptBonus bonus_spins[PLAYER_BONUS_SPINS_MAX];
	Carillon__KeptBonus *bonus_spins_list[PLAYER_BONUS_SPINS_MAX];
};

static void put_bonus_spins(
	const struct player *player, struct bonus_spins_out *out, Carillon__PlayerState *message)
{
	for (uint32_t i = 0; i < player->bonus_spins_count; i++) {
		const struct player_bonus_spins *bonus_spins = &player->bonus_spins[i];
		Carillon__KeptBonus *kept = &out->bonus_spins[i];

		carillon__kept_bonus__init(kept);
		kept->id = data_of(bonus_spins->id, PLAYER_ID_BYTES);
		kept->game = bonus_spins->game;
		kept->coin_minor = bonus_spins->coin_minor;
		kept->lines = bonus_spins->lines;
		kept->coins = bonus_spins->coins;
		kept->spins = bonus_spins->spins;
		kept->used = bonus_spins->used;
		kept->expires_us = bonus_spins->expires_us;
		out->bonus_spins_list[i] = kept;
	}
	message->n_bonuses = player->bonus_spins_count;
	message->bonuses = out->bonus_spins_list;
}

size_t player_encode(const struct player *player, uint8_t out[PLAYER_BYTES_MAX])
{
	Carillon__PlayerState message = CARILLON__PLAYER_STATE__INIT;
	struct seen_out seen;
	struct bonus_spins_out bonus_spins_list;
	Carillon__KeptAward award[PLAYER_AWARDS_MAX], *awards[PLAYER_AWARDS_MAX];

	message.format = FORMAT;
	message.currency = player->currency;
	message.blocked = player->blocked;
	message.next_salt = data_of(player->salt.bytes, PLAYER_SALT_BYTES);
	message.next_key = player->salt.key;
	message.money_seq = player->money_seq;
	message.taken_seq = player->taken_seq;
	message.balance = player->balance.minor;
	for (uint32_t i = 0; i < player->award_count; i++) {
		carillon__kept_award__init(&award[i]);
		award[i].move = player->award[i].move;
		award[i].index = player->award[i].index;
		award[i].pool = player->award[i].pool;
		award[i].paid = player->award[i].paid.minor;
		awards[i] = &award[i];
	}
	message.n_awards = player->award_count;
	message.awards = awards;
	message.last_request_id = data_of(player->last.request_id, PLAYER_ID_BYTES);
	message.last_content_hash = data_of(player->last.content_hash, PLAYER_ID_BYTES);
	message.last_kind = (uint32_t)player->last.kind;
	message.last_refusal = player->last.refusal;
	message.last_game = player->last.game;
	message.last_round = player->last.round;
	message.last_collected = player->last.collected.minor;
	put_seen(player, &seen, &message);
	put_bonus_spins(player, &bonus_spins_list, &message);
	assert(carillon__player_state__get_packed_size(&message) <= PLAYER_BYTES_MAX);
	return carillon__player_state__pack(&message, out);
}

/* ---- decoding ---- */

/* The decoders copy everything out before the next message is unpacked. */
static ProtobufCAllocator unpack_allocator(void)
{
	static struct arena unpacked;

	arena_reset(&unpacked);
	return arena_allocator(&unpacked);
}

static bool get_bytes(const ProtobufCBinaryData *data, size_t count, uint8_t *out)
{
	if (data->len != count)
		return false;
	memcpy(out, data->data, count);
	return true;
}

static bool get_gambles(const Carillon__PlayRound *message, struct play_round *round)
{
	if (message->n_gambles > PLAYER_GAMBLES_MAX)
		return false;
	for (size_t i = 0; i < message->n_gambles; i++) {
		const Carillon__PlayGamble *gamble = message->gambles[i];

		if (gamble->guess > GUESS_BLACK || gamble->card >= CARDS ||
			gamble->stake_minor < 0 || gamble->pending_minor < 0)
			return false;
		round->gamble[i] = (struct gamble_step){ money_of(gamble->stake_minor),
			money_of(gamble->pending_minor), (uint8_t)gamble->guess,
			(uint8_t)gamble->card, gamble->won };
	}
	round->gamble_count = (uint32_t)message->n_gambles;
	return true;
}

static bool bet_possible(const struct bet *bet)
{
	return bet->coin_minor > 0 && bet->coin_minor <= GAME_COIN_MINOR_MAX && bet->lines > 0 &&
	       bet->lines <= GAME_LINES_MAX && bet->coins > 0 &&
	       bet->coins <= GAME_LINE_COINS_MAX && bet->mode < GAME_MODES_MAX;
}

static bool round_possible(const Carillon__PlayRound *message)
{
	return message->move > 0 && message->win_base_lines >= 0 && message->win_feature >= 0 &&
	       message->feature_due >= 0 && message->credited >= 0 &&
	       message->gamble_pending >= 0 &&
	       message->feature_due <= INT64_MAX - message->gamble_pending &&
	       message->win_base_lines <= INT64_MAX - message->win_feature &&
	       message->phases <= GAME_ROUND_PHASES_MAX && message->cursor <= message->phases &&
	       message->claims <= PLAYER_CLAIMS_MAX && message->claims_shown <= message->claims &&
	       message->picks_now.len <= GAME_PICKS_MAX && message->picks.len <= PLAYER_PICKS_MAX &&
	       message->nonce.len <= PLAYER_NONCE_MAX && message->n_forced <= PLAYER_FORCED_MAX &&
	       message->gamble_attempts <= PLAYER_GAMBLES_MAX &&
	       (message->closed_by == 0 || message->closed_by >= message->move);
}

static bool get_open(
	const Carillon__PlayRound *message, const struct play_round *round, struct open_round *open)
{
	struct money total;

	if (!money_add(round->win_base_lines, round->win_feature, &total))
		return false;
	open->move = round->move;
	open->bet = round->bet;
	open->autospin = round->autospin;
	open->has_feature = round->has_feature;
	open->phases = round->phases;
	open->cursor = message->cursor;
	open->picks = (uint8_t)message->picks_now.len;
	if (open->picks > 0)
		memcpy(open->pick, message->picks_now.data, open->picks);
	open->win_total = total;
	open->gamble_pending = money_of(message->gamble_pending);
	open->gamble_attempts = message->gamble_attempts;
	open->jackpot_hits = round->claims;
	memcpy(open->math_version, round->math_version, sizeof(open->math_version));
	return true;
}

static bool get_cards(const Carillon__PlayRound *message, struct play_round *round)
{
	struct round_cards *cards = &round->cards;

	cards->draw = (struct cards_draw){ message->cards_below, message->cards_threshold,
		message->cards_value };
	cards->index = message->cards_index;
	cards->pool = message->cards_pool;
	cards->booked = message->cards_booked;
	round->cards_before = (struct cards_draw){ message->before_below, message->before_threshold,
		message->before_value };
	return cards_draw_possible(&cards->draw) && cards_draw_possible(&round->cards_before) &&
	       cards->index <= PLAYER_CLAIMS_MAX + 1 &&
	       cards_triggered(&cards->draw) == (cards->index > 0) &&
	       (cards->index > 0) == (cards->pool > 0) && cards->pool <= UINT16_MAX &&
	       !cards_triggered(&round->cards_before) &&
	       (cards->draw.below == 0 || message->closed_by != 0) &&
	       (cards->index > 0 || !cards->booked);
}

static bool get_round(const Carillon__PlayRound *message, struct player_game *play)
{
	struct play_round *round = &play->round;

	round->bet = (struct bet){ message->currency, message->coin_minor, message->lines,
		message->coins, message->mode };
	if (!round_possible(message) || !bet_possible(&round->bet) ||
		bet_total(&round->bet, &round->stake) != BET_OK || message->stake < 0 ||
		(message->stake == 0) != message->bonus || message->before > UINT8_MAX ||
		!round_state_unpack((uint8_t)message->before, &round->before) ||
		!get_bytes(&message->salt, PLAYER_SALT_BYTES, round->salt.bytes) ||
		!get_bytes(
			&message->math_version, sizeof(round->math_version), round->math_version) ||
		!get_bytes(&message->digest, sizeof(round->digest), round->digest) ||
		!get_gambles(message, round) || !get_cards(message, round))
		return false;
	round->stake = money_of(message->stake);
	round->move = message->move;
	round->closed_by = message->closed_by;
	round->opened_us = message->opened_us;
	round->salt.key = message->key;
	round->nonce_length = (uint32_t)message->nonce.len;
	if (message->nonce.len > 0)
		memcpy(round->nonce, message->nonce.data, message->nonce.len);
	round->win_base_lines = money_of(message->win_base_lines);
	round->win_feature = money_of(message->win_feature);
	round->feature_due = money_of(message->feature_due);
	round->credited = money_of(message->credited);
	round->phases = message->phases;
	round->claims = message->claims;
	round->claims_shown = message->claims_shown;
	round->autospin = message->autospin;
	round->has_feature = message->has_feature;
	round->voided = message->voided;
	round->bonus = message->bonus;
	round->pick_count = (uint32_t)message->picks.len;
	if (message->picks.len > 0)
		memcpy(round->pick, message->picks.data, message->picks.len);
	round->forced_count = (uint32_t)message->n_forced;
	for (size_t i = 0; i < message->n_forced; i++)
		round->forced[i] = message->forced[i];
	return round->closed_by != 0 || get_open(message, round, &play->state.open);
}

static bool get_autoplay(const Carillon__PlayAutoplay *message, struct autoplay *autoplay)
{
	if (!get_bytes(&message->id, sizeof(autoplay->id), autoplay->id) || message->spins == 0 ||
		message->left > message->spins || message->loss_limit < -1 ||
		message->single_win < -1 || message->stopped > AUTOPLAY_STOPPED_PLAYER ||
		message->bets < 0 || message->wins < 0 || message->last_spin_ms < 0)
		return false;
	autoplay->spins = message->spins;
	autoplay->left = message->left;
	autoplay->loss_limit = money_of(message->loss_limit);
	autoplay->single_win = money_of(message->single_win);
	autoplay->stop_on_jackpot = message->stop_on_jackpot;
	autoplay->stopped = (enum autoplay_stop)message->stopped;
	autoplay->bets = money_of(message->bets);
	autoplay->wins = money_of(message->wins);
	autoplay->last_spin_ms = message->last_spin_ms;
	autoplay->stop_on_feature = message->stop_on_feature;
	return true;
}

static enum codec_status get_state(const Carillon__PlayState *message, struct player_game *play)
{
	struct game_state *state = &play->state;

	memset(play, 0, sizeof(*play));
	if (message->game == 0 || message->witch > GAME_WITCHES_MAX ||
		message->cards.len > GAMBLE_CARDS_MAX)
		return CODEC_RANGE;
	state->game = message->game;
	if (!carried_decode(message->carried.data, message->carried.len, &state->carried))
		return CODEC_RANGE;
	state->witch_chosen = message->witch > 0;
	state->witch = (uint8_t)(message->witch > 0 ? message->witch - 1 : 0);
	state->card_count = (uint8_t)message->cards.len;
	for (size_t i = 0; i < message->cards.len; i++) {
		if (message->cards.data[i] >= CARDS)
			return CODEC_RANGE;
		state->card[i] = message->cards.data[i];
	}
	play->move = message->move;
	play->version = message->version;
	if (message->autoplay && !get_autoplay(message->autoplay, &state->autoplay))
		return CODEC_RANGE;
	if (message->round && !get_round(message->round, play))
		return CODEC_RANGE;
	return CODEC_OK;
}

static enum codec_status get_record(const Carillon__Record *message, struct player_record *record)
{
	if (message->format != FORMAT)
		return CODEC_FORMAT;
	if (!get_bytes(&message->content_hash, PLAYER_ID_BYTES, record->content_hash) ||
		!get_bytes(&message->next_salt, PLAYER_SALT_BYTES, record->next.bytes) ||
		message->collected < 0 || message->awards < 0 ||
		strlen(message->reason) > PLAYER_REASON_MAX)
		return CODEC_RANGE;
	record->next.key = message->next_key;
	record->collected = money_of(message->collected);
	record->awards = money_of(message->awards);
	memcpy(record->reason, message->reason, strlen(message->reason) + 1);
	record->has_game = message->state != NULL;
	return message->state ? get_state(message->state, &record->game) : CODEC_OK;
}

enum codec_status record_decode(const uint8_t *bytes, size_t count, struct player_record *record_r)
{
	ProtobufCAllocator allocator = unpack_allocator();
	Carillon__Record *message;
	enum codec_status status;

	memset(record_r, 0, sizeof(*record_r));
	if (count > RECORD_BYTES_MAX)
		return CODEC_RANGE;
	message = carillon__record__unpack(&allocator, count, bytes);
	if (!message)
		return CODEC_MALFORMED;
	status = get_record(message, record_r);
	return status;
}

enum codec_status player_game_decode(const uint8_t *bytes, size_t count, struct player_game *play_r)
{
	ProtobufCAllocator allocator = unpack_allocator();
	Carillon__PlayState *message = carillon__play_state__unpack(&allocator, count, bytes);
	enum codec_status status;

	if (!message)
		return CODEC_MALFORMED;
	status = get_state(message, play_r);
	return status;
}

static bool get_seen(const Carillon__PlayerState *message, struct player *player)
{
	size_t count = message->n_seen_moves;
	uint64_t before = 0;

	if (count > PLAYER_SEEN_MAX || message->seen_request_ids.len != count * PLAYER_SEEN_BYTES ||
		message->seen_content_hashes.len != count * PLAYER_SEEN_BYTES ||
		(message->n_seen_refusals != 0 && message->n_seen_refusals != count))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct player_seen *seen = &player->seen[i];
		size_t at = i * PLAYER_SEEN_BYTES;

		if (message->seen_moves[i] <= before)
			return false;
		seen->move = before = message->seen_moves[i];
		seen->refusal = message->n_seen_refusals == 0 ? 0 : message->seen_refusals[i];
		memcpy(seen->request_id, message->seen_request_ids.data + at, PLAYER_SEEN_BYTES);
		memcpy(seen->content_hash, message->seen_content_hashes.data + at,
			PLAYER_SEEN_BYTES);
	}
	player->seen_count = (uint32_t)count;
	return true;
}

static bool get_bonus_spins(const Carillon__PlayerState *message, struct player *player)
{
	if (message->n_bonuses > PLAYER_BONUS_SPINS_MAX)
		return false;
	for (size_t i = 0; i < message->n_bonuses; i++) {
		const Carillon__KeptBonus *kept = message->bonuses[i];
		struct player_bonus_spins bonus_spins = { .game = kept->game,
			.lines = kept->lines,
			.coins = kept->coins,
			.spins = kept->spins,
			.used = kept->used,
			.coin_minor = kept->coin_minor,
			.expires_us = kept->expires_us };

		if (!get_bytes(&kept->id, PLAYER_ID_BYTES, bonus_spins.id) ||
			bonus_spins.used >= bonus_spins.spins || bonus_spins.coin_minor <= 0 ||
			player_bonus_spins_of(player, bonus_spins.id))
			return false;
		player_bonus_spins(player, &bonus_spins);
	}
	return true;
}

static enum codec_status get_player(const Carillon__PlayerState *message, struct player *player)
{
	if (message->format != FORMAT)
		return CODEC_FORMAT;
	if (!get_bytes(&message->next_salt, PLAYER_SALT_BYTES, player->salt.bytes) ||
		!get_bytes(&message->last_request_id, PLAYER_ID_BYTES, player->last.request_id) ||
		!get_bytes(
			&message->last_content_hash, PLAYER_ID_BYTES, player->last.content_hash) ||
		message->n_awards > PLAYER_AWARDS_MAX || message->last_kind > PLAYER_MOVE_SETTING ||
		message->last_collected < 0 || !get_seen(message, player) ||
		!get_bonus_spins(message, player))
		return CODEC_RANGE;
	player->currency = message->currency;
	player->blocked = message->blocked;
	player->salt.key = message->next_key;
	player->money_seq = message->money_seq;
	player->taken_seq = message->taken_seq;
	player->balance = money_of(message->balance);
	for (size_t i = 0; i < message->n_awards; i++)
		player->award[i] =
			(struct player_award){ message->awards[i]->move, message->awards[i]->index,
				message->awards[i]->pool, money_of(message->awards[i]->paid) };
	player->award_count = (uint32_t)message->n_awards;
	player->last.kind = (enum player_move)message->last_kind;
	player->last.refusal = message->last_refusal;
	player->last.game = message->last_game;
	player->last.round = message->last_round;
	player->last.collected = money_of(message->last_collected);
	return CODEC_OK;
}

enum codec_status player_decode(const uint8_t *bytes, size_t count, struct player *player_r)
{
	ProtobufCAllocator allocator = unpack_allocator();
	Carillon__PlayerState *message = carillon__player_state__unpack(&allocator, count, bytes);
	enum codec_status status;

	if (!message)
		return CODEC_MALFORMED;
	status = get_player(message, player_r);
	return status;
}

/* ---- the bound ---- */

/* Every field has its longest value. Only open rounds have a cursor and picks, only closed ones a
 * draw of cards. Script and reason never occur together, but both are counted. A void takes awards
 * back and collects nothing; both fields have the same length. By the loader's check no game has
 * both a carried state and a gamble. */
static size_t record_bytes_of(bool gambles, bool open)
{
	struct player_record record;
	struct play_round *round = &record.game.round;
	struct game_state *state = &record.game.state;

	memset(&record, 0x7f, sizeof(record));
	record.reason[PLAYER_REASON_MAX] = '\0';
	record.collected = money_of(0);
	record.has_game = true;
	state->witch_chosen = true;
	state->card_count = GAMBLE_CARDS_MAX;
	state->open.picks = GAME_PICKS_MAX;
	state->open.cursor = round->phases = GAME_ROUND_PHASES_MAX;
	state->open.gamble_attempts = PLAYER_GAMBLES_MAX;
	state->autoplay.stopped = AUTOPLAY_STOPPED_PLAYER;
	state->autoplay.stop_on_jackpot = state->autoplay.stop_on_feature = true;
	state->autoplay.spins = state->autoplay.left = UINT32_MAX;
	round->cards_before = (struct cards_draw){ CARDS_OF_MAX, CARDS_OF_MAX, CARDS_OF_MAX - 1 };
	round->cards = (struct round_cards){ round->cards_before, UINT16_MAX, PLAYER_CLAIMS_MAX + 1,
		true };
	if (open) {
		round->closed_by = 0;
		round->cards = (struct round_cards){ .booked = false };
	}
	round->nonce_length = PLAYER_NONCE_MAX;
	round->bet = (struct bet){ 999, GAME_COIN_MINOR_MAX, GAME_LINES_MAX, GAME_LINE_COINS_MAX,
		GAME_MODES_MAX - 1 };
	round->claims = round->claims_shown = PLAYER_CLAIMS_MAX;
	round->pick_count = PLAYER_PICKS_MAX;
	round->gamble_count = gambles ? PLAYER_GAMBLES_MAX : 0;
	round->before = (struct round_state){ { 0, 0, 2 }, GAME_UNLOCK_STEPS_MAX - 1 };
	state->carried.count = gambles ? 0 : CARRIED_MAX;
	for (uint32_t i = 0; i < CARRIED_MAX; i++)
		state->carried.entry[i] = (uint64_t)(i + 1) << 8 | 1;
	round->autospin = round->has_feature = round->voided = round->bonus = true;
	for (uint32_t i = 0; i < PLAYER_GAMBLES_MAX; i++)
		round->gamble[i] = (struct gamble_step){ money_of(INT64_C(1) << 50),
			money_of(INT64_C(1) << 50), 1, CARDS - 1, true };
	round->forced_count = PLAYER_FORCED_MAX;
	for (uint32_t i = 0; i < PLAYER_FORCED_MAX; i++)
		round->forced[i] = GAME_WEIGHT_MAX;
	return record_pack(&record, NULL);
}

size_t record_bytes_worst(void)
{
	size_t worst = 0;

	for (int i = 0; i < 4; i++) {
		size_t bytes = record_bytes_of((i & 1) != 0, (i & 2) != 0);

		worst = bytes > worst ? bytes : worst;
	}
	return worst;
}

const char *codec_status_text(enum codec_status status)
{
	switch (status) {
	case CODEC_OK:
		return "ok";
	case CODEC_MALFORMED:
		return "not a message of this kind";
	case CODEC_FORMAT:
		return "in a format that this build does not know";
	case CODEC_RANGE:
		return "out of range in a field";
	}
	return "unknown";
}
