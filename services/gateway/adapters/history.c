/* A player's history, read from the journal by the read-only role. The journal has no index by
 * player: each row names the previous row of its account. The newest row is searched among the rows
 * of the last second, which wallet.account may not know yet. The answer says when older rows are in
 * the archive. */
#include "services/gateway/adapters/history_read.h"
#include "services/gateway/adapters/journal_rows.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200
#define FILTERED_ROWS_MAX 500 /* rows read for one page of rounds with a filter */
#define TEXT_NUMBER 24
#define WAIT_MAX_US UINT64_C(1000000) /* for a connection; longer is refused at once */

/* The state of a request that waits. */
struct waiting {
	struct waiter waiter; /* first */
	int64_t limit, before;
	struct hiding hiding;
	uint32_t game;		 /* a page of rounds: of this game only; 0: of all */
	bool wins;		 /* those that have won only */
	int64_t asked, rows_max; /* rows of the last query; of all queries at most */
	struct history_row *rows;
	size_t n;
	char *replay; /* the finished members of the answer */
};

void history_row_read(const PGresult *result, int i, struct history_row *row_r)
{
	*row_r = (struct history_row){
		.seq = pg_number(result, i, 0),
		.kind = (int32_t)pg_number(result, i, 1),
		.move = pg_number(result, i, 2),
		.round = pg_number(result, i, 3),
		.game = (uint32_t)pg_number(result, i, 4),
		.refusal = (int32_t)pg_number(result, i, 5),
		.release = pg_number(result, i, 6),
		.stake = pg_number(result, i, 7),
		.win_balance = pg_number(result, i, 8),
		.win_pending = pg_number(result, i, 9),
		.forfeit = pg_number(result, i, 10),
		.amount = pg_number(result, i, 11),
		.balance_after = pg_number(result, i, 12),
		.pending_after = pg_number(result, i, 13),
		.prev_seq = pg_number(result, i, 14),
		.claims = pg_number(result, i, 15),
		.time_us = pg_number(result, i, 16),
		.award = PQgetisnull(result, i, 17) == 0,
		.bonus_spin = pg_number(result, i, 18) != 0,
		.cards = pg_number(result, i, 19),
		.archived = pg_number(result, i, 20) != 0,
		.mode = (uint32_t)pg_number(result, i, 23),
	};
	if (row_r->archived)
		row_r->prev_seq = 0; /* as far as the database has them */
	if (!row_r->award)
		return;
	row_r->award_round = pg_number(result, i, 17);
	row_r->award_index = (uint32_t)pg_number(result, i, 21);
	row_r->award_pool = (uint32_t)pg_number(result, i, 22);
}

/* Writes "MOVE_BET" as "bet". */
static const char *enum_text(
	const ProtobufCEnumDescriptor *type, int value, size_t prefix, char out[32])
{
	const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(type, value);
	(void)snprintf(out, 32, "%s", known == NULL ? "" : known->name + prefix);
	if (known == NULL)
		(void)snprintf(out, 32, "%d", value);
	for (char *c = out; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return out;
}

void history_known_json(struct json_out *out, const char *name, bool known, int64_t value)
{
	if (known)
		out_int(out, name, value);
	else
		out_null(out, name);
}

/* A refused move has moved nothing: what it would have won was drawn, but nobody may know. */
static void refused_clear(struct history_row *row)
{
	if (row->refusal == 0 || row->move == 0)
		return;
	row->release = row->win_balance = row->win_pending = row->forfeit = 0;
}

/* balance: may it be shown? It has money in it that the player has not seen won, otherwise. */
static void row_json(
	struct json_out *out, struct history_row *row, const struct hiding *hiding, bool balance)
{
	char text[32];
	bool seen =
		row->award ? !history_hides_award(hiding, row) : !history_hides(hiding, row->round);

	refused_clear(row);
	out_open(out, NULL, '{');
	out_int(out, "seq", row->seq);
	out_int(out, "time_us", row->time_us);
	out_string(out, "kind", enum_text(&carillon__move_kind__descriptor, row->kind, 5, text));
	out_int(out, "move", row->move);
	out_int(out, "round", row->round);
	out_string(out, "game", game_slug(row->game));
	out_string(
		out, "refusal", enum_text(&carillon__refusal__descriptor, row->refusal, 8, text));
	out_int(out, "release_minor", row->release);
	out_int(out, "stake_minor", row->stake);
	history_known_json(out, "win_balance_minor", seen, row->win_balance);
	history_known_json(out, "win_pending_minor", seen, row->win_pending);
	out_int(out, "forfeit_minor", row->forfeit);
	history_known_json(out, "amount_minor", seen || !row->award, row->amount);
	history_known_json(out, "balance_after_minor", balance, row->balance_after);
	history_known_json(out, "pending_after_minor", seen, row->pending_after);
	if (row->bonus_spin)
		out_bool(out, "bonus_spin", true);
	if (row->award) {
		out_open(out, "award", '{');
		out_int(out, "round", row->award_round);
		out_uint(out, "index", row->award_index);
		out_uint(out, "pool", row->award_pool);
		out_close(out, '}');
	}
	out_close(out, '}');
}

static int64_t hidden_from_of(const PGresult *result, int first, const struct hiding *hiding)
{
	size_t n = (size_t)(PQntuples(result) - first);
	struct history_row *rows = calloc(n + 1, sizeof(*rows));
	int64_t from;

	if (rows == NULL)
		fatal("out of memory: %zu rows", n);
	for (size_t i = 0; i < n; i++)
		history_row_read(result, first + (int)i, &rows[i]);
	from = history_hidden_from(rows, n, hiding);
	free(rows);
	return from;
}

static void rows_json(struct json_out *out, const PGresult *result, int first,
	const struct hiding *hiding, struct history_row *last_r)
{
	int64_t hidden_from = hidden_from_of(result, first, hiding);

	for (int i = first; i < PQntuples(result); i++) {
		history_row_read(result, i, last_r);
		if (hiding->expect == 0 || last_r->move < hiding->expect)
			row_json(out, last_r, hiding, last_r->seq < hidden_from);
	}
}

void history_hiding_read(const Carillon__SpinReply *reply, struct hiding *hiding_r)
{
	*hiding_r = (struct hiding){ .expect = (int64_t)reply->expect,
		.minor = reply->hidden_minor,
		.seq = (int64_t)reply->balance_seq };
	for (size_t i = 0; i < reply->n_hidden_rounds && hiding_r->n < HIDDEN_MAX; i++) {
		int64_t round = (int64_t)reply->hidden_rounds[i];
		if (hiding_r->n == 0 || round < hiding_r->oldest)
			hiding_r->oldest = round;
		hiding_r->round[hiding_r->n++] = round;
	}
}

/* ---- requests
 * ----------------------------------------------------------------------------------------------------------------------
 */

static void walk(struct waiting *waiting, int64_t from, int64_t rows, int64_t round, pg_done *done)
{
	player_id player = waiting->waiter.player;
	struct gateway *gateway = waiting->waiter.gateway;

	journal_rows(gateway,
		&(struct journal_wanted){ .player = player,
			.shard = shard_of_player(player, gateway->shards),
			.from = from,
			.rows = rows,
			.round = round },
		done, waiting);
}

/* False when 503 was answered: too many wait for a read. */
bool history_reads_soon(struct gateway *gateway, struct edge_request *request)
{
	if (journal_rows_wait_us() + pg_pool_wait_us(gateway->pg_ro) <= WAIT_MAX_US)
		return true;
	answer_busy(request);
	return false;
}

/* Reads limit and before from the query; false when an error was answered. */
static bool page_read(struct edge_request *request, struct gateway *gateway,
	const char *const *names, player_id *player_r, int64_t *limit_r, int64_t *before_r)
{
	char text[TEXT_NUMBER];
	*before_r = 0;
	if (!auth_player(gateway, request, player_r) || !history_reads_soon(gateway, request) ||
		!answer_query(request, names) ||
		!answer_limit(request, LIMIT_DEFAULT, LIMIT_MAX, limit_r))
		return false;
	if (edge_query(request, "before", text, sizeof(text)) == NULL ||
		number_read(text, 1, MOVE_MAX, before_r))
		return true;
	answer_bad(request, "before", text, "\"next\" of the previous page");
	return false;
}

static struct waiting *page_new(struct gateway *gateway, struct edge_request *request,
	player_id player, int64_t limit, int64_t before)
{
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, player);
	waiting->limit = limit;
	waiting->before = before;
	return waiting;
}

static void next_json(struct json_out *out, int64_t next)
{
	if (next > 0)
		out_int(out, "next", next);
	else
		out_null(out, "next");
}

/* The last page says if older rows are in the archive only. */
static void archived_json(struct json_out *out, bool archived)
{
	if (archived)
		out_bool(out, "archived", true);
}

/* ---- the journal
 * ------------------------------------------------------------------------------------------------------------------
 */

static void on_journal_rows(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct json_out *out = &waiting->waiter.gateway->out;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	if (request == NULL)
		goto out;
	struct history_row row = { 0 };
	/* The row named by `before` was on the last page. None comes if it is not the player's. */
	int first = waiting->before > 0 && PQntuples(result) > 0 ? 1 : 0;
	out_begin(out);
	out_open(out, NULL, '{');
	out_open(out, "rows", '[');
	rows_json(out, result, first, &waiting->hiding, &row);
	out_close(out, ']');
	next_json(out, row.prev_seq > 0 ? row.seq : 0);
	archived_json(out, row.archived);
	out_close(out, '}');
	answer_sent(waiting->waiter.gateway, request, 200);
out:
	free(waiting);
}

/* The engine has said what the player has seen. */
static void on_journal_state(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct waiting *waiting;
	(void)fact;
	if (!reply_accepted(gateway, request, sent, reply))
		return;
	waiting = page_new(
		gateway, request, sent->player, strtoll(sent->text, NULL, 10), sent->number);
	history_hiding_read(reply, &waiting->hiding);
	walk(waiting, waiting->before, waiting->limit + (waiting->before > 0 ? 1 : 0), 0,
		on_journal_rows);
}

void on_journal(struct edge_request *request, void *context)
{
	static const char *const names[] = { "limit", "before", NULL };
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_journal_state };
	Carillon__SpinCommand command;
	int64_t limit;
	carillon__spin_command__init(&command);
	if (!page_read(request, gateway, names, &sent.player, &limit, &sent.number))
		return;
	(void)snprintf(sent.text, sizeof(sent.text), "%" PRId64, limit);
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	(void)request_spin(gateway, request, sent, &command);
}

/* ---- rounds
 * --------------------------------------------------------------------------------------------------------------------------
 */

static void round_json(struct json_out *out, const struct history_round *round)
{
	out_open(out, NULL, '{');
	out_int(out, "round", round->round);
	out_string(out, "game", game_slug(round->game));
	out_int(out, "time", round->time_us / 1000);
	out_int(out, "time_us", round->time_us);
	out_int(out, "stake_minor", round->stake);
	out_int(out, "win_minor", round->win);
	out_int(out, "jackpots_minor", round->jackpots);
	history_known_json(out, "balance_before_minor", round->before_known, round->balance_before);
	history_known_json(out, "balance_after_minor", round->after_known, round->balance_after);
	out_bool(out, "bonus_spin", round->bonus_spin);
	out_bool(out, "closed", round->closed);
	out_bool(out, "refused", round->refused);
	out_close(out, '}');
}

/* How many rows of the account are read at once: hardly more than the page shows. Nearly every
 * round is one row; where that is too few, the next rows are read. */
static int64_t chunk_of(int64_t rounds)
{
	return rounds + rounds / 8 + 8;
}

static bool wanted(const struct waiting *waiting, const struct history_round *round)
{
	return !round->refused && (waiting->game == 0 || round->game == waiting->game) &&
	       (!waiting->wins || round->win > 0);
}

/* The rounds of the rows read so far that the page shows; *full_r: it has as many as it may. */
static size_t page_rounds(
	const struct waiting *waiting, struct history_round *rounds, int64_t *next_r, bool *full_r)
{
	bool filtered = waiting->game != 0 || waiting->wins;
	size_t most = filtered ? HISTORY_ROUNDS_MAX - 1 : (size_t)waiting->limit;
	size_t n = history_rounds(
		waiting->rows, waiting->n, waiting->before > 0, most, rounds, next_r);
	size_t shown = 0, walked = 0;
	*full_r = n >= most;
	if (!filtered)
		return n;
	while (walked < n && shown < (size_t)waiting->limit)
		shown += wanted(waiting, &rounds[walked++]);
	*full_r = shown == (size_t)waiting->limit;
	/* The next page goes on behind the last round that this one has looked at. */
	return walked == n ? n
			   : history_rounds(waiting->rows, waiting->n, waiting->before > 0, walked,
				     rounds, next_r);
}

static void rounds_answer(struct waiting *waiting, struct edge_request *request,
	struct history_round *rounds, size_t n, int64_t next, bool bounded)
{
	struct json_out *out = &waiting->waiter.gateway->out;
	history_rounds_hide(rounds, n, waiting->rows, waiting->n, &waiting->hiding);
	out_begin(out);
	out_open(out, NULL, '{');
	out_open(out, "rounds", '[');
	for (size_t i = 0; i < n; i++)
		if (wanted(waiting, &rounds[i]))
			round_json(out, &rounds[i]);
	out_close(out, ']');
	next_json(out, next);
	archived_json(out, next == 0 && waiting->n > 0 && waiting->rows[waiting->n - 1].archived);
	if (bounded)
		out_bool(out, "bounded", true);
	out_close(out, '}');
	answer_sent(waiting->waiter.gateway, request, 200);
}

static void rows_take(struct waiting *waiting, const PGresult *result)
{
	size_t n = (size_t)PQntuples(result);
	waiting->rows = realloc(waiting->rows, (waiting->n + n + 1) * sizeof(*waiting->rows));
	if (waiting->rows == NULL)
		fatal("out of memory: %zu rows", waiting->n + n);
	for (size_t i = 0; i < n; i++)
		history_row_read(result, (int)i, &waiting->rows[waiting->n++]);
}

static void on_round_rows(void *context, PGresult *result, const char *error)
{
	static struct history_round rounds[HISTORY_ROUNDS_MAX];
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	int64_t next = 0, last;
	bool full;
	if (request == NULL)
		goto out;
	rows_take(waiting, result);
	size_t n = page_rounds(waiting, rounds, &next, &full);
	last = waiting->n > 0 ? waiting->rows[waiting->n - 1].prev_seq : 0;
	bool more = !full && last > 0 && PQntuples(result) == waiting->asked;
	if (more && waiting->n < (size_t)waiting->rows_max) {
		waiting->asked = waiting->rows_max - (int64_t)waiting->n;
		if (waiting->asked > chunk_of(waiting->limit))
			waiting->asked = chunk_of(waiting->limit);
		walk(waiting, last, waiting->asked, 0, on_round_rows);
		return;
	}
	rounds_answer(
		waiting, request, rounds, n, next, more && (waiting->game != 0 || waiting->wins));
out:
	free(waiting->rows);
	free(waiting);
}

/* ?game= and ?wins=true; false when an error was answered. */
static bool filters_read(
	struct edge_request *request, struct gateway *gateway, uint32_t *game_r, bool *wins_r)
{
	char text[SLUG_MAX + 1];
	*game_r = 0;
	*wins_r = edge_query(request, "wins", text, sizeof(text)) != NULL;
	if (*wins_r && strcmp(text, "true") != 0) {
		answer_bad(request, "wins", text, "true, or leave the parameter out");
		return false;
	}
	if (edge_query(request, "game", text, sizeof(text)) == NULL)
		return true;
	if (!game_served(gateway, request, text))
		return false;
	*game_r = game_number(text);
	return true;
}

/* The engine has said what the player has seen. */
static void on_rounds_state(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct waiting *waiting;
	bool filtered = sent->seq != 0 || sent->until != 0;
	(void)fact;
	if (!reply_accepted(gateway, request, sent, reply))
		return;
	waiting = page_new(
		gateway, request, sent->player, strtoll(sent->text, NULL, 10), sent->number);
	history_hiding_read(reply, &waiting->hiding);
	waiting->game = (uint32_t)sent->seq;
	waiting->wins = sent->until != 0;
	waiting->rows_max = filtered ? FILTERED_ROWS_MAX : waiting->limit * 4 + 50;
	waiting->asked = chunk_of(waiting->limit) + (waiting->before > 0 ? 1 : 0);
	if (waiting->asked > waiting->rows_max)
		waiting->asked = waiting->rows_max;
	walk(waiting, waiting->before, waiting->asked, 0, on_round_rows);
}

void on_rounds(struct edge_request *request, void *context)
{
	static const char *const names[] = { "limit", "before", "game", "wins", NULL };
	struct gateway *gateway = context;
	struct service_request sent = { .done = on_rounds_state };
	Carillon__SpinCommand command;
	int64_t limit;
	uint32_t game;
	bool wins;
	carillon__spin_command__init(&command);
	if (!page_read(request, gateway, names, &sent.player, &limit, &sent.number) ||
		!filters_read(request, gateway, &game, &wins))
		return;
	(void)snprintf(sent.text, sizeof(sent.text), "%" PRId64, limit);
	sent.seq = game;
	sent.until = wins;
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	(void)request_spin(gateway, request, sent, &command);
}

/* ---- a past round: the engine's replay, and its rows
 * --------------------------------------------------------------------------- */

static void on_replay_rows(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	const struct hiding *hiding = &waiting->hiding;
	struct json_out *out = &waiting->waiter.gateway->out;
	struct edge_request *request =
		edge_find(waiting->waiter.gateway->edge, waiting->waiter.ticket);
	if (request == NULL)
		goto out;
	out_begin(out);
	out_raw(out, NULL, waiting->replay);
	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK) {
		out_open(out, "rows", '[');
		for (int i = 0; i < PQntuples(result); i++) {
			struct history_row row;
			history_row_read(result, i, &row);
			if (history_hides_award(hiding, &row))
				continue;
			row_json(out, &row, hiding,
				(row.move > 0 && row.move <= hiding->oldest) ||
					row.seq < history_may_hide_from(hiding));
		}
		out_close(out, ']');
	} else {
		log_warn_as("gateway.round.rows_failed", "rows of a round: %s",
			error == NULL ? "no result" : error);
		out_null(out, "rows");
	}
	out_close(out, '}');
	answer_sent(waiting->waiter.gateway, request, 200);
out:
	free(waiting->replay);
	free(waiting);
}

void history_replay(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	(void)fact;
	if (request == NULL)
		return;
	if (reply == NULL) {
		answer_timed_out(request, sent);
		return;
	}
	if (reply->http_status != 200 || reply->round == NULL) {
		answer_reply(gateway, request, reply);
		return;
	}
	struct waiting *waiting = waiter_new(sizeof(*waiting), gateway, request, sent->player);
	history_hiding_read(reply, &waiting->hiding);
	out_begin(out);
	out_open(out, NULL, '{');
	out_bool(out, "replay", true);
	out_uint(out, "witch", reply->witch);
	out_string(out, "currency", reply->currency);
	out_hex(out, "math_version", reply->round->math_version.data,
		reply->round->math_version.len);
	if (reply->round->secret.len > 0)
		out_hex(out, "secret", reply->round->secret.data, reply->round->secret.len);
	out_message(out, "round", &reply->round->base);
	waiting->replay = strndup(out->bytes, out->n);
	if (waiting->replay == NULL)
		fatal("out of memory");
	walk(waiting, 0, 100000, sent->number, on_replay_rows);
}
