-- A player's history. A day that is closed keeps what a history shows in the order of player: its index by player holds these columns too, so that a page
-- is read from one place in the index and no row of the leaf is looked at. The index is made from the rows by Postgres itself; nothing is copied, and the
-- proof of the rows stays what it was. Days that were closed earlier keep their narrow index: they are read by it, row by row, until they are dropped.
create or replace function wallet.leaf_close(of_shard integer, of_day date) returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
	leaf wallet.leaf;
	last wallet.batch;
	name text := format('journal_%s', of_shard) || to_char(of_day, '_YYYYMMDD');
	n bigint;
	sums jsonb;
begin
	select * into leaf from wallet.leaf where shard = of_shard and day = of_day for update;
	if leaf.state is distinct from 'open' then
		return leaf.rows;
	end if;
	select b.* into last from wallet.batch b where b.shard = of_shard and b.day = of_day order by b.batch desc limit 1;
	if not exists (select from wallet.batch b where b.shard = of_shard and b.batch >= last.batch and b.checkpoint >= last.last_seq) then
		raise exception 'leaf of shard %, day %: found rows behind the last checkpoint, expected none', of_shard, of_day;
	end if;
	execute format('select count(*) from wallet.%I', name) into n;
	if n <> last.last_seq - leaf.first_seq + 1 then
		raise exception 'leaf of shard %, day %: found % rows, expected % to %', of_shard, of_day, n, leaf.first_seq, last.last_seq;
	end if;
	execute format('select coalesce(jsonb_object_agg(tally, sum), ''{}'') from (select tally, sum(stake) from wallet.%I j, unnest(j.tallies) tally group by tally) s',
		name) into sums;
	execute format('create index if not exists %I on wallet.%I (player, seq) include (kind, move, round, game, mode, refusal, release, stake, win_balance, '
		'win_pending, forfeit, amount, balance_after, pending_after, prev_seq, prev_day, claims, time, outside_id)', name || '_player', name);
	-- Nothing of the leaf changes any more. Vacuumed and frozen once, at the next turn of autovacuum, its index is read without a look at the rows. A vacuum
	-- that an old snapshot held up leaves rows unfrozen: the age makes another.
	execute format('alter table wallet.%I set (autovacuum_vacuum_insert_threshold = 0, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_freeze_min_age = 0, '
		'autovacuum_freeze_table_age = 0, autovacuum_freeze_max_age = 10000000)', name);
	-- Short statistics of these two stay in their rows: planning a read looks at nothing else.
	execute format('alter table wallet.%I alter column player set statistics 10, alter column seq set statistics 10', name);
	execute format('analyze wallet.%I', name);
	update wallet.leaf set state = 'closed', last_seq = last.last_seq, last_batch = last.batch, head = last.digest, rows = n, tallies = sums, closed = now()
	where shard = of_shard and day = of_day;
	return n;
end $$;

create function wallet.history_rows(of_player bigint, of_shard integer, from_seq bigint, most bigint, down_to bigint) returns table (seq bigint, kind integer,
	move bigint, round bigint, game integer, mode integer, refusal integer, release bigint, stake bigint, win_balance bigint, win_pending bigint, forfeit bigint,
	amount bigint, balance_after bigint, pending_after bigint, prev_seq bigint, claims integer, "time" timestamptz, bonus_spin boolean, award_move bigint,
	award_index integer, award_pool integer, cards bigint, archived boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
	-- Of a row j. The columns of the closed leaf's index and no others, or its rows would be looked at.
	shown constant text := $sql$ j.seq, j.kind, j.move, j.round, j.game, j.mode, j.refusal, j.release, j.stake, j.win_balance, j.win_pending, j.forfeit, j.amount,
		j.balance_after, j.pending_after, j.prev_seq, j.claims, j."time", j.kind = 2 and j.outside_id is not null, a.move, a.index, a.pool, case when j.kind = 24
		then (a.kind = 2)::integer::bigint when j.claims > 0 then (select count(*) from wallet.claim c where c.player = $1 and c.move = j.move and c.kind = 2)
		else 0 end, j.prev_day $sql$;
	kept constant text := 'j.seq, j.kind, j.move, j.round, j.game, j.mode, j.refusal, j.release, j.stake, j.win_balance, j.win_pending, j.forfeit, j.amount, '
		'j.balance_after, j.pending_after, j.prev_seq, j.prev_day, j.claims, j."time", j.outside_id';
	-- What an award paid for is asked of its claim, and of awards only.
	award constant text := $sql$ left join lateral (select c.move, c.index, c.pool, c.kind from wallet.claim c
		where j.kind = 24 and c.shard = $2 and c.closed_seq = j.seq limit 1) a on true $sql$;
	at_seq bigint := from_seq;
	at_day date;
	at_state text;
	leaf text;
	part text;
	met boolean;
	before_day date;
begin
	select l.day, l.state into at_day, at_state from wallet.leaf l where l.shard = of_shard and l.first_seq <= from_seq order by l.first_seq desc limit 1;
	while at_seq > 0 and most > 0 and at_state is distinct from 'dropped' loop
		leaf := wallet.leaf_name(of_shard, at_day);
		exit when leaf is null or to_regclass('wallet.' || leaf) is null;
		if at_state <> 'open' then
			part := format('select %s from wallet.%I j %s where j.player = $1 and j.seq <= $3 order by j.seq desc limit $5', shown, leaf, award);
		else
			part := format($sql$with recursive w as (select %1$s from wallet.%2$I j where j.shard = $2 and j.seq = $3 and j.player = $1
				union all select %1$s from w, lateral (select * from wallet.%2$I b where b.shard = $2 and b.seq = w.prev_seq and w.prev_day = $4 limit 1) j)
				select %3$s from w j %4$s limit $5$sql$, kept, leaf, shown, award);
		end if;
		met := false;
		before_day := at_day;
		for seq, kind, move, round, game, mode, refusal, release, stake, win_balance, win_pending, forfeit, amount, balance_after, pending_after, prev_seq, claims,
			"time", bonus_spin, award_move, award_index, award_pool, cards, before_day
		in execute part using of_player, of_shard, at_seq, before_day, most
		loop
			met := true;
			if before_day is distinct from at_day then
				at_day := before_day;
				select l.state into at_state from wallet.leaf l where l.shard = of_shard and l.day = at_day;
			end if;
			archived := coalesce(at_state = 'dropped', false);
			return next;
			most := most - 1;
			if kind = 2 and move <= down_to then
				return;
			end if;
			at_seq := prev_seq;
		end loop;
		exit when not met;
	end loop;
end $$;
comment on function wallet.history_rows is 'Rows of an account from one on backwards, newest first, without what only the engine may read: at most so many, and none behind the first bet of a move up to down_to. Of an award it names the claim''s move, index and pool; cards: claims of Jackpot Cards of the row. archived: the row before it is in the archive only.';

create function wallet.history_start(of_player bigint, of_shard integer, until timestamptz) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
	leaf record;
	later text;
	met bigint;
	context bigint;
begin
	if exists (select from wallet.leaf l where l.shard = of_shard and l.state = 'open' and l.day <= (until at time zone 'UTC')::date) then
		return wallet.newest_of(of_player, of_shard);
	end if;
	for leaf in select wallet.leaf_name(l.shard, l.day) as name, l.day <= (until at time zone 'UTC')::date as within from wallet.leaf l
		where l.shard = of_shard and l.state in ('closed', 'archived') order by l.day desc
	loop
		if not leaf.within then
			later := leaf.name;
			continue;
		end if;
		execute format('select seq from wallet.%I where player = $1 order by seq desc limit 1', leaf.name) into met using of_player;
		exit when met is not null;
	end loop;
	if met is null then
		return 0;
	end if;
	-- Some rows of the day after say how the last rounds of this one ended.
	if later is not null then
		execute format('select max(seq) from (select seq from wallet.%I where player = $1 order by seq limit 30) s', later) into context using of_player;
	end if;
	return coalesce(context, met);
end $$;
comment on function wallet.history_start is 'The row at which a history of an account up to a time begins to be read: where that day is closed, near its last row of that day, else the newest. 0: there is none.';
