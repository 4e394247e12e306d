#include "services/jackpot-cards/adapters/rounds.h"

#include "libcommon/base/currency.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "services/jackpot-cards/adapters/card_draw.h"
#include "services/jackpot-cards/adapters/cards_messages.h"
#include "services/jackpot-cards/adapters/set_operator.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICKS_WAITING_MAX 256 /* of a set */
#define NEWS_AGAIN 8
#define AWARDS_US 2000000u /* an award that is not booked is sent again */
#define AWARDS_A_TURN 32
#define EXPIRED_A_TURN 64 /* bounds the size of a commit */
#define KEYS_PATH_MAX (SETTING_TEXT_MAX + 32)

/* A pick that wins the level: it waits for the totals of all wallet shards. */
struct waiting_pick {
	struct waiting_pick *next;
	uint64_t question; /* asked_totals_want; 0: not asked yet */
	struct claim_id id;
	uint32_t pick, position;
	struct card_requester requester;
};

static struct {
	struct numbered_keys *keys;
	struct stat keys_file; /* of jackpot-cards.key when it was read */
	struct draw_health health;
	struct metric *opened, *repeated, *picks, *refused, *won, *paid, *expired, *unpriced,
		*again, *draw_fault;
} self;

static void system_bytes(void *out, size_t length)
{
	randombytes_buf(out, length);
}

/* The service does not start with a generator that fails its known answers or a source that fails
 * its first test. */
static void check_draws(void)
{
	char text[DRAW_HEALTH_TEXT_MAX];
	if (sodium_init() < 0)
		fatal("random numbers: libsodium cannot be initialised");
	if (card_draw_begin(&self.health, system_bytes) != RNG_SOUND)
		fatal("random numbers: found %s, expected the known answers of ChaCha20 (RFC 8439), "
		      "and a healthy sample of the system's source",
			draw_health_text(&self.health, text));
}

static void keys_path(char path_r[KEYS_PATH_MAX])
{
	(void)snprintf(path_r, KEYS_PATH_MAX, "%s/jackpot-cards/jackpot-cards.key", common.keys);
}

static void load_keys(struct numbered_keys *keys)
{
	char path[KEYS_PATH_MAX], error[NUMBERED_KEYS_ERROR_MAX];
	keys_path(path);
	(void)sodium_mlock(keys, sizeof(*keys)); /* if the system permits it */
	(void)numbered_keys_changed(path, &self.keys_file);
	enum numbered_keys_status status = numbered_keys_load(path, keys, error);
	if (status == NUMBERED_KEYS_MISSING) {
		/* A lost key of an open round is detected when the round is loaded. */
		if (!numbered_keys_create(path, error))
			fatal("%s", error);
		log_warn_as("cards.key.created",
			"%s did not exist: the service created it with a new key; keep a copy",
			path);
		status = numbered_keys_load(path, keys, error);
	}
	if (status != NUMBERED_KEYS_OK)
		fatal("%s", error);
	self.keys = keys;
}

/* `jackpotctl keys rotate cards` replaces the file in one step, some seconds before its new key is
 * used. A bad file is an alarm, and the service keeps its keys. */
void rounds_refresh_keys(void)
{
	char path[KEYS_PATH_MAX], error[NUMBERED_KEYS_ERROR_MAX];
	keys_path(path);
	if (!numbered_keys_changed(path, &self.keys_file))
		return;
	struct numbered_keys *fresh = sodium_malloc(sizeof(*fresh)); /* wiped when freed */
	if (fresh == NULL)
		fatal("out of memory");
	if (numbered_keys_load(path, fresh, error) != NUMBERED_KEYS_OK ||
		!numbered_keys_follow(path, fresh, self.keys, error)) {
		log_error_as("cards.keys.unreadable", "ALARM CARILLON_KEYS: %s", error);
	} else {
		if (fresh->count > self.keys->count)
			log_info("the file of keys has a new key: %" PRIu32,
				fresh->key[fresh->count - 1].number);
		*self.keys = *fresh;
	}
	sodium_free(fresh);
}

void rounds_start(struct numbered_keys *keys)
{
	check_draws();
	load_keys(keys);
	self.opened = metric_counter(
		"carillon_cards_rounds_opened_total", NULL, "Card rounds opened by a trigger.");
	self.repeated = metric_counter(
		"carillon_cards_claims_repeated_total", NULL, "Claims that were already known.");
	self.picks = metric_counter("carillon_cards_picks_total", NULL, "Cards turned up.");
	self.refused = metric_counter(
		"carillon_cards_picks_refused_total", NULL, "Picks answered with an error.");
	self.won = metric_counter("carillon_cards_won_total", NULL, "Levels won.");
	self.paid = metric_counter("carillon_cards_paid_cents_total", NULL,
		"Money paid for levels, in euro cents at the FX rate of each payment.");
	self.expired = metric_counter("carillon_cards_expired_total", NULL,
		"Abandoned rounds that the service played to their end.");
	self.again = metric_counter("carillon_cards_awards_repeated_total", NULL,
		"Awards sent again because the wallet had not booked them.");
	self.draw_fault = metric_gauge("carillon_cards_draw_fault", NULL,
		"1: the random numbers failed a health test, so no new card round starts.");
	self.unpriced = metric_counter("carillon_cards_unpriced_total", NULL,
		"Picks and triggers refused because a level could not be priced.");
}

void rounds_load(struct service *service, struct set_instance *instance)
{
	static struct card_play newest[NEWS_AGAIN];
	PGconn *conn = service_pg(service);
	uint32_t set = instance->set.number;
	rounds_refresh_keys(); /* the owner before may have used a newer key */
	instance->plays = round_store_open(conn, set, self.keys);
	instance->next_number = round_store_next(conn, set);
	size_t n = round_store_newest(conn, set, self.keys, newest, NEWS_AGAIN);
	for (size_t i = 0; i < n && stored_good(); i++)
		cards_send_hit(service, instance, &newest[i]);
	instance->awards_due = true;
}

/* ---- finding
 * ----------------------------------------------------------------------------------------------------------
 */

static bool same(const struct claim_id *a, const struct claim_id *b)
{
	return a->player == b->player && a->move == b->move && a->index == b->index;
}

/* NULL: not in memory, because it was won long ago or is unknown. */
static struct card_play *find(const struct set_instance *instance, const struct claim_id *id)
{
	struct card_play *play = instance->plays;
	while (play != NULL && !same(&play->id, id))
		play = play->next;
	return play;
}

/* ---- opening ---- */

/* The random numbers failed a test: no new card round is started. The claims stay open in the
 * wallet, which repeats them until a restarted service with healthy random numbers deals. */
static void stop_deals(struct service *service)
{
	char text[DRAW_HEALTH_TEXT_MAX], reason[DRAW_HEALTH_TEXT_MAX + 40];
	if (self.health.told)
		return;
	self.health.told = true;
	(void)snprintf(
		reason, sizeof(reason), "random numbers: %s", draw_health_text(&self.health, text));
	log_error_as("cards.draws.stopped",
		"ALARM %s: no new card round is started; rounds already open can be finished",
		reason);
	metric_set(self.draw_fault, 1);
	service_unhealthy(service, reason);
}

/* RULE mystic-gem 6.6, 6.8, 6.13: level and cards are drawn when the round opens, with the round's
 * own secret, whose hash is published at once. False: no cards can be dealt. */
static bool deal(struct service *service, struct set_instance *instance, struct card_play *play)
{
	/* Query it only if weights differ by game. */
	uint32_t game =
		instance->weights_n == 0 ? 0 : round_store_game(service_pg(service), &play->id);
	const uint32_t *weight =
		set_operator_weights(instance, player_operator(play->id.player), game);
	if (!stored_good()) /* other weights may hold for the game */
		return false;
	enum card_draw_status status =
		card_draw(&self.health, self.keys, system_bytes, weight, play);
	if (status == CARD_DRAW_NO_KEY)
		fatal("jackpot-cards.key: its current key cannot be used");
	if (status == CARD_DRAW_FAULT)
		stop_deals(service);
	return status == CARD_DRAW_OK;
}

static void open_round(
	struct service *service, struct set_instance *instance, const struct card_claim *claim)
{
	struct card_play *play = calloc(1, sizeof(*play));
	if (play == NULL)
		fatal("out of memory");
	*play = (struct card_play){
		.next = instance->plays,
		.id = claim->id,
		.number = instance->next_number,
		.currency = claim->currency,
		.stake_minor = claim->stake_minor,
		.wallet_shard = claim->wallet_shard,
		.wallet_seq = claim->wallet_seq,
		.claimed_us = claim->claimed_us,
		.opened_us = clock_wall_us(),
		.fresh = true,
	};
	play->expires_us = play->opened_us + instance->expire_us;
	if (!deal(service, instance, play)) {
		free(play);
		return;
	}
	round_store_odds(
		service_pg(service), instance->set.number, player_operator(play->id.player), play);
	instance->next_number++;
	instance->plays = play;
	instance->dirty = true;
	cards_send_round(service, instance, play, CARILLON__CARD_EVENT__CARD_OPENED);
	service_commit_soon(service);
	metric_add(self.opened, 1);
	log_info("set %u: round %" PRIu64 " opened for player %" PRId64 ", move %" PRIu64
		 ", index %u",
		instance->set.number, play->number, play->id.player, play->id.move, play->id.index);
}

/* ---- the price of a level
 * ---------------------------------------------------------------------------------------------
 */

/* The rate of the newest tally of the player's currency, at which their stakes are counted. */
static bool payout_of(
	const struct set_instance *instance, uint32_t currency, struct card_payout *payout_r)
{
	const struct pool_vector *vector = &instance->source.vector;
	const struct pool_tally *best = NULL;
	for (uint32_t i = 0; i < vector->tally_count; i++) {
		const struct pool_tally *tally = &vector->tally[i];
		if (tally->currency == currency &&
			(best == NULL || tally->open > best->open ||
				(tally->open == best->open && tally->id > best->id)))
			best = tally;
	}
	if (best == NULL)
		return false;
	*payout_r = (struct card_payout){ currency, best->exponent, best->rate_nano };
	return true;
}

static uint64_t set_hits(const struct card_set *set)
{
	uint64_t hits = 0;
	for (int i = 0; i < CARD_LEVELS; i++)
		hits += set->level[i].hits;
	return hits;
}

/* The wallet shards without whose newest stakes the level is priced; NULL: none. */
static char *left_out_of(const struct set_instance *instance)
{
	char text[ASKED_TOTALS_TEXT_MAX];
	const char *shards = asked_totals_left_out(&instance->asked, text);
	char *copy = shards == NULL ? NULL : strdup(shards);
	if (shards != NULL && copy == NULL)
		fatal("out of memory");
	return copy;
}

/* RULE mystic-gem 6.9, 6.10: the level pays its displayed value and starts again at its seed.
 * False, with nothing changed, if it cannot be priced; then the pick is refused too. */
static bool price(struct service *service, struct set_instance *instance, struct card_play *play)
{
	struct card_payout payout;
	enum card_level level = play->round.deal.level;
	const struct pool_row *row = &instance->set.level[level - CARD_CLUBS];
	if (!payout_of(instance, play->currency, &payout) ||
		card_set_hit(&instance->set, level, &payout, &play->price) != CARD_SET_OK) {
		metric_add(self.unpriced, 1);
		log_error_as("cards.round.unpayable",
			"ALARM set %u: round %" PRIu64 " cannot be paid in currency %u",
			instance->set.number, play->number, play->currency);
		return false;
	}
	play->paid_minor = play->price.price.paid_minor;
	play->hit = set_hits(&instance->set);
	play->version = ++instance->version;
	play->next_seed_minor = row->terms.seed_minor;
	if (card_set_value(&instance->set, level, &play->next_value_minor) != CARD_SET_OK)
		fatal("set %u: the value of a level overflows after a hit", instance->set.number);
	play->priced = true;
	play->left_out = left_out_of(instance);
	instance->levels_dirty = instance->unshown = instance->show_now = true;
	instance->awards_due = true;
	instance->awards_us = clock_mono_us();
	/* RULE mystic-gem 6.11: the prize goes to the balance at once and cannot be gambled. All
	 * three messages leave after the commit of the third card. */
	cards_send_award(service, instance, play, false);
	cards_send_round(service, instance, play, CARILLON__CARD_EVENT__CARD_WON);
	play->fact_seq = ++instance->fact_seq;
	cards_send_hit(service, instance, play);
	metric_add(self.won, 1);
	metric_add(
		self.paid, (uint64_t)(play->price.price.cost.e27 /
				      (INT64_C(10000000) * (int128)INT64_C(1000000000000000000))));
	log_info("set %u: round %" PRIu64 " won %s, hit %" PRIu64 ": %" PRId64
		 " paid in currency %u",
		instance->set.number, play->number, card_level_text(level), play->hit,
		play->paid_minor, play->currency);
	return true;
}

/* ---- picks
 * ------------------------------------------------------------------------------------------------------------
 */

/* Turns up one card; changes nothing unless OK. */
static enum card_pick_status turn(struct service *service, struct set_instance *instance,
	struct card_play *play, uint32_t pick, uint32_t position, bool *priced_r)
{
	struct card_round before = play->round;
	enum card_pick_status status = card_round_pick(&play->round, pick, position);
	*priced_r = true;
	if (status != CARD_PICK_OK)
		return status;
	if (!card_round_won(&play->round)) {
		cards_send_round(service, instance, play, CARILLON__CARD_EVENT__CARD_PICKED);
	} else if (!price(service, instance, play)) {
		play->round = before;
		*priced_r = false;
		return status;
	}
	play->dirty = true;
	instance->dirty = true;
	service_commit_soon(service);
	metric_add(self.picks, 1);
	return status;
}

static void answer_pick(struct service *service, struct set_instance *instance,
	struct card_play *play, const struct waiting_pick *pick)
{
	bool priced;
	enum card_pick_status status =
		turn(service, instance, play, pick->pick, pick->position, &priced);
	/* Show only committed state. */
	bool now = !play->fresh && !play->dirty;
	if (!priced) {
		cards_reply_fault(service, &pick->requester, 503, "not_priced",
			"The level cannot be paid now. The card stays face down. Pick it again.");
		return;
	}
	if (status != CARD_PICK_OK && status != CARD_PICK_REPEATED)
		metric_add(self.refused, 1);
	cards_reply(
		service, instance, play, &pick->requester, status, pick->pick, pick->position, now);
}

/* A pick that wins is priced with the stakes of all wallet shards, so that the level holds every
 * bet answered before the pick was sent. False: these are not known yet. */
static bool may_turn(
	struct set_instance *instance, const struct card_play *play, struct waiting_pick *pick)
{
	struct card_round round = play->round;
	if (card_round_pick(&round, pick->pick, pick->position) != CARD_PICK_OK ||
		!card_round_won(&round))
		return true;
	if (pick->question == 0)
		pick->question = asked_totals_want(&instance->asked);
	return asked_totals_complete(&instance->asked, pick->question);
}

/* Wherever it is: open in memory, open in the wallet alone because the feed is behind, or won long
 * ago and read into *old. NULL: the player has no such round. */
static struct card_play *find_anywhere(struct service *service, struct set_instance *instance,
	const struct claim_id *id, struct card_play *old)
{
	struct card_play *play = find(instance, id);
	struct card_claim claim;
	if (play != NULL)
		return play;
	if (round_store_find(service_pg(service), instance->set.number, id, self.keys, old)) {
		/* Only won rounds are not in memory, and nothing changes them. */
		if (stored_good() && !card_round_won(&old->round))
			stored_wrong("set %u: round %" PRIu64 " is open but not in memory",
				instance->set.number, old->number);
		return stored_good() ? old : NULL;
	}
	/* If a player knows of a trigger, the wallet has booked it. */
	if (!round_store_claim(service_pg(service), instance->set.number, id, &claim) ||
		!stored_good())
		return NULL;
	open_round(service, instance, &claim);
	return find(instance, id);
}

static void reply_stopped(struct service *service, const struct card_requester *requester)
{
	metric_add(self.refused, 1);
	cards_reply_fault(service, requester, 503, "cards_stopped",
		"No cards can be dealt now. The card round stays open. Pick the card again later.");
}

/* True: answered. False: it waits. */
static bool try_pick(
	struct service *service, struct set_instance *instance, struct waiting_pick *pick)
{
	struct card_play old, *play = find_anywhere(service, instance, &pick->id, &old);
	if (play == NULL) {
		if (self.health.told || !stored_good()) {
			reply_stopped(service, &pick->requester);
			return true;
		}
		metric_add(self.refused, 1);
		cards_reply_fault(service, &pick->requester, 404, "card_round_unknown",
			"This player has no card round with this id.");
		return true;
	}
	if (!may_turn(instance, play, pick))
		return false;
	answer_pick(service, instance, play, pick);
	return true;
}

/* The same pick, asked again by the same asker. */
static bool waits_already(const struct set_instance *instance, const struct waiting_pick *pick)
{
	const struct waiting_pick *at = instance->waiting;
	while (at != NULL && (at->requester.correlation != pick->requester.correlation ||
				     strcmp(at->requester.reply_to, pick->requester.reply_to) != 0))
		at = at->next;
	return at != NULL;
}

static void wait_for_totals(struct set_instance *instance, const struct waiting_pick *pick)
{
	struct waiting_pick *kept = malloc(sizeof(*kept));
	if (kept == NULL)
		fatal("out of memory");
	*kept = *pick;
	struct waiting_pick **end = &instance->waiting; /* in order of arrival */
	while (*end != NULL)
		end = &(*end)->next;
	*end = kept;
	instance->waiting_count++;
}

static bool requester_of(
	const Carillon__JackpotCommand *command, struct card_requester *requester_r)
{
	*requester_r = (struct card_requester){ .player = command->pick->player,
		.correlation = command->correlation };
	if (strlen(command->reply_to) >= sizeof(requester_r->reply_to)) {
		log_warn_as("cards.pick.unanswerable", "set %u: the reply_to of a pick is too long",
			command->pool);
		return false;
	}
	memcpy(requester_r->reply_to, command->reply_to, strlen(command->reply_to) + 1);
	return true;
}

void rounds_refuse(struct service *service, const Carillon__JackpotCommand *command)
{
	struct card_requester requester;
	if (requester_of(command, &requester))
		reply_stopped(service, &requester);
}

void rounds_pick(struct service *service, struct set_instance *instance,
	const Carillon__JackpotCommand *command)
{
	const Carillon__CardPick *body = command->pick;
	struct waiting_pick pick = {
		.id = { body->player, body->round, body->index },
		.pick = body->pick,
		.position = body->position,
	};
	if (!requester_of(command, &pick.requester))
		return;
	if (waits_already(instance, &pick) || try_pick(service, instance, &pick))
		return;
	if (instance->waiting_count < PICKS_WAITING_MAX) {
		wait_for_totals(instance, &pick);
		return;
	}
	metric_add(self.refused, 1);
	cards_reply_fault(service, &pick.requester, 503, "cards_busy",
		"Too many levels are being won at this moment. The card stays face down. Pick it "
		"again.");
}

/* Answers the winning picks whose totals are there. */
static void answer_waiting(struct service *service, struct set_instance *instance)
{
	struct waiting_pick **link = &instance->waiting;
	while (*link != NULL && stored_good()) {
		struct waiting_pick *pick = *link;
		if (!asked_totals_complete(&instance->asked, pick->question) ||
			!try_pick(service, instance, pick)) {
			link = &pick->next;
			continue;
		}
		*link = pick->next;
		instance->waiting_count--;
		free(pick);
	}
}

/* ---- claims
 * -----------------------------------------------------------------------------------------------------------
 */

void rounds_claim(
	struct service *service, struct set_instance *instance, const Carillon__JackpotFeed *feed)
{
	const Carillon__Claim *from = feed->claim;
	const struct card_claim claim = { { from->player, from->move, from->index }, from->currency,
		from->stake_minor, feed->shard, feed->envelope->seq, from->time_us };
	struct card_play *play = find(instance, &claim.id), old;
	if (play == NULL && !round_store_find(service_pg(service), instance->set.number, &claim.id,
				    self.keys, &old)) {
		open_round(service, instance, &claim);
		return;
	}
	metric_add(self.repeated, 1);
	/* Won: the award was lost or is not booked yet. */
	if (play == NULL && stored_good())
		cards_send_award(service, instance, &old, true);
}

/* ---- time
 * -------------------------------------------------------------------------------------------------------------
 */

/* RULE mystic-gem 6.6: every trigger is paid, even if the player never comes back. The price waits
 * for the totals of all wallet shards, as a player's winning pick does: then nothing happens yet.
 */
static bool play_out(struct service *service, struct set_instance *instance, struct card_play *play)
{
	bool priced = true;
	if (play->question == 0)
		play->question = asked_totals_want(&instance->asked);
	if (!asked_totals_complete(&instance->asked, play->question))
		return false;
	play->by_house = true;
	while (priced && !card_round_won(&play->round))
		if (turn(service, instance, play, play->round.picked + 1u,
			    card_round_next_position(&play->round), &priced) != CARD_PICK_OK)
			fatal("set %u: round %" PRIu64 " cannot be played to its end",
				instance->set.number, play->number);
	/* Not with these totals: others are asked for. */
	if (!priced)
		play->question = 0;
	return priced;
}

/* The wallet repeats an old claim only every ten minutes, too long for a player who has won. */
static void awards_again(struct service *service, struct set_instance *instance, uint64_t mono_us)
{
	static struct card_play unpaid[AWARDS_A_TURN];
	if (!instance->awards_due || mono_us < instance->awards_us + AWARDS_US)
		return;
	instance->awards_us = mono_us;
	size_t n = round_store_unpaid(
		service_pg(service), instance->set.number, self.keys, unpaid, AWARDS_A_TURN);
	for (size_t i = 0; i < n && stored_good(); i++)
		cards_send_award(service, instance, &unpaid[i], true);
	metric_add(self.again, n);
	instance->awards_due = n > 0;
}

void rounds_tick(struct service *service, struct set_instance *instance, uint64_t mono_us)
{
	uint64_t now_us = clock_wall_us();
	int left = EXPIRED_A_TURN;
	answer_waiting(service, instance);
	awards_again(service, instance, mono_us);
	for (struct card_play *play = instance->plays; play != NULL && left > 0 && stored_good();
		play = play->next)
		if (now_us >= play->expires_us && !card_round_won(&play->round)) {
			left--;
			if (play_out(service, instance, play))
				metric_add(self.expired, 1);
		}
}

void rounds_write(struct service *service, struct set_instance *instance)
{
	for (struct card_play *play = instance->plays; play != NULL; play = play->next)
		if (play->fresh || play->dirty)
			round_store_save(service_pg(service), instance->set.number, play);
}

/* Won rounds that are durable are read from the database from now on. */
void rounds_committed(struct set_instance *instance)
{
	struct card_play **link = &instance->plays;
	while (*link != NULL) {
		struct card_play *play = *link;
		if (!card_round_won(&play->round) || play->dirty) {
			link = &play->next;
			continue;
		}
		*link = play->next;
		sodium_memzero(play, sizeof(*play));
		free(play);
	}
}

int64_t rounds_open(const struct set_instance *instance)
{
	int64_t n = 0;
	for (const struct card_play *play = instance->plays; play != NULL; play = play->next)
		n++;
	return n;
}

void rounds_free(struct set_instance *instance)
{
	struct card_play *next;
	struct waiting_pick *after;
	for (struct card_play *play = instance->plays; play != NULL; play = next) {
		next = play->next;
		free(play);
	}
	for (struct waiting_pick *pick = instance->waiting; pick != NULL; pick = after) {
		after = pick->next;
		free(pick);
	}
	instance->plays = NULL;
	instance->waiting = NULL;
}
