-- To remove what people typed about a player, and what the player chose; the ledger stays as it is. One user or key asks, another one approves.
create table gateway.pseudonym (
	operator integer not null,
	id bytea not null check (length(id) = 16),
	content bytea not null check (length(content) = 16),
	player bigint not null,
	reason text not null,
	status text not null check (status in ('waiting', 'refused', 'done')),
	asked_key bytea not null,
	asked_by text not null,
	asked timestamptz not null default now(),
	decided_key bytea,
	decided_by text,
	decided_reason text,
	decided timestamptz,
	notes bigint not null default 0,
	requests bigint not null default 0,
	letters bigint not null default 0,
	events bigint not null default 0,
	primary key (operator, id),
	check (status = 'waiting' or decided_key <> asked_key)
);
create unique index pseudonym_player on gateway.pseudonym (player) where status in ('waiting', 'done');
create index pseudonym_waiting on gateway.pseudonym (operator, asked) where status = 'waiting';
comment on table gateway.pseudonym is 'Requests to pseudonymise a player. waiting: nothing has been done; done: in the transaction that says so, for ever.';
comment on column gateway.pseudonym.id is 'Of the caller''s Idempotency-Key; content is the hash of player and reason, so that the same key with other content is refused.';
comment on column gateway.pseudonym.asked_key is 'SHA-256 of the key, or of the user: who decides must have another one.';
comment on column gateway.pseudonym.notes is 'How many notes lost their text.';
comment on column gateway.pseudonym.requests is 'How many requests for amounts and voids, and decisions about withdrawals, lost their reasons.';
comment on column gateway.pseudonym.letters is 'How many dead letters that were dealt with lost the reason that was typed.';
comment on column gateway.pseudonym.events is 'How many dead events of webhooks were deleted.';

alter table gateway.note add column removed timestamptz, add column removed_by text, add check ((removed is null) = (removed_by is null));
comment on table gateway.note is 'Notes about players, plain text: added in one transaction with a line of gateway.audit, which does not have the text; never changed, but a player who is pseudonymised has only the rows left.';
comment on column gateway.note.removed is 'When the text was removed, with the hash of it (content); the note is then [removed].';

create function gateway.player_left(p_player bigint) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
	account record;
begin
	-- The account is true at the row last_seq: if that is the newest one, it is true now.
	select a.last_seq, a.blocked, a.balance, (select coalesce(sum(u.p), 0) from unnest(a.pendings) with ordinality u (p, n) where u.n % 3 = 0) as pending,
		wallet.newest_of(a.player, a.shard) as newest into account from wallet.account a where a.player = p_player;
	return case
		when account is null then 'player'
		when account.newest <> account.last_seq then 'account'
		when not account.blocked then 'block'
		when account.balance <> 0 then 'balance'
		when account.pending <> 0 then 'pending'
		when exists (select from wallet.claim c where c.player = p_player and c.closed_seq is null) then 'jackpot'
		when exists (select from wallet.hold h where h.player = p_player and h.kind = 28 and h.settled_kind = 0) then 'withdrawal'
		when exists (select from wallet.spin_grant s where s.player = p_player and s.used < s.spins and s.ended_seq is null and s.expires > now()) then 'bonus_spins'
		when exists (select from gateway.amount_request a where a.operator = p_player >> 48 and a.player = p_player
			and (a.status = 'approved' or a.status = 'waiting' and a.expires > now())) then 'amount'
		when exists (select from gateway.void_request v where v.operator = p_player >> 48 and v.player = p_player
			and (v.status = 'waiting' or v.status = 'approved' and v.outcome is null)) then 'void'
		when exists (select from gateway.dead_letter d where d.player = p_player and d.status in ('waiting', 'sending')) then 'dead_letter'
	end;
end
$$;
comment on function gateway.player_left is 'What must be settled before a player may be pseudonymised, as one word; null: nothing. player: there is no account; account: it has just moved, and is known in a second.';

create function gateway.pseudonym_audit(p_row gateway.pseudonym, p_actor text, p_action text, p_request text, p_left text, p_status integer) returns void
language sql as $$
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_row.operator, p_actor, 'pseudonymise' || p_action, (p_row.player >> 48) || '-' || (p_row.player & 281474976710655), p_request,
		jsonb_strip_nulls(jsonb_build_object('id', encode(p_row.id, 'hex'), 'status', p_row.status, 'reason', p_row.reason, 'asked_by', p_row.asked_by,
		'decided_by', p_row.decided_by, 'decided_reason', p_row.decided_reason, 'left', p_left)
		|| case when p_row.status = 'done' then jsonb_build_object('notes', p_row.notes, 'requests', p_row.requests, 'letters', p_row.letters, 'events', p_row.events)
			else '{}' end), p_status)
$$;

create function gateway.pseudonym_ask(p_operator integer, p_id bytea, p_content bytea, p_player bigint, p_reason text, p_key bytea, p_actor text, p_from text, p_request text,
	out http integer, out code text, out remains text, out result gateway.pseudonym)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	select * into result from gateway.pseudonym p where p.operator = p_operator and p.id = p_id;
	if not found then
		remains := gateway.player_left(p_player);
		if remains = 'player' then
			http := 404;
			code := 'player_unknown';
			return;
		end if;
		if exists (select from gateway.pseudonym p where p.player = p_player and p.status = 'done') then
			remains := null;
			http := 409;
			code := 'player_pseudonymised';
		elsif remains is null then
			insert into gateway.pseudonym (operator, id, content, player, reason, status, asked_key, asked_by)
			values (p_operator, p_id, p_content, p_player, p_reason, 'waiting', p_key, p_actor) on conflict do nothing returning * into result;
			if found then
				http := 202;
				perform gateway.pseudonym_audit(result, p_from, '', p_request, null, http);
				return;
			end if;
			select * into result from gateway.pseudonym p where p.operator = p_operator and p.id = p_id;
			remains := case when not found then 'request' end;
		end if;
		if remains is not null then
			http := 409;
			code := 'player_not_settled';
		end if;
		if http = 409 then
			result.operator := p_operator;
			result.id := p_id;
			result.player := p_player;
			result.reason := p_reason;
			result.asked_by := p_actor;
			perform gateway.pseudonym_audit(result, p_from, '', p_request, remains, http);
			return;
		end if;
	end if;
	if result.content <> p_content then
		http := 422;
		code := 'other_content';
		perform gateway.pseudonym_audit(result, p_from, '', p_request, null, http);
	elsif result.status = 'refused' then
		http := 409;
		code := 'approval_refused';
	else
		http := case when result.status = 'waiting' then 202 else 200 end;
	end if;
end
$$;
comment on function gateway.pseudonym_ask is 'Keeps a request, once for each id. http: 202 it waits, 200 it was done; 404 player_unknown; 409 player_not_settled (remains: what is to be settled, by gateway.player_left, or request: another one waits), player_pseudonymised, approval_refused; 422 other_content.';

create function gateway.pseudonym_remove(p_row gateway.pseudonym) returns gateway.pseudonym
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
	gone constant text := '[removed]';
	n bigint;
begin
	update gateway.note x set note = gone, content = decode(repeat('00', 16), 'hex'), removed = now(), removed_by = p_row.asked_by || ', approved by ' || p_row.decided_by
		where x.player = p_row.player and x.removed is null;
	get diagnostics n = row_count;
	p_row.notes := n;
	-- The kept commands name the reasons, too.
	update gateway.amount_request a set reason = gone, decided_reason = case when a.decided_reason is not null then gone end, command = ''
		where a.operator = p_row.operator and a.player = p_row.player;
	get diagnostics n = row_count;
	p_row.requests := n;
	update gateway.void_request v set reason = gone where v.operator = p_row.operator and v.player = p_row.player;
	get diagnostics n = row_count;
	p_row.requests := p_row.requests + n;
	update gateway.decision d set command = '' where d.hold in (select h.id from wallet.hold h where h.player = p_row.player);
	get diagnostics n = row_count;
	p_row.requests := p_row.requests + n;
	update gateway.dead_letter d set act_reason = gone where d.player = p_row.player and d.act_reason is not null;
	get diagnostics n = row_count;
	p_row.letters := n;
	delete from gateway.webhook_delivery d where d.dead is not null and d.subject = 'player:' || gateway.player_name(p_row.player);
	get diagnostics n = row_count;
	p_row.events := n;
	delete from gateway.webhook_limit l where l.player = p_row.player;
	delete from gateway.player c where c.player = p_row.player;
	insert into gateway.revoked (player, before, expires) values (p_row.player, '2200-01-01 00:00:00+00', '2200-01-01 00:00:00+00');
	return p_row;
end
$$;
comment on function gateway.pseudonym_remove is 'Removes it, and counts what was removed. The row of gateway.revoked ends all tokens of the player, those that a gateway may still make, too.';

create function gateway.pseudonym_decide(p_operator integer, p_player bigint, p_id bytea, p_approve boolean, p_key bytea, p_actor text, p_from text, p_request text, p_reason text,
	out http integer, out code text, out remains text, out result gateway.pseudonym)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	select * into result from gateway.pseudonym p where p.operator = p_operator and p.id = p_id and p.player = p_player for update;
	if not found then
		http := 404;
		code := 'approval_unknown';
		return;
	elsif result.asked_key = p_key then
		http := 403;
		code := 'same_approver';
	elsif result.status <> 'waiting' then
		http := case when p_approve = (result.status = 'done') then 200 else 409 end;
		code := case when http = 409 then 'approval_decided' end;
		return;
	else
		-- Whoever adds one meanwhile has committed before, and it is removed too, or waits and finds the player pseudonymised.
		lock table gateway.note, gateway.amount_request in share row exclusive mode;
		if p_approve then
			remains := gateway.player_left(p_player);
		end if;
		if remains is null then
			http := 200;
			result.status := case when p_approve then 'done' else 'refused' end;
			result.decided_key := p_key;
			result.decided_by := p_actor;
			result.decided_reason := p_reason;
			result.decided := now();
			if p_approve then
				result := gateway.pseudonym_remove(result);
			end if;
			update gateway.pseudonym p set status = result.status, decided_key = p_key, decided_by = p_actor, decided_reason = p_reason, decided = now(), notes = result.notes,
				requests = result.requests, letters = result.letters, events = result.events where p.operator = p_operator and p.id = p_id;
		else
			http := 409; -- it waits on: what is left may be settled
			code := 'player_not_settled';
		end if;
	end if;
	perform gateway.pseudonym_audit(result, p_from, case when p_approve then ' approval' else ' refusal' end, p_request, remains, http);
end
$$;
comment on function gateway.pseudonym_decide is 'Carries a waiting request out, or refuses it; the key must be another than the one that asked. http: 200 (also the same decision again), 403 same_approver, 404 approval_unknown, 409 approval_decided or player_not_settled, with which the request waits on.';

-- As before, and nothing more comes in for a player who is pseudonymised; nor is a request told again whose command was removed.
create or replace function gateway.amount_ask(p_operator integer, p_id bytea, p_content bytea, p_player bigint, p_action text, p_currency integer, p_amount bigint, p_reason text,
	p_command bytea, p_key bytea, p_actor text, p_from text, p_request text, p_within_s bigint, p_alone boolean, out http integer, out code text, out result gateway.amount_request)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	lock table gateway.amount_request in row exclusive mode; -- before anything is read: see gateway.pseudonym_decide
	select * into result from gateway.amount_request a where a.operator = p_operator and a.id = p_id;
	if result.command = '' or (result.id is null and p_action in ('deposit', 'grant', 'bonus spins') and not exists (select from wallet.outside o where o.id = p_id)
		and exists (select from gateway.pseudonym p where p.player = p_player and p.status = 'done')) then
		http := 409;
		code := 'player_pseudonymised';
		result.operator := p_operator;
		result.id := p_id;
		result.player := p_player;
		result.action := coalesce(result.action, p_action);
		perform gateway.amount_audit(result, p_from, '', p_request, http);
		return;
	elsif result.id is null and (p_alone or exists (select from wallet.outside o where o.id = p_id)) then
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
comment on function gateway.amount_ask is 'Keeps a request, once for each id; with p_alone only if it was kept before. http: 202 it waits; 200 the wallet is told: it was approved, or needs nobody else; 409 approval_refused or approval_expired, or player_pseudonymised for a deposit, a grant or bonus spins that are new, and for what was asked for before then; 422 other_content.';
