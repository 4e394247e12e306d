-- The postings of an operator's players, from an account to the rows that make it. The legs themselves are those of wallet.posting.
create type gateway.posting as (day date, shard integer, seq bigint, leg integer, close bigint, "time" timestamptz, player bigint, kind integer, currency integer, account text, amount bigint);

create function gateway.posting_kind(kind integer) returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
	select coalesce((array['open', 'bet', 'release', 'double', 'halve', 'collect', 'void', 'setting'])[kind], (array['deposit', 'withdrawal', 'correction', 'grant', 'jackpot', 'block',
		'bonus_spins', 'bonus_spins_ended', 'withdrawal', 'withdrawal_paid', 'withdrawal_returned', 'grant_taken_back', 'limit'])[kind - 19], 'close')
$$;
comment on function gateway.posting_kind is 'The kind of a row of the journal in the words of histories; null: a close.';

create function gateway.posting_legs(of_day date, of_shard integer, low bigint, high bigint, of_seqs bigint[]) returns setof gateway.posting language plpgsql stable
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
	return query execute format($sql$
		select coalesce($1, (p.time at time zone 'UTC')::date), p.shard, p.seq, (row_number() over (partition by p.seq order by p.close nulls first, p.currency, p.account, p.amount))::integer,
			p.close, p.time, p.player, p.kind, p.currency, p.account, p.amount
		from wallet.posting p where p.shard = %s and p.seq between $2 and $3 and ($4 is null or p.seq = any ($4))$sql$, of_shard) using of_day, low, high, of_seqs;
end $$;
comment on function gateway.posting_legs is 'The legs of rows low..high of a shard, numbered within each row, those of closes last. of_day: of their leaf; null: by their time. of_seqs: of these rows alone.';

create function gateway.posting_round(of_shard integer, of_seq bigint, of_kind integer, out round bigint, out game integer) language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
declare
	opened bigint := of_seq;
begin
	if of_kind = 24 then
		select c.opened_seq into opened from wallet.claim c where c.shard = of_shard and c.closed_seq = of_seq limit 1;
	end if;
	select j.round, j.game into round, game from wallet.journal j where j.shard = of_shard and j.seq = opened and j.day = wallet.day_of(of_shard, opened) and j.kind between 2 and 7;
end $$;
comment on function gateway.posting_round is 'The round of a row of the journal; of a jackpot, the round that won it. Null: it is of none, or its row is only in the archive.';

create function gateway.postings_of_player(of_operator integer, of_player bigint, of_account text, of_currency integer, at_seq bigint, at_leg integer, most integer, reads integer)
returns setof gateway.posting language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
	s integer := (select a.shard from wallet.account a where a.player = of_player and (a.player >> 48) = of_operator);
	start bigint := coalesce(at_seq, wallet.newest_of(of_player, s));
	seqs bigint[] := array(select h.seq from wallet.history_rows(of_player, s, start, reads, 0) h);
	low bigint := seqs[cardinality(seqs)];
	n integer;
begin
	if low is null then -- no such player, or nothing more
		return;
	end if;
	return query select t.* from gateway.posting_legs(null, s, low, start, seqs) t where t.player = of_player and (of_account is null or t.account = of_account)
		and (of_currency = 0 or t.currency = of_currency) and (at_seq is null or t.seq < at_seq or t.leg > at_leg) order by t.seq desc, t.leg limit most;
	get diagnostics n = row_count;
	if n < most and cardinality(seqs) >= reads and low > 0 then
		return next (current_date, s, low, 1000000, null, null, null, null, null, null, null)::gateway.posting;
	end if;
end $$;
comment on function gateway.postings_of_player is 'Legs of a player''s rows, newest row first, after the leg at_seq, at_leg. Reads at most so many rows; where there are more, a last line without an account says where to go on.';

create function gateway.postings_of_all(of_operator integer, closes boolean, of_account text, of_currency integer, of_day date, at_day date, at_shard integer, at_seq bigint, at_leg integer,
	most integer, reads integer) returns setof gateway.posting language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
	l record;
	low bigint;
	high bigint;
	n integer;
begin
	for l in select f.day, f.shard, f.first_seq, coalesce(f.last_seq, (select min(g.first_seq) - 1 from wallet.leaf g where g.shard = f.shard and g.first_seq > f.first_seq),
			(select b.last_seq from wallet.batch b where b.shard = f.shard order by b.batch desc limit 1)) as last_seq
		from wallet.leaf f where f.state <> 'dropped' and (of_day is null or f.day = of_day) and (at_day is null or f.day < at_day or (f.day = at_day and f.shard >= at_shard))
		order by f.day desc, f.shard
	loop
		high := case when l.day = at_day and l.shard = at_shard then least(l.last_seq, at_seq) else l.last_seq end;
		while high >= l.first_seq loop
			low := greatest(l.first_seq, high - least(reads, 2000) + 1);
			return query select t.* from gateway.posting_legs(l.day, l.shard, low, high, null) t where ((t.player >> 48) = of_operator or (t.player is null and closes))
				and (of_account is null or t.account = of_account) and (of_currency = 0 or t.currency = of_currency)
				and (at_seq is null or l.day <> at_day or l.shard <> at_shard or t.seq < at_seq or t.leg > at_leg) order by t.seq desc, t.leg limit most;
			get diagnostics n = row_count;
			most := most - n;
			reads := reads - (high - low + 1)::integer;
			if most <= 0 then
				return;
			elsif reads <= 0 then
				return next (l.day, l.shard, low, 1000000, null, null, null, null, null, null, null)::gateway.posting;
				return;
			end if;
			high := low - 1;
		end loop;
	end loop;
end $$;
comment on function gateway.postings_of_all is 'Legs of all rows of an operator''s players, the newest day first, in a day by shard, in a shard the newest row first, after the leg at_*; closes: those of the daily closes too, which are of all operators. Reads at most so many rows; where there are more, a last line without an account says where to go on.';
