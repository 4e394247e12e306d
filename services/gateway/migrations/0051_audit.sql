-- The audit log by time, so that a page between two times is found at once; and what was before in the lines of changes that functions make.
create index audit_time on gateway.audit (operator, time, id);

create or replace function gateway.game_stop(p_game text, p_operator integer, p_actor text, p_from text, p_request text, p_reason text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	of_game integer := case when p_game = 'all' then 0 else (select g.number from carillon.game g where g.id = p_game limit 1) end;
	code text := 'stopped';
	was wallet.switch;
begin
	if of_game is null then
		return 'unknown';
	end if;
	insert into wallet.switch (game, reason, actor) values (of_game, p_reason, p_actor) on conflict do nothing;
	if not found then
		code := 'stopped_already';
		select * into was from wallet.switch w where w.game = of_game;
	end if;
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_operator, p_from, 'stop', 'game ' || p_game, p_request, jsonb_build_object('game', p_game, 'reason', p_reason,
		'before', jsonb_build_object('stopped_by_operator', code <> 'stopped') || case when code = 'stopped' then '{}' else jsonb_build_object('reason', was.reason, 'actor', was.actor) end,
		'after', jsonb_build_object('stopped_by_operator', true) || case when code = 'stopped' then jsonb_build_object('reason', p_reason, 'actor', p_actor)
			else jsonb_build_object('reason', was.reason, 'actor', was.actor) end),
		case code when 'stopped' then 200 else 409 end);
	return code;
end
$$;

create or replace function gateway.game_resume(p_game text, p_operator integer, p_actor text, p_from text, p_request text, p_reason text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	of_game integer := case when p_game = 'all' then 0 else (select g.number from carillon.game g where g.id = p_game limit 1) end;
	was text;
	switched wallet.switch;
	by_engine text;
begin
	delete from wallet.switch w where w.game = of_game returning w.* into switched;
	was := switched.reason;
	select s.reason into by_engine from engine.stopped_game s where s.game = of_game and not exists (select from gateway.game_start g where g.game = s.game and g.time >= s.since);
	if found then
		insert into gateway.game_start (game, operator, actor, reason) values (of_game, p_operator, p_actor, p_reason);
	end if;
	was := coalesce(by_engine, was);
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_operator, p_from, 'start', 'game ' || p_game, p_request, jsonb_strip_nulls(jsonb_build_object('game', p_game, 'reason', p_reason, 'was', was,
		'before', jsonb_build_object('stopped_by_operator', switched.game is not null, 'stopped_by_engine', by_engine is not null, 'reason', switched.reason, 'actor', switched.actor,
			'reason_of_engine', by_engine),
		'after', jsonb_build_object('stopped_by_operator', false, 'stopped_by_engine', false))),
		case when was is null then 409 else 200 end);
	return was;
end
$$;

create function gateway.webhook_was(of_operator integer, of_webhook integer) returns table (id integer, url text, kinds text, version integer) language sql volatile security definer
set search_path = pg_catalog, pg_temp as $$
	select h.id, h.url, array_to_string(h.kinds, ','), h.version from gateway.webhook h where h.operator = of_operator and h.id = of_webhook and h.ended is null for update
$$;
comment on function gateway.webhook_was is 'A webhook as it is before the change that follows in the same transaction: it stays locked until then.';

create function gateway.key_was(of_operator integer, of_id text, out id text, out expires timestamptz) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	perform pg_advisory_xact_lock(7283, of_operator);
	id := of_id;
	select k.expires into expires from gateway.operator_key k where k.operator = of_operator and left(encode(k.digest, 'hex'), 8) = of_id and k.revoked is null
		and coalesce(k.expires > now(), true) for update;
end
$$;
comment on function gateway.key_was is 'When a key in force was to end before the change that follows in the same transaction: it stays locked until then. id: as asked for, whether or not there is such a key.';

create function gateway.gaming_day_change(of_operator integer, of_zone text, hour integer, from_day date, of_actor text, out how text, out zone text, out start_hour integer)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	perform pg_advisory_xact_lock(7284, of_operator);
	select d.zone, d.start_hour into zone, start_hour from gateway.gaming_day d where d.operator = of_operator and d.valid_from <= from_day order by d.valid_from desc limit 1;
	zone := coalesce(zone, 'UTC');
	start_hour := coalesce(start_hour, 0);
	how := gateway.gaming_day_set(of_operator, of_zone, hour, from_day, of_actor);
end
$$;
comment on function gateway.gaming_day_change is 'As gaming_day_set, in how; zone and start_hour are what would have held on that day without it.';
