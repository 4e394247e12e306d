-- Reports and series of long times. gateway.share_of was asked for each tally and quarter of an hour, three times, and went through the closes of the shard each time:
-- with a set of Jackpot Cards a month took 13 seconds of CPU and a year a minute and a half, longer than a query of a report may take, so that no year was sealed.
-- Players were counted by sorting all quarters in which they had played. The sums are the same, made in another order: a report is the same to the byte.
create function gateway.contributions_by_step(of_operator integer, steps timestamptz[]) returns table (step integer, pool integer, game integer, currency integer, nano numeric)
language sql stable set search_path = pg_catalog, pg_temp as $$
	with c as materialized (
		select t.id, t.pool from pool.tally t join cards.card_set s on s.pool = t.pool
	), k as materialized (
		select array_agg(distinct date_bin('15 minutes', r.time, timestamptz 'epoch') order by date_bin('15 minutes', r.time, timestamptz 'epoch')) as closes
		from wallet.close_run r where r.time >= steps[1]
	), y as materialized (
		-- Between two closes one share is right for all quarters, so these are summed first.
		select width_bucket(t.time, steps) as step, width_bucket(t.time, k.closes) as block, t.tally, t.shard, sum(t.stakes) as stakes, max(t.time) + interval '15 minutes' as at
		from gateway.rollup_tally t, k where t.operator = of_operator and t.time >= steps[1] and t.time < steps[array_length(steps, 1)] group by 1, 2, 3, 4
	), x as (
		select y.step, y.tally, y.shard, y.at, y.stakes, null::bigint as number from y where y.tally in (select id from c)
		union all select null, t.tally, t.shard, r.time, null, t.number from wallet.close_tally t join wallet.close_run r using (shard, number)
		where t.tally in (select id from c) and r.time >= steps[1]
	), b as (
		select x.*, min(x.number) over (partition by x.tally, x.shard order by x.at desc) as booked from x
	), n as (
		select b.step, b.tally, b.stakes * coalesce(t.share_nano, (select sum(l.share_nano) from cards.level l join c using (pool) where c.id = b.tally), 0) as nano
		from b left join wallet.close_tally t on t.shard = b.shard and t.tally = b.tally and t.number = b.booked where b.number is null
		union all select y.step, y.tally, y.stakes * (t.ppm * 1000::numeric) from y join pool.tally t on t.id = y.tally where y.tally not in (select id from c)
	)
	select n.step, t.pool, t.game, t.currency, sum(n.nano) from n join pool.tally t on t.id = n.tally group by 1, 2, 3, 4
$$;
comment on function gateway.contributions_by_step is 'What stakes fed pools, in 10^-9 minor units of the currency: stakes of a tally times its share; of a set of Jackpot Cards, the share of the first close (by number) at the end of the quarter of an hour or later, which books them, or the present one. Step n goes from steps[n] to steps[n + 1]; they rise, and are begins of quarters.';

create or replace function gateway.contributions_between(of_operator integer, begins timestamptz, ends timestamptz) returns table (pool integer, game integer, currency integer, nano numeric)
language sql stable set search_path = pg_catalog, pg_temp as $$
	select s.pool, s.game, s.currency, s.nano from gateway.contributions_by_step(of_operator, array[begins, ends]) s
$$;

create function gateway.report_players(of_operator integer, begins timestamptz, ends timestamptz) returns json language sql stable set search_path = pg_catalog, pg_temp as $$
	with d as materialized (
		select distinct p.game, p.currency, p.player from gateway.rollup_player p where p.operator = of_operator and p.time >= begins and p.time < ends
	)
	select coalesce(json_agg(n), '[]') from (select d.game, d.currency, count(*) as players from d where d.game > 0 group by 1, 2
		union all select 0, a.currency, count(*) from (select distinct d.currency, d.player from d) a group by 2) n
$$;
comment on function gateway.report_players is 'How many players have bet, by game and currency; game 0: in any game.';

-- As in 0014_report.sql, but for contributions (fed) and players, which the report asks for once.
drop function gateway.report_money(integer, timestamptz, timestamptz, json, boolean, boolean);
create function gateway.report_money(of_operator integer, begins timestamptz, ends timestamptz, codes json, by_game boolean, fed json, players json) returns json language sql stable
set search_path = pg_catalog, pg_temp as $$
	with s as (
		select case when by_game then s.game else 0 end as game, s.currency, sum(s.rounds) as rounds, sum(s.bonus_rounds) as bonus_rounds, sum(s.refused) as refused, sum(s.stakes) as stakes,
			sum(s.wins) as wins, sum(s.bonus_wins) as bonus_wins, sum(s.jackpots) as jackpots, sum(s.jackpots_paid) as jackpots_paid, sum(s.voids) as voids, sum(s.voided) as voided,
			sum(s.deposits) as deposits, sum(s.paid_out) as paid_out, sum(s.corrections) as corrections, sum(s.grants) as grants
		from gateway.sums_between(of_operator, begins, ends) s where not by_game or s.game > 0 group by 1, 2
	), c as (
		select case when by_game then c.game else 0 end as game, c.currency, sum(c.nano) as nano from json_to_recordset(fed) as c (pool integer, game integer, currency integer, nano numeric) group by 1, 2
	), p as (
		select p.game, p.currency, p.players from json_to_recordset(report_money.players) as p (game integer, currency integer, players bigint) where (p.game > 0) = by_game
	)
	select coalesce(json_agg(json_build_object('game', case when by_game then coalesce((select g.id from carillon.game g where g.number = s.game order by g.first_seen desc limit 1), s.game::text) else 'all' end,
		'currency', coalesce(codes->>s.currency::text, s.currency::text), 'players', case when report_money.players is not null then coalesce(p.players, 0) end, 'rounds', s.rounds,
		'bonus_rounds', s.bonus_rounds, 'refused', s.refused, 'stakes_minor', s.stakes, 'wins_minor', s.wins, 'bonus_wins_minor', s.bonus_wins,
		'contributions_nano', coalesce(c.nano, 0)::text, 'ggr_minor', floor(s.stakes - s.wins + s.bonus_wins - coalesce(c.nano, 0) / 1000000000),
		'bonus_costs_minor', s.bonus_wins + s.grants, 'adjustments_minor', s.voided - s.corrections,
		'ngr_minor', floor(s.stakes - s.wins - coalesce(c.nano, 0) / 1000000000 - s.grants + s.voided - s.corrections),
		'jackpots', s.jackpots, 'jackpots_paid_minor', s.jackpots_paid, 'voids', s.voids, 'voided_minor', s.voided, 'deposits_minor', s.deposits, 'paid_out_minor', s.paid_out,
		'corrections_minor', s.corrections, 'grants_minor', s.grants) order by s.game, s.currency), '[]')
	from s left join c using (game, currency) left join p using (game, currency)
$$;

drop function gateway.report_pools(integer, timestamptz, timestamptz, json);
create function gateway.report_pools(of_operator integer, begins timestamptz, ends timestamptz, codes json, fed json) returns json language sql stable set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('pool', pool, 'currency', coalesce(codes->>currency::text, currency::text), 'contributions_nano', coalesce(c.nano, 0)::text,
		'hits', coalesce(h.hits, 0), 'paid_minor', coalesce(h.paid, 0)) order by pool, currency), '[]')
	from (select c.pool, c.currency, sum(c.nano) as nano from json_to_recordset(fed) as c (pool integer, game integer, currency integer, nano numeric) group by 1, 2) c
	full join (select n.pool, n.currency, count(*) as hits, sum(n.amount) as paid from gateway.rollup_notable n
		where n.kind = 24 and n.operator = of_operator and n.time >= begins and n.time < ends group by 1, 2) h using (pool, currency)
$$;

create or replace function gateway.report_make(of_operator integer, period text, of_day date, codes json, state text) returns json language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	days record;
	begins timestamptz;
	ends timestamptz;
	fed json;
	players json;
begin
	select * into days from gateway.period_days(period, of_day);
	begins := coalesce(gateway.day_begins(of_operator, days.first), '-infinity');
	ends := gateway.day_begins(of_operator, days.behind);
	fed := (select coalesce(json_agg(c), '[]') from gateway.contributions_between(of_operator, begins, ends) c);
	if period in ('day', 'month') then
		players := gateway.report_players(of_operator, begins, ends);
	end if;
	return json_build_object('report', period, 'state', state, 'operator', of_operator, 'first_day', days.first, 'last_day', days.behind - 1,
		'from_us', case when isfinite(begins) then (extract(epoch from begins) * 1000000)::bigint end, 'to_us', (extract(epoch from ends) * 1000000)::bigint,
		'totals', gateway.report_money(of_operator, begins, ends, codes, false, fed, players), 'games', gateway.report_money(of_operator, begins, ends, codes, true, fed, players),
		'returns', gateway.report_returns(of_operator, begins, ends, codes), 'jackpots', gateway.report_pools(of_operator, begins, ends, codes, fed),
		'unfinished', gateway.report_unfinished(of_operator, ends, codes),
		'hits', gateway.report_notable(of_operator, begins, ends, codes, array[24], false, 10000),
		'large_wins', gateway.report_notable(of_operator, begins, ends, codes, array[2], true, 100),
		'adjustments', gateway.report_notable(of_operator, begins, ends, codes, array[7, 22, 23, 31], false, 10000),
		'rows', (select json_agg(json_build_object('shard', a.shard, 'seq', a.seq, 'digest', encode(b.digest, 'hex')) order by a.shard) from gateway.rollup_at a
			left join lateral (select digest from wallet.batch b where b.shard = a.shard and b.last_seq <= a.seq order by b.last_seq desc limit 1) b on true));
end $$;

-- As in 0014_report.sql, but for contributions and players.
create or replace function gateway.series(of_operator integer, step text, begins timestamptz, ends timestamptz, by_game boolean, of_game integer, of_currency integer, most integer, codes json)
returns json language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	points json;
	next_at timestamptz;
begin
	execute format($sql$
		with b as (
			select t as low, lead(t) over (order by t) as high, row_number() over (order by t) as n from (select %1$s) t
		), bins as (
			select low, high, n from b where high is not null and n <= $7
		), r as (
			select b.low, case when $5 then r.game else 0 end as game, r.currency, sum(r.rounds) as rounds, sum(r.stakes) as stakes, sum(r.wins) as wins, sum(r.drawn) as drawn,
				sum(r.jackpots) as jackpots, sum(r.jackpots_paid) as jackpots_paid
			from bins b join gateway.%2$I r on r.operator = $1 and r.time >= b.low and r.time < b.high where ($4 = 0 or r.game = $4) and ($6 = 0 or r.currency = $6) and r.rounds + r.jackpots > 0
			group by 1, 2, 3
		), p as (
			select d.low, d.game, d.currency, count(*) as players from (select distinct b.low, case when $5 then p.game else 0 end as game, p.currency, p.player
				from bins b join gateway.rollup_player p on p.operator = $1 and p.time >= b.low and p.time < b.high where %3$L <> 'minute' and ($4 = 0 or p.game = $4)) d group by 1, 2, 3
		), c as (
			select b.low, case when $5 then y.game else 0 end as game, y.currency, sum(y.nano) as nano
			from gateway.contributions_by_step($1, (select array_agg(low order by low) || max(high) from bins)) y join bins b on b.n = y.step
			where %3$L <> 'minute' and ($4 = 0 or y.game = $4) group by 1, 2, 3
		)
		select coalesce(json_agg(json_build_object('time_us', (extract(epoch from low) * 1000000)::bigint,
			'game', case when $5 then coalesce((select g.id from carillon.game g where g.number = game order by g.first_seen desc limit 1), game::text) else 'all' end,
			'currency', coalesce($8->>currency::text, currency::text), 'players', case when %3$L <> 'minute' then coalesce(players, 0) end, 'rounds', rounds, 'stakes_minor', stakes,
			'wins_minor', wins, 'rtp_percent', round(100 * drawn / nullif(stakes, 0), 4), 'contributions_nano', case when %3$L <> 'minute' then coalesce(nano, 0)::text end,
			'jackpots', jackpots, 'jackpots_paid_minor', jackpots_paid) order by low, game, currency), '[]'), (select max(high) from bins)
		from r left join p using (low, game, currency) left join c using (low, game, currency)
	$sql$, case step when 'day' then 'gateway.day_begins($1, d::date) as t from generate_series(gateway.gaming_day_at($1, $2)::timestamp, gateway.gaming_day_at($1, $3) + 1, interval ''1 day'') d'
		else format('generate_series(date_bin(%1$L, $2, timestamptz ''epoch''), $3 + interval %1$L, %1$L) as t', '1 ' || step) end,
		case step when 'minute' then 'rollup_minute' else 'rollup_quarter' end, step)
	into points, next_at using of_operator, begins, ends, of_game, by_game, of_currency, most, codes;
	return json_build_object('points', points, 'next_us', case when next_at < ends then (extract(epoch from next_at) * 1000000)::bigint end);
end $$;

-- Nothing asks it any more.
drop function gateway.share_of(integer, integer, timestamptz);
