-- Sums by stake: what bets of each size have returned. By day of the journal's partitions, so that there are few of them. They begin with the rows that are added up
-- after this migration; making older partitions again leaves those rows out, too, so that what was counted stays what the rows say.
create table gateway.rollup_stake (
	operator integer not null,
	shard integer not null,
	day date not null,
	game integer not null,
	mode integer not null,
	currency integer not null,
	stake bigint not null,
	rounds bigint not null,
	drawn bigint not null,
	primary key (operator, day, game, mode, currency, stake, shard)
);
create index rollup_stake_leaf on gateway.rollup_stake (shard, day);
comment on table gateway.rollup_stake is 'Bets that players paid for, by stake and day of the partition: how many, and their wins as drawn, before any gamble. Minor units of the currency.';

create table gateway.rollup_stake_from (
	shard integer primary key,
	seq bigint not null
);
comment on table gateway.rollup_stake_from is 'The rows 1..seq of the shard were added up before there were sums by stake: they are in none of them.';
insert into gateway.rollup_stake_from (shard, seq) select a.shard, a.seq from gateway.rollup_at a;

-- As in 0013_rollup.sql, with the sums by stake.
create or replace function gateway.rollup_add(source text, of_shard integer, of_day date, first bigint, last bigint, floor timestamptz) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
	sums constant text[] := array['rounds', 'bonus_rounds', 'refused', 'stakes', 'wins', 'drawn', 'bonus_wins', 'stake_squares', 'products', 'win_squares', 'opened',
		'pending', 'jackpots', 'jackpots_paid', 'voids', 'voided', 'deposits', 'paid_out', 'corrections', 'grants'];
	list constant text := array_to_string(sums, ', ');
	added constant text := (select string_agg(format('sum(%1$I)', c), ', ' order by n) from unnest(sums) with ordinality u (c, n));
	grown constant text := (select string_agg(format('%1$I = t.%1$I + excluded.%1$I', c), ', ') from unnest(sums) c);
	n bigint;
begin
	execute replace(replace(format($sql$
		with r as (
			select greatest(j.time, $5) as at, (j.player >> 48)::integer as operator, j.kind in (2, 3, 4, 5, 6, 7) and j.refusal = 0 as moved,
				j.win_balance + j.win_pending as win, j.kind = 2 and j.refusal = 0 and j.outside_id is null as paid, j.*
			from %1$s j where j.shard = $1 and j.seq between $3 and $4
		), w as materialized (
			select operator, date_bin('1 minute', at, timestamptz 'epoch') as minute, case when kind <= 7 then game else 0 end as game,
				case when kind <= 7 then mode else 0 end as mode, currency, tallies, kind between 2 and 7 or kind between 20 and 24 or kind between 28 and 31 as counts,
				count(*) as n,
				count(*) filter (where kind = 2 and refusal = 0) as rounds,
				count(*) filter (where kind = 2 and refusal = 0 and outside_id is not null) as bonus_rounds,
				count(*) filter (where kind = 2 and refusal <> 0) as refused,
				coalesce(sum(stake) filter (where kind = 2 and refusal = 0), 0) as stakes,
				coalesce(sum(win - forfeit) filter (where moved and kind <> 7), 0) as wins,
				coalesce(sum(win) filter (where paid), 0) as drawn,
				coalesce(sum(win) filter (where kind = 2 and refusal = 0 and not paid), 0) as bonus_wins,
				coalesce(sum(stake::numeric * stake) filter (where paid), 0) as stake_squares,
				coalesce(sum(stake::numeric * win) filter (where paid and win > 0), 0) as products,
				coalesce(sum(win::numeric * win) filter (where paid and win > 0), 0) as win_squares,
				coalesce(sum((pending_after > 0)::integer - (pending_after - win_pending + release + forfeit > 0)::integer)
					filter (where moved and (pending_after > 0 or win_pending > 0 or release > 0 or forfeit > 0)), 0) as opened,
				coalesce(sum(win_pending - release - forfeit) filter (where moved), 0) as pending,
				0 as jackpots, 0 as jackpots_paid,
				count(*) filter (where kind = 7 and refusal = 0) as voids,
				coalesce(sum(stake - win + forfeit + amount) filter (where kind = 7 and refusal = 0), 0) as voided,
				coalesce(sum(amount) filter (where kind = 20 and refusal = 0), 0) as deposits,
				coalesce(sum(case kind when 21 then -amount when 29 then amount end) filter (where refusal = 0), 0) as paid_out,
				coalesce(sum(amount) filter (where kind = 22 and refusal = 0), 0) as corrections,
				coalesce(sum(amount) filter (where kind in (23, 31) and refusal = 0), 0) as grants
			from r group by 1, 2, 3, 4, 5, 6, 7
		), a as materialized (
			select r.operator, r.at, r.shard, r.seq, r.currency, r.amount, c.pool, c.game from r, lateral gateway.award_of(r.shard, r.seq) c
			where r.kind = 24 and r.refusal = 0
		), s as materialized (
			select operator, minute, game, mode, currency, @list@ from w where counts
			union all select operator, date_bin('1 minute', at, timestamptz 'epoch'), game, 0, currency, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, amount, 0, 0, 0, 0, 0, 0 from a
		), m as (
			insert into gateway.rollup_minute as t (operator, time, shard, day, game, mode, currency, @list@)
			select operator, minute, $1, $2, game, mode, currency, @added@ from s group by 1, 2, 5, 6, 7
			on conflict (operator, time, shard, day, game, mode, currency) do update set %2$s
		), q as (
			insert into gateway.rollup_quarter as t (operator, time, shard, day, game, mode, currency, @list@)
			select operator, date_bin('15 minutes', minute, timestamptz 'epoch'), $1, $2, game, mode, currency, @added@ from s group by 1, 2, 5, 6, 7
			on conflict (operator, time, shard, day, game, mode, currency) do update set %2$s
		), y as (
			insert into gateway.rollup_tally as t (operator, time, shard, day, tally, stakes)
			select w.operator, date_bin('15 minutes', minute, timestamptz 'epoch'), $1, $2, tally, sum(stakes) from w, unnest(w.tallies) tally
			where stakes > 0 group by 1, 2, 5 on conflict (operator, time, shard, day, tally) do update set stakes = t.stakes + excluded.stakes
		), p as (
			insert into gateway.rollup_player (operator, time, player, game, shard, day, currency)
			select distinct operator, date_bin('15 minutes', at, timestamptz 'epoch'), player, game, $1, $2, currency from r where kind = 2 and refusal = 0
			on conflict do nothing
		), k as (
			insert into gateway.rollup_stake as t (operator, shard, day, game, mode, currency, stake, rounds, drawn)
			select r.operator, $1, $2, r.game, r.mode, r.currency, r.stake, count(*), sum(r.win) from r
			where r.paid and r.seq > coalesce((select f.seq from gateway.rollup_stake_from f where f.shard = $1), 0) group by 1, 4, 5, 6, 7
			on conflict (operator, day, game, mode, currency, stake, shard) do update set rounds = t.rounds + excluded.rounds, drawn = t.drawn + excluded.drawn
		), x as (
			insert into gateway.rollup_notable (shard, seq, day, operator, time, player, kind, game, round, currency, pool, stake, win, amount, note)
			select r.shard, r.seq, $2, r.operator, r.at, r.player, r.kind, coalesce(a.game, r.game), r.round, r.currency, coalesce(a.pool, 0), r.stake, r.win,
				case when r.kind <= 7 then r.win - r.stake - r.forfeit else r.amount end,
				case when r.kind in (22, 23, 31) then gateway.rollup_note(r.record) else '' end
			from r left join a on a.seq = r.seq where r.refusal = 0 and (r.kind in (7, 22, 23, 24, 31) or (r.paid and r.win >= 100 * r.stake and r.win > 0))
		)
		select coalesce(sum(n), 0) from w
	$sql$, source, grown), '@list@', list), '@added@', added) into n using of_shard, of_day, first, last, floor;
	return n;
end $$;

create or replace function gateway.rollup_digest(of_shard integer, of_day date) returns text language sql stable set search_path = pg_catalog, pg_temp as $$
	select md5(string_agg(line, E'\n' order by line collate "C")) from (
		select 'minute ' || t::text as line from gateway.rollup_minute t where shard = of_shard and day = of_day
		union all select 'quarter ' || t::text from gateway.rollup_quarter t where shard = of_shard and day = of_day
		union all select 'tally ' || t::text from gateway.rollup_tally t where shard = of_shard and day = of_day
		union all select 'player ' || t::text from gateway.rollup_player t where shard = of_shard and day = of_day
		union all select 'stake ' || t::text from gateway.rollup_stake t where shard = of_shard and day = of_day
		union all select 'notable ' || t::text from gateway.rollup_notable t where shard = of_shard and day = of_day) l
$$;

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
end $$;

create function gateway.game_returns_by_stake(of_operator integer, of_game integer, sheet json, begins timestamptz, ends timestamptz, codes json) returns json language sql stable
set search_path = pg_catalog, pg_temp as $$
	select coalesce(json_agg(json_build_object('mode', s.mode, 'currency', coalesce(codes->>s.currency::text, s.currency::text), 'stake_minor', s.stake, 'rounds', s.rounds,
		'stakes_minor', s.rounds * s.stake, 'drawn_minor', s.drawn, 'rtp_percent', b.j->'rtp_percent', 'theory_percent', b.j->'theory_percent', 'theory_high_percent', b.j->'theory_high_percent',
		'z', b.j->'z', 'band_low_percent', b.j->'band_low_percent', 'band_high_percent', b.j->'band_high_percent') order by s.mode, s.currency, s.stake), '[]')
	from (select k.mode, k.currency, k.stake, sum(k.rounds) as rounds, sum(k.drawn) as drawn from gateway.rollup_stake k where k.operator = of_operator and k.game = of_game
			and k.day >= (begins at time zone 'UTC')::date and k.day <= (ends at time zone 'UTC')::date and k.stake > 0 group by 1, 2, 3 order by 4 desc, 1, 2, 3 limit 500) s,
		lateral gateway.par_theory(sheet, s.mode) t,
		lateral (select gateway.par_band(s.rounds * s.stake, s.drawn, s.rounds * s.stake::numeric * s.stake, t.low, t.high, t.variance) as j) b
$$;
comment on function gateway.game_returns_by_stake is 'The same by stake, of the days that begin to ends touch: the 500 stakes that were played most.';

create or replace function gateway.game_view(of_operator integer, of_game integer, demo_too boolean, begins timestamptz, ends timestamptz, codes json) returns json language plpgsql stable security definer
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
		'to_us', (extract(epoch from ends) * 1000000)::bigint, 'returns', gateway.game_returns(of_operator, of_game, served.sheet, begins, ends, codes),
		'by_stake', gateway.game_returns_by_stake(of_operator, of_game, served.sheet, begins, ends, codes));
end $$;
