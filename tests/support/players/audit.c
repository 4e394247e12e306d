/* At the end: the player's own record against the journal and the history, both as the public
 * interface tells them. */
#include "tests/support/players/player.h"

#include "libcommon/io/clock.h"
#include "tests/support/players/stats.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 100
#define TRIES_MAX 30 /* half a second apart, for awards still on their way */
#define REVEALS_MAX 3

static void page(struct player *player, enum op_kind kind, const json_t *next)
{
	struct op *op = player_begin(player, kind);
	int length = snprintf(op->path, sizeof(op->path), "/v1/%s?limit=%d",
		kind == OP_JOURNAL ? "journal" : "rounds", PAGE);
	size_t room = sizeof(op->path) - (size_t)length;
	if (json_is_integer(next))
		snprintf(op->path + length, room, "&before=%" PRId64,
			(int64_t)json_integer_value(next));
	else if (json_is_string(next))
		snprintf(op->path + length, room, "&before=%.100s", json_string_value(next));
}

void audit_begin(struct player *player)
{
	player->rows.n = 0;
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
	turn_rows(player);
	if (record_awards_missing(&player->record, player->rows.at, player->rows.n) &&
		++player->audit_tries < TRIES_MAX) {
		player->asking = false;
		crowd_schedule(player, clock_mono_us() + 500000);
		return;
	}
	record_settle(&player->record, player->rows.at, player->rows.n);
	stats.rows_compared += player->rows.n;
	record_compare(&player->record, player->rows.at, player->rows.n, mismatch, player);
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
	struct told_round *told = record_round(&player->record, round);
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
		const struct told_round *told = &record->rounds.at[at];
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
	struct told_round *told = record_round(&player->record, player->op.round);
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

static void history_page(struct player *player, const json_t *json)
{
	const json_t *rounds = json_object_get(json, "rounds"), *item;
	bool reached = json_array_size(rounds) == 0;
	size_t i;
	json_array_foreach(rounds, i, item)
	{
		if ((uint64_t)json_number(item, "round", 0) <= player->record.base_move) {
			reached = true;
			break;
		}
		history_round(player, item);
		player->history_n++;
	}
	if (more(player, OP_ROUNDS, json, reached))
		return;
	if (player->history_n != player->record.rounds.n)
		stats_mismatch("player %" PRId64 ": told %zu rounds, the history has %zu",
			player->number, player->record.rounds.n, player->history_n);
	reveal(player);
}

void audit_answered(struct player *player, const json_t *json)
{
	if (player->op.kind == OP_JOURNAL)
		journal_page(player, json);
	else if (player->op.kind == OP_ROUNDS)
		history_page(player, json);
	else
		revealed(player, json);
}
