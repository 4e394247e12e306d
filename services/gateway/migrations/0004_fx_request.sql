-- Exchange rates as operators set them: each request once, with what it replaces; a jump waits for a second key. A function does the whole of it in
-- one transaction: look up the id, compare, write the rate and the audit line.
create table gateway.fx_request (
	operator integer not null,
	id bytea not null check (length(id) = 16),
	content bytea not null,
	currency integer not null,
	rate_nano bigint not null check (rate_nano > 0),
	valid_from timestamptz not null,
	before_rate_nano bigint,
	before_valid_from timestamptz,
	reason text not null,
	status text not null check (status in ('set', 'waiting')),
	asked_key bytea not null,
	asked_by text not null,
	asked timestamptz not null default now(),
	approved_key bytea,
	approved_by text,
	approved timestamptz,
	primary key (operator, id)
);
comment on table gateway.fx_request is 'Rates that were asked for. set: in carillon.fx_rate; waiting: jumps too far, and is nowhere else until another key of the operator approves it.';
comment on column gateway.fx_request.id is 'Of the caller''s Idempotency-Key; content is the hash of what was asked, so that the same key with other content is refused.';
comment on column gateway.fx_request.before_rate_nano is 'The rate that it replaces from valid_from on; null: the currency had none.';
comment on column gateway.fx_request.asked_key is 'SHA-256 of the operator''s key, as gateway.operator_key.digest: who approves must have another one.';
create index fx_request_waiting on gateway.fx_request (asked) where status = 'waiting';

create function gateway.fx_audit(p_operator integer, p_actor text, p_action text, p_request text, p_status integer, p_row gateway.fx_request)
returns void language sql as $$
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_operator, p_actor, p_action, 'currency ' || p_row.currency, p_request, jsonb_build_object('id', encode(p_row.id, 'hex'),
		'currency', p_row.currency, 'status', p_row.status, 'reason', p_row.reason,
		'before', case when p_row.before_rate_nano is not null then jsonb_build_object('rate_nano', p_row.before_rate_nano, 'valid_from', p_row.before_valid_from) end,
		'after', jsonb_build_object('rate_nano', p_row.rate_nano, 'valid_from', p_row.valid_from),
		'asked_by', p_row.asked_by, 'approved_by', p_row.approved_by), p_status)
$$;
comment on function gateway.fx_audit is 'A line of the audit log about a rate, with before and after.';

create function gateway.fx_ask(p_operator integer, p_id bytea, p_content bytea, p_key bytea, p_actor text, p_request text, p_currency integer,
	p_rate bigint, p_valid_from timestamptz, p_reason text, p_jump integer, out http integer, out code text, out result gateway.fx_request)
language plpgsql as $$
declare
	before record;
	starts timestamptz;
	agreed timestamptz;
	jumps boolean;
begin
	lock table gateway.fx_request in share row exclusive mode;
	select * into result from gateway.fx_request where operator = p_operator and id = p_id;
	if found then
		http := 200;
		if result.content <> p_content then
			http := 422;
			code := 'other_content';
			perform gateway.fx_audit(p_operator, p_actor, 'fx-rate', p_request, http, result);
		end if;
		return;
	end if;
	starts := coalesce(p_valid_from, clock_timestamp());
	result := (p_operator, p_id, p_content, p_currency, p_rate, starts, null, null, p_reason, 'waiting', p_key, p_actor, now(), null, null, null);
	if starts < clock_timestamp() - interval '5 seconds' then
		http := 409;
		code := 'rate_past';
	elsif exists (select from carillon.fx_rate f where f.currency = p_currency and f.valid_from = starts) then
		http := 409;
		code := 'rate_exists';
	end if;
	if http is not null then
		perform gateway.fx_audit(p_operator, p_actor, 'fx-rate', p_request, http, result);
		return;
	end if;
	select f.rate_nano, f.valid_from into before from carillon.fx_rate f where f.currency = p_currency and f.valid_from <= starts order by f.valid_from desc limit 1;
	result.before_rate_nano := before.rate_nano;
	result.before_valid_from := before.valid_from;
	-- Against all that holds within a day of it, so that a long way in small steps is a jump too, but for what lies before a rate that two agreed on.
	-- A first rate has nothing to be compared with.
	select max(r.valid_from) into agreed from gateway.fx_request r where r.currency = p_currency and r.approved is not null and r.valid_from <= starts;
	select p_jump > 0 and (before.rate_nano is null or coalesce(bool_or(p_rate::numeric * 100 > f.rate_nano::numeric * (100 + p_jump)
			or p_rate::numeric * (100 + p_jump) < f.rate_nano::numeric * 100), false)) into jumps
		from carillon.fx_rate f where f.currency = p_currency and (f.valid_from = before.valid_from
			or f.valid_from between greatest(starts - interval '1 day', agreed) and starts + interval '1 day');
	http := case when jumps then 202 else 200 end;
	result.status := case when jumps then 'waiting' else 'set' end;
	insert into gateway.fx_request select result.*;
	if not jumps then
		insert into carillon.fx_rate (currency, rate_nano, valid_from, request) values (p_currency, p_rate, starts, p_id);
	end if;
	perform gateway.fx_audit(p_operator, p_actor, 'fx-rate', p_request, http, result);
end
$$;
comment on function gateway.fx_ask is 'Sets a rate, once for each id. http: 200 set (or done before), 202 it waits for a second key, 409 rate_past or rate_exists, 422 other_content.';

create function gateway.fx_approve(p_operator integer, p_id bytea, p_key bytea, p_actor text, p_request text,
	out http integer, out code text, out result gateway.fx_request)
language plpgsql as $$
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
comment on function gateway.fx_approve is 'Sets a rate that waited; the key must be another than the one that asked. http: 200, 403 same_approver, 404 rate_unknown, 409 rate_exists.';
