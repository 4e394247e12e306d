-- What one user books alone adds up: above GATEWAY_APPROVE_SUM within 24 hours the next amount needs two.
create table gateway.amount_alone (
	operator integer not null,
	id bytea not null check (length(id) = 16),
	asked_key bytea not null,
	currency integer not null,
	amount_minor bigint not null check (amount_minor >= 0),
	time timestamptz not null default now(),
	primary key (operator, id)
);
create index amount_alone_sum on gateway.amount_alone (asked_key, currency, time);
comment on table gateway.amount_alone is 'What users have sent to the wallet alone within the last 24 hours, whether the wallet booked it or not; older rows are removed by the user''s next request.';
comment on column gateway.amount_alone.id is 'Of the caller''s Idempotency-Key: a repeat counts once.';
comment on column gateway.amount_alone.asked_key is 'SHA-256 of the user, as in gateway.amount_request.';
comment on column gateway.amount_alone.amount_minor is 'Also of what takes money away: without its sign.';

create function gateway.amount_alone_takes(p_operator integer, p_id bytea, p_key bytea, p_currency integer, p_amount bigint, p_most bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	-- One request of a user after the other, on whichever gateway: each sees what the ones before it have sent.
	perform pg_advisory_xact_lock(hashtextextended('alone ' || encode(p_key, 'hex') || ' ' || p_currency, 0));
	if exists (select from wallet.outside o where o.id = p_id) or exists (select from gateway.amount_request a where a.operator = p_operator and a.id = p_id) then
		return true; -- it is answered as before
	end if;
	delete from gateway.amount_alone a where a.asked_key = p_key and a.currency = p_currency and a.time <= now() - interval '24 hours';
	if abs(p_amount) + coalesce((select sum(a.amount_minor) from gateway.amount_alone a
		where a.asked_key = p_key and a.currency = p_currency and not (a.operator = p_operator and a.id = p_id)), 0) > p_most then
		return false;
	end if;
	insert into gateway.amount_alone as a (operator, id, asked_key, currency, amount_minor) values (p_operator, p_id, p_key, p_currency, abs(p_amount))
		on conflict (operator, id) do update set asked_key = excluded.asked_key, currency = excluded.currency, time = excluded.time,
			amount_minor = case when a.asked_key = excluded.asked_key and a.currency = excluded.currency then greatest(a.amount_minor, excluded.amount_minor) else excluded.amount_minor end;
	return true;
end
$$;
comment on function gateway.amount_alone_takes is 'Whether a user may book this amount alone, and counts it if so: the sum of 24 hours with it is at most p_most. What waits or is booked already counts no more.';
