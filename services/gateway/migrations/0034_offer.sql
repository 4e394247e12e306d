-- What each operator offers its players: games and currencies. An operator without a row offers all, so an upgrade changes nothing.
create table gateway.offer (
	operator integer primary key,
	games text check (games ~ '^[a-z0-9_-]{1,31}(,[a-z0-9_-]{1,31})*$'),
	currencies text check (currencies ~ '^[A-Z]{3,7}(,[A-Z]{3,7})*$'),
	numbers integer[],
	changed timestamptz not null default now(),
	changed_by text not null default '',
	reason text not null default ''
);
comment on table gateway.offer is 'Settings of operators, written by gateway.offer_set alone. The gateways read them every second.';
comment on column gateway.offer.games is 'The games that the operator''s players may play, bewitched,mona-lisa; null: all. An open round of another game can be finished.';
comment on column gateway.offer.currencies is 'The currencies in which new accounts are opened and deposits taken, EUR,SEK; null: all. Accounts that are there can be played with and paid out.';
comment on column gateway.offer.numbers is 'The same currencies as ISO 4217 numbers, as bookings name them.';

create function gateway.offer_set(p_operator integer, p_games text, p_currencies text, p_numbers integer[], p_actor text, p_from text, p_request text, p_reason text,
	out missing text, out games text, out currencies text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	was gateway.offer;
begin
	select g into missing from unnest(string_to_array(p_games, ',')) g where p_games <> 'all' and not exists (select from carillon.game c where c.id = g) limit 1;
	if missing is not null then
		return;
	end if;
	insert into gateway.offer (operator) values (p_operator) on conflict do nothing;
	select * into strict was from gateway.offer o where o.operator = p_operator for update;
	games := case when p_games is null then was.games else nullif(p_games, 'all') end;
	currencies := case when p_currencies is null then was.currencies else nullif(p_currencies, 'all') end;
	update gateway.offer o set games = offer_set.games, currencies = offer_set.currencies,
		numbers = case when p_currencies is null then was.numbers when p_currencies = 'all' then null else p_numbers end,
		changed = now(), changed_by = p_actor, reason = p_reason where o.operator = p_operator;
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_operator, p_from, 'offer', 'operator ' || p_operator, p_request, jsonb_build_object('reason', p_reason,
		'before', jsonb_build_object('games', coalesce(was.games, 'all'), 'currencies', coalesce(was.currencies, 'all')),
		'after', jsonb_build_object('games', coalesce(games, 'all'), 'currencies', coalesce(currencies, 'all'))), 200);
end
$$;
comment on function gateway.offer_set is 'Sets what an operator offers. A list that is null stays as it is, all: everything. missing: a game that does not exist; nothing was changed. Returns the lists in force, null for all.';

create function gateway.offer_takes(p_operator integer, p_currency integer, p_game text) returns text language sql stable as $$
	select case when p_currency <> all (o.numbers) then 'currency_not_accepted'
		when p_game <> '' and p_game <> all (string_to_array(o.games, ',')) then 'game_not_offered' end
	from gateway.offer o where o.operator = p_operator
$$;
comment on function gateway.offer_takes is 'Null: the operator offers this currency and this game (empty: none is meant). Else the code of the refusal.';

alter table gateway.amount_request add column game text;
comment on column gateway.amount_request.game is 'Of bonus spins: their game. Null: none is meant, or it was asked for before this column was there.';

create function gateway.amount_ask_offered(p_operator integer, p_id bytea, p_content bytea, p_player bigint, p_action text, p_currency integer, p_amount bigint, p_reason text,
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

create function gateway.amount_decide_offered(p_operator integer, p_id bytea, p_approve boolean, p_key bytea, p_actor text, p_from text, p_request text, p_reason text,
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
