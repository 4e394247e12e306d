#include "services/spin-engine/core/player.h"

#include <assert.h>
#include <string.h>

void player_init(player_id id, struct player *player_r)
{
	memset(player_r, 0, sizeof(*player_r));
	player_r->id = id;
}

void player_game_init(const struct game *game, struct player_game *play_r)
{
	memset(play_r, 0, sizeof(*play_r));
	game_state_init(game, &play_r->state);
}

uint64_t player_expect(const struct player *player)
{
	return player->account ? player->last_move + 1 : 0;
}

bool player_round_open(const struct player_game *play)
{
	return play && play->round.move != 0 && play->round.closed_by == 0;
}

bool player_feature_open(const struct player_game *play)
{
	return player_round_open(play) && play->state.open.cursor < play->round.phases;
}

bool player_cards_open(const struct player_game *play)
{
	return play && play->round.cards.index != 0 && !play->round.cards.booked;
}

/* RULE witch-feature 8.1, 8.3: until a request becomes a move, the last round stays as it is. */
struct money player_pending(const struct player_game *play)
{
	if (!player_round_open(play))
		return money_of(0);
	return money_of(play->round.feature_due.minor + play->state.open.gamble_pending.minor);
}

static enum player_outcome refuse(
	struct player_error *error, enum player_refusal refusal, const char *field, uint64_t found)
{
	*error = (struct player_error){
		.refusal = refusal, .field = field, .found = (int64_t)found, .min = 1, .max = 0
	};
	return PLAYER_REFUSE;
}

static enum player_outcome refuse_detail(
	struct player_error *error, enum player_refusal refusal, const char *field, int detail)
{
	refuse(error, refusal, field, 0);
	error->detail = detail;
	return PLAYER_REFUSE;
}

static bool is_house(enum player_verb verb)
{
	return verb == VERB_VOID || verb == VERB_RESOLVE;
}

static bool is_read_only(enum player_verb verb)
{
	return verb == VERB_STATE || verb == VERB_REPLAY;
}

/* Checks that the command names the round it may change. */
static enum player_outcome check_round(const struct player_game *play,
	const struct player_command *command, struct player_error *error_r)
{
	if (play->round.move == 0 || play->round.move != command->round)
		return refuse(error_r, REFUSED_ROUND, "round", command->round);
	if (play->round.closed_by != 0)
		return refuse(error_r, REFUSED_CLOSED, "round", command->round);
	return PLAYER_PROPOSE;
}

static enum player_outcome check_bet(const struct player_game *play, const struct game *game,
	const struct player_command *command, uint64_t now_us, struct player_error *error_r)
{
	struct bet_error bet_error;
	struct money stake;
	enum autoplay_status status;

	if (bet_check(game, &command->bet, &stake, &bet_error) != BET_OK) {
		*error_r = (struct player_error){ REFUSED_BET, (int)bet_error.status,
			bet_error.field, bet_error.found, bet_error.min, bet_error.max };
		return PLAYER_REFUSE;
	}
	if (player_feature_open(play)) /* never a second round while one is unfinished */
		return refuse(error_r, REFUSED_FEATURE_OPEN, "round", play->round.move);
	/* RULE mystic-gem 5.3: autoplay goes on; its next spin comes after the cards. RULE
	 * mystic-gem 6.7: they end nothing else of the game either */
	if (player_cards_open(play))
		return refuse(error_r, REFUSED_CARDS_OPEN, "round", play->round.closed_by);
	if (!command->autospin)
		return PLAYER_PROPOSE;
	status = autoplay_may_spin(
		game, &play->state.autoplay, command->autoplay_id, (int64_t)(now_us / 1000));
	if (status != AUTOPLAY_OK)
		return refuse_detail(error_r, REFUSED_AUTOPLAY, "bet.autoplay_id", (int)status);
	/* RULE mystery-elves 4.5 */
	if (game->mode[command->bet.mode].one_spin)
		return refuse_detail(error_r, REFUSED_AUTOPLAY, "bet.mode", (int)AUTOPLAY_ONE_SPIN);
	if (!autoplay_takes_bet(&play->state.autoplay, &play->round.bet, &command->bet))
		return refuse_detail(error_r, REFUSED_AUTOPLAY, "bet", (int)AUTOPLAY_OTHER_BET);
	return PLAYER_PROPOSE;
}

static enum player_outcome check_gamble(const struct player_game *play, const struct game *game,
	const struct player_command *command, struct player_error *error_r)
{
	enum player_outcome outcome = check_round(play, command, error_r);
	enum gamble_status status;

	if (outcome != PLAYER_PROPOSE)
		return outcome;
	if (command->verb == VERB_HALVE) {
		status = gamble_halve_check(game, &play->state);
	} else {
		status = gamble_check(game, &play->state);
		if (status == GAMBLE_OK && command->choice > GUESS_BLACK) {
			*error_r = (struct player_error){ REFUSED_CHOICE, 0, "choice",
				command->choice, GUESS_RED, GUESS_BLACK };
			return PLAYER_REFUSE;
		}
	}
	if (status != GAMBLE_OK)
		return refuse_detail(error_r, REFUSED_GAMBLE, "action", (int)status);
	return PLAYER_PROPOSE;
}

static enum player_outcome check_autoplay(const struct player_game *play, const struct game *game,
	const struct player_command *command, struct player_error *error_r)
{
	struct autoplay trial;
	enum autoplay_status status;

	if (command->autoplay.spins == 0)
		return autoplay_running(&play->state.autoplay) ? PLAYER_PROPOSE : PLAYER_ANSWER;
	status = autoplay_start(game, &command->autoplay, &trial);
	if (status != AUTOPLAY_OK)
		return refuse_detail(error_r, REFUSED_AUTOPLAY, "autoplay", (int)status);
	return PLAYER_PROPOSE;
}

/* A repeated step counts once. A pick that was not made is no repeat: its phase is over. */
static bool is_repeat(const struct play_round *round, const struct player_command *command)
{
	if (command->verb != VERB_PICK || round->pick_count >= PLAYER_PICKS_MAX)
		return true;
	for (uint32_t i = 0; i < round->pick_count; i++)
		if (round->pick[i] == command->choice)
			return true;
	return false;
}

static enum player_outcome check_step(const struct player_game *play,
	const struct player_command *command, struct player_error *error_r)
{
	enum player_outcome outcome = check_round(play, command, error_r);

	if (outcome != PLAYER_PROPOSE)
		return outcome;
	if (command->cursor < play->state.open.cursor && is_repeat(&play->round, command))
		return PLAYER_ANSWER;
	if (command->cursor != play->state.open.cursor || !player_feature_open(play)) {
		*error_r = (struct player_error){ REFUSED_CURSOR, 0, "cursor", command->cursor,
			play->state.open.cursor, play->state.open.cursor };
		return PLAYER_REFUSE;
	}
	return PLAYER_STEP;
}

static enum player_outcome check_void(const struct player_game *play,
	const struct player_command *command, struct player_error *error_r)
{
	if (play->round.move == 0 || play->round.move != command->round)
		return refuse(error_r, REFUSED_ROUND, "round", command->round);
	if (play->round.voided &&
		command->has_request_id) /* another request for a round that is already void */
		return refuse(error_r, REFUSED_VOID, "round", command->round);
	if (play->round.voided) /* a retry: already done */
		return PLAYER_ANSWER;
	return PLAYER_PROPOSE;
}

static enum player_outcome check_verb(const struct player_game *play, const struct game *game,
	const struct player_command *command, uint64_t now_us, struct player_error *error_r)
{
	enum player_outcome outcome;

	switch (command->verb) {
	case VERB_BET: /* RULE mystic-gem 3.14: refused while a feature runs */
		return check_bet(play, game, command, now_us, error_r);
	case VERB_PICK:
	case VERB_NEXT:
		return check_step(play, command, error_r);
	case VERB_COLLECT: /* RULE mystic-gem 8.1: leaving the game does this too */
		outcome = check_round(play, command, error_r);
		if (outcome == PLAYER_PROPOSE && player_feature_open(play))
			return refuse(error_r, REFUSED_FEATURE_OPEN, "round", play->round.move);
		return outcome;
	case VERB_RESOLVE:
		outcome = check_round(play, command, error_r);
		/* the house acts on an earlier reading; the round may have closed since */
		return outcome == PLAYER_REFUSE ? PLAYER_ANSWER : outcome;
	case VERB_GAMBLE:
	case VERB_HALVE:
		return check_gamble(play, game, command, error_r);
	case VERB_AUTOPLAY:
		return check_autoplay(play, game, command, error_r);
	case VERB_VOID:
		return check_void(play, command, error_r);
	case VERB_WITCH:
	case VERB_OPEN:
	case VERB_STATE:
	case VERB_REPLAY:
		break;
	}
	return PLAYER_ANSWER;
}

static enum player_outcome check_open(const struct player *player,
	const struct player_command *command, struct player_error *error_r)
{
	if (!player->account)
		return PLAYER_PROPOSE;
	if (player->currency != command->currency) {
		refuse(error_r, REFUSED_CURRENCY, "currency", command->currency);
		error_r->min = error_r->max = player->currency;
		return PLAYER_REFUSE;
	}
	return PLAYER_ANSWER;
}

enum player_outcome player_repeat(const struct player *player, const struct player_command *command,
	struct player_error *error_r)
{
	if (!command->has_request_id || player->last_move == 0)
		return PLAYER_PROPOSE;
	if (memcmp(command->request_id, player->last.request_id, PLAYER_ID_BYTES) == 0) {
		if (memcmp(command->content_hash, player->last.content_hash, PLAYER_ID_BYTES) == 0)
			return PLAYER_STORED;
		return refuse(error_r, REFUSED_CONTENT, "Idempotency-Key", 0);
	}
	for (uint32_t i = 0; i < player->seen_count; i++) {
		const struct player_seen *seen = &player->seen[i];

		if (memcmp(command->request_id, seen->request_id, PLAYER_SEEN_BYTES) != 0)
			continue;
		if (memcmp(command->content_hash, seen->content_hash, PLAYER_SEEN_BYTES) != 0)
			return refuse(error_r, REFUSED_CONTENT, "Idempotency-Key", 0);
		if (seen->refusal != 0)
			return refuse_detail(error_r, REFUSED_BEFORE, NULL, (int)seen->refusal);
		return refuse(error_r, REFUSED_DONE, "Idempotency-Key", seen->move);
	}
	return PLAYER_PROPOSE;
}

/* Checks the move number. A retry is answered from the record; nothing is drawn twice. */
static enum player_outcome check_number(const struct player *player,
	const struct player_command *command, struct player_error *error_r)
{
	uint64_t next = player_expect(player);
	enum player_outcome outcome = player_repeat(player, command, error_r);
	enum player_refusal refusal;

	if (outcome != PLAYER_PROPOSE)
		return outcome;
	if (is_house(command->verb) || command->verb == VERB_WITCH || command->expect == next)
		return PLAYER_PROPOSE;
	if (command->expect > next)
		return PLAYER_WAIT;
	refusal = REFUSED_MOVE_SPENT;
	*error_r = (struct player_error){ refusal, 0, "expect", (int64_t)command->expect,
		(int64_t)next, (int64_t)next };
	return PLAYER_REFUSE;
}

enum player_outcome player_check(const struct player *player, const struct player_game *play,
	const struct game *game, const struct player_command *command, uint64_t now_us,
	struct player_error *error_r)
{
	enum player_outcome outcome;

	if (command->verb == VERB_OPEN)
		return check_open(player, command, error_r);
	if (!player->account)
		return refuse(error_r, REFUSED_NO_ACCOUNT, "player", 0);
	if (is_read_only(command->verb))
		return PLAYER_ANSWER;
	outcome = check_number(player, command, error_r);
	if (outcome != PLAYER_PROPOSE)
		return outcome;
	if (!play || !game)
		return refuse(error_r, REFUSED_NO_GAME, "game", 0);
	if (command->verb == VERB_WITCH)
		return PLAYER_STEP;
	if (command->not_after_us != 0 && now_us > command->not_after_us)
		return refuse(error_r, REFUSED_LATE, "not_after_us", command->not_after_us);
	if ((command->verb == VERB_BET || command->verb == VERB_GAMBLE) && player->blocked)
		return refuse(error_r, REFUSED_BLOCKED, "player", 0);
	if (command->verb == VERB_BET && command->bonus) {
		enum player_refusal refusal =
			player_bonus_spins_check(player, game->number, command, now_us);

		if (refusal != REFUSED_NOTHING)
			return refuse(error_r, refusal, "bonus_spin", 0);
	}
	return check_verb(play, game, command, now_us, error_r);
}

/* ---- facts ---- */

static void adopt_money(struct player *player, const struct player_fact *fact)
{
	if (fact->seq <= player->money_seq)
		return;
	player->money_seq = fact->seq;
	player->balance = fact->balance_after;
}

/* Derives the salt after a row without a readable record. Any bytes will do, because the service
 * key is the secret; but every engine must derive the same bytes. */
static void next_salt_of_alien(struct player_salt *salt, uint64_t move)
{
	for (uint32_t i = 0; i < PLAYER_SALT_BYTES; i++)
		salt->bytes[i] ^= (uint8_t)(0x5a + (move >> (8 * (i % 8))));
}

/* Moves the last move to the earlier ones, before a new last move. */
static void note_seen(struct player *player)
{
	static const uint8_t none[PLAYER_ID_BYTES];
	const struct player_last *last = &player->last;
	struct player_seen *seen;

	if (player->last_move == 0 || memcmp(last->request_id, none, PLAYER_ID_BYTES) == 0)
		return;
	if (player->seen_count == PLAYER_SEEN_MAX) {
		memmove(player->seen, player->seen + 1,
			(PLAYER_SEEN_MAX - 1) * sizeof(player->seen[0]));
		player->seen_count--;
	}
	seen = &player->seen[player->seen_count++];
	seen->move = player->last_move;
	seen->refusal = last->refusal;
	memcpy(seen->request_id, last->request_id, PLAYER_SEEN_BYTES);
	memcpy(seen->content_hash, last->content_hash, PLAYER_SEEN_BYTES);
}

bool player_knows(const struct player *player, const struct player_fact *fact)
{
	bool opens = fact->kind == PLAYER_MOVE_OPEN;

	if (fact->kind == PLAYER_MOVE_NONE || (opens && fact->refusal != 0))
		return true;
	return player->account && (opens || fact->move <= player->last_move);
}

enum player_adopt player_adopt(struct player *player, struct player_game *play,
	const struct player_fact *fact, const struct player_record *record)
{
	bool opens = fact->kind == PLAYER_MOVE_OPEN;
	enum player_adopt result = ADOPT_TAKEN;

	adopt_money(player, fact);
	if (player_knows(player, fact))
		return ADOPT_KNOWN;
	if (!opens && (!player->account || fact->move != player->last_move + 1))
		result = ADOPT_SKIPPED;
	note_seen(player);
	player->account = true;
	player->last_move = fact->move;
	if (fact->currency)
		player->currency = fact->currency;
	player->last = (struct player_last){ .kind = fact->kind,
		.refusal = fact->refusal,
		.game = fact->game,
		.round = fact->round };
	memcpy(player->last.request_id, fact->request_id, PLAYER_ID_BYTES);
	player_bonus_spins_fold(player, fact);
	if (!record) {
		next_salt_of_alien(&player->salt, fact->move);
		return result;
	}
	player->salt = record->next;
	memcpy(player->last.content_hash, record->content_hash, PLAYER_ID_BYTES);
	if (fact->refusal != 0) /* only move number and salt advance */
		return result;
	player->last.collected = record->collected;
	if (play && record->has_game) {
		uint64_t version = play->version;
		bool booked =
			play->round.move == record->game.round.move && play->round.cards.booked;

		*play = record->game;
		play->round.cards.booked |= booked;
		play->move = fact->move;
		if (play->version < version)
			play->version = version;
	}
	return result;
}

void player_award(struct player *player, const struct player_award *award)
{
	if (player_award_of(player, award->move, award->index))
		return;
	if (player->award_count == PLAYER_AWARDS_MAX) {
		memmove(player->award, player->award + 1,
			(PLAYER_AWARDS_MAX - 1) * sizeof(player->award[0]));
		player->award_count--;
	}
	player->award[player->award_count++] = *award;
}

bool player_cards_booked(struct player_game *play, const struct player_award *award)
{
	if (!player_cards_open(play) || play->round.closed_by != award->move ||
		play->round.cards.index != award->index)
		return false;
	play->round.cards.booked = true;
	play->version++;
	return true;
}

const struct player_award *player_award_of(
	const struct player *player, uint64_t move, uint32_t index)
{
	for (uint32_t i = 0; i < player->award_count; i++)
		if (player->award[i].move == move && player->award[i].index == index)
			return &player->award[i];
	return NULL;
}

uint64_t player_gap_left_us(const struct player_game *play, uint64_t gap_us, uint64_t now_us)
{
	uint64_t opened_us = play->round.opened_us;

	if (play->round.move == 0 || opened_us > now_us || now_us - opened_us >= gap_us)
		return 0;
	return gap_us - (now_us - opened_us);
}

struct money player_hidden(const struct player *player, const struct player_game *play)
{
	struct money hidden = money_of(0);

	if (!player_round_open(play))
		return hidden;
	for (uint32_t i = 0; i < player->award_count; i++) {
		const struct player_award *award = &player->award[i];

		if (award->move == play->round.move && award->index > play->round.claims_shown &&
			!money_add(hidden, award->paid, &hidden))
			break;
	}
	return hidden;
}
