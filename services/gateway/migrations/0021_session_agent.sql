-- Sessions of users as people recognise them: the browser that began each.
alter table gateway.staff_session add column agent text not null default '';
comment on column gateway.staff_session.peer is 'The address that the session began from.';
comment on column gateway.staff_session.agent is 'What the browser called itself at the login (User-Agent), cut and without unprintable bytes; empty: not known.';

-- Beside staff_enter, which gateways of the version before call.
create function gateway.staff_begin(of_staff integer, good boolean, step bigint, recovery_code bytea, session bytea, csrf_text text, from_peer text,
	life_s integer, lock_after integer, lock_s integer, from_agent text) returns text language plpgsql as $$
declare
	verdict text := gateway.staff_enter(of_staff, good, step, recovery_code, session, csrf_text, from_peer, life_s, lock_after, lock_s);
begin
	if verdict = 'entered' then
		update gateway.staff_session set agent = from_agent where digest = session;
	end if;
	return verdict;
end
$$;
comment on function gateway.staff_begin is 'staff_enter, and notes the browser.';
