-- Rounds of all players of an operator, by player, game, time, win, jackpot and number. The journal has no index for that. The sums lead to the rows instead: a quarter of an hour,
-- and then a minute, in which no row can fit is left out; the rows of the others are read by their key, at most so many for a page. What is behind the sums is not found yet.
create type gateway.found_round as ("time" timestamptz, shard integer, seq bigint, player bigint, round bigint, game integer, mode integer, currency integer, bonus_spin boolean, stake bigint,
	win bigint, is_open boolean, is_void boolean, jackpot bigint, pool integer, mark integer);
comment on type gateway.found_round is 'A round, at the row of its bet; a jackpot, at the row that paid it. mark 0: such a row; 1: no row, the page ends here before it was full, and the next one goes on behind (time, shard, seq); 2: no row, what is older is in the archive only.';

create function gateway.row_at(of_shard integer, of_day date, at timestamptz, low bigint, high bigint) returns bigint language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
	found_seq bigint;
begin
	execute format($sql$
		with recursive b (low, high) as (select $3, $4
			union all select case when m.before then m.middle + 1 else b.low end, case when m.before then b.high else m.middle end
			from b cross join lateral (select (b.low + b.high) / 2 as middle,
				coalesce((select j."time" < $2 from wallet.%I j where j.shard = $1 and j.seq = (b.low + b.high) / 2), false) as before offset 0) m
			where b.low < b.high)
		select b.low from b where b.low >= b.high limit 1
	$sql$, wallet.leaf_name(of_shard, of_day)) into found_seq using of_shard, at, low, high;
	return found_seq;
end $$;
comment on function gateway.row_at is 'The first of the rows low..high - 1 of a leaf that is not before a time; high: all are before it. It looks at one row for each doubling of them.';

create function gateway.rounds_between(of_shard integer, of_day date, first_seq bigint, next_seq bigint, of_operator integer, of_game integer, of_currency integer, least_win bigint,
	of_round bigint, begins timestamptz, ends timestamptz) returns setof gateway.found_round language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
	return query execute format($sql$
		select j."time", j.shard, j.seq, j.player, j.round, j.game, j.mode, j.currency, j.outside_id is not null, j.stake, case when not o.is_open then j.win_balance + j.win_pending end,
			o.is_open, exists (select from wallet.void v where v.player = j.player and v.round = j.round), null::bigint, null::integer, 0
		from wallet.%I j, lateral (select coalesce((select s.round < j.round or (s.round = j.round and s.open_since is not null) from engine.game_state s
			where s.player = j.player and s.game = j.game), true) as is_open) o
		where j.shard = $1 and j.seq >= $2 and j.seq < $3 and j.kind = 2 and j.refusal = 0 and j.player >= $4::bigint << 48 and j.player < ($4::bigint + 1) << 48
			and ($5 = 0 or j.game = $5) and ($6 = 0 or j.currency = $6) and ($7 = 0 or (j.win_balance + j.win_pending >= $7 and not o.is_open)) and ($8 = 0 or j.round = $8)
			and j."time" >= $9 and j."time" <= $10
	$sql$, wallet.leaf_name(of_shard, of_day)) using of_shard, first_seq, next_seq, of_operator, of_game, of_currency, least_win, of_round, begins, ends;
end $$;
comment on function gateway.rounds_between is 'Rounds among the rows first_seq..next_seq - 1 of a leaf. win: as drawn, before any double; null while the round is open, or the engine''s state of it is not written yet.';

create function gateway.rounds_gone(begins timestamptz, ends timestamptz) returns boolean language sql stable set search_path = pg_catalog, pg_temp as $$
	select exists (select from wallet.leaf l where l.state = 'dropped' and l.day between (begins at time zone 'UTC')::date and (ends at time zone 'UTC')::date)
$$;
comment on function gateway.rounds_gone is 'Whether rows of that time are in the archive only.';

-- The first page has at_time null; the following ones continue behind (at_time, at_shard, at_seq).
create function gateway.rounds_find(of_operator integer, of_game integer, of_currency integer, least_win bigint, of_round bigint, begins timestamptz, ends timestamptz,
	at_time timestamptz, at_shard integer, at_seq bigint, most integer, most_rows bigint, most_looks integer, most_sums bigint) returns setof gateway.found_round
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
declare
	few constant integer := 4000; -- rows that are read at once
	quarter_span constant interval := '15 minutes';
	squares constant numeric := least_win::numeric * least_win;
	since constant timestamptz := greatest(begins, (select min(l.day)::timestamp at time zone 'UTC' from wallet.leaf l where l.state <> 'dropped'));
	until constant timestamptz := least(ends, at_time);
	reach timestamptz := until; -- of the quarters that are still to be looked at
	newest timestamptz;
	quarters timestamptz[];
	quarter timestamptz;
	low timestamptz;
	high timestamptz;
	slice timestamptz;
	rows bigint := 0;
	looks integer := 0;
	sums bigint := 0;
	given integer := 0;
	more bigint;
	shards integer[];
	days date[];
	firsts bigint[];
	nexts bigint[];
	starts bigint[];
	parts timestamptz[];
	span interval;
	found_row gateway.found_round;
begin
	loop
		-- Quarters by the hour, from the newest that has anything.
		select q.time into newest from gateway.rollup_quarter q where q.operator = of_operator and q.time <= reach and q.time > since - quarter_span order by q.time desc limit 1;
		exit when not found;
		if sums >= most_sums then
			return next row(newest + quarter_span - interval '1 microsecond', 2147483647, 9223372036854775807, null, null, null, null, null, null, null, null, null, null, null, null, 1)::gateway.found_round;
			return;
		end if;
		select array_agg(distinct q.time order by q.time desc) filter (where q.rounds > 0 and (of_game = 0 or q.game = of_game) and (of_currency = 0 or q.currency = of_currency)
				and (least_win = 0 or q.win_squares >= squares or q.bonus_wins >= least_win)), sums + count(*) into quarters, sums
		from gateway.rollup_quarter q where q.operator = of_operator and q.time > greatest(newest - interval '2 hours', since - quarter_span) and q.time <= newest;
		foreach quarter in array coalesce(quarters, '{}') loop
			-- Its rows, by leaf: firsts..nexts - 1, of those that are in the sums.
			select array_agg(s.shard), array_agg(s.day), array_agg(s.first), array_agg(s.next), coalesce(sum(s.next - s.first), 0) into shards, days, firsts, nexts, more
			from (select l.shard, l.day, gateway.row_at(l.shard, l.day, quarter, l.low, l.high) as first, gateway.row_at(l.shard, l.day, quarter + quarter_span, l.low, l.high) as next
				from (select d.shard, d.day, f.first_seq as low, least(coalesce(f.last_seq, a.seq), a.seq) + 1 as high
					from (select distinct q.shard, q.day from gateway.rollup_quarter q where q.operator = of_operator and q.time = quarter and q.rounds > 0) d
					join wallet.leaf f on f.shard = d.shard and f.day = d.day and f.state <> 'dropped' and to_regclass(format('wallet.%I', wallet.leaf_name(d.shard, d.day))) is not null
					join gateway.rollup_at a on a.shard = d.shard) l) s
			where s.first < s.next;
			looks := looks + 1 + 2 * coalesce(cardinality(shards), 0);
			continue when shards is null;
			span := quarter_span;
			parts := array[quarter];
			if more > few then
				span := '1 minute';
				select array_agg(distinct m.time order by m.time desc) filter (where m.rounds > 0 and (of_game = 0 or m.game = of_game) and (of_currency = 0 or m.currency = of_currency)
						and (least_win = 0 or m.win_squares >= squares or m.bonus_wins >= least_win)), sums + count(*) into parts, sums
				from gateway.rollup_minute m where m.operator = of_operator and m.time >= quarter and m.time < quarter + quarter_span;
			end if;
			foreach low in array coalesce(parts, '{}') loop
				high := least(low + span, until + interval '1 microsecond');
				low := greatest(low, since);
				nexts := array(select gateway.row_at(u.shard, u.day, high, u.first, u.next) from unnest(shards, days, firsts, nexts) with ordinality u (shard, day, first, next, i) order by u.i);
				looks := looks + cardinality(shards);
				-- Slices of it that have few rows, from its end.
				while high > low loop
					if rows >= most_rows or looks >= most_looks then
						return next row(high - interval '1 microsecond', 2147483647, 9223372036854775807, null, null, null, null, null, null, null, null, null, null, null, null, 1)::gateway.found_round;
						return;
					end if;
					slice := low;
					loop
						starts := array(select gateway.row_at(u.shard, u.day, slice, u.first, u.next) from unnest(shards, days, firsts, nexts) with ordinality u (shard, day, first, next, i) order by u.i);
						looks := looks + cardinality(shards);
						more := (select sum(u.next - u.start) from unnest(starts, nexts) u (start, next));
						exit when more <= few or high - slice <= interval '1 millisecond';
						slice := high - (high - slice) / 2;
					end loop;
					rows := rows + more;
					for found_row in select r.* from unnest(shards, days, starts, nexts) u (shard, day, start, next), lateral gateway.rounds_between(u.shard, u.day, u.start, u.next, of_operator,
							of_game, of_currency, least_win, of_round, begins, ends) r
						where u.start < u.next and (at_time is null or (r."time", r.shard, r.seq) < (at_time, at_shard, at_seq)) order by r."time" desc, r.shard desc, r.seq desc limit most - given
					loop
						return next found_row;
						given := given + 1;
					end loop;
					if given >= most then
						return;
					end if;
					nexts := starts;
					high := slice;
				end loop;
			end loop;
		end loop;
		reach := greatest(newest - interval '2 hours', since - quarter_span);
	end loop;
	if gateway.rounds_gone(begins, ends) then
		return next row(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, 2)::gateway.found_round;
	end if;
end $$;
comment on function gateway.rounds_find is 'A page of an operator''s rounds that fit, newest first; 0 leaves a filter out. It stops after most_rows rows of the journal, most_looks looks for a row by its time, or most_sums sums, each as soon as it has passed it.';

create function gateway.rounds_of_player(of_player bigint, of_game integer, of_currency integer, least_win bigint, of_round bigint, begins timestamptz, ends timestamptz,
	at_seq bigint, most integer, most_rows bigint) returns setof gateway.found_round language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
	account wallet.account;
	from_seq bigint;
	h record;
	looked bigint := 0;
	n integer := 0;
	found_row gateway.found_round;
begin
	select * into account from wallet.account a where a.player = of_player and (of_currency = 0 or a.currency = of_currency);
	if not found then
		return;
	end if;
	from_seq := coalesce(at_seq, wallet.history_start(of_player, account.shard, ends));
	for h in select * from wallet.history_rows(of_player, account.shard, from_seq, most_rows, of_round) loop
		looked := looked + 1;
		if h."time" < begins then
			return;
		end if;
		if h.kind = 2 and h.refusal = 0 and (at_seq is null or h.seq < at_seq) and h."time" <= ends and (of_game = 0 or h.game = of_game) and (of_round = 0 or h.round = of_round) then
			found_row := row(h."time", account.shard, h.seq, of_player, h.round, h.game, h.mode, account.currency, h.bonus_spin, h.stake, h.win_balance + h.win_pending,
				coalesce((select s.round < h.round or (s.round = h.round and s.open_since is not null) from engine.game_state s where s.player = of_player and s.game = h.game), true),
				exists (select from wallet.void v where v.player = of_player and v.round = h.round), null, null, 0);
			if found_row.is_open then
				found_row.win := null;
			end if;
			if least_win = 0 or found_row.win >= least_win then
				return next found_row;
				n := n + 1;
				if n >= most then
					return;
				end if;
			end if;
		end if;
	end loop;
	if looked >= most_rows and h.prev_seq > 0 and not h.archived and (h.kind <> 2 or h.move > of_round) then
		return next row(h."time", account.shard, h.seq, null, null, null, null, null, null, null, null, null, null, null, null, 1)::gateway.found_round;
	elsif (looked = 0 and gateway.rounds_gone(greatest(begins, account.opened), ends)) or (looked > 0 and h.archived and not (h.kind = 2 and h.move <= of_round)) then
		return next row(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, 2)::gateway.found_round;
	end if;
end $$;
comment on function gateway.rounds_of_player is 'A page of a player''s rounds that fit, newest first, as gateway.rounds_find; it stops after most_rows rows of the account.';

create function gateway.round_by_row(of_operator integer, of_shard integer, of_seq bigint) returns setof gateway.found_round
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
declare
	leaf wallet.leaf;
begin
	select * into leaf from wallet.leaf l where l.shard = of_shard and l.first_seq <= of_seq order by l.first_seq desc limit 1;
	if not found then
		return;
	elsif leaf.state = 'dropped' then
		return next row(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, 2)::gateway.found_round;
	elsif to_regclass(format('wallet.%I', wallet.leaf_name(of_shard, leaf.day))) is not null then
		return query select * from gateway.rounds_between(of_shard, leaf.day, of_seq, of_seq + 1, of_operator, 0, 0, 0, 0, '-infinity', 'infinity');
	end if;
end $$;
comment on function gateway.round_by_row is 'The round whose bet is this row of the journal. None: there is none, or it is another operator''s.';

-- ---- jackpots

create index rollup_notable_jackpot on gateway.rollup_notable (operator, time, shard, seq) where kind = 24;

create function gateway.round_of_claim(of_kind integer, of_move bigint, of_shard integer, of_seq bigint) returns bigint language sql stable set search_path = pg_catalog, pg_temp as $$
	select case when of_kind <> 2 then of_move else coalesce((select r.round from wallet.rows_between(of_shard, of_seq, of_seq, 1) r),
		(select d.round from wallet.carried d where d.shard = of_shard and d.seq = of_seq)) end
$$;
comment on function gateway.round_of_claim is 'The round that a claim belongs to: hits are claimed by the move that opens it, Jackpot Cards (kind 2) by the one that closes it.';

create function gateway.jackpots_find(of_operator integer, of_player bigint, of_game integer, of_currency integer, least_win bigint, of_round bigint, begins timestamptz, ends timestamptz,
	at_time timestamptz, at_shard integer, at_seq bigint, most integer, most_rows bigint) returns setof gateway.found_round
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
declare
	edge record; -- the last row that this page looks at
	r record;
	of_claim bigint;
	given integer := 0;
begin
	at_time := coalesce(at_time, 'infinity');
	select n.time, n.shard, n.seq into edge from gateway.rollup_notable n where n.operator = of_operator and n.kind = 24 and n.time >= begins and n.time <= ends
		and (n.time, n.shard, n.seq) < (at_time, coalesce(at_shard, 0), coalesce(at_seq, 0)) order by n.time desc, n.shard desc, n.seq desc offset most_rows - 1 limit 1;
	for r in select * from gateway.rollup_notable n where n.operator = of_operator and n.kind = 24 and n.time >= begins and n.time <= ends
			and (n.time, n.shard, n.seq) < (at_time, coalesce(at_shard, 0), coalesce(at_seq, 0)) and (edge.seq is null or (n.time, n.shard, n.seq) >= (edge.time, edge.shard, edge.seq))
			and (of_player = 0 or n.player = of_player) and (of_game = 0 or n.game = of_game) and (of_currency = 0 or n.currency = of_currency) and n.amount >= least_win
		order by n.time desc, n.shard desc, n.seq desc
	loop
		select gateway.round_of_claim(k.kind, k.move, k.shard, k.opened_seq) into of_claim from wallet.claim k where k.shard = r.shard and k.closed_seq = r.seq limit 1;
		-- Not before the player has seen it.
		continue when (of_round <> 0 and of_claim is distinct from of_round) or exists (select from engine.game_state s where s.player = r.player and s.round = of_claim
			and s.open_since is not null);
		return next row(r.time, r.shard, r.seq, r.player, of_claim, r.game, null, r.currency, null, null, null, false,
			exists (select from wallet.void v where v.player = r.player and v.round = of_claim), r.amount, r.pool, 0)::gateway.found_round;
		given := given + 1;
		if given >= most then
			return;
		end if;
	end loop;
	if edge.seq is not null then
		return next row(edge.time, edge.shard, edge.seq, null, null, null, null, null, null, null, null, null, null, null, null, 1)::gateway.found_round;
	end if;
end $$;
comment on function gateway.jackpots_find is 'A page of the jackpots that an operator''s players were paid, newest first, each with its round; not before that round is closed. It looks at most_rows jackpots.';

-- ---- open rounds

create function gateway.rounds_open(of_operator integer, at_time timestamptz, at_player bigint, at_game integer, most integer, most_rows bigint)
returns table (since timestamptz, player bigint, game integer, round bigint, currency integer, stake bigint, pending bigint, mark integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
declare
	r record;
	looked bigint := 0;
	n integer := 0;
begin
	for r in select s.open_since, s.player, s.game, s.round from engine.game_state s where s.open_since is not null
			and s.open_since >= coalesce(at_time, '-infinity') and (s.open_since, s.player, s.game) > (coalesce(at_time, '-infinity'), coalesce(at_player, 0), coalesce(at_game, 0))
		order by s.open_since, s.player, s.game limit most_rows
	loop
		looked := looked + 1;
		since := r.open_since;
		player := r.player;
		game := r.game;
		continue when r.player >> 48 <> of_operator;
		round := r.round;
		select a.currency, coalesce((select sum(a.pendings[i + 2]) from generate_series(1, cardinality(a.pendings), 3) i where a.pendings[i] = r.game and a.pendings[i + 1] = r.round), 0),
			(select h.stake from wallet.history_rows(r.player, a.shard, a.last_seq, 200, r.round) h where h.kind = 2 and h.refusal = 0 and h.game = r.game and h.round = r.round limit 1)
		into currency, pending, stake from wallet.account a where a.player = r.player;
		continue when not found;
		mark := 0;
		return next;
		n := n + 1;
		if n >= most then
			return;
		end if;
	end loop;
	if looked >= most_rows then
		mark := 1;
		return next;
	end if;
end $$;
comment on function gateway.rounds_open is 'A page of the rounds of an operator''s players that are open, oldest first: since when, and the pending win. stake null: it lies more than 200 rows of the account back, or is in the archive only. It looks at most_rows open rounds of all operators; mark 1: no row, the next page goes on behind it.';
