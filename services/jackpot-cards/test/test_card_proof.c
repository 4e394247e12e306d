/* The proof of card rounds: what was dealt is in order, and each way to forge a row is found. */
#include "services/jackpot-cards/adapters/card_proof.h"

#include "services/jackpot-cards/core/card_round.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PICKS_ROOM (DEAL_CARDS + 2)

/* A row and its memory. */
struct row {
	Carillon__ProofCardRound message;
	uint32_t weights[CARD_LEVELS + 1], positions[PICKS_ROOM], suits[PICKS_ROOM];
	uint8_t salt[CARD_SALT_BYTES], hash[CARD_SECRET_BYTES], secret[CARD_SECRET_BYTES];
};

static struct numbered_keys two_keys(void)
{
	struct numbered_keys keys = { .count = 2, .key = { { .number = 1 }, { .number = 5 } } };

	memset(keys.key[0].bytes, 1, CARD_SECRET_BYTES);
	memset(keys.key[1].bytes, 2, CARD_SECRET_BYTES);
	return keys;
}

/* A round as the service keeps it, of which all but the last `open` picks are made. */
static void row_make(struct row *row, uint64_t move, uint32_t key, uint32_t open)
{
	static const uint32_t weights[CARD_LEVELS] = { 4, 3, 2, 1 };
	const struct claim_id id = { 77, move, 1 };
	struct numbered_keys keys = two_keys();
	struct card_deal deal;

	memset(row, 0, sizeof(*row));
	carillon__proof_card_round__init(&row->message);
	memset(row->salt, (int)move, sizeof(row->salt));
	memcpy(row->weights, weights, sizeof(weights));
	assert_true(card_keys_secret(&keys, key, &id, row->salt, row->secret));
	card_keys_hash(row->secret, row->hash);
	card_keys_deal(row->secret, &id, weights, NULL, &deal);
	row->message.pool = 2;
	row->message.number = move;
	row->message.player = id.player;
	row->message.move = id.move;
	row->message.index = id.index;
	row->message.key = key;
	row->message.salt = (ProtobufCBinaryData){ sizeof(row->salt), row->salt };
	row->message.secret_hash = (ProtobufCBinaryData){ sizeof(row->hash), row->hash };
	row->message.weights = row->weights;
	row->message.n_weights = CARD_LEVELS;
	row->message.positions = row->positions;
	row->message.suits = row->suits;
	row->message.n_positions = row->message.n_suits = deal.picks - open;
	for (uint32_t i = 0; i < deal.picks - open; i++) {
		row->positions[i] = (i + 5) % DEAL_CARDS;
		row->suits[i] = deal.suit[i];
	}
	if (open > 0)
		return;
	row->message.won = true;
	row->message.level = deal.level;
	row->message.secret = (ProtobufCBinaryData){ sizeof(row->secret), row->secret };
}

static void test_card_proof_honest_rounds_are_in_order(void **unused)
{
	struct numbered_keys keys = two_keys();
	struct card_difference difference;
	struct row row;

	(void)unused;
	for (uint64_t move = 1; move <= 600; move++) {
		row_make(&row, move, move % 2 ? 1 : 5, (uint32_t)(move % 4));
		if (!card_proof_judge(&keys, &row.message, &difference))
			fail_msg("move %d: %s: found %s, expected %s", (int)move, difference.field,
				difference.found, difference.expected);
	}
}

/* ---- forgeries ---- */

static void another_player(struct row *row)
{
	row->message.player++;
}

static void another_move(struct row *row)
{
	row->message.move++;
}

static void another_claim(struct row *row)
{
	row->message.index++;
}

static void another_key(struct row *row)
{
	row->message.key = 5;
}

static void unknown_key(struct row *row)
{
	row->message.key = 3;
}

static void another_salt(struct row *row)
{
	row->salt[3] ^= 1;
}

static void short_salt(struct row *row)
{
	row->message.salt.len--;
}

static void another_hash(struct row *row)
{
	row->hash[0] ^= 1;
}

static void no_hash(struct row *row)
{
	row->message.secret_hash.len = 0;
}

/* A secret of the forger's own, with its hash. */
static void own_secret(struct row *row)
{
	memset(row->secret, 9, sizeof(row->secret));
	card_keys_hash(row->secret, row->hash);
}

static void no_weights(struct row *row)
{
	memset(row->weights, 0, sizeof(row->weights));
}

static void five_weights(struct row *row)
{
	row->message.n_weights++;
}

static void huge_weights(struct row *row)
{
	row->weights[0] = row->weights[1] = UINT32_MAX;
}

/* All weight on a level that was not drawn. */
static void level_chosen(struct row *row)
{
	uint32_t level = row->message.level % CARD_LEVELS;

	memset(row->weights, 0, sizeof(row->weights));
	row->weights[level] = 1;
	row->message.level = level + 1;
}

static void another_suit(struct row *row)
{
	row->suits[0] = row->suits[0] % CARD_LEVELS + 1;
}

static void no_suit(struct row *row)
{
	row->message.n_suits--;
}

static void same_position(struct row *row)
{
	row->positions[1] = row->positions[0];
}

static void position_outside(struct row *row)
{
	row->positions[1] = DEAL_CARDS;
}

static void a_pick_too_many(struct row *row)
{
	row->positions[row->message.n_positions++] = 4;
	row->suits[row->message.n_suits++] = 1;
}

static void a_pick_too_few(struct row *row)
{
	row->message.n_positions--;
	row->message.n_suits--;
}

static void not_won(struct row *row)
{
	row->message.won = false;
	row->message.level = 0;
	row->message.secret.len = 0;
}

static void another_level(struct row *row)
{
	row->message.level = row->message.level % CARD_LEVELS + 1;
}

static void no_secret(struct row *row)
{
	row->message.secret.len = 0;
}

static void test_card_proof_finds_each_forgery(void **unused)
{
	static const struct {
		const char *name, *field;
		void (*forge)(struct row *row);
	} rows[] = {
		{ "another player", "secret_hash", another_player },
		{ "another move", "secret_hash", another_move },
		{ "another claim", "secret_hash", another_claim },
		{ "another key", "secret_hash", another_key },
		{ "a key that is not there", "key", unknown_key },
		{ "another salt", "secret_hash", another_salt },
		{ "a short salt", "salt", short_salt },
		{ "another hash", "secret_hash", another_hash },
		{ "no hash", "secret_hash", no_hash },
		{ "a secret of one's own", "secret_hash", own_secret },
		{ "no weights", "weights", no_weights },
		{ "five weights", "weights", five_weights },
		{ "weights beyond 32 bits", "weights", huge_weights },
		{ "a level chosen by weights", "suits", level_chosen },
		{ "another suit", "suits", another_suit },
		{ "a suit left out", "suits", no_suit },
		{ "a position twice", "positions", same_position },
		{ "position 12", "positions", position_outside },
		{ "a pick after the win", "positions", a_pick_too_many },
		{ "won a pick early", "won", a_pick_too_few },
		{ "a win hidden", "won", not_won },
		{ "another level", "level", another_level },
		{ "no secret", "secret", no_secret },
	};
	struct numbered_keys keys = two_keys();

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct card_difference difference = { .field = "nothing" };
		struct row row;

		row_make(&row, 11, 1, 0);
		rows[i].forge(&row);
		if (card_proof_judge(&keys, &row.message, &difference))
			fail_msg("%s: not found", rows[i].name);
		if (strcmp(difference.field, rows[i].field) != 0 || !difference.found[0] ||
			!difference.expected[0])
			fail_msg("%s: %s: found %s, expected %s, in %s", rows[i].name,
				difference.field, difference.found, difference.expected,
				rows[i].field);
	}
}

/* An open round: nothing of what is face down is told. */
static void test_card_proof_keeps_open_secrets(void **unused)
{
	struct numbered_keys keys = two_keys();
	struct card_difference difference;
	struct row row;
	uint8_t guess[CARD_SECRET_BYTES] = { 1 };

	(void)unused;
	row_make(&row, 12, 1, 1);
	row.message.secret = (ProtobufCBinaryData){ sizeof(guess), guess };
	assert_false(card_proof_judge(&keys, &row.message, &difference));
	assert_string_equal(difference.field, "secret");
	assert_string_equal(difference.expected, "nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_card_proof_honest_rounds_are_in_order),
		cmocka_unit_test(test_card_proof_finds_each_forgery),
		cmocka_unit_test(test_card_proof_keeps_open_secrets),
	};
	return cmocka_run_group_tests_name("card proof", tests, NULL, NULL);
}
