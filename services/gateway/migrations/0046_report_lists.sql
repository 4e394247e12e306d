-- Reports say where a list was cut, and each page of it can be asked for. What players had not collected is added up from the last sealed day on, not from the
-- beginning. Sealing has a lock of its own: it takes long, and the webhooks, which have (7282, 0), must not wait for it.

-- ---- what was won and not collected

create table gateway.unfinished_kept (
	operator integer not null,
	ends timestamptz not null,
	game integer not null,
	currency integer not null,
	opened numeric not null,
	pending numeric not null,
	primary key (operator, ends, game, currency)
);
comment on table gateway.unfinished_kept is 'What gateway.unfinished_at says of the end of each sealed day, so that it need not be added up from the beginning. Game 0, currency 0: the day was added up.';

create function gateway.unfinished_at(of_operator integer, at timestamptz) returns table (game integer, currency integer, opened numeric, pending numeric) language sql stable
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
	with k as materialized (
		select coalesce((select u.ends from gateway.unfinished_kept u where u.operator = of_operator and u.ends <= at order by u.ends desc limit 1), '-infinity') as ends
	)
	select s.game, s.currency, sum(s.opened), sum(s.pending) from (
		select u.game, u.currency, u.opened, u.pending from gateway.unfinished_kept u, k where u.operator = of_operator and u.ends = k.ends
		union all select q.game, q.currency, q.opened, q.pending from gateway.rollup_quarter q where q.operator = of_operator and q.time >= (select k.ends from k) and q.time < at) s
	group by 1, 2 having sum(s.opened) <> 0 or sum(s.pending) <> 0
$$;
comment on function gateway.unfinished_at is 'Rounds whose win was not collected at a moment, and how much: the sums since the last day that was kept, and those of that day.';

create function gateway.unfinished_keep(of_operator integer, at timestamptz) returns void language sql set search_path = pg_catalog, pg_temp as $$
	insert into gateway.unfinished_kept (operator, ends, game, currency, opened, pending)
	select of_operator, at, u.game, u.currency, u.opened, u.pending from gateway.unfinished_at(of_operator, at) u
	union all select of_operator, at, 0, 0, 0, 0 on conflict do nothing
$$;
comment on function gateway.unfinished_keep is 'Keeps it for the end of a day that is sealed: no row is counted before it any more.';

create or replace function gateway.report_unfinished(of_operator integer, ends timestamptz, codes json) returns json language sql stable set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('game', coalesce((select g.id from carillon.game g where g.number = q.game order by g.first_seen desc limit 1), q.game::text),
		'currency', coalesce(codes->>q.currency::text, q.currency::text), 'rounds', opened, 'pending_minor', pending) order by q.game, q.currency), '[]')
	from (select * from gateway.unfinished_at(of_operator, ends)) q
$$;

-- As in 0029_rollup_stake.sql, but for what was kept of the sums.
create or replace function gateway.rollup_rebuild(source text, of_shard integer, of_day date, out rows bigint, out differs boolean) language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
	leaf wallet.leaf;
	at_seq bigint;
	last bigint;
	before text;
begin
	perform pg_advisory_xact_lock(7281, of_shard);
	select * into leaf from wallet.leaf l where l.shard = of_shard and l.day = of_day;
	select coalesce(max(a.seq), 0) into at_seq from gateway.rollup_at a where a.shard = of_shard;
	last := least(at_seq, coalesce(leaf.last_seq, at_seq), (select min(l.first_seq) - 1 from wallet.leaf l where l.shard = of_shard and l.first_seq > leaf.first_seq));
	before := gateway.rollup_digest(of_shard, of_day);
	delete from gateway.rollup_minute where shard = of_shard and day = of_day;
	delete from gateway.rollup_quarter where shard = of_shard and day = of_day;
	delete from gateway.rollup_tally where shard = of_shard and day = of_day;
	delete from gateway.rollup_player where shard = of_shard and day = of_day;
	delete from gateway.rollup_stake where shard = of_shard and day = of_day;
	delete from gateway.rollup_notable where shard = of_shard and day = of_day;
	delete from gateway.rollup_missing where shard = of_shard and day = of_day;
	rows := 0;
	if last >= leaf.first_seq then
		rows := gateway.rollup_rows(source, of_shard, of_day, leaf.first_seq, last);
	end if;
	differs := before is distinct from gateway.rollup_digest(of_shard, of_day);
	if differs then
		delete from gateway.unfinished_kept k where k.ends > of_day::timestamp at time zone 'UTC';
	end if;
end $$;

-- ---- lists that are cut

drop function gateway.report_notable(integer, timestamptz, timestamptz, json, integer[], boolean, integer);
create function gateway.report_notable(of_operator integer, begins timestamptz, ends timestamptz, codes json, kinds integer[], by_win boolean, most integer, skip integer) returns json language sql stable
set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('time_us', (extract(epoch from n.time) * 1000000)::bigint, 'what', case n.kind when 2 then 'win' when 7 then 'void' when 22 then 'correction'
		when 23 then 'grant' when 24 then 'jackpot' when 31 then 'grant_back' end, 'player', format('%s-%s', n.player >> 48, n.player & 281474976710655), 'round', n.round,
		'game', coalesce((select g.id from carillon.game g where g.number = n.game order by g.first_seen desc limit 1), case when n.game > 0 then n.game::text else '' end), 'pool', n.pool,
		'currency', coalesce(codes->>n.currency::text, n.currency::text), 'stake_minor', n.stake, 'win_minor', n.win, 'amount_minor', n.amount,
		'actor', case when n.note = '' then '' else coalesce(n.note::json->>'actor', '') end, 'reason', case when n.note = '' then '' else coalesce(n.note::json->>'reason', '') end,
		'shard', n.shard, 'seq', n.seq) order by case when by_win then n.win else 0 end desc, n.time, n.shard, n.seq), '[]')
	from (select * from gateway.rollup_notable n where n.operator = of_operator and n.time >= begins and n.time < ends and n.kind = any (kinds)
		order by case when by_win then n.win else 0 end desc, n.time, n.shard, n.seq limit most offset skip) n
$$;

create function gateway.report_most(list text) returns integer language sql immutable set search_path = pg_catalog, pg_temp as $$
	select case list when 'large_wins' then 100 when 'hits' then 10000 when 'adjustments' then 10000 end
$$;
comment on function gateway.report_most is 'How many entries such a list of a report has at most; null: all.';

create function gateway.report_kinds(list text) returns integer[] language sql immutable set search_path = pg_catalog, pg_temp as $$
	select case list when 'hits' then array[24] when 'large_wins' then array[2] when 'adjustments' then array[7, 22, 23, 31] end
$$;

create function gateway.report_list(of_operator integer, begins timestamptz, ends timestamptz, codes json, list text, page integer) returns json language sql stable
set search_path = pg_catalog, pg_temp as $$
	select gateway.report_notable(of_operator, begins, ends, codes, gateway.report_kinds(list), list = 'large_wins', gateway.report_most(list), (page - 1) * gateway.report_most(list))
$$;

create function gateway.report_entries(of_operator integer, begins timestamptz, ends timestamptz, list text) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
	select count(*) from gateway.rollup_notable n where n.operator = of_operator and n.time >= begins and n.time < ends and n.kind = any (gateway.report_kinds(list))
$$;

create function gateway.report_page(of_operator integer, period text, of_day date, codes json, list text, page integer) returns json language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	days record;
begin
	select * into days from gateway.period_days(period, of_day);
	return gateway.report_list(of_operator, coalesce(gateway.day_begins(of_operator, days.first), '-infinity'), gateway.day_begins(of_operator, days.behind), codes, list, page);
end $$;
comment on function gateway.report_page is 'A further page of a list that a report has cut; page 1 is in the report. Nothing is counted into a sealed period any more, so its pages stay the same.';

-- As in 0042_contributions.sql, but for the lists.
create or replace function gateway.report_make(of_operator integer, period text, of_day date, codes json, state text) returns json language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	days record;
	begins timestamptz;
	ends timestamptz;
	fed json;
	players json;
	hits json;
	large json;
	adjustments json;
begin
	select * into days from gateway.period_days(period, of_day);
	begins := coalesce(gateway.day_begins(of_operator, days.first), '-infinity');
	ends := gateway.day_begins(of_operator, days.behind);
	fed := (select coalesce(json_agg(c), '[]') from gateway.contributions_between(of_operator, begins, ends) c);
	hits := gateway.report_list(of_operator, begins, ends, codes, 'hits', 1);
	large := gateway.report_list(of_operator, begins, ends, codes, 'large_wins', 1);
	adjustments := gateway.report_list(of_operator, begins, ends, codes, 'adjustments', 1);
	if period in ('day', 'month') then
		players := gateway.report_players(of_operator, begins, ends);
	end if;
	return json_build_object('report', period, 'state', state, 'operator', of_operator, 'first_day', days.first, 'last_day', days.behind - 1,
		'from_us', case when isfinite(begins) then (extract(epoch from begins) * 1000000)::bigint end, 'to_us', (extract(epoch from ends) * 1000000)::bigint,
		'totals', gateway.report_money(of_operator, begins, ends, codes, false, fed, players), 'games', gateway.report_money(of_operator, begins, ends, codes, true, fed, players),
		'returns', gateway.report_returns(of_operator, begins, ends, codes), 'jackpots', gateway.report_pools(of_operator, begins, ends, codes, fed),
		'unfinished', gateway.report_unfinished(of_operator, ends, codes),
		'hits', hits, 'large_wins', large, 'adjustments', adjustments,
		'truncated', (select coalesce(json_agg(json_build_object('list', t.list, 'shown', t.shown, 'entries', gateway.report_entries(of_operator, begins, ends, t.list)) order by t.place), '[]')
			from (values (1, 'hits', json_array_length(hits)), (2, 'large_wins', json_array_length(large)), (3, 'adjustments', json_array_length(adjustments))) t (place, list, shown)
			where t.shown = gateway.report_most(t.list) and t.shown < gateway.report_entries(of_operator, begins, ends, t.list)),
		'rows', (select json_agg(json_build_object('shard', a.shard, 'seq', a.seq, 'digest', encode(b.digest, 'hex')) order by a.shard) from gateway.rollup_at a
			left join lateral (select digest from wallet.batch b where b.shard = a.shard and b.last_seq <= a.seq order by b.last_seq desc limit 1) b on true));
end $$;

-- ---- sealing

create or replace function gateway.report_seal_of(of_operator integer, codes json, grace_s integer) returns integer language plpgsql set search_path = pg_catalog, pg_temp as $$
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
	perform gateway.unfinished_keep(of_operator, ends);
	if extract(day from next_day + 1) = 1 then
		perform gateway.report_keep(of_operator, 'month', next_day, codes);
		perform gateway.report_keep(of_operator, 'life', next_day, codes);
	end if;
	if extract(doy from next_day + 1) = 1 then
		perform gateway.report_keep(of_operator, 'year', next_day, codes);
	end if;
	return 1;
end $$;

create or replace function gateway.report_seal(codes json, grace_s integer, out days integer, out trouble text) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	o record;
begin
	days := 0;
	if not pg_try_advisory_xact_lock(7284, 0) then
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
