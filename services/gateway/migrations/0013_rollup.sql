-- Sums of the journal over time: what series and reports are made of. The gateways ask for them (gateway.rollup_step); the sums and the row up to which they
-- reach are written in one transaction, so that each row counts once, whoever crashes. Per partition (shard and day) the sums are a function of its rows:
-- gateway.rollup_rebuild makes them again, from the table or from an archived file.
create table gateway.rollup_minute (
	operator integer not null,
	time timestamptz not null,
	shard integer not null,
	day date not null,
	game integer not null,
	mode integer not null,
	currency integer not null,
	rounds bigint not null,
	bonus_rounds bigint not null,
	refused bigint not null,
	stakes bigint not null,
	wins bigint not null,
	drawn bigint not null,
	bonus_wins bigint not null,
	stake_squares numeric not null,
	products numeric not null,
	win_squares numeric not null,
	opened bigint not null,
	pending bigint not null,
	jackpots bigint not null,
	jackpots_paid bigint not null,
	voids bigint not null,
	voided bigint not null,
	deposits bigint not null,
	paid_out bigint not null,
	corrections bigint not null,
	grants bigint not null,
	primary key (operator, time, shard, day, game, mode, currency)
);
create index rollup_minute_leaf on gateway.rollup_minute (shard, day);
comment on table gateway.rollup_minute is 'Sums of accepted journal rows by minute. Money is minor units of the currency.';
comment on column gateway.rollup_minute.time is 'Begin of the minute, of the quarter of an hour. A row counts at its own time, but not before a report that was sealed before the row was counted (gateway.rollup_floor).';
comment on column gateway.rollup_minute.day is 'Of the partition of the rows (wallet.leaf).';
comment on column gateway.rollup_minute.rounds is 'Bets, bonus spins included. refused: bets that the wallet refused.';
comment on column gateway.rollup_minute.bonus_rounds is 'Bonus spins: bets that an operator paid for.';
comment on column gateway.rollup_minute.wins is 'What players won from the house, in the round and by gambling: win_balance + win_pending - forfeit. Jackpots are not in it.';
comment on column gateway.rollup_minute.drawn is 'Wins of bets that players paid for, as drawn, before any gamble: what the published return speaks of.';
comment on column gateway.rollup_minute.bonus_wins is 'Wins of bonus spins, as drawn.';
comment on column gateway.rollup_minute.stake_squares is 'Of bets that players paid for: sum of stake x stake. products: of stake x win; win_squares: of win x win.';
comment on column gateway.rollup_minute.opened is 'How many (player, game) got money pending, less how many have none any more. pending: how much it grew.';
comment on column gateway.rollup_minute.jackpots is 'Awards booked, at the game of the bet that won them; jackpots_paid: their amounts.';
comment on column gateway.rollup_minute.voided is 'What voids brought the house; negative: what they cost.';
comment on column gateway.rollup_minute.paid_out is 'Withdrawals paid. corrections, grants: what they brought players; grants less what was taken back.';

create table gateway.rollup_quarter (
	like gateway.rollup_minute including comments,
	primary key (operator, time, shard, day, game, mode, currency)
);
create index rollup_quarter_leaf on gateway.rollup_quarter (shard, day);
comment on table gateway.rollup_quarter is 'The same by quarter of an hour: all time zones begin a day at one. Reports read it.';

create table gateway.rollup_tally (
	operator integer not null,
	time timestamptz not null,
	shard integer not null,
	day date not null,
	tally integer not null,
	stakes bigint not null,
	primary key (operator, time, shard, day, tally)
);
create index rollup_tally_leaf on gateway.rollup_tally (shard, day);
comment on table gateway.rollup_tally is 'Stakes that fed a tally, by quarter of an hour: with the tally''s share they are the contributions.';

create table gateway.rollup_player (
	operator integer not null,
	time timestamptz not null,
	player bigint not null,
	game integer not null,
	shard integer not null,
	day date not null,
	currency integer not null,
	primary key (operator, time, player, game, day)
);
create index rollup_player_leaf on gateway.rollup_player (shard, day);
comment on table gateway.rollup_player is 'Who has bet in a quarter of an hour, so that players can be counted over any time.';

create table gateway.rollup_notable (
	shard integer not null,
	seq bigint not null,
	day date not null,
	operator integer not null,
	time timestamptz not null,
	player bigint not null,
	kind integer not null,
	game integer not null,
	round bigint not null,
	currency integer not null,
	pool integer not null,
	stake bigint not null,
	win bigint not null,
	amount bigint not null,
	note text not null,
	primary key (shard, seq)
);
create index rollup_notable_time on gateway.rollup_notable (operator, time);
create index rollup_notable_leaf on gateway.rollup_notable (shard, day);
comment on table gateway.rollup_notable is 'Rows that reports list: wins of 100 stakes or more (kind 2), voids (7), corrections (22), grants and what was taken back (23, 31), jackpots (24).';
comment on column gateway.rollup_notable.amount is 'What the row brought the player.';
comment on column gateway.rollup_notable.note is 'JSON with actor and reason, of corrections and grants; else empty.';

create table gateway.rollup_at (
	shard integer primary key,
	seq bigint not null
);
comment on table gateway.rollup_at is 'The rows 1..seq of the shard are in the sums.';

create table gateway.rollup_floor (
	shard integer not null,
	after_seq bigint not null,
	floor timestamptz not null,
	primary key (shard, after_seq)
);
comment on table gateway.rollup_floor is 'Written when a report is sealed: rows behind after_seq count at `floor` or later, so that a clock that went back changes no sealed report.';

create table gateway.rollup_missing (
	shard integer not null,
	day date not null,
	primary key (shard, day)
);
comment on table gateway.rollup_missing is 'Partitions that were dropped before their rows were counted: jackpotctl rollups rebuild counts them from the archive.';

-- ---- adding rows up

create function gateway.award_of(of_shard integer, of_seq bigint, out pool integer, out game integer) language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
	opened bigint;
begin
	select c.pool, c.opened_seq into pool, opened from wallet.claim c where c.shard = of_shard and c.closed_seq = of_seq limit 1;
	select j.game into game from wallet.journal j where j.shard = of_shard and j.seq = opened and j.day = wallet.day_of(of_shard, opened);
	if not found then
		select j.game into game from wallet.carried j where j.shard = of_shard and j.seq = opened;
	end if;
	pool := coalesce(pool, 0);
	game := coalesce(game, 0);
end $$;
comment on function gateway.award_of is 'Pool and game of the jackpot that a row paid; 0: not known.';

create function gateway.rollup_note(record bytea) returns text language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
	return coalesce(left(convert_from(record, 'UTF8')::json::text, 1000), '');
exception when others then
	return '';
end $$;
comment on function gateway.rollup_note is 'The JSON in the record of a correction or a grant; empty if the record has none.';

-- Rows first..last of `source`, a table like wallet.journal, all of one shard and day and behind one floor. Returns how many there were.
create function gateway.rollup_add(source text, of_shard integer, of_day date, first bigint, last bigint, floor timestamptz) returns bigint
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
comment on function gateway.rollup_add is 'Adds rows of a table like wallet.journal to the sums.';

-- From floor to floor.
create function gateway.rollup_rows(source text, of_shard integer, of_day date, first bigint, last bigint) returns bigint language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
	part record;
	n bigint := 0;
begin
	for part in select * from (
		select greatest(f.after_seq + 1, first) as low, least(coalesce(lead(f.after_seq) over (order by f.after_seq), last), last) as high, f.floor
		from (select -1 as after_seq, timestamptz '-infinity' as floor union all select g.after_seq, g.floor from gateway.rollup_floor g where g.shard = of_shard) f) p
		where low <= high order by low
	loop
		n := n + gateway.rollup_add(source, of_shard, of_day, part.low, part.high, part.floor);
	end loop;
	if n <> last - first + 1 then
		raise exception 'shard %, day %: found % rows of % to % in %, expected all', of_shard, of_day, n, first, last, source;
	end if;
	return n;
end $$;

create function gateway.rollup_step(of_shard integer, most bigint) returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	at_seq bigint;
	newest bigint;
	leaf wallet.leaf;
	last bigint;
begin
	if not pg_try_advisory_xact_lock(7281, of_shard) then
		return 0; -- another gateway is at it
	end if;
	select a.seq into at_seq from gateway.rollup_at a where a.shard = of_shard;
	if not found then
		insert into gateway.rollup_at (shard, seq) values (of_shard, 0);
		at_seq := 0;
	end if;
	select b.last_seq into newest from wallet.batch b where b.shard = of_shard order by b.batch desc limit 1;
	if newest is null or newest <= at_seq then
		return 0;
	end if;
	select * into leaf from wallet.leaf l where l.shard = of_shard and l.first_seq <= at_seq + 1 order by l.first_seq desc limit 1;
	last := least(newest, (select min(l.first_seq) - 1 from wallet.leaf l where l.shard = of_shard and l.first_seq > leaf.first_seq));
	if leaf.state = 'dropped' then
		insert into gateway.rollup_missing (shard, day) values (of_shard, leaf.day) on conflict do nothing;
	else
		last := least(last, at_seq + most);
		perform gateway.rollup_rows(format('wallet.%I', wallet.leaf_name(of_shard, leaf.day)), of_shard, leaf.day, at_seq + 1, last);
	end if;
	update gateway.rollup_at set seq = last where shard = of_shard;
	return last - at_seq;
end $$;
comment on function gateway.rollup_step is 'Adds the next rows of a shard, at most so many, all of one partition. Returns how many; 0: none are new, or another process is at it.';

create function gateway.rollup_steps(most bigint, out rows bigint, out trouble text) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	s integer;
begin
	rows := 0;
	for s in select generate_series(0, i.shards - 1) from carillon.installation i loop
		begin
			rows := greatest(rows, gateway.rollup_step(s, most));
		exception when others then
			trouble := coalesce(trouble || '; ', '') || format('shard %s: %s', s, sqlerrm);
		end;
	end loop;
end $$;
comment on function gateway.rollup_steps is 'A step of each shard. rows: the largest number of rows; as many as asked for: there may be more. trouble: what stops a shard; the others go on.';

-- ---- making them again

create function gateway.rollup_digest(of_shard integer, of_day date) returns text language sql stable set search_path = pg_catalog, pg_temp as $$
	select md5(string_agg(line, E'\n' order by line collate "C")) from (
		select 'minute ' || t::text as line from gateway.rollup_minute t where shard = of_shard and day = of_day
		union all select 'quarter ' || t::text from gateway.rollup_quarter t where shard = of_shard and day = of_day
		union all select 'tally ' || t::text from gateway.rollup_tally t where shard = of_shard and day = of_day
		union all select 'player ' || t::text from gateway.rollup_player t where shard = of_shard and day = of_day
		union all select 'notable ' || t::text from gateway.rollup_notable t where shard = of_shard and day = of_day) l
$$;
comment on function gateway.rollup_digest is 'Tells the sums of a partition from others.';

create function gateway.rollup_rebuild(source text, of_shard integer, of_day date, out rows bigint, out differs boolean) language plpgsql
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
	delete from gateway.rollup_notable where shard = of_shard and day = of_day;
	delete from gateway.rollup_missing where shard = of_shard and day = of_day;
	rows := 0;
	if last >= leaf.first_seq then
		rows := gateway.rollup_rows(source, of_shard, of_day, leaf.first_seq, last);
	end if;
	differs := before is distinct from gateway.rollup_digest(of_shard, of_day);
end $$;
comment on function gateway.rollup_rebuild is 'Makes the sums of a partition again from its rows, those that were counted. differs: they were others. In a transaction that is rolled back, it only compares.';
