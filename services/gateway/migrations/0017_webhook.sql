-- Webhooks: what happened, sent to addresses that operators name. gateway.webhook_step notices it and writes what is to be sent, with the position up to which
-- it has read, in one transaction: nothing is left out, and nothing is written twice, whoever dies. A gateway takes deliveries for some seconds
-- (webhook_take), sends them, and marks the outcome (webhook_mark); what a gateway that dies has taken is sent again.
create table gateway.webhook (
	id integer generated always as identity primary key,
	operator integer not null,
	url text not null check (length(url) between 1 and 500),
	kinds text[] not null,
	salt uuid not null,
	version integer not null default 1,
	old_until timestamptz,
	created timestamptz not null default now(),
	created_by text not null,
	ended timestamptz,
	sent bigint not null default 0,
	failures integer not null default 0,
	rests_until timestamptz not null default now(),
	last_time timestamptz,
	last_good boolean,
	last_answer text
);
comment on table gateway.webhook is 'Addresses of operators for events.';
comment on column gateway.webhook.salt is 'The secret of a version is HMAC-SHA-256 over salt and version, with the key in the file gateway/webhook.key: it is not in the database.';
comment on column gateway.webhook.version is 'Of the key that signs. Until old_until, the version before signs too.';
comment on column gateway.webhook.failures is 'In a row. From five on, one delivery at a time is tried, and none before rests_until.';

create table gateway.webhook_delivery (
	id bigint generated always as identity primary key,
	webhook integer not null references gateway.webhook (id),
	event text not null,
	kind text not null,
	subject text not null,
	body text not null,
	created timestamptz not null default now(),
	since timestamptz not null default now(),
	attempts integer not null default 0,
	next timestamptz not null default now(),
	taken_by text,
	taken_until timestamptz,
	answer text,
	dead timestamptz
) with (fillfactor = 70);
create index webhook_delivery_order on gateway.webhook_delivery (webhook, subject, id) where dead is null;
create index webhook_delivery_due on gateway.webhook_delivery (webhook, next) where dead is null;
create index webhook_delivery_dead on gateway.webhook_delivery (webhook, id) where dead is not null;
comment on table gateway.webhook_delivery is 'Events that are still to be sent, and dead ones. A delivery that was accepted is deleted.';
comment on column gateway.webhook_delivery.id is 'The number in the body: of one webhook and subject, they are sent in this order, each when the one before was accepted or is dead.';
comment on column gateway.webhook_delivery.since is 'When it was written, or sent again from the dead: the time from which its age counts.';
comment on column gateway.webhook_delivery.taken_by is 'The gateway that sends it now, until taken_until.';
comment on column gateway.webhook_delivery.dead is 'When it was given up.';

create table gateway.webhook_at (
	source text not null check (source in ('journal', 'pool', 'cards')),
	number integer not null,
	position bigint not null,
	primary key (source, number)
);
comment on table gateway.webhook_at is 'Up to which journal row of a shard, and which hit of a pool or set, events were noticed.';

create table gateway.webhook_stopped (
	game integer not null,
	source text not null,
	primary key (game, source)
);
comment on table gateway.webhook_stopped is 'Games that were stopped when it was last looked.';

create table gateway.webhook_limit (
	player bigint not null,
	refusal integer not null,
	time timestamptz not null,
	primary key (player, refusal)
);
comment on table gateway.webhook_limit is 'When an event last said that a player reached a limit: the next one comes an hour later at the earliest.';

-- ---- what is to be sent

create function gateway.webhook_body(delivery bigint, event text, kind text, subject text, operator integer, at timestamptz, data jsonb) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
	select json_build_object('id', event, 'number', delivery, 'kind', kind, 'subject', subject, 'operator', operator,
		'time_us', (extract(epoch from at) * 1000000)::bigint, 'data', data)::text
$$;

create function gateway.webhook_add(of_operator integer, of_kind text, of_subject text, of_event text, at timestamptz, data jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
	hook gateway.webhook;
	number bigint;
begin
	for hook in select * from gateway.webhook h where h.ended is null and of_kind = any (h.kinds) and (of_operator = 0 or h.operator = of_operator) order by h.id loop
		number := nextval('gateway.webhook_delivery_id_seq');
		insert into gateway.webhook_delivery (id, webhook, event, kind, subject, body) overriding system value
		values (number, hook.id, of_event, of_kind, of_subject, gateway.webhook_body(number, of_event, of_kind, of_subject, hook.operator, at, data));
	end loop;
end $$;
comment on function gateway.webhook_add is 'Writes an event for each webhook of the operator (0: of all) that wants its kind.';

create function gateway.player_name(player bigint) returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
	select (player >> 48) || '-' || (player & 281474976710655)
$$;

create function gateway.game_name(of_game integer) returns text language sql stable set search_path = pg_catalog, pg_temp as $$
	select case when of_game = 0 then 'all' else coalesce((select g.id from carillon.game g where g.number = of_game limit 1), of_game::text) end
$$;

create function gateway.webhook_row(j wallet.journal, codes json) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
	operator integer := (j.player >> 48)::integer;
	event text := format('row-%s-%s', j.shard, j.seq);
	data jsonb := jsonb_build_object('player', gateway.player_name(j.player), 'currency', coalesce(codes ->> j.currency::text, j.currency::text));
begin
	if j.kind in (29, 30) then
		perform gateway.webhook_add(operator, 'payout', 'player:' || gateway.player_name(j.player), event, j.time, data || jsonb_build_object(
			'withdrawal', encode(j.request_id, 'hex'), 'outcome', case j.kind when 29 then 'paid' else 'refused' end, 'amount_minor', abs(j.amount)));
	elsif j.refusal <> 0 then
		insert into gateway.webhook_limit as l (player, refusal, time) values (j.player, j.refusal, j.time)
		on conflict (player, refusal) do update set time = excluded.time where l.time < excluded.time - interval '1 hour';
		if found then
			perform gateway.webhook_add(operator, 'limit', 'player:' || gateway.player_name(j.player), event, j.time, data || jsonb_build_object(
				'limit', case j.refusal when 14 then 'loss' when 15 then 'wager' when 17 then 'time' else 'deposit' end));
		end if;
	else
		perform gateway.webhook_add(operator, 'large_win', 'player:' || gateway.player_name(j.player), event, j.time, data || jsonb_build_object(
			'game', gateway.game_name(j.game), 'round', j.round, 'stake_minor', j.stake, 'win_minor', j.win_balance + j.win_pending));
	end if;
end $$;

-- The next rows of a shard, all of one partition. Returns how many were read.
create function gateway.webhook_rows(of_shard integer, codes json, large jsonb, most bigint) returns bigint language plpgsql
set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
	at_seq bigint;
	newest bigint;
	leaf wallet.leaf;
	last bigint;
	j wallet.journal;
begin
	select a.position into at_seq from gateway.webhook_at a where a.source = 'journal' and a.number = of_shard;
	at_seq := coalesce(at_seq, 0);
	select b.last_seq into newest from wallet.batch b where b.shard = of_shard order by b.batch desc limit 1;
	if newest is null or newest <= at_seq then
		return 0;
	end if;
	select * into leaf from wallet.leaf l where l.shard = of_shard and l.first_seq <= at_seq + 1 order by l.first_seq desc limit 1;
	last := least(newest, (select min(l.first_seq) - 1 from wallet.leaf l where l.shard = of_shard and l.first_seq > leaf.first_seq));
	if leaf.state = 'dropped' then
		raise warning 'webhooks: rows %..% of shard % were dropped before they were read', at_seq + 1, last, of_shard;
	else
		last := least(last, at_seq + most);
		for j in execute format('select r.* from wallet.%I r where r.shard = $1 and r.seq > $2 and r.seq <= $3 and (r.kind in (29, 30) and r.refusal = 0 '
			'or r.refusal in (14, 15, 17, 18) or r.kind in (2, 4) and r.refusal = 0 and r.win_balance + r.win_pending >= ($4 ->> r.currency::text)::bigint) order by r.seq',
			wallet.leaf_name(of_shard, leaf.day)) using of_shard, at_seq, last, large
		loop
			perform gateway.webhook_row(j, codes);
		end loop;
	end if;
	insert into gateway.webhook_at as a (source, number, position) values ('journal', of_shard, last)
	on conflict (source, number) do update set position = excluded.position;
	return last - at_seq;
end $$;

create function gateway.webhook_hits(codes json, most bigint) returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
	h record;
	n bigint := 0;
begin
	for h in select * from (
		select 'pool' as source, p.pool, p.id, null::integer as level, x.hit, x.player, x.move, x.currency, x.paid_minor, x.time
		from pool.pool p left join gateway.webhook_at a on a.source = 'pool' and a.number = p.pool
		cross join lateral (select * from pool.hit t where t.pool = p.pool and t.hit > coalesce(a.position, 0) order by t.hit limit most) x
		union all
		select 'cards', p.pool, p.id, x.level, x.hit, x.player, x.move, x.currency, x.paid_minor, x.time
		from cards.card_set p left join gateway.webhook_at a on a.source = 'cards' and a.number = p.pool
		cross join lateral (select * from cards.hit t where t.pool = p.pool and t.hit > coalesce(a.position, 0) order by t.hit limit most) x) y
		order by y.pool, y.hit
	loop
		perform gateway.webhook_add((h.player >> 48)::integer, 'hit', 'pool:' || h.pool, format('hit-%s-%s', h.pool, h.hit), h.time, jsonb_build_object(
			'pool', h.pool, 'jackpot', h.id, 'level', h.level, 'hit', h.hit, 'player', gateway.player_name(h.player), 'move', h.move,
			'currency', coalesce(codes ->> h.currency::text, h.currency::text), 'amount_minor', h.paid_minor));
		insert into gateway.webhook_at as a (source, number, position) values (h.source, h.pool, h.hit)
		on conflict (source, number) do update set position = excluded.position;
		n := n + 1;
	end loop;
	return n;
end $$;

create function gateway.stopped_games() returns table (game integer, source text, reason text, since timestamptz) language sql stable
set search_path = pg_catalog, pg_temp as $$
	select s.game, 'engine', s.reason, s.since from engine.stopped_game s union all select w.game, 'operator', w.reason, w.since from wallet.switch w
$$;

create function gateway.webhook_games() returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
	g record;
begin
	for g in select s.game, s.source, s.reason, s.since from gateway.stopped_games() s where not exists (select from gateway.webhook_stopped w where w.game = s.game and w.source = s.source) loop
		insert into gateway.webhook_stopped (game, source) values (g.game, g.source);
		perform gateway.webhook_add(0, 'game', 'game:' || gateway.game_name(g.game), format('stopped-%s-%s-%s', g.game, g.source, (extract(epoch from g.since) * 1000000)::bigint),
			g.since, jsonb_build_object('game', gateway.game_name(g.game), 'state', 'stopped', 'by', g.source, 'reason', g.reason));
	end loop;
	for g in delete from gateway.webhook_stopped w where not exists (select from gateway.stopped_games() s where w.game = s.game and w.source = s.source) returning w.game, w.source loop
		perform gateway.webhook_add(0, 'game', 'game:' || gateway.game_name(g.game), format('started-%s-%s-%s', g.game, g.source, (extract(epoch from now()) * 1000000)::bigint),
			now(), jsonb_build_object('game', gateway.game_name(g.game), 'state', 'started', 'by', g.source));
	end loop;
end $$;

create function gateway.webhook_step(codes json, large jsonb, most bigint, out rows bigint, out trouble text) language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
	s integer;
begin
	rows := 0;
	if not exists (select from gateway.webhook h where h.ended is null) or not pg_try_advisory_xact_lock(7282, 0) then
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
	delete from gateway.webhook_limit l where l.time < now() - interval '1 day';
	delete from gateway.webhook_delivery d where d.dead < now() - interval '30 days';
end $$;
comment on function gateway.webhook_step is 'Notices what happened and writes what is to be sent. codes: currencies by number; large: smallest large win by number of currency, minor units. rows: as many as asked for: there may be more. trouble: what stops a part; the others go on.';

-- ---- sending

create function gateway.webhook_take(by text, hold_s integer, most integer)
returns table (delivery bigint, webhook integer, url text, salt uuid, version integer, old_version integer, body text, attempts integer, event text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
	hook gateway.webhook;
	room integer;
	left_n integer := most;
begin
	for hook in select h.* from gateway.webhook h where h.ended is null and h.rests_until <= now()
		and exists (select from gateway.webhook_delivery d where d.webhook = h.id and d.dead is null and d.next <= now())
		order by h.last_time nulls first for update skip locked
	loop
		select case when hook.failures >= 5 then 1 else 4 end - count(*) into room
		from gateway.webhook_delivery d where d.webhook = hook.id and d.dead is null and d.taken_until > now();
		room := least(room, left_n);
		continue when room <= 0;
		return query
			with due as (select d.id from gateway.webhook_delivery d
				where d.webhook = hook.id and d.dead is null and d.next <= now() and coalesce(d.taken_until <= now(), true)
				and not exists (select from gateway.webhook_delivery e where e.webhook = d.webhook and e.subject = d.subject and e.dead is null and e.id <> d.id
					and (e.id < d.id or e.taken_until > now()))
				order by d.next limit room)
			update gateway.webhook_delivery d set taken_by = by, taken_until = now() + make_interval(secs => hold_s) from due where d.id = due.id
			returning d.id, hook.id, hook.url, hook.salt, hook.version, case when hook.old_until > now() then hook.version - 1 else 0 end, d.body, d.attempts, d.event;
		get diagnostics room = row_count;
		left_n := left_n - room;
		exit when left_n <= 0;
	end loop;
end $$;
comment on function gateway.webhook_take is 'Deliveries that are due, at most so many, for a gateway to send within hold_s seconds. Of each webhook and subject only the first; of each webhook four at a time.';

create function gateway.webhook_mark(of_delivery bigint, by text, good boolean, said text, delay_ms bigint, dead_s bigint) returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
	d gateway.webhook_delivery;
begin
	perform from gateway.webhook h where h.id = (select x.webhook from gateway.webhook_delivery x where x.id = of_delivery) for update; -- first, as all who lock both
	select * into d from gateway.webhook_delivery x where x.id = of_delivery and x.taken_by = by and x.dead is null for update;
	if not found then
		return false; -- it took too long: another gateway has it, or has sent it
	end if;
	update gateway.webhook h set last_time = now(), last_good = good, last_answer = said, sent = h.sent + good::integer, failures = case when good then 0 else h.failures + 1 end,
		rests_until = case when good or h.failures < 4 then now() else now() + make_interval(secs => least(60, delay_ms / 1000.0)) end where h.id = d.webhook;
	if good then
		delete from gateway.webhook_delivery x where x.id = of_delivery;
	else
		update gateway.webhook_delivery x set attempts = x.attempts + 1, taken_by = null, taken_until = null, answer = said, next = now() + make_interval(secs => delay_ms / 1000.0),
			dead = case when x.since + make_interval(secs => dead_s) < now() then now() end where x.id = of_delivery;
		-- A webhook that answers nothing is tried seldom: what is as old as this is given up with it.
		update gateway.webhook_delivery x set dead = now(), answer = coalesce(x.answer, said) from gateway.webhook h where h.id = d.webhook and h.failures >= 5
			and x.webhook = h.id and x.dead is null and x.since + make_interval(secs => dead_s) < now() and coalesce(x.taken_until < now(), true);
	end if;
	return true;
end $$;
comment on function gateway.webhook_mark is 'The outcome of a delivery that this gateway has taken. False: it is no longer its own.';

create function gateway.webhook_state(out waiting bigint, out oldest_s bigint, out dead bigint) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
	select count(*) filter (where d.dead is null), coalesce(extract(epoch from now() - min(d.since) filter (where d.dead is null))::bigint, 0), count(*) filter (where d.dead is not null)
	from gateway.webhook_delivery d
$$;
comment on function gateway.webhook_state is 'For metrics: deliveries that wait, the age of the oldest of them, dead ones.';

-- ---- what operators do

create function gateway.webhook_new(of_operator integer, of_url text, of_kinds text[], actor text, out id integer, out salt uuid, out version integer) language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
	perform pg_advisory_xact_lock(7282, 0);
	if (select count(*) from gateway.webhook h where h.operator = of_operator and h.ended is null) >= 10 then
		return;
	end if;
	if not exists (select from gateway.webhook h where h.ended is null) then -- nobody read on: events begin now
		delete from gateway.webhook_at;
		insert into gateway.webhook_at (source, number, position)
		select 'journal', s, coalesce((select b.last_seq from wallet.batch b where b.shard = s order by b.batch desc limit 1), 0)
		from carillon.installation i, generate_series(0, i.shards - 1) s
		union all select 'pool', h.pool, max(h.hit) from pool.hit h group by h.pool union all select 'cards', h.pool, max(h.hit) from cards.hit h group by h.pool;
		delete from gateway.webhook_stopped;
		insert into gateway.webhook_stopped (game, source) select g.game, g.source from gateway.stopped_games() g;
	end if;
	insert into gateway.webhook as h (operator, url, kinds, salt, created_by) values (of_operator, of_url, of_kinds, gen_random_uuid(), actor) returning h.id, h.salt, h.version into id, salt, version;
end $$;
comment on function gateway.webhook_new is 'Null: the operator has ten webhooks already.';

create function gateway.webhook_change(of_operator integer, of_webhook integer, of_url text, of_kinds text[]) returns setof integer language sql security definer
set search_path = pg_catalog, pg_temp as $$
	update gateway.webhook h set url = coalesce(of_url, h.url), kinds = coalesce(of_kinds, h.kinds), failures = 0, rests_until = now()
	where h.operator = of_operator and h.id = of_webhook and h.ended is null returning h.id
$$;

create function gateway.webhook_rotate(of_operator integer, of_webhook integer, keep_s integer) returns table (salt uuid, version integer) language sql security definer
set search_path = pg_catalog, pg_temp as $$
	with rotated as (update gateway.webhook h set version = h.version + 1, old_until = now() + make_interval(secs => keep_s)
		where h.operator = of_operator and h.id = of_webhook and h.ended is null and (keep_s = 0 or coalesce(h.old_until <= now(), true)) returning h.id, h.version)
	select h.salt, coalesce(r.version, 0) from gateway.webhook h left join rotated r on r.id = h.id
	where h.operator = of_operator and h.id = of_webhook and h.ended is null
$$;
comment on function gateway.webhook_rotate is 'A new secret; the one before signs too for keep_s seconds. Version 0: refused, because two secrets are in use already (keep_s 0 ends both).';

create function gateway.webhook_end(of_operator integer, of_webhook integer) returns setof integer language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
	return query update gateway.webhook h set ended = now() where h.operator = of_operator and h.id = of_webhook and h.ended is null returning h.id;
	delete from gateway.webhook_delivery d using gateway.webhook h where h.id = d.webhook and h.operator = of_operator and h.id = of_webhook and h.ended is not null;
end $$;
comment on function gateway.webhook_end is 'Ends a webhook; what was not sent is not sent any more.';

create function gateway.webhook_test(of_operator integer, of_webhook integer) returns setof text language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
	number bigint;
	named text := 'test-' || gen_random_uuid();
begin
	perform from gateway.webhook h where h.operator = of_operator and h.id = of_webhook and h.ended is null;
	if not found then
		return;
	end if;
	number := nextval('gateway.webhook_delivery_id_seq');
	insert into gateway.webhook_delivery (id, webhook, event, kind, subject, body) overriding system value
	values (number, of_webhook, named, 'test', 'test', gateway.webhook_body(number, named, 'test', 'test', of_operator, now(), '{}'));
	update gateway.webhook h set rests_until = now() where h.id = of_webhook;
	return next named;
end $$;
comment on function gateway.webhook_test is 'Writes an event of kind test, whatever kinds the webhook wants. Returns its id.';

create function gateway.webhook_resend(of_operator integer, of_webhook integer, of_event text) returns bigint language sql security definer
set search_path = pg_catalog, pg_temp as $$
	with again as (update gateway.webhook_delivery d set dead = null, attempts = 0, since = now(), next = now(), taken_by = null, taken_until = null
		from gateway.webhook h where h.id = d.webhook and h.operator = of_operator and h.id = of_webhook and h.ended is null and d.dead is not null
		and (of_event = 'all' or d.event = of_event) returning 1),
	awake as (update gateway.webhook h set rests_until = now() where h.operator = of_operator and h.id = of_webhook)
	select count(*) from again
$$;
comment on function gateway.webhook_resend is 'Sends dead events again: one, or all. Returns how many.';

create function gateway.webhook_list(of_operator integer)
returns table (id integer, operator integer, url text, kinds text, version integer, old_until timestamptz, created timestamptz, created_by text, sent bigint, waiting bigint,
	oldest timestamptz, dead bigint, last_time timestamptz, last_good boolean, last_answer text) language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
	select h.id, h.operator, h.url, array_to_string(h.kinds, ','), h.version, case when h.old_until > now() then h.old_until end, h.created, h.created_by, h.sent,
		count(d.id) filter (where d.dead is null), min(d.since) filter (where d.dead is null), count(d.dead), h.last_time, h.last_good, h.last_answer
	from gateway.webhook h left join gateway.webhook_delivery d on d.webhook = h.id
	where h.ended is null and (of_operator = 0 or h.operator = of_operator) group by h.id order by h.id
$$;

create function gateway.webhook_dead(of_operator integer, of_webhook integer, after bigint, most bigint)
returns table (number bigint, event text, kind text, subject text, body text, created timestamptz, dead timestamptz, attempts integer, answer text) language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
	select d.id, d.event, d.kind, d.subject, d.body, d.created, d.dead, d.attempts, d.answer from gateway.webhook_delivery d join gateway.webhook h on h.id = d.webhook
	where h.operator = of_operator and h.id = of_webhook and h.ended is null and d.dead is not null and d.id > after order by d.id limit most
$$;
