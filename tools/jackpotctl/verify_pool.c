/* The pools' books in SQL: points 6, 7 and the pools' side of 8. Exact numerics throughout: an
 * identity holds to the last digit or is a breach. Sets of Jackpot Cards have the same shape as
 * progressive pools, so the same queries serve both. */
#include "tools/jackpotctl/verify.h"

/* What the wallet's rows say of each total that a pool has recorded; those that are as the last
 * proof saw them are proven. */
#define VECTOR(schema)                                                                                   \
	"with old as (select (e->>1)::integer as pool, (e->>2)::integer as shard, "                      \
	"(e->>3)::integer as tally, (e->>4)::bigint as total, (e->>5)::bigint as seq from "              \
	"jsonb_array_elements($3::jsonb->'vectors') e where e->>0 = '" schema "'), "                     \
	"kept as (select (e->>0)::integer as shard, (e->>1)::integer as tally, (e->>2)::bigint "         \
	"as total from jsonb_array_elements($3::jsonb->'tallies') e), "                                  \
	"told as (select v.*, coalesce(k.total, 0) as base, coalesce(b.seq, 0) as base_seq from " schema \
	".vector v left join old o using (pool, shard, tally) left join kept k using "                   \
	"(shard, tally) left join @base@ b using (shard) where (v.total, v.seq) is distinct from "       \
	"(o.total, o.seq)), "                                                                            \
	"since as (select v.pool, v.shard, v.tally, sum(j.stake) as stakes from @journal@ j, "           \
	"unnest(j.tallies) t(tally), told v where v.shard = j.shard and v.tally = t.tally and "          \
	"j.seq <= v.seq group by 1, 2, 3), "                                                             \
	"behind as (select v.pool, v.shard, v.tally, sum(j.stake) as stakes from told v join "           \
	"wallet.journal j on j.shard = v.shard and j.seq > v.seq and j.seq <= v.base_seq and "           \
	"v.tally = any(j.tallies) where v.seq < v.base_seq group by 1, 2, 3), "                          \
	"sums as (select v.*, v.base + coalesce(s.stakes, 0) - coalesce(h.stakes, 0) as due from "       \
	"told v left join since s using (pool, shard, tally) left join behind h using (pool, "           \
	"shard, tally)) "                                                                                \
	"select 6, format('pool %s, shard %s, tally %s', pool, shard, tally), format('total %s "         \
	"at seq %s', total, seq), "                                                                      \
	"format('%s, as the journal', due) from sums where total <> due limit 20"

/* T in 10^-18 EUR: minor units x nano-EUR a unit x ppm x 10^(3 - decimals), floored for currencies
 * with more than three decimals. */
#define TOTAL(schema, table)                                                                       \
	"with currency as (select * from unnest($1::integer[], $2::integer[]) as c(number, "       \
	"exponent)), "                                                                             \
	"due as (select v.pool, sum(floor(v.total::numeric * t.rate_nano * t.ppm * "               \
	"power(10::numeric, 3 - c.exponent))) as t_e18 "                                           \
	"from " schema ".vector v join pool.tally t on t.id = v.tally join currency c on "         \
	"c.number = t.currency group by v.pool) "                                                  \
	"select 6, format('pool %s', p.pool), format('T %s', p.t_e18), format('%s, by its "        \
	"tallies', coalesce(trunc(due.t_e18), 0)) "                                                \
	"from " schema "." table                                                                   \
	" p left join due using (pool) where p.t_e18 <> coalesce(due.t_e18, 0) "                   \
	"union all select 6, format('pool %s, shard %s, tally %s', v.pool, v.shard, v.tally), 'a " \
	"total of another pool''s tally', "                                                        \
	"format('a tally of pool %s', v.pool) from " schema                                        \
	".vector v left join pool.tally t on t.id = v.tally "                                      \
	"where t.pool is distinct from v.pool limit 40"

/* T is what the tallies contribute. A progressive pool gets all of it; of a set of Jackpot Cards it
 * is the wagers themselves, of which the house funds exactly the levels' shares, so that the
 * set's reserve is never anything but 0. */
#define POOL_IDENTITY "('contributions = T', p.contributions_e27, p.t_e18 * 1000000000), "
#define CARDS_IDENTITY "('JP_RESERVE of a set', p.jp_reserve_e27, 0), "
#define IDENTITIES(schema, table, rows, own, received, sent)                                        \
	"with r as (select p.pool, sum((p.t_e18 - r.w_e18) * r.share_nano + r.r_e27) as accrued, "  \
	"sum(r.seed_minor * r.unit_e27) as seed "                                                   \
	"from " schema "." table " p join " schema "." rows " r using (pool) group by p.pool) "     \
	"select 7, format('pool %s, %s', p.pool, i.name), format('%s', i.found), format('%s', "     \
	"i.expected) "                                                                              \
	"from " schema "." table " p left join r using (pool), lateral (values " own                \
	"('JP_POOL = sum of (T - W) x share + r', p.jp_pool_e27, coalesce(r.accrued, 0)), "         \
	"('JP_SEED = sum of seeds', p.jp_seed_e27, coalesce(r.seed, 0)), "                          \
	"('contributions + house seed + received = JP_POOL + JP_RESERVE + JP_SEED + paid + sent', " \
	"p.contributions_e27 + p.house_seed_e27" received ", "                                      \
	"p.jp_pool_e27 + p.jp_reserve_e27 + p.jp_seed_e27 + p.paid_e27" sent ")) i(name, found, "   \
	"expected) where i.found <> i.expected "                                                    \
	"union all select 7, format('pool %s, JP_RESERVE', pool), format('%s', jp_reserve_e27), "   \
	"'at least 0' "                                                                             \
	"from " schema "." table " where jp_reserve_e27 < 0 limit 40"

static const char hits_sum_sql[] =
	"with h as (select pool, count(*) as n, max(hit) as last, sum(cost_e27) as cost from "
	"pool.hit group by pool) "
	"select 7, format('pool %s', p.pool), format('%s hits, paid %s', p.hits, p.paid_e27), "
	"format('%s hits up to number %s, cost %s', coalesce(h.n, 0), coalesce(h.last, 0), "
	"coalesce(h.cost, 0)) from pool.pool p left join h using (pool) "
	"where p.hits <> coalesce(h.n, 0) or p.hits <> coalesce(h.last, 0) or p.paid_e27 <> "
	"coalesce(h.cost, 0) limit 20";

static const char hits_sql[] =
	"select 7, format('pool %s, hit %s', pool, hit), format('value %s, next seed %s', "
	"value_e27, next_seed_e27), "
	"format('cost %s + carry %s, reserve %s + house %s', cost_e27, carry_e27, "
	"from_reserve_e27, from_house_e27) from pool.hit "
	"where value_e27 <> cost_e27 + carry_e27 or next_seed_e27 <> from_reserve_e27 + "
	"from_house_e27 or carry_e27 < 0 or paid_minor < 0 limit 20";

/* What has left a pool's books has left it by a row, what has entered them likewise, and each
 * amount that entered one had left another. */
static const char transfers_sum_sql[] =
	"with o as (select pool, sum(amount_e27) as sum, max(number) as last, count(*) as n from "
	"pool.transfer_out group by pool), i as (select pool, sum(amount_e27) as sum from "
	"pool.transfer_in group by pool) "
	"select 7, format('pool %s, transfers', p.pool), format('sent %s, received %s', "
	"p.sent_e27, p.received_e27), format('sent %s, received %s, by its rows', "
	"coalesce(o.sum, 0), coalesce(i.sum, 0)) from pool.pool p left join o using (pool) left "
	"join i using (pool) where p.sent_e27 <> coalesce(o.sum, 0) or p.received_e27 <> "
	"coalesce(i.sum, 0) "
	"union all select 7, format('pool %s, transfers', pool), format('%s up to number %s', n, "
	"last), 'numbers 1 to n without a gap' from o where n <> last "
	"union all select 7, format('pool %s', p.pool), 'retired, with a row', 'no rows' from "
	"pool.pool p where p.state = 'retired' and exists (select 1 from pool.row r where r.pool = "
	"p.pool) limit 20";

static const char transfers_match_sql[] =
	"select 7, format('transfer %s of pool %s', i.number, i.from_pool), format('%s into pool "
	"%s', i.amount_e27, i.pool), case when o.pool is null then 'a transfer that left that "
	"pool' else format('%s into pool %s', o.amount_e27, o.to_pool) end from pool.transfer_in i "
	"left join pool.transfer_out o on o.pool = i.from_pool and o.number = i.number where "
	"o.pool is null or o.amount_e27 <> i.amount_e27 or o.to_pool <> i.pool "
	"union all select 7, format('transfer %s of pool %s', o.number, o.pool), 'acknowledged', "
	"format('booked by pool %s', o.to_pool) from pool.transfer_out o left join "
	"pool.transfer_in i on i.from_pool = o.pool and i.number = o.number where o.booked is not "
	"null and i.pool is null "
	/* all pools together, with what is in transit */
	"union all select 7, 'all pools, in transit', format('sent - received = %s', t.sum), "
	"format('%s, as the transfers that are not booked', w.sum) from (select "
	"coalesce(sum(sent_e27) - sum(received_e27), 0) as sum from pool.pool) t, (select "
	"coalesce(sum(o.amount_e27), 0) as sum from pool.transfer_out o where not exists (select 1 "
	"from pool.transfer_in i where i.from_pool = o.pool and i.number = o.number)) w where "
	"t.sum <> w.sum limit 20";

/* A hit may wait for its award; an award without a hit, or of another amount, never. */
static const char matches_sql[] =
	"with closed as (select player, move, index, pool, currency, paid_minor, hit from "
	"wallet.claim where kind = 1 and closed_seq is not null) "
	"select 8, format('claim of player %s, move %s, index %s', c.player, c.move, c.index), "
	"format('pool %s paid %s (currency %s), hit %s', c.pool, c.paid_minor, c.currency, c.hit), "
	"case when h.hit is null then 'a hit of the pool' else "
	"format('pool %s, %s (currency %s), hit %s', h.pool, h.paid_minor, h.currency, h.hit) end "
	"from closed c left join pool.hit h using (player, move, index) where h.hit is null or "
	"(h.pool, h.paid_minor, h.currency, h.hit) is distinct from "
	"(c.pool, c.paid_minor, c.currency, c.hit) "
	"union all select 8, format('pool %s, hit %s', h.pool, h.hit), format('player %s, move %s, "
	"index %s', h.player, h.move, h.index), 'a claim of the wallet' "
	"from pool.hit h left join wallet.claim c using (player, move, index) where c.player is "
	"null or c.kind <> 1 or c.pool <> h.pool limit 40";

/* A set's levels and its hits: as many of each level as it says, and all of them what was paid. */
static const char card_hits_sum_sql[] =
	"with h as (select pool, count(*) as n, max(hit) as last, sum(cost_e27) as cost from "
	"cards.hit group by pool), l as (select pool, sum(hits) as hits from cards.level group by "
	"pool) "
	"select 7, format('set %s', p.pool), format('%s hits, paid %s', l.hits, p.paid_e27), "
	"format('%s hits up to number %s, cost %s', coalesce(h.n, 0), coalesce(h.last, 0), "
	"coalesce(h.cost, 0)) from cards.card_set p join l using (pool) left join h using (pool) "
	"where l.hits <> coalesce(h.n, 0) or l.hits <> coalesce(h.last, 0) or p.paid_e27 <> "
	"coalesce(h.cost, 0) "
	"union all select 7, format('set %s, level %s', l.pool, l.level), format('%s hits', l.hits), "
	"format('%s', count(h.hit)) from cards.level l left join cards.hit h using (pool, level) "
	"group by l.pool, l.level, l.hits having l.hits <> count(h.hit) or l.hits <> "
	"coalesce(max(h.level_hit), 0) limit 20";

static const char card_hits_sql[] =
	"select 7, format('set %s, hit %s', pool, hit), format('value %s, next seed %s', "
	"value_e27, next_seed_e27), "
	"format('cost %s + carry %s, reserve %s + house %s', cost_e27, carry_e27, "
	"from_reserve_e27, from_house_e27) from cards.hit "
	"where value_e27 <> cost_e27 + carry_e27 or next_seed_e27 <> from_reserve_e27 + "
	"from_house_e27 or carry_e27 < 0 or paid_minor < 0 or cost_e27 <> paid_minor::numeric * "
	"rate_nano * power(10::numeric, 18 - exponent) limit 20";

/* A round that is won, its hit and the wallet's award are one; what is not won has been paid
 * nothing. A round may wait for its player, and an award for its round, never the other way. */
static const char card_matches_sql[] =
	"select 8, format('card claim of player %s, move %s, index %s', c.player, c.move, "
	"c.index), "
	"format('set %s paid %s (currency %s), hit %s', c.pool, c.paid_minor, c.currency, c.hit), "
	"case when h.hit is null then 'a hit of the set' else "
	"format('set %s, %s (currency %s), hit %s', h.pool, h.paid_minor, h.currency, h.hit) end "
	"from wallet.claim c left join cards.hit h using (player, move, index) where c.kind = 2 "
	"and c.closed_seq is not null and (h.hit is null or (h.pool, h.paid_minor, h.currency, "
	"h.hit) is distinct from (c.pool, c.paid_minor, c.currency, c.hit)) "
	"union all select 8, format('set %s, round %s', r.pool, r.number), "
	"format('won %s, level %s, hit %s, paid %s', r.won, r.level, r.hit, r.paid_minor), "
	"case when h.hit is null then 'no hit' else format('level %s, hit %s, paid %s', h.level, "
	"h.hit, h.paid_minor) end "
	"from cards.round r full join cards.hit h using (player, move, index) where r.player is "
	"null or r.won <> (h.hit is not null) or (r.won and (r.pool, r.level, r.hit, "
	"r.paid_minor, r.currency) is distinct from (h.pool, h.level, h.hit, h.paid_minor, "
	"h.currency)) "
	"union all select 8, format('set %s, round %s', r.pool, r.number), format('player %s, move "
	"%s, index %s', r.player, r.move, r.index), 'a claim of the wallet' "
	"from cards.round r left join wallet.claim c using (player, move, index) where c.player is "
	"null or c.kind <> 2 or c.pool <> r.pool limit 40";

const struct verify_query verify_pool_queries[] = {
	{ VECTOR("pool"), VERIFY_RULE_POOL_TOTALS },
	{ VECTOR("cards"), VERIFY_RULE_CARD_TOTALS },
	{ TOTAL("pool", "pool"), VERIFY_RULE_NONE },
	{ TOTAL("cards", "card_set"), VERIFY_RULE_NONE },
	{ IDENTITIES("pool", "pool", "row", POOL_IDENTITY, " + p.received_e27", " + p.sent_e27"),
		VERIFY_RULE_NONE },
	{ IDENTITIES("cards", "card_set", "level", CARDS_IDENTITY, "", ""), VERIFY_RULE_NONE },
	{ hits_sum_sql, VERIFY_RULE_NONE },
	{ hits_sql, VERIFY_RULE_NONE },
	{ transfers_sum_sql, VERIFY_RULE_NONE },
	{ transfers_match_sql, VERIFY_RULE_NONE },
	{ matches_sql, VERIFY_RULE_NONE },
	{ card_hits_sum_sql, VERIFY_RULE_NONE },
	{ card_hits_sql, VERIFY_RULE_NONE },
	{ card_matches_sql, VERIFY_RULE_NONE },
	{ NULL, VERIFY_RULE_NONE },
};
