-- Who is asked to approve may refuse, too: actions on pools and exchange rates. What is refused is never carried out; approved_by names who refused it.
alter table gateway.pool_request drop constraint pool_request_status_check, add constraint pool_request_status_check check (status in ('waiting', 'approved', 'refused'));
alter table gateway.fx_request drop constraint fx_request_status_check, add constraint fx_request_status_check check (status in ('set', 'waiting', 'refused'));
comment on column gateway.pool_request.approved_by is 'Who decided: approved or refused it.';
comment on column gateway.fx_request.approved_by is 'Who decided: approved or refused it. Of a refused rate, approved stays null.';

create or replace function gateway.fx_approve(p_operator integer, p_id bytea, p_key bytea, p_actor text, p_request text,
	out http integer, out code text, out result gateway.fx_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	lock table gateway.fx_request in share row exclusive mode;
	select * into result from gateway.fx_request where operator = p_operator and id = p_id;
	if not found then
		http := 404;
		code := 'rate_unknown';
		return;
	elsif result.status = 'set' then
		http := 200; -- done before, or nothing was to be approved
		return;
	elsif result.status = 'refused' then
		http := 409;
		code := 'approval_decided';
		return;
	elsif result.asked_key = p_key then
		http := 403;
		code := 'same_approver';
	elsif exists (select from carillon.fx_rate f where f.currency = result.currency and f.valid_from = result.valid_from) then
		http := 409;
		code := 'rate_exists';
	end if;
	if http is null then
		http := 200;
		result.valid_from := greatest(result.valid_from, clock_timestamp()); -- it never held before it was approved
		result.status := 'set';
		result.approved_key := p_key;
		result.approved_by := p_actor;
		result.approved := now();
		update gateway.fx_request r set valid_from = result.valid_from, status = 'set', approved_key = p_key, approved_by = p_actor, approved = now()
			where r.operator = p_operator and r.id = p_id;
		insert into carillon.fx_rate (currency, rate_nano, valid_from, request) values (result.currency, result.rate_nano, result.valid_from, p_id);
	end if;
	perform gateway.fx_audit(p_operator, p_actor, 'fx-rate approval', p_request, http, result);
end
$$;

create function gateway.fx_refuse(p_operator integer, p_id bytea, p_key bytea, p_actor text, p_request text, p_reason text,
	out http integer, out code text, out result gateway.fx_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	lock table gateway.fx_request in share row exclusive mode;
	select * into result from gateway.fx_request where operator = p_operator and id = p_id;
	if not found then
		http := 404;
		code := 'rate_unknown';
		return;
	elsif result.asked_key = p_key then
		http := 403;
		code := 'same_approver';
	elsif result.status = 'set' then
		http := 409;
		code := 'approval_decided';
		return;
	elsif result.status = 'refused' then
		http := 200;
		return;
	else
		http := 200;
		update gateway.fx_request r set status = 'refused', approved_key = p_key, approved_by = p_actor where r.operator = p_operator and r.id = p_id
			returning * into result;
	end if;
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_operator, p_actor, 'fx-rate refusal', 'currency ' || result.currency, p_request, jsonb_build_object('id', encode(result.id, 'hex'),
		'currency', result.currency, 'rate_nano', result.rate_nano, 'status', result.status, 'asked_by', result.asked_by, 'reason', p_reason), http);
end
$$;
comment on function gateway.fx_refuse is 'Refuses a rate that waits; the key must be another than the one that asked. http: 200 (also the same again), 403 same_approver, 404 rate_unknown, 409 approval_decided.';
