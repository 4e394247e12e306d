-- Players' sessions, for support: when each began and ended, and how. Until now only those that a logout had ended were kept, and not for long.
create table gateway.session (
	session bytea primary key check (length(session) = 16),
	player bigint not null,
	began timestamptz not null,
	expires timestamptz not null,
	ended timestamptz,
	how text check (how in ('logout', 'logout_all', 'pseudonymised', 'idle')),
	check ((ended is null) = (how is null))
);
create index session_player on gateway.session (player, began, session);
create index session_expires on gateway.session (expires);
comment on table gateway.session is 'Sessions of players. A gateway adds one when it issues the token, and removes a few of those that expired a year ago.';
comment on column gateway.session.session is 'The first 16 bytes of the SHA-256 of the token.';
comment on column gateway.session.ended is 'Earlier than the token expires; null: at its end.';
comment on column gateway.session.how is 'How it ended. idle: noted when a request was refused for it, or when somebody looked.';

create function gateway.session_revoked() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	update gateway.session s set ended = new.time, how = case when new.session is not null then 'logout' when new.before >= '2200-01-01' then 'pseudonymised' else 'logout_all' end
	where s.ended is null and s.expires > new.time and case when new.session is not null then s.session = new.session else s.player = new.player and s.began <= new.before end;
	return null;
end $$;
comment on function gateway.session_revoked is 'What ends a token ends its session.';
create trigger session_ends after insert on gateway.revoked for each row execute function gateway.session_revoked();

create function gateway.session_note(of_session bytea, of_player bigint, since timestamptz, until timestamptz) returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
	delete from gateway.session s where s.session in (select o.session from gateway.session o where o.expires < now() - interval '1 year' order by o.expires limit 10);
	insert into gateway.session (session, player, began, expires) values (of_session, of_player, since, until) on conflict do nothing;
$$;
comment on function gateway.session_note is 'Keeps a session that begins.';

create function gateway.session_idle(of_session bytea, since timestamptz) returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
	update gateway.session s set ended = since, how = 'idle' where s.session = of_session and s.ended is null and s.expires > since
$$;
comment on function gateway.session_idle is 'A session has ended by inactivity.';

create function gateway.player_sessions(of_player bigint, before timestamptz, before_session bytea, most bigint)
returns table (session bytea, began timestamptz, expires timestamptz, ended timestamptz, how text) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
	select s.session, s.began, s.expires, case when s.ended is not null or s.expires > now() then s.ended else s.expires end, coalesce(s.how, case when s.expires > now() then 'open' else 'expired' end)
	from gateway.session s where s.player = of_player and (before is null or (s.began, s.session) < (before, before_session)) order by s.began desc, s.session desc limit most
$$;
comment on function gateway.player_sessions is 'A player''s sessions, newest first, behind one of them. how: open, expired, or as in the table.';

-- The part `sessions` of a player's data is all of them now; all other parts are as in 0031_player_part.sql.
alter function gateway.player_part(text, bigint, text, bigint) rename to player_part_0031;
create function gateway.player_part(part text, of_player bigint, after text, seen_before bigint) returns table (item text, next text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
	if part <> 'sessions' then
		return query select p.item, p.next from gateway.player_part_0031(part, of_player, after, seen_before) p;
	else
		return query select json_build_object('began_us', (extract(epoch from s.began) * 1000000)::bigint, 'expires_us', (extract(epoch from s.expires) * 1000000)::bigint,
				'ended_us', (extract(epoch from s.ended) * 1000000)::bigint, 'end', s.how)::text, (extract(epoch from s.began) * 1000000)::bigint || '-' || encode(s.session, 'hex')
			from gateway.player_sessions(of_player, timestamptz 'epoch' + nullif(split_part(after, '-', 1), '')::bigint * interval '1 microsecond', decode(split_part(after, '-', 2), 'hex'), 200) s;
	end if;
end $$;
comment on function gateway.player_part is 'A page of a part of what is held about a player, as JSON. next: the place behind each entry.';
