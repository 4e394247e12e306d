-- Withdrawals above GATEWAY_APPROVE_ABOVE need two, like other amounts: the request to hold one, and a decision by hand about one. A decision is taken by its approval, not before.
alter table gateway.amount_request add column hold bytea check (length(hold) = 16), add column kind integer check (kind in (29, 30)), add column forced boolean not null default false;
comment on table gateway.amount_request is 'Deposits, withdrawals, decisions by hand about them, corrections, grants and bonus spins above GATEWAY_APPROVE_ABOVE. waiting: nothing has been done; approved: the wallet is told until it has decided; booked, failed: what the wallet has decided. A waiting one that has expired can be approved no more.';
comment on column gateway.amount_request.hold is 'Of a decision by hand: the withdrawal. Null: it is none.';
comment on column gateway.amount_request.kind is 'Of a decision by hand: as in gateway.decision.';
comment on column gateway.amount_request.forced is 'Of a decision by hand: as in gateway.decision.';

create or replace function gateway.amount_audit(p_row gateway.amount_request, p_actor text, p_action text, p_request text, p_status integer)
returns void language sql as $$
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_row.operator, p_actor, p_row.action || p_action, (p_row.player >> 48) || '-' || (p_row.player & 281474976710655), p_request,
		jsonb_strip_nulls(jsonb_build_object('id', encode(p_row.id, 'hex'), 'withdrawal', encode(p_row.hold, 'hex'), 'amount_minor', p_row.amount_minor,
		'currency', p_row.currency, 'status', p_row.status, 'reason', p_row.reason, 'asked_by', p_row.asked_by, 'decided_by', p_row.decided_by,
		'decided_reason', p_row.decided_reason, 'refusal', p_row.refusal)), p_status)
$$;

-- gateway.decide is now this question, and the row that keeps the decision.
create function gateway.may_decide(p_hold bytea, p_id bytea, p_kind integer, p_forced boolean, p_command bytea)
returns text language plpgsql as $$
declare
	known gateway.decision;
	outcome_known integer;
	was_asked boolean;
begin
	if exists (select from wallet.hold h where h.id = p_hold and h.settled_kind <> 0) then
		return 'tell'; -- the wallet says how it was settled, or what it has answered before
	end if;
	select * into known from gateway.decision d where d.hold = p_hold;
	if found then
		return case when known.kind <> p_kind then 'decided' when known.id = p_id and known.command <> p_command then 'other_content' else 'tell' end;
	end if;
	select p.outcome, p.asked into outcome_known, was_asked from payments.payout p where p.id = p_hold;
	if outcome_known <> 0 and outcome_known <> p_kind - 28 then
		return 'answered';
	end if;
	if outcome_known = 0 and was_asked and not p_forced then
		return 'asked';
	end if;
	return 'keep';
end
$$;
comment on function gateway.may_decide is 'Whether a decision by hand may be taken, for whoever has the lock of the withdrawal: keep it; tell the wallet, nothing is to be kept; asked, answered, decided, other_content: it may not.';

create or replace function gateway.decide(p_hold bytea, p_id bytea, p_kind integer, p_forced boolean, p_command bytea, p_actor text, p_request text)
returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	verdict text;
begin
	perform pg_advisory_xact_lock(hashtextextended('withdrawal ' || encode(p_hold, 'hex'), 0));
	verdict := gateway.may_decide(p_hold, p_id, p_kind, p_forced, p_command);
	if verdict = 'keep' then
		insert into gateway.decision (hold, id, kind, forced, command, actor, request_id)
		values (p_hold, p_id, p_kind, p_forced, p_command, p_actor, p_request);
		return 'tell';
	end if;
	return verdict;
end
$$;

create function gateway.decision_code(p_verdict text)
returns text language sql as $$
	select case p_verdict when 'asked' then 'payment_asked' when 'answered' then 'provider_has_answered' else p_verdict end
$$;
comment on function gateway.decision_code is 'The code of the error for a refusal of may_decide.';

create function gateway.decision_ask(p_operator integer, p_id bytea, p_content bytea, p_player bigint, p_action text, p_currency integer, p_amount bigint, p_reason text,
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

create or replace function gateway.amount_decide(p_operator integer, p_id bytea, p_approve boolean, p_key bytea, p_actor text, p_from text, p_request text, p_reason text,
	out http integer, out code text, out result gateway.amount_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	verdict text := 'tell';
begin
	select * into result from gateway.amount_request a where a.operator = p_operator and a.id = p_id for update;
	if not found then
		http := 404;
		code := 'approval_unknown';
		return;
	elsif result.asked_key = p_key then
		http := 403;
		code := 'same_approver';
	elsif result.status <> 'waiting' then
		http := case when p_approve = (result.status <> 'refused') then 200 else 409 end;
		code := case when http = 409 then 'approval_decided' end;
		return;
	elsif result.expires <= now() then
		http := 409;
		code := 'approval_expired';
	else
		if p_approve and result.hold is not null then
			verdict := gateway.decide(result.hold, result.id, result.kind, result.forced, result.command, result.asked_by || ', approved by ' || p_actor, p_request);
		end if;
		if verdict = 'tell' then
			http := 200;
			update gateway.amount_request a set status = case when p_approve then 'approved' else 'refused' end, decided_key = p_key, decided_by = p_actor,
				decided_reason = p_reason, decided = now(), told = now() where a.operator = p_operator and a.id = p_id returning * into result;
		else
			http := 409; -- it waits on: the provider's answer may still allow it
			code := gateway.decision_code(verdict);
		end if;
	end if;
	perform gateway.amount_audit(result, p_from, case when p_approve then ' approval' else ' refusal' end, p_request, http);
end
$$;
comment on function gateway.amount_decide is 'Approves or refuses a waiting request; the key must be another than the one that asked. An approved decision by hand is kept in gateway.decision in the same transaction. http: 200 (also the same decision again), 403 same_approver, 404 approval_unknown, 409 approval_decided, approval_expired, or for a decision by hand payment_asked, provider_has_answered, decided.';
