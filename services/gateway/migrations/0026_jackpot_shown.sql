-- What the rows of pools and the levels of sets showed over time. A function takes it from the durable state of pools and sets (pool.row, cards.level), and writes
-- only what has changed. Values grow by bets, which come through a gateway: while no gateway asks, hardly anything changes.
create table gateway.jackpot_shown (
	pool integer not null,
	currency integer not null,
	place bigint not null,
	at timestamptz not null,
	value_minor bigint not null,
	primary key (pool, currency, place)
);
comment on table gateway.jackpot_shown is 'The newest value of each row of a pool or level of a set; those that were removed keep their last one.';
comment on column gateway.jackpot_shown.place is 'Coin value of a row in minor units; of a set the level, 1 clubs to 4 spades.';
comment on column gateway.jackpot_shown.at is 'When it was read; value_minor: minor units of the currency, rounded down as a payout would be.';

create table gateway.jackpot_minute (
	pool integer not null,
	currency integer not null,
	place bigint not null,
	time timestamptz not null,
	at timestamptz not null,
	value_minor bigint not null,
	primary key (pool, currency, place, time)
);
create index jackpot_minute_time on gateway.jackpot_minute (time);
comment on table gateway.jackpot_minute is 'The last value in a minute, where it changed in that minute; kept for two days. Columns as in gateway.jackpot_shown.';
comment on column gateway.jackpot_minute.time is 'Begin of the minute, of the quarter of an hour.';

create table gateway.jackpot_quarter (
	like gateway.jackpot_minute including comments,
	primary key (pool, currency, place, time)
);
comment on table gateway.jackpot_quarter is 'The same by quarter of an hour, kept for ever.';

create function gateway.jackpot_step() returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	n bigint;
begin
	if not pg_try_advisory_xact_lock(7283, 0) then
		return 0; -- another gateway is at it
	end if;
	with shown as (
		select r.pool, r.currency, r.coin_minor as place, div(r.seed_minor * r.unit_e27 + (p.t_e18 - r.w_e18) * r.share_nano + r.r_e27, r.unit_e27)::bigint as value_minor
		from pool.pool p join pool.row r using (pool)
		union all select l.pool, l.currency, l.level, div(l.seed_minor * l.unit_e27 + (s.t_e18 - l.w_e18) * l.share_nano + l.r_e27, l.unit_e27)::bigint
		from cards.card_set s join cards.level l using (pool)
	), changed as (
		insert into gateway.jackpot_shown as k (pool, currency, place, at, value_minor) select pool, currency, place, now(), value_minor from shown
		on conflict (pool, currency, place) do update set at = excluded.at, value_minor = excluded.value_minor where k.value_minor <> excluded.value_minor
		returning k.pool, k.currency, k.place, k.at, k.value_minor
	), minutes as (
		insert into gateway.jackpot_minute (pool, currency, place, time, at, value_minor)
		select pool, currency, place, date_bin('1 minute', at, timestamptz 'epoch'), at, value_minor from changed
		on conflict (pool, currency, place, time) do update set at = excluded.at, value_minor = excluded.value_minor
	), quarters as (
		insert into gateway.jackpot_quarter (pool, currency, place, time, at, value_minor)
		select pool, currency, place, date_bin('15 minutes', at, timestamptz 'epoch'), at, value_minor from changed
		on conflict (pool, currency, place, time) do update set at = excluded.at, value_minor = excluded.value_minor
	)
	select count(*) into n from changed;
	delete from gateway.jackpot_minute m where m.time < now() - interval '2 days';
	return n;
end $$;
comment on function gateway.jackpot_step is 'Notes the values that have changed. Returns how many; 0: none, or another process is at it.';

create function gateway.jackpot_points(of_pool integer, of_currency integer, of_place bigint, step interval, source text, begins timestamptz, ends timestamptz) returns json
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
	points json;
begin
	execute format($sql$
		with before as (
			(select m.at, m.value_minor from gateway.jackpot_minute m where m.pool = $1 and m.currency = $2 and m.place = $3 and m.at < $5 order by m.time desc limit 1)
			union all (select q.at, q.value_minor from gateway.jackpot_quarter q where q.pool = $1 and q.currency = $2 and q.place = $3 and q.at < $5 order by q.time desc limit 1)
		), within as (
			select distinct on (date_bin($4, s.time, timestamptz 'epoch')) s.at, s.value_minor from gateway.%I s
			where s.pool = $1 and s.currency = $2 and s.place = $3 and s.time >= $5 and s.time < $6 and s.at >= $5
			order by date_bin($4, s.time, timestamptz 'epoch'), s.time desc
		)
		select coalesce(json_agg(json_build_object('time_us', (extract(epoch from at) * 1000000)::bigint, 'value_minor', value_minor) order by at), '[]')
		from ((select $5 as at, value_minor from before order by before.at desc limit 1) union all select at, value_minor from within) p
	$sql$, source) into points using of_pool, of_currency, of_place, step, begins, ends;
	return points;
end $$;
comment on function gateway.jackpot_points is 'The values of one row or level: the one at the begin, where it is known, and the last one of each step in which it changed.';

create function gateway.jackpot_hits(of_pool integer, begins timestamptz, ends timestamptz, codes json) returns json language sql stable set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('hit', h.hit, 'time_us', (extract(epoch from h.time) * 1000000)::bigint, 'currency', coalesce(codes->>h.currency::text, h.currency::text),
		case when h.of_set then 'level' else 'coin_minor' end, h.place, 'value_minor', h.value_minor, 'next_value_minor', h.next_value_minor, 'paid_minor', h.paid_minor,
		'paid_currency', coalesce(codes->>h.paid_currency::text, h.paid_currency::text)) order by h.hit), '[]')
	from (select * from (
			select x.hit, x.time, x.currency, x.coin_minor as place, false as of_set, x.paid_minor as value_minor, x.next_value_minor, x.paid_minor, x.currency as paid_currency
			from pool.hit x where x.pool = of_pool and x.time >= begins and x.time < ends
			union all select c.hit, c.time, l.currency, c.level, true, div(c.value_e27, l.unit_e27)::bigint, c.next_value_minor, c.paid_minor, c.currency
			from cards.hit c join cards.level l using (pool, level) where c.pool = of_pool and c.time >= begins and c.time < ends) e
		order by e.hit desc limit 1000) h
$$;
comment on function gateway.jackpot_hits is 'The newest 1,000 hits in that time. value_minor: what the row or level showed; paid_minor is in the currency of the winner.';

create function gateway.jackpot_history(of_pool integer, step text, begins timestamptz, ends timestamptz, most integer, codes json) returns json language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	span constant interval := case step when 'quarter' then interval '15 minutes' else ('1 ' || step)::interval end;
	source constant text := case step when 'minute' then 'jackpot_minute' else 'jackpot_quarter' end;
	low constant timestamptz := date_bin(span, begins, timestamptz 'epoch');
	high constant timestamptz := least(ends, low + most * span);
	of_set constant boolean := exists (select from cards.card_set c where c.pool = of_pool);
begin
	if not of_set and not exists (select from pool.pool p where p.pool = of_pool) then
		return null;
	end if;
	return json_build_object('pool', of_pool, 'step', step, 'from_us', (extract(epoch from low) * 1000000)::bigint, 'to_us', (extract(epoch from high) * 1000000)::bigint,
		'rows', (select coalesce(json_agg(json_build_object('currency', coalesce(codes->>k.currency::text, k.currency::text), case when of_set then 'level' else 'coin_minor' end, k.place,
			'points', gateway.jackpot_points(k.pool, k.currency, k.place, span, source, low, high)) order by k.currency, k.place), '[]') from gateway.jackpot_shown k where k.pool = of_pool),
		'hits', gateway.jackpot_hits(of_pool, low, high, codes), 'next_us', case when high < ends then (extract(epoch from high) * 1000000)::bigint end);
end $$;
comment on function gateway.jackpot_history is 'What a pool or set showed, by minute, quarter, hour or day (of UTC), at most so many steps; next_us: where the next page begins, null at the end. Null: no such pool or set.';
