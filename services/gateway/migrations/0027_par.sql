-- The exact figures of each definition, computed once, and what a game has returned beside them.
create table gateway.par (
	math_version bytea primary key check (length(math_version) = 32),
	claimed timestamptz not null default now(),
	sheet json
);
comment on table gateway.par is 'Of each definition in carillon.game. A gateway claims one, computes its figures and keeps them; they never change.';
comment on column gateway.par.sheet is 'services/gateway/adapters/par_sheet.h; null: still being computed. After ten minutes another gateway may claim it.';

create function gateway.par_claim() returns table (digest text, definition text) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	claimed bytea;
begin
	insert into gateway.par as p (math_version)
	select g.math_version from carillon.game g left join gateway.par k using (math_version)
	where k.math_version is null or (k.sheet is null and k.claimed < now() - interval '10 minutes') order by g.first_seen, g.number limit 1
	on conflict (math_version) do update set claimed = now() where p.sheet is null and p.claimed < now() - interval '10 minutes'
	returning p.math_version into claimed;
	return query select encode(g.math_version, 'hex'), g.definition from carillon.game g where g.math_version = claimed limit 1;
end $$;
comment on function gateway.par_claim is 'A definition whose figures nobody else computes now, the oldest first; no row: there is none.';

create function gateway.par_keep(of_digest bytea, of_sheet text) returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
	update gateway.par p set sheet = of_sheet::json where p.math_version = of_digest and p.sheet is null
$$;

-- Exact return of a mode in percent without the jackpot, smallest and largest over its bets, and the largest variance of a round.
create function gateway.par_theory(sheet json, of_mode integer, out low numeric, out high numeric, out variance numeric) language sql immutable set search_path = pg_catalog, pg_temp as $$
	select min(t.rtp), max(t.rtp), max(t.variance) from (
		select 100 * ((m->>'rtp')::numeric - coalesce((select sum((p->>'rtp')::numeric) from json_array_elements(m->'parts') p where p->>'source' = 'jackpot_seed'), 0)) as rtp,
			(m->>'variance')::numeric as variance
		from json_array_elements(sheet->'modes') m where (m->>'mode_index')::integer = of_mode and m->>'simulated' is null) t
$$;
comment on function gateway.par_theory is 'Null: the definition has no such mode, or its return is simulated.';

create function gateway.par_band(stakes numeric, drawn numeric, stake_squares numeric, low numeric, high numeric, variance numeric) returns json language sql immutable
set search_path = pg_catalog, pg_temp as $$
	select json_build_object('rtp_percent', round(100 * rtp, 4), 'theory_percent', round(low, 6), 'theory_high_percent', round(high, 6),
		'z', case when error > 0 then round((100 * rtp - least(greatest(100 * rtp, low), high)) / error, 3) end,
		'band_low_percent', round(greatest(low - 1.96 * error, 0), 4), 'band_high_percent', round(high + 1.96 * error, 4))
	from (select drawn / nullif(stakes, 0) as rtp, 100 * sqrt(variance * stake_squares) / nullif(stakes, 0) as error) e
$$;
comment on function gateway.par_band is 'The drawn return beside the exact one; its standard error from the exact variance of a round: sqrt(variance x sum of stake^2) / stakes.';

create function gateway.game_returns(of_operator integer, of_game integer, sheet json, begins timestamptz, ends timestamptz, codes json) returns json language sql stable
set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('mode', s.mode, 'currency', coalesce(codes->>s.currency::text, s.currency::text), 'rounds', s.rounds - s.bonus_rounds, 'stakes_minor', s.stakes,
		'drawn_minor', s.drawn, 'rtp_percent', b.j->'rtp_percent', 'theory_percent', b.j->'theory_percent', 'theory_high_percent', b.j->'theory_high_percent', 'z', b.j->'z',
		'band_low_percent', b.j->'band_low_percent', 'band_high_percent', b.j->'band_high_percent') order by s.mode, s.currency), '[]')
	from gateway.sums_between(of_operator, begins, ends) s, lateral gateway.par_theory(sheet, s.mode) t,
		lateral (select gateway.par_band(s.stakes, s.drawn, s.stake_squares, t.low, t.high, t.variance) as j) b where s.game = of_game and s.stakes > 0
$$;
comment on function gateway.game_returns is 'By mode and currency: what bets that players paid for have drawn, before gambles and without jackpots.';

create function gateway.game_view(of_operator integer, of_game integer, demo_too boolean, begins timestamptz, ends timestamptz, codes json) returns json language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	versions json;
	served record;
begin
	select json_agg(json_build_object('math_version', encode(g.math_version, 'hex'), 'name', g.definition::json->>'name', 'version', g.definition::json->'version', 'demo', g.demo,
			'first_seen_us', (extract(epoch from g.first_seen) * 1000000)::bigint, 'par', p.sheet) order by g.demo desc, g.first_seen desc)
		into versions from carillon.game g left join gateway.par p using (math_version) where g.number = of_game and (demo_too or not g.demo);
	select g.id, p.sheet into served from carillon.game g left join gateway.par p using (math_version) where g.number = of_game and (demo_too or not g.demo)
		order by g.demo desc, g.first_seen desc limit 1;
	return json_build_object('game', served.id, 'number', of_game, 'versions', coalesce(versions, '[]'), 'from_us', (extract(epoch from begins) * 1000000)::bigint,
		'to_us', (extract(epoch from ends) * 1000000)::bigint, 'returns', gateway.game_returns(of_operator, of_game, served.sheet, begins, ends, codes));
end $$;
comment on function gateway.game_view is 'All definitions of a game, the one in service first, and what it has returned to this operator''s players beside the exact figures of that one.';
