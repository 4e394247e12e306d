/* Compares the player's own record with the journal and the history, both by the public interface:
 * at the end, and also each time a number of rounds has been played (--read-back). A record is
 * forgotten once it is compared, so that neither the end nor the memory grows with the play. */
#include "tests/support/players/player.h"

#include "libcommon/io/clock.h"
#include "tests/support/players/events.h"
#include "tests/support/players/stats.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 100
#define TRIES_MAX 30 /* half a second apart, for awards still on their way */
#define REVEALS_MAX 3
/* Reading back leaves so many of the newest rounds to the next time: the secrets that the end asks
 * for are those of the last rounds, and what is told of a round after its end follows it closely.
 */
#define LEFT_ROUNDS REVEALS_MAX
#define HISTORY_MIN 50 /* rounds a page: a page too short may not reach the bet of the oldest */

/* Rows and rounds that the record lets expect; a full page where there are more. */
static int page_size(const struct player *player, enum op_kind kind)
{
	const struct record *record = &player->record;
	size_t wanted = kind == OP_JOURNAL
				? record->moves.n + record->deposits.n + record->jackpots.n + 2
				: record->rounds.n + 2;
	if (kind == OP_ROUNDS && wanted < HISTORY_MIN)
		wanted = HISTORY_MIN;
	return wanted < PAGE ? (int)wanted : PAGE;
}

static void page(struct player *player, enum op_kind kind, const json_t *next)
{
	struct op *op = player_begin(player, kind);
	int length = snprintf(op->path, sizeof(op->path), "/v1/%s?limit=%d",
		kind == OP_JOURNAL ? "journal" : "rounds", page_size(player, kind));
	size_t room = sizeof(op->path) - (size_t)length;
	if (json_is_integer(next))
		snprintf(op->path + length, room, "&before=%" PRId64,
			(int64_t)json_integer_value(next));
	else if (json_is_string(next))
		snprintf(op->path + length, room, "&before=%.100s", json_string_value(next));
}

void audit_plan(struct player *player)
{
	uint64_t n = (uint64_t)player->crowd->options->read_back;
	if (n) /* not all players at the same time */
		player->read_back_at = LEFT_ROUNDS + 1 + (size_t)((uint64_t)player->number % n);
}

/* Nothing of what was told is open: all of it can be compared. */
bool audit_due(const struct player *player)
{
	return player->read_back_at && player->record.rounds.n >= player->read_back_at &&
	       !(player->round.present && !player->round.closed) && !player->cards.open &&
	       strcmp(player->round.next, "cards") != 0;
}

static void play_on(struct player *player)
{
	player->stage = PLAYER_PLAYS;
	player->asking = false;
}

void audit_begin(struct player *player)
{
	player->rows.n = player->history_n = 0;
	if (!player->token[0] || (!player->record.base_seq && !player->record.moves.n)) {
		audit_finish(player);
		return;
	}
	page(player, OP_JOURNAL, NULL);
}

void audit_finish(struct player *player)
{
	player->stage = PLAYER_DONE;
	player->asking = false;
	player->crowd->active--;
	crowd_progress(player->crowd);
}

static void mismatch(void *context, const char *text)
{
	const struct player *player = context;
	stats_mismatch("player %" PRId64 ": %s", player->number, text);
}

static void turn_rows(struct player *player)
{
	for (size_t i = 0, j = player->rows.n; i + 1 < j; i++) {
		struct ledger_row row = player->rows.at[i];
		player->rows.at[i] = player->rows.at[--j];
		player->rows.at[j] = row;
	}
}

static void compare(struct player *player)
{
	struct record *record = &player->record;
	bool reads_back = player->stage == PLAYER_READS_BACK;
	turn_rows(player);
	size_t missing = record_awards_missing(record, player->rows.at, player->rows.n);
	if (missing && reads_back) {
		/* Nobody can say how long an award may be on its way: some rounds later, then. */
		player->read_back_at =
			record->rounds.n + (size_t)player->crowd->options->read_back / 2 + 1;
		play_on(player);
		return;
	}
	if (missing && ++player->audit_tries < TRIES_MAX) {
		player->asking = false;
		crowd_schedule(player, clock_mono_us() + 500000);
		return;
	}
	size_t told = record->rounds.n;
	record_settle(record, player->rows.at, player->rows.n);
	stats.rounds_told += record->rounds.n - told;
	stats.rows_compared += reads_back ? 0 : player->rows.n;
	record_compare(record, player->rows.at, player->rows.n, mismatch, player);
	player->compared_until =
		reads_back ? record->rounds.at[record->rounds.n - LEFT_ROUNDS].round : UINT64_MAX;
	ledger_rounds_make(&player->ledger, player->rows.at, player->rows.n);
	page(player, OP_ROUNDS, NULL);
}

/* True when there is another page and it is wanted. */
static bool more(struct player *player, enum op_kind kind, const json_t *json, bool reached)
{
	const json_t *next = json_object_get(json, "next");
	if (reached || (!json_is_integer(next) && !json_is_string(next)))
		return false;
	page(player, kind, next);
	return true;
}

static void journal_page(struct player *player, const json_t *json)
{
	const json_t *rows = json_object_get(json, "rows"), *item;
	bool reached = json_array_size(rows) == 0;
	size_t i;
	json_array_foreach(rows, i, item)
	{
		struct ledger_row row;
		if (!row_read(item, &row)) {
			stats_error(
				"player %" PRId64 ": a journal row cannot be read", player->number);
			continue;
		}
		if (row.seq <= player->record.base_seq) {
			reached = true;
			break;
		}
		*LIST_ADD(&player->rows) = row;
	}
	if (!more(player, OP_JOURNAL, json, reached))
		compare(player);
}

static void history_round(struct player *player, const json_t *item)
{
	int64_t stake, win, awards;
	uint64_t round = (uint64_t)json_number(item, "round", 0);
	ledger_round(&player->ledger, round, &stake, &win, &awards);
	int64_t told_stake = json_money(item, "stake"), told_win = json_money(item, "win");
	struct recorded_round *told = record_round(&player->record, round);
	stats.rounds_compared++;
	if (!told)
		stats_mismatch("player %" PRId64 ": the history has round %" PRIu64
			       " that was never told",
			player->number, round);
	else if (told_stake != stake || told->stake != stake)
		stats_mismatch("player %" PRId64 " round %" PRIu64
			       ": the history has stake %" PRId64 ", the ledger %" PRId64
			       ", told was %" PRId64,
			player->number, round, told_stake, stake, told->stake);
	else if (!ledger_round_won(&player->ledger, round, told_win))
		stats_mismatch("player %" PRId64 " round %" PRIu64 ": the history has win %" PRId64
			       ", the ledger %" PRId64 " and jackpots %" PRId64,
			player->number, round, told_win, win, awards);
}

/* The secrets of some rounds that the next bet closed, and so nobody showed. */
static void reveal(struct player *player)
{
	const struct record *record = &player->record;
	while (player->reveals < REVEALS_MAX && player->reveals < record->rounds.n) {
		size_t at = record->rounds.n - 1 - player->reveals++;
		const struct recorded_round *told = &record->rounds.at[at];
		if (!told->has_hash || told->checked)
			continue;
		struct op *op = player_begin(player, OP_REVEAL);
		op->round = told->round;
		snprintf(op->path, sizeof(op->path), "/v1/rounds/%" PRIu64, told->round);
		return;
	}
	audit_finish(player);
}

static void revealed(struct player *player, const json_t *json)
{
	struct recorded_round *told = record_round(&player->record, player->op.round);
	const json_t *inside = json_object_get(json, "round");
	uint8_t secret[32], hash[32];
	const char *hex = json_text(json_is_object(inside) ? inside : json, "secret");
	if (told && hex_read(hex, secret, sizeof(secret))) {
		crypto_hash_sha256(hash, secret, sizeof(secret));
		told->checked = true;
		stats.secrets_checked++;
		if (memcmp(hash, told->secret_hash, sizeof(hash)) != 0)
			stats_mismatch("player %" PRId64 " round %" PRIu64
				       ": the secret in the history does not have the hash told",
				player->number, told->round);
	}
	reveal(player);
}

static bool seen_in_news(const struct player *player, const struct recorded_jackpot *told)
{
	return !options_have_news(player->crowd->options) ||
	       events_saw_winner(told->pool, told->coin_minor, told->paid);
}

static bool may_be_shown(const struct player *player, uint64_t round)
{
	for (size_t i = 0; i < player->crowd->games_n; i++)
		if (player->shown[i] == round)
			return true;
	return false;
}

/* Those of which nothing more can be told, and nothing more has to be found. */
static void forget_jackpots(struct player *player)
{
	struct record *record = &player->record;
	size_t left = 0;
	for (size_t i = 0; i < record->jackpots.n; i++) {
		const struct recorded_jackpot *told = &record->jackpots.at[i];
		if (!told->compared || !told->paid || may_be_shown(player, told->round) ||
			!seen_in_news(player, told))
			record->jackpots.at[left++] = *told;
	}
	record->jackpots.n = left;
}

static void fold(struct player *player)
{
	struct record *record = &player->record;
	size_t folded =
		record_fold(record, player->rows.at, player->rows.n, player->compared_until);
	stats.rows_compared += folded;
	forget_jackpots(player);
	/* A ledger that lacks the move was found fault with, and is again at the end. */
	player->read_back_at =
		folded ? record->rounds.n + (size_t)player->crowd->options->read_back : 0;
	play_on(player);
}

static void history_page(struct player *player, const json_t *json)
{
	const struct record *record = &player->record;
	const json_t *rounds = json_object_get(json, "rounds"), *item;
	bool reached = json_array_size(rounds) == 0;
	size_t i;
	json_array_foreach(rounds, i, item)
	{
		uint64_t round = (uint64_t)json_number(item, "round", 0);
		if (round >= player->compared_until)
			continue;
		if (round <= record->base_move) {
			reached = true;
			break;
		}
		history_round(player, item);
		player->history_n++;
	}
	if (more(player, OP_ROUNDS, json, reached))
		return;
	bool reads_back = player->stage == PLAYER_READS_BACK;
	size_t told = record->rounds.n - (reads_back ? LEFT_ROUNDS : 0);
	if (player->history_n != told)
		stats_mismatch("player %" PRId64 ": told %zu rounds, the history has %zu",
			player->number, told, player->history_n);
	if (reads_back)
		fold(player);
	else
		reveal(player);
}

void audit_answered(struct player *player, const json_t *json)
{
	crowd_progress(player->crowd);
	if (player->op.kind == OP_JOURNAL)
		journal_page(player, json);
	else if (player->op.kind == OP_ROUNDS)
		history_page(player, json);
	else
		revealed(player, json);
}
