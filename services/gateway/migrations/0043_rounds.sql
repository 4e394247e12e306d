-- Rounds of all players of an operator, by game, time, win, jackpot and number. The journal has no index for that. The sums lead to the rows instead: a quarter of an hour, and
-- then a minute, in which no row can fit is left out, and of the others the rows of that minute are read by their key. What is behind the sums (two seconds) is not found yet.
create function gateway.row_at(of_shard integer, of_day date, at timestamptz) returns bigint language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
	leaf constant text := wallet.leaf_name(of_shard, of_day);
	low bigint;
	high bigint;
	middle bigint;
	found_time timestamptz;
begin
	if to_regclass('wallet.' || leaf) is null then
		return null;
	end if;
	select l.first_seq, least(coalesce(l.last_seq, a.seq), a.seq) + 1 into low, high from wallet.leaf l join gateway.rollup_at a using (shard)
	where l.shard = of_shard and l.day = of_day and l.state <> 'dropped';
	while low < high loop
		middle := (low + high) / 2;
		execute format('select time from wallet.%I where shard = $1 and seq = $2', leaf) into found_time using of_shard, middle;
		if found_time < at then
			low := middle + 1;
		else
			high := middle;
		end if;
	end loop;
	return low;
end $$;
comment on function gateway.row_at is 'The first row of a leaf that is not before a time, among those in the sums; behind the last one where all are before it. Null: the leaf is gone.';

create function gateway.rounds_between(of_shard integer, of_day date, first_seq bigint, next_seq bigint, of_operator integer, of_game integer, of_currency integer, least_win bigint,
	of_round bigint, begins timestamptz, ends timestamptz) returns table ("time" timestamptz, shard integer, seq bigint, player bigint, round bigint, game integer, mode integer,
	currency integer, bonus_spin boolean, stake bigint, win bigint, is_open boolean, is_void boolean) language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
	if next_seq is null or next_seq <= first_seq then
		return;
	end if;
	return query execute format($sql$
		select j."time", j.shard, j.seq, j.player, j.round, j.game, j.mode, j.currency, j.outside_id is not null, j.stake, case when s.player is null then j.win_balance + j.win_pending end,
			s.player is not null, exists (select from wallet.void v where v.player = j.player and v.round = j.round)
		from wallet.%I j left join engine.game_state s on s.player = j.player and s.game = j.game and s.round = j.round and s.open_since is not null
		where j.shard = $1 and j.seq >= $2 and j.seq < $3 and j.kind = 2 and j.refusal = 0 and j.player >> 48 = $4 and ($5 = 0 or j.game = $5) and ($6 = 0 or j.currency = $6)
			and ($7 = 0 or (s.player is null and j.win_balance + j.win_pending >= $7)) and ($8 = 0 or j.round = $8) and j."time" >= $9 and j."time" <= $10
	$sql$, wallet.leaf_name(of_shard, of_day)) using of_shard, first_seq, next_seq, of_operator, of_game, of_currency, least_win, of_round, begins, ends;
end $$;
comment on function gateway.rounds_between is 'Rounds among the rows first_seq..next_seq - 1 of a leaf. win: as drawn, before any double; null while the round is open.';

-- The first page has at_time null; the following ones continue behind (at_time, at_shard, at_seq).
create function gateway.rounds_find(of_operator integer, of_game integer, of_currency integer, least_win bigint, of_round bigint, begins timestamptz, ends timestamptz,
	at_time timestamptz, at_shard integer, at_seq bigint, most integer, most_rows bigint, most_parts integer, most_days integer)
returns table ("time" timestamptz, shard integer, seq bigint, player bigint, round bigint, game integer, mode integer, currency integer, bonus_spin boolean, stake bigint, win bigint,
	is_open boolean, is_void boolean, jackpot bigint, pool integer) language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
declare
	few constant integer := 5000; -- rows of a quarter of an hour that are read at once
	squares constant numeric := least_win::numeric * least_win;
	high timestamptz := least(ends, at_time);
	low timestamptz;
	quarter timestamptz;
	part timestamptz;
	step interval;
	at_rows bigint := 0;
	at_parts integer := 0;
	at_days integer := 0;
	n integer := 0;
	shards integer[];
	days date[];
	firsts bigint[];
	nexts bigint[];
	read bigint;
begin
	loop
		-- A day's worth of quarters, from the newest that has anything.
		select q.time into high from gateway.rollup_quarter q where q.operator = of_operator and q.time <= high and q.time > begins - interval '15 minutes' order by q.time desc limit 1;
		exit when not found;
		at_days := at_days + 1;
		if at_days > most_days then
			"time" := high + interval '15 minutes';
			return next; -- with a time alone: it has looked back so far
			return;
		end if;
		low := high - interval '1 day';
		for quarter in select distinct q.time from gateway.rollup_quarter q where q.operator = of_operator and q.time <= high and q.time > low and q.time > begins - interval '15 minutes'
			and q.rounds > 0 and (of_game = 0 or q.game = of_game) and (of_currency = 0 or q.currency = of_currency) and (least_win = 0 or q.win_squares >= squares or q.bonus_wins >= least_win)
			order by q.time desc
		loop
			select coalesce(sum(gateway.row_at(l.shard, l.day, quarter + interval '15 minutes') - gateway.row_at(l.shard, l.day, quarter)), 0) into read
			from (select distinct q.shard, q.day from gateway.rollup_quarter q where q.operator = of_operator and q.time = quarter and q.rounds > 0) l;
			step := case when read <= few then interval '15 minutes' else interval '1 minute' end;
			for part in select distinct date_bin(step, m.time, timestamptz 'epoch') as time from gateway.rollup_minute m where m.operator = of_operator and m.time >= quarter and m.time < quarter + interval '15 minutes'
				and m.time <= least(ends, at_time) and m.time > begins - interval '1 minute' and m.rounds > 0 and (of_game = 0 or m.game = of_game)
				and (of_currency = 0 or m.currency = of_currency) and (least_win = 0 or m.win_squares >= squares or m.bonus_wins >= least_win) order by 1 desc
			loop
				if at_rows >= most_rows or at_parts >= most_parts then
					"time" := part + step;
					return next;
					return;
				end if;
				select array_agg(s.shard), array_agg(s.day), array_agg(s.low), array_agg(s.high), coalesce(sum(s.high - s.low), 0) into shards, days, firsts, nexts, read
				from (select l.shard, l.day, gateway.row_at(l.shard, l.day, part) as low, gateway.row_at(l.shard, l.day, part + step) as high
					from (select distinct m.shard, m.day from gateway.rollup_minute m where m.operator = of_operator and m.time >= part and m.time < part + step and m.rounds > 0
						and (of_game = 0 or m.game = of_game) and (of_currency = 0 or m.currency = of_currency)
						and (least_win = 0 or m.win_squares >= squares or m.bonus_wins >= least_win)) l) s;
				at_rows := at_rows + read;
				at_parts := at_parts + coalesce(cardinality(shards), 0);
				for "time", shard, seq, player, round, game, mode, currency, bonus_spin, stake, win, is_open, is_void in
					select r.* from unnest(shards, days, firsts, nexts) u (shard, day, low, high), lateral gateway.rounds_between(u.shard, u.day, u.low, u.high, of_operator, of_game,
						of_currency, least_win, of_round, begins, ends) r
					where at_time is null or (r."time", r.shard, r.seq) < (at_time, at_shard, at_seq) order by r."time" desc, r.shard desc, r.seq desc limit most - n
				loop
					return next;
					n := n + 1;
				end loop;
				if n >= most then
					return;
				end if;
			end loop;
		end loop;
		high := low;
	end loop;
end $$;
comment on function gateway.rounds_find is 'A page of an operator''s rounds that fit, newest first; 0, and an infinite time, leave a filter out. It stops after most_rows rows, most_parts parts of a shard (minutes, or quiet quarters of an hour) or most_days days: its last row then has a time alone, from which on it has looked.';

create function gateway.round_by_row(of_operator integer, of_shard integer, of_seq bigint) returns table ("time" timestamptz, shard integer, seq bigint, player bigint, round bigint,
	game integer, mode integer, currency integer, bonus_spin boolean, stake bigint, win bigint, is_open boolean, is_void boolean, jackpot bigint, pool integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	leaf wallet.leaf;
begin
	select * into leaf from wallet.leaf l where l.shard = of_shard and l.first_seq <= of_seq order by l.first_seq desc limit 1;
	if found and leaf.state <> 'dropped' and to_regclass('wallet.' || wallet.leaf_name(of_shard, leaf.day)) is not null then
		return query select r.*, null::bigint, null::integer from gateway.rounds_between(of_shard, leaf.day, of_seq, of_seq + 1, of_operator, 0, 0, 0, 0, '-infinity', 'infinity') r;
	end if;
end $$;
comment on function gateway.round_by_row is 'The round whose bet is this row of the journal; none: there is none, or it is another operator''s, or its day was dropped.';

create function gateway.round_of_claim(of_kind integer, of_move bigint, of_shard integer, of_seq bigint) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
	select case when of_kind <> 2 then of_move else coalesce((select r.round from wallet.rows_between(of_shard, of_seq, of_seq, 1) r),
		(select d.round from wallet.carried d where d.shard = of_shard and d.seq = of_seq)) end
$$;
comment on function gateway.round_of_claim is 'The round that a claim belongs to: hits are claimed by the move that opens it, Jackpot Cards (kind 2) by the one that closes it.';

create function gateway.jackpots_find(of_operator integer, of_game integer, of_currency integer, least_win bigint, of_round bigint, begins timestamptz, ends timestamptz,
	at_time timestamptz, at_shard integer, at_seq bigint, most integer)
returns table ("time" timestamptz, shard integer, seq bigint, player bigint, round bigint, game integer, mode integer, currency integer, bonus_spin boolean, stake bigint, win bigint,
	is_open boolean, is_void boolean, jackpot bigint, pool integer) language sql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
	select n.time, n.shard, n.seq, n.player, c.round, n.game, null::integer, n.currency, null::boolean, null::bigint, null::bigint, false,
		exists (select from wallet.void v where v.player = n.player and v.round = c.round), n.amount, n.pool
	from gateway.rollup_notable n, lateral (select gateway.round_of_claim(k.kind, k.move, k.shard, k.opened_seq) as round
		from wallet.claim k where k.shard = n.shard and k.closed_seq = n.seq limit 1) c
	where n.operator = of_operator and n.kind = 24 and n.time >= begins and n.time <= ends and (at_time is null or (n.time <= at_time and (n.time, n.shard, n.seq) < (at_time, at_shard, at_seq)))
		and (of_game = 0 or n.game = of_game) and (of_currency = 0 or n.currency = of_currency) and n.amount >= least_win and (of_round = 0 or c.round = of_round)
		and not exists (select from engine.game_state s where s.player = n.player and s.round = c.round and s.open_since is not null)
	order by n.time desc, n.shard desc, n.seq desc limit most
$$;
comment on function gateway.jackpots_find is 'A page of the jackpots that an operator''s players were paid, newest first, each with its round; not before that round is closed. shard and seq are those of the row that paid it.';

-- The hits of a pool or set, as in 0026_jackpot_shown.sql, with the player and the round of those of one operator.
create function gateway.jackpot_hits_of(hits json, of_pool integer, of_operator integer) returns json language sql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
	select coalesce(json_agg(case when k.round is null then h.j else (h.j::jsonb || jsonb_build_object('player', (k.player >> 48) || '-' || (k.player & 281474976710655), 'round', k.round))::json end
		order by h.n), '[]')
	from json_array_elements(hits) with ordinality h (j, n) left join lateral (
		select c.player, gateway.round_of_claim(c.kind, c.move, c.shard, c.opened_seq) as round
		from (select x.player, x.move, x.index from pool.hit x where x.pool = of_pool and x.hit = (h.j->>'hit')::bigint
			union all select y.player, y.move, y.index from cards.hit y where y.pool = of_pool and y.hit = (h.j->>'hit')::bigint) o
			join wallet.claim c on c.player = o.player and c.move = o.move and c.index = o.index where o.player >> 48 = of_operator) k
		on not exists (select from engine.game_state s where s.player = k.player and s.round = k.round and s.open_since is not null)
$$;
comment on function gateway.jackpot_hits_of is 'The hits of gateway.jackpot_history; those that players of the operator won have player and round, once that round is closed.';
