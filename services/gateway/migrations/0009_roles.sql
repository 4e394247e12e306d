-- The gateway sets rates and decisions by functions of the owner alone, which compare and audit in the same transaction; and it reads journal rows
-- without the engine's record of a move, which holds the salts of secrets that are not told yet.
alter function gateway.fx_ask(integer, bytea, bytea, bytea, text, text, integer, bigint, timestamptz, text, integer) security definer set search_path = pg_catalog, pg_temp;
alter function gateway.fx_approve(integer, bytea, bytea, text, text) security definer set search_path = pg_catalog, pg_temp;
alter function gateway.decide(bytea, bytea, integer, boolean, bytea, text, text) security definer set search_path = pg_catalog, pg_temp;
alter function gateway.played_since(bigint, integer, timestamptz, integer) security definer set search_path = pg_catalog, pg_temp;

create function gateway.rows_back(of_player bigint, of_shard integer, from_seq bigint, most bigint, down_to bigint) returns setof wallet.journal
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
	r wallet.journal;
begin
	for r in select * from wallet.rows_back(of_player, of_shard, from_seq, most, down_to) loop
		if r.kind between 1 and 6 or r.kind = 8 then
			r.record := null;
		end if;
		return next r;
	end loop;
end $$;
comment on function gateway.rows_back is 'wallet.rows_back without the records of moves.';

create function gateway.void_row(of_shard integer, of_seq bigint, out request_id bytea, out record bytea)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
	select j.request_id, j.record from (select * from wallet.rows_between(of_shard, of_seq, of_seq, 1)
		union all select * from wallet.carried c where c.shard = of_shard and c.seq = of_seq) j where j.kind = 7
$$;
comment on function gateway.void_row is 'Id and record of the row of a void; nulls: its day was dropped.';
