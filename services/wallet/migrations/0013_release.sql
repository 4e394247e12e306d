-- What a release from quarantine proves about a player: all their rows that are kept are looked at, once.
create function wallet.rows_proof(of_player bigint, of_shard integer, out newest bigint, out limited_by bigint, out claims_of bigint, out closed_by bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
	-- Of rows j.
	proof constant text := $sql$select max(j.seq), min(j.seq) filter (where j.kind = 32 and j.refusal = 0), min(j.seq) filter (where j.claims > 0 and j.claims <>
		(select count(*) from wallet.claim c where c.shard = j.shard and c.opened_seq = j.seq and c.player = j.player)) from %s j where j.shard = $1 and j.player = $2$sql$;
	leaf record;
	found_newest bigint;
	found_limited bigint;
	found_claims bigint;
begin
	newest := 0;
	for leaf in select 'wallet.carried' as name union all select 'wallet.' || quote_ident(wallet.leaf_name(l.shard, l.day)) from wallet.leaf l
		where l.shard = of_shard and l.state <> 'dropped'
	loop
		continue when to_regclass(leaf.name) is null;
		execute format(proof, leaf.name) into found_newest, found_limited, found_claims using of_shard, of_player;
		newest := greatest(newest, found_newest);
		limited_by := least(limited_by, found_limited);
		claims_of := least(claims_of, found_claims);
	end loop;
	closed_by := (select min(c.closed_seq) from wallet.claim c where c.player = of_player and c.closed_seq is not null and
		((select count(*) from wallet.claim d where d.shard = c.shard and d.closed_seq = c.closed_seq) <> 1 or
		not exists (select from wallet.rows_between(of_shard, c.closed_seq, c.closed_seq, 1) j where j.player = of_player and j.kind = 24 and j.refusal = 0) and
		not exists (select from wallet.carried j where j.shard = of_shard and j.seq = c.closed_seq and j.player = of_player and j.kind = 24 and j.refusal = 0)));
end $$;
comment on function wallet.rows_proof is 'For the release of a player from quarantine: the seq of their newest row, 0: none; the oldest row that has set a limit, null: none; the oldest row whose number of claims is not that of its rows in wallet.claim, null: none; the lowest closed_seq of theirs that names no award of theirs, or that of another claim, too, null: none. Reads all their rows, so it is for nothing that players wait for.';
