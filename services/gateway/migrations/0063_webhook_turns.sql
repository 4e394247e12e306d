-- Webhooks: an event that fails no longer holds back the next one of its subject; no statement that runs by itself reads more rows than it may return or change,
-- however many events wait or are dead; an operator has a share of the deliveries in flight; waiting events can be listed and skipped, sent ones listed.

alter table gateway.webhook_delivery add column skipped_by text, add check (skipped_by is null or dead is not null);
comment on column gateway.webhook_delivery.id is 'The number in the body, by which receivers order events of one subject.';
comment on column gateway.webhook_delivery.skipped_by is 'Who has skipped it while it waited; null on a dead event: it was given up.';

create table gateway.webhook_sent (
	webhook integer not null references gateway.webhook (id),
	position bigint not null,
	number bigint not null,
	event text not null,
	kind text not null,
	subject text not null,
	created timestamptz not null,
	sent timestamptz not null default now(),
	attempts integer not null,
	answer text not null,
	primary key (webhook, position)
);
create index webhook_sent_time on gateway.webhook_sent (sent);
comment on table gateway.webhook_sent is 'Events that were accepted: the newest 10,000 of each webhook, for seven days, without their content.';
comment on column gateway.webhook_sent.position is 'Counts the accepted events of a webhook, as gateway.webhook.sent does.';

drop index gateway.webhook_delivery_order, gateway.webhook_delivery_due;
create index webhook_delivery_due on gateway.webhook_delivery (webhook, next, id) where dead is null;
create index webhook_delivery_untried on gateway.webhook_delivery (webhook, subject, next, id) where dead is null and attempts = 0;
create index webhook_delivery_taken on gateway.webhook_delivery (webhook, taken_until) where taken_until is not null;
create index webhook_delivery_since on gateway.webhook_delivery (webhook, since, id) where dead is null;
create index webhook_delivery_dead_time on gateway.webhook_delivery (dead) where dead is not null;
create index webhook_delivery_given_up on gateway.webhook_delivery (dead) where dead is not null and skipped_by is null;
create index webhook_delivery_dead_subject on gateway.webhook_delivery (subject) where dead is not null;

-- ---- what runs by itself

create function gateway.webhook_purge() returns void language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
	delete from gateway.webhook_limit l where l.time < now() - interval '1 day';
	delete from gateway.webhook_delivery d where d.id in (select x.id from gateway.webhook_delivery x where x.dead < now() - interval '30 days' order by x.dead limit 10000);
	delete from gateway.webhook_sent s using (select x.webhook, x.position from gateway.webhook_sent x where x.sent < now() - interval '7 days' order by x.sent limit 10000) old
	where s.webhook = old.webhook and s.position = old.position;
	-- What gateway.webhook_end has left.
	delete from gateway.webhook_delivery d where d.id in (
		select x.id from gateway.webhook h cross join lateral (
			(select w.id from gateway.webhook_delivery w where w.webhook = h.id and w.dead is null limit 10000)
			union all (select w.id from gateway.webhook_delivery w where w.webhook = h.id and w.dead is not null limit 10000)) x
		where h.ended > now() - interval '7 days' limit 10000);
end $$;
comment on function gateway.webhook_purge is 'Deletes what is too old, and events of webhooks that have ended: at most 10,000 of each at a time.';

create or replace function gateway.webhook_step(codes json, large jsonb, most bigint, out rows bigint, out trouble text) language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
	s integer;
begin
	rows := 0;
	if not exists (select from gateway.webhook h where h.ended is null or h.ended > now() - interval '7 days') or not pg_try_advisory_xact_lock(7282, 0) then
		return;
	end if;
	perform gateway.webhook_purge();
	if not exists (select from gateway.webhook h where h.ended is null) then
		return;
	end if;
	for s in select generate_series(0, i.shards - 1) from carillon.installation i loop
		begin
			rows := greatest(rows, gateway.webhook_rows(s, codes, large, most));
		exception when others then
			trouble := coalesce(trouble || '; ', '') || format('shard %s: %s', s, sqlerrm);
		end;
	end loop;
	begin
		rows := greatest(rows, gateway.webhook_hits(codes, most));
		perform gateway.webhook_games();
	exception when others then
		trouble := coalesce(trouble || '; ', '') || sqlerrm;
	end;
end $$;

create or replace function gateway.webhook_take(by text, hold_s integer, most integer)
returns table (delivery bigint, webhook integer, url text, salt uuid, version integer, old_version integer, body text, attempts integer, event text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
	hook gateway.webhook;
	room bigint;
	left_n bigint := most;
begin
	for hook in select h.* from gateway.webhook h where h.ended is null and h.rests_until <= now()
		and exists (select from gateway.webhook_delivery d where d.webhook = h.id and d.dead is null and d.next <= now())
		order by (select count(*) from gateway.webhook o join gateway.webhook_delivery d on d.webhook = o.id where o.operator = h.operator and o.ended is null and d.taken_until > now()),
			h.last_time nulls first for update skip locked
	loop
		select least(left_n, 8 - count(*), case when hook.failures >= 5 then 1 else 4 end - count(*) filter (where d.webhook = hook.id)) into room
		from gateway.webhook o join gateway.webhook_delivery d on d.webhook = o.id where o.operator = hook.operator and o.ended is null and d.taken_until > now();
		continue when room <= 0;
		return query
			with window_rows as materialized (select d.id, d.subject, d.next from gateway.webhook_delivery d
				where d.webhook = hook.id and d.dead is null and d.next <= now() and coalesce(d.taken_until <= now(), true) order by d.next, d.id limit 1000),
			first_rows as (select distinct on (w.subject) w.id, w.next from window_rows w
				where not exists (select from gateway.webhook_delivery e where e.webhook = hook.id and e.taken_until > now() and e.subject = w.subject)
				and not exists (select from gateway.webhook_delivery e where e.webhook = hook.id and e.subject = w.subject and e.dead is null and e.attempts = 0 and (e.next, e.id) < (w.next, w.id))
				order by w.subject, w.next, w.id),
			due as (select f.id from first_rows f order by f.next, f.id limit room)
			update gateway.webhook_delivery d set taken_by = by, taken_until = now() + make_interval(secs => hold_s) from due where d.id = due.id
			returning d.id, hook.id, hook.url, hook.salt, hook.version, case when hook.old_until > now() then hook.version - 1 else 0 end, d.body, d.attempts, d.event;
		get diagnostics room = row_count;
		left_n := left_n - room;
		exit when left_n <= 0;
	end loop;
end $$;
comment on function gateway.webhook_take is 'Deliveries that are due, at most `most`, for a gateway to send within hold_s seconds. In flight at the same time: one of each webhook and subject, four of a webhook (one after five failures), eight of an operator. An event waits for those of its subject that were never tried and were due before it. Looks at the first 1,000 due rows of a webhook.';

create function gateway.webhook_outcome(of_delivery bigint, by text, good boolean, said text, delay_ms bigint, dead_s bigint, rest_ms bigint) returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
	d gateway.webhook_delivery;
	sent_n bigint;
	too_old timestamptz := now() - make_interval(secs => dead_s);
begin
	perform from gateway.webhook h where h.id = (select x.webhook from gateway.webhook_delivery x where x.id = of_delivery) for update; -- first, as all who lock both
	select * into d from gateway.webhook_delivery x where x.id = of_delivery and x.taken_by = by and x.dead is null for update;
	if not found then
		return false; -- it took too long: another gateway has it, or has sent it; or it was skipped
	end if;
	update gateway.webhook h set last_time = now(), last_good = good, last_answer = said, sent = h.sent + good::integer, failures = case when good then 0 else h.failures + 1 end,
		rests_until = case when good then h.rests_until
			else greatest(h.rests_until, now() + make_interval(secs => greatest(rest_ms, case when h.failures < 4 then 0 else least(60000, delay_ms) end) / 1000.0)) end
	where h.id = d.webhook returning h.sent into sent_n;
	if good then
		delete from gateway.webhook_delivery x where x.id = of_delivery;
		insert into gateway.webhook_sent (webhook, position, number, event, kind, subject, created, attempts, answer)
		values (d.webhook, sent_n, d.id, d.event, d.kind, d.subject, d.created, d.attempts + 1, said);
		delete from gateway.webhook_sent s where s.webhook = d.webhook and s.position <= sent_n - 10000;
	else
		update gateway.webhook_delivery x set attempts = x.attempts + 1, taken_by = null, taken_until = null, answer = said, next = now() + make_interval(secs => delay_ms / 1000.0),
			dead = case when x.since < too_old then now() end where x.id = of_delivery;
		-- A webhook that answers nothing is tried seldom: what is as old as this is given up with it.
		update gateway.webhook_delivery x set dead = now(), answer = coalesce(x.answer, said), taken_by = null, taken_until = null where x.id in (
			select y.id from gateway.webhook h join gateway.webhook_delivery y on y.webhook = h.id where h.id = d.webhook and h.failures >= 5
				and y.dead is null and y.since < too_old and coalesce(y.taken_until < now(), true) order by y.since limit 1000);
	end if;
	return true;
end $$;
comment on function gateway.webhook_outcome is 'The outcome of a delivery that this gateway has taken. delay_ms: until it is tried again; rest_ms: for which the receiver wants nothing at all. False: it is no longer its own.';

-- Of gateways of the version before.
create or replace function gateway.webhook_mark(of_delivery bigint, by text, good boolean, said text, delay_ms bigint, dead_s bigint) returns boolean language sql security definer
set search_path = pg_catalog, pg_temp as $$
	select gateway.webhook_outcome(of_delivery, by, good, said, delay_ms, dead_s, 0)
$$;

create or replace function gateway.webhook_state(out waiting bigint, out oldest_s bigint, out dead bigint) language sql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
	select (select count(*) from (select from gateway.webhook h join gateway.webhook_delivery d on d.webhook = h.id where h.ended is null and d.dead is null limit 10000) w),
		coalesce((select extract(epoch from now() - min(o.since))::bigint from gateway.webhook h
			cross join lateral (select d.since from gateway.webhook_delivery d where d.webhook = h.id and d.dead is null order by d.since limit 1) o where h.ended is null), 0),
		(select count(*) from (select from gateway.webhook_delivery d where d.dead is not null and d.skipped_by is null limit 10000) g)
$$;
comment on function gateway.webhook_state is 'For metrics: deliveries that wait, the age of the oldest of them, dead ones that were given up. Counts end at 10,000.';

-- ---- what operators do

create or replace function gateway.webhook_end(of_operator integer, of_webhook integer) returns setof integer language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
	return query update gateway.webhook h set ended = now() where h.operator = of_operator and h.id = of_webhook and h.ended is null returning h.id;
	if found then
		perform gateway.webhook_purge();
		delete from gateway.webhook_sent s where s.webhook = of_webhook;
	end if;
end $$;
comment on function gateway.webhook_end is 'Ends a webhook; what was not sent is not sent any more. The first 10,000 of its events are deleted at once, the others by gateway.webhook_purge.';

create or replace function gateway.webhook_resend(of_operator integer, of_webhook integer, of_event text) returns bigint language sql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
	with again as (update gateway.webhook_delivery d set dead = null, skipped_by = null, attempts = 0, since = now(), next = now(), taken_by = null, taken_until = null
		where d.id in (select x.id from gateway.webhook h join gateway.webhook_delivery x on x.webhook = h.id where h.operator = of_operator and h.id = of_webhook and h.ended is null
			and x.dead is not null and (of_event = 'all' or x.event = of_event) order by x.id limit 10000) returning 1),
	awake as (update gateway.webhook h set rests_until = now() where h.operator = of_operator and h.id = of_webhook)
	select count(*) from again
$$;
comment on function gateway.webhook_resend is 'Sends dead events again: one, or all, at most 10,000 at a time. Returns the number of events.';

create function gateway.webhook_skip(of_operator integer, of_webhook integer, of_event text, actor text) returns bigint language sql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
	with skipped as (update gateway.webhook_delivery d set dead = now(), skipped_by = actor, taken_by = null, taken_until = null
		where d.id in (select x.id from gateway.webhook h join gateway.webhook_delivery x on x.webhook = h.id where h.operator = of_operator and h.id = of_webhook and h.ended is null
			and x.dead is null and (of_event = 'all' or x.event = of_event) order by x.since, x.id limit 10000) returning 1)
	select count(*) from skipped
$$;
comment on function gateway.webhook_skip is 'Makes waiting events dead: one, or all, at most 10,000 at a time. One that is in flight may still arrive. Returns the number of events.';

create or replace function gateway.webhook_list(of_operator integer)
returns table (id integer, operator integer, url text, kinds text, version integer, old_until timestamptz, created timestamptz, created_by text, sent bigint, waiting bigint,
	oldest timestamptz, dead bigint, last_time timestamptz, last_good boolean, last_answer text) language sql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
	select h.id, h.operator, h.url, array_to_string(h.kinds, ','), h.version, case when h.old_until > now() then h.old_until end, h.created, h.created_by, h.sent,
		(select count(*) from (select from gateway.webhook_delivery d where d.webhook = h.id and d.dead is null limit 10000) w),
		(select d.since from gateway.webhook_delivery d where d.webhook = h.id and d.dead is null order by d.since limit 1),
		(select count(*) from (select from gateway.webhook_delivery d where d.webhook = h.id and d.dead is not null limit 10000) g), h.last_time, h.last_good, h.last_answer
	from gateway.webhook h where h.ended is null and (of_operator = 0 or h.operator = of_operator) order by h.id
$$;
comment on function gateway.webhook_list is 'An operator''s webhooks (0: of all operators). Counts of events end at 10,000.';

create function gateway.webhook_known(of_operator integer, of_webhook integer) returns boolean language sql stable security definer set search_path = pg_catalog, pg_temp as $$
	select exists (select from gateway.webhook h where h.operator = of_operator and h.id = of_webhook and h.ended is null)
$$;

create function gateway.webhook_given_up(of_operator integer, of_webhook integer, after bigint, most bigint)
returns table (number bigint, event text, kind text, subject text, body text, created timestamptz, dead timestamptz, attempts integer, answer text, skipped_by text)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
	select d.id, d.event, d.kind, d.subject, d.body, d.created, d.dead, d.attempts, d.answer, d.skipped_by from gateway.webhook_delivery d join gateway.webhook h on h.id = d.webhook
	where h.operator = of_operator and h.id = of_webhook and h.ended is null and d.dead is not null and d.id > after order by d.id limit most
$$;
comment on function gateway.webhook_given_up is 'A webhook''s dead events after a number, oldest first: those that were given up, and those that somebody has skipped.';

create function gateway.webhook_waiting(of_operator integer, of_webhook integer, after_since timestamptz, after_number bigint, most bigint)
returns table (number bigint, event text, kind text, subject text, body text, created timestamptz, since timestamptz, next timestamptz, sending boolean, attempts integer, answer text)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
	select d.id, d.event, d.kind, d.subject, d.body, d.created, d.since, greatest(d.next, h.rests_until), coalesce(d.taken_until > now(), false), d.attempts, d.answer
	from gateway.webhook_delivery d join gateway.webhook h on h.id = d.webhook
	where h.operator = of_operator and h.id = of_webhook and h.ended is null and d.dead is null and (d.since, d.id) > (after_since, after_number) order by d.since, d.id limit most
$$;
comment on function gateway.webhook_waiting is 'A webhook''s events that are not accepted yet, those that wait for longest first.';

create function gateway.webhook_accepted(of_operator integer, of_webhook integer, before bigint, most bigint)
returns table ("position" bigint, number bigint, event text, kind text, subject text, created timestamptz, sent timestamptz, attempts integer, answer text)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
	select s.position, s.number, s.event, s.kind, s.subject, s.created, s.sent, s.attempts, s.answer from gateway.webhook_sent s join gateway.webhook h on h.id = s.webhook
	where h.operator = of_operator and h.id = of_webhook and h.ended is null and s.position < before order by s.position desc limit most
$$;
comment on function gateway.webhook_accepted is 'A webhook''s events that were accepted, newest first.';
