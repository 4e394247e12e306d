-- Whoever decides about a decision by hand is told which withdrawal it is about, in the audit log, too; and while one waits, no other is taken, whoever may take it alone.
create or replace function gateway.amount_audit(p_row gateway.amount_request, p_actor text, p_action text, p_request text, p_status integer)
returns void language sql as $$
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_row.operator, p_actor, p_row.action || p_action, (p_row.player >> 48) || '-' || (p_row.player & 281474976710655), p_request,
		jsonb_strip_nulls(jsonb_build_object('id', encode(p_row.id, 'hex'), 'withdrawal', encode(p_row.hold, 'hex'), 'amount_minor', p_row.amount_minor,
		'currency', p_row.currency, 'status', p_row.status, 'reason', p_row.reason, 'asked_by', p_row.asked_by, 'decided_by', p_row.decided_by,
		'decided_reason', p_row.decided_reason, 'refusal', p_row.refusal)), p_status)
$$;

create or replace function gateway.decision_ask(p_operator integer, p_id bytea, p_content bytea, p_player bigint, p_action text, p_currency integer, p_amount bigint, p_reason text,
	p_command bytea, p_key bytea, p_actor text, p_from text, p_request text, p_within_s bigint, p_alone boolean, p_hold bytea, p_kind integer, p_forced boolean,
	out http integer, out code text, out result gateway.amount_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	verdict text;
	answer record;
begin
	perform pg_advisory_xact_lock(hashtextextended('withdrawal ' || encode(p_hold, 'hex'), 0));
	select * into result from gateway.amount_request a where a.operator = p_operator and a.id = p_id;
	if found and result.content = p_content and result.status = 'waiting' and result.forced <> p_forced then
		http := 422;
		code := 'other_content';
		return;
	elsif not found then
		verdict := gateway.may_decide(p_hold, p_id, p_kind, p_forced, p_command);
		if verdict = 'keep' and exists (select from gateway.amount_request a where a.hold = p_hold and a.status = 'waiting' and a.expires > now()) then
			http := 409;
			code := 'decision_waiting';
			return;
		elsif verdict = 'keep' and p_alone then
			verdict := gateway.decide(p_hold, p_id, p_kind, p_forced, p_command, p_actor, p_request);
		end if;
		if verdict = 'tell' then
			http := 200;
			result.id := p_id;
			result.player := p_player;
			result.command := p_command;
			result.status := 'approved'; -- it is recorded, or the hold is settled: the wallet answers
			return;
		elsif verdict <> 'keep' then
			http := case when verdict = 'other_content' then 422 else 409 end;
			code := gateway.decision_code(verdict);
			return;
		elsif not exists (select from wallet.outside o where o.id = p_id) then
			insert into gateway.amount_request (operator, id, content, player, action, currency, amount_minor, reason, command, status, asked_key, asked_by, expires, hold, kind,
				forced)
			values (p_operator, p_id, p_content, p_player, p_action, p_currency, p_amount, p_reason, p_command, 'waiting', p_key, p_actor,
				now() + p_within_s * interval '1 second', p_hold, p_kind, p_forced) on conflict do nothing returning * into result;
			if found then
				http := 202;
				perform gateway.amount_audit(result, p_from, '', p_request, http);
				return;
			end if;
		end if;
	end if;
	-- Nothing is new: it was asked for before, or the wallet has answered it.
	select * into answer from gateway.amount_ask(p_operator, p_id, p_content, p_player, p_action, p_currency, p_amount, p_reason, p_command, p_key, p_actor, p_from,
		p_request, p_within_s, false);
	http := answer.http;
	code := answer.code;
	result := answer.result;
end
$$;
comment on function gateway.decision_ask is 'Like gateway.amount_ask, of a decision by hand: with p_alone it is kept in gateway.decision, and otherwise by gateway.amount_decide when it is approved. Also 409 payment_asked, provider_has_answered, decided, decision_waiting.';
