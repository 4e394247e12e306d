-- A round is voided when what it has won is paid: the gateway asks for its open claims before it asks for the void.
create function gateway.claims_open(of_player bigint, of_round bigint) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
	select count(*) from wallet.claim c, lateral (select j.round from wallet.rows_between(c.shard, c.opened_seq, c.opened_seq, 1) j
		union all select k.round from wallet.carried k where k.shard = c.shard and k.seq = c.opened_seq) o
	where c.player = of_player and c.closed_seq is null and o.round = of_round
$$;
comment on function gateway.claims_open is 'How many claims of a round are not paid yet.';
