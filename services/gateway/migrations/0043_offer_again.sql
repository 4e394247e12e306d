-- The game of bonus spins that wait is kept, so that their approval asks for the offer of this game; and a request that the wallet refused begins anew.
alter table gateway.amount_request add column game text;
comment on column gateway.amount_request.game is 'Of bonus spins: their game. Null: none is meant, or it was asked for before games were kept here.';

create or replace function gateway.amount_ask_offered(p_operator integer, p_id bytea, p_content bytea, p_player bigint, p_action text, p_currency integer, p_amount bigint, p_reason text,
	p_command bytea, p_key bytea, p_actor text, p_from text, p_request text, p_within_s bigint, p_alone boolean, p_game text,
	out http integer, out code text, out result gateway.amount_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	asked record;
begin
	if p_action in ('deposit', 'grant', 'bonus spins') then
		code := gateway.offer_takes(p_operator, p_currency, p_game);
	end if;
	-- What was asked for before, or is booked, is answered as before; what has failed would be tried again.
	if code is not null and not exists (select from gateway.amount_request a where a.operator = p_operator and a.id = p_id and a.status <> 'failed')
		and not exists (select from wallet.outside o where o.id = p_id) then
		http := 403;
		result.operator := p_operator;
		result.id := p_id;
		result.player := p_player;
		result.action := p_action;
		result.currency := p_currency;
		result.amount_minor := p_amount;
		result.reason := p_reason;
		result.status := code;
		perform gateway.amount_audit(result, p_from, '', p_request, http);
		return;
	end if;
	select * into strict asked from gateway.amount_ask(p_operator, p_id, p_content, p_player, p_action, p_currency, p_amount, p_reason, p_command, p_key, p_actor, p_from,
		p_request, p_within_s, p_alone);
	http := asked.http;
	code := asked.code;
	result := asked.result;
	if http = 202 and p_game <> '' and result.game is null then
		update gateway.amount_request a set game = p_game where a.operator = p_operator and a.id = p_id and a.game is null;
		result.game := p_game;
	end if;
end
$$;
comment on function gateway.amount_ask_offered is 'As amount_ask; 403 currency_not_accepted or game_not_offered for a deposit, a grant or bonus spins that the operator''s offer excludes and that were not asked for before, or were refused by the wallet. A request that waits has its game.';

create or replace function gateway.amount_decide_offered(p_operator integer, p_id bytea, p_approve boolean, p_key bytea, p_actor text, p_from text, p_request text, p_reason text,
	out http integer, out code text, out result gateway.amount_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	decided record;
begin
	select * into result from gateway.amount_request a where a.operator = p_operator and a.id = p_id and a.status = 'waiting' and a.expires > now() and a.asked_key <> p_key
		and p_approve and a.action in ('deposit', 'grant', 'bonus spins');
	if found then
		code := gateway.offer_takes(p_operator, result.currency, coalesce(result.game, ''));
	end if;
	if code is not null then
		http := 403;
		perform gateway.amount_audit(result, p_from, ' approval', p_request, http);
		return;
	end if;
	select * into strict decided from gateway.amount_decide(p_operator, p_id, p_approve, p_key, p_actor, p_from, p_request, p_reason);
	http := decided.http;
	code := decided.code;
	result := decided.result;
end
$$;
comment on function gateway.amount_decide_offered is 'As amount_decide; an approval of what the operator does not offer any more gets 403 currency_not_accepted or game_not_offered, and the request goes on waiting.';

create or replace function gateway.csv(list json) returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
	with cells as (
		select r.n as row, c.n as place, c.key, c.value #>> '{}' as text, json_typeof(c.value) = 'string' as is_text
		from json_array_elements(list) with ordinality r (object, n), json_each(r.object) with ordinality c (key, value, n))
	select coalesce((select string_agg(key, ',' order by place) || E'\r\n' from cells where row = 1), '') || coalesce(string_agg(line, '' order by row), '') from (
		select row, string_agg(case when text is null then '' when is_text then '"' || replace(case when text ~ '^[=+@\t\r]|^-(?![0-9]+(\.[0-9]+)?$)' then '''' || text else text end,
			'"', '""') || '"'
			else text end, ',' order by place) || E'\r\n' as line from cells group by row) l
$$;
comment on function gateway.csv is 'A list of objects as CSV (RFC 4180) with a head. A text that begins like a formula gets an apostrophe before it, because a spreadsheet would calculate it; a negative number is none.';
