/* Entries of a pool's books. Each works on a copy and stores it whole, so a sum that does not fit
 * leaves the books unchanged. */
#include "libcommon/jackpot/pool_books.h"

static bool move(struct amount *to, struct amount by)
{
	return amount_add(*to, by, to);
}

static bool take(struct amount *from, struct amount by)
{
	return amount_sub(*from, by, from);
}

bool pool_books_contribute(
	struct pool_books *books, int128 delta_e18, int64_t share_nano, int64_t funded_nano)
{
	if (delta_e18 < 0 || share_nano < 0 || share_nano > funded_nano)
		return false;
	struct pool_books next = *books;
	struct amount funded;
	struct amount shared;
	if (!int128_mul(delta_e18, funded_nano, &funded.e27) ||
		!int128_mul(delta_e18, share_nano, &shared.e27))
		return false;
	struct amount rest = { funded.e27 - shared.e27 };
	if (!move(&next.contributions, funded) || !move(&next.jp_pool, shared) ||
		!move(&next.jp_reserve, rest))
		return false;
	*books = next;
	return true;
}

bool pool_books_launch(struct pool_books *books, struct amount seed)
{
	struct pool_books next = *books;
	if (seed.e27 < 0 || !move(&next.house_seed, seed) || !move(&next.jp_seed, seed))
		return false;
	*books = next;
	return true;
}

bool pool_books_hit(struct pool_books *books, struct amount cost, struct amount seed,
	struct amount next_seed, struct pool_reseed *reseed_r)
{
	struct pool_books next = *books;
	struct amount accrued; /* the part of the price that players contributed */
	if (cost.e27 < 0 || next_seed.e27 < 0 || !amount_sub(cost, seed, &accrued))
		return false;
	if (!take(&next.jp_pool, accrued) || !take(&next.jp_seed, seed) || !move(&next.paid, cost))
		return false;
	/* The reserve pays first, as far as it goes; the house pays the rest. */
	struct pool_reseed reseed;
	reseed.from_reserve = next.jp_reserve.e27 < next_seed.e27 ? next.jp_reserve : next_seed;
	reseed.from_house.e27 = next_seed.e27 - reseed.from_reserve.e27;
	if (!take(&next.jp_reserve, reseed.from_reserve) ||
		!move(&next.house_seed, reseed.from_house) || !move(&next.jp_seed, next_seed))
		return false;
	*books = next;
	*reseed_r = reseed;
	return true;
}

bool pool_books_adjust(struct pool_books *books, struct amount delta)
{
	struct pool_books next = *books;
	if (!move(&next.jp_pool, delta) || !move(&next.house_seed, delta) || next.jp_pool.e27 < 0)
		return false;
	*books = next;
	return true;
}

bool pool_books_release(struct pool_books *books, struct amount accrued, struct amount seed)
{
	struct pool_books next = *books;
	if (!take(&next.jp_pool, accrued) || !take(&next.jp_seed, seed) ||
		!move(&next.jp_reserve, accrued) || !move(&next.jp_reserve, seed))
		return false;
	*books = next;
	return true;
}

bool pool_books_send(
	struct pool_books *books, struct amount accrued, struct amount seed, struct amount reserve)
{
	struct pool_books next = *books;
	if (accrued.e27 < 0 || seed.e27 < 0 || reserve.e27 < 0 || !take(&next.jp_pool, accrued) ||
		!take(&next.jp_seed, seed) || !take(&next.jp_reserve, reserve) ||
		next.jp_pool.e27 < 0 || next.jp_seed.e27 < 0 || next.jp_reserve.e27 < 0 ||
		!move(&next.sent, accrued) || !move(&next.sent, seed) || !move(&next.sent, reserve))
		return false;
	*books = next;
	return true;
}

bool pool_books_receive(struct pool_books *books, struct amount amount, bool to_row)
{
	struct pool_books next = *books;
	if (amount.e27 < 0 || !move(to_row ? &next.jp_pool : &next.jp_reserve, amount) ||
		!move(&next.received, amount))
		return false;
	*books = next;
	return true;
}

static bool rows_sum(const struct pool_row *rows, size_t n, int128 t_e18, struct amount *accrued_r,
	struct amount *seeds_r)
{
	struct amount accrued_sum = { 0 };
	struct amount seed_sum = { 0 };
	for (size_t i = 0; i < n; i++) {
		struct amount accrued;
		struct amount seed;
		if (pool_row_accrued(&rows[i], t_e18, &accrued) != POOL_ROW_OK ||
			!pool_seed(&rows[i].terms, rows[i].exponent, &seed) ||
			!move(&accrued_sum, accrued) || !move(&seed_sum, seed))
			return false;
	}
	*accrued_r = accrued_sum;
	*seeds_r = seed_sum;
	return true;
}

static const char *first_broken(
	const struct pool_books *books, struct amount accrued, struct amount seeds)
{
	struct amount in;
	struct amount out;
	if (books->jp_pool.e27 != accrued.e27)
		return "jp_pool";
	if (books->jp_seed.e27 != seeds.e27)
		return "jp_seed";
	if (books->jp_reserve.e27 < 0 || books->paid.e27 < 0 || books->contributions.e27 < 0 ||
		books->received.e27 < 0 || books->sent.e27 < 0)
		return "negative";
	if (!amount_add(books->contributions, books->house_seed, &in) ||
		!amount_add(in, books->received, &in) ||
		!amount_add(books->jp_pool, books->jp_reserve, &out) ||
		!amount_add(out, books->jp_seed, &out) || !amount_add(out, books->paid, &out) ||
		!amount_add(out, books->sent, &out))
		return "overflow";
	return in.e27 == out.e27 ? "" : "balance";
}

bool pool_books_hold(const struct pool_books *books, int128 t_e18, const struct pool_row *rows,
	size_t n, const char **where_r)
{
	struct amount accrued;
	struct amount seeds;
	*where_r = rows_sum(rows, n, t_e18, &accrued, &seeds) ? first_broken(books, accrued, seeds)
							      : "overflow";
	return **where_r == '\0';
}
