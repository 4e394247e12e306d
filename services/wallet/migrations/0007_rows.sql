-- Rows of the journal by account and by seq, leaf by leaf. A query of wallet.journal itself is planned for every leaf that is attached, which with a year
-- of days takes longer than reading the rows; these name the leaf, so that a read costs the same however many days are kept.
create function wallet.leaf_name(of_shard integer, of_day date) returns text language sql immutable as $$
	select 'journal_' || of_shard || to_char(of_day, '_YYYYMMDD')
$$;

create function wallet.rows_back(of_player bigint, of_shard integer, from_seq bigint, most bigint, down_to bigint) returns setof wallet.journal
language plpgsql stable as $$
declare
	at_seq bigint := from_seq;
	at_day date := wallet.day_of(of_shard, from_seq);
	leaf text;
	met boolean;
	r wallet.journal;
begin
	while at_seq > 0 and most > 0 loop
		leaf := wallet.leaf_name(of_shard, at_day);
		exit when leaf is null or to_regclass('wallet.' || leaf) is null;
		met := false;
		for r in execute format($sql$
			with recursive w as (select j.* from wallet.%1$I j where j.shard = $1 and j.seq = $2
			union all select j.* from w, lateral (select * from wallet.%1$I b where b.shard = $1 and b.seq = w.prev_seq and w.prev_day = $3 limit 1) j)
			select * from w limit $4 $sql$, leaf) using of_shard, at_seq, at_day, most
		loop
			if r.player <> of_player then
				return;
			end if;
			met := true;
			return next r;
			most := most - 1;
			if r.kind = 2 and r.move <= down_to then
				return;
			end if;
			at_seq := r.prev_seq;
			at_day := r.prev_day;
		end loop;
		exit when not met;
	end loop;
end $$;
comment on function wallet.rows_back is 'Rows of an account from one on backwards, newest first: at most so many, and none behind the first bet of a move up to down_to. Ends where the days end that are kept here.';

create function wallet.rows_between(of_shard integer, first bigint, last bigint, most bigint) returns setof wallet.journal
language plpgsql stable as $$
declare
	leaf record;
	n bigint;
begin
	for leaf in select wallet.leaf_name(l.shard, l.day) as name from wallet.leaf l where l.shard = of_shard and l.first_seq <= last
		and (l.last_seq is null or l.last_seq >= first) order by l.first_seq
	loop
		exit when most <= 0;
		continue when to_regclass('wallet.' || leaf.name) is null;
		return query execute format('select * from wallet.%I where shard = $1 and seq between $2 and $3 order by seq limit $4', leaf.name)
			using of_shard, first, last, most;
		get diagnostics n = row_count;
		most := most - n;
	end loop;
end $$;
comment on function wallet.rows_between is 'Rows first..last of a shard in order, at most so many; those of dropped days are left out.';

create function wallet.newest_of(of_player bigint, of_shard integer) returns bigint language plpgsql stable as $$
declare
	newest bigint := coalesce((select a.last_seq from wallet.account a where a.player = of_player), 0);
	behind bigint := coalesce((select b.checkpoint from wallet.batch b where b.shard = of_shard order by b.batch desc limit 1), 0);
	leaf record;
	found_seq bigint;
begin
	for leaf in select wallet.leaf_name(l.shard, l.day) as name from wallet.leaf l where l.shard = of_shard and (l.last_seq is null or l.last_seq > behind)
		and l.day >= coalesce(wallet.day_of(of_shard, behind), '-infinity')
	loop
		execute format('select max(seq) from wallet.%I where shard = $1 and seq > $2 and player = $3', leaf.name) into found_seq using of_shard, behind, of_player;
		newest := greatest(newest, found_seq);
	end loop;
	return newest;
end $$;
comment on function wallet.newest_of is 'The newest row of an account: of wallet.account, or of the last second''s rows, which it may not know yet. 0: none.';
