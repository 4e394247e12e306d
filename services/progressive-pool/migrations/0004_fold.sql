-- Events of a pool that are old: proven, exported, and folded into the state that they led to (jackpotctl pool fold). The rest is applied to that.
create table pool.event_fold (
	pool integer not null,
	event bigint not null,
	first_event bigint not null,
	time timestamptz not null,
	t_e18 numeric(39,0) not null,
	state text not null,
	hits bigint not null,
	jp_pool_e27 numeric(39,0) not null,
	jp_reserve_e27 numeric(39,0) not null,
	jp_seed_e27 numeric(39,0) not null,
	house_seed_e27 numeric(39,0) not null,
	paid_e27 numeric(39,0) not null,
	received_e27 numeric(39,0) not null,
	sent_e27 numeric(39,0) not null,
	rows jsonb not null,
	shards integer[] not null,
	tallies integer[] not null,
	totals bigint[] not null,
	seqs bigint[] not null,
	archive text not null,
	archive_bytes bigint not null,
	archive_digest bytea not null,
	folded timestamptz not null default now(),
	primary key (pool, event),
	check (first_event between 1 and event)
);
comment on table pool.event_fold is 'Append-only: a pool as its events 1..event made it, of which first_event..event left pool.event for a file in that transaction. Columns as there; the totals are all of the pool''s. A replay begins with the newest one.';
comment on column pool.event_fold.time is 'Of the last event that was folded.';
comment on column pool.event_fold.archive is 'File of those rows: copy .. (format binary), by gzip; archive_bytes and archive_digest (SHA-256) are of what is in it.';

create function pool.event_fold_stays() returns trigger language plpgsql as $$
begin
	raise exception 'pool.event_fold: found %, expected that rows are only added', lower(tg_op);
end
$$;
create trigger event_fold_stays before update or delete or truncate on pool.event_fold for each statement execute function pool.event_fold_stays();

create function pool.event_leaves() returns trigger language plpgsql as $$
begin
	if not exists (select from pool.event_fold f where f.pool = old.pool and f.event >= old.event) then
		raise exception 'pool.event: found delete of pool %, event %, expected that rows are only added, or folded', old.pool, old.event;
	end if;
	return old;
end
$$;
drop trigger event_stays on pool.event;
create trigger event_stays before update or truncate on pool.event for each statement execute function pool.event_stays();
create trigger event_leaves before delete on pool.event for each row execute function pool.event_leaves();
comment on table pool.event is 'What happened to a pool, 1, 2, .. without a gap, written in the transaction that made it durable, with T and the books just after it. Rows are only added; old ones leave by pool.event_fold. begin: from the state in rows, which is nothing for a new pool; snapshot: a state that no event explains, an alarm; totals: T grew; launch, terms: a row with terms, or terms that wait; hit: number hits of pool.hit; adjust: amount onto a row''s carry; remove, send: a row into the reserve, to another pool; send_reserve; receive: amount of another pool, into a row or (no currency) the reserve; state: the pool''s state.';
