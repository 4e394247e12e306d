-- Reports and series of the sums in 0013_rollup.sql, and the operators' gaming days. A report of a day, month or year that is over is sealed: its text is
-- kept as it is, and the gateway signs it.
create table gateway.gaming_day (
	operator integer not null check (operator between 1 and 32767),
	valid_from date not null,
	zone text not null,
	start_hour integer not null check (start_hour between 0 and 23),
	actor text not null,
	time timestamptz not null default now(),
	primary key (operator, valid_from)
);
comment on table gateway.gaming_day is 'From this day on an operator''s day begins at this hour of this time zone. Without a row: at midnight, UTC.';

create table gateway.report (
	operator integer not null,
	period text not null check (period in ('day', 'month', 'year', 'life')),
	day date not null,
	content text not null,
	digest bytea not null,
	sealed timestamptz not null default now(),
	signature bytea,
	signer bytea,
	primary key (operator, period, day),
	check ((signature is null) = (signer is null))
);
create index report_unsigned on gateway.report (operator) where signature is null;
comment on table gateway.report is 'Sealed reports. Only added to; a signature is added once.';
comment on column gateway.report.day is 'First day of the period; of life to date its last day.';
comment on column gateway.report.content is 'The report''s JSON, to the byte. digest: its SHA-256.';
comment on column gateway.report.signature is 'Ed25519 of "carillon report 1 " and the digest in hex, by the public key `signer`.';

-- ---- gaming days

create function gateway.day_begins(of_operator integer, of_day date) returns timestamptz language sql stable set search_path = pg_catalog, pg_temp as $$
	select (of_day + make_interval(hours => g.start_hour)) at time zone g.zone from (
		(select d.zone, d.start_hour, 1 as rank from gateway.gaming_day d where d.operator = of_operator and d.valid_from <= of_day order by d.valid_from desc limit 1)
		union all select 'UTC', 0, 2 order by rank limit 1) g
$$;
comment on function gateway.day_begins is 'When an operator''s day begins; the day before ends then, so a day of a change of the clocks has 23 or 25 hours.';

create function gateway.gaming_day_at(of_operator integer, at timestamptz) returns date language sql stable set search_path = pg_catalog, pg_temp as $$
	select max(d.day) from (select (at at time zone 'UTC')::date + n as day from generate_series(-2, 2) n) d where gateway.day_begins(of_operator, d.day) <= at
$$;
comment on function gateway.gaming_day_at is 'The operator''s day in which this moment is.';

create function gateway.gaming_day_set(of_operator integer, of_zone text, hour integer, from_day date, of_actor text) returns text language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
	if not exists (select from pg_timezone_names z where z.name = of_zone) then
		return 'zone';
	end if;
	if from_day <= gateway.gaming_day_at(of_operator, now()) or exists (select from gateway.gaming_day d where d.operator = of_operator and d.valid_from > from_day) then
		return 'day';
	end if;
	insert into gateway.gaming_day (operator, valid_from, zone, start_hour, actor) values (of_operator, from_day, of_zone, hour, of_actor)
	on conflict (operator, valid_from) do update set zone = excluded.zone, start_hour = excluded.start_hour, actor = excluded.actor, time = now();
	if gateway.day_begins(of_operator, from_day) < gateway.day_begins(of_operator, from_day - 1) + interval '1 hour' then
		raise exception 'gaming day: found a day before % that has no hour', from_day using errcode = '22023';
	end if;
	return 'set';
end $$;
comment on function gateway.gaming_day_set is 'Sets the gaming day from a day to come on. set; zone: unknown; day: it has begun, or a later change is set.';

-- ---- parts of reports

create function gateway.csv(list json) returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
	with cells as (
		select r.n as row, c.n as place, c.key, c.value #>> '{}' as text, json_typeof(c.value) = 'string' as is_text
		from json_array_elements(list) with ordinality r (object, n), json_each(r.object) with ordinality c (key, value, n))
	select coalesce((select string_agg(key, ',' order by place) || E'\r\n' from cells where row = 1), '') || coalesce(string_agg(line, '' order by row), '') from (
		select row, string_agg(case when text is null then '' when is_text then '"' || replace(case when text ~ '^[=+@\t\r]|^-[^0-9]' then '''' || text else text end, '"', '""') || '"'
			else text end, ',' order by place) || E'\r\n' as line from cells group by row) l
$$;
comment on function gateway.csv is 'A list of objects as CSV (RFC 4180) with a head. A text that begins like a formula gets an apostrophe before it, because a spreadsheet would calculate it.';

create function gateway.theory_of(of_game integer, of_mode integer, before timestamptz, out low numeric, out high numeric) language sql stable
set search_path = pg_catalog, pg_temp as $$
	select min((p->>'percent')::numeric), max((p->>'percent')::numeric) from (
		select g.definition::json as d from carillon.game g, carillon.installation i where g.number = of_game and (i.kind <> 'live' or not g.demo) and g.first_seen < before
		order by g.demo desc, g.first_seen desc limit 1) g, json_array_elements(g.d->'modes'->of_mode->'published_rtp') p
$$;
comment on function gateway.theory_of is 'The published return of a mode in percent, smallest and largest over its bets; the loader has proved it. Null: none is published, as in a demo.';

create function gateway.share_of(of_tally integer, of_shard integer, at timestamptz) returns numeric language sql stable set search_path = pg_catalog, pg_temp as $$
	select case when not exists (select from cards.card_set c where c.pool = t.pool) then t.ppm * 1000::numeric else coalesce(
		(select c.share_nano from wallet.close_tally c join wallet.close_run r using (shard, number) where c.shard = of_shard and c.tally = of_tally and r.time >= at
			order by c.number limit 1), (select sum(l.share_nano) from cards.level l where l.pool = t.pool), 0) end from pool.tally t where t.id = of_tally
$$;
comment on function gateway.share_of is 'The part of a stake that a tally''s pool gets, x 10^9; of a set of Jackpot Cards, that of the daily close that books it, or the present one.';

-- Sums by game, mode and currency, contributions by pool, game and currency, from..to.
create function gateway.sums_between(of_operator integer, begins timestamptz, ends timestamptz) returns table (game integer, mode integer, currency integer,
	rounds numeric, bonus_rounds numeric, refused numeric, stakes numeric, wins numeric, drawn numeric, bonus_wins numeric, stake_squares numeric, products numeric,
	win_squares numeric, jackpots numeric, jackpots_paid numeric, voids numeric, voided numeric, deposits numeric, paid_out numeric, corrections numeric, grants numeric)
language sql stable set search_path = pg_catalog, pg_temp as $$
	select q.game, q.mode, q.currency, sum(q.rounds), sum(q.bonus_rounds), sum(q.refused), sum(q.stakes), sum(q.wins), sum(q.drawn), sum(q.bonus_wins), sum(q.stake_squares),
		sum(q.products), sum(q.win_squares), sum(q.jackpots), sum(q.jackpots_paid), sum(q.voids), sum(q.voided), sum(q.deposits), sum(q.paid_out), sum(q.corrections), sum(q.grants)
	from gateway.rollup_quarter q where q.operator = of_operator and q.time >= begins and q.time < ends group by 1, 2, 3
$$;

create function gateway.contributions_between(of_operator integer, begins timestamptz, ends timestamptz) returns table (pool integer, game integer, currency integer, nano numeric)
language sql stable set search_path = pg_catalog, pg_temp as $$
	select p.pool, p.game, p.currency, sum(t.stakes * gateway.share_of(t.tally, t.shard, t.latest)) from (
		select y.tally, y.shard, case when c.pool is null then null else y.time + interval '15 minutes' end as latest, sum(y.stakes) as stakes
		from gateway.rollup_tally y join pool.tally l on l.id = y.tally left join cards.card_set c on c.pool = l.pool
		where y.operator = of_operator and y.time >= begins and y.time < ends group by 1, 2, 3) t join pool.tally p on p.id = t.tally group by 1, 2, 3
$$;
comment on function gateway.contributions_between is 'What stakes fed pools, in 10^-9 minor units of the currency.';

create function gateway.rtp_json(stakes numeric, drawn numeric, ss numeric, sw numeric, ww numeric, low numeric, high numeric) returns json language sql immutable
set search_path = pg_catalog, pg_temp as $$
	select json_build_object('rtp_percent', round(100 * rtp, 4), 'theory_percent', low, 'theory_high_percent', high, 'z', case when error > 0 then round((rtp - nearest) / error, 3) end,
		'band_low_percent', round(low - 196 * error, 4), 'band_high_percent', round(high + 196 * error, 4)) from (
		select rtp, nearest, case when stakes > 0 then sqrt(greatest(ww - 2 * nearest * sw + nearest * nearest * ss, 0)) / stakes end as error from (
			select rtp, case when low is not null then least(greatest(rtp, low / 100), high / 100) end as nearest from (select drawn / nullif(stakes, 0) as rtp) a) b) c
$$;
comment on function gateway.rtp_json is 'The return that was drawn beside the published one. z: how many standard errors apart, by the squares of what was drawn; band: where 95 of 100 such samples are.';

-- One list of a report; all have the same members in each of their objects.
create function gateway.report_money(of_operator integer, begins timestamptz, ends timestamptz, codes json, by_game boolean, counts_players boolean) returns json language sql stable
set search_path = pg_catalog, pg_temp as $$
	with s as (
		select case when by_game then s.game else 0 end as game, s.currency, sum(s.rounds) as rounds, sum(s.bonus_rounds) as bonus_rounds, sum(s.refused) as refused, sum(s.stakes) as stakes,
			sum(s.wins) as wins, sum(s.bonus_wins) as bonus_wins, sum(s.jackpots) as jackpots, sum(s.jackpots_paid) as jackpots_paid, sum(s.voids) as voids, sum(s.voided) as voided,
			sum(s.deposits) as deposits, sum(s.paid_out) as paid_out, sum(s.corrections) as corrections, sum(s.grants) as grants
		from gateway.sums_between(of_operator, begins, ends) s where not by_game or s.game > 0 group by 1, 2
	), c as (
		select case when by_game then c.game else 0 end as game, c.currency, sum(c.nano) as nano from gateway.contributions_between(of_operator, begins, ends) c group by 1, 2
	), p as (
		select case when by_game then p.game else 0 end as game, p.currency, count(distinct p.player) as players from gateway.rollup_player p
		where counts_players and p.operator = of_operator and p.time >= begins and p.time < ends group by 1, 2
	)
	select coalesce(json_agg(json_build_object('game', case when by_game then coalesce((select g.id from carillon.game g where g.number = s.game order by g.first_seen desc limit 1), s.game::text) else 'all' end,
		'currency', coalesce(codes->>s.currency::text, s.currency::text), 'players', case when counts_players then coalesce(p.players, 0) end, 'rounds', s.rounds,
		'bonus_rounds', s.bonus_rounds, 'refused', s.refused, 'stakes_minor', s.stakes, 'wins_minor', s.wins, 'bonus_wins_minor', s.bonus_wins,
		'contributions_nano', coalesce(c.nano, 0)::text, 'ggr_minor', floor(s.stakes - s.wins + s.bonus_wins - coalesce(c.nano, 0) / 1000000000),
		'bonus_costs_minor', s.bonus_wins + s.grants, 'adjustments_minor', s.voided - s.corrections,
		'ngr_minor', floor(s.stakes - s.wins - coalesce(c.nano, 0) / 1000000000 - s.grants + s.voided - s.corrections),
		'jackpots', s.jackpots, 'jackpots_paid_minor', s.jackpots_paid, 'voids', s.voids, 'voided_minor', s.voided, 'deposits_minor', s.deposits, 'paid_out_minor', s.paid_out,
		'corrections_minor', s.corrections, 'grants_minor', s.grants) order by s.game, s.currency), '[]')
	from s left join c using (game, currency) left join p using (game, currency)
$$;

create function gateway.report_returns(of_operator integer, begins timestamptz, ends timestamptz, codes json) returns json language sql stable set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('game', coalesce((select g.id from carillon.game g where g.number = s.game order by g.first_seen desc limit 1), s.game::text), 'mode', s.mode,
		'currency', coalesce(codes->>s.currency::text, s.currency::text), 'rounds', s.rounds - s.bonus_rounds, 'stakes_minor', s.stakes, 'drawn_minor', s.drawn,
		'rtp_percent', r.j->'rtp_percent', 'theory_percent', r.j->'theory_percent', 'theory_high_percent', r.j->'theory_high_percent', 'z', r.j->'z',
		'band_low_percent', r.j->'band_low_percent', 'band_high_percent', r.j->'band_high_percent') order by s.game, s.mode, s.currency), '[]')
	from gateway.sums_between(of_operator, begins, ends) s, lateral gateway.theory_of(s.game, s.mode, ends) t,
		lateral (select gateway.rtp_json(s.stakes, s.drawn, s.stake_squares, s.products, s.win_squares, t.low, t.high) as j) r where s.game > 0 and s.stakes > 0
$$;

create function gateway.report_pools(of_operator integer, begins timestamptz, ends timestamptz, codes json) returns json language sql stable set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('pool', pool, 'currency', coalesce(codes->>currency::text, currency::text), 'contributions_nano', coalesce(c.nano, 0)::text,
		'hits', coalesce(h.hits, 0), 'paid_minor', coalesce(h.paid, 0)) order by pool, currency), '[]')
	from (select c.pool, c.currency, sum(c.nano) as nano from gateway.contributions_between(of_operator, begins, ends) c group by 1, 2) c
	full join (select n.pool, n.currency, count(*) as hits, sum(n.amount) as paid from gateway.rollup_notable n
		where n.kind = 24 and n.operator = of_operator and n.time >= begins and n.time < ends group by 1, 2) h using (pool, currency)
$$;

create function gateway.report_notable(of_operator integer, begins timestamptz, ends timestamptz, codes json, kinds integer[], by_win boolean, most integer) returns json language sql stable
set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('time_us', (extract(epoch from n.time) * 1000000)::bigint, 'what', case n.kind when 2 then 'win' when 7 then 'void' when 22 then 'correction'
		when 23 then 'grant' when 24 then 'jackpot' when 31 then 'grant_back' end, 'player', format('%s-%s', n.player >> 48, n.player & 281474976710655), 'round', n.round,
		'game', coalesce((select g.id from carillon.game g where g.number = n.game order by g.first_seen desc limit 1), case when n.game > 0 then n.game::text else '' end), 'pool', n.pool,
		'currency', coalesce(codes->>n.currency::text, n.currency::text), 'stake_minor', n.stake, 'win_minor', n.win, 'amount_minor', n.amount,
		'actor', case when n.note = '' then '' else coalesce(n.note::json->>'actor', '') end, 'reason', case when n.note = '' then '' else coalesce(n.note::json->>'reason', '') end,
		'shard', n.shard, 'seq', n.seq) order by case when by_win then n.win else 0 end desc, n.time, n.shard, n.seq), '[]')
	from (select * from gateway.rollup_notable n where n.operator = of_operator and n.time >= begins and n.time < ends and n.kind = any (kinds)
		order by case when by_win then n.win else 0 end desc, n.time, n.shard, n.seq limit most) n
$$;

create function gateway.report_unfinished(of_operator integer, ends timestamptz, codes json) returns json language sql stable set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('game', coalesce((select g.id from carillon.game g where g.number = q.game order by g.first_seen desc limit 1), q.game::text),
		'currency', coalesce(codes->>q.currency::text, q.currency::text), 'rounds', opened, 'pending_minor', pending) order by q.game, q.currency), '[]')
	from (select game, currency, sum(opened) as opened, sum(pending) as pending from gateway.rollup_quarter where operator = of_operator and time < ends
		group by 1, 2 having sum(opened) <> 0 or sum(pending) <> 0) q
$$;
comment on function gateway.report_unfinished is 'Won money that was not collected yet at that moment, and of how many players and games.';

-- ---- a report

create function gateway.period_days(period text, of_day date, out first date, out behind date) language sql immutable set search_path = pg_catalog, pg_temp as $$
	select case period when 'day' then of_day when 'life' then null else date_trunc(period, of_day)::date end,
		case period when 'month' then (date_trunc('month', of_day) + interval '1 month')::date when 'year' then (date_trunc('year', of_day) + interval '1 year')::date else of_day + 1 end
$$;

create function gateway.report_make(of_operator integer, period text, of_day date, codes json, state text) returns json language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	days record;
	begins timestamptz;
	ends timestamptz;
	players constant boolean := period in ('day', 'month');
begin
	select * into days from gateway.period_days(period, of_day);
	begins := coalesce(gateway.day_begins(of_operator, days.first), '-infinity');
	ends := gateway.day_begins(of_operator, days.behind);
	return json_build_object('report', period, 'state', state, 'operator', of_operator, 'first_day', days.first, 'last_day', days.behind - 1,
		'from_us', case when isfinite(begins) then (extract(epoch from begins) * 1000000)::bigint end, 'to_us', (extract(epoch from ends) * 1000000)::bigint,
		'totals', gateway.report_money(of_operator, begins, ends, codes, false, players), 'games', gateway.report_money(of_operator, begins, ends, codes, true, players),
		'returns', gateway.report_returns(of_operator, begins, ends, codes), 'jackpots', gateway.report_pools(of_operator, begins, ends, codes),
		'unfinished', gateway.report_unfinished(of_operator, ends, codes),
		'hits', gateway.report_notable(of_operator, begins, ends, codes, array[24], false, 10000),
		'large_wins', gateway.report_notable(of_operator, begins, ends, codes, array[2], true, 100),
		'adjustments', gateway.report_notable(of_operator, begins, ends, codes, array[7, 22, 23, 31], false, 10000),
		'rows', (select json_agg(json_build_object('shard', a.shard, 'seq', a.seq, 'digest', encode(b.digest, 'hex')) order by a.shard) from gateway.rollup_at a
			left join lateral (select digest from wallet.batch b where b.shard = a.shard and b.last_seq <= a.seq order by b.last_seq desc limit 1) b on true));
end $$;
comment on function gateway.report_make is 'The report of a day, month, year, or of everything until the end of a day; codes: the letters of currencies by number; state: sealed, or provisional. rows: up to where rows were counted.';

create function gateway.report_counted(until timestamptz) returns boolean language sql stable set search_path = pg_catalog, pg_temp as $$
	select not exists (select from carillon.installation i, generate_series(0, i.shards - 1) s,
		lateral (select b.last_seq from wallet.batch b where b.shard = s order by b.batch desc limit 1) newest,
		lateral (select coalesce((select a.seq from gateway.rollup_at a where a.shard = s), 0) as seq) at
		where newest.last_seq > at.seq
		and coalesce((select b.time from wallet.batch b where b.shard = s and b.last_seq <= at.seq order by b.last_seq desc limit 1), '-infinity') < until)
$$;
comment on function gateway.report_counted is 'All rows before a moment are in the sums.';

create function gateway.report_keep(of_operator integer, of_period text, of_day date, codes json) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
	text_ text := gateway.report_make(of_operator, of_period, of_day, codes, 'sealed')::text;
begin
	insert into gateway.report (operator, period, day, content, digest)
	values (of_operator, of_period, coalesce((gateway.period_days(of_period, of_day)).first, of_day), text_, sha256(convert_to(text_, 'UTF8'))) on conflict do nothing;
end $$;

create function gateway.report_next(of_operator integer) returns date language sql stable set search_path = pg_catalog, pg_temp as $$
	select coalesce((select max(r.day) + 1 from gateway.report r where r.operator = of_operator and r.period = 'day'),
		gateway.gaming_day_at(of_operator, (select min(q.time) from gateway.rollup_quarter q where q.operator = of_operator)))
$$;

create function gateway.report_seal_of(of_operator integer, codes json, grace_s integer) returns integer language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
	next_day constant date := gateway.report_next(of_operator);
	ends constant timestamptz := gateway.day_begins(of_operator, next_day + 1);
begin
	if ends + make_interval(secs => grace_s) > now() or not gateway.report_counted(ends) or exists (select from gateway.rollup_missing) then
		return 0;
	end if;
	perform pg_advisory_xact_lock(7281, s) from carillon.installation i, generate_series(0, i.shards - 1) s order by s;
	insert into gateway.rollup_floor (shard, after_seq, floor)
	select s, coalesce(a.seq, 0), ends from carillon.installation i, generate_series(0, i.shards - 1) s left join gateway.rollup_at a on a.shard = s
	on conflict (shard, after_seq) do update set floor = greatest(gateway.rollup_floor.floor, excluded.floor);
	perform gateway.report_keep(of_operator, 'day', next_day, codes);
	if extract(day from next_day + 1) = 1 then
		perform gateway.report_keep(of_operator, 'month', next_day, codes);
		perform gateway.report_keep(of_operator, 'life', next_day, codes);
	end if;
	if extract(doy from next_day + 1) = 1 then
		perform gateway.report_keep(of_operator, 'year', next_day, codes);
	end if;
	return 1;
end $$;

create function gateway.report_seal(codes json, grace_s integer, out days integer, out trouble text) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	o record;
begin
	days := 0;
	if not pg_try_advisory_xact_lock(7282, 0) then
		return;
	end if;
	for o in with recursive known as (select min(q.operator) as id from gateway.rollup_quarter q
		union all select (select min(q.operator) from gateway.rollup_quarter q where q.operator > k.id) from known k where k.id is not null)
		select k.id from known k where k.id is not null
	loop
		begin
			days := days + gateway.report_seal_of(o.id, codes, grace_s);
		exception when others then
			trouble := coalesce(trouble || '; ', '') || format('operator %s: %s', o.id, sqlerrm);
		end;
	end loop;
end $$;
comment on function gateway.report_seal is 'Seals the oldest day of each operator that is over since grace_s and wholly counted, and the month and year that end with it. days: how many; there may be more. trouble: what stops an operator''s; the others go on.';

create function gateway.report_sign(of_operator integer, of_period text, of_day date, of_signature bytea, of_signer bytea) returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
	update gateway.report set signature = of_signature, signer = of_signer where operator = of_operator and period = of_period and day = of_day and signature is null;
	return found;
end $$;
comment on function gateway.report_sign is 'Adds the signature to a sealed report that has none.';

-- ---- series

create function gateway.series(of_operator integer, step text, begins timestamptz, ends timestamptz, by_game boolean, of_game integer, of_currency integer, most integer, codes json)
returns json language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	points json;
	next_at timestamptz;
begin
	execute format($sql$
		with b as (
			select t as low, lead(t) over (order by t) as high, row_number() over (order by t) as n from (select %1$s) t
		), bins as (
			select low, high from b where high is not null and n <= $7
		), r as (
			select b.low, case when $5 then r.game else 0 end as game, r.currency, sum(r.rounds) as rounds, sum(r.stakes) as stakes, sum(r.wins) as wins, sum(r.drawn) as drawn,
				sum(r.jackpots) as jackpots, sum(r.jackpots_paid) as jackpots_paid
			from bins b join gateway.%2$I r on r.operator = $1 and r.time >= b.low and r.time < b.high where ($4 = 0 or r.game = $4) and ($6 = 0 or r.currency = $6) and r.rounds + r.jackpots > 0
			group by 1, 2, 3
		), p as (
			select b.low, case when $5 then p.game else 0 end as game, p.currency, count(distinct p.player) as players
			from bins b join gateway.rollup_player p on p.operator = $1 and p.time >= b.low and p.time < b.high where %3$L <> 'minute' and ($4 = 0 or p.game = $4) group by 1, 2, 3
		), c as (
			select b.low, case when $5 then l.game else 0 end as game, l.currency, sum(y.stakes * gateway.share_of(y.tally, y.shard, y.time + interval '15 minutes')) as nano
			from bins b join gateway.rollup_tally y on y.operator = $1 and y.time >= b.low and y.time < b.high join pool.tally l on l.id = y.tally
			where %3$L <> 'minute' and ($4 = 0 or l.game = $4) group by 1, 2, 3
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
comment on function gateway.series is 'Sums by minute, hour or gaming day, at most so many steps of time; next_us: where the next page begins, null at the end. Minutes do not count players and contributions.';
