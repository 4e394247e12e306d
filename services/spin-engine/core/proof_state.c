/* The table of a state's fields, by which a recorded state is compared with the one that follows.
 */
#include "services/spin-engine/core/proof.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum shape { BOOL, U8, U32, U64, I64, BYTES };
/* FOLLOWS: compared. The others change without a move: in any game, in its last round, in its last
 * round while that is open. */
enum bond { FOLLOWS, FREE, FREE_IN_ROUND, FREE_WHILE_OPEN };

struct field {
	const char *name;
	size_t offset, size;
	enum shape shape;
	enum bond bond;
};

#define FIELD(name, path, shape, bond)                                                             \
	{                                                                                          \
		name, offsetof(struct player_game, path), sizeof(((struct player_game *)0)->path), \
			shape, bond                                                                \
	}

/* The gambles and the carried states are lists of structs, compared below the table. */
static const struct field fields[] = {
	FIELD("version", version, U64, FREE),
	FIELD("state.witch_chosen", state.witch_chosen, BOOL, FREE),
	FIELD("state.witch", state.witch, U8, FREE),
	/* How far the player has watched, and their picks: no draw depends on them. */
	FIELD("open.cursor", state.open.cursor, U32, FREE_WHILE_OPEN),
	FIELD("open.picks", state.open.picks, U8, FREE_WHILE_OPEN),
	FIELD("open.pick", state.open.pick, BYTES, FREE_WHILE_OPEN),
	FIELD("round.pick_count", round.pick_count, U32, FREE_IN_ROUND),
	FIELD("round.pick", round.pick, BYTES, FREE_IN_ROUND),
	FIELD("round.claims_shown", round.claims_shown, U32, FREE_IN_ROUND),
	/* Follows from the award's row, which point 8 proves. */
	FIELD("round.cards.booked", round.cards.booked, BOOL, FREE_IN_ROUND),

	FIELD("move", move, U64, FOLLOWS),
	FIELD("state.game", state.game, U32, FOLLOWS),
	FIELD("round.move", round.move, U64, FOLLOWS),
	FIELD("round.salt", round.salt.bytes, BYTES, FOLLOWS),
	FIELD("round.salt.key", round.salt.key, U32, FOLLOWS),
	FIELD("round.math_version", round.math_version, BYTES, FOLLOWS),
	FIELD("round.forced_count", round.forced_count, U32, FOLLOWS),
	FIELD("round.forced", round.forced, BYTES, FOLLOWS),
	FIELD("round.win_base_lines", round.win_base_lines, I64, FOLLOWS),
	FIELD("round.win_feature", round.win_feature, I64, FOLLOWS),
	FIELD("round.claims", round.claims, U32, FOLLOWS),
	FIELD("round.phases", round.phases, U32, FOLLOWS),
	FIELD("round.digest", round.digest, BYTES, FOLLOWS),
	FIELD("round.closed_by", round.closed_by, U64, FOLLOWS),
	FIELD("round.opened_us", round.opened_us, U64, FOLLOWS),
	FIELD("round.nonce_length", round.nonce_length, U32, FOLLOWS),
	FIELD("round.nonce", round.nonce, BYTES, FOLLOWS),
	FIELD("round.bet.currency", round.bet.currency, U32, FOLLOWS),
	FIELD("round.bet.coin_minor", round.bet.coin_minor, I64, FOLLOWS),
	FIELD("round.bet.lines", round.bet.lines, U32, FOLLOWS),
	FIELD("round.bet.coins", round.bet.coins, U32, FOLLOWS),
	FIELD("round.bet.mode", round.bet.mode, U32, FOLLOWS),
	FIELD("round.before.collectibles", round.before.collectibles, BYTES, FOLLOWS),
	FIELD("round.before.unlocked", round.before.unlocked, U8, FOLLOWS),
	FIELD("round.stake", round.stake, I64, FOLLOWS),
	FIELD("round.feature_due", round.feature_due, I64, FOLLOWS),
	FIELD("round.credited", round.credited, I64, FOLLOWS),
	FIELD("round.autospin", round.autospin, BOOL, FOLLOWS),
	FIELD("round.has_feature", round.has_feature, BOOL, FOLLOWS),
	FIELD("round.voided", round.voided, BOOL, FOLLOWS),
	FIELD("round.bonus", round.bonus, BOOL, FOLLOWS),
	FIELD("round.gamble_count", round.gamble_count, U32, FOLLOWS),
	FIELD("round.cards.below", round.cards.draw.below, U64, FOLLOWS),
	FIELD("round.cards.threshold", round.cards.draw.threshold, U64, FOLLOWS),
	FIELD("round.cards.value", round.cards.draw.value, U64, FOLLOWS),
	FIELD("round.cards.pool", round.cards.pool, U32, FOLLOWS),
	FIELD("round.cards.index", round.cards.index, U32, FOLLOWS),
	FIELD("round.before_cards.below", round.cards_before.below, U64, FOLLOWS),
	FIELD("round.before_cards.threshold", round.cards_before.threshold, U64, FOLLOWS),
	FIELD("round.before_cards.value", round.cards_before.value, U64, FOLLOWS),
	FIELD("open.move", state.open.move, U64, FOLLOWS),
	FIELD("open.win_total", state.open.win_total, I64, FOLLOWS),
	FIELD("open.gamble_pending", state.open.gamble_pending, I64, FOLLOWS),
	FIELD("open.gamble_attempts", state.open.gamble_attempts, U32, FOLLOWS),
	FIELD("open.jackpot_hits", state.open.jackpot_hits, U32, FOLLOWS),
	FIELD("state.card_count", state.card_count, U8, FOLLOWS),
	FIELD("state.card", state.card, BYTES, FOLLOWS),
	FIELD("autoplay.id", state.autoplay.id, BYTES, FOLLOWS),
	FIELD("autoplay.spins", state.autoplay.spins, U32, FOLLOWS),
	FIELD("autoplay.left", state.autoplay.left, U32, FOLLOWS),
	FIELD("autoplay.loss_limit", state.autoplay.loss_limit, I64, FOLLOWS),
	FIELD("autoplay.single_win", state.autoplay.single_win, I64, FOLLOWS),
	FIELD("autoplay.stop_on_jackpot", state.autoplay.stop_on_jackpot, BOOL, FOLLOWS),
	FIELD("autoplay.stop_on_feature", state.autoplay.stop_on_feature, BOOL, FOLLOWS),
	FIELD("autoplay.stopped", state.autoplay.stopped, U32, FOLLOWS),
	FIELD("autoplay.bets", state.autoplay.bets, I64, FOLLOWS),
	FIELD("autoplay.wins", state.autoplay.wins, I64, FOLLOWS),
	FIELD("autoplay.last_spin_ms", state.autoplay.last_spin_ms, I64, FOLLOWS),
	FIELD("carried.count", state.carried.count, U32, FOLLOWS),
};

static const uint8_t *at(const struct player_game *play, const struct field *field)
{
	return (const uint8_t *)play + field->offset;
}

static int64_t number_of(const uint8_t *bytes, enum shape shape)
{
	uint64_t number = 0;
	uint32_t small = 0;

	if (shape == BOOL || shape == U8)
		return *bytes;
	if (shape == U32) {
		memcpy(&small, bytes, sizeof(small));
		return small;
	}
	memcpy(&number, bytes, sizeof(number));
	return (int64_t)number;
}

static void hex_of(const uint8_t *bytes, size_t count, char out[PROOF_TEXT_MAX])
{
	size_t shown = count < (PROOF_TEXT_MAX - 4) / 2 ? count : (PROOF_TEXT_MAX - 4) / 2;

	for (size_t i = 0; i < shown; i++)
		(void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	(void)snprintf(out + 2 * shown, 4, "%s", shown < count ? ".." : "");
}

bool proof_differs(
	struct proof_difference *difference, const char *field, int64_t found, int64_t expected)
{
	(void)snprintf(difference->field, sizeof(difference->field), "%s", field);
	(void)snprintf(difference->found, sizeof(difference->found), "%" PRId64, found);
	(void)snprintf(difference->expected, sizeof(difference->expected), "%" PRId64, expected);
	return false;
}

static bool field_differs(struct proof_difference *difference, const struct field *field,
	const struct player_game *found, const struct player_game *expected)
{
	if (field->shape != BYTES)
		return proof_differs(difference, field->name,
			number_of(at(found, field), field->shape),
			number_of(at(expected, field), field->shape));
	(void)snprintf(difference->field, sizeof(difference->field), "%s", field->name);
	hex_of(at(found, field), field->size, difference->found);
	hex_of(at(expected, field), field->size, difference->expected);
	return false;
}

static bool gambles_equal(const struct play_round *found, const struct play_round *expected,
	struct proof_difference *difference)
{
	for (uint32_t i = 0; i < expected->gamble_count; i++) {
		const struct gamble_step *a = &found->gamble[i], *b = &expected->gamble[i];

		if (a->won != b->won)
			return proof_differs(difference, "gamble.won", a->won, b->won);
		if (a->card != b->card)
			return proof_differs(difference, "gamble.card", a->card, b->card);
		if (a->guess != b->guess)
			return proof_differs(difference, "gamble.guess", a->guess, b->guess);
		if (a->stake.minor != b->stake.minor)
			return proof_differs(
				difference, "gamble.stake", a->stake.minor, b->stake.minor);
		if (a->pending.minor != b->pending.minor)
			return proof_differs(
				difference, "gamble.pending", a->pending.minor, b->pending.minor);
	}
	return true;
}

static bool carried_equal(const struct carried *found, const struct carried *expected,
	struct proof_difference *difference)
{
	for (uint32_t i = 0; i < expected->count; i++)
		if (found->entry[i] != expected->entry[i])
			return proof_differs(difference, "carried", (int64_t)found->entry[i],
				(int64_t)expected->entry[i]);
	return true;
}

bool proof_state_equal(const struct player_game *found, const struct player_game *expected,
	struct proof_difference *difference_r)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].bond == FOLLOWS &&
			memcmp(at(found, &fields[i]), at(expected, &fields[i]), fields[i].size) !=
				0)
			return field_differs(difference_r, &fields[i], found, expected);
	return gambles_equal(&found->round, &expected->round, difference_r) &&
	       carried_equal(&found->state.carried, &expected->state.carried, difference_r);
}

/* Whether the moves of a kind come only after the whole round was shown. */
static bool shown_first(enum player_move kind)
{
	return kind == PLAYER_MOVE_BET || kind == PLAYER_MOVE_RELEASE ||
	       kind == PLAYER_MOVE_GAMBLE || kind == PLAYER_MOVE_HALVE ||
	       kind == PLAYER_MOVE_COLLECT;
}

void proof_state_watch(
	struct player_game *play, const struct player_game *recorded, enum player_move kind)
{
	bool same = recorded->round.move == play->round.move;
	bool open = same && player_round_open(recorded);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].bond == FREE || (fields[i].bond == FREE_IN_ROUND && same) ||
			(fields[i].bond == FREE_WHILE_OPEN && open))
			memcpy((uint8_t *)play + fields[i].offset, at(recorded, &fields[i]),
				fields[i].size);
	if (!same && play->round.cards.index != 0)
		play->round.cards.booked = true; /* else the bet would not have been allowed */
	if (player_round_open(play) && shown_first(kind)) {
		play->state.open.cursor = play->round.phases;
		play->state.open.picks = 0;
	}
}
