#include "services/spin-engine/test/proof_world.h"

#include "libcommon/game/definition_load.h"
#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/adapters/proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EUR 978u

static uint32_t chance(struct proof_world *world, uint32_t below)
{
	world->random = world->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(world->random >> 33) % below;
}

/* ---- booking ---- */

static void claims_book(struct booked *row, const struct player_proposal *proposal)
{
	row->fact.n_claims = proposal->claim_count;
	for (uint32_t i = 0; i < proposal->claim_count; i++) {
		carillon__claim__init(&row->claim[i]);
		row->claim[i].index = proposal->claim[i].index;
		row->claim[i].pool = proposal->claim[i].pool;
		row->claim[i].kind = proposal->claim[i].cards ? CARILLON__CLAIM_KIND__CLAIM_CARDS
							      : CARILLON__CLAIM_KIND__CLAIM_HIT;
		row->claim[i].coin_minor = proposal->claim[i].coin_minor;
		row->claim[i].stake_minor = proposal->claim[i].stake.minor;
		row->claims[i] = &row->claim[i];
	}
}

static void book(
	struct proof_world *world, const struct player_proposal *proposal, uint32_t refusal)
{
	struct booked *row = &world->row[world->count];
	struct player_fact fact = { .kind = proposal->kind,
		.seq = ++world->count,
		.move = proposal->move,
		.round = proposal->round,
		.game = proposal->game,
		.refusal = refusal,
		.currency = EUR };

	assert_true(world->count < PROOF_ROWS_MAX);
	carillon__wallet_fact__init(&row->fact);
	carillon__envelope__init(&row->envelope);
	row->envelope.seq = fact.seq;
	row->fact.player = PROOF_PLAYER;
	row->fact.kind = (Carillon__MoveKind)proposal->kind;
	row->fact.move = proposal->move;
	row->fact.round = proposal->round;
	row->fact.game = proposal->game;
	row->fact.refusal = (Carillon__Refusal)refusal;
	row->fact.currency = EUR;
	row->fact.release = proposal->release.minor;
	row->fact.stake = proposal->stake.minor;
	row->fact.win_balance = proposal->win_balance.minor;
	row->fact.win_pending = proposal->win_pending.minor;
	row->fact.forfeit = proposal->forfeit.minor;
	if (refusal == 0)
		claims_book(row, proposal);
	row->record = (struct player_record){ .next = proposal->next,
		.collected = proposal->collected,
		.has_game = proposal->has_game };
	row->record.game = proposal->after;
	row->record.game.move = proposal->move;
	player_adopt(&world->player, refusal == 0 ? &world->play : NULL, &fact, &row->record);
	row->fact.pending_after = player_pending(&world->play).minor;
	world->play.round.cards.booked = world->play.round.cards.index != 0;
}

/* ---- playing ---- */

static void keys_of_round(const struct proof_world *world, const struct play_round *round,
	uint64_t move, const struct player_salt *salt, const char *purpose, uint8_t *key)
{
	uint8_t secret[SECRET_BYTES];

	assert_true(keys_secret(world->keys, PROOF_PLAYER, move, salt, secret));
	keys_stream(secret, round->nonce, round->nonce_length, purpose, key);
}

static struct player_entropy entropy_of(
	struct proof_world *world, const struct player_command *command)
{
	struct player_entropy entropy = { .next = { { (uint8_t)world->count, 3 }, 1 } };
	const struct play_round *open = &world->play.round;
	struct play_round opened = { .nonce_length = command->nonce_length };

	memcpy(opened.nonce, command->nonce, sizeof(opened.nonce));
	entropy.cards_open = entropy.cards_new = world->cards;
	if (player_round_open(&world->play)) {
		keys_of_round(world, open, open->move, &open->salt,
			command->verb == VERB_GAMBLE ? "gamble" : "game", entropy.round_key);
		keys_of_round(
			world, open, open->move, &open->salt, "cards", entropy.cards_key_open);
	}
	if (command->verb == VERB_BET) {
		keys_of_round(world, &opened, player_expect(&world->player), &world->player.salt,
			"game", entropy.round_key);
		keys_of_round(world, &opened, player_expect(&world->player), &world->player.salt,
			"cards", entropy.cards_key_new);
	}
	return entropy;
}

/* Proposes a command that the state allows; false: it does not. */
static bool act(struct proof_world *world, struct player_command *command, uint32_t refusal)
{
	struct player_entropy entropy = entropy_of(world, command);
	struct player_proposal proposal;
	struct player_error error;

	command->expect = player_expect(&world->player);
	command->round = world->play.round.move;
	world->now_us += 5000000;
	if (player_check(&world->player, &world->play, &world->game, command, world->now_us,
		    &error) != PLAYER_PROPOSE)
		return false;
	assert_int_equal(player_propose(&world->player, &world->play, &world->game, command,
				 &entropy, world->now_us, &proposal),
		REFUSED_NOTHING);
	book(world, &proposal, refusal);
	return true;
}

/* Watches a feature to its end, picking the first vials. */
static void watch(struct proof_world *world)
{
	while (player_feature_open(&world->play)) {
		struct player_command command = { .verb = VERB_NEXT,
			.round = world->play.round.move };
		struct player_entropy entropy = entropy_of(world, &command);
		struct player_proposal proposal;
		struct player_error error;
		struct phase phase;
		uint32_t from;

		assert_true(
			player_next_phase(&world->play, &world->game, entropy.round_key, &phase));
		command.verb = phase.needs_player == NEEDS_PICKS ? VERB_PICK : VERB_NEXT;
		command.choice = world->play.state.open.picks;
		command.cursor = world->play.state.open.cursor;
		if (player_step(&world->player, &world->play, &world->game, &command, &entropy,
			    &from, &proposal, &error) == PLAYER_PROPOSE) {
			book(world, &proposal, 0);
			world->play.state.open.cursor =
				player_round_open(&world->play) ? world->play.round.phases : 0;
		}
	}
}

static void bet(struct proof_world *world)
{
	struct player_command command = { .verb = VERB_BET, .nonce_length = PLAYER_NONCE_MIN };
	const struct game *game = &world->game;
	struct money stake;
	struct bet_error error;

	command.bet = (struct bet){ EUR, game->currency[0].coin_minor[0], game->lines_max, 1, 0 };
	command.bet.mode = chance(world, 4) == 0 ? chance(world, game->mode_count) : 0;
	if (bet_check(game, &command.bet, &stake, &error) != BET_OK)
		command.bet.mode = 0;
	for (uint32_t i = 0; i < PLAYER_NONCE_MIN; i++)
		command.nonce[i] = (uint8_t)chance(world, 256);
	command.autospin = autoplay_running(&world->play.state.autoplay) && command.bet.mode == 0 &&
			   !game->mode[0].one_spin;
	memcpy(command.autoplay_id, world->play.state.autoplay.id, sizeof(command.autoplay_id));
	if (chance(world, 20) == 0)
		(void)act(world, &command, 1); /* REFUSAL_FUNDS */
	if (!act(world, &command, 0) && command.autospin) {
		command.autospin = false;
		(void)act(world, &command, 0);
	}
	watch(world);
}

static void after_bet(struct proof_world *world)
{
	struct player_command command = { .verb = VERB_GAMBLE };

	for (uint32_t i = 0; i < 3 && chance(world, 2) == 0; i++) {
		command.verb = chance(world, 3) == 0 ? VERB_HALVE : VERB_GAMBLE;
		command.choice = chance(world, 2);
		(void)act(world, &command, 0);
	}
	command.verb = VERB_COLLECT;
	if (chance(world, 2) == 0)
		(void)act(world, &command, 0);
	command.verb = VERB_VOID;
	if (chance(world, 25) == 0)
		(void)act(world, &command, 0);
	command.verb = VERB_AUTOPLAY;
	command.autoplay =
		(struct autoplay_settings){ { (uint8_t)world->count }, 0, -1, -1, false, false };
	command.autoplay.spins = autoplay_running(&world->play.state.autoplay) ? 0 : 25;
	if (chance(world, 10) == 0)
		(void)act(world, &command, 0);
}

void proof_world_play(struct proof_world *world, uint32_t bets)
{
	for (uint32_t i = 0; i < bets; i++) {
		bet(world);
		after_bet(world);
	}
}

void proof_world_init(struct proof_world *world, const char *id)
{
	static const uint8_t key[SECRET_BYTES] = { 7, 7, 7 };
	char path[200], error[DEFINITION_ERROR_MAX];
	struct player_proposal open = { .kind = PLAYER_MOVE_OPEN, .currency = EUR };

	memset(world, 0, sizeof(*world));
	(void)snprintf(path, sizeof(path), PROOF_GAMES "/%s/definition.json", id);
	assert_int_equal(definition_load_flags(path, DEFINITION_UNPROVEN | DEFINITION_SIMULATED,
				 &world->game, error),
		DEFINITION_OK);
	world->keys = keys_of(key);
	world->now_us = 1000000000000;
	player_init(PROOF_PLAYER, &world->player);
	player_game_init(&world->game, &world->play);
	open.next = (struct player_salt){ { 1 }, 1 };
	book(world, &open, 0);
}

void proof_world_free(struct proof_world *world)
{
	definition_free(&world->game);
	keys_free(&world->keys);
}

/* ---- proving ---- */

size_t proof_world_message(const struct booked *booked, uint8_t *out)
{
	struct booked row = *booked;
	uint8_t record[RECORD_BYTES_MAX];
	Carillon__ProofInput input = CARILLON__PROOF_INPUT__INIT;
	Carillon__ProofMove move = CARILLON__PROOF_MOVE__INIT;

	for (size_t i = 0; i < PLAYER_CLAIMS_MAX + 1; i++)
		row.claims[i] = &row.claim[i];
	row.fact.claims = row.claims;
	row.fact.envelope = &row.envelope;
	row.fact.record.len = record_encode(&row.record, record);
	row.fact.record.data = record;
	move.row = &row.fact;
	move.proven = row.proven;
	move.odds_known = row.odds_known;
	move.time_us = row.time_us;
	move.void_awards = row.void_awards;
	input.body_case = CARILLON__PROOF_INPUT__BODY_MOVE;
	input.move = &move;
	return carillon__proof_input__pack(&input, out);
}

/* The odds that the world played with, among others. */
static void send_odds(struct proving *proving, const struct proof_world *world, uint8_t *bytes)
{
	const struct cards_odds *cards = &world->cards;
	Carillon__ProofInput input = CARILLON__PROOF_INPUT__INIT;
	Carillon__ProofOdds odds = CARILLON__PROOF_ODDS__INIT;
	char error[PROVING_ERROR_MAX];

	odds.pool = cards->pool;
	odds.currency = EUR;
	odds.in = 3;
	odds.of = 7777777;
	input.body_case = CARILLON__PROOF_INPUT__BODY_ODDS;
	input.odds = &odds;
	for (int i = 0; i < 2; i++) {
		assert_true(proving_take(
			proving, bytes, carillon__proof_input__pack(&input, bytes), error));
		odds.in = cards->in;
		odds.of = cards->of;
		odds.from_us = world->cards_from_us;
		odds.until_us = world->cards_until_us;
	}
}

uint64_t proof_world_prove(struct proof_world *world, size_t first, char **text_r)
{
	size_t length;
	FILE *out = open_memstream(text_r, &length);
	struct proving *proving = proving_new(world->keys, out);
	char error[PROVING_ERROR_MAX];
	uint64_t differing;
	uint8_t bytes[4096];

	assert_true(proving_trust(proving, PROOF_GAMES, error));
	send_odds(proving, world, bytes);
	for (size_t i = first; i < world->count; i++)
		assert_true(proving_take(
			proving, bytes, proof_world_message(&world->row[i], bytes), error));
	differing = proving_counts(proving).differing;
	proving_free(&proving);
	(void)fclose(out);
	return differing;
}

size_t proof_world_find(const struct proof_world *world, enum player_move kind, uint32_t n)
{
	for (size_t i = 0; i < world->count; i++)
		if ((int)world->row[i].fact.kind == (int)kind && world->row[i].fact.refusal == 0 &&
			n-- == 0)
			return i;
	fail_msg("no row of kind %d", (int)kind);
	return 0;
}
