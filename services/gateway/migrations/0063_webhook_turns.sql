-- Webhooks: an event that fails does not hold back the next event of its subject; each operator has a share of the deliveries in flight; waiting events can be listed
-- and skipped, sent events listed. Each statement that runs by itself or for a request reads a bounded number of rows, however many events wait or are dead, also when
-- the planner's estimates are wrong. With a wrong estimate it sorted all waiting events of a webhook, read all dead events by an index of another order, or ran a
-- subquery once for each event. So the functions below that read the first events of a webhook may not sort, and only one index has their order; `between` keeps the
-- webhook in that order. Where events are changed by their ids, `num_nulls(dead)` stands for `dead is null`, with which the planner would take a partial index instead.

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
create index webhook_delivery_taken on gateway.webhook_delivery (webhook, taken_until) where taken_until is not null;
create index webhook_delivery_since on gateway.webhook_delivery (webhook, since, id) where dead is null;
create index webhook_delivery_dead_time on gateway.webhook_delivery (dead) where dead is not null;
create index webhook_delivery_dead_subject on gateway.webhook_delivery (subject) where dead is not null;

create index webhook_delivery_event on gateway.webhook_delivery (webhook, event);
create index webhook_delivery_skipped on gateway.webhook_delivery (skipped_by, dead) where dead is not null;
create index webhook_limit_time on gateway.webhook_limit (time);
alter table gateway.webhook add column cleared boolean not null default false, add check (ended is not null or not cleared);
comment on column gateway.webhook.cleared is 'It has ended, and its events are deleted.';
create index webhook_open on gateway.webhook (operator, id) where ended is null;
create index webhook_clearing on gateway.webhook (ended) where ended is not null and not cleared;

-- ---- the first events of a webhook

create function gateway.webhook_first_waiting(of_webhook integer, most bigint) returns bigint[] language sql stable
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
	select array(select d.id from gateway.webhook_delivery d where d.webhook between of_webhook and of_webhook and d.dead is null order by d.webhook, d.since, d.id limit most)
$$;
comment on function gateway.webhook_first_waiting is 'The events of a webhook that wait for longest.';

create function gateway.webhook_first_dead(of_webhook integer, most bigint) returns bigint[] language sql stable
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
	select array(select d.id from gateway.webhook_delivery d where d.webhook between of_webhook and of_webhook and d.dead is not null order by d.webhook, d.id limit most)
$$;
comment on function gateway.webhook_first_dead is 'The dead events of a webhook with the lowest numbers.';

create function gateway.webhook_first_due(of_webhook integer, most bigint) returns table (id bigint, subject text, next timestamptz) language sql stable
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
	select d.id, d.subject, d.next from gateway.webhook_delivery d
	where d.webhook between of_webhook and of_webhook and d.dead is null and d.next <= now() and coalesce(d.taken_until <= now(), true) order by d.webhook, d.next, d.id limit most
$$;
comment on function gateway.webhook_first_due is 'The events of a webhook that are due and not in flight, those due for longest first.';

create function gateway.webhook_in_flight(of_webhook integer) returns table (id bigint, subject text) language sql stable
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
	select d.id, d.subject from gateway.webhook_delivery d
	where d.webhook between of_webhook and of_webhook and d.taken_until is not null and d.taken_until > now() order by d.webhook, d.taken_until
$$;
comment on function gateway.webhook_in_flight is 'The events of a webhook that a gateway sends now.';

-- ---- what runs by itself

create function gateway.webhook_purge() returns void language plpgsql
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
declare
	hook record;
	ids bigint[];
	left_n bigint := 2000;
	n bigint;
begin
	delete from gateway.webhook_limit l where l.ctid = any (array(select x.ctid from gateway.webhook_limit x where x.time < now() - interval '1 day' order by x.time limit 2000));
	delete from gateway.webhook_sent s where s.ctid = any (array(select x.ctid from gateway.webhook_sent x where x.sent < now() - interval '7 days' order by x.sent limit 2000));
	ids := array(select x.id from gateway.webhook_delivery x where x.dead < now() - interval '30 days' order by x.dead limit 2000);
	delete from gateway.webhook_delivery d where d.id = any (ids);
	for hook in select h.id, h.ended from gateway.webhook h where h.ended is not null and not h.cleared order by h.ended limit 100 for no key update skip locked loop
		ids := gateway.webhook_first_waiting(hook.id, left_n);
		ids := ids || gateway.webhook_first_dead(hook.id, left_n - cardinality(ids));
		delete from gateway.webhook_delivery d where d.id = any (ids);
		left_n := left_n - cardinality(ids);
		delete from gateway.webhook_sent s where s.ctid = any (array(select x.ctid from gateway.webhook_sent x
			where x.webhook between hook.id and hook.id order by x.webhook, x.position limit left_n));
		get diagnostics n = row_count;
		left_n := left_n - n;
		exit when left_n <= 0;
		-- What had begun before the webhook ended may still add an event.
		update gateway.webhook h set cleared = true where h.id = hook.id and hook.ended < now() - interval '1 minute';
	end loop;
end $$;
comment on function gateway.webhook_purge is 'Deletes dead and accepted events that are too old, and events of webhooks that have ended: at most 2,000 of each at a time.';

create or replace function gateway.webhook_step(codes json, large jsonb, most bigint, out rows bigint, out trouble text) language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
	s integer;
	any_open boolean := exists (select from gateway.webhook h where h.ended is null);
begin
	rows := 0;
	if not any_open and not exists (select from gateway.webhook h where h.ended is not null and not h.cleared) or not pg_try_advisory_xact_lock(7282, 0) then
		return;
	end if;
	perform gateway.webhook_purge();
	if not any_open then
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
	for hook in select h.* from gateway.webhook h where h.ended is null and h.rests_until <= now() and exists (select from gateway.webhook_first_due(h.id, 1))
		order by (select count(*) from gateway.webhook o cross join gateway.webhook_in_flight(o.id) f where o.operator = h.operator and o.ended is null),
			h.last_time nulls first for update skip locked
	loop
		select least(left_n, 8 - count(*), case when hook.failures >= 5 then 1 else 4 end - count(*) filter (where o.id = hook.id)) into room
		from gateway.webhook o cross join gateway.webhook_in_flight(o.id) f where o.operator = hook.operator and o.ended is null;
		continue when room <= 0;
		-- The first row of a subject has no untried one before it: that one would be in the window, or in flight.
		return query
			with first_rows as (select distinct on (w.subject) w.id, w.next from gateway.webhook_first_due(hook.id, 1000) w
				where w.subject <> all (array(select f.subject from gateway.webhook_in_flight(hook.id) f)) order by w.subject, w.next, w.id),
			due as (select f.id from first_rows f order by f.next, f.id limit room)
			update gateway.webhook_delivery d set taken_by = by, taken_until = now() + make_interval(secs => hold_s) where d.id = any (array(select due.id from due))
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
	failures_n integer;
	ids bigint[];
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
	where h.id = d.webhook returning h.sent, h.failures into sent_n, failures_n;
	if good then
		delete from gateway.webhook_delivery x where x.id = of_delivery;
		insert into gateway.webhook_sent (webhook, position, number, event, kind, subject, created, attempts, answer)
		values (d.webhook, sent_n, d.id, d.event, d.kind, d.subject, d.created, d.attempts + 1, said);
		delete from gateway.webhook_sent s where s.webhook = d.webhook and s.position <= sent_n - 10000;
	else
		update gateway.webhook_delivery x set attempts = x.attempts + 1, taken_by = null, taken_until = null, answer = said, next = now() + make_interval(secs => delay_ms / 1000.0),
			dead = case when x.since < too_old then now() end where x.id = of_delivery;
		-- A webhook that answers nothing is tried seldom: what is as old as this is given up with it.
		if failures_n >= 5 then
			ids := gateway.webhook_first_waiting(d.webhook, 1000);
			update gateway.webhook_delivery x set dead = now(), answer = coalesce(x.answer, said), taken_by = null, taken_until = null
			where x.id = any (ids) and num_nulls(x.dead) = 1 and x.since < too_old and coalesce(x.taken_until < now(), true);
		end if;
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
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
	select (select count(*) from (select from gateway.webhook h cross join unnest(gateway.webhook_first_waiting(h.id, 10000)) w where h.ended is null limit 10000) x),
		coalesce((select extract(epoch from now() - min(o.since))::bigint from (
			select (select d.since from gateway.webhook_delivery d where d.id = (gateway.webhook_first_waiting(h.id, 1))[1]) from gateway.webhook h where h.ended is null) o (since)), 0),
		(select count(*) from (select from gateway.webhook_delivery d where d.dead is not null and d.skipped_by is null order by d.skipped_by, d.dead limit 10000) g)
$$;
comment on function gateway.webhook_state is 'For metrics: deliveries that wait, the age of the oldest of them, dead ones that were given up. Counts end at 10,000.';

-- ---- what operators do

-- As before, but without reading all hits: their tables grow with each one.
create or replace function gateway.webhook_new(of_operator integer, of_url text, of_kinds text[], actor text, out id integer, out salt uuid, out version integer) language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
	perform pg_advisory_xact_lock(7282, 0);
	if (select count(*) from gateway.webhook h where h.operator = of_operator and h.ended is null) >= 10 then
		return;
	end if;
	if not exists (select from gateway.webhook h where h.ended is null) then -- no webhook was open: events begin now
		delete from gateway.webhook_at;
		insert into gateway.webhook_at (source, number, position)
		select 'journal', s, coalesce((select b.last_seq from wallet.batch b where b.shard = s order by b.batch desc limit 1), 0)
		from carillon.installation i, generate_series(0, i.shards - 1) s
		union all select 'pool', p.pool, x.hit from pool.pool p cross join lateral (select h.hit from pool.hit h where h.pool = p.pool order by h.hit desc limit 1) x
		union all select 'cards', p.pool, x.hit from cards.card_set p cross join lateral (select h.hit from cards.hit h where h.pool = p.pool order by h.hit desc limit 1) x;
		delete from gateway.webhook_stopped;
		insert into gateway.webhook_stopped (game, source) select g.game, g.source from gateway.stopped_games() g;
	end if;
	insert into gateway.webhook as h (operator, url, kinds, salt, created_by) values (of_operator, of_url, of_kinds, gen_random_uuid(), actor) returning h.id, h.salt, h.version into id, salt, version;
end $$;

create or replace function gateway.webhook_end(of_operator integer, of_webhook integer) returns setof integer language sql security definer
set search_path = pg_catalog, pg_temp as $$
	update gateway.webhook h set ended = now() where h.operator = of_operator and h.id = of_webhook and h.ended is null returning h.id
$$;
comment on function gateway.webhook_end is 'Ends a webhook; what was not sent is not sent any more. gateway.webhook_purge deletes its events.';

create or replace function gateway.webhook_resend(of_operator integer, of_webhook integer, of_event text) returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
	ids bigint[];
	n bigint;
begin
	update gateway.webhook h set rests_until = now() where h.operator = of_operator and h.id = of_webhook and h.ended is null; -- locks it first, as all who lock both
	if not found then
		return 0;
	end if;
	if of_event = 'all' then
		ids := gateway.webhook_first_dead(of_webhook, 2000);
	else
		ids := array(select x.id from gateway.webhook_delivery x where x.webhook = of_webhook and x.event = of_event);
	end if;
	update gateway.webhook_delivery d set dead = null, skipped_by = null, attempts = 0, since = now(), next = now(), taken_by = null, taken_until = null
	where d.id = any (ids) and num_nulls(d.dead) = 0;
	get diagnostics n = row_count;
	return n;
end $$;
comment on function gateway.webhook_resend is 'Sends dead events again: one, or all, at most 2,000 at a time. Returns the number of events.';

create function gateway.webhook_skip(of_operator integer, of_webhook integer, of_event text, actor text) returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
	ids bigint[];
	n bigint;
begin
	perform from gateway.webhook h where h.operator = of_operator and h.id = of_webhook and h.ended is null for update; -- first, as all who lock both
	if not found then
		return 0;
	end if;
	if of_event = 'all' then
		ids := gateway.webhook_first_waiting(of_webhook, 2000);
	else
		ids := array(select x.id from gateway.webhook_delivery x where x.webhook = of_webhook and x.event = of_event);
	end if;
	update gateway.webhook_delivery d set dead = now(), skipped_by = actor, taken_by = null, taken_until = null where d.id = any (ids) and num_nulls(d.dead) = 1;
	get diagnostics n = row_count;
	return n;
end $$;
comment on function gateway.webhook_skip is 'Makes waiting events dead: one, or all, at most 2,000 at a time. One that is in flight may still arrive. Returns the number of events.';

create or replace function gateway.webhook_list(of_operator integer)
returns table (id integer, operator integer, url text, kinds text, version integer, old_until timestamptz, created timestamptz, created_by text, sent bigint, waiting bigint,
	oldest timestamptz, dead bigint, last_time timestamptz, last_good boolean, last_answer text) language sql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
	select h.id, h.operator, h.url, array_to_string(h.kinds, ','), h.version, case when h.old_until > now() then h.old_until end, h.created, h.created_by, h.sent,
		cardinality(gateway.webhook_first_waiting(h.id, 10000)), (select d.since from gateway.webhook_delivery d where d.id = (gateway.webhook_first_waiting(h.id, 1))[1]),
		cardinality(gateway.webhook_first_dead(h.id, 10000)), h.last_time, h.last_good, h.last_answer
	from gateway.webhook h where h.ended is null and (of_operator = 0 or h.operator = of_operator) order by h.id
$$;
comment on function gateway.webhook_list is 'An operator''s webhooks (0: of all operators). Counts of events end at 10,000.';

create function gateway.webhook_known(of_operator integer, of_webhook integer) returns boolean language sql stable security definer set search_path = pg_catalog, pg_temp as $$
	select exists (select from gateway.webhook h where h.operator = of_operator and h.id = of_webhook and h.ended is null)
$$;

-- A comparison of rows begins at its place in the index: a page of the end costs as much as the first one.
create function gateway.webhook_given_up(of_operator integer, of_webhook integer, after bigint, most bigint)
returns table (number bigint, event text, kind text, subject text, body text, created timestamptz, dead timestamptz, attempts integer, answer text, skipped_by text)
language sql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
	select d.id, d.event, d.kind, d.subject, d.body, d.created, d.dead, d.attempts, d.answer, d.skipped_by from gateway.webhook_delivery d
	where gateway.webhook_known(of_operator, of_webhook) and d.dead is not null and (d.webhook, d.id) > (of_webhook, after) and d.webhook <= of_webhook
	order by d.webhook, d.id limit most
$$;
comment on function gateway.webhook_given_up is 'A webhook''s dead events after a number, oldest first: those that were given up, and those that somebody has skipped.';

create or replace function gateway.webhook_dead(of_operator integer, of_webhook integer, after bigint, most bigint)
returns table (number bigint, event text, kind text, subject text, body text, created timestamptz, dead timestamptz, attempts integer, answer text) language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
	select g.number, g.event, g.kind, g.subject, g.body, g.created, g.dead, g.attempts, g.answer from gateway.webhook_given_up(of_operator, of_webhook, after, most) g
$$;

create function gateway.webhook_waiting(of_operator integer, of_webhook integer, after_since timestamptz, after_number bigint, most bigint)
returns table (number bigint, event text, kind text, subject text, body text, created timestamptz, since timestamptz, next timestamptz, sending boolean, attempts integer, answer text)
language sql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
	select d.id, d.event, d.kind, d.subject, d.body, d.created, d.since, greatest(d.next, (select h.rests_until from gateway.webhook h where h.id = of_webhook)),
		coalesce(d.taken_until > now(), false), d.attempts, d.answer from gateway.webhook_delivery d
	where gateway.webhook_known(of_operator, of_webhook) and d.dead is null and (d.webhook, d.since, d.id) > (of_webhook, after_since, after_number) and d.webhook <= of_webhook
	order by d.webhook, d.since, d.id limit most
$$;
comment on function gateway.webhook_waiting is 'A webhook''s events that are not accepted yet, those that wait for longest first.';

create function gateway.webhook_accepted(of_operator integer, of_webhook integer, before bigint, most bigint)
returns table ("position" bigint, number bigint, event text, kind text, subject text, created timestamptz, sent timestamptz, attempts integer, answer text)
language sql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off set jit = off as $$
	select s.position, s.number, s.event, s.kind, s.subject, s.created, s.sent, s.attempts, s.answer from gateway.webhook_sent s
	where gateway.webhook_known(of_operator, of_webhook) and (s.webhook, s.position) < (of_webhook, before) and s.webhook >= of_webhook
	order by s.webhook desc, s.position desc limit most
$$;
comment on function gateway.webhook_accepted is 'A webhook''s events that were accepted, newest first.';
