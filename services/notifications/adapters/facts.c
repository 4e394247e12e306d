#include "services/notifications/adapters/facts.h"

#include "libcommon/base/hex.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA_KNOWN 1
#define SUITS 4
#define HASH_BYTES 32
/* Bound of an award, above any amount of the wallet: the sum of all awards held back at once does
 * not overflow. */
#define PAID_MAX (INT64_MAX / HOLDBACK_HELD_MAX)

__attribute__((format(printf, 2, 3))) static bool refuse(char *reason, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(reason, FACTS_REASON_MAX, format, arguments);
	va_end(arguments);
	return false;
}

static bool envelope_valid(const Carillon__Envelope *envelope, char *reason)
{
	if (!envelope)
		return refuse(
			reason, "envelope: found none, expected one of schema %d", SCHEMA_KNOWN);
	return envelope->schema == SCHEMA_KNOWN ||
	       refuse(reason, "envelope.schema: found %" PRIu32 ", expected %d", envelope->schema,
		       SCHEMA_KNOWN);
}

static bool player_valid(const char *where, player_id player, char *reason)
{
	return player_id_valid(player) ||
	       refuse(reason, "%s: found %" PRId64 ", expected a player", where, player);
}

/* A hit with an impossible number would stop all later hits from being told. */
static bool hit_valid(const Carillon__HitFact *hit, char *reason)
{
	if (!hit->claim)
		return true;
	if (hit->hit < 1 || hit->hit > INT64_MAX)
		return refuse(
			reason, "hit.hit: found %" PRIu64 ", expected 1 to 2^63 - 1", hit->hit);
	if (hit->paid_minor < 0)
		return refuse(reason, "hit.paid_minor: found %" PRId64 ", expected 0 or more",
			hit->paid_minor);
	return player_valid("hit.claim.player", hit->claim->player, reason);
}

static bool card_valid(const Carillon__CardRound *round, char *reason)
{
	if (!round)
		return true;
	if (round->n_turned > CARD_NEWS_TURNED_MAX)
		return refuse(reason, "card.round.turned: found %zu cards, expected at most %d",
			round->n_turned, CARD_NEWS_TURNED_MAX);
	for (size_t i = 0; i < round->n_turned; i++) {
		const Carillon__TurnedCard *card = round->turned[i];
		if (card->position >= CARD_NEWS_TURNED_MAX)
			return refuse(reason,
				"card.round.turned[%zu].position: found %" PRIu32
				", expected 0 to %d",
				i, card->position, CARD_NEWS_TURNED_MAX - 1);
		if (card->suit < 1 || card->suit > SUITS)
			return refuse(reason,
				"card.round.turned[%zu].suit: found %" PRIu32 ", expected 1 to %d",
				i, card->suit, SUITS);
	}
	if (round->level > SUITS)
		return refuse(reason, "card.round.level: found %" PRIu32 ", expected 0 to %d",
			round->level, SUITS);
	return player_valid("card.round.player", round->player, reason);
}

static bool jackpot_valid(const Carillon__JackpotFact *fact, char *reason)
{
	if (!envelope_valid(fact->envelope, reason))
		return false;
	if (fact->body_case == CARILLON__JACKPOT_FACT__BODY_HIT)
		return hit_valid(fact->hit, reason);
	return fact->body_case != CARILLON__JACKPOT_FACT__BODY_CARD ||
	       card_valid(fact->card->round, reason);
}

Carillon__JackpotFact *facts_jackpot_read(const uint8_t *bytes, size_t length, char *reason)
{
	Carillon__JackpotFact *fact = carillon__jackpot_fact__unpack(NULL, length, bytes);
	if (!fact) {
		(void)refuse(reason, "found %zu bytes that are no message, expected a JackpotFact",
			length);
		return NULL;
	}
	if (jackpot_valid(fact, reason))
		return fact;
	carillon__jackpot_fact__free_unpacked(fact, NULL);
	return NULL;
}

static bool wallet_valid(const Carillon__WalletFact *fact, uint32_t shards, char *reason)
{
	if (!envelope_valid(fact->envelope, reason))
		return false;
	if (fact->shard >= shards)
		return refuse(reason, "shard: found %" PRIu32 ", expected 0 to %" PRIu32,
			fact->shard, shards - 1);
	return (fact->envelope->seq > 0 && fact->envelope->seq <= INT64_MAX) ||
	       refuse(reason, "envelope.seq: found %" PRIu64 ", expected 1 to 2^63 - 1",
		       fact->envelope->seq);
}

Carillon__WalletFact *facts_wallet_read(
	const uint8_t *bytes, size_t length, uint32_t shards, char *reason)
{
	Carillon__WalletFact *fact = carillon__wallet_fact__unpack(NULL, length, bytes);
	if (!fact) {
		(void)refuse(reason, "found %zu bytes that are no message, expected a WalletFact",
			length);
		return NULL;
	}
	if (wallet_valid(fact, shards, reason))
		return fact;
	carillon__wallet_fact__free_unpacked(fact, NULL);
	return NULL;
}

void facts_counter(const Carillon__RowState *state, struct counter *row_r)
{
	*row_r = (struct counter){ .currency = state->currency,
		.coin_minor = state->level ? 0 : state->coin_minor,
		.level = state->level,
		.value_minor = state->value_minor,
		.seed_minor = state->seed_minor,
		.version = state->version,
		.hits = state->hits };
}

bool facts_winner(const Carillon__JackpotFact *fact, struct winner *winner_r)
{
	const Carillon__HitFact *hit = fact->hit;
	const Carillon__Claim *claim = hit->claim;
	if (!claim)
		return false;
	*winner_r = (struct winner){ .pool = fact->pool,
		.hit = hit->hit,
		.currency = claim->currency,
		.level = hit->row_after ? hit->row_after->level : 0,
		.coin_minor = claim->coin_minor,
		.paid_minor = hit->paid_minor,
		.player = claim->player,
		.time_us = fact->envelope->time_us };
	return true;
}

static void hex(const ProtobufCBinaryData *data, char out[2 * HASH_BYTES + 1])
{
	hex_format(data->data, data->len < HASH_BYTES ? data->len : HASH_BYTES, out);
}

bool facts_card(const Carillon__JackpotFact *fact, struct card_news *news_r)
{
	static const char *const EVENTS[] = { "", "opened", "picked", "won", "booked" };
	const Carillon__CardRound *round = fact->card->round;
	if (!round || fact->card->event < CARILLON__CARD_EVENT__CARD_OPENED ||
		fact->card->event > CARILLON__CARD_EVENT__CARD_BOOKED)
		return false;
	*news_r = (struct card_news){ .player = round->player,
		.event = EVENTS[fact->card->event],
		.seq = fact->envelope->seq,
		.move = round->move,
		.number = round->number,
		.hit = round->hit,
		.opened_us = round->opened_us,
		.expires_us = round->expires_us,
		.index = round->index,
		.pool = fact->pool,
		.level = round->level,
		.currency = round->currency,
		.paid_minor = round->paid_minor,
		.won = round->won };
	hex(&round->secret_hash, news_r->secret_hash);
	hex(&round->secret, news_r->secret);
	for (; news_r->turned < round->n_turned; news_r->turned++) {
		const Carillon__TurnedCard *card = round->turned[news_r->turned];
		news_r->position[news_r->turned] = (uint8_t)card->position;
		news_r->suit[news_r->turned] = (uint8_t)card->suit;
	}
	return true;
}

/* Moves that the engine accepts only after the earlier phases have been shown. */
static bool follows_watching(Carillon__MoveKind kind)
{
	return kind == CARILLON__MOVE_KIND__MOVE_BET || kind == CARILLON__MOVE_KIND__MOVE_RELEASE ||
	       kind == CARILLON__MOVE_KIND__MOVE_GAMBLE ||
	       kind == CARILLON__MOVE_KIND__MOVE_HALVE ||
	       kind == CARILLON__MOVE_KIND__MOVE_COLLECT || kind == CARILLON__MOVE_KIND__MOVE_VOID;
}

bool facts_own(const Carillon__WalletFact *fact, struct holdback_fact *own_r)
{
	*own_r = (struct holdback_fact){ .player = fact->player,
		.seq = fact->envelope->seq,
		.refused = fact->refusal != CARILLON__REFUSAL__REFUSAL_NONE,
		.watched = follows_watching(fact->kind),
		.move = fact->move,
		.last_move = fact->last_move,
		.balance_after = fact->balance_after };
	if (fact->kind == CARILLON__MOVE_KIND__MOVE_AWARD && fact->award) {
		own_r->award = true;
		own_r->award_move = fact->award->move;
		own_r->award_index = fact->award->index;
		own_r->award_pool = fact->award->pool;
		own_r->award_paid = fact->award->paid_minor;
	}
	return player_id_valid(fact->player) && fact->balance_after >= 0 &&
	       own_r->award_paid >= 0 && own_r->award_paid <= PAID_MAX;
}
