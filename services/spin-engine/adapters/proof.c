/* The stream of --verify, and the account that its rows are about. */
#include "services/spin-engine/adapters/proof.h"

#include "libcommon/io/arena.h"
#include "libcommon/io/log.h"
#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/adapters/proof_games.h"
#include "services/spin-engine/adapters/proof_odds.h"
#include "services/spin-engine/core/proof.h"

#include "proof.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLAYS_MAX 64 /* games of one account */

_Static_assert((int)PLAYER_MOVE_SETTING == (int)CARILLON__MOVE_KIND__MOVE_SETTING, "kinds agree");

/* A game of the account. */
struct kept_play {
	struct player_game play;
	bool known; /* false: only a refused row is left of what was proven before */
};

struct proving {
	const struct keys *keys;
	FILE *out;
	struct proof_games *games;
	struct proof_odds odds;
	struct arena arena;
	bool scripts;
	struct proving_counts counts;
	struct player player;
	bool salt_known;
	size_t play_count;
	struct kept_play play[PLAYS_MAX];
};

struct proving *proving_new(const struct keys *keys, FILE *out)
{
	struct proving *proving = calloc(1, sizeof(*proving));

	if (!proving)
		fatal("no memory for a proof");
	proving->keys = keys;
	proving->out = out;
	proving->games = proof_games_new();
	return proving;
}

void proving_free(struct proving **proving)
{
	proof_games_free(&(*proving)->games);
	proof_odds_free(&(*proving)->odds);
	arena_free(&(*proving)->arena);
	free(*proving);
	*proving = NULL;
}

bool proving_trust(struct proving *proving, const char *folder, char *error)
{
	return proof_games_trust(proving->games, folder, error);
}

struct proving_counts proving_counts(const struct proving *proving)
{
	return proving->counts;
}

/* ---- reading a row ---- */

static bool wrong(char *error, const Carillon__WalletFact *fact, const char *what)
{
	(void)snprintf(error, PROVING_ERROR_MAX,
		"row of shard %" PRIu32 ", seq %" PRIu64 ", player %" PRId64 ": found %s",
		fact->shard, fact->envelope ? fact->envelope->seq : 0, fact->player, what);
	return false;
}

static void claims_read(const Carillon__WalletFact *fact, struct proof_row *row)
{
	row->claim_count = (uint32_t)fact->n_claims;
	for (size_t i = 0; i < fact->n_claims; i++)
		row->claim[i] =
			(struct player_claim){ fact->claims[i]->index, fact->claims[i]->pool,
				fact->claims[i]->coin_minor, money_of(fact->claims[i]->stake_minor),
				fact->claims[i]->kind == CARILLON__CLAIM_KIND__CLAIM_CARDS };
}

static void fact_read(const Carillon__WalletFact *from, struct player_fact *fact)
{
	bool known = from->kind > 0 && from->kind <= CARILLON__MOVE_KIND__MOVE_SETTING;

	/* a refused row of an unknown kind spends its move number too */
	fact->kind = known ? (enum player_move)from->kind : PLAYER_MOVE_SETTING;
	fact->seq = from->envelope->seq;
	fact->move = from->move;
	fact->round = from->round;
	fact->game = from->game;
	fact->refusal = (uint32_t)from->refusal;
	fact->currency = from->currency;
	fact->bonus = fact->kind == PLAYER_MOVE_BET && from->outside_id.len == PLAYER_ID_BYTES;
	if (fact->bonus)
		memcpy(fact->bonus_spin, from->outside_id.data, PLAYER_ID_BYTES);
}

static void grant_read(const Carillon__SpinGrant *grant, struct proof_row *row)
{
	if (!grant || !row->fact.bonus)
		return;
	row->has_grant = true;
	/* Point 11 proves that it was not used up, ended or expired. */
	row->grant = (struct player_bonus_spins){ .game = grant->game,
		.lines = grant->lines,
		.coins = grant->coins,
		.coin_minor = grant->coin_minor,
		.spins = 1,
		.expires_us = UINT64_MAX };
	memcpy(row->grant.id, row->fact.bonus_spin, PLAYER_ID_BYTES);
}

static bool row_read(const struct proving *proving, const Carillon__ProofMove *from,
	struct proof_row *row, char *error)
{
	const Carillon__WalletFact *fact = from->row;

	memset(row, 0, sizeof(*row));
	if (!fact || !fact->envelope) {
		(void)snprintf(error, PROVING_ERROR_MAX, "a move without a row");
		return false;
	}
	if (fact->n_claims > PLAYER_CLAIMS_MAX + 1)
		return wrong(error, fact, "more claims than a move can have");
	fact_read(fact, &row->fact);
	claims_read(fact, row);
	row->mode = fact->mode;
	row->release = money_of(fact->release);
	row->stake = money_of(fact->stake);
	row->win_balance = money_of(fact->win_balance);
	row->win_pending = money_of(fact->win_pending);
	row->forfeit = money_of(fact->forfeit);
	row->amount = money_of(fact->amount);
	row->pending_after = money_of(fact->pending_after);
	row->scripts = proving->scripts;
	row->has_past = from->past;
	row->past = (struct past_round){ fact->game, fact->round, money_of(from->past_stake),
		money_of(from->past_credited), money_of(0) };
	row->awards = money_of(from->awards);
	row->void_awards = money_of(from->void_awards);
	grant_read(from->grant, row);
	return true;
}

/* ---- the account ---- */

static struct kept_play *play_find(struct proving *proving, uint32_t game)
{
	for (size_t i = 0; i < proving->play_count; i++)
		if (proving->play[i].play.state.game == game)
			return &proving->play[i];
	return NULL;
}

static struct kept_play *play_add(
	struct proving *proving, uint32_t number, const Carillon__WalletFact *fact, char *error)
{
	struct kept_play *kept = &proving->play[proving->play_count];

	if (proving->play_count == PLAYS_MAX) {
		(void)wrong(error, fact, "more games of one player than there can be");
		return NULL;
	}
	proving->play_count++;
	memset(kept, 0, sizeof(*kept));
	kept->play.state.game = number;
	kept->known = true;
	return kept;
}

static void account_begin(struct proving *proving, player_id id)
{
	player_init(id, &proving->player);
	proving->salt_known = true;
	proving->play_count = 0;
}

/* Draws nothing that is not asked for: a key costs four hashes. */
static bool keys_make(const struct proving *proving, const struct player_game *play,
	const struct proof_row *row, struct player_entropy *entropy)
{
	struct proof_streams streams;
	const struct play_round *now = row->record ? &row->record->game.round : NULL;
	const struct player *player = &proving->player;
	uint8_t secret[SECRET_BYTES];

	memset(entropy, 0, sizeof(*entropy));
	proof_streams(play, row, &streams);
	if (streams.game || streams.cards_new) {
		if (!keys_secret(proving->keys, player->id, player_expect(player), &player->salt,
			    secret))
			return false;
		keys_stream(secret, now->nonce, now->nonce_length, "game", entropy->round_key);
		if (streams.cards_new)
			keys_stream(secret, now->nonce, now->nonce_length, "cards",
				entropy->cards_key_new);
	}
	if (!streams.gamble && !streams.cards_open)
		return true;
	if (!keys_secret(proving->keys, player->id, play->round.move, &play->round.salt, secret))
		return false;
	if (streams.gamble)
		keys_stream(secret, play->round.nonce, play->round.nonce_length, "gamble",
			entropy->round_key);
	if (streams.cards_open)
		keys_stream(secret, play->round.nonce, play->round.nonce_length, "cards",
			entropy->cards_key_open);
	return true;
}

static bool differs(struct proof_difference *difference, const char *field, const char *found,
	const char *expected)
{
	(void)snprintf(difference->field, sizeof(difference->field), "%s", field);
	(void)snprintf(difference->found, sizeof(difference->found), "%s", found);
	(void)snprintf(difference->expected, sizeof(difference->expected), "%s", expected);
	return false;
}

static bool check(struct proving *proving, const struct player_game *play,
	const struct proof_row *row, const Carillon__ProofMove *message,
	struct proof_difference *difference)
{
	const uint8_t *digest = proof_definition(play, row);
	const struct game *game = NULL;
	struct player_entropy entropy;
	char text[2 * GAME_DIGEST_BYTES + 1];

	if (digest)
		game = proof_games_find(proving->games, row->fact.game, digest, text);
	if (digest && !game)
		return differs(difference, "round.math_version", text,
			"a definition of this game that is known");
	if (!keys_make(proving, play, row, &entropy))
		return differs(difference, "round.salt.key", "no such key in the file",
			"the key that it was drawn with");
	if (message->odds_known && !proof_odds_check(&proving->odds, proving->player.id, play, game,
					   row, message->time_us, difference))
		return false;
	return proof_check(&proving->player, play, game, row, &entropy, difference);
}

/* ---- verdicts ---- */

static void verdict(struct proving *proving, const Carillon__WalletFact *fact, const char *word,
	const struct proof_difference *difference)
{
	(void)fprintf(
		proving->out, "%s\t%" PRIu32 "\t%" PRIu64, word, fact->shard, fact->envelope->seq);
	if (difference)
		(void)fprintf(proving->out, "\t%s\t%s\t%s", difference->field, difference->found,
			difference->expected);
	(void)fputc('\n', proving->out);
}

static void judge(struct proving *proving, const struct kept_play *kept,
	const struct proof_row *row, const Carillon__ProofMove *message)
{
	const Carillon__WalletFact *fact = message->row;
	struct proof_difference difference;
	bool archived = message->past_unknown && row->record && !row->record->has_game;

	if (!proving->salt_known || (kept && !kept->known) || archived) {
		proving->counts.skipped++;
		verdict(proving, fact, "skipped", NULL);
		return;
	}
	if (row->fact.kind == PLAYER_MOVE_BET && row->fact.refusal == 0) {
		proving->counts.rounds++;
		proving->counts.scripted += row->record && row->record->game.round.forced_count > 0;
	}
	if (check(proving, kept ? &kept->play : NULL, row, message, &difference)) {
		proving->counts.proven++;
		verdict(proving, fact, "ok", NULL);
	} else {
		proving->counts.differing++;
		verdict(proving, fact, "differs", &difference);
	}
}

/* ---- messages ---- */

static const struct player_record *record_read(
	const Carillon__WalletFact *fact, struct player_record *record)
{
	return fact->record.len > 0 && record_decode(fact->record.data, fact->record.len, record) ==
					       CODEC_OK
		       ? record
		       : NULL;
}

static void adopt(
	struct proving *proving, struct kept_play *kept, const struct proof_row *row, bool proven)
{
	bool accepted = row->fact.refusal == 0;

	(void)player_adopt(
		&proving->player, kept && accepted ? &kept->play : NULL, &row->fact, row->record);
	proving->player.bonus_spins_count = 0;
	if (row->record)
		proving->salt_known = true;
	else if (proven) /* it was derived from a salt that is not here */
		proving->salt_known = false;
	if (kept && accepted && row->record && row->record->has_game)
		kept->known = true;
}

static bool take_move(struct proving *proving, const Carillon__ProofMove *message, char *error)
{
	struct player_record record;
	struct proof_row row;
	struct kept_play *kept = NULL;

	if (!row_read(proving, message, &row, error))
		return false;
	if (proving->player.id != message->row->player)
		account_begin(proving, message->row->player);
	row.record = record_read(message->row, &record);
	if (row.record && row.record->has_game && row.record->game.state.game != row.fact.game &&
		row.fact.refusal == 0)
		row.record = NULL; /* a record of another game: judged as one that cannot be read */
	if (row.fact.game != 0 && row.fact.kind != PLAYER_MOVE_OPEN) {
		bool first = !play_find(proving, row.fact.game);

		kept = first ? play_add(proving, row.fact.game, message->row, error)
			     : play_find(proving, row.fact.game);
		if (!kept)
			return false;
		if (first && message->proven)
			kept->known = row.fact.refusal == 0;
	}
	if (row.has_grant)
		player_bonus_spins(&proving->player, &row.grant);
	if (!message->proven)
		judge(proving, kept, &row, message);
	adopt(proving, kept, &row, message->proven);
	return true;
}

bool proving_take(struct proving *proving, const uint8_t *bytes, size_t length, char *error)
{
	ProtobufCAllocator allocator;
	Carillon__ProofInput *input;

	arena_reset(&proving->arena);
	allocator = arena_allocator(&proving->arena);
	input = carillon__proof_input__unpack(&allocator, length, bytes);
	if (!input) {
		(void)snprintf(error, PROVING_ERROR_MAX,
			"found %zu bytes that are no message, expected a ProofInput", length);
		return false;
	}
	switch (input->body_case) {
	case CARILLON__PROOF_INPUT__BODY_DEFINITION:
		return proof_games_offer(proving->games, input->definition->game,
			(const char *)input->definition->text.data, input->definition->text.len,
			error);
	case CARILLON__PROOF_INPUT__BODY_SCRIPTS:
		proving->scripts = input->scripts;
		return true;
	case CARILLON__PROOF_INPUT__BODY_MOVE:
		return take_move(proving, input->move, error);
	case CARILLON__PROOF_INPUT__BODY_ODDS:
		proof_odds_add(&proving->odds, input->odds);
		return true;
	case CARILLON__PROOF_INPUT__BODY_CARD_ROUND:
	case CARILLON__PROOF_INPUT__BODY__NOT_SET:
	case _CARILLON__PROOF_INPUT__BODY__CASE_IS_INT_SIZE:
		break;
	}
	(void)snprintf(error, PROVING_ERROR_MAX,
		"found a message of another kind, expected a definition, odds, a move or scripts");
	return false;
}
