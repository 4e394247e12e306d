/* How many booked moves `carillon-spin-engine --verify` replays in a second of CPU: the service's
 * own code, on moves that this program plays before with the same core. Prints one line of JSON.
 *
 *     proof-bench GAME [BETS]      GAME: folder of a shipped game */
#include "libcommon/game/definition_load.h"
#include "libcommon/io/log.h"
#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/adapters/proof.h"

#include "proof.pb-c.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EUR 978u
#define BETS_OF_A_PLAYER 200
#define GAMES "services/spin-engine/games"
#define MESSAGE_ROOM 4096

struct journal {
	struct game game;
	struct keys *keys;
	struct player player;
	struct player_game play;
	uint64_t seq, now_us;
	uint8_t *bytes;
	size_t length, room;
};

/* ---- moves, played ---- */

static void append(struct journal *journal, const Carillon__ProofInput *input)
{
	uint32_t length = (uint32_t)carillon__proof_input__get_packed_size(input);

	if (journal->length + length + sizeof(length) > journal->room) {
		journal->room = 2 * journal->room + MESSAGE_ROOM;
		journal->bytes = realloc(journal->bytes, journal->room);
		if (!journal->bytes)
			fatal("no memory for moves");
	}
	memcpy(journal->bytes + journal->length, &length, sizeof(length));
	carillon__proof_input__pack(input, journal->bytes + journal->length + sizeof(length));
	journal->length += length + sizeof(length);
}

static void fact_fill(const struct player_proposal *proposal, Carillon__WalletFact *fact)
{
	fact->kind = (Carillon__MoveKind)proposal->kind;
	fact->move = proposal->move;
	fact->round = proposal->round;
	fact->game = proposal->game;
	fact->currency = EUR;
	fact->release = proposal->release.minor;
	fact->stake = proposal->stake.minor;
	fact->win_balance = proposal->win_balance.minor;
	fact->win_pending = proposal->win_pending.minor;
	fact->forfeit = proposal->forfeit.minor;
}

static void book(struct journal *journal, const struct player_proposal *proposal)
{
	struct player_record record = { .next = proposal->next,
		.collected = proposal->collected,
		.has_game = proposal->has_game,
		.game = proposal->after };
	struct player_fact row = { .kind = proposal->kind,
		.seq = ++journal->seq,
		.move = proposal->move,
		.round = proposal->round,
		.game = proposal->game,
		.currency = EUR };
	Carillon__ProofInput input = CARILLON__PROOF_INPUT__INIT;
	Carillon__ProofMove move = CARILLON__PROOF_MOVE__INIT;
	Carillon__WalletFact fact = CARILLON__WALLET_FACT__INIT;
	Carillon__Envelope envelope;
	Carillon__Claim claim[PLAYER_CLAIMS_MAX + 1], *claims[PLAYER_CLAIMS_MAX + 1];
	uint8_t bytes[RECORD_BYTES_MAX];

	record.game.move = proposal->move;
	player_adopt(&journal->player, &journal->play, &row, &record);
	carillon__envelope__init(&envelope);
	envelope.seq = row.seq;
	fact.envelope = &envelope;
	fact.player = journal->player.id;
	fact_fill(proposal, &fact);
	fact.pending_after = player_pending(&journal->play).minor;
	for (uint32_t i = 0; i < proposal->claim_count; i++) {
		carillon__claim__init(&claim[i]);
		claim[i].index = proposal->claim[i].index;
		claim[i].pool = proposal->claim[i].pool;
		claim[i].kind = CARILLON__CLAIM_KIND__CLAIM_HIT;
		claim[i].coin_minor = proposal->claim[i].coin_minor;
		claim[i].stake_minor = proposal->claim[i].stake.minor;
		claims[i] = &claim[i];
	}
	fact.n_claims = proposal->claim_count;
	fact.claims = claims;
	fact.record.len = record_encode(&record, bytes);
	fact.record.data = bytes;
	move.row = &fact;
	input.body_case = CARILLON__PROOF_INPUT__BODY_MOVE;
	input.move = &move;
	append(journal, &input);
}

static void play(struct journal *journal, enum player_verb verb)
{
	struct player_command command = { .verb = verb,
		.expect = player_expect(&journal->player),
		.currency = EUR,
		.round = journal->play.round.move,
		.nonce_length = PLAYER_NONCE_MIN,
		.bet = { EUR, journal->game.currency[0].coin_minor[0], journal->game.lines_max, 1,
			0 } };
	struct player_entropy entropy = { .next = { { (uint8_t)journal->seq }, 1 } };
	const struct play_round *open = &journal->play.round;
	bool bet = verb == VERB_BET;
	struct player_proposal proposal;
	uint8_t secret[SECRET_BYTES];

	randombytes_buf(command.nonce, PLAYER_NONCE_MIN);
	(void)keys_secret(journal->keys, journal->player.id, bet ? command.expect : open->move,
		bet ? &journal->player.salt : &open->salt, secret);
	keys_stream(secret, bet ? command.nonce : open->nonce,
		bet ? PLAYER_NONCE_MIN : open->nonce_length, "game", entropy.round_key);
	journal->now_us += 5000000;
	if (player_propose(&journal->player, &journal->play, &journal->game, &command, &entropy,
		    journal->now_us, &proposal) != REFUSED_NOTHING)
		fatal("a move was refused");
	book(journal, &proposal);
}

static void journal_fill(struct journal *journal, uint64_t bets)
{
	for (uint64_t i = 0; i < bets; i++) {
		if (i % BETS_OF_A_PLAYER == 0) {
			player_init((player_id)(1 + i), &journal->player);
			player_game_init(&journal->game, &journal->play);
			play(journal, VERB_OPEN);
		}
		if (player_feature_open(&journal->play))
			play(journal, VERB_RESOLVE);
		play(journal, VERB_BET);
	}
}

/* ---- the measurement ---- */

static double replay(const struct journal *journal, struct proving_counts *counts_r)
{
	FILE *out = fopen("/dev/null", "w");
	struct proving *proving = out ? proving_new(journal->keys, out) : NULL;
	char error[PROVING_ERROR_MAX];
	clock_t began;

	if (!out || !proving_trust(proving, GAMES, error))
		fatal("no definitions, or no /dev/null");
	began = clock();
	for (size_t at = 0; at < journal->length;) {
		uint32_t length;

		memcpy(&length, journal->bytes + at, sizeof(length));
		if (!proving_take(proving, journal->bytes + at + sizeof(length), length, error))
			fatal("%s", error);
		at += length + sizeof(length);
	}
	began = clock() - began;
	*counts_r = proving_counts(proving);
	proving_free(&proving);
	(void)fclose(out);
	return (double)began / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
	static struct journal journal;
	static const uint8_t key[SECRET_BYTES] = { 9 };
	char path[300], error[DEFINITION_ERROR_MAX];
	struct proving_counts counts;
	double seconds;

	if (argc < 2 || sodium_init() < 0)
		fatal("usage: proof-bench GAME [BETS]");
	(void)snprintf(path, sizeof(path), GAMES "/%.200s/definition.json", argv[1]);
	if (definition_load_flags(path, DEFINITION_UNPROVEN | DEFINITION_SIMULATED, &journal.game,
		    error) != DEFINITION_OK)
		fatal("%s", error);
	journal.keys = keys_of(key);
	journal_fill(&journal, argc > 2 ? strtoull(argv[2], NULL, 10) : 100000);
	seconds = replay(&journal, &counts);
	if (counts.differing > 0)
		fatal("found %" PRIu64 " rows that differ, expected none", counts.differing);
	printf("{\"game\":\"%s\",\"rows\":%" PRIu64 ",\"rounds\":%" PRIu64 ",\"cpu_s\":%.4f}\n",
		argv[1], counts.proven, counts.rounds, seconds);
	free(journal.bytes);
	definition_free(&journal.game);
	keys_free(&journal.keys);
	return 0;
}
