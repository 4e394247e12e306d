/* Plays a proof's round and compares it with what the file says. */
#include "libcommon/fair/private/json_same.h"
#include "libcommon/fair/private/phase_json.h"
#include "libcommon/fair/private/text_out.h"
#include "libcommon/fair/round_proof.h"

#include "libcommon/base/hex.h"
#include "libcommon/game/gamble.h"
#include "libcommon/jackpot/cards_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLLECTED_MAX 2
#define SHOWN_MAX 512 /* the API shows so many phases of one round at once */
#define HEX_TEXT (2 * ROUND_PROOF_HASH_BYTES + 1)

_Static_assert(HEX_TEXT <= JSON_SHORT_MAX, "a hash fits a difference");

struct checking {
	const struct round_proof *proof;
	const struct game *game;
	struct bet bet;
	struct money total;		      /* the total bet */
	struct round_sum sum;		      /* as played */
	struct text_out phases;		      /* as played, a JSON list */
	struct text_out checks;		      /* the list of the report */
	uint8_t hash[ROUND_PROOF_HASH_BYTES]; /* of the secret */
	bool differs;
};

/* ---- the list of checks ---- */

static void add_check(struct checking *checking, const char *what, const char *state)
{
	text_open(&checking->checks, NULL, '{');
	text_string(&checking->checks, "what", what);
	text_string(&checking->checks, "state", state);
	text_close(&checking->checks, '}');
}

static void add_result(struct checking *checking, const char *what, bool agrees,
	const struct json_difference *difference)
{
	if (agrees) {
		add_check(checking, what, "agrees");
		return;
	}
	checking->differs = true;
	text_open(&checking->checks, NULL, '{');
	text_string(&checking->checks, "what", what);
	text_string(&checking->checks, "state", "differs");
	text_string(&checking->checks, "where", difference->where);
	text_string(&checking->checks, "found", difference->found);
	text_string(&checking->checks, "expected", difference->expected);
	text_close(&checking->checks, '}');
}

static void add_hash(struct checking *checking, const char *what, const char *where, bool given,
	const uint8_t *found, const uint8_t *expected)
{
	struct json_difference difference;

	if (!given) {
		add_check(checking, what, "missing");
		return;
	}
	snprintf(difference.where, sizeof(difference.where), "%s", where);
	hex_format(found, ROUND_PROOF_HASH_BYTES, difference.found);
	hex_format(expected, ROUND_PROOF_HASH_BYTES, difference.expected);
	add_result(
		checking, what, memcmp(found, expected, ROUND_PROOF_HASH_BYTES) == 0, &difference);
}

static bool number_differs(const json_t *object, const char *at, const char *key, int64_t expected,
	struct json_difference *difference_r)
{
	snprintf(difference_r->where, JSON_WHERE_MAX, "%.60s/%s", at, key);
	json_short(json_object_get(object, key), difference_r->found);
	snprintf(difference_r->expected, JSON_SHORT_MAX, "%" PRId64, expected);
	return false;
}

/* Is a number of the shown round what it should be? Else *difference_r. */
static bool number_same(const json_t *object, const char *at, const char *key, int64_t expected,
	struct json_difference *difference_r)
{
	const json_t *value = json_object_get(object, key);

	return (json_is_integer(value) && json_integer_value(value) == expected) ||
	       number_differs(object, at, key, expected, difference_r);
}

static bool flag_same(const json_t *object, const char *at, const char *key, bool expected,
	struct json_difference *difference_r)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_boolean(value) && json_is_true(value) == expected)
		return true;
	snprintf(difference_r->where, JSON_WHERE_MAX, "%.60s/%s", at, key);
	json_short(value, difference_r->found);
	snprintf(difference_r->expected, JSON_SHORT_MAX, "%s", expected ? "true" : "false");
	return false;
}

/* ---- the play ---- */

/* HMAC-SHA-256 under the secret, over the player's nonce and the purpose. */
static void stream_key(
	const struct round_proof *proof, const char *purpose, uint8_t key_r[RNG_KEY_BYTES])
{
	struct hmac256 hmac;

	hmac256_key(&hmac, proof->secret);
	hmac256(&hmac, proof->nonce, proof->nonce_length, purpose, strlen(purpose), key_r);
}

/* What the pool paid is the pool's to say: the shown round lists it by the hit's number. */
static int64_t paid_of(const struct checking *checking, uint32_t claim_index)
{
	const json_t *jackpots = json_object_get(checking->proof->shown, "jackpots");

	for (size_t i = 0; i < json_array_size(jackpots); i++) {
		const json_t *jackpot = json_array_get(jackpots, i);

		if (json_integer_value(json_object_get(jackpot, "index")) == claim_index)
			return json_integer_value(json_object_get(jackpot, "paid_minor"));
	}
	return 0;
}

static enum round_proof_status play(struct checking *checking)
{
	struct round_summing summing;
	uint8_t key[RNG_KEY_BYTES];
	struct round round;
	struct phase phase;
	struct rng rng;
	enum round_status status;

	stream_key(checking->proof, "game", key);
	rng_init(&rng, key);
	if (round_begin(checking->game, &checking->bet, &checking->proof->state, &rng, &round) !=
		ROUND_OK)
		return ROUND_PROOF_NO_BET;
	round_sum_begin(&summing, round.stake);
	text_open(&checking->phases, NULL, '[');
	while ((status = round_next(&round, &phase)) == ROUND_OK) {
		if (!round_sum_add(&summing, &phase))
			return ROUND_PROOF_NO_BET;
		phase_json(&checking->phases, checking->game, checking->total, &phase,
			paid_of(checking, phase.claim_index));
	}
	text_close(&checking->phases, ']');
	round_sum_end(&summing, &checking->sum);
	return status == ROUND_DONE ? ROUND_PROOF_AGREES : ROUND_PROOF_NO_BET;
}

/* ---- what was shown ---- */

/* Are the phases in a row up to the last one, or as many as one answer shows? */
static bool phases_whole(const struct checking *checking, const json_t *phases, uint64_t from,
	struct json_difference *difference_r)
{
	const json_t *shown = checking->proof->shown;
	uint64_t count = json_array_size(phases);

	if (!number_same(shown, "", "cursor", checking->sum.phases, difference_r))
		return false;
	if (from + count == checking->sum.phases ||
		(count == SHOWN_MAX && from == 0 && checking->sum.phases >= SHOWN_MAX))
		return true;
	snprintf(difference_r->where, JSON_WHERE_MAX, "/phases");
	json_short(phases, difference_r->found);
	snprintf(difference_r->expected, JSON_SHORT_MAX, "a list of %" PRIu64,
		checking->sum.phases - from);
	return false;
}

static void check_screens(struct checking *checking, const json_t *played)
{
	const json_t *shown = checking->proof->shown;
	const json_t *phases = json_object_get(shown, "phases");
	int64_t from = json_integer_value(json_object_get(shown, "phase_from"));
	struct json_difference difference = { .where = "" };
	bool same;

	if (from < 0 || from > checking->sum.phases)
		from = 0;
	same = phases_whole(checking, phases, (uint64_t)from, &difference);
	for (size_t i = 0; same && i < json_array_size(phases); i++) {
		snprintf(difference.where, JSON_WHERE_MAX, "/phases/%zu", i);
		same = json_same(json_array_get(phases, i),
			json_array_get(played, (size_t)from + i), &difference);
	}
	add_result(checking, "screens", same, &difference);
}

/* What the player gambles first is theirs to choose, by halving: no more than the round won. Later
 * they gamble no more than the last attempt left. */
static bool gamble_same(const struct checking *checking, const json_t *step, uint32_t attempt,
	int64_t most, int64_t *pending_r, struct json_difference *difference_r)
{
	int64_t stake = json_integer_value(json_object_get(step, "stake_minor"));
	uint32_t guess = (uint32_t)json_integer_value(json_object_get(step, "guess"));
	uint8_t key[RNG_KEY_BYTES];
	struct gamble_card card = { .won = false };
	struct money pending;
	char at[ROUND_PROOF_PATH_MAX];
	struct rng rng;

	snprintf(at, sizeof(at), "/gambles/%" PRIu32, attempt);
	stream_key(checking->proof, "gamble", key);
	rng_init(&rng, key);
	for (uint32_t i = 0; i <= attempt; i++)
		if (gamble_draw(checking->game, &rng, guess, &card) != GAMBLE_OK)
			return number_differs(step, at, "guess", 0, difference_r);
	if (stake <= 0 || stake > most ||
		gamble_settle(money_of(stake), card.won, &pending) != GAMBLE_OK)
		return number_differs(step, at, "stake_minor", most, difference_r);
	*pending_r = pending.minor;
	return number_same(step, at, "attempt", (int64_t)attempt + 1, difference_r) &&
	       number_same(step, at, "card", card.card, difference_r) &&
	       flag_same(step, at, "won", card.won, difference_r) &&
	       number_same(step, at, "pending_minor", pending.minor, difference_r);
}

/* Returns what the gambles won or lost, up to the first that differs. */
static struct money check_gambles(struct checking *checking)
{
	const json_t *gambles = json_object_get(checking->proof->shown, "gambles");
	int64_t most = gamble_stake_of(
		checking->game, checking->sum.win_base_lines, checking->sum.win_total)
			       .minor;
	struct money result = { 0 };
	struct json_difference difference = { .where = "" };
	bool same = true;

	if (json_array_size(gambles) == 0) {
		add_check(checking, "gambles", json_is_array(gambles) ? "none" : "missing");
		return result;
	}
	for (uint32_t i = 0; same && i < json_array_size(gambles); i++) {
		const json_t *step = json_array_get(gambles, i);
		int64_t stake = json_integer_value(json_object_get(step, "stake_minor"));

		/* A stake that was refused may be any number. */
		same = gamble_same(checking, step, i, most, &most, &difference) &&
		       (money_add(result, money_of(most > 0 ? stake : -stake), &result) ||
			       number_differs(step, "/gambles", "stake_minor", 0, &difference));
	}
	add_result(checking, "gambles", same, &difference);
	return result;
}

static void check_amounts(struct checking *checking, struct money gambled)
{
	const json_t *shown = checking->proof->shown;
	bool bonus = json_is_true(json_object_get(shown, "bonus_spin"));
	struct json_difference difference = { .where = "" };
	struct money win = checking->sum.win_total;
	bool same = number_same(shown, "", "stake_minor", bonus ? 0 : checking->sum.stake.minor,
			    &difference) &&
		    (money_add(win, gambled, &win) ||
			    number_differs(shown, "", "win_minor", win.minor, &difference)) &&
		    number_same(shown, "", "win_minor", win.minor, &difference);

	add_result(checking, "amounts", same, &difference);
}

/* The odds are the set's, not the round's: the threshold is a multiple of the stake, or certain. */
static bool threshold_fits(uint64_t threshold, uint64_t below, int64_t stake)
{
	return threshold == below ||
	       (threshold < below && stake > 0 && threshold % (uint64_t)stake == 0);
}

static void check_cards(struct checking *checking)
{
	const json_t *cards = json_object_get(checking->proof->shown, "cards");
	const json_t *draw = json_object_get(cards, "draw");
	int64_t below = json_integer_value(json_object_get(draw, "below"));
	int64_t threshold = json_integer_value(json_object_get(cards, "threshold"));
	struct json_difference difference = { .where = "" };
	uint8_t key[RNG_KEY_BYTES];
	struct rng rng;
	uint64_t value;
	bool same;

	if (!json_is_object(cards)) {
		add_check(checking, "cards", cards ? "none" : "missing");
		return;
	}
	stream_key(checking->proof, "cards", key);
	rng_init(&rng, key);
	value = below > 0 ? rng_below64(&rng, (uint64_t)below) : 0;
	same = number_same(draw, "/cards/draw", "value", (int64_t)value, &difference) &&
	       flag_same(cards, "/cards", "triggered", below > 0 && (int64_t)value < threshold,
		       &difference);
	if (same &&
		!threshold_fits((uint64_t)threshold, (uint64_t)below, checking->sum.stake.minor))
		same = number_differs(cards, "/cards", "threshold", below, &difference);
	add_result(checking, "cards", same, &difference);
}

static void check_shown(struct checking *checking)
{
	json_t *played;

	if (!checking->proof->shown) {
		for (size_t i = 0; i < 4; i++)
			add_check(checking,
				(const char *const[]){
					"screens", "amounts", "gambles", "cards" }[i],
				"missing");
		return;
	}
	played = json_loadb(checking->phases.bytes, checking->phases.length, 0, NULL);
	if (!played) {
		checking->phases.failed = true;
		return;
	}
	check_screens(checking, played);
	json_decref(played);
	check_amounts(checking, check_gambles(checking));
	check_cards(checking);
}

/* ---- the report ---- */

static void report_of(const struct checking *checking, struct text_out *out)
{
	const struct round_sum *sum = &checking->sum;
	const struct round_proof *proof = checking->proof;

	text_open(out, NULL, '{');
	text_string(out, "game", checking->game->id);
	text_int(out, "stake", sum->stake.minor);
	text_int(out, "win", sum->win_total.minor);
	text_uint(out, "jackpot_hits", sum->jackpot_hits);
	text_hex(out, "digest", sum->digest, ROUND_PROOF_HASH_BYTES);
	text_hex(out, "secret_hash", checking->hash, ROUND_PROOF_HASH_BYTES);
	text_hex(out, "math_version", checking->game->digest, ROUND_PROOF_HASH_BYTES);
	text_hex(out, "nonce", proof->nonce, proof->nonce_length);
	text_bool(out, "agrees", !checking->differs);
	text_raw(out, "checks", checking->checks.bytes, checking->checks.length);
	text_raw(out, "phases", checking->phases.bytes, checking->phases.length);
	text_close(out, '}');
}

static bool find_mode(const struct game *game, const char *id, uint32_t *mode_r)
{
	for (*mode_r = 0; *mode_r < game->mode_count; (*mode_r)++)
		if (strcmp(game->mode[*mode_r].id, id) == 0)
			return true;
	return false;
}

/* The short form may name a file instead of the game. */
static void check_definition(struct checking *checking)
{
	const struct round_proof *proof = checking->proof;
	struct json_difference difference = { .where = "/game" };

	if (!proof->shown || strcmp(proof->game, checking->game->id) == 0) {
		add_hash(checking, "definition", "/math_version", proof->has_version,
			proof->math_version, checking->game->digest);
		return;
	}
	snprintf(difference.found, sizeof(difference.found), "%.70s", proof->game);
	snprintf(difference.expected, sizeof(difference.expected), "%s", checking->game->id);
	add_result(checking, "definition", false, &difference);
}

/* Between rounds at most two are collected; the third is used at once. */
static bool state_possible(const struct game *game, const struct round_state *state)
{
	uint32_t collected = 0;

	for (uint32_t colour = 0; colour < GAME_COLOURS; colour++)
		collected += state->collectibles[colour];
	return !game->unlock.offered ||
	       (collected <= COLLECTED_MAX && state->unlocked < game->unlock.step_count);
}

static void check_all(struct checking *checking)
{
	const struct round_proof *proof = checking->proof;
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, proof->secret, sizeof(proof->secret));
	sha256_end(&sha, checking->hash);
	text_open(&checking->checks, NULL, '[');
	check_definition(checking);
	add_hash(checking, "secret", proof->shown ? "/promised" : "/secret_hash", proof->has_hash,
		proof->secret_hash, checking->hash);
	add_hash(checking, "result", proof->shown ? "/result_digest" : "/digest", proof->has_digest,
		proof->digest, checking->sum.digest);
	check_shown(checking);
	text_close(&checking->checks, ']');
}

enum round_proof_status round_proof_check(
	const struct round_proof *proof, const struct game *game, char **report_r)
{
	struct checking checking = { .proof = proof, .game = game, .bet = proof->bet };
	struct text_out report = { 0 };
	enum round_proof_status status = ROUND_PROOF_NO_BET;

	*report_r = NULL;
	if (!find_mode(game, proof->mode, &checking.bet.mode) ||
		bet_total(&checking.bet, &checking.total) != BET_OK)
		return ROUND_PROOF_NO_BET;
	if (!state_possible(game, &proof->state))
		return ROUND_PROOF_NO_STATE;
	status = play(&checking);
	if (status == ROUND_PROOF_AGREES && !checking.phases.failed) {
		check_all(&checking);
		report_of(&checking, &report);
	}
	if (checking.phases.failed || checking.checks.failed || report.failed) {
		free(report.bytes);
		status = ROUND_PROOF_NO_MEMORY;
	} else if (status == ROUND_PROOF_AGREES) {
		*report_r = report.bytes;
		status = checking.differs ? ROUND_PROOF_DIFFERS : ROUND_PROOF_AGREES;
	}
	free(checking.phases.bytes);
	free(checking.checks.bytes);
	return status;
}
