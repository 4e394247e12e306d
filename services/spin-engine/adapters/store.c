#include "services/spin-engine/adapters/store.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/spin-engine/adapters/codec.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays as text ---- */

struct text {
	char *bytes;
	size_t length, room;
};

static void text_room(struct text *text, size_t more)
{
	if (text->length + more <= text->room)
		return;
	text->room = 2 * (text->length + more);
	text->bytes = realloc(text->bytes, text->room);
	if (!text->bytes)
		fatal("no memory for %zu bytes of text", text->room);
}

__attribute__((format(printf, 2, 3))) static void text_add(
	struct text *text, const char *format, ...)
{
	va_list arguments;

	text_room(text, 64);
	va_start(arguments, format);
	text->length += (size_t)vsnprintf(text->bytes + text->length, 64, format, arguments);
	va_end(arguments);
}

/* An element of an array of bytea. */
static void text_add_bytes(struct text *text, const uint8_t *bytes, size_t count)
{
	text_room(text, 2 * count + 8);
	memcpy(text->bytes + text->length, "\"\\\\x", 4);
	text->length += 4;
	sodium_bin2hex(text->bytes + text->length, 2 * count + 1, bytes, count);
	text->length += 2 * count;
	text->bytes[text->length++] = '"';
	text->bytes[text->length] = '\0';
}

static void text_next(struct text *text)
{
	text_add(text, "%s", text->length == 0 ? "{" : ",");
}

static void text_end(struct text *text)
{
	text_add(text, "%s", text->length == 0 ? "{}" : "}");
}

/* ---- loading ---- */

/* A state that cannot be read stops its player alone. The next checkpoint writes the quarantine,
 * and leaves the state as it is. */
static void set_aside(struct seats *seats, struct seat *seat, const char *table, const char *found)
{
	struct seat_quarantine *quarantine = seat_set_aside(seats, seat);

	snprintf(quarantine->found, sizeof(quarantine->found), "%s: the state is %s", table, found);
	log_error_as("engine.player.quarantined",
		"ALARM player %" PRId64 " is quarantined: %s; all others play on; see: jackpotctl "
		"quarantine show %" PRId64,
		seat->player.id, quarantine->found, seat->player.id);
	seat_touch_soon(seats, seat);
}

static void load_player(struct seats *seats, const PGresult *result, int row)
{
	struct seat *seat = seats_find(seats, pg_number(result, row, 0));
	enum codec_status status;
	size_t length;
	uint8_t *bytes = pg_bytea(result, row, 2, &length);

	status = player_decode(bytes, length, &seat->player);
	PQfreemem(bytes);
	if (status != CODEC_OK) {
		set_aside(seats, seat, "engine.player", codec_status_text(status));
		return;
	}
	seat->player.account = true;
	seat->player.last_move = (uint64_t)pg_number(result, row, 1);
}

static void load_game(struct seats *seats, const PGresult *result, int row)
{
	struct seat *seat = seats_find(seats, pg_number(result, row, 0));
	struct player_game play;
	enum codec_status status;
	size_t length;
	uint8_t *bytes = pg_bytea(result, row, 1, &length);

	status = player_game_decode(bytes, length, &play);
	PQfreemem(bytes);
	if (status != CODEC_OK)
		set_aside(seats, seat, "engine.game_state", codec_status_text(status));
	else if (!seat_game_add(seat, &play))
		set_aside(seats, seat, "engine.game_state", "of more games than there is room for");
}

void store_load(
	PGconn *conn, struct seats *seats, uint32_t shards, const player_id *players, size_t count)
{
	struct text ids = { 0 };
	const char *parameters[1];
	PGresult *result;

	for (size_t i = 0; i < count; i++) {
		if (seats_find(seats, players[i]))
			continue;
		seats_add(seats, players[i], shard_of_player(players[i], shards));
		text_next(&ids);
		text_add(&ids, "%" PRId64, players[i]);
	}
	if (ids.length == 0)
		return;
	text_end(&ids);
	parameters[0] = ids.bytes;
	result = pg_query(conn,
		"select player, last_move, state from engine.player where player = "
		"any($1::bigint[])",
		1, parameters);
	for (int i = 0; i < PQntuples(result); i++)
		load_player(seats, result, i);
	PQclear(result);
	result = pg_query(conn,
		"select player, state from engine.game_state where player = any($1::bigint[])", 1,
		parameters);
	for (int i = 0; i < PQntuples(result); i++)
		load_game(seats, result, i);
	PQclear(result);
	free(ids.bytes);
}

/* ---- checkpoints ---- */

enum { P_PLAYER, P_SHARD, P_MOVE, P_STATE, P_COLUMNS };
enum { G_PLAYER, G_GAME, G_SHARD, G_MOVE, G_VERSION, G_ROUND, G_OPEN, G_STATE, G_COLUMNS };

static void add_player(struct text *column, const struct seat *seat)
{
	uint8_t bytes[PLAYER_BYTES_MAX];
	size_t length = player_encode(&seat->player, bytes);

	for (int i = 0; i < P_COLUMNS; i++)
		text_next(&column[i]);
	text_add(&column[P_PLAYER], "%" PRId64, seat->player.id);
	text_add(&column[P_SHARD], "%" PRIu32, seat->shard);
	text_add(&column[P_MOVE], "%" PRIu64, seat->player.last_move);
	text_add_bytes(&column[P_STATE], bytes, length);
}

static void add_game(struct text *column, const struct seat *seat, const struct player_game *play)
{
	uint8_t bytes[STATE_BYTES_MAX];
	size_t length = player_game_encode(play, bytes);

	for (int i = 0; i < G_COLUMNS; i++)
		text_next(&column[i]);
	text_add(&column[G_PLAYER], "%" PRId64, seat->player.id);
	text_add(&column[G_GAME], "%" PRIu32, play->state.game);
	text_add(&column[G_SHARD], "%" PRIu32, seat->shard);
	text_add(&column[G_MOVE], "%" PRIu64, play->move);
	text_add(&column[G_VERSION], "%" PRIu64, play->version);
	text_add(&column[G_ROUND], "%" PRIu64, play->round.move);
	if (player_round_open(play))
		text_add(&column[G_OPEN], "%" PRIu64, play->round.opened_us);
	else
		text_add(&column[G_OPEN], "null");
	text_add_bytes(&column[G_STATE], bytes, length);
}

static void save_columns(PGconn *conn, const char *sql, struct text *column, int count)
{
	const char *parameters[G_COLUMNS];

	for (int i = 0; i < count; i++) {
		text_end(&column[i]);
		parameters[i] = column[i].bytes;
	}
	PQclear(pg_again(conn, sql, count, parameters));
	for (int i = 0; i < count; i++)
		free(column[i].bytes);
}

static const char save_players[] =
	"insert into engine.player as p (player, shard, last_move, state)"
	" select * from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bytea[])"
	" on conflict (player) do update set last_move = excluded.last_move,"
	" state = excluded.state, written = now() where p.last_move <= excluded.last_move";

static const char save_games[] =
	"insert into engine.game_state as g (player, game, shard, move, version, round,"
	" open_since, state) select player, game, shard, move, version, round,"
	" to_timestamp(opened / 1e6), state from unnest($1::bigint[], $2::integer[],"
	" $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[])"
	" as v (player, game, shard, move, version, round, opened, state)"
	" on conflict (player, game) do update set move = excluded.move,"
	" version = excluded.version, round = excluded.round, open_since = excluded.open_since,"
	" state = excluded.state, written = now()"
	" where (g.move, g.version) < (excluded.move, excluded.version)";

/* The rows of one transaction. */
struct rows {
	struct text player[P_COLUMNS], game[G_COLUMNS];
};

static void add_seat(struct rows *rows, struct seat *seat)
{
	seat->soon = false;
	if (seat_aside(seat) && seat->quarantine->seq == 0)
		return; /* what could not be read is not replaced */
	if (seat->player.account)
		add_player(rows->player, seat);
	for (size_t at = 0; at < seat->game_count; at++)
		add_game(rows->game, seat, seat->game[at]);
}

static void save_rows(PGconn *conn, struct rows *rows)
{
	if (rows->player[0].length > 0)
		save_columns(conn, save_players, rows->player, P_COLUMNS);
	if (rows->game[0].length > 0)
		save_columns(conn, save_games, rows->game, G_COLUMNS);
}

void store_save(PGconn *conn, struct seats *seats)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < seats->dirty_count; i++) {
		seats->dirty[i]->dirty = false;
		add_seat(&rows, seats->dirty[i]);
	}
	seats->dirty_count = 0;
	seats->due_count = 0;
	save_rows(conn, &rows);
}

void store_save_part(PGconn *conn, struct seats *seats)
{
	struct rows rows = { 0 };
	struct seat *seat;

	for (size_t i = 0; i < seats->part && (seat = seats_take_due(seats)) != NULL; i++)
		add_seat(&rows, seat);
	for (size_t i = 0; i < seats->dirty_count; i++)
		if (seats->dirty[i]->soon)
			add_seat(&rows, seats->dirty[i]);
	save_rows(conn, &rows);
}

/* ---- keys, switches, scripts ---- */

bool store_has_keys(PGconn *conn)
{
	PGresult *result = pg_query(conn, "select count(*) from engine.key", 0, NULL);
	bool some = pg_number(result, 0, 0) > 0;

	PQclear(result);
	return some;
}

static void note_key(PGconn *conn, const struct keys *keys, size_t at)
{
	uint8_t check[KEY_CHECK_BYTES];
	char number[16], hex[2 * KEY_CHECK_BYTES + 3] = "\\x";
	const char *const parameters[] = { number, hex };

	keys_check(keys, at, check);
	snprintf(number, sizeof(number), "%" PRIu32, keys_number(keys, at));
	sodium_bin2hex(hex + 2, sizeof(hex) - 2, check, sizeof(check));
	PQclear(pg_query(conn,
		"insert into engine.key (number, check_bytes) values ($1, $2) on conflict do "
		"nothing",
		2, parameters));
}

/* Is this the key of that number, by its fingerprint? */
static bool key_known(
	const struct keys *keys, int64_t number, const uint8_t *known, size_t length, char *error)
{
	uint8_t check[KEY_CHECK_BYTES];
	size_t at = 0;

	while (at < keys_count(keys) && keys_number(keys, at) != number)
		at++;
	if (at == keys_count(keys)) {
		snprintf(error, KEYS_ERROR_MAX,
			"keys/spin-engine/spin-engine.key: found no key %" PRId64
			", which moves of this installation use: restore the file",
			number);
		return false;
	}
	keys_check(keys, at, check);
	if (length == sizeof(check) && memcmp(known, check, sizeof(check)) == 0)
		return true;
	snprintf(error, KEYS_ERROR_MAX,
		"keys/spin-engine/spin-engine.key: key %" PRId64
		" differs from the key that this installation has used: restore the file",
		number);
	return false;
}

bool store_check_keys(PGconn *conn, const struct keys *keys, char *error)
{
	PGresult *result;
	bool good = true;

	for (size_t i = 0; i < keys_count(keys); i++)
		note_key(conn, keys, i);
	result = pg_query(
		conn, "select number, check_bytes from engine.key order by number", 0, NULL);
	for (int row = 0; row < PQntuples(result) && good; row++) {
		size_t length;
		uint8_t *known = pg_bytea(result, row, 1, &length);

		good = key_known(keys, pg_number(result, row, 0), known, length, error);
		PQfreemem(known);
	}
	PQclear(result);
	return good;
}

void store_start(PGconn *conn)
{
	PGresult *result =
		pg_again(conn, "select to_regclass('gateway.game_start') is not null", 0, NULL);
	bool there = PQgetvalue(result, 0, 0)[0] == 't';

	PQclear(result);
	if (!there)
		return; /* no gateway has migrated this database */
	result = pg_again(conn,
		"delete from engine.stopped_game s where exists (select from gateway.game_start g"
		" where g.game = s.game and g.time >= s.since) returning s.game",
		0, NULL);
	for (int i = 0; i < PQntuples(result); i++)
		log_warn_as("engine.game.started",
			"game %" PRId64 " (0: all): an operator started it again",
			pg_number(result, i, 0));
	PQclear(result);
}

bool store_all_stopped(PGconn *conn)
{
	PGresult *result =
		pg_again(conn, "select from engine.stopped_game where game = 0", 0, NULL);
	bool stopped = PQntuples(result) > 0;

	PQclear(result);
	return stopped;
}

size_t store_stopped(PGconn *conn, uint32_t stopped_r[STORE_STOPPED_MAX])
{
	PGresult *result = pg_again(conn,
		"select game from engine.stopped_game union select game from wallet.switch"
		" union select t.game from pool.tally t join pool.pool p on p.pool = t.pool"
		" where t.closed is null and p.state <> 'live' and not exists (select 1 from"
		" pool.link l where l.pool = t.pool and l.game = t.game)",
		0, NULL);
	size_t count = 0;

	for (int i = 0; i < PQntuples(result) && count < STORE_STOPPED_MAX; i++)
		stopped_r[count++] = (uint32_t)pg_number(result, i, 0);
	PQclear(result);
	return count;
}

void store_stop(PGconn *conn, uint32_t game, const char *reason)
{
	char number[16];
	const char *const parameters[] = { number, reason };

	snprintf(number, sizeof(number), "%" PRIu32, game);
	PQclear(pg_query(conn,
		"insert into engine.stopped_game (game, reason) values ($1, $2) on conflict do "
		"nothing",
		2, parameters));
}

size_t store_due(PGconn *conn, uint32_t shard, uint32_t game, uint32_t hours,
	struct store_due due_r[STORE_DUE_MAX])
{
	char texts[3][16];
	const char *const parameters[] = { texts[0], texts[1], texts[2] };
	PGresult *result;
	size_t count = 0;

	snprintf(texts[0], sizeof(texts[0]), "%" PRIu32, shard);
	snprintf(texts[1], sizeof(texts[1]), "%" PRIu32, game);
	snprintf(texts[2], sizeof(texts[2]), "%" PRIu32, hours);
	result = pg_query(conn,
		"select player, round from engine.game_state where open_since <"
		" now() - make_interval(hours => $3::integer) and shard = $1 and game = $2"
		" order by open_since limit 100",
		3, parameters);
	for (int i = 0; i < PQntuples(result) && count < STORE_DUE_MAX; i++)
		due_r[count++] = (struct store_due){ pg_number(result, i, 0),
			(uint64_t)pg_number(result, i, 1) };
	PQclear(result);
	return count;
}

uint32_t store_script(PGconn *conn, player_id player, uint32_t script_r[PLAYER_FORCED_MAX])
{
	char number[24];
	const char *const parameters[] = { number };
	PGresult *result;
	uint32_t count = 0;

	snprintf(number, sizeof(number), "%" PRId64, player);
	result = pg_query(conn,
		"with taken as (update engine.forced_draw set used = now() where id = (select id "
		"from"
		" engine.forced_draw where player = $1 and used is null order by id limit 1)"
		" returning script) select unnest(script) from taken",
		1, parameters);
	if (PQntuples(result) > PLAYER_FORCED_MAX)
		log_error_as("engine.script.too_long",
			"engine.forced_draw: player %" PRId64
			": found a script of %d draws, expected at most %d: the script is skipped",
			player, PQntuples(result), PLAYER_FORCED_MAX);
	for (int i = 0; i < PQntuples(result) && PQntuples(result) <= PLAYER_FORCED_MAX; i++)
		script_r[count++] = (uint32_t)pg_number(result, i, 0);
	PQclear(result);
	return count;
}

uint32_t store_wallet_incarnation(PGconn *conn, uint32_t shard)
{
	char number[16];
	const char *const parameters[] = { number };
	PGresult *result;
	uint32_t incarnation = 1;

	snprintf(number, sizeof(number), "%" PRIu32, shard);
	result = pg_query(conn,
		"select incarnation from carillon.shard where service = 'wallet' and shard = $1", 1,
		parameters);
	if (PQntuples(result) == 1)
		incarnation = (uint32_t)pg_number(result, 0, 0);
	PQclear(result);
	return incarnation;
}
