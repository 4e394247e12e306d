#include "services/spin-engine/test/player_world.h"

#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/adapters/fault.h"
#include "tests/support/game/game_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PLAYER INT64_C(0x0001000000000007)

static void open_account(struct world *world, struct player *player)
{
	struct player_fact fact = { .kind = PLAYER_MOVE_OPEN, .seq = 1, .currency = FIXTURE_EUR };
	struct player_record record = { .next = { { 1 }, 1 } };

	player_init(PLAYER, player);
	assert_int_equal(player_expect(player), 0);
	fact.balance_after = money_of(world->balance);
	assert_int_equal(player_adopt(player, NULL, &fact, &record), ADOPT_TAKEN);
	assert_int_equal(player_expect(player), 1);
}

void world_init(struct world *world, const char *const *windows, size_t count, int64_t balance)
{
	memset(world, 0, sizeof(*world));
	if (count > 0)
		fixture_windows(&world->game, windows, count);
	else
		world->game = *fixture_game();
	world->balance = world->deposited = balance;
	world->seq = 1;
	world->now_us = 1000000000;
	open_account(world, &world->player);
	open_account(world, &world->other);
	player_game_init(&world->game, &world->play);
	player_game_init(&world->game, &world->other_play);
}

struct player_command world_command(struct world *world, enum player_verb verb)
{
	struct player_command command = { .verb = verb,
		.expect = player_expect(&world->player),
		.has_request_id = true,
		.bet = { FIXTURE_EUR, 1, 1, 1, 0 },
		.nonce_length = PLAYER_NONCE_MIN,
		.round = world->play.round.move,
		.cursor = world->play.state.open.cursor,
		.autoplay = { .loss_limit_minor = -1, .single_win_minor = -1 } };

	world->requests++;
	memcpy(command.request_id, &world->requests, sizeof(world->requests));
	return command;
}

/* The round's game stream, and its gamble stream, by the move that opened it. */
static void stream_key(const struct world *world, uint64_t move, bool gamble, uint8_t *key)
{
	memset(key, gamble ? 0xaa : 0x55, PLAYER_KEY_BYTES);
	memcpy(key, &move, sizeof(move));
	key[31] = world->salt;
}

static void cards_key(const struct world *world, uint64_t move, uint8_t *key)
{
	stream_key(world, move, false, key);
	key[30] = 0xca;
}

static struct player_entropy entropy_for(struct world *world, const struct player_command *command)
{
	struct player_entropy entropy = { .next = { { (uint8_t)world->seq, 9 }, 1 } };
	bool bet = command->verb == VERB_BET;

	entropy.cards_open = entropy.cards_new = world->cards;
	cards_key(world, world->play.round.move, entropy.cards_key_open);
	cards_key(world, player_expect(&world->player), entropy.cards_key_new);
	stream_key(world, bet ? player_expect(&world->player) : world->play.round.move,
		command->verb == VERB_GAMBLE, entropy.round_key);
	if (bet) {
		entropy.forced_count = world->forced_count;
		memcpy(entropy.forced, world->forced, sizeof(entropy.forced));
	}
	return entropy;
}

uint32_t world_guess(struct world *world, bool win)
{
	uint8_t key[PLAYER_KEY_BYTES];
	struct gamble_card card = { .won = false };
	struct rng rng;

	stream_key(world, world->play.round.move, true, key);
	rng_init(&rng, key);
	for (uint32_t i = 0; i <= world->play.state.open.gamble_attempts; i++)
		assert_int_equal(gamble_draw(&world->game, &rng, GUESS_RED, &card), GAMBLE_OK);
	return card.won == win ? GUESS_RED : GUESS_BLACK;
}

/* ---- the wallet ---- */

static uint32_t judge(const struct world *world, const struct player_proposal *p)
{
	if (world->refuse_next)
		return world->refuse_next;
	if (p->kind != PLAYER_MOVE_SETTING && p->pending_before.minor != world->pending)
		return 5;
	if (p->kind != PLAYER_MOVE_VOID && p->stake.minor > world->balance + p->release.minor)
		return 1;
	return 0;
}

static void settle(struct world *world, const struct player_proposal *p)
{
	assert_true(p->release.minor + p->forfeit.minor <= world->pending);
	world->pending += p->win_pending.minor - p->release.minor - p->forfeit.minor;
	world->balance += p->release.minor - p->stake.minor + p->win_balance.minor;
	world->staked += p->stake.minor;
	world->won += p->win_balance.minor + p->win_pending.minor;
	world->forfeited += p->forfeit.minor;
}

/* As they are kept: bytes between the members of a struct say nothing. */
static void same_game(const struct player_game *found, const struct player_game *expected)
{
	uint8_t bytes[2][STATE_BYTES_MAX];
	size_t length = player_game_encode(expected, bytes[0]);

	assert_int_equal(player_game_encode(found, bytes[1]), length);
	assert_memory_equal(bytes[1], bytes[0], length);
}

/* Both engines get the row as bytes; the second one late and twice. */
static uint32_t book(
	struct world *world, const struct player_command *command, const struct player_proposal *p)
{
	struct player_record record = {
		.next = p->next, .collected = p->collected, .has_game = p->has_game
	};
	struct player_record read;
	struct player_fact fact = { .kind = p->kind,
		.seq = ++world->seq,
		.move = p->move,
		.round = p->round,
		.game = p->game,
		.currency = FIXTURE_EUR };
	uint8_t bytes[RECORD_BYTES_MAX];
	size_t length;

	assert_int_equal(p->move, player_expect(&world->player));
	memcpy(record.content_hash, command->content_hash, sizeof(record.content_hash));
	memcpy(fact.request_id, command->request_id, sizeof(fact.request_id));
	fact.bonus = p->bonus;
	memcpy(fact.bonus_spin, p->bonus_spin, sizeof(fact.bonus_spin));
	record.game = p->after;
	record.game.move = p->move;
	length = record_encode(&record, bytes);
	fact.refusal = judge(world, p);
	world->refuse_next = 0;
	if (fact.refusal == 0)
		settle(world, p);
	fact.balance_after = money_of(world->balance);
	assert_int_equal(record_decode(bytes, length, &read), CODEC_OK);
	assert_int_equal(player_adopt(&world->player, &world->play, &fact, &read), ADOPT_TAKEN);
	assert_int_equal(
		player_adopt(&world->other, &world->other_play, &fact, &read), ADOPT_TAKEN);
	assert_int_equal(
		player_adopt(&world->other, &world->other_play, &fact, &read), ADOPT_KNOWN);
	if (fact.refusal == 0 && p->has_game) {
		struct player_game proposed = p->after;

		proposed.move = p->move;
		proposed.version = world->play.version;
		same_game(&world->play, &proposed);
	}
	return fact.refusal;
}

/* ---- one command ---- */

static const char *const kinds[] = { "none", "open", "bet", "release", "gamble", "halve", "collect",
	"void", "setting" };

static void put_fault(const struct player_error *error, char *out, size_t room)
{
	struct fault fault;

	fault_of_error(error, &fault);
	assert_true(fault.http >= 400);
	snprintf(out, room, "%" PRIu32 " %s", fault.http, fault.code);
}

static void put_booked(struct world *world, const struct player_command *command,
	const struct player_proposal *p, char *out, size_t room)
{
	struct fault fault;
	uint32_t refusal = book(world, command, p);
	int n;

	if (refusal) {
		fault_of_refusal(refusal, &fault);
		snprintf(out, room, "%" PRIu32 " %s spent", fault.http, fault.code);
		return;
	}
	n = snprintf(out, room, "%s", kinds[p->kind]);
	if (p->release.minor)
		n += snprintf(out + n, room - (size_t)n, " release %" PRId64, p->release.minor);
	if (p->stake.minor)
		n += snprintf(out + n, room - (size_t)n, " stake %" PRId64, p->stake.minor);
	if (p->win_balance.minor || p->win_pending.minor)
		n += snprintf(out + n, room - (size_t)n, " win %" PRId64 "+%" PRId64,
			p->win_balance.minor, p->win_pending.minor);
	if (p->forfeit.minor)
		n += snprintf(out + n, room - (size_t)n, " forfeit %" PRId64, p->forfeit.minor);
	if (p->claim_count)
		n += snprintf(out + n, room - (size_t)n, " claims %" PRIu32, p->claim_count);
	snprintf(out + n, room - (size_t)n, "%s",
		player_feature_open(&world->play) ? " watch"
		: player_round_open(&world->play) ? " open"
						  : "");
}

static void put_cursor(struct world *world, char *out, size_t room)
{
	world->other_play.state =
		world->play.state; /* cursors reach the other engine by the checkpoint */
	world->other_play.round = world->play.round;
	world->other_play.version = world->play.version;
	snprintf(out, room, "cursor %" PRIu32 "/%" PRIu32 " picks %u",
		world->play.state.open.cursor, world->play.round.phases,
		(unsigned)world->play.state.open.picks);
}

void world_do(struct world *world, const struct player_command *command, char *out, size_t room)
{
	struct player_entropy entropy = entropy_for(world, command);
	struct player_proposal proposal;
	struct player_error error;
	uint32_t from;
	enum player_outcome outcome = player_check(
		&world->player, &world->play, &world->game, command, world->now_us, &error);

	world->now_us += 10000000;
	if (outcome == PLAYER_STEP)
		outcome = player_step(&world->player, &world->play, &world->game, command, &entropy,
			&from, &proposal, &error);
	else if (outcome == PLAYER_PROPOSE) {
		enum player_refusal refusal = player_propose(&world->player, &world->play,
			&world->game, command, &entropy, world->now_us, &proposal);

		error = (struct player_error){ .refusal = refusal, .min = 1 };
		outcome = refusal == REFUSED_NOTHING ? PLAYER_PROPOSE : PLAYER_REFUSE;
	}
	if (outcome == PLAYER_PROPOSE)
		put_booked(world, command, &proposal, out, room);
	else if (outcome == PLAYER_REFUSE)
		put_fault(&error, out, room);
	else if (outcome == PLAYER_WAIT)
		snprintf(out, room, "wait");
	else if (outcome == PLAYER_STORED)
		snprintf(out, room, "stored");
	else
		put_cursor(world, out, room);
}

void world_check(const struct world *world)
{
	assert_int_equal(world->player.balance.minor, world->balance);
	assert_int_equal(player_pending(&world->play).minor, world->pending);
	assert_true(world->balance >= 0 && world->pending >= 0);
	assert_int_equal(world->balance + world->pending,
		world->deposited - world->staked + world->won - world->forfeited);
	assert_memory_equal(&world->player, &world->other, sizeof(world->player));
	assert_memory_equal(&world->play, &world->other_play, sizeof(world->play));
	if (!player_round_open(&world->play))
		assert_int_equal(world->pending, 0);
}

void assert_same_bonus_spins(
	const struct player_bonus_spins *found, const struct player_bonus_spins *expected)
{
	for (uint32_t i = 0; i < PLAYER_BONUS_SPINS_MAX; i++) {
		assert_memory_equal(found[i].id, expected[i].id, sizeof(found[i].id));
		assert_int_equal(found[i].game, expected[i].game);
		assert_int_equal(found[i].lines, expected[i].lines);
		assert_int_equal(found[i].coins, expected[i].coins);
		assert_int_equal(found[i].spins, expected[i].spins);
		assert_int_equal(found[i].used, expected[i].used);
		assert_true(found[i].coin_minor == expected[i].coin_minor);
		assert_true(found[i].expires_us == expected[i].expires_us);
	}
}
