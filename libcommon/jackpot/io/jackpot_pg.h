/* The columns that the tables of pools and of sets share: the books (without `received` and `sent`,
 * which only pools have), the present and the waiting terms of a row or level, and the price of a
 * hit. Each macro lists columns in the order in which the functions add or read their values. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_PG_H
#define CARILLON_JACKPOT_IO_JACKPOT_PG_H

#include "libcommon/jackpot/pool_books.h"
#include "libcommon/io/pg_args.h"

#define JACKPOT_BOOKS                                                                              \
	"contributions_e27, jp_pool_e27, jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27"
/* For "on conflict .. do update". */
#define JACKPOT_BOOKS_SET                                                                          \
	"contributions_e27 = excluded.contributions_e27, jp_pool_e27 = excluded.jp_pool_e27, "     \
	"jp_reserve_e27 = excluded.jp_reserve_e27, jp_seed_e27 = excluded.jp_seed_e27, "           \
	"house_seed_e27 = excluded.house_seed_e27, paid_e27 = excluded.paid_e27"
/* Adds the values of JACKPOT_BOOKS; jackpot_books reads them from `column` on, and sets `received`
 * and `sent` to 0. */
void jackpot_args_books(struct pg_args *args, const struct pool_books *books);
struct pool_books jackpot_books(const PGresult *result, int row, int column);

#define JACKPOT_ROW                                                                                \
	"seed_minor, row_rate_nano, share_nano, unit_e27, w_e18, r_e27, hits, next_seed_minor, "   \
	"next_row_rate_nano, next_share_nano"
#define JACKPOT_ROW_SET                                                                            \
	"seed_minor = excluded.seed_minor, row_rate_nano = excluded.row_rate_nano, share_nano = "  \
	"excluded.share_nano, unit_e27 = excluded.unit_e27, w_e18 = excluded.w_e18, r_e27 = "      \
	"excluded.r_e27, hits = excluded.hits, next_seed_minor = excluded.next_seed_minor, "       \
	"next_row_rate_nano = excluded.next_row_rate_nano, next_share_nano = "                     \
	"excluded.next_share_nano"
#define JACKPOT_ROW_READ                                                                           \
	"seed_minor, row_rate_nano, share_nano, w_e18, r_e27, hits, next_seed_minor is not null, " \
	"next_seed_minor, next_row_rate_nano, next_share_nano"
/* Adds the values of JACKPOT_ROW; fatal on invalid terms. */
void jackpot_args_row(struct pg_args *args, const struct pool_row *row);
/* Reads JACKPOT_ROW_READ from `column` on into a row whose key is set. */
void jackpot_pg_row(const PGresult *result, int row, int column, struct pool_row *row_r);

/* How a hit was priced. */
struct jackpot_price {
	const struct pool_price *price;
	struct amount seed, next_seed;
	const struct pool_reseed *reseed;
	int128 t_e18, w_before_e18;
};

#define JACKPOT_PRICE                                                                              \
	"paid_minor, value_e27, cost_e27, carry_e27, seed_e27, next_seed_e27, from_reserve_e27, "  \
	"from_house_e27, t_e18, w_before_e18"
/* Adds the values of JACKPOT_PRICE. */
void jackpot_args_price(struct pg_args *args, const struct jackpot_price *price);

/* An id as text of a bytea: "\x" and two hex digits a byte. out holds 2 * length + 3 bytes. */
const char *jackpot_hex(const uint8_t *bytes, size_t length, char *out);

/* Limit on the number of operators' settings in a schema ("pool" or "cards"). Bets are checked
 * against these settings, so the wallet and the engine keep all of them in memory. */
#define JACKPOT_SETTINGS_MAX 1000
/* Is there room for another setting? If not: false with refusal set (ACTION_TEXT_MAX bytes). */
bool jackpot_settings_room(PGconn *conn, const char *sql, char *refusal);

#endif
