-- A void may name the round's jackpots: then they are taken back with the rest of what the round won.
alter table wallet.void add column awards bigint not null default 0;
comment on column wallet.void.awards is 'Of what was taken and is owed, the jackpots of the round; 0: the order did not name them, so they stayed with the player.';

-- Hits are claimed by the move that opens the round, Jackpot Cards by the one that closes it; a claim belongs to the round of the row that opened it,
-- which wallet.carried keeps.
create function wallet.round_awards(of_player bigint, of_round bigint, of_shard integer, up_to_seq bigint,
	out paid bigint, out unpaid bigint, out seen boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
	select coalesce(sum(c.paid_minor) filter (where c.round = of_round), 0)::bigint, count(*) filter (where c.round = of_round and c.closed_seq is null),
		exists (select from wallet.batch b where b.shard = of_shard and b.last_seq >= up_to_seq)
	from (select k.paid_minor, k.closed_seq, case when k.move = of_round then of_round else coalesce(
			(select j.round from wallet.rows_between(k.shard, k.opened_seq, k.opened_seq, 1) j),
			(select d.round from wallet.carried d where d.shard = k.shard and d.seq = k.opened_seq limit 1)) end as round
		from wallet.claim k where k.player = of_player and k.move >= of_round) c
$$;
comment on function wallet.round_awards is 'The jackpots of a round: what was paid, and how many claims are not paid yet. seen: rows up to up_to_seq of the shard are here, so no claim that an earlier row opened is missing.';
