/* Columns of pools and sets. */
#include "libcommon/jackpot/io/jackpot_pg.h"

#include "libcommon/base/hex.h"
#include "libcommon/jackpot/io/jackpot_action.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>

void jackpot_args_books(struct pg_args *args, const struct pool_books *books)
{
	pg_args_int128(args, books->contributions.e27);
	pg_args_int128(args, books->jp_pool.e27);
	pg_args_int128(args, books->jp_reserve.e27);
	pg_args_int128(args, books->jp_seed.e27);
	pg_args_int128(args, books->house_seed.e27);
	pg_args_int128(args, books->paid.e27);
}

struct pool_books jackpot_books(const PGresult *result, int row, int column)
{
	return (struct pool_books){
		.contributions = { pg_int128(result, row, column) },
		.jp_pool = { pg_int128(result, row, column + 1) },
		.jp_reserve = { pg_int128(result, row, column + 2) },
		.jp_seed = { pg_int128(result, row, column + 3) },
		.house_seed = { pg_int128(result, row, column + 4) },
		.paid = { pg_int128(result, row, column + 5) },
	};
}

static void args_next(struct pg_args *args, const struct pool_row *row)
{
	if (!row->next_waits) {
		for (int i = 0; i < 3; i++)
			pg_args_text(args, NULL);
		return;
	}
	pg_args_int(args, row->next.seed_minor);
	pg_args_int(args, row->next.row_rate_nano);
	pg_args_int(args, row->next.share_nano);
}

void jackpot_args_row(struct pg_args *args, const struct pool_row *row)
{
	struct amount unit;
	if (!pool_unit(row->terms.row_rate_nano, row->exponent, &unit))
		fatal("currency %u, coin %lld, level %u: found an invalid row rate", row->currency,
			(long long)row->coin_minor, row->level);
	pg_args_int(args, row->terms.seed_minor);
	pg_args_int(args, row->terms.row_rate_nano);
	pg_args_int(args, row->terms.share_nano);
	pg_args_int128(args, unit.e27);
	pg_args_int128(args, row->w_e18);
	pg_args_int128(args, row->r.e27);
	pg_args_int(args, (int64_t)row->hits);
	args_next(args, row);
}

void jackpot_pg_row(const PGresult *result, int row, int column, struct pool_row *row_r)
{
	row_r->terms = (struct pool_terms){ pg_number(result, row, column),
		pg_number(result, row, column + 1), pg_number(result, row, column + 2) };
	row_r->w_e18 = pg_int128(result, row, column + 3);
	row_r->r.e27 = pg_int128(result, row, column + 4);
	row_r->hits = pg_u64(result, row, column + 5);
	row_r->next_waits = PQgetvalue(result, row, column + 6)[0] == 't';
	row_r->next = (struct pool_terms){ pg_number(result, row, column + 7),
		pg_number(result, row, column + 8), pg_number(result, row, column + 9) };
}

void jackpot_args_price(struct pg_args *args, const struct jackpot_price *price)
{
	pg_args_int(args, price->price->paid_minor);
	pg_args_int128(args, price->price->value.e27);
	pg_args_int128(args, price->price->cost.e27);
	pg_args_int128(args, price->price->carry.e27);
	pg_args_int128(args, price->seed.e27);
	pg_args_int128(args, price->next_seed.e27);
	pg_args_int128(args, price->reseed->from_reserve.e27);
	pg_args_int128(args, price->reseed->from_house.e27);
	pg_args_int128(args, price->t_e18);
	pg_args_int128(args, price->w_before_e18);
}

const char *jackpot_hex(const uint8_t *bytes, size_t length, char *out)
{
	out[0] = '\\';
	out[1] = 'x';
	hex_format(bytes, length, out + 2);
	return out;
}

bool jackpot_settings_room(PGconn *conn, const char *sql, char *refusal)
{
	PGresult *result = pg_query(conn, sql, 0, NULL);
	int64_t n = pg_number(result, 0, 0);
	PQclear(result);
	return n < JACKPOT_SETTINGS_MAX ||
	       action_refuse(refusal,
		       "found %" PRId64 " settings of this kind, expected fewer than %d", n,
		       JACKPOT_SETTINGS_MAX);
}
