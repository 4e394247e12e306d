/* One card round against what its secret deals. */
#include "services/jackpot-cards/adapters/card_proof.h"

#include "services/jackpot-cards/core/card_round.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __attribute__((format(printf, 2, 3))) void say(
	char out[CARD_PROOF_TEXT_MAX], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(out, CARD_PROOF_TEXT_MAX, format, arguments);
	va_end(arguments);
}

static void say_bytes(char out[CARD_PROOF_TEXT_MAX], const uint8_t *bytes, size_t length)
{
	if (length == 0)
		say(out, "nothing");
	else if (length <= CARD_SECRET_BYTES)
		(void)sodium_bin2hex(out, CARD_PROOF_TEXT_MAX, bytes, length);
	else
		say(out, "%zu bytes", length);
}

static bool bytes_equal(const ProtobufCBinaryData *found, const uint8_t *expected, size_t length,
	const char *field, struct card_difference *difference)
{
	if (found->len == length && (length == 0 || memcmp(found->data, expected, length) == 0))
		return true;
	difference->field = field;
	say_bytes(difference->found, found->data, found->len);
	say_bytes(difference->expected, expected, length);
	return false;
}

static bool weights_read(const Carillon__ProofCardRound *row, uint32_t weight[CARD_LEVELS],
	struct card_difference *difference)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < row->n_weights && row->n_weights == CARD_LEVELS; i++) {
		weight[i] = row->weights[i];
		sum += weight[i];
	}
	if (sum >= 1 && sum <= CARD_WEIGHT_MAX)
		return true;
	difference->field = "weights";
	say(difference->found, "%zu weights with the sum %" PRIu64, row->n_weights, sum);
	say(difference->expected, "%d weights with a sum of 1 to %u", CARD_LEVELS, CARD_WEIGHT_MAX);
	return false;
}

/* The picks, one after the other, as the player made them. */
static bool picks_follow(const Carillon__ProofCardRound *row, struct card_round *round,
	struct card_difference *difference)
{
	if (row->n_positions != row->n_suits) {
		difference->field = "suits";
		say(difference->found, "%zu", row->n_suits);
		say(difference->expected, "%zu, one for each position", row->n_positions);
		return false;
	}
	for (size_t i = 0; i < row->n_positions; i++) {
		enum card_pick_status status =
			card_round_pick(round, (uint32_t)i + 1, row->positions[i]);

		if (status != CARD_PICK_OK) {
			difference->field = "positions";
			say(difference->found, "pick %zu at position %u", i + 1, row->positions[i]);
			say(difference->expected, "another: %s", card_pick_status_text(status));
			return false;
		}
		if (round->deal.suit[i] != row->suits[i]) {
			difference->field = "suits";
			say(difference->found, "pick %zu turned up suit %u", i + 1, row->suits[i]);
			say(difference->expected, "suit %u", round->deal.suit[i]);
			return false;
		}
	}
	return true;
}

/* A round is won by its picks alone; only then are level and secret known. */
static bool end_follows(const Carillon__ProofCardRound *row, const struct card_round *round,
	const uint8_t secret[CARD_SECRET_BYTES], struct card_difference *difference)
{
	bool won = card_round_won(round);
	uint32_t level = won ? (uint32_t)round->deal.level : 0;

	if (row->won != won) {
		difference->field = "won";
		say(difference->found, "%s after %zu picks", row->won ? "true" : "false",
			row->n_positions);
		say(difference->expected, "%s", won ? "true" : "false");
		return false;
	}
	if (row->level != level) {
		difference->field = "level";
		say(difference->found, "%u", row->level);
		say(difference->expected, "%u", level);
		return false;
	}
	return bytes_equal(&row->secret, secret, won ? CARD_SECRET_BYTES : 0, "secret", difference);
}

static bool judge(const struct numbered_keys *keys, const Carillon__ProofCardRound *row,
	uint8_t secret[CARD_SECRET_BYTES], struct card_difference *difference)
{
	const struct claim_id id = { row->player, row->move, row->index };
	uint32_t weight[CARD_LEVELS];
	uint8_t hash[CARD_SECRET_BYTES];
	struct card_deal deal;
	struct card_round round;

	if (row->salt.len != CARD_SALT_BYTES) {
		difference->field = "salt";
		say(difference->found, "%zu bytes", row->salt.len);
		say(difference->expected, "%d", CARD_SALT_BYTES);
		return false;
	}
	if (!card_keys_secret(keys, row->key, &id, row->salt.data, secret)) {
		difference->field = "key";
		say(difference->found, "%u", row->key);
		say(difference->expected, "the number of a key in the key file");
		return false;
	}
	card_keys_hash(secret, hash);
	if (!bytes_equal(&row->secret_hash, hash, sizeof(hash), "secret_hash", difference) ||
		!weights_read(row, weight, difference))
		return false;
	card_keys_deal(secret, &id, weight, NULL, &deal);
	card_round_begin(&round, &deal);
	return picks_follow(row, &round, difference) &&
	       end_follows(row, &round, secret, difference);
}

/* A verdict names the secret of a round only if the round is won. */
bool card_proof_judge(const struct numbered_keys *keys, const Carillon__ProofCardRound *row,
	struct card_difference *difference_r)
{
	uint8_t secret[CARD_SECRET_BYTES] = { 0 };
	bool good = judge(keys, row, secret, difference_r);

	sodium_memzero(secret, sizeof(secret));
	return good;
}
