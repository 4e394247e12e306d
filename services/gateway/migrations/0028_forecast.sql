-- When a jackpot may be won next: from the exact chances of the definitions (gateway.par) or of the set's terms, and from what was bet lately.
create table gateway.bet_mix (
	time timestamptz not null,
	game integer not null,
	mode text not null,
	currency integer not null,
	coin_minor bigint not null,
	lines integer not null,
	coins integer not null,
	rounds bigint not null,
	primary key (time, game, mode, currency, coin_minor, lines, coins)
);
comment on table gateway.bet_mix is 'How many rounds of each bet the gateways have passed on, by five minutes, for eight days. A statistic: a gateway that is killed loses its last seconds; no money follows from it. The journal has no coin values.';
comment on column gateway.bet_mix.time is 'Begin of the five minutes.';
comment on column gateway.bet_mix.mode is 'Id of the mode in the definition; coins: for each line.';

create index rollup_tally_time on gateway.rollup_tally (tally, time);

create function gateway.bets_note(bets json) returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
	delete from gateway.bet_mix m where m.time < now() - interval '8 days';
	insert into gateway.bet_mix as m (time, game, mode, currency, coin_minor, lines, coins, rounds)
	select date_bin('5 minutes', now(), timestamptz 'epoch'), b.game, b.mode, b.currency, b.coin_minor, b.lines, b.coins, sum(b.rounds)
	from json_to_recordset(bets) b (game integer, mode text, currency integer, coin_minor bigint, lines integer, coins integer, rounds bigint) group by 2, 3, 4, 5, 6, 7
	on conflict (time, game, mode, currency, coin_minor, lines, coins) do update set rounds = m.rounds + excluded.rounds;
$$;

-- The games that win a pool, each with the chances of the definition in service.
create function gateway.forecast_chances(of_pool integer, demo_too boolean) returns table (game integer, id text, mode text, kind text, lines integer, coins integer, base text, chance text)
language sql stable set search_path = pg_catalog, pg_temp as $$
	select s.number, s.id, m->>'id', coalesce(c->>'of', 'unknown'), (c->>'lines')::integer, (c->>'coins')::integer, coalesce(c->>'base_exact', '0/1'), coalesce(c->>'chance_exact', '0/1')
	from (select distinct on (g.number) g.number, g.id, g.definition::json as definition, p.sheet from carillon.game g left join gateway.par p using (math_version)
		where demo_too or not g.demo order by g.number, g.demo desc, g.first_seen desc) s
	cross join json_array_elements(s.definition->'modes') m
	left join lateral (select j as c from json_array_elements(s.sheet->'jackpot') j where j->>'mode_id' = m->>'id') k on true
	where s.definition #>> '{jackpot,pool_number}' = of_pool::text
$$;
comment on function gateway.forecast_chances is 'kind unknown: the chance is not computed yet, or depends on the bet in a way that cannot be told.';

-- Expected hits of each row by what was bet since begins.
create function gateway.forecast_pool(of_pool integer, demo_too boolean, begins timestamptz) returns table (currency integer, place bigint, rounds numeric, hits numeric, known boolean)
language sql stable set search_path = pg_catalog, pg_temp as $$
	select m.currency, m.coin_minor, sum(m.rounds), sum(case
			when c.kind = 'coins' then m.rounds * split_part(c.base, '/', 1)::numeric / split_part(c.base, '/', 2)::numeric
				+ m.rounds::numeric * m.lines * m.coins * split_part(c.chance, '/', 1)::numeric / split_part(c.chance, '/', 2)::numeric
			when c.kind = 'max' and m.lines = c.lines and m.coins = c.coins then m.rounds * split_part(c.chance, '/', 1)::numeric / split_part(c.chance, '/', 2)::numeric
			else 0 end),
		bool_and(c.kind <> 'unknown')
	from gateway.forecast_chances(of_pool, demo_too) c join gateway.bet_mix m on m.game = c.game and m.mode = c.mode where m.time >= begins group by 1, 2
$$;

-- Expected hits of each level: stakes x odds of a minor unit x weight, each with the terms that hold for the operator and the game.
create function gateway.forecast_set(of_pool integer, begins timestamptz) returns table (level bigint, hits numeric) language sql stable set search_path = pg_catalog, pg_temp as $$
	select l.level, sum(t.stakes * coalesce(o.odds_in, (d.terms->'odds'->t.currency::text->>0)::numeric) * coalesce(w.weights[l.level], (d.terms->'weights'->>(l.level - 1)::integer)::numeric)
		/ (coalesce(o.odds_of, (d.terms->'odds'->t.currency::text->>1)::numeric)
			* coalesce((select sum(x) from unnest(w.weights) x), (select sum(x::numeric) from jsonb_array_elements_text(d.terms->'weights') x))))
	from (select y.operator, a.game, a.currency, sum(y.stakes) as stakes from pool.tally a join gateway.rollup_tally y on y.tally = a.id where a.pool = of_pool and y.time >= begins group by 1, 2, 3) t
	cross join generate_series(1, 4) l (level)
	left join lateral (select c.terms from cards.terms c where c.pool = of_pool order by c.first_seen desc limit 1) d on true
	left join lateral (select c.odds_in, c.odds_of from cards.odds c where c.pool = of_pool and c.operator in (0, t.operator) and c.game in (0, t.game) and c.currency = t.currency
		order by c.operator desc, c.game desc, c.version desc limit 1) o on true
	left join lateral (select c.weights from cards.weights c where c.pool = of_pool and c.operator in (0, t.operator) and c.game in (0, t.game)
		order by c.operator desc, c.game desc, c.version desc limit 1) w on true
	group by 1
$$;

create function gateway.forecast_row(hits numeric, watched_s numeric, value_e27 numeric, growth_e27 numeric, unit_e27 numeric) returns json language sql immutable
set search_path = pg_catalog, pg_temp as $$
	select json_build_object('mean_s', round(watched_s / hits), 'low_s', round(0.051293294 * watched_s / hits), 'median_s', round(0.693147181 * watched_s / hits),
		'high_s', round(2.995732274 * watched_s / hits), 'value_mean_minor', div(value_e27 + growth_e27 / hits, unit_e27), 'value_low_minor', div(value_e27 + 0.051293294 * growth_e27 / hits, unit_e27),
		'value_median_minor', div(value_e27 + 0.693147181 * growth_e27 / hits, unit_e27), 'value_high_minor', div(value_e27 + 2.995732274 * growth_e27 / hits, unit_e27))
$$;
comment on function gateway.forecast_row is 'Of an exponential time whose mean is watched_s / hits: -ln 0.95, ln 2 and -ln 0.05 times the mean, and what is shown then if it grows as it did.';

create function gateway.forecast(of_pool integer, hours integer, demo_too boolean, codes json, exponents json) returns json language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	of_set constant boolean := exists (select from cards.card_set c where c.pool = of_pool);
	state_ constant text := coalesce((select c.state from cards.card_set c where c.pool = of_pool), (select p.state from pool.pool p where p.pool = of_pool));
	first timestamptz;
	begins timestamptz;
	watched_s numeric;
	fed_e18 numeric;
	list json;
begin
	if state_ is null then
		return null;
	end if;
	if of_set then
		select min(f.time) into first from pool.tally a, lateral (select min(y.time) as time from gateway.rollup_tally y where y.tally = a.id) f where a.pool = of_pool;
	else
		select date_bin('15 minutes', min(m.time) + interval '14 minutes 59 seconds', timestamptz 'epoch') into first from gateway.bet_mix m;
	end if;
	begins := least(greatest(date_bin('15 minutes', now() - make_interval(hours => forecast.hours), timestamptz 'epoch'), coalesce(first, now())), now());
	watched_s := extract(epoch from now() - begins);
	select coalesce(sum(y.stakes::numeric * a.rate_nano * a.ppm * power(10::numeric, 3 - (exponents->>a.currency::text)::integer)), 0) into fed_e18
		from pool.tally a join gateway.rollup_tally y on y.tally = a.id where a.pool = of_pool and y.time >= begins;
	with rows as (
		select r.currency, r.coin_minor as place, r.share_nano, r.unit_e27, r.seed_minor * r.unit_e27 + (p.t_e18 - r.w_e18) * r.share_nano + r.r_e27 as value_e27, h.rounds,
			coalesce(h.hits, 0) as hits, coalesce(h.known, true) as known, coalesce(h.rounds, 0) >= 100 as enough
		from pool.row r join pool.pool p using (pool) left join gateway.forecast_pool(of_pool, demo_too, begins) h on h.currency = r.currency and h.place = r.coin_minor where r.pool = of_pool
		union all select l.currency, l.level, l.share_nano, l.unit_e27, l.seed_minor * l.unit_e27 + (s.t_e18 - l.w_e18) * l.share_nano + l.r_e27, null, coalesce(h.hits, 0), true, true
		from cards.level l join cards.card_set s using (pool) left join gateway.forecast_set(of_pool, begins) h on h.level = l.level where l.pool = of_pool
	), told as (
		select r.*, case when state_ <> 'live' then 'paused' when not known then 'unknown_chance' when watched_s < 3600 then 'too_little' when hits = 0 then 'not_played'
			when not enough or hits * 631152000 < watched_s then 'too_little' else 'known' end as status from rows r
	)
	select coalesce(json_agg(json_build_object('currency', coalesce(codes->>currency::text, currency::text), case when of_set then 'level' else 'coin_minor' end, place,
		'value_minor', div(value_e27, unit_e27), 'rounds', rounds, 'hits_expected', round(hits, 12)::text, 'one_in', case when hits > 0 then round(rounds / hits, 2)::text end, 'status', status,
		'next', case when status = 'known' then gateway.forecast_row(hits, watched_s, value_e27, fed_e18 * share_nano, unit_e27) end) order by currency, place), '[]') into list from told;
	return json_build_object('pool', of_pool, 'hours', hours, 'from_us', (extract(epoch from begins) * 1000000)::bigint, 'to_us', (extract(epoch from now()) * 1000000)::bigint, 'rows', list,
		'chances', (select coalesce(json_agg(json_build_object('game', c.id, 'mode_id', c.mode, 'of', c.kind, 'lines', c.lines, 'coins', c.coins, 'base_exact', c.base, 'chance_exact', c.chance) order by c.game, c.mode), '[]')
			from gateway.forecast_chances(of_pool, demo_too) c));
end $$;
comment on function gateway.forecast is 'For each row or level when it may be won next, and at which value, if play goes on as in the last hours. status says why nothing is told; a mean of more than 20 years is not told. Null: no such pool or set.';
