/* The daily close in SQL: point 9. The equations are in docs/progressive.md, "The daily close".
 * What was moved is recomputed from the journal's stakes; what was paid from the pools' own hits;
 * neither from another sum of the wallet's. */
#include "tools/jackpotctl/verify.h"

/* A cut is the end of a batch, and no row of a day that a close has closed comes after it. */
static const char runs_sql[] =
	"with r as (select r.*, coalesce(lag(r.number) over w, b.close, 0) as number_before, "
	"coalesce(lag(r.seq) over w, o.seq, 0) as seq_before, coalesce(lag(r.batch) over w, "
	"o.batch, 0) as batch_before, coalesce(lag(r.day) over w, o.day) as day_before from @run@ "
	"r left join @base@ b using (shard) left join wallet.close_run o on o.shard = r.shard and "
	"o.number = b.close window w as (partition by r.shard order by r.number)) "
	"select 9, format('shard %s, close %s', r.shard, r.number), format('number %s, day %s, "
	"after batch %s, rows up to %s, the next of %s', r.number, r.day, r.batch, r.seq, n.day), "
	"format('number %s, a day from %s, a batch from %s, rows from %s up to the end of a batch "
	"and of the day', number_before + 1, day_before, batch_before, seq_before) from r left join "
	"wallet.batch b on b.shard = r.shard and b.batch = r.batch left join lateral (select day, "
	"first_seq from wallet.batch x where x.shard = r.shard and x.last_seq > r.seq order by "
	"x.last_seq limit 1) n on true where r.number <> number_before + 1 or r.day < day_before or "
	"r.batch < batch_before or r.seq < seq_before or r.seq > b.last_seq or b.batch is null or "
	"n.day <= r.day or n.first_seq <= r.seq limit 20";

/* Each total that a close counted is what the rows up to its cut sum to, and no tally is left out
 * of the last one. */
static const char tallies_sql[] =
	"with kept as (select (e->>0)::integer as shard, (e->>1)::integer as tally, "
	"(e->>2)::bigint as total from jsonb_array_elements($3::jsonb->'tallies') e), "
	"runs as (select r.shard, r.number, r.seq, greatest(coalesce(lag(r.seq) over (partition by "
	"r.shard order by r.number), 0), coalesce(b.seq, 0)) as seq_before, coalesce(b.seq, 0) as "
	"base_seq from @run@ r left join @base@ b using (shard)), "
	"sums as (select r.shard, r.number, t.tally, sum(j.stake) as stakes from runs r join "
	"wallet.journal j on j.shard = r.shard and j.seq > r.seq_before and j.seq <= r.seq, "
	"unnest(j.tallies) t(tally) group by 1, 2, 3), "
	"behind as (select r.shard, r.number, t.tally, sum(j.stake) as stakes from runs r join "
	"wallet.journal j on j.shard = r.shard and j.seq > r.seq and j.seq <= r.base_seq, "
	"unnest(j.tallies) t(tally) where r.seq < r.base_seq group by 1, 2, 3), "
	"joined as (select shard, number, tally, coalesce(s.stakes, 0) as stakes, c.total from sums s "
	"full join @close_tally@ c using (shard, number, tally)), "
	"run as (select b.*, coalesce(k.total, 0) + sum(b.stakes) over (partition by b.shard, "
	"b.tally order by b.number) - coalesce(h.stakes, 0) as due, max(number) over (partition by "
	"b.shard, b.tally) as newest from joined b left join kept k using (shard, tally) left join "
	"behind h using (shard, number, tally)) "
	"select 9, format('shard %s, close %s, tally %s', shard, number, r.tally), format('total "
	"%s', coalesce(r.total::text, 'none')), format('%s, as the rows up to the close', r.due) "
	"from run r left join pool.tally p on p.id = r.tally where r.total <> r.due or (r.total is "
	"null and r.stakes > 0 and r.number = r.newest and (p.pool in (select pool from pool.pool) "
	"or p.pool in (select pool from cards.card_set))) limit 20";

/* The shares that a set's levels had, from the beginning of its history and from each of their hits
 * on, which may have brought changed ones into force. */
#define SHARES                                                                                     \
	"share_of as (select l.pool, l.level, 0::bigint as hit, s.shares_t_e18 as t_e18, "         \
	"s.shares_since as since, l.launch_share_nano as share from cards.level l join "           \
	"cards.card_set s using (pool) union all select pool, level, hit, t_e18, time, "           \
	"next_share_nano from cards.hit where next_share_nano is not null)"

/* A tally's part is the pool's of the stake; of a set what its levels got when the shard closed.
 * The clocks of the wallet and of the database, and transactions that overlap, are a minute apart
 * at most. */
static const char parts_sql[] =
	"with " SHARES
	", changes as (select *, share - coalesce(lag(share) over (partition by pool, "
	"level order by hit), 0) as grew from share_of), "
	"sums as (select pool, hit, since, sum(grew) over (partition by pool order by hit) as share "
	"from changes where grew <> 0), "
	"steps as (select *, lead(since) over (partition by pool order by hit) as until from sums) "
	"select 9, format('shard %s, close %s, tally %s', c.shard, c.number, c.tally), format('pool "
	"%s, currency %s, part %s, total before %s', c.pool, c.currency, c.share_nano, "
	"c.total_before), format('pool %s, currency %s, part %s, total before %s', t.pool, "
	"t.currency, coalesce(due.share, c.share_nano), coalesce(o.total, 0)) from @close_tally@ c "
	"left join pool.tally t on t.id = c.tally left join wallet.close_run u on u.shard = c.shard "
	"and u.number = c.number left join lateral (select t.ppm * 1000 as share "
	"from pool.pool p where p.pool = t.pool union all (select trunc(s.share * t.ppm / 1000000) "
	"from steps s where s.pool = t.pool and (s.since is null or s.since <= u.time + interval "
	"'1 minute') and (s.until is null or s.until >= u.time - interval '1 minute') order by "
	"trunc(s.share * t.ppm / 1000000) = c.share_nano desc, s.hit desc limit 1)) due on true "
	"left join lateral (select o.total from "
	"wallet.close_tally o where o.shard = c.shard and o.tally = c.tally and o.number < c.number "
	"order by o.number desc limit 1) o on true where t.id is null or t.pool <> c.pool or "
	"t.currency <> c.currency or due.share <> c.share_nano or c.total_before <> "
	"coalesce(o.total, 0) limit 20";

static const char accounts_sql[] =
	"with sums as (select shard, number, pool, currency, sum((total - total_before)::numeric * "
	"share_nano) as accrued from @close_tally@ t group by 1, 2, 3, 4) "
	"select 9, format('shard %s, close %s, pool %s, currency %s', shard, number, pool, "
	"currency), format('accrued %s, carried %s, moved %s, carry %s', c.accrued_nano, "
	"c.carried_nano, c.moved_minor, c.carry_nano), format('accrued %s, carried %s, moved x 10^9 "
	"+ carry = their sum', coalesce(s.accrued, 0), coalesce(o.carry_nano, 0)) from @close@ c "
	"full join sums s using (shard, number, pool, currency) left join lateral (select "
	"o.carry_nano from wallet.close o where o.shard = c.shard and o.pool = c.pool and "
	"o.currency = c.currency and o.number < c.number order by o.number desc limit 1) o on true "
	"where c.accrued_nano is distinct from coalesce(s.accrued, 0) or c.carried_nano is distinct "
	"from coalesce(o.carry_nano, 0) or c.moved_minor::numeric * 1000000000 + c.carry_nano <> "
	"c.carried_nano + c.accrued_nano or c.carry_nano not between 0 and 999999999 limit 20";

static const char legs_sql[] =
	"with due as (select c.shard, c.number, r.batch, c.currency, l.account, sum(l.amount) as "
	"amount from @close@ c join wallet.close_run r using (shard, number), lateral (values "
	"('HOUSE', -c.moved_minor), (format('JACKPOT:%s', c.pool), c.moved_minor)) l(account, "
	"amount) group by 1, 2, 3, 4, 5 having sum(l.amount) <> 0), "
	"booked as (select shard, close as number, batch, currency, account, sum(amount) as amount "
	"from @leg@ l where close is not null group by 1, 2, 3, 4, 5 having sum(amount) <> 0) "
	"select 9, format('shard %s, close %s, currency %s, %s', shard, number, currency, account), "
	"format('%s after batch %s', coalesce(booked.amount, 0), batch), format('%s, as the close "
	"says', coalesce(due.amount, 0)) from due full join booked using (shard, number, batch, "
	"currency, account) where due.amount is distinct from booked.amount limit 20";

/* JACKPOT:<pool> over all shards, up to the batch of each shard's last close, against the pool's
 * memo account of the currency: what the closes moved, less what the pool's own hits paid that the
 * wallet had booked by then. In the scope of an incremental proof, what both grew by. */
static const char memo_sql[] =
	"with cuts as (select distinct on (r.shard) r.shard, r.batch, b.last_seq from "
	"wallet.close_run r join wallet.batch b using (shard, batch) order by r.shard, r.number "
	"desc), "
	"wallet as (select substr(l.account, 9)::integer as pool, l.currency, sum(l.amount) as "
	"amount from @leg@ l join cuts u on u.shard = l.shard and l.batch <= u.batch where l.account "
	"like 'JACKPOT:%' group by 1, 2), "
	"hits as (select player, move, index, pool, currency, paid_minor from pool.hit union all "
	"select player, move, index, pool, currency, paid_minor from cards.hit), "
	"parts as (select pool, currency, moved_minor as moved, 0 as paid from @close@ c union all "
	"select h.pool, h.currency, 0, h.paid_minor from hits h join @closed@ c using (player, "
	"move, index) join cuts u on u.shard = c.shard and c.closed_seq <= u.last_seq), "
	"memo as (select pool, currency, sum(moved) as moved, sum(paid) as paid from parts group by "
	"1, 2) "
	"select 9, format('JACKPOT:%s, currency %s, all shards, as of the last close', pool, "
	"currency), format('%s', coalesce(w.amount, 0)), format('%s: contributions %s, paid %s', "
	"coalesce(m.moved - m.paid, 0), coalesce(m.moved, 0), coalesce(m.paid, 0)) from wallet w "
	"full join memo m using (pool, currency) where coalesce(w.amount, 0) <> coalesce(m.moved - "
	"m.paid, 0) limit 20";

/* The legs between the memo accounts and the pool's books in EUR, all in 10^-27 EUR and exact: by
 * currency what the tallies took in at their own rates, what the hits cost at theirs; and the
 * seeds that the house put in. For EUR itself the rate is 1, so that no FX leg may be left. */
#define PARTS                                                                                      \
	"with currency as (select * from unnest($1::integer[], $2::integer[]) as c(number, "       \
	"exponent)), owners as (select pool, contributions_e27, jp_pool_e27 + jp_reserve_e27 + "   \
	"jp_seed_e27 as held, house_seed_e27, received_e27 - sent_e27 as transferred, "            \
	"null::numeric as shares_e27 from pool.pool union all select pool, contributions_e27, "    \
	"jp_pool_e27 + jp_reserve_e27 + jp_seed_e27, house_seed_e27, 0, shares_e27 from "          \
	"cards.card_set), "                                                                        \
	"vectors as (select * from pool.vector union all select * from cards.vector), "            \
	"gave as (select v.pool, t.currency, c.exponent, sum(trunc(v.total::numeric * "            \
	"t.rate_nano * t.ppm * power(10::numeric, 3 - c.exponent))) as e18, "                      \
	"sum(v.total::numeric * t.ppm * 1000) as nano from vectors v join "                        \
	"pool.tally t on t.id = v.tally join currency c on c.number = t.currency group by 1, 2, "  \
	"3), "                                                                                     \
	"hits as (select pool, currency, paid_minor, cost_e27 from pool.hit union all select "     \
	"pool, currency, paid_minor, cost_e27 from cards.hit), "                                   \
	"took as (select h.pool, h.currency, c.exponent, sum(cost_e27) as e27, sum(paid_minor) "   \
	"as minor from hits h join currency c on c.number = h.currency group by 1, 2, 3), "        \
	"memo as (select pool, currency, exponent, coalesce(g.e18, 0) as gave_e18, "               \
	"coalesce(g.nano, 0) as gave_nano, coalesce(t.e27, 0) as took_e27, coalesce(t.minor, 0) "  \
	"as took_minor from gave g full join took t using (pool, currency, exponent)) "

/* In EUR what was staked and paid is the same money in both sets of books, whatever part of it
 * accrues. */
static const char exchange_sql[] = PARTS
	"select 9, format('pool %s, currency 978', m.pool), format('an FX leg of %s x "
	"10^-27 EUR', gave_e18 * 1000000000 - took_e27 - (gave_nano - took_minor * 1000000000) * "
	"power(10::numeric, 18 - exponent)), 'none' from memo m where currency = 978 and gave_e18 * "
	"1000000000 - took_e27 <> (gave_nano - took_minor * 1000000000) * power(10::numeric, 18 - "
	"exponent) limit 20";

/* A pool gets all of T; a set what T grew by while each share of a level held. */
static const char books_sql[] = PARTS
	", " SHARES
	", periods as (select pool, share, t_e18 as begins, lead(t_e18) over (partition by pool, "
	"level order by hit) as ends from share_of), "
	"sums as (select pool, sum(gave_e18) as t_e18, sum(took_e27) as took from memo group by "
	"pool), "
	"due as (select o.*, coalesce(s.took, 0) as took, case when o.shares_e27 is null then "
	"coalesce(s.t_e18, 0) * 1000000000 else o.shares_e27 + coalesce((select sum((coalesce("
	"p.ends, s.t_e18, 0) - p.begins) * p.share) from periods p where p.pool = o.pool), 0) end "
	"as gave from owners o left join sums s using (pool)) "
	"select 9, format('pool %s, contributions', pool), format('%s x 10^-27', "
	"contributions_e27), format('%s, by its tallies and shares', gave) from due where "
	"contributions_e27 <> gave "
	"union all select 9, format('pool %s, books in EUR', pool), format('held %s x 10^-27', "
	"held), format('%s: contributions %s, less hits %s, seeds %s, transfers %s', gave - took + "
	"house_seed_e27 + transferred, gave, took, house_seed_e27, transferred) from due where held "
	"<> gave - took + house_seed_e27 + transferred "
	"union all select 9, format('set %s, level %s', l.pool, l.level), format('share %s', "
	"l.share_nano), format('%s, as its last hit left it', h.share) from cards.level l join "
	"lateral (select share from share_of h where h.pool = l.pool and h.level = l.level order by "
	"hit desc limit 1) h on true where h.share is distinct from l.share_nano limit 40";

const struct verify_query verify_close_queries[] = {
	{ runs_sql, VERIFY_RULE_NONE },
	{ tallies_sql, VERIFY_RULE_NONE },
	{ parts_sql, VERIFY_RULE_NONE },
	{ accounts_sql, VERIFY_RULE_NONE },
	{ legs_sql, VERIFY_RULE_NONE },
	{ memo_sql, VERIFY_RULE_NONE },
	{ exchange_sql, VERIFY_RULE_NONE },
	{ books_sql, VERIFY_RULE_NONE },
	{ NULL, VERIFY_RULE_NONE },
};
