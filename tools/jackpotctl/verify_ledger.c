/* The wallet's books in SQL: points 1 to 5, 8 as far as the wallet knows it, and the chain of
 * batches. Set by set, so that a million rows take seconds; every number is recomputed from the
 * journal's rows, never from another sum.
 *
 * The queries with a rule say what verify_rows.h has found already, and are asked only then: a rule
 * that is changed here is changed there too.
 *
 * @names@ are what is in scope (verify_scope.h): from scratch the tables themselves, else the rows
 * since the last proof. Then the first new row of each account stands on the row before it, which
 * is read once more, and sums stand on those that the state kept. */
#include "tools/jackpotctl/verify.h"

/* A row that belongs to an account: not a refusal for want of one. */
#define OF_ACCOUNT "not (currency = 0 or (kind = 1 and move = 0 and refusal <> 0))"
/* What a row does to the balance. */
#define EFFECT                                                                                     \
	"case when refusal <> 0 then 0 when kind between 2 and 7 then release - stake + "          \
	"win_balance when kind between 20 and 24 or kind in (28, 30, 31) then amount else 0 end"

static const char seqs_sql[] =
	"select 1, format('shard %s', shard), format('%s rows, seq %s to %s', n, low, high), "
	"format('seq %s to %s without a gap', coalesce(b.seq, 0) + 1, coalesce(b.seq, 0) + n) from "
	"(select shard, count(*) n, min(seq) low, max(seq) high from @journal@ j group by shard) s "
	"left join @base@ b using (shard) where low <> coalesce(b.seq, 0) + 1 or high <> "
	"coalesce(b.seq, 0) + n limit 20";

/* The joint: what the state was proven up to is still what it was, or nothing after it stands. */
static const char joint_sql[] =
	"select 10, format('shard %s, batch %s, where the last proof ended', b.shard, b.batch), "
	"format('seq %s, digest %s', w.last_seq, encode(w.digest, 'hex')), format('seq %s, digest "
	"%s', b.seq, encode(b.digest, 'hex')) from @base@ b left join wallet.batch w on w.shard = "
	"b.shard and w.batch = b.batch where w.digest is distinct from b.digest or w.last_seq is "
	"distinct from b.seq union all "
	"select 9, format('shard %s, close %s, where the last proof ended', b.shard, b.close), "
	"'none', 'a close' from @base@ b where b.close > 0 and not exists (select from "
	"wallet.close_run r where r.shard = b.shard and r.number = b.close) limit 40";

/* Points 1 and 2 read the rows in the same order, so one sort serves both. The rows pass once:
 * which rules a row breaks is asked only of those that break one. */
static const char accounts_sql[] =
	"with new as not materialized (select shard, seq, player, kind, move, refusal, currency, "
	"balance_after, "
	"prev_seq, prev_day, " EFFECT " as effect, true as new from @journal@ j where " OF_ACCOUNT
	"), "
	"firsts as (select distinct on (player) player, shard, prev_seq, prev_day from new where not @whole@ "
	"order by player, shard, seq), "
	"joints as (select j.shard, j.seq, j.player, j.kind, greatest(j.move, j.last_move) as move, "
	"j.refusal, j.currency, j.balance_after, j.prev_seq, j.prev_day, 0::bigint as effect, false as new from "
	"firsts f join @base@ b on b.shard = f.shard join wallet.entry j on j.shard = f.shard and "
	"j.seq = f.prev_seq and j.day = f.prev_day and j.seq <= b.seq), "
	"joined as (select * from new union all select * from joints where not @whole@), "
	"rows as (select *, lag(shard, 1, shard) over w as shard_before, "
	"lag(seq, 1, 0::bigint) over w as seq_before, "
	"lag(balance_after, 1, 0::bigint) over w as balance_before, "
	"lag(currency, 1, currency) over w as currency_before, "
	"coalesce(max(move) over (w rows between unbounded preceding and 1 preceding), -1) "
	"as move_before from joined "
	"window w as (partition by player order by shard, seq)), "
	"bad as (select * from rows where new and ((move > 0 and move <> move_before + 1) "
	"or (move_before < 0) <> (kind = 1 and move = 0) or shard <> shard_before "
	"or balance_after <> balance_before + effect or balance_after < 0 "
	"or prev_seq <> seq_before or currency <> currency_before) limit 20) "
	"select point, format('shard %s, seq %s, player %s', shard, seq, player), found, expected "
	"from bad, lateral (values "
	"(1, (move > 0 and move <> move_before + 1) or (move_before < 0) <> (kind = 1 and move = "
	"0), "
	"format('move %s, kind %s', move, kind), case when move_before < 0 "
	"then 'the opening of the account' else format('move %s', move_before + 1) end), "
	"(1, shard <> shard_before, format('shard %s', shard), "
	"format('shard %s, as before', shard_before)), "
	"(2, balance_after <> balance_before + effect, "
	"format('balance %s', balance_after), format('%s %s', balance_before, "
	"case when effect < 0 then format('- %s', -effect) else format('+ %s', effect) end)), "
	"(13, balance_after < 0, format('balance %s', balance_after), 'at least 0'), "
	"(2, prev_seq <> seq_before or currency <> currency_before, "
	"format('prev_seq %s, currency %s', prev_seq, currency), "
	"format('%s, %s', seq_before, currency_before))) b(point, broken, found, expected) "
	"where broken";

/* An account that is opened again would begin with nothing; from scratch its second opening shows
 * by itself. wallet.account.opened is of a transaction after the opening's row. */
static const char reopened_sql[] =
	"select 1, format('shard %s, seq %s, player %s', j.shard, j.seq, j.player), 'an opening', "
	"format('none: the account has existed since %s', a.opened) from @journal@ j join "
	"wallet.account a using (player) where not @whole@ and j.kind = 1 and j.move = 0 and "
	"j.refusal = 0 and a.opened < j.time limit 20";

static const char pendings_sql[] =
	"with kept as (select (e->>0)::bigint as player, (e->>1)::integer as game, (e->>2)::bigint "
	"as amount from jsonb_array_elements($3::jsonb->'pendings') e), "
	"new as (select shard, seq, player, game, pending_after, case when refusal = 0 and "
	"kind between 2 and 7 "
	"then win_pending - release - forfeit else 0 end as effect, true as new "
	"from @journal@ j where move > 0 union all select -1, 0, player, game, amount, 0, false "
	"from kept), "
	"rows as (select *, lag(pending_after, 1, 0::bigint) over (partition by player, game order "
	"by shard, seq) as before from new) "
	"select p.point, format('shard %s, seq %s, player %s, game %s', shard, seq, player, game), "
	"format('pending %s', pending_after), p.expected from rows, lateral (values "
	"(2, pending_after <> before + effect, format('%s %s', before, case when effect < 0 then "
	"format('- %s', -effect) else format('+ %s', effect) end)), "
	"(13, pending_after < 0, 'at least 0')) p(point, broken, expected) "
	"where new and p.broken limit 20";

/* Both books: no player, and no player's pending, in all shards and currencies. */
static const char negative_sql[] =
	"select 13, format('shard %s, currency %s, %s', shard, currency, account), format('%s', "
	"sum(amount)), 'at least 0' from wallet.house_leg where @whole@ and account in ('PLAYER', "
	"'PENDING') "
	"group by shard, currency, account having sum(amount) < 0 union all "
	"select 13, format('account of player %s', player), format('balance %s, pending %s', "
	"balance, pendings), 'at least 0' from wallet.account where balance < 0 or exists (select "
	"from generate_series(3, cardinality(pendings), 3) i where pendings[i] < 0) limit 40";

/* wallet.account may lag, but what it says must have been true at the row it names. */
static const char written_sql[] =
	"select 2, format('account of player %s', a.player), format('balance %s, last_move %s, at "
	"shard %s, seq %s', a.balance, a.last_move, a.shard, a.last_seq), "
	"case when j.seq is null then 'a row of the journal' else "
	"format('balance %s, last_move %s, player %s', j.balance_after, "
	"coalesce(j.last_move, j.move), j.player) end "
	"from wallet.account a left join @base@ b on b.shard = a.shard left join wallet.journal j "
	"on j.shard = a.shard and j.seq = a.last_seq and j.day = a.last_day "
	"where a.last_seq > coalesce(b.seq, 0) and (j.seq is null or j.player <> a.player or "
	"j.balance_after <> a.balance or coalesce(j.last_move, j.move) <> a.last_move) limit 20";

static const char batches_sql[] =
	"with b as (select w.shard, w.batch, first_seq, last_seq, coalesce(lag(w.batch) over w, "
	"o.batch, 0) as batch_before, coalesce(lag(last_seq) over w, o.seq, 0) as last_before "
	"from @batch@ w left join @base@ o on o.shard = w.shard window w as (partition by w.shard "
	"order by w.batch)), "
	"ends as (select shard, max(last_seq) as last from @batch@ b group by shard), "
	"heads as (select shard, max(seq) as last from @journal@ j group by shard) "
	"select 3, format('shard %s, batch %s', shard, batch), format('batch %s, seq %s to %s', "
	"batch, first_seq, last_seq), "
	"format('batch %s, from seq %s', batch_before + 1, last_before + 1) from b where batch <> "
	"batch_before + 1 or first_seq <> last_before + 1 or last_seq < first_seq "
	"union all select 3, format('shard %s', coalesce(e.shard, h.shard)), format('batches end "
	"with seq %s', coalesce(e.last, 0)), "
	"format('%s, as the journal', coalesce(h.last, 0)) from ends e full join heads h using "
	"(shard) where e.last is distinct from h.last "
	"union all select 3, format('shard %s, batch %s', shard, batch), format('%s rows in its sums', "
	"n), format('%s, as its seq %s to %s', last_seq - first_seq + 1, first_seq, last_seq) from "
	"@batch@ b, lateral (select coalesce(sum((e->>4)::numeric), 0) as n from "
	"jsonb_array_elements(b.sums) e) s where n <> last_seq - first_seq + 1 limit 40";

static const char sums_sql[] =
	"with kept as (select b.shard, b.batch, (e->>0)::integer as game, (e->>1)::integer as "
	"mode, (e->>2)::integer as currency, (e->>3)::integer as kind, "
	"array[(e->>4)::numeric, (e->>5)::numeric, (e->>6)::numeric, (e->>7)::numeric, "
	"(e->>8)::numeric, (e->>9)::numeric, (e->>10)::numeric, (e->>11)::numeric] as sums "
	"from @batch@ b, jsonb_array_elements(b.sums) e), "
	"rows as (select b.shard, b.batch, s.game, s.mode, s.currency, s.kind, s.sums from "
	"@batch@ b, lateral ("
	"select j.game, j.mode, j.currency, j.kind, array[count(*), count(*) filter (where refusal "
	"<> 0), "
	"coalesce(sum(release) filter (where refusal = 0), 0), coalesce(sum(stake) filter (where "
	"refusal = 0), 0), "
	"coalesce(sum(win_balance) filter (where refusal = 0), 0), coalesce(sum(win_pending) "
	"filter (where refusal = 0), 0), "
	"coalesce(sum(forfeit) filter (where refusal = 0), 0), coalesce(sum(amount) filter (where "
	"refusal = 0), 0)]::numeric[] as sums "
	"from wallet.journal j where j.shard = b.shard and j.day = b.day and j.seq between "
	"b.first_seq and b.last_seq group by j.game, j.mode, j.currency, j.kind) s) "
	"select 3, format('shard %s, batch %s, game %s, mode %s, currency %s, kind %s', shard, "
	"batch, game, mode, currency, kind), "
	"format('sums %s', coalesce(kept.sums::text, 'none')), format('%s, as its rows', "
	"coalesce(rows.sums::text, 'none')) "
	"from kept full join rows using (shard, batch, game, mode, currency, kind) where kept.sums "
	"is distinct from rows.sums limit 20";

static const char zero_sql[] =
	"select 4, format('shard %s, batch %s, currency %s', shard, batch, currency), format('legs "
	"sum to %s', sum(amount)), '0' "
	"from @leg@ l group by shard, batch, currency having sum(amount) <> 0 limit 20";

/* Each leg of each batch from its sums, which point 3 has proved from the rows. */
static const char legs_sql[] =
	"with s as (select b.shard, b.batch, (e->>2)::integer as currency, (e->>3)::integer as "
	"kind, (e->>6)::numeric as release, (e->>7)::numeric as stake, "
	"(e->>8)::numeric as win_balance, (e->>9)::numeric as win_pending, (e->>10)::numeric as "
	"forfeit, (e->>11)::numeric as amount "
	"from @batch@ b, jsonb_array_elements(b.sums) e), "
	"due as (select shard, batch, currency, l.account, sum(l.amount) as amount from s, lateral "
	"(values "
	"('PLAYER', case when kind between 2 and 7 then release - stake + win_balance when kind "
	"between 20 and 24 or kind in (28, 30, 31) then amount else 0 end), "
	"('WITHDRAWAL', case when kind in (28, 29, 30) then -amount else 0 end), "
	"('PENDING', case when kind between 2 and 7 then win_pending - release - forfeit else 0 "
	"end), "
	"('HOUSE', case when kind between 2 and 7 then stake - win_balance - win_pending + forfeit "
	"+ case when kind = 7 then amount else 0 end "
	"when kind = 22 then -amount else 0 end), "
	"('CASH', case when kind in (20, 21) then -amount when kind = 29 then amount else 0 end), "
	"('PROMO', case when kind in (23, 31) then -amount else 0 end), "
	"('JACKPOT', case when kind = 24 then -amount else 0 end), ('VOID_RECEIVABLE', case when "
	"kind = 7 then -amount else 0 end)) l(account, amount) "
	"group by shard, batch, currency, l.account having sum(l.amount) <> 0), "
	"booked as (select shard, batch, currency, split_part(account, ':', 1) as account, "
	"sum(amount) as amount from @leg@ l where close is null "
	"group by 1, 2, 3, 4 having sum(amount) <> 0) "
	"select 4, format('shard %s, batch %s, currency %s, %s', shard, batch, currency, account), "
	"format('%s', coalesce(booked.amount, 0)), "
	"format('%s, as its rows', coalesce(due.amount, 0)) from due full join booked using "
	"(shard, batch, currency, account) "
	"where due.amount is distinct from booked.amount limit 20";

static const char jackpot_legs_sql[] =
	"with booked as (select shard, currency, account, sum(amount) as amount from @leg@ l "
	"where account like 'JACKPOT:%' and close is null group by 1, 2, 3), "
	"paid as (select c.shard, c.currency, format('JACKPOT:%s', c.pool) as account, "
	"-sum(j.amount) as amount from @closed@ c "
	"join wallet.journal j on j.shard = c.shard and j.seq = c.closed_seq group by 1, 2, 3 "
	"having sum(j.amount) <> 0) "
	"select 4, format('shard %s, currency %s, %s', shard, currency, account), format('%s', "
	"coalesce(booked.amount, 0)), "
	"format('%s, as its awards', coalesce(paid.amount, 0)) from booked full join paid using "
	"(shard, currency, account) "
	"where booked.amount is distinct from paid.amount limit 20";

/* Totals that were written since the last proof: what the state kept as of where it ended, and the
 * rows between there and the row that the total names. A tally that rows up to the checkpoint name
 * has a total. */
static const char tallies_sql[] =
	"with kept as (select (e->>0)::integer as shard, (e->>1)::integer as tally, "
	"(e->>2)::bigint as total, (e->>3)::bigint as seen, (e->>4)::bigint as seq from "
	"jsonb_array_elements($3::jsonb->'tallies') e), "
	"written as (select w.*, coalesce(k.total, 0) as base, coalesce(b.seq, 0) as base_seq from "
	"wallet.tally_total w left join kept k using (shard, tally) left join @base@ b using "
	"(shard) where k.seq is null or (k.seen, k.seq) is distinct from (w.total, w.seq)), "
	"checkpoints as (select distinct on (shard) shard, checkpoint from wallet.batch order by "
	"shard, batch desc), "
	"since as (select j.shard, t.tally, sum(j.stake) filter (where j.seq <= w.seq) as stakes, "
	"min(j.seq) as first from @journal@ j cross join lateral unnest(j.tallies) t(tally) left "
	"join written w on w.shard = j.shard and w.tally = t.tally group by 1, 2), "
	"behind as (select w.shard, w.tally, sum(j.stake) as stakes from written w join "
	"wallet.journal j on j.shard = w.shard and j.seq > w.seq and j.seq <= w.base_seq and "
	"w.tally = any(j.tallies) where w.seq < w.base_seq group by 1, 2), "
	"sums as (select w.*, w.base + coalesce(s.stakes, 0) - coalesce(h.stakes, 0) as due from "
	"written w left join since s using (shard, tally) left join behind h using (shard, tally)) "
	"select 5, format('shard %s, tally %s', shard, tally), format('total %s at seq %s', total, "
	"seq), format('%s, as its rows', due) from sums where total <> due union all "
	"select 5, format('shard %s, tally %s', s.shard, s.tally), 'no total', format('one: row %s "
	"feeds it, checkpoint %s', s.first, c.checkpoint) from since s join checkpoints c on "
	"c.shard = s.shard and s.first <= c.checkpoint left join wallet.tally_total w on w.shard = "
	"s.shard and w.tally = s.tally where w.tally is null limit 40";

static const char tally_rows_sql[] =
	"with groups as (select game, currency, kind, refusal, tallies, count(*) as n, min((shard, "
	"seq)::text) as first from @journal@ j "
	"where tallies <> '{}' group by 1, 2, 3, 4, 5) "
	"select 5, format('%s rows, the first at (shard, seq) %s', n, first), format('tally %s, "
	"game %s, currency %s, kind %s, refusal %s', t.tally, g.game, g.currency, kind, refusal), "
	"'an accepted bet and a tally of its game and currency' from groups g, unnest(g.tallies) "
	"t(tally) left join pool.tally p on p.id = t.tally "
	"where p.id is null or p.game <> g.game or p.currency <> g.currency or kind <> 2 or "
	"refusal <> 0 limit 20";

/* The same bytes as chain_digest of the wallet. */
static const char chain_sql[] =
	"with b as (select w.shard, w.batch, day, first_seq, last_seq, w.digest, coalesce(lag(w.digest) "
	"over (partition by w.shard order by w.batch), o.digest, "
	"decode(repeat('00', 32), 'hex')) as before from @batch@ w left join @base@ o on o.shard = "
	"w.shard), "
	"d as (select b.shard, b.batch, b.digest, sha256(b.before || (select string_agg("
	"int8send(seq) || int8send(player) || int8send(kind) || int8send(move) || int8send(round) "
	"|| int8send(game) || int8send(mode) || int8send(refusal) || "
	"int8send(currency) || int8send(release) || int8send(stake) || int8send(win_balance) || "
	"int8send(win_pending) || int8send(forfeit) || int8send(amount) || "
	"int8send(balance_after) || int8send(pending_after) || int8send(prev_seq) || "
	"int8send(claims) || int8send(coalesce(last_move, move)) || timestamptz_send(time) || "
	"int4send(length(array_to_string(tallies, ','))) || convert_to(array_to_string(tallies, "
	"','), 'UTF8') || "
	"int4send(coalesce(length(request_id), 0)) || coalesce(request_id, '') || "
	"int4send(coalesce(length(outside_id), 0)) || coalesce(outside_id, '') || "
	"int4send(coalesce(length(record), 0)) || coalesce(record, ''), ''::bytea order by seq) "
	"from wallet.journal j where j.shard = b.shard and j.day = b.day and j.seq between "
	"b.first_seq and b.last_seq)) as made from b) "
	"select 10, format('shard %s, batch %s', shard, batch), encode(digest, 'hex'), format('%s, "
	"as its rows', encode(made, 'hex')) "
	"from d where digest is distinct from made order by shard, batch limit 20";

static const char claims_sql[] =
	"with opened as (select j.shard, j.seq, j.claims, count(c.player) as n from @journal@ "
	"j left join wallet.claim c on c.shard = j.shard and c.opened_seq = j.seq "
	"where j.claims > 0 group by 1, 2, 3) "
	"select 8, format('shard %s, seq %s', shard, seq), format('%s claims', n), format('%s, as "
	"the row says', claims) from opened where n <> claims "
	"union all select 8, format('claim of player %s, move %s, index %s', c.player, c.move, "
	"c.index), 'opened by no row of its move', "
	"format('shard %s, seq %s: an accepted move %s of the player', c.shard, c.opened_seq, "
	"c.move) "
	"from @opened@ c left join wallet.journal j on j.shard = c.shard and j.seq = "
	"c.opened_seq "
	"where j.seq is null or j.player <> c.player or j.move <> c.move or j.refusal <> 0 or "
	"j.claims = 0 limit 40";

static const char awards_sql[] =
	"with awards as (select shard, seq, player, amount from @journal@ j where kind = 24 and "
	"move = 0 and refusal = 0), "
	"closed as (select * from @closed@ c where closed_seq is not null) "
	"select 8, case when a.seq is null then "
	"format('claim of player %s, move %s, index %s', c.player, c.move, c.index) else "
	"format('award at shard %s, seq %s, player %s', a.shard, a.seq, a.player) end, "
	"case when c.player is null then 'closes no claim' when a.seq is null then format('closed "
	"by seq %s, no award', c.closed_seq) "
	"else format('paid %s to player %s', a.amount, a.player) end, case when c.player is null "
	"then 'one claim' when a.seq is null then 'one award' "
	"else format('%s to player %s, as the claim', c.paid_minor, c.player) end "
	"from awards a full join closed c on c.shard = a.shard and c.closed_seq = a.seq "
	"where a.seq is null or c.player is null or c.player <> a.player or c.paid_minor <> "
	"a.amount "
	"union all select 8, format('shard %s, seq %s', shard, closed_seq), format('closes %s "
	"claims', count(*)), 'one' "
	"from closed group by shard, closed_seq having count(*) > 1 limit 40";

/* A gift of bonus spins has as many used as accepted bets name it, and no bet is free without one.
 * RULE mystic-gem 7.1 */
static const char spins_sql[] =
	"with kept as (select decode(e->>0, 'hex') as id, (e->>1)::integer as used from "
	"jsonb_array_elements($3::jsonb->'spins') e), "
	"named as (select outside_id as id, player, game, currency, count(*) as n from "
	"@journal@ j where kind = 2 and refusal = 0 and outside_id is not null group by 1, 2, "
	"3, 4), "
	"uses as (select id, player, game, currency, coalesce(u.n, 0) + coalesce(k.used, 0) as n "
	"from named u full join (select k.*, g.player, g.game, g.currency from kept k left join "
	"wallet.spin_grant g using (id)) k using (id, player, game, currency)), "
	"gifts as (select g.* from wallet.spin_grant g where @whole@ or id in (select id from uses "
	"union all select id from @given@ n)) "
	"select 11, format('bonus spins %s of player %s', encode(id, 'hex'), player), "
	"format('%s of %s used', coalesce(g.used::text, 'none'), coalesce(g.spins::text, 'none "
	"given')), format('%s, as the bets that name them', coalesce(u.n, 0)) "
	"from uses u full join gifts g using (id, player, game, currency) "
	"where g.used is distinct from coalesce(u.n, 0) or g.used > g.spins limit 20";

static const char spin_rows_sql[] =
	"select 11, format('shard %s, seq %s', j.shard, j.seq), format('a bet of stake %s, mode "
	"%s, tallies %s, time %s', j.stake, j.mode, j.tallies, j.time), case when j.outside_id is "
	"null then 'a stake: it names no bonus spins' else format('stake 0, mode 0, no tallies, "
	"after seq %s of the shard, before seq %s, by %s', g.given_seq, g.ended_seq, g.expires) "
	"end from @journal@ j left join wallet.spin_grant g on g.id = j.outside_id "
	"where j.kind = 2 and j.refusal = 0 and (j.stake = 0 or j.outside_id is not null) and "
	"(g.id is null or j.stake <> 0 or j.mode <> 0 or j.tallies <> '{}' or j.shard <> g.shard "
	"or j.seq <= g.given_seq or j.seq > coalesce(g.ended_seq, j.seq) or j.time > g.expires) "
	"limit 20";

static const char bonus_spins_sql[] =
	"with rows as (select shard, seq, player, game, currency, outside_id, amount from "
	"@journal@ j where kind = 26 and refusal = 0) "
	"select 11, format('shard %s, seq %s', coalesce(r.shard, g.shard), coalesce(r.seq, "
	"g.given_seq)), case when r.seq is null then 'no row that gives bonus spins' else "
	"format('bonus spins %s, amount %s', encode(r.outside_id, 'hex'), r.amount) end, case "
	"when g.id is null then 'a row of wallet.spin_grant' else format('%s of player %s, game "
	"%s, currency %s, amount 0', encode(g.id, 'hex'), g.player, g.game, g.currency) end "
	"from rows r full join @given@ g on g.shard = r.shard and g.given_seq = r.seq "
	"where r.seq is null or g.id is null or g.id <> r.outside_id or g.player <> r.player or "
	"g.game <> r.game or g.currency <> r.currency or r.amount <> 0 "
	"union all select 11, format('shard %s, seq %s', coalesce(r.shard, g.shard), "
	"coalesce(r.seq, g.ended_seq)), case when r.seq is null then 'no row that ends bonus "
	"spins' else 'ends no bonus spins' end, 'one each' from (select shard, seq, player from "
	"@journal@ j where kind = 27 and refusal = 0 and amount = 0) r full join (select * "
	"from @ended@ e where ended_seq is not null) g on g.shard = r.shard and "
	"g.ended_seq = r.seq and g.player = r.player where r.seq is null or g.id is null limit 40";

/* Each row that books a hold or a grant, or settles one, has it as it says. */
static const char holds_sql[] =
	"select 12, format('shard %s, seq %s', j.shard, j.seq), case when h.id is null then 'no hold "
	"of this id' else format('hold %s of player %s: kind %s, amount %s, booked by seq %s, settled "
	"%s by kind %s, seq %s', encode(h.id, 'hex'), h.player, h.kind, h.amount, h.booked_seq, "
	"h.settled, h.settled_kind, h.settled_seq) end, format('kind %s of player %s, amount %s', "
	"j.kind, j.player, j.amount) from @journal@ j left join wallet.hold h on h.id = case when "
	"j.kind in (23, 28) then j.outside_id else j.request_id end where j.kind in (23, 28, 29, 30, "
	"31) and j.refusal = 0 and (h.id is null or h.shard <> j.shard or h.player <> j.player or "
	"h.currency <> j.currency or case when j.kind in (23, 28) then h.kind <> j.kind or h.amount "
	"<> abs(j.amount) or h.booked_seq <> j.seq when j.kind = 31 then h.kind <> 23 or "
	"h.settled_seq < j.seq or h.booked_seq >= j.seq else h.kind <> 28 or h.settled_seq <> j.seq "
	"or h.settled_kind <> j.kind or h.settled <> j.amount or h.amount <> j.amount or h.booked_seq "
	">= j.seq end) limit 20";

/* And each hold its rows: what is taken back of a grant sums up. */
static const char hold_rows_sql[] =
	"with holds as (select h.*, coalesce(b.seq, 0) as proven from wallet.hold h left join @base@ b "
	"using (shard) where h.booked_seq > coalesce(b.seq, 0) or h.settled_seq > coalesce(b.seq, "
	"0)), rows as (select request_id as id, sum(abs(amount)) as amount, max(seq) as seq from "
	"@journal@ j where kind in (29, 30, 31) and refusal = 0 group by request_id) "
	"select 12, format('hold %s', encode(h.id, 'hex')), format('kind %s, booked by seq %s, "
	"settled %s, the last by seq %s', h.kind, h.booked_seq, h.settled, h.settled_seq), "
	"format('settled %s, the last by seq %s, as its rows', coalesce(r.amount, 0), r.seq) "
	"from holds h left join rows r using (id) "
	"where (h.booked_seq > proven and (h.settled <> coalesce(r.amount, 0) or h.settled_seq is "
	"distinct from r.seq or not exists (select from @journal@ j where j.shard = h.shard and j.seq "
	"= h.booked_seq and j.outside_id = h.id))) or (h.settled_seq > proven and (h.settled < "
	"coalesce(r.amount, 0) or h.settled_seq is distinct from r.seq)) limit 20";

/* A void is one row of the journal, one of wallet.void, of one round that the player began before.
 */
static const char voids_sql[] =
	"select 12, format('shard %s, seq %s', coalesce(j.shard, v.shard), coalesce(j.seq, v.seq)), "
	"case when v.player is null then 'no row of wallet.void' when j.seq is null then 'no void in "
	"the journal' else format('player %s, round %s, returned %s, taken %s, receivable %s, of "
	"pending %s', v.player, v.round, v.stake_returned, v.win_taken, v.receivable, "
	"v.pending_taken) end, format('player %s, round %s, returned %s, taken %s, receivable %s, of "
	"pending %s', j.player, j.round, j.win_balance, j.stake, j.amount, j.forfeit) "
	"from (select * from @journal@ j where kind = 7 and refusal = 0) j full join (select * from "
	"@voided@ v) v on v.shard = j.shard and v.seq = j.seq where j.seq is null or v.player is "
	"null or v.player <> j.player or v.round <> j.round or v.move <> j.move or v.game <> j.game "
	"or v.currency <> j.currency or v.stake_returned <> j.win_balance or v.win_taken <> j.stake "
	"or v.receivable <> j.amount or v.pending_taken <> j.forfeit or j.round >= j.move limit 20";

/* A void takes back all jackpots of its round or none. Which of both its record says, and point 14
 * compares. */
static const char void_awards_sql[] =
	"select 12, format('shard %s, seq %s', v.shard, v.seq), format('jackpots of %s taken back', "
	"v.awards), format('%s, all that were paid to the round', a.paid) from @voided@ v, lateral "
	"wallet.round_awards(v.player, v.round, v.shard, v.seq) a where v.awards <> 0 and "
	"(v.awards <> a.paid or v.awards > v.win_taken + v.receivable) limit 20";

const struct verify_query verify_ledger_queries[] = {
	{ joint_sql, VERIFY_RULE_NONE },
	{ seqs_sql, VERIFY_RULE_ORDER },
	{ accounts_sql, VERIFY_RULE_ACCOUNTS },
	{ reopened_sql, VERIFY_RULE_REOPENED },
	{ pendings_sql, VERIFY_RULE_PENDINGS },
	{ negative_sql, VERIFY_RULE_NONE },
	{ written_sql, VERIFY_RULE_NONE },
	{ batches_sql, VERIFY_RULE_NONE },
	{ sums_sql, VERIFY_RULE_SUMS },
	{ zero_sql, VERIFY_RULE_NONE },
	{ legs_sql, VERIFY_RULE_NONE },
	{ jackpot_legs_sql, VERIFY_RULE_NONE },
	{ tallies_sql, VERIFY_RULE_TALLIES },
	{ tally_rows_sql, VERIFY_RULE_TALLY_ROWS },
	{ chain_sql, VERIFY_RULE_CHAIN },
	{ claims_sql, VERIFY_RULE_NONE },
	{ awards_sql, VERIFY_RULE_NONE },
	{ spins_sql, VERIFY_RULE_NONE },
	{ spin_rows_sql, VERIFY_RULE_SPIN_ROWS },
	{ bonus_spins_sql, VERIFY_RULE_NONE },
	{ holds_sql, VERIFY_RULE_HOLDS },
	{ hold_rows_sql, VERIFY_RULE_NONE },
	{ voids_sql, VERIFY_RULE_NONE },
	{ void_awards_sql, VERIFY_RULE_NONE },
	{ NULL, VERIFY_RULE_NONE },
};
