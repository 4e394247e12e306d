/* The public view of the games, from the definitions that the engine has registered. */
#include "services/gateway/adapters/games_shown.h"
#include "services/gateway/adapters/offers.h"

#include "libcommon/base/currency.h"
#include "libcommon/jackpot/io/card_sets.h"
#include "libcommon/io/log.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAMES_MAX 64
#define EVERY_US (5 * SECOND_US)
#define WAITING_MAX 256

struct shown {
	uint32_t number;
	char slug[SLUG_MAX + 1], etag[64];
	char *json;  /* the answer to GET /v1/games/{id} */
	char *brief; /* its entry in that to GET /v1/games */
};

static struct {
	struct shown game[GAMES_MAX];
	size_t n;
	char *list;	  /* the answer to GET /v1/games */
	uint64_t read_us; /* when the last read started */
	uint64_t told_us; /* when the last completed read started */
	bool asking;	  /* a check or a read is running */
	bool soon;
	int64_t version,
		announced; /* version of the loaded definitions; version of the announced ones */
	struct card_sets sets;
} games;

/* Requests that would be refused because of the loaded games: they wait for a check that these are
 * the announced ones. */
static struct {
	uint64_t looks; /* begun so far */
	uint64_t again; /* ticket of the request that is being handled again */
	size_t n;
	struct waiting {
		uint64_t ticket, looks; /* checks started before the request came */
	} waiting[WAITING_MAX];
} late;

static void clear(void)
{
	for (size_t i = 0; i < games.n; i++) {
		free(games.game[i].json);
		free(games.game[i].brief);
	}
	games.n = 0;
	free(games.list);
	games.list = NULL;
}

void games_card_sets(const char *folder)
{
	char error[CARD_SETS_ERROR_MAX];
	if (folder[0] != '\0' && !card_sets_load("GATEWAY_CARD_SETS", folder, &games.sets, error))
		fatal("%s", error);
}

static void put_one(json_t *odds, uint32_t number, json_int_t in, json_int_t of)
{
	const struct currency *currency = currency_by_number(number);
	json_t *shown = json_object();
	(void)json_object_set_new(shown, "in", json_integer(in));
	(void)json_object_set_new(shown, "of", json_integer(of));
	(void)json_object_set_new(odds, currency == NULL ? "?" : currency->code, shown);
}

/* Odds set by operators, for all players or for one operator's. More specific odds come later and
 * win. */
static void put_set(json_t *cards, json_t *odds, const json_t *set)
{
	size_t i;
	json_t *row;
	json_t *by_operator = json_object();
	json_int_t number = json_integer_value(json_object_get(cards, "set_number"));
	json_array_foreach(set, i, row)
	{
		char text[16];
		json_int_t of_operator = json_integer_value(json_object_get(row, "operator"));
		json_t *to = odds;
		if (json_integer_value(json_object_get(row, "pool")) != number)
			continue;
		(void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, of_operator);
		if (of_operator != 0) {
			to = json_object_get(by_operator, text);
			if (to == NULL)
				(void)json_object_set_new(by_operator, text, json_object());
			to = json_object_get(by_operator, text);
		}
		put_one(to, (uint32_t)json_integer_value(json_object_get(row, "currency")),
			json_integer_value(json_object_get(row, "odds_in")),
			json_integer_value(json_object_get(row, "odds_of")));
	}
	if (json_object_size(by_operator) > 0)
		(void)json_object_set(cards, "odds_by_operator", by_operator);
	json_decref(by_operator);
}

/* Adds the odds of the game's Jackpot Cards, which are those of the set in proportion to the stake.
 * RULE mystic-gem 6.12 Returns a digest of the odds for the ETag. */
static uint32_t put_odds(json_t *game, const char *set_by_operators)
{
	json_t *cards = json_object_get(game, "cards");
	const struct card_set_config *set = card_sets_find(
		&games.sets, (uint32_t)json_integer_value(json_object_get(cards, "set_number")));
	uint32_t mark = 0;
	if (set == NULL || !json_is_true(json_object_get(cards, "eligible")))
		return 0;
	json_t *odds = json_object(); /* keep the definition's own object unchanged */
	for (size_t i = 0; i < set->odds_count; i++) {
		const struct card_set_odds *one = &set->odds[i];
		put_one(odds, one->currency, (json_int_t)one->in, (json_int_t)one->of);
		mark = mark * 31 + (uint32_t)one->in * 7 + (uint32_t)one->of;
	}
	cards = json_copy(cards);
	json_t *by_operators = json_loads(set_by_operators, 0, NULL);
	put_set(cards, odds, by_operators);
	json_decref(by_operators);
	for (const char *c = set_by_operators; *c != '\0'; c++)
		mark = mark * 31 + (unsigned char)*c;
	(void)json_object_set_new(cards, "odds", odds);
	(void)json_object_set_new(game, "cards", cards);
	return mark;
}

/* The codes of the currencies that the definition has coins in. */
static json_t *currency_codes(const json_t *definition)
{
	json_t *codes = json_array();
	const char *code;
	json_t *currency;

	json_object_foreach(
		json_object_get(json_object_get(definition, "bet"), "currencies"), code, currency)
	{
		(void)json_array_append_new(codes, json_string(code));
	}
	return codes;
}

static void one(json_t *list, uint32_t number, const char *math_version, const char *text,
	const char *odds_set)
{
	json_error_t error;
	json_t *definition = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	const char *slug = json_string_value(json_object_get(definition, "id"));
	if (slug == NULL || strlen(slug) > SLUG_MAX || games.n == GAMES_MAX) {
		log_error_as("gateway.definition.unshowable",
			"carillon.game: the definition of game %u cannot be shown", number);
		json_decref(definition);
		return;
	}
	struct shown *shown = &games.game[games.n++];
	json_t *game = games_shown(definition, math_version);
	uint32_t odds = put_odds(game, odds_set);
	json_t *item = json_object();
	static const char *const brief[] = { "id", "number", "name", "version", "demo", "modes",
		"math_version" };
	for (size_t i = 0; i < sizeof(brief) / sizeof(brief[0]); i++)
		(void)json_object_set(item, brief[i], json_object_get(game, brief[i]));
	(void)json_object_set(
		item, "pool", json_object_get(json_object_get(game, "jackpot"), "pool"));
	(void)json_object_set_new(item, "currency_codes", currency_codes(definition));
	(void)json_array_append_new(list, item);
	shown->number = number;
	(void)snprintf(shown->slug, sizeof(shown->slug), "%s", slug);
	(void)snprintf(shown->etag, sizeof(shown->etag), "\"%.16s-%08x\"", math_version, odds);
	shown->json = json_dumps(game, JSON_COMPACT);
	shown->brief = json_dumps(item, JSON_COMPACT);
	json_decref(game);
	json_decref(definition);
}

/* ---- announced definitions
 * A definition is announced by its row of carillon.game, which the engine writes before it plays
 * it. Rows neither change nor go: their number is the version of all of them. It is asked of the
 * server that takes the rows, for the one that is read may be behind it.
 */

static void look(struct gateway *gateway);

enum known { KNOWN_NOT, KNOWN_BEHIND, KNOWN };

static void settle_one(struct gateway *gateway, uint64_t ticket, enum known known)
{
	struct edge_request *request = edge_find(gateway->edge, ticket);
	if (request == NULL)
		return;
	late.again = ticket;
	if (known == KNOWN)
		edge_again(request);
	else if (known == KNOWN_BEHIND)
		answer_behind(request);
	else
		answer_unavailable(request, "cannot read the newly announced definitions");
	late.again = 0;
}

/* Handles the requests that came before the check started. Handling one may admit the next request
 * of its connection, so copy the list first. */
static void settle(struct gateway *gateway, enum known known)
{
	static struct waiting settled[WAITING_MAX];
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < late.n; i++)
		if (late.waiting[i].looks < late.looks)
			settled[n++] = late.waiting[i];
		else
			late.waiting[kept++] = late.waiting[i];
	late.n = kept;
	for (size_t i = 0; i < n; i++)
		settle_one(gateway, settled[i].ticket, known);
	if (late.n > 0)
		look(gateway);
}

static bool were_read(struct gateway *gateway, const PGresult *result, const char *error)
{
	games.asking = false;
	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK)
		return true;
	log_warn_as("gateway.games.unreadable", "cannot read carillon.game: %s",
		error == NULL ? "no rows" : error);
	settle(gateway, KNOWN_NOT);
	return false;
}

static void on_definitions(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;
	if (!were_read(gateway, result, error))
		return;
	json_t *list = json_array();
	clear();
	for (int i = 0; i < PQntuples(result); i++)
		one(list, (uint32_t)pg_number(result, i, 0), PQgetvalue(result, i, 1),
			PQgetvalue(result, i, 2), PQgetvalue(result, i, 3));
	json_t *root = json_object();
	(void)json_object_set_new(root, "games", list);
	games.list = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	games.told_us = games.read_us;
	games.version = PQntuples(result) == 0 ? 0 : pg_number(result, 0, 4);
	settle(gateway, games.version >= games.announced ? KNOWN : KNOWN_BEHIND);
}

static void read_all(struct gateway *gateway)
{
	const char *parameters[] = { gateway->demo ? "true" : "false" };
	games.asking = true;
	games.read_us = edge_now_us(gateway->edge);
	/* The definition that was first seen last is in service; on a demo installation the demo
	 * definition comes first. */
	pg_pool_query(gateway->pg_ro,
		"select distinct on (number) number, encode(math_version, 'hex'), definition, "
		"(select coalesce(json_agg(o order by o.operator, o.game), '[]') from (select "
		"distinct on (pool, operator, game, currency) pool, operator, game, currency, "
		"odds_in, odds_of from cards.odds where game in (0, number) order by pool, "
		"operator, game, currency, version desc) o), (select count(*) from carillon.game) "
		"from carillon.game where $1::boolean or not demo order by number, demo desc, "
		"first_seen desc",
		1, parameters, QUERY_MS, on_definitions, gateway);
}

static void on_announced(void *context, PGresult *result, const char *error)
{
	struct gateway *gateway = context;
	if (!were_read(gateway, result, error))
		return;
	games.announced = pg_number(result, 0, 0);
	if (games.version != games.announced || games.soon || games.n == 0 ||
		edge_now_us(gateway->edge) - games.read_us >= EVERY_US)
		read_all(gateway);
	else
		settle(gateway, KNOWN);
}

/* One check at a time, for any number of waiting requests. */
static void look(struct gateway *gateway)
{
	if (games.asking)
		return;
	games.asking = true;
	late.looks++;
	pg_pool_query(gateway->pg, "select count(*) from carillon.game", 0, NULL, QUERY_MS,
		on_announced, gateway);
}

void games_load(struct gateway *gateway, bool soon)
{
	games.soon = soon;
	look(gateway);
}

bool games_current(struct gateway *gateway, struct edge_request *request)
{
	uint64_t ticket = edge_ticket(request);
	if (late.again == ticket)
		return true;
	if (late.n == WAITING_MAX) {
		answer_busy(request);
		return false;
	}
	late.waiting[late.n++] = (struct waiting){ ticket, late.looks };
	look(gateway);
	return false;
}

bool games_read_since(uint64_t us)
{
	return games.told_us >= us;
}

/* ---- the loaded games */

const char *game_slug(uint32_t number)
{
	for (size_t i = 0; i < games.n; i++)
		if (games.game[i].number == number)
			return games.game[i].slug;
	return "";
}

static const struct shown *find(const char *slug)
{
	for (size_t i = 0; i < games.n; i++)
		if (strcmp(games.game[i].slug, slug) == 0)
			return &games.game[i];
	return NULL;
}

/* Before the first read every game is missing: do not tell a client that. */
static void missing(struct gateway *gateway, struct edge_request *request, const char *slug)
{
	if (games.n == 0)
		answer_unavailable(request, "the games have not been read yet");
	else if (games_current(gateway, request))
		edge_answer_error(request, 404, "game_unknown", "This game does not exist.", "game",
			slug, "an id from GET /v1/games");
}

bool game_served(struct gateway *gateway, struct edge_request *request, const char *slug)
{
	if (find(slug) != NULL)
		return true;
	missing(gateway, request, slug);
	return false;
}

uint32_t game_number(const char *slug)
{
	const struct shown *shown = find(slug);
	return shown == NULL ? 0 : shown->number;
}

static int64_t member(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static void limits_read(const json_t *game, const json_t *currency, struct game_limits *limits)
{
	const json_t *coins = json_object_get(currency, "coins_minor");
	*limits = (struct game_limits){ .lines_min = member(game, "lines_min"),
		.lines_max = member(game, "lines_max"),
		.coins_min = member(game, "coins_min"),
		.coins_max = member(game, "coins_max"),
		.stake_min = member(currency, "stake_min_minor"),
		.stake_max = member(currency, "stake_max_minor") };
	for (size_t i = 0; i < json_array_size(coins) && i < GAME_COINS_MAX; i++)
		limits->coin_minor[limits->coins_n++] =
			json_integer_value(json_array_get(coins, i));
}

const struct game_limits *game_limits(const char *slug, const char *currency)
{
	static struct game_limits limits;
	const struct shown *shown = find(slug);
	json_t *game = shown == NULL ? NULL : json_loads(shown->json, 0, NULL);
	bool found = false;
	size_t i;
	json_t *item;
	json_array_foreach(json_object_get(game, "currencies"), i, item)
	{
		const char *code = json_string_value(json_object_get(item, "currency"));
		if (code == NULL || strcmp(code, currency) != 0)
			continue;
		limits_read(game, item, &limits);
		found = true;
	}
	json_decref(game);
	return found ? &limits : NULL;
}

const char *game_first(void)
{
	return games.n > 0 ? games.game[0].slug : "";
}

/* ---- the list, which for a player has what their operator offers ---- */

struct listing {
	struct waiter waiter; /* first */
	size_t n;
	uint32_t
		unfinished[GAMES_MAX]; /* numbers of games in which the player has something open */
};

static bool listed(const struct listing *listing, const PGresult *rows, uint32_t number)
{
	for (size_t i = 0; i < listing->n; i++)
		if (listing->unfinished[i] == number)
			return true;
	for (int i = 0; i < PQntuples(rows); i++)
		if (pg_number(rows, i, 0) == (int64_t)number)
			return true;
	return false;
}

/* The rows: games in which the player has a win that is not collected yet. */
static void on_open_games(void *context, PGresult *result, const char *error)
{
	struct listing *listing = context;
	struct gateway *gateway = listing->waiter.gateway;
	struct json_out *out = &gateway->out;
	struct edge_request *request = waiter_rows(&listing->waiter, result, error);
	uint32_t operator_id = player_operator(listing->waiter.player);
	if (request != NULL) {
		out_begin(out);
		out_open(out, NULL, '{');
		out_open(out, "games", '[');
		for (size_t i = 0; i < games.n; i++)
			if (offers_game(operator_id, games.game[i].slug) ||
				listed(listing, result, games.game[i].number))
				out_raw(out, NULL, games.game[i].brief);
		out_close(out, ']');
		out_close(out, '}');
		answer_sent(gateway, request, 200);
	}
	free(listing);
}

/* The engine knows of all that is open: features and Jackpot Cards without a win too. While it does
 * not answer, the wallet's wins are what is known. */
static void on_unfinished_games(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	char number[24];
	const char *parameters[] = { number };
	struct listing *listing;
	(void)fact;
	if (request == NULL)
		return;
	listing = waiter_new(sizeof(*listing), gateway, request, sent->player);
	for (size_t i = 0; reply != NULL && i < reply->n_unfinished_games && i < GAMES_MAX; i++)
		listing->unfinished[listing->n++] = reply->unfinished_games[i];
	(void)snprintf(number, sizeof(number), "%" PRId64, sent->player);
	pg_pool_query(gateway->pg_ro,
		"select a.pendings[n] from wallet.account a, generate_series(1, "
		"cardinality(a.pendings), 3) n where a.player = $1::bigint and a.pendings[n + 2] > "
		"0",
		1, parameters, QUERY_MS, on_open_games, listing);
}

static void list_offered(struct gateway *gateway, struct edge_request *request, player_id player)
{
	struct service_request sent = { .done = on_unfinished_games, .player = player };
	Carillon__SpinCommand command;
	carillon__spin_command__init(&command);
	command.kind = CARILLON__SPIN_KIND__SPIN_STATE;
	(void)request_spin(gateway, request, sent, &command);
}

void on_games(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	player_id player = 0;
	if (!answer_query(request, names) || (edge_header(request, EDGE_AUTHORIZATION) != NULL &&
						     !auth_player(context, request, &player)))
		return;
	if (games.list == NULL)
		answer_unavailable(request, "the games have not been read yet");
	else if (player != 0 && !offers_all_games(player_operator(player)))
		list_offered(context, request, player);
	else
		edge_answer_json(request, 200, games.list, strlen(games.list));
}

void on_game(struct edge_request *request, void *context)
{
	static const char *const names[] = { NULL };
	const struct shown *shown = find(edge_parameter(request, 0));
	if (!answer_query(request, names))
		return;
	if (shown == NULL)
		missing(context, request, edge_parameter(request, 0));
	else if (!edge_answer_etag(request, shown->etag))
		edge_answer_json(request, 200, shown->json, strlen(shown->json));
}
