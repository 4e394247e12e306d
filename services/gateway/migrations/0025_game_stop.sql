-- Operators stop games and start them again by functions that audit in the same transaction. A stop is a row of wallet.switch, which the wallet and the engine read
-- every second; the wallet's table stays the owner's.
create function gateway.game_stop(p_game text, p_operator integer, p_actor text, p_from text, p_request text, p_reason text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	of_game integer := case when p_game = 'all' then 0 else (select g.number from carillon.game g where g.id = p_game limit 1) end;
	code text := 'stopped';
begin
	if of_game is null then
		return 'unknown';
	end if;
	insert into wallet.switch (game, reason, actor) values (of_game, p_reason, p_actor) on conflict do nothing;
	if not found then
		code := 'stopped_already';
	end if;
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_operator, p_from, 'stop', 'game ' || p_game, p_request, jsonb_build_object('game', p_game, 'reason', p_reason),
		case code when 'stopped' then 200 else 409 end);
	return code;
end
$$;
comment on function gateway.game_stop is 'Stops bets on a game, or on all, for all operators: stopped, stopped_already (by an operator; the first reason stands), or unknown.';

create function gateway.game_resume(p_game text, p_operator integer, p_actor text, p_from text, p_request text, p_reason text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	of_game integer := case when p_game = 'all' then 0 else (select g.number from carillon.game g where g.id = p_game limit 1) end;
	was text;
	by_engine text;
begin
	delete from wallet.switch w where w.game = of_game returning w.reason into was;
	select s.reason into by_engine from engine.stopped_game s where s.game = of_game and not exists (select from gateway.game_start g where g.game = s.game and g.time >= s.since);
	if found then
		insert into gateway.game_start (game, operator, actor, reason) values (of_game, p_operator, p_actor, p_reason);
	end if;
	was := coalesce(by_engine, was);
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_operator, p_from, 'start', 'game ' || p_game, p_request, jsonb_strip_nulls(jsonb_build_object('game', p_game, 'reason', p_reason, 'was', was)),
		case when was is null then 409 else 200 end);
	return was;
end
$$;
comment on function gateway.game_resume is 'Ends the stops of a game by operators and by the engine, and returns why it was stopped; null: it was not.';
