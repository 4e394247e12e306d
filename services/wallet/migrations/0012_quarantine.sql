-- Players whom the wallet has set aside, because something stored about them cannot be read. Everybody else plays on.
create table wallet.quarantine (
	player bigint primary key,
	shard integer not null,
	seq bigint not null,
	found text not null,
	since timestamptz not null default now(),
	released timestamptz
);
comment on table wallet.quarantine is 'One row a player who is set aside. The wallet books nothing for them. At the release it loads the account again.';
comment on column wallet.quarantine.seq is 'The newest row of the player in the journal that is known; 0: none. At the release the account is rolled forward to it, for wallet.account may not include it.';
comment on column wallet.quarantine.found is 'What is wrong.';
comment on column wallet.quarantine.released is 'An operator has asked the wallet to try again (jackpotctl quarantine release). The wallet deletes the row when all can be read.';

-- The account of a quarantined player may be behind the checkpoint.
create or replace function wallet.newest_of(of_player bigint, of_shard integer) returns bigint language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
declare
	newest bigint := greatest((select a.last_seq from wallet.account a where a.player = of_player), (select q.seq from wallet.quarantine q where q.player = of_player), 0);
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
