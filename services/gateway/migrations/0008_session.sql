-- Sessions: those that ended before their token expires, and the interval of the reality check.
create table gateway.revoked (
	number bigint generated always as identity primary key,
	session bytea not null unique check (length(session) = 16),
	player bigint not null,
	expires timestamptz not null,
	time timestamptz not null default now()
);
comment on table gateway.revoked is 'Tokens that are refused although they have not expired: their players have logged out. Every gateway and every instance of notifications reads new rows four times a second. A row is deleted some time after the token would have expired.';
comment on column gateway.revoked.session is 'The first 16 bytes of the SHA-256 of the token.';
create index revoked_expires on gateway.revoked (expires);

alter table gateway.player add column reality_check_s integer check (reality_check_s = 0 or reality_check_s between 60 and 86400);
comment on column gateway.player.reality_check_s is 'Seconds of play after which the player is reminded of the time and of what they have won or lost; 0: never; null: the default.';

-- What a player has staked and got back since a time, for the clock of a session. Reads the account's rows of that time and no others.
create function gateway.played_since(of_player bigint, of_shard integer, since timestamptz, most integer, out rounds bigint, out staked bigint,
	out returned bigint, out whole boolean)
language plpgsql stable as $$
declare
	at_seq bigint := wallet.newest_of(of_player, of_shard);
	later boolean := false; -- a move behind the row
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
			elsif r.refusal = 0 and r.kind = 24 and (later or exists (select from wallet.claim c where c.player = of_player
				and c.closed_seq = r.seq and c.kind = 2)) then
				returned := returned + r.amount;
			end if;
			later := later or r.move > 0;
		end loop;
		if not met then
			whole := false;
			return;
		end if;
	end loop;
end $$;
comment on function gateway.played_since is 'Rounds, stakes, and what came to the balance from play since a time; a progressive jackpot counts from the player''s next move on, because they may not have seen it before. Looks at so many rows at most: whole is false where there are more, or where some are in the archive only.';
