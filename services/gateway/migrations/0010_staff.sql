-- People who use the operator's side: users with passwords, second factors and roles, and their sessions.
create table gateway.staff (
	id integer generated always as identity primary key,
	operator integer not null check (operator between 1 and 32767),
	name text not null check (length(name) between 1 and 32),
	roles integer not null check (roles > 0),
	password text not null,
	must_change boolean not null default true,
	totp bytea check (length(totp) = 20),
	totp_step bigint not null default 0,
	recovery bytea[] not null default '{}',
	failures integer not null default 0,
	locked_until timestamptz,
	disabled timestamptz,
	created timestamptz not null default now(),
	created_by text not null,
	unique (operator, name)
);
comment on table gateway.staff is 'Users of the operator''s side. They are never deleted, because the audit log names them.';
comment on column gateway.staff.roles is 'Bits of enum role, services/gateway/core/permits.h.';
comment on column gateway.staff.password is 'Argon2id, as libsodium writes it.';
comment on column gateway.staff.must_change is 'The password was set by somebody else: nothing but a new password is accepted in a session.';
comment on column gateway.staff.totp is 'Secret of the one-time codes (RFC 6238); null: none is asked.';
comment on column gateway.staff.totp_step is 'Step of the last code that was accepted: a code is good once.';
comment on column gateway.staff.recovery is 'SHA-256 of the recovery codes that are left; each takes the place of a one-time code once.';

create table gateway.staff_session (
	digest bytea primary key check (length(digest) = 32),
	staff integer not null references gateway.staff (id),
	csrf text not null,
	peer text not null,
	began timestamptz not null default now(),
	seen timestamptz not null default now(),
	confirmed timestamptz not null default now(),
	expires timestamptz not null,
	ended timestamptz
);
create index staff_session_live on gateway.staff_session (expires) where ended is null;
comment on table gateway.staff_session is 'Sessions of users. Every gateway reads the live ones four times a second.';
comment on column gateway.staff_session.digest is 'SHA-256 of the cookie''s text: who reads this table cannot use a session.';
comment on column gateway.staff_session.csrf is 'What the header X-CSRF-Token of each change must say.';
comment on column gateway.staff_session.confirmed is 'When the user last proved by password that it is they.';

create function gateway.staff_failed(of_staff integer, ends boolean, lock_after integer, lock_s integer) returns text
language plpgsql as $$
declare
	s gateway.staff;
begin
	select * into s from gateway.staff where id = of_staff for update;
	update gateway.staff set failures = case when s.failures + 1 >= lock_after then 0 else s.failures + 1 end,
		locked_until = case when s.failures + 1 >= lock_after then clock_timestamp() + make_interval(secs => lock_s) end where id = of_staff;
	if s.failures + 1 < lock_after then
		return 'refused';
	end if;
	-- Not of a failed login: anybody could end the sessions of others.
	update gateway.staff_session set ended = now() where ends and staff = of_staff and ended is null;
	return 'locked';
end
$$;
comment on function gateway.staff_failed is 'Counts a wrong password or code. After so many in a row the user is locked for a time; ends: their sessions end, too.';

-- After a password, and a code where one is asked, were found good or not. Everything that must hold at this moment is looked at here again, and the row is
-- locked meanwhile: of two uses of one code, one is refused.
create function gateway.staff_enter(of_staff integer, good boolean, step bigint, recovery_code bytea, session bytea, csrf_text text, from_peer text,
	life_s integer, lock_after integer, lock_s integer) returns text
language plpgsql as $$
declare
	s gateway.staff;
begin
	select * into s from gateway.staff where id = of_staff for update;
	if s.disabled is not null then
		return 'refused';
	elsif s.locked_until > clock_timestamp() then
		return 'locked';
	end if;
	if s.totp is not null and good then
		good := (step > s.totp_step) or coalesce(recovery_code = any (s.recovery), false);
	end if;
	if good is not true then
		return gateway.staff_failed(of_staff, false, lock_after, lock_s);
	end if;
	update gateway.staff set failures = 0, locked_until = null, totp_step = greatest(s.totp_step, coalesce(step, 0)),
		recovery = case when recovery_code is null then s.recovery else array_remove(s.recovery, recovery_code) end where id = of_staff;
	delete from gateway.staff_session where expires < now() - interval '30 days';
	-- One user cannot fill the place of all.
	update gateway.staff_session set ended = now() where staff = of_staff and ended is null and digest not in (
		select digest from gateway.staff_session where staff = of_staff and ended is null order by seen desc limit 7);
	insert into gateway.staff_session (digest, staff, csrf, peer, expires)
	values (session, of_staff, csrf_text, from_peer, now() + make_interval(secs => life_s));
	return 'entered';
end
$$;
comment on function gateway.staff_enter is 'Begins a session, or counts a failure. entered, refused, or locked: too many failures; none is looked at until the time is over.';

create index audit_operator on gateway.audit (operator, id);
create index audit_subject on gateway.audit (subject, id);

-- Whoever may read all tables does not read passwords, second factors and CSRF tokens.
alter table gateway.staff enable row level security;
create policy staff_gateway on gateway.staff using (current_user = 'carillon_gateway');
alter table gateway.staff_session enable row level security;
create policy staff_session_gateway on gateway.staff_session using (current_user = 'carillon_gateway');
