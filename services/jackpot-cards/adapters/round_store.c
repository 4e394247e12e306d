#include "services/jackpot-cards/adapters/round_store.h"

#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "libcommon/io/stored.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 64 /* size of the text of an array of picks or weights */
#define HEX_MAX (2 * CARD_SECRET_BYTES + 3)

#define COLUMNS_OF(r)                                                                              \
	r ".number, " r ".player, " r ".move, " r ".index, " r ".currency, " r ".stake_minor, " r  \
	  ".wallet_shard, " r ".wallet_seq, (extract(epoch from " r                                \
	  ".claimed) * 1000000)::bigint, (extract(epoch from " r                                   \
	  ".opened) * 1000000)::bigint, (extract(epoch from " r ".expires) * 1000000)::bigint, " r \
	  ".key, " r ".salt, " r ".secret_hash, array_to_string(" r                                \
	  ".weights, ' '), array_to_string(" r ".positions, ' '), array_to_string(" r              \
	  ".suits, ' '), " r ".by_house, " r ".won, coalesce(" r ".hit, 0), coalesce(" r           \
	  ".paid_minor, 0)"
#define COLUMNS COLUMNS_OF("round") " "
#define COLUMNS_N 21

/* ---- in
 * ---------------------------------------------------------------------------------------------------------------
 */

static size_t numbers(const char *text, uint32_t *out, size_t max)
{
	size_t n = 0;
	char *end;
	for (; *text != '\0' && n < max; text = *end == ' ' ? end + 1 : end) {
		out[n++] = (uint32_t)strtoul(text, &end, 10);
		if (end == text)
			break;
	}
	return *text == '\0' ? n : max + 1;
}

static void bytes_of(const PGresult *rows, int row, int column, size_t size, uint8_t *out)
{
	size_t length;
	uint8_t *bytes = pg_bytea(rows, row, column, &length);
	if (length == size)
		memcpy(out, bytes, size);
	else
		stored_wrong("cards.round, column %d: found %zu bytes, expected %zu", column,
			length, size);
	PQfreemem(bytes);
}

/* The secret determines the deal; the stored cards must match it. */
static void redeal(
	const struct numbered_keys *keys, const PGresult *rows, int row, struct card_play *play)
{
	uint8_t hash[CARD_SECRET_BYTES];
	uint32_t position[DEAL_CARDS + 1], suit[DEAL_CARDS + 1];
	struct card_deal deal;
	if (numbers(PQgetvalue(rows, row, 14), play->weight, CARD_LEVELS) != CARD_LEVELS ||
		!card_weights_valid(play->weight)) {
		stored_wrong("cards.round %" PRIu64 ": found weights '%.40s', expected those of a "
			     "set",
			play->number, PQgetvalue(rows, row, 14));
		return;
	}
	if (!card_keys_secret(keys, play->key, &play->id, play->salt, play->secret)) {
		stored_wrong("cards.round %" PRIu64
			     ": its service key, number %u, is not in the key file: restore it",
			play->number, play->key);
		return;
	}
	card_keys_hash(play->secret, hash);
	if (memcmp(hash, play->secret_hash, sizeof(hash)) != 0) {
		stored_wrong("cards.round %" PRIu64
			     ": service key %u is not the one that opened the round: restore the "
			     "original key",
			play->number, play->key);
		return;
	}
	card_keys_deal(play->secret, &play->id, play->weight, NULL, &deal);
	card_round_begin(&play->round, &deal);
	size_t picks = numbers(PQgetvalue(rows, row, 15), position, DEAL_CARDS);
	if (numbers(PQgetvalue(rows, row, 16), suit, DEAL_CARDS) != picks ||
		picks > DEAL_PICKS_MAX) {
		stored_wrong("cards.round %" PRIu64 ": its picks cannot be read", play->number);
		return;
	}
	for (uint32_t i = 0; i < picks; i++)
		if (card_round_pick(&play->round, i + 1, position[i]) != CARD_PICK_OK ||
			deal.suit[i] != suit[i]) {
			stored_wrong("cards.round %" PRIu64
				     ", pick %u: found position %u with suit %u, which differs "
				     "from the deal",
				play->number, i + 1, position[i], suit[i]);
			return;
		}
}

static void read_round(
	const PGresult *rows, int row, const struct numbered_keys *keys, struct card_play *play)
{
	*play = (struct card_play){
		.number = pg_u64(rows, row, 0),
		.id = { pg_number(rows, row, 1), pg_u64(rows, row, 2), pg_u32(rows, row, 3) },
		.currency = pg_u32(rows, row, 4),
		.stake_minor = pg_number(rows, row, 5),
		.wallet_shard = pg_u32(rows, row, 6),
		.wallet_seq = pg_u64(rows, row, 7),
		.claimed_us = pg_u64(rows, row, 8),
		.opened_us = pg_u64(rows, row, 9),
		.expires_us = pg_u64(rows, row, 10),
		.key = pg_u32(rows, row, 11),
		.by_house = PQgetvalue(rows, row, 17)[0] == 't',
		.hit = pg_u64(rows, row, 19),
		.paid_minor = pg_number(rows, row, 20),
	};
	if (play->paid_minor < 0 || play->stake_minor < 0)
		stored_wrong(
			"cards.round %" PRIu64 ": found a payout or a stake below 0", play->number);
	bytes_of(rows, row, 12, sizeof(play->salt), play->salt);
	bytes_of(rows, row, 13, sizeof(play->secret_hash), play->secret_hash);
	redeal(keys, rows, row, play);
	if (card_round_won(&play->round) != (PQgetvalue(rows, row, 18)[0] == 't'))
		stored_wrong("cards.round %" PRIu64
			     ": the stored `won` does not match the stored picks",
			play->number);
}

bool round_store_claim(
	PGconn *conn, uint32_t set, const struct claim_id *id, struct card_claim *claim_r)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, id->player);
	pg_args_int(&args, (int64_t)id->move);
	pg_args_int(&args, id->index);
	pg_args_int(&args, set);
	PGresult *rows = pg_args_query(&args, conn,
		"select currency, stake_minor, shard, opened_seq, (extract(epoch from opened) * "
		"1000000)::bigint from wallet.claim where player = $1 and move = $2 and index = $3 "
		"and pool = $4 and kind = 2 and closed_seq is null");
	bool found = PQntuples(rows) == 1;
	if (found)
		*claim_r = (struct card_claim){ *id, pg_u32(rows, 0, 0), pg_number(rows, 0, 1),
			pg_u32(rows, 0, 2), pg_u64(rows, 0, 3), pg_u64(rows, 0, 4) };
	PQclear(rows);
	return found;
}

uint32_t round_store_game(PGconn *conn, const struct claim_id *id)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, id->player);
	pg_args_int(&args, (int64_t)id->move);
	pg_args_int(&args, id->index);
	PGresult *rows = pg_args_query(&args, conn,
		"select j.game from wallet.claim c, wallet.rows_between(c.shard, c.opened_seq, "
		"c.opened_seq, 1) j where c.player = $1 and c.move = $2 and c.index = $3");
	uint32_t game = PQntuples(rows) == 1 ? pg_u32(rows, 0, 0) : 0;
	PQclear(rows);
	return game;
}

static void odds_take(const PGresult *rows, int row, int column, struct card_play *play)
{
	size_t length;
	uint8_t *bytes = pg_bytea(rows, row, column, &length);

	play->odds_length = length <= sizeof(play->odds) ? length : 0;
	memcpy(play->odds, bytes, play->odds_length);
	PQfreemem(bytes);
}

/* The odds of operators, in the order of their versions: the closest ones hold. As the engine
 * chooses them. */
static void odds_of_operators(
	PGconn *conn, uint32_t set, uint32_t operator_id, struct card_play *play)
{
	struct pg_args args = { 0 };
	int closest = -1;
	int64_t game = -1;

	pg_args_int(&args, set);
	pg_args_int(&args, play->currency);
	pg_args_int(&args, operator_id);
	pg_args_int(&args, (int64_t)play->claimed_us);
	PGresult *rows = pg_args_query(&args, conn,
		"select operator, game, action from cards.odds where pool = $1 and currency = $2 "
		"and operator in (0, $3) and time <= 'epoch'::timestamptz + $4 * interval '1 "
		"microsecond' order by version");
	for (int i = 0; i < PQntuples(rows); i++) {
		int64_t of_game = pg_number(rows, i, 1);
		int close = (pg_number(rows, i, 0) != 0 ? 2 : 0) + (of_game != 0 ? 1 : 0);

		if (of_game != 0 && game < 0)
			game = round_store_game(conn, &play->id);
		if (close < closest || (of_game != 0 && of_game != game))
			continue;
		closest = close;
		odds_take(rows, i, 2, play);
	}
	PQclear(rows);
}

void round_store_odds(PGconn *conn, uint32_t set, uint32_t operator_id, struct card_play *play)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, set);
	pg_args_int(&args, play->currency);
	pg_args_int(&args, (int64_t)play->claimed_us);
	PGresult *rows = pg_args_query(&args, conn,
		"select digest from cards.set_odds where pool = $1 and currency = $2 and since <= "
		"'epoch'::timestamptz + $3 * interval '1 microsecond' order by number desc limit "
		"1");
	if (PQntuples(rows) == 1)
		odds_take(rows, 0, 0, play);
	PQclear(rows);
	odds_of_operators(conn, set, operator_id, play);
}

uint64_t round_store_next(PGconn *conn, uint32_t set)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, set);
	PGresult *row = pg_args_query(&args, conn,
		"select coalesce(max(number), 0) + 1 from cards.round where pool = $1");
	uint64_t next = pg_u64(row, 0, 0);
	PQclear(row);
	return next;
}

struct card_play *round_store_open(PGconn *conn, uint32_t set, const struct numbered_keys *keys)
{
	struct pg_args args = { 0 };
	struct card_play *first = NULL;
	pg_args_int(&args, set);
	PGresult *rows = pg_args_query(&args, conn,
		"select " COLUMNS "from cards.round where pool = $1 and not won order by number");
	for (int i = 0; i < PQntuples(rows); i++) {
		struct card_play *play = malloc(sizeof(*play));
		if (play == NULL)
			fatal("out of memory");
		read_round(rows, i, keys, play);
		play->next = first;
		first = play;
	}
	PQclear(rows);
	return first;
}

bool round_store_find(PGconn *conn, uint32_t set, const struct claim_id *id,
	const struct numbered_keys *keys, struct card_play *play_r)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, set);
	pg_args_int(&args, id->player);
	pg_args_int(&args, (int64_t)id->move);
	pg_args_int(&args, id->index);
	PGresult *rows = pg_args_query(&args, conn,
		"select " COLUMNS "from cards.round where pool = $1 and player = $2 and move = $3 "
		"and index = $4");
	bool found = PQntuples(rows) == 1;
	if (found)
		read_round(rows, 0, keys, play_r);
	PQclear(rows);
	return found;
}

size_t round_store_newest(PGconn *conn, uint32_t set, const struct numbered_keys *keys,
	struct card_play *plays, size_t max)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, set);
	pg_args_int(&args, (int64_t)max);
	PGresult *rows = pg_args_query(&args, conn,
		"select " COLUMNS_OF(
			"r") ", h.fact_seq, h.version, h.next_value_minor, h.next_seed_minor, h.level_hit from "
			     "cards.hit h join cards.round r using (player, move, index) where h.pool = $1 "
			     "order by h.hit desc limit $2");
	int n = PQntuples(rows);
	for (int i = 0; i < n; i++) {
		struct card_play *play = &plays[n - 1 - i];
		read_round(rows, i, keys, play);
		play->fact_seq = pg_u64(rows, i, COLUMNS_N);
		play->version = pg_u64(rows, i, COLUMNS_N + 1);
		play->next_value_minor = pg_number(rows, i, COLUMNS_N + 2);
		play->next_seed_minor = pg_number(rows, i, COLUMNS_N + 3);
		play->price.number = pg_u64(rows, i, COLUMNS_N + 4);
	}
	PQclear(rows);
	return (size_t)n;
}

size_t round_store_unpaid(PGconn *conn, uint32_t set, const struct numbered_keys *keys,
	struct card_play *plays, size_t max)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, set);
	pg_args_int(&args, (int64_t)max);
	PGresult *rows = pg_args_query(&args, conn,
		"select " COLUMNS_OF(
			"r") " from wallet.claim c join cards.round r using (player, move, index) where "
			     "c.closed_seq is null and c.kind = 2 and r.pool = $1 and r.won limit $2");
	int n = PQntuples(rows);
	for (int i = 0; i < n; i++)
		read_round(rows, i, keys, &plays[i]);
	PQclear(rows);
	return (size_t)n;
}

/* ---- out
 * --------------------------------------------------------------------------------------------------------------
 */

/* "{1,2}" of bytes. */
static const char *array(const uint8_t *values, size_t n, char out[NUMBERS_MAX])
{
	size_t at = 1;
	out[0] = '{';
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(
			out + at, NUMBERS_MAX - at, "%s%u", i > 0 ? "," : "", values[i]);
	(void)snprintf(out + at, NUMBERS_MAX - at, "}");
	return out;
}

static void insert(PGconn *conn, uint32_t set, const struct card_play *play)
{
	struct pg_args args = { 0 };
	char weights[NUMBERS_MAX], salt[HEX_MAX], hash[HEX_MAX], odds[HEX_MAX];
	(void)snprintf(weights, sizeof(weights), "{%u,%u,%u,%u}", play->weight[0], play->weight[1],
		play->weight[2], play->weight[3]);
	pg_args_int(&args, set);
	pg_args_int(&args, (int64_t)play->number);
	pg_args_int(&args, play->id.player);
	pg_args_int(&args, (int64_t)play->id.move);
	pg_args_int(&args, play->id.index);
	pg_args_int(&args, play->currency);
	pg_args_int(&args, play->stake_minor);
	pg_args_int(&args, play->wallet_shard);
	pg_args_int(&args, (int64_t)play->wallet_seq);
	pg_args_int(&args, (int64_t)play->claimed_us);
	pg_args_int(&args, (int64_t)play->opened_us);
	pg_args_int(&args, (int64_t)play->expires_us);
	pg_args_int(&args, play->key);
	pg_args_text(&args, jackpot_hex(play->salt, sizeof(play->salt), salt));
	pg_args_text(&args, jackpot_hex(play->secret_hash, sizeof(play->secret_hash), hash));
	pg_args_text(&args, weights);
	pg_args_text(&args,
		play->odds_length == 0 ? NULL : jackpot_hex(play->odds, play->odds_length, odds));
	pg_args_run(&args, conn,
		"insert into cards.round (pool, number, player, move, index, currency, "
		"stake_minor, wallet_shard, wallet_seq, claimed, opened, expires, key, salt, "
		"secret_hash, weights, odds) values ($1, $2, $3, $4, $5, $6, $7, $8, $9,"
		" 'epoch'::timestamptz + $10 * interval '1 microsecond',"
		" 'epoch'::timestamptz + $11 * interval '1 microsecond',"
		" 'epoch'::timestamptz + $12 * interval '1 microsecond', $13, $14, $15, $16, $17)");
}

static void update(PGconn *conn, const struct card_play *play)
{
	struct pg_args args = { 0 };
	char positions[NUMBERS_MAX], suits[NUMBERS_MAX], secret[HEX_MAX];
	bool won = card_round_won(&play->round);
	pg_args_int(&args, play->id.player);
	pg_args_int(&args, (int64_t)play->id.move);
	pg_args_int(&args, play->id.index);
	pg_args_text(&args, array(play->round.position, play->round.picked, positions));
	pg_args_text(&args, array(play->round.deal.suit, play->round.picked, suits));
	pg_args_text(&args, play->by_house ? "t" : "f");
	pg_args_text(&args, won ? "t" : "f");
	if (won) {
		pg_args_int(&args, play->round.deal.level);
		pg_args_int(&args, (int64_t)play->hit);
		pg_args_int(&args, play->paid_minor);
		pg_args_text(&args, jackpot_hex(play->secret, sizeof(play->secret), secret));
	} else {
		for (int i = 0; i < 4; i++)
			pg_args_text(&args, NULL);
	}
	pg_args_run(&args, conn,
		"update cards.round set positions = $4, suits = $5, by_house = $6, won = $7, level "
		"= $8, hit = $9, paid_minor = $10, secret = $11, ended = case when $7 then "
		"clock_timestamp() end where player = $1 and move = $2 and index = $3 and not won");
}

static void insert_hit(PGconn *conn, uint32_t set, const struct card_play *play)
{
	struct pg_args args = { 0 };
	const struct card_hit *hit = &play->price;
	const struct jackpot_price price = { &hit->price, hit->seed, hit->next_seed, &hit->reseed,
		hit->t_e18, hit->w_before_e18 };
	pg_args_int(&args, set);
	pg_args_int(&args, (int64_t)play->hit);
	pg_args_int(&args, hit->level);
	pg_args_int(&args, (int64_t)hit->number);
	pg_args_int(&args, play->id.player);
	pg_args_int(&args, (int64_t)play->id.move);
	pg_args_int(&args, play->id.index);
	pg_args_int(&args, hit->payout.currency);
	pg_args_int(&args, hit->payout.exponent);
	pg_args_int(&args, hit->payout.rate_nano);
	jackpot_args_price(&args, &price);
	pg_args_int(&args, (int64_t)play->fact_seq);
	pg_args_int(&args, (int64_t)play->version);
	pg_args_int(&args, play->next_value_minor);
	pg_args_int(&args, play->next_seed_minor);
	pg_args_int(&args, hit->next_share_nano);
	pg_args_text(&args, play->left_out);
	pg_args_run(&args, conn,
		"insert into cards.hit (pool, hit, level, level_hit, player, move, index, "
		"currency, exponent, rate_nano, " JACKPOT_PRICE
		", fact_seq, version, next_value_minor, next_seed_minor, next_share_nano, "
		"left_out) values "
		"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
		"$19, $20, $21, $22, $23, $24, $25, $26::integer[])");
}

void round_store_save(PGconn *conn, uint32_t set, struct card_play *play)
{
	if (play->fresh)
		insert(conn, set, play);
	if (play->dirty)
		update(conn, play);
	if (play->priced)
		insert_hit(conn, set, play);
	play->fresh = play->dirty = play->priced = false;
	free(play->left_out);
	play->left_out = NULL;
}
