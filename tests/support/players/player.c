#include "tests/support/players/player.h"

#include "libcommon/io/clock.h"
#include "tests/support/players/stats.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BACKOFF_FIRST_US 10000u
#define BACKOFF_MAX_US 250000u
/* Of a crowd: all of them together ask again at most so often a second. */
#define AGAIN_PER_S 2000u
/* Answers that make no sense, in a row, after which a player gives up: an error stands in the
 * record by then. */
#define STRANGE_MAX 20
/* Rounds at a game, on average, before a player takes another. */
#define MOVE_ON_EVERY 20

/* ---- asking ------------------------------------------------------------------------------- */

struct op *player_begin(struct player *player, enum op_kind kind)
{
	player->op = (struct op){ .kind = kind, .expect = player->expect };
	player->asking = true;
	/* The process's start is part of the key: a second run is a new client. */
	snprintf(player->op.key, sizeof(player->op.key), "%" PRIx64 "-%" PRIx64,
		player_random(player), clock_wall_us());
	return &player->op;
}

__attribute__((format(printf, 2, 3))) static void body(struct op *op, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(op->body, sizeof(op->body), format, arguments);
	va_end(arguments);
}

void player_send(struct player *player, uint64_t now_us)
{
	const struct options *options = player->crowd->options;
	struct op *op = &player->op;
	if (!op->first_us)
		op->first_us = now_us;
	op->tries++;
	op->sent_us = now_us;
	const char *token = op->kind == OP_SESSION   ? NULL
			    : op->kind == OP_DEPOSIT ? options->operator_key
						     : player->token;
	bool post = op->body[0] != 0;
	http_send(player->line, post ? "POST" : "GET", op->path, token, post ? op->key : NULL,
		post ? op->body : NULL);
}

static void session_body(const struct player *player, char *text, size_t size)
{
	snprintf(text, size, "{\"player\":%" PRId64 ",\"currency\":\"%s\"}", player->number,
		player->crowd->options->currency);
}

static void begin_session(struct player *player)
{
	struct op *op = player_begin(player, OP_SESSION);
	snprintf(op->path, sizeof(op->path), "/v1/demo/sessions");
	session_body(player, op->body, sizeof(op->body));
}

void player_begin_state(struct player *player)
{
	struct op *op = player_begin(player, OP_STATE);
	snprintf(op->path, sizeof(op->path), "/v1/state?game=%s", player->game->id);
}

static void begin_deposit(struct player *player)
{
	struct op *op = player_begin(player, OP_DEPOSIT);
	snprintf(op->path, sizeof(op->path),
		"/v1/operators/%" PRId64 "/players/%" PRId64 "/deposits",
		player->crowd->options->operator_id, player->number);
	op->stake = PLAYER_DEPOSIT_MINOR;
	body(op, "{\"amount_minor\":%d,\"currency\":\"%s\"}", PLAYER_DEPOSIT_MINOR,
		player->crowd->options->currency);
}

static void begin_bet(struct player *player)
{
	struct op *op = player_begin(player, OP_BET);
	struct bet_choice bet;
	bet_choose(player, &bet);
	op->stake = bet.stake;
	op->coin_minor = bet.coin;
	op->mode = bet.mode;
	op->pending = player->round.present && !player->round.closed ? player->round.pending : 0;
	snprintf(op->path, sizeof(op->path), "/v1/rounds");
	body(op,
		"{\"game\":\"%s\",\"expect\":%" PRIu64 ",\"bet\":{\"coin_minor\":%" PRId64
		",\"lines\":%" PRId64 ",\"coins\":%" PRId64
		",\"mode\":\"%s\"},\"nonce\":\"%016" PRIx64 "%016" PRIx64 "\"}",
		player->game->id, op->expect, bet.coin, bet.lines, bet.coins,
		player->game->mode[bet.mode].id, player_random(player), player_random(player));
}

static void begin_action(struct player *player, enum op_kind kind)
{
	static const char *const names[] = { [OP_PICK] = "pick",
		[OP_NEXT] = "next",
		[OP_COLLECT] = "collect",
		[OP_GAMBLE] = "gamble",
		[OP_HALVE] = "halve" };
	struct op *op = player_begin(player, kind);
	char more[64] = "";
	op->round = player->round.round;
	op->pending = player->round.pending;
	if (kind == OP_PICK)
		snprintf(more, sizeof(more), ",\"cursor\":%" PRIu32 ",\"choice\":%" PRIu32,
			player->round.cursor,
			((uint32_t)op->round * 7 + player->picks) % player->game->pick_outcomes);
	else if (kind == OP_NEXT)
		snprintf(more, sizeof(more), ",\"cursor\":%" PRIu32, player->round.cursor);
	else if (kind == OP_GAMBLE)
		snprintf(more, sizeof(more), ",\"choice\":%d", (int)(player_random(player) % 2));
	snprintf(op->path, sizeof(op->path), "/v1/rounds/%" PRIu64 "/actions", op->round);
	body(op, "{\"game\":\"%s\",\"expect\":%" PRIu64 ",\"action\":\"%s\"%s}", player->game->id,
		op->expect, names[kind], more);
}

/* ---- what next ---------------------------------------------------------------------------- */

static bool next_is(const struct player *player, const char *next)
{
	return player->round.present && !player->round.closed &&
	       strcmp(player->round.next, next) == 0;
}

/* The stage of the open round, where there is one that must or may be gone on with. */
static bool begin_stage(struct player *player)
{
	bool stopping = player->crowd->stopping;
	if (next_is(player, "pick")) {
		begin_action(player, OP_PICK);
	} else if (next_is(player, "next")) {
		begin_action(player, OP_NEXT);
	} else if (next_is(player, "gamble")) {
		uint64_t dice = player_random(player) % 100;
		if (!stopping && dice < (uint64_t)player->crowd->options->gamble_percent)
			begin_action(player,
				player->game->halves && dice % 4 == 0 ? OP_HALVE : OP_GAMBLE);
		else if (stopping || dice % 2)
			begin_action(player, OP_COLLECT);
		else
			return false; /* the next bet collects it */
	} else {
		return false;
	}
	return true;
}

static bool rounds_left(struct crowd *crowd)
{
	if (crowd->stopping)
		return false;
	if (crowd->options->rounds && crowd->rounds_begun >= (uint64_t)crowd->options->rounds)
		crowd->stopping = true;
	return !crowd->stopping;
}

/* Now and then to another game, with nothing left open behind. */
static void move_on(struct player *player)
{
	const struct crowd *crowd = player->crowd;
	if (crowd->games_n == 1 || (player->round.present && !player->round.closed) ||
		player_random(player) % MOVE_ON_EVERY != 0)
		return;
	player->game = &crowd->game[player_random(player) % crowd->games_n];
	memset(&player->round, 0, sizeof(player->round));
}

/* True when a bet was begun; else the player waits for its time or is through. */
static bool begin_round(struct player *player, uint64_t now_us)
{
	struct crowd *crowd = player->crowd;
	bool over = player->broke || !rounds_left(crowd);
	if (over || audit_due(player)) {
		player->stage = over ? PLAYER_AUDITS : PLAYER_READS_BACK;
		audit_begin(player);
		return true;
	}
	/* Cards that the answer did not name: the state does. */
	if (player->round.present && strcmp(player->round.next, "cards") == 0) {
		crowd_schedule(player, now_us + 1000000);
		player_begin_state(player);
		return false;
	}
	if (crowd->options->rate) {
		if (now_us < player->next_spin_us) {
			crowd_schedule(player, player->next_spin_us);
			return false;
		}
		uint64_t period = (uint64_t)crowd->n * 1000000u / (uint64_t)crowd->options->rate;
		player->next_spin_us += period;
		/* Far behind: what was missed is not made up for in a burst. */
		if (player->next_spin_us + 1000000 < now_us)
			player->next_spin_us = now_us;
	}
	crowd->rounds_begun++;
	move_on(player);
	begin_bet(player);
	return true;
}

void player_act(struct player *player, uint64_t now_us)
{
	if (http_line_busy(player->line) || player->stage == PLAYER_DONE)
		return;
	if (!player->asking) {
		enum cards_next cards =
			player->stage == PLAYER_PLAYS ? cards_begin(player, now_us) : CARDS_NONE;
		if (cards == CARDS_WAIT)
			return;
		if (player->stage == PLAYER_JOINS)
			begin_session(player);
		else if (player->stage != PLAYER_PLAYS)
			audit_begin(player);
		else if (cards == CARDS_NONE && !begin_stage(player) &&
			 !begin_round(player, now_us))
			return;
		if (player->stage == PLAYER_DONE)
			return;
	}
	if (player->renewing) {
		char text[128];
		session_body(player, text, sizeof(text));
		player->op.sent_us = now_us;
		http_send(player->line, "POST", "/v1/demo/sessions", NULL, player->op.key, text);
		return;
	}
	player_send(player, now_us);
}

/* ---- answers ------------------------------------------------------------------------------ */

struct answer {
	const char *text;
	struct view view;
	json_t *json; /* NULL of a move */
};

/* No answer, or one that says "later": the same again, soon, then less often. */
static void ask_again(struct player *player)
{
	unsigned tries = player->op.tries > 10 ? 10 : player->op.tries;
	uint64_t wait = (uint64_t)BACKOFF_FIRST_US << tries;
	uint64_t most = (uint64_t)player->crowd->n * 1000000u / AGAIN_PER_S;
	if (most < BACKOFF_MAX_US)
		most = BACKOFF_MAX_US;
	if (wait > most)
		wait = most;
	wait = wait / 2 + player_random(player) % (wait / 2);
	stats.retries++;
	crowd_schedule(player, clock_mono_us() + wait);
}

static void go_on(struct player *player)
{
	uint64_t think = (uint64_t)player->crowd->options->think_ms * 1000;
	crowd_schedule(player, clock_mono_us() + think);
}

/* Takes over what the answer says of expect, balance and round. */
static void adopt(struct player *player, const struct view *view)
{
	if (view->has_expect) {
		player->expect = view->expect;
		if (view->has_hash)
			memcpy(player->secret_hash, view->secret_hash, 32);
		player->has_hash = view->has_hash;
	}
	if (view->round.present && strcmp(view->round.game, player->game->id) != 0) {
		/* of another game: what is open there waits */
		memset(&player->round, 0, sizeof(player->round));
	} else if (view->round.present) {
		if (view->round.round != player->round.round ||
			view->round.cursor != player->round.cursor)
			player->picks = 0;
		player->round = view->round;
	} else if (view->round_told) {
		memset(&player->round, 0, sizeof(player->round));
	}
	cards_adopt(player, view);
	if (view->has_balance) {
		player->balance = view->balance;
		answer_note_balance(player);
	}
}

/* The same for an answer that is no result of a move: all that may have changed are jackpots. */
static void adopt_state(struct player *player, const struct view *view)
{
	int64_t paid = view->round.present ? answer_take_jackpots(player, &view->round) : 0;
	if (view->has_balance)
		(void)answer_absorb(player, view->balance - player->balance - paid);
	adopt(player, view);
}

/* The answer makes no sense for a player who keeps to the rules: noted, looked at anew. */
static void unexpected_answer(
	struct player *player, long status, const struct view *view, const char *text)
{
	static const char *const names[] = { "session", "base", "state", "bet", "pick", "next",
		"collect", "gamble", "halve", "cards", "card", "card pick", "deposit", "journal",
		"rounds", "reveal" };
	stats_error("player %" PRId64 ": %s at move %" PRIu64 ", round %" PRIu64
		    ": HTTP %ld %s: %.200s",
		player->number, names[player->op.kind], player->op.expect, player->op.round, status,
		view->error, view->message[0] ? view->message : text);
	/* Asked before without an answer: it may have been done, so only its own answer ends it. */
	if (player->op.tries > 1 && ++player->strange_in_row < STRANGE_MAX) {
		ask_again(player);
		return;
	}
	if (++player->strange_in_row >= STRANGE_MAX) {
		if (player->stage == PLAYER_PLAYS) {
			player->broke = true;
			player->strange_in_row = 0;
			player->asking = false;
			player->stage = PLAYER_AUDITS;
			crowd_schedule(player, clock_mono_us() + BACKOFF_MAX_US);
			return;
		}
		player->stage = PLAYER_DONE;
		player->crowd->active--;
		return;
	}
	if (player->stage == PLAYER_PLAYS) {
		player_begin_state(player);
	} else {
		player->asking = player->op.kind < OP_JOURNAL;
		player->op.first_us = 0;
	}
	crowd_schedule(player, clock_mono_us() + BACKOFF_MAX_US);
}

static void note_move(struct player *player, enum row_kind kind, bool refused, int64_t stake)
{
	struct recorded_move *told = LIST_ADD(&player->record.moves);
	crowd_progress(player->crowd);
	*told = (struct recorded_move){ .move = player->op.expect,
		.round = kind == ROW_BET ? player->op.expect : player->op.round,
		.kind = kind,
		.refused = refused,
		.stake = stake };
}

static const enum row_kind move_kinds[] = { [OP_BET] = ROW_BET,
	[OP_COLLECT] = ROW_COLLECT,
	[OP_GAMBLE] = ROW_GAMBLE,
	[OP_HALVE] = ROW_HALVE,
	[OP_PICK] = ROW_ANY,
	[OP_NEXT] = ROW_ANY };

/* The wallet refused the move: its number is spent, and nothing else. Any status may say so; what
 * tells is the number that comes next. */
static bool is_spent(const struct player *player, const struct view *view)
{
	return view->error[0] && view->has_expect && view->expect == player->op.expect + 1 &&
	       strcmp(view->error, "move_spent") != 0 &&
	       strcmp(view->error, "other_content") != 0 &&
	       strcmp(view->error, "already_done") != 0;
}

static void spent(struct player *player, const struct view *view)
{
	stats.rounds_refused += player->op.kind == OP_BET;
	player->crowd->rounds_begun -= player->op.kind == OP_BET;
	note_move(player, move_kinds[player->op.kind], true, player->op.stake);
	adopt_state(player, view);
	player->asking = false;
	crowd_schedule(player, clock_mono_us() + BACKOFF_MAX_US);
}

/* Not enough money: told by the engine (nothing spent) or the wallet (the number is spent). */
static void refused(struct player *player, const struct view *view)
{
	stats.rounds_refused++;
	player->crowd->rounds_begun--;
	if (is_spent(player, view))
		note_move(player, ROW_BET, true, player->op.stake);
	adopt_state(player, view);
	player->refused_in_row++;
	player->asking = false;
	if (player->refused_in_row == 1 && player->balance >= view->smallest_bet &&
		!player->crowd->options->operator_key[0]) {
		go_on(player);
		return;
	}
	if (player->crowd->options->operator_key[0])
		begin_deposit(player);
	else
		player->broke = true;
	go_on(player);
}

/* An earlier try was decided, and others have moved since: what came of it is in the ledger. */
static void note_done(struct player *player, uint64_t move)
{
	struct recorded_move *told;
	if (!move)
		return;
	player->op.expect = move;
	note_move(player, move_kinds[player->op.kind], false, player->op.stake);
	told = &player->record.moves.at[player->record.moves.n - 1];
	told->unsure = true;
}

/* 409: another move is next, or the state does not allow this one. The state in the answer counts.
 */
static void conflict(struct player *player, const struct view *view)
{
	stats.conflicts++;
	if (player->op.kind == OP_BET)
		player->crowd->rounds_begun--;
	note_done(player, view->done);
	/* A number that is spent although nobody told us how will be found in the ledger. */
	adopt_state(player, view);
	player->asking = false;
	if (++player->conflicts_in_row % 3 == 0 || strcmp(view->error, "cards_open") == 0 ||
		!view->has_expect)
		player_begin_state(player);
	if (player->conflicts_in_row == 30)
		stats_error("player %" PRId64 ": 30 conflicts in a row at move %" PRIu64
			    ", round %" PRIu64 ": %s: %s",
			player->number, player->op.expect, player->round.round, view->error,
			view->message);
	uint64_t wait = player->conflicts_in_row > 1 ? BACKOFF_MAX_US : 0;
	crowd_schedule(player, clock_mono_us() + wait);
}

static void deposit_answered(struct player *player, const json_t *json)
{
	struct recorded_deposit *told = LIST_ADD(&player->record.deposits);
	told->seq = (uint64_t)json_number(json, "seq", 0);
	told->amount = player->op.stake;
	int64_t balance = json_number(json, "balance_minor", player->balance + told->amount);
	(void)answer_absorb(player, balance - player->balance - told->amount);
	player->balance = balance;
	player->refused_in_row = 0;
	stats.deposits++;
}

/* Where the ledger stands when the player comes. */
static void base_set(struct player *player, uint64_t seq, int64_t balance)
{
	player->record.base_seq = seq;
	player->record.base_balance = balance;
	player->record.base_move = player->expect ? player->expect - 1 : 0;
	player->record.start_move = player->record.base_move;
	audit_plan(player);
	player->stage = PLAYER_PLAYS;
	stats_entered(clock_mono_us());
	answer_note_balance(player);
	player->next_spin_us = clock_mono_us();
	if (player->crowd->options->rate)
		player->next_spin_us += player_random(player) %
					((uint64_t)player->crowd->n * 1000000u /
							(uint64_t)player->crowd->options->rate +
						1);
}

static void base_answered(struct player *player, const json_t *json)
{
	struct ledger_row row;
	const json_t *newest = json_array_get(json_object_get(json, "rows"), 0);
	if (!newest || !row_read(newest, &row)) {
		stats_error("player %" PRId64
			    ": the journal of an open account has no row that can be read",
			player->number);
		memset(&row, 0, sizeof(row));
		row.balance_after = player->balance;
	}
	base_set(player, row.seq, row.balance_after);
}

static void session_answered(struct player *player, const json_t *json, const struct view *view)
{
	snprintf(player->token, sizeof(player->token), "%s", json_text(json, "token"));
	if (player->stage != PLAYER_JOINS)
		return;
	adopt(player, view);
	if (view->expect == 1 && view->balance < 100000 && player->record.balances.n == 0)
		stats_error("player %" PRId64 ": a new demo account has %" PRId64
			    ", expected 100000 at least",
			player->number, view->balance);
	player->record.balances.n = 0;
	/* Of an account that nobody has played on the session has told all. */
	if (view->expect == 1 && view->balance >= 100000 && view->balance_seq > 0) {
		base_set(player, view->balance_seq, view->balance);
		return;
	}
	struct op *op = player_begin(player, OP_BASE);
	snprintf(op->path, sizeof(op->path), "/v1/journal?limit=1");
}

static void played(struct player *player, const struct view *view)
{
	if (player->op.kind == OP_BET && view->bet_not_placed) {
		/* It closed the last round, and that drew Jackpot Cards: a collect. */
		player->op.kind = OP_COLLECT;
		player->op.round = view->round.round;
		player->crowd->rounds_begun--;
	}
	struct op op = player->op;
	if (op.kind == OP_STATE) {
		adopt_state(player, view);
		return;
	}
	player->conflicts_in_row = player->strange_in_row = 0;
	if (view->expect > op.expect)
		note_move(player, move_kinds[op.kind], false, op.kind == OP_BET ? op.stake : 0);
	answer_check(player, &op, view);
	if (op.kind == OP_BET) {
		player->refused_in_row = 0;
		stats_round(op.first_us, clock_mono_us(), !player->has_bet);
		player->has_bet = true;
		stats.game[player->game->at].mode[op.mode].rounds++;
	} else if (op.kind == OP_GAMBLE) {
		stats.gambles++;
	} else {
		stats.steps++;
	}
	adopt(player, view);
	if (op.kind == OP_PICK && view->round.round == op.round)
		player->picks++;
}

/* 200 or 201. */
static void accepted(struct player *player, const json_t *json, const struct view *view)
{
	enum op_kind kind = player->op.kind;
	player->asking = false;
	if (kind == OP_SESSION) {
		session_answered(player, json, view);
	} else if (kind == OP_BASE) {
		base_answered(player, json);
	} else if (kind >= OP_CARDS && kind <= OP_CARD_PICK) {
		cards_answered(player, json);
	} else if (kind == OP_DEPOSIT) {
		deposit_answered(player, json);
	} else if (kind >= OP_JOURNAL) {
		player->strange_in_row = 0;
		audit_answered(player, json);
		if (player->stage != PLAYER_DONE && !player->heap_at)
			crowd_schedule(player, clock_mono_us());
		return;
	} else {
		played(player, view);
	}
	if (!player->heap_at)
		go_on(player);
}

static void answered(struct player *player, long status, const struct answer *answer)
{
	const struct view *view = &answer->view;
	if (player->renewing) {
		player->renewing = false;
		if (status == 200 || status == 201)
			snprintf(player->token, sizeof(player->token), "%s",
				json_text(answer->json, "token"));
		ask_again(player);
		return;
	}
	enum op_kind kind = player->op.kind;
	bool play = kind >= OP_BET && kind <= OP_HALVE;
	if (status == 401 && kind != OP_SESSION && kind != OP_DEPOSIT &&
		player->op.tries < STRANGE_MAX) {
		player->renewing = true;
		ask_again(player);
	} else if (play && status != 402 && is_spent(player, view)) {
		spent(player, view);
	} else if (status == 429 || status >= 500) {
		if (status == 429 || status == 503)
			stats_later(view->error);
		ask_again(player);
	} else if (status == 200 || status == 201) {
		accepted(player, answer->json, view);
	} else if (status == 402 && kind == OP_BET) {
		refused(player, view);
	} else if (status == 409 && play) {
		conflict(player, view);
	} else if (kind >= OP_CARDS && kind <= OP_CARD_PICK &&
		   cards_refused(player, status, view)) {
		stats.retries++;
	} else {
		if (kind == OP_BET)
			player->crowd->rounds_begun--;
		unexpected_answer(player, status, view, answer->text);
	}
}

void player_answered(void *context, long status, const char *text, size_t length, const char *error)
{
	struct player *player = context;
	(void)error;
	stats_answered(player->op.sent_us, clock_mono_us());
	if (status == 0) {
		stats.unanswered++;
		ask_again(player);
		return;
	}
	struct answer answer = { .text = text };
	bool good = view_read(text, length, &answer.view);
	/* A tree is made of what has more to say than a view. */
	if (good &&
		(player->renewing || player->op.kind < OP_STATE || player->op.kind > OP_HALVE)) {
		answer.json = json_loadb(text, length, 0, NULL);
		good = answer.json != NULL;
	}
	if (good) {
		answered(player, status, &answer);
	} else if (status < 500) {
		/* A proxy's page for 502, say; but an answer of 200 must be JSON. */
		struct view view = { 0 };
		snprintf(view.error, sizeof(view.error), "no JSON object");
		unexpected_answer(player, status, &view, text);
	} else {
		ask_again(player);
	}
	json_decref(answer.json);
}
