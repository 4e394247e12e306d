/* Jackpot Cards: reads the player's card rounds from Postgres and sends the player's picks to
 * jackpot-cards. RULE mystic-gem 6.15 */
#include "services/gateway/adapters/gateway.h"

#include "jackpot.pb-c.h"
#include "libcommon/base/currency.h"
#include "libcommon/base/hex.h"
#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_NUMBER 24
#define SETS_MAX 16

#define COLUMNS                                                                                    \
	"select r.pool, r.number, r.move, r.index, encode(r.secret_hash, 'hex'), "                 \
	"array_to_string(r.positions, ' '), array_to_string(r.suits, ' '), r.won::int, "           \
	"coalesce(r.level, 0), coalesce(r.paid_minor, 0), r.currency, coalesce(r.hit, 0), "        \
	"coalesce(encode(r.secret, 'hex'), ''), (extract(epoch from r.opened) * "                  \
	"1000000)::bigint, (extract(epoch from r.expires) * 1000000)::bigint, "                    \
	"(c.closed_seq is not null)::int from wallet.claim c join cards.round r using (player, "   \
	"move, index) "

static const char open_sql[] =
	COLUMNS "where c.player = $1 and c.kind = 2 and c.closed_seq is null order by r.number "
		"limit 64";
static const char one_sql[] = COLUMNS "where c.player = $1 and c.move = $2 and c.index = $3";
static const char pool_sql[] =
	"select pool from wallet.claim where player = $1 and move = $2 and index = $3 and kind = 2";

struct waiting {
	struct waiter waiter; /* first */
	int64_t move, index, pick, position;
};

static const char *suit_text(int64_t suit)
{
	static const char *const SUITS[] = { "", "clubs", "diamonds", "hearts", "spades" };
	return suit >= 1 && suit <= 4 ? SUITS[suit] : "";
}

/* ---- a round as JSON
 * ---------------------------------------------------------------------------------------------------
 */

struct shown {
	uint32_t pool, index, currency;
	uint64_t number, move, hit, opened_us, expires_us;
	const char *secret_hash, *secret; /* hex */
	size_t turned_n;
	uint32_t position[12], suit[12];
	bool won, booked;
	uint32_t level;
	int64_t paid_minor;
};

static void turned_json(struct json_out *out, const struct shown *shown)
{
	out_open(out, "turned", '[');
	for (size_t i = 0; i < shown->turned_n; i++) {
		out_open(out, NULL, '{');
		out_uint(out, "pick", i + 1);
		out_uint(out, "position", shown->position[i]);
		out_string(out, "suit", suit_text(shown->suit[i]));
		out_close(out, '}');
	}
	out_close(out, ']');
}

static void round_json(struct json_out *out, const char *name, const struct shown *shown)
{
	char id[2 * TEXT_NUMBER];
	const struct currency *currency = currency_by_number(shown->currency);
	(void)snprintf(id, sizeof(id), "%" PRIu64 "-%u", shown->move, shown->index);
	out_open(out, name, '{');
	out_string(out, "id", id);
	out_uint(out, "move", shown->move);
	out_uint(out, "index", shown->index);
	out_uint(out, "pool", shown->pool);
	out_uint(out, "number", shown->number);
	out_string(out, "secret_hash", shown->secret_hash);
	turned_json(out, shown);
	out_uint(out, "next_pick", shown->won ? 0 : shown->turned_n + 1);
	out_bool(out, "won", shown->won);
	out_uint(out, "level", shown->level);
	out_string(out, "suit", suit_text(shown->level));
	out_int(out, "paid_minor", shown->paid_minor);
	out_string(out, "currency", currency == NULL ? "?" : currency->code);
	out_uint(out, "hit", shown->hit);
	out_string(out, "secret", shown->secret);
	out_uint(out, "opened_us", shown->opened_us);
	out_uint(out, "expires_us", shown->expires_us);
	out_bool(out, "booked", shown->booked);
	out_close(out, '}');
}

static size_t numbers(const char *text, uint32_t out[12])
{
	size_t n = 0;
	char *end;
	while (*text != '\0' && n < 12) {
		out[n++] = (uint32_t)strtoul(text, &end, 10);
		text = *end == ' ' ? end + 1 : end;
	}
	return n;
}

static struct shown shown_of_row(const PGresult *rows, int i)
{
	struct shown shown = {
		.pool = (uint32_t)pg_number(rows, i, 0),
		.number = (uint64_t)pg_number(rows, i, 1),
		.move = (uint64_t)pg_number(rows, i, 2),
		.index = (uint32_t)pg_number(rows, i, 3),
		.secret_hash = PQgetvalue(rows, i, 4),
		.won = pg_number(rows, i, 7) != 0,
		.level = (uint32_t)pg_number(rows, i, 8),
		.paid_minor = pg_number(rows, i, 9),
		.currency = (uint32_t)pg_number(rows, i, 10),
		.hit = (uint64_t)pg_number(rows, i, 11),
		.secret = PQgetvalue(rows, i, 12),
		.opened_us = (uint64_t)pg_number(rows, i, 13),
		.expires_us = (uint64_t)pg_number(rows, i, 14),
		.booked = pg_number(rows, i, 15) != 0,
	};
	(void)numbers(PQgetvalue(rows, i, 5), shown.position);
	shown.turned_n = numbers(PQgetvalue(rows, i, 6), shown.suit);
	return shown;
}

static const char *hex(const ProtobufCBinaryData *data, char out[2 * 32 + 1])
{
	hex_format(data->data, data->len < 32 ? data->len : 32, out);
	return out;
}

static void round_of_message(struct json_out *out, const Carillon__CardRound *round)
{
	char hash[65], secret[65];
	struct shown shown = {
		.pool = round->pool,
		.number = round->number,
		.move = round->move,
		.index = round->index,
		.secret_hash = hex(&round->secret_hash, hash),
		.won = round->won != 0,
		.level = round->level,
		.paid_minor = round->paid_minor,
		.currency = round->currency,
		.hit = round->hit,
		.secret = hex(&round->secret, secret),
		.opened_us = round->opened_us,
		.expires_us = round->expires_us,
		.booked = round->booked != 0,
	};
	for (size_t i = 0; i < round->n_turned && i < 12; i++) {
		shown.position[i] = round->turned[i]->position;
		shown.suit[i] = round->turned[i]->suit;
		shown.turned_n++;
	}
	round_json(out, "card_round", &shown);
}

/* ---- reading
 * ----------------------------------------------------------------------------------------------------------
 */

static void query(struct waiting *waiting, const char *sql, bool one, pg_done *done)
{
	char player[TEXT_NUMBER], move[TEXT_NUMBER], index[TEXT_NUMBER];
	const char *parameters[] = { player, move, index };
	(void)snprintf(player, sizeof(player), "%" PRId64, waiting->waiter.player);
	(void)snprintf(move, sizeof(move), "%" PRId64, waiting->move);
	(void)snprintf(index, sizeof(index), "%" PRId64, waiting->index);
	pg_pool_query(waiting->waiter.gateway->pg_ro, sql, one ? 3 : 1, parameters, QUERY_MS, done,
		waiting);
}

static void unknown(struct edge_request *request, const struct waiting *waiting)
{
	char found[2 * TEXT_NUMBER];
	(void)snprintf(found, sizeof(found), "%" PRId64 "-%" PRId64, waiting->move, waiting->index);
	edge_answer_error(request, 404, "card_round_unknown",
		"This player has no card round with this id.", "id", found,
		"the id of a card round");
}

static void sets_json(struct json_out *out, const PGresult *rows)
{
	uint32_t told[SETS_MAX];
	size_t told_n = 0;
	out_open(out, "sets", '[');
	for (int i = 0; i < PQntuples(rows) && told_n < SETS_MAX; i++) {
		uint32_t pool = (uint32_t)pg_number(rows, i, 0);
		bool known = false;
		for (size_t k = 0; k < told_n; k++)
			known = known || told[k] == pool;
		if (known)
			continue;
		told[told_n++] = pool;
		out_open(out, NULL, '{');
		out_uint(out, "pool", pool);
		counters_levels(out, pool);
		out_close(out, '}');
	}
	out_close(out, ']');
}

static void on_open(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct json_out *out = &waiting->waiter.gateway->out;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "rounds", '[');
		for (int i = 0; i < PQntuples(result); i++) {
			struct shown shown = shown_of_row(result, i);
			round_json(out, NULL, &shown);
		}
		out_close(out, ']');
		sets_json(out, result);
		out_close(out, '}');
		answer_sent(waiting->waiter.gateway, request, 200);
	}
	free(waiting);
}

void on_cards(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	player_id player;
	if (auth_player(context, request, &player) && answer_query(request, names))
		query(waiter_new(sizeof(struct waiting), context, request, player), open_sql, false,
			on_open);
}

/* "17-1" of the path. */
static bool id_of(struct edge_request *request, int64_t *move_r, int64_t *index_r)
{
	char move[TEXT_NUMBER];
	const char *text = edge_parameter(request, 0);
	size_t length = strcspn(text, "-");
	if (length < sizeof(move) && text[length] == '-') {
		memcpy(move, text, length);
		move[length] = '\0';
		if (number_read(move, 1, MOVE_MAX, move_r) &&
			number_read(text + length + 1, 1, 65535, index_r))
			return true;
	}
	answer_bad(request, "id", text, "the id of a card round, such as \"17-1\"");
	return false;
}

static void on_one(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct json_out *out = &waiting->waiter.gateway->out;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	if (request != NULL && PQntuples(result) == 0) {
		unknown(request, waiting);
	} else if (request != NULL) {
		struct shown shown = shown_of_row(result, 0);
		out_begin(out);
		out_open(out, NULL, '{');
		round_json(out, "card_round", &shown);
		out_close(out, '}');
		answer_sent(waiting->waiter.gateway, request, 200);
	}
	free(waiting);
}

void on_card(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	player_id player;
	int64_t move, index;
	if (!auth_player(context, request, &player) || !answer_query(request, names) ||
		!id_of(request, &move, &index))
		return;
	struct waiting *waiting = waiter_new(sizeof(*waiting), context, request, player);
	waiting->move = move;
	waiting->index = index;
	query(waiting, one_sql, true, on_one);
}

/* ---- picks
 * ------------------------------------------------------------------------------------------------------------
 */

static uint32_t status_of(const Carillon__CardReply *reply)
{
	static const uint32_t known[] = { 200, 400, 404, 409, 503 };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (reply->http_status == known[i])
			return reply->http_status;
	log_error_as("gateway.cards.bad_status", "jackpot-cards answered with status %" PRIu32,
		reply->http_status);
	return 500;
}

static void member(struct json_out *out, const char *name, const char *text)
{
	if (text != NULL && text[0] != '\0')
		out_string(out, name, text);
}

static void on_picked(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *spin,
	const Carillon__WalletFact *fact)
{
	struct json_out *out = &gateway->out;
	const Carillon__CardReply *reply = sent->card;
	(void)spin;
	(void)fact;
	if (request == NULL)
		return;
	if (reply == NULL) {
		answer_timed_out(request, sent);
		return;
	}
	uint32_t status = status_of(reply);
	out_begin(out);
	out_open(out, NULL, '{');
	if (status != 200) {
		answer_problem_open(out, status, reply->error, reply->message);
		member(out, "where", reply->where);
		member(out, "found", reply->found);
		member(out, "expected", reply->expected);
		out_close(out, '}');
	}
	if (reply->round != NULL)
		round_of_message(out, reply->round);
	out_close(out, '}');
	answer_sent(gateway, request, status);
}

/* The claim gives the set: the wallet books the claim before the player learns of the cards. */
static void on_pool(void *context, PGresult *result, const char *error)
{
	struct waiting *waiting = context;
	struct edge_request *request = waiter_rows(&waiting->waiter, result, error);
	if (request != NULL && PQntuples(result) == 0) {
		unknown(request, waiting);
	} else if (request != NULL) {
		struct service_request sent = { .done = on_picked,
			.player = waiting->waiter.player };
		Carillon__JackpotCommand command;
		Carillon__CardPick pick;
		carillon__jackpot_command__init(&command);
		carillon__card_pick__init(&pick);
		pick.player = waiting->waiter.player;
		pick.round = (uint64_t)waiting->move;
		pick.index = (uint32_t)waiting->index;
		pick.pick = (uint32_t)waiting->pick;
		pick.position = (uint32_t)waiting->position;
		command.pool = (uint32_t)pg_number(result, 0, 0);
		command.body_case = CARILLON__JACKPOT_COMMAND__BODY_PICK;
		command.pick = &pick;
		(void)request_cards(waiting->waiter.gateway, request, sent, &command);
	}
	free(waiting);
}

void on_card_pick(struct edge_request *request, void *context)
{
	struct pick_body body = { 0 };
	player_id player;
	int64_t move, index;
	/* RULE bewitched 7.1, RULE mona-lisa 6.1: turning a card is an action of the player */
	if (!auth_action(context, request, &player) || !id_of(request, &move, &index) ||
		!answer_parse(request, pick_fields, &body))
		return;
	struct waiting *waiting = waiter_new(sizeof(*waiting), context, request, player);
	waiting->move = move;
	waiting->index = index;
	waiting->pick = body.pick;
	waiting->position = body.position;
	query(waiting, pool_sql, true, on_pool);
}
