/* fair-rounds SEED ROUNDS [--demo]: plays rounds of every game in every mode as the engine does
 * (--demo: of the demo definitions, and rounds that win the progressive), and prints what the API
 * answers for each: `{"carillon_round":1,"promised":..,"answer":..}`, one a line. The screens are
 * the engine's own view of the round (services/spin-engine/adapters/view.h), the JSON the
 * gateway's. tests/tools/fair.py lets slotmath and the page's module check them. */
#include "libcommon/game/gamble.h"
#include "libcommon/io/log.h"
#include "services/gateway/adapters/json_out.h"
#include "services/spin-engine/adapters/cards.h"
#include "services/spin-engine/adapters/view.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAYER 17
#define EUR 978
#define GAMBLES 6
#define PAID_MINOR 123456
#define JACKPOT_TRIES 1000000

static struct arena arena;
static struct rng source;

static bool pick_bet(const struct game *game, uint32_t mode, struct bet *bet_r)
{
	const struct game_currency *currency = game_currency(game, EUR);
	struct bet_error error;
	struct money stake;

	for (int tries = 0; tries < 100; tries++) {
		*bet_r = (struct bet){ .currency = EUR,
			.coin_minor =
				currency->coin_minor[rng_below(&source, currency->coin_count)],
			.lines = game->lines_min +
				 rng_below(&source, game->lines_max - game->lines_min + 1),
			.coins = game->coins_min +
				 rng_below(&source, game->coins_max - game->coins_min + 1),
			.mode = mode };
		if (rng_below(&source, 3) == 0) { /* the bet that may win the jackpot */
			bet_r->lines = game->lines_max;
			bet_r->coins = game->coins_max;
		}
		if (bet_check(game, bet_r, &stake, &error) == BET_OK)
			return true;
	}
	return false;
}

/* Any state that a round may begin with: up to two collectibles, any number of features open. */
static void pick_state(const struct game *game, struct round_state *state_r)
{
	*state_r = (struct round_state){ .unlocked = 0 };
	if (!game->unlock.offered)
		return;
	for (uint32_t i = rng_below(&source, 3); i > 0; i--)
		state_r->collectibles[rng_below(&source, GAME_COLOURS)]++;
	state_r->unlocked = (uint8_t)rng_below(&source, game->unlock.step_count);
}

static void stream_of(const struct keys *keys, const struct play_round *round, const char *purpose,
	uint8_t key_r[PLAYER_KEY_BYTES])
{
	uint8_t secret[SECRET_BYTES];

	if (!keys_secret(keys, PLAYER, round->move, &round->salt, secret))
		fatal("no key");
	keys_stream(secret, round->nonce, round->nonce_length, purpose, key_r);
}

static void gamble(const struct game *game, const struct keys *keys, struct play_round *round,
	struct money stake)
{
	uint8_t key[PLAYER_KEY_BYTES];
	struct gamble_card card;
	struct rng rng;

	stream_of(keys, round, "gamble", key);
	rng_init(&rng, key);
	while (stake.minor > 0 && round->gamble_count < GAMBLES && rng_below(&source, 6) > 0) {
		struct gamble_step *step = &round->gamble[round->gamble_count];

		step->guess = (uint8_t)rng_below(&source, 2);
		if (gamble_draw(game, &rng, step->guess, &card) != GAMBLE_OK)
			return;
		round->gamble_count++;
		step->stake = stake;
		step->card = card.card;
		step->won = card.won;
		if (gamble_settle(stake, card.won, &step->pending) != GAMBLE_OK)
			fatal("a gamble overflows");
		stake = step->pending;
		if (game->gamble.halve && stake.minor > 1 && rng_below(&source, 3) == 0)
			stake.minor -= stake.minor / 2;
	}
}

/* Plays the round that `play` describes, and fills in what it became. */
static bool play_one(const struct game *game, const struct keys *keys, struct player_game *play)
{
	struct play_round *round = &play->round;
	uint8_t key[PLAYER_KEY_BYTES];
	struct round_sum sum;
	struct phase phase;
	struct rng rng;

	stream_of(keys, round, "game", key);
	rng_init(&rng, key);
	if (round_play(game, &round->bet, &round->before, &rng, &phase, &sum) != ROUND_DONE)
		return false;
	memcpy(round->digest, sum.digest, sizeof(round->digest));
	memcpy(round->math_version, game->digest, sizeof(round->math_version));
	round->stake = sum.stake;
	round->phases = sum.phases;
	round->claims = sum.jackpot_hits;
	round->closed_by = round->move + 1;
	gamble(game, keys, round, gamble_stake_of(game, sum.win_base_lines, sum.win_total));
	if (game->cards.eligible) {
		const struct cards_odds odds = { 1, 1, 7 * (uint64_t)sum.stake.minor };

		stream_of(keys, round, "cards", key);
		round->cards.draw = cards_draw(&odds, sum.stake, key, NULL);
		round->cards.index = cards_triggered(&round->cards.draw) ? 1 : 0;
	}
	return sum.jackpot_hits <= PLAYER_CLAIMS_MAX;
}

static void print_round(
	const struct view_sources *sources, const struct player *player, struct player_game *play)
{
	struct json_out out = { 0 };
	Carillon__RoundView *view;
	uint8_t secret[SECRET_BYTES], hash[SECRET_BYTES];
	enum view_status status = view_round(sources, player, play, 0, VIEW_PHASES_MAX, &view);

	if (status != VIEW_OK)
		fatal("round %" PRIu64 ": %s", play->round.move, view_status_text(status));
	if (!keys_secret(sources->keys, PLAYER, play->round.move, &play->round.salt, secret))
		fatal("no key");
	keys_secret_hash(secret, hash);
	out_begin(&out);
	out_open(&out, NULL, '{');
	out_int(&out, "carillon_round", 1);
	out_hex(&out, "promised", hash, sizeof(hash));
	out_open(&out, "answer", '{');
	out_string(&out, "currency", "EUR");
	out_message(&out, "round", &view->base);
	out_close(&out, '}');
	out_close(&out, '}');
	printf("%.*s\n", (int)out.n, out.bytes);
	out_free(&out);
}

static void play_game(
	struct games *games, const struct keys *keys, const struct game *game, uint32_t rounds)
{
	struct view_sources sources = { .arena = &arena, .keys = keys, .games = games };

	for (uint32_t i = 0; i < rounds; i++) {
		static struct player player;
		static struct player_game play;
		struct player_award award = { .pool = game->jackpot.pool,
			.paid = money_of(PAID_MINOR) };

		memset(&player, 0, sizeof(player));
		memset(&play, 0, sizeof(play));
		player.id = PLAYER;
		play.state.game = game->number;
		play.round.move = award.move = i + 1;
		play.round.salt.key = keys_current(keys);
		rng_bytes(&source, play.round.salt.bytes, PLAYER_SALT_BYTES);
		play.round.nonce_length =
			PLAYER_NONCE_MIN +
			rng_below(&source, PLAYER_NONCE_MAX - PLAYER_NONCE_MIN + 1);
		rng_bytes(&source, play.round.nonce, play.round.nonce_length);
		pick_state(game, &play.round.before);
		if (!pick_bet(game, i % game->mode_count, &play.round.bet) ||
			!play_one(game, keys, &play))
			continue;
		for (award.index = 1; award.index <= play.round.claims; award.index++)
			player_award(&player, &award);
		print_round(&sources, &player, &play);
		arena_reset(&arena);
	}
}

/* Looks for rounds that win the progressive: at the largest bet, until one does or the tries are
 * spent. */
static void play_jackpots(
	struct games *games, const struct keys *keys, const struct game *game, uint32_t tries)
{
	struct view_sources sources = { .arena = &arena, .keys = keys, .games = games };
	static struct player player;
	static struct player_game play;
	struct player_award award = { .pool = game->jackpot.pool, .paid = money_of(PAID_MINOR) };
	const struct game_currency *currency = game_currency(game, EUR);

	while (game->jackpot.pool != 0 && tries-- > 0) {
		memset(&play, 0, sizeof(play));
		play.state.game = game->number;
		play.round.move = award.move = tries + 1;
		play.round.salt.key = keys_current(keys);
		play.round.nonce_length = PLAYER_NONCE_MIN;
		rng_bytes(&source, play.round.nonce, play.round.nonce_length);
		play.round.bet = (struct bet){ .currency = EUR,
			.coin_minor = currency->coin_minor[0],
			.lines = game->lines_max,
			.coins = game->coins_max };
		if (!play_one(game, keys, &play) || play.round.claims == 0)
			continue;
		memset(&player, 0, sizeof(player));
		player.id = PLAYER;
		for (award.index = 1; award.index <= play.round.claims; award.index++)
			player_award(&player, &award);
		print_round(&sources, &player, &play);
		arena_reset(&arena);
		return;
	}
}

int main(int argc, char **argv)
{
	static const uint8_t service_key[SECRET_BYTES] = { 0x5e, 0xc2 };
	uint8_t seed[RNG_KEY_BYTES] = { 0 };
	struct games *games;
	struct keys *keys;

	if (argc < 3 || sodium_init() < 0)
		fatal("expected fair-rounds SEED ROUNDS [--demo]");
	log_open("fair-rounds", "", LOG_ERROR);
	keys = keys_of(service_key);
	snprintf((char *)seed, sizeof(seed), "%.20s", argv[1]);
	rng_init(&source, seed);
	games = games_load("services/spin-engine/games", argc > 3, true);
	for (size_t i = 0; i < games_count(games); i++)
		play_game(games, keys, games_at(games, i),
			(uint32_t)strtoul(argv[2], NULL, 10) / (uint32_t)games_count(games));
	for (size_t i = 0; argc > 3 && i < games_count(games); i++)
		play_jackpots(games, keys, games_at(games, i), JACKPOT_TRIES);
	games_free(&games);
	keys_free(&keys);
	return 0;
}
