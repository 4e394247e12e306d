-- What a round of before brought, in one statement however many days are kept: a day each would be one look-up too many for who waits. Closed days have an
-- index by player, and moves only grow: the round's day is the newest whose first move of the player is not behind it. From there on up to the day of the
-- next bet of the game, which may release what was the round's; what no closed day has is found by walking back from a row of the open ones.
create function wallet.round_brought(of_player bigint, of_shard integer, of_round bigint, of_game bigint, from_seq bigint, most bigint,
	out stake bigint, out credited bigint, out bets bigint, out ended boolean, out too_many boolean)
language plpgsql stable as $$
declare
	days constant date[] := array(select l.day from wallet.leaf l where l.shard = of_shard and l.state in ('closed', 'archived') order by l.day desc);
	part constant text := $sql$, w as (select * from b where round >= $3 and game = $4 and kind between 2 and 6 and refusal = 0)
		select coalesce(sum(stake) filter (where kind = 2 and round = $3), 0)::bigint as stake,
		coalesce(sum(case when kind = 2 then win_balance else release + win_balance end) filter (where round = $3), 0)::bigint as credited,
		count(*) filter (where kind = 2 and round = $3) as bets, (select count(*) from b) as n,
		(select n.release from w n where n.kind = 2 and n.move > $3 order by n.move limit 1) as next_release from w $sql$;
	at integer := 1;
	first_move bigint;
	newest bigint;
	p record;
begin
	stake := 0;
	credited := 0;
	bets := 0;
	ended := false;
	too_many := false;
	while at <= cardinality(days) loop
		if newest is null then
			execute format('select move from wallet.%I where player = $1 and move > 0 order by seq desc limit 1', wallet.leaf_name(of_shard, days[at]))
				into newest using of_player;
		end if;
		if newest is not null then
			execute format('select move from wallet.%I where player = $1 and move > 0 order by seq limit 1', wallet.leaf_name(of_shard, days[at]))
				into first_move using of_player;
			exit when first_move <= of_round;
		end if;
		at := at + 1;
	end loop;
	if at > cardinality(days) then
		at := 0; -- of no day that is closed and kept
	end if;
	while at > 0 and not ended loop
		execute format('with b as (select * from wallet.%I where player = $1 and shard = $2)', wallet.leaf_name(of_shard, days[at])) || part
			into p using of_player, of_shard, of_round, of_game;
		stake := stake + p.stake;
		credited := credited + p.credited + coalesce(p.next_release, 0);
		bets := bets + p.bets;
		ended := p.next_release is not null;
		at := at - 1;
	end loop;
	if ended then
		return;
	end if;
	execute 'with b as (select * from wallet.rows_back($1, $2, $5, $6, greatest($7, $3)) r where $8 is null or r.day > $8)' || part
		into p using of_player, of_shard, of_round, of_game, from_seq, most, newest, days[1];
	stake := stake + p.stake;
	credited := credited + p.credited + coalesce(p.next_release, 0);
	bets := bets + p.bets;
	ended := p.next_release is not null;
	too_many := p.n >= most;
end $$;
comment on function wallet.round_brought is 'Of a round: its stake, what it brought to the balance with what the next bet of its game released, how many bets began it (1; 0: it is not among the days kept here), whether that next bet was met. Open days are walked back from from_seq, at most so many rows; too_many: that was not enough.';
