-- The result of a session tells of no jackpot that the player has not seen won, in whichever game they play meanwhile.
drop function gateway.played_since(bigint, integer, timestamptz, integer);
create function gateway.played_since(of_player bigint, of_shard integer, since timestamptz, most integer, unseen bigint[], next_move bigint,
	out rounds bigint, out staked bigint, out returned bigint, out whole boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
	at_seq bigint := wallet.newest_of(of_player, of_shard);
	met boolean;
	r wallet.journal;
begin
	rounds := 0;
	staked := 0;
	returned := 0;
	whole := true;
	while at_seq > 0 loop
		met := false;
		for r in select * from wallet.rows_back(of_player, of_shard, at_seq, 50, 0) loop
			met := true;
			if r.time < since then
				return;
			end if;
			if most <= 0 then
				whole := false;
				return;
			end if;
			most := most - 1;
			at_seq := r.prev_seq;
			if r.refusal = 0 and r.kind between 2 and 7 then
				returned := returned + r.release + r.win_balance - case when r.kind = 7 then r.stake else 0 end;
				if r.kind = 2 then
					rounds := rounds + 1;
					staked := staked + r.stake;
				end if;
			elsif r.refusal = 0 and r.kind = 24 and exists (select from wallet.claim c where c.player = of_player and c.closed_seq = r.seq
				and (c.kind = 2 or (c.move < next_move and c.move <> all (unseen)))) then
				returned := returned + r.amount;
			end if;
		end loop;
		if not met then
			whole := false;
			return;
		end if;
	end loop;
end $$;
comment on function gateway.played_since is 'Rounds, stakes, and what came to the balance from play since a time, without progressive jackpots of the rounds in unseen and of rounds from next_move on: the player may not have seen them. Looks at so many rows at most: whole is false where there are more, or where some are in the archive only.';
