-- Keys of back ends by route and on the console: what a key may do at all, when it was last used, and which key replaces it. A key that is already there has
-- no scopes: it may do everything that its other limits leave.
alter table gateway.operator_key
	add column scopes text check (scopes ~ '^(read|players|money|pools)(,(read|players|money|pools))*$'),
	add column used timestamptz,
	add column successor bytea check (length(successor) = 32),
	add column first bytea check (length(first) = 32);
comment on column gateway.operator_key.scopes is 'What the key may do at all, read,money (services/gateway/core/scope.h); null: everything.';
comment on column gateway.operator_key.used is 'When a gateway last accepted the key, to some ten seconds; null: not since this column is there.';
comment on column gateway.operator_key.first is 'Digest of the key or user that made it by route, else of the first of the keys that replace each other: for approvals all of them are one asker. Null: this key.';
comment on column gateway.operator_key.successor is 'Digest of the key that replaces it: it is replaced once. Null: none.';

create function gateway.key_new(of_operator integer, of_digest bytea, of_name text, of_scopes text, of_amounts text, of_pools text, days integer, actor text, maker bytea)
returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	perform pg_advisory_xact_lock(7283, of_operator);
	if exists (select from gateway.operator_key k where k.operator = of_operator and (left(encode(k.digest, 'hex'), 8) = left(encode(of_digest, 'hex'), 8)
		or (k.note = of_name and k.revoked is null and coalesce(k.expires > now(), true)))) then
		return 'exists';
	elsif (select count(*) from gateway.operator_key k where k.operator = of_operator and k.revoked is null and coalesce(k.expires > now(), true)) >= 20 then
		return 'full';
	end if;
	insert into gateway.operator_key (operator, digest, note, scopes, amounts, pools, expires, created_by, first)
	values (of_operator, of_digest, of_name, of_scopes, of_amounts, of_pools, now() + make_interval(days => days), actor, maker);
	return 'made';
end $$;
comment on function gateway.key_new is 'made; exists: the operator has a key of this name, or with these first digits; full: it has twenty keys in force. days null: the key has no end. maker: digest of the asker, who is for approvals the same as the key.';

create function gateway.key_rotate(of_operator integer, of_id text, of_digest bytea, keep_s integer, days integer, actor text, out verdict text, out name text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	k gateway.operator_key;
begin
	perform pg_advisory_xact_lock(7283, of_operator);
	select * into k from gateway.operator_key o where o.operator = of_operator and left(encode(o.digest, 'hex'), 8) = of_id and o.revoked is null
		and coalesce(o.expires > now(), true) for update;
	name := k.note;
	if k.digest is null then
		verdict := 'unknown';
	elsif k.successor is not null then
		verdict := 'rotated';
	elsif exists (select from gateway.operator_key o where o.operator = of_operator and left(encode(o.digest, 'hex'), 8) = left(encode(of_digest, 'hex'), 8)) then
		verdict := 'exists';
	elsif (select count(*) from gateway.operator_key o where o.operator = of_operator and o.revoked is null and coalesce(o.expires > now(), true)) >= 20 then
		verdict := 'full';
	else
		verdict := 'made';
		insert into gateway.operator_key (operator, digest, note, read_only, scopes, amounts, pools, expires, created_by, first)
		values (of_operator, of_digest, k.note, k.read_only, k.scopes, k.amounts, k.pools,
			now() + case when days is null then k.expires - k.created else make_interval(days => days) end, actor, coalesce(k.first, k.digest));
		update gateway.operator_key o set successor = of_digest, expires = least(o.expires, now() + make_interval(secs => keep_s))
		where o.operator = of_operator and o.digest = k.digest;
	end if;
end $$;
comment on function gateway.key_rotate is 'A new key with the name and the limits of this one, which stays in force for keep_s seconds. days null: the new one lives as long as this one was to live. made; unknown: no such key is in force; rotated: it has a successor already; exists, full: as of key_new.';

create function gateway.key_end(of_operator integer, of_id text, keep_s integer) returns setof text language sql security definer
set search_path = pg_catalog, pg_temp as $$
	update gateway.operator_key k set revoked = case when keep_s is null then now() end,
		expires = case when keep_s is null then k.expires else least(k.expires, now() + make_interval(secs => keep_s)) end
	where k.operator = of_operator and left(encode(k.digest, 'hex'), 8) = of_id and k.revoked is null and coalesce(k.expires > now(), true) returning k.note
$$;
comment on function gateway.key_end is 'Ends a key: at once and for good (keep_s null), or after so many seconds at the latest. Returns its name; nothing: no such key is in force.';
