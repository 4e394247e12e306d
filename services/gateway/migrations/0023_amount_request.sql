-- Amounts that need two: kept here until another key or user of the operator approves them, then booked by the command that is kept, whichever gateway lives.
create table gateway.amount_request (
	operator integer not null,
	id bytea not null check (length(id) = 16),
	content bytea not null check (length(content) = 16),
	player bigint not null,
	action text not null,
	currency integer not null,
	amount_minor bigint not null,
	reason text not null,
	command bytea not null,
	status text not null check (status in ('waiting', 'refused', 'approved', 'booked', 'failed')),
	asked_key bytea not null,
	asked_by text not null,
	asked timestamptz not null default now(),
	expires timestamptz not null,
	decided_key bytea,
	decided_by text,
	decided_reason text,
	decided timestamptz,
	told timestamptz,
	refusal integer,
	primary key (operator, id),
	check (status = 'waiting' or decided_key <> asked_key)
);
create index amount_request_waiting on gateway.amount_request (operator, asked) where status = 'waiting';
create index amount_request_approved on gateway.amount_request (told) where status = 'approved';
comment on table gateway.amount_request is 'Deposits, corrections, grants and bonus spins above GATEWAY_APPROVE_ABOVE. waiting: nothing has been done; approved: the wallet is told until it has decided; booked, failed: what the wallet has decided. A waiting one that has expired can be approved no more.';
comment on column gateway.amount_request.id is 'Of the caller''s Idempotency-Key, and the booking''s id at the wallet, which books it once.';
comment on column gateway.amount_request.content is 'The content_hash of the command: the same key with other content is refused.';
comment on column gateway.amount_request.command is 'The Outside of wallet.proto, as the wallet is told.';
comment on column gateway.amount_request.amount_minor is 'Of bonus spins the bets of all spins together.';
comment on column gateway.amount_request.asked_key is 'SHA-256 of the key, or of the user: who decides must have another one.';
comment on column gateway.amount_request.told is 'When a gateway has told the wallet last.';
comment on column gateway.amount_request.refusal is 'Refusal of wallet.proto; 0: booked.';

create function gateway.amount_audit(p_row gateway.amount_request, p_actor text, p_action text, p_request text, p_status integer)
returns void language sql as $$
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_row.operator, p_actor, p_row.action || p_action, (p_row.player >> 48) || '-' || (p_row.player & 281474976710655), p_request,
		jsonb_strip_nulls(jsonb_build_object('id', encode(p_row.id, 'hex'), 'amount_minor', p_row.amount_minor, 'currency', p_row.currency, 'status', p_row.status,
		'reason', p_row.reason, 'asked_by', p_row.asked_by, 'decided_by', p_row.decided_by, 'decided_reason', p_row.decided_reason, 'refusal', p_row.refusal)), p_status)
$$;
comment on function gateway.amount_audit is 'A line of the audit log about an amount that needs two, which names both.';

create function gateway.amount_ask(p_operator integer, p_id bytea, p_content bytea, p_player bigint, p_action text, p_currency integer, p_amount bigint, p_reason text,
	p_command bytea, p_key bytea, p_actor text, p_from text, p_request text, p_within_s bigint, p_alone boolean, out http integer, out code text, out result gateway.amount_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	select * into result from gateway.amount_request a where a.operator = p_operator and a.id = p_id;
	if not found and (p_alone or exists (select from wallet.outside o where o.id = p_id)) then
		-- Nobody else is needed, or nobody was when it was booked: the wallet gives the answer.
		http := 200;
		result.id := p_id;
		result.player := p_player;
		result.command := p_command;
		result.status := 'booked';
		return;
	elsif result.id is null then
		insert into gateway.amount_request (operator, id, content, player, action, currency, amount_minor, reason, command, status, asked_key, asked_by, expires)
		values (p_operator, p_id, p_content, p_player, p_action, p_currency, p_amount, p_reason, p_command, 'waiting', p_key, p_actor,
			now() + p_within_s * interval '1 second') on conflict do nothing returning * into result;
		if found then
			http := 202;
			perform gateway.amount_audit(result, p_from, '', p_request, http);
			return;
		end if;
		select * into strict result from gateway.amount_request a where a.operator = p_operator and a.id = p_id;
	end if;
	if result.content <> p_content then
		http := 422;
		code := 'other_content';
		perform gateway.amount_audit(result, p_from, '', p_request, http);
	elsif result.status = 'refused' then
		http := 409;
		code := 'approval_refused';
	elsif result.status = 'waiting' and result.expires <= now() then
		http := 409;
		code := 'approval_expired';
	elsif result.status = 'failed' then
		-- The wallet may accept now what it refused: then the verdict is noted again.
		http := 200;
		update gateway.amount_request a set status = 'approved', told = now() where a.operator = p_operator and a.id = p_id and a.status = 'failed';
	else
		http := case when result.status = 'waiting' then 202 else 200 end;
	end if;
end
$$;
comment on function gateway.amount_ask is 'Keeps a request, once for each id; with p_alone only if it was kept before. http: 202 it waits; 200 the wallet is told: it was approved, or needs nobody else; 409 approval_refused or approval_expired; 422 other_content.';

create function gateway.amount_decide(p_operator integer, p_id bytea, p_approve boolean, p_key bytea, p_actor text, p_from text, p_request text, p_reason text,
	out http integer, out code text, out result gateway.amount_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
		http := 200;
		update gateway.amount_request a set status = case when p_approve then 'approved' else 'refused' end, decided_key = p_key, decided_by = p_actor,
			decided_reason = p_reason, decided = now(), told = now() where a.operator = p_operator and a.id = p_id returning * into result;
	end if;
	perform gateway.amount_audit(result, p_from, case when p_approve then ' approval' else ' refusal' end, p_request, http);
end
$$;
comment on function gateway.amount_decide is 'Approves or refuses a waiting request; the key must be another than the one that asked. http: 200 (also the same decision again), 403 same_approver, 404 approval_unknown, 409 approval_decided or approval_expired.';

create function gateway.amount_take(p_age_s bigint, p_most bigint) returns setof gateway.amount_request
language sql security definer set search_path = pg_catalog, pg_temp as $$
	update gateway.amount_request a set told = now() from (select t.operator, t.id from gateway.amount_request t
		where t.status = 'approved' and t.told <= now() - p_age_s * interval '1 second' order by t.told limit p_most for update skip locked) d
	where a.operator = d.operator and a.id = d.id returning a.*
$$;
comment on function gateway.amount_take is 'Approved requests of which the wallet has not decided yet, for a gateway that tells it again.';

create function gateway.amount_booked(p_operator integer, p_id bytea, p_refusal integer, p_status integer)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	result gateway.amount_request;
begin
	update gateway.amount_request a set status = case when p_refusal = 0 then 'booked' else 'failed' end, refusal = p_refusal
		where a.operator = p_operator and a.id = p_id and (a.status = 'approved' or a.status = 'failed' and p_refusal = 0) returning * into result;
	if found then
		perform gateway.amount_audit(result, result.asked_by || ', approved by ' || result.decided_by, '', '', p_status);
	end if;
end
$$;
comment on function gateway.amount_booked is 'Notes what the wallet has decided, with one line in the audit log.';
